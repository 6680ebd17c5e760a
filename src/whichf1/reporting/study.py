"""The report of ``whichf1 study``: systems, pairs, sources of variance, data sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from math import inf
from typing import Any

import numpy as np

from whichf1.comparison.data_sets import DataSetPair
from whichf1.comparison.folds import FoldPair, FoldTest
from whichf1.comparison.runs import ITEMS, RUNS, WELCH, RunMean, RunPair
from whichf1.comparison.significance import level_of
from whichf1.comparison.study import Study
from whichf1.definitions.words import sentence, title
from whichf1.errors import numbered
from whichf1.reporting.comparison import (
    ADJUSTED,
    MOST_PAIRS,
    detectable_words,
    flip_blocks,
    to_places,
)
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
    Standing,
)
from whichf1.reporting.numbers import items, number, p_number, signed, size
from whichf1.statistics.scales import Interval

TESTS = {
    RUNS: "t test of the differences of matched runs, over runs and items",
    WELCH: "t test of unmatched runs, over runs and items",
    ITEMS: "t test over items; the variance of runs is unknown",
}
"""The tests by runs, in words."""
RETRAINED = (
    "p: t test over items and training sets, whose variance is estimated from how the predictions "
    "of the same items differ between repetitions (delete-d jackknife, Shao and Wu 1989). "
    "'training': what training sets add, as a share of the variance."
)
CORRECTED = (
    "p: corrected resampled t test. Folds share training items, so their scores are correlated, "
    "and no estimate of their variance is unbiased (Bengio and Grandvalet 2004): the test assumes "
    "that the correlation is the fraction of items in a fold (Nadeau and Bengio 2003)."
)
MODELS = (
    "p: t test over items. Do the models that were trained on these folds differ, on average, on "
    "new items? The variance is that of items, without that of training sets (Bayle et al. 2020)."
)
FOLD_TESTS = {
    "retrained": ("the algorithms, by items and training sets", RETRAINED),
    "corrected": ("the algorithms, by the correlation of folds", CORRECTED),
    "models": ("the models trained here", MODELS),
}
"""The heading and the note of each test of folds."""
ALGORITHMS = "Would the algorithms differ, trained on other items?"
POOLED_RANKING = (
    "Caution: a pooled ranking compares scores of different models, one for each fold; if these "
    "are on different scales, it is lower than the ranking within folds (Forman and Scholz 2010)."
)
MOST_SETS = 30
"""How many data sets text shows."""
NEARLY = 0.8
"""How much smaller a standard error is than its sources when runs are too much alike."""


def study_document(study: Study, source: str) -> Document:
    """The study as a document; rank flips come before the tests."""
    blocks: list[Block] = [*_systems(study)]
    ranks = study.flips
    if ranks is not None and ranks.flips:
        blocks += flip_blocks(study.definition, (), ranks, study.plan.adjust)
    if study.across:
        blocks += [*_across(study), *_sets(study), *_pairs_of_sets(study)]
    if study.folds:
        blocks += _folds(study)
    if len(study.crossed) == 1:
        blocks += [*_pairs(study), *_variance(study)]
    if ranks is not None and not ranks.flips:
        blocks.append(Note("The order of the systems is the same under every definition."))
    blocks += map(Note, study.notes)
    classes = {len(each.labels) for each in study.crossed.values()}
    sets = len(study.crossed)
    parts = [
        size(study.n),
        numbered(classes.pop(), "class") if len(classes) == 1 and classes != {1} else "",
        f"{numbered(sets, 'data set')}" if sets > 1 else "",
        numbered(len(study.systems), "system"),
        numbered(study.trials.runs, "run"),
    ]
    return Document(
        blocks,
        partial(_record, study, source),
        partial(_rows, study),
        f"{source}: {', '.join(filter(None, parts))}",
        kind="study",
    )


def _systems(study: Study) -> Iterator[Block]:
    name, several = title(study.definition), len(study.crossed) > 1
    ranks = study.ranks.ranks if study.ranks else {}
    by_system: dict[str, list[RunMean]] = {x: [] for x in study.systems}
    for mean in study.means:
        by_system[mean.system].append(mean)
    columns = [GridColumn("system"), GridColumn(name, "number")]
    if several:
        columns += [GridColumn("data sets", "number", items)]
        columns += [GridColumn("average rank", "number", to_places(2))] if ranks else []
    else:
        repeated = "folds" if study.folds else "runs"
        columns += [GridColumn("interval", "interval"), GridColumn(f"SD of {repeated}", "number")]
        columns += [GridColumn(repeated, "number", items)]
    columns.append(GridColumn("group"))
    rows: list[list[Cell]] = []
    for system in study.ranking:
        own, group = by_system[system], study.letters[system]
        if several:
            rank: list[Cell] = [ranks[system]] if ranks else []
            rows.append([system, study.scores[system], len(own), *rank, group])
        else:
            (one,) = own
            deviation, times = one.deviation, len(one.values)
            (crossed,) = study.crossed.values()
            if study.folds and crossed.folds is not None:
                scores = crossed.folds[crossed.rows(system)]
                deviation, times = float(np.std(scores, ddof=1)), scores.size
            facts: list[Cell] = [one.interval, deviation, times]
            rows.append([system, one.mean, *facts, group])
    yield Grid(columns, rows)
    first = next(iter(study.crossed.values()))
    words = sentence(study.definition, len(first.labels), study.n) if not several else ""
    yield Signature(study.signature, sentence=words)
    if study.folds and not several:
        yield Note(
            "Means over folds; their intervals treat folds as correlated (Nadeau and Bengio 2003)."
        )
    elif not several and any(x.deviation is not None for x in study.means):
        yield Note(
            "Means over runs. The intervals are for new runs on new items: every run saw the same "
            "items, and both vary."
        )
    if any(each.folds is not None for each in study.trials.data_sets.values()):
        yield Note(
            "The scores of folds are averaged."
            if study.plan.folding == "averaged"
            else "The items of all folds are scored together (pooled): a score of the models "
            "trained here. Variation of training sets is not accounted for."
        )
        if study.plan.folding == "pooled" and study.definition.declaration.kind == "ranking":
            yield Note(POOLED_RANKING)
    level = 100 * (1 - level_of(study.definition))
    if len(study.systems) > 1:
        by = "random effects" if study.across else "runs and items"
        if study.folds and not study.across:
            by = "items and training sets" if study.folds[0].test == "retrained" else "folds"
        yield Note(
            f"Systems that share a letter do not differ significantly ({by}, "
            f"{ADJUSTED[study.plan.adjust]}, {level:g} %)."
        )


def _with_best(study: Study, pairs: Sequence[Any]) -> tuple[Sequence[Any], list[str]]:
    """The pairs that are shown; if there are many, those with the best system."""
    if len(pairs) <= MOST_PAIRS:
        return pairs, []
    best = study.ranking[0]
    note = Advised(f"These are the pairs with the best system, of {len(pairs):,}.", IN_FILES)
    return [x for x in pairs if best in (x.a, x.b)], [note]


def _grid(columns: Mapping[str, GridColumn], rows: Sequence[Any], heading: str) -> Grid:
    """A row for each result; a column that is empty for all of them is not shown."""
    cells = {name: [_cell(row, name) for row in rows] for name in columns}
    shown = [name for name, each in cells.items() if any(x is not None for x in each)]
    table = [*zip(*(cells[name] for name in shown), strict=True)]
    return Grid([columns[name] for name in shown], table, heading, keys=2)


def _cell(row: Any, name: str) -> Any:
    if name == "wins":
        return f"{row.a_better}–{row.b_better}"
    for part in name.split("."):
        row = None if row is None else getattr(row, part)
    return row


PAIR = {"a": GridColumn("A"), "b": GridColumn("B")}
TESTED = {
    "difference": GridColumn("difference", "number", signed),
    "interval": GridColumn("interval", "interval"),
    "p_value": GridColumn("p", "number", p_number),
    "p_adjusted": GridColumn("p adjusted", "number", p_number),
}
PLANNED = {
    "p_equivalence": GridColumn("equivalence", "number", p_number),
    "detectable": GridColumn("detectable", "number"),
}
TRAINING = GridColumn("training", "number", lambda x, decimals: f"{100 * x:.0f} %")
POSTERIOR = {
    "posterior.a_better": GridColumn("P(A better)", "number", to_places(3)),
    "posterior.rope": GridColumn("P(rope)", "number", to_places(3)),
}


def _pairs(study: Study) -> Iterator[Block]:
    if not study.pairs:
        return
    pairs, notes = _with_best(study, study.pairs)
    columns = {**PAIR, **TESTED, **PLANNED}
    if len(study.pairs) == 1:
        columns.pop("p_adjusted")
    yield _grid(columns, pairs, "Pairs: A − B, by runs and items")
    yield Note(f"p: {_tests(pairs)}.")
    yield from map(Note, notes)
    yield from _cautions(pairs)
    yield from _equivalence(study)
    words = detectable_words(pairs, "this many runs and items", study.plan.power)
    if words:
        yield Note(f"{words}.")


def _tests(pairs: Sequence[RunPair]) -> str:
    """The tests that gave p-values, in words."""
    known = [pair for pair in pairs if pair.p_value is not None] or pairs
    return "; ".join(dict.fromkeys(TESTS[pair.test or ITEMS] for pair in known))


def _cautions(pairs: Sequence[RunPair]) -> Iterator[Block]:
    for text in dict.fromkeys(pair.caution for pair in pairs if pair.caution):
        yield Note(f"Caution: {text}.")


def _equivalence(study: Study) -> Iterator[Block]:
    if study.plan.margin is not None:
        yield Note(
            "'equivalence': two one-sided tests that A and B differ by less than "
            f"{study.plan.margin:g}."
        )


def _variance(study: Study) -> Iterator[Block]:
    """The sources of variance, and the effect of more runs or items."""
    known: Sequence[Any] = [x for x in study.pairs if x.components]
    shown, _ = _with_best(study, known)
    shown = shown or [x for x in study.means if x.components]
    if not shown:
        return
    percent = lambda value, decimals: f"{100 * value:.0f} %"  # noqa: E731
    shares = [GridColumn(name, "number", percent) for name in ("runs", "items", "both")]
    errors = ("now", "2 × runs", "∞ runs", "2 × items")
    times = ((1, 1), (2, 1), (inf, 1), (1, 2))
    pairs = isinstance(shown[0], RunPair)
    names = [*PAIR.values()] if pairs else [GridColumn("system")]
    rows: list[list[Cell]] = []
    for each in shown:
        own = each.components
        named = [each.a, each.b] if pairs else [each.system]
        rows.append([*named, *own.shares, *(own.error(*x) for x in times)])
    heading = "Sources of variance of the difference, and its error with more of each"
    if not pairs:
        heading = heading.replace("difference", "mean")
    columns = [*names, *shares, *(GridColumn(name, "number") for name in errors)]
    yield Grid(columns, rows, heading, keys=len(names))
    yield Note(
        "'runs': differences between runs; 'items': the choice of test items, which all runs share "
        "and more runs do not average out; 'both': errors of single runs on these items by "
        "chance. Then the standard error, now and with more of each."
    )
    alike = [x for x in shown if _error(x) < NEARLY * x.components.error()]
    if alike:
        which = ", ".join(f"{x.a} − {x.b}" if pairs else x.system for x in alike)
        yield Note(
            f"Caution: runs differ less than errors by chance would make them ({which}). 'now' is "
            "the error that such runs usually have; the interval is based on a smaller one, and "
            "may be too narrow."
        )


def _error(tested: RunPair | RunMean) -> float:
    """The standard error of a difference or a mean, on which its interval is based."""
    error = tested.standard_error if isinstance(tested, RunPair) else tested.error
    return inf if error is None else error


def _folds(study: Study) -> Iterator[Block]:
    """Every test of folds; that which decides comes first."""
    pairs, notes = _with_best(study, study.folds)
    several = {"data_set": GridColumn("data set")} if len(study.crossed) > 1 else {}
    first = study.folds[0]
    repeated = f", repeated {first.repeats} times" if first.repeats > 1 else ""
    heading = f"Pairs: A − B, by {numbered(first.folds, 'fold')}{repeated}"
    for test in sorted(FOLD_TESTS, key=lambda test: test != first.test):
        tests: list[FoldTest] = [x for x in (getattr(pair, test) for pair in pairs) if x]
        if not tests:
            continue
        name, words = FOLD_TESTS[test]
        columns = {
            x if x == "difference" else f"{test}.{x}": column
            for x, column in TESTED.items()
            if x != "p_adjusted" or len(study.folds) > 1
        }
        columns |= {f"{test}.training": TRAINING} | (POSTERIOR if test == "corrected" else {})
        yield _grid({**PAIR, **several, **columns}, pairs, f"{heading}: {name}")
        heading = "The same"
        yield from map(Note, notes if test == first.test else [])
        if test == first.test:
            yield Note(ALGORITHMS)
        yield Note(words)
        for text in dict.fromkeys(x.caution for x in tests if x.caution):
            yield Note(f"Caution: {text}.")
        if test == "corrected":
            yield Note(
                _posterior_words(study, "Bayesian correlated t test (Corani and Benavoli 2015)")
            )


def _posterior_words(study: Study, test: str) -> str:
    if study.plan.rope is None:
        advice = "Name a region of practical equivalence with rope (--rope)."
        return Advised(f"P: {test}.", advice)
    return f"P: {test}; 'rope': A and B differ by no more than {study.plan.rope:g}."


ACROSS = {
    "meta.mean": GridColumn("difference", "number", signed),
    "meta.interval": GridColumn("interval", "interval"),
    "meta.p_value": GridColumn("p", "number", p_number),
    "p_adjusted": GridColumn("p adjusted", "number", p_number),
    "meta.tau": GridColumn("tau", "number"),
    "meta.i_square": GridColumn("I²", "number", lambda x, decimals: f"{100 * x:.0f} %"),
}
RANKED = {
    "wins": GridColumn("wins", "number", lambda wins, decimals: wins),
    "p_wilcoxon": GridColumn("Wilcoxon", "number", p_number),
    "p_wilcoxon_adjusted": GridColumn("adjusted", "number", p_number),
    "p_nemenyi": GridColumn("Nemenyi", "number", p_number),
    "signed_rank.a_better": GridColumn("P(A better)", "number", to_places(3)),
    "signed_rank.rope": GridColumn("P(rope)", "number", to_places(3)),
}


def _across(study: Study) -> Iterator[Block]:
    pairs, notes = _with_best(study, study.across)
    alone = {"p_adjusted", "p_wilcoxon_adjusted"} if len(study.across) == 1 else set()
    first, second = (
        {name: column for name, column in (PAIR | columns).items() if name not in alone}
        for columns in (ACROSS, RANKED)
    )
    if any(pair.meta is not None for pair in pairs):
        yield _grid(first, pairs, "Pairs: A − B, over data sets")
        yield from map(Note, notes)
        yield Note(
            "Random-effects meta-analysis (Paule–Mandel, Hartung–Knapp): the mean difference on "
            "data sets like these. 'tau': how much true differences vary between data sets; 'I²': "
            "the fraction of their variance not explained by items and runs."
        )
    else:
        yield Note(
            "There is no meta-analysis over data sets: it needs the standard errors of two "
            "differences that are not equal."
        )
        yield from map(Note, notes)
    yield _grid(second, pairs, "The same by ranks")
    ranks = study.ranks
    words = (
        "'wins': the data sets on which A is better, and those on which B is. Wilcoxon: "
        "signed-rank "
        "test; Nemenyi: test of average ranks, adjusted separately."
    )
    words += _wilcoxon_limit(study)
    if ranks is not None:
        words += f" Critical difference of average ranks: {ranks.critical_difference:.2f}."
        if ranks.friedman is not None:
            f = ranks.friedman
            words += (
                f" Friedman: χ² = {f.chi_square:.2f}, p {_equal(f.p_chi_square)}; Iman–Davenport: "
                f"F = {f.f:.2f}, p {_equal(f.p_f)}"
                + (f"; exact: p {_equal(f.p_value)}." if f.exact else ".")
            )
    yield Note(words)
    yield Note(_posterior_words(study, "Bayesian signed-rank test (Benavoli et al. 2014)"))


def _wilcoxon_limit(study: Study) -> str:
    """What Wilcoxon's test can reach at most, if that is not significant, and what can."""
    most = max(pair.data_sets for pair in study.across)
    least = 2.0 ** (1 - most)  # all differences have the same sign
    times = len(study.across) if study.plan.adjust == "holm" else 1
    if least * times < 1 - level_of(study.definition):
        return ""
    adjusted = f" ({min(least * times, 1.0):.4f} adjusted)" if times > 1 else ""
    return (
        f" With {numbered(most, 'data set')}, the smallest p-value of Wilcoxon's test is "
        f"{least:.4f}{adjusted},"
        " so it cannot find a significant difference."
        + (" Use the meta-analysis above, which can." if any(x.meta for x in study.across) else "")
    )


