"""Means of class sizes by the size of each class, such as Σ p_c² with p the shares of classes.

Such a score is a product of two kinds of shares, p of the true and q of the true or the predicted
classes. Where classes are of equal size its slope vanishes, and what is left is the square of the
sampling error: the score is biased, and varies by its second derivatives. Both are known, because
there are no others.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from whichf1.statistics.sample import Sample
from whichf1.statistics.scales import Smoothed, Spread
from whichf1.tables.cells import Array, Table

MOST_NUMBERS = 1 << 22
"""Beyond, no matrix of classes, or of clusters and classes, is made."""


def fits(table: Table, sample: Sample) -> bool:
    """Whether the matrices behind the interval are small enough."""
    return max(table.classes, sample.clusters) * table.classes <= MOST_NUMBERS


def product_of_sizes(table: Table, other: Array, sample: Sample) -> Smoothed:
    """The twin of Σ p_c q_c: p is the share of items in a class, q that of ``other`` codes.

    With u what an item adds to first order, the variance is Σu² plus half the squared second
    derivatives over all pairs of items. It changes with the score, about in proportion, so that
    the scale is that of a square root.
    """
    total = float(sample.count.sum())
    of_true, of_other = (
        np.bincount(x, sample.count, table.classes) / total for x in (table.true, other)
    )
    value = float(of_true @ of_other)
    slope = (of_other[table.true] + of_true[other] - 2 * value) / total
    moved = _moved(table.true, other, table.classes, sample, slope, (of_true, of_other))
    among, between, across = moved.covariances
    bias = float(np.trace(across)) / total**2
    second = (float((among * between).sum()) + float((across * across.T).sum())) / total**4
    spread = sample.smoothed_spread(slope.__getitem__, (0.0, 0.0))
    first = spread.error**2
    growth = 4 * float(moved.true @ moved.other) / total**2 + moved.cubes
    most = 4 * float(np.abs(across).max()) / total**2
    growth = min(max(growth / first, -most), most) if first > 0 else most
    error = sqrt(first + second)
    return Smoothed(value - bias, Spread(error, freedom=spread.freedom), "root", growth / 4)


class _Moved(NamedTuple):
    """How the sizes of classes vary."""

    covariances: tuple[Array, Array, Array]
    """Of the true classes, of the other ones, and of both."""
    true: Array
    """How far each class moves along with the score …"""
    other: Array
    """… and each of the other ones."""
    cubes: float
    """Σu³ over what is drawn at once: items, or clusters."""


def _moved(
    true: Array,
    other: Array,
    classes: int,
    sample: Sample,
    slope: Array,
    shares: tuple[Array, Array],
) -> _Moved:
    if sample.cluster is None:
        squares = np.bincount(true * classes + other, sample.variances, classes**2)
        pairs = squares.reshape(classes, classes)
        sums = pairs.sum(1), pairs.sum(0)
        matrices = (np.diag(sums[0]), 0, 0), (np.diag(sums[1]), 1, 1), (pairs, 0, 1)
        whole = float(squares.sum())
        among, between, across = (
            each
            - np.outer(sums[a], shares[b])
            - np.outer(shares[a], sums[b])
            + whole * np.outer(shares[a], shares[b])
            for each, a, b in matrices
        )
        part = sample.variances * slope
        toward = [np.bincount(codes, part, classes) for codes in (true, other)]
        cubes = float((part * slope**2) @ sample.equal_items[1])
        return _Moved((among, between, across), toward[0], toward[1], cubes)
    cluster, clusters = sample.cluster, sample.clusters
    size = np.bincount(cluster, sample.count, clusters)
    sizes = [
        np.bincount(cluster * classes + codes, sample.count, clusters * classes).reshape(
            clusters, classes
        )
        for codes in (true, other)
    ]
    sums_of_slopes = np.bincount(cluster, sample.count * slope, clusters)
    toward = [sums_of_slopes @ each for each in sizes]
    one, two = (each - np.outer(size, share) for each, share in zip(sizes, shares, strict=True))
    cubes = float((sums_of_slopes**3).sum())
    return _Moved((one.T @ one, two.T @ two, one.T @ two), toward[0], toward[1], cubes)
