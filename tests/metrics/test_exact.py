"""Every metric of the registry against its exact twin."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import isclose, isnan
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers import exact
from tests.helpers.samples import E1, E2, Pairs
from tests.helpers.strategies import LABELS, definitions, every_definition, items
from whichf1.definitions.definition import Definition
from whichf1.metrics import METRICS


def same(value: float, expected: Any) -> bool:
    """Equal but for rounding."""
    if isnan(expected):
        return isnan(value)
    return isclose(value, float(expected), rel_tol=1e-12, abs_tol=1e-14)


def counted(pairs: Pairs) -> wf.Counts:
    return wf.count([t for t, _ in pairs], [p for _, p in pairs], labels=LABELS)


@cache
def every_value() -> dict[Definition, tuple[float, float]]:
    """What each definition gives on the two examples."""
    one, two = (wf.count(*example, labels=LABELS) for example in (E1, E2))
    return {each: (each(one).value, each(two).value) for each in every_definition()}


@pytest.mark.xdist_group("exact")
def test_every_metric_has_an_exact_twin() -> None:
    assert set(METRICS) == set(exact.RATES) | set(exact.AGREEMENT)
    assert {each.metric for each in every_value()} == set(METRICS)


@pytest.mark.xdist_group("exact")
def test_every_definition_gives_its_exact_value_on_e1_and_e2() -> None:
    pairs = [list(zip(*example, strict=True)) for example in (E1, E2)]
    for definition, values in every_value().items():
        for value, example in zip(values, pairs, strict=True):
            assert same(value, exact.score(example, LABELS, definition)), definition


@pytest.mark.xdist_group("exact")
def test_definitions_that_differ_on_e1_or_e2_have_different_signatures() -> None:
    seen: dict[str, str] = {}
    for definition, values in every_value().items():
        assert seen.setdefault(definition.signature, repr(values)) == repr(values)
    assert len(seen) > 2000
    assert len(set(seen.values())) > 300


@settings(max_examples=300)
@given(items(), definitions())
def test_a_score_is_its_exact_value_but_for_rounding(pairs: Pairs, definition: Definition) -> None:
    value = definition(counted(pairs)).value
    assert same(value, exact.score(pairs, LABELS, definition)), definition


@settings(max_examples=150)
@given(items(), definitions(), st.sets(st.sampled_from(LABELS), min_size=1, max_size=3))
def test_excluded_and_ignored_classes(
    pairs: Pairs, definition: Definition, chosen: set[int]
) -> None:
    counts = counted(pairs)
    if definition.average is not None and not isinstance(definition.classes, tuple):
        left = exact.class_set(pairs, LABELS, definition.classes, chosen)
        if left:
            excluded = replace(definition, exclude=tuple(chosen))
            expected = exact.score(pairs, LABELS, excluded)
            assert same(excluded(counts).value, expected), excluded
    ignored = replace(definition, ignore=tuple(chosen))
    if any(t not in chosen for t, _ in pairs):
        expected = exact.score(pairs, LABELS, ignored)
        assert same(ignored(counts).value, expected), ignored


@settings(max_examples=50)
@given(st.lists(st.integers(0, 10**12), min_size=4, max_size=4).filter(any))
def test_large_counts_are_exact(cells: list[int]) -> None:
    tn, fp, fn, tp = cells
    counts = wf.Counts.from_matrix([[tn, fp], [fn, tp]], rows="true")
    for name, twin in exact.RATES.items():
        parameters: dict[str, Any] = {x: p.default for x, p in METRICS[name].parameters.items()}
        parameters |= {"beta": 2} if name == "f_beta" else {}
        expected = twin(tp, fp, fn, tn, **parameters)
        expected = Fraction(0) if expected is None else expected
        assert same(getattr(wf, name)(counts, positive=1, **parameters).value, expected), name


@settings(max_examples=60)
@given(st.data())
def test_agreement_in_large_tables_is_exact(data: st.DataObject) -> None:
    """Also where classes are all but independent, so that what is left of them is small."""
    size = data.draw(st.integers(2, 4))
    margin = st.lists(st.integers(1, 10**6), min_size=size, max_size=size)
    rows, columns = data.draw(margin), data.draw(margin)
    shift = st.integers(0, data.draw(st.sampled_from([0, 3, 10**4])))
    table = [[r * c + data.draw(shift) for c in columns] for r in rows]
    labels = range(size)
    counts = wf.Counts.from_matrix(table, rows="true")
    cells = {(t, p): Fraction(table[t][p]) for t in labels for p in labels}
    for name, twin in exact.AGREEMENT.items():
        metric = METRICS[name]
        given = metric.parameters.values()
        if name == "no_information_p_value" or any(
            x.tree or (x.square and not x.choices) for x in given
        ):
            continue  # a sum over all items, or a matrix of costs
        parameters: dict[str, Any] = {x: p.default for x, p in metric.parameters.items()}
        expected = twin(cells, labels, **parameters)
        if expected is not None and not isnan(expected):
            value = getattr(wf, name)(counts).value
            assert isclose(value, float(expected), rel_tol=1e-11, abs_tol=1e-11), name
