"""A metric is declared once: one formula works from every source, in every use of a score."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner

import whichf1 as wf
from tests.helpers.engines import ENGINES, group
from whichf1.cli import app
from whichf1.metrics import registry
from whichf1.metrics.registry import declare, rate

N = 200
NAMES = ["cat", "dog", "eel"]


@pytest.fixture(autouse=True)
def declared() -> Iterator[None]:
    """Three new metrics, for the time of a test."""
    before: list[dict[str, Any]]
    before = [dict(registry.EVERY), dict(registry.METRICS), dict(registry._BY_NAME)]

    @rate(tex=r"\frac{TP}{TP+2FP}")
    def wary_precision(c: Any) -> Any:
        """Precision in which a false positive counts twice."""
        return c.tp, c.tp + 2 * c.fp

    @declare("loss", tex=r"\frac{1}{n}\sum_i(1-p_{i,y_i})", better="lower", probabilities=True)
    def own_distance(x: Any) -> Any:
        """Mean distance of the true class's probability from 1, and a tenth of its rank."""
        spread = x.total(np.sqrt) / x.classes
        return np.where(x.ahead("first") < 1, 0.0, 0.1) + np.abs(1 - x.own) * np.minimum(
            spread, 0.5
        )

    @declare("ranking", tex=r"\frac{\sum_s TP_s N_s}{P N}")
    def strict_area(r: Any) -> Any:
        """Share of pairs in which the positive has a higher score or the same."""
        return sum((s.tp * s.negatives).sum(-1) for s in r.steps()), r.sizes[0] * r.sizes[1]

    yield
    registries: list[Any] = [registry.EVERY, registry.METRICS, registry._BY_NAME]
    for now, was in zip(registries, before, strict=True):
        now.clear()
        now.update(was)


class Items:
    """Items with predictions, scores and slices."""

    def __init__(self) -> None:
        rng = np.random.default_rng(7)
        codes = rng.integers(0, 3, N)
        p, q = (rng.dirichlet(np.ones(3), N) + np.eye(3)[codes] / 2 for _ in range(2))
        self.p, self.q = (x / x.sum(1, keepdims=True) for x in (p, q))
        self.true = [NAMES[x] for x in codes]
        self.pred, self.other = ([NAMES[x] for x in s.argmax(1)] for s in (self.p, self.q))
        self.lang = [["de", "en"][x] for x in rng.integers(0, 2, N)]
        columns: dict[str, Any] = {
            "gold": self.true,
            "pred": self.pred,
            "other": self.other,
            "lang": self.lang,
        }
        for name, scores in (("p", self.p), ("q", self.q)):
            columns |= {f"{name}_{x}": column for x, column in zip(NAMES, scores.T, strict=True)}
        self.frame = pd.DataFrame(columns)


ITEMS = Items()
COLUMNS, OTHERS = ({x: f"{name}_{x}" for x in NAMES} for name in "pq")
OPTIONS: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "wary_precision": ({"average": "macro"}, {"pred": "pred"}, {"A": "pred", "B": "other"}),
    "own_distance": ({}, {"score": COLUMNS}, {"A": COLUMNS, "B": OTHERS}),
    "strict_area": ({"positive": "dog"}, {"score": "p_dog"}, {"A": "p_dog", "B": "q_dog"}),
}
"""For each metric its options, its columns, and the columns of two systems."""
ARRAYS: dict[str, tuple[Any, Any]] = {
    "wary_precision": (ITEMS.pred, ITEMS.other),
    "own_distance": (ITEMS.p, ITEMS.q),
    "strict_area": (ITEMS.p[:, 1], ITEMS.q[:, 1]),
}
INTERVALS: list[Any] = [None, "delta", wf.Bootstrap(replicates=99, seed=2)]


SOURCES = [pytest.param(name, marks=group(name)) for name in ("pandas", "parquet", "dask", "spark")]


@pytest.fixture(params=SOURCES)
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """The items in a frame or a file."""
    if request.param == "parquet":
        ITEMS.frame.to_parquet(tmp_path / "items.parquet")
        return str(tmp_path / "items.parquet")
    return ENGINES[request.param](pa.table(ITEMS.frame.to_dict("list")))


def same(a: wf.Score, b: wf.Score) -> None:
    assert a.value == pytest.approx(b.value, abs=1e-12)
    assert (a.interval is None) == (b.interval is None)
    if a.interval is not None and b.interval is not None:
        assert a.interval.low == pytest.approx(b.interval.low, abs=1e-12)
        assert a.interval.high == pytest.approx(b.interval.high, abs=1e-12)
    assert str(a) == str(b) and a.signature == b.signature


