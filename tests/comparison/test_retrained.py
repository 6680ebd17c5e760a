"""Repetitions of a cross-validation: the variance of training sets, and the test that decides."""

from __future__ import annotations

import json
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
import pytest

import whichf1 as wf
from whichf1.comparison.crossed import between_models, sums_of_folds
from whichf1.comparison.folds import retrained_spread
from whichf1.comparison.significance import t_p
from whichf1.statistics.scales import Spread
from whichf1.tables.trials import RunKey


def repeated(seed: int, repeats: int, folds: int, n: int) -> tuple[Any, Any, Any]:
    """Whether each system is right about each item in each repetition, the folds, and a frame."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    right = rng.random((2, repeats, n)) < 0.7
    orders = np.stack([rng.permutation(n) % folds for _ in range(repeats)])
    frame = pd.concat(
        [
            pd.DataFrame(
                {
                    "item": np.arange(n),
                    "true": y,
                    "pred": np.where(right[at, run], y, 1 - y),
                    "system": "AB"[at],
                    "run": run,
                    "fold": orders[run],
                }
            )
            for at in range(2)
            for run in range(repeats)
        ]
    )
    return right.astype(float), orders, frame


@pytest.mark.parametrize("folds", [2, 4])
def test_the_variance_of_training_sets_by_hand(folds: int) -> None:
    """Models differ as the folds of a repetition do, once the means of items are taken away.

    The jackknife (Shao and Wu 1989) multiplies by training over test items; a model has the items
    that its fold lacks.
    """
    repeats, n = 6, 40
    right, orders, frame = repeated(3, repeats, folds, n)
    d = right[0] - right[1]
    ease = d.mean(0)
    left, kept = d - ease, 1 - 1 / repeats
    squares, products = [], []
    for run in range(repeats):
        by_model = [left[run, orders[run] == at].mean() for at in range(folds)]
        by_items = [ease[orders[run] == at].mean() for at in range(folds)]
        for model, items in zip(by_model, by_items, strict=True):
            squares.append((model - np.mean(by_model)) ** 2)
            products.append((model - np.mean(by_model)) * (items - np.mean(by_items)))
    noise = np.mean(left**2) / kept / (n / folds) * (1 - 1 / folds)
    models = (np.mean(squares) / kept - noise) / kept
    shared = models / repeats - np.mean(products) / kept
    study = wf.study(frame, "accuracy", system="system", run="run", fold="fold", item="item")
    (crossed,) = study.crossed.values()
    assert crossed.between is not None
    a, b = crossed.rows("A"), crossed.rows("B")
    ours = [float(np.mean(x[a, a] + x[b, b] - 2 * x[a, b])) for x in crossed.between]
    assert ours == pytest.approx([models, noise, shared])
    items = float(np.var(ease, ddof=1)) / n
    training = max(models * (folds - 1) + 2 * shared, 0.0)
    pair = study.folds[0]
    assert pair.retrained is not None and pair.retrained.p_value is not None
    assert pair.retrained.standard_error == pytest.approx(sqrt(items + training))
    assert pair.retrained.training == pytest.approx(training / (items + training))
    assert pair.retrained.p_adjusted == pair.retrained.p_value
    assert "retrained_p_value" in study.text("csv")


@pytest.mark.parametrize("correlation", [-0.5, 0.0, 0.9])
@pytest.mark.parametrize("folds", [2, 5])
def test_what_items_add_as_test_and_as_training_items_has_one_variance(
    correlation: float, folds: int
) -> None:
    """If a score is linear in the items, the estimated variance is right, whatever correlates.

    Up to 3 (K − 1) / n of what training sets add: an item is never in the models that predict it.
    """
    rng, n, repeats = np.random.default_rng(8), 200, 6
    covariance = np.array([[1.0, correlation], [correlation, 1.0]])
    keys = tuple(RunKey("A", str(run)) for run in range(repeats))
    estimates = []
    for _ in range(1500):
        ease, influence = rng.multivariate_normal([0, 0], covariance, n).T
        orders = np.stack([rng.permutation(n) % folds for _ in range(repeats)])
        of_fold = sums_of_folds(np.broadcast_to(influence, orders.shape), orders, folds)
        trained = (influence.sum() - of_fold) / (n - n // folds)
        values = ease + np.take_along_axis(trained, orders, 1)
        by_fold = sums_of_folds(values, orders, folds) / (n // folds)
        parts = (values - by_fold.mean(1)[:, None]) / n * sqrt(n / (n - 1))
        between = between_models(keys, parts, by_fold, orders, None)
        assert between is not None
        models, _, shared = (float(np.diagonal(x).mean()) for x in between)
        items = float(np.sum(parts.mean(0) ** 2))
        estimates.append(items + models * (folds - 1) + 2 * shared)
    error = float(np.std(estimates)) / sqrt(len(estimates))
    little = 3 * (folds - 1) / n * (1 + 2 * abs(correlation)) / n
    assert np.mean(estimates) == pytest.approx(covariance.sum() / n, abs=4 * error + little)


@pytest.mark.parametrize(
    ("repeats", "folds", "test", "cautioned"),
    [
        (1, 5, "corrected", "one cross-validation does not show"),
        (3, 5, "corrected", "more than two folds"),
        (5, 5, "corrected", "more than two folds"),
        (4, 2, "corrected", "hard to predict"),
        (5, 2, "retrained", "fewer than ten repetitions"),
        (10, 2, "retrained", None),
    ],
)
def test_the_test_that_decides_and_its_caution(
    repeats: int, folds: int, test: str, cautioned: str | None
) -> None:
    """The letters, the pair's own numbers, the first table and JSON are those of one test."""
    _, _, frame = repeated(9, repeats, folds, 60)
    better = frame["system"] == "A"
    frame["pred"] = np.where(better & (frame["item"] % 7 > 0), frame["true"], frame["pred"])
    third = frame[better].assign(system="C", pred=1 - frame["true"][better])
    study = wf.study(
        pd.concat([frame, third]), "accuracy", system="system", run="run", fold="fold", item="item"
    )
    text, record = " ".join(str(study).split()), json.loads(study.text("json"))
    for pair, written in zip(study.folds, record["folds"], strict=True):
        assert pair.test == written["test"] == test
        own = getattr(pair, test)
        assert (pair.p_value, pair.interval, pair.standard_error) == (
            *(own.p_value, own.interval, own.standard_error),
        )
        assert pair.p_adjusted == own.p_adjusted and written["p_value"] == pytest.approx(
            own.p_value
        )
        assert (pair.caution is None) == (cautioned is None)
        assert pair.caution == written["caution"]
        if cautioned is not None:
            assert cautioned in str(pair.caution) and f"Caution: {pair.caution}." in text
        assert pair.models.caution is not None and f"Caution: {pair.models.caution}." in text
        apart = not {*study.letters[pair.a]} & {*study.letters[pair.b]}
        assert apart == (own.p_adjusted < 0.05)
    first = "by items and training sets" if test == "retrained" else "by the correlation of folds"
    assert f": the algorithms, {first} " in text.partition("The same: ")[0]


