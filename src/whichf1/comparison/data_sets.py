"""Several systems on several data sets: ranks, tests of ranks, and a mean of the differences.

The data sets are the sample: a test asks whether systems differ on data sets like these (Demšar
2006). Average ranks ignore how certain each difference is; a random-effects meta-analysis does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, permutations
from math import factorial, inf, isfinite, pi, sqrt

import numpy as np

from whichf1.comparison.folds import Probabilities
from whichf1.comparison.significance import ADJUSTMENTS, CLOSE, Adjust
from whichf1.errors import InputError, numbered
from whichf1.statistics.sample import generator
from whichf1.statistics.scales import Interval, t_quantile, upper_tail
from whichf1.tables.cells import Array
from whichf1.tables.records import dataclass

DRAWS = 20_000
"""Draws of the Bayesian signed-rank test."""
PRIOR = 0.5
"""What the prior of the Bayesian signed-rank test is worth: this many data sets without
a difference (Benavoli et al. 2014)."""
_STEPS = 200
EXACT_WILCOXON = 50
"""Data sets up to which Wilcoxon's test is exact, as in SciPy."""
_NODES = tuple(9 * x for x in np.polynomial.legendre.leggauss(200))
"""Places from −9 to 9, and weights, of integrals over the normal distribution."""
MOST_ORDERS = 400_000
"""Steps of Friedman's exact test, which take about a tenth of a second."""


@dataclass(frozen=True, slots=True)
class Friedman:
    """Friedman's test of equal ranks, and Iman and Davenport's (1980) less conservative F."""

    chi_square: float
    """Corrected for ties."""
    p_chi_square: float
    f: float
    p_f: float
    """Of F, with k − 1 and (k − 1)(N − 1) degrees of freedom."""
    p_value: float
    """The exact one, or that of F if there are too many orders of the ranks."""
    exact: bool


@dataclass(frozen=True, slots=True)
class Meta:
    """A random-effects meta-analysis of the differences on data sets.

    mean: The mean difference over data sets like these, weighted by how certain each is.
    error: Its standard error (Hartung and Knapp 2001; Sidik and Jonkman 2002).
    interval: From Student's t.
    p_value: For the hypothesis that the mean difference is 0.
    tau: The standard deviation of the true differences between data sets (Paule and Mandel 1982).
    i_square: The fraction of the variance of the differences not explained by items and runs.
    q: Cochran's Q, and p_heterogeneity its p-value.
    prediction: An interval for the true difference on a further data set; None for two data sets.
    data_sets: How many there are; those whose standard error is unknown are left out.
    """

    mean: float
    error: float
    interval: Interval
    p_value: float
    tau: float
    i_square: float
    q: float
    p_heterogeneity: float
    prediction: Interval | None
    data_sets: int


@dataclass(frozen=True, kw_only=True)
class DataSetPair:
    """Two systems compared over data sets."""

    a: str
    b: str
    data_sets: int
    a_better: int
    b_better: int
    """The number of data sets on which each has the better score."""
    difference: float
    """The plain mean of the differences."""
    meta: Meta | None = None
    p_adjusted: float | None = None
    """The p-value of the meta-analysis, adjusted for all pairs."""
    p_wilcoxon: float | None = None
    p_wilcoxon_adjusted: float | None = None
    p_nemenyi: float | None = None
    """Adjusted for all pairs, separately."""
    signed_rank: Probabilities | None = None
    """Of the Bayesian signed-rank test."""


@dataclass(frozen=True, eq=False)
class AverageRanks:
    """The average ranks of systems over data sets."""

    systems: tuple[str, ...]
    ranks: Mapping[str, float]
    """1 is best; systems with equal scores share the mean of their ranks."""
    data_sets: int
    friedman: Friedman | None
    """None for two systems."""
    critical_difference: float
    """Systems whose average ranks differ by less do not differ significantly (Nemenyi)."""
    level: float


