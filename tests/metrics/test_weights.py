"""Weights: every score of every table is its exact value, whatever the weights are.

Weights run from 1e-300 to 1e300, some are 0, some classes are empty. Signed scores are differences
of sums, so they are as exact as their bounds, and not relative to a value close to 0; information
is a sum of logarithms of both signs, and is as exact.
"""

from __future__ import annotations

from math import inf, isnan
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers import exact
from tests.helpers.samples import Pairs
from tests.helpers.strategies import LABELS, WEIGHABLE, definitions, items
from tests.helpers.weights import NEAR, WEIGHT, same
from whichf1.definitions.definition import Definition
from whichf1.errors import WeightError
from whichf1.metrics import METRICS, find


@st.composite
def weighted(draw: st.DrawFn, weight: Any = WEIGHT) -> tuple[Pairs, list[float]]:
    """Items with weights, of which at least one is above 0."""
    pairs = draw(items(most=12))
    weights = draw(st.lists(weight, min_size=len(pairs), max_size=len(pairs)).filter(any))
    return pairs, weights


def counted(pairs: Pairs, weights: Any) -> wf.Counts:
    return wf.count(*zip(*pairs, strict=True), labels=LABELS, weights=weights)


INFORMATION = [x for x in METRICS if "information" in x or "lambda" in x or "entropy" in x]


def is_difference(definition: Definition) -> bool:
    """Whether a score is a difference of sums, so that its digits are those of 1."""
    return definition.metric in INFORMATION or find(definition.metric).bounds[0] < 0


def check(definition: Definition, pairs: Pairs, weights: list[float]) -> None:
    counts = counted(pairs, weights)
    value, bounds = definition(counts).value, find(definition.metric).bounds
    expected = exact.score(pairs, LABELS, definition, weights)
    assert same(value, expected, signed=is_difference(definition)), (definition, value, expected)
    assert isnan(value) or bounds[0] <= value <= bounds[1]
    kept = [(pair, w) for pair, w in zip(pairs, weights, strict=True) if w]
    dropped = definition(counted(*map(list, zip(*kept, strict=True)))).value
    assert dropped == value or (isnan(dropped) and isnan(value))


@settings(max_examples=250)
@given(weighted(), definitions(WEIGHABLE))
def test_a_weighted_score_is_its_exact_value(
    data: tuple[Pairs, list[float]], definition: Definition
) -> None:
    check(definition, *data)


@settings(max_examples=120)
@given(weighted(NEAR), definitions(WEIGHABLE))
def test_a_score_of_plain_weights_is_its_exact_value(
    data: tuple[Pairs, list[float]], definition: Definition
) -> None:
    check(definition, *data)


@settings(max_examples=120)
@given(weighted(st.just(0.0) | NEAR), definitions(WEIGHABLE), st.integers(-900, 900))
def test_a_power_of_two_changes_no_bit(
    data: tuple[Pairs, list[float]], definition: Definition, power: int
) -> None:
    pairs, weights = data
    scaled = np.ldexp(weights, power)
    values = [definition(counted(pairs, w)).value for w in (weights, scaled)]
    assert values[0] == values[1] or np.isnan(values).all(), definition


@settings(max_examples=40)
@given(weighted(), definitions(WEIGHABLE), st.integers(1, 11))
def test_merged_counts_give_the_score_of_all_items(
    data: tuple[Pairs, list[float]], definition: Definition, cut: int
) -> None:
    pairs, weights = data
    parts = [slice(None, cut), slice(cut, None)]
    whole, merged = (
        definition(counted(pairs, None)).value,
        definition(sum(counted(pairs[x], None) for x in parts if pairs[x])).value,
    )
    assert whole == merged or np.isnan([whole, merged]).all()
    whole = definition(counted(pairs, weights)).value
    merged = definition(sum(counted(pairs[x], weights[x]) for x in parts if pairs[x])).value
    assert same(merged, whole, signed=is_difference(definition))


@settings(max_examples=40)
@given(weighted(NEAR), definitions(WEIGHABLE))
def test_every_source_in_memory_gives_the_same_bits(
    data: tuple[Pairs, list[float]], definition: Definition
) -> None:
    pairs, weights = data
    true, predicted = (list(side) for side in zip(*pairs, strict=True))
    frame = pd.DataFrame({"true": true, "pred": predicted, "w": weights})
    for w in (None, weights):
        counts = counted(pairs, w)
        sources = [
            definition(counts),
            definition(wf.Counts.from_json(counts.to_json())),
            definition(true, predicted, labels=LABELS, weights=w),
            definition(np.array(true), np.array(predicted, np.int8), labels=LABELS, weights=w),
            definition(frame, labels=LABELS, weights=None if w is None else "w"),
        ]
        if w is None:
            sources.append(definition(wf.Counts.from_matrix(counts.matrix, rows="true")))
        values = [each.value for each in sources]
        assert len({*values}) == 1 or np.isnan(values).all(), (definition, values)