@pytest.mark.parametrize("metric", OPTIONS)
@pytest.mark.parametrize("interval", INTERVALS, ids=["none", "delta", "bootstrap"])
@pytest.mark.thinned(3)
def test_scores_and_intervals(metric: str, interval: Any, source: Any) -> None:
    options, columns, _ = OPTIONS[metric]
    options = {**options, **({} if interval is None else {"interval": interval})}
    known: dict[str, Any] = {"labels": NAMES} if metric == "own_distance" else {}
    expected = wf.score(ITEMS.true, ARRAYS[metric][0], metric, **options, **known)
    same(wf.score(source, metric, true="gold", **columns, **options), expected)
    assert metric in expected.signature
    assert wf.Definition.parse(expected.signature).metric == metric


@pytest.mark.parametrize("metric", OPTIONS)
@pytest.mark.thinned(3)
def test_comparisons(metric: str, source: Any) -> None:
    options, _, systems = OPTIONS[metric]
    known: dict[str, Any] = {"labels": NAMES} if metric == "own_distance" else {}
    arrays = dict(zip("AB", ARRAYS[metric], strict=True))
    expected = wf.compare(ITEMS.true, arrays, metric, replicates=99, **options, **known)
    found = wf.compare(source, systems, metric, replicates=99, true="gold", **options)
    a, b = expected.pairs[0], found.pairs[0]
    assert a.difference == pytest.approx(b.difference, abs=1e-12)
    assert (a.p_randomization, a.p_bootstrap) == (b.p_randomization, b.p_bootstrap)


def test_slices_and_parts(source: Any, tmp_path: Path) -> None:
    counts = wf.count_by(source, by="lang", true="gold", pred="pred")
    rankings = wf.rank_by(source, by="lang", true="gold", score="p_dog", positive="dog")
    for key in ("de", "en"):
        here = np.array(ITEMS.lang) == key
        true = np.array(ITEMS.true)[here]
        for metric, part in (("wary_precision", counts[key]), ("strict_area", rankings[key])):
            options = OPTIONS[metric][0]
            own = np.array(ARRAYS[metric][0])[here]
            same(wf.score(part, metric, **options), wf.score(true, own, metric, **options))
    path = tmp_path / "counts.json"
    counts.whole.save(path)
    merged = wf.Counts.load(path)
    whole = wf.score(source, "wary_precision", true="gold", pred="pred", average="macro")
    same(wf.score(merged, "wary_precision", average="macro"), whole)
    ranked = wf.score(sum(rankings.values()), "strict_area")
    same(ranked, wf.score(source, "strict_area", true="gold", score="p_dog", positive="dog"))
    moments = wf.moments(source, "own_distance", true="gold", score=COLUMNS)
    halves = [
        wf.moments(ITEMS.true[part], ITEMS.p[part], "own_distance", labels=NAMES)
        for part in (slice(0, 80), slice(80, N))
    ]
    both = halves[0] + halves[1]
    assert both.mean == pytest.approx(moments.mean, abs=1e-12)
    score = wf.score(moments, "own_distance", interval="delta")
    expected = wf.score(ITEMS.true, ITEMS.p, "own_distance", labels=NAMES, interval="delta")
    assert score.interval and expected.interval
    assert score.interval.low == pytest.approx(expected.interval.low, abs=1e-9)


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        ("wary_precision", ["--pred", "pred", "--average", "macro"]),
        ("own_distance", ["--probs", ",".join(f"{x}={column}" for x, column in COLUMNS.items())]),
        ("strict_area", ["--score", "p_dog", "--positive", "dog"]),
    ],
)
def test_the_command_line_by_slice(metric: str, options: list[str], tmp_path: Path) -> None:
    path = str(tmp_path / "items.parquet")
    ITEMS.frame.to_parquet(path)
    asked = ["score", path, "--true", "gold", "-m", metric, "--by", "lang", *options]
    result = CliRunner().invoke(app, asked)
    assert result.exit_code == 0, result.output
    here = np.array(ITEMS.lang) == "de"
    known: dict[str, Any] = {"labels": NAMES} if metric == "own_distance" else {}
    values = np.array(ARRAYS[metric][0])[here]
    part = wf.score(np.array(ITEMS.true)[here], values, metric, **OPTIONS[metric][0], **known)
    assert f"{part.value:.4f}" in result.output
