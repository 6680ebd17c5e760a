"""Every metric from every source with every option: the number of arrays, or a clear error.

``python -m tests.helpers.crossed SEED CASES [SOURCE …]`` tries so many of them and says what
differs.
"""

from __future__ import annotations

import random
import re
import sqlite3
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from math import isclose, isnan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

import whichf1 as wf
from tests.helpers.batches import BATCHES
from tests.helpers.engines import ENGINES
from tests.helpers.files import WRITERS
from tests.helpers.servers import fill
from whichf1.errors import WhichF1Error
from whichf1.metrics import COUNTED, EVERY, Metric

N, CLASSES, LABELS = 40, [0, 1, 2], ["k", "l", "m"]
PARENTS = {0: 10, 1: 10, 2: None, 10: None}
COSTS = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]


def _rows() -> list[dict[str, Any]]:
    rng = np.random.default_rng(19)
    true = rng.integers(0, 3, N)
    p = rng.dirichlet(np.ones(3), N) * 0.5
    p[np.arange(N), true] += 0.5
    sets = rng.random((2, N, 3)) < 0.5
    q = rng.random((N, 3))
    columns: dict[str, Any] = {
        "true": true,
        "pred": np.where(rng.random(N) < 0.7, true, rng.integers(0, 3, N)),
        "other": np.where(rng.random(N) < 0.7, true, rng.integers(0, 3, N)),
        "yes": (rng.random(N) < p[:, 0]).astype(int),
        **{f"p{at}": p[:, at] for at in CLASSES},
        **{x: sets[0][:, at].astype(int) for at, x in enumerate(LABELS)},
        **{f"q_{x}": q[:, at] for at, x in enumerate(LABELS)},
        "by": rng.choice(["x", "y"], N),
        "doc": rng.choice(["s", "t", "u", "v", "z"], N),
        "w": rng.integers(1, 9, N) / 4,
    }
    for name, side in zip(("labels", "found"), sets, strict=True):
        columns[name] = [";".join(np.array(LABELS)[row].tolist()) for row in side]
    return [{k: np.asarray(v)[at].item() for k, v in columns.items()} for at in range(N)]


ROWS = _rows()


def column(name: str) -> Any:
    return np.array([row[name] for row in ROWS])


def matrix(*names: str) -> Any:
    return np.column_stack([column(name) for name in names])


def sets(name: str) -> list[set[str]]:
    return [set(cell.split(";")) - {""} for cell in column(name).tolist()]


SETS, RATERS, GROUPS, SLICES = "label sets", "raters", "groups", "slices"


class Use(NamedTuple):
    """A metric on data of a kind: in arrays, and in columns."""

    kind: str
    metric: str
    arrays: tuple[Any, ...]
    columns: dict[str, Any]
    options: dict[str, Any]


def uses(metric: Metric) -> Iterator[Use]:
    """The kinds of data that a metric takes."""
    name, options = metric.name, dict[str, Any]()
    if "costs" in metric.parameters:
        options["costs"] = COSTS
    if "parents" in metric.parameters:
        options["parents"] = PARENTS
    probabilities = {at: f"p{at}" for at in CLASSES}
    p = matrix(*probabilities.values())
    if metric.kind in COUNTED:
        of = {"true": "true", "pred": "pred"}
        yield Use("classes", name, (column("true"), column("pred")), of, options)
    if metric.kind == "items" or metric.kind == "rate":
        of = {"true": "labels", "pred": "found", "sep": ";"}
        more = options | ({"average": "macro"} if metric.kind == "rate" else {})
        yield Use(SETS, name, (sets("labels"), sets("found")), of, more)
    if metric.kind == "ranking":
        of = {"true": "yes", "score": "p0"}
        yield Use("scores", name, (column("yes"), column("p0")), of, options)
    if metric.over_classes:
        more = options | {"multi_class": "ovr", "average": "macro"}
        columns = {"true": "true", "score": probabilities}
        yield Use("scores of classes", name, (column("true"), p), columns, more)
    if metric.kind == "loss":
        columns = {"true": "true", "score": probabilities}
        yield Use("probabilities", name, (column("true"), p), columns, options)
    if metric.kind == "label ranking" or metric.over_labels:
        q = {label: f"q_{label}" for label in LABELS}
        more = options | ({} if metric.kind == "label ranking" else {"average": "macro"})
        data = (matrix(*LABELS), matrix(*q.values()))
        yield Use("scores of labels", name, data, {"true": LABELS, "score": q}, more)
    if metric.kind == "value":
        yield Use("values", name, (column("p0"),), {"of": "p0"}, options)


