"""Rows written to files of every format."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard
from pyarrow import ipc

Rows = Sequence[dict[str, Any]]

ROWS: list[dict[str, Any]] = [
    {"true": "b", "score": 0.75, "a": 0.25, "b": 0.75, "x": "a", "y": "b", "doc": "d1"},
    {"true": "a", "score": 0.25, "a": 0.75, "b": 0.25, "x": "a", "y": "a", "doc": "d1"},
    {"true": "b", "score": 0.25, "a": 0.75, "b": 0.25, "x": "b", "y": "b", "doc": "d2"},
    {"true": "a", "score": 0.5, "a": 0.5, "b": 0.5, "x": "b", "y": "a", "doc": "d2"},
    {"true": "b", "score": 1.0, "a": 0.0, "b": 1.0, "x": "b", "y": "a", "doc": "d3"},
]
"""Classes, scores, weights, documents and sets of labels, for tests of every kind of column."""
for _number, _row in enumerate(ROWS):
    _row |= {
        "w": _number / 4 + 0.25,
        "tags": "k;l" if _number % 2 else "l",
        "found": "l" * (_number % 2),
        "other": ("k;l", "k", "l;k")[_number % 3],
    }


def csv_text(rows: Rows, delimiter: str = ",") -> str:
    """All texts are quoted; None is an empty cell."""

    def cell(value: Any) -> str:
        if value is None:
            return ""
        return '"' + value.replace('"', '""') + '"' if isinstance(value, str) else str(value)

    lines = [delimiter.join(rows[0])]
    lines += [delimiter.join(map(cell, row.values())) for row in rows]
    return "\n".join(lines) + "\n"


def jsonl_text(rows: Rows) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def write_arrow(path: Path, rows: Rows) -> None:
    table = pa.Table.from_pylist(rows)
    opening = ipc.new_stream if "stream" in path.name else ipc.new_file
    with opening(path, table.schema) as writer:
        writer.write_table(table)


def write_npz(path: Path, rows: Rows) -> None:
    """Missing texts become empty ones; numbers stay numbers."""
    columns: dict[str, Any] = {
        name: np.array(["" if row[name] is None else row[name] for row in rows]) for name in rows[0]
    }
    (np.savez_compressed if "packed" in path.name else np.savez)(path, **columns)


WRITERS: dict[str, Callable[[Path, Rows], object]] = {
    "a.csv": lambda p, rows: p.write_text(csv_text(rows)),
    "a.tsv": lambda p, rows: p.write_text(csv_text(rows, "\t")),
    "a.jsonl": lambda p, rows: p.write_text(jsonl_text(rows)),
    "a.csv.gz": lambda p, rows: p.write_bytes(gzip.compress(csv_text(rows).encode())),
    "a.csv.zst": lambda p, rows: p.write_bytes(zstandard.compress(csv_text(rows).encode())),
    "a.jsonl.gz": lambda p, rows: p.write_bytes(gzip.compress(jsonl_text(rows).encode())),
    "a.jsonl.zst": lambda p, rows: p.write_bytes(zstandard.compress(jsonl_text(rows).encode())),
    "not.named.as.it.is.csv": lambda p, rows: p.write_bytes(gzip.compress(csv_text(rows).encode())),
    "a.parquet": lambda p, rows: pq.write_table(pa.Table.from_pylist(rows), p),
    "zstd.parquet": lambda p, rows: pq.write_table(
        pa.Table.from_pylist(rows), p, compression="zstd"
    ),
    "a.arrow": write_arrow,
    "stream.arrow": write_arrow,
    "a.npz": write_npz,
    "packed.npz": write_npz,
}
"""How rows are written to a file of each format and compression, by the name of the file."""


def written(folder: Path, name: str, rows: Rows = ROWS) -> Path:
    """The path of a file of these rows."""
    path = folder / name
    WRITERS[name](path, rows)
    return path
