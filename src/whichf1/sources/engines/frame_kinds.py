"""What is a dataframe, and what its library calls its columns."""

from __future__ import annotations

import atexit
import sys
from functools import cache
from typing import Any

from whichf1.errors import InputError

ROOTS = (
    *("pandas", "polars", "pyarrow", "duckdb", "_duckdb", "ibis", "dask", "dask_expr", "pyspark"),
    *("modin", "cudf", "narwhals"),
)
"""Libraries whose frames are known; narwhals is imported only for one of these."""


def is_frame(data: object) -> bool:
    """Whether something is a dataframe, lazy or not (a single column is none)."""
    if type(data).__module__.partition(".")[0] not in ROOTS:
        return False
    import narwhals as nw

    quiet_at_exit()
    try:
        found = nw.from_native(data, pass_through=True)
    except Exception:  # a frame that cannot be read: what is wrong with it is said later
        return True
    return isinstance(found, (nw.DataFrame, nw.LazyFrame))


def in_memory(data: Any) -> bool:
    """Whether something is a dataframe whose rows are here already."""
    if not is_frame(data):
        return False
    import narwhals as nw

    return isinstance(known_frame(data)[0], nw.DataFrame)


def known_frame(data: Any) -> tuple[Any, str]:
    """The frame as narwhals knows it, and what it is called in messages."""
    import narwhals as nw

    try:
        frame = nw.from_native(data)
    except Exception as error:
        raise InputError(f"this frame cannot be read: {error}") from None
    return frame, f"the {type(nw.to_native(frame)).__module__.partition('.')[0]} frame"


@cache
def quiet_at_exit() -> None:
    """Let go of DuckDB in time: what narwhals 2 keeps of it, DuckDB 2 reports as leaks at exit."""
    atexit.register(_forget)


def _forget() -> None:
    kept: Any = getattr(sys.modules.get("narwhals._namespace"), "_builtin_namespace", None)
    if hasattr(kept, "cache_clear"):
        kept.cache_clear()


def seen(column: Any) -> Any:
    """A column of floats, to ask which of them are NaN.

    A Parquet file keeps no NaN among the bounds of a column, so that DuckDB (2.0) holds no value of
    it for NaN, whatever is there; of what stands in a condition it knows no bounds.
    """
    import narwhals as nw

    return nw.when(~column.is_null()).then(column)


def column_names(frame: Any) -> list[str]:
    """The names of its columns."""
    try:
        return list(frame.collect_schema().names())
    except Exception as error:
        raise InputError(f"this frame's columns cannot be read: {error}. Rename them.") from None
