"""Dense confusion matrices: what may be one, and what is too large to be made by accident."""

from __future__ import annotations

from typing import Any

import numpy as np

from whichf1.errors import InputError, ShapeError, TooLargeError
from whichf1.tables.cells import Array

DENSE_BYTES = 1 << 30
"""A dense table larger than this (1 GiB) is refused."""


def refuse_dense(size: int, what: str) -> None:
    """Raise if a dense array of ``size`` bytes is more than a session should get by accident."""
    if size > DENSE_BYTES:
        raise TooLargeError(
            f"{what} would need {size / 1e9:,.1f} GB. Use the sparse columns "
            "counts.true, counts.predicted and counts.count."
        )


def square_of_counts(matrix: Any) -> Array:
    """A confusion matrix as integers: square, whole and not negative."""
    try:
        table = np.asarray(matrix)
    except ValueError:
        table = np.empty(0, object)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not table.size:
        raise ShapeError(
            "a confusion matrix is square, with at least one class; "
            f"got shape {table.shape if table.dtype != object else 'ragged'}"
        )
    if table.dtype.kind not in "iuf":
        raise InputError(f"a confusion matrix holds counts; got dtype {table.dtype}")
    wrong = ~np.isfinite(table) | (table < 0) | (table != np.floor(table)) | (table >= 2.0**63)
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        raise InputError(
            f"cell [{row}, {column}] is {table[row, column]}: counts are whole and not negative. "
            "For weighted items use count(..., weights=)."
        )
    return table.astype(np.int64)
