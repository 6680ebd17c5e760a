"""What grows does not grow faster than the data: calls and memory at n and at 4n are compared.

Calls and bytes are the same on any machine. ``benchmarks/growth.py`` measures seconds.
"""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import whichf1 as wf

FASTER = 4 * 4 ** (1.15 - 1)
"""Four times the data may take this many times as much."""
Work = Callable[[], object]


def _labels(n: int, classes: int, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    true = np.arange(n) % classes
    return true, np.where(rng.random(n) < 0.7, true, rng.integers(0, classes, n))


def items(n: int) -> Work:
    true, predicted = _labels(1000 * n, 5)
    return lambda: wf.averaged_f1(true, predicted, interval="auto")


def classes(n: int) -> Work:
    true, predicted = _labels(500 * n, 100 * n)
    return lambda: str(wf.report(true, predicted))


def explained(n: int) -> Work:
    counts = wf.count(*_labels(500 * n, 100 * n))
    return lambda: wf.explain(counts, 0.7123, decimals=4)


def clusters(n: int) -> Work:
    true, predicted = _labels(300 * n, 5)
    method, cluster = wf.Bootstrap(replicates=200), np.arange(300 * n) // 3
    return lambda: wf.averaged_f1(true, predicted, cluster=cluster, interval=method)


def labels_an_item(n: int) -> Work:
    rng = np.random.default_rng(1)
    chosen = rng.random((200, 40 * n)) < 0.3
    guess = chosen ^ (rng.random(chosen.shape) < 0.1)
    counts = wf.count_multilabel(chosen.astype(int), guess.astype(int))
    return lambda: wf.f1.per_class(counts, interval="auto")


def parts(n: int) -> Work:
    tables = []
    for at in range(20 * n):
        true, predicted = _labels(50, 5, at)
        tables.append(wf.count(true + 5 * at, predicted + 5 * at))
    return lambda: sum(tables)


def slices(n: int) -> Work:
    import pandas as pd

    true, predicted = _labels(200 * n, 4)
    frame = pd.DataFrame({"true": true, "pred": predicted, "lang": np.arange(200 * n) % (20 * n)})
    return lambda: [
        wf.averaged_f1(x, interval="auto") for x in wf.count_by(frame, by="lang").values()
    ]


def systems(n: int) -> Work:
    """As many pairs as the others have of what grows."""
    number = {2: 5, 8: 9}[n]  # 10 and 36 pairs
    assert len([*combinations(range(number), 2)]) in (10, 36)
    true = _labels(300, 4)[0]
    every = {f"s{at}": _labels(300, 4, at)[1] for at in range(number)}
    return lambda: wf.compare(true, every, replicates=200)


CASES = (items, classes, explained, clusters, labels_an_item, parts, slices, systems)


def _calls(work: Work) -> int:
    made = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal made
        made += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return made


def _peak(work: Work) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_calls_and_memory_grow_no_faster_than_the_data(case: Callable[[int], Work]) -> None:
    case(2)()  # imports and caches
    for cost, least in ((_calls, 2000), (_peak, 1 << 16)):
        small, large = (cost(case(n)) for n in (2, 8))
        assert large <= max(FASTER * small, least), (case.__name__, cost.__name__, small, large)


def test_the_guard_notices_growth_that_is_too_fast() -> None:
    def all_pairs(n: int) -> Work:
        return lambda: [min(a, b) for a in range(40 * n) for b in range(40 * n)]

    small, large = (_calls(all_pairs(n)) for n in (2, 8))
    assert large > FASTER * small