def test_a_weighted_complement_is_no_rounding_noise() -> None:
    data: Any = ([1, 1, 1, 0], [0, 0, 1, 1])
    weights = [0.3, 0.3, 0.8, 0.4]
    assert wf.negative_likelihood_ratio(*data, weights=weights, positive=1).value == inf
    assert wf.specificity(*data, weights=weights, positive=1).value == 0
    y = [{0}, {0, 1}, {0}, {1}]
    sets = wf.count_multilabel(y, [{0}, {0, 1}, {0}, {0}], weights=[0.3, 0.3, 0.8, 0.4])
    assert wf.specificity(sets, positive=0).value == 0
    assert wf.specificity.per_class(sets, interval="delta").array[0] == 0


def test_mcc_of_a_perfect_table_is_1() -> None:
    for table in ([[10**10, 0], [0, 1]], [[2**61, 0], [0, 1]], np.diag([10**12, 7, 1])):
        counts = wf.Counts.from_matrix(table, rows="true")
        assert wf.mcc(counts).value == 1 == wf.cohen_kappa(counts).value
        assert wf.specificity(counts, average="macro").value == 1


def test_weights_far_from_1_refuse_an_interval() -> None:
    data: Any = ([0, 1, 1, 2], [0, 1, 2, 2])
    for weights in ([1e-200] * 4, [1e160] * 4, [1, 1, 1, 1e-100]):
        assert wf.mcc(*data, weights=weights).value > 0.5
        with pytest.raises(WeightError, match="Divide all weights by the same number"):
            wf.mcc(*data, weights=weights, interval="delta")
        systems = {"A": data[1], "B": data[0]}
        with pytest.raises(WeightError, match="too far from 1"):
            wf.compare(data[0], systems, "mcc", weights=weights)
    with pytest.raises(WeightError, match="sum to infinity"):
        wf.mcc(*data, weights=[1e308] * 4)


def test_any_beta_is_between_precision_and_recall() -> None:
    data: Any = ([0, 1, 1, 0, 0], [0, 1, 0, 1, 1])
    precision, recall = (metric(*data, positive=1).value for metric in (wf.precision, wf.recall))
    for beta in (1e7, 1e154, 1e200, 10**300):
        assert wf.f_beta(*data, positive=1, beta=beta).value == pytest.approx(recall, rel=1e-12)
    assert wf.f_beta(*data, positive=1, beta=1e-200).value == precision
    for beta in (999_999, 1_000_001):  # the formula changes, the value does not
        expected = exact.RATES["f_beta"](1, 2, 1, 1, beta=beta)
        assert wf.f_beta(*data, positive=1, beta=beta).value == pytest.approx(
            float(expected), 1e-14
        )


def test_a_support_weighted_mean_over_no_true_item_is_what_0_by_0_is() -> None:
    counts = wf.count([0, 0], [1, 2], labels=range(4))
    for undefined in (0, 1, "skip", "nan"):
        mean = wf.recall(counts, average="weighted", classes=[1, 2], undefined=undefined).value
        assert isnan(mean) if isinstance(undefined, str) else mean == undefined


@pytest.mark.parametrize("power", [0, 20, 45, 52, 60, 90, 200, 450, 900])
@pytest.mark.parametrize("mean", ["arithmetic", "geometric", "min", "max"])
def test_information_beside_a_class_that_has_nearly_all_items(power: int, mean: Any) -> None:
    """What is rounded away in the sum of all weights is all that such tables differ by."""
    heavy, name = 2.0**power, "normalized_mutual_information"
    tables: list[tuple[Pairs, list[float]]] = [
        ([(0, 0), (1, 1)], [heavy, 1.0]),
        ([(0, 0), (1, 1), (1, 0)], [heavy, 3.0, 1.0]),
        ([(0, 0), (1, 1), (2, 2), (0, 1)], [heavy, 1.0, 0.3, 0.7]),
        ([(0, 0), (0, 1), (1, 1), (2, 0)], [heavy, heavy / 3, 1.0, 0.1]),
        ([(0, 1), (1, 0), (1, 1)], [heavy, 1.0, 5.0]),
        ([(0, 0), (1, 0), (2, 1)], [heavy, 3 * heavy, 1.0]),
        ([(0, 0), (1, 0), (2, 1), (0, 2)], [heavy, 3 * heavy, 0.7, 0.1]),
    ]
    tables += [([(p, t) for t, p in pairs], weights) for pairs, weights in tables]
    definition = getattr(wf, name).definition(mean=mean)
    for pairs, weights in tables:
        value = definition(counted(pairs, weights)).value
        assert value == pytest.approx(
            float(exact.score(pairs, LABELS, definition, weights)), abs=1e-13
        ), (pairs, weights)
