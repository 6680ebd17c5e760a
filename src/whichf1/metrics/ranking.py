"""Ranking metrics: how well scores rank positives above negatives. Tied items form one step."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import partial, reduce
from math import inf, log
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from whichf1 import kernel
from whichf1.errors import DefinitionError
from whichf1.metrics.calibration import calibrated
from whichf1.metrics.registry import Ratio, Share, Within, declare
from whichf1.tables.cells import Array, RankTable, Rate, Step

Top: TypeAlias = Annotated[
    Share, "Fraction of items, highest scores first; ties at the cutoff count in proportion."
]
MultiClass: TypeAlias = Literal["ovr", "ovo"]
ranking = partial(declare, "ranking")
"""Declare a score of the order of all items."""
operating_point = partial(ranking, smooth=False)
"""Declare a score at a threshold that single items decide, or over a range that begins at one."""
one_point = partial(operating_point, one_point=True)
"""Declare a score at the first or the best of all thresholds."""


def _pairs_in_order(a: kernel.RankAreas) -> Any:
    positives, negatives, pairs, *_ = a
    return pairs, positives * negatives


def _mean_precision(a: kernel.RankAreas) -> Any:
    return a[3], a[0]


@ranking(
    tex=r"\frac{1}{PN}\sum_{i:+}\sum_{j:-}\left([s_i>s_j]+\tfrac12[s_i=s_j]\right)",
    title="ROC AUC",
    aliases=("auroc", "auc", "auc_roc", "roc_auc_score"),
    sklearn="roc_auc_score",
    of_areas=lambda max_fpr, **_: _pairs_in_order if max_fpr is None else None,
)
def roc_auc(
    r: RankTable,
    max_fpr: Annotated[
        Share | None,
        "Use only the area up to this false positive rate, rescaled so that 0.5 is chance and 1 "
        "is perfect (McClish 1989).",
    ] = None,
    multi_class: Annotated[
        MultiClass | None,
        "For several classes, average each class against the rest ('ovr') or all pairs of "
        "classes ('ovo').",
    ] = None,
) -> Ratio:
    """Fraction of positive-negative pairs ranked correctly by the scores; ties count half."""
    if max_fpr is None and not r.weighted:
        p, n = r.sizes
        return _total(s.negatives * (s.tp - s.positives / 2) for s in r.steps()), p * n
    p, n, steps = _in_units(r)
    if max_fpr is not None:
        whole, chance = p * n * max_fpr, p * n * (max_fpr - max_fpr**2)
        area = np.minimum(_total(_area(s, max_fpr * n) for s in steps), whole)
        return area + chance, whole + chance
    right = wrong = np.zeros(())
    for s in steps:  # sums of weights are rounded, so all pairs are the sum of both orders
        right = right + (s.negatives * (s.tp - s.positives / 2)).sum(-1)
        wrong = wrong + (s.positives * (s.fp - s.negatives / 2)).sum(-1)
    return right, right + wrong


def _in_units(r: RankTable) -> tuple[Array, Array, Iterator[Step]]:
    """All positives, all negatives, and the steps, so that no product of weights is too large.

    Each class has its own unit, a power of two near its sum, which leaves every digit of a ratio
    unchanged.
    """
    p, n = r.sizes
    if not r.weighted:
        return p, n, r.steps()
    a, b = _unit(p), _unit(n)

    def scaled(s: Step) -> Step:
        up, down = a[..., None], b[..., None]
        return Step(s.positives * up, s.negatives * down, s.tp * up, s.fp * down)

    return p * a, n * b, map(scaled, r.steps())


def _unit(size: Array) -> Array:
    exponent = np.frexp(np.asarray(size.real))[1]
    return np.asarray(np.ldexp(1.0, np.clip(-exponent, -1000, 1000)))


def _total(parts: Iterable[Array]) -> Array:
    """The sum over all steps."""
    total: Any = 0.0
    for part in parts:
        plain = type(part) is np.ndarray  # whose sum method is slower
        total = total + (np.add.reduce(part, -1) if plain else part.sum(-1))
    return total  # type: ignore[no-any-return]


def _or_one(divisor: Array) -> Array:
    """1 in place of 0, for quotients whose numerator is then 0 too."""
    real = divisor.real
    if np.count_nonzero(real) == real.size:  # the common case, and faster
        return divisor
    return np.where(real == 0, 1.0, divisor)


def _area(s: Step, limit: Array) -> Array:
    """The area that each step adds under (false positives, true positives), up to a limit."""
    left = s.fp - s.negatives
    width = np.maximum(np.minimum(s.fp, limit[..., None]) - left, 0)
    share = width / _or_one(s.negatives)
    area: Array = width * (s.tp - s.positives + share * s.positives / 2)
    return area


def _own_precision(r: RankTable, **_: object) -> Array:
    """The average precision of guessing: a positive counts towards the precision at its own rank.

    Of tp positives among tp + fp items, the others are tp − 1 of tp + fp − 1.
    """
    parts = (s.positives * s.fp / _or_one(s.tp + s.fp) ** 2 for s in r.steps())
    return _total(parts) / r.sizes[0]


@ranking(
    tex=r"\sum_k (R_k-R_{k-1})\,P_k",
    bias=_own_precision,
    aliases=("ap", "average_precision_score"),
    sklearn="average_precision_score",
    of_areas=lambda **_: _mean_precision,
    of_precisions="mean",
)
def average_precision(
    r: RankTable,
    multi_class: Annotated[
        Literal["ovr"] | None, "With several classes, 'ovr' averages each class against the rest."
    ] = None,
) -> Ratio:
    """Mean over positives of the precision at each one's score, without interpolation."""
    if not r.weighted:
        return _total(s.positives * s.tp / _or_one(s.tp + s.fp) for s in r.steps()), r.sizes[0]
    unit = _unit(r.sizes[0])[..., None]
    hits = (s.positives * unit * (s.tp / _or_one(s.tp + s.fp)) for s in r.steps())
    return _total(hits), _total(s.positives * unit for s in r.steps())


