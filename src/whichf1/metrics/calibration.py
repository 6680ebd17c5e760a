"""Calibration: how far probabilities are from frequencies, and the other parts of a loss."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import fsum, inf
from typing import Annotated, Literal, TypeAlias

import numpy as np

from whichf1.errors import DefinitionError
from whichf1.metrics.registry import Bins, Ratio, declare
from whichf1.tables.cells import Array, RankTable, sum_by

Binning: TypeAlias = Literal["equal-width", "equal-mass"]
BinCount: TypeAlias = Annotated[Bins, "How many bins the probabilities are grouped into."]
BinEdges: TypeAlias = Annotated[Binning, "Bins of equal width, or bins with equally many items."]
TopLabel: TypeAlias = Annotated[
    Literal["top-label"] | None,
    "With several classes, 'top-label' evaluates the probability of the predicted class.",
]


@declare(
    "ranking",
    tex=r"\frac{1}{n}\sum_b\left|\sum_{i\in b}(p_i-y_i)\right|",
    title="expected calibration error",
    aliases=("ece",),
    better="lower",
    probabilities=True,
    smooth=False,
    of_bins=lambda off, n: np.abs(off).sum(-1) / n.sum(-1),
)
def expected_calibration_error(
    r: RankTable,
    bins: BinCount = 10,
    binning: BinEdges = "equal-width",
    multi_class: TopLabel = None,
) -> Ratio:
    """Mean gap between predicted probability and observed frequency in bins; biased upwards."""
    return _of_bins(r, bins, binning, lambda off, n: np.abs(off).sum(-1)), _items(r)


@declare(
    "ranking",
    tex=r"\max_b\left|\frac{1}{n_b}\sum_{i\in b}(p_i-y_i)\right|",
    title="maximum calibration error",
    aliases=("mce", "maximum_calibration_error"),
    better="lower",
    probabilities=True,
    smooth=False,
    of_bins=lambda off, n: _gap(off, n).max(-1),
)
def max_calibration_error(
    r: RankTable,
    bins: BinCount = 10,
    binning: BinEdges = "equal-width",
    multi_class: TopLabel = None,
) -> Ratio:
    """Largest gap between predicted probability and observed frequency in a bin."""
    value = _of_bins(r, bins, binning, lambda off, n: _gap(off, n).max(-1))
    return value, np.ones_like(value)


@declare(
    "ranking",
    tex=r"\sqrt{\sum_b\frac{n_b}{n}\left(\frac{1}{n_b}\sum_{i\in b}(p_i-y_i)\right)^2}",
    title="root mean squared calibration error",
    aliases=("rmsce", "root_mean_squared_calibration_error"),
    better="lower",
    probabilities=True,
    smooth=False,
    of_bins=lambda off, n: np.sqrt((np.abs(off) * _gap(off, n)).sum(-1) / n.sum(-1)),
)
def rms_calibration_error(
    r: RankTable,
    bins: BinCount = 10,
    binning: BinEdges = "equal-width",
    multi_class: TopLabel = None,
) -> Ratio:
    """Root mean squared gap between probability and frequency in bins; biased upwards."""
    square = _of_bins(r, bins, binning, lambda off, n: (np.abs(off) * _gap(off, n)).sum(-1))
    n = _items(r)
    return np.sqrt(square / np.where(n == 0, 1, n)), np.where(n == 0, 0.0, 1.0)


def _items(r: RankTable) -> Array:
    positives, negatives = r.sizes
    return positives + negatives


def _gap(off: Array, n: Array) -> Array:
    """The mean gap of the bins; 0 for an empty bin."""
    return np.abs(off) / np.where(n == 0, 1, n)


def _of_bins(
    r: RankTable, bins: int, binning: str, score: Callable[[Array, Array], Array]
) -> Array:
    """A function of Σ (y − p) and the number of items in each bin."""
    if binning == "equal-mass" and r.positives.ndim > 1:  # each table needs its own bins
        return _each(r, lambda table: _of_bins(table, bins, binning, score))
    at = bin_of(r.score, bin_edges(r, bins, binning))
    items = (r.positives + r.negatives).astype(np.float64)
    if r.positives.ndim == 1 and r.positives.dtype.kind in "iu":
        off = sum_by(at, r.positives.astype(np.float64), bins) - _mass(at, items, r.score, bins)
    else:
        each = r.positives * (1 - r.score) - r.negatives * r.score  # Σ (y − p) of a score's items
        off = sum_by(at, each, bins)
    return np.asarray(score(off, sum_by(at, items, bins)))


def _mass(at: Array, items: Array, score: Array, bins: int) -> Array:
    """The sum of probabilities in each bin, rounded once, in whatever order the items come.

    A probability is split into two numbers of 26 bits (Veltkamp 1968), whose products with a
    number of items are exact.
    """
    wide = score * (2.0**27 + 1)
    part = wide - (wide - score)
    ends = np.cumsum(np.bincount(at, minlength=bins))[:-1]
    order = np.argsort(at, kind="stable")
    sides = (np.split((items * x)[order], ends) for x in (part, score - part))
    return np.array([fsum([*a.tolist(), *b.tolist()]) for a, b in zip(*sides, strict=True)])


def _each(r: RankTable, score: Callable[[RankTable], Array]) -> Array:
    """The score of each table of a batch."""
    shape = r.positives.shape[:-1]
    sides = (x.reshape(-1, x.shape[-1]) for x in (r.positives, r.negatives))
    each = [score(RankTable(r.score, *pair)) for pair in zip(*sides, strict=True)]
    return np.reshape(each, shape)


def _squared(
    r: RankTable, bins: int, binning: str, multi_class: str | None = None
) -> tuple[Array, Array]:
    """The mean squared gap over bins, corrected for chance, and its standard error.

    In a bin of n items, the gap between frequency and mean probability has the variance
    f (1 − f) / (n − 1), and its square is too large by that much (Bröcker 2012; Kumar et al.
    2019). The variance of a debiased square is 4 (gap · error)² + 2 error⁴. The number of items in
    a bin also varies, which matters to the extent that its square differs from the mean.
    """
    if r.positives.dtype.kind == "f":
        raise DefinitionError(
            "debiased_calibration_error needs whole numbers of items: drop the weights"
        )
    if r.positives.ndim > 1:  # each table needs its own bins
        tables = (RankTable(r.score, *x) for x in zip(r.positives, r.negatives, strict=True))
        values, errors = zip(*(_squared(table, bins, binning) for table in tables), strict=True)
        return np.array(values), np.array(errors)
    at = bin_of(r.score, bin_edges(r, bins, binning))
    positives, expected, n = (
        sum_by(at, x.astype(np.float64), bins)
        for x in (r.positives, (r.positives + r.negatives) * r.score, r.positives + r.negatives)
    )
    known = n > 1  # the variance of a single item is unknown
    positives, expected, n = positives[known], expected[known], n[known]
    frequency, share = positives / n, n / sum(r.sizes)
    error = frequency * (1 - frequency) / (n - 1)
    gap = (frequency - expected / n) ** 2 - error
    least = np.maximum(error, 0.25 / n**2)  # all or none of the items of a bin may be positive
    square = (share * gap).sum()
    spread = share**2 * (4 * np.maximum(gap, 0) * least + 2 * least**2)
    spread += share * (np.maximum(gap, 0) - max(square, 0)) ** 2 / sum(r.sizes)
    return square, np.sqrt(spread.sum())


@declare(
    "ranking",
    tex=r"\sqrt{\max\left(0,\sum_b\frac{n_b}{n}"
    r"\left[(f_b-\bar p_b)^2-\frac{f_b(1-f_b)}{n_b-1}\right]\right)}",
    title="debiased calibration error",
    better="lower",
    probabilities=True,
    smooth=False,
    whole=True,
    squared=_squared,
)
def debiased_calibration_error(
    r: RankTable,
    bins: BinCount = 10,
    binning: BinEdges = "equal-width",
    multi_class: TopLabel = None,
) -> Ratio:
    """Root mean squared gap between probability and frequency in bins, corrected for chance."""
    square = _squared(r, bins, binning)[0]
    return np.sqrt(np.maximum(square, 0.0)), np.ones_like(square)


def bin_edges(r: RankTable, bins: int, binning: str) -> Array:
    """The inner edges of the bins: equal steps in [0, 1], or quantiles of the items' scores."""
    if binning == "equal-width":
        return equal_width(bins)
    if r.positives.dtype.kind == "f":
        raise DefinitionError(
            "equal-mass bins do not support weights. Use binning='equal-width' or drop the weights."
        )
    # quantiles are interpolated between neighbouring items; at integer positions they are exact
    last = np.cumsum((r.positives + r.negatives)[::-1], dtype=np.int64)
    place, rest = np.divmod(np.arange(1, bins) * (last[-1] - 1), bins)
    low, high = (
        r.score[::-1][np.searchsorted(last, item, "right")] for item in (place, place + (rest > 0))
    )
    edges: Array = low + (high - low) * (rest / bins)
    return edges


