"""Bands of curves: what they hold, and how far they reach."""

from __future__ import annotations

import csv
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from benchmarks.bands import HERE, sample, table
from scipy.stats import beta

import whichf1 as wf
from tests.helpers.pictures import ranking
from tests.helpers.readme import ROOT
from whichf1.errors import DefinitionError, InputError
from whichf1.statistics.bands import (
    AT,
    GROUPS,
    at_or_above,
    draw_rates,
    enclosing,
    grouped,
    rates_of,
)
from whichf1.statistics.intervals import hit_limits

CURVES: dict[str, Any] = {
    "roc": wf.roc_curve,
    "det": wf.det_curve,
    "pr": wf.pr_curve,
    "pr-gain": wf.pr_gain_curve,
    "gain": wf.gain_curve,
    "lift": wf.lift_curve,
    "decision": wf.decision_curve,
    "risk-coverage": wf.risk_coverage_curve,
}


@pytest.mark.parametrize("shape", AT)
def test_the_shape_of_the_items_is_their_curve(shape: str) -> None:
    """With distinct scores, curve and shape agree where the curve does not jump."""
    rng = np.random.default_rng(1)
    true = rng.integers(0, 2, 300)
    data = wf.rank(true, (rng.normal(true) / 10 + 0.4).clip(0.001, 0.998), positive=1)
    curve = CURVES[shape](data)
    x, at = np.unique(curve.x, return_index=True)
    alone = np.flatnonzero(np.isin(curve.x, x[np.bincount(np.searchsorted(x, curve.x)) == 1]))
    alone = alone[curve.x[alone] > 0]
    assert len(alone) > 30 and len(at) > 30
    shown = AT[shape](curve.x[alone], rates_of(curve.ranking))
    np.testing.assert_allclose(shown, curve.y[alone], atol=1e-12)


@pytest.mark.parametrize("shape", AT)
def test_a_simultaneous_band_holds_the_pointwise_one(shape: str) -> None:
    curve = CURVES[shape](ranking(7))
    narrow, wide = (curve.band(simultaneous=each) for each in (False, True))
    assert (wide.low <= narrow.low).all() and (narrow.high <= wide.high).all()
    assert (narrow.low <= narrow.high).all() and (wide.simultaneous, narrow.simultaneous) == (
        True,
        False,
    )
    again = curve.band()
    assert (again.low == narrow.low).all() and (curve.band(seed=1).low != narrow.low).any()
    less = curve.band(0.5)
    assert (narrow.low <= less.low).all() and (less.high <= narrow.high).all()


def test_rates_at_a_threshold_have_the_distribution_of_jeffreys() -> None:
    data = ranking(3)
    drawn, hits = draw_rates(data, 0, 4000), data.table.true_positives
    for at in (5, 60, 135):
        found = np.quantile(drawn.tpr[:, at + 1], [0.025, 0.5, 0.975])
        p = float(data.table.sizes[0])
        known = beta.ppf([0.025, 0.5, 0.975], hits[at] + 0.5, p - hits[at] + 0.5)
        np.testing.assert_allclose(found, known, atol=0.012)


def test_a_simultaneous_band_holds_its_share_of_the_draws() -> None:
    values = np.cumsum(np.random.default_rng(0).normal(size=(2000, 40)), 1)
    band = enclosing(np.arange(40.0), values, 0.9, True)
    inside = ((band.low <= values) & (values <= band.high)).all(1).mean()
    assert 0.89 <= inside <= 0.92
    point = enclosing(np.arange(40.0), values, 0.9, False)
    assert ((point.low <= values) & (values <= point.high)).mean() == pytest.approx(0.9, abs=0.003)


def test_many_scores_are_grouped_and_keep_their_curve() -> None:
    rng = np.random.default_rng(2)
    true = rng.random(50_000) < 0.2
    data = wf.rank(true, rng.normal(true), positive=True)
    small = grouped(data)
    assert len(small.score) <= 2 * GROUPS + 2 and small.n == data.n
    x = np.linspace(0, 1, 500)
    for shape in ("roc", "pr", "gain"):
        found, known = (AT[shape](x[5:], rates_of(each)) for each in (small, data))
        np.testing.assert_allclose(found, known, atol=0.01)