def test_training_sets_need_five_repetitions_of_the_same_items() -> None:
    _, _, frame = repeated(4, 5, 2, 40)
    options: dict[str, Any] = {"system": "system", "run": "run", "fold": "fold", "item": "item"}
    assert wf.study(frame, "accuracy", **options).folds[0].retrained is not None
    four = frame[frame["run"] < 4]
    assert wf.study(four, "accuracy", **options).folds[0].retrained is None
    clusters = frame.assign(of=frame["item"] // 2)
    assert wf.study(clusters, "accuracy", cluster="of", **options).folds[0].retrained is None


def test_training_sets_with_equal_weights_are_those_without() -> None:
    _, _, frame = repeated(5, 5, 2, 40)
    options: dict[str, Any] = {"system": "system", "run": "run", "fold": "fold", "item": "item"}
    plain = wf.study(frame, "accuracy", **options).folds[0].retrained
    weighted = wf.study(frame.assign(w=2.0), "accuracy", weights="w", **options).folds[0].retrained
    assert plain is not None and weighted is not None
    assert weighted.standard_error == pytest.approx(plain.standard_error)
    assert weighted.p_value == pytest.approx(plain.p_value)


def test_models_that_never_differ_leave_the_variance_of_items() -> None:
    items = Spread(0.1, freedom=50.0)
    same = retrained_spread(items, (0.0, 0.0, 0.0), 1.0, 10, 2)
    assert (same.error, same.freedom) == pytest.approx((items.error, items.freedom))
    wide = retrained_spread(items, (0.01, 0.005, 0.0), 1.0, 10, 2)
    assert wide.error == pytest.approx(sqrt(0.02)) and wide.freedom < 50
    wider = retrained_spread(items, (0.01, 0.005, 0.005), 1.0, 10, 2)
    assert wider.error == pytest.approx(sqrt(0.03))
    less = retrained_spread(items, (0.01, 0.005, -0.02), 1.0, 10, 2)
    assert (less.error, less.freedom) == pytest.approx((items.error, items.freedom))


@pytest.mark.long
@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.8])
@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.6, 1.0])
@pytest.mark.parametrize("single", [0.0, 0.15])
def test_the_level_of_normal_items_and_models(
    share: float, correlation: float, single: float
) -> None:
    """With ten repetitions of two folds, whatever the share of training sets is."""
    rng, repeats, n, sets = np.random.default_rng(10), 10, 200, 10_000
    square, training = 1 - share, share
    shared = correlation * sqrt(square * training)
    rejected = 0
    for _ in range(sets):
        items = rng.normal(0, sqrt(square), repeats)
        models = rng.normal(0, sqrt(training * (1 - correlation**2) + single), repeats)
        models -= shared / square * items
        seen, both = float(np.mean(models**2)), -float(np.mean(items * models))
        parts = (seen - single, single, both)
        spread = retrained_spread(Spread(sqrt(square), freedom=n - 1.0), parts, 1.0, repeats, 2)
        difference = rng.normal(0, sqrt(square + training + 2 * shared))
        p = t_p(difference, spread)
        rejected += p is not None and p < 0.05
    assert 0.035 < rejected / sets < 0.065
