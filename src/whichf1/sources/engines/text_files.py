"""CSV, TSV and JSON lines: strict, every column as it is written, and errors that name the line."""

from __future__ import annotations

import csv
import io
import json
import re
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from whichf1.errors import FileError
from whichf1.sources.engines.compression import Compression, lines
from whichf1.sources.engines.database import Database, first_line, quote, text

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


def refuse_twins(columns: list[str], name: str) -> None:
    """Raise if two names are alike: an engine would take one for the other."""
    lowered = [column.lower() for column in columns]
    for position, column in enumerate(lowered):
        if column in lowered[:position]:
            raise FileError(
                f"{name}: column {columns[position]!r} stands twice in the header "
                "(upper and lower case count as the same). Rename one."
            )


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
    """What the reader left out: the kinds of error, how many lines, the first."""
    rows = database.run(
        "SELECT error_type, count(DISTINCT line), min(line) FROM reject_errors "
        "GROUP BY 1 ORDER BY 3",
        first_line,
    )
    return tuple(f"{n:,} lines ({kind.lower()}, first line {line:,})" for kind, n, line in rows)


def explain_csv(said: str, path: Path, name: str, compression: Compression) -> str:
    """What an error of DuckDB's means for a CSV file."""
    found = re.search(r"CSV Error on Line: (\d+)", said)
    if found is None and "invalid state" in said:
        mixed = _mixed_ends(path, compression)
        if mixed:
            return f"{name}, {mixed}. Save it with one kind of line end."
    if found is None:
        return f"{name} is not a well-formed CSV file: {first_line(said)}"
    line = int(found[1])
    widths = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", said)
    if widths:
        why = f"{widths[2]} cells where the header has {widths[1]}"
    elif "unterminated quote" in said:
        why = "a quote that is not closed, or text after a closing quote"
    elif "unicode" in said:
        why = "bytes that are not UTF-8"
    else:
        why = first_line(said)
    return f"{name}, line {line:,}: {why}. Mend the line, or leave such lines out: --on-error skip"


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
    """How many lines were left out since they hold no JSON object."""
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
        raise ValueError(f"the key {twice!r} stands twice")
    return record


def explain_jsonl(said: str, path: Path, name: str, compression: Compression) -> str:
    """What an error of DuckDB's means for JSON lines: the first bad line, found again."""
    try:
        for number, line in enumerate(lines(path, compression), 1):
            if line.strip():
                _object(line, name, number)
    except FileError as error:
        return f"{error} Mend the line, or leave such lines out: --on-error skip"
    except (OSError, EOFError, zlib.error) as error:
        return f"cannot read {name}: {error}"
    return f"{name} is not a well-formed file of JSON lines: {first_line(said)}"
