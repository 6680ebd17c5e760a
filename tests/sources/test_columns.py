"""Scores, label sets, clusters and systems in columns: every engine and format as plain Python."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers.engines import (
    CLUSTERS,
    DATABASES,
    ENGINES,
    EXAMPLES,
    IN_MEMORY,
    SETS,
    TYPES,
    clusters_of,
    every_engine,
)
from tests.helpers.files import ROWS, WRITERS, written
from tests.sources.test_frames import LABELS
from whichf1.sources.systems import read_systems
from whichf1.tables.counts import Counts

SCORES = {
    pa.float64(): st.sampled_from([0.0, -0.0, 0.125, 0.3, 0.5, 1.0]),
    pa.int64(): st.integers(0, 1),
    pa.bool_(): st.booleans(),
}


@st.composite
def tables(draw):
    """gold, a, b (labels of one kind), s, p (scores), w, doc, and two columns of sets."""
    kind = draw(st.sampled_from(list(TYPES)))
    score, cluster = draw(st.sampled_from(list(SCORES))), draw(st.sampled_from(list(CLUSTERS)))
    label, number = LABELS[kind], SCORES[score]
    weight = st.sampled_from([0.0, 0.25, 1.0, 2.5])
    row = st.tuples(label, label, label, number, number, weight, CLUSTERS[cluster], SETS, SETS)
    rows = draw(st.lists(row, min_size=1, max_size=20))
    names = ["gold", "a", "b", "s", "p", "w", "doc", "tags", "found"]
    types = [*[TYPES[kind]] * 3, score, score, pa.float64(), cluster, pa.string(), pa.string()]
    columns = [[r[i] if i < 7 else ";".join(r[i]) for r in rows] for i in range(len(names))]
    made = [pa.array(c, t) for c, t in zip(columns, types, strict=True)]
    return pa.table(dict(zip(names, made, strict=True))), [
        dict(zip(names, r, strict=True)) for r in rows
    ]


def ranked(rows, positive, weight=None):
    """What a ranking must hold: {score: (positives, negatives)}."""
    sums = {}
    for row in rows:
        sides = sums.setdefault(float(row["s"]) + 0.0, [0, 0])
        sides[row["gold"] != positive] += 1 if weight is None else row[weight]
    return {score: tuple(sides) for score, sides in sums.items()}


def lines(ranking):
    sides = zip(ranking.positives.tolist(), ranking.negatives.tolist(), strict=True)
    return dict(zip(ranking.score.tolist(), sides, strict=True))


def cells(joint: Counts):
    """{(true, prediction of each system, cluster): items}."""
    keys = [
        [joint.labels[code] for code in side.tolist()] for side in (joint.true, *joint.predictions)
    ]
    if joint.cluster is not None:
        keys.append([joint.cluster_names[code] for code in joint.cluster.tolist()])
    return dict(zip(zip(*keys, strict=True), joint.count.tolist(), strict=True))


@every_engine
@pytest.mark.filterwarnings("ignore")
def test_every_engine_reads_scores_clusters_systems_and_sets_like_python(engine):
    @settings(max_examples=EXAMPLES[engine], suppress_health_check=list(HealthCheck), deadline=None)
    @given(tables())
    def check(made):
        table, rows = made
        frame = ENGINES[engine](table)
        positive = rows[0]["gold"]
        ranking = wf.rank(frame, true="gold", score="s", positive=positive)
        assert lines(ranking) == ranked(rows, positive)
        assert not ranking.weighted
        gold, s = [row["gold"] for row in rows], [float(row["s"]) for row in rows]
        assert ranking == wf.rank(gold, s, positive=positive)
        weighted = wf.rank(frame, true="gold", score="s", positive=positive, weights="w")
        assert lines(weighted) == ranked(rows, positive, "w")
        check_systems(frame, rows, gold)
        check_sets(frame, rows)
        check_losses(frame, rows, gold, positive)

    check()


def check_systems(frame, rows, gold):
    joint = read_systems(frame, ["a", "b"], counted=True, true="gold", cluster="doc")
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
    plain = read_systems(frame, {"A": "a", "B": "b"}, counted=True, true="gold")
    assert plain.systems == ("A", "B")
    assert cells(plain) == Counter((r["gold"], r["a"], r["b"]) for r in rows)
    slices = wf.count_by(frame, true="gold", pred="a", by="b", cluster="doc")
    assert slices.whole == wf.count(frame, true="gold", pred="a", cluster="doc")


def check_sets(frame, rows):
    sides = [[set(row[side]) for row in rows] for side in ("tags", "found")]
    expected = wf.count_multilabel(*sides)
    columns = {"true": "tags", "pred": "found", "sep": ";"}
    assert wf.count_multilabel(frame, **columns) == expected
    data = {"weights": [row["w"] for row in rows], "cluster": clusters_of(rows)}
    if all(data["weights"]):
        found = wf.count_multilabel(frame, **columns, weights="w", cluster="doc")
        assert found == wf.count_multilabel(*sides, **data)


def check_losses(frame, rows, gold, positive):
    s, p = ([float(row[side]) for row in rows] for side in ("s", "p"))
    options = {"positive": positive, "floor": 0.01}
    if len(set(gold)) == 2:
        found = wf.log_loss(frame, true="gold", score="s", **options)
        expected = wf.log_loss(gold, s, **options)
        assert found.value == pytest.approx(expected.value, rel=1e-12)
        assert found.signature == expected.signature
        area = wf.roc_auc(frame, true="gold", score="s", positive=positive)
        assert area == wf.roc_auc(gold, s, positive=positive)
        weights = [row["w"] for row in rows]
        if all(weights):
            own = {"positive": positive, "interval": "delta"}
            found = wf.roc_auc(frame, true="gold", score="s", weights="w", cluster="doc", **own)
            expected = wf.roc_auc(gold, s, weights=weights, cluster=clusters_of(rows), **own)
            assert found.value == pytest.approx(expected.value)
            assert found.signature == expected.signature
            found = wf.log_loss(frame, true="gold", score="s", weights="w", **options)
            expected = wf.log_loss(gold, s, weights=weights, **options)
            assert found.value == pytest.approx(expected.value)
        found = wf.compare(frame, ["s", "p"], "roc_auc", true="gold", positive=positive)
        expected = wf.compare(gold, {"s": s, "p": p}, "roc_auc", positive=positive)
        assert found.pairs[0].difference == pytest.approx(expected.pairs[0].difference)


@every_engine
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", [pa.string(), pa.int64()])
def test_lists_of_labels(engine, kind):
    true, pred = [[1, 2], [], [2], [1, 2]], [[2, 1], [3], [2], [1]]
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
def test_columns_of_0_and_1(engine):
    bits = {"cat": [1, 0, 1], "dog": [0, 0, 1], "p1": [1, 1, 0], "p2": [0, 0, 1]}
    frame = ENGINES[engine](pa.table(bits))
    names = {"true": ["cat", "dog"], "pred": ["p1", "p2"]}
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
def test_scores_that_are_none_are_refused(engine, bad):
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
def test_missing_values_are_reported(engine):
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


# Files of every format

COLUMN = {name: [row[name] for row in ROWS] for name in ROWS[0]}


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_in_python(tmp_path, name):
    path = written(tmp_path, name)
    true, score = COLUMN["true"], COLUMN["score"]
    expected = wf.rank(true, score, positive="b")
    assert wf.rank(path, positive="b") == expected  # the usual names are found
    assert wf.roc_auc(path, positive="b") == wf.roc_auc(expected)
    weighted = wf.rank(true, score, positive="b", weights=COLUMN["w"])
    assert wf.rank(path, positive="b", weights="w") == weighted
    probabilities = list(zip(COLUMN["a"], COLUMN["b"], strict=True))
    loss = wf.log_loss(true, probabilities)
    for own in (["a", "b"], {"a": "a", "b": "b"}):
        assert wf.log_loss(path, true="true", score=own) == loss
    assert wf.log_loss(path, true="true", score=["b", "a"]).value == pytest.approx(loss.value)
    assert wf.brier(path, true="true", score="score", positive="b").value == pytest.approx(
        wf.brier(true, score, positive="b").value
    )
    systems = {"x": COLUMN["x"], "y": COLUMN["y"]}
    for more in ({}, {"cluster": "doc"}, {"weights": "w"}):
        data = {option: COLUMN[column] for option, column in more.items()}
        found = wf.compare(path, ["x", "y"], "accuracy", true="true", **more)
        assert found.pairs == wf.compare(true, systems, "accuracy", **data).pairs
    counts = wf.count(path, pred="x", cluster="doc")
    assert counts == wf.count(true, COLUMN["x"], cluster=COLUMN["doc"])
    sets = [[set(filter(None, cell.split(";"))) for cell in COLUMN[x]] for x in ("tags", "found")]
    assert wf.count_multilabel(path, true="tags", pred="found", sep=";") == wf.count_multilabel(
        *sets
    )
    curve = wf.roc_curve(path, true="true", score="score", positive="b")
    assert curve.fpr.tolist() == wf.roc_curve(expected).fpr.tolist()
    best = wf.best_threshold(path, metric="f1", true="true", score="score", positive="b")
    assert best.threshold == wf.best_threshold(expected).threshold
    assert wf.roc_auc(path, path, true="true", score="score", positive="b") == wf.roc_auc(expected)
    decided = wf.at_threshold(path, threshold=0.5, true="true", score="score", positive="b")
    assert decided == wf.at_threshold(true, score, 0.5, positive="b")


COMMANDS = {
    "score": ("score", "--score", "score", "--positive", "b", "--threshold", "0.5"),
    "probs": ("score", "--probs", "a,b"),
    "sets": ("score", "--labels-sep", ";", "--true", "tags", "--pred", "found"),
    "cluster": ("score", "--pred", "x", "--cluster", "doc", "--true", "true"),
    "slices": ("score", "--pred", "x", "--true", "true", "--cluster", "doc", "--by", "y"),
    "compare": ("compare", "--pred", "x", "--pred", "y", "--cluster", "doc"),
    "areas": ("compare", "--pred", "a", "--pred", "b", "-m", "roc_auc", "--positive", "b"),
    "set systems": (
        *("compare", "--labels-sep", ";", "-m", "subset_accuracy"),
        *("--true", "tags", "--pred", "found", "--pred", "other", "--cluster", "doc"),
    ),
    "threshold": ("threshold", "--score", "score", "--positive", "b"),
    "count": ("count", "--pred", "x", "--cluster", "doc", "--true", "true"),
}


def without_source(text):
    record = json.loads(text)
    record.pop("source", None)
    return record


@pytest.mark.parametrize("command", COMMANDS)
def test_every_format_on_the_command_line(tmp_path, run, monkeypatch, command):
    """The same output, to the last digit, whatever the format, the parts and the way in."""
    name, *options = COMMANDS[command]
    options += [] if name == "count" else ["-f", "json"]
    found = {}
    for file in WRITERS:
        code, out, err = run(name, written(tmp_path, file), *options)
        assert (code, err) == (0, ""), err
        found[file] = without_source(out)
    assert all(each == found["a.csv"] for each in found.values())
    for part, rows in (("part-0.csv", ROWS[:2]), ("part-1.csv", ROWS[2:])):
        WRITERS["a.csv"](tmp_path / part, rows)
    code, out, _ = run(name, f"{tmp_path}/part-*.csv", *options)
    assert code == 0 and without_source(out) == found["a.csv"]
    with open(tmp_path / "a.jsonl") as text:
        monkeypatch.setattr("sys.stdin", text)
        code, out, _ = run(name, "-", "--from", "jsonl", *options)
    assert code == 0 and without_source(out) == found["a.csv"]


def test_pairs_of_files_on_the_command_line(tmp_path, run):
    own, other = ("true", "doc", "tags"), ("score", "a", "b", "x", "y", "found", "other")
    numbered = [{"id": i, **row} for i, row in enumerate(ROWS)]
    gold = tmp_path / "gold.jsonl"
    WRITERS["a.jsonl"](gold, [{k: row[k] for k in ("id", *own)} for row in numbered])
    answers = tmp_path / "answers.csv"
    table = [{k: row[k] for k in ("id", *other)} for row in numbered]
    for rows, more in ((table, ()), (table[::-1], ("--id", "id"))):
        WRITERS["a.csv"](answers, rows)
        for command in COMMANDS.keys() - {"slices", "count"}:
            name, *options = COMMANDS[command]
            options += ["-f", "json", "--true", "tags" if "set" in command else "true"]
            whole = run(name, written(tmp_path, "a.csv"), *options)
            assert whole[0] == 0, whole[2]
            code, out, err = run(name, "--gold", gold, "--pred-file", answers, *more, *options)
            assert code == 0, err
            assert_alike(without_source(out), without_source(whole[1]))


def assert_alike(a, b):
    """Equal but for the last digits of numbers, which depend on the order of a sum."""
    if isinstance(a, dict):
        assert a.keys() == b.keys()
        for key in a:
            assert_alike(a[key], b[key])
    elif isinstance(a, list):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            assert_alike(x, y)
    else:
        assert a == (pytest.approx(b, rel=1e-12) if isinstance(b, float) else b)


def test_skipping_scores_sets_and_clusters(tmp_path, run):
    path = tmp_path / "a.csv"
    path.write_text(
        "true,score,x,doc\nb,0.5,b,d\na,none,a,d\n,0.2,a,d\na,0.1\na,0.25,a,\nb,inf,,e\n"
    )
    with pytest.warns(wf.errors.SkippedWarning) as caught:
        ranking = wf.rank(path, positive="b", on_error="skip")
    assert ranking == wf.rank(["b", "a"], [0.5, 0.25], positive="b")
    (said,) = (str(each.message) for each in caught)
    assert "1 lines (missing columns, first line 5)" in said
    assert "1 without a label in 'true', 2 without a finite number in 'score'" in said
    with pytest.warns(wf.errors.SkippedWarning, match="1 without a cluster in 'doc'"):
        counts = wf.count(path, pred="x", cluster="doc", on_error="skip")
    assert counts == wf.count(["b", "a"], ["b", "a"], cluster=["d", "d"])
    with pytest.raises(wf.errors.LabelError, match=r"'doc' has no cluster in 1 .*item 2 \(line 3"):
        gaps = tmp_path / "gaps.csv"
        gaps.write_text("true,pred,doc\na,,d\n,b,\n")  # no labels are a set, too
        wf.count_multilabel(gaps, sep=";", cluster="doc")
    options = ("--score", "score", "--positive", "b", "--on-error", "skip", "-f", "json")
    code, out, err = run("score", path, *options)
    assert code == 0 and "skipped 1 lines" in err and json.loads(out)["n"] == 2
    nothing = tmp_path / "nothing.csv"
    nothing.write_text("true,score\na,x\n")
    with pytest.warns(wf.errors.SkippedWarning), pytest.raises(wf.errors.ShapeError):
        wf.rank(nothing, positive="a", on_error="skip")


def test_which_class_is_a_column_of():
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


def test_arguments_that_do_not_fit():
    import polars as pl

    frame = pl.DataFrame({"true": [0, 1], "pred": [0, 1], "score": [0.1, 0.9], "t": ["a", "b"]})
    e = wf.errors
    for call, error, said in (
        (lambda: wf.rank([0, 1], [0.1, 0.2], score="s"), e.InputError, "arrays have none"),
        (lambda: wf.roc_auc([0, 1], [0.1, 0.2], true="s"), e.InputError, "arrays have none"),
        (lambda: wf.accuracy(frame, score="score"), e.DefinitionError, "name their column with p"),
        (lambda: wf.roc_auc(frame, pred="pred"), e.DefinitionError, "score=COLUMN"),
        (lambda: wf.rank(frame, score="t"), e.InputError, "'t' holds String: scores are numbers"),
        (lambda: wf.rank(frame, score="none"), e.FileError, "no column 'none'"),
        (lambda: wf.rank(frame, score=3), e.InputError, "score= names columns"),
        (lambda: wf.rank(frame, weights=[1, 2]), e.InputError, "weights= names a column"),
        (lambda: wf.compare(frame, {"A": [0, 1]}, true="true"), e.InputError, "systems are col"),
        (lambda: wf.compare(frame, "pred", true="true"), e.InputError, "systems are columns"),
        (lambda: wf.compare(frame, ["pred", "pred"], true="true"), e.InputError, "named twice"),
        (lambda: wf.compare([0], {"A": [0]}, true="true"), e.InputError, "arrays have none"),
        (lambda: wf.compare(frame, ["pred", "t"], pred="t"), e.InputError, "name their columns"),
        (lambda: wf.compare(frame, ["pred", "t"], "hamming_loss"), e.InputError, "Say what stan"),
        (lambda: wf.count_multilabel(frame, top_k=1, true="t"), e.InputError, "go without them"),
        (lambda: wf.count_multilabel(frame, true="t", pred="t"), e.InputError, "Say what stands"),
        (lambda: wf.count_multilabel(frame, sep=""), e.InputError, "the text between two lab"),
        (lambda: wf.count_multilabel([{1}]), e.InputError, "give y_true and y_pred"),
        (
            lambda: wf.coverage_error(frame, true="true", score="score"),
            e.DefinitionError,
            "a matrix of scores",
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
        wf.macro_f1(frame, score="score")
    with pytest.raises(e.DefinitionError, match="Drop score="):
        wf.recall.per_class(frame, score="score")
    with pytest.raises(e.DefinitionError, match="no columns: give arrays"):
        wf.averaged_f1(frame, true="true", pred="pred", batch=2)
    assert wf.roc_auc(frame).value == 1.0
    assert wf.average_precision(frame, weights="score").value == 1.0
    assert wf.f1(frame, true="true", pred="pred", positive=1).value == 1.0
    assert wf.score(frame, "roc_auc", true="true", score="score").value == 1.0


# Clusters that are saved and merged

ITEMS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.sampled_from("xyz")), min_size=2
)


def clustered(items, weights=None):
    true, pred, cluster = zip(*items, strict=True)
    return wf.count(true, pred, cluster=cluster, weights=weights)


@given(ITEMS, st.data())
def test_parts_with_clusters_add_up_and_are_saved(items, data):
    cut = data.draw(st.integers(1, len(items) - 1))
    weights = data.draw(
        st.none() | st.just([0.5 + 0.25 * (i % 4) for i in range(len(items))]), label="weights"
    )
    own = (None, None) if weights is None else (weights[:cut], weights[cut:])
    parts = [clustered(items[:cut], own[0]), clustered(items[cut:], own[1])]
    whole = clustered(items, weights)
    assert sum(parts) == sum(reversed(parts)) == whole
    again = [wf.Counts.from_json(part.to_json()) for part in parts]
    assert again == parts and sum(again) == whole
    options = {"interval": "delta", "classes": "observed"}
    assert wf.averaged_f1(sum(again), **options) == wf.averaged_f1(whole, **options)
    found, expected = (wf.averaged_f1(x, **options).interval for x in (sum(again), whole))
    assert found == expected
    plain = wf.count([t for t, _, _ in items], [p for _, p, _ in items], weights=weights)
    assert plain != whole and whole != plain and plain.matrix.tolist() == whole.matrix.tolist()
    assert wf.Counts.empty() + whole == whole == whole + wf.Counts.empty()


def test_clusters_that_do_not_add_up(tmp_path):
    counts = clustered([(0, 0, "x"), (1, 0, "y")])
    for other, said in (
        (wf.count([0], [0]), "with clusters, the other without"),
        (wf.count([0], [0], cluster=[1]), "the clusters of one part are (str|int), those"),
        (clustered([(0, 0, "x")], [2.0]), "with weights, the other without"),
    ):
        for parts in ((counts, other), (other, counts)):
            with pytest.raises(wf.errors.MergeError, match=said):
                parts[0] + parts[1]
    with pytest.raises(TypeError):
        counts + "x"
    assert counts != "x"
    record = json.loads(counts.to_json())
    for change in ({"cluster": [0]}, {"cluster": [0, 2]}, {"cluster": [0, 0]}, {"clusters": 3}):
        with pytest.raises(wf.errors.FileError, match="not a complete file of counts"):
            wf.Counts.from_json(json.dumps(record | change))


def test_parts_with_clusters_on_the_command_line(tmp_path, run, monkeypatch):
    options = ("--true", "true", "--pred", "x", "--cluster", "doc")
    for number, rows in enumerate((ROWS[:3], ROWS[3:])):  # d2 has items in both
        path = written(tmp_path, ("a.csv", "a.parquet")[number], rows)
        assert run("count", path, *options, "-o", tmp_path / f"{number}.json")[0] == 0
    code, out, err = run("merge", tmp_path / "0.json", tmp_path / "1.json")
    assert (code, err) == (0, "")
    merged = wf.Counts.from_json(out)
    assert merged == wf.count(COLUMN["true"], COLUMN["x"], cluster=COLUMN["doc"])
    merged.save(tmp_path / "all.json")
    found = run("score", tmp_path / "all.json", "-m", "accuracy", "-f", "json")
    direct = run("score", written(tmp_path, "a.csv"), *options, "-m", "accuracy", "-f", "json")
    assert found[0] == direct[0] == 0 and "clusters:3" in direct[1]
    assert without_source(found[1]) == without_source(direct[1])
    code, _, err = run("score", tmp_path / "all.json", "--cluster", "doc")
    assert code == 2 and "saved counts have no columns" in err
