"""Cases of counts: as they are made, saved, merged, declared and updated."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import whichf1 as wf
from tests.goldens.data import NAMES, classes
from tests.goldens.of_classes import resampled
from tests.goldens.plain import Case, plain


def counting() -> Iterator[Case]:
    """Counts: as they are made, saved, merged, declared and updated."""
    for kind in ("two", "text", "bool", "unseen"):
        yield f"counting/{kind}", partial(counted, kind)
    for kind in ("four", "weights", "clusters", "both", "text", "bool"):
        yield f"counting/merged/{kind}", partial(merged, kind)
    table = [[5, 10, 1], [5, 10, 0], [2, 0, 7]]
    for rows in ("true", "predicted"):
        given: Any = {"rows": rows, "labels": ["x", "y", "z"]}
        yield f"counting/matrix/{rows}", partial(wf.Counts.from_matrix, table, **given)
    yield "counting/declare", partial(declared)
    yield "counting/update", partial(updated)
    yield "counting/empty", partial(wf.Counts.empty, ["a", "b"])


def counted(kind: str) -> Any:
    """Counts, their matrix, and their classes against the rest."""
    items = classes()[kind]
    counts = wf.count(items.true, items.said, **items.options)
    c = counts.per_class()
    return {
        **plain(counts),
        "matrix": plain(counts.matrix),
        "per_class": [plain(each) for each in (c.tp, c.fp, c.fn, c.tn)],
        "json": json.loads(counts.to_json()),
    }


def merged(kind: str) -> Any:
    """Counts of parts, added up, and saved as text and read again."""
    items = classes()[kind]
    n = len(items.true)
    parts = []
    for part in (slice(0, n // 3), slice(n // 3, n)):
        own = {key: value[part] for key, value in items.options.items()}
        parts.append(wf.count(items.true[part], items.said[part], **own))
    whole = wf.Counts.from_json(sum(parts, start=wf.Counts.empty()).to_json())
    scores = [wf.averaged_f1(whole, interval="delta"), wf.mcc(whole, interval=resampled("bca"))]
    return {"scores": plain(scores), "equal": plain([whole == sum(parts), whole.n, whole.declared])}


def declared() -> Any:
    """Classes in another order, and more of them."""
    items = classes()["text"]
    counts = wf.count(items.true, items.said)
    wider = counts.declare([*reversed(NAMES), "eel"])
    return [plain(wider), plain(wf.averaged_f1(wider)), plain(wf.averaged_f1(counts))]


def updated() -> Any:
    """A stream of batches."""
    items, counts = classes()["weights"], wf.Counts.empty([0, 1, 2, 3], weighted=True)
    for at in range(0, 200, 50):
        part = slice(at, at + 50)
        weights = np.asarray(items.options["weights"])[part]
        counts = counts.update(items.true[part], items.said[part], weights=weights)
    return plain(wf.averaged_f1(counts, interval="delta"))
