"""The table of a paper: systems × metrics, with the best, and what differs significantly."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, Unpack, get_args

from whichf1.comparison.compare import Comparison, Run, made_from, planned, read_once
from whichf1.comparison.pair import Plan, level_of
from whichf1.comparison.significance import ADJUSTMENTS, Adjust
from whichf1.definitions.definition import Definition, define, define_fitting
from whichf1.definitions.options import Options
from whichf1.definitions.signature import names_of, read
from whichf1.definitions.words import sentence, title
from whichf1.errors import DefinitionError, InputError, did_you_mean
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
)
from whichf1.reporting.numbers import number, size
from whichf1.reporting.score import SCORE_COLUMNS, score_cells, worth_notes
from whichf1.scoring.score import Score
from whichf1.sources.counts import DATA_OPTIONS

Show: TypeAlias = Literal["value", "interval", "error"]
"""What stands beside a value: nothing, its interval, or ± half of that."""
MARK = "†"
METRICS = ("averaged_f1", "f1_of_averages", "accuracy")
ADJUSTED = {
    "holm": "adjusted by Holm's method",
    "fdr": "with the false discovery rate controlled",
    "none": "not adjusted",
}
_TIE = 1e-12


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
    """Adjusted for all systems that are compared with the reference."""
    test: str | None = None
    """The test that gives the p-value."""
    test_caution: str | None = None
    """Why the test may not keep its level, in a sentence; None if nothing speaks against it."""


FACTS = ("rank", "difference", "p_value", "p_adjusted", "significant", "test", "test_caution")
"""What JSON and CSV say of a result besides its score."""


@dataclass(frozen=True, eq=False)
class ResultsTable(Presented):
    """Systems × metrics; made by ``whichf1.results_table``.

    >>> import whichf1 as wf
    >>> truth = [0, 0, 1, 1, 2, 2]
    >>> table = wf.results_table(truth, {"A": truth, "B": [0, 1, 1, 1, 2, 0]}, ["accuracy"])
    >>> {name: round(row["accuracy"].score, 3) for name, row in table.results.items()}
    {'A': 1.0, 'B': 0.667}
    """

    results: Mapping[str, Mapping[str, Result]]
    """For each system, the result of each metric."""
    definitions: Mapping[str, Definition]
    baseline: str | None
    """The system that the others are tested against; None: the best by each metric."""
    adjust: str
    tests: tuple[str, ...]
    source: str = ""
    show: Show = "value"
    percent: bool = False

    def document(self, decimals: int | None = None) -> Document:
        """The table, with what its marks mean below it."""
        places = (1 if self.percent else 3) if decimals is None else decimals
        columns = [
            GridColumn("system"),
            *(GridColumn(self._head(x), "number") for x in self.definitions),
        ]
        rows: list[list[Cell]] = [
            [name, *(self._cell(result, places) for result in row.values())]
            for name, row in self.results.items()
        ]
        blocks: list[Block] = [Grid(columns, rows), Note(self._footnote(), ranks=True)]
        first = self._scores(next(iter(self.definitions)))[0]
        blocks += map(Note, [*self._test_cautions(), *worth_notes(first.effective_n)])
        for name, definition in self.definitions.items():
            score = self._scores(name)[0]
            said = sentence(definition, len(score.classes), score.n)
            blocks.append(Signature(score.signature, title(definition), said, aside=True))
        return Document(blocks, self._record, self._rows, self._title(), kind="results")

    def _scores(self, metric: str) -> list[Score]:
        return [row[metric].score for row in self.results.values()]

    def _head(self, metric: str) -> str:
        definition = self.definitions[metric]
        arrow = {"higher": " ↑", "lower": " ↓"}.get(definition.declaration.better, "")
        return f"{title(definition)}{arrow}"

    def _cell(self, result: Result, places: int) -> Cell:
        factor = 100 if self.percent else 1
        score, interval = result.score, result.score.interval
        text, caution = number(factor * score, places), None
        if interval is not None and self.show != "value":
            caution = interval.caution
        if interval is not None and self.show == "interval":
            text += (
                f" [{', '.join(number(factor * x, places) for x in (interval.low, interval.high))}]"
            )
        elif interval is not None and self.show == "error":
            text += f" ± {number(factor * (interval.high - interval.low) / 2, places)}"
        return Standing(text, result.rank, MARK if result.significant else "", caution)

    def _title(self) -> str:
        score = self._scores(next(iter(self.definitions)))[0]
        lead = f"{self.source}: " if self.source else ""
        unit = ", in percent" if self.percent else ""
        return (
            f"{lead}{len(self.results):,} systems on the same {size(score.n)}, "
            f"{len(score.classes):,} classes{unit}"
        )

    def _footnote(self) -> str:
        """What the marks mean: the test, its level and its adjustment, and the number of items."""
        first = next(iter(self.definitions))
        score, level = self._scores(first)[0], level_of(self.definitions[first])
        others = len(self.results) - 1
        marked = any(x.significant for row in self.results.values() for x in row.values())
        against = f"differs from {self.baseline}" if self.baseline else "is worse than the best"
        share = f"{100 * level:g} %"
        beside = {
            "interval": f" [ ]: {share} interval.",
            "error": f" ±: half of the {share} interval.",
        }
        return (
            f"{MARK if marked else 'None'} {against} at the {100 * (1 - level):g} % level by a "
            f"paired test ({' or '.join(self.tests)}) on the same {size(score.n)}, "
            f"{ADJUSTED[self.adjust]} for {others:,} "
            f"comparison{'s' if others > 1 else ''} by each metric."
            f"{beside.get(self.show, '')}"
        )

    def _test_cautions(self) -> list[str]:
        """Each caution of a test, with the metrics that it is for."""
        titles: dict[str, dict[str, None]] = {}
        for row in self.results.values():
            for metric, x in row.items():
                if x.test_caution is not None:
                    titles.setdefault(x.test_caution, {})[title(self.definitions[metric])] = None
        return [f"Caution ({', '.join(names)}): {text}." for text, names in titles.items()]

    def _record(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "baseline": self.baseline,
            "adjust": self.adjust,
            "tests": list(self.tests),
            "metrics": {
                name: {"title": title(x), "better": x.declaration.better, "definition": x.signature}
                for name, x in self.definitions.items()
            },
            "systems": {
                name: {metric: _fields(result) for metric, result in row.items()}
                for name, row in self.results.items()
            },
        }

    def _rows(self) -> Rows:
        yield ["system", "metric", *SCORE_COLUMNS, *FACTS, "n", "signature"]
        for name, row in self.results.items():
            for metric, x in row.items():
                facts = (getattr(x, fact) for fact in FACTS)
                yield [name, metric, *score_cells(x.score), *facts, x.score.n, x.score.signature]

    def to_pandas(self) -> Any:
        """The values as a DataFrame: systems × metrics."""
        import pandas as pd

        return pd.DataFrame(self._values(), index=pd.Index(self.results, name="system"))

    def to_polars(self) -> Any:
        """The values as a polars DataFrame, with a column of systems."""
        import polars as pl

        return pl.DataFrame({"system": list(self.results), **self._values()})

    def _values(self) -> dict[str, list[float]]:
        return {name: [x.value for x in self._scores(name)] for name in self.definitions}


def _fields(result: Result) -> dict[str, Any]:
    return {**result.score.to_dict(), **{fact: getattr(result, fact) for fact in FACTS}}


def results_table(
    y_true: Any,
    systems: Mapping[str, Any] | Sequence[str],
    metrics: Sequence[str] = METRICS,
    *,
    baseline: str | None = None,
    adjust: Adjust = "holm",
    show: Show = "value",
    percent: bool = False,
    level: float | None = None,
    replicates: int | None = None,
    seed: int | None = None,
    sep: str | None = None,
    **options: Unpack[Options],
) -> ResultsTable:
    """Systems × metrics for a paper: the best in bold, the second underlined, tests, definitions.

    systems: The predictions or scores of each system by name; for a dataframe or file, the names of
        its columns.
    metrics: Names, shorthands or signatures; all of predictions, or all of scores.
    baseline: The system that the others are tested against. Default: the best by each metric.
    adjust: The adjustment of p-values for the systems of a column: 'holm', 'fdr' or 'none'.
    show: What stands beside a value: 'value' alone, 'interval', or 'error' for ± half of it.
    percent: Whether values are shown in percent.
    level: The level of the intervals. Default: 0.95.
    replicates: Also resample so often; by default only for metrics that need it.
    **options: Options of the metrics, used where they apply, and ``labels``, ``weights``,
        ``cluster`` and ``true``.
    Returns: The table, which prints and has ``to_markdown``, ``to_latex``, ``to_html`` and more.
    DefinitionError: If a metric is unknown or given twice, or an option applies to none.
    InputError: If the data cannot be read, or the baseline is not one of the systems.

    >>> truth = [0, 0, 1, 1, 2, 2]
    >>> table = results_table(truth, {"A": truth, "B": [0, 1, 1, 1, 2, 0]}, ["accuracy", "mcc"])
    >>> print(table.to_csv().splitlines()[1][:15])
    A,accuracy,1.0,
    """
    chosen = {key: value for key, value in options.items() if key not in DATA_OPTIONS}
    plans = plan_each(
        metrics, chosen, level, {"replicates": replicates, "seed": seed, "adjust": adjust}
    )
    run = read_once(next(iter(plans.values()))[0], y_true, systems, sep, options)
    return make_table(plans, run, baseline=baseline, show=show, percent=percent)


Plans: TypeAlias = Mapping[str, tuple[Definition, Plan]]


def plan_each(
    metrics: Sequence[str], options: dict[str, Any], level: float | None, given: dict[str, Any]
) -> Plans:
    """The definition and the plan of each metric; every option must apply to one of them."""
    plans: dict[str, tuple[Definition, Plan]] = {}
    kinds: dict[bool, str] = {}
    metrics = names_of(metrics)
    for metric in metrics:
        fitting = metric if read(metric)[2] else define_fitting(metric, options).signature
        smooth = define(read(metric)[0], read(metric)[1]).declaration.smooth
        own = dict(given)
        if own.get("replicates") is None and smooth:
            own["replicates"] = 0
        definition, plan = planned(fitting, {}, level, own)
        if metric in plans:
            raise DefinitionError(f"{metric} is given twice: name each metric once")
        plans[metric] = definition, plan
        kinds.setdefault(made_from(definition.declaration)[0], metric)
    if len(kinds) > 1:
        raise DefinitionError(
            f"{kinds[True]} is computed from predictions and {kinds[False]} from scores: make a "
            "table of each"
        )
    for key, value in options.items():
        wanted = tuple(value) if isinstance(value, list) else value
        if not any(getattr(definition, key, None) == wanted for definition, _ in plans.values()):
            raise DefinitionError(f"{key}= does not apply to {', '.join(metrics)}")
    return plans


def make_table(
    plans: Plans, run: Run, *, baseline: str | None, show: Show, percent: bool, source: str = ""
) -> ResultsTable:
    """Compare the systems under each definition, and put the results side by side."""
    if show not in get_args(Show):
        raise InputError(f"show must be 'value', 'interval' or 'error'; got {show!r}")
    columns: dict[str, dict[str, Result]] = {}
    definitions: dict[str, Definition] = {}
    signatures: dict[str, str] = {}
    tests: dict[str, None] = {}
    plan = Plan()
    for metric, (definition, plan) in plans.items():
        comparison = run(definition, plan)
        if baseline is not None and baseline not in comparison.scores:
            hint = did_you_mean(baseline, list(comparison.scores))
            raise InputError(f"the baseline {baseline!r} is not one of the systems. {hint}")
        columns[metric] = _column(comparison, baseline)
        signature = next(iter(comparison.scores.values())).signature
        other = signatures.setdefault(signature, metric)
        if other != metric:
            raise DefinitionError(f"{metric} is {other} on these data: name each metric once")
        definitions[metric] = next(iter(comparison.scores.values())).definition
        tests |= {pair.test: None for pair in comparison.pairs if pair.test is not None}
    systems = next(iter(columns.values()))
    results = {name: {metric: columns[metric][name] for metric in columns} for name in systems}
    order = sorted(tests)
    return ResultsTable(
        results, definitions, baseline, plan.adjust, tuple(order), source, show, percent
    )


def _column(comparison: Comparison, baseline: str | None) -> dict[str, Result]:
    """The results by one metric, in the order of the systems."""
    scores = comparison.scores
    reference = comparison.ranking[0] if baseline is None else baseline
    pairs = {
        ({pair.a, pair.b} - {reference}).pop(): pair
        for pair in comparison.pairs
        if reference in (pair.a, pair.b)
    }
    adjusted = ADJUSTMENTS[comparison.plan.adjust]([pair.p_value for pair in pairs.values()])
    p_adjusted = dict(zip(pairs, adjusted, strict=True))
    limit = 1 - level_of(comparison.definition)
    ranks = _ranks(comparison)
    column = {}
    for name, score in scores.items():
        pair, p = pairs.get(name), p_adjusted.get(name)
        column[name] = Result(score, ranks.get(name, ""), p is not None and p < limit)
        if pair is not None:
            column[name] = replace(
                column[name],
                difference=score - scores[reference].value,
                p_value=pair.p_value,
                p_adjusted=p,
                test=pair.test,
                test_caution=pair.caution,
            )
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
