"""Time and memory of rankings and losses of ten million scores, compared with scikit-learn.

Run: python benchmarks/rankings.py [ITEMS]
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn.metrics as sk

import whichf1 as wf


def measured(call: Callable[[], Any]) -> tuple[float, int, float]:
    """The seconds of one run, the peak memory of another, and the result."""
    start = time.perf_counter()
    value = float(call())
    seconds = time.perf_counter() - start
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return seconds, peak, value


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    random = np.random.default_rng(0)
    y = random.random(n) < 0.5
    s = (random.random(n) + y) / 2
    t = s.round(3)
    print(f"{n:,} items, scores of {s.nbytes / 1e6:,.0f} MB; extra memory as a multiple of that")
    print(f"{'':28}{'whichf1':>10}{'memory':>8}{'scikit-learn':>14}{'memory':>8}{'faster':>8}")
    for name, mine, theirs in (
        ("ROC AUC", lambda: wf.roc_auc(y, s), lambda: sk.roc_auc_score(y, s)),
        ("ROC AUC, 1,000 scores", lambda: wf.roc_auc(y, t), lambda: sk.roc_auc_score(y, t)),
        (
            "average precision",
            lambda: wf.average_precision(y, s),
            lambda: sk.average_precision_score(y, s),
        ),
        ("log loss", lambda: wf.log_loss(y, s), lambda: sk.log_loss(y, s)),
        ("Brier score", lambda: wf.brier(y, s), lambda: sk.brier_score_loss(y, s)),
    ):
        (a, mine_peak, x), (b, their_peak, z) = measured(mine), measured(theirs)
        if abs(x - z) > 1e-9:
            raise SystemExit(f"{name}: results differ: {x} and {z}")
        print(
            f"{name:28}{a:>8.2f} s{mine_peak / s.nbytes:>8.2f}{b:>12.2f} s"
            f"{their_peak / s.nbytes:>8.2f}{b / a:>7.1f}×"
        )


if __name__ == "__main__":
    main()
