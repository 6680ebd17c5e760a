"""Every source and every merge gives the same score."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import whichf1 as wf
from tests.helpers.engines import group, spark_frame
from tests.helpers.every_source import alike, differences, draw_items, of_arrays, of_columns
from whichf1.errors import WeightError

pytestmark = pytest.mark.filterwarnings("ignore")  # classes that are alike, say


SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 5))]


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_every_source_and_merge_gives_the_same_score(seed: int, tmp_path: Path) -> None:
    """Same bits without weights; with weights from 1e-300 to 1e300 the same twelve digits.

    Five random sources for each seed; ``python -m tests.helpers.every_source`` tries all of them.
    """
    assert [*differences(seed, tmp_path, sources=5)] == []


@pytest.mark.long
@pytest.mark.parametrize("engine", [pytest.param("spark", marks=group("spark"))])
def test_a_cluster_gives_the_same_score(engine: str) -> None:
    items = next(x for x in map(draw_items, map(random.Random, range(99))) if _is_full(x))
    expected = dict(of_arrays(items))
    frame = spark_frame(pa.Table.from_pylist(items.rows))
    for kind, result in of_columns(items, lambda: frame):
        for metric, value in result.items():
            assert alike(metric, value, expected[kind][metric], items.weighted), (kind, metric)


def _is_full(items: Any) -> bool:
    return items.weighted and len(items.rows) > 10 and max(items.weights) < 1e-200


P = [[1e-9, 1 - 1e-9], [2e-9, 1 - 2e-9]]


@pytest.mark.parametrize("weight", [5e-324, 1e-300, 1e300])
def test_a_small_loss_of_a_far_weight_keeps_its_digits(weight: float, tmp_path: Path) -> None:
    """The product of both is no ordinary float."""
    columns: Any = {"y": [1, 1], "a": [1e-9, 2e-9], "b": [x[1] for x in P], "w": [weight] * 2}
    path = tmp_path / "p.parquet"
    pq.write_table(pa.table({**columns, "doc": ["x", "y"]}), path)
    options: Any = {"true": "y", "score": {0: "a", 1: "b"}, "weights": "w"}
    expected = wf.brier([1, 1], P, labels=[0, 1]).value
    for score in (
        wf.brier([1, 1], P, labels=[0, 1], weights=[weight] * 2),
        wf.brier([1, 1], P, labels=[0, 1], weights=[weight] * 2, cluster=["x", "y"]),
        wf.brier(path, **options),
        wf.brier(path, **options, cluster="doc"),
    ):
        assert score.value == pytest.approx(expected, rel=1e-12)
        assert score.n == 2 * weight


def test_weights_that_sum_to_infinity_are_refused_by_every_source(tmp_path: Path) -> None:
    columns = {"y": [0, 1], "p": [0, 0], "s": [0.2, 0.9], "t": [0.8, 0.1], "w": [1e308, 1e308]}
    path = tmp_path / "huge.parquet"
    pq.write_table(pa.table(columns), path)
    half: Any = {"weights": [1e308]}
    calls: list[Any] = [
        lambda: wf.accuracy([0, 1], [0, 0], weights=columns["w"]),
        lambda: wf.accuracy(path, true="y", pred="p", weights="w"),
        lambda: wf.roc_auc(path, true="y", score="s", weights="w"),
        lambda: wf.brier(path, true="y", score={0: "t", 1: "s"}, weights="w"),
        lambda: sum(wf.count([1], [1], **half) for _ in range(2)),
        lambda: sum(wf.rank([1], [1], labels=[0, 1], **half) for _ in range(2)),
        lambda: sum(wf.count_multilabel([{"a"}], [{"a"}], **half) for _ in range(2)),
    ]
    for call in calls:
        with pytest.raises(WeightError, match="sum to infinity"):
            call()


@pytest.mark.parametrize("weight", [1e-300, 1e200])
def test_counts_whose_squared_weights_are_no_floats_are_saved(weight: float) -> None:
    counts = wf.count([0, 1, 1], [0, 0, 1], weights=[weight, 2 * weight, weight])
    again = wf.Counts.from_json(counts.to_json())
    assert again == counts
    np.testing.assert_array_equal(again.count, counts.count)
    assert wf.accuracy(again).value == 0.5
