"""Random confusion matrices, and what formulas see of many at once."""

from __future__ import annotations

import numpy as np

from whichf1.tables.cells import Array, Margins


def random_matrices(rng: np.random.Generator, number: int, k: int) -> Array:
    """Matrices (number, k, k): sparse, even and huge; with empty rows, columns and classes."""
    scale = rng.choice([0.1, 1, 30, 1e4, 1e9], size=(number, 1, 1))
    tables: Array = rng.poisson(scale * rng.choice([0, 0.2, 1, 5], size=(number, k, k)))
    for at, table in enumerate(tables):
        if at % 3 == 0:
            table[rng.integers(k)] = 0
        if at % 4 == 0:
            table[:, rng.integers(k)] = 0
        if at % 5 == 0:
            empty = rng.integers(k)
            table[empty], table[:, empty] = 0, 0
        if at % 7 == 0:
            np.fill_diagonal(table, 0)
        if table.sum() == 0:
            table[0, -1] = 1
    return tables


def margins(tables: Array) -> Margins:
    """What formulas see of whole tables (…, k, k)."""
    floats, k = tables.astype(np.float64), tables.shape[-1]
    tp = np.diagonal(floats, axis1=-2, axis2=-1).copy()
    fp, fn = floats.sum(-2) - tp, floats.sum(-1) - tp
    apart = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    distances = np.stack([floats[..., apart == d].sum(-1) for d in range(k)], -1)
    return Margins(tp, fp, fn, None, distances)
