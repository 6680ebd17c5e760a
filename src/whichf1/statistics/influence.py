"""The delta method for every metric, without a line of code per metric.

With s = ∂M/∂count of a cell, centred so that Σ count·s = 0, Var(M) = Σ count·s² (Σ Σw²·s² with
weights; for clusters of items, the sum over clusters of (Σ count·s)², times G/(G − 1)), and n·s is
the influence of an item. Only an epsilon in a denominator makes centring necessary: any other score
does not change when all counts are multiplied.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from whichf1.definitions.class_sets import Frozen
from whichf1.definitions.definition import Definition
from whichf1.definitions.methods import Interval
from whichf1.statistics.scales import Spread, spread_of, transformed
from whichf1.statistics.tracing import slopes
from whichf1.tables.cells import Array, Margins, OneVsRest, Table

_BLOCK = 1 << 14


def delta_intervals(
    definition: Definition, frozen: Frozen, level: float
) -> tuple[Array, list[Interval | None]]:
    """The values of a definition, and an interval for each; None where the delta method has none.

    It has none where the score does not vary at all in first order (a perfect score, say) or is
    undefined: an interval of no width would claim too much.
    """
    values, spreads = standard_spreads(definition, frozen)
    bounds = definition.declaration.bounds
    return values, [
        transformed(value, spread, bounds, level, "delta")
        for value, spread in zip(values.tolist(), spreads, strict=True)
    ]


def standard_spreads(definition: Definition, frozen: Frozen) -> tuple[Array, list[Spread]]:
    """The values of the definition, and the standard error and skewness of each."""
    table = frozen.table
    if definition.declaration.kind == "agreement" or definition.average is not None:
        value, slope = margin_slopes(definition, frozen)
        if definition.epsilon or table.cluster is not None:
            spread = spread_on(slope.at(table.true, table.predicted), table)
        else:
            spread = _spread_in_blocks(slope, table)
        return np.array([value]), [spread]
    values, kinds = kind_slopes(definition, frozen)
    if table.cluster is not None:
        each = range(len(frozen.classes))
        return values, [spread_on(_of_class(kinds, frozen, at), table) for at in each]
    # to a class, every item is one of four kinds
    own, by_kind = (np.stack(_four(x)) for x in (table.one_vs_rest(frozen.classes), kinds))
    by_kind -= (own * by_kind).sum(0) / table.total
    if table.squares is not None:
        fine = Table(table.true, table.predicted, table.squares, table.classes)
        own, weight = as_items(own, np.stack(_four(fine.one_vs_rest(frozen.classes))))
        by_kind *= weight
    part = own * by_kind
    square = (part * by_kind).sum(0)
    part *= by_kind
    cube = (part * by_kind).sum(0)
    with np.errstate(invalid="ignore", divide="ignore"):
        skew = cube / square**1.5
    return values, [*map(Spread, np.sqrt(square).tolist(), skew.tolist())]


def spread_on(by_cell: Array, table: Table) -> Spread:
    """The spread of a score, or of a difference, with these ∂M/∂count."""
    by_cell = centred(by_cell, table.count)
    if table.cluster is None:
        if table.squares is None:
            return spread_of(by_cell, table.count)
        times, weight = as_items(table.count, table.squares)
        return spread_of(by_cell * weight, times)
    sums = np.bincount(table.cluster, table.count * by_cell)
    groups = len(sums)
    if groups < 2:
        return Spread(inf)  # one cluster says nothing of the spread between clusters
    return spread_of(sums, factor=groups / (groups - 1))


def standard_error(by_cell: Array, table: Table) -> float:
    """The standard error of a score, or of a difference, with these ∂M/∂count."""
    return spread_on(by_cell, table).error


def as_items(count: Array, squares: Array) -> tuple[Array, Array]:
    """Weighted items as so many equal ones, and the weight of each: Σw and Σw² are the same."""
    known = count > 0
    weight = np.divide(squares, count, out=np.zeros(count.shape), where=known)
    return np.divide(count, weight, out=np.zeros(count.shape), where=known), weight


def centred(slope: Array, count: Array) -> Array:
    """What an item moves when the number of items stays: the slope minus its mean."""
    centred: Array = slope - (count * slope).sum() / count.sum()
    return centred


def _spread_in_blocks(slope: Slopes, table: Table) -> Spread:
    """The same of a slope that is centred, a block at a time: what fits the cache is faster."""
    square = cube = 0.0
    for start in range(0, len(table.true), _BLOCK):
        block = slice(start, start + _BLOCK)
        by_cell = slope.at(table.true[block], table.predicted[block])
        times = table.spread[block]
        part = by_cell * times
        square += float(np.dot(part, by_cell))
        part *= by_cell
        if table.squares is not None:  # as many equal items, of weight Σw² / Σw
            part *= times / table.count[block]
        cube += float(np.dot(part, by_cell))
    return Spread(sqrt(square), cube / square**1.5 if square > 0 else None)


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
    if definition.declaration.kind == "agreement":
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
    if definition.declaration.kind == "agreement" or definition.average is not None:
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