@ranking(
    tex=r"\max_t\left|TPR_t-FPR_t\right|",
    title="KS statistic",
    aliases=("kolmogorov_smirnov", "ks_statistic"),
    smooth=False,
)
def ks(r: RankTable) -> Ratio:
    """Largest gap between true and false positive rate over all thresholds (Kolmogorov–Smirnov)."""
    p, n, steps = _in_units(r)
    largest = (np.abs(s.tp * n[..., None] - s.fp * p[..., None]).max(-1) for s in steps)
    return reduce(np.maximum, largest), p * n


Least: TypeAlias = Annotated[Share, "The smallest acceptable value of the other rate."]
_REACHED = 1e-12
"""A rate this close below a limit counts as reaching it, since sums of weights are rounded."""


@one_point(
    tex=r"\max_{t:P_t\ge a} R_t",
    aliases=("recall_at_fixed_precision",),
)
def recall_at_precision(r: RankTable, at: Least = 0.9) -> Ratio:
    """Largest recall at any threshold with at least the required precision; 0 if there is none."""
    p = r.sizes[0][..., None]
    return _best(r, lambda s: (s.tp / _or_one(p), _precision(s) >= at - _REACHED))


@one_point(
    tex=r"\max_{t:R_t\ge a} P_t",
    aliases=("precision_at_fixed_recall",),
)
def precision_at_recall(r: RankTable, at: Least = 0.9) -> Ratio:
    """Largest precision at any threshold with at least the required recall."""
    p = r.sizes[0][..., None]
    return _best(r, lambda s: (_precision(s), s.tp / _or_one(p) >= at - _REACHED))


