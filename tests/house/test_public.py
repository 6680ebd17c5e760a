"""The public names: written once, seen by type checkers, and explained by help()."""

from __future__ import annotations

import doctest
import inspect
import json
import os
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

MYPY = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(ROOT / ".mypy_cache")]
CHECKERS = {
    "mypy": [*MYPY, "--config-file", os.devnull],
    "pyright": [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable],
}
"""Pyright comes as basedpyright, which brings its own Node and downloads nothing."""

RIGHT = """
wf.precision([0, 1], [0, 1], average="macro", undefined="skip").value
wf.precision.per_class([0, 1], [0, 1], classes=[0], interval=wf.Wilson(level=0.9))
wf.sensitivity("preds.csv", positive=1, true="gold", pred="model", on_error="skip")
wf.averaged_f1([0, 1], [0, 1], scope="no-hits", interval="bootstrap", weights=[1, 2])
wf.f_beta.definition(beta=2, formula="of-averages").signature
wf.cohen_kappa([0, 1], [0, 1], weighting="quadratic")
wf.gwet_ac1([0, 1], [0, 1], weighting=[[0, 1], [2, 0]], undefined=0.5)
wf.expected_cost([0, 1], [0, 1], costs=[[0, 1], [2, 0]])
wf.roc_auc([0, 1], [0.1, 0.9], multi_class="ovr", max_fpr=0.5, score="p")
wf.top_k_accuracy([0, 1], [[0.1, 0.9]], k=3, ties="worst")
wf.brier([0, 1], [0.1, 0.9], scale="sum")
wf.expected_calibration_error([0, 1], [0.1, 0.9], binning="equal-mass", bins=5)
wf.macro_f1(wf.count([0, 1], [0, 1]), undefined=1).gap
wf.score([0, 1], [0, 1], "f_beta", average="macro", beta=2).interval
wf.errors.WhichF1Error
"""
WRONG = """
wf.avreaged_f1
wf.averaged_f1([0, 1], [0, 1], average="makro")
wf.averaged_f1([0, 1], [0, 1], average="macro")
wf.accuracy([0, 1], [0, 1], k=3)
wf.accuracy([0, 1], [0, 1], average="macro")
wf.accuracy.per_class([0, 1], [0, 1])
wf.precision([0, 1], [0, 1], average="makro")
wf.precision([0, 1], [0, 1], formula="averaged")
wf.precision.per_class([0, 1], [0, 1], average="macro")
wf.precision([0, 1], [0, 1], classes="tru")
wf.precision([0, 1], [0, 1], undefined="two")
wf.f1([0, 1], [0, 1], scope="none")
wf.f1([0, 1], [0, 1], beta=2)
wf.f1([0, 1], [0, 1], interval="wilsen")
wf.ks([0, 1], [0.1, 0.9], interval="delta")
wf.ks([0, 1], [0.1, 0.9], pred="x")
wf.roc_auc([0, 1], [0.1, 0.9], multi_class="top-label")
wf.roc_auc([0, 1], [0.1, 0.9], average="micro")
wf.top_k_accuracy([0, 1], [[0.1, 0.9]], ties="any")
wf.log_loss([0, 1], [0.1, 0.9], undefined=0)
wf.balanced_accuracy([0, 1], [0, 1], classes="true")
wf.coverage_error([[0, 1]], [[0.1, 0.9]], true="x")
wf.score([0, 1], [0, 1], "f1", average="makro")
"""


def test_the_stub_has_the_metrics_that_are_declared() -> None:
    assert stub.written() == stub.STUB.read_text(), "run python -m tests.helpers.stub"


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_type_checkers_accept_right_calls_and_refuse_each_wrong_one(
    checker: str, tmp_path: Path
) -> None:
    calls = ["import whichf1 as wf", *RIGHT.split("\n"), *WRONG.split("\n")]
    (tmp_path / "calls.py").write_text("\n".join(calls))
    settings = {"extraPaths": [str(ROOT / "src")], "reportUnusedExpression": False}
    (tmp_path / "pyrightconfig.json").write_text(
        json.dumps({"typeCheckingMode": "standard", **settings})
    )
    run = subprocess.run(
        [*CHECKERS[checker], "calls.py"],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )
    found = re.findall(r"calls\.py:(\d+):[\d -]* ?error", run.stdout)
    wrong = {calls.index(line) + 1 for line in WRONG.split("\n") if line}
    assert {*map(int, found)} == wrong, run.stdout + run.stderr


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


def undocumented(function: Callable[..., object]) -> set[str]:
    parts = re.split(r"\n(\w+)\n-+\n", inspect.getdoc(function) or "")
    entries = dict(zip(parts[1::2], parts[2::2], strict=True))["Parameters"]
    heads = [line for line in entries.split("\n") if line and not line.startswith(" ")]
    assert all(re.fullmatch(r"\*\*\w+|[\w*, ]+ : \S.*", head) for head in heads), heads
    assert len(re.findall(r"\n    \S.*(?:\n    .*)*", f"\n{entries}")) == len(heads)
    names = {name.strip(" *") for head in heads for name in head.split(" : ")[0].split(",")}
    return {*inspect.signature(function).parameters} - names - {"self", "cls"}
