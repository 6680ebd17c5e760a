"""Rankings against scikit-learn, SciPy and a count of all pairs."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ks_2samp

import whichf1 as wf
from tests.helpers.rankings import ranked
from tests.helpers.samples import ends, present
from whichf1.definitions.definition import Definition
from whichf1.errors import DefinitionError, InputError, LabelError, MergeError, ShapeError
from whichf1.kernel import rank_table
from whichf1.metrics import find
from whichf1.scoring.evaluate import evaluate
from whichf1.tables.cells import RankTable


def pairs_won(y: Any, s: Any) -> Any:
    """The ROC AUC by looking at every pair."""
    positive = [x for t, x in zip(y, s, strict=True) if t]
    negative = [x for t, x in zip(y, s, strict=True) if not t]
    won = sum((p > q) + 0.5 * (p == q) for p in positive for q in negative)
    return won / (len(positive) * len(negative))


@settings(max_examples=40)
@given(ranked())
def test_area_is_the_share_of_pairs_in_order(items: Any) -> None:
    y, s = items
    value = wf.roc_auc(y, s).value
    assert value == pytest.approx(pairs_won(y, s), abs=1e-14)
    assert value == pytest.approx(sk.roc_auc_score(y, s), abs=1e-12)


@settings(max_examples=40)
@given(ranked(), st.sampled_from([0.05, 0.1, 0.3, 0.5, 0.9, 1]))
def test_partial_area(items: Any, limit: Any) -> None:
    y, s = items
    expected = sk.roc_auc_score(y, s, max_fpr=limit)
    assert wf.roc_auc(y, s, max_fpr=limit).value == pytest.approx(expected, abs=1e-12)


@settings(max_examples=40)
@given(ranked())
def test_average_precision_and_ks(items: Any) -> None:
    y, s = items
    assert wf.average_precision(y, s).value == pytest.approx(
        sk.average_precision_score(y, s), abs=1e-12
    )
    x, z = (np.array([b for a, b in zip(y, s, strict=True) if a == t]) for t in (1, 0))
    apart = max(abs(np.mean(x >= t) - np.mean(z >= t)) for t in s)
    assert wf.ks(y, s).value == pytest.approx(apart, abs=1e-12)


def test_ks_is_the_statistic_of_the_two_sample_test() -> None:
    random = np.random.default_rng(8)
    y = random.integers(0, 2, 80)
    s = (random.normal(size=80) + y).round(1)
    assert wf.ks(y, s).value == pytest.approx(ks_2samp(s[y == 1], s[y == 0]).statistic)


@settings(max_examples=40)
@given(ranked())
def test_curves(items: Any) -> None:
    y, s = items
    fpr, tpr, threshold = sk.roc_curve(y, s, drop_intermediate=False)
    roc = wf.roc_curve(y, s)
    for mine, theirs in ((roc.fpr, fpr), (roc.tpr, tpr), (roc.threshold, threshold)):
        np.testing.assert_allclose(mine, theirs, atol=1e-12)
    assert np.trapezoid(roc.y, roc.x) == pytest.approx(roc.score.value, abs=1e-12)
    precision, recall, threshold = sk.precision_recall_curve(y, s)
    pr = wf.pr_curve(y, s)
    np.testing.assert_allclose(pr.recall[::-1], recall, atol=1e-12)
    np.testing.assert_allclose(pr.precision[::-1], precision, atol=1e-12)
    np.testing.assert_allclose(pr.threshold[:0:-1], threshold)
    det = wf.det_curve(y, s)
    np.testing.assert_allclose(det.fpr, fpr, atol=1e-12)
    np.testing.assert_allclose(det.fnr, 1 - tpr, atol=1e-12)


def test_det_curve_is_that_of_scikit_learn() -> None:
    y, s = [0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.4]
    fpr, fnr, threshold = sk.det_curve(y, s)
    det = wf.det_curve(y, s)
    for x, z, t in zip(fpr, fnr, threshold, strict=True):
        at = det.threshold.tolist().index(t)
        assert (det.x[at], det.y[at]) == pytest.approx((x, z))


@settings(max_examples=40)
@given(ranked(), st.sampled_from([0.1, 0.25, 0.5, 1]))
def test_gain_and_lift(items: Any, top: Any) -> None:
    """The expected positives among the top items when ties are broken at random."""
    y, s = items
    limit, found, taken = top * len(y), 0.0, 0.0
    for value in sorted(set(np.add(s, 0.0).tolist()), reverse=True):
        group = [t for t, x in zip(y, s, strict=True) if x == value]
        share = min(1, max(0, (limit - taken) / len(group)))
        found += share * sum(group)
        taken += len(group)
    assert wf.gain(y, s, top=top).value == pytest.approx(found / sum(y), abs=1e-12)
    assert wf.lift(y, s, top=top).value == pytest.approx(found / sum(y) / top, abs=1e-12)
    curve = wf.gain_curve(y, s)
    assert (curve.x[0], curve.y[0], curve.x[-1], curve.y[-1]) == (0, 0, 1, 1)
    lift = wf.lift_curve(y, s)
    np.testing.assert_allclose(lift.y * lift.x, curve.y[1:], atol=1e-12)


@settings(max_examples=40)
@given(ranked(), st.data())
def test_merging_is_concatenating(items: Any, data: Any) -> None:
    y, s = items
    cut = data.draw(st.integers(1, len(y) - 1))
    whole = wf.rank(y, s)
    parts = [wf.rank(y[:cut], s[:cut]), wf.rank(y[cut:], s[cut:])]
    assert sum(parts) == whole
    assert wf.roc_auc(sum(parts)) == wf.roc_auc(y, s)


@settings(max_examples=40)
@given(ranked(), st.data())
def test_weights_are_repetitions(items: Any, data: Any) -> None:
    y, s = items
    times = data.draw(st.lists(st.integers(1, 3), min_size=len(y), max_size=len(y)))
    repeated = wf.rank(np.repeat(y, times), np.repeat(s, times))
    weighted = wf.rank(y, s, weights=times)
    for metric in (wf.roc_auc, wf.average_precision, wf.ks):
        assert metric(weighted).value == pytest.approx(metric(repeated).value, abs=1e-12)
    expected = sk.roc_auc_score(y, s, sample_weight=times)
    assert wf.roc_auc(y, s, weights=times).value == pytest.approx(expected, abs=1e-12)


@settings(max_examples=40)
@given(ranked())
def test_swapping_the_classes_turns_the_ranking_round(items: Any) -> None:
    y, s = items
    turned = wf.roc_auc([1 - t for t in y], s)
    assert turned.value == pytest.approx(1 - wf.roc_auc(y, s).value, abs=1e-12)
    assert wf.roc_auc(y, s, positive=0).value == pytest.approx(turned.value, abs=1e-12)
    assert wf.roc_auc(y, s, positive=0).signature != wf.roc_auc(y, s).signature


@settings(max_examples=40)
@given(ranked(most=80, score=st.floats(0, 1)), st.sampled_from([1, 3, 10, 100]))
def test_a_histogram_bounds_its_own_error(items: Any, bins: Any) -> None:
    y, s = items
    score = wf.roc_auc(wf.rank_histogram(y, s, bins=bins))
    interval = present(score.interval)
    assert interval.low - 1e-12 <= wf.roc_auc(y, s).value <= interval.high + 1e-12
    assert f'resolution:"{bins} bins on [0,1]"' in score.signature
    assert (interval.level, interval.method) == (1.0, "bins")
    half = wf.rank_histogram(y[1:], s[1:], bins=bins) + wf.rank_histogram(y[:1], s[:1], bins=bins)
    assert wf.roc_auc(half) == score


@pytest.mark.parametrize("formula", ["roc_auc", "average_precision", "ks", "gain", "lift"])
def test_a_batch_of_tables_is_a_loop(formula: Any) -> None:
    random = np.random.default_rng(5)
    score = np.arange(200_000)[::-1].astype(float)  # more than one block
    counts = random.integers(0, 3, (2, 3, len(score)))
    metric = find(formula)
    top, bottom = metric.formula(RankTable(score, *counts))
    for at in range(3):
        one, under = metric.formula(RankTable(score, *counts[:, at]))
        assert top[at] / bottom[at] == pytest.approx(one / under, rel=1e-12)


@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("way", ["ovr", "ovo"])
@pytest.mark.parametrize("seed", range(6))
def test_several_classes(average: Any, way: Any, seed: Any) -> None:
    random = np.random.default_rng(seed)
    k = int(random.integers(3, 6))
    y = np.concatenate([np.arange(k), random.integers(0, k, 40)])
    p = random.dirichlet(np.ones(k), len(y)).round(2)  # ties
    p[:, -1] = 1 - p[:, :-1].sum(1)
    p = np.abs(p)
    p /= p.sum(1, keepdims=True)
    score = wf.roc_auc(y, p, average=average, multi_class=way)
    expected = sk.roc_auc_score(y, p, average=average, multi_class=way)
    assert score.value == pytest.approx(expected, abs=1e-12)
    assert score.signature.startswith(f"roc_auc(multi_class={way})|avg:{average}|v:1|n:{len(y)}|")
    assert Definition.parse(score.signature)(y, p) == score
    if way == "ovr":
        precision = wf.average_precision(y, p, average=average)
        expected = sk.average_precision_score(y, p, average=average)
        assert precision.value == pytest.approx(expected, abs=1e-12)


def test_one_of_several_classes() -> None:
    y, p = ["a", "b", "c", "a"], [[0.5, 0.2, 0.3], [0.1, 0.8, 0.1], [0.4, 0.3, 0.3], [0.9, 0.1, 0]]
    assert wf.roc_auc(y, p, positive="a").value == 1.0
    assert wf.roc_auc(y, [1, 0, 0, 1], positive="a").value == 1.0


@settings(max_examples=40)
@given(ranked())
def test_signatures_parse_and_run(items: Any) -> None:
    y, s = items
    for score in (wf.roc_auc(y, s), wf.roc_auc(y, s, max_fpr=0.3), wf.gain(y, s, top=0.2)):
        assert Definition.parse(score.signature)(y, s) == score


def test_optional_parameters_appear_only_when_given() -> None:
    y, s = [0, 1], [0.2, 0.3]
    assert wf.roc_auc(y, s).signature.startswith("roc_auc|positive:1|v:1|n:2|k:2|")
    assert wf.auroc(y, s, max_fpr=0.5).signature.startswith("roc_auc(max_fpr=0.5)|positive:1|v:1")


def test_delong_intervals_cover() -> None:
    random = np.random.default_rng(11)
    true, hits, runs = 0.76024993890652, 0, 400  # Φ(1 / √2): normal scores one deviation apart
    for _ in range(runs):
        y = np.repeat([0, 1], 60)
        score = wf.roc_auc(y, random.normal(size=120) + y, interval="delta")
        low, high = ends(score.interval)
        hits += low <= true <= high
    assert hits / runs == pytest.approx(0.95, abs=0.033)  # three standard errors


@pytest.mark.parametrize(
    ("n", "share"),
    [
        (4_000_000, 0.02),
        (4_000_000, 0.97),
        pytest.param(10_000_000, 0.5, marks=pytest.mark.slow),
    ],
)
@pytest.mark.thinned(2)
def test_scores_stay_within_three_times_their_size(n: int, share: float) -> None:
    """The peak of a process of its own, so that memory of the native kernel counts."""
    code = f"""