@one_point(
    tex=r"\max_{t:TNR_t\ge a} TPR_t",
    aliases=("recall_at_specificity",),
)
def sensitivity_at_specificity(r: RankTable, at: Least = 0.9) -> Ratio:
    """Largest recall at any threshold with at least the required specificity."""
    return _found_below(r, 1 - at)


@one_point(
    tex=r"\max_{t:TPR_t\ge a} TNR_t",
    aliases=("specificity_at_recall",),
)
def specificity_at_sensitivity(r: RankTable, at: Least = 0.9) -> Ratio:
    """Largest specificity at any threshold with at least the required recall."""
    p, n = (size[..., None] for size in r.sizes)
    return _best(r, lambda s: ((n - s.fp) / _or_one(n), s.tp / _or_one(p) >= at - _REACHED))


@one_point(
    tex=r"\max_{t:FPR_t\le a} TPR_t",
    aliases=("recall_at_fpr",),
)
def tpr_at_fpr(
    r: RankTable, at: Annotated[Share, "The largest acceptable false positive rate."] = 0.01
) -> Ratio:
    """Largest recall at any threshold with at most the allowed false positive rate."""
    return _found_below(r, at)


def _found_below(r: RankTable, limit: float) -> Ratio:
    p, n = (size[..., None] for size in r.sizes)
    return _best(r, lambda s: (s.tp / _or_one(p), s.fp / _or_one(n) <= limit + _REACHED))


def _precision(s: Step) -> Array:
    return s.tp / _or_one(s.tp + s.fp)


def _best(r: RankTable, rate: Rate) -> Ratio:
    """The largest value over all thresholds that satisfy a condition; 0 if none does."""
    best: Array = np.zeros(r.positives.shape[:-1])
    for s in r.contenders(rate):
        value, allowed = rate(s)
        best = np.maximum(best, np.where(allowed, value, 0.0).max(-1))
    return best, _both(r)


def _both(r: RankTable) -> Array:
    """1, or 0 for a table that lacks one of the classes, where nothing is defined."""
    positives, negatives = r.sizes
    return np.where((positives > 0) & (negatives > 0), 1.0, 0.0)


@one_point(
    tex=r"\max_t\frac{(1+\beta^2)P_tR_t}{\beta^2P_t+R_t}",
    title="F-max",
    aliases=("max_f",),
)
def f_max(
    r: RankTable,
    beta: Annotated[float, "How many times as important recall is as precision."] = 1,
) -> Ratio:
    """Largest F score at any threshold, chosen on the same items."""
    p, missed, false = r.sizes[0][..., None], float(beta) * float(beta), 1.0
    if beta > 1e6:  # the same ratio, without a number too large for a float
        missed, false = 1.0, 1 / missed

    def f(s: Step) -> tuple[Array, Array]:
        hits = (missed + false) * s.tp
        below = hits + missed * (p - s.tp) + false * s.fp
        return hits / _or_one(below), below > 0

    return _best(r, f)


@one_point(
    tex=r"FPR_t=FNR_t",
    aliases=("eer",),
    better="lower",
)
def equal_error_rate(r: RankTable) -> Ratio:
    """False positive rate where it equals the miss rate, on the linearly interpolated ROC curve."""
    p, n = map(_or_one, r.sizes)
    wide = tuple(x[..., None] for x in (p, n))
    s = r.first(lambda s: s.fp / wide[1] - (1 - s.tp / wide[0]) >= 0)
    x0, y0 = (s.fp - s.negatives) / n, 1 - (s.tp - s.positives) / p
    x1, y1 = s.fp / n, 1 - s.tp / p
    share = (y0 - x0) / _or_one((y0 - x0) + (x1 - y1))
    return x0 + share * (x1 - x0), _both(r)


