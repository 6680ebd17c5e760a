"""Call the C functions while a thread writes to their arrays: any result will do, but no crash.

Takes a number of seconds. Runs in a process of its own, which a bad index would kill.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import numpy as np

from whichf1.kernel import native
from whichf1.kernel.reference import Array

N = 200_000
HUGE = 2**40
"""As an index, far outside of every array."""


def rank_some(scores: Array, labels: Array) -> None:
    counts = native.bucket_counts(scores, labels)
    if counts is not None:
        native.rank_buckets(scores, labels, counts[:, ::2])


def main(seconds: float) -> None:
    labels, scores, flags = np.zeros(N, np.int64), np.zeros(N), np.zeros(N, np.bool_)
    small, texts = np.zeros(N, np.uint8), np.zeros(N, "U4")
    rows = np.full((N, 2), 0.5)
    codes, counts = np.arange(2, dtype=np.int32), np.zeros(4, np.int64)
    calls: list[Callable[[], object]] = [
        lambda: native.loss_sums(labels, rows, 0.0),
        lambda: native.brier_sums(labels, rows),
        lambda: native.margins(labels, labels, scores, np.zeros((3, 2))),
        lambda: native.add_pairs(labels, labels, codes, 0, counts),
        lambda: native.count_pairs(labels, labels[::-1]),
        lambda: native.count_pairs(labels, labels, scores),
        lambda: native.count_table(small, small, True),
        lambda: native.rank_table(scores, flags),
        lambda: native.rank_table(scores, flags, scores),
        lambda: native.rank_areas(scores, labels),
        lambda: rank_some(scores, labels),
        lambda: native.order(scores),
        lambda: native.bin_sums(scores, labels, np.array([0.5])),
        lambda: native.label_scores(labels.reshape(-1, 4), labels.reshape(-1, 4), "wrong"),
        lambda: native.label_scores(labels.reshape(-1, 4), scores.reshape(-1, 4), "precision"),
        lambda: native.curve(scores, labels, labels, "roc", "corners"),
        lambda: native.encode(texts),
    ]
    done = threading.Event()

    def write() -> None:
        while not done.is_set():
            for label, score, text in ((HUGE, -1e300, "long"), (0, 1.0, "")):
                labels[:] = label
                labels[1::2] = 1
                scores[:], small[:], flags[:], texts[:] = score, label % 251, score > 0, text

    writer = threading.Thread(target=write)
    writer.start()
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            for call in calls:
                with suppress(ValueError):  # a code outside the classes
                    call()
    finally:
        done.set()
        writer.join()


if __name__ == "__main__":
    main(float(sys.argv[1]))
