"""scikit-learn's own tests of its metrics, with the functions of whichf1 in their place.

``python -m tests.helpers.sklearn_suite`` runs the tests as they are installed, each call through
both libraries, prints what became of calls and tests, and writes docs/scikit-learn-tested.md. Every
difference must be one of the conventions below.
"""

from __future__ import annotations

import collections
import functools
import importlib
import inspect
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "scikit-learn-tested.md"
MODULES = (
    "tests.test_classification",
    "tests.test_ranking",
    "tests.test_common",
    "tests.test_score_objects",
    "cluster.tests.test_supervised",
)
RESULT = "WHICHF1_SKLEARN_SUITE"
"""The environment variable with the path of the file that results are written to."""
FINE = ("equal", "refused by both", "not offered")
"""The outcomes of a call that need no explanation."""
OUTCOMES = (*FINE, "differs", "only whichf1 refuses", "only scikit-learn refuses")
UNCALLED = {
    "test_score_objects::test_scoring_is_not_metric": "scikit-learn recognizes metrics that are "
    "passed as scorers by the name of its own module.",
}
"""Tests that fail without calling a function, and why."""


class Call(NamedTuple):
    """A call of a function, and what both libraries make of it: a value or an exception."""

    name: str
    arguments: Mapping[str, Any]
    ours: Any
    theirs: Any
    warned: tuple[list[str], list[str]] = ([], [])

    @property
    def outcome(self) -> str:
        """How the two results compare."""
        refused = [isinstance(x, Exception) for x in (self.ours, self.theirs)]
        if all(refused):
            same = type(self.ours) is type(self.theirs) and str(self.ours) == str(self.theirs)
            return "refused by both" if same else "differs"
        if any(refused):
            return f"only {'whichf1' if refused[0] else 'scikit-learn'} refuses"
        same = equal(self.ours, self.theirs) and self.warned[0] == self.warned[1]
        return "equal" if same else "differs"

    @property
    def convention(self) -> str | None:
        """The name of the convention that explains a difference."""
        return next((x.name for x in CONVENTIONS if x.explains(self)), None)


class Convention(NamedTuple):
    """Where whichf1 differs from scikit-learn, and why."""

    name: str
    why: str
    explains: Callable[[Call], bool]


def _in_less_than_double(call: Call) -> bool:
    """Both are right to the precision of what was given."""
    values = np.asarray(call.arguments.get("y_proba"))
    if values.dtype not in (np.float16, np.float32) or call.outcome != "differs":
        return False
    step = np.finfo(values.dtype).eps
    return bool(np.allclose(call.ours, call.theirs, rtol=4 * step, atol=step))


CONVENTIONS = (
    Convention(
        "low precision",
        "Probabilities in half or single precision are summed in double precision here, and in "
        "their own precision there.",
        _in_less_than_double,
    ),
    Convention(
        "integers beyond 2**53",
        "Integer weights that add up to more than 2**53 are refused. scikit-learn's sum overflows.",
        lambda call: "more than 2**53" in str(call.ours),
    ),
    Convention(
        "no weight at all",
        "Weights that are all 0 are refused. Some functions of scikit-learn refuse them, others "
        "return 0 or NaN.",
        lambda call: "all weights are 0" in str(call.ours),
    ),
    Convention(
        "an accident",
        "For a `y_true` with two dimensions and `multi_class='ovo'`, scikit-learn ends with an "
        "IndexError or a TypeError.",
        lambda call: (
            call.name == "roc_auc_score"
            and call.arguments.get("multi_class") == "ovo"
            and np.ndim(call.arguments["y_true"]) == 2
            and isinstance(call.theirs, (IndexError, TypeError))
        ),
    ),
    Convention(
        "options by position",
        "Options that scikit-learn is about to refuse by position are refused already.",
        lambda call: "takes options by name" in str(call.ours),
    ),
)