def _pairs_of_sets(study: Study) -> Iterator[Block]:
    """Every pair on each data set, if that is not too much."""
    if not study.pairs or len(study.pairs) > MOST_SETS:
        return
    named = {"data_set": GridColumn("data set")}
    columns = {**named, **PAIR, **TESTED, **PLANNED}
    columns.pop("p_value" if len(study.pairs) > 1 else "p_adjusted")
    yield replace(_grid(columns, study.pairs, "Pairs: A − B, on each data set"), keys=3)
    words = detectable_words(study.pairs, "this many runs and items", study.plan.power)
    tests, cautions = _tests(study.pairs), _cautions(study.pairs)
    yield Note(
        f"p: {tests}; adjusted: {ADJUSTED[study.plan.adjust]}, for all of them."
        + (f" {words}." if words else "")
    )
    yield from cautions
    yield from _equivalence(study)


def _equal(p: float) -> str:
    text = p_number(p)
    return text if text.startswith("<") else f"= {text}"


def _sets(study: Study) -> Iterator[Block]:
    """The mean of each system on each data set."""
    lower = study.definition.declaration.better == "lower"
    means = {(x.data_set, x.system): x for x in study.means}
    rows: list[list[Cell]] = []
    for name in study.crossed:
        own = [means.get((name, system)) for system in study.ranking]
        known = [x.mean for x in own if x is not None]
        best = min(known) if lower else max(known)
        cells: list[Cell] = [
            None
            if x is None
            else Standing(
                number(x.mean, 4), "best" if abs(x.mean - best) < 1e-12 else "", beside=_beside(x)
            )
            for x in own
        ]
        rows.append([name, *cells])
    columns = [GridColumn("data set"), *(GridColumn(x, "number") for x in study.ranking)]
    grid = Grid(columns, rows, "Means over runs on each data set", most=MOST_SETS, unit="data sets")
    yield grid
    deviates = any(x.deviation is not None for x in study.means)
    yield Note("Best of each data set; ± the standard deviation of runs." if deviates else
               "Best of each data set.", ranks=False)  # fmt: skip


