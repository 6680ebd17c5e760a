"""Random items as every source has them, and the scores that each must give.

``python -m tests.helpers.every_source 0 100`` searches with many seeds and says what differs.
"""

from __future__ import annotations

import cmath
import math
import random
import sqlite3
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from math import isclose, isnan
from pathlib import Path
from typing import Any, NamedTuple

import fsspec
import numpy as np
import psycopg
import pyarrow as pa

import whichf1 as wf
from tests.helpers.batches import BATCHES
from tests.helpers.engines import DATABASES, ENGINES, IN_MEMORY
from tests.helpers.files import WRITERS
from tests.helpers.servers import fill, postgres
from whichf1.errors import WhichF1Error

FILES = ("a.csv", "a.jsonl", "a.csv.gz", "a.parquet", "a.arrow", "stream.arrow", "a.npz")


def _in_sqlite(rows: Any, folder: Path) -> list[Any]:
    connection = sqlite3.connect(folder / "items.db")
    fill(connection, "items", rows)
    connection.close()
    return [lambda: f"sqlite:///{folder / 'items.db'}"]


def _in_postgres(rows: Any, folder: Path) -> list[Any]:
    connection = psycopg.connect(postgres())
    fill(connection, "items", rows)
    return [lambda: connection]


def _in_memory(path: Path) -> list[Any]:
    fsspec.filesystem("memory").pipe(f"/{path.name}", path.read_bytes())
    return [lambda: f"memory://{path.name}"]


SERVERS: dict[str, Callable[[Any, Path], list[Any]]] = {
    "sqlite": _in_sqlite,
    "postgres": _in_postgres,
}
"""Databases, in a table of which the rows are."""
ELSEWHERE: dict[str, Callable[[Path], list[Any]]] = {
    "": lambda path: [lambda: path],
    "opened": lambda path: [lambda: open(path, "rb")],  # noqa: SIM115
    "remote": _in_memory,
}
"""Files that are there, that are open, and that are elsewhere."""
SOURCES = (
    *IN_MEMORY,
    *DATABASES,
    *BATCHES,
    *SERVERS,
    *(f"{where} {file}".strip() for where in ELSEWHERE for file in FILES),
)
WEIGHTS: dict[str, Callable[[random.Random], float]] = {
    "near": lambda r: r.choice([0.1, 0.2, 0.3, 0.7, 1e-9, 3.0, r.uniform(1e-6, 1e6)]),
    "tiny": lambda r: 10.0 ** r.uniform(-300, -290),
    "huge": lambda r: 10.0 ** r.uniform(290, 300),
    "far": lambda r: r.choice([1e-300, 1e-200, 1e160, 1e300, 10.0 ** r.uniform(-300, 300)]),
}
"""Weights, all of a size or of every size."""
LABELS = ["k", "l", "m"]
"""What sets of labels hold."""
SIGNED = ("mcc", "cohen_kappa", "ks", "expected_calibration_error", "roc_auc")
"""Differences of sums, which are as exact as their bounds."""
MEANS = ("log_loss", "brier", "mean_value", "ndcg", "label_ranking_loss")
"""Means of numbers with fractions, which each engine computes and adds up in its own way."""
LOSSES = MEANS[:2]


class Items(NamedTuple):
    """Rows with classes, a score, probabilities, sets of labels, a slice, a cluster, a weight.

    Each label has a column of 0 and 1, and one of probabilities.
    """

    rows: list[dict[str, Any]]
    classes: list[Any]
    weighted: bool

    @property
    def weights(self) -> Any:
        return self.column("w") if self.weighted else None

    @property
    def named(self) -> dict[str, Any]:
        """The column of weights, if there is one."""
        return {"weights": "w"} if self.weighted else {}

    @property
    def scores(self) -> dict[Any, str]:
        """The column of probabilities of each class."""
        return {label: f"p{at}" for at, label in enumerate(self.classes)}

    @property
    def by_label(self) -> dict[str, str]:
        """The column of probabilities of each label."""
        return {label: f"q_{label}" for label in LABELS}

    def column(self, name: str) -> list[Any]:
        return [row[name] for row in self.rows]

    def sets(self, name: str) -> list[set[str]]:
        return [set(cell.split(";")) - {""} for cell in self.column(name)]

    def matrix(self, columns: Iterable[str]) -> Any:
        return np.array([[row[name] for name in columns] for row in self.rows])

    def at(self, places: Any) -> Items:
        return self._replace(rows=[self.rows[at] for at in places])


