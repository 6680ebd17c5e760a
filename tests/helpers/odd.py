"""Odd inputs: what nobody would give to a function on purpose, and somebody does."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import strategies as st

import whichf1 as wf


class Refusing:
    """An object that raises whatever is done with it."""

    def __array__(self, *_: object, **__: object) -> Any:
        raise RuntimeError("no array")

    def __len__(self) -> int:
        raise RuntimeError("no length")

    def __iter__(self) -> Any:
        raise RuntimeError("no items")


def _endless() -> Any:
    inside: list[Any] = []
    inside.append(inside)
    return inside


SCALARS: list[Any] = [
    None, True, 0, 1, -1, 2, 3, 10**30, -(2**63) - 1, 10**400, 0.5, 1.5, -0.0, float("nan"),
    float("inf"), 1e-320, 1e308, "", "a", "macro", "none", "\0", "\ud800", "f1|avg:macro|v:1", b"a",
    1j, Fraction(1, 3), Decimal("NaN"), date(2020, 1, 1), object, np.float16(0.1), np.str_("a"),
    np.uint64(2**64 - 1), Path("/nonexistent"), Path("/"), "/nonexistent/*.csv", ..., len,
]  # fmt: skip
GOOD: list[Callable[[], Any]] = [
    lambda: [0, 1, 1],
    lambda: [1, 0, 1],
    lambda: ["a", "b", "b"],
    lambda: [0.2, 0.9, 0.4],
    lambda: [[0.2, 0.8], [0.9, 0.1], [0.5, 0.5]],
    lambda: [{"a"}, {"a", "b"}, set()],
    lambda: wf.count([0, 1, 1], [0, 0, 1]),
    lambda: wf.rank([0, 1, 1], [0.1, 0.9, 0.3]),
    lambda: wf.count_multilabel([{"a"}, {"b"}], [{"a"}, {"a"}]),
    lambda: pd.DataFrame({"true": [0, 1], "pred": [0, 0], "score": [0.1, 0.5]}),
]
"""Data that some functions take."""
ODD: list[Callable[[], Any]] = [
    list, dict, set, Refusing, _endless,
    lambda: [[]], lambda: [[], [1]], lambda: [None, 1, 2], lambda: [float("nan"), 1.0, 0.0],
    lambda: ["a", 1, True], lambda: [0, 1], lambda: [1e308, 1e308, 1e308], lambda: [2**64, 0, -1],
    lambda: [10**400, 0, 1], lambda: [b"a", b"b", b"c"], lambda: [object(), object(), object()],
    lambda: [[0, 1], [1, 0], [1, 1]], lambda: [(1,), (2, 3), ()], lambda: range(0),
    lambda: range(3), lambda: (x for x in [0, 1, 1]), lambda: iter([]), lambda: {"a": [0, 1, 1]},
    lambda: {"a": [1]}, lambda: {1: 2}, lambda: ["\ud800", "\0", ""],
    lambda: [Fraction(1, 2), 0, 1], lambda: [Decimal(1), Decimal(0), Decimal(1)],
    lambda: [date(2020, 1, 1)] * 3,
    lambda: np.array(3), lambda: np.zeros((2, 0)), lambda: np.zeros((2, 2, 2)),
    lambda: np.array([], np.float64), lambda: np.array([1, 0, 1], np.complex128),
    lambda: np.array(["2020", "2021", "NaT"], "M8[D]"), lambda: np.array([1, 2, 3], "m8[s]"),
    lambda: np.array([(1, 2.0)] * 3, [("a", "i4"), ("b", "f8")]),
    lambda: np.array([1, 0, 1], np.uint64) + np.uint64(2**63), lambda: np.array([b"a", b"b", b"c"]),
    lambda: np.array([1, 2, 3], np.longdouble), lambda: np.array([0.1, 2, 1], np.float16),
    lambda: np.ma.masked_array([0, 1, 1], mask=[True, False, False]), lambda: np.zeros(3, "V4"),
    lambda: np.array([None, "a", 1], object), lambda: np.array([[1, 2], [3, 4], [5, 6]])[:, ::-1],
    lambda: memoryview(b"abc"), lambda: bytearray(b"abc"),
    pd.DataFrame, lambda: pd.Series([], dtype=object), lambda: pd.Series([0, 1, None]),
    lambda: pd.Series(["a", None, "b"], dtype="category"), lambda: pd.array([1, None, 2], "Int64"),
    lambda: pd.DataFrame([[0, 1], [1, 0]], columns=["true", "true"]),
    lambda: pd.DataFrame([[0, 1], [1, 0]], columns=pd.MultiIndex.from_tuples([(1, 2), (3, 4)])),
    lambda: pd.Series(pd.to_datetime(["2020", "2021", None])), pl.DataFrame,
    lambda: pl.Series([0, None, 1]), lambda: pl.Series([[0], [1, 2], None]),
    lambda: pl.DataFrame({"true": [0, 1], "pred": [None, 1]}),
]  # fmt: skip
VALUES = st.one_of(
    st.sampled_from(SCALARS).map(lambda value: lambda: value),
    st.sampled_from(GOOD),
    st.sampled_from(ODD),
)
"""Functions that create a value for each use, since some are consumed."""


def public_functions() -> dict[str, Callable[..., Any]]:
    """Every public function and class that a caller gives something to, and their makers."""
    made = {name: getattr(wf, name) for name in wf.__all__}
    functions = {name: each for name, each in made.items() if callable(each)}
    counts = wf.count([0, 1, 1], [0, 0, 1])
    tables: dict[str, Any] = {
        "ranking": wf.rank([0, 1, 1], [0.1, 0.9, 0.3]),
        "moments": wf.moments([0, 1, 1], [0.1, 0.9, 0.3], "brier"),
        "label sets": wf.count_multilabel([{"a"}], [{"a"}]),
    }
    return {
        **{name: each for name, each in functions.items() if name not in RESULTS},
        **{f"{x}.per_class": f.per_class for x, f in made.items() if hasattr(f, "definition")},
        **{f"Counts.{x}": getattr(wf.Counts, x) for x in ("from_matrix", "empty", "from_json")},
        **{f"counts.{x}": getattr(counts, x) for x in ("update", "declare", "save")},
        **{f"{name}.update": table.update for name, table in tables.items()},
        **{f"{name}.empty": type(table).empty for name, table in tables.items()},
        "Counts.load": wf.Counts.load,
        "Definition.parse": wf.Definition.parse,
        "dialects.convert": wf.dialects.convert,
        "dialects.table": wf.dialects.table,
        "dialects[...]": wf.dialects["sklearn"],
    }


RESULTS = (
    "Band", "BestThreshold", "Comparison", "Counts", "Curve", "DecisionCurve", "Definition",
    "Interval", "MacroF1", "Moments", "MultiLabelCounts", "Pair", "PerClass", "Picture", "Ranking",
    "Ratings", "Score", "Slices", "SpanCounts", "SystemRanks", "Trials",
)  # fmt: skip
"""What functions give: nobody makes them."""
UNTRIED = ("master", "engine", "progress")
"""Arguments that start something outside of this process."""


@st.composite
def odd_calls(draw: st.DrawFn, function: Callable[..., Any]) -> Callable[[], Any]:
    """The function with good and odd values for its arguments."""
    parameters = inspect.signature(function).parameters.values()
    places = [x for x in parameters if x.kind in (x.POSITIONAL_ONLY, x.POSITIONAL_OR_KEYWORD)]
    needed = [x.name for x in parameters if x.kind == x.KEYWORD_ONLY and x.default is x.empty]
    named = [x.name for x in parameters if x.kind == x.KEYWORD_ONLY and x.name not in UNTRIED]
    least = sum(x.default is x.empty for x in places)
    number = draw(st.integers(least, max(least, min(len(places), 3))))
    chosen = draw(st.lists(st.sampled_from(named), max_size=2, unique=True)) if named else []
    values = [draw(VALUES) for _ in range(number)]
    keywords = {name: draw(VALUES) for name in {*needed, *chosen}}

    def call() -> Any:
        filled = {name: value() for name, value in keywords.items()}
        return partial(function, *(value() for value in values), **filled)()

    return call
