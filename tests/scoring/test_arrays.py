"""Plain arrays take a fast path: it returns what the general path does, and it stays short."""

from __future__ import annotations

import dataclasses
import math
import pickle
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from unittest import mock

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers.peak import calls_of
from whichf1.definitions.names import SHORTHANDS
from whichf1.errors import WhichF1Error
from whichf1.metrics import COUNTED, EVERY
from whichf1.metrics.registry import Metric
from whichf1.scoring import evaluate, lines

Array = npt.NDArray[Any]
SOME: dict[str, list[dict[str, Any]]] = {
    "rate": [
        {"positive": 1},
        {"average": "macro"},
        {"average": "weighted"},
        {"average": "micro"},
        {"average": "macro", "undefined": "skip"},
        {"average": "macro", "classes": "true", "undefined": "nan"},
        {"average": "macro", "exclude": [1]},
        {"average": "macro", "two_classes": "last"},
        {"average": "macro", "classes": [1, 0]},
    ],
    "ranking": [{}, {"positive": 1}],
    "items": [{}, {"classes": [0, 2]}],
}
"""Options with which the metrics of a kind are tried."""


NUMBERS = [0, 0.3, 0.5, 1, 2, 3.5, 1e-9, 1e154, 1e200]


def options_of(metric: Metric, classes: int) -> Iterator[dict[str, Any]]:
    """The options of its kind, and each parameter alone with values that it may have."""
    costs = {"costs": (1.0 - np.eye(classes)).tolist()} if "costs" in metric.parameters else {}
    for options in SOME.get(metric.kind, [{}]):
        yield {**options, **costs}
    first = next(iter(SOME.get(metric.kind, [{}])))
    for name, parameter in metric.parameters.items():
        if not (parameter.square or parameter.tree or parameter.text):
            for value in parameter.choices or NUMBERS:
                yield {**first, **costs, name: value}
    if metric.kind == "rate":
        yield {"positive": 1, "epsilon": 1e-9}
        yield {"average": "micro", "epsilon": 0.5}


def data_of(metric: Metric, n: int, seed: int) -> Iterator[tuple[Array, Array]]:
    """Items as a metric takes them, in arrays of several types."""
    rng = np.random.default_rng(seed)
    two, several = rng.integers(0, 2, n), np.append(rng.integers(0, 4, n), 0)
    scores = np.clip(rng.random(n).round(int(rng.integers(1, 4))) * 0.7 + 0.3 * two, 0, 1)
    rows = rng.dirichlet(np.ones(4), n + 1)
    labels, guessed = rng.random((2, n, 3)) < 0.4
    if metric.kind in ("rate", "agreement"):
        other = np.where(rng.random(n + 1) < 0.6, several, rng.integers(0, 4, n + 1))
        yield from ((several.astype(x), other.astype(x)) for x in ("i8", ">i4", "u1"))
        yield two, rng.integers(0, 2, n)
        yield two > 0, rng.random(n) < 0.5
    elif metric.kind == "ranking":
        yield from ((two.astype(x), scores) for x in ("i8", "u1", "?"))
        yield two, scores.astype(np.float32)
    elif metric.kind == "loss":
        yield several, rows
        yield several.astype("u2"), np.asfortranarray(rows)
        yield several, rows.astype(np.float32)
        yield two, scores.astype(np.float32)
        yield two, scores
        yield two > 0, scores
    elif metric.kind == "items":
        yield from ((labels.astype(x), guessed.astype(x)) for x in ("i8", "?", "f8"))
    else:
        yield labels.astype(int), rng.random((n, 3)).round(1)
        yield labels, rng.random((n, 3))


def outcome(score: Callable[..., wf.Score], *data: Any, **options: Any) -> wf.Score | str:
    try:
        return score(*data, **options)
    except WhichF1Error as error:
        return str(error)


def in_general(score: Callable[..., wf.Score], *data: Any, **options: Any) -> wf.Score | str:
    """What the general way gives, which looks at the data item by item."""
    with mock.patch.object(evaluate, "_QUICK", {}):
        return outcome(score, *data, **options)


