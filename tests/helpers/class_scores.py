"""Items with scores for each class, as arrays and as columns, and the tables that both give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import whichf1 as wf
from tests.helpers.engines import DATABASES, ENGINES
from tests.helpers.files import WRITERS
from whichf1.scoring.functions import with_options
from whichf1.sources.answers.lines import ClassScores, EngineSums
from whichf1.sources.lines import ScoredLines
from whichf1.sources.request import Request
from whichf1.tables.cells import Array, Predicted

LAZY = {name: ENGINES[name] for name in (*DATABASES, "polars lazy", "spark")}
"""Engines that hold the rows themselves."""
NAMES = ["cat", "dog", "eel"]
QUICK: dict[str, Any] = {"replicates": 199}
Options = dict[str, Any]
KINDS: list[Options] = [
    {},
    {"weights": "w"},
    {"cluster": "doc"},
    {"weights": "w", "cluster": "doc"},
]
"""The columns that an item may have besides its scores."""


class Data:
    """Items with two systems of distributions over three classes, weights and clusters."""

    def __init__(self, n: int = 300, seed: int = 3, names: Sequence[Any] = NAMES) -> None:
        rng = np.random.default_rng(seed)
        k = len(names)
        at = rng.integers(0, k, n)
        self.true = [names[x] for x in at]
        self.names = [*names]
        sure = 0.3 * np.eye(k)[at]
        self.p, self.q = (self.fair(rng.dirichlet(np.full(k, 0.7), n) + sure) for _ in range(2))
        self.w = rng.integers(1, 5, n) / 2
        self.doc = np.array([f"d{x}" for x in rng.integers(0, n // 4, n)])
        columns = {f"p{x}": s for x, s in zip(names, self.p.T, strict=True)}
        columns |= {f"q{x}": s for x, s in zip(names, self.q.T, strict=True)}
        self.table = pa.table({"gold": self.true, **columns, "w": self.w, "doc": self.doc})
        self.columns = {x: f"p{x}" for x in names}
        self.systems = {s: [f"{s}{x}" for x in names] for s in "pq"}

    @staticmethod
    def fair(scores: Array) -> Array:
        """Distributions in steps of 1/64, so that some are alike and sums are exact."""
        whole = np.floor(64 * scores / scores.sum(1, keepdims=True))
        whole[:, -1] += 64 - whole.sum(1)
        fair: Array = whole / 64
        return fair

    def source(self, engine: str, folder: Path) -> Any:
        """The columns in an engine, or in a file of a format."""
        if engine in ENGINES:
            return ENGINES[engine](self.table)
        WRITERS[engine](folder / engine, self.table.to_pylist())
        return folder / engine

    def measures(self, kind: Options, at: Any = slice(None)) -> Options:
        """The weights and clusters of some items, as arrays."""
        arrays = {"w": self.w, "doc": self.doc}
        return {option: arrays[column][at] for option, column in kind.items()}

    def some(self, at: Array) -> tuple[list[Any], Array]:
        """The true classes and the distributions of some items."""
        return [x for x, here in zip(self.true, at, strict=True) if here], self.p[at]


GOOD = ["cat,0.75,0.25,1,a", "dog,0.5,0.5,2,a", "dog,0.125,0.875,1,b", "cat,1,0,1,c"]
"""Lines of a file of gold, cat, dog, w and doc."""


def lines_file(folder: Path, *lines: str) -> Path:
    """A CSV file of such lines."""
    path = folder / "a.csv"
    path.write_text("gold,cat,dog,w,doc\n" + "".join(f"{line}\n" for line in lines))
    return path


def parquet(path: Path, **columns: Any) -> Path:
    """A Parquet file of these columns."""
    pq.write_table(pa.table(columns), path)
    return path


def assert_same(found: wf.Score, expected: wf.Score) -> None:
    """The same value, signature and interval."""
    assert found.value == pytest.approx(expected.value, rel=1e-10)
    assert found.signature == expected.signature
    assert found.n == pytest.approx(expected.n)
    assert (found.interval is None) == (expected.interval is None)
    if found.interval is not None and expected.interval is not None:
        assert found.interval.low == pytest.approx(expected.interval.low, rel=1e-8)
        assert found.interval.high == pytest.approx(expected.interval.high, rel=1e-8)


# The tables that scores are computed from

FORMULAS: list[tuple[str, Options]] = [
    ("log_loss", {}),
    ("brier", {"scale": "sum"}),
    ("log_loss", {"floor": 0.0}),
    ("top_k_accuracy", {"k": 2}),
    ("top_k_accuracy", {"k": 1, "ties": "last"}),
    ("top_k_accuracy", {"k": 1, "ties": "best"}),
    ("top_k_accuracy", {"k": 1, "ties": "worst"}),
    ("hinge_loss", {}),
    ("ranked_probability_score", {}),
    ("spherical_score", {}),
    ("bayes_cost", {}),
]
"""Numbers of an item that an engine computes from its scores."""
DECISIONS: list[tuple[int, Any]] = [(1, "first"), (2, "last"), (1, "last"), (2, "first")]


def formula(metric: str, options: Options) -> Callable[[Any], Any]:
    """The number of each item of which a loss is the mean."""
    definition = with_options(metric, dict(options))

    def each(items: Any) -> Any:
        with np.errstate(divide="ignore"):
            return definition.declaration.formula(items, **definition.arguments)

    return each


def one_by_one(lines: ScoredLines) -> Counter[Any]:
    """How many items have a class, scores, a weight and a cluster."""
    table: Counter[Any] = Counter()
    for at, key in enumerate(_keys(lines)):
        weight = None if lines.weights is None else float(lines.weights[at])
        table[*key, weight] += 1 if lines.items is None else int(lines.items[at])
    return table


def added_up(lines: ScoredLines) -> dict[Any, Any]:
    """The number of items with a class and scores, their weights and squared weights."""
    table: dict[Any, Any] = {}
    for at, key in enumerate(_keys(lines)):
        n = 1 if lines.items is None else lines.items[at]
        w = 1.0 if lines.weights is None else lines.weights[at]
        sums = (n, w, lines.squares[at]) if lines.squares is not None else (n, n * w, n * w * w)
        table[key] = table.get(key, 0) + np.array(sums, np.float64)
    return {key: sums.tolist() for key, sums in table.items()}


def _keys(lines: ScoredLines) -> list[tuple[Any, ...]]:
    scores = np.round(np.asarray(lines.scores, np.float64), 10).reshape(len(lines.true), -1) + 0.0
    cluster = [None] * len(scores) if lines.cluster is None else lines.cluster
    return [
        (true if isinstance(true, str) else int(true), *row, None if name is None else str(name))
        for true, row, name in zip(lines.true, scores.tolist(), cluster, strict=True)
    ]


def check_sums(sums: EngineSums, values: Array, lines: ScoredLines) -> None:
    """The sums of a number of each item, by cluster."""
    n = len(values)
    w = np.ones(n) if lines.weights is None else lines.weights
    names = np.zeros(n, int) if lines.cluster is None else np.asarray(lines.cluster)
    clusters = sums.cluster if lines.cluster is not None else np.zeros(len(sums.table), int)
    every = np.column_stack([np.ones(n), w, w**2, w * values, w**2 * values, w**2 * values**2])
    for name in np.unique(names):
        found = sums.table[clusters == name].sum(0)
        assert found == pytest.approx(every[names == name].sum(0), rel=1e-12)
    assert set(clusters) == set(names)


def check_tables(
    scores: ClassScores, lines: ScoredLines, *, few: bool = False, least: bool = False
) -> None:
    """What is asked of columns gives the tables that arrays give.

    ``few``: one question of each kind; ``least``: without those about single columns.

    Every metric, interval, decision and slice of such scores is computed from these tables.
    """
    coded = lines.coded(fair=True)
    names, n = coded.labels, len(lines.scores)
    assert (scores.width, scores.labels) == (lines.width, names)
    for metric, options in FORMULAS[:2] if few else FORMULAS:
        each, name = formula(metric, options), f"{metric}{options}"
        values = np.asarray(each(Predicted(coded.true, coded.scores)), np.float64)
        check_sums(scores.sums(each, name), values, lines)
        expected = lines._replace(true=np.ones(n), scores=values)
        assert one_by_one(scores.values(each, name)) == one_by_one(expected)
    for k, ties in DECISIONS[:2] if few else DECISIONS:
        assert added_up(scores.decisions(k, ties)) == added_up(lines.decisions(k, ties))
    assert one_by_one(scores.top_labels(apart=True)) == one_by_one(lines.top_labels())
    assert one_by_one(scores.coded(fair=True)) == one_by_one(coded)
    if least:
        return
    assert added_up(scores.top_labels()) == added_up(lines.top_labels())
    one = coded._replace(true=coded.true == 1, scores=coded.scores[:, 1])
    for apart, table in ((False, added_up), (True, one_by_one)):
        found, label = scores.against_rest(names[1], apart)
        assert label == names[1] and table(found) == table(one)
    of_class, classes = scores.by_class()
    assert classes == names
    for at in range(len(names)):
        expected = coded._replace(scores=coded.scores[:, at])
        assert added_up(of_class(at)) == added_up(expected)


def check_systems(source: Any, data: Data, kind: Options) -> None:
    """The tables that comparisons are computed from: the items that all systems treat alike."""
    columns = [*data.systems["p"], *data.systems["q"]]
    options: Options = {"true": "gold", "score": columns, "labels": data.names, **kind}
    scores = ClassScores(source, None, Request.of_scores(systems=2, **options), fair=True)
    measures = data.measures(kind)
    each = formula("brier", {"scale": "sum"})
    both = [ScoredLines.of(data.true, x, data.names, **measures) for x in (data.p, data.q)]
    coded = [lines.coded(fair=True) for lines in both]
    losses = np.column_stack([each(Predicted(x.true, x.scores)) for x in coded])
    expected = both[0]._replace(true=np.ones(len(losses)), scores=losses)
    assert one_by_one(scores.values(each, "brier")) == one_by_one(expected)
    tops = [lines.top_labels() for lines in both]
    sides = np.column_stack([side for x in tops for side in (x.true, x.scores)])
    expected = both[0]._replace(true=np.ones(len(sides)), scores=sides)
    assert one_by_one(scores.top_labels(apart=True)) == one_by_one(expected)
    expected = coded[0]._replace(scores=np.column_stack([x.scores for x in coded]))
    assert one_by_one(scores.coded(fair=True)) == one_by_one(expected)
