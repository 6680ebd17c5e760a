"""Probabilities: how far they are from what happened."""

from __future__ import annotations

from math import inf
from typing import Literal, TypeAlias

import numpy as np

from whichf1 import kernel
from whichf1.errors import DefinitionError
from whichf1.kernel import Sums
from whichf1.metrics.registry import Floor, Ratio, Whole, declare
from whichf1.tables.cells import Array, Judged, Predicted, RankTable, Ties, sum_by

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
def log_loss(x: Judged, floor: Floor = EPSILON) -> Array:
    """Mean of −ln of the true class's probability; one below the floor counts as the floor."""
    return -np.log(np.maximum(x.own, floor))  # type: ignore[no-any-return]


def _brier_sums(x: Predicted, scale: str | None) -> Sums:
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
def brier(x: Judged, scale: Literal["half", "sum"] | None = None) -> Array:
    """Mean squared distance of the probabilities from what happened; of two classes, half of it.

    With two classes half of the sum is the usual (p − y)², and the default; with more, the sum.
    """
    scores = x.total(np.square) + (1 - 2 * x.own)
    return scores if scale == "sum" else scores / 2  # type: ignore[no-any-return]


@declare(
    "loss",
    tex=r"\frac{1}{n}\sum_i[\mathrm{rank}_i(y_i)\le k]",
    title="top-k accuracy",
    aliases=("top_k",),
    sklearn="top_k_accuracy_score",
)
def top_k_accuracy(x: Judged, k: Whole = 2, ties: Ties = "first") -> Array:
    """Share of items whose class is among the k best scores.

    ``ties`` says which of equal scores comes first: that of the ``first`` class in order, of the
    ``last``, or the true one at ``best`` or at ``worst``.
    """
    return np.where(x.ahead(ties) < k, 1.0, 0.0)


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
    bins: Whole = 10,
    binning: Binning = "equal-width",
    multi_class: Literal["top-label"] | None = None,
) -> Ratio:
    """Mean distance between predicted and observed share of positives, over bins of scores."""
    if binning == "equal-mass" and r.positives.ndim > 1:  # each table has bins of its own
        tables = (RankTable(r.score, *x) for x in zip(r.positives, r.negatives, strict=True))
        each = [_off(table, bins, binning) for table in tables]
        return np.stack(each), sum(r.sizes)  # type: ignore[return-value]
    return _off(r, bins, binning), sum(r.sizes)  # type: ignore[return-value]


def _off(r: RankTable, bins: int, binning: str) -> Array:
    """How far the sums of each bin are apart, over all bins."""
    at = bin_of(r.score, bin_edges(r, bins, binning))
    off = r.positives * (1 - r.score) - r.negatives * r.score  # Σ (y − p) of the items of a score
    total: Array = np.abs(sum_by(at, off, bins)).sum(-1)
    return total


def bin_edges(r: RankTable, bins: int, binning: str) -> Array:
    """The inner edges of the bins: even steps of [0, 1], or quantiles of the items' scores."""
    if binning == "equal-width":
        return np.linspace(0, 1, bins + 1)[1:-1]
    if r.positives.dtype.kind == "f":
        raise DefinitionError("bins of equal mass are for items without weights: use equal-width")
    # between two neighbouring items a quantile is interpolated; its place is exact in integers
    last = np.cumsum((r.positives + r.negatives)[::-1], dtype=np.int64)
    place, rest = np.divmod(np.arange(1, bins) * (last[-1] - 1), bins)
    low, high = (
        r.score[::-1][np.searchsorted(last, item, "right")] for item in (place, place + (rest > 0))
    )
    edges: Array = low + (high - low) * (rest / bins)
    return edges


def bin_of(score: Array, edges: Array) -> Array:
    """The bin of each score; one that equals an edge is in the lower bin."""
    return np.searchsorted(edges, score, "left")
