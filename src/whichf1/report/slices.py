"""The report of ``whichf1 score --by``: slices beside the whole, worst first."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

from whichf1.definitions.definition import Definition
from whichf1.definitions.words import sentence
from whichf1.errors import InputError
from whichf1.report.document import (
    Cell,
    Document,
    Grid,
    GridColumn,
    Rows,
    exact,
    items,
    signed,
    size,
)
from whichf1.report.score import SCORE_COLUMNS, score_cells, score_fields
from whichf1.scoring.score import Score
from whichf1.tables.slices import Key

Scorer: TypeAlias = Callable[[Definition], Score]
"""Scores the whole, or one slice."""
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
    """The score of one slice, or of all items."""

    key: Key | None
    """None for all items."""
    score: Score
    gap: float = math.nan
    """The slice's score minus that of the whole."""
    verdict: str | None = None
    """'below', 'above', 'near' or 'too small to tell'."""


@dataclass(frozen=True)
class SliceReport:
    """Some metrics on every slice."""

    source: str
    by: Sequence[str]
    metrics: Sequence[tuple[str, list[SliceScore]]]
    """Each metric's name and scores: the whole, then the slices, worst first."""
    empty: Sequence[Key]
    """Slices with nothing to score: all items ignored, or of weight 0."""

    @property
    def notes(self) -> list[str]:
        """What the verdicts mean, and what could not be scored."""
        lacking = ", ".join(map(_name, self.empty))
        return [NOTE, *([f"Nothing to score in: {lacking}"] if lacking else [])]


def slice_document(
    source: str,
    by: Sequence[str],
    definitions: Sequence[tuple[str, Definition]],
    whole: Scorer,
    slices: Mapping[Key, Scorer],
) -> Document:
    """Score the whole and every slice: a table for each metric."""
    empty: dict[Key, None] = {}
    metrics = [(name, _scored(each, whole, slices, empty)) for name, each in definitions]
    report = SliceReport(source, by, metrics, [*empty])
    n = metrics[0][1][0].score.n
    return Document(
        [_table(*metric) for metric in metrics],
        partial(_record, report),
        partial(_rows, report),
        f"{source}: {size(n)} in {len(slices):,} slices by {', '.join(by)}",
        report.notes,
    )


def _scored(
    definition: Definition, whole: Scorer, slices: Mapping[Key, Scorer], empty: dict[Key, None]
) -> list[SliceScore]:
    """The whole, then the slices; those with nothing to score are added to ``empty``."""
    of_whole, scored = whole(definition), []
    plain = replace(definition, data=())  # what a signature says of its data is of the whole
    for key, score in slices.items():
        try:
            of_slice = score(plain)
        except InputError:  # a slice may lack what the whole has
            empty[key] = None
            continue
        gap = of_slice.value - of_whole.value
        scored.append(SliceScore(key, of_slice, gap, _verdict(of_slice, of_whole)))
    sign = -1 if definition.declaration.better == "lower" else 1
    scored.sort(key=lambda row: (math.isnan(row.gap), sign * row.gap))
    return [SliceScore(None, of_whole), *scored]


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


def _name(key: Key | None) -> str:
    if key is None:
        return WHOLE
    return ", ".join("(missing)" if value is None else str(value) for value in key)


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


def _table(name: str, scored: Sequence[SliceScore]) -> Grid:
    rows: list[list[Cell]] = []
    for row in scored:
        x, judged = row.score, ["", ""] if row.key is None else [row.gap, row.verdict]
        cells = [_name(row.key), x.n, len(x.classes), x.value, x.interval, *judged, x.signature]
        rows.append(cells)
    whole, *slices = scored
    said = [f"{WHOLE}: {sentence(whole.score.definition)}", *(f"{_name(x.key)}:" for x in slices)]
    return Grid(COLUMNS, rows, name, sentences=said)


def _record(report: SliceReport) -> dict[str, Any]:
    return {
        "source": report.source,
        "by": list(report.by),
        "metrics": [
            {
                "name": name,
                "whole": score_fields(whole.score),
                "slices": [
                    {
                        "slice": dict(zip(report.by, _values(report, row.key), strict=True)),
                        **score_fields(row.score),
                        "gap": row.gap,
                        "verdict": row.verdict,
                    }
                    for row in slices
                ],
            }
            for name, (whole, *slices) in report.metrics
        ],
        "nothing to score in": [_name(key) for key in report.empty],
        "notes": report.notes,
    }


def _values(report: SliceReport, key: Key | None) -> list[Any]:
    """The values of a slice as JSON and CSV hold them."""
    if key is None:
        return [WHOLE] * len(report.by)
    return [x if x is None or isinstance(x, (bool, int, str)) else str(x) for x in key]


def _rows(report: SliceReport) -> Rows:
    """One line per number; the whole comes before its slices."""
    yield ["name", *report.by, *SCORE_COLUMNS, "gap", "verdict", "n", "signature"]
    for name, scored in report.metrics:
        for row in scored:
            score, gap = row.score, None if row.key is None else exact(row.gap)
            cells = [*_values(report, row.key), *score_cells(score), gap, row.verdict]
            yield [name, *cells, score.n, score.signature]
