"""Pictures on paper: nothing overlaps, text stays text, equal pictures give equal files."""

from __future__ import annotations

import builtins
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import whichf1 as wf
from tests.helpers.commands import NASTY
from tests.helpers.pictures import (
    FOLDER,
    LINES,
    PAGE,
    RESULTS,
    counts,
    figure_of,
    gallery_figure,
    page,
    ranking,
    texts,
    touching,
)
from whichf1.errors import FileError, InputError
from whichf1.reporting.pictures.drawing import rendered
from whichf1.reporting.pictures.look import INKS, look
from whichf1.reporting.pictures.typeface import fonts, shortened, spelled, width, wrapped

SAME = ("reliability", "threshold", "dialects", "comparison", "flips")
"""Kinds that are not larger with more classes."""
ALIKE = ("pr", "pr-gain", "det", "gain", "lift")
"""Kinds that are laid out as roc."""
SIZES = [
    *((kind, 2) for kind in RESULTS),
    *(pytest.param(kind, 20, marks=pytest.mark.long) for kind in RESULTS if kind not in SAME[:3]),
    *(
        pytest.param(kind, 100, marks=pytest.mark.long)
        for kind in RESULTS
        if kind not in (*SAME, *ALIKE, "posterior")
    ),
]


@pytest.mark.parametrize(("kind", "k"), SIZES)
def test_no_text_touches_another_or_leaves_the_figure(kind: str, k: int) -> None:
    options: dict[str, Any] = {"draws": 200} if kind == "posterior" else {}
    with figure_of(wf.picture(RESULTS[kind](k), kind, **options)) as figure:
        assert touching(figure) == []
        assert len(texts(figure)) > 5


@pytest.mark.parametrize("dpi", [60, 90, 150])
def test_no_ink_reaches_the_edge_at_any_resolution(dpi: int) -> None:
    drawn = rendered(wf.picture(counts(20), "classes"), "png", dpi)
    ink = np.asarray(Image.open(io.BytesIO(drawn)).convert("L")) < 250
    assert not (ink[:2].any() or ink[-2:].any() or ink[:, :2].any() or ink[:, -2:].any())


def test_names_that_are_left_out_are_counted_in_a_note() -> None:
    with figure_of(wf.picture(counts(100), "plane")) as figure:
        shown = [text.get_text() for text in figure.axes[0].texts]
        caption = " ".join(text for text, _ in texts(figure))
    named = sum(not text.startswith("F1 ") for text in shown)
    assert f"{named} of 100 points are named" in caption and 0 < named < 100


