"""Scores, label sets, clusters and systems in columns: every engine as plain Python."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import whichf1 as wf
from tests.helpers.class_scores import assert_same, one_by_one
from tests.helpers.columns import LABELS, Rows, drawn, kinds_of_labels
from tests.helpers.engines import (
    DATABASES,
    ENGINES,
    IN_MEMORY,
    TYPES,
    clusters_of,
    every_engine,
)
from tests.helpers.samples import present
from whichf1.sources.answers.lines import read_scores
from whichf1.sources.lines import ScoredLines
from whichf1.sources.request import Request
from whichf1.sources.systems import read_systems
from whichf1.tables.counts import Counts
from whichf1.tables.slices import Slices

SCORES: list[tuple[Any, list[Any]]] = [
    (pa.float64(), [0.0, -0.0, 0.125, 0.3, 0.5, 1.0]),
    (pa.int64(), [0, 1]),
    (pa.bool_(), [False, True]),
]
DOCUMENTS: list[tuple[Any, list[Any]]] = [
    (pa.string(), ["d1", "d2", "ü"]),
    (pa.int64(), [-1, 0, 1, 2]),
    (pa.float64(), [1.0, 2.0]),
]
TAGS = ["", "a", "b;ü", "1;a", "ü;1;b"]


def ranked(rows: Any, positive: Any, weight: Any = None) -> Any:
    """What a ranking must hold: {score: (positives, negatives)}, where there is any weight."""
    sums: dict[float, list[Any]] = {}
    for row in rows:
        sides = sums.setdefault(float(row["s"]) + 0.0, [0, 0])
        sides[row["gold"] != positive] += 1 if weight is None else row[weight]
    return {score: tuple(sides) for score, sides in sums.items() if any(sides)}


def lines(ranking: Any) -> Any:
    sides = zip(ranking.positives.tolist(), ranking.negatives.tolist(), strict=True)
    return dict(zip(ranking.score.tolist(), sides, strict=True))


def cells(joint: Counts) -> Any:
    """{(true, prediction of each system, cluster): items}."""
    keys = [
        [joint.labels[code] for code in side.tolist()] for side in (joint.true, *joint.predictions)
    ]
    if joint.cluster is not None:
        names = present(joint.cluster_names)
        keys.append([names[code] for code in joint.cluster.tolist()])
    return dict(zip(zip(*keys, strict=True), joint.count.tolist(), strict=True))


@every_engine
@pytest.mark.filterwarnings("ignore")
@pytest.mark.thinned(3)
def test_every_engine_reads_scores_clusters_systems_and_sets_like_python(engine: str) -> None:
    for at, kind in enumerate(kinds_of_labels(engine)):
        label, number = (TYPES[kind], LABELS[kind]), SCORES[at % 3]
        columns = {"gold": label, "a": label, "b": label, "s": number, "p": number}
        columns |= {"w": (pa.float64(), [0.0, 0.25, 1.0, 2.5][at % 2 :]), "doc": DOCUMENTS[at % 3]}
        columns |= {"tags": (pa.string(), TAGS), "found": (pa.string(), TAGS)}
        for table, rows in drawn(engine, columns, seed=at):
            frame = ENGINES[engine](table)
            gold = [row["gold"] for row in rows]
            check_ranking(frame, rows, gold)
            check_systems(frame, rows, gold)
            check_sets(frame, rows)
            check_scores(frame, rows, gold)


def check_ranking(frame: Any, rows: Rows, gold: Any) -> None:
    positive = gold[0]
    ranking = wf.rank(frame, true="gold", score="s", positive=positive)
    assert lines(ranking) == ranked(rows, positive)
    assert not ranking.weighted
    assert ranking == wf.rank(gold, [float(row["s"]) for row in rows], positive=positive)
    weighted = wf.rank(frame, true="gold", score="s", positive=positive, weights="w")
    assert lines(weighted) == ranked(rows, positive, "w")


def check_systems(frame: Any, rows: Any, gold: Any) -> None:
    read_joint = read_systems(frame, ["a", "b"], counted=True, true="gold", cluster="doc")
    assert isinstance(read_joint, Slices)
    joint: Any = read_joint.whole
    assert cells(joint) == Counter((r["gold"], r["a"], r["b"], r["doc"]) for r in rows)
    assert {type(label) for label in joint.labels} <= {int, str, bool}
    documents = clusters_of(rows)
    a = [row["a"] for row in rows]
    assert wf.count(frame, true="gold", pred="a", cluster="doc") == wf.count(
        gold, a, cluster=documents
    )
    weights = [row["w"] for row in rows]
    if any(weights):
        found = wf.count(frame, true="gold", pred="a", cluster="doc", weights="w")
        assert found == wf.count(gold, a, cluster=documents, weights=weights)
    read_plain = read_systems(frame, {"A": "a", "B": "b"}, counted=True, true="gold")
    assert isinstance(read_plain, Slices)
    plain: Any = read_plain.whole
    assert plain.systems == ("A", "B")
    assert cells(plain) == Counter((r["gold"], r["a"], r["b"]) for r in rows)
    slices = wf.count_by(frame, true="gold", pred="a", by="b", cluster="doc")
    assert slices.whole == wf.count(frame, true="gold", pred="a", cluster="doc")


def check_sets(frame: Any, rows: Any) -> None:
    sides = [
        [set(filter(None, row[side].split(";"))) for row in rows] for side in ("tags", "found")
    ]
    expected = wf.count_multilabel(*sides)
    columns: dict[str, Any] = {"true": "tags", "pred": "found", "sep": ";"}
    assert wf.count_multilabel(frame, **columns) == expected
    data: dict[str, Any] = {"weights": [row["w"] for row in rows], "cluster": clusters_of(rows)}
    if all(data["weights"]):
        found = wf.count_multilabel(frame, **columns, weights="w", cluster="doc")
        assert found == wf.count_multilabel(*sides, **data)


def check_scores(frame: Any, rows: Any, gold: Any) -> None:
    """The lines that losses, areas and comparisons of scores are computed from."""
    options: dict[str, Any] = {"true": "gold", "weights": "w", "cluster": "doc"}
    request = Request.of_scores(score=["s", "p"], systems=2, **options)
    found = read_scores(frame, None, request, apart=True)
    columns = np.array([[float(row["s"]), float(row["p"])] for row in rows])
    weights = [row["w"] for row in rows]
    expected = ScoredLines.of(gold, columns, weights=weights, cluster=clusters_of(rows))
    assert one_by_one(found) == one_by_one(expected)


@every_engine
@pytest.mark.filterwarnings("ignore")
@pytest.mark.thinned(3)
def test_every_engine_scores_and_compares_columns(engine: str) -> None:
    """From the columns to the last number, once."""
    rng = np.random.default_rng(5)
    gold, w = rng.integers(0, 2, 60), rng.integers(1, 4, 60) / 2
    s, p = (rng.integers(1, 16, 60) / 16 for _ in range(2))
    doc = [f"d{at}" for at in rng.integers(0, 15, 60)]
    frame = ENGINES[engine](pa.table({"gold": gold, "s": s, "p": p, "w": w, "doc": doc}))
    for metric in ("roc_auc", "log_loss"):
        for kind in ({}, {"weights": w}, {"weights": w, "cluster": doc}):
            data: dict[str, Any] = dict(kind)
            names: dict[str, Any] = {x: {"weights": "w", "cluster": "doc"}[x] for x in kind}
            found = wf.score(frame, metric, true="gold", score="s", interval="delta", **names)
            assert_same(found, wf.score(gold, s, metric, interval="delta", **data))
    options: dict[str, Any] = {"true": "gold", "weights": "w", "replicates": 99}
    compared = wf.compare(frame, ["s", "p"], "roc_auc", **options)
    expected = wf.compare(gold, {"s": s, "p": p}, "roc_auc", weights=w, replicates=99)
    assert compared.pairs[0].difference == pytest.approx(expected.pairs[0].difference)
    assert compared.signature == expected.signature


@every_engine
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", [pa.string(), pa.int64()])
@pytest.mark.thinned(4)
def test_lists_of_labels(engine: str, kind: Any) -> None:
    true: list[list[Any]] = [[1, 2], [], [2], [1, 2]]
    pred: list[list[Any]] = [[2, 1], [3], [2], [1]]
    if kind == pa.string():
        true, pred = ([[f"x{i}" for i in cell] for cell in side] for side in (true, pred))
    table = pa.table(
        {
            "true": pa.array(true, pa.list_(kind)),
            "pred": pa.array(pred, pa.list_(kind)),
            "w": [1.0, 2.0, 0.5, 4.0],
        }
    )
    frame = ENGINES[engine](table)
    sets = [[set(cell) for cell in side] for side in (true, pred)]
    assert wf.count_multilabel(frame) == wf.count_multilabel(*sets)
    expected = wf.count_multilabel(*sets, weights=[1.0, 2.0, 0.5, 4.0])
    assert wf.count_multilabel(frame, weights="w") == expected


@pytest.mark.parametrize("engine", [*IN_MEMORY, *DATABASES])
@pytest.mark.filterwarnings("ignore")
def test_columns_of_0_and_1(engine: str) -> None:
    bits: dict[str, Any] = {"cat": [1, 0, 1], "dog": [0, 0, 1], "p1": [1, 1, 0], "p2": [0, 0, 1]}
    frame = ENGINES[engine](pa.table(bits))
    names: dict[str, Any] = {"true": ["cat", "dog"], "pred": ["p1", "p2"]}
    matrices = [np.array([bits[x] for x in side]).T for side in names.values()]
    assert wf.count_multilabel(frame, **names) == wf.count_multilabel(
        *matrices, labels=["cat", "dog"]
    )
    assert wf.count_multilabel(frame, **names, labels=["x", "y"]).labels == ("x", "y")
    with pytest.raises(wf.errors.ShapeError, match="a column for each label"):
        wf.count_multilabel(frame, true=["cat"], pred=["p1", "p2"])
    with pytest.raises(wf.errors.InputError, match=r"'p1' holds 2: .* holds 0 and 1"):
        wf.count_multilabel(
            ENGINES[engine](pa.table({**bits, "p1": [1, 1, 2]})), true=["cat"], pred=["p1"]
        )


@every_engine
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), None])
@pytest.mark.thinned(4)
def test_scores_that_are_none_are_refused(engine: str, bad: Any) -> None:
    s = pa.array([0.5, bad, 0.25, bad], pa.float64(), from_pandas=False)
    frame = ENGINES[engine](pa.table({"y": [1, 0, 1, 0], "s": s, "t": [0.5] * 4}))
    said = "column 's' has no finite number in 2 of its 4 items"
    if engine in IN_MEMORY and engine != "polars lazy":
        said += r"; the first is row 1 \((nan|inf)\)"
    for call in (
        lambda: wf.rank(frame, true="y", score="s"),
        lambda: wf.log_loss(frame, true="y", score={0: "t", 1: "s"}),
        lambda: wf.compare(frame, ["t", "s"], "roc_auc", true="y"),
    ):
        with pytest.raises(wf.errors.InputError, match=said):
            call()


@every_engine
@pytest.mark.filterwarnings("ignore")
@pytest.mark.thinned(3)
def test_missing_values_are_reported(engine: str) -> None:
    table = pa.table(
        {
            "y": pa.array(["a", None, "b"]),
            "z": ["a", "b", "b"],
            "s": [0.1, 0.2, 0.3],
            "t": [0.9, 0.8, 0.7],
            "doc": pa.array(["d", "e", None]),
        }
    )
    frame = ENGINES[engine](table)
    for call, said in (
        (lambda: wf.rank(frame, true="y", score="s", positive="a"), "'y' has no label in 1"),
        (lambda: wf.log_loss(frame, true="y", score={"a": "s", "b": "t"}), "'y' has no label"),
        (lambda: wf.compare(frame, ["y", "doc"], true="z"), "'y' has no label in 1 of its 3"),
        (lambda: wf.count(frame, true="z", pred="z", cluster="doc"), "'doc' has no cluster in 1"),
        (lambda: wf.count_multilabel(frame, true="y", pred="z", sep=";"), "'y' has no label in 1"),
    ):
        with pytest.raises(wf.errors.LabelError, match=said):
            call()


def test_which_class_is_a_column_of() -> None:
    import polars as pl

    frame = pl.DataFrame({"y": [0, 1, 1], "1": [0.2, 0.9, 0.6], "0": [0.8, 0.1, 0.4]})
    named = wf.log_loss(frame, true="y", score=["1", "0"])  # numbers may be names
    assert named.value == wf.log_loss([0, 1, 1], [0.2, 0.9, 0.6]).value
    other = frame.rename({"1": "p1", "0": "p0"})
    with pytest.raises(wf.errors.LabelError, match="which class does each of the columns p1, p0"):
        wf.log_loss(other, true="y", score=["p1", "p0"])
    for own in ({"score": {1: "p1", 0: "p0"}}, {"score": ["p1", "p0"], "labels": [1, 0]}):
        assert wf.log_loss(other, true="y", **own).value == pytest.approx(named.value)
    area = wf.roc_auc(other, true="y", score={1: "p1", 0: "p0"}, positive=1)
    assert area.value == wf.roc_auc(other, true="y", score="p1").value


def test_arguments_that_do_not_fit() -> None:
    import polars as pl

    loose: Any = wf  # for calls that the types forbid

    frame = pl.DataFrame({"true": [0, 1], "pred": [0, 1], "score": [0.1, 0.9], "t": ["a", "b"]})
    e = wf.errors
    for call, error, said in (
        (lambda: wf.rank([0, 1], [0.1, 0.2], score="s"), e.InputError, "but these are arrays"),
        (lambda: wf.roc_auc([0, 1], [0.1, 0.2], true="s"), e.InputError, "but these are arrays"),
        (
            lambda: loose.accuracy(frame, score="score"),
            e.DefinitionError,
            "name their column with p",
        ),
        (lambda: loose.roc_auc(frame, pred="pred"), e.DefinitionError, "score=COLUMN"),
        (
            lambda: wf.rank(frame, score="t"),
            e.InputError,
            "'t' holds String: scores must be numbers",
        ),
        (lambda: wf.rank(frame, score="none"), e.FileError, "no column 'none'"),
        (lambda: loose.rank(frame, score=3), e.InputError, "score= names columns"),
        (lambda: wf.rank(frame, weights=[1, 2]), e.InputError, "weights= names a column"),
        (
            lambda: wf.compare(frame, {"A": [0, 1]}, true="true"),
            e.InputError,
            "systems must be col",
        ),
        (lambda: wf.compare(frame, "pred", true="true"), e.InputError, "systems must be columns"),
        (lambda: wf.compare(frame, ["pred", "pred"], true="true"), e.InputError, "named twice"),
        (lambda: wf.compare([0], {"A": [0]}, true="true"), e.InputError, "but these are arrays"),
        (
            lambda: wf.compare(frame, ["pred", "t"], pred="t"),
            e.InputError,
            "must be names of columns",
        ),
        (lambda: wf.compare(frame, ["pred", "t"], "hamming_loss"), e.InputError, "Name the sep"),
        (
            lambda: wf.count_multilabel(frame, top_k=1, true="t"),
            e.InputError,
            "do not apply to arrays",
        ),
        (
            lambda: wf.count_multilabel(frame, true="t", pred="t"),
            e.InputError,
            "Name the separator",
        ),
        (lambda: wf.count_multilabel(frame, sep=""), e.InputError, "the separator between lab"),
        (lambda: wf.count_multilabel([{1}]), e.InputError, "pass y_true and y_pred"),
        (
            lambda: loose.coverage_error(frame, true="true", score="score"),
            e.DefinitionError,
            "computed from sets of labels",
        ),
    ):
        with pytest.raises(error, match=said):
            call()
    bits = frame.select("true", "pred").to_pandas()
    assert wf.subset_accuracy(bits, bits).value == 1.0  # two frames are two matrices
    both = wf.compare(bits, {"A": bits, "B": 1 - bits}, "hamming_loss", replicates=99)
    assert both.pairs[0].difference == -1.0
    assert wf.macro_f1(frame, true="true", pred="pred", cluster="t").averaged.value == 1.0
    with pytest.raises(e.DefinitionError, match="omit score="):
        loose.macro_f1(frame, score="score")
    with pytest.raises(e.DefinitionError, match="Drop score="):
        loose.recall.per_class(frame, score="score")
    with pytest.raises(e.DefinitionError, match="a mean over batches needs arrays"):
        wf.averaged_f1(frame, true="true", pred="pred", batch=2)
    assert wf.roc_auc(frame).value == 1.0
    assert wf.average_precision(frame, weights="score").value == 1.0
    assert wf.f1(frame, true="true", pred="pred", positive=1).value == 1.0
    assert wf.score(frame, "roc_auc", true="true", score="score").value == 1.0
