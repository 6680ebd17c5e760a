"""Losses, calibration, decisions and thresholds against scikit-learn and direct definitions."""

from __future__ import annotations

from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

import whichf1 as wf
from tests.helpers.rankings import ranked
from tests.helpers.samples import ends
from whichf1.definitions.definition import Definition
from whichf1.errors import DefinitionError, InputError, LabelError, MergeError, ShapeError
from whichf1.metrics import METRICS

BINNINGS = ["equal-width", "equal-mass"]
LOOSE: Any = wf
"""For calls that the types forbid."""
PROBABILITY = st.sampled_from([0.0, 1.0, 0.5, 0.1, 0.7]) | st.floats(0, 1)


@st.composite
def distributions(draw: Any, most: Any = 25) -> Any:
    """True classes and a row of probabilities for each, with zeros and ties."""
    k = draw(st.integers(2, 5))
    n = draw(st.integers(1, most))
    cell = st.sampled_from([0, 1, 1, 2, 7]) | st.floats(0, 5)
    p = np.array(draw(st.lists(st.lists(cell, min_size=k, max_size=k), min_size=n, max_size=n)))
    assume((p.sum(1) > 1e-3).all())
    y = draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n))
    y[draw(st.integers(0, n - 1))] = 0  # or classes might count from 1
    return y, p / p.sum(1, keepdims=True)


@settings(max_examples=40)
@given(distributions())
def test_losses_of_several_classes(items: Any) -> None:
    y, p = items
    names = list(range(p.shape[1]))
    assert wf.log_loss(y, p).value == pytest.approx(sk.log_loss(y, p, labels=names), abs=1e-9)
    expected = np.mean(((p - np.eye(p.shape[1])[y]) ** 2).sum(1))
    assert wf.brier(y, p, scale="sum").value == pytest.approx(expected, abs=1e-12)
    if len(names) > 2:
        assert wf.brier(y, p).signature.startswith("brier(scale=sum)|v:1|")
        oracle = sk.brier_score_loss(y, p, labels=names)
        assert wf.brier(y, p).value == pytest.approx(oracle, abs=1e-12)


@settings(max_examples=40)
@given(ranked(least=2, score=PROBABILITY))
def test_losses_of_two_classes(items: Any) -> None:
    y, p = items
    assert wf.log_loss(y, p).value == pytest.approx(sk.log_loss(y, p), abs=1e-9)
    assert wf.brier(y, p).value == pytest.approx(sk.brier_score_loss(y, p), abs=1e-12)
    both = np.column_stack([np.subtract(1, p), p])
    assert wf.brier(y, both).value == pytest.approx(wf.brier(y, p).value, abs=1e-12)
    assert wf.log_loss(y, both).value == pytest.approx(wf.log_loss(y, p).value, abs=1e-12)


def test_what_a_probability_of_zero_gives_is_in_the_signature() -> None:
    y, p = [1, 1], [0.0, 0.5]
    half = log(2)
    assert wf.log_loss(y, p).value == pytest.approx((half - log(2**-52)) / 2)
    assert wf.log_loss(y, p).signature.startswith("log_loss(floor=2.220446049250313e-16)|positive")
    assert wf.log_loss(y, p, floor=0.01).value == pytest.approx((half - log(0.01)) / 2)
    endless = wf.log_loss(y, p, floor=0, interval="delta")
    assert endless.value == np.inf and endless.interval is None
    assert endless.signature.startswith("log_loss(floor=0)|")
    assert Definition.parse(endless.signature)(y, p).value == np.inf


@settings(max_examples=40)
@given(distributions(), st.integers(1, 4))
def test_moments_merge(items: Any, cut: Any) -> None:
    y, p = items
    assume(cut < len(y))
    for metric in ("log_loss", "brier", "top_k_accuracy"):
        options: dict[str, Any] = {"labels": range(p.shape[1])}
        parts = [wf.moments(y[:cut], p[:cut], metric, **options)]
        parts.append(wf.moments(y[cut:], p[cut:], metric, **options))
        whole = getattr(wf, metric)(y, p)
        merged = getattr(wf, metric)(sum(parts))
        assert merged.value == pytest.approx(whole.value, rel=1e-12, abs=1e-15)
        assert merged.signature == whole.signature


