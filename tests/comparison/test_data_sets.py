"""Ranks and differences over data sets, against published tables and other libraries."""

from __future__ import annotations

from itertools import permutations, product
from math import inf, sqrt
from typing import Any

import numpy as np
import pytest
from scipy import stats

import whichf1 as wf
from whichf1.comparison.data_sets import (
    critical_difference,
    friedman_test,
    meta_analysis,
    nemenyi_p,
    paule_mandel,
    range_tail,
    rank_data_sets,
    signed_rank,
    wilcoxon_p,
)

SYSTEMS = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")
AUC = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],  # both are printed as 0.975, and ranked 2 and 3
        [0.957, 0.978, 0.946, 0.970],
    ]
)
"""Table 6 of Demšar (2006): AUC of four variants of C4.5 on 14 data sets."""
EFFECTS = np.array(
    [-0.8893, -1.5854, -1.3481, -1.4416, -0.2175, -0.7861, -1.6209, 0.0120, -0.4694, -1.3713,
     -0.3394, 0.4459, -0.0173]
)  # fmt: skip
VARIANCES = np.array(
    [0.3256, 0.1946, 0.4154, 0.0200, 0.0512, 0.0069, 0.2230, 0.0040, 0.0564, 0.0730, 0.0124,
     0.5325, 0.0714]
)  # fmt: skip
"""Log relative risks of 13 trials of the BCG vaccine (Colditz et al. 1994), as metafor prints."""


def test_the_ranks_of_demsar_table_6() -> None:
    ranks = rank_data_sets(SYSTEMS, AUC, lower=False, level=0.95)
    average = [round(x, 3) for x in ranks.ranks.values()]
    assert average == [3.143, 2.000, 2.893, 1.964]
    assert round(ranks.critical_difference, 2) == 1.25
    assert ranks.friedman is not None
    # the paper does not correct for ties: three of two and one of four systems
    ties = (3 * (2**3 - 2) + 4**3 - 4) / (14 * 4 * (4**2 - 1))
    chi = ranks.friedman.chi_square * (1 - ties)
    assert round(chi, 2) == 9.28
    assert round(13 * chi / (14 * 3 - chi), 2) == 3.69


def test_friedman_is_that_of_scipy() -> None:
    rng = np.random.default_rng(2)
    scores = rng.random((12, 5)).round(1)  # with ties
    ours = friedman_test(stats.rankdata(-scores, axis=1))
    theirs = stats.friedmanchisquare(*scores.T)
    assert ours.chi_square == pytest.approx(theirs.statistic)
    assert ours.p_chi_square == pytest.approx(theirs.pvalue)
    f = 11 * ours.chi_square / (12 * 4 - ours.chi_square)
    assert ours.p_f == pytest.approx(stats.f.sf(f, 4, 44))
    assert (ours.p_value, ours.exact) == (ours.p_f, False)  # there are too many orders


@pytest.mark.parametrize("ties", [False, True])
def test_friedman_is_exact_for_few_orders(ties: bool) -> None:
    """By all orders of the ranks of each data set, one by one."""
    rng = np.random.default_rng(4)
    scores = rng.integers(0, 2, (4, 3)) if ties else rng.random((4, 3))
    ranks = stats.rankdata(scores, axis=1)
    ours = friedman_test(ranks)
    here = (ranks.sum(0) ** 2).sum()
    every = [
        (np.sum(rows, 0) ** 2).sum() >= here - 1e-9
        for rows in product(*([*permutations(row)] for row in ranks.tolist()))
    ]
    assert ours.exact
    assert ours.p_value == pytest.approx(np.mean(every))


def test_friedman_rejects_as_often_as_it_says() -> None:
    """The chance that p is at most 0.05, of three systems: from tables of Friedman (1937)."""
    assert friedman_test(np.array([[1, 2, 3]] * 4)).p_value == pytest.approx(6 / 6**4)
    ranks = np.array([[1, 2, 3], [1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]])
    assert friedman_test(ranks).chi_square == pytest.approx(6.4)
    assert friedman_test(ranks).p_value == pytest.approx(0.0394, abs=5e-5)


def test_equal_scores_show_nothing() -> None:
    same = np.ones((6, 3))
    assert friedman_test(stats.rankdata(same, axis=1)).p_value == 1
    assert wilcoxon_p(np.zeros(8)) == 1


