"""The libraries that install in seconds; ``make test-dialects`` runs all of them."""

from __future__ import annotations

import pytest

import whichf1 as wf
from tests.dialects.cases import random_cases
from tests.dialects.comparing import compare
from tests.dialects.libraries import LIBRARIES, run_all
from tests.dialects.run_all import NOT_RUN, PAGE, PINS

EVERYDAY = [name for name, library in LIBRARIES.items() if library.environment == "everyday"]


@pytest.mark.parametrize("name", EVERYDAY)
def test_a_dialect_agrees_with_its_library(name: str) -> None:
    cases = random_cases(150, seed=11)
    agreement = compare(name, cases, run_all(name, cases))
    assert agreement.holds, agreement.worst
    assert agreement.compared > 90


def test_every_dialect_is_run_against_its_library_or_says_why_not() -> None:
    run = {library.dialect for library in LIBRARIES.values()}
    assert run | set(NOT_RUN) == set(wf.dialects)
    assert not run & set(NOT_RUN)
    assert {library.environment for library in LIBRARIES.values()} == set(PINS)


def test_a_wrong_dialect_is_noticed() -> None:
    cases = random_cases(20)
    values = run_all("sklearn", cases)
    assert not compare("torchmetrics-0-11", cases, values).holds
    assert not compare("sklearn", cases, [value + 2e-6 for value in values]).holds


def test_the_page_of_results_names_every_library() -> None:
    page = PAGE.read_text()
    for name, library in LIBRARIES.items():
        assert f"`{library.dialect}`" in page and (library.package or name) in page
    for name, why in NOT_RUN.items():
        assert f"`{name}`: {why}" in page
    for pin in (pin for steps in PINS.values() for step in steps for pin in step if "==" in pin):
        package, version = pin.split("==")
        if package in {library.package or name for name, library in LIBRARIES.items()}:
            assert f"| {package} | {version} |" in page
