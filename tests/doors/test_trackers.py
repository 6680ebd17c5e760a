"""Scores in a real store of MLflow, and in an offline run of Weights & Biases."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mlflow
import pandas as pd
import pytest
import wandb
from sklearn.linear_model import LogisticRegression

import whichf1 as wf
from whichf1.errors import DefinitionError, InputError
from whichf1.integrations import mlflow as to_mlflow
from whichf1.integrations import wandb as to_wandb

TRUE = ["cat", "dog", "dog", "bird", "cat", "dog", "bird", "cat"]
PRED = ["cat", "dog", "cat", "dog", "cat", "dog", "bird", "cat"]
COUNTS = wf.count(TRUE, PRED)
SCORES = [wf.averaged_f1(COUNTS, interval="auto"), wf.mcc(COUNTS)]


def interval_of(score: wf.Score) -> wf.Interval:
    assert score.interval is not None
    return score.interval


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("mlflow")
    mlflow.set_tracking_uri(f"sqlite:///{folder}/runs.db")
    mlflow.create_experiment("scores", artifact_location=(folder / "artifacts").as_uri())
    mlflow.set_experiment("scores")
    yield mlflow.MlflowClient()
    mlflow.set_tracking_uri("")


@pytest.mark.filterwarnings("ignore")
def test_mlflow_stores_values_signatures_and_files(store: Any, tmp_path: Path) -> None:
    report = wf.report(COUNTS)
    with mlflow.start_run() as run:
        logged = to_mlflow.log(
            {"macro F1 (averaged)": SCORES[0], "mcc": SCORES[1]},
            step=3,
            prefix="val/",
            report=report,
            pictures={"confusion": COUNTS, "again": wf.picture(COUNTS)},
        )
    known = store.get_run(run.info.run_id).data
    assert known.metrics == logged
    name = "val/macro F1 _averaged"
    low, high = interval_of(SCORES[0]).low, interval_of(SCORES[0]).high
    assert known.metrics[name] == SCORES[0].value
    assert (known.metrics[f"{name}_low"], known.metrics[f"{name}_high"]) == (low, high)
    assert known.tags[f"{name}.signature"] == SCORES[0].signature
    assert store.get_metric_history(run.info.run_id, "val/mcc")[0].step == 3
    found = mlflow.artifacts.download_artifacts(run_id=run.info.run_id, dst_path=str(tmp_path))
    place = Path(found, "whichf1", "val")
    assert {x.name for x in place.iterdir()} == {
        "scores.json",
        "report.html",
        "confusion.png",
        "again.png",
    }
    saved = json.loads((place / "scores.json").read_text())
    assert saved["mcc"]["signature"] == SCORES[1].signature
    assert "averaged F1" in (place / "report.html").read_text()
    assert (place / "confusion.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.filterwarnings("ignore")
def test_mlflow_takes_reports_classes_and_what_is_not_finite(store: Any) -> None:
    perfect = wf.positive_likelihood_ratio([0, 1], [0, 1], positive=1)
    many = wf.accuracy(COUNTS, interval="auto")
    nan = wf.precision([0, 0, 1], [0, 0, 0], positive=1, undefined="nan")
    with mlflow.start_run() as run:
        to_mlflow.log({"ratio": perfect, "nothing": nan, "of": wf.recall.per_class(COUNTS)})
        to_mlflow.log(wf.report(COUNTS), prefix="report_")
        to_mlflow.log(wf.macro_f1(COUNTS))
        to_mlflow.log(many)
    known = store.get_run(run.info.run_id).data
    assert "ratio" not in known.metrics and known.tags["ratio.value"] == "inf"
    assert known.metrics["nothing"] != known.metrics["nothing"]
    assert known.metrics["of.recall.dog"] == pytest.approx(2 / 3)
    assert known.metrics["averaged_f1"] == wf.averaged_f1(COUNTS).value
    assert known.metrics["report_accuracy"] == 0.75 == known.metrics["accuracy"]
    with mlflow.start_run() as run, pytest.raises(DefinitionError, match="two scores"):
        to_mlflow.log([SCORES[0], wf.micro_f1(COUNTS)])
    with mlflow.start_run() as run, pytest.raises(InputError, match="no picture"):
        to_mlflow.log(SCORES[0], pictures={"x": 3})
    assert store.get_run(run.info.run_id).data.metrics == {}
    for wrong in (0.5, "accuracy", {"a": 0.5}, [None]):
        with pytest.raises(InputError):
            to_mlflow.log(wrong)


@pytest.mark.filterwarnings("ignore")
def test_mlflow_evaluates_a_model_with_our_metric(store: Any) -> None:
    frame = pd.DataFrame({"x": range(40), "y": [0] * 25 + [1] * 15})
    model = LogisticRegression().fit(frame[["x"]], frame["y"])
    metrics = [
        to_mlflow.make_metric("averaged_f1", interval="auto"),
        to_mlflow.make_metric("recall", name="found", positive=1),
        to_mlflow.make_metric("error_rate"),
        to_mlflow.make_metric("cohen_kappa", undefined="nan"),
    ]
    frame["guess"] = model.predict(frame[["x"]])
    frame.loc[0, "guess"] = 1
    with mlflow.start_run():
        found = mlflow.models.evaluate(
            data=frame, targets="y", predictions="guess", extra_metrics=metrics
        ).metrics
    expected = wf.averaged_f1(frame["y"], frame["guess"], interval="auto")
    assert found["averaged_f1"] == expected.value
    assert found["averaged_f1/low"] == interval_of(expected).low
    assert found["found"] == 1 and found["error_rate"] == 1 / 40
    assert not metrics[2].greater_is_better
    for name in ("prevalence|positive:1|undef:0|v:1", "f1", "averged_f1"):
        with pytest.raises(DefinitionError):
            to_mlflow.make_metric(name)


def records(data: bytes) -> Iterator[bytes]:
    """The records of the file of an offline run, which is a log of LevelDB after 7 bytes.

    A block has 32 KiB; a record in it has a checksum, its length (2 bytes), and whether it is
    whole (1), a first part (2), a middle part (3) or the last one (4).
    """
    at, parts = 7, b""
    while at + 7 <= len(data):
        if 32768 - at % 32768 < 7:
            at += 32768 - at % 32768
            continue
        size, kind = int.from_bytes(data[at + 4 : at + 6], "little"), data[at + 6]
        parts += data[at + 7 : at + 7 + size]
        at += 7 + size
        if kind in (1, 4):
            yield parts
            parts = b""


def read_back(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The history and the summary in the file of an offline run."""
    from wandb.proto import wandb_internal_pb2

    history: dict[str, Any] = {}
    summary: dict[str, Any] = {}
    for data in records(next(folder.glob("**/run-*.wandb")).read_bytes()):
        record = wandb_internal_pb2.Record()
        record.ParseFromString(data)
        for item in record.history.item:
            history[item.key or ".".join(item.nested_key)] = json.loads(item.value_json)
        for item in record.summary.update:
            summary[item.key or ".".join(item.nested_key)] = json.loads(item.value_json)
    return history, summary


@pytest.mark.filterwarnings("ignore")
def test_weights_and_biases_offline(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"wandb\.init"):
        to_wandb.log(SCORES)
    settings = wandb.Settings(silent=True)
    run = wandb.init(mode="offline", dir=str(tmp_path), project="scores", settings=settings)
    logged = to_wandb.log(
        SCORES, step=2, prefix="val/", report=wf.report(COUNTS), pictures={"confusion": COUNTS}
    )
    run.finish()
    wandb.teardown()  # its process writes the file until it ends
    history, summary = read_back(tmp_path)
    assert {name: history[name] for name in logged} == logged
    assert logged["val/f1"] == SCORES[0].value and "val/f1_low" in logged
    assert history["_step"] == 2
    assert summary["val/f1.signature"] == SCORES[0].signature
    assert history["val/report._type"] == "html-file"
    assert history["val/confusion._type"] == "image-file"
