"""What tests of columns share: labels of every type, the rows of a file by column, reports."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from tests.helpers.files import ROWS

LABELS: dict[str, st.SearchStrategy[Any]] = {
    "int8": st.integers(-128, 127) | st.integers(0, 2),
    "uint16": st.integers(0, 3),
    "int64": st.integers(-(2**40), 2**40) | st.integers(0, 2),
    "float": st.integers(-3, 3).map(float),
    "bool": st.booleans(),
    "str": st.sampled_from(["a", "b", "ä", "", " ", "a,b", "1"]),
    "categorical": st.sampled_from(["x", "y", "z"]),
}
"""Labels for each type of column."""
COLUMN = {name: [row[name] for row in ROWS] for name in ROWS[0]}
"""The rows that every format holds, by column."""


def without_source(text: str) -> Any:
    """A report in JSON but for the name of its file."""
    record = json.loads(text)
    record.pop("source", None)
    return record
