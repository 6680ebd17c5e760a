"""File formats: the columns of a file, the SQL that reads it, and what its errors mean.

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
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from whichf1.errors import FileError, InputError, ShapeError
from whichf1.sources.engines.database import Database, first_line, quote, text
from whichf1.sources.request import refuse_twins
from whichf1.tables.cells import Array

Compression: TypeAlias = Literal["none", "gzip", "zstd"]

PACKED_BY: dict[bytes, Compression] = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
BYTES = 1 << 20
"""Bytes of a compressed file that are checked at a time."""


def compression_of(start: bytes) -> Compression:
    """What the first bytes of a file say, whatever its name is."""
    return next((word for magic, word in PACKED_BY.items() if start.startswith(magic)), "none")


def lines(path: Path, compression: Compression) -> Iterator[bytes]:
    """The lines of the file's text; for headers and for finding a bad line, not for counting."""
    if compression == "zstd":
        yield from _zstd_lines(path)
        return
    with gzip.open(path, "rb") if compression == "gzip" else open(path, "rb") as file:
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


def refuse_broken(path: Path, name: str, compression: Compression) -> None:
    """Raise if a compressed file is cut off or does not have its checksum."""
    if compression == "gzip":
        _check_gzip(path, name)
    elif compression == "zstd":
        _check_zstd(path, name)


def _check_gzip(path: Path, name: str) -> None:
    try:
        with gzip.open(path, "rb") as file:
            while file.read(BYTES):
                pass
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(f"{name} is a damaged gzip file: {error}. Get the file again.") from None


def _check_zstd(path: Path, name: str) -> None:
    """Walk the frames and blocks without unpacking them (RFC 8878, section 3.1)."""
    with open(path, "rb") as file:
        size = path.stat().st_size
        while file.tell() < size:
            if not _skip_frame(file) or file.tell() > size:
                raise FileError(
                    f"{name} is a damaged zstd file: it is cut off or followed by something "
                    "else. Get the file again."
                )


def _skip_frame(file: Any) -> bool:
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


ENDS = {b"\r\n": "CR LF", b"\n": "LF"}
FIRST_LINES = 100
"""Lines of JSON in which the names of the columns are looked up."""
GOOD = "json_type(json) = 'OBJECT' AND len(json_keys(json)) = len(list_distinct(json_keys(json)))"
"""What a line must be; read_json would not see a key that stands twice when it ignores errors."""


