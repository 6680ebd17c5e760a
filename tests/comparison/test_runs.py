"""Several runs on the same items: means, intervals, tests, and where the variance comes from."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, gammaincinv, ndtr, stdtrit

import whichf1 as wf
from whichf1.comparison.runs import Components, freedom_of_sum

Runs = dict[str, list[np.ndarray]]


def drawn(seed: int, n: int = 200, runs: int = 4, classes: int = 3) -> tuple[np.ndarray, Runs]:
    """Two systems whose runs and items differ."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    hard = rng.normal(0, 1.5, n)
    pred = {
        name: [
            np.where(rng.random(n) < expit(ease + hard + rng.normal(0, 0.3)), y, (y + 1) % classes)
            for _ in range(runs)
        ]
        for name, ease in (("A", 1.5), ("B", 0.8))
    }
    return y, pred


def test_accuracy_by_hand() -> None:
    """The two-way layout: S²/R + C, with C the mean covariance of two runs over items."""
    y, pred = drawn(1)
    study = wf.study(y, "accuracy", pred=pred)
    right = {name: np.stack([x == y for x in runs]).astype(float) for name, runs in pred.items()}
    n, (pair,) = len(y), study.pairs
    d = right["A"] - right["B"]
    cov = np.cov(d) / n
    runs = len(d)
    shared = (cov.sum() - np.trace(cov)) / (runs * (runs - 1))
    scatter = d.mean(1).var(ddof=1) / runs
    assert pair.difference == pytest.approx(d.mean())
    assert pair.standard_error == pytest.approx(sqrt(scatter + max(shared, 0)))
    means = {mean.system: mean for mean in study.means}
    for name, own in right.items():
        cov = np.cov(own) / n
        shared = (cov.sum() - np.trace(cov)) / (runs * (runs - 1))
        scatter = own.mean(1).var(ddof=1)
        mean = means[name]
        assert mean.values == pytest.approx(own.mean(1).tolist())
        assert mean.deviation == pytest.approx(sqrt(scatter))
        assert mean.error == pytest.approx(sqrt(scatter / runs + shared))
        parts = mean.components
        assert parts is not None and sum(parts.shares) == pytest.approx(1)
        assert parts.items == pytest.approx(shared)
        assert parts.interaction == pytest.approx(np.trace(cov) / runs - shared)


def test_unmatched_runs_by_hand() -> None:
    y, pred = drawn(2)
    pair = wf.study(y, "accuracy", pred=pred, matched=False).pairs[0]
    a, b = (np.stack([x == y for x in runs]).astype(float) for runs in pred.values())
    n, runs = len(y), len(a)
    within = [np.cov(x) / n for x in (a, b)]
    shared = sum((x.sum() - np.trace(x)) / (runs * (runs - 1)) for x in within)
    between = np.cov(a.mean(0), b.mean(0))[0, 1] / n
    own = sum(x.mean(1).var(ddof=1) / runs for x in (a, b))
    assert pair.standard_error == pytest.approx(sqrt(own + max(shared - 2 * between, 0)))
    assert pair.test == "unmatched runs"
    interval, error = pair.interval, pair.standard_error
    assert interval is not None and error is not None
    parts = [x.mean(1).var(ddof=1) / runs for x in (a, b)]
    of_runs = sum(parts) ** 2 / sum(x**2 / runs for x in parts) - 1
    freedom = of_runs * error**2 / sum(parts)  # but for the items, which have many
    t = (interval.high - interval.low) / 2 / error
    assert stats.t.ppf(0.975, freedom) <= t + 1e-9 <= stats.t.ppf(0.975, 0.9 * freedom)


@pytest.mark.parametrize("metric", ["averaged_f1", "mcc", "balanced_accuracy", "micro_f1"])
def test_one_run_has_the_error_of_compare(metric: str) -> None:
    """On several data sets of one run each, differences have the error that compare gives."""
    sets = [drawn(seed, runs=1) for seed in (3, 4)]
    trials = [wf.trials(y, pred=pred, dataset=str(at)) for at, (y, pred) in enumerate(sets)]
    study = wf.study(trials[0] + trials[1], metric)
    for (y, pred), pair in zip(sets, study.pairs, strict=True):
        single = {name: runs[0] for name, runs in pred.items()}
        alone = wf.compare(y, single, metric, replicates=0).pairs[0]
        assert pair.difference == pytest.approx(alone.difference)
        error = alone.standard_error
        assert error is not None
        assert pair.standard_error == pytest.approx(error * sqrt(len(y) / (len(y) - 1)))
        assert pair.caution is not None and "one run" in pair.caution


