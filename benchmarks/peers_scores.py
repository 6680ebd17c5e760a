"""Time of scores of label sets, losses and calibration, compared with the libraries that have them.

Run: python benchmarks/peers_scores.py [ITEMS]. The calls alternate; the best CPU time counts.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn.metrics as sk

import whichf1 as wf

ROUNDS = 5
SECONDS = 8.0
"""After this many seconds, a row ends with the current round."""


def best(*calls: Callable[[], Any]) -> tuple[list[float], list[float]]:
    """The fewest CPU seconds of each call, and its result."""
    seconds, values = [np.inf] * len(calls), [np.nan] * len(calls)
    start = time.perf_counter()
    for _ in range(ROUNDS):
        for at, call in enumerate(calls):
            before = time.process_time()
            values[at] = float(call())
            seconds[at] = min(seconds[at], time.process_time() - before)
        if time.perf_counter() - start > SECONDS:
            break
    return seconds, values


def rows(n: int) -> list[tuple[str, Callable[[], Any], Callable[[], Any]]]:
    """Each score, by us and by a peer."""
    rng = np.random.default_rng(0)
    labels = (rng.random((n, 5)) < [0.5, 0.3, 0.2, 0.1, 0.05]).astype(int)
    scores = 0.8 * labels + rng.normal(size=(n, 5))
    y = rng.integers(0, 3, n)
    p = rng.random((n, 3)) + np.eye(3)[y]
    p /= p.sum(1, keepdims=True)
    found: list[tuple[str, Callable[[], Any], Callable[[], Any]]] = []
    for average in ("macro", "weighted", "micro"):
        found += [
            (
                f"ROC AUC of 5 labels, {average}",
                lambda average=average: wf.roc_auc(labels, scores, average=average),  # type: ignore[misc]
                lambda average=average: sk.roc_auc_score(labels, scores, average=average),  # type: ignore[misc]
            ),
            (
                f"average precision of 5 labels, {average}",
                lambda average=average: wf.average_precision(labels, scores, average=average),  # type: ignore[misc]
                lambda average=average: sk.average_precision_score(  # type: ignore[misc]
                    labels, scores, average=average
                ),
            ),
        ]
    few = slice(min(n, 2000))
    items = labels[few].copy()
    items[(items.sum(1) == 0)] = [1, 0, 0, 0, 0]
    found += [
        (
            f"average precision of {len(items):,} items' labels",
            lambda: wf.average_precision(items, scores[few], average="samples"),
            lambda: sk.average_precision_score(items, scores[few], average="samples"),
        ),
        ("hinge loss, 3 classes", lambda: wf.hinge_loss(y, p), lambda: sk.hinge_loss(y, p)),
        ("D² of log loss", lambda: wf.log_loss_skill(y, p), lambda: sk.d2_log_loss_score(y, p)),
        ("D² of Brier score", lambda: wf.brier_skill(y, p), lambda: sk.d2_brier_score(y, p)),
    ]
    return found


def main() -> None:
    """Print a line for each score."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print(f"{n:,} items\n{'':44}{'whichf1':>10}{'scikit-learn':>14}{'faster':>9}")
    for name, mine, theirs in rows(n):
        (a, b), (x, z) = best(mine, theirs)
        if abs(x - z) > 1e-9:
            raise SystemExit(f"{name}: results differ: {x} and {z}")
        print(f"{name:44}{a:>8.3f} s{b:>12.3f} s{b / a:>8.1f}×")


if __name__ == "__main__":
    main()
