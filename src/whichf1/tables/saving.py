"""Saving: counts as versioned JSON, and files that appear whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from whichf1.errors import FileError, LabelError, MergeError, WeightError
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
    except (ValueError, TypeError, KeyError, LabelError) as error:
        raise FileError(
            f"{name} is not a complete file of counts: {error}. Count again and save."
        ) from None


def _fields(record: Any) -> dict[str, Any]:
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise ValueError(f"it has no {FORMAT!r}")
    if record["version"] != VERSION:
        raise ValueError(f"its version is {record['version']!r}; this program reads {VERSION}")
    labels = Labels(record["labels"])
    true, predicted = (_codes(record[side], len(labels)) for side in ("true", "predicted"))
    count = _count(record)
    if not true.shape == predicted.shape == count.shape or count.ndim != 1:
        raise ValueError("its columns differ in length")
    decision, declared = record.get("decision"), record["declared"]
    if not isinstance(decision, (str, type(None))):
        raise ValueError("its decision is not text")
    if not isinstance(declared, bool):
        raise ValueError("'declared' is neither true nor false")
    cluster, names = _clusters(record, count)
    return {
        "labels": labels,
        "true": true,
        "predicted": predicted,
        "count": count,
        "squares": _squares(record, count) if record["weighted"] else None,
        "cluster": cluster,
        "cluster_names": names,
        "declared": declared,
        "decision": decision,
    }


def _count(record: Any) -> Array:
    weighted = record["weighted"]
    if not weighted and any(type(x) is not int for x in record["count"]):
        raise ValueError("a count is not a whole number")
    count = np.array(record["count"], np.float64 if weighted else np.int64)
    if not (np.isfinite(count) & (count > 0)).all():
        raise WeightError("a count is not positive")
    return count


def _clusters(record: Any, count: Array) -> tuple[Array | None, Labels | None]:
    if "cluster" not in record:
        return None, None
    names = Labels(record["clusters"])
    cluster = _codes(record["cluster"], len(names))
    if cluster.shape != count.shape or len(np.unique(cluster)) < len(names):
        raise ValueError("its clusters do not match its cells")
    return cluster, names


def _squares(record: Any, count: Array) -> Array | None:
    if "squares" not in record:
        return None
    squares = np.array(record["squares"], np.float64)
    if squares.shape != count.shape or not (np.isfinite(squares) & (squares > 0)).all():
        raise WeightError("a sum of squared weights is missing or not positive")
    return squares


def _codes(values: Any, classes: int) -> Array:
    if not all(type(x) is int and 0 <= x < classes for x in values):
        raise ValueError("a code does not belong to any label")
    return np.array(values, np.intp)
