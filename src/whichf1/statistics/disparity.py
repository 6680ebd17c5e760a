"""Groups of items: the largest difference, the smallest ratio, the worst score, the variance.

Everything is derived from the interval of each group's score. The distances from a score to its
ends replace its standard error (Zou and Donner 2008; Donner and Zou 2012 for ratios), so any
interval method works, and skewed intervals stay skewed.

The largest difference is max − min, which is not smooth: with equal groups it is above 0 by chance,
and replicates of it are larger still. Its ends come from all pairs. One of the pairs truly
differs most, and its own upper end is valid, so the largest upper end is valid at the level of a
single pair. A lower end must be valid for all pairs at once, which is what Tukey's range is for:
the largest lower end is above 0 if and only if Tukey's test rejects that groups are equal. The
worst score works the same way, with groups in place of pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from math import inf, isnan, prod, sqrt
from typing import NamedTuple

import numpy as np

from whichf1.statistics.scales import normal_quantile, normal_tail, special
from whichf1.tables.cells import Array
from whichf1.tables.records import dataclass

_NODES = 200
"""Points of the integral over a range; it is exact to about 1e-14."""
_FAR = 9.0
"""Standard deviations beyond which a normal distribution is negligible."""
_HALVINGS = 60
_LEAST_P = 1e-15
"""What the integral cannot distinguish from 0."""


class Ends(NamedTuple):
    """The ends of the intervals of all groups, at one level."""

    low: Array
    high: Array


class Extreme(NamedTuple):
    """The largest or smallest of something over groups or pairs of groups."""

    value: float
    low: float
    high: float
    at: tuple[int, ...]
    """The group, or the pair."""


@dataclass(frozen=True, eq=False)
class GroupEstimates:
    """The scores of groups, with their intervals at three levels."""

    value: Array
    stratum: Array
    """Only groups of the same stratum are compared: those of a metric and a control column."""
    level: float
    alone: Ends
    """At the level itself."""
    pairs: Ends
    """At the level ``level_of_pairs``."""
    each: Ends
    """At the level ``level_of_each``."""
    correlation: Array | None = None
    """The correlation between the scores of groups; None if they are independent."""

    def _rows(self) -> Iterator[tuple[int, Array, Array]]:
        """Each group, the groups that it is compared with, and its correlation with them."""
        for at in range(len(self.value)):
            others = np.flatnonzero(self.stratum == self.stratum[at])
            others = others[others != at]
            if len(others):
                known = self.correlation
                yield at, others, np.zeros(len(others)) if known is None else known[at, others]

    def difference(self) -> Extreme:
        """The largest difference between two groups: the higher minus the lower."""
        best, low, high = Extreme(-inf, 0.0, 0.0, ()), 0.0, 0.0
        for at, others, alike in self._rows():
            value = self.value[at] - self.value[others]
            high = max(high, float((value + self._above(self.alone, at, others, alike)).max()))
            low = max(low, float((value - self._below(self.pairs, at, others, alike)).max()))
            if value.max() > best.value:
                best = Extreme(float(value.max()), 0, 0, (at, int(others[value.argmax()])))
        return best._replace(low=low, high=high)

    def ratio(self) -> Extreme:
        """The smallest ratio of two groups: the lower over the higher."""
        best, low, high = Extreme(inf, 0.0, 0.0, ()), 1.0, 1.0
        for at, others, alike in self._rows():
            with np.errstate(invalid="ignore", divide="ignore"):
                value = self.value[at] / self.value[others]
            value[np.isnan(value)] = 1.0  # 0 / 0: the groups are equal
            low = min(low, float(self._ratio_ends(self.alone, at, others, alike)[0].min()))
            high = min(high, float(self._ratio_ends(self.pairs, at, others, alike)[1].min()))
            if value.min() < best.value:
                best = Extreme(float(value.min()), 0, 0, (at, int(others[value.argmin()])))
        return best._replace(low=low, high=high)

    def lowest(self) -> Extreme:
        """The lowest score of all groups."""
        at = int(self.value.argmin())
        low, high = float(self.alone.low.min()), float(self.each.high.min())
        return Extreme(float(self.value[at]), low, max(high, float(self.value[at])), (at,))

    def highest(self) -> Extreme:
        """The highest score of all groups."""
        at = int(self.value.argmax())
        low, high = float(self.each.low.max()), float(self.alone.high.max())
        return Extreme(float(self.value[at]), min(low, float(self.value[at])), high, (at,))

    def p_value(self) -> float:
        """Tukey's test that groups are equal: it rejects if the lowest difference is above 0."""
        quantile = normal_quantile((1 + level_of_pairs(self.level, self.sizes)) / 2)
        largest = 0.0
        for at, others, alike in self._rows():
            value = self.value[at] - self.value[others]
            error = self._below(self.pairs, at, others, alike)
            with np.errstate(invalid="ignore", divide="ignore"):
                z = np.where(value > 0, quantile * value / error, 0.0)
            largest = max(largest, float(z.max()))
        return max(range_tail(largest, self.sizes), _LEAST_P)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many groups each stratum has."""
        return sizes_of(self.stratum)

    def _below(self, ends: Ends, at: int, others: Array, alike: Array) -> Array:
        """How far below the difference of two groups its lower end is."""
        down, up = self.value[at] - ends.low[at], ends.high[others] - self.value[others]
        below: Array = np.sqrt(np.maximum(down**2 + up**2 - 2 * alike * down * up, 0.0))
        return below

    def _above(self, ends: Ends, at: int, others: Array, alike: Array) -> Array:
        up, down = ends.high[at] - self.value[at], self.value[others] - ends.low[others]
        above: Array = np.sqrt(np.maximum(up**2 + down**2 - 2 * alike * up * down, 0.0))
        return above

    def _ratio_ends(self, ends: Ends, at: int, others: Array, alike: Array) -> tuple[Array, Array]:
        """The ratios r at which an end of the difference a − r·b is 0 (Donner and Zou 2012)."""
        a, b = self.value[at], self.value[others]
        down, up = a - ends.low[at], ends.high[at] - a
        b_down, b_up = b - ends.low[others], ends.high[others] - b

        def root(step: float, other: Array, sign: float) -> Array:
            """(a − r·b)² = step² + (r·other)² − 2·alike·step·r·other."""
            square, middle = b**2 - other**2, a * b - alike * step * other
            rest = a**2 - step**2
            inside = np.sqrt(np.maximum(middle**2 - square * rest, 0.0))
            with np.errstate(invalid="ignore", divide="ignore"):
                if sign < 0:  # in this form even where the square is 0 or below
                    lower = np.where(middle + inside > 0, rest / (middle + inside), 0.0)
                    return np.maximum(lower, 0.0)
                return np.where(square > 0, (middle + inside) / square, inf)

        return root(down, b_up, -1.0), root(up, b_down, 1.0)

    def variance(self) -> Extreme:
        """The variance between groups, corrected for chance (Lum et al. 2022).

        The sum of squares of the scores around their mean is that of the true scores plus what
        chance adds. With C the matrix that centres and D the covariance of the scores, its mean is
        S + tr(CD), and its variance 2 tr(CDCD) + 4 sᵀDs with s the centred true scores and
        S = sᵀs. A multiple of a noncentral chi-square has both, and is inverted for S. Which groups
        differ is itself uncertain, so sᵀDs is taken to be as large as possible: S times the largest
        eigenvalue. The upper end of an estimate that is cut off at 0 is that of an estimate of 0:
        groups that are closer together than by chance do not show that there is no variance.
        """
        z = normal_quantile((1 + self.level) / 2)
        errors = (self.alone.high - self.alone.low) / (2 * z)
        total = first = second = largest = 0.0
        freedom = 0
        for stratum in np.unique(self.stratum):
            here = np.flatnonzero(self.stratum == stratum)
            k, d = len(here), errors[here] ** 2
            if k < 2:
                continue
            s = self.value[here] - self.value[here].mean()
            freedom, total = freedom + k - 1, total + float(s @ s)
            if self.correlation is None:
                first += float(d.sum()) * (1 - 1 / k)
                second += float((d**2).sum()) * (1 - 2 / k) + float(d.sum()) ** 2 / k**2
                largest = max(largest, float(d.max()))
                continue
            covariance = self.correlation[np.ix_(here, here)] * np.outer(errors[here], errors[here])
            centred = covariance - covariance.mean(0) - covariance.mean(1)[:, None]
            centred += covariance.mean()
            first, second = first + float(np.trace(centred)), second + float((centred**2).sum())
            largest = max(largest, float(np.linalg.eigvalsh(centred)[-1]))
        low, high = _square_ends(total, first, second, largest, self.level)
        value = max(total - first, 0.0)
        low, high = min(low, value) / freedom, max(high, value) / freedom
        return Extreme(value / freedom, low, high, ())


def _square_ends(
    total: float, first: float, second: float, largest: float, level: float
) -> tuple[float, float]:
    """The interval of the true sum of squares."""
    if not first or isnan(first + total):
        return total, total
    if not first < inf:
        return 0.0, inf
    tail = (1 - level) / 2

    def below(observed: float, true: float) -> float:
        """The probability of a sum of squares of at most the observed one."""
        scale = (second + 2 * true * largest) / (first + 2 * true)
        return float(special().chndtr(observed / scale, first / scale, true / scale))

    ends = ((total, 1 - tail), (max(total, first), tail))
    low, high = (_falls_to(partial(below, observed), p, total + first) for observed, p in ends)
    return low, high


def _falls_to(falling: Callable[[float], float], p: float, step: float) -> float:
    """Where a decreasing function equals p; 0 if it is at most p from the start."""
    if falling(0.0) <= p:
        return 0.0
    low, high = 0.0, step
    while falling(high) > p:
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > p else (low, middle)
    return (low + high) / 2


def sizes_of(stratum: Array) -> tuple[int, ...]:
    """How many groups each stratum has, for strata with at least two."""
    return tuple(sorted(int(n) for n in np.unique(stratum, return_counts=True)[1] if n > 1))


def range_tail(z: float, sizes: tuple[int, ...]) -> float:
    """The probability that some pair of equal groups differs by more than z standard errors."""
    if sizes == (2,):
        return 2 * normal_tail(z)
    return 1 - prod([_within(z * sqrt(2), groups) for groups in sizes])


def _within(spread: float, groups: int) -> float:
    """The probability that the range of this many normal variables is at most this."""
    nodes, weights = _legendre()
    normal = special().ndtr
    at = _FAR * nodes
    density = np.exp(-at * at / 2) / sqrt(2 * np.pi)
    inside = (normal(at) - normal(at - spread)) ** (groups - 1)
    return min(float(groups * _FAR * (weights @ (density * inside))), 1.0)


@lru_cache(maxsize=1)
def _legendre() -> tuple[Array, Array]:
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes, weights


@lru_cache(maxsize=256)
def level_of_pairs(level: float, sizes: tuple[int, ...]) -> float:
    """The level of the intervals of single groups for which those of all pairs hold at once."""
    if sizes == (2,):
        return level
    return 1 - 2 * normal_tail(_falls_to(lambda z: range_tail(z, sizes), 1 - level, _FAR))


def level_of_each(level: float, groups: int) -> float:
    """The level at which one end of all groups' intervals holds at once (Šidák 1967)."""
    one_sided: float = ((1 + level) / 2) ** (1 / groups)
    return 2 * one_sided - 1
