"""Cases of both macro F1s and of published numbers: explain, audit, dialects, convert."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import whichf1 as wf
from tests.goldens.data import Items, classes
from tests.goldens.of_classes import tried
from tests.goldens.plain import Case, digest, plain


def counted(items: Items) -> wf.Counts:
    """The counts of some items."""
    return wf.count(items.true, items.said, **items.options)


def macro() -> Iterator[Case]:
    """Both macro F1s, what lies between them, and the theorem."""
    for kind, items in classes().items():
        yield f"macro/{kind}", partial(wf.macro_f1, items.true, items.said, **items.options)
    four, unseen = classes()["four"], classes()["unseen"]
    for title, items, more in (
        ("undefined 1", unseen, {"undefined": 1}),
        ("observed", unseen, {"classes": "observed"}),
        ("excluded", four, {"exclude": [0]}),
        ("ignored", four, {"ignore": [0]}),
        ("delta", four, {"interval": "delta"}),
        ("bootstrap", four, {"interval": wf.Bootstrap(replicates=99)}),
    ):
        given = {**items.options, **more}
        yield f"macro/{title}", partial(wf.macro_f1, items.true, items.said, **given)
    for n in (1, 2, 3, 10, 51):
        yield f"macro/supremum/{n}", partial(wf.supremum, n)
    for n, z in ((2, 10), (3, 100), (6, 1000)):
        yield f"macro/extremal/{n} {z}", partial(lambda n, z: wf.macro_f1(wf.extremal(n, z)), n, z)
    for both in ((0.5, 0.5), (0.9, 0.2), (1.0, 1.0), (0.0, 0.0), (0.7, 0.6)):
        for k in (None, 1, 2, 5):
            yield f"macro/bounds/{both} {k}", partial(tried, wf.bounds, *both, k)
    yield "macro/precision_recall_f1", partial(threes, np.float64)
    yield "macro/precision_recall_f1/float32", partial(threes, np.float32)
    yield "macro/precision_recall_f1/int", partial(threes, np.int64)
    yield "macro/precision_recall_f1/list", lambda: wf.precision_recall_f1([0, 1, 1], [0, 1, 0], 3)


def threes(kind: Any) -> Any:
    """Precision, recall and F1 of each class, in the type of the predictions."""
    items = classes()["unseen"]
    table = wf.precision_recall_f1(items.said.astype(kind), items.true.astype(kind), 6)
    return [str(table.dtype), plain(table)]


def explanations() -> Iterator[Case]:
    """Which definitions give a number."""
    for kind, value, more in (
        ("four", "0.45", {}),
        ("four", 0.6, {"decimals": 2}),
        ("four", "61.5", {}),
        ("four", 0.123, {}),
        ("unseen", "0.2", {}),
        ("unseen", "0.1667", {}),
        ("two", "0.842", {}),
        ("text", 70, {"scale": "percent", "decimals": 0}),
    ):
        items = classes()[kind]
        title = f"explain/{kind}/{value} {' '.join(map(str, more.values()))}".strip()
        yield f"{title}/counts", partial(explained, counted(items), value, **more)
        given = {**more, **items.options}
        yield f"{title}/items", partial(explained, items.true, items.said, value, **given)


def explained(*given: Any, **options: Any) -> Any:
    """What a published number can be, without the sentences."""
    found = wf.explain(*given, **options)
    return {
        "published": [str(found.published), found.published.low, found.published.high],
        "searched": found.searched,
        "n": found.n,
        "matches": [_match(each) for each in found.matches[:12]],
        "all": [len(found.matches), digest([each.signature for each in found.matches])],
        "nearest": [_match(each) for each in found.nearest],
    }


def _match(match: Any) -> Any:
    others = [each.signature for each in match.others]
    said = [*others[:1], len(others), digest(others)]
    return [plain(match.score), said, list(match.dialects)]


TRIPLES: dict[str, dict[str, Any]] = {
    "harmonic": {"precision": 0.8, "recall": 0.6, "f1": 0.69},
    "averaged": {"precision": "0.620", "recall": "0.581", "f1": "0.573"},
    "percent": {"precision": "66.4", "recall": "61.9", "f1": "64.1"},
    "impossible": {"precision": 0.73, "recall": 0.725, "f1": 0.754},
    "below": {"precision": 0.9, "recall": 0.9, "f1": 0.5},
    "classes": {"precision": 0.9, "recall": 0.3, "f1": 0.45, "classes": 3},
    "unreachable": {"precision": 0.99, "recall": 0.2, "f1": 0.33, "classes": 2},
    "decimals": {"precision": 0.6, "recall": 0.6, "f1": 0.6, "decimals": 3},
    "sign": {"precision": "71%", "recall": "70%", "f1": "70%"},
    "scale": {"precision": 0.9, "recall": 0.8, "f1": 0.85, "scale": "percent"},
    "one class": {"precision": 0.5, "recall": 0.5, "f1": 0.5, "classes": 1},
    "per class": {
        "precision": 0.75,
        "recall": 0.7,
        "f1": 0.71,
        "per_class": {"a": (0.9, 0.8), "b": (0.6, 0.6)},
    },
    "misfit": {
        "precision": 0.75,
        "recall": 0.75,
        "f1": 0.7,
        "per_class": [(0.9, 0.8, 0.85), (0.6, 0.6, 0.7)],
    },
}


def audits() -> Iterator[Case]:
    """What a published triple can be."""
    for title, given in TRIPLES.items():
        yield f"audit/{title}", partial(audited, **given)
    for f1 in (0.45, 0.5, 0.55):
        for kind in ("four", "unseen"):
            given = {"precision": 0.5, "recall": 0.52, "f1": f1, "counts": counted(classes()[kind])}
            yield f"audit/counts/{kind} {f1}", partial(audited, **given)


def audited(**given: Any) -> Any:
    """An audit without its sentence."""
    found = wf.audit(**given)
    return {
        "verdict": found.verdict,
        "read": [str(each) for each in (found.precision, found.recall, found.f1)],
        "averaged": [found.averaged.low, found.averaged.high],
        "of_averages": [found.of_averages.low, found.of_averages.high],
        "classes": found.classes,
        "misfits": [
            [str(x.published), x.recomputed.low, x.recomputed.high, x.signature]
            for x in found.misfits
        ],
    }


def dialects() -> Iterator[Case]:
    """Every dialect, alone and in the table."""
    for name, dialect in wf.dialects.items():
        said = [dialect.library, dialect.versions, dialect.file, dialect.two_only]
        yield f"dialects/{name}", partial(list, [*said, dialect.signature])
    for kind in ("two", "four", "text", "unseen", "bool"):
        items = classes()[kind]
        own = {key: value for key, value in items.options.items() if key == "labels"}
        yield f"dialects table/{kind}", partial(dialect_table, items.true, items.said, **own)
        yield f"dialects table/{kind}/counts", partial(dialect_table, counted(items))
    unseen, two = classes()["unseen"], classes()["two"]
    for source, target in (
        ("sklearn", "keras"),
        ("torchmetrics", "weka"),
        ("sklearn", "f1|avg:macro|formula:of-averages"),
        ("spark", "spark"),
    ):
        run = partial(converted, counted(unseen), source=source, target=target)
        yield f"convert/{source} {target}", run
    run = partial(converted, two.true, two.said, source="mxnet", target="sklearn")
    yield "convert/mxnet sklearn", run
    for size in (8, 64):
        run = partial(wf.dialects["mxnet"], two.true, two.said, batch=size)
        yield f"dialects table/mxnet of {size}", run
    weighted = classes()["weights"]
    given = {"weights": weighted.options["weights"]}
    run = partial(wf.dialects["sklearn"], weighted.true, weighted.said, **given)
    yield "dialects table/sklearn with weights", run


def dialect_table(*given: Any, **options: Any) -> Any:
    """The value of every dialect, grouped, and which do not apply."""
    found = wf.dialects.table(*given, **options)
    return {
        "groups": [
            [plain(group.value), list(group.names), group.plainest.signature]
            for group in found.groups
        ],
        "values": {
            name: [plain(score.value), digest([score.signature])]
            for group in found.groups
            for name, score in group.scores.items()
        },
        "absent": sorted(found.absent),
        "distinct": found.distinct,
        "spread": plain(found.spread),
    }


def converted(*given: Any, **options: Any) -> Any:
    """A score in two dialects."""
    found = wf.dialects.convert(*given, **options)
    return [plain(found.source), plain(found.target)]
