"""Means of class sizes by these sizes, whose slope vanishes where classes are of equal size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import whichf1 as wf
from tests.helpers.samples import present
from whichf1.statistics.sample import Sample
from whichf1.statistics.sizes import product_of_sizes
from whichf1.tables.cells import Table


def twin_of(true: Any, other: Any, weights: Any = None, cluster: Any = None) -> Any:
    """The twin of Σ p_c q_c, of single items."""
    count = np.ones(len(true)) if weights is None else weights
    squares = None if weights is None else weights**2
    table = Table(true, other, count, int(max(true.max(), other.max())) + 1)
    return product_of_sizes(table, other, Sample(count, squares, cluster))


def by_pairs(true: Any, other: Any, weights: Any, cluster: Any) -> tuple[float, float]:
    """The bias and the variance to second order, from a matrix of all pairs of items."""
    one, two = (np.eye(int(max(true.max(), other.max())) + 1)[x] for x in (true, other))
    share = weights / weights.sum()
    off_one, off_two = one - share @ one, two - share @ two
    pairs = np.outer(share, share) * (off_one @ off_two.T + off_two @ off_one.T) / 2
    groups = np.eye(cluster.max() + 1)[cluster]
    kernel = groups.T @ pairs @ groups
    return float(np.trace(kernel)), 2 * float((kernel**2).sum())


@pytest.mark.parametrize("kind", ["plain", "weights", "clusters"])
@pytest.mark.parametrize("predicted", [False, True])
def test_bias_and_second_order_are_those_of_all_pairs(kind: str, predicted: bool) -> None:
    rng = np.random.default_rng(4)
    true, guess = rng.integers(0, 3, (2, 40))
    other = guess if predicted else true
    weights = rng.uniform(0.5, 2, 40) if kind == "weights" else None
    cluster = np.repeat(np.arange(10), 4) if kind == "clusters" else None
    twin = twin_of(true, other, weights, cluster)
    count = np.ones(40) if weights is None else weights
    bias, second = by_pairs(true, other, count, np.arange(40) if cluster is None else cluster)
    shares = [np.bincount(x, count, 3) / count.sum() for x in (true, other)]
    assert twin.value == pytest.approx(float(shares[0] @ shares[1]) - bias, rel=1e-12)
    slope = (shares[1][true] + shares[0][other] - 2 * float(shares[0] @ shares[1])) / count.sum()
    sample = Sample(count, None if weights is None else weights**2, cluster)
    first = sample.smoothed_spread(slope.__getitem__, (0.0, 0.0)).error ** 2
    assert twin.spread.error**2 == pytest.approx(first + second, rel=1e-12)


@pytest.mark.parametrize("metric", [wf.prevalence, wf.selection_rate])
@pytest.mark.parametrize("classes", [2, 8, 20])
def test_classes_of_equal_size_are_covered(metric: Any, classes: int) -> None:
    rng, covered = np.random.default_rng(classes), 0
    cells = np.full((classes, classes), 0.1 / (classes - 1))
    np.fill_diagonal(cells, 0.9)
    for _ in range(40):
        table = rng.multinomial(30 * classes, cells.ravel() / classes).reshape(cells.shape)
        counts = wf.Counts.from_matrix(table, rows="true")
        interval = present(metric(counts, average="weighted", interval="auto").interval)
        assert interval.caution is None
        covered += interval.low <= 1 / classes <= interval.high
    assert covered >= 35  # the delta method covers 20 classes in a tenth of the cases


def test_some_of_the_classes_have_a_caution() -> None:
    counts = wf.Counts.from_matrix([[30, 2, 1], [3, 30, 1], [2, 2, 30]], rows="true")
    score = wf.prevalence(counts, average="weighted", classes=[0, 1], interval="auto")
    assert "hardly moves" in (present(score.interval).caution or "")
