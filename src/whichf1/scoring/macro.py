"""The two macro F1s and what lies between them.

After Opitz and Burst, 'Macro F1 and Macro F1' (2019): 'averaged F1' is the mean of the classes' F1,
'F1 of averages' the harmonic mean of macro precision and macro recall.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Unpack

import numpy as np

from whichf1.definitions.definition import Definition
from whichf1.errors import DefinitionError, InputError
from whichf1.metrics.averaging import ZeroRule, per_class
from whichf1.metrics.rates import f1, precision, recall
from whichf1.scoring.evaluate import evaluate
from whichf1.scoring.functions import ScoreOptions
from whichf1.scoring.score import Score
from whichf1.sources.arrays import count_arrays
from whichf1.sources.count import DATA_OPTIONS, as_counts
from whichf1.sources.sequences import to_numpy
from whichf1.tables.cells import Array
from whichf1.tables.counts import Counts
from whichf1.tables.dense import refuse_dense
from whichf1.tables.labels import Label, Labels

MOST_PAIRED = 10_000
"""Classes up to which every pair is looked at for the largest."""


class Pair(NamedTuple):
    """Two classes and their part of the gap."""

    a: Label
    b: Label
    share: float
    """Their two terms over the whole gap."""


@dataclass(frozen=True, eq=False)
class MacroF1:
    """Both macro F1s of the same predictions."""

    averaged: Score
    """The mean of the classes' F1."""
    of_averages: Score
    """The harmonic mean of macro precision and macro recall: never the smaller one."""
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
        """What the gap stays below for this number of classes."""
        return supremum(len(self.labels))

    @cached_property
    def terms(self) -> Array:
        """The Lemma's term of each pair of classes (classes × classes); they add up to the gap."""
        k = len(self.labels)
        refuse_dense(8 * k * k, f"the {k:,} × {k:,} terms")
        return gap_terms(self.precision, self.recall)

    @cached_property
    def contributions(self) -> Array:
        """Each class's part of the gap; they add up to it, in time linear in the classes."""
        return gap_contributions(self.precision, self.recall)

    @cached_property
    def largest_pair(self) -> Pair | None:
        """The pair of classes that makes most of the gap.

        None where there is no gap, or more than 10,000 classes: see ``contributions`` then.
        """
        k = len(self.labels)
        if not 2 <= k <= MOST_PAIRED or self.gap < 1e-12:
            return None
        largest, at = 0.0, (0, 0)
        for a in range(k):  # row by row: the whole table of pairs need not fit in memory
            row = gap_terms(self.precision, self.recall, slice(a, a + 1))[0]
            b = int(row.argmax())
            if row[b] > largest:
                largest, at = float(row[b]), (a, b)
        total = float(self.contributions.sum())
        return Pair(self.labels[at[0]], self.labels[at[1]], 2 * largest / total)

    def __repr__(self) -> str:
        return (
            f"<MacroF1: averaged F1 {self.averaged.value:.4f}, "
            f"F1 of averages {self.of_averages.value:.4f}, gap {self.gap:.4f}>"
        )


def macro_f1(y_true: Any, y_pred: Any = None, **options: Unpack[ScoreOptions]) -> MacroF1:
    """Asked for 'macro F1', both: averaged F1 and F1 of averages, and the gap between them.

    >>> m = macro_f1(Counts.from_matrix([[5, 10], [5, 10]], rows="predicted"))
    >>> f"{m.averaged:.4f} {m.of_averages:.4f} {m.gap:.4f}"
    '0.4857 0.5000 0.0143'
    """
    given: dict[str, Any] = dict(options)
    data = {key: given.pop(key) for key in DATA_OPTIONS if key in given}
    if "score" in data:
        raise DefinitionError("macro_f1 is computed from predictions: leave score= out")
    counts = as_counts(y_true, y_pred, **data)
    if given.get("undefined", 0) not in (0, 1):
        raise DefinitionError(
            "with undefined='skip' or 'nan' precision, recall and F1 are averaged over different "
            "classes and the gap has no meaning. Use averaged_f1 and f1_of_averages one by one."
        )
    for name in ("average", "formula", "positive", "scope", "beta", "weighting"):
        if name in given:
            raise DefinitionError(f"macro_f1 gives both formulas of F1: leave {name}= out")
    averaged, of_averages = (
        Definition(metric="f1", average="macro", formula=formula, **given)
        for formula in ("averaged", "of-averages")
    )
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
    """The gap as a variance: with s = P + R and u = P / s, class x gives (2/n) s_x (u_x − ū)².

    (P_x R_y − P_y R_x)² / (s_x s_y) = s_x s_y (u_x − u_y)², and a sum over all pairs of squared
    differences is a sum of squares about the weighted mean ū = ΣP / Σs. Leading axes are batches.
    """
    s = p + r
    total = s.sum(-1, keepdims=True)
    share = np.divide(p, s, out=np.zeros_like(s), where=s > 0)
    mean = np.divide(p.sum(-1, keepdims=True), total, out=np.zeros_like(total), where=total > 0)
    parts: Array = 2 / s.shape[-1] * s * (share - mean) ** 2
    return parts


