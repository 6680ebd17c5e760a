"""Saving: counts as versioned JSON, and files that appear whole or not at all."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import stat
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from whichf1.errors import FileError, MergeError
from whichf1.tables.cells import Array
from whichf1.tables.labels import Labels

FORMAT = "whichf1.counts"
VERSION = 1
FACTS = ("labels", "declared", "weighted")
COLUMNS = ("true", "predicted", "count", "decision", "squares", "cluster")
FIELDS = {"format", "version", *FACTS, *COLUMNS, "clusters", "checksum"}
"""Everything that a file may hold; those written before there were checksums have none."""


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file that appears whole or not at all: every writer of the package uses this.

    A link is followed and the mode is kept, as editors do; what is no plain file, such as a pipe
    or a device, is written to.
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


def _path(path: object) -> str:
    """A path as text; a number would be a file that is open already."""
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
    """Replace a plain file by a new one, written under a random name beside it."""
    mode = 0o666 if old is None else stat.S_IMODE(old.st_mode)
    name = os.path.join(os.path.dirname(target), f".whichf1-{secrets.token_hex(8)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    number = os.open(name, flags, mode)
    try:
        with open(number, "wb", buffering=0) as file:
            _write(file, content)
            if old is not None:
                with suppress(OSError, AttributeError):  # only root may give a file away
                    shutil.chown(name, old.st_uid, old.st_gid)
                os.chmod(name, mode)
            os.fsync(file.fileno())
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def _write(file: Any, content: bytes) -> None:
    """All of the content: a pipe may take it in parts."""
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


def to_json(counts: Any) -> str:
    """The text that is saved; labels keep their types."""
    if counts.cluster is not None and counts.cluster_names is None:
        raise MergeError("these clusters have no names: count the items again, then save")
    record: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    record |= {name: getattr(counts, name) for name in FACTS}
    columns = {name: getattr(counts, name) for name in COLUMNS}
    if counts.weighted and not _are_sums(columns["squares"]):  # no interval could use them
        del columns["squares"]
    record |= {name: column for name, column in columns.items() if column is not None}
    if counts.cluster_names is not None:
        record["clusters"] = counts.cluster_names
    text = json.dumps(record, default=np.ndarray.tolist)
    return f'{text[:-1]}, "checksum": "{_checksum(text)}"}}'


def _checksum(text: str) -> str:
    return sha256(text.encode("ascii")).hexdigest()[:16]


def from_json(text: str | bytes, name: str) -> dict[str, Any]:
    """The fields of the counts that were saved; ``name`` says in messages where they came from."""
    try:
        return _fields(json.loads(text, object_pairs_hook=_distinct))
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        raise FileError(
            f"{name} is not a complete file of counts: {error}. Count again and save."
        ) from None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise ValueError("a field stands in it twice")
    return record


def _fields(record: Any) -> dict[str, Any]:
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise ValueError(f"it has no {FORMAT!r}")
    if record["version"] != VERSION:
        raise ValueError(f"its version is {record['version']!r}; this program reads {VERSION}")
    if unknown := [*(record.keys() - FIELDS)]:
        raise ValueError(f"{min(unknown)!r} is not one of its fields")
    checksum = record.pop("checksum", None)
    if checksum is not None and checksum != _checksum(json.dumps(record)):
        raise ValueError("its checksum does not match: it was damaged or edited")
    labels, weighted, declared = Labels(record["labels"]), record["weighted"], record["declared"]
    true, predicted = (_codes(record[side], len(labels)) for side in ("true", "predicted"))
    if not weighted and any(type(x) is not int for x in record["count"]):
        raise ValueError("a count is not a whole number")
    count = _positive(record["count"], np.float64 if weighted else np.int64, "count")
    if not true.shape == predicted.shape == count.shape or count.ndim != 1:
        raise ValueError("its columns differ in length")
    fields: dict[str, Any] = {"labels": labels, "true": true, "predicted": predicted}
    fields |= {"count": count, "declared": declared, "decision": record.get("decision")}
    if not isinstance(fields["decision"], (str, type(None))):
        raise ValueError("its decision is not text")
    for name in ("declared", "weighted"):
        if not isinstance(record[name], bool):
            raise ValueError(f"{name!r} is neither true nor false")
    if weighted and "squares" in record:
        fields["squares"] = _positive(record["squares"], np.float64, "sum of squared weights")
        if fields["squares"].shape != count.shape:
            raise ValueError("a sum of squared weights is missing")
    if "cluster" in record:
        names = Labels(record["clusters"])
        cluster = _codes(record["cluster"], len(names))
        if cluster.shape != count.shape or len(np.unique(cluster)) < len(names):
            raise ValueError("its clusters do not match its cells")
        fields |= {"cluster": cluster, "cluster_names": names}
    return fields


def _positive(values: Any, dtype: Any, what: str) -> Array:
    if dtype is np.int64 and any(x >= 2**63 for x in values):
        raise ValueError(f"a {what} is beyond 2**63")
    column = np.array(values, dtype)
    if not _are_sums(column):
        raise ValueError(f"a {what} is not positive")
    return column


def _are_sums(column: Array | None) -> bool:
    """Whether these are finite and positive; squares of weights far from 1 may be neither."""
    return column is not None and bool((np.isfinite(column) & (column > 0)).all())


def _codes(values: Any, classes: int) -> Array:
    if not all(type(x) is int and 0 <= x < classes for x in values):
        raise ValueError("a code does not belong to any label")
    return np.array(values, np.intp)
