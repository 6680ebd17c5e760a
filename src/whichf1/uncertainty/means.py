"""Means over items, as of a loss, for any counts of the items."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TypeVar

import numpy as np

from whichf1.table import Array, Table

S = TypeVar("S")


class Means:
    """A mean over items, as of a loss."""

    def __init__(self, each: Array) -> None:
        self.each = each

    def values(self, count: Array) -> Array:
        """The mean for counts (…, items)."""
        with np.errstate(invalid="ignore"):  # no items at all
            values: Array = (count @ self.each) / count.sum(-1)
        return values

    def slopes(self, count: Array) -> Array:
        """(own value − mean) / items."""
        with np.errstate(invalid="ignore"):  # an infinite loss
            slopes: Array = (self.each - self.values(count)) / count.sum()
        return slopes

    @property
    def size(self) -> int:
        """How many items there are."""
        return len(self.each)

    def beside(self, other: Means) -> Means:
        """The items as this system has them, then as another has them."""
        return Means(np.concatenate([self.each, other.each]))


def merged(scored: Sequence[S], items: Table) -> tuple[Sequence[S], Table]:
    """Items whose values are the same in all systems as one kind of item: what is then drawn.

    For means over single items, of which many have equal values: right or wrong, say.
    """
    means = [x for x in scored if isinstance(x, Means)]
    if len(means) < len(scored) or items.squares is not None or items.cluster is not None:
        return scored, items
    columns = [np.unique(x.each, return_inverse=True) for x in means]
    sizes = [len(distinct) for distinct, _ in columns]
    if prod(sizes) * 2 > len(items.count):
        return scored, items
    kind = np.ravel_multi_index([at for _, at in columns], sizes)
    count = np.bincount(kind, minlength=prod(sizes))
    kept = np.flatnonzero(count)
    places = np.unravel_index(kept, sizes)
    one = np.zeros(len(kept), np.intp)
    each = [Means(x[at]) for (x, _), at in zip(columns, places, strict=True)]
    return each, Table(one, one, count[kept], 1)  # type: ignore[return-value]
