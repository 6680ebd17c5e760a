"""The table of a paper: systems × metrics, with the best, and what differs significantly."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import Any, Literal, TypeAlias, Unpack, get_args

from whichf1.comparison.compare import (
    Comparison,
    Runs,
    fitting_decisions,
    made_from,
    planned,
    read_decided,
    read_once,
)
from whichf1.comparison.significance import ADJUSTMENTS, UNPAIRED, Adjust, Plan, level_of
from whichf1.definitions.definition import Definition, define, define_fitting
from whichf1.definitions.options import Options
from whichf1.definitions.signature import names_of, read
from whichf1.definitions.words import sentence, title
from whichf1.errors import DefinitionError, InputError, did_you_mean, is_among, numbered
from whichf1.reporting.comparison import TESTS
from whichf1.reporting.document import (
    Block,
    Cell,
    Document,
    Grid,
    GridColumn,
    Note,
    Presented,
    Rank,
    Rows,
    Signature,
    Standing,
    refuse_whole,
)
from whichf1.reporting.numbers import number, size
from whichf1.reporting.score import SCORE_COLUMNS, score_cells, worth_notes
from whichf1.reporting.slices import WHOLE, plain_key, slice_name
from whichf1.scoring.score import Score
from whichf1.sources.counts import DATA_OPTIONS
from whichf1.sources.request import are_sets, has_columns
from whichf1.statistics.scales import NONE, Interval
from whichf1.tables.records import dataclass
from whichf1.tables.slices import Key

Show: TypeAlias = Literal["value", "interval", "error"]
"""What is shown next to a value: nothing, its interval, or ± half of that."""
MARK = "†"
METRICS = ("averaged_f1", "f1_of_averages", "accuracy")
ADJUSTED = {
    "holm": "adjusted by Holm's method",
    "fdr": "with the false discovery rate controlled",
    "none": "not adjusted",
}
_TIE = 1e-12
LOPSIDED = 2.0
"""If one side of an interval is this many times as long as the other, it is shown instead of ±."""


@dataclass(frozen=True)
class Result:
    """One score of one system, and how it differs from the reference."""

    score: Score
    rank: Rank
    significant: bool
    difference: float | None = None
    """The score minus that of the reference; None for the reference itself."""
    p_value: float | None = None
    p_adjusted: float | None = None
    """The p-value adjusted for all systems compared with the reference, and for all slices."""
    test: str | None = None
    """The test behind the p-value."""
    test_caution: str | None = None
    """Why the test may not keep its level, in a sentence; None if there is no such reason."""
    interval: Interval | None = None
    """The interval of the difference."""


FACTS = ("rank", "difference", "p_value", "p_adjusted", "significant", "test", "test_caution")
"""What JSON and CSV contain about a result besides its score."""


Results: TypeAlias = Mapping[str, Mapping[str, Result]]
"""For each system, the result of each metric."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ResultsTable(Presented):
    """Systems × metrics; returned by ``whichf1.results_table``.

    >>> import whichf1 as wf
    >>> truth = [0, 0, 1, 1, 2, 2]
    >>> table = wf.results_table(truth, {"A": truth, "B": [0, 1, 1, 1, 2, 0]}, ["accuracy"])
    >>> {name: round(row["accuracy"].score, 3) for name, row in table.results.items()}
    {'A': 1.0, 'B': 0.667}
    """

    results: Results
    """For each system, the result of each metric on all items."""
    definitions: Mapping[str, Definition]
    baseline: str | None
    """The system that the others are tested against; None: the best by each metric."""
    adjust: str
    tests: Mapping[str, tuple[str, ...]]
    """The tests behind the p-values, by metric."""
    source: str = ""
    show: Show = "value"
    percent: bool = False
    arrows: bool = True
    by: tuple[str, ...] = ()
    """The columns that define the slices."""
    slices: Mapping[Key, Results] = field(default_factory=dict)
    empty: tuple[Key, ...] = ()
    """Slices in which a metric has nothing to score."""
    remarks: tuple[str, ...] = ()
    """Further notes below the table."""

    @property
    def blocks(self) -> dict[Key | None, Results]:
        """The results on all items (None), then those of each slice."""
        blocks: dict[Key | None, Results] = {None: self.results}
        blocks.update(self.slices)
        return blocks

    def document(self, decimals: int | None = None) -> Document:
        """The table, with the meaning of its marks below it."""
        places = (1 if self.percent else 3) if decimals is None else decimals
        columns = [
            GridColumn("system"),
            *(GridColumn(self._head(x), "number") for x in self.definitions),
        ]
        rows: list[list[Cell]] = [
            [name, *(self._cell(result, places) for result in row.values())]
            for results in self.blocks.values()
            for name, row in results.items()
        ]
        sections = [(self._heading(key), len(x)) for key, x in self.blocks.items()]
        table = Grid(columns, rows, sections=sections if self.by else ())
        blocks: list[Block] = [table, Note(self._footnote(), ranks=True)]
        first = self._scores(next(iter(self.definitions)))[0]
        blocks += map(Note, [*self._test_cautions(), *worth_notes(first.effective_n)])
        for name, definition in self.definitions.items():
            score = self._scores(name)[0]
            said = self._sentence(name)
            blocks.append(Signature(score.signature, title(definition), said, aside=True))
        lacking = "; ".join(map(slice_name, self.empty))
        notes = [*self.remarks, *([f"Nothing to compare in: {lacking}."] if lacking else [])]
        return Document(blocks, self._record, self._rows, self._title(), notes, kind="results")

    def _scores(self, metric: str) -> list[Score]:
        return [row[metric].score for row in self.results.values()]

    def _head(self, metric: str) -> str:
        definition = self.definitions[metric]
        arrow = {"higher": " ↑", "lower": " ↓"}.get(definition.declaration.better, "")
        return f"{title(definition)}{arrow if self.arrows else ''}"

    def _heading(self, key: Key | None) -> str:
        score = next(iter(next(iter(self.blocks[key].values())).values())).score
        return f"{'all' if key is None else slice_name(key)}: {size(score.n)}"

    def _cell(self, result: Result, places: int) -> Cell:
        factor = 100 if self.percent else 1
        if not places and not self.percent and 0 < abs(result.score) < 1:
            refuse_whole(result.score.value)
        score, interval = result.score, result.score.interval
        text, mark = number(factor * score, places), MARK if result.significant else ""
        if interval is None or self.show == "value":
            return Standing(text, result.rank, mark)
        ends = [number(factor * x, places) for x in (interval.low, interval.high)]
        half = number(factor * (interval.high - interval.low) / 2, places)
        whole = self.show == "interval" or _is_lopsided(score)
        beside = f"[{', '.join(ends)}]" if whole else f"± {half}"
        return Standing(text, result.rank, mark, interval.caution, beside)

    def _title(self) -> str:
        score = self._scores(next(iter(self.definitions)))[0]
        lead = f"{self.source}: " if self.source else ""
        slices = numbered(len(self.slices), "slice")
        sliced = f", {slices} by {', '.join(self.by)}" if self.by else ""
        unit = ", in percent" if self.percent else ""
        unpaired = any(UNPAIRED in tests for tests in self.tests.values())
        same = "" if unpaired else "the same "
        return (
            f"{lead}{numbered(len(self.results), 'system')} on {same}{size(score.n)}, "
            f"{numbered(len(score.classes), 'class')}{sliced}{unit}"
        )

    def _sentence(self, metric: str) -> str:
        """The exact definition, the test and the number of items in one sentence."""
        score, definition = self._scores(metric)[0], self.definitions[metric]
        k = None if self.by else len(score.classes)
        words = sentence(definition.settled(interval=None), k).rstrip(".")
        tests = " or ".join(TESTS[test] for test in self.tests[metric])
        tested = f", tested by {tests}" if tests else ""
        method = definition.interval
        shown = method is not None and self.show != "value"
        intervals = f"; intervals by the {method.word} method" if method and shown else ""
        return f"{words}; on {size(score.n)}{tested}{intervals}."

    def _footnote(self) -> str:
        """What the marks mean: the test, its level and its adjustment, and the number of items."""
        first = next(iter(self.definitions))
        score, level = self._scores(first)[0], level_of(self.definitions[first])
        marked = any(
            x.significant
            for results in self.blocks.values()
            for row in results.values()
            for x in row.values()
        )
        against = f"differs from {self.baseline}" if self.baseline else "is worse than the best"
        share = f"{100 * level:g} %"
        beside = {
            "interval": f" [ ]: {share} interval.",
            "error": f" ±: half of the {share} interval.",
        }
        every = [
            x.score for each in self.blocks.values() for r in each.values() for x in r.values()
        ]
        if any(map(_is_lopsided, every)):
            beside["error"] += " [ ]: the whole interval, where it is far from symmetric."
        tests = " or ".join(sorted({test for each in self.tests.values() for test in each}))
        tested = f"a paired test ({tests}) on the same"
        if tests == UNPAIRED:
            tested = "Welch's unpaired t test on"
        each = "Best and second best refer to each block. " if self.by else ""
        return (
            f"{each}{MARK if marked else 'None'} {against} at the {100 * (1 - level):g} % level by "
            f"{tested} {size(score.n)}, "
            f"{ADJUSTED[self.adjust]}{self._family()}."
            f"{beside.get(self.show, '')}"
        )

    def _family(self) -> str:
        """How many tests the p-values are adjusted for: those of the whole, those of slices."""
        others = len(self.results) - 1
        if self.adjust == "none":
            return ""
        comparisons = f" for {numbered(others, 'comparison')} by each metric"
        if not self.by:
            return comparisons
        every = sum(len(results) - 1 for results in self.slices.values())
        return f"{comparisons} on all items, and for {every:,} in all slices together"

    def _test_cautions(self) -> list[str]:
        """Each caution of a test on all items, with its metrics; how many there are in slices."""
        titles: dict[str, dict[str, None]] = {}
        for row in self.results.values():
            for metric, x in row.items():
                if x.test_caution is not None:
                    titles.setdefault(x.test_caution, {})[title(self.definitions[metric])] = None
        notes = [f"Caution ({', '.join(names)}): {text}." for text, names in titles.items()]
        tests = [
            result
            for results in self.slices.values()
            for row in results.values()
            for result in row.values()
            if result.p_value is not None
        ]
        doubtful = sum(x.test_caution is not None for x in tests)
        if doubtful:
            notes.append(
                f"In the slices, {doubtful:,} of {len(tests):,} tests may not keep their level, "
                "because few items decide."
            )
        return notes

    def _record(self) -> dict[str, Any]:
        record: dict[str, Any] = {
            "source": self.source,
            "baseline": self.baseline,
            "adjust": self.adjust,
            "tests": sorted({test for each in self.tests.values() for test in each}),
            "metrics": {
                name: {
                    "title": title(x),
                    "better": x.declaration.better,
                    "definition": x.signature,
                    "tests": list(self.tests[name]),
                    "words": self._sentence(name),
                }
                for name, x in self.definitions.items()
            },
            "systems": _fields_of(self.results),
        }
        if self.by:
            record |= {
                "by": list(self.by),
                "slices": [
                    {"slice": self._named(key), "systems": _fields_of(results)}
                    for key, results in self.slices.items()
                ],
                "nothing_to_score_in": [slice_name(key) for key in self.empty],
            }
        return record

    def _named(self, key: Key) -> dict[str, Any]:
        return dict(zip(self.by, map(plain_key, key), strict=True))

    def _rows(self) -> Rows:
        yield [*self.by, "system", "metric", *SCORE_COLUMNS, *FACTS, "n", "signature"]
        for key, results in self.blocks.items():
            for name, row in results.items():
                for metric, x in row.items():
                    facts = (getattr(x, fact) for fact in FACTS)
                    told = [*score_cells(x.score), *facts, x.score.n, x.score.signature]
                    yield [*self._values_of(key), name, metric, *told]

    def _values_of(self, key: Key | None) -> list[Any]:
        return [WHOLE] * len(self.by) if key is None else [plain_key(value) for value in key]

    def to_pandas(self) -> Any:
        """The values as a DataFrame: systems × metrics, with slices in the index."""
        import pandas as pd

        columns = self._values()
        keys = [columns.pop(name) for name in (*self.by, "system")]
        names = [*self.by, "system"]
        several = pd.MultiIndex.from_arrays(keys, names=names) if self.by else None
        return pd.DataFrame(
            columns, index=pd.Index(keys[0], name="system") if several is None else several
        )

    def to_polars(self) -> Any:
        """The values as a polars DataFrame, with a column of systems, and one of each slice."""
        import polars as pl

        return pl.DataFrame(self._values())

    def _values(self) -> dict[str, list[Any]]:
        """The columns of a table: slices, systems, and the value by each metric."""
        rows = [
            [*map(str, self._values_of(key)), name, *(x.score.value for x in row.values())]
            for key, results in self.blocks.items()
            for name, row in results.items()
        ]
        names = [*self.by, "system", *self.definitions]
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _fields_of(results: Results) -> dict[str, Any]:
    return {
        name: {
            metric: {**x.score.to_dict(), **{fact: getattr(x, fact) for fact in FACTS}}
            for metric, x in row.items()
        }
        for name, row in results.items()
    }


