"""One table as everything that comes in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.dataset

from tests.helpers.engines import plain, polars


class Capsule:
    """An object that only supports Arrow's stream."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(schema)


class Interchange:
    """An object that only supports the older protocol."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __dataframe__(self, *args: Any, **options: Any) -> Any:
        return self._table.__dataframe__(*args, **options)


def pieces(table: Any) -> Iterator[Any]:
    """The table in two parts, the first of which has one row."""
    yield table.slice(0, 1)
    yield table.slice(1)


def hugging_face(table: Any) -> Any:
    import datasets

    # indices, as select makes them, must be respected
    return datasets.Dataset(pa.concat_tables([table, table])).select(range(len(table)))


BATCHES: dict[str, Callable[[Any], Any]] = {
    "record batch": lambda table: table.combine_chunks().to_batches()[0],
    "reader": lambda table: table.to_reader(max_chunksize=3),
    "arrow dataset": pa.dataset.dataset,
    "scanner": lambda table: pa.dataset.dataset(table).scanner(batch_size=2),
    "capsule": Capsule,
    "interchange": lambda table: Interchange(plain(table)),
    "pandas in parts": lambda table: (part.to_pandas() for part in pieces(table)),
    "polars in parts": lambda table: map(polars, pieces(table)),
    "lazy in parts": lambda table: (polars(part).lazy() for part in pieces(table)),
    "columns in parts": lambda table: (part.to_pydict() for part in pieces(table)),
    "list of batches": lambda table: table.to_batches(max_chunksize=2),
    "iterator of batches": lambda table: iter(table.to_batches(max_chunksize=2)),
    "hugging face": hugging_face,
    "hugging face stream": lambda table: hugging_face(table).to_iterable_dataset(),
}
"""Data in batches, created for each use, as some can be read only once."""
