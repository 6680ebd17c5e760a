"""Skill, costs of Bayes decisions, calibration and abstention against peers and definitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as sk
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from torchmetrics.functional import classification as tm

import whichf1 as wf
from tests.helpers.samples import ends
from whichf1.errors import DefinitionError, InputError, ShapeError
from whichf1.metrics.calibration import PLACES, calibrated

COSTS = [[0, 1, 4], [2, 0, 1], [5, 1, 0]]


def three(seed: int = 0, n: int = 200) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.choice(3, n, p=[0.6, 0.3, 0.1])
    p = rng.dirichlet(np.ones(3), n) + 0.5 * np.eye(3)[y]
    return y, p / p.sum(1, keepdims=True)


def two(seed: int = 0, n: int = 300) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return (rng.random(n) < p**1.3).astype(int), p


@pytest.mark.parametrize("weighted", [False, True])
def test_losses_of_scikit_learn(weighted: bool) -> None:
    y, p = three()
    weights = np.random.default_rng(1).random(len(y)) if weighted else None
    for ours, theirs in (
        (wf.log_loss_skill, sk.d2_log_loss_score),
        (wf.brier_skill, sk.d2_brier_score),
        (wf.hinge_loss, sk.hinge_loss),
    ):
        expected = theirs(y, p, sample_weight=weights)
        assert ours(y, p, weights=weights).value == pytest.approx(expected, rel=1e-12)
    one, score = (y == 1).astype(int), 3 * p[:, 1] - 1
    expected = sk.hinge_loss(2 * one - 1, score, sample_weight=weights)
    assert wf.hinge_loss(one, score, weights=weights).value == pytest.approx(expected)
    assert wf.brier_skill(one, p[:, 1]).value == pytest.approx(sk.d2_brier_score(one, p[:, 1]))
    assert wf.ranked_probability_score(one, p[:, 1]).value == wf.brier(one, p[:, 1]).value


def test_bayes_decisions_cost_what_their_counts_say() -> None:
    y, p = three(2)
    counts = wf.count(y, (p @ np.array(COSTS)).argmin(1), labels=range(3))
    for cost, of_counts in (
        (wf.bayes_cost, wf.expected_cost),
        (wf.normalized_bayes_cost, wf.normalized_expected_cost),
    ):
        expected = of_counts(counts, costs=COSTS, interval="delta")
        ours = cost(y, p, costs=COSTS, interval="delta")
        assert ours.value == pytest.approx(expected.value, rel=1e-12)
    # the same slopes: the constant decision is best for those class frequencies
    low, high = ends(wf.normalized_bayes_cost(y, p, costs=COSTS, interval="delta").interval)
    error = (high - low) / 2 / norm.ppf(0.975)
    draws = np.random.default_rng(3).multinomial(len(y), np.full(len(y), 1 / len(y)), 150)
    each = [
        wf.normalized_bayes_cost(y, p, costs=COSTS, labels=range(3), weights=w).value for w in draws
    ]
    assert np.std(each) == pytest.approx(error, rel=0.25)
    assert wf.bayes_cost(y, p).value == pytest.approx(1 - (p.argmax(1) == y).mean())
    with pytest.raises(DefinitionError, match="costs has 2 rows and columns, but there are 3"):
        wf.bayes_cost(y, p, costs=[[0, 1], [1, 0]])
    with pytest.raises(InputError, match="a class that it needs has no items"):
        wf.brier_skill([0, 0], [[0.5, 0.5], [0.2, 0.8]], labels=[0, 1])
    with pytest.raises(DefinitionError, match="has no moments"):
        wf.moments(y, p, "brier_skill")
    with pytest.raises(ShapeError, match="one score for each item, but 3 classes"):
        wf.hinge_loss(["a", "b", "c"], [0.1, 0.2, 0.3], positive="a")


@pytest.mark.parametrize("norm_name", ["l1", "l2", "max"])
def test_calibration_errors_of_torchmetrics(norm_name: Any) -> None:
    name = {"l1": "expected", "l2": "rms", "max": "max"}[norm_name] + "_calibration_error"
    y, p = two(4)
    options: Any = {"n_bins": 12, "norm": norm_name}
    expected = tm.binary_calibration_error(torch.tensor(p), torch.tensor(y), **options)
    assert wf.score(y, p, name, bins=12).value == pytest.approx(float(expected), rel=1e-9)
    y, p = three(5)
    expected = tm.multiclass_calibration_error(torch.tensor(p), torch.tensor(y), 3, **options)
    assert wf.score(y, p, name, bins=12).value == pytest.approx(
        float(expected), rel=1e-6
    )  # in single precision


def test_the_smooth_error_is_that_of_reflected_kernels() -> None:
    y, p = two(6, 60)
    value = wf.smooth_calibration_error(y, p).value
    t = (np.arange(PLACES) + 0.5) / PLACES
    kernels = sum(
        norm.pdf(t[:, None], sign * p + 2 * turn, value) for sign in (1, -1) for turn in (-1, 0, 1)
    )
    area = np.abs((kernels * (y - p)).sum(1) / len(y)).mean()
    assert area == pytest.approx(value, abs=2e-4)
    assert wf.smooth_calibration_error([0, 1], [0.0, 1.0]).value == pytest.approx(0, abs=1e-9)


CELLS = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from([0.0, 0.1, 0.5, 0.8, 1.0])),
    min_size=1,
    max_size=12,
)


@settings(max_examples=60)
@given(CELLS)
def test_the_parts_of_a_loss_add_up(items: Any) -> None:
    y, p = ([x[at] for x in items] for at in (0, 1))
    for loss in ("brier", "log_loss"):
        calibration, sharpness, constant = (
            wf.score(y, p, name, loss=loss).value
            for name in ("miscalibration", "discrimination", "uncertainty")
        )
        assert min(calibration, sharpness, constant) >= 0
        total = calibration - sharpness + constant
        assert total == pytest.approx(wf.score(y, p, loss).value, rel=1e-12, abs=1e-12)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12))
def test_calibrated_frequencies_fall(cells: list[tuple[int, int]]) -> None:
    hits, misses = calibrated(*np.array(cells, np.int64).reshape(-1, 2).T)
    rates = hits / (hits + misses)
    assert (np.diff(rates) < 0).all()
    assert hits.sum() == sum(a for a, _ in cells) and misses.sum() == sum(b for _, b in cells)


def test_abstention() -> None:
    y, p = three(7)
    order = np.argsort(-p.max(1))
    wrong = (p.argmax(1) != y)[order]
    risk = np.cumsum(wrong) / np.arange(1, len(y) + 1)
    curve = wf.risk_coverage_curve(y, p)
    np.testing.assert_allclose(curve.risk, risk)
    np.testing.assert_allclose(curve.coverage, np.arange(1, len(y) + 1) / len(y))
    assert curve.score.value == wf.aurc(y, p).value == pytest.approx(risk.mean())
    assert wf.selective_accuracy(y, p, coverage=0.5).value == pytest.approx(1 - risk[99])
    assert wf.selective_accuracy(y, p, coverage=1).value == pytest.approx(1 - risk[-1])
    error = risk[-1]
    best = error + (1 - error) * np.log(1 - error)
    assert wf.excess_aurc(y, p).value == pytest.approx(risk.mean() - best)
    names = {at: f"p{at}" for at in range(3)}
    frame = pd.DataFrame({"y": y, **{name: p[:, at] for at, name in names.items()}})
    read = wf.risk_coverage_curve(frame, true="y", score=names)
    np.testing.assert_allclose(read.risk, risk)
    assert wf.aurc(frame, true="y", score=names) == wf.aurc(y, p)
    with pytest.raises(DefinitionError, match="average= does not apply"):
        wf.score(y, p, "aurc", average="macro")


def test_abstention_with_two_classes() -> None:
    y, p = two(8)
    both = np.stack([1 - p, p], 1)
    expected = wf.aurc(y, p, interval="auto")
    assert wf.aurc(y, both, interval="auto") == expected
    assert wf.aurc(wf.rank(y, p), interval="auto").value == expected.value
    right, confidence = (p > 0.5) == y, np.maximum(p, 1 - p)
    order = np.argsort(-confidence)
    direct = (np.cumsum(~right[order]) / np.arange(1, len(y) + 1)).mean()
    assert expected.value == pytest.approx(direct)
    assert wf.risk_coverage_curve(wf.rank(y, p)).score.value == expected.value
    with pytest.raises(InputError, match="probabilit"):
        wf.aurc(y, 4 * p)


def test_areas_are_those_of_their_curves() -> None:
    y, p = two(9)
    curve = wf.cost_curve(y, p)
    grid = np.linspace(0, 1, 4001)
    roc = wf.roc_curve(y, p)
    costs = np.outer(grid, 1 - roc.tpr) + np.outer(1 - grid, roc.fpr)
    assert wf.cost_curve_area(y, p).value == pytest.approx(
        np.trapezoid(costs.min(1), grid), abs=1e-6
    )
    np.testing.assert_allclose(curve.y, costs.min(1)[::20], atol=1e-12)
    with pytest.raises(DefinitionError, match="no valid band is known"):
        curve.band()
    at = int(np.flatnonzero(curve.x == 0.5)[0])
    counts = wf.at_threshold(wf.rank(y, p), threshold=float(curve.threshold[at]))
    assert curve.y[at] == pytest.approx(1 - wf.balanced_accuracy(counts).value)
    assert wf.pr_gain_curve(y, p).score == wf.pr_gain_auc(y, p)
    assert wf.pr_gain_auc([0, 0, 1, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5]).value == 1
    assert wf.pr_gain_auc([0, 0, 1, 1, 1], [0.5] * 5).value == pytest.approx(0, abs=1e-15)