@operating_point(
    tex=r"\frac{1}{1-a}\sum_k|[R_{k-1},R_k]\cap[a,1]|\,P_k",
    aliases=("partial_pr_area",),
)
def partial_average_precision(
    r: RankTable,
    min_recall: Annotated[
        float, Within(0, 0.999, False, "a number from 0 to 0.999"), "Where the area begins."
    ] = 0.5,
) -> Ratio:
    """Mean precision over recalls above a minimum, without interpolation."""
    p = r.sizes[0][..., None]

    def part(s: Step) -> Array:
        after, before = s.tp / _or_one(p), (s.tp - s.positives) / _or_one(p)
        width: Array = np.maximum(after, min_recall) - np.maximum(before, min_recall)
        return width * _precision(s)

    area = np.minimum(_total(map(part, r.steps())), 1 - min_recall)
    return area / (1 - min_recall), _both(r)


@operating_point(
    tex=r"\frac{1}{\ln(b/a)}\int_a^b TPR\;d\ln FPR",
    title="log-AUC",
    aliases=("logauc",),
)
def log_auc(
    r: RankTable,
    min_fpr: Annotated[
        float, Within(1e-12, 0.999, False, "a number above 0 and below 1"), "Where the area begins."
    ] = 0.001,
    max_fpr: Annotated[Share | None, "Where the area ends; by default, at 1."] = None,
) -> Ratio:
    """Area under the ROC curve over the log of the false positive rate, above a minimum rate."""
    p, n = (size[..., None] for size in r.sizes)
    most = 1.0 if max_fpr is None else max_fpr
    if most <= min_fpr:
        raise DefinitionError(f"max_fpr must be above min_fpr; got {most:g} and {min_fpr:g}")

    def part(s: Step) -> Array:
        left, right = (s.fp - s.negatives) / _or_one(n), s.fp / _or_one(n)
        low = np.maximum(left, min_fpr)
        width = np.maximum(np.minimum(right, most), low) - low
        log_width = np.log1p(width / low)  # accurate for short steps, too
        share = (width - left * log_width) / _or_one(right - left)
        start, rise = (s.tp - s.positives) / _or_one(p), s.positives / _or_one(p)
        area: Array = start * log_width + rise * share
        return area

    area = _total(map(part, r.steps())) / log(most / min_fpr)
    return np.minimum(np.maximum(area, 0.0), 1.0), _both(r)


@ranking(
    tex=r"\int_0^1 PG\;dRG,\quad PG=1-\frac{P}{N}\cdot\frac{FP}{TP},\ "
    r"RG=1-\frac{P}{N}\cdot\frac{FN}{TP}",
    title="PR-gain AUC",
    aliases=("auprg", "precision_recall_gain_auc"),
    bounds=(-inf, 1),
    smooth=False,
)
def pr_gain_auc(r: RankTable) -> Ratio:
    """Area under the precision–recall–gain curve (Flach and Kull 2015)."""
    p, n = (_or_one(size[..., None]) for size in r.sizes)
    hits, false = r.true_positives, r.false_positives
    below = np.cumsum(r.positives[..., ::-1], -1)[..., ::-1]
    missed = np.concatenate([below[..., 1:], np.zeros_like(below[..., :1])], -1)
    # 1 minus each gain: both are linear in 1/TP, so the curve is straight between two
    # thresholds
    rise = p / _or_one(hits)
    lack_recall = np.where(hits > 0, missed / n * rise, inf)
    lack_precision = np.where(hits > 0, false / n * rise, 0.0)
    first = np.full_like(lack_recall[..., :1], inf)
    start = np.concatenate([first, lack_recall[..., :-1]], -1)
    left = np.concatenate([np.zeros_like(first), lack_precision[..., :-1]], -1)
    with np.errstate(over="ignore", invalid="ignore"):
        width = np.maximum(np.minimum(start, 1.0) - lack_recall, 0.0)
        before, above = hits - r.positives, false - r.negatives
        slope = (above - r.negatives / _or_one(r.positives * 1.0) * before) / p
        left = np.where(
            start > 1, lack_precision + np.nan_to_num(slope * width, posinf=inf, neginf=-inf), left
        )
        area = np.where(width > 0, width * (1 - (left + lack_precision) / 2), 0.0).sum(-1)
    return area, _both(r)