def _beside(mean: RunMean) -> str:
    return "" if mean.deviation is None else f"±{mean.deviation:.4f}".replace("0.", ".", 1)


def _record(study: Study, source: str) -> dict[str, Any]:
    ranks, flips = study.ranks, study.flips
    record: dict[str, Any] = {
        "source": source,
        "signature": study.signature,
        "ranking": study.ranking,
        "scores": {
            name: {"value": study.scores[name], "group": study.letters[name]}
            for name in study.ranking
        },
        "means": [asdict(mean) for mean in study.means],
        "pairs": [_plain(pair) for pair in study.pairs],
        "folds": [_of_folds(pair) for pair in study.folds],
        "across": [asdict(pair) for pair in study.across],
        "ranks": None if ranks is None else asdict(ranks),
        "notes": study.notes,
    }
    if flips is not None:
        record["flips"] = [{"a": flip.a, "b": flip.b} for flip in flips.flips]
        record["definitions"] = [
            {
                "signature": order.definition.signature,
                "scores": {name: score.value for name, score in order.scores.items()},
            }
            for order in flips.orders
        ]
    return record


def _of_folds(pair: FoldPair) -> dict[str, Any]:
    """The pair with the outcome of the test that decides."""
    decided = {**asdict(pair.deciding), "p_adjusted": pair.p_adjusted}
    return {**asdict(pair), "test": pair.test, **decided}


