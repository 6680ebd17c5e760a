"""Tests of a difference: against scipy and exact enumeration."""

from __future__ import annotations

import math
import re
from functools import partial
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import whichf1 as wf
from tests.helpers.peak import calls_of
from tests.helpers.samples import present, simulated, systems_of
from whichf1.comparison import pair as significance
from whichf1.comparison.compare import letters
from whichf1.definitions.definition import define
from whichf1.errors import DefinitionError, InputError
from whichf1.scoring.evaluate import evaluate_systems
from whichf1.sources.arrays import count_together
from whichf1.statistics.cells import shared_cells
from whichf1.statistics.intervals import replicates


def test_the_difference_of_accuracies_has_mcnemars_error() -> None:
    """(b − c)/n ± z √(b + c − (b − c)²/n) / n, with b and c the discordant items."""
    true, systems = simulated(1)
    pair = wf.compare(true, systems, "accuracy", replicates=99).pairs[0]
    mcnemar, error = present(pair.mcnemar), present(pair.standard_error)
    right = [np.asarray(x) == true for x in systems.values()]
    b, c, n = int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum()), len(true)
    assert (pair.only_a, pair.only_b) == (b, c)
    assert pair.changed == int((systems["S0"] != systems["S1"]).sum())
    assert pair.difference == pytest.approx((b - c) / n)
    assert error == pytest.approx(math.sqrt(b + c - (b - c) ** 2 / n) / n)
    assert mcnemar.p_exact == pytest.approx(stats.binomtest(b, b + c).pvalue)
    assert mcnemar.p_chi2 == pytest.approx(stats.chi2.sf((b - c) ** 2 / (b + c), 1))
    pmf = stats.binom.pmf(min(b, c), b + c, 0.5)
    assert mcnemar.p_mid == pytest.approx(mcnemar.p_exact - pmf)
    half = stats.norm.ppf(0.975) * error
    assert present(pair.interval).low == pytest.approx(pair.difference - half)
    z = pair.difference / error
    assert pair.p_value == pytest.approx(2 * stats.norm.sf(abs(z)))


def test_mcnemar_where_it_applies_and_nowhere_else() -> None:
    true, systems = simulated(2)
    cases: list[tuple[str, dict[str, Any], bool]] = [
        ("error_rate", {}, True),
        ("micro_f1", {}, True),
        ("recall", {"positive": 1}, True),
        ("precision", {"positive": 1}, False),
        ("averaged_f1", {}, False),
        ("mcc", {}, False),
    ]
    for metric, options, applies in cases:
        pair = wf.compare(true, systems, metric, replicates=0, **options).pairs[0]
        assert (pair.mcnemar is not None) == applies, metric
    pair = wf.compare(true, systems, "recall", positive=1, replicates=0).pairs[0]
    ones = true == 1
    a, b = (np.asarray(x)[ones] == 1 for x in systems.values())
    assert present(pair.mcnemar).only_a == (a & ~b).sum()
    assert (
        wf.compare(true, systems, "accuracy", weights=np.ones(300), replicates=0).pairs[0].mcnemar
        is None
    )
    assert significance.mcnemar_test(0, 0).p_exact == 1
    assert significance.mcnemar_test(5, 5).p_mid == 1


@pytest.mark.parametrize("metric", ["accuracy", "averaged_f1", "cohen_kappa", "error_rate"])
def test_randomization_is_that_of_all_swaps(metric: str) -> None:
    """All 2⁹ ways to swap the predictions of nine items, one by one."""
    true = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 1, 2])
    a = np.array([0, 0, 0, 1, 1, 1, 2, 2, 0, 1, 0, 2])
    b = np.array([1, 2, 0, 2, 0, 0, 2, 1, 2, 2, 0, 0])
    differ = np.flatnonzero(a != b)
    assert len(differ) == 9
    score = getattr(wf, metric)

    def difference(x: Any, y: Any) -> float:
        one, two = (score(true, each, labels=[0, 1, 2]).value for each in (x, y))
        return float(one - two)

    observed = abs(difference(a, b))
    extreme = 0
    for swaps in product([False, True], repeat=9):
        at = differ[list(swaps)]
        x, y = a.copy(), b.copy()
        x[at], y[at] = b[at], a[at]
        extreme += abs(difference(x, y)) >= observed - 1e-12
    exact = extreme / 2**9
    pair = wf.compare(true, {"a": a, "b": b}, metric, replicates=20_000).pairs[0]
    assert pair.p_randomization == pytest.approx(exact, abs=4 * math.sqrt(exact / 20_000))


