"""Which cluster each item is of."""

from __future__ import annotations

from typing import Any

import numpy as np

from whichf1.errors import ShapeError
from whichf1.sources.sequences import column
from whichf1.tables.cells import Array
from whichf1.tables.units import cluster_labels


def cluster_codes(cluster: Any, items: int) -> Array:
    """A code for the cluster of each item: 0, 1, …, all of them in use."""
    groups = column(cluster, "cluster")
    if len(groups.values) != items:
        raise ShapeError(
            f"there are {items:,} items, cluster has {len(groups.values):,}. "
            "Give one value for each item."
        )
    names, codes = np.unique(groups.values, return_inverse=True)
    if groups.kind == "str":
        codes = cluster_labels(names.tolist()).codes(names.tolist())[codes]
    return codes
