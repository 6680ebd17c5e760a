"""Functions of scikit-learn on classes and probabilities."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from whichf1.errors import InputError, LabelError, ShapeError
from whichf1.integrations.sklearn.drop_in import (
    Doubtful,
    Items,
    doubtful,
    drop_in,
    indicators,
    listed,
    one_column,
    weights_of,
)
from whichf1.kernel import first_bad_row
from whichf1.metrics import Metric, probability
from whichf1.sources.lines import numbers
from whichf1.sources.sequences import refuse_lengths, to_numpy
from whichf1.tables.cells import Array, Predicted


class Distributions(NamedTuple):
    """Items with a probability for each class."""

    x: Predicted
    weights: Array | None
    step: float
    """The distance between 1 and the next number of the probabilities' precision."""
    doubt: bool

    @classmethod
    def of(
        cls, y_true: Any, y_proba: Any, labels: Any, sample_weight: Any
    ) -> Distributions | Indicated:
        """Probabilities of several classes, or of the second of two."""
        true = one_column(y_true)
        if true.ndim == 2 and labels is None:
            return Indicated.of(true, y_proba, sample_weight)
        items, raw = Items.of(y_true), to_numpy(y_proba)
        scores = _in_columns(numbers(raw, "y_proba", finite=False))
        step = _step(raw.dtype)
        classes = items.labels if labels is None else sorted({*listed(labels)})
        if len(classes) < 2 or len(classes) != scores.shape[1]:
            raise ShapeError(f"{len(classes)} classes, but {scores.shape[1]} columns")
        doubt = first_bad_row(scores, step**0.5) < len(scores)
        if doubt:  # otherwise every number is a probability
            _refuse_outside(scores)
        doubt |= labels is not None and listed(labels) != classes
        refuse_lengths(len(items.values), len(scores), "y_proba")
        x = Predicted(items.codes(classes), scores)
        return cls(x, weights_of(sample_weight, len(scores)), step, doubt)

    @classmethod
    def of_one(cls, y_true: Any, y_proba: Any, pos_label: Any, sample_weight: Any) -> Distributions:
        """Probabilities of one of two classes; the other has the remainder."""
        items, values = Items.of(y_true), numbers(y_proba, "y_proba", finite=False)
        _refuse_outside(values)
        scores = _in_columns(values)
        refuse_lengths(len(items.values), len(scores), "y_proba")
        if len(items.labels) > 2:
            raise LabelError(f"{len(items.labels)} classes, not two")
        if pos_label is None and not items.text and not {*items.labels} <= {-1, 0, 1}:
            pos_label = items.labels[-1]
        true = (items.values == items.positive(pos_label)).astype(np.intp)
        return cls(Predicted(true, scores), weights_of(sample_weight, len(scores)), 0, False)

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return self.x.classes

    @property
    def size(self) -> float:
        """The number of items, or the sum of their weights."""
        return len(self.x.codes) if self.weights is None else float(self.weights.sum())

    def below_one(self) -> Distributions:
        """With probabilities at least a step below 1, as scikit-learn's log loss has them."""
        most = 1 - self.step
        if self.x.scores.max() <= most:
            return self
        return self._replace(x=self.x._replace(scores=np.minimum(self.x.scores, most)))

    def constant(self) -> Distributions:
        """With the fraction of each class as its probability; all items of a class as one."""
        classes = self.classes
        size = np.bincount(self.x.codes, self.weights, classes)
        shares = np.repeat((size / size.sum())[None], classes, 0)
        x = Predicted(np.arange(classes), shares)
        return Distributions(x, size, self.step, self.doubt)

    def total(self, loss: Metric, **parameters: Any) -> float:
        """The sum of a loss over the items; the kernel sums it if there are no weights."""
        if self.weights is None and loss.sums is not None:
            return loss.sums(self.x, **parameters).total
        losses = loss.formula(self.x, **parameters)
        return float(losses.sum() if self.weights is None else losses @ self.weights)

    def mean(self, loss: Metric, **parameters: Any) -> float:
        """The mean of a loss over the items."""
        return self.total(loss, **parameters) / self.size

    def log_loss(self) -> float:
        """The mean log loss."""
        return self.below_one().mean(probability.log_loss, floor=self.step)

    def brier(self, half: bool) -> float:
        """The mean Brier score."""
        return self.mean(probability.brier, scale="half" if half else "sum")