def test_clusters_are_swapped_whole() -> None:
    true = np.array([0, 0, 1, 1, 0, 1, 1, 0])
    a, b = true.copy(), true.copy()
    b[[0, 1, 2, 4]] = 1 - b[[0, 1, 2, 4]]
    cluster = [0, 0, 0, 1, 1, 2, 2, 3]  # 3, 1, 0 and 0 items differ
    pair = wf.compare(true, {"a": a, "b": b}, "accuracy", cluster=cluster, replicates=20_000).pairs[
        0
    ]
    # |±3 ± 1| ≥ 4 in two of four ways
    assert pair.p_randomization == pytest.approx(0.5, abs=0.015)
    weighted = wf.compare(
        true, {"a": a, "b": b}, "accuracy", cluster=cluster, weights=np.full(8, 2.0), replicates=999
    )
    assert weighted.pairs[0].p_randomization == pytest.approx(0.5, abs=0.06)
    plain = wf.compare(true, {"a": a, "b": b}, "accuracy", weights=np.full(8, 2.0), replicates=99)
    assert plain.pairs[0].p_randomization is None


def test_the_paired_bootstrap_centres_the_signed_difference() -> None:
    true, systems = simulated(3, n=200)
    joint = count_together(true, systems)
    definition = define("averaged_f1")
    each = {name: joint.system(at) for at, name in enumerate(systems)}
    statistics, sample = shared_cells(evaluate_systems(definition, each)[1], joint)
    values = replicates(statistics, sample, 4000, 5)
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 200, (2000, 200))
    row_values = np.array(
        [[float(wf.averaged_f1(true[r], x[r], labels=[0, 1, 2])) for x in systems.values()]
         for r in rows[:1500]]
    )  # fmt: skip
    differences = values[:, 0] - values[:, 1]
    assert stats.ks_2samp(differences, row_values[:, 0] - row_values[:, 1]).pvalue > 0.01
    observed = float(np.subtract(*(each.values(sample.count)[0] for each in statistics)))
    expected = (1 + (np.abs(differences - observed) >= abs(observed)).sum()) / 4001
    assert significance.bootstrap_p(observed, differences) == pytest.approx(expected)
    with_holes = np.append(differences, [np.nan] * 100)
    assert significance.bootstrap_p(observed, with_holes) == pytest.approx(expected)


def test_holm_and_equivalence() -> None:
    assert significance.holm([0.01, 0.04, 0.03, None]) == pytest.approx([0.03, 0.06, 0.06, None])
    assert significance.holm([0.5, 0.9]) == [1.0, 1.0]
    d, se, margin = 0.01, 0.02, 0.05
    both = max(stats.norm.sf((d + margin) / se), stats.norm.cdf((d - margin) / se))
    assert significance.equivalence_p(d, se, margin) == pytest.approx(both)
    true, systems = simulated(4, n=2000, accuracies=(0.8, 0.8))
    result = wf.compare(true, systems, "accuracy", margin=0.1, replicates=0)
    assert present(result.pairs[0].p_equivalence) < 0.001
    assert "margin:0.1" in result.signature


def test_sample_sizes_are_inverses() -> None:
    true, systems = simulated(5)
    pair = wf.compare(true, systems, "averaged_f1", power=0.9, replicates=0).pairs[0]
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.9)
    assert pair.detectable == pytest.approx(z * present(pair.standard_error))
    needed = 300 * (z * present(pair.standard_error) / pair.difference) ** 2
    assert pair.items_needed == math.ceil(needed)
    # with as many items as needed, the difference found is the detectable one
    error, detectable = present(pair.standard_error), present(pair.detectable)
    assert significance.items_needed(300, detectable, error, 0.95, 0.9) in {300, 301}


@settings(max_examples=60)
@given(st.integers(1, 12), st.sets(st.tuples(st.integers(0, 11), st.integers(0, 11))))
def test_systems_share_a_letter_if_and_only_if_they_are_alike(
    number: int, pairs: set[tuple[int, int]]
) -> None:
    names = [f"s{at}" for at in range(number)]
    apart = {(f"s{a}", f"s{b}") for a, b in pairs if a < b < number}
    marks = {name: {*re.findall(r"[a-z]|\(\d+\)", x)} for name, x in letters(names, apart).items()}
    assert all(marks.values())
    for a, b in combinations(names, 2):
        assert bool(marks[a] & marks[b]) == ((a, b) not in apart)


