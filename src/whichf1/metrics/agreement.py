"""Agreement: one number for the whole confusion matrix."""

from __future__ import annotations

from math import inf
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from whichf1.errors import DefinitionError, TooLargeError, numbered
from whichf1.metrics.registry import Names, Ratio, Square, agreement
from whichf1.tables.cells import Array, Margins, is_exact, root
from whichf1.tables.labels import Labels, as_number


@agreement(
    tex=r"\frac{1}{n}\sum_i C_{ii}",
    aliases=("observed_agreement",),
    sklearn="accuracy_score",
    raters=True,
)
def accuracy(m: Margins) -> Ratio:
    """Fraction of items predicted correctly."""
    return m.right, m.total


@agreement(
    tex=r"1-\frac{1}{n}\sum_i C_{ii}",
    aliases=("zero_one_loss", "misclassification_rate"),
    better="lower",
    sklearn="zero_one_loss",
)
def error_rate(m: Margins) -> Ratio:
    """Fraction of items predicted incorrectly."""
    return m.wrong, m.total


Weighting: TypeAlias = Annotated[
    Literal["none", "linear", "quadratic"] | Square,
    "How the weight of an error grows with the distance between the two classes in label order; "
    "or a matrix with the weight of each error, 0 on its diagonal.",
]


@agreement(
    tex=r"1-\frac{n\sum_{ij}w_{ij}C_{ij}}{\sum_{ij}w_{ij}\,C_{i\cdot}\,C_{\cdot j}}",
    title="Cohen's kappa",
    aliases=("kappa",),
    bounds=(-1, 1),
    sklearn="cohen_kappa_score",
)
def cohen_kappa(m: Margins, weighting: Weighting = "none") -> Ratio:
    """Agreement beyond chance, optionally weighted by the distance between classes."""
    if weighting == "none":
        return _beyond(m, weighting, m.apart)
    return _beyond(m, weighting, (m.rows * _apart_from(m, m.columns, weighting)).sum(-1))


@agreement(
    tex=r"1-\frac{4n\sum_{ij}w_{ij}C_{ij}}{\sum_{ij}w_{ij}\,d_i\,d_j},\quad"
    r" d_i=C_{i\cdot}+C_{\cdot i}",
    title="Scott's pi",
    bounds=(-1, 1),
    raters=True,
)
def scott_pi(m: Margins, weighting: Weighting = "none") -> Ratio:
    """Agreement beyond that of two raters who guess with the pooled class frequencies."""
    if weighting == "none":
        return _beyond(m, weighting, m.either_apart, 4)
    both = m.rows + m.columns
    return _beyond(m, weighting, (both * _apart_from(m, both, weighting)).sum(-1), 4)


@agreement(
    tex=r"1-\frac{4n\sum_{ij}w_{ij}C_{ij}}{\sum_{ij}w_{ij}\,d_i\,d_j},\quad"
    r" d_i=C_{i\cdot}+C_{\cdot i}",
    title="Fleiss' kappa",
    bounds=(-1, 1),
    raters=True,
)
def fleiss_kappa(m: Margins, weighting: Weighting = "none") -> Ratio:
    """Agreement of any number of raters beyond chance (Scott's pi if there are two)."""
    pi: Ratio = scott_pi.formula(m, weighting)
    return pi


Level: TypeAlias = Annotated[
    Literal["nominal", "ordinal", "interval", "ratio"],
    "How the distance between two categories is measured: equal for all pairs, by the number "
    "of ratings between them, by their difference, or by that difference relative to their sum.",
]


