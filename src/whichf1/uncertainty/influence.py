"""The delta method for every metric, without a line of code per metric.

With s = ∂M/∂count of a cell, centred so that Σ count·s = 0, Var(M) = Σ count·s² (Σ Σw²·s² with
weights; for clusters of items, the sum over clusters of (Σ count·s)², times G/(G − 1)), and n·s is
the influence of an item. Only an epsilon in a denominator makes centring necessary: any other score
does not change when all counts are multiplied.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, inf, isfinite, log, sqrt
from typing import NamedTuple

import numpy as np

from whichf1.class_sets import Frozen
from whichf1.definition import Definition
from whichf1.intervals import Interval
from whichf1.metrics import find
from whichf1.table import Array, Margins, OneVsRest, Table
from whichf1.uncertainty.tracing import slopes

_NONE = 1e-12
"""A standard error up to here is none: the score does not vary in first order."""


_BLOCK = 1 << 14


def delta_intervals(
    definition: Definition, frozen: Frozen, level: float
) -> tuple[Array, list[Interval | None]]:
    """The values of a definition, and an interval for each; None where the delta method has none.

    It has none where the score does not vary at all in first order (a perfect score, say) or is
    undefined: an interval of no width would claim too much.
    """
    values, errors = standard_errors(definition, frozen)
    bounds = find(definition.metric).bounds
    return values, [
        transformed(value, error, bounds, level, "delta")
        for value, error in zip(values.tolist(), errors.tolist(), strict=True)
    ]


def transformed(
    value: float, error: float, bounds: tuple[float, float], level: float, method: str
) -> Interval | None:
    """value ± z·error on a scale whose ends are the bounds: the logit, or for ratios the log."""
    if not (isfinite(value) and isfinite(error)) or error <= _NONE:
        return None
    z = normal_quantile((1 + level) / 2)
    low, high = bounds
    if high == inf:
        if value <= 0:
            return None
        half = min(z * error / value, 700.0)
        return Interval(value / exp(half), value * exp(half), level, method)
    # onto (0, 1), then the logit, whose derivative is 1 / (x (1 − x))
    width = high - low
    x, spread = (value - low) / width, error / width
    if not 0 < x < 1:
        return None
    centre, half = log(x / (1 - x)), z * spread / (x * (1 - x))
    below, above = _logistic(centre - half), _logistic(centre + half)
    return Interval(low + width * below, low + width * above, level, method)


def _logistic(x: float) -> float:
    return 1 / (1 + exp(-x)) if x > -700 else 0.0


@lru_cache(maxsize=64)
def normal_quantile(p: float) -> float:
    """The standard normal distribution's quantile."""
    from statistics import NormalDist  # slow to import

    return NormalDist().inv_cdf(p)


def standard_errors(definition: Definition, frozen: Frozen) -> tuple[Array, Array]:
    """The values of the definition, and the standard error of each."""
    table = frozen.table
    if find(definition.metric).kind == "agreement" or definition.average is not None:
        value, slope = margin_slopes(definition, frozen)
        if definition.epsilon or table.cluster is not None:
            error = standard_error(slope.at(table.true, table.predicted), table)
        else:
            error = _standard_error_in_blocks(slope, table)
        return np.array([value]), np.array([error])
    values, kinds = kind_slopes(definition, frozen)
    if table.cluster is not None:
        each = range(len(frozen.classes))
        errors = [standard_error(_of_class(kinds, frozen, at), table) for at in each]
        return values, np.array(errors)
    # to a class, every item is one of four kinds
    spread = Table(table.true, table.predicted, table.spread, table.classes)
    sizes = _four(spread.one_vs_rest(frozen.classes))
    own, by_kind = _four(table.one_vs_rest(frozen.classes)), np.stack(_four(kinds))
    mean = (np.stack(own) * by_kind).sum(0) / table.total
    variance = (np.stack(sizes) * (by_kind - mean) ** 2).sum(0)
    return values, np.sqrt(variance)


