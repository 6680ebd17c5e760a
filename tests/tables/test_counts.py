"""Counting: every kind of input that means something, and an error for what does not."""

from __future__ import annotations

import copy
import json
import math
import pickle
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whichf1 as wf
from whichf1.errors import (
    DefinitionError,
    FileError,
    InputError,
    LabelError,
    MergeError,
    ShapeError,
    TooLargeError,
    WeightError,
    WhichF1Error,
)

TRUE, PRED = [0, 1, 2, 1], [0, 2, 2, 1]
EXPECTED = [[1, 0, 0], [0, 1, 1], [0, 0, 1]]


CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "numpy": np.array,
    "numpy objects": lambda x: np.array(x, object),
    "list of numpy scalars": lambda x: list(np.array(x)),
    "pandas": pd.Series,
    "pandas nullable": lambda x: pd.Series(x).convert_dtypes(),
    "pandas categorical": lambda x: pd.Series(x).astype("category"),
    "pandas index": pd.Index,
    "polars": pl.Series,
    "arrow": pa.array,
    "arrow chunks": lambda x: pa.chunked_array([x[:1], x[1:]]),
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_containers_of_labels(container):
    make = CONTAINERS[container]
    counts = wf.count(make(TRUE), make(PRED))
    assert counts.labels == (0, 1, 2)
    assert counts.matrix.tolist() == EXPECTED
    words = [["a", "b", "c"][x] for x in TRUE], [["a", "b", "c"][x] for x in PRED]
    counts = wf.count(*map(make, words))
    assert counts.labels == ("a", "b", "c")
    assert counts.matrix.tolist() == EXPECTED
    bools = [x > 0 for x in TRUE], [x > 0 for x in PRED]
    counts = wf.count(*map(make, bools))
    assert counts.labels == (False, True)
    assert counts.labels.kind == "bool"
    assert counts.matrix.tolist() == [[1, 0], [0, 3]]


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int16", "int32", "int64", "bfloat16"])
def test_torch_tensors(dtype):
    import torch

    tensor = torch.tensor([0, 1, 1], dtype=getattr(torch, dtype))
    assert wf.count(tensor, tensor).matrix.tolist() == [[1, 0], [0, 2]]
    assert wf.count(tensor.float().requires_grad_(), tensor.float()).n == 3


def test_jax_arrays():
    import jax.numpy as jnp

    y, p = jnp.array([0, 1, 1]), jnp.array([0.0, 1.0, 0.0])
    assert wf.count(y, p).matrix.tolist() == [[1, 0], [1, 1]]
    table = wf.precision_recall_f1(p, y, 2)
    assert isinstance(table, jnp.ndarray) and table.dtype == p.dtype
    assert table.shape == (3, 3)


def test_polars_strings_and_floats():
    assert wf.count(pl.Series([1.0, 2.0]), pl.Series([1, 2])).labels == (1, 2)
    assert wf.count(np.array([3.0]), [3]).labels == (3,)
    assert wf.count([3.0, 4], [3, 4.0]).labels == (3, 4)
    assert wf.count(np.array(["b", "a"]), ["b", "a"]).labels == ("a", "b")


integer_types = [f"{sign}int{width}" for sign in ("", "u") for width in (8, 16, 32, 64)]


@given(st.data(), st.sampled_from(integer_types), st.sampled_from(integer_types))
def test_integers_of_every_width_and_at_the_edges(data, left, right):
    def column(dtype):
        info = np.iinfo(dtype)
        edges = [info.min, info.min + 1, 0, 1, 2, info.max - 1, info.max]
        values = st.sampled_from(edges) | st.integers(max(info.min, -3), 3)
        return data.draw(st.lists(values, min_size=5, max_size=5))

    y, p = column(left), column(right)
    counts = wf.count(np.array(y, left), np.array(p, right))
    assert list(counts.labels) == sorted({*y, *p})
    for i, true in enumerate(counts.labels):
        for j, predicted in enumerate(counts.labels):
            wanted = sum(a == true and b == predicted for a, b in zip(y, p, strict=True))
            assert counts.matrix[i, j] == wanted


def test_layouts_and_byte_orders():
    y = np.arange(20, dtype=">i4")[::-2] % 3
    read_only = y.astype("<i2")
    read_only.flags.writeable = False
    assert wf.count(y, read_only).matrix.trace() == 10
    assert wf.count(np.broadcast_to(np.int8(1), 5), [1] * 5).n == 5


