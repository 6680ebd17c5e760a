"""Intervals: against closed forms, other libraries, and resampled rows."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

import whichf1 as wf
from tests.helpers.strategies import definitions, items
from whichf1.definitions.definition import Definition, define
from whichf1.definitions.methods import METHODS
from whichf1.errors import DefinitionError, FileError, MergeError
from whichf1.metrics import COUNTED, METRICS, find
from whichf1.statistics import cells as summing
from whichf1.statistics import sample as sampling
from whichf1.statistics.cells import Cells
from whichf1.statistics.intervals import PROPORTIONS, estimate, replicates
from whichf1.statistics.sample import Sample
from whichf1.tables.cells import Table

COUNT_METRICS = tuple(name for name, metric in METRICS.items() if metric.kind in COUNTED)


def random_counts(seed, k, least=1, most=30):
    rng = np.random.default_rng(seed)
    matrix = rng.integers(least, most, (k, k)) + np.diag(rng.integers(20, 60, k))
    return wf.Counts.from_matrix(matrix, rows="true")


def error(name, counts, **options):
    definition = define(name, None, options)
    return errors(definition, definition.freeze(counts))[0]


def sample_of(frozen):
    units = frozen.units
    squares, cluster = (None, None) if units is None else (units.squares, units.cluster)
    return Sample(frozen.table.count, squares, cluster)


def slope(definition, frozen, at):
    return Cells(definition, frozen).slope(frozen.table.count, at)


def errors(definition, frozen):
    return [spread.error for spread in Cells(definition, frozen).spreads(sample_of(frozen))[1]]


# the derivatives


def every_definition():
    for name in COUNT_METRICS:
        for average, formula, undefined in product(
            (None, "macro", "micro", "weighted"), (None, "of-averages"), (0, "skip")
        ):
            try:
                yield Definition(metric=name, average=average, formula=formula, undefined=undefined)
            except DefinitionError:
                continue


@pytest.mark.parametrize("definition", list(every_definition()), ids=lambda d: d.signature)
def test_slopes_are_those_of_a_complex_step(definition):
    """A step of 1e-100 i through the formula on the table itself: another way, exact too."""
    counts = random_counts(3, 4)
    frozen = definition.freeze(counts)
    table = frozen.table
    step = 1e-100j * np.eye(len(table.count))
    moved = Table(table.true, table.predicted, table.count + step, table.classes)
    expected = np.atleast_2d(definition.values(frozen, moved).imag.T / 1e-100)
    for at, row in enumerate(expected):
        np.testing.assert_allclose(slope(definition, frozen, at), row, rtol=1e-9, atol=1e-15)


@given(items(), definitions(names=COUNT_METRICS))
def test_scores_do_not_change_when_all_counts_are_multiplied(pairs, definition):
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


def test_an_epsilon_in_the_denominators_is_taken_account_of():
    """Then all counts multiplied give another score, and slopes must be centred."""
    counts = random_counts(3, 3, most=4)
    near = define("averaged_f1", None, {"epsilon": 3.0})
    frozen = near.freeze(counts)
    rng = np.random.default_rng(0)
    drawn = rng.multinomial(counts.n, counts.count / counts.n, 20_000).astype(float)
    table = Table(counts.true, counts.predicted, drawn, 3)
    spread = near.values(frozen, table).std()
    assert errors(near, frozen)[0] == pytest.approx(spread, rel=0.04)
    each = define("f1", None, {"epsilon": 3.0})
    spreads = each.values(each.freeze(counts), table).std(0)
    np.testing.assert_allclose(errors(each, each.freeze(counts)), spreads, rtol=0.05)


# closed forms


def proportions(counts):
    p = counts.matrix / counts.n
    return p, p.sum(1), p.sum(0), np.diag(p), len(p)


def takahashi_averaged(counts):
    """Takahashi et al. 2022, the variance of 'sample macro F1'."""
    p, rows, columns, hit, r = proportions(counts)
    d = rows + columns
    f = 2 * hit / d
    own = f * (d - 2 * hit) / d**2 * ((d - 2 * hit) / d + f / 2)
    cross = (p * np.outer(f / d, f / d)).sum() - (hit * (f / d) ** 2).sum()
    return 2 / (counts.n * r**2) * (own.sum() + cross)


def takahashi_of_averages(counts):
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
def test_variances_are_takahashis(k):
    counts = random_counts(k, k)
    for name, closed in (
        ("averaged_f1", takahashi_averaged),
        ("f1_of_averages", takahashi_of_averages),
    ):
        assert error(name, counts) ** 2 == pytest.approx(closed(counts), rel=1e-10)


@pytest.mark.parametrize("k", [2, 5, 11])
def test_variances_of_agreement_are_the_closed_ones(k):
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


# proportions


@pytest.mark.parametrize(("x", "n"), [(0, 7), (3, 7), (7, 7), (1, 1), (95, 100), (812, 2019)])
def test_proportions_are_those_of_scipy(x, n):
    counts = wf.Counts.from_matrix([[x, n - x], [0, 5]], rows="true")
    scipy = stats.binomtest(x, n)
    for word, name in (("wilson", "wilson"), ("clopper-pearson", "exact")):
        ours = wf.recall(counts, positive=0, interval=word).interval
        theirs = scipy.proportion_ci(0.95, method=name)
        assert (ours.low, ours.high) == pytest.approx(tuple(theirs), abs=1e-9)
    ours = wf.recall(counts, positive=0, interval="jeffreys").interval
    beta = stats.beta(x + 0.5, n - x + 0.5)
    expected = (0 if x == 0 else beta.ppf(0.025), 1 if x == n else beta.ppf(0.975))
    assert (ours.low, ours.high) == pytest.approx(expected, abs=1e-9)
    ours = wf.recall(counts, positive=0, interval="agresti_coull").interval
    z2 = stats.norm.ppf(0.975) ** 2
    p = (x + z2 / 2) / (n + z2)
    half = math.sqrt(z2 * p * (1 - p) / (n + z2))
    assert (ours.low, ours.high) == pytest.approx((max(0, p - half), min(1, p + half)), abs=1e-12)


def test_f1_is_a_proportion_in_disguise():
    counts = wf.Counts.from_matrix([[8, 2], [1, 30]], rows="true")
    for word in PROPORTIONS:
        j = wf.jaccard(counts, positive=0, interval=word).interval
        f = wf.f1(counts, positive=0, interval=word).interval
        assert (f.low, f.high) == pytest.approx(
            (2 * j.low / (1 + j.low), 2 * j.high / (1 + j.high))
        )


def test_which_scores_are_shares_of_items():
    counts = random_counts(1, 3)
    shares = [
        wf.accuracy(counts, interval="wilson"),
        wf.error_rate(counts, interval="wilson"),
        wf.micro_f1(counts, interval="wilson"),
        wf.precision(counts, average="micro", exclude=[0], interval="wilson"),
        wf.specificity(counts, positive=1, interval="wilson"),
    ]
    for score in shares:
        assert score.interval.low < score.value < score.interval.high
    assert shares[0].interval.low == pytest.approx(1 - shares[1].interval.high)
    assert shares[0].interval.low == pytest.approx(shares[2].interval.low)
    no_shares = [
        lambda: wf.averaged_f1(counts, interval="wilson"),
        lambda: wf.cohen_kappa(counts, interval="wilson"),
        lambda: wf.mcc(counts, interval="jeffreys"),
        lambda: wf.micro_f1(counts, exclude=[0], interval="wilson"),
        lambda: wf.informedness(counts, positive=0, interval="wilson"),
        lambda: wf.f_beta(counts, beta=2, positive=0, interval="wilson"),
    ]
    for call in no_shares:
        with pytest.raises(DefinitionError, match="fraction of items"):
            call()
    with pytest.raises(DefinitionError, match="whole ROC AUC"):
        wf.accuracy(counts, interval="delong")


# resampling


@pytest.mark.parametrize("name", ["averaged_f1", "f1_of_averages", "mcc"])
def test_cells_are_resampled_as_rows_are(name):
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


def test_clusters_are_resampled_whole():
    rng = np.random.default_rng(4)
    true = rng.integers(0, 2, 60)
    predicted = np.where(rng.random(60) < 0.7, true, 1 - true)
    cluster = np.repeat(np.arange(15), [2, 6] * 7 + [4])
    counts = wf.count(true, predicted, cluster=cluster)
    definition = define("averaged_f1", None, {"interval": wf.Bootstrap(replicates=5000)})
    frozen = definition.freeze(counts)
    cells = replicates([Cells(definition, frozen)], sample_of(frozen), 5000, 2019)[:, 0]
    rows = []
    for _ in range(5000):
        chosen = np.concatenate([np.flatnonzero(cluster == c) for c in rng.integers(0, 15, 15)])
        rows.append(float(wf.averaged_f1(true[chosen], predicted[chosen], labels=[0, 1])))
    assert stats.ks_2samp(cells, rows).pvalue > 0.01


def test_the_same_seed_gives_the_same_bytes(monkeypatch):
    counts = random_counts(2, 5)
    for method in (wf.Bootstrap(seed=7), wf.Bootstrap(seed=7, kind="percentile")):
        first = wf.f1_of_averages(counts, interval=method)
        monkeypatch.setattr(sampling, "CHUNK", 1000)
        assert wf.f1_of_averages(counts, interval=method).interval == first.interval
        monkeypatch.undo()
        other = wf.f1_of_averages(counts, interval=wf.Bootstrap(seed=8, kind=method.kind))
        assert other.interval != first.interval


def test_many_cells_are_summed_as_few_are(monkeypatch):
    counts = random_counts(2, 12)
    few = [wf.mcc(counts, interval="bootstrap"), wf.averaged_f1(counts, interval="bootstrap")]
    monkeypatch.setattr(summing, "FEW_CELLS", 0)
    many = [wf.mcc(counts, interval="bootstrap"), wf.averaged_f1(counts, interval="bootstrap")]
    for a, b in zip(few, many, strict=True):
        assert (a.interval.low, a.interval.high) == (b.interval.low, b.interval.high)


def test_undefined_replicates_are_counted():
    counts = wf.Counts.from_matrix([[1, 0], [0, 30]], rows="true")
    score = wf.recall(counts, positive=0, undefined="nan", interval="bootstrap")
    assert score.interval is None  # every replicate that has the class gives 1
    counts = wf.Counts.from_matrix([[1, 1], [0, 30]], rows="true")
    interval = wf.recall(counts, positive=0, undefined="nan", interval="bootstrap").interval
    expected = 9999 * (30 / 32) ** 32
    assert abs(interval.undefined - expected) < 5 * math.sqrt(expected)
    assert 0 <= interval.low < interval.high <= 1


def test_bootstrap_and_delta_agree_on_many_items():
    rng = np.random.default_rng(0)
    true = rng.integers(0, 4, 20_000)
    predicted = np.where(rng.random(20_000) < 0.7, true, rng.integers(0, 4, 20_000))
    counts = wf.count(true, predicted)
    for name in COUNT_METRICS:
        options = {"average": "macro"} if find(name).kind == "rate" else {}
        delta = wf.score(counts, name, interval="delta", **options).interval
        for kind in ("percentile", "bca"):
            method = wf.Bootstrap(replicates=1999, kind=kind)
            drawn = wf.score(counts, name, interval=method, **options).interval
            if name == "prevalence":  # its mean over classes is a constant
                assert delta is None
                assert drawn is None or drawn.high - drawn.low < 1e-12
                continue
            width = delta.high - delta.low
            assert drawn.low == pytest.approx(delta.low, abs=0.12 * width), name
            assert drawn.high == pytest.approx(delta.high, abs=0.12 * width), name


# weights


def test_equal_weights_change_nothing():
    rng = np.random.default_rng(1)
    true, predicted = rng.integers(0, 3, (2, 300))
    plain = wf.averaged_f1(true, predicted, interval="delta").interval
    weighted = wf.averaged_f1(true, predicted, weights=np.full(300, 2.5), interval="delta").interval
    assert (weighted.low, weighted.high) == pytest.approx((plain.low, plain.high))
    each = wf.recall.per_class(true, predicted, weights=np.full(300, 2.5), interval="delta")
    assert each[1].interval.low == pytest.approx(
        wf.recall(true, predicted, positive=1, interval="delta").interval.low
    )


@pytest.mark.parametrize("method", ["delta", "percentile", "bca"])
def test_weighted_intervals_are_those_of_resampled_rows(method):
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
    assert ours.low == pytest.approx(low, abs=0.1 * (high - low))
    assert ours.high == pytest.approx(high, abs=0.1 * (high - low))


def test_sums_of_squared_weights_are_merged_and_saved(tmp_path):
    rng = np.random.default_rng(3)
    true, predicted, weights = rng.integers(0, 3, 90), rng.integers(0, 3, 90), rng.random(90)
    whole = wf.count(true, predicted, weights=weights)
    parts = [
        wf.count(true[s], predicted[s], weights=weights[s]) for s in (slice(0, 40), slice(40, 90))
    ]
    merged = sum(parts)
    np.testing.assert_allclose(merged.squares, whole.squares)
    whole.save(tmp_path / "c.json")
    loaded = wf.Counts.load(tmp_path / "c.json")
    np.testing.assert_array_equal(loaded.squares, whole.squares)
    assert wf.mcc(loaded, interval="delta").interval == wf.mcc(whole, interval="delta").interval
    text = (tmp_path / "c.json").read_text()
    (tmp_path / "bad.json").write_text(text.replace('"squares": [', '"squares": [-1, '))
    with pytest.raises(FileError, match="squared weights"):
        wf.Counts.load(tmp_path / "bad.json")
    old = wf.Counts(
        whole.labels, whole.true, whole.predicted, whole.count, declared=False, squares=None
    )
    assert wf.mcc(old, interval="delta").interval is None  # squares are not known


def test_weighted_files_are_counted_with_squares(tmp_path):
    path = tmp_path / "w.csv"
    path.write_text("true,pred,w\na,a,2\na,a,3\nb,a,1\nb,b,4\n")
    counts = wf.count(path, weights="w")
    assert counts.squares.tolist() == [13.0, 1.0, 16.0]


# clusters


def test_items_that_are_their_own_cluster_are_single_items():
    rng = np.random.default_rng(1)
    n = 200
    true, predicted = rng.integers(0, 3, n), rng.integers(0, 3, n)
    for name in ("averaged_f1", "mcc", "accuracy"):
        alone = define(name, None, {"interval": "delta"})
        clustered = wf.count(true, predicted, cluster=np.arange(n))
        own = errors(alone, alone.freeze(clustered))[0]
        plain = errors(alone, alone.freeze(wf.count(true, predicted)))[0]
        assert own == pytest.approx(plain * math.sqrt(n / (n - 1)), rel=1e-10)


def test_copies_in_a_cluster_say_nothing_new():
    rng = np.random.default_rng(1)
    true, predicted = rng.integers(0, 3, 150), rng.integers(0, 3, 150)
    doubled = [np.repeat(x, 2) for x in (true, predicted)]
    ids = np.repeat(np.arange(150), 2)
    options = {"interval": "delta"}
    one = wf.averaged_f1(true, predicted, cluster=np.arange(150), **options)
    two = wf.averaged_f1(*doubled, cluster=ids, **options)
    assert two.value == one.value
    assert two.interval.low == pytest.approx(one.interval.low, rel=1e-10)
    assert "clusters:150" in two.signature
    each = wf.recall.per_class(*doubled, cluster=[f"d{i}" for i in ids], **options)
    plain = wf.recall.per_class(true, predicted, cluster=np.arange(150), **options)
    assert each[2].interval.low == pytest.approx(plain[2].interval.low)


def test_clusters_of_files_and_their_limits(tmp_path):
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
    assert ignored.interval.low < ignored.value < ignored.interval.high
    with pytest.raises(DefinitionError, match="single items"):
        wf.accuracy(counts, interval="wilson")


# DeLong


def test_sets_of_labels_are_resampled():
    rng = np.random.default_rng(6)
    true = rng.random((300, 4)) < 0.4
    predicted = true ^ (rng.random((300, 4)) < 0.2)
    counts = wf.count_multilabel(true, predicted)
    for average in ("macro", "micro", "weighted", "samples"):
        delta = wf.f1(counts, average=average, interval="delta").interval
        drawn = wf.f1(counts, average=average, interval=wf.Bootstrap(replicates=1999)).interval
        width = delta.high - delta.low
        assert drawn.low == pytest.approx(delta.low, abs=0.15 * width)
    with pytest.raises(DefinitionError, match="fraction of items"):
        wf.f1.per_class(counts, interval="wilson")


# edges

EDGES = {
    "perfect": [[9, 0, 0], [0, 9, 0], [0, 0, 9]],
    "all wrong": [[0, 5, 5], [5, 0, 5], [5, 5, 0]],
    "one item": [[1, 0, 0], [0, 0, 0], [0, 0, 0]],
    "one wrong item": [[0, 1, 0], [0, 0, 0], [0, 0, 0]],
    "one class": [[7, 0, 0], [0, 0, 0], [0, 0, 0]],
    "two items": [[1, 0, 0], [0, 0, 1], [0, 0, 0]],
    "one predicted": [[4, 0, 0], [3, 0, 0], [2, 0, 0]],
    "one error": [[900, 1, 0], [0, 900, 0], [0, 0, 900]],
}


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("method", [*METHODS, "percentile"])
def test_intervals_at_the_edges_stay_inside_or_are_none(edge, method):
    counts = wf.Counts.from_matrix(EDGES[edge], rows="true")
    chosen = wf.Bootstrap(replicates=99) if method == "bootstrap" else method
    chosen = wf.Bootstrap(replicates=99, kind=method) if method == "percentile" else chosen
    given_some = 0
    for definition in every_definition():
        own = define(
            definition.metric,
            dict(definition.parameters),
            {
                "average": definition.average,
                "formula": definition.formula,
                "interval": chosen,
                **({"undefined": definition.undefined} if definition.undefined else {}),
            },
        )
        low, high = find(own.metric).bounds
        try:
            values, intervals = estimated(own, counts)
        except DefinitionError:
            assert method in (*PROPORTIONS, "delong")
            continue
        for value, interval in zip(values, intervals, strict=True):
            if interval is not None:
                given_some += 1
                assert low <= interval.low <= interval.high <= high
                assert math.isfinite(value)
                assert interval.low < interval.high
    assert given_some or method == "delong" or edge in ("one item", "one wrong item", "one class")


def estimated(definition, counts):
    frozen = definition.freeze(counts)
    return estimate(definition, Cells(definition, frozen), sample_of(frozen))


def test_wilson_has_an_interval_where_delta_has_none():
    perfect = wf.Counts.from_matrix([[50, 0], [0, 50]], rows="true")
    assert wf.accuracy(perfect, interval="delta").interval is None
    interval = wf.accuracy(perfect, interval="wilson").interval
    assert interval.high == 1
    assert interval.low == pytest.approx(0.963, abs=5e-4)


# signatures


@pytest.mark.parametrize(
    "method",
    [
        wf.Delta(level=0.9),
        wf.Bootstrap(level=0.8, replicates=199, seed=3, kind="percentile"),
        wf.Wilson(),
        wf.ClopperPearson(level=0.99),
        wf.AgrestiCoull(),
        wf.Jeffreys(),
    ],
)
def test_methods_stand_in_signatures_that_run(method):
    counts = random_counts(9, 3)
    score = wf.accuracy(counts, interval=method)
    again = wf.Definition.parse(score.signature)
    assert again.interval == method
    assert again(counts).interval == score.interval
    for field, value in method.fields().items():
        assert f"{field}:{value}" in score.signature


def test_methods_refuse_what_they_do_not_take():
    for call, message in (
        (lambda: wf.Bootstrap(replicates=0), "at least 1"),
        (lambda: wf.Bootstrap(seed=-1), "at least 0"),
        (lambda: wf.Bootstrap(seed=True), "at least 0"),
        (lambda: wf.Bootstrap(kind="basic"), "percentile"),
        (lambda: wf.Definition.parse("accuracy|interval:delta|seed:3"), "has no parameter 'seed'"),
        (lambda: wf.accuracy([0], [0], interval="bootstrp"), "Did you mean 'bootstrap'"),
    ):
        with pytest.raises(DefinitionError, match=message):
            call()
