"""Scores, label sets, clusters and systems in files of every format; parts that are merged."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers.columns import COLUMN, without_source
from tests.helpers.commands import Run
from tests.helpers.engines import cells
from tests.helpers.files import ROWS, WRITERS, written
from whichf1.sources.engines import formats


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.thinned(3)
def test_every_format_in_python(tmp_path: Path, name: str) -> None:
    """The same tables, and one score and comparison of each kind."""
    path = written(tmp_path, name)
    true, score = COLUMN["true"], COLUMN["score"]
    assert wf.rank(path, positive="b") == wf.rank(true, score, positive="b")  # the usual names
    weighted = wf.rank(true, score, positive="b", weights=COLUMN["w"])
    assert wf.rank(path, positive="b", weights="w") == weighted
    counts = wf.count(path, pred="x", cluster="doc")
    assert counts == wf.count(true, COLUMN["x"], cluster=COLUMN["doc"])
    sets = [[set(filter(None, cell.split(";"))) for cell in COLUMN[x]] for x in ("tags", "found")]
    found = wf.count_multilabel(path, true="tags", pred="found", sep=";")
    assert found == wf.count_multilabel(*sets)
    probabilities = list(zip(COLUMN["a"], COLUMN["b"], strict=True))
    loss = wf.log_loss(path, true="true", score=["a", "b"])
    assert loss == wf.log_loss(true, probabilities)
    systems = {"x": COLUMN["x"], "y": COLUMN["y"]}
    names: dict[str, Any] = {"weights": "w", "replicates": 99}
    compared = wf.compare(path, ["x", "y"], "accuracy", true="true", **names)
    arrays: dict[str, Any] = {"weights": COLUMN["w"], "replicates": 99}
    assert compared.pairs == wf.compare(true, systems, "accuracy", **arrays).pairs


def test_what_follows_from_a_ranking_in_a_file(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv")
    true, score = COLUMN["true"], COLUMN["score"]
    columns: dict[str, Any] = {"true": "true", "score": "score", "positive": "b"}
    expected = wf.rank(true, score, positive="b")
    assert wf.roc_auc(path, positive="b") == wf.roc_auc(expected)
    assert wf.roc_auc(path, path, **columns) == wf.roc_auc(expected)
    curve = wf.roc_curve(path, **columns)
    assert curve.fpr.tolist() == wf.roc_curve(expected).fpr.tolist()
    best = wf.best_threshold(path, metric="f1", **columns)
    assert best.threshold == wf.best_threshold(expected).threshold
    decided = wf.at_threshold(path, threshold=0.5, **columns)
    assert decided == wf.at_threshold(true, score, 0.5, positive="b")
    brier = wf.brier(true, score, positive="b")
    assert wf.brier(path, **columns).value == pytest.approx(brier.value)


def test_the_order_of_the_columns_of_classes_does_not_matter(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv")
    loss = wf.log_loss(path, true="true", score=["a", "b"])
    assert wf.log_loss(path, true="true", score={"a": "a", "b": "b"}) == loss
    assert wf.log_loss(path, true="true", score=["b", "a"]).value == pytest.approx(loss.value)


COMMANDS: dict[str, tuple[str, ...]] = {
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


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.thinned(3)
def test_every_format_on_the_command_line(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """The same output, to the last digit, whatever the format, the parts and the way in."""
    name, *options = COMMANDS[command]
    options += [] if name == "count" else ["-f", "json"]
    found = {}
    for file in WRITERS if command == "score" else ("a.csv", "a.jsonl", "a.parquet", "a.npz"):
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


def test_pairs_of_files_on_the_command_line(tmp_path: Path, run: Run) -> None:
    own, other = ("true", "doc", "tags"), ("score", "a", "b", "x", "y", "found", "other")
    numbered = [{"id": i, **row} for i, row in enumerate(ROWS)]
    gold = tmp_path / "gold.jsonl"
    WRITERS["a.jsonl"](gold, [{k: row[k] for k in ("id", *own)} for row in numbered])
    answers = tmp_path / "answers.csv"
    table = [{k: row[k] for k in ("id", *other)} for row in numbered]
    for command in COMMANDS.keys() - {"slices", "count"}:
        name, *options = COMMANDS[command]
        if "--true" not in options:
            options += ["--true", "tags" if "set" in command else "true"]
        options += ["-f", "json"]
        whole = run(name, written(tmp_path, "a.csv"), *options)
        assert whole[0] == 0, whole[2]
        by_id = (table[::-1], ("--id", "id"))
        for rows, more in ((table, ()), by_id) if command in ("score", "compare") else (by_id,):
            WRITERS["a.csv"](answers, rows)
            code, out, err = run(name, "--gold", gold, "--pred-file", answers, *more, *options)
            assert code == 0, err
            assert_alike(without_source(out), without_source(whole[1]))


def assert_alike(a: Any, b: Any) -> None:
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


def test_skipping_scores_sets_and_clusters(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "true,score,x,doc\nb,0.5,b,d\na,none,a,d\n,0.2,a,d\na,0.1\na,0.25,a,\nb,inf,,e\n"
    )
    with pytest.warns(wf.errors.SkippedWarning) as caught:
        ranking = wf.rank(path, positive="b", on_error="skip")
    assert ranking == wf.rank(["b", "a"], [0.5, 0.25], positive="b")
    (said,) = (str(each.message) for each in caught)
    assert "1 line (missing columns, first line 5)" in said
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
    assert code == 0 and "skipped 1 line" in err and json.loads(out)["n"] == 2
    nothing = tmp_path / "nothing.csv"
    nothing.write_text("true,score\na,x\n")
    with pytest.warns(wf.errors.SkippedWarning), pytest.raises(wf.errors.ShapeError):
        wf.rank(nothing, positive="a", on_error="skip")


ITEMS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.sampled_from("xyz")), min_size=2
)


def clustered(items: Any, weights: Any = None) -> Any:
    true, pred, cluster = zip(*items, strict=True)
    return wf.count(true, pred, cluster=cluster, weights=weights)


@given(ITEMS, st.data())
def test_parts_with_clusters_add_up_and_are_saved(items: Any, data: Any) -> None:
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
    options: dict[str, Any] = {"interval": "delta", "classes": "observed"}
    assert wf.averaged_f1(sum(again), **options) == wf.averaged_f1(whole, **options)
    found, expected = (wf.averaged_f1(x, **options).interval for x in (sum(again), whole))
    assert found == expected
    plain = wf.count([t for t, _, _ in items], [p for _, p, _ in items], weights=weights)
    assert plain != whole and whole != plain and plain.matrix.tolist() == whole.matrix.tolist()
    assert wf.Counts.empty() + whole == whole == whole + wf.Counts.empty()


def test_clusters_that_do_not_add_up(tmp_path: Path) -> None:
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


def test_parts_with_clusters_on_the_command_line(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_quoted_cells_cross_the_buffers_of_a_csv_file(tmp_path: Path) -> None:
    """Cells with commas, quotes and line breaks, in a file that fills three buffers."""
    rng = np.random.default_rng(5)
    notes = ['a, "quoted"\ncell ' * int(at) for at in rng.integers(0, 40, 40_000)]
    true, pred = rng.choice(["x", "y\nz", 'u"v'], (2, len(notes)))
    path = tmp_path / "notes.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["note", "true", "pred"])
        rows.writerows(zip(notes, true.tolist(), pred.tolist(), strict=True))
    assert path.stat().st_size > 3 * formats.BUFFER
    assert cells(wf.count(path)) == cells(wf.count(true, pred))


PEAKS = """
import sys
import whichf1 as wf
from tests.helpers.peak import held, peak
wf.count(sys.argv[1])
before = held()
print(wf.count(sys.argv[2]).n, peak() - before)
"""


@pytest.mark.slow
def test_the_memory_for_a_csv_file_does_not_grow_with_it(tmp_path: Path) -> None:
    """It takes about 40 MB; with buffers of 32 MB it took 150."""
    small, large = tmp_path / "small.csv", tmp_path / "large.csv"
    for path, times in ((small, 10), (large, 1_500_000)):
        path.write_text("true,pred\n" + "1,2\n3,1\n2,2\n" * times * 10)
    done = subprocess.run(
        [sys.executable, "-c", PEAKS, str(small), str(large)],
        capture_output=True,
        text=True,
        check=True,
    )
    n, more = map(int, done.stdout.split())
    assert n == 45_000_000 and more < 80 << 20
