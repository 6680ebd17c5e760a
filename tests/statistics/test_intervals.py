"""Methods of intervals: where they apply, what they give at the edges, what they say."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

import whichf1 as wf
from tests.helpers.samples import (
    COUNT_METRICS,
    binary,
    counted_definitions,
    ends,
    present,
    random_counts,
    sample_of,
    systems_of,
)
from whichf1.definitions.definition import Definition, define
from whichf1.definitions.methods import METHODS
from whichf1.errors import DefinitionError, WhichF1Error
from whichf1.metrics import COUNTED, EVERY, find
from whichf1.statistics.cells import Cells
from whichf1.statistics.intervals import PROPORTIONS, estimate, replicates
from whichf1.statistics.items import rank_cells
from whichf1.statistics.sample import kinds


def test_undefined_replicates_are_counted() -> None:
    counts = wf.Counts.from_matrix([[1, 0], [0, 30]], rows="true")
    score = wf.recall(counts, positive=0, undefined="nan", interval="bootstrap")
    assert score.interval is None  # every replicate that has the class gives 1
    counts = wf.Counts.from_matrix([[1, 1], [0, 30]], rows="true")
    interval = wf.recall(counts, positive=0, undefined="nan", interval="bootstrap").interval
    expected = 9999 * (30 / 32) ** 32
    assert abs(present(interval).undefined - expected) < 5 * math.sqrt(expected)
    assert 0 <= present(interval).low < present(interval).high <= 1


def test_bootstrap_and_delta_agree_on_many_items() -> None:
    """999 draws: the standard error of an end is 0.02 of the width."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 4, 20_000)
    predicted = np.where(rng.random(20_000) < 0.7, true, rng.integers(0, 4, 20_000))
    counts = wf.count(true, predicted)
    bca, percentile = wf.Bootstrap(replicates=999), wf.Bootstrap(replicates=999, kind="percentile")
    for name in COUNT_METRICS:
        options: dict[str, Any] = {"average": "macro"} if find(name).kind == "rate" else {}
        if not find(name).smooth:
            with pytest.raises(DefinitionError, match="no interval is known to have"):
                wf.score(counts, name, interval="delta", **options)
            continue
        delta = wf.score(counts, name, interval="delta", **options).interval
        for method in (percentile, bca):
            drawn = wf.score(counts, name, interval=method, **options).interval
            if name in ("prevalence", "selection_rate"):  # its mean over classes is a constant
                assert delta is None
                assert drawn is None or drawn.high - drawn.low < 1e-12
                continue
            low, high = ends(delta)
            assert ends(drawn) == pytest.approx((low, high), abs=0.12 * (high - low)), name


loose: Any = wf
"""For words that the types do not know."""

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


@pytest.mark.parametrize("metric", ["accuracy", "expected_calibration_error"])
def test_bca_takes_the_quantiles_of_efron(metric: str) -> None:
    """Φ(z₀ + (z₀ + z) / (1 − a (z₀ + z))): a is a sixth of the skewness of a sum of hits.

    A score that depends on individual items has no such expansion, so its a is 0.
    """
    method = wf.Bootstrap(replicates=499)
    if metric == "accuracy":
        counts = wf.Counts.from_matrix([[20, 3], [0, 17]], rows="true")
        score = wf.accuracy(counts, interval=method)
        frozen = score.definition.freeze(counts)
        statistic, sample = Cells(score.definition, frozen), sample_of(frozen)
        p, n = score.value, counts.n
        acceleration = (1 - 2 * p) / math.sqrt(n * p * (1 - p)) / 6
        drawn = replicates([statistic], sample, 499, method.seed)[:, 0]
    else:
        y, s = binary(6)
        scores = 1 / (1 + np.exp(-s))
        score = wf.expected_calibration_error(y, scores, interval=method)
        ranking, sample = rank_cells(score.definition, wf.rank(y, scores).table)
        drawn = replicates(*kinds([ranking], sample), 499, method.seed)[:, 0]
        acceleration = 0.0
    below = (drawn < score.value - 1e-12).mean() + (abs(drawn - score.value) <= 1e-12).mean() / 2
    z0 = stats.norm.ppf(below)
    moved = z0 + stats.norm.ppf([0.025, 0.975])
    tails = stats.norm.cdf(z0 + moved / (1 - acceleration * moved))
    expected = np.quantile(drawn, tails, method="weibull")
    assert ends(score.interval) == pytest.approx(tuple(expected), rel=1e-9)


