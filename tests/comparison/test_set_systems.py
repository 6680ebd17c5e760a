"""Systems that predict sets of labels, in columns: counted as in memory, grouped in place."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers.commands import Run
from tests.helpers.engines import (
    CLUSTERS,
    DATABASES,
    ENGINES,
    EXAMPLES,
    SETS,
    clusters_of,
    every_engine,
)
from tests.helpers.files import WRITERS, Rows, written
from whichf1.sources.answers import label_sets as label_cells
from whichf1.sources.answers.rows import complete_together
from whichf1.sources.label_sets import count_sets_together
from whichf1.sources.systems import read_systems
from whichf1.tables.label_sets import FN, FP, TP, MultiLabelCounts
from whichf1.tables.slices import Slices

SIDES = ("tags", "x", "y")
DATA: tuple[dict[str, str], ...] = (
    {},
    {"weights": "w"},
    {"cluster": "doc"},
    {"weights": "w", "cluster": "doc"},
)
EVERY = DATA[-1]
E = wf.errors


def columns(rows: Rows, *names: str) -> list[list[Any]]:
    return [[row[name] for row in rows] for name in names]


def sets_of(rows: Rows) -> tuple[list[set[Any]], dict[str, list[set[Any]]]]:
    """The true sets, and those of the systems A and B."""
    tags, x, y = ([set(cell) for cell in side] for side in columns(rows, *SIDES))
    return tags, {"A": x, "B": y}


def read(source: Any, systems: Any = None, **options: Any) -> MultiLabelCounts:
    """The sets of systems in columns, as ``compare`` reads them."""
    read_joint = read_systems(source, systems or {"A": "x", "B": "y"}, counted=True, **options)
    assert isinstance(read_joint, Slices)
    joint: MultiLabelCounts = read_joint.whole  # type: ignore[assignment]
    return joint


def facts(joint: MultiLabelCounts) -> dict[str, Any]:
    """All that a comparison is computed from, in its order."""
    arrays = ("item", "label", "outcome", "count", "squares", "cluster")
    found: dict[str, Any] = {
        name: None if (array := getattr(joint, name)) is None else array.tolist() for name in arrays
    }
    others = ("labels", "cluster_names", "systems", "declared", "decision", "weighted")
    return found | {name: getattr(joint, name) for name in others}


def same(comparison: wf.Comparison, expected: wf.Comparison) -> None:
    """Every number of two comparisons, p-values and intervals among them."""
    assert comparison.pairs == expected.pairs
    assert comparison.signature == expected.signature
    assert (comparison.best, comparison.letters) == (expected.best, expected.letters)
    for name, score in expected.scores.items():
        assert comparison.scores[name] == score
        assert comparison.scores[name].interval == score.interval


@st.composite
def tables(draw: st.DrawFn) -> tuple[pa.Table, list[dict[str, Any]]]:
    """Two systems' sets beside the true ones, weights and documents."""
    kind = draw(st.sampled_from(list(CLUSTERS)))
    weight = st.sampled_from([0.25, 1.0, 2.5])
    row = st.tuples(SETS, SETS, SETS, weight, CLUSTERS[kind])
    names = [*SIDES, "w", "doc"]
    lines = st.lists(row, min_size=2, max_size=12).filter(lambda rows: any(r[0] for r in rows))
    rows = [dict(zip(names, r, strict=True)) for r in draw(lines)]
    texts = [[";".join(cell) for cell in side] for side in columns(rows, *SIDES)]
    arrays = [pa.array(side, pa.string()) for side in texts]
    w, doc = columns(rows, "w", "doc")
    return pa.table(dict(zip(names, [*arrays, w, pa.array(doc, kind)], strict=True))), rows


