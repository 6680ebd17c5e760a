"""compare for scores, losses and sets of labels: every metric has a test of a difference."""

from __future__ import annotations

import json
import math
from itertools import product

import numpy as np
import pytest

import whichf1 as wf
from tests.statistics.test_scored_intervals import (
    MEANS,
    SINGLE,
    binary,
    items_of,
    probabilities,
    several,
)
from whichf1.comparison import compare as comparing
from whichf1.errors import DefinitionError, InputError, OtherDataWarning
from whichf1.metrics.registry import EVERY
from whichf1.scoring.evaluate import evaluate_per_class
from whichf1.scoring.lines import read_items


def systems_of(kind, seed=0, n=90):
    """True classes or sets, and what two systems say of them, for a kind of metric."""
    rng = np.random.default_rng(seed)
    if kind in ("rate", "agreement"):
        y = rng.integers(0, 3, n)
        return y, {x: np.where(rng.random(n) < 0.7, y, rng.integers(0, 3, n)) for x in "ab"}
    if kind == "items":
        true = rng.random((n, 4)) < 0.4
        return true, {x: true ^ (rng.random((n, 4)) < 0.2) for x in "ab"}
    if kind == "label ranking":
        true = rng.random((n, 4)) < 0.4
        return true, {x: rng.normal(size=(n, 4)) + true for x in "ab"}
    y = rng.integers(0, 2, n)
    return y, {x: 1 / (1 + np.exp(1 - 2 * y - 3 * rng.normal(size=n))) for x in "ab"}