@pytest.mark.parametrize("kind", LINES)
@pytest.mark.thinned(3)
def test_the_gallery_shows_what_its_lines_draw(kind: str) -> None:
    """The picture of the gallery, within a tolerance for other versions of matplotlib."""
    before = Image.open(FOLDER / f"{kind}.png").convert("RGB")
    now = Image.open(io.BytesIO(gallery_figure(kind))).convert("RGB")
    assert abs(now.width - before.width) <= 2 and abs(now.height - before.height) <= 12
    size = (before.width // 4, before.height // 4)
    a, b = (np.asarray(x.resize(size, Image.Resampling.BOX), np.float64) for x in (before, now))
    assert np.abs(a - b).mean() < 2.5, "run python -m tests.helpers.pictures, and look at it"


def test_the_page_of_the_gallery_is_current() -> None:
    assert PAGE.read_text() == page(), "run python -m tests.helpers.pictures"


def test_an_svg_is_text_reproducible_and_says_what_it_is() -> None:
    picture = wf.picture(counts(3))
    first, second = (rendered(picture, "svg") for _ in range(2))
    assert first == second
    svg = first.decode()
    assert ">predicted class</text>" in svg and "class 2" in svg
    assert picture.finding in svg and "<dc:date>" not in svg
    curve = wf.picture(ranking(1), "roc")
    assert curve.signatures[0].split("|")[0] in rendered(curve, "svg").decode()


def test_a_pdf_has_its_fonts_inside_and_a_png_its_signature() -> None:
    picture = wf.picture(counts(3), "plane")
    pdf = rendered(picture, "pdf")
    assert pdf == rendered(picture, "pdf")
    assert b"/FontFile2" in pdf and b"/Type3" not in pdf
    assert b"/CreationDate" not in pdf and b"/Keywords" in pdf
    png = Image.open(io.BytesIO(rendered(picture, "png", 60)))
    assert png.info["Comment"] == " ".join(picture.signatures)
    assert png.info["Description"] == picture.finding


@pytest.mark.parametrize("form", ["svg", "pdf", "png"])
def test_labels_are_never_markup(form: str) -> None:
    nasty = [NASTY, "$\\frac{1}{0}$", "</text><script>alert(1)</script>", "x" * 1000, "&amp;"]
    table = wf.count(nasty * 3, nasty * 2 + nasty[::-1])
    drawn = rendered(wf.picture(table), form)
    assert drawn
    if form == "svg":
        assert "<script" not in drawn.decode() and "\\u202e" in drawn.decode()


def test_characters_that_no_font_has_are_spelled_and_noted() -> None:
    families, missing = fonts(["plain", "\U0010fffd"])
    assert families[0] == "DejaVu Sans" and missing == {"\U0010fffd"}
    assert spelled("a\U0010fffd", missing) == "a[10FFFD]"
    table = wf.count(["\U0010fffd", "b"], ["b", "b"])
    assert "No installed font has U+10FFFD" in rendered(wf.picture(table), "svg").decode()
    families, missing = fonts(["𝔄"])  # in a font that matplotlib brings, but not in the first
    assert len(families) == 2 and not missing


def test_long_names_lose_their_middle_and_stay_distinct() -> None:
    family = ("DejaVu Sans",)
    names = [f"{'a' * 60}{at}{'b' * 60}" for at in range(3)]
    short = shortened(names, 60, 7, family)
    assert len({*short}) == 3 and all("…" in x and width(x, 7, family) <= 60 for x in short)
    assert shortened(["ab", "c"], 60, 7, family) == ["ab", "c"]


def test_lines_are_broken_at_spaces_and_bars_and_lose_nothing() -> None:
    text = "f1|avg:macro|formula:averaged|" + "x" * 300 + " and some words"
    lines = wrapped(text, 80, 6, ("DejaVu Sans",))
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(width(line, 6, ("DejaVu Sans",)) <= 80 for line in lines) and len(lines) > 5


def test_drawing_on_given_axes_leaves_the_rest_of_the_figure_alone() -> None:
    from matplotlib import pyplot, rcParams

    before = dict(rcParams)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(8, 4))
    try:
        assert wf.roc_curve(ranking(1)).plot(left) is left
        inner = wf.picture(ranking(2), "reliability").plot(right)
        assert inner is not right and inner.figure is figure
        assert left.get_xlabel() == "false positive rate" and left.get_legend() is not None
        assert left.get_title(loc="left").startswith("ROC")
        assert len(figure.axes) == 2 and dict(rcParams) == before
    finally:
        pyplot.close(figure)


def test_titles_and_captions_can_be_given_or_left_out() -> None:
    bare = wf.picture(counts(3), title="", caption="")
    with figure_of(bare) as figure:
        assert [text.get_text() for text in figure.texts] == []
    with figure_of(wf.picture(counts(3), title="Mine", caption="Own words.")) as figure:
        assert [text.get_text() for text in figure.texts] == ["Mine", "Own words."]


def test_series_differ_without_colour_and_stand_out_from_white() -> None:
    looks = [look(at) for at in range(7)]
    assert len({str(x.dash) for x in looks}) == len({x.shape for x in looks}) == 7
    for colour in INKS:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        light = sum(w * x**2.2 for w, x in zip((0.2126, 0.7152, 0.0722), parts, strict=True))
        assert 1.05 / (light + 0.05) > 3, colour
    assert len({look(at) for at in range(40)}) == 40


def test_a_picture_is_saved_whole_or_not_at_all(tmp_path: Path) -> None:
    picture = wf.picture(counts(2))
    picture.save(tmp_path / "x.SVG")
    assert (tmp_path / "x.SVG").read_bytes() == rendered(picture, "svg")
    assert [each.name for each in tmp_path.iterdir()] == ["x.SVG"]
    for path in ("x.jpg", "svg", "", 3, None):
        with pytest.raises(FileError, match=r"\.svg, \.pdf or \.png"):
            picture.save(path)
    with pytest.raises(FileError, match="cannot write"):
        picture.save(tmp_path / "none" / "x.png")
    assert picture._repr_png_().startswith(b"\x89PNG")


def test_without_matplotlib_the_error_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain = builtins.__import__

    def without(name: str, *more: Any) -> Any:
        if name.partition(".")[0] == "matplotlib":
            raise ImportError(name)
        return plain(name, *more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match=re.escape("pip install 'whichf1[plot]'")):
        counts(2).plot()
