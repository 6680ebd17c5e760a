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


NOT_FOR_A_SCORE = {
    *("scipy", "narwhals", "rich", "matplotlib", "jinja2", "pydantic", "typer"),
    *("numpy.ma", "logging"),
    *("whichf1.comparison.compare", "whichf1.comparison.study", "whichf1.published.explain"),
    *("whichf1.comparison.disparity", "whichf1.reporting.disparity"),
    *("whichf1.reporting.leaderboard", "whichf1.reporting.pictures.drawing", "whichf1.paper"),
}
MOST_MODULES = 130
"""A score imports about 120 modules beyond those of DuckDB and NumPy."""


def commanded(*words: str) -> set[str]:
    """The modules that are loaded after a command, beyond those of DuckDB and NumPy."""
    code = (
        "import sys, duckdb, numpy; before = {*sys.modules}\nfrom whichf1.cli import main\n"
        "try: main()\nexcept SystemExit as end: assert not end.code, end.code\n"
        "print(*{*sys.modules} - before, file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {*done.stderr.split()}


def test_a_scored_file_loads_what_it_needs() -> None:
    ours = [name for name in NOT_FOR_A_SCORE if name.startswith("whichf1")]
    assert ours and all(map(find_spec, ours))
    loaded = commanded("score", "examples/animals.csv")
    assert loaded & NOT_FOR_A_SCORE == set() and "whichf1.scoring.evaluate" in loaded
    assert len(loaded) <= MOST_MODULES


@pytest.mark.parametrize("words", [["--help"], ["--version"]])
def test_what_needs_no_command_loads_none(words: list[str]) -> None:
    loaded = commanded(*words)
    assert {x for x in loaded if x.startswith("whichf1.cli.")} == {"whichf1.cli.process"}


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
