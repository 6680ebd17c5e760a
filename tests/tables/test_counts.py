"""Counting: every kind of input that means something."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers.peak import calls_of
from tests.helpers.samples import present
from whichf1.errors import InputError, LabelError, MergeError, TooLargeError

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
def test_containers_of_labels(container: str) -> None:
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
def test_torch_tensors(dtype: str) -> None:
    import torch

    tensor = torch.tensor([0, 1, 1], dtype=getattr(torch, dtype))
    assert wf.count(tensor, tensor).matrix.tolist() == [[1, 0], [0, 2]]
    assert wf.count(tensor.float().requires_grad_(), tensor.float()).n == 3


def test_jax_arrays() -> None:
    import jax.numpy as jnp

    y, p = jnp.array([0, 1, 1]), jnp.array([0.0, 1.0, 0.0])
    assert wf.count(y, p).matrix.tolist() == [[1, 0], [1, 1]]
    table = wf.precision_recall_f1(p, y, 2)
    assert isinstance(table, jnp.ndarray) and table.dtype == p.dtype
    assert table.shape == (3, 3)


def test_polars_strings_and_floats() -> None:
    assert wf.count(pl.Series([1.0, 2.0]), pl.Series([1, 2])).labels == (1, 2)
    assert wf.count(np.array([3.0]), [3]).labels == (3,)
    assert wf.count([3.0, 4], [3, 4.0]).labels == (3, 4)
    assert wf.count(np.array(["b", "a"]), ["b", "a"]).labels == ("a", "b")


integer_types = [f"{sign}int{width}" for sign in ("", "u") for width in (8, 16, 32, 64)]


@settings(max_examples=60)
@given(st.data(), st.sampled_from(integer_types), st.sampled_from(integer_types))
def test_integers_of_every_width_and_at_the_edges(data: Any, left: Any, right: Any) -> None:
    def column(dtype: str) -> Any:
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


def test_layouts_and_byte_orders() -> None:
    y = np.arange(20, dtype=">i4")[::-2] % 3
    read_only = y.astype("<i2")
    read_only.flags.writeable = False
    assert wf.count(y, read_only).matrix.trace() == 10
    assert wf.count(np.broadcast_to(np.int8(1), 5), [1] * 5).n == 5


def test_declared_labels_keep_their_order_and_may_be_empty_classes() -> None:
    counts = wf.count(["b", "a"], ["b", "b"], labels=["c", "b", "a"])
    assert counts.labels == ("c", "b", "a")
    assert counts.matrix.tolist() == [[0, 0, 0], [0, 1, 0], [0, 1, 0]]
    assert wf.count([1], [1], labels=range(3)).labels == (0, 1, 2)
    assert wf.count([1.0], [1], labels=[0.0, 1.0]).labels == (0, 1)


def test_an_item_of_weight_0_is_no_item() -> None:
    counts = wf.count([0, 1], [0, 2], weights=[1, 0])
    assert counts == wf.count([0], [0], weights=[1]) and counts.n == 1.0
    assert wf.count([0, 1], [0, 2], weights=[1, 0], labels=range(3)).labels == (0, 1, 2)
    sets = wf.count_multilabel([{"a"}, {"b"}], [{"a"}, {"c"}], weights=[1, 0])
    assert sets == wf.count_multilabel([{"a"}], [{"a"}], weights=[1])


def test_a_hundred_thousand_classes_cost_what_their_cells_cost() -> None:
    y = np.arange(100_000)
    counts = wf.count(y, np.roll(y, 1))
    assert len(counts.count) == 100_000
    assert wf.averaged_f1(counts).value == 0
    assert wf.mcc(counts).value == pytest.approx(-1 / 99_999)
    with pytest.raises(TooLargeError, match=r"100,000 × 100,000 matrix would need 80.0 GB"):
        _ = counts.matrix
    with pytest.raises(TooLargeError, match="terms"):
        _ = wf.macro_f1(counts).terms


def test_per_class_counts() -> None:
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


def test_n_is_exact_beyond_the_precision_of_a_float() -> None:
    counts = wf.Counts.from_matrix([[2**53 + 1, 0], [0, 2]], rows="true")
    assert wf.accuracy(counts).n == 2**53 + 3


def test_matrix_orientation() -> None:
    by_prediction = wf.Counts.from_matrix([[5, 10], [1, 2]], rows="predicted", labels=["a", "b"])
    assert by_prediction.matrix.tolist() == [[5, 1], [10, 2]]
    assert by_prediction == wf.Counts.from_matrix([[5, 1], [10, 2]], rows="true", labels=["a", "b"])


def test_counts_are_immutable_and_print() -> None:
    counts = wf.count(TRUE, PRED)
    with pytest.raises(AttributeError, match="immutable"):
        setattr(counts, "labels", ())  # noqa: B010
    with pytest.raises(ValueError, match="read-only"):
        counts.count[0] = 7
    assert repr(counts) == "<Counts: 4 items in 3 classes [0, 1, 2]>"
    assert counts != 3


def test_merging_under_declared_labels() -> None:
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


def test_more_items_than_64_bits_count_are_refused() -> None:
    with pytest.raises(InputError, match=r"9.22e\+18 items, but fewer than 2\*\*63"):
        wf.Counts.from_matrix([[2**62, 1], [1, 2**62]], rows="true")
    half = wf.Counts.from_matrix([[2**62, 0], [0, 1]], rows="true")
    assert half.n == 2**62 + 1
    with pytest.raises(InputError, match="does not change the score"):
        _ = half + half


PADDED: Any = ([0, 1, 2, -100], [0, 1, 2, 0])


def test_padding_is_dropped_with_its_class() -> None:
    """As torchmetrics' ignore_index: items of that true class are dropped."""
    for labels in (None, range(3)):
        score = wf.averaged_f1(*PADDED, ignore=[-100], labels=labels)
        assert (score.value, score.n, list(score.classes)) == (1, 3, [0, 1, 2])
        assert wf.macro_f1(*PADDED, ignore=[-100], labels=labels).averaged == score
        pair = wf.compare(
            PADDED[0],
            {"A": PADDED[1], "B": [0, 0, 2, 1]},
            "averaged_f1",
            ignore=[-100],
            labels=labels,
        )
        assert pair.scores["A"].value == 1 and pair.scores["B"].value == pytest.approx(5 / 9)
        assert wf.averaged_f1(*PADDED, ignore=[-100], labels=labels, batch=2).value > 0
    assert wf.count(*PADDED, ignore=[-100], labels=range(3)).matrix.tolist() == np.eye(3).tolist()
    without = wf.count([0, 1], [0, 1])
    assert wf.averaged_f1(without, ignore=[-100]).value == 1  # a batch without padding
    with pytest.raises(LabelError, match="there is no class '-100'"):
        wf.averaged_f1(without, ignore=["-100"])


