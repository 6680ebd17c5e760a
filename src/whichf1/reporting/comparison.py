"""The report of ``whichf1 compare``: systems, rank flips, and tests of pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import asdict
from functools import partial
from operator import attrgetter
from typing import Any

from whichf1.comparison.compare import Comparison
from whichf1.comparison.rank_flips import Flip, Order, SystemRanks
from whichf1.comparison.significance import UNPAIRED, Pair, level_of
from whichf1.definitions.definition import Definition
from whichf1.definitions.words import sentence, title
from whichf1.errors import numbered
from whichf1.reporting.document import (
    IN_FILES,
    Advised,
    Block,
    Cell,
    Document,
    Grid,
    GridColumn,
    Note,
    Rows,
    Signature,
)
from whichf1.reporting.numbers import items, p_number, signed, size
from whichf1.reporting.score import worth_notes
from whichf1.statistics.scales import Interval
from whichf1.tables.labels import VALUE


def comparison_document(comparison: Comparison, source: str) -> Document:
    """The comparison as a document; rank flips come before the tests of pairs."""
    blocks = [_systems(comparison), _pairs(comparison)]
    if comparison.ranks is not None:
        blocks.insert(1 if comparison.flips else 2, _flips(comparison, comparison.ranks))
    score = next(iter(comparison.scores.values()))
    clusters = dict(score.made).get("clusters")
    clustered = "" if clusters is None else f" in {clusters:,} clusters"
    return Document(
        [block for group in blocks for block in group],
        partial(_record, comparison, source),
        partial(_rows, comparison),
        f"{source}: {size(score.n)}{clustered}, "
        f"{'' if score.classes == VALUE else numbered(len(score.classes), 'class') + ', '}"
        f"{numbered(len(comparison.scores), 'system')}",
        kind="comparison",
    )


def _percent(value: float, decimals: int) -> str:
    return f"{100 * value:.1f} %"


def _needed(pair: Pair, decimals: int) -> str:
    """The number of items, with its range in brackets."""
    if pair.items_range is None:
        return items(pair.items_needed or 0)
    low, high = pair.items_range
    ends = f"{low:,}–{'∞' if high is None else f'{high:,}'}"
    return f"{'∞' if pair.items_needed is None else items(pair.items_needed)} ({ends})"


def to_places(places: int) -> Callable[[float, int], str]:
    """Format with a fixed number of decimals."""
    return lambda value, decimals: f"{value:.{places}f}"


def _systems(comparison: Comparison) -> list[Block]:
    wins = comparison.wins
    columns = [
        GridColumn("system"),
        GridColumn(title(comparison.definition), "number"),
        GridColumn("interval", "interval"),
        *([GridColumn("wins", "number", _percent)] if wins else []),
        GridColumn("group"),
    ]
    rows: list[list[Cell]] = []
    for name in comparison.ranking:
        score, share = comparison.scores[name], [wins[name]] if wins else []
        rows.append([name, score.value, score.interval, *share, comparison.letters[name]])
    level = 100 * (1 - level_of(comparison.definition))
    first = next(iter(comparison.scores.values()))
    words = sentence(comparison.definition, len(first.classes), first.n)
    adjusted = ADJUSTED[comparison.plan.adjust]
    notes = [f"Systems that share a letter do not differ significantly ({adjusted}, {level:g} %)."]
    if wins:
        notes.append(
            "'wins': the fraction of resampled test sets on which a system is best. It is not "
            "the probability that it is best: of two equally good systems, one wins more than 90 "
            "% of them on every fifth test set."
        )
    return [
        Grid(columns, rows),
        Signature(comparison.signature, sentence=words),
        *map(Note, [*notes, *worth_notes(first.effective_n)]),
    ]


ADJUSTED = {"holm": "Holm", "fdr": "false discovery rate", "none": "not adjusted"}
TESTS = {
    "t": "Student's t with its skewness removed",
    "McNemar": "McNemar's mid-p test",
    "randomization": "the randomization test",
    "bootstrap": "the paired bootstrap",
    UNPAIRED: "Welch's unpaired t test",
}
"""The tests behind p, in words."""


MOST_PAIRS = 10
"""With more pairs than this, only those with the best system are shown."""
NAMES = {"a": GridColumn("A"), "b": GridColumn("B")}
PAIR_COLUMNS = NAMES | {
    "difference": GridColumn("difference", "number", signed),
    "interval": GridColumn("interval", "interval"),
    "p_value": GridColumn("p", "number", p_number),
    "p_adjusted": GridColumn("p adjusted", "number", p_number),
    "test": GridColumn("test"),
    "only_a": GridColumn("only A", "number", items),
    "only_b": GridColumn("only B", "number", items),
}
"""The columns of the table of pairs; one that is empty for every pair is not shown."""
MORE_COLUMNS = NAMES | {
    "p_bootstrap": GridColumn("bootstrap", "number", p_number),
    "p_randomization": GridColumn("randomization", "number", p_number),
    "mcnemar": GridColumn("McNemar", "number", lambda x, decimals: p_number(x.p_mid, decimals)),
    "p_equivalence": GridColumn("equivalence", "number", p_number),
    "changed": GridColumn("changed", "number", items),
    "detectable": GridColumn("detectable", "number"),
    "planned": GridColumn("items needed", "number", _needed),
}
"""The columns of a second table: other p-values, and planning."""


def _pairs(comparison: Comparison) -> list[Block]:
    every, plan = comparison.pairs, comparison.plan
    best, many = comparison.ranking[0], len(every) > MOST_PAIRS
    pairs = [pair for pair in every if not many or best in (pair.a, pair.b)]
    tests = dict.fromkeys(pair.test for pair in pairs if pair.test and pair.p_value is not None)
    alone = {"p_adjusted"} if len(every) == 1 else set()
    alone |= {"test"} if len(tests) < 2 else set()
    adjusted = "" if len(every) == 1 else f"; adjusted: {ADJUSTED[plan.adjust]}"
    notes = [
        *([f"p: {', '.join(TESTS[test] for test in tests)}{adjusted}."] if tests else []),
        *_certain(pairs),
        *([Advised(f"These are the pairs with the best system, of {len(every):,}.", IN_FILES)]
          if many else []),
        *_cautions(comparison),
        *_resampling(comparison),
    ]  # fmt: skip
    if any(pair.only_a is not None for pair in pairs):
        notes.append("'only A', 'only B': items that only one of them gets right.")
    known = {"mcnemar"} if [*tests] == ["McNemar"] else set()  # it is p
    more = _grid(MORE_COLUMNS, pairs, "Other p-values, and planning", known)
    blocks: list[Block] = [_grid(PAIR_COLUMNS, pairs, "Pairs: A − B", alone), *map(Note, notes)]
    if len(more.columns) > len(NAMES):
        blocks += [more, *map(Note, _more_notes(comparison))]
    return [*blocks, *(_posterior(comparison) if plan.posterior else [])]


def _grid(
    columns: Mapping[str, GridColumn],
    pairs: Sequence[Pair],
    heading: str,
    without: Set[str] = frozenset(),
) -> Grid:
    """The columns that are not empty for every pair."""
    cells = {x: [_cell(pair, x) for pair in pairs] for x in columns if x not in without}
    shown = [name for name, column in cells.items() if any(x is not None for x in column)]
    rows = [*zip(*(cells[name] for name in shown), strict=True)]
    return Grid([columns[name] for name in shown], rows, heading, keys=len(NAMES))


def _cell(pair: Pair, name: str) -> Any:
    if name != "planned":
        return getattr(pair, name)
    return None if pair.items_needed is None and pair.items_range is None else pair


def _more_notes(comparison: Comparison) -> list[str]:
    """The meaning of the columns of the second table."""
    pairs, margin = comparison.pairs, comparison.plan.margin
    notes = []
    if margin is not None:
        notes.append(
            f"'equivalence': two one-sided tests that A and B differ by less than {margin:g}."
        )
    if any(pair.changed is not None for pair in pairs):
        notes.append("'changed': items that A and B predict differently.")
    return [*notes, *_planning(comparison)]


def _posterior(comparison: Comparison) -> list[Block]:
    """The probabilities that one system is better, under each prior."""
    rope = comparison.plan.rope
    columns = [
        *(GridColumn("A"), GridColumn("B"), GridColumn("prior", "number", items)),
        GridColumn("P(A better)", "number", to_places(3)),
        *(
            [GridColumn(f"P(|A − B| < {rope:g})", "number", to_places(3))]
            if rope is not None
            else []
        ),
    ]
    rows: list[list[Cell]] = [
        [pair.a, pair.b, each.prior, each.better, *([] if rope is None else [each.rope])]
        for pair in comparison.pairs
        for each in pair.posterior or ()
    ]
    note = (
        "Posterior probabilities. 'prior': how many items on which the systems differ it is worth; "
        "it favours neither system. If the two disagree, the prior matters."
    )
    return [Grid(columns, rows, "Posterior: is A better than B?", keys=2), Note(note)]


def _cautions(comparison: Comparison) -> list[str]:
    """Each caution with its pairs, or for all of them."""
    pairs = comparison.pairs
    of_pairs: dict[str, list[str]] = {}
    for pair in pairs:
        if pair.caution is not None:
            of_pairs.setdefault(pair.caution, []).append(f"{pair.a} and {pair.b}")
    return [
        f"Caution{'' if len(names) == len(pairs) else ' (' + ', '.join(names) + ')'}: {text}."
        for text, names in of_pairs.items()
    ]


def detectable_words(pairs: Sequence[Pair], by: str, power: float) -> str:
    """What is detectable, in words; nothing if no pair varies."""
    known = [pair.detectable for pair in pairs if pair.interval is not None]
    if not known:
        return ""
    if not any(known):
        return f"No possible difference is detected with power {power:g} by {by}"
    none = " (–: none that is possible)" if None in known else ""
    return f"'detectable': the smallest true difference that {by} detect with power {power:g}{none}"


def _planning(comparison: Comparison) -> list[str]:
    """What the plan assumes."""
    plan = comparison.plan
    pairs = [x for x in comparison.pairs if x.detectable is not None or x.items_needed is not None]
    if not pairs:
        return []
    if plan.effect is None:
        needed = (
            "the observed difference, and the ends of its interval. This is optimistic, because an "
            "observed difference tends to be too large: name the one that matters (effect)"
        )
    else:
        needed = f"a difference of {plan.effect:g}, for how often the systems may disagree"
    return [
        f"{detectable_words(pairs, 'this many items', plan.power)}, if the systems "
        f"disagree as often as here; 'items needed': how many such items detect {needed}."
    ]


def _certain(pairs: Sequence[Pair]) -> list[str]:
    """Which differences have no interval because nothing varies."""
    exchanged = (x for x in pairs if x.test == "randomization" and x.interval is None)
    certain = [x for x in exchanged if x.standard_error is not None]
    if not certain:
        return []
    one = f"The difference of {certain[0].a} and {certain[0].b} does"
    which = one if len(certain) == 1 else f"The differences of {len(certain)} pairs do"
    return [
        f"{which} not vary over these items, so there is no interval; the randomization test "
        "exchanges the outputs of both systems instead."
    ]


def _resampling(comparison: Comparison) -> list[str]:
    """What is unusual: a score that can only be resampled, or too many items to resample."""
    pairs = comparison.pairs
    if any(pair.interval is not None and pair.interval.method == "bootstrap" for pair in pairs):
        return ["The score depends on individual items: intervals come from the paired bootstrap."]
    drawn = (x for pair in pairs for x in (pair.bootstrap, pair.p_bootstrap, pair.p_randomization))
    if comparison.plan.replicates and all(x is None for x in drawn):
        return ["There are too many items to resample: 'wins' comes from a normal distribution."]
    return []


MOST_VALUES, WIDEST = 4, 48
"""With more systems or longer names than this, scores are not shown under every definition."""


def _flips(comparison: Comparison, ranks: SystemRanks) -> list[Block]:
    return flip_blocks(comparison.definition, comparison.ranking, ranks, comparison.plan.adjust)


def flip_blocks(
    definition: Definition, names: Sequence[str], ranks: SystemRanks, adjust: str
) -> list[Block]:
    """The order of systems under each definition, and the pairs that flip.

    ``names``: the systems whose scores are shown if there is room; none for a study.
    """
    orders, groups = ranks.orders, ranks.alike
    titles = [" = ".join(title(orders[at].definition) for at in group) for group in groups]
    key = attrgetter("metric", "average", "formula", "positive", "parameters")
    same = (at for at, x in enumerate(orders) if key(x.definition) == key(definition))
    reference = next(same, 0)
    valued = names if len(names) <= MOST_VALUES and len("".join(names)) <= WIDEST else ()
    columns = [
        GridColumn("definition"),
        *(GridColumn(name, "number") for name in valued),
        GridColumn("order", "prose"),
        GridColumn("tau", "number", to_places(2)),
        GridColumn("signature", "code"),
    ]
    rows, known = [], dict[str, str]()
    for name, (at, *_) in zip(titles, groups, strict=True):
        order = " > ".join(" = ".join(tied) for tied in orders[at].order)
        if not valued:
            first = known.setdefault(order, name)
            order = order if first == name else f"as by {first}"
        values = [orders[at].scores[system].value for system in valued]
        rows.append([name, *values, order, ranks.tau[reference][at], _signature(orders[at])])
    heading = "The order is the same under every definition"
    notes = []
    if ranks.flips:
        many = f"{len(ranks.flips)} pair{'s' if len(ranks.flips) > 1 else ''}"
        heading = f"RANK FLIPS: the order of {many} depends on the definition of the score"
        notes = [_flip_words(flip, titles, groups) for flip in ranks.flips]
        level = 100 * (1 - level_of(definition))
        if ranks.flips[0].significant is not None:
            notes.append(
                f"Significant: at the {level:g} % level by paired tests "
                f"({ADJUSTED[adjust]}), under each definition."
            )
    where = ", or in a table of several metrics" if names else ""
    notes.append(
        Advised(
            f"tau: Kendall's tau-b with the order under {title(orders[reference].definition)}.",
            "" if valued else f"The values are in JSON and CSV{where}.",
        )
    )
    return [Grid(columns, rows, heading), *map(Note, notes)]


def _flip_words(flip: Flip, titles: Sequence[str], groups: Sequence[tuple[int, ...]]) -> str:
    """Which definitions prefer which system, and whether any of that is significant."""
    sides = [
        [name for name, (at, *_) in zip(titles, groups, strict=True) if at in better]
        for better in (flip.a_better, flip.b_better)
    ]
    words = (
        f"{flip.a} is better than {flip.b} by {in_a_row(sides[0])}; {flip.b} is better by "
        f"{in_a_row(sides[1])}."
    )
    if flip.significant is None:
        return words
    apart = {name for name, (at, *_) in zip(titles, groups, strict=True) if at in flip.significant}
    for_a, for_b = ([name for name in side if name in apart] for side in sides)
    if for_a and for_b:
        return f"{words} Both are significant: by {in_a_row(for_a)}, and by {in_a_row(for_b)}."
    if not apart:
        return f"{words} None of these differences is significant."
    one = [*for_a, *for_b]
    return f"{words} Significant only by {in_a_row(one)}."


def in_a_row(names: Sequence[str]) -> str:
    """'a, b and c'."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _signature(order: Order) -> str:
    return next(iter(order.scores.values())).signature


