"""Operating points of a ranking: rates at a limit, the equal error rate, net benefit; classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.optimize import brentq
from sklearn import metrics as sk
from torchmetrics.functional import classification as tm

import whichf1 as wf
from tests.helpers.samples import binary
from whichf1.metrics import EVERY

POINTS: dict[str, tuple[Any, str]] = {
    "recall_at_precision": (tm.binary_recall_at_fixed_precision, "min_precision"),
    "precision_at_recall": (tm.binary_precision_at_fixed_recall, "min_recall"),
    "sensitivity_at_specificity": (tm.binary_sensitivity_at_specificity, "min_specificity"),
    "specificity_at_sensitivity": (tm.binary_specificity_at_sensitivity, "min_sensitivity"),
}


@pytest.mark.parametrize("name", POINTS)
@pytest.mark.parametrize("at", [0.5, 0.75, 0.9, 0.999])
def test_rates_at_a_limit_like_torchmetrics(name: str, at: float) -> None:
    """It counts in float32, where a rate at a limit of few digits is not below it."""
    theirs, limit = POINTS[name]
    for seed in range(4):
        y, s = binary(seed, n=80)
        scores = 1 / (1 + np.exp(-s.round(1)))
        value = theirs(torch.tensor(scores), torch.tensor(y), **{limit: at})[0]
        assert wf.score(y, scores, name, at=at) == pytest.approx(float(value), abs=1e-6)


def test_limits_are_reached_exactly() -> None:
    y, s = [1] * 9 + [0] + [1] + [0] * 9, [*range(20, 0, -1)]
    assert wf.recall_at_precision(y, s, at=10 / 11) == 1
    assert wf.recall_at_precision(y, s, at=0.91) == pytest.approx(0.9)
    assert wf.tpr_at_fpr(y, s, at=0.1) == 1 and wf.tpr_at_fpr(y, s, at=0.09) == pytest.approx(0.9)
    assert wf.sensitivity_at_specificity(y, s, at=0.9) == 1
    assert wf.recall_at_precision([0, 1], [0.9, 0.1], at=0.9) == 0


def test_tpr_at_fpr_like_the_roc_curve_of_scikit_learn() -> None:
    for seed in range(4):
        y, s = binary(seed, n=300)
        false, true, _ = sk.roc_curve(y, s, drop_intermediate=False)
        for at in (0.01, 0.1, 0.5):
            assert wf.tpr_at_fpr(y, s, at=at) == pytest.approx(true[false <= at].max())


def test_the_equal_error_rate_is_where_the_roc_curve_meets_the_diagonal() -> None:
    for seed in range(4):
        y, s = binary(seed, n=200)
        false, true, _ = sk.roc_curve(y, s.round(1))
        root = brentq(lambda x, f=false, t=true: np.interp(x, f, t) + x - 1, 0, 1)
        assert wf.equal_error_rate(y, s.round(1)) == pytest.approx(root, abs=1e-9)


def test_f_max_is_the_f_score_of_the_best_threshold() -> None:
    y, s = binary(3, n=300)
    best = wf.best_threshold(y, s, "f1")
    predicted = (s >= best.threshold).astype(int)
    assert wf.f_max(y, s) == pytest.approx(wf.f1(y, predicted, positive=1).value)
    precision, recall, _ = sk.precision_recall_curve(y, s)
    square = 4 * precision + recall
    largest = np.max(np.where(square > 0, 5 * precision * recall / np.maximum(square, 1e-9), 0))
    assert wf.f_max(y, s, beta=2) == pytest.approx(largest)


def test_net_benefit_is_a_point_of_the_decision_curve() -> None:
    y, s = binary(5, n=200)
    p = 1 / (1 + np.exp(-s))
    curve = wf.decision_curve(y, p)
    for at in (3, len(curve.x) // 2):
        threshold, benefit = float(curve.x[at]), float(curve.y[at])
        assert wf.net_benefit(y, p, threshold=threshold) == pytest.approx(benefit)
    with pytest.raises(wf.errors.WhichF1Error):
        wf.net_benefit(y, s)  # no probabilities
    with pytest.raises(wf.errors.DefinitionError, match="below 1"):
        wf.net_benefit(y, p, threshold=1)


def test_areas() -> None:
    y, s = binary(6, n=200)
    whole = wf.average_precision(y, s).value
    assert wf.partial_average_precision(y, s, min_recall=0) == pytest.approx(whole)
    false, true, _ = sk.roc_curve(y, s, drop_intermediate=False)
    x = np.exp(np.linspace(np.log(0.01), 0, 400_001))
    area = np.interp(x, false, true).mean()
    assert wf.log_auc(y, s, min_fpr=0.01) == pytest.approx(area, abs=1e-3)
    part = np.interp(x[x <= 0.1], false, true).mean()
    assert wf.log_auc(y, s, min_fpr=0.01, max_fpr=0.1) == pytest.approx(part, abs=1e-3)
    with pytest.raises(wf.errors.DefinitionError, match="max_fpr must be above min_fpr"):
        wf.log_auc(y, s, min_fpr=0.2, max_fpr=0.1)
    perfect: Any = ([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9])
    for metric in (wf.partial_average_precision, wf.log_auc, wf.recall_at_precision, wf.f_max):
        assert metric(*perfect) == pytest.approx(1)
    assert wf.equal_error_rate(*perfect) == 0


def test_points_have_bootstrap_intervals_and_no_others() -> None:
    y, s = binary(7, n=150)
    drawn = wf.recall_at_precision(y, s, interval=wf.Bootstrap(replicates=199)).interval
    assert drawn and 0 <= drawn.low < drawn.high <= 1
    with pytest.raises(wf.errors.DefinitionError, match="no interval is known to have"):
        wf.recall_at_precision(y, s, interval="delta")  # type: ignore[arg-type]


def test_rankings_of_each_class() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    p = rng.dirichlet(np.ones(3), 90) / 2 + np.eye(3)[y] / 2 * rng.random((90, 1))
    p /= p.sum(1, keepdims=True)
    areas = wf.roc_auc.per_class(y, p, interval="auto")
    assert areas.array.tolist() == pytest.approx(
        [sk.roc_auc_score(y == k, p[:, k]) for k in range(3)]
    )
    assert areas[1] == wf.roc_auc(y, p, positive=1, interval="auto")
    frame = pd.DataFrame({"y": y, "a": p[:, 0], "b": p[:, 1], "c": p[:, 2]})
    columns = {0: "a", 1: "b", 2: "c"}
    own = wf.average_precision.per_class(frame, true="y", score=columns)
    assert own.array.tolist() == wf.average_precision.per_class(y, p).array.tolist()
    assert wf.roc_auc.per_class(y, p, labels=[0, 1, 2], max_fpr=0.5)[2] == wf.roc_auc(
        y, p, positive=2, labels=[0, 1, 2], max_fpr=0.5
    )
    wrong: Any = (((y, p[:, 0]), {}), ((y, p[:, 0]), {"labels": [0, 1, 2]}), ((frame,), {}))
    for data, options in wrong:
        with pytest.raises(wf.errors.DefinitionError, match="a column of scores for each class"):
            wf.roc_auc.per_class(*data, **options)


@pytest.mark.parametrize("shape", ["normal", "tied", "narrow", "wide", "probabilities"])
def test_sorting_only_around_the_point_finds_the_same(
    shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = [metric.name for metric in EVERY.values() if metric.one_point]
    assert len(points) == 7
    for seed in range(8):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 2000))
        y = (rng.random(n) < rng.choice([0.05, 0.5, 0.9])).astype(int)
        y[:2] = 0, 1
        s = rng.choice([-0.5, 0.3, 3]) * y + rng.normal(size=n)
        change = {
            "tied": s.round(1),
            "narrow": 0.5 + 1e-9 * s,
            "wide": np.exp(20 * s),
            "probabilities": 1 / (1 + np.exp(-s)),
        }
        scores = change.get(shape, s)
        for name in points:
            for at in (0.01, 0.3, 0.9, 1.0) if "_at_" in name else (None,):
                options: Any = {} if at is None else {"at": at}
                values = []
                for many in (1, n + 1):
                    monkeypatch.setattr("whichf1.scoring.evaluate.MANY", many)
                    values.append(wf.score(y, scores, name, **options).value)
                assert values[0] == values[1], (name, seed, at)


def test_a_dash_is_explained() -> None:
    """Beside scores with an interval, a report says why points of a ranking have none."""
    y, s = binary(1, n=80)
    both = wf.report(y, scores=s, metrics=["roc_auc", "recall_at_precision"], interval="auto")
    assert "no interval is known to be valid" in " ".join(str(both).split())
    assert "known to be valid" not in str(
        wf.report(y, scores=s, metrics=["roc_auc"], interval="auto")
    )
