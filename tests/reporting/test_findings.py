"""The page of a report: its sections, its numbers, and how a browser takes it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

import whichf1 as wf
from tests.helpers.browser import NASTY, OVERLAPS, serious, too_wide, visit
from tests.helpers.commands import Run
from whichf1.errors import FileError, WhichF1Error
from whichf1.reporting.pages.findings import Section
from whichf1.reporting.pages.shell import rendered
from whichf1.reporting.pages.threshold import Slider, definitions
from whichf1.scoring.curves import best_threshold
from whichf1.scoring.evaluate import evaluate

EXAMPLES = Path(__file__).parents[2] / "examples"
EVERY = [
    "answer", "pictures", "classes", "confusions", "slices", "thresholds", "systems", "dialects",
    "methods", "facts",
]  # fmt: skip
"""The sections, in the order that a reader needs."""
CASES: dict[str, tuple[list[str], set[str]]] = {
    "animals": (["animals.csv"], {"classes", "confusions", "dialects"}),
    "spam": (["spam.csv", "--true", "gold", "--score", "score", "--positive", "spam"],
             {"thresholds"}),
    "systems": (["systems.csv", "--true", "gold", "--pred", "careful", "--pred", "biased", "--by",
                 "gold"], {"classes", "confusions", "slices", "systems", "dialects"}),
    "topics": (["topics.csv", "--labels-sep", ";"], {"classes"}),
    "probabilities": (["animal_probabilities.csv", "--probs", "bird,cat,dog"],
                      {"classes", "confusions", "dialects"}),
}  # fmt: skip
"""What the command is given, and the sections that there are beside those that always are."""
ALWAYS = {"answer", "pictures", "methods", "facts"}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page of each kind of data, from the command line."""
    from tests.helpers.commands import invoke

    folder = tmp_path_factory.mktemp("pages")
    for name, ((file, *options), _) in CASES.items():
        ran = invoke("report", EXAMPLES / file, *options, "-o", folder / f"{name}.html")
        assert ran == (0, "", "")
    return {name: folder / f"{name}.html" for name in CASES}


def test_sections_in_the_order_that_a_reader_needs(pages: dict[str, Path]) -> None:
    for name, (_, own) in CASES.items():
        text = pages[name].read_text("utf-8")
        found = re.findall(r'<section id="(\w+)"', text)
        assert found == [x for x in EVERY if x in own | ALWAYS]
        assert re.findall(r'<a href="#(\w+)">', text) == found


@pytest.mark.long
def test_a_browser_opens_every_page(browser: Browser, pages: dict[str, Path]) -> None:
    for path in pages.values():
        with visit(browser, path) as page:
            ids = page.evaluate("[...document.querySelectorAll('[id]')].map((x) => x.id)")
            assert len(ids) == len(set(ids))
            links = page.evaluate("[...document.querySelectorAll('a')].map((x) => x.hash.slice(1))")
            assert set(links) <= set(ids)
            assert page.evaluate(OVERLAPS) == []
            assert serious(page) == []


@pytest.mark.long
def test_phones_and_the_dark(browser: Browser, pages: dict[str, Path]) -> None:
    for name in ("spam", "systems"):
        with visit(browser, pages[name], device="phone", dark=True) as page:
            assert too_wide(page) == []
            assert serious(page) == []


def test_numbers_are_those_of_the_report(browser: Browser, pages: dict[str, Path]) -> None:
    report = wf.report(EXAMPLES / "animals.csv")
    with visit(browser, pages["animals"]) as page:
        shown = page.locator("#answer .list tbody tr").all()
        assert len(shown) == len(report.scores)
        for row, (name, score) in zip(shown, report.scores, strict=True):
            assert row.locator("th").text_content() == name
            cell = row.locator("td").first.text_content() or ""
            assert cell.startswith(f"{score.value:.4f}{score.interval:.4f}")
            assert row.locator("code").text_content() == score.signature
        cards = page.locator(".card").all()
        assert [card.locator(".big").text_content() for card in cards] == [
            f"{score.value:.4f}" for _, score in report.scores[:2]
        ]
        cells = page.locator("#confusions .matrix").first.locator("tbody td").all()
        whole = report.counts.matrix.ravel().tolist()
        assert [int(x.inner_text().split("\n")[0]) for x in cells] == whole
        page.get_by_role("button", name="Copy signature of Averaged F1").click()
        page.get_by_role("status").get_by_text("copied").wait_for(state="attached")
        assert page.evaluate("navigator.clipboard.readText()") == report.scores[0][1].signature
        page.get_by_role("button", name="Copy BibTeX").click()
        assert "opitz2019macro" in page.locator("#methods code").inner_text()
        page.get_by_role("button", name="Copy all counts").click()
        page.get_by_role("status").get_by_text("all counts: copied").wait_for(state="attached")
        kept = page.evaluate("navigator.clipboard.readText()")
        assert wf.Counts.from_json(kept) == report.counts


