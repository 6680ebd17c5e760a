"""Explain: its answers reproduce the number, and the true definition is among them."""

from __future__ import annotations

import time
import tracemalloc
from collections import defaultdict
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import whichf1 as wf
from tests.dialects.cases import EXAMPLES, Case, random_cases
from tests.helpers.strategies import items
from whichf1.published.explain import EACH_CLASS, search
from whichf1.published.numbers import read_published

E1 = (EXAMPLES[0]["true"], EXAMPLES[0]["pred"])


def two_columns(pairs: list[tuple[int, int]]) -> list[list[int]]:
    return [list(side) for side in zip(*pairs, strict=True)]


@settings(max_examples=10)
@given(items())
def test_every_candidate_has_the_value_that_its_definition_gives_alone(
    pairs: list[tuple[int, int]],
) -> None:
    """The definition is the specification; all candidates are computed together."""
    counts = wf.count(*two_columns(pairs), labels=range(6))
    rng = np.random.default_rng(0)
    for block in search(counts):
        for at in rng.permutation(len(block.values))[:8].tolist():
            if "two_classes" in block.variants[at].options and "micro" in block.options.values():
                continue  # no such definition
            alone = block.candidate(at).build()(counts).value
            assert block.values[at] == pytest.approx(alone, abs=1e-12, nan_ok=True)


def test_range_and_text_labels_are_searched_as_they_are_defined() -> None:
    for labels in ([2, 5, 9], ["b", "a", "O"], [True, False]):
        true, pred = ([labels[x % len(labels)] for x in side] for side in E1)
        counts = wf.count(true, pred)
        for block in search(counts):
            if "micro" not in block.options.values():
                for at in range(0, len(block.values), 5):
                    alone = block.candidate(at).build()(counts).value
                    assert block.values[at] == pytest.approx(alone, abs=1e-12, nan_ok=True)


DISTINCT = {dialect.definition: dialect for dialect in wf.dialects.values()}
CASES = [case for case in random_cases(9, seed=23) if len(case["true"]) > 4]
Wanted = dict[tuple[int, str], list[wf.Definition]]
"""Definitions by the number of classes and the published number."""


def folded(case: Case, k: int) -> tuple[list[int], list[int]]:
    """The items of a case, in no more than k classes."""
    return [x % k for x in case["true"]], [x % k for x in case["pred"]]


@cache
def scored(at: int) -> dict[str, tuple[int, wf.Score]]:
    """The number of classes and the score of each preset that is defined on a case."""
    scores = {}
    for dialect in DISTINCT.values():
        k = 2 if dialect.two_only else CASES[at]["k"]
        size = {"batch": 4} if dialect.definition.batch else {}
        score = dialect(*folded(CASES[at], k), labels=range(k), **size)
        if not np.isnan(score.value):
            scores[dialect.name] = k, score
    return scores


@pytest.mark.parametrize("at", range(len(CASES)))
def test_the_true_definitions_are_found_and_all_answers_reproduce(at: int) -> None:
    """Presets that give the same number are asked for once."""
    wanted: Wanted = defaultdict(list)
    for k, score in scored(at).values():
        wanted[k, f"{score.value:.4f}"].append(score.definition)
    for (k, shown), definitions in wanted.items():
        true, pred = folded(CASES[at], k)
        found = wf.explain(true, pred, shown, labels=range(k))
        assert found and found.nearest == ()
        every = [(d, match.value) for match in found.matches for d in match.definitions]
        assert {*definitions} <= {definition for definition, _ in every}
        counts = wf.count(true, pred, labels=range(k))
        for definition, matched in every:
            value = definition(*((true, pred) if definition.batch else (counts,))).value
            assert f"{value:.4f}" == shown
            assert value == pytest.approx(matched, abs=1e-5)


def test_every_preset_is_asked_for_on_some_case() -> None:
    asked = {name for at in range(len(CASES)) for name in scored(at)}
    presets = {dialect.name for dialect in DISTINCT.values()}
    assert presets - asked <= {"caret", "tfma", "linfa"}


def test_undefined_dialects_are_found_where_they_are_defined() -> None:
    true, pred = [0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 2, 0]
    for name in ("caret", "tfma", "linfa"):
        score = wf.dialects[name](true, pred)
        found = wf.explain(true, pred, f"{score.value:.4f}")
        assert any(score.definition in match.definitions for match in found.matches)


def test_the_simplest_definition_comes_first() -> None:
    found = wf.explain(*E1, 0.354, labels=range(6), decimals=3)
    first = found.matches[0]
    assert first.signature.startswith("f1|avg:macro|formula:averaged|classes:observed|undef:0|v:1")
    assert first.value == pytest.approx(0.354166667)
    assert first.dialects[:3] == ("sklearn", "sklearn-1.3", "torchmetrics")
    assert "classes that occur" in first.why
    weighted = wf.explain(*E1, "0.5417", labels=range(6)).matches[0]
    assert weighted.definition.average == "weighted" and "catboost" in weighted.dialects
    dropped = wf.explain([0, 0, 1, 1, 2, 2, 2], [0, 1, 1, 1, 2, 0, 1], "0.5333")
    assert len({d for match in dropped.matches for d in match.definitions}) == sum(
        len(match.definitions) for match in dropped.matches
    )