def draw_items(r: random.Random) -> Items:
    """Items with ties, classes without items, weights of 0, and sometimes only one of them."""
    k = r.choice([2, 2, 3, 4])
    names: list[list[Any]] = [["a", "b", "c", "d"], [0, 1, 2, 3], [-1, 5, 7, 10**12]]
    classes = r.choice(names)[:k]
    kind = r.choice(["none", *WEIGHTS])
    seen = classes[: r.choice([1, k, k, k])]
    ties = r.random() < 0.5

    def row() -> dict[str, Any]:
        raw = [r.choice([0, 1, 2, 5, 1e-9]) if ties else r.random() for _ in classes]
        raw[0] += not any(raw)
        labels = {*r.choices(LABELS, k=r.randint(0, 3))}
        cells = {
            "true": r.choice(seen),
            "pred": r.choice(seen),
            "other": r.choice(classes),
            "score": r.choice([0.0, 0.1, 0.25, 0.5, 1.0]) if ties else 10.0 ** r.uniform(-30, 30),
            "labels": ";".join(sorted(labels)),
            "found": ";".join(sorted(set(r.choices(LABELS, k=r.randint(0, 3))))),
            "by": r.choice("xy"),
            "doc": r.choice("uvw"),
            **{f"p{at}": x / sum(raw) for at, x in enumerate(raw)},
            **{label: int(label in labels) for label in LABELS},
            **{f"q_{x}": r.choice([0.0, 0.3, 0.5]) if ties else r.random() for x in LABELS},
        }
        return cells if kind == "none" else {**cells, "w": weight()}

    def weight() -> float:
        return 0.0 if r.random() < 0.2 else WEIGHTS[kind](r)

    rows = [row() for _ in range(r.choice([1, 2, 3, 7, 20, 60]))]
    if kind != "none" and not any(each["w"] for each in rows):
        rows[0]["w"] = WEIGHTS[kind](r)
    return Items(rows, classes, kind != "none")


Result = dict[str, Any]


def values(names: Any, call: Callable[[str], Any]) -> Result:
    """What each call gives: a number, or the kind of error."""
    result: Result = {}
    for name in names:
        try:
            result[name] = call(name)
        except WhichF1Error as error:
            result[name] = type(error).__name__
    return result


CLASSES = ("averaged_f1", "f1_of_averages", "accuracy", "mcc", "cohen_kappa", "balanced_accuracy")
RANKINGS = ("roc_auc", "average_precision", "ks")
OF_SCORES = ("log_loss", "brier", "top_k_accuracy", "roc_auc", "expected_calibration_error")
OF_SETS = ("f1", "specificity", "subset_accuracy", "hamming_loss")
OF_LABELS = ("roc_auc", "average_precision", "brier", "label_ranking_loss", "ndcg")
ENDS = ("accuracy", "averaged_f1", "roc_auc", "brier", "log_loss")
"""Scores whose intervals are compared."""
OF_RATERS = ("fleiss_kappa", "krippendorff_alpha", "gwet_ac1")
CHOICES: dict[str, dict[str, Any]] = {
    "roc_auc": {"average": "macro", "multi_class": "ovr"},
    "top_k_accuracy": {"k": 1},
    "f1": {"average": "macro"},
    "specificity": {"average": "micro"},
}
LABEL_CHOICES: dict[str, dict[str, Any]] = {
    "roc_auc": {"average": "macro", "undefined": 0},
    "average_precision": {"average": "micro"},
    "brier": {"average": "weighted", "undefined": 0},
}


def score(metric: str, *data: Any, **options: Any) -> float:
    return float(getattr(wf, metric)(*data, **options))


def ends(metric: str, *data: Any, **options: Any) -> complex:
    """Both ends of the automatic interval, in clusters."""
    interval = getattr(wf, metric)(*data, **options, interval="auto").interval
    return complex(math.nan) if interval is None else complex(interval.low, interval.high)


def tree(items: Items) -> dict[Any, Any]:
    """All classes below the first."""
    return {x: items.classes[0] if at else None for at, x in enumerate(items.classes)}