@agreement(
    tex=r"1-\frac{(N-1)\sum_{ij}\delta_{ij}\,o_{ij}}{\sum_{ij}\delta_{ij}\,o_{i\cdot}\,o_{\cdot j}}"
    r",\quad o=C+C^{\mathsf T},\ N=\sum_{ij}o_{ij}",
    title="Krippendorff's alpha",
    bounds=(-1, 1),
    whole=True,
    raters=True,
)
def krippendorff_alpha(m: Margins, level: Level = "nominal", labels: Names = None) -> Ratio:
    """Agreement of any number of raters beyond that of the same ratings in random order."""
    c = m.coincidences
    n = c.total
    if level == "nominal":
        observed, expected = c.wrong, c.apart
    elif level == "ratio":
        apart, rows = _ratios(_values(m, labels, level)), c.rows
        observed, expected = of_cells(c, apart), (rows * across(rows, apart)).sum(-1)
    else:  # the squared difference of two values, or of the mean ranks of two ordered categories
        ranked, rows = level == "ordinal", c.rows
        value = np.cumsum(rows, -1) - rows / 2 if ranked else _values(m, labels, level)
        middle = (rows * value).sum(-1, keepdims=True)
        middle = middle / np.maximum(rows.sum(-1, keepdims=True), _NO_RATING)
        cells, off = c.cells, value - middle
        between = np.take(off, cells.true, -1) - np.take(off, cells.predicted, -1)
        observed = (cells.values * between * between).sum(-1)
        expected = 2 * n * (rows * off * off).sum(-1)
    return _within(expected - (n - 1) * observed, expected)


_NO_RATING = 1e-300
"""Replaces the sum over no ratings, which would otherwise be a zero denominator."""
_BELOW_CHANCE = (-5.0, 1.0)
"""Where guesses are expected to be near, as with quadratic weights, raters at both ends are so far
below chance: 1 − 6 (K − 1) / (K + 1) for K classes."""
BY_ORDER = ("linear", "quadratic", "ordinal")
"""Choices that depend on the order of the classes."""


def _attainable(classes: int, weighting: Any) -> tuple[float, float]:
    """From 1 − K² max w / Σ w: all ratings are as far apart as can be, and guesses as near."""
    if classes < 2:
        return -inf, 1.0
    if isinstance(weighting, str):
        most, total = (classes - 1) ** _POWERS[weighting], _all_weights(classes, weighting)
    else:
        most, total = max(map(max, weighting)), sum(map(sum, weighting))
    return float(1 - classes**2 * most / total), 1.0


@agreement(
    tex=r"1-\frac{K^2\sum_{ij}w_{ij}C_{ij}}{n\sum_{ij}w_{ij}}",
    title="Brennan–Prediger coefficient",
    aliases=("bennett_s",),
    bounds=_BELOW_CHANCE,
    attainable=_attainable,
    raters=True,
)
def brennan_prediger(m: Margins, weighting: Weighting = "none") -> Ratio:
    """Agreement beyond that of two raters who guess each class equally often."""
    k = m.tp.shape[-1]
    return _beyond(m, weighting, m.total * m.total * _all_apart(m, weighting), k * k, open=True)


@agreement(
    tex=r"1-\frac{\sum_{ij}w_{ij}C_{ij}/(n\max w)}{1-p_e},\quad"
    r" p_e=\frac{\sum_{ij}(1-w_{ij}/\max w)}{K(K-1)}\sum_i\pi_i(1-\pi_i)",
    title="Gwet's AC1",
    aliases=("gwet_ac2",),
    bounds=_BELOW_CHANCE,
    attainable=_attainable,
    raters=True,
)
def gwet_ac1(m: Margins, weighting: Weighting = "none") -> Ratio:
    """Agreement beyond chance that is little affected by rare classes (AC2 if weighted)."""
    k, most = m.tp.shape[-1], _farthest(m, weighting)
    if k < 2:
        return m.total * 0, m.total * 0
    spread = m.either_apart  # 4 n² Σ π (1 − π)
    shared, times = k * k * most - _all_apart(m, weighting), 4 * k * (k - 1)
    expected = times * most * m.total * m.total - spread * shared
    return _beyond(m, weighting, expected, times, open=True)


