"""Confusion matrices with names: in a file, or in a dataframe. Names decide, never the order."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import whichf1 as wf
from tests.helpers.commands import Run
from whichf1.errors import InputError, LabelError, ShapeError

NAMES: list[list[Any]] = [["cat", "dog", "a, b"], [0, 1, 2], [3, -1, 7], ["x", "1", "2"]]


@pytest.mark.parametrize("seed", range(8))
def test_names_decide_in_files_and_frames(seed: int, run: Run, tmp_path: Path) -> None:
    """Rows and columns in any order, as a file, pandas or polars, give the counts of the items."""
    rng = random.Random(seed)
    names, rows = NAMES[seed % 4], ("true", "predicted")[seed // 4]
    true, predicted = ([rng.choice(names) for _ in range(60)] for _ in range(2))
    counts = wf.count(true, predicted, labels=names)
    sides = (true, predicted) if rows == "true" else (predicted, true)
    table = pd.crosstab(pd.Series(sides[0], dtype=object), pd.Series(sides[1], dtype=object))
    table = table.reindex(index=names, columns=names, fill_value=0)
    frame = table.loc[rng.sample(names, 3), rng.sample(names, 3)]
    expected = counts.declare([*frame.index])
    options: dict[str, Any] = {"rows": rows}
    assert wf.Counts.from_matrix(frame, **options) == expected
    assert wf.Counts.from_matrix(frame, **options, labels=names) == counts
    texts = frame.set_axis([*map(str, frame.columns)], axis=1)  # as pandas reads a file
    assert wf.Counts.from_matrix(texts, **options) == expected
    assert wf.Counts.from_matrix(texts.reset_index(), **options) == expected
    assert wf.Counts.from_matrix(pl.from_pandas(texts.reset_index()), **options) == expected
    for mark, name in ((",", "cm.csv"), ("\t", "cm.tsv"), (";", "semi.csv")):
        frame.to_csv(tmp_path / name, sep=mark)
        code, out, err = run("matrix", tmp_path / name, "--rows", rows, "-f", "json")
        assert (code, err) == (0, "")
        found = {x["id"]: x["value"] for x in json.loads(out)["scores"]}
        assert found["macro_precision"] == wf.macro_precision(expected).value
        assert json.loads(out)["labels"] == [*expected.labels]
    code, out, _ = run("audit", "--matrix", tmp_path / "cm.csv", "--rows", rows, "--precision",
                       "0.5", "--recall", "0.5", "--f1", "0.5", "-f", "json")  # fmt: skip
    assert code == 0 and json.loads(out)["rows"][0]["classes"] == 3


def test_without_an_orientation_only_what_does_not_depend_on_it_is_scored(
    run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "cm.csv"
    path.write_text("true\\pred,a,b\nb,1,7\na,5,2\n")
    code, out, _ = run("matrix", path)
    assert code == 0 and "add --rows true or --rows predicted" in out
    assert "precision " not in out and "accuracy" in out and str(path) in out
    code, _, err = run("matrix", path, "-m", "macro_recall")
    assert code == 2 and "depends on what a row is" in err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has no rows"),
        (",a,b\n", "has no rows"),
        (",a,b\na,1,2\n", "1 row and 2 columns"),
        (",a,b\na,1,2\nc,3,4\n", "is only among the"),
        (",a,b\na,1,2\na,3,4\n", "declared twice"),
        (",a,b\na,1,2\nb,3\n", "row 3 ('b'): 1 count, but 2 columns"),
        ("a,b\n1,2\n3,4\n", "2 rows and 1 column of counts"),
        (",a,b\na,1,x\nb,3,4\n", "'x' is not a count"),
        (",a,b\na,1,-2\nb,3,4\n", "'-2' is not a count"),
        (",a,b\na,1,\nb,3,4\n", "'' is not a count"),
        (",a,b\na,0.5,1\nb,3,4\n", "'0.5' is not a count"),
        (",a,b,All\na,1,2,3\nb,3,4,7\nAll,4,6,10\n", "are the sums of the others"),
        (',a,b\na,1,"2\nb,3,4\n', "cannot read a matrix"),
    ],
)
def test_bad_matrices_are_refused(text: str, says: str, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "cm.csv"
    path.write_text(text)
    code, out, err = run("matrix", path, "--rows", "true")
    assert (code, out) == (2, "") and says in err
    assert run("matrix", tmp_path / "none.csv", "--rows", "true")[0] == 2


@pytest.mark.parametrize(
    ("frame", "error", "says"),
    [
        (pd.DataFrame([[1, 2], [3, 4]], index=["a", "b"], columns=["a", "c"]), LabelError, "only"),
        (pd.DataFrame([[1, 2], [3, 4]], index=["a", "b"]), LabelError, "rows are named"),
        (pd.DataFrame([[1, 2]], index=["a"], columns=["a", "b"]), LabelError, "rows are named"),
        (pd.DataFrame([[1, 2, 3, 4]], index=["a"]), ShapeError, "square"),
        (pl.DataFrame({"a": [1, 2], "b": [3, 4]}), ShapeError, "first column"),
        (pd.DataFrame([[0.5, 0.5], [0, 1]]), InputError, "whole numbers"),
        (
            pd.crosstab(np.array([0, 1, 1]), np.array([0, 1, 0]), margins=True),
            InputError,
            "mix types|sums of the others",
        ),
    ],
)
def test_bad_frames_are_refused(frame: Any, error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        wf.Counts.from_matrix(frame, rows="true")
    with pytest.raises(LabelError, match="not among the declared"):
        named = pd.DataFrame([[1, 2], [3, 4]], index=["a", "b"], columns=["b", "a"])
        wf.Counts.from_matrix(named, rows="true", labels=["a", "c"])
