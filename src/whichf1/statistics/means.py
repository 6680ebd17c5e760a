"""Means over items, as of a loss: items are the units."""

from __future__ import annotations

from math import inf

import numpy as np

from whichf1.statistics.sample import OfItems, Sample, Share
from whichf1.statistics.scales import Spread
from whichf1.tables.cells import Array


class Means(OfItems):
    """A mean over items."""

    def __init__(self, each: Array) -> None:
        """``each``: the value of each item."""
        self.each, self.items = each, len(each)

    def values(self, count: Array) -> Array:
        """The mean for counts (…, items)."""
        return self._mean(count)[..., None]

    def _mean(self, count: Array) -> Array:
        endless = np.isinf(self.each)
        total = count @ np.where(endless, 0.0, self.each)
        if endless.any():  # an infinite loss counts where its item does
            total = np.where((count[..., endless] > 0).any(-1), inf, total)
        with np.errstate(invalid="ignore"):  # no items at all
            mean: Array = total / count.sum(-1)
        return mean

    def slope(self, count: Array, at: int = 0) -> Array:
        """(own value − mean) / items."""
        with np.errstate(invalid="ignore"):  # an infinite loss
            slope: Array = (self.each - self._mean(count)) / count.sum()
        return np.where(count > 0, slope, 0.0)

    def spreads(self, sample: Sample) -> tuple[Array, list[Spread]]:
        """The mean and its standard error; nothing is made of the skewness."""
        return self.values(sample.count), [Spread(sample.error(self.slope(sample.count)))]

    @property
    def right(self) -> Array | None:
        """Whether an item is a hit, where all values are 0 or 1."""
        return self.each == 1 if np.isin(self.each, (0.0, 1.0)).all() else None

    def share(self, at: int = 0) -> Share | None:
        """An item is a success or a failure, where all values are 0 or 1."""
        return None if self.right is None else Share(self.each)

    def marks(self) -> list[Array]:
        """What tells kinds of items apart."""
        return [self.each]

    def at(self, places: Array) -> Means:
        """The mean of some of the items."""
        return Means(self.each[places])

    def beside(self, other: Means) -> Means:
        """The items as this system has them, then as another has them."""
        return Means(np.concatenate([self.each, other.each]))