@lru_cache(maxsize=16)
def equal_width(bins: int) -> Array:
    """The inner edges of bins of equal width in [0, 1]."""
    edges = np.linspace(0, 1, bins + 1)[1:-1]
    edges.setflags(write=False)
    return edges


def bin_of(score: Array, edges: Array) -> Array:
    """The bin of each score; a score equal to an edge falls into the lower bin."""
    return edges.searchsorted(score, "left")


PLACES = 1024
"""Number of points in [0, 1] at which the smoothed error is computed."""
_HALVINGS = 40


@declare(
    "ranking",
    tex=r"\sigma^*:\ \int_0^1\left|\frac1n\sum_i K_{\sigma^*}(t,p_i)(y_i-p_i)\right|dt=\sigma^*",
    title="smooth calibration error",
    aliases=("smece", "smooth_ece"),
    better="lower",
    probabilities=True,
    smooth=False,
)
def smooth_calibration_error(r: RankTable, multi_class: TopLabel = None) -> Ratio:
    """Calibration error smoothed by a kernel as wide as the error itself (Błasiok and Nakkiran).

    The kernel is a normal density reflected at the ends of [0, 1]. A reflected function is a
    sum of cosines, which are damped to smooth it.
    """
    value = _smooth(r) if r.positives.ndim == 1 else _each(r, _smooth)
    return value, np.where(_items(r) > 0, 1.0, 0.0)


