"""Functions of scikit-learn on true and predicted classes, or sets of labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whichf1.errors import InputError, LabelError, ShapeError, WeightError, is_number
from whichf1.integrations.sklearn.drop_in import (
    doubtful,
    drop_in,
    listed,
    one_column,
    weights_of,
)
from whichf1.metrics import Metric, agreement, label_sets, rates
from whichf1.metrics.averaging import ZeroRule, pooled
from whichf1.sources.arrays import count_arrays, count_margins
from whichf1.sources.label_sets import sets_of
from whichf1.sources.request import EXACT
from whichf1.sources.sequences import refuse_lengths
from whichf1.tables.cells import Array, CountedMargins, Margins, OneVsRest, Table
from whichf1.tables.label_sets import LabelTable, outcomes


@dataclass
class Targets:
    """True and predicted classes, or sets of labels, as scikit-learn distinguishes them."""

    labels: Sequence[Any]
    """The classes that occur, sorted; for sets of labels, the numbers of the columns."""
    counted: Any
    """The Margins of classes, or a LabelTable of sets."""
    true: Array | None = None
    """The codes of true classes, even of an item without weight."""
    weighted: bool = False
    whole: bool = True
    """Whether weights are integers, so that a confusion matrix is."""

    @classmethod
    def of(cls, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Targets:
        """Count them."""
        if sample_weight is None and type(y_true) is np.ndarray:
            quick = count_margins(y_true, y_pred, True)
            if quick is not None:
                return cls([*quick[0]], quick[1])
        true, guess = one_column(y_true), one_column(y_pred)
        weighted = sample_weight is not None
        whole = not weighted or np.asarray(sample_weight).dtype.kind in "iub"
        if true.ndim == 2 and guess.ndim == 2:
            table = _sets(true, guess, sample_weight)
            return cls(range(table.classes), table, np.arange(0), weighted, whole)
        true, guess = _alike(true, guess)
        counts = count_arrays(true, guess)
        labels, present = counts.labels, counts.true
        if weighted:  # a class whose items all have weight 0 is still a class
            weights = weights_of(sample_weight, len(true))
            counts = count_arrays(true, guess, labels=labels, weights=weights)
            if whole and counts.table.total > EXACT:
                raise WeightError("integer weights add up to more than 2**53. Divide them.")
        return cls([*labels], counts.table, present, weighted, whole)

    @property
    def sets(self) -> bool:
        """Whether items have sets of labels."""
        return isinstance(self.counted, LabelTable)

    @property
    def table(self) -> Any:
        """The Table of classes, or the LabelTable of sets."""
        if not isinstance(self.counted, CountedMargins):
            return self.counted
        cells = self.counted.cells
        return Table(*np.divmod(cells.key, cells.classes), cells.values, cells.classes)

    @property
    def binary(self) -> bool:
        """Whether items have one of at most two classes."""
        return not self.sets and len(self.labels) <= 2

    def codes(self, labels: Any) -> Array:
        """The index of each label; labels that do not occur come after the last one."""
        if labels is None:
            return np.arange(len(self.labels))
        known = {label: at for at, label in enumerate(self.labels)}
        codes = np.array([known.get(x, len(known)) for x in listed(labels)], np.intp)
        if self.sets and (codes == len(known)).any():
            raise LabelError(
                f"labels= must be numbers of columns, below {len(known)}; got {labels!r}"
            )
        return codes

    def each(self, labels: Any = None) -> OneVsRest:
        """The counts of each label, even of one that does not occur."""
        c: OneVsRest = self.counted.one_vs_rest()
        if labels is None:
            return c
        codes = self.codes(labels)
        tp, fp, fn = (np.append(x, 0.0)[codes] for x in (c.tp, c.fp, c.fn))
        return OneVsRest(tp, fp, fn, lambda: np.append(c.tn, self.counted.total)[codes])

    @property
    def dtype(self) -> type:
        """The type of the counts of each label: floats with weights, and if no class is right."""
        exact = not self.weighted and (self.sets or self.counted.tp.any())
        return np.int64 if exact else np.float64

    def items(self, labels: Any = None) -> OneVsRest:
        """The counts of each item, over its labels."""
        if not self.sets:
            raise LabelError("items have one class each, not sets of labels")
        c: OneVsRest = self.counted.per_item(self.codes(labels))
        return c

    def margins(self, labels: Any = None) -> Margins:
        """The margins of items with one class each, whose classes are both among the labels."""
        if self.sets:
            raise LabelError("items have sets of labels, not one class each")
        margins: Margins = self.counted if labels is None else self.among(labels)
        return margins

    def among(self, labels: Any) -> Table:
        """The items whose true and predicted classes are both among these labels."""
        self.margins()  # an error for sets of labels
        table: Table = self.table
        if labels is None:
            return table
        codes = self.codes(labels)
        size = len(codes)
        place = np.full(len(self.labels) + 1, size)
        place[codes] = np.arange(size)
        if (place[table.true if self.true is None else self.true] == size).all():
            raise LabelError("no item belongs to a class in labels=")
        true, predicted = place[table.true], place[table.predicted]
        here = (true < size) & (predicted < size)
        return Table(true[here], predicted[here], table.count[here], size)


def _alike(true: Any, guess: Any) -> tuple[Any, Any]:
    """Both columns as integers, if one of them is and the other has booleans."""
    kinds = [getattr(side.dtype, "kind", "") for side in (true, guess)]
    if kinds[0] != kinds[1] and "b" in kinds and {*kinds} <= {*"biuf"}:
        return np.asarray(true) + 0, np.asarray(guess) + 0
    return true, guess


def _sets(true: Any, guess: Any, sample_weight: Any) -> LabelTable:
    sides = [sets_of(side, name, None) for side, name in ((true, "y_true"), (guess, "y_pred"))]
    n, width = sides[0].items, len(sides[0].labels)
    refuse_lengths(n, sides[1].items, "y_pred")
    if width != len(sides[1].labels):
        raise ShapeError(f"y_true has {width} columns, y_pred {len(sides[1].labels)}")
    left, right = (side.item * width + side.label for side in sides)
    weights = weights_of(sample_weight, n)
    count = np.ones(n) if weights is None else weights
    return LabelTable(*outcomes(left, [right], width), count, width)


class Rates:
    """Rates of classes or sets of labels, averaged as scikit-learn does."""

    def __init__(
        self, targets: Targets, labels: Any, pos_label: Any, average: Any, zero_division: Any
    ) -> None:
        if average == "binary":
            unknown = len(targets.labels) > 1 and pos_label not in targets.labels
            if unknown or not targets.binary:
                raise LabelError(
                    f"{pos_label!r} is not one of the two classes {[*targets.labels[:20]]!r}"
                )
            labels = [pos_label]
        self.average = average
        self._warns = zero_division == "warn"
        undefined: Any = 0 if self._warns else zero_division
        self._rule = ZeroRule("skip" if undefined != undefined else undefined)
        self.doubt = average != "binary" and pos_label not in (None, 1)
        self.support: Any = None
        self._weights: Array | None = None
        if average == "samples":
            self._c, self._weights = targets.items(labels), targets.counted.count
            self.doubt |= self._warns and not targets.counted.count.all()
            return
        c = targets.each(labels)
        self._c = pooled(c) if average == "micro" else c
        support: Array = (c.tp + c.fn).astype(targets.dtype)
        if average is None:
            self.support = support
        elif average == "weighted":
            self._weights = support

    def __call__(self, rate: Metric, **parameters: Any) -> Any:
        """The rate of each class, or its average."""
        top, bottom = rate.formula(self._c, **parameters)
        self.doubt |= self._warns and not bottom.all()
        values = self._rule.settle((top, bottom))
        if self.average is None:
            return values
        weights = self._weights
        if weights is not None and not weights[values == values].any():
            weights = None  # the plain mean, if no class has any
        return float(self._rule.mean(values, weights))

    def f_score(self, beta: float) -> Any:
        """F-beta, which equals recall for an infinite beta."""
        return self(rates.recall) if beta == np.inf else self(rates.f_beta, beta=beta)


@drop_in
def precision_recall_fscore_support(
    y_true: Any,
    y_pred: Any,
    *,
    beta: float,
    labels: Any,
    pos_label: Any,
    average: Any,
    warn_for: Any,
    sample_weight: Any,
    zero_division: Any,
) -> Any:
    """Precision, recall, F-beta and support."""
    targets = Targets.of(y_true, y_pred, sample_weight)
    of = Rates(targets, labels, pos_label, average, zero_division)
    scores = of(rates.precision), of(rates.recall), of.f_score(beta)
    return doubtful(of.doubt, (*scores, of.support))


def _one_rate(rate: Callable[..., Any]) -> Callable[..., Any]:
    """A function that computes one rate, with the options that all of them have."""

    def answer(
        y_true: Any,
        y_pred: Any,
        *,
        labels: Any,
        pos_label: Any,
        average: Any,
        sample_weight: Any,
        zero_division: Any,
        **parameters: Any,
    ) -> Any:
        targets = Targets.of(y_true, y_pred, sample_weight)
        of = Rates(targets, labels, pos_label, average, zero_division)
        value = rate(of, **parameters)
        return doubtful(of.doubt, value)

    answer.__name__ = rate.__name__
    return drop_in(answer)


@_one_rate
def precision_score(of: Rates) -> Any:
    """Precision."""
    return of(rates.precision)


@_one_rate
def recall_score(of: Rates) -> Any:
    """Recall."""
    return of(rates.recall)


@_one_rate
def f1_score(of: Rates) -> Any:
    """F1."""
    return of(rates.f1)


@_one_rate
def fbeta_score(of: Rates, beta: float) -> Any:
    """F-beta."""
    return of.f_score(beta)


@_one_rate
def jaccard_score(of: Rates) -> Any:
    """Jaccard index."""
    return of(rates.jaccard)


def _fraction(metric: Metric, of_sets: Metric, targets: Targets) -> tuple[float, float]:
    """Items that count, or how much they count as sets of labels; and all items."""
    if targets.sets:
        each, whole = of_sets.formula(targets.items())
        return float((each / whole) @ targets.counted.count), float(targets.counted.total)
    top, bottom = metric.formula(targets.counted)
    return float(top), float(bottom)


@drop_in
def accuracy_score(y_true: Any, y_pred: Any, *, normalize: bool, sample_weight: Any) -> float:
    """Accuracy; for sets of labels, the fraction that is exactly right."""
    targets = Targets.of(y_true, y_pred, sample_weight)
    right, n = _fraction(agreement.accuracy, label_sets.subset_accuracy, targets)
    return right / n if normalize else right


@drop_in
def zero_one_loss(y_true: Any, y_pred: Any, *, normalize: bool, sample_weight: Any) -> float:
    """Error rate; for sets of labels, the fraction that is not exactly right."""
    targets = Targets.of(y_true, y_pred, sample_weight)
    wrong, n = _fraction(agreement.error_rate, label_sets.subset_accuracy, targets)
    if targets.sets:
        wrong = n - wrong
    return wrong / n if normalize else wrong


@drop_in
def hamming_loss(y_true: Any, y_pred: Any, *, sample_weight: Any) -> float:
    """Hamming loss."""
    targets = Targets.of(y_true, y_pred, sample_weight)
    wrong, n = _fraction(agreement.error_rate, label_sets.hamming_loss, targets)
    return wrong / n


@drop_in
def matthews_corrcoef(y_true: Any, y_pred: Any, *, sample_weight: Any) -> Any:
    """Matthews correlation coefficient."""
    targets = Targets.of(y_true, y_pred, sample_weight)
    value = ZeroRule(0).settle(agreement.mcc.formula(targets.margins()))
    return doubtful(len(targets.labels) == 1, float(value))


@drop_in
def cohen_kappa_score(
    y1: Any,
    y2: Any,
    *,
    labels: Any,
    weights: str | None,
    sample_weight: Any,
    replace_undefined_by: float = np.nan,
) -> Any:
    """Cohen's kappa."""
    targets = Targets.of(y1, y2, sample_weight)
    margins = targets.margins(labels)
    top, bottom = agreement.cohen_kappa.formula(margins, weighting=weights or "none")
    return doubtful(not bottom, float(top / bottom) if bottom else replace_undefined_by)