def kinds(joint: MultiLabelCounts) -> dict[Any, Any]:
    """{(true set, the set of each system, cluster): items}."""
    sides: list[list[Any]] = [
        [
            frozenset(joint.labels[at] for at in label[item == kind])
            for kind in range(len(joint.count))
        ]
        for label, item in held(joint)
    ]
    if joint.cluster is not None:
        sides.append(joint.cluster.tolist())
    return dict(zip(zip(*sides, strict=True), joint.count.tolist(), strict=True))


def held(joint: MultiLabelCounts) -> Iterator[tuple[Any, Any]]:
    """The labels that are true, then those that each system predicts, each with its item."""
    for at, outcomes in ((0, (TP, FN)), *((at, (TP, FP)) for at in range(len(joint.systems)))):
        item, label, outcome = joint.lines(at)
        chosen = np.isin(outcome, outcomes)
        yield label[chosen], item[chosen]


@every_engine
@pytest.mark.filterwarnings("ignore")
@pytest.mark.thinned(3)
def test_every_engine_counts_sets_as_memory_does(engine: str) -> None:
    """The same table, in the same order: all that a comparison computes from."""

    @settings(max_examples=EXAMPLES[engine], suppress_health_check=list(HealthCheck), deadline=None)
    @given(tables(), st.sampled_from(DATA))
    def check(drawn: tuple[pa.Table, list[dict[str, Any]]], data: dict[str, str]) -> None:
        table, rows = drawn
        joint = check_source(ENGINES[engine](table), rows, data, true="tags", sep=";")
        sides: list[list[Any]] = [[frozenset(row[side]) for row in rows] for side in SIDES]
        if "cluster" in data:
            documents = clusters_of(rows)
            code = {name: at for at, name in enumerate(sorted(set(documents)))}
            sides.append([code[name] for name in documents])
        expected: Counter[tuple[Any, ...]] = Counter()
        for *sets, w in zip(*sides, columns(rows, "w")[0], strict=True):
            expected[tuple(sets)] += w if "weights" in data else 1
        assert kinds(joint) == expected

    check()


ROWS: list[dict[str, Any]] = [
    {"tags": ["k", "l"], "x": ["l", "k"], "y": ["k"], "w": 0.5, "doc": "d1"},
    {"tags": [], "x": ["k"], "y": [], "w": 1.0, "doc": "d1"},
    {"tags": ["l"], "x": ["l"], "y": ["m"], "w": 0.25, "doc": "d2"},
    {"tags": ["k", "l"], "x": ["k", "l"], "y": ["k"], "w": 2.0, "doc": "d3"},
    {"tags": ["m"], "x": [], "y": ["m", "k"], "w": 1.0, "doc": "d2"},
]
LABELS = ["k", "l", "m"]
BITS = {"true": LABELS, "A": ["xk", "xl", "xm"], "B": ["yk", "yl", "ym"]}


def with_texts(rows: Any = ROWS) -> Any:
    return [row | {side: ";".join(row[side]) for side in SIDES} for row in rows]


def with_bits(rows: Any = ROWS) -> Any:
    """A column of 0 and 1 for each label: k, l, m, xk, xl, …"""
    return [
        {f"{side.removesuffix('tags')}{label}": int(label in row[side])
         for side in SIDES for label in LABELS} | {"w": row["w"], "doc": row["doc"]}
        for row in rows
    ]  # fmt: skip


def check_source(
    source: Any, rows: Rows, data: dict[str, str], systems: Any = None, **named: Any
) -> MultiLabelCounts:
    """A frame or a file is counted as in memory: the same table, in the same order."""
    arrays: dict[str, Any] = {key: columns(rows, name)[0] for key, name in data.items()}
    if "cluster" in data:
        arrays["cluster"] = clusters_of(rows)
    joint = read(source, systems, **named, **data)
    expected = count_sets_together(*sets_of(rows), labels=named.get("labels"), **arrays)
    assert facts(joint) == facts(expected)
    return joint


def as_arrow(rows: Rows, kind: Any) -> pa.Table:
    """Sets as columns of lists."""
    lists = [pa.array(side, pa.list_(kind)) for side in columns(rows, *SIDES)]
    names = [*SIDES, "w", "doc"]
    return pa.table(dict(zip(names, [*lists, *columns(rows, "w", "doc")], strict=True)))


