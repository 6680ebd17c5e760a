"""Faults as SQLite tests them: damaged files, signals, two writers, a file that changes.

Every outcome is the same number, an error of ours, or a case that the documentation names.
``make test-faults`` tries every byte.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import whichf1 as wf
from tests.helpers.faults import FORMATS, UNDETECTED, tried
from whichf1.errors import FileError, WhichF1Error

SEED = 14
PAGE = Path("docs/files-and-frames.md")


@pytest.mark.parametrize("times", [2, pytest.param(8, marks=pytest.mark.long)])
def test_a_damaged_file_is_no_crash_and_no_other_number(times: int) -> None:
    names = [*FORMATS]
    found, wrong = tried(names, times, SEED)
    assert not wrong, "\n".join(wrong)
    assert all(found[name, "error"] for name in names) and found.total() == 2 * times * len(names)


def test_the_documentation_names_what_cannot_be_detected() -> None:
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    start = text.index("Damage cannot be detected in ")
    listed = text[start : text.index(", if ", start)].removeprefix("Damage cannot be detected in ")
    named = dict.fromkeys(UNDETECTED.values())
    *first, last = named
    assert listed == f"{', '.join(first)} and {last}"


@pytest.mark.long
def test_signals_at_random_times_leave_a_whole_file_or_none(tmp_path: Path) -> None:
    data, out = tmp_path / "p.csv", tmp_path / "out" / "counts.json"
    data.write_text("true,pred\n" + "".join(f"{at % 99},{at % 98}\n" for at in range(300_000)))
    out.parent.mkdir()
    spill = tmp_path / "spill"
    spill.mkdir()
    draw = random.Random(SEED)
    for _ in range(5):
        child = subprocess.Popen(
            [sys.executable, "-m", "whichf1", "count", str(data), "-o", str(out)],
            stderr=subprocess.DEVNULL, env={**os.environ, "TMPDIR": str(spill)},
        )  # fmt: skip
        try:
            child.wait(draw.uniform(0.2, 1.2))
        except subprocess.TimeoutExpired:
            child.send_signal(draw.choice([signal.SIGTERM, signal.SIGHUP]))
        code = child.wait(60)
        assert code in (0, 128 + signal.SIGTERM, 128 + signal.SIGHUP) or code < 0
        assert {each.name for each in out.parent.iterdir()} <= {out.name}
        assert [*spill.iterdir()] == []
        if out.exists():
            assert wf.Counts.load(out).n == 300_000


WRITER = """
import sys, whichf1 as wf
for n in range(1, 120):
    wf.count([0] * n, [int(sys.argv[2])] * n).save(sys.argv[1])
"""


def test_two_writers_never_leave_a_mixed_file(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    wf.count([0], [0]).save(path)
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, path, str(x)]) for x in (0, 1)]
    while any(writer.poll() is None for writer in writers):
        assert 0 < wf.Counts.load(path).n < 120
    assert [writer.returncode for writer in writers] == [0, 0]
    assert wf.Counts.load(path).n == 119 and [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("name", ["p.csv", "p.jsonl"])
def test_a_file_that_changes_while_it_is_read(tmp_path: Path, name: str) -> None:
    """A number of one of its states, or an error; never one of both, nor an error of others."""
    path, stop = tmp_path / name, threading.Event()

    def text(items: int) -> str:
        if name == "p.csv":
            return "true,pred\n" + "a,b\n" * items
        return (json.dumps({"true": "a", "pred": "b"}) + "\n") * items

    states = [text(500), text(90_000)]
    path.write_text(states[0])

    def change() -> None:
        while not stop.is_set():
            for state in states:
                path.with_suffix(".new").write_text(state)
                path.with_suffix(".new").replace(path)

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(15):
            try:
                assert wf.count(path, true="true", pred="pred").n in (500, 90_000)
            except WhichF1Error as error:
                assert isinstance(error, FileError)
    finally:
        stop.set()
        thread.join()