@drop_in
def balanced_accuracy_score(y_true: Any, y_pred: Any, *, sample_weight: Any, adjusted: bool) -> Any:
    """Balanced accuracy."""
    margins = Targets.of(y_true, y_pred, sample_weight).margins()
    recall = ZeroRule("skip").settle(rates.recall.formula(margins.one_vs_rest()))
    known = recall[~np.isnan(recall)]
    score = np.mean(known)
    if adjusted:
        chance = 1 / len(known)
        with np.errstate(divide="ignore", invalid="ignore"):
            score = (score - chance) / (1 - chance)
    return doubtful(len(known) < max(2, len(recall)), float(score))


@drop_in
def confusion_matrix(
    y_true: Any, y_pred: Any, *, labels: Any, sample_weight: Any, normalize: str | None
) -> Any:
    """Confusion matrix."""
    targets = Targets.of(y_true, y_pred, sample_weight)
    table = targets.among(labels)
    dense: Array = np.zeros((table.classes, table.classes), np.int64 if targets.whole else float)
    np.add.at(dense, (table.true, table.predicted), table.count.astype(dense.dtype))
    if normalize is not None:
        axis = {"true": 1, "pred": 0, "all": None}[normalize]
        whole = dense.sum(axis, keepdims=True)
        dense = dense / np.where(whole == 0, 1, whole)
    return doubtful(len(dense) == 1, dense)


