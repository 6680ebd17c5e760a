"""Agreement of raters: exact values, published examples, other programs, and bad input."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers import exact, raters
from tests.helpers.samples import ends
from whichf1.errors import (
    DefinitionError,
    FileError,
    InputError,
    LabelError,
    MergeError,
    WhichF1Error,
)
from whichf1.scoring.evaluate import _frozen, _sample, _statistic

GWET: list[list[Any]] = [
    [1, 1, None, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [None, 5, 5, 5], [None, None, 1, 1],
    [None, None, 3, None],
]  # fmt: skip
"""12 units and 4 raters: Gwet, Handbook of Inter-Rater Reliability (4th ed., 2014), table 2.10, and
Krippendorff, 'Computing Krippendorff's Alpha-Reliability' (2011), section C."""
FLEISS = [
    [0, 0, 0, 6, 0], [0, 3, 0, 0, 3], [0, 1, 4, 0, 1], [0, 0, 0, 0, 6], [0, 3, 0, 3, 0],
    [2, 0, 4, 0, 0], [0, 0, 4, 0, 2], [2, 0, 3, 1, 0], [2, 0, 0, 4, 0], [0, 0, 0, 0, 6],
    [1, 0, 0, 5, 0], [1, 1, 0, 4, 0], [0, 3, 3, 0, 0], [1, 0, 0, 5, 0], [0, 2, 0, 3, 1],
    [0, 0, 5, 0, 1], [3, 0, 0, 1, 2], [5, 1, 0, 0, 0], [0, 2, 0, 4, 0], [1, 0, 2, 0, 3],
    [0, 0, 0, 0, 6], [0, 1, 0, 5, 0], [0, 2, 0, 1, 3], [2, 0, 0, 4, 0], [1, 0, 0, 4, 1],
    [0, 5, 0, 1, 0], [4, 0, 0, 0, 2], [0, 2, 0, 4, 0], [1, 0, 5, 0, 0], [0, 0, 0, 0, 6],
]  # fmt: skip
"""30 patients, 6 psychiatrists, 5 diagnoses: Fleiss, 'Measuring nominal scale agreement among many
raters', Psychological Bulletin 76 (1971), table 1."""
LEVELS: tuple[Any, ...] = ("nominal", "ordinal", "interval", "ratio")
WEIGHTINGS: tuple[Any, ...] = ("none", "linear", "quadratic")


def spelled(table: list[list[int]]) -> list[list[int]]:
    """How often each category was given, as the ratings themselves."""
    return [[k for k, times in enumerate(row) for _ in range(times)] for row in table]


def close(score: float, expected: Any) -> bool:
    return bool(score == pytest.approx(0.0 if expected is None else float(expected), abs=1e-12))


def test_published_examples() -> None:
    fleiss = wf.ratings(spelled(FLEISS))
    assert round(wf.fleiss_kappa(fleiss), 2) == 0.43  # p. 381; 0.4302 in full
    assert round(wf.accuracy(fleiss), 4) == 0.5556
    gwet = wf.ratings(GWET)
    # Gwet (2014), table 2.11, and irrCAC 0.4.4
    assert round(wf.gwet_ac1(gwet), 5) == 0.77544
    assert round(wf.fleiss_kappa(gwet), 5) == 0.76117
    assert round(wf.brennan_prediger(gwet), 5) == 0.77273
    # Krippendorff (2011), section C: .743, .815, .849 and .797
    alphas = [round(wf.krippendorff_alpha(gwet, level=level), 3) for level in LEVELS]
    assert alphas == [0.743, 0.815, 0.849, 0.797]


IRRCAC: dict[str, tuple[float, float]] = {
    "fleiss_kappa": (0.43024, 0.0542),
    "gwet_ac1": (0.44788, 0.05566),
    "brennan_prediger": (0.44444, 0.05512),
    "fleiss_kappa(weighting=linear)": (0.32794, 0.08048),
    "gwet_ac1(weighting=quadratic)": (0.38023, 0.10466),
    "brennan_prediger(weighting=quadratic)": (0.33389, 0.10362),
}
"""What irrCAC 0.4.4 gives for FLEISS: the value and its standard error."""


@pytest.mark.parametrize("name", IRRCAC)
def test_standard_errors_are_those_of_irrcac(name: str) -> None:
    """Its errors have n − 1 in place of n."""
    ratings = wf.ratings(spelled(FLEISS))
    definition = wf.Definition.parse(name)
    frozen = _frozen(definition, ratings)
    statistic, sample = _statistic(definition, frozen), _sample(frozen)
    error = sample.spread(statistic.slope(sample.count)).error * np.sqrt(30 / 29)
    assert (round(definition(ratings), 5), round(error, 5)) == IRRCAC[name]


