"""Dataframes of every engine: the same counts, of the same types, with the same errors."""

from __future__ import annotations

import datetime
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers.columns import LABELS, Rows, drawn, kinds_of_labels
from tests.helpers.engines import (
    DATABASES,
    ENGINES,
    IN_MEMORY,
    TYPES,
    cells,
    every_engine,
    expected,
)
from whichf1.sources.questions import grouped

SLICES: list[tuple[Any, list[Any]]] = [
    (pa.string(), ["en", "de", None]),
    (pa.int64(), [1, 2, None]),
    (pa.bool_(), [False, True]),
]


def without_zero(slices: Any) -> Any:
    return {k: {c: w for c, w in v.items() if w} for k, v in slices.items()}


@every_engine
@pytest.mark.filterwarnings("ignore")
@pytest.mark.thinned(3)
def test_every_engine_counts_like_python(engine: str) -> None:
    for at, kind in enumerate(kinds_of_labels(engine)):
        label = (TYPES[kind], LABELS[kind])
        weight = (pa.float64(), [0.0, 0.25, 1.0, 2.5, 1024.0])
        columns = {"gold": label, "model": label, "other": label, "weight": weight}
        for table, rows in drawn(engine, {**columns, "part": SLICES[at % 3]}, seed=at):
            check_counts(ENGINES[engine](table), rows)


def check_counts(frame: Any, rows: Rows) -> None:
    counts = wf.count(frame, true="gold", pred="model")
    assert cells(counts) == dict(expected(rows)[()])
    kinds = {type(label) for label in counts.labels}
    assert len(kinds) == 1 and kinds <= {int, str, bool}
    slices = wf.count_by(frame, true="gold", pred="model", by=["part"], weights="weight")
    found = {key: cells(part) for key, part in slices.items()}
    assert found == without_zero(expected(rows, "part", "weight"))
    assert all(part.labels == counts.labels for part in slices.values())
    each = wf.count_each(frame, true="gold", pred=["model", "other", "gold"])
    assert each["model"] == counts
    assert each["other"] == wf.count(frame, true="gold", pred="other")
    right = sum(n for (t, p), n in cells(each["gold"]).items() if t == p)
    assert each["gold"].n == len(rows) == right


@every_engine
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["int64", "str", "float", "bool"])
def test_missing_labels_are_reported(engine: str, kind: str) -> None:
    value = {"int64": 1, "str": "a", "float": 1.0, "bool": True}[kind]
    column = pa.array([value, None, value, None], TYPES[kind])
    table = pa.table({"true": pa.array([value] * 4, TYPES[kind]), "pred": column})
    with pytest.raises(wf.errors.LabelError, match="'pred' has no label in 2 of its 4 items"):
        wf.count(ENGINES[engine](table))


@every_engine
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -1.0, None])
@pytest.mark.thinned(4)
def test_bad_weights_are_refused(engine: str, bad: Any) -> None:
    table = pa.table(
        {
            "true": ["a", "b"],
            "pred": ["a", "b"],
            "w": pa.array([1.0, bad], pa.float64(), from_pandas=False),
        }
    )
    with pytest.raises(wf.errors.WeightError, match=r"[Ww]eights must be finite"):
        wf.count(ENGINES[engine](table), weights="w")


@pytest.mark.parametrize("engine", [*IN_MEMORY, *DATABASES])
@pytest.mark.filterwarnings("ignore")
def test_integer_weights_do_not_wrap_and_nan_labels_are_missing(engine: str) -> None:
    table = pa.table(
        {"true": ["a"] * 3, "pred": ["a"] * 3, "w": pa.array([100, 100, 100], pa.int8())}
    )
    assert wf.count(ENGINES[engine](table), weights="w").n == 300
    nan = pa.table({"true": [1.0, 2.0], "pred": [1.0, float("nan")]})
    with pytest.raises(wf.errors.LabelError, match="no label in 1 of its 2 items"):
        wf.count(ENGINES[engine](nan))
    zero = pa.table({"true": [0.0, -0.0], "pred": [-0.0, 0.0]})
    assert wf.count(ENGINES[engine](zero)).matrix.tolist() == [[2]]
    with pytest.raises(wf.errors.LabelError, match=r"1\.5"):
        wf.count(ENGINES[engine](pa.table({"true": [1.0, 2.0], "pred": [1.5, 1.0]})))


@every_engine
@pytest.mark.filterwarnings("ignore")
def test_odd_names_of_columns(engine: str) -> None:
    table = pa.table({'a.b "c"': ["x", "y"], "`tick` 'd'": ["x", "x"], "p": ["y", "y"]})
    if engine == "spark":  # a schema cannot spell a backtick here
        table = table.rename_columns(['a.b "c"', "tick 'd'", "p"])
    first, second, _ = table.column_names
    frame = ENGINES[engine](table)
    assert wf.count(frame, true=first, pred=second).matrix.tolist() == [[1, 0], [1, 0]]
    assert wf.count(frame, true=first, pred=first).matrix.tolist() == [[1, 0], [0, 1]]
    assert list(wf.count_by(frame, true=first, pred=second, by=[first])) == [("x",), ("y",)]


