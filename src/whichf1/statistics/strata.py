"""The spread of a score over classes that are samples of their own, as DeLong's variance has it."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from whichf1.statistics.influence import as_items, centred, spread_on
from whichf1.statistics.ranking import Scored
from whichf1.statistics.scales import Spread
from whichf1.tables.cells import Array, Table

_STEP = 1e-2
"""By which share of its count a cell changes at most, for a second derivative."""


def spread_over(scored: Scored, items: Table) -> Spread:
    """The spread of a score over classes that are samples of their own.

    Each class has its own n/(n − 1), so that for the ROC AUC the variance is DeLong's.
    """
    slopes = centred(scored.slopes(items.count), items.count)
    spread = spread_on(slopes, items)
    if not 0 < spread.error < inf:
        return spread
    if items.cluster is None:
        error = stratified_error(slopes, items)
        times, weight = as_items(items.count, items.spread)
        parts = along = slopes * weight
    else:
        error = spread.error
        parts = np.bincount(items.cluster, items.count * slopes)
        times, along = np.ones(len(parts)), parts[items.cluster]
    square = float((times * parts**2).sum())
    curvature = _second_derivative(scored, items.count, along) / square**1.5
    return Spread(error, spread.skew, curvature, _freedom(parts, times))


def _second_derivative(scored: Scored, count: Array, along: Array) -> float:
    """How the score bends where each count changes by these shares of itself."""
    step = _STEP / float(np.abs(along).max())
    low, here, high = (
        float(scored.values(count * (1 + sign * step * along) if sign else count))
        for sign in (-1, 0, 1)
    )
    return (low - 2 * here + high) / step**2


def stratified_error(slopes: Array, items: Table) -> float:
    """The standard error of a score with these ∂score/∂count, each class a sample of its own."""
    total = np.bincount(items.true, items.count)
    sizes = total**2 / np.maximum(np.bincount(items.true, items.spread), np.finfo(float).tiny)
    present = sizes > 0
    if (sizes[present] <= 1).any():
        return inf  # a class of one item has no variance to be known
    factor = np.divide(sizes, sizes - 1, out=np.zeros(len(sizes)), where=present)
    return sqrt(float((factor[items.true] * items.spread * slopes**2).sum()))


def _freedom(parts: Array, times: Array) -> float:
    """The degrees of freedom of a variance: 2 V² / Var(V), after Satterthwaite (1946)."""
    squares = parts * parts
    square = float(np.dot(times, squares))
    uncertain = float((times * squares * squares).sum()) - square**2 / float(times.sum())
    return 2 * square**2 / uncertain if uncertain > 0 else inf
