"""What is imported, and when."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.helpers.house import WAYS_BACK
from whichf1 import errors

HEAVY = {"scipy", "duckdb", "click", "rich", "narwhals"}
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


@pytest.mark.parametrize("module", sorted({x for way in WAYS_BACK for x in way}))
def test_both_ends_of_a_way_back_can_be_imported_first(module: str) -> None:
    """As a worker does that unpickles what is to be run; the order of others is free of cycles."""
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True)


def test_every_dependency_has_a_lowest_version_that_is_tested() -> None:
    """``make test-lowest`` installs them."""
    import tomllib

    from tests.helpers.lowest import ROOT, lowest

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = [each.partition(">=")[0] for each in project["dependencies"]]
    assert [each.partition("==")[0] for each in lowest()] == names