def results_table(  # type: ignore[misc]  # as in compare
    y_true: Any,
    systems: Mapping[str, Any] | Sequence[str],
    metrics: Sequence[str] = METRICS,
    *,
    baseline: str | None = None,
    adjust: Adjust = "holm",
    show: Show = "value",
    percent: bool = False,
    arrows: bool = True,
    by: str | Sequence[str] = (),
    level: float | None = None,
    replicates: int | None = None,
    seed: int | None = None,
    threshold: float | None = None,
    **options: Unpack[Options],
) -> ResultsTable:
    """Systems × metrics for a paper: the best in bold, the second underlined, tests, definitions.

    systems: The predictions or scores of each system by name; for a dataframe or file, the names of
        its columns.
    metrics: Names, shorthands or signatures; all of predictions, or all of scores.
    baseline: The system that the others are tested against. Default: the best by each metric.
    adjust: The adjustment of p-values for the systems of a column: 'holm', 'fdr' or 'none'.
    show: What to show with each value: 'value' alone, 'interval', or 'error' for ± half of it.
    percent: Whether values are shown in percent.
    arrows: Whether an arrow next to each metric shows if higher or lower is better.
    by: Columns of the dataframe or file: a block of rows for each of their values, on the classes
        that occur in it. The p-values of all slices are adjusted together.
    level: The level of the intervals. Default: 0.95.
    replicates, seed: The number of resamples and the seed, for metrics that need resampling.
    threshold: Systems have scores of the positive class, and items with at least this score are
        predicted as positive.
    **options: Options of the metrics, used where they apply, and ``labels``, ``weights``,
        ``cluster`` and ``true``.
    Returns: The table, which prints and has ``to_markdown``, ``to_latex``, ``to_html`` and more.
    DefinitionError: If a metric is unknown or named twice, or an option applies to none.
    InputError: If the data cannot be read, or the baseline is not one of the systems.

    >>> truth = [0, 0, 1, 1, 2, 2]
    >>> table = results_table(truth, {"A": truth, "B": [0, 1, 1, 1, 2, 0]}, ["accuracy", "mcc"])
    >>> print(table.to_csv().splitlines()[1][:15])
    A,accuracy,1.0,
    """
    chosen = {key: value for key, value in options.items() if key not in DATA_OPTIONS}
    planning = {"replicates": replicates, "seed": seed, "adjust": adjust}
    shown: dict[str, Any] = {"show": show, "percent": percent, "arrows": arrows}
    if threshold is not None:
        fitting = fitting_decisions(names_of(metrics), chosen)
        runs = read_decided(y_true, systems, threshold, chosen.get("positive"), options, by)
        return make_table(plan_each(metrics, fitting, level, planning), runs, baseline, **shown)
    columns = isinstance(options.get("true"), (list, tuple)) or options.get("sep") is not None
    sets = columns or (not has_columns(y_true) and are_sets(y_true))
    plans = plan_each(metrics, chosen, level, planning, sets=sets)
    runs = read_once(next(iter(plans.values()))[0], y_true, systems, options, by)
    return make_table(plans, runs, baseline, **shown)