def assert_same(quick: wf.Score | str, slow: wf.Score | str) -> None:
    if isinstance(quick, str) or isinstance(slow, str):
        assert quick == slow
        return
    assert quick.signature == slow.signature
    assert quick.classes == slow.classes and quick.n == slow.n
    assert math.isclose(quick, slow, rel_tol=1e-12, abs_tol=1e-15) or (
        math.isnan(quick) and math.isnan(slow)
    )


@pytest.mark.parametrize("name", EVERY)
def test_arrays_give_what_the_general_way_gives(name: str) -> None:
    """The result is the same, or the same error."""
    metric, score = EVERY[name], getattr(wf, name)
    for seed, n in ((0, 60), (1, 7), (2, 2)):
        for true, other in data_of(metric, n, seed):
            for options in options_of(metric, len(np.unique(true))):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    quick = outcome(score, true, other, **options)
                    slow = in_general(score, true.tolist(), other.tolist(), **options)
                assert_same(quick, slow)


WORDS = [
    *("cat", "dog", "Dog", "dog ", "", "é", "é", "日本", "x" * 17, "cat\0", "true", "True"),
    *("1", "1.0", "01", "0.5", "-1", "2", "3.25", "1e3", "+", ".5"),
]
COLUMNS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "objects": lambda items: np.array([*items, None], object)[:-1],
    "pandas": pd.Series,
    "pandas objects": lambda items: pd.Series(items, dtype=object),
    "pandas categories": lambda items: pd.Series(items).astype("category"),
    "polars": pl.Series,
    "arrow": pa.array,
}


@settings(max_examples=300)
@given(st.data())
def test_lists_texts_and_series_give_what_the_general_way_gives(data: st.DataObject) -> None:
    """The same score with the same warnings, or the same error."""
    classes: list[st.SearchStrategy[Any]] = [
        st.sampled_from(WORDS[:4]),
        st.sampled_from(WORDS),
        st.integers(-2, 3),
        st.booleans(),
        st.sampled_from([0, 1, 2**63, -(2**63)]),
    ]
    each = data.draw(st.sampled_from(classes))
    both = st.lists(st.tuples(each, each), min_size=1, max_size=30)
    sides = [*map(list, zip(*data.draw(both), strict=True))]
    for side in sides:  # sometimes an item that is no class, or one fewer
        odd = data.draw(
            st.sampled_from([..., ..., ..., ..., None, math.nan, 1.5, "cat", 1, "fewer"])
        )
        if odd == "fewer":
            side.pop()
        elif odd is not ...:
            side[data.draw(st.integers(0, len(side) - 1))] = odd
    makers = [COLUMNS[data.draw(st.sampled_from([*COLUMNS]))] for _ in sides]
    try:
        columns = [make(side) for make, side in zip(makers, sides, strict=True)]
    except (TypeError, ValueError, OverflowError, pa.ArrowException):
        return  # a library that does not take these items
    name = data.draw(st.sampled_from([x for x, metric in EVERY.items() if metric.kind in COUNTED]))
    options = dict(data.draw(st.sampled_from([*options_of(EVERY[name], 2)])))
    if "positive" in options:
        options["positive"] = data.draw(each)
    ways = []
    for way in (outcome, in_general):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            score = way(getattr(wf, name), *columns, **options)
        ways.append((score, sorted({str(warning.message) for warning in caught})))
    (quick, said), (slow, also_said) = ways
    assert_same(quick, slow)
    assert said == also_said


@pytest.mark.parametrize("name", EVERY)
def test_scores_of_arrays_are_pickled_without_what_was_computed(name: str) -> None:
    metric = EVERY[name]
    true, other = next(data_of(metric, 30, 0))
    options = next(options_of(metric, len(np.unique(true))))
    data = (other[:, 0],) if metric.kind == "value" else (true, other)
    score = outcome(getattr(wf, name), *data, **options)
    assert isinstance(score, wf.Score)
    twin = pickle.loads(pickle.dumps(score))
    assert twin.signature == score.signature and twin.definition == score.definition
    fields = {x.name for x in dataclasses.fields(wf.Definition)}
    assert {*vars(pickle.loads(pickle.dumps(score.definition)))} <= fields