def _plain(pair: RunPair) -> dict[str, Any]:
    return {name: value for name, value in asdict(pair).items() if value is not None}


def _rows(study: Study) -> Rows:
    """One line for each score of a run, and for each number of a mean or a pair."""
    yield "what", "data_set", "a", "b", "run", "value", "low", "high", "signature"
    signature = study.signature
    for mean in study.means:
        for run, value in zip(mean.runs, mean.values, strict=True):
            yield "run", mean.data_set, mean.system, "", run, value, None, None, signature
        ends = _ends(mean.interval)
        yield "mean", mean.data_set, mean.system, "", "", mean.mean, *ends, signature
        for what, number_ in (("deviation", mean.deviation), ("error", mean.error)):
            if number_ is not None:
                yield what, mean.data_set, mean.system, "", "", number_, None, None, signature
    both: Sequence[RunPair | FoldPair] = [*study.pairs, *study.folds]
    for pair in both:
        kind = "folds" if isinstance(pair, FoldPair) else "difference"
        own = (pair.data_set, pair.a, pair.b, "")
        yield kind, *own, pair.difference, *_ends(pair.interval), signature
        for what in ("standard_error", "p_value", "p_adjusted", "detectable"):
            number_of: Any = getattr(pair, what, None)
            if number_of is not None:
                yield f"{kind}_{what}", *own, number_of, None, None, signature
        if isinstance(pair, FoldPair):
            for test in FOLD_TESTS:
                yield from _rows_of_test(test, pair, own, signature)
    for each in study.across:
        yield from _rows_across(each, signature)
    for order in study.flips.orders if study.flips else ():
        for name, score in order.scores.items():
            under = order.definition.signature
            yield "definition", "", name, "", "", score.value, None, None, under


def _rows_of_test(test: str, pair: FoldPair, own: Sequence[str], signature: str) -> Rows:
    """The numbers of another test of a pair, if there is one."""
    found = getattr(pair, test)
    if found is None:
        return
    yield test, *own, pair.difference, *_ends(found.interval), signature
    for what in ("standard_error", "p_value", "p_adjusted", "training"):
        number_of = getattr(found, what, None)
        if number_of is not None:
            yield f"{test}_{what}", *own, number_of, None, None, signature


def _rows_across(pair: DataSetPair, signature: str) -> Rows:
    own = ("", pair.a, pair.b, "")
    if pair.meta is not None:
        yield "meta", *own, pair.meta.mean, *_ends(pair.meta.interval), signature
        for what in ("error", "p_value", "tau", "i_square"):
            yield f"meta_{what}", *own, getattr(pair.meta, what), None, None, signature
    for what in ("p_adjusted", "p_wilcoxon", "p_wilcoxon_adjusted", "p_nemenyi"):
        if getattr(pair, what) is not None:
            yield what, *own, getattr(pair, what), None, None, signature


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (interval.low, interval.high) if interval else (None, None)
