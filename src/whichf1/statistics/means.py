"""Means over items, as of a loss, for any counts of the items."""

from __future__ import annotations

from math import inf

import numpy as np

from whichf1.tables.cells import Array


class Means:
    """A mean over items, as of a loss."""

    def __init__(self, each: Array) -> None:
        self.each = each

    def values(self, count: Array) -> Array:
        """The mean for counts (…, items)."""
        endless = np.isinf(self.each)
        total = count @ np.where(endless, 0.0, self.each)
        if endless.any():  # an infinite loss counts where its item does
            total = np.where((count[..., endless] > 0).any(-1), inf, total)
        with np.errstate(invalid="ignore"):  # no items at all
            values: Array = total / count.sum(-1)
        return values

    def slopes(self, count: Array) -> Array:
        """(own value − mean) / items."""
        with np.errstate(invalid="ignore"):  # an infinite loss
            slopes: Array = (self.each - self.values(count)) / count.sum()
        return np.where(count > 0, slopes, 0.0)

    @property
    def size(self) -> int:
        """How many items there are."""
        return len(self.each)

    def marks(self) -> list[Array]:
        """What tells kinds of items apart."""
        return [self.each]

    def at(self, places: Array) -> Means:
        """These items alone."""
        return Means(self.each[places])

    def beside(self, other: Means) -> Means:
        """The items as this system has them, then as another has them."""
        return Means(np.concatenate([self.each, other.each]))
