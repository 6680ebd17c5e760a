"""The predictions of several systems on the same items → Counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from whichf1 import kernel
from whichf1.errors import InputError, LabelError, ShapeError
from whichf1.sources.sequences import Column, column, weights_column
from whichf1.tables.cells import Array
from whichf1.tables.counts import Counts
from whichf1.tables.labels import Labels
from whichf1.tables.units import cluster_labels


def count_together(
    y_true: Any,
    systems: Mapping[str, Any],
    *,
    labels: Any = None,
    weights: Any = None,
    cluster: Any = None,
) -> Counts:
    """GROUP BY true, the prediction of each system, and cluster, over columns in memory."""
    if not systems:
        raise InputError("there are no systems: give a mapping of names to predictions")
    true = column(y_true, "y_true")
    columns = [true, *(column(each, str(name)) for name, each in systems.items())]
    for each in columns[1:]:
        _refuse_misfit(true, each)
    if not len(true.values):
        raise ShapeError("there are no items: y_true is empty")
    weight = None if weights is None else weights_column(weights, len(true.values))
    codes, observed = _encode(columns)
    keys, sizes, clusters = codes, [len(observed)] * len(codes), None
    if cluster is not None:
        groups = column(cluster, "cluster")
        _refuse_length(true, groups)
        (group_codes,), found = _encode([groups])
        clusters = cluster_labels(found)
        if clusters != found:
            group_codes = clusters.codes(found)[group_codes]
        keys, sizes = [*codes, group_codes], [*sizes, len(clusters)]
    cells, count, squares = _group(keys, sizes, weight)
    counts = Counts(
        observed,
        cells[0],
        tuple(cells[1 : len(columns)]),
        count,
        squares=squares,
        cluster=None if clusters is None else cells[-1],
        cluster_names=clusters,
        systems=tuple(map(str, systems)),
        declared=False,
    )
    return counts if labels is None else counts.declare(Labels(labels))


def _refuse_misfit(true: Column, other: Column) -> None:
    _refuse_length(true, other)
    if len(true.values) and true.kind != other.kind:
        first, second = (side.values[:1].tolist()[0] for side in (true, other))
        raise LabelError(
            f"label types differ: y_true[0] is {first!r} ({true.kind}), {other.name}[0] is "
            f"{second!r} ({other.kind}). Convert one of them, so that equal classes are equal "
            "values."
        )


def _refuse_length(true: Column, other: Column) -> None:
    if len(true.values) != len(other.values):
        raise ShapeError(
            f"y_true has {len(true.values):,} items, {other.name} has {len(other.values):,}. "
            "Give one value for each item."
        )


def _encode(columns: Sequence[Column]) -> tuple[list[Array], Labels]:
    """Codes of every column into the classes that occur, in order."""
    if columns[0].kind == "str":
        codes, texts = kernel.encode(*(each.values.tolist() for each in columns))
        order = np.array(sorted(range(len(texts)), key=texts.__getitem__), np.intp)
        rank = np.empty(len(order), np.intp)
        rank[order] = np.arange(len(order))
        return [rank[each] for each in codes], Labels.trusted(sorted(texts))
    values = [each.values for each in columns]
    low, high = min(int(x.min()) for x in values), max(int(x.max()) for x in values)
    make = bool if columns[0].kind == "bool" else int
    if high - low < max(1 << 16, len(values[0])) and abs(low) < 1 << 62:
        shifted = [x.astype(np.intp) - low for x in values]
        present = np.zeros(high - low + 1, bool)
        for x in shifted:
            present[x] = True
        rank = np.cumsum(present) - 1
        found = np.flatnonzero(present)
        if len(found) < len(present):
            shifted = [rank[x] for x in shifted]
        return shifted, Labels.trusted(make(low + x) for x in found.tolist())
    found, at = np.unique(np.concatenate(values), return_inverse=True)
    return np.split(at, len(values)), Labels.trusted(make(x) for x in found.tolist())


def _group(
    keys: Sequence[Array], sizes: Sequence[int], weights: Array | None
) -> tuple[list[Array], Array, Array | None]:
    """GROUP BY the keys: their distinct combinations, items or weights in each, and Σw²."""
    n, space = len(keys[0]), prod(sizes)
    if space <= max(1 << 16, n):
        at = np.ravel_multi_index(tuple(keys), tuple(sizes)) if len(keys) > 1 else keys[0]
        present = np.bincount(at, minlength=space)
        cells = np.flatnonzero(present)
        columns = [np.asarray(x) for x in np.unravel_index(cells, tuple(sizes))]
        if weights is None:
            return columns, present[cells], None
        sums, squares = (np.bincount(at, w, space)[cells] for w in (weights, weights**2))
    else:
        first, at = _distinct(keys, sizes)
        columns = [key[first] for key in keys]
        if weights is None:
            return columns, np.bincount(at, minlength=len(first)), None
        sums, squares = (np.bincount(at, w, len(first)) for w in (weights, weights**2))
    keep = sums > 0  # items without weight are no items
    return [x[keep] for x in columns], sums[keep], squares[keep]


def _distinct(keys: Sequence[Array], sizes: Sequence[int]) -> tuple[Array, Array]:
    """The first item of each combination, and the combination of each item."""
    key, size = keys[0].astype(np.int64), sizes[0]
    for other, more in zip(keys[1:], sizes[1:], strict=True):
        if size * more >= 1 << 62:
            found, key = np.unique(key, return_inverse=True)
            size = len(found)
        key, size = key * more + other, size * more
    _, first, at = np.unique(key, return_index=True, return_inverse=True)
    return first, at
