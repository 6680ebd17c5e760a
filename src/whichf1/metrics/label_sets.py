"""Multi-label metrics: a score for each item, averaged over items."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Annotated, TypeAlias

import numpy as np

from whichf1.metrics.registry import Ratio, Whole, declare
from whichf1.tables.cells import Array, OneVsRest, RankedLabels, RankTable

_CELLS = 1 << 16
"""How many scores are processed at a time, so that they stay in the cache."""


@declare(
    "items",
    tex=r"\frac{1}{n}\sum_i[\hat Y_i=Y_i]",
    aliases=("exact_match", "exact_match_ratio"),
    sklearn="accuracy_score",
    of_labels="exact",
)
def subset_accuracy(c: OneVsRest) -> Ratio:
    """Fraction of items whose predicted labels are exactly the true labels."""
    return np.where(c.fp + c.fn == 0, 1.0, 0.0), np.ones_like(c.tp)


@declare(
    "items",
    tex=r"\frac{1}{nL}\sum_i\left(FP_i+FN_i\right)",
    title="Hamming loss",
    better="lower",
    sklearn="hamming_loss",
    of_labels="wrong",
)
def hamming_loss(c: OneVsRest) -> Ratio:
    """Fraction of all item-label pairs that are predicted incorrectly."""
    return c.fp + c.fn, c.tp + c.fp + c.fn + c.tn


@declare(
    "label ranking",
    tex=r"\frac{1}{n}\sum_i\frac{1}{|Y_i|}\sum_{j\in Y_i}"
    r"\frac{|\{k\in Y_i:s_{ik}\ge s_{ij}\}|}{|\{k:s_{ik}\ge s_{ij}\}|}",
    aliases=("lrap",),
    sklearn="label_ranking_average_precision_score",
    of_labels="precision",
)
def label_ranking_average_precision(x: RankedLabels) -> Array:
    """Mean fraction of true labels among those scored at least as high as each true label.

    An item with every label or none scores 1, because there is nothing to rank.
    """
    return _of_items(x, _item_precision)


@declare(
    "label ranking",
    tex=r"\frac{1}{n}\sum_i\max_{j\in Y_i}|\{k:s_{ik}\ge s_{ij}\}|",
    bounds=(0, inf),
    attainable=lambda classes: (0, classes),
    better="lower",
    sklearn="coverage_error",
    of_labels="coverage",
)
def coverage_error(x: RankedLabels) -> Array:
    """Mean number of top-scored labels needed to cover all true labels of an item."""
    return _of_items(x, _item_coverage)


@declare(
    "label ranking",
    tex=r"\frac{1}{n}\sum_i\frac{1}{|Y_i|\,|\bar Y_i|}"
    r"|\{(j,k)\in Y_i\times\bar Y_i:s_{ij}\le s_{ik}\}|",
    aliases=("ranking_loss",),
    better="lower",
    sklearn="label_ranking_loss",
    of_labels="disorder",
)
def label_ranking_loss(x: RankedLabels) -> Array:
    """Mean fraction of pairs of a true and another label in which the true one is not ranked first.

    An item with every label or none scores 0, because there is nothing to rank.
    """
    return _of_items(x, _item_disorder)


Cutoff: TypeAlias = Annotated[
    Whole | None, "How many of the top-scored labels to consider. By default, all."
]


@declare(
    "label ranking",
    tex=r"\frac{1}{n}\sum_i\sum_{j\in Y_i}\frac{1}{\log_2(1+\mathrm{rank}_i(j))}",
    title="DCG",
    aliases=("discounted_cumulative_gain",),
    bounds=(0, inf),
    attainable=lambda classes, k: (0, float(discounts(classes, k).sum())),
    sklearn="dcg_score",
)
def dcg(x: RankedLabels, k: Cutoff = None) -> Array:
    """Mean over items of the summed rank discounts of their true labels; ties are averaged."""
    return _of_items(x, lambda true, scores: _item_gain(true, scores, k)[0])


@declare(
    "label ranking",
    tex=r"\frac{1}{n}\sum_i\frac{DCG_i}{\max DCG_i}",
    title="nDCG",
    aliases=("normalized_discounted_cumulative_gain",),
    sklearn="ndcg_score",
)
def ndcg(x: RankedLabels, k: Cutoff = None) -> Array:
    """DCG divided by that of the best order, averaged over items; 0 without true labels."""

    def share(true: Array, scores: Array) -> Array:
        gain, most = _item_gain(true, scores, k)
        return np.where(most > 0, np.minimum(gain, most) / np.where(most > 0, most, 1.0), 0.0)

    return _of_items(x, share)


@declare(
    "label ranking",
    tex=r"\frac{1}{n}\sum_i[\arg\max_j s_{ij}\notin Y_i]",
    title="one-error",
    better="lower",
    of_labels="top_error",
)
def one_error(x: RankedLabels) -> Array:
    """Fraction of items whose top-scored label is not a true one; ties count in proportion."""

    def wrong(true: Array, scores: Array) -> Array:
        top = scores == scores.max(1, keepdims=True)
        share: Array = (top & ~true).sum(1) / top.sum(1)
        return share

    return _of_items(x, wrong)


def _item_gain(true: Array, scores: Array, k: int | None) -> tuple[Array, Array]:
    """The summed discounts of each item's true labels, and the largest possible sum."""
    upto = np.append(0.0, np.cumsum(discounts(scores.shape[1], k)))
    return graded_gain(true, scores, k), upto[true.sum(1)]


