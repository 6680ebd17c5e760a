"""Intervals of fractions of items: against scipy and closed forms."""

from __future__ import annotations

import math

import pytest
from scipy import stats

import whichf1 as wf
from tests.helpers.samples import ends, present, random_counts
from whichf1.errors import DefinitionError
from whichf1.statistics.proportions import PROPORTIONS


@pytest.mark.parametrize(("x", "n"), [(0, 7), (3, 7), (7, 7), (1, 1), (95, 100), (812, 2019)])
def test_proportions_are_those_of_scipy(x: int, n: int) -> None:
    counts = wf.Counts.from_matrix([[x, n - x], [0, 5]], rows="true")
    scipy = stats.binomtest(x, n)
    for word, name in (("wilson", "wilson"), ("clopper-pearson", "exact")):
        ours = wf.recall(counts, positive=0, interval=word).interval
        theirs = scipy.proportion_ci(0.95, method=name)
        assert ends(ours) == pytest.approx(tuple(theirs), abs=1e-9)
    ours = wf.recall(counts, positive=0, interval="jeffreys").interval
    beta = stats.beta(x + 0.5, n - x + 0.5)
    expected = (0 if x == 0 else beta.ppf(0.025), 1 if x == n else beta.ppf(0.975))
    assert ends(ours) == pytest.approx(expected, abs=1e-9)
    ours = wf.recall(counts, positive=0, interval="agresti_coull").interval
    z2 = stats.norm.ppf(0.975) ** 2
    p = (x + z2 / 2) / (n + z2)
    half = math.sqrt(z2 * p * (1 - p) / (n + z2))
    assert ends(ours) == pytest.approx((max(0, p - half), min(1, p + half)), abs=1e-12)


def test_f1_is_a_proportion_in_disguise() -> None:
    counts = wf.Counts.from_matrix([[8, 2], [1, 30]], rows="true")
    for word in PROPORTIONS:
        j = wf.jaccard(counts, positive=0, interval=word).interval
        f = wf.f1(counts, positive=0, interval=word).interval
        assert ends(f) == pytest.approx(
            (2 * present(j).low / (1 + present(j).low), 2 * present(j).high / (1 + present(j).high))
        )


def test_which_scores_are_fractions_of_items() -> None:
    counts = random_counts(1, 3)
    shares = [
        wf.accuracy(counts, interval="wilson"),
        wf.error_rate(counts, interval="wilson"),
        wf.micro_f1(counts, interval="wilson"),
        wf.precision(counts, average="micro", exclude=[0], interval="wilson"),
        wf.specificity(counts, positive=1, interval="wilson"),
    ]
    for score in shares:
        assert present(score.interval).low < score.value < present(score.interval).high
    assert present(shares[0].interval).low == pytest.approx(1 - present(shares[1].interval).high)
    assert present(shares[0].interval).low == pytest.approx(present(shares[2].interval).low)
    no_shares = [
        lambda: wf.averaged_f1(counts, interval="wilson"),
        lambda: wf.cohen_kappa(counts, interval="wilson"),
        lambda: wf.mcc(counts, interval="jeffreys"),
        lambda: wf.micro_f1(counts, exclude=[0], interval="wilson"),
        lambda: wf.informedness(counts, positive=0, interval="wilson"),
        lambda: wf.f_beta(counts, beta=2, positive=0, interval="wilson"),
    ]
    for call in no_shares:
        with pytest.raises(DefinitionError, match="fraction of items"):
            call()
    with pytest.raises(DefinitionError, match="whole ROC AUC"):
        wf.accuracy(counts, interval="delong")


def test_wilson_has_an_interval_where_delta_has_none() -> None:
    perfect = wf.Counts.from_matrix([[50, 0], [0, 50]], rows="true")
    assert wf.accuracy(perfect, interval="delta").interval is None
    interval = wf.accuracy(perfect, interval="wilson").interval
    assert present(interval).high == 1
    assert present(interval).low == pytest.approx(0.963, abs=5e-4)
