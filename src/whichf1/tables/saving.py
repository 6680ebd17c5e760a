"""Saving: counts as versioned JSON, and files that appear whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from whichf1.errors import FileError, MergeError
from whichf1.tables.cells import Array
from whichf1.tables.labels import Labels

FORMAT = "whichf1.counts"
VERSION = 1


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary neighbour of ``path`` that replaces it when the block ends without an error."""
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        os.replace(temporary, target)
    except OSError as error:
        raise FileError(f"cannot write {os.fspath(path)!r}: {error.strerror or error}") from None
    finally:
        temporary.unlink(missing_ok=True)


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a file of counts."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"cannot read counts from {os.fspath(path)!r}: {error}") from None


def to_json(counts: Any) -> str:
    """The text that is saved; labels keep their types."""
    if counts.cluster is not None and counts.cluster_names is None:
        raise MergeError("these clusters have no names: count the items again, then save")
    record: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    record |= {name: getattr(counts, name) for name in ("labels", "declared", "weighted")}
    columns = ("true", "predicted", "count", "decision", "squares", "cluster")
    record |= {name: getattr(counts, name) for name in columns if getattr(counts, name) is not None}
    if counts.cluster_names is not None:
        record["clusters"] = counts.cluster_names
    return json.dumps(record, default=np.ndarray.tolist)


def from_json(text: str | bytes, name: str) -> dict[str, Any]:
    """The fields of the counts that were saved; ``name`` says in messages where they came from."""
    try:
        return _fields(json.loads(text))
    except (ValueError, TypeError, KeyError) as error:
        raise FileError(
            f"{name} is not a complete file of counts: {error}. Count again and save."
        ) from None


def _fields(record: Any) -> dict[str, Any]:
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise ValueError(f"it has no {FORMAT!r}")
    if record["version"] != VERSION:
        raise ValueError(f"its version is {record['version']!r}; this program reads {VERSION}")
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
    if not isinstance(declared, bool):
        raise ValueError("'declared' is neither true nor false")
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
    column = np.array(values, dtype)
    if not (np.isfinite(column) & (column > 0)).all():
        raise ValueError(f"a {what} is not positive")
    return column


def _codes(values: Any, classes: int) -> Array:
    if not all(type(x) is int and 0 <= x < classes for x in values):
        raise ValueError("a code does not belong to any label")
    return np.array(values, np.intp)