def test_the_slider_gives_the_numbers_of_python(browser: Browser, pages: dict[str, Path]) -> None:
    ranking = wf.rank(EXAMPLES / "spam.csv", true="gold", score="score", positive="spam")
    with visit(browser, pages["spam"]) as page:
        slider = page.locator("#threshold")
        for at in (0, 1, 35, len(ranking.score)):
            slider.fill(str(len(ranking.score) - at))
            assert read_slider(page) == pytest.approx(at_place(ranking, at), rel=1e-12, nan_ok=True)
        # by the keyboard: one step to the left is one score lower
        slider.fill(str(len(ranking.score) - 10))
        slider.press("ArrowLeft")
        assert read_slider(page) == pytest.approx(at_place(ranking, 11), rel=1e-12, nan_ok=True)
        assert f"at least {ranking.score[10]}" in (slider.get_attribute("aria-valuetext") or "")
        # a threshold between two scores, typed
        page.get_by_label("score ≥").fill(str((ranking.score[4] + ranking.score[5]) / 2))
        page.get_by_label("score ≥").press("Enter")
        assert read_slider(page) == pytest.approx(at_place(ranking, 5), rel=1e-12, nan_ok=True)
        page.get_by_role("button", name="best F1").click()
        assert page.locator("#threshold-value").input_value() == "0.51"


def test_the_slider_of_a_million_scores(browser: Browser, tmp_path: Path) -> None:
    """The counts are exact; also of weights, and where the positive class comes first."""
    rng = np.random.default_rng(1)
    true = rng.integers(0, 2, 10**6)
    ranking = wf.rank(true, rng.normal(true, 1.5), positive=0)
    weighted = wf.rank([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.3], positive=1, weights=[0.1, 0.7, 0.25, 2])
    for each, places in ((ranking, (1, 123_457, 10**6)), (weighted, (1, 2, 3))):
        data = Slider(best_threshold(each), None)
        path = tmp_path / "slider.html"
        fields = {"title": "x", "subtitle": "x", "sections": [Section("thresholds", "T", [data])]}
        scripts = ["formulas.js", "threshold.js"]
        page_text = rendered("report.html", fields, scripts=scripts, data=data.data)
        path.write_text(page_text, "utf-8")
        with visit(browser, path) as page:
            took = page.evaluate("performance.getEntriesByType('navigation')[0].duration")
            assert took < 3000  # one second on an idle machine
            for at in places:
                page.locator("#threshold").fill(str(len(each.score) - at))
                expected = at_place(each, at)
                assert read_slider(page) == pytest.approx(expected, rel=1e-12, nan_ok=True)


def read_slider(page: Page) -> list[float]:
    """The counts and the scores that the page shows, in full."""
    shown: list[str] = page.evaluate(
        """[...document.querySelectorAll("#at-threshold td.cell, #rates dd")]
           .map((x) => x.dataset.value)"""
    )
    return [float(x.replace("Infinity", "inf")) for x in shown]


def at_place(ranking: wf.Ranking, at: int) -> list[float]:
    """The same from Python, where so many scores are positive."""
    threshold = float(ranking.score[at - 1]) if at else float("inf")
    counts = wf.at_threshold(ranking, threshold=threshold)
    scores = [evaluate(each, counts).value for each in definitions(ranking).values()]
    return [*counts.matrix.ravel().tolist(), *scores]


def test_labels_that_are_markup(browser: Browser, tmp_path: Path) -> None:
    true = np.repeat(np.array(NASTY, object), 4)
    pred = np.roll(true, 1)
    path = tmp_path / "page.html"
    wf.report(true, {"<b>A</b>": pred, '"><script>throw 1</script>': np.roll(true, 2)}).save(path)
    with visit(browser, path) as page:
        assert page.locator("script").count() == 2
        assert page.locator("main b, main img, main script:not([type])").count() == 0
        assert serious(page) == []
    with visit(browser, path, device="phone") as page:
        assert too_wide(page) == []


