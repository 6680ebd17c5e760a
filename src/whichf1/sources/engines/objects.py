"""Columns of Python objects in memory: lists of labels, and labels of several types."""

from __future__ import annotations

from typing import Any

import numpy as np

from whichf1.errors import LabelError
from whichf1.sources.answers.rows import Row, is_missing, merged
from whichf1.sources.request import Columns
from whichf1.tables.labels import kind_of

SEVERAL = (list, tuple, set, frozenset, np.ndarray)
"""What a cell is that holds several labels."""


def holds_lists(series: Any) -> bool:
    """Whether the cells of a column in memory are lists, which not every library can group."""
    import narwhals as nw

    if series.dtype != nw.Object:
        return isinstance(series.dtype, (nw.List, nw.Array))
    first = next((x for x in series.to_list() if isinstance(x, SEVERAL) or not is_missing(x)), None)
    return isinstance(first, SEVERAL)


def group_lists(selected: Any, keys: int, columns: Columns) -> list[Row]:
    """The rows of a small table with columns k0, k1, … and w, some of them lists."""
    cells = [map(_listed, selected[f"k{at}"].to_list()) for at in range(keys)]
    if columns.weights is None:
        return merged((*row, 1, 0.0, 0.0, 0) for row in zip(*cells, strict=True))
    weights = ((w, w is not None and 0 <= w < np.inf) for w in selected["w"].to_list())
    measures = ((1, w, w * w, 0) if good else (1, 0.0, 0.0, 1) for w, good in weights)
    return merged((*row, *own) for row, own in zip(zip(*cells, strict=True), measures, strict=True))


def _listed(cell: Any) -> Any:
    if isinstance(cell, (set, frozenset)):
        return sorted(cell, key=str)
    return list(cell) if isinstance(cell, SEVERAL) else cell


def refuse_mixed_objects(frame: Any, columns: Columns) -> None:
    """pandas' object columns group 1, True and 1.0 together: refuse what is not of one kind."""
    import narwhals as nw

    for name in (columns.true, *columns.preds):
        if frame[name].dtype != nw.Object or holds_lists(frame[name]):
            continue
        values = frame[name].to_numpy()
        kinds: dict[Any, int] = {}
        for type_ in set(map(type, values)):
            at = next(i for i, value in enumerate(values) if type(value) is type_)
            if not is_missing(values[at]):
                kind = kind_of(values[at])
                kinds[kind] = min(at, kinds.get(kind, at))
        if len(kinds) > 1:
            first, second = sorted(kinds.values())[:2]
            raise LabelError(
                f"column {name!r} mixes label types: row {first} holds {values[first]!r} "
                f"({type(values[first]).__name__}), row {second} {values[second]!r} "
                f"({type(values[second]).__name__}). Use one type throughout."
            )