@drop_in
def multilabel_confusion_matrix(
    y_true: Any, y_pred: Any, *, sample_weight: Any, labels: Any, samplewise: bool
) -> Array:
    """A table of two classes for each label, or for each item."""
    targets = Targets.of(y_true, y_pred, sample_weight)
    c = targets.items(labels) if samplewise else targets.each(labels)
    cells = np.stack([c.tn, c.fp, c.fn, c.tp], -1).reshape(-1, 2, 2)
    if not samplewise:
        return cells.astype(targets.dtype)
    weighted: Array = cells * targets.counted.count[:, None, None]
    return weighted.astype(np.int64) if targets.whole else weighted


@drop_in
def class_likelihood_ratios(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any,
    sample_weight: Any,
    replace_undefined_by: Any = np.nan,
    raise_warning: Any = "deprecated",
) -> Any:
    """Positive and negative likelihood ratio."""
    targets = Targets.of(y_true, y_pred, sample_weight)
    margins = targets.margins(labels)
    if not targets.binary or len(margins.tp) != 2:
        raise LabelError(f"likelihood ratios are for two classes; got {[*targets.labels[:20]]!r}")
    c = margins.one_vs_rest(np.array([1]))
    ratios = (rates.positive_likelihood_ratio, rates.negative_likelihood_ratio)
    fillers = _replacements(replace_undefined_by)
    values = tuple(
        float(ZeroRule("nan").settle(ratio.formula(c))[0] if cell[0] else filler)
        for ratio, cell, filler in zip(ratios, (c.fp, c.tn), fillers, strict=True)
    )
    return doubtful(not (c.fp[0] and c.tn[0] and c.tp[0] + c.fn[0]), values)


