"""Intervals of rankings and of losses item by item: brute force, closed forms, resampled rows."""

from __future__ import annotations

import math
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

import whichf1 as wf
from tests.helpers.samples import Array, binary, ends, items_of, present, several, subjects
from whichf1.errors import DefinitionError, InputError, ShapeError
from whichf1.metrics import find
from whichf1.statistics.items import Ranked, area_spread, rank_cells


@pytest.mark.parametrize(("name", "options", "data"), list(subjects()))
@pytest.mark.parametrize("weighted", [False, True])
def test_slopes_are_differences(
    name: str, options: dict[str, Any], data: Any, weighted: bool
) -> None:
    weights = np.random.default_rng(1).random(len(data[0])) + 0.5 if weighted else None
    own, items = items_of(name, options, data[0], data[1], weights)
    count = items.count.astype(float)
    step = 1e-5
    moved = count + step * np.concatenate([np.eye(len(count)), -np.eye(len(count))])
    up, down = np.split(own.statistic.values(moved)[..., 0], 2)
    slopes = own.statistic.slope(items.count)
    np.testing.assert_allclose(slopes, (up - down) / (2 * step), rtol=1e-6, atol=1e-9)
    assert abs((count * slopes).sum()) < 1e-9  # the score does not change if all counts are doubled


def all_pairs(scores: Any, positive: Any) -> Any:
    """The AUC, and the share of rightly ordered pairs of each item."""
    x, y = scores[positive], scores[~positive]
    pairs = (x[:, None] > y).astype(float) + 0.5 * (x[:, None] == y)
    placed = np.zeros(len(scores))
    placed[positive], placed[~positive] = pairs.mean(1), pairs.mean(0)
    return pairs.mean(), placed


@pytest.mark.parametrize("digits", [0, 1, 6])
def test_delong_is_the_variance_over_all_pairs(digits: int) -> None:
    y, s = binary(digits, digits=digits)
    positive = y == 1
    area, placed = all_pairs(s, positive)
    variance = sum(placed[side].var(ddof=1) / side.sum() for side in (positive, ~positive))
    own, items = items_of("roc_auc", {}, y, s)
    assert float(own.statistic.values(items.count)[..., 0]) == pytest.approx(area, rel=1e-12)
    assert items.stratified_spread(own.statistic).error ** 2 == pytest.approx(variance, rel=1e-12)
    statistic, sample = rank_cells(own.definition, wf.rank(y, s).table)
    for mine, theirs in zip(
        sample.stratified_spread(statistic), items.stratified_spread(own.statistic), strict=True
    ):
        assert mine == pytest.approx(theirs, rel=1e-6)
    words = [wf.roc_auc(y, s, interval=word).interval for word in ("delta", "delong")]
    assert (
        present(words[0]).low
        == present(words[1]).low
        < area
        < present(words[0]).high
        == present(words[1]).high
    )


def components(y: Any, scores: Any, way: str, average: str | None) -> Any:
    """A mean of AUCs, and what each item gives to it, from all pairs of items."""
    k, n = scores.shape[1], len(y)
    problems = (
        [(a, y == a, np.ones(n, bool)) for a in range(k)]
        if way == "ovr"
        else [(a, y == a, (y == a) | (y == b)) for a, b in permutations(range(k), 2)]
    )
    areas, gives, weights = [], [], []
    for column, positive, inside in problems:
        area, placed = all_pairs(scores[inside, column], positive[inside])
        own = np.zeros(n)
        sizes = np.where(positive, positive.sum(), (inside & ~positive).sum())
        own[inside] = (placed - area) / sizes[inside]
        areas.append(area)
        gives.append(own)
        weights.append(inside if way == "ovo" else positive)
    size = np.array([w.sum() for w in weights]) if average == "weighted" else np.ones(len(areas))
    mean = (size * areas).sum() / size.sum()
    total = (size[:, None] * gives).sum(0)
    if average == "weighted":
        total = total + sum((a - mean) * w for a, w in zip(areas, weights, strict=True))
    return mean, total / size.sum()


@pytest.mark.parametrize("way", ["ovr", "ovo"])
@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_means_of_aucs_have_the_variance_of_all_pairs(way: Any, average: Any) -> None:
    y, scores = several(digits=1)
    mean, gives = components(y, scores, way, average)
    name, options = f"roc_auc(multi_class={way})", {"average": average}
    own, items = items_of(name, options, y, scores)
    score = wf.roc_auc(y, scores, average=average, multi_class=way, interval="delta")
    assert score.value == pytest.approx(mean, rel=1e-12)
    assert score.value == wf.roc_auc(y, scores, average=average, multi_class=way).value
    sizes = np.bincount(y)
    variance = sum(n / (n - 1) * (gives[y == c] ** 2).sum() for c, n in enumerate(sizes))
    assert items.stratified_spread(own.statistic).error ** 2 == pytest.approx(variance, rel=1e-10)
    left_out = np.ones((len(y), len(y))) - np.eye(len(y))
    values = own.statistic.values(left_out)[..., 0]
    jackknife = (len(y) - 1) / len(y) * ((values - values.mean()) ** 2).sum()
    assert variance == pytest.approx(jackknife, rel=0.05)
    assert present(score.interval).low < mean < present(score.interval).high
    assert wf.Definition.parse(score.signature)(y, scores).interval == score.interval


