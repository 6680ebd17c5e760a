"""The program in its process: streams that are closed, full or narrow, signals, and exit codes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

import pytest

import whichf1 as wf
from tests.helpers.commands import Run
from whichf1.cli import app, process

ANIMALS = "examples/animals.csv"
SPAM = ["examples/spam.csv", "--score", "score", "--positive", "spam"]
PROGRAM = f"{sys.executable} -m whichf1"


def shell(command: str, **environment: str) -> tuple[int, str, str]:
    """Exit code and output of a command line; ``whichf1`` is this one."""
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", re.sub(r"\bwhichf1\b", PROGRAM, command, count=1)],
        capture_output=True,
        env={**os.environ, **environment},
    )
    return done.returncode, done.stdout.decode("latin-1"), done.stderr.decode("latin-1")


@pytest.mark.parametrize(
    ("command", "code", "says"),
    [
        (f"whichf1 score {ANIMALS} | true", 0, ""),
        ("whichf1 score --help | true", 0, ""),
        (f"whichf1 score {ANIMALS} --fail-under accuracy=0.99 | true", 1, "below 0.99"),
        (f"whichf1 score {ANIMALS} > /dev/full", 2, "standard output: No space left on device"),
        (f"whichf1 count {ANIMALS} -o /dev/full", 2, "cannot write '/dev/full': No space"),
        (f"whichf1 score {ANIMALS} >&-", 2, "standard output is closed"),
        (f"whichf1 score {ANIMALS} -m accuracy 2>&-", 0, ""),
        (f"whichf1 score {ANIMALS} -m nosuch 2>&-", 2, ""),
        (f"whichf1 score {ANIMALS} -m nosuch 2>/dev/full", 2, ""),
        ("whichf1 score - <&-", 2, "standard input is closed"),
        ("whichf1 score - --from csv <&-", 2, "standard input is closed"),
    ],
)
@pytest.mark.thinned(3)
def test_closed_and_full_streams_end_with_a_line_and_no_traceback(
    command: str, code: int, says: str
) -> None:
    given, _, err = shell(command)
    assert (given, "Traceback" in err) == (code, False), err
    assert says in err and len(err.splitlines()) <= 1


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_output_degrades_to_what_the_encoding_can_say(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("true,pred\nnaïve,naïve\n愛,愛\n愛,naïve\n", encoding="utf-8")
    code, out, err = shell(f"whichf1 score {path}", PYTHONIOENCODING=encoding)
    assert (code, err) == (0, "")
    assert ("na\\xefve" if encoding == "ascii" else "naïve") in out and "\\u611b" in out
    assert shell("whichf1 metrics", PYTHONIOENCODING=encoding)[0] == 0
    assert "–∞".encode("ascii", "whichf1") == b"-inf"


def test_a_small_file_needs_no_temporary_folder() -> None:
    code, out, err = shell(
        f"cd / && whichf1 score {Path(ANIMALS).resolve()} -m accuracy -f csv",
        TMPDIR="/nonexistent", PYTHONPATH=os.pathsep.join(sys.path),
        PYTHONDONTWRITEBYTECODE="1",
    )  # fmt: skip
    assert code == 0 and out.count("accuracy") >= 1, err


@pytest.mark.parametrize("limit", ["0B", "1B", "99999999999999999999TB", "1e30GB", "-1GB", "½GB"])
def test_an_absurd_memory_limit_is_bad_input(run: Run, limit: str) -> None:
    code, out, err = run("score", ANIMALS, "--memory-limit", limit)
    assert (code, out) == (2, "") and "memory limit" in err


@pytest.mark.parametrize("threads", ["-1", "x", "0", "99999999999999999999", "1.5"])
@pytest.mark.thinned(3)
def test_an_absurd_number_of_threads_does_not_matter(threads: str) -> None:
    code, out, err = shell(f"whichf1 score {ANIMALS} -m accuracy -f csv", WHICHF1_THREADS=threads)
    assert (code, err) == (0, "") and ",0.715," in out


@pytest.mark.parametrize(
    ("matrix", "says"),
    [
        (["2", str(2**63), "1", "1", "1"], "counts must be whole numbers"),
        (["2", "9" * 500, "1", "1", "1"], "exceeds 2**63"),
        (["2", str(2**62), "1", "1", str(2**62)], "fewer than 2**63"),
        (["9" * 4000, "1"], "pass k, then k × k cells"),
        (["9" * 5000, "1"], "whole numbers"),
    ],
)
def test_counts_beyond_64_bits_are_bad_input(run: Run, matrix: list[str], says: str) -> None:
    code, out, err = run("matrix", *matrix)
    assert (code, out) == (2, "") and says in err and len(err) < 3000


def test_messages_are_of_readable_length(run: Run) -> None:
    long = "x" * 1_000_000
    for arguments in (("define", long), ("score", ANIMALS, "-m", long), ("score", long)):
        code, _, err = run(*arguments)
        assert code == 2 and len(err) < 3000
    with pytest.raises(wf.errors.LabelError, match=r"998,\d+ characters") as caught:
        wf.count([0, 1], [0, 1], labels=long)
    assert len(str(caught.value)) < 3000 and str(caught.value).endswith("labels=range(3).")


def test_an_error_that_is_none_of_ours_ends_with_3_and_without_data(run: Run) -> None:
    secret = mock.Mock(side_effect=ZeroDivisionError("patient 4711"))
    with mock.patch("whichf1.cli.files.count", secret):
        code, out, err = run("score", ANIMALS)
    assert (code, out) == (3, "")
    assert re.fullmatch(r"whichf1: internal error: ZeroDivisionError in [\w.:, ]+\. .*\n", err)
    assert "4711" not in err and "please report" in err
    with mock.patch("whichf1.cli.files.count", side_effect=MemoryError):
        code, _, err = run("score", ANIMALS)
    assert code == 2 and "not enough memory" in err


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_signals_leave_no_temporary_folder(name: str, tmp_path: Path) -> None:
    """The program waits for standard input, with a copy of it in a temporary folder."""
    number = getattr(signal, name)
    child = subprocess.Popen(
        [sys.executable, "-m", "whichf1", "score", "-", "--from", "csv"],
        stdin=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": str(tmp_path)},
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # nohup has it ignored
    )  # fmt: skip
    until = time.monotonic() + 60
    while not [*tmp_path.glob("whichf1-*")] and time.monotonic() < until:
        time.sleep(0.01)
    assert [*tmp_path.glob("whichf1-*")]
    child.send_signal(number)
    _, err = child.communicate(timeout=60)
    assert (child.returncode, err) == (128 + number, b"whichf1: interrupted\n")
    assert [*tmp_path.iterdir()] == []


def test_an_ignored_signal_stays_ignored() -> None:
    """As nohup asks for."""
    old = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert process.run_program(lambda: os.kill(os.getpid(), signal.SIGHUP)) == 0
    finally:
        signal.signal(signal.SIGHUP, old)
    assert process.run_program(lambda: os.kill(os.getpid(), signal.SIGTERM)) == 128 + 15


def single_options() -> list[tuple[str, str]]:
    """Every option of every command that takes one value."""
    return [
        (name, option)
        for name, each in app.commands.items()
        for parameter in each.params
        if parameter.param_type_name == "option" and not parameter.multiple
        for option in parameter.opts
        if option != "--help"
    ]


@pytest.mark.parametrize(("command", "option"), single_options())
def test_a_repeated_option_is_refused_rather_than_dropped(
    run: Run, command: str, option: str
) -> None:
    code, out, err = run(command, option, "1", option, "2")
    assert (code, out) == (2, "") and "appears twice, but takes one value" in err


def test_repeated_options_that_take_several_values_are_fine(run: Run) -> None:
    code, out, _ = run("score", ANIMALS, "-m", "accuracy", "--metric", "mcc", "-f", "csv")
    assert code == 0 and "accuracy" in out and "mcc" in out
    assert len(single_options()) > 100


@pytest.mark.parametrize(
    "options", [["--interval", "wilson"], ["--interval", "delta"], ["--level", "0.9"]]
)
def test_an_interval_that_a_metric_cannot_have_is_refused(run: Run, options: list[str]) -> None:
    for metrics in (["-m", "ece"], ["-m", "roc_auc", "-m", "ece"]):
        code, out, err = run("score", *SPAM, *metrics, *options)
        assert (code, out) == (2, "") and "does not apply to expected_calibration_error" in err


ENDING = """
import atexit, os, sys, threading, time, weakref
from concurrent.futures import ThreadPoolExecutor
from whichf1.cli.process import leave

def later():
    time.sleep(0.1)
    print("thread")

atexit.register(print, "registered")
weakref.finalize(leave, print, "finalized")  # as temporary folders are removed
threading.Thread(target=later).start()
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
pool = ThreadPoolExecutor(1)  # idle, and never closed, as those of HTTP clients
pool.submit(int).result()
sys.stdout.write("printed ")  # and not flushed
leave(7)
"""


def test_the_end_of_the_process_loses_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ENDING], capture_output=True, text=True, timeout=60
    )
    words = sorted(done.stdout.split())
    assert (done.returncode, words) == (7, ["finalized", "printed", "registered", "thread"])
    assert done.stderr == ""


@pytest.mark.parametrize("hook", ["setprofile", "settrace"])
def test_a_profiled_process_ends_as_usual(hook: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, hook.replace("set", "get"), lambda: print)
    with pytest.raises(SystemExit) as end:
        process.leave(5)
    assert end.value.code == 5