def csv_columns(path: Path, name: str, delimiter: str, compression: Compression) -> list[str]:
    """The names in the header."""
    try:
        first = next(lines(path, compression), b"")
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(f"cannot read {name}: {error}") from None
    if not first.strip():
        raise FileError(f"{name} is empty. It needs a header and one line per item.")
    if first[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise FileError(f"{name}, line 1: the text is UTF-16. Save it as UTF-8.")
    try:
        columns = next(
            csv.reader(io.StringIO(first.decode("utf-8-sig")), delimiter=delimiter, strict=True)
        )
    except (UnicodeDecodeError, csv.Error, StopIteration) as error:
        raise FileError(f"{name}, line 1: the header cannot be read: {error}") from None
    refuse_twins(columns, name)
    return columns


def csv_view(
    path: Path, columns: list[str], delimiter: str, compression: Compression, skip: bool
) -> str:
    """SQL that reads the file."""
    types = ", ".join(f"{text(column)}: 'VARCHAR'" for column in columns)
    lenient = ", ignore_errors=true, store_rejects=true" if skip else ""
    return (
        f"read_csv({text(str(path))}, auto_detect=false, header=true, columns={{{types}}}, "
        f"delim={text(delimiter)}, quote='\"', escape='\"', allow_quoted_nulls=false, "
        f"strict_mode=true, compression={text(compression)}{lenient})"
    )


def csv_skipped(database: Database) -> tuple[str, ...]:
    """What the reader skipped: kinds of errors, how many lines, and the first."""
    rows = database.run(
        "SELECT error_type, count(DISTINCT line), min(line) FROM reject_errors "
        "GROUP BY 1 ORDER BY 3",
        first_line,
    )
    return tuple(f"{n:,} lines ({kind.lower()}, first line {line:,})" for kind, n, line in rows)


def explain_csv(said: str, path: Path, name: str, compression: Compression) -> str:
    """What an error of DuckDB's means for a CSV file."""
    bad_line = re.search(r"CSV Error on Line: (\d+)", said)
    if bad_line is None and "invalid state" in said:
        mixed = _mixed_ends(path, compression)
        if mixed:
            return f"{name}, {mixed}. Save it with one kind of line end."
    if bad_line is None:
        return f"{name} is not a well-formed CSV file: {first_line(said)}"
    line = int(bad_line[1])
    widths = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", said)
    if widths:
        why = f"{widths[2]} cells where the header has {widths[1]}"
    elif "unterminated quote" in said:
        why = "a quote that is not closed, or text after a closing quote"
    elif "unicode" in said:
        why = "bytes that are not UTF-8"
    else:
        why = first_line(said)
    return f"{name}, line {line:,}: {why}. Fix the line, or skip such lines with --on-error skip"


def _mixed_ends(path: Path, compression: Compression) -> str | None:
    first: bytes | None = None
    for number, line in enumerate(lines(path, compression), 1):
        end = next((each for each in ENDS if line.endswith(each)), None)
        first = first or end
        if end is not None and first is not None and end != first:
            return f"line {number:,}: it ends with {ENDS[end]}, line 1 with {ENDS[first]}"
    return None


def jsonl_view(path: Path, columns: list[str], compression: Compression, skip: bool) -> str:
    """SQL that reads these keys of every line, as JSON texts: 1 and "1" stay apart."""
    how = _json_options(path, compression)
    if not skip:
        types = ", ".join(f"{quote(column)}: 'JSON'" for column in columns)
        return f"read_json({how}, columns={{{types}}})"
    shown = ", ".join(
        f"nullif(json_extract(json, {text(_json_path(column))}), 'null') AS {quote(column)}"
        for column in columns
    )
    return f"(SELECT {shown} FROM read_json_objects({how}, ignore_errors=true) WHERE {GOOD})"


def jsonl_skipped(
    database: Database, path: Path, compression: Compression, explain: Callable[[str], str]
) -> tuple[str, ...]:
    """How many lines were skipped because they hold no JSON object."""
    how = _json_options(path, compression)
    query = (
        f"SELECT count(*) FROM read_json_objects({how}, ignore_errors=true) "
        f"WHERE NOT coalesce({GOOD}, false)"
    )
    ((n,),) = database.run(query, explain)
    return (f"{n:,} lines that are not a JSON object",) if n else ()


def _json_options(path: Path, compression: Compression) -> str:
    packed = "uncompressed" if compression == "none" else compression
    return f"{text(str(path))}, format='newline_delimited', compression={text(packed)}"


def _json_path(key: str) -> str:
    return f"$.{json.dumps(key, ensure_ascii=False)}"


def jsonl_columns(path: Path, name: str, compression: Compression, skip: bool = False) -> list[str]:
    """The keys of the first lines of a file."""
    try:
        return keys_of(islice(lines(path, compression), FIRST_LINES), name, skip)
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(f"cannot read {name}: {error}") from None


def keys_of(lines: Iterable[bytes], name: str, skip: bool) -> list[str]:
    """The keys of the objects in some lines."""
    keys: dict[str, None] = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            with suppress(*[FileError] if skip else []):
                keys |= dict.fromkeys(_object(line, name, number))
    if not keys:
        raise FileError(f"{name} is empty. It needs one JSON object per line and item.")
    columns = list(keys)
    refuse_twins(columns, name)
    return columns


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


def explain_jsonl(said: str, path: Path, name: str, compression: Compression) -> str:
    """What an error of DuckDB's means for JSON lines: the first bad line, found again."""
    try:
        for number, line in enumerate(lines(path, compression), 1):
            if line.strip():
                _object(line, name, number)
    except FileError as error:
        return f"{error} Fix the line, or skip such lines with --on-error skip"
    except (OSError, EOFError, zlib.error) as error:
        return f"cannot read {name}: {error}"
    return f"{name} is not a well-formed file of JSON lines: {first_line(said)}"


ITEMS = 1 << 20
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
    try:
        with ExitStack() as stack:
            archive = stack.enter_context(zipfile.ZipFile(path))
            files = [stack.enter_context(archive.open(f"{column}.npy")) for column in columns]
            heads = [_npy_head(file) for file in files]
            _refuse_shapes(dict(zip(columns, heads, strict=True)), name)
            items = heads[0][0][0]
            size = max(items, 1) if whole else ITEMS
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
