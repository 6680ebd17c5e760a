"""Counts that this version saved: they must still be read, scored and merged.

The files in ``saved/`` are written once and never again, whatever becomes of the format.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import whichf1 as wf
from tests.goldens.data import NAMES, classes, probabilities, scored
from tests.goldens.plain import Case, plain

SAVED = Path(__file__).parent / "saved"


def counted(kind: str, **more: Any) -> wf.Counts:
    """The counts of some items, with further options."""
    items = classes()[kind]
    return wf.count(items.true, items.said, **{**items.options, **more})


def at_half(kind: str) -> wf.Counts:
    """What a threshold decides."""
    items = scored()[kind]
    given = {"positive": items.positive, **items.options}
    return wf.at_threshold(items.true, items.said, 0.5, **given)


def of_best(kind: str) -> wf.Counts:
    """What the best class decides."""
    items = probabilities()[kind]
    return wf.at_argmax(items.true, items.said, **items.options)


def squareless() -> wf.Counts:
    """Weights without their squares, as older files have them."""
    record = json.loads(counted("weights").to_json())
    del record["squares"], record["checksum"], record["kind"]
    return wf.Counts.from_json(json.dumps(record))


MADE: dict[str, Callable[[], wf.Counts]] = {
    "plain": partial(counted, "four"),
    "integers": partial(counted, "two"),
    "strings": partial(counted, "text"),
    "booleans": partial(counted, "bool"),
    "declared": partial(counted, "unseen"),
    "declared_strings": partial(counted, "text", labels=[*reversed(NAMES), "eel", "ä|\"'"]),
    "weighted": partial(counted, "weights"),
    "weighted_without_squares": squareless,
    "clustered": partial(counted, "clusters"),
    "weighted_clustered": partial(counted, "both"),
    "named_clusters": partial(counted, "text", cluster=[f"doc {at % 9}" for at in range(150)]),
    "declared_clustered": partial(counted, "unseen", cluster=np.arange(60) // 5),
    "matrix": partial(wf.Counts.from_matrix, [[5, 10], [0, 7]], rows="true", labels=["a", "b"]),
    "threshold": partial(at_half, "text"),
    "threshold_weighted_clustered": partial(at_half, "both"),
    "argmax": partial(of_best, "text"),
    "argmax_weighted": partial(of_best, "weights"),
}


def save() -> None:
    """Write the files that are missing."""
    SAVED.mkdir(exist_ok=True)
    for name, make in MADE.items():
        path = SAVED / f"{name}.json"
        if not path.exists():
            make().save(path)


def saved() -> Iterator[Case]:
    """Every file: what is read, its scores, and the scores of twice the same."""
    for path in sorted(SAVED.glob("*.json")):
        yield f"saved/{path.stem}", partial(loaded, path)


def _unsealed(counts: wf.Counts) -> Any:
    """What is saved, without the kind and checksum that files lacked when these were written."""
    record = json.loads(counts.to_json())
    return {k: v for k, v in record.items() if k not in ("checksum", "kind")}


def loaded(path: Path) -> Any:
    """The counts of a file, and what is computed from them."""
    counts = wf.Counts.load(path)
    twice = counts + counts
    return {
        "labels": plain(list(counts.labels)),
        "facts": [counts.declared, counts.decision, counts.weighted, plain(counts.n)],
        "averaged F1": plain(wf.averaged_f1(counts, interval="delta")),
        "accuracy": plain(wf.accuracy(counts, interval=wf.Bootstrap(replicates=99))),
        "twice": [plain(twice.n), plain(wf.averaged_f1(twice, interval="delta"))],
        "saved again": _unsealed(counts) == json.loads(path.read_text("ascii")),
        "made again": _unsealed(MADE[path.stem]()),
    }