def _smooth(r: RankTable) -> Array:
    """The width of the kernel that equals the error smoothed by it."""
    n = float(_items(r))
    if n == 0:
        return np.zeros(())
    off = (r.positives * (1 - r.score) - r.negatives * r.score) / n
    place = r.score * PLACES - 0.5  # the points are (k + ½) / PLACES
    lower = np.clip(np.floor(place), 0, PLACES - 1).astype(np.intp)
    upper, part = np.minimum(lower + 1, PLACES - 1), np.clip(place - lower, 0, 1)
    mass = np.bincount(lower, off * (1 - part), PLACES) + np.bincount(upper, off * part, PLACES)
    waves = np.fft.rfft(np.concatenate([mass, mass[::-1]]))
    square = -((np.pi * np.arange(PLACES + 1)) ** 2) / 2

    def error(width: float) -> float:
        damped = np.fft.irfft(waves * np.exp(square * width**2), 2 * PLACES)
        return float(np.abs(damped[:PLACES]).sum())

    low, high = 0.0, 1.0  # the error falls as the kernel widens
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if error(middle) > middle else (low, middle)
    return np.array((low + high) / 2)


# the parts of a loss

Loss: TypeAlias = Annotated[Literal["brier", "log_loss"], "The loss: the Brier score or log loss."]
_LEAST = float(np.finfo(np.float64).eps)


def _losses(loss: str, p: Array, positives: Array, negatives: Array) -> Array:
    """The sum of a loss over items with these probabilities."""
    if loss == "brier":
        total: Array = (positives * (1 - p) ** 2 + negatives * p**2).sum(-1)
        return total
    up, down = (-np.log(np.maximum(x, _LEAST)) for x in (p, 1 - p))
    total = (positives * up + negatives * down).sum(-1)
    return total


