"""Intervals of rankings and losses: against brute force, closed forms and resampled rows."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whichf1 as wf
from whichf1.definitions.definition import define
from whichf1.errors import DefinitionError, InputError, ShapeError
from whichf1.metrics import find
from whichf1.metrics.registry import EVERY
from whichf1.scoring.lines import read_items, sampled
from whichf1.statistics.ranking import RankCells, area_spread
from whichf1.statistics.scales import Spread, bent, transformed
from whichf1.tables.cells import Predicted


def binary(seed=0, n=120, digits=1):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.35).astype(int)
    return y, (rng.normal(size=n) + y).round(digits)


def several(seed=0, n=150, k=3, digits=2):
    rng = np.random.default_rng(seed)
    y = rng.choice(k, n, p=np.arange(1, k + 1) / np.arange(1, k + 1).sum())
    scores = rng.normal(size=(n, k))
    scores[np.arange(n), y] += 1
    return y, scores.round(digits)


def probabilities(seed=0, n=150, k=3):
    y, scores = several(seed, n, k)
    p = np.exp(scores)
    return y, p / p.sum(1, keepdims=True)


MEANS = [
    (f"roc_auc(multi_class={way})", {"average": average})
    for way in ("ovr", "ovo")
    for average in ("macro", "weighted")
] + [("average_precision(multi_class=ovr)", {"average": x}) for x in ("macro", "weighted")]
SINGLE = ["roc_auc", "roc_auc(max_fpr=0.3)", "average_precision"]
LOSSES = ["log_loss", "brier", "top_k_accuracy"]


def subjects():
    yield from ((name, {}, binary()) for name in SINGLE)
    yield from ((name, options, several()) for name, options in MEANS)
    yield from ((name, {}, probabilities()) for name in LOSSES)


def items_of(name, options, y, scores, **data):
    definition = wf.Definition.parse(name) if not options else _with(name, options)
    own = read_items(definition, y, scores, None)
    return own, sampled(own, data.get("weights"), data.get("cluster"))


def _with(name, options):
    from whichf1.scoring.functions import with_options

    return with_options(name, dict(options))


# what each item gives


@pytest.mark.parametrize(("name", "options", "data"), list(subjects()))
@pytest.mark.parametrize("weighted", [False, True])
def test_slopes_are_differences(name, options, data, weighted):
    weights = np.random.default_rng(1).random(len(data[0])) + 0.5 if weighted else None
    own, items = items_of(name, options, *data, weights=weights)
    count = items.count.astype(float)
    step = 1e-5
    moved = count + step * np.concatenate([np.eye(len(count)), -np.eye(len(count))])
    up, down = np.split(own.statistic.values(moved)[..., 0], 2)
    slopes = own.statistic.slope(items.count)
    np.testing.assert_allclose(slopes, (up - down) / (2 * step), rtol=1e-6, atol=1e-9)
    assert abs((count * slopes).sum()) < 1e-9  # the score does not change if all counts are doubled


def all_pairs(scores, positive):
    """The AUC, and the share of rightly ordered pairs of each item."""
    x, y = scores[positive], scores[~positive]
    pairs = (x[:, None] > y).astype(float) + 0.5 * (x[:, None] == y)
    placed = np.zeros(len(scores))
    placed[positive], placed[~positive] = pairs.mean(1), pairs.mean(0)
    return pairs.mean(), placed


@pytest.mark.parametrize("digits", [0, 1, 6])
def test_delong_is_the_variance_over_all_pairs(digits):
    y, s = binary(digits, digits=digits)
    positive = y == 1
    area, placed = all_pairs(s, positive)
    variance = sum(placed[side].var(ddof=1) / side.sum() for side in (positive, ~positive))
    own, items = items_of("roc_auc", {}, y, s)
    assert float(own.statistic.values(items.count)[..., 0]) == pytest.approx(area, rel=1e-12)
    assert items.stratified_spread(own.statistic).error ** 2 == pytest.approx(variance, rel=1e-12)
    table = RankCells(own.definition, wf.rank(y, s).table)
    for mine, theirs in zip(
        table.sample.stratified_spread(table), items.stratified_spread(own.statistic), strict=True
    ):
        assert mine == pytest.approx(theirs, rel=1e-6)
    words = [wf.roc_auc(y, s, interval=word).interval for word in ("delta", "delong")]
    assert words[0].low == words[1].low < area < words[0].high == words[1].high


def components(y, scores, way, average):
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
def test_means_of_aucs_have_the_variance_of_all_pairs(way, average):
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
    assert score.interval.low < mean < score.interval.high
    assert wf.Definition.parse(score.signature)(y, scores).interval == score.interval


def test_average_precision_has_the_variance_of_a_jackknife():
    y, s = binary(3, n=400, digits=8)
    own, items = items_of("average_precision", {}, y, s)
    values = own.statistic.values(np.ones((400, 400)) - np.eye(400))
    jackknife = 399 / 400 * ((values - values.mean()) ** 2).sum()
    assert items.stratified_spread(own.statistic).error ** 2 == pytest.approx(jackknife, rel=0.03)


# clusters and weights


def test_items_that_are_their_own_cluster_are_single_items():
    for name, options, (y, scores) in subjects():
        own, items = items_of(name, options, y, scores, cluster=np.arange(len(y)))
        plain = items_of(name, options, y, scores)[1].spread(own.statistic.slope(items.count))
        n = len(y)
        error = items.spread(own.statistic.slope(items.count)).error
        assert error == pytest.approx(plain.error * math.sqrt(n / (n - 1)), rel=1e-10)


def test_clusters_of_areas_are_obuchowskis():
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
    assert score.interval.low < area < score.interval.high


def test_weights_are_copies_of_one_item():
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


def test_items_without_weight_are_no_items():
    y, s = binary(5)
    w = np.ones(len(y))
    w[::4] = 0
    kept = w > 0
    cluster = np.arange(len(y)) // 2
    for data in ({}, {"cluster": cluster}):
        for method in ("delta", wf.Bootstrap(replicates=99)):
            own = wf.roc_auc(y, s, weights=w, interval=method, **data)
            few = {key: x[kept] for key, x in data.items()}
            less = wf.roc_auc(y[kept], s[kept], weights=w[kept], interval=method, **few)
            assert own.value == less.value
            if method == "delta":
                assert own.interval.low == pytest.approx(less.interval.low, rel=1e-9)
                assert own.interval.high == pytest.approx(less.interval.high, rel=1e-9)
    assert "weighted:true" in own.signature
    with pytest.raises(InputError, match="no weight"):
        wf.roc_auc(y, s, weights=y == 0, interval="delta")
    with pytest.raises(ShapeError, match="cluster has 3"):
        wf.roc_auc(y, s, cluster=[1, 2, 3], interval="delta")


def test_weighted_losses_are_weighted_means():
    y, p = probabilities()
    w = np.random.default_rng(0).random(len(y))
    own = -np.log(p[np.arange(len(y)), y])
    score = wf.log_loss(y, p, weights=w, interval="delta")
    assert score.value == pytest.approx(np.average(own, weights=w), rel=1e-12)
    assert wf.log_loss(y, p, weights=w).value == score.value
    error = math.sqrt((w**2 * (own - score.value) ** 2).sum()) / w.sum()
    half = 1.959963984540054 * error
    assert score.interval.high == pytest.approx(score.value + half, rel=1e-9)
    auc = wf.roc_auc(y, p, average="weighted", multi_class="ovr", weights=np.full(len(y), 2.0))
    assert auc.value == pytest.approx(
        wf.roc_auc(y, p, average="weighted", multi_class="ovr").value, rel=1e-12
    )


# resampling


@pytest.mark.parametrize(("name", "options", "data"), list(subjects()))
@pytest.mark.parametrize("kind", ["plain", "cluster", "weights"])
def test_items_are_resampled_as_rows_are(name, options, data, kind):
    y, scores = data
    rng = np.random.default_rng(9)
    n, given = len(y), {}
    if kind == "cluster":
        given["cluster"] = np.arange(n) // 3
    if kind == "weights":
        given["weights"] = rng.random(n) + 0.5
    own, items = items_of(name, options, y, scores, **given)
    method = wf.Bootstrap(replicates=1999, kind="percentile")
    found = wf.score(y, scores, name, **options, interval=method, **given).interval
    rows = []
    for _ in range(800):
        if kind == "cluster":
            groups = rng.integers(0, n // 3, n // 3)
            times = np.repeat(np.bincount(groups, minlength=n // 3), 3)
        else:
            times = np.bincount(rng.integers(0, n, n), minlength=n)
        rows.append(float(own.statistic.values(times * items.count)[..., 0]))
    low, high = np.quantile(rows, [0.025, 0.975])
    width = high - low
    assert found.low == pytest.approx(low, abs=0.15 * width)
    assert found.high == pytest.approx(high, abs=0.15 * width)


def test_bootstraps_and_delta_agree_on_many_items():
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 1500)
    s = y + rng.normal(size=1500)
    p = 1 / (1 + np.exp(1 - 2 * s))
    for metric, given_scores in (
        (wf.roc_auc, s), (wf.average_precision, s), (wf.log_loss, p), (wf.brier, p),
    ):  # fmt: skip
        delta = metric(y, given_scores, interval="delta").interval
        for kind in ("bca", "percentile"):
            score = metric(y, given_scores, interval=wf.Bootstrap(replicates=999, kind=kind))
            width = delta.high - delta.low
            assert score.interval.low == pytest.approx(delta.low, abs=0.12 * width)
            assert score.interval.high == pytest.approx(delta.high, abs=0.12 * width)
            assert "replicates:999|seed:2019" in score.signature
            again = wf.Definition.parse(score.signature)(y, given_scores)
            assert again.interval == score.interval


def test_what_hangs_on_single_items_is_resampled_alone():
    y, s = binary(6)
    p = 1 / (1 + np.exp(-s))
    cases = [("ks", s), ("gain(top=0.2)", s), ("lift(top=0.2)", s)]
    cases += [("expected_calibration_error", p)]
    cases += [("expected_calibration_error(binning=equal-mass)", p)]
    for name, scores in cases:
        assert not find(wf.Definition.parse(name).metric).smooth
        with pytest.raises(DefinitionError, match="use 'bootstrap'"):
            wf.score(y, scores, name, interval="delta")
        for data in ({}, {"cluster": np.arange(len(y)) // 2}):
            method = wf.Bootstrap(replicates=199)
            score = wf.score(y, scores, name, interval=method, **data)
            assert score.interval.low < score.interval.high
            assert score.value == wf.score(y, scores, name).value
    with pytest.raises(DefinitionError, match="does not apply"):
        wf.roc_auc(y, s, interval="wilson")
    with pytest.raises(DefinitionError, match="whole ROC AUC"):
        wf.average_precision(y, s, interval="delong")


def test_equal_values_are_drawn_together():
    """A million items that are right or wrong are two cells; the spread is that of a share."""
    rng = np.random.default_rng(1)
    n = 300_000
    y = rng.integers(0, 3, n)
    scores = rng.normal(size=(n, 3))
    scores[np.arange(n), y] += 1
    score = wf.top_k_accuracy(y, scores, k=1, interval="bootstrap")
    share = score.value
    half = 1.96 * math.sqrt(share * (1 - share) / n)
    assert score.interval.low == pytest.approx(share - half, abs=0.05 * half)
    assert score.interval.high == pytest.approx(share + half, abs=0.05 * half)
    pair = wf.compare(y, {"a": scores, "b": scores[:, [1, 0, 2]]}, "top_k_accuracy(k=1)").pairs[0]
    assert pair.bootstrap.low == pytest.approx(pair.interval.low, rel=0.01)
    assert pair.p_randomization == pytest.approx(1 / 10_000)


def test_moments_are_sums_and_are_not_resampled():
    y, p = probabilities()
    moments = wf.moments(y, p, "log_loss")
    assert wf.log_loss(moments, interval="delta").interval is not None
    with pytest.raises(DefinitionError, match="draws items"):
        wf.log_loss(moments, interval="bootstrap")
    with pytest.raises(DefinitionError, match="does not apply"):
        wf.log_loss(moments, interval="wilson")


# means over items


def test_the_values_of_items_add_up_to_the_quick_sums():
    """A loss may have a quicker way to its sums, which must agree with its formula."""
    items = Predicted(*probabilities(7, k=4))
    quick = [metric for metric in EVERY.values() if metric.sums is not None]
    assert {metric.name for metric in quick} == {"log_loss", "brier"}
    for metric in quick:
        defaults = {name: x.default for name, x in metric.parameters.items()}
        for parameters in (defaults, defaults | ({"scale": "sum"} if "scale" in defaults else {})):
            sums = metric.sums(items, **parameters)
            each = metric.formula(items, **parameters)
            assert len(each) == sums.n
            assert each.sum() == pytest.approx(sums.total, rel=1e-12)
            assert (each**2).sum() == pytest.approx(sums.squares, rel=1e-12)


def test_label_rankings_take_weights_and_clusters():
    rng = np.random.default_rng(1)
    true = rng.random((80, 4)) < 0.4
    scores = rng.normal(size=(80, 4)) + true
    for metric in (wf.label_ranking_average_precision, wf.coverage_error):
        plain = metric(true, scores, interval="delta")
        one = metric(true, scores, interval="delta", weights=np.ones(80))
        assert one.value == pytest.approx(plain.value)
        assert one.interval.low == pytest.approx(plain.interval.low)
        assert metric(true, scores, interval="bootstrap", cluster=np.arange(80) // 2).interval


# the scale of an interval


@given(
    st.floats(0.001, 0.999),
    st.floats(1e-4, 0.5),
    st.floats(-1, 1),
    st.floats(-1, 1),
    st.floats(2, 100),
)
def test_intervals_are_nested_and_hold_the_value(value, error, skew, curvature, freedom):
    spread = Spread(error, skew, curvature, freedom)
    for bounds in ((0, 1), (-1, 1), (0, math.inf)):
        previous = None
        for level in (0.05, 0.5, 0.9, 0.99):
            interval = transformed(value, spread, bounds, level, "delta")
            assert bounds[0] <= interval.low <= value <= interval.high <= bounds[1]
            if previous is not None:
                assert interval.low <= previous.low and interval.high >= previous.high
            previous = interval


@given(st.floats(-5, 5), st.floats(-3, 3))
def test_a_bend_is_a_rising_curve(move, bend):
    assert bent(0, bend) == 0
    assert bent(move + 1e-3, bend) > bent(move, bend)
    small = 1e-3
    expected = small - bend * small**2 / 2
    assert bent(small, bend) == pytest.approx(expected, abs=2e-8)


def test_skewness_is_removed_as_by_a_cube_root():
    """Of a rare event the interval is that of the cube root of its count, moved by κ/6."""
    x, n = 12, 1_000_000
    p = x / n
    skew = (1 - 2 * p) / math.sqrt(n * p * (1 - p))
    error = math.sqrt(p * (1 - p) / n)
    interval = transformed(p, Spread(error, skew), (0, 1), 0.95, "delta")
    z, shift = 1.959963984540054, skew / 6
    high = (1 + (z + shift) / math.sqrt(x) / 3) ** 3 * x
    assert interval.high * n == pytest.approx(high, rel=1e-3)


def test_too_few_replicates_are_refused():
    for level, least in ((0.95, 39), (0.9, 19), (0.999, 1999)):
        wf.Bootstrap(level=level, replicates=least)
        with pytest.raises(DefinitionError, match=f"Use at least {least:,}"):
            wf.Bootstrap(level=level, replicates=least - 1)
    with pytest.raises(DefinitionError, match="too few"):
        wf.compare([0, 1], {"a": [0, 1], "b": [1, 1]}, replicates=5)
    with pytest.raises(DefinitionError, match="too few"):
        wf.compare([0, 1], {"a": [0, 1], "b": [1, 1]}, replicates=999, level=0.999)


def test_definitions_say_where_intervals_apply():
    assert "interval" in define("average_precision").applicable
    assert "interval" not in define("ks").applicable
    assert define("ks", None, {"interval": wf.Bootstrap()}).interval.word == "bootstrap"


@settings(max_examples=60, deadline=None)
@given(st.integers(4, 300), st.integers(0, 3), st.integers(0, 2**32))
def test_the_spread_of_an_area_is_that_of_its_derivatives(n, decimals, seed):
    rng = np.random.default_rng(seed)
    true = np.arange(n) % 3 == 0
    ranking = wf.rank(true, np.round(rng.normal(size=n) + true, decimals))
    area = wf.roc_auc(ranking).value
    cells = RankCells(wf.roc_auc.definition(interval="delong"), ranking.table)
    closed, walked = area_spread(ranking.table, area), cells.sample.stratified_spread(cells)
    if walked.error <= 1e-12 or not np.isfinite(walked.error):
        assert closed.error == pytest.approx(walked.error, abs=1e-12)
        return
    np.testing.assert_allclose(closed, walked, rtol=1e-6, atol=1e-8)
