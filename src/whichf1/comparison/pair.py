"""Pair: two systems compared on the same items, and how many items would show the difference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from math import ceil, inf, isfinite, sqrt
from typing import Any, get_args

import numpy as np

from whichf1.comparison.significance import (
    CLOSE,
    FEW_CLUSTERS,
    Adjust,
    Belief,
    McNemar,
    beliefs,
    bootstrap_p,
    caution,
    equivalence_p,
    mcnemar,
    t_interval,
    t_p,
)
from whichf1.definitions import signature
from whichf1.definitions.definition import Definition
from whichf1.definitions.methods import SEED, whole
from whichf1.definitions.signature import Word
from whichf1.errors import DefinitionError, is_among, is_number
from whichf1.scoring.score import Score
from whichf1.statistics.intervals import percentile_interval
from whichf1.statistics.sample import Sample, Statistic
from whichf1.statistics.scales import Interval, Spread, t_quantile
from whichf1.tables.cells import Array

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
    systems disagree as often as here."""
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
        lower = definition.declaration.better == "lower"
        draws = plan.replicates or DRAWS
        posterior = beliefs(*statistics, sample, lower, plan.rope, plan.seed, draws)
        pair = replace(pair, posterior=posterior)
    if exact is not None:  # its distribution is known
        pair = replace(pair, p_value=exact.p_mid, test="McNemar")
    return planned_pair(pair, plan, float(a.n), spread, level)


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


# planning


def planned_pair(pair: Pair, plan: Plan, n: float, spread: Spread, level: float) -> Pair:
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
        detectable=detectable,
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
