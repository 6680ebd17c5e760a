"""``whichf1 agree``: wide and long files, saved ratings, every format, gates and errors."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import whichf1 as wf
from tests.helpers.commands import invoke

FILE = "examples/ratings.csv"
LONG = "task,who,grade\n1,a,low\n1,b,low\n2,a,mid\n2,b,high\n3,a,high\n3,b,high\n"


def test_a_wide_file_gives_what_python_gives() -> None:
    code, out, err = invoke("agree", FILE, "--format", "json")
    scores = {x["signature"].split("|")[0]: x["value"] for x in json.loads(out)["scores"]}
    assert (code, err) == (0, "")
    ratings = wf.ratings(FILE)
    assert scores["fleiss_kappa(weighting=none)"] == wf.fleiss_kappa(ratings).value
    assert len(scores) == 6


def test_a_long_file_and_saved_ratings(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text(LONG)
    columns = ("--item", "task", "--rater", "who", "--rating", "grade", "--labels", "low,mid,high")
    ordinal = ("-m", "krippendorff_alpha(level=ordinal)", "--format", "csv")
    code, out, _ = invoke("agree", str(path), *columns, *ordinal)
    assert code == 0
    (row,) = csv.DictReader(io.StringIO(out))
    table = wf.ratings(
        path, item="task", rater="who", rating="grade", labels=["low", "mid", "high"]
    )
    assert float(row["value"]) == wf.krippendorff_alpha(table, level="ordinal").value
    saved = tmp_path / "ratings.json"
    table.save(saved)
    assert invoke("agree", str(saved), *ordinal) == (0, out, "")


@pytest.mark.parametrize("format", ["text", "json", "markdown", "latex", "html", "csv"])
def test_every_format(format: str) -> None:
    code, out, err = invoke("agree", FILE, "--format", format)
    assert (code, err) == (0, "")
    assert "0.7612" in out or "0.76116" in out


def test_a_dash_is_explained(tmp_path: Path) -> None:
    """Kappa can be below -1 if an item has a single rating."""
    path = tmp_path / "x.csv"
    path.write_text("one,other\na,b\nb,a\n,a\n")
    code, out, _ = invoke("agree", str(path), "-m", "fleiss_kappa")
    assert code == 0 and "-1.2500" in out
    assert "is not between its bounds" in " ".join(out.split())


def test_a_single_category_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("one,other\na,a\na,a\n")
    out = " ".join(invoke("agree", str(path))[1].split())
    assert "Fleiss' kappa 0.0000" in out and "All ratings are 'a'." in out and "is 0/0" in out
    path.write_text("one,other\na,a\na,b\n")
    assert "All ratings" not in invoke("agree", str(path))[1]


def test_gates() -> None:
    assert invoke("agree", FILE, "--fail-under", "fleiss_kappa=0.5")[0] == 0
    code, _, err = invoke("agree", FILE, "--fail-under-low", "fleiss_kappa=0.5")
    assert code == 1
    assert "fleiss_kappa" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["examples/eight.csv", "--raters", "true"], "agreement needs two raters"),
        ([FILE, "--rater", "ann"], "which column has the ratings?"),
        ([FILE, "-m", "f1"], "ratings have neither"),
        ([FILE, "-m", "krippendorff_alpha(level=loose)"], "must be one of"),
        ([], "pass a file"),
    ],
)
def test_mistakes(arguments: list[str], message: str) -> None:
    code, out, err = invoke("agree", *arguments)
    assert (code, out) == (2, "")
    assert message in err