def test_intervals_of_losses_are_mean_and_standard_error() -> None:
    y, p = [0, 1, 1, 0, 1], [0.2, 0.7, 0.9, 0.4, 0.3]
    loss = np.array([-log(x if t else 1 - x) for t, x in zip(y, p, strict=True)])
    interval = wf.log_loss(y, p, interval="delta").interval
    half = 1.959963984540054 * loss.std() / 5**0.5
    assert ends(interval) == pytest.approx((loss.mean() - half, loss.mean() + half))
    assert wf.log_loss([1], [0.5], interval="delta").interval is None


@settings(max_examples=40)
@given(distributions(), st.integers(1, 5))
def test_top_k(items: Any, k: Any) -> None:
    y, p = items
    assume(k < p.shape[1])
    if p.shape[1] > 2:  # scikit-learn takes two classes as a threshold
        expected = sk.top_k_accuracy_score(y, p, k=k, labels=range(p.shape[1]))
        assert wf.top_k_accuracy(y, p, k=k, ties="last").value == expected
    by_rule = {ties: wf.top_k_accuracy(y, p, k=k, ties=ties) for ties in ("first", "best", "worst")}
    order = np.argsort(-p, axis=1, kind="stable")[:, :k]
    first = np.mean([t in row for t, row in zip(y, order, strict=True)])
    assert by_rule["first"].value == pytest.approx(first)
    assert by_rule["worst"].value <= by_rule["first"].value <= by_rule["best"].value
    counts = wf.at_top_k(y, p, k, labels=range(p.shape[1]))
    assert wf.accuracy(counts).value == pytest.approx(first)
    rule = "argmax" if k == 1 else f"top-{k}"
    assert wf.accuracy(counts).signature.endswith(f'|decision:"{rule},ties=first"')


@settings(max_examples=40)
@given(distributions())
def test_argmax(items: Any) -> None:
    y, p = items
    names = range(p.shape[1])
    expected = wf.count(y, p.argmax(1), labels=names).matrix
    assert (wf.at_argmax(y, p, labels=names).matrix == expected).all()
    last = p.shape[1] - 1 - p[:, ::-1].argmax(1)
    assert (
        wf.at_argmax(y, p, labels=names, ties="last").matrix
        == wf.count(y, last, labels=names).matrix
    ).all()


def by_exact_quantiles(y: Any, p: Any, bins: Any) -> Any:
    """Bins whose edges stand at exact places; np.percentile moves one by a rounding error."""
    s = sorted(p)
    places = [divmod(b * (len(s) - 1), bins) for b in range(1, bins)]
    edges = [s[at] + (s[at + (rest > 0)] - s[at]) * (rest / bins) for at, rest in places]
    groups: dict[int, list[Any]] = {}
    for t, x in zip(y, p, strict=True):
        groups.setdefault(sum(x > edge for edge in edges), []).append((t, x))
    return zip(*(np.mean(groups[at], 0) for at in sorted(groups)), strict=True)


@settings(max_examples=40)
@given(
    ranked(score=PROBABILITY), st.integers(1, 12), st.sampled_from(["equal-width", "equal-mass"])
)
def test_calibration(items: Any, bins: Any, binning: Any) -> None:
    y, p = items
    if binning == "equal-width":
        observed, mean = calibration_curve(y, p, n_bins=bins)
    else:
        observed, mean = by_exact_quantiles(y, p, bins)
    curve = wf.calibration_curve(y, p, bins=bins, binning=binning)
    np.testing.assert_allclose(curve.y, observed, atol=1e-12)
    np.testing.assert_allclose(curve.x, mean, atol=1e-12)
    error = (curve.count * np.abs(curve.y - curve.x)).sum() / len(y)
    score = wf.ece(y, p, bins=bins, binning=binning)
    assert score.value == pytest.approx(error, abs=1e-12)
    assert curve.score == score
    assert f"expected_calibration_error(bins={bins},binning={binning})" in score.signature
    merged = wf.rank(y[:1], p[:1]) + wf.rank(y[1:], p[1:])
    assert wf.ece(merged, bins=bins, binning=binning) == score