items = st.lists(
    st.lists(st.sampled_from([0, 1, 2, 4, None]), min_size=2, max_size=5), min_size=1, max_size=8
).filter(lambda rows: any(len([x for x in row if x is not None]) > 1 for row in rows))


@settings(max_examples=150)
@given(items)
def test_every_score_is_its_exact_value(rows: list[list[Any]]) -> None:
    ratings = wf.ratings(rows)
    rated = [([x for x in row if x is not None], Fraction(1)) for row in rows]
    rated = [each for each in rated if each[0]]
    labels = sorted({x for row, _ in rated for x in row})
    for level in LEVELS:
        expected = raters.krippendorff_alpha(rated, labels, level)
        assert close(wf.krippendorff_alpha(ratings, level=level), expected), level
    for weighting in WEIGHTINGS:
        cost = exact.distance(labels, weighting)
        for name in ("fleiss_kappa", "gwet_ac1", "brennan_prediger"):
            expected = getattr(raters, name)(rated, labels, cost)
            assert close(wf.score(ratings, name, weighting=weighting), expected), (name, weighting)
        assert wf.scott_pi(ratings, weighting=weighting) == pytest.approx(
            wf.fleiss_kappa(ratings, weighting=weighting), abs=1e-12
        )


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_is_that_of_the_krippendorff_package(level: Any) -> None:
    import krippendorff

    rng = np.random.default_rng(3)
    for _ in range(20):
        rows = rng.integers(0, 4, (rng.integers(5, 30), rng.integers(2, 6))).astype(float)
        rows[rng.random(rows.shape) < 0.3] = np.nan
        expected = krippendorff.alpha(rows.T, level_of_measurement=level)
        found = wf.krippendorff_alpha(wf.ratings(rows), level=level)
        assert found == pytest.approx(expected, abs=1e-9)


def test_complete_ratings_give_what_statsmodels_and_scikit_learn_give() -> None:
    from sklearn.metrics import cohen_kappa_score
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    rng = np.random.default_rng(4)
    rows = rng.integers(0, 4, (50, 5))
    assert wf.fleiss_kappa(wf.ratings(rows)) == pytest.approx(
        fleiss_kappa(aggregate_raters(rows)[0])
    )
    # two raters and all in both orders: the margins of both are alike, as pi assumes
    two = np.concatenate([rows[:, :2], rows[:, 1::-1]])
    for weighting in WEIGHTINGS:
        weights = None if weighting == "none" else weighting
        expected = cohen_kappa_score(*two.T, weights=weights)
        found = wf.fleiss_kappa(wf.ratings(two), weighting=weighting)
        assert found == pytest.approx(expected)


@settings(max_examples=60)
@given(items, st.randoms(use_true_random=False))
def test_neither_order_nor_parts_matter(rows: list[list[Any]], random: Any) -> None:
    whole = wf.ratings(rows, labels=[0, 1, 2, 4])
    mixed = [random.sample(row, len(row)) for row in random.sample(rows, len(rows))]
    assert wf.ratings(mixed, labels=[0, 1, 2, 4]) == whole
    parts = [wf.ratings([row, [0, 0]], labels=[0, 1, 2, 4]) for row in rows]
    again = wf.ratings([*rows, *[[0, 0]] * len(rows)], labels=[0, 1, 2, 4])
    assert sum(parts) == again
    assert wf.Ratings.from_json(again.to_json()) == again


def test_two_raters_are_counts() -> None:
    """A score of ratings is that of the confusion matrix of two interchangeable raters."""
    rng = np.random.default_rng(5)
    rows = rng.integers(0, 3, (80, 2))
    counts, ratings = wf.count(*rows.T), wf.ratings(rows)
    for name in ("accuracy", "fleiss_kappa", "scott_pi", "brennan_prediger", "gwet_ac1"):
        for method in ("delta", "auto"):
            one, two = (wf.score(x, name, interval=method) for x in (counts, ratings))
            assert one.value == pytest.approx(two.value)
            assert one.interval is not None
            assert two.interval is not None
            assert one.interval.high == pytest.approx(two.interval.high, abs=0.02)
    for level in LEVELS:
        assert wf.krippendorff_alpha(counts, level=level) == pytest.approx(
            wf.krippendorff_alpha(ratings, level=level)
        )


