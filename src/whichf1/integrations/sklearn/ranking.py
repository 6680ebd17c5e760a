"""Functions of scikit-learn on classes, or sets of labels, and scores."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import permutations
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from sklearn import metrics

from whichf1 import kernel
from whichf1.errors import InputError, LabelError, ShapeError
from whichf1.integrations.sklearn.drop_in import (
    DROP_INS,
    Doubtful,
    Items,
    doubtful,
    drop_in,
    indicators,
    one_column,
    weights_of,
)
from whichf1.metrics import Metric, label_sets, ranking
from whichf1.metrics.registry import Ratio
from whichf1.sources.arrays import label_matrices, rank_arrays, scored_arrays
from whichf1.sources.lines import check_finite, numbers
from whichf1.sources.sequences import refuse_lengths
from whichf1.tables.cells import Array, RankedLabels, RankTable


def _table(true: Array, scores: Array, weights: Array | None = None) -> RankTable:
    """Positives and negatives by score; items of weight 0 do not count."""
    refuse_lengths(len(true), len(scores), "y_score")
    ranks = kernel.rank_table(scores, true, weights)
    if weights is not None:
        present = ranks.positives + ranks.negatives > 0
        ranks = ranks if present.all() else kernel.Ranks(*(x[present] for x in ranks))
    return RankTable(*ranks)


def _plain(y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any) -> bool:
    """Whether these may be arrays of 0 and 1 with scores, which the kernel takes as they are."""
    if sample_weight is not None or type(y_true) is not np.ndarray or pos_label not in (None, 1):
        return False
    return pos_label is not True and scored_arrays(y_true, y_score) is not None


class Steps(NamedTuple):
    """The thresholds of a curve, the highest first, and what each of them adds."""

    classes: int
    """How many there are."""
    table: RankTable
    dtype: Any
    """The type of the scores."""

    @classmethod
    def of(cls, y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any) -> Steps:
        """Items of two classes, each with a score."""
        if _plain(y_true, y_score, pos_label, sample_weight):
            table = rank_arrays(y_true, y_score)
            if table is not None:
                positives, negatives = table.sizes
                return cls(int(positives > 0) + int(negatives > 0), table, y_score.dtype)
        items, scores = Items.of(y_true), one_column(y_score)
        values = numbers(scores, "y_score")
        if values.ndim != 1:
            raise ShapeError(f"a curve needs one score for each item; got shape {values.shape}")
        if len(items.labels) > 2 and pos_label is None:
            raise LabelError(f"{len(items.labels)} classes, but no pos_label")
        positive = items.values == items.positive(pos_label)
        table = _table(positive, values, weights_of(sample_weight, len(positive)))
        own = scores.dtype if getattr(scores.dtype, "kind", "O") in "fiu" else np.float64
        return cls(len(items.labels), table, own)

    def points(self, kind: str, kept: Any = "every") -> tuple[Array, ...]:
        """x, y and threshold of each point of a curve, from above the highest score on."""
        table = self.table
        return kernel.curve(table.score, table.positives, table.negatives, kind, kept)

    def as_scores(self, thresholds: Array) -> Array:
        """Thresholds in the type of the scores."""
        return thresholds.astype(self.dtype, copy=False)

    @property
    def sizes(self) -> tuple[Array, Array]:
        """All positives and all negatives."""
        return self.table.sizes


@drop_in
def confusion_matrix_at_thresholds(
    y_true: Any, y_score: Any, *, pos_label: Any, sample_weight: Any
) -> Any:
    """True and false negatives and positives at each threshold."""
    steps = Steps.of(y_true, y_score, pos_label, sample_weight)
    fps, tps, thresholds, tns, fns = (x[1:] for x in steps.points("matrices"))
    return tns, fps, fns, tps, steps.as_scores(thresholds)


@drop_in
def roc_curve(
    y_true: Any, y_score: Any, *, pos_label: Any, sample_weight: Any, drop_intermediate: bool
) -> Any:
    """False and true positive rate at each threshold."""
    steps = Steps.of(y_true, y_score, pos_label, sample_weight)
    fpr, tpr, thresholds = steps.points("roc", "corners" if drop_intermediate else "every")
    return doubtful(not all(steps.sizes), (fpr, tpr, thresholds))


@drop_in
def precision_recall_curve(
    y_true: Any, y_score: Any, *, pos_label: Any, sample_weight: Any, drop_intermediate: bool
) -> Any:
    """Precision and recall at each threshold."""
    steps = Steps.of(y_true, y_score, pos_label, sample_weight)
    points = steps.points("pr", "rises" if drop_intermediate else "every")
    recall, precision, thresholds = (x[::-1] for x in points)
    curve = precision, recall, steps.as_scores(thresholds[:-1])
    return doubtful(not steps.sizes[0], curve)


@drop_in
def det_curve(
    y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any, drop_intermediate: bool
) -> Any:
    """False positive and false negative rate at each threshold."""
    steps = Steps.of(y_true, y_score, pos_label, sample_weight)
    if steps.classes != 2:
        raise LabelError(f"{steps.classes} classes, not two")
    points = steps.points("det", "rises" if drop_intermediate else "every")
    fpr, fnr, thresholds = (x[::-1] for x in points)
    first = np.searchsorted(fnr, 0, "right") - 1  # the highest threshold without a miss
    last = len(fpr) - np.searchsorted(fpr[::-1], 0, "right")  # or a false positive
    fpr, fnr, thresholds = (x[first : last + 1] for x in (fpr, fnr, thresholds))
    positives, negatives = steps.sizes
    fpr, fnr = (x if n else x * np.nan for x, n in ((fpr, negatives), (fnr, positives)))
    return doubtful(not (positives and negatives), (fpr, fnr, thresholds))


def _quotient(ratio: Ratio) -> float:
    """A score; NaN without positives, or without negatives if they matter."""
    top, bottom = ratio
    return float(top / bottom) if bottom else np.nan


def _over_columns(
    score: Callable[[RankTable], Ratio],
    instead: float,
    true: Array,
    scores: Array,
    average: str | None,
    weights: Array | None,
) -> Any:
    """The score of each column, or their average; ``instead`` replaces undefined ones."""
    if true.shape != scores.shape:
        raise ShapeError(f"y_true has shape {true.shape}, y_score {scores.shape}")
    each: Any = None
    if average == "micro":
        weights = None if weights is None else np.repeat(weights, true.shape[1])
        true, scores = true.reshape(-1, 1), scores.reshape(-1, 1)
    elif average == "samples":
        true, scores, each, weights = true.T, scores.T, weights, None
    elif average == "weighted":
        each = true.sum(0) if weights is None else weights @ true
        if np.isclose(each.sum(), 0):
            return 0
    columns = zip(*map(np.ascontiguousarray, (true.T, scores.T)), strict=True)
    values = np.array([_quotient(score(_table(a, b, weights))) for a, b in columns])
    undefined = np.isnan(values)
    values[undefined] = instead
    if each is not None:
        values[each == 0] = 0
    value = values if average is None else float(np.average(values, weights=each))
    return doubtful(undefined.any(), value)


_MEANS: dict[str, tuple[str | None, ...]] = {
    "ovr": ("micro", "macro", "weighted", None),
    "ovo": ("macro", "weighted"),
}
"""How areas of several classes are averaged."""


@drop_in
def roc_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    average: str | None,
    sample_weight: Any,
    max_fpr: float | None,
    multi_class: str,
    labels: Any,
) -> Any:
    """Area under the ROC curve."""
    if max_fpr in (None, 1) and _plain(y_true, y_score, None, sample_weight):
        areas = kernel.rank_areas(y_score, y_true)
        if areas is not None and areas[0] and areas[1]:
            return areas[2] / (areas[0] * areas[1])
    true, scores = one_column(y_true), numbers(one_column(y_score), "y_score")
    area = partial(ranking.roc_auc.formula, max_fpr=None if max_fpr == 1 else max_fpr)
    if true.ndim == 2:
        weights = weights_of(sample_weight, len(scores))
        return _over_columns(area, np.nan, indicators(true), scores, average, weights)
    items = Items.of(y_true)
    if len(items.labels) <= 2 and (scores.ndim == 1 or scores.shape[1] <= 2):
        if len(items.labels) == 1:
            return Doubtful(np.nan)
        if scores.ndim == 2:
            raise ShapeError("two classes have one score for each item")
        weights = weights_of(sample_weight, len(scores))
        value = _quotient(area(_table(items.values == items.labels[1], scores, weights)))
        return doubtful(np.isnan(value), value)
    classes = items.columns(labels, scores)
    weighted_pairs = multi_class == "ovo" and sample_weight is not None
    if max_fpr not in (None, 1) or weighted_pairs or average not in _MEANS.get(multi_class, ()):
        raise InputError(f"there is no area for {len(classes)} classes with these options")
    if not np.allclose(1, scores.sum(1)):
        raise InputError("the rows of probabilities do not sum to 1")
    if multi_class == "ovo":
        return _over_pairs(items, classes, scores, average)
    weights = weights_of(sample_weight, len(scores))
    one_hot = items.values[:, None] == np.array(classes)
    return _over_columns(area, np.nan, one_hot, scores, average, weights)


def _over_pairs(items: Items, classes: list[Any], scores: Array, average: str | None) -> Any:
    """The mean area over both orders of all pairs of classes (Hand and Till 2001)."""
    places = {a: np.flatnonzero(items.values == a) for a in items.labels}
    values, sizes = [], []
    for a, b in permutations(items.labels, 2):
        both = np.concatenate([places[a], places[b]])
        own = np.ascontiguousarray(scores[both, classes.index(a)])
        values.append(_quotient(ranking.roc_auc.formula(_table(items.values[both] == a, own))))
        sizes.append(len(both))
    return float(np.average(values, weights=sizes if average == "weighted" else None))


@drop_in
def average_precision_score(
    y_true: Any, y_score: Any, *, average: str | None, pos_label: Any, sample_weight: Any
) -> Any:
    """Average precision."""
    if pos_label is not None and _plain(y_true, y_score, pos_label, sample_weight):
        areas = kernel.rank_areas(y_score, y_true)
        if areas is not None and areas[0] and areas[1]:
            return areas[3] / areas[0]
    true, scores = one_column(y_true), numbers(one_column(y_score), "y_score")
    weights = weights_of(sample_weight, len(scores))
    precision = ranking.average_precision.formula
    if true.ndim == 2:
        one_hot = indicators(true)
    else:
        items = Items.of(y_true)
        if len(items.labels) <= 2:
            if scores.ndim != 1 or (len(items.labels) == 2 and pos_label not in items.labels):
                raise LabelError(f"{pos_label!r} is not a class, or there are several scores")
            value = _quotient(precision(_table(items.values == pos_label, scores, weights)))
            return Doubtful(0.0) if np.isnan(value) else value
        one_hot = items.values[:, None] == np.array(items.columns(None, scores))
    if pos_label != 1:
        raise LabelError("pos_label is for two classes")
    return _over_columns(precision, 0.0, one_hot, scores, average, weights)


def _of_labels(metric: Metric, y_true: Any, y_score: Any, sample_weight: Any, least: int) -> float:
    """The mean over items of how their labels are ranked; at least this many labels."""
    plain = sample_weight is None and type(y_true) is np.ndarray
    if plain and label_matrices(y_true, y_score, True) and y_true.shape[1] >= least:
        summed = kernel.label_scores(y_true, y_score, metric.of_labels or "")
        if summed is not None:
            return summed[0] / len(y_true)
    true, scores = indicators(y_true), numbers(y_score, "y_score")
    if true.shape != scores.shape or true.shape[1] < least:
        raise ShapeError(f"y_true has shape {true.shape}, y_score {scores.shape}")
    weights = weights_of(sample_weight, len(true))
    return float(np.average(metric.formula(RankedLabels(true, scores)), weights=weights))


def _gains(
    y_true: Any, y_score: Any, k: int | None, base: float, ignore_ties: bool
) -> tuple[Array, Array]:
    """The discounted gain of each item, and the most that it can be."""
    gains, scores = numbers(y_true, "y_true"), numbers(y_score, "y_score")
    if gains.shape != scores.shape or gains.ndim != 2 or gains.shape[1] < 2:
        raise ShapeError(f"y_true has shape {gains.shape}, y_score {scores.shape}")
    discount = label_sets.discounts(gains.shape[1], k, base)
    most = np.sort(gains, axis=1)[:, ::-1] @ discount
    if not ignore_ties:
        return label_sets.graded_gain(gains, scores, k, base), most
    order = np.argsort(scores)[:, ::-1]  # tied labels in the order of this particular sort
    return np.take_along_axis(gains, order, 1) @ discount, most


@drop_in
def dcg_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None,
    log_base: float,
    sample_weight: Any,
    ignore_ties: bool,
) -> float:
    """Discounted cumulative gain."""
    gain, _ = _gains(y_true, y_score, k, log_base, ignore_ties)
    return float(np.average(gain, weights=weights_of(sample_weight, len(gain))))


@drop_in
def ndcg_score(
    y_true: Any, y_score: Any, *, k: int | None, sample_weight: Any, ignore_ties: bool
) -> float:
    """Discounted cumulative gain, divided by that of the best order."""
    gain, most = _gains(y_true, y_score, k, 2, ignore_ties)
    if np.min(y_true) < 0:
        raise InputError("gains must not be negative")
    shares = np.divide(gain, most, out=np.zeros(len(gain)), where=most != 0)
    return float(np.average(shares, weights=weights_of(sample_weight, len(gain))))


def _flat(data: Any) -> Array:
    """An array of one dimension, as NumPy makes it of a list or a column."""
    values = np.asarray(data)
    return values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values


@drop_in
def auc(x: Any, y: Any) -> float:
    """Area under a curve, by the trapezoidal rule."""
    sides = _flat(x), _flat(y)
    if any(side.dtype.kind == "b" for side in sides):
        raise InputError("points of a curve must be numbers")
    across, up = (np.ascontiguousarray(_as_numbers(side), np.float64) for side in sides)
    refuse_lengths(len(across), len(up), "y")
    if across.ndim != 1 or up.ndim != 1 or len(across) < 2:
        raise ShapeError(f"a curve needs at least two points; got shape {across.shape}")
    area, rises, falls = kernel.trapezoid(across, up)
    if not isfinite(area):
        check_finite(across, "x")
        check_finite(up, "y")
    if rises and falls:
        raise InputError("x goes back and forth")
    return -area if falls else area


def _as_numbers(side: Array) -> Array:
    return side if side.dtype.char == "d" else numbers(side, "x")


@drop_in
def metric_at_thresholds(
    y_true: Any, y_score: Any, *, metric_func: Any, sample_weight: Any, metric_params: Any
) -> Any:
    """A score at each threshold; functions of scikit-learn are replaced by ours."""
    true, scores = _flat(y_true), _flat(y_score)
    values = numbers(scores, "y_score")
    if true.ndim != 1 or true.shape != values.shape:
        raise ShapeError(f"y_true has shape {true.shape}, y_score {values.shape}")
    if true.dtype.kind == "f":
        check_finite(true, "y_true")
    options = {**(metric_params or {})}
    order = np.argsort(-values, kind="stable")
    weights = weights_of(sample_weight, len(values))
    if weights is not None:
        order = order[weights[order] > 0]
        options["sample_weight"] = weights[order]
    true, values = true[order], values[order]
    last = np.append(np.flatnonzero(np.diff(values)), len(values) - 1)
    name = getattr(metric_func, "__name__", "")
    known = getattr(metrics, name, None) is metric_func
    function = DROP_INS.get(name, metric_func) if known else metric_func
    place = np.arange(len(values))
    found = [function(true, (place <= at).astype(np.int32), **options) for at in last]
    return np.asarray(found), scores[order][last]


@drop_in
def coverage_error(y_true: Any, y_score: Any, *, sample_weight: Any) -> float:
    """Coverage error."""
    return _of_labels(label_sets.coverage_error, y_true, y_score, sample_weight, 2)


@drop_in
def label_ranking_loss(y_true: Any, y_score: Any, *, sample_weight: Any) -> float:
    """Label ranking loss."""
    return _of_labels(label_sets.label_ranking_loss, y_true, y_score, sample_weight, 2)


@drop_in
def label_ranking_average_precision_score(
    y_true: Any, y_score: Any, *, sample_weight: Any
) -> float:
    """Label ranking average precision."""
    metric = label_sets.label_ranking_average_precision
    return _of_labels(metric, y_true, y_score, sample_weight, 1)
