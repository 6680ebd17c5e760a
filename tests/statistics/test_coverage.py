"""Simulation: intervals cover, tests keep their level and gain power. Short, and seeded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks import cells, coverage, random_cells, structures

import whichf1 as wf
from tests.helpers.samples import present
from whichf1.comparison.compare import compare_counts, difference_spreads
from whichf1.comparison.significance import Plan, detectable_difference, t_p
from whichf1.definitions.definition import define
from whichf1.metrics import EVERY
from whichf1.scoring.functions import with_options
from whichf1.scoring.lines import read_items
from whichf1.statistics.scales import Spread
from whichf1.tables.counts import Counts
from whichf1.tables.labels import Labels

WORST = [
    (cells.Classes(2, "90:10", 0.99, "even", 500), "macro R", 90),
    (cells.Classes(2, "99:1", 0.0, "even", 5000), "MCC", 50),
    (cells.Classes(8, "even", 0.99, "even", 500), "quadratic kappa", 90),
    (cells.Classes(3, "tapering", 0.99, "even", 500), "macro P", 92),
    (cells.Clusters(3, "tapering", 0.8, 0.3, 50, "skewed"), "averaged F1", 92),
    (cells.Weights(3, "tapering", 0.9, 1.0, 2.0, 100), "averaged F1", 93),
    (cells.LabelSets(5, 0.3, 0.98, 50), "macro R", 100),
    (cells.Rankings(0.99, 2.0, 20, 480), "ROC AUC", 88),
    (cells.Rankings(0.99, 1.0, 30, 30), "ROC AUC", 95),
    (cells.Losses("calibrated", 0.1, 100), "log loss", 94),
    (cells.Classes(5, "90:10", 0.97, "adjacent", 1000), "LR+ of a class", 93),
    (cells.Rankings(0.99, 2.0, 30, 30), "average precision", 90),
    (cells.Weights(2, "90:10", 0.97, 1.0, 1.0, 300), "F1 of a class", 93),
    (random_cells.rankings(np.random.default_rng(24), "aurc"), "aurc", 85),
]
"""The worst cells of older methods, a score, and the highest coverage of the delta method."""


@pytest.mark.parametrize(("cell", "score", "before"), WORST)
def test_auto_intervals_cover_where_others_fail(cell: Any, score: str, before: float) -> None:
    """300 data sets: the standard error is 1.3 points at 95 %, and the bar lies 2 of them below."""
    (result,) = coverage.measure(cell, [score], 300, seed=1, widths=0)
    assert result.covered >= 92.5
    (older,) = coverage.measure(cell, [score], 300, seed=1, widths=0, method=wf.Delta())
    assert older.covered <= before


@pytest.mark.parametrize(
    ("table", "chosen", "n", "seed"),
    [
        ([[92, 4, 2, 2], [0] * 4, [0] * 4, [0] * 4], "true", 20, 21),
        ([[990, 4, 3, 3], [0] * 4, [0] * 4, [0] * 4], "true", 150, 22),
        ([[184, 4, 4, 4, 4], *(np.roll([184, 4, 4, 4, 4], x) for x in range(1, 5))], [0], 100, 23),
    ],
)
def test_a_mean_over_one_class_covers_its_rate(table: Any, chosen: Any, n: int, seed: int) -> None:
    """1,000 data sets: the standard error is 0.7 points, and the bar lies 2 of them below 95 %.

    If half an item is spread over the errors of all classes, as for a mean over all of them, macro
    recall is covered in 74 to 82 % of these cases, without a caution.
    """
    shares = np.array(table, float)
    names = list(range(len(shares)))
    truth = wf.Counts.from_matrix(shares.astype(int), rows="true", labels=names)
    scores: list[Any] = [wf.macro_recall, wf.averaged_f1, wf.f1_of_averages, wf.weighted_f1]
    drawn = np.random.default_rng(seed).multinomial(n, shares.ravel() / shares.sum(), 1000)
    covered = np.zeros(len(scores))
    for each, times in zip(*np.unique(drawn, axis=0, return_counts=True), strict=True):
        counts = wf.Counts.from_matrix(each.reshape(shares.shape), rows="true", labels=names)
        for at, metric in enumerate(scores):
            interval = present(metric(counts, classes=chosen, interval="auto").interval)
            assert interval.caution is None
            expected = float(metric(truth, classes=chosen))
            covered[at] += times * coverage.holds(interval, expected)
    assert (covered >= 936).all(), covered


def test_every_metric_with_an_interval_is_in_the_space_of_random_cells() -> None:
    """And some cells of each family can be drawn and have a score with its interval's method."""
    drawn = (
        *(random_cells.RATES, random_cells.AGREEMENT, random_cells.RANKINGS, random_cells.LOSSES),
        *(random_cells.OF_ITEMS, random_cells.OF_RANKS, random_cells.RESAMPLED),
    )
    known = [name for name in EVERY if name != "mean_value"]  # a mean, as that of any loss
    assert sorted(name for part in drawn for name in part) == sorted(known)
    assert {EVERY[name].kind for name in random_cells.RESAMPLED} <= {"agreement", "ranking"}
    rng = np.random.default_rng(3)
    for cell in random_cells.random_cells(3, dict.fromkeys(random_cells.MAKERS, 4)):
        score = cells.run(cell.score, cell.draw(rng), cell.method)
        assert score.interval is None or score.interval.level == cell.level


