"""Metrics of predicted probabilities."""

from __future__ import annotations

from functools import lru_cache
from math import inf
from typing import Annotated, Literal, TypeAlias

import numpy as np

from whichf1 import kernel
from whichf1.errors import DefinitionError
from whichf1.kernel import LossSums
from whichf1.metrics.costs import Costs
from whichf1.metrics.registry import Bins, Floor, Ratio, Whole, declare
from whichf1.tables.cells import Array, Predicted, RankTable, Ties, sum_by

Binning: TypeAlias = Literal["equal-width", "equal-mass"]
EPSILON = float(np.finfo(np.float64).eps)


@declare(
    "loss",
    tex=r"-\frac{1}{n}\sum_i\ln\max(p_{i,y_i},\varepsilon)",
    title="log loss",
    aliases=("cross_entropy", "negative_log_likelihood", "logloss"),
    bounds=(0, inf),
    better="lower",
    sklearn="log_loss",
    probabilities=True,
    sums=lambda x, floor: kernel.loss_sums(x.codes, x.scores, floor),
)
def log_loss(
    x: Predicted,
    floor: Annotated[Floor, "Probabilities below this count as this."] = EPSILON,
) -> Array:
    """Mean negative natural logarithm of the probability given to the true class."""
    return -np.log(np.maximum(x.own, floor))


def _brier_sums(x: Predicted, scale: str | None) -> LossSums:
    sums = kernel.brier_sums(x.codes, x.scores)
    if scale == "sum":
        return sums
    return sums._replace(total=sums.total / 2, squares=sums.squares / 4)


@declare(
    "loss",
    tex=r"\frac{1}{n}\sum_i\sum_j(p_{ij}-[y_i=j])^2",
    title="Brier score",
    aliases=("brier_score", "brier_score_loss"),
    bounds=(0, 2),
    better="lower",
    sklearn="brier_score_loss",
    probabilities=True,
    sums=_brier_sums,
)
def brier(
    x: Predicted,
    scale: Annotated[
        Literal["half", "sum"] | None,
        "Sum the squared errors over classes, or halve the sum. Default: 'half' for two classes, "
        "where it is the usual (p - y)^2, and 'sum' for more.",
    ] = None,
) -> Array:
    """Mean squared error of the predicted probabilities."""
    scores = x.error(np.square)
    return scores if scale == "sum" else scores / 2


@declare(
    "loss",
    tex=r"\frac{1}{n}\sum_i[\mathrm{rank}_i(y_i)\le k]",
    title="top-k accuracy",
    aliases=("top_k",),
    sklearn="top_k_accuracy_score",
    sums=lambda x, k, ties: kernel.top_sums(x.codes, x.scores, k, ties),
)
def top_k_accuracy(
    x: Predicted,
    k: Annotated[Whole, "How many of the top-scored classes count."] = 2,
    ties: Annotated[
        Ties,
        "Which of several equal scores ranks first: the 'first' or the 'last' class in label "
        "order, or the true class at 'best' or at 'worst'.",
    ] = "first",
) -> Array:
    """Fraction of items whose true class is among the k highest-scored classes."""
    return np.where(x.ahead(ties) < k, 1.0, 0.0)


@declare(
    "loss",
    tex=r"\frac{1}{n}\sum_i\max\left(0,\,1-s_{i,y_i}+\max_{j\ne y_i}s_{ij}\right)",
    aliases=("hinge",),
    bounds=(0, inf),
    better="lower",
    sklearn="hinge_loss",
    signed=True,
)
def hinge_loss(x: Predicted) -> Array:
    """Mean of how far the true class's score is from being 1 above all others."""
    missing: Array = np.maximum(1 - x.margin, 0.0)
    return missing


@declare(
    "loss",
    tex=r"\frac{1}{n(r-1)}\sum_i\sum_{k<r}\left(\sum_{j\le k}p_{ij}-[y_i\le k]\right)^2",
    aliases=("rps",),
    better="lower",
    probabilities=True,
)
def ranked_probability_score(x: Predicted) -> Array:
    """Mean squared error of cumulative probabilities, for classes in label order (Epstein 1969)."""
    return x.running_error(np.square) / max(x.classes - 1, 1)


@declare(
    "loss",
    tex=r"\frac{1}{n}\sum_i\frac{p_{i,y_i}}{\sqrt{\sum_j p_{ij}^2}}",
    probabilities=True,
)
def spherical_score(x: Predicted) -> Array:
    """Mean probability of the true class, divided by the length of the vector of probabilities."""
    score: Array = x.own / np.sqrt(x.total(np.square))
    return score


@declare(
    "loss",
    tex=r"1-\frac{\sum_i\ln p_{i,y_i}}{\sum_i\ln(n_{y_i}/n)}",
    title="log loss skill score",
    aliases=("d2_log_loss_score", "d2_log_loss"),
    bounds=(-inf, 1),
    sklearn="d2_log_loss_score",
    probabilities=True,
    relative="skill",
)
def log_loss_skill(
    x: Predicted,
    floor: Annotated[Floor, "Probabilities below this count as this."] = EPSILON,
) -> Array:
    """Fraction of the log loss of the class frequencies that the probabilities save."""
    return -np.log(np.maximum(x.own, floor))


@declare(
    "loss",
    tex=r"1-\frac{\sum_{ij}(p_{ij}-[y_i=j])^2}{\sum_{ij}(n_j/n-[y_i=j])^2}",
    title="Brier skill score",
    aliases=("brier_skill_score", "d2_brier_score"),
    bounds=(-inf, 1),
    sklearn="d2_brier_score",
    probabilities=True,
    relative="skill",
)
def brier_skill(x: Predicted) -> Array:
    """Fraction of the Brier score of the class frequencies that the probabilities save."""
    return x.error(np.square)


