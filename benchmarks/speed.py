"""The speed table: ``make bench`` prints it and writes RESULTS.md.

To add a row, add a Row to ROWS. With ``--slow``, rows with slow peers are measured instead.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import torch
import torchmetrics.functional.classification as tm
from benchmarks.harness import (
    Disagreement,
    Line,
    Row,
    chosen,
    duration,
    machine,
    measure,
    table,
    write_results,
    write_section,
)
from sklearn import metrics as sk
from torchmetrics.classification import MulticlassConfusionMatrix

import whichf1 as wf
from whichf1 import kernel
from whichf1.reporting.score import Report

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
MILLION = 10**6
SK, SUMS = "scikit-learn", "y.sum() + p.sum()"
TM, TM_UNCHECKED = "torchmetrics", "torchmetrics, validate_args=False"
STARTS = 9
"""How often each fresh process is started."""


def labels(n: int, classes: int, dtype: Any = np.int64) -> tuple[Array, Array]:
    """True classes, and predictions of which about seven in ten are right."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, classes, n).astype(dtype)
    guess = rng.integers(0, classes, n).astype(dtype)
    return true, np.where(rng.random(n) < 0.7, true, guess)


def words(n: int, container: Any) -> tuple[Any, Any]:
    """Ten words as CSV readers give them: equal strings are mostly different objects."""
    names = np.array(["cat", "dog", "horse", "mouse", "bird", "fish", "cow", "pig", "hen", "fox"])
    true, predicted = labels(n, 10)
    return container(names[true].tolist()), container(names[predicted].tolist())


def objects(items: list[str]) -> Array:
    """A list as an array of Python objects."""
    array = np.empty(len(items), object)
    array[:] = items
    return array


def scored(n: int) -> tuple[Array, Array]:
    """Whether an item is positive, and a score that correlates with it."""
    rng = np.random.default_rng(1)
    positive = rng.random(n) < 0.3
    return positive.astype(np.int64), rng.normal(size=n) + positive


def probabilities(n: int) -> tuple[Array, Array]:
    """True classes and a distribution over ten classes for each item."""
    rng = np.random.default_rng(2)
    scores = rng.random((n, 10)) + 0.01
    return rng.integers(0, 10, n), scores / scores.sum(1, keepdims=True)


def sklearn_f1(true: Any, predicted: Any) -> float:
    return float(sk.f1_score(true, predicted, average="macro", zero_division=0))


def torch_f1(true: Array, predicted: Array, **options: Any) -> torch.Tensor:
    left, right = torch.from_numpy(predicted), torch.from_numpy(true)
    return tm.multiclass_f1_score(left, right, num_classes=10, average="macro", **options)


def both_sums(true: Array, predicted: Array) -> int:
    return int(true.sum() + predicted.sum())


def torch_roc(true: Array, scores: Array, **options: Any) -> torch.Tensor:
    return tm.binary_auroc(torch.from_numpy(scores), torch.from_numpy(true), **options)


def torch_ap(true: Array, scores: Array, **options: Any) -> torch.Tensor:
    left, right = torch.from_numpy(scores), torch.from_numpy(true)
    return tm.binary_average_precision(left, right, **options)


def torchmetrics(call: Any) -> dict[str, Any]:
    """The peer with its defaults, and without its checks of the labels."""
    return {TM: call, TM_UNCHECKED: partial(call, validate_args=False)}


def our_report(true: Array, predicted: Array) -> float:
    """Everything that ``whichf1 score`` prints, with its intervals."""
    report = Report.of("arrays", wf.count(true, predicted), {"interval": "delta"})
    return report.scores[0][1].value


def sklearn_report(true: Array, predicted: Array) -> float:
    report = sk.classification_report(true, predicted, output_dict=True)
    return float(report["macro avg"]["f1-score"])


def tensors(classes: int) -> tuple[torch.Tensor, torch.Tensor]:
    """A batch of a training loop."""
    true, predicted = labels(256, classes)
    return torch.from_numpy(true), torch.from_numpy(predicted)


def updates(classes: int) -> tuple[Any, dict[str, Any]]:
    """Our update of an accumulator, and that of torchmetrics' confusion matrix."""
    acc = wf.Accumulator(labels=range(classes))

    def theirs(**options: Any) -> Any:
        metric = MulticlassConfusionMatrix(classes, **options)
        return lambda true, predicted: metric.update(predicted, true)

    return acc.update, {TM: theirs(), TM_UNCHECKED: theirs(validate_args=False)}


