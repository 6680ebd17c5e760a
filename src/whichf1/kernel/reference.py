"""The counting loops in NumPy: what they compute is the specification.

Cranky inside: exact shapes and dtypes, checked by the caller (``sources``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

_DENSE_CELLS = 1 << 16
"""A table up to this size is always counted densely; a larger one only if the items fill it."""


class Pairs(NamedTuple):
    """GROUP BY true, predicted: one entry per distinct pair, sorted."""

    labels: list[int]
    """The distinct labels of both columns, in order."""
    true: Array
    """Codes: positions in ``labels``."""
    predicted: Array
    count: Array  # type: ignore[assignment]  # hides tuple.count, which nobody needs here
    """int64 without weights, float64 sums of weights with them (possibly 0)."""

    def own_labels(self) -> tuple[Array, Array]:
        """The label of each pair on either side, in place of its code."""
        values = np.array(self.labels)
        return values[self.true], values[self.predicted]


def count_pairs(true: Array, predicted: Array, weights: Array | None = None) -> Pairs:
    """Count the distinct pairs of two integer or boolean arrays of one length, at least 1."""
    wide = _common_type(true, predicted)
    low = min(int(true.min()), int(predicted.min()))
    span = max(int(true.max()), int(predicted.max())) - low + 1
    if span * span <= max(_DENSE_CELLS, 4 * len(true)):
        lowest = wide.type(low)
        left, right = ((side.astype(wide) - lowest).astype(np.intp) for side in (true, predicted))
        return _dense(left, right, weights, low, span)
    both = np.concatenate([true.astype(wide), predicted.astype(wide)])
    values, codes = np.unique(both, return_inverse=True)
    n, k = len(true), len(values)
    keys, at = np.unique(codes[:n] * k + codes[n:], return_inverse=True)
    count = np.bincount(at, weights, len(keys))
    return Pairs(values.tolist(), keys // k, keys % k, count)


def coded(true: Array, predicted: Array, count: Array) -> Pairs:
    """Distinct pairs in any order, by value → sorted pairs by code."""
    values, codes = np.unique(np.concatenate([true, predicted]), return_inverse=True)
    n, k = len(true), len(values)
    order = np.argsort(codes[:n] * k + codes[n:])
    return Pairs(values.tolist(), codes[:n][order], codes[n:][order], count[order])


def _common_type(true: Array, predicted: Array) -> np.dtype[Any]:
    """An integer type of 64 bits that holds both columns."""
    for side in (true, predicted):
        if side.dtype.kind not in "iub" or side.ndim != 1:
            raise TypeError(f"labels are integers in one dimension, not {side.dtype} {side.shape}")
    if len(true) != len(predicted) or not len(true):
        raise ValueError(f"the columns hold {len(true)} and {len(predicted)} items")
    wide = np.result_type(true, predicted)
    if wide.kind == "f":
        raise TypeError("uint64 beside a signed type: one type cannot hold both")
    return np.dtype(np.uint64 if wide.kind == "u" else np.int64)


def _dense(left: Array, right: Array, weights: Array | None, low: int, span: int) -> Pairs:
    key = left * span + right
    present = np.bincount(key, minlength=span * span)
    cells = np.flatnonzero(present)
    count = present[cells] if weights is None else np.bincount(key, weights, span * span)[cells]
    row, column = np.divmod(cells, span)
    seen = np.zeros(span, np.bool_)
    seen[row] = seen[column] = True
    code = np.cumsum(seen) - 1
    labels = [low + offset for offset in np.flatnonzero(seen).tolist()]
    return Pairs(labels, code[row], code[column], count)


def count_margins(
    true: Array, predicted: Array
) -> tuple[list[int], tuple[Array, Array, Array]] | None:
    """The labels, and rows, columns and diagonal of their table; None: too many of them."""
    pairs = count_pairs(true, predicted)
    count = pairs.count.astype(np.float64)
    return pairs.labels, margins(pairs.true, pairs.predicted, count, len(pairs.labels))


def margins(
    true: Array, predicted: Array, count: Array, classes: int
) -> tuple[Array, Array, Array]:
    """Sums of float64 counts by true class, by predicted class, and of the diagonal."""
    if (
        len(true)
        and not 0 <= min(true.min(), predicted.min()) <= max(true.max(), predicted.max()) < classes
    ):
        raise ValueError("a code is not that of a class")
    right = true == predicted
    return (
        np.bincount(true, count, classes),
        np.bincount(predicted, count, classes),
        np.bincount(true[right], count[right], classes),
    )


def encode(*columns: Sequence[Any] | Array) -> tuple[list[Array], list[Any]]:
    """Codes of each column's items in one table, and the items in order of appearance."""
    table: dict[Any, int] = {}
    add = table.setdefault
    codes = []
    for column in columns:
        items = column.tolist() if isinstance(column, np.ndarray) else column
        found = (add(item, len(table)) for item in items)
        codes.append(np.fromiter(found, np.intp, len(column)))
    return codes, list(table)
