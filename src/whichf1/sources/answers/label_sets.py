"""A dataframe or file of sets of labels → MultiLabelCounts.

A set is a cell that lists labels with a separator, a list, or a column of 0 and 1 for each label.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from whichf1.errors import InputError, LabelError, ShapeError, numbered
from whichf1.sources.answers.rows import (
    Parts,
    Values,
    by_slice,
    clusters_in,
    complete_together,
    from_json,
    labels_of,
    one_kind,
    plain_label,
    sizes_of,
)
from whichf1.sources.questions.grouped import MEASURES, Grouped
from whichf1.sources.request import (
    Origin,
    Reading,
    Request,
    Row,
    checked_separator,
    one_name,
    one_or_several,
    refuse_separator,
)
from whichf1.sources.sequences import is_missing
from whichf1.tables.cells import Array
from whichf1.tables.label_sets import MultiLabelCounts, outcomes
from whichf1.tables.labels import Labels
from whichf1.tables.slices import Key, Slices
from whichf1.tables.units import refuse_undeclared


def count_cells(
    data: Any,
    predictions: Any = None,
    *,
    true: Any = None,
    pred: Any = None,
    **options: Any,
) -> MultiLabelCounts:
    """Count the sets of labels in columns of a frame or file."""
    counts: Any = slice_cells(data, predictions, true=true, pred=pred, **options).whole
    return counts  # type: ignore[no-any-return]


def slice_cells(
    data: Any, predictions: Any = None, *, true: Any = None, pred: Any = None, **options: Any
) -> Slices:
    """Count the sets of labels of each slice; all have the classes of the whole."""
    single = true is None or isinstance(true, str)
    columns = one_or_several(one_name(pred, "pred") if single else pred, "pred")
    return read_sets(data, predictions, true, None if columns is None else [columns], **options)


def read_sets(
    data: Any,
    predictions: Any,
    true: Any,
    systems: Sequence[tuple[str, ...]] | None,
    *,
    sep: str | None = None,
    labels: Any = None,
    **options: Any,
) -> Slices:
    """GROUP BY slice, true set, the set of each system, and cluster, where the data is.

    A system has a column of sets, or as many columns of 0 and 1 as ``true`` names.
    """
    sep = checked_separator(sep)
    if true is None or isinstance(true, str):
        preds = None if systems is None else tuple(name for (name,) in systems)
        request = Request.of(true=true, pred=preds, labels=labels, joint=True, **options)
        return tally_sets(*Grouped().gather(data, predictions, request), sep)
    refuse_separator(sep)
    if predictions is not None:
        raise InputError("columns of 0 and 1 for each label must be in one file or frame")
    names = one_or_several(true, "true") or ()
    declared = Labels(names if labels is None else labels)
    refuse_widths(names, systems or [()], declared)
    bits = [*names[1:], *chain(*systems or ())]
    request = Request.of(true=names[0], pred=bits, labels=declared, joint=True, **options)
    return _tally_bits(*Grouped().gather(data, None, request))


def refuse_widths(
    true: Sequence[str], systems: Sequence[Sequence[str]], labels: Sequence[Any]
) -> None:
    """Raise unless every side has a column for each label."""
    for pred in systems:
        if not len(labels) == len(true) == len(pred) > 0:
            raise ShapeError(
                f"true= names {numbered(len(true), 'column')}, the predictions have {len(pred)} "
                f"({', '.join(pred)}), and there are {numbered(len(labels), 'label')}: both "
                "sides need a "
                "column for each label, in the same order"
            )


def tally_sets(parts: Parts, columns: Request, origin: Origin, sep: str | None = None) -> Slices:
    """The sets of the items and of each system, by slice; all have the classes of the whole."""
    rows, at = _complete(parts, columns, origin), len(columns.by)
    whole = _sets([row[at:] for row in rows], columns, origin, columns.labels, sep)
    slices: dict[Key, Any] = {} if columns.by else {(): whole}
    for key, some in by_slice(rows, columns, origin) if columns.by else ():
        sets = _sets(some, columns, origin, whole.labels, sep)
        slices[key] = sets.changed(declared=whole.declared)
    return Slices(columns.by, slices)


def _complete(parts: Parts, columns: Request, origin: Origin) -> list[Row]:
    """The complete rows; an empty cell of a text file has no labels."""
    names = enumerate((columns.true, *columns.preds), len(columns.by))
    texts = {at for at, name in names if origin.reading_of(name) == "text"}
    filled = {
        key: [
            tuple("" if x is None and at in texts else x for at, x in enumerate(row))
            for row in rows
        ]
        for key, rows in parts.items()
    }
    return complete_together(filled, columns, origin)


def _sets(
    rows: list[Row], columns: Request, origin: Origin, labels: Any, sep: str | None
) -> MultiLabelCounts:
    names = (columns.true, *columns.preds)
    cells = [[row[at] for row in rows] for at in range(len(names))]
    keys, classes = keys_of_cells(cells, names, origin, labels, sep)
    return _together(classes, keys, rows, columns, origin, declared=labels is not None)


def keys_of_cells(
    cells: Sequence[Sequence[Any]],
    names: Sequence[str],
    origin: Origin,
    labels: Any,
    sep: str | None,
) -> tuple[list[Array], Labels]:
    """Which items have which labels, in each of the columns of cells that list labels.

    A key is a number for an item and a label; those of a column are sorted and distinct.
    """
    sides = [
        [_set(cell, name, sep, origin) for cell in column]
        for name, column in zip(names, cells, strict=True)
    ]
    how: list[Reading] = ["text" if origin.reading_of(x) == "text" else "typed" for x in names]
    distinct = [chain(*side) for side in sides]
    values = labels_of([*zip(names, how, distinct, strict=True)], origin, labels)
    classes = one_kind(values, names, origin)
    if labels is not None:
        declared = Labels(labels)
        try:
            refuse_undeclared(classes, declared)
        except LabelError as error:
            raise LabelError(f"{origin.name}: {error}") from None
        classes = declared
    return [_keys(side, value, classes) for side, value in zip(sides, values, strict=True)], classes


def hold_lists(parts: Parts, columns: Request, origin: Origin) -> bool:
    """Whether cells are lists, and therefore sets of labels."""
    width = len(columns.by)
    readings = [origin.reading_of(name) for name in (columns.true, *columns.preds)]
    return any(
        isinstance(cell, (list, tuple)) or (how == "json" and str(cell).lstrip().startswith("["))
        for rows in parts.values()
        for row in rows
        for cell, how in zip(row[width:], readings, strict=False)
    )


def _set(cell: Any, column: str, sep: str | None, origin: Origin) -> list[Any]:
    """The labels of one cell: texts still to be read, or labels."""
    how = origin.reading_of(column)
    value = from_json(cell) if how == "json" else cell
    parts = value if isinstance(value, (list, tuple)) else [value]
    if isinstance(value, str):
        if sep is None:
            raise InputError(
                f"{origin.name}: column {column!r} holds texts such as {value!r}. Name the "
                f"separator "
                "between labels: sep=';' (--labels-sep ';')."
            )
        parts = [part.strip() for part in value.split(sep)] if value.strip() else []
    if any(map(is_missing, parts)):
        raise LabelError(f"{origin.name}: the cell {value!r} of {column!r} holds a missing label.")
    labels = [plain_label(part, column, origin) for part in parts]
    if "" in labels or len(set(labels)) < len(labels):
        what = "an empty label" if "" in labels else "a label twice"
        raise LabelError(f"{origin.name}: the cell {cell!r} lists {what}. Fix it.")
    return labels


def _keys(side: list[list[Any]], values: Values, classes: Labels) -> Array:
    """A number for each item and label, sorted and distinct."""
    code = {label: at for at, label in enumerate(classes)}
    item = np.repeat(np.arange(len(side)), [len(cell) for cell in side])
    label = np.array([code[values[type(x), x]] for cell in side for x in cell], np.intp)
    return np.unique(item * len(classes) + label)


def _tally_bits(parts: Parts, columns: Request, origin: Origin) -> Slices:
    """Columns of 0 and 1, the same labels in the same order for the items and each system."""
    sliced = by_slice(complete_together(parts, columns, origin), columns, origin)
    slices: dict[Key, Any] = {key: _bits(some, columns, origin) for key, some in sliced}
    return Slices(columns.by, slices)


def _bits(rows: list[Row], columns: Request, origin: Origin) -> MultiLabelCounts:
    labels: Labels = columns.labels
    names = (columns.true, *columns.preds)
    bits = np.array(
        [[read_bit(row[at], name, origin) for at, name in enumerate(names)] for row in rows],
        np.bool_,
    )
    sides = np.split(bits, len(names) // len(labels), axis=1)
    keys = [np.flatnonzero(side) for side in sides]
    return _together(labels, keys, rows, columns, origin, declared=True)


def _together(
    labels: Labels,
    keys: list[Array],
    rows: list[Row],
    columns: Request,
    origin: Origin,
    *,
    declared: bool,
) -> MultiLabelCounts:
    count, squares = sizes_of(rows, columns)
    measure: dict[str, Any] = {"count": count, "squares": squares}
    if columns.cluster is not None:
        cells = [row[-MEASURES - 1] for row in rows]
        cluster, names = clusters_in(cells, columns.cluster, origin)
        measure |= {"cluster": cluster, "cluster_names": names}
    width = (1 + len(columns.preds)) // len(keys)
    systems = columns.preds[width - 1 :: width]  # each named after its first column
    lines = outcomes(keys[0], keys[1:], len(labels))
    return MultiLabelCounts(labels, lines, declared=declared, systems=tuple(systems), **measure)


def read_bit(cell: Any, column: str, origin: Origin) -> bool:
    """A cell of a column of 0 and 1."""
    written = isinstance(cell, str) and origin.reading_of(column) == "json"
    value = from_json(cell) if written else cell
    value = value.item() if hasattr(value, "item") else value
    known = {"0": False, "1": True} if isinstance(value, str) else {0: False, 1: True}
    if value not in known:
        raise InputError(
            f"{origin.name}: column {column!r} holds {value!r}: a column for each label holds 0 "
            "and 1."
        )
    return known[value]
