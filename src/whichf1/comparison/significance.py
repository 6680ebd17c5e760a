"""Two systems compared on the same items: tests of their difference, their power, and their
adjustment for many pairs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from math import ceil, inf, isfinite, sqrt
from operator import attrgetter
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from whichf1.definitions import signature
from whichf1.definitions.definition import Definition
from whichf1.definitions.methods import SEED, whole
from whichf1.definitions.signature import Word
from whichf1.errors import DefinitionError, is_among, is_number
from whichf1.scoring.score import Score
from whichf1.statistics.intervals import percentile_interval, refuse_posterior
from whichf1.statistics.sample import Sample, Statistic, kinds
from whichf1.statistics.scales import Interval, Spread, cubic, cubic_ends, t_quantile, upper_tail
from whichf1.tables.cells import Array
from whichf1.tables.records import dataclass

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
            few = few_decide(spread)
    return None if few is None else f"{few}: the test may not keep its level"


def few_decide(spread: Spread) -> str | None:
    """How few items decide, in words, if these are too few for a t test."""
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


Differences: TypeAlias = Mapping[tuple[int, int], float]
"""The difference of each pair of systems, by their places."""


def randomization(
    statistics: Sequence[Statistic],
    differences: Differences,
    sample: Sample,
    replicates: int,
    seed: int,
) -> dict[tuple[int, int], float | None]:
    """The p-values of differences, by approximate randomization.

    The outputs of two systems for an item are swapped at random; clusters are swapped whole. All
    pairs share the same draws. None if individual weights are unknown.
    """
    p_values: dict[tuple[int, int], float | None] = dict.fromkeys(differences)
    if sample.squares is not None and not sample.weights_known:
        return p_values
    pairs, sums = [*differences], 0
    if sample.squares is None and all(map(attrgetter("adds_rows"), statistics)):
        sums = sum(map(attrgetter("size"), statistics))
    for some in [pairs] if sums else [[pair] for pair in pairs]:
        swaps = [statistics[a].exchange(statistics[b], sample) for a, b in some]
        extreme, known = [0] * len(some), [0] * len(some)
        for moved in sample.swaps(replicates, seed, sums):
            for at, swapped in enumerate(swaps):
                left, right = swapped(moved)
                difference = np.abs(left - right)[..., 0]
                known[at] += int((~np.isnan(difference)).sum())
                extreme[at] += int((difference >= abs(differences[some[at]]) - CLOSE).sum())
        for at, pair in enumerate(some):
            if known[at] and isfinite(differences[pair]):
                p_values[pair] = (1 + extreme[at]) / (known[at] + 1)
    return p_values


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


# pairs

DRAWS = 9999
"""Posterior draws, if the plan has no replicates."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How systems are compared; every field is part of the signature."""

    replicates: int = 9999
    """Replicates of the bootstrap and of the randomization test; 0 for neither."""
    seed: int = SEED
    power: float = 0.8
    """The power for the smallest detectable difference."""
    margin: float | None = None
    """For the test of equivalence: smaller differences do not matter."""
    adjust: Adjust = "holm"
    """The adjustment of p-values for many pairs: Holm's, the false discovery rate, or none."""
    posterior: bool = False
    """Whether posterior probabilities are also computed."""
    rope: float | None = None
    """The region of practical equivalence, for posterior probabilities."""
    effect: float | None = None
    """The difference that matters, for the number of items needed; None for the observed one."""

    def __post_init__(self) -> None:
        whole("replicates", self.replicates, 0)
        whole("seed", self.seed, 0)
        if not is_number(self.power) or not 0 < self.power < 1:
            raise DefinitionError(
                f"power must be between 0 and 1, for example 0.8; got {self.power!r}"
            )
        object.__setattr__(self, "power", float(self.power))
        for name in ("margin", "rope", "effect"):
            value = getattr(self, name)
            if value is not None and not (is_number(value) and 0 < value < inf):
                raise DefinitionError(f"{name} must be above 0 and finite; got {value!r}")
            object.__setattr__(self, name, value if value is None else float(value))
        if not isinstance(self.posterior, bool):
            raise DefinitionError(f"posterior is True or False; got {self.posterior!r}")
        object.__setattr__(self, "posterior", self.posterior or self.rope is not None)
        if not is_among(self.adjust, get_args(Adjust)):
            raise DefinitionError(f"adjust must be 'holm', 'fdr' or 'none'; got {self.adjust!r}")

    def text(self, said: Iterable[str] = ()) -> str:
        """The plan as signature fields, without those that are already there."""
        shown = {"compare": Word("paired"), "adjust": Word(self.adjust)}
        shown |= {k: v for k, v in asdict(self).items() if k != "adjust" and v is not False}
        left = {k: v for k, v in shown.items() if v is not None and k not in said}
        return signature.write("", {}, left)


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two systems compared. A p-value is None if its test does not apply.

    >>> import whichf1 as wf
    >>> c = wf.compare([0, 0, 1, 1], {"A": [0, 0, 1, 1], "B": [0, 1, 1, 0]}, "accuracy")
    >>> c.pairs[0].difference, c.pairs[0].only_a, c.pairs[0].only_b
    (0.5, 2, 0)
    """

    a: str
    b: str
    difference: float
    """Score of A minus score of B."""
    standard_error: float | None = None
    """By the delta method; DeLong's for an area."""
    interval: Interval | None = None
    """The differences that the t test does not reject; for scores that depend on individual items,
    the percentiles of the bootstrap."""
    p_value: float | None = None
    """Two-sided, by ``test``."""
    test: str | None = None
    """The test that gives the p-value: 't', 'McNemar', 'randomization' or 'bootstrap'."""
    p_adjusted: float | None = None
    """The same p-value, adjusted for all pairs."""
    caution: str | None = None
    """Why the test may not keep its level, in a sentence; None if there is no such reason."""
    bootstrap: Interval | None = None
    """Percentiles of the paired bootstrap."""
    p_bootstrap: float | None = None
    p_randomization: float | None = None
    mcnemar: McNemar | None = None
    """McNemar's test, if both scores are fractions of the same items."""
    p_equivalence: float | None = None
    """Two one-sided tests that the difference is within the margin."""
    posterior: tuple[Belief, ...] | None = None
    """The probability that A is better, under a weak and under a sceptical prior, if requested."""
    only_a: int | float | None = None
    """Items that only A gets right."""
    only_b: int | float | None = None
    """Items that only B gets right."""
    changed: int | float | None = None
    """Items that are predicted differently."""
    detectable: float | None = None
    """The smallest true difference that these items would detect with the plan's power, if the
    systems disagree as often as here; None if that is more than scores can differ."""
    items_needed: int | None = None
    """How many such items would detect the plan's effect with that power. Without an effect, it
    is for the observed difference, which is optimistic: a significant difference tends to be too
    large."""
    items_range: tuple[int, int | None] | None = None
    """The number of items for the range of how often the systems may disagree; without an effect,
    for the ends of the interval. None if no number is enough."""