@agreement(tex=r"\frac{\sum_i R_i-1}{r-1}", bounds=(-1, 1), sklearn="balanced_accuracy_score")
def adjusted_balanced_accuracy(m: Margins) -> Ratio:
    """Mean recall of the classes that have true items, rescaled so that guessing scores 0."""
    rows = m.rows
    absent = rows.real == 0
    recalls = (m.tp / (rows + absent)).sum(-1)
    return recalls - 1, np.maximum(rows.shape[-1] - 1 - absent.sum(-1), 0)


@agreement(tex=r"\frac{1}{n}\max_i C_{i\cdot}", aliases=("nir",), better="neither", smooth=False)
def no_information_rate(m: Margins) -> Ratio:
    """Accuracy of always predicting the most frequent true class."""
    return m.rows.max(-1), m.total


@agreement(
    tex=r"P\left(X\ge\textstyle\sum_i C_{ii}\right),\ X\sim\mathrm{Bin}(n,\max_i C_{i\cdot}/n)",
    title="no-information p-value",
    better="lower",
    smooth=False,
    whole=True,
)
def no_information_p_value(m: Margins) -> Ratio:
    """Probability of an accuracy this high if the true accuracy is the no-information rate."""
    from scipy.special import betainc  # slow to import

    hits, n = m.right, m.total
    p = betainc(np.maximum(hits, 1), n - hits + 1, m.rows.max(-1) / n)
    return np.where(hits > 0, p, 1.0), np.ones_like(p)


@agreement(
    tex=(
        r"\frac{n\sum_i C_{ii}-\sum_i C_{i\cdot}C_{\cdot i}}"
        r"{\sqrt{(n^2-\sum_i C_{\cdot i}^2)(n^2-\sum_i C_{i\cdot}^2)}}"
    ),
    title="MCC",
    aliases=("matthews_correlation_coefficient", "phi_coefficient", "r_k"),
    bounds=(-1, 1),
    sklearn="matthews_corrcoef",
)
def mcc(m: Margins) -> Ratio:
    """Correlation between true and predicted classes (Matthews; Gorodkin for several classes)."""
    return _within(m.together, root(m.columns_apart * m.rows_apart))


def _within(top: Array, bottom: Array) -> Ratio:
    """A ratio between -1 and 1, even where its sums are rounded differently."""
    if isinstance(bottom, float):  # a single table: the common case, and faster
        return (top if -bottom <= top <= bottom else max(min(top, bottom), -bottom)), bottom
    return np.maximum(np.minimum(top, bottom), -bottom), bottom


def _beyond(
    m: Margins, weighting: Any, expected: Array, times: int = 1, *, open: bool = False
) -> Ratio:
    """1 − times · n · observed / expected disagreement.

    It is at least −1, except with a matrix, with items that have a single rating, or if the
    expected disagreement does not depend on the raters (``open``).
    """
    top = expected - times * m.total * _disagreement(m, weighting)
    if open or not m.of_cells:
        return np.minimum(top, expected), expected
    return _within(top, expected) if isinstance(weighting, str) else (top, expected)


_POWERS = {"none": 0, "linear": 1, "quadratic": 2}


def _disagreement(m: Margins, weighting: Any) -> Array:
    """Σ w_ij C_ij with w = |i − j|^power off the diagonal, 0 on it; or with a matrix w."""
    if weighting == "none":
        return m.wrong
    if not isinstance(weighting, str):
        return of_cells(m, _weights(m, weighting))
    distance = np.arange(m.distances.shape[-1])
    total: Array = (m.distances * distance ** _POWERS[weighting]).sum(-1)
    return total


def _weights(m: Margins, weighting: Square) -> Array:
    matrix = square(m, weighting, "weighting")
    if any(weighting[i][i] for i in range(len(weighting))):
        raise DefinitionError(
            "weighting= gives the weight of each error, so its diagonal must be 0. If w are "
            "weights of agreement, pass 1 - w."
        )
    if not any(map(any, weighting)):
        raise DefinitionError("weighting= is 0 everywhere, so no error would count")
    return matrix


def _farthest(m: Margins, weighting: Any) -> Any:
    """The largest weight."""
    if not isinstance(weighting, str):
        return _weights(m, weighting).max()
    return max(m.tp.shape[-1] - 1, 1) ** _POWERS[weighting]


