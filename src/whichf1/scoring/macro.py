"""The two macro F1s and the gap between them.

As in Opitz and Burst, 'Macro F1 and Macro F1' (2019): 'averaged F1' is the mean of the classes' F1,
'F1 of averages' is the harmonic mean of macro precision and macro recall.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple, Unpack

import numpy as np

from whichf1.definitions.options import Options
from whichf1.errors import DefinitionError, InputError, is_number, numbered
from whichf1.metrics.averaging import ZeroRule, per_class
from whichf1.metrics.rates import f1, precision, recall
from whichf1.scoring.evaluate import evaluate
from whichf1.scoring.functions import Scorer
from whichf1.scoring.score import Score
from whichf1.sources.arrays import count_arrays
from whichf1.sources.counts import DATA_OPTIONS, as_counts
from whichf1.sources.sequences import to_numpy
from whichf1.tables.cells import Array
from whichf1.tables.counts import Counts, refuse_dense
from whichf1.tables.display import Drawable
from whichf1.tables.labels import Label, Labels
from whichf1.tables.records import dataclass

MOST_PAIRED = 10_000
"""Up to this many classes, all pairs are searched for the largest term."""


class ClassPair(NamedTuple):
    """Two classes and their contribution to the gap."""

    a: Label
    b: Label
    share: float
    """Their two terms divided by the whole gap."""


@dataclass(frozen=True, eq=False)
class MacroF1(Drawable):
    """Both macro F1s of the same predictions; returned by ``whichf1.macro_f1``.

    >>> import whichf1 as wf
    >>> m = wf.macro_f1(["a", "a", "b", "b"], ["a", "b", "b", "b"])
    >>> f"{m.averaged:.4f} {m.of_averages:.4f} {m.gap:.4f}"
    '0.7333 0.7895 0.0561'
    """

    averaged: Score
    """The mean of the classes' F1."""
    of_averages: Score
    """The harmonic mean of macro precision and macro recall; it is never smaller."""
    precision: Array
    """Precision of each class."""
    recall: Array
    """Recall of each class."""

    @property
    def labels(self) -> Labels:
        """The classes averaged over."""
        return self.averaged.classes

    @property
    def gap(self) -> float:
        """F1 of averages minus averaged F1."""
        return self.of_averages.value - self.averaged.value

    @property
    def supremum(self) -> float:
        """The supremum of the gap for this number of classes."""
        return supremum(len(self.labels))

    @cached_property
    def terms(self) -> Array:
        """The Lemma's term for each pair of classes (classes × classes); they sum to the gap."""
        k = len(self.labels)
        refuse_dense(8 * k * k, f"the {k:,} × {k:,} terms")
        return gap_terms(self.precision, self.recall)

    @cached_property
    def contributions(self) -> Array:
        """The contribution of each class, in time linear in the classes; they sum to the gap."""
        return gap_contributions(self.precision, self.recall)

    @cached_property
    def largest_pair(self) -> ClassPair | None:
        """The pair of classes that contributes most to the gap.

        None if there is no gap, or more than 10,000 classes; use ``contributions`` then.
        """
        k = len(self.labels)
        if not 2 <= k <= MOST_PAIRED or self.gap < 1e-12:
            return None
        largest, at = 0.0, (0, 0)
        for a in range(k):  # row by row, so that the table of pairs need not fit in memory
            row = gap_terms(self.precision, self.recall, slice(a, a + 1))[0]
            b = int(row.argmax())
            if row[b] > largest:
                largest, at = float(row[b]), (a, b)
        total = float(self.contributions.sum())
        return ClassPair(self.labels[at[0]], self.labels[at[1]], 2 * largest / total)

    def __repr__(self) -> str:
        return (
            f"<MacroF1: averaged F1 {self.averaged.value:.4f}, "
            f"F1 of averages {self.of_averages.value:.4f}, gap {self.gap:.4f}>"
        )


_BOTH = Scorer("averaged_f1"), Scorer("f1_of_averages")


