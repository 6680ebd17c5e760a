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
    """GROUP BY true, predicted: one entry per distinct pair, sorted, with the values themselves."""

    true: Array
    predicted: Array
    count: Array  # type: ignore[assignment]  # hides tuple.count, which nobody needs here
    """int64 without weights, float64 sums of weights with them (possibly 0)."""


def count_pairs(true: Array, predicted: Array, weights: Array | None = None) -> Pairs:
    """Count the distinct pairs of two integer arrays of one dtype and length, at least 1."""
    low = min(int(true.min()), int(predicted.min()))
    span = max(int(true.max()), int(predicted.max())) - low + 1
    if span * span <= max(_DENSE_CELLS, 4 * len(true)):
        return _dense(true, predicted, weights, low, span)
    values, codes = np.unique(np.concatenate([true, predicted]), return_inverse=True)
    n, k = len(true), len(values)
    keys, at = np.unique(codes[:n] * k + codes[n:], return_inverse=True)
    return Pairs(values[keys // k], values[keys % k], np.bincount(at, weights, len(keys)))


def _dense(true: Array, predicted: Array, weights: Array | None, low: int, span: int) -> Pairs:
    wide = np.promote_types(true.dtype, np.int64) if true.dtype != np.uint64 else true.dtype
    lowest = wide.type(low)
    key = (true.astype(wide) - lowest).astype(np.intp) * span
    key += (predicted.astype(wide) - lowest).astype(np.intp)
    present = np.bincount(key, minlength=span * span)
    cells = np.flatnonzero(present)
    count = present[cells] if weights is None else np.bincount(key, weights, span * span)[cells]
    row, column = (codes.astype(wide) + lowest for codes in np.divmod(cells, span))
    return Pairs(row.astype(true.dtype), column.astype(true.dtype), count)


def encode(*columns: Sequence[str] | Array) -> tuple[list[Array], list[str]]:
    """Codes of each column's strings in one table, and the strings in order of appearance."""
    table: dict[str, int] = {}
    add = table.setdefault
    codes = [
        np.fromiter((add(item, len(table)) for item in column), np.intp, len(column))
        for column in columns
    ]
    return codes, list(table)