def test_thresholds_are_found_as_a_decision_makes_them() -> None:
    threshold = np.array([np.inf, 0.9, 0.5, 0.1])
    assert at_or_above(np.array([1.0, 0.9, 0.6, 0.5, 0.05]), threshold).tolist() == [0, 1, 1, 2, 3]


def test_the_band_of_a_score_holds_the_score() -> None:
    curve = wf.threshold_curve(ranking(4), metric="accuracy")
    band = curve.band()
    at = np.searchsorted(-curve.threshold, -band.x)
    assert (band.low <= curve.value[at]).mean() > 0.98
    assert (curve.value[at] <= band.high).mean() > 0.98
    interval = wf.accuracy(
        wf.at_threshold(ranking(4), threshold=float(band.x[70])), interval="auto"
    )
    assert interval.interval is not None
    ends = interval.interval.low, interval.interval.high
    assert (band.low[70], band.high[70]) == pytest.approx(ends, abs=0.015)


def test_limits_of_hits_are_those_of_all_outcomes() -> None:
    p, items = np.array([0.1, 0.35, 0.8]), np.array([2, 3, 1])
    each = np.repeat(p, items)
    chance = np.zeros(7)
    for outcome in product((0, 1), repeat=6):
        chance[sum(outcome)] += np.prod(np.where(outcome, each, 1 - each))
    below = np.cumsum(chance)
    for level in (0.5, 0.9, 0.99):
        tails = (1 - level) / 2, (1 + level) / 2
        known = tuple(float(np.argmax(below >= tail)) / 6 for tail in tails)
        assert hit_limits(p, items, level) == pytest.approx(known)
    low, high = hit_limits(np.array([0.3]), np.array([10_000]), 0.95)
    assert (low, high) == pytest.approx((0.291, 0.309), abs=0.0005)


@pytest.mark.long
def test_a_band_covers_the_truth_of_a_few_data_sets() -> None:
    from benchmarks.bands import covered

    for row in covered(100, 0.3, 1.5, 0.0, 40):
        assert row["pointwise_mean"] > 0.88, row
        assert row["simultaneous"] >= 0.8, row


def test_the_docs_have_the_simulated_coverage() -> None:
    assert table() in (ROOT / "docs" / "intervals.md").read_text()
    with open(HERE / "bands.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["curve"] for row in rows} == {*AT, "F1 by threshold"}
    assert min(float(row["pointwise_mean"]) for row in rows) > 0.93


@pytest.mark.parametrize(
    ("options", "words"),
    [({"level": 1.0}, "level"), ({"simultaneous": "yes"}, "simultaneous"), ({"seed": -1}, "seed")],
)
def test_odd_options_are_refused(options: dict[str, Any], words: str) -> None:
    for curve in (wf.roc_curve(ranking(1)), wf.decision_curve(ranking(1))):
        with pytest.raises(DefinitionError, match=words):
            curve.band(**options)


def test_weighted_items_are_worth_their_effective_number() -> None:
    """Equal weights change nothing; unequal ones make a band as wide as fewer items would."""
    rng = np.random.default_rng(8)
    true = np.tile([0, 1], 200)
    scores, weights = true + rng.normal(size=400), rng.exponential(size=400)
    plain = wf.roc_curve(true, scores).band()
    equal = wf.roc_curve(true, scores, weights=np.full(400, 3.0)).band()
    assert np.allclose(equal.low, plain.low) and np.allclose(equal.high, plain.high)
    ranking = wf.rank(true, scores, weights=weights)
    wide = wf.roc_curve(ranking).band()
    times = np.mean(wide.high - wide.low) / np.mean(plain.high - plain.low)
    assert times == pytest.approx(np.sqrt(400 / ranking.effective_n), rel=0.1)


def test_weights_that_are_not_known_are_refused() -> None:
    weighted = wf.rank([0, 1, 1], [0.1, 0.4, 0.9], weights=[1, 2, 1])
    with pytest.raises(InputError, match="squared weights"):
        wf.roc_curve(replace(weighted, squares=None)).band()
    with pytest.raises(InputError, match="without weights"):
        wf.calibration_curve(weighted).consistency()
    assert sample(20, 0.5, 1.0, np.random.default_rng(0)).n == 20
