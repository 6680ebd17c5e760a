"""Resampling from the cells, never from rows.

Drawing n items with replacement is one multinomial draw over the non-zero cells, so a replicate
costs as much as there are cells, whatever n is. Clusters are drawn whole. Weighted items of a cell
are drawn as S²/Q equal items of weight Q/S (S = Σw, Q = Σw²) with a Poisson number of them, which
has the mean and variance of resampling the items themselves.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import isfinite
from statistics import NormalDist
from typing import Any

import numpy as np

from whichf1.definitions.class_sets import Frozen
from whichf1.definitions.definition import Definition
from whichf1.definitions.methods import Bootstrap, Interval
from whichf1.statistics.influence import as_items, cell_slopes, spread_on
from whichf1.statistics.label_sets import item_slopes
from whichf1.statistics.scales import NONE
from whichf1.tables.cells import Array, Margins, Table, sum_by

CHUNK = 1 << 18
"""Numbers drawn at a time: what stays in the cache."""
LONG = 1 << 25
"""Draws, of a second or two, from which on a progress bar is shown on a terminal."""
FEW_CELLS = 1 << 14
"""Up to here cells are summed class by class; beyond, in sorted order."""


def generator(seed: int) -> np.random.Generator:
    """The generator of a seed: the same on every machine, whatever NumPy's default becomes."""
    return np.random.Generator(np.random.PCG64(seed))