def _losses_of_shares(loss: str, positives: Array, negatives: Array) -> Array:
    """The sum of a loss over groups of items if each is predicted its fraction of positives.

    A fraction next to 1 has no digits left, so that its logarithm is taken of what is missing.
    """
    n = positives + negatives
    if loss == "brier":
        return _losses(loss, positives / np.where(n == 0, 1, n), positives, negatives)
    most = -np.log(_LEAST)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        up, down = np.log1p(negatives / positives), np.log1p(positives / negatives)
    sides = ((positives, up), (negatives, down))
    each = (np.where(x > 0, x * np.fmin(y, most), 0.0) for x, y in sides)
    total: Array = sum(each).sum(-1)  # type: ignore[union-attr]
    return total


def calibrated(positives: Array, negatives: Array) -> tuple[Array, Array]:
    """The items in each block of scores that share a calibrated probability, which falls from
    block to block: the pool-adjacent-violators algorithm, that is, the convex hull of the ROC
    curve.

    A run of rising frequencies ends up with one probability, so all runs are pooled at once.
    """
    items = positives + negatives > 0
    hits, misses = (x[items].astype(np.float64) for x in (positives, negatives))
    up, down, starts = hits, misses, np.arange(len(hits))
    while len(up) > 1:
        falls = np.append(True, _falls(up, down))
        if falls.all():
            break
        starts, first = starts[falls], np.flatnonzero(falls)
        up, down = (np.add.reduceat(x, first) for x in (up, down))
    if not len(starts):
        return hits, misses
    return np.add.reduceat(hits, starts), np.add.reduceat(misses, starts)


def _falls(up: Array, down: Array) -> Array:
    """Whether the ratio of both is lower in the next block, by products that cannot overflow."""
    (a, i), (b, j) = np.frexp(up), np.frexp(down)
    shift = (i[:-1] + j[1:]) - (i[1:] + j[:-1])
    shift = np.maximum(np.minimum(shift, 3), -3)  # products of fractions differ by less than 4 ×
    falls: Array = np.ldexp(a[:-1] * b[1:], shift) > a[1:] * b[:-1]
    return falls


def _after_calibration(r: RankTable, loss: str) -> Array:
    """The summed loss of the calibrated probabilities."""
    if r.positives.ndim > 1:
        return _each(r, lambda table: _after_calibration(table, loss))
    return np.asarray(_losses_of_shares(loss, *calibrated(r.positives, r.negatives)))


def _of_constant(r: RankTable, loss: str) -> Array:
    """The summed loss of predicting the fraction of positives for every item."""
    positives, negatives = (x[..., None] for x in r.sizes)
    return _losses_of_shares(loss, positives, negatives)


@declare(
    "ranking",
    tex=r"\frac1n\sum_i\left[L(p_i,y_i)-L(\hat p_i,y_i)\right]",
    bounds=(0, inf),
    better="lower",
    probabilities=True,
    smooth=False,
)
def miscalibration(r: RankTable, loss: Loss = "brier") -> Ratio:
    """Part of a loss that isotonic calibration would remove (Dimitriadis et al. 2021).

    The loss is miscalibration − discrimination + uncertainty, exactly.
    """
    losses = _losses(loss, r.score, r.positives, r.negatives)
    return np.maximum(losses - _after_calibration(r, loss), 0.0), _items(r)


@declare(
    "ranking",
    tex=r"\frac1n\sum_i\left[L(\bar y,y_i)-L(\hat p_i,y_i)\right]",
    probabilities=True,
    smooth=False,
)
def discrimination(r: RankTable, loss: Loss = "brier") -> Ratio:
    """Loss of predicting the fraction of positives minus that of calibrated probabilities.

    The loss is miscalibration − discrimination + uncertainty, exactly.
    """
    return np.maximum(_of_constant(r, loss) - _after_calibration(r, loss), 0.0), _items(r)


@declare(
    "ranking",
    tex=r"\frac1n\sum_i L(\bar y,y_i)",
    better="neither",
    probabilities=True,
    smooth=False,
)
def uncertainty(r: RankTable, loss: Loss = "brier") -> Ratio:
    """Loss of predicting the fraction of positives as the probability of every item."""
    return _of_constant(r, loss), _items(r)
