"""Cases of items with sets of labels."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import whichf1 as wf
from tests.goldens.data import Items, label_scores, label_sets
from tests.goldens.of_classes import HARMONIC, RATES, metric, own_options, resampled, tried, ways
from tests.goldens.plain import Case, plain

ITEMS = ("subset_accuracy", "hamming_loss")


def counted(items: Items) -> wf.MultiLabelCounts:
    """The counts of some items."""
    return wf.count_multilabel(items.true, items.said, **items.options)


def rate(name: str, items: Items, **more: Any) -> Any:
    """A rate of one label, of every label, and averaged in every way, over items, too."""
    counts, given = counted(items), {**own_options(name), **more}
    averages = [*ways(name), {"average": "samples"}]
    return {
        "positive": tried(metric(name), counts, positive=items.positive, **given),
        "per_class": tried(metric(name).per_class, counts, **given),
        **{"/".join(way.values()): tried(metric(name), counts, **way, **given) for way in averages},
    }


def rates() -> Iterator[Case]:
    """Every rate of sets, with intervals."""
    for at, name in enumerate(RATES):
        kinds = list(label_sets())
        chosen = kinds if name in HARMONIC else [kinds[at % 6], kinds[(at + 3) % 6]]
        for kind in chosen:
            run = partial(rate, name, label_sets()[kind], interval="delta")
            yield f"sets/delta/{name}/{kind}", run
        for kind in chosen[:1] if name != "f1" else chosen:
            run = partial(rate, name, label_sets()[kind], interval=resampled("bca"))
            yield f"sets/bca/{name}/{kind}", run


def items_metrics() -> Iterator[Case]:
    """What is computed for each item, with intervals."""
    methods = {"none": None, "delta": "delta", "percentile": resampled("percentile")}
    for kind, items in label_sets().items():
        for name in ITEMS:
            yield f"sets/items/{name}/{kind}", partial(of_items, name, items, methods)
        yield f"sets/counts/{kind}", partial(counted, items)


def of_items(name: str, items: Items, methods: dict[str, Any]) -> Any:
    """A metric of items, and on some labels alone."""
    counts = counted(items)
    found = {
        word: tried(metric(name), counts, interval=each)
        for word, each in {**methods, "wilson": "wilson"}.items()
    }
    some = list(counts.labels)[:2]
    found["some labels"] = tried(metric(name), counts, classes=some, interval="delta")
    found["others"] = tried(metric(name), counts, exclude=some, interval="delta")
    return found


def options() -> Iterator[Case]:
    """Class sets, 0/0, left-out labels, decisions, merged parts, and sets in other forms."""
    declared, matrix = label_sets()["declared"], label_sets()["matrix"]
    for undefined in (0, 1, "skip", "nan"):
        more = {"undefined": undefined, "interval": "delta"}
        yield f"sets/undefined/{undefined}", partial(rate, "f1", declared, **more)
    for which in ("declared", "observed", "true", ["ant", "eel"]):
        yield f"sets/classes/{which}", partial(rate, "f1", declared, classes=which)
    yield "sets/exclude", partial(rate, "f1", declared, exclude=["ant"], interval="delta")
    yield "sets/ignore", partial(rate, "f1", declared, ignore=["ant"])
    yield "sets/epsilon", partial(rate, "f1", declared, epsilon=1e-3, interval="delta")
    yield "sets/scope", partial(rate, "f1", declared, undefined="skip", scope="no-hits")
    for name in ("accuracy", "mcc"):
        yield f"sets/{name}", partial(lambda name: tried(metric(name), counted(matrix)), name)
    yield "sets/straight", partial(straight, matrix)
    yield "sets/merged", partial(merged, "sets")
    yield "sets/merged/weights", partial(merged, "weights")
    true, scores, weights, _ = label_scores()
    for title, own in (
        ("threshold", {"threshold": 0.6}),
        ("top_k", {"top_k": 2}),
        ("weights", {"threshold": 0.9, "weights": weights}),
    ):
        run = partial(decided, wf.count_multilabel(true, scores, **own))
        yield f"sets/decided/{title}", run
    yield "sets/sparse", partial(sparse, matrix)
    yield "sets/lists", partial(lists, label_sets()["sets"])


def straight(items: Items) -> Any:
    """Scores of matrices, without counting first."""
    given = (items.true, items.said)
    return [
        plain(wf.f1(*given, average="samples")),
        plain(wf.subset_accuracy(*given, interval="delta")),
        plain(wf.hamming_loss(*given, weights=np.arange(1.0, 91.0), interval="delta")),
    ]


def merged(kind: str) -> Any:
    """Sets of parts, added up."""
    items = label_sets()[kind]
    found = []
    for part in (slice(0, 30), slice(30, 90)):
        own = {key: value[part] for key, value in items.options.items()}
        found.append(wf.count_multilabel(items.true[part], items.said[part], **own))
    whole: Any = sum(found)
    return [plain(whole), plain(wf.averaged_f1(whole, interval="delta")), whole == counted(items)]


def decided(counts: wf.MultiLabelCounts) -> Any:
    """Counts of decided labels, and scores of them."""
    scores = (wf.averaged_f1, wf.hamming_loss, wf.subset_accuracy)
    return [plain(counts), *(plain(score(counts, interval="delta")) for score in scores)]


def sparse(items: Items) -> Any:
    """Sparse matrices with named columns."""
    from scipy.sparse import csr_array  # type: ignore[import-untyped, unused-ignore]

    sides = csr_array(items.true), csr_array(items.said)
    counts = wf.count_multilabel(*sides, labels=["a", "b", "c", "d"])
    return plain(wf.averaged_f1(counts, interval="delta"))


def lists(items: Items) -> Any:
    """Lists of labels in place of sets."""
    sides = ([sorted(each) for each in side] for side in (items.true, items.said))
    return plain(wf.f1(wf.count_multilabel(*sides), average="micro"))
