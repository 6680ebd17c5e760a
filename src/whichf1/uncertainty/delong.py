"""DeLong's variance for systems that score the same items, and the same for losses.

The AUC is the mean, over positives, of the share of negatives that score lower (ties half). These
shares, and those of the negatives, are what varies from item to item (DeLong, DeLong and
Clarke-Pearson 1988; all of them from one sort, after Sun and Xu 2014).
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from whichf1.table import Array


class Placements(NamedTuple):
    """What each item adds to an AUC."""

    positives: Array
    """For each positive, the share of negatives below it."""
    negatives: Array
    """For each negative, the share of positives above it."""

    @property
    def auc(self) -> float:
        """The area under the ROC curve."""
        return float(self.positives.mean())

    @property
    def variance(self) -> float:
        """DeLong's variance of the AUC."""
        return _of_mean(self.positives) + _of_mean(self.negatives)

    def minus(self, other: Placements) -> Placements:
        """Item by item: its variance is that of the difference of two AUCs."""
        return Placements(self.positives - other.positives, self.negatives - other.negatives)


def _of_mean(values: Array) -> float:
    return float(values.var(ddof=1)) / len(values) if len(values) > 1 else np.inf


def placements(scores: Array, positive: Array) -> Placements:
    """The placements of each item, in the order of the items; one sort in all."""
    order = np.argsort(scores, kind="stable")
    ranked, is_positive = scores[order], positive[order]
    new = np.empty(len(order), bool)
    new[:1] = True
    np.not_equal(ranked[1:], ranked[:-1], out=new[1:])
    first = np.flatnonzero(new)
    group = np.cumsum(new) - 1
    own = np.add.reduceat(is_positive.astype(np.int64), first)
    size = np.diff(np.append(first, len(order)))
    m, n = int(own.sum()), len(order) - int(own.sum())
    negatives_below = np.cumsum(size - own) - (size - own) / 2
    positives_above = m - np.cumsum(own) + own / 2
    placed = np.empty(len(order))
    placed[order] = np.where(
        is_positive, negatives_below[group] / max(n, 1), positives_above[group] / max(m, 1)
    )
    return Placements(placed[positive], placed[~positive])


def difference_error(a: Placements, b: Placements) -> float:
    """The standard error of the difference of two AUCs on the same items."""
    return sqrt(a.minus(b).variance)


def covariance(systems: list[Placements]) -> Array:
    """DeLong's covariance matrix of the AUCs."""
    return _covariance([x.positives for x in systems]) + _covariance([x.negatives for x in systems])


def _covariance(values: list[Array], ddof: int = 1) -> Array:
    matrix: Array = np.atleast_2d(np.cov(np.stack(values), ddof=ddof)) / len(values[0])
    return matrix


def mean_covariance(systems: list[Array]) -> Array:
    """The covariance matrix of the means of several losses of the same items."""
    return _covariance(systems, ddof=0)


def mean_difference_error(a: Array, b: Array) -> float:
    """The standard error of the difference of two means over the same items."""
    return sqrt(float((a - b).var()) / len(a))
