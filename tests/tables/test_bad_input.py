"""Input that means nothing gets an error that says what to do."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import whichf1 as wf
from whichf1.errors import (
    DefinitionError,
    InputError,
    LabelError,
    ShapeError,
    WeightError,
    WhichF1Error,
)

loose: Any = wf
"""For calls that the types forbid."""

BAD: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: loose.count([0, 1], [0]), ShapeError, "y_true has 2 items, y_pred has 1"),
    (lambda: loose.count([], []), ShapeError, "there are no items"),
    (lambda: loose.count(np.array([]), np.array([])), ShapeError, "there are no items"),
    (lambda: loose.count([0, None], [0, 1]), LabelError, r"y_true\[1\] is missing \(None\)"),
    (lambda: loose.count(["a", "b"], ["a", None]), LabelError, r"y_pred\[1\] is missing"),
    (lambda: loose.count([0, 1], [0, math.nan]), LabelError, r"y_pred\[1\] is missing \(nan\)"),
    (lambda: loose.count(np.array([0, np.nan]), [0, 1]), LabelError, r"y_true\[1\] is missing"),
    (
        lambda: loose.count(pd.array([1, None], "Int64"), [1, 1]),
        LabelError,
        r"y_true\[1\] is missing",
    ),
    (lambda: loose.count(pl.Series([1, None]), [1, 1]), LabelError, r"y_true\[1\] is missing"),
    (lambda: loose.count(pa.array(["a", None]), ["a", "a"]), LabelError, r"y_true\[1\] is missing"),
    (
        lambda: loose.count([1, 2, "1"], [1, 1, 1]),
        LabelError,
        r"y_true\[0\] is 1 \(int\), y_true\[2\] is '1' \(str\)",
    ),
    (
        lambda: loose.count([1, True], [1, 1]),
        LabelError,
        r"y_true\[0\] is 1 \(int\), y_true\[1\] is True \(bool\)",
    ),
    (lambda: loose.count([1, 0], ["1", "0"]), LabelError, r"1 \(int\), y_pred\[0\] is '1' \(str\)"),
    (
        lambda: loose.count([1], [True]),
        LabelError,
        r"y_true\[0\] is 1 \(int\), y_pred\[0\] is True",
    ),
    (lambda: loose.count([0, 1.5], [0, 1]), LabelError, r"y_true\[1\] is .*1.5.*whole number"),
    (lambda: loose.count(np.array([0.5]), [0]), LabelError, r"y_true\[0\] is .*0.5.*whole number"),
    (lambda: loose.count(np.array([np.inf]), [0]), LabelError, r"whole number"),
    (lambda: loose.count([1e300], [0]), LabelError, r"whole number"),
    (lambda: loose.count([2**70], [0]), LabelError, "must fit 64 bits"),
    (lambda: loose.count([b"a"], [b"a"]), LabelError, "decode bytes"),
    (lambda: loose.count(np.array([b"a"]), [0]), LabelError, "decode bytes"),
    (lambda: loose.count([1j], [0]), LabelError, "not a label"),
    (lambda: loose.count(np.array(["2020"], "M8[Y]"), [0]), LabelError, "cannot be labels"),
    (lambda: loose.count([0, 7], [0, 0], labels=[0, 1]), LabelError, r"y_true\[1\] is 7 \(int\)"),
    (lambda: loose.count([0, 1], [0, "x"], labels=[0, 1]), LabelError, "mixes label types"),
    (
        lambda: loose.count([0], [0], labels=["0"]),
        LabelError,
        r"y_true\[0\] is 0 \(int\), which is not",
    ),
    (
        lambda: loose.count([0], [0], labels=[0, 1, 0]),
        LabelError,
        "declared twice, at positions 0 and 2",
    ),
    (lambda: loose.count([0], [0], labels=[0, "1"]), LabelError, "labels mix types"),
    (lambda: loose.count([0], [0], labels=[[0]]), LabelError, "cannot be a label.*multilabel"),
    (lambda: loose.count([0], [0], labels=[0.5]), LabelError, "cannot be a label.*whole numbers.$"),
    (lambda: loose.count([0], [0], labels=3), LabelError, r"labels=range\(3\)"),
    (lambda: loose.count([0], [0], labels="ab"), LabelError, "must be a list"),
    (lambda: loose.count(np.zeros((2, 2)), [0, 1]), ShapeError, r"got shape \(2, 2\).*argmax"),
    (lambda: loose.count([[0, 1], [1, 0]], [0, 1]), ShapeError, r"got shape \(2, 2\)"),
    (lambda: loose.count([[0], [1, 2]], [0, 1]), ShapeError, "one dimension"),
    (lambda: loose.count(np.array(3), [0]), ShapeError, "one dimension"),
    (lambda: loose.count(5, [0]), ShapeError, "must be a sequence"),
    (lambda: loose.count({0: 1}, [0]), ShapeError, "must be a sequence"),
    (lambda: loose.count([0], None), InputError, "got list alone"),
    (lambda: loose.count([0], [0], weights=[math.nan]), WeightError, r"weights\[0\] is nan"),
    (lambda: loose.count([0, 0], [0, 0], weights=[1, -1]), WeightError, r"weights\[1\] is -1"),
    (lambda: loose.count([0], [0], weights=[math.inf]), WeightError, "finite"),
    (lambda: loose.count([0], [0], weights=[1, 2]), ShapeError, r"weights have shape \(2,\)"),
    (lambda: loose.count([0], [0], weights=["x"]), WeightError, "must be numbers"),
    (lambda: loose.count([0], [0], true="x"), InputError, "name the columns of a file"),
    (lambda: loose.Counts.from_matrix([[1, 2]], rows="true"), ShapeError, r"square.*\(1, 2\)"),
    (lambda: loose.Counts.from_matrix([], rows="true"), ShapeError, "square"),
    (lambda: loose.Counts.from_matrix([[1, 2], [3]], rows="true"), ShapeError, "square"),
    (lambda: loose.Counts.from_matrix([[-1]], rows="true"), InputError, r"cell \[0, 0\] is -1"),
    (lambda: loose.Counts.from_matrix([[math.nan]], rows="true"), InputError, "is nan"),
    (
        lambda: loose.Counts.from_matrix([[0, 0.5], [1, 1]], rows="true"),
        InputError,
        r"\[0, 1\] is 0.5",
    ),
    (lambda: loose.Counts.from_matrix([["a"]], rows="true"), InputError, "must hold counts"),
    (lambda: loose.Counts.from_matrix([[1]], rows="gold"), InputError, "no default"),
    (lambda: loose.Counts.from_matrix([[1]], rows="true", labels=[1, 2]), ShapeError, "1 class"),
    (lambda: loose.accuracy(wf.Counts.from_matrix([[0]], rows="true")), ShapeError, "no items"),
    (lambda: loose.precision([0], [0]), DefinitionError, "precision of which class"),
    (lambda: loose.recall([0], [0], positive=5), LabelError, "there is no class 5"),
    (lambda: loose.recall(["cat"], ["cat"], positive="cats"), LabelError, "Did you mean 'cat'\\?"),
    (lambda: loose.f1([0], [0], average="marco"), DefinitionError, "Did you mean 'macro'"),
    (lambda: loose.f1([0], [0], averge="macro"), DefinitionError, "Did you mean 'average'"),
    *(
        (
            lambda odd=odd: loose.f1([0], [0], average="macro", undefined=odd),
            DefinitionError,
            "a finite number such as 0 or 1, 'skip' or 'nan'; got ",
        )
        for odd in (math.inf, -math.inf, True, "2", "zero", 1j, [0], b"nan", 10**400)
    ),
    (lambda: loose.f1([0], [0], average="macro", scope="full"), DefinitionError, "scope cannot be"),
    (
        lambda: loose.f1([0], [0], average="macro", classes="all"),
        DefinitionError,
        "classes cannot be",
    ),
    (lambda: loose.f1([0], [0], average="macro", classes=[]), DefinitionError, "empty list"),
    (lambda: loose.f1([0], [0], average="macro", classes=[9]), LabelError, "no class 9"),
    (
        lambda: loose.f1([0], [0], average="macro", exclude=[0]),
        DefinitionError,
        "no classes to average over",
    ),
    (lambda: loose.f1([0], [0], average="macro", ignore=[0]), ShapeError, "all are ignored"),
    (lambda: loose.f1(["a"], ["a"], average="macro", classes="range"), LabelError, "integers"),
    (lambda: loose.f1([0], [0], average="macro", positive=0), DefinitionError, "Choose one"),
    (
        lambda: loose.accuracy([0], [0], average="macro"),
        DefinitionError,
        "does not apply to accuracy",
    ),
    (lambda: loose.accuracy([0], [0], undefined=1), DefinitionError, "it is never undefined"),
    (
        lambda: loose.recall([0], [0], average="macro", formula="averaged"),
        DefinitionError,
        "only one formula",
    ),
    (
        lambda: loose.recall([0], [0], average="macro", undefined=1, scope="no-hits"),
        DefinitionError,
        "only one division",
    ),
    (
        lambda: loose.f_beta([0], [0], average="macro", beta=-1),
        DefinitionError,
        "at least 0, or inf; got -1$",
    ),
    (
        lambda: loose.f_beta([0], [0], average="macro", beta=-math.inf),
        DefinitionError,
        "at least 0, or inf; got -inf",
    ),
    (
        lambda: loose.f_beta([0], [0], average="macro", beta=math.nan),
        DefinitionError,
        "at least 0, or inf; got nan",
    ),
    (
        lambda: loose.f_beta([0], [0], average="macro", beta=True),
        DefinitionError,
        "at least 0, or inf; got True",
    ),
    (lambda: loose.f1([0], [0], average="macro", beta=2), DefinitionError, "no option 'beta'"),
    (lambda: loose.cohen_kappa([0], [0], weighting="cubic"), DefinitionError, "must be one of"),
    (lambda: loose.accuracy([0], [0], interval="wilsom"), DefinitionError, "no interval method"),
    (
        lambda: loose.accuracy([0], [0], interval=wf.Delta(level=95)),
        DefinitionError,
        "between 0 and 1",
    ),
    (lambda: loose.score([0], [0], "acuracy"), DefinitionError, "Did you mean 'accuracy'"),
    (lambda: loose.score([0], [0], 3), DefinitionError, "a name or a signature"),
    (lambda: loose.score([0]), DefinitionError, "call score"),
    (lambda: loose.accuracy.per_class([0], [0]), DefinitionError, "no value for each class"),
    (lambda: loose.f1.per_class([0], [0], average="macro"), DefinitionError, "Drop average="),
    (lambda: loose.Definition.parse("f1|avg"), DefinitionError, "is not 'key:value'"),
    (lambda: loose.Definition.parse("f1|avg:macro|avg:micro"), DefinitionError, "appears twice"),
    (
        lambda: loose.Definition.parse("f1|avg:macro|average:micro"),
        DefinitionError,
        "are the same field",
    ),
    (lambda: loose.Definition.parse("f1|data:1"), DefinitionError, "unknown field 'data'"),
    (
        lambda: loose.Definition.parse("f1|avg:macro|colour:red"),
        DefinitionError,
        "unknown field 'colour'",
    ),
    (lambda: loose.Definition.parse("f1|avg:macro|v:99"), DefinitionError, "has version 99"),
    (lambda: loose.Definition.parse("f1|positive:cat"), DefinitionError, 'positive:"cat"'),
    (
        lambda: loose.Definition.parse("f1|positive:NaN|avg:;"),
        DefinitionError,
        "neither a word nor JSON",
    ),
    (
        lambda: loose.Definition.parse("f1|avg:macro|level:0.9"),
        DefinitionError,
        "without an interval",
    ),
    (lambda: loose.Definition.parse("f_beta(gamma=2)"), DefinitionError, "no parameter 'gamma'"),
    (lambda: loose.Definition.parse(""), DefinitionError, "is not a metric"),
    (lambda: loose.bounds(1.2, 0.5), InputError, "precision must be between"),
    (lambda: loose.bounds(1, 0.1, 2), InputError, "no table of 2 classes"),
    (
        lambda: loose.brier(["a", "b", "c"], [[0.5, 0.3, 0.2]] * 3, positive="a"),
        DefinitionError,
        "positive=, or pass the column",
    ),
    (lambda: loose.log_loss([0, 1], [0.1, 0.9], floor=2), DefinitionError, "from 0 to 0.5"),
    (
        lambda: loose.roc_auc(wf.rank([0, 1], [0.1, 0.9], weights=[1, 2]), interval="delta"),
        DefinitionError,
        "weighted items needs the items",
    ),
    (lambda: loose.Definition.parse(5), DefinitionError, "a name or a signature; got 5"),
    (lambda: loose.compare([0, 1], [[0, 1]]), InputError, "systems must be a mapping"),
    (
        lambda: loose.explain(wf.count_multilabel([{"a"}], [{"a"}]), "0.67"),
        InputError,
        "sets of labels",
    ),
    (
        lambda: loose.f1([0], [0], average="macro", epsilon=1e-7, undefined=1),
        DefinitionError,
        "nothing is divided by 0",
    ),
    (lambda: loose.supremum(0), InputError, "at least 1"),
    (lambda: loose.extremal(1, 5), InputError, "at least 2"),
    (lambda: loose.precision_recall_f1([3.0], [0.0], 2), LabelError, r"y_pred\[0\] is 3"),
    (lambda: loose.macro_f1([0], [0], average="micro"), DefinitionError, "omit average="),
    (lambda: loose.averaged_f1(wf.count([0], [0]), [0]), InputError, "pass Counts alone"),
    (lambda: loose.accuracy([0], [0]) < wf.mcc([0], [0]), DefinitionError, "metric accuracy / mcc"),
]


@pytest.mark.parametrize(("call", "error", "message"), BAD, ids=range(len(BAD)))
def test_bad_input_gets_a_clear_error(
    call: Callable[[], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        call()
    assert isinstance(caught.value, WhichF1Error)


@pytest.mark.parametrize(
    "weights",
    [
        np.array([1 + 2j, 3 + 4j]),
        [1 + 2j, 3],
        ["1", "2"],
        np.array(["1", "2"]),
        np.array([1, 2], "M8[s]"),
        np.array([1, 2], "m8[s]"),
    ],
)
@pytest.mark.parametrize("option", ["weights", "frequencies"])
def test_what_only_converts_to_numbers_is_no_weight(weights: object, option: str) -> None:
    with pytest.raises(wf.errors.WeightError, match="must be numbers"):
        loose.accuracy([0, 1], [0, 1], **{option: weights})


def test_what_cannot_be_a_label_is_not_among_no_labels() -> None:
    odd: Any = []
    assert odd not in wf.Counts.empty().labels
    with pytest.raises(LabelError):
        wf.Ranking.empty([], positive=[])
