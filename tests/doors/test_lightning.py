"""A training loop of Lightning logs the metric itself, and gets the exact score of an epoch."""

from __future__ import annotations

from typing import Any

import lightning
import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

import whichf1 as wf
from whichf1.integrations.torchmetrics import AveragedF1, RocAuc

CHANCE = torch.Generator().manual_seed(7)
X = torch.randn(100, 4, generator=CHANCE)
Y = (X[:, 0] > 0).long() + (X[:, 1] > 0).long()


class Model(lightning.LightningModule):  # type: ignore[misc]
    """A linear classifier of three classes."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 3)
        self.train_f1 = AveragedF1(num_classes=3)
        self.f1 = AveragedF1(num_classes=3, ignore_index=-100)
        self.auc = RocAuc(num_classes=3, average="macro", logits=True)
        self.found: list[Any] = []

    def training_step(self, batch: Any, _: int) -> Any:
        """A step of training, which logs the score of the batch and of the epoch."""
        loss = torch.nn.functional.cross_entropy(self.layer(batch[0]), batch[1])
        self.train_f1(self.layer(batch[0]), batch[1])
        self.log("train_f1", self.train_f1, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch: Any, _: int) -> None:
        """A batch of the epoch that is scored."""
        for metric in (self.f1, self.auc):
            metric.update(self.layer(batch[0]), batch[1])
        self.log("f1", self.f1)
        self.log("auc", self.auc)

    def on_validation_epoch_end(self) -> None:
        """The Score beside the number."""
        self.found.append((self.f1.score(), self.layer(X.to(self.layer.weight.dtype)).argmax(1)))

    def configure_optimizers(self) -> Any:
        """Plain descent."""
        return torch.optim.SGD(self.parameters(), 0.1)


def trainer(**options: Any) -> Any:
    quiet = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False}
    return lightning.Trainer(**{**quiet, "max_epochs": 2, "accelerator": "cpu", **options})


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("precision", ["32-true", "bf16-true", "bf16-mixed"])
def test_an_epoch_has_the_exact_score(precision: Any) -> None:
    model, loader = Model(), DataLoader(TensorDataset(X, Y), batch_size=16)
    if precision == "bf16-true":
        loader = DataLoader(TensorDataset(X.bfloat16(), Y), batch_size=16)
    run = trainer(precision=precision, enable_model_summary=False)
    run.fit(model, loader, loader)
    score, predicted = model.found[-1]
    assert score.n == len(Y)  # without the batches of the sanity check
    rounding = 1e-2 if precision == "bf16-true" else 1e-6  # of what Lightning logs
    assert run.callback_metrics["f1"].item() == pytest.approx(score.value, rel=rounding)
    assert {"auc", "train_f1_epoch"} <= run.callback_metrics.keys()
    if precision == "32-true":
        assert score.value == wf.averaged_f1(Y.numpy(), predicted.numpy(), labels=range(3)).value
    assert model.f1.metric_state["rule"].dtype is torch.int64


@pytest.mark.filterwarnings("ignore")
def test_a_checkpoint_holds_the_counts_if_asked(tmp_path: Any) -> None:
    model, loader = Model(), DataLoader(TensorDataset(X, Y), batch_size=16)
    model.f1.persistent(True)
    run = trainer(default_root_dir=tmp_path)
    run.fit(model, loader)
    model.f1.update(Y, Y)
    torch.save(model.state_dict(), tmp_path / "model.pt")
    other = Model()
    other.f1.persistent(True)
    other.load_state_dict(torch.load(tmp_path / "model.pt"))
    assert other.f1.counts() == model.f1.counts()
