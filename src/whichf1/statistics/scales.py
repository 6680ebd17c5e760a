"""From a score and its spread to an interval: value ± z errors, on a scale that suits the score.

The ends of the scale are the bounds: the logit between two, the log for ratios. The remaining
skewness is removed by a further bend (Hall 1992, 'On the removal of skewness by transformation').
With σ the standard error of a score M, k the skewness of its linear part and q its second
derivative along that part over σ³, (g(M̂) − g(M)) / (g′(M̂) σ̂) has no skewness to first order if
σ·g″/g′ = −2k/3 − q, and is −(k + 3q)/6 on average. For a fraction of items, g is close to its cube
root.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from math import erfc, exp, expm1, inf, isfinite, isnan, log, log1p, sqrt, ulp
from typing import Any, Literal, NamedTuple

import numpy as np

from whichf1 import kernel
from whichf1.tables.cells import Array
from whichf1.tables.records import dataclass

NONE = 1e-12
"""Up to this size, a standard error counts as 0: the score does not vary to first order."""
_LEAST_SIZE = 0.05
"""The smallest size of a beta distribution: with so few items, nearly everything is possible."""
LEAST = 2.0
"""The fewest degrees of freedom of a variance that is estimated from items: fewer would make an
interval of any level unbounded."""
_FAR = 700.0
"""exp of this is about the largest float."""
_MOST = 1e6
"""The largest quantile of Student's t: that of one degree of freedom at a level of 0.999999."""
_STRAIGHT = 1e-6
"""Up to this size, a skewness counts as 0."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval.

    low, high: The two ends.
    level: The confidence level, for example 0.95.
    method: The name of the method, for example 'delta'.
    undefined: How many bootstrap replicates were undefined and left out.
    caution: Why the interval may be too narrow, in a sentence; None if there is no such reason.

    >>> interval = Interval(0.25, 0.75, level=0.95, method="delta")
    >>> f"{interval:.2f}"
    '[0.25, 0.75]'
    """

    low: float
    high: float
    level: float
    method: str
    undefined: int = 0
    caution: str | None = None

    def __format__(self, spec: str) -> str:
        spec = spec or ".4f"
        end = "∞)" if self.high == inf else f"{self.high:{spec}}]"
        return f"[{self.low:{spec}}, {end}"


class Spread(NamedTuple):
    """How a score varies from one set of items to the next."""

    error: float
    """The standard error."""
    skew: float | None = None
    """The skewness of the sum of the items' influences; None if unknown."""
    curvature: float = 0.0
    """The second derivative along the influences, over the cube of the error."""
    freedom: float = inf
    """The degrees of freedom of the standard error."""


class Rate(NamedTuple):
    """A fraction of items, and how many single items would estimate it equally well."""

    value: float
    n: float
    freedom: float = inf
    """The degrees of freedom of the spread from which n is derived, if items have weights …"""
    most: float = inf
    """… and the effective number of these items, whatever is observed."""

    def ends(self, level: float) -> tuple[float, float]:
        """An interval halfway between Jeffreys' and the exact one of Clopper and Pearson.

        Both are quantiles of beta distributions. Jeffreys' has the right coverage on average, but
        too little for some numbers of items; the exact one never has too little, and is too wide
        for most.
        """
        n = self.n
        if not n:
            return 0.0, 1.0  # without items, anything is possible
        if self.freedom < inf:
            times = normal_quantile((1 + level) / 2) / t_quantile((1 + level) / 2, self.freedom)
            n = max((n + 1) * times**2 - 1, _LEAST_SIZE)
        n = min(n, self.most)
        return beta_interval(self.value * n, n, level, prior=0.25)


class Proportion(NamedTuple):
    """A score that is a fraction of items without clusters, or a function of one."""

    rate: Rate
    score: Callable[[float], float]
    """The function from the fraction to the score."""


class TwoRates(NamedTuple):
    """A score of one class that depends only on two rates.

    Of the items that belong to the class and of the others, how many are assigned to it; or of
    those assigned to it and of the others, how many belong to it.
    """

    rates: tuple[Rate, Rate]
    score: Callable[[float, float], float]
    """The function from the two rates to the score."""
    of_ratio: Callable[[float], float] | None = None
    """The function from an end to the score, if the rates give an underlying ratio."""


