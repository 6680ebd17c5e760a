"""The command line on scores, probabilities and sets of labels, checked against the library."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from click.testing import CliRunner

import whichf1 as wf
from whichf1.cli import app
from whichf1.errors import WhichF1Error

RUNNER = CliRunner()
SPAM = [("ham", 0.1), ("ham", 0.4), ("spam", 0.35), ("spam", 0.8), ("ham", 0.8), ("spam", 0.9)]
ANIMALS = [
    ("cat", 0.7, 0.2, 0.1),
    ("dog", 0.2, 0.5, 0.3),
    ("fish", 0.1, 0.6, 0.3),
    ("fish", 0.2, 0.2, 0.6),
    ("cat", 0.4, 0.4, 0.2),
]
SETS = [("a;b", "a"), ("b", "b;c"), ("", ""), ("c ; a", "a;c")]


def write(path: Path, head: Any, rows: Any) -> Any:
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([head, *rows])
    return str(path)


@pytest.fixture
def spam(tmp_path: Path) -> Any:
    return write(tmp_path / "spam.csv", ["gold", "score"], SPAM)


@pytest.fixture
def animals(tmp_path: Path) -> Any:
    return write(tmp_path / "animals.csv", ["gold", "cat", "dog", "fish"], ANIMALS)


@pytest.fixture
def sets(tmp_path: Path) -> Any:
    return write(tmp_path / "sets.csv", ["gold", "pred"], SETS)


def run(*arguments: Any) -> Any:
    result = RUNNER.invoke(app, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def records(*arguments: Any) -> Any:
    found = json.loads(run(*arguments, "--format", "json"))
    return {each["signature"]: each["value"] for each in found["scores"] + found["per_class"]}


def test_scores(spam: str) -> None:
    y, s = (list(x) for x in zip(*SPAM, strict=True))
    found = records("score", spam, "--score", "score", "--positive", "spam", "--interval", "none")
    expected = [
        metric(y, s, positive="spam")
        for metric in (wf.roc_auc, wf.average_precision, wf.log_loss, wf.brier, wf.ece)
    ]
    assert found == pytest.approx({score.signature: score.value for score in expected})


def test_scores_at_a_threshold(spam: str) -> None:
    y, s = (list(x) for x in zip(*SPAM, strict=True))
    arguments = ("score", spam, "--score", "score", "--positive", "spam", "--threshold", "0.8")
    found = records(*arguments, "--interval", "none")
    counts = wf.at_threshold(y, s, 0.8, positive="spam")
    for score in (wf.averaged_f1(counts), wf.accuracy(counts), wf.recall(counts, positive="spam")):
        assert found[score.signature] == score.value
    assert sum("decision:\"'spam' if score>=0.8\"" in name for name in found) == 9 + 3 * 2
    only = records(*arguments, "-m", "f1", "-m", "roc_auc", "-m", "log_loss(floor=0.01)")
    assert [*only][1].startswith("log_loss(floor=0.01)")
    assert len(only) == 3


def test_scores_that_are_no_probabilities(tmp_path: Path) -> None:
    path = write(tmp_path / "s.csv", ["true", "s"], [(0, -3), (1, 2), (1, -3)])
    found = records("score", path, "--score", "s", "--interval", "none")
    assert [name.partition("|")[0] for name in found] == ["roc_auc", "average_precision"]
    assert next(iter(found.values())) == 0.75


def test_weighted_scores(tmp_path: Path) -> None:
    rows = [(0, 0.3, 2), (1, 0.2, 1), (1, 0.7, 3)]
    path = write(tmp_path / "w.csv", ["true", "score", "w"], rows)
    found = records("score", path, "--score", "score", "--weights", "w", "--interval", "none")
    assert next(iter(found.values())) == 0.75  # 3 of 4 by weight


@pytest.mark.parametrize(
    "probs", [["cat,dog,fish"], ["cat", "dog", "fish"], ["cat=cat,dog", "fish"]]
)
def test_probabilities(animals: str, probs: Any) -> None:
    y, p = [row[0] for row in ANIMALS], [row[1:] for row in ANIMALS]
    arguments = [each for text in probs for each in ("--probs", text)]
    found = records("score", animals, *arguments, "--interval", "none")
    names = ["cat", "dog", "fish"]
    for score in (
        wf.log_loss(y, p, labels=names),
        wf.brier(y, p, labels=names),
        wf.ece(y, p, labels=names),
        wf.top_k_accuracy(y, p, labels=names),
        wf.roc_auc(y, p, labels=names, average="macro", multi_class="ovr"),
        wf.roc_auc(y, p, labels=names, average="macro", multi_class="ovo"),
        wf.averaged_f1(wf.at_argmax(y, p, labels=names)),
    ):
        assert found[score.signature] == score.value


def test_columns_may_be_named_otherwise(tmp_path: Path) -> None:
    path = write(tmp_path / "p.csv", ["gold", "p0", "p1"], [(0, 0.4, 0.6), (1, 0.3, 0.7)])
    found = records("score", path, "--probs", "0=p0,1=p1", "--interval", "none")
    score = wf.log_loss([0, 1], [[0.4, 0.6], [0.3, 0.7]])
    assert found[score.signature] == score.value


def test_sets_of_labels(sets: str) -> None:
    true, predicted = (
        [{"a", "b"}, {"b"}, set(), {"a", "c"}],
        [{"a"}, {"b", "c"}, set(), {"a", "c"}],
    )
    counts = wf.count_multilabel(true, predicted)
    found = records("score", sets, "--labels-sep", ";", "--interval", "none")
    for score in (
        wf.averaged_f1(counts),
        wf.f1_of_averages(counts),
        wf.micro_f1(counts),
        wf.weighted_f1(counts),
        wf.f1(counts, average="samples"),
        wf.jaccard(counts, average="samples"),
        wf.subset_accuracy(counts),
        wf.hamming_loss(counts),
        wf.precision(counts, positive="b"),
    ):
        assert found[score.signature] == score.value
    one = records("score", sets, "--labels-sep", ";", "-m", "f1", "--average", "samples")
    assert len(one) == 1


@pytest.mark.parametrize("format", ["text", "json", "markdown", "latex", "csv"])
@pytest.mark.thinned(2)
def test_every_format_holds_the_signatures(format: str, spam: str, animals: str, sets: str) -> None:
    for arguments in (
        ("score", spam, "--score", "score", "--positive", "spam"),
        ("score", animals, "--probs", "cat,dog,fish"),
        ("score", sets, "--labels-sep", ";"),
    ):
        text = run(*arguments, "--format", format, "--signature", "full")
        assert text.replace(r"\allowbreak{}", "").count("v:1") >= 5


def test_floors(spam: str) -> None:
    arguments = ["score", spam, "--score", "score", "--positive", "spam", "--fail-under"]
    assert RUNNER.invoke(app, [*arguments, "roc_auc=0.5"]).exit_code == 0
    assert RUNNER.invoke(app, [*arguments, "roc_auc=0.99"]).exit_code == 1


def test_the_best_threshold(spam: str) -> None:
    y, s = (list(x) for x in zip(*SPAM, strict=True))
    best = wf.best_threshold(y, s, "f1", positive="spam")
    text = run("threshold", spam, "-m", "f1", "--positive", "spam")
    assert f"Best threshold: {best.threshold!r}" in text
    assert best.score.signature in " ".join(text.split())
    assert f"F1/2 = {best.value / 2:.4f}" in text
    found = json.loads(run("threshold", spam, "--positive", "spam", "--format", "json"))
    assert (found["threshold"], found["value"]) == (best.threshold, best.value)
    assert found["signature"] == best.score.signature
    assert [x["value"] for x in found["curve"]] == best.curve.value[: len(found["curve"])].tolist()
    assert all("decision" in x["signature"] for x in found["curve"])
    rows = list(
        csv.DictReader(io.StringIO(run("threshold", spam, "--positive", "spam", "-f", "csv")))
    )
    (marked,) = [row for row in rows if row["best"] == "1"]
    assert float(marked["value"]) == best.value and marked["signature"] == best.score.signature
    narrow = run("threshold", spam, "--positive", "spam", "--around", "0", "-f", "csv")
    assert len(narrow.splitlines()) == 2


@pytest.mark.parametrize(
    "metric", ["accuracy", "averaged_f1", "f_beta(beta=2)", "false_negative_rate"]
)
def test_the_best_threshold_of_other_metrics(spam: str, metric: str, tmp_path: Path) -> None:
    y, s = (list(x) for x in zip(*SPAM, strict=True))
    best = wf.best_threshold(y, s, metric, positive="spam")
    target = tmp_path / "out.txt"
    run("threshold", spam, "-m", metric, "--positive", "spam", "-o", str(target))
    assert best.score.signature in target.read_text()


@pytest.mark.parametrize(
    ("head", "rows", "arguments", "says"),
    [
        (["gold", "s"], [("a", 1)], ["--score", "t"], "has no column 't'"),
        (["gold", "s"], [("a", "x"), ("b", 2)], ["--score", "s"], r"item 1 \('x'\)"),
        (["gold", "s"], [("a", 1), ("b", "nan")], ["--score", "s"], r"item 2 \('nan'\)"),
        (["gold", "s"], [("a", 1), ("b", "")], ["--score", "s"], "is item 2"),
        (["gold", "s"], [("a", 1), ("b", 2)], ["--score", "s"], "--positive"),
        (["gold", "s"], [("a", 1), ("b", 2)], ["--score", "s", "--positive", "c"], "no class 'c'"),
        (["gold", "s"], [(1, 1), (1, 2)], ["--score", "s"], "there is no item of another"),
        (["x", "s"], [(1, 1), (0, 2)], ["--score", "s"], "Name the two: --true"),
        (["gold", "s"], [], ["--score", "s"], "no items"),
        (["gold", "s"], [(1, 1), (0, 2)], ["--threshold", "1"], "--score"),
        (["gold", "s"], [(1, 1), (0, 2)], ["--score", "s", "--pred", "s"], "choose one"),
        (["gold", "s"], [(1, 1), (0, 2)], ["--score", "s", "-m", "f1"], "needs predictions"),
        (["gold", "a", "b"], [("a", 0.5, 0.5)], ["--probs", "a,c"], "no column 'c'"),
        (["gold", "a", "b"], [("c", 0.5, 0.5)], ["--probs", "a,b"], "class 'c', which has"),
        (
            ["gold", "a", "b"],
            [("a", 0.5, 0.9)],
            ["--probs", "a,b"],
            "not a distribution in 1 of its 1 item; the first is item 1 \\('0.5, 0.9'\\)",
        ),
        (["gold", "a", "b"], [("a", 1.5, -0.5)], ["--probs", "a,b"], "must be in"),
        (["gold", "a", "b"], [("a", 1, 0)], ["--probs", "a"], "a column for each class"),
        (["gold", "a"], [("a", 1)], ["--probs", "a,b", "--labels", "a,c"], "not one of --labels"),
        (["gold", "a"], [("a", 1)], ["--probs", "a,a"], "twice"),
        (["gold", "pred"], [("a;;b", "a")], ["--labels-sep", ";"], "an empty label"),
        (["gold", "pred"], [("a;a", "a")], ["--labels-sep", ";"], "a label twice"),
        (["gold", "pred"], [("a", "b")], ["--labels-sep", ";", "--score", "x"], "choose one"),
        (["gold", "pred"], [("a", "b")], ["--labels-sep", ";", "-m", "mcc"], "sets of labels"),
        (["gold", "pred"], [("a", "b")], ["-m", "roc_auc"], "computed from scores"),
    ],
)
def test_bad_files(tmp_path: Path, head: Any, rows: Any, arguments: Any, says: str) -> None:
    path = write(tmp_path / "bad.csv", head, rows)
    with pytest.raises(WhichF1Error, match=says):
        run("score", path, *arguments)


def test_threshold_prints_tables_for_papers_and_pages(spam: str) -> None:
    latex = run("threshold", spam, "--positive", "spam", "--format", "latex")
    assert latex.count(r"\toprule") == 1 and latex.count(r"\end{table}") == 1
    page = run("threshold", spam, "--positive", "spam", "--format", "markdown", "--around", "0")
    best = json.loads(run("threshold", spam, "--positive", "spam", "--format", "json"))
    assert [line for line in page.splitlines() if line.startswith(f"| {best['threshold']!r} |")]


def test_every_array_type_is_taken() -> None:
    y, s = [0, 1, 1, 0], [0.2, 0.7, 0.4, 0.4]
    value = wf.roc_auc(y, s)
    for make in (np.array, pd.Series, torch.tensor, tuple):
        assert wf.roc_auc(make(y), make(s)) == value
    assert wf.roc_auc([bool(t) for t in y], s).value == value.value
    assert wf.roc_auc(np.array(y, float), np.array(s, np.float32)).value == value.value
    p = [[0.2, 0.8], [0.6, 0.4]]
    for make in (np.array, pd.DataFrame, torch.tensor):
        assert wf.log_loss([1, 0], make(p)).value == pytest.approx(wf.log_loss([1, 0], p).value)


def test_a_signature_says_which_class_scores_are_of(tmp_path: Path) -> None:
    path = write(
        tmp_path / "s.csv", ["y", "s"], [(0, 0.1), (0, 0.4), (1, 0.35), (1, 0.8), (0, 0.2)]
    )
    for text, value in (("0", 1 / 6), ("1", 5 / 6)):
        found = records("score", path, "--true", "y", "--score", "s", "-m",
                        f"roc_auc|positive:{text}|v:1")  # fmt: skip
        ((signature, got),) = found.items()
        assert got == pytest.approx(value) and f"positive:{text}" in signature
    both = ["-m", "roc_auc|positive:0|v:1", "-m", "roc_auc|positive:1|v:1"]
    with pytest.raises(WhichF1Error, match="for one class"):
        run("score", path, "--true", "y", "--score", "s", *both)
    with pytest.raises(WhichF1Error, match="'a'"):
        run("score", path, "--true", "y", "--score", "s", "-m", 'roc_auc|positive:"a"|v:1')


def test_weighted_decisions_have_the_intervals_of_their_predictions() -> None:
    rng = np.random.default_rng(4)
    y, w = rng.integers(0, 2, 80), rng.integers(1, 4, 80) / 2
    s = y * 0.4 + rng.random(80)
    decided = wf.at_threshold(y, s, 0.7, weights=w)
    predicted = wf.count(y, (s >= 0.7).astype(int), weights=w)
    both = np.column_stack([1 - s, s - 0.4])
    best = wf.at_argmax(y, both, weights=w)
    for counts, same in (
        (decided, predicted),
        (best, wf.count(y, both.argmax(1), labels=[0, 1], weights=w)),
    ):
        ours, twin = (wf.averaged_f1(x, interval="delta") for x in (counts, same))
        assert ours.interval == twin.interval and ours.interval is not None


def test_columns_named_like_the_classes_in_another_order() -> None:
    frame = pd.DataFrame({"t": ["a", "b"], "a": [0.9, 0.2], "b": [0.1, 0.8]})
    right = wf.log_loss(frame, true="t", score=["b", "a"])
    assert right.value == wf.log_loss(frame, true="t", score=["a", "b"]).value
    with pytest.raises(WhichF1Error, match="different order"):
        wf.log_loss(frame, true="t", score=["b", "a"], labels=["a", "b"])


def test_what_newcomers_tripped_over() -> None:
    loose: Any = wf  # for calls that the types forbid
    weighted = wf.roc_auc([0, 1, 1, 0], [0.1, 0.4, 0.3, 0.3], weights=[1, 2, 1, 1])
    assert "weighted:true" in weighted.signature
    class_wise = wf.expected_calibration_error([0, 1], [[0.7, 0.3], [0.4, 0.6]], average="macro")
    assert class_wise == pytest.approx(0.35) and "avg:macro" in class_wise.signature
    with pytest.raises(WhichF1Error, match="omit average=, which is for sets"):
        loose.log_loss([0, 1], [[0.7, 0.3], [0.4, 0.6]], average="macro")
    with pytest.raises(WhichF1Error, match=r"beyond 2\*\*53"):
        wf.roc_auc([0, 1, 1, 0], np.array([2**53, 2**53 + 1, 2**53 + 1, 2**53]))
    twins = pd.DataFrame([[1, 1, 2, 2]], columns=["y", "p", "z", "z"])
    with pytest.raises(WhichF1Error, match="cannot read this frame"):
        wf.accuracy(twins, true="y", pred="p")
    with pytest.raises(WhichF1Error, match="by text"):
        loose.accuracy(pd.DataFrame([[1, 1], [2, 1]]), true=0, pred=1)
