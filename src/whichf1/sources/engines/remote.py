"""Remote files: behind an address, or in a file-like object.

They are copied to a temporary folder and then read like any file, with the same limits and
errors. Of a Parquet file, only the columns that are used are copied, to the same offsets.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import weakref
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from whichf1.errors import FileError, InputError, WhichF1Error, raise_alone
from whichf1.sources.address import Address
from whichf1.sources.request import is_path, kind_of

BYTES = 1 << 20
"""Bytes of an object that are copied at a time."""
SMALL = 1 << 20
"""Parquet files up to this many bytes are copied completely."""
PIECE = 1 << 24
"""Bytes that are requested at a time."""
TOGETHER = 4
"""Pieces that are in memory at a time."""
NOT_FOUND = 404
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""The error codes of a full disk."""
STAMPS = ("size", "ETag", "etag", "Last-Modified", "LastModified", "mtime", "updated", "created")
"""Facts that change when a file does."""


class Elsewhere(os.PathLike[str]):
    """Files that are copied when first read, and removed when no longer needed."""

    def __init__(self, name: str) -> None:
        self.name = name
        """In messages."""
        self._folder: Path | None = None
        self._copies: list[Copy] | None = None

    def __fspath__(self) -> str:
        (copy,) = self.copies()
        return str(copy.path)

    def __str__(self) -> str:
        return self.name

    def copies(self, *, all: bool = False) -> list[Copy]:
        """The copies, in order; ``all``: of all files in a folder."""
        if self._copies is None:
            self._copies = self._copied(all)
        return self._copies

    @abstractmethod
    def _copied(self, all: bool) -> list[Copy]:
        """Copy the files; ``all``: all files in a folder."""

    def _place(self, number: int = 0) -> Path:
        """Where a copy goes."""
        if self._folder is None:
            try:
                folder = Path(tempfile.gettempdir(), f"whichf1-{os.urandom(8).hex()}")
                # before the folder exists, so that a signal in between leaves nothing behind
                weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
                folder.mkdir(0o700)
            except OSError as error:
                raise_alone(_no_room(self.name, error))
            self._folder = folder
        return self._folder / str(number)


class Copy:
    """A copy of one file."""

    def __init__(self, path: Path, name: str, title: str, owner: Elsewhere) -> None:
        self.path, self.name, self.title = path, name, title
        """The copy; the name in messages; the name of the original, with its folders."""
        self._owner = owner  # whose folder exists as long as this

    def fetch(self, ranges: Sequence[tuple[int, int]]) -> None:
        """Copy these bytes as well, unless they are already here."""

    def refuse_changed(self) -> None:
        """Raise if the original has changed."""


def _no_room(name: str, error: OSError) -> FileError:
    return FileError(
        f"cannot copy {name} to a temporary folder: {error.strerror or error}. "
        "Set TMPDIR to a disk with more space."
    )


class OfObject(Elsewhere):
    """An object with a method ``read``: an open file, of bytes or of text."""

    def __init__(self, data: Any, name: str | None = None) -> None:
        title = getattr(data, "name", None)
        self._title = title if isinstance(title, str) else ""
        what = f" {self._title!r}" if self._title else ""
        super().__init__(name or f"the {type(data).__name__}{what}")
        self._data, self._whole = data, name is None

    def _copied(self, all: bool) -> list[Copy]:
        if self._whole:  # a stream with a name may have been advanced on purpose
            self._refuse_begun()
        path = self._place()
        try:
            with open(path, "wb") as file:
                while chunk := self._read():
                    file.write(chunk)
        except OSError as error:
            raise_alone(_no_room(self.name, error))
        return [Copy(path, self.name, self._title, self)]

    def _refuse_begun(self) -> None:
        """Raise if the first bytes would be missing."""
        try:
            place = self._data.tell()
        except Exception:  # a stream cannot tell
            return
        if place:
            raise FileError(
                f"{self.name} has been read up to {place:,}, and those bytes would be missing: "
                "rewind it with seek(0)"
            )

    def _read(self) -> bytes:
        try:
            chunk = self._data.read(BYTES)
            data = chunk.encode() if isinstance(chunk, str) else bytes(memoryview(chunk))
        except Exception as error:  # an object may raise anything
            raise_alone(FileError(f"cannot read {self.name}: {type(error).__name__}: {error}"))
        return data


