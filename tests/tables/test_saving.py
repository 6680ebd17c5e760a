"""Counts that are saved and sent to other processes come back whole, or not at all."""

from __future__ import annotations

import copy
import json
import math
import os
import pickle
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

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


@pytest.mark.filterwarnings("ignore::whichf1.errors.LabelWarning")
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
        written = json.loads(wf.Counts.from_json(json.dumps(decided)).to_json())
        assert written.pop("checksum") and written.pop("kind") == "counts"
        assert written == decided


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


SAVED_BEFORE = Path("tests/goldens/saved")


@pytest.mark.parametrize("name", ["plain", "weighted", "named_clusters"])
def test_every_flipped_byte_of_saved_counts_is_noticed(name: str) -> None:
    """Or changes nothing: white space, and escapes that stand for the same character."""
    counts = wf.Counts.load(SAVED_BEFORE / f"{name}.json")
    text = counts.to_json().encode()
    noticed = 0
    for at in range(len(text)):
        damaged = bytearray(text)
        damaged[at] ^= 1 << (at % 8)
        try:
            assert wf.Counts.from_json(bytes(damaged)) == counts
        except FileError:
            noticed += 1
    assert noticed > 0.9 * len(text)


def test_every_cut_of_saved_counts_is_noticed() -> None:
    text = wf.count([0, 1, 1], [0, 1, 0]).to_json()
    for end in range(len(text)):
        with pytest.raises(FileError, match="is not a complete file of counts"):
            wf.Counts.from_json(text[:end])


def test_counts_without_a_checksum_as_saved_before_still_load() -> None:
    for path in SAVED_BEFORE.glob("*.json"):
        assert "checksum" not in path.read_text()
        counts = wf.Counts.load(path)
        assert wf.Counts.from_json(counts.to_json()) == counts


@pytest.mark.parametrize(
    ("field", "says"),
    [
        ('"count": [3, 5]', "twice"),
        ('"checksum": "0123456789abcdef"', "checksum does not match"),
        ('"chedksum": "0123456789abcdef"', "'chedksum' is not one of its fields"),
    ],
)
def test_further_fields_of_saved_counts_are_refused(field: str, says: str) -> None:
    text = f"{json.dumps(GOOD_FILE)[:-1]}, {field}}}"
    with pytest.raises(FileError, match=says):
        wf.Counts.from_json(text)


@pytest.mark.parametrize(
    "count", ["[1e400, 4]", f"[{2**63}, 4]", f"[{2**63 - 1}, 4]", "[" * 20_000, f"[1{'0' * 5000}]"]
)
def test_counts_that_no_integer_can_hold_are_refused(count: str) -> None:
    with pytest.raises(wf.errors.InputError):
        wf.Counts.from_json(json.dumps(GOOD_FILE).replace("[3, 4]", count))


def test_merging_beyond_64_bits_is_refused() -> None:
    most = wf.Counts.from_matrix([[2**62]], rows="true")
    with pytest.raises(wf.errors.InputError, match=r"fewer than 2\*\*63"):
        most + most


def test_saving_keeps_the_mode_and_follows_links(tmp_path: Path) -> None:
    counts, target = wf.count([0, 1], [0, 1]), tmp_path / "folder" / "private.json"
    target.parent.mkdir()
    target.touch(0o600)
    link, dangling = tmp_path / "link.json", tmp_path / "dangling.json"
    link.symlink_to(target)
    dangling.symlink_to(tmp_path / "new.json")
    for path in (target, link, dangling):
        counts.save(path)
        assert wf.Counts.load(path) == counts
    assert target.stat().st_mode & 0o777 == 0o600
    assert link.is_symlink() and dangling.is_symlink() and not (tmp_path / "new.json").is_symlink()
    umask = os.umask(0o027)
    try:
        counts.save(tmp_path / "fresh.json")
    finally:
        os.umask(umask)
    assert (tmp_path / "fresh.json").stat().st_mode & 0o777 == 0o640
    assert not [*tmp_path.rglob("*.tmp")]


def test_saving_writes_to_what_is_no_plain_file(tmp_path: Path) -> None:
    counts, pipe = wf.count([0, 1] * 9000, [0, 1] * 9000), tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        text = pool.submit(pipe.read_text)
        counts.save(pipe)
        assert wf.Counts.from_json(text.result()) == counts
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    counts.save("/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    for wrong in ("/dev/full", tmp_path, tmp_path / "no" / "c.json", "a\0b", "x" * 5000):
        with pytest.raises(FileError, match="cannot write"):
            counts.save(wrong)


def test_the_temporary_file_has_a_name_that_nobody_can_plant(tmp_path: Path) -> None:
    path, victim = tmp_path / "c.json", tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / f".c.json.{os.getpid()}.tmp").symlink_to(victim)
    names = []

    def watched(name: str, *rest: Any) -> int:
        names.append((name, rest[0] & os.O_EXCL))
        return opened(name, *rest)

    opened = os.open
    with mock.patch("whichf1.tables.saving.os.open", watched):
        for _ in range(20):
            wf.count([0], [0]).save(path)
    assert len({*names}) == 20 and all(exclusive for _, exclusive in names)
    assert {str(Path(name).parent) for name, _ in names} == {str(tmp_path)}
    assert victim.read_text() == "mine" and not path.is_symlink()


def test_many_threads_that_save_to_one_path_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    every = [wf.count([0] * n, [0] * n) for n in range(1, 200)]
    with ThreadPoolExecutor(8) as pool:
        [*pool.map(lambda counts: counts.save(path), every)]
    assert wf.Counts.load(path) in every
    assert [*tmp_path.iterdir()] == [path]


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text("old")
    full = mock.Mock(side_effect=OSError(28, "No space left on device"))
    with (
        mock.patch("whichf1.tables.saving.os.fsync", full),
        pytest.raises(FileError, match="No space left on device"),
    ):
        wf.count([0], [0]).save(path)
    assert path.read_text() == "old" and [*tmp_path.iterdir()] == [path]


def test_clusters_without_names_are_not_saved() -> None:
    counts = wf.count([0, 1], [0, 1], cluster=["x", "y"])
    with pytest.raises(MergeError, match="no names"):
        counts.changed(cluster_names=None).to_json()
