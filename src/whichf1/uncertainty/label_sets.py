"""Intervals for sets of labels.

The labels of one item go together, so the item is what varies: to an average over labels an item
gives the sum of what its labels give, and the variance is that of these sums.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Any

import numpy as np

from whichf1.definition import Definition, Frozen
from whichf1.intervals import Interval
from whichf1.metrics import find
from whichf1.metrics.averaging import ZeroRule, per_class
from whichf1.multilabel import LabelTable
from whichf1.table import Array
from whichf1.uncertainty.influence import kind_slopes, transformed


def label_set_intervals(
    definition: Definition, frozen: Frozen, level: float
) -> list[Interval | None]:
    """One interval for each value of a definition on sets of labels."""
    metric = find(definition.metric)
    values = np.atleast_1d(definition.values(frozen))
    if metric.kind == "items" or definition.average == "samples":
        errors = [_item_error(definition, frozen, float(values[0]))]
    elif definition.average is None:
        errors = _label_errors(definition, frozen).tolist()
    else:
        errors = [_average_error(definition, frozen)]
    return [
        transformed(float(value), error, metric.bounds, level, "delta")
        for value, error in zip(values, errors, strict=True)
    ]


def _item_error(definition: Definition, frozen: Frozen, mean: float) -> float:
    table: Any = frozen.table
    rule = ZeroRule(definition.undefined, definition.scope)
    items = table.per_item(frozen.classes)
    values = per_class(find(definition.metric), dict(definition.parameters), rule, items)
    weight = np.where(np.isnan(values), 0, table.count)
    squares = (weight * (np.nan_to_num(values) - mean) ** 2).sum()
    return sqrt(squares) / float(weight.sum()) if weight.any() else inf


def _label_errors(definition: Definition, frozen: Frozen) -> Array:
    """To a label, every item is one of four kinds."""
    c, slope = frozen.table.one_vs_rest(frozen.classes), kind_slopes(definition, frozen)[1]
    kinds = ((c.tp, slope.tp), (c.fp, slope.fp), (c.fn, slope.fn), (c.tn, slope.tn))
    variance: Array = sum(size * by**2 for size, by in kinds)
    return np.sqrt(variance)


def _average_error(definition: Definition, frozen: Frozen) -> float:
    table: Any = frozen.table
    slope = kind_slopes(definition, frozen)[1]
    by_outcome = np.zeros((3, table.classes))
    by_outcome[:, frozen.classes] = np.array([slope.tp, slope.fp, slope.fn]) - slope.tn
    return _spread(table, by_outcome, float(slope.tn.sum()))


def _spread(table: LabelTable, by_outcome: Array, nothing: float) -> float:
    """√Σ count·s², where s is what an item gives: its lines, and true negatives for the rest."""
    own = by_outcome[table.outcome, table.label]
    item = nothing + np.bincount(table.item, own, len(table.count))
    return sqrt((table.count * item**2).sum())