def test_the_critical_difference_is_that_of_autorank() -> None:
    """Autorank 1.3.0 gives 1.2535512603486423 for 4 systems on 14 data sets."""
    assert critical_difference(14, 4, 0.95) == pytest.approx(1.2535512603486423, abs=1e-4)
    assert nemenyi_p(critical_difference(14, 4, 0.95), 14, 4) == pytest.approx(0.05)


def test_wilcoxon_is_that_of_scipy() -> None:
    difference = AUC[:, 0] - AUC[:, 2] + np.linspace(0.001, 0.002, 14)
    assert wilcoxon_p(difference) == pytest.approx(stats.wilcoxon(difference).pvalue)
    many = np.random.default_rng(5).standard_normal(80) + 0.2
    assert wilcoxon_p(many) == pytest.approx(stats.wilcoxon(many, method="approx").pvalue)


def test_wilcoxon_is_exact_with_ties_and_zeros() -> None:
    """By all signs of the differences, one by one."""
    differences = np.array([0.2, -0.1, 0.1, 0.3, 0.0, 0.2, 0.4])
    ranks = stats.rankdata(np.abs(differences))
    half = ranks[differences == 0].sum() / 2

    def above(signs: np.ndarray) -> float:
        return float(ranks[signs * np.abs(differences) > 0].sum() + half)

    middle = ranks.sum() / 2
    far = abs(above(np.sign(differences)) - middle)
    every = [abs(above(np.array(x)) - middle) >= far - 1e-9 for x in product((-1, 1), repeat=7)]
    assert wilcoxon_p(differences) == pytest.approx(np.mean(every))


@pytest.mark.parametrize("systems", [2, 3, 10, 40])
def test_the_range_of_normal_values_is_that_of_scipy(systems: int) -> None:
    for width in (0.1, 1.5, 3.3, 6.0):
        expected = stats.studentized_range.sf(width, systems, inf)
        assert range_tail(width, systems) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("rope", "expected"), [(None, (0.000935, None, 0.999065)), (0.01, (0.0, 0.32865, 0.67135))]
)
def test_the_signed_rank_test_is_that_of_baycomp(
    rope: float | None, expected: tuple[float, float | None, float]
) -> None:
    """Baycomp 1.0.3: SignedRankTest.probs(x, y, rope, nsamples=200000, random_state=1)."""
    values = AUC.copy()
    values[12] = np.round(values[12], 3)
    ours = signed_rank(values[:, 0] - values[:, 1], rope, False, seed=1)
    error = 4 * sqrt(0.25 / 20_000)
    assert ours.a_better == pytest.approx(expected[0], abs=error)
    assert ours.b_better == pytest.approx(expected[2], abs=error)
    assert (ours.rope is None) == (rope is None)
    if rope is not None:
        assert ours.rope == pytest.approx(expected[1], abs=error)
    turned = signed_rank(values[:, 0] - values[:, 1], rope, True, seed=1)
    assert (turned.a_better, turned.b_better) == (ours.b_better, ours.a_better)


def test_the_meta_analysis_is_that_of_statsmodels() -> None:
    """Statsmodels 0.15.0: combine_effects(effects, variances, method_re='iterated', use_t=True);
    metafor 4 gives the same tau² of 0.3181 by Paule and Mandel.
    """
    ours = meta_analysis(EFFECTS, np.sqrt(VARIANCES), 0.95)
    assert ours is not None
    assert ours.mean == pytest.approx(-0.7149703054400063, rel=1e-6)
    assert ours.tau**2 == pytest.approx(0.3180824398739576, rel=1e-6)
    assert ours.error == pytest.approx(0.1808945333714626, rel=1e-6)
    assert ours.q == pytest.approx(151.81491898583556)
    assert ours.i_square == pytest.approx(0.9209563850498803)
    assert (ours.interval.low, ours.interval.high) == pytest.approx((-1.10910564, -0.32083498))
    assert ours.prediction is not None
    assert ours.prediction.low < ours.interval.low < ours.interval.high < ours.prediction.high
    assert ours.p_value == pytest.approx(2 * stats.t.sf(-ours.mean / ours.error, 12))


def test_alike_differences_have_no_variance_between_data_sets() -> None:
    assert paule_mandel(np.array([0.1, 0.11, 0.12]), np.full(3, 0.01)) == 0
    ours = meta_analysis(np.array([0.1, 0.11, 0.12]), np.full(3, 0.1), 0.95)
    assert ours is not None and ours.tau == ours.i_square == 0
    assert ours.mean == pytest.approx(0.11)


