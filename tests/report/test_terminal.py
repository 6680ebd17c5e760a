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


def on_a_terminal(arguments: list[str], folder: Path) -> tuple[str, str]:
    """Run the program with a terminal as its standard error: what it printed there, and stdout."""
    parent, child = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen(
        [sys.executable, "-m", "whichf1", *arguments],
        stdout=subprocess.PIPE,
        stderr=child,
        cwd=folder,
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
    assert process.stdout is not None
    output = process.stdout.read().decode()
    assert process.wait() == 0, seen.decode()
    os.close(parent)
    return seen.decode(), output


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("large")
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 10, (2_000_000, 2))
    line = "{},{},".format
    padding = "x" * 100
    with open(folder / "large.csv", "w") as file:
        file.write("true,pred,note\n")
        file.writelines(f"{line(a, b)}{padding}\n" for a, b in rows.tolist())
    assert (folder / "large.csv").stat().st_size > 200_000_000
    return folder


def test_a_large_file_shows_a_bar_on_a_terminal(large: Path) -> None:
    seen, output = on_a_terminal(["score", "large.csv", "-m", "accuracy"], large)
    shown = [int(share) for share in re.findall(r"(\d+)%", seen)]
    assert any(0 < share < 100 for share in shown), seen
    assert "accuracy" in output and "\x1b" not in output


def test_long_resampling_shows_a_bar_on_a_terminal(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 100, (20_000, 2)).tolist()
    text = "true,pred\n" + "".join(f"{a},{b}\n" for a, b in rows)
    (tmp_path / "many.csv").write_text(text)
    options = ["-m", "averaged_f1", "--interval", "bootstrap", "--replicates", "5000"]
    seen, output = on_a_terminal(["score", "many.csv", *options], tmp_path)
    assert re.search(r"\d+%", seen)
    assert "averaged" in output.lower() and "\x1b" not in output
