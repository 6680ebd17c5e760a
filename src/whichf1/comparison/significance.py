"""Tests of a difference between two systems, and their adjustment for many pairs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf, isfinite, sqrt
from typing import Literal, TypeAlias

import numpy as np

from whichf1.statistics.sample import Drawn, Sample, Statistic
from whichf1.statistics.scales import Interval, Spread, cubic, cubic_ends, t_quantile, upper_tail
from whichf1.tables.cells import Array

CLOSE = 1e-12
"""Differences this close are the same difference: rounding must not decide a test."""
FEW_CLUSTERS = 25
"""With fewer clusters of equal size, the randomization test decides, with a caution."""
FEW_DISPUTED = 40
"""With weights, systems should differ on at least this effective number of items."""
FEW_DECIDE = 5
"""If fewer items than this decide a difference, no test of it is known to keep its level."""
Adjust: TypeAlias = Literal["holm", "fdr", "none"]


@dataclass(frozen=True, slots=True)
class McNemar:
    """McNemar's test, for two scores that are fractions of the same items."""

    only_a: int
    """Items that only A gets right."""
    only_b: int
    """Items that only B gets right."""
    p_exact: float
    """Exact binomial test; conservative."""
    p_mid: float
    """Mid-p, which is less conservative."""
    p_chi2: float
    """χ² without continuity correction."""


@dataclass(frozen=True, slots=True)
class Belief:
    """Posterior of a difference under one prior."""

    prior: float
    """How many items on which the systems differ the prior is worth; it favours neither system."""
    better: float
    """The probability that A is better than B; a tie counts half."""
    rope: float | None = None
    """The probability that they differ by less than the rope."""


PRIORS = (1.0, 10.0)
"""A weak prior (Jeffreys' for accuracy) and a sceptical one, to show how much the prior matters."""


def beliefs(
    a: Statistic,
    b: Statistic,
    sample: Sample,
    lower: bool,
    rope: float | None,
    seed: int,
    draws: int,
) -> tuple[Belief, ...]:
    """The posterior of the difference under two priors that favour neither system."""
    both, differs, found = a.beside(b), a.differs(b), []
    for prior in PRIORS:
        with np.errstate(invalid="ignore"):  # the difference of two infinite ratios
            parts = [
                np.subtract(*both.exchanged(*weights))[:, 0]
                for weights in sample.beliefs(draws, seed, prior, differs)
            ]
        drawn = np.concatenate(parts)
        drawn = drawn[~np.isnan(drawn)] * (-1 if lower else 1)
        if not len(drawn):
            return ()
        better = float((drawn > CLOSE).mean() + (np.abs(drawn) <= CLOSE).mean() / 2)
        within = None if rope is None else float((np.abs(drawn) < rope).mean())
        found.append(Belief(prior, better, within))
    return tuple(found)


def t_p(difference: float, spread: Spread) -> float | None:
    """The two-sided p-value of Student's t, from which the skewness is removed (Hall 1992).

    None if there is a difference but no variation.
    """
    if not isfinite(difference) or not isfinite(spread.error):
        return None
    if spread.error <= CLOSE:
        return 1.0 if abs(difference) <= CLOSE else None
    t = cubic(difference / spread.error, spread.skew or 0.0)
    return min(1.0, 2 * upper_tail(abs(t), spread.freedom))


def t_interval(
    difference: float, spread: Spread, level: float, limit: float, word: str
) -> Interval | None:
    """The differences that ``t_p`` does not reject, up to a limit; None if nothing varies."""
    if not (isfinite(difference) and CLOSE < spread.error < inf):
        return None
    quantile = t_quantile((1 + level) / 2, spread.freedom)
    low, high = cubic_ends(difference, spread.error, spread.skew or 0.0, quantile)
    return Interval(max(low, -limit), min(high, limit), level, word)


def equivalence_p(difference: float, spread: Spread, margin: float) -> float | None:
    """Two one-sided tests of the same kind: the p-value of |true difference| ≥ margin."""
    if not isfinite(difference) or not isfinite(spread.error):
        return None
    if spread.error <= CLOSE:
        return None if abs(difference) < margin else 1.0
    above, below = (
        cubic((difference + side) / spread.error, spread.skew or 0.0) for side in (margin, -margin)
    )
    return max(upper_tail(above, spread.freedom), upper_tail(-below, spread.freedom))


def caution(a: Statistic, b: Statistic, sample: Sample, spread: Spread) -> str | None:
    """Why no test of a difference is known to keep its level, in a sentence."""
    few = sample.few(FEW_CLUSTERS) or a.paired_few(b, sample)
    if few is None and sample.cluster is None:
        if not sample.weights_known:
            few = _few_disputed(a, b, sample)
        elif sample.squares is None or sample.stratum is None:
            few = _few_decide(spread)
    return None if few is None else f"{few}: the test may not keep its level"