def test_data_sets_without_any_variance_count_as_the_most_certain() -> None:
    effects, errors = np.array([0.1, 0.2, 0.0, 0.3]), np.array([0.1, 0.05, 0.0, np.nan])
    ours = meta_analysis(effects, errors, 0.95, limit=inf)
    assert ours == meta_analysis(effects[:3], np.array([0.1, 0.05, 0.05]), 0.95, limit=inf)
    assert ours is not None and ours.data_sets == 3
    assert meta_analysis(effects[:1], errors[:1], 0.95) is None
    assert meta_analysis(effects, np.zeros(4), 0.95) is None  # nothing varies on any


def test_a_data_set_that_all_systems_solve_counts() -> None:
    y = np.arange(60) % 3
    parts = [wf.trials(y, pred={"A": [y], "B": [y]}, dataset="easy")]
    rng = np.random.default_rng(5)
    for at in range(4):
        pred = {
            x: [np.where(rng.random(60) < share, y, 0)] for x, share in (("A", 0.9), ("B", 0.7))
        }
        parts.append(wf.trials(y, pred=pred, dataset=f"set {at}"))
    meta = [wf.study(sum(x[1:], x[0]), "accuracy").across[0].meta for x in (parts, parts[1:])]
    assert [x.data_sets for x in meta if x] == [5, 4]
    assert meta[0] and meta[1] and 0 < abs(meta[0].mean) < abs(meta[1].mean)


def drawn(seed: int, sets: int = 6, n: int = 60) -> wf.Trials:
    rng = np.random.default_rng(seed)
    parts = []
    for at in range(sets):
        y = rng.integers(0, 3, n)
        pred = {
            name: [np.where(rng.random(n) < share, y, rng.integers(0, 3, n)) for _ in range(3)]
            for name, share in (("good", 0.8), ("fair", 0.6), ("poor", 0.3))
        }
        parts.append(wf.trials(y, pred=pred, dataset=f"set {at}"))
    return sum(parts[1:], parts[0])


def test_a_study_over_data_sets() -> None:
    study = wf.study(drawn(1), "accuracy", rope=0.01)
    assert study.ranking == ("good", "fair", "poor")
    assert study.ranks is not None and study.ranks.ranks["good"] < 1.6
    first = study.across[0]
    assert (first.a, first.b, first.data_sets) == ("good", "fair", 6)
    assert first.meta is not None and first.meta.interval.low > 0
    single = [p.difference for p in study.pairs if (p.a, p.b) == ("good", "fair")]
    assert first.difference == pytest.approx(np.mean(single))
    assert study.letters == {"good": "a", "fair": "b", "poor": "c"}
    assert "datasets:6" in study.signature and "Iman–Davenport" in str(study)


def test_lower_is_better_turns_the_order() -> None:
    study = wf.study(drawn(1), "zero_one_loss")
    assert study.ranking == ("good", "fair", "poor")
    first = study.across[0]
    assert first.a_better == 6 and first.difference < 0
    assert first.signed_rank is not None and first.signed_rank.a_better > 0.9


@pytest.mark.parametrize(
    ("sets", "systems", "adjust", "words"),
    [
        (5, 2, "holm", "smallest p-value of Wilcoxon's test is 0.0625, so it cannot"),
        (6, 2, "holm", None),
        (6, 3, "holm", "smallest p-value of Wilcoxon's test is 0.0312 (0.0938 adjusted), so it"),
        (6, 3, "none", None),
        (7, 3, "holm", None),
    ],
)
def test_wilcoxons_test_says_when_it_cannot_reject(
    sets: int, systems: int, adjust: Any, words: str | None
) -> None:
    """And what to use: A is always better, and the meta-analysis finds it."""
    rng = np.random.default_rng(3)
    parts = []
    for name in range(sets):
        y = rng.integers(0, 2, 60)
        pred = {
            system: [np.where(rng.random(60) < share, y, 1 - y)]
            for system, share in (("A", 0.95), ("B", 0.6), ("C", 0.5))[:systems]
        }
        parts.append(wf.trials(y, pred=pred, dataset=f"set {name}"))
    study = wf.study(sum(parts[1:], parts[0]), "accuracy", adjust=adjust)
    text = " ".join(str(study).split())
    assert ("cannot find a significant difference" in text) == (words is not None)
    if words is not None:
        assert words in text and "Use the meta-analysis above" in text
        adjusted = [
            x.p_wilcoxon_adjusted for x in study.across if x.p_wilcoxon_adjusted is not None
        ]
        assert min(adjusted) > 0.05
    first = study.across[0]
    assert first.p_adjusted is not None and first.p_adjusted < 0.05
