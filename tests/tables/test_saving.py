"""Counts that are saved and sent to other processes come back whole, or not at all."""

from __future__ import annotations

import copy
import json
import math
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whichf1 as wf
from whichf1.errors import FileError, MergeError

labels_of_one_type = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1),
    st.lists(st.text(), min_size=1),
    st.lists(st.booleans(), min_size=1),
)


@settings(max_examples=50)
@given(labels_of_one_type, st.booleans())
def test_saved_counts_come_back(
    tmp_path_factory: pytest.TempPathFactory, labels: Any, weighted: bool
) -> None:
    path = tmp_path_factory.mktemp("counts") / "c.json"
    weights = [0.1 * (i + 1) for i in range(len(labels))] if weighted else None
    counts = wf.count(labels, labels[::-1], weights=weights)
    counts.save(path)
    again = wf.Counts.load(path)
    assert again == counts
    assert again.labels.kind == counts.labels.kind
    assert list(path.parent.iterdir()) == [path]


GOOD_FILE = {
    "format": "whichf1.counts",
    "version": 1,
    "labels": ["a", "b"],
    "declared": True,
    "weighted": False,
    "true": [0, 1],
    "predicted": [1, 1],
    "count": [3, 4],
}
WEIGHTED_FILE = {**GOOD_FILE, "weighted": True, "squares": [1.5, 2]}
CLUSTERED_FILE = {**GOOD_FILE, "clusters": ["x", "y"], "cluster": [1, 0]}


DAMAGE = [
    "",
    "{",
    "[]",
    "{}",
    json.dumps({**GOOD_FILE, "version": 2}),
    json.dumps({**GOOD_FILE, "true": [0, 7]}),
    json.dumps({**GOOD_FILE, "true": [0, -1]}),
    json.dumps({**GOOD_FILE, "true": [0, 0.5]}),
    json.dumps({**GOOD_FILE, "true": [0]}),
    json.dumps({**GOOD_FILE, "true": 3}),
    json.dumps({**GOOD_FILE, "count": [3, -4]}),
    json.dumps({**GOOD_FILE, "count": [3, 4.5]}),
    json.dumps({**GOOD_FILE, "count": [3, True]}),
    json.dumps({**GOOD_FILE, "count": [3, "4"]}),
    json.dumps({**GOOD_FILE, "weighted": True, "count": [3, math.nan]}),
    json.dumps({**GOOD_FILE, "count": [[3], [4]]}),
    json.dumps({**GOOD_FILE, "count": [3, 0]}),
    json.dumps({**GOOD_FILE, "true": [0, 2]}),
    json.dumps({**GOOD_FILE, "predicted": [1, 1, 1]}),
    json.dumps({**GOOD_FILE, "declared": 1}),
    json.dumps({**GOOD_FILE, "decision": 0.5}),
    json.dumps({**WEIGHTED_FILE, "squares": [1.5]}),
    json.dumps({**WEIGHTED_FILE, "squares": [1.5, 0]}),
    json.dumps({**WEIGHTED_FILE, "squares": [1.5, math.inf]}),
    json.dumps({**CLUSTERED_FILE, "clusters": ["x"]}),
    json.dumps({**CLUSTERED_FILE, "clusters": ["x", "y", "z"]}),
    json.dumps({**CLUSTERED_FILE, "clusters": ["x", "x"]}),
    json.dumps({**CLUSTERED_FILE, "cluster": [1]}),
    json.dumps({key: value for key, value in CLUSTERED_FILE.items() if key != "clusters"}),
    json.dumps({**GOOD_FILE, "labels": ["a", "a"]}),
    json.dumps({**GOOD_FILE, "labels": ["a", 1]}),
    json.dumps({**GOOD_FILE, "labels": None}),
    json.dumps({key: value for key, value in GOOD_FILE.items() if key != "count"}),
    json.dumps(GOOD_FILE)[:-20],
]


@pytest.mark.parametrize("text", DAMAGE, ids=range(len(DAMAGE)))
def test_a_damaged_counts_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "counts.json"
    path.write_text(json.dumps(GOOD_FILE))
    assert wf.Counts.load(path).n == 7
    path.write_text(text)
    with pytest.raises(FileError, match=r"is not a complete file of counts"):
        wf.Counts.load(path)
    with pytest.raises(FileError, match="cannot read counts"):
        wf.Counts.load(tmp_path / "missing.json")


@pytest.mark.parametrize("record", [GOOD_FILE, WEIGHTED_FILE, CLUSTERED_FILE])
def test_what_is_read_is_what_is_written(record: dict[str, Any]) -> None:
    """One cell in each of the places that the damaged files spoil, with and without a decision."""
    for decided in (record, {**record, "decision": "score ≥ 0.5"}):
        assert json.loads(wf.Counts.from_json(json.dumps(decided)).to_json()) == decided


def test_nothing_half_written_is_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "counts.json"
    wf.count([0], [0]).save(path)
    before = path.read_text()
    with pytest.raises(FileError, match="cannot write"):
        wf.count([0], [0]).save(tmp_path / "no such folder" / "counts.json")

    def interrupted(*_args: Any, **_kwargs: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        wf.count([1, 1], [1, 1]).save(path)
    assert path.read_text() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "again", [lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy]
)
@pytest.mark.parametrize("own", [{}, {"weights": [1, 2, 0.5]}, {"cluster": ["x", "y", "x"]},
                                 {"labels": ["c", "b", "a"]}])  # fmt: skip
def test_counts_go_to_other_processes(again: Any, own: Any) -> None:
    counts = wf.count(["a", "b", "b"], ["a", "b", "a"], **own)
    found = again(counts)
    assert found == counts and type(found) is type(counts) and found.to_json() == counts.to_json()
    assert wf.accuracy(found, interval="delta") == wf.accuracy(counts, interval="delta")
    assert found + counts == counts + found == counts + counts
    assert not found.count.flags.writeable
    decided = wf.at_threshold(wf.rank([0, 1], [0.2, 0.7]), threshold=0.5)
    assert again(decided).decision == decided.decision
    slices = wf.Slices(("lang",), {("en",): counts})
    assert again(slices)["en"] == counts


def test_clusters_without_names_are_not_saved() -> None:
    counts = wf.count([0, 1], [0, 1], cluster=["x", "y"])
    with pytest.raises(MergeError, match="no names"):
        counts.changed(cluster_names=None).to_json()
