"""Where little is known: ratios without false positives, rare classes, the top of a ranking."""

from __future__ import annotations

from math import inf, log
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaincinv, stdtrit

import whichf1 as wf
from tests.helpers.samples import Array, ends, present
from whichf1.statistics.sample import Sample, shares_of_clusters

SMALL = st.integers(0, 40)


def one_class(tp: int, fp: int, fn: int, tn: int) -> wf.Counts:
    return wf.Counts.from_matrix([[tn, fp], [fn, tp]], rows="true", labels=["cat", "bird"])


def auto(scorer: Any, counts: wf.Counts) -> wf.Interval:
    score: wf.Score = scorer(counts, positive="bird", interval="auto")
    return present(score.interval)


def test_a_likelihood_ratio_is_made_of_two_intervals() -> None:
    interval = auto(wf.positive_likelihood_ratio, one_class(20, 7, 5, 90))
    found, false = 20.5 / 26, 7.5 / 98
    low_ends = betaincinv([20.25, 7.25], [5.75, 90.75], 0.025)
    ends = low_ends, betaincinv([20.75, 7.75], [5.25, 90.25], 0.975)
    here = log(found / false)
    low = here - np.hypot(log(found / ends[0][0]), log(ends[1][1] / false))
    high = here + np.hypot(log(ends[1][0] / found), log(false / ends[0][1]))
    assert (log(interval.low), log(interval.high)) == pytest.approx((low, high), abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(SMALL, SMALL, SMALL, SMALL)
def test_ratios_of_rates(tp: int, fp: int, fn: int, tn: int) -> None:
    """Wrong predictions turned round, LR+ is LR−; the value is inside; without a false positive
    nothing is too large; the caution only looks at the items of the class."""
    if not (tp + fn and fp + tn):
        return
    counts = one_class(tp, fp, fn, tn)
    plus, minus = wf.positive_likelihood_ratio, wf.negative_likelihood_ratio
    turned = auto(minus, one_class(fn, tn, tp, fp))
    interval = auto(plus, counts)
    assert (turned.low, turned.high) == pytest.approx((interval.low, interval.high), rel=1e-9)
    assert interval.low <= float(plus(counts, positive="bird")) <= interval.high
    assert (interval.high == inf) == (fp == 0)
    assert (interval.caution is not None) == (tp + fn < 5)


def test_which_scores_need_items_in_every_class() -> None:
    """Only a mean over classes needs them; agreement needs some items for each class."""
    counts = wf.Counts.from_matrix([[90, 4, 2], [3, 60, 1], [1, 1, 2]], rows="true")
    means: list[Any] = [wf.averaged_f1, wf.f1_of_averages, wf.macro_recall, wf.weighted_f1]
    for metric in means:
        told = present(present(metric(counts, interval="auto").interval).caution)
        assert told == "class 2 has 4 items: the interval may be too narrow"
    for other in (wf.mcc, wf.cohen_kappa, wf.accuracy, wf.micro_f1):
        assert present(other(counts, interval="auto").interval).caution is None
    for rate in (wf.informedness, wf.markedness, wf.f1, wf.recall):
        assert present(rate(counts, positive=2, interval="auto").interval).caution is None
    assert present(wf.f_beta(counts, beta=2, positive=2, interval="auto").interval).caution is None
    for of_classes in (wf.adjusted_balanced_accuracy, wf.macro_mae):
        told = present(present(of_classes(counts, interval="auto").interval).caution)
        assert told == "class 2 has 4 items: the interval may be too narrow"
    sparse = wf.count(range(8), [*range(7), 0])
    told = present(present(wf.mcc(sparse, interval="auto").interval).caution)
    assert told == "there are 8 items of 8 classes: the interval may be too narrow"


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 60), st.floats(0, 1), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_a_fraction_lies_between_jeffreys_and_the_exact_interval(
    n: int, share: float, level: float
) -> None:
    x = round(share * n)
    counts = wf.Counts.from_matrix([[x, n - x], [0, 0]], rows="true")
    own, jeffreys, exact = (
        present(wf.accuracy(counts, interval=method).interval)
        for method in (wf.Auto(level), wf.Jeffreys(level), wf.ClopperPearson(level))
    )
    assert exact.low - 1e-12 <= own.low <= jeffreys.low + 1e-12
    assert jeffreys.high - 1e-12 <= own.high <= exact.high + 1e-12


