"""The shell of a page: escaped, closed to everything else, and usable."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from playwright.sync_api import Browser

from tests.helpers.browser import NASTY, serious, too_wide, visit
from whichf1.reporting.escape import visible
from whichf1.reporting.pages import shell

Made: TypeAlias = Callable[..., Path]
BODY = """{% extends "page.html" %}
{% import "parts.html" as parts %}
{% block body %}
<header><h1>{{ title }}</h1></header>
<main>{% for label in labels %}<p class="shown" title="{{ label }}">{{ label }}</p>{% endfor %}
{{ parts.signature("f1|avg:macro|v:1", "s1", "signature of averaged F1") }}
{{ parts.code(["@misc{a,", "  b}"], "c1", "BibTeX") }}</main>
{% endblock %}"""


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    """A page with these labels, written to a file."""
    from jinja2 import DictLoader, Environment

    usual: Environment = shell._environment()
    assert usual.loader is not None
    files = {name: usual.loader.get_source(usual, name)[0] for name in ("page.html", "parts.html")}
    other = usual.overlay(loader=DictLoader({**files, "body.html": BODY}))
    monkeypatch.setattr(shell, "_environment", lambda: other)

    def write(*labels: str) -> Path:
        text = shell.rendered("body.html", {"title": "A page", "labels": labels}, data=labels)
        path = tmp_path / "page.html"
        path.write_text(text, "utf-8", newline="\n")
        return path

    return write


def test_nothing_of_the_data_becomes_markup(browser: Browser, made: Made) -> None:
    with visit(browser, made(*NASTY)) as page:
        assert page.title() == "A page"
        assert page.evaluate("JSON.parse(document.getElementById('data').textContent)") == [*NASTY]
        assert page.locator("script").count() == 2
        every = page.locator(".shown").all()
        assert [each.text_content() for each in every] == [visible(label) for label in NASTY]
        for each in every:
            assert each.inner_html().count("<") == 0
            assert each.get_attribute("title") == each.text_content()


def test_copy_buttons_copy_the_exact_text(browser: Browser, made: Made) -> None:
    with visit(browser, made("a")) as page:
        for name, text in (("signature of averaged F1", "f1|avg:macro|v:1"),
                           ("BibTeX", "@misc{a,\n  b}\n")):  # fmt: skip
            page.get_by_role("button", name=f"Copy {name}").click()
            page.get_by_role("status").get_by_text(f"{name}: copied").wait_for(state="attached")
            assert page.evaluate("navigator.clipboard.readText()") == text
        page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(); }")
        page.get_by_role("button", name="Copy signature").click()
        page.get_by_role("status").get_by_text("selected").wait_for(state="attached")
        assert page.evaluate("getSelection().toString()") == "f1|avg:macro|v:1"


def test_whoever_uses_it(browser: Browser, made: Made) -> None:
    path = made("w" * 1000)
    for dark in (False, True):
        with visit(browser, path, dark=dark) as page:
            assert serious(page) == []
    with visit(browser, path, device="phone") as page:
        assert too_wide(page) == []


def test_the_policy_refuses_what_was_not_written_with_the_page(
    browser: Browser, made: Made
) -> None:
    path = made("a")
    whole = path.read_text("utf-8")
    for added in (
        "<script>1</script>",
        "<p style='color:red'>x</p>",
        "<img src='https://example.org/x.png'>",
        "<style>p { color: red }</style>",
        "<p onclick='1'>x</p>",
    ):
        path.write_text(whole.replace("</main>", f"{added}</main>"), "utf-8")
        with (
            pytest.raises(AssertionError, match=r"policy|Policy"),
            visit(browser, path) as page,
        ):
            page.locator("main").click()