@declare(
    "loss",
    tex=r"\frac{1}{n}\sum_i c_{y_i,d_i},\quad d_i=\arg\min_j\sum_k p_{ik}c_{kj}",
    title="expected cost of Bayes decisions",
    bounds=(0, inf),
    better="lower",
    probabilities=True,
)
def bayes_cost(x: Predicted, costs: Costs = None) -> Array:
    """Mean cost of the decisions that are best if the probabilities are right (Ferrer 2022)."""
    return x.cost(costs)


@declare(
    "loss",
    tex=r"\frac{\sum_i c_{y_i,d_i}}{\min_j\sum_i c_{y_i,j}},\quad"
    r" d_i=\arg\min_j\sum_k p_{ik}c_{kj}",
    title="normalized expected cost of Bayes decisions",
    bounds=(0, inf),
    better="lower",
    probabilities=True,
    relative="ratio",
)
def normalized_bayes_cost(x: Predicted, costs: Costs = None) -> Array:
    """Cost of the decisions that are best by the probabilities, divided by the best constant's."""
    return x.cost(costs)


@declare(
    "ranking",
    tex=r"\frac{1}{n}\sum_b\left|\sum_{i\in b}(p_i-y_i)\right|",
    title="expected calibration error",
    aliases=("ece",),
    better="lower",
    probabilities=True,
    smooth=False,
)
def expected_calibration_error(
    r: RankTable,
    bins: Annotated[Bins, "How many bins the probabilities are grouped into."] = 10,
    binning: Annotated[
        Binning, "Bins of equal width, or bins holding equally many items."
    ] = "equal-width",
    multi_class: Annotated[
        Literal["top-label"] | None,
        "'top-label' evaluates, for several classes, the probability of the predicted class.",
    ] = None,
) -> Ratio:
    """Mean gap between predicted probability and observed frequency in bins; biased upwards."""
    if binning == "equal-mass" and r.positives.ndim > 1:  # each table needs its own bins
        tables = (RankTable(r.score, *x) for x in zip(r.positives, r.negatives, strict=True))
        each = [_off(table, bins, binning) for table in tables]
        return np.stack(each), sum(r.sizes)  # type: ignore[return-value]
    return _off(r, bins, binning), sum(r.sizes)  # type: ignore[return-value]


def _squared(
    r: RankTable, bins: int, binning: str, multi_class: str | None = None
) -> tuple[Array, Array]:
    """The mean squared gap over bins without what chance alone gives, and its standard error.

    In a bin of n items, the gap between frequency and mean probability has the variance
    f (1 − f) / (n − 1), which its square is too large by (Bröcker 2012; Kumar et al. 2019). The
    variance of a debiased square is 4 (gap · error)² + 2 error⁴. How many items fall into a bin
    varies, too, which matters as far as its square differs from the mean.
    """
    if r.positives.dtype.kind == "f":
        raise DefinitionError(
            "debiased_calibration_error needs whole numbers of items: drop the weights, and use no "
            "posterior interval."
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
    known = n > 1  # of one item the variance is unknown
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
    squared=_squared,
)
def debiased_calibration_error(
    r: RankTable,
    bins: Annotated[Bins, "How many bins the probabilities are grouped into."] = 10,
    binning: Annotated[
        Binning, "Bins of equal width, or bins holding equally many items."
    ] = "equal-width",
    multi_class: Annotated[
        Literal["top-label"] | None,
        "'top-label' evaluates, for several classes, the probability of the predicted class.",
    ] = None,
) -> Ratio:
    """Root mean squared gap between probability and frequency in bins, without that of chance."""
    square = _squared(r, bins, binning)[0]
    return np.sqrt(np.maximum(square, 0.0)), np.ones_like(square)


def _off(r: RankTable, bins: int, binning: str) -> Array:
    """Sum over bins of the absolute difference between predictions and outcomes."""
    at = bin_of(r.score, bin_edges(r, bins, binning))
    off = r.positives * (1 - r.score) - r.negatives * r.score  # Σ (y − p) of the items of a score
    total: Array = np.abs(sum_by(at, off, bins)).sum(-1)
    return total


def bin_edges(r: RankTable, bins: int, binning: str) -> Array:
    """The inner edges of the bins: equal steps in [0, 1], or quantiles of the items' scores."""
    if binning == "equal-width":
        return _equal_width(bins)
    if r.positives.dtype.kind == "f":
        raise DefinitionError(
            "equal-mass bins do not support weights. Use binning='equal-width' or drop the weights."
        )
    # quantiles are interpolated between neighbouring items; integer places are exact
    last = np.cumsum((r.positives + r.negatives)[::-1], dtype=np.int64)
    place, rest = np.divmod(np.arange(1, bins) * (last[-1] - 1), bins)
    low, high = (
        r.score[::-1][np.searchsorted(last, item, "right")] for item in (place, place + (rest > 0))
    )
    edges: Array = low + (high - low) * (rest / bins)
    return edges


@lru_cache(maxsize=16)
def _equal_width(bins: int) -> Array:
    edges = np.linspace(0, 1, bins + 1)[1:-1]
    edges.setflags(write=False)
    return edges


def bin_of(score: Array, edges: Array) -> Array:
    """The bin of each score; a score equal to an edge falls into the lower bin."""
    return edges.searchsorted(score, "left")
