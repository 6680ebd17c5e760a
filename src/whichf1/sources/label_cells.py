"""A dataframe or file of sets of labels → MultiLabelCounts.

A set is a cell that lists labels with a separator, a list, or a column of 0 and 1 for each label.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from whichf1.errors import InputError, LabelError, ShapeError
from whichf1.labels import Labels, from_text, plain
from whichf1.multilabel import FN, FP, TP, MultiLabelCounts
from whichf1.sources.cells import MEASURES, Origin, Reading, Row, is_missing
from whichf1.sources.columns import Columns, Wanted, one_name, one_or_several
from whichf1.sources.gathering import gather
from whichf1.sources.queries import Gap, Grouped
from whichf1.sources.tallies import clusters_of, kept_rows, sizes_of


class GroupedSets(Grouped):
    """GROUP BY two cells of labels, of which an empty one in a text file has none."""

    def gaps(
        self, found: Mapping[str, list[Row]], columns: Columns, reading: Reading
    ) -> Iterator[Gap]:
        """Columns with missing cells, or with bad weights."""
        gaps = super().gaps(found, columns, reading)
        sets = (columns.true, *columns.preds) if reading == "text" else ()
        yield from (gap for gap in gaps if gap[0] not in sets)


def count_cells(
    data: Any,
    predictions: Any = None,
    *,
    true: Any = None,
    pred: Any = None,
    sep: str | None = None,
    labels: Any = None,
    weights: Any = None,
    cluster: Any = None,
    **reading: Any,
) -> MultiLabelCounts:
    """Count the sets of labels in columns of a frame or file."""
    if sep == "":
        raise InputError("sep= is empty: say what stands between two labels, as sep=';'")
    weights, cluster = one_name(weights, "weights"), one_name(cluster, "cluster")
    if not (true is None or isinstance(true, str)):
        columns = [one_or_several(true, "true") or (), one_or_several(pred, "pred") or ()]
        own = {"weights": weights, "cluster": cluster}
        return _count_indicators(data, predictions, columns, labels, own, reading)
    preds = None if pred is None else (one_name(pred, "pred") or "",)
    wanted = Wanted(true, preds, weights, cluster=cluster)
    parts, columns_, origin = gather(data, predictions, wanted, GroupedSets(), **reading)
    both = (columns_.true, columns_.preds[0])
    if "text" in map(origin.reading_of, both):
        parts = {pred: [_filled(row, both, origin) for row in rows] for pred, rows in parts.items()}
    (rows,) = kept_rows(parts, columns_, origin).values()
    sides = [[_set(row[at], both[at], sep, origin) for row in rows] for at in (0, 1)]
    return _counted(sides, rows, columns_, origin, labels)


def _filled(row: Row, names: Sequence[str], origin: Origin) -> Row:
    """An empty cell of a text file is one without labels."""
    cells = (
        "" if value is None and origin.reading_of(name) == "text" else value
        for name, value in zip(names, row, strict=False)
    )
    return (*cells, *row[len(names) :])


def _set(cell: Any, column: str, sep: str | None, origin: Origin) -> list[Any]:
    """The labels of one cell: texts where they are to be read, or as they are."""
    how = origin.reading_of(column)
    value = json.loads(cell) if how == "json" else cell
    if isinstance(value, (list, tuple)):
        found = [_label(each, value, column, origin) for each in value]
    elif isinstance(value, str):
        if sep is None:
            raise InputError(
                f"{origin.name}: column {column!r} holds texts such as {value!r}. Say what stands "
                "between two labels: sep=';' (--labels-sep ';')."
            )
        found = [part.strip() for part in value.split(sep)] if value.strip() else []
    else:
        found = [_label(value, value, column, origin)]
    if "" in found or len(set(found)) < len(found):
        what = "an empty label" if "" in found else "a label twice"
        raise LabelError(f"{origin.name}: the cell {cell!r} lists {what}. Fix it.")
    return found


def _label(value: Any, cell: Any, column: str, origin: Origin) -> Any:
    if is_missing(value):
        raise LabelError(f"{origin.name}: the cell {cell!r} of {column!r} holds a missing label.")
    try:
        return plain(value)
    except LabelError as error:
        raise LabelError(f"{origin.name}, column {column!r}: {error}") from None


def _counted(
    sides: list[list[list[Any]]],
    rows: list[Row],
    columns: Columns,
    origin: Origin,
    labels: Any,
) -> MultiLabelCounts:
    names = (columns.true, columns.preds[0])
    declared = None if labels is None else Labels(labels)
    sides = _read(sides, names, origin, declared)
    found = {each for side in sides for cell in side for each in cell}
    kinds = {type(each): each for side in sides for cell in side for each in cell}
    if len(kinds) > 1:
        x, y = list(kinds.values())[:2]
        raise LabelError(
            f"{origin.name}: columns {' and '.join(map(repr, names))} mix label types: {x!r} and "
            f"{y!r}. Use one type throughout."
        )
    classes = Labels.sorted(found)
    code = {label: at for at, label in enumerate(classes)}
    true, predicted = ([{code[each] for each in cell} for cell in side] for side in sides)
    counts = _counts(classes, true, predicted, rows, columns, origin, declared=False)
    if declared is None:
        return counts
    try:
        return counts.declare(declared)
    except LabelError as error:
        raise LabelError(f"{origin.name}: {error}") from None


def _read(
    sides: list[list[list[Any]]], names: Sequence[str], origin: Origin, declared: Labels | None
) -> list[list[list[Any]]]:
    """Labels that are written in a text file: numbers, if all are written as one."""
    as_text = [origin.reading_of(name) == "text" for name in names]
    written = [side for side, text in zip(sides, as_text, strict=True) if text]
    texts = sorted({each for side in written for cell in side for each in cell})
    as_strings = declared is not None and declared.kind == "str"
    label = dict(zip(texts, texts if as_strings else from_text(texts), strict=True))
    return [
        [[label[x] for x in cell] for cell in side] if text else side
        for side, text in zip(sides, as_text, strict=True)
    ]


def _counts(
    labels: Labels,
    true: list[set[int]],
    predicted: list[set[int]],
    rows: list[Row],
    used: Columns,
    origin: Origin,
    *,
    declared: bool,
) -> MultiLabelCounts:
    found = [
        (at, code, TP if code in guessed and code in own else FN if code in own else FP)
        for at, (own, guessed) in enumerate(zip(true, predicted, strict=True))
        for code in own | guessed
    ]
    columns = np.array(found, np.intp).reshape(-1, 3).T
    count, squares = sizes_of(rows, used.weights is not None)
    cluster = None
    if used.cluster is not None:
        cluster = clusters_of([row[-MEASURES - 1] for row in rows], used.cluster, origin)[0]
    lines = (columns[0], columns[1], columns[2])
    return MultiLabelCounts(
        labels, lines, count, declared=declared, squares=squares, cluster=cluster
    )


def _count_indicators(
    data: Any,
    predictions: Any,
    columns: Sequence[tuple[str, ...]],
    labels: Any,
    own: dict[str, Any],
    reading: Any,
) -> MultiLabelCounts:
    """Columns of 0 and 1, the same labels in the same order on both sides."""
    (first, *more), pred = columns
    names = Labels(columns[0] if labels is None else labels)
    if not len(names) == len(columns[0]) == len(pred):
        raise ShapeError(
            f"true= has {len(columns[0])} columns, pred= has {len(pred)}, and there are "
            f"{len(names)} labels: give both sides a column for each label, in the same order"
        )
    wanted = Wanted(first, (*more, *pred), joint=True, **own)
    if predictions is not None:
        raise InputError("columns of 0 and 1 for each label are read from one file or frame")
    parts, found, origin = gather(data, None, wanted, Grouped(), **reading)
    (rows,) = kept_rows(parts, found, origin).values()
    used = (first, *more, *pred)
    cells = np.array(
        [[_bit(row[at], name, origin) for at, name in enumerate(used)] for row in rows], np.bool_
    )
    true, guessed = (
        [set(np.flatnonzero(line).tolist()) for line in side]
        for side in np.split(cells, [len(names)], axis=1)
    )
    return _counts(names, true, guessed, rows, found, origin, declared=True)


def _bit(cell: Any, column: str, origin: Origin) -> bool:
    value = json.loads(cell) if origin.reading_of(column) == "json" else cell
    value = value.item() if hasattr(value, "item") else value
    known = {"0": False, "1": True} if isinstance(value, str) else {0: False, 1: True}
    if value not in known:
        raise InputError(
            f"{origin.name}: column {column!r} holds {value!r}: a column for each label holds 0 "
            "and 1."
        )
    return known[value]