@cache
def definitions_with(word: str) -> list[Definition]:
    """Every definition with this interval."""
    methods: dict[str, Any] = {
        "bootstrap": wf.Bootstrap(replicates=99),
        "percentile": wf.Bootstrap(replicates=99, kind="percentile"),
        "posterior": wf.Posterior(draws=99),
    }
    return [
        define(
            each.metric,
            dict(each.parameters),
            {
                "average": each.average,
                "formula": each.formula,
                "interval": methods.get(word, word),
                **({"undefined": each.undefined} if each.undefined else {}),
            },
        )
        for each in counted_definitions()
    ]


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("method", [*METHODS, "percentile"])
@pytest.mark.thinned(3)
def test_intervals_at_the_edges_stay_inside_or_are_none(edge: str, method: str) -> None:
    counts = wf.Counts.from_matrix(EDGES[edge], rows="true")
    given_some = 0
    for definition in definitions_with(method):
        low, high = find(definition.metric).bounds
        try:
            values, intervals = estimated(definition, counts)
        except DefinitionError:
            whole = method == "posterior" and find(definition.metric).whole
            assert whole or method in (*PROPORTIONS, "delong")
            continue
        for value, interval in zip(values, intervals, strict=True):
            if interval is not None:
                given_some += 1
                assert low <= interval.low <= interval.high <= high
                endless = value == math.inf and (interval.high == math.inf or method == "posterior")
                assert math.isfinite(value) or endless
                assert interval.low < interval.high
                assert method != "auto" or interval.low <= value <= interval.high
    assert given_some or method == "delong" or edge in ("one item", "one wrong item", "one class")


@pytest.mark.parametrize("matrix", [*EDGES.values(), [[8, 2, 1], [3, 9, 0], [1, 2, 4]]])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_function_of_a_ratio_has_the_interval_of_the_ratio(matrix: Any, weighted: bool) -> None:
    """So it covers exactly as often."""
    cells = [*np.ndindex(3, 3)]
    true, predicted = np.repeat(cells, np.ravel(matrix), axis=0).T
    weights = np.random.default_rng(0).uniform(0.5, 2, len(true)) if weighted else None
    counts = wf.count(true, predicted, labels=range(3), weights=weights)
    declared = [name for name in COUNT_METRICS if find(name).of_ratio]
    assert declared == ["yule_q"]
    for name in declared:
        ratio, function = present(find(name).of_ratio)
        own = getattr(loose, name).per_class(counts, undefined=function(1), interval="auto")
        behind = getattr(loose, ratio.name).per_class(counts, undefined=1, interval="auto")
        for label in range(3):
            assert own[label] == pytest.approx(function(behind[label]))
            expected = [function(end) for end in ends(behind.intervals[label])]
            assert ends(own.intervals[label]) == pytest.approx(expected)


def estimated(definition: Definition, counts: wf.Counts) -> Any:
    frozen = definition.freeze(counts)
    return estimate(definition, Cells(definition, frozen), sample_of(frozen))


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
def test_methods_stand_in_signatures_that_run(method: Any) -> None:
    counts = random_counts(9, 3)
    score = wf.accuracy(counts, interval=method)
    again = wf.Definition.parse(score.signature)
    assert again.interval == method
    assert again(counts).interval == score.interval
    for field, value in method.fields().items():
        assert f"{field}:{value}" in score.signature


