"""Intervals for sets of labels, for means over items, and for the ROC AUC.

The labels of one item go together, so the item is what varies: to an average over labels an item
gives the sum of what its labels give, and the variance is that of these sums.
"""

from __future__ import annotations

from math import exp, inf, isfinite, log, sqrt
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from whichf1.definition import Definition, Frozen
from whichf1.intervals import Interval
from whichf1.metrics import find
from whichf1.metrics.averaging import ZeroRule, per_class
from whichf1.multilabel import LabelTable
from whichf1.table import Array, OneVsRest

_STEP = 1e-100
_BLOCK = 256


def bounded_interval(
    value: float, error: float, bounds: tuple[float, float], level: float
) -> Interval | None:
    """value ± z·error: on the logit scale between two bounds, as it is where there is none above.

    None where the value does not vary: an interval of no width would claim too much.
    """
    if not (isfinite(value) and isfinite(error)) or error <= 1e-12:
        return None
    half = NormalDist().inv_cdf((1 + level) / 2) * error
    low, high = bounds
    if high == inf:
        return Interval(max(low, value - half), value + half, level, "delta")
    width = high - low
    x = (value - low) / width
    if not 0 < x < 1:
        return None
    centre, step = log(x / (1 - x)), half / width / (x * (1 - x))
    ends = [1 / (1 + exp(min(700.0, -(centre + sign * step)))) for sign in (-1, 1)]
    return Interval(low + width * ends[0], low + width * ends[1], level, "delta")


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
        bounded_interval(float(value), error, metric.bounds, level)
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


class _Given(NamedTuple):
    """In place of a table: its one-vs-rest counts as they are."""

    counts: OneVsRest

    def one_vs_rest(self, _: object) -> OneVsRest:
        """The counts given."""
        return self.counts


def _slope(definition: Definition, frozen: Frozen, steps: list[Array]) -> Array:
    """The derivative of the values along a step of (tp, fp, fn, tn)."""
    c = frozen.table.one_vs_rest(frozen.classes)
    parts = zip((c.tp, c.fp, c.fn, c.tn), steps, strict=True)
    given: Any = _Given(OneVsRest(*(x + 1j * _STEP * step for x, step in parts)))
    return np.nan_to_num(definition.values(frozen, given).imag / _STEP, posinf=0.0, neginf=0.0)


def _label_errors(definition: Definition, frozen: Frozen) -> Array:
    """To a label, every item is one of four kinds."""
    c = frozen.table.one_vs_rest(frozen.classes)
    variance = np.zeros(len(frozen.classes))
    for kind, size in enumerate((c.tp, c.fp, c.fn, c.tn)):
        step = [np.full(len(frozen.classes), float(at == kind)) for at in range(4)]
        variance += size * _slope(definition, frozen, step) ** 2
    return np.sqrt(variance)


def _average_error(definition: Definition, frozen: Frozen) -> float:
    table: Any = frozen.table
    k = len(frozen.classes)
    tp, fp, fn, tn = (_each_slope(definition, frozen, kind) for kind in range(4))
    by_outcome = np.zeros((3, table.classes))
    by_outcome[:, frozen.classes] = np.array([tp, fp, fn]) - tn
    return _spread(table, by_outcome, float(tn.sum())) if k else inf


def _spread(table: LabelTable, by_outcome: Array, nothing: float) -> float:
    """√Σ count·s², where s is what an item gives: its lines, and true negatives for the rest."""
    own = by_outcome[table.outcome, table.label]
    item = nothing + np.bincount(table.item, own, len(table.count))
    return float(np.sqrt(np.dot(table.count, item**2)))


def _each_slope(definition: Definition, frozen: Frozen, kind: int) -> Array:
    """∂M/∂ of one of the four counts of each label, in blocks of labels."""
    k = len(frozen.classes)
    parts = []
    for start in range(0, k, _BLOCK):
        step = np.eye(min(_BLOCK, k - start), k, start)
        steps = [step if at == kind else np.zeros_like(step) for at in range(4)]
        parts.append(_slope(definition, frozen, steps))
    return np.concatenate(parts)
