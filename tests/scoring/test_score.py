"""A Score goes wherever a float goes; what is computed from it is a plain float."""

import array
import cmath
import copy
import decimal
import fractions
import json
import math
import numbers
import operator
import pickle
import statistics
import struct
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest

import whichf1 as wf
from whichf1.errors import DefinitionError, OtherDataWarning

TRUE, PREDICTED = ["a", "b", "b", "c", "a"], ["a", "b", "a", "c", "c"]
F1 = wf.averaged_f1(TRUE, PREDICTED, interval="delta")
UNARY: list[Callable[[Any], Any]] = [
    operator.neg, operator.pos, abs, round, int, float, complex, bool, hash,
    math.floor, math.ceil, math.trunc, math.sqrt, math.log, math.exp, math.isnan, math.isfinite,
    math.frexp, math.modf, math.degrees, math.ulp, cmath.sqrt, fractions.Fraction, decimal.Decimal,
    float.hex, float.is_integer, float.as_integer_ratio, float.conjugate, json.dumps,
    lambda x: x.real, lambda x: x.imag, lambda x: round(x, 3), lambda x: f"{x:.3f}",
    lambda x: f"{x:>+12.2%}", lambda x: f"{x:08.3f}",
    lambda x: sum([x, x]), lambda x: sum([x]), lambda x: math.prod([x]),
    lambda x: math.fsum([x, x]),
    lambda x: math.hypot(x, x), lambda x: math.dist([x], [0]), lambda x: math.isclose(x, x),
    lambda x: struct.pack("d", x), lambda x: array.array("d", [x]), lambda x: divmod(x, 0.1),
    lambda x: json.dumps({"f1": [x]}, indent=1), lambda x: isinstance(x, numbers.Real),
    lambda x: statistics.mean([x, x, x]), lambda x: statistics.stdev([x, x]),
    lambda x: statistics.median([x, x]), lambda x: statistics.fmean([x]),
    lambda x: {x: 1}[float(x)], lambda x: float(x) in [x], lambda x: np.mean([x, x]),
    lambda x: np.std([x, x]), lambda x: np.array([x, x]), lambda x: np.asarray(x),
    lambda x: np.float64(x), lambda x: np.float32(x), lambda x: np.full(2, x), lambda x: np.exp(x),
    lambda x: x * np.arange(3), lambda x: np.arange(3) - x, lambda x: x < np.arange(3),
    lambda x: np.arange(3) >= x, lambda x: np.round(x, 2), lambda x: np.isclose(x, 0.5),
    lambda x: np.maximum(x, 0.5), lambda x: np.average([x], weights=[x]), lambda x: np.isnan(x),
    lambda x: max(0.1, x) + 0, lambda x: min(x, 2.0) + 0, lambda x: sorted([0.9, x])[0] + 0,
    lambda x: np.float64(0.5) + x, lambda x: np.float64(0.5) < x,
]  # fmt: skip
BINARY: list[Callable[[Any, Any], Any]] = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.pow, operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
    math.copysign, math.fmod, math.pow, math.atan2, math.remainder,
]  # fmt: skip
PLAIN: tuple[Any, ...] = (2, 0.25, True, np.float64(0.5), np.int64(2), fractions.Fraction(1, 3))


def same(one: Any, two: Any) -> None:
    one, two = (x.item() if isinstance(x, np.generic) else x for x in (one, two))
    assert type(one) is type(two) and type(one) is not wf.Score
    if isinstance(one, np.ndarray):
        assert one.dtype == two.dtype
    np.testing.assert_equal(one, two)


@pytest.mark.parametrize("at", range(len(UNARY)))
@pytest.mark.parametrize("score", [F1, wf.accuracy(["a"], ["b"]), wf.mcc([0, 1, 1], [1, 0, 0])])
def test_a_float_operation_takes_a_score_and_gives_a_plain_result(at: int, score: Any) -> None:
    try:
        expected = UNARY[at](float(score))
    except (
        ValueError,
        TypeError,
        ArithmeticError,
    ) as error:  # as for the float, such as the logarithm of 0
        with pytest.raises(type(error)):
            UNARY[at](score)
    else:
        same(UNARY[at](score), expected)


@pytest.mark.parametrize("run", BINARY)
@pytest.mark.parametrize("other", PLAIN)
def test_arithmetic_and_order_with_other_numbers_on_either_side(
    run: Callable[[Any, Any], Any], other: Any
) -> None:
    same(run(F1, other), run(float(F1), other))
    same(run(other, F1), run(other, float(F1)))