def test_bins_of_equal_width_are_exactly_those_of_scikit_learn() -> None:
    y, p = [0, 1, 1, 0, 1, 0], [0.0, 0.1, 0.1000001, 0.5, 1.0, 0.95]
    observed, mean = calibration_curve(y, p, n_bins=10)
    curve = wf.calibration_curve(y, p)
    np.testing.assert_allclose((curve.y, curve.x), (observed, mean))
    assert curve.count.sum() == 6 and len(curve.edges) == 11


def test_a_calibration_curve_of_arrays_ranks_them_when_asked_and_unchanged() -> None:
    rng = np.random.default_rng(4)
    y, p = rng.integers(0, 2, 300), rng.random(300).round(2)
    curve, of_lists = wf.calibration_curve(y, p), wf.calibration_curve(y.tolist(), p.tolist())
    for each in ("x", "y", "count", "edges"):
        np.testing.assert_allclose(getattr(curve, each), getattr(of_lists, each), rtol=1e-13)
    for sides in zip(curve.consistency(), of_lists.consistency(), strict=True):
        np.testing.assert_array_equal(*sides)
    assert curve.score.value == pytest.approx(wf.ece(y, p).value, abs=1e-15)
    empty = wf.calibration_curve(np.array([0, 1]), np.array([0.1, 0.9]))
    assert empty.count.tolist() == [1, 1] and len(empty.edges) == 11
    changed = wf.calibration_curve(y, p)
    p[7] += 0.001
    with pytest.raises(InputError, match="have changed since"):
        repr(changed.score)


@settings(max_examples=40)
@given(distributions())
def test_calibration_of_the_best_class(items: Any) -> None:
    y, p = items
    assume(p.shape[1] > 2)
    score = wf.ece(y, p, bins=5)
    right = p.argmax(1) == np.array(y)
    at = np.clip(np.ceil(p.max(1) * 5) - 1, 0, 4).astype(int)
    expected = sum(abs((right - p.max(1))[at == b].sum()) for b in range(5)) / len(y)
    if np.abs(p.max(1) * 5 - np.round(p.max(1) * 5)).min() > 1e-9:  # none at an edge
        assert score.value == pytest.approx(expected, abs=1e-12)
    assert "multi_class=top-label" in score.signature
    assert Definition.parse(score.signature)(y, p) == score


# thresholds


@settings(max_examples=40)
@given(ranked(), st.data())
def test_at_threshold(items: Any, data: Any) -> None:
    y, s = items
    t = data.draw(st.sampled_from(s))
    counts = wf.at_threshold(y, s, t)
    assert (counts.matrix == wf.count(y, [int(x >= t) for x in s], labels=[0, 1]).matrix).all()
    assert wf.at_threshold(wf.rank(y, s), threshold=t) == counts
    assert (wf.at_threshold(y, s, t, weights=[2] * len(y)).matrix == 2 * counts.matrix).all()
    other = wf.at_threshold(y, s, t, positive=0)
    assert (other.matrix == wf.count(y, [int(x < t) for x in s], labels=[0, 1]).matrix).all()
    assert other.decision != counts.decision


RATES = [name for name, m in METRICS.items() if m.better != "neither"]


