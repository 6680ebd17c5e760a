"""Counts as versioned JSON, with their clusters where they have some."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from whichf1.errors import FileError, LabelError, MergeError, WeightError
from whichf1.tables.cells import Array
from whichf1.tables.counts import Counts
from whichf1.tables.joint import ClusteredCounts, Joint, cells_of
from whichf1.tables.labels import Labels

FORMAT = "whichf1.counts"
VERSION = 1


def to_json(counts: Counts) -> str:
    """The text that is saved; labels keep their types."""
    joint = counts.joint if isinstance(counts, ClusteredCounts) else None
    cells, predicted = (counts, counts.predicted) if joint is None else (joint, joint.predicted[0])
    record: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "labels": counts.labels,
        "declared": counts.declared,
        "weighted": counts.weighted,
        "true": cells.true.tolist(),
        "predicted": predicted.tolist(),
        "count": cells.count.tolist(),
    }
    if counts.decision is not None:
        record["decision"] = counts.decision
    if cells.squares is not None:
        record["squares"] = cells.squares.tolist()
    if joint is not None:
        if joint.names is None or joint.cluster is None:
            raise MergeError("these clusters have no names: count the items again, then save")
        record |= {"cluster": joint.cluster.tolist(), "clusters": joint.names}
    return json.dumps(record)


def from_json(text: str | bytes, name: str) -> Counts:
    """What :func:`to_json` gave; ``name`` says in messages where it came from."""
    try:
        return _from_record(json.loads(text))
    except (ValueError, TypeError, KeyError, LabelError) as error:
        raise FileError(
            f"{name} is not a whole file of counts: {error}. Count again and save."
        ) from None


def _from_record(record: Any) -> Counts:
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise ValueError(f"no {FORMAT!r} in it")
    if record["version"] != VERSION:
        raise ValueError(f"its version is {record['version']!r}, this program reads {VERSION}")
    labels = Labels(record["labels"])
    dtype = np.float64 if record["weighted"] else np.int64
    true, predicted = (_codes(record[side], len(labels)) for side in ("true", "predicted"))
    count = np.array(record["count"], dtype)
    if not true.shape == predicted.shape == count.shape or count.ndim != 1:
        raise ValueError("its columns differ in length")
    if dtype is np.int64 and any(type(x) is not int for x in record["count"]):
        raise ValueError("a count is not a whole number")
    if not (np.isfinite(count) & (count > 0)).all():
        raise WeightError("a count is not positive")
    decision = record.get("decision")
    if not isinstance(decision, (str, type(None))):
        raise ValueError("its decision is no text")
    declared = record["declared"]
    if not isinstance(declared, bool):
        raise ValueError("whether its classes were declared is neither true nor false")
    squares = _squares(record, count) if record["weighted"] else None
    if "cluster" in record:
        return _clustered(record, labels, (true, predicted), count, squares)
    return Counts(
        labels, true, predicted, count, declared=declared, decision=decision, squares=squares
    )


def _clustered(
    record: Any, labels: Labels, sides: tuple[Array, Array], count: Array, squares: Array | None
) -> Counts:
    names = Labels(record["clusters"])
    cluster = _codes(record["cluster"], len(names))
    if cluster.shape != count.shape or len(np.unique(cluster)) < len(names):
        raise ValueError("its clusters are not those of its cells")
    keys, count, squares = cells_of([*sides, cluster], count, squares)
    return Joint(
        systems=("y_pred",),
        labels=labels,
        true=keys[0],
        predicted=(keys[1],),
        count=count,
        squares=squares,
        cluster=keys[2],
        names=names,
        declared=record["declared"],
        decision=record.get("decision"),
    ).counts(0)


def _squares(record: Any, count: Array) -> Array | None:
    if "squares" not in record:
        return None
    squares = np.array(record["squares"], np.float64)
    if squares.shape != count.shape or not (np.isfinite(squares) & (squares > 0)).all():
        raise WeightError("a sum of squared weights is missing or not positive")
    return squares


def _codes(values: Any, classes: int) -> Array:
    if not all(type(x) is int and 0 <= x < classes for x in values):
        raise ValueError("a code is not that of a label")
    return np.array(values, np.intp)