def standard_error(by_cell: Array, table: Table) -> float:
    """The standard error of a score, or of a difference, with these ∂M/∂count."""
    by_cell = centred(by_cell, table.count)
    if table.cluster is None:
        return sqrt((table.spread * by_cell**2).sum())
    sums = np.bincount(table.cluster, table.count * by_cell)
    groups = len(sums)
    if groups < 2:
        return inf  # one cluster says nothing of the spread between clusters
    return sqrt(groups / (groups - 1) * (sums**2).sum())


def centred(slope: Array, count: Array) -> Array:
    """What an item moves when the number of items stays: the slope minus its mean."""
    centred: Array = slope - (count * slope).sum() / count.sum()
    return centred


def _standard_error_in_blocks(slope: Slopes, table: Table) -> float:
    """The same of a slope that is centred, a block at a time: what fits the cache is faster."""
    variance = 0.0
    for start in range(0, len(table.true), _BLOCK):
        block = slice(start, start + _BLOCK)
        by_cell = slope.at(table.true[block], table.predicted[block])
        by_cell *= by_cell
        by_cell *= table.spread[block]
        variance += float(by_cell.sum())
    return sqrt(variance)


class Slopes(NamedTuple):
    """∂M/∂ of each row, column, hit and distance sum: all that a cell's own slope is made of."""

    rows: Array
    columns: Array
    hits: Array
    distances: Array | None = None

    def at(self, true: Array, predicted: Array) -> Array:
        """∂M/∂count of cells: a cell moves its row, its column, its distance and maybe a hit."""
        cells: Array = self.rows[true]
        cells += self.columns[predicted]
        right = np.flatnonzero(true == predicted)
        cells[right] += self.hits[true[right]]
        if self.distances is not None and self.distances.any():
            cells += self.distances[np.abs(true - predicted)]
        return cells


def margin_slopes(definition: Definition, frozen: Frozen) -> tuple[float, Slopes]:
    """The value and the slopes of a definition that gives one number."""
    table = frozen.table
    if find(definition.metric).kind == "agreement":
        m = table.margins
        sums = [m.rows, m.columns, m.hits, m.distances]
        value, parts = slopes(lambda *x: definition.values(frozen, Margins(*x)), *sums)
    else:
        value, parts = slopes(
            lambda rows, columns, hits: definition.values(
                frozen, Margins(rows, columns, hits, hits)
            ),
            *(table.rows, table.columns, table.hits),
        )
    return float(value), Slopes(*parts)


def cell_slopes(definition: Definition, frozen: Frozen, at: int = 0) -> Array:
    """∂M/∂count of each cell of the frozen table, for one of the values of the definition."""
    table = frozen.table
    if find(definition.metric).kind == "agreement" or definition.average is not None:
        return margin_slopes(definition, frozen)[1].at(table.true, table.predicted)
    return _of_class(kind_slopes(definition, frozen)[1], frozen, at)


def kind_slopes(definition: Definition, frozen: Frozen) -> tuple[Array, OneVsRest]:
    """The values, and ∂(their sum)/∂(tp, fp, fn, tn) of each class.

    Without an average that is each rate's own: the rate of a class depends on nothing else.
    """

    def values(*kinds: Array) -> Array:
        return definition.values(frozen, _Given(OneVsRest(*kinds)))

    value, parts = slopes(values, *_four(frozen.table.one_vs_rest(frozen.classes)))
    return value, OneVsRest(*parts)


class _Given(NamedTuple):
    """In place of a table: its one-vs-rest counts as they are."""

    counts: OneVsRest

    def one_vs_rest(self, _: object) -> OneVsRest:
        """The counts given."""
        return self.counts


def _four(c: OneVsRest) -> tuple[Array, Array, Array, Array]:
    return c.tp, c.fp, c.fn, c.tn


def _of_class(kinds: OneVsRest, frozen: Frozen, at: int) -> Array:
    """∂rate/∂count of each cell for the class at that place: each cell is of one kind to it."""
    table, code = frozen.table, frozen.classes[at]
    true, predicted = table.true == code, table.predicted == code
    wrong = np.where(true, kinds.fn[at], np.where(predicted, kinds.fp[at], kinds.tn[at]))
    cells: Array = np.where(true & predicted, kinds.tp[at], wrong)
    return cells