def test_truth_is_that_of_the_number() -> None:
    assert bool(F1) and not wf.accuracy(["a"], ["b"])


def test_columns_and_tensors() -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import torch

    value = F1.value
    assert pd.Series([F1, F1]).dtype == "float64" and pd.DataFrame([{"x": F1}])["x"][0] == value
    assert pl.DataFrame({"x": [F1, F1]})["x"].dtype == pl.Float64
    assert pl.DataFrame([{"x": F1}])["x"].to_list() == pl.select(pl.lit(F1)).to_series().to_list()
    assert pa.array([F1]).to_pylist() == [value]
    assert torch.tensor([F1, F1], dtype=torch.float64).tolist() == [value, value]
    assert torch.tensor(F1).dtype == torch.float32


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_copies_are_whole(protocol: int) -> None:
    for twin in (pickle.loads(pickle.dumps(F1, protocol)), copy.copy(F1), copy.deepcopy(F1)):
        assert type(twin) is wf.Score and twin == F1 and repr(twin) == repr(F1)
        assert (twin.interval, twin.classes, twin.n) == (F1.interval, F1.classes, F1.n)


def test_a_copy_does_not_warn_of_other_data_again() -> None:
    parsed = wf.Definition.parse(F1.signature)
    with pytest.warns(OtherDataWarning):
        other = parsed(["x", "y"], ["x", "x"])
    assert pickle.loads(pickle.dumps(other)) == other  # pytest makes warnings errors


def test_a_score_does_not_change() -> None:
    for name in ("n", "value", "interval", "new"):
        with pytest.raises((FrozenInstanceError, AttributeError)):
            setattr(F1, name, 1)
    with pytest.raises(FrozenInstanceError):
        del F1.n


def test_equality_with_a_number_is_of_values_and_with_a_score_of_signatures_too() -> None:
    again = wf.Definition.parse(F1.signature)(TRUE, PREDICTED)
    assert again == F1 == F1.value == np.float64(F1)
    assert operator.ne(again, F1) is False
    assert hash(F1) == hash(F1.value)
    one, two = wf.averaged_f1(["a"], ["a"]), wf.accuracy(["a"], ["a"])
    assert one == 1.0 == two and one != two and operator.eq(one, two) is False
    assert (one == "1.0") is False and (one is None) is False
    undefined = wf.precision([0, 1], [0, 0], positive=1, undefined="nan")
    assert math.isnan(undefined) and undefined != undefined


def test_scores_of_unlike_definitions_or_classes_are_not_ordered() -> None:
    with pytest.raises(DefinitionError, match="definitions: formula of-averages / averaged"):
        max(wf.averaged_f1(TRUE, PREDICTED), wf.f1_of_averages(TRUE, PREDICTED))
    fewer = wf.averaged_f1(TRUE[:3], PREDICTED[:3])
    with pytest.raises(
        DefinitionError, match=r"different classes: \['a', 'b'\] and \['a', 'b', 'c'\]"
    ):
        sorted([wf.averaged_f1(TRUE, PREDICTED), fewer])
    # accuracy is of items, and the same whichever classes do not occur
    assert wf.accuracy(TRUE[:3], PREDICTED[:3]) > wf.accuracy(TRUE, PREDICTED)
    assert fewer <= wf.averaged_f1(TRUE[:3], TRUE[:3])


def test_its_record_is_plain_json() -> None:
    record = F1.to_dict()
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert type(record["value"]) is float and record["signature"] == F1.signature
    assert list(record) == ["value", "interval", "n", "signature"]
    undefined = wf.precision([0, 1], [0, 0], positive=1, undefined="nan").to_dict()
    assert undefined["why"] == "undefined" and "interval" not in undefined


def test_sklearn_searches_by_a_metric() -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import make_scorer
    from sklearn.model_selection import GridSearchCV, cross_val_score

    x = np.random.default_rng(0).normal(size=(60, 2))
    y = (x[:, 0] > 0).astype(int)
    scorer = make_scorer(wf.averaged_f1)
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, scoring=scorer, cv=2).fit(x, y)
    plain = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, scoring="f1_macro", cv=2)
    assert search.best_score_ == pytest.approx(plain.fit(x, y).best_score_, abs=1e-12)
    assert cross_val_score(LogisticRegression(), x, y, scoring=scorer, cv=2).dtype == np.float64
