"""Frequencies: a row that stands for several items is as good as so many rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whichf1 as wf
from whichf1.errors import WeightError, WhichF1Error

ROWS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("abc"), st.integers(0, 4), st.integers(0, 3)),
    min_size=1,
    max_size=12,
).filter(lambda rows: any(times for *_, times, _ in rows))


@settings(max_examples=40, deadline=None)
@given(ROWS)
def test_frequencies_are_repeated_rows(rows: list[tuple[str, str, int, int]]) -> None:
    true, predicted, times, cluster = (np.array(x) for x in zip(*rows, strict=True))
    repeated = [np.repeat(x, times) for x in (true, predicted, cluster)]
    assert wf.count(true, predicted, frequencies=times) == wf.count(*repeated[:2])
    counted = wf.count(true, predicted, frequencies=times.tolist(), cluster=cluster)
    assert counted == wf.count(*repeated[:2], cluster=repeated[2])
    frame = pd.DataFrame({"true": true, "pred": predicted, "times": times, "cluster": cluster})
    assert wf.count(frame, frequencies="times") == wf.count(*repeated[:2])
    assert wf.count(frame, frequencies="times", cluster="cluster").n == times.sum()


@pytest.mark.parametrize("metric", ["roc_auc", "average_precision", "log_loss", "brier"])
@pytest.mark.parametrize("method", ["auto", "delta", wf.Bootstrap(replicates=99)])
def test_frequencies_of_scores(metric: str, method: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    true, scores, times = rng.integers(0, 2, 60), rng.random(60).round(2), rng.integers(0, 4, 60)
    whole = wf.score(np.repeat(true, times), np.repeat(scores, times), metric, interval="auto")
    frame = pd.DataFrame({"true": true, "score": scores, "times": times})
    frame.to_csv(tmp_path / "scores.csv", index=False)
    options: dict[str, Any] = {"interval": method}
    for score in (
        wf.score(true, scores, metric, frequencies=times, **options),
        wf.score(frame, metric, true="true", score="score", frequencies="times", **options),
        wf.score(tmp_path / "scores.csv", metric, score="score", frequencies="times", **options),
    ):
        assert score.value == pytest.approx(whole.value, abs=1e-12)
        assert score.n == whole.n and score.interval is not None
        if method == "auto":
            assert whole.interval is not None
            assert score.interval.low == pytest.approx(whole.interval.low, abs=1e-12)


@pytest.mark.parametrize("frequencies", [[1.5, 1, 1], [-1, 1, 1], [np.nan, 1, 1], [1, 1], "abc"])
def test_what_is_no_frequency_is_refused(frequencies: Any) -> None:
    with pytest.raises(WhichF1Error, match="frequencies"):
        wf.count([0, 1, 1], [0, 1, 0], frequencies=frequencies)
    if not isinstance(frequencies, str) and len(frequencies) == 3:
        frame = pd.DataFrame({"true": [0, 1, 1], "pred": [0, 1, 0], "score": 0.5, "f": frequencies})
        for run in (lambda **x: wf.count(frame, **x), lambda **x: wf.roc_auc(frame, **x)):
            with pytest.raises(WhichF1Error, match="'f'"):
                run(frequencies="f")


def test_weights_and_frequencies_exclude_each_other() -> None:
    for run in (wf.count, wf.accuracy, wf.roc_auc):
        with pytest.raises(WhichF1Error, match="not both"):
            run([0, 1], [0, 1], weights=[1, 1], frequencies=[1, 1])


def test_frequencies_and_ignored_classes_go_together() -> None:
    counts = wf.count([0, 1, -1], [0, 0, 1], frequencies=[3, 2, 9], ignore=[-1])
    assert counts.matrix.tolist() == [[3, 0], [2, 0]]


@pytest.mark.parametrize("times", [2**53, 2**63, 2.0**70])
def test_more_items_than_floats_count_are_refused(times: float, tmp_path: Path) -> None:
    """Beyond 2**53 a float counts every second item, and beyond 2**63 an integer none."""
    many = [times, 1.0]
    frame = pd.DataFrame({"y": [0, 1], "p": [0, 0], "s": [0.2, 0.7], "n": many})
    frame.to_parquet(tmp_path / "a.parquet")
    path = tmp_path / "a.parquet"
    calls: list[Any] = [
        lambda: wf.count([0, 1], [0, 0], frequencies=many),
        lambda: wf.roc_auc([0, 1], [0.2, 0.7], frequencies=many),
        lambda: wf.count(path, true="y", pred="p", frequencies="n"),
        lambda: wf.roc_auc(path, true="y", score="s", frequencies="n"),
        lambda: wf.roc_auc(frame, true="y", score="s", frequencies="n"),
    ]
    for call in calls:
        with pytest.raises(WeightError, match=r"fewer than 2\*\*53 items"):
            call()