import numpy as np
import whichf1 as wf
from tests.helpers.peak import held, peak
random = np.random.default_rng(0)
y = random.random({n}) < {share}
s = random.random({n})
s += 0.2 * y
wf.roc_auc(y[:1000], s[:1000]), wf.average_precision(y[:1000], s[:1000])
before = held()
assert 0 < wf.roc_auc(y, s).value < 1 and 0 < wf.average_precision(y, s).value < 1
print((peak() - before) / s.nbytes)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 0.1 < float(done.stdout) <= 3


def test_a_histogram_gives_its_bound_only_where_no_interval_is_asked_for() -> None:
    random = np.random.default_rng(0)
    y, s = [0, 0, 1, 1] * 50, random.random(200)
    bins = wf.rank_histogram(y, s, bins=1000)
    assert present(wf.roc_auc(bins).interval).method == "bins"
    ours, exact = (wf.roc_auc(x, interval="delta").interval for x in (bins, wf.rank(y, s)))
    assert ends(ours) == pytest.approx(ends(exact), abs=0.01)


def test_a_metric_is_named_by_itself_too() -> None:
    y, s = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    named = wf.best_threshold(y, s, "f1")
    metrics: list[Any] = [wf.f1, wf.f1.definition(positive=1)]
    for metric in metrics:
        assert wf.best_threshold(y, s, metric).threshold == named.threshold


