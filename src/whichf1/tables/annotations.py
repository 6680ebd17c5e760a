"""Ratings: GROUP BY how often an item was given each category, whoever gave it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from whichf1.errors import ShapeError
from whichf1.tables.cells import Array, CellValues, Margins, in_range, is_exact, sum_by
from whichf1.tables.label_sets import LabelLines
from whichf1.tables.labels import Labels, as_number
from whichf1.tables.records import dataclass


class Linear(NamedTuple):
    """Sums over kinds of items: each part adds a multiple of its item's count to a code."""

    item: Array
    code: Array
    part: Array
    size: int

    def of(self, count: Array) -> Array:
        """The sums (…, size) for counts (…, kinds of items)."""
        part = self.part
        if is_exact(count):
            from fractions import Fraction  # slow to import

            part = np.array([Fraction(x).limit_denominator(1 << 31) for x in part.tolist()], object)
        return sum_by(self.code, count[..., self.item] * part, self.size)

    def back(self, slope: Array, kinds: int) -> Array:
        """∂/∂count of each kind of item, from the slope of each sum."""
        return np.bincount(self.item, slope[self.code] * self.part, kinds)


@dataclass(frozen=True)
class RaterTable:
    """The arrays behind Ratings, without labels: what formulas compute on.

    A line of ``item``, ``label`` and ``times`` says how many raters gave a kind of item a label;
    ``count`` says how many items are of that kind, and may have leading axes.

    Formulas see an item with r ratings as one with two, averaged over all r (r − 1) ordered pairs
    of its raters. An item with a single rating has no pair; it only contributes to the category
    frequencies (Gwet 2014).
    """

    item: Array
    label: Array
    times: Array
    count: Array
    classes: int

    @cached_property
    def _ratings(self) -> Array:
        """How many ratings each kind of item has."""
        return np.bincount(self.item, self.times, self.count.shape[-1])

    @cached_property
    def cells(self) -> Array:
        """The cells that pairs of ratings can fill: true · classes + predicted, in order."""
        diagonal = np.arange(self.classes) * (self.classes + 1)
        return np.union1d(diagonal, self._pairs[1])

    @cached_property
    def _pairs(self) -> tuple[Array, Array, Array]:
        """Item, cell and number of all ordered pairs of ratings, summed by cell."""
        start = np.searchsorted(self.item, np.arange(self.count.shape[-1] + 1))
        size = np.diff(start)
        left = np.repeat(np.arange(len(self.item)), size[self.item])
        first = np.repeat(np.cumsum(size[self.item]) - size[self.item], size[self.item])
        right = start[self.item[left]] + np.arange(len(left)) - first
        same = left == right
        pairs = self.times[left] * (self.times[right] - same)
        kept = pairs > 0
        cell = self.label[left] * self.classes + self.label[right]
        return self.item[left][kept], cell[kept], pairs[kept].astype(np.float64)

    @cached_property
    def _of_pairs(self) -> tuple[Array, Array, Array]:
        item, cell, pairs = self._pairs
        r = self._ratings[item]
        return item, cell, pairs / (r * (r - 1))

    def linear(self, name: str) -> Linear:
        """One of the sums that formulas consist of.

        pairs: items in each cell, an item spread evenly over its pairs of ratings; distances: the
        same by the distance of the two labels; shares: items with each label, an item spread evenly
        over its ratings; coincidences and ratings: the same, where an item counts as often as it
        has ratings that can be paired (Krippendorff 2011).
        """
        if name in ("shares", "ratings"):
            r = self._ratings[self.item]
            part = self.times / r if name == "shares" else np.where(r > 1, self.times, 0.0)
            return Linear(self.item, self.label, part, self.classes)
        item, cell, part = self._of_pairs
        if name == "distances":
            apart = np.abs(cell // self.classes - cell % self.classes)
            return Linear(item, apart, part, self.classes)
        if name == "coincidences":
            part = part * self._ratings[item]
        return Linear(item, np.searchsorted(self.cells, cell), part, len(self.cells))

    def sums(self, name: str) -> Array:
        """One of the sums, for the counts of this table."""
        return self.linear(name).of(self.count)

    @cached_property
    def margins(self) -> RaterMargins:
        """The table of pairs of ratings, as formulas of agreement see it."""
        return RaterMargins(self.sums, self.cells, self.classes)

    @cached_property
    def total(self) -> Array:
        """All items (…)."""
        total: Array = self.count.sum(-1)
        return total

    @cached_property
    def in_range(self) -> RaterTable:
        """The same in units that formulas can multiply."""
        count = in_range(self.count)
        return self if count is self.count else replace(self, count=count)

    @property
    def pairable(self) -> Array:
        """Whether each kind of item has a pair of ratings."""
        return self._ratings > 1

    def beside(self, other: RaterTable) -> RaterTable:
        """The kinds of items of both."""
        kinds = self.count.shape[-1]
        return RaterTable(
            np.concatenate([self.item, other.item + kinds]),
            np.concatenate([self.label, other.label]),
            np.concatenate([self.times, other.times]),
            np.concatenate([self.count, other.count]),
            self.classes,
        )


class RaterMargins(Margins):
    """The pairs of ratings as a table of two raters who are interchangeable."""

    of_cells = False  # an item with a single rating is in the margins alone

    def __init__(self, sums: Callable[[str], Any], cells: Array, classes: int) -> None:
        """``sums`` returns the sums that ``RaterTable.linear`` names, or derivatives by them."""
        self._sums, self._key = sums, cells
        self._diagonal = np.searchsorted(cells, np.arange(classes) * (classes + 1))
        self._classes = classes
        pairs, shares = sums("pairs"), sums("shares")
        # an item with a single rating adds to the frequencies; the table has the other items
        rows = shares * (pairs.sum(-1, keepdims=True) / shares.sum(-1, keepdims=True))
        super().__init__(**self._symmetric(pairs, rows), distances=lambda: sums("distances"))

    def _symmetric(self, pairs: Any, rows: Any) -> dict[str, Any]:
        tp = pairs[..., self._diagonal]
        wrong = rows - tp
        return {
            "tp": tp,
            "fp": wrong,
            "fn": wrong,
            "tn": lambda: rows.sum(-1, keepdims=True) - tp - wrong - wrong,
            "cells": lambda: CellValues(self._key, pairs, self._classes),
        }

    @cached_property
    def coincidences(self) -> Margins:
        """The same table, in which every rating that can be paired counts once."""
        return Margins(**self._symmetric(self._sums("coincidences"), self._sums("ratings")))


class Ratings(LabelLines, kind="ratings"):
    """How often items were given each category; returned by ``whichf1.ratings``.

    Raters are interchangeable, and an item may have any number of them. Ratings can be added;
    ``sum(parts)`` merges many.

    >>> import whichf1 as wf
    >>> ratings = wf.ratings([["a", "a"], ["a", "b"], ["b", "b"]])
    >>> wf.fleiss_kappa(ratings).value
    0.3333333333333333
    """

    _KEYS = ("item", "label", "times")
    _HAVE = "have several ratings"
    __slots__ = ()

    times: Array

    @classmethod
    def _restored_keys(cls, record: Any, labels: Labels, units: int) -> dict[str, Any]:
        item = record.codes("item", units)
        label = record.codes("label", len(labels), len(item))
        times = record.positive("times", len(item), whole=True)
        pairs = np.unique(np.stack([item, label]), axis=1)
        record.expect(pairs.shape[1] == len(item), "a category appears twice in an item")
        record.expect(len(np.unique(item)) == units, "an item has no ratings")
        return {"lines": (item, label, times)}

    @classmethod
    def _merged(cls, parts: Sequence[Self], *, labels: Labels | None, **facts: Any) -> Self:
        if labels is None:
            labels = in_order({label for part in parts for label in part.labels})
        return super()._merged(parts, labels=labels, **facts)

    @cached_property
    def table(self) -> RaterTable:
        """The same lines without labels, for formulas."""
        lines = (self.item, self.label, self.times)
        table = RaterTable(*lines, self.count.astype(np.float64), len(self.labels))
        if not table.pairable.any():
            most = "one rating each" if self.units else "no ratings"
            raise ShapeError(
                f"agreement needs two ratings of the same item, and these {self._size()} have "
                f"{most}. Add the ratings of a second rater."
            )
        return table

    @cached_property
    def occurring(self) -> int:
        """How many categories were given."""
        return len(np.unique(self.label))

    @property
    def ordered(self) -> bool:
        """Whether the order of the categories is known: declared, or that of numbers."""
        return self.declared or all(as_number(label) is not None for label in self.labels)

    def __repr__(self) -> str:
        return f"<Ratings: {self._size()} rated in {len(self.labels):,} categories>"


def in_order(labels: Sequence[Any] | set[Any]) -> Labels:
    """Categories in order; texts that are all numbers, such as 2.5, in numerical order."""
    numbers = [as_number(label) for label in labels]
    if all(number is not None for number in numbers):
        ranked = sorted(zip(numbers, labels, strict=True), key=lambda pair: (pair[0], str(pair[1])))
        return Labels.trusted([label for _, label in ranked])
    return Labels.sorted(labels)
