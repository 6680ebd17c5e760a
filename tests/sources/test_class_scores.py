"""Columns of scores that stay where they are: the same numbers as arrays, and few lines read."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import whichf1 as wf
from tests.helpers.class_scores import (
    DECISIONS,
    KINDS,
    LAZY,
    NAMES,
    QUICK,
    Data,
    Options,
    assert_same,
    check_systems,
    check_tables,
)
from tests.helpers.engines import DATABASES, group
from tests.helpers.files import WRITERS
from whichf1.scoring.decisions import decide
from whichf1.scoring.lines import score_lines
from whichf1.sources.answers import lines as class_scores
from whichf1.sources.answers.lines import ClassScores
from whichf1.sources.engines import frames
from whichf1.sources.lines import ScoredLines
from whichf1.sources.questions import derived
from whichf1.sources.questions.grouped import KEY, Question
from whichf1.sources.request import Request
from whichf1.tables.cells import Array

Kind = Options
SCORES: list[tuple[str, Options]] = [
    ("log_loss", {}),
    ("brier", {}),
    ("top_k_accuracy", {"k": 2}),
    ("top_k_accuracy", {"k": 1, "ties": "last"}),
    ("top_k_accuracy", {"k": 1, "ties": "best"}),
    ("top_k_accuracy", {"k": 1, "ties": "worst"}),
    ("log_loss", {"floor": 0.0}),
    ("expected_calibration_error", {"multi_class": "top-label"}),
    ("roc_auc", {"average": "macro", "multi_class": "ovr"}),
    ("roc_auc", {"average": "weighted", "multi_class": "ovo"}),
    ("average_precision", {"average": "macro"}),
    ("roc_auc", {"positive": "dog"}),
]


def class_scores_of(source: Any, data: Data, kind: Kind) -> tuple[ClassScores, ScoredLines]:
    """The scores of the first system in columns, and in arrays."""
    request = Request.of_scores(true="gold", score=data.columns, **kind)
    arrays = ScoredLines.of(data.true, data.p, data.names, **data.measures(kind))
    return ClassScores(source, None, request, fair=True), arrays


@pytest.mark.parametrize("engine", [pytest.param(name, marks=group(name)) for name in LAZY])
@pytest.mark.filterwarnings("ignore")
@pytest.mark.thinned(2)
def test_every_engine_gives_the_tables_of_arrays(engine: str, tmp_path: Path) -> None:
    data, spark = Data(), engine == "spark"
    source = data.source(engine, tmp_path)
    kinds = {"spark": KINDS[3:], "ibis": KINDS[1::2], "dask": KINDS[1::2]}.get(engine, KINDS)
    for kind in kinds:
        few = spark or kind != KINDS[3]
        check_tables(*class_scores_of(source, data, kind), few=few, least=spark)
    if not spark:  # whose systems are compared below
        check_systems(source, data, KINDS[3])


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet", "a.npz"])
@pytest.mark.thinned(2)
def test_every_way_to_read_a_file_gives_the_tables_of_arrays(name: str, tmp_path: Path) -> None:
    """Text whose numbers are parsed, JSON, typed columns, and arrays; other formats are the same
    view, which the next test proves."""
    data = Data()
    source = data.source(name, tmp_path)
    check_tables(*class_scores_of(source, data, KINDS[3]), few=True)
    check_systems(source, data, KINDS[3])


@pytest.mark.parametrize(
    "engine", [*WRITERS, *(pytest.param(name, marks=group(name)) for name in LAZY)]
)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.thinned(4)
def test_every_engine_and_format_scores_decides_and_compares(engine: str, tmp_path: Path) -> None:
    """From the columns to the last number, once."""
    data, kind = Data(120), KINDS[3]
    source, measures = data.source(engine, tmp_path), data.measures(KINDS[3])
    options: Options = {"true": "gold", "score": data.columns, **kind}
    found = wf.log_loss(source, interval="delta", **options)
    arrays: Options = {"labels": data.names, **measures}
    assert_same(found, wf.log_loss(data.true, data.p, interval="delta", **arrays))
    decided = wf.at_top_k(source, k=2, **options)
    assert decided == wf.at_top_k(data.true, data.p, 2, **arrays)
    check_comparison(source, data, kind, "brier", {})


# What follows from the tables, in the quickest of the engines


def check_comparison(source: Any, data: Data, kind: Kind, metric: str, options: Options) -> None:
    own: Options = {"labels": data.names, **options, **QUICK}
    measures: dict[str, Any] = data.measures(kind)
    found = wf.compare(source, data.systems, metric, true="gold", **kind, **own)
    expected = wf.compare(data.true, {"p": data.p, "q": data.q}, metric, **measures, **own)
    assert found.signature == expected.signature
    ours, theirs = found.pairs[0], expected.pairs[0]
    assert ours.difference == pytest.approx(theirs.difference, rel=1e-9)
    assert (ours.only_a, ours.only_b) == (theirs.only_a, theirs.only_b)
    if metric != "expected_calibration_error":
        assert ours.standard_error == pytest.approx(theirs.standard_error, rel=1e-8)
        assert ours.p_value == pytest.approx(theirs.p_value, rel=1e-6)
    for test in ("p_bootstrap", "p_randomization"):
        a, b = getattr(ours, test), getattr(theirs, test)
        assert (a is None) == (b is None)
        if "cluster" not in kind:  # what is drawn has an order of its own
            assert a == b


@pytest.mark.parametrize("interval", [None, "delta", wf.Bootstrap(**QUICK)])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.thinned(3)
def test_tables_give_the_scores_of_arrays(kind: Kind, interval: Any) -> None:
    data = Data()
    source = LAZY["polars lazy"](data.table)
    measures: dict[str, Any] = data.measures(kind)
    for metric, options in SCORES:
        if interval == "delta" and metric == "expected_calibration_error":
            continue
        own: dict[str, Any] = {**options, "interval": interval} if interval else options
        found = wf.score(source, metric, true="gold", score=data.columns, **kind, **own)
        expected = wf.score(data.true, data.p, metric, labels=data.names, **measures, **own)
        assert_same(found, expected)


@pytest.mark.parametrize("kind", KINDS)
def test_tables_give_the_decisions_of_arrays(kind: Kind) -> None:
    data = Data()
    source = LAZY["polars lazy"](data.table)
    options: Options = {"true": "gold", "score": data.columns, **kind}
    arrays: Options = {"labels": data.names, **data.measures(kind)}
    for k, ties in DECISIONS:
        found = wf.at_top_k(source, k=k, ties=ties, **options)
        expected = wf.at_top_k(data.true, data.p, k, ties=ties, **arrays)
        assert found == expected
        assert_same(*(wf.averaged_f1(x, interval="delta") for x in (found, expected)))
    assert wf.at_argmax(source, **options) == wf.at_argmax(data.true, data.p, **arrays)


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        ("log_loss", {}),
        ("top_k_accuracy", {"k": 1}),
        ("expected_calibration_error", {"multi_class": "top-label"}),
        ("roc_auc", {"average": "macro"}),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_tables_give_the_comparisons_of_arrays(kind: Kind, metric: str, options: Options) -> None:
    data = Data()
    check_comparison(LAZY["polars lazy"](data.table), data, kind, metric, options)


CLASSES: dict[str, list[Any]] = {
    "int": [-1, 0, 7],
    "bool": [False, True],
    "float": [1, 2, 3],
    "text of numbers": ["1", "2"],
}


@pytest.mark.parametrize(
    ("engine", "kind"),
    [
        (engine, kind)
        for engine in (*DATABASES, "polars lazy", "a.csv", "a.jsonl", "a.parquet")
        for kind in CLASSES
        if (engine, kind) != ("a.csv", "bool")  # text holds no booleans
    ],
)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.thinned(4)
def test_true_classes_of_every_type(engine: str, kind: str, tmp_path: Path) -> None:
    names = CLASSES[kind]
    data = Data(80, names=names)
    cells = [float(x) for x in data.true] if kind == "float" else data.true
    data.table = data.table.set_column(0, "gold", pa.array(cells))
    request = Request.of_scores(true="gold", score=[*data.columns.values()], labels=names)
    scores = ClassScores(data.source(engine, tmp_path), None, request, fair=True)
    loss = score_lines(wf.log_loss.definition(), scores)
    assert_same(loss, wf.log_loss(data.true, data.p, labels=names))
    assert decide(scores) == wf.at_argmax(data.true, data.p, labels=names)


@pytest.fixture
def leaving(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many lines have left an engine."""
    counted: list[int] = []

    def watch(module: Any, name: str, size: Callable[[Any], int]) -> None:
        original = getattr(module, name)

        def counting(result: Any) -> Any:
            answer = original(result)
            counted.append(size(answer))
            return answer

        monkeypatch.setattr(module, name, counting)

    watch(frames, "columns_of", lambda columns: len(columns[0]))
    return counted