def of_arrays(items: Items) -> Iterator[tuple[str, Result]]:
    """Every kind of score, from lists and arrays."""
    true, pred, w = items.column("true"), items.column("pred"), items.weights
    known: Any = {"labels": items.classes, "weights": w}
    yield "classes", values(CLASSES, lambda m: score(m, true, pred, **known))
    ranked = {**known, "positive": items.classes[0]}
    yield "rankings", values(RANKINGS, lambda m: score(m, true, items.column("score"), **ranked))
    p, doc = items.matrix(items.scores.values()), items.column("doc")
    chosen: Any = lambda m: {**known, **CHOICES.get(m, {})}  # noqa: E731
    yield "columns", values(OF_SCORES, lambda m: score(m, true, p, **chosen(m)))
    yield "clusters", values(LOSSES, lambda m: score(m, true, p, cluster=doc, **chosen(m)))
    sets = wf.count_multilabel(items.sets("labels"), items.sets("found"), labels=LABELS, weights=w)
    yield "sets", values(OF_SETS, lambda m: score(m, sets, **CHOICES.get(m, {})))
    q = items.matrix(items.by_label.values())
    of_labels = values(
        OF_LABELS, lambda m: score(m, items.matrix(LABELS), q, **_label_options(m, w))
    )
    yield "label scores", of_labels
    yield "indicators", of_labels
    rated = zip(true, pred, items.column("other"), strict=True)
    raters = wf.ratings([*map(list, rated)], labels=items.classes, weights=w)
    yield "raters", values(OF_RATERS, lambda m: score(m, raters))
    yield "values", values(["mean_value"], lambda m: score(m, items.column("p0"), weights=w))
    below = {**known, "parents": tree(items)}
    yield "hierarchies", values(["hierarchical_f1"], lambda m: score(m, true, pred, **below))
    sides = {"roc_auc": items.column("score"), **dict.fromkeys(LOSSES, p)}
    more: Any = lambda m: {"cluster": doc, **(ranked if m == "roc_auc" else known)}  # noqa: E731
    yield "intervals", values(ENDS, lambda m: ends(m, true, sides.get(m, pred), **more(m)))
    slices = {name: items.at(places) for name, places in _places(items, "by").items()}
    pairs = {k: (x.column("true"), x.column("pred"), x.weights) for k, x in slices.items()}
    yield "slices", values(slices, lambda k: _accuracy(*pairs[k], items.classes))
    systems = {"A": pred, "B": items.column("other")}
    yield "systems", values(systems, lambda s: score("averaged_f1", true, systems[s], **known))


def _label_options(metric: str, weights: Any) -> dict[str, Any]:
    return {"labels": LABELS, "weights": weights, **LABEL_CHOICES.get(metric, {})}


def _accuracy(true: Any, pred: Any, weights: Any, labels: Any) -> float:
    """The weight of right items of one slice; slices without any weight are kept."""
    counts = wf.count(true, pred, labels=labels, weights=weights)
    return float(counts.count[counts.true == counts.predicted].sum())


def _places(items: Items, name: str) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for at, value in enumerate(items.column(name)):
        places.setdefault(value, []).append(at)
    return places


def of_columns(
    items: Items, data: Callable[[], Any], **reading: Any
) -> Iterator[tuple[str, Result]]:
    """The same from the columns of a frame or file, which is created for each call."""
    known: Any = {"true": "true", "labels": items.classes, **items.named, **reading}
    yield "classes", values(CLASSES, lambda m: score(m, data(), pred="pred", **known))
    ranked = {**known, "score": "score", "positive": items.classes[0]}
    yield "rankings", values(RANKINGS, lambda m: score(m, data(), **ranked))
    columns: Any = {"true": "true", "score": items.scores, **items.named, **reading}
    chosen: Any = lambda m: {**columns, **CHOICES.get(m, {})}  # noqa: E731
    yield "columns", values(OF_SCORES, lambda m: score(m, data(), **chosen(m)))
    yield "clusters", values(LOSSES, lambda m: score(m, data(), cluster="doc", **chosen(m)))
    sets = wf.count_multilabel(
        data(), true="labels", pred="found", sep=";", labels=LABELS, **items.named, **reading
    )
    yield "sets", values(OF_SETS, lambda m: score(m, sets, **CHOICES.get(m, {})))
    q = {**items.named, "score": items.by_label, **reading}
    chosen = lambda m: {**q, **LABEL_CHOICES.get(m, {})}  # noqa: E731
    told = {"true": "labels", "sep": ";"}
    yield "label scores", values(OF_LABELS, lambda m: score(m, data(), **told, **chosen(m)))
    yield "indicators", values(OF_LABELS, lambda m: score(m, data(), true=LABELS, **chosen(m)))
    three: Any = {"raters": ["true", "pred", "other"], "labels": items.classes}
    raters = wf.ratings(data(), **three, **items.named, **reading)
    yield "raters", values(OF_RATERS, lambda m: score(m, raters))
    plain = {**items.named, **reading}
    yield "values", values(["mean_value"], lambda m: score(m, data(), of="p0", **plain))
    below = {**known, "parents": tree(items), "pred": "pred"}
    yield "hierarchies", values(["hierarchical_f1"], lambda m: score(m, data(), **below))
    sides: dict[str, Any] = {"roc_auc": ranked, **dict.fromkeys(LOSSES, columns)}
    more: Any = lambda m: {"cluster": "doc", **sides.get(m, {**known, "pred": "pred"})}  # noqa: E731
    yield "intervals", values(ENDS, lambda m: ends(m, data(), **more(m)))
    slices = {key[0]: x for key, x in wf.count_by(data(), by="by", pred="pred", **known).items()}
    right = {k: float(x.count[x.true == x.predicted].sum()) for k, x in slices.items()}
    yield "slices", values(_places(items, "by"), right.__getitem__)
    systems = {"A": "pred", "B": "other"}
    yield (
        "systems",
        values(systems, lambda s: score("averaged_f1", data(), pred=systems[s], **known)),
    )


