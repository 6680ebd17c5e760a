"""File formats: the columns of a file, the view that SQL has of it, and what its errors mean.

Text (CSV, TSV, JSON lines) is read strictly, every column as it is written, with errors that name
the line. Parquet, Arrow IPC and npz have typed columns. Compression is recognised by a file's first
bytes, and a compressed file is checked to be complete before it counts: DuckDB ignores a wrong
checksum in gzip and the missing end of a zstd file, either of which would give a wrong number.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from whichf1.errors import FileError, InputError, ShapeError
from whichf1.sources.engines.database import Database, first_line, quote, text
from whichf1.sources.request import Reading, refuse_twins
from whichf1.tables.cells import Array

Compression: TypeAlias = Literal["none", "gzip", "zstd"]

PACKED_BY: dict[bytes, Compression] = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
BYTES = 1 << 20
"""Bytes of a compressed file that are checked at a time."""
ENDS = {b"\r\n": "CR LF", b"\n": "LF"}
FIRST_LINES = 100
"""Lines of JSON in which the names of the columns are looked up."""
GOOD = "json_type(json) = 'OBJECT' AND len(json_keys(json)) = len(list_distinct(json_keys(json)))"
"""What a line must be; read_json would not see a key that stands twice when it ignores errors."""
ITEMS = 1 << 20
"""Items of an npz file that are counted at a time."""
UNREADABLE = (OSError, EOFError, zlib.error)
FIX = "Fix the line, or skip such lines with --on-error skip"


def compression_of(start: bytes) -> Compression:
    """What the first bytes of a file say, whatever its name is."""
    return next((word for magic, word in PACKED_BY.items() if start.startswith(magic)), "none")


class Shown(NamedTuple):
    """What of a file is made visible to SQL."""

    available: list[str]
    """All columns that it has."""
    used: list[str]
    skip: bool = False
    """Whether malformed lines are skipped."""
    whole: bool = False
    """Whether all items are shown at once, even of a file that is read in pieces."""


@dataclass(frozen=True)
class File(ABC):
    """One file, looked at from outside."""

    path: Path
    compression: Compression
    size: int
    changed: int
    title: ClassVar[str]
    """What a damaged one is called."""
    reading: ClassVar[Reading] = "typed"
    """What its values are."""

    @property
    def name(self) -> str:
        """Its name in messages."""
        return repr(str(self.path))

    def columns(self, database: Database, skip: bool = False) -> list[str]:
        """The names of its columns; a compressed file is checked to be whole first."""
        self._refuse_broken()
        try:
            columns = self._columns(database, skip)
        except UNREADABLE as error:
            raise FileError(f"cannot read {self.name}: {error}") from None
        refuse_twins(columns, self.name)
        return columns

    def _refuse_broken(self) -> None:
        """Raise if a compressed file is cut off or does not have its checksum."""
        damaged = f"{self.name} is a damaged {self.compression} file: "
        if self.compression == "gzip":
            try:
                with gzip.open(self.path, "rb") as file:
                    while file.read(BYTES):
                        pass
            except UNREADABLE as error:
                raise FileError(f"{damaged}{error}. Get the file again.") from None
        elif self.compression == "zstd":
            with open(self.path, "rb") as packed:
                while packed.tell() < self.size:
                    if not _skip_frame(packed) or packed.tell() > self.size:
                        raise FileError(
                            f"{damaged}it is cut off or followed by something else. "
                            "Get the file again."
                        )

    @abstractmethod
    def _columns(self, database: Database, skip: bool) -> list[str]: ...

    def views(self, database: Database, view: str, shown: Shown) -> Iterator[None]:
        """Make the items visible to SQL under a name: at once, or piece by piece."""
        for items in self._items(shown):
            if isinstance(items, str):
                query = f"CREATE OR REPLACE VIEW {view} AS SELECT * FROM {items}"
                database.run(query, self.explain)
                yield
            else:
                database.connection.register(view, items)
                yield
                database.connection.unregister(view)
        now = os.stat(self.path)
        if (now.st_size, now.st_mtime_ns) != (self.size, self.changed):
            raise FileError(
                f"{self.name} changed while it was read ({self.size:,} bytes before, "
                f"{now.st_size:,} after). Count it again when it is finished."
            )

    @abstractmethod
    def _items(self, shown: Shown) -> Iterator[Any]:
        """SQL that reads the file, or what DuckDB scans in its place."""

    def explain(self, said: str) -> str:
        """What an error of DuckDB's means for this file."""
        return f"{self.name} is a damaged {self.title} file: {first_line(said)}"

    def skipped(self, database: Database) -> tuple[str, ...]:
        """Which of its lines were skipped, after they were read with ``skip``."""
        return ()

    def line(self, item: int) -> str:
        """In which line an item stands, if that is known."""
        return ""

    def lines(self) -> Iterator[bytes]:
        """The lines of its text; for headers and for finding a bad line, not for counting."""
        if self.compression == "zstd":
            yield from _zstd_lines(self.path)
            return
        opened = gzip.open if self.compression == "gzip" else open
        with opened(self.path, "rb") as file:
            yield from file


