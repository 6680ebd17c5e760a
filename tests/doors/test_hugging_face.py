"""Scores in a Trainer, which writes them down and resumes from them; modules of evaluate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import evaluate
import numpy as np
import pytest
import torch
from datasets import Dataset
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    BertForTokenClassification,
    Trainer,
    TrainingArguments,
)

import whichf1 as wf
from whichf1.integrations.hugging_face import compute_metrics, evaluation_module

NAMES = {0: "neg", 1: "neutral", 2: "pos"}
SIZE = {
    "vocab_size": 50,
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "num_labels": 3,
    "id2label": NAMES,
    "label2id": {name: at for at, name in NAMES.items()},
}
RNG = np.random.default_rng(4)
IDS = RNG.integers(0, 50, (40, 8))
CLASSES = RNG.integers(0, 3, 40)
TOKENS = RNG.integers(0, 3, (40, 8))
TOKENS[:, 5:] = -100
SETS = RNG.integers(0, 2, (40, 3)).astype(np.float32)


def trainer(folder: Path, model: Any, labels: Any, metrics: Any, **options: Any) -> Any:
    data = Dataset.from_dict({"input_ids": IDS, "labels": labels}).with_format("torch")
    arguments = TrainingArguments(
        **{
            "output_dir": str(folder),
            "num_train_epochs": 2,
            "per_device_train_batch_size": 8,
            "per_device_eval_batch_size": 16,
            "eval_strategy": "epoch",
            "save_strategy": "epoch",
            "report_to": [],
            "use_cpu": True,
            "disable_tqdm": True,
            "metric_for_best_model": "averaged_f1",
            "load_best_model_at_end": True,
            **options,
        }
    )
    sides = {"train_dataset": data, "eval_dataset": data}
    return Trainer(model=model, args=arguments, compute_metrics=metrics, **sides)


@pytest.mark.parametrize("by_batch", [False, True])
def test_a_run_is_scored_written_down_and_resumed(tmp_path: Path, by_batch: bool) -> None:
    area = wf.roc_auc.definition(average="macro")
    metrics = compute_metrics(
        "averaged_f1", "accuracy", {"auc": area}, "log_loss", labels=NAMES, interval="auto"
    )
    torch.manual_seed(1)
    model = BertForSequenceClassification(BertConfig(**SIZE, output_hidden_states=True))
    run = trainer(tmp_path, model, CLASSES, metrics, batch_eval_metrics=by_batch)
    run.train()
    found = run.evaluate()
    logits = model(torch.tensor(IDS)).logits.detach().numpy()
    truth = np.array([*NAMES.values()])[CLASSES]
    predicted = np.array([*NAMES.values()])[logits.argmax(1)]
    expected = wf.averaged_f1(truth, predicted, labels=[*NAMES.values()], interval="auto")
    assert type(found["eval_averaged_f1"]) is float
    assert found["eval_averaged_f1"] == expected.value == metrics.scores["averaged_f1"]
    assert expected.interval is not None
    assert found["eval_averaged_f1_low"] == pytest.approx(expected.interval.low)
    assert metrics.scores["averaged_f1"].signature == expected.signature
    shares = torch.tensor(logits, dtype=torch.float64).softmax(1).numpy()
    assert found["eval_auc"] == pytest.approx(
        wf.roc_auc(CLASSES, shares, average="macro", labels=range(3)).value
    )
    assert found["eval_log_loss"] == pytest.approx(wf.log_loss(CLASSES, shares).value)
    state = json.loads((tmp_path / "checkpoint-10" / "trainer_state.json").read_text())
    assert any("eval_averaged_f1" in line for line in state["log_history"])
    longer = trainer(tmp_path, model, CLASSES, metrics, num_train_epochs=3)
    longer.train(resume_from_checkpoint=str(tmp_path / "checkpoint-10"))
    assert longer.state.epoch == 3


def test_tokens_are_items_and_padding_is_none(tmp_path: Path) -> None:
    metrics = compute_metrics("averaged_f1", "accuracy", labels=NAMES)
    model = BertForTokenClassification(BertConfig(**SIZE))
    run = trainer(tmp_path, model, TOKENS, metrics, num_train_epochs=1)
    run.train()
    found = run.evaluate()
    guess = model(torch.tensor(IDS)).logits.argmax(-1).numpy()
    kept = TOKENS != -100
    expected = wf.averaged_f1(TOKENS[kept], guess[kept], labels=range(3))
    assert found["eval_averaged_f1"] == pytest.approx(expected.value)
    assert metrics.scores["accuracy"].n == kept.sum()


def test_sets_of_labels(tmp_path: Path) -> None:
    kind = "multi_label_classification"
    metrics = compute_metrics("averaged_f1", "micro_f1", labels=NAMES, problem_type=kind)
    model = BertForSequenceClassification(BertConfig(**SIZE, problem_type=kind))
    run = trainer(tmp_path, model, SETS, metrics, num_train_epochs=1)
    found = run.evaluate()
    guess = (model.eval()(torch.tensor(IDS)).logits > 0).int().numpy()
    counts = wf.count_multilabel(SETS.astype(int), guess, labels=[*NAMES.values()])
    assert found["eval_micro_f1"] == pytest.approx(wf.micro_f1(counts).value)


def test_a_module_of_evaluate() -> None:
    module = evaluation_module("averaged_f1", "accuracy", interval="auto")
    for batch in ([0, 1], [1, 1]), ([2, 0], [2, 0]):
        module.add_batch(predictions=batch[0], references=batch[1])
    found = module.compute()
    assert found["accuracy"] == 0.75 and found["accuracy_low"] < 0.75 < found["accuracy_high"]
    assert "averaged_f1: f1|avg:macro" in module.description
    both = evaluate.combine([evaluation_module("averaged_f1"), evaluation_module("mcc")])
    assert both.compute(predictions=[0, 1], references=[0, 1]) == {"averaged_f1": 1.0, "mcc": 1.0}
    text = evaluation_module("accuracy", labels=["a", "b"])
    assert text.compute(predictions=["a", "b"], references=["a", "a"]) == {"accuracy": 0.5}
    with pytest.raises(wf.errors.DefinitionError, match="computed from scores"):
        evaluation_module("roc_auc")
