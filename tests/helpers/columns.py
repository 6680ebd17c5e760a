"""What tests of columns share: labels of every type, the rows of a file by column, reports."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from tests.helpers.engines import IN_MEMORY
from tests.helpers.files import ROWS

LABELS: dict[str, list[Any]] = {
    "int8": [-128, 127, 0, 1, 2],
    "uint16": [0, 1, 2, 65535],
    "int64": [-(2**40), 2**40, 0, 1, 2],
    "float": [-3.0, -0.0, 0.0, 1.0, 3.0],
    "bool": [False, True],
    "str": ["a", "b", "ä", "", " ", "a,b", "1"],
    "categorical": ["x", "y", "z"],
}
"""Labels for each type of column."""
Rows = list[dict[str, Any]]


def kinds_of_labels(engine: str) -> list[str]:
    """The types of labels that an engine is tried with; Spark is slow."""
    return ["str", "int64"] if engine == "spark" else [*LABELS]


def drawn(
    engine: str, columns: dict[str, tuple[Any, list[Any]]], seed: int
) -> Iterator[tuple[Any, Rows]]:
    """Tables of one row and of many, from {column: (type, values)}, and their rows in Python.

    An engine that is not in memory, which takes its time, gets the single row once.
    """
    rng = random.Random(seed)
    for size in (1, 20) if engine in IN_MEMORY or not seed else (20,):
        rows = [
            {name: rng.choice(values) for name, (_, values) in columns.items()} for _ in range(size)
        ]
        table = {name: pa.array([row[name] for row in rows], t) for name, (t, _) in columns.items()}
        yield pa.table(table), rows


COLUMN = {name: [row[name] for row in ROWS] for name in ROWS[0]}
"""The rows that every format holds, by column."""


def without_source(text: str) -> Any:
    """A report in JSON but for the name of its file."""
    record = json.loads(text)
    record.pop("source", None)
    return record