def _few_decide(spread: Spread) -> str | None:
    if not isfinite(spread.error) or spread.freedom >= 2 * FEW_DECIDE:
        return None
    number = max(1, round(spread.freedom / 2))
    return f"{number} items or so decide" if number > 1 else "1 item or so decides"


def _few_disputed(a: Statistic, b: Statistic, sample: Sample) -> str | None:
    """Sums of weights do not show how few items decide, only on how many the systems differ."""
    differs = a.differs(b)
    if differs is None or not differs.any():
        return None
    worth = sample.at(differs).effective_n
    return f"the systems differ on items worth {worth:.3g}" if worth < FEW_DISPUTED else None


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjustment; a missing p-value stays missing."""
    known = sorted((p, at) for at, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    least = 0.0
    for step, (p, at) in enumerate(known):
        least = max(least, min(1.0, (len(known) - step) * p))
        adjusted[at] = least
    return adjusted


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """Benjamini and Hochberg's step-up adjustment for the false discovery rate."""
    known = sorted((p, at) for at, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    most = 1.0
    for rank, (p, at) in reversed([*enumerate(known, 1)]):
        most = min(most, len(known) / rank * p)
        adjusted[at] = most
    return adjusted


ADJUSTMENTS: dict[str, Callable[[Sequence[float | None]], list[float | None]]] = {
    "holm": holm,
    "fdr": benjamini_hochberg,
    "none": list,
}


def bootstrap_p(difference: float, replicates: Array) -> float | None:
    """The two-sided bootstrap p-value; centring |δ| instead of δ would reject too often.

    None if there is a difference but no variation: a single cluster does not show the spread.
    """
    defined = replicates[~np.isnan(replicates)]
    if not isfinite(difference) or not len(defined):
        return None
    if np.ptp(defined) <= CLOSE and abs(difference) > CLOSE:
        return None
    extreme = np.abs(defined - difference) >= abs(difference) - CLOSE
    return float((1 + extreme.sum()) / (len(defined) + 1))


KEPT = 1 << 26
"""Bytes of swaps that are kept for further pairs; beyond this, they are drawn again for each."""


class Swaps:
    """Approximate randomization: the outputs of two systems for an item are swapped at random.

    Clusters are swapped whole. All pairs of systems share the same draws.
    """

    def __init__(self, sample: Sample, replicates: int, seed: int) -> None:
        self._sample, self._replicates, self._seed = sample, replicates, seed
        self._kept: list[Drawn] | None = None

    def _drawn(self, wide: bool) -> Iterable[Drawn]:
        sample = self._sample
        if not wide or self._replicates * (sample.clusters or len(sample.count)) > KEPT:
            return sample.swaps(self._replicates, self._seed, wide)
        if self._kept is None:
            self._kept = [*sample.swaps(self._replicates, self._seed, wide)]
        return self._kept

    def p_value(self, a: Statistic, b: Statistic, difference: float) -> float | None:
        """The test of a difference.

        None for units of several weighted items, because individual weights are unknown.
        """
        sample = self._sample
        if not isfinite(difference) or (sample.squares is not None and not sample.weights_known):
            return None
        swapped = a.exchange(b, sample)
        extreme = known = 0
        for moved in self._drawn(a.adds_rows and b.adds_rows and sample.squares is None):
            left, right = swapped(moved)
            differences = np.abs(left - right)[..., 0]
            known += int((~np.isnan(differences)).sum())
            extreme += int((differences >= abs(difference) - CLOSE).sum())
        return (1 + extreme) / (known + 1) if known else None


def mcnemar(a: Statistic, b: Statistic, sample: Sample) -> McNemar | None:
    """McNemar's test; None unless both scores are fractions of the same, single items."""
    if not sample.single:
        return None
    left = a.share()
    right = None if left is None else b.share()
    if left is None or right is None:
        return None
    if not np.array_equal(np.isnan(left.success), np.isnan(right.success)):
        return None
    only_a = int(sample.count[(left.success == 1) & (right.success == 0)].sum())
    only_b = int(sample.count[(left.success == 0) & (right.success == 1)].sum())
    return mcnemar_test(only_a, only_b)


def mcnemar_test(only_a: int, only_b: int) -> McNemar:
    """The test of two discordant counts."""
    n, least = only_a + only_b, min(only_a, only_b)
    if n == 0:
        return McNemar(only_a, only_b, 1.0, 1.0, 1.0)
    from scipy.special import bdtr, gammaln

    tail = float(bdtr(least, n, 0.5))
    choose = gammaln(n + 1) - gammaln(least + 1) - gammaln(n - least + 1)
    here = float(np.exp(choose - n * np.log(2)))
    exact = min(1.0, 2 * tail)
    mid = 1.0 if only_a == only_b else min(1.0, 2 * tail - here)
    chi2 = 2 * upper_tail(abs(only_a - only_b) / sqrt(n), inf)
    exact, mid = (max(p, sys.float_info.min) for p in (exact, mid))  # never 0, like tails of t
    return McNemar(only_a, only_b, exact, mid, chi2)
