"""Every page says what is true now: its blocks are run and its output is real."""

from __future__ import annotations

import re

import pytest

from tests.helpers.readme import (
    BLOCK,
    PICTURES,
    ROOT,
    filled,
    picture,
    picture_of,
    printed,
    speed_table,
    terminals,
)

PAGES = sorted(
    str(path.relative_to(ROOT))
    for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
    if BLOCK.search(path.read_text())
)
MADE = ("paper/", "api/", "playground.html", "report.html")
"""What ``make docs`` writes, and checks itself."""


@pytest.mark.parametrize("page", PAGES)
def test_the_output_on_a_page_is_real(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = (ROOT / page).read_text()
    assert filled(text) == text


def test_a_page_shows_the_measured_speed() -> None:
    assert speed_table() in (ROOT / "docs" / "speed.md").read_text()


def test_the_readme_is_short_and_shows_a_picture() -> None:
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) < 150 and "](docs/terminal.svg)" in text


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_what_the_command_prints_now(name: str) -> None:
    drawn = picture_of(name).read_text()
    assert drawn == picture(name)
    assert "http" not in re.sub(r'xmlns="[^"]*"|<!--.*?-->', "", drawn)
    assert terminals() in (ROOT / "docs" / "terminals.md").read_text()


def test_the_list_of_metrics_is_current() -> None:
    page = (ROOT / "docs" / "metrics.md").read_text()
    assert printed("whichf1 metrics --format markdown") in page


def test_the_list_of_dialects_is_current() -> None:
    page = (ROOT / "docs" / "dialects.md").read_text()
    assert printed("whichf1 dialects --format markdown") in page


def test_links_between_pages_lead_somewhere() -> None:
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")):
        prose = re.sub(r"```.*?```|`[^`]*`", "", path.read_text(), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", prose):
            if "://" not in target and not target.startswith(MADE):
                assert (path.parent / target).exists(), f"{path.name}: {target}"