def test_a_few_light_errors_do_not_show_a_better_rate_than_the_items_could() -> None:
    """They are worth their effective number at most; many light errors may be worth more."""
    worths = []
    for errors, right in ((4, 12), (4000, 12000)):
        weights = np.repeat([1.0, 3.0], [errors, right])
        sample = Sample(weights, weights**2)
        rate = sample.rate((weights > 2).astype(float))
        assert sample.effective_n <= rate.most <= rate.n
        worths.append((rate.most / sample.effective_n, rate.n / sample.effective_n))
    (few, spread), (many, known) = worths
    assert spread > 1.5 and few < 1.05
    assert many == pytest.approx(known, rel=1e-3)
    assert Sample(np.zeros(2)).rate(np.ones(2)).ends(0.9) == (0.0, 1.0)


def test_a_number_outside_the_bounds_has_no_interval() -> None:
    """undefined=5 is no recall; undefined=1 is one, of which anything is possible."""
    counts = wf.count([0, 1, 1, 0] * 9, [0, 1, 0, 0] * 9, labels=[0, 1, 2])
    methods: list[Any] = ["auto", "delta", "bootstrap", "posterior"]
    for method in methods:
        options: dict[str, Any] = {"classes": "declared", "average": "macro", "interval": method}
        assert wf.recall(counts, positive=2, undefined=5, interval=method).interval is None
        assert wf.recall(counts, undefined=5, **options).interval is None
        assert wf.recall(counts, undefined=1, **options).interval is not None
    certain = present(wf.recall(counts, positive=2, undefined=1, interval="auto").interval)
    assert (certain.low, certain.high) == (0, 1)


def test_a_score_that_no_interval_is_known_to_cover_says_so() -> None:
    rng = np.random.default_rng(3)
    true = rng.integers(0, 2, 200)
    method = wf.Bootstrap(replicates=99)
    ks = present(wf.ks(true, true + rng.normal(size=200), interval=method).interval)
    told = "the KS statistic is biased or depends on individual items: "
    assert ks.caution == told + "the interval may be too narrow"
    area = present(wf.roc_auc(true, true + rng.normal(size=200), interval=method).interval)
    assert area.caution is None


@pytest.mark.parametrize(
    ("clusters", "told"),
    [(12, None), (5, "there are 5 clusters: the interval may be too narrow")],
)
def test_a_caution_about_clusters_does_not_depend_on_errors(
    clusters: int, told: str | None
) -> None:
    rng, n = np.random.default_rng(6), 20 * clusters
    cluster, true = np.repeat(np.arange(clusters), 20), rng.integers(0, 2, n)
    for wrong in (0.3, 0.02):
        predicted = np.where(rng.random(n) < wrong, 1 - true, true)
        counts = wf.count(true, predicted, cluster=cluster)
        assert present(wf.accuracy(counts, interval="auto").interval).caution == told


def test_losses_that_are_limited_need_fewer_items() -> None:
    rng = np.random.default_rng(8)
    true, chances = rng.integers(0, 2, 100), rng.uniform(0.1, 0.9, 100)
    both = np.column_stack([1 - chances, chances])
    unlimited: tuple[Any, ...] = (wf.log_loss, wf.log_loss_skill)
    for metric in unlimited:
        told = present(metric(true, both, interval="auto").interval).caution
        assert told == "there are 100 items: the interval may be too narrow"
    limited: tuple[Any, ...] = (wf.brier, wf.brier_skill, wf.bayes_cost, wf.normalized_bayes_cost)
    for metric in limited:
        assert present(metric(true, both, interval="auto").interval).caution is None
    labels = rng.random((100, 3)) < 0.4
    ranked = wf.coverage_error(labels.astype(int), rng.random((100, 3)), interval="auto")
    assert present(ranked.interval).caution is None


def test_a_mean_of_ratios_needs_what_its_ratios_are_divided_by() -> None:
    table = [[40, 1, 1], [1, 40, 1], [0, 1, 40]]  # two or three errors of each kind
    counts = wf.Counts.from_matrix(table, rows="true")

    def caution(metric: Any) -> str | None:
        interval: Any = metric(counts, average="macro", interval="auto").interval
        return present(interval).caution  # type: ignore[no-any-return]

    assert caution(wf.negative_likelihood_ratio) is None
    told = "class 0 has 1 false positive: the interval may be too narrow"
    for metric in (wf.positive_likelihood_ratio, wf.diagnostic_odds_ratio, wf.yule_q):
        assert caution(metric) == told


