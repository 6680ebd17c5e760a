"""A mean over a single class is the rate of that class, and so is its automatic interval."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers.samples import ends, present
from whichf1.metrics import METRICS

RATES = [name for name, metric in METRICS.items() if metric.kind == "rate" and metric.smooth]
LETTERS = "abcdef"
KINDS = st.sampled_from(["plain", "weights", "clusters"])


def items_of(matrix: Any) -> Any:
    """The true and the predicted class of each item of a table."""
    k, cells = len(matrix), np.repeat(np.arange(matrix.size), matrix.ravel())
    return (np.array(list(LETTERS))[x] for x in np.divmod(cells, k))


def counted(matrix: Any, kind: str, rng: Any) -> wf.Counts:
    true, predicted = items_of(matrix)
    data: dict[str, Any] = {}
    if kind == "weights":
        data["weights"] = rng.lognormal(size=len(true))
    if kind == "clusters":
        data["cluster"] = rng.integers(0, 12, len(true))
    return wf.count(true, predicted, labels=list(LETTERS[: len(matrix)]), **data)


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 5), st.integers(0, 2**32), st.sampled_from(RATES), KINDS)
def test_a_mean_over_one_class_has_the_interval_of_its_rate(
    k: int, seed: int, name: str, kind: str
) -> None:
    """It contains that interval and is never narrower by a tenth: the two are the same."""
    rng = np.random.default_rng(seed)
    matrix = rng.poisson(rng.choice([0.1, 1.0, 4.0]), (k, k)) + np.diag(rng.integers(0, 25, k))
    at = int(rng.integers(k))
    if not matrix[at].any():
        matrix[at, at] = 1
    counts, label = counted(matrix, kind, rng), LETTERS[at]
    scorer: Any = getattr(wf, name)
    parameters = {"beta": 2.0} if name == "f_beta" else {}
    own = scorer(counts, positive=label, interval="auto", **parameters)
    ways: list[dict[str, Any]] = [{"classes": [label]}]
    if k > 1:
        ways.append({"exclude": [x for x in LETTERS[:k] if x != label]})
    if k == 2:
        ways.append({"two_classes": ("first", "last")[at]})
    formulas = ["averaged", "of-averages"] if METRICS[name].harmonic else [None]
    for way in ways:
        for average in ("macro", "weighted"):
            for formula in formulas:
                options = {**parameters, **way, "average": average, "interval": "auto"}
                if formula is not None:
                    options["formula"] = formula
                mean = scorer(counts, **options)
                assert mean.value == pytest.approx(own.value, nan_ok=True)
                assert (mean.interval is None) == (own.interval is None)
                if own.interval is None:
                    continue
                assert ends(mean.interval) == pytest.approx(ends(own.interval), rel=1e-9)
                (low, high), (least, most) = ends(mean.interval), ends(own.interval)
                assert low <= least + 1e-9 and high >= most - 1e-9
                if most < np.inf:
                    assert high - low >= 0.9 * (most - least) - 1e-9
                assert present(mean.interval).caution == own.interval.caution


@settings(max_examples=80, deadline=None)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=6), KINDS, st.integers(0, 2**32))
def test_recall_of_the_only_true_class_is_accuracy(row: list[int], kind: str, seed: int) -> None:
    """However many classes are predicted; turned round, so is precision of the only prediction.

    With weights, accuracy knows those of each wrong class, and recall those of all: here, one.
    """
    if kind == "weights":
        row = row[:2]
    matrix = np.zeros((len(row), len(row)), int)
    matrix[0] = row
    if not matrix.any():
        matrix[0, 0] = 1
    for table, metric in ((matrix, wf.macro_recall), (matrix.T, wf.macro_precision)):
        counts = counted(table, kind, np.random.default_rng(seed))
        mean: wf.Score = metric(counts, classes=["a"], interval="auto")
        plain = wf.accuracy(counts, interval="auto")
        assert mean.value == pytest.approx(plain.value)
        assert (mean.interval is None) == (plain.interval is None)
        if plain.interval is not None:
            assert ends(mean.interval) == pytest.approx(ends(plain.interval), abs=1e-9)


@pytest.mark.parametrize("n", [1, 20, 1000])
def test_classes_that_do_not_occur_make_no_difference(n: int) -> None:
    """Whether the table has a row for them or not."""
    scores: list[Any] = [wf.macro_recall, wf.averaged_f1, wf.f1_of_averages, wf.weighted_f1]
    for metric in scores:
        tables = [
            wf.count(["a"] * n, ["a"] * n, labels=x) for x in (None, ["a", "b"], list(LETTERS))
        ]
        found = [
            ends(metric(counts, classes=chosen, interval="auto").interval)
            for counts in tables
            for chosen in ("observed", "true", ["a"])
        ]
        np.testing.assert_allclose(found, [found[0]] * len(found), atol=1e-12)
    alone, accuracy = (
        present(x(["a"] * n, ["a"] * n, interval="auto").interval)
        for x in (wf.macro_recall, wf.accuracy)
    )
    assert (alone.low, alone.high) == pytest.approx((accuracy.low, accuracy.high), abs=1e-12)
