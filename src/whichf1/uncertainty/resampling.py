"""Resampling from the cells, never from rows.

Drawing n items with replacement is one multinomial draw over the non-zero cells, so a replicate
costs as much as there are cells, whatever n is. Clusters are drawn whole. Weighted items of a cell
are drawn as S²/Q equal items of weight Q/S (S = Σw, Q = Σw²) with a Poisson number of them, which
has the mean and variance of resampling the items themselves.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import isfinite
from statistics import NormalDist
from typing import Any

import numpy as np

from whichf1.definition import Definition, Frozen
from whichf1.intervals import Bootstrap, Interval
from whichf1.table import Array, Margins, Table, sum_by
from whichf1.uncertainty.influence import cell_slopes

CHUNK = 1 << 18
"""Numbers drawn at a time: what stays in the cache."""
LONG = 1 << 28
"""Draws from which on a progress bar is shown on a terminal."""
MATRIX = 1 << 22
"""Indicator matrices up to this size; beyond, cells are summed in sorted order."""


def generator(seed: int) -> np.random.Generator:
    """The generator of a seed: the same on every machine, whatever NumPy's default becomes."""
    return np.random.Generator(np.random.PCG64(seed))


def draws(table: Table, replicates: int, rng: np.random.Generator) -> Iterator[Array]:
    """Replicates of the cells' counts, in chunks (some replicates, cells)."""
    width = len(table.count) if table.cluster is None else len(table.count) + _groups(table)
    step = max(1, min(replicates, CHUNK // max(width, 1)))
    with progress(replicates, replicates * width) as advance:
        for start in range(0, replicates, step):
            size = min(step, replicates - start)
            yield _draw(table, size, rng)
            advance(size)


def _groups(table: Table) -> int:
    return 0 if table.cluster is None else int(table.cluster.max()) + 1


def _draw(table: Table, size: int, rng: np.random.Generator) -> Array:
    if table.cluster is not None:
        groups = _groups(table)
        times = rng.multinomial(groups, np.full(groups, 1 / groups), size)
        return times[:, table.cluster] * table.count
    if table.squares is not None:
        items, weight = table.count**2 / table.squares, table.squares / table.count
        return rng.poisson(items, (size, len(items))) * weight
    n = table.count.sum()
    return rng.multinomial(int(n), table.count / n, size).astype(np.float64)


@contextmanager
def progress(steps: int, work: int) -> Iterator[Any]:
    """A function that moves a bar, shown on a terminal while resampling takes long."""
    if work < LONG or not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("resampling", total=steps)
        yield lambda done: bar.advance(task, done)


class Summed:
    """Cells → margins of several systems that share them, for a batch in one matrix product."""

    def __init__(
        self, true: Array, predicted: Sequence[Array], classes: int, weighted: bool = False
    ) -> None:
        self._true, self._predicted, self._classes = true, predicted, classes
        self._product: Array | None = None
        small = len(true) * classes * (1 + 3 * len(predicted)) <= MATRIX and classes <= 64
        if small and not weighted:  # whole numbers add up exactly in any order, on any threads
            self._product = np.concatenate([self._indicator(*pair) for pair in self._pairs()], 1)

    def _pairs(self) -> Iterator[tuple[Array, Any]]:
        """Rows, then columns, hits and distances of each system."""
        yield self._true, 1.0
        for predicted in self._predicted:
            yield predicted, 1.0
            yield predicted, (predicted == self._true).astype(np.float64)
            yield np.abs(predicted - self._true), 1.0

    def _indicator(self, codes: Array, value: Any) -> Array:
        matrix = np.zeros((len(codes), self._classes))
        matrix[np.arange(len(codes)), codes] = value
        return matrix

    def __call__(self, count: Array) -> list[Margins]:
        """The margins of each system, from counts (…, cells)."""
        if self._product is not None:
            sums = count @ self._product
            parts = np.split(sums, 1 + 3 * len(self._predicted), -1)
        else:
            parts = [
                sum_by(codes, count if isinstance(v, float) else count * v, self._classes)
                for codes, v in self._pairs()
            ]
        rows, rest = parts[0], parts[1:]
        return [Margins(rows, *rest[at : at + 3]) for at in range(0, len(rest), 3)]


def replicated(definition: Definition, frozen: Frozen, method: Bootstrap) -> Array:
    """The score on every replicate (replicates, values)."""
    table = frozen.table
    summed = Summed(
        table.true, [table.predicted], table.classes, table.squares is not None
    )
    rng = generator(method.seed)
    parts = [
        definition.values(frozen, summed(count)[0])
        for count in draws(table, method.replicates, rng)
    ]
    return np.concatenate(parts).reshape(method.replicates, -1)


def bootstrap_intervals(
    definition: Definition, frozen: Frozen, values: Array, method: Bootstrap
) -> list[Interval | None]:
    """One interval for each value; None where replicates do not vary, or the value is undefined."""
    return [
        _interval(definition, frozen, float(value), column, at, method)
        for at, (value, column) in enumerate(
            zip(values, replicated(definition, frozen, method).T, strict=True)
        )
    ]


def _interval(
    definition: Definition, frozen: Frozen, value: float, column: Array, at: int, method: Bootstrap
) -> Interval | None:
    defined = column[~np.isnan(column)]
    if not isfinite(value) or not len(defined) or defined.min() == defined.max():
        return None
    tails = (1 - method.level) / 2, (1 + method.level) / 2
    if method.kind == "bca":
        skew = _acceleration(cell_slopes(definition, frozen, at), frozen.table)
        tails = bca_tails(defined, value, skew, tails)
    with np.errstate(invalid="ignore"):  # an infinite replicate at the edge of a ratio
        low, high = np.quantile(defined, tails, method="weibull").tolist()
    if not (isfinite(low) and isfinite(high)):
        return None
    return Interval(low, high, method.level, method.word, len(column) - len(defined))


def bca_tails(
    replicates: Array, value: float, skew: float, tails: tuple[float, float]
) -> tuple[float, float]:
    """Which quantiles to take, corrected for bias and acceleration (Efron 1987)."""
    normal, size = NormalDist(), len(replicates)
    below = (replicates < value).sum() + (replicates == value).sum() / 2
    bias = normal.inv_cdf(min(max(below / size, 1 / (size + 1)), size / (size + 1)))

    def moved(tail: float) -> float:
        z = bias + normal.inv_cdf(tail)
        return normal.cdf(bias + z / (1 - skew * z))

    return moved(tails[0]), moved(tails[1])


def _acceleration(slopes: Array, table: Table) -> float:
    """Σψ³ / (6 (Σψ²)^1.5) over the items, or over the clusters."""
    times, each = table.count, slopes
    if table.cluster is not None:
        each = np.bincount(table.cluster, table.count * slopes)
        times = np.ones(len(each))
    elif table.squares is not None:
        times, each = table.count**2 / table.squares, slopes * table.squares / table.count
    square = float((times * each**2).sum())
    return float((times * each**3).sum()) / (6 * square**1.5) if square > 0 else 0.0
