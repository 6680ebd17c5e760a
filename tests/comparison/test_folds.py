"""Cross-validation: pooled and averaged scores, and tests of correlated folds."""

from __future__ import annotations

import re
from math import sqrt
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
from benchmarks import study as bench
from scipy import stats
from sklearn.metrics import f1_score, roc_auc_score

import whichf1 as wf
from whichf1.comparison import folds as tests_of_folds
from whichf1.comparison.folds import corrected_spread, correlated_t

FOLDINGS: tuple[Literal["averaged", "pooled"], ...] = ("averaged", "pooled")
X = np.array([0.80, 0.82, 0.79, 0.85, 0.81, 0.78, 0.83, 0.80, 0.84, 0.79])
Y = np.array([0.78, 0.80, 0.80, 0.82, 0.79, 0.77, 0.80, 0.81, 0.81, 0.78])


def drawn(seed: int, repeats: int = 1, n: int = 120) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    pred = {
        name: [np.where(rng.random(n) < share, y, 1 - y) for _ in range(repeats)]
        for name, share in (("A", 0.85), ("B", 0.7))
    }
    return y, pred


@pytest.mark.parametrize(
    ("rope", "runs", "expected"),
    [
        (None, 1, (0.9706157610446338, None, 0.029384238955366238)),
        (0.01, 1, (0.7554046444544955, 0.2417444101888997, 0.002850945356604795)),
        (0.01, 2, (0.7054247213754041, 0.284218118948421, 0.010357159676174899)),
    ],
)
def test_the_correlated_t_test_is_that_of_baycomp(
    rope: float | None, runs: int, expected: tuple[float, float | None, float]
) -> None:
    """Baycomp 1.0.3: CorrelatedTTest.probs(x, y, rope, runs)."""
    difference = X - Y
    folds = len(X) / runs
    spread = corrected_spread(difference, 1 / (folds - 1))
    ours = correlated_t(float(difference.mean()), spread, rope, lower=False)
    assert ours is not None
    assert ours.a_better == pytest.approx(expected[0])
    assert ours.b_better == pytest.approx(expected[2])
    if rope is not None:
        assert ours.rope == pytest.approx(expected[1])


def test_the_corrected_t_test_by_hand() -> None:
    """Nadeau and Bengio (2003): the variance is S² (1/J + test items / training items)."""
    y, pred = drawn(1)
    fold = np.arange(120) % 10
    pair = wf.study(y, "accuracy", pred=pred, fold=fold).folds[0]
    by_fold = [
        [np.mean((x == y)[fold == at]) for at in range(10)] for x in (pred["A"][0], pred["B"][0])
    ]
    d = np.subtract(by_fold[0], by_fold[1])
    error = sqrt(d.var(ddof=1) * (1 / 10 + 12 / 108))
    assert pair.difference == pytest.approx(d.mean())
    assert pair.standard_error == pytest.approx(error)
    assert pair.p_value == pytest.approx(2 * stats.t.sf(abs(d.mean()) / error, 9))
    assert (pair.folds, pair.repeats) == (10, 1)


def test_the_models_trained_here_by_hand() -> None:
    """Bayle et al. (2020): the all-pairs variance is that of the differences of items, over n.

    Repetitions have the same items, so their differences are averaged before.
    """
    y, pred = drawn(1, repeats=3)
    fold = np.arange(120) % 10
    for repeats in (1, 3):
        some = {name: runs[:repeats] for name, runs in pred.items()}
        study = wf.study(y, "accuracy", pred=some, fold=fold)
        a, b = (np.mean([run == y for run in some[name]], axis=0) for name in "AB")
        models = study.folds[0].models
        error = np.std(a - b, ddof=1) / sqrt(120)
        assert models.standard_error == pytest.approx(error)
        assert models.interval is not None and models.p_value is not None
        assert models.interval.low < np.mean(a - b) < models.interval.high
        assert models.p_value < 0.05 and models.p_adjusted == models.p_value
        assert "The same: the models trained here" in str(study)
        assert "models_p_value" in study.text("csv")
    pooled = wf.study(y, "accuracy", pred={x: z[:1] for x, z in pred.items()}, fold=fold,
                      folding="pooled").pairs[0]  # fmt: skip
    once = wf.study(y, "accuracy", pred={x: z[:1] for x, z in pred.items()}, fold=fold).folds[0]
    assert once.models.p_value == pytest.approx(pooled.p_value)  # the same, as folds are equal


