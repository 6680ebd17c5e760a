"""From a score and its spread to an interval: value ± z errors, on a scale that suits the score.

The ends of the scale are the bounds: the logit between two, the log for ratios. The remaining
skewness is removed by a further bend (Hall 1992, 'On the removal of skewness by transformation').
With σ the standard error of a score M, k the skewness of its linear part and q its second
derivative along that part over σ³, (g(M̂) − g(M)) / (g′(M̂) σ̂) has no skewness to first order if
σ·g″/g′ = −2k/3 − q, and is −(k + 3q)/6 on average. For a fraction of items, g is close to its cube
root.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import erfc, exp, expm1, inf, isfinite, log, log1p, sqrt, ulp
from typing import NamedTuple

import numpy as np

from whichf1.tables.cells import Array

NONE = 1e-12
"""Up to here a standard error counts as 0: the score does not vary to first order."""
_FAR = 700.0
"""exp of this is about the largest float."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval.

    low, high: The two ends.
    level: The nominal coverage, for example 0.95.
    method: The name of the method, for example 'delta'.
    undefined: How many bootstrap replicates gave no number and were left out.

    >>> interval = Interval(0.25, 0.75, level=0.95, method="delta")
    >>> f"{interval:.2f}"
    '[0.25, 0.75]'
    """

    low: float
    high: float
    level: float
    method: str
    undefined: int = 0

    def __format__(self, spec: str) -> str:
        spec = spec or ".4f"
        return f"[{self.low:{spec}}, {self.high:{spec}}]"


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


def spread_of(parts: Array, times: Array | float = 1.0, factor: float = 1.0) -> Spread:
    """The spread of a sum of independent parts, each occurring this many times."""
    squares = parts * parts
    square = float((times * squares).sum())
    if not 0 < square < inf:
        return Spread(sqrt(square) if square == 0 else inf, None)
    cube = float((times * squares * parts).sum())
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
    """move − bend·move²/2 + …, rising everywhere."""
    curve = bend * move
    if abs(curve) < NONE:
        return move
    return log1p(curve) / bend if curve > 0 else -expm1(min(-curve, _FAR)) / bend


def _logistic(x: float) -> float:
    return 1 / (1 + exp(-x)) if x > -_FAR else 0.0


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
    from scipy.special import stdtrit

    return float(np.minimum(stdtrit(max(freedom, 2.0), p), _FAR))