def test_declared_labels_keep_their_order_and_may_be_empty_classes():
    counts = wf.count(["b", "a"], ["b", "b"], labels=["c", "b", "a"])
    assert counts.labels == ("c", "b", "a")
    assert counts.matrix.tolist() == [[0, 0, 0], [0, 1, 0], [0, 1, 0]]
    assert wf.count([1], [1], labels=range(3)).labels == (0, 1, 2)
    assert wf.count([1.0], [1], labels=[0.0, 1.0]).labels == (0, 1)


def test_an_item_of_weight_0_keeps_its_label():
    counts = wf.count([0, 1], [0, 2], weights=[1, 0])
    assert counts.labels == (0, 1, 2)
    assert counts.n == 1.0


def test_a_hundred_thousand_classes_cost_what_their_cells_cost():
    y = np.arange(100_000)
    counts = wf.count(y, np.roll(y, 1))
    assert len(counts.count) == 100_000
    assert wf.averaged_f1(counts).value == 0
    assert wf.mcc(counts).value == pytest.approx(-1 / 99_999)
    with pytest.raises(TooLargeError, match=r"100,000 × 100,000 matrix would need 80.0 GB"):
        _ = counts.matrix
    with pytest.raises(TooLargeError, match="terms"):
        _ = wf.macro_f1(counts).terms


def test_per_class_counts():
    c = wf.count(TRUE, PRED).per_class()
    assert [x.tolist() for x in (c.tp, c.fp, c.fn, c.tn)] == [
        [1, 1, 1],
        [0, 0, 1],
        [0, 1, 0],
        [3, 2, 2],
    ]
    assert c.tp.dtype == np.int64
    huge = wf.Counts.from_matrix([[2**62, 1], [0, 3]], rows="true")
    assert huge.per_class().tp.tolist() == [2**62, 3]
    assert huge.n == 2**62 + 4


def test_n_is_exact_beyond_the_precision_of_a_float():
    counts = wf.Counts.from_matrix([[2**53 + 1, 0], [0, 2]], rows="true")
    assert wf.accuracy(counts).n == 2**53 + 3


def test_matrix_orientation():
    by_prediction = wf.Counts.from_matrix([[5, 10], [1, 2]], rows="predicted", labels=["a", "b"])
    assert by_prediction.matrix.tolist() == [[5, 1], [10, 2]]
    assert by_prediction == wf.Counts.from_matrix([[5, 1], [10, 2]], rows="true", labels=["a", "b"])


def test_counts_are_immutable_and_print():
    counts = wf.count(TRUE, PRED)
    with pytest.raises(AttributeError, match="immutable"):
        counts.labels = ()
    with pytest.raises(ValueError, match="read-only"):
        counts.count[0] = 7
    assert repr(counts) == "<Counts: 4 items in 3 classes [0, 1, 2]>"
    assert counts != 3


labels_of_one_type = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1),
    st.lists(st.text(), min_size=1),
    st.lists(st.booleans(), min_size=1),
)


@given(labels_of_one_type, st.booleans())
def test_saved_counts_come_back(tmp_path_factory, labels, weighted):
    path = tmp_path_factory.mktemp("counts") / "c.json"
    weights = [0.1 * (i + 1) for i in range(len(labels))] if weighted else None
    counts = wf.count(labels, labels[::-1], weights=weights)
    counts.save(path)
    again = wf.Counts.load(path)
    assert again == counts
    assert again.labels.kind == counts.labels.kind
    assert list(path.parent.iterdir()) == [path]


def test_merging_under_declared_labels():
    declared = wf.count([0], [0], labels=range(3))
    assert (declared + wf.count([2], [1])).labels == (0, 1, 2)
    assert (wf.count([2], [1]) + declared).declared
    for other, message in [
        (wf.count([0], [0], labels=range(4)), "different declared classes"),
        (wf.count([3], [0]), "label 3 of one part is not declared"),
        (wf.count(["a"], ["a"]), "labels of one part are int, those of the other str"),
        (wf.count([0], [0], weights=[1.0]), "one part was counted with weights"),
    ]:
        with pytest.raises(MergeError, match=message):
            _ = declared + other
    with pytest.raises(TypeError):
        _ = declared + 1


