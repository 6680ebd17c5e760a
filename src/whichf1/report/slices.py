"""The report of ``whichf1 score --by``: slices beside the whole, worst first."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from whichf1.definitions.definition import Definition
from whichf1.definitions.words import sentence
from whichf1.errors import InputError
from whichf1.report.document import Cell, Document, Grid, GridColumn, Rows, exact, items, signed
from whichf1.report.score import SCORE_COLUMNS, score_cells, score_fields
from whichf1.scoring.score import Score
from whichf1.tables.slices import Key

T = TypeVar("T")
WIDE = 0.1
"""An interval wider than this fraction of the metric's range says little."""
FEW = 10
"""With fewer items per class, intervals cover the truth too rarely (docs/intervals.md)."""
SMALL = "too small to tell"
WHOLE = "(whole)"
"""Stands in place of a slice's values in the row of all items."""
NOTE = (
    "below, above: the slice's interval excludes the score of the whole; near: it includes it; "
    f"{SMALL}: fewer than {FEW} items per class, no interval, or one wider than {WIDE:g} that "
    "includes it. Each slice is judged on its own: with many slices, some differ by chance."
)


@dataclass(frozen=True)
class SliceScore:
    """The score of one slice."""

    key: Key
    score: Score
    gap: float
    """The slice's score minus that of the whole."""
    verdict: str
    """'below', 'above', 'near' or 'too small to tell'."""


@dataclass(frozen=True)
class SlicesOf:
    """One metric on the whole and on every slice, worst first."""

    name: str
    whole: Score
    rows: tuple[SliceScore, ...]


@dataclass(frozen=True)
class SliceReport:
    """Some metrics on every slice."""

    source: str
    by: tuple[str, ...]
    metrics: tuple[SlicesOf, ...]
    empty: tuple[Key, ...]
    """Slices with nothing to score: all items ignored, or of weight 0."""


def slice_report(
    source: str,
    by: Sequence[str],
    whole: T,
    parts: Mapping[Key, T],
    definitions: Sequence[tuple[str, Definition]],
    score: Callable[[Definition, T], Score],
) -> SliceReport:
    """Score the whole and every slice."""
    empty: dict[Key, None] = {}
    metrics = []
    for name, definition in definitions:
        of_whole = score(definition, whole)
        plain = replace(definition, data=())  # what a signature says of its data is of the whole
        rows = []
        for key, part in parts.items():
            try:
                of_slice = score(plain, part)
            except InputError:  # a slice may lack what the whole has
                empty[key] = None
                continue
            gap = of_slice.value - of_whole.value
            rows.append(SliceScore(key, of_slice, gap, _verdict(of_slice, of_whole)))
        metrics.append(SlicesOf(name, of_whole, tuple(sorted(rows, key=_worst_first))))
    return SliceReport(source, tuple(by), tuple(metrics), tuple(empty))


def _worst_first(row: SliceScore) -> tuple[bool, float]:
    lower = row.score.definition.declaration.better == "lower"
    return math.isnan(row.gap), -row.gap if lower else row.gap


def _verdict(score: Score, whole: Score) -> str:
    interval = score.interval
    few = score.n < FEW * len(score.classes)
    if interval is None or math.isnan(whole.value) or few:
        return SMALL
    if not interval.low <= whole.value <= interval.high:
        return "below" if score.value < whole.value else "above"
    low, high = score.definition.declaration.bounds
    wide = interval.high - interval.low > WIDE * (high - low if math.isfinite(high) else 1)
    return SMALL if wide else "near"


def _name(key: Key) -> str:
    return ", ".join("(missing)" if value is None else str(value) for value in key)


def slice_document(report: SliceReport) -> Document:
    """The report as a document: a table for each metric."""
    n = report.metrics[0].whole.n
    slices = len({*report.empty, *(row.key for each in report.metrics for row in each.rows)})
    size = f"{items(n)} items" if isinstance(n, int) else f"weight {items(n)}"
    return Document(
        [_table(metric) for metric in report.metrics],
        partial(_record, report),
        partial(_rows, report),
        f"{report.source}: {size} in {slices:,} slices by {', '.join(report.by)}",
        _notes(report),
    )


def _notes(report: SliceReport) -> list[str]:
    lacking = ", ".join(map(_name, report.empty))
    return [NOTE, *([f"Nothing to score in: {lacking}"] if lacking else [])]


COLUMNS = (
    GridColumn("slice"),
    GridColumn("items", "number", items),
    GridColumn("classes", "number"),
    GridColumn("value", "number"),
    GridColumn("interval", "interval"),
    GridColumn("gap", "number", signed),
    GridColumn("verdict"),
    GridColumn("signature", "code"),
)


def _table(metric: SlicesOf) -> Grid:
    lines: list[tuple[str, Score, Cell, str]] = [(WHOLE, metric.whole, "", "")]
    lines += [(_name(x.key), x.score, x.gap, x.verdict) for x in metric.rows]
    rows = [
        [name, x.n, len(x.classes), x.value, x.interval, gap, verdict, x.signature]
        for name, x, gap, verdict in lines
    ]
    return Grid(COLUMNS, rows, metric.name, sentences=lambda: _sentences(metric))


def _sentences(metric: SlicesOf) -> list[str]:
    whole = f"{WHOLE}: {sentence(metric.whole.definition)}"
    return [whole, *(f"{_name(row.key)}:" for row in metric.rows)]


def _record(report: SliceReport) -> dict[str, Any]:
    return {
        "source": report.source,
        "by": list(report.by),
        "metrics": [
            {
                "name": metric.name,
                "whole": score_fields(metric.whole),
                "slices": [
                    {
                        "slice": dict(zip(report.by, map(_plain, row.key), strict=True)),
                        **score_fields(row.score),
                        "gap": row.gap,
                        "verdict": row.verdict,
                    }
                    for row in metric.rows
                ],
            }
            for metric in report.metrics
        ],
        "nothing to score in": [_name(key) for key in report.empty],
        "notes": _notes(report),
    }


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def _rows(report: SliceReport) -> Rows:
    """One line per number; the whole comes before its slices."""
    yield ["name", *report.by, *SCORE_COLUMNS, "gap", "verdict", "n", "signature"]
    for metric in report.metrics:
        whole = metric.whole
        values: list[Any] = [WHOLE] * len(report.by)
        yield [metric.name, *values, *score_cells(whole), None, None, whole.n, whole.signature]
        for row in metric.rows:
            values, score = [_plain(value) for value in row.key], row.score
            judged = [exact(row.gap), row.verdict]
            yield [metric.name, *values, *score_cells(score), *judged, score.n, score.signature]
