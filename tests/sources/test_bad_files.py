"""A malformed file never gives a number: its error names the file and, where there is, the line."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import whichf1 as wf
from tests.helpers.bad_files import CASES, GZIP, HEAD, ROWS, ZSTD, write
from whichf1.errors import numbered


@pytest.mark.parametrize("case", CASES)
def test_a_malformed_file_is_refused(tmp_path: Path, case: str) -> None:
    path = write(tmp_path, case)
    with pytest.raises(wf.errors.InputError) as caught:
        wf.count(path)
    said = str(caught.value)
    assert repr(str(path)) in said and CASES[case][2] in said
    assert "\n" not in said and os.listdir(tmp_path) == [path.name]


NUMBER = "has no finite number in 1 of its 2 items; the first is item 2"
UNKNOWN: dict[str, str | None] = {"no such columns": "has no column 'true'. Its columns: a, b"}
READERS: dict[str, tuple[Callable[[Path], Any], dict[str, str | None]]] = {
    "scores": (
        lambda path: wf.rank(path, true="true", score="pred", positive=1),
        UNKNOWN
        | {"JSON key missing": NUMBER, "Parquet missing label": NUMBER, "Parquet fraction": None},
    ),
    "probabilities": (
        lambda path: wf.top_k_accuracy(path, true="true", score={0: "true", 1: "pred"}),
        UNKNOWN
        | {"JSON key missing": NUMBER, "Parquet missing label": NUMBER, "Parquet fraction": None}
        | {"JSON label is a list": "item 1 ('[1]')"},  # it is a score here, too
    ),
    "sets": (
        lambda path: wf.count_multilabel(path, sep=";"),
        {
            "missing label": None,  # an empty cell has no labels
            "JSON label is a list": None,
        },
    ),
    "clusters": (
        lambda path: wf.count(path, cluster="pred"),
        UNKNOWN | {"no such columns": "no column 'pred'"},
    ),
    "systems": (
        lambda path: wf.compare(path, ["pred", "true"], true="true").scores["pred"],
        UNKNOWN | {"JSON label is a list": None},
    ),
    "set systems": (
        lambda path: wf.compare(path, ["pred", "true"], true="true", sep=";").scores["pred"],
        UNKNOWN
        | {
            "missing label": None,
            "JSON label is a list": None,
        },
    ),
}
"""Other ways to read a file, and the cases that are no error there (None) or another one."""


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.thinned(5)
def test_every_reader_refuses_a_malformed_file(
    tmp_path: Path, reader: str, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the files have two columns, and some readers need three
    monkeypatch.setattr("whichf1.sources.request.refuse_same", lambda *names: None)
    read, other = READERS[reader]
    path = write(tmp_path, case)
    expected = other.get(case, CASES[case][2])
    if expected is None:
        assert read(path).n
        return
    with pytest.raises(wf.errors.InputError) as caught:
        read(path)
    said = str(caught.value)
    assert repr(str(path)) in said and expected in said
    assert "\n" not in said and os.listdir(tmp_path) == [path.name]


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 30


def test_what_is_no_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    for path, said in (
        (tmp_path, "is a folder. Name its files with a pattern"),
        (pipe, "is a pipe or a device, not a regular file"),
        (tmp_path / "none.csv", "No such file"),
        (tmp_path / "*.csv.gz", "no file matches this pattern"),
    ):
        with pytest.raises(wf.errors.FileError, match=said):
            wf.count(path)


@pytest.mark.parametrize("change", ["shrinks", "grows"])
def test_a_file_that_changes_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    from whichf1.sources.questions.grouped import Grouped

    path = tmp_path / "p.csv"
    path.write_bytes(HEAD + ROWS)
    count = Grouped.of_view

    def grouped(*arguments: Any, **options: Any) -> Any:
        found = count(*arguments, **options)
        path.write_bytes(HEAD + (ROWS[:4] if change == "shrinks" else ROWS * 2))
        return found

    monkeypatch.setattr(Grouped, "of_view", grouped)
    with pytest.raises(wf.errors.FileError, match="changed while it was read"):
        wf.count(path)


def test_a_file_that_shrinks_before_it_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from whichf1.sources.questions.grouped import Grouped

    path = tmp_path / "p.csv"
    path.write_bytes(HEAD + ROWS)
    count = Grouped.of_view

    def grouped(*arguments: Any, **options: Any) -> Any:
        path.write_bytes(HEAD + ROWS[: len(ROWS) // 2])
        return count(*arguments, **options)

    monkeypatch.setattr(Grouped, "of_view", grouped)
    with pytest.raises(wf.errors.FileError):
        wf.count(path)


def test_every_cut_of_a_compressed_file_is_noticed(tmp_path: Path) -> None:
    """No prefix of a gzip or zstd file counts, wherever it ends."""
    for name, whole in (("a.csv.gz", GZIP), ("a.csv.zst", ZSTD)):
        path = tmp_path / name
        path.write_bytes(whole)
        assert wf.count(path).n == 20_000
        for end in (1, 2, 5, 9, 20, len(whole) // 3, len(whole) - 9, len(whole) - 1):
            path.write_bytes(whole[:end])
            with pytest.raises(wf.errors.FileError):
                wf.count(path)


SKIPPED = {
    "short row": ("1 line (missing columns, first line 3)", 1),
    "long row": ("1 line (too many columns, first line 3)", 1),
    "unterminated quote": ("first line 3", 1),
    "invalid UTF-8": ("1 line (invalid encoding, first line 3)", 1),
    "late short row": ("first line 400,002", 400_000),
    "missing label": ("1 without a label in 'true'", 1),
    "JSON key missing": ("1 without a label in 'pred'", 1),
    "Parquet missing label": ("1 without a label in 'pred'", 1),
}


@pytest.mark.parametrize("case", SKIPPED)
def test_skipping_counts_the_rest_and_says_so(tmp_path: Path, case: str) -> None:
    said, n = SKIPPED[case]
    with pytest.warns(wf.errors.SkippedWarning) as caught:
        counts = wf.count(write(tmp_path, case), on_error="skip")
    assert counts.n == n and len(caught) == 1
    assert said in str(caught[0].message) and "were read" in str(caught[0].message)


def test_skipped_lines_are_counted_for_their_own_file(tmp_path: Path) -> None:
    """Whatever the lines and kinds of errors of the files before it."""
    rng = np.random.default_rng(0)
    expected, n = [], 0
    for name in "abcd":
        lines = [("a,b", "a", "a,b,c")[kind] for kind in rng.choice(3, 20, p=[0.8, 0.1, 0.1])]
        lines = ["a,b"] * 20 if name == "c" else lines
        (tmp_path / f"{name}.csv").write_text("\n".join(["true,pred", *lines, ""]))
        n += lines.count("a,b")
        first = {wrong: lines.index(wrong) for wrong in ("a", "a,b,c") if wrong in lines}
        for wrong in sorted(first, key=first.__getitem__):
            kind = "missing columns" if wrong == "a" else "too many columns"
            where = f"{kind}, first line {first[wrong] + 2}"
            bad = numbered(lines.count(wrong), "line")
            expected.append(f"{bad} ({where}) in '{tmp_path / name}.csv'")
    with pytest.warns(wf.errors.SkippedWarning) as caught:
        assert wf.count(tmp_path / "*.csv", on_error="skip").n == n
    assert f"skipped {', '.join(expected)}; {n} items were read" in str(caught[0].message)


def test_skipping_json_lines_weights_and_nothing(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"true":1,"pred":1}\n{"true":1,\n[2]\n{"true":2,"true":3,"pred":1}\n')
    with pytest.warns(wf.errors.SkippedWarning) as caught:
        assert wf.count(path, on_error="skip").n == 1
    said = str(caught[0].message)
    assert "skipped 3 lines that are not a JSON object; 1 items were read" in said
    path.write_bytes(b'{"true":1,"pred":1}\n[2]\n{"true":null}\n{"pred":1}\n{"true":1}\n')
    with pytest.warns(wf.errors.SkippedWarning) as caught:  # a line that lacks both counts once
        assert wf.count(path, on_error="skip").n == 1
    assert (
        "skipped 1 line that is not a JSON object, 2 without a label in 'true', "
        "1 without a label in 'pred'; 4 items were read"
    ) in str(caught[0].message)
    weights = tmp_path / "w.csv"
    weights.write_text("true,pred,w\na,a,2\na,b,x\na,b,-1\na,b,3\n")
    with pytest.warns(wf.errors.SkippedWarning, match="2 with a bad weight in 'w'"):
        counts = wf.count(weights, weights="w", on_error="skip")
    assert counts.matrix.tolist() == [[2.0, 3.0], [0.0, 0.0]]
    recwarn.clear()
    good = tmp_path / "good.csv"
    good.write_bytes(HEAD + ROWS)
    assert wf.count(good, on_error="skip") == wf.count(good)
    assert not recwarn.list
    with pytest.raises(wf.errors.InputError, match="'raise' or 'skip'"):
        wf.count(good, on_error="ignore")
    nothing = tmp_path / "nothing.csv"
    nothing.write_text("true,pred\na\n")
    with pytest.warns(wf.errors.SkippedWarning), pytest.raises(wf.errors.ShapeError):
        wf.count(nothing, on_error="skip")
    for case in ("truncated gzip", "truncated Parquet", "wrong gzip CRC"):
        with pytest.raises(wf.errors.FileError):  # what is cut off cannot be skipped
            wf.count(write(tmp_path, case), on_error="skip")