BAD: list[tuple[str, Array, Array]] = [
    ("roc_auc", np.array([0, 1, 2]), np.array([0.1, 0.5, 0.7])),
    ("roc_auc", np.array([0, 1, 1]), np.array([0.1, np.nan, 0.7])),
    ("roc_auc", np.array([0, 1, 1]), np.array([0.1, np.inf, 0.7])),
    ("roc_auc", np.array([1, 1, 1]), np.array([0.1, 0.2, 0.7])),
    ("roc_auc", np.array([0, 1]), np.array([0.1, 0.2, 0.7])),
    ("average_precision", np.array([], int), np.array([])),
    ("expected_calibration_error", np.array([0, 1]), np.array([0.1, 1.7])),
    ("log_loss", np.array([0, 1]), np.array([0.1, 1.7])),
    ("log_loss", np.array([0, 2]), np.array([0.1, 0.7])),
    ("log_loss", np.array([0, 1]), np.array([[0.1, 0.7], [0.5, 0.5]])),
    ("log_loss", np.array([1, 1]), np.array([[0.3, 0.7], [0.5, 0.5]])),
    ("brier", np.array([0, 1, 5]), np.full((3, 2), 0.5)),
    ("top_k_accuracy", np.array([0, 1]), np.array([[0.3, np.nan], [0.5, 0.5]])),
    ("spherical_score", np.array([0, 1]), np.array([[0.3, np.nan], [0.5, 0.5]])),
    ("hamming_loss", np.array([[0, 2]]), np.array([[0, 1]])),
    ("hamming_loss", np.array([[0, 1]]), np.array([[0, 1, 1]])),
    ("coverage_error", np.array([[0, 1]]), np.array([[0.5, np.nan]])),
    ("f1", np.array([0, 1]), np.array([0, 1, 1])),
    ("f1", np.array([0, 2]), np.array([0, 2])),
    ("accuracy", np.array([[0, 1]]), np.array([[0, 1]])),
    ("accuracy", np.array([0, 1]), np.array([True, False])),
]


@pytest.mark.parametrize(("name", "true", "other"), BAD)
def test_bad_arrays_give_no_number(name: str, true: Array, other: Array) -> None:
    options = {"positive": 1} if name == "f1" else {}
    said = outcome(getattr(wf, name), true, other, **options)
    assert isinstance(said, str)
    assert said == outcome(getattr(wf, name), true.tolist(), other.tolist(), **options)


LIMITS = {
    15: (
        "subset_accuracy hamming_loss label_ranking_average_precision coverage_error "
        "label_ranking_loss one_error"
    ),
    20: (
        "roc_auc average_precision ks recall_at_precision precision_at_recall tpr_at_fpr f_max "
        "sensitivity_at_specificity specificity_at_sensitivity equal_error_rate gain lift "
        "partial_average_precision net_benefit expected_calibration_error max_calibration_error "
        "rms_calibration_error"
    ),
    25: (
        "adjusted_rand_index log_loss brier top_k_accuracy precision recall f_beta f1 jaccard "
        "false_positive_rate false_negative_rate false_discovery_rate false_omission_rate "
        "prevalence selection_rate positive_likelihood_ratio diagnostic_odds_ratio yule_q "
        "accuracy error_rate fowlkes_mallows hinge_loss"
    ),
    30: (
        "no_information_rate mutual_information hierarchical_precision hierarchical_recall "
        "hierarchical_f1 specificity negative_predictive_value informedness markedness "
        "negative_likelihood_ratio one_vs_rest_accuracy optimized_precision "
        "index_of_balanced_accuracy cohen_kappa mcc normalized_mutual_information"
    ),
    35: (
        "scott_pi fleiss_kappa brennan_prediger g_mean one_vs_rest_mcc adjusted_balanced_accuracy "
        "cramer_v"
    ),
    40: "uncertainty gwet_ac1 no_information_p_value log_loss_skill brier_skill",
    45: "krippendorff_alpha spherical_score",
    50: "ranked_probability_score",
    55: "macro_mae",
    60: "debiased_calibration_error",
    70: "confusion_entropy log_auc",
    95: "goodman_kruskal_lambda",
    120: "pr_gain_auc",
    125: "dcg ndcg",
    165: "miscalibration",
    175: "discrimination",
    180: "mean_value",
    190: "cost_curve_area",
    205: "expected_cost bayes_cost",
    220: "normalized_expected_cost",
    235: "aurc normalized_bayes_cost",
    240: "excess_aurc",
    245: "selective_accuracy",
    535: "smooth_calibration_error",
}
"""Functions of Python and C that a score of 100 items in arrays may call, as measured."""
OTHERS = 120
"""The same for a metric that is not named above."""