def _record(comparison: Comparison, source: str) -> dict[str, Any]:
    signature, ranks = comparison.signature, comparison.ranks
    worth = next(iter(comparison.scores.values())).effective_n
    record: dict[str, Any] = {
        "source": source,
        "signature": signature,
        **({} if worth is None else {"effective_n": worth}),
        "ranking": comparison.ranking,
        "scores": {
            name: {
                "value": score.value,
                "interval": score.interval and asdict(score.interval),
                "wins": comparison.wins.get(name),
                "group": comparison.letters[name],
                "signature": score.signature,
            }
            for name, score in comparison.scores.items()
        },
        "pairs": [{**asdict(pair), "signature": signature} for pair in comparison.pairs],
    }
    if ranks is not None:
        signatures = [order.definition.signature for order in ranks.orders]
        record["flips"] = [
            {"a": flip.a, "b": flip.b}
            | {
                x: [signatures[at] for at in getattr(flip, x) or ()]
                for x in ("a_better", "b_better", "significant")
            }
            | {"p_adjusted": flip.p_adjusted}
            for flip in ranks.flips
        ]
        record["rankings"] = [
            {
                "signature": _signature(order),
                "order": order.order,
                "values": {name: score.value for name, score in order.scores.items()},
                "tau": ranks.tau[at],
            }
            for at, order in enumerate(ranks.orders)
        ]
    return record