def rank_data_sets(
    systems: Sequence[str], scores: Array, lower: bool, level: float
) -> AverageRanks:
    """Rank the systems (columns) on each data set (rows)."""
    n, k = scores.shape
    own = np.array([mean_ranks(row) for row in np.round(scores if lower else -scores, 12)])
    average = own.mean(0)
    limit = critical_difference(n, k, level)
    friedman = friedman_test(own) if k > 2 else None
    named = dict(zip(systems, average.tolist(), strict=True))
    return AverageRanks(tuple(systems), named, n, friedman, limit, level)


def mean_ranks(values: Array) -> Array:
    """The ranks of values from 1 on; equal ones share the mean of their ranks."""
    _, place, times = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Array = (np.cumsum(times) - (times - 1) / 2)[place]
    return ranks


def friedman_test(ranks: Array) -> Friedman:
    """Friedman's χ² with its correction for ties, Iman and Davenport's F, and the exact test."""
    from scipy.special import chdtrc, fdtrc

    n, k = ranks.shape
    ties = 0.0
    for row in ranks:
        _, times = np.unique(row, return_counts=True)
        ties += float((times**3 - times).sum())
    scale = 1 - ties / (n * k * (k * k - 1))
    if scale <= 0:
        return Friedman(0.0, 1.0, 0.0, 1.0, 1.0, True)
    sums = ranks.sum(0)
    chi = (12 / (n * k * (k + 1)) * float(sums @ sums) - 3 * n * (k + 1)) / scale
    rest = n * (k - 1) - chi
    f = (n - 1) * chi / rest if rest > CLOSE else inf
    p = float(fdtrc(k - 1, (k - 1) * (n - 1), f)) if isfinite(f) else 0.0
    exact = _exact_friedman(ranks)
    chance = float(chdtrc(k - 1, chi))
    return Friedman(chi, chance, f, p, p if exact is None else exact, exact is not None)


def _exact_friedman(ranks: Array) -> float | None:
    """How often the rank sums are as unequal as here if each data set has its ranks in any order.

    None if there are too many orders, where F is good enough.
    """
    doubled = np.round(2 * ranks).astype(np.int64)  # ties have halves
    known = _unequal_sums(tuple(sorted(tuple(sorted(row)) for row in doubled.tolist())))
    if known is None:
        return None
    here = doubled.sum(0)
    squares, chance = known
    return min(1.0, float(chance[squares >= here @ here].sum()))


@lru_cache(maxsize=64)
def _unequal_sums(rows: tuple[tuple[int, ...], ...]) -> tuple[Array, Array] | None:
    """The sums of squared rank sums, and their chances; None beyond ``MOST_ORDERS`` steps.

    Which system has which sum does not matter, so that sums are kept in order, and data sets are
    added one by one.
    """
    n, k = len(rows), len(rows[0])
    base = (2 * k * n + 1) ** np.arange(k, dtype=np.float64)
    if factorial(k) > MOST_ORDERS or base[-1] * 2 * k * n >= 2**62:
        return None
    sums, steps = np.zeros((1, k), np.int64), 0
    chance: Array = np.ones(1)
    for row in rows:
        orders = np.array([*{*permutations(row)}])
        steps += len(sums) * len(orders)
        if steps > MOST_ORDERS:
            return None
        reached = np.sort((sums[:, None] + orders).reshape(-1, k), 1)
        _, first, place = np.unique(
            reached @ base.astype(np.int64), return_index=True, return_inverse=True
        )
        chance = np.bincount(place, np.repeat(chance / len(orders), len(orders)))
        sums = reached[first]
    return (sums * sums).sum(1), chance


def range_tail(width: float, count: int) -> float:
    """The chance that so many standard normal values span at least this width.

    By Gauss and Legendre's rule: the density of the least value, times the chance that all others
    are within the width above it.
    """
    from scipy.special import ndtr

    least, weight = _NODES
    density = np.exp(-least * least / 2) / sqrt(2 * pi)
    inside = ndtr(least + width) - ndtr(least)
    return float(min(1.0, max(0.0, 1 - count * (weight @ (density * inside ** (count - 1))))))