def level_of(definition: Definition) -> float:
    """The confidence level of the intervals: 1 − the level of the tests."""
    return definition.interval.level if definition.interval else 0.95


def pair_of(
    definition: Definition,
    plan: Plan,
    scores: Mapping[str, Score],
    error: float,
    spread: Spread,
    statistics: tuple[Statistic, Statistic],
    sample: Sample,
) -> Pair:
    """Two systems compared by their difference and its spread, without resampling."""
    (name_a, a), (name_b, b) = scores.items()
    difference, level = a.value - b.value, level_of(definition)
    exact = mcnemar(*statistics, sample)
    low, high = definition.bounds
    pair = Pair(
        a=name_a,
        b=name_b,
        difference=difference,
        standard_error=error if isfinite(error) and isfinite(difference) else None,
        interval=t_interval(difference, spread, level, high - low, "t"),
        p_value=t_p(difference, spread),
        test="t",
        caution=caution(*statistics, sample, spread),
        mcnemar=exact,
        p_equivalence=equivalence_p(difference, spread, plan.margin) if plan.margin else None,
        **_flipped(*statistics, sample),
    )
    if plan.posterior:
        refuse_posterior(definition, "Omit posterior= and rope=.")
        lower = definition.declaration.better == "lower"
        draws = plan.replicates or DRAWS
        posterior = beliefs(*statistics, sample, lower, plan.rope, plan.seed, draws)
        pair = replace(pair, posterior=posterior)
    if exact is not None:  # its distribution is known
        pair = replace(pair, p_value=exact.p_mid, test="McNemar")
    return planned_pair(pair, plan, float(a.n), spread, level, high - low)


UNPAIRED = "unpaired t"
"""The test of a system of which only counts are known."""


def unpaired(
    name: str,
    other: str,
    definition: Definition,
    a: tuple[Score, float, float],
    b: tuple[Score, float, float],
) -> Pair:
    """Two scores compared as if on different items, by Welch's t test."""
    (score_a, error_a, freedom_a), (score_b, error_b, freedom_b) = a, b
    difference, error = score_a.value - score_b.value, sqrt(error_a**2 + error_b**2)
    parts = [x**4 / f for x, f in ((error_a, freedom_a), (error_b, freedom_b)) if f > 0]
    freedom = error**4 / sum(parts) if sum(parts) > 0 else inf
    spread = Spread(error, freedom=max(1.0, freedom))
    low, high = definition.bounds
    return Pair(
        a=name,
        b=other,
        difference=difference,
        standard_error=error if isfinite(error) and isfinite(difference) else None,
        interval=t_interval(difference, spread, level_of(definition), high - low, UNPAIRED),
        p_value=t_p(difference, spread),
        test=UNPAIRED,
    )


