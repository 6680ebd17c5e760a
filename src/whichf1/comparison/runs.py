"""Means over runs, and tests of two systems with several runs each on the same items.

The variance of a mean has two sources. Runs differ because of their seeds, and every run would get
a different score on other items. Runs are crossed with items: each item is seen by every run. With
R runs whose scores have the variance S² and covary by C over items, the variance of their mean
is S²/R + C: S² includes what is specific to a run: its own variance and its interaction with the
items (Obuchowski and Rockette 1995; Hillis 2007).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf, isfinite, sqrt

import numpy as np

from whichf1.comparison.crossed import Crossed
from whichf1.comparison.folds import corrected_spread
from whichf1.comparison.significance import (
    CLOSE,
    Pair,
    Plan,
    detectable_difference,
    equivalence_p,
    few_decide,
    level_of,
    t_interval,
    t_p,
)
from whichf1.definitions.definition import Definition
from whichf1.statistics.scales import Interval, Spread, transformed
from whichf1.tables.cells import Array
from whichf1.tables.records import dataclass

RUNS, WELCH, ITEMS = "runs", "unmatched runs", "items"
"""The tests: matched runs, unmatched runs, and one run, for which only items vary."""
FEW_RUNS = 2
LEAST_POWER = 0.4
"""The least power of a share in the degrees of freedom of a sum of variances."""
OVERLAP = "training sets of folds overlap, and if they matter much, intervals are too narrow"
TWO_RUNS = "two runs say little about how runs vary"
ONE_RUN = "there is one run of each, so the test is about these runs only"
FEW = "few items decide, so it may not keep its level"
UNCOUNTED = "the items of runs were not matched, so that intervals and tests are conservative"


@dataclass(frozen=True, slots=True)
class Components:
    """Where the variance of a mean over runs, or of a difference of two, comes from.

    runs: The variance of a run's score beyond what its items explain.
    items: The variance that all runs share, because they see the same items.
    interaction: The variance of a run due to its own errors on these items.
    repeats: The number of runs averaged.
    n: The number of items, or of clusters.

    >>> Components(runs=4.0, items=1.0, interaction=0.0, repeats=4, n=500).shares
    (0.5, 0.5, 0.0)
    """

    runs: float
    items: float
    interaction: float
    repeats: float
    n: int

    def variance(self, runs: float = 1.0, items: float = 1.0) -> float:
        """The variance of a mean with the numbers of runs and items multiplied by these factors."""
        own = self.runs + self.interaction / items
        return own / (self.repeats * runs) + self.items / items

    @property
    def shares(self) -> tuple[float, float, float]:
        """The fractions of the variance due to runs, to items, and to both together."""
        whole = self.variance()
        parts = (self.runs / self.repeats, self.items, self.interaction / self.repeats)
        return tuple(x / whole if whole > 0 else 0.0 for x in parts)  # type: ignore[return-value]

    def error(self, runs: float = 1.0, items: float = 1.0) -> float:
        """The standard error with the numbers of runs and items multiplied by these factors."""
        return sqrt(self.variance(runs, items))


@dataclass(frozen=True, eq=False)
class RunMean:
    """The mean score of a system over its runs on one data set."""

    system: str
    data_set: str
    values: tuple[float, ...]
    """The score of each run."""
    runs: tuple[str, ...]
    mean: float
    deviation: float | None
    """The standard deviation of the scores of runs; None for one run."""
    error: float
    """The standard error of the mean, over runs and items."""
    interval: Interval | None
    components: Components | None
    """None for one run."""


@dataclass(frozen=True, kw_only=True)
class RunPair(Pair):
    """Two systems compared by the means over their runs."""

    data_set: str = ""
    runs: tuple[int, int] = (1, 1)
    components: Components | None = None
    """Where the variance of the difference comes from."""


def freedom_of_sum(parts: Sequence[tuple[float, float]]) -> float:
    """The degrees of freedom of a sum of variances, each with its own.

    1/f is the sum of 1/f of the parts, times their shares of the whole to a power. Satterthwaite's
    (1946) power is 2; with few runs whose variance happens to be small, this gives too many degrees
    of freedom, and a power of 1 gives too few unless f is about 2. The power 2 − 2/f keeps the
    level of a t test between 3.7 and 5.8 % for three runs or more, whatever the true shares are.
    Two runs, f = 1, often look alike by chance, and no smooth rule keeps 5 % for all shares:
    ``LEAST_POWER`` keeps the level at or below 5.7 %, down to 1.2 %.
    """
    whole = sum(variance for variance, _ in parts)
    if not whole > 0:
        return inf
    share = sum(
        (part / whole) ** max(LEAST_POWER, 2 - 2 / freedom) / freedom
        for part, freedom in parts
        if part > 0
    )
    return 1 / share if share > 0 else inf


def welch_freedom(parts: Sequence[tuple[float, int]]) -> float:
    """The degrees of freedom of a sum of variances of means, each of so many values.

    Satterthwaite's (1946) divide the square of each by n − 1, Welch's (1947) by n + 1, less 2 in
    the end. With three values in each, the first reject too seldom and the second too often if the
    variances differ; this is halfway.
    """
    whole = sum(variance for variance, _ in parts)
    if not whole > 0:
        return inf
    return whole**2 / sum(variance**2 / count for variance, count in parts) - 1


def _single_spread(
    own: Array, runs: int, items: float, covariance: float, freedom: float
) -> Spread:
    """The spread of a mean of runs: their own variance, and what they share."""
    scatter, shared = float(np.var(own, ddof=1)) / runs, max(covariance, 0.0)
    variance = scatter + shared
    if variance <= CLOSE**2:  # runs are identical: only items vary
        variance, shared = items, items
    parts = ((scatter, runs - 1.0), (shared, freedom))
    return Spread(sqrt(max(variance, 0.0)), freedom=max(1.0, freedom_of_sum(parts)))


def _shared(covariance: Array) -> tuple[float, float]:
    """The mean variance of runs over items, and their mean covariance."""
    runs = len(covariance)
    own = float(np.trace(covariance)) / runs
    if runs == 1:
        return own, own
    return own, (float(covariance.sum()) - runs * own) / (runs * (runs - 1))


def _components(scatter: float, own: float, shared: float, runs: float, n: int) -> Components:
    interaction = max(own - shared, 0.0)
    return Components(max(scatter - interaction, 0.0), max(shared, 0.0), interaction, runs, n)


def mean_of_runs(crossed: Crossed, system: str, definition: Definition) -> RunMean:
    """The mean of a system over its runs, with an interval that accounts for runs and items."""
    rows = crossed.rows(system)
    values, count = crossed.values[rows], len(rows)
    by_items = crossed.spread(system)
    own, shared = _shared(crossed.covariance[np.ix_(rows, rows)])
    components = deviation = None
    spread, caution = by_items._replace(skew=None), None
    if count > 1:
        scatter = float(np.var(values, ddof=1))
        components = _components(scatter, own, shared, count, crossed.clusters or crossed.n)
        deviation = sqrt(scatter)
        spread = _single_spread(values, count, by_items.error**2, shared, by_items.freedom)
    if crossed.folds is not None and crossed.shares is not None and crossed.folds[rows].size > 1:
        share, components = crossed.shares[rows], None
        spread = corrected_spread(crossed.folds[rows].ravel(), float((share / (1 - share)).mean()))
        caution = OVERLAP
    elif count == FEW_RUNS and crossed.folds is None:
        caution = TWO_RUNS
    mean = float(values.mean())
    level, word = level_of(definition), "folds" if crossed.folds is not None else "runs and items"
    bounds = definition.bounds
    if bounds[0] == -inf:
        interval = t_interval(mean, spread, level, inf, word)
    else:
        interval = transformed(mean, spread, bounds, level, word)
    if interval is not None and caution is not None:
        interval = replace(interval, caution=caution)
    names = tuple(crossed.keys[at].run for at in rows)
    facts = (tuple(values.tolist()), names, mean, deviation)
    return RunMean(system, crossed.name, *facts, spread.error, interval, components)


def compare_runs(
    crossed: Crossed, a: str, b: str, definition: Definition, plan: Plan, matched: bool | None
) -> RunPair:
    """Two systems on one data set. ``matched``: None if runs with the same name belong together."""
    left, right = crossed.rows(a), crossed.rows(b)
    runs = (len(left), len(right))
    difference = float(crossed.values[left].mean() - crossed.values[right].mean())
    by_items = crossed.spread(a, b)
    named = [[crossed.keys[at].run for at in rows] for rows in (left, right)]
    alike = {*named[0]} == {*named[1]} and len({*named[0]}) == len(left)
    if alike:
        right = [right[named[1].index(run)] for run in named[0]]
    together = alike if matched is None else matched and alike
    test, caution, components = ITEMS, None, None
    spread = by_items
    if min(runs) > 1:
        test = RUNS if together else WELCH
        measure = _matched if together else _welch
        spread, components = measure(crossed, left, right, by_items)
        caution = TWO_RUNS if min(runs) == FEW_RUNS else None
        if matched is None and not alike:
            caution = caution or _unlike(*named)
    elif max(runs) > 1:
        spread = Spread(inf)
        caution = f"{a if runs[0] == 1 else b} has one run, whose variance is unknown"
    else:
        caution = ONE_RUN if few_decide(spread) is None else f"{ONE_RUN}; {FEW}"
    if not crossed.matched:
        caution = caution or UNCOUNTED
    level, (low, high) = level_of(definition), definition.bounds
    known, varies = isfinite(spread.error), CLOSE < spread.error < inf
    detectable = detectable_difference(spread, level, plan.power) if varies else inf
    return RunPair(
        a=a,
        b=b,
        data_set=crossed.name,
        difference=difference,
        standard_error=spread.error if known else None,
        interval=t_interval(difference, spread, level, high - low, test),
        p_value=t_p(difference, spread),
        test=test,
        caution=caution,
        p_equivalence=equivalence_p(difference, spread, plan.margin) if plan.margin else None,
        detectable=detectable if detectable <= high - low and detectable < inf else None,
        runs=runs,
        components=components,
    )


def _unlike(left: Sequence[str], right: Sequence[str]) -> str | None:
    """Why runs are not matched although some have the same names."""
    alone = sorted({*left} ^ {*right})
    if not {*left} & {*right}:
        return None
    shown = ", ".join(alone[:3]) + (", …" if len(alone) > 3 else "")
    return f"runs are not matched, because only one system has {shown}"


def steady_errors(pairs: Sequence[RunPair]) -> list[float | None]:
    """The standard errors of a difference on several data sets, for weights in a mean.

    A few runs say little about their variance on one data set, so the variance over all data sets
    is used for each; the part due to items is known well.
    """
    known = [x for x in pairs if x.components is not None and x.standard_error is not None]
    if not known:
        return [pair.standard_error for pair in pairs]
    own = []
    for pair in known:
        assert pair.components is not None and pair.standard_error is not None
        of_runs = pair.components.repeats * (pair.standard_error**2 - pair.components.items)
        own.append(of_runs - pair.components.interaction)
    common = max(float(np.mean(own)), 0.0)
    return [
        pair.standard_error
        if pair.components is None
        else sqrt(replace(pair.components, runs=common).variance())
        for pair in pairs
    ]


def _matched(
    crossed: Crossed, left: list[int], right: list[int], by_items: Spread
) -> tuple[Spread, Components]:
    """Runs with the same seed belong together, so their differences vary."""
    differences = crossed.values[left] - crossed.values[right]
    sigma, runs = crossed.covariance, len(left)
    cross = sigma[np.ix_(left, right)]
    of_pairs = sigma[np.ix_(left, left)] + sigma[np.ix_(right, right)] - cross - cross.T
    own, shared = _shared(of_pairs)
    spread = _single_spread(differences, runs, by_items.error**2, shared, by_items.freedom)
    n = crossed.clusters or crossed.n
    return spread, _components(float(np.var(differences, ddof=1)), own, shared, runs, n)


def _welch(
    crossed: Crossed, left: list[int], right: list[int], by_items: Spread
) -> tuple[Spread, Components]:
    """Runs of two systems that are unrelated, as in Welch's test."""
    sigma = crossed.covariance
    sides = [(_shared(sigma[np.ix_(x, x)]), crossed.values[x]) for x in (left, right)]
    scatter = [float(np.var(values, ddof=1)) / len(values) for _, values in sides]
    between = float(sigma[np.ix_(left, right)].mean())
    shared = max(sides[0][0][1] + sides[1][0][1] - 2 * between, 0.0)
    whole = sum(scatter)
    variance = whole + shared
    if variance <= CLOSE**2:
        variance = shared = by_items.error**2
    own_freedom = welch_freedom([(x, len(y)) for x, (_, y) in zip(scatter, sides, strict=True)])
    freedom = freedom_of_sum(((whole, own_freedom), (shared, by_items.freedom)))
    spread = Spread(sqrt(max(variance, 0.0)), freedom=max(1.0, freedom))
    runs = 2 / (1 / len(left) + 1 / len(right))
    own = runs * sum(max(v - c, 0.0) / len(y) for (v, c), y in sides)  # as if both had as many runs
    return spread, _components(
        whole * runs, own + shared, shared, runs, crossed.clusters or crossed.n
    )
