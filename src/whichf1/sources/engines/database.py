"""An embedded DuckDB with explicit settings, a memory limit and a spill folder."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    byref,
    c_char,
    c_char_p,
    c_int,
    c_int64,
    c_void_p,
    py_object,
    pythonapi,
)
from typing import TYPE_CHECKING, Any

import numpy as np

from whichf1.errors import FileError, InputError
from whichf1.sources.request import EXACT
from whichf1.tables.cells import Array

if TYPE_CHECKING:
    import duckdb

    from whichf1.sources.request import Row

MEMORY_LIMIT = "1GB"
_SPILL = re.compile(r"No space left|File too large|temporary|offload|max_temp_directory_size", re.I)
THREAD_BYTES = 125 << 20
"""The memory that each thread of DuckDB should have, according to its documentation."""
_PLAIN = re.compile(r"U?(TINY|SMALL|BIG)?INT(EGER)?|FLOAT|DOUBLE|BOOLEAN|VARCHAR|JSON")
_UNITS = r"(?:[kmgt]i?b|bytes)"

Progress = Callable[[float], None]
"""A function called from time to time with the progress of a query, from 0 to 1."""


_KINDS = dict(zip((b"c", b"s", b"i", b"l", b"C", b"S", b"I", b"L", b"g"),
                  ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f8"), strict=True))  # fmt: skip
"""Arrow's names of types, and NumPy's."""


class _Schema(Structure):
    """Arrow's ArrowSchema, as the Arrow C data interface defines it."""


class _Batch(Structure):
    """Arrow's ArrowArray."""


class _Stream(Structure):
    """Arrow's ArrowArrayStream."""


_Schema._fields_ = [
    *((name, c_char_p) for name in ("format", "name", "metadata")),
    *(("flags", c_int64), ("n_children", c_int64), ("children", POINTER(POINTER(_Schema)))),
    *(("dictionary", c_void_p), ("release", CFUNCTYPE(None, POINTER(_Schema)))),
    ("private_data", c_void_p),
]
_Batch._fields_ = [
    *((x, c_int64) for x in ("length", "null_count", "offset", "n_buffers", "n_children")),
    *(("buffers", POINTER(c_void_p)), ("children", POINTER(POINTER(_Batch)))),
    *(("dictionary", c_void_p), ("release", CFUNCTYPE(None, POINTER(_Batch)))),
    ("private_data", c_void_p),
]
_Stream._fields_ = [
    ("get_schema", CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Schema))),
    ("get_next", CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Batch))),
    ("get_last_error", CFUNCTYPE(c_char_p, POINTER(_Stream))),
    *(("release", CFUNCTYPE(None, POINTER(_Stream))), ("private_data", c_void_p)),
]
_address = pythonapi.PyCapsule_GetPointer
_address.restype, _address.argtypes = c_void_p, [py_object, c_char_p]


