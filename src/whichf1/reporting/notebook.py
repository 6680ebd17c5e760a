"""Results in a notebook: a document of each as HTML that follows light and dark themes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from shutil import get_terminal_size
from typing import Any

from whichf1.comparison.compare import Comparison
from whichf1.comparison.disparity import Disparity, Groups
from whichf1.comparison.rank_flips import SystemRanks
from whichf1.comparison.study import Study
from whichf1.definitions.words import title as title_of
from whichf1.errors import DefinitionError, is_among, numbered
from whichf1.published.audit import Audit
from whichf1.published.dialects import Conversion, DialectTable
from whichf1.published.explain import Explanation
from whichf1.reporting.comparison import comparison_document
from whichf1.reporting.disparity import groups_document
from whichf1.reporting.document import (
    LEAST_WIDTH,
    Block,
    Cell,
    Document,
    Grid,
    GridColumn,
    Note,
    Presented,
    Signature,
    render,
)
from whichf1.reporting.numbers import items, size
from whichf1.reporting.pages.findings import page as page
from whichf1.reporting.pictures.drawing import draw, format_of, rendered
from whichf1.reporting.pictures.kinds import picture
from whichf1.reporting.pictures.marks import Picture
from whichf1.reporting.published import (
    audit_document,
    conversion_document,
    dialect_document,
    explanation_document,
)
from whichf1.reporting.reference import choice_document
from whichf1.reporting.score import threshold_document, worth_notes
from whichf1.reporting.slices import slice_name
from whichf1.reporting.study import study_document
from whichf1.scoring.choose import Choice
from whichf1.scoring.curves import BestThreshold, CalibrationCurve, Curve, PrevalenceCurve
from whichf1.scoring.macro import MacroF1
from whichf1.scoring.score import PerClass, Score
from whichf1.tables.counts import Counts
from whichf1.tables.slices import Slices

FORMATS = ("text", "markdown", "latex", "html", "csv", "json")
MOST_ROWS = 60
"""How many rows of a table a notebook shows."""
MOST_IN_MATRIX = 20
STYLE = (
    "<style>"
    ".whichf1{font-variant-numeric:tabular-nums;line-height:1.4}"
    ".whichf1 table{border-collapse:collapse;margin:.4em 0}"
    ".whichf1 :is(th,td){padding:.15em .7em;text-align:right;border:0}"
    ".whichf1 :is(th,td,code){background:none;color:inherit}"
    ".whichf1 :is(th[scope=row],td.text){text-align:left}"
    ".whichf1 thead th{border-bottom:1px solid currentColor}"
    ".whichf1 caption{text-align:left;caption-side:top;color:inherit;font-weight:600}"
    ".whichf1 p{margin:.3em 0}"
    ".whichf1 code{font-size:.85em;overflow-wrap:anywhere;opacity:.75}"
    "</style>"
)
"""The style has no colours, so that text follows the notebook's light or dark theme."""


def html(result: object) -> str:
    """A result as HTML, for a notebook."""
    shown = _cut(document_of(result))
    return f'<div class="whichf1">{STYLE}\n{render(shown, "html", signature="short")}</div>'


def text(result: object, format: str, decimals: int) -> str:
    """A result in text, markdown, latex, html, csv or json."""
    if not is_among(format, FORMATS):
        raise DefinitionError(f"format must be one of {', '.join(FORMATS)}; got {format!r}")
    short = format == "text"
    width = max(LEAST_WIDTH, get_terminal_size().columns) if short else None
    form: Any = "short" if short else "full"
    return render(document_of(result), format, decimals, width, form)


def drawn(result: object, kind: str | None, ax: Any, options: dict[str, Any]) -> Any:
    """A result, or a picture of one, on matplotlib's Axes."""
    return draw(result if isinstance(result, Picture) else picture(result, kind, **options), ax)


def written(picture: Any, path: Any, dpi: int) -> bytes:
    """A picture in the format of the path."""
    return rendered(picture, format_of(path), dpi)


def document_of(result: Any) -> Document:
    """The document of a result."""
    if isinstance(result, Presented):
        return result.document()
    for kind, make in DOCUMENTS.items():
        if isinstance(result, kind):
            return make(result)
    return Document([Note(repr(result))])


def _cut(document: Document) -> Document:
    """The document with the first rows of long tables."""
    blocks: list[Block] = []
    for block in document.blocks:
        blocks.append(block)
        if isinstance(block, Grid) and len(block.rows) > MOST_ROWS:
            hidden = len(block.rows) - MOST_ROWS
            blocks[-1] = replace(block, rows=block.rows[:MOST_ROWS], sentences=())
            blocks.append(Note(f"… and {hidden:,} more {block.unit}"))
    return replace(document, blocks=blocks)


SIGNATURE = GridColumn("signature", "code")


def _scores(scores: Sequence[Score], notes: Sequence[str] = ()) -> Document:
    intervals = any(score.interval for score in scores)
    columns = [GridColumn("score"), GridColumn("value", "number")]
    columns += [GridColumn("interval", "interval")] if intervals else []
    rows: list[list[Cell]] = [
        [title_of(x.definition), x.value, *([x.interval] if intervals else []), x.signature]
        for x in scores
    ]
    worth = worth_notes(scores[0].effective_n)
    return Document([Grid([*columns, SIGNATURE], rows)], notes=[*worth, *notes])