def test_batches_with_padding_are_added() -> None:
    counts = wf.Counts.empty(range(3))
    for y, p in (PADDED, ([2, -100], [1, 1]), ([0], [0])):
        counts = counts.update(y, p, ignore=[-100])
    assert counts == wf.count([0, 1, 2, 2, 0], [0, 1, 2, 1, 0], labels=range(3))


def test_a_prediction_is_never_ignored() -> None:
    """An item predicted as padding is an error of its class, and padding is then a class."""
    score = wf.averaged_f1([0, 1, -100], [0, -100, 0], ignore=[-100])
    assert list(score.classes) == [-100, 0, 1] and score.value == pytest.approx(1 / 3)
    with pytest.raises(LabelError, match="-100 is not among the declared ones"):
        wf.averaged_f1([0, 1, -100], [0, -100, 0], ignore=[-100], labels=[0, 1])
    declared = wf.averaged_f1(*PADDED, ignore=[-100], labels=[-100, 0, 1, 2])
    assert declared.value == 0.75  # a declared class stays in the mean


PARTS: dict[str, Callable[[list[str]], Any]] = {
    "counts": lambda names: wf.count(names, names[::-1]),
    "clusters": lambda names: wf.count(names, names[::-1], cluster=names),
    "weights": lambda names: wf.count(names, names[::-1], weights=[0.5] * len(names)),
    "sets": lambda names: wf.count_multilabel([{x} for x in names], [{x, "c"} for x in names]),
    "ranking": lambda names: wf.rank(
        [x == names[0] for x in names], [int.from_bytes(x.encode()) % 2**50 for x in names]
    ),
}
"""Parts of a sum, each with classes, clusters or scores of its own."""


def parts_of(kind: str, number: int, size: int = 8) -> list[Any]:
    names = [[f"c{part}-{at}" for at in range(size)] for part in range(number)]
    return [PARTS[kind](each) for each in names]


def _items_of_sum(parts: Any) -> Any:
    whole: Any = sum(parts)
    return whole.n