def test_a_signature_runs_on_declared_labels() -> None:
    y, table = ["a", "b"], [[0.7, 0.3], [0.4, 0.6]]
    score = wf.log_loss(y, table, labels=["b", "a"])
    again = wf.Definition.parse(score.signature)(y, table, labels=["b", "a"])
    assert again.signature == score.signature and again.value == score.value


@settings(max_examples=40)
@given(ranked(most=60))
def test_the_table_counts_every_item(items: Any) -> None:
    y, s = np.array(items[0], bool), np.array(items[1])
    table = rank_table(s, y)
    assert (np.diff(table.score) < 0).all()
    assert (table.positives + table.negatives > 0).all()
    for value, p, q in zip(*table, strict=True):
        assert (p, q) == (np.sum(y & (s == value)), np.sum(~y & (s == value)))
    assert not np.signbit(table.score[table.score == 0]).any()


# bad input


@pytest.mark.parametrize("metric", [wf.roc_auc, wf.average_precision, wf.ks, wf.gain, wf.lift])
@pytest.mark.parametrize("y", [[1, 1], [0, 0]])
def test_one_class_is_an_error(metric: Any, y: Any) -> None:
    with pytest.raises(InputError, match="there is no item of"):
        metric(y, [0.2, 0.3])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_scores_are_finite(bad: Any) -> None:
    with pytest.raises(InputError, match=r"scores\[1\] is (nan|inf|-inf)"):
        wf.roc_auc([0, 1], [0.2, bad])


