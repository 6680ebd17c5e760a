"""Table: counts without labels, the arrays that formulas compute on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import inf, isqrt, log, log1p
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from whichf1 import kernel
from whichf1.errors import DefinitionError, numbered

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Ties: TypeAlias = Literal["first", "last", "best", "worst"]
"""Which of equal scores comes first: by class order, or with the true class at best or worst."""


@lru_cache(maxsize=64)
def every_class(classes: int) -> Array:
    """The codes of all classes, in order."""
    codes = np.arange(classes)
    codes.setflags(write=False)
    return codes


@lru_cache(maxsize=64)
def one_class(code: int) -> Array:
    """The code of one class, as an array."""
    codes = np.array([code])
    codes.setflags(write=False)
    return codes


class OneVsRest:
    """Each class against all others: four arrays (…, classes).

    True positives ``tp`` are of the class and predicted so; false positives ``fp`` predicted as the
    class and of another; false negatives ``fn`` of the class and predicted as another; true
    negatives ``tn`` neither. Few formulas need the last one, which may be a function that computes
    it.
    """

    __slots__ = ("_tn", "fn", "fp", "tp")

    def __init__(self, tp: Array, fp: Array, fn: Array, tn: Array | Callable[[], Array]) -> None:
        self.tp, self.fp, self.fn, self._tn = tp, fp, fn, tn

    @property
    def tn(self) -> Array:
        """True negatives."""
        if callable(self._tn):
            self._tn = self._tn()
        return self._tn


class CellValues(NamedTuple):
    """A number for each cell, every pair of classes once: counts, or the slopes of a score."""

    key: Array
    """true · classes + predicted, in ascending order."""
    values: Array
    """(…, cells)."""
    classes: int

    @property
    def true(self) -> Array:
        """The true class of each cell."""
        true: Array = self.key // self.classes
        return true

    @property
    def predicted(self) -> Array:
        """The predicted class of each cell."""
        predicted: Array = self.key % self.classes
        return predicted

    @classmethod
    def of(cls, true: Array, predicted: Array, count: Array, classes: int) -> CellValues:
        """The counts of cells, summed by pair of classes."""
        key = true * classes + predicted
        if np.all(key[1:] > key[:-1]):
            return cls(key, count, classes)
        every, at = np.unique(key, return_inverse=True)
        return cls(every, sum_by(at, count, len(every)), classes)

    def at(self, true: Array, predicted: Array) -> Array:
        """The numbers of some of these cells."""
        chosen: Array = self.values[..., np.searchsorted(self.key, true * self.classes + predicted)]
        return chosen

    def on(self, key: Array) -> Array:
        """The numbers of all of these cells; 0 for a cell that it does not have."""
        every = np.zeros((*self.values.shape[:-1], len(key)), self.values.dtype)
        every[..., np.searchsorted(key, self.key)] = self.values
        return every


class Margins:
    """The sums of a table that a measure of agreement needs, as arrays (…, classes).

    The cells themselves are available to formulas that need them.

    Right and wrong items are summed separately, so that no sum of weights is ever a small
    difference of large ones.
    """

    tp: Array
    """Items of each class predicted as it: the diagonal."""
    fp: Array
    """Items of other classes predicted as each class."""
    fn: Array
    """Items of each class predicted as another."""
    of_cells: ClassVar[bool] = True
    """Whether the margins are sums of the cells."""

    def __init__(
        self,
        tp: Array,
        fp: Array,
        fn: Array,
        tn: Array | Callable[[], Array] | None = None,
        distances: Array | Callable[[], Array] | None = None,
        cells: CellValues | Callable[[], CellValues] | None = None,
        total: Any = None,
    ) -> None:
        """All but the first may be functions; without ``tn``, counts are whole numbers."""
        self.tp, self.fp, self.fn = tp, fp, fn
        self._tn, self._distances, self._cells = tn, distances, cells
        if total is not None:
            self.total = total

    @property
    def margins(self) -> Margins:
        """Itself, since each item has one class."""
        return self

    @property
    def rows(self) -> Array:
        """Items of each class."""
        return self.tp + self.fn

    @property
    def columns(self) -> Array:
        """Items predicted as each class."""
        return self.tp + self.fp

    @cached_property
    def total(self) -> Array:
        """All items (…)."""
        total: Array = self.rows.sum(-1)
        return total

    @cached_property
    def tn(self) -> Array:
        """Items of other classes predicted as others."""
        if self._tn is None:
            return self._difference
        return self._tn() if callable(self._tn) else self._tn

    @property
    def _difference(self) -> Array:
        """True negatives as a difference, which is exact for whole numbers."""
        return self.total[..., None] - self.tp - self.fp - self.fn

    @cached_property
    def distances(self) -> Array:
        """Items whose predicted class is 0, 1, 2, … positions from the true one."""
        known: Any = self._distances
        if known is None:
            true, predicted = self.cells.true, self.cells.predicted
            return sum_by(np.abs(true - predicted), self.cells.values, self.cells.classes)
        distances: Array = known() if callable(known) else known
        return distances

    @cached_property
    def cells(self) -> CellValues:
        """The counts of all cells that are not empty, and possibly of some that are."""
        known: Any = self._cells
        cells: CellValues = known() if callable(known) else known
        return cells

    @property
    def right(self) -> Array:
        """Items predicted as their class (…)."""
        return _sum(self.tp)

    @property
    def wrong(self) -> Array:
        """Items predicted as another class (…)."""
        return _sum(self.fn)

    @property
    def apart(self) -> Array:
        """Pairs of a true and a predicted class, drawn each by itself, that differ (…)."""
        return _sum(self.rows * (self.tn + self.fn))

    @property
    def rows_apart(self) -> Array:
        """Ordered pairs of items of different classes (…)."""
        return _sum(self.rows * (self.tn + self.fp))

    @property
    def columns_apart(self) -> Array:
        """Ordered pairs of items predicted as different classes (…)."""
        return _sum(self.columns * (self.tn + self.fn))

    @property
    def either_apart(self) -> Array:
        """Ordered pairs of classes, each either true or predicted, that differ (…)."""
        apart: Array = self.rows_apart + self.columns_apart + 2 * self.apart
        return apart

    @property
    def together(self) -> Array:
        """n times the items predicted right, beyond those that chance would give (…).

        It is n Σ C_ii − Σ C_i· C_·i, without a difference of large numbers.
        """
        return _sum(self.tp * self.tn - self.fp * self.fn)

    @property
    def pairs(self) -> tuple[Array, Array, Array]:
        """Ordered pairs of items in one cell; of one true class only; of one predicted only (…)."""
        cells = self.cells
        values = cells.values
        only_true = values * (np.take(self.rows, cells.true, -1) - values)
        only_predicted = values * (np.take(self.columns, cells.predicted, -1) - values)
        return _sum(values * (values - 1)), _sum(only_true), _sum(only_predicted)

    @property
    def shared(self) -> Array:
        """n times the information that true and predicted classes share, in nats (…).

        It is what is left of an entropy once the other class is known; of the smaller entropy,
        which it cannot exceed, so that it is no difference of larger numbers.
        """
        if self._information is not None:
            known: Array = self._information[0]
            return known
        true, predicted = self.entropies
        rows = (self.rows, self.cells.true)
        columns = (self.columns, self.cells.predicted)
        if isinstance(true, np.floating):
            return self._left(rows, columns) if true <= predicted else self._left(columns, rows)
        left: Array = np.where(
            true <= predicted, self._left(rows, columns), self._left(columns, rows)
        )
        return left

    def _left(self, side: tuple[Array, Array], other: tuple[Array, Array]) -> Array:
        """n times what is left of the entropy of rows or columns: (their sums, those of the cells).

        That is the sum of c·ln(n/row) − c·ln(column/c) over the cells c.
        """
        (rows, true), (columns, predicted), values = side, other, self.cells.values
        row, column = np.take(rows, true, -1), np.take(columns, predicted, -1)
        most = 2 * values > column
        others = sum_by(predicted, np.where(most, 0, values), columns.shape[-1])
        beside = np.where(most, np.take(others, predicted, -1), column - values)
        surprise = np.take(self._surprise(rows), true, -1)
        parts = values / np.where(row > 0, row, 1) * surprise - _surprise(values, beside)
        shared: Array = np.maximum(_sum(parts), 0)
        return shared

    @property
    def entropies(self) -> tuple[Array, Array]:
        """n times the entropy of the true classes, and of the predicted ones, in nats (…)."""
        if self._information is not None:
            return self._information[1:]
        return _sum(self._surprise(self.rows)), _sum(self._surprise(self.columns))

    @cached_property
    def _information(self) -> tuple[Any, Any, Any] | None:
        """Shared information and entropies of tables of whole numbers, as the kernel adds them up.

        So they have the same bits however the items were counted.
        """
        key, values = self.cells.key, self.cells.values
        if values.ndim > 2 or not self._whole:
            return None
        if values.ndim == 1:
            return kernel.information(*self._bytes)
        margins = np.concatenate([self.tp, self.fp, self.fn], -1)
        shared, true, predicted = kernel.information_of_each(margins, key, values).T
        return shared, true, predicted

    @cached_property
    def contingency(self) -> tuple[Any, Any]:
        """n times χ²; of the true and predicted classes with items, the fewer, less one (…)."""
        cells, rows, columns = self.cells, self.rows, self.columns
        if cells.values.ndim == 1 and self._whole:
            return kernel.contingency(*self._bytes)
        n = self.total[..., None]
        chance = np.take(rows, cells.true, -1) * np.take(columns, cells.predicted, -1)
        filled = chance > 0
        off = cells.values * n - chance
        parts = np.where(filled, off * off / np.where(filled, chance, 1), 0)
        every = rows[..., :, None] * columns[..., None, :]
        size = every.shape[-1] ** 2
        every = every.reshape(*every.shape[:-2], size)
        every[..., cells.key] = 0  # what each empty cell adds is its own chance
        sizes = [(side > 0).sum(-1) for side in (rows, columns)]
        return _sum(parts) + _sum(every), np.maximum(np.minimum(*sizes) - 1, 0)

    @property
    def _whole(self) -> bool:
        """Whether the cells are whole numbers of items, with an exact sum."""
        values = self.cells.values
        if values.dtype != np.float64 or (values % 1).any():
            return False
        return not (self.total >= 2**53).any()

    @property
    def _bytes(self) -> tuple[bytes, bytes]:
        """The margins and the filled cells of one table, as the kernel gives them."""
        filled = self.cells.values > 0
        places = self.cells.key[filled].astype(np.int64).tobytes()
        margins = np.concatenate([self.tp, self.fp, self.fn])
        return margins.tobytes(), places + self.cells.values[filled].tobytes()

    def _surprise(self, items: Array) -> Array:
        """items · ln(n / items) of each class.

        The items of other classes are added up by themselves: beside a class that has nearly all
        items, they are rounded away in n.
        """
        total = self.total[..., None]
        most = 2 * items > total
        others = np.where(most, 0, items).sum(-1, keepdims=True)
        return _surprise(items, np.where(most, others, total - items))

    @cached_property
    def coincidences(self) -> Margins:
        """The same table with both classes of an item in either order, each counted once."""
        return Coincidences(self)

    def one_vs_rest(self, classes: Array | slice = slice(None)) -> OneVsRest:
        """True and false positives and negatives of the chosen classes."""
        if classes is every_class(self.tp.shape[-1]):
            return OneVsRest(self.tp, self.fp, self.fn, lambda: self.tn)
        tp, fp, fn = self.tp[..., classes], self.fp[..., classes], self.fn[..., classes]
        return OneVsRest(tp, fp, fn, lambda: self.tn[..., classes])


def _sum(values: Array) -> Array:
    """The sum over the last axis."""
    total: Array = values.sum(-1)
    return total


class Coincidences(Margins):
    """A table with both classes of each item in either order: each of them counts once."""

    def __init__(self, once: Margins) -> None:
        """``once`` has each item in one order."""
        self._once = once

    tp = cached_property(lambda self: 2 * self._once.tp)
    fp = cached_property(lambda self: self._once.fp + self._once.fn)
    fn = property(lambda self: self.fp)
    tn = cached_property(lambda self: 2 * self._once.tn)
    total = cached_property(lambda self: 2 * self._once.total)
    wrong = property(lambda self: 2 * self._once.wrong)
    apart = rows_apart = columns_apart = property(lambda self: self._once.either_apart)
    _distances = None

    @cached_property
    def cells(self) -> CellValues:
        """The counts of the cells that are not empty, in one order, twice."""
        cells = self._once.cells
        return cells._replace(values=2 * cells.values)


_FLOAT, _INTEGER = np.dtype(np.float64), np.dtype(np.int64)


class CountedMargins(Margins):
    """The margins of one table as the kernel counts it; arrays are made when they are asked for."""

    def __init__(self, table: kernel.CountedTable, n: int) -> None:
        """``table`` is whole, unless only the margins themselves are asked for."""
        self._table, self.total = table, float(n)  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        """Its arrays, all at once: they are not there at first."""
        if name not in ("tp", "fp", "fn"):
            raise AttributeError(name)
        margins, k = self._table[1], len(self._table[0])
        self.tp = np.ndarray(k, _FLOAT, margins)
        self.fp = np.ndarray(k, _FLOAT, margins, 8 * k)
        self.fn = np.ndarray(k, _FLOAT, margins, 16 * k)
        return getattr(self, name)

    right = property(lambda self: self._table[2][0])
    wrong = property(lambda self: self._table[2][1])
    apart = property(lambda self: self._table[2][2])
    rows_apart = property(lambda self: self._table[2][3])
    columns_apart = property(lambda self: self._table[2][4])
    together = property(lambda self: self._table[2][5])
    pairs = property(lambda self: self._table[2][6:])
    _difference = property(lambda self: self.total - self.tp - self.fp - self.fn)
    shared = property(lambda self: self._information[0])
    entropies = property(lambda self: self._information[1:])
    _tn = _distances = None

    def spread_sums(self, formula: kernel.Formula, every: bool) -> kernel.SpreadSums | None:
        """What the spread of a formula of these counts is computed from; None where 0/0 is."""
        return kernel.table_spread(formula, self._table[1], self._filled, None, None, every)

    def value_of(self, formula: kernel.Formula) -> float | None:
        """The value of a formula of these counts; None where 0/0 is."""
        return kernel.table_value(formula, self._table[1])

    @cached_property
    def _information(self) -> tuple[Any, Any, Any]:
        return kernel.information(self._table[1], self._filled)

    @cached_property
    def contingency(self) -> tuple[Any, Any]:
        """n times χ²; of the true and predicted classes with items, the fewer, less one."""
        return kernel.contingency(self._table[1], self._filled)

    @property
    def _filled(self) -> bytes:
        return self._table[3] or b""

    @cached_property
    def cells(self) -> CellValues:
        """The counts of the cells that are not empty."""
        filled, classes = self._filled, len(self._table[0])
        n = len(filled) // 16
        key = np.ndarray(n, _INTEGER, filled)
        return CellValues(key, np.ndarray(n, _FLOAT, filled, 8 * n), classes)


def remainder(total: Array, touched: Array, outside: Callable[[int], Array]) -> Array:
    """The remainder of the total (…) for each class (…, classes), to full precision.

    It is the difference, unless that is less than half of the total, where rounding may show;
    there, the cells ``outside`` a class are summed. Few classes touch half of all items, so this
    takes hardly longer.
    """
    rest: Array = total[..., None] - touched
    small = 2 * rest < total[..., None]
    for k in np.flatnonzero(small.any(tuple(range(small.ndim - 1)))).tolist():
        rest[..., k] = outside(k)
    return rest


_BLOCK = 1 << 13
"""Scores processed at a time: from 10,000 on, BLAS starts threads, slow on a busy machine."""


_NUMBERS = "ilqd"
"""The types of counts that the kernel sums."""


class Step(NamedTuple):
    """Some scores of a ranking: arrays (…, scores) in float64."""

    positives: Array
    negatives: Array
    tp: Array
    """Positives with at least each score."""
    fp: Array
    """Negatives with at least each score."""


Rate: TypeAlias = Callable[[Step], tuple[Array, Array]]
"""The value of each step, and whether it is allowed."""


def _running(counts: Array, start: Array) -> Array:
    """Running sums along the last axis, in the same order however many blocks there are."""
    if counts.dtype.kind == "i":  # as whole numbers, which is faster and exact
        sums: Array = start[..., None] + np.cumsum(counts, -1, dtype=np.int64)
        return sums
    sums = counts.astype(np.float64)
    sums[..., 0] += start
    return np.cumsum(sums, -1, out=sums)


@dataclass(eq=False)
class RankTable:
    """Items by score, highest first: what ranking formulas compute on.

    ``positives`` and ``negatives`` may have leading axes; the scores are on the last one.
    """

    score: Array
    positives: Array
    negatives: Array

    @classmethod
    def of(cls, ranks: kernel.Ranks, positives: int, negatives: int) -> RankTable:
        """Items without weights, all counted by the kernel."""
        table = cls(*ranks)
        table.__dict__.update(sizes=(np.float64(positives), np.float64(negatives)), weighted=False)
        return table

    @cached_property
    def true_positives(self) -> Array:
        """Positives with at least each score, in the type of the counts to save memory."""
        return np.cumsum(self.positives, -1, dtype=self.positives.dtype)

    @cached_property
    def false_positives(self) -> Array:
        """Negatives with at least each score."""
        return np.cumsum(self.negatives, -1, dtype=self.negatives.dtype)

    def steps(self) -> Iterator[Step]:
        """The table in blocks of scores, highest first, with what is above each score.

        So no formula needs arrays as long as the table, which may be as long as the data
        themselves.
        """
        one = self.positives.ndim == 1 and self.positives.dtype.char in _NUMBERS
        return self._steps_of_one() if one else self._steps_of_batch()

    def _steps_of_batch(self) -> Iterator[Step]:
        tp = fp = np.zeros(self.positives.shape[:-1])
        for at in range(0, self.score.shape[-1], _BLOCK):
            block = slice(at, at + _BLOCK)
            p, n = self.positives[..., block], self.negatives[..., block]
            above, below = _running(p, tp), _running(n, fp)
            yield Step(p.astype(np.float64), n.astype(np.float64), above, below)
            tp, fp = above[..., -1], below[..., -1]

    def _steps_of_one(self) -> Iterator[Step]:
        positives, negatives, tp, fp = self.positives, self.negatives, 0.0, 0.0
        if 0 < len(positives) <= _BLOCK:
            yield Step._make(kernel.running(positives, negatives, tp, fp))
            return
        for at in range(0, len(positives), _BLOCK):
            block = slice(at, at + _BLOCK)
            step = Step._make(kernel.running(positives[block], negatives[block], tp, fp))
            yield step
            tp, fp = float(step.tp[-1]), float(step.fp[-1])

    def contenders(self, rate: Rate) -> Iterator[Step]:
        """Steps among which is the one with the largest allowed value."""
        return self.steps()

    def first(self, reached: Callable[[Step], Array]) -> Step:
        """The first step for which a condition holds that also holds for all after it: (…)."""
        sides = (self.positives, self.negatives, self.true_positives, self.false_positives)
        at = reached(Step(*sides)).argmax(-1)
        if self.positives.ndim == 1:
            return Step._make([x[at] for x in sides])
        return Step._make(np.take_along_axis(x, at[..., None], -1)[..., 0] for x in sides)

    @cached_property
    def sizes(self) -> tuple[Array, Array]:
        """All positives, all negatives (…)."""
        if not self.weighted:
            wide = np.float64
            return self.positives.sum(-1, dtype=wide), self.negatives.sum(-1, dtype=wide)
        # the last running sums, so that all of a class is exactly all of it
        sums = (self.true_positives, self.false_positives)
        positives, negatives = (x[..., -1:].sum(-1) for x in sums)
        return positives, negatives

    @cached_property
    def weighted(self) -> bool:
        """Whether the counts are sums of weights."""
        return bool(self.positives.dtype.kind == "f")


@dataclass(eq=False)
class Buckets(RankTable):
    """Items in buckets of near scores, highest first, whose order matters only around a point.

    The score of a bucket is its number.
    """

    ranked: Callable[[Array], kernel.Ranks]
    """From the columns of some buckets to the ranking of their items."""

    @cached_property
    def _ends(self) -> Step:
        """Buckets as steps: each ends with a score that occurs."""
        return Step._make(kernel.running(self.positives, self.negatives, 0.0, 0.0))

    def contenders(self, rate: Rate) -> Iterator[Step]:
        """Ends of all buckets, and the steps of buckets that may have a larger value.

        More positives must not lower the value, nor more negatives raise it, and a step must remain
        allowed by more of the first and fewer of the second: a bucket has no better point than if
        its positives came first.
        """
        ends = self._ends
        yield ends
        value, allowed = rate(ends)
        best = np.where(allowed, value, 0.0).max()
        value, allowed = rate(ends._replace(fp=ends.fp - ends.negatives))
        chosen = np.flatnonzero(allowed & (value > best))
        if len(chosen):
            yield self._within(chosen)

    def first(self, reached: Callable[[Step], Array]) -> Step:
        """The first step for which a condition holds that also holds for all after it."""
        steps = self._within(np.array([reached(self._ends).argmax()]))
        at = reached(steps).argmax()
        return Step._make(x[at] for x in steps)

    def _within(self, chosen: Array) -> Step:
        """The steps of the items in chosen buckets."""
        ranks = self.ranked(np.stack([self.score, self.positives, self.negatives])[:, chosen])
        positives, negatives, tp, fp = kernel.running(ranks.positives, ranks.negatives, 0.0, 0.0)
        sizes = (self.positives + self.negatives)[chosen]
        bucket = np.cumsum(sizes).searchsorted(tp + fp)  # of each step, among the chosen ones
        above = self._ends.tp[chosen] - np.cumsum(self.positives[chosen])  # those not chosen
        below = self._ends.fp[chosen] - np.cumsum(self.negatives[chosen])
        return Step(positives, negatives, tp + above[bucket], fp + below[bucket])


@dataclass(eq=False)
class Table(Margins):
    """The arrays behind Counts, without labels: what formulas compute on.

    ``count`` may have leading axes (replicates, slices); the cells are on its last axis. The same
    pair of classes may have several cells, for example one for each cluster of items.
    """

    true: Array
    predicted: Array
    count: Array
    classes: int
    exact: bool = False
    """Whether the counts are whole numbers, of which any sum and difference is exact."""

    @cached_property
    def tp(self) -> Array:  # type: ignore[override]
        """True positives; the false positives and negatives are computed along with them."""
        tp: Array
        sums = np.zeros((3, self.classes))
        if self.count.ndim == 1 and self.count.dtype.char == "d":
            kernel.margins(self.true, self.predicted, np.ascontiguousarray(self.count), sums)
            sums.setflags(write=False)
            tp, fp, fn = sums
        else:
            right, wrong = self.true == self.predicted, self.true != self.predicted
            tp = sum_by(self.true[right], self.count[..., right], self.classes)
            fp = sum_by(self.predicted[wrong], self.count[..., wrong], self.classes)
            fn = sum_by(self.true[wrong], self.count[..., wrong], self.classes)
        self.__dict__.update(fp=fp, fn=fn, _sums=sums)
        return tp

    def spread_sums(self, formula: kernel.Formula, every: bool) -> kernel.SpreadSums | None:
        """What the spread of a formula of these counts is computed from; None where 0/0 is.

        Also None for counts that are not whole numbers.
        """
        if not self.exact or self.count.ndim > 1 or self.tp.dtype.char != "d":
            return None
        true, predicted = (np.ascontiguousarray(x, np.int64) for x in (self.true, self.predicted))
        count, sums = np.ascontiguousarray(self.count), self.__dict__["_sums"]
        return kernel.table_spread(formula, sums, true, predicted, count, every)

    fp = cached_property(lambda self: (self.tp, self.__dict__["fp"])[1])
    fn = cached_property(lambda self: (self.tp, self.__dict__["fn"])[1])
    tn = cached_property(
        lambda self: (
            self._difference if self.exact else outside(self, self.true, self.predicted, self.count)
        )
    )
    distances = cached_property(
        lambda self: sum_by(np.abs(self.true - self.predicted), self.count, self.classes)
    )
    cells = cached_property(
        lambda self: CellValues.of(self.true, self.predicted, self.count, self.classes)
    )

    @cached_property
    def in_range(self) -> Table:
        """The same in units that formulas can multiply."""
        count = in_range(self.count)
        return self if count is self.count else replace(self, count=count)


def scaled_rows(table: Table, share: Array) -> Table:
    """The table with each true class scaled to its share of all items; 0 where it has no items."""
    rows = sum_by(table.true, table.count.astype(np.float64), table.classes)
    total = rows.sum(-1, keepdims=True)
    factor = np.divide(share * total, rows, out=np.zeros(rows.shape), where=rows > 0)
    return Table(table.true, table.predicted, table.count * factor[..., table.true], table.classes)


def outside(margins: Margins, true: Array, predicted: Array, count: Array) -> Array:
    """True negatives of each class: the cells outside its row and its column."""

    def cells(k: int) -> Array:
        neither: Array = count[..., (true != k) & (predicted != k)].sum(-1)
        return neither

    return remainder(margins.total, margins.tp + margins.fp + margins.fn, cells)


class Predicted(NamedTuple):
    """Items with a score for every class, as a loss sees them.

    A loss is written once, in NumPy: ``-np.log(np.maximum(x.own, floor))``. An engine that holds
    the columns passes an object with the same attributes, whose values are expressions instead of
    arrays: they support arithmetic, comparisons, ``np.where`` and the usual mathematical functions.
    """

    codes: Array
    """The true class of each item."""
    scores: Array
    """(items, classes)."""

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return int(self.scores.shape[1])

    @property
    def own(self) -> Array:
        """The score of the true class of each item."""
        own: Array = self.scores[np.arange(len(self.codes)), self.codes]
        return own

    def total(self, part: Callable[[Any], Any]) -> Array:
        """The sum over the classes of a function of their scores, for each item."""
        total: Array = np.add.reduce(part(self.scores), 1)
        return total

    def error(self, part: Callable[[Any], Any]) -> Array:
        """The same for their errors: the score, minus 1 for the true class."""
        errors = np.array(self.scores, np.float64)
        errors[np.arange(len(errors)), self.codes] -= 1
        total: Array = np.add.reduce(part(errors), 1)
        return total

    def ahead(self, ties: Ties) -> Array:
        """How many classes rank ahead of the true one, for each item."""
        return self._in_parts(lambda part: part._ahead(ties))

    def _in_parts(self, of_part: Callable[[Predicted], Array]) -> Array:
        """A number for each item, in chunks small enough to stay in the cache."""
        step = max(1, 4 * _BLOCK // max(1, self.classes))
        if len(self.codes) <= step:
            return of_part(self)
        places = (slice(at, at + step) for at in range(0, len(self.codes), step))
        return np.concatenate([of_part(Predicted(self.codes[x], self.scores[x])) for x in places])

    def _ahead(self, ties: Ties) -> Array:
        by_class, own = np.ascontiguousarray(self.scores.T), self.own
        ahead: Array = np.count_nonzero(by_class > own, axis=0)
        equal = by_class == own
        tied = np.flatnonzero(np.count_nonzero(equal, axis=0) > 1)
        if ties != "best" and len(tied):
            place, own_place = np.arange(self.classes)[:, None], self.codes[tied]
            earlier, later = place < own_place, place > own_place
            wins = {"first": earlier, "last": later, "worst": earlier | later}[ties]
            ahead[tied] += np.count_nonzero(equal[:, tied] & wins, axis=0)
        return ahead

    @property
    def margin(self) -> Array:
        """The score of the true class minus the highest of the others, for each item."""
        return self._in_parts(Predicted._margin)

    def _margin(self) -> Array:
        others = np.array(self.scores.T, np.float64, order="C")
        others[self.codes, np.arange(len(self.codes))] = -np.inf
        margin: Array = self.own - others.max(0)
        return margin

    def running_error(self, part: Callable[[Any], Any]) -> Array:
        """The sum of a function of the errors of running sums: Σ_{j≤k} p_j − [true class ≤ k].

        Over all classes but the last, in label order, for each item.
        """
        places = np.arange(self.classes - 1)
        errors = np.cumsum(self.scores[:, :-1], 1) - (self.codes[:, None] <= places)
        total: Array = part(errors).sum(1)
        return total

    def cost(self, costs: Any) -> Array:
        """The cost of the decision with the lowest expected cost, for each item.

        ``costs`` has a row for each true class; of equally good decisions, the first is
        taken.
        """
        matrix = cost_matrix(costs, self.classes)
        expected = self.scores @ matrix
        within = expected.min(1, keepdims=True) + EQUALLY_GOOD * matrix.max()
        cost: Array = matrix[self.codes, (expected <= within).argmax(1)]
        return cost


EQUALLY_GOOD = 1e-12
"""Expected costs that differ by this fraction of the largest cost differ by rounding."""


def cost_matrix(costs: Any, classes: int) -> Array:
    """The cost of each decision, or 1 for every error; raises if the shape is wrong."""
    if costs is None:
        return 1 - np.eye(classes)
    if len(costs) != classes:
        raise DefinitionError(
            f"costs has {numbered(len(costs), 'row')} and columns, but there are "
            f"{numbered(classes, 'class')}. Give one "
            "for each class, in label order."
        )
    return np.array(costs, np.float64)


class RankedLabels(NamedTuple):
    """Items with their labels and a score for every label."""

    true: Array
    """Booleans (items, labels)."""
    scores: Array


_RANGE = 200
"""Products of four counts between 2⁻²⁰⁰ and 2²⁰⁰ are ordinary floats, to full precision."""


def in_range(count: Array) -> Array:
    """Sums of weights in units that formulas can multiply.

    They are the same numbers; or multiplied by a power of two, which changes no digit of a score;
    or, if the largest and the smallest are too far apart for any unit, fractions, for which
    formulas are exact.
    """
    exponents = np.frexp(count[count > 0])[1].tolist() or [0]
    low, high = min(exponents), max(exponents)
    if high - low > _RANGE:
        from fractions import Fraction  # slow to import

        exact = np.empty((1, len(count)), object)  # a batch, of which every sum is an array
        exact[0] = [Fraction(x) for x in count.tolist()]
        return exact
    if low >= -_RANGE and high <= _RANGE:
        return count
    scaled: Array = np.ldexp(count, -high)
    return scaled


def near_one(weights: Array) -> Array:
    """Weights of a mean, multiplied by a power of two that brings the largest near 1.

    Then no product with a small number loses digits; a mean stays the same.
    """
    if weights.dtype.kind != "f":
        return weights
    high = int(np.frexp(weights.max(initial=0.0))[1])
    return weights if -_RANGE <= high <= _RANGE else np.ldexp(weights, -high)


ENDLESS = 10**5000
"""Infinity among fractions: any mean with it rounds to infinity."""


def is_exact(values: Any) -> bool:
    """Whether these are fractions."""
    return getattr(values, "dtype", None) == np.dtype(object)


def exactly(parameters: tuple[tuple[str, Any], ...], count: Array) -> tuple[tuple[str, Any], ...]:
    """The parameters of a formula, as fractions if counts are fractions."""
    if not is_exact(count):
        return parameters
    exact = type(count.flat[0])
    return tuple((k, exact(v) if isinstance(v, float) and v < inf else v) for k, v in parameters)


def rounded(values: Array) -> Array:
    """The values of a batch of one, converted from fractions to floats; others are floats."""
    if not is_exact(values):
        return values
    return np.array([_float(x) for x in values.flat], np.float64).reshape(values.shape[1:])


def _float(x: Any) -> float:
    try:
        return float(x)
    except OverflowError:
        return inf


def root(x: Array) -> Array:
    """The square root; for fractions, to more digits than a float has."""
    if not is_exact(x):
        return np.sqrt(x)
    roots: Array = np.vectorize(_root, otypes=[object])(x)
    return roots


def _root(x: Any) -> Any:
    product = x.numerator * x.denominator
    places = max(0, 64 - product.bit_length() // 2)
    return type(x)(isqrt(product << 2 * places)) / (x.denominator << places)


def logarithm(x: Array) -> Array:
    """The natural logarithm; for fractions, to the precision of a float."""
    if not is_exact(x):
        return np.log(x)
    logs: Array = np.vectorize(_logarithm, otypes=[object])(x)
    return logs


_FEW = 1e-17
"""Below this, ln(1 + x) is x to all digits of a float."""


def _surprise(items: Array, others: Array) -> Array:
    """items · ln(1 + others / items), which is 0 without items, and others if they are few."""
    filled = items > 0
    ratio = np.where(filled, others, 0) / np.where(filled, items, 1)
    logs = logarithm(1 + ratio) if is_exact(ratio) else np.log1p(ratio)
    return np.where(filled & (ratio < _FEW), others, items * logs)


def _logarithm(x: Any) -> Any:
    from fractions import Fraction  # slow to import

    above, below = x.as_integer_ratio()
    near = abs(above - below) * 2 < below
    return Fraction(log1p((above - below) / below) if near else log(above) - log(below))


def sum_by(codes: Array, count: Array, classes: int) -> Array:
    """Sums of the last axis of ``count`` by code: (…, cells) → (…, classes)."""
    if count.dtype == np.float64:
        if count.ndim == 1:
            sums = np.bincount(codes, count, classes)
            return sums.astype(np.float64, copy=False)  # without codes NumPy gives integers
        return _sum_batch(codes, count, classes)
    sums = np.zeros((classes, *count.shape[:-1]), count.dtype)
    np.add.at(sums, codes, np.moveaxis(count, -1, 0))  # exact for integers of any size
    return np.moveaxis(sums, 0, -1)


def _sum_batch(codes: Array, count: Array, classes: int) -> Array:
    sums = np.moveaxis(np.zeros((classes, *count.shape[:-1])), 0, -1)  # adjacent replicates
    if len(codes):
        order = np.argsort(codes, kind="stable")
        present, starts = np.unique(codes[order], return_index=True)
        sums[..., present] = np.add.reduceat(count[..., order], starts, axis=-1)
    return sums