def critical_difference(data_sets: int, systems: int, level: float) -> float:
    """Nemenyi's critical difference: q √(k (k + 1) / 6N), q the studentized range over √2."""
    from scipy.optimize import brentq

    q = float(brentq(lambda x: range_tail(x, systems) - (1 - level), 0, 60, xtol=1e-12)) / sqrt(2)
    return q * sqrt(systems * (systems + 1) / (6 * data_sets))


def nemenyi_p(difference: float, data_sets: int, systems: int) -> float:
    """The p-value of a difference between two average ranks, for all pairs of systems."""
    z = abs(difference) / sqrt(systems * (systems + 1) / (6 * data_sets))
    return range_tail(z * sqrt(2), systems)


def wilcoxon_p(differences: Array) -> float:
    """Wilcoxon's signed-rank test: from all signs of the ranks of up to 50 differences.

    Of more, by the normal approximation. Half of the ranks of zeros goes to each side (Demšar
    2006), so that they decide nothing.
    """
    from scipy.special import ndtr

    values = np.round(differences, 12)
    ranks = mean_ranks(np.abs(values))[values != 0]
    if not len(ranks):
        return 1.0
    above, whole = float(ranks[values[values != 0] > 0].sum()), float(ranks.sum())
    if len(ranks) > EXACT_WILCOXON:
        z = (above - whole / 2) / sqrt(float(ranks @ ranks) / 4)
        return float(2 * ndtr(-abs(z)))
    ways = np.zeros(round(2 * whole) + 1)  # ranks of ties have halves
    ways[0] = 1.0
    for rank in np.round(2 * ranks).astype(int):
        ways[rank:] += ways[:-rank].copy()
    tail = ways[: round(2 * min(above, whole - above)) + 1].sum() / 2.0 ** len(ranks)
    return min(1.0, 2 * float(tail))


def signed_rank(
    differences: Array, rope: float | None, lower: bool, seed: int, draws: int = DRAWS
) -> Probabilities:
    """The Bayesian signed-rank test: a Dirichlet process over the data sets (Benavoli et al. 2014).

    The probability that most means of two data sets are above the rope, within it, or below.
    """
    values = np.concatenate([[0.0], differences])
    means = np.add.outer(values, values) / 2
    limit = rope or 0.0
    # a value exactly on a limit counts half on each side
    above, below = (
        (side > limit) + 0.5 * np.isclose(side, limit, rtol=0, atol=CLOSE)
        for side in (means, -means)
    )
    won = np.zeros(3)
    for weights in _posterior(len(differences), seed, draws):
        high, low = (((weights @ x) * weights).sum(1) for x in (above, below))
        if rope is None:
            ahead = float((high - low > CLOSE).sum()), float((low - high > CLOSE).sum())
            even = (len(weights) - sum(ahead)) / 2
            won += [ahead[0] + even, 0.0, ahead[1] + even]
        else:
            sides = np.stack([high, 1 - high - low, low])
            won += np.bincount(sides.argmax(0), minlength=3)
    a, within, b = (won / draws).tolist()
    a, b = (b, a) if lower else (a, b)
    return Probabilities(a, None if rope is None else within, b)


