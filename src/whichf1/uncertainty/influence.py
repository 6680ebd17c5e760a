"""The delta method for every metric, without a line of code per metric.

For a score M of the cell proportions p with gradient g, Var(M) = [Σ p g² − (Σ p g)²] / n. The
gradient of a rate comes from a complex step through its own formula: f(x + ih).imag / h is the
derivative to machine precision, since nothing is subtracted.
"""

from __future__ import annotations

from math import inf
from statistics import NormalDist
from typing import Any

import numpy as np

from whichf1.definition import Definition, Frozen
from whichf1.intervals import Interval
from whichf1.metrics import Metric, find
from whichf1.metrics.averaging import ZeroRule, averaged, combine, per_class, pooled
from whichf1.metrics.rates import precision, recall
from whichf1.table import Array, Margins, OneVsRest, Table

_STEP = 1e-100
_BLOCK = 256


def delta_intervals(definition: Definition, frozen: Frozen, level: float) -> list[Interval | None]:
    """One interval for each value of the definition; None where the delta method has none.

    It has none where the score does not vary at all in first order (a perfect score, say) or is
    undefined: an interval of no width would claim too much.
    """
    values = np.atleast_1d(definition.values(frozen))
    errors = standard_errors(definition, frozen)
    bounds = find(definition.metric).bounds
    z = NormalDist().inv_cdf((1 + level) / 2)
    return [
        _interval(float(value), float(error), bounds, z, level)
        for value, error in zip(values, errors, strict=True)
    ]


def _interval(
    value: float, error: float, bounds: tuple[float, float], z: float, level: float
) -> Interval | None:
    if not (np.isfinite(value) and np.isfinite(error)) or error <= 1e-12:
        return None
    low, high = bounds
    if high == inf:  # a ratio: on the log scale
        if value <= 0:
            return None
        factor = np.exp(z * error / value)
        return Interval(float(value / factor), float(value * factor), level, "delta")
    # onto (0, 1), then the logit, whose derivative is 1 / (x (1 − x))
    x, spread = (value - low) / (high - low), error / (high - low)
    if not 0 < x < 1:
        return None
    centre, half = np.log(x / (1 - x)), z * spread / (x * (1 - x))
    below, above = (1 / (1 + np.exp(-(centre + sign * half))) for sign in (-1, 1))
    width = high - low
    return Interval(float(low + width * below), float(low + width * above), level, "delta")


def standard_errors(definition: Definition, frozen: Frozen) -> Array:
    """The standard error of each value of the definition."""
    shares = _shares(frozen.table)
    if find(definition.metric).kind == "rate" and definition.average is None:
        variance = _Rates(definition, shares, frozen.classes, float(frozen.table.total)).variances()
    else:
        g = gradient(definition, frozen)
        variance = (shares.count * g**2).sum(-1) - (shares.count * g).sum(-1) ** 2
    return np.sqrt(np.maximum(variance, 0) / frozen.table.total)


def gradient(definition: Definition, frozen: Frozen) -> Array:
    """∂M/∂p of each non-zero cell (values, cells), at the observed proportions."""
    shares = _shares(frozen.table)
    if find(definition.metric).kind == "agreement":
        return _agreement_gradient(definition, shares)[None]
    return _Rates(definition, shares, frozen.classes, float(frozen.table.total)).gradient()


def _shares(table: Table) -> Table:
    return Table(table.true, table.predicted, table.count / table.total, table.classes)