def graphs_with_many_groups(number: int) -> tuple[list[str], set[tuple[str, str]]]:
    """Every system differs from its neighbours in a group of three: 3 ** (number / 3) cliques."""
    names = [f"s{at}" for at in range(number)]
    return names, {(a, b) for at in range(0, number, 3) for a, b in combinations(names[at:][:3], 2)}


def test_letters_do_not_take_exponential_time() -> None:
    """Twice the systems take at most 2 ** 4 times the work; 40 took longer than anyone waits."""
    work = [calls_of(partial(letters, *graphs_with_many_groups(number))) for number in (24, 48, 96)]
    assert work[1] < 16 * work[0] and work[2] < 16 * work[1]
    rng = np.random.default_rng(0)
    names = [f"s{at}" for at in range(100)]
    apart = {pair for pair in combinations(names, 2) if rng.random() < 0.5}
    assert calls_of(partial(letters, names, apart)) < 100**3


def test_letters_by_hand() -> None:
    names = ("a", "b", "c", "d")
    assert letters(names, set()) == dict.fromkeys(names, "a")
    apart = {("a", "c"), ("a", "d"), ("b", "d")}
    assert letters(names, apart) == {"a": "a", "b": "ab", "c": "bc", "d": "c"}
    every = {(x, y) for x in names for y in names if x < y}
    assert letters(names, every) == dict(zip(names, names, strict=True))


def ranks(scores: Any) -> Any:
    return np.array([(scores < x).sum() + (scores == x).sum() / 2 for x in scores])


@pytest.mark.parametrize("name", ["log_loss", "roc_auc", "average_precision", "ks"])
def test_randomization_of_scores_is_that_of_all_swaps(name: str) -> None:
    rng = np.random.default_rng(4)
    n = 9
    y = np.array([0, 1] * 4 + [1])
    systems = {x: 1 / (1 + np.exp(1 - 2 * y - rng.normal(size=n))) for x in "ab"}
    pair = wf.compare(y, systems, name, replicates=19_999).pairs[0]
    a, b = systems.values() if name == "log_loss" else map(ranks, systems.values())
    metric = getattr(wf, name)
    extreme = 0
    for swap in product([False, True], repeat=n):
        left, right = np.where(swap, b, a), np.where(swap, a, b)
        difference = metric(y, left).value - metric(y, right).value
        extreme += abs(difference) >= abs(pair.difference) - 1e-12
    assert pair.p_randomization == pytest.approx(extreme / 2**n, abs=0.012)


def test_sets_are_swapped_as_all_swaps() -> None:
    rng = np.random.default_rng(1)
    true = rng.random((8, 3)) < 0.5
    systems = {x: true ^ (rng.random((8, 3)) < 0.3) for x in "ab"}
    pair = wf.compare(true, systems, "f1", average="macro", replicates=19_999).pairs[0]
    a, b = systems.values()
    extreme = 0
    for swap in product([False, True], repeat=8):
        chosen = np.array(swap)[:, None]
        left, right = np.where(chosen, b, a), np.where(chosen, a, b)
        values = [wf.averaged_f1(wf.count_multilabel(true, x)).value for x in (left, right)]
        extreme += abs(values[0] - values[1]) >= abs(pair.difference) - 1e-12
    assert pair.p_randomization == pytest.approx(extreme / 2**8, abs=0.012)


def test_exact_matches_have_mcnemars_test() -> None:
    true, systems = systems_of("items")
    pair = wf.compare(true, systems, "subset_accuracy", replicates=99).pairs[0]
    right = [(true == s).all(1) for s in systems.values()]
    assert pair.only_a == (right[0] & ~right[1]).sum() == present(pair.mcnemar).only_a
    assert pair.only_b == (right[1] & ~right[0]).sum()
    assert pair.changed == (systems["a"] != systems["b"]).any(1).sum()
    with pytest.raises(DefinitionError, match="one class for each item"):
        wf.compare(true, systems, "mcc")
    with pytest.raises(InputError, match="b has 3"):
        wf.compare(true, {"a": true, "b": true[:3]}, "hamming_loss")
    with pytest.raises(InputError, match="at least two systems"):
        wf.compare(true, {"a": true}, "hamming_loss")
