"""What items of unequal weight, clusters of unequal size and pseudo-items are worth."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pytest

import whichf1 as wf
from tests.helpers.samples import present
from whichf1.statistics.cells import MarginSlopes
from whichf1.statistics.sample import Sample
from whichf1.statistics.smoothing import PseudoItem
from whichf1.tables.cells import Table


def drawn(seed: int, k: int = 4, n: int = 300, accuracy: float = 0.8) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    true = rng.integers(0, k, n)
    wrong = (true + rng.integers(1, k, n)) % k
    return true, np.where(rng.random(n) < accuracy, true, wrong)


def ends(score: wf.Score) -> tuple[float, float]:
    interval = present(score.interval)
    return interval.low, interval.high


@pytest.mark.parametrize("data", ["items", "weights", "clusters"])
@pytest.mark.parametrize("k", [2, 4, 9])
def test_a_rate_summed_over_all_classes_has_the_interval_of_the_accuracy(k: int, data: str) -> None:
    true, predicted = drawn(1, k)
    rng = np.random.default_rng(2)
    more = {"weights": {"weights": rng.random(300)}, "clusters": {"cluster": np.arange(300) % 30}}
    counts = wf.count(true, predicted, **more.get(data, {}))  # type: ignore[arg-type]
    low, high = ends(wf.accuracy(counts, interval="auto"))

    def expected(rate: str, x: float) -> float:
        wrong = (1 - x) / (k - 1)
        return {
            "recall": x,
            "specificity": 1 - wrong,
            "false_positive_rate": wrong,
            "jaccard": x / (2 - x),
            "informedness": x - wrong,
            "positive_likelihood_ratio": x / wrong,
        }[rate]

    for rate in ("recall", "specificity", "jaccard", "informedness", "positive_likelihood_ratio"):
        score = wf.score(counts, f"{rate}|avg:micro|interval:auto")
        assert ends(score) == pytest.approx((expected(rate, low), expected(rate, high)))
    falling = wf.score(counts, "false_positive_rate|avg:micro|interval:auto")
    assert ends(falling) == pytest.approx(
        (expected("false_positive_rate", high), expected("false_positive_rate", low))
    )


@pytest.mark.parametrize("metric", ["positive_likelihood_ratio", "informedness", "markedness"])
def test_two_rates_of_weighted_items_are_worth_what_their_spread_says(metric: str) -> None:
    true, predicted = drawn(3, 2, 400, 0.9)
    score = f"{metric}|positive:1|interval:auto"
    single = ends(wf.score(true, predicted, score))
    equal = ends(wf.score(true, predicted, score, weights=np.full(400, 3.0)))
    assert equal == pytest.approx(single)
    # the same rates, of errors that are half as many and twice as heavy
    matrix = np.array([[180, 20], [16, 184]])
    whole = wf.Counts.from_matrix(matrix, rows="true")
    fewer = [[180, 10], [8, 184]]
    cells = np.repeat(np.arange(4), np.ravel(fewer))
    weights = np.where(np.isin(cells, (1, 2)), 2.0, 1.0)
    heavy = wf.score(cells // 2, cells % 2, score, weights=weights)
    assert heavy.value == pytest.approx(wf.score(whole, score).value)
    (low, high), (below, above) = ends(wf.score(whole, score)), ends(heavy)
    assert below < low and above > high


def test_tests_of_clusters_have_degrees_of_freedom_by_their_sizes() -> None:
    rng = np.random.default_rng(4)
    sizes = np.maximum(rng.lognormal(2.5, 1.0, 80).astype(int), 2)
    cluster = np.repeat(np.arange(80), sizes)
    sample = Sample(np.ones(len(cluster)), None, cluster)
    each = []
    for seed in range(5):  # items that alternate are not alike, however large they are
        alternating = np.where(np.arange(len(cluster)) % 2, 1.0, -1.0)
        step = np.random.default_rng(seed).random(len(cluster)) * 0.01
        each.append(sample.tested_spread((alternating + step) / len(cluster)).freedom)
    np.testing.assert_allclose(each, each[0], rtol=1e-6)
    equal = Sample(np.ones(800), None, np.repeat(np.arange(80), 10))
    alternating = np.where(np.arange(800) % 2, 1.0, -1.0) / 800
    assert equal.tested_spread(alternating).freedom == pytest.approx(79, abs=1)
    assert each[0] < 70


@pytest.mark.parametrize("unseen", [0, 2])
@pytest.mark.parametrize("by_distance", [False, True])
def test_powers_of_all_cells_are_those_in_closed_form(by_distance: bool, unseen: int) -> None:
    rng, k = np.random.default_rng(5), 7
    true, predicted = (rng.integers(0, k - unseen, 200) for _ in range(2))
    table = Table(true, predicted, np.ones(200), k)
    added = PseudoItem.to(table, by_distance=by_distance)
    right, rows, columns, far = rng.normal(size=(4, k))
    slope = MarginSlopes(right, rows, columns, far if by_distance else None)
    every = np.divmod(np.arange(k * k), k)
    np.testing.assert_allclose(slope.square.ravel(), slope.at(*every))
    assert added.powers_of(slope.square) == pytest.approx(added.powers(*slope[:4]))
    assert float(added.at(*every).sum()) == pytest.approx(1)


def test_a_weighted_class_is_worth_its_effective_number_in_a_test() -> None:
    """Each class has n / (n − 1) of its own, with n = (Σw)² / Σw²; equal weights change nothing."""
    rng = np.random.default_rng(3)
    weights, stratum, slope = rng.exponential(size=40), np.arange(40) % 2, rng.normal(size=40)
    sample = Sample(weights, weights**2, stratum=stratum)
    centred = slope - weights @ slope / weights.sum()
    square = 0.0
    for each in (weights * (stratum == 0), weights * (stratum == 1)):
        n = each.sum() ** 2 / (each @ each)
        square += n / (n - 1) * float((each**2 * centred**2).sum())
    assert sample.tested_spread(slope).error == pytest.approx(np.sqrt(square), rel=1e-12)
    equal = Sample(np.full(40, 3.0), np.full(40, 9.0), stratum=stratum)
    plain = Sample(np.ones(40), stratum=stratum)
    assert equal.tested_spread(slope / 3) == pytest.approx(plain.tested_spread(slope), rel=1e-9)
    alone = Sample(
        np.array([0.1, 2.0, 3.0]), np.array([0.01, 4.0, 9.0]), stratum=np.array([0, 1, 1])
    )
    assert alone.tested_spread(np.array([1.0, 2.0, 3.0])).error == inf


def test_a_caution_about_weighted_areas_only_looks_at_weights_and_areas() -> None:
    """Not at the few items that happened to decide: then hardly any test without one rejects."""
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], [60, 200])
    systems = {name: rng.normal(size=260) + y for name in "AB"}
    weights = np.exp(rng.normal(size=260))

    def told(weights: Any) -> str | None:
        (pair,) = wf.compare(y, systems, "roc_auc", weights=weights, replicates=0).pairs
        caution: str | None = pair.caution
        return caution

    assert told(weights) == told(1000 * weights)
    few = np.where(y == 1, weights**3, 1.0)
    worth = few[y == 1].sum() ** 2 / (few[y == 1] ** 2).sum()
    assert worth < 20
    assert told(few) == f"there are {worth:.3g} positives: the test may not keep its level"
    assert told(np.ones(260)) is None
