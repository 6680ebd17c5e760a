"""Columns of scores and labels belong to classes by name, or without a guess, or not at all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whichf1 as wf
from whichf1.errors import InputError, LabelError, ShapeError, WhichF1Error

FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


def test_classes_from_1_on_are_not_shifted() -> None:
    scores = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.7, 0.2, 0.1]]
    with pytest.raises(LabelError, match=r"0 to 2 or 1 to 3.*labels=range\(1, 4\)"):
        wf.top_k_accuracy([1, 2, 1], scores, k=1)
    with pytest.raises(LabelError, match="labels="):
        wf.log_loss([1, 2, 1], scores)
    assert wf.top_k_accuracy([1, 2, 1], scores, k=1, labels=range(1, 4)) == 1
    assert wf.log_loss([1, 2, 1], scores, labels=[1, 2, 3]).value == pytest.approx(0.2677, abs=1e-4)
    with pytest.raises(LabelError, match="labels="):
        wf.rank([1, 1], [[0.2, 0.8], [0.1, 0.9]])


@given(st.lists(st.integers(0, 6), min_size=1, max_size=8), st.integers(2, 6))
def test_integers_pair_with_columns_only_without_a_guess(true: list[int], columns: int) -> None:
    """A number comes out for one numbering alone: that from 0 on, or all classes in order."""
    scores = np.arange(1.0, 1 + columns) / sum(range(1, 1 + columns)) * np.ones((len(true), 1))
    observed = tuple(sorted(set(true)))
    numberings = {tuple(range(columns)), tuple(range(1, columns + 1))}
    fitting = {each for each in numberings if {*observed} <= {*each}}
    if len(observed) == columns:
        fitting |= {observed}
    try:
        loss = wf.log_loss(true, scores)
    except (LabelError, ShapeError) as error:
        assert "labels" in str(error)
        assert fitting != {tuple(range(columns))}
        assert len(observed) != columns
    else:
        (classes,) = fitting
        assert loss.value == wf.log_loss(true, scores, labels=classes).value


@pytest.mark.parametrize("library", FRAMES)
def test_names_of_columns_decide(library: str) -> None:
    frame: Any = FRAMES[library]({"dog": [0.9, 0.2], "cat": [0.1, 0.8]})
    expected = -(np.log(0.9) + np.log(0.8)) / 2
    assert wf.log_loss(["dog", "cat"], frame).value == pytest.approx(expected)
    for labels in (["dog", "cat"], ["cat", "dog"]):
        assert wf.log_loss(["dog", "cat"], frame, labels=labels).value == pytest.approx(expected)
    ranked = wf.roc_auc(["dog", "cat"], frame, positive="dog", labels=["cat", "dog"])
    assert ranked == wf.roc_auc(["dog", "cat"], [0.9, 0.2], positive="dog")
    prefixed: Any = FRAMES[library]({"p_dog": [0.9, 0.2], "p_cat": [0.1, 0.8]})
    with pytest.raises(LabelError, match="which class does each of the columns p_dog, p_cat"):
        wf.log_loss(["dog", "cat"], prefixed)
    positions = wf.log_loss(["dog", "cat"], prefixed, labels=["dog", "cat"])
    assert positions.value == pytest.approx(expected)
    half: Any = FRAMES[library]({"dog": [0.9, 0.2], "other": [0.1, 0.8]})
    with pytest.raises(InputError, match="different order"):
        wf.log_loss(["dog", "cat"], half, labels=["cat", "dog"])


def test_numbered_columns_of_a_frame_are_no_names() -> None:
    frame = pd.DataFrame([[0.9, 0.1], [0.2, 0.8]])
    assert wf.log_loss([1, 2], frame) == wf.log_loss([1, 2], frame.to_numpy())
    numbers = pd.DataFrame({2: [0.1, 0.8], 1: [0.9, 0.2]})
    assert wf.log_loss([1, 2], numbers).value == wf.log_loss([1, 2], frame).value


@pytest.mark.parametrize("library", FRAMES)
def test_label_matrices_pair_by_name(library: str) -> None:
    make: Any = FRAMES[library]
    true, pred = {"a": [1, 0, 1], "b": [0, 1, 0]}, {"b": [0, 1, 0], "a": [1, 0, 1]}
    for options in ({}, {"labels": ["a", "b"]}, {"labels": ["b", "a"]}, {"threshold": 0.5}):
        chosen: Any = options
        assert wf.averaged_f1(wf.count_multilabel(make(true), make(pred), **chosen)) == 1
    assert wf.lrap(make(true), make(pred)) == 1
    assert wf.lrap([{"a"}, {"b"}, {"a"}], make(pred)) == 1
    prefixed = make({f"p_{name}": cells for name, cells in true.items()})
    with pytest.raises(LabelError, match=r"which belong together\?"):
        wf.count_multilabel(make(true), prefixed)
    with pytest.raises(LabelError, match=r"which belong together\?"):
        wf.lrap(make(true), prefixed)
    assert wf.averaged_f1(wf.count_multilabel(make(true), prefixed, labels=["a", "b"])) == 1
    with pytest.raises(LabelError, match=r"which belong together\?"):
        wf.count_multilabel(make(true), np.eye(3, 2))


def test_sets_that_may_count_from_1_do_not_pair_with_unnamed_columns() -> None:
    with pytest.raises(LabelError, match=r"which belong together\?"):
        wf.count_multilabel([{1}, {2}], [[1, 0, 0], [0, 1, 0]])
    with pytest.raises(LabelError, match=r"which belong together\?"):
        wf.count_multilabel([{0}, {3}], [[1, 0, 0], [0, 1, 0]])
    assert wf.averaged_f1(wf.count_multilabel([{0}, {1}], [[1, 0], [0, 1]])) == 1


@settings(max_examples=20)
@given(st.permutations(["a", "b", "c"]), st.permutations(["a", "b", "c"]), st.booleans())
def test_the_order_of_named_columns_never_matters(
    first: list[str], second: list[str], declared: bool
) -> None:
    cells = {"a": [1, 0, 1, 0], "b": [0, 1, 1, 0], "c": [0, 0, 1, 1]}
    guess = {"a": [1, 0, 0, 0], "b": [0, 1, 1, 1], "c": [1, 0, 1, 1]}
    left, right = pd.DataFrame(cells), pd.DataFrame(guess)
    options: Any = {"labels": ["c", "a", "b"]} if declared else {}
    found = wf.count_multilabel(left[first], right[second], **options)
    assert wf.averaged_f1(found).value == wf.averaged_f1(wf.count_multilabel(left, right)).value
    chances = pd.DataFrame({"a": [0.5, 0.1], "b": [0.25, 0.2], "c": [0.25, 0.7]})
    loss = wf.log_loss(["a", "c"], chances[first], **options)
    assert loss.value == wf.log_loss(["a", "c"], chances).value


def test_columns_with_levels_are_named() -> None:
    levels = pd.MultiIndex.from_tuples([("x", "true"), ("x", "pred")])
    with pytest.raises(WhichF1Error, match="Flatten the levels"):
        wf.accuracy(pd.DataFrame([[0, 0]], columns=levels))
    with pytest.raises(WhichF1Error, match="Flatten the levels"):
        wf.log_loss([0], pd.DataFrame([[0.5, 0.5]], columns=levels))
