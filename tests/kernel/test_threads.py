"""Threads of the kernel are kept for the next call, sleep until then, and allow forks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import portable

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="threads are looked up in /proc"
)

SANITIZERS = {
    "races": ("-fsanitize=thread", "1 4 600 0", "2 12 200 0", "3 3 300 60"),
    "memory": ("-fsanitize=address,undefined", "1 4 600 60", "2 1 200 10"),
    "as installed": ("-O3", "1 8 2000 90", "2 2 2000 50"),
}


@pytest.mark.parametrize("kind", SANITIZERS)
def test_callers_share_threads_and_fork(kind: str, tmp_path: Path) -> None:
    flag, *runs = SANITIZERS[kind]
    program = tmp_path / "threads"
    sources = [portable.ROOT / "tests" / "native" / "threads.c", portable.C / "threads.c"]
    checks = ("-g", "-O1", "-fno-sanitize-recover=all", flag, "-Wall", "-Wextra", "-Werror")
    flags = ("-std=c11", "-pthread", "-Wno-unused-function", *checks, f"-I{portable.C}")
    subprocess.run(["cc", *flags, "-o", program, *sources], check=True)
    for run in runs:
        done = subprocess.run(
            [program, *run.split()],
            env={"TSAN_OPTIONS": "die_after_fork=0"},
            capture_output=True,
            text=True,
            timeout=100,
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == f"{run.split()[1]} callers\n"


START = """
import os, signal, sys, time
from pathlib import Path
import numpy as np
from whichf1.kernel import _native

true = np.arange(2_000_000) % 7
expected = _native.count_pairs(true, true, None, 1, 0)

def count():
    assert _native.count_pairs(true, true, None, 4, 0) == expected

def threads():
    return {path.name for path in Path("/proc/self/task").iterdir()}

before = threads()
assert len(before) == 1
count()
helpers = threads() - before
"""


def _run(script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", START + script],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # NumPy's own threads do not count
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_threads_are_started_once() -> None:
    script = """
assert len(helpers) == 3, helpers
for _ in range(20):
    count()
assert threads() - before == helpers
"""
    _run(script)


def test_threads_that_wait_use_no_processor() -> None:
    script = """
busy = time.process_time()
for _ in range(5):
    count()
    time.sleep(0.1)
used = time.process_time()
time.sleep(0.5)
assert time.process_time() - used < 0.005, time.process_time() - used
"""
    _run(script)


def test_signals_are_not_for_these_threads() -> None:
    script = """
time.sleep(0.5)  # a thread that starts blocks every signal for a moment
for name in helpers:
    lines = Path(f"/proc/self/task/{name}/status").read_text().splitlines()
    (blocked,) = (int(line.split()[1], 16) for line in lines if line.startswith("SigBlk"))
    assert all(blocked >> each - 1 & 1 for each in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1))
    assert not blocked >> signal.SIGSEGV - 1 & 1
"""
    _run(script)


def test_forks_have_threads_of_their_own() -> None:
    script = """
import threading, warnings
warnings.simplefilter("ignore", DeprecationWarning)
ended = threading.Event()
def count_on():
    while not ended.is_set():
        count()
callers = [threading.Thread(target=count_on) for _ in range(2)]
for each in callers:
    each.start()
for _ in range(20):
    child = os.fork()
    if not child:
        code = 1
        try:
            alone = threads()
            count()
            code = 0 if len(alone) == 1 and len(threads()) == 4 else 3
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    count()
ended.set()
for each in callers:
    each.join()
end = time.monotonic() + 10
while len(threads()) != 4 and time.monotonic() < end:
    time.sleep(0.01)  # until those of the callers are gone
assert len(threads()) == 4
"""
    _run(script)


def test_pools_of_processes_count_in_parallel() -> None:
    script = """
import multiprocessing
def work(_):
    count()
    return len(threads())
with multiprocessing.get_context("fork").Pool(3) as pool:
    assert all(number >= 4 for number in pool.map(work, range(12)))
"""
    _run(script)


def test_threads_have_room_where_the_default_is_little() -> None:
    """Musl gives a thread 128 KiB, glibc so much only if it is told to."""
    script = """
import ctypes, sys
libc = ctypes.CDLL(None)
room = ctypes.create_string_buffer(256)
libc.pthread_attr_init(room)
libc.pthread_attr_setstacksize(room, ctypes.c_size_t(131072))
assert libc.pthread_setattr_default_np(room) == 0
import numpy as np
from whichf1.kernel import _native
items = np.random.default_rng(0).integers(0, 5000, 600_000)
counts = [_native.count_pairs(items, items, None, threads, 0) for threads in (1, 3)]
assert counts[0] == counts[1]
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=100)
    assert done.returncode == 0, done.stderr
