"""scikit-learn as oracle, and the values of real libraries on two examples."""

from __future__ import annotations

import math
import warnings
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn import metrics as sk

import whichf1 as wf
from tests.helpers.samples import E1, E2, Pairs
from tests.helpers.strategies import items
from whichf1.metrics import METRICS


def split(pairs: Pairs) -> tuple[list[int], list[int]]:
    return [t for t, _ in pairs], [p for _, p in pairs]


@settings(max_examples=25)
@given(items())
def test_rates_like_scikit_learn(pairs: Pairs) -> None:
    """All rates at once, as precision_score and its relatives compute them inside."""
    y, p = split(pairs)
    counts = wf.count(y, p)
    for zero, average in product((0, 1), (None, "macro", "weighted", "micro")):
        options: dict[str, Any] = {"average": average, "zero_division": zero}
        f2 = sk.fbeta_score(y, p, beta=2, **options)
        precision, recall, f1, _ = sk.precision_recall_fscore_support(y, p, **options)
        jaccard = sk.jaccard_score(y, p, **options)
        for name, expected, more in (
            ("precision", precision, {}),
            ("recall", recall, {}),
            ("f1", f1, {}),
            ("f_beta", f2, {"beta": 2}),
            ("jaccard", jaccard, {}),
        ):
            score: Any = getattr(wf, name)
            if average is None:
                value = score.per_class(counts, undefined=zero, **more).array
            else:
                value = score(counts, average=average, undefined=zero, **more).value
            assert value == pytest.approx(expected), (name, options)


@settings(max_examples=50)
@given(items(least=2))
def test_agreement_like_scikit_learn(pairs: Pairs) -> None:
    y, p = split(pairs)
    counts = wf.count(y, p)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert float(wf.accuracy(counts)) == pytest.approx(sk.accuracy_score(y, p))
        assert float(wf.error_rate(counts)) == pytest.approx(sk.zero_one_loss(y, p))
        assert float(wf.mcc(counts)) == pytest.approx(sk.matthews_corrcoef(y, p))
        balanced = sk.balanced_accuracy_score(y, p)
        assert float(wf.balanced_accuracy(counts)) == pytest.approx(balanced)
        for weighting in ("none", "linear", "quadratic"):
            weights = None if weighting == "none" else weighting
            expected = sk.cohen_kappa_score(y, p, weights=weights)
            value = float(wf.cohen_kappa(counts, weighting=weighting, undefined="nan"))
            assert value == pytest.approx(expected, nan_ok=True)


@settings(max_examples=40)
@given(items(least=2))
def test_binary_rates_like_scikit_learn(pairs: Pairs) -> None:
    y, p = ([int(x > 0) for x in side] for side in split(pairs))
    counts = wf.count(y, p, labels=[0, 1])
    tn, fp, fn, tp = sk.confusion_matrix(y, p, labels=[0, 1]).ravel()
    c = counts.per_class()
    assert (c.tn[1], c.fp[1], c.fn[1], c.tp[1]) == (tn, fp, fn, tp)
    expected = sk.recall_score(y, p, pos_label=0, zero_division=0)
    assert float(wf.specificity(counts, positive=1)) == pytest.approx(expected)
    expected = sk.precision_score(y, p, pos_label=0, zero_division=0)
    assert float(wf.negative_predictive_value(counts, positive=1)) == pytest.approx(expected)
    if len(set(y)) == 2 and fp and tn:
        plus, minus = sk.class_likelihood_ratios(y, p)
        assert float(wf.positive_likelihood_ratio(counts, positive=1)) == pytest.approx(plus)
        assert float(wf.negative_likelihood_ratio(counts, positive=1)) == pytest.approx(minus)


def test_weights_like_scikit_learn() -> None:
    rng = np.random.default_rng(5)
    y, p, w = rng.integers(0, 4, 300), rng.integers(0, 4, 300), rng.random(300)
    counts = wf.count(y, p, weights=w)
    assert counts.n == pytest.approx(w.sum())
    for name, expected in {
        "averaged_f1": sk.f1_score(y, p, average="macro", sample_weight=w),
        "weighted_f1": sk.f1_score(y, p, average="weighted", sample_weight=w),
        "accuracy": sk.accuracy_score(y, p, sample_weight=w),
        "mcc": sk.matthews_corrcoef(y, p, sample_weight=w),
        "cohen_kappa": sk.cohen_kappa_score(y, p, sample_weight=w),
    }.items():
        assert float(getattr(wf, name)(counts)) == pytest.approx(expected), name


