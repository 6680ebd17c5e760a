"""Parts of every kind of table, merged in any order, saved and loaded, are the whole."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whichf1 as wf
from whichf1.errors import DefinitionError, FileError, InputError, LabelError, MergeError
from whichf1.tables.units import merged

SETS = [set(), {"a"}, {"b"}, {"a", "b"}, {"c"}]


def items(rng: random.Random, n: int) -> pd.DataFrame:
    """Random items; weights, scores and probabilities are dyadic, so that sums are exact."""
    half = [rng.randrange(9) / 8 for _ in range(n)]
    return pd.DataFrame(
        {
            "true": [rng.choice("abc") for _ in range(n)],
            "pred": [rng.choice("abcd") for _ in range(n)],
            "bit": [rng.randrange(2) for _ in range(n)],
            "score": half,
            "rest": [1 - x for x in half],
            "sets": [rng.choice(SETS) for _ in range(n)],
            "guessed": [rng.choice(SETS) for _ in range(n)],
            "w": [rng.randrange(1, 9) / 4 for _ in range(n)],
            "group": [rng.choice(["x", "y", "z"]) for _ in range(n)],
            "lang": [rng.choice(["en", "de", None]) for _ in range(n)],
        }
    )


def _counts(**options: Any) -> Callable[[pd.DataFrame], Any]:
    def make(data: pd.DataFrame) -> Any:
        given = {key: data[name] if key != "labels" else name for key, name in options.items()}
        return wf.count(data["true"], data["pred"], **given)

    return make


def _sets(**options: Any) -> Callable[[pd.DataFrame], Any]:
    def make(data: pd.DataFrame) -> Any:
        given = {key: data[name] if key != "labels" else name for key, name in options.items()}
        return wf.count_multilabel(data["sets"].tolist(), data["guessed"].tolist(), **given)

    return make


def _together(data: pd.DataFrame) -> Any:
    from whichf1.sources.label_sets import count_sets_together

    systems = {"A": data["sets"].tolist(), "B": data["guessed"].tolist()}
    return count_sets_together(data["sets"].tolist(), systems, cluster=data["group"])


MAKERS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "counts": _counts(),
    "declared counts": _counts(labels=[*"dcba"]),
    "weighted counts": _counts(weights="w"),
    "counts in clusters": _counts(cluster="group", weights="w"),
    "label sets": _sets(),
    "declared label sets": _sets(labels=[*"cabz"]),
    "label sets in clusters": _sets(cluster="group", weights="w"),
    "ranking": lambda x: wf.rank(x["bit"], x["score"]),
    "declared ranking": lambda x: wf.rank(x["true"], x["score"], labels=[*"bca"], positive="a"),
    "weighted ranking": lambda x: wf.rank(x["bit"], x["score"], weights=x["w"]),
    "bins": lambda x: wf.rank_histogram(x["bit"], x["score"], bins=3),
    "moments": lambda x: wf.moments(x["bit"], x["score"], "brier"),
    "moments of classes": lambda x: wf.moments(
        x["bit"], x[["rest", "score"]].to_numpy(), "brier", scale="sum", labels=[0, 1]
    ),
    "slices": lambda x: wf.count_by(x, by="lang", labels=[*"abcd"]),
    "slices in clusters": lambda x: wf.count_by(x, by="lang", cluster="group"),
    "slices of rankings": lambda x: wf.rank_by(x, by="lang", true="bit", labels=[0, 1]),
}


@settings(max_examples=60)
@given(st.sampled_from(sorted(MAKERS)), st.integers(0, 10**9), st.integers(1, 40), st.data())
def test_parts_in_any_order_are_the_whole(kind: str, seed: int, n: int, data: Any) -> None:
    rng, make = random.Random(seed), MAKERS[kind]
    table = items(rng, n)
    whole = make(table)
    cuts = [0, *sorted({rng.randrange(1, n) for _ in range(6)} if n > 1 else ()), n]
    parts = [make(table[a:b]) for a, b in pairwise(cuts)]
    loaded = [type(whole).from_json(part.to_json()) for part in parts]
    assert loaded == parts
    shuffled = data.draw(st.permutations(loaded))
    for found in (sum(shuffled), merged(shuffled), whole.without_items() + sum(shuffled)):
        assert found == whole and found.to_json() == whole.to_json()
    assert type(whole).from_json(whole.to_json()) == whole


@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_a_saved_table_comes_back_from_a_file(kind: str, tmp_path: Path) -> None:
    table = MAKERS[kind](items(random.Random(3), 30))
    table.save(tmp_path / "t.json")
    record = json.loads((tmp_path / "t.json").read_text())
    assert record["kind"] == type(table).kind and record["checksum"]
    found = type(table).load(tmp_path / "t.json")
    assert found == table and found.without_items() + found == table
    other = wf.Ranking if not isinstance(table, wf.Ranking) else wf.Counts
    with pytest.raises(FileError, match=rf"holds {table.kind}, not {other.kind}: read it with"):
        other.load(tmp_path / "t.json")
    text = table.to_json()
    for at in range(0, len(text), 7):
        with pytest.raises(FileError, match="is not a complete file of counts"):
            type(table).from_json(text[:at])


@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_what_was_saved_and_then_edited_is_refused(kind: str) -> None:
    """Whatever field is dropped, repeated or replaced, with a checksum that fits it."""
    from whichf1.tables.saving import to_json

    table = MAKERS[kind](items(random.Random(3), 30))
    record = {k: v for k, v in json.loads(table.to_json()).items()
              if k not in ("format", "version", "kind", "checksum")}  # fmt: skip
    assert type(table).from_json(to_json(table.kind, record)) == table
    wrong_values: list[Any] = [[[]], "x", {}, -1]
    damaged = [({**record, name: wrong}, name) for name in record for wrong in wrong_values]
    damaged += [({k: v for k, v in record.items() if k != name}, name) for name in record]
    damaged.append(({**record, "more": 1}, "more"))
    for each, name in damaged:
        try:
            found = type(table).from_json(to_json(table.kind, each))
        except FileError as error:
            assert "is not a complete file of counts" in str(error)
        else:  # what may be absent, or may be any text or label
            assert name in ("decision", "squares", "resolution", "metric", "positive"), (name, each)
            assert found.n == table.n


STARTS: dict[str, tuple[Any, Callable[[Any, pd.DataFrame], Any], str]] = {
    "counts": (wf.Counts.empty(), lambda t, x: t.update(x["true"], x["pred"]), "counts"),
    "declared counts": (
        wf.Counts.empty([*"dcba"]),
        lambda t, x: t.update(x["true"], x["pred"]),
        "declared counts",
    ),
    "counts in clusters": (
        wf.Counts.empty(weighted=True),
        lambda t, x: t.update(x["true"], x["pred"], weights=x["w"], cluster=x["group"]),
        "counts in clusters",
    ),
    "label sets": (
        wf.MultiLabelCounts.empty(),
        lambda t, x: t.update(x["sets"].tolist(), x["guessed"].tolist()),
        "label sets",
    ),
    "declared label sets": (
        wf.MultiLabelCounts.empty([*"cabz"]),
        lambda t, x: t.update(x["sets"].tolist(), x["guessed"].tolist()),
        "declared label sets",
    ),
    "ranking": (
        wf.Ranking.empty(positive=1),
        lambda t, x: t.update(x["bit"], x["score"]),
        "ranking",
    ),
    "ranking of a frame": (
        wf.Ranking.empty(positive=1),
        lambda t, x: t.update(x, true="bit", score="score"),
        "ranking",
    ),
    "declared ranking": (
        wf.Ranking.empty([*"bca"], positive="a"),
        lambda t, x: t.update(x["true"], x["score"]),
        "declared ranking",
    ),
    "weighted ranking": (
        wf.Ranking.empty(positive=1),
        lambda t, x: t.update(x["bit"], x["score"], weights=x["w"]),
        "weighted ranking",
    ),
    "moments": (
        wf.Moments.empty("brier"),
        lambda t, x: t.update(x["bit"], x["score"]),
        "moments",
    ),
    "moments of a frame": (
        wf.Moments.empty("brier", [0, 1]),
        lambda t, x: t.update(x, true="bit", score="score"),
        "moments",
    ),
    "slices": (
        wf.count_by(items(random.Random(0), 9), by="lang", labels=[*"abcd"]).without_items(),
        lambda t, x: t.update(x),
        "slices",
    ),
    "slices of rankings": (
        wf.rank_by(
            items(random.Random(0), 9), by="lang", true="bit", labels=[0, 1]
        ).without_items(),
        lambda t, x: t.update(x, true="bit"),
        "slices of rankings",
    ),
}


@pytest.mark.parametrize("kind", STARTS)
def test_batches_added_to_an_empty_table_are_the_whole(kind: str) -> None:
    table, update, made = STARTS[kind]
    data = items(random.Random(5), 60)
    before = table.n if not isinstance(table, wf.Slices) else 0
    for start in range(0, 60, 7):
        table = update(table, data[start : start + 7])
    assert before == 0 and table.to_json() == MAKERS[made](data).to_json()
    if not isinstance(table, wf.Slices):
        assert table.update([], []) is table


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: wf.Ranking.empty(positive=2, labels=[0, 1]), LabelError, "there is no class 2"),
        (lambda: wf.Ranking.empty(positive=1, weighted=cast(Any, 0)), InputError, "True or False"),
        (lambda: wf.Ranking.empty(positive=1).update([0, 1], ["a", "b"]), InputError, "numbers"),
        (lambda: wf.Ranking.empty([0, 1], positive=1).update([2, 1], [0, 1]), LabelError, "2"),
        (lambda: wf.Ranking.empty(positive=1).update([0], [1], positive=0), InputError, "omit it"),
        (
            lambda: wf.rank_histogram([0, 1], [0.1, 0.2]).update([0], [0.1]),
            InputError,
            "rank_histogram",
        ),
        (lambda: wf.Moments.empty("accuracy"), DefinitionError, "not a mean over items"),
        (lambda: wf.Moments.empty("log_los"), DefinitionError, "log_loss"),
        (lambda: wf.Moments.empty("brier", k=3), DefinitionError, "k"),
        (lambda: wf.Moments.empty("brier", ["a", "b"]).update([0], [0.5]), LabelError, "0"),
        (
            lambda: (
                wf.moments([0, 1], [0.5, 1], "brier") + wf.moments([0, 1], [[1, 0]] * 2, "brier")
            ),
            MergeError,
            "differ in positive",
        ),
        (lambda: wf.MultiLabelCounts.empty(["a"]).update([{"b"}], [{"a"}]), LabelError, "'b'"),
        (
            lambda: (
                wf.count_multilabel([{"a"}], [{"a"}], cluster=[1])
                + wf.count_multilabel([{"a"}], [{"a"}], cluster=["x"])
            ),
            MergeError,
            "clusters of one part are int",
        ),
        (
            lambda: (
                wf.rank([0, 1], [0.1, 0.2], labels=[0, 1])
                + wf.rank([0, 1], [0.1, 0.2], labels=[1, 0])
            ),
            MergeError,
            "different declared classes",
        ),
        (lambda: wf.Counts.empty().update([0], [0], labels=[0]), InputError, "omit it"),
    ],
)
def test_what_does_not_go_together_is_refused(call: Any, error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        call()


def test_sets_of_several_systems_merge() -> None:
    data = items(random.Random(8), 50)
    whole = _together(data)
    parts = [_together(data[a : a + 9]) for a in range(0, 50, 9)]
    assert sum(parts) == whole
    assert sum(parts).system(1) == whole.system(1)


def test_a_large_table_is_not_touched_by_small_batches() -> None:
    """Until it is looked at, when it is what it would have been; by several threads at once."""
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 3000, (2, 200_000))
    whole = wf.Counts.empty(range(3000)).update(y[:190_000], p[:190_000])
    first = whole
    for start in range(190_000, 200_000, 100):
        whole = whole.update(y[start : start + 100], p[start : start + 100])
    assert whole._parts[0] is first and len(whole._parts) > 1
    assert whole.n == 200_000 and whole._parts[0] is first
    expected = wf.count(y, p, labels=range(3000))
    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(lambda _: whole == expected, range(8)))
    assert whole._parts == (whole,)
    with pytest.raises(AttributeError, match="have no 'nonsense'"):
        _ = whole.nonsense
