"""An Accumulator gives what one call for all batches gives, whatever the batches look like."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import whichf1 as wf
from whichf1.errors import InputError, LabelError, MergeError, ShapeError
from whichf1.scoring import accumulator

CLASSES: dict[str, tuple[list[Any], list[Any]]] = {
    "0, 1, 2": ([0, 1, 2], []),
    "padding": ([0, 1, 2], [-100]),
    "other numbers": ([7, -3, 12], [5]),
    "far apart": ([0, 10**9], [-1]),
    "texts": (["b", "a", "ä c"], ["pad"]),
    "booleans": ([True, False], []),
    "dropped and declared": ([0, 1, 2], [2]),
    "huge": ([2**63 - 1, -(2**63), 0], []),
}
CONTAINERS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "array": np.array,
    "objects": lambda x: np.array(x, object),
    "series": pd.Series,
    "tensor": lambda x: torch.tensor(x) if not isinstance(x[0], str) else np.array(x),
    "reversed": lambda x: np.array(x[::-1])[::-1],
    "small": lambda x: np.array(x, np.int8) if _small(x) else np.array(x),
}


def _small(values: list[Any]) -> bool:
    return all(type(x) is int and abs(x) < 128 for x in values)


@settings(max_examples=150)
@given(st.sampled_from(sorted(CLASSES)), st.integers(0, 10**9), st.data())
def test_batches_are_counted_as_all_items_are(kind: str, seed: int, data: Any) -> None:
    labels, ignore = CLASSES[kind]
    rng, declared = random.Random(seed), data.draw(st.booleans())
    options: dict[str, Any] = {"ignore": ignore, **({"labels": labels} if declared else {})}
    acc = wf.Accumulator(**options)
    true: list[Any] = []
    predicted: list[Any] = []
    for _ in range(data.draw(st.integers(1, 4))):
        n = rng.randrange(1, 30)
        y = [rng.choice([*labels, *ignore]) for _ in range(n)]
        p = [rng.choice(labels) for _ in range(n)]
        make = CONTAINERS[data.draw(st.sampled_from(sorted(CONTAINERS)))]
        acc.update(make(y), make(p))
        true, predicted = true + y, predicted + p
    expected = wf.count(true, predicted, **options)
    if expected.n:
        assert acc.counts == expected and acc.table.to_json() == expected.to_json()


@pytest.mark.parametrize(
    ("y_true", "y_pred", "error"),
    [
        (np.array([0, 3]), np.array([0, 1]), LabelError),
        (np.array([0, 1]), np.array([0, -1]), LabelError),
        (np.array([0, 1]), np.array([0, -100]), LabelError),
        (np.array([0, 1]), np.array([0, 1, 2]), ShapeError),
        (np.array([[0, 1]]), np.array([[0, 1]]), ShapeError),
        (np.array([True, False]), np.array([True, False]), LabelError),
        (np.array([0.5, 1]), np.array([0, 1]), LabelError),
        (np.array([2**64 - 100, 0], np.uint64), np.array([0, 0], np.uint64), LabelError),
        (np.array([7], np.uint64), np.array([0]), LabelError),
        (["a"], ["a"], LabelError),
        ([0, None], [0, 1], LabelError),
        (np.array([0]), None, InputError),
    ],
)
def test_a_batch_that_is_refused_leaves_nothing_behind(
    y_true: Any, y_pred: Any, error: Any
) -> None:
    acc = wf.Accumulator(labels=range(3), ignore=[-100])
    acc.update(np.array([0, -100]), np.array([1, 2]))
    before = acc.counts
    with pytest.raises(error):
        acc.update(y_true, y_pred)
    assert acc.counts == before and before.n == 1


def test_batches_that_do_not_go_together_are_refused_at_once() -> None:
    acc = wf.Accumulator()
    acc.update(np.arange(1000), np.arange(1000))
    for batch, options, error in (
        (([1], [1]), {"weights": [2]}, MergeError),
        (([1], [1]), {"cluster": [2]}, MergeError),
        ((["a"], ["b"]), {}, MergeError),
    ):
        with pytest.raises(error):
            acc.update(*batch, **options)
    assert acc.counts == wf.count(np.arange(1000), np.arange(1000))
    ranks = wf.Accumulator(wf.rank, positive=1)
    ranks.update([0, 1] * 100, np.arange(200) / 200)
    with pytest.raises(MergeError, match="differ in weighting"):
        ranks.update([1], [0.5], weights=[2])
    assert ranks.table == wf.rank([0, 1] * 100, np.arange(200) / 200)


def test_every_kind_of_table_accumulates() -> None:
    rng = np.random.default_rng(3)
    y, scores = rng.integers(0, 2, 300), rng.integers(0, 50, 300) / 64
    sets = [{int(x) for x in np.flatnonzero(row)} for row in rng.random((300, 3)) < 0.4]
    frame = pd.DataFrame({"true": y, "score": scores, "pred": y[::-1], "w": scores + 1, "g": y % 2})
    cases: list[tuple[Any, dict[str, Any], list[Any]]] = [
        (wf.rank, {"positive": 1}, [y, scores]),
        (wf.rank_histogram, {"bins": 7}, [y, scores]),
        (wf.moments, {"metric": "brier"}, [y, scores]),
        (wf.count_multilabel, {}, [sets, sets[::-1]]),
        (wf.count, {"weights": "w", "cluster": "g"}, [frame]),
        (wf.count_by, {"by": "g"}, [frame]),
        (wf.rank_by, {"by": "g"}, [frame[["true", "score", "g"]]]),
    ]
    for function, options, data in cases:
        acc = wf.Accumulator(function, **options)
        for start in range(0, 300, 37):
            acc.update(*(each[start : start + 37] for each in data))
        expected = function(*data, **options)
        if function in (wf.moments, wf.count):  # sums of weights that are rounded
            assert acc.table.n == pytest.approx(expected.n)
        else:
            assert acc.table == expected
        acc.update([], [])  # the last batch of a loader
        assert repr(acc).startswith(f"<Accumulator of {function.__name__}(")


def test_many_threads_lose_nothing() -> None:
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 5, (2, 400, 64))
    for labels in (range(5), None):
        acc = wf.Accumulator(labels=labels)

        def add(at: int, acc: wf.Accumulator = acc) -> wf.Counts:
            acc.update(y[at], p[at])
            table: wf.Counts = acc.table
            return table

        with ThreadPoolExecutor(8) as pool:
            tables = [*pool.map(add, range(400))]
        assert acc.counts == wf.count(y.ravel(), p.ravel(), labels=labels)
        assert all(0 < table.n <= acc.counts.n for table in tables)


def test_many_threads_lose_nothing_of_scores_and_sets() -> None:
    rng = np.random.default_rng(4)
    y, s = rng.integers(0, 2, (200, 8)), rng.integers(0, 50, (200, 8)) / 64
    left, right = rng.integers(0, 2, (2, 200, 8, 3))
    for acc, sides, whole in (
        (wf.Accumulator(wf.rank, positive=1), (y, s), wf.rank(y.ravel(), s.ravel())),
        (wf.Accumulator(wf.rank_histogram, positive=1, bins=9), (y, s), None),
        (wf.Accumulator(wf.moments, metric="brier", labels=[0, 1]), (y, s), None),
        (wf.Accumulator(wf.count_multilabel, labels=range(3)), (left, right), None),
    ):
        with ThreadPoolExecutor(8) as pool:
            batches = zip(*sides, strict=True)
            assert [*pool.map(lambda batch, acc=acc: acc.update(*batch), batches)] == [None] * 200
        alone = wf.Accumulator(acc._count, **acc._options)
        alone.update(*(side.reshape(-1, *side.shape[2:]) for side in sides))
        if isinstance(alone.table, wf.Moments):  # sums in another order
            assert acc.table.n == alone.table.n
            assert acc.table.total == pytest.approx(alone.table.total, rel=1e-12)
        else:
            assert acc.table == alone.table and (whole is None or acc.table == whole)


def test_an_update_does_not_touch_what_is_filled() -> None:
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 3000, (2, 300_000))
    acc = wf.Accumulator(labels=range(3000))
    assert acc._dense is None and accumulator.MOST_CLASSES < 3000
    acc.update(y, p)
    (first,) = acc._parts
    for start in range(0, 25_600, 256):
        acc.update(y[start : start + 256], p[start : start + 256])
    assert acc._parts[0] is first and len(acc._parts) <= 12
    assert acc.counts.n == 325_600
    dense = wf.Accumulator(labels=range(1000))
    dense.update(y % 1000, p % 1000)  # a large batch, counted by itself
    assert dense._dense is not None and not dense._dense.cells.any()
    dense.update(y[:256] % 1000, p[:256] % 1000)
    assert dense._dense.cells.sum() == 256 and dense.counts.n == 300_256
    table = dense.counts
    dense.update(y[:9] % 1000, p[:9] % 1000)
    assert table.n == 300_256 and dense.counts.n == 300_265
    dense.reset()
    assert dense.counts == wf.Counts.empty(range(1000))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: wf.Accumulator(3), "takes a function such as whichf1.rank"),  # type: ignore[arg-type]
        (lambda: wf.Accumulator(weights=[1, 2]), "names a column"),  # type: ignore[arg-type]
        (
            lambda: wf.Accumulator(lambda *_: 3).update([0], [0]),
            "returned int, which cannot be added",
        ),
        (lambda: wf.Accumulator(wf.rank, positive=1).table, "there are no batches yet"),
    ],
)
def test_bad_accumulators(call: Callable[[], Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        call()


def test_scores_of_an_accumulator_say_what_it_holds() -> None:
    counted, ranked = wf.Accumulator(), wf.Accumulator(wf.rank, positive=1)
    counted.update([0, 1], [0, 0])
    ranked.update([0, 1], [0.1, 0.9])
    uses: list[Any] = [
        partial(wf.averaged_f1, counted),
        partial(wf.report, counted),
        partial(wf.groups, counted, "accuracy", by=[0, 1]),
        partial(wf.roc_auc, ranked),
        partial(wf.roc_curve, ranked),
    ]
    for use in uses:
        with pytest.raises(wf.errors.InputError, match=r"pass what it holds, accumulator\.counts"):
            use()
    with pytest.raises(wf.errors.InputError, match=r"a Report: .* report\.counts"):
        wf.accuracy(wf.report([0, 1], [0, 0]))
    assert wf.accuracy(counted.counts).value == 0.5 and wf.roc_auc(ranked.counts).value == 1
