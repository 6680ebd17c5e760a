"""Scores for a Trainer, without one: arrays as it gives them. tests/doors has real ones."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

import whichf1 as wf
from whichf1.errors import DefinitionError, InputError, LabelError, ShapeError
from whichf1.integrations.hugging_face import compute_metrics, evaluation_module

RNG = np.random.default_rng(6)
LOGITS = RNG.normal(size=(50, 3)).astype(np.float32)
TRUE = RNG.integers(0, 3, 50)
SETS = "multi_label_classification"


def test_values_are_plain_floats_that_json_takes() -> None:
    metrics = compute_metrics("averaged_f1", wf.mcc, "f1|avg:micro|undef:0|v:1", interval="auto")
    found = metrics(SimpleNamespace(predictions=(LOGITS, None), label_ids=TRUE))
    names = ["averaged_f1", "mcc", "f1"]
    assert [*found] == [f"{name}{end}" for name in names for end in ("", "_low", "_high")]
    assert {type(value) for value in found.values()} == {float} and json.dumps(found)
    expected = wf.averaged_f1(TRUE, LOGITS.argmax(1), labels=range(3))
    assert found["averaged_f1"] == metrics.scores["averaged_f1"].value == expected.value
    assert metrics((LOGITS, TRUE)) == found


def test_batches_give_the_same_as_all_at_once() -> None:
    names: Any = ("averaged_f1", {"auc": "roc_auc|avg:macro|v:1"}, "log_loss", "top_k_accuracy")
    metrics = compute_metrics(*names, labels=["a", "b", "c"])
    whole = metrics((LOGITS, TRUE))
    for at in (slice(0, 20), slice(20, 35)):
        batch = torch.tensor(LOGITS[at]), torch.tensor(TRUE[at])
        assert metrics(batch, compute_result=False) == {}
    assert metrics((LOGITS[35:], TRUE[35:]), compute_result=True) == whole
    assert metrics((LOGITS, TRUE)) == whole


@pytest.mark.parametrize("positive", [None, "no", "yes"])
def test_two_classes_are_ranked_by_probability(positive: Any) -> None:
    logits, true = LOGITS[:, :2], TRUE % 2
    options = {} if positive is None else {"positive": positive}
    area = wf.roc_auc.definition(**options)
    metrics = compute_metrics({"auc": area}, "log_loss", labels={1: "yes", 0: "no"})
    found = metrics((logits, true))
    assert found["auc"] == wf.roc_auc(true, logits[:, 1] - logits[:, 0].astype(float)).value
    shares = torch.tensor(logits).double().softmax(1).numpy()
    assert found["log_loss"] == pytest.approx(wf.log_loss(true, shares).value)
    single = compute_metrics({"auc": wf.roc_auc.definition()}, labels=["no", "yes"])
    with pytest.raises(InputError, match=r"threshold=0\.0"):
        single((logits[:, 1] * 5, true))
    single = compute_metrics("roc_auc", "log_loss", labels=["no", "yes"], threshold=0.0)
    assert single((logits[:, 1] * 5, true))["roc_auc"] == wf.roc_auc(true, logits[:, 1]).value


def test_tokens_and_classes() -> None:
    tokens = LOGITS[:48].reshape(8, 6, 3)
    true = np.where(RNG.random((8, 6)) < 0.4, -100, TRUE[:48].reshape(8, 6))
    kept = true != -100
    expected = wf.averaged_f1(true[kept], tokens.argmax(-1)[kept], labels=range(3)).value
    assert compute_metrics("averaged_f1")((tokens, true)) == {"averaged_f1": expected}
    guess = np.where(kept, tokens.argmax(-1), -100)
    metrics = compute_metrics("averaged_f1", labels=["a", "b", "c"])
    assert metrics((guess, true)) == {"averaged_f1": expected}
    assert metrics((guess, true.astype(np.int8))) == {"averaged_f1": expected}


def test_sets_of_labels() -> None:
    sets = RNG.integers(0, 2, LOGITS.shape).astype(np.float32)
    metrics = compute_metrics("micro_f1", "subset_accuracy", problem_type=SETS, threshold=0.3)
    counts = wf.count_multilabel(sets.astype(int), (LOGITS > 0.3).astype(int))
    found = metrics((LOGITS, sets))
    assert found["micro_f1"] == wf.micro_f1(counts).value
    assert found["subset_accuracy"] == wf.subset_accuracy(counts).value
    for bad in ((LOGITS, sets[:, :2]), (LOGITS[:, 0], sets[:, 0]), (LOGITS * np.nan, sets)):
        with pytest.raises(InputError):
            metrics(bad)


@pytest.mark.parametrize(
    ("batch", "error", "message"),
    [
        ((LOGITS, TRUE + 1), LabelError, "label_ids.*class 3"),
        ((LOGITS[:, :2], TRUE), ShapeError, "shape"),
        ((LOGITS * np.nan, TRUE), InputError, "NaN"),
        ((LOGITS.argmax(1) * 2, TRUE), LabelError, "predictions.*class 4"),
        ((LOGITS.argmax(1), TRUE), InputError, "computed from scores"),
        ((LOGITS, None), InputError, "EvalPrediction"),
        (3, InputError, "EvalPrediction"),
    ],
)
def test_bad_batches(batch: Any, error: Any, message: str) -> None:
    metrics = compute_metrics("accuracy", "log_loss", labels=["a", "b", "c"])
    expected = metrics((LOGITS, TRUE))
    metrics((LOGITS, TRUE), compute_result=False)
    with pytest.raises(error, match=message):
        metrics(batch)
    if batch != 3 and batch[1] is not None:
        assert metrics((LOGITS, TRUE)) == expected  # a new evaluation


def test_an_evaluation_without_items() -> None:
    metrics = compute_metrics("accuracy", "log_loss")
    with pytest.raises(InputError, match="every label was ignored"):
        metrics((LOGITS, np.full(50, -100)))
    metrics((LOGITS, np.full(50, -100)), compute_result=False)
    assert metrics((LOGITS, TRUE))["accuracy"] == wf.accuracy(TRUE, LOGITS.argmax(1)).value


def test_bad_options() -> None:
    cases: list[tuple[tuple[str, ...], dict[str, Any], str]] = [
        ((), {}, "which metrics"),
        (("f1",), {}, "which class"),
        (("averged_f1",), {}, "averaged_f1"),
        (("accuracy", "accuracy"), {}, "two scores"),
        (("subset_accuracy",), {}, "does not apply"),
        (("log_loss",), {"problem_type": SETS}, "does not apply"),
        (("accuracy",), {"problem_type": "regression"}, "one of single_label"),
    ]
    for metrics, options, message in cases:
        with pytest.raises(DefinitionError, match=message):
            compute_metrics(*metrics, **options)
    with pytest.raises(InputError, match="id2label"):
        compute_metrics("accuracy")((TRUE, TRUE))
    with pytest.raises(ImportError, match=r"whichf1\[evaluate\]"):
        evaluation_module("accuracy")
