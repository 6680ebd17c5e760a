"""What commands show is what was recorded; ``python -m tests.goldens.shown`` records again."""

from __future__ import annotations

import difflib

import pytest

from tests.goldens.shown import COMMANDS, FORMATS, SHOWN, WIDTHS, normal, page
from whichf1.cli import app

FOLDERS = {"paper", "playground", "report"}
"""Commands that write pages and pictures, which have tests of their own."""


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_shows_what_was_recorded(name: str) -> None:
    recorded = (SHOWN / f"{name}.txt").read_text(encoding="utf-8")
    before, now = recorded.splitlines(), page(name).splitlines()
    changes = [*difflib.unified_diff(before, now, "recorded", "now", lineterm="", n=1)]
    assert not changes, "\n".join(changes[:60])


def test_every_command_is_recorded_in_every_format() -> None:
    names = {*app.commands}
    assert names - FOLDERS == {arguments[0] for arguments in COMMANDS.values()}
    assert {path.stem for path in SHOWN.glob("*.txt")} == {*COMMANDS}
    for name in COMMANDS:
        recorded = (SHOWN / f"{name}.txt").read_text(encoding="utf-8")
        formats = {line[4:] for line in recorded.splitlines() if line.startswith("=== ")}
        wanted = {*FORMATS, *(f"text, {width} columns" for width in WIDTHS)}
        assert formats >= ({"output"} if name in ("count", "merge") else wanted)
        assert formats >= ({"junit", "github"} if name.endswith("gates") else set())


def test_numbers_are_compared_to_ten_digits() -> None:
    assert normal('{"a": 0.12345678901234}') == normal('{"a": 0.12345678901233}')
    assert normal('{"a": 0.12345678901234}') != normal('{"a": 0.12345678911234}')
    assert normal("0.1234") != normal("0.1235")
