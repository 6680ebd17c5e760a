"""Significance: tests of a difference between two systems on the same items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, isfinite, sqrt
from statistics import NormalDist

import numpy as np

from whichf1.statistics.sample import Sample, Statistic
from whichf1.tables.cells import Array

_NORMAL = NormalDist()
CLOSE = 1e-12
"""Differences this close are the same difference: rounding must not decide a test."""


@dataclass(frozen=True, slots=True)
class McNemar:
    """McNemar's test, where both scores are shares of the same items."""

    only_a: int
    """Successes of A alone."""
    only_b: int
    """Successes of B alone."""
    p_exact: float
    """Binomial, never too small."""
    p_mid: float
    """Mid-p: nearer to its level."""
    p_chi2: float
    """χ² without continuity correction."""


def normal_p(difference: float, error: float) -> float | None:
    """The two-sided p-value of difference / error; None where nothing varies but the difference."""
    if not isfinite(difference) or not isfinite(error):
        return None
    if error <= CLOSE:
        return 1.0 if abs(difference) <= CLOSE else None
    return 2 * _NORMAL.cdf(-abs(difference) / error)


def equivalence_p(difference: float, error: float, margin: float) -> float | None:
    """Two one-sided tests: the p-value of |true difference| ≥ margin."""
    if not isfinite(difference) or not isfinite(error):
        return None
    if error <= CLOSE:
        return 0.0 if abs(difference) < margin else 1.0
    return _NORMAL.cdf((abs(difference) - margin) / error)


def detectable_difference(error: float, level: float, power: float) -> float:
    """The smallest true difference that a test of this standard error finds with that power."""
    return (_NORMAL.inv_cdf((1 + level) / 2) + _NORMAL.inv_cdf(power)) * error


def items_needed(
    n: float, difference: float, error: float, level: float, power: float
) -> int | None:
    """How many items separate the systems with that power, if the difference is the true one."""
    if abs(difference) <= CLOSE or not isfinite(error):
        return None
    return ceil(n * (detectable_difference(error, level, power) / difference) ** 2)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjustment over all pairs; a missing p-value stays missing."""
    known = sorted((p, at) for at, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    least = 0.0
    for step, (p, at) in enumerate(known):
        least = max(least, min(1.0, (len(known) - step) * p))
        adjusted[at] = least
    return adjusted


def bootstrap_p(difference: float, replicates: Array) -> float | None:
    """The signed difference is centred, then compared: taking |δ| first would reject too often.

    None where nothing varies but the difference: a single cluster says nothing of the spread.
    """
    defined = replicates[~np.isnan(replicates)]
    if not isfinite(difference) or not len(defined):
        return None
    if np.ptp(defined) <= CLOSE and abs(difference) > CLOSE:
        return None
    extreme = np.abs(defined - difference) >= abs(difference) - CLOSE
    return float((1 + extreme.sum()) / (len(defined) + 1))


def randomization_p(
    a: Statistic,
    b: Statistic,
    sample: Sample,
    difference: float,
    replicates: int,
    seed: tuple[int, int],
) -> float | None:
    """Approximate randomization: what two systems say of an item changes places at random.

    Clusters change places whole. None for units of several weighted items, which do not say which
    weights would move.
    """
    if not isfinite(difference):
        return None
    alone = sample.cluster is None and sample.squares is not None
    if alone and not np.isclose(sample.variances, sample.count**2, rtol=1e-9).all():
        return None
    moving, swapped = a.exchange(b, sample)
    extreme = known = 0
    for moved in moving.swaps(replicates, seed):
        left, right = swapped(moved)
        differences = np.abs(left - right)[..., 0]
        known += int((~np.isnan(differences)).sum())
        extreme += int((differences >= abs(difference) - CLOSE).sum())
    return (1 + extreme) / (known + 1) if known else None


def mcnemar(a: Statistic, b: Statistic, sample: Sample) -> McNemar | None:
    """McNemar's test; None unless both scores are fractions of the same, single items."""
    left, right = (each.share() if sample.single else None for each in (a, b))
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
    chi2 = 2 * _NORMAL.cdf(-abs(only_a - only_b) / sqrt(n))
    return McNemar(only_a, only_b, exact, mid, chi2)


def letters(names: Sequence[str], told_apart: set[tuple[str, str]]) -> dict[str, str]:
    """Systems that share a letter do not differ significantly (insert and absorb, Piepho 2004)."""
    groups: list[frozenset[str]] = [frozenset(names)]
    for a, b in told_apart:
        split = [
            part
            for group in groups
            for part in ((group - {a}, group - {b}) if {a, b} <= group else (group,))
        ]
        groups = [g for g in dict.fromkeys(split) if not any(g < other for other in split)]
    place = {name: at for at, name in enumerate(names)}
    groups.sort(key=lambda group: sorted(place[name] for name in group))
    return {
        name: "".join(_letter(at) for at, group in enumerate(groups) if name in group)
        for name in names
    }


def _letter(at: int) -> str:
    return chr(ord("a") + at) if at < 26 else f"({at + 1})"
