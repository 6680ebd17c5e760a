"""The playground, written once for the tests of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="session")
def playground_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page, in a file."""
    from whichf1.paper.examples import examples
    from whichf1.reporting.pages.playground import playground

    file = tmp_path_factory.mktemp("page") / "playground.html"
    file.write_text(playground(examples()), "utf-8", newline="\n")
    return file


@pytest.fixture
def page(browser: Browser, playground_file: Path) -> Iterator[Page]:
    """The page, opened; an error in it fails the test."""
    from tests.helpers.browser import visit

    with visit(browser, playground_file) as opened:
        yield opened
