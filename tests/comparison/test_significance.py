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
from tests.helpers.samples import ends, present, simulated, systems_of
from whichf1 import kernel
from whichf1.comparison import significance
from whichf1.comparison.compare import letters
from whichf1.definitions.definition import define
from whichf1.errors import DefinitionError, InputError
from whichf1.scoring.evaluate import evaluate_systems
from whichf1.sources.arrays import count_together
from whichf1.statistics import sample as sampling
from whichf1.statistics.cells import shared_cells
from whichf1.statistics.intervals import replicates
from whichf1.statistics.sample import Sample, Statistic
from whichf1.statistics.scales import Spread


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
    assert (pair.p_value, pair.test) == (mcnemar.p_mid, "McNemar")


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
    far = significance.mcnemar_test(9000, 0)  # 2⁻⁹⁰⁰⁰ is no float
    assert min(far.p_exact, far.p_mid, far.p_chi2) > 0


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


@pytest.mark.parametrize("metric", ["averaged_f1", "cohen_kappa", "mutual_information"])
def test_swaps_of_shared_cells_are_those_of_single_systems(metric: str) -> None:
    """Cells on which systems agree cancel, whatever the other systems predict."""
    true, systems = simulated(6, n=120, accuracies=(0.6, 0.8, 0.7, 0.7))
    joint = count_together(true, systems)
    each = {name: joint.system(at) for at, name in enumerate(systems)}
    options = {"weighting": "quadratic"} if metric == "cohen_kappa" else None
    own = evaluate_systems(define(metric, options), each)[1]
    statistics, sample = shared_cells(own, joint)
    for a, b in combinations(range(4), 2):
        one, two = statistics[a], statistics[b]
        shared = one.exchange(two, sample)
        generic = Statistic.exchange(one, two, sample)
        for moved in sample.swaps(50, 3, 1):
            for fast, slow in zip(shared(moved), generic(moved), strict=True):
                assert fast == pytest.approx(slow, rel=1e-12, nan_ok=True)


def test_rows_are_summed_for_each_system_and_not_for_each_pair(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    true = np.arange(150) % 50  # so many classes that each item has a cell of its own
    rng, summed = np.random.default_rng(7), 0
    sum_rows = kernel.sum_rows

    def counted(rows: Any, order: Any, starts: Any) -> Any:
        nonlocal summed
        summed += len(order)
        return sum_rows(rows, order, starts)

    monkeypatch.setattr(kernel, "sum_rows", counted)
    rows = []
    for number in (3, 6, 12):
        systems = {f"s{at}": rng.permutation(true) for at in range(number)}
        summed = 0
        wf.compare(true, systems, replicates=99)
        rows.append(summed / number)
    assert max(rows) < 1.3 * min(rows)


def test_threads_do_not_change_a_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    true, systems = simulated(8, n=200, accuracies=(0.6, 0.8, 0.7))
    monkeypatch.setattr(sampling, "MANY", 0)
    compared = []
    for threads in (1, 2):
        monkeypatch.setattr(kernel, "THREADS", threads)
        result = wf.compare(true, systems, replicates=199)
        compared.append((result.pairs, result.wins))
    assert compared[0] == compared[1]


def test_holm_and_equivalence() -> None:
    assert significance.holm([0.01, 0.04, 0.03, None]) == pytest.approx([0.03, 0.06, 0.06, None])
    assert significance.holm([0.5, 0.9]) == [1.0, 1.0]
    d, se, margin = 0.01, 0.02, 0.05
    both = max(stats.norm.sf((d + margin) / se), stats.norm.cdf((d - margin) / se))
    assert significance.equivalence_p(d, Spread(se), margin) == pytest.approx(both)
    both = max(stats.t.sf((d + margin) / se, 7), stats.t.cdf((d - margin) / se, 7))
    assert significance.equivalence_p(d, Spread(se, freedom=7), margin) == pytest.approx(both)
    true, systems = simulated(4, n=2000, accuracies=(0.8, 0.8))
    result = wf.compare(true, systems, "accuracy", margin=0.1, replicates=0)
    assert present(result.pairs[0].p_equivalence) < 0.001
    assert "margin:0.1" in result.signature


def test_sample_sizes_are_inverses() -> None:
    true, systems = simulated(5)
    pair = wf.compare(true, systems, "averaged_f1", power=0.9, replicates=0).pairs[0]
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.9)
    detectable = present(pair.detectable)
    assert detectable == pytest.approx(z * present(pair.standard_error), rel=0.05)
    assert pair.items_needed == math.ceil(300 * (detectable / pair.difference) ** 2)
    # of the observed difference, the range is that of its interval
    near, far = sorted(map(abs, ends(pair.interval)))
    needed = [math.ceil(300 * (detectable / x) ** 2) for x in (far, near)]
    assert [*present(pair.items_range)] == needed
    like = wf.compare(true, systems, "averaged_f1", level=0.9999, replicates=0).pairs[0]
    assert present(like.items_range)[1] is None  # 0 is inside
    # with as many items as needed, the effect is the detectable difference
    plan: dict[str, Any] = {"power": 0.9, "replicates": 0}
    same = wf.compare(true, systems, "averaged_f1", effect=detectable, **plan).pairs[0]
    assert same.items_needed in {300, 301}
    low, high = present(same.items_range)
    assert low < 300 < present(high) < 600
    half = wf.compare(true, systems, "averaged_f1", effect=detectable / 2, **plan).pairs[0]
    assert half.items_needed in {1200, 1201}
    for wrong in (0, -0.1, math.inf):
        with pytest.raises(DefinitionError, match="effect must be above 0"):
            wf.compare(true, systems, effect=wrong)


