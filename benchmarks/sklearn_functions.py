"""Each function in place of one of scikit-learn's, against the original; prints a table.

``python -m benchmarks.sklearn_functions`` takes about a minute, and writes the table into
docs/scikit-learn.md.
"""

from __future__ import annotations

import gc
import inspect
import re
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from benchmarks.harness import LEAST, settle
from sklearn import metrics

from whichf1.integrations.sklearn import DROP_INS

SIZES = (100, 10_000, 1_000_000)
PAGE = Path(__file__).parents[1] / "docs" / "scikit-learn.md"
MACRO = {"average": "macro"}
OPTIONS: dict[str, dict[str, Any]] = {
    "precision_score": MACRO,
    "recall_score": MACRO,
    "f1_score": MACRO,
    "fbeta_score": {**MACRO, "beta": 2},
    "jaccard_score": MACRO,
    "metric_at_thresholds": {"metric_func": metrics.f1_score},
}
SLOW = ("dcg_score", "label_ranking_average_precision_score", "label_ranking_loss", "ndcg_score")
SETS = ("coverage_error", *SLOW)
"""Which take scikit-learn minutes for a million items, and are not tried with so many."""


def data(name: str, second: str, n: int) -> tuple[Any, Any]:
    """Random items as a function takes them: five classes, or two, or five labels."""
    rng = np.random.default_rng(0)
    if name in SETS:
        return rng.integers(0, 2, (n, 5)), rng.random((n, 5))
    if name == "auc":
        return np.sort(rng.random(n)), rng.random(n)
    predicted = second in ("y_pred", "y2", "labels_pred")
    several = predicted or second in ("y_proba", "pred_decision")
    classes = 5 if several or name == "top_k_accuracy_score" else 2
    if name == "class_likelihood_ratios":
        classes = 2
    true = rng.integers(0, classes, n)
    if predicted:
        return true, np.where(rng.random(n) < 0.7, true, rng.integers(0, classes, n))
    if name == "metric_at_thresholds":
        return true, (rng.random(n) + true / 4).round(1)
    if classes == 2:
        return true, rng.random(n) + true / 4
    raw = rng.random((n, classes))
    return true, raw / raw.sum(1, keepdims=True)


def seconds(*calls: Callable[[], Any]) -> list[float]:
    """The shortest of several runs of each, which take turns."""
    settle()
    best, start = [np.inf] * len(calls), time.perf_counter()
    rounds = 0
    while rounds < LEAST or (rounds < 1000 and time.perf_counter() - start < 0.1):
        for at, call in enumerate(calls):
            begun = time.perf_counter()
            call()
            best[at] = min(best[at], time.perf_counter() - begun)
        rounds += 1
    gc.enable()
    return best


def row(name: str) -> list[str]:
    """How many times as long the original takes, and the time of ours for the largest size."""
    theirs, ours, options = getattr(metrics, name), DROP_INS[name], OPTIONS.get(name, {})
    second = [*inspect.signature(theirs).parameters][1]
    shown, took = [], 0.0
    for n in SIZES:
        sides = data(name, second, n)
        calls = [partial(function, *sides, **options) for function in (ours, theirs)]
        if name in SLOW and n == SIZES[-1]:
            (took,) = seconds(calls[0])
            shown.append("–")
        else:
            took, original = seconds(*calls)
            ratio = original / took
            shown.append(f"{ratio:.2g}" if ratio < 10 else f"{ratio:,.0f}")
    three_digits = float(f"{took * 1000:.3g}")
    return [f"`{name}`", *shown, f"{three_digits:,g}"]


def table() -> str:
    """All functions."""
    head = ["function", *(f"{n:,} items" for n in SIZES), "ms here"]
    lines = [head, ["---", *["--:"] * (len(head) - 1)]]
    for name in sorted(DROP_INS):
        lines.append(row(name))
        print(*lines[-1], flush=True)
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    text = table()
    if PAGE.exists():
        page = re.sub(r"\| function \|.*?\n(?!\|)", lambda _: text, PAGE.read_text(), flags=re.S)
        PAGE.write_text(page)
    print(sklearn.__version__)