@pytest.mark.parametrize(
    ("y", "s", "error", "says"),
    [
        ([0, 1], [0.1], ShapeError, "y_true has 2 items, scores have 1"),
        ([], [], ShapeError, "no items"),
        ([0, 1], [[[0.1]]], ShapeError, "one dimension"),
        ([0, 1], ["a", "b"], InputError, "must be numbers"),
        (["a", "b"], [0.1, 0.2], LabelError, r"Pass positive= .*\['a', 'b'\]"),
        ([1, 2], [0.1, 0.2], LabelError, "Pass positive="),
        ([0, None], [0.1, 0.2], LabelError, "missing"),
        ([0, 1, 2], [[0.1, 0.2], [0.1, 0.2], [0.3, 0.4]], LabelError, "Pass positive="),
        ([0, 1, 2], [[0.1, 0.2, 0.7]] * 3, DefinitionError, "average='macro'"),
        ([0, 1, 1], [[0.1, 0.2, 0.7]] * 3, DefinitionError, "average='macro'"),
    ],
)
def test_bad_input(y: Any, s: Any, error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        wf.roc_auc(y, s)


def test_a_class_without_items_is_an_error_in_a_mean() -> None:
    with pytest.raises(InputError, match="the positive class 2"):
        wf.roc_auc([0, 1, 1], [[0.1, 0.2, 0.7]] * 3, average="macro")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"max_fpr": 0}, "max_fpr must be a number above 0 and at most 1"),
        ({"max_fpr": 1.5}, "max_fpr must be"),
        ({"multi_class": "both"}, "multi_class must be one of"),
        ({"average": "micro"}, "pass a column of scores for each"),
        ({"classes": [0]}, "classes= does not apply"),
        ({"epsilon": 1}, "epsilon= does not apply"),
        ({"ignore": [0]}, "ignore= does not apply"),
        ({"average": "macro"}, "pass a column of scores for each"),
        ({"max_fpr": 0.5, "interval": "delong"}, "DeLong's variance is that of the whole ROC AUC"),
    ],
)
def test_options_that_do_not_apply(options: dict[str, Any], says: str) -> None:
    with pytest.raises(DefinitionError, match=says):
        wf.roc_auc([0, 1], [0.1, 0.2], **options)


