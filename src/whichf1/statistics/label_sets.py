"""Intervals for sets of labels.

The labels of one item go together, so the item is what varies: to an average over labels an item
gives the sum of what its labels give, and the variance is that of these sums.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from whichf1.definitions.class_sets import Frozen
from whichf1.definitions.definition import Definition
from whichf1.definitions.methods import Interval
from whichf1.metrics.averaging import ZeroRule, per_class
from whichf1.statistics.influence import kind_slopes, spread_on
from whichf1.statistics.scales import transformed
from whichf1.tables.cells import Array


def label_set_intervals(
    definition: Definition, frozen: Frozen, level: float
) -> list[Interval | None]:
    """One interval for each value of a definition on sets of labels."""
    values, table = np.atleast_1d(definition.values(frozen)), frozen.table
    bounds = definition.declaration.bounds
    found = []
    for at, value in enumerate(values.tolist()):
        spread = spread_on(item_slopes(definition, frozen, at), table)
        found.append(transformed(value, spread, bounds, level, "delta"))
    return found


def item_slopes(definition: Definition, frozen: Frozen, at: int = 0) -> Array:
    """∂M/∂count of each kind of item, for one of the values of the definition."""
    table: Any = frozen.table
    if definition.declaration.kind == "items" or definition.average == "samples":
        return _mean_slopes(definition, frozen)
    slope = kind_slopes(definition, frozen)[1]
    by_outcome = np.zeros((3, table.classes))
    chosen = slice(None) if definition.average is not None else [at]  # a label depends on itself
    labels = frozen.classes[chosen]
    tn = slope.tn[chosen]
    by_outcome[:, labels] = np.array([x[chosen] - tn for x in (slope.tp, slope.fp, slope.fn)])
    nothing = float(tn.sum())  # what an item without any of these labels gives
    own = by_outcome[table.outcome, table.label]
    return nothing + np.bincount(table.item, own, len(table.count))


def _mean_slopes(definition: Definition, frozen: Frozen) -> Array:
    """A mean over items moves by (own value − mean) / items."""
    table: Any = frozen.table
    rule = ZeroRule(definition.undefined, definition.scope)
    items = table.per_item(frozen.classes)
    values = per_class(definition.declaration, definition.arguments, rule, items)
    weight = np.where(np.isnan(values), 0, table.count)
    total = float(weight.sum())
    if total == 0:
        return np.full(len(weight), inf)
    mean = float((weight * np.nan_to_num(values)).sum()) / total
    slopes: Array = np.where(np.isnan(values), 0, np.nan_to_num(values) - mean) / total
    return slopes
