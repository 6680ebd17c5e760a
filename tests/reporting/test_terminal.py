"""What a person sees on a terminal: bars while long work runs, and none of them in the output."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path

import numpy as np


def on_a_terminal(*arguments: object, first: str = "") -> tuple[str, str]:
    """Run the program with a terminal as its standard error: what it printed there, and stdout.

    ``first`` is Python to run before it.
    """
    parent, child = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    environment.pop("NO_COLOR", None)
    words = [str(each) for each in arguments]
    process = subprocess.Popen(
        [sys.executable, "-c", f"{first}\nfrom whichf1.cli import main\nmain()", *words],
        stdout=subprocess.PIPE,
        stderr=child,
        env=environment,
    )
    os.close(child)
    seen = b""
    while True:
        ready, _, _ = select.select([parent], [], [], 60)
        assert ready, "the program says nothing for a minute"
        try:
            piece = os.read(parent, 4096)
        except OSError:  # the terminal is closed: the program has ended
            break
        if not piece:
            break
        seen += piece
    output, _ = process.communicate()
    assert process.returncode == 0, seen.decode()
    os.close(parent)
    return seen.decode(), output.decode()


def large(path: Path) -> Path:
    """A file of 200 MB: one block of lines, again and again."""
    rows = np.random.default_rng(0).integers(0, 10, (20_000, 2)).tolist()
    block = "".join(f"{a},{b},{'x' * 100}\n" for a, b in rows)
    with open(path, "w") as file:
        file.write("true,pred,note\n")
        file.writelines(block for _ in range(100))
    assert path.stat().st_size > 200_000_000
    return path


def test_a_large_file_shows_a_bar_on_a_terminal(tmp_path: Path) -> None:
    path = large(tmp_path / "large.csv")
    seen, output = on_a_terminal("score", path, "-m", "accuracy")
    path.unlink()
    shown = [int(share) for share in re.findall(r"(\d+)%", seen)]
    assert any(0 < share < 100 for share in shown), seen
    assert "accuracy" in output and "\x1b" not in output


def test_long_resampling_shows_a_bar_on_a_terminal() -> None:
    options = ["-m", "averaged_f1", "--interval", "percentile", "--replicates", "99"]
    sooner = "from whichf1.statistics import sample\nsample.LONG = 99"
    seen, output = on_a_terminal("score", "examples/animals.csv", *options, first=sooner)
    assert "resampling" in seen and re.search(r"\d+%", seen)
    assert "averaged" in output.lower() and "\x1b" not in output
    seen, _ = on_a_terminal("score", "examples/animals.csv", *options)
    assert seen == ""  # it does not take long
