"""Any dataframe → Counts, by one question that the frame's own engine answers.

The rows never leave the engine: only the grouped table does. Written once with narwhals, for
pandas, polars, pyarrow, DuckDB relations, Ibis, Dask and PySpark.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from whichf1.errors import WeightError
from whichf1.sources.answers.rows import Origin, Row, merged
from whichf1.sources.arrays import count_arrays, count_codes
from whichf1.sources.dictionaries import encode_columns
from whichf1.sources.engines.frame_kinds import column_names, known_frame, seen
from whichf1.sources.engines.objects import group_lists, holds_lists, refuse_mixed_objects
from whichf1.sources.questions.grouped import Question, grouping_sets, of_each
from whichf1.sources.request import Columns, Wanted
from whichf1.tables.slices import Slices


def gather_frame(
    data: Any, wanted: Wanted, question: Question, origin: Origin | None = None
) -> tuple[dict[str, list[Any]], Columns, Origin]:
    """What a question gives for the frame."""
    frame, name = known_frame(data)
    origin = origin or Origin(name)
    columns = wanted.find(column_names(frame), origin.name)
    _refuse_weights(frame, columns, origin)
    if not frame.implementation.is_pyspark():
        return question.of_frame(frame, columns), columns, origin
    spelled, short, back = _by_position(frame.to_native(), columns)
    found = question.of_frame(short, spelled)
    return {back.get(key, key): each for key, each in found.items()}, columns, origin


def _refuse_weights(frame: Any, columns: Columns, origin: Origin) -> None:
    """Raise for weights that are no numbers, before an engine stumbles over them."""
    import narwhals as nw

    if columns.weights is None:
        return
    kind = frame.collect_schema()[columns.weights]
    if not (kind.is_numeric() or kind in (nw.Boolean, nw.Object, nw.Unknown)):
        raise WeightError(
            f"{origin.name}: column {columns.weights!r} holds {kind}: weights are finite numbers "
            "and not negative. Convert it first."
        )


def _by_position(native: Any, columns: Columns) -> tuple[Columns, Any, dict[str, str]]:
    """Names by position: to Spark, a dot in a name means a field of a structure."""
    import narwhals as nw

    short = {name: f"c{at}" for at, name in enumerate(native.columns)}
    spelled = replace(
        columns,
        true=short[columns.true],
        preds=tuple(short[pred] for pred in columns.preds),
        weights=columns.weights and short[columns.weights],
        by=tuple(short[name] for name in columns.by),
        cluster=columns.cluster and short[columns.cluster],
    )
    renamed = nw.from_native(native.toDF(*short.values()))
    return spelled, renamed, {code: name for name, code in short.items()}


def group_by_engine(frame: Any, columns: Columns) -> dict[str, list[Row]]:
    """The rows of each prediction column, grouped where the frame lives."""
    engine = frame.implementation
    if engine.is_dask():
        return by_partition(frame.to_native(), columns, group, _merge_rows)  # type: ignore[no-any-return]
    if engine.is_duckdb() and len(columns.preds) > 1 and not columns.joint:
        return _group_relation(frame.to_native(), columns)
    return group(frame, columns)


def _group_relation(relation: Any, columns: Columns) -> dict[str, list[Row]]:
    """DuckDB has grouping sets, and its relations stay on their own connection with them."""
    shown, chosen, sets = grouping_sets(columns, columns.preds)
    rows = relation.project(shown).aggregate(chosen, sets).fetchall()
    return of_each(rows, columns, columns.preds)


def quick_counts(data: Any, wanted: Wanted, labels: Any) -> dict[str, Slices] | None:
    """What is in memory goes to the array kernel, texts by their dictionaries; None for others."""
    import narwhals as nw

    frame, name = known_frame(data)
    if not isinstance(frame, nw.DataFrame) or wanted.by or wanted.cluster or not len(frame):
        return None
    columns = wanted.find(column_names(frame), name)
    series = {name: frame[name] for name in (columns.true, *columns.preds)}
    kinds = (nw.String, nw.Categorical, nw.Enum)
    slow = frame.implementation.is_pandas_like()  # others group texts faster by themselves
    texts = slow and all(each.dtype in kinds for each in series.values())
    for each in series.values():
        whole = each.dtype.is_integer() or each.dtype == nw.Boolean
        if not (texts or whole) or _has_gaps(each):
            return None
    weights = None if columns.weights is None else frame[columns.weights]
    if weights is not None and (not weights.dtype.is_numeric() or weights.null_count()):
        return None
    weight = None if weights is None else weights.to_numpy()
    if texts:
        encoded = encode_columns(*(x.to_native() for x in series.values()))
        if encoded is None or labels is not None:
            return None  # what is no text is named by the engine's table
        code = dict(zip(series, encoded[0], strict=True))
        true = code[columns.true]
        counts = [count_codes(true, code[pred], encoded[1], weight) for pred in columns.preds]
    else:
        true = series[columns.true].to_numpy()
        counts = [
            count_arrays(true, series[pred].to_numpy(), labels=labels, weights=weight)
            for pred in columns.preds
        ]
    return {pred: Slices((), {(): each}) for pred, each in zip(columns.preds, counts, strict=True)}


def _has_gaps(series: Any) -> bool:
    """Whether a value is missing; NumPy's own integers and booleans have no room for one."""
    kind = getattr(series.to_native(), "dtype", None)
    plain = isinstance(kind, np.dtype) and kind.kind != "O"
    return not plain and series.null_count() > 0


