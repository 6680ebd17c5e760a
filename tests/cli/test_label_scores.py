"""Scores of label sets on the command line: reports, slices, groups, counts, comparisons."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import whichf1 as wf
from tests.helpers.commands import invoke
from whichf1.metrics import EVERY

LABELS = ["rain", "snow", "fog"]
BITS = ("--true", "rain,snow,fog", "--probs", "p_rain,p_snow,p_fog")
CELLS = ("--true", "tags", "--labels-sep", ";", "--probs", "rain=p_rain,snow=p_snow,fog=p_fog")
SCORE = {x: f"p_{x}" for x in LABELS}


@pytest.fixture(scope="module")
def frame() -> Any:
    """Items with labels in columns and in cells, scores of two systems, a region and a weight."""
    rng, n = np.random.default_rng(3), 120
    true = rng.random((n, 3)) < [0.5, 0.3, 0.2]
    columns: dict[str, Any] = dict(zip(LABELS, true.T.astype(int), strict=True))
    for system, strength in (("p", 1.5), ("q", 0.5)):
        scores = 1 / (1 + np.exp(-(strength * true - 0.5 + rng.normal(size=(n, 3))))).round(2)
        columns |= {f"{system}_{x}": y for x, y in zip(LABELS, scores.T, strict=True)}
    columns["tags"] = [";".join(x for x, y in zip(LABELS, row, strict=True) if y) for row in true]
    return pd.DataFrame(
        {**columns, "region": rng.choice(["north", "south"], n), "w": 1 + true[:, 0]}
    )


@pytest.fixture(scope="module")
def file(frame: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("labels") / "items.csv"
    frame.to_csv(path, index=False)
    return str(path)


def shown(*arguments: object) -> Any:
    code, out, err = invoke(*arguments, "--format", "json")
    assert (code, err) == (0, "")
    return json.loads(out)


def failed(*arguments: object) -> str:
    code, _, err = invoke(*arguments)
    assert code == 2
    return err


@pytest.mark.parametrize("columns", [BITS, CELLS])
def test_the_report_has_what_python_gives(file: str, frame: Any, columns: Any) -> None:
    report = shown("score", file, *columns, "--threshold", 0.5)
    values = {x["signature"].split("|interval")[0]: x["value"] for x in report["scores"]}
    true, p = frame[LABELS].to_numpy(), frame[[*SCORE.values()]].to_numpy()
    for name in ("roc_auc", "average_precision"):
        each = [x["value"] for x in report["per_class"] if x["signature"].startswith(f"{name}|")]
        of_labels = getattr(wf, name).per_class(true, p)
        assert each == pytest.approx(of_labels.array)
        for average in ("macro", "micro"):
            ours = wf.score(true, p, name, average=average).value
            assert values[f"{name}|avg:{average}"] == pytest.approx(ours)
    for name in [x for x, metric in EVERY.items() if metric.kind == "label ranking" and x != "dcg"]:
        assert values[name] == pytest.approx(wf.score(true, p, name).value)
    decided = wf.count_multilabel(true, p, threshold=0.5, labels=LABELS)
    f1 = next(x for x in report["scores"] if x["signature"].startswith("f1|avg:macro|formula:av"))
    assert f1["value"] == wf.averaged_f1(decided).value and "score>=0.5" in f1["signature"]
    again = wf.report(frame, true="tags", sep=";", score=SCORE, threshold=0.5)
    arrays = wf.report(true, scores=p, labels=LABELS, threshold=0.5)
    for made in (again, arrays):
        assert [x.value for _, x in made.scores] == pytest.approx([*values.values()])


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html", "csv"])
def test_every_format(file: str, form: str) -> None:
    code, out, _ = invoke("score", file, *BITS, "--format", form, COLUMNS="80")
    assert code == 0 and "0.8" in out
    assert form != "text" or max(map(len, out.splitlines())) <= 80


def test_the_page(file: str, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    code, _, err = invoke("report", file, *BITS, "--by", "region", "--output", page)
    assert (code, err) == (0, "")
    assert "macro ROC AUC" in page.read_text() and "south" in page.read_text()
    wf.report([[1, 0], [0, 1]], scores=[[0.9, 0.1], [0.2, 0.7]]).save(page)
    assert "SHA-256" not in page.read_text()


def test_chosen_scores_and_gates(file: str, frame: Any) -> None:
    chosen = ("-m", "roc_auc", "-m", "log_loss", "--average", "samples", "--undefined", "skip")
    report = shown("score", file, *BITS, *chosen, "--weights", "w")
    named: Any = {"true": LABELS, "score": SCORE, "weights": "w", "average": "samples"}
    assert report["scores"][0]["value"] == wf.roc_auc(frame, undefined="skip", **named).value
    assert report["scores"][1]["value"] == pytest.approx(wf.log_loss(frame, **named).value)
    one = shown("score", file, *CELLS, "-m", "roc_auc", "--positive", "snow")
    assert one["scores"][0]["value"] == wf.roc_auc(frame["snow"], frame["p_snow"]).value
    gate = ("--average", "macro", "-m", "log_loss", "--fail-over", "log_loss=0.1")
    assert invoke("score", file, *BITS, *gate)[0] == 1


def test_slices_and_groups(file: str, frame: Any) -> None:
    for columns in (BITS, CELLS):
        usual = shown("score", file, *columns, "--by", "region")
        assert [x["name"] for x in usual["metrics"]] == ["macro ROC AUC", "macro average precision"]
        for row in usual["metrics"][0]["slices"]:
            part = frame[frame["region"] == row["slice"]["region"]]
            value = wf.roc_auc(part, true=LABELS, score=SCORE, average="macro").value
            assert row["value"] == pytest.approx(value)
    metric = ("-m", "brier", "--average", "macro", "--by", "region")
    groups = shown("groups", file, *BITS, *metric)
    found = wf.groups(frame, "brier", by="region", true=LABELS, score=SCORE, average="macro")
    assert groups["comparisons"][0]["across"][0]["value"] == pytest.approx(found.difference.value)
    arrays = wf.groups(
        frame[LABELS].to_numpy(),
        frame[[*SCORE.values()]].to_numpy(),
        "brier",
        by=frame["region"].to_numpy(),
        average="macro",
    )
    assert arrays.difference.value == pytest.approx(found.difference.value)


def test_what_is_counted_is_scored_later(file: str, frame: Any, tmp_path: Path) -> None:
    saved = tmp_path / "counted.json"
    assert invoke("count", file, *BITS, "-m", "ndcg", "--output", saved)[0] == 0
    mean = wf.ndcg(frame, true=LABELS, score=SCORE).value
    assert shown("score", saved)["scores"][0]["value"] == pytest.approx(mean)
    for by in ((), ("--by", "region")):
        assert invoke("count", file, *CELLS, "--threshold", 0.4, *by, "--output", saved)[0] == 0
        later = shown("score", saved, "-m", "subset_accuracy", "-m", "f1", "--average", "micro")
        now = shown(
            *("score", file, *BITS, "--threshold", 0.4, *by),
            *("-m", "subset_accuracy", "-m", "f1", "--average", "micro"),
        )
        key = "metrics" if by else "scores"
        assert later[key] == now[key]


def test_predicted_sets_in_columns_of_0_and_1(file: str, frame: Any, tmp_path: Path) -> None:
    for x in LABELS:
        frame[f"found_{x}"] = (frame[f"p_{x}"] >= 0.5).astype(int)
    path = tmp_path / "bits.csv"
    frame.to_csv(path, index=False)
    pairs = ",".join(f"{x}={x}" for x in LABELS)
    found = ",".join(f"found_{x}" for x in LABELS)
    report = shown("score", path, "--true", pairs, "--pred", found, "-m", "averaged_f1")
    guessed = frame[[*SCORE.values()]].to_numpy() >= 0.5
    decided = wf.count_multilabel(frame[LABELS].to_numpy(), guessed)
    assert report["scores"][0]["value"] == wf.averaged_f1(decided).value
    columns: Any = {"true": LABELS, "pred": found.split(",")}
    assert wf.averaged_f1(frame, **columns).value == wf.averaged_f1(decided).value
    slices = wf.count_by(frame, by="region", **columns)
    assert sum(part.n for part in slices.values()) == len(frame) == slices.whole.n


def test_comparisons(file: str, frame: Any) -> None:
    pair = ("--pred", "P=p_rain,p_snow,p_fog", "--pred", "Q=q_rain,q_snow,q_fog")
    systems = {s: [f"{s.lower()}_{x}" for x in LABELS] for s in "PQ"}
    asked = (*pair, "-m", "roc_auc", "--average", "macro", "--replicates", 99)
    bits = shown("compare", file, "--true", "rain,snow,fog", *asked)
    cells = ("--true", "tags", "--labels-sep", ";", "--labels", "rain,snow,fog")
    texts = shown("compare", file, *cells, *asked)
    python = wf.compare(frame, systems, "roc_auc", true=LABELS, average="macro", replicates=99)
    for each in (bits, texts):
        assert each["pairs"][0]["difference"] == pytest.approx(python.pairs[0].difference)
        assert each["pairs"][0]["p_value"] == pytest.approx(python.pairs[0].p_value)
    table = ("-m", "roc_auc", "-m", "log_loss", "-m", "ndcg", "--average", "macro")
    assert len(shown("compare", file, *cells, *pair, *table)["metrics"]) == 3


def test_mistakes(file: str) -> None:
    probs = ("--probs", "p_rain,p_snow,p_fog")
    cases: list[tuple[tuple[object, ...], str]] = [
        (("score", *BITS, "-m", "f1"), "f1 needs predictions"),
        (("score", "--true", "rain,snow", *probs), "2 columns of labels, score= 3 columns"),
        (("score", "--true", "rain=rain,snow", *probs), "LABEL=COLUMN for each label, or for none"),
        (("score", *BITS, "--labels-sep", ";"), "leave one of them out"),
        (("score", *CELLS[:4], "--probs", "rain=p_rain,snow=p_snow"), "'fog' is not among the"),
        (("score", "--true", "q_rain,q_snow,q_fog", *probs), "column for each label holds 0 and 1"),
        (("score", *BITS, "--score", "w"), "mutually exclusive"),
        (("score", "--true", "tags", *probs, "--threshold", 0.5), "the most probable is predicted"),
        (("count", *BITS), "what is counted of the scores of label sets?"),
        (("count", *BITS, "-m", "log_loss"), "no mean over items"),
        (("count", *BITS, "-m", "ndcg", "--weights", "w"), "over single items"),
        (("compare", "--true", "rain,snow,fog", "--pred", "A=p_rain,p_snow", "--pred", "p_fog"),
         "SYSTEM=COLUMN,COLUMN for each system"),
        (("compare", "--true", "rain,snow", "--pred", "A=a,b", "--pred", "A=c,d"), "named twice"),
    ]  # fmt: skip
    for (command, *rest), message in cases:
        assert message in failed(command, file, *rest), rest