def _replacements(wanted: Any) -> tuple[float, float]:
    """The positive and the negative likelihood ratio where it is undefined."""
    if not isinstance(wanted, dict):
        return wanted, wanted
    values: list[Any] = [wanted.get(name) for name in ("LR+", "LR-")]
    for value, low, high in zip(values, (1, 0), (np.inf, 1), strict=True):
        if not is_number(value) or not (value != value or low <= value <= high):
            raise InputError(f"{value!r} cannot replace a likelihood ratio from {low} to {high}")
    return values[0], values[1]


_HEADS = ("precision", "recall", "f1-score", "support")


@drop_in
def classification_report(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any,
    target_names: Any,
    sample_weight: Any,
    digits: int,
    output_dict: bool,
    zero_division: Any,
) -> Any:
    """Precision, recall, F1 and support of each class, and their averages."""
    targets = Targets.of(y_true, y_pred, sample_weight)
    shown = listed(targets.labels if labels is None else labels)
    names = [f"{label}" for label in shown] if target_names is None else [*target_names]
    if len(names) != len(shown) and labels is None:
        raise LabelError(f"{len(shown)} classes, but {len(names)} target_names")
    means = ["micro", "macro", "weighted", *(["samples"] if targets.sets else [])]
    lines = [Rates(targets, labels, 1, average, zero_division) for average in (None, *means)]
    scores = [[of(rate) for rate in (rates.precision, rates.recall, rates.f1)] for of in lines]
    support = lines[0].support
    rows = {name: cells for name, *cells in zip(names, *scores[0], support, strict=False)}
    averages = {
        f"{mean} avg": [*cells, support.sum()]
        for mean, cells in zip(means, scores[1:], strict=True)
    }
    every = not targets.sets and {*shown} >= {*targets.labels}
    if every:
        averages = {"accuracy": averages.pop("micro avg"), **averages}
    report: Any = {
        name: dict(zip(_HEADS, map(float, cells), strict=True))
        for name, cells in {**rows, **averages}.items()
    }
    if every:
        report["accuracy"] = report["accuracy"]["precision"]
    if not output_dict:
        report = _as_text(rows, averages, digits)
    return doubtful(len(names) != len(shown) or any(of.doubt for of in lines), report)


def _as_text(rows: dict[str, list[Any]], averages: dict[str, list[Any]], digits: int) -> str:
    """The table that scikit-learn prints."""
    width = max(*map(len, rows), len("weighted avg"), digits)

    def line(name: str, cells: list[Any]) -> str:
        scores = [f"{cell:.{digits}f}" for cell in cells[:3]]
        if name == "accuracy":
            scores[:2] = "", ""
        return f"{name:>{width}} " + "".join(f" {cell:>9}" for cell in (*scores, cells[3]))

    head = f"{'':>{width}} " + "".join(f" {head:>9}" for head in _HEADS)
    parts = [[line(*row) for row in part.items()] for part in (rows, averages)]
    return "\n".join([head, "", *parts[0], "", *parts[1], ""])
