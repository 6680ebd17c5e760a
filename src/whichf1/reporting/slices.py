"""The report of ``whichf1 score --by``: slices and the whole, worst first."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from whichf1.definitions.definition import Definition
from whichf1.definitions.words import identifier, sentence
from whichf1.errors import InputError, numbered
from whichf1.reporting.document import Cell, Document, Grid, GridColumn, Rows
from whichf1.reporting.numbers import items, signed, size
from whichf1.reporting.score import SCORE_COLUMNS, score_cells
from whichf1.scoring.score import Score
from whichf1.tables.records import dataclass
from whichf1.tables.slices import Key

Scorer: TypeAlias = Callable[[Definition], Score]
"""A function that scores the whole, or one slice."""
WIDE = 0.1
"""An interval wider than this fraction of the metric's range says little."""
FEW = 10
"""With fewer items per class, intervals contain the truth too rarely (docs/intervals.md)."""
SMALL = "too small to tell"
WHOLE = "(whole)"
"""Replaces a slice's values in the row of all items."""
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


def slice_document(
    source: str,
    by: Sequence[str],
    definitions: Sequence[tuple[str, Definition]],
    whole: Scorer,
    slices: Mapping[Key, Scorer],
) -> Document:
    """Score the whole and every slice: a table for each metric."""
    empty: dict[Key, None] = {}
    metrics = []
    for name, each in definitions:
        scored, nothing = score_slices(each, whole, slices)
        metrics.append((name, scored))
        empty |= dict.fromkeys(nothing)
    lacking = [slice_name(key) for key in empty]
    notes = [NOTE, *([f"Nothing to score in: {', '.join(lacking)}"] if lacking else [])]
    notes += [WORTH_NOTE] if any(_weighted(scored) for _, scored in metrics) else []
    return Document(
        [_table(*metric) for metric in metrics],
        lambda: {
            "source": source,
            "by": list(by),
            "metrics": [_record(by, *metric) for metric in metrics],
            "nothing_to_score_in": lacking,
            "notes": notes,
        },
        lambda: _rows(by, metrics),
        f"{source}: {size(metrics[0][1][0].score.n)} in {numbered(len(slices), 'slice')} by "
        f"{', '.join(by)}",
        notes,
        "slices",
    )


def score_slices(
    definition: Definition, whole: Scorer, slices: Mapping[Key, Scorer]
) -> tuple[list[SliceScore], list[Key]]:
    """The whole, then the slices, worst first; and the slices with nothing to score."""
    of_whole, scored, empty = whole(definition), [], []
    plain = replace(definition, data=())  # what a signature says about its data refers to the whole
    for key, score in slices.items():
        try:
            of_slice = score(plain)
        except InputError:  # it may lack some of the classes, or all items are ignored
            empty.append(key)
            continue
        gap = of_slice.value - of_whole.value
        scored.append(SliceScore(key, of_slice, gap, _verdict(of_slice, of_whole)))
    sign = -1 if definition.declaration.better == "lower" else 1
    scored.sort(key=lambda row: (math.isnan(row.gap), sign * row.gap))
    return [SliceScore(None, of_whole), *scored], empty


def _verdict(score: Score, whole: Score) -> str:
    interval = score.interval
    few = score.n < FEW * len(score.classes)
    if interval is None or math.isnan(whole.value) or few:
        return SMALL
    if not interval.low <= whole.value <= interval.high:
        return "below" if score.value < whole.value else "above"
    low, high = score.definition.bounds
    wide = interval.high - interval.low > WIDE * (high - low if math.isfinite(high) else 1)
    return SMALL if wide else "near"


def slice_name(key: Key | None) -> str:
    """A slice as its values; the whole in words."""
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
WORTH = GridColumn("worth", "number", lambda n, decimals: f"{n:,.4g}")
"""The effective number of items, next to the sum of weights."""
WORTH_NOTE = "worth: the effective number of weighted items of a slice, (Σw)²/Σw²."


def _table(name: str, scored: Sequence[SliceScore]) -> Grid:
    rows: list[list[Cell]] = []
    weighted = _weighted(scored)
    for row in scored:
        x, judged = row.score, ["", ""] if row.key is None else [row.gap, row.verdict]
        worth = [x.effective_n] if weighted else []
        cells = [x.n, *worth, len(x.classes), x.value, x.interval, *judged, x.signature]
        rows.append([slice_name(row.key), *cells])
    columns = [*COLUMNS[:2], *([WORTH] if weighted else []), *COLUMNS[2:]]
    whole, *slices = scored
    said = [f"{WHOLE}: {sentence(whole.score.definition)}"]
    said += [f"{slice_name(x.key)}:" for x in slices]
    definitions = {row.score.definition.signature for row in scored}
    common = definitions.pop() if len(definitions) == 1 else ""
    return Grid(columns, rows, name, sentences=said, common=common)


def _weighted(scored: Sequence[SliceScore]) -> bool:
    return any(row.score.effective_n is not None for row in scored)


def _record(by: Sequence[str], name: str, scored: Sequence[SliceScore]) -> dict[str, Any]:
    whole, *slices = scored
    return {
        "id": identifier(whole.score.definition),
        "name": name,
        "whole": whole.score.to_dict(),
        "slices": [
            {
                "slice": dict(zip(by, map(plain_key, row.key or ()), strict=True)),
                **row.score.to_dict(),
                "gap": row.gap,
                "verdict": row.verdict,
            }
            for row in slices
        ],
    }


def plain_key(value: Any) -> Any:
    """A value of a slice for programs."""
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def _rows(by: Sequence[str], metrics: Sequence[tuple[str, list[SliceScore]]]) -> Rows:
    """One line per number; the whole comes before its slices."""
    yield ["name", *by, *SCORE_COLUMNS, "gap", "verdict", "n", "signature"]
    for name, scored in metrics:
        for row in scored:
            values = [WHOLE] * len(by) if row.key is None else map(plain_key, row.key)
            judged = [None if row.key is None else row.gap, row.verdict]
            score = row.score
            yield [name, *values, *score_cells(score), *judged, score.n, score.signature]