def fewest_calls(work: Callable[[], object]) -> int:
    """The calls of work that was done before, of which a tool that runs beside it adds none."""
    return min(calls_of(work) for _ in range(4))


@pytest.mark.parametrize("name", EVERY)
def test_a_score_of_small_arrays_calls_few_functions(name: str) -> None:
    metric = EVERY[name]
    data: tuple[Array, ...] = next(data_of(metric, 99, 0))
    options = next(options_of(metric, len(np.unique(data[0]))))
    if metric.kind == "value":  # has no true classes
        data, options = (np.random.default_rng(0).random(99),), {}
    score = partial(getattr(wf, name), *data, **options)
    limits = {each: most for most, names in LIMITS.items() for each in names.split()}
    assert fewest_calls(score) <= limits.get(name, OTHERS)


OF_DELTA = {
    55: (
        "coverage_error log_loss hinge_loss subset_accuracy hamming_loss label_ranking_loss "
        "label_ranking_average_precision one_error brier top_k_accuracy"
    ),
    80: (
        "adjusted_balanced_accuracy brennan_prediger cohen_kappa mcc scott_pi fleiss_kappa "
        "spherical_score"
    ),
    90: "ranked_probability_score gwet_ac1 average_precision krippendorff_alpha",
    105: "roc_auc",
    165: "dcg ndcg",
    230: "mean_value",
    275: "bayes_cost aurc excess_aurc macro_mae",
    540: "expected_cost normalized_expected_cost",
    770: "normalized_bayes_cost",
}
"""The same for a delta interval of 2,000 items, which takes as many calls as one of 100."""
OTHERS_OF_DELTA = 75
OF_COUNTS = {300: "macro_mae", 570: "expected_cost normalized_expected_cost"}
"""The same for an interval of counts."""
OTHERS_OF_COUNTS = 165


def asked(name: str, n: int) -> tuple[Callable[..., wf.Score], tuple[Array, ...]] | None:
    """A score with its delta interval, and items of it; None if it has no such interval."""
    metric = EVERY[name]
    data: tuple[Array, ...] = next(data_of(metric, n, 0))
    options = next(options_of(metric, len(np.unique(data[0]))))
    if metric.kind == "value":
        data, options = (np.random.default_rng(0).random(n),), {}
    if "interval" not in getattr(wf, name).definition(**options).applicable:
        return None
    return partial(getattr(wf, name), **options, interval="delta"), data


@pytest.mark.parametrize("name", EVERY)
def test_a_delta_interval_calls_few_functions(name: str) -> None:
    found = asked(name, 1999)
    if found is None:
        return
    score, data = found
    limits = {each: most for most, names in OF_DELTA.items() for each in names.split()}
    assert fewest_calls(partial(score, *data)) <= limits.get(name, OTHERS_OF_DELTA)


@pytest.mark.parametrize("name", [x for x in EVERY if EVERY[x].kind in COUNTED])
def test_a_delta_interval_of_counts_calls_few_functions(name: str) -> None:
    found = asked(name, 1999)
    if found is None:
        return
    score, data = found
    counts = wf.count(*data)

    def work() -> None:
        counts.__dict__.pop("table", None)  # it would hide what it costs
        score(counts)

    limits = {each: most for most, names in OF_COUNTS.items() for each in names.split()}
    assert fewest_calls(work) <= limits.get(name, OTHERS_OF_COUNTS)


