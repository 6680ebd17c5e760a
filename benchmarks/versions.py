"""Two versions of whichf1 side by side: ``python -m benchmarks.versions ../other-checkout``.

Processes of both checkouts take turns on the same tasks, and the best time of each counts. Tasks
use the public names that both versions have. A checkout needs its compiled kernel
(``python setup.py build_ext --inplace``).
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.harness import duration

HERE = Path(__file__).resolve().parents[1]
MILLION = 10**6
ROUNDS = 4
SECONDS = 0.35
"""How long a task is repeated in each process."""


def labels(n: int, classes: int, dtype: Any = np.int64) -> tuple[Any, Any]:
    """True classes, and predictions of which about seven in ten are right."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, classes, n).astype(dtype)
    guess = rng.integers(0, classes, n).astype(dtype)
    return true, np.where(rng.random(n) < 0.7, true, guess)


def tasks() -> dict[str, Callable[[], Any]]:
    """Each task by name, on its data."""
    import whichf1 as wf

    rng = np.random.default_rng(1)
    positive = (rng.random(MILLION) < 0.3).astype(np.int64)
    scores = rng.normal(size=MILLION) + positive
    shares = rng.random((MILLION, 10)) + 0.01
    shares /= shares.sum(1, keepdims=True)
    classes = rng.integers(0, 10, MILLION)
    words = np.array(["cat", "dog", "horse", "mouse", "bird", "fish", "cow", "pig", "hen", "fox"])
    texts = [words[side].tolist() for side in labels(MILLION, 10)]
    small, one = labels(100, 10), labels(100, 2)
    tables = {k: wf.count(*labels(100 * k, k)) for k in (2, 10, 100, 1000)}
    few = wf.Bootstrap(replicates=999, seed=1)
    pair = labels(5000, 5), labels(5000, 5)[1][::-1].copy()
    f1: Any = wf.averaged_f1
    work: dict[str, Callable[[], Any]] = {
        **{
            f"averaged F1, 10⁷ {np.dtype(dtype).name}, {k:,} classes": partial(
                f1, *labels(10 * MILLION, k, dtype)
            )
            for dtype, k in ((np.int64, 10), (np.int32, 10), (np.uint8, 10), (np.int64, 1000))
        },
        "averaged F1, 10⁶ strings in lists": partial(f1, *texts),
        "ROC AUC, 10⁶": partial(wf.roc_auc, positive, scores),
        "average precision, 10⁶": partial(wf.average_precision, positive, scores),
        "log loss, 10⁶ × 10": partial(wf.log_loss, classes, shares),
        "Brier score, 10⁶ × 10": partial(wf.brier, classes, shares),
        "count, 100 items": partial(wf.count, *small),
        "averaged F1, 100 items": partial(f1, *small),
        "accuracy, 100 items": partial(wf.accuracy, *small),
        "F1 of one class, 100 items": partial(wf.f1, *one, positive=1),
        "kappa, 100 items": partial(wf.cohen_kappa, *small),
        "per class, 100 items": partial(wf.f1.per_class, *small),
        "both macro F1s of counts": partial(wf.macro_f1, tables[10]),
        "ROC AUC, 100 items": partial(wf.roc_auc, positive[:100], scores[:100]),
        "log loss, 100 items": partial(wf.log_loss, classes[:100], shares[:100]),
        **{
            f"averaged F1 of counts with delta interval, {k:,} classes": partial(
                f1, table, interval="delta"
            )
            for k, table in tables.items()
        },
        "averaged F1 of counts with 999 replicates, 10 classes": partial(
            f1, tables[10], interval=few
        ),
        "ROC AUC with delta interval, 10⁶": partial(wf.roc_auc, positive, scores, interval="delta"),
        "compare two systems, 5,000 items, 999 replicates": partial(
            wf.compare, pair[0][0], {"a": pair[0][1], "b": pair[1]}, "averaged_f1", replicates=999
        ),
        "explain a number": partial(wf.explain, tables[10], 0.7, decimals=2),
    }
    path = Path(tempfile.mkdtemp()) / "items.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("true", "pred"))
        writer.writerows(zip(*(side[:200_000] for side in texts), strict=True))
    work["averaged F1 of a CSV, 200,000 items"] = partial(f1, str(path))
    command = [sys.executable, "-m", "whichf1", "score", "examples/animals.csv"]
    work["whichf1 score, cold"] = partial(
        subprocess.run, command, cwd=HERE, check=True, capture_output=True
    )
    return work


def best_times() -> dict[str, float]:
    """The best time of each task, in this process."""
    best: dict[str, float] = {}
    for name, call in tasks().items():
        call()
        started = time.perf_counter()
        times: list[float] = []
        while len(times) < 3 or time.perf_counter() - started < SECONDS:
            begun = time.perf_counter()
            call()
            times.append(time.perf_counter() - begun)
        best[name] = min(times)
    return best


def process(checkout: Path) -> dict[str, float]:
    """The times of a checkout, measured by this very file with that checkout's package."""
    path = os.pathsep.join([str(checkout / "src"), str(HERE)])
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.versions"],
        env={**os.environ, "PYTHONPATH": path},
        cwd=HERE,
        check=True,
        capture_output=True,
        text=True,
    )
    return dict(json.loads(run.stdout))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", nargs="?", type=Path, help="the checkout to compare with")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    if options.other is None:
        print(json.dumps(best_times()))
        return
    before: dict[str, float] = {}
    after: dict[str, float] = {}
    for _ in range(options.rounds):
        for best, checkout in ((before, options.other.resolve()), (after, HERE)):
            for name, seconds in process(checkout).items():
                best[name] = min(seconds, best.get(name, seconds))
    print("| task | other | this | this ÷ other |\n|---|--:|--:|--:|")
    for name, seconds in before.items():
        ratio = after[name] / seconds
        print(f"| {name} | {duration(seconds)} | {duration(after[name])} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