def test_average_precision_has_the_variance_of_a_jackknife() -> None:
    y, s = binary(3, n=400, digits=8)
    own, items = items_of("average_precision", {}, y, s)
    values = own.statistic.values(np.ones((400, 400)) - np.eye(400))
    jackknife = 399 / 400 * ((values - values.mean()) ** 2).sum()
    assert items.stratified_spread(own.statistic).error ** 2 == pytest.approx(jackknife, rel=0.03)


@settings(max_examples=60, deadline=None)
@given(st.integers(4, 300), st.integers(0, 3), st.integers(0, 2**32))
def test_the_spread_of_an_area_is_that_of_its_derivatives(n: int, decimals: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    true = np.arange(n) % 3 == 0
    ranking = wf.rank(true, np.round(rng.normal(size=n) + true, decimals))
    area = wf.roc_auc(ranking).value
    cells, sample = rank_cells(wf.roc_auc.definition(interval="delong"), ranking.table)
    found, closed = area_spread(ranking.table)
    assert found == area
    walked = sample.stratified_spread(cells)
    if walked.error <= 1e-12 or not np.isfinite(walked.error):
        assert closed.error == pytest.approx(walked.error, abs=1e-12)
        return
    assert tuple(closed) == pytest.approx(tuple(walked), rel=1e-6, abs=1e-8)


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=12))
def test_two_rankings_side_by_side_share_ranks_or_scores(items: list[tuple[int, int, int]]) -> None:
    """Scores on different scales are replaced by their ranks, in which ties are in the middle."""
    positive, *scores = np.array(items).T
    a, b = (Ranked(each.astype(float), positive > 1) for each in scores)
    for by_score in (False, True):
        both = a.beside(b, len(items), by_score)
        marks = both.marks(2 * len(items))
        shared = scores if by_score else [1 - rankdata(-each) for each in scores]
        np.testing.assert_array_equal(both.score[marks // 2], np.concatenate(shared))
        np.testing.assert_array_equal(marks % 2, np.tile(positive > 1, 2))


def test_clusters_of_one_item_are_items() -> None:
    for name, options, (y, scores) in subjects():
        own, items = items_of(name, options, y, scores, cluster=np.arange(len(y)))
        plain = items_of(name, options, y, scores)[1].spread(own.statistic.slope(items.count))
        n = len(y)
        error = items.spread(own.statistic.slope(items.count)).error
        assert error == pytest.approx(plain.error * math.sqrt(n / (n - 1)), rel=1e-10)


def test_clusters_of_areas_are_obuchowskis() -> None:
    """Obuchowski (1997): sums of placements over clusters that hold both classes."""
    rng = np.random.default_rng(2)
    groups, each = 40, 6
    y = np.tile([0, 0, 0, 0, 1, 1], groups)
    cluster = np.repeat(np.arange(groups), each)
    s = y + rng.normal(size=len(y)) + np.repeat(rng.normal(size=groups), each)
    area, placed = all_pairs(s, y == 1)
    x, z = (
        np.array([(placed[(cluster == g) & (y == c)] - area).sum() for g in range(groups)])
        for c in (1, 0)
    )
    m, n = (y == 1).sum(), (y == 0).sum()
    factor = groups / (groups - 1)
    variance = factor * ((x**2).sum() / m**2 + (z**2).sum() / n**2 + 2 * (x * z).sum() / (m * n))
    own, items = items_of("roc_auc", {}, y, s, cluster=cluster)
    assert items.stratified_spread(own.statistic).error ** 2 == pytest.approx(variance, rel=1e-10)
    score = wf.roc_auc(y, s, interval="delong", cluster=[f"d{c}" for c in cluster])
    assert score.signature.endswith("clusters:40")
    assert present(score.interval).low < area < present(score.interval).high


def test_weights_are_copies_of_one_item() -> None:
    for name, options, (y, scores) in subjects():
        w = np.random.default_rng(4).integers(1, 4, len(y))
        own, items = items_of(name, options, y, scores, weights=w)
        copies = np.repeat(np.arange(len(y)), w)
        twin, copied = items_of(name, options, y[copies], scores[copies], cluster=copies)
        value = float(own.statistic.values(items.count)[..., 0])
        assert value == pytest.approx(float(twin.statistic.values(copied.count)[..., 0]), rel=1e-12)
        one = items.spread(own.statistic.slope(items.count))
        two = copied.spread(twin.statistic.slope(copied.count))
        n = len(y)
        assert one.error == pytest.approx(two.error / math.sqrt(n / (n - 1)), rel=1e-9)
        assert one.skew == pytest.approx(two.skew, rel=1e-6)


def test_items_without_weight_are_no_items() -> None:
    y, s = binary(5)
    w = np.ones(len(y))
    w[::4] = 0
    kept = w > 0
    cluster = np.arange(len(y)) // 2
    methods: tuple[Any, ...] = ("delta", wf.Bootstrap(replicates=99))
    for groups, method in product((None, cluster), methods):
        every = wf.roc_auc(y, s, weights=w, cluster=groups, interval=method)
        some = None if groups is None else groups[kept]
        fewer = wf.roc_auc(y[kept], s[kept], weights=w[kept], cluster=some, interval=method)
        assert every.value == fewer.value
        assert "weighted:true" in every.signature
        if method == "delta":
            assert ends(every.interval) == pytest.approx(ends(fewer.interval), rel=1e-9)
    with pytest.raises(InputError, match="weight above 0"):
        wf.roc_auc(y, s, weights=y == 0, interval="delta")
    with pytest.raises(ShapeError, match="cluster has 3"):
        wf.roc_auc(y, s, cluster=[1, 2, 3], interval="delta")


@pytest.mark.parametrize(("name", "options", "data"), list(subjects()))
@pytest.mark.parametrize("kind", ["plain", "cluster", "weights"])
def test_items_are_resampled_as_rows_are(
    name: str, options: dict[str, Any], data: Any, kind: str
) -> None:
    """800 and 999 draws: the standard error of a difference of ends is 0.033 of the width."""
    y, scores = data
    rng = np.random.default_rng(9)
    n = len(y)
    given: dict[str, Any] = {}
    if kind == "cluster":
        given["cluster"] = np.arange(n) // 3
    if kind == "weights":
        given["weights"] = rng.random(n) + 0.5
    items, sample = items_of(name, options, y, scores, **given)
    method = wf.Bootstrap(replicates=999, kind="percentile")
    interval = wf.score(y, scores, name, **options, interval=method, **given).interval
    each = 3 if kind == "cluster" else 1
    times = rng.multinomial(n // each, [each / n] * (n // each), 800).repeat(each, axis=1)
    low, high = np.quantile(items.statistic.values(times * sample.count)[..., 0], [0.025, 0.975])
    assert ends(interval) == pytest.approx((low, high), abs=0.15 * (high - low))


def test_bootstraps_and_delta_agree_on_many_items() -> None:
    """499 draws: the standard error of an end is 0.03 of the width."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 1500)
    s = y + rng.normal(size=1500)
    p = 1 / (1 + np.exp(1 - 2 * s))
    metrics: list[tuple[Any, Array]] = [
        (wf.roc_auc, s),
        (wf.average_precision, s),
        (wf.log_loss, p),
        (wf.brier, p),
    ]
    kinds: tuple[Any, ...] = ("bca", "percentile")
    for metric, given_scores in metrics:
        low, high = ends(metric(y, given_scores, interval="delta").interval)
        for kind in kinds:
            score = metric(y, given_scores, interval=wf.Bootstrap(replicates=499, kind=kind))
            assert ends(score.interval) == pytest.approx((low, high), abs=0.12 * (high - low))
            assert "replicates:499|seed:2019" in score.signature
        again = wf.Definition.parse(score.signature)(y, given_scores)
        assert again.interval == score.interval


def test_what_depends_on_individual_items_is_only_resampled() -> None:
    y, s = binary(6)
    p = 1 / (1 + np.exp(-s))
    cases = [("ks", s), ("gain(top=0.2)", s), ("lift(top=0.2)", s)]
    cases += [("expected_calibration_error", p)]
    cases += [("expected_calibration_error(binning=equal-mass)", p)]
    for name, scores in cases:
        assert not find(wf.Definition.parse(name).metric).smooth
        with pytest.raises(DefinitionError, match=r"[Uu]se ('auto' or )?'bootstrap'"):
            wf.score(y, scores, name, interval="delta")
        for cluster in (None, np.arange(len(y)) // 2):
            method = wf.Bootstrap(replicates=199)
            score = wf.score(y, scores, name, interval=method, cluster=cluster)
            low, high = ends(score.interval)
            assert low < high
            assert score.value == wf.score(y, scores, name).value
    with pytest.raises(DefinitionError, match="does not apply"):
        wf.roc_auc(y, s, interval="wilson")
    with pytest.raises(DefinitionError, match="whole ROC AUC"):
        wf.average_precision(y, s, interval="delong")