def test_a_weighted_fraction_needs_the_items_that_it_is_a_fraction_of() -> None:
    true = np.repeat([0, 1], [6, 200])
    weights = np.linspace(0.5, 1.5, 206)
    counts = wf.count(true, true, weights=weights)
    told = present(wf.recall(counts, positive=0, interval="auto").interval).caution
    assert told is not None and told.startswith("it is a fraction of items that are worth ")
    assert present(wf.specificity(counts, positive=0, interval="auto").interval).caution is None


def test_clusters_are_left_out_of_their_classes() -> None:
    """For a mean of recalls the linearized jackknife is the jackknife itself."""
    rng = np.random.default_rng(4)
    cluster, classes = rng.integers(0, 12, 80), rng.choice(3, 80, p=[0.6, 0.3, 0.1])
    count = rng.integers(1, 4, 80).astype(float)
    right = (rng.random(80) < 0.7).astype(float)

    def recalls(weight: Any) -> Any:
        sums = (np.bincount(classes, weight * x, 3) for x in (right, np.ones(80)))
        hits, sizes = (x + part for x, part in zip(sums, (1 / 6, 1 / 3), strict=True))
        return hits / sizes, sizes

    recall, sizes = recalls(count)
    slope = (right - recall[classes]) / sizes[classes] / 3
    without = [float(recalls(count * (cluster != g))[0].mean()) for g in range(12)]
    expected = 11 / 12 * sum((recall.mean() - each) ** 2 for each in without)
    sample = Sample(count, cluster=cluster)
    spread = sample.smoothed_spread(slope.__getitem__, (0.0, 0.0), classes)
    assert spread.error**2 == pytest.approx(expected, rel=1e-9)
    plain = sample.smoothed_spread(slope.__getitem__, (0.0, 0.0))
    assert plain.error < spread.error
    assert shares_of_clusters(cluster, None, count).max() < 1


def test_the_skewness_of_sums_of_weights_is_not_guessed() -> None:
    rng = np.random.default_rng(5)
    weights, slope = rng.exponential(size=9), rng.normal(size=9) ** 3
    single, sums = Sample(weights, weights**2), Sample(weights, 0.7 * weights**2)
    assert single.weights_known and not sums.weights_known
    assert single.tested_spread(slope).skew is not None
    assert sums.tested_spread(slope).skew is None


