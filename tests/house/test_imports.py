"""What is imported, and when."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib.util import find_spec

from whichf1 import errors

HEAVY = {"scipy", "duckdb", "typer", "rich", "narwhals"}
NOT_FOR_LISTS = {
    "whichf1.sources.engines.frames",
    "whichf1.sources.engines.database",
    "whichf1.tables.saving",
    "whichf1.statistics.intervals",
}


def loaded(code: str, modules: set[str]) -> str:
    """Which of these modules are loaded after this code."""
    command = [
        sys.executable,
        "-c",
        f"import sys, whichf1; {code}; print(*{modules} & {{*sys.modules}})",
    ]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_the_exception_tree_is_the_one_drawn() -> None:
    for name, each in vars(errors).items():
        if inspect.isclass(each) and issubclass(each, errors.WhichF1Error):
            assert name in (errors.__doc__ or "")


def test_importing_is_light() -> None:
    assert loaded("pass", HEAVY) == ""


def test_a_score_of_lists_loads_what_it_needs() -> None:
    assert all(map(find_spec, NOT_FOR_LISTS))
    assert loaded("whichf1.averaged_f1(['a', 'b'], ['a', 'a'])", NOT_FOR_LISTS) == ""