@pytest.mark.parametrize(
    "name",
    ["accuracy", "fleiss_kappa", "gwet_ac1(weighting=linear)", "brennan_prediger"]
    + [f"krippendorff_alpha(level={level})" for level in LEVELS],
)
def test_slopes_are_derivatives(name: str) -> None:
    rng = np.random.default_rng(6)
    rows = rng.integers(1, 5, (40, 4)).astype(float)
    rows[rng.random(rows.shape) < 0.4] = np.nan
    definition = wf.Definition.parse(name)
    frozen = _frozen(definition, wf.ratings(rows))
    statistic, count = _statistic(definition, frozen), _sample(frozen).count
    steps = 1e-5 * np.eye(len(count))
    numeric = (statistic.values(count + steps) - statistic.values(count - steps))[:, 0] / 2e-5
    assert statistic.slope(count) == pytest.approx(numeric, abs=1e-8)


def test_signatures_run_again() -> None:
    ratings = wf.ratings(GWET)
    score = wf.krippendorff_alpha(ratings, level="ordinal", interval=wf.Bootstrap(replicates=199))
    assert "krippendorff_alpha(level=ordinal)|undef:0|interval:bootstrap" in score.signature
    assert wf.Definition.parse(score.signature)(ratings) == score


WIDE = pd.DataFrame(GWET, columns=["ann", "ben", "cleo", "dan"]).assign(
    unit=range(12), place=[at // 2 for at in range(12)]
)
LONG = WIDE.melt(["unit", "place"], ["ann", "ben", "cleo", "dan"], "rater", "rating")


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
@pytest.mark.parametrize("form", ["wide", "long"])
def test_every_source_gives_the_same_table(tmp_path: Path, ending: str, form: str) -> None:
    frame = (WIDE if form == "wide" else LONG).drop(columns="place")
    path = tmp_path / f"ratings.{ending}"
    match ending:
        case "csv" | "tsv":
            frame.to_csv(path, index=False, sep="," if ending == "csv" else "\t")
        case "jsonl":
            frame.to_json(path, orient="records", lines=True)
        case "parquet":
            frame.to_parquet(path)
    expected = wf.ratings(GWET)
    for data in (str(path), frame, pl.from_pandas(frame)):
        assert wf.ratings(data) == expected
    named: dict[str, Any] = {"raters": ["ann", "ben", "cleo", "dan"]}
    if form == "long":
        named = {"item": "unit", "rater": "rater", "rating": "rating"}
    assert wf.ratings(path, **named) == expected


def test_clusters_and_weights() -> None:
    clustered = wf.ratings(WIDE, cluster="place", item="unit")
    assert clustered.clusters == 6
    assert wf.ratings(LONG, cluster="place") == clustered
    kappa = wf.fleiss_kappa(clustered, interval="auto")
    assert kappa.interval is not None
    assert kappa.interval.caution == "there are 6 clusters: the interval may be too narrow"
    doubled = wf.ratings(GWET, weights=[2.0] * 12)
    assert wf.gwet_ac1(doubled) == pytest.approx(wf.gwet_ac1(wf.ratings(GWET)))
    assert wf.ratings(GWET, frequencies=[2] * 12) == wf.ratings(GWET * 2)
    with pytest.raises(DefinitionError, match="counts whole items"):
        wf.krippendorff_alpha(doubled)


def test_numbers_with_a_fraction() -> None:
    rows = [[0.5, 0.5], [10.0, 2.5], [2.5, 2.5]]
    ratings = wf.ratings(rows)
    assert [*ratings.labels] == ["0.5", "2.5", "10"]
    expected = raters.krippendorff_alpha(
        [(row, Fraction(1)) for row in rows], [0.5, 2.5, 10], "ratio"
    )
    assert close(wf.krippendorff_alpha(ratings, level="ratio"), expected)
    halves = wf.ratings(rows[:2]) + wf.ratings(rows[2:])
    assert wf.krippendorff_alpha(halves, level="ordinal") == wf.krippendorff_alpha(
        ratings, level="ordinal"
    )


def test_a_perfect_agreement_has_an_interval() -> None:
    ratings = wf.ratings([[at % 2] * 3 for at in range(30)])
    kappa = wf.fleiss_kappa(ratings, interval="auto")
    assert kappa == 1
    assert kappa.interval is not None
    assert 0.75 < kappa.interval.low < 0.9


@settings(max_examples=150)
@given(st.integers(0, 10**6))
def test_no_interval_has_values_that_the_coefficient_cannot_have(seed: int) -> None:
    """The least that guesses and raters allow depends on the categories, and is attained."""
    rng = np.random.default_rng(seed)
    k, n = int(rng.integers(2, 6)), int(rng.integers(1, 12))
    rows = rng.integers(0, k, (n, 3)).astype(float)
    if rng.random() < 0.5:
        rows[:] = [0, k - 1, np.nan]
    rows[:, 2][rng.random(n) < 0.3] = np.nan
    matrix = rng.integers(1, 5, (k, k)) * (1 - np.eye(k))
    weighting: Any = [*WEIGHTINGS, (matrix + matrix.T).tolist()][int(rng.integers(4))]
    apart = np.abs(np.subtract.outer(np.arange(k), np.arange(k))).astype(float)
    weights = np.array(weighting) if isinstance(weighting, list) else apart
    if weighting in ("none", "quadratic"):
        weights = apart**2 if weighting == "quadratic" else (apart > 0).astype(float)
    least = 1 - k * k * weights.max() / weights.sum()
    ratings = wf.ratings(rows, labels=range(k))
    for score in (wf.brennan_prediger, wf.gwet_ac1):
        for method in ("auto", "delta"):
            found = score(ratings, weighting=weighting, interval=method)
            assert found.value >= least - 1e-12
            if found.interval is not None:
                low, high = found.interval.low, found.interval.high
                assert least - 1e-12 <= low <= found.value + 1e-12 <= high + 2e-12
    both = wf.count([0, k - 1], [k - 1, 0], labels=range(k))
    if not isinstance(weighting, list):
        assert wf.brennan_prediger(both, weighting=weighting) == pytest.approx(least)


TWICE = pd.DataFrame({"item": [1, 1, 2], "rater": list("aab"), "rating": ["x", "y", "x"]})
BAD: list[tuple[Any, type[WhichF1Error], str]] = [
    (lambda: wf.ratings([[1], [2]]), InputError, "agreement needs two raters; got 1 column."),
    (lambda: wf.ratings([1, 2]), InputError, r"ratings\[0\] is 1: pass a list of the ratings"),
    (lambda: wf.ratings([]), InputError, "there are no items"),
    (lambda: wf.ratings("ab"), FileError, "ab"),
    (lambda: wf.ratings(np.arange(3)), InputError, "a matrix of items × raters; got 1 dimension"),
    (lambda: wf.ratings([[1, None], [None, 2]]), InputError, "these 2 items have one rating each"),
    (lambda: wf.ratings([[1.0, np.inf]]), InputError, "a rating is inf"),
    (lambda: wf.ratings(np.array([[1, np.inf]])), InputError, r"ratings\[0\]\[1\] is .*inf"),
    (lambda: wf.ratings([[1, "a"]]), InputError, "labels mix types"),
    (lambda: wf.ratings([[1, [2]]]), InputError, r"\[2\] cannot be a rating"),
    (lambda: wf.ratings([[1, 2]], labels=[1]), InputError, "label 2 is not among the declared"),
    (lambda: wf.ratings([[1, 2]], item="x"), InputError, "a matrix has none"),
    (lambda: wf.ratings([[1, 2]], weights=[1, 2]), InputError, "there are 1 item"),
    (lambda: wf.ratings(TWICE), InputError, "item 1 has two ratings by rater 'a': 'x' and 'y'"),
    (
        lambda: wf.ratings(TWICE.assign(rating="x")),
        InputError,
        "item 1 has two ratings by rater 'a': 'x', twice",
    ),
    (
        lambda: wf.ratings(TWICE.assign(rater="a", item=[1, 2, 3])),
        InputError,
        r"column 'rater' has 1 \('a'\)",
    ),
    (lambda: wf.ratings(WIDE, raters=["ann"]), InputError, "agreement needs two raters; got 1"),
    (lambda: wf.ratings(WIDE, raters=["ann", "eve"]), FileError, "no column 'eve'"),
    (lambda: wf.ratings(WIDE, rater="ann"), FileError, "which column has the ratings?"),
    (lambda: wf.ratings(LONG, weights="place"), InputError, "long data have a row for each rating"),
    (lambda: wf.ratings(LONG, cluster="rating", item="unit"), InputError, "is in two clusters"),
    (lambda: wf.f1(wf.ratings(GWET), positive=1), DefinitionError, "ratings have neither"),
    (lambda: wf.cohen_kappa(wf.ratings(GWET)), DefinitionError, "ratings have neither"),
    (
        lambda: wf.krippendorff_alpha(wf.ratings([["a", "b"]]), level="interval"),
        DefinitionError,
        "level='interval' needs numbers, but 'a' is text",
    ),
    (
        lambda: wf.krippendorff_alpha(wf.ratings([["low", "high"]]), level="ordinal"),
        DefinitionError,
        "Declare them in order with labels=",
    ),
    (
        lambda: wf.krippendorff_alpha(wf.ratings([[-1, 2]]), level="ratio"),
        DefinitionError,
        "level='ratio' needs numbers of at least 0; got -1",
    ),
    (
        lambda: wf.score(wf.ratings(GWET), "krippendorff_alpha(level=x)"),
        DefinitionError,
        "must be one of",
    ),
    (lambda: wf.ratings([["a", "b"]]) + wf.ratings(GWET), MergeError, "labels of one part are str"),
]


@pytest.mark.parametrize(("call", "error", "message"), BAD, ids=[each[2] for each in BAD])
def test_bad_input_says_what_and_where(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("cluster", [None, ["a", "b"]])
@pytest.mark.parametrize(
    "missing", [np.full((2, 3), np.nan), [[None, None], [None, None]]], ids=["array", "lists"]
)
def test_ratings_that_are_all_missing_are_said_to_be(missing: Any, cluster: Any) -> None:
    with pytest.raises(wf.errors.ShapeError, match="no ratings"):
        wf.fleiss_kappa(wf.ratings(missing, cluster=cluster))


@pytest.mark.parametrize("start", [0.0, -3.0, 0.5, 1e20])
def test_floats_are_categories_wherever_they_begin(start: float) -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, (70_000, 2))  # more than one block of rows
    values = start + codes * (1e15 if start > 1e15 else 1.0)
    values[rng.random(values.shape) < 0.1] = np.nan
    plain = np.where(np.isnan(values), np.nan, codes)
    ours, expected = wf.ratings(values), wf.ratings(plain)
    assert len(ours.labels) == 3
    assert wf.fleiss_kappa(ours).value == wf.fleiss_kappa(expected).value


@pytest.mark.parametrize("score", ["krippendorff_alpha", "fleiss_kappa"])
def test_the_item_that_is_added_is_worth_one_of_the_data(score: str) -> None:
    """Of a formula that counts ratings as of one that counts items: by their mean number."""
    rng = np.random.default_rng(5)
    ratings = wf.ratings(rng.integers(0, 3, (40, 6)))
    definition = getattr(wf, score).definition(interval="auto")
    statistic: Any = _statistic(definition, _frozen(definition, ratings))
    assert statistic._worth == (3.0 if score == "krippendorff_alpha" else 1.0)


@pytest.mark.parametrize("seed", range(30))
def test_neither_the_order_of_items_nor_the_unit_of_weights_changes_an_interval(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(2, 30)), int(rng.integers(2, 5))
    rows = rng.integers(0, k, (n, 3)).astype(float)
    rows = np.where(rng.random((n, 3)) < 0.7, rows[:, :1], rows)
    rows[rng.random((n, 3)) < 0.2] = np.nan
    rows[0] = [0, 1, 1]
    data: dict[str, Any] = {"weights": rng.choice([0.5, 1, 3], n)}
    if seed % 2:
        data["cluster"] = rng.integers(0, 1 + n // 2, n)
    order = rng.permutation(n)
    again: dict[str, Any] = {name: x[order] for name, x in data.items()}
    again["weights"] = 8 * again["weights"]
    one, two = wf.ratings(rows, **data), wf.ratings(rows[order][:, ::-1], **again)
    for name, weighting in product(("fleiss_kappa", "gwet_ac1", "brennan_prediger"), WEIGHTINGS):
        for method in ("auto", "delta"):
            here, there = (
                wf.score(x, name, weighting=weighting, interval=method) for x in (one, two)
            )
            assert here.value == pytest.approx(there.value)
            assert (here.interval is None) == (there.interval is None)
            if here.interval is not None:
                assert ends(here.interval) == pytest.approx(ends(there.interval))


@pytest.mark.parametrize("kind", [int, float, list, pl.DataFrame])
def test_numbers_between_the_ratings_need_not_be_declared(kind: Any) -> None:
    matrix = np.array([[-1, 5], [5, 5], [-1, -1]])
    data = {int: matrix, float: matrix.astype(float), list: matrix.tolist()}.get(kind)
    ratings = wf.ratings(pl.DataFrame(matrix, ["a", "b"]) if data is None else data, labels=[5, -1])
    assert [*ratings.labels] == [5, -1] and ratings.n == 3
    with pytest.raises(LabelError, match="label 5 is not among the declared ones"):
        wf.ratings(matrix, labels=[-1, 4])
