"""Sets of labels against scikit-learn and against direct definitions."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as sk
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

import whichf1 as wf
from tests.helpers.samples import ends, present
from whichf1.definitions.definition import Definition
from whichf1.errors import DefinitionError, InputError, LabelError, MergeError, ShapeError
from whichf1.metrics import METRICS

AVERAGES = ["micro", "macro", "weighted", "samples"]
RATES = [name for name, metric in METRICS.items() if metric.kind == "rate"]


@st.composite
def matrices(draw: Any, least: Any = 1, most: Any = 15) -> Any:
    """Two indicator matrices; items and labels without anything are common."""
    n, k = draw(st.integers(least, most)), draw(st.integers(1, 5))
    cells = st.lists(st.lists(st.integers(0, 1), min_size=k, max_size=k), min_size=n, max_size=n)
    return np.array(draw(cells)), np.array(draw(cells))


SK: dict[str, Any] = {"precision": sk.precision_score, "recall": sk.recall_score, "f1": sk.f1_score}


@settings(max_examples=40)
@given(matrices(), st.sampled_from([0, 1]))
def test_rates(items: Any, undefined: Any) -> None:
    true, predicted = items
    counts = wf.count_multilabel(true, predicted)
    k = true.shape[1]
    for name, oracle in {**SK, "jaccard": sk.jaccard_score}.items():
        metric = getattr(wf, name)
        for average in AVERAGES if k > 1 else ["macro"]:
            if average == "weighted" and not true.any():
                continue  # scikit-learn then divides by 0 labels
            expected = oracle(true, predicted, average=average, zero_division=undefined)
            if k == 1:
                expected = oracle(true[:, 0], predicted[:, 0], zero_division=undefined)
            found = metric(counts, average=average, undefined=undefined)
            assert found.value == pytest.approx(float(expected), abs=1e-12), (name, average)
        if k > 1:
            each = oracle(true, predicted, average=None, zero_division=undefined)
            np.testing.assert_allclose(metric.per_class(counts, undefined=undefined).array, each)


@settings(max_examples=40)
@given(matrices())
def test_scores_of_items(items: Any) -> None:
    true, predicted = items
    exact = (true == predicted).all(1).mean()
    wrong = (true != predicted).mean()
    assert wf.subset_accuracy(true, predicted).value == pytest.approx(exact)
    assert wf.hamming_loss(true, predicted).value == pytest.approx(wrong)
    if true.shape[1] > 1:
        assert sk.accuracy_score(true, predicted) == pytest.approx(exact)
        assert sk.hamming_loss(true, predicted) == pytest.approx(wrong)


@settings(max_examples=40)
@given(matrices())
def test_both_macro_f1s(items: Any) -> None:
    counts = wf.count_multilabel(*items)
    c = counts.per_class()
    p, r, f = (
        np.divide(x, y, out=np.zeros(len(x)), where=y > 0)
        for x, y in ((c.tp, c.tp + c.fp), (c.tp, c.tp + c.fn), (2 * c.tp, 2 * c.tp + c.fp + c.fn))
    )
    p, r, f = p.mean(), r.mean(), f.mean()
    m = wf.macro_f1(counts)
    assert m.averaged.value == pytest.approx(f)
    assert m.of_averages.value == pytest.approx(2 * p * r / (p + r) if p + r else 0)
    assert m.gap >= -1e-12 and m.contributions.sum() == pytest.approx(m.gap, abs=1e-12)


@settings(max_examples=40)
@given(matrices())
def test_all_kinds_of_input_agree(items: Any) -> None:
    true, predicted = items
    counts = wf.count_multilabel(true, predicted)
    for make in (sparse.csr_matrix, sparse.csc_array, sparse.coo_array, pd.DataFrame):
        assert wf.count_multilabel(make(true), make(predicted)) == counts
    assert wf.count_multilabel(true.astype(bool).tolist(), predicted.astype(float)) == counts
    sets = [[set(np.flatnonzero(row).tolist()) for row in side] for side in items]
    assert wf.count_multilabel(*sets, labels=range(true.shape[1])) == counts
    assert wf.count_multilabel(sets[0], predicted, labels=range(true.shape[1])) == counts
    names = [f"label {at}" for at in range(true.shape[1])]
    named = [[[names[x] for x in row] for row in side] for side in sets]
    other = wf.count_multilabel(*named, labels=names)
    assert wf.f1(other, average="micro").value == wf.f1(counts, average="micro").value


@settings(max_examples=40)
@given(matrices(least=2), st.data())
def test_merging_is_concatenating(items: Any, data: Any) -> None:
    true, predicted = items
    cut = data.draw(st.integers(1, len(true) - 1))
    parts = [
        wf.count_multilabel(true[part], predicted[part]) for part in (slice(cut), slice(cut, None))
    ]
    assert sum(parts) == wf.count_multilabel(true, predicted)
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(true), max_size=len(true)))
    assume(any(weights))
    repeated = wf.count_multilabel(*(np.repeat(x, weights, 0) for x in items))
    weighted = wf.count_multilabel(true, predicted, weights=weights)
    assert wf.f1(weighted, average="samples").value == pytest.approx(
        wf.f1(repeated, average="samples").value
    )
    assert (weighted.per_class().fp == repeated.per_class().fp).all()


def test_observed_labels_merge_by_name() -> None:
    a = wf.count_multilabel([{"x"}], [{"y"}])
    b = wf.count_multilabel([{"b", "x"}], [{"x"}])
    merged = a + b
    assert merged.labels == ("b", "x", "y") and merged.n == 2
    assert merged == wf.count_multilabel([{"x"}, {"b", "x"}], [{"y"}, {"x"}])
    assert pickle.loads(pickle.dumps(merged)) == merged


@settings(max_examples=40)
@given(matrices(), st.sampled_from(RATES), st.sampled_from(AVERAGES))
def test_signatures_parse_and_run(items: Any, name: str, average: Any) -> None:
    counts = wf.count_multilabel(*items)
    score = wf.score(counts, name, average=average)
    again = Definition.parse(score.signature)(counts)
    assert again.signature == score.signature
    assert again.value == score.value or np.isnan(score.value)
    for metric in (wf.subset_accuracy, wf.hamming_loss):
        assert Definition.parse(metric(counts).signature)(counts) == metric(counts)


@settings(max_examples=40)
@given(matrices(), st.data())
def test_rankings_of_labels(items: Any, data: Any) -> None:
    true, _ = items
    assume(true.shape[1] > 1)
    cell = st.sampled_from([0.0, 0.5, 1.0]) | st.floats(-1, 1)
    rows = st.lists(cell, min_size=true.shape[1], max_size=true.shape[1])
    scores = np.array(data.draw(st.lists(rows, min_size=len(true), max_size=len(true))))
    lrap = wf.label_ranking_average_precision(true, scores)
    expected = sk.label_ranking_average_precision_score(true, scores)
    assert lrap.value == pytest.approx(expected, abs=1e-12)
    coverage = wf.coverage_error(true, scores)
    assert coverage.value == pytest.approx(sk.coverage_error(true, scores), abs=1e-12)
    loss = wf.label_ranking_loss(true, scores)
    assert loss.value == pytest.approx(sk.label_ranking_loss(true, scores), abs=1e-12)
    for k in (None, 1, 2):
        gain, share = wf.dcg(true, scores, k=k), wf.ndcg(true, scores, k=k)
        assert gain.value == pytest.approx(sk.dcg_score(true, scores, k=k), abs=1e-12)
        assert share.value == pytest.approx(sk.ndcg_score(true, scores, k=k), abs=1e-12)
    parts = [
        wf.moments(true[at], scores[at], "lrap")
        for at in (slice(0, 1), slice(1, None))
        if len(true[at])
    ]
    assert wf.lrap(sum(parts)).value == pytest.approx(lrap.value)
    assert wf.lrap(sum(parts)).signature == lrap.signature


@settings(max_examples=40)
@given(matrices(), st.data())
def test_decisions_from_scores(items: Any, data: Any) -> None:
    true, _ = items
    n, k = true.shape
    row = st.lists(st.sampled_from([0.1, 0.5, 0.9]), min_size=k, max_size=k)
    scores = np.array(data.draw(st.lists(row, min_size=n, max_size=n)))
    counts = wf.count_multilabel(true, scores, threshold=0.5)
    plain = wf.count_multilabel(true, scores >= 0.5)
    assert (counts.per_class().tp == plain.per_class().tp).all()
    assert wf.f1(counts, average="macro").signature.endswith('|decision:"score>=0.5"')
    best = wf.count_multilabel(true, scores, top_k=1)
    assert (best.per_class().tp + best.per_class().fp).sum() == n
    assert wf.hamming_loss(best).signature.endswith('|decision:"top-1,ties=first"')
    with pytest.raises(MergeError, match="decided differently"):
        counts + plain


def test_intervals_are_those_of_items() -> None:
    """The variance over items by definition: the jackknife of n = 400 items comes close to it."""
    random = np.random.default_rng(4)
    true = random.random((400, 4)) < [0.5, 0.3, 0.2, 0.4]
    wrong = random.random((400, 1)) < 0.3  # an item with one wrong label has several
    predicted = true ^ (wrong & (random.random((400, 4)) < 0.6))
    counts = wf.count_multilabel(true, predicted)
    average: Any
    for average in AVERAGES:
        for name in ("f1", "precision", "jaccard"):
            one = wf.score(counts, name, average=average, interval="delta")
            without = np.array(
                [
                    wf.score(
                        wf.count_multilabel(np.delete(true, at, 0), np.delete(predicted, at, 0)),
                        name,
                        average=average,
                    ).value
                    for at in range(0, 400, 4)
                ]
            )
            spread = np.sqrt(399 / 400 * 4 * np.sum((without - np.mean(without)) ** 2))
            x = one.value
            high = present(one.interval).high
            logit = np.log(high / (1 - high)) - np.log(x / (1 - x))
            error = logit * x * (1 - x) / 1.959963984540054
            assert error == pytest.approx(spread, rel=0.25), (average, name)


@settings(max_examples=30)
@given(matrices(least=4))
def test_intervals_of_one_label_are_those_of_its_counts(items: Any) -> None:
    true, predicted = items
    counts = wf.count_multilabel(true, predicted)
    each = wf.f1.per_class(counts, interval="delta")
    for at in range(true.shape[1]):
        one = wf.count(true[:, at], predicted[:, at], labels=[0, 1])
        expected = wf.f1(one, positive=1, interval="delta").interval
        found = each.intervals[at]
        assert (found is None) == (expected is None)
        if found:
            assert ends(found) == pytest.approx(ends(expected))


@pytest.mark.parametrize(
    ("true", "predicted", "error", "says"),
    [
        ([[1, 0]], [[1, 0], [0, 1]], ShapeError, "y_true has 1 item, y_pred has 2"),
        ([[1, 0]], [[1, 0, 0]], ShapeError, "y_true has 2 columns, y_pred has 3"),
        ([[1, 2]], [[1, 0]], InputError, r"y_true\[0, 1\] is 2"),
        ([[1, 0]], [[0.3, 0.5]], InputError, r"y_pred\[0, 0\] is 0.3.*threshold="),
        ([], [], ShapeError, "no items"),
        ([1, 0], [1, 0], ShapeError, "matrix of 0 and 1"),
        ("ab", [[1, 0]], ShapeError, "got str"),
        ([{"a"}], [{1}], LabelError, "label types differ"),
        ([{"a", 1}], [{"a"}], LabelError, "mix types"),
        ([{None}], [{"a"}], LabelError, "missing label"),
        ([[3], [5, 7]], [{3}, {5}], ShapeError, "matrix of 0 and 1"),
    ],
)
def test_bad_sets(true: Any, predicted: Any, error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        wf.count_multilabel(true, predicted)


def test_bad_declarations() -> None:
    with pytest.raises(LabelError, match=r"y_pred\[1\] holds 'c'"):
        wf.count_multilabel([{"a"}, {"b"}], [{"a"}, {"c"}], labels=["a", "b"])
    with pytest.raises(ShapeError, match="labels= has 3"):
        wf.count_multilabel([[1, 0]], [[1, 0]], labels=["a", "b", "c"])
    with pytest.raises(DefinitionError, match="not both"):
        wf.count_multilabel([[1, 0]], [[1, 0]], threshold=0.5, top_k=1)
    with pytest.raises(DefinitionError, match="top_k must be"):
        wf.count_multilabel([[1, 0]], [[1, 0]], top_k=3)
    with pytest.raises(InputError, match=r"y_true\[0, 1\] is 3"):
        wf.count_multilabel(sparse.csr_array([[0, 3]]), sparse.csr_array([[0, 1]]))


@pytest.mark.parametrize("metric", ["accuracy", "cohen_kappa", "mcc"])
def test_one_class_metrics_refuse_sets(metric: str) -> None:
    with pytest.raises(DefinitionError, match="sets of labels"):
        wf.score(wf.count_multilabel([{"a"}], [{"b"}]), metric)


def test_set_metrics_refuse_single_classes() -> None:
    counts = wf.count([0, 1], [0, 1])
    with pytest.raises(DefinitionError, match="for sets of labels"):
        wf.subset_accuracy(counts)
    with pytest.raises(DefinitionError, match="for sets of labels"):
        wf.f1(counts, average="samples")
    with pytest.raises(DefinitionError, match="ignore="):
        wf.f1(wf.count_multilabel([{"a"}], [{"b"}]), average="macro", ignore=["a"])


@pytest.mark.parametrize(
    ("true", "scores", "says"),
    [
        ([[1, 0]], [[0.1, np.nan]], r"scores\[0, 1\] is nan"),
        ([[1, 0]], [[0.1]], "1 item and 2 labels, scores have shape"),
        ([[1, 0]], [0.1], "a column of scores for each label"),
        ([{"a"}], [[0.1, 0.2]], "declare labels="),
    ],
)
def test_bad_label_scores(true: Any, scores: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        wf.lrap(true, scores)