def draws(table: Table, replicates: int, rng: np.random.Generator) -> Iterator[Array]:
    """Replicates of the cells' counts, in chunks (some replicates, cells)."""
    width = len(table.count) + table.clusters
    step = max(1, min(replicates, CHUNK // max(width, 1)))
    with progress(replicates, replicates * width) as advance:
        for start in range(0, replicates, step):
            size = min(step, replicates - start)
            yield _draw(table, size, rng)
            advance(size)


def _draw(table: Table, size: int, rng: np.random.Generator) -> Array:
    if table.cluster is not None:
        groups = table.clusters
        times = rng.multinomial(groups, np.full(groups, 1 / groups), size)
        return times[:, table.cluster] * table.count
    if table.squares is not None:
        items, weight = as_items(table.count, table.squares)
        return rng.poisson(items, (size, len(items))) * weight
    n = table.count.sum()
    return rng.multinomial(int(n), table.count / n, size)


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


class Sums:
    """Sums of cells by several codes at once, for a batch of replicates.

    Replicates stand side by side in memory, so that a sum over the cells of a class adds whole
    vectors; nothing here depends on the number of threads.
    """

    def __init__(self, parts: Sequence[tuple[Array, Array | None]], classes: int) -> None:
        """Each part is a code for every cell, and which cells it takes (None: all)."""
        self._parts, self._classes = parts, classes
        cells = len(parts[0][0])
        self._cells: list[list[Array]] | None = None
        if classes <= 64 and cells <= FEW_CELLS:
            self._cells = [self._by_class(*part) for part in parts]

    def _by_class(self, codes: Array, chosen: Array | None) -> list[Array]:
        kept = np.ones(len(codes), bool) if chosen is None else chosen
        return [np.flatnonzero((codes == k) & kept) for k in range(self._classes)]

    def __call__(self, count: Array) -> list[Array]:
        """The sums of each part (replicates, classes), from counts (replicates, cells)."""
        if self._cells is None:
            wide = count.astype(np.float64)
            return [
                sum_by(codes, wide, self._classes)
                if chosen is None
                else sum_by(codes[chosen], wide[:, chosen], self._classes)
                for codes, chosen in self._parts
            ]
        across = np.ascontiguousarray(count.T)
        found = []
        for by_class in self._cells:
            sums = np.empty((self._classes, len(count)))
            for k, cells in enumerate(by_class):
                sums[k] = across[cells[0]] if len(cells) == 1 else across[cells].sum(0)
            found.append(sums.T)
        return found


class Summed:
    """Cells → margins of several systems that share them."""

    def __init__(
        self, true: Array, predicted: Sequence[Array], classes: int, *, distances: bool = True
    ) -> None:
        parts: list[tuple[Array, Array | None]] = [(true, None)]
        for codes in predicted:
            parts += [(codes, None), (true, codes == true)]
            parts += [(np.abs(codes - true), None)] if distances else []
        self._sums, self._each = Sums(parts, classes), 3 if distances else 2

    def __call__(self, count: Array) -> list[Margins]:
        """The margins of each system, from counts (replicates, cells)."""
        rows, *rest = self._sums(count)
        systems = [rest[at : at + self._each] for at in range(0, len(rest), self._each)]
        return [Margins(rows, columns, hits, (*more, hits)[0]) for columns, hits, *more in systems]


def replicated(definition: Definition, frozen: Frozen, method: Bootstrap) -> Array:
    """The score on every replicate (replicates, values)."""
    table, rng = frozen.table, generator(method.seed)
    batch: Callable[[Array], Any]
    if isinstance(table, Table):
        distances = definition.declaration.kind == "agreement"
        summed = Summed(table.true, [table.predicted], table.classes, distances=distances)
        items = table

        def batch(count: Array) -> Any:
            return summed(count)[0]
    else:  # sets of labels: kinds of items are drawn
        items = table.drawn

        def batch(count: Array) -> Any:
            return replace(table, count=count.astype(np.float64))

    parts = [
        definition.values(frozen, batch(count)) for count in draws(items, method.replicates, rng)
    ]
    return np.concatenate(parts).reshape(method.replicates, -1)


def bootstrap_intervals(
    definition: Definition, frozen: Frozen, values: Array, method: Bootstrap
) -> list[Interval | None]:
    """One interval for each value; None where replicates do not vary, or the value is undefined."""
    columns = replicated(definition, frozen, method).T
    found = []
    for at, (value, column) in enumerate(zip(values.tolist(), columns, strict=True)):
        skew = None
        if method.kind == "bca":
            skew = _acceleration(definition, frozen, at)
        found.append(percentile_interval(column, value, method, skew))
    return found


def percentile_interval(
    replicates: Array, value: float, method: Bootstrap, skew: float | None = None
) -> Interval | None:
    """The interval of replicates; with a skew, bias-corrected and accelerated."""
    defined = replicates[~np.isnan(replicates)]
    if not isfinite(value) or not len(defined) or defined.min() == defined.max():
        return None
    tails = (1 - method.level) / 2, (1 + method.level) / 2
    if skew is not None:
        tails = bca_tails(defined, value, skew, tails)
    with np.errstate(invalid="ignore"):  # an infinite replicate at the edge of a ratio
        low, high = np.quantile(defined, tails, method="weibull").tolist()
    if not (isfinite(low) and isfinite(high)) or high - low <= NONE:
        return None
    return Interval(low, high, method.level, method.word, len(replicates) - len(defined))


def bca_tails(
    replicates: Array, value: float, skew: float, tails: tuple[float, float]
) -> tuple[float, float]:
    """Which quantiles to take, corrected for bias and acceleration (Efron 1987)."""
    normal, size = NormalDist(), len(replicates)
    equal = np.abs(replicates - value) <= NONE  # rounding must not decide
    below = ((replicates < value) & ~equal).sum() + equal.sum() / 2
    bias = normal.inv_cdf(min(max(below / size, 1 / (size + 1)), size / (size + 1)))

    def moved(tail: float) -> float:
        z = bias + normal.inv_cdf(tail)
        return normal.cdf(bias + z / (1 - skew * z))

    return moved(tails[0]), moved(tails[1])


def _acceleration(definition: Definition, frozen: Frozen, at: int) -> float:
    """A sixth of the skewness over the items, or over the clusters (Efron 1987)."""
    own = cell_slopes if isinstance(frozen.table, Table) else item_slopes
    return (spread_on(own(definition, frozen, at), frozen.table).skew or 0.0) / 6
