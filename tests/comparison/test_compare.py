"""compare on classes: counted together, scored on the same classes, run again from a signature."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers.samples import COLUMNS, SYSTEMS, present, probabilities, systems_of
from whichf1.comparison.significance import Plan
from whichf1.errors import DefinitionError, InputError, LabelError, ShapeError
from whichf1.metrics.registry import EVERY, Metric
from whichf1.sources.arrays import count_together
from whichf1.sources.systems import read_systems
from whichf1.tables.slices import Slices


def test_joint_counts_are_those_of_each_system(data: Any) -> None:
    gold, systems, _ = data
    joint = count_together(gold, systems)
    for at, name in enumerate(systems):
        assert joint.system(at) == wf.count(gold, systems[name])
    slices_read = read_systems(SYSTEMS, COLUMNS, counted=True, true="gold")
    assert isinstance(slices_read, Slices)
    read: Any = slices_read.whole
    assert [read.system(at) for at in range(3)] == [joint.system(at) for at in range(3)]
    assert int(joint.count.sum()) == joint.n == len(gold)


@pytest.mark.parametrize(
    "values", [[0, 1, 5], [-7, 10**12, 3], [True, False, True], ["x", "y", "Ω"], [2**40, 0, 1]]
)
def test_labels_of_any_kind_are_counted_together(values: Any) -> None:
    rng = np.random.default_rng(0)
    true, a, b = ([values[i] for i in rng.integers(0, 3, 80)] for _ in range(3))
    joint = count_together(true, {"a": a, "b": b}, weights=np.ones(80))
    assert joint.system(0).labels == wf.count(true, a).labels
    np.testing.assert_array_equal(joint.system(0).matrix, wf.count(true, a).matrix)
    np.testing.assert_array_equal(joint.system(1).matrix, wf.count(true, b).matrix)


def test_many_classes_and_systems_are_counted_together() -> None:
    rng = np.random.default_rng(0)
    true = rng.integers(0, 3000, 2000)
    systems = {str(at): rng.integers(0, 3000, 2000) for at in range(7)}
    joint = count_together(true, systems)
    for at, name in enumerate(systems):
        expected = wf.count(true, systems[name], labels=joint.labels)
        assert wf.accuracy(joint.system(at)) == wf.accuracy(expected)
        np.testing.assert_array_equal(joint.system(at).count, expected.count)


def test_what_does_not_fit_is_refused() -> None:
    cases: list[tuple[Callable[[], object], type[Exception], str]] = [
        (lambda: wf.compare([0, 1], {"a": [0, 1], "b": [0]}), ShapeError, "b has 1"),
        (lambda: wf.compare([0, 1], {"a": [0, 1]}), InputError, "at least two systems"),
        (lambda: wf.compare([0, 1], {}), InputError, "no systems"),
        (lambda: wf.compare([0], {"a": [0], "b": ["0"]}), LabelError, "label types differ"),
        (lambda: wf.compare([], {"a": [], "b": []}), ShapeError, "no items"),
        (lambda: wf.compare([0], {"a": [0], "b": [3]}, labels=[0, 1]), LabelError, "label 3"),
        (lambda: wf.compare([0], {"a": [0], "b": [0]}, "f1"), DefinitionError, "which class"),
        (lambda: wf.compare([0], {"a": [0], "b": [0]}, seed=-1), DefinitionError, "seed"),
        (lambda: wf.compare([0], {"a": [0], "b": [0]}, margin=0.0), DefinitionError, "margin"),
        (lambda: wf.compare([0], {"a": [0], "b": [0]}, power=1), DefinitionError, "power"),
        (lambda: wf.compare([0], {"a": [0], "b": [0]}, cluster=[1, 2]), ShapeError, "cluster has"),
        (
            lambda: wf.compare([0], {"a": [0], "b": [0]}, interval="bootstrap"),
            DefinitionError,
            "omit interval=",
        ),
    ]
    for call, error, message in cases:
        with pytest.raises(error, match=message):
            call()


def test_same_and_opposite_predictions() -> None:
    true = [0, 1, 0, 1, 1]
    same = wf.compare(true, {"a": [0, 1, 1, 1, 0], "b": [0, 1, 1, 1, 0]}).pairs[0]
    assert (same.difference, same.p_value, same.interval) == (0, 1.0, None)
    assert same.p_bootstrap == same.p_randomization == 1
    assert same.items_needed is None
    opposite = wf.compare(true, {"a": true, "b": [1 - x for x in true]}, "accuracy")
    pair = opposite.pairs[0]
    assert pair.difference == 1
    assert pair.interval is None  # nothing varies: no variance to test by, but McNemar needs none
    assert pair.p_value == pytest.approx(2 * 0.5**5 - 0.5**5)
    assert present(pair.p_randomization) < 0.1
    assert opposite.best == {"a": 1.0, "b": 0.0}


def test_probabilities_to_be_best_letters_and_ranking(data: Any) -> None:
    gold, systems, _ = data
    result = wf.compare(gold, systems, "accuracy")
    assert sum(result.best.values()) == pytest.approx(1)
    assert result.ranking == ("careful", "biased", "weak")
    assert result.ranking == tuple(
        sorted(systems, key=lambda name: -wf.accuracy(gold, systems[name]).value)
    )
    lower = wf.compare(gold, systems, "error_rate")
    assert lower.ranking == result.ranking
    assert lower.best == result.best
    for pair in result.pairs:
        shared = set(result.letters[pair.a]) & set(result.letters[pair.b])
        assert bool(shared) == (present(pair.p_adjusted) >= 0.05)


def test_systems_are_scored_on_the_same_classes() -> None:
    result = wf.compare([0, 0, 1], {"a": [0, 0, 1], "b": [0, 2, 1]}, replicates=0)
    assert result.scores["a"].classes == (0, 1, 2)
    assert result.scores["a"].value == pytest.approx(2 / 3)


def test_a_comparison_runs_again_from_its_signature(data: Any) -> None:
    gold, systems, document = data
    first = wf.compare(
        gold, systems, "f_beta(beta=2)", average="macro", cluster=document, seed=5, level=0.9,
        replicates=499, margin=0.05,
    )  # fmt: skip
    again = wf.compare(gold, systems, first.signature, cluster=document)
    assert again.pairs == first.pairs
    assert again.signature == first.signature
    assert "seed:5" in first.signature and "level:0.9" in first.signature
    assert wf.compare(gold, systems, seed=6, replicates=499).pairs != first.pairs
    with pytest.raises(DefinitionError, match="not that of a comparison"):
        wf.compare(gold, systems, "accuracy|seed:3|v:1")
    assert Plan().text().count("|") == 5


OF_TRUE_CLASSES = {"prevalence", "no_information_rate", "uncertainty", "selection_rate"}
"""Two systems cannot differ in these, or in their mean over classes, whatever they predict."""


@pytest.mark.parametrize("metric", EVERY.values(), ids=lambda metric: metric.name)
@pytest.mark.parametrize("kind", ["plain", "cluster", "weights"])
@pytest.mark.thinned(3)
def test_every_metric_has_a_test_of_a_difference(metric: Metric, kind: str) -> None:
    y, systems = systems_of(metric.kind)
    if metric.name == "top_k_accuracy":
        y, first = probabilities(1, 90)
        systems = {"a": first, "b": probabilities(2, 90)[1][:, ::-1]}
    rng = np.random.default_rng(3)
    data: dict[str, Any] = {"cluster": np.arange(90) // 3, "weights": rng.random(90)}
    data = {kind: data[kind]} if kind in data else {}
    options: dict[str, Any] = {"average": "macro"} if metric.kind == "rate" else {}
    if metric.squared is not None and kind == "weights":
        with pytest.raises(DefinitionError, match="drop the weights"):
            wf.compare(y, systems, metric.name, replicates=99, **data)
        return
    if metric.whole and kind == "weights":
        with pytest.raises(DefinitionError, match=f"{metric.name} counts whole items"):
            wf.compare(y, systems, metric.name, replicates=99, **data)
        return
    result = wf.compare(y, systems, metric.name, replicates=99, **options, **data)
    pair = result.pairs[0]
    if metric.name in OF_TRUE_CLASSES:
        assert abs(pair.difference) < 1e-12
        assert (pair.p_value, pair.interval) == (1, None)
        assert (pair.p_bootstrap, pair.items_needed) == (1, None)
        return
    assert 0 <= present(pair.p_value) <= 1 and pair.interval is not None
    assert 0 < present(pair.p_bootstrap) <= 1 and pair.bootstrap is not None
    counted = metric.kind in ("rate", "agreement", "items") and kind == "weights"
    assert (pair.p_randomization is None) == counted
    assert counted or 0 < present(pair.p_randomization) <= 1
    assert sum(result.best.values()) == pytest.approx(1)
    again = wf.compare(y, systems, result.signature, **data)
    assert again.pairs == result.pairs
    field = {"cluster": "clusters:30", "weights": "weighted:true"}.get(kind, "labels:")
    assert field in result.signature


def test_where_nothing_varies_no_test_is_sure() -> None:
    y, systems = systems_of("ranking")
    for name in ("roc_auc", "accuracy"):
        data = systems if name == "roc_auc" else {k: s > 0.5 for k, s in systems.items()}
        true = y if name == "roc_auc" else y == 1
        one = wf.compare(true, data, name, cluster=np.zeros(90, int), replicates=199).pairs[0]
        assert (one.p_bootstrap, one.interval) == (None, None)
        assert one.p_randomization == one.p_value == 1  # a single cluster can be exchanged, or not


def certain(seed: int) -> tuple[list[str], dict[str, list[str]]]:
    """A class that one system always finds and the other never; otherwise they are alike."""
    rng = np.random.default_rng(seed)
    y = [*rng.choice(["a", "b"], 60).tolist(), *["c"] * int(rng.integers(1, 12))]
    old = [x if x == "c" or rng.random() < 0.8 else "a" for x in y]
    return y, {"old": old, "new": [o if x != "c" else "a" for x, o in zip(y, old, strict=True)]}


@pytest.mark.parametrize("replicates", [0, 9999])
@pytest.mark.parametrize("seed", range(6))
def test_a_difference_that_does_not_vary_is_tested_by_exchanging_outputs(
    seed: int, replicates: int
) -> None:
    y, systems = certain(seed)
    result = wf.compare(y, systems, "macro_recall", replicates=replicates)
    (pair,) = result.pairs
    assert pair.difference > 0.3 and pair.standard_error == pytest.approx(0, abs=1e-12)
    assert (pair.interval, pair.test) == (None, "randomization")
    # all items of the class are exchanged, or none
    assert pair.p_value == pytest.approx(2 * 0.5 ** y.count("c"), abs=0.02)
    assert (result.letters["old"] != result.letters["new"]) == (present(pair.p_value) < 0.05)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(*[st.sampled_from("abc")] * 3), min_size=1, max_size=12),
    st.sampled_from(["averaged_f1", "macro_recall", "macro_precision", "mcc", "cohen_kappa"]),
    st.booleans(),
)
def test_no_difference_is_without_a_test(
    rows: list[tuple[str, str, str]], metric: str, clustered: bool
) -> None:
    y, a, b = zip(*rows, strict=True)
    more: dict[str, Any] = {"cluster": [at // 2 for at in range(len(y))]} if clustered else {}
    (pair,) = wf.compare(y, {"a": a, "b": b}, metric, replicates=0, **more).pairs
    assert abs(pair.difference) <= 1e-12 or 0 < present(pair.p_value) <= 1


def test_ties_are_shown_as_such() -> None:
    same = wf.compare([0, 1, 1], {"a": [0, 1, 0], "b": [0, 0, 1], "c": [0, 1, 1]}, "accuracy")
    assert "c 1.0000 > a 0.6667 = b 0.6667" in repr(same)


@pytest.mark.parametrize("average", ["macro", "weighted", None])
@pytest.mark.parametrize("kind", ["plain", "cluster", "weights"])
def test_sets_of_one_label_are_classes(average: str | None, kind: str) -> None:
    y, systems = systems_of("rate", n=120)
    rng = np.random.default_rng(3)
    data: dict[str, Any] = {"cluster": np.arange(120) // 3, "weights": rng.random(120)}
    which: dict[str, Any] = {"average": average} if average else {"positive": 1}
    more: dict[str, Any] = {"replicates": 499} | ({kind: data[kind]} if kind in data else {})
    # automatic intervals differ: what is added to a table of classes is not a set of labels
    f1 = wf.f1.definition(**which, interval="delta")
    classes = wf.compare(y, systems, f1, **more)
    sets = [[{int(x)} for x in each] for each in (y, *systems.values())]
    own = wf.compare(sets[0], dict(zip("ab", sets[1:], strict=True)), f1, **more)
    one, two = classes.pairs[0], own.pairs[0]
    for field in ("difference", "standard_error", "p_value", "only_a", "only_b", "changed"):
        assert getattr(two, field) == pytest.approx(getattr(one, field), rel=1e-9), field
    assert two.p_bootstrap == pytest.approx(one.p_bootstrap, abs=0.1)
    intervals = [x.scores["a"].interval for x in (classes, own)]
    # of cells and of kinds of items with weights the skewness is not exactly the same
    close = 1e-9 if kind != "weights" else 1e-3
    assert present(intervals[0]).low == pytest.approx(present(intervals[1]).low, rel=close)
    matrix = wf.compare(
        np.eye(3, dtype=int)[y], {x: np.eye(3, dtype=int)[s] for x, s in systems.items()},
        f1, **more,
    )  # fmt: skip
    assert matrix.pairs[0] == two