def test_methods_refuse_what_they_do_not_take() -> None:
    for call, message in (
        (lambda: wf.Bootstrap(replicates=0), "at least 1"),
        (lambda: wf.Bootstrap(seed=-1), "at least 0"),
        (lambda: wf.Bootstrap(seed=True), "at least 0"),
        (lambda: loose.Bootstrap(kind="basic"), "percentile"),
        (lambda: wf.Definition.parse("accuracy|interval:delta|seed:3"), "has no parameter 'seed'"),
        (lambda: loose.accuracy([0], [0], interval="bootstrp"), "Did you mean 'bootstrap'"),
    ):
        with pytest.raises(DefinitionError, match=message):
            call()


def test_too_few_replicates_are_refused() -> None:
    for level, least in ((0.95, 39), (0.9, 19), (0.999, 1999)):
        wf.Bootstrap(level=level, replicates=least)
        with pytest.raises(DefinitionError, match=f"Use at least {least:,}"):
            wf.Bootstrap(level=level, replicates=least - 1)
    with pytest.raises(DefinitionError, match="too few"):
        wf.compare([0, 1], {"a": [0, 1], "b": [1, 1]}, replicates=5)
    with pytest.raises(DefinitionError, match="too few"):
        wf.compare([0, 1], {"a": [0, 1], "b": [1, 1]}, replicates=999, level=0.999)