BAD = [
    (lambda: wf.count([0, 1], [0]), ShapeError, "y_true has 2 items, y_pred has 1"),
    (lambda: wf.count([], []), ShapeError, "there are no items"),
    (lambda: wf.count(np.array([]), np.array([])), ShapeError, "there are no items"),
    (lambda: wf.count([0, None], [0, 1]), LabelError, r"y_true\[1\] is missing \(None\)"),
    (lambda: wf.count(["a", "b"], ["a", None]), LabelError, r"y_pred\[1\] is missing"),
    (lambda: wf.count([0, 1], [0, math.nan]), LabelError, r"y_pred\[1\] is missing \(nan\)"),
    (lambda: wf.count(np.array([0, np.nan]), [0, 1]), LabelError, r"y_true\[1\] is missing"),
    (lambda: wf.count(pd.array([1, None], "Int64"), [1, 1]), LabelError, r"y_true\[1\] is missing"),
    (lambda: wf.count(pl.Series([1, None]), [1, 1]), LabelError, r"y_true\[1\] is missing"),
    (lambda: wf.count(pa.array(["a", None]), ["a", "a"]), LabelError, r"y_true\[1\] is missing"),
    (
        lambda: wf.count([1, 2, "1"], [1, 1, 1]),
        LabelError,
        r"y_true\[0\] is 1 \(int\), y_true\[2\] is '1' \(str\)",
    ),
    (
        lambda: wf.count([1, True], [1, 1]),
        LabelError,
        r"y_true\[0\] is 1 \(int\), y_true\[1\] is True \(bool\)",
    ),
    (lambda: wf.count([1, 0], ["1", "0"]), LabelError, r"1 \(int\), y_pred\[0\] is '1' \(str\)"),
    (lambda: wf.count([1], [True]), LabelError, r"y_true\[0\] is 1 \(int\), y_pred\[0\] is True"),
    (lambda: wf.count([0, 1.5], [0, 1]), LabelError, r"y_true\[1\] is .*1.5.*whole number"),
    (lambda: wf.count(np.array([0.5]), [0]), LabelError, r"y_true\[0\] is .*0.5.*whole number"),
    (lambda: wf.count(np.array([np.inf]), [0]), LabelError, r"whole number"),
    (lambda: wf.count([1e300], [0]), LabelError, r"whole number"),
    (lambda: wf.count([2**70], [0]), LabelError, "must fit 64 bits"),
    (lambda: wf.count([b"a"], [b"a"]), LabelError, "decode bytes"),
    (lambda: wf.count(np.array([b"a"]), [0]), LabelError, "decode bytes"),
    (lambda: wf.count([1j], [0]), LabelError, "no label"),
    (lambda: wf.count(np.array(["2020"], "M8[Y]"), [0]), LabelError, "cannot be labels"),
    (lambda: wf.count([0, 7], [0, 0], labels=[0, 1]), LabelError, r"y_true\[1\] is 7 \(int\)"),
    (lambda: wf.count([0, 1], [0, "x"], labels=[0, 1]), LabelError, "mixes label types"),
    (
        lambda: wf.count([0], [0], labels=["0"]),
        LabelError,
        r"y_true\[0\] is 0 \(int\), which is not",
    ),
    (
        lambda: wf.count([0], [0], labels=[0, 1, 0]),
        LabelError,
        "declared twice, at positions 0 and 2",
    ),
    (lambda: wf.count([0], [0], labels=[0, "1"]), LabelError, "labels mix types"),
    (lambda: wf.count([0], [0], labels=3), LabelError, r"labels=range\(3\)"),
    (lambda: wf.count([0], [0], labels="ab"), LabelError, "must be a list"),
    (lambda: wf.count(np.zeros((2, 2)), [0, 1]), ShapeError, r"got shape \(2, 2\).*argmax"),
    (lambda: wf.count([[0, 1], [1, 0]], [0, 1]), ShapeError, r"got shape \(2, 2\)"),
    (lambda: wf.count([[0], [1, 2]], [0, 1]), ShapeError, "one dimension"),
    (lambda: wf.count(np.array(3), [0]), ShapeError, "one dimension"),
    (lambda: wf.count(5, [0]), ShapeError, "must be a sequence"),
    (lambda: wf.count({0: 1}, [0]), ShapeError, "must be a sequence"),
    (lambda: wf.count([0], None), InputError, "got list alone"),
    (lambda: wf.count([0], [0], weights=[math.nan]), WeightError, r"weights\[0\] is nan"),
    (lambda: wf.count([0, 0], [0, 0], weights=[1, -1]), WeightError, r"weights\[1\] is -1"),
    (lambda: wf.count([0], [0], weights=[math.inf]), WeightError, "finite"),
    (lambda: wf.count([0], [0], weights=[1, 2]), ShapeError, r"weights have shape \(2,\)"),
    (lambda: wf.count([0], [0], weights=["x"]), WeightError, "must be numbers"),
    (lambda: wf.count([0], [0], true="x"), InputError, "name the columns of a file"),
    (lambda: wf.Counts.from_matrix([[1, 2]], rows="true"), ShapeError, r"square.*\(1, 2\)"),
    (lambda: wf.Counts.from_matrix([], rows="true"), ShapeError, "square"),
    (lambda: wf.Counts.from_matrix([[1, 2], [3]], rows="true"), ShapeError, "square"),
    (lambda: wf.Counts.from_matrix([[-1]], rows="true"), InputError, r"cell \[0, 0\] is -1"),
    (lambda: wf.Counts.from_matrix([[math.nan]], rows="true"), InputError, "is nan"),
    (
        lambda: wf.Counts.from_matrix([[0, 0.5], [1, 1]], rows="true"),
        InputError,
        r"\[0, 1\] is 0.5",
    ),
    (lambda: wf.Counts.from_matrix([["a"]], rows="true"), InputError, "holds counts"),
    (lambda: wf.Counts.from_matrix([[1]], rows="gold"), InputError, "no default"),
    (lambda: wf.Counts.from_matrix([[1]], rows="true", labels=[1, 2]), ShapeError, "1 classes"),
    (lambda: wf.accuracy(wf.Counts.from_matrix([[0]], rows="true")), ShapeError, "no items"),
    (lambda: wf.precision([0], [0]), DefinitionError, "precision of which class"),
    (lambda: wf.recall([0], [0], positive=5), LabelError, "there is no class 5"),
    (lambda: wf.recall(["cat"], ["cat"], positive="cats"), LabelError, "Did you mean \"'cat'\""),
    (lambda: wf.f1([0], [0], average="marco"), DefinitionError, "Did you mean 'macro'"),
    (lambda: wf.f1([0], [0], averge="macro"), DefinitionError, "Did you mean 'average'"),
    (
        lambda: wf.f1([0], [0], average="macro", undefined=2),
        DefinitionError,
        "0, 1, 'skip' or 'nan'",
    ),
    (lambda: wf.f1([0], [0], average="macro", scope="full"), DefinitionError, "scope cannot be"),
    (lambda: wf.f1([0], [0], average="macro", classes="all"), DefinitionError, "classes cannot be"),
    (lambda: wf.f1([0], [0], average="macro", classes=[]), DefinitionError, "empty list"),
    (lambda: wf.f1([0], [0], average="macro", classes=[9]), LabelError, "no class 9"),
    (
        lambda: wf.f1([0], [0], average="macro", exclude=[0]),
        DefinitionError,
        "no classes to average over",
    ),
    (lambda: wf.f1([0], [0], average="macro", ignore=[0]), ShapeError, "all ignored"),
    (lambda: wf.f1(["a"], ["a"], average="macro", classes="range"), LabelError, "integers"),
    (lambda: wf.f1([0], [0], average="macro", positive=0), DefinitionError, "Choose one"),
    (lambda: wf.accuracy([0], [0], average="macro"), DefinitionError, "does not apply to accuracy"),
    (lambda: wf.accuracy([0], [0], undefined=1), DefinitionError, "it is never undefined"),
    (
        lambda: wf.recall([0], [0], average="macro", formula="averaged"),
        DefinitionError,
        "only one formula",
    ),
    (
        lambda: wf.recall([0], [0], average="macro", undefined=1, scope="no-hits"),
        DefinitionError,
        "only one division",
    ),
    (lambda: wf.f_beta([0], [0], average="macro", beta=-1), DefinitionError, "at least 0; got -1"),
    (lambda: wf.f_beta([0], [0], average="macro", beta=math.inf), DefinitionError, "finite"),
    (lambda: wf.f1([0], [0], average="macro", beta=2), DefinitionError, "no option 'beta'"),
    (lambda: wf.cohen_kappa([0], [0], weighting="cubic"), DefinitionError, "must be one of"),
    (lambda: wf.accuracy([0], [0], interval="wilsom"), DefinitionError, "no interval method"),
    (
        lambda: wf.accuracy([0], [0], interval=wf.Delta(level=95)),
        DefinitionError,
        "between 0 and 1",
    ),
    (lambda: wf.score([0], [0], "acuracy"), DefinitionError, "Did you mean 'accuracy'"),
    (lambda: wf.score([0], [0], 3), DefinitionError, "a name or a signature"),
    (lambda: wf.score([0]), DefinitionError, "call score"),
    (lambda: wf.accuracy.per_class([0], [0]), DefinitionError, "whole table"),
    (lambda: wf.f1.per_class([0], [0], average="macro"), DefinitionError, "Drop average="),
    (lambda: wf.Definition.parse("f1|avg"), DefinitionError, "is not 'key:value'"),
    (lambda: wf.Definition.parse("f1|avg:macro|avg:micro"), DefinitionError, "appears twice"),
    (
        lambda: wf.Definition.parse("f1|avg:macro|average:micro"),
        DefinitionError,
        "are the same field",
    ),
    (lambda: wf.Definition.parse("f1|data:1"), DefinitionError, "unknown field 'data'"),
    (
        lambda: wf.Definition.parse("f1|avg:macro|colour:red"),
        DefinitionError,
        "unknown field 'colour'",
    ),
    (lambda: wf.Definition.parse("f1|avg:macro|v:99"), DefinitionError, "has version 99"),
    (lambda: wf.Definition.parse("f1|positive:cat"), DefinitionError, 'positive:"cat"'),
    (
        lambda: wf.Definition.parse("f1|positive:NaN|avg:;"),
        DefinitionError,
        "neither a word nor JSON",
    ),
    (lambda: wf.Definition.parse("f1|avg:macro|level:0.9"), DefinitionError, "without an interval"),
    (lambda: wf.Definition.parse("f_beta(gamma=2)"), DefinitionError, "no parameter 'gamma'"),
    (lambda: wf.Definition.parse(""), DefinitionError, "is not a metric"),
    (lambda: wf.bounds(1.2, 0.5), InputError, "precision must lie in"),
    (lambda: wf.bounds(1, 0.1, 2), InputError, "no table of 2 classes"),
    (
        lambda: wf.brier(["a", "b", "c"], [[0.5, 0.3, 0.2]] * 3, positive="a"),
        DefinitionError,
        "leave positive= out",
    ),
    (lambda: wf.log_loss([0, 1], [0.1, 0.9], floor=2), DefinitionError, "from 0 to 0.5"),
    (
        lambda: wf.roc_auc(wf.rank([0, 1], [0.1, 0.9], weights=[1, 2]), interval="delta"),
        DefinitionError,
        "weighted items needs the items",
    ),
    (lambda: wf.Definition.parse(5), DefinitionError, "a name or a signature; got 5"),
    (lambda: wf.compare([0, 1], [[0, 1]]), InputError, "systems must be named"),
    (
        lambda: wf.explain(wf.count_multilabel([{"a"}], [{"a"}]), "0.67"),
        InputError,
        "sets of labels",
    ),
    (
        lambda: wf.f1([0], [0], average="macro", epsilon=1e-7, undefined=1),
        DefinitionError,
        "nothing is divided by 0",
    ),
    (lambda: wf.supremum(0), InputError, "at least 1"),
    (lambda: wf.extremal(1, 5), InputError, "at least 2"),
    (lambda: wf.precision_recall_f1([3.0], [0.0], 2), LabelError, r"y_pred\[0\] is 3"),
    (lambda: wf.macro_f1([0], [0], average="micro"), DefinitionError, "leave average= out"),
    (lambda: wf.averaged_f1(wf.count([0], [0]), [0]), InputError, "give Counts alone"),
    (lambda: wf.accuracy([0], [0]) < wf.mcc([0], [0]), DefinitionError, "metric accuracy / mcc"),
]


