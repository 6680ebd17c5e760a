"""Two processes of torch.distributed that each see a part of the data; prints what they compute."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.multiprocessing.spawn import start_processes

from whichf1.errors import InputError, MergeError
from whichf1.integrations import torchmetrics as doors

CLASSES = 3


def data() -> tuple[torch.Tensor, torch.Tensor]:
    """Logits and targets of all processes together; a few targets are padding."""
    chance = torch.Generator().manual_seed(5)
    target = torch.randint(0, CLASSES, (101,), generator=chance)
    logits = torch.randn(101, CLASSES, generator=chance)
    logits[torch.arange(101), target] += 1
    target[::9] = -100
    return logits, target


def metrics() -> dict[str, Any]:
    """A metric for each kind of state."""
    options: dict[str, Any] = {"num_classes": CLASSES, "ignore_index": -100}
    each = {**options, "average": "macro", "logits": True}
    return {
        "counts": doors.ScoreMetric("averaged_f1", **options),
        "items": doors.ScoreMetric("roc_auc", **each),
        "bins": doors.ScoreMetric("roc_auc", **each, thresholds=20),
        "sums": doors.ScoreMetric("log_loss", **options, logits=True),
    }


def main(rank: int, folder: str) -> None:
    """Compute what process ``rank`` sees, and write it down."""
    dist.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=2)
    logits, target = data()
    here = slice(0, 40) if rank == 0 else slice(40, 101)
    found: dict[str, Any] = {}
    for name, metric in metrics().items():
        metric.update(logits[here], target[here])
        own = metric.metric_state
        found[name] = [metric.compute().item(), metric.score().value]
        assert all(torch.equal(*pair) for pair in _pairs(own, metric.metric_state))
    alone = metrics()["items"]  # only one process has a batch
    if rank == 1:
        alone.update(logits, target)
    found["alone"] = [alone.compute().item(), alone.score().value]
    step = doors.AveragedF1(num_classes=CLASSES, ignore_index=-100, dist_sync_on_step=True)
    found["step"] = [step(logits[here], target[here]).item(), step.score().value]
    found["other classes"] = _refused(doors.Accuracy(num_classes=CLASSES + rank))
    found["other names"] = _refused(doors.Accuracy(labels=["a", "bc"[rank]]))
    found["no batch"] = _refused(doors.Accuracy(num_classes=2), None)
    Path(folder, f"{rank}.json").write_text(json.dumps(found))
    dist.destroy_process_group()


def _pairs(one: dict[str, Any], two: dict[str, Any]) -> list[tuple[torch.Tensor, torch.Tensor]]:
    states = [torch.cat(x) if isinstance(x, list) else x for x in (*one.values(), *two.values())]
    return [*zip(states[: len(one)], states[len(one) :], strict=True)]


def _refused(metric: Any, batch: list[int] | None = [0, 1]) -> list[str]:  # noqa: B006
    """The error of a metric that the processes cannot compute, and whether its state is its own."""
    if batch is not None:
        metric.update(torch.tensor(batch), torch.tensor(batch))
    before = metric.metric_state
    try:
        metric.score()
    except (InputError, MergeError) as error:
        same = all(torch.equal(*pair) for pair in _pairs(before, metric.metric_state))
        return [str(error), "unchanged" if same and not metric._is_synced else "changed"]
    return ["no error", ""]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["OMP_NUM_THREADS"] = "1"
        start_processes(main, (folder,), nprocs=2, start_method="fork")  # type: ignore[no-untyped-call]
        parts = [json.loads(Path(folder, f"{rank}.json").read_text()) for rank in range(2)]
    json.dump(parts, sys.stdout)