def supremum(n: int) -> float:
    """The least upper bound of the gap for n classes (Theorem, part 3): 1/2, or 1/2 − 1/(2n²)."""
    _at_least(1, n)
    return 0.5 if n % 2 == 0 else 0.5 - 1 / (2 * n**2)


def extremal(n: int, z: int) -> Counts:
    """The matrix of appendix C whose gap tends to the supremum as z grows.

    Classes come in pairs; one of a pair is predicted for z items of the other. With an odd number
    the last class joins the last pair.
    """
    _at_least(2, n)
    _at_least(0, z)
    predicted_by_true = np.eye(n, dtype=np.int64)
    for first in range(0, n - n % 2, 2):
        predicted_by_true[first + 1, first] = z
    if n % 2:
        predicted_by_true[n - 2, n - 1] = z
    return Counts.from_matrix(predicted_by_true, rows="predicted")


class Bounds(NamedTuple):
    """Between which values averaged F1 lies."""

    low: float
    high: float


def bounds(precision: float, recall: float, classes: int | None = None) -> Bounds:
    """The values that averaged F1 can take, given macro precision and macro recall.

    low = max(0, P + R − 1), as F1 ≥ P + R − 1 for every class. high = F1 of averages, or less where
    the number of classes is known: with P > R one class has P ≤ R, so not all can share the excess.
    """
    for name, value in (("precision", precision), ("recall", recall)):
        if not 0 <= value <= 1:
            raise InputError(f"{name} must lie in [0, 1]; got {value!r}")
    low = max(0.0, precision + recall - 1)
    if classes is None:
        return Bounds(low, _harmonic(precision, recall))
    _at_least(1, classes)
    if abs(precision - recall) > (classes - 1) / classes + 1e-12:
        raise InputError(
            f"no table of {classes} classes has macro precision {precision} and macro recall "
            f"{recall}: some class has precision ≤ recall, so they differ by at most "
            f"{(classes - 1) / classes:.4g}"
        )
    if classes == 1:
        return Bounds(_harmonic(precision, recall), _harmonic(precision, recall))
    return Bounds(low, highest_averaged_f1(precision, recall, classes))


def highest_averaged_f1(precision: float, recall: float, k: int) -> float:
    """The upper bound for k ≥ 2 classes; it has no meaning where no table exists."""
    even = max(0.0, k * max(precision, recall) - (k - 1))
    others = _harmonic((k * precision - even) / (k - 1), (k * recall - even) / (k - 1))
    return ((k - 1) * others + even) / k


def _harmonic(p: float, r: float) -> float:
    return 2 * p * r / (p + r) if p + r > 0 else 0.0


def _at_least(least: int, n: int) -> None:
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < least:
        raise InputError(f"expected a whole number of at least {least}; got {n!r}")


def precision_recall_f1(predictions: Any, labels: Any, num_classes: int) -> Any:
    """Precision, recall and F1 of each class 0 … C−1 and, last, their means: a (3, C+1) table.

    The table has the array type of ``predictions``: a torch tensor gives a torch tensor. 0/0 is 0.

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
    """The table as the array type, floating dtype and device of the template."""
    if hasattr(template, "detach"):  # torch
        import torch

        dtype = template.dtype if template.is_floating_point() else torch.get_default_dtype()
        return torch.from_numpy(table).to(dtype=dtype, device=template.device)
    kind = to_numpy(template).dtype
    own = table.astype(kind) if kind.kind == "f" else table
    if isinstance(template, np.ndarray) or not hasattr(template, "__array_namespace__"):
        return own
    return template.__array_namespace__().asarray(own)
