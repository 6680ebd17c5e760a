"""What is drawn: whole clusters, by a seed, with a bar on a terminal."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import whichf1 as wf
from tests.helpers.samples import random_counts, sample_of
from whichf1 import kernel
from whichf1.definitions.definition import define
from whichf1.statistics import sample as sampling
from whichf1.statistics.cells import Cells
from whichf1.statistics.intervals import replicates
from whichf1.tables.cells import Table


def test_clusters_are_resampled_whole() -> None:
    rng = np.random.default_rng(4)
    true = rng.integers(0, 2, 60)
    predicted = np.where(rng.random(60) < 0.7, true, 1 - true)
    cluster = np.repeat(np.arange(15), [2, 6] * 7 + [4])
    counts = wf.count(true, predicted, cluster=cluster)
    key = true * 2 + predicted
    definition = define("averaged_f1", None, {"interval": wf.Bootstrap(replicates=5000)})
    frozen = definition.freeze(counts)
    cells = replicates([Cells(definition, frozen)], sample_of(frozen), 5000, 2019)[:, 0]
    times = rng.multinomial(15, [1 / 15] * 15, 5000)  # how often each cluster is drawn
    rows = (times @ (cluster == np.arange(15)[:, None])).astype(float)
    drawn = np.stack([rows[:, key == cell].sum(1) for cell in range(4)], -1)
    values = definition.values(frozen, Table(*np.divmod(np.arange(4), 2), drawn, 2))
    assert stats.ks_2samp(cells, values).pvalue > 0.01


def test_the_same_seed_gives_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = random_counts(2, 5)
    for method in (wf.Bootstrap(seed=7), wf.Bootstrap(seed=7, kind="percentile")):
        first = wf.f1_of_averages(counts, interval=method)
        monkeypatch.setattr(sampling, "CHUNK", 1000)
        assert wf.f1_of_averages(counts, interval=method).interval == first.interval
        monkeypatch.undo()
        other = wf.f1_of_averages(counts, interval=wf.Bootstrap(seed=8, kind=method.kind))
        assert other.interval != first.interval


@pytest.mark.parametrize("table", ["counts", "sets", "scores", "decided"])
def test_numbered_clusters_are_drawn_alike_from_text_and_numbers(
    table: str, tmp_path: Path
) -> None:
    """A seed draws clusters by their places: 2 before 10, in a CSV, too."""
    rng = np.random.default_rng(6)
    true, guess, doc = (rng.integers(0, most, 200) for most in (2, 2, 25))
    s = rng.random(200).round(2)
    path = tmp_path / "a.csv"
    rows = zip(true, guess, s, doc, strict=True)
    path.write_text("true,pred,s,doc\n" + "".join(f"{a},{b},{x},{c}\n" for a, b, x, c in rows))
    column: dict[str, Any] = {"true": "true", "score": "s", "cluster": "doc"}

    def intervals(cluster: Any) -> list[wf.Interval | None]:
        method = wf.Bootstrap(replicates=199)
        if table == "scores":
            scores = (
                wf.roc_auc(path, **column, interval=method),
                wf.roc_auc(true, s, cluster=cluster, interval=method),
            )
            return [each.interval for each in scores]
        tables: tuple[Any, Any]
        if table == "counts":
            tables = wf.count(path, cluster="doc"), wf.count(true, guess, cluster=cluster)
        elif table == "sets":
            sides = [[{int(x)} for x in each] for each in (true, guess)]
            file = wf.count_multilabel(path, sep=";", cluster="doc")
            tables = file, wf.count_multilabel(*sides, cluster=cluster)
        else:
            decided = wf.at_threshold(path, threshold=0.5, **column)
            tables = decided, wf.at_threshold(true, s, 0.5, cluster=cluster)
        return [wf.averaged_f1(each, interval=method).interval for each in tables]

    assert len({*intervals(doc), *intervals(doc.astype(str))}) == 1


def test_parts_are_computed_alongside_other_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "THREADS", 2)
    places: list[str] = []

    def parts() -> Iterator[Any]:
        for at in range(3):
            places.append(threading.current_thread().name)
            yield np.full(2, at)

    for size in (1, sampling.MANY):
        done, computed = sampling.alongside(lambda: "done", parts(), size)
        assert done == "done"
        assert np.array_equal(computed, [[0, 0], [1, 1], [2, 2]])
    here = threading.current_thread().name
    assert [name == here for name in places] == [True] * 3 + [False] * 3


def test_an_error_stops_what_is_computed_alongside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "THREADS", 2)
    failed = threading.Event()

    def parts() -> Iterator[Any]:
        while True:  # without the error, forever
            failed.wait(60)
            yield np.zeros(1)

    def interrupted() -> None:
        failed.set()
        raise KeyboardInterrupt

    before = {*threading.enumerate()}
    with pytest.raises(KeyboardInterrupt):
        sampling.alongside(interrupted, parts(), sampling.MANY)
    assert {*threading.enumerate()} <= before


def test_parts_are_computed_ahead() -> None:
    assert [*sampling.ahead(iter(range(1, 6)))] == [1, 2, 3, 4, 5]
    assert [*sampling.ahead(iter(range(0)))] == []

    def failing() -> Iterator[int]:
        yield 1
        raise ValueError("no further part")

    with pytest.raises(ValueError, match="no further part"):
        [*sampling.ahead(failing())]


def test_nothing_is_computed_ahead_once_parts_are_not_asked_for() -> None:
    before = {*threading.enumerate()}
    computed: list[int] = []

    def parts() -> Iterator[int]:
        for at in range(1, 100):
            computed.append(at)
            yield at

    every: Any = sampling.ahead(parts())
    assert next(every) == 1
    every.close()
    assert len(computed) <= 3  # at most one for each that was asked for, and two ahead
    assert {*threading.enumerate()} <= before


SEEDED = """
import numpy as np
import whichf1 as wf

rng = np.random.default_rng(0)
true = rng.integers(0, 8, 3000)
a, b = (np.where(rng.random(3000) < 0.7, true, rng.integers(0, 8, 3000)) for _ in range(2))
counts, method = wf.count(true, a), wf.Bootstrap(replicates=3000, seed=11)
for score in (wf.accuracy, wf.averaged_f1, wf.weighted_f1, wf.cohen_kappa):
    interval = score(counts, interval=method).interval
    print(score.__name__, interval.low.hex(), interval.high.hex())
compared = wf.compare(true, {"A": a, "B": b}, replicates=999, seed=11)
print(dict(compared.wins), compared.pairs[0].p_randomization)
"""


def test_a_seed_gives_the_same_bytes_with_any_number_of_threads() -> None:
    printed: set[str] = set()
    for threads, native in (("1", "1"), ("2", "1"), ("64", "1"), ("1", "0")):
        run = subprocess.run(
            [sys.executable, "-c", SEEDED],
            env={**os.environ, "WHICHF1_THREADS": threads, "WHICHF1_NATIVE": native},
            capture_output=True,
            text=True,
            check=True,
        )
        printed.add(run.stdout)
    assert len(printed) == 1, printed