def _zstd_lines(path: Path) -> Iterator[bytes]:
    """Python has no zstd before 3.14, DuckDB has one: a table of one column without a delimiter."""
    import duckdb

    with duckdb.connect(":memory:") as connection:
        try:
            result = connection.execute(
                "SELECT line FROM read_csv(?, auto_detect=false, header=false, "
                "columns={line: 'VARCHAR'}, delim=chr(1), quote='', escape='', compression='zstd')",
                [str(path)],
            )
            while rows := result.fetchmany(1000):
                yield from ((line or "").encode() + b"\n" for (line,) in rows)
        except duckdb.Error as error:
            raise OSError(str(error).splitlines()[0]) from None


def _skip_frame(file: Any) -> bool:
    """Walk the blocks of a frame without unpacking them (RFC 8878, section 3.1)."""
    magic = int.from_bytes(file.read(4), "little")
    if magic & 0xFFFFFFF0 == 0x184D2A50:  # a skippable frame
        file.seek(int.from_bytes(file.read(4), "little"), 1)
        return True
    descriptor = file.read(1)
    if magic != 0xFD2FB528 or not descriptor:
        return False
    flag = descriptor[0]
    single, checksum = flag >> 5 & 1, flag >> 2 & 1
    content = (1 if single else 0, 2, 4, 8)[flag >> 6]
    file.seek((1 - single) + (0, 1, 2, 4)[flag & 3] + content, 1)
    while True:
        header = file.read(3)
        if len(header) < 3:
            return False
        block = int.from_bytes(header, "little")
        kind, length = block >> 1 & 3, block >> 3
        file.seek(1 if kind == 1 else length, 1)  # kind 1 repeats one byte
        if block & 1:
            file.seek(4 * checksum, 1)
            return True