class Database:
    """A database in memory, whose temporary folder is removed when it closes."""

    def __init__(self, memory_limit: str | int = MEMORY_LIMIT, progress: Progress | None = None):
        import duckdb

        self._error, self._memory_error = duckdb.Error, duckdb.OutOfMemoryException
        self._progress = progress
        self.memory_limit = _memory(memory_limit)
        self.folder = _folder()
        settings: dict[str, Any] = {
            "memory_limit": self.memory_limit,
            "temp_directory": self.folder,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
        try:
            self._root = duckdb.connect(":memory:", config=settings)
            with suppress(duckdb.Error):  # older ones lack it; others may keep what they read
                self._root.execute("SET enable_external_file_cache=false")
            self.connection = self._connected()
            self._fit_threads()
        except duckdb.Error as error:
            self._remove_folder()
            raise InputError(
                f"a memory limit of {self.memory_limit} is impossible: {first_line(str(error))}"
            ) from None

    def _connected(self) -> duckdb.DuckDBPyConnection:
        """A connection, to which temporary views and registered data belong."""
        connection = self._root.cursor()
        watched = "true" if self._progress else "false"  # without a bar, DuckDB reports no progress
        connection.execute(f"SET enable_progress_bar={watched}")
        connection.execute("SET enable_progress_bar_print=false")
        return connection

    def _fit_threads(self) -> None:
        """Use as many threads as the memory allows: each holds pages that cannot be spilled."""
        query = "SELECT current_setting('threads'), current_setting('memory_limit')"
        threads, shown = self.connection.execute(query).fetchone()  # type: ignore[misc]
        number, unit = shown.split()
        room = float(number) * 1024 ** "bKMGTPE".index(unit[0])
        self.connection.execute(f"SET threads={max(1, min(threads, int(room // THREAD_BYTES)))}")

    def rest(self) -> bool:
        """Drop all that was shown to SQL, the last result and the folder; whether it can resume.

        It cannot if anything was spilled: DuckDB then holds on to the folder.
        """
        self.connection.close()
        with suppress(self._error):
            self._root.execute("SET temp_directory=''")
            self._remove_folder()
            return True
        return False

    def resume(self) -> bool:
        """Make a folder and connect again; whether that worked."""
        self.folder = _folder()
        with suppress(self._error):
            self._root.execute(f"SET temp_directory={text(self.folder)}")
            self.connection = self._connected()
            return True
        return False

    def _remove_folder(self) -> None:
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()
        self._root.close()
        self._remove_folder()

    def run(self, query: str, explain: Callable[[str], str]) -> list[Row]:
        """The rows of a query; ``explain`` translates an error of DuckDB for the file."""
        return self.ask(lambda: self.connection.execute(query).fetchall(), explain)  # type: ignore[no-any-return]

    def ask(self, ask: Callable[[], Any], explain: Callable[[str], str]) -> Any:
        """The answer to a question that uses the connection itself."""
        try:
            return ask() if self._progress is None else self._watched(ask, self._progress)
        except self._error as error:
            text = str(error)
            if isinstance(error, self._memory_error) or self._spilled(text):
                raise FileError(self._no_room(text)) from None
            raise FileError(explain(text)) from None
        except (SystemError, UnicodeDecodeError):  # from DuckDB to Python
            raise FileError(explain("it contains text that is not UTF-8")) from None

    def _watched(self, ask: Callable[[], Any], progress: Progress) -> Any:
        from concurrent.futures import ThreadPoolExecutor  # slow to import
        from concurrent.futures import TimeoutError as Waiting

        with ThreadPoolExecutor(1) as pool:
            rows = pool.submit(ask)
            while True:
                try:
                    return rows.result(timeout=0.1)
                except Waiting:
                    progress(max(self.connection.query_progress(), 0) / 100)
                except KeyboardInterrupt:
                    self.connection.interrupt()
                    raise

    def _spilled(self, text: str) -> bool:
        return bool(self.folder and self.folder in text) or (
            text.startswith("IO Error") and bool(_SPILL.search(text))
        )

    def _no_room(self, text: str) -> str:
        return (
            f"counting needs more than the memory limit of {self.memory_limit}, and the temporary "
            f"folder {self.folder!r} could not hold the rest: {first_line(text)} Raise "
            "--memory-limit (memory_limit=), or point TMPDIR at a disk with more room."
        )


_IDLE: list[Database] = []
"""The database that served last, if no call is using it. Changed by atomic steps alone."""


@contextmanager
def opened(memory_limit: str | int, progress: Progress | None = None) -> Iterator[Database]:
    """A database to read files with, which no other call uses meanwhile.

    To open one takes longer than to read a small file, so the last one is kept for the next call:
    empty, and only if all went well.
    """
    if progress is not None:
        with Database(memory_limit, progress) as database:
            yield database
        return
    database = _idle(_memory(memory_limit)) or Database(memory_limit)
    rests = False
    try:
        yield database
        rests = database.rest()
    finally:
        if not rests:
            database.__exit__()
    if rests:
        _IDLE.append(database)
        _close_idle(all_but=1)


def _idle(memory_limit: str) -> Database | None:
    """The database that is kept, if it has this limit."""
    with suppress(IndexError):
        database = _IDLE.pop()
        if database.memory_limit == memory_limit and database.resume():
            return database
        database.__exit__()
    return None


def _folder() -> str:
    """A new folder to spill to; none if there is no room: what fits in memory can still be read."""
    with suppress(OSError):
        return tempfile.mkdtemp(prefix="whichf1-")
    return ""


def _close_idle(all_but: int = 0) -> None:
    with suppress(IndexError):  # another thread may have taken it
        while len(_IDLE) > all_but:
            _IDLE.pop(0).__exit__()


atexit.register(_close_idle)
if hasattr(os, "register_at_fork"):  # a child would have the database without its threads
    os.register_at_fork(before=_close_idle)


def plain_columns(result: Any) -> list[Any]:
    """A DuckDB result, column by column: an array, or a list if something is missing."""
    types = [str(each[1]) for each in result.description]
    if not all(_PLAIN.fullmatch(each) for each in types):  # others lose their type as arrays
        rows = result.fetchall()
        return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in types]
    return [_unmasked(column) for column in result.fetchnumpy().values()]