@pytest.mark.parametrize("metric", EVERY.values(), ids=lambda metric: metric.name)
@pytest.mark.parametrize("data", ["plain", "cluster", "weights"])
def test_every_metric_has_a_test_of_a_difference(metric, data):
    y, systems = systems_of(metric.kind)
    if metric.name == "top_k_accuracy":
        y, first = probabilities(1, 90)
        systems = {"a": first, "b": probabilities(2, 90)[1][:, ::-1]}
    rng = np.random.default_rng(3)
    given = {"cluster": {"cluster": np.arange(90) // 3}, "weights": {"weights": rng.random(90)}}
    options = {"average": "macro"} if metric.kind == "rate" else {}
    result = wf.compare(y, systems, metric.name, replicates=99, **options, **given.get(data, {}))
    pair = result.pairs[0]
    if metric.name == "prevalence":  # of the true classes alone
        assert abs(pair.difference) < 1e-12
        assert (pair.p_value, pair.interval) == (1, None)
        return
    assert 0 <= pair.p_value <= 1 and pair.interval is not None
    assert 0 < pair.p_bootstrap <= 1 and pair.bootstrap is not None
    counted = metric.kind in ("rate", "agreement", "items") and data == "weights"
    assert (pair.p_randomization is None) == counted or 0 < pair.p_randomization <= 1
    assert sum(result.best.values()) == pytest.approx(1)
    again = wf.compare(y, systems, result.signature, **given.get(data, {}))
    assert again.pairs == result.pairs
    field = {"cluster": "clusters:30", "weights": "weighted:true"}.get(data, "labels:")
    assert field in result.signature


@pytest.mark.parametrize("name", SINGLE)
def test_differences_have_the_error_of_a_jackknife(name):
    y, first = binary(1, n=300, digits=8)
    systems = {"a": first, "b": first + np.random.default_rng(2).normal(size=300)}
    pair = wf.compare(y, systems, name, replicates=0).pairs[0]
    left_out = np.ones((300, 300)) - np.eye(300)
    values = [
        items_of(name, {}, y, s)[0].statistic.values(left_out)[..., 0] for s in systems.values()
    ]
    difference = values[0] - values[1]
    jackknife = 299 / 300 * ((difference - difference.mean()) ** 2).sum()
    assert pair.standard_error**2 == pytest.approx(jackknife, rel=0.1)
    assert pair.p_bootstrap is None and pair.p_randomization is None


@pytest.mark.parametrize(("name", "options"), MEANS)
def test_means_over_classes_are_compared(name, options):
    y, first = several(1)
    systems = {"a": first, "b": first + np.random.default_rng(2).normal(size=first.shape)}
    pair = wf.compare(y, systems, name, replicates=999, **options).pairs[0]
    left_out = np.ones((len(y), len(y))) - np.eye(len(y))
    values = [
        items_of(name, options, y, s)[0].statistic.values(left_out)[..., 0]
        for s in systems.values()
    ]
    difference = values[0] - values[1]
    jackknife = (len(y) - 1) / len(y) * ((difference - difference.mean()) ** 2).sum()
    assert pair.standard_error**2 == pytest.approx(jackknife, rel=0.15)
    assert pair.bootstrap.high - pair.bootstrap.low == pytest.approx(
        pair.interval.high - pair.interval.low, rel=0.15
    )


def test_copies_in_a_cluster_say_nothing_new():
    y, p = probabilities(2)
    systems = {"a": p, "b": probabilities(3)[1]}
    alone = np.arange(len(y))
    twice = np.repeat(alone, 2)
    for name, options in (("log_loss", {}), ("roc_auc(multi_class=ovo)", {"average": "macro"})):
        one = wf.compare(y, systems, name, cluster=alone, replicates=0, **options).pairs[0]
        doubled = {x: s[twice] for x, s in systems.items()}
        two = wf.compare(y[twice], doubled, name, cluster=twice, replicates=0, **options).pairs[0]
        assert two.standard_error == pytest.approx(one.standard_error, rel=1e-10)
        weighted = wf.compare(
            y, systems, name, weights=np.full(len(y), 3.0), cluster=alone, replicates=0, **options
        ).pairs[0]
        assert weighted.standard_error == pytest.approx(one.standard_error, rel=1e-10)


# randomization


def ranks(scores):
    return np.array([(scores < x).sum() + (scores == x).sum() / 2 for x in scores])


@pytest.mark.parametrize("name", ["log_loss", "roc_auc", "average_precision", "ks"])
def test_randomization_is_that_of_all_swaps(name):
    rng = np.random.default_rng(4)
    n = 9
    y = np.array([0, 1] * 4 + [1])
    systems = {x: 1 / (1 + np.exp(1 - 2 * y - rng.normal(size=n))) for x in "ab"}
    pair = wf.compare(y, systems, name, replicates=19_999).pairs[0]
    a, b = systems.values() if name == "log_loss" else map(ranks, systems.values())
    metric = getattr(wf, name)
    extreme = 0
    for swap in product([False, True], repeat=n):
        left, right = np.where(swap, b, a), np.where(swap, a, b)
        difference = metric(y, left).value - metric(y, right).value
        extreme += abs(difference) >= abs(pair.difference) - 1e-12
    assert pair.p_randomization == pytest.approx(extreme / 2**n, abs=0.012)


def test_sets_are_swapped_as_all_swaps():
    rng = np.random.default_rng(1)
    true = rng.random((8, 3)) < 0.5
    systems = {x: true ^ (rng.random((8, 3)) < 0.3) for x in "ab"}
    pair = wf.compare(true, systems, "f1", average="macro", replicates=19_999).pairs[0]
    a, b = systems.values()
    extreme = 0
    for swap in product([False, True], repeat=8):
        chosen = np.array(swap)[:, None]
        left, right = np.where(chosen, b, a), np.where(chosen, a, b)
        values = [wf.averaged_f1(wf.count_multilabel(true, x)).value for x in (left, right)]
        extreme += abs(values[0] - values[1]) >= abs(pair.difference) - 1e-12
    assert pair.p_randomization == pytest.approx(extreme / 2**8, abs=0.012)


# sets of labels


@pytest.mark.parametrize("average", ["macro", "weighted", None])
@pytest.mark.parametrize("data", ["plain", "cluster", "weights"])
def test_sets_of_one_label_are_classes(average, data):
    y, systems = systems_of("rate", n=120)
    rng = np.random.default_rng(3)
    given = {"cluster": {"cluster": np.arange(120) // 3}, "weights": {"weights": rng.random(120)}}
    options = {"average": average} if average else {"positive": 1}
    more = {**options, **given.get(data, {}), "replicates": 499}
    classes = wf.compare(y, systems, "f1", **more)
    sets = [[{int(x)} for x in each] for each in (y, *systems.values())]
    own = wf.compare(sets[0], dict(zip("ab", sets[1:], strict=True)), "f1", **more)
    one, two = classes.pairs[0], own.pairs[0]
    for field in ("difference", "standard_error", "p_value", "only_a", "only_b", "changed"):
        assert getattr(two, field) == pytest.approx(getattr(one, field), rel=1e-9), field
    assert two.p_bootstrap == pytest.approx(one.p_bootstrap, abs=0.1)
    intervals = [x.scores["a"].interval for x in (classes, own)]
    # of cells and of kinds of items with weights the skewness is not exactly the same
    close = 1e-9 if data != "weights" else 1e-3
    assert intervals[0].low == pytest.approx(intervals[1].low, rel=close)
    matrix = wf.compare(
        np.eye(3, dtype=int)[y], {x: np.eye(3, dtype=int)[s] for x, s in systems.items()},
        "f1", **more,
    )  # fmt: skip
    assert matrix.pairs[0] == two


def test_exact_matches_have_mcnemars_test():
    true, systems = systems_of("items")
    pair = wf.compare(true, systems, "subset_accuracy").pairs[0]
    right = [(true == s).all(1) for s in systems.values()]
    assert pair.only_a == (right[0] & ~right[1]).sum() == pair.mcnemar.only_a
    assert pair.only_b == (right[1] & ~right[0]).sum()
    assert pair.changed == (systems["a"] != systems["b"]).any(1).sum()
    with pytest.raises(DefinitionError, match="one class for each item"):
        wf.compare(true, systems, "mcc")
    with pytest.raises(InputError, match="b has 3"):
        wf.compare(true, {"a": true, "b": true[:3]}, "hamming_loss")
    with pytest.raises(InputError, match="at least two systems"):
        wf.compare(true, {"a": true}, "hamming_loss")


def test_sets_in_clusters_have_wider_intervals_and_do_not_merge():
    rng = np.random.default_rng(1)
    true = rng.random((100, 3)) < 0.4
    predicted = true ^ (rng.random((100, 3)) < 0.2)
    alone, twice = np.arange(100), np.repeat(np.arange(100), 2)
    one = wf.count_multilabel(true, predicted, cluster=alone)
    two = wf.count_multilabel(true[twice], predicted[twice], cluster=twice)
    for average in ("macro", "micro", "weighted", "samples"):
        plain, doubled = (wf.f1(x, average=average, interval="delta") for x in (one, two))
        assert doubled.value == pytest.approx(plain.value)
        assert doubled.interval.low == pytest.approx(plain.interval.low, rel=1e-9)
        assert doubled.signature.endswith("clusters:100")
        drawn = wf.f1(two, average=average, interval=wf.Bootstrap(replicates=999)).interval
        assert drawn.low == pytest.approx(doubled.interval.low, abs=0.02)
    direct = wf.hamming_loss(true, predicted, interval="delta", cluster=alone)
    assert direct.interval == wf.hamming_loss(one, interval="delta").interval
    with pytest.raises(wf.errors.MergeError, match="do not add up"):
        _ = one + one


def test_weighted_sets_have_intervals_that_survive_merging():
    rng = np.random.default_rng(1)
    true = rng.random((100, 3)) < 0.4
    predicted = true ^ (rng.random((100, 3)) < 0.2)
    w = rng.random(100)
    whole = wf.count_multilabel(true, predicted, weights=w)
    parts = [
        wf.count_multilabel(true[x], predicted[x], weights=w[x], labels=range(3))
        for x in (slice(40), slice(40, None))
    ]
    expected = wf.f1(whole, average="macro", interval="delta")
    merged = wf.f1(sum(parts), average="macro", interval="delta")
    assert merged.interval.low == pytest.approx(expected.interval.low, rel=1e-9)
    clustered = wf.count_multilabel(true, predicted, weights=w, cluster=np.arange(100))
    ratio = wf.f1(clustered, average="macro", interval="delta").interval
    assert ratio.low == pytest.approx(expected.interval.low, abs=0.005)
    assert "weighted:true" in expected.signature


# many items, flips, repr


def test_many_items_have_the_delta_method_alone(monkeypatch):
    y, systems = systems_of("ranking", n=300)
    usual = wf.compare(y, systems, "roc_auc")
    monkeypatch.setattr(comparing, "DRAWN", 1000)
    quick = wf.compare(y, systems, "roc_auc")
    assert quick.pairs[0].p_bootstrap is None and quick.pairs[0].p_randomization is None
    assert quick.pairs[0].p_value == usual.pairs[0].p_value
    assert quick.best["a"] == pytest.approx(usual.best["a"], abs=0.05)
    assert wf.compare(y, systems, "ks", replicates=99).pairs[0].p_bootstrap is not None


def test_losses_of_many_items_are_quick():
    import time

    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200_000)
    systems = {x: rng.random(200_000) for x in "ab"}
    start = time.process_time()
    wf.compare(y, systems, "log_loss", replicates=0)
    assert time.process_time() - start < 1  # 2.5 µs an item and system; one by one 10 to 20


def test_where_nothing_varies_no_test_is_sure():
    y, systems = systems_of("ranking")
    for name, given in (("roc_auc", {}), ("accuracy", {})):
        data = systems if name == "roc_auc" else {k: s > 0.5 for k, s in systems.items()}
        true = y if name == "roc_auc" else y == 1
        one = wf.compare(true, data, name, cluster=np.zeros(90, int), **given).pairs[0]
        assert (one.p_value, one.p_bootstrap, one.interval) == (None, None, None)
        assert one.p_randomization == 1


def test_top_k_has_mcnemars_test():
    y, p = probabilities(1)
    other = probabilities(2)[1]
    pair = wf.compare(y, {"a": p, "b": other}, "top_k_accuracy(k=1)").pairs[0]
    right = [x.argmax(1) == y for x in (p, other)]
    assert pair.only_a == (right[0] & ~right[1]).sum() == pair.mcnemar.only_a
    weighted = wf.compare(y, {"a": p, "b": other}, "top_k_accuracy", weights=np.ones(len(y)))
    assert weighted.pairs[0].mcnemar is None


def test_ties_are_shown_as_such():
    same = wf.compare([0, 1, 1], {"a": [0, 1, 0], "b": [0, 0, 1], "c": [0, 1, 1]}, "accuracy")
    assert "c 1.0000 > a 0.6667 = b 0.6667" in repr(same)


# signatures and data of another kind


def test_a_signature_warns_on_data_of_another_kind():
    y, systems = systems_of("rate", n=120)
    cluster = np.arange(120) // 3
    first = wf.compare(y, systems, "accuracy", cluster=cluster, replicates=99)
    with pytest.warns(OtherDataWarning, match="40 clusters"):
        wf.compare(y, systems, first.signature)
    assert wf.compare(y[:90], {k: s[:90] for k, s in systems.items()}, first.signature,
                      cluster=cluster[:90]).pairs  # n differs, as it does on new data  # fmt: skip
    weighted = wf.accuracy(y, systems["a"], weights=np.ones(120) * 2)
    assert "|weighted:true" in weighted.signature
    with pytest.warns(OtherDataWarning, match="weighted items"):
        wf.score(y, systems["a"], weighted.signature)
    plain = wf.averaged_f1(y, systems["a"])
    with pytest.warns(OtherDataWarning, match="of 3 classes"):
        wf.Definition.parse(plain.signature)(y % 2, systems["a"] % 2)
    clustered = wf.accuracy(y, systems["a"], cluster=cluster)
    again = wf.Definition.parse(clustered.signature)(y, systems["a"])  # no interval: no matter
    assert again.value == clustered.value
    scores = {"a": y + 0.1, "b": y * 0.5}
    auc = wf.compare(y == 1, scores, "roc_auc", cluster=cluster, replicates=99)
    with pytest.warns(OtherDataWarning, match="40 clusters"):
        wf.compare(y == 1, scores, auc.signature)


def warned(call, *arguments):
    """What kinds of other data a call warns of."""
    with pytest.warns(OtherDataWarning) as caught:
        call(*arguments)
    return [str(each.message) for each in caught]


@pytest.mark.parametrize("kind", ["rate", "scores", "sets"])
def test_a_signature_warns_once_for_all_systems(kind):
    y, systems = systems_of("rate", n=120)
    systems["c"] = (y + 1) % 3
    metric = "accuracy"
    if kind == "scores":
        y, metric = (y == 1).astype(int), "roc_auc"
        systems = {name: each + 0.5 for name, each in systems.items()}
    if kind == "sets":
        y, metric = [{int(x)} for x in y], "subset_accuracy"
        systems = {name: [{int(x)} for x in each] for name, each in systems.items()}
    cluster = np.arange(120) // 3
    first = wf.compare(y, systems, metric, cluster=cluster, replicates=99)
    clusters, weights = first.signature, first.signature + "|weighted:true"
    assert len(warned(wf.compare, y, systems, clusters)) == 1
    both = warned(wf.compare, y, systems, weights.replace("labels:", "labels:x"))
    assert len(both) == 3 and len(set(both)) == 3  # classes, weights, clusters


def test_slices_batches_and_ranks_warn_of_the_whole_once(run):
    y, systems = systems_of("rate", n=120)
    other = wf.averaged_f1(y, systems["a"], classes="observed").signature.replace("k:3", "k:4")
    counts = {name: wf.count(y, each) for name, each in systems.items()}
    assert len(warned(wf.rank_systems, counts, [other])) == 1
    batched = wf.averaged_f1(y, systems["a"], batch=7).signature.replace("k:3", "k:4")
    assert len(warned(wf.Definition.parse(batched), y, systems["a"])) == 1
    files = ["examples/systems.csv", "--true", "gold", "--pred", "weak"]
    code, out, err = run("score", *files, "--by", "gold", "-m", other)
    assert code == 0 and "(whole)" in out and err.count("\n") == 1 and "the signature was" in err


def test_the_signature_of_a_comparison_is_for_compare(run):
    y, systems = systems_of("rate")
    text = wf.compare(y, systems, "accuracy", replicates=99).signature
    with pytest.raises(DefinitionError, match="give it to compare"):
        wf.score(y, systems["a"], text)
    code, _, err = run("score", "examples/animals.csv", "-m", text)
    assert code == 2 and "signature of a comparison" in err


def test_a_signature_of_each_class_warns_too(run):
    y, systems = systems_of("rate", n=120)
    each = wf.recall.per_class(y, systems["a"])
    again = wf.Definition.parse(each.signature.replace("k:3", "k:4"))
    with pytest.warns(OtherDataWarning, match="of 4 classes") as caught:
        found = evaluate_per_class(again, wf.count(y, systems["a"]))
        assert dict(found) == dict(each)  # which warns of nothing for each class
    assert len(caught) == 1
    code, out, err = run("score", "examples/animals.csv", "-m", each.signature)
    assert code == 0 and "recall" in out and err.count("\n") == 1 and "of 3 classes" in err


def test_warnings_are_one_line_on_the_command_line(run):
    signature = wf.accuracy(wf.count("examples/animals.csv")).signature
    own = ["--true", "gold", "--pred", "weak", "-m", signature.replace("labels:", "labels:x")]
    code, out, err = run("score", "examples/systems.csv", *own)
    assert code == 0 and "accuracy" in out
    assert err.startswith("whichf1: the signature was of 4 classes") and err.count("\n") == 1


def test_scores_of_files_take_clusters_and_weights(run, tmp_path):
    rng = np.random.default_rng(3)
    n = 90
    y = rng.integers(0, 2, n)
    scores = {name: rng.beta(2 + y, 3 - y).round(3) for name in ("s", "t")}
    w, document = rng.random(n).round(3) + 0.1, np.arange(n) // 3
    path = tmp_path / "scores.csv"
    rows = zip(y, *scores.values(), w, document, strict=True)
    path.write_text("y,s,t,w,d\n" + "".join(f"{a},{b},{c},{e},d{f:02}\n" for a, b, c, e, f in rows))
    own = ["compare", path, "--true", "y", "--pred", "s", "--pred", "t", "--positive", "1"]
    for metric in ("roc_auc", "log_loss", "ks"):
        more = ["-m", metric, "--weights", "w", "--cluster", "d", "--replicates", "99"]
        code, out, err = run(*own, *more, "-f", "json")
        assert (code, err) == (0, "")
        expected = wf.compare(y, scores, metric, weights=w, cluster=document, replicates=99)
        record = json.loads(out)
        assert record["pairs"][0]["standard_error"] == pytest.approx(
            expected.pairs[0].standard_error
        )
        assert record["signature"] == expected.signature
        assert run(*own, *more)[0] == 0
    single = ["score", path, "--true", "y", "--score", "s", "--positive", "1", "-f", "json"]
    code, out, err = run(*single, "--weights", "w", "--cluster", "d")
    assert (code, err) == (0, "")
    found = {x["signature"].split("|")[0].split("(")[0]: x for x in json.loads(out)["scores"]}
    area = wf.roc_auc(y, scores["s"], weights=w, cluster=document, interval="delta")
    assert found["roc_auc"]["interval"]["low"] == pytest.approx(area.interval.low)
    assert "log_loss" in found
    code, out, err = run(*single, "--cluster", "d", "--threshold", "0.5")
    assert (code, err) == (0, "")
    counts = wf.at_threshold(y, scores["s"], 0.5, cluster=document)
    found = {x["signature"].split("|")[0]: x for x in json.loads(out)["scores"]}
    expected = wf.accuracy(counts, interval="delta")
    assert found["accuracy"]["interval"]["low"] == pytest.approx(expected.interval.low)


@pytest.mark.parametrize("name", ["roc_auc", "average_precision", "log_loss", "ks"])
def test_columns_take_weights_and_clusters(name, tmp_path):
    import pandas as pd

    y, systems = systems_of("ranking", n=60)
    rng = np.random.default_rng(1)
    # equal scores with different weights: a group of them is not one item
    data = {"y": y, "s": systems["a"].round(1), "t": systems["b"].round(2)}
    frame = pd.DataFrame({**data, "w": rng.random(60).round(3) + 0.1, "d": np.arange(60) // 3})
    path = tmp_path / "scores.csv"
    frame.to_csv(path, index=False)
    method = wf.Bootstrap(replicates=99) if name == "ks" else "delta"
    for columns in ({}, {"weights": "w"}, {"cluster": "d"}, {"weights": "w", "cluster": "d"}):
        arrays = {key: frame[column].to_numpy() for key, column in columns.items()}
        expected = wf.score(y, data["s"], name, interval=method, **arrays)
        pair = wf.compare(y, {"s": data["s"], "t": data["t"]}, name, replicates=99, **arrays)
        for source in (frame, path):
            own = {"true": "y", **columns}
            found = wf.score(source, name, score="s", interval=method, **own)
            assert found.signature == expected.signature
            assert found.value == pytest.approx(expected.value, rel=1e-12)
            if name != "ks":  # the order of the lines is the engine's
                assert found.interval.low == pytest.approx(expected.interval.low, rel=1e-9)
            both = wf.compare(source, ["s", "t"], name, replicates=99, **own)
            assert both.pairs[0].difference == pytest.approx(pair.pairs[0].difference, abs=1e-12)


def test_reports_say_what_is_not_as_usual(run, monkeypatch, tmp_path):
    path = tmp_path / "scores.csv"
    rows = zip(*systems_of("ranking", n=60)[1].values(), [0, 1] * 30, strict=True)
    path.write_text("a,b,y\n" + "".join(f"{a},{b},{y}\n" for a, b, y in rows))
    own = ["compare", path, "--true", "y", "--pred", "a", "--pred", "b", "--positive", "1"]
    assert "depends on individual items" in run(*own, "-m", "ks", "--replicates", "99")[1]
    assert "not resampled" not in run(*own, "-m", "roc_auc", "--replicates", "99")[1]
    monkeypatch.setattr(comparing, "DRAWN", 10)
    assert "not resampled" in run(*own, "-m", "roc_auc", "--replicates", "99")[1]
    code, _, err = run(*own, "-m", "hamming_loss")
    assert code == 2 and "between two labels" in err


def test_a_class_without_items_cannot_be_ranked():
    with pytest.raises(InputError, match="no item of class 2"):
        read_items(
            wf.Definition.parse("roc_auc(multi_class=ovr)|avg:macro"), [0, 1], np.eye(3)[:2], None
        )
    with pytest.raises(DefinitionError, match="alone: replicates=0"):
        wf.compare([0, 1], {"a": [0, 1], "b": [1, 0]}, "ks", replicates=0)
    assert math.isfinite(wf.roc_auc([0, 1], [0, 1]).value)