class CsvFile(File):
    """A header, and a line for each item."""

    title, reading, delimiter = "CSV", "text", ","

    def _columns(self, database: Database, skip: bool) -> list[str]:
        first = next(self.lines(), b"")
        if not first.strip():
            raise FileError(f"{self.name} is empty. It needs a header and one line per item.")
        if first[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise FileError(f"{self.name}, line 1: the text is UTF-16. Save it as UTF-8.")
        try:
            header = io.StringIO(first.decode("utf-8-sig"))
            return next(csv.reader(header, delimiter=self.delimiter, strict=True))
        except (UnicodeDecodeError, csv.Error, StopIteration) as error:
            raise FileError(f"{self.name}, line 1: the header cannot be read: {error}") from None

    def _items(self, shown: Shown) -> Iterator[str]:
        types = ", ".join(f"{text(column)}: 'VARCHAR'" for column in shown.available)
        lenient = ", ignore_errors=true, store_rejects=true" if shown.skip else ""
        yield (
            f"read_csv({text(str(self.path))}, auto_detect=false, header=true, columns={{{types}}},"
            f" delim={text(self.delimiter)}, quote='\"', escape='\"', allow_quoted_nulls=false, "
            f"strict_mode=true, compression={text(self.compression)}{lenient})"
        )

    def skipped(self, database: Database) -> tuple[str, ...]:
        """Kinds of errors, how many lines have them, and the first."""
        rows = database.run(
            "SELECT error_type, count(DISTINCT line), min(line) FROM reject_errors "
            "GROUP BY 1 ORDER BY 3",
            first_line,
        )
        return tuple(f"{n:,} lines ({kind.lower()}, first line {line:,})" for kind, n, line in rows)

    def explain(self, said: str) -> str:
        """The line, and what is wrong with it."""
        bad_line = re.search(r"CSV Error on Line: (\d+)", said)
        if bad_line is None:
            mixed = self._mixed_ends() if "invalid state" in said else None
            return mixed or f"{self.name} is not a well-formed CSV file: {first_line(said)}"
        widths = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", said)
        if widths:
            why = f"{widths[2]} cells where the header has {widths[1]}"
        elif "unterminated quote" in said:
            why = "a quote that is not closed, or text after a closing quote"
        else:
            why = "bytes that are not UTF-8" if "unicode" in said else first_line(said)
        return f"{self.name}, line {int(bad_line[1]):,}: {why}. {FIX}"

    def _mixed_ends(self) -> str | None:
        first: bytes | None = None
        for number, line in enumerate(self.lines(), 1):
            end = next((each for each in ENDS if line.endswith(each)), None)
            first = first or end
            if end is not None and first is not None and end != first:
                return (
                    f"{self.name}, line {number:,}: it ends with {ENDS[end]}, line 1 with "
                    f"{ENDS[first]}. Save it with one kind of line end."
                )
        return None

    def line(self, item: int) -> str:
        """In which line an item stands."""
        return f" (line {item + 1:,} if no cell holds a line break)"


class TsvFile(CsvFile):
    """The same with tabs."""

    delimiter = "\t"


class JsonLinesFile(File):
    """A JSON object for each item, whose values are read as JSON texts: 1 and "1" stay apart."""

    title, reading = "JSON lines", "json"

    def _columns(self, database: Database, skip: bool) -> list[str]:
        return keys_of(islice(self.lines(), FIRST_LINES), self.name, skip)

    def _items(self, shown: Shown) -> Iterator[str]:
        if not shown.skip:
            types = ", ".join(f"{quote(column)}: 'JSON'" for column in shown.used)
            yield f"read_json({self._how}, columns={{{types}}})"
            return
        cells = ", ".join(
            f"nullif(json_extract(json, {text(_json_path(column))}), 'null') AS {quote(column)}"
            for column in shown.used
        )
        objects = f"read_json_objects({self._how}, ignore_errors=true)"
        yield f"(SELECT {cells} FROM {objects} WHERE {GOOD})"

    @property
    def _how(self) -> str:
        packed = "uncompressed" if self.compression == "none" else self.compression
        return f"{text(str(self.path))}, format='newline_delimited', compression={text(packed)}"

    def skipped(self, database: Database) -> tuple[str, ...]:
        """How many lines were skipped because they hold no JSON object."""
        query = (
            f"SELECT count(*) FROM read_json_objects({self._how}, ignore_errors=true) "
            f"WHERE NOT coalesce({GOOD}, false)"
        )
        ((n,),) = database.run(query, self.explain)
        return (f"{n:,} lines that are not a JSON object",) if n else ()

    def explain(self, said: str) -> str:
        """The first bad line, found again."""
        try:
            for number, line in enumerate(self.lines(), 1):
                if line.strip():
                    _object(line, self.name, number)
        except FileError as error:
            return f"{error} {FIX}"
        except UNREADABLE as error:
            return f"cannot read {self.name}: {error}"
        return f"{self.name} is not a well-formed file of JSON lines: {first_line(said)}"

    def line(self, item: int) -> str:
        """In which line an item stands."""
        return f" (line {item:,} if no line is blank)"


def _json_path(key: str) -> str:
    return f"$.{json.dumps(key, ensure_ascii=False)}"


def keys_of(lines: Iterable[bytes], name: str, skip: bool) -> list[str]:
    """The keys of the objects in some lines."""
    keys: dict[str, None] = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            with suppress(*[FileError] if skip else []):
                keys |= dict.fromkeys(_object(line, name, number))
    if not keys:
        raise FileError(f"{name} is empty. It needs one JSON object per line and item.")
    return list(keys)


def _object(line: bytes, name: str, number: int) -> dict[str, Any]:
    """The object of one line, or an error that names the line."""
    if number == 1 and line.startswith(b"\xef\xbb\xbf"):
        raise FileError(f"{name}, line 1: it starts with a byte order mark. Save it without one.")
    try:
        record = json.loads(line.decode("utf-8"), object_pairs_hook=_once)
    except UnicodeDecodeError:
        raise FileError(f"{name}, line {number:,}: bytes that are not UTF-8.") from None
    except ValueError as error:
        raise FileError(f"{name}, line {number:,}: not a JSON object: {error}") from None
    if not isinstance(record, dict):
        raise FileError(f"{name}, line {number:,}: not a JSON object but {line[:40]!r}")
    return record


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} appears twice")
    return record


