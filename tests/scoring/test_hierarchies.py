"""Hierarchical scores: exact values, hiclass, trees and DAGs, and hierarchies that are none."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import whichf1 as wf
from tests.helpers.commands import invoke
from whichf1.errors import DefinitionError
from whichf1.metrics import hierarchies

TREE: dict[str, Any] = {
    "cat": "mammal", "dog": "mammal", "eel": "fish", "carp": "fish",
    "mammal": "animal", "fish": "animal", "rose": "plant", "animal": None, "plant": None,
}  # fmt: skip
LEAVES = ["cat", "dog", "eel", "carp", "rose"]
SCORES = ("hierarchical_precision", "hierarchical_recall", "hierarchical_f1")


def items(n: int = 80, names: list[str] = LEAVES) -> tuple[list[str], list[str]]:
    rng = random.Random(3)
    true = rng.choices(names, k=n)
    return true, [x if rng.random() < 0.5 else rng.choice(names) for x in true]


def path(name: str, depth: int = 3) -> list[str]:
    """A class and its ancestors from the top, filled up with empty names as hiclass has it."""
    found = [name]
    while TREE[found[0]] is not None:
        found.insert(0, TREE[found[0]])
    return found + [""] * (depth - len(found))


def test_scores_of_a_tree_are_those_of_hiclass() -> None:
    """Also where inner classes are true or predicted. It sums over items, as 'micro' says."""
    from hiclass import metrics

    true, pred = items(names=[*TREE])
    sides = [np.array([path(x) for x in side]) for side in (true, pred)]
    for name, theirs in zip(SCORES, (metrics.precision, metrics.recall, metrics.f1), strict=True):
        expected = theirs(*sides, average="micro")
        assert wf.score(true, pred, name, parents=TREE) == pytest.approx(expected), name


def test_an_example_by_hand() -> None:
    """cat → dog shares mammal of {cat, mammal}; bat has two parents; the root does not count."""
    dag: dict[str, Any] = {
        "cat": "mammal",
        "dog": "mammal",
        "bat": ["mammal", "flyer"],
        "wasp": "flyer",
    }
    dag |= {"mammal": "animal", "flyer": "animal", "animal": None}
    true, pred = ["cat", "bat", "wasp"], ["dog", "wasp", "wasp"]
    # shared: {mammal}, {flyer}, {wasp, flyer}; true: 2 + 3 + 2; predicted: 2 + 2 + 2
    assert wf.hierarchical_recall(true, pred, parents=dag) == pytest.approx(4 / 7)
    assert wf.hierarchical_precision(true, pred, parents=dag) == pytest.approx(4 / 6)
    assert wf.hierarchical_f1(true, pred, parents=dag) == pytest.approx(8 / 13)
    # of two at the top, neither is the root
    two = {name: own for name, own in dag.items() if name != "animal"} | {
        "mammal": None,
        "flyer": None,
    }
    assert wf.hierarchical_f1(true, pred, parents=two) == pytest.approx(8 / 13)


def test_without_parents_it_is_the_accuracy() -> None:
    true, pred = items()
    flat = dict.fromkeys(LEAVES)
    for name in SCORES:
        assert wf.score(true, pred, name).value == wf.accuracy(true, pred).value
        assert wf.score(true, pred, name, parents=flat) == pytest.approx(wf.accuracy(true, pred))


def test_intervals_weights_and_clusters() -> None:
    true, pred = items()
    score = wf.hierarchical_f1(true, pred, parents=TREE, interval="auto")
    assert score.interval is not None
    assert score.interval.low < score < score.interval.high
    assert wf.Definition.parse(score.signature)(true, pred) == score
    weighted = wf.hierarchical_f1(true, pred, parents=TREE, weights=[2.0] * len(true))
    assert weighted.value == pytest.approx(score.value)
    cluster = [at // 4 for at in range(len(true))]
    for method in ("auto", "delta", wf.Bootstrap(replicates=199)):
        clustered = wf.hierarchical_f1(true, pred, parents=TREE, cluster=cluster, interval=method)
        assert clustered.interval is not None
    other = wf.compare(true, {"a": pred, "b": true}, score.definition, replicates=99)
    assert other.scores["b"] == 1


def test_labels_of_any_text_survive_the_signature() -> None:
    odd = {"a|b": 'x,y="1"', "c=(d)": 'x,y="1"', 'x,y="1"': None, "z": None}
    true, pred = ["a|b", "c=(d)"], ["c=(d)", "c=(d)"]
    score = wf.hierarchical_f1(true, pred, parents=odd)
    assert score == pytest.approx(3 / 4)
    assert wf.Definition.parse(score.signature)(true, pred) == score
    numbers = wf.hierarchical_f1([1, 2], [2, 2], parents={1: 3, 2: 3, 3: None, 4: None})
    assert wf.Definition.parse(numbers.signature)([1, 2], [2, 2]) == numbers


def test_the_command_line(tmp_path: Path) -> None:
    file, tree = "examples/animals.csv", "examples/hierarchy.csv"
    use = ("score", file, "--true", "gold", "--pred", "pred", "-m", "hierarchical_f1", "-f", "csv")
    code, out, err = invoke(*use, "--parents", tree)
    assert (code, err) == (0, "")
    parents = {"bird": "animal", "cat": "mammal", "dog": "mammal", "fish": "animal"}
    parents |= {"mammal": "animal"}
    expected = wf.hierarchical_f1(
        file, true="gold", pred="pred", parents={**parents, "animal": None}
    )
    assert f",{expected.value}," in out
    bad = tmp_path / "tree.csv"
    for text, message in (
        ("a,b\n", "must have the columns class and parent"),
        ("class,parent\ncat\n", "row 2"),
        ("class,parent\n", "has a header but no classes"),
        ("class,parent\ncat,dog\ndog,cat\n", "tree.csv': parents goes round in a cycle"),
        ("class,parent\ncat,pet\n", "tree.csv': parents: 'pet', a parent of 'cat', is not in"),
        ("class,parent\npet,\ncat,pet\ncat,pet\n", "parents of 'cat': label 'pet' is declared"),
    ):
        bad.write_text(text)
        code, _, err = invoke(*use, "--parents", str(bad))
        assert code == 2
        assert message in err
    code, _, err = invoke(*use[:-4], "-m", "accuracy", "--parents", tree)
    assert code == 2
    assert "--parents is for hierarchical scores" in err


BAD: list[tuple[Any, str]] = [
    ({**TREE, "animal": "cat"}, "parents goes round in a cycle: "),
    ({"cat": "cat"}, "cycle: 'cat' → 'cat'"),
    ({**TREE, "cat": "mamal"}, "'mamal', a parent of 'cat', is not in the hierarchy itself"),
    ({"cat": None}, "class 'carp' is not in the hierarchy. Add it to parents="),
    ({1: None}, "the classes are str, such as 'carp'"),
    ({}, "got none"),
    (7, "must be a mapping"),
    (["cat", "dog"], "must be a mapping"),
    ({"cat": [None]}, "parents of 'cat': "),
    ({"cat": None, 1: None}, "labels mix types"),
]


@pytest.mark.parametrize(("parents", "message"), BAD, ids=[each[1] for each in BAD])
def test_what_is_no_hierarchy_is_refused(parents: Any, message: str) -> None:
    with pytest.raises(DefinitionError, match=message.replace("(", r"\(")):
        wf.hierarchical_f1(*items(), parents=parents)


def test_many_classes_of_a_graph_share_what_their_sets_of_ancestors_share(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Pairs that occur are compared one by one, in blocks; of few classes all pairs at once."""
    rng = random.Random(8)
    above: dict[int, Any] = {0: None, 1: None}
    for node in range(2, 3000):
        above[node] = rng.sample(range(node), min(node, rng.randint(1, 3)))[: 1 + node % 2]

    def stands_for(node: int) -> set[int]:
        direct = above[node] or []
        return {node}.union(*map(stands_for, direct))

    true, predicted = (rng.choices(range(3000), k=4000) for _ in range(2))
    sets = [(stands_for(a), stands_for(b)) for a, b in zip(true, predicted, strict=True)]
    shared, right, chosen = (
        sum(map(len, x)) for x in zip(*((a & b, a, b) for a, b in sets), strict=True)
    )
    for most in (hierarchies.FEW_CLASSES, 3000):
        monkeypatch.setattr(hierarchies, "FEW_CLASSES", most)
        monkeypatch.setattr(hierarchies, "_BLOCK", 1000)
        scores = [getattr(wf, name)(true, predicted, parents=above).value for name in SCORES]
        assert scores == [shared / chosen, shared / right, 2 * shared / (right + chosen)]
