"""The playground, given what it should not be given, and used by everyone."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from tests.helpers.browser import serious, too_wide, visit
from tests.helpers.commands import Run
from tests.helpers.playground import (
    NAMES,
    cell,
    go,
    link,
    matrix,
    paste,
    run_python,
    some_matrices,
)
from whichf1.reporting.escape import visible
from whichf1.reporting.pages.shell import FOLDER

pytestmark = pytest.mark.xdist_group("playground")


# what is pasted

GOOD = {
    "tabs": "5\t10\n5\t10",
    "commas, carriage returns": "5,10\r\n5,10\r\n",
    "spaces": "  5 10\n\n 5   10 ",
    "semicolons": "5; 10\n5; 10",
    "Python": "[[5, 10], [5, 10]]",
    "NumPy": "[[ 5 10]\n [ 5 10]]",
    "Markdown": "| 5 | 10 |\n| 5 | 10 |",
    "names": "\tx\ty\nx\t5\t10\ny\t5\t10",
    "names with a corner": "true,x,y\nx,5,10\ny,5,10",
    "names above": "x y\n5 10\n5 10",
    "names before": "x 5 10\ny 5 10",
    "names without a corner": "x y\nx 5 10\ny 5 10",
    "numbers as names": "\t0\t1\n0\t5\t10\n1\t5\t10",
    "columns in another order": "\ty\tx\nx\t10\t5\ny\t10\t5",
    "thousands and floats": "5.0\t1e1\n5\t10",
    "a mark of bytes": "\ufeff5\t10\n5\t10",
}
BAD = {
    "nothing": ("", "nothing to read"),
    "words": ("lorem ipsum\ndolor sit", "not a number|1 rows"),
    "a negative count": ("5 10\n-3 10", "Row 2, column 1: -3 is negative"),
    "a true minus": ("5 10\n−3 10", "negative"),
    "a share": ("0.5 0.5\n0.1 0.9", "not a whole number"),
    "not square": ("1 2 3\n4 5 6", "2 rows and 3 columns"),
    "ragged": ("1 2\n3", "Row 2 has 1"),
    "one class": ("5", "2 to 8 classes; these are 1"),
    "nine classes": ("\n".join([" ".join("1" * 9)] * 9), "these are 9"),
    "too many items": ("99999999999999999999 1\n1 1", "cannot count"),
    "too many in all": ("9007199254740991 1\n1 1", "cannot count"),
    "NaN": ("1 nan\n1 1", "not a number|names above"),
    "a name twice": ("x\t5\t10\nx\t5\t10", "both called"),
    "no name": ("x\t5\t10\n\t5\t10", "no name|not a number"),
    "other columns": ("\tx\tz\nx\t5\t10\ny\t5\t10", "“y” and no such column"),
    "totals": ("\tx\ty\tTotal\nx\t5\t10\t15\ny\t5\t10\t15\nTotal\t10\t20\t30", "totals"),
    "a long name": (f"{'w' * 1000}\t5\t10\ny\t5\t10", "1,000 characters"),
    "markup": ("<img src=x onerror=alert(1)>\t1\n2\t3", "1 row and 2 columns"),
}  # fmt: skip


def test_what_can_be_pasted(page: Page) -> None:
    for name, text in GOOD.items():
        page.get_by_role("button", name="Table 3").click()
        paste(page, text)
        assert matrix(page) == [[5, 10], [5, 10]], name
        assert page.locator("#wrong").is_hidden()
        assert page.locator("#pasted").input_value() == ""
        names = [x.input_value() for x in page.locator("#matrix .name").all()]
        named = "01" if name.startswith("numbers") else "xy" if "x" in text else "ab"
        assert names == [*named], name
    paste(page, GOOD["names"], "predicted")
    assert matrix(page) == [[5, 5], [10, 10]]
    page.evaluate(
        """(text) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", text);
            document.querySelector("#matrix .count").dispatchEvent(
                new ClipboardEvent("paste", {clipboardData, bubbles: true, cancelable: true}));
        }""",
        "1\t2\t3\n4\t5\t6\n7\t8\t9",
    )
    assert matrix(page) == [[1, 2, 3], [4, 5, 6], [7, 8, 9]]


def test_what_cannot_be_pasted_is_said_and_changes_nothing(page: Page) -> None:
    before = matrix(page)
    for name, (text, message) in BAD.items():
        paste(page, text)
        said = page.get_by_role("alert").text_content() or ""
        assert re.search(message, said), (name, said)
        assert page.locator("#wrong").is_visible()
        assert len(said) < 300
        assert matrix(page) == before
        assert page.locator("#pasted").input_value() == text  # to be corrected
    assert page.locator("#undo").is_disabled()
    paste(page, "1 2\n3 4")
    assert page.locator("#wrong").is_hidden()


def test_what_cannot_be_typed(page: Page) -> None:
    for text, message in (("-3", "negative"), ("1.5", "whole"), ("abc", "“abc” is not"),
                          ("9007199254740993", "cannot count")):  # fmt: skip
        cell(page, 0, 1).fill(text)
        assert message in (page.get_by_role("alert").text_content() or "")
        assert cell(page, 0, 1).get_attribute("aria-invalid") == "true"
        cell(page, 1, 1).focus()
        assert cell(page, 0, 1).input_value() == "20"  # as before
        assert cell(page, 0, 1).get_attribute("aria-invalid") is None
    for text, message in (("", "no name"), ("b", "both called"), ("w" * 250, "at most 200")):
        page.fill('#matrix .name[data-name="0"]', text)
        page.press('#matrix .name[data-name="0"]', "Tab")
        assert message in (page.get_by_role("alert").text_content() or "")
        assert page.locator('#matrix .name[data-name="0"]').input_value() == "a"
    page.get_by_role("button", name="Table 1").click()
    for i in range(2):
        for j in range(2):
            cell(page, i, j).fill("0")
    assert "no items" in (page.get_by_role("alert").text_content() or "")
    assert page.locator(".results").is_hidden()
    cell(page, 0, 1).fill("3")
    assert page.locator(".results").is_visible()


BROKEN = (
    "v=2&m=1.2_3.4",
    "v=1&m=1.2_3",
    "v=1&m=1.2_3.x",
    "v=1&m=1.-2_3.4",
    "v=1&m=" + "_".join([".".join("1" * 9)] * 9),
    "v=1&m=1.2_3.4&c=a&c=a",
    "v=1&m=1.2_3.4&c=a",
    "v=1&m=1.2_3.4&c=a&c=" + "w" * 999,
    "v=1&m=1.2_3.4&shares=500.400",
    "v=1&m=1.2_0.0&shares=500.500",
    "v=1&m=1.2_3.4&classes=constructor",
    "v=1&m=1.2_3.4&undefined=2",
    "%E0%A4%A&&&==",
    "<img src=x onerror=alert(1)>",
    "__proto__=1",
)


def test_a_broken_link_is_said(browser: Browser, playground_file: Path, page: Page) -> None:
    before = matrix(page)
    for text in BROKEN:
        page.evaluate("(state) => { location.hash = state; }", text)
        page.get_by_role("alert").get_by_text("This link cannot be opened").wait_for()
        assert matrix(page) == before
        page.get_by_role("button", name="Four classes").click()
        assert page.locator("#wrong").is_hidden()
    with visit(browser, playground_file, at="v=1&m=1") as other:
        assert "cannot be opened" in (other.get_by_role("alert").text_content() or "")
        assert matrix(other) == before
        assert other.locator("#averaged-value").is_visible()


NASTY = (
    "<script>document.title = 'run'</script>",
    "</script><script>throw 1</script>",
    '<img src=x onerror="throw 2">',
    "\"'><b onclick='throw 3'>b</b>",
    "${alert(1)}{{7*7}}",
    "a\u202eb\u2066c\x07",
    "__proto__",
    "constructor",
)


def test_nothing_of_a_name_becomes_markup(page: Page) -> None:
    title, scripts = page.title(), page.locator("script").count()
    paste(page, "\n".join("\t".join([name, *"12345678"]) for name in NASTY))
    for at, name in enumerate(NASTY):
        assert page.locator(f'#matrix .name[data-name="{at}"]').input_value() == name
    for each in page.locator("#rates thead th, #terms th, #matrix thead th").all():
        assert each.inner_html().count("<") == 0
    heads = page.locator("#matrix thead th").all_text_contents()[:-1]
    assert [head.rstrip("…") for head in heads] == [
        visible(name)[:24] if len(visible(name)) <= 24 else visible(name)[:23] for name in NASTY
    ]
    assert "\u202e" not in (page.locator("#python").text_content() or "")
    space = run_python(page)
    assert space["labels"] == [*NASTY]
    assert page.title() == title
    assert page.locator("script").count() == scripts
    assert page.locator("img, b[onclick]").count() == 0
    for file in FOLDER.glob("*.js"):
        source = file.read_text("utf-8")
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|new Function", source
        )


# everyone can use it


def test_the_keyboard_reaches_every_control(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.get_by_role("button", name="Extremal family").click()
    wanted = page.evaluate(
        """() => {
            const all = document.querySelectorAll(
                "button, input, select, textarea, summary, a[href], [tabindex]");
            const usable = [...all].filter((x) => !x.disabled && x.checkVisibility());
            usable.forEach((x, at) => { x.dataset.order = at; });
            document.body.tabIndex = -1; document.body.focus();
            return usable.length;
        }"""
    )
    reached = []
    for _ in range(wanted):
        page.keyboard.press("Tab")
        reached.append(int(page.evaluate("document.activeElement.dataset.order ?? -1")))
    assert reached == [*range(wanted)]
    assert wanted > 40


@pytest.mark.long
def test_axe_finds_nothing_serious(browser: Browser, playground_file: Path) -> None:
    wide = link(np.arange(64).reshape(8, 8), shares=".".join(["125"] * 8), undefined="1")
    with visit(browser, playground_file, at=wide) as page:
        page.evaluate("document.querySelectorAll('details').forEach((x) => { x.open = true; })")
        page.fill("#pasted", "1")
        page.click("#use")
        assert serious(page) == []
    with visit(browser, playground_file, device="phone", dark=True) as page:
        assert serious(page) == []
        go(page, wide)
        assert too_wide(page) == []


def test_no_names_cover_each_other_in_the_plane(page: Page) -> None:
    for table in some_matrices(8, 30):
        names = [f"{name} of many words" if at % 2 else name for at, name in enumerate(NAMES)]
        go(page, link(table, [name.replace(" ", "+") for name in names[: len(table)]]))
        overlaps = page.evaluate(
            """() => {
                const texts = [...document.querySelectorAll("#plane svg text")];
                const boxes = texts.map((x) => x.getBoundingClientRect());
                return boxes.flatMap((a, i) => boxes.slice(0, i).flatMap((b, j) =>
                    a.left < b.right - 1 && b.left < a.right - 1
                        && a.top < b.bottom - 4 && b.top < a.bottom - 4
                        ? [texts[i].textContent, texts[j].textContent] : []));
            }"""
        )
        assert overlaps == []


def test_the_command(run: Run, tmp_path: Path, playground_file: Path) -> None:
    file = tmp_path / "page.html"
    code, out, err = run("playground", "-o", str(file))
    assert (code, out, err) == (0, "", "")
    assert file.read_bytes() == playground_file.read_bytes()
    assert file.stat().st_size < 300_000
    code, _, err = run("playground")
    assert (code, "-o" in err) == (2, True)
    code, _, err = run("playground", "-o", str(tmp_path / "none" / "page.html"))
    assert (code, "cannot write" in err) == (2, True)
    assert [*tmp_path.iterdir()] == [file]
