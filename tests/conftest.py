"""Shared set-up: a skipped test is a failure under CI=true; hypothesis is reproducible there."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.helpers.commands import Run
    from whichf1.paper.result import Figure

# Spark runs small plans here, once each: the second compiler of the JVM costs more than it saves.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

CI = os.environ.get("CI", "").lower() == "true"

settings.register_profile("default", deadline=None, max_examples=100)
settings.register_profile(
    "ci",
    deadline=None,
    max_examples=100,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ci" if CI else "default")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, None]:
    outcome = yield
    report = outcome.get_result()
    if CI and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"skipped under CI=true: {report.longrepr}"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that share something costly run in one process: the paper's figures, a browser.

    What runs in one process starts first, so that no process is left alone with it at the end. Of
    the cases of a test that is thinned, all but one in so many are left to the long tier.
    """
    cases: Counter[object] = Counter()
    for item in items:
        thinned = item.get_closest_marker("thinned")
        if thinned is not None:
            test = getattr(item, "function", None)
            if cases[test] % thinned.args[0]:
                item.add_marker(pytest.mark.long)
            cases[test] += 1
    for item in items:
        for fixture, group in (("made", "paper"), ("browser", "browser")):
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(pytest.mark.xdist_group(group))
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)


@pytest.fixture(scope="session")
def made() -> dict[str, Figure]:
    """Every figure of the paper by name, as ``whichf1 paper all`` computes it."""
    from whichf1.paper.reproduction import PARTS, SEED

    return {figure.name: figure for figure in (maker(SEED) for maker in PARTS["all"])}


@pytest.fixture
def run() -> Run:
    """Run a command in this process: exit code, standard output, standard error."""
    from tests.helpers.commands import invoke

    return invoke


@pytest.fixture(scope="module")
def browser() -> Generator[Browser, None, None]:
    """Chromium, started once for the tests of a module."""
    from tests.helpers.browser import chromium

    with chromium() as started:
        yield started
