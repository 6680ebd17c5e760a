"""The libraries that install in seconds; ``make test-dialects`` runs all of them."""

from __future__ import annotations

import pytest

import whichf1 as wf
from tests.dialects.cases import random_cases
from tests.dialects.comparing import compare
from tests.dialects.libraries import LIBRARIES, run_all
from tests.dialects.run_all import NOT_RUN, PINS

EVERYDAY = [name for name, library in LIBRARIES.items() if library.environment == "everyday"]


@pytest.mark.parametrize("name", EVERYDAY)
def test_a_dialect_agrees_with_its_library(name):
    cases = random_cases(250, seed=11)
    agreement = compare(name, cases, run_all(name, cases))
    assert agreement.holds, agreement.worst
    assert agreement.compared > 150


def test_every_dialect_is_run_against_its_library_or_says_why_not():
    run = {library.dialect for library in LIBRARIES.values()}
    assert run | set(NOT_RUN) == set(wf.dialects)
    assert not run & set(NOT_RUN)
    assert {library.environment for library in LIBRARIES.values()} == set(PINS)


def test_a_wrong_dialect_is_noticed():
    cases = random_cases(20)
    values = run_all("sklearn", cases)
    assert not compare("torchmetrics-0-11", cases, values).holds
    assert not compare("sklearn", cases, [value + 2e-6 for value in values]).holds
