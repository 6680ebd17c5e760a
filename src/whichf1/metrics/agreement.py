"""Agreement: one number for the whole confusion matrix."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np

from whichf1.metrics.registry import Ratio, agreement
from whichf1.tables.cells import Array, Margins


@agreement(tex=r"\frac{1}{n}\sum_i C_{ii}", sklearn="accuracy_score")
def accuracy(m: Margins) -> Ratio:
    """Fraction of items predicted correctly."""
    return m.hits.sum(-1), m.total


@agreement(
    tex=r"1-\frac{1}{n}\sum_i C_{ii}",
    aliases=("zero_one_loss", "misclassification_rate"),
    better="lower",
    sklearn="zero_one_loss",
)
def error_rate(m: Margins) -> Ratio:
    """Fraction of items predicted incorrectly."""
    return _disagreement(m, 0), m.total


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
    expected = _expected(m.rows, m.columns, weighting)
    return expected - m.total * _disagreement(m, power), expected


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
    chance = (m.rows * m.columns).sum(-1)
    spread = _pairs(m.columns) * _pairs(m.rows)
    return m.total * m.hits.sum(-1) - chance, np.sqrt(spread)


def _disagreement(m: Margins, power: int) -> Array:
    """Σ w_ij C_ij with w = |i − j|^power off the diagonal, 0 on it."""
    distance = np.arange(m.distances.shape[-1], dtype=np.float64)
    weight = np.where(distance == 0, 0, distance**power)
    total: Array = (m.distances * weight).sum(-1)
    return total


def _below(x: Array) -> Array:
    """The sum of the classes before each one."""
    sums = np.cumsum(x, -1)
    return np.concatenate([np.zeros_like(x.real[..., :1]), sums[..., :-1]], -1)


def _above(x: Array) -> Array:
    """The sum of the classes after each one."""
    return _below(x[..., ::-1])[..., ::-1]


def _pairs(x: Array) -> Array:
    """(Σx)² − Σx² without cancellation."""
    pairs: Array = 2 * (x * _below(x)).sum(-1)
    return pairs


def _expected(rows: Array, columns: Array, weighting: str) -> Any:
    """Σ w_ij r_i c_j: the disagreement that is expected by chance."""
    if weighting == "none":  # additions only: exactly 0 if there is one class
        return (rows * (_below(columns) + _above(columns))).sum(-1)
    if weighting == "linear":  # each step between neighbours is crossed by pairs around it
        crossed = np.cumsum(rows, -1) * _above(columns) + np.cumsum(columns, -1) * _above(rows)
        return crossed.sum(-1)
    position = np.arange(rows.shape[-1], dtype=np.float64)
    n = rows.sum(-1)
    mean = ((position * (rows + columns)).sum(-1) / (2 * n)).real
    x = position - mean[..., None]  # moments about the mean limit cancellation
    square = (x**2 * (rows + columns)).sum(-1)
    return n * square - 2 * (x * rows).sum(-1) * (x * columns).sum(-1)
