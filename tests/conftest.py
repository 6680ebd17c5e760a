"""Shared set-up: a skipped test is a failure under CI=true; hypothesis is reproducible there."""

from __future__ import annotations

import os
import sys

import pytest
from hypothesis import HealthCheck, settings

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
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if CI and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"skipped under CI=true: {report.longrepr}"


@pytest.fixture(scope="session")
def made():
    """Every figure of the paper by name, as ``whichf1 paper all`` computes it."""
    from whichf1.paper.reproduction import SEED, makers

    return {figure.name: figure for figure in (maker(SEED) for maker in makers("all"))}


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a command in this process: exit code, standard output, standard error."""
    from whichf1 import cli

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["whichf1", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        out, err = capsys.readouterr()
        return caught.value.code, out, err

    return call
