"""Scorers of any score in scikit-learn's model selection."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.datasets import load_breast_cancer, load_iris, make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import whichf1 as wf
from whichf1.errors import DefinitionError, LabelError
from whichf1.integrations.sklearn import scorer
from whichf1.metrics import find

IRIS = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
WORDS = (CANCER[0], np.array(["malignant", "benign"])[CANCER[1]])
OVR = {"average": "macro", "multi_class": "ovr"}
SCORES = ("roc_auc", "average_precision", "log_loss", "brier", "expected_calibration_error")
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)


@pytest.mark.parametrize(
    ("ours", "theirs", "data"),
    [
        (scorer("averaged_f1"), "f1_macro", IRIS),
        (scorer("f1", average="weighted"), "f1_weighted", IRIS),
        (scorer("accuracy"), "accuracy", IRIS),
        (scorer("balanced_accuracy"), "balanced_accuracy", IRIS),
        (scorer("mcc"), "matthews_corrcoef", IRIS),
        (scorer("f1", pos_label=1), "f1", CANCER),
        (scorer("f1|positive:1|undef:0|v:1"), "f1", CANCER),
        (scorer(wf.recall, pos_label=1), "recall", CANCER),
        (scorer("roc_auc"), "roc_auc", CANCER),
        (scorer("roc_auc"), "roc_auc", WORDS),
        (scorer("average_precision"), "average_precision", CANCER),
        (scorer("roc_auc", labels=[0, 1, 2], **OVR), "roc_auc_ovr", IRIS),
        (scorer("log_loss"), "neg_log_loss", CANCER),
        (scorer("log_loss"), "neg_log_loss", WORDS),
        (scorer("log_loss"), "neg_log_loss", IRIS),
        (scorer("brier"), "neg_brier_score", CANCER),
    ],
)
def test_a_scorer_gives_what_that_of_scikit_learn_gives(ours: Any, theirs: str, data: Any) -> None:
    found, expected = (
        cross_val_score(GaussianNB(), *data, scoring=x, error_score="raise") for x in (ours, theirs)
    )
    assert found == pytest.approx(expected, abs=1e-12)


def test_several_scorers_give_what_each_gives_alone() -> None:
    """scikit-learn calls a method of the estimator once for all of them."""
    ranked = [name for name in SCORES if find(name).kind in ("ranking", "loss")]
    scorers = {
        f"{name} {label} {method}": scorer(name, pos_label=label, response_method=method)
        for name in ranked
        for label in ("benign", "malignant")
        for method in (None, "predict_proba")
    }
    data = ((CANCER[0] - CANCER[0].mean(0)) / CANCER[0].std(0), WORDS[1])
    model = LogisticRegression().fit(*data)
    together = sklearn.metrics.check_scoring(model, scoring=scorers)(model, *data)
    alone = {name: each(model, *data) for name, each in scorers.items()}
    assert together == alone and len({*alone.values()}) > len(ranked)
    second = scorer("average_precision")(model, *data)
    first = alone["average_precision benign None"]
    assert second == alone["average_precision malignant None"] != first


def test_scores_of_several_classes_are_on_one_scale() -> None:
    model = LogisticRegression(max_iter=500)
    ours, theirs = (
        cross_val_score(model, *IRIS, scoring=each, error_score="raise")
        for each in (scorer("roc_auc", **OVR), "roc_auc_ovr")
    )
    assert ours == pytest.approx(theirs, abs=1e-12)


def test_scores_of_a_fold_with_one_class_need_both_labels() -> None:
    model = GaussianNB().fit(*WORDS)
    some = WORDS[1] == "benign"
    alone = WORDS[0][some], WORDS[1][some]
    for options in ({}, {"pos_label": "malignant"}):
        with pytest.raises(LabelError, match="pass labels= with both"):
            scorer("log_loss", **options)(model, *alone)
        both = scorer("log_loss", labels=["benign", "malignant"], **options)(model, *alone)
        probabilities = model.predict_proba(alone[0])[:, 1]
        expected = sklearn.metrics.log_loss(alone[1], probabilities, labels=model.classes_)
        assert both == pytest.approx(-expected)
    with pytest.raises(LabelError, match="nope"):
        scorer("roc_auc", pos_label="nope")(model, *WORDS)


def test_the_second_class_of_scores_can_be_chosen() -> None:
    names = ("benign", "malignant")
    benign, malignant = (
        cross_val_score(TREE, *WORDS, scoring=scorer("roc_auc", pos_label=name)) for name in names
    )
    assert benign == pytest.approx(malignant, abs=1e-12)  # of two classes, each mirrors the other
    fitted = TREE.fit(*WORDS)
    first, second = (scorer("f1", pos_label=name)(fitted, *WORDS) for name in names)
    assert first != second


@pytest.mark.long
def test_several_metrics_in_two_processes() -> None:
    scoring = {name: scorer(name) for name in ("averaged_f1", "f1_of_averages", "error_rate")}
    search = GridSearchCV(
        TREE, {"max_depth": [1, 3]}, scoring=scoring, refit="f1_of_averages", n_jobs=2, cv=3
    ).fit(*IRIS)
    assert search.best_params_ == {"max_depth": 3}
    assert (search.cv_results_["mean_test_error_rate"] <= 0).all()
    assert search.best_score_ == search.cv_results_["mean_test_f1_of_averages"].max()


def test_weights_are_routed() -> None:
    x, y = CANCER
    weights = np.where(y == 1, 5.0, 0.1)
    with sklearn.config_context(enable_metadata_routing=True):
        weighted = scorer("accuracy").set_score_request(sample_weight=True)
        model = LogisticRegression(max_iter=10_000).set_fit_request(sample_weight=False)
        params = {"sample_weight": weights}
        found = cross_validate(model, x[:, :3], y, scoring=weighted, params=params, cv=3)
        plain = cross_validate(model, x[:, :3], y, scoring=scorer("accuracy"), cv=3)
    fitted = model.fit(x[:, :3], y)
    alone = weighted(fitted, x[:, :3], y, sample_weight=weights)
    assert alone == wf.accuracy(y, fitted.predict(x[:, :3]), weights=weights).value
    assert not np.allclose(found["test_score"], plain["test_score"])


def test_a_threshold_is_tuned() -> None:
    model = TunedThresholdClassifierCV(GaussianNB(), scoring=scorer("f1", pos_label="malignant"))
    theirs = TunedThresholdClassifierCV(
        GaussianNB(),
        scoring=sklearn.metrics.make_scorer(sklearn.metrics.f1_score, pos_label="malignant"),
    )
    found, expected = (each.fit(*WORDS) for each in (model, theirs))
    assert found.best_threshold_ == expected.best_threshold_
    assert found.best_score_ == pytest.approx(expected.best_score_)


def test_sets_of_labels() -> None:
    x, y = make_multilabel_classification(random_state=0)
    fitted = DecisionTreeClassifier(max_depth=2, random_state=0).fit(x, y)
    value = scorer("hamming_loss")(fitted, x, y)
    assert value == -wf.hamming_loss(y, fitted.predict(x)).value < 0


def test_a_scorer_can_be_pickled_and_says_what_it_is() -> None:
    made = scorer("averaged_f1")
    assert pickle.loads(pickle.dumps(made))(TREE.fit(*IRIS), *IRIS) == made(TREE, *IRIS)
    assert "f1|avg:macro|formula:averaged" in repr(made)


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        ("f1", {}, "Pass pos_label=CLASS"),
        ("prevalence", {"pos_label": 1}, "neither high nor low"),
        ("makro", {}, "there is no metric"),
        ("macro_f1", {}, "two formulas"),
        ("accuracy", {"average": "macro"}, "does not apply"),
        ("averaged_f1", {"pos_label": 1}, "Choose one"),
    ],
)
def test_what_cannot_be_a_scorer(metric: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        scorer(metric, **options)
