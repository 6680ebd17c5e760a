"""Automatic intervals: the item that is added, what follows from it, and posterior draws."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaincinv, stdtrit

import whichf1 as wf
from tests.helpers.samples import present
from whichf1.statistics.sample import leverage_freedom
from whichf1.statistics.smoothing import PseudoItem
from whichf1.tables.cells import Table


def table_of(matrix: Any) -> Table:
    k = len(matrix)
    return Table(*np.divmod(np.arange(k * k), k), np.ravel(matrix).astype(float), k)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 7), st.integers(0, 2**32), st.booleans())
def test_sums_over_cells_need_no_cells(k: int, seed: int, by_distance: bool) -> None:
    """Margins and powers in closed form are those of the K × K table."""
    rng = np.random.default_rng(seed)
    matrix = rng.poisson(1, (k, k))
    table = table_of(matrix)
    item = PseudoItem.to(table, by_distance=by_distance)
    part = item.at(table.true, table.predicted)
    assert (
        part.sum() == pytest.approx(1) and part[table.true == table.predicted].sum() >= 0.5 - 1e-9
    )
    dense = table_of(matrix.ravel().reshape(k, k) + 2 * part.reshape(k, k))
    margins = item.margins(table, 2.0)
    for name in ("tp", "fp", "fn", "tn", "distances"):
        np.testing.assert_allclose(getattr(margins, name), getattr(dense, name), atol=1e-12)
    right, rows, columns, distances = rng.normal(size=(4, k))
    if not by_distance:
        distances[1:] = distances[-1]
    apart = np.abs(table.true - table.predicted)
    wrong = rows[table.true] + columns[table.predicted]
    slope = np.where(apart == 0, right[table.true], wrong) + distances[apart]
    powers = [(part * slope**e).sum() for e in (2, 4)]
    np.testing.assert_allclose(item.powers(right, rows, columns, distances), powers, rtol=1e-9)


@pytest.mark.parametrize("matrix", [[[40, 3], [1, 12]], [[30, 2, 0], [1, 20, 0], [0, 0, 15]]])
def test_averaged_f1_is_the_recipe_written_out(matrix: Any) -> None:
    """Smoothed table, gradient, moment-matched beta: each step by hand."""
    k, counts = len(matrix), np.array(matrix, float)
    added = np.full((k, k), 1 / (2 * k * (k - 1)))
    np.fill_diagonal(added, 1 / (2 * k))
    p, n = counts + added, counts.sum() + 1
    p /= n
    sizes = p.sum(0) + p.sum(1)
    f = 2 * np.diag(p) / sizes
    slope = -(np.add.outer(f / sizes, f / sizes)) / k
    np.fill_diagonal(slope, 2 * (1 - f) / sizes / k)
    v, q = (p * slope**2).sum(), (p * slope**4).sum()
    t = stdtrit(max(6, 2 * n * v**2 / (q - v**2)), 0.975)
    m, z = f.mean(), 1.959963984540054
    size = m * (1 - m) / (v / n * (t / z) ** 2) - 1
    ends = betaincinv(size * m, size * (1 - m), (0.025, 0.975))
    interval = wf.averaged_f1(wf.Counts.from_matrix(matrix, rows="true"), interval="auto").interval
    assert [present(interval).low, present(interval).high] == pytest.approx(ends.tolist(), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.integers(20, 5000), st.integers(0, 60), st.integers(0, 60))
def test_no_hit_is_never_surely_worse_than_chance(large: int, missed: int, false: int) -> None:
    counts = wf.Counts.from_matrix([[large, false], [missed, 0]], rows="true")
    expected = missed * false / (large + missed + false)
    for score in (wf.mcc, wf.cohen_kappa):
        interval = score(counts, interval="auto").interval
        if interval is not None and expected <= 1:  # of so few, none is no surprise
            assert interval.high >= 0


def test_an_infinite_end_is_said() -> None:
    counts = wf.Counts.from_matrix([[50, 0], [5, 20]], rows="true")
    score = wf.positive_likelihood_ratio(counts, positive=1, interval="auto")
    interval = present(score.interval)
    assert interval.high == inf and f"{interval:.1f}".endswith(", ∞)")
    assert interval.caution is None  # it covers, however few false positives there are


def test_degrees_of_freedom_are_those_of_the_matrix() -> None:
    rng = np.random.default_rng(2)
    share, variances = rng.dirichlet(np.ones(9)) * 0.99, rng.random(9)
    part = np.eye(9) - np.outer(share, np.ones(9))
    b = part.T @ np.diag(1 / (1 - share)) @ part
    expected = (np.diag(b) @ variances) ** 2 / (b**2 * np.outer(variances, variances)).sum()
    assert leverage_freedom(share, variances) == pytest.approx(expected)


def test_equal_weights_change_little_and_their_scale_nothing() -> None:
    rng = np.random.default_rng(1)
    true = rng.integers(0, 3, 300)
    predicted = np.where(rng.random(300) < 0.8, true, rng.integers(0, 3, 300))
    weights = rng.random(300)
    for metric in ("averaged_f1", "mcc", "accuracy"):
        plain = present(wf.score(true, predicted, metric, interval="auto").interval)
        ones, some, more = (
            present(wf.score(true, predicted, metric, weights=w, interval="auto").interval)
            for w in (np.ones(300), weights, 7 * weights)
        )
        assert (ones.low, ones.high) == pytest.approx((plain.low, plain.high), abs=2e-3)
        assert (some.low, some.high) == pytest.approx((more.low, more.high), abs=1e-9)
    counts = wf.count(true, predicted, weights=weights)
    assert counts.effective_n == pytest.approx(weights.sum() ** 2 / (weights**2).sum())


def test_a_posterior_of_accuracy_is_a_beta_distribution() -> None:
    counts = wf.Counts.from_matrix([[30, 4], [6, 20]], rows="true")
    method = wf.Posterior(draws=19_999, prior=1)
    score = wf.accuracy(counts, interval=method)
    expected = betaincinv(50.5, 10.5, (0.025, 0.975))
    interval = present(score.interval)
    assert (interval.low, interval.high) == pytest.approx(expected.tolist(), abs=0.004)
    assert "|interval:posterior|level:0.95|draws:19999|prior:1.0|seed:2019|" in score.signature
    assert wf.Definition.parse(score.signature).interval == method
    assert wf.accuracy(counts, interval=method).interval == interval


@pytest.mark.parametrize("bad", [{"prior": -1}, {"prior": inf}, {"draws": 10}, {"seed": -1}])
def test_a_posterior_refuses_what_makes_no_sense(bad: dict[str, Any]) -> None:
    with pytest.raises(wf.errors.DefinitionError):
        wf.Posterior(**bad)


def test_posteriors_of_other_data() -> None:
    rng = np.random.default_rng(4)
    true = rng.integers(0, 2, 80)
    scores = np.clip(rng.normal(true, 1), -3, 3)
    sets = rng.random((60, 4)) < 0.4
    flipped = sets ^ (rng.random((60, 4)) < 0.1)
    method = wf.Posterior(draws=399)
    options: list[dict[str, Any]] = [{}, {"cluster": np.arange(80) // 4}, {"weights": scores**2}]
    for data in options:
        for metric in ("roc_auc", "ks"):
            score = wf.score(true, scores, metric, interval=method, **data)
            assert present(score.interval).low < score.value < present(score.interval).high
    score = wf.averaged_f1(wf.count_multilabel(sets, flipped), interval=method)
    assert present(score.interval).low < score.value < present(score.interval).high


def test_the_debiased_calibration_error_is_near_0_for_calibrated_items() -> None:
    """200 data sets: 0 is covered in at least 95 % of them, and the plain error is far off."""
    rng, covered, debiased, plain = np.random.default_rng(5), 0, [], []
    for _ in range(200):
        chance = rng.random(400)
        true = (rng.random(400) < chance).astype(int)
        score = wf.debiased_calibration_error(true, chance, interval="auto")
        covered += present(score.interval).low == 0
        debiased.append(score.value)
        plain.append(wf.expected_calibration_error(true, chance).value)
    assert covered >= 190
    assert np.mean(debiased) < np.mean(plain) / 1.5
    with pytest.raises(wf.errors.DefinitionError, match="drop the weights"):
        wf.debiased_calibration_error(true, chance, weights=chance)