def _is_lopsided(score: Score) -> bool:
    """Whether ± half of the interval would mislead: it leaves the bounds, or is far from it."""
    interval = score.interval
    if interval is None:
        return False
    low, high = score.definition.bounds
    half = (interval.high - interval.low) / 2
    if score.value - half < low - NONE or score.value + half > high + NONE:
        return True
    sides = sorted((score.value - interval.low, interval.high - score.value))
    return sides[1] > LOPSIDED * sides[0]


Plans: TypeAlias = Mapping[str, tuple[Definition, Plan]]


def plan_each(
    metrics: Sequence[str],
    options: dict[str, Any],
    level: float | None,
    planning: dict[str, Any],
    *,
    sets: bool = False,
) -> Plans:
    """The definition and the plan of each metric; every option must apply to one of them.

    ``sets``: items have sets of labels.
    """
    plans: dict[str, tuple[Definition, Plan]] = {}
    kinds: dict[bool, str] = {}
    metrics = names_of(metrics)
    for metric in metrics:
        settled = read(metric)[2]
        fitting = metric if settled else define_fitting(metric, options, sets=sets).signature
        smooth = define(read(metric)[0], read(metric)[1]).declaration.smooth
        settings = dict(planning)
        if settings.get("replicates") is None and smooth:
            settings["replicates"] = 0
        definition, plan = planned(fitting, {}, level, settings)
        if metric in plans:
            raise DefinitionError(f"{metric} is named twice: name each metric once")
        plans[metric] = definition, plan
        kinds.setdefault(made_from(definition.declaration)[0], metric)
    if len(kinds) > 1:
        raise DefinitionError(
            f"{kinds[True]} is computed from predictions and {kinds[False]} from scores: make a "
            "table of each"
        )
    drawn = planning.get("replicates") or planning.get("seed") is not None
    if drawn and all(definition.declaration.smooth for definition, _ in plans.values()):
        raise DefinitionError(
            "replicates= and seed= (--replicates, --seed) are for metrics that are resampled, "
            "which "
            f"{', '.join(metrics)} are not: remove them"
        )
    for key, value in options.items():
        wanted = tuple(value) if isinstance(value, list) else value
        if not any(getattr(definition, key, None) == wanted for definition, _ in plans.values()):
            raise DefinitionError(f"{key}= does not apply to {', '.join(metrics)}")
    return plans


