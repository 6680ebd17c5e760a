"""Pictures on pages: the numbers of the Picture, in shapes without overlaps."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from jinja2 import ChoiceLoader, DictLoader
from playwright.sync_api import Browser

import whichf1 as wf
from tests.helpers.browser import OVERLAPS, serious, visit
from tests.helpers.pictures import RESULTS
from whichf1.reporting.pages import shell
from whichf1.reporting.pictures import typeface
from whichf1.reporting.pictures.kinds import every_kind
from whichf1.reporting.pictures.look import INKS
from whichf1.reporting.pictures.marks import Axis, Dots
from whichf1.reporting.pictures.vector import all_shortened, line, shade_of, shortened, shown

BODY = """{% extends "page.html" %}{% import "parts.html" as parts %}
{% block body %}<header><h1>{{ title }}</h1></header>
<main><h2>x</h2>{% for each in all %}{{ parts.figure(each, "p" ~ loop.index) }}{% endfor %}</main>
{% endblock %}"""


@pytest.mark.parametrize("k", [2, 20, 100])
@pytest.mark.thinned(3)
def test_no_texts_overlap(
    browser: Browser, k: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every kind of picture, with names that are long, Chinese, markup or directions."""
    usual = shell._environment()
    assert usual.loader is not None
    loader = ChoiceLoader([DictLoader({"body.html": BODY}), usual.loader])
    other = usual.overlay(loader=loader)
    monkeypatch.setattr(shell, "_environment", lambda: other)
    assert {*RESULTS} == {*every_kind()}
    pictures = [shown(wf.picture(make(k), kind)) for kind, make in RESULTS.items()]
    path = tmp_path / "page.html"
    path.write_text(shell.rendered("body.html", {"title": "x", "all": pictures}), "utf-8")
    with visit(browser, path) as page:
        assert page.evaluate(OVERLAPS) == []
        assert serious(page) == []
        assert page.locator("figure").count() == len(RESULTS)
        # each has a text alternative that says the finding
        said = page.locator("[role=img]").evaluate_all(
            "each => each.map((x) => document.getElementById(x.getAttribute('aria-labelledby'))"
            ".textContent)"
        )
        images = [each.picture.finding for each in pictures if not each.table]
        assert said == images


def test_places_are_those_of_the_numbers() -> None:
    """What is drawn can be read back: the scale of the picture gives the values."""
    counts = wf.count(["a", "b", "b", "c", "c", "c"], ["a", "b", "c", "c", "c", "a"])
    picture = wf.picture(counts, "classes")
    panel = picture.panels[-1]
    image = str(shown(picture).parts[-1])
    starts = re.search(r'class="dot i0" d="([^"]+)"', image)
    assert starts is not None
    drawn = [float(x) for x in re.findall(r"M([\d.]+) ", starts[1])]
    ticks = [float(x) for x in re.findall(r'class="tick middle" x="([\d.]+)"', image)]
    known = [at for at, _ in panel.x.ticks]
    slope = (ticks[-1] - ticks[0]) / (known[-1] - known[0])
    radius = float(re.search(r"a([\d.]+) ", starts[1])[1])  # type: ignore[index]
    read = [known[0] + (x + radius - ticks[0]) / slope for x in drawn]
    dots = panel.marks[-1]
    assert read == pytest.approx(dots.x, abs=0.002)  # type: ignore[union-attr]


def test_scales() -> None:
    assert Axis("", 0, 10).place(2.5) == 0.25
    assert Axis("", 1, 100, spacing="log").place(10) == pytest.approx(0.5)
    probit = Axis("", 0.1, 0.9, spacing="probit")
    assert probit.place(0.5) == pytest.approx(0.5)
    assert np.allclose(probit.place(np.array([0.1, 0.9])), [0, 1])


