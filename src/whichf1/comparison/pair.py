"""Pair: two systems compared on the same items, and the tests of their difference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import ceil, isfinite, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from whichf1.definitions import signature
from whichf1.definitions.definition import Definition
from whichf1.definitions.methods import SEED, whole
from whichf1.definitions.signature import Word
from whichf1.errors import DefinitionError, is_number
from whichf1.scoring.score import Score
from whichf1.statistics.intervals import percentile_interval
from whichf1.statistics.sample import Sample, Statistic
from whichf1.statistics.scales import Interval
from whichf1.tables.cells import Array

_NORMAL = NormalDist()
CLOSE = 1e-12
"""Differences this close are the same difference: rounding must not decide a test."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How systems are compared; every field is part of the signature."""

    replicates: int = 9999
    """Replicates of the bootstrap and of the randomization test; 0 for neither."""
    seed: int = SEED
    power: float = 0.8
    """The power for the smallest detectable difference."""
    margin: float | None = None
    """Smaller differences do not matter, for the test of equivalence."""

    def __post_init__(self) -> None:
        whole("replicates", self.replicates, 0)
        whole("seed", self.seed, 0)
        if not is_number(self.power) or not 0 < self.power < 1:
            raise DefinitionError(
                f"power must be between 0 and 1, for example 0.8; got {self.power!r}"
            )
        if self.margin is not None and not (is_number(self.margin) and self.margin > 0):
            raise DefinitionError(f"margin must be above 0; got {self.margin!r}")

    def text(self, said: Iterable[str] = ()) -> str:
        """The plan as signature fields, without those that are said already."""
        shown = {"compare": Word("paired"), "adjust": Word("holm"), **asdict(self)}
        left = {k: v for k, v in shown.items() if v is not None and k not in said}
        return signature.write("", {}, left)


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
    interval: Interval | None = None
    """The difference ± z standard errors, by the delta method."""
    p_value: float | None = None
    """Delta method, two-sided."""
    p_adjusted: float | None = None
    """The same after Holm's adjustment for all pairs."""
    bootstrap: Interval | None = None
    """Percentiles of the paired bootstrap."""
    p_bootstrap: float | None = None
    p_randomization: float | None = None
    mcnemar: McNemar | None = None
    """If both scores are fractions of the same items."""
    p_equivalence: float | None = None
    """Two one-sided tests that the difference is within the margin."""
    only_a: int | float | None = None
    """Items that only A gets right."""
    only_b: int | float | None = None
    """Items that only B gets right."""
    changed: int | float | None = None
    """Items that are predicted differently."""
    detectable: float | None = None
    """The smallest difference that this test set can detect with the plan's power."""
    items_needed: int | None = None
    """How many such items would detect the difference with that power, if it is real."""


def level_of(definition: Definition) -> float:
    """The nominal coverage of the intervals, 1 − the level of the tests."""
    return definition.interval.level if definition.interval else 0.95


def pair_of(
    definition: Definition,
    plan: Plan,
    scores: Mapping[str, Score],
    error: float,
    statistics: tuple[Statistic, Statistic],
    sample: Sample,
) -> Pair:
    """Two systems compared by their difference and its standard error, without resampling."""
    (name_a, a), (name_b, b) = scores.items()
    difference, level = a.value - b.value, level_of(definition)
    known = isfinite(error) and isfinite(difference)
    facts: dict[str, Any] = {"standard_error": error if known else None}
    if known and error > CLOSE:
        low, high = definition.declaration.bounds
        half = _NORMAL.inv_cdf((1 + level) / 2) * error
        ends = max(difference - half, low - high), min(difference + half, high - low)
        word = definition.interval.word if definition.interval else "delta"
        facts["interval"] = Interval(*ends, level, word)
        facts["detectable"] = detectable_difference(error, level, plan.power)
        facts["items_needed"] = items_needed(float(a.n), difference, error, level, plan.power)
    if plan.margin:
        facts["p_equivalence"] = equivalence_p(difference, error, plan.margin)
    facts |= _flipped(*statistics, sample)
    return Pair(
        a=name_a,
        b=name_b,
        difference=difference,
        p_value=normal_p(difference, error),
        mcnemar=mcnemar(*statistics, sample),
        **facts,
    )


def resampled(
    definition: Definition,
    plan: Plan,
    pair: Pair,
    drawn: Array,
    statistics: tuple[Statistic, Statistic],
    sample: Sample,
    number: int,
) -> Pair:
    """The pair with its bootstrap and its randomization test."""
    finite = np.where(np.isinf(drawn), np.nan, drawn)
    interval = percentile_interval(finite, pair.difference, level_of(definition))
    p = bootstrap_p(pair.difference, drawn)
    seed = (plan.seed, number)
    swapped = randomization_p(*statistics, sample, pair.difference, plan.replicates, seed)
    pair = replace(pair, bootstrap=interval, p_bootstrap=p, p_randomization=swapped)
    if definition.declaration.smooth:
        return pair
    # the delta method does not apply, and of the two tests randomization is preferred
    return replace(pair, interval=interval, p_value=p if swapped is None else swapped)


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


def normal_p(difference: float, error: float) -> float | None:
    """The two-sided p-value; None if there is a difference but no variation."""
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
    """The smallest true difference that a test with this standard error detects with this power."""
    return (_NORMAL.inv_cdf((1 + level) / 2) + _NORMAL.inv_cdf(power)) * error


def items_needed(
    n: float, difference: float, error: float, level: float, power: float
) -> int | None:
    """How many items are needed to detect the difference with this power, if it is the true one."""
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
    """Differences are centred with their sign: taking |δ| first would reject too often.

    None if there is a difference but no variation: a single cluster does not show the spread.
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
    """Approximate randomization: the outputs of two systems for an item are swapped at random.

    Clusters are swapped whole. None for units of several weighted items, because single weights are
    not known.
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
