"""Predictions made by --threshold: --positive is the class of the scores, whatever the metric."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import whichf1 as wf
from tests.helpers.commands import Run
from whichf1.definitions.definition import define
from whichf1.metrics import EVERY

SPAM = "examples/spam.csv"
OF_SPAM = ("--score", "score", "--positive", "spam", "--threshold", "0.5")
COUNTED = sorted(
    name
    for name, metric in EVERY.items()
    if metric.kind in ("rate", "agreement") and "parents" not in metric.parameters
)
AVERAGED = ("averaged_f1", "f1_of_averages", "micro_f1", "weighted_f1", "macro_recall")


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The examples as predictions, with a group for each."""
    path = tmp_path_factory.mktemp("decided") / "spam.csv"
    rows = [row.split(",") for row in Path(SPAM).read_text().split()[1:]]
    lines = [
        f"{true},{score},{'spam' if float(score) >= 0.5 else 'ham'},{'xy'[at % 2]}"
        for at, (true, score) in enumerate(rows)
    ]
    path.write_text("gold,score,pred,group\n" + "\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("name", [*COUNTED, *AVERAGED])
def test_every_metric_of_predictions_takes_a_threshold(run: Run, decided: Path, name: str) -> None:
    """A rate is of the positive class; other metrics are of all classes."""
    definition = define(name)
    of_one = definition.declaration.kind == "rate" and definition.average is None
    how = ("--interval", "none", "-m", name, "--format", "json")
    code, out, err = run("score", decided, *OF_SPAM, *how)
    positive = ("--positive", "spam") if of_one else ()
    assert (code, err) == (0, "")
    plain = run("score", decided, "--pred", "pred", *positive, *how)
    ((ours, theirs),) = zip(*(json.loads(x)["scores"] for x in (out, plain[1])), strict=True)
    assert ours["value"] == theirs["value"]


@pytest.mark.parametrize("metric", ["averaged_f1", "accuracy", "mcc", "f1", "f1|avg:macro|v:1"])
def test_all_ways_to_score_decisions_take_the_same_options(
    run: Run, decided: Path, metric: str, tmp_path: Path
) -> None:
    """Slices, groups, pages, gates and Python as the plain report."""
    asked = (decided, *OF_SPAM, "-m", metric)
    for command in (
        ("score", *asked, "--by", "group"),
        ("groups", *asked, "--by", "group"),
        ("report", *asked, "-o", tmp_path / "page.html"),
        ("score", decided, *OF_SPAM, "--fail-under", f"{metric}=0.1"),
        ("score", *asked, "--average", "macro") if metric == "f1" else ("score", *asked),
    ):
        code, _, err = run(*command)
        assert (code, err) == (0, ""), command
    rows = [row.split(",") for row in decided.read_text().split()[1:]]
    true, text, pred, group = (list(x) for x in zip(*rows, strict=True))
    one: Any = {"positive": "spam"}
    scores = [float(x) for x in text]
    made = wf.report(true, metrics=[metric], scores=scores, threshold=0.5, **one, interval=None)
    only: Any = one if metric == "f1" else {}
    assert made.scores[0][1].value == wf.report(true, pred, [metric], **only).scores[0][1].value
    found: Any = wf.groups(true, scores, metric, by=group, threshold=0.5, **one)
    same: Any = wf.groups(true, pred, metric, by=group, **only)
    assert (found.worst.value, found.worst.groups) == (same.worst.value, same.worst.groups)


def test_predictions_still_refuse_a_class_that_no_metric_is_of(run: Run, decided: Path) -> None:
    """Without scores, --positive selects the class of a metric."""
    for metric, why in (("averaged_f1", "covers all. Choose one"), ("mcc", "does not apply")):
        code, _, err = run("score", decided, "--pred", "pred", "--positive", "spam", "-m", metric)
        assert code == 2
        assert why in err


@pytest.mark.parametrize("more", [(), ("--threshold", "0.6"), ("-m", "roc_auc")])
def test_a_report_says_why_it_leaves_out_losses(
    run: Run, tmp_path: Path, more: tuple[str, ...]
) -> None:
    """If scores are no probabilities and no metrics were named; a page says it, too."""
    path, page, said = tmp_path / "scores.csv", tmp_path / "page.html", "are outside [0, 1]"
    for highest, expected in (("1.2", "-m" not in more), ("1", False)):
        path.write_text(f"gold,p_hat\na,0.5\nb,{highest}\na,0.3\nb,0.7\n")
        given = (path, "--score", "p_hat", "--positive", "b", *more)
        code, out, _ = run("score", *given)
        assert code == 0 and (said in out) == expected
        run("report", *given, "-o", page)
        assert (said in page.read_text()) == expected
        assert ("log loss" in out) == (not more or expected or more[0] == "--threshold")


def test_dialects_of_a_file_do_not_ask_for_arrays(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text("gold,pred\na,a\nb,a\na,a\nb,b\n")
    code, out, _ = run("dialects", path)
    assert code == 0 and "mxnet does not apply: a mean over batches of 32 items needs the" in out
    assert "y_true" not in out