class Smoothed(NamedTuple):
    """A score with pseudo-items added, and how its interval is computed from it."""

    value: float
    spread: Spread
    scale: Literal["beta", "transformed", "bent", "cubic", "root"] = "beta"
    """Quantiles of the beta distribution with this mean and error; ± t errors on the logit or log
    scale, or on one that is bent further; Hall's cubic transformation of a mean; or a square root,
    for a variance that grows with the score."""
    shift: float = 0.0
    """How many errors the interval moves on its scale; of a root, by how much for each t²."""
    score: Callable[[float], float] | None = None
    """The function from an end to the score, if the value is an underlying fraction."""


def smoothed_interval(
    value: float, smoothed: Smoothed, bounds: tuple[float, float], level: float, method: str
) -> Interval | None:
    """The interval of a score from its smoothed twin; it always contains the value itself."""
    at, (error, skew, _, freedom), scale, shift, score = smoothed
    if isnan(value) or not (isfinite(at) and isfinite(error)) or error <= NONE:
        return None
    if scale == "bent":
        interval = transformed(at, smoothed.spread, bounds, level, method)
        return interval and replace(
            interval, low=min(interval.low, value), high=max(interval.high, value)
        )
    low, high = (0.0, 1.0) if score else bounds
    quantile = t_quantile((1 + level) / 2, freedom)
    if scale == "cubic":
        below, above = cubic_ends(at, error, skew or 0.0, quantile)
    elif scale == "root":
        middle, half = at + shift * quantile**2, quantile * sqrt(error**2 + (shift * quantile) ** 2)
        below, above = middle - half, middle + half
    elif high == inf:
        step = error / (at - low)
        below, above = (
            low + (at - low) * exp(min(step * (shift + t), _FAR)) for t in (-quantile, quantile)
        )
    else:
        x, own = (at - low) / (high - low), error / (high - low)
        if not 0 < x < 1:
            return None
        if scale == "beta":
            own *= quantile / normal_quantile((1 + level) / 2)
            below, above = _beta_ends(x, own, level)
        else:
            below, above = _logit_ends(x, own, shift, quantile)
        below, above = low + (high - low) * below, low + (high - low) * above
    if score is not None:
        below, above = score(below), score(above)
    below, above = max(min(below, value), bounds[0]), min(max(above, value), bounds[1])
    return Interval(below, above, level, method)


def beta_interval(x: float, n: float, level: float, prior: float = 0.0) -> tuple[float, float]:
    """Quantiles of beta distributions for x successes of n: the exact binomial interval, or with a
    prior of ½ Jeffreys'.

    The end at 0 or n successes is the bound itself.
    """
    tail = (1 - level) / 2
    low = 0.0 if x <= 0 else beta_quantile(x + prior, n - x + 1 - prior, tail)
    high = 1.0 if x >= n else beta_quantile(x + 1 - prior, n - x + prior, 1 - tail)
    return low, high


def _beta_ends(mean: float, error: float, level: float) -> tuple[float, float]:
    """Quantiles of the beta distribution with this mean and error (Korn and Graubard 1998)."""
    size = max(mean * (1 - mean) / error**2 - 1, _LEAST_SIZE)
    a, b = size * mean, size * (1 - mean)
    return beta_quantile(a, b, (1 - level) / 2), beta_quantile(a, b, (1 + level) / 2)


def _logit_ends(x: float, error: float, shift: float, quantile: float) -> tuple[float, float]:
    here, step = log(x / (1 - x)), error / (x * (1 - x))
    return _logistic(here + step * (shift - quantile)), _logistic(here + step * (shift + quantile))


def cubic_ends(mean: float, error: float, skew: float, quantile: float) -> tuple[float, float]:
    """A mean whose skewness is removed by a cubic transformation (Hall 1992), with Student's t.

    ``skew`` is that of the mean.
    """
    k = min(max(skew, -3.0), 3.0)

    def back(x: float) -> float:
        if abs(k) < _STRAIGHT:
            return x
        return 3 / k * (float(np.cbrt(1 + k * (x - k / 6))) - 1)

    return mean - error * back(quantile), mean - error * back(-quantile)


def cubic(t: float, skew: float) -> float:
    """A deviation in standard errors, without its skewness: the inverse of ``cubic_ends``."""
    return t + skew * t * t / 3 + skew * skew * t**3 / 27 + skew / 6