@pytest.mark.parametrize("metric", ["averaged_f1", "mcc", "cohen_kappa"])
def test_the_covariance_is_that_of_the_jackknife(metric: str) -> None:
    y, pred = drawn(5, n=120, runs=2)
    study = wf.study(y, metric, pred=pred)
    (crossed,) = study.crossed.values()
    score = getattr(wf, metric)
    columns = [x for runs in pred.values() for x in runs]
    left_out = np.array(
        [[score(np.delete(y, at), np.delete(x, at)) for x in columns] for at in range(len(y))]
    )
    n = len(y)
    jackknife = (n - 1) ** 2 / n * np.cov(left_out, rowvar=False)
    assert np.diag(crossed.covariance) == pytest.approx(np.diag(jackknife), rel=0.15)
    assert crossed.values == pytest.approx([score(y, x).value for x in columns])


def test_scores_have_delongs_covariance() -> None:
    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 150)
    score = {name: [y + rng.normal(0, 1, 150) for _ in range(3)] for name in "AB"}
    study = wf.study(y, "roc_auc", score=score)
    (crossed,) = study.crossed.values()
    alone = wf.compare(y, {"A": score["A"][0], "B": score["B"][0]}, "roc_auc", replicates=0)
    weights = np.array([1.0, 0, 0, -1, 0, 0])
    variance = float(weights @ crossed.covariance @ weights)
    error = alone.pairs[0].standard_error
    assert error is not None
    assert sqrt(variance) == pytest.approx(error)


def test_a_score_without_a_slope_is_resampled() -> None:
    rng = np.random.default_rng(7)
    y = rng.integers(0, 2, 100)
    score = {name: [y + rng.normal(0, 1, 100) for _ in range(3)] for name in "AB"}
    study = wf.study(y, "ks", score=score, seed=1)
    assert study.pairs[0].p_value == wf.study(y, "ks", score=score, seed=1).pairs[0].p_value
    assert (np.diag(next(iter(study.crossed.values())).covariance) > 0).all()
    with pytest.raises(wf.errors.InputError, match="without folds"):
        wf.study(y, "ks", score=score, fold=np.arange(100) % 5)


def test_equal_runs_have_only_the_variance_of_items() -> None:
    y, pred = drawn(8, runs=1)
    same = {name: [runs[0]] * 3 for name, runs in pred.items()}
    pair = wf.study(y, "accuracy", pred=same).pairs[0]
    one = wf.compare(y, {k: v[0] for k, v in pred.items()}, "accuracy", replicates=0).pairs[0]
    assert one.standard_error is not None
    assert pair.standard_error == pytest.approx(one.standard_error * sqrt(200 / 199))
    assert pair.components is not None and pair.components.shares == pytest.approx((0, 1, 0))


def test_clusters_are_what_varies() -> None:
    y, pred = drawn(9, n=200)
    cluster = np.repeat(np.arange(40), 5)
    study = wf.study(y, "accuracy", pred=pred, cluster=cluster)
    (crossed,) = study.crossed.values()
    right = np.stack([x == y for runs in pred.values() for x in runs]).astype(float)
    sums = np.stack([np.bincount(cluster, x - x.mean()) for x in right]) / 200
    assert crossed.covariance == pytest.approx(40 / 39 * sums @ sums.T)
    assert "clusters:40" in study.signature


def test_one_run_beside_several_is_not_tested() -> None:
    y, pred = drawn(10)
    pred["B"] = pred["B"][:1]
    pair = wf.study(y, "accuracy", pred=pred, missing="all").pairs[0]
    assert pair.p_value is None and pair.caution == "B has one run, whose variance is unknown"


def test_counts_of_runs_give_a_cautious_test(tmp_path: Path) -> None:
    y, pred = drawn(11)
    known = wf.study(y, "accuracy", pred=pred).pairs[0]
    for name, runs in pred.items():
        for at, run in enumerate(runs):
            path = tmp_path / f"{name}-{at}.json"
            wf.count(y, run).save(path)
    trials = wf.trials(str(tmp_path / "{system}-{seed}.json"))
    pair = wf.study(trials, "accuracy").pairs[0]
    assert pair.difference == pytest.approx(known.difference)
    assert known.standard_error is not None and pair.standard_error is not None
    assert pair.standard_error > known.standard_error
    assert pair.caution is not None and "not matched" in pair.caution


