"""Intervals: one way from a statistic and a sample to the values and their intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from math import exp, hypot, inf, isclose, isfinite, isnan, log, sqrt
from operator import attrgetter
from statistics import NormalDist

import numpy as np

from whichf1.definitions.definition import Definition
from whichf1.definitions.methods import Auto, Bootstrap, Method, Posterior
from whichf1.errors import DefinitionError
from whichf1.kernel import THREADS
from whichf1.statistics.items import (
    FEW_ITEMS,
    few_outcomes,
    few_worth,
    is_whole_area,
    least_items,
)
from whichf1.statistics.sample import (
    MANY,
    Drawn,
    Sample,
    Share,
    Statistic,
    Twin,
    ahead,
    kinds,
)
from whichf1.statistics.scales import (
    NONE,
    Interval,
    Smoothed,
    Spread,
    TwoRates,
    beta_interval,
    normal_quantile,
    normal_tail,
    smoothed_interval,
    transformed,
)
from whichf1.tables.cells import Array

PARTS = 8
"""In so many parts, replicates are drawn in a thread while scores of those before are computed."""
MANY_ITEMS = 1000
"""From this many items on, a mean is normal enough, however skewed its items are."""


def estimate(
    definition: Definition, statistic: Statistic, sample: Sample
) -> tuple[Array, list[Interval | None]]:
    """The values of a definition, and an interval for each by its method.

    The interval is None if the score is undefined or does not vary to first order (a perfect
    score, for example): an interval of zero width would claim too much. It has a caution if there
    are too few of something for its method.
    """
    method = definition.interval
    if method is not None:
        sample.refuse_extremes()
    values, intervals = _estimate(definition, statistic, sample)
    if method is None:
        return values, intervals
    bounds, careful = definition.bounds, not isinstance(method, Auto)
    exact, uncovered = _exact(method, statistic, sample), _not_known_to_cover(definition)
    checked: list[Interval | None] = []
    for at, value in enumerate(values.tolist()):
        interval = intervals[at]
        if interval is None or _room(value, bounds) < -NONE:
            checked.append(None)
        else:
            few = None if exact else sample.few() or statistic.few(sample, at, careful)
            checked.append(cautioned(interval, few or uncovered))
    return values, checked


def _exact(method: Method, statistic: Statistic, sample: Sample) -> bool:
    """Whether the method holds for any number of items: a proportion, or a posterior with a prior.

    Without a prior, a posterior only weights the observed items, as a bootstrap does.
    """
    if isinstance(method, Posterior):
        return statistic.with_prior(sample, method.prior)[1] is not sample
    return method.word in PROPORTIONS


def delta_interval(
    definition: Definition, value: float, spread: Spread, few: str | None
) -> Interval | None:
    """The interval of one value with this spread, as ``estimate`` gives it by the delta method."""
    refuse_other(definition)
    interval = interval_of(definition, value, spread)
    if interval is None or _room(value, definition.bounds) < -NONE:
        return None
    return interval if few is None else cautioned(interval, few)


def _not_known_to_cover(definition: Definition) -> str | None:
    """Why resampling a score may mislead, in words: no interval is known to be valid."""
    metric, method = definition.declaration, definition.interval
    name = metric.title if "'s " in metric.title else f"the {metric.title}"
    if isinstance(method, Bootstrap) and metric.bend is not None:
        return f"{name} has a bend where {metric.bend}, and replicates fall on one side of it"
    if metric.smooth or method is None or not method.drawn:
        return None
    return f"{name} is biased or depends on individual items"


def _room(value: float, bounds: tuple[float, float]) -> float:
    """The distance to the nearer bound of a score; negative for a value from ``undefined=``."""
    return min(value - bounds[0], bounds[1] - value)


def cautioned(interval: Interval | None, few: str | None) -> Interval | None:
    """The interval with the caution that there are too few of something."""
    if interval is None or few is None or interval.caution is not None:
        return interval
    ends, method = (interval.low, interval.high), (interval.level, interval.method)
    return Interval(*ends, *method, interval.undefined, f"{few}: the interval may be too narrow")


def _estimate(
    definition: Definition, statistic: Statistic, sample: Sample
) -> tuple[Array, list[Interval | None]]:
    method = definition.interval
    if isinstance(method, Auto):
        return automatic(definition, statistic, sample)
    if method is not None and method.word not in PROPORTIONS:
        refuse_other(definition)
    if method is not None and not method.drawn and method.word not in PROPORTIONS:
        values, spreads = statistic.spreads(sample)
        pairs = zip(values.tolist(), spreads, strict=True)
        return values, [interval_of(definition, value, spread) for value, spread in pairs]
    values = np.ravel(statistic.values(sample.count))
    if method is None:
        return values, [None] * len(values)
    if isinstance(method, Posterior):
        return values, posterior(method, statistic, sample, values)
    if isinstance(method, Bootstrap):
        return values, bootstrap(definition, statistic, sample, values)
    each = range(len(values))
    return values, [proportion(definition, statistic.share(at), sample, method) for at in each]


def automatic(
    definition: Definition, statistic: Statistic, sample: Sample
) -> tuple[Array, list[Interval | None]]:
    """The interval of each value, by the method that suits it.

    A fraction of items gets one from quantiles of beta distributions; a score with a smoothed twin
    gets one from the twin; any other uses the delta method.
    """
    values, twins = statistic.smoothed(sample)
    spreads = statistic.spreads(sample)[1] if None in twins else [None] * len(twins)
    every = zip(values.tolist(), twins, spreads, strict=True)
    return values, [
        twin_interval(definition, value, twin)
        if spread is None
        else interval_of(definition, value, spread)
        for value, twin, spread in every
    ]


def twin_interval(definition: Definition, value: float, twin: Twin) -> Interval | None:
    """The interval of a value from its smoothed twin."""
    method = definition.interval
    if method is None or twin is None or isnan(value):
        return None
    bounds = definition.bounds
    if isinstance(twin, Smoothed) and twin.spread.error == inf and bounds[1] < inf:
        return cautioned(Interval(*bounds, method.level, method.word), "nothing shows the spread")
    if isinstance(twin, Smoothed):
        return smoothed_interval(value, twin, bounds, method.level, method.word)
    if isinstance(twin, TwoRates):
        if twin.of_ratio is None:
            low, high = interval_of_two_rates(twin, bounds, method.level)
        else:
            low, high = map(twin.of_ratio, interval_of_two_rates(twin, (0, inf), method.level))
        return Interval(min(low, value), max(high, value), method.level, method.word)
    low, high = map(twin.score, twin.rate.ends(method.level))
    return Interval(low, high, method.level, method.word)


def interval_of_two_rates(
    twin: TwoRates, bounds: tuple[float, float], level: float
) -> tuple[float, float]:
    """The ends of a function of two rates, from the interval of each (Donner and Zou 2012).

    Each rate alone would move the score by some distance, on the log scale if it is a ratio; the
    squares of these distances add up. A rate of no items can be anything.
    """
    ratio, ends = bounds[1] == inf, [rate.ends(level) for rate in twin.rates]
    if not all(rate.n for rate in twin.rates):
        corners = [twin.score(*corner) for corner in product(*ends)]
        return max(min(corners), bounds[0]), min(max(corners), bounds[1])
    rates = [(x * n + 0.5) / (n + 1) if ratio else x for x, n, *_ in twin.rates]

    def at(*rates: float) -> float:
        score = twin.score(*rates)
        return score if not ratio or score == inf else log(score) if score > 0 else -inf

    here, down, up = at(*rates), 0.0, 0.0
    for place, own in enumerate(ends):
        moved = [at(*rates[:place], end, *rates[place + 1 :]) for end in own]
        down, up = hypot(down, here - min(moved)), hypot(up, max(moved) - here)
    if not ratio:
        return max(here - down, bounds[0]), min(here + up, bounds[1])
    return exp(here - down), exp(here + up) if up < inf else inf


def refuse_other(definition: Definition) -> None:
    """Raise if the interval method does not apply to the metric."""
    metric, method = definition.declaration, definition.interval
    if method is None or method.word in ("auto", "delta", Bootstrap.word):
        return
    if isinstance(method, Posterior):
        return refuse_posterior(definition, "Use interval='bootstrap'.")
    what = f"the interval {method.word!r} does not apply to {metric.name}"
    if method.word == "delong":
        if is_whole_area(definition):
            return
        what = f"DeLong's variance is that of the whole ROC AUC, not of {definition.signature}"
    advice = f"Use interval={'delta' if metric.smooth else 'bootstrap'!r}."
    raise DefinitionError(f"{what}. {advice}")


def interval_of(definition: Definition, value: float, spread: Spread) -> Interval | None:
    """The interval of a value with this spread, by the delta method.

    An unbounded mean over items is the value ± z standard errors; anything else gets an interval on
    the scale that suits its bounds.
    """
    metric, method = definition.declaration, definition.interval
    if method is None:
        return None
    bounds = definition.bounds
    endless = bounds[1] == inf or bounds[0] == -inf
    if not endless or metric.kind not in ("loss", "label ranking", "value"):
        return transformed(value, spread, bounds, method.level, method.word)
    if not (isfinite(value) and isfinite(spread.error)) or spread.error <= NONE:
        return None
    half = normal_quantile((1 + method.level) / 2) * spread.error
    low, high = max(bounds[0], value - half), min(bounds[1], value + half)
    return Interval(low, high, method.level, method.word)


def refuse_posterior(definition: Definition, advice: str) -> None:
    """Raise if the score counts whole items, which draws from a posterior are not."""
    if definition.declaration.whole:
        raise DefinitionError(
            f"{definition.metric} counts whole items, and draws from a posterior are not whole. "
            f"{advice}"
        )


def sums_interval(
    definition: Definition, mean: float, error: float, n: float, *, weighted: bool = False
) -> Interval | None:
    """The interval of a mean over this many items, of which only sums are known."""
    if not isinstance(definition.interval, Auto):
        outcomes = mean * (1 - mean)  # the variance of values in [0, 1] if all are 0 or 1
        if definition.bounds == (0, 1) and isclose(n * error**2, outcomes, rel_tol=1e-9):
            few = few_worth(n, FEW_ITEMS, weighted=weighted) or few_outcomes(
                n * min(mean, 1 - mean)
            )
        else:
            few = few_worth(n, least_items(definition.unlimited, True), weighted=weighted)
        return cautioned(interval_of(definition, mean, Spread(error)), few)
    wider = error * sqrt(n / (n - 1)) if n > 1 else inf
    interval = twin_interval(
        definition, mean, Smoothed(mean, Spread(wider, None, 0.0, n - 1), "cubic")
    )
    few = "only sums of the items are known, not how skewed they are" if n < MANY_ITEMS else None
    return cautioned(interval, few)


def proportion(
    definition: Definition, share: Share | None, sample: Sample, method: Method
) -> Interval | None:
    """The interval of a fraction of items; None for a fraction of no items."""
    if definition.declaration.kind not in ("rate", "agreement"):
        refuse_other(definition)
    if not sample.single:
        raise DefinitionError(
            f"the interval {method.word!r} is for items without weights and clusters. "
            "Use interval='delta' or 'bootstrap'."
        )
    if share is None:
        raise DefinitionError(
            f"the interval {method.word!r} is for a fraction of items with one class each, "
            f"and {definition.signature} is not one. Use interval='delta' or 'bootstrap'."
        )
    counts = ~np.isnan(share.success)
    n, x = float(sample.count[counts].sum()), float(sample.count[share.success == 1].sum())
    if n == 0:
        return None
    low, high = PROPORTIONS[method.word](x, n, method.level)
    ends = share.score(min(max(low, 0.0), 1.0)), share.score(min(max(high, 0.0), 1.0))
    return Interval(*ends, method.level, method.word)


def replicates(
    statistics: Sequence[Statistic], sample: Sample, replicates: int, seed: int
) -> Array:
    """All values for every replicate (replicates, values), with the same draws for all."""
    wide = all(map(attrgetter("adds_rows"), statistics))
    threaded = wide and THREADS > 1 and replicates * len(sample.count) >= MANY
    draws = sample.draws(replicates, seed, wide, PARTS if threaded else 1)
    return np.concatenate([*_values(statistics, ahead(draws) if threaded else draws)])


def replicates_in_parts(
    statistics: Sequence[Statistic], sample: Sample, replicates: int, seed: int
) -> Iterator[Array]:
    """The same, some replicates at a time."""
    wide = all(map(attrgetter("adds_rows"), statistics))
    return _values(statistics, sample.draws(replicates, seed, wide))


def _values(statistics: Sequence[Statistic], draws: Iterator[Drawn]) -> Iterator[Array]:
    for drawn in draws:
        yield np.concatenate([each.replicated(drawn) for each in statistics], 1)


def bootstrap(
    definition: Definition, statistic: Statistic, sample: Sample, values: Array
) -> list[Interval | None]:
    """An interval for each value; None if replicates do not vary or the value is undefined."""
    method, smooth = definition.interval, definition.declaration.smooth
    assert isinstance(method, Bootstrap)
    columns = replicates(*kinds([statistic], sample), method.replicates, method.seed).T
    intervals = []
    for at, (value, column) in enumerate(zip(values.tolist(), columns, strict=True)):
        skew = None
        if method.kind == "bca":
            skew = 0.0  # of a score that depends on individual items, or does not vary
            spread = sample.spread(statistic.slope(sample.count, at)) if smooth else None
            if spread is not None and spread.error > NONE:
                skew = (spread.skew or 0.0) / 6  # over the items, or the clusters (Efron 1987)
        intervals.append(percentile_interval(column, value, method.level, skew))
    return intervals


def posterior(
    method: Posterior, statistic: Statistic, sample: Sample, values: Array
) -> list[Interval | None]:
    """The credible interval of each value: quantiles over draws of all counts (Rubin 1981)."""
    return credible(method, values, posterior_values(method, statistic, sample))


def credible(method: Posterior, values: Array, draws: Array) -> list[Interval | None]:
    """The quantiles of draws (draws, values); None if they are the same or the value undefined."""
    intervals: list[Interval | None] = []
    tails = (1 - method.level) / 2, (1 + method.level) / 2
    for value, column in zip(values.tolist(), draws.T, strict=True):
        defined = column[~np.isnan(column)]
        if isnan(value) or not len(defined):
            intervals.append(None)
            continue
        with np.errstate(invalid="ignore"):  # between two infinite draws at the edge of a ratio
            ends = np.quantile(defined, tails, method="weibull")
        low, high = np.where(np.isnan(ends), inf, ends).tolist()
        facts = (method.level, method.word, len(column) - len(defined))
        fixed = low == high or high - low <= NONE
        intervals.append(None if fixed else Interval(low, high, *facts))
    return intervals


def posterior_values(method: Posterior, statistic: Statistic, sample: Sample) -> Array:
    """All values on every draw of all counts from the posterior (draws, values)."""
    (statistic,), sample = kinds([statistic], sample)
    statistic, sample = statistic.with_prior(sample, method.prior)
    draws = sample.posterior_draws(method.draws, method.seed)
    return np.concatenate([statistic.values(count) for count in draws])


def percentile_interval(
    replicates: Array, value: float, level: float, skew: float | None = None
) -> Interval | None:
    """The interval of replicates; with a skew, bias-corrected and accelerated."""
    defined = replicates[~np.isnan(replicates)]
    if not isfinite(value) or not len(defined) or defined.min() == defined.max():
        return None
    tails = (1 - level) / 2, (1 + level) / 2
    if skew is not None:
        tails = bca_tails(defined, value, skew, tails)
    with np.errstate(invalid="ignore"):  # an infinite replicate at the edge of a ratio
        low, high = np.quantile(defined, tails, method="weibull").tolist()
    if not (isfinite(low) and isfinite(high)) or high - low <= NONE:
        return None
    return Interval(low, high, level, Bootstrap.word, len(replicates) - len(defined))


def bca_tails(
    replicates: Array, value: float, skew: float, tails: tuple[float, float]
) -> tuple[float, float]:
    """Which quantiles to take, corrected for bias and acceleration (Efron 1987)."""
    normal, size = NormalDist(), len(replicates)
    equal = np.abs(replicates - value) <= NONE  # rounding must not decide the count
    below = ((replicates < value) & ~equal).sum() + equal.sum() / 2
    bias = normal.inv_cdf(min(max(below / size, 1 / (size + 1)), size / (size + 1)))

    def moved(tail: float) -> float:
        z = bias + normal.inv_cdf(tail)
        return normal_tail(-bias - z / (1 - skew * z))

    return moved(tails[0]), moved(tails[1])


FEW_HITS = 400
"""Up to this many items, the distribution of the number of positives is computed exactly."""


def hit_limits(probabilities: Array, items: Array, level: float) -> tuple[float, float]:
    """Limits of the fraction of positives if each item is positive with its probability."""
    n, tails = int(items.sum()), ((1 - level) / 2, (1 + level) / 2)
    mean = float((items * probabilities).sum()) / n
    if n > FEW_HITS:
        variance = float((items * probabilities * (1 - probabilities)).sum())
        half = normal_quantile(tails[1]) * sqrt(variance) / n
        return max(0.0, mean - half), min(1.0, mean + half)
    angle = np.exp(-2j * np.pi * np.arange(n + 1) / (n + 1))
    factors = 1 - probabilities[:, None] + probabilities[:, None] * angle
    chance = np.fft.ifft(np.prod(factors ** items[:, None], 0)).real
    below = np.cumsum(chance.clip(0))
    low, high = np.searchsorted(below / below[-1], tails).tolist()
    return low / n, min(high, n) / n


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


PROPORTIONS: dict[str, Callable[[float, float, float], tuple[float, float]]] = {
    "wilson": wilson,
    "clopper-pearson": beta_interval,
    "agresti-coull": agresti_coull,
    "jeffreys": partial(beta_interval, prior=0.5),
}
