"""Shared set-up: a skipped test is a failure under CI=true; hypothesis is reproducible there."""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
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
    """Tests of the paper's figures, which take long to make, run in one process.

    What runs in one process starts first, so that no process is left alone with it at the end.
    """
    for item in items:
        if "made" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("paper"))
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