@pytest.mark.parametrize("engine", list(IN_MEMORY))
def test_what_names_cannot_be(engine: str) -> None:
    frame = ENGINES[engine](pa.table({"true": [1], "pred": [1], "Pred": [0]}))
    with pytest.raises(wf.errors.InputError, match="appears twice"):
        wf.count(frame)
    with pytest.raises(wf.errors.InputError, match=r"no column 'gold'.*true, pred, Pred"):
        wf.count(frame, true="gold", pred="pred")
    with pytest.raises(wf.errors.InputError, match="no columns have the usual names"):
        wf.count(ENGINES[engine](pa.table({"a": [1], "b": [1]})))
    with pytest.raises(wf.errors.ShapeError, match="no items"):
        wf.count(ENGINES[engine](pa.table({"true": pa.array([], pa.int8()), "pred": []})))


def test_objects_of_several_types_are_refused_with_the_row() -> None:
    import pandas as pd

    frame = pd.DataFrame({"true": pd.Series([1, True, 1.0], dtype=object), "pred": [1, 1, 1]})
    with pytest.raises(wf.errors.LabelError, match=r"row 0 holds 1 \(int\), row 1 True \(bool\)"):
        wf.count(frame)
    mixed = pd.DataFrame({"true": [1, 2], "pred": ["1", "2"]})
    with pytest.raises(wf.errors.LabelError, match=r"label types differ: column 'true' holds"):
        wf.count(mixed)
    nullable = pd.DataFrame({"true": [1, 2], "pred": [2.0, 1.0]})
    assert wf.count(nullable).labels == (1, 2)
    dates = pd.DataFrame({"true": [datetime.date(2020, 1, 1)], "pred": ["a"]})
    with pytest.raises(wf.errors.LabelError, match="cannot be a label"):
        wf.count(dates)
    sets = pd.DataFrame({"true": [["a"], ["b"]], "pred": [["a"], []]})
    with pytest.raises(wf.errors.LabelError, match="count_multilabel"):
        wf.count(sets)
    with pytest.raises(wf.errors.ShapeError, match="count_multilabel"):
        wf.count([["a"], ["b"]], [["a"], ["b"]])
    with pytest.raises(wf.errors.DefinitionError, match="declare classes with labels="):
        wf.averaged_f1(wf.count_multilabel([[], []], [[], []]))


def test_declared_labels_and_arguments_that_do_not_fit() -> None:
    import polars as pl

    loose: Any = wf  # for calls that the types forbid

    frame = pl.DataFrame({"true": ["a", "b"], "pred": ["a", "a"], "n": [1, 2]})
    assert wf.count(frame, labels=["b", "a", "c"]).labels == ("b", "a", "c")
    with pytest.raises(wf.errors.LabelError, match="not among the declared"):
        wf.count(frame, labels=["a"])
    with pytest.raises(wf.errors.InputError, match="use count_each for several"):
        loose.count(frame, true="true", pred=["pred"])
    with pytest.raises(wf.errors.InputError, match="a frame holds all columns"):
        wf.count(frame, ["a", "b"])
    with pytest.raises(wf.errors.InputError, match="names a column"):
        wf.count(frame, weights=[1, 2])
    with pytest.raises(wf.errors.InputError, match="whose columns have names"):
        wf.count_by([0, 1], by="x")
    with pytest.raises(wf.errors.InputError, match="twice in by="):
        wf.count_by(frame, by=["n", "n"])
    assert float(wf.accuracy(frame)) == 0.5  # the usual names are found by a score, too
    assert wf.count(frame["true"], frame["pred"]) == wf.count(frame)  # columns are no frames


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 1)), min_size=3))
@example([(0, 0, 0), (1, 1, 1), (0, 1, 0)])
def test_slices_add_up_in_any_order(items: Any) -> None:
    import polars as pl

    def slices(part: Any) -> Any:
        frame = pl.DataFrame(part, schema=["true", "pred", "s"], orient="row")
        return wf.count_by(frame, by="s")

    third = len(items) // 3
    parts = [slices(items[:third]), slices(items[third : 2 * third]), slices(items[2 * third :])]
    whole = slices(items)
    assert sum(parts) == sum(reversed(parts)) == (parts[0] + (parts[1] + parts[2])) == whole
    assert whole.whole == wf.count([t for t, _, _ in items], [p for _, p, _ in items])
    key = next(iter(whole))
    assert whole[key[0]] is whole[key]
    with pytest.raises(KeyError, match="there is no slice"):
        whole["nowhere"]


def test_rows_merge_by_value_and_type() -> None:
    rows = [(1, 1, 2, 0.0, 0.0, 0), (True, 1, 1, 0.0, 0.0, 0), (1, 1, 3, 0.0, 0.0, 0)]
    assert grouped.merged(rows) == [(1, 1, 5, 0.0, 0.0, 0), (True, 1, 1, 0.0, 0.0, 0)]