@pytest.mark.parametrize("kind", PARTS)
@pytest.mark.thinned(3)
def test_merging_parts_is_not_quadratic(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bytes that are moved and the functions that are called grow like n log n at most."""
    moved = 0
    concatenate = np.concatenate

    def counted(arrays: Any, *options: Any) -> Any:
        nonlocal moved
        joined = concatenate(arrays, *options)
        moved += joined.nbytes
        return joined

    monkeypatch.setattr(np, "concatenate", counted)
    work: dict[int, tuple[int, int]] = {}
    for number in (100, 200, 400, 800):
        parts, moved = parts_of(kind, number), 0
        calls = calls_of(partial(_items_of_sum, parts))
        work[number] = moved, calls
    (bytes_before, calls_before), (bytes_after, calls_after) = work[200], work[800]
    assert 0 < bytes_after < 5.5 * bytes_before, work  # n log n is 5.05, quadratic is 16
    assert calls_after < 5 * calls_before, work


@pytest.mark.parametrize("kind", PARTS)
@pytest.mark.thinned(2)
def test_a_sum_that_waits_is_the_same_as_one_that_does_not(kind: str) -> None:
    """Whether anything looks at a sum before the next part comes makes no difference."""
    parts = parts_of(kind, 150, 20)
    looked = parts[0]
    for part in parts[1:]:
        looked = looked + part
        assert len(looked.labels) and looked.n
    for other in (sum(parts), sum(parts[90:]) + sum(parts[:90]), sum(parts[::-1])):
        assert other == looked == pickle.loads(pickle.dumps(sum(parts)))
    assert repr(sum(parts)) == repr(looked)
    with pytest.raises(AttributeError, match=r"ha(s no attribute|ve no) 'no_such'"):
        _ = sum(parts).no_such


def test_a_long_stream_of_batches_does_not_pile_up() -> None:
    counts, batch = wf.Counts.empty(), wf.count([0, 1, 2], [0, 2, 1])
    for _ in range(5000):
        counts = counts + batch
        assert len(counts._parts) <= 2
    assert counts.n == 15_000 and len(counts.count) == 3


LINES = st.tuples(
    st.integers(0, 2), st.integers(0, 2), st.sampled_from(["2", "10", "x"]), st.integers(1, 4)
)


@settings(max_examples=50)
@given(st.lists(LINES, max_size=8), st.lists(LINES, min_size=1, max_size=8), st.booleans())
def test_parts_with_clusters_and_weights_add_up_to_the_whole(
    left: Any, right: Any, sets: bool
) -> None:
    def counted(lines: Any) -> wf.Counts | wf.MultiLabelCounts:
        true, predicted, cluster, weights = ([line[at] for line in lines] for at in range(4))
        facts: Any = {"labels": range(4), "weights": [x / 4 for x in weights]}
        if not sets:
            return wf.count(true, predicted, **facts, cluster=cluster)
        return wf.count_multilabel([{x, 3} for x in true], [{x} for x in predicted], **facts)

    whole = counted(left + right)
    empty = whole.changed(count=0 * whole.count, squares=0 * present(whole.squares))
    assert not len(empty.count)
    parts = [counted(left) if left else empty, counted(right)]
    for both in (parts[0] + parts[1], parts[1] + parts[0]):
        assert both == whole
        np.testing.assert_array_equal(present(both.squares), present(whole.squares))
    if not sets:
        names = {line[2] for line in left + right}
        in_order = ("10", "2", "x") if "x" in names else ("2", "10")  # as numbers if all are
        assert whole.cluster_names == tuple(name for name in in_order if name in names)
        assert whole.clusters == len(names)


@pytest.mark.parametrize("weighted", [False, True])
def test_counts_of_nothing_add_nothing(weighted: bool) -> None:
    empty = wf.Counts.empty([0, 1], weighted=weighted)
    assert [len(x) for x in (empty.true, empty.predicted, empty.count)] == [0, 0, 0]
    assert (empty.n, empty.weighted) == (0, weighted)
    some = wf.count([0, 1], [0, 0], labels=[0, 1], weights=[0.5, 1] if weighted else None)
    assert empty + some == some == some + empty


def test_clusters_that_differ_do_not_merge() -> None:
    named = wf.count([0, 1], [0, 1], cluster=["x", "y"])
    for other, message in [
        (
            wf.count([0, 1], [0, 1], cluster=[1, 2]),
            "of one part are (str, .* other int|int, .* other str)",
        ),
        (named.changed(cluster_names=None), "clusters without names"),
        (wf.count([0, 1], [0, 1]), "with clusters, the other without"),
        (wf.count([0, 1], [0, 1], weights=[1, 1], cluster=["x", "y"]), "with weights"),
    ]:
        for parts in ((named, other), (other, named)):
            with pytest.raises(MergeError, match=message):
                _ = parts[0] + parts[1]


def test_sets_of_labels_are_declared_later() -> None:
    counts = wf.count_multilabel([{"a", "b"}, {"b"}], [{"b"}, {"c"}])
    declared = counts.declare(["c", "d", "b", "a"])
    assert declared == wf.count_multilabel(
        [{"a", "b"}, {"b"}], [{"b"}, {"c"}], labels=["c", "d", "b", "a"]
    )
    with pytest.raises(LabelError, match="label 'c' is not among the declared ones"):
        counts.declare(["a", "b"])
    c = counts.per_class()
    sides = [x.tolist() for x in (c.tp, c.fp, c.fn, c.tn)]
    assert sides == [[0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1]]