def of_parts(items: Items, r: random.Random) -> Iterator[tuple[str, Result]]:
    """The same from parts that are counted apart, saved, and merged in some order."""
    places = [*range(len(items.rows))]
    r.shuffle(places)
    cuts = sorted(r.choices(range(len(places) + 1), k=r.randint(0, 5)))
    bounds = zip([0, *cuts], [*cuts, len(places)], strict=True)
    parts = [items.at(places[a:b]) for a, b in bounds if a < b]
    parts = [x for x in parts if not x.weighted or any(x.weights)]
    known: Any = {"labels": items.classes}

    def merged(each: Callable[[Items], Any]) -> Any:
        counted = [each(x) for x in parts]
        left = counted.pop(r.randrange(len(counted)))
        return sum(counted) + left if r.random() < 0.5 and counted else sum([left, *counted])

    def count(x: Items) -> Any:
        counts = wf.count(x.column("true"), x.column("pred"), weights=x.weights, **known)
        return (
            wf.Counts.from_json(counts.to_json()) if not x.weighted or r.random() < 0.5 else counts
        )

    counts = merged(count)
    yield "classes", values(CLASSES, lambda m: score(m, counts))
    ranks = merged(
        lambda x: wf.rank(
            x.column("true"), x.column("score"), positive=x.classes[0], weights=x.weights, **known
        )
    )
    yield "rankings", values(RANKINGS, lambda m: score(m, ranks))
    if not items.weighted:

        def mean(metric: str) -> float:
            sums = merged(
                lambda x: wf.moments(x.column("true"), x.matrix(x.scores.values()), metric, **known)
            )
            return score(metric, sums)

        yield "columns", values(LOSSES, mean)
    sets = merged(
        lambda x: wf.count_multilabel(
            x.sets("labels"), x.sets("found"), labels=LABELS, weights=x.weights
        )
    )
    yield "sets", values(OF_SETS, lambda m: score(m, sets, **CHOICES.get(m, {})))


def alike(metric: str, value: Any, expected: Any, weighted: bool) -> bool:
    """The same bits; of weighted items and of means of fractions, the same twelve digits."""
    if isinstance(value, str) or isinstance(expected, str):
        return bool(value == expected)
    if isinstance(expected, complex):
        return cmath.isclose(value, expected, rel_tol=1e-9, abs_tol=1e-12) or (
            cmath.isnan(value) and cmath.isnan(expected)
        )
    if isnan(expected) or isnan(value):
        return isnan(expected) and isnan(value)
    if not weighted and metric not in MEANS:
        return bool(value == expected)
    return isclose(value, expected, rel_tol=1e-12, abs_tol=1e-12 if metric in SIGNED else 0)


def differences(seed: int, folder: Path, sources: int = len(SOURCES)) -> Iterator[str]:
    """What differs from arrays, in so many of the sources and in merged parts."""
    r = random.Random(seed)
    items = draw_items(r)
    expected = dict(of_arrays(items))
    table = pa.Table.from_pylist(items.rows)

    def made(name: str) -> Iterator[tuple[str, Result]]:
        if name in BATCHES:
            return of_columns(items, lambda: BATCHES[name](table))
        if name in SERVERS:
            return of_columns(items, *SERVERS[name](items.rows, folder), table="items")
        if name in ENGINES:
            frame = ENGINES[name](table)
            return of_columns(items, lambda: frame)
        where, _, file = name.rpartition(" ")
        WRITERS[file](folder / file, items.rows)
        return of_columns(items, *ELSEWHERE[where](folder / file))

    found = {name: made(name) for name in r.sample(SOURCES, sources)}
    for name, results in {**found, "parts": of_parts(items, r)}.items():
        for kind, result in results:
            for metric, value in result.items():
                right = expected[kind][metric]
                if not alike(metric, value, right, items.weighted):
                    yield f"seed {seed}: {metric} of {kind} from {name} is {value!r}, not {right!r}"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for number in range(*map(int, sys.argv[1:3])):
        with tempfile.TemporaryDirectory() as name:
            for line in differences(number, Path(name)):
                print(line)