def test_families_may_be_measured_side_by_side(tmp_path: Path) -> None:
    """Each process writes the rows of its family, and those of the others stay."""
    row = coverage.Result("classes", "a", "F1", 200, 95.0, 0.0, 95.0, 100.0, 0.0, 95.0, 1.0, seed=7)
    other, path = row._replace(family="losses", covered=float("nan")), tmp_path / "results.csv"
    coverage.write(path, [row], None)
    coverage.write(path, [other], "losses")
    coverage.write(path, [row._replace(seed=8), row._replace(seed=9)], "classes")
    kept = coverage.read(path)
    assert [(x.family, x.seed) for x in kept] == [("classes", 8), ("classes", 9), ("losses", 7)]
    assert kept[0] == row._replace(seed=8) and np.isnan(kept[2].covered)
    assert "2 cells drawn at random with seed 8" in coverage.summary(kept[:2])


def test_every_score_beyond_the_grid_has_rows_in_the_tables_of_structures() -> None:
    """Whatever has no automatic interval, and every score that only some structures have."""
    measured = {(row["kind"], row["score"]) for row in structures.recorded()}
    assert measured == {(case.kind, name) for case in structures.CASES for name in case.scores}
    names = {structures.metric_of(name) for _, name in measured}
    assert {*random_cells.RESAMPLED} - names == {"no_information_p_value"}  # the tail of a test
    others = [x for x, y in EVERY.items() if "parents" in y.parameters or y.kind == "label ranking"]
    assert {*others, "fleiss_kappa", "krippendorff_alpha"} <= names


@pytest.mark.parametrize("score", ["averaged F1", "kappa", "accuracy", "F2 of a class"])
def test_with_ample_items_auto_is_the_delta_method(score: str) -> None:
    cell = cells.Classes(3, "even", 0.9, "even", 5000)
    (result,) = coverage.measure(cell, [score], 20, seed=1, widths=20)
    assert result.width_ratio == pytest.approx(1, abs=0.02)
    assert result.cautioned == 0


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("method", [wf.Delta(), wf.Bootstrap(replicates=199)])
def test_explicit_methods_cover_where_nothing_is_rare(method: Any) -> None:
    """1,000 data sets: the standard error is 0.7 points."""
    cell = cells.Classes(3, "even", 0.7, "even", 300)
    names = ["averaged F1", "F1 of averages", "macro P", "macro R", "kappa", "MCC"]
    for result in coverage.measure(cell, names, 1000, seed=1, method=method, widths=0):
        assert 93 <= result.covered <= 97, result


def test_where_explicit_methods_fail_they_say_so() -> None:
    """A class without an error, and one that is rare."""
    few = wf.Counts.from_matrix([[950, 0], [3, 100]], rows="true", labels=["cat", "bird"])
    rare = wf.Counts.from_matrix([[90, 10], [1, 3]], rows="true", labels=["cat", "bird"])
    older: list[Any] = [wf.Delta(), wf.Bootstrap(replicates=99)]
    for method in older:
        told = present(wf.macro_recall(few, interval=method).interval).caution
        assert told == "class cat has 0 misses: the interval may be too narrow"
    methods: list[Any] = [wf.Auto(), wf.Delta()]
    for method in methods:
        told = present(wf.averaged_f1(rare, interval=method).interval).caution
        assert told == "class bird has 4 items: the interval may be too narrow"
    assert present(wf.averaged_f1(few, interval="auto").interval).caution is None


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
@pytest.mark.long
@pytest.mark.xdist_group("null")
@pytest.mark.parametrize("test", ["p_value", "p_bootstrap", "p_randomization"])
def test_type_one_errors_are_five_per_cent(null: Any, test: Any) -> None:
    rejected = np.mean([getattr(pair, test) <= 0.05 for pair in null[0]])
    assert 0.04 <= rejected <= 0.06


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.xdist_group("null")
def test_type_one_errors_of_mcnemar(null: Any) -> None:
    tests = [pair.mcnemar for pair in null[1]]
    for name in ("p_mid", "p_chi2"):
        assert 0.04 <= np.mean([getattr(x, name) <= 0.05 for x in tests]) <= 0.06
    assert np.mean([x.p_exact <= 0.05 for x in tests]) <= 0.05  # exact: never too often
    covered = [pair.interval.low <= 0 <= pair.interval.high for pair in null[1]]
    assert 0.94 <= np.mean(covered) <= 0.96


@pytest.mark.slow
@pytest.mark.long
def test_the_equivalence_test_errs_in_five_per_cent_at_the_margin() -> None:
    definition = define("accuracy", None, {"interval": "delta"})
    plan = Plan(replicates=0, margin=0.1)
    pairs = [compare_counts(j, definition, plan).pairs[0] for j in samples(0.8, 0.7, 2000, 4)]
    assert 0.04 <= np.mean([present(pair.p_equivalence) <= 0.05 for pair in pairs]) <= 0.06


@pytest.mark.slow
@pytest.mark.long
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
    own, items = read_items(definition, y, systems, weights=weights, cluster=cluster)
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
@pytest.mark.long
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
@pytest.mark.long
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