def macro_f1(y_true: Any, y_pred: Any = None, **options: Unpack[Options]) -> MacroF1:
    """Compute both scores called 'macro F1', averaged F1 and F1 of averages, and their difference.

    y_true, y_pred (Counts, array, dataframe or path): The data, as for ``averaged_f1``.
    **options: The options that apply to both, such as ``classes``, ``undefined`` and ``interval``.
    Returns: Both scores, the gap between them, and how pairs of classes contribute to it.

    >>> m = macro_f1(Counts.from_matrix([[5, 10], [5, 10]], rows="predicted"))
    >>> f"{m.averaged:.4f} {m.of_averages:.4f} {m.gap:.4f}"
    '0.4857 0.5000 0.0143'
    """
    choices: dict[str, Any] = dict(options)
    data = {key: choices.pop(key) for key in DATA_OPTIONS if key in choices}
    if "score" in data:
        raise DefinitionError("macro_f1 is computed from predictions: omit score=")
    counts = as_counts(y_true, y_pred, **data, ignore=choices.get("ignore") or ())
    if choices.get("undefined", 0) not in (0, 1):
        raise DefinitionError(
            "with undefined='skip' or 'nan', precision, recall and F1 are averaged over different "
            "classes, and the gap is meaningless. Call averaged_f1 and f1_of_averages separately."
        )
    for name in ("average", "formula", "positive", "scope", "beta", "weighting"):
        if name in choices:
            raise DefinitionError(f"macro_f1 computes both formulas of F1: omit {name}=")
    averaged, of_averages = (each.definition(**choices) for each in _BOTH)
    frozen = averaged.freeze(counts)
    c = frozen.table.one_vs_rest(frozen.classes)
    rule = ZeroRule(averaged.undefined)
    p, r = (per_class(metric, {}, rule, c) for metric in (precision, recall))
    return MacroF1(evaluate(averaged, counts), evaluate(of_averages, counts), p, r)


def gap_terms(p: Array, r: Array, rows: slice = slice(None)) -> Array:
    """The Lemma's terms (eq. 4): (P_x R_y − P_y R_x)² / ((P_x+R_x)(P_y+R_y)) / (n Σ(P+R))."""
    s = p + r
    cross = p[rows, None] * r - r[rows, None] * p
    scale = s[rows, None] * s * len(p) * s.sum()
    terms: Array = np.divide(cross**2, scale, out=np.zeros_like(cross), where=scale > 0)
    return terms


def gap_contributions(p: Array, r: Array) -> Array:
    """The gap as a variance: with s = P + R and u = P / s, class x adds (2/n) s_x (u_x − ū)².

    (P_x R_y − P_y R_x)² / (s_x s_y) = s_x s_y (u_x − u_y)², and the sum of squared differences
    over all pairs is a sum of squares about the weighted mean ū = ΣP / Σs. Leading axes are tables
    of a batch.
    """
    s = p + r
    total = s.sum(-1, keepdims=True)
    share = np.divide(p, s, out=np.zeros_like(s), where=s > 0)
    mean = np.divide(p.sum(-1, keepdims=True), total, out=np.zeros_like(total), where=total > 0)
    parts: Array = 2 / s.shape[-1] * s * (share - mean) ** 2
    return parts


def supremum(n: int) -> float:
    """The least upper bound of the gap for n classes: 1/2, or 1/2 − 1/(2n²) if n is odd.

    It is part 3 of the paper's theorem.

    n: The number of classes.
    Returns: The bound that F1 of averages minus averaged F1 approaches but never reaches.
    InputError: If n is not a whole number of at least 1.

    >>> supremum(2), supremum(1)
    (0.5, 0.0)
    """
    _at_least(1, n)
    return 0.5 if n % 2 == 0 else 0.5 - 1 / (2 * n**2)


def extremal(n: int, z: int) -> Counts:
    """The matrix of appendix C, whose gap approaches the supremum as z grows.

    Classes come in pairs; one of each pair is predicted for z items of the other. If the number of
    classes is odd, the last one joins the last pair.

    n: The number of classes.
    z: The number of items on each side.
    Returns: The counts of the matrix.
    InputError: If n or z is too small.

    >>> round(macro_f1(extremal(2, 1000)).gap, 3)
    0.499
    """
    _at_least(2, n)
    _at_least(0, z)
    refuse_dense(8 * int(n) ** 2, f"a matrix of {numbered(n, 'class')}")
    predicted_by_true = np.eye(n, dtype=np.int64)
    for first in range(0, n - n % 2, 2):
        predicted_by_true[first + 1, first] = z
    if n % 2:
        predicted_by_true[n - 2, n - 1] = z
    return Counts.from_matrix(predicted_by_true, rows="predicted")


