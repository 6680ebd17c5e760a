"""Hierarchies of label sets: ancestors of sets, from every source, in slices and comparisons."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import whichf1 as wf
from tests.helpers.commands import invoke
from whichf1.errors import DefinitionError
from whichf1.metrics import EVERY

DAG: dict[str, Any] = {
    "cat": "mammal", "dog": "mammal", "bat": ["mammal", "flyer"], "wasp": "flyer",
    "mammal": "animal", "flyer": "animal", "rose": "plant", "animal": None, "plant": None,
}  # fmt: skip
SCORES = {"hierarchical_precision": 1, "hierarchical_recall": 0, "hierarchical_f1": 2}
Sets = list[set[str]]


def drawn(seed: int, n: int = 40) -> tuple[Sets, Sets]:
    """Sets of labels, some of them empty, some with a label and its ancestor."""
    r = random.Random(seed)
    true = [{*r.sample([*DAG], r.randint(0, 3))} for _ in range(n)]
    return true, [{*r.sample([*DAG], r.randint(0, 3))} if r.random() < 0.6 else x for x in true]


def closure(labels: set[str], parents: dict[str, Any]) -> set[str]:
    """The labels and all that is above them, without a single root."""
    tops = [x for x, own in parents.items() if own is None]
    above = {*labels}
    for label in labels:
        own = parents[label]
        above |= closure({*([own] if isinstance(own, str) else own or [])}, parents)
    return above - {*(tops if len(tops) == 1 else [])}


def direct(true: Sets, pred: Sets, weights: Any = None) -> tuple[Fraction, Fraction, Fraction]:
    """Recall, precision and F1, added up item by item."""
    shared, of_true, of_pred = Fraction(0), Fraction(0), Fraction(0)
    for at, (a, b) in enumerate(zip(true, pred, strict=True)):
        w = Fraction(1 if weights is None else weights[at])
        x, y = closure(a, DAG), closure(b, DAG)
        shared, of_true = shared + w * len(x & y), of_true + w * len(x)
        of_pred += w * len(y)
    return shared / of_true, shared / of_pred, 2 * shared / (of_true + of_pred)


@pytest.mark.parametrize("seed", range(6))
def test_the_ancestors_of_sets(seed: int) -> None:
    true, pred = drawn(seed)
    weights = [Fraction(at % 4, 4) for at in range(len(true))]
    for name, at in SCORES.items():
        score = wf.score(true, pred, name, parents=DAG)
        assert score.value == pytest.approx(float(direct(true, pred)[at]), rel=1e-12)
        plain = [float(w) for w in weights]
        weighted = wf.score(true, pred, name, parents=DAG, weights=plain)
        assert weighted.value == pytest.approx(float(direct(true, pred, weights)[at]), rel=1e-12)


def test_sets_of_one_label_are_classes() -> None:
    r = random.Random(1)
    true, pred = (r.choices([*DAG], k=60) for _ in range(2))
    sets = [[{x} for x in side] for side in (true, pred)]
    for name in SCORES:
        every: list[Any] = [{"parents": DAG}, {}]
        for options in every:
            of_classes = wf.score(true, pred, name, interval="delta", **options)
            of_sets = wf.score(*sets, name, interval="delta", **options)
            assert of_sets.value == pytest.approx(of_classes.value, rel=1e-12)
            assert of_sets.interval is not None and of_classes.interval is not None
            assert of_sets.interval.low == pytest.approx(of_classes.interval.low, rel=1e-9)


def test_scores_of_a_tree_are_those_of_hiclass() -> None:
    """It takes the paths of all labels of an item, and as many of both sides, if need be empty."""
    from hiclass import metrics

    tree = {name: own for name, own in DAG.items() if name != "bat"}
    true, pred = ([x - {"bat"} for x in side] for side in drawn(11))

    def path(name: str) -> list[str]:
        found = [name]
        while tree[found[0]] is not None:
            found.insert(0, tree[found[0]])
        return found + [""] * (3 - len(found))

    def paths(labels: set[str]) -> list[list[str]]:
        return [*map(path, sorted(labels))] + [[""] * 3] * (3 - len(labels))

    sides = [np.array([paths(x) for x in side]) for side in (true, pred)]
    peers = (metrics.precision, metrics.recall, metrics.f1)
    for name, theirs in zip(SCORES, peers, strict=True):
        expected = theirs(*sides, average="micro")
        assert wf.score(true, pred, name, parents=tree).value == pytest.approx(expected), name


def test_without_parents_it_is_the_micro_rate() -> None:
    true, pred = drawn(7)
    sets = wf.count_multilabel(true, pred)
    for name in SCORES:
        rate = EVERY[name].of_ancestors or ""
        assert wf.score(sets, name).value == wf.score(sets, rate, average="micro").value


def test_every_source_slice_and_comparison(tmp_path: Path) -> None:
    true, pred = drawn(9)
    other = pred[::-1]
    cells = {"true": true, "pred": pred, "other": other}
    columns = {name: [";".join(sorted(x)) for x in side] for name, side in cells.items()}
    frame = pd.DataFrame({**columns, "lang": ["en", "de"] * (len(true) // 2)})
    file, tree = tmp_path / "sets.csv", tmp_path / "tree.csv"
    frame.to_csv(file, index=False)
    pairs = [
        (x, own)
        for x, each in DAG.items()
        for own in ([each] if isinstance(each, str) else each or [""])
    ]
    pd.DataFrame(pairs, columns=["class", "parent"]).to_csv(tree, index=False)
    labels = sorted({x for side in (true, pred) for row in side for x in row})
    expected = wf.hierarchical_f1(true, pred, parents=DAG, interval="auto", labels=labels)
    matrices = [np.array([[x in row for x in labels] for row in side]) for side in (true, pred)]
    named: Any = {"sep": ";", "parents": DAG, "interval": "auto", "labels": labels}
    for score in (
        wf.hierarchical_f1(frame, **named),
        wf.hierarchical_f1(file, **named),
        wf.hierarchical_f1(*matrices, parents=DAG, interval="auto", labels=labels),
        wf.hierarchical_f1(
            wf.count_multilabel(true, pred, labels=labels), parents=DAG, interval="auto"
        ),
        wf.Definition.parse(expected.signature)(true, pred, labels=labels),
    ):
        assert score == expected and score.signature == expected.signature
    asked = ("--labels-sep", ";", "--parents", tree, "-m", "hierarchical_f1", "-f", "json")
    code, out, err = invoke("score", file, *asked)
    assert (code, err) == (0, "")
    assert json.loads(out)["scores"][0]["value"] == expected.value
    code, out, _ = invoke("score", file, *asked, "--by", "lang")
    slices = {x["slice"]["lang"]: x["value"] for x in json.loads(out)["metrics"][0]["slices"]}
    assert slices["en"] == wf.hierarchical_f1(true[::2], pred[::2], parents=DAG).value
    systems = {"A": pred, "B": other}
    found = wf.compare(true, systems, "hierarchical_f1", parents=DAG, replicates=99)
    read = wf.compare(
        frame, {"A": "pred", "B": "other"}, "hierarchical_f1", sep=";", parents=DAG, replicates=99
    )
    difference = float(direct(true, pred)[2] - direct(true, other)[2])
    for each in (found, read):
        assert each.pairs[0].difference == pytest.approx(difference)
    assert "hierarchical_f1(parents=" in found.signature
    assert (
        wf.groups(frame, "hierarchical_f1", by="lang", sep=";", parents=DAG)["en"].value
        == slices["en"]
    )


def test_what_is_undefined_and_what_is_refused() -> None:
    empty: Any = ([{"cat"}], [set()])
    assert wf.hierarchical_precision(*empty, parents=DAG).value == 0
    one = wf.hierarchical_precision(*empty, parents=DAG, undefined=1)
    assert one.value == 1 and "undef:1" in one.signature
    root = {"all": None, "cat": "all"}
    assert wf.hierarchical_recall(["all"], ["cat"], parents=root, undefined=0.5).value == 0.5
    with pytest.raises(DefinitionError, match="class 'cow' is not in the hierarchy"):
        wf.hierarchical_f1([{"cow"}], [{"cat"}], parents=DAG)
    with pytest.raises(DefinitionError, match="and spans have neither"):
        wf.hierarchical_f1(wf.spans([["B-cat"]], [["B-cat"]]), parents=DAG)
