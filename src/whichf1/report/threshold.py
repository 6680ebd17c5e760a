"""The report of ``whichf1 threshold``: the best threshold and the curve around it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from whichf1.report.document import Document, Grid, GridColumn, Note, number
from whichf1.scoring.decisions import at_threshold
from whichf1.scoring.evaluate import evaluate
from whichf1.scoring.thresholds import BestThreshold


def _limit(threshold: float, decimals: int = 0) -> str:
    return "none positive" if math.isinf(threshold) else repr(threshold)


def _part(items: float, decimals: int) -> str:
    return f"{items:,.6g}"


COLUMNS = (
    GridColumn("threshold", "number", _limit),
    GridColumn("value", "number"),
    *(GridColumn(name, "number", _part) for name in ("TP", "FP", "FN", "TN")),
    GridColumn("signature", "code"),
)
HEAD = tuple(column.name for column in COLUMNS)


def threshold_document(source: str, best: BestThreshold, around: int, decimals: int) -> Document:
    """The best threshold with ``around`` others on either side."""
    curve = [_point(best, at) for at in _nearby(best, around)]
    notes = [
        f"best threshold: {_limit(best.threshold)} (a score equal to it is positive)",
        f"value there: {number(best.value, decimals)} ({best.score.signature})",
    ]
    if best.calibrated is not None:
        notes.append(
            f"if the scores are calibrated, the best threshold is F1/2 = {best.calibrated:.4f}"
        )
    record = {
        "source": source,
        "threshold": best.threshold,
        "value": best.value,
        "signature": best.score.signature,
        "calibrated": best.calibrated,
        "curve": [dict(zip(HEAD, point, strict=True)) for point in curve],
    }
    rows = [["best", *HEAD], *([int(point[0] == best.threshold), *point] for point in curve)]
    return Document(
        [*map(Note, notes), Grid(COLUMNS, curve)],
        lambda: record,
        lambda: rows,
        f"{source}: {len(best.curve) - 1:,} distinct scores",
    )


def _nearby(best: BestThreshold, around: int) -> range:
    return range(max(0, best.at - around), min(len(best.curve), best.at + around + 1))


def _point(best: BestThreshold, at: int) -> Sequence[Any]:
    """One threshold: its value, the counts of the positive class, and the signature."""
    curve, ranking = best.curve, best.curve.ranking
    threshold = float(curve.threshold[at])
    counts = at_threshold(ranking, threshold=threshold)
    positive = counts.labels.code(ranking.positive)
    c = counts.per_class()
    parts = [x[positive].item() for x in (c.tp, c.fp, c.fn, c.tn)]
    score = evaluate(curve.definition, counts)
    return [threshold, score.value, *parts, score.signature]
