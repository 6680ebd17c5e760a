"""Scores of reweighted classes: each true class is scaled to a chosen share.

An item of class i counts n·s_i / R_i times, with s_i the share and R_i the items of the class,
which is also random. By the chain rule, ∂M/∂count of a cell is then that of the scaled table,
minus its mean over the items of the same class, times the scale: the classes are separate samples.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from whichf1.definitions.definition import Definition, Frozen
from whichf1.statistics.cells import FEW_CELLS, Cells, shared_cells
from whichf1.statistics.sample import FEW, FEW_HITS, Sample, Statistic, Twin, equal_items, fewest
from whichf1.statistics.scales import Smoothed
from whichf1.tables.cells import Array, Table, scaled_rows, sum_by
from whichf1.tables.counts import Counts


class Reweighted(Statistic):
    """A score of class counts whose true classes are scaled to chosen shares."""

    def __init__(self, plain: Cells, share: Array, coarse: Reweighted | None = None) -> None:
        """``plain`` is the score without reweighting, ``share`` that of each class.

        ``coarse`` is the same score on the cells of one system, if these are shared by several.
        """
        self.plain, self.share_of_class = plain, share
        frozen = plain.frozen._replace(table=scaled_rows(plain.frozen.table, share))
        own: Cells | None = None if coarse is None else coarse.cells
        self.cells: Cells = Cells(plain.definition, frozen, coarse=own)

    @classmethod
    def of(cls, definition: Definition, frozen: Frozen) -> Reweighted:
        """The score of counts that are frozen for a definition with shares."""
        share = definition.shares_of(frozen.units)
        unscaled = frozen._replace(table=frozen.units.table)
        return cls(Cells(definition.settled(class_shares=None), unscaled), share)

    @property
    def _table(self) -> Table:
        table: Table = self.plain.frozen.table
        return table

    def values(self, count: Array) -> Array:
        """The values for counts (…, cells); NaN where a class with a share has no items."""
        table = self._table
        if count.ndim == 1:
            own: Array = self.values(count[None])[0]
            return own
        rows = sum_by(table.true, count.astype(np.float64), table.classes)
        lacking = ((rows == 0) & (self.share_of_class > 0)).any(-1)
        drawn = Table(table.true, table.predicted, count, table.classes)
        values = self.cells.values(scaled_rows(drawn, self.share_of_class).count)
        return np.where(lacking[..., None], np.nan, values)

    def slope(self, count: Array, at: int = 0) -> Array:
        """∂value/∂count of each cell."""
        return _by_class(self.cells.slope(count, at), self._table, self.share_of_class)

    @property
    def size(self) -> int:
        """How many classes one score reads."""
        return self.plain.size

    @property
    def right(self) -> Array:
        """Whether the predicted class of a cell is the true one."""
        return self.plain.right

    def differs(self, other: Reweighted) -> Array:
        """Whether two systems predict different classes."""
        return self.plain.differs(other.plain)

    @property
    def right_and_wrong(self) -> tuple[Array, Array] | None:
        """∂value/∂count of an item of each class that is right, and of one that is wrong."""
        both = self.cells.right_and_wrong if self.cells.is_one_number else None
        if both is None:
            return None
        table, classes = self._table, np.flatnonzero(self.cells.frozen.table.rows > 0)
        slope = self.cells.slope(table.count)
        means = sum_by(table.true, table.count * slope, table.classes)[classes]
        rows = table.rows[classes]
        scale = self.share_of_class[classes] * float(table.total) / rows
        right, wrong = ((x - means / rows) * scale for x in both)
        return right, wrong

    def few(self, sample: Sample, at: int, careful: bool) -> str | None:
        """Too few items of a class that has a share, or too few for the score itself."""
        table, present = self._table, np.flatnonzero(self.share_of_class > 0)
        units = self.plain.frozen.units
        labels = range(table.classes) if units is None else units.labels

        def size_of(what: str) -> Array:
            kept = np.flatnonzero(self.right if what == "hits" else ~self.right)
            if what == "items":
                kept = np.arange(len(table.true))
            true = table.true[kept]
            size: Array = sum_by(true, sample.count[kept], table.classes)[present]
            if sample.squares is None:
                return size
            return equal_items(size, sum_by(true, sample.squares[kept], table.classes)[present])[0]

        enough = FEW_HITS if careful else 0
        least = {"items": FEW, "hits": enough, "misses": enough}
        few = fewest(size_of, lambda place: labels[present[place]], least)
        return few or self.plain.few_in_table(sample, at, careful)

    def beside(self, other: Reweighted) -> Reweighted:
        """The score on the cells of both."""
        return Reweighted(self.plain.beside(other.plain), self.share_of_class)

    def with_prior(self, sample: Sample, items: float) -> tuple[Reweighted, Sample]:
        """The score on all cells, including empty ones."""
        larger, drawn = self.plain.with_prior(sample, items)
        return Reweighted(larger, self.share_of_class), drawn

    def smoothed(self, sample: Sample) -> tuple[Array, list[Twin]]:
        """The values, and each with one item added to every class: half of it correct or, for a
        score of one class, predicted as that class.
        """
        k, values = self._table.classes, np.ravel(self.values(sample.count))
        if k * k > FEW_CELLS or k < 2:
            return values, [None] * len(values)
        return values, [self._twin(sample, place) for place in range(len(values))]

    def _twin(self, sample: Sample, place: int) -> Smoothed:
        table, k, weight = self._table, self._table.classes, sample.typical_weight
        true, predicted = np.divmod(np.arange(k * k), k)
        half = predicted == (true if self.cells.is_one_number else self.plain.frozen.classes[place])
        part = np.where(half, 0.5, 0.5 / (k - 1)) * (self.share_of_class > 0)[true]
        at = table.true * k + table.predicted
        count = np.bincount(at, sample.count, k * k) + weight * part
        frozen = self.plain.frozen._replace(table=Table(true, predicted, count, k))
        larger = Reweighted(Cells(self.plain.definition, frozen), self.share_of_class)
        slope = larger.slope(count, place)
        second, fourth = float(part @ slope**2), float(part @ slope**4)
        powers = (weight**2 * second, weight**4 * fourth)
        spread = sample.smoothed_spread(slope[at].__getitem__, powers, table.true)
        value = float(np.ravel(larger.values(count))[place])
        return Smoothed(value, spread, "beta" if sample.cluster is None else "transformed")


def _by_class(slope: Array, table: Table, share: Array) -> Array:
    """The slope of a scaled table as a slope of the original table."""
    rows = table.rows
    scale = np.divide(share * float(table.total), rows, out=np.zeros(len(rows)), where=rows > 0)
    sums = sum_by(table.true, table.count * slope, table.classes)
    means = np.divide(sums, rows, out=np.zeros(len(rows)), where=rows > 0)
    centred: Array = scale[table.true] * (slope - means[table.true])
    return centred


def shared_reweighted(
    systems: Sequence[Reweighted], counts: Counts
) -> tuple[list[Reweighted], Sample]:
    """The scores of several systems on the cells that they share, and these cells."""
    plain, sample = shared_cells([each.plain for each in systems], counts)
    pairs = zip(plain, systems, strict=True)
    return [Reweighted(one, each.share_of_class, each) for one, each in pairs], sample
