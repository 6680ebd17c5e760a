"""The public names: written once, seen by type checkers, and explained by help()."""

from __future__ import annotations

import doctest
import inspect
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

import whichf1 as wf
from tests.helpers import stub
from tests.helpers.readme import ROOT
from whichf1.definitions.docstrings import MEANING, complete
from whichf1.definitions.methods import METHODS, SHORT, IntervalName
from whichf1.definitions.options import Options
from whichf1.metrics import EVERY
from whichf1.scoring.functions import Scorer
from whichf1.sources.counts import DATA_OPTIONS

CALLS = str(ROOT / "tests" / "helpers" / "calls.py")
METRICS = [name for name in wf.__all__ if isinstance(getattr(wf, name), Scorer)]
FUNCTIONS = [name for name in wf.__all__ if inspect.isfunction(getattr(wf, name))]
CLASSES = [name for name in wf.__all__ if inspect.isclass(getattr(wf, name))]
MADE_BY_USERS = ["Interval", *(method.__name__ for method in METHODS.values())]
COUNTS_METHODS = ["from_matrix", "empty", "update", "declare", "save", "load", "from_json"]
METHODS_WITH_EXAMPLES = [
    method
    for name in CLASSES
    for base in getattr(wf, name).__mro__
    if base.__module__.startswith("whichf1.")
    for method in vars(base).values()
    if inspect.isfunction(getattr(method, "__func__", method)) and ">>>" in (method.__doc__ or "")
]


def test_the_stub_has_the_metrics_that_are_declared() -> None:
    assert stub.written() == stub.STUB.read_text(), "run python -m tests.helpers.stub"


@pytest.mark.slow
def test_pyright_accepts_right_calls_and_refuses_each_wrong_one(tmp_path: Path) -> None:
    """So does mypy, in ``make lint``. Basedpyright brings its own Node and downloads nothing."""
    settings = {"extraPaths": [str(ROOT / "src")], "enableTypeIgnoreComments": False}
    config = tmp_path / "pyrightconfig.json"
    config.write_text(json.dumps({"typeCheckingMode": "standard", "include": [CALLS], **settings}))
    command = [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable]
    run = subprocess.run([*command, "--project", config], capture_output=True, text=True)
    found = {*map(int, re.findall(r"calls\.py:(\d+):[\d -]* ?error", run.stdout))}
    lines = enumerate(Path(CALLS).read_text().splitlines(), 1)
    assert found == {at for at, line in lines if "# type: ignore" in line}, run.stdout + run.stderr


def test_names_are_found_without_numpy() -> None:
    code = "import sys, whichf1; whichf1.__all__, dir(whichf1); print('numpy' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"


def test_every_name_is_there() -> None:
    everything: dict[str, object] = {}
    exec("from whichf1 import *", everything)
    assert {*everything} - {"__builtins__"} == {*wf.__all__}
    assert {*wf.__all__} <= {*dir(wf)}
    from whichf1 import kernel

    assert inspect.ismodule(kernel) and inspect.ismodule(wf.errors)
    for metric in EVERY.values():
        for alias in metric.aliases:
            assert getattr(wf, alias) is getattr(wf, metric.name)


def test_a_misspelt_name_has_a_hint() -> None:
    with pytest.raises(AttributeError, match="Did you mean 'averaged_f1'"):
        getattr(wf, "avreaged_f1")  # noqa: B009
    with pytest.raises(AttributeError, match=r"no attribute 'qqqqqq'\.$"):
        getattr(wf, "qqqqqq")  # noqa: B009


def test_every_option_has_a_meaning() -> None:
    parameters = {name for metric in EVERY.values() for name in metric.parameters}
    assert {*MEANING} == {*Options.__annotations__} - parameters
    assert {*DATA_OPTIONS} <= {*MEANING}
    for metric in EVERY.values():
        assert all(parameter.meaning for parameter in metric.parameters.values()), metric.name


def test_interval_names_are_those_of_the_methods() -> None:
    assert list(get_args(IntervalName)) == [*METHODS, *SHORT]


@pytest.mark.parametrize("name", METRICS)
def test_help_of_a_metric(name: str) -> None:
    scorer = getattr(wf, name)
    check(scorer)
    assert scorer.__doc__.startswith(f"{name}(y_true, y_pred=None, *, ")
    assert inspect.getmodule(scorer) is wf
    test = doctest.DocTestParser().get_doctest(scorer.__doc__, {}, name, None, None)
    assert doctest.DocTestRunner().run(test) == (0, len(test.examples)) and test.examples


@pytest.mark.parametrize("name", FUNCTIONS)
def test_help_of_a_function(name: str) -> None:
    check(getattr(wf, name))


@pytest.mark.parametrize("name", COUNTS_METHODS)
def test_help_of_a_method_of_counts(name: str) -> None:
    check(getattr(wf.Counts, name))


def test_help_of_every_method_with_an_example() -> None:
    assert len(METHODS_WITH_EXAMPLES) >= len(COUNTS_METHODS)
    for method in METHODS_WITH_EXAMPLES:
        check(getattr(method, "__func__", method))


def test_help_is_written_once() -> None:
    before = wf.count.__doc__
    complete(wf.count)
    assert wf.count.__doc__ == before


@pytest.mark.parametrize("name", CLASSES)
def test_help_of_a_class(name: str) -> None:
    text = inspect.getdoc(getattr(wf, name)) or ""
    assert ">>>" in text
    if name in MADE_BY_USERS:
        assert not undocumented(getattr(wf, name))


def check(function: Callable[..., object]) -> None:
    """Every parameter, what is returned, what is raised, and an example."""
    text = inspect.getdoc(function) or ""
    assert not undocumented(function)
    assert "\nRaises\n------\n" in text
    assert "\nExamples\n--------\n" in text
    returns = inspect.signature(function).return_annotation not in (None, "None")
    assert ("\nReturns\n-------\n" in text) is returns
    assert not re.search(r"^(Returns|\w+Error).*: ", text, re.M), "a field outside its section"
    head = text.partition("\nParameters\n")[0]
    for name in inspect.signature(function).parameters:
        assert not re.search(rf"(?<![\w`'=]){name}: [A-Z]", head), f"{name} is not an entry"


@pytest.mark.parametrize("name", METRICS)
def test_the_summary_of_a_metric_is_one_sentence(name: str) -> None:
    summary = (inspect.getdoc(getattr(wf, name)) or "").split("\n\n")[1]
    assert summary.endswith("."), summary


def undocumented(function: Callable[..., object]) -> set[str]:
    parts = re.split(r"\n(\w+)\n-+\n", inspect.getdoc(function) or "")
    entries = dict(zip(parts[1::2], parts[2::2], strict=True))["Parameters"]
    heads = [line for line in entries.split("\n") if line and not line.startswith(" ")]
    assert all(re.fullmatch(r"\*\*\w+|[\w*, ]+ : \S.*", head) for head in heads), heads
    assert len(re.findall(r"\n    \S.*(?:\n    .*)*", f"\n{entries}")) == len(heads)
    names = {name.strip(" *") for head in heads for name in head.split(" : ")[0].split(",")}
    return {*inspect.signature(function).parameters} - names - {"self", "cls"}
