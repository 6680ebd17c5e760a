"""File formats: the columns of a file, its view in SQL, and the meaning of its errors.

Text (CSV, TSV, JSON lines) is read strictly, every column as it is written, with errors that name
the line. Parquet, Arrow IPC and npz have typed columns. Compression is recognised by a file's first
bytes, and a compressed file is checked to be complete before it counts: DuckDB ignores a wrong
checksum in gzip and the missing end of a zstd file, either of which would lead to a wrong number.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import struct
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import field
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from whichf1.errors import FileError, InputError, ShapeError, numbered, verb
from whichf1.sources.engines.database import Database, first_line, quote, text
from whichf1.sources.engines.remote import Copy
from whichf1.sources.request import Reading, refuse_twins
from whichf1.tables.cells import Array
from whichf1.tables.labels import Label
from whichf1.tables.records import dataclass

Compression: TypeAlias = Literal["none", "gzip", "zstd"]
Answered: TypeAlias = Callable[[Any], bool]
"""Takes a piece of a file: arrays by their names, or an Arrow table; False if SQL must see it."""

BUFFER = 4_000_000
"""Bytes of a CSV file in a buffer of DuckDB: twice its longest line. It holds several; its own ones
have 32 MB, and are no faster."""
PACKED_BY: dict[bytes, Compression] = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
BYTES = 1 << 20
"""Bytes of a compressed file that are checked at a time."""
MANY_COLUMNS = 1 << 12
"""Beyond these, the lines of a CSV file are cut up here: DuckDB takes time by their square."""
MOST_COLUMNS = 1 << 14
"""Columns that DuckDB reads, since only it can skip malformed lines."""
WIDE = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
"""Byte order marks, the longer ones first."""
ENDS = {b"\r\n": "CR LF", b"\n": "LF"}
FIRST_LINES = 100
"""How many lines of JSON are searched for the names of the columns."""
GOOD = "json_type(json) = 'OBJECT' AND len(json_keys(json)) = len(list_distinct(json_keys(json)))"
"""What a line must be; read_json would not notice a repeated key when it ignores errors."""
ITEMS = 1 << 20
"""Items of an npz or Arrow file that are counted at a time."""
PIECE = 64 << 20
"""Bytes of an npz file that are counted at a time."""
HEADER = 1 << 16
"""Bytes within which the header of a Parquet page ends."""
FIRST_FIELDS = 64
"""Bytes in which its fields before the statistics stand, of which the fourth is the checksum."""
UNREADABLE = (OSError, EOFError, zlib.error)
DAMAGED = (*UNREADABLE, zipfile.BadZipFile, ValueError, LookupError, RuntimeError, struct.error)
"""What reading an npz file may raise; a RuntimeError if it is encrypted."""
SKIP = "skip such lines with --on-error skip"
FIX = f"Fix the line, or {SKIP}"
NOT_UTF8 = "bytes that are not UTF-8. Save the file as UTF-8"


def compression_of(start: bytes) -> Compression:
    """The compression according to the first bytes of a file, whatever its name is."""
    return next((word for magic, word in PACKED_BY.items() if start.startswith(magic)), "none")


class Shown(NamedTuple):
    """Which items of a file are visible to SQL."""

    available: list[str]
    """All columns that it has."""
    used: list[str]
    skip: bool = False
    """Whether malformed lines are skipped."""
    whole: bool = False
    """Whether all items are shown at once, even if the file is read in pieces."""


@dataclass(frozen=True)
class File(ABC):
    """One file: its format, columns and errors."""

    path: Path
    compression: Compression
    size: int
    changed: int
    copy: Copy | None = None
    """The original, if this is a copy."""
    folders: Mapping[str, tuple[str | None, Label | None]] = field(default_factory=dict)
    """Columns that folders may add: the text, and its value."""
    title: ClassVar[str]
    """The name of the format in messages."""
    reading: ClassVar[Reading] = "typed"
    """The kind of its values."""
    longest: ClassVar[int] = 2 << 20
    """The longest line of text that DuckDB reads, in bytes."""

    @property
    def name(self) -> str:
        """Its name in messages."""
        return repr(str(self.path)) if self.copy is None else self.copy.name

    @property
    def sql(self) -> str:
        """Its path as SQL text, escaped so that DuckDB reads this file alone.

        DuckDB expands patterns, ~ and addresses such as file:/x, even if they are names of files.
        """
        path = os.path.abspath(self.path)
        plain = re.sub(r"[*?[]", r"[\g<0>]", path)
        try:
            path.encode()
        except UnicodeEncodeError:
            raise FileError(f"the name of {self.name} is not UTF-8. Rename the file.") from None
        if plain != path and "\\" in path and os.sep == "/":
            raise FileError(
                f"{self.name}: its name contains a backslash and one of *?[. Rename it."
            )
        return text(plain)

    def columns(self, database: Database, skip: bool = False) -> list[str]:
        """The names of its columns; a compressed file is first checked to be complete."""
        self._refuse_broken()
        try:
            columns = self._columns(database, skip)
        except UNREADABLE as error:
            raise FileError(f"cannot read {self.name}: {error}") from None
        refuse_twins(columns, self.name)
        return columns

    def added(self, present: Sequence[str]) -> list[str]:
        """The columns that its folders add; its own columns take precedence."""
        return [name for name in self.folders if name not in present]

    def _refuse_broken(self) -> None:
        """Raise if a compressed file is truncated or its checksum is wrong, or if a line is
        longer than DuckDB reads: it would not notice one at the end."""
        damaged = f"{self.name} is a damaged {self.compression} file: "
        if self.compression == "zstd":
            with open(self.path, "rb") as packed:
                while packed.tell() < self.size:
                    if not _skip_frame(packed) or packed.tell() > self.size:
                        raise FileError(
                            f"{damaged}it is truncated or followed by something else. "
                            "Get the file again."
                        )
        if self.reading == "typed":
            return
        try:
            with self._opened() as file:
                long = file is not None and _has_long_line(
                    file, self.longest, self.compression == "none"
                )
        except Exception as error:  # each library has its own
            raise FileError(f"{damaged}{error}. Get the file again.") from None
        if long:
            raise FileError(
                f"{self.name}: a line is longer than {self.longest >> 20} MiB. Is it a text file "
                "with a line for each item?"
            )

    def _opened(self) -> Any:
        """Its bytes, decompressed; None for zstd if no library can decompress it."""
        if self.compression == "zstd":
            return _open_zstd(self.path)
        return (gzip.open if self.compression == "gzip" else open)(self.path, "rb")

    def is_empty(self) -> bool:
        """Whether it is empty, without even a header."""
        return not self.size or (self.reading != "typed" and not next(self.lines(), b"").strip())

    @abstractmethod
    def _columns(self, database: Database, skip: bool) -> list[str]: ...

    def views(
        self, database: Database, view: str, shown: Shown, answered: Answered | None = None
    ) -> Iterator[None]:
        """Make the items visible to SQL under a name: at once, or piece by piece.

        Pieces of a file that is needed as a whole become a table, which need not fit in memory.
        Those that are ``answered`` without SQL are not shown to it.
        """
        kept, added = False, self.added(shown.available)
        own = shown._replace(used=[name for name in shown.used if name not in added])
        chosen = [*map(quote, own.used), *(self._constant(x) for x in shown.used if x in added)]
        select = f"SELECT {', '.join(chosen) or '*'} FROM"
        for items in self._items(own):
            if isinstance(items, str):
                query = f"CREATE OR REPLACE TEMP VIEW {view} AS {select} {items}"
                database.run(query, self.explain)
                yield
                continue
            if answered is not None and not added and answered(items):
                continue
            name = f"{view}_piece"
            database.connection.register(name, items)
            if shown.whole and isinstance(items, dict):
                into = f"INSERT INTO {view}" if kept else f"CREATE TABLE {view} AS"
                database.run(f"{into} {select} {name}", self.explain)
                kept = True
            else:
                database.run(f"CREATE OR REPLACE TEMP VIEW {view} AS {select} {name}", self.explain)
                yield
            database.connection.unregister(name)
        if kept:
            yield
        if self.copy is not None:
            self.copy.refuse_changed()
        now = os.stat(self.path)
        if (now.st_size, now.st_mtime_ns) != (self.size, self.changed):
            raise FileError(
                f"{self.name} changed while it was read ({self.size:,} bytes before, "
                f"{now.st_size:,} after). Count it again when it is finished."
            )

    def _constant(self, name: str) -> str:
        """A column that a folder adds, in SQL."""
        written, label = self.folders[name]
        value = {"text": written, "json": json.dumps(label), "typed": label}[self.reading]
        literal = text(value) if isinstance(value, str) else str(value)
        return f"{'NULL' if written is None else literal} AS {quote(name)}"

    @abstractmethod
    def _items(self, shown: Shown) -> Iterator[Any]:
        """SQL that reads the file, or what DuckDB scans instead."""

    def explain(self, said: str) -> str:
        """What an error of DuckDB means for this file."""
        if self.copy is not None:  # whose path means nothing to users
            path = re.escape(str(self.path))
            said = re.sub(rf"""(['"]?){path}\1""", lambda _: self.name, said)
        return self._meaning(said)

    def _meaning(self, said: str) -> str:
        return f"{self.name} is a damaged {self.title} file: {first_line(said)}"

    def skipped(self, database: Database) -> tuple[tuple[int, str], ...]:
        """How many lines were skipped, and which, after they were read with ``skip``."""
        return ()

    def line(self, item: int) -> str:
        """The line of an item, if it is known."""
        return ""

    def lines(self) -> Iterator[bytes]:
        """The lines of its text; for headers and for finding a bad line, not for counting."""
        if self.compression == "zstd":
            yield from _zstd_lines(self.sql)
            return
        with self._opened() as file:
            yield from file


def _open_zstd(path: Path) -> Any:
    """A zstd file, decompressed by Python (from 3.14 on) or by an installed library."""
    with suppress(ImportError):
        return import_module("compression.zstd").open(path)
    with suppress(ImportError):
        return import_module("zstandard").open(path)
    with suppress(ImportError):
        return import_module("pyarrow").input_stream(str(path), compression="zstd")
    return nullcontext()


def _has_long_line(file: Any, longest: int, seekable: bool) -> bool:
    """Whether a line is too long; in an uncompressed file, only the ends of lines are read."""
    if not seekable:
        run = 0
        while block := file.read(BYTES):
            end = block.rfind(b"\n")
            run = run + len(block) if end < 0 else len(block) - end
            if run > longest:
                return True
        return False
    size, start = file.seek(0, 2), 0
    while start + longest < size:
        for width in (1 << 14, longest):
            file.seek(start + longest - width)
            end = file.read(width).rfind(b"\n")
            if end >= 0:
                start += longest - width + end + 1
                break
        else:
            return True
    return False


def _zstd_lines(path: str) -> Iterator[bytes]:
    """The lines by DuckDB, since Python has no zstd before 3.14: one column without a delimiter."""
    import duckdb

    with duckdb.connect(":memory:") as connection:
        try:
            result = connection.execute(
                f"SELECT line FROM read_csv({path}, auto_detect=false, header=false, "
                "columns={line: 'VARCHAR'}, delim=chr(1), quote='', escape='', compression='zstd', "
                "hive_partitioning=false)"
            )
            while rows := result.fetchmany(1000):
                yield from ((line or "").encode() + b"\n" for (line,) in rows)
        except duckdb.Error as error:
            raise OSError(str(error).splitlines()[0]) from None


def _skip_frame(file: Any) -> bool:
    """Skip the blocks of a frame without decompressing them (RFC 8878, section 3.1)."""
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
        wide = next((word for start, word in WIDE.items() if first.startswith(start)), None)
        if wide is not None:
            raise FileError(f"{self.name}, line 1: the text is {wide}. Save it as UTF-8.")
        try:
            header = first.decode("utf-8-sig")
            names = next(csv.reader([header], delimiter=self.delimiter, strict=True))
            if skip and len(names) > MOST_COLUMNS:
                raise FileError(
                    f"{self.name} has {numbered(len(names), 'column')}, and malformed lines "
                    "are skipped in "
                    f"files with up to {MOST_COLUMNS:,}. Omit --on-error skip, or keep only the "
                    "columns that are needed."
                )
            return [name or f"column {at}" for at, name in enumerate(names, 1)]
        except UnicodeDecodeError:
            raise FileError(f"{self.name}, line 1: {NOT_UTF8}.") from None
        except (csv.Error, StopIteration) as error:
            raise FileError(f"{self.name}, line 1: the header cannot be read: {error}") from None

    def _items(self, shown: Shown) -> Iterator[Any]:
        if len(shown.available) > MANY_COLUMNS and not shown.skip:
            yield from self._cut(shown)
            return
        types = ", ".join(f"{text(column)}: 'VARCHAR'" for column in shown.available)
        lenient = ", ignore_errors=true, store_rejects=true" if shown.skip else ""
        yield (
            f"read_csv({self.sql}, hive_partitioning=false, auto_detect=false, header=true, "
            f"columns={{{types}}}, delim={text(self.delimiter)}, quote='\"', escape='\"', "
            f"allow_quoted_nulls=false, strict_mode=true, buffer_size={BUFFER}, "
            f"compression={text(self.compression)}{lenient})"
        )

    def _cut(self, shown: Shown) -> Iterator[dict[str, Array]]:
        """The used columns, piece by piece, of lines that are cut up here."""
        places = [shown.available.index(name) for name in shown.used]
        rows = _CsvRows(self.lines(), self.delimiter, max(places, default=0) + 1)
        rows.read()  # the header
        end, kept = rows.end, []
        while True:
            number = rows.number + 1
            try:
                cells, others = rows.read()
            except StopIteration:
                break
            except UnicodeDecodeError:
                raise FileError(f"{self.name}, line {number:,}: {NOT_UTF8}.") from None
            except csv.Error:
                why = "a quote that is not closed, or text after a closing quote"
                raise self._malformed(number, why) from None
            if rows.end not in (end, ""):
                raise FileError(self._mixed_ends() or f"{self.name} has several kinds of line ends")
            if cells == [None] and not others:
                continue  # a blank line
            if len(cells) + others != len(shown.available):
                width = len(shown.available)
                why = f"{numbered(len(cells) + others, 'cell')} where the header has {width}"
                raise self._malformed(number, why)
            kept.append([cells[at] for at in places])
            if len(kept) == ITEMS:
                yield _piece(shown.used, kept)
                kept = []
        if kept:
            yield _piece(shown.used, kept)

    def _malformed(self, number: int, why: str) -> FileError:
        return FileError(f"{self.name}, line {number:,}: {why}. Fix the line.")

    def skipped(self, database: Database) -> tuple[tuple[int, str], ...]:
        """The kinds of errors, how many lines have them, and the first line."""
        rows = database.run(
            "SELECT error_type, count(DISTINCT line), min(line) FROM reject_errors "
            "GROUP BY 1 ORDER BY 3",
            first_line,
        )
        database.run("DELETE FROM reject_errors", first_line)  # for the next file of a pattern
        return tuple(
            (n, f"{numbered(n, 'line')} ({kind.lower()}, first line {line:,})")
            for kind, n, line in rows
        )

    def _meaning(self, said: str) -> str:
        """The line, and what is wrong with it."""
        bad_line = re.search(r"CSV Error on Line: (\d+)", said)
        if bad_line is None:
            mixed = self._mixed_ends() if "invalid state" in said else None
            return mixed or f"{self.name} is not a well-formed CSV file: {first_line(said)}"
        widths = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", said)
        if widths:
            why = f"{numbered(int(widths[2]), 'cell')} where the header has {widths[1]}. {FIX}"
        elif "unterminated quote" in said:
            why = f"a quote that is not closed, or text after a closing quote. {FIX}"
        elif "unicode" in said:
            why = f"{NOT_UTF8}, or {SKIP}"
        else:
            why = f"{first_line(said)}. {FIX}"
        return f"{self.name}, line {int(bad_line[1]):,}: {why}"

    def _mixed_ends(self) -> str | None:
        first: bytes | None = None
        for number, line in enumerate(self.lines(), 1):
            end = next((each for each in ENDS if line.endswith(each)), None)
            first = first or end
            if end is not None and first is not None and end != first:
                return (
                    f"{self.name}, line {number:,}: it ends with {ENDS[end]}, line 1 with "
                    f"{ENDS[first]}. Save the file with one kind of line ending."
                )
        return None

    def line(self, item: int) -> str:
        """The line of an item."""
        return f" (line {item + 1:,} if no cell holds a line break)"


def _piece(names: Sequence[str], rows: Sequence[Sequence[str | None]]) -> dict[str, Array]:
    columns = zip(*rows, strict=True)
    return {x: np.array(y, object) for x, y in zip(names, columns, strict=True)}


class _CsvRows:
    """Lines of text cut into cells: the first ones are wanted, the others only counted."""

    def __init__(self, lines: Iterator[bytes], delimiter: str, wanted: int) -> None:
        self._lines, self._delimiter, self._wanted = lines, delimiter, wanted
        self.number = 0
        """Of the line that was read last."""
        self.end = ""
        """How that line ends."""

    def _next(self) -> str:
        line = next(self._lines).decode()
        self.number += 1
        self.end = "\r\n" if line.endswith("\r\n") else "\n" if line.endswith("\n") else ""
        return line

    def read(self) -> tuple[list[str | None], int]:
        """The cells of a row, None for an empty one without quotes, and how many others it has."""
        line = self._next()
        if '"' in line:
            return self._quoted(line), 0
        plain = line[: len(line) - len(self.end)]
        cells: list[Any] = plain.split(self._delimiter, self._wanted)
        others = cells.pop().count(self._delimiter) + 1 if len(cells) > self._wanted else 0
        return [cell or None for cell in cells], others

    def _quoted(self, line: str) -> list[str | None]:
        cells: list[str | None] = []
        at = 0
        while True:
            if line[at : at + 1] == '"':
                cell, at, line = self._closed(line, at + 1)
                cells.append(cell)
                end = len(line) - len(self.end)
                while at < end and line[at] == " ":
                    at += 1
                if at < end and line[at] != self._delimiter:
                    raise csv.Error
            else:
                end = len(line) - len(self.end)
                stop = line.find(self._delimiter, at)
                stop = end if stop < 0 else stop
                cells.append(line[at:stop] or None)
                at = stop
            if at >= end:
                return cells
            at += 1

    def _closed(self, line: str, start: int) -> tuple[str, int, str]:
        """The text of a cell in quotes, the place after it, and the row as far as it was read."""
        at = start
        while True:
            end = line.find('"', at)
            if end < 0:
                at = len(line)
                try:
                    line += self._next()
                except StopIteration:
                    raise csv.Error from None
            elif line[end + 1 : end + 2] == '"':
                at = end + 2
            else:
                return line[start:end].replace('""', '"'), end + 1, line


class TsvFile(CsvFile):
    """The same, separated by tabs."""

    delimiter = "\t"


class JsonLinesFile(File):
    """A JSON object for each item, whose values are read as JSON texts: 1 and "1" stay distinct."""

    title, reading, longest = "JSON lines", "json", 16 << 20

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
        return (
            f"{self.sql}, format='newline_delimited', compression={text(packed)}, "
            "hive_partitioning=false"
        )

    def skipped(self, database: Database) -> tuple[tuple[int, str], ...]:
        """How many lines were skipped because they do not hold a JSON object."""
        query = (
            f"SELECT count(*) FROM read_json_objects({self._how}, ignore_errors=true) "
            f"WHERE NOT coalesce({GOOD}, false)"
        )
        ((n,),) = database.run(query, self.explain)
        said = f"{numbered(n, 'line')} that {verb(n, 'is', 'are')} not a JSON object"
        return ((n, said),) if n else ()

    def _meaning(self, said: str) -> str:
        """The first bad line, read again."""
        try:
            for number, line in enumerate(self.lines(), 1):
                if line.strip():
                    _object(line, self.name, number)
        except FileError as error:
            why = str(error)
            return f"{why[:-1]}, or {SKIP}" if NOT_UTF8 in why else f"{why} {FIX}"
        except UNREADABLE as error:
            return f"cannot read {self.name}: {error}"
        return f"{self.name} is not a well-formed file of JSON lines: {first_line(said)}"

    def line(self, item: int) -> str:
        """The line of an item."""
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
        raise FileError(f"{name}, line {number:,}: {NOT_UTF8}.") from None
    except (ValueError, RecursionError) as error:
        raise FileError(f"{name}, line {number:,}: not a JSON object: {error}.") from None
    if not isinstance(record, dict):
        raise FileError(f"{name}, line {number:,}: not a JSON object but {line[:40]!r}.")
    return record


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        ((twice, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key {twice!r} appears twice")
    return record


class ParquetFile(File):
    """Typed columns, with the names of the top level."""

    title = "Parquet"

    def _columns(self, database: Database, skip: bool) -> list[str]:
        query = f"SELECT name, num_children FROM parquet_schema({self.sql})"
        rows = database.run(query, self.explain)
        columns, inside = [], 0  # the root comes first, then every column with its children
        for name, children in rows[1:]:
            if not inside:
                columns.append(name)
            inside = max(inside - 1, 0) + (children or 0)
        return columns

    def views(
        self, database: Database, view: str, shown: Shown, answered: Answered | None = None
    ) -> Iterator[None]:
        """All items, after checking the checksums of the pages, which DuckDB ignores."""
        if self.copy is not None or self._has_checksums():
            self._check_pages(database, {*shown.used})
        yield from super().views(database, view, shown, answered)

    def _has_checksums(self) -> bool:
        """Whether the first page has one: a program writes them into all pages, or into none."""
        with open(self.path, "rb", buffering=0) as file:
            file.seek(len(b"PAR1"))
            data = file.read(FIRST_FIELDS)
        try:
            header, _ = _thrift_struct(data, 0, last=4)
        except (IndexError, ValueError):
            return True  # not a page: look at all of them
        return {*header} != {1, 2, 3}

    def _check_pages(self, database: Database, used: set[str]) -> None:
        """Fetch the used columns of a remote file, and raise if a page has a wrong checksum."""
        query = (
            "SELECT path_in_schema, coalesce(dictionary_page_offset, data_page_offset), "
            f"data_page_offset, total_compressed_size FROM parquet_metadata({self.sql})"
        )
        places = {}
        for path, first, other, size in database.run(query, self.explain):
            start = max(0, min(first or other, other))
            ends = (at for at, letter in enumerate(path) if letter in ",.")  # of a whole column
            if path in used or any(path[:at] in used for at in ends):
                places[start, start + size] = path
        if self.copy is not None:
            self.copy.fetch([*places])
        with open(self.path, "rb", buffering=0) as file:
            for (start, end), path in places.items():
                if not _pages_match(file, start, end):
                    raise FileError(
                        f"{self.name} is a damaged Parquet file: a page of column {path!r} has "
                        "a wrong checksum. Get the file again."
                    )

    def _items(self, shown: Shown) -> Iterator[str]:
        yield f"read_parquet({self.sql}, hive_partitioning=false)"


def _pages_match(file: Any, at: int, end: int) -> bool:
    """Whether the pages of a column match the checksums in their headers, if there are any."""
    checked = False
    while at < end:
        file.seek(at)
        data = file.read(HEADER if checked else FIRST_FIELDS)
        try:
            if not checked and 4 not in _thrift_struct(data, 0, last=4)[0]:
                return True
            header, length = _thrift_struct(data + file.read(HEADER), 0)
        except (IndexError, ValueError):
            return not checked
        size, checksum = header.get(3, 0), header.get(4)
        if checksum is None or size < 0:
            return not checked
        file.seek(at + length)
        if zlib.crc32(file.read(size)) != checksum & 0xFFFFFFFF:
            return False
        checked, at = True, at + length + size
    return True


def _thrift_struct(data: bytes, at: int, last: float = float("inf")) -> tuple[dict[int, Any], int]:
    """The fields of a structure of Thrift's compact protocol by number, and where it ends.

    Fields come in order; those after the ``last`` that is wanted are not looked at.
    """
    fields: dict[int, Any] = {}
    number = 0
    while head := data[at]:
        at += 1
        if head >> 4:
            number += head >> 4
        else:
            number, at = _thrift_value(data, at, 4)
        if number > last:
            break
        fields[number], at = _thrift_value(data, at, head & 15)
    return fields, at + 1


def _thrift_value(data: bytes, at: int, kind: int) -> tuple[Any, int]:
    """A value of some type, and where it ends."""
    if kind in (1, 2):  # a boolean is in its type
        return kind == 1, at
    if kind in (3, 7):
        return data[at], at + (1 if kind == 3 else 8)
    if kind == 12:
        return _thrift_struct(data, at)
    value = shift = 0
    while data[at] & 128:
        value, shift, at = value | (data[at] & 127) << shift, shift + 7, at + 1
    value, at = value | data[at] << shift, at + 1
    if kind in (4, 5, 6):
        return value >> 1 ^ -(value & 1), at
    if kind == 8:
        return None, at + value
    raise ValueError(f"a page header has the unknown type {kind}")


class ArrowFile(File):
    """An Arrow IPC file or stream, checked and shown some batches at a time."""

    title = "Arrow"

    def _columns(self, database: Database, skip: bool) -> list[str]:
        for names, _ in self._batches(None):
            return names
        return []

    def _items(self, shown: Shown) -> Iterator[Any]:
        import pyarrow

        def table(batches: list[Any]) -> Any:
            whole = pyarrow.Table.from_batches(batches).unify_dictionaries()
            half = pyarrow.float16()  # which DuckDB does not know
            wide = [x.with_type(pyarrow.float32()) if x.type == half else x for x in whole.schema]
            return whole.cast(pyarrow.schema(wide)) if half in whole.schema.types else whole

        waiting: list[Any] = []
        for _, batch in self._batches(shown.used):
            if batch is None:
                continue
            waiting.append(batch)
            if not shown.whole and sum(map(len, waiting)) >= ITEMS:
                yield table(waiting)
                waiting = []
        if waiting:
            yield table(waiting)

    def _batches(self, used: list[str] | None) -> Iterator[tuple[list[str], Any]]:
        """The names of the columns with None first, then with each batch.

        Not memory-mapped, where a file that is truncated while it is read would crash the program;
        and checked, since wrong offsets and codes would crash it, too.
        """
        try:
            import pyarrow
            from pyarrow import ipc
        except ImportError:
            raise InputError("Arrow files need pyarrow: pip install pyarrow") from None
        try:
            with pyarrow.OSFile(os.fspath(self.path)) as file:
                whole = file.read(6) == b"ARROW1"
                file.seek(0)
                reader = ipc.open_file(file) if whole else ipc.open_stream(file)
                names = reader.schema.names
                yield names, None
                some = map(reader.get_batch, range(reader.num_record_batches)) if whole else reader
                for batch in some if used is not None else ():
                    batch.validate(full=True)
                    yield names, batch.select(used)
        except (OSError, EOFError, ValueError, pyarrow.ArrowException) as error:
            raise FileError(f"{self.name} is a damaged Arrow file: {error}") from None


class NpzFile(File):
    """One array for each column."""

    title = "npz"

    def _columns(self, database: Database, skip: bool) -> list[str]:
        try:
            with zipfile.ZipFile(self.path) as archive:
                return [each.removesuffix(".npy") for each in archive.namelist()]
        except DAMAGED as error:
            raise FileError(f"{self.name} is a damaged npz file: {error}") from None

    def _items(self, shown: Shown) -> Iterator[dict[str, Array]]:
        """The arrays, piece by piece."""
        try:
            with ExitStack() as stack:
                archive = stack.enter_context(zipfile.ZipFile(self.path))
                files = [
                    stack.enter_context(archive.open(f"{column}.npy")) for column in shown.used
                ]
                heads = [_npy_head(file) for file in files]
                _refuse_shapes(dict(zip(shown.used, heads, strict=True)), self.name)
                items = heads[0][0][0]
                row = sum(dtype.itemsize for _, dtype in heads)
                size = max(1, min(ITEMS, PIECE // max(row, 1)))
                for start in range(0, items, size):
                    n = min(size, items - start)
                    yield {
                        column: _values(file.read(n * dtype.itemsize), dtype, n)
                        for column, file, (_, dtype) in zip(shown.used, files, heads, strict=True)
                    }
                for file in files:
                    file.read()  # to the end, where the checksum is compared
        except InputError:
            raise
        except DAMAGED as error:
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
        raise EOFError("an array is truncated")
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
