"""One table as every engine's frame, and the same counts in plain Python."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import strategies as st

from whichf1.tables.counts import Counts

os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")

TYPES = {
    "int8": pa.int8(),
    "uint16": pa.uint16(),
    "int64": pa.int64(),
    "float": pa.float64(),
    "bool": pa.bool_(),
    "str": pa.string(),
    "categorical": pa.dictionary(pa.int32(), pa.string()),
}
"""Types of columns that hold labels; a float holds whole numbers."""


def plain(table: Any) -> Any:
    """Without dictionaries, for engines that have none."""
    fields = [
        pa.field(f.name, f.type.value_type if pa.types.is_dictionary(f.type) else f.type)
        for f in table.schema
    ]
    return table.cast(pa.schema(fields))


def pandas_of(table: Any, **options: Any) -> Any:
    return table.to_pandas(**options)


def pandas_nullable(table: Any) -> Any:
    import pandas as pd

    types = {
        pa.int8(): pd.Int8Dtype(),
        pa.uint16(): pd.UInt16Dtype(),
        pa.int64(): pd.Int64Dtype(),
        pa.float64(): pd.Float64Dtype(),
        pa.bool_(): pd.BooleanDtype(),
        pa.string(): pd.StringDtype(),
    }
    return table.to_pandas(types_mapper=types.get)


def pandas_arrow(table: Any) -> Any:
    import pandas as pd

    return table.to_pandas(types_mapper=pd.ArrowDtype)


def pandas_objects(table: Any) -> Any:
    frame = plain(table).to_pandas()
    return frame.astype(object).where(frame.notna(), None)


def polars(table: Any) -> Any:
    import polars as pl

    return pl.from_arrow(table)


def duckdb_relation(table: Any) -> Any:
    import duckdb

    return duckdb.connect(":memory:").from_arrow(table)


def ibis_table(table: Any) -> Any:
    import ibis

    return ibis.memtable(plain(table))


def dask_frame(table: Any) -> Any:
    import dask
    import dask.dataframe as dd

    with dask.config.set({"dataframe.convert-string": False}):
        return dd.from_pandas(table.to_pandas(), npartitions=2)


@cache
def spark() -> Any:
    """One local session for all tests of a process."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("whichf1 tests")
    for key, value in {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "512m",
    }.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


SPARK_TYPES = {
    pa.int8(): "tinyint",
    pa.uint16(): "int",
    pa.int64(): "bigint",
    pa.float64(): "double",
    pa.bool_(): "boolean",
    pa.string(): "string",
    pa.list_(pa.string()): "array<string>",
    pa.list_(pa.int64()): "array<bigint>",
}


def spark_frame(table: Any) -> Any:
    flat = plain(table)
    schema = ", ".join(f"`{f.name}` {SPARK_TYPES[f.type]}" for f in flat.schema)
    return spark().createDataFrame([tuple(row.values()) for row in flat.to_pylist()], schema)


IN_MEMORY = {
    "pandas": pandas_of,
    "pandas nullable": pandas_nullable,
    "pandas arrow": pandas_arrow,
    "pandas objects": pandas_objects,
    "polars": polars,
    "polars lazy": lambda table: polars(table).lazy(),
    "pyarrow": lambda table: table,
}
DATABASES = {"duckdb": duckdb_relation, "ibis": ibis_table, "dask": dask_frame}
ENGINES: dict[str, Callable[[Any], Any]] = {**IN_MEMORY, **DATABASES, "spark": spark_frame}


def group(name: str) -> Any:
    """Spark runs with the slow tests, in one process."""
    return [pytest.mark.slow, pytest.mark.xdist_group("spark")] if name == "spark" else []


every_engine = pytest.mark.parametrize(
    "engine", [pytest.param(name, marks=group(name)) for name in ENGINES]
)
EXAMPLES = dict.fromkeys(IN_MEMORY, 25) | dict.fromkeys(DATABASES, 10) | {"spark": 2}
"""How many random tables each engine gets."""
CLUSTERS = {
    pa.string(): st.sampled_from(["d1", "d2", "ü"]),
    pa.int64(): st.integers(-1, 2),
    pa.float64(): st.sampled_from([1.0, 2.0]),
}
"""Names of clusters, by the type of their column."""
SETS = st.lists(st.sampled_from(["a", "b", "ü", "1"]), unique=True, max_size=3)


def clusters_of(rows: Any) -> Any:
    """The clusters of rows as they are named in memory: whole numbers are integers."""
    return [int(row["doc"]) if isinstance(row["doc"], float) else row["doc"] for row in rows]


def expected(rows: Any, by: Any = None, weight: Any = None) -> Any:
    """What count_by must give: {slice: {(true, pred): items or weight}}."""
    slices: dict[tuple[Any, ...], Counter[tuple[Any, Any]]] = {}
    for row in rows:
        cells = slices.setdefault(() if by is None else (row[by],), Counter())
        cells[row["gold"], row["model"]] += 1 if weight is None else row[weight]
    return slices


def cells(counts: Counts) -> Any:
    """Counts as {(true, pred): count}, without cells of no weight."""
    return {
        (counts.labels[t], counts.labels[p]): n
        for t, p, n in zip(
            counts.true.tolist(), counts.predicted.tolist(), counts.count.tolist(), strict=True
        )
    }
