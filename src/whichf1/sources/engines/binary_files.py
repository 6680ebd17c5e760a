"""Parquet, Arrow IPC and npz: columns with types of their own."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from whichf1.errors import FileError, InputError, ShapeError
from whichf1.sources.engines.database import Database, first_line, text
from whichf1.sources.engines.text_files import refuse_twins
from whichf1.tables.cells import Array

CHUNK = 1 << 20
"""Items of an npz file that are counted at a time."""


def parquet_columns(database: Database, path: Path, name: str) -> list[str]:
    """The names of the top level, as they stand in the file."""
    query = f"SELECT name, num_children FROM parquet_schema({text(str(path))})"
    rows = database.run(query, lambda said: explain_parquet(said, name))
    columns, at = [], 1  # the root stands first, then every column with its children
    while at < len(rows):
        columns.append(rows[at][0])
        at = _after(rows, at)
    refuse_twins(columns, name)
    return columns


def _after(rows: list[Any], at: int) -> int:
    children, at = rows[at][1] or 0, at + 1
    for _ in range(children):
        at = _after(rows, at)
    return at


def parquet_view(path: Path) -> str:
    """SQL that reads the file."""
    return f"read_parquet({text(str(path))}, hive_partitioning=false)"


def explain_parquet(said: str, name: str) -> str:
    """What an error of DuckDB's means for a Parquet file."""
    return f"{name} is a damaged Parquet file: {first_line(said)}"


def arrow_table(path: Path, name: str) -> Any:
    """An Arrow IPC file or stream as something that DuckDB scans batch by batch."""
    try:
        import pyarrow
        from pyarrow import dataset, ipc
    except ImportError:
        raise InputError("Arrow files need pyarrow: pip install pyarrow") from None
    try:
        with open(path, "rb") as file:
            whole = file.read(6) == b"ARROW1"
        if whole:
            table = dataset.dataset(str(path), format="ipc")
        else:
            table = ipc.open_stream(pyarrow.memory_map(str(path))).read_all()
        refuse_twins(table.schema.names, name)
        return table
    except (OSError, pyarrow.ArrowException) as error:
        raise FileError(f"{name} is a damaged Arrow file: {error}") from None


def npz_columns(path: Path, name: str) -> list[str]:
    """The names of the arrays."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [each.removesuffix(".npy") for each in archive.namelist()]
    except (OSError, zipfile.BadZipFile) as error:
        raise FileError(f"{name} is a damaged npz file: {error}") from None
    refuse_twins(names, name)
    return names


def npz_chunks(
    path: Path, columns: list[str], name: str, whole: bool = False
) -> Iterator[dict[str, Array]]:
    """The arrays side by side, piece by piece unless they are wanted whole."""
    from contextlib import ExitStack

    try:
        with ExitStack() as stack:
            archive = stack.enter_context(zipfile.ZipFile(path))
            files = [stack.enter_context(archive.open(f"{column}.npy")) for column in columns]
            heads = [_npy_head(file) for file in files]
            _refuse_shapes(dict(zip(columns, heads, strict=True)), name)
            items = heads[0][0][0]
            size = max(items, 1) if whole else CHUNK
            for start in range(0, items, size):
                n = min(size, items - start)
                yield {
                    column: _values(file.read(n * dtype.itemsize), dtype, n)
                    for column, file, (_, dtype) in zip(columns, files, heads, strict=True)
                }
            for file in files:
                file.read()  # to the end, where the checksum is compared
    except (OSError, EOFError, zipfile.BadZipFile, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise FileError(f"{name} is a damaged npz file: {error}") from None


def _npy_head(file: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    version = np.lib.format.read_magic(file)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read is None:
        raise ValueError(f"an array of version {version}")
    shape, _, dtype = read(file)
    return shape, dtype


def _refuse_shapes(heads: dict[str, tuple[tuple[int, ...], np.dtype[Any]]], name: str) -> None:
    for column, (shape, dtype) in heads.items():
        if len(shape) != 1:
            raise ShapeError(f"{name}: array {column!r} must have one dimension; got shape {shape}")
        if dtype.kind not in "iufbU":
            raise FileError(
                f"{name}: array {column!r} has dtype {dtype}. Save integers, floats, booleans or "
                "strings (dtype str); objects would have to be unpickled, which is unsafe."
            )
    lengths = {column: shape[0] for column, (shape, _) in heads.items()}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{column!r} {n:,}" for column, n in lengths.items())
        raise ShapeError(f"{name}: the arrays differ in length: {said}")


def _values(data: bytes, dtype: np.dtype[Any], n: int) -> Array:
    values = np.frombuffer(data, dtype)
    if len(values) != n:
        raise EOFError("an array is cut off")
    if dtype.kind == "U":
        return values.astype(object)
    return values if dtype.isnative else values.astype(dtype.newbyteorder("="))