@pytest.mark.parametrize(("call", "error", "message"), BAD, ids=range(len(BAD)))
def test_bad_input_gets_a_clear_error(call, error, message):
    with pytest.raises(error, match=message) as caught:
        call()
    assert isinstance(caught.value, WhichF1Error)


GOOD_FILE = {
    "format": "whichf1.counts",
    "version": 1,
    "labels": ["a", "b"],
    "declared": True,
    "weighted": False,
    "true": [0, 1],
    "predicted": [1, 1],
    "count": [3, 4],
}
DAMAGE = [
    "",
    "{",
    "[]",
    "{}",
    json.dumps({**GOOD_FILE, "version": 2}),
    json.dumps({**GOOD_FILE, "true": [0, 7]}),
    json.dumps({**GOOD_FILE, "true": [0, -1]}),
    json.dumps({**GOOD_FILE, "true": [0, 0.5]}),
    json.dumps({**GOOD_FILE, "true": [0]}),
    json.dumps({**GOOD_FILE, "true": 3}),
    json.dumps({**GOOD_FILE, "count": [3, -4]}),
    json.dumps({**GOOD_FILE, "count": [3, 4.5]}),
    json.dumps({**GOOD_FILE, "count": [3, True]}),
    json.dumps({**GOOD_FILE, "count": [3, "4"]}),
    json.dumps({**GOOD_FILE, "weighted": True, "count": [3, math.nan]}),
    json.dumps({**GOOD_FILE, "labels": ["a", "a"]}),
    json.dumps({**GOOD_FILE, "labels": ["a", 1]}),
    json.dumps({**GOOD_FILE, "labels": None}),
    json.dumps({key: value for key, value in GOOD_FILE.items() if key != "count"}),
    json.dumps(GOOD_FILE)[:-20],
]