class Indicated(NamedTuple):
    """Items with a column of 0 and 1 and a probability for each class.

    scikit-learn accepts such items, some of which may have several classes or none.
    """

    true: Array
    scores: Array
    weights: Array | None
    step: float
    doubt: bool

    @classmethod
    def of(cls, y_true: Any, y_proba: Any, sample_weight: Any) -> Indicated:
        """Indicators and probabilities of the same number of classes."""
        true, raw = indicators(y_true), to_numpy(y_proba)
        scores = _in_columns(numbers(raw, "y_proba", finite=False))
        _refuse_outside(scores)
        if true.shape != scores.shape:
            raise ShapeError(f"y_true has shape {true.shape}, y_proba {scores.shape}")
        step = _step(raw.dtype)
        doubt = first_bad_row(scores, step**0.5) < len(scores)
        return cls(true, scores, weights_of(sample_weight, len(true)), step, doubt)

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return int(self.scores.shape[1])

    @property
    def size(self) -> float:
        """The number of items, or the sum of their weights."""
        return len(self.true) if self.weights is None else float(self.weights.sum())

    def constant(self) -> Indicated:
        """With the fraction of each class as its probability."""
        shares = np.average(self.true, axis=0, weights=self.weights)
        return self._replace(scores=np.tile(shares, (len(self.true), 1)))

    def log_loss(self) -> float:
        """The mean log loss; an item has one for each of its classes."""
        p = self.scores.clip(self.step, 1 - self.step)
        return float(np.average(-(self.true * np.log(p)).sum(1), weights=self.weights))

    def brier(self, half: bool) -> float:
        """The mean Brier score."""
        errors = np.square(self.true - self.scores).sum(1)
        return float(np.average(errors, weights=self.weights)) / (2 if half else 1)


@lru_cache
def _step(dtype: Any) -> float:
    """The distance between 1 and the next number of the precision of probabilities."""
    return float(np.finfo(dtype if dtype.kind == "f" else float).eps)


def _refuse_outside(values: Array) -> None:
    """Raise unless all are probabilities; NaN is not."""
    if not values.size or not (values.min() >= 0 and values.max() <= 1):
        raise InputError("probabilities must be in [0, 1]")


def _in_columns(scores: Array) -> Array:
    """A column for each class; one column gives those of two classes."""
    if scores.ndim == 2 and scores.shape[1] > 1:
        return scores
    second = scores.ravel()
    return np.stack([1 - second, second], 1)


def _renamed(y_proba: Any, y_pred: Any) -> tuple[Any, bool]:
    """The probabilities, and whether they were passed under an old name."""
    old = not isinstance(y_pred, str)
    if old == (y_proba is not None):
        raise InputError("pass y_proba, not y_pred")
    return y_pred if old else y_proba, old


@drop_in
def log_loss(
    y_true: Any,
    y_proba: Any = None,
    *,
    normalize: bool,
    sample_weight: Any,
    labels: Any,
    y_pred: Any = "deprecated",
) -> Any:
    """Log loss."""
    given, old = _renamed(y_proba, y_pred)
    items = Distributions.of(y_true, given, labels, sample_weight)
    value = items.log_loss()
    return doubtful(items.doubt or old, value if normalize else value * items.size)


def _for_brier(
    y_true: Any, y_proba: Any, pos_label: Any, labels: Any, sample_weight: Any
) -> Distributions | Indicated:
    values = to_numpy(y_proba)
    if values.ndim == 1 or values.shape[1] == 1:
        return Distributions.of_one(y_true, values, pos_label, sample_weight)
    return Distributions.of(y_true, values, labels, sample_weight)


