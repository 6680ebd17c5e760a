"""Columns of strings as codes into their distinct values, without a look at each item in Python.

Lists, tuples and arrays of strings are encoded by the kernel; pandas, polars and Arrow columns
bring or make their own dictionaries.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from whichf1 import kernel
from whichf1.tables.cells import Array


class Dictionary(NamedTuple):
    """A column as values and, for each item, the position of its value; None: one by one."""

    values: Any
    positions: Array | None = None


def encode_columns(*columns: Any) -> tuple[list[Array], list[Any]] | None:
    """Codes of each column into one list of distinct labels, all strings or all integers.

    None where a column is of another kind, or where its items have to be checked one by one, to
    say what is wrong with them.
    """
    sides = []
    for column in columns:
        side = _dictionary(column)
        if side is None:
            return None
        sides.append(side)
    try:
        codes, labels = kernel.encode(*(side.values for side in sides))
    except TypeError:  # an item that cannot be hashed
        return None
    if set(map(type, labels)) not in ({str}, {int}):
        return None
    spread = (
        code if side.positions is None else code[side.positions]
        for side, code in zip(sides, codes, strict=True)
    )
    return list(spread), labels


def _dictionary(column: Any) -> Dictionary | None:
    if isinstance(column, np.ndarray):
        plain = column.ndim == 1 and len(column) and column.dtype.kind in "UO"
        return Dictionary(column) if plain and isinstance(column[0], str) else None
    if isinstance(column, (list, tuple)):
        return Dictionary(column) if column and type(column[0]) is str else None
    for library, make in (("pandas", _pandas), ("polars", _polars), ("pyarrow", _arrow)):
        module = sys.modules.get(library)
        if module is not None:
            found = make(module, column)
            if found is not None:
                return found
    return None


def _pandas(pandas: Any, column: Any) -> Dictionary | None:
    if not isinstance(column, (pandas.Series, pandas.Index, pandas.Categorical)):
        return None
    if getattr(column.dtype, "kind", None) != "O":  # numbers and booleans need no dictionary
        return None
    if isinstance(column.dtype, pandas.CategoricalDtype):
        own = column if isinstance(column, pandas.Categorical) else column.array
        return _of(own.categories.tolist(), own.codes)
    if column.dtype == object and len(column) and type(column.iloc[0]) is str:
        return Dictionary(column.to_numpy())
    try:
        positions, values = column.factorize()
    except TypeError:  # an item that cannot be hashed
        return None
    return _of(values.tolist(), positions)


def _polars(polars: Any, column: Any) -> Dictionary | None:
    if not isinstance(column, polars.Series) or column.null_count():
        return None
    if column.dtype not in (polars.String, polars.Categorical, polars.Enum):
        return None
    own = column.cast(polars.Categorical) if column.dtype == polars.String else column
    distinct = own.unique()
    places = distinct.to_physical().to_numpy()
    if not len(places):
        return None
    rank = np.zeros(int(places.max()) + 1, np.intp)
    rank[places] = np.arange(len(places))
    return Dictionary(distinct.cast(polars.String).to_list(), rank[own.to_physical().to_numpy()])


def _arrow(arrow: Any, column: Any) -> Dictionary | None:
    if not isinstance(column, (arrow.Array, arrow.ChunkedArray)) or column.null_count:
        return None
    kind = column.type
    if not (arrow.types.is_dictionary(kind) or kind in (arrow.string(), arrow.large_string())):
        return None
    chunks = arrow.chunked_array(column).dictionary_encode().unify_dictionaries().chunks
    if not chunks:
        return None
    positions = [chunk.indices.to_numpy(zero_copy_only=False) for chunk in chunks]
    return _of(chunks[0].dictionary.to_pylist(), np.concatenate(positions))


def _of(values: Sequence[Any], positions: Array) -> Dictionary | None:
    """Only the values that occur: a declared category without items is no observed class."""
    if not len(positions) or positions.min() < 0:  # a missing item: named by the slow way
        return None
    seen = np.flatnonzero(np.bincount(positions, minlength=len(values)))
    if len(seen) == len(values):
        return Dictionary(list(values), positions)
    rank = np.zeros(len(values), np.intp)
    rank[seen] = np.arange(len(seen))
    return Dictionary([values[at] for at in seen.tolist()], rank[positions])
