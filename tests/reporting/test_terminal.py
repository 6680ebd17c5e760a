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
import pytest


def on_a_terminal(*arguments: object, first: str = "", code: int = 0) -> tuple[str, str]:
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
    assert process.returncode == code, seen.decode()
    os.close(parent)
    return seen.decode(), output.decode()


def large(path: Path) -> Path:
    """A file of 600 MB: one block of lines, again and again."""
    rows = np.random.default_rng(0).integers(0, 10, (20_000, 2)).tolist()
    block = "".join(f"{a},{b},{'x' * 100}\n" for a, b in rows)
    with open(path, "w") as file:
        file.write("true,pred,note\n")
        file.writelines(block for _ in range(300))
    assert path.stat().st_size > 600_000_000
    return path


def screen(written: str) -> str:
    """What is left on a terminal after all that was written to it."""
    lines, row, column = [""], 0, 0
    for part in re.findall(r"\x1b\[[?0-9;]*[A-Za-z]|[\r\n]|[^\x1b\r\n]+", written):
        if part == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif part == "\r":
            column = 0
        elif part.endswith("A") and part.startswith("\x1b"):
            row = max(0, row - int(part[2:-1] or 1))
        elif part == "\x1b[2K":
            lines[row] = ""
        elif not part.startswith("\x1b"):
            lines[row] = lines[row][:column].ljust(column) + part
            column += len(part)
    return "\n".join(lines).strip()


def test_the_screen_is_what_is_left() -> None:
    assert screen("a\r\nbc\r\x1b[2K\x1b[1A\x1b[2Kd\x1b[31m!") == "d!"


SOON = "from whichf1.statistics import progress, sample\nprogress.AFTER = 0.01\nsample.LONG = 99\n"
"""Work is shown at once, not after two seconds."""


def test_a_large_file_shows_a_bar_on_a_terminal(tmp_path: Path) -> None:
    path = large(tmp_path / "large.csv")
    seen, output = on_a_terminal("score", path, "-m", "accuracy", first=SOON)
    path.unlink()
    shown = [int(share) for share in re.findall(r"(\d+)%", seen)]
    assert any(0 < share < 100 for share in shown), seen
    assert "counting" in seen and screen(seen) == ""
    assert "accuracy" in output and "\x1b" not in output


def test_long_resampling_shows_a_bar_on_a_terminal() -> None:
    options = ["-m", "averaged_f1", "--interval", "percentile", "--replicates", "400000"]
    seen, output = on_a_terminal("score", "examples/animals.csv", *options, first=SOON)
    assert "resampling" in seen and re.search(r"\d+%", seen)
    assert screen(seen) == "" and "averaged" in output.lower() and "\x1b" not in output
    few = ["-m", "averaged_f1", "--interval", "percentile", "--replicates", "99"]
    seen, _ = on_a_terminal("score", "examples/animals.csv", *few)
    assert seen == ""  # it does not take long


@pytest.mark.long
def test_every_command_that_takes_long_shows_that_it_works() -> None:
    """Whatever it does: here a comparison; what it prints is what it prints without a terminal."""
    systems = ["examples/systems.csv", "--true", "gold", "--pred", "careful", "--pred", "biased"]
    slow = "from whichf1.cli import process\nimport time\nfrom whichf1.comparison import compare\n"
    slow += "plain = compare.pair_of\n"
    slow += "def late(*given):\n    time.sleep(0.6)\n    return plain(*given)\n"
    slow += "compare.pair_of = late\n"
    seen, output = on_a_terminal("compare", *systems, first=SOON + slow)
    assert "whichf1 compare" in seen and screen(seen) == ""
    assert on_a_terminal("compare", *systems) == ("", output)


def test_a_command_that_fails_leaves_only_its_message() -> None:
    wait = "import time\nfrom whichf1.cli import files\nplain = files.count\n"
    wait += "def late(*given, **more):\n    time.sleep(0.5)\n    return plain(*given, **more)\n"
    wait += "files.count = late\n"
    seen, _ = on_a_terminal("score", "examples/none.csv", first=SOON + wait, code=2)
    assert "whichf1 score" in seen
    assert screen(seen).startswith("whichf1: cannot read") or "none.csv" in screen(seen)
    assert "━" not in screen(seen)
