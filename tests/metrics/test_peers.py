"""Other libraries as oracles, each with the convention in which it differs."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sk

import whichf1 as wf
from tests.helpers.samples import E1, ends, random_counts
from tests.helpers.strategies import LABELS

SEEDS = range(6)


def items(counts: wf.Counts) -> tuple[Any, Any]:
    times = counts.count.astype(int)
    return counts.true.repeat(times), counts.predicted.repeat(times)


@pytest.mark.parametrize("seed", SEEDS)
def test_association_like_scikit_learn(seed: int) -> None:
    counts = random_counts(seed, 2 + seed)
    y, p = items(counts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = wf.adjusted_balanced_accuracy(counts)
        assert ours == pytest.approx(sk.balanced_accuracy_score(y, p, adjusted=True))
        assert wf.mutual_information(counts) == pytest.approx(sk.mutual_info_score(y, p))
        assert wf.adjusted_rand_index(counts) == pytest.approx(sk.adjusted_rand_score(y, p))
        for mean in ("arithmetic", "geometric", "min", "max"):
            expected = sk.normalized_mutual_info_score(y, p, average_method=mean)
            ours = wf.normalized_mutual_information(counts, mean=mean)
            assert ours == pytest.approx(expected)
        for k in range(len(counts.labels)):
            expected = sk.matthews_corrcoef(y == k, p == k)
            assert wf.one_vs_rest_mcc(counts, positive=k) == pytest.approx(expected)


def test_trivial_partitions_are_undefined_where_scikit_learn_says_1() -> None:
    one = wf.count([0, 0, 0], [0, 0, 0])
    assert sk.adjusted_rand_score([0] * 3, [0] * 3) == 1
    assert sk.normalized_mutual_info_score([0] * 3, [0] * 3) == 1
    for metric in (wf.adjusted_rand_index, wf.normalized_mutual_information):
        assert metric(one) == 0 and math.isnan(metric(one, undefined="nan"))
        assert metric(one, undefined=1) == 1


OF_CLASSES = {
    "GM": "g_mean",
    "G": "fowlkes_mallows",
    "MCC": "one_vs_rest_mcc",
    "DOR": "diagnostic_odds_ratio",
    "Q": "yule_q",
    "OP": "optimized_precision",
}
OVERALL = {
    "Scott PI": "scott_pi",
    "Gwet AC1": "gwet_ac1",
    "Bennett S": "brennan_prediger",
    "Kappa": "cohen_kappa",
    "NIR": "no_information_rate",
    "P-Value": "no_information_p_value",
    "Cramer V": "cramer_v",
    "Overall CEN": "confusion_entropy",
    "ARI": "adjusted_rand_index",
    "Overall MCC": "mcc",
}


PUBLISHED = json.loads((Path(__file__).parents[1] / "data" / "pycm_matrices.json").read_text())


def test_like_pycm_on_published_matrices() -> None:
    """All that PyCM can compute; where it says 'None', we have a rule for 0/0."""
    assert len(PUBLISHED["matrices"]) == 37
    for each in PUBLISHED["matrices"]:
        counts = wf.Counts.from_matrix(each["matrix"], rows="true")
        compare_with_pycm(counts)


@pytest.mark.parametrize("seed", SEEDS)
def test_like_pycm(seed: int) -> None:
    compare_with_pycm(random_counts(seed, 2 + seed))


def compare_with_pycm(counts: wf.Counts) -> None:
    """PyCM counts information in bits; its lambda A and B guess the true and the predicted."""
    import pycm

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = {i: dict(enumerate(row)) for i, row in enumerate(counts.matrix.tolist())}
        matrix = pycm.ConfusionMatrix(matrix=table)
    for theirs, ours in OF_CLASSES.items():
        for k, expected in getattr(matrix, theirs).items():
            if expected != "None":
                assert wf.score(counts, ours, positive=k) == pytest.approx(expected), theirs
    for k in matrix.classes:
        balanced = wf.index_of_balanced_accuracy(counts, positive=k, alpha=1)
        assert balanced == pytest.approx(matrix.IBA[k])
    for theirs, ours in OVERALL.items():
        expected = matrix.overall_stat[theirs]
        if expected != "None":
            assert wf.score(counts, ours) == pytest.approx(expected), theirs
    bits = matrix.overall_stat["Mutual Information"]
    assert wf.mutual_information(counts) == pytest.approx(bits * math.log(2))
    a, b = (matrix.overall_stat[f"Lambda {side}"] for side in "AB")
    assert wf.goodman_kruskal_lambda(counts, of="true") == pytest.approx(a)
    assert wf.goodman_kruskal_lambda(counts, of="predicted") == pytest.approx(b)


RATED = [[20, 4, 1, 0], [3, 15, 6, 1], [0, 2, 18, 5], [2, 0, 3, 10]]
OWN = [[0, 1, 2, 5], [1, 0, 1, 3], [2, 1, 0, 1], [5, 3, 1, 0]]
IRRCAC: list[tuple[Any, tuple[float, ...]]] = [
    ("none", (0.595673877, 0.595236112, 0.6, 0.60156314)),
    ("linear", (0.690625, 0.690350831, 0.706666667, 0.711421677)),
    ("quadratic", (0.759410802, 0.759246622, 0.782222222, 0.788688527)),
    (OWN, (0.711757269, 0.711501961, 0.74017094, 0.746370766)),
]
"""What irrCAC 0.4.4 gives for RATED: conger, fleiss, bp and gwet, with weights of agreement 1 - w,
where w are ours divided by the largest. Of two raters, Fleiss' kappa is Scott's pi."""


@pytest.mark.parametrize(("weighting", "values"), IRRCAC)
def test_two_raters_like_irrcac(weighting: Any, values: tuple[float, ...]) -> None:
    counts = wf.Counts.from_matrix(RATED, rows="true")
    for name, expected in zip(
        ("cohen_kappa", "scott_pi", "brennan_prediger", "gwet_ac1"), values, strict=True
    ):
        assert wf.score(counts, name, weighting=weighting) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", ["cohen_kappa", "scott_pi", "brennan_prediger", "gwet_ac1"])
def test_a_matrix_of_distances_is_what_its_name_says(name: str) -> None:
    counts = random_counts(8, 5)
    apart = np.abs(np.subtract.outer(range(5), range(5)))
    words: Any = (("none", apart > 0), ("linear", apart), ("quadratic", apart**2))
    for word, matrix in words:
        own = wf.score(counts, name, weighting=matrix.astype(int).tolist(), interval="delta")
        named = wf.score(counts, name, weighting=word, interval="delta")
        assert own == pytest.approx(named.value, rel=1e-12)
        assert ends(own.interval) == pytest.approx(ends(named.interval), rel=1e-9)


def test_costs() -> None:
    counts = wf.Counts.from_matrix([[50, 10], [5, 35]], rows="true")
    costs = [[0, 1], [5, 0]]
    assert wf.expected_cost(counts, costs=costs) == pytest.approx(35 / 100)
    assert wf.normalized_expected_cost(counts, costs=costs) == pytest.approx(35 / 60)
    assert wf.expected_cost(counts).value == wf.error_rate(counts).value
    signature = wf.expected_cost(counts, costs=np.array(costs)).signature
    assert signature.startswith("expected_cost(costs=[[0,1],[5,0]])|")
    assert wf.Definition.parse(signature)(counts) == pytest.approx(0.35)
    for k in (3, 5):  # a matrix for any number of classes, with every interval
        several, own = random_counts(k, k), (9 * np.random.default_rng(k).random((k, k))).tolist()
        methods: Any = ("auto", "delta", wf.Bootstrap(replicates=199))
        for method in methods:
            cost = wf.expected_cost(several, costs=own, interval=method)
            truth = (several.matrix * np.array(own)).sum() / several.n
            assert cost.interval and cost.interval.low < truth < cost.interval.high
            assert cost == pytest.approx(truth, rel=1e-12)
    abstain: list[list[float]] = [
        [0, 1, 0.2],
        [1, 0, 0.2],
        [1, 1, 1],
    ]  # a class that only predictions have
    deferred = wf.count([0, 0, 1, 1], [0, 2, 1, 2], labels=[0, 1, 2])
    assert wf.expected_cost(deferred, costs=abstain) == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("costs", "says"),
    [
        ([[0, 1]], "got 1 × 2"),
        ([[0, 1], [1]], "a list of rows"),
        ([[0, -1], [1, 0]], "row 1, column 2 is -1"),
        ([[0, 1], [math.nan, 0]], "row 2, column 1 is nan"),
        (3, "got a number"),
        ("x", "got 'x'"),
        ([[0, 1], [1, 0]], "costs has 2 rows and columns, but there are 6 classes"),
    ],
)
def test_costs_of_the_wrong_shape(costs: Any, says: str) -> None:
    with pytest.raises(wf.errors.DefinitionError, match=says):
        wf.expected_cost(*E1, labels=LABELS, costs=costs)


def test_weights_of_agreement_are_refused() -> None:
    with pytest.raises(wf.errors.DefinitionError, match="its diagonal must be 0"):
        wf.cohen_kappa([0, 1], [0, 1], weighting=[[1, 0], [0, 1]])
    with pytest.raises(wf.errors.DefinitionError, match="0 everywhere"):
        wf.gwet_ac1([0, 1], [0, 1], weighting=[[0, 0], [0, 0]])


def test_weighted_items_are_refused_where_items_are_counted() -> None:
    for metric in (wf.adjusted_rand_index, wf.no_information_p_value):
        with pytest.raises(wf.errors.DefinitionError, match="cannot have weights"):
            metric([0, 1, 1], [0, 1, 0], weights=[1, 2, 0.5])
        repeated = metric([0] * 3 + [1] * 4, [0] * 3 + [1] * 4)
        assert metric([0, 1], [0, 1], frequencies=[3, 4]).value == repeated.value


def test_an_endless_beta_is_recall() -> None:
    expected = wf.recall(*E1, average="macro").value
    assert wf.f_beta(*E1, average="macro", beta=math.inf).value == expected
    definition = wf.f_beta.definition(beta=math.inf, average="macro")
    assert "f_beta(beta=inf)" in definition.signature
    assert wf.Definition.parse(definition.signature) == definition


def test_raters_at_both_ends_are_farther_below_chance_than_1() -> None:
    """Guesses are near each other: 1 − 25 · 4 / 40 and 1 − 25 · 16 / 100 for five classes."""
    for weighting, expected in (("none", -0.25), ("linear", -1.5), ("quadratic", -3.0)):
        how: Any = {"labels": range(5), "weighting": weighting}
        assert wf.brennan_prediger([0], [4], **how) == expected
    every: Any = {"weighting": "quadratic", "labels": range(7)}
    assert wf.gwet_ac1([0, 0, 0, 6, 1, 5], [6, 6, 5, 0, 6, 1], **every) < -1


def test_any_number_for_0_by_0() -> None:
    score = wf.precision([0, 1], [0, 0], positive=1, undefined=0.25)
    assert score == 0.25 and "undef:0.25" in score.signature
    assert wf.Definition.parse(score.signature)([0, 1], [0, 0]) == 0.25
    wrong: tuple[Any, ...] = (math.inf, "one", True)
    for value in wrong:
        with pytest.raises(wf.errors.DefinitionError, match="undefined must be a finite number"):
            wf.precision([0, 1], [0, 0], positive=1, undefined=value)
