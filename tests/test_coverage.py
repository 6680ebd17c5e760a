"""Simulation: intervals cover, tests keep their level and gain power. Short, and seeded."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from whichf1.compared import Plan
from whichf1.comparison import compare_joint
from whichf1.definition import define
from whichf1.joint import Joint
from whichf1.labels import Labels
from whichf1.uncertainty import delong, paired

_PATH = Path(__file__).parent.parent / "benchmarks" / "coverage.py"
_SPEC = importlib.util.spec_from_file_location("coverage_simulation", _PATH)
coverage = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(coverage)

SETTINGS = [
    coverage.Setting(2, True, 200, 0.6),
    coverage.Setting(2, False, 2000, 0.6),
    coverage.Setting(5, True, 200, 0.95),
    coverage.Setting(20, True, 2000, 0.95),
]
"""At least 30 items of every class."""


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS)
def test_delta_intervals_cover(setting):
    for name, found in coverage.delta(setting, 3000, seed=1).items():
        assert 0.935 <= found.covered <= 0.968, name  # 3,000 data sets: ± .8 at two errors
        assert found.without <= 0.005


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS[:3])
def test_bca_intervals_cover(setting):
    for name, found in coverage.bootstrap(setting, 600, 299, seed=1)["BCa"].items():
        assert 0.93 <= found.covered <= 0.975, name  # 600 data sets: ± 1.8 at two errors


@pytest.mark.slow
def test_areas_and_losses_cover():
    assert 0.935 <= coverage.auc(coverage.Setting(2, True, 200, 0.6), 2000, 1).covered <= 0.965
    loss = coverage.log_loss(coverage.Setting(2, True, 200, 0.95), 4000, 1)
    assert 0.93 <= loss.covered <= 0.965


@pytest.mark.slow
def test_where_intervals_fail_the_page_says_so():
    """Ten items of a rare class that are mostly all right: the first order sees no spread."""
    found = coverage.delta(coverage.Setting(2, False, 200, 0.95), 2000, seed=1)
    assert found["macro_recall"].covered < 0.7
    page = (Path(__file__).parent.parent / "docs" / "intervals.md").read_text(encoding="utf-8")
    assert "| 2 | 95:5 | 200 | 10 | 0.95 | delta |" in page


# tests of a difference

N, K = 500, 3
TRUE, A, B = (x.ravel() for x in np.meshgrid(*[np.arange(K)] * 3, indexing="ij"))


def joint_shares(first, second):
    """Errors of the two systems are independent, and spread over the other classes."""
    share = np.full(len(TRUE), 1 / K)
    for predicted, right in ((A, first), (B, second)):
        share = share * np.where(predicted == TRUE, right, (1 - right) / (K - 1))
    return share


def samples(first, second, repetitions, seed):
    rng = np.random.default_rng(seed)
    for count in rng.multinomial(N, joint_shares(first, second), repetitions):
        keep = count > 0
        yield Joint(("a", "b"), Labels(range(K)), TRUE[keep], (A[keep], B[keep]), count[keep])


@pytest.fixture(scope="module")
def null():
    """All tests of 2,000 pairs of equally good systems."""
    plan = Plan(replicates=199)
    definition = define("averaged_f1", None, {"interval": "delta"})
    accuracy = define("accuracy", None, {"interval": "delta"})
    pairs, shares = [], []
    for joint in samples(0.75, 0.75, 2000, seed=12):
        pairs.append(compare_joint(joint, definition, plan).pairs[0])
        shares.append(compare_joint(joint, accuracy, Plan(replicates=0)).pairs[0])
    return pairs, shares


@pytest.mark.slow
@pytest.mark.parametrize("test", ["p_value", "p_bootstrap", "p_randomization"])
def test_type_one_errors_are_five_per_cent(null, test):
    rejected = np.mean([getattr(pair, test) <= 0.05 for pair in null[0]])
    assert 0.04 <= rejected <= 0.06


@pytest.mark.slow
def test_type_one_errors_of_mcnemar(null):
    tests = [pair.mcnemar for pair in null[1]]
    for name in ("p_mid", "p_chi2"):
        assert 0.04 <= np.mean([getattr(x, name) <= 0.05 for x in tests]) <= 0.06
    assert np.mean([x.p_exact <= 0.05 for x in tests]) <= 0.05  # exact: never too often
    covered = [pair.interval.low <= 0 <= pair.interval.high for pair in null[1]]
    assert 0.94 <= np.mean(covered) <= 0.96


@pytest.mark.slow
def test_the_equivalence_test_errs_in_five_per_cent_at_the_margin():
    definition = define("accuracy", None, {"interval": "delta"})
    plan = Plan(replicates=0, margin=0.1)
    pairs = [compare_joint(j, definition, plan).pairs[0] for j in samples(0.8, 0.7, 2000, 4)]
    assert 0.04 <= np.mean([pair.p_equivalence <= 0.05 for pair in pairs]) <= 0.06


@pytest.mark.slow
def test_power_rises_with_the_difference_and_is_the_one_planned():
    definition = define("accuracy", None, {"interval": "delta"})
    powers = []
    for better in (0.75, 0.79, 0.84):
        plan = Plan(replicates=99)
        pairs = [compare_joint(j, definition, plan).pairs[0] for j in samples(better, 0.75, 200, 5)]
        powers.append(
            [
                np.mean([getattr(p, test) <= 0.05 for p in pairs])
                for test in ("p_value", "p_bootstrap", "p_randomization")
            ]
        )
    assert (np.diff(powers, axis=0) > 0.1).all()
    error = np.sqrt((0.75 * 0.25 + 0.82 * 0.18) / N)
    detectable = paired.detectable_difference(error, 0.95, 0.8)
    pairs = [
        compare_joint(j, definition, Plan(replicates=0)).pairs[0]
        for j in samples(0.75 + detectable, 0.75, 1000, 6)
    ]
    assert np.mean([p.p_value <= 0.05 for p in pairs]) == pytest.approx(0.8, abs=0.05)


@pytest.mark.slow
def test_type_one_errors_of_delong_and_of_losses():
    rng = np.random.default_rng(13)
    areas, losses = 0, 0
    for _ in range(2000):
        positive = rng.random(N) < 0.4
        shared = rng.normal(size=N)
        scores = [positive + shared + rng.normal(size=N) for _ in range(2)]
        a, b = (delong.placements(s, positive) for s in scores)
        areas += paired.normal_p(a.auc - b.auc, delong.difference_error(a, b)) <= 0.05
        x, y = (np.log1p(np.exp(-np.where(positive, s, -s))) for s in scores)
        error = delong.mean_difference_error(x, y)
        losses += paired.normal_p(float((x - y).mean()), error) <= 0.05
    assert 0.04 <= areas / 2000 <= 0.06
    assert 0.04 <= losses / 2000 <= 0.06