def group(frame: Any, columns: Columns) -> dict[str, list[Row]]:
    """The rows of each prediction column."""
    import narwhals as nw

    if isinstance(frame, nw.DataFrame):
        refuse_mixed_objects(frame, columns)
    if columns.joint:
        return {columns.preds[0]: _group_one(frame, columns, *columns.together)}
    if isinstance(frame, nw.DataFrame):
        return {pred: _group_one(frame, columns, pred) for pred in columns.preds}
    parts: dict[str, list[Row]] = {}
    for preds in _alike(frame, columns.preds):
        if len(preds) == 1:
            parts[preds[0]] = _group_one(frame, columns, preds[0])
        else:
            parts |= _group_several(frame, columns, preds)
    return {pred: parts[pred] for pred in columns.preds}


def _group_one(frame: Any, columns: Columns, *preds: str) -> list[Row]:
    import narwhals as nw

    keys = columns.keys(*preds)
    selected = frame.select(*_keys(keys), *weight_column(columns))
    if isinstance(frame, nw.DataFrame) and any(holds_lists(frame[name]) for name in keys):
        return group_lists(selected, len(keys), columns)
    names = [f"k{i}" for i in range(len(keys))]
    return rows_of(grouped_frame(selected, names, columns.weights is not None), columns)


def _group_several(frame: Any, columns: Columns, preds: list[str]) -> dict[str, list[Row]]:
    """One pass: an item becomes a line for each prediction, and the engine groups them all."""
    shared = [*columns.by, columns.true]
    fixed = [f"k{i}" for i in range(len(shared))]
    import narwhals as nw

    chosen = [nw.col(name).alias(f"p{at}") for at, name in enumerate(preds)]
    selected = frame.select(*_keys(shared), *chosen, *weight_column(columns))
    long = selected.unpivot(
        on=[f"p{at}" for at in range(len(preds))],
        index=[*fixed, *(["w"] if columns.weights else [])],
        variable_name="v",
        value_name=f"k{len(fixed)}",
    )
    keys = ["v", *fixed, f"k{len(fixed)}"]
    rows = rows_of(grouped_frame(long, keys, columns.weights is not None), columns)
    parts: dict[str, list[Row]] = {pred: [] for pred in preds}
    for row in rows:
        parts[preds[int(row[0][1:])]].append(row[1:])
    return parts


def _alike(frame: Any, preds: Sequence[str]) -> list[list[str]]:
    """Prediction columns of one type each, since a pass puts them into one column."""
    schema = frame.collect_schema()
    groups: dict[str, list[str]] = {}
    for pred in preds:
        groups.setdefault(str(schema[pred]), []).append(pred)
    return list(groups.values())


def _keys(names: Iterable[str]) -> list[Any]:
    """Names by position: dots, quotes and one column used twice then mean no trouble."""
    import narwhals as nw

    return [nw.col(name).alias(f"k{i}") for i, name in enumerate(names)]


def weight_column(columns: Columns) -> list[Any]:
    """Weights as 64-bit floats first: sums of narrow integers wrap in several engines."""
    import narwhals as nw

    return [] if columns.weights is None else [nw.col(columns.weights).cast(nw.Float64).alias("w")]


def grouped_frame(selected: Any, keys: list[str], weighted: bool) -> Any:
    """GROUP BY the keys: a frame of keys, items and, with weights, their sums and the bad ones."""
    import narwhals as nw

    measures = [nw.len().alias("n")]
    if weighted:
        w = nw.col("w")
        bad = w.is_null() | ~seen(w).is_finite() | (w < 0)  # a float: sums of integers may be wider
        flag = nw.when(bad).then(nw.lit(1.0)).otherwise(nw.lit(0.0))
        flagged = selected.with_columns(flag.alias("bad"))
        selected = flagged.with_columns(
            nw.when(nw.col("bad") == 0).then(w).otherwise(nw.lit(0.0)).alias("w")
        ).with_columns((nw.col("w") * nw.col("w")).alias("ww"))
        measures += [nw.col("w").sum(), nw.col("ww").sum(), nw.col("bad").sum()]
    result = selected.group_by(*keys, drop_null_keys=False).agg(*measures)
    return result.select(*keys, "n", *(["w", "ww", "bad"] if weighted else []))


def rows_of(result: Any, columns: Columns) -> list[Row]:
    """The grouped table as plain rows, each engine in its own way."""
    rows = plain_rows(result)
    return rows if columns.weights else [(*row, 0.0, 0.0, 0) for row in rows]


def plain_rows(result: Any) -> list[Row]:
    """A small table as plain rows."""
    import narwhals as nw

    if isinstance(result, nw.DataFrame):
        return list(result.iter_rows())
    native = nw.to_native(result)
    root = type(native).__module__.partition(".")[0]
    if root in ("duckdb", "_duckdb"):  # collecting through Arrow makes noise at exit
        return list(native.fetchall())
    if root == "pyspark":
        return [tuple(row) for row in native.collect()]
    return list(result.collect().iter_rows())


def by_partition(native: Any, columns: Columns, ask: Any, merge: Any) -> Any:
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


def _ask_partition(part: Any, columns: Columns, ask: Any) -> Any:
    import narwhals as nw

    return ask(nw.from_native(part), columns)


def _merge_rows(parts: list[dict[str, list[Row]]]) -> dict[str, list[Row]]:
    return {pred: merged(row for part in parts for row in part[pred]) for pred in parts[0]}
