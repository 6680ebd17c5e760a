"""``wf.report`` of scores is what ``whichf1 score`` prints of their columns."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import whichf1 as wf
from tests.helpers.commands import Run
from whichf1.errors import DefinitionError, InputError

SPAM = "examples/spam.csv"
PROBS = "examples/animal_probabilities.csv"
SPAM_COLUMNS = ("--true", "gold", "--score", "score", "--positive", "spam")
PROB_COLUMNS = ("--true", "gold", "--probs", "bird,cat,dog")


def cells(text: str) -> list[Any]:
    """The cells of CSV after the names, numbers to the digits that no order of items changes."""

    def cell(value: str) -> Any:
        try:
            return float(f"{float(value):.9g}")
        except ValueError:
            return value

    return [[cell(x) for x in row[1:]] for row in csv.reader(io.StringIO(text))]


def cases() -> dict[str, tuple[Any, tuple[str, ...]]]:
    """Each report in Python, and the command that prints it."""
    spam, probs = pd.read_csv(SPAM), pd.read_csv(PROBS)
    names = ["bird", "cat", "dog"]
    column: dict[str, Any] = {"true": "gold", "score": "score", "positive": "spam"}
    several: dict[str, Any] = {"true": "gold", "score": names}
    arrays: dict[str, Any] = {"scores": spam["score"], "positive": "spam"}
    ranking = wf.rank(spam["gold"], spam["score"], positive="spam")
    some = ("roc_auc", "ks")
    return {
        "arrays": (wf.report(spam["gold"], **arrays), (SPAM, *SPAM_COLUMNS)),
        "column of a frame": (wf.report(spam, **column), (SPAM, *SPAM_COLUMNS)),
        "column of a file": (wf.report(SPAM, **column), (SPAM, *SPAM_COLUMNS)),
        "ranking": (wf.report(ranking), (SPAM, *SPAM_COLUMNS)),
        "threshold": (
            wf.report(spam["gold"], **arrays, threshold=0.5),
            (SPAM, *SPAM_COLUMNS, "--threshold", "0.5"),
        ),
        "ranking with a threshold": (
            wf.report(ranking, threshold=0.5),
            (SPAM, *SPAM_COLUMNS, "--threshold", "0.5"),
        ),
        "metrics": (
            wf.report(spam["gold"], None, some, **arrays, interval=None),
            (SPAM, *SPAM_COLUMNS, "-m", some[0], "-m", some[1], "--interval", "none"),
        ),
        "probabilities": (
            wf.report(probs["gold"], scores=probs[names]),
            (PROBS, *PROB_COLUMNS),
        ),
        "columns of a frame": (wf.report(probs, **several), (PROBS, *PROB_COLUMNS)),
        "columns of a file": (wf.report(PROBS, **several), (PROBS, *PROB_COLUMNS)),
        "moments": (
            wf.report(wf.moments(probs["gold"], probs[names], "log_loss"), interval="delta"),
            (PROBS, *PROB_COLUMNS, "-m", "log_loss", "--interval", "delta"),
        ),
    }


CASES = cases()


@pytest.mark.parametrize("name", CASES)
def test_a_report_of_scores_is_what_the_command_prints(name: str, run: Run) -> None:
    report, command = CASES[name]
    code, out, err = run("score", *command, "-f", "csv")
    assert (code, err) == (0, "")
    assert cells(report.to_csv()) == cells(out) and len(report.scores) > 0


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: wf.report([0, 1], [0, 1], scores=[0.1, 0.2]), InputError, "instead of predict"),
        (lambda: wf.report([0, 1], [0, 1], threshold=0.5), InputError, "is for scores"),
        (
            lambda: wf.report([0, 1], scores=[[0.1, 0.9], [0.2, 0.8]], threshold=0.5),
            InputError,
            "one score per item",
        ),
        (lambda: wf.report(wf.rank([0, 1], [0, 1]), [0, 1]), InputError, "pass it alone"),
        (lambda: wf.report(wf.rank([0, 1], [0, 1]), None, ["f1"]), DefinitionError, "needs predic"),
        (lambda: wf.report([0, 1], scores=[0.1, 0.2], average="macro"), DefinitionError, "needs"),
        (lambda: wf.report(Path(SPAM), scores=[0.1]), InputError, "name columns with score="),
        (lambda: wf.report(["a", "b"], scores=[0.1, 0.2]), InputError, "which class do high"),
    ],
)
def test_reports_that_make_no_sense(call: Any, error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        call()
