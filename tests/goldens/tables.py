"""The table of all columns as frames and files of several kinds."""

from __future__ import annotations

import atexit
import csv
from collections.abc import Callable
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

import numpy as np

from tests.goldens.data import table


@cache
def folder() -> Path:
    """A temporary folder for files, gone at the end."""
    path = mkdtemp(prefix="whichf1-goldens-")
    atexit.register(rmtree, path, ignore_errors=True)
    return Path(path)


def write_lines(path: Path, columns: dict[str, list[Any]], sep: str = ",") -> str:
    """Columns as a text file."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=sep, lineterminator="\n")
        writer.writerows([[*columns], *zip(*columns.values(), strict=True)])
    return str(path)


def as_csv() -> Any:
    """A CSV file."""
    return write_lines(folder() / "table.csv", table())


def as_tsv() -> Any:
    """A TSV file."""
    return write_lines(folder() / "table.tsv", table(), "\t")


def as_parquet() -> Any:
    """A Parquet file."""
    from pyarrow import parquet

    path = folder() / "table.parquet"
    parquet.write_table(as_arrow(), path)
    return str(path)


def as_arrow() -> Any:
    """An Arrow table."""
    import pyarrow

    return pyarrow.table(table())


def as_pandas() -> Any:
    """A pandas frame."""
    import pandas

    return pandas.DataFrame(table())


def as_polars() -> Any:
    """A polars frame."""
    import polars

    return polars.DataFrame(table())


def as_lazy() -> Any:
    """A lazy polars frame."""
    return as_polars().lazy()


def as_duckdb() -> Any:
    """A DuckDB relation."""
    import duckdb

    return duckdb.connect(":memory:").from_arrow(as_arrow())


def as_jsonl() -> Any:
    """A file of JSON lines."""
    path = folder() / "table.jsonl"
    as_polars().write_ndjson(path)
    return str(path)


def as_npz() -> Any:
    """An npz file."""
    path = folder() / "table.npz"
    np.savez(path, **{name: np.array(column) for name, column in table().items()})  # type: ignore[arg-type]
    return str(path)


SOURCES: dict[str, Callable[[], Any]] = {
    "pandas": as_pandas,
    "polars": as_polars,
    "csv": as_csv,
    "parquet": as_parquet,
    "arrow": as_arrow,
    "lazy": as_lazy,
    "duckdb": as_duckdb,
    "tsv": as_tsv,
    "jsonl": as_jsonl,
    "npz": as_npz,
}


@cache
def source(kind: str) -> Any:
    """The table of a kind, made once."""
    return SOURCES[kind]()
