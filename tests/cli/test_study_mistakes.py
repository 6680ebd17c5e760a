"""What is wrong with the runs of a study, from the shell and from Python: the same clear error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import whichf1 as wf
from tests.helpers.commands import Run
from whichf1.errors import InputError, WhichF1Error

HEAD = "item,true,pred,w,fold"
ROWS = ["a,0,0,1,1", "b,1,1,2,1", "c,0,1,1,2", "d,1,1,1,2"]
PATTERN = "{system}-{seed}.csv"
ITEM = {"item": "item"}


def folder(path: Path, **changed: list[str] | None) -> Path:
    """Two systems with two runs of four items; some files are changed or missing."""
    for name in ("A-1", "A-2", "B-1", "B-2"):
        rows = changed.get(name.replace("-", ""), ROWS)
        if rows is not None:
            (path / f"{name}.csv").write_text("\n".join([HEAD, *rows]) + "\n")
    return path


CASES: list[tuple[str, dict[str, Any], str, dict[str, Any], str]] = [
    ("an item twice", {"A1": [*ROWS, ROWS[0]]}, PATTERN, ITEM, "item 'a' appears more than once"),
    ("other items", {"A1": ["x,0,0,1,1", *ROWS[1:]]}, PATTERN, ITEM, "A, run 1 lacks 1 of 5 items"),
    ("fewer items", {"A1": ROWS[:3]}, PATTERN, {}, "runs have 3 to 4 items, and are matched line"),
    ("a missing run", {"A1": None}, PATTERN, ITEM, r"numbers of runs differ \(A 1, B 2\)"),
    ("another class", {"A1": ["a,1,0,1,1", *ROWS[1:]]}, PATTERN, ITEM, "class of an item diff"),
    ("one run", {"A2": None, "B2": None}, PATTERN, ITEM, "at least two runs, folds or data sets"),
    ("no file", {}, "{system}/{seed}.csv", ITEM, "no file matches this pattern"),
    ("a folder", {}, ".", ITEM, r"is a folder\. .* pattern .*/{system}/{seed}\.csv'"),
    ("an empty name", {}, "", ITEM, "the name of the file is empty"),
    ("a part without a role", {}, "{system}-{colour}.csv", ITEM, "what is the part {colour}"),
    ("no named part", {}, "*-1.csv", ITEM, "4 items, such as 'a', appear twice in pred"),
    ("folds overlap", {"A1": [*ROWS, "a,0,0,1,2"]}, "A-1.csv", {**ITEM, "fold": "fold"},
     "the folds of pred overlap: item 'a' appears in fold"),
    ("a weight is missing", {"A1": ["a,0,0,,1", *ROWS[1:]]}, PATTERN, {**ITEM, "weights": "w"},
     r"column 'w': weights\[0\] is nan"),
    ("a weight is not a number", {"A1": ["a,0,0,nan,1", *ROWS[1:]]}, PATTERN,
     {**ITEM, "weights": "w"}, r"column 'w': weights\[0\] is nan"),
    ("other weights", {"A1": ["a,0,0,9,1", *ROWS[1:]]}, PATTERN, {**ITEM, "weights": "w"},
     "weight of an item differs between runs"),
    ("no such column", {}, PATTERN, {"item": "id"}, "has no column 'id'"),
    ("an empty file", {"A1": []}, PATTERN, ITEM, "no items"),
    ("one fold", {"A1": ROWS[:2], "A2": ROWS[:2]}, "A-1.csv", {**ITEM, "fold": "fold"},
     "at least two runs, folds or data sets"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "changed", "pattern", "options", "words"), CASES)
def test_mistakes_are_the_same_clear_error_everywhere(
    name: str,
    changed: dict[str, Any],
    pattern: str,
    options: dict[str, Any],
    words: str,
    tmp_path: Path,
    run: Run,
) -> None:
    data = str(folder(tmp_path, **changed) / pattern) if pattern else ""
    flags = [x for key, value in options.items() for x in (f"--{key}", value)]
    code, out, err = run("study", data, "-m", "accuracy", *flags)
    with pytest.raises(WhichF1Error, match=words) as raised:
        wf.study(data, "accuracy", **options)
    assert isinstance(raised.value, InputError)
    assert code == 2 and out == "" and "Traceback" not in err
    assert err.split()[-6:] == f"whichf1: {raised.value}".split()[-6:]


@pytest.mark.parametrize("missing", ["complete", "all"])
def test_what_is_missing_is_a_choice_in_the_shell(missing: str, tmp_path: Path, run: Run) -> None:
    data = str(folder(tmp_path, A1=["x,0,0,1,1", *ROWS[1:]]) / PATTERN)
    code, out, _ = run("study", data, "--item", "item", "-m", "accuracy", "--missing", missing)
    assert code == 0 and f"missing:{missing}" in out.replace("\n  ", "")
    words = "Left out: 2 of 5 items, which some runs lack, such as 'a'."
    assert (words if missing == "complete" else "A, run 1 lacks 1 of 5") in " ".join(out.split())


def test_runs_that_are_left_out_are_named(tmp_path: Path, run: Run) -> None:
    data = folder(tmp_path)
    for name in ("A-3", "A-4"):
        (data / f"{name}.csv").write_text("\n".join([HEAD, *ROWS]) + "\n")
    flags = ("--item", "item", "-m", "accuracy", "--missing", "complete")
    _, out, _ = run("study", data / PATTERN, *flags)
    assert "2 runs that some systems lack (A, run 3; A, run 4)." in " ".join(out.split())
    (data / "A-4.csv").unlink()
    _, out, _ = run("study", data / PATTERN, *flags)
    assert "1 run that some systems lack (A, run 3)." in " ".join(out.split())


def test_items_with_and_without_names_do_not_match(tmp_path: Path, run: Run) -> None:
    data, saved = folder(tmp_path) / PATTERN, tmp_path / "study.json"
    run("study", data, "--item", "item", "--save", saved)
    code, _, err = run("study", saved, str(data).replace("{system}", "{model}"))
    words = "some runs are called 'a', those of others matched line by line, so they cannot be"
    assert code == 2 and words in " ".join(err.split()) and "(--item)" in err


def test_saved_studies_that_are_damaged_or_of_another_version(tmp_path: Path, run: Run) -> None:
    data, saved = str(folder(tmp_path) / PATTERN), tmp_path / "study.json"
    run("study", data, "--item", "item", "--save", saved)
    whole = saved.read_text()
    for text in (whole[: len(whole) // 2], whole[:-2], whole.replace('"version":', '"version":9')):
        assert text != whole
        saved.write_text(text)
        code, out, err = run("study", saved)
        assert code == 2 and out == "" and "is not a complete file" in err
    saved.write_text(whole)
    code, _, err = run("study", saved, data, "--item", "item")
    assert code == 2 and "appear twice in A, run 1" in err


def test_one_system_has_a_name_and_a_mean(tmp_path: Path, run: Run) -> None:
    code, out, _ = run(
        "study", folder(tmp_path) / "A-{seed}.csv", "--item", "item", "-m", "accuracy"
    )
    assert code == 0 and "pred" in out.splitlines()[3]
