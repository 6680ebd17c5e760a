"""The spread of the ROC AUC of a ranking, from sums over its scores.

Each positive has the share of negatives below it, each negative the share of positives above it
(ties half): how far these are from their mean, the area, is what an item gives. So the variance of
DeLong, DeLong and Clarke-Pearson (1988), the skewness and the bend need no derivatives, and are
what ``ranked.spread_over`` finds with them, at a fraction of the cost.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from whichf1.statistics.scales import Spread
from whichf1.tables.cells import Array, RankTable


def area_spread(table: RankTable, area: float) -> Spread:
    """The spread of the ROC AUC ``area`` of counts without weights."""
    positives, negatives = (float(x) for x in table.sizes)
    pairs = positives * negatives
    squares, cube, fourth, bend, before = [0.0, 0.0], 0.0, 0.0, 0.0, 0.0
    for step in table.steps():
        up = _linear(step.fp, step.negatives, -1 / pairs, (1 - area) / positives)
        down = _linear(step.tp, step.positives, 1 / pairs, -area / negatives)
        downs = step.negatives * down
        passed = np.cumsum(downs)
        downs *= 0.5
        downs -= passed
        downs -= before
        # of all negatives the sum is 0: what lies below is what was not passed yet
        bend += float(np.dot(step.positives * up, downs))
        before += float(passed[-1])
        for side, (part, count) in enumerate(((up, step.positives), (down, step.negatives))):
            power = part * part
            squares[side] += float(np.dot(count, power))
            moved = count * power
            cube += float(np.dot(moved, part))
            fourth += float(np.dot(moved, power))
    square = sum(squares)
    if not square:
        return Spread(0.0, None)
    error = sqrt(_corrected(squares[0], positives) + _corrected(squares[1], negatives))
    uncertain = fourth - square**2 / (positives + negatives)
    return Spread(
        error,
        cube / square**1.5,
        2 * bend / pairs / square**1.5,
        2 * square**2 / uncertain if uncertain > 0 else inf,
    )


def _linear(above: Array, own: Array, slope: float, start: float) -> Array:
    """start + slope·(items of the other class above, ties half)."""
    values: Array = own * -0.5
    values += above
    values *= slope
    values += start
    return values


def _corrected(square: float, n: float) -> float:
    """A class of one item has no variance to be known."""
    return square * n / (n - 1) if n > 1 else inf
