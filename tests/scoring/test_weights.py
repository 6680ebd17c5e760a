"""Weights of rankings, losses and label sets: each score is its exact value, whatever they are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers import exact
from tests.helpers.weights import NEAR, TINY, WEIGHT, same
from whichf1.definitions.definition import Definition
from whichf1.errors import DefinitionError, InputError
from whichf1.metrics import EVERY

Items = list[tuple[Any, Any, float]]
SCORE = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.7, 1.0])
LABELS = range(4)


def of_kind(*kinds: str) -> list[str]:
    return [name for name, metric in EVERY.items() if metric.kind in kinds]


def test_every_metric_of_scores_and_sets_has_an_exact_twin() -> None:
    assert {*of_kind("ranking")} == {*exact.RANKINGS}
    assert {*of_kind("loss")} == {*exact.LOSSES}
    assert {*of_kind("items")} == {*exact.ITEMS}
    assert {*of_kind("label ranking")} == {*exact.LABEL_RANKINGS}


@st.composite
def parameters(draw: st.DrawFn, name: str) -> dict[str, Any]:
    """Parameters of a metric, of which some are left as they are."""
    choices: dict[str, Any] = {
        "max_fpr": st.none() | st.sampled_from([0.3, 0.5, 1]),
        "top": st.sampled_from([0.1, 0.5, 1 / 3, 1]),
        "at": st.sampled_from([0.01, 0.5, 0.9, 1]),
        "beta": st.sampled_from([0.5, 1, 2]),
        "min_recall": st.sampled_from([0, 0.3, 0.5]),
        "min_fpr": st.sampled_from([0.001, 0.3]),
        "threshold": st.sampled_from([0, 0.25, 0.5]),
        "bins": st.sampled_from([1, 3, 10]),
        "coverage": st.sampled_from([0.1, 0.5, 0.8, 1]),
        "loss": st.sampled_from(["brier", "log_loss"]),
        "floor": st.sampled_from([1e-15, 0.01]),
        "scale": st.sampled_from(["half", "sum"]),
        "costs": st.none() | st.just(((0, 1, 4), (2, 0, 1), (5, 0.5, 0))),
        "k": st.integers(1, 3),
        "ties": st.sampled_from(["first", "last", "best", "worst"]),
    }
    drawn = {k: draw(choices[k]) for k in EVERY[name].parameters if k in choices}
    assume(drawn.get("min_fpr", 0) < (drawn.get("max_fpr") or 1))  # else an error
    return drawn


def weights_of(n: int, weight: Any) -> Any:
    return st.lists(weight, min_size=n, max_size=n).filter(any)


def weighted(row: Any, weight: Any) -> Any:
    """Items with a weight each, of which at least one is above 0."""
    rows = st.lists(st.tuples(row, weight), min_size=1, max_size=10)
    return rows.filter(lambda x: any(w for _, w in x))


def columns(items: Any) -> tuple[list[Any], list[float]]:
    return [row for row, _ in items], [w for _, w in items]


def values_of(
    definition: Callable[..., wf.Score], rows: list[Any], weights: Any, data: Any
) -> list[float]:
    """The score; of the items with a weight; and with all weights times powers of two."""
    kept = [at for at, w in enumerate(weights) if w]
    calls = [(range(len(rows)), weights), (kept, [weights[at] for at in kept])]
    near = all(1e-10 < w < 1e10 for w in weights if w)
    calls += [(range(len(rows)), np.ldexp(weights, k)) for k in (-900, 700) if near]
    return [definition(*data([rows[at] for at in places]), weights=w).value for places, w in calls]


def check(definition: Definition, expected: Any, values: list[float]) -> None:
    low, high = definition.declaration.bounds
    assert same(values[0], expected, signed=definition.metric in SIGNED), (
        definition,
        values[0],
        expected,
    )
    assert all(x == values[0] for x in values), (definition, values)
    assert low <= values[0] <= high, definition


SIGNED = (
    *("ks", "expected_calibration_error", "roc_auc", "specificity_at_sensitivity"),
    *("equal_error_rate", "partial_average_precision", "log_auc", "net_benefit"),
    *("pr_gain_auc", "cost_curve_area", "aurc", "excess_aurc", "smooth_calibration_error"),
    *("max_calibration_error", "rms_calibration_error", "miscalibration", "discrimination"),
    *("hinge_loss", "ranked_probability_score"),
)
"""Differences of sums (of the ROC AUC, below a false positive rate): as exact as their bounds."""
RANKED = st.tuples(st.integers(0, 1), SCORE)


WHOLE = [name for name in of_kind("ranking") if EVERY[name].squared is not None]
"""Scores that need whole numbers of items."""
WEIGHTED = [name for name in of_kind("ranking") if name not in (*WHOLE, "pr_gain_auc")]
ALIKE = st.floats(0.1, 10)
"""Weights of scores without bounds, which a class of nearly no weight moves without bounds."""


@settings(max_examples=80)
@given(st.lists(RANKED, min_size=2, max_size=12), st.sampled_from(WHOLE), st.data())
def test_a_ranking_of_whole_items(rows: Any, name: str, data: st.DataObject) -> None:
    y, s = (list(side) for side in zip(*rows, strict=True))
    definition = Definition(metric=name, parameters=tuple(data.draw(parameters(name)).items()))
    items = [(a, b, 1.0) for a, b in rows]
    assume({*y} == {0, 1})
    expected = exact.RANKINGS[name](items, **dict(definition.parameters))
    assert definition(y, s).value == pytest.approx(float(expected), abs=1e-7)  # a root near 0
    with pytest.raises(DefinitionError, match="drop the weights"):
        definition(y, s, weights=[0.5] * len(y))


@settings(max_examples=150)
@given(
    weighted(RANKED, WEIGHT) | weighted(RANKED, st.just(0.0) | NEAR),
    st.sampled_from(WEIGHTED),
    st.data(),
)
def test_a_weighted_ranking(items: Any, name: str, data: st.DataObject) -> None:
    rows, weights = columns(items)
    assume({y for (y, _), w in items if w} == {0, 1})
    definition = Definition(metric=name, parameters=tuple(data.draw(parameters(name)).items()))
    scored = [(y, s, w) for (y, s), w in items if w]
    expected = exact.RANKINGS[name](scored, **dict(definition.parameters))
    values = values_of(definition, rows, weights, lambda x: zip(*x, strict=True))
    check(definition, expected, values)


@pytest.mark.parametrize("seed", range(3))
def test_rankings_of_items_whose_weights_are_far_apart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tried = 0
    while tried < 12:
        n = int(rng.integers(2, 7))
        y, s = rng.integers(0, 2, n), rng.choice([0, 0.1, 0.25, 0.5, 0.75, 1], n)
        if len({*y}) < 2:
            continue
        powers = rng.choice([-300, -160, -20, -1, 0, 3, 160, 300], n)
        weights = 10.0**powers * rng.choice([1, 3.7], n)
        items = [*zip(y.tolist(), s.tolist(), weights.tolist(), strict=True)]
        for name in WEIGHTED:
            definition = Definition(metric=name)
            expected = exact.RANKINGS[name](items, **dict(definition.parameters))
            check(definition, expected, [definition(y, s, weights=weights).value])
        tried += 1


@settings(max_examples=60)
@given(st.lists(st.tuples(RANKED, ALIKE), min_size=2, max_size=10))
def test_a_weighted_area_without_a_lower_bound(items: Any) -> None:
    rows, weights = columns(items)
    assume({y for y, _ in rows} == {0, 1})
    expected = exact.pr_gain_auc([(y, s, w) for (y, s), w in items])
    score = wf.pr_gain_auc([y for y, _ in rows], [s for _, s in rows], weights=weights)
    assert score.value == pytest.approx(float(expected), rel=1e-12, abs=1e-12)


DISTRIBUTION = st.sampled_from(
    [[1.0, 0.0, 0.0], [0.1, 0.2, 0.7], [0.25, 0.25, 0.5], [1e-9, 1e-9, 1 - 2e-9], [0.4, 0.4, 0.2]]
)
JUDGED = st.tuples(st.integers(0, 2), DISTRIBUTION)


@settings(max_examples=60)
@given(
    st.sampled_from([WEIGHT, st.just(0.0) | NEAR, TINY]).flatmap(lambda w: weighted(JUDGED, w)),
    st.sampled_from([name for name in of_kind("loss") if EVERY[name].relative is None]),
    st.data(),
)
def test_a_weighted_loss(items: Any, name: str, data: st.DataObject) -> None:
    rows, weights = columns(items)
    definition = Definition(metric=name, parameters=tuple(data.draw(parameters(name)).items()))
    each = [exact.LOSSES[name](y, p, **dict(definition.parameters)) for y, p in rows]
    expected = exact.weighted_mean(each, weights)
    known = partial(definition, labels=range(3))
    values = values_of(known, rows, weights, lambda x: ([y for y, _ in x], [p for _, p in x]))
    check(definition, expected, values)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(JUDGED, ALIKE), min_size=2, max_size=10),
    st.sampled_from([name for name in of_kind("loss") if EVERY[name].relative is not None]),
    st.data(),
)
def test_a_weighted_loss_divided_by_that_of_the_frequencies(
    items: Any, name: str, data: st.DataObject
) -> None:
    rows, weights = columns(items)
    definition = Definition(metric=name, parameters=tuple(data.draw(parameters(name)).items()))
    skill, chosen = EVERY[name].relative == "skill", dict(definition.parameters)
    expected = exact.relative(name, rows, weights, skill, chosen)
    y, p = [y for y, _ in rows], [p for _, p in rows]
    if expected is None:
        with pytest.raises(InputError, match="a class that it needs has no items"):
            definition(y, p, labels=range(3), weights=weights)
        return
    score = definition(y, p, labels=range(3), weights=weights)
    assert score.value == pytest.approx(float(expected), rel=1e-12, abs=1e-12)


SET = st.frozensets(st.sampled_from(LABELS))
SETS = st.tuples(SET, SET)


@settings(max_examples=100)
@given(
    weighted(SETS, WEIGHT) | weighted(SETS, st.just(0.0) | NEAR), st.sampled_from(of_kind("items"))
)
def test_a_weighted_score_of_sets(items: Any, name: str) -> None:
    rows, weights = columns(items)
    each = [exact.ITEMS[name](true, predicted, LABELS) for true, predicted in rows]

    def data(some: Any) -> Any:
        return [list(x) for x in zip(*some, strict=True)]

    definition = Definition(metric=name)
    values = [
        definition(wf.count_multilabel(*data(rows), labels=LABELS, weights=w)).value
        for w in (weights, np.where(np.array(weights) > 0, weights, 0))
    ]
    check(definition, exact.weighted_mean(each, weights), values)


@settings(max_examples=150)
@given(
    weighted(SETS, WEIGHT) | weighted(SETS, st.just(0.0) | NEAR),
    st.sampled_from(of_kind("rate")),
    st.sampled_from([0, 1, "skip"]),
)
def test_a_weighted_rate_of_a_label(items: Any, name: str, undefined: Any) -> None:
    """A label against the rest is a class against the rest, in each item."""
    rows, weights = columns(items)
    counts = wf.count_multilabel(
        *(list(x) for x in zip(*rows, strict=True)), labels=LABELS, weights=weights
    )
    for label in LABELS:
        options = {} if EVERY[name].total else {"undefined": undefined}
        definition = Definition(metric=name, positive=label, **options)
        pairs = [(label in true, label in predicted) for true, predicted in rows]
        quad = exact.quadrant(exact.cells_of(pairs, weights), True)
        value = exact.rate(name, quad, dict(definition.parameters), undefined, "empty")
        expected = float("nan") if isinstance(value, str) else value
        bounds = definition.declaration.bounds
        assert same(definition(counts).value, expected, signed=bounds[0] < 0), (definition, label)


RANKED_SETS = st.tuples(SET, st.lists(SCORE, min_size=4, max_size=4))


@settings(max_examples=100)
@given(weighted(RANKED_SETS, WEIGHT), st.sampled_from(of_kind("label ranking")))
def test_a_weighted_ranking_of_labels(items: Any, name: str) -> None:
    rows, weights = columns(items)
    each = [exact.LABEL_RANKINGS[name](true, scores) for true, scores in rows]
    matrix = np.array([[label in true for label in LABELS] for true, _ in rows], int)
    value = Definition(metric=name)(matrix, [s for _, s in rows], weights=weights).value
    check(Definition(metric=name), exact.weighted_mean(each, weights), [value])


@settings(max_examples=60)
@given(weighted(RANKED, NEAR), st.sampled_from(WEIGHTED), st.integers(1, 9), st.data())
def test_every_source_and_merge_of_a_ranking(
    items: Any, name: str, cut: int, data: st.DataObject
) -> None:
    rows, weights = columns(items)
    assume({y for y, _ in rows} == {0, 1})
    y, s = (list(side) for side in zip(*rows, strict=True))
    definition = Definition(metric=name, parameters=tuple(data.draw(parameters(name)).items()))
    frame = pd.DataFrame({"y": y, "s": s, "w": weights})
    parts = [x for x in (slice(None, cut), slice(cut, None)) if y[x]]
    for w in (None, weights):
        named = {"true": "y", "score": "s", "weights": None if w is None else "w"}
        once = [
            definition(y, s, weights=w).value,
            definition(np.array(y), np.array(s), weights=w).value,
            definition(wf.rank(y, s, weights=w)).value,
            definition(frame, **named).value,
        ]
        assert len({*once}) == 1, (definition, once)
        ranks = (
            wf.rank(y[x], s[x], labels=[0, 1], weights=None if w is None else w[x]) for x in parts
        )
        merged = definition(sum(ranks)).value
        assert merged == once[0] if w is None else same(merged, once[0], signed=name in SIGNED)


Y = [0, 0, 1, 1, 1, 0, 0, 1, 1, 0, 1, 0]
S = [0.7, 1.1, 0.6, 0.1, 0.4, 0.5, 0.8, 1.0, 0.0, 0.9, 0.2, 0.3]
W = [0.2, 0.3, 0.3, 0.1, 0.9, 0.3, 0.9, 0.7, 0.2, 0.7, 0.7, 0.2]


def test_the_best_threshold_of_weighted_items_is_the_best() -> None:
    for metric in ("f1_of_averages", "mcc", "averaged_f1", "specificity", "cohen_kappa"):
        best = wf.best_threshold(Y, S, metric, weights=W)
        tried = [
            wf.score(wf.at_threshold(Y, S, t, weights=W), best.score.definition.signature).value
            for t in [inf, *S]
        ]
        assert best.value == pytest.approx(max(tried), rel=1e-12)
        in_order = sorted(zip([inf, *S], tried, strict=True), reverse=True)
        assert [*best.curve.value] == pytest.approx([value for _, value in in_order])
    assert wf.best_threshold(Y, S, "f1_of_averages", weights=W).value == pytest.approx(0.5835014754)


def test_an_item_of_weight_0_is_no_point_of_a_curve() -> None:
    weights = [*W[:-2], 0.0, 0.0]
    for curve in (wf.roc_curve, wf.pr_curve, wf.det_curve, wf.gain_curve, wf.lift_curve):
        zero, dropped = curve(Y, S, weights=weights), curve(Y[:-2], S[:-2], weights=weights[:-2])
        for name in ("x", "y", "threshold"):
            np.testing.assert_array_equal(getattr(zero, name), getattr(dropped, name))
        assert zero.score == dropped.score
    det = wf.det_curve(Y, S, weights=W)
    assert (det.x[-1], det.y[0], det.y[-1]) == (1, 1, 0)


def test_the_brier_score_of_a_good_forecast_does_not_cancel(tmp_path: Path) -> None:
    p = [[1e-9, 1 - 1e-9], [2e-9, 1 - 2e-9]]
    expected = float(exact.weighted_mean([exact.brier(1, x, "half") for x in p], [1, 1]))
    frame = pd.DataFrame({"y": [1, 1], "a": [1e-9, 2e-9], "b": [x[1] for x in p], "w": [1.0, 1.0]})
    frame.assign(g=[1, 2]).to_parquet(tmp_path / "p.parquet")
    named: Any = {"true": "y", "score": {0: "a", 1: "b"}}
    known: Any = {"labels": [0, 1]}
    scores = [wf.brier([1, 1], p, **known), wf.brier([1, 1], p, weights=[1, 1], **known)]
    scores += [wf.brier([1, 1], p, cluster=[1, 2], **known), wf.brier(frame, **named)]
    for options in ({}, {"weights": "w"}, {"cluster": "g"}, {"interval": "bootstrap"}):
        scores.append(wf.brier(tmp_path / "p.parquet", **named, **options))  # type: ignore[arg-type]
    assert [score.value for score in scores] == pytest.approx([expected] * len(scores), rel=1e-12)