def tested_spread(parts: Array, times: Array, unequal: float = 1.0) -> Spread:
    """The spread of a sum of independent parts, for a test.

    The parts may be means of unequal ones, whose fourth powers are larger by this factor. Only
    the part of the skewness beyond its own sampling error is kept: the skewness of a sum with a few
    large parts says little. The degrees of freedom are Satterthwaite's (1946).
    """
    square = float((times * parts * parts).sum())
    if not 0 < square < inf:
        return Spread(0.0 if square == 0 else inf)
    parts = parts / sqrt(square)
    third, fourth, sixth = [float((times * parts**power).sum()) for power in (3, 4, 6)]
    uncertain = unequal * fourth - 1 / float(times.sum())
    freedom = max(2 / uncertain, LEAST) if uncertain > 0 else inf
    skew = third * max(0.0, 1 - sixth / third**2) if third else 0.0
    return Spread(sqrt(square), skew, 0.0, freedom)


def spread_of(parts: Array, times: Array | float = 1.0, factor: float = 1.0) -> Spread:
    """The spread of a sum of independent parts, each occurring this many times."""
    squares = parts * parts
    square = float(np.add.reduce(times * squares))  # faster than the method
    if not 0 < square < inf:
        return Spread(sqrt(square) if square == 0 else inf, None)
    cube = float(np.add.reduce(times * squares * parts))
    return Spread(sqrt(factor * square), cube / square**1.5)


def transformed(
    value: float, spread: Spread, bounds: tuple[float, float], level: float, method: str
) -> Interval | None:
    """The interval of a score; None if it does not vary to first order or is at a bound."""
    error, skew, curvature, freedom = spread
    if not (isfinite(value) and isfinite(error)) or error <= NONE:
        return None
    quantile = t_quantile((1 + level) / 2, freedom)
    low, high = bounds
    width = 1.0 if high == inf else high - low
    x, own = (value - low) / width, error / width
    if not 0 < x < (inf if high == inf else 1):
        return None
    # the derivative of the logit is 1 / (x (1 − x)), that of the log 1 / x
    step = own / x if high == inf else own / (x * (1 - x))
    curve = 1.0 if high == inf else 1 - 2 * x
    bend = shift = 0.0
    if skew is not None:
        bend, shift = curve - (2 * skew / 3 + curvature) / step, skew / 6 + curvature / 2
    down, up = bent(step * (shift - quantile), bend), bent(step * (shift + quantile), bend)
    if high == inf:
        below, above = low + x * exp(min(down, _FAR)), low + x * exp(min(up, _FAR))
    else:
        here = log(x / (1 - x))
        below, above = low + width * _logistic(here + down), low + width * _logistic(here + up)
    return Interval(min(below, value), min(max(above, value), high), level, method)


def bent(move: float, bend: float) -> float:
    """move − bend·move²/2 + …, increasing everywhere."""
    curve = bend * move
    if abs(curve) < NONE:
        return move
    return log1p(curve) / bend if curve > 0 else -expm1(min(-curve, _FAR)) / bend


def _logistic(x: float) -> float:
    return 1 / (1 + exp(-x)) if x > -_FAR else 0.0


@lru_cache(maxsize=1)
def special() -> Any:
    """Functions of SciPy, which is slow to import."""
    import scipy.special

    return scipy.special


def beta_quantile(a: float, b: float, p: float) -> float:
    """The beta distribution's quantile."""
    if not 0 < p < 1:
        return p
    z = kernel.beta_logit(a, b, p)
    return 1 / (1 + exp(-z)) if z > -_FAR else 0.0


@lru_cache(maxsize=64)
def normal_quantile(p: float) -> float:
    """The standard normal distribution's quantile."""
    from statistics import NormalDist  # slow to import

    return NormalDist().inv_cdf(p)


def normal_tail(z: float) -> float:
    """The probability above z of a standard normal distribution; above 0, however small it is."""
    return max(erfc(z / sqrt(2)) / 2, ulp(0.0))


def t_quantile(p: float, freedom: float) -> float:
    """The quantile of Student's t; the normal one with infinitely many degrees of freedom."""
    if freedom == inf:
        return normal_quantile(p)
    if p <= 0.5:
        return -t_quantile(1 - p, freedom) if p < 0.5 else 0.0
    if p >= 1:
        return _MOST
    freedom = max(freedom, 1.0)  # t² / freedom is x / (1 − x) of a beta distribution
    return min(
        sqrt(freedom * exp(min(kernel.beta_logit(0.5, freedom / 2, 2 * p - 1), _FAR))), _MOST
    )


def upper_tail(t: float, freedom: float) -> float:
    """The probability above t of Student's t, or of the normal distribution; never 0."""
    tail = normal_tail(t) if freedom == inf else float(special().stdtr(freedom, -t))
    return max(tail, sys.float_info.min)