def resampled(
    definition: Definition,
    plan: Plan,
    pair: Pair,
    drawn: Array,
    swapped: float | None,
    sample: Sample,
) -> Pair:
    """The pair with its bootstrap and the p-value of its randomization test."""
    finite = np.where(np.isinf(drawn), np.nan, drawn)
    interval = percentile_interval(finite, pair.difference, level_of(definition))
    p = bootstrap_p(pair.difference, drawn)
    pair = replace(pair, bootstrap=interval, p_bootstrap=p, p_randomization=swapped)
    smooth = definition.declaration.smooth
    if not smooth:  # the t test does not apply
        pair = replace(pair, interval=interval, p_value=p, test="bootstrap")
    few = pair.p_value is not None and sample.few(FEW_CLUSTERS)
    if swapped is not None and (few or not smooth):
        pair = replace(pair, p_value=swapped, test="randomization")
    return pair


def exchanged(
    pair: Pair, plan: Plan, statistics: tuple[Statistic, Statistic], sample: Sample
) -> Pair:
    """The pair, by a randomization test if its difference has no spread to test it by.

    If one system finds all items of a class and the other none, neither score varies over the
    items; one cluster does not show how much they vary. Exchanging the outputs still is a test.
    """
    if pair.p_value is not None or not CLOSE < abs(pair.difference) < inf:
        return pair
    p = pair.p_randomization
    if p is None:
        some, units = kinds(statistics, sample)
        draws = max(LEAST_DRAWS, min(DRAWS, MOST_SWAPS // max(1, len(units.count))))
        (p,) = randomization(some, {(0, 1): pair.difference}, units, draws, plan.seed).values()
    return pair if p is None else replace(pair, p_value=p, test="randomization")


LEAST_DRAWS, MOST_SWAPS = 999, 10**8
"""Swaps of a test that nobody asked for: at least so many, and so many units at most."""


def _flipped(a: Statistic, b: Statistic, sample: Sample) -> dict[str, Any]:
    """How many items only one system gets right, and how many are predicted differently."""
    right_a, right_b, differs = a.right, b.right, a.differs(b)
    if right_a is None or right_b is None or (differs is None and not sample.single):
        return {}
    flips = {"only_a": right_a & ~right_b, "only_b": right_b & ~right_a}
    if differs is not None:
        flips["changed"] = differs
    whole = int if sample.squares is None else float
    return {name: whole(sample.count[units].sum()) for name, units in flips.items()}


# power


def planned_pair(
    pair: Pair, plan: Plan, n: float, spread: Spread, level: float, limit: float
) -> Pair:
    """The pair with the smallest detectable difference and the numbers of items needed."""
    if pair.interval is None:
        return pair
    detectable = detectable_difference(spread, level, plan.power)
    if plan.effect is None:
        near, far = sorted((abs(pair.interval.low), abs(pair.interval.high)))
        crosses = pair.interval.low <= 0 <= pair.interval.high
        most = None if crosses else items_needed(n, near, detectable)
        least, effect = items_needed(n, far, detectable), abs(pair.difference)
    else:
        effect = plan.effect
        less, more = disagreement_range(spread.freedom, level)
        least, most = (items_needed(n, effect, detectable * sqrt(x)) for x in (less, more))
    return replace(
        pair,
        detectable=detectable if detectable <= limit else None,
        items_needed=items_needed(n, effect, detectable),
        items_range=None if least is None else (least, most),
    )


def detectable_difference(spread: Spread, level: float, power: float) -> float:
    """The smallest true difference that a test with this spread detects with this power."""
    both = t_quantile((1 + level) / 2, spread.freedom) + t_quantile(power, spread.freedom)
    return max(both, 0.0) * spread.error  # even a test of no difference has some power


def items_needed(n: float, effect: float, detectable: float) -> int | None:
    """How many items detect an effect, if n of them detect ``detectable``; None for no effect."""
    return ceil(n * (detectable / effect) ** 2) if effect > CLOSE else None


def disagreement_range(freedom: float, level: float) -> tuple[float, float]:
    """The range of the variance of a difference, relative to its estimate."""
    if freedom == inf:
        return 1.0, 1.0
    from scipy.special import gammaincinv

    less, more = gammaincinv(freedom / 2, [(1 + level) / 2, (1 - level) / 2]) * 2 / freedom
    return 1 / float(less), 1 / float(more)