def ranked(n: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    true = (rng.random(n) < 0.2).astype(int)
    true[:2] = 0, 1
    return true, 1.5 * true + rng.normal(size=n)


def test_the_gain_knows_that_its_cutoff_varies() -> None:
    """The formula once more, item by item, without ties."""
    n, top = 300, 0.1
    true, scores = ranked(n, 6)
    ordered = true[np.argsort(-scores)]
    positives, taken = true.sum(), np.arange(n) < top * n
    found = (ordered[taken].sum() + 0.5) / (positives + 1)
    reach = n**0.8 / 8
    places = np.arange(n)
    around = (places < top * n + reach) & (places + 1 > top * n - reach)
    rate = (ordered[around].sum() + 0.5) / (around.sum() + 1)
    each = (ordered * (taken - found) - rate * (taken - top)) / positives
    each -= each.mean()
    second, fourth = (
        (each**e).sum() + ((1 - found) ** e + found**e) / 2 / positives**e for e in (2, 4)
    )
    freedom = max(2 * second**2 / (fourth - second**2 / (n + 1)), 6)
    error = np.sqrt(second) * stdtrit(freedom, 0.975) / 1.959963984540054
    size = found * (1 - found) / error**2 - 1
    ends = betaincinv(size * found, size * (1 - found), (0.025, 0.975)).tolist()
    gain = present(wf.gain(true, scores, interval="auto").interval)
    lift = present(wf.lift(true, scores, interval="auto").interval)
    assert (gain.low, gain.high) == pytest.approx(ends, abs=1e-9)
    assert (lift.low / 10, lift.high / 10) == pytest.approx(ends, abs=1e-9)


@pytest.mark.parametrize("metric", [wf.gain, wf.average_precision, wf.roc_auc])
def test_intervals_of_rankings_only_look_at_ranks(metric: Any) -> None:
    for seed in range(5):
        true, scores = ranked(60, seed)
        plain = metric(true, scores, interval="auto")
        order = np.random.default_rng(seed).permutation(60)
        other = metric(true[order], np.exp(scores[order]), interval="auto")
        ends = [(x.interval.low, x.interval.high) for x in (plain, other)]
        assert ends[0] == pytest.approx(ends[1], abs=1e-9)
        assert plain.interval.low <= plain.value <= plain.interval.high
        weighted = metric(true, scores, weights=np.full(60, 3.0), interval="auto").interval
        assert (weighted.low, weighted.high) == pytest.approx(ends[0], abs=1e-6)


def test_average_precision_of_a_perfect_ranking_may_be_less() -> None:
    true = np.arange(60) < 12
    interval = present(wf.average_precision(true, -np.arange(60.0), interval="auto").interval)
    assert interval.high == 1 and 0.5 < interval.low < 0.99
    true, scores = ranked(20_000, 7)
    auto, delta = (
        present(wf.average_precision(true, scores, interval=x).interval) for x in ("auto", "delta")
    )
    assert auto.high - auto.low == pytest.approx(delta.high - delta.low, rel=0.01)


def test_a_score_that_no_interval_covers_says_so() -> None:
    true, scores = ranked(60, 8)
    with pytest.raises(wf.errors.DefinitionError, match="is biased, so no interval is known"):
        wf.ks(true, scores, interval="auto")  # type: ignore[arg-type]
    with pytest.raises(wf.errors.DefinitionError, match="Use 'auto' or 'bootstrap'"):
        wf.gain(true, scores, interval="delta")  # type: ignore[arg-type]


def test_the_caution_of_label_sets_does_not_depend_on_the_unit_of_weights() -> None:
    rng = np.random.default_rng(9)
    true, predicted = rng.random((2, 200, 3)) < 0.3
    for scale in (1e-6, 1.0, 1e6):
        counts = wf.count_multilabel(true, predicted, weights=np.full(200, scale))
        assert present(wf.averaged_f1(counts, interval="auto").interval).caution is None


def confident(n: int, errors: int, seed: int = 0) -> tuple[Array, Array]:
    """Predictions of which some are wrong, whatever their confidence."""
    rng = np.random.default_rng(seed)
    right = np.arange(n) >= errors
    return right.astype(int), 0.5 + 0.5 * rng.random(n)


@pytest.mark.parametrize("metric", [wf.aurc, wf.excess_aurc])
def test_errors_of_confident_predictions_may_be_unseen(metric: Any) -> None:
    """One more item is spread over all ranks, so that even no error leaves room for some."""
    y, p = confident(60, 0)
    none = present(metric(y, p, interval="auto").interval)
    assert none.low == 0 < 0.02 < none.high < 0.2
    assert none.caution == "there are 0 wrong predictions: the interval may be too narrow"
    assert present(metric(*confident(60, 10), interval="auto").interval).caution is None
    y, p = confident(5000, 800)
    smoothed, delta = (ends(metric(y, p, interval=x).interval) for x in ("auto", "delta"))
    assert smoothed[1] - smoothed[0] == pytest.approx(delta[1] - delta[0], rel=0.01)


def test_the_interval_of_confidences_does_not_depend_on_the_unit_of_weights() -> None:
    y, p = confident(80, 12)
    weights = np.random.default_rng(1).random(80) + 0.5
    one, two = (wf.aurc(y, p, weights=weights * x, interval="auto").interval for x in (1.0, 1e3))
    assert ends(one) == pytest.approx(ends(two), rel=1e-9)
    plain = wf.aurc(y, p, interval="auto").interval
    equal = wf.aurc(y, p, weights=np.full(80, 2.0), interval="auto").interval
    assert ends(plain) == pytest.approx(ends(equal), rel=1e-9)


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_a_mean_of_average_precisions_is_corrected_for_its_bias(average: Any) -> None:
    """Every positive counts towards the precision at its own rank, so guessing scores too high."""
    rng, shares = np.random.default_rng(5), np.array([0.15, 0.25, 0.6])
    truth = float(shares.mean() if average == "macro" else shares @ shares)
    off: dict[Any, list[float]] = {"auto": [], "delta": []}
    for _ in range(40):
        y, scores = rng.choice(3, 100, p=shares), rng.dirichlet(np.ones(3), 100)
        for method, middles in off.items():
            score = wf.average_precision(y, scores, average=average, interval=method)
            middles.append(sum(ends(score.interval)) / 2 - truth)
    corrected, plain = (float(np.mean(middles)) for middles in off.values())
    assert abs(corrected) < 0.01 and plain > 0.02
