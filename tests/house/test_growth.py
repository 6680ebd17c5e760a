"""What grows does not grow faster than the data: calls and memory at n and at 4n are compared.

Calls and bytes are the same on any machine. ``benchmarks/growth.py`` measures seconds.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from io import BytesIO
from itertools import combinations, count
from typing import Any

import numpy as np
import pytest

import whichf1 as wf
from tests.helpers.peak import calls_of

FASTER = 4 * 4 ** (1.15 - 1)
"""Four times the data may take this many times as much."""
Work = Callable[[], object]
_FRESH = count()


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
    number = {2: 5, 3: 6, 8: 9}[n]  # 10, 15 and 36 pairs
    assert len([*combinations(range(number), 2)]) in (10, 15, 36)
    true = _labels(300, 4)[0]
    every = {f"s{at}": _labels(300, 4, at)[1] for at in range(number)}
    return lambda: wf.compare(true, every, replicates=200)


def ranked(n: int) -> Work:
    true, _ = _labels(500 * n, 4)
    scores = np.random.default_rng(2).random((500 * n, 4))
    options: dict[str, Any] = {"multi_class": "ovr", "average": "macro", "interval": "delta"}
    return lambda: wf.roc_auc(true, scores, **options)


def columns(n: int) -> Work:
    """More than DuckDB reads quickly."""
    names = ["true", "pred", *(f"x{at}" for at in range(3000 * n))]
    rows = [f"{at % 2},1{',0' * 3000 * n}" for at in range(4)]
    text = "\n".join([",".join(names), *rows]).encode()
    return lambda: wf.count(BytesIO(text), format="csv")


def compared_labels(n: int) -> Work:
    rng = np.random.default_rng(3)
    true = rng.random((100, 20 * n)) < 0.3
    systems = {x: (true ^ (rng.random(true.shape) < 0.1)).astype(int) for x in "ab"}
    return lambda: wf.compare(true.astype(int), systems, "micro_f1", replicates=99)


def sparse_labels(n: int) -> Work:
    """Too far apart, and too many, for a dense table."""
    true, predicted = _labels(2000 * n, 400 * n)
    return lambda: wf.averaged_f1(true * 10**9, predicted * 10**9, interval="auto")


def score_columns(n: int) -> Work:
    """Probabilities of many classes in a file: no expression of DuckDB for each of them."""
    rng = np.random.default_rng(4)
    names = [f"c{at}" for at in range(12 * n)]
    scores, true = rng.dirichlet(np.ones(12 * n), 20), rng.integers(0, 12 * n, 20)
    lines = zip(true.tolist(), scores.tolist(), strict=True)
    rows = (",".join([names[at], *map(repr, row)]) for at, row in lines)
    text = "\n".join([",".join(["true", *names]), *rows]).encode()
    options: dict[str, Any] = {"true": "true", "score": names, "format": "csv"}
    return lambda: wf.log_loss(BytesIO(text), **options)


def tree(n: int) -> Work:
    first = next(_FRESH) << 20  # a hierarchy that was seen before is known
    parents: dict[int, Any] = {first + at: first + (at - 1) // 4 for at in range(1, 1100 * n)}
    true, predicted = _labels(1100 * n, 1100 * n)
    options: dict[str, Any] = {"parents": parents | {first: None}}
    return lambda: wf.hierarchical_f1(true + first, predicted + first, **options)


def batches(n: int) -> Work:
    def work() -> None:
        total = wf.Accumulator()
        for at in range(10 * n):
            total.update(np.arange(20) + 10 * at, np.arange(20) + 10 * at)
        wf.averaged_f1(total.counts)

    return work


def raters(n: int) -> Work:
    marks = np.random.default_rng(7).integers(0, 4, (300, 5 * n))
    return lambda: wf.krippendorff_alpha(wf.ratings(marks), interval="auto")


def sentences(n: int) -> Work:
    true = [["B-PER", "I-PER", "O", "B-LOC", "O"]] * (100 * n)
    predicted = [["O"] * (at % 2) + tags[at % 2 :] for at, tags in enumerate(true)]
    return lambda: wf.f1(wf.spans(true, predicted, broken="repair"), average="micro")


def groups(n: int) -> Work:
    true, predicted = _labels(100 * n, 2)
    return lambda: wf.groups(true, predicted, "accuracy", by=np.arange(100 * n) % (5 * n))


def ranked_labels(n: int) -> Work:
    rng = np.random.default_rng(6)
    true = (rng.random((50, 50 * n)) < 0.1).astype(int)
    scores = rng.random(true.shape)
    return lambda: wf.label_ranking_loss(true, scores)


def pages(n: int) -> Work:
    report = wf.report(wf.count(*_labels(100 * n, 20 * n)))
    return lambda: (report.to_html(), report.to_latex(), report.to_json(), report.to_csv())


CASES = (
    *(items, ranked, classes, explained, clusters, labels_an_item, compared_labels),
    *(parts, slices, systems, columns, sparse_labels, score_columns, tree, batches, raters),
    *(sentences, groups, ranked_labels, pages),
)


def _peak(work: Work) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_calls_and_memory_grow_no_faster_than_the_data(case: Callable[[int], Work]) -> None:
    case(3)()  # imports; what is kept of sizes 2 and 8 is not known yet
    for cost, least in ((calls_of, 2000), (_peak, 1 << 16)):
        small, large = (cost(case(n)) for n in (2, 8))
        assert large <= max(FASTER * small, least), (case.__name__, cost.__name__, small, large)


def test_the_guard_notices_growth_that_is_too_fast() -> None:
    def all_pairs(n: int) -> Work:
        return lambda: [min(a, b) for a in range(40 * n) for b in range(40 * n)]

    small, large = (calls_of(all_pairs(n)) for n in (2, 8))
    assert large > FASTER * small