def make_table(plans: Plans, runs: Runs, baseline: str | None, **shown: Any) -> ResultsTable:
    """Compare the systems under each definition, and put the results side by side."""
    if not is_among(shown["show"], get_args(Show)):
        raise InputError(f"show must be 'value', 'interval' or 'error'; got {shown['show']!r}")
    compared = {metric: runs.whole(*plan) for metric, plan in plans.items()}
    _refuse_equal(compared)
    systems = [*next(iter(compared.values())).scores]
    if baseline is not None and not is_among(baseline, systems):
        hint = did_you_mean(baseline, systems)
        raise InputError(f"the baseline {baseline!r} is not one of the systems. {hint}")
    sliced: dict[Key, dict[str, Comparison]] = {}
    for key, run in runs.slices.items():
        with suppress(InputError):  # it may lack some of the classes
            sliced[key] = {
                metric: run(replace(definition, data=()), plan)
                for metric, (definition, plan) in plans.items()
            }
    every = [*compared.values(), *(x for each in sliced.values() for x in each.values())]
    return ResultsTable(
        results=_results([compared], baseline)[0],
        definitions={metric: _definition(x) for metric, x in compared.items()},
        baseline=baseline,
        adjust=every[0].plan.adjust,
        tests={metric: _tests(compared[metric]) for metric in compared},
        by=runs.by,
        slices=dict(zip(sliced, _results([*sliced.values()], baseline), strict=True)),
        empty=tuple(key for key in runs.slices if key not in sliced),
        **shown,
    )