BENT = {
    "average_precision", "aurc", "excess_aurc", "diagnostic_odds_ratio",
    "positive_likelihood_ratio", "negative_likelihood_ratio",
}  # fmt: skip
"""Scores whose interval depends on a second derivative, which is a small difference."""


@pytest.mark.parametrize("name", [x for x in EVERY if EVERY[x].kind != "value"])
def test_quick_intervals_are_those_of_the_general_way(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From arrays and from counts: the ends, the caution, and whether there is an interval."""
    metric, score = EVERY[name], getattr(wf, name)
    methods = ("delta", "delong") if name == "roc_auc" else ("delta",)
    for seed, n in ((0, 400), (1, 37), (2, 9), (3, 2)):
        for true, other in data_of(metric, n, seed):
            for options in options_of(metric, len(np.unique(true))):
                for method in methods:
                    asked = {**options, "interval": method}
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        quick = outcome(score, true, other, **asked)
                        with monkeypatch.context() as without:
                            without.setattr(evaluate, "_QUICK", {})
                            counted = outcome(score, true, other, **asked)
                            without.setattr(evaluate, "_delta", lambda *_: None)
                            without.setattr(lines, "precision_estimate", lambda *_: None)
                            slow = outcome(score, true, other, **asked)
                    same_score(name, quick, slow)
                    same_score(name, counted, slow)


def same_score(name: str, quick: wf.Score | str, slow: wf.Score | str) -> None:
    if isinstance(quick, str) or isinstance(slow, str):
        assert quick == slow
        return
    assert (quick.signature, quick.n, quick.classes) == (slow.signature, slow.n, slow.classes)
    assert quick.value == pytest.approx(slow.value, rel=1e-12, nan_ok=True)
    ours, theirs = quick.interval, slow.interval
    if ours is None or theirs is None:
        assert ours is theirs
        return
    assert (ours.caution, ours.level, ours.method) == (theirs.caution, theirs.level, theirs.method)
    near = 1e-9 if name in BENT else 1e-12
    ends = pytest.approx((theirs.low, theirs.high), rel=near, abs=1e-14)
    assert (ours.low, ours.high) == ends


@pytest.mark.parametrize(
    ("what", "most"),
    [
        ("count", 33),
        ("f1, list", 70),
        ("f1, texts", 78),
        ("f1, series of texts", 235),
        ("f1, declared", 225),
        ("count_multilabel, f1", 100),
        ("f1.per_class", 105),
        ("roc_curve", 65),
        ("pr_curve", 72),
        ("det_curve", 70),
        ("gain_curve", 72),
        ("calibration_curve", 50),
        ("averaged_f1, delta", 110),
        *((name, 65) for name in SHORTHANDS),
    ],
)
def test_other_small_calls_are_short(what: str, most: int) -> None:
    (true, predicted), (two, scores) = (next(data_of(EVERY[x], 99, 0)) for x in ("f1", "roc_auc"))
    sets = next(data_of(EVERY["hamming_loss"], 99, 0))
    texts = [[f"class {x}" for x in side.tolist()] for side in (true, predicted)]
    works: dict[str, Callable[[], Any]] = {
        "count": lambda: wf.count(true, predicted),
        "count_multilabel, f1": lambda: wf.averaged_f1(wf.count_multilabel(*sets)),
        "f1.per_class": lambda: wf.f1.per_class(true, predicted),
        "f1, list": partial(wf.f1, true.tolist(), predicted.tolist(), average="macro"),
        "f1, texts": partial(wf.f1, *texts, average="macro"),
        "f1, series of texts": partial(wf.f1, *map(pd.Series, texts), average="macro"),
        "f1, declared": partial(wf.f1, true, predicted, average="macro", labels=range(4)),
        "averaged_f1, delta": lambda: wf.averaged_f1(true, predicted, interval="delta"),
    }
    data = (two, scores) if what.endswith("curve") else (true, predicted)
    work = works.get(what) or partial(getattr(wf, what), *data)
    assert fewest_calls(work) <= most