@every_engine
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", [pa.string(), pa.int64()], ids=str)
@pytest.mark.thinned(4)
def test_columns_of_lists_are_sets_without_sep(engine: str, kind: Any) -> None:
    """Metrics of sets say so (sets=True); for others the lists themselves tell."""
    rows: Rows = ROWS
    declared: list[Any] = ["z", "k", "m", "l"]
    if kind == pa.int64():
        rows = [
            row | {side: [LABELS.index(label) for label in row[side]] for side in SIDES}
            for row in ROWS
        ]
        declared = [9, 0, 2, 1]
    frame = ENGINES[engine](as_arrow(rows, kind))
    for sets, data in product((False, True), ({}, EVERY)):
        check_source(frame, rows, data, true="tags", sets=sets)
    check_source(frame, rows, EVERY, true="tags", labels=declared)


@every_engine
@pytest.mark.filterwarnings("ignore")
@pytest.mark.thinned(3)
def test_columns_of_0_and_1(engine: str) -> None:
    frame = ENGINES[engine](pa.Table.from_pylist(with_bits()))
    systems = {"A": BITS["A"], "B": BITS["B"]}
    for data in DATA:
        check_source(frame, ROWS, data, systems, true=LABELS, labels=LABELS)
    assert read(frame, systems, true=LABELS).labels == tuple(LABELS)


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.thinned(3)
def test_every_format(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, name, with_texts())
    for data in ({}, EVERY):
        check_source(path, ROWS, data, true="tags", sep=";")
    parts = tmp_path / "parts"
    parts.mkdir()
    for at, rows in enumerate((ROWS[:2], ROWS[2:])):
        written(parts, name, with_texts(rows)).rename(parts / f"{at}-{name}")
    check_source(parts / "*", ROWS, EVERY, true="tags", sep=";")
    if "json" in name or "parquet" in name or "arrow" in name:
        check_source(written(tmp_path, name, ROWS), ROWS, EVERY, true="tags")
    path = written(tmp_path, name, with_bits())
    systems = {"A": BITS["A"], "B": BITS["B"]}
    check_source(path, ROWS, EVERY, systems, true=LABELS, labels=LABELS)


@pytest.mark.parametrize(
    "metric", ["averaged_f1", "subset_accuracy", "hamming_loss", "recall|avg:samples"]
)
def test_columns_are_compared_as_memory_is(tmp_path: Path, metric: str) -> None:
    """Every number is the same: texts, lists or bits, in a frame or a file."""
    import polars as pl

    bits: dict[str, Any] = {"true": LABELS, "labels": LABELS}
    sources: list[tuple[Any, Any, dict[str, Any]]] = [
        (pl.DataFrame(with_texts()), {"A": "x", "B": "y"}, {"true": "tags", "sep": ";"}),
        (pl.DataFrame(ROWS), {"A": "x", "B": "y"}, {"true": "tags"}),
        (pl.DataFrame(with_bits()), {"A": BITS["A"], "B": BITS["B"]}, bits),
        (
            written(tmp_path, "a.csv", with_texts()),
            {"A": "x", "B": "y"},
            {"true": "tags", "sep": ";"},
        ),
    ]
    plan: dict[str, Any] = {"replicates": 99, "seed": 7}
    for data in DATA:
        arrays: dict[str, Any] = {key: columns(ROWS, name)[0] for key, name in data.items()}
        for source, systems, named in sources:
            comparison = wf.compare(source, systems, metric, **(named | data | plan))
            labels = named.get("labels")
            true, others = sets_of(ROWS)
            options = arrays | plan | {"labels": labels}
            same(comparison, wf.compare(true, others, metric, **options))


