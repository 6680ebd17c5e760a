"""Costs: what each pair of a true and a predicted class costs, from a matrix or by distance."""

from __future__ import annotations

from math import inf
from typing import Annotated, TypeAlias

import numpy as np

from whichf1.metrics.agreement import across, of_cells, square
from whichf1.metrics.registry import Ratio, Square, agreement
from whichf1.tables.cells import Array, Margins

Costs: TypeAlias = Annotated[
    Square | None,
    "The cost of each decision: a row for each true class, a column for each predicted class, in "
    "label order. By default, every error costs 1.",
]


def lowest_and_highest(_: int, costs: Square | None) -> tuple[float, float]:
    """The costs of the cheapest and of the most expensive decision."""
    if costs is None:
        return 0.0, 1.0
    return min(map(min, costs)), max(map(max, costs))


@agreement(
    tex=r"\frac{1}{n}\sum_{ij}c_{ij}\,C_{ij}",
    bounds=(0, inf),
    attainable=lowest_and_highest,
    better="lower",
)
def expected_cost(m: Margins, costs: Costs = None) -> Ratio:
    """Mean cost of the decisions (Ferrer 2022)."""
    return of_cells(m, _costs(m, costs)), m.total


@agreement(
    tex=r"\frac{\sum_{ij}c_{ij}\,C_{ij}}{\min_j\sum_i c_{ij}\,C_{i\cdot}}",
    bounds=(0, inf),
    better="lower",
)
def normalized_expected_cost(m: Margins, costs: Costs = None) -> Ratio:
    """Mean cost of the decisions divided by that of the best constant decision (Ferrer 2022)."""
    matrix = _costs(m, costs)
    constant = across(m.rows, matrix.T)
    plain = np.asarray(constant.real)
    best = np.arange(plain.shape[-1]) == np.argmin(plain, -1)[..., None]
    return of_cells(m, matrix), np.where(best, constant, 0).sum(-1)


@agreement(
    tex=r"\frac{1}{r}\sum_i\frac{1}{C_{i\cdot}}\sum_j|i-j|\,C_{ij}",
    title="macro-averaged absolute error",
    aliases=("macro_averaged_mae",),
    bounds=(0, inf),
    attainable=lambda classes: (0, classes - 1),
    better="lower",
)
def macro_mae(m: Margins) -> Ratio:
    """Mean absolute error in label order within each true class, averaged over these classes."""
    cells, rows = m.cells, m.rows
    present = rows.real > 0
    distance = np.abs(cells.true - cells.predicted)
    size = np.take(rows if present.all() else np.where(present, rows, 1), cells.true, -1)
    return (cells.values * distance / size).sum(-1), present.sum(-1)


def _costs(m: Margins, costs: Square | None) -> Array:
    return (
        1 - np.eye(m.tp.shape[-1], dtype=np.int64) if costs is None else square(m, costs, "costs")
    )
