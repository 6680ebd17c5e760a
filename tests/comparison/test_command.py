"""whichf1 compare, and what a score on the command line says about its data."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import whichf1 as wf
from tests.helpers.commands import Run
from tests.helpers.samples import COLUMNS, SYSTEMS, ends, present, systems_of
from whichf1.comparison import compare
from whichf1.comparison import compare as comparing
from whichf1.reporting.escape import visible


def flags(*more: object) -> list[object]:
    preds = [flag for name in COLUMNS for flag in ("--pred", name)]
    return ["compare", SYSTEMS, "--true", "gold", *preds, *more]


def test_the_command_prints_what_the_function_gives(run: Run, data: Any) -> None:
    gold, systems, _ = data
    expected = wf.compare(gold, systems)
    code, out, err = run(*flags("--format", "json"))
    assert (code, err) == (0, "")
    record = json.loads(out)
    assert record["signature"] == expected.signature
    assert record["ranking"] == list(expected.ranking)
    for pair, own in zip(record["pairs"], expected.pairs, strict=True):
        assert pair["p_value"] == own.p_value
        assert pair["p_randomization"] == own.p_randomization
        assert pair["interval"]["low"] == present(own.interval).low
        assert pair["signature"] == expected.signature
    assert [(x["a"], x["b"]) for x in record["flips"]] == [(x.a, x.b) for x in expected.flips]
    assert len(record["rankings"]) == len(present(expected.ranks).orders)


@pytest.mark.parametrize("format", ["text", "markdown", "latex", "csv"])
def test_every_format_says_that_ranks_flip(run: Run, format: str) -> None:
    code, out, err = run(*flags("--format", format, "--replicates", "99", "--margin", "0.1"))
    assert (code, err) == (0, "")
    shown = (
        out.replace(r"\allowbreak{}", "")
        .replace("{-}", "-")
        .replace(r"\_", "_")
        .replace(r"\textbar{}", "|")
    )
    shown = shown.replace("&#95;", "_").replace("&#124;", "|")
    assert "seed:2019" in shown and "replicates:99" in shown
    assert ("RANK FLIPS" in shown) or (format == "csv" and "\nflip,careful,biased" in shown)
    if format == "csv":
        rows = list(csv.DictReader(io.StringIO(out)))
        assert all(row["signature"] for row in rows)
        assert {"score", "wins", "difference", "p_value", "ranked"} <= {r["what"] for r in rows}


def test_flips_are_seen_before_the_tests_and_absence_is_said(run: Run, tmp_path: Path) -> None:
    _, out, _ = run(*flags("--replicates", "0"))
    assert out.index("RANK FLIPS") < out.index("Pairs: A")
    _, out, _ = run("compare", SYSTEMS, "--true", "gold", "--pred", "careful", "--pred", "careful2")
    assert out == ""
    path = tmp_path / "both.csv"
    path.write_text("true,perfect,bad\n" + "a,a,a\nb,b,a\nc,c,b\n" * 20)
    words = "--pred perfect --pred bad --replicates 99"
    code, out, _ = run("compare", path, "--true", "true", *words.split())
    assert code == 0
    assert "The order is the same under every definition" in out


def test_the_command_with_clusters_weights_and_a_file(run: Run, tmp_path: Path, data: Any) -> None:
    gold, systems, document = data
    target = tmp_path / "out.json"
    code, out, _ = run(*flags("--cluster", "document", "-f", "json", "-o", target, "-m", "mcc"))
    assert (code, out) == (0, "")
    record = json.loads(target.read_text())
    expected = wf.compare(gold, systems, "mcc", cluster=document)
    assert record["pairs"][0]["standard_error"] == pytest.approx(expected.pairs[0].standard_error)
    assert record["signature"].endswith("clusters:50")
    path = tmp_path / "w.csv"
    path.write_text("t,a,b,w\nx,x,y,1\ny,y,y,2\ny,x,y,0.5\nx,x,x,0\n")
    options = ("--true", "t", "--pred", "a", "--pred", "b", "--weights", "w", "-f", "json")
    code, out, _ = run("compare", path, *options)
    assert code == 0
    assert json.loads(out)["pairs"][0]["difference"] == pytest.approx(
        wf.compare(["x", "y", "y"], {"a": ["x", "y", "x"], "b": ["y", "y", "y"]},
                   weights=[1, 2, 0.5], replicates=0).pairs[0].difference
    )  # fmt: skip


def test_scores_are_compared_on_the_command_line(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 80)
    systems = {name: rng.beta(2 + y, 3 - y).round(3) for name in ("s", "t")}
    path = tmp_path / "scores.csv"
    lines = (f"{a},{b},{c}" for a, b, c in zip(y, systems["s"], systems["t"], strict=True))
    path.write_text("\n".join(["y,s,t", *lines]) + "\n")
    own = ["compare", path, "--true", "y", "--pred", "s", "--pred", "t", "--replicates", "99"]
    for metric in ("roc_auc", "log_loss"):
        code, out, err = run(*own, "-m", metric, "--positive", "1", "-f", "json")
        assert (code, err) == (0, "")
        expected = wf.compare(y, systems, metric, replicates=99)
        record = json.loads(out)
        assert record["pairs"][0]["p_value"] == pytest.approx(expected.pairs[0].p_value)
        assert "flips" not in record
        for format in ("text", "markdown", "latex", "csv"):
            code, out, err = run(*own, "-m", metric, "-f", format)
            assert (code, err) == (0, "")
            assert "only A" not in out
    code, _, err = run(*own, "-m", "roc_auc", "--classes", "true")
    assert code == 2
    assert "--classes does not apply" in err


def test_scores_of_clusters_and_missing_intervals_are_said(run: Run, tmp_path: Path) -> None:
    code, out, _ = run(
        "score", SYSTEMS, "--true", "gold", "--pred", "weak", "--cluster", "document",
        "--interval", "percentile", "--replicates", "99", "--seed", "3", "-m", "mcc",
    )  # fmt: skip
    assert code == 0
    assert "replicates:99|seed:3|kind:percentile" in out
    assert "clusters:50" in out
    perfect = tmp_path / "p.csv"
    perfect.write_text("true,pred\na,a\nb,b\n")
    for format in ("text", "markdown", "latex"):
        _, out, _ = run("score", perfect, "-f", format, "--interval", "delta")
        assert ": no interval, because" in out
    _, out, _ = run("score", perfect, "-m", "accuracy", "--interval", "wilson")
    assert "no interval" not in out
    rare = tmp_path / "r.csv"
    rare.write_text("true,pred\na,a\na,b\n" + "b,b\n" * 20)
    options = ("-m", "recall", "--positive", "a", "--undefined", "nan", "--interval", "bootstrap")
    _, out, _ = run("score", rare, *options)
    assert "replicates were undefined" in out


def test_bad_commands_say_what_to_do(run: Run) -> None:
    cases = [
        (("--pred", "nope"), "no column 'nope'"),
        (("--pred", "weak"), "named twice"),
        (("--margin", "-1"), "margin must be"),
        (("-m", "accurcy"), "Did you mean 'accuracy'"),
        (("--cluster", "nope"), "no column 'nope'"),
    ]
    for more, message in cases:
        code, out, err = run(*flags(*more))
        assert (code, out) == (2, "")
        assert message in err


def test_names_of_systems_are_escaped(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "x.csv"
    path.write_text('gold,"\x1b[31m|<b>$",=1+1\na,a,a\nb,a,b\nb,b,b\na,a,b\n')
    arguments = ["compare", path, "--true", "gold", "--pred", "\x1b[31m|<b>$", "--pred", "=1+1"]
    for format in ("text", "markdown", "latex", "csv", "json"):
        code, out, _ = run(*arguments, "-f", format, "--replicates", "99")
        assert code == 0
        assert "\x1b" not in out
        assert format in ("text", "csv", "json") or "<b>" not in out
        if format == "csv":
            assert all(
                not cell.startswith("=") for row in csv.reader(io.StringIO(out)) for cell in row
            )
    assert visible("\x1b") == "\\x1b"


def test_an_interrupt_leaves_cleanly(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(compare, "replicates_of", stop)
    code, out, err = run(*flags())
    assert (code, out) == (130, "")
    assert "Traceback" not in err


def test_scores_of_files_take_clusters_and_weights(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    n = 90
    y = rng.integers(0, 2, n)
    scores = {name: rng.beta(2 + y, 3 - y).round(3) for name in ("s", "t")}
    w, document = rng.random(n).round(3) + 0.1, np.arange(n) // 3
    path = tmp_path / "scores.csv"
    rows = zip(y, *scores.values(), w, document, strict=True)
    path.write_text("y,s,t,w,d\n" + "".join(f"{a},{b},{c},{e},d{f:02}\n" for a, b, c, e, f in rows))
    own = ["compare", path, "--true", "y", "--pred", "s", "--pred", "t", "--positive", "1"]
    for metric in ("roc_auc", "log_loss", "ks"):
        more = ["-m", metric, "--weights", "w", "--cluster", "d", "--replicates", "99"]
        code, out, err = run(*own, *more, "-f", "json")
        assert (code, err) == (0, "")
        expected = wf.compare(y, scores, metric, weights=w, cluster=document, replicates=99)
        record = json.loads(out)
        assert record["pairs"][0]["standard_error"] == pytest.approx(
            expected.pairs[0].standard_error
        )
        assert record["signature"] == expected.signature
        assert run(*own, *more)[0] == 0
    single = ["score", path, "--true", "y", "--score", "s", "--positive", "1", "-f", "json"]
    code, out, err = run(*single, "--weights", "w", "--cluster", "d")
    assert (code, err) == (0, "")
    found = {x["signature"].split("|")[0].split("(")[0]: x for x in json.loads(out)["scores"]}
    area = wf.roc_auc(y, scores["s"], weights=w, cluster=document, interval="auto")
    assert found["roc_auc"]["interval"]["low"] == pytest.approx(present(area.interval).low)
    assert "log_loss" in found
    code, out, err = run(*single, "--cluster", "d", "--threshold", "0.5")
    assert (code, err) == (0, "")
    counts = wf.at_threshold(y, scores["s"], 0.5, cluster=document)
    found = {x["signature"].split("|")[0]: x for x in json.loads(out)["scores"]}
    low, _ = ends(wf.accuracy(counts, interval="auto").interval)
    assert found["accuracy"]["interval"]["low"] == pytest.approx(low)


def test_reports_say_what_is_not_as_usual(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "scores.csv"
    rows = zip(*systems_of("ranking", n=60)[1].values(), [0, 1] * 30, strict=True)
    path.write_text("a,b,y\n" + "".join(f"{a},{b},{y}\n" for a, b, y in rows))
    own = ["compare", path, "--true", "y", "--pred", "a", "--pred", "b", "--positive", "1"]
    assert "depends on individual items" in run(*own, "-m", "ks", "--replicates", "99")[1]
    assert "too many items to resample" not in run(*own, "-m", "roc_auc", "--replicates", "99")[1]
    monkeypatch.setattr(comparing, "DRAWN", 10)
    assert "too many items to resample" in run(*own, "-m", "roc_auc", "--replicates", "99")[1]
    code, _, err = run(*own, "-m", "hamming_loss")
    assert code == 2 and "separator between labels" in err