@pytest.mark.parametrize("metric", [*RATES, "averaged_f1", "f1_of_averages", "f_beta(beta=2)"])
@settings(max_examples=20)
@given(items=ranked(most=12))
@pytest.mark.thinned(4)
def test_the_best_threshold_is_the_best_of_all(metric: str, items: Any) -> None:
    y, s = items
    best = wf.best_threshold(y, s, metric)
    scores = []
    for t in [np.inf, *sorted(set(np.add(s, 0.0).tolist()), reverse=True)]:
        counts = wf.at_threshold(y, s, t)
        scores.append((best.curve.definition(counts).value, t))
    np.testing.assert_allclose(best.curve.value, [v for v, _ in scores], atol=1e-12)
    assert best.curve.threshold.tolist() == [t for _, t in scores]
    lower = getattr(wf, best.curve.definition.metric).metric.better == "lower"
    values = [v for v, _ in scores]
    assert best.value == pytest.approx(min(values) if lower else max(values), abs=1e-12)
    assert best.score == best.curve.definition(wf.at_threshold(y, s, best.threshold))
    assert scores[best.at][1] == best.threshold


@settings(max_examples=40)
@given(st.lists(st.integers(0, 5), min_size=11, max_size=11))
def test_calibrated_scores_are_best_cut_at_half_of_the_best_f1(sizes: Any) -> None:
    """Lipton et al. (2014), exactly: of the items with p = j/10, j in 10 are positive."""
    y, p = [], []
    for j, size in enumerate(sizes):
        y += [1] * (j * size) + [0] * ((10 - j) * size)
        p += [j / 10] * (10 * size)
    assume(0 < sum(y) < len(y))
    best = wf.best_threshold(y, p, "f1")
    assert best.calibrated == best.value / 2
    cut = wf.f1(wf.at_threshold(y, p, best.calibrated - 1e-12), positive=1)
    assert cut.value == pytest.approx(best.value, abs=1e-12)


def test_the_check_is_for_f1_of_probabilities_alone() -> None:
    y = [0, 1, 0, 1]
    assert wf.best_threshold(y, [0.1, 0.2, 0.3, 0.4], "accuracy").calibrated is None
    assert wf.best_threshold(y, [1, 2, 3, 4], "f1").calibrated is None


def test_equally_good_thresholds_give_the_highest() -> None:
    best = wf.best_threshold([0, 1, 0, 1], [0.1, 0.9, 0.5, 0.3], "recall")
    assert (best.threshold, best.value) == (0.3, 1.0)
    none = wf.best_threshold([0, 1], [0.1, 0.9], "false_positive_rate")
    assert (none.threshold, none.value) == (np.inf, 0.0)
    assert "(above every score)" in none.score.signature


def test_decisions_are_saved_and_merged(tmp_path: Path) -> None:
    a = wf.at_threshold([0, 1], [0.1, 0.6], 0.5)
    b = wf.at_threshold([0, 1], [0.1, 0.2], 0.5)
    assert a.decision == "1 if score>=0.5"
    assert b.decision == "1 if score>=0.5 (above every score)"
    assert (a + b).decision == (b + a).decision == a.decision
    assert (b + b).decision == b.decision
    a.save(tmp_path / "a.json")
    assert wf.Counts.load(tmp_path / "a.json") == a
    assert a.declare([0, 1, 2]).decision == a.decision
    score = wf.f1(a, positive=1)
    assert score.signature.endswith('|decision:"1 if score>=0.5"')
    assert Definition.parse(score.signature)(a) == score
    assert wf.recall.per_class(a)[1].signature.endswith('|decision:"1 if score>=0.5"')
    for other in (wf.at_threshold([0, 1], [0.1, 0.6], 0.4), wf.count([0, 1], [0, 1])):
        with pytest.raises(MergeError, match="decided differently"):
            a + other


# bad input


