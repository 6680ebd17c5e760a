"""Ranking metrics: how well scores rank positives above negatives. Tied items form one step."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from math import inf
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from whichf1.metrics.registry import Ratio, Share, declare
from whichf1.tables.cells import Array, RankTable, Step

Top: TypeAlias = Annotated[
    Share, "Fraction of items, highest scores first; ties at the cutoff count in proportion."
]
MultiClass: TypeAlias = Literal["ovr", "ovo"]


@declare(
    "ranking",
    tex=r"\frac{1}{PN}\sum_{i:+}\sum_{j:-}\left([s_i>s_j]+\tfrac12[s_i=s_j]\right)",
    title="ROC AUC",
    aliases=("auroc", "auc", "auc_roc", "roc_auc_score"),
    sklearn="roc_auc_score",
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
    for s in steps:  # sums of weights are rounded, so all pairs are those in either order
        right = right + (s.negatives * (s.tp - s.positives / 2)).sum(-1)
        wrong = wrong + (s.positives * (s.fp - s.negatives / 2)).sum(-1)
    return right, right + wrong


def _in_units(r: RankTable) -> tuple[Array, Array, Iterator[Step]]:
    """All positives, all negatives, and the steps, so that no product of weights is too large.

    Each class has its own unit, a power of two near its sum, which changes no digit of a ratio.
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
    total: Array = np.zeros(())
    for part in parts:
        total = total + part.sum(-1)
    return total


def _or_one(divisor: Array) -> Array:
    """1 in place of 0, for quotients whose numerator is then 0 too."""
    return np.where(divisor.real == 0, 1.0, divisor)


def _area(s: Step, limit: Array) -> Array:
    """What each step adds to the area under (false positives, true positives) up to a limit."""
    left = s.fp - s.negatives
    width = np.maximum(np.minimum(s.fp, limit[..., None]) - left, 0)
    share = width / _or_one(s.negatives)
    area: Array = width * (s.tp - s.positives + share * s.positives / 2)
    return area


def _own_precision(r: RankTable, **_: object) -> Array:
    """Every positive is one of those that its precision counts: a guess near the top is flattered.

    Of tp positives among tp + fp items, the others have (tp − 1) of tp + fp − 1.
    """
    parts = (s.positives * s.fp / _or_one(s.tp + s.fp) ** 2 for s in r.steps())
    return _total(parts) / r.sizes[0]


@declare(
    "ranking",
    tex=r"\sum_k (R_k-R_{k-1})\,P_k",
    bias=_own_precision,
    aliases=("ap", "average_precision_score"),
    sklearn="average_precision_score",
)
def average_precision(
    r: RankTable,
    multi_class: Annotated[
        Literal["ovr"] | None, "'ovr' averages, for several classes, each class against the rest."
    ] = None,
) -> Ratio:
    """Mean, over positives, of the precision at each one's score, without interpolation."""
    if not r.weighted:
        return _total(s.positives * s.tp / _or_one(s.tp + s.fp) for s in r.steps()), r.sizes[0]
    own = _unit(r.sizes[0])[..., None]
    hits = (s.positives * own * (s.tp / _or_one(s.tp + s.fp)) for s in r.steps())
    return _total(hits), _total(s.positives * own for s in r.steps())


@declare(
    "ranking",
    tex=r"\max_t\left|TPR_t-FPR_t\right|",
    title="KS statistic",
    aliases=("kolmogorov_smirnov", "ks_statistic"),
    smooth=False,
)
def ks(r: RankTable) -> Ratio:
    """Largest gap between true and false positive rate over all thresholds (Kolmogorov–Smirnov)."""
    p, n, steps = _in_units(r)
    largest = [np.abs(s.tp * n[..., None] - s.fp * p[..., None]).max(-1) for s in steps]
    return np.max(largest, axis=0), p * n


@declare(
    "ranking",
    tex=r"\frac{TP_{q}}{P}",
    aliases=("cumulative_gain",),
    smooth=False,
    of_top=lambda found, top: found,
)
def gain(r: RankTable, top: Top = 0.1) -> Ratio:
    """Fraction of all positives found among the top-scored items."""
    return _found(r, top)


@declare(
    "ranking",
    tex=r"\frac{TP_{q}}{q\,P}",
    bounds=(0, inf),
    smooth=False,
    of_top=lambda found, top: found / top,
)
def lift(r: RankTable, top: Top = 0.1) -> Ratio:
    """Gain among the top-scored items divided by the gain of a random order."""
    found, positives = _found(r, top)
    return found, top * positives


def _found(r: RankTable, top: float) -> Ratio:
    """Positives among the first items, and all; tied items at the cutoff count in proportion."""
    if r.weighted and r.positives.ndim == 1:
        return _found_exactly(r, top)
    limit = top * (r.sizes[0] + r.sizes[1])[..., None]

    def top_of_step(s: Step) -> Array:
        items, taken = s.positives + s.negatives, s.tp + s.fp
        share = np.clip((limit - (taken - items)) / _or_one(items), 0, 1)
        return np.where(taken <= limit, 1.0, share) * s.positives

    return _total(map(top_of_step, r.steps())), r.sizes[0]


def _found_exactly(r: RankTable, top: float) -> Ratio:
    """The same without rounding: a cutoff that is a little off may miss all of a light class."""
    from fractions import Fraction  # slow to import

    def taken(steps: int) -> Any:
        return _exact_sum(np.append(r.positives[:steps], r.negatives[:steps]))

    last = len(r.score)
    limit = Fraction(top) * taken(last)
    about = np.searchsorted(r.true_positives + r.false_positives, float(limit) * _AROUND)
    low, high = int(about[0]), min(int(about[1]) + 1, last)
    whole = bisect_right(range(last + 1), limit, low, high + 1, key=taken) - 1
    found = _exact_sum(r.positives[:whole])
    if whole < last:
        ties = [Fraction(float(side[whole])) for side in (r.positives, r.negatives)]
        found += ties[0] * (limit - taken(whole)) / sum(ties)
    return np.array(float(found / _exact_sum(r.positives))), np.ones(())


_AROUND = np.array([1 - 1e-6, 1 + 1e-6])
"""Where a running sum of rounded weights may pass a limit."""
_HALF = 27
"""Bits of a mantissa that are added up apart, so that sums of many are exact."""


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
