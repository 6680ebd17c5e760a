"""Frequencies: a row that stands for several items is as good as so many rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers.engines import duckdb_relation
from tests.helpers.samples import ends, systems_of
from whichf1.errors import WeightError, WhichF1Error
from whichf1.metrics import EVERY

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


def rows_of(data: Any, times: Any) -> Any:
    """Each row so many times; None stays None."""
    if data is None:
        return None
    return np.repeat(np.asarray(data), times, 0)


def facts(score: wf.Score) -> tuple[Any, ...]:
    """All that a score says, for a comparison bit by bit."""
    return score.value.hex(), score.interval, score.n, score.signature, score.effective_n


def compared(comparison: wf.Comparison) -> tuple[Any, ...]:
    """All that a comparison says: p-values, intervals, planning, posteriors."""
    scores = {name: facts(score) for name, score in comparison.scores.items()}
    return scores, repr(comparison.pairs), comparison.wins, comparison.letters


KINDS: dict[str, dict[str, Any]] = {
    "rate": {"average": "macro"},
    "agreement": {},
    "items": {},
    "ranking": {"positive": 1},
    "loss": {"positive": 1},
    "label ranking": {},
    "value": {},
}
"""The options of a metric of each kind."""


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("clustered", [False, True])
def test_every_score_and_comparison_is_that_of_repeated_rows(name: str, clustered: bool) -> None:
    metric = EVERY[name]
    options = dict(KINDS[metric.kind])
    y, systems = systems_of(metric.kind, n=60)
    if metric.kind == "loss" and not metric.probabilities:  # of a column for each class
        y, systems = systems_of("rate", n=60)
        systems = {x: np.eye(3)[each] + 0.1 * (each[:, None] % 2) for x, each in systems.items()}
        options = {}
    times = np.random.default_rng(4).integers(0, 4, 60)
    times[:2] = 0, 5
    again = {x: rows_of(each, times) for x, each in systems.items()}
    data: tuple[dict[str, Any], dict[str, Any]] = {"frequencies": times}, {}
    if clustered:
        cluster = np.arange(60) // 3
        data = data[0] | {"cluster": cluster}, {"cluster": rows_of(cluster, times)}
    methods: list[Any] = [None, wf.Bootstrap(replicates=99)]
    methods += ["auto", "delta"] if metric.smooth else []
    methods += [] if metric.whole else [wf.Posterior(draws=99)]
    for method in methods:
        own = options | {"interval": method}
        score = wf.score(y, systems["a"], name, **own, **data[0])
        repeated = wf.score(rows_of(y, times), again["a"], name, **own, **data[1])
        if metric.relative is None:
            assert facts(score) == facts(repeated)
        else:  # a ratio of two sums, which are added up in another order
            assert score.signature == repeated.signature
            assert score.value == pytest.approx(repeated.value, rel=1e-12)
            assert (score.interval is None) == (repeated.interval is None)
            if score.interval is not None:
                assert ends(score.interval) == pytest.approx(ends(repeated.interval), rel=1e-9)
    plan: dict[str, Any] = {"replicates": 99, "margin": 0.05, "effect": 0.1}
    plan |= {} if metric.whole else {"rope": 0.02}
    one = wf.compare(y, systems, name, **options, **plan, **data[0])
    two = wf.compare(rows_of(y, times), again, name, **options, **plan, **data[1])
    assert compared(one) == compared(two)


def table() -> pd.DataFrame:
    """Classes, sets of labels, scores and probabilities of two systems, and frequencies."""
    rng = np.random.default_rng(8)
    frame = pd.DataFrame({"true": rng.integers(0, 3, 80), "times": rng.integers(0, 4, 80)})
    for name in "ab":
        frame[name] = np.where(rng.random(80) < 0.6, frame.true, rng.integers(0, 3, 80))
        sets = rng.random((80, 3)) < 0.4 + 0.2 * np.eye(3)[frame.true]
        frame[f"set {name}"] = [";".join(np.array([*"xyz"])[each]) for each in sets]
        raw = rng.integers(1, 5, (80, 3)) + 4 * np.eye(3, dtype=int)[frame[name]]
        each = (raw / raw.sum(1, keepdims=True)).round(3)
        for k in range(3):  # probabilities that are written in few digits
            frame[f"{name}{k}"] = each[:, k] if k else (1 - each[:, 1] - each[:, 2]).round(3)
    frame["set true"], frame["two"] = frame["set a"].to_numpy()[::-1], (frame.true > 0).astype(int)
    frame["cluster"], frame["lang"] = rng.integers(0, 25, 80), rng.choice(["de", "en"], 80)
    return frame


CLASSES: dict[str, Any] = {"true": "true", "score": ["a0", "a1", "a2"], "labels": [0, 1, 2]}
COLUMN: dict[str, Any] = {"true": "two", "score": "a1", "positive": 1}
PAIRED: dict[str, Any] = {"replicates": 99, "labels": [0, 1, 2], "true": "true"}
BOOT = wf.Bootstrap(replicates=99)
CALLS: dict[str, Any] = {
    "classes": lambda x, **f: facts(wf.mcc(x, true="true", pred="a", interval="auto", **f)),
    "one column": lambda x, **f: facts(wf.roc_auc(x, interval="auto", **COLUMN, **f)),
    "drawn": lambda x, **f: facts(wf.average_precision(x, interval=BOOT, **COLUMN, **f)),
    "gain": lambda x, **f: facts(wf.gain(x, interval=BOOT, **COLUMN, **f)),
    "log loss": lambda x, **f: facts(wf.log_loss(x, interval="auto", **CLASSES, **f)),
    "log loss drawn": lambda x, **f: facts(wf.log_loss(x, interval=BOOT, **CLASSES, **f)),
    "top k": lambda x, **f: facts(wf.top_k_accuracy(x, k=2, interval="auto", **CLASSES, **f)),
    "AUCs": lambda x, **f: facts(
        wf.roc_auc(x, average="macro", multi_class="ovo", interval="auto", **CLASSES, **f)
    ),
    "calibration": lambda x, **f: facts(
        wf.debiased_calibration_error(x, multi_class="top-label", interval="auto", **CLASSES, **f)
    ),
    "decisions": lambda x, **f: wf.at_top_k(x, 2, **CLASSES, **f),
    "one class": lambda x, **f: wf.rank(x, true="two", score="a1", **f),
    "threshold": lambda x, **f: wf.at_threshold(x, 0.3, **COLUMN, **f),
    "best": lambda x, **f: repr(
        wf.best_threshold(x, metric="f1", correct="cross-validation", **COLUMN, **f)
    ),
    "curve": lambda x, **f: wf.pr_curve(x, **COLUMN, **f).y.tolist(),
    "sets": lambda x, **f: wf.count_multilabel(x, true="set true", pred="set a", sep=";", **f),
    "slices": lambda x, **f: [*wf.count_by(x, by="lang", true="true", pred="a", **f).items()],
    "slices of sets": lambda x, **f: [
        *wf.count_by(x, by="lang", true="set true", pred="set a", sep=";", **f).items()
    ],
    "slices of scores": lambda x, **f: [
        *wf.rank_by(x, by="lang", positive=1, true="two", score="a1", **f).items()
    ],
    "columns": lambda x, **f: wf.count_each(x, true="true", pred=["a", "b"], **f),
    "compare": lambda x, **f: compared(wf.compare(x, ["a", "b"], "averaged_f1", **PAIRED, **f)),
    "compare sets": lambda x, **f: compared(
        wf.compare(
            x, ["set a", "set b"], "subset_accuracy", true="set true", sep=";", replicates=99, **f
        )
    ),
    "compare scores": lambda x, **f: compared(
        wf.compare(x, ["a1", "b1"], "roc_auc", true="two", positive=1, replicates=99, **f)
    ),
    "compare probabilities": lambda x, **f: compared(
        wf.compare(x, {s: [f"{s}{k}" for k in range(3)] for s in "ab"}, "brier", **PAIRED, **f)
    ),
}
"""Everything that reads columns and takes weights."""


@pytest.mark.parametrize("kind", ["pandas", "polars", "duckdb", "csv", "parquet"])
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.thinned(4)
def test_columns_with_frequencies_are_repeated_rows(kind: str, call: str, tmp_path: Path) -> None:
    frame = table()
    rows = frame.loc[frame.index.repeat(frame.times)].reset_index(drop=True)
    for cluster in ({}, {"cluster": "cluster"}):
        if cluster and call in ("one class", "best", "curve", "slices of scores", "columns"):
            continue
        weighed, repeated = (source_of(each, kind, tmp_path / name) for each, name in (
            (frame, "weighed"), (rows, "repeated"),
        ))  # fmt: skip
        one = CALLS[call](weighed, frequencies="times", **cluster)
        two = CALLS[call](repeated, **cluster)
        if cluster and call == "log loss":  # an engine adds up each cluster in its own order
            sides = [(float.fromhex(x[0]), *ends(x[1])) for x in (one, two)]
            assert sides[0] == pytest.approx(sides[1], rel=1e-12) and one[2:] == two[2:]
        else:
            assert one == two


def source_of(frame: pd.DataFrame, kind: str, path: Path) -> Any:
    """The same table as another kind of data."""
    if kind == "polars":
        return pl.from_pandas(frame)
    if kind == "duckdb":
        return duckdb_relation(frame)
    if kind == "pandas":
        return frame
    path = path.with_suffix(f".{kind}")
    frame.to_csv(path, index=False) if kind == "csv" else frame.to_parquet(path)
    return str(path)


def test_very_many_items_are_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    true, scores, times = rng.integers(0, 2, 60), rng.random(60).round(2), rng.integers(0, 4, 60)
    expected = wf.log_loss(true, scores, frequencies=times, interval="auto")
    monkeypatch.setattr("whichf1.sources.lines.MOST_REPEATED", 10)
    score = wf.log_loss(true, scores, frequencies=times, interval="auto")
    assert (score.value, *ends(score.interval)) == pytest.approx(
        (expected.value, *ends(expected.interval)), rel=1e-12
    )
    huge = wf.log_loss(true, scores, frequencies=times * 10**12, interval="auto")
    assert huge.n == 10**12 * int(times.sum()) and huge.value == pytest.approx(expected.value)


def test_frequencies_of_pandas_columns_follow_the_rows_not_the_index() -> None:
    frame = pd.DataFrame({"y": [0, 1, 1, 0], "s": [0.1, 0.7, 0.4, 0.6]}, index=[3, 1, 0, 2])
    times = pd.Series([1, 2, 0, 3], index=frame.index)
    rows = frame.loc[frame.index.repeat(times)]
    assert facts(wf.roc_auc(frame.y, frame.s, frequencies=times)) == facts(
        wf.roc_auc(rows.y, rows.s)
    )


@pytest.mark.parametrize(
    "frequencies", [[1.5, 1, 1], [-1, 1, 1], [np.nan, 1, 1], [1, 1], [0, 0, 0], "abc"]
)
def test_what_is_no_frequency_is_refused(frequencies: Any) -> None:
    with pytest.raises(WhichF1Error, match="frequencies"):
        wf.count([0, 1, 1], [0, 1, 0], frequencies=frequencies)
    if not isinstance(frequencies, str) and len(frequencies) == 3:
        frame = pd.DataFrame({"true": [0, 1, 1], "pred": [0, 1, 0], "score": 0.5, "f": frequencies})
        for run in (lambda **x: wf.count(frame, **x), lambda **x: wf.roc_auc(frame, **x)):
            with pytest.raises(WhichF1Error, match=r"'f'|no items|all frequencies"):
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


@pytest.mark.parametrize("odd", [None, 3, np.array(1), object()])
def test_labels_without_a_length_are_refused(odd: Any) -> None:
    with pytest.raises(WhichF1Error, match="y_true"):
        wf.roc_auc(odd, [0.1, 0.9], frequencies=[1, 2])
