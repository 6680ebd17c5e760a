"""DuckDB is started in the background, for commands that need it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from whichf1.sources.engines import starting
from whichf1.sources.engines.database import Database
from whichf1.sources.engines.files import EXTENSIONS


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[starting.Starting]:
    known: list[starting.Starting] = []
    monkeypatch.setattr(starting, "_begun", known)
    return known


@pytest.mark.parametrize("ending", starting.TABLES)
def test_a_table_starts_it(ending: str, begun: list[starting.Starting]) -> None:
    assert ending in EXTENSIONS
    starting.start(["--true", "gold", f"items{ending}"])
    (thread,) = begun
    thread.join()
    with Database() as database:
        assert database.connection is thread.connection and not begun
        asked = "SELECT current_setting('temp_directory')"
        assert database.connection.execute(asked).fetchone() == (database.folder,)


def test_nothing_else_starts_it(begun: list[starting.Starting]) -> None:
    starting.start(["--help", "counts.json", "-", "csv"])
    assert not begun


def test_another_memory_limit_has_its_own(begun: list[starting.Starting]) -> None:
    starting.start(["items.csv"])
    with Database("500MB") as database:
        asked = "SELECT current_setting('memory_limit')"
        ((shown,),) = database.run(asked, str)
    assert shown == "476.8 MiB" and len(begun) == 1


def test_a_start_that_failed_is_tried_again(
    begun: list[starting.Starting], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(memory_limit: str) -> None:
        raise RuntimeError(memory_limit)

    with monkeypatch.context() as patched:
        patched.setattr(starting, "_new", fail)
        starting.start(["items.csv"])
        begun[0].join()
    with Database() as database:
        assert database.run("SELECT 1", str) == [(1,)]


def test_a_command_that_fails_first_ends_at_once(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("true,pred\n1,1\n")
    for words, code in (
        ([str(path), "--no-such"], 2),
        ([f"{path}-absent.csv"], 2),
        ([str(path)], 0),
    ):
        command = [sys.executable, "-m", "whichf1", "score", *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == code and "Traceback" not in done.stderr