def test_folds_of_one_item_have_a_variance() -> None:
    y, pred = drawn(6, n=40)
    pair = wf.study(y, "accuracy", pred=pred, fold=np.arange(40)).folds[0]
    difference = (pred["A"][0] == y).astype(float) - (pred["B"][0] == y)
    assert pair.models.standard_error == pytest.approx(np.std(difference, ddof=1) / sqrt(40))


@pytest.mark.parametrize("metric", ["f1", "mean_value", "log_loss"])
def test_what_items_add_to_the_mean_of_folds(metric: str) -> None:
    """The derivative by the weight of an item within its fold, and how far its fold is from others.

    The oracle for F1 is scikit-learn's, with weights that are changed a little.
    """
    rng = np.random.default_rng(7)
    y, fold = rng.integers(0, 2, 60), np.array([0] * 10 + [1] * 20 + [2] * 30)
    sizes = np.bincount(fold)
    value = rng.random(60)
    right = rng.integers(0, 2, 60)
    options: dict[str, Any] = {"fold": fold}
    if metric == "f1":
        side = {"A": [right], "B": [1 - right]}
        study = wf.study(y, "f1", pred=side, positive=1, **options)
    elif metric == "mean_value":
        study = wf.study(None, "mean_value", value={"A": [value], "B": [1 - value]}, **options)
    else:
        study = wf.study(y, "log_loss", score={"A": [value], "B": [1 - value]}, **options)
    (crossed,) = study.crossed.values()
    assert crossed.parts is not None and crossed.folds is not None
    expected = np.empty(60)
    step = 1e-6
    losses = -np.log(np.where(y == 1, value, 1 - value))
    for at in range(60):
        own = fold == fold[at]
        if metric == "f1":
            weights = np.ones(60)
            weights[at] += step
            now, before = (
                f1_score(y[own], right[own], sample_weight=w[own]) for w in (weights, np.ones(60))
            )
            within = (now - before) / step
        else:
            values = value if metric == "mean_value" else losses
            within = (values[at] - values[own].mean()) / own.sum()
        scores = crossed.folds[0]
        expected[at] = within / 3 + (scores[fold[at]] - scores.mean()) / (3 * sizes[fold[at]])
    assert crossed.parts["A"] == pytest.approx(expected * sqrt(60 / 59), rel=1e-4, abs=1e-6)


def test_pooled_and_averaged_are_different_definitions() -> None:
    """Forman and Scholz (2010): F1 of pooled counts and the mean of the F1 of folds."""
    y, pred = drawn(2)
    fold = np.arange(120) % 10
    options: dict[str, Any] = {"pred": pred, "fold": fold, "positive": 1}
    averaged, pooled = (wf.study(y, "f1", folding=how, **options) for how in FOLDINGS)
    each = [wf.f1(y[fold == at], pred["A"][0][fold == at], positive=1) for at in range(10)]
    assert averaged.scores["A"] == pytest.approx(np.mean(each))
    assert pooled.scores["A"] == pytest.approx(wf.f1(y, pred["A"][0], positive=1).value)
    assert "folding:averaged" in averaged.signature and "folding:pooled" in pooled.signature
    assert averaged.scores["A"] != pooled.scores["A"]
    again = wf.study(pooled, pooled.signature)
    assert again.scores == pooled.scores and again.signature == pooled.signature
    assert not pooled.folds and averaged.folds


def test_auc_of_folds_and_of_pooled_items() -> None:
    """Folds with other scales of their scores have a pooled AUC far below those of the folds.

    The oracle is scikit-learn, fold by fold and on all items.
    """
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 200)
    fold = np.arange(200) % 5
    score = {name: [y + rng.normal(0, 0.7, 200) + 3 * fold] for name in "AB"}
    averaged, pooled = (
        wf.study(y, "roc_auc", score=score, fold=fold, folding=how) for how in FOLDINGS
    )
    each = [roc_auc_score(y[fold == at], score["A"][0][fold == at]) for at in range(5)]
    assert averaged.scores["A"] == pytest.approx(np.mean(each))
    assert averaged.crossed[""].folds is not None
    assert averaged.crossed[""].folds[0] == pytest.approx(each)
    assert pooled.scores["A"] == pytest.approx(roc_auc_score(y, score["A"][0]))
    assert pooled.scores["A"] < averaged.scores["A"] - 0.1
    assert "folding:averaged" in averaged.signature and "folding:pooled" in pooled.signature
    assert "compares scores of different models" in " ".join(str(pooled).split())
    assert "compares scores of different models" not in " ".join(str(averaged).split())


