"""Saving: tables as versioned JSON, and files that are written completely or not at all."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import stat
from base64 import b64decode, b64encode
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import Any
from zlib import compress, decompressobj
from zlib import error as zlib_error

import numpy as np

from whichf1.errors import FileError, MergeError
from whichf1.tables.cells import Array
from whichf1.tables.labels import Labels

FORMAT = "whichf1.counts"
VERSION = 1
"""Every file states its kind of table and has a checksum, except counts saved by older versions."""
STUDY = "study"
"""A kind that only studies read; for others, its module is not loaded."""


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file completely or not at all; every writer of the package uses this.

    Links are followed and the mode is kept, as editors do; pipes, devices and other special files
    are written to directly.
    """
    path = _path(path)
    try:
        old = _status(path)
        if old is not None and not stat.S_ISREG(old.st_mode):
            with open(path, "wb", buffering=0) as file:
                _write(file, content)
        else:
            _replace(os.path.realpath(path), content, old)
    except (OSError, ValueError) as error:  # a ValueError: a name with a null character
        why = getattr(error, "strerror", None) or error
        raise FileError(f"cannot write {path!r}: {why}") from None


def add_to(path: str | os.PathLike[str], content: bytes) -> None:
    """Add to the end of a file, completely or not at all."""
    try:
        before = Path(_path(path)).read_bytes()
    except FileNotFoundError:
        before = b""
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise FileError(f"cannot add to {path!r}: {why}") from None
    write_whole(path, before + content)


def _path(path: object) -> str:
    """A path as text; a number would be a file that is already open."""
    name = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(name, str):
        raise FileError(f"a path must be text or a pathlib.Path; got {path!r}")
    return name


def _status(path: str | os.PathLike[str]) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:  # a new file, or a link to one
        return None


def _replace(target: str, content: bytes, old: os.stat_result | None) -> None:
    """Replace a regular file by a new one, written under a random name next to it."""
    mode = 0o666 if old is None else stat.S_IMODE(old.st_mode)
    name = os.path.join(os.path.dirname(target), f".whichf1-{secrets.token_hex(8)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    number = os.open(name, flags, mode)
    try:
        with open(number, "wb", buffering=0) as file:
            _write(file, content)
            if old is not None:
                with suppress(OSError, AttributeError):  # only root may change the owner
                    shutil.chown(name, old.st_uid, old.st_gid)
                os.chmod(name, mode)
            os.fsync(file.fileno())
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def _write(file: Any, content: bytes) -> None:
    """Write all the content; a pipe may accept it in parts."""
    view = memoryview(content)
    while view:
        view = view[file.write(view) :]


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a file of counts."""
    name = _path(path)
    try:
        return Path(name).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:  # a ValueError: not UTF-8, or a null in the name
        raise FileError(f"cannot read counts from {name!r}: {error}") from None


def to_json(kind: str, record: Mapping[str, Any]) -> str:
    """The text that is saved; labels keep their types."""
    head = {"format": FORMAT, "version": VERSION, "kind": kind}
    text = json.dumps({**head, **record}, default=_plain)
    return f'{text[:-1]}, "checksum": "{_checksum(text)}"}}'


def _plain(value: Any) -> Any:
    """A NumPy array or number as plain Python."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise MergeError(
        f"{value!r} ({type(value).__name__}) cannot be saved. Turn it into text or a number first."
    )


def packed(column: Array) -> dict[str, Any]:
    """A column of many numbers, compressed: little-endian bytes as Base64 text."""
    little = np.ascontiguousarray(column, column.dtype.newbyteorder("<"))
    data = b64encode(compress(little.tobytes(), 1)).decode("ascii")
    return {"type": little.dtype.str[1:], "shape": [*column.shape], "data": data}


def _checksum(text: str) -> str:
    return sha256(text.encode("ascii")).hexdigest()[:16]


def from_json(text: str | bytes, name: str, kinds: Mapping[str, Any]) -> Any:
    """The table that was saved, of any of these kinds.

    ``name`` tells messages where the text came from.
    """
    try:
        record = json.loads(text, object_pairs_hook=_distinct)
        if not isinstance(record, dict) or record.pop("format", None) != FORMAT:
            raise ValueError(f"it has no {FORMAT!r}")
        version, kind = record.pop("version"), record.get("kind", "counts")
        if version != VERSION:
            raise ValueError(f"its version is {version!r}; this program reads {VERSION}")
        _refuse_damage(record)
        if kind == STUDY and kind not in kinds:
            raise FileError(f"{name} holds a study: pass it to whichf1.study (whichf1 study)")
        return Record(record).table(kinds, kind)
    except FileError:
        raise
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        raise FileError(
            f"{name} is not a complete file of counts: {str(error).rstrip('.')}. Count again and "
            "save."
        ) from None


def _refuse_damage(record: dict[str, Any]) -> None:
    """Raise unless the checksum matches; counts saved before there were kinds have none."""
    checksum = record.pop("checksum", None)
    if checksum is None and "kind" in record:
        raise ValueError("it has no checksum")
    whole = {"format": FORMAT, "version": VERSION, **record}
    if checksum is not None and checksum != _checksum(json.dumps(whole)):
        raise ValueError("its checksum does not match: it was damaged or edited")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise ValueError("a field appears twice")
    return record