def test_it_prints_whole(browser: Browser, pages: dict[str, Path], tmp_path: Path) -> None:
    import subprocess

    with visit(browser, pages["systems"]) as page:
        page.pdf(path=tmp_path / "page.pdf", format="A4")
    printed = subprocess.run(
        ["pdftotext", "-raw", tmp_path / "page.pdf", "-"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    report = wf.report(EXAMPLES / "systems.csv", ["careful", "biased"], true="gold")
    assert "opitz2019macro" in printed
    for _, score in report.scores:
        # signatures are printed too, though the screen folds them
        assert score.signature[:40] in printed.replace("\n", "")


def test_pages_of_many_classes_and_systems(browser: Browser, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    true = rng.integers(0, 20, 2000)
    systems = {
        name: np.where(rng.random(2000) < share, true, rng.integers(0, 20, 2000))
        for name, share in (("a", 0.7), ("b", 0.72), ("c", 0.6))
    }
    small, large = tmp_path / "small.html", tmp_path / "large.html"
    wf.report(true, systems).save(small)
    assert small.stat().st_size < 10**6
    many = rng.integers(0, 500, 50_000)
    near = (many + rng.integers(-4, 5, len(many))) % 500
    wf.report(many, np.where(rng.random(len(many)) < 0.6, many, near)).save(large)
    for path in (small, large):
        with visit(browser, path) as page:
            assert page.evaluate(OVERLAPS) == []
            took = page.evaluate("performance.getEntriesByType('navigation')[0].duration")
            assert took < 3000  # one second on an idle machine
    assert large.stat().st_size < 2 * 10**6


def test_equal_reports_give_equal_pages(pages: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "again.html"
    wf.report(EXAMPLES / "animals.csv").save(path)
    assert path.read_bytes() == pages["animals"].read_bytes()
    assert b"\r" not in path.read_bytes()


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path, run: Run) -> None:
    report = wf.report(["a", "b", "b"], ["a", "b", "a"])
    for path in ("report.pdf", tmp_path / "none" / "x.html", tmp_path, 3):
        with pytest.raises(FileError):
            report.save(path)
    assert [*tmp_path.iterdir()] == []
    old = tmp_path / "old.html"
    old.write_text("old")
    code, _, err = run("report", EXAMPLES / "spam.csv", "--score", "nothing", "-o", old)
    assert code == 2 and "nothing" in err and old.read_text() == "old"
    code, _, err = run("report", EXAMPLES / "animals.csv")
    assert code == 2 and "-o" in err
    report.save(old)
    assert old.read_text().startswith("<!doctype html>")
    if os.geteuid():
        old.chmod(0o400)
        tmp_path.chmod(0o500)
        with pytest.raises(FileError):
            report.save(old)


def test_data_that_has_nothing_to_show(tmp_path: Path) -> None:
    for scores in ([0.1, float("nan"), 0.3], [0.1, float("inf"), 0.3]):
        with pytest.raises(WhichF1Error, match=r"nan|NaN|inf|finite"):
            wf.report([0, 1, 1], scores=scores).save(tmp_path / "x.html")
    with pytest.raises(WhichF1Error):
        wf.report([], []).save(tmp_path / "x.html")
    assert [*tmp_path.iterdir()] == []
    wf.report(["a", "a"], ["a", "a"]).save(tmp_path / "one.html")
    text = (tmp_path / "one.html").read_text()
    assert "1.0000" in text and 'id="pictures"' not in text


def test_saved_tables(tmp_path: Path, run: Run) -> None:
    counts = wf.count(EXAMPLES / "animals.csv")
    counts.save(tmp_path / "counts.json")
    out = tmp_path / "page.html"
    assert run("report", tmp_path / "counts.json", "-o", out) == (0, "", "")
    assert f"{wf.averaged_f1(counts).value:.4f}" in out.read_text()
    ranking: Any = wf.rank([0, 0, 1, 1], [0.1, 0.6, 0.5, 0.9])
    wf.report(ranking).save(out)
    assert 'id="thresholds"' in out.read_text()
