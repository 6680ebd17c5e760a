"""Rows that an engine has grouped → Counts, by slice and by cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from whichf1.errors import LabelError, ShapeError
from whichf1.sources.answers.rows import (
    MEASURES,
    Origin,
    Parts,
    Row,
    Values,
    cluster_name,
    complete,
    labels_of,
    one_kind,
    slice_key,
)
from whichf1.sources.request import Request
from whichf1.tables.cells import Array
from whichf1.tables.counts import Counts
from whichf1.tables.labels import Labels, kind_of
from whichf1.tables.slices import Key, Slices, order
from whichf1.tables.units import cluster_labels


def tally(parts: Parts, columns: Request, origin: Origin) -> dict[str, Slices]:
    """The counts of each prediction column, by slice."""
    declared = None if columns.labels is None else Labels(columns.labels)
    kept = kept_rows(parts, columns, origin)
    sides = [side for pred, rows in kept.items() for side in _sides(rows, pred, columns)]
    values = labels_of(sides, origin, declared)
    slices = {}
    for at, (pred, rows) in enumerate(kept.items()):
        pair = values[2 * at : 2 * at + 2]
        slices[pred] = _slices(rows, columns, (columns.true, pred), pair, origin, declared)
    return slices


def tally_together(parts: Parts, columns: Request, origin: Origin) -> Counts:
    """The predictions of several systems on the same items."""
    declared = None if columns.labels is None else Labels(columns.labels)
    (rows,) = kept_rows(parts, columns, origin).values()
    names = (columns.true, *columns.preds)
    sides = [(name, [row[at] for row in rows]) for at, name in enumerate(names)]
    values = labels_of(sides, origin, declared)
    classes = one_kind(values, names, origin)
    counts = _counts(rows, columns, values, classes, origin)
    together: Counts = _declared(counts, declared, origin)
    return together


def kept_rows(parts: Parts, columns: Request, origin: Origin) -> dict[str, list[Row]]:
    """The complete rows of each prediction column; there is at least one."""
    if not any(parts.values()) and not origin.skipped:
        raise ShapeError(f"{origin.name} has a header and no items")
    kept = {}
    for pred, rows in parts.items():
        keys = columns.together if columns.joint else (pred,)
        kept[pred] = complete(rows, (columns.true, *keys), columns, origin)
        if not kept[pred]:
            raise ShapeError(f"{origin.name}: no items are left to count")
    return kept


def _sides(rows: list[Row], pred: str, columns: Request) -> list[tuple[str, list[Any]]]:
    at = len(columns.by)
    return [(columns.true, [row[at] for row in rows]), (pred, [row[at + 1] for row in rows])]


def _slices(
    rows: list[Row],
    columns: Request,
    names: Sequence[str],
    values: list[Values],
    origin: Origin,
    declared: Labels | None,
) -> Slices:
    classes = one_kind(values, names, origin)
    groups: dict[Key, list[Row]] = {}
    at = len(columns.by)
    for row in rows:
        groups.setdefault(slice_key(row[:at], origin.reading), []).append(row[at:])
    parts: dict[Key, Counts] = {}
    for key, group in sorted(groups.items(), key=order):
        counts = _counts(group, columns, values, classes, origin)
        parts[key] = _declared(counts, declared, origin)
    return Slices(columns.by, parts)


def _declared(found: Any, declared: Labels | None, origin: Origin) -> Any:
    if declared is None:
        return found
    try:
        return found.declare(declared)
    except LabelError as error:
        raise LabelError(f"{origin.name}: {error}") from None


def _codes(rows: list[Row], values: Sequence[Values], classes: Labels) -> list[Array]:
    code = {label: i for i, label in enumerate(classes)}
    return [
        np.array([code[value[type(row[at]), row[at]]] for row in rows], np.intp)
        for at, value in enumerate(values)
    ]


def sizes_of(rows: list[Row], weighted: bool) -> tuple[Array, Array | None]:
    """Items or sums of weights, and the sums of squared weights."""
    if not weighted:
        return np.array([row[-MEASURES] for row in rows], np.int64), None
    weight, squares = (
        np.array([row[at] for row in rows], np.float64) for at in (1 - MEASURES, 2 - MEASURES)
    )
    return weight, squares


def _counts(
    rows: list[Row], columns: Request, values: list[Values], classes: Labels, origin: Origin
) -> Counts:
    true, *predicted = _codes(rows, values, classes)
    count, squares = sizes_of(rows, columns.weights is not None)
    cluster = names = None
    if columns.cluster is not None:
        cells = [row[len(values)] for row in rows]
        cluster, names = clusters_in(cells, columns.cluster, origin)
    return Counts(
        classes,
        true,
        tuple(predicted),
        count,
        squares=squares,
        cluster=cluster,
        cluster_names=names,
        systems=columns.preds if len(predicted) > 1 else ("y_pred",),
        declared=False,
    )


def clusters_in(cells: list[Any], column: str, origin: Origin) -> tuple[Array, Labels]:
    """The code of each cluster, and their names in order."""
    names = [cluster_name(cell, origin.reading) for cell in cells]
    kinds = {kind_of(name): name for name in names}
    if len(kinds) > 1:
        x, y = list(kinds.values())[:2]
        raise LabelError(
            f"{origin.name}: column {column!r} mixes types of clusters: {x!r} and {y!r}. "
            "Use one type throughout."
        )
    ordered = cluster_labels(names)
    code = {name: at for at, name in enumerate(ordered)}
    return np.array([code[name] for name in names], np.intp), ordered