@pytest.mark.parametrize("text", DAMAGE, ids=range(len(DAMAGE)))
def test_a_damaged_counts_file_is_refused(tmp_path, text):
    path = tmp_path / "counts.json"
    path.write_text(json.dumps(GOOD_FILE))
    assert wf.Counts.load(path).n == 7
    path.write_text(text)
    with pytest.raises(FileError, match=r"is not a complete file of counts"):
        wf.Counts.load(path)
    with pytest.raises(FileError, match="cannot read counts"):
        wf.Counts.load(tmp_path / "missing.json")


def test_nothing_half_written_is_left_behind(tmp_path, monkeypatch):
    path = tmp_path / "counts.json"
    wf.count([0], [0]).save(path)
    before = path.read_text()
    with pytest.raises(FileError, match="cannot write"):
        wf.count([0], [0]).save(tmp_path / "no such folder" / "counts.json")

    def interrupted(*_args, **_kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        wf.count([1, 1], [1, 1]).save(path)
    assert path.read_text() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "again", [lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy]
)
@pytest.mark.parametrize("own", [{}, {"weights": [1, 2, 0.5]}, {"cluster": ["x", "y", "x"]},
                                 {"labels": ["c", "b", "a"]}])  # fmt: skip
def test_counts_go_to_other_processes(again, own):
    counts = wf.count(["a", "b", "b"], ["a", "b", "a"], **own)
    found = again(counts)
    assert found == counts and type(found) is type(counts) and found.to_json() == counts.to_json()
    assert wf.accuracy(found, interval="delta") == wf.accuracy(counts, interval="delta")
    assert found + counts == counts + found == counts + counts
    assert not found.count.flags.writeable
    decided = wf.at_threshold(wf.rank([0, 1], [0.2, 0.7]), threshold=0.5)
    assert again(decided).decision == decided.decision
    slices = wf.Slices(("lang",), {("en",): counts})
    assert again(slices)["en"] == counts


def test_the_exception_tree_is_the_one_drawn():
    import inspect

    from whichf1 import errors

    drawn = errors.__doc__
    for name, each in vars(errors).items():
        if inspect.isclass(each) and issubclass(each, WhichF1Error):
            assert name in drawn


def test_importing_is_light():
    import subprocess

    heavy = {"scipy", "duckdb", "typer", "rich", "narwhals"}
    code = f"import sys, whichf1; print(*{heavy} & set(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == ""


def test_a_score_of_lists_loads_what_it_needs():
    import subprocess

    heavy = {
        *("whichf1.sources.engines.frames", "whichf1.sources.engines.database"),
        *("whichf1.tables.saving", "whichf1.statistics.influence"),
    }
    scored = "import sys, whichf1; whichf1.averaged_f1(['a', 'b'], ['a', 'a'])"
    code = f"{scored}; print(*{heavy} & set(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == ""
