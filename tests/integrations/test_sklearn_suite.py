"""scikit-learn's own tests of the functions that replace its own; ``make test-peers`` runs all."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.helpers.sklearn_suite import CONVENTIONS, PAGE, Call, run
from whichf1.integrations.sklearn import DROP_INS


@pytest.mark.slow
@pytest.mark.long
def test_nothing_differs_but_what_a_convention_names() -> None:
    result = run("tests.test_classification", "tests.test_ranking", "cluster.tests.test_supervised")
    assert result.unexplained == []
    assert result.passed > 440
    assert result.passed / (result.passed + len(result.failed)) > 0.98
    page = PAGE.read_text()
    for test, why in result.failed.items():
        assert f"| `{test}` | {why} |" in page, "run make test-peers"


def test_the_page_names_every_function_and_convention() -> None:
    page = PAGE.read_text()
    assert [name for name in DROP_INS if f"\n| `{name}` |" not in page] == []
    for convention in CONVENTIONS:
        assert f"| {convention.name} | {convention.why} |" in page, "run make test-peers"
    passed, concerned = (
        int(x.replace(",", "")) for x in re.findall(r"\*\*([\d,]+) of ([\d,]+)", page)[0]
    )
    assert passed / concerned >= 0.98


@pytest.mark.parametrize(
    ("ours", "theirs", "outcome"),
    [
        (0.5, 0.5 + 1e-12, "equal"),
        (0.5, 0.5 + 1e-6, "differs"),
        (np.array([1]), np.array([1.0]), "differs"),
        (0.5, np.nan, "differs"),
        (ValueError("a"), ValueError("a"), "refused by both"),
        (ValueError("a"), ValueError("b"), "differs"),
        (ValueError("a"), TypeError("a"), "differs"),
        (ValueError("a"), 0.5, "only whichf1 refuses"),
        (0.5, ValueError("a"), "only scikit-learn refuses"),
    ],
)
def test_differences_are_seen(ours: object, theirs: object, outcome: str) -> None:
    call = Call("f1_score", {"y_true": [0, 1], "y_pred": [0, 1]}, ours, theirs)
    assert call.outcome == outcome
    assert call.convention is None


def test_a_missing_warning_is_seen() -> None:
    assert Call("f1_score", {}, 0.5, 0.5, ([], ["UserWarning: x"])).outcome == "differs"
