"""Recorded formulas: the value and the slopes in C, in NumPy, and by tracing each time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import whichf1 as wf
from whichf1.definitions.definition import Definition, define
from whichf1.kernel import Formula, native, reference
from whichf1.kernel.reference import OPERATIONS
from whichf1.metrics.registry import EVERY
from whichf1.scoring.evaluate import WARM
from whichf1.statistics import cells
from whichf1.statistics.tracing import record, record_bins, record_ranking
from whichf1.tables.cells import Margins, RankTable


def _definitions() -> dict[str, Definition]:
    every = {}
    for name, metric in EVERY.items():
        if metric.kind == "agreement" and metric.smooth:
            every[name] = define(name)
        elif metric.kind == "rate":
            for average in ("macro", "weighted", "micro"):
                every[f"{average} {name}"] = define(name, None, {"average": average})
    every["f1_of_averages"] = define("f1_of_averages")
    every["epsilon"] = define("averaged_f1", None, {"epsilon": 1e-9})
    return every


DEFINITIONS = _definitions()
TRACED = {"expected_cost", "macro_mae", "normalized_expected_cost"}
"""Scores that need more than margins."""


def _counts(classes: int, seed: int = 0, least: int = 1) -> wf.Counts:
    rng = np.random.default_rng(seed)
    true, predicted = np.divmod(np.arange(classes**2), classes)
    times = rng.integers(least, 9, classes**2)
    return wf.count(np.repeat(true, times), np.repeat(predicted, times), labels=range(classes))


def test_all_but_these_are_recorded() -> None:
    """A score that is no longer recorded takes three times as long for its interval."""
    missing = {name for name, each in DEFINITIONS.items() if cells.recorded(each, 3)[0] is None}
    assert missing == TRACED


@pytest.mark.parametrize("name", sorted({*DEFINITIONS} - TRACED))
def test_recorded_steps_give_what_the_formula_gives(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    definition = DEFINITIONS[name]
    for classes in (2, 3, 9, 140):
        counts = _counts(classes)
        frozen = definition.freeze(counts)
        tp, fp, fn = (np.stack([x, 2 * x]) for x in _margins(counts))
        pair = Margins(tp, fp, fn)
        both: tuple[Margins, ...] = (counts.table, pair)
        for margins in both:
            value, slopes = cells.margin_slopes(definition, frozen, margins)
            with monkeypatch.context() as without:
                without.setattr(cells, "_recorded_slopes", lambda *_: None)
                expected, traced = cells.margin_slopes(definition, frozen, margins)
            assert np.array_equal(value, expected)
            for ours, theirs in zip(slopes[:3], traced[:3], strict=True):
                assert ours == pytest.approx(theirs, rel=1e-13, abs=1e-15 * abs(theirs).max())


def _margins(counts: wf.Counts) -> tuple[Any, Any, Any]:
    return counts.table.tp, counts.table.fp, counts.table.fn


def test_both_kernels_agree() -> None:
    rng = np.random.default_rng(1)
    for definition in DEFINITIONS.values():
        for classes in (2, 30):
            formula, _ = cells.recorded(definition, classes)
            if formula is None:
                continue
            inputs = rng.random((3, 4, classes)) + 0.1
            ours, theirs = (x.differentiate(formula, inputs) for x in (native, reference))
            assert ours is not None
            assert theirs is not None
            assert np.array_equal(ours[0], theirs[0], equal_nan=True)
            assert ours[1] == pytest.approx(theirs[1], rel=1e-9, abs=1e-12, nan_ok=True)
            inputs[1] = 0.0
            none = [x.differentiate(formula, inputs) is None for x in (native, reference)]
            assert none == [not definition.epsilon] * 2  # a denominator is 0


def test_both_kernels_add_up_the_same_spread() -> None:
    """Of all classes from arrays and from their cells, and of one class."""
    rng = np.random.default_rng(2)
    for name, definition in DEFINITIONS.items():
        for classes in (2, 5, 30):
            formula = cells.recorded(definition, classes)[0]
            if formula is None:
                continue
            counts = _counts(classes, least=2)
            table = counts.table
            sums = np.stack([table.tp, table.fp, table.fn])
            place = (table.true * classes + table.predicted).astype(np.int64)
            whole: Any = (sums, place.tobytes() + table.count.tobytes(), None, None)
            sides = map(np.ascontiguousarray, (table.true, table.predicted, table.count))
            apart: Any = (sums, *sides)
            for every in (True, False):
                found = [
                    x.table_spread(formula, *data, every)
                    for x in (native, reference)
                    for data in (whole, apart)
                ]
                for each in found[1:]:
                    assert each == pytest.approx(found[0], rel=1e-9, abs=1e-15), name
            values = [x.table_value(formula, sums) for x in (native, reference)]
            assert values == [found[0] and found[0][0]] * 2, name
            frozen = definition.freeze(counts)
            value, slopes = cells.margin_slopes(definition, frozen, table)
            slope = slopes.at(table.true, table.predicted)
            assert found[0] is not None
            assert found[0][0] == pytest.approx(float(value), rel=1e-12)
            assert found[0][1] == pytest.approx((table.count * slope**2).sum(), rel=1e-9)
            assert found[0][4:] == (sums[::2].sum(0).min(), *sums.min(1))
    for name, metric in EVERY.items():
        if metric.kind == "rate":
            formula = cells._recorded_class(define(name, None, {"positive": 1}))
            assert formula is not None, name
            kinds = rng.integers(3, 90, 4).astype(float).tolist()
            ours, theirs = (x.class_spread(formula, *kinds, True) for x in (native, reference))
            assert ours == pytest.approx(theirs, rel=1e-6), name  # a second difference


RULES: tuple[dict[str, Any], ...] = (
    {},
    *({"undefined": value} for value in (0, 1, "skip", "nan")),
    {"undefined": 0.5},
    {"epsilon": 1e-7},
    {"epsilon": 1e-7, "epsilon_in": "harmonic"},
    {"undefined": 1, "scope": "one-sided"},
    {"scope": "no-hits", "undefined": "nan"},
    {"formula": "of-averages"},
    {"exclude": [0]},
)


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_a_mean_is_the_same_before_and_after_its_steps_are_recorded(rule: dict[str, Any]) -> None:
    """To the bit, and as from counts, whose steps are not recorded."""
    rng = np.random.default_rng(3)
    recorded = compared = 0
    for name in (name for name, metric in EVERY.items() if metric.kind == "rate"):
        for average in ("macro", "weighted", "micro"):
            try:
                definition = define(name, None, {"average": average, **rule})
            except wf.errors.DefinitionError:
                continue
            for classes in rng.integers(2, 30, 4).tolist():
                true = rng.integers(0, classes, int(rng.integers(classes, 300)))
                true[0] = 0  # as exclude= names it
                predicted = np.where(rng.random(len(true)) < 0.6, true, rng.permutation(true))
                expected = definition(wf.count(true, predicted))
                for _ in range(WARM + 2):
                    score = definition(true, predicted)
                    assert repr(score) == repr(expected)
                    assert np.array(score).tobytes() == np.array(expected).tobytes()
                compared += 1
                recorded += definition.memo["steps"][2] is not None
    assert compared
    branches = "exclude" in rule or rule.get("scope") == "no-hits"
    assert (recorded > 0) == (not branches)


@pytest.mark.parametrize("items", [60, 1_000_000])
def test_a_score_is_the_same_with_an_interval(items: int) -> None:
    """To the bit: the interval takes the score from recorded steps, which may read other sums."""
    rng, compared = np.random.default_rng(4), 0
    for classes in (2, 3, 12, 25):
        true = rng.integers(0, classes, items)
        predicted = np.where(rng.random(items) < 0.7, true, rng.integers(0, classes, items))
        for definition in DEFINITIONS.values():
            if definition.metric in ("expected_cost", "normalized_expected_cost"):
                continue
            if definition.epsilon or "interval" not in definition.applicable:
                continue
            named = replace(definition, interval=wf.Delta())
            alone, beside = definition(true, predicted), named(true, predicted)
            assert np.array(alone).tobytes() == np.array(beside).tobytes(), definition.signature
            compared += 1
    assert compared > 200


def test_a_spread_where_a_number_is_0_is_left_to_the_rule_of_zeros() -> None:
    formula = cells.recorded(define("averaged_f1"), 2)[0]
    one = cells._recorded_class(define("f1", None, {"positive": 1}))
    assert formula is not None
    assert one is not None
    sums, none = np.array([[3.0, 0], [0, 0], [0, 0]]), np.zeros(1, np.int64)
    for kernel in (native, reference):
        assert kernel.table_spread(formula, sums, none, none, np.array([3.0]), True) is None
        assert kernel.class_spread(one, 0.0, 0.0, 0.0, 9.0, False) is None
        assert kernel.table_value(formula, sums) is None


@pytest.mark.parametrize("place", [4, -1])
def test_cells_outside_the_table_are_refused(place: int) -> None:
    formula = cells.recorded(define("averaged_f1"), 2)[0]
    assert formula is not None
    sums, at = np.ones((3, 2)), np.array([place])
    with pytest.raises(ValueError, match="formula"):
        native.table_spread(formula, sums, at, np.zeros(1, np.int64), np.ones(1), True)
    with pytest.raises(ValueError, match="formula"):
        native.table_spread(formula, sums, at.tobytes() + np.ones(1).tobytes(), None, None, True)
    with pytest.raises(ValueError, match="equal length"):
        native.table_spread(formula, sums, at, np.zeros(2, np.int64), np.ones(1), True)
    with pytest.raises(ValueError, match="formula"):
        native.class_spread(formula._replace(result=99), 1.0, 1.0, 1.0, 1.0, False)
    with pytest.raises(ValueError, match="outside"):
        native.table_value(formula._replace(result=99), sums)


def test_a_class_without_items_takes_the_rule_of_zeros() -> None:
    true, predicted = [0, 0, 1, 1], [0, 1, 1, 1]
    counts = wf.count(true, predicted, labels=range(3))
    definition = define("averaged_f1", None, {"interval": "delta", "classes": "declared"})
    assert cells._recorded_slopes(definition, definition.freeze(counts), counts.table) is None
    score = wf.averaged_f1(counts, classes="declared", interval="delta")
    assert score.value == pytest.approx((2 / 3 + 4 / 5) / 3)
    assert score.interval is not None


@pytest.mark.parametrize("n", [1, 7, 8, 9, 16, 127, 128, 129, 1000])
def test_sums_are_numpys_to_the_bit(n: int) -> None:
    formula = record(lambda x: x.sum(-1), 1, n)
    assert formula is not None
    x = np.random.default_rng(n).random((1, 1, n))
    computed = native.differentiate(formula, x)
    assert computed is not None
    assert computed[0][0] == np.add.reduce(x[0, 0])
    assert (computed[1] == 1).all()


def test_what_is_not_recorded() -> None:
    formulas: list[Any] = [
        lambda x: x,  # not one number
        lambda x: (x * np.arange(3)).sum(-1),
        lambda x: np.where(x > 1, x, 0).sum(-1),
        lambda x: x[..., :1].sum(-1),
        lambda x: np.log(x).sum(-1),
        lambda x: x.sum(0),
        lambda x: np.cumsum(x).sum(-1),
        lambda x: 3.0,
        lambda x: np.where(x.sum(-1) > 0, x, x == 0),
    ]
    assert [record(formula, 1, 3) for formula in formulas] == [None] * len(formulas)


def test_steps_that_are_no_formula_are_refused() -> None:
    inputs = np.ones((1, 1, 3))
    for steps in ([[10, 0, 0]], [[-1, 0, 0]], [[0, 0, 1]], [[0, 1, 0]], [[0, -1, 0]], [[6, 0, 0]]):
        formula = Formula(np.array(steps), np.zeros(0), 1)
        with pytest.raises(ValueError, match="formula of one number"):
            native.differentiate(formula, inputs)
    with pytest.raises(ValueError, match="inputs"):
        native.differentiate(Formula(np.zeros((1, 3), np.int64), np.zeros(0), 1), inputs[0])


RANKINGS = {name: each for name, each in EVERY.items() if each.kind == "ranking"}
IN_NUMPY = {
    "debiased_calibration_error", "discrimination", "excess_aurc", "log_auc", "miscalibration",
    "cost_curve_area", "pr_gain_auc", "smooth_calibration_error", "uncertainty",
}  # fmt: skip
"""Rankings with logarithms, or that need more than running sums."""
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "roc_auc": [{"max_fpr": 0.3}],
    "average_precision": [{}],
    "f_max": [{"beta": 0.5}],
    "partial_average_precision": [{"min_recall": 0.2}],
    "net_benefit": [{"threshold": 0.3}, {"threshold": 0}],
    **{name: [{"top": 0.35}] for name in ("gain", "lift")},
    "selective_accuracy": [{"coverage": 0.4}],
}


def _recorded(metric: Any) -> Formula | None:
    return record_bins(metric.of_bins) if metric.of_bins else record_ranking(metric.formula)


def test_rankings_of_few_items_are_recorded() -> None:
    """One that is no longer recorded takes three times as long."""
    missing = {name for name, metric in RANKINGS.items() if _recorded(metric) is None}
    assert missing == IN_NUMPY


def _scored(rng: np.random.Generator) -> tuple[Any, Any]:
    """Some items, many of them tied, with one of each class."""
    n = int(rng.integers(2, 60))
    labels = rng.integers(0, 2, n)
    labels[:2] = 0, 1
    scores = rng.integers(0, 1 + int(rng.integers(1, 2 * n)), n) / (2 * n)
    return labels, scores.astype(np.float32 if rng.random() < 0.5 else np.float64)


@pytest.mark.parametrize("name", sorted({*RANKINGS} - IN_NUMPY))
def test_recorded_rankings_give_what_the_formula_gives(name: str) -> None:
    metric, rng = RANKINGS[name], np.random.default_rng(3)
    if metric.of_bins is not None:
        _compare_bins(metric, rng)
        return
    some = [{"at": x} for x in (0.0, 0.5, 1.0)] if "at" in metric.parameters else []
    for options in ({}, *some, *OPTIONS.get(name, [])):
        formula = record_ranking(metric.formula, **options)
        assert formula is not None
        for _ in range(60):
            labels, scores = _scored(rng)
            ranked = reference.rank_labels(scores, labels)
            assert ranked is not None
            top, bottom = metric.formula(RankTable(*ranked[0]), **options)
            for kernel in (native, reference):
                computed = kernel.rank_value(formula, scores, labels)
                assert computed is not None
                sizes = (labels.sum(), (1 - labels).sum(), scores.max(), scores.min())
                assert computed == (float(top / bottom), *sizes)


def _compare_bins(metric: Any, rng: np.random.Generator) -> None:
    formula = record_bins(metric.of_bins)
    assert formula is not None
    for bins in (1, 2, 10, 300):
        labels, scores = _scored(rng)
        edges = np.linspace(0, 1, bins + 1)[1:-1]
        top, bottom = metric.formula(wf.rank(labels, scores).table, bins=bins)
        for kernel in (native, reference):
            value = kernel.bin_value(formula, scores, labels, edges)
            assert value == pytest.approx(float(top / bottom), rel=1e-12, abs=1e-15)


def test_what_cannot_be_ranked_has_no_value() -> None:
    formula = record_ranking(RANKINGS["ks"].formula)
    binned = _recorded(RANKINGS["expected_calibration_error"])
    assert formula is not None
    assert binned is not None
    edges = np.array([0.5])
    for kernel in (native, reference):
        for labels, scores in (([0, 2], [0.1, 0.2]), ([0, 1], [0.1, np.nan])):
            data = (np.array(scores), np.array(labels))
            assert kernel.rank_value(formula, *data) is None
            assert kernel.bin_value(binned, *data, edges) is None
        assert kernel.bin_value(binned, np.array([0.1, 1.1]), np.array([0, 1]), edges) is None
    with pytest.raises(ValueError, match="equal lengths"):
        native.rank_value(formula, np.zeros(3), np.zeros(2, np.int64))
    other = Formula(np.zeros((1, 3), np.int64), np.zeros(0), 9)
    assert native.rank_value(other, np.zeros(2), np.zeros(2, np.int64)) is None


def test_a_formula_that_depends_on_values_is_not_recorded() -> None:
    formulas: list[Any] = [
        lambda x: x.sum(-1) if x.sum(-1) > 0 else x.max(-1),
        lambda x: np.where(x > 1, x, np.inf).sum(-1),
        lambda x: np.where(x, x, 0).sum(-1),
        lambda x: np.where(x == 0, 2.0, x).sum(-1),
        lambda x: max(x.sum(-1), x.max(-1)),
    ]
    assert [record(each, 1, 3, sloped=False) for each in formulas] == [None] * len(formulas)


@pytest.mark.parametrize("operation", ["minimum", "maximum", "max"])
def test_a_number_that_is_undefined_stays_so(operation: str) -> None:
    """The smallest and the largest of numbers are NaN if one is, wherever it is."""
    times, chosen, total = map(OPERATIONS.index, ("multiply", operation, "sum"))
    labels = np.array([0, 1, 1, 0])
    for order in ([0, 1, 2, 3], [1, 0, 3, 2], [1, 2, 0, 3]):
        scores = np.array([0.8, 0.6, 0.4, 0.2])[order]
        # registers: scores, positives, negatives, their running sums, ∞; 0 · ∞ where there is none
        steps = np.array([[times, 2, 5], [chosen, 6, 1], [total, 7, 0]])
        formula = Formula(steps, np.array([np.inf]), 8)
        for kernel in (native, reference):
            ranked = kernel.rank_value(formula, scores, labels)
            assert ranked is not None and np.isnan(ranked[0])