@ranking(
    tex=r"\int_0^1\min_t\left[c\,FNR_t+(1-c)\,FPR_t\right]dc",
    title="area under the cost curve",
    bounds=(0, 0.25),
    better="lower",
    smooth=False,
)
def cost_curve_area(r: RankTable) -> Ratio:
    """Mean normalized expected cost at the best thresholds, over all costs (Drummond, Holte).

    The cost of a threshold is a straight line over the probability cost c; the best thresholds lie
    on the convex hull of the ROC curve.
    """
    if r.positives.ndim > 1:
        shape = r.positives.shape[:-1]
        sides = (x.reshape(-1, x.shape[-1]) for x in (r.positives, r.negatives))
        each = [_cost_area(*pair) for pair in zip(*sides, strict=True)]
        return np.reshape(each, shape), _both(r)
    return np.array(_cost_area(r.positives, r.negatives)), _both(r)


def _cost_area(positives: Array, negatives: Array) -> float:
    hits, misses = calibrated(positives, negatives)
    if not hits.sum() or not misses.sum():
        return 0.0
    up, right = hits / hits.sum(), misses / misses.sum()
    up, right = (x[up + right > 0] for x in (up, right))  # others weigh nothing beside the rest
    turn = np.concatenate([[0.0], right / (right + up), [1.0]])  # where two lines are equally low
    missed = 1 - np.concatenate([[0.0], np.cumsum(up)])
    false = np.concatenate([[0.0], np.cumsum(right)])
    width, mean = np.diff(turn), (turn[1:] + turn[:-1]) / 2
    return float((width * (mean * missed + (1 - mean) * false)).sum())


@ranking(
    tex=r"\frac1n\sum_i\frac{|\{j:s_j\ge s_i,\ \hat y_j\ne y_j\}|}{|\{j:s_j\ge s_i\}|}",
    title="area under the risk–coverage curve",
    aliases=("area_under_risk_coverage",),
    better="lower",
    probabilities=True,
    confidence=True,
    of_precisions="risk",
)
def aurc(r: RankTable) -> Ratio:
    """Mean over items of the error rate among all at least as confident (Geifman, El-Yaniv).

    The items are ranked by the probability of the predicted class.
    """
    return _risk(r), sum(r.sizes)  # type: ignore[return-value]


@ranking(
    tex=r"AURC-\left[e+(1-e)\ln(1-e)\right]",
    title="excess area under the risk–coverage curve",
    aliases=("e_aurc",),
    better="lower",
    probabilities=True,
    confidence=True,
    of_precisions="excess",
)
def excess_aurc(r: RankTable) -> Ratio:
    """AURC minus that of the best order, with all errors last (Geifman et al. 2019)."""
    right, wrong = r.sizes
    n = right + wrong
    share = _or_one(right / _or_one(n))
    return np.maximum(_risk(r) - wrong - right * np.log(share), 0.0), n


def _risk(r: RankTable) -> Array:
    return _total((s.positives + s.negatives) * (s.fp / _or_one(s.tp + s.fp)) for s in r.steps())


@ranking(
    tex=r"\frac{|\{i\in\mathrm{top}_c:\hat y_i=y_i\}|}{c\,n}",
    probabilities=True,
    confidence=True,
    smooth=False,
)
def selective_accuracy(
    r: RankTable,
    coverage: Annotated[
        Share, "Fraction of items, most confident first; ties at the cutoff count in proportion."
    ] = 0.8,
) -> Ratio:
    """Accuracy on the most confident items if the model abstains on the others."""
    hits, right = _found(r, coverage)
    covered = coverage * (r.sizes[0] + r.sizes[1])
    return np.minimum(hits / _or_one(right) * r.sizes[0], covered), covered


