"""The loops over scores and probabilities in NumPy: what they compute is the specification.

Cranky inside: exact shapes and dtypes, checked by the caller (``sources``).
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

TOLERANCE = 1e-3
"""How far the probabilities of an item may be from adding up to 1: as if rounded to 3 decimals."""
_CHUNK = 1 << 16
"""Items worked on at a time, so that no temporary array is as long as the data."""


class Ranks(NamedTuple):
    """GROUP BY score: distinct scores, highest first, with the items that have them."""

    score: Array
    positives: Array
    negatives: Array
    """Both int32, int64 from 2³¹ items on, or float64 sums of weights."""


class Sums(NamedTuple):
    """A quantity of each item, summed up."""

    n: int
    total: float
    squares: float
    fair: bool = True
    """Whether every row that was looked at is a distribution over the classes."""


def rank_table(scores: Array, positive: Array, weights: Array | None = None) -> Ranks:
    """Count positives and negatives by score, from float64 scores without NaN and booleans.

    Sorts a copy of the scores and, apart, those of the smaller class: with the three results that
    stays within 2.5 times the size of the scores, where an argsort alone would take two.
    """
    if weights is not None:
        return _weighted(scores, positive, weights)
    distinct, total = _runs(scores.copy())
    few = bool(2 * np.count_nonzero(positive) <= len(scores))
    own, count = _runs(scores[positive if few else ~positive])
    part = np.zeros_like(total)
    for start in range(0, len(own), _CHUNK):
        chunk = slice(start, start + _CHUNK)
        part[np.searchsorted(distinct, own[chunk])] = count[chunk]
    total -= part
    positives, negatives = (part, total) if few else (total, part)
    return Ranks(distinct[::-1], positives[::-1], negatives[::-1])


def _runs(values: Array) -> tuple[Array, Array]:
    """Distinct values ascending and how often each occurs; sorts and compacts in place."""
    values += 0.0  # −0.0 becomes 0.0
    values.sort()
    width = np.int32 if len(values) < 2**31 else np.int64
    first: Array = np.empty(len(values), np.bool_)
    first[:1] = True
    np.not_equal(values[1:], values[:-1], out=first[1:])
    distinct = int(np.count_nonzero(first))
    count = np.empty(distinct, width)
    at = 0
    for start in range(0, len(values), _CHUNK):
        new = np.flatnonzero(first[start : start + _CHUNK]) + start
        values[at : at + len(new)] = values[new]
        count[at : at + len(new)] = new
        at += len(new)
    count[:-1] = np.diff(count)  # from where each run starts to how long it is
    count[-1:] = len(values) - count[-1:]
    return (values if distinct == len(values) else values[:distinct].copy()), count


def _weighted(scores: Array, positive: Array, weights: Array) -> Ranks:
    distinct, at = np.unique(scores + 0.0, return_inverse=True)
    total = len(distinct)
    positives = np.bincount(at, weights * positive, total)
    negatives = np.bincount(at, weights * ~positive, total)
    return Ranks(distinct[::-1], positives[::-1], negatives[::-1])


def loss_sums(codes: Array, probabilities: Array, floor: float) -> Sums:
    """Σ and Σ² of −ln(p of the true class), where a p below ``floor`` counts as ``floor``."""
    total = squares = 0.0
    fair = first_bad_row(probabilities) == len(probabilities)
    for start in range(0, len(codes), _CHUNK):
        rows = slice(start, start + _CHUNK)
        own = np.take_along_axis(probabilities[rows], codes[rows, None], 1)[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):  # a floor of 0: an infinite loss
            loss = -np.log(np.maximum(own, floor))
        total += float(loss.sum())
        squares += float(np.dot(loss, loss))
    return Sums(len(codes), total, squares, fair)


def brier_sums(codes: Array, probabilities: Array) -> Sums:
    """Σ and Σ² of the squared distance between an item's probabilities and its class."""
    total = squares = 0.0
    fair = first_bad_row(probabilities) == len(probabilities)
    for start in range(0, len(codes), _CHUNK):
        rows = slice(start, start + _CHUNK)
        off = np.array(probabilities[rows], np.float64)
        off[np.arange(len(off)), codes[rows]] -= 1
        loss = np.einsum("ij,ij->i", off, off)
        total += float(loss.sum())
        squares += float(np.dot(loss, loss))
    return Sums(len(codes), total, squares, fair)


def first_bad_row(probabilities: Array, tolerance: float = TOLERANCE) -> int:
    """The first row outside [0, 1] or off 1 by more than the tolerance; else how many there are."""
    for start in range(0, len(probabilities), _CHUNK):
        rows = probabilities[start : start + _CHUNK]
        fine = ((rows >= 0) & (rows <= 1)).all(1) & (np.abs(rows.sum(1) - 1) <= tolerance)
        if not fine.all():
            return start + int(np.argmin(fine))
    return len(probabilities)
