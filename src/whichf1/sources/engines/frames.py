"""Any dataframe, asked where it lives: pandas, polars, pyarrow, DuckDB, Ibis, Dask and PySpark.

The rows never leave the frame's engine: only the answer to a question does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whichf1.errors import InputError, LabelError, WeightError
from whichf1.sources.arrays import count_arrays, count_codes, reviewed
from whichf1.sources.engines.database import plain_columns
from whichf1.sources.request import Answer, Origin, Request, Row, known_frame
from whichf1.sources.request import narwhals as nw
from whichf1.sources.sequences import encode_columns, is_missing
from whichf1.tables.labels import kind_of
from whichf1.tables.slices import Slices

if TYPE_CHECKING:
    from whichf1.sources.questions.grouped import Question

WIDE = ("Int128", "UInt128")
"""Integers that NumPy does not have."""
MOST = float(np.finfo(np.float64).max)
SEVERAL = (list, tuple, set, frozenset, np.ndarray)
"""The types of a cell that holds several labels."""


def gather_frame(
    data: Any, request: Request, question: Question, origin: Origin | None = None
) -> Answer:
    """The answer to a question for the frame."""
    frame, name = known_frame(data)
    origin = origin or Origin(name)
    columns = request.find(column_names(frame), origin.name)
    _refuse_text(frame, columns, origin)
    return question.of_frame(frame, columns), columns, origin


def _refuse_text(frame: Any, columns: Request, origin: Origin) -> None:
    """Raise for scores and weights that are not numbers, before an engine fails on them."""
    schema = frame.collect_schema()
    for name in columns.numbers:
        kind = schema[name]
        if kind.is_numeric() or kind in (nw.Boolean, nw.Object, nw.Unknown):
            continue
        told = f"{origin.name}: column {name!r} holds {kind}"
        if name == columns.weights:
            raise WeightError(
                f"{told}: weights must be finite numbers and not negative. Convert it first."
            )
        raise InputError(f"{told}: scores must be numbers. Convert it first.")


def column_names(frame: Any) -> list[str]:
    """The names of its columns."""
    try:
        if isinstance(frame, nw.DataFrame):
            return frame.columns
        return list(frame.collect_schema().names())
    except Exception as error:
        raise InputError(f"this frame's columns cannot be read: {error}. Rename them.") from None


def quick_counts(data: Any, request: Request) -> dict[str, Slices] | None:
    """Count data in memory with the array kernel, texts by their dictionaries; None for others."""
    frame, name = known_frame(data)
    other = request.by or request.cluster or request.whole
    if not isinstance(frame, nw.DataFrame) or other or not len(frame):
        return None
    columns = request.find(column_names(frame), name)
    series = {name: frame[name] for name in (columns.true, *columns.preds)}
    kinds = (nw.String, nw.Categorical, nw.Enum)
    slow = frame.implementation.is_pandas_like()  # others group texts faster on their own
    texts = slow and all(each.dtype in kinds for each in series.values())
    for each in series.values():
        narrow = each.dtype.is_integer() and str(each.dtype) not in WIDE
        whole = narrow or each.dtype == nw.Boolean
        if not (texts or whole) or _has_gaps(each):
            return None
    weights = None if columns.weights is None else frame[columns.weights]
    if weights is not None and (not weights.dtype.is_numeric() or weights.null_count()):
        return None
    weight = None if weights is None else weights.to_numpy()
    if texts:
        encoded = encode_columns(*(x.to_native() for x in series.values()))
        if encoded is None or request.labels is not None:
            return None  # the engine's table names what is not text
        code = dict(zip(series, encoded[0], strict=True))
        true = code[columns.true]
        counts = [
            reviewed(count_codes(true, code[pred], encoded[1], weight)) for pred in columns.preds
        ]
    else:
        true = series[columns.true].to_numpy()
        counts = [
            count_arrays(true, series[pred].to_numpy(), labels=request.labels, weights=weight)
            for pred in columns.preds
        ]
    return {pred: Slices((), {(): each}) for pred, each in zip(columns.preds, counts, strict=True)}


def _has_gaps(series: Any) -> bool:
    """Whether a value is missing; NumPy's integers and booleans cannot be."""
    kind = getattr(series.to_native(), "dtype", None)
    plain = isinstance(kind, np.dtype) and kind.kind != "O"
    return not plain and series.null_count() > 0


def plain_rows(result: Any) -> list[Row]:
    """A small table as plain rows."""
    columns = columns_of(result)
    plain = (x.tolist() if isinstance(x, np.ndarray) else x for x in columns)
    return [*zip(*plain, strict=True)]


def columns_of(result: Any) -> list[Any]:
    """The columns of a table, each engine in its own way."""
    native = nw.to_native(result)
    if result.implementation.is_duckdb():  # collecting through Arrow prints messages at exit
        return plain_columns(native)
    if result.implementation.is_ibis():
        ask = getattr(native.get_backend(), "ask", None)
        if ask is not None:  # a database that is queried on its own connection
            return ask(native)  # type: ignore[no-any-return]
    if result.implementation.is_pyspark():
        rows = [tuple(row) for row in native.collect()]
        return [list(column) for column in zip(*rows, strict=True)] or [[]] * len(native.columns)
    table = result.collect() if isinstance(result, nw.LazyFrame) else result
    return [_column(table[name]) for name in table.columns]


def _column(series: Any) -> Any:
    numeric = series.dtype.is_numeric() or series.dtype == nw.Boolean
    if not numeric or str(series.dtype) in WIDE or series.null_count():
        return series.to_list()
    return series.to_numpy()


def by_partition(native: Any, columns: Request, ask: Any, merge: Any) -> Any:
    """Ask each partition and merge in a tree, on Dask's own scheduler; no shuffle."""
    from importlib import import_module

    dask: Any = import_module("dask")  # its exports are not declared
    parts = [
        dask.delayed(_ask_partition)(part, columns, ask)
        for part in native[columns.used].to_delayed()
    ]
    parts = [dask.delayed(merge)(parts[i : i + 1]) for i in range(len(parts))]
    while len(parts) > 1:
        parts = [dask.delayed(merge)(parts[i : i + 8]) for i in range(0, len(parts), 8)]
    (result,) = dask.compute(parts[0])
    return result


def _ask_partition(part: Any, columns: Request, ask: Any) -> Any:
    return ask(nw.from_native(part), columns)


def seen(column: Any) -> Any:
    """A column of floats that can be tested for NaN.

    A Parquet file does not record NaN in the bounds of a column, so DuckDB (2.0) assumes that no
    value is NaN; inside a condition, it knows no bounds.
    """
    return nw.when(~column.is_null()).then(column)


def is_number(column: Any) -> Any:
    """Whether a float is present and finite: NaN compares as the greatest number, or not at all."""
    return (seen(column) <= MOST) & (seen(column) >= -MOST)


def holds_lists(series: Any) -> bool:
    """Whether the cells of a column in memory are lists, which some libraries cannot group."""
    if series.dtype != nw.Object:
        return isinstance(series.dtype, (nw.List, nw.Array))
    first = next((x for x in series.to_list() if isinstance(x, SEVERAL) or not is_missing(x)), None)
    return isinstance(first, SEVERAL)


def refuse_mixed_objects(frame: Any, columns: Request) -> None:
    """pandas' object columns group 1, True and 1.0 together: refuse what is not of one kind."""
    true = () if columns.alone else (columns.true,)
    for name in (*true, *(() if columns.scores else columns.preds)):
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