@pytest.mark.parametrize("name", [name for name, metric in EVERY.items() if not metric.whole])
def test_the_unit_of_weights_changes_no_interval(name: str) -> None:
    metric, rng = EVERY[name], np.random.default_rng(4)
    choices: list[dict[str, Any]] = [{}]
    if "weighting" in metric.parameters:
        choices += [{"weighting": "linear"}, {"weighting": "quadratic"}]
    for seed, n, own, clustered in product(range(3), (4, 25), choices, (False, True)):
        y, systems = systems_of(metric.kind, seed, n)
        options = {"positive": 1} | own if metric.kind == "rate" else own
        weights = rng.choice([0.25, 1, 2, 7], n)
        cluster = rng.integers(0, 2 + n // 3, n) if clustered else None
        for method, unit in product(("auto", "delta"), (8, 1 / 1024)):
            facts = []
            for scale in (1, unit):
                with suppress(WhichF1Error):
                    data: Any = {"weights": weights * scale, "cluster": cluster, "interval": method}
                    facts.append(wf.score(y, systems["a"], name, **data, **options))
            if not facts:
                continue
            one, two = facts
            assert one.value == pytest.approx(two.value, nan_ok=True)
            assert (one.interval is None) == (two.interval is None)
            if one.interval is not None:
                assert ends(one.interval) == pytest.approx(ends(two.interval), rel=1e-6, abs=1e-9)
                assert one.interval.caution == present(two.interval).caution


def test_definitions_say_where_intervals_apply() -> None:
    assert "interval" in define("average_precision").applicable
    assert "interval" not in define("ks").applicable
    assert present(define("ks", None, {"interval": wf.Bootstrap()}).interval).word == "bootstrap"


def outcome(name: str, y: Any, predicted: Any, interval: Any) -> wf.Score | str:
    """A score with its interval, or the error."""
    options: dict[str, Any] = {"positive": 1} if find(name).kind == "rate" else {}
    try:
        return wf.score(y, predicted, name, interval=interval, **options)
    except WhichF1Error as error:
        return str(error)


def as_lists(data: Any) -> Any:
    return None if data is None else np.asarray(data).tolist()


@pytest.mark.parametrize("word", METHODS)
@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_every_method_on_few_items(word: str, n: int) -> None:
    """Arrays and lists give the same interval or the same error, with values that are possible."""
    drawn = {"bootstrap": wf.Bootstrap(replicates=39), "posterior": wf.Posterior(draws=39)}
    method, seen = drawn.get(word, word), 0
    for name, metric in EVERY.items():
        for seed in range(3):
            y, systems = systems_of(metric.kind, seed, n)
            found = outcome(name, y, systems["a"], method)
            again = outcome(name, as_lists(y), systems["a"].tolist(), method)
            if isinstance(found, str) or isinstance(again, str):
                assert found == again
                continue
            interval = found.interval
            assert (interval is None) == (again.interval is None)
            if interval is None:
                continue
            assert ends(interval) == pytest.approx(ends(again.interval), rel=1e-6, abs=1e-9)
            assert (interval.caution is None) == (present(again.interval).caution is None)
            (low, high), possible = found.definition.bounds, metric.attainable
            if possible is not None:
                low, high = possible(len(found.classes), **found.definition.arguments)
            assert low - 1e-9 <= interval.low < interval.high <= high + 1e-9
            if n <= 2 and metric.kind not in COUNTED and word in drawn:
                assert interval.caution  # no method knows more than the items
            seen += 1
    assert seen or n == 1 or word == "delong"


# fractions of items


@pytest.mark.parametrize(("x", "n"), [(0, 7), (3, 7), (7, 7), (1, 1), (95, 100), (812, 2019)])
def test_proportions_are_those_of_scipy(x: int, n: int) -> None:
    counts = wf.Counts.from_matrix([[x, n - x], [0, 5]], rows="true")
    scipy = stats.binomtest(x, n)
    for word, name in (("wilson", "wilson"), ("clopper-pearson", "exact")):
        ours = loose.recall(counts, positive=0, interval=word).interval
        theirs = scipy.proportion_ci(0.95, method=name)
        assert ends(ours) == pytest.approx(tuple(theirs), abs=1e-9)
    ours = wf.recall(counts, positive=0, interval="jeffreys").interval
    beta = stats.beta(x + 0.5, n - x + 0.5)
    expected = (0 if x == 0 else beta.ppf(0.025), 1 if x == n else beta.ppf(0.975))
    assert ends(ours) == pytest.approx(expected, abs=1e-9)
    ours = loose.recall(counts, positive=0, interval="agresti_coull").interval
    z2 = stats.norm.ppf(0.975) ** 2
    p = (x + z2 / 2) / (n + z2)
    half = math.sqrt(z2 * p * (1 - p) / (n + z2))
    assert ends(ours) == pytest.approx((max(0, p - half), min(1, p + half)), abs=1e-12)


def test_f1_is_a_proportion_in_disguise() -> None:
    counts = wf.Counts.from_matrix([[8, 2], [1, 30]], rows="true")
    for word in PROPORTIONS:
        j = loose.jaccard(counts, positive=0, interval=word).interval
        f = loose.f1(counts, positive=0, interval=word).interval
        assert ends(f) == pytest.approx(
            (2 * present(j).low / (1 + present(j).low), 2 * present(j).high / (1 + present(j).high))
        )


def test_which_scores_are_fractions_of_items() -> None:
    counts = random_counts(1, 3)
    shares = [
        wf.accuracy(counts, interval="wilson"),
        wf.error_rate(counts, interval="wilson"),
        wf.micro_f1(counts, interval="wilson"),
        wf.precision(counts, average="micro", exclude=[0], interval="wilson"),
        wf.specificity(counts, positive=1, interval="wilson"),
    ]
    for score in shares:
        assert present(score.interval).low < score.value < present(score.interval).high
    assert present(shares[0].interval).low == pytest.approx(1 - present(shares[1].interval).high)
    assert present(shares[0].interval).low == pytest.approx(present(shares[2].interval).low)
    no_shares: list[Callable[[], object]] = [
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


def test_wilson_has_an_interval_where_delta_has_none() -> None:
    perfect = wf.Counts.from_matrix([[50, 0], [0, 50]], rows="true")
    assert wf.accuracy(perfect, interval="delta").interval is None
    interval = wf.accuracy(perfect, interval="wilson").interval
    assert present(interval).high == 1
    assert present(interval).low == pytest.approx(0.963, abs=5e-4)