def test_weights_that_do_not_add_up_exactly_do_not_disturb_undefined_scores() -> None:
    weights = [0.1, 0.2, 0.3, 0.7, 1e-9]
    counts = wf.count([0, 1, 2, 1, 0], [0] * 5, weights=weights)
    assert math.isnan(wf.mcc(counts, undefined="nan").value)  # one predicted class: 0/0
    one_class = wf.count([0] * 5, [0] * 5, weights=weights)
    for weighting in ("none", "linear", "quadratic"):
        value = wf.cohen_kappa(one_class, weighting=weighting, undefined="nan").value
        assert math.isnan(value), weighting


def test_every_sklearn_name_exists() -> None:
    for metric in METRICS.values():
        if metric.sklearn:
            assert hasattr(sk, metric.sklearn)


# What real libraries print as macro F1 for E1 and E2, each read from its source and, for most, run:
# scikit-learn 1.3 and current, torchmetrics, Keras 3, spaCy, HELM, Weka, smp, yardstick, caret,
# mmsegmentation, seqeval, SemEval-2010 task 8, CatBoost, AdaSeq, LibMultiLabel, lighteval, smile.
NAN = math.nan


LIBRARIES = [
    ("avg obs 0", "f1", {"average": "macro", "classes": "observed"}, 0.3542, 0.3939),
    ("avg decl 0", "f1", {"average": "macro"}, 0.2361, 0.2626),
    ("avg range 0", "f1", {"average": "macro", "classes": "range"}, 0.2833, 0.3152),
    ("avg gold 0", "f1", {"average": "macro", "classes": "true"}, 0.4722, 0.5253),
    (
        "avg gold NaN",
        "f1",
        {"average": "macro", "classes": "true", "undefined": "nan", "scope": "one-sided"},
        0.4722,
        NAN,
    ),
    ("avg decl, empty = 1", "f1", {"average": "macro", "undefined": 1}, 0.5694, 0.5960),
    (
        "avg obs, no hits = 1 (scikit-learn 1.3)",
        "f1",
        {"average": "macro", "classes": "observed", "undefined": 1, "scope": "no-hits"},
        0.6042,
        0.3939,
    ),
    (
        "avg skip one-sided",
        "f1",
        {"average": "macro", "undefined": "skip", "scope": "one-sided"},
        0.4722,
        0.7879,
    ),
    (
        "avg skip no hits",
        "f1",
        {"average": "macro", "undefined": "skip", "scope": "no-hits"},
        0.7083,
        0.7879,
    ),
    ("avg decl NaN", "f1", {"average": "macro", "undefined": "nan"}, NAN, NAN),
    (
        "avg obs - {0}",
        "f1",
        {"average": "macro", "classes": "observed", "exclude": [0]},
        0.2500,
        0.2222,
    ),
    (
        "avg gold - {0}",
        "f1",
        {"average": "macro", "classes": "true", "exclude": [0]},
        0.3750,
        0.3333,
    ),
    (
        "ignore rows of gold 0",
        "f1",
        {"average": "macro", "classes": "observed", "ignore": [0]},
        0.2500,
        0.1667,
    ),
    ("support-weighted", "weighted_f1", {}, 0.5417, 0.7348),
    ("FoA obs 0", "f1_of_averages", {"classes": "observed"}, 0.3646, 0.4125),
    ("FoA decl 0", "f1_of_averages", {}, 0.2431, 0.2750),
    ("FoA gold 0", "f1_of_averages", {"classes": "true"}, 0.4861, 0.5500),
    (
        "FoA obs skip",
        "f1_of_averages",
        {"classes": "observed", "undefined": "skip"},
        0.4268,
        0.5500,
    ),
    ("FoA obs, 0/0 = 1", "f1_of_averages", {"classes": "observed", "undefined": 1}, 0.4922, 0.6641),
    ("FoA decl, 0/0 = 1", "f1_of_averages", {"undefined": 1}, 0.6641, 0.7768),
    ("FoA obs NaN", "f1_of_averages", {"classes": "observed", "undefined": "nan"}, NAN, NAN),
    ("micro", "micro_f1", {}, 0.5000, 0.7500),
    ("one-vs-rest accuracy", "one_vs_rest_accuracy", {"average": "macro"}, 0.8333, 0.9167),
]


@pytest.mark.parametrize(("row", "name", "options", "first", "second"), LIBRARIES)
def test_what_real_libraries_print(
    row: str, name: str, options: dict[str, Any], first: float, second: float
) -> None:
    for example, printed in ((E1, first), (E2, second)):
        value = float(getattr(wf, name)(*example, labels=range(6), **options))
        assert value == pytest.approx(printed, abs=0.5001e-4, nan_ok=True), row
