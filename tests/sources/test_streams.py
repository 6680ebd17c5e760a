"""Streams, parts and slices, in Python and on the command line."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers.commands import Run
from tests.helpers.samples import ends

NASTY = "\x1b[31m|&<b>$x_1$\\cmd{%}~^#`*[l](u)\u202e"
"""A label that is markup in every format."""
PROGRAM = Path(sys.executable).with_name("whichf1")


def whichf1(*arguments: Any, stdin: Any = None) -> Any:
    return subprocess.run(
        [PROGRAM, *map(str, arguments)], input=stdin, capture_output=True, text=True, check=False
    )


@pytest.fixture
def sliced(tmp_path: Path) -> Any:
    """Predictions whose quality differs by language; one language is rare."""
    rng = random.Random(1)
    quality = {"en": 0.9, "de": 0.8, "fr": 0.6, "sw": 0.7}
    path = tmp_path / "p.csv"
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["lang", "domain", "gold", "model"])
        for _ in range(3000):
            lang = rng.choices(list(quality), [60, 25, 13, 2])[0]
            gold = rng.choices("abc", [5, 3, 2])[0]
            model = gold if rng.random() < quality[lang] else rng.choice("abc")
            writer.writerow([lang, rng.choice(["news", ""]), gold, model])
    return path


batches = st.lists(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=8),
    min_size=1,
    max_size=6,
)


@given(batches, st.booleans())
def test_a_training_loop(parts: Any, declared: Any) -> None:
    counts = wf.Counts.empty(range(4) if declared else None)
    for batch in parts:
        counts = counts.update([t for t, _ in batch], [p for _, p in batch])
    items = [item for batch in parts for item in batch]
    labels = range(4) if declared else None
    whole = wf.count([t for t, _ in items], [p for _, p in items], labels=labels)
    assert counts == whole


def test_updates_keep_what_was_declared() -> None:
    empty = wf.Counts.empty(["cat", "dog"])
    assert (empty.n, empty.declared, wf.Counts.empty().declared) == (0, True, False)
    with pytest.raises(wf.errors.LabelError, match="not among the declared"):
        empty.update(["cat"], ["bird"])
    with pytest.raises(wf.errors.ShapeError, match="no items"):
        wf.accuracy(empty)  # the result of update was not kept
    weighted = empty.update(["cat"], ["dog"], weights=[0.5])
    assert weighted.weighted and weighted.n == 0.5
    with pytest.raises(wf.errors.MergeError, match="with weights"):
        weighted.update(["cat"], ["dog"])
    import torch

    predictions = torch.tensor([[0.1, 0.9], [0.8, 0.2]]).argmax(1)
    assert wf.Counts.empty().update(torch.tensor([1, 1]), predictions).n == 2


@given(st.lists(batches.map(lambda parts: parts[0]), min_size=3, max_size=3))
def test_merging_is_associative_and_commutative(parts: Any) -> None:
    a, b, c = (wf.count([t for t, _ in part], [p for _, p in part]) for part in parts)
    assert (a + b) + c == a + (b + c) == c + b + a
    declared = b.declare(range(4))
    assert (a + declared) + c == a + (declared + c) == c + declared + a


def test_parts_are_counted_merged_and_scored(tmp_path: Path, run: Run) -> None:
    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 3, 300), rng.integers(0, 3, 300)
    for i in range(3):
        part = tmp_path / f"part-{i}.csv"
        rows = zip(true[i::3], pred[i::3], strict=True)
        part.write_text("true,pred\n" + "".join(f"{t},{p}\n" for t, p in rows))
        assert run("count", part, "-o", part.with_suffix(".json")) == (0, "", "")
    merged = whichf1("merge", *tmp_path.glob("*.json"))
    assert merged.returncode == 0 and wf.Counts.from_json(merged.stdout) == wf.count(true, pred)
    scored = whichf1("score", "-", "-m", "averaged_f1", "-f", "json", stdin=merged.stdout)
    record = json.loads(scored.stdout)
    assert record["source"] == "standard input"
    assert record["scores"][0]["value"] == wf.averaged_f1(true, pred).value
    whole = tmp_path / "whole.json"
    assert run("merge", *tmp_path.glob("part*.json"), "-o", whole)[0] == 0
    _, again, _ = run("score", whole, "-m", "averaged_f1", "-f", "json")
    assert json.loads(again)["scores"] == record["scores"]
    text = "".join(f"{t},{p}\n" for t, p in zip(true, pred, strict=True))
    data = whichf1("score", "-", "--from", "csv", "-m", "averaged_f1", stdin=f"true,pred\n{text}")
    assert f"{wf.averaged_f1(true, pred):.4f}" in data.stdout


def test_parts_that_do_not_fit(run: Run, tmp_path: Path) -> None:
    for name, labels in (("a", "x,y"), ("b", "x,z"), ("c", None)):
        path = tmp_path / f"{name}.csv"
        path.write_text("true,pred,w\nx,x,2\n")
        options = ["--labels", labels] if labels else []
        assert run("count", path, "-o", tmp_path / f"{name}.json", *options)[0] == 0
    run("count", tmp_path / "a.csv", "--weights", "w", "-o", tmp_path / "w.json")
    code, out, err = run("merge", tmp_path / "a.json", tmp_path / "b.json")
    assert (code, out) == (2, "") and "different declared classes" in err and "b.json" in err
    code, out, err = run("merge", tmp_path / "c.json", tmp_path / "w.json")
    assert (code, out) == (2, "") and "with weights" in err
    code, out, err = run("merge", tmp_path / "a.json", tmp_path / "c.json")
    assert code == 0 and wf.Counts.from_json(out).labels == ("x", "y")
    assert "c.json: counted without --labels; the classes declared" in err
    code, _, err = run("merge", tmp_path / "a.csv")
    assert code == 2 and "not a complete file of counts" in err
    code, _, err = run("score", tmp_path / "a.json", "--by", "lang")
    assert code == 2 and "saved counts have no columns: remove --by" in err
    code, _, err = run("score")
    assert code == 2 and "pass a file, or --gold FILE with --pred-file FILE" in err
    assert whichf1("score", "-", stdin="true,pred\n").returncode == 2


UNREADABLE = {
    "no csv": ("csv", b"", "standard input is empty. It needs a header"),
    "no tsv": ("tsv", b"", "standard input is empty. It needs a header"),
    "no jsonl": ("jsonl", b"", "standard input is empty. It needs one JSON object"),
    "no parquet": ("parquet", b"", "standard input is a damaged Parquet file"),
    "no arrow": ("arrow", b"", "standard input is a damaged Arrow file"),
    "no npz": ("npz", b"", "standard input is a damaged npz file"),
    "parquet": ("parquet", b"PAR1 and no footer PAR1", "standard input is a damaged Parquet file"),
    "arrow": (
        "arrow",
        b"ARROW1 and no schema",
        "standard input is a damaged Arrow file: Not an Arrow file",
    ),
    "gzip": ("csv", b"\x1f\x8b and no gzip", "standard input is a damaged gzip file"),
    "line": ("csv", b"true,pred\na,a\nb\n", "standard input, line 3: 1 cell"),
    "object": ("jsonl", b'{"true": 1, "pred": 1}\n[]\n', "standard input, line 2: not a JSON"),
    "label": ("csv", b"true,pred\na,\n", "standard input: column 'pred' has no label in 1"),
    "names": ("csv", b"a,b\n1,1\n", "standard input: no columns have the usual names"),
    "twins": ("csv", b"true,pred,True\n1,1,1\n", "standard input: column 'True' appears twice"),
    "types": ("jsonl", b'{"true": 1, "pred": "1"}\n', "standard input: label types differ"),
    "counts": (
        None,
        b'{"format": "whichf1.counts"',
        "standard input is not a complete file of counts",
    ),
    "bytes": (None, b"{\xff}", "standard input is not a complete file of counts: 'utf-8' codec"),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_errors_name_standard_input_and_no_temporary_file(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, case: str
) -> None:
    format, data, said = UNREADABLE[case]
    folder = tmp_path / 'it\'s "a" \\ folder'
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), "utf-8"))
    code, out, err = run("score", "-", *(["--from", format] if format else []))
    assert (code, out) == (2, "") and said in err
    assert "folder" not in err and "'standard" not in err and 'standard input"' not in err


@pytest.mark.parametrize("command", ["score", "threshold", "compare"])
def test_every_command_names_standard_input(
    run: Run, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    own = {"threshold": ["--score", "x"], "compare": ["--pred", "x", "--pred", "pred"]}
    options = own.get(command, ["--pred", "x"])
    for skip in ([], ["--on-error", "skip"]):
        data = io.BytesIO(b"true,pred\na,a\nb\n")
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(data, "utf-8"))
        code, _, err = run(command, "-", "--from", "csv", *options, *skip)
        assert code == 2 and err.startswith("whichf1: standard input has no column 'x'")


def test_what_was_skipped_of_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    data = io.BytesIO(b"true,pred\na,a\nb\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(data, "utf-8"))
    code, _, err = run("score", "-", "--from", "csv", "--on-error", "skip", "-m", "accuracy")
    assert code == 0 and err.startswith("whichf1: standard input: skipped 1 line")


def test_standard_input_that_does_not_fit_the_disk() -> None:
    said = subprocess.run(
        ["bash", "-c", f"ulimit -f 64; '{PROGRAM}' score - --from csv"],
        input=b"a" * (1 << 20),
        capture_output=True,
        check=False,
    )
    assert (said.returncode, said.stdout) == (2, b"")
    assert b"cannot copy standard input to a temporary folder" in said.stderr
    assert b"Traceback" not in said.stderr and b"Set TMPDIR" in said.stderr


def test_gold_and_predictions_on_the_command_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("id,gold\n1,a\n2,b\n")
    (tmp_path / "p.csv").write_text("id,model\n2,b\n1,b\n")
    pair = ["--gold", tmp_path / "g.csv", "--pred-file", tmp_path / "p.csv"]
    code, out, _ = run("score", *pair, "--id", "id", "-m", "accuracy", "-f", "json")
    assert code == 0 and json.loads(out)["scores"][0]["value"] == 0.5
    named = ("--true", "gold", "--pred", "model", "-m", "accuracy", "-f", "json")
    code, _, err = run("score", *pair, *named)
    assert code == 2 and "column 'id' differs in 2 of them. Match them with --id id" in err
    (tmp_path / "p.csv").write_text("model\nb\nb\n")
    code, out, _ = run("score", *pair, *named)
    assert code == 0 and json.loads(out)["scores"][0]["value"] == 0.5
    (tmp_path / "p.csv").write_text("id,model\n2,b\n")
    code, out, err = run("score", *pair, "--id", "id")
    assert (code, out) == (2, "") and "1 identifiers are not in" in err


def test_skipping_is_said_on_standard_error(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("true,pred\na,a\na\n,b\nb,a\n")
    code, out, err = run("score", path, "--on-error", "skip", "-m", "accuracy")
    assert code == 0 and "2 items" in out
    assert "skipped 1 line (missing columns, first line 3), 1 without a label in 'true'" in err


@pytest.mark.parametrize("options", [[], ["--memory-limit", "100MB"]])
def test_slices_are_scored_worst_first(run: Run, sliced: Path, options: list[str]) -> None:
    files = [sliced, "--true", "gold", "--pred", "model", *options]
    code, out, err = run("score", *files, "--by", "lang", "-f", "json")
    assert (code, err) == (0, "")
    record = json.loads(out)
    assert [metric["name"] for metric in record["metrics"]] == ["averaged F1", "F1 of averages"]
    slices = wf.count_by(sliced, true="gold", pred="model", by="lang")
    for metric in record["metrics"]:
        gaps = [each["gap"] for each in metric["slices"]]
        assert gaps == sorted(gaps) and len(gaps) == 4
        assert [each["slice"]["lang"] for each in metric["slices"]] == ["fr", "sw", "de", "en"]
        whole = wf.Definition.parse(metric["whole"]["signature"])(slices.whole)
        for each in metric["slices"]:
            score = wf.Definition.parse(each["signature"])(slices[each["slice"]["lang"]])
            assert score.value == each["value"] and score.signature == each["signature"]
            assert each["gap"] == score.value - whole.value
            low, high = ends(score.interval)
            assert each["interval"]["low"] == low
            if high < whole.value or low > whole.value:
                assert each["verdict"] == ("below" if high < whole.value else "above")
            else:
                assert each["verdict"] == ("near" if high - low <= 0.1 else "too small to tell")
        assert metric["slices"][0]["verdict"] == "below"


def test_verdicts(run: Run, tmp_path: Path) -> None:
    def items(s: str, right: int, wrong: int) -> str:
        return f"a,a,{s}\nb,b,{s}\n" * (right // 2) + f"a,b,{s}\nb,a,{s}\n" * (wrong // 2)

    path = tmp_path / "p.csv"
    text = items("bad", 400, 600) + items("like", 7000, 3000) + items("few", 8, 2)
    path.write_text("true,pred,s\n" + text + items("good", 900, 100) + items("all", 20, 0))
    _, out, _ = run("score", path, "--by", "s", "-m", "accuracy", "-f", "csv")
    found = {row["s"]: row["verdict"] for row in csv.DictReader(io.StringIO(out))}
    small = "too small to tell"
    verdicts = {"bad": "below", "like": "near", "few": small, "good": "above", "all": "above"}
    assert found == {"(whole)": "", **verdicts}


def test_slices_in_every_format(run: Run, sliced: Path) -> None:
    files = [sliced, "--true", "gold", "--pred", "model", "--by", "lang,domain", "-m", "accuracy"]
    files += ["--signature", "full"]
    outputs = {f: run("score", *files, "-f", f)[1] for f in ("text", "markdown", "latex", "csv")}
    rows = list(csv.DictReader(io.StringIO(outputs["csv"])))
    slices = wf.count_by(sliced, true="gold", pred="model", by=["lang", "domain"])
    whole, *rows = rows
    said = [whole[name] for name in ("lang", "domain", "gap", "verdict")]
    assert said == ["(whole)", "(whole)", "", ""] and int(whole["n"]) == slices.whole.n
    score = wf.Definition.parse(whole["signature"])(slices.whole)
    assert (float(whole["value"]), float(whole["low"])) == (score.value, ends(score.interval)[0])
    assert len(rows) == 8 and {row["domain"] for row in rows} == {"news", ""}
    for row in rows:
        counts = slices[row["lang"], row["domain"] or None]
        assert float(row["value"]) == wf.Definition.parse(row["signature"])(counts).value
    for format in ("text", "markdown"):
        assert "fr, (missing)" in outputs[format] and "too small to tell" in outputs[format]
        assert outputs[format].count("(whole)") == 1
    assert outputs["text"].count("|v:1|n:") == 1 + 8
    assert outputs["latex"].count(r"\texttt{accuracy") == 9
    assert r"\begin{table}" in outputs["latex"] and "fr, news & " in outputs["latex"]


def test_slices_with_other_options(run: Run, tmp_path: Path, sliced: Path) -> None:
    files = [sliced, "--true", "gold", "--pred", "model", "--by", "lang"]
    _, out, _ = run("score", *files, "-m", "error_rate", "-f", "json")
    gaps = [each["gap"] for each in json.loads(out)["metrics"][0]["slices"]]
    assert gaps == sorted(gaps, reverse=True)  # lower is better, so the worst is the highest
    _, out, _ = run("score", *files, "-m", "recall", "--positive", "b", "--interval", "none")
    assert 'recall|positive:"b"' in out and out.count("too small to tell") == 4 + 1
    code, _, err = run("score", *files, "-m", "recall")
    assert code == 2 and "--by gives one number per slice" in err
    code, _, err = run("score", *files, "-m", "accuracy", "--fail-under", "accuracy=0.99")
    assert code == 1 and "below 0.99" in err
    code, _, err = run("score", *files[:-1], "tongue")
    assert code == 2 and "no column 'tongue'" in err
    declared = [*files, "--labels", "a,b,c,d", "-m", "averaged_f1"]
    _, out, _ = run("score", *declared)  # the definition once, the classes beside each slice
    assert out.count("classes:declared") == 1 and "k:4" not in out
    assert re.findall(r"^(?:\(whole\)|\w\w) +[\d,]+ +(\d+) ", out, re.M) == ["4"] * (1 + 4)
    _, out, _ = run("score", *declared, "--signature", "full")
    assert out.count("classes:declared") == out.count("|k:4|") == 1 + 4
    path = tmp_path / "q.csv"
    path.write_text("true,pred,s\na,a,1\nb,a,1\na,a,2\na,a,2\n")
    _, out, _ = run("score", path, "--by", "s", "-m", "averaged_f1", "--ignore", "a", "-f", "json")
    assert json.loads(out)["nothing_to_score_in"] == ["2"]
    _, out, _ = run("score", path, "--by", "s", "-m", "averaged_f1", "-f", "json")
    assert [each["value"] for each in json.loads(out)["metrics"][0]["slices"]][1] == 1.0  # only a


def test_a_slice_without_a_number_says_so(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("true,pred,s\na,a,all\nb,b,all\n" + "a,b,half\nb,a,half\na,a,half\nb,b,half\n")
    files = [path, "--by", "s", "-m", "positive_likelihood_ratio", "--positive", "a"]
    outputs = {f: run("score", *files, "-f", f)[1] for f in ("text", "json", "csv", "markdown")}
    (row,) = (x for x in csv.DictReader(io.StringIO(outputs["csv"])) if x["s"] == "all")
    assert (row["value"], row["gap"]) == ("infinite", "infinite")
    record = json.loads(outputs["json"])["metrics"][0]["slices"][1]
    assert (record["value"], record["why"], record["gap"]) == (None, "infinite", None)
    for format in ("text", "markdown"):
        assert outputs[format].count("infinite") == 2 and "inf " not in outputs[format]


def test_nasty_slices_are_escaped(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    with open(path, "w", newline="") as file:
        rows = [["true", "pred", "=s"], ["a", "a", NASTY], ["a", "b", "=1+1"]]
        csv.writer(file).writerows(rows)
    for format in ("text", "json", "markdown", "latex", "csv"):
        code, out, _ = run("score", path, "--by", "=s", "-m", "accuracy", "-f", format)
        assert code == 0 and "\x1b" not in out and "\u202e" not in out
    assert "'=1+1" in out and "\n=1+1" not in out and "'=s" in out
    assert r"\textbackslash{}cmd" in run(
        "score", path, "--by", "=s", "-m", "accuracy", "-f", "latex"
    )[1].replace(r"\allowbreak{}", "")