class OfAddress(Elsewhere):
    """Files behind an address, or a pattern of addresses, as fsspec knows them."""

    def __init__(self, address: Address, options: Mapping[str, Any]) -> None:
        super().__init__(repr(address.name))
        self._address, self._options = address, dict(options)
        with self.errors():
            self._system, self._path = self._opened()

    @property
    def local(self) -> str | None:
        """The path of an address on this machine."""
        return self._path if "file" in _protocols(self._system) else None

    def _opened(self) -> tuple[Any, str]:
        try:
            from fsspec.core import url_to_fs
        except ImportError:
            raise_alone(InputError(f"{self.name} needs fsspec: pip install 'whichf1[remote]'"))
        text = self._address.text
        try:
            system, path = url_to_fs(text, **self._options)
            if _protocols(system) & {"http", "https"} and "client_kwargs" not in self._options:
                import aiohttp

                patient = aiohttp.ClientTimeout(total=None, sock_connect=30, sock_read=60)
                system = type(system)(client_kwargs={"timeout": patient}, **self._options)
        except ImportError as error:
            raise_alone(
                InputError(
                    f"{self.name} needs a further library ({error}): pip install 'whichf1[remote]'"
                )
            )
        except ValueError as error:
            if "not known" not in str(error).lower():
                raise
            raise_alone(
                FileError(
                    f"{self.name}: files cannot be read from {self._address.scheme}://. For a "
                    "database, name the rows: --table or --query (table=, query=)."
                )
            )
        import logging  # slow to import

        # what such a library logs is for those who set up logging; our error says the rest
        library = type(system).__module__.partition(".")[0]
        logging.getLogger(library).addHandler(logging.NullHandler())
        system.invalidate_cache()
        return system, path

    def _copied(self, all: bool) -> list[Copy]:
        with self.errors():
            return [self._copy(path, number) for number, path in enumerate(self._expanded(all))]

    def _expanded(self, all: bool) -> list[str]:
        """The paths of a pattern, or of a folder."""
        system, path = self._system, self._path
        web = bool(_protocols(system) & {"http", "https"})
        pattern = "*" in path.partition("?")[0] if web else any(x in path for x in "*?[")
        if pattern and (web or not system.exists(path)):
            paths = sorted(x for x in system.glob(path) if not web or not x.endswith("/"))
            paths = paths if web else [x for x in paths if system.isfile(x)]
            if not paths:
                raise FileError(f"cannot read {self.name}: no file matches this pattern")
            return paths
        if not web and system.isdir(path):
            if not all:
                raise FileError(
                    f"{self.name} is a folder. Name its files with a pattern such as "
                    f"{self.name[1:-1].rstrip('/')}/*.parquet; if it is partitioned, use --hive "
                    "(hive=True)"
                )
            return sorted(x for x in system.find(path) if is_data(x.removeprefix(path)))
        return [path]

    def _copy(self, path: str, number: int) -> Copy:
        alone = path == self._path
        name = self.name if alone else repr(Address(self._system.unstrip_protocol(path)).name)
        original = Original(self._system, path)
        copy = PartlyCopied(self._place(number), name, path.partition("?")[0], self, original)
        copy.begin()
        return copy

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Errors of any library as one of ours, without the secrets of an address."""
        try:
            yield
        except (WhichF1Error, MemoryError):
            raise
        except FileNotFoundError as error:
            cause = error.__cause__  # for HTTP, this includes no answer and no permission
            if isinstance(cause, Exception) and getattr(cause, "status", 0) != NOT_FOUND:
                raise_alone(self._failed(cause))
            raise_alone(FileError(f"cannot read {self.name}: there is no such file"))
        except OSError as error:
            if error.errno in FULL:
                raise_alone(_no_room(self.name, error))
            raise_alone(self._failed(error))
        except Exception as error:
            raise_alone(self._failed(error))

    def _failed(self, error: Exception) -> FileError:
        said = self._address.without_secrets(str(error), self._options)
        return FileError(f"cannot read {self.name}: {type(error).__name__}: {said}")


class Original:
    """The original file."""

    def __init__(self, system: Any, path: str) -> None:
        self._system, self._path = system, path
        info = system.info(path)
        self.size: int | None = info.get("size")
        self.stamp = {key: info[key] for key in STAMPS if key in info}

    def again(self) -> Original:
        """As it is now."""
        self._system.invalidate_cache()
        return Original(self._system, self._path)

    def copy(self, path: Path) -> None:
        """Copy the whole file."""
        self._system.get_file(self._path, str(path))

    def bytes(self, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """Some of its bytes."""
        starts, ends = zip(*ranges, strict=True)
        paths = [self._path] * len(ranges)
        parts: list[bytes] = self._system.cat_ranges(paths, starts, ends, on_error="raise")
        return parts


class PartlyCopied(Copy):
    """A copy of which some bytes may be missing: those of columns that are not used."""

    def __init__(
        self, path: Path, name: str, title: str, owner: OfAddress, original: Original
    ) -> None:
        super().__init__(path, name, title, owner)
        self._original = original
        self._owner: OfAddress = owner
        self._here: set[tuple[int, int]] | None = None
        """The bytes that are here; None: all of them."""

    def begin(self) -> None:
        """Copy the file, or the part that locates its columns."""
        size = self._original.size
        if size is not None and size > SMALL and self._begin_parquet(size):
            return
        self._here = None
        self._original.copy(self.path)
        copied = os.path.getsize(self.path)
        if size is not None and copied != size:
            raise FileError(
                f"{self.name} has {size:,} bytes, of which {copied:,} arrived. Count it again."
            )

    def _begin_parquet(self, size: int) -> bool:
        head, tail = self._original.bytes([(0, 8), (size - 8, size)])
        length = int.from_bytes(tail[:4], "little")
        whole = len(head) == len(tail) == 8 and length < size - 12
        if not whole or head[:4] != b"PAR1" or tail[4:] != b"PAR1":
            return False
        with open(self.path, "wb") as file:
            file.truncate(size)
            file.write(head)
        self._here = set()
        self.fetch([(size - 8 - length, size)])
        return True

    def fetch(self, ranges: Sequence[tuple[int, int]]) -> None:
        """Copy these bytes as well, unless they are already here."""
        if self._here is None:
            return
        wanted = [x for x in dict.fromkeys(ranges) if x not in self._here and x[0] < x[1]]
        pieces = [
            (at, min(at + PIECE, end)) for start, end in wanted for at in range(start, end, PIECE)
        ]
        before = os.stat(self.path)
        with self._owner.errors(), open(self.path, "r+b") as file:
            for at in range(0, len(pieces), TOGETHER):
                some = pieces[at : at + TOGETHER]
                for (start, end), data in zip(some, self._original.bytes(some), strict=True):
                    if len(data) != end - start:
                        raise FileError(
                            f"{self.name} returned {len(data):,} bytes instead of "
                            f"{end - start:,}. Count it again."
                        )
                    file.seek(start)
                    file.write(data)
        os.utime(self.path, ns=(before.st_atime_ns, before.st_mtime_ns))
        self._here |= {*wanted}

    def refuse_changed(self) -> None:
        """Raise if the original has changed, as parts of two versions would be mixed."""
        if self._here is None:
            return
        with self._owner.errors():
            changed = self._original.again().stamp != self._original.stamp
        if changed:
            raise FileError(
                f"{self.name} changed while it was read. Count it again when it is finished."
            )


def is_data(path: str) -> bool:
    """Whether a file of a folder holds data; one whose name starts with _ or . does not."""
    parts = path.replace(os.sep, "/").split("/")
    return not any(each.startswith(("_", ".")) for each in parts if "=" not in each)


def _protocols(system: Any) -> set[str]:
    protocol = system.protocol
    return {protocol} if isinstance(protocol, str) else {*protocol}


def elsewhere(data: Any, options: Mapping[str, Any] | None = None) -> Any:
    """Files that must be copied first; paths on this machine stay as they are."""
    if isinstance(data, Elsewhere):
        return data
    if not is_path(data):
        return OfObject(data)
    address = Address.of(data)
    if address is None:
        return data
    there = OfAddress(address, options or {})
    return there.local or there


def copied_once(data: Any, reading: Mapping[str, Any]) -> Any:
    """The same data, with remote files copied once, however often they are read."""
    if kind_of(data) != "files" or {"engine", "master", "query", "table"} & reading.keys():
        return data
    return elsewhere(data, reading.get("storage_options"))