def update_row(classes: int) -> Row:
    """A batch of 256 added to what was counted before."""
    ours, peers = updates(classes)
    return Row(
        f"update, 256 int64 tensors, {classes:,} classes",
        lambda: tensors(classes),
        ours,
        peers,
        {TM: 3, TM_UNCHECKED: 3},
        same=False,
        repeat=300,
        seconds=1.5,  # threads of torch wait for each other on a busy machine
    )


ROWS = (
    Row(
        "averaged F1, 10⁷ int64, 10 classes",
        lambda: labels(10 * MILLION, 10),
        wf.averaged_f1,
        {SK: sklearn_f1, **torchmetrics(torch_f1)},
        {SK: 250, TM: 40},
    ),
    Row(
        "averaged F1, 10⁷ int64, 10 classes",
        lambda: labels(10 * MILLION, 10),
        wf.averaged_f1,
        {SUMS: both_sums},
        {SUMS: 1 / 1.5},
        same=False,
    ),
    Row(
        "averaged F1, 10⁷ uint8, 10 classes",
        lambda: labels(10 * MILLION, 10, np.uint8),
        wf.averaged_f1,
        {SK: sklearn_f1},
        {SK: 250},
    ),
    Row(
        "averaged F1, 10⁷ int32, 10 classes",
        lambda: labels(10 * MILLION, 10, np.int32),
        wf.averaged_f1,
        {SK: sklearn_f1},
        {SK: 250},
        slow=True,
    ),
    Row(
        "averaged F1, 10⁷ int64, 1,000 classes",
        lambda: labels(10 * MILLION, 1000),
        wf.averaged_f1,
        {SK: sklearn_f1},
        {SK: 60},
        slow=True,
    ),
    Row(
        "averaged F1, 100 int64",
        lambda: labels(100, 10),
        wf.averaged_f1,
        {SK: sklearn_f1, **torchmetrics(torch_f1)},
        {SK: 100},
        repeat=100,
    ),
    *(
        Row(
            f"averaged F1, 100 {what}",
            partial(words, 100, container),
            wf.averaged_f1,
            {SK: sklearn_f1},
            repeat=100,
        )
        for what, container in (
            ("strings in a list", list),
            ("strings in an array", np.array),
            ("strings in a pandas series", pd.Series),
        )
    ),
    Row(
        "averaged F1, 100 integers in a list",
        lambda: tuple(side.tolist() for side in labels(100, 10)),
        wf.averaged_f1,
        {SK: sklearn_f1},
        repeat=100,
    ),
    *(
        Row(
            f"averaged F1, {size} Python strings in {where}",
            partial(words, n, container),
            wf.averaged_f1,
            {SK: sklearn_f1},
            {SK: bar},
            slow=n >= MILLION,
        )
        for n, size in ((MILLION // 10, "10⁵"), (MILLION, "10⁶"))
        for where, container, bar in (("an array", objects, 100), ("a list", list, 40))
    ),
    Row(
        "ROC AUC, 10⁶ float64",
        lambda: scored(MILLION),
        wf.roc_auc,
        {SK: sk.roc_auc_score, **torchmetrics(torch_roc)},
        {SK: 10, TM: 4},
    ),
    Row(
        "average precision, 10⁶ float64",
        lambda: scored(MILLION),
        wf.average_precision,
        {SK: sk.average_precision_score, **torchmetrics(torch_ap)},
        {SK: 10, TM: 4},
    ),
    Row(
        "log loss, 10⁶ × 10 float64",
        lambda: probabilities(MILLION),
        wf.log_loss,
        {SK: sk.log_loss},
        {SK: 60},
    ),
    Row(
        "full report with intervals, 10⁷ int64",
        lambda: labels(10 * MILLION, 10),
        our_report,
        {"classification_report": sklearn_report},
        {"classification_report": 100},
        slow=True,
    ),
    update_row(10),
    update_row(1000),
)


def fresh(*arguments: str) -> bytes:
    """What Python prints in a fresh process, with cached bytecode as after an install."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, check=True, env=environment).stdout


def import_time(statement: str) -> float:
    """Seconds an import takes in a fresh process."""
    code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
    return float(fresh("-c", code))


def command() -> Line:
    """``whichf1 score`` of 200 rows from start to end, against importing what it reads with."""
    ours = ("-m", "whichf1", "score", "examples/animals.csv")
    theirs = ("-c", "import duckdb, numpy")
    best = dict.fromkeys((ours, theirs), 9.0)
    for _ in range(STARTS):
        for arguments in best:
            start = time.perf_counter()
            fresh(*arguments)
            best[arguments] = min(best[arguments], time.perf_counter() - start)
    times = duration(best[ours]), duration(best[theirs])
    work = "whichf1 score, 200 rows, cold"
    return Line(work, "import duckdb, numpy", *times, best[theirs] / best[ours], 1 / 1.8)


def imports() -> list[Line]:
    """``import whichf1``, alone and with a metric, against ``import numpy``."""
    works = {"import": "import whichf1", "import, and a metric": "from whichf1 import averaged_f1"}
    statements = ["import numpy", *works.values()]
    best = dict.fromkeys(statements, 9.0)
    for _ in range(STARTS):
        for statement in statements:
            best[statement] = min(best[statement], import_time(statement))
    theirs = best["import numpy"]
    return [
        Line(
            work,
            "import numpy",
            duration(best[statement]),
            duration(theirs),
            theirs / best[statement],
            1 / 1.3 if work == "import" else None,
        )
        for work, statement in works.items()
    ]


def growth() -> list[Line]:
    """Ten times the items, from 10⁷ to 10⁸ (below that, caches make small data cheaper)."""
    large = labels(100 * MILLION, 10)
    small = tuple(np.ascontiguousarray(side[: 10 * MILLION]) for side in large)
    best = {"small": 9.0, "large": 9.0}
    for _ in range(6):
        for name, data in (("small", small), ("large", large)):
            begun = time.perf_counter()
            wf.averaged_f1(*data)
            best[name] = min(best[name], time.perf_counter() - begun)
    ours, ten = best["large"], 10 * best["small"]
    return [
        Line(
            "growth: 10⁸ int64",
            "10 × the time of 10⁷",
            duration(ours),
            duration(ten),
            ten / ours,
            10 / 11,
        )
    ]


def filled() -> list[Line]:
    """A batch added to counts with 10⁶ filled cells, against one added to few."""
    true, predicted = labels(3 * MILLION, 3000)
    full, bare = wf.Counts.empty(range(3000)), wf.Counts.empty(range(3000))
    full = full.update(true[: 2 * MILLION], predicted[: 2 * MILLION])
    best = {"full": 9.0, "bare": 9.0}
    for start in range(2 * MILLION, 2 * MILLION + 256 * 500, 256):
        batch = true[start : start + 256], predicted[start : start + 256]
        begun = time.perf_counter()
        full = full.update(*batch)
        middle = time.perf_counter()
        bare = bare.update(*batch)
        best["full"] = min(best["full"], middle - begun)
        best["bare"] = min(best["bare"], time.perf_counter() - middle)
    ours, few = best["full"], best["bare"]
    work = "Counts.update, 256 of 3,000 classes, 10⁶ cells filled"
    return [Line(work, "few cells filled", duration(ours), duration(few), few / ours, 0.5)]


MEMORY = """
import re
from pathlib import Path
import numpy as np, whichf1 as wf
rng = np.random.default_rng(0)
true, predicted = (rng.integers(0, 10, 10**7) for _ in range(2))
wf.averaged_f1(true[:1000], predicted[:1000])
Path("/proc/self/clear_refs").write_text("5")  # resets the peak
def kilobytes(name):
    return int(re.search(name + r":\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
before = kilobytes("VmRSS")
wf.averaged_f1(true, predicted)
print(kilobytes("VmHWM") - before)
"""


def memory() -> float:
    """Peak memory beyond the inputs in megabytes, in a fresh process (Linux)."""
    run = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, check=True)
    return int(run.stdout) / 1024


def main() -> int:
    """Measure everything, print it and write RESULTS.md; return 1 if results differ."""
    warnings.simplefilter("ignore")
    lines: list[Line] = []
    try:
        for row in chosen(ROWS):
            lines += measure(row)
            print(table(lines[-len(row.peers) :]).split("\n", 2)[2], end="", flush=True)
    except Disagreement as error:
        print(f"results differ: {error}", file=sys.stderr)
        return 1
    if "--slow" in sys.argv:
        about = "Measured by `make bench-all`, as the table at the top."
        write_section("Slow peers", f"{about}\n\n{table(lines)}")
        return 0
    lines += [*growth(), *filled(), *imports(), command()]
    print(table(lines[-5:]).split("\n", 2)[2], end="")
    peak = f"Peak memory beyond the inputs, 10⁷ items, 10 classes: {memory():.1f} MB (limit: 20)."
    print(peak)
    write_results(
        "# Speed\n\nMeasured by `make bench`: each peer takes turns with whichf1 on the same "
        "data, the best time of each counts, and all results agreed. Ratios carry over to other "
        f"machines better than times do.\n\n{table(lines)}\n{peak}\n\nMachine: {machine()} "
        f"Native kernel: {'yes' if kernel.NATIVE else 'no'}.\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
