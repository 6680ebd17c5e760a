"""Statistics of counts: slopes, closed forms, weights and clusters."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from scipy import stats

import whichf1 as wf
from tests.helpers.samples import (
    SMOOTH_METRICS,
    Pairs,
    counted_definitions,
    ends,
    present,
    random_counts,
    sample_of,
)
from tests.helpers.strategies import WEIGHABLE, definitions, items
from whichf1.definitions.definition import Definition, define
from whichf1.errors import DefinitionError, FileError, IntervalWarning, MergeError
from whichf1.metrics import find
from whichf1.statistics import cells as summing
from whichf1.statistics.cells import Cells
from whichf1.statistics.intervals import replicates
from whichf1.tables.cells import Table


def slope(definition: Definition, frozen: Any, at: Any) -> Any:
    return Cells(definition, frozen).slope(frozen.table.count, at)


def errors(definition: Definition, frozen: Any) -> Any:
    return [spread.error for spread in Cells(definition, frozen).spreads(sample_of(frozen))[1]]


def error(name: str, counts: wf.Counts, **options: Any) -> Any:
    definition = define(name, None, options)
    return errors(definition, definition.freeze(counts))[0]


@pytest.mark.parametrize("definition", list(counted_definitions()), ids=lambda d: d.signature)
def test_slopes_are_those_of_a_complex_step(definition: Definition) -> None:
    """A step of 1e-100 i through the formula on the table itself: another way, exact too."""
    counts = random_counts(3, 4)
    frozen = definition.freeze(counts)
    table = frozen.table
    step = 1e-100j * np.eye(len(table.count))
    moved = Table(table.true, table.predicted, table.count + step, table.classes)
    expected = np.atleast_2d(definition.values(frozen, moved).imag.T / 1e-100)
    for at, row in enumerate(expected):
        np.testing.assert_allclose(slope(definition, frozen, at), row, rtol=1e-9, atol=1e-15)


@settings(max_examples=60)
@given(items(), definitions(names=[x for x in SMOOTH_METRICS if x in WEIGHABLE]))
def test_scores_do_not_change_when_all_counts_are_multiplied(
    pairs: Pairs, definition: Definition
) -> None:
    """What the variance rests on: Σ count·∂M/∂count = 0 for every definition."""
    if definition.average == "samples" or definition.epsilon or definition.batch:
        return
    counts = wf.count(*zip(*pairs, strict=True), labels=range(6))
    frozen = definition.freeze(counts)
    several = find(definition.metric).kind == "rate" and definition.average is None
    for at in range(len(frozen.classes) if several else 1):
        by_cell = slope(definition, frozen, at)
        if np.isfinite(by_cell).all():
            total = (frozen.table.count * by_cell).sum()
            assert abs(total) <= 1e-9 * max(1, np.abs(frozen.table.count * by_cell).sum())


def test_slopes_take_account_of_an_epsilon_in_the_denominators() -> None:
    """Then all counts multiplied give another score, and slopes must be centred."""
    counts = random_counts(3, 3, most=4)
    near = define("averaged_f1", None, {"epsilon": 3.0})
    frozen = near.freeze(counts)
    rng = np.random.default_rng(0)
    drawn = rng.multinomial(int(counts.n), counts.count / counts.n, 20_000).astype(float)
    table = Table(counts.true, counts.predicted, drawn, 3)
    spread = near.values(frozen, table).std()
    assert errors(near, frozen)[0] == pytest.approx(spread, rel=0.04)
    each = define("f1", None, {"epsilon": 3.0})
    spreads = each.values(each.freeze(counts), table).std(0)
    np.testing.assert_allclose(errors(each, each.freeze(counts)), spreads, rtol=0.05)


def proportions(counts: wf.Counts) -> Any:
    p = counts.matrix / counts.n
    return p, p.sum(1), p.sum(0), np.diag(p), len(p)


def takahashi_averaged(counts: wf.Counts) -> Any:
    """Takahashi et al. 2022, the variance of 'sample macro F1'."""
    p, rows, columns, hit, r = proportions(counts)
    d = rows + columns
    f = 2 * hit / d
    own = f * (d - 2 * hit) / d**2 * ((d - 2 * hit) / d + f / 2)
    cross = (p * np.outer(f / d, f / d)).sum() - (hit * (f / d) ** 2).sum()
    return 2 / (counts.n * r**2) * (own.sum() + cross)


def takahashi_of_averages(counts: wf.Counts) -> Any:
    """The same for the harmonic mean of macro precision and macro recall."""
    p, rows, columns, hit, r = proportions(counts)
    mean_p, mean_r = (hit / columns).mean(), (hit / rows).mean()
    v_p = (hit * (columns - hit) / columns**3).sum() / r**2
    v_r = (hit * (rows - hit) / rows**3).sum() / r**2
    both = p * np.outer(hit / rows**2, hit / columns**2)
    c = ((columns - hit) * hit * (rows - hit) / (columns**2 * rows**2)).sum()
    c = (c + both.sum() - np.trace(both)) / r**2
    top = mean_r**4 * v_p + 2 * mean_p**2 * mean_r**2 * c + mean_p**4 * v_r
    return 4 * top / (mean_p + mean_r) ** 4 / counts.n


@pytest.mark.parametrize("k", [2, 3, 7, 20])
def test_variances_are_takahashis(k: int) -> None:
    counts = random_counts(k, k)
    for name, closed in (
        ("averaged_f1", takahashi_averaged),
        ("f1_of_averages", takahashi_of_averages),
    ):
        assert error(name, counts) ** 2 == pytest.approx(closed(counts), rel=1e-10)


@pytest.mark.parametrize("k", [2, 5, 11])
def test_variances_of_agreement_are_the_closed_ones(k: int) -> None:
    counts = random_counts(k, k)
    p, rows, columns, hit, _ = proportions(counts)
    n, o, eye = counts.n, hit.sum(), np.eye(k)
    assert error("accuracy", counts) == pytest.approx(math.sqrt(o * (1 - o) / n), rel=1e-12)
    assert error("micro_f1", counts) == pytest.approx(math.sqrt(o * (1 - o) / n), rel=1e-12)
    e = (rows * columns).sum()
    kappa = (eye * (1 - e) - (columns[:, None] + rows[None, :]) * (1 - o)) / (1 - e) ** 2
    top, u, v = o - e, 1 - (columns**2).sum(), 1 - (rows**2).sum()
    d_top = eye + o - columns[:, None] - rows[None, :]
    d_u, d_v = 2 - 2 * columns[None, :], 2 - 2 * rows[:, None]
    mcc = d_top / math.sqrt(u * v) - top / 2 * (d_u / (u**1.5 * v**0.5) + d_v / (u**0.5 * v**1.5))
    for name, g in (("cohen_kappa", kappa), ("mcc", mcc)):
        variance = ((p * g**2).sum() - (p * g).sum() ** 2) / n
        assert error(name, counts) == pytest.approx(math.sqrt(variance), rel=1e-10)


@pytest.mark.parametrize("name", ["averaged_f1", "f1_of_averages", "mcc"])
def test_cells_are_resampled_as_rows_are(name: str) -> None:
    rng = np.random.default_rng(4)
    true = rng.choice(3, 60, p=[0.6, 0.3, 0.1])
    predicted = np.where(rng.random(60) < 0.6, true, rng.integers(0, 3, 60))
    counts = wf.count(true, predicted, labels=range(3))
    definition = define(name)
    frozen = definition.freeze(counts)
    cells = replicates([Cells(definition, frozen)], sample_of(frozen), 10_000, 1)
    rows = rng.integers(0, 60, (10_000, 60))
    key = true[rows] * 3 + predicted[rows]
    count = (key[:, :, None] == np.arange(9)).sum(1).astype(float)
    whole = Table(*np.divmod(np.arange(9), 3), count, 3)
    test = stats.ks_2samp(cells[:, 0], definition.values(frozen, whole))
    assert test.pvalue > 0.01


def test_many_cells_are_summed_like_few(monkeypatch: pytest.MonkeyPatch) -> None:
    counts, method = random_counts(2, 12), wf.Bootstrap(replicates=999)
    few = [score(counts, interval=method) for score in (wf.mcc, wf.averaged_f1)]
    monkeypatch.setattr(summing, "FEW_CELLS", 0)
    many = [score(counts, interval=method) for score in (wf.mcc, wf.averaged_f1)]
    for a, b in zip(few, many, strict=True):
        assert ends(a.interval) == (
            present(b.interval).low,
            present(b.interval).high,
        )


def test_equal_weights_change_nothing() -> None:
    rng = np.random.default_rng(1)
    true, predicted = rng.integers(0, 3, (2, 300))
    plain = wf.averaged_f1(true, predicted, interval="delta").interval
    weighted = wf.averaged_f1(true, predicted, weights=np.full(300, 2.5), interval="delta").interval
    assert ends(weighted) == pytest.approx(ends(plain))
    each = wf.recall.per_class(true, predicted, weights=np.full(300, 2.5), interval="delta")
    assert present(each[1].interval).low == pytest.approx(
        present(wf.recall(true, predicted, positive=1, interval="delta").interval).low
    )


@pytest.mark.parametrize("method", ["delta", "percentile", "bca"])
def test_weighted_intervals_are_those_of_resampled_rows(method: Any) -> None:
    rng = np.random.default_rng(2)
    n = 400
    true = rng.integers(0, 3, n)
    predicted = np.where(rng.random(n) < 0.7, true, rng.integers(0, 3, n))
    weights = rng.exponential(size=n)
    rows = rng.integers(0, n, (4000, n))
    key = true * 3 + predicted
    cells = np.stack([np.bincount(key[r], weights[r], 9) for r in rows])
    definition = define("averaged_f1")
    frozen = definition.freeze(wf.count(true, predicted))
    values = definition.values(frozen, Table(*np.divmod(np.arange(9), 3), cells, 3))
    low, high = np.quantile(values, [0.025, 0.975])
    ours = wf.averaged_f1(true, predicted, weights=weights, interval=method).interval
    assert present(ours).low == pytest.approx(low, abs=0.1 * (high - low))
    assert present(ours).high == pytest.approx(high, abs=0.1 * (high - low))


def test_sums_of_squared_weights_are_merged_and_saved(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    true, predicted, weights = rng.integers(0, 3, 90), rng.integers(0, 3, 90), rng.random(90)
    whole = wf.count(true, predicted, weights=weights)
    parts = [
        wf.count(true[s], predicted[s], weights=weights[s]) for s in (slice(0, 40), slice(40, 90))
    ]
    merged = parts[0] + parts[1]
    np.testing.assert_allclose(present(merged.squares), present(whole.squares))
    whole.save(tmp_path / "c.json")
    loaded = wf.Counts.load(tmp_path / "c.json")
    np.testing.assert_array_equal(loaded.squares, whole.squares)
    assert wf.mcc(loaded, interval="delta").interval == wf.mcc(whole, interval="delta").interval
    saved = json.loads((tmp_path / "c.json").read_text())
    del saved["checksum"], saved["kind"]  # as files saved before have none
    saved["squares"][0] = -1
    (tmp_path / "bad.json").write_text(json.dumps(saved))
    with pytest.raises(FileError, match="a value of 'squares' is not positive"):
        wf.Counts.load(tmp_path / "bad.json")
    old = wf.Counts(
        whole.labels, whole.true, whole.predicted, whole.count, declared=False, squares=None
    )
    with pytest.warns(IntervalWarning, match="not the sums of their squares"):
        assert wf.mcc(old, interval="delta").interval is None


def test_weighted_files_are_counted_with_squares(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text("true,pred,w\na,a,2\na,a,3\nb,a,1\nb,b,4\n")
    counts = wf.count(path, weights="w")
    assert present(counts.squares).tolist() == [13.0, 1.0, 16.0]


def test_clusters_of_one_item_are_items() -> None:
    rng = np.random.default_rng(1)
    n = 200
    true, predicted = rng.integers(0, 3, n), rng.integers(0, 3, n)
    for name in ("averaged_f1", "mcc", "accuracy"):
        alone = define(name, None, {"interval": "delta"})
        clustered = wf.count(true, predicted, cluster=np.arange(n))
        own = errors(alone, alone.freeze(clustered))[0]
        plain = errors(alone, alone.freeze(wf.count(true, predicted)))[0]
        assert own == pytest.approx(plain * math.sqrt(n / (n - 1)), rel=1e-10)


def test_copies_in_a_cluster_add_no_information() -> None:
    rng = np.random.default_rng(1)
    true, predicted = rng.integers(0, 3, 150), rng.integers(0, 3, 150)
    doubled = [np.repeat(x, 2) for x in (true, predicted)]
    ids = np.repeat(np.arange(150), 2)
    options: dict[str, Any] = {"interval": "delta"}
    one = wf.averaged_f1(true, predicted, cluster=np.arange(150), **options)
    two = wf.averaged_f1(*doubled, cluster=ids, **options)
    assert two.value == one.value
    assert present(two.interval).low == pytest.approx(present(one.interval).low, rel=1e-10)
    assert "clusters:150" in two.signature
    each = wf.recall.per_class(*doubled, cluster=[f"d{i}" for i in ids], **options)
    plain = wf.recall.per_class(true, predicted, cluster=np.arange(150), **options)
    assert present(each[2].interval).low == pytest.approx(present(plain[2].interval).low)


def test_clusters_of_files_and_their_limits(tmp_path: Path) -> None:
    counts = wf.count("examples/systems.csv", true="gold", pred="weak", cluster="document")
    assert wf.averaged_f1(counts).made == (("clusters", 50),)
    wider = counts.declare([*counts.labels, "horse"])
    assert wf.averaged_f1(wider, interval="delta").interval is not None
    assert sum([counts]) is counts
    with pytest.raises(MergeError, match="with clusters, the other without"):
        counts + wf.count(["cat"], ["cat"])
    one = wf.count([0, 1, 1], [0, 1, 0], cluster=["x"] * 3)
    assert wf.accuracy(one, interval="delta").interval is None
    ignored = wf.averaged_f1(counts, ignore=["cat"], interval="delta")
    assert present(ignored.interval).low < ignored.value < present(ignored.interval).high
    with pytest.raises(DefinitionError, match="without weights and clusters"):
        wf.accuracy(counts, interval="wilson")