def discounts(size: int, k: int | None, base: float = 2) -> Array:
    """The discount of each rank; 0 beyond the first k."""
    discount: Array = np.log(base) / np.log(np.arange(2, size + 2))
    discount[size if k is None else k :] = 0
    return discount


def graded_gain(gains: Array, scores: Array, k: int | None, base: float = 2) -> Array:
    """The summed gains of each item's labels, each multiplied by the discount of its rank."""
    ranked, ends = _ranked(gains, scores)
    size = scores.shape[1]
    upto = np.append(0.0, np.cumsum(discounts(size, k, base)))
    first = np.ones(ends.shape, np.bool_)
    first[:, 1:] = ends[:, 1:] != ends[:, :-1]
    starts = np.maximum.accumulate(np.where(first, np.arange(size), 0), axis=1)
    shared = (upto[ends] - upto[starts]) / (ends - starts)
    total: Array = (ranked * shared).sum(1)
    return total


def _of_items(x: RankedLabels, score: Callable[[Array, Array], Array]) -> Array:
    """The score of each item, computed in chunks."""
    step = max(1, _CELLS // max(1, x.true.shape[1]))
    rows = (slice(start, start + step) for start in range(0, len(x.true), step))
    return np.concatenate([score(x.true[each], x.scores[each]) for each in rows])


def table_of_items(true: Array, scores: Array, score: Callable[[RankTable], Array]) -> Array:
    """The score of each item's ranking of labels.

    All tables have a position for each label; tied labels share the position of the last of them.
    """

    def of_chunk(true: Array, scores: Array) -> Array:
        labels, ends = _ranked(true, scores)
        size = labels.shape[1]
        at = np.arange(len(labels))[:, None] * size + ends - 1
        sides = (np.bincount(at[side], minlength=at.size) for side in (labels, ~labels))
        tables = (side.reshape(at.shape) for side in sides)
        return score(RankTable(-np.arange(size, dtype=np.float64), *tables))

    return _of_items(RankedLabels(true, scores), of_chunk)


def _item_coverage(true: Array, scores: Array) -> Array:
    """Number of labels scored at least as high as the lowest true one; 0 without true labels."""
    by_label = np.ascontiguousarray(scores.T)
    lowest = np.where(true.T, by_label, np.inf).min(0)
    covered: Array = np.count_nonzero(by_label >= lowest, axis=0).astype(np.float64)
    return covered


def _item_disorder(true: Array, scores: Array) -> Array:
    """True labels at or below each other label, found where its run of ties ends."""
    labels, ends = _ranked(true, -scores)
    size = labels.sum(1)
    at_most = np.take_along_axis(np.cumsum(labels, axis=1), ends - 1, 1)
    pairs = size * (scores.shape[1] - size)
    loss: Array = (~labels * at_most).sum(1) / np.maximum(pairs, 1)
    return loss


def _item_precision(true: Array, scores: Array) -> Array:
    """The precision at each true label, whose rank is that of the last label tied with it."""
    labels, ends = _ranked(true, scores)
    hits = np.take_along_axis(np.cumsum(labels, axis=1), ends - 1, 1)
    size = labels.sum(1)
    mean = (labels * hits / ends).sum(1) / np.maximum(size, 1)
    return np.where((size == 0) | (size == scores.shape[1]), 1.0, mean)


def _ranked(true: Array, scores: Array) -> tuple[Array, Array]:
    """The labels of each item, highest score first, and where the run of ties of each one ends."""
    order = np.argsort(-scores, axis=1, kind="stable")
    ranked, labels = (np.take_along_axis(x, order, 1) for x in (scores, true))
    place = np.arange(1, scores.shape[1] + 1)
    end_of_run = np.ones(scores.shape, np.bool_)
    end_of_run[:, :-1] = ranked[:, 1:] != ranked[:, :-1]
    # the next end to the right
    ends = np.where(end_of_run, place, scores.shape[1] + 1)
    return labels, np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
