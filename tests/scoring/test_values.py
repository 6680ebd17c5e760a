"""The mean of a value that items have, without true classes: from any source, with any option."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import whichf1 as wf
from tests.helpers.commands import Run
from whichf1.errors import DefinitionError, FileError, InputError, ShapeError

N = 120
OF_HITS = wf.Definition.parse("mean_value(of=hit)")


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "hit": rng.integers(0, 2, N).astype(float),
            "a rating, of=5|": rng.normal(3, 1, N),
            "topic": rng.choice(["x", "y"], N),
            "weight": rng.random(N),
            "group": rng.integers(0, 30, N),
        }
    )


@pytest.fixture(scope="module")
def sources(frame: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("values")
    frame.to_parquet(folder / "items.parquet")
    frame.to_csv(folder / "items.csv", index=False)
    lazy = pl.from_pandas(frame).lazy()
    files = {x: folder / f"items.{x}" for x in ("parquet", "csv")}
    return {"pandas": frame, "polars": pl.from_pandas(frame), "lazy": lazy, **files}


@pytest.mark.parametrize("kind", ["pandas", "polars", "lazy", "parquet", "csv"])
@pytest.mark.parametrize("how", [{}, {"weights": "weight"}, {"cluster": "group"}])
def test_any_source_gives_the_same(
    frame: pd.DataFrame, sources: dict[str, Any], kind: str, how: dict[str, Any]
) -> None:
    for name in ("hit", "a rating, of=5|"):
        arrays = {x: frame[y].to_numpy() for x, y in how.items()}
        ours = wf.mean_value(frame[name].to_numpy(), of=name, interval="auto", **arrays)
        score = wf.mean_value(sources[kind], of=name, interval="auto", **how)
        assert score.value == pytest.approx(np.average(frame[name], weights=arrays.get("weights")))
        assert ours.interval is not None and score.interval is not None
        assert score.interval.low == pytest.approx(ours.interval.low)
        assert score.signature == ours.signature


def test_a_signature_runs_again(frame: pd.DataFrame) -> None:
    score = wf.mean_value(frame, of="a rating, of=5|", interval="auto")
    again = wf.Definition.parse(score.signature)
    assert again(frame) == score
    assert again.signature.startswith("mean_value(of=")
    assert wf.Definition.parse("mean_value(of=acc)").signature == "mean_value(of=acc)|v:1"
    for odd in ("true", "null", "1", "é", 'a"b'):
        named = wf.Definition(metric="mean_value", parameters=(("of", odd),))
        assert wf.Definition.parse(named.signature) == named


def test_the_interval_of_a_rating_is_that_of_student(frame: pd.DataFrame) -> None:
    values = frame["a rating, of=5|"].to_numpy()
    score = wf.mean_value(values, interval="auto")
    low, high = stats.t.interval(0.95, N - 1, values.mean(), stats.sem(values))
    assert score.interval is not None
    assert (score.interval.low, score.interval.high) == pytest.approx((low, high), abs=0.02)


def test_values_from_0_to_1_have_an_interval_within() -> None:
    score = wf.mean_value([1.0] * 39 + [0.0], interval="auto")
    assert score.interval is not None and score.interval.high <= 1
    assert "bounds=unit" in score.signature
    assert "bounds=none" in wf.mean_value([1.0, 2.0]).signature


def test_moments_add_up_and_are_saved(frame: pd.DataFrame, tmp_path: Path) -> None:
    values = frame["a rating, of=5|"].to_numpy()
    parts = [wf.moments(x, "mean_value") for x in (values[:50] / 10, values[50:] / 10)]
    parts[0].save(tmp_path / "sums.json")
    both = wf.Moments.load(tmp_path / "sums.json") + parts[1]
    assert wf.mean_value(both).value == pytest.approx(values.mean() / 10)
    named = wf.moments(frame, "mean_value(of=hit)")
    assert wf.mean_value(named).value == frame["hit"].mean()


def test_systems_are_compared_by_their_values(frame: pd.DataFrame) -> None:
    first, second = (frame["hit"] + 1).to_numpy(), frame["a rating, of=5|"].to_numpy()
    arrays = wf.compare(None, {"A": first, "B": second}, "mean_value", replicates=99)
    expected = stats.ttest_rel(first, second)
    assert arrays.pairs[0].p_value == pytest.approx(expected.pvalue, rel=0.5)
    assert arrays.pairs[0].difference == pytest.approx((first - second).mean())
    columns = {"A": "hit", "B": "a rating, of=5|"}
    pair = wf.compare(frame, columns, "mean_value", cluster="group", replicates=99).pairs[0]
    assert pair.difference == pytest.approx((frame["hit"] - second).mean())
    again = wf.compare(None, {"A": first, "B": second}, arrays.signature)
    assert again.pairs == arrays.pairs


def test_a_study_of_values(frame: pd.DataFrame) -> None:
    rng = np.random.default_rng(1)
    runs = {name: [rng.random(N) for _ in range(3)] for name in "AB"}
    arrays = wf.study(None, "mean_value", value=runs)
    long = pd.DataFrame(
        [
            {"model": name, "seed": seed, "item": at, "acc": value}
            for name, each in runs.items()
            for seed, values in enumerate(each)
            for at, value in enumerate(values)
        ]
    )
    columns = wf.study(long, "mean_value(of=acc)", system="model", run="seed", item="item")
    assert columns.pairs[0].p_value == pytest.approx(arrays.pairs[0].p_value)
    assert columns.means[0].mean == pytest.approx(np.mean(runs["A"]))
    assert wf.study(columns.trials, columns.signature).pairs == columns.pairs
    with pytest.raises(InputError, match="mean_value is computed from values"):
        wf.study([0, 1], "mean_value", pred={"A": [[0, 1], [1, 1]]})
    with pytest.raises(InputError, match="pass None"):
        wf.study([0, 1], "mean_value", value={"A": [[0, 1], [1, 1]]})


def test_slices_on_the_command_line(run: Run, sources: dict[str, Any], frame: pd.DataFrame) -> None:
    path = str(sources["csv"])
    code, out, _ = run("score", path, "-m", "mean_value(of=hit)", "--by", "topic")
    assert code == 0
    for topic, part in frame.groupby("topic"):
        assert f"{part['hit'].mean():.4f}" in next(
            x for x in out.splitlines() if x.startswith(f"{topic} ")
        )
    code, out, _ = run("compare", path, "--value", "hit", "--value", "weight")
    assert code == 0 and "mean value" in out
    assert "which column has the values?" in run("score", path, "-m", "mean_value")[2]
    assert "takes no --true" in run("score", path, "-m", "mean_value(of=hit)", "--true", "topic")[2]
    assert "by itself" in run("score", path, "-m", "mean_value(of=hit)", "-m", "accuracy")[2]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: wf.mean_value(x), InputError, "which column has the values?"),
        (lambda x: wf.mean_value(x, of="nope"), FileError, "no column 'nope'"),
        (lambda x: OF_HITS(x, true="topic"), InputError, "omit true="),
        (lambda x: wf.mean_value([1, 2], [1, 2]), InputError, "pass the values alone"),
        (lambda x: wf.mean_value([[1, 2]]), ShapeError, "one for each item"),
        (lambda x: wf.mean_value([]), ShapeError, "no items"),
        (lambda x: wf.mean_value(["a"]), InputError, "must be numbers"),
        (lambda x: wf.mean_value([1, np.nan]), InputError, "is nan"),
        (lambda x: wf.mean_value([1, 2], bounds="unit"), InputError, "a value is 2"),
        (lambda x: wf.mean_value([1, 2], of=3), DefinitionError, "must be a text"),  # type: ignore[arg-type]
        (lambda x: wf.mean_value([1], average="macro"), DefinitionError, "does not apply"),  # type: ignore[call-arg]
    ],
)
def test_bad_values_are_named(frame: pd.DataFrame, call: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        call(frame)