class Record:
    """The fields of a saved table, each read and checked once."""

    def __init__(self, fields: Any) -> None:
        if not isinstance(fields, dict):
            raise ValueError("a table is not a record")
        self._left = fields
        self._left.pop("kind", None)

    def table(self, kinds: Mapping[str, Any], kind: Any) -> Any:
        """The table, all of whose fields are known."""
        if kind not in kinds:
            raise ValueError(f"it holds {kind!r}, which is not one of {', '.join(sorted(kinds))}")
        table = kinds[kind]._restored(self)
        self.refuse_rest()
        return table

    def refuse_rest(self) -> None:
        """Raise if there are fields that nothing has read."""
        if self._left:
            raise ValueError(f"{min(self._left)!r} is not one of its fields")

    def __contains__(self, name: str) -> bool:
        return name in self._left

    def take(self, name: str) -> Any:
        """A field, unchecked."""
        return self._left.pop(name)

    def rows(self, name: str) -> list[Any]:
        """A list."""
        value = self.take(name)
        self.expect(isinstance(value, list), f"{name!r} is not a list")
        return value  # type: ignore[no-any-return]

    @staticmethod
    def expect(right: object, otherwise: str) -> None:
        """Raise unless this is true."""
        if not right:
            raise ValueError(otherwise)

    def labels(self, name: str) -> Labels:
        """Ordered classes, or the names of clusters."""
        return Labels(self.rows(name))

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self.take(name)
        self.expect(isinstance(value, bool), f"{name!r} is neither true nor false")
        return bool(value)

    def text(self, name: str) -> str | None:
        """A text, which may be absent."""
        value = self._left.pop(name, None)
        self.expect(isinstance(value, (str, type(None))), f"its {name} is not text")
        return None if value is None else str(value)

    def codes(self, name: str, below: int, length: int | None = None) -> Array:
        """Whole numbers from 0 to below a limit, such as codes of labels."""
        values = self.rows(name)
        if not all(type(x) is int and 0 <= x < below for x in values):
            raise ValueError(f"a code of {name!r} is out of range")
        self._refuse_length(values, length)
        return np.array(values, np.intp)

    def positive(self, name: str, length: int | None = None, *, whole: bool = False) -> Array:
        """Numbers above 0."""
        column = self.numbers(name, length, whole=whole)
        self.expect((column > 0).all(), f"a value of {name!r} is not positive")
        return column

    def numbers(self, name: str, length: int | None = None, *, whole: bool = False) -> Array:
        """Finite numbers."""
        values = self.rows(name)
        kinds = (int,) if whole else (int, float)
        if any(type(x) not in kinds for x in values):
            raise ValueError(f"a {name} is not a {'whole ' * whole}number")
        if whole and any(abs(x) >= 2**63 for x in values):
            raise ValueError(f"a {name} exceeds 2**63")
        self._refuse_length(values, length)
        column = np.array(values, np.int64 if whole else np.float64)
        self.expect(np.isfinite(column).all(), f"a {name} is not finite")
        return column

    def names(self, name: str) -> Array:
        """The names of items: texts, or packed whole numbers."""
        if isinstance(self._left[name], dict):
            return self.packed(name, "i8", None)
        values = self.rows(name)
        self.expect(all(type(x) is str for x in values), f"a value of {name!r} is not a text")
        return np.array(values, np.str_)

    def packed(self, name: str, types: str, shape: tuple[int, ...] | None) -> Array:
        """A column that was packed, of one of these types ('i1i2i4') and of this shape."""
        array = self.take(name)
        self.expect(isinstance(array, dict) and array.keys() == {"type", "shape", "data"},
                    f"{name!r} is not a packed column")  # fmt: skip
        kind, size = array["type"], array["shape"]
        known = [types[at : at + 2] for at in range(0, len(types), 2)]
        self.expect(kind in known, f"the type of {name!r} is {kind!r}")
        right = isinstance(size, list) and all(type(x) is int and x >= 0 for x in size)
        self.expect(right and (len(size) == 1 if shape is None else tuple(size) == shape),
                    "its columns differ in length")  # fmt: skip
        number = np.dtype(f"<{kind}")
        length = prod(size) * number.itemsize
        unpacker = decompressobj()
        try:
            data = unpacker.decompress(b64decode(array["data"], validate=True), length + 1)
        except (zlib_error, TypeError) as error:
            raise ValueError(f"{name!r} cannot be unpacked: {error}") from None
        self.expect(len(data) == length, f"{name!r} does not have its stated length")
        return np.frombuffer(data, number).reshape(size).astype(number.newbyteorder("="))

    def width(self, name: str) -> tuple[int, ...]:
        """The last axis of a packed column that has three; nothing for any other."""
        own = self._left.get(name)
        size = own.get("shape") if isinstance(own, dict) else None
        return (size[2],) if isinstance(size, list) and len(size) == 3 else ()

    @staticmethod
    def _refuse_length(values: Any, length: int | None) -> None:
        if length is not None and len(values) != length:
            raise ValueError("its columns differ in length")