def test_a_line_is_as_short_as_it_can_be() -> None:
    assert line([0, 1, 2, 3], [0, 1, 2, 3]) == "M0 0L3 3"
    assert line([0, 0, 5, 5], [0, 2, 2, 0]) == "M0 0V2H5V0"
    assert line([0, 5, 2], [0, 0, 0]) == "M0 0H5H2"  # it goes back
    assert line([0, 1, 2], [0, 1, 1], step=True) == "M0 0H1V1H2V1"
    assert line([], []) == ""


def test_long_names_lose_their_middle() -> None:
    assert shortened("short", 200, 12) == "short"
    cut = shortened("a" * 50 + "b" * 50, 100, 12)
    assert cut.startswith("a") and cut.endswith("b") and "…" in cut and len(cut) < 15
    assert len(shortened("猫" * 100, 100, 12)) < 9


def test_shades() -> None:
    assert [shade_of(x) for x in (0, 1e-9, 0.125, 0.126, 0.5, 1)] == [0, 1, 1, 2, 4, 8]


def test_the_style_sheet_has_the_colours_of_figures() -> None:
    """Light pages and print use the same hues; three are darker, to be seen as thin lines."""
    style = (shell.FOLDER / "page.css").read_text("utf-8")
    light = re.search(r":root \{ (--i0.*?)\}", style)
    assert light is not None
    found = dict(re.findall(r"--i(\d): (#\w+);", light[1]))
    assert [*found] == [str(at) for at in range(len(INKS))]
    for at, colour in enumerate(INKS):
        mine, other = ([int(x[i : i + 2], 16) for i in (1, 3, 5)] for x in (found[str(at)], colour))
        assert np.abs(np.subtract(mine, other)).max() <= 24
    assert style.count(light[1].strip()) == 2  # on a screen, and in print


LONG = [f"Diabetes mellitus, type {x} with complications" for x in ("I", "II", "III")]


@pytest.mark.parametrize("kind", ["confusion", "classes", "plane", "gap"])
@pytest.mark.parametrize(
    "names",
    [
        LONG,
        [f"comp.sys.{x}.hardware" for x in ("ibm.pc.of.long.names", "ibm.pc.if.long.names")],
        [f"{'a' * 30}{x}{'b' * 30}" for x in "12345"],
    ],
)
def test_long_names_stay_different_and_keep_their_counts(kind: str, names: list[str]) -> None:
    truth = names * 35
    predicted = [*names[1:], names[0]] * 5 + names * 30
    made = wf.picture(wf.count(truth, predicted), kind)
    panel = made.panels[0]
    ticks = [text for _, text in panel.y.ticks] if panel.y.spacing == "names" else names
    for most in (40.0, 60.0, 110.0):
        short = all_shortened(ticks, most, 12.0, panel.y.numbers)
        assert len({x.partition(" (")[0] for x in short}) == len(names), short
        if kind == "classes":
            assert all(x.endswith(" (35)") for x in short)
        drawn = typeface.shortened(ticks, most, 9.0, ("DejaVu Sans",), panel.y.numbers)
        assert len({x.partition(" (")[0] for x in drawn}) == len(names), drawn


def test_numbers_of_classes_are_the_same_in_every_figure() -> None:
    names = [f"{'a' * 40}{x}{'b' * 40}" for x in "12345"]
    counts = wf.count([*names, *names], [*names, *names[3:], *names[:3]], labels=names)
    for kind in ("confusion", "classes", "plane", "gap"):
        panel = wf.picture(counts, kind).panels[0]
        dots = [mark for mark in panel.marks if isinstance(mark, Dots) and mark.tags]
        texts = dots[0].tags if kind == "plane" else [text for _, text in panel.y.ticks]
        numbers = dots[0].numbers if kind == "plane" else panel.y.numbers
        short = all_shortened(texts, 90.0, 12.0, numbers)
        for text, name in zip(texts, short, strict=True):
            assert name.startswith(f"{names.index(text.partition(' ')[0]) + 1} ")