USES = [use for metric in EVERY.values() for use in uses(metric)]
WEIGHTED, CLUSTERED = {"weights": "w"}, {"cluster": "doc"}
BOOTSTRAP = {"interval": "bootstrap", "replicates": 29, "seed": 3}
OPTIONS: list[dict[str, Any]] = [
    {},
    WEIGHTED,
    CLUSTERED,
    {**WEIGHTED, **CLUSTERED},
    *({"average": x} for x in ("micro", "macro", "weighted", "samples", "none")),
    {"positive": 1},
    {"positive": "k"},
    *({"undefined": x} for x in (0, 0.5, 1, "skip", "raise")),
    {"class_shares": "uniform"},
    {"class_shares": {0: 0.5, 1: 0.3, 2: 0.2}},
    {"class_shares": "uniform", **WEIGHTED},
    {"ignore": [2]},
    {"interval": "auto"},
    {"interval": "delta"},
    BOOTSTRAP,
    {"interval": "auto", **WEIGHTED},
    {"interval": "delta", **CLUSTERED},
    {**BOOTSTRAP, **CLUSTERED},
    {"interval": "delta", **WEIGHTED, **CLUSTERED},
    {"interval": "auto", "class_shares": "uniform"},
    {"interval": "wilson"},
    {"interval": "posterior", "replicates": 29, "seed": 3},
]
COLUMNS = ("weights", "cluster")
"""Options that name a column, which arrays hold."""

ASKS = re.compile("needs the items|pass the items")
"""What tables say that do not hold what an interval needs."""

Answer = tuple[float, ...] | WhichF1Error


def answer(call: Callable[[], Any]) -> Answer:
    """The value and the ends of its interval, or the error."""
    try:
        score = call()
    except WhichF1Error as error:
        return error
    ends = (
        ()
        if getattr(score, "interval", None) is None
        else (score.interval.low, score.interval.high)
    )
    return tuple(map(float, (score, *ends)))


def structures() -> Iterator[Use]:
    """Raters, groups and slices, which have their own functions."""
    of = {"true": "true", "pred": "pred"}
    for name, metric in EVERY.items():
        if metric.raters:
            yield Use(RATERS, name, (), {"raters": ["true", "pred", "other"]}, {})
        if metric.kind in COUNTED and not {"costs", "parents"} & {*metric.parameters}:
            average = {"average": "macro"} if metric.kind == "rate" else {}
            yield Use(GROUPS, name, (), of, average)
            yield Use(SLICES, name, (), of, average)
        if metric.kind == "ranking" and not metric.confidence:
            yield Use(SLICES, name, (), {"true": "yes", "score": "p0"}, {})


USES += structures()


def from_arrays(use: Use, options: dict[str, Any]) -> Answer:
    held = {k: column(x) for k, x in options.items() if k in COLUMNS}
    chosen = {**use.options, **{k: x for k, x in options.items() if k not in COLUMNS}}
    metric = getattr(wf, use.metric)
    if use.kind == RATERS:
        rated = matrix(*use.columns["raters"])
        return answer(lambda: metric(wf.ratings(rated, **held), **chosen))
    if use.kind == GROUPS:
        groups: Any = partial(wf.groups, column("true"), column("pred"), use.metric)
        return answer(lambda: groups(by=column("by"), **held, **chosen).difference)
    if use.kind == SLICES:
        here = column("by") == "x"
        some = {name: x[here] for name, x in held.items()}
        pair = [column(x)[here] for x in use.columns.values()]
        known = {"labels": CLASSES if "pred" in use.columns else [0, 1]}
        return answer(lambda: metric(*pair, **some, **known, **chosen))
    if use.kind == SETS:
        return answer(lambda: metric(wf.count_multilabel(*use.arrays, **held), **chosen))
    return answer(lambda: metric(*use.arrays, **held, **chosen))


