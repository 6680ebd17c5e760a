"""Files of every format, compressed, in parts, from standard input, and in pairs."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers.commands import Run
from tests.helpers.engines import cells
from tests.helpers.files import WRITERS
from whichf1.errors import FileError, SkippedWarning

PROGRAM = Path(sys.executable).with_name("whichf1")
ROWS = [
    {"true": "a", "pred": "a", "alt": "b", "w": 1.5, "part": "x"},
    {"true": "b", "pred": "a", "alt": "b", "w": 2.0, "part": None},
    {"true": "b", "pred": "b", "alt": "b", "w": 0.25, "part": "x"},
    {"true": 'é, "q"\n', "pred": "a", "alt": "a", "w": 4.0, "part": "y"},
]


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.thinned(3)
def test_every_format_gives_the_same_counts(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    WRITERS[name](path, ROWS)
    true, pred = ([row[side] for row in ROWS] for side in ("true", "pred"))
    counts = wf.count(path)
    assert counts == wf.count(true, pred)
    assert wf.count(path, weights="w") == wf.count(true, pred, weights=[r["w"] for r in ROWS])
    slices = wf.count_by(path, by=["part"], weights="w")
    keys = {("x",), ("y",), ("",) if name.endswith("npz") else (None,)}
    assert set(slices) == keys and slices.whole.n == 7.75
    assert cells(slices["x"]) == {("a", "a"): 1.5, ("b", "b"): 0.25}
    each = wf.count_each(path, true="true", pred=["pred", "alt", "true"])
    assert each["pred"] == counts and cells(each["alt"])["b", "b"] == 2
    assert each["true"] == wf.count(true, true)
    assert wf.count(path, labels=["b", "a", 'é, "q"\n']).labels[0] == "b"


label = st.integers(-5, 5) | st.sampled_from(["x", "y z", "ü", '"', ",", "01"])


@pytest.mark.filterwarnings("ignore::whichf1.errors.LabelWarning")
@settings(max_examples=10, suppress_health_check=list(HealthCheck), deadline=None)
@given(st.lists(st.tuples(label, label, st.integers(0, 2)), min_size=1, max_size=30))
def test_text_and_parquet_agree_with_python(
    tmp_path_factory: pytest.TempPathFactory, rows: Any
) -> None:
    folder = tmp_path_factory.mktemp("same")
    table = [{"true": str(t), "pred": str(p), "s": s} for t, p, s in rows]
    WRITERS["a.csv"](folder / "a.csv", table)
    WRITERS["a.jsonl"](folder / "a.jsonl", table)
    WRITERS["a.parquet"](folder / "a.parquet", table)
    typed = wf.count([r["true"] for r in table], [r["pred"] for r in table])
    assert wf.count(folder / "a.jsonl") == wf.count(folder / "a.parquet") == typed
    text = wf.count(folder / "a.csv")
    assert {(str(t), str(p)): n for (t, p), n in cells(text).items()} == cells(typed)
    for name in ("a.jsonl", "a.parquet"):
        slices = wf.count_by(folder / name, by="s")
        assert {key: part.n for key, part in slices.items()} == {
            (s,): sum(r["s"] == s for r in table) for s in {r["s"] for r in table}
        }


def test_numbers_keep_their_types(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"true":1,"pred":2.0}\n{"true":2,"pred":1}\n')
    assert wf.count(path).labels == (1, 2)
    path.write_text('{"true":"1","pred":"2"}\n')
    assert wf.count(path).labels == ("1", "2")
    path.write_text('{"true":true,"pred":false}\n')
    assert wf.count(path).labels == (False, True)
    np.savez(tmp_path / "n.npz", true=np.array([True]), pred=np.array([False]))
    assert wf.count(tmp_path / "n.npz").labels == (False, True)
    np.savez(tmp_path / "n.npz", true=np.array([3], ">i2"), pred=np.array([4.0]))
    assert wf.count(tmp_path / "n.npz").labels == (3, 4)


def test_patterns_of_files(tmp_path: Path) -> None:
    for i in range(5):
        pq.write_table(pa.table({"true": [0, i], "pred": [0, 1]}), tmp_path / f"part-{i}.parquet")
    counts = wf.count(f"{tmp_path}/part-*.parquet")
    assert counts == sum(wf.count(tmp_path / f"part-{i}.parquet") for i in range(5))
    assert counts.n == 10
    (tmp_path / "a.csv").write_text("true,pred\n1,1\n")
    (tmp_path / "b.csv").write_text("other,pred,true\nz,x,1\n")  # another order of columns
    assert wf.count(tmp_path / "[ab].csv").labels == ("1", "x")
    literal = tmp_path / "[odd].csv"
    literal.write_text("true,pred\n7,7\n")
    assert wf.count(literal).labels == (7,)  # a name is a pattern only if there is no such file
    with pytest.raises(wf.errors.FileError, match="several formats: csv, parquet"):
        wf.count(tmp_path / "*a*")
    (tmp_path / "b.csv").write_text("true,pred\n1\n")
    with pytest.raises(wf.errors.FileError, match=r"b\.csv', line 2: 1 cell"):
        wf.count(tmp_path / "[ab].csv")


def test_npz_is_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from whichf1.sources.engines import formats

    monkeypatch.setattr(formats, "ITEMS", 7)
    rng = np.random.default_rng(1)
    true, pred, w = rng.integers(0, 3, 100), rng.integers(0, 3, 100), rng.random(100)
    np.savez_compressed(tmp_path / "a.npz", true=true, pred=pred, w=w)
    assert wf.count(tmp_path / "a.npz") == wf.count(true, pred)
    both = [wf.count(tmp_path / "a.npz", weights="w"), wf.count(true, pred, weights=w)]
    np.testing.assert_allclose(both[0].matrix, both[1].matrix)


# Gold labels and predictions in two files


def pair(tmp_path: Path, gold: Any, predictions: Any) -> Any:
    paths = tmp_path / "gold.csv", tmp_path / "pred.csv"
    for path, text in zip(paths, (gold, predictions), strict=True):
        path.write_text(text)
    return paths


def test_two_files_by_line_and_by_id(tmp_path: Path) -> None:
    paths = pair(tmp_path, "id,gold\n1,a\n2,b\n3,b\n", "id,model\n3,b\n1,a\n2,a\n")
    by_id = wf.count(*paths, true="gold", pred="model", id="id")
    assert cells(by_id) == {("a", "a"): 1, ("b", "a"): 1, ("b", "b"): 1}
    with pytest.raises(FileError, match=r"column 'id' differs in 3 of them\. Match .* --id id"):
        wf.count(*paths, true="gold", pred="model")
    (tmp_path / "p.csv").write_text("model\nb\na\na\n")
    by_line = wf.count(paths[0], tmp_path / "p.csv", true="gold", pred="model")
    assert cells(by_line) == {("a", "b"): 1, ("b", "a"): 2}
    alone = pair(tmp_path, "x\na\nb\n", "y\na\na\n")  # the only column is the one that is meant
    assert cells(wf.count(*alone)) == {("a", "a"): 1, ("b", "a"): 1}
    sliced = pair(tmp_path, "id,true,s,w\n1,a,u,2\n2,b,v,3\n", "id,pred,q\n2,b,a\n1,b,a\n")
    slices = wf.count_by(*sliced, by="s", weights="w", id="id", pred="pred")
    assert {key: cells(part) for key, part in slices.items()} == {
        ("u",): {("a", "b"): 2.0},
        ("v",): {("b", "b"): 3.0},
    }
    each = wf.count_each(*sliced, pred=["pred", "q"], id="id")
    assert cells(each["q"]) == {("a", "a"): 1, ("b", "a"): 1}


def test_large_files_stay_aligned(tmp_path: Path) -> None:
    n = 300_000
    rng = np.random.default_rng(2)
    true = rng.integers(0, 50, n)
    pred = np.where(rng.random(n) < 0.7, true, rng.integers(0, 50, n))
    paths = pair(
        tmp_path,
        "gold\n" + "\n".join(map(str, true)) + "\n",
        "model,filler\n" + "\n".join(f"{p},{'x' * (p % 9)}" for p in pred) + "\n",
    )
    assert wf.count(*paths, pred="model") == wf.count(true, pred)


PAIRS: dict[str, tuple[str, str, Any, str]] = {
    "lengths": ("gold\na\nb\n", "pred\na\n", {}, "has 2 items, .*has 1. To be matched by line"),
    "unmatched": (
        "id,gold\n1,a\n2,b\n7,b\n",
        "id,pred\n1,a\n",
        {"id": "id"},
        "2 identifiers are not in .*: 2, 7$",
    ),
    "unmatched prediction": (
        "id,gold\n1,a\n",
        "id,pred\n1,a\n9,b\n",
        {"id": "id"},
        "1 identifiers are not in .*gold.csv': 9",
    ),
    "repeated": (
        "id,gold\n1,a\n1,b\n",
        "id,pred\n1,a\n",
        {"id": "id"},
        "1 identifiers appear more than once: 1",
    ),
    "no id": ("id,gold\n1,a\n,b\n", "id,pred\n1,a\n2,b\n", {"id": "id"}, "1 items have no 'id'"),
    "no such id": ("id,gold\n1,a\n", "pred\na\n", {"id": "id"}, "no column 'id'"),
    "which": ("a,b\n1,a\n", "pred\na\n", {}, "which column\\? Pass --true one of a, b"),
    "semicolons": ("id;gold\n1;a\n", "id;pred\n1;b\n", {}, "gold.csv' has a single column, .*;"),
    "same name": ("label\na\n", "label\na\n", {}, "has the same name in both files"),
    "missing": ('gold\na\n"b"\n', "pred,x\na,1\n,1\n", {"pred": "pred"}, "no label in 1 of its 2"),
}


@pytest.mark.parametrize("case", PAIRS)
def test_two_files_that_do_not_fit(tmp_path: Path, case: str) -> None:
    gold, predictions, options, said = PAIRS[case]
    with pytest.raises(wf.errors.InputError, match=said):
        wf.count(*pair(tmp_path, gold, predictions), **options)


OTHER_LINES = {
    "the same": ("1 2 3", "x x y", None),
    "written differently": ("1.0 2 3", "x x y", None),
    "shuffled identifiers": ("3 1 2", "x x y", "id"),
    "identifiers of other items": ("1 2 4", "x x y", "id"),
    "shuffled texts that repeat": ("1 2 3", "y x x", "copy"),
    "comments on the same items": ("1 2 3", "x z z", None),
}


@pytest.mark.parametrize("case", OTHER_LINES)
@pytest.mark.parametrize("right", ["a.csv", "a.jsonl.gz", "a.parquet", "a.npz"])
def test_items_are_not_matched_by_line_if_a_column_of_both_files_says_otherwise(
    tmp_path: Path, case: str, right: str
) -> None:
    *values, differs = OTHER_LINES[case]
    gold, predictions = tmp_path / "gold.csv", tmp_path / right
    gold.write_text("id,true,copy\n1,a,x\n2,b,x\n3,b,y\n")
    lines = zip(*(text.split() for text in values if text), ["a", "b", "a"], strict=True)
    rows = [{"id": id, "copy": copy, "pred": pred} for id, copy, pred in lines]
    WRITERS[right](predictions, rows)
    if differs is None:
        assert cells(wf.count(gold, predictions)) == {("a", "a"): 1, ("b", "b"): 1, ("b", "a"): 1}
        return
    with pytest.raises(FileError, match=f"column '{differs}' differs .* --id {differs}"):
        wf.count(gold, predictions)


BROKEN = {
    "short.csv": b"id,pred\n3,b\n1,a\n2\n4,a\n",
    "long.tsv": b"id\tpred\n3\tb\n2\tb\tb\n1\ta\n4\ta\n",
    "latin.csv": b"id,pred\n3,b\n1,a\n2,\xff\n4,a\n",
    "cut.jsonl": b'{"id":3,"pred":"b"}\n{"id":1,"pred":"a"}\n{"id":4,"pred":"a"}\n{"id":2,\n',
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("side", [0, 1])
def test_a_skipped_line_leaves_out_its_item_of_the_other_file(
    tmp_path: Path, name: str, side: int, run: Run
) -> None:
    """And it is said; more items than lines were skipped are not left out."""
    broken, whole = tmp_path / name, tmp_path / "whole.csv"
    broken.write_bytes(BROKEN[name] if side else BROKEN[name].replace(b"pred", b"true"))
    whole.write_text(f"id,{'pred' if side == 0 else 'true'}\n1,a\n2,b\n3,b\n4,b\n")
    paths = (broken, whole) if side == 0 else (whole, broken)
    with pytest.raises(FileError, match=name):
        wf.count(*paths, id="id")
    with pytest.warns(SkippedWarning) as caught:
        counts = wf.count(*paths, id="id", on_error="skip")
    said = str(caught[0].message)
    assert counts.n == 3 and {"a", "b"} == {*counts.labels}
    assert f"in '{broken}', 1 of '{whole}' whose line in '{broken}' was skipped; 3 items" in said
    files = ("--gold", paths[0], "--pred-file", paths[1])
    code, _, err = run("score", *files, "--id", "id", "--on-error", "skip", "-m", "accuracy")
    assert code == 0 and said in err
    with pytest.raises(FileError, match="without skipped lines, items cannot be matched by line"):
        wf.count(*paths, on_error="skip")
    whole.write_text(whole.read_text() + "5,b\n6,b\n")
    with pytest.raises(FileError, match=r"3 identifiers are not in .*1 line had to be .*: 2, 5, 6"):
        wf.count(*paths, id="id", on_error="skip")


NUMBERS = [{"n": i, "id": 7 * i % 10, "label": i % 3} for i in range(10)]
ONE_OF_EACH = ("a.csv", "a.jsonl.gz", "a.parquet", "a.arrow")


@pytest.mark.parametrize("right", [*ONE_OF_EACH, "a.npz"])
@pytest.mark.parametrize("left", [*ONE_OF_EACH, "a.npz"])
@pytest.mark.thinned(3)
def test_pairs_of_any_two_formats(tmp_path: Path, left: str, right: str) -> None:
    def written(name: str, side: str, column: str, rows: list[dict[str, int]]) -> Path:
        path = tmp_path / f"{side}-{name}"
        WRITERS[name](path, [{"id": row["id"], column: row[column]} for row in rows])
        return path

    gold = written(left, "gold", "true", [{**row, "true": row["label"]} for row in NUMBERS])
    answers = [{**row, "pred": row["n"] % 2} for row in NUMBERS]
    predictions = written(right, "pred", "pred", answers)
    expected = wf.count([row["label"] for row in NUMBERS], [row["pred"] for row in answers])
    assert wf.count(gold, predictions) == expected
    shuffled = written(right, "pred", "pred", answers[::-1])
    assert wf.count(gold, shuffled, id="id") == expected
    with pytest.raises(FileError, match="column 'id' differs in 10 of them"):
        wf.count(gold, shuffled)


def test_pairs_whose_types_do_not_fit(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("gold\nTrue\nFalse\n")
    pq.write_table(pa.table({"pred": [True, False]}), tmp_path / "p.parquet")
    with pytest.raises(wf.errors.LabelError, match=r"'gold' holds 'False' \(str\), .*\(bool\)"):
        wf.count(tmp_path / "g.csv", tmp_path / "p.parquet")
    (tmp_path / "p.jsonl").write_text('{"pred":"1"}\n{"pred":"2"}\n')
    (tmp_path / "g.csv").write_text("gold\n1\n2\n")
    with pytest.raises(wf.errors.LabelError, match="label types differ"):
        wf.count(tmp_path / "g.csv", tmp_path / "p.jsonl")
    labelled = wf.count(tmp_path / "g.csv", tmp_path / "p.jsonl", labels=["1", "2"])
    assert labelled.n == 2  # declared as text, both are
    np.savez(tmp_path / "none.npz", pred=np.zeros(0))
    with pytest.raises(wf.errors.ShapeError, match=r"none\.npz' has no items"):
        wf.count(tmp_path / "g.csv", tmp_path / "none.npz")


# Memory, spilling, interruption


def many_labels(path: Path, n: int) -> Any:
    long = "some long label that takes room in memory " * 3
    with open(path, "w") as file:
        file.write("true,pred\n")
        file.writelines(f"{long}{i},{long}{i}\n" for i in range(n))
    return path


@pytest.mark.slow
@pytest.mark.long
def test_a_small_memory_limit_spills_and_cleans_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = many_labels(tmp_path / "p.csv", 400_000)
    spill = tmp_path / "spill"
    spill.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spill))
    counts = wf.count(path, memory_limit="150MB")
    assert counts.n == 400_000 and len(counts.labels) == 400_000
    assert not list(spill.iterdir())


FULL = """
import resource, signal, sys, tempfile
import whichf1 as wf
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))  # as if the disk were full after 1 MB
try:
    wf.count(sys.argv[1], memory_limit="60MB")