class ParquetFile(File):
    """Typed columns, with the names of the top level."""

    title = "Parquet"

    def _columns(self, database: Database, skip: bool) -> list[str]:
        query = f"SELECT name, num_children FROM parquet_schema({text(str(self.path))})"
        rows = database.run(query, self.explain)
        columns, inside = [], 0  # the root stands first, then every column with its children
        for name, children in rows[1:]:
            if not inside:
                columns.append(name)
            inside = max(inside - 1, 0) + (children or 0)
        return columns

    def _items(self, shown: Shown) -> Iterator[str]:
        yield f"read_parquet({text(str(self.path))}, hive_partitioning=false)"


class ArrowFile(File):
    """An Arrow IPC file or stream, which DuckDB scans batch by batch."""

    title = "Arrow"

    def _columns(self, database: Database, skip: bool) -> list[str]:
        names: list[str] = self._table().schema.names
        return names

    def _items(self, shown: Shown) -> Iterator[Any]:
        yield self._table()

    def _table(self) -> Any:
        try:
            import pyarrow
            from pyarrow import dataset, ipc
        except ImportError:
            raise InputError("Arrow files need pyarrow: pip install pyarrow") from None
        try:
            with open(self.path, "rb") as file:
                whole = file.read(6) == b"ARROW1"
            if whole:
                return dataset.dataset(str(self.path), format="ipc")
            return ipc.open_stream(pyarrow.memory_map(str(self.path))).read_all()
        except (OSError, pyarrow.ArrowException) as error:
            raise FileError(f"{self.name} is a damaged Arrow file: {error}") from None


class NpzFile(File):
    """Arrays side by side."""

    title = "npz"

    def _columns(self, database: Database, skip: bool) -> list[str]:
        try:
            with zipfile.ZipFile(self.path) as archive:
                return [each.removesuffix(".npy") for each in archive.namelist()]
        except (OSError, zipfile.BadZipFile, RuntimeError) as error:
            raise FileError(f"{self.name} is a damaged npz file: {error}") from None

    def _items(self, shown: Shown) -> Iterator[dict[str, Array]]:
        """The arrays, piece by piece unless they are wanted whole."""
        try:
            with ExitStack() as stack:
                archive = stack.enter_context(zipfile.ZipFile(self.path))
                files = [
                    stack.enter_context(archive.open(f"{column}.npy")) for column in shown.used
                ]
                heads = [_npy_head(file) for file in files]
                _refuse_shapes(dict(zip(shown.used, heads, strict=True)), self.name)
                items = heads[0][0][0]
                size = max(items, 1) if shown.whole else ITEMS
                for start in range(0, items, size):
                    n = min(size, items - start)
                    yield {
                        column: _values(file.read(n * dtype.itemsize), dtype, n)
                        for column, file, (_, dtype) in zip(shown.used, files, heads, strict=True)
                    }
                for file in files:
                    file.read()  # to the end, where the checksum is compared
        except (OSError, EOFError, zipfile.BadZipFile, ValueError, RuntimeError) as error:
            if isinstance(error, InputError):
                raise
            raise FileError(f"{self.name} is a damaged npz file: {error}") from None


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


FORMATS: dict[str, type[File]] = {
    "csv": CsvFile,
    "tsv": TsvFile,
    "jsonl": JsonLinesFile,
    "parquet": ParquetFile,
    "arrow": ArrowFile,
    "npz": NpzFile,
}