def from_columns(use: Use, options: dict[str, Any], data: Any, **reading: Any) -> Answer:
    told: Any = {**use.options, **options, **use.columns, **reading}
    named = {k: x for k, x in options.items() if k in COLUMNS}
    chosen = {k: x for k, x in {**use.options, **options}.items() if k not in COLUMNS}
    metric = getattr(wf, use.metric)
    if use.kind == RATERS:
        return answer(lambda: metric(wf.ratings(data, **use.columns, **named, **reading), **chosen))
    if use.kind == GROUPS:
        return answer(lambda: wf.groups(data, use.metric, by="by", **told).difference)
    if use.kind == SLICES:
        split: Any = wf.count_by if "pred" in use.columns else wf.rank_by
        known = {"labels": CLASSES if "pred" in use.columns else [0, 1], "by": "by"}
        columns = {**use.columns, **named, **reading, **known}
        return answer(lambda: metric(split(data, **columns)["x",], **chosen))
    return answer(lambda: metric(data, **told))


def same(ours: Answer, expected: Answer) -> bool:
    """Twelve digits; or an error in both, or one that asks for the items behind a table."""
    if isinstance(ours, WhichF1Error) and ASKS.search(str(ours)):
        return True
    if isinstance(ours, WhichF1Error) or isinstance(expected, WhichF1Error):
        return isinstance(ours, WhichF1Error) and isinstance(expected, WhichF1Error)
    return len(ours) == len(expected) and all(
        isclose(x, y, rel_tol=1e-12, abs_tol=1e-12) or (isnan(x) and isnan(y))
        for x, y in zip(ours, expected, strict=True)
    )


def _of_engine(name: str) -> Callable[[Path], Callable[[], Any]]:
    def make(_: Path) -> Callable[[], Any]:
        frame = ENGINES[name](pa.Table.from_pylist(ROWS))
        return lambda: frame

    return make


def _of_file(name: str) -> Callable[[Path], Callable[[], Any]]:
    def make(folder: Path) -> Callable[[], Any]:
        WRITERS[name](folder / name, ROWS)
        return lambda: folder / name

    return make


def _of_batches(name: str) -> Callable[[Path], Callable[[], Any]]:
    return lambda _: lambda: BATCHES[name](pa.Table.from_pylist(ROWS))


def _in_sqlite(folder: Path) -> Callable[[], Any]:
    connection = sqlite3.connect(folder / "items.db")
    fill(connection, "items", ROWS)
    connection.close()
    return lambda: f"sqlite:///{folder / 'items.db'}"


SOURCES: dict[str, Callable[[Path], Callable[[], Any]]] = {
    **{x: _of_engine(x) for x in ("pandas", "polars", "pyarrow", "duckdb", "dask")},
    **{x: _of_file(x) for x in ("a.csv", "a.parquet", "a.jsonl", "a.npz")},
    **{x: _of_batches(x) for x in ("columns in parts", "iterator of batches")},
    "sqlite": _in_sqlite,
}
"""From a folder to a function that opens the data again for each call."""
CLUSTER = {"spark": _of_engine("spark")}
EVERY_CASE = [*product(range(len(USES)), range(len(OPTIONS)))]


def differences(source: str, folder: Path, seed: int, cases: int) -> Iterator[str]:
    """What differs from arrays in so many random cases; no other exception may leave."""
    data = {**SOURCES, **CLUSTER}[source](folder)
    reading = {"table": "items"} if source == "sqlite" else {}
    chosen = random.Random(f"{seed} {source}").sample(EVERY_CASE, min(cases, len(EVERY_CASE)))
    for which, way in chosen:
        use, options = USES[which], OPTIONS[way]
        told = f"{use.metric} of {use.kind} from {source} with {options}"
        try:
            expected = from_arrays(use, options)
        except Exception as error:
            yield f"{told}: arrays raise {error!r}"
            continue
        try:
            ours = from_columns(use, options, data(), **reading)
        except Exception as error:
            yield f"{told}: raises {error!r}"
            continue
        if not same(ours, expected):
            yield f"{told}: {ours!r}, not {expected!r}"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    number, most = map(int, sys.argv[1:3])
    for each in sys.argv[3:] or SOURCES:
        with tempfile.TemporaryDirectory() as place:
            for line in differences(each, Path(place), number, most):
                print(line, flush=True)