def test_percent_is_recognised() -> None:
    counts = wf.count(*E1, labels=range(6))
    unit, percent = wf.explain(counts, "0.354"), wf.explain(counts, 35.4)
    assert [x.signature for x in unit.matches] == [x.signature for x in percent.matches]
    assert percent.published.scale == "percent" and str(percent.published) == "35.4%"
    assert wf.explain(counts, "35.4%").matches[0].signature == unit.matches[0].signature
    one = wf.explain(wf.count([0, 1], [1, 0]), "0.0", scale="percent")
    assert one.published.scale == "percent" and one


def test_nothing_matches_and_the_nearest_are_told() -> None:
    found = wf.explain(wf.count(*E1, labels=range(6)), "0.9876")
    assert not found and found.matches == () and found.searched > 1000
    gaps = [abs(match.value - 0.9876) for match in found.nearest]
    assert gaps == sorted(gaps) and 1 <= len(gaps) <= 5
    assert len({round(match.value, 6) for match in found.nearest}) == len(gaps)
    values = [x for block in search(wf.count(*E1, labels=range(6))) for x in block.values]
    assert gaps[0] == pytest.approx(np.nanmin(np.abs(np.array(values) - 0.9876)))


def test_batches_are_found_where_the_items_are_in_order() -> None:
    found = wf.explain(*E1, "0.3833", labels=range(6))
    assert found.matches[0].definition.batch == 4
    counts = wf.count(*E1, labels=range(6))
    assert not wf.explain(counts, "0.3833")


def test_a_confusion_matrix_will_do() -> None:
    counts = wf.Counts.from_matrix([[5, 10], [5, 10]], rows="predicted", labels=["a", "b"])
    found = wf.explain(counts, "0.4857")
    assert found.matches[0].definition.formula == "averaged"
    assert wf.explain(counts, "0.5000").matches[0].definition.formula == "of-averages"


def test_tens_of_classes_take_well_under_a_second() -> None:
    rng = np.random.default_rng(1)
    true = rng.integers(0, 50, 5000)
    pred = np.where(rng.random(5000) < 0.6, true, rng.integers(0, 50, 5000))
    counts = wf.count(true, pred)
    value = f"{wf.averaged_f1(counts):.3f}"
    started = time.process_time()
    found = wf.explain(counts, value)
    assert time.process_time() - started < 1
    assert found.searched > 10_000 and found.matches[0].definition.formula == "averaged"


def test_many_classes_try_the_likely_exclusions() -> None:
    rng = np.random.default_rng(2)
    names = ["O", *(f"c{at}" for at in range(EACH_CLASS + 30))]
    true = rng.choice(names, 3000)
    pred = np.where(rng.random(3000) < 0.7, true, rng.choice(names, 3000))
    score = wf.averaged_f1(true, pred, exclude=["O"])
    found = wf.explain(wf.count(true, pred), f"{score:.5f}")
    assert any(x.exclude == ("O",) for match in found.matches for x in match.definitions)


@pytest.mark.parametrize(
    ("value", "options", "message"),
    [
        (1.2345, {"scale": "unit"}, r"must be in \[0, 1\]"),
        (101, {}, r"in \[0, 100\] as percent"),
        (-0.1, {}, r"must be in \[0, 1\]"),
        (0.3542, {"decimals": 3}, "has 4 decimals, not 3"),
        ("0.354", {"decimals": -1}, "from 0 to 15"),
        ("0.354", {"decimals": 2.5}, "from 0 to 15"),
        ("about a third", {}, "must be a number"),
        (float("nan"), {}, "must be a number"),
        (True, {}, "must be a number"),
        (1, {}, "say how many decimals"),
        (None, {}, "must be a number"),
    ],
)
def test_bad_numbers_are_refused(value: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(wf.errors.InputError, match=message):
        wf.explain(wf.count(*E1), value, **options)


def test_the_call_says_what_it_wants() -> None:
    with pytest.raises(wf.errors.DefinitionError, match="explain\\(counts, value\\)"):
        wf.explain(wf.count(*E1))


def test_a_published_number_holds_all_that_rounds_to_it() -> None:
    spans = {"0.35": (0.345, 0.355), "35.0": (0.3495, 0.3505), "0.350": (0.3495, 0.3505)}
    for text, (low, high) in spans.items():
        number = read_published(text)
        assert (number.low, number.high) == pytest.approx((low, high), abs=1e-11)
        assert number.value in number and low - 1e-9 not in number and high + 1e-9 not in number
    assert read_published(0.35, 3).text == "0.350"
    assert (read_published("1.00").high, read_published("0.00").low) == (1, 0)


def test_many_classes_take_memory_by_their_filled_cells() -> None:
    """A dense table of 4,000 classes takes 128 MB as floats, these 8,000 cells hardly any."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 4000, 8000)
    counts = wf.count(true, np.where(rng.random(8000) < 0.6, true, rng.integers(0, 4000, 8000)))
    tracemalloc.start()
    explained = wf.explain(counts, f"{wf.averaged_f1(counts).value:.6f}")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert explained.matches[0].definition.formula == "averaged"
    assert peak < 100e6
