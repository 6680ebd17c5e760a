"""Accumulator: tables of a stream that grow batch by batch, in place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whichf1.errors import InputError
from whichf1.scoring.lines import mean_definition as mean_definition
from whichf1.scoring.lines import moments
from whichf1.sources.counts import count, count_by, rank, rank_by
from whichf1.sources.label_sets import count_multilabel
from whichf1.tables.counts import Counts
from whichf1.tables.label_sets import MultiLabelCounts
from whichf1.tables.moments import Moments
from whichf1.tables.ranking import Ranking
from whichf1.tables.slices import Slices


def count_batch(table: Any, y_true: Any, y_pred: Any, options: Mapping[str, Any]) -> Any:
    """A further batch as a table of the same kind; None if it has no items."""
    if not any(_size(side) for side in (y_true, y_pred)):
        return None  # the last batch of a loader, say
    for name in ("labels", "positive", "by"):
        if options.get(name) is not None:
            raise InputError(f"{name}= belongs to the table, not to a batch: omit it")
    batch: tuple[Any, ...] = (y_true,) if y_pred is None else (y_true, y_pred)
    if isinstance(table, Slices):
        return _count_slices(table, batch, options)
    declared = table.labels if getattr(table, "declared", table.labels) else None
    match table:
        case Counts():
            return count(*batch, labels=declared, **options)
        case MultiLabelCounts():
            return count_multilabel(*batch, labels=declared, **options)
        case Ranking():
            if table.resolution is not None:
                raise InputError(
                    "the scores of this ranking are in bins: add a rank_histogram of the batch"
                )
            return rank(*batch, positive=table.positive, labels=declared, **options)
    facts = {**dict(table.parameters), "labels": declared, "positive": table.positive}
    return moments(y_true, y_pred, table.metric, **facts, **options)


def _count_slices(table: Slices, batch: tuple[Any, ...], options: Mapping[str, Any]) -> Slices:
    whole: Any = table.whole
    if isinstance(whole, Moments):
        raise InputError("slices of moments take no batch: add slices of the batch with +")
    labels = whole.labels if whole.declared else None
    if isinstance(whole, Ranking):
        return rank_by(*batch, by=table.by, positive=whole.positive, labels=labels, **options)
    return count_by(*batch, by=table.by, labels=labels, **options)


def _size(data: Any) -> int:
    try:
        return len(data)
    except TypeError:  # a path, a lazy frame, or no predictions
        return 0 if data is None else 1