class MissingValues(Exception):
    """A column that is streamed has some."""


def streamed(relation: Any) -> Iterator[list[Array]]:
    """The columns of a DuckDB relation of numbers, batch by batch; none may be missing.

    An array is valid until the next batch. They are read from an Arrow stream by its C interface,
    for which DuckDB needs no further library: in a fraction of the time of ``fetchnumpy``, and
    without keeping the whole result.
    """
    capsule = relation.__arrow_c_stream__()
    stream = _Stream.from_address(_address(capsule, b"arrow_array_stream"))
    schema = _Schema()
    _refuse_failed(stream, stream.get_schema(byref(stream), byref(schema)))
    kinds = [_KINDS[schema.children[at].contents.format] for at in range(schema.n_children)]
    schema.release(byref(schema))
    while True:
        batch = _Batch()
        _refuse_failed(stream, stream.get_next(byref(stream), byref(batch)))
        if not batch.release:
            return
        try:
            if batch.length:
                sides = [batch.children[at].contents for at in range(len(kinds))]
                if any(side.null_count for side in sides):
                    raise MissingValues
                yield [_values(*both, batch) for both in zip(sides, kinds, strict=True)]
        finally:
            batch.release(byref(batch))


def _values(column: Any, kind: str, batch: Any) -> Array:
    """A column of a batch, where it is."""
    dtype = np.dtype(kind)
    start = column.buffers[1] + (column.offset + batch.offset) * dtype.itemsize
    size = batch.length * dtype.itemsize
    return np.frombuffer((c_char * size).from_address(start), dtype)


def _refuse_failed(stream: Any, code: int) -> None:
    if code:
        import duckdb

        said = (stream.get_last_error(byref(stream)) or b"").decode(errors="replace")
        full = said.startswith("Out of Memory")
        raise (duckdb.OutOfMemoryException if full else duckdb.Error)(said)


def _unmasked(column: Any) -> Any:
    if not np.ma.isMaskedArray(column):
        return column.tolist() if column.dtype == object else column
    if not np.ma.getmaskarray(column).any():
        return _unmasked(column.data)
    return column.filled(np.nan) if column.dtype.kind == "f" else column.tolist()


def _memory(limit: str | int) -> str:
    text = f"{limit}B" if isinstance(limit, int) else str(limit).strip()
    if not re.fullmatch(rf"[0-9]+(\.[0-9]+)?\s*({_UNITS}|b)", text, re.I):
        raise InputError(f"a memory limit is a size such as 1GB or 500MB; got {limit!r}")
    return f"{text[:-1]}bytes" if re.fullmatch(r"[0-9.]+b", text, re.I) else text


def first_line(text: str) -> str:
    """DuckDB's message, without the advice on its options."""
    said = re.split(r"\n\s*\n|\nPossible|\n\* ", text)[0].strip()
    return re.sub(r"\s*\n\s*", ", ", said)


def quote(column: str) -> str:
    """A name in SQL."""
    return '"' + column.replace('"', '""') + '"'


def text(value: str) -> str:
    """A text in SQL."""
    return "'" + value.replace("'", "''") + "'"


def as_number(column: str) -> str:
    """A column as a number, NULL where it is not one.

    TRY_CAST of a bare CSV column becomes a strict type of the reader (DuckDB 2.0), so that it
    raises after all; inside an expression, it works as documented. Likewise, for a Parquet column
    whose bounds are numbers, DuckDB assumes that no value is NaN, except inside an expression.
    """
    return f"TRY_CAST(CASE WHEN {quote(column)} IS NOT NULL THEN {quote(column)} END AS DOUBLE)"


def as_score(column: str) -> str:
    """A column as a number, also NULL for integers that differ but would tie as floats."""
    number, written = as_number(column), f"CAST({quote(column)} AS VARCHAR)"
    kind = f"typeof({quote(column)})"
    text = f"{kind} = 'VARCHAR' AND regexp_full_match({written}, '\\s*[+-]?[0-9]+\\.0*\\s*')"
    integer = (
        f"({kind} LIKE 'DECIMAL%' OR regexp_full_match({written}, '\\s*[+-]?[0-9]+\\s*') OR {text})"
    )
    exact = f"abs(TRY_CAST({written} AS HUGEINT)) <= {EXACT}"
    tied = f"abs({number}) >= {EXACT} AND {integer} AND NOT coalesce({exact}, false)"
    return f"CASE WHEN {tied} THEN NULL ELSE {number} END"
