"""What grows does not grow faster than the data: calls and memory at n and at 4n are compared.

Calls and bytes are the same on any machine. The cases are those whose seconds
``benchmarks/growth.py`` measures at larger sizes, and paths that differ at small ones.
"""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.growth import CASES, MOST, Case, Work, labels

import whichf1 as wf
from tests.helpers.peak import calls_of

FASTER = 4**MOST
"""Four times the data may take this many times as much."""


def slices_of_frame(n: int, folder: Path) -> Work:
    import pandas as pd

    true, predicted = labels(10 * n, 4)
    frame = pd.DataFrame({"true": true, "pred": predicted, "lang": np.arange(10 * n) % n})
    return lambda: [
        wf.averaged_f1(x, interval="auto") for x in wf.count_by(frame, by="lang").values()
    ]


def labels_in_columns(n: int, folder: Path) -> Work:
    rng = np.random.default_rng(1)
    chosen = rng.random((200, n)) < 0.3
    guess = chosen ^ (rng.random(chosen.shape) < 0.1)
    counts = wf.count_multilabel(chosen.astype(int), guess.astype(int))
    return lambda: wf.f1.per_class(counts, interval="auto")


def labels_far_apart(n: int, folder: Path) -> Work:
    """Too far apart, and too many, for a dense table."""
    true, predicted = labels(5 * n, n)
    return lambda: wf.averaged_f1(true * 10**9, predicted * 10**9, interval="auto")


def probabilities_as_text(n: int, folder: Path) -> Work:
    rng = np.random.default_rng(4)
    names = [f"c{at}" for at in range(n)]
    scores, true = rng.dirichlet(np.ones(n), 20), rng.integers(0, n, 20)
    lines = zip(true.tolist(), scores.tolist(), strict=True)
    rows = (",".join([names[at], *map(repr, row)]) for at, row in lines)
    path = folder / "scores.csv"
    path.write_text("\n".join([",".join(["true", *names]), *rows]))
    options: dict[str, Any] = {"true": "true", "score": names}
    return lambda: wf.log_loss(path, **options)


SIZES = (1, 2, 3)  # of seconds: not used here
OTHERS = (
    Case("slices of a frame", SIZES, slices_of_frame, 40),
    Case("labels in columns", SIZES, labels_in_columns, 80),
    Case("labels far apart", SIZES, labels_far_apart, 800),
    Case("probabilities as text", SIZES, probabilities_as_text, 12),
)


def _peak(work: Work) -> int:
    """Without collections of garbage, which happen at other times in each run."""
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        gc.enable()


@pytest.mark.parametrize("case", [*CASES, *OTHERS], ids=lambda case: case.what)
def test_calls_and_memory_grow_no_faster_than_the_data(case: Case, tmp_path: Path) -> None:
    case.prepare(case.few + 1, tmp_path)()  # imports; what is kept of other sizes is not known yet
    sizes = case.few, 4 * case.few
    most = (case.unit(sizes[1]) / case.unit(sizes[0])) ** MOST
    for cost, least in ((calls_of, 2000), (_peak, 1 << 16)):
        small, large = (cost(case.prepare(n, tmp_path)) for n in sizes)
        assert large <= max(most * small, least), (case.what, cost.__name__, small, large)


def test_the_guard_notices_growth_that_is_too_fast() -> None:
    def all_pairs(n: int) -> Work:
        return lambda: [min(a, b) for a in range(40 * n) for b in range(40 * n)]

    small, large = (calls_of(all_pairs(n)) for n in (2, 8))
    assert large > FASTER * small
