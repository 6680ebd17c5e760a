"""``whichf1 dialects``, ``explain``, ``audit`` and ``convert``, as a user would type them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import whichf1 as wf
from tests.helpers.commands import Run

EIGHT = "examples/eight.csv"
FORMATS = ("text", "json", "markdown", "latex", "csv")
SIX = ("--labels", "0,1,2,3,4,5")


def records(out: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(out)))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "command",
    [
        ("dialects",),
        ("dialects", EIGHT),
        ("explain", EIGHT, "--value", "0.354"),
        ("explain", EIGHT, "--value", "0.9876"),
        ("audit", "--precision", ".62", "--recall", ".58", "--f1", ".55"),
        ("audit", "examples/results.csv"),
        ("convert", EIGHT, "--from", "catboost", "--to", "keras"),
    ],
)
def test_every_format_shows_signatures(
    run: Run, command: tuple[Any, ...], format: str, tmp_path: Path
) -> None:
    command = (*command, "--signature", "full", "--format", format)
    code, out, err = run(*command)
    assert (code, err) == (0, "")
    assert "avg:macro" in out.replace(r"\allowbreak{}", "")
    assert "\x1b" not in out
    if format == "json":
        assert json.loads(out)["rows"]
    if format == "csv":
        assert records(out)
    path = tmp_path / "out"
    assert run(*command, "-o", path)[:2] == (0, "")
    assert path.read_text() == out


def test_dialects_prints_every_dialect_once_with_its_own_signature(run: Run) -> None:
    counts = wf.count(EIGHT, labels=range(6))
    rows = records(run("dialects", EIGHT, *SIX, "--format", "csv")[1])
    assert {row["dialect"] for row in rows} == set(wf.dialects) - {"mxnet"}
    for row in rows:
        score = wf.dialects[row["dialect"]](counts)
        assert row["signature"] == score.signature
        assert row["value"] == ("undefined" if score.value != score.value else str(score.value))
    text = run("dialects", EIGHT, *SIX)[1]
    assert "54 dialects of macro F1 give 12 different numbers, up to 0.5972 apart" in text
    assert "mxnet does not apply" in text
    record = json.loads(run("dialects", EIGHT, *SIX, "--format", "json")[1])
    assert (record["distinct"], round(record["spread"], 4)) == (12, 0.5972)
    assert any(row["value"] is None for row in record["rows"])


def test_explain_from_a_file_and_from_a_matrix(run: Run) -> None:
    out = run("explain", EIGHT, "--value", "35.4")[1]
    assert "one value rounds to 35.4%" in out and "sklearn" in out
    rows = records(run("explain", EIGHT, "--value", "0.354", "--format", "csv")[1])
    assert all(f"{float(row['value']):.3f}" == "0.354" for row in rows)
    assert all(row["reproduces"] == "True" for row in rows)
    matrix = ("--matrix", "2 5 10 5 10", "--rows", "predicted")
    out = run("explain", *matrix, "--value", "0.50", "--labels", "a,b")[1]
    assert "of-averages" in out
    code, _, err = run("explain", "--matrix", "2 5 10 5 10", "--value", "0.5")
    assert code == 2 and "--rows true or --rows predicted" in err
    assert run("explain", "--value", "0.5")[2].startswith("whichf1: pass a file of predictions")
    nothing = run("explain", EIGHT, "--value", "0.9876")[1]
    assert "no definition gives 0.9876; the nearest values are" in nothing


def test_explain_says_when_it_shows_only_the_simplest(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    pairs = [(i % 9, (i * i // 7) % 9 if i % 3 else i % 9) for i in range(300)]
    path.write_text("true,pred\n" + "".join(f"{a},{b}\n" for a, b in pairs))
    value = f"{wf.averaged_f1(wf.count(path)):.2f}"
    out = run("explain", path, "--value", value)[1]
    assert "more values match. All are in --format csv" in out
    matches = {
        row["match"] for row in records(run("explain", path, "--value", value, "-f", "csv")[1])
    }
    assert len(matches) > 10


def test_audit_of_a_table_sums_up(run: Run, tmp_path: Path) -> None:
    out = run("audit", "examples/results.csv")[1]
    assert out.startswith("4 rows: ")
    rows = records(run("audit", "examples/results.csv", "--format", "csv")[1])
    for row in rows:
        found = wf.audit(
            precision=row["precision"], recall=row["recall"], f1=row["f1"],
            classes=int(row["classes"]),
        )  # fmt: skip
        assert (row["verdict"], row["reason"]) == (found.verdict, found.reason)
    record = json.loads(run("audit", "examples/results.csv", "--format", "json")[1])
    assert sum(record[x] for x in ("averaged_f1", "f1_of_averages", "either", "impossible")) == 4
    plain = tmp_path / "plain.csv"
    plain.write_text("Avg. Precision,Avg. Recall,F-measure\n0.62,0.58,0.55\n0.62,0.58,0.60\n")
    assert "line 2" in run("audit", plain)[1]


def test_audit_recomputes_from_classes_and_from_a_matrix(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "classes.csv"
    path.write_text("class,P,R,F1\na,1.00,0.50,0.67\nb,0.67,1.00,0.80\nc,1.00,1.00,0.90\n")
    triple = ("--precision", "0.89", "--recall", "0.83", "--f1", "0.86")
    out = run("audit", *triple, "--per-class", path)[1]
    assert out.startswith("Consistent with F1 of averages: Recomputed from 3 classes")
    assert "F1 of class 'c' is between 0.9950 and 1.0000, not 0.90" in out
    matrix = ("--matrix", "3 1 1 0 0 2 0 0 0 2", "--rows", "true")
    assert run("audit", *triple, *matrix)[1].startswith("Consistent with F1 of averages")
    assert run("audit", *triple, *matrix, "--per-class", path)[0] == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("system,acc\nA,0.5\n", "f1: no column). Its columns are: system, acc"),
        ("P,R,precision,F1\n.1,.2,.3,.4\n", "precision: several columns"),
        ("P,R,F1\n", "has no rows"),
        ("", "has no rows"),
        ("P,R,F1\n0.5,0.5\n", "line 2: 2 cells, but the header has 3"),
        ("P,R,F1\n0.5,-,0.5\n", "no row can be audited: line 2, there is no recall"),
        ("P,R,F1\n0.5,x1,0.5\n", "line 2, recall must be a number"),
        ("P,R,F1\n50.1,0.5,0.5\n", "two scales"),
        (
            "P,R,F1,classes\n0.50,0.60,0.50,two\n",
            "must be a whole number of at least 1; got 'two'",
        ),
        ("P,R,F1\n0.50,0.60,1.50\n", "two scales"),
        ("P,R,F1\n0.512,0.60,0.50\n", "line 2, precision is '0.512', which has 3 decimals"),
    ],
)
def test_bad_tables_of_results_are_refused(
    run: Run, tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "results.csv"
    path.write_text(text)
    code, out, err = run("audit", path, *(("--value-decimals", "2") if "0.512" in text else ()))
    assert (code, out) == (2, "") and message in err


def test_bad_commands_are_refused(run: Run, tmp_path: Path) -> None:
    for command, message in (
        (("audit",), "--precision, --recall, --f1 missing"),
        (("audit", "examples/results.csv", "--f1", ".5"), "not both"),
        (("audit", "missing.csv"), "cannot read results"),
        (("convert", EIGHT, "--from", "kears", "--to", "sklearn"), "Did you mean 'keras'"),
        (("explain", EIGHT, "--value", "0.3542", "--value-decimals", "3"), "has 4 decimals"),
        (("explain", EIGHT, "--value", "135"), "in [0, 100] as percent"),
        (("explain", EIGHT, "--value", "0.3", "--scale", "thousand"), "unit or percent"),
        (("dialects", EIGHT, "--matrix", "2 1 1 1 1"), "pass a file of predictions, or --matrix"),
        (("dialects", "--matrix", "2 1 1 1", "--rows", "true"), "2 classes need 4 cells"),
    ):
        code, out, err = run(*command)
        assert (code, out) == (2, "") and message in err, command


def test_convert_checks_the_published_value(run: Run) -> None:
    command = ("convert", EIGHT, "--from", "spark", "--to", "sklearn", "--value")
    out = run(*command, "0.5417")[1]
    assert "0.5417" in out and "0.3542" in out
    assert "avg weighted / macro, classes true / observed" in out
    code, _, err = run(*command, "0.60")
    assert code == 2 and "spark gives 0.541667 on these predictions, not 0.60" in err


def test_text_of_the_data_is_escaped(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("system,P,R,F1\n=cmd()|<b>&\x1b[31m,0.62,0.58,0.55\nB,0.62,0.58,0.60\n")
    for format in FORMATS:
        out = run("audit", path, "--format", format)[1]
        assert "\x1b" not in out
    assert "'=cmd()" in run("audit", path, "--format", "csv")[1]
    assert "<b>" not in run("audit", path, "--format", "markdown")[1]