def test_false_discoveries_are_adjusted_as_scipy_does() -> None:
    p_values = [0.01, 0.04, None, 0.03, 0.5, 0.04]
    known = [p for p in p_values if p is not None]
    expected = [*stats.false_discovery_control(known)]
    expected.insert(2, None)
    assert significance.benjamini_hochberg(p_values) == [
        None if x is None else pytest.approx(x) for x in expected
    ]
    true, systems = simulated(6, n=400, accuracies=(0.9, 0.86, 0.8, 0.75))
    by = {
        how: wf.compare(true, systems, adjust=how, replicates=0) for how in ("holm", "fdr", "none")
    }
    for holm, fdr, none in zip(*(each.pairs for each in by.values()), strict=True):
        assert present(none.p_value) == none.p_adjusted == fdr.p_value
        assert present(none.p_adjusted) <= present(fdr.p_adjusted) <= present(holm.p_adjusted)
    assert "|adjust:fdr|" in by["fdr"].signature
    assert wf.compare(true, systems, by["fdr"].signature).pairs[0] == by["fdr"].pairs[0]
    with pytest.raises(DefinitionError, match="adjust must be 'holm', 'fdr' or 'none'"):
        wf.compare(true, systems, adjust="bonferroni")  # type: ignore[arg-type]


def test_differences_of_single_items_are_tested_by_students_t() -> None:
    """Without skewness, and with the degrees of freedom of normal parts, it is the usual test."""
    x = np.random.default_rng(3).normal(0.2, 1, 40)
    x = np.concatenate([x, 2 * x.mean() - x])  # no skewness
    sample = Sample(np.ones(80))
    spread = sample.tested_spread((x - x.mean()) / 80)
    assert spread.error == pytest.approx(x.std(ddof=1) / math.sqrt(80))
    assert spread.skew == pytest.approx(0, abs=1e-12)
    kurtosis = ((x - x.mean()) ** 4).mean() / x.var() ** 2
    assert spread.freedom == pytest.approx(2 * 80 / (kurtosis - 1))
    p = stats.t.sf(x.mean() / spread.error, spread.freedom) * 2
    assert significance.t_p(float(x.mean()), spread) == pytest.approx(p)


@settings(max_examples=60, deadline=None)
@given(
    st.floats(-3, 3), st.floats(0.01, 10), st.floats(-1, 1), st.floats(2, 200), st.floats(0.5, 0.99)
)
def test_an_interval_has_what_its_test_does_not_reject(
    difference: float, error: float, skew: float, freedom: float, level: float
) -> None:
    spread = Spread(error, skew, 0.0, freedom)
    interval = present(significance.t_interval(difference, spread, level, math.inf, "t"))
    assert interval.low < interval.high
    for end in (interval.low, interval.high):
        assert significance.t_p(difference - end, spread) == pytest.approx(1 - level, rel=1e-6)


def test_no_p_value_is_zero() -> None:
    for freedom in (math.inf, 5.0, 1e6):
        assert 0 < present(significance.t_p(1.0, Spread(1e-4, freedom=freedom))) < 1e-4
        assert (
            0 < present(significance.equivalence_p(0.0, Spread(1e-4, freedom=freedom), 1.0)) < 1e-4
        )
    true = np.arange(3000) % 3
    wrong = (true + 1) % 3
    pair = wf.compare(true, {"A": true, "B": np.where(true == 0, true, wrong)}, replicates=0).pairs[
        0
    ]
    assert 0 < present(pair.p_value) < 1e-100


def test_cautions_say_what_is_lacking() -> None:
    true, systems = simulated(7, n=300)
    assert wf.compare(true, systems, replicates=0).pairs[0].caution is None
    rare = np.where(np.arange(300) < 4, 9, true)
    few = wf.compare(rare, systems, replicates=0).pairs[0]
    assert few.caution == "class 9 has 4 items: the test may not keep its level"
    cluster = np.arange(300) // 20
    pair = wf.compare(true, systems, cluster=cluster, replicates=199).pairs[0]
    assert pair.caution == "there are 15 clusters: the test may not keep its level"
    assert (pair.test, pair.p_value) == ("randomization", pair.p_randomization)
    nearly = systems["S0"].copy()
    nearly[:2] = (nearly[:2] + 1) % 3
    pair = wf.compare(true, {"A": systems["S0"], "B": nearly}, replicates=0).pairs[0]
    assert "or so decide" in present(pair.caution)
    y = np.repeat([0, 1], [200, 30])
    rng = np.random.default_rng(1)
    scores = {name: y * 3 + rng.normal(size=230) for name in "AB"}
    pair = wf.compare(y, scores, "roc_auc", replicates=0).pairs[0]
    assert (
        pair.caution == "few of the 30 positives are out of place: the test may not keep its level"
    )


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


def test_a_small_p_value_is_not_0() -> None:
    for z in (0.5, 3.0, 8.3, 9.0, 20.0, 37.0):
        p = present(significance.t_p(z, Spread(1.0)))
        assert p == pytest.approx(2 * stats.norm.sf(z), rel=1e-12) and p > 0
        p = present(significance.equivalence_p(0.0, Spread(1.0), z))
        assert p == pytest.approx(stats.norm.sf(z), rel=1e-12)
    test = significance.mcnemar_test(500, 20)
    assert test.p_chi2 == pytest.approx(stats.chi2.sf(480**2 / 520, 1), rel=1e-12)
    assert 0 < test.p_mid < test.p_exact == pytest.approx(stats.binomtest(20, 520).pvalue, rel=1e-9)
    y = np.arange(2000) % 2
    pair = wf.compare(y, {"A": y, "B": 1 - y * (np.arange(2000) % 3 > 0)}, "mcc", replicates=0)
    assert 0 < present(pair.pairs[0].p_value) < 1e-200  # of Student's t
