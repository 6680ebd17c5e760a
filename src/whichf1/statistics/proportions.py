"""Intervals for a fraction of items, x of n."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

from whichf1.statistics.scales import normal_quantile


def wilson(x: float, n: float, level: float) -> tuple[float, float]:
    """Wilson's score interval."""
    z = normal_quantile((1 + level) / 2)
    p, scale = x / n, 1 + z * z / n
    centre, half = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low = 0.0 if x == 0 else (centre - half) / scale
    return low, 1.0 if x == n else (centre + half) / scale


def agresti_coull(x: float, n: float, level: float) -> tuple[float, float]:
    """Wald's interval after adding z² items, half of them successes."""
    z = normal_quantile((1 + level) / 2)
    larger = n + z * z
    p = (x + z * z / 2) / larger
    half = z * sqrt(p * (1 - p) / larger)
    return max(0.0, p - half), min(1.0, p + half)


def clopper_pearson(x: float, n: float, level: float) -> tuple[float, float]:
    """The exact binomial interval."""
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = 0.0 if x == 0 else float(betaincinv(x, n - x + 1, tail))
    return low, 1.0 if x == n else float(betaincinv(x + 1, n - x, 1 - tail))


def jeffreys(x: float, n: float, level: float) -> tuple[float, float]:
    """Quantiles of Beta(x + ½, n − x + ½); the end at 0 or n successes is the bound itself."""
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = 0.0 if x == 0 else float(betaincinv(x + 0.5, n - x + 0.5, tail))
    return low, 1.0 if x == n else float(betaincinv(x + 0.5, n - x + 0.5, 1 - tail))


PROPORTIONS: dict[str, Callable[[float, float, float], tuple[float, float]]] = {
    "wilson": wilson,
    "clopper-pearson": clopper_pearson,
    "agresti-coull": agresti_coull,
    "jeffreys": jeffreys,
}