@lru_cache(maxsize=1)
def _posterior(data_sets: int, seed: int, draws: int) -> tuple[Array, ...]:
    """Weights of data sets, drawn from the posterior: the same for every pair of systems."""
    shape, rng = np.concatenate([[PRIOR], np.ones(data_sets)]), generator(seed)
    step = max(1, (1 << 22) // len(shape))
    return tuple(rng.dirichlet(shape, min(step, draws - x)) for x in range(0, draws, step))


def paule_mandel(effects: Array, variances: Array) -> float:
    """The variance between data sets at which Cochran's Q equals its expectation; at least 0."""

    def excess(tau: float) -> float:
        weights = 1 / (variances + tau)
        mean = float(weights @ effects / weights.sum())
        return float(weights @ (effects - mean) ** 2) - (len(effects) - 1)

    if excess(0.0) <= 0:
        return 0.0
    low, high = 0.0, float(np.var(effects, ddof=1)) + CLOSE
    while excess(high) > 0:
        high *= 2
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if excess(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def meta_analysis(effects: Array, errors: Array, level: float, limit: float = inf) -> Meta | None:
    """Random effects by Paule and Mandel, with Hartung and Knapp's standard error and Student's t.

    A data set on which nothing varies, such as one that all systems solve, weighs as much as the
    most certain of the others: without it, differences would look larger than they are. None for
    fewer than two data sets whose standard error is known, or if nothing varies on any.
    """
    from scipy.special import chdtrc

    known = np.isfinite(errors)
    effects, errors = effects[known], errors[known]
    varies = errors > CLOSE
    size = len(effects)
    if size < 2 or not varies.any():
        return None
    variances = np.where(varies, errors, errors[varies].min()) ** 2
    fixed = 1 / variances
    q = float(fixed @ (effects - fixed @ effects / fixed.sum()) ** 2)
    tau2 = paule_mandel(effects, variances)
    weights = 1 / (variances + tau2)
    mean = float(weights @ effects / weights.sum())
    error = sqrt(float(weights @ (effects - mean) ** 2) / ((size - 1) * float(weights.sum())))
    if error <= CLOSE:
        return None
    half = t_quantile((1 + level) / 2, size - 1.0) * error
    interval = Interval(max(mean - half, -limit), min(mean + half, limit), level, "Hartung-Knapp")
    prediction = None
    if size > 2:
        far = t_quantile((1 + level) / 2, size - 2.0) * sqrt(tau2 + error**2)
        ends = max(mean - far, -limit), min(mean + far, limit)
        prediction = Interval(*ends, level, "prediction")
    p = min(1.0, 2 * upper_tail(abs(mean) / error, size - 1.0))
    heterogeneity = max(0.0, 1 - (size - 1) / q) if q > 0 else 0.0
    chance = float(chdtrc(size - 1, q))
    facts = (sqrt(tau2), heterogeneity, q, chance, prediction, size)
    return Meta(mean, error, interval, p, *facts)


def compare_data_sets(
    systems: Sequence[str],
    differences: Mapping[tuple[str, str], Sequence[tuple[float, float | None]]],
    ranks: AverageRanks | None,
    *,
    lower: bool,
    level: float,
    limit: float,
    adjust: Adjust,
    rope: float | None,
    seed: int,
    draws: int = DRAWS,
) -> tuple[DataSetPair, ...]:
    """Every pair of systems over the data sets that both have.

    ``differences``: the difference of each pair on each data set, and its standard error. Without
    ``draws``, there are no posterior probabilities.
    """
    pairs = []
    for a, b in combinations(systems, 2):
        known = differences[a, b]
        if len(known) < 2:
            raise InputError(
                f"{a} and {b} have {numbered(len(known), 'data set')} in common, but "
                "a comparison over data sets needs two"
            )
        effects = np.array([x for x, _ in known])
        errors = np.array([np.nan if x is None else x for _, x in known])
        sides = [int((x > CLOSE).sum()) for x in (effects, -effects)]
        nemenyi = None
        if ranks is not None:
            apart = ranks.ranks[a] - ranks.ranks[b]
            nemenyi = nemenyi_p(apart, ranks.data_sets, len(ranks.systems))
        pairs.append(
            DataSetPair(
                a=a,
                b=b,
                data_sets=len(known),
                a_better=sides[lower],
                b_better=sides[not lower],
                difference=float(effects.mean()),
                meta=meta_analysis(effects, errors, level, limit),
                p_wilcoxon=wilcoxon_p(effects),
                p_nemenyi=nemenyi,
                signed_rank=signed_rank(effects, rope, lower, seed, draws) if draws else None,
            )
        )
    return _adjusted(pairs, adjust)


def _adjusted(pairs: Sequence[DataSetPair], adjust: Adjust) -> tuple[DataSetPair, ...]:
    meta = ADJUSTMENTS[adjust]([None if pair.meta is None else pair.meta.p_value for pair in pairs])
    ranked = ADJUSTMENTS[adjust]([pair.p_wilcoxon for pair in pairs])
    return tuple(
        replace(pair, p_adjusted=x, p_wilcoxon_adjusted=y)
        for pair, x, y in zip(pairs, meta, ranked, strict=True)
    )
