"""Rankings and losses of label sets: against scikit-learn, direct definitions and every source."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import whichf1 as wf
from tests.helpers.samples import ends
from whichf1.definitions.definition import Definition
from whichf1.errors import DefinitionError, InputError, ShapeError
from whichf1.metrics import EVERY
from whichf1.scoring.label_sets import settled, statistic_of, with_labels
from whichf1.sources.lines import ScoredLines

NAMES = ["rain", "snow", "fog"]
AVERAGES: list[Any] = ["macro", "weighted", "micro", "samples"]
RANKINGS = [x for x, metric in EVERY.items() if metric.kind == "ranking" and metric.over_labels]


def drawn(seed: int, n: int = 80) -> tuple[Any, Any, Any]:
    """Labels, probabilities with ties, and weights; no item has all labels or none."""
    rng = np.random.default_rng(seed)
    true = (rng.random((n, 3)) < [0.5, 0.3, 0.2]).astype(int)
    plain = (true.sum(1) == 0) | (true.sum(1) == 3)
    true[plain] = [0, 1, 0]
    scores = (0.7 * true + rng.normal(size=(n, 3))).round(1)
    return true, 1 / (1 + np.exp(-scores)), rng.integers(0, 4, n) / 4


@st.composite
def items(draw: Any) -> tuple[Any, Any, Any]:
    """Labels, scores with many ties, and weights; labels without items are common."""
    n, k = draw(st.integers(1, 12)), draw(st.integers(2, 4))
    rows = st.lists(st.lists(st.integers(0, 1), min_size=k, max_size=k), min_size=n, max_size=n)
    true = np.array(draw(rows))
    cells = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=n * k, max_size=n * k)
    weights = st.lists(st.integers(1, 3), min_size=n, max_size=n)
    return true, np.array(draw(cells)).reshape(n, k), np.array(draw(weights))


PEERS: dict[str, tuple[Any, Any]] = {
    "roc_auc": (sk.roc_auc_score, "nan"),
    "average_precision": (sk.average_precision_score, 0),
}
"""What scikit-learn gives, and what it makes of a label without positives."""


@pytest.mark.filterwarnings("ignore::UserWarning")
@settings(max_examples=60)
@given(items(), st.sampled_from(AVERAGES), st.booleans())
def test_scikit_learn(data: Any, average: Any, weighted: bool) -> None:
    true, scores, weights = data
    if average == "weighted" and not true.any():
        return  # there is nothing to weight by
    options = {"weights": weights} if weighted else {}
    for name, (peer, undefined) in PEERS.items():
        rule = {} if average == "micro" else {"undefined": undefined}
        if average == "micro" and (not true.any() or true.all()):
            continue
        ours = wf.score(true, scores, name, average=average, **rule, **options).value
        theirs = peer(true, scores, average=average, sample_weight=options.get("weights"))
        assert ours == pytest.approx(theirs, abs=1e-12, nan_ok=True), name
        drawn = {**options, "interval": "delta"}
        again = wf.score(true, scores, name, average=average, **rule, **drawn).value
        assert again == pytest.approx(theirs, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", RANKINGS)
def test_every_ranking_averages_over_labels(name: str) -> None:
    true, scores, weights = drawn(3)
    each = [
        wf.score(column, score, name).value for column, score in zip(true.T, scores.T, strict=True)
    ]
    np.testing.assert_allclose(getattr(wf, name).per_class(true, scores).array, each)
    assert wf.score(true, scores, name, average="macro").value == pytest.approx(np.mean(each))
    support = true.sum(0)
    mean = np.average(each, weights=support)
    assert wf.score(true, scores, name, average="weighted").value == pytest.approx(mean)
    pooled = wf.score(true.ravel(), scores.ravel(), name).value
    assert wf.score(true, scores, name, average="micro").value == pytest.approx(pooled)
    if EVERY[name].probabilities:
        with pytest.raises(DefinitionError, match="more than the order"):
            wf.score(true, scores, name, average="samples")
        return
    rows = [wf.score(t, s, name).value for t, s in zip(true, scores, strict=True)]
    samples = wf.score(true, scores, name, average="samples")
    assert samples.value == pytest.approx(np.mean(rows))
    kept = weights > 0
    both = wf.score(true, scores, name, average="samples", weights=weights).value
    assert both == pytest.approx(np.average(np.array(rows)[kept], weights=weights[kept]))


@pytest.mark.parametrize("name", ["log_loss", "brier"])
@pytest.mark.parametrize("average", AVERAGES)
def test_losses(name: str, average: Any) -> None:
    true, p, weights = drawn(5)
    peer = {"log_loss": sk.log_loss, "brier": sk.brier_score_loss}[name]
    for given_weights in (None, weights):
        pairs = zip(true.T, p.T, strict=True)
        each = [peer(t, s, sample_weight=given_weights) for t, s in pairs]
        support = true.sum(0) if given_weights is None else given_weights @ true
        mean = np.average(each, weights=support if average == "weighted" else None)
        ours = wf.score(true, p, name, average=average, weights=given_weights)
        assert ours.value == pytest.approx(mean, rel=1e-12)
        if given_weights is None:
            np.testing.assert_allclose(getattr(wf, name).per_class(true, p).array, each)


@pytest.mark.parametrize("name", ["roc_auc", "average_precision", "log_loss", "brier"])
@pytest.mark.parametrize("average", AVERAGES)
def test_slopes(name: str, average: Any) -> None:
    true, p, weights = drawn(7, 40)
    lines = with_labels(ScoredLines.of(true, p, sets=True))
    definition = settled(getattr(wf, name).definition(average=average), lines)
    statistic, count = statistic_of(definition, lines), weights + 0.25
    moved = 1e-6 * np.eye(len(true))
    numeric = (statistic.values(count + moved) - statistic.values(count - moved))[:, 0] / 2e-6
    np.testing.assert_allclose(statistic.slope(count), numeric, atol=1e-8)
    some = np.arange(0, len(true), 3)
    kept = np.isin(np.arange(len(true)), some)
    np.testing.assert_allclose(
        statistic.at(some).values(count[some]), statistic.values(np.where(kept, count, 0))
    )
    twice = statistic.beside(statistic).values(np.concatenate([count, 0 * count]))  # type: ignore[arg-type]
    np.testing.assert_allclose(twice, statistic.values(count))


def test_classes_are_sets_of_one_label() -> None:
    true, p, _ = drawn(9)
    codes = true.argmax(1)
    p = p / p.sum(1, keepdims=True)
    one_hot = np.eye(3, dtype=int)[codes]
    for average in ("macro", "weighted", "micro", "samples"):
        options: dict[str, Any] = {"average": average}
        a, b = wf.roc_auc(codes, p, **options), wf.roc_auc(one_hot, p, **options)
        assert a.value == pytest.approx(b.value, abs=1e-12)
        assert a.n == b.n and a.classes == b.classes
    class_wise = wf.expected_calibration_error(codes, p, average="macro")
    each = [wf.expected_calibration_error(codes == at, p[:, at]).value for at in range(3)]
    assert class_wise.value == pytest.approx(np.mean(each))


def test_what_is_undefined() -> None:
    true, p, _ = drawn(11)
    true[:, 2] = 0
    first = wf.roc_auc(true[:, :2], p[:, :2], average="macro").value
    with pytest.raises(InputError, match=r"none of the items have label 2.*undefined='skip'"):
        wf.roc_auc(true, p, average="macro")
    skipped = wf.roc_auc(true, p, average="macro", undefined="skip")
    assert skipped.value == pytest.approx(first) and "undef:skip" in skipped.signature
    half = wf.roc_auc(true, p, average="macro", undefined=0.5).value
    assert half == pytest.approx((2 * first + 0.5) / 3)
    assert np.isnan(wf.roc_auc(true, p, average="macro", undefined="nan").value)
    weighted = wf.roc_auc(true, p, average="weighted").value  # it has no weight
    assert weighted == pytest.approx(wf.roc_auc(true[:, :2], p[:, :2], average="weighted").value)
    # a number moves nothing: two thirds of the error remain
    whole, part = (
        ends(wf.roc_auc(true, p, average="macro", undefined=x, interval="delta").interval)
        for x in ("skip", first)
    )
    assert (part[1] - part[0]) / (whole[1] - whole[0]) == pytest.approx(2 / 3, rel=0.02)
    true, p, _ = drawn(12)
    true[4] = 0
    with pytest.raises(InputError, match="item 4 has none of them"):
        wf.roc_auc(true, p, average="samples")
    rest = np.delete(np.arange(len(true)), 4)
    assert wf.roc_auc(true, p, average="samples", undefined="skip").value == pytest.approx(
        wf.roc_auc(true[rest], p[rest], average="samples").value
    )


@pytest.mark.parametrize("seed", range(40))
def test_rare_labels_count_in_the_mean_as_they_do_alone(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 9)), int(rng.integers(1, 5))
    true, p = rng.random((n, k)) < rng.choice([0.1, 0.5, 0.9]), rng.random((n, k)).round(1)
    weights = None if seed % 2 else rng.integers(0, 3, n) + np.eye(n)[0]
    for metric, undefined in product((wf.roc_auc, wf.average_precision), (0.25, "nan")):
        options: dict[str, Any] = {"undefined": undefined, "weights": weights}
        each = [x.value for x in metric.per_class(true, p, **options).values()]
        columns = [metric(true[:, at], p[:, at], **options).value for at in range(k)]
        assert each == pytest.approx(columns, nan_ok=True)
        mean = metric(true, p, average="macro", **options).value
        assert mean == pytest.approx(np.mean(each), nan_ok=True)
        for method in ("auto", "delta", wf.Bootstrap(replicates=39)):
            again = metric.per_class(true, p, **options, interval=method).values()
            assert [x.value for x in again] == pytest.approx(each, nan_ok=True)
            assert all(x.interval is None for x in again if np.isnan(x.value))
    if not true.any(0).all():
        with pytest.raises(InputError, match="none of the items have label"):
            wf.roc_auc(true, p, average="macro", interval="auto")
        with pytest.raises(InputError, match="undefined='nan' or a number"):
            wf.roc_auc.per_class(true, p)


def test_all_kinds_of_input_agree(tmp_path: Path) -> None:
    true, p, weights = drawn(13)
    columns = dict(zip(NAMES, true.T, strict=True))
    columns |= {f"p_{x}": score for x, score in zip(NAMES, p.T, strict=True)}
    frame = pd.DataFrame({**columns, "w": weights, "g": np.arange(len(true)) // 4})
    frame.to_csv(tmp_path / "items.csv", index=False)
    frame.astype(dict.fromkeys(NAMES, bool)).to_parquet(tmp_path / "items.parquet")
    named: dict[str, Any] = {"true": NAMES, "score": [f"p_{x}" for x in NAMES]}
    sets = [[name for name, here in zip(NAMES, row, strict=True) if here] for row in true]
    for metric in ("roc_auc", "log_loss"):
        for average in AVERAGES:
            options: dict[str, Any] = {"average": average, "interval": "delta"}
            whole = wf.score(true, p, metric, labels=NAMES, **options)
            for made in (true.astype(bool), true.tolist(), sparse.csr_array(true), sets):
                assert wf.score(made, p, metric, labels=NAMES, **options) == whole
            for file in ("items.csv", "items.parquet"):
                read = wf.score(str(tmp_path / file), metric, **named, **options)
                assert read.signature == whole.signature
                assert ends(read.interval) == pytest.approx(ends(whole.interval), rel=1e-9)
    for each in ("weights", "cluster"):
        given_here = {"weights": weights, "cluster": frame["g"].to_numpy()}[each]
        arrays = wf.roc_auc(
            true, p, average="micro", labels=NAMES, interval="bootstrap", **{each: given_here}
        )
        column: Any = {each: {"weights": "w", "cluster": "g"}[each]}
        read = wf.roc_auc(frame, average="micro", interval="bootstrap", **named, **column)
        assert ends(read.interval) == pytest.approx(ends(arrays.interval), rel=1e-9)
    times = np.arange(len(true)) % 3
    repeated = wf.roc_auc(np.repeat(true, times, 0), np.repeat(p, times, 0), average="macro")
    assert wf.roc_auc(true, p, average="macro", frequencies=times) == repeated
    assert wf.ndcg(frame, **named) == wf.ndcg(true, p, labels=NAMES)
    of_labels = wf.roc_auc.per_class(true, p, labels=NAMES)
    np.testing.assert_allclose(wf.roc_auc.per_class(frame, **named).array, of_labels.array)


def test_comparisons(tmp_path: Path) -> None:
    true, p, _ = drawn(15)
    q = p[::-1].copy()
    columns = dict(zip(NAMES, true.T, strict=True))
    for name, scores in (("p", p), ("q", q)):
        columns |= {f"{name}_{x}": score for x, score in zip(NAMES, scores.T, strict=True)}
    frame = pd.DataFrame(columns)
    systems = {name: [f"{name.lower()}_{x}" for x in NAMES] for name in "PQ"}
    for average in ("macro", "micro", "samples"):
        options: dict[str, Any] = {"average": average, "replicates": 99}
        arrays = wf.compare(true, {"P": p, "Q": q}, "roc_auc", labels=NAMES, **options)
        read = wf.compare(frame, systems, "roc_auc", true=NAMES, **options)
        difference = wf.roc_auc(true, p, average=average).value
        difference -= wf.roc_auc(true, q, average=average).value
        for each in (arrays, read):
            assert each.pairs[0].difference == pytest.approx(difference)
        assert arrays.pairs[0].p_randomization == read.pairs[0].p_randomization


def test_signatures_parse_and_run() -> None:
    true, p, _ = drawn(17)
    for average in AVERAGES:
        for name in ("roc_auc", "average_precision", "log_loss", "brier"):
            score = wf.score(true, p, name, average=average)
            again = Definition.parse(score.signature)(true, p)
            assert again == score and again.signature == score.signature
    old = "roc_auc(multi_class=ovr)|avg:macro|v:1"  # of classes, written before sets had scores
    assert Definition.parse(old).signature == old


def test_bad_input() -> None:
    true, p, _ = drawn(19)
    cases: list[tuple[Any, Any, dict[str, Any], type[Exception], str]] = [
        (true, p, {}, DefinitionError, "3 labels: pass average="),
        (true, p[:, 0], {"average": "macro"}, ShapeError, "a column of scores for each label"),
        (true, p[:, :2], {"average": "macro"}, ShapeError, "3 labels, scores have shape"),
        (true[:9], p, {"average": "macro"}, ShapeError, "9 items"),
        (2 * true, p, {"average": "macro"}, InputError, "must hold 0 and 1"),
        (true, p, {"average": "macro", "multi_class": "ovo"}, DefinitionError, "one class each"),
        (true, p, {"average": "macro", "positive": 1}, DefinitionError, "Choose one"),
        (true, p, {"average": "mean"}, DefinitionError, "macro"),
    ]
    for y, scores, options, error, message in cases:
        with pytest.raises(error, match=message):
            wf.roc_auc(y, scores, **options)
    with pytest.raises(InputError, match=r"probabilities\[\d+, \d+\] is"):
        wf.log_loss(true, 2 * p, average="macro")
    with pytest.raises(DefinitionError, match="one class each is already a mean over items"):
        wf.log_loss(true.argmax(1), p / p.sum(1, keepdims=True), average="macro")
    with pytest.raises(DefinitionError, match="moments cover one label"):
        wf.moments(true, p, "log_loss", average="macro")
    frame = pd.DataFrame({"a": [0, 2], "b": [1, 0], "x": [0.1, 0.2], "y": [0.3, 0.4]})
    with pytest.raises(InputError, match="'a' holds 2"):
        wf.roc_auc(frame, true=["a", "b"], score=["x", "y"], average="macro")
    with pytest.raises(InputError, match="2 columns of labels, score= 1 column"):
        wf.roc_auc(frame, true=["a", "b"], score=["x"], average="macro")
    with pytest.raises(InputError, match="name a column for each label"):
        wf.roc_auc(frame, true=["a", "b"], score={"a": "x", "c": "y"}, average="macro")


@pytest.mark.parametrize(
    ("metric", "average", "enough"),
    [
        (wf.roc_auc, "micro", 100),
        (wf.average_precision, "micro", 300),
        (wf.average_precision, "macro", 100 * 2),  # in each class
        (wf.roc_auc, "macro", 30 * 2),
    ],
)
def test_a_caution_where_items_are_few(metric: Any, average: str, enough: int) -> None:
    rng = np.random.default_rng(4)

    def caution(items: int) -> str | None:
        labels = np.tile([[1, 0], [0, 1]], (items // 2, 1))
        scores = labels + rng.normal(size=labels.shape)
        interval = metric(labels, scores, average=average, interval="auto").interval
        assert interval is not None
        said: str | None = interval.caution
        return said

    assert caution(enough) is None
    assert caution(enough - 2) is not None


@pytest.mark.parametrize("weights", [None, [1.0, 2.0]])
@pytest.mark.parametrize("metric", [wf.brier, wf.log_loss])
def test_a_weighted_mean_over_labels_that_no_item_has_is_refused(metric: Any, weights: Any) -> None:
    data: Any = (np.zeros((2, 2), int), np.array([[0.5, 0.2], [0.1, 0.9]]))
    with pytest.raises(InputError, match="no item has a label"):
        metric(*data, average="weighted", weights=weights)
    assert metric(*data, average="macro", weights=weights).value > 0
