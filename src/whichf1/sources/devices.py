"""Arrays on a device are counted there, through the array API: only a table leaves the device."""

from __future__ import annotations

from typing import Any

import numpy as np

from whichf1.sources.sequences import refuse_lengths, to_numpy
from whichf1.tables.counts import Counts
from whichf1.tables.labels import Labels

_MANY = 46_340
"""With up to this many classes, pairs fit in 31 bits, the widest integers of some libraries."""


def count_on_device(y_true: Any, y_pred: Any) -> Counts | None:
    """GROUP BY true, predicted over two arrays of integers or booleans on the same device.

    None for anything else, which is counted in memory.
    """
    xp = _namespace(y_true, y_pred)
    sides = [y_true, y_pred]
    if xp is None or y_true.device != y_pred.device or any(x.ndim != 1 for x in sides):
        return None
    flags = [xp.isdtype(x.dtype, "bool") for x in sides]
    whole = [xp.isdtype(x.dtype, "signed integer") for x in sides]
    if not (all(flags) or all(whole)):
        return None
    refuse_lengths(y_true.shape[0], y_pred.shape[0], "y_pred")
    if any(flags):
        sides = [xp.astype(x, xp.int32) for x in sides]
    return _grouped(xp, sides, bool if any(flags) else int)


def _grouped(xp: Any, sides: list[Any], kind: type) -> Counts | None:
    present = xp.unique_values(xp.concat(sides))
    k = present.shape[0]
    if k > _MANY:
        return None
    true, predicted = (xp.searchsorted(present, x) for x in sides)
    cells = xp.unique_counts(true * k + predicted)
    at, count = (to_numpy(x).astype(np.int64) for x in (cells.values, cells.counts))
    order = np.argsort(at)  # libraries need not sort distinct values
    labels = Labels.trusted([kind(x) for x in to_numpy(present).tolist()])
    columns = (*np.divmod(at[order], k), count[order])
    n = int(sides[0].shape[0])
    return Counts(labels, *columns, declared=False, in_order=True, n=n)


def _namespace(*arrays: Any) -> Any:
    """The functions of the array API for these arrays; None if they have none in common."""
    try:
        from array_api_compat import array_namespace
    except ImportError:
        return None
    try:
        return array_namespace(*arrays)
    except TypeError:  # not arrays, or arrays of two libraries
        return None
