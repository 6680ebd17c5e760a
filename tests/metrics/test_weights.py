"""Weights: every score of every table is its exact value, whatever the weights are.

Weights run from 1e-300 to 1e300, some are 0, some classes are empty. Signed scores are differences
of sums, so they are as exact as their bounds, and not relative to a value close to 0.
"""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers import exact
from tests.helpers.samples import Pairs
from tests.helpers.strategies import LABELS, definitions, items
from tests.helpers.weights import NEAR, WEIGHT, same
from whichf1.definitions.definition import Definition
from whichf1.metrics import find


@st.composite
def weighted(draw: st.DrawFn, weight: Any = WEIGHT) -> tuple[Pairs, list[float]]:
    """Items with weights, of which at least one is above 0."""
    pairs = draw(items(most=12))
    weights = draw(st.lists(weight, min_size=len(pairs), max_size=len(pairs)).filter(any))
    return pairs, weights


def counted(pairs: Pairs, weights: Any) -> wf.Counts:
    return wf.count(*zip(*pairs, strict=True), labels=LABELS, weights=weights)


def check(definition: Definition, pairs: Pairs, weights: list[float]) -> None:
    counts = counted(pairs, weights)
    value, bounds = definition(counts).value, find(definition.metric).bounds
    expected = exact.score(pairs, LABELS, definition, weights)
    assert same(value, expected, signed=bounds[0] < 0), (definition, value, expected)
    assert isnan(value) or bounds[0] <= value <= bounds[1]
    kept = [(pair, w) for pair, w in zip(pairs, weights, strict=True) if w]
    dropped = definition(counted(*map(list, zip(*kept, strict=True)))).value  # type: ignore[arg-type]
    assert dropped == value or (isnan(dropped) and isnan(value))


@settings(max_examples=400)
@given(weighted(), definitions())
def test_a_weighted_score_is_its_exact_value(
    data: tuple[Pairs, list[float]], definition: Definition
) -> None:
    check(definition, *data)


@settings(max_examples=200)
@given(weighted(NEAR), definitions())
def test_a_score_of_plain_weights_is_its_exact_value(
    data: tuple[Pairs, list[float]], definition: Definition
) -> None:
    check(definition, *data)


@settings(max_examples=200)
@given(weighted(st.just(0.0) | NEAR), definitions(), st.integers(-900, 900))
def test_a_power_of_two_changes_no_bit(
    data: tuple[Pairs, list[float]], definition: Definition, power: int
) -> None:
    pairs, weights = data
    scaled = np.ldexp(weights, power)
    values = [definition(counted(pairs, w)).value for w in (weights, scaled)]
    assert values[0] == values[1] or np.isnan(values).all(), definition