def test_rankings_that_do_not_add_up() -> None:
    one = wf.rank([0, 1], [0.1, 0.2])
    for other, says in (
        (wf.rank([0, 1], [0.1, 0.2], positive=0), "differ in the positive class"),
        (wf.rank([0, 1], [0.1, 0.2], weights=[1, 2]), "differ in weighting"),
        (wf.rank_histogram([0, 1], [0.1, 0.2]), "differ in the bins of scores"),
        (wf.rank([False, True], [0.1, 0.2]), "differ in the positive class"),
    ):
        with pytest.raises(MergeError, match=says):
            one + other


def test_histograms_refuse_what_they_cannot_hold() -> None:
    with pytest.raises(InputError, match=r"scores\[1\] is 1.5, outside \[0, 1\]"):
        wf.rank_histogram([0, 1], [0.1, 1.5])
    with pytest.raises(InputError, match="bins must be"):
        wf.rank_histogram([0, 1], [0.1, 0.5], bins=0)
    with pytest.raises(InputError, match="apply the threshold to the scores"):
        wf.at_threshold(wf.rank_histogram([0, 1], [0.1, 0.5]), threshold=0.3)


def test_counts_are_no_scores() -> None:
    with pytest.raises(DefinitionError, match="roc_auc is computed from scores"):
        evaluate(wf.roc_auc.definition(), wf.count([0, 1], [0, 1]))
    with pytest.raises(InputError, match="needs scores"):
        wf.roc_auc(wf.count([0, 1], [0, 1]))


@pytest.mark.parametrize("correct", ["bootstrap", "cross-validation"])
@pytest.mark.parametrize("metric", ["f1", "error_rate"])
def test_a_threshold_chosen_on_the_same_items_is_optimistic(correct: Any, metric: str) -> None:
    rng = np.random.default_rng(4)
    y = (rng.random(150) < 0.5).astype(int)
    noise = rng.normal(size=150)  # of no use: any value above that of one class is chance
    best = wf.best_threshold(y, noise, metric, correct=correct)
    naive = wf.best_threshold(y, noise, metric)
    assert (best.threshold, best.value) == (naive.threshold, naive.value)
    assert naive.corrected is None and "chosen on the same items" in naive.note
    optimism, sign = present(best.optimism), -1 if metric == "error_rate" else 1
    assert sign * optimism > 0
    assert best.corrected == best.value - optimism
    low, high = ends(best.interval)
    assert 0 <= low < present(best.corrected) < high <= 1
    again = wf.best_threshold(wf.rank(y, noise), metric=metric, correct=correct)
    assert again.optimism == optimism  # items in any order, from any source
    clear = wf.best_threshold(y, 3 * y, metric, correct=correct)
    assert present(clear.optimism) == pytest.approx(0, abs=1e-12)  # there is nothing to choose


def test_corrections_that_cannot_be_made() -> None:
    y, scores = [0, 1, 0, 1], [0.1, 0.4, 0.5, 0.9]
    with pytest.raises(DefinitionError, match="correct must be 'bootstrap' or 'cross-validation'"):
        wf.best_threshold(y, scores, correct="jackknife")  # type: ignore[arg-type]
    with pytest.raises(DefinitionError, match="does not support weights"):
        wf.best_threshold(y, scores, correct="bootstrap", weights=[1, 2, 1, 2.5])