class Bounds(NamedTuple):
    """The smallest and largest possible averaged F1."""

    low: float
    high: float


def bounds(precision: float, recall: float, classes: int | None = None) -> Bounds:
    """The values that averaged F1 can have, given macro precision P and macro recall R.

    The lower bound is max(0, P + R − 1), because F1 ≥ P + R − 1 in every class. The upper bound is
    F1 of averages, or less if the number of classes is known: if P > R, one class has P ≤ R, so not
    all classes can share the excess.

    precision, recall: Macro precision and macro recall.
    classes: The number of classes.
    Returns: The lower and the upper bound.
    InputError: If precision or recall is not between 0 and 1, or there are no classes.

    >>> low, high = bounds(0.75, 0.5)
    >>> low, round(high, 4)
    (0.25, 0.6)
    """
    for name, value in (("precision", precision), ("recall", recall)):
        if not is_number(value) or not 0 <= value <= 1:
            raise InputError(f"{name} must be between 0 and 1; got {value!r}")
    low = max(0.0, precision + recall - 1)
    if classes is None:
        return Bounds(low, _harmonic(precision, recall))
    _at_least(1, classes)
    if abs(precision - recall) > (classes - 1) / classes + 1e-12:
        raise InputError(
            f"no table of {numbered(classes, 'class')} has macro precision {precision} and "
            "macro recall "
            f"{recall}: some class has precision ≤ recall, so they differ by at most "
            f"{(classes - 1) / classes:.4g}"
        )
    if classes == 1:
        return Bounds(_harmonic(precision, recall), _harmonic(precision, recall))
    return Bounds(low, highest_averaged_f1(precision, recall, classes))


def highest_averaged_f1(precision: float, recall: float, k: int) -> float:
    """The upper bound for k ≥ 2 classes; meaningless if no such table exists."""
    even = max(0.0, k * max(precision, recall) - (k - 1))
    others = _harmonic((k * precision - even) / (k - 1), (k * recall - even) / (k - 1))
    return ((k - 1) * others + even) / k


def _harmonic(p: float, r: float) -> float:
    return 2 * p * r / (p + r) if p + r > 0 else 0.0


def _at_least(least: int, n: int) -> None:
    whole = isinstance(n, (int, np.integer)) and not isinstance(n, bool)
    if not whole or not least <= n < 2**62:
        said = repr(n) if not whole or abs(n) < 2**64 else "one of more than 64 bits"
        raise InputError(f"expected a whole number of at least {least}, below 2**62; got {said}")


def precision_recall_f1(predictions: Any, labels: Any, num_classes: int) -> Any:
    """Precision, recall and F1 of each class 0 … C−1 and, in the last column, their means.

    predictions, labels (array): The predicted and the true class of each item, as numbers.
    num_classes: The number of classes, C.
    Returns (array of shape (3, C + 1)): The table, of the same array type as ``predictions``: a
        torch tensor for a torch tensor. 0/0 is 0.
    InputError: If lengths differ, or a class is not an integer from 0 to C−1.

    >>> precision_recall_f1([0.0, 1.0, 1.0], [0.0, 1.0, 0.0], 2).round(2).tolist()
    [[1.0, 0.5, 0.75], [0.5, 1.0, 0.75], [0.67, 0.67, 0.67]]
    """
    _at_least(1, num_classes)
    counts = count_arrays(labels, predictions, labels=range(num_classes))
    c = counts.table.one_vs_rest()
    rows = [per_class(metric, {}, ZeroRule(0), c) for metric in (precision, recall, f1)]
    table = np.array([[*row, row.mean()] for row in rows])
    return _like(table, predictions)


def _like(table: Array, template: Any) -> Any:
    """The table with the array type, floating-point dtype and device of the template."""
    if hasattr(template, "detach"):  # torch
        import torch

        dtype = template.dtype if template.is_floating_point() else torch.get_default_dtype()
        return torch.from_numpy(table).to(dtype=dtype, device=template.device)
    kind = to_numpy(template).dtype
    cast = table.astype(kind) if kind.kind == "f" else table
    if isinstance(template, np.ndarray) or not hasattr(template, "__array_namespace__"):
        return cast
    return template.__array_namespace__().asarray(cast)