@pytest.mark.parametrize(
    ("y", "p", "error", "says"),
    [
        ([0, 1], [0.2, 1.5], InputError, r"probabilities\[1\] is 1.5"),
        ([0, 1], [-0.1, 0.5], InputError, r"probabilities\[0\] is -0.1"),
        ([0, 1], [[0.5, 0.5], [0.7, 0.7]], InputError, "row 1 .* adds up to 1.4, not to 1"),
        ([0, 1], [[0.5, 0.5], [0.3, 0.6]], InputError, r"row 1 .* adds up to 0.9.*\[0.3, 0.6\]"),
        ([0, 1], [[0.5, 0.5], [1.2, -0.2]], InputError, r"probabilities\[1, 0\] is 1.2"),
        ([0, 1], [[0.5, 0.5], [np.nan, 1]], InputError, r"probabilities\[1, 0\] is nan"),
        ([0, 1], [[0.5, 0.5]], ShapeError, "y_true has 2 items, scores have 1"),
        ([0, 3], [[0.5, 0.5]] * 2, ShapeError, None),
        (["a", "b"], [[0.2, 0.3, 0.5]] * 2, ShapeError, "Declare the class of each column"),
        (["a", "b"], [0.5, 0.5], LabelError, "Pass positive="),
        ([0, 1, 2], [0.5, 0.5, 0.5], LabelError, "Pass positive="),
    ],
)
def test_bad_probabilities(y: Any, p: Any, error: Any, says: str) -> None:
    if says is None:  # three and zero: two classes for two columns, in order
        assert wf.log_loss(y, p).value == pytest.approx(log(2))
        return
    with pytest.raises(error, match=says):
        wf.log_loss(y, p)


def test_one_probability_for_three_classes() -> None:
    with pytest.raises(ShapeError, match="one probability for each item, but 3 classes"):
        wf.log_loss([0, 1, 2], [0.5] * 3, positive=1)
    with pytest.raises(ShapeError, match="a threshold decides between two classes"):
        wf.at_threshold([0, 1, 2], [0.5] * 3, 0.5, positive=1)


@pytest.mark.parametrize("bad", [None, "half", float("nan"), True])
def test_a_threshold_is_a_number(bad: Any) -> None:
    with pytest.raises(DefinitionError, match="threshold must be a number"):
        wf.at_threshold([0, 1], [0.1, 0.2], bad)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: wf.ece([0, 1], [0.5, 2]), "needs probabilities in"),
        (lambda: LOOSE.ece([0, 1], [0.5, 1], bins=2.5), "bins must be a whole number"),
        (lambda: LOOSE.ece([0, 1], [0.5, 1], binning="log"), "binning must be one of"),
        (lambda: wf.top_k_accuracy([0, 1], [0.5, 1]), "a column of scores for each class"),
        (lambda: wf.top_k_accuracy([0], [[0.5, 0.5]], k=0), "k must be a whole number"),
        (lambda: wf.at_top_k([0], [[0.5, 0.5]], 0), "k must be a whole number"),
        (lambda: LOOSE.at_argmax([0], [[0.5, 0.5]], ties="best"), "ties must be"),
        (lambda: wf.log_loss([0], [0.5], weights=[1, 2]), "weights have shape"),
        (
            lambda: wf.best_threshold([0, 1], [0.5, 1], "prevalence"),
            "neither higher nor lower is better",
        ),
        (lambda: wf.best_threshold([1, 1], [0.5, 1], "f1"), "there is no item of"),
        (lambda: wf.best_threshold([0, 1], [0.5, 1], "roc_auc"), "computed from scores"),
        (lambda: wf.moments([0, 1], [0.5, 1], "f1"), "is not a mean over items"),
        (lambda: wf.log_loss(wf.moments([0, 1], [0.5, 1], "brier")), "moments of brier"),
        (
            lambda: wf.moments([0, 1], [0.5, 1], "brier") + wf.moments([0, 1], [0, 1], "log_loss"),
            "differ in the metric: 'brier' and 'log_loss'",
        ),
        (
            lambda: wf.calibration_curve([0, 1, 2], [[0.2, 0.3, 0.5]] * 3),
            "for one class: pass pos",
        ),
    ],
)
def test_refusals(call: Any, says: str) -> None:
    with pytest.raises((DefinitionError, InputError, MergeError), match=says):
        call()
