"""Metrics of ``whichf1.integrations.torchmetrics`` beside those of torchmetrics.

``python -m benchmarks.metric_classes`` prints how many times as long torchmetrics takes for the
same call, and writes the table in docs/torch.md. Tables are measured empty and full, because an
update must not depend on what was added before.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from benchmarks.harness import duration
from benchmarks.sklearn_functions import seconds
from torchmetrics.classification import MulticlassConfusionMatrix, MulticlassF1Score

import whichf1 as wf
from whichf1.integrations.torchmetrics import AveragedF1

PAGE = Path(__file__).parents[1] / "docs" / "torch.md"
ITEMS, CLASSES, MANY = 256, (10, 1000), 1_000_000


def batch(classes: int, logits: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """Predictions and targets of a batch."""
    chance = torch.Generator().manual_seed(0)
    target = torch.randint(0, classes, (ITEMS,), generator=chance)
    if logits:
        return torch.randn(ITEMS, classes, generator=chance), target
    return torch.randint(0, classes, (ITEMS,), generator=chance), target


def again(metric: Any) -> Any:
    """The value of a metric, computed again."""
    metric._computed = None
    return metric.compute()


def calls(metric: Any, preds: torch.Tensor, target: torch.Tensor) -> dict[str, Callable[[], Any]]:
    """What a training loop calls."""
    metric.update(preds, target)
    return {
        "update": partial(metric.update, preds, target),
        "forward": partial(metric, preds, target),
        "compute": partial(again, metric),
    }


def fill(update: Callable[..., Any], classes: int) -> None:
    """Add a million items, so that no cell of a table is likely to stay empty."""
    chance = torch.Generator().manual_seed(1)
    update(*(torch.randint(0, classes, (MANY,), generator=chance) for _ in range(2)))


def accumulators(classes: int) -> dict[str, Callable[[], Any]]:
    """Updates of an Accumulator, and of a metric and an Accumulator whose tables are full."""
    preds, target = batch(classes, logits=False)
    empty, full = wf.Accumulator(labels=range(classes)), wf.Accumulator(labels=range(classes))
    metric = AveragedF1(num_classes=classes)
    fill(full.update, classes)
    fill(metric.update, classes)
    return {
        "`update`, classes, table full": partial(metric.update, preds, target),
        "`Accumulator.update`": partial(empty.update, target, preds),
        "`Accumulator.update`, table full": partial(full.update, target, preds),
    }


def line(work: str, call: Callable[[], Any], peers: list[Callable[[], Any]]) -> list[str]:
    """A line of the table; each peer takes turns with ours, so that none clears another's cache."""
    times = [seconds(call, peer) for peer in peers]
    ratios = [f"{x:.2g}" if x < 10 else f"{x:,.0f}" for x in (peer / took for took, peer in times)]
    shown = [work, duration(min(took for took, _ in times)), *ratios]
    print(*shown, flush=True)
    return shown


def rows() -> list[list[str]]:
    """How many times as long each peer takes, and the time of ours."""
    torch.set_num_threads(1)  # the least that a training loop leaves
    lines = [["call", "here", "F1", "F1, unchecked", "confusion matrix, unchecked"]]
    lines.append(["---", "--:", "--:", "--:", "--:"])
    for classes in CLASSES:
        metrics = (
            AveragedF1(num_classes=classes),
            MulticlassF1Score(classes, average="macro"),
            MulticlassF1Score(classes, average="macro", validate_args=False),
            MulticlassConfusionMatrix(classes, validate_args=False),
        )
        for what, logits in (("classes", False), ("logits", True)):
            several = [calls(metric, *batch(classes, logits)) for metric in metrics]
            for name in ("update", "forward", "compute") if not logits else ("update", "forward"):
                ours, *theirs = (each[name] for each in several)
                work = f"`{name}`, {what}" if name != "compute" else "`compute`"
                lines.append(line(f"{work}, {classes:,} classes", ours, theirs))
        peers = [calls(metric, *batch(classes, logits=False))["update"] for metric in metrics[1:]]
        for work, call in accumulators(classes).items():
            lines.append(line(f"{work}, {classes:,} classes", call, peers))
    return lines


if __name__ == "__main__":
    text = "".join(f"| {' | '.join(line)} |\n" for line in rows())
    if PAGE.exists():
        page = re.sub(r"\| call \|.*?\n(?!\|)", lambda _: text, PAGE.read_text(), flags=re.S)
        PAGE.write_text(page)