@drop_in
def brier_score_loss(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any,
    pos_label: Any,
    labels: Any = None,
    scale_by_half: Any = "auto",
) -> Any:
    """Brier score."""
    items = _for_brier(y_true, y_proba, pos_label, labels, sample_weight)
    half = items.classes < 3 if scale_by_half == "auto" else scale_by_half
    return doubtful(items.doubt, items.brier(half))


def _skill(loss: float, of_constant: float) -> float:
    """One minus the loss divided by that of a constant; 0 if they differ only by rounding."""
    if abs(loss - of_constant) <= 4 * sys.float_info.epsilon * of_constant != 0:
        return 0.0
    if of_constant:
        return 1 - loss / of_constant
    return -np.inf if loss else np.nan


@drop_in
def d2_log_loss_score(
    y_true: Any,
    y_proba: Any = None,
    *,
    sample_weight: Any,
    labels: Any,
    y_pred: Any = "deprecated",
) -> Any:
    """Fraction of the log loss of a constant that is explained."""
    given, old = _renamed(y_proba, y_pred)
    if len(given) < 2:
        return Doubtful(np.nan)
    items = Distributions.of(y_true, given, labels, sample_weight)
    skill = _skill(items.log_loss(), items.constant().log_loss())
    return doubtful(items.doubt or old or not np.isfinite(skill), skill)


@drop_in
def d2_brier_score(
    y_true: Any, y_proba: Any, *, sample_weight: Any, pos_label: Any, labels: Any
) -> Any:
    """Fraction of the Brier score of a constant that is explained."""
    if len(y_proba) < 2:
        return Doubtful(np.nan)
    items = _for_brier(y_true, y_proba, pos_label, labels, sample_weight)
    skill = _skill(items.brier(False), items.constant().brier(False))
    return doubtful(items.doubt or not np.isfinite(skill), skill)


@drop_in
def hinge_loss(y_true: Any, pred_decision: Any, *, labels: Any, sample_weight: Any) -> float:
    """Hinge loss."""
    items = Items.of(y_true, objects=np.ndim(y_true) == 1)
    scores = numbers(one_column(pred_decision), "pred_decision")
    refuse_lengths(len(items.values), len(scores), "pred_decision")
    classes = items.labels if labels is None else sorted({*listed(labels)})
    if len(classes) <= 2:
        items = Items.of(y_true)
        classes = items.labels  # with a single class, all items are negative
        if len(classes) > 2 or scores.ndim != 1:
            raise ShapeError(f"{len(classes)} classes, but scores of shape {scores.shape}")
        scores = np.stack([-scores / 2, scores / 2], 1)
    elif scores.ndim != 2 or scores.shape[1] != len(classes):
        raise ShapeError(f"{len(classes)} classes, but scores of shape {scores.shape}")
    x = Predicted(items.codes(classes), scores)
    found = Distributions(x, weights_of(sample_weight, len(scores)), 0, False)
    return found.mean(probability.hinge_loss)


@drop_in
def top_k_accuracy_score(
    y_true: Any, y_score: Any, *, k: int, normalize: bool, sample_weight: Any, labels: Any
) -> Any:
    """Top-k accuracy."""
    items, scores = Items.of(y_true), numbers(one_column(y_score), "y_score")
    refuse_lengths(len(items.values), len(scores), "y_score")
    two = len(items.labels) <= 2 and (labels is None or len(labels) <= 2)
    if two != (scores.ndim == 1):
        raise ShapeError(f"{len(items.labels)} classes, but scores of shape {scores.shape}")
    if two:  # the second class is predicted above a threshold
        threshold = 0.5 if scores.min() >= 0 and scores.max() <= 1 else 0
        scores = np.stack([np.full(len(scores), threshold), scores], 1)
    classes = items.columns(labels, scores)
    x = Predicted(items.codes(classes), scores)
    found = Distributions(x, weights_of(sample_weight, len(scores)), 0, False)
    hits = found.total(probability.top_k_accuracy, k=k, ties="first" if two else "last")
    return doubtful(k >= len(classes), hits / found.size if normalize else hits)
