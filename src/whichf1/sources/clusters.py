"""Which cluster each item is of."""

from __future__ import annotations

from typing import Any

import numpy as np

from whichf1.errors import ShapeError
from whichf1.sources.sequences import column
from whichf1.table import Array


def cluster_codes(cluster: Any, items: int) -> Array:
    """A code for the cluster of each item: 0, 1, …, all of them in use."""
    groups = column(cluster, "cluster").values
    if len(groups) != items:
        raise ShapeError(
            f"there are {items:,} items, cluster has {len(groups):,}. Give one value for each item."
        )
    return np.unique(groups, return_inverse=True)[1]