def _rows(comparison: Comparison) -> Rows:
    """One line per number of a system or pair, and per score under each definition."""
    signature = comparison.signature
    yield "what", "a", "b", "value", "low", "high", "signature"
    for name, score in comparison.scores.items():
        yield "score", name, "", score.value, *_ends(score.interval), score.signature
        if score.interval is not None and score.interval.caution is not None:
            yield "caution", name, "", score.interval.caution, None, None, score.signature
        if comparison.wins:
            yield "wins", name, "", comparison.wins[name], None, None, signature
        yield "group", name, "", comparison.letters[name], None, None, signature
    for pair in comparison.pairs:
        for key, value in asdict(pair).items():
            if (
                key in ("a", "b", "interval", "posterior")
                or value is None
                or isinstance(value, dict)
            ):
                continue
            ends: Any = (None, None)
            if key == "difference":
                ends = _ends(pair.interval)
            elif key == "items_range":
                value, ends = None, value
            yield key, pair.a, pair.b, value, *ends, signature
        for each in pair.posterior or ():
            for what in ("better", "rope"):
                value, key = getattr(each, what), f"posterior_{what}_prior_{each.prior:g}"
                yield key, pair.a, pair.b, value, None, None, signature
    for order in comparison.ranks.orders if comparison.ranks else ():
        for name, score in order.scores.items():
            yield "ranked", name, "", score.value, None, None, score.signature
    for flip in comparison.flips:
        yield "flip", flip.a, flip.b, None, None, None, signature


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (interval.low, interval.high) if interval else (None, None)
