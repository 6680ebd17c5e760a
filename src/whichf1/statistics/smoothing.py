"""Smoothing: one more item, spread over the table, stands for what the items did not show.

A class without errors has no spread of errors, so the delta method gives a score of such classes
too narrow an interval or none, although the next items may well have errors. So half an item
is added on the diagonal and half off it; the score, its slopes and its spread are then those of the
smoothed table. For a fraction of items that is Jeffreys' prior, and with many items it changes
nothing. With many classes, no K × K table is built: the slope of a cell is a sum of the slopes of
its margins, and the powers of such sums have a closed form.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from math import factorial
from typing import Any, NamedTuple

import numpy as np

from whichf1.tables.cells import Array, CellValues, Margins

_MANY = 20.0
"""With many more errors than this, the added ones are about as far off as those seen."""
_SUMS = ("tp", "fp", "fn")
_BLOCK = 1 << 13
"""Classes processed at a time."""
FEW_CLASSES = 48
"""Up to this many classes, building all cells is faster than the closed form of their powers."""


class PseudoItem(NamedTuple):
    """The item added to a table, spread over the classes that occur as true or predicted."""

    seen: Array
    """1 for each of these classes, otherwise 0."""
    right: float
    """The part in each cell of the diagonal."""
    wrong: Array
    """The part in each cell by its distance from the diagonal; 0 at distance 0."""
    even: bool
    """Whether all cells off the diagonal have the same part."""

    @classmethod
    def to(cls, table: Margins, weight: float = 1, *, by_distance: bool = False) -> PseudoItem:
        """The item that is added to this table, whose items have this weight.

        Far errors dominate a score that uses distances. Once there are many errors, the added ones
        are therefore spread over the distances like them.
        """
        present = table.tp + table.fp + table.fn
        k = int(np.count_nonzero(present))
        if k < 2:
            k = len(present)
        if k == len(present):
            everywhere = _everywhere(k)
            if not by_distance:
                return everywhere
            seen, wrong = everywhere.seen, everywhere.wrong.copy()
        else:
            seen, wrong = (present > 0).astype(np.float64), _even_errors(k, len(present))
        if by_distance:
            errors = np.concatenate([[0.0], table.distances[1:]])
            total = float(errors.sum())
            many = total**2 / (total**2 + (_MANY * weight) ** 2)
            pairs = np.maximum(2 * _across(seen, seen), 1.0)
            wrong *= 1 - many
            wrong += many * errors / (2 * (total or 1.0) * pairs)
        return cls(seen, 1 / (2 * k), wrong, not by_distance)

    def at(self, true: Array, predicted: Array) -> Array:
        """The part in each of these cells."""
        part = np.where(true == predicted, self.right, self.wrong[np.abs(true - predicted)])
        return part * self.seen[true] * self.seen[predicted]

    def margins(self, table: Margins, weight: float) -> Margins:
        """The margins of the table with this item, of this weight, added."""
        right = weight * self.right * self.seen
        wrong = weight * self.seen * _beside(self.wrong, self.seen) if not self.even else right

        def distances() -> Array:
            moved = 2 * weight * self.wrong * _across(self.seen, self.seen)
            moved[0] = weight / 2
            return table.distances + moved

        def cells() -> CellValues:
            classes, seen = len(self.seen), np.flatnonzero(self.seen)
            every = CellValues((seen[:, None] * classes + seen).ravel(), np.zeros(0), classes)
            parts = weight * self.at(every.true, every.predicted)
            return every._replace(values=parts + table.cells.on(every.key))

        sums = (table.tp + right, table.fp + wrong, table.fn + wrong)
        return Margins(*sums, lambda: table.tn + (weight - right - 2 * wrong), distances, cells)

    def beside(self, table: Margins, weight: float) -> Margins:
        """A batch of two: the table, and the table with this item."""
        if self.even:  # the same is added to hits, false positives and misses
            sums = np.empty((3, 2, len(self.seen)))
            sums[:, 0] = table.tp, table.fp, table.fn
            np.add(sums[:, 0], weight * self.right * self.seen, out=sums[:, 1])
        else:
            tables = (table, self.margins(table, weight))
            sums = np.array([[getattr(x, name) for x in tables] for name in _SUMS])

        def both(name: str) -> Array:
            return np.array([getattr(x, name) for x in (table, self.margins(table, weight))])

        def cells() -> CellValues:
            one, two = table.cells, self.margins(table, weight).cells
            key = np.union1d(one.key, two.key)
            return one._replace(key=key, values=np.array([one.on(key), two.on(key)]))

        tp, fp, fn = sums
        return Margins(tp, fp, fn, partial(both, "tn"), partial(both, "distances"), cells)

    def powers_of(self, cells: Array) -> tuple[float, float]:
        """Σ part · slope² and Σ part · slope⁴, from the slopes of all cells (K × K)."""
        k = len(self.seen)
        parts = _parts_everywhere(k) if self is _everywhere(k) else self.at(*_every_cell(k))
        squares = cells * cells
        parts = parts * squares
        return float(parts.sum()), float(np.vdot(parts, squares))

    def powers(
        self, right: Array, rows: Array, columns: Array, distances: Array | None
    ) -> tuple[float, float]:
        """Σ part · slope² and Σ part · slope⁴ over all cells, from the slopes of the margins."""
        near, far = (0.0, np.zeros(1)) if distances is None else (distances[0], distances)
        second = fourth = 0.0
        for block in _blocks(len(right)):
            squares = (right[block] + near) ** 2
            diagonal = self.right * self.seen[block] * squares
            second += float(np.add.reduce(diagonal))
            fourth += float(np.dot(squares, diagonal))
        if len(rows) > 1:
            # a constant may move between the sides, so that little cancels
            middle = float(np.add.reduce(columns)) / len(columns)
            if self.even:
                more = middle + (0.0 if distances is None else float(distances[1]))
                off = self._even_powers(rows, columns, more, -middle)
            else:
                off = self._powers_by_distance(rows + middle, columns - middle, far)
            second, fourth = second + off[0], fourth + off[1]
        return second, fourth

    def _even_powers(
        self, rows: Array, columns: Array, of_row: float, of_column: float
    ) -> list[float]:
        """By the binomial theorem, over all cells off the diagonal; constants are added first."""
        sums = np.zeros((4, 3))
        for block in _blocks(len(rows)):
            row, column = rows[block] + of_row, columns[block] + of_column
            sides = np.array([row, column, row + column])
            squares = sides * sides
            sums += (
                np.array([sides, squares, squares * sides, squares * squares]) @ self.seen[block]
            )
        (r1, c1, _), (r2, c2, d2), (r3, c3, _), (r4, c4, d4) = sums.tolist()
        part, k = float(self.wrong[1]), float(np.add.reduce(self.seen))
        second = k * r2 + 2 * r1 * c1 + k * c2 - d2
        fourth = k * r4 + 4 * (r3 * c1 + r1 * c3) + 6 * r2 * c2 + k * c4 - d4
        return [max(part * second, 0.0), max(part * fourth, 0.0)]

    def _powers(self, values: Array, most: int, start: Any = None) -> list[Array]:
        """The powers of values, from 0 up, for the classes that occur."""
        powers = [np.broadcast_to(self.seen if start is None else start, values.shape)]
        for _ in range(most):
            powers.append(powers[-1] * values)
        return powers

    def _powers_by_distance(self, rows: Array, columns: Array, distances: Array) -> list[float]:
        """By the multinomial theorem; what depends on the distance is a convolution."""
        size = 2 * len(rows)
        mirrored = (x * self.wrong for x in self._powers(distances, 4, 1.0))
        kernels = [np.fft.rfft(np.concatenate([x, [0.0], x[:0:-1]])) for x in mirrored]
        sides = [np.fft.rfft(x, size) for x in self._powers(columns, 4)]
        heights = self._powers(rows, 4)
        sums = []
        for power in (2, 4):
            total = 0.0
            for e in range(power + 1):
                rest = power - e
                mixed: Any = sum(
                    factorial(power) / (factorial(e) * factorial(f) * factorial(rest - f))
                    * sides[f] * kernels[rest - f]
                    for f in range(rest + 1)
                )  # fmt: skip
                other = np.fft.irfft(mixed, size)[: len(rows)]
                total += float(heights[e] @ other)
            sums.append(max(total, 0.0))
        return sums


def _blocks(classes: int) -> Iterator[slice]:
    """All classes, in parts that fit in the cache."""
    return (slice(start, start + _BLOCK) for start in range(0, classes, _BLOCK))


def _even_errors(k: int, classes: int) -> Array:
    """Half an item, spread over the off-diagonal cells of k of these classes."""
    wrong = np.full(classes, 1 / (2 * k * max(k - 1, 1)))
    wrong[0] = 0.0
    return wrong


@lru_cache(maxsize=64)
def _everywhere(k: int) -> PseudoItem:
    """The item, spread evenly over all k classes."""
    return PseudoItem(np.ones(k), 1 / (2 * k), _even_errors(k, k), True)


def _every_cell(k: int) -> tuple[Array, Array]:
    true, predicted = np.indices((k, k))
    return true, predicted


@lru_cache(maxsize=64)
def _parts_everywhere(k: int) -> Array:
    return _everywhere(k).at(*_every_cell(k))


def _across(a: Array, b: Array) -> Array:
    """Σ a_i b_{i+d} for each distance d."""
    size = 2 * len(a)
    product = np.fft.rfft(b, size) * np.conj(np.fft.rfft(a, size))
    sums: Array = np.rint(np.fft.irfft(product, size)[: len(a)])
    return sums


def _beside(kernel: Array, values: Array) -> Array:
    """Σ_j kernel_|i−j| values_j for each i."""
    size = 2 * len(values)
    mirrored = np.fft.rfft(np.concatenate([kernel, [0.0], kernel[:0:-1]]))
    sums: Array = np.fft.irfft(mirrored * np.fft.rfft(values, size), size)[: len(values)]
    return np.maximum(sums, 0.0)