@pytest.mark.parametrize("average", ["macro", "binary"])
def test_f1_of_folds_is_that_of_scikit_learn(average: str) -> None:
    """Forman and Scholz (2010): F1 by averaging, and by pooling true and false positives."""
    y, pred = drawn(5)
    fold = np.arange(120) % 4
    options: dict[str, Any] = {"positive": 1} if average == "binary" else {"average": "macro"}
    averaged, pooled = (
        wf.study(y, "f1", pred=pred, fold=fold, folding=how, **options) for how in FOLDINGS
    )
    for name, (run,) in pred.items():
        each = [f1_score(y[fold == at], run[fold == at], average=average) for at in range(4)]
        assert averaged.scores[name] == pytest.approx(np.mean(each))
        assert pooled.scores[name] == pytest.approx(f1_score(y, run, average=average))


def test_a_fold_of_one_class_has_no_auc() -> None:
    y, fold = [0, 1, 0, 1, 1, 1], [1, 1, 1, 1, 2, 2]
    score = {name: [[0.1, 0.9, 0.3, 0.8, 0.7, 0.6]] for name in "AB"}
    with pytest.raises(wf.errors.InputError, match="roc_auc"):
        wf.study(y, "roc_auc", score=score, fold=fold)
    assert wf.study(y, "roc_auc", score=score, fold=fold, folding="pooled").scores["A"] == 1


def test_repeated_cross_validation_has_all_folds_in_one_test() -> None:
    y, pred = drawn(4, repeats=3)
    fold = np.arange(120) % 5
    study = wf.study(y, "accuracy", pred=pred, fold=fold)
    pair = study.folds[0]
    assert (pair.folds, pair.repeats) == (5, 3)
    text = " ".join(str(study).split())
    assert "no estimate of their variance is unbiased" in text
    assert "allows for little variance of training sets" in text
    assert not study.pairs
    once = wf.study(y, "accuracy", pred={x: z[:1] for x, z in pred.items()}, fold=fold)
    assert "allows for little" not in " ".join(str(once).split())


def test_a_run_without_a_fold_is_named() -> None:
    frame = pd.DataFrame(
        {
            "item": [0, 1, 2, 3] * 2,
            "true": [0, 1, 0, 1] * 2,
            "pred": [0, 1, 0, 0] * 2,
            "system": ["A"] * 4 + ["B"] * 4,
            "fold": [1, 1, 2, 2, 1, 1, 1, 1],
        }
    )
    with pytest.raises(wf.errors.InputError, match="B has no items in fold 2"):
        wf.study(frame, "accuracy", system="system", fold="fold", item="item")


def test_one_fold_is_not_a_cross_validation() -> None:
    y, pred = drawn(6, repeats=2, n=20)
    with pytest.raises(wf.errors.InputError, match="at least two folds; got one, 7"):
        wf.study(y, "accuracy", pred=pred, fold=np.full(20, 7))


def test_folds_that_overlap_are_refused() -> None:
    parts = []
    for fold, items in ((1, [0, 1, 2]), (2, [2, 3])):
        own = {"item": items, "true": [0] * len(items), "pred": [0] * len(items), "fold": fold}
        parts.append(wf.trials(pd.DataFrame(own), fold="fold", item="item"))
    with pytest.raises(wf.errors.InputError, match=r"folds of .* overlap: item 2 appears in fold"):
        parts[0] + parts[1]