class Suite:
    """A pytest plugin: replaces functions of scikit-learn, and records what becomes of calls."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.test = ""
        self.calls: collections.Counter[tuple[str, str]] = collections.Counter()
        self.notes: list[dict[str, str | None]] = []
        self.touched: dict[str, set[str]] = collections.defaultdict(set)
        self.tests: dict[str, dict[str, str]] = {}

    def replace(self) -> None:
        """Put recorders in place of all functions while the test modules are imported.

        What calls of scikit-learn are made of stays: only the test modules keep the recorders.
        """
        from sklearn import metrics
        from sklearn.metrics import _classification, _ranking, cluster
        from sklearn.metrics.cluster import _supervised

        from whichf1.integrations import sklearn as door

        replaced = []
        for name in metrics.__all__:
            theirs = getattr(metrics, name)
            home = getattr(theirs, "__module__", "")
            if home not in (_classification.__name__, _ranking.__name__) and not (
                home == _supervised.__name__ and name in door.DROP_INS
            ):
                continue
            recorder = self.recorder(name, door.DROP_INS.get(name), theirs)
            if name in door.DROP_INS:
                setattr(door, name, recorder)  # so that it can be pickled
            for place in (metrics, _classification, _ranking, cluster, _supervised):
                if getattr(place, name, None) is theirs:
                    setattr(place, name, recorder)
                    replaced.append((place, name, theirs))
        for module in MODULES:
            importlib.import_module(f"sklearn.metrics.{module}")
        for place, name, theirs in replaced:
            setattr(place, name, theirs)

    def recorder(
        self, name: str, ours: Callable[..., Any] | None, theirs: Callable[..., Any]
    ) -> Callable[..., Any]:
        """A function that records its calls; what is not offered is scikit-learn's own."""
        order = [*inspect.signature(theirs).parameters]

        @functools.wraps(ours or theirs)
        def function(*args: Any, **options: Any) -> Any:
            if ours is None:
                self.calls[name, "not offered"] += 1
                return theirs(*args, **options)
            self.touched[self.test].add(name)
            arguments = {**dict(zip(order, args, strict=False)), **options}
            expected, words = outcome_of(theirs, args, options)
            found, said = outcome_of(ours, args, options)
            texts = [[f"{x.category.__name__}: {x.message}" for x in w] for w in (said, words)]
            self.record(Call(name, arguments, found, expected, (texts[0], texts[1])))
            for each in said:
                warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
            if isinstance(found, Exception):
                raise found
            return found

        return function

    def record(self, call: Call) -> None:
        """Count a call, and keep what has to be explained."""
        outcome = call.outcome
        self.calls[call.name, outcome] += 1
        if outcome not in FINE:
            facts = {"name": call.name, "outcome": outcome, "test": self.test}
            shown = {"call": call.arguments, "ours": call.ours, "theirs": call.theirs}
            told = {
                key: f"{value!r:.600}" for key, value in (shown | {"warned": call.warned}).items()
            }
            self.notes.append({**facts, **told, "convention": call.convention})

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        """Know which test runs."""
        self.test = f"{item.module.__name__.rpartition('.')[2]}::{item.name}"  # type: ignore[attr-defined]
        yield
        self.test = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what becomes of a test."""
        if report.when == "call" or report.outcome != "passed":
            why = "" if report.outcome != "failed" else f"{report.longrepr}"[-1500:]
            self.tests[self.test] = {"outcome": report.outcome, "why": why}

    def pytest_sessionfinish(self) -> None:
        """Write all of it."""
        calls = [[*key, n] for key, n in sorted(self.calls.items())]
        touched = {test: sorted(names) for test, names in self.touched.items()}
        result = {"calls": calls, "notes": self.notes, "touched": touched, "tests": self.tests}
        Path(self.path).write_text(json.dumps(result))


def outcome_of(function: Callable[..., Any], args: Any, options: Any) -> tuple[Any, list[Any]]:
    """The value or exception of a call, and its warnings."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            return function(*args, **options), said
        except Exception as error:
            return error, said


def equal(a: Any, b: Any) -> bool:
    """Whether two results are the same, but for rounding."""
    if isinstance(b, tuple):
        return isinstance(a, tuple) and len(a) == len(b) and all(map(equal, a, b))
    if isinstance(b, dict):
        return [*a] == [*b] and all(equal(a[key], b[key]) for key in b)
    if isinstance(b, str) or b is None:
        return bool(a == b)
    if np.shape(a) != np.shape(b) or (type(a) is np.ndarray) != (type(b) is np.ndarray):
        return False
    if type(b) is np.ndarray and a.dtype != b.dtype:
        return False
    return bool(np.allclose(a, b, rtol=1e-9, atol=1e-12, equal_nan=True))


