"""Every metric of the registry against its exact twin."""

from __future__ import annotations

from fractions import Fraction
from math import isclose, isnan
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers import exact
from tests.helpers.samples import (
    Pairs,
)
from tests.helpers.strategies import LABELS, definitions, items
from whichf1.definitions.definition import Definition
from whichf1.metrics import METRICS


def same(value: float, expected: Any) -> Any:
    if isnan(expected):
        return isnan(value)
    return isclose(value, float(expected), rel_tol=1e-12, abs_tol=1e-14)


def counted(pairs: Pairs) -> Any:
    return wf.count([t for t, _ in pairs], [p for _, p in pairs], labels=LABELS)


def test_every_metric_has_an_exact_twin() -> None:
    assert set(METRICS) == set(exact.RATES) | set(exact.AGREEMENT)


@settings(max_examples=1500)
@given(items(), definitions())
def test_a_score_is_its_exact_value_but_for_rounding(pairs: Pairs, definition: Definition) -> None:
    value = definition(counted(pairs)).value
    assert same(value, exact.score(pairs, LABELS, definition)), definition


@settings(max_examples=300)
@given(items(), definitions(), st.sets(st.sampled_from(LABELS), min_size=1, max_size=3))
def test_excluded_and_ignored_classes(pairs: Pairs, definition: Definition, chosen: Any) -> None:
    from dataclasses import replace

    if definition.average is not None and not isinstance(definition.classes, tuple):
        left = exact.class_set(pairs, LABELS, definition.classes, chosen)
        if left:
            excluded = replace(definition, exclude=tuple(chosen))
            assert same(excluded(counted(pairs)).value, exact.score(pairs, LABELS, excluded)), (
                excluded
            )
    ignored = replace(definition, ignore=tuple(chosen))
    if any(t not in chosen for t, _ in pairs):
        expected = exact.score(pairs, LABELS, ignored)
        assert same(ignored(counted(pairs)).value, expected), ignored


@given(st.lists(st.integers(0, 10**12), min_size=4, max_size=4).filter(any))
def test_large_counts_are_exact(cells: Any) -> None:
    tn, fp, fn, tp = cells
    c = wf.Counts.from_matrix([[tn, fp], [fn, tp]], rows="true")
    for name, twin in exact.RATES.items():
        parameters = {"beta": 2} if name == "f_beta" else {}
        expected = twin(tp, fp, fn, tn, **parameters)
        expected = Fraction(0) if expected is None else expected
        assert same(getattr(wf, name)(c, positive=1, **parameters).value, expected), name