@pytest.mark.parametrize("learner", [*bench.LEARNERS])
def test_the_simulated_models_have_the_accuracy_that_is_computed(learner: str) -> None:
    """The oracle trains every model again, and tries it on new items."""
    rng = np.random.default_rng(1)
    learn, strength, features, _ = bench.LEARNERS[learner]
    n, folds, new = 60, 5, 20_000
    true = rng.integers(0, 2, n).astype(np.int32)
    x = bench.normal(rng, (n, features)) + np.float32(strength) * (2 * true - 1)[:, None]
    x = x.astype(np.float32)
    seeds = np.random.default_rng(x[0].view(np.uint32))
    moves = getattr(learn, "keywords", {})
    orders = np.stack([rng.permutation(n) % folds for _ in range(3)])
    learned = learn(x, true, orders, folds, strength)
    of_new = rng.integers(0, 2, new)
    fresh = rng.standard_normal((new, features)) + strength * (2 * of_new - 1)[:, None]
    if learner == "midway":
        for items, label in ((x, true), (fresh, of_new)):
            where = strength * (2 * label - 1)
            items[:, 0] = where + (items[:, 0] - where) * np.where(label, bench.STRETCH, 1.0)

    def classes(known: Any, items: Any, moved: float) -> Any:
        if learner.startswith("limit"):
            estimate = np.mean((x[:, 1] * (2 * true - 1) - strength)[known])
            return items[:, 0] > 1 + moves.get("gain", 0.0) * estimate + moved
        if learner == "neighbour":
            return true[known][np.abs(items - x[known, 0]).argmin(1)]
        if learner == "stump":
            limits = [
                (np.sum((x[known, at] > limit) == (true[known] == side)), at, limit, side)
                for at in range(features)
                for limit in np.sort(x[known, at])
                for side in (0, 1)
            ]
            _, at, limit, side = max(limits, key=lambda each: each[0])
            after = x[known, at][x[known, at] > limit]
            limit = np.inf if not len(after) else (float(limit) + float(after.min())) / 2
            return (items[:, at] > limit) == side
        low, high = (x[known & (true == label)].mean(0) for label in (0, 1))
        if learner == "midway":
            return items[:, 0] > (low + high) / 2
        return (((items - low) ** 2).sum(1) > ((items - high) ** 2).sum(1)).astype(int)

    accuracy = []
    for order, predicted in zip(orders, learned.predicted, strict=True):
        moved = moves.get("chance", 0.0) * seeds.standard_normal(folds)
        for fold in range(folds):
            known = order != fold
            own = classes(known, x[~known], moved[fold])
            assert (own == np.asarray(predicted)[~known]).all()
            accuracy.append(np.mean(classes(known, fresh, moved[fold]) == of_new))
    assert learned.accuracy == pytest.approx(np.mean(accuracy), abs=0.015)


def test_cautions_quote_the_simulation() -> None:
    rows = [row for row in bench.read() if row.family == "folds"]

    def rejected(test: str, designs: list[tuple[int, int]], *learners: str) -> list[int]:
        some = [
            round(100 * row.rejected)
            for row in rows
            if row.test == test and (row.runs, row.folds) in designs
            if row.variance in learners or not learners
        ]
        return [min(some), max(some)]

    corrected = "corrected resampled t: the algorithms"
    designs = [(1, 10), (10, 10), (5, 2), (10, 2)]
    quoted = {
        tests_of_folds.ONCE: rejected(corrected, [(1, 10)], "limit, 4")[1:],
        tests_of_folds.OVERLAPPING: [
            rejected(corrected, [(10, 10)], learner)[1] for learner in ("limit, 1", "limit, 4")
        ],
        tests_of_folds.UNRELATED: rejected(corrected, [(5, 2), (10, 2)], "midway"),
        tests_of_folds.MANY_FOLDS: rejected(bench.RETRAINED, [(10, 10)])[1:],
        tests_of_folds.FEW: rejected(bench.RETRAINED, [(5, 2)])[1:],
        tests_of_folds.SINGLE: rejected(bench.TRAINED, designs, "neighbour", "stump"),
    }
    for caution, levels in quoted.items():
        percents = " ".join(re.findall(r"[\d–]+(?= %)", caution))
        assert [int(x) for x in re.findall(r"\d+", percents)] == levels, caution


def test_the_page_has_the_rows_of_one_simulation() -> None:
    """All cells, one seed, and the levels that the page promises."""
    rows = bench.read()
    assert {bench.cell(row) for row in rows} == {*bench.GRID}
    assert len({row.seed for row in rows}) == 1
    page = bench.PAGE.read_text(encoding="utf-8")
    assert all(table in page for table in bench.tables(rows).values())
    low, high = bench.BAND
    for row in rows:
        kept = row.test in ("matched runs", "unmatched runs") and row.runs > 2
        kept |= row.family == "data sets" and row.test == "random effects"
        if row.family == "folds":
            kept |= row.test == bench.TRAINED and row.variance == "few centroids"
            # seeds look like variance of training sets
            decides = row.test == bench.RETRAINED and (row.runs, row.folds) == (10, 2)
            kept |= decides and row.variance != "limit, seeds"
            assert not decides or row.rejected <= high, row
        assert not kept or low <= row.rejected <= high, row
