"""Agreement: one number for the whole confusion matrix."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from whichf1.metrics.registry import Ratio, agreement
from whichf1.tables.cells import Array, Margins, root


@agreement(tex=r"\frac{1}{n}\sum_i C_{ii}", sklearn="accuracy_score")
def accuracy(m: Margins) -> Ratio:
    """Fraction of items predicted correctly."""
    return m.tp.sum(-1), m.total


@agreement(
    tex=r"1-\frac{1}{n}\sum_i C_{ii}",
    aliases=("zero_one_loss", "misclassification_rate"),
    better="lower",
    sklearn="zero_one_loss",
)
def error_rate(m: Margins) -> Ratio:
    """Fraction of items predicted incorrectly."""
    return m.fn.sum(-1), m.total


@agreement(
    tex=r"1-\frac{n\sum_{ij}w_{ij}C_{ij}}{\sum_{ij}w_{ij}\,C_{i\cdot}\,C_{\cdot j}}",
    title="Cohen's kappa",
    aliases=("kappa",),
    bounds=(-1, 1),
    sklearn="cohen_kappa_score",
)
def cohen_kappa(
    m: Margins,
    weighting: Annotated[
        Literal["none", "linear", "quadratic"],
        "How an error grows with the distance between the two classes in label order.",
    ] = "none",
) -> Ratio:
    """Agreement beyond chance, optionally weighted by the distance between classes."""
    power = {"none": 0, "linear": 1, "quadratic": 2}[weighting]
    expected = (m.rows * _predicted_apart(m, power)).sum(-1)
    return _within(expected - m.total * _disagreement(m, power), expected)


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
    """Correlation between true and predicted classes (Matthews; Gorodkin's for several classes)."""
    # n Σ C_ii − Σ C_i· C_·i and n² − Σ C_·i², without a difference of large numbers
    together = (m.tp * m.tn - m.fp * m.fn).sum(-1)
    spread = (m.columns * (m.tn + m.fn)).sum(-1) * (m.rows * (m.tn + m.fp)).sum(-1)
    return _within(together, root(spread))


def _within(top: Array, bottom: Array) -> Ratio:
    """A ratio of at most 1 in size, also where sums are rounded differently."""
    return np.maximum(np.minimum(top, bottom), -bottom), bottom


def _disagreement(m: Margins, power: int) -> Array:
    """Σ w_ij C_ij with w = |i − j|^power off the diagonal, 0 on it."""
    if power == 0:
        wrong: Array = m.fn.sum(-1)
        return wrong
    distance = np.arange(m.distances.shape[-1])
    total: Array = (m.distances * distance**power).sum(-1)
    return total


def _below(x: Array) -> Array:
    """The sum of the classes before each one."""
    return np.concatenate([np.zeros_like(x[..., :1]), np.cumsum(x, -1)[..., :-1]], -1)


def _predicted_apart(m: Margins, power: int) -> Array:
    """Σ_{j≠i} |i − j|^power C_·j of each class i, by additions alone: 0 if all are in one class."""
    if power == 0:
        return m.tn + m.fn
    return _apart(m.columns, power) + _apart(m.columns[..., ::-1], power)[..., ::-1]


def _apart(x: Array, power: int) -> Array:
    """Σ_{j<i} (i − j)^power x_j of each class i, for a power of 1 or 2."""
    steps = np.cumsum(_below(x), -1)
    return steps if power == 1 else np.cumsum(steps, -1) + _below(steps)