def _definition(comparison: Comparison) -> Definition:
    return next(iter(comparison.scores.values())).definition


def _tests(comparison: Comparison) -> tuple[str, ...]:
    return tuple(sorted({pair.test for pair in comparison.pairs if pair.test is not None}))


def _refuse_equal(compared: Mapping[str, Comparison]) -> None:
    """Raise if two metrics have the same definition on these data."""
    signatures: dict[str, str] = {}
    for metric, comparison in compared.items():
        signature = next(iter(comparison.scores.values())).signature
        other = signatures.setdefault(signature, metric)
        if other != metric:
            raise DefinitionError(
                f"{metric} is the same as {other} on these data: name each metric once"
            )


def _results(
    blocks: Sequence[Mapping[str, Comparison]], baseline: str | None
) -> list[Mapping[str, Mapping[str, Result]]]:
    """The results of each block by system and metric; all p-values of a metric are one family."""
    columns: list[dict[str, dict[str, Result]]] = [{} for _ in blocks]
    for metric in blocks[0] if blocks else ():
        compared = [block[metric] for block in blocks]
        for column, tested in zip(columns, _tested(compared, baseline), strict=True):
            column[metric] = tested
    return [
        {
            name: {metric: each[metric][name] for metric in each}
            for name in next(iter(each.values()))
        }
        for each in columns
    ]


