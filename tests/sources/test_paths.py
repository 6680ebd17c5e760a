"""A path is that file and no other, each file of a pattern counts once, and folders add nothing."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers.commands import Run
from whichf1.errors import FileError

GOOD, BAD = "true,pred\n0,0\n1,1\n", "true,pred\n0,1\n1,0\n"


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@settings(max_examples=12)
@given(st.text("r1[]*?{}!-~:=%'\"é,;$ #", min_size=1, max_size=6))
def test_a_path_reads_exactly_itself(tmp_path_factory: pytest.TempPathFactory, stem: str) -> None:
    """Whatever is next to it, and however DuckDB would interpret its name."""
    folder = tmp_path_factory.mktemp("paths")
    for other in ("r1", "r", "1", "11", "r-", "a"):
        _write(folder / f"{other}.csv", BAD)
    path = _write(folder / f"{stem}.csv", GOOD)
    assert wf.accuracy(path) == 1
    json = _write(folder / f"{stem}.jsonl", '{"true": 0, "pred": 0}\n')
    assert wf.accuracy(json) == 1


def test_patterns_in_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.chdir(tmp_path)
    _write(tmp_path / "r[12].csv", GOOD)
    _write(tmp_path / "r1.csv", BAD)
    assert wf.accuracy("r[12].csv") == 1
    assert wf.count("r*.csv").n == 4
    _write(tmp_path / "~" / "h.csv", GOOD)
    assert wf.accuracy("./~/h.csv") == 1
    _write(tmp_path / "file:" / "x.csv", GOOD)
    assert wf.accuracy("file:/x.csv") == 1
    os.symlink("nowhere", tmp_path / "r[3].csv")
    _write(tmp_path / "r3.csv", BAD)
    with pytest.raises(FileError, match="No such file"):
        wf.accuracy("r[3].csv")


def test_each_file_once(tmp_path: Path) -> None:
    _write(tmp_path / "d" / "a" / "x.csv", GOOD)
    os.symlink("..", tmp_path / "d" / "a" / "loop")
    os.symlink("x.csv", tmp_path / "d" / "a" / "y.csv")
    assert wf.count(f"{tmp_path}/d/**/**/*.csv").n == 2


@pytest.mark.parametrize("folder", ["pred=x", "weights=2", "lang=en", "true=7"])
def test_folders_overwrite_no_columns(tmp_path: Path, folder: str) -> None:
    path = _write(
        tmp_path / folder / "p.csv", "true,pred,weights,lang\n0,0,1,de\n1,1,1,de\n1,0,3,fr\n"
    )
    assert wf.accuracy(path, weights="weights").value == 0.4
    assert [*wf.count_by(path, by="lang")] == [("de",), ("fr",)]
    json = _write(tmp_path / folder / "p.jsonl", '{"true": 1, "pred": 1}\n{"true": 1, "pred": 0}\n')
    assert wf.accuracy(json).value == 0.5


def test_a_long_last_line_does_not_vanish(tmp_path: Path) -> None:
    text = f"{GOOD}1,{'y' * 33_600_000}".encode()
    (tmp_path / "long.csv").write_bytes(text)
    (tmp_path / "long.csv.gz").write_bytes(gzip.compress(text, 1))
    with pa.CompressedOutputStream(str(tmp_path / "long.csv.zst"), "zstd") as file:
        file.write(text)
    for path in tmp_path.iterdir():
        with pytest.raises(FileError, match="longer than 2 MiB"):
            wf.accuracy(path)


def test_lines_of_any_length_are_found(tmp_path: Path) -> None:
    """Long ones at the start and in the middle, too; short ones are read."""
    long, path = "y" * 2_200_000, tmp_path / "a.csv"
    for text in (f"true,{long}\n0,0\n", f"true,pred\n0,{long}\n" + "0,0\n" * 800_000):
        path.write_text(text)
        with pytest.raises(FileError, match="longer than 2 MiB"):
            wf.accuracy(path)
    path.write_text("true,pred\n" + f"0,{'y' * 1_000_000}\n" * 7)
    assert wf.count(path, labels=["0", "y" * 1_000_000]).n == 7


def test_an_unnamed_first_column(tmp_path: Path) -> None:
    assert wf.accuracy(_write(tmp_path / "a.csv", ",true,pred\n0,1,1\n1,0,1\n")).value == 0.5


def test_names_that_cannot_be_read(tmp_path: Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/n\xff.csv")
    Path(name).write_text(GOOD)
    with pytest.raises(FileError, match="is not UTF-8"):
        wf.accuracy(name)
    with pytest.raises(FileError, match="no file can be called"):
        wf.accuracy("a\0b.csv")
    both = _write(tmp_path / "a\\b[1].csv", GOOD)
    with pytest.raises(FileError, match="backslash"):
        wf.accuracy(both)
    assert wf.accuracy(_write(tmp_path / "a\\b.csv", GOOD)) == 1


def test_an_empty_shard_counts_as_no_items(tmp_path: Path) -> None:
    for name, text in {"1": GOOD, "2": "", "3": "true,pred\n"}.items():
        _write(tmp_path / f"{name}.csv", text)
    (tmp_path / "4.csv.gz").write_bytes(gzip.compress(b""))
    assert wf.count(f"{tmp_path}/*.csv*") == wf.count(tmp_path / "1.csv")
    with pytest.raises(FileError, match="is empty"):
        wf.count(tmp_path / "2.csv")
    counts = wf.count([0, 1], [0, 1])
    assert counts.update([], []) == counts
    assert wf.Counts.empty().update([], []).n == 0
