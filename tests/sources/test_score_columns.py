"""Which class a column of scores belongs to, and what may name a cluster."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import whichf1 as wf
from tests.helpers.class_scores import (
    GOOD,
    NAMES,
    QUICK,
    Data,
    assert_same,
    lines_file,
    parquet,
)
from tests.helpers.commands import Run
from tests.helpers.engines import ENGINES
from tests.helpers.files import WRITERS
from tests.helpers.samples import ends


def test_one_column_of_two_classes(tmp_path: Path) -> None:
    path = lines_file(tmp_path, *GOOD)
    y, s, doc, w = ["cat", "dog", "dog", "cat"], [0.75, 0.5, 0.125, 1], [*"aabc"], [1, 2, 1, 1]
    own: dict[str, Any] = {"true": "gold", "score": "cat", "positive": "cat"}
    found = wf.moments(path, "log_loss", **own)
    expected = wf.moments(y, s, "log_loss", positive="cat")
    assert found.total == pytest.approx(expected.total) and found.n == 4
    counts = wf.at_threshold(path, threshold=0.5, cluster="doc", weights="w", **own)
    direct = wf.at_threshold(y, s, 0.5, positive="cat", cluster=doc, weights=w)
    assert counts == direct and "clusters:3" in wf.accuracy(counts).signature
    assert 'decision:"' in wf.accuracy(counts).signature
    parts = wf.at_threshold(y[:2], s[:2], 0.5, positive="cat", cluster=doc[:2], weights=w[:2])
    parts += wf.at_threshold(y[2:], s[2:], 0.5, positive="cat", cluster=doc[2:], weights=w[2:])
    assert parts == direct
    saved = tmp_path / "counts.json"
    counts.save(saved)
    assert wf.Counts.load(saved) == counts
    other = wf.at_threshold(y, s, 0.25, positive="cat", cluster=doc, weights=w)
    with pytest.raises(wf.errors.MergeError, match="decided differently"):
        counts + other


def test_probabilities_on_the_command_line(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = Data(100)
    path = data.source("a.csv", tmp_path)
    probs = ["--probs", ",".join(f"{x}={c}" for x, c in data.columns.items()), "--true", "gold"]
    delta = ("--interval", "delta")
    code, out, err = run("score", path, *probs, "--cluster", "doc", *delta, "-f", "json")
    assert (code, err) == (0, "")
    found = {x["signature"].split("|")[0].split("(")[0]: x for x in json.loads(out)["scores"]}
    own: dict[str, Any] = {"labels": NAMES, "cluster": data.doc, "interval": "delta"}
    for name, expected in (
        ("log_loss", wf.log_loss(data.true, data.p, **own)),
        ("brier", wf.brier(data.true, data.p, **own)),
        (
            "accuracy",
            wf.accuracy(
                wf.at_argmax(data.true, data.p, labels=NAMES, cluster=data.doc), interval="delta"
            ),
        ),
    ):
        assert found[name]["value"] == pytest.approx(expected.value)
        assert found[name]["interval"]["low"] == pytest.approx(ends(expected.interval)[0])
        assert "clusters:" in found[name]["signature"]
    with open(path, "rb") as stdin:
        monkeypatch.setattr("sys.stdin", type("Stdin", (), {"buffer": stdin})())
        code, piped, err = run("score", "-", "--from", "csv", *probs, "-f", "json")
    assert (code, err) == (0, "")
    code, read, _ = run("score", path, *probs, "-f", "json")
    ours, theirs = json.loads(piped)["scores"], json.loads(read)["scores"]
    assert [x["signature"] for x in ours] == [x["signature"] for x in theirs]


@pytest.mark.parametrize("engine", ["pandas", "polars lazy", "duckdb", "a.csv"])
def test_which_class_a_column_of_a_system_is_of(engine: str, tmp_path: Path) -> None:
    data = Data(100)
    source = data.source(engine, tmp_path)
    options: dict[str, Any] = {"true": "gold", **QUICK}
    expected = wf.compare(data.true, {"p": data.p, "q": data.q}, "log_loss", labels=NAMES, **QUICK)
    named = {s: {x: f"{s}{x}" for x in order} for s, order in (("p", NAMES[::-1]), ("q", NAMES))}
    found = wf.compare(source, named, "log_loss", **options)
    assert found.pairs[0].difference == pytest.approx(expected.pairs[0].difference)
    backwards = {s: columns[::-1] for s, columns in data.systems.items()}
    found = wf.compare(source, backwards, "log_loss", labels=NAMES[::-1], **options)
    assert found.pairs[0].difference == pytest.approx(expected.pairs[0].difference)
    for systems, says in (
        (data.systems, r"which class does each of the columns pcat, pdog, peel belong to\? Pass"),
        ({"p": named["p"], "q": data.systems["q"]}, "for every system, or for none"),
        ({"p": named["p"], "q": {"cat": "qcat"}}, "name the same classes"),
    ):
        with pytest.raises(wf.errors.InputError, match=says):
            wf.compare(source, systems, "log_loss", **options)
    with pytest.raises(wf.errors.InputError, match="omit labels="):
        wf.compare(source, named, "log_loss", labels=NAMES, **options)


@pytest.mark.parametrize("name", ["pandas", "polars lazy"])
def test_systems_whose_columns_are_named_like_the_classes_in_another_order(name: str) -> None:
    own = {"gold": ["cat", "dog"] * 3, "dog": [0.1, 0.9] * 3, "cat": [0.9, 0.1] * 3}
    frame = ENGINES[name](pa.table(own | {"x": [0.5] * 6, "y": [0.5] * 6}))
    options: dict[str, Any] = {"true": "gold", "labels": ["cat", "dog"], **QUICK}
    with pytest.raises(wf.errors.InputError, match=r"different order: cat, dog\. Give {'A': {cl"):
        wf.compare(frame, {"A": ["dog", "cat"], "B": ["x", "y"]}, "log_loss", **options)
    found = wf.compare(frame, {"A": ["cat", "dog"], "B": ["x", "y"]}, "log_loss", **options)
    assert found.scores["A"].value < found.scores["B"].value
    swapped = {"A": {"cat": "dog", "dog": "cat"}, "B": {"cat": "x", "dog": "y"}}
    found = wf.compare(frame, swapped, "log_loss", true="gold", **QUICK)
    assert found.scores["A"].value > found.scores["B"].value


def test_what_comes_second_for_a_file(tmp_path: Path) -> None:
    path = lines_file(tmp_path, *GOOD)
    own: dict[str, Any] = {"true": "gold", "score": ["cat", "dog"]}
    assert wf.at_top_k(path, 2, **own) == wf.at_top_k(path, k=2, **own)
    alone: dict[str, Any] = {"true": "gold", "score": "cat", "positive": "cat"}
    assert wf.at_threshold(path, 0.5, **alone) == wf.at_threshold(path, threshold=0.5, **alone)
    with pytest.raises(wf.errors.InputError, match="omit on_error=, which is for files"):
        import pandas as pd

        wf.log_loss(pd.read_csv(path), **own, on_error="skip")


@pytest.mark.parametrize("interval", ["delta", wf.Bootstrap(**QUICK)], ids=["delta", "bootstrap"])
def test_1_and_1_0_are_one_cluster(tmp_path: Path, interval: Any) -> None:
    """Whatever files call them; with few clusters, many replicates are ties but for rounding."""
    data = Data(60)
    cluster = [(1, 1.0, 2, 2.0, 3)[at % 5] for at in range(60)]
    rows = data.table.append_column("user", pa.array(map(str, cluster))).to_pylist()
    lines = [json.dumps({**row, "user": x}) for row, x in zip(rows, cluster, strict=True)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    for at, kind in ((0, pa.int64()), (1, pa.float64())):
        part = data.table.append_column("user", pa.array(map(int, cluster)).cast(kind))
        pq.write_table(part[at * 30 : at * 30 + 30], tmp_path / f"b{at}.parquet")
    own: dict[str, Any] = {"interval": interval}
    expected = wf.brier(data.true, data.p, labels=data.names, cluster=[*map(int, cluster)], **own)
    assert dict(expected.made)["clusters"] == 3
    for name in ("a.jsonl", "b*.parquet"):
        found = wf.brier(tmp_path / name, true="gold", score=data.columns, cluster="user", **own)
        assert_same(found, expected)


def test_clusters_are_days_as_well(tmp_path: Path) -> None:
    days = [date(2020, 1, 1 + at % 4) for at in range(12)]
    own: dict[str, Any] = {
        "gold": ["a", "b", "b"] * 4,
        "a": [0.5, 0.25] * 6,
        "b": [0.5, 0.75] * 6,
        "day": days,
    }
    file = parquet(tmp_path / "a.parquet", **own)
    named: dict[str, Any] = {"true": "gold", "cluster": "day", "interval": "delta"}
    cases: list[tuple[str, dict[str, Any]]] = [("log_loss", {}), ("roc_auc", {"positive": "a"})]
    for metric, options in cases:
        found = wf.score(file, metric, score=["a", "b"], **named, **options)
        scores = np.c_[own["a"], own["b"]]
        labels: dict[str, Any] = {
            "labels": ["a", "b"],
            "cluster": [*map(str, days)],
            "interval": "delta",
        }
        assert_same(found, wf.score(own["gold"], scores, metric, **labels, **options))


@pytest.mark.parametrize("name", ["parquet", "polars lazy", "duckdb", "ibis"])
def test_nan_is_no_cluster(tmp_path: Path, name: str) -> None:
    """The bounds of a column in a Parquet file do not tell that there is one."""
    cluster = [0.0, 1.0, float("nan"), 2.0]
    own: dict[str, Any] = {
        "gold": ["a", "b"] * 2,
        "a": [0.5] * 4,
        "b": [0.5] * 4,
        "user": pa.array(cluster),
    }
    source = file = parquet(tmp_path / "a.parquet", **own)
    if name != "parquet":
        source = ENGINES[name](pa.table(own))
    named: dict[str, Any] = {"true": "gold", "score": ["a", "b"], "cluster": "user"}
    for ask in (wf.log_loss, wf.at_argmax, wf.expected_calibration_error):
        with pytest.raises(wf.errors.WhichF1Error, match="'user' has no cluster in 1 of its 4"):
            ask(source, **named)
    if name == "parquet":
        with pytest.warns(wf.errors.SkippedWarning, match="1 without a cluster"):
            assert wf.log_loss(file, **named, on_error="skip").n == 3


def test_clusters_that_a_file_numbers_are_drawn_in_the_order_of_numbers(tmp_path: Path) -> None:
    data = Data(60)
    users = [at % 12 for at in range(60)]
    rows = data.table.append_column("user", pa.array(users)).to_pylist()
    WRITERS["a.csv"](tmp_path / "a.csv", rows)
    own: dict[str, Any] = {"multi_class": "top-label", "interval": wf.Bootstrap(**QUICK)}
    ask = wf.expected_calibration_error
    found = ask(tmp_path / "a.csv", true="gold", score=data.columns, cluster="user", **own)
    assert_same(found, ask(data.true, data.p, labels=data.names, cluster=users, **own))


def test_a_report_of_classes_of_which_one_has_no_weight(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "a.csv"
    path.write_text("gold,a,b,c,w\na,.5,.25,.25,1\nb,.25,.5,.25,1\nc,.25,.25,.5,0\n")
    own = ("score", path, "--true", "gold", "--probs", "a,b,c", "-f", "json")
    code, out, err = run(*own, "--weights", "w")
    assert (code, err) == (0, "") and '"log_loss' in out and '"roc_auc' not in out
    assert '"roc_auc' in run(*own)[1]
