"""A valid input, damaged in one way: an error of ours that names the place, never a number."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers.commands import invoke
from whichf1.errors import WhichF1Error

Damage = Callable[[random.Random, Any], tuple[Any, str]]
"""From a valid input to a damaged one, and what the error must name."""


def places(table: Any, r: random.Random) -> tuple[int, int]:
    i = r.randrange(len(table))
    return i, r.choice([j for j in range(len(table)) if j != i])


# costs


def costs(r: random.Random) -> Any:
    return [[0 if i == j else r.randint(1, 9) for j in range(3)] for i in range(3)]


def score_costs(table: Any) -> Any:
    return wf.expected_cost([0, 1, 2, 2], [1, 1, 0, 2], costs=table)


def row_missing(r: random.Random, table: Any) -> tuple[Any, str]:
    table[r.randrange(len(table))].pop()
    return table, "costs"


def not_finite(r: random.Random, table: Any) -> tuple[Any, str]:
    i, j = places(table, r)
    table[i][j] = r.choice([math.nan, math.inf, -math.inf])
    return table, "costs"


def text(r: random.Random, table: Any) -> tuple[Any, str]:
    i, j = places(table, r)
    table[i][j] = r.choice(["x", "1", None, [1], {}])
    return table, "costs"


def one_class_more(r: random.Random, table: Any) -> tuple[Any, str]:
    k = len(table)
    return [[*row, 1] for row in table] + [[1] * k + [0]], "costs"


def no_matrix(r: random.Random, table: Any) -> tuple[Any, str]:
    return r.choice([[], [[]], 3, "distance", [1, 2], np.zeros((2, 2, 2)), {0: 1}]), "costs"


# hierarchies


def parents(r: random.Random) -> Any:
    names = [f"n{at}" for at in range(r.randint(3, 8))]
    return {
        name: None if at == 0 else r.sample(names[:at], r.randint(1, min(at, 2)))
        for at, name in enumerate(names)
    }


def score_parents(tree: Any) -> Any:
    true = ["n0", "n1", "n2"]
    return wf.hierarchical_f1(true, [*reversed(true)], parents=tree)


def cycle(r: random.Random, tree: Any) -> tuple[Any, str]:
    names = [*tree]
    low = r.choice(names[1:])
    seen = {low}
    while (above := tree[r.choice([*seen])]) is not None:  # an ancestor becomes a child
        seen.update(above)
    tree[next(iter(sorted(seen)))] = [low]
    return tree, "cycle"


def own_parent(r: random.Random, tree: Any) -> tuple[Any, str]:
    name = r.choice([*tree][1:])
    tree[name] = [name]
    return tree, name


def class_outside(r: random.Random, tree: Any) -> tuple[Any, str]:
    for name in [*tree]:
        above = [x for x in tree[name] or [] if x != "n2"]
        tree[name] = above or (None if name == "n0" else ["n0"])
    del tree["n2"]
    return tree, "n2"


def other_type(r: random.Random, tree: Any) -> tuple[Any, str]:
    return {at: None for at, _ in enumerate(tree)}, "type"


def no_tree(r: random.Random, tree: Any) -> tuple[Any, str]:
    return r.choice([[], 3, "n0", [["n0", "n1"]], {"n0": 3.5}, {"n1": {"n0": 1}}]), "parents"


# tags


def tags(r: random.Random) -> Any:
    def sentence() -> list[str]:
        return [x for kind in r.choices("XYO", k=r.randint(2, 5))
                for x in (["O"] if kind == "O" else [f"B-{kind}", f"I-{kind}"])]  # fmt: skip

    return [sentence() for _ in range(r.randint(1, 4))]


def score_tags(sentences: Any) -> Any:
    whole = [["B-X", "I-X", "O"] for _ in sentences] if isinstance(sentences, list) else [["O"]]
    true = [(row * 9)[: len(other)] if isinstance(other, list) else row
            for row, other in zip(whole, sentences, strict=True)]  # fmt: skip
    true = [["O" if at == 0 and x[0] == "I" else x for at, x in enumerate(row)] for row in true]
    return wf.micro_f1(wf.spans(true, sentences))


def inside_first(r: random.Random, sentences: Any) -> tuple[Any, str]:
    at = r.randrange(len(sentences))
    sentences[at][0] = "I-Z"
    return sentences, "I-Z"


def inside_other(r: random.Random, sentences: Any) -> tuple[Any, str]:
    at = r.randrange(len(sentences))
    sentences[at] = ["B-X", "I-Y", "O"]
    return sentences, "I-Y"


def no_tag(r: random.Random, sentences: Any) -> tuple[Any, str]:
    at = r.randrange(len(sentences))
    bad = r.choice(["", "X", "Q-X", "B-", "b-X", None, 3, 1.5])
    sentences[at][r.randrange(len(sentences[at]))] = bad
    return sentences, str(at)


def other_length(r: random.Random, sentences: Any) -> tuple[Any, str]:
    return [*sentences, r.choice([3, None])], str(len(sentences))


# spans


def offsets(r: random.Random) -> Any:
    return [
        [(5 * at, 5 * at + r.randint(1, 5), r.choice("XY")) for at in range(r.randint(1, 4))]
        for _ in range(r.randint(1, 4))
    ]


def score_offsets(found: Any) -> Any:
    return wf.micro_f1(wf.spans([[(0, 1, "X")] for _ in found], found, scheme="offsets"))


def overlap(r: random.Random, found: Any) -> tuple[Any, str]:
    at = r.randrange(len(found))
    start, end, kind = r.choice(found[at])
    found[at].append((start, end + r.randint(0, 2), r.choice([kind, "X"])))
    return found, str(at)


def backwards(r: random.Random, found: Any) -> tuple[Any, str]:
    at = r.randrange(len(found))
    start, _, kind = found[at][-1]
    found[at][-1] = (start, start - r.randint(0, 2), kind)
    return found, str(at)


def no_span(r: random.Random, found: Any) -> tuple[Any, str]:
    at = r.randrange(len(found))
    bad: list[Any] = [(1, 2), (1, 2, "X", 4), ("a", 2, "X"), (1.5, 2, "X"), (-1, 2, "X"), None, 7,
           "x", {}, (0, 1, None), (math.nan, 2, "X")]  # fmt: skip
    found[at][-1] = r.choice(bad)
    return found, str(at)


# raters


def rated(r: random.Random) -> Any:
    return [[r.randint(1, 4) for _ in range(3)] for _ in range(r.randint(3, 8))]


def score_rated(rows: Any) -> Any:
    return wf.krippendorff_alpha(wf.ratings(rows), level="interval")


def one_rater(r: random.Random, rows: Any) -> tuple[Any, str]:
    return [row[:1] for row in rows], "two raters"


def no_pair(r: random.Random, rows: Any) -> tuple[Any, str]:
    return [[row[0], None, None] for row in rows], "two ratings"


def no_rating(r: random.Random, rows: Any) -> tuple[Any, str]:
    at = r.randrange(len(rows))
    bad = r.choice([{}, b"x", 1j, math.inf, "x", [2]])
    rows[at][r.randrange(3)] = bad
    return rows, "rating"


def no_row(r: random.Random, rows: Any) -> tuple[Any, str]:
    at = r.randrange(len(rows))
    rows[at] = r.choice([3, "abc", None])
    return rows, str(at)


# shares of classes


def shares(r: random.Random) -> Any:
    parts = [r.randint(1, 9) for _ in range(3)]
    return {at: x / sum(parts) for at, x in enumerate(parts)}


def score_shares(given: Any) -> Any:
    return wf.accuracy([0, 1, 2, 0], [0, 1, 1, 2], class_shares=given)


def not_one(r: random.Random, given: Any) -> tuple[Any, str]:
    given[r.randrange(3)] += r.choice([0.01, 0.5, 2])
    return given, "class_shares"


def below_zero(r: random.Random, given: Any) -> tuple[Any, str]:
    given[0], given[1] = -0.5, given[1] + given[0] + 0.5
    return given, "class_shares"


def no_share(r: random.Random, given: Any) -> tuple[Any, str]:
    given[r.randrange(3)] = r.choice([math.nan, math.inf, "x", None, [1]])
    return given, "class_shares"


def class_missing(r: random.Random, given: Any) -> tuple[Any, str]:
    gone = given.pop(2)
    given[0] += gone
    return given, "2"


def class_unknown(r: random.Random, given: Any) -> tuple[Any, str]:
    given["z" if r.random() < 0.5 else 7] = given.pop(2)
    return given, "class"


def no_shares(r: random.Random, given: Any) -> tuple[Any, str]:
    return r.choice(["even", 3, [0.5, 0.5], {}, [["a", 1]]]), "class_shares"


# groups


def grouped(r: random.Random) -> Any:
    return [at % 3 for at in range(r.randint(9, 20))]


def score_groups(group: Any) -> Any:
    n = len(group) if hasattr(group, "__len__") else 9
    return wf.groups(
        [at % 2 for at in range(n)], [at % 4 // 2 for at in range(n)], "accuracy", by=group
    ).difference


def single_item(r: random.Random, group: Any) -> tuple[Any, str]:
    group[r.randrange(len(group))] = 9
    return group, "9"


def single_group(r: random.Random, group: Any) -> tuple[Any, str]:
    return [0] * len(group), "group"


def no_group(r: random.Random, group: Any) -> tuple[Any, str]:
    group[r.randrange(len(group))] = r.choice([None, math.nan])
    return group, "group"


INPUTS: dict[str, tuple[Callable[[random.Random], Any], Callable[[Any], Any], list[Damage]]] = {
    "costs": (costs, score_costs, [row_missing, not_finite, text, one_class_more, no_matrix]),
    "parents": (
        parents,
        score_parents,
        [cycle, own_parent, class_outside, other_type, no_tree],
    ),
    "tags": (tags, score_tags, [inside_first, inside_other, no_tag, other_length]),
    "offsets": (offsets, score_offsets, [overlap, backwards, no_span]),
    "raters": (rated, score_rated, [one_rater, no_pair, no_rating, no_row]),
    "shares": (
        shares,
        score_shares,
        [not_one, below_zero, no_share, class_missing, class_unknown, no_shares],
    ),
    "groups": (grouped, score_groups, [single_item, single_group, no_group]),
}


@pytest.mark.parametrize("what", INPUTS)
@given(seed=st.integers(0, 2**32))
def test_a_damaged_input_is_refused_and_the_place_named(what: str, seed: int) -> None:
    r = random.Random(seed)
    draw, score, damages = INPUTS[what]
    whole = draw(r)
    assert math.isfinite(score(copy.deepcopy(whole)).value)
    damage = r.choice(damages)
    damaged, named = damage(r, copy.deepcopy(whole))
    with pytest.raises(WhichF1Error) as caught:
        score(damaged)
    said = str(caught.value)
    assert named in said, f"{damage.__name__} of {damaged}: {said}"


def test_both_readings_of_a_broken_tag_are_named() -> None:
    with pytest.raises(WhichF1Error, match=r"repair.*drop|drop.*repair"):
        wf.spans([["O", "I-PER"]], [["O", "O"]])


COMMANDS: dict[str, tuple[str, list[str], str]] = {
    "costs": ("true,pred\na,b\nb,a\n", ["-m", "expected_cost(costs=[[0,1]])"], "costs"),
    "shares": ("true,pred\na,b\nb,a\n", ["-m", "accuracy", "--class-shares", "a=.5,b=.6"], "add"),
    "unknown share": (
        "true,pred\na,b\nb,a\n",
        ["-m", "accuracy", "--class-shares", "a=.5,c=.5"],
        "c",
    ),
    "tags": ("Paris I-LOC O\n", ["--spans", "BIO"], "I-LOC"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_shell_says_the_same(name: str, tmp_path: Path) -> None:
    content, told, named = COMMANDS[name]
    path = tmp_path / ("a.conll" if "--spans" in told else "a.csv")
    path.write_text(content)
    code, shown, said = invoke("score", path, *told)
    assert code == 2 and not shown and named in said, (code, said)


def test_the_shell_refuses_a_cycle_and_a_class_outside(tmp_path: Path) -> None:
    data, tree = tmp_path / "a.csv", tmp_path / "parents.csv"
    data.write_text("true,pred\na,b\nb,a\n")
    for lines, named in (("a,b\nb,a\n", "cycle"), ("a,\n", "b"), ("a,c\nb,c\n", "c")):
        tree.write_text(f"class,parent\n{lines}")
        code, shown, said = invoke("score", data, "-m", "hierarchical_f1", "--parents", tree)
        assert code == 2 and not shown and named in said, (lines, said)


def test_the_shell_refuses_one_rater_no_pair_and_groups_of_one(tmp_path: Path) -> None:
    rated, grouped = tmp_path / "r.csv", tmp_path / "g.csv"
    rated.write_text("item,rater,rating\n1,x,a\n2,x,b\n")
    assert "two raters" in invoke("agree", rated)[2]
    rated.write_text("item,rater,rating\n1,x,a\n2,y,b\n")
    assert "two ratings" in invoke("agree", rated)[2]
    grouped.write_text("true,pred,g\na,a,x\na,a,x\nb,b,y\n")
    code, _, said = invoke("groups", grouped, "--by", "g", "-m", "accuracy")
    assert code == 2 and "y" in said
    offsets = tmp_path / "s.jsonl"
    row = {"true": [[0, 3, "A"], [2, 5, "A"]], "pred": []}
    offsets.write_text(json.dumps(row) + "\n")
    code, shown, said = invoke("score", offsets, "--spans", "offsets")
    assert code == 2 and not shown and "overlap" in said


def test_a_class_outside_is_compared_with_texts_not_with_their_quotes() -> None:
    with pytest.raises(wf.errors.DefinitionError, match=r"Known: 'a', 'b'\.$"):
        wf.hierarchical_f1(["a"], ["z"], parents={"a": "b", "b": None})
    with pytest.raises(wf.errors.DefinitionError, match=r"Did you mean 'cats'\?$"):
        wf.hierarchical_f1(["cats"], ["cat"], parents={"cats": None})
    with pytest.raises(wf.errors.LabelError, match=r"Known: 0, 1\.$"):
        wf.f1([0, 1], [0, 1], positive=11)