def test_what_more_runs_and_items_buy() -> None:
    parts = Components(runs=4e-4, items=1e-4, interaction=2e-4, repeats=4, n=500)
    assert parts.variance() == pytest.approx(4e-4 / 4 + 1e-4 + 2e-4 / 4)
    assert parts.error(runs=np.inf) == pytest.approx(sqrt(1e-4))
    assert parts.variance(items=2) == pytest.approx(1e-4 + 0.5e-4 + 0.25e-4)


def test_degrees_of_freedom_are_weighted() -> None:
    assert freedom_of_sum([(1.0, 2.0)]) == 2
    assert freedom_of_sum([(1.0, 2.0), (1.0, np.inf)]) == 4
    assert freedom_of_sum([(0.0, 2.0)]) == np.inf


@pytest.mark.parametrize(
    ("runs", "low", "high"),
    [(2, 0.011, 0.058), (3, 0.036, 0.059), (5, 0.045, 0.055), (10, 0.048, 0.052)],
)
def test_the_level_of_normal_values_for_every_share_of_the_parts(
    runs: int, low: float, high: float
) -> None:
    """Computed: the variance of runs follows χ², that of items is known."""
    freedom, levels = runs - 1.0, []
    middle = (np.arange(500) + 0.5) / 500
    spread = 2 * gammaincinv(freedom / 2, middle) / freedom  # quantiles of χ² / f
    for share in np.linspace(0, 1, 21):
        own, whole = share * spread, share * spread + 1 - share
        free = [freedom_of_sum(((x, freedom), (1 - share, np.inf))) for x in own]
        limit = -stdtrit(np.minimum(free, 1e9), 0.025)
        levels.append(float(np.mean(2 * ndtr(-limit * np.sqrt(whole)))))
    assert low < min(levels) and max(levels) < high


def test_two_runs_have_the_interval_of_one_degree_of_freedom() -> None:
    """The limit of t is 12.7, in the interval as in the test, and so a caution is needed."""
    y = np.arange(40) % 2
    pred = {"A": [np.zeros(40, int), y], "B": [y, y]}
    (pair,) = wf.study(y, "accuracy", pred=pred).pairs
    assert pair.interval is not None and [pair.interval.low, pair.interval.high] == [-1, 1]
    assert pair.p_value == pytest.approx(0.5, abs=0.02)
    assert pair.caution == "two runs say little about how runs vary"


@pytest.mark.long
@pytest.mark.parametrize("runs", [3, 5])
@pytest.mark.parametrize("matched", [True, False])
def test_the_level_is_kept(runs: int, matched: bool) -> None:
    """benchmarks/study.py has the whole grid; the limits are four standard errors wide."""
    rng = np.random.default_rng(runs)
    n, rejected, sets = 200, 0, 600
    y = np.arange(n) % 2
    for _ in range(sets):
        hard = 1.5 * rng.standard_normal(n)
        pred = {}
        for name in "AB":
            own = 1.2 + hard + rng.standard_normal(n)
            odds = own + 0.2 * rng.standard_normal((runs, 1))
            right = rng.random((runs, n)) < expit(odds)
            pred[name] = np.where(right, y, 1 - y)
        pair = wf.study(y, "accuracy", pred=pred, matched=matched).pairs[0]
        rejected += pair.p_value is not None and pair.p_value < 0.05
    error = sqrt(0.05 * 0.95 / sets)
    assert abs(rejected / sets - 0.05) < 0.015 + 3 * error


def test_p_and_interval_agree() -> None:
    y, pred = drawn(12, runs=3)
    pair = wf.study(y, "accuracy", pred=pred).pairs[0]
    assert pair.p_value is not None and pair.standard_error is not None
    assert pair.interval is not None
    half = (pair.interval.high - pair.interval.low) / 2
    t = half / pair.standard_error
    assert stats.t.ppf(0.975, np.inf) - 1e-9 <= t <= stats.t.ppf(0.975, 2) + 1e-9
    assert (pair.p_value < 0.05) == (not pair.interval.low <= 0 <= pair.interval.high)