def _all_apart(m: Margins, weighting: Any) -> Any:
    """The sum of all weights."""
    if not isinstance(weighting, str):
        return _weights(m, weighting).sum()
    return _all_weights(m.tp.shape[-1], weighting)


def _all_weights(classes: int, weighting: str) -> int:
    """Σ 2 (K − d) d^power over the distances d from 1 to K − 1."""
    if weighting == "none":
        return classes * (classes - 1)
    linear = classes * (classes**2 - 1) // 3
    return linear if weighting == "linear" else classes * linear // 2


def _below(x: Array) -> Array:
    """The sum of the classes before each one."""
    return np.concatenate([np.zeros_like(x[..., :1]), np.cumsum(x, -1)[..., :-1]], -1)


def _apart_from(m: Margins, items: Array, weighting: Any) -> Array:
    """Σ_j w_ij items_j of each class i, using additions only: 0 if all are in one class."""
    if not isinstance(weighting, str):
        return across(items, _weights(m, weighting))
    power = _POWERS[weighting]
    return _apart(items, power) + _apart(items[..., ::-1], power)[..., ::-1]


def _apart(x: Array, power: int) -> Array:
    """Σ_{j<i} (i − j)^power x_j of each class i, for a power of 1 or 2."""
    steps = np.cumsum(_below(x), -1)
    return steps if power == 1 else np.cumsum(steps, -1) + _below(steps)


def _values(m: Margins, labels: Labels | None, level: str) -> Array:
    """The classes as numbers; their positions if the labels are unknown."""
    classes = labels or Labels.trusted(range(m.tp.shape[-1]))
    values = []
    for label in classes:
        value = as_number(label)
        if value is None:
            raise DefinitionError(
                f"level={level!r} needs numbers, but {label!r} is text. Use level='nominal', or "
                "'ordinal' with labels= in order."
            )
        if level == "ratio" and value < 0:
            raise DefinitionError(
                f"level='ratio' needs numbers of at least 0; got {value:g}. Use level='interval'."
            )
        values.append(value)
    if is_exact(m.tp):
        from fractions import Fraction  # slow to import

        return np.array([Fraction(str(x)) for x in classes], object)
    return np.array(values, np.float64)


_MOST_VALUES = 5000
"""The largest number of distinct values of which all pairs are compared."""


def _ratios(values: Array) -> Array:
    """((a − b) / (a + b))² of all pairs of values; 0 where both are 0."""
    if len(values) > _MOST_VALUES:
        raise TooLargeError(
            f"level='ratio' compares all pairs of values, but there are {len(values):,}. Round "
            f"them to at most {_MOST_VALUES:,}, or use level='interval'."
        )
    total = np.add.outer(values, values)
    ratio = np.subtract.outer(values, values) / np.where(total == 0, 1, total)
    squares: Array = ratio * ratio
    return squares


def square(m: Margins, matrix: Square, name: str) -> Array:
    """A matrix over the classes of a table, with fractions if its counts are fractions."""
    classes = m.tp.shape[-1]
    if len(matrix) != classes:
        raise DefinitionError(
            f"{name} has {numbered(len(matrix), 'row')} and columns, but there are "
            f"{numbered(classes, 'class')}. Give one "
            "for each class, in label order; declare classes that may be missing with labels=."
        )
    if is_exact(m.tp):
        from fractions import Fraction  # slow to import

        return np.array([[Fraction(x) for x in row] for row in matrix], object)
    return np.array(matrix, np.float64)


def of_cells(m: Margins, matrix: Array) -> Array:
    """Σ matrix_ij C_ij."""
    cells = m.cells
    total: Array = (cells.values * matrix[cells.true, cells.predicted]).sum(-1)
    return total


def across(items: Array, matrix: Array) -> Array:
    """Σ_j matrix_ij items_j of each class i."""
    sums: Array = (items[..., None, :] * matrix).sum(-1)
    return sums
