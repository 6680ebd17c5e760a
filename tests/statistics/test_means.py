"""Intervals of means over items: losses and rankings of labels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers.samples import present, probabilities
from whichf1.errors import DefinitionError
from whichf1.metrics.registry import EVERY
from whichf1.statistics.items import Means
from whichf1.statistics.sample import Sample
from whichf1.statistics.scales import Smoothed
from whichf1.tables.cells import Predicted


def test_weighted_losses_are_weighted_means() -> None:
    y, p = probabilities()
    w = np.random.default_rng(0).random(len(y))
    own = -np.log(p[np.arange(len(y)), y])
    score = wf.log_loss(y, p, weights=w, interval="delta")
    assert score.value == pytest.approx(np.average(own, weights=w), rel=1e-12)
    assert wf.log_loss(y, p, weights=w).value == score.value
    error = math.sqrt((w**2 * (own - score.value) ** 2).sum()) / w.sum()
    half = 1.959963984540054 * error
    assert present(score.interval).high == pytest.approx(score.value + half, rel=1e-9)
    auc = wf.roc_auc(y, p, average="weighted", multi_class="ovr", weights=np.full(len(y), 2.0))
    assert auc.value == pytest.approx(
        wf.roc_auc(y, p, average="weighted", multi_class="ovr").value, rel=1e-12
    )


@given(
    st.lists(st.sampled_from([0.0, 0.5, 2.0, math.inf]), min_size=3, max_size=3),
    st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3), min_size=2, max_size=4),
)
def test_the_means_of_a_batch_are_those_of_its_draws(
    losses: list[float], draws: list[list[int]]
) -> None:
    """An infinite loss makes the mean of a draw infinite if the draw has its item."""
    means = Means(np.array(losses)).values(np.array(draws))[:, 0]
    for mean, draw in zip(means.tolist(), draws, strict=True):
        drawn = np.repeat(losses, draw)
        assert mean == pytest.approx(drawn.mean() if len(drawn) else math.nan, nan_ok=True)


def test_equal_values_are_drawn_together() -> None:
    """A million items that are right or wrong are two cells; the spread is that of a share."""
    rng = np.random.default_rng(1)
    n = 300_000
    y = rng.integers(0, 3, n)
    scores = rng.normal(size=(n, 3))
    scores[np.arange(n), y] += 1
    score = wf.top_k_accuracy(y, scores, k=1, interval="bootstrap")
    share = score.value
    half = 1.96 * math.sqrt(share * (1 - share) / n)
    assert present(score.interval).low == pytest.approx(share - half, abs=0.05 * half)
    assert present(score.interval).high == pytest.approx(share + half, abs=0.05 * half)
    pair = wf.compare(y, {"a": scores, "b": scores[:, [1, 0, 2]]}, "top_k_accuracy(k=1)").pairs[0]
    assert present(pair.bootstrap).low == pytest.approx(present(pair.interval).low, rel=0.01)
    assert pair.p_randomization == pytest.approx(1 / 10_000)


def test_moments_are_sums_and_are_not_resampled() -> None:
    y, p = probabilities()
    moments = wf.moments(y, p, "log_loss")
    assert wf.log_loss(moments, interval="delta").interval is not None
    with pytest.raises(DefinitionError, match="draws items"):
        wf.log_loss(moments, interval="bootstrap")
    with pytest.raises(DefinitionError, match="does not apply"):
        wf.log_loss(moments, interval="wilson")


def test_the_values_of_items_add_up_to_the_quick_sums() -> None:
    """A loss may have a faster way to its sums, which must agree with its formula."""
    items = Predicted(*probabilities(7, k=4))
    quick = [metric for metric in EVERY.values() if metric.sums is not None]
    skills = {"log_loss_skill", "brier_skill"}  # divided by what guessing gets
    plain = {"log_loss", "brier", "top_k_accuracy", "hinge_loss"}
    assert {metric.name for metric in quick} == plain | skills
    for metric in quick:
        defaults = {name: x.default for name, x in metric.parameters.items()}
        for parameters in (defaults, defaults | ({"scale": "sum"} if "scale" in defaults else {})):
            sums = present(metric.sums)(items, **parameters)
            each = metric.formula(items, **parameters)
            assert len(each) == sums.n
            assert each.sum() == pytest.approx(sums.total, rel=1e-12)
            assert (each**2).sum() == pytest.approx(sums.squares, rel=1e-12)


def test_label_rankings_take_weights_and_clusters() -> None:
    rng = np.random.default_rng(1)
    true = rng.random((80, 4)) < 0.4
    scores = rng.normal(size=(80, 4)) + true
    for metric in (wf.label_ranking_average_precision, wf.coverage_error):
        plain = metric(true, scores, interval="delta")
        one = metric(true, scores, interval="delta", weights=np.ones(80))
        assert one.value == pytest.approx(plain.value)
        assert present(one.interval).low == pytest.approx(present(plain.interval).low)
        assert metric(true, scores, interval="bootstrap", cluster=np.arange(80) // 2).interval


@pytest.mark.parametrize("method", ["delta", wf.Bootstrap(replicates=199)])
@pytest.mark.parametrize("name", ["log_loss", "brier", "ranked_probability_score"])
@pytest.mark.parametrize(("items", "few"), [(60, True), (240, False)])
def test_poor_methods_for_a_mean_of_few_items_have_a_caution(
    name: str, method: Any, items: int, few: bool
) -> None:
    """From items, from sums alone, with weights and in clusters."""
    true, p = probabilities(3, n=items, k=3)
    metric = getattr(wf, name)
    for options in ({}, {"weights": np.ones(items)}, {"cluster": np.arange(items)}):
        interval = metric(true, p, interval=method, **options).interval
        assert (present(interval).caution is not None) == few, options
    if method == "delta":
        sums = wf.moments(true, p, name)
        assert (present(metric(sums, interval=method).interval).caution is not None) == few


def test_a_fraction_needs_some_of_either_outcome() -> None:
    true = np.eye(3, dtype=int)[np.arange(60) % 3]
    for wrong, few in ((2, True), (20, False)):
        scores = true + np.where(np.arange(60) < wrong, -2.0, 0.0)[:, None] * true
        for method in ("delta", wf.Bootstrap(replicates=199)):
            interval = present(wf.one_error(true, scores, interval=method).interval)
            assert (interval.caution is not None) == few


@given(st.integers(0, 99))
def test_the_interval_of_clusters_is_that_of_their_means(seed: int) -> None:
    """An engine that adds up knows only the sums of each cluster."""
    rng = np.random.default_rng(seed)
    cluster, each = rng.integers(0, 12, 50), rng.gamma(1.0, size=50)
    weight = rng.choice([0.5, 1.0, 2.0], 50)
    w, ww, wv = (np.bincount(cluster, x, 12) for x in (weight, weight**2, weight * each))
    seen = np.flatnonzero(w)
    pairs = [
        (Means(each), Sample(weight, weight**2, cluster)),
        (Means(wv[seen] / w[seen]), Sample(w[seen], ww[seen], np.arange(len(seen)))),
    ]
    one, two = (statistic.smoothed(sample)[1][0] for statistic, sample in pairs)
    assert isinstance(one, Smoothed) and isinstance(two, Smoothed)
    assert one.value == pytest.approx(two.value)
    assert np.nan_to_num(np.array(one.spread, float)) == pytest.approx(
        np.nan_to_num(np.array(two.spread, float))
    )
