"""Arrays as they may lie in memory: strided, backwards, unaligned, read-only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "contiguous": lambda x: x,
    "every second": lambda x: np.repeat(x, 2)[::2],
    "backwards": lambda x: x[::-1].copy()[::-1],
    "unaligned": lambda x: _unaligned(x),
    "read-only": lambda x: _read_only(x),
    "column": lambda x: np.stack([x, x], 1)[:, 1],
}


def _unaligned(values: Array) -> Array:
    raw = np.empty(values.nbytes + 1, np.uint8)
    view = raw[1:].view(values.dtype)
    view[:] = values
    return view


def _read_only(values: Array) -> Array:
    values = values.copy()
    values.flags.writeable = False
    return values