class _Rates:
    """Gradients of a rate, its averages and its 'of averages' form."""

    def __init__(self, definition: Definition, shares: Table, classes: Array, items: float) -> None:
        self.definition, self.shares, self.classes = definition, shares, classes
        self.metric, self.parameters = find(definition.metric), dict(definition.parameters)
        self.rule = definition.rule(items)
        self.c = shares.one_vs_rest(classes)

    def gradient(self) -> Array:
        if self.definition.average is None:
            return self._each_class()
        if self.definition.average == "micro":
            slopes = self._slopes(self.metric, self.parameters, pooled(self.c))
            return self._spread([np.broadcast_to(x, len(self.classes)) for x in slopes])[None]
        if self.definition.formula == "of-averages":
            return self._of_averages()[None]
        return self._averaged(self.metric, self.parameters)[None]

    def _slopes(self, metric: Metric, parameters: dict[str, Any], c: OneVsRest) -> list[Array]:
        """∂rate/∂(tp, fp, fn, tn) of each class; 0 where the rate is undefined."""
        parts = [c.tp, c.fp, c.fn, c.tn]
        slopes = []
        for which in range(4):
            stepped = [x + (1j * _STEP if at == which else 0) for at, x in enumerate(parts)]
            value = per_class(metric, parameters, self.rule, OneVsRest(*stepped))
            slopes.append(np.nan_to_num(value.imag / _STEP, nan=0.0, posinf=0.0, neginf=0.0))
        return slopes

    def _spread(self, slopes: list[Array], support: Array | None = None) -> Array:
        """Σ over classes of slope × what a cell is to that class, for every cell.

        A cell is a true negative of every class but the two that it names.
        """
        tp, fp, fn, tn = slopes
        as_hit, as_false, as_missed = (self._by_code(x - tn) for x in (tp, fp, fn))
        true, predicted = self.shares.true, self.shares.predicted
        wrong = as_missed[true] + as_false[predicted]
        cells: Array = tn.sum() + np.where(true == predicted, as_hit[true], wrong)
        return cells if support is None else cells + self._by_code(support)[true]

    def _by_code(self, values: Array) -> Array:
        by_code = np.zeros(self.shares.classes)
        by_code[self.classes] = values
        return by_code

    def _averaged(self, metric: Metric, parameters: dict[str, Any]) -> Array:
        values = per_class(metric, parameters, self.rule, self.c)
        weight = self.c.tp + self.c.fn if self._weighted else np.ones(len(values))
        if self.rule.undefined == "skip":
            weight = np.where(np.isnan(values), 0, weight)
        share = weight / weight.sum()
        slopes = [x * share for x in self._slopes(metric, parameters, self.c)]
        if not self._weighted:
            return self._spread(slopes)
        # the weights are themselves shares of the items
        mean = self.rule.mean(values, self.c.tp + self.c.fn)
        moved = np.where(weight > 0, np.nan_to_num(values) - mean, 0) / weight.sum()
        return self._spread(slopes, moved)

    @property
    def _weighted(self) -> bool:
        return self.definition.average == "weighted"

    def _of_averages(self) -> Array:
        weights = self.c.tp + self.c.fn if self._weighted else None
        p = averaged(precision, {}, self.rule, self.c, weights)
        r = averaged(recall, {}, self.rule, self.c, weights)
        how, extra = (self.metric, self.parameters), self.rule.harmonic_epsilon
        by_p = combine(*how, p + 1j * _STEP, r + 0j, extra).imag / _STEP
        by_r = combine(*how, p + 0j, r + 1j * _STEP, extra).imag / _STEP
        slope: Array = by_p * self._averaged(precision, {}) + by_r * self._averaged(recall, {})
        return slope

    def _each_class(self) -> Array:
        slopes = self._slopes(self.metric, self.parameters, self.c)
        each = np.eye(len(self.classes))
        return np.array([self._spread([x * alone for x in slopes]) for alone in each])

    def variances(self) -> Array:
        """n Var of each class: to a class, every item is one of four kinds."""
        slopes = self._slopes(self.metric, self.parameters, self.c)
        parts = list(zip((self.c.tp, self.c.fp, self.c.fn, self.c.tn), slopes, strict=True))
        mean = sum(share * slope for share, slope in parts)
        return sum(share * slope**2 for share, slope in parts) - mean**2  # type: ignore[no-any-return]


def _agreement_gradient(definition: Definition, shares: Table) -> Array:
    """A cell (i, j) moves row i, column j, distance |i − j| and, if i = j, hit i."""
    metric, parameters = find(definition.metric), dict(definition.parameters)
    rule = ZeroRule(definition.undefined)
    margins = shares.margins
    sums = (margins.rows, margins.columns, margins.hits, margins.distances)

    def slope(which: int) -> Array:
        """∂M/∂ of one of the four sums, by complex steps in blocks of classes."""
        parts = []
        for start in range(0, shares.classes, _BLOCK):
            step = 1j * _STEP * np.eye(min(_BLOCK, shares.classes - start), shares.classes, start)
            moved = Margins(*(x + (step if at == which else 0 * step) for at, x in enumerate(sums)))
            parts.append(rule.settle(metric.formula(moved, **parameters)).imag / _STEP)
        return np.nan_to_num(np.concatenate(parts))

    rows, columns, hits, distances = map(slope, range(4))
    true, predicted = shares.true, shares.predicted
    distance = np.abs(true - predicted)
    both: Array = rows[true] + columns[predicted] + distances[distance]
    return both + np.where(distance, 0, hits[true])