except wf.errors.FileError as error:
    print(error)
"""


@pytest.mark.slow
def test_a_full_spill_folder_is_a_clear_error(tmp_path: Path) -> None:
    path = many_labels(tmp_path / "p.csv", 400_000)
    spill = tmp_path / "spill"
    spill.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", FULL, path],
        env={**os.environ, "TMPDIR": str(spill)},
        capture_output=True,
        text=True,
    )
    assert "counting needs more than the memory limit of 60MB" in done.stdout, done
    assert str(spill) in done.stdout and "TMPDIR" in done.stdout
    assert not list(spill.iterdir())
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


def test_memory_limits_are_sizes(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("true,pred\na,a\n")
    for good in ("1GB", "100 MB", "512MiB", 100_000_000):
        assert wf.count(path, memory_limit=good).n == 1
    for bad in ("", "much", "1 potato", "-1GB", "1GB'; DROP"):
        with pytest.raises(wf.errors.InputError, match="a size such as 1GB"):
            wf.count(path, memory_limit=bad)


@pytest.mark.parametrize("before", [None, "old"])
def test_an_interrupted_count_leaves_no_file_or_the_old_one(
    tmp_path: Path, before: str | None
) -> None:
    path = tmp_path / "p.csv"
    path.write_text("true,pred\n" + "a,b\n" * 3_000_000)
    out = tmp_path / "out" / "part.json"
    out.parent.mkdir()
    if before:
        out.write_text(before)
    process = subprocess.Popen(
        [PROGRAM, "count", "-", "--from", "csv", "-o", out],
        stdin=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert process.stdin is not None
    process.stdin.write(path.read_bytes()[:1_000_000])
    process.stdin.flush()
    waited = time.monotonic()
    while not list(tmp_path.glob("whichf1-*/0")):
        assert process.poll() is None and time.monotonic() - waited < 60
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.stdin.close()
    assert process.wait(60) != 0
    assert [p.read_text() for p in out.parent.iterdir()] == ([before] if before else [])
    assert not list(tmp_path.glob("whichf1-*"))


def test_progress_is_told_and_a_query_can_be_interrupted(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("true,pred,note\n" + "a,b,a cell that is not counted\n" * 2_000_000)
    told: list[float] = []
    assert wf.count(path, progress=told.append).n == 2_000_000
    assert told == sorted(told) and all(0 <= x <= 1 for x in told) and any(x > 0 for x in told)

    def stop(_: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        while True:
            wf.count(path, progress=stop)


SMALL_PAIR = """
import sys
import whichf1 as wf
from tests.helpers.peak import held, peak
pair = {"memory_limit": "50MB"}
wf.count(*sys.argv[1:3], **pair)
before = held()
print(wf.count(*sys.argv[3:5], **pair).n, peak() - before)
"""


@pytest.mark.slow
def test_a_pair_of_npz_files_does_not_have_to_fit_into_memory(tmp_path: Path) -> None:
    """12,000,000 items are 192 MB in both files; DuckDB may use 50."""
    rng = np.random.default_rng(1)
    paths = []
    for n in (10, 12_000_000):
        for name in ("true", "pred"):
            paths.append(str(tmp_path / f"{name}{n}.npz"))
            arrays: dict[str, Any] = {name: rng.integers(0, 5, n)}
            np.savez(paths[-1], **arrays)
    done = subprocess.run(
        [sys.executable, "-c", SMALL_PAIR, *paths], capture_output=True, text=True, check=True
    )
    n, more = map(int, done.stdout.split())
    assert n == 12_000_000 and more < 120 << 20