@pytest.mark.parametrize("engine", [*DATABASES, "polars lazy", "a.parquet", "a.csv"])
@pytest.mark.filterwarnings("ignore")
@pytest.mark.thinned(3)
def test_the_rows_stay(
    engine: str, tmp_path: Path, leaving: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What leaves is a sum, or a line for each combination of distinct values."""
    monkeypatch.setattr(class_scores, "TOGETHER", 0)
    data = Data(2000)
    kinds = len({(t, *p) for t, p in zip(data.true, data.p.tolist(), strict=True)})
    source, parts = data.source(engine, tmp_path), 2 if engine == "dask" else 1
    own: Options = {"true": "gold", "score": data.columns}
    drawn = ("interval", wf.Bootstrap(**QUICK))
    most: dict[tuple[str, tuple[tuple[str, Any], ...]], int] = {
        ("log_loss", ()): 1,
        ("brier", (("weights", "w"), ("interval", "delta"))): 1,
        ("brier", (("cluster", "doc"), drawn)): 500,
        ("log_loss", (drawn,)): 65,
        ("top_k_accuracy", (drawn,)): 2,
        ("expected_calibration_error", ()): 2 * 65,
        ("roc_auc", (("average", "macro"),)): 3 * 3 * 65,
        ("roc_auc", (("average", "macro"), ("interval", "delta"))): kinds,
    }
    assert kinds < 1900
    for (metric, options), few in most.items():
        leaving.clear()
        wf.score(source, metric, **own, **dict(options))
        assert sum(leaving) <= parts * (3 + few), (metric, options)
    leaving.clear()
    wf.at_argmax(source, **own)
    assert sum(leaving) <= parts * (3 + 9)
    leaving.clear()
    wf.compare(source, data.systems, "top_k_accuracy", true="gold", labels=NAMES, k=1, **QUICK)
    assert sum(leaving) <= parts * (3 + 4)


def many(k: int, n: int = 200) -> tuple[list[str], list[str], Array, pa.Table]:
    """Items of many classes: the names, the true classes, the distributions, and all as a table."""
    rng = np.random.default_rng(1)
    names = [f"c{at:04}" for at in range(k)]
    true = [names[x] for x in rng.integers(0, k, n)]
    p = rng.dirichlet(np.ones(k), n)
    return names, true, p, pa.table({"gold": true, **dict(zip(names, p.T, strict=True))})


@pytest.mark.parametrize("engine", [*DATABASES, "polars lazy", "a.csv"])
@pytest.mark.filterwarnings("ignore")
@pytest.mark.thinned(3)
def test_many_classes(engine: str, tmp_path: Path) -> None:
    names, true, p, table = many(40)
    source: Any = tmp_path / engine
    if engine in LAZY:
        source = LAZY[engine](table)
    else:
        WRITERS[engine](source, table.to_pylist())
    scores = ClassScores(source, None, Request.of_scores(true="gold", score=names), fair=False)
    found = score_lines(wf.top_k_accuracy.definition(k=5), scores)
    assert_same(found, wf.top_k_accuracy(true, p, labels=names, k=5))
    assert decide(scores, 5) == wf.at_top_k(true, p, 5, labels=names)


def test_expressions_of_many_classes_are_not_deep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB refuses deep expressions, by default of a depth above 1,000; here above 60."""
    connect = duckdb.connect

    def shallow(*arguments: Any, **options: Any) -> Any:
        connection = connect(*arguments, **options)
        connection.execute("SET max_expression_depth TO 60")
        return connection

    monkeypatch.setattr(duckdb, "connect", shallow)
    with pytest.raises(duckdb.Error, match="depth"):
        duckdb.connect().execute(f"SELECT {'+'.join('1' * 100)}")
    names, true, p, table = many(100, 50)
    pq.write_table(table, tmp_path / "a.parquet")
    found = wf.brier(tmp_path / "a.parquet", true="gold", score=names)
    assert_same(found, wf.brier(true, p, labels=names))
    table = table.set_column(1, names[0], pa.array(p[:, 0] + 0.5 * (np.arange(50) == 7)))
    pq.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(wf.errors.InputError, match=r"in 1 .* the first is item 8 "):
        wf.brier(tmp_path / "a.parquet", true="gold", score=names)


@pytest.mark.parametrize("engine", ["duckdb", "polars lazy", "a.csv"])
def test_moments_of_columns(engine: str, tmp_path: Path) -> None:
    data = Data(100)
    source = data.source(engine, tmp_path)
    for metric in ("log_loss", "brier", "top_k_accuracy"):
        found = wf.moments(source, metric, true="gold", score=data.columns)
        expected = wf.moments(data.true, data.p, metric, labels=data.names)
        assert (found.n, found.labels, found.parameters) == (
            *(expected.n, expected.labels, expected.parameters),
        )
        assert found.total == pytest.approx(expected.total)
        assert found.squares == pytest.approx(expected.squares)
        assert_same(wf.score(found, metric), wf.score(expected, metric))
    with pytest.raises(wf.errors.InputError, match="omit weights= and cluster="):
        wf.moments(source, "brier", true="gold", score=data.columns, weights="w")


@pytest.mark.parametrize(("metric", "options"), SCORES)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_drawn_does_not_depend_on_the_order_of_items(
    metric: str, options: Options, kind: Kind
) -> None:
    data = Data(120)
    own: Options = {"labels": NAMES, "interval": wf.Bootstrap(**QUICK), **options}
    order = np.random.default_rng(9).permutation(120)
    found = [
        wf.score(
            [data.true[x] for x in at],
            data.p[at],
            metric,
            **data.measures(kind, at),
            **own,
        )
        for at in (np.arange(120), order)
    ]
    assert_same(*found)
    if options.get("floor") == 0:  # an infinite loss has no difference
        return
    both = [
        wf.compare(
            [data.true[x] for x in at],
            {"p": data.p[at], "q": data.q[at]},
            metric,
            **data.measures(kind, at),
            **{**own, "interval": None, **QUICK},
        ).pairs[0]
        for at in (np.arange(120), order)
    ]
    for name in ("p_bootstrap", "p_randomization"):
        assert getattr(both[0], name) == pytest.approx(getattr(both[1], name))


SMALL_MEMORY = """
import sys
import whichf1 as wf
from tests.helpers.peak import held, peak
names = ["cat", "dog", "eel", "fox"]
own = {"true": "gold", "score": names, "memory_limit": "100MB"}
wf.log_loss(sys.argv[1], **own)
before = held()
for path in sys.argv[2:]:
    wf.log_loss(path, weights="w", interval="delta", **own)
    wf.brier(path, cluster="doc", interval="bootstrap", **own)
    wf.top_k_accuracy(path, interval="bootstrap", **own)
    wf.at_top_k(path, k=2, cluster="doc", **own)
print(peak() - before)
"""


@pytest.mark.slow
@pytest.mark.long
def test_memory_does_not_grow_with_the_items(tmp_path: Path) -> None:
    """3,000,000 items of 48 bytes are 144 MB; DuckDB may use 100, and no row is kept."""
    rng = np.random.default_rng(1)
    names = ["cat", "dog", "eel", "fox"]

    def block(n: int) -> Any:
        p = Data.fair(rng.dirichlet(np.ones(4), n))
        gold = np.array(names)[rng.integers(0, 4, n)]
        made: dict[str, Any] = {
            "gold": gold,
            **dict(zip(names, p.T, strict=True)),
            "w": rng.random(n),
        }
        return pa.table({**made, "doc": rng.integers(0, 100, n)})

    paths = [tmp_path / f"{size}.parquet" for size in ("few", "many")]
    first = block(50_000)
    for path, blocks in zip(paths, (1, 60), strict=True):
        with pq.ParquetWriter(path, first.schema) as out:
            for _ in range(blocks):
                out.write_table(first)
    command = [sys.executable, "-c", SMALL_MEMORY, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 70e6, f"{int(done.stdout):,} bytes"


@pytest.mark.parametrize("engine", [pytest.param(name, marks=group(name)) for name in LAZY])
@pytest.mark.thinned(2)
def test_one_class_with_a_column(engine: str) -> None:
    frame = LAZY[engine](pa.table({"gold": ["a", "a"], "a": [0.25, 0.5], "p": [0.25, 0.5]}))
    assert wf.at_argmax(frame, true="gold", score=["a"]).matrix.tolist() == [[2]]
    with pytest.raises(
        wf.errors.WhichF1Error, match="which class does each of the columns p belong to"
    ):
        wf.at_argmax(frame, true="gold", score="p")


def test_scores_of_few_items_are_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """One pass for all classes, and the same numbers as from one for each."""
    data = Data(60)
    asked: list[int] = []
    frame = LAZY["polars lazy"](data.table)
    read = Question.gather

    def counted(*arguments: Any) -> Any:
        asked.append(1)
        return read(*arguments)

    monkeypatch.setattr(Question, "gather", counted)
    for kind in KINDS[:2]:
        for way in ("ovr", "ovo"):
            found, passes = [], []
            for limit in (0, class_scores.TOGETHER):
                monkeypatch.setattr(class_scores, "TOGETHER", limit)
                own: Options = {"average": "macro", "multi_class": way, **kind}
                asked.clear()
                found.append(wf.roc_auc(frame, true="gold", score=data.columns, **own))
                passes.append(len(asked))
            assert passes == [4, 2]
            assert_same(*found)


@pytest.mark.parametrize("fair", [True, False])
@pytest.mark.parametrize("wrong", [None, "missing", "infinite", "not a number", "unfair", "class"])
def test_a_short_query_says_what_the_long_one_would(
    tmp_path: Path, wrong: str | None, fair: bool
) -> None:
    """Of complete items it gives the same rows; what the others lack, the long one says."""
    rng = np.random.default_rng(3)
    scores = rng.dirichlet(np.ones(4), 50).astype(object)
    true: list[str | None] = [f"c{at}" for at in rng.integers(0, 4, 50)]
    bad = {"missing": None, "infinite": np.inf, "not a number": np.nan, "unfair": 0.9}
    if wrong in bad:
        scores[7, 2] = bad[wrong]
    if wrong == "class":
        true[3] = None
    data: dict[str, Any] = {"true": true, **{f"c{at}": [*scores[:, at]] for at in range(4)}}
    path = tmp_path / "scores.parquet"
    pq.write_table(pa.table(data), path)
    asked = []

    class Both(derived.Classes):
        def of_view(self, database: Any, columns: Any, explain: Any) -> dict[str, list[Any]]:
            short = super().of_view(database, columns, explain)
            long = Question.of_view(self, database, columns, explain)
            asked.append(self._all_complete(database, columns))
            rows = [{(str(x[0]), *map(float, x[1:])) for x in each[KEY]} for each in (short, long)]
            assert rows[0] == rows[1] and rows[0]
            return short

    request = Request.of_scores(true="true", score=[f"c{at}" for at in range(4)])
    Both(int(fair)).gather(path, None, request)
    complete = all(row[-1] for row in asked[0])
    assert complete == (wrong in (None, "class") or (wrong == "unfair" and not fair))