def _per_class(scores: PerClass) -> Document:
    columns = [GridColumn("class"), GridColumn(title_of(scores.definition), "number")]
    cells: list[Sequence[Any]] = [[str(x) for x in scores.labels], scores.array.tolist()]
    if any(scores.intervals):
        columns.append(GridColumn("interval", "interval"))
        cells.append(scores.intervals)
    rows = [*zip(*cells, strict=True)]
    table = Grid(columns, rows, unit="classes")
    return Document([table, Signature(scores.signature)], notes=worth_notes(scores.effective_n))


def _counts(counts: Counts) -> Document:
    k = len(counts.labels)
    title = f"{size(counts.n)}, {numbered(k, 'class')}"
    if len(counts.systems) > 1:
        return Document([Note(f"{title}, systems: {', '.join(counts.systems)}")])
    if k > MOST_IN_MATRIX:
        order = (-counts.count).argsort(kind="stable").tolist()
        rows: list[list[Cell]] = [
            [str(counts.labels[counts.true[x]]), str(counts.labels[counts.predicted[x]]),
             counts.count[x].item()]
            for x in order
        ]  # fmt: skip
        columns = (
            GridColumn("true"),
            GridColumn("predicted"),
            GridColumn("items", "number", items),
        )
        return Document([Grid(columns, rows, keys=2, unit="cells")], title=title)
    heads = [GridColumn(str(label), "number", items) for label in counts.labels]
    lines = zip(counts.labels, counts.matrix.tolist(), strict=True)
    grid = Grid([GridColumn("true"), *heads], [[str(x), *row] for x, row in lines], "Predicted as:")
    return Document([grid], title=title)


def _macro(macro: MacroF1) -> Document:
    pair, notes = macro.largest_pair, [f"The two differ by {macro.gap:.4f}."]
    if pair is not None and len(macro.labels) > 2:
        share = f"{100 * pair.share:.0f} %"
        notes.append(f"Classes {pair.a} and {pair.b} account for {share} of it.")
    return _scores([macro.averaged, macro.of_averages], notes)


def _curve(curve: Curve) -> Document:
    said = f"{curve.y_label} by {curve.x_label}, {numbered(len(curve), 'point')}"
    return replace(_scores([curve.score]), title=said)


def _prevalence(curve: PrevalenceCurve) -> Document:
    said = f"{curve.y_label} by {curve.x_label}, {numbered(len(curve), 'point')}"
    return replace(_scores([curve.score]), title=said)


def _calibration(curve: CalibrationCurve) -> Document:
    columns = [GridColumn(x, "number") for x in (curve.x_label, curve.y_label)]
    columns.append(GridColumn("items", "number", items))
    rows = zip(curve.x.tolist(), curve.y.tolist(), map(_whole, curve.count.tolist()), strict=True)
    return Document([Grid(columns, [*rows], keys=0), *_scores([curve.score]).blocks])


def _whole(count: float) -> float:
    return int(count) if count == math.floor(count) else count


def _ranks(ranks: SystemRanks) -> Document:
    heads = [GridColumn(name, "number") for name in ranks.systems]
    columns = [GridColumn("definition"), *heads, SIGNATURE]
    rows: list[list[Cell]] = [
        [
            title_of(order.definition),
            *(order.scores[name].value for name in ranks.systems),
            next(iter(order.scores.values())).signature,
        ]
        for order in ranks.orders
    ]
    pairs = [
        f"The order of {flip.a} and {flip.b} depends on the definition." for flip in ranks.flips
    ]
    return Document([Grid(columns, rows)], notes=pairs)


def _disparity(disparity: Disparity) -> Document:
    columns = [GridColumn("across groups"), GridColumn("value", "number")]
    columns += [GridColumn("interval", "interval"), SIGNATURE]
    return Document(
        [
            Grid(
                columns,
                [[disparity.name, disparity.value, disparity.interval, disparity.signature]],
            )
        ]
    )


def _slices(slices: Slices) -> Document:
    columns = (GridColumn(", ".join(slices.by)), GridColumn("items", "number", items))
    rows: list[list[Cell]] = [[slice_name(key), part.n] for key, part in slices.items()]
    return Document([Grid(columns, rows, unit="slices")])


DOCUMENTS: dict[type, Callable[[Any], Document]] = {
    Score: lambda score: _scores([score]),
    PerClass: _per_class,
    Counts: _counts,
    MacroF1: _macro,
    Curve: _curve,
    CalibrationCurve: _calibration,
    PrevalenceCurve: _prevalence,
    BestThreshold: lambda best: threshold_document("threshold", best, 2, 4),
    Comparison: lambda comparison: comparison_document(comparison, "comparison"),
    SystemRanks: _ranks,
    Study: lambda study: study_document(study, "study"),
    Slices: _slices,
    Choice: choice_document,
    Disparity: _disparity,
    Groups: lambda found: groups_document("", [found]),
    DialectTable: lambda table: dialect_document("these predictions", table),
    Audit: audit_document,
    Explanation: lambda explanation: explanation_document("these predictions", explanation),
    Conversion: lambda found: conversion_document("these predictions", found, ("source", "target")),
}
"""What is shown for each kind of result; for others, the text."""
