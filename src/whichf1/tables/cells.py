"""Table: counts without labels, the arrays that formulas compute on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from whichf1 import kernel

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Ties: TypeAlias = Literal["first", "last", "best", "worst"]
"""Which of equal scores comes first: of classes in order, or the true one at best or worst."""


@lru_cache(maxsize=64)
def every_class(classes: int) -> Array:
    """The codes of all classes, in order."""
    codes = np.arange(classes)
    codes.setflags(write=False)
    return codes


class OneVsRest:
    """Each class against all others: four arrays (…, classes).

    True positives ``tp`` are of the class and predicted so; false positives ``fp`` predicted as the
    class and of another; false negatives ``fn`` of the class and predicted as another; true
    negatives ``tn`` neither. Few formulas need the last, which is computed when it is asked for.
    """

    __slots__ = ("_tn", "_whole", "fn", "fp", "tp")

    def __init__(
        self, tp: Array, fp: Array, fn: Array, tn: Array | None = None, *, whole: Any = None
    ) -> None:
        """``whole``: in place of ``tn``, the table that has the total."""
        self.tp, self.fp, self.fn = tp, fp, fn
        self._tn, self._whole = tn, whole

    @property
    def tn(self) -> Array:
        """True negatives."""
        if self._tn is None:
            self._tn = self._whole.total[..., None] - self.tp - self.fp - self.fn
        return self._tn


class Margins:
    """The whole table summed up: all that a measure of agreement needs, arrays (…, classes)."""

    rows: Array
    """Items of each class."""
    columns: Array
    """Items predicted as each class."""
    hits: Array
    """Items of each class predicted as it: the diagonal."""
    distances: Array
    """Items whose predicted class stands 0, 1, 2, … places from the true one."""

    def __init__(self, rows: Array, columns: Array, hits: Array, distances: Array) -> None:
        self.rows, self.columns, self.hits, self.distances = rows, columns, hits, distances

    @property
    def margins(self) -> Margins:
        """Itself, which has one class for each item."""
        return self

    @cached_property
    def total(self) -> Array:
        """All items (…)."""
        total: Array = self.rows.sum(-1)
        return total

    def one_vs_rest(self, classes: Array | slice = slice(None)) -> OneVsRest:
        """True and false positives and negatives of the chosen classes."""
        rows, columns, hits = self.rows, self.columns, self.hits
        if classes is not every_class(rows.shape[-1]):
            rows, columns, hits = rows[..., classes], columns[..., classes], hits[..., classes]
        return OneVsRest(hits, columns - hits, rows - hits, whole=self)


_BLOCK = 1 << 16
"""Scores worked on at a time."""


class Step(NamedTuple):
    """Some scores of a ranking: arrays (…, scores) in float64."""

    positives: Array
    negatives: Array
    tp: Array
    """Positives of at least each score."""
    fp: Array
    """Negatives of at least each score."""


def _running(counts: Array) -> Array:
    """Running sums along the last axis: of integers as such, which is quicker and exact."""
    return np.cumsum(counts, -1, dtype=np.int64 if counts.dtype.kind == "i" else np.float64)


@dataclass(frozen=True, eq=False)
class RankTable:
    """Items by their score, highest first: what formulas of rankings compute on.

    ``positives`` and ``negatives`` may have leading axes; the scores stand on the last one.
    """

    score: Array
    positives: Array
    negatives: Array

    @cached_property
    def true_positives(self) -> Array:
        """Positives of at least each score, in the counts' own width to save memory."""
        return np.cumsum(self.positives, -1, dtype=self.positives.dtype)

    @cached_property
    def false_positives(self) -> Array:
        """Negatives of at least each score."""
        return np.cumsum(self.negatives, -1, dtype=self.negatives.dtype)

    def steps(self) -> Iterator[Step]:
        """The table in blocks of scores, highest first, with what stands above each score.

        So no formula needs arrays as long as the table, which may be as long as the data.
        """
        tp = fp = np.zeros(self.positives.shape[:-1])
        for at in range(0, self.score.shape[-1], _BLOCK):
            block = slice(at, at + _BLOCK)
            p, n = self.positives[..., block], self.negatives[..., block]
            above, below = tp[..., None] + _running(p), fp[..., None] + _running(n)
            yield Step(p.astype(np.float64), n.astype(np.float64), above, below)
            tp, fp = above[..., -1], below[..., -1]

    @cached_property
    def sizes(self) -> tuple[Array, Array]:
        """All positives, all negatives (…)."""
        wide = np.float64
        return self.positives.sum(-1, dtype=wide), self.negatives.sum(-1, dtype=wide)


@dataclass(frozen=True, eq=False)
class Table(Margins):
    """The arrays behind Counts, without labels: what formulas compute on.

    ``count`` may have leading axes (replicates, slices); the cells stand on its last axis. The same
    pair of classes may fill several cells: one for each cluster of items, say.
    """

    true: Array
    predicted: Array
    count: Array
    classes: int

    @cached_property
    def _sums(self) -> tuple[Array, Array, Array]:
        """Rows, columns and hits, at once."""
        if self.count.ndim == 1 and self.count.dtype.char == "d":
            return kernel.margins(self.true, self.predicted, self.count, self.classes)
        right = self.true == self.predicted
        return (
            sum_by(self.true, self.count, self.classes),
            sum_by(self.predicted, self.count, self.classes),
            sum_by(self.true[right], self.count[..., right], self.classes),
        )

    rows = cached_property(lambda self: self._sums[0])
    columns = cached_property(lambda self: self._sums[1])
    hits = cached_property(lambda self: self._sums[2])
    distances = cached_property(
        lambda self: sum_by(np.abs(self.true - self.predicted), self.count, self.classes)
    )


class Predicted(NamedTuple):
    """Items with a score for every class, as a loss sees them.

    A loss is written once, in NumPy: ``-np.log(np.maximum(x.own, floor))``. An engine that holds
    the columns passes an object with the same attributes, whose values are expressions in place of
    arrays: they answer arithmetic, comparisons, ``np.where`` and the usual functions of a number.
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
        return np.take_along_axis(self.scores, self.codes[:, None], 1)[:, 0]

    def total(self, part: Callable[[Any], Any]) -> Array:
        """The sum over the classes of a function of their scores, for each item."""
        total: Array = part(self.scores).sum(1)
        return total

    def ahead(self, ties: Ties) -> Array:
        """How many classes rank ahead of the true one, for each item."""
        own, own_place = self.own[:, None], self.codes[:, None]
        place = np.arange(self.scores.shape[1])
        earlier, later = place < own_place, place > own_place
        wins = {"first": earlier, "last": later, "best": np.False_, "worst": earlier | later}[ties]
        ahead: Array = np.count_nonzero((self.scores > own) | ((self.scores == own) & wins), axis=1)
        return ahead


class RankedLabels(NamedTuple):
    """Items with their labels and a score for every label."""

    true: Array
    """Booleans (items, labels)."""
    scores: Array


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
    sums = np.moveaxis(np.zeros((classes, *count.shape[:-1])), 0, -1)  # replicates side by side
    if len(codes):
        order = np.argsort(codes, kind="stable")
        present, starts = np.unique(codes[order], return_index=True)
        sums[..., present] = np.add.reduceat(count[..., order], starts, axis=-1)
    return sums