@operating_point(
    tex=r"\frac{TP_t}{n}-\frac{t}{1-t}\cdot\frac{FP_t}{n}",
    bounds=(-inf, 1),
    probabilities=True,
)
def net_benefit(
    r: RankTable,
    threshold: Annotated[
        float,
        Within(0, 1 - 2**-52, False, "a number of at least 0 and below 1"),
        "Items with at least this probability count as positive.",
    ] = 0.5,
) -> Ratio:
    """True positives minus false ones at the odds of the threshold, per item (Vickers, Elkin)."""
    chosen = r.score >= threshold
    tp, fp = (np.where(chosen, x, 0).sum(-1) for x in (r.positives, r.negatives))
    return tp - fp * (threshold / (1 - threshold)), sum(r.sizes)  # type: ignore[return-value]


@ranking(
    tex=r"\frac{TP_{q}}{P}",
    aliases=("cumulative_gain",),
    smooth=False,
    of_top=lambda found, top: found,
)
def gain(r: RankTable, top: Top = 0.1) -> Ratio:
    """Fraction of all positives found among the top-scored items."""
    return _found(r, top)


@ranking(
    tex=r"\frac{TP_{q}}{q\,P}",
    bounds=(0, inf),
    smooth=False,
    of_top=lambda found, top: found / top,
)
def lift(r: RankTable, top: Top = 0.1) -> Ratio:
    """Gain among the top-scored items divided by that of a random order."""
    hits, positives = _found(r, top)
    return hits, top * positives


def _found(r: RankTable, top: float) -> Ratio:
    """Positives among the top items, and all positives; ties at the cutoff count in proportion."""
    if r.weighted and r.positives.ndim == 1:
        return _found_exactly(r, top)
    limit = top * (r.sizes[0] + r.sizes[1])[..., None]

    def top_of_step(s: Step) -> Array:
        items, taken = s.positives + s.negatives, s.tp + s.fp
        share = np.clip(limit - (taken - items), 0, items) / _or_one(items)
        return np.where(taken <= limit, 1.0, share) * s.positives

    return _total(map(top_of_step, r.steps())), r.sizes[0]


def _found_exactly(r: RankTable, top: float) -> Ratio:
    """The same without rounding: a slightly wrong cutoff may miss a class with small weights."""
    from fractions import Fraction  # slow to import

    def taken(steps: int) -> Any:
        return _exact_sum(np.append(r.positives[:steps], r.negatives[:steps]))

    last = len(r.score)
    limit = Fraction(top) * taken(last)
    about = np.searchsorted(r.true_positives + r.false_positives, float(limit) * _AROUND)
    low, high = int(about[0]), min(int(about[1]) + 1, last)
    whole = bisect_right(range(last + 1), limit, low, high + 1, key=taken) - 1
    hits = _exact_sum(r.positives[:whole])
    if whole < last:
        ties = [Fraction(float(side[whole])) for side in (r.positives, r.negatives)]
        hits += ties[0] * (limit - taken(whole)) / sum(ties)
    positives = _exact_sum(r.positives)
    return np.array(float(hits / positives) if positives else 0.0), np.ones(())


_AROUND = np.array([1 - 1e-6, 1 + 1e-6])
"""The relative error by which a running sum of rounded weights may pass a limit."""
_HALF = 27
"""Bits of a mantissa that are summed separately, so that sums of many are exact."""


def _exact_sum(weights: Array) -> Any:
    """The sum of floats as a fraction."""
    from fractions import Fraction  # slow to import

    mantissa, exponent = np.frexp(weights)
    digits = (mantissa * 2.0**53).astype(np.int64)
    lowest = int(exponent.min(initial=0))
    halves = digits >> _HALF, digits & ((1 << _HALF) - 1)
    high, low = (np.bincount(exponent - lowest, half).tolist() for half in halves)
    sums = enumerate(zip(high, low, strict=True))
    total = sum(((int(a) << _HALF) + int(b)) << shift for shift, (a, b) in sums)
    return Fraction(total) * Fraction(2) ** (lowest - 53)
