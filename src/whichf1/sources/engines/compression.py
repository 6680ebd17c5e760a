"""Compressed files: recognised by their first bytes and checked to be whole before they count.

DuckDB passes over a wrong checksum in gzip and over the missing end of a zstd file, either of
which would give a wrong number.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, TypeAlias

from whichf1.errors import FileError

Compression: TypeAlias = Literal["none", "gzip", "zstd"]

MAGIC: dict[bytes, Compression] = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
CHUNK = 1 << 20


def compression_of(start: bytes) -> Compression:
    """What the first bytes of a file say, whatever its name is."""
    return next((word for magic, word in MAGIC.items() if start.startswith(magic)), "none")


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
            found = connection.execute(
                "SELECT line FROM read_csv(?, auto_detect=false, header=false, "
                "columns={line: 'VARCHAR'}, delim=chr(1), quote='', escape='', compression='zstd')",
                [str(path)],
            )
            while rows := found.fetchmany(1000):
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
            while file.read(CHUNK):
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
