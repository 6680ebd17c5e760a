"""Simulation: intervals cover, tests keep their level and gain power. Short, and seeded."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import whichf1 as wf
from tests.helpers.samples import present
from whichf1.comparison.compare import compare_counts, difference_spreads
from whichf1.comparison.pair import Plan, detectable_difference
from whichf1.comparison.significance import t_p
from whichf1.definitions.definition import define
from whichf1.scoring.functions import with_options
from whichf1.scoring.lines import read_items, sampled
from whichf1.statistics.scales import Spread
from whichf1.tables.counts import Counts
from whichf1.tables.labels import Labels

_PATH = Path(__file__).parents[2] / "benchmarks" / "coverage.py"


_SPEC = importlib.util.spec_from_file_location("coverage_simulation", _PATH)


coverage = importlib.util.module_from_spec(present(_SPEC))
present(present(_SPEC).loader).exec_module(coverage)


SETTINGS = [s for s in coverage.SETTINGS if s.smallest >= 30]
"""At least 30 items of every class: there the page promises 93.5 to 96.5 %."""


def page() -> Any:
    path = Path(__file__).parents[2] / "docs" / "intervals.md"
    return path.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS)
def test_delta_intervals_cover(setting: Any) -> None:
    """3,000 data sets: the standard error is 0.4 points, the bar at 3.7 of them."""
    repetitions = 3000
    for name, found in coverage.delta(setting, repetitions, seed=1).items():
        assert 0.935 <= found.covered <= 0.965, name
        assert found.without <= 0.006


@pytest.mark.slow
@pytest.mark.parametrize(
    "setting", [coverage.Setting(2, True, 200, 0.6), coverage.Setting(5, True, 200, 0.95)]
)
def test_bca_intervals_cover(setting: Any) -> None:
    """2,500 data sets: the standard error is 0.44 points, the bar at 3.4 of them."""
    for name, found in coverage.bootstrap(setting, 2500, 199, seed=1)["BCa"].items():
        assert 0.935 <= found.covered <= 0.965, name


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["roc_auc", "average_precision"])
def test_rankings_cover(metric: str) -> None:
    """1,500 data sets: the standard error is 0.56 points, the bar at 2.7 of them."""
    for accuracy in (0.6, 0.95):
        setting = coverage.Setting(2, True, 200, accuracy)
        found = coverage.ranking(setting, metric, 1500, seed=2)
        assert 0.935 <= found.covered <= 0.965


@pytest.mark.slow
@pytest.mark.parametrize(("way", "average"), [("ovr", "macro"), ("ovo", "weighted")])
def test_means_of_aucs_cover(way: str, average: str | None) -> None:
    """600 data sets: the standard error is 0.9 points."""
    found = coverage.areas(coverage.Setting(3, True, 150, 0.8), way, average, 600, seed=1)
    assert 0.93 <= found.covered <= 0.975


@pytest.mark.slow
def test_losses_cover() -> None:
    loss = coverage.log_loss(coverage.Setting(2, True, 200, 0.6), 40_000, 1)
    assert 0.935 <= loss.covered <= 0.965
    few = coverage.log_loss(coverage.Setting(2, True, 50, 0.95), 40_000, 1)
    assert 0.915 <= few.covered <= 0.935  # skewed losses, and few of them: the page says so
    assert "**Log loss** with 50 items is covered in 92 to 93 %" in page()


@pytest.mark.slow
def test_where_intervals_fail_the_page_says_so() -> None:
    """Ten items of a rare class that are mostly all right: the first order sees no spread."""
    found = coverage.delta(coverage.Setting(2, False, 200, 0.95), 2000, seed=1)
    assert found["macro_recall"].covered < 0.7
    assert "| 2 | 95:5 | 200 | 10 | 0.95 | delta |" in page()
    area = coverage.ranking(coverage.Setting(2, False, 2000, 0.95), "roc_auc", 1200, seed=1)
    assert 0.91 <= area.covered <= 0.945
    assert "an AUC of .99 with 100 positives among 2,000 items is covered in 93 %" in page()


N, K = 500, 3


TRUE, A, B = (x.ravel() for x in np.meshgrid(*[np.arange(K)] * 3, indexing="ij"))


def joint_shares(first: Any, second: Any) -> Any:
    """Errors of the two systems are independent, and spread over the other classes."""
    share = np.full(len(TRUE), 1 / K)
    for predicted, right in ((A, first), (B, second)):
        share = share * np.where(predicted == TRUE, right, (1 - right) / (K - 1))
    return share


def samples(first: Any, second: Any, repetitions: int, seed: int) -> Iterator[Any]:
    rng = np.random.default_rng(seed)
    for count in rng.multinomial(N, joint_shares(first, second), repetitions):
        keep = count > 0
        columns = (TRUE[keep], (A[keep], B[keep]), count[keep])
        yield Counts(Labels(range(K)), *columns, declared=False, systems=("a", "b"))


@pytest.fixture(scope="module")
def null() -> Any:
    """All tests of 2,000 pairs of equally good systems: the standard error is 0.5 points."""
    plan = Plan(replicates=99)
    definition = define("averaged_f1", None, {"interval": "delta"})
    accuracy = define("accuracy", None, {"interval": "delta"})
    pairs, shares = [], []
    for joint in samples(0.75, 0.75, 2000, seed=12):
        pairs.append(compare_counts(joint, definition, plan).pairs[0])
        shares.append(compare_counts(joint, accuracy, Plan(replicates=0)).pairs[0])
    return pairs, shares


@pytest.mark.slow
@pytest.mark.parametrize("test", ["p_value", "p_bootstrap", "p_randomization"])
def test_type_one_errors_are_five_per_cent(null: Any, test: Any) -> None:
    rejected = np.mean([getattr(pair, test) <= 0.05 for pair in null[0]])
    assert 0.04 <= rejected <= 0.06


@pytest.mark.slow
def test_type_one_errors_of_mcnemar(null: Any) -> None:
    tests = [pair.mcnemar for pair in null[1]]
    for name in ("p_mid", "p_chi2"):
        assert 0.04 <= np.mean([getattr(x, name) <= 0.05 for x in tests]) <= 0.06
    assert np.mean([x.p_exact <= 0.05 for x in tests]) <= 0.05  # exact: never too often
    covered = [pair.interval.low <= 0 <= pair.interval.high for pair in null[1]]
    assert 0.94 <= np.mean(covered) <= 0.96


@pytest.mark.slow
def test_the_equivalence_test_errs_in_five_per_cent_at_the_margin() -> None:
    definition = define("accuracy", None, {"interval": "delta"})
    plan = Plan(replicates=0, margin=0.1)
    pairs = [compare_counts(j, definition, plan).pairs[0] for j in samples(0.8, 0.7, 2000, 4)]
    assert 0.04 <= np.mean([present(pair.p_equivalence) <= 0.05 for pair in pairs]) <= 0.06


@pytest.mark.slow
def test_power_rises_with_the_difference_and_is_the_one_planned() -> None:
    definition = define("accuracy", None, {"interval": "delta"})
    powers = []
    for better in (0.75, 0.79, 0.84):
        plan = Plan(replicates=99)
        pairs = [
            compare_counts(j, definition, plan).pairs[0] for j in samples(better, 0.75, 200, 5)
        ]
        powers.append(
            [
                np.mean([getattr(p, test) <= 0.05 for p in pairs])
                for test in ("p_value", "p_bootstrap", "p_randomization")
            ]
        )
    assert (np.diff(powers, axis=0) > 0.1).all()
    error = np.sqrt((0.75 * 0.25 + 0.82 * 0.18) / N)
    detectable = detectable_difference(Spread(error), 0.95, 0.8)
    pairs = [
        compare_counts(j, definition, Plan(replicates=0)).pairs[0]
        for j in samples(0.75 + detectable, 0.75, 1000, 6)
    ]
    assert np.mean([present(p.p_value) <= 0.05 for p in pairs]) == pytest.approx(0.8, abs=0.05)


def null_pairs(metric: str, seed: int, repetitions: int = 2000, **options: Any) -> Any:
    """The p-values of pairs of equally good systems that share some of their noise."""
    rng = np.random.default_rng(seed)
    weights = options.pop("weighted", False)
    groups = options.pop("groups", None)
    several = options.get("multi_class") is not None
    rejected = 0
    for _ in range(repetitions):
        y = rng.integers(0, 3, N) if several else (rng.random(N) < 0.4).astype(int)
        true = np.eye(3)[y] if several else y.astype(float)
        shared = rng.normal(size=true.shape)
        data = dict(options)
        if weights:
            data["weights"] = rng.random(N) + 0.5
        if groups:
            data["cluster"] = np.arange(N) // (N // groups)
        each = [true + shared + _noise(rng, true.shape, groups) for _ in range(2)]
        if metric == "log_loss":
            each = [1 / (1 + np.exp(1 - 2 * x)) for x in each]
        rejected += p_of(metric, y, each, **data) <= 0.05
    return rejected / repetitions


def p_of(
    metric: str, y: Any, systems: Any, weights: Any = None, cluster: Any = None, **options: Any
) -> Any:
    """The p-value that ``compare`` gives, without the intervals of the systems."""
    definition = with_options(metric, options)
    own = [read_items(definition, y, scores, None) for scores in systems]
    items = sampled(own[0], weights, cluster)
    spread = difference_spreads(own[0].definition, [x.statistic for x in own], items)(0, 1)[1]
    a, b = (float(x.statistic.values(items.count)[0]) for x in own)
    return t_p(a - b, spread)


@pytest.mark.parametrize("metric", ["roc_auc", "log_loss"])
def test_the_p_value_of_these_simulations_is_that_of_compare(metric: str) -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 80)
    systems = [rng.beta(2 + y, 3 - y) for _ in range(2)]
    data: dict[str, Any] = {"weights": rng.random(80), "cluster": np.arange(80) // 2}
    for given in ({}, {"weights": data["weights"]}, data):
        own = wf.compare(y, dict(zip("ab", systems, strict=True)), metric, replicates=0, **given)
        assert p_of(metric, y, systems, **given) == own.pairs[0].p_value


def _noise(rng: Any, shape: Any, groups: Any) -> Any:
    """Noise of each item, half of it common to the items of a cluster."""
    noise = rng.normal(size=shape)
    if groups:
        noise += np.repeat(rng.normal(size=(groups, *shape[1:])), shape[0] // groups, 0)
    return noise


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metric", "options"),
    [
        ("roc_auc", {}),
        ("average_precision", {}),
        ("roc_auc", {"multi_class": "ovr", "average": "macro"}),
        ("roc_auc", {"weighted": True}),
        ("roc_auc", {"groups": 100}),
        ("log_loss", {}),
        ("log_loss", {"weighted": True}),
        ("log_loss", {"groups": 100}),
    ],
)
def test_type_one_errors_of_rankings_and_losses(metric: str, options: dict[str, Any]) -> None:
    assert 0.04 <= null_pairs(metric, 13, **options) <= 0.06


@pytest.mark.slow
def test_type_one_errors_where_single_items_decide() -> None:
    """The largest difference of two curves: the bootstrap and the randomization test."""
    rng = np.random.default_rng(14)
    found = []
    for _ in range(500):
        y = (rng.random(100) < 0.4).astype(int)
        systems = {x: y + rng.normal(size=100) for x in "ab"}
        found.append(wf.compare(y, systems, "ks", replicates=99).pairs[0])
    for test in ("p_bootstrap", "p_randomization"):
        assert 0.02 <= np.mean([getattr(pair, test) <= 0.05 for pair in found]) <= 0.075, test