def pytest_configure(config: pytest.Config) -> None:
    """Called by pytest where this module is a plugin."""
    if RESULT in os.environ:
        suite = Suite(os.environ[RESULT])
        suite.replace()
        config.pluginmanager.register(suite)


class Result(NamedTuple):
    """What was recorded."""

    calls: list[tuple[str, str, int]]
    notes: list[dict[str, Any]]
    touched: dict[str, list[str]]
    tests: dict[str, dict[str, str]]

    @property
    def failed(self) -> dict[str, str]:
        """The tests that fail, and the convention that explains it; nothing if none does."""
        named = {note["test"]: note["convention"] for note in self.notes}
        tests = [test for test, found in self.tests.items() if found["outcome"] == "failed"]
        return {test: named.get(test) or UNCALLED.get(test, "") for test in tests}

    @property
    def passed(self) -> int:
        """How many tests pass, of those that call a function of ours."""
        return sum(self.tests.get(x, {}).get("outcome") == "passed" for x in self.touched)

    @property
    def unexplained(self) -> list[Any]:
        """Differences that no convention names, and tests that fail for no named reason."""
        calls = [note for note in self.notes if note["convention"] is None]
        return calls + [(x, self.tests[x]["why"]) for x, why in self.failed.items() if not why]


def run(*modules: str) -> Result:
    """Run some modules of scikit-learn's tests, and read what was recorded."""
    tests = [f"sklearn.metrics.{name}" for name in modules]
    command = [sys.executable, "-m", "pytest", "--pyargs", *tests, "-q", "-c", os.devnull]
    plugins = ["-p", "tests.helpers.sklearn_suite", "-p", "no:cacheprovider", "--tb=short"]
    folders = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "result.json"
        environment = {**os.environ, RESULT: str(path), "PYTHONPATH": folders}
        options: dict[str, Any] = {"env": environment, "cwd": folder}
        done = subprocess.run([*command, *plugins], **options, capture_output=True, text=True)
        if not path.exists():
            raise RuntimeError(f"the tests did not run: {done.stdout}{done.stderr}")
        return Result(**json.loads(path.read_text()))


def page(result: Result) -> str:
    """What became of calls and tests, as a page of the docs."""
    import sklearn

    sums: collections.Counter[str] = collections.Counter()
    by_name: dict[str, dict[str, int]] = collections.defaultdict(dict)
    for name, outcome, calls in result.calls:
        by_name[name][outcome] = calls
        sums[outcome] += calls
    rows = [(f"`{name}`", found) for name, found in sorted(by_name.items())]
    table = [
        [name, *(str(found.get(outcome, "")) for outcome in OUTCOMES)]
        for name, found in [*rows, ("all", sums)]
    ]
    concerned = result.passed + len(result.failed)
    share = result.passed / concerned
    used = collections.Counter(note["convention"] for note in result.notes)
    conventions = [[x.name, x.why, str(used[x.name])] for x in CONVENTIONS]
    failed = [[f"`{test}`", why] for test, why in sorted(result.failed.items())]
    return f"""# scikit-learn's own tests

Written by `make test-peers`: the tests of classification metrics, rankings and clusterings that
scikit-learn {sklearn.__version__} installs, run with the functions of
`whichf1.integrations.sklearn` in place of its own. Each call goes through both libraries.

**{result.passed:,} of {concerned:,} tests that concern these functions pass ({share:.1%}).**

## Calls

'Equal' means equal numbers (to nine digits), types and warnings. 'Refused by both' means the same
error with the same message.

{_table(["function", *OUTCOMES], table)}
## Where they differ

{_table(["convention", "what and why", "calls"], conventions)}
## Tests that fail

{_table(["test", "because of"], failed)}"""


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main() -> None:
    """Run all of the tests, and write the page."""
    result = run(*MODULES)
    text = page(result)
    print(text)
    for each in result.unexplained:
        print("not explained:", each)
    if result.unexplained:
        raise SystemExit(1)
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
