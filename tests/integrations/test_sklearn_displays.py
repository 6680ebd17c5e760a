"""Displays of scikit-learn with bands: its curve, and ours behind it."""

from __future__ import annotations

from typing import Any

import matplotlib
import numpy as np
import pytest
from sklearn import metrics
from sklearn.linear_model import LogisticRegression

import whichf1 as wf
from whichf1.errors import DefinitionError
from whichf1.integrations import sklearn as ours

matplotlib.use("agg")
from matplotlib import pyplot as plt

RNG = np.random.default_rng(3)
Y = RNG.integers(0, 2, 80)
S = Y + RNG.normal(size=80)
CURVES: dict[str, tuple[Any, str, str]] = {
    "RocCurveDisplay": (wf.roc_curve, "fpr", "tpr"),
    "PrecisionRecallDisplay": (wf.pr_curve, "recall", "precision"),
    "DetCurveDisplay": (wf.det_curve, "fpr", "fnr"),
}


@pytest.fixture(autouse=True)
def closed() -> Any:
    yield
    plt.close("all")


@pytest.mark.parametrize("name", CURVES)
def test_a_display_is_scikit_learns_with_a_band(name: str) -> None:
    make, x, y = CURVES[name]
    theirs = getattr(metrics, name).from_predictions(Y, S)
    mine = getattr(ours, name).from_predictions(Y, S, band="simultaneous", level=0.9)
    for side in (x, y):
        assert np.array_equal(getattr(mine, side), getattr(theirs, side))
    assert mine.ax_.get_xlim() == theirs.ax_.get_xlim()
    assert mine.ax_.get_ylim() == theirs.ax_.get_ylim()
    expected = make(Y, S).band(0.9, simultaneous=True)
    assert mine.band_.simultaneous and np.array_equal(mine.band_.low, expected.low)
    (shade,) = [x for x in mine.ax_.collections if x.get_alpha() == 0.2]
    assert np.isfinite(shade.get_paths()[0].vertices).all()
    plain = getattr(ours, name).from_predictions(Y, S, band=None, ax=theirs.ax_)
    assert plain.band_ is None and not plain.ax_.collections


@pytest.mark.parametrize("name", CURVES)
def test_classes_may_be_text_and_estimators_are_asked(name: str) -> None:
    text = np.where(Y == 1, "yes", "no")
    display = getattr(ours, name)
    named = display.from_predictions(text, -S, pos_label="no", name="model")
    assert np.array_equal(named.band_.low, CURVES[name][0](Y == 0, -S).band().low)
    model = LogisticRegression().fit(S[:, None], Y)
    assert display.from_estimator(model, S[:, None], Y).band_.level == 0.95


def test_weights_count_in_the_band() -> None:
    weights = np.tile([1.0, 3.0], 40)
    display = ours.RocCurveDisplay.from_predictions(Y, S, sample_weight=weights)
    assert np.array_equal(display.band_.low, wf.roc_curve(Y, S, weights=weights).band().low)


def test_bad_bands() -> None:
    for options in ({"band": "both"}, {"level": 2}):
        with pytest.raises(DefinitionError):
            ours.RocCurveDisplay.from_predictions(Y, S, **options)
    with pytest.raises(ValueError, match="pos_label"):
        ours.RocCurveDisplay.from_predictions(np.where(Y, "a", "b"), S)