def test_labels_that_are_written_as_numbers(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("true,x,y\n1;2,1,2\n2,,10\n10,10,10;1\n")
    sets = [{1, 2}, {2}, {10}], {"x": [{1}, set(), {10}], "y": [{2}, {10}, {10, 1}]}
    expected = wf.compare(*sets, "averaged_f1")
    same(wf.compare(path, ["x", "y"], sep=";"), expected)  # the usual name of the truth is found
    texts = [[{*map(str, cell)} for cell in side] for side in (sets[0], *sets[1].values())]
    expected = wf.compare(texts[0], {"x": texts[1], "y": texts[2]}, labels=["1", "2", "10"])
    same(wf.compare(path, ["x", "y"], sep=";", labels=["1", "2", "10"]), expected)


@pytest.mark.parametrize("engine", [*DATABASES, "polars lazy", "file"])
def test_only_the_grouped_table_leaves(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = with_texts() * 200
    source = (ENGINES | {"file": lambda _: written(tmp_path, "a.parquet", rows)})[engine](
        pa.Table.from_pylist(rows)
    )
    sizes: list[int] = []

    def counted(parts: Any, *rest: Any) -> Any:
        sizes.extend(len(part) for part in parts.values())
        return complete_together(parts, *rest)

    monkeypatch.setattr(label_cells, "complete_together", counted)
    found = wf.compare(source, ["x", "y"], "subset_accuracy", true="tags", sep=";", cluster="doc")
    assert found.scores["x"].n == 1000 and sizes == [5]


def test_the_command_line(tmp_path: Path, run: Run) -> None:
    path = written(tmp_path, "a.csv", with_texts())
    own = ("compare", path, "--true", "tags", "--pred", "x", "--pred", "y")
    for more, options in (
        (("--labels-sep", ";"), {}),
        (("--labels-sep", ";", "-m", "subset_accuracy", "--weights", "w"), {"weights": "w"}),
        (("--labels-sep", ";", "-m", "f1", "--positive", "k", "--cluster", "doc"), {}),
        (("--labels-sep", ";", "-m", "f1", "--average", "samples", "--exclude", "k,m"), {}),
        (("--labels-sep", ";", "-m", "jaccard", "--average", "macro", "--labels", "m,l,k,z"), {}),
    ):
        code, out, err = run(*own, *more, "--replicates", "99", "-f", "json")
        assert (code, err) == (0, "")
        record = json.loads(out)
        weights = {"weights": columns(ROWS, "w")[0]} if options else {}
        if "--cluster" in more:
            weights["cluster"] = columns(ROWS, "doc")[0]
        if "--labels" in more:
            weights["labels"] = ["m", "l", "k", "z"]
        expected = from_memory_as_said(record["signature"], **weights)
        assert record["signature"] == expected.signature
        (pair,) = record["pairs"]
        for field in ("difference", "p_value", "p_bootstrap", "p_randomization", "only_a"):
            assert pair[field] == getattr(expected.pairs[0], field)
    for format in ("text", "markdown", "latex", "csv"):
        code, out, err = run(*own, "--labels-sep", ";", "--replicates", "99", "-f", format)
        assert (code, err) == (0, "") and "0.6" in out
    lists = written(tmp_path, "a.jsonl", ROWS)
    code, out, err = run("compare", lists, *own[2:], "--replicates", "99", "-f", "json")
    assert (code, err) == (0, "")
    again = run(*own, "--labels-sep", ";", "--replicates", "99", "-f", "json")[1]
    records = [json.loads(text) for text in (out, again)]
    for record in records:
        record.pop("source", None)
    assert records[0] == records[1]


def from_memory_as_said(signature: str, **data: Any) -> Any:
    tags, x, y = ([set(cell) for cell in side] for side in columns(ROWS, *SIDES))
    return wf.compare(tags, {"x": x, "y": y}, signature, **data)


def test_the_command_line_says_what_is_wrong(tmp_path: Path, run: Run) -> None:
    path = written(tmp_path, "a.csv", with_texts())
    own = ("compare", path, "--true", "tags", "--pred", "x", "--pred", "y")
    for more, said in (
        (("-m", "subset_accuracy"), "(--labels-sep ';')"),
        (("--labels-sep", ""), "(--labels-sep) is the separator between labels"),
        (("--labels-sep", ";", "-m", "accuracy"), "these have sets of labels"),
        (("--labels-sep", ";", "-m", "roc_auc"), "this metric compares scores"),
        (("--labels-sep", ";", "--ignore", "k"), "these have sets of labels"),
        (("--labels-sep", ";", "--positive", "n", "-m", "f1"), "there is no class 'n'"),
        (("--labels-sep", ";", "--labels", "k,l"), "label 'm' is not among the declared ones"),
        (("--labels-sep", ";", "--pred", "z"), "has no column 'z'"),
    ):
        code, out, err = run(*own, *more)
        assert (code, out) == (2, "") and said in err, err
    code, _, err = run(*own[:6], "--labels-sep", ";")
    assert code == 2 and "at least two systems; got 1" in err


@every_engine
@pytest.mark.filterwarnings("ignore")
@pytest.mark.thinned(3)
def test_missing_sets_and_bad_weights_are_refused(engine: str) -> None:
    table = pa.table(
        {
            "tags": ["a", "b;c", ""],
            "x": pa.array(["a", None, None], pa.string()),
            "y": ["a", "", "b"],
            "w": [1.0, -1.0, 2.0],
            "doc": pa.array(["d", None, "e"], pa.string()),
        }
    )
    frame = ENGINES[engine](table)
    named: dict[str, Any] = {"true": "tags", "sep": ";"}
    for systems, more, error, said in (
        (["x", "y"], {}, E.LabelError, "'x' has no label in 2 of its 3 items"),
        (["y", "tags"], {"cluster": "doc"}, E.LabelError, "'doc' has no cluster in 1 of its 3"),
        (["y", "tags"], {"weights": "w"}, E.WeightError, "1 of the 3 items has no valid weight"),
    ):
        with pytest.raises(error, match=said):
            wf.compare(frame, systems, "subset_accuracy", **(named | more))


def test_an_empty_cell_of_a_text_file_has_no_labels(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("true,x,y,doc\na;b,,a,d\n,b,,e\na,a,a;b,\n")
    sides = (
        [{"a", "b"}, set(), {"a"}],
        {"x": [set(), {"b"}, {"a"}], "y": [{"a"}, set(), {"a", "b"}]},
    )
    same(wf.compare(path, ["x", "y"], sep=";"), wf.compare(*sides))
    with pytest.raises(E.LabelError, match=r"'doc' has no cluster in 1 .*item 3 \(line 4"):
        wf.compare(path, ["x", "y"], sep=";", cluster="doc")
    with pytest.warns(E.SkippedWarning, match="1 without a cluster in 'doc'"):
        found = wf.compare(path, ["x", "y"], sep=";", cluster="doc", on_error="skip")
    assert found.scores["x"].n == 2
    lines = tmp_path / "a.jsonl"
    lines.write_text('{"true":["a"],"x":["a"],"y":[]}\n{"true":["a"],"x":null,"y":[]}\n')
    with pytest.raises(E.LabelError, match=r"'x' has no label in 1 .*item 2 \(line 2"):
        wf.compare(lines, ["x", "y"])


def test_gold_and_predictions_in_two_files(tmp_path: Path) -> None:
    gold, found = tmp_path / "gold.jsonl", tmp_path / "found.csv"
    numbered = [row | {"id": at} for at, row in enumerate(with_texts())]
    WRITERS["a.jsonl"](gold, [{k: row[k] for k in ("id", "tags", "doc")} for row in numbered])
    WRITERS["a.csv"](found, [{k: row[k] for k in ("id", "x", "y")} for row in numbered[::-1]])
    read_joint = read_systems(
        gold, ["x", "y"], found, counted=True, true="tags", cluster="doc", sep=";", id="id"
    )
    assert isinstance(read_joint, Slices)
    joint: Any = read_joint.whole
    expected = count_sets_together(
        [set(cell) for cell in columns(ROWS, "tags")[0]],
        {side: [set(cell) for cell in columns(ROWS, side)[0]] for side in ("x", "y")},
        cluster=columns(ROWS, "doc")[0],
    )
    assert kinds(joint) == kinds(expected)


def test_errors_say_what_is_wrong() -> None:
    import polars as pl

    frame = pl.DataFrame(
        {
            **{side: [";".join(cell) for cell in columns(ROWS, side)[0]] for side in SIDES},
            **{f"{side} listed": columns(ROWS, side)[0] for side in SIDES},
            **{key: [row[key] for row in with_bits()] for key in with_bits()[0]},
            "numbers": [[1], [2], [], [1, 2], [3]],
            "twice": ["k;k"] * 5,
            "gap": ["k;;l"] * 5,
            "score": [0.1, 0.2, 0.3, 0.4, 0.5],
        }
    )

    def compare(systems: Any, metric: str = "averaged_f1", **options: Any) -> Any:
        return lambda: wf.compare(frame, systems, metric, **options)

    texts, listed = {"true": "tags", "sep": ";"}, {"true": "tags listed"}
    pairs = {"A": ["xk", "xl", "xm"], "B": ["yk", "yl"]}
    for call, error, said in (
        (compare(["x", "y"], "subset_accuracy", true="tags"), E.InputError, "separator between"),
        (compare(["x", "y"], **listed), E.InputError, "'x' holds texts such as"),
        (compare(["x", "y"], true="tags", sep=""), E.InputError, "the separator between .* got ''"),
        (compare(["x", "y"], true="tags", sep=[";"]), E.InputError, r"got \[';'\]"),
        (compare(["x", "score"], "roc_auc", **texts), E.InputError, "this metric compares scores"),
        (compare(["x", "y"], "mcc", **texts), E.DefinitionError, "these have sets of labels"),
        (compare(["x", "y"], ignore=["k"], **texts), E.DefinitionError, "have sets of labels"),
        (compare(["x", "none"], **texts), E.FileError, "no column 'none'"),
        (compare(["x", "twice"], **texts), E.LabelError, "'k;k' lists a label twice"),
        (compare(["x", "gap"], **texts), E.LabelError, "'k;;l' lists an empty label"),
        (compare(["x"], **texts), E.InputError, "at least two systems; got 1"),
        (compare(["x", "y"], labels=["k"], **texts), E.LabelError, "label 'l' is not among"),
        (
            compare(["x listed", "numbers"], **listed),
            E.LabelError,
            r"column 'tags listed' holds 'k' \(str\), column 'numbers' 1 \(int\)",
        ),
        (compare({"A": ["xk", "xl"], "B": "y"}, **texts), E.InputError, "'A' has one column of pr"),
        (compare(pairs, true=LABELS), E.ShapeError, r"true= names 3 columns, .* 2 \(yk, yl\)"),
        (compare({"A": [], "B": []}, true=[]), E.ShapeError, "true= names 0 columns"),
        (
            compare({"A": BITS["A"], "B": BITS["B"]}, true=LABELS, labels=["k"]),
            E.ShapeError,
            "there are 1 label",
        ),
        (
            compare({"A": ["xk"], "B": ["score"]}, true=["k"]),
            E.InputError,
            r"column 'score' holds 0\.\d: a column for each label holds 0 and 1",
        ),
        (compare(pairs, true=["k", 3]), E.InputError, "true= names columns"),
        (lambda: wf.compare([{"a"}], {"A": [{"a"}]}, sep=";"), E.InputError, "these are arrays"),
        (lambda: wf.compare([{"a"}], {}, "hamming_loss"), E.InputError, "there are no systems"),
    ):  # fmt: skip
        with pytest.raises(error, match=said):
            call()
