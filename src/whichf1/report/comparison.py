"""The report of ``whichf1 compare``: systems, rank flips, and tests of pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from operator import attrgetter
from typing import Any

from whichf1.comparison.compare import Comparison
from whichf1.comparison.pair import Pair, level_of
from whichf1.comparison.rank_flips import Flip, SystemRanks
from whichf1.definitions.definition import Definition
from whichf1.definitions.words import sentence, title
from whichf1.report.document import (
    Block,
    Cell,
    Document,
    Grid,
    GridColumn,
    Note,
    Rows,
    Signature,
    exact,
    items,
    signed,
)
from whichf1.statistics.scales import Interval


def comparison_document(comparison: Comparison, source: str) -> Document:
    """The comparison as a document; rank flips come before the tests of pairs."""
    blocks = [_systems(comparison), _pairs(comparison)]
    if comparison.ranks is not None:
        blocks.insert(1 if comparison.flips else 2, _flips(comparison, comparison.ranks))
    score = next(iter(comparison.scores.values()))
    clusters = dict(score.made).get("clusters")
    size = f"{items(score.n)} items" if isinstance(score.n, int) else f"weight {items(score.n)}"
    size += "" if clusters is None else f" in {clusters:,} clusters"
    systems = len(comparison.scores)
    return Document(
        [block for group in blocks for block in group],
        partial(_record, comparison, source),
        partial(_rows, comparison),
        f"{source}: {size}, {len(score.classes):,} classes, {systems:,} systems",
    )


def _p(p: float, decimals: int) -> str:
    return "< 0.0001" if p < 1e-4 else f"{p:.4f}"


def _to(places: int) -> Callable[[float, int], str]:
    """Format with a fixed number of decimals."""
    return lambda value, decimals: f"{value:.{places}f}"


def _systems(comparison: Comparison) -> list[Block]:
    best = comparison.best
    columns = [
        GridColumn("system"),
        GridColumn(title(comparison.definition), "number"),
        GridColumn("interval", "interval"),
        *([GridColumn("P(best)", "number", _to(3))] if best else []),
        GridColumn("group"),
    ]
    rows: list[list[Cell]] = []
    for name in comparison.ranking:
        score = comparison.scores[name]
        chance = [best[name]] if best else []
        rows.append([name, score.value, score.interval, *chance, comparison.letters[name]])
    score = next(iter(comparison.scores.values()))
    level = 100 * (1 - level_of(comparison.definition))
    words = partial(sentence, comparison.definition, len(score.classes), score.n)
    return [
        Grid(columns, rows),
        Signature(comparison.signature, sentence=words),
        Note(f"Systems that share a letter do not differ significantly (Holm, {level:g} %)."),
    ]


PAIR_COLUMNS: tuple[tuple[GridColumn, str], ...] = (
    (GridColumn("difference", "number", signed), "difference"),
    (GridColumn("interval", "interval"), "interval"),
    (GridColumn("p", "number", _p), "p_value"),
    (GridColumn("p (Holm)", "number", _p), "p_adjusted"),
    (GridColumn("p bootstrap", "number", _p), "p_bootstrap"),
    (GridColumn("p randomization", "number", _p), "p_randomization"),
    (GridColumn("p McNemar", "number", lambda x, decimals: _p(x.p_mid, decimals)), "mcnemar"),
    (GridColumn("p equivalence", "number", _p), "p_equivalence"),
    (GridColumn("only A", "number", items), "only_a"),
    (GridColumn("only B", "number", items), "only_b"),
    (GridColumn("changed", "number", items), "changed"),
    (GridColumn("detectable", "number"), "detectable"),
    (GridColumn("items needed", "number", items), "items_needed"),
)
"""The columns of the table of pairs; one that is empty for every pair is not shown."""


def _pairs(comparison: Comparison) -> list[Block]:
    pairs, plan = comparison.pairs, comparison.plan
    shown = [
        (column, name)
        for column, name in PAIR_COLUMNS
        if any(getattr(pair, name) is not None for pair in pairs)
    ]
    fields = attrgetter("a", "b", *(name for _, name in shown))
    columns = [GridColumn("A"), GridColumn("B"), *(column for column, _ in shown)]
    notes = [
        "'detectable': the smallest difference that this many items can show with power "
        f"{plan.power:g}; 'items needed': the number of such items that would show the observed "
        "difference.",
        *_resampling(comparison),
    ]
    if any(pair.only_a is not None for pair in pairs):
        notes.append(
            "'only A', 'only B': items that only one of them gets right; 'changed': items that "
            "they predict differently."
        )
    if plan.margin is not None:
        notes.append(
            f"'p equivalence': two one-sided tests that A and B differ by less than "
            f"{plan.margin:g}."
        )
    return [Grid(columns, [*map(fields, pairs)], "Pairs: A − B"), *map(Note, notes)]


def _resampling(comparison: Comparison) -> list[str]:
    """What is unusual: a score that can only be resampled, or too many items to resample."""
    pairs = comparison.pairs
    if any(pair.interval is not None and pair.interval.method == "bootstrap" for pair in pairs):
        return [
            "The score depends on individual items: intervals are from the paired bootstrap, p "
            "from the randomization test, or from the bootstrap if there is none."
        ]
    if comparison.plan.replicates and all(pair.p_bootstrap is None for pair in pairs):
        return [
            "So many items are not resampled: only the delta method is used, and P(best) is from a "
            "normal distribution."
        ]
    return []


def _flips(comparison: Comparison, ranks: SystemRanks) -> list[Block]:
    names, orders = comparison.ranking, ranks.orders
    same = (at for at, x in enumerate(orders) if _same(x.definition, comparison.definition))
    reference = next(same, 0)
    columns = [
        GridColumn("definition"),
        *(GridColumn(name, "number") for name in names),
        GridColumn("order", "prose"),
        GridColumn("tau", "number", _to(2)),
        GridColumn("signature", "code"),
    ]
    rows = [
        [
            title(order.definition),
            *(order.scores[name].value for name in names),
            " > ".join(" = ".join(tied) for tied in order.order),
            ranks.tau[reference][at],
            _signature(order.scores.values()),
        ]
        for at, order in enumerate(orders)
    ]
    heading = "The order is the same under every definition"
    if ranks.flips:
        many = f"{len(ranks.flips)} pair{'s' if len(ranks.flips) > 1 else ''}"
        heading = f"RANK FLIPS: the order of {many} depends on the definition of the score"
    notes = [_flip_sentence(flip, ranks) for flip in ranks.flips]
    notes.append(
        f"tau: Kendall's tau-b with the order under {title(orders[reference].definition)}."
    )
    return [Grid(columns, rows, heading), *map(Note, notes)]


def _signature(scores: Any) -> str:
    return str(next(iter(scores)).signature)


def _same(a: Definition, b: Definition) -> bool:
    key = attrgetter("metric", "average", "formula", "positive", "parameters")
    return bool(key(a) == key(b))


def _flip_sentence(flip: Flip, ranks: SystemRanks) -> str:
    """Which definitions prefer which system."""
    a, b = (
        ", ".join(title(ranks.orders[at].definition) for at in places)
        for places in (flip.a_better, flip.b_better)
    )
    return f"{flip.a} is better by {a}; {flip.b} by {b}."


def _record(comparison: Comparison, source: str) -> dict[str, Any]:
    signature, ranks = comparison.signature, comparison.ranks
    record: dict[str, Any] = {
        "source": source,
        "signature": signature,
        "ranking": comparison.ranking,
        "scores": {
            name: {
                "value": score.value,
                "interval": score.interval and asdict(score.interval),
                "p_best": comparison.best.get(name),
                "group": comparison.letters[name],
                "signature": score.signature,
            }
            for name, score in comparison.scores.items()
        },
        "pairs": [{**asdict(pair), "signature": signature} for pair in comparison.pairs],
    }
    if ranks is not None:
        record["flips"] = [_flip_record(flip, ranks) for flip in comparison.flips]
        record["rankings"] = [
            {
                "signature": _signature(order.scores.values()),
                "order": order.order,
                "values": {name: score.value for name, score in order.scores.items()},
                "tau": ranks.tau[at],
            }
            for at, order in enumerate(ranks.orders)
        ]
    return record


def _flip_record(flip: Flip, ranks: SystemRanks) -> dict[str, Any]:
    def signatures(places: Sequence[int]) -> list[str]:
        return [ranks.orders[at].definition.signature for at in places]

    better = {"a_better": signatures(flip.a_better), "b_better": signatures(flip.b_better)}
    return {"a": flip.a, "b": flip.b, **better}


def _rows(comparison: Comparison) -> Rows:
    """One line per number of a system or pair, and per score under each definition."""
    signature = comparison.signature
    yield "what", "a", "b", "value", "low", "high", "signature"
    for name, score in comparison.scores.items():
        yield _row("score", name, "", score.value, score.interval, score.signature)
        if comparison.best:
            yield _row("p_best", name, "", comparison.best[name], None, signature)
        yield _row("group", name, "", comparison.letters[name], None, signature)
    for pair in comparison.pairs:
        yield from _pair_rows(pair, signature)
    for order in comparison.ranks.orders if comparison.ranks else ():
        for name, score in order.scores.items():
            yield _row("ranked", name, "", score.value, None, score.signature)
    for flip in comparison.flips:
        yield _row("flip", flip.a, flip.b, None, None, signature)


def _pair_rows(pair: Pair, signature: str) -> Iterator[Sequence[object]]:
    for key, value in asdict(pair).items():
        if key in ("a", "b", "interval") or value is None or isinstance(value, dict):
            continue
        interval = pair.interval if key == "difference" else None
        yield _row(key, pair.a, pair.b, value, interval, signature)


def _row(
    what: str, a: str, b: str, value: Any, interval: Interval | None, signature: str
) -> Sequence[object]:
    ends = (interval.low, interval.high) if interval else (None, None)
    return what, a, b, exact(value) if isinstance(value, float) else value, *ends, signature