def _tested(compared: Sequence[Comparison], baseline: str | None) -> list[dict[str, Result]]:
    """The results of one metric on each block, with p-values adjusted for all of them."""
    columns = [_column(comparison, baseline) for comparison in compared]
    every = [(column, name) for column in columns for name in column]
    p_values = [column[name].p_value for column, name in every]
    adjusted = ADJUSTMENTS[compared[0].plan.adjust](p_values)
    limit = 1 - level_of(compared[0].definition)
    for (column, name), p in zip(every, adjusted, strict=True):
        apart = p is not None and p < limit
        column[name] = replace(column[name], p_adjusted=p, significant=apart)
    return columns


def _column(comparison: Comparison, baseline: str | None) -> dict[str, Result]:
    """The results by one metric, in the order of the systems, before p-values are adjusted."""
    scores = comparison.scores
    reference = comparison.ranking[0] if baseline is None else baseline
    pairs = {
        ({pair.a, pair.b} - {reference}).pop(): pair
        for pair in comparison.pairs
        if reference in (pair.a, pair.b)
    }
    ranks = _ranks(comparison)
    column = {}
    for name, score in scores.items():
        result = Result(score, ranks.get(name, ""), significant=False)
        if name in pairs:
            pair, between = pairs[name], pairs[name].interval
            if pair.a == reference and between is not None:
                between = replace(between, low=-between.high, high=-between.low)
            result = replace(
                result,
                difference=score - scores[reference].value,
                p_value=pair.p_value,
                test=pair.test,
                test_caution=pair.caution,
                interval=between,
            )
        column[name] = result
    return column


def _ranks(comparison: Comparison) -> dict[str, Rank]:
    """The best systems and the second best; systems with the same score share a place."""
    ranks: dict[str, Rank] = {}
    places: list[Rank] = ["best", "second"]
    before, at = math.nan, -1
    for name in comparison.ranking:
        value = comparison.scores[name].value
        at += not abs(value - before) <= _TIE
        if math.isnan(value) or at >= len(places):
            break
        ranks[name], before = places[at], value
    return ranks
