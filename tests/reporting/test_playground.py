"""The playground in a browser: what it shows is what Python computes, whatever is typed."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import isclose
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

import whichf1 as wf
from tests.helpers.browser import visit
from tests.helpers.matrices import margins, random_matrices
from tests.helpers.playground import (
    NAMES,
    cell,
    go,
    link,
    matrix,
    number,
    run_python,
    same,
    some_matrices,
)
from whichf1.definitions.definition import Frozen
from whichf1.metrics import METRICS
from whichf1.paper.examples import examples
from whichf1.reporting.pages.playground import CLASS_SETS, SCOPES, UNDEFINED
from whichf1.scoring.macro import extremal
from whichf1.tables.cells import Array, every_class
from whichf1.tables.counts import Counts
from whichf1.tables.labels import Labels

pytestmark = pytest.mark.xdist_group("playground")


# numbers


READ = """(pasted) => pasted.map((text) => {
    document.getElementById("pasted").value = text;
    document.getElementById("use").click();
    const all = (where) => [...document.querySelectorAll(where)].map((x) => x.dataset.value);
    return [all("#averaged-value, #of-averages-value, #gap-value, #supremum"),
        all("#terms td[data-value]"), all("#rates td[data-value]"), all("#whole td[data-value]")];
})"""


EDITS = {7: 50, 2: 300, 3: 250, 5: 100, 4: 200, 6: 50, 8: 50}
"""How many tables of each number of classes are typed: a thousand in all."""


@pytest.mark.thinned(3)
@pytest.mark.parametrize("k", EDITS)
def test_a_thousand_edits_give_pythons_numbers(k: int, page: Page) -> None:
    rates, many = shown_rates(), EDITS[k]
    tables = random_matrices(np.random.default_rng(k), many, k)
    answers: list[list[list[str]]] = page.evaluate(READ, [*map(text_of, tables)])
    frozen = Frozen(None, every_class(k), Labels(range(k)))
    values = [each.values(frozen, margins(tables)).reshape(many, -1) for each in rates]
    whole = [each.values(frozen, margins(tables))[:, None] for each in SHOWN_WHOLE]
    assert len(answers) == many
    for at, (table, answer) in enumerate(zip(tables, answers, strict=True)):
        m = wf.macro_f1(Counts.from_matrix(table, rows="true"))
        expected: list[Any] = [
            [m.averaged.value, m.of_averages.value, m.gap, m.supremum],
            np.column_stack([m.terms, m.contributions]).ravel(),
            np.concatenate([x[at] for x in values]),
            np.concatenate([x[at] for x in whole]),
        ]
        for shown, numbers in zip(answer, expected, strict=True):
            close = np.isclose(np.array(shown, float), numbers, 1e-12, 1e-12, equal_nan=True)
            assert close.all(), table.tolist()


def text_of(table: Array) -> str:
    return "\n".join("\t".join(map(str, row)) for row in table.tolist())


def shown_rates() -> list[wf.Definition]:
    """The rates in the order of the page, each class by class, then its means."""
    every = []
    for metric in METRICS.values():
        if metric.kind != "rate":
            continue
        for parameters in [(("beta", 0.5),), (("beta", 2),)] if metric.name == "f_beta" else [()]:
            given: dict[str, Any] = {"metric": metric.name, "parameters": parameters}
            means: tuple[Any, ...] = ("macro", "weighted", "micro")
            every += [wf.Definition(**given, average=mean) for mean in (None, *means)]
            if metric.harmonic:
                every += [
                    wf.Definition(**given, average=mean, formula="of-averages")
                    for mean in means[:2]
                ]
    return every


SHOWN_WHOLE = [
    wf.Definition.parse(text)
    for text in (
        "accuracy",
        "error_rate",
        "cohen_kappa(weighting=none)",
        "cohen_kappa(weighting=linear)",
        "cohen_kappa(weighting=quadratic)",
        "scott_pi(weighting=none)",
        "scott_pi(weighting=linear)",
        "scott_pi(weighting=quadratic)",
        "fleiss_kappa(weighting=none)",
        "fleiss_kappa(weighting=linear)",
        "fleiss_kappa(weighting=quadratic)",
        "brennan_prediger(weighting=none)",
        "brennan_prediger(weighting=linear)",
        "brennan_prediger(weighting=quadratic)",
        "adjusted_balanced_accuracy",
        "mcc",
    )
]


def test_what_libraries_print(page: Page) -> None:
    rng = np.random.default_rng(6)
    for table in some_matrices(6, 40):
        names = [*rng.permutation(NAMES)][: len(table)]
        go(page, link(table, names))
        shown = page.evaluate(
            """() => [[...document.querySelectorAll("#dialects tbody tr")].map((row) =>
                [row.dataset.names, row.cells[0].dataset.value]),
                document.querySelectorAll("#absent li").length]"""
        )
        expected = wf.dialects.table(Counts.from_matrix(table, rows="true", labels=names))
        assert [text.split() for text, _ in shown[0]] == [[*x.names] for x in expected.groups]
        for (_, value), group in zip(shown[0], expected.groups, strict=True):
            assert same(float(value), group.value)
        assert shown[1] == len(expected.absent)
        assert len({name for text, _ in shown[0] for name in text.split()}) > 20


@pytest.mark.long
def test_python_code_gives_the_same_numbers(page: Page) -> None:
    """Under every rule and class set, at other class shares, and with names that need care."""
    odd = ['say "hi"', "back\\slash", "中文", "a\u202eb", "line\u2028end", "🙂", "{x}", "'''"]
    for at, table in enumerate(some_matrices(7, 12)):
        undefined, scope, classes = UNDEFINED[at % 4], SCOPES[at % 3], CLASS_SETS[at // 4]
        page.evaluate("document.getElementById('as-counted').click()")
        go(page, link(table, NAMES[: len(table)]))
        for name, value in (("undefined", undefined), ("scope", scope), ("classes", classes)):
            if page.locator(f"#{name}").is_enabled():
                page.select_option(f"#{name}", str(value))
        for i in range(2):
            page.fill(f'#matrix .name[data-name="{i}"]', odd[(at + i) % len(odd)])
            page.press(f'#matrix .name[data-name="{i}"]', "Enter")
        full = np.flatnonzero(table.sum(1))
        if len(full) > 1:
            page.fill(f"#share-{full[0]}", str(50 * (at % 20) + 25))
        space = run_python(page)
        values = [page.locator("#averaged-value"), page.locator("#of-averages-value")]
        values += page.locator("#whole td[data-value]").all()
        expected = [*space["scores"].values()]
        for found, score in zip(values, expected[:2] + expected[4:], strict=True):
            assert same(number(found), score), (found, score)
        shown = page.locator("#whole code").all_text_contents()
        assert shown == space["signatures"][4:]
        if "m" in space and page.locator("#why").is_visible():
            assert same(number(page.locator("#gap-value")), space["m"].gap)
        if "shifted" in space:
            shifted = page.locator("#shifts td.value").all()[: len(SHOWN_WHOLE)]
            for found, text in zip(shifted, space["signatures"][4:], strict=True):
                assert same(number(found), wf.Definition.parse(text)(space["shifted"]).value)


def test_class_shares_leave_recall_as_it_is(page: Page) -> None:
    go(page, link([[80, 20, 0], [5, 40, 25], [0, 0, 0]]))
    assert page.locator("#share-2").is_disabled()
    page.fill("#share-0", "250")
    assert page.locator("#share-1").input_value() == "750"
    rows = {
        row.locator("th").text_content(): [number(x) for x in row.locator("td[data-value]").all()]
        for row in page.locator("#shifts tbody tr").all()
    }
    before, after = rows["macro recall"]
    assert same(before, after)
    before, after = rows["macro precision"]
    assert not isclose(before, after)
    before, after = rows["averaged F1"]
    assert number(page.locator("#averaged-value")) == before != after  # as counted
    page.click("#undo")
    assert page.locator("#shifts").is_hidden()
    page.fill("#share-0", "1000")
    page.click("#as-counted")
    assert page.locator("#shifts").is_hidden()


# controls


def test_cells_are_typed_nudged_and_dragged(page: Page) -> None:
    first = cell(page, 0, 0)
    for key, value in (("ArrowUp", 81), ("ArrowDown", 80), ("Shift+ArrowUp", 90),
                       ("PageUp", 190), ("Shift+PageDown", 0), ("ArrowDown", 0)):  # fmt: skip
        first.press(key)
        assert matrix(page)[0][0] == value
    first.fill("1,234")
    assert matrix(page)[0][0] == 1234
    first.press("Enter")
    assert page.evaluate("document.activeElement.dataset.row") == "1"
    box = cell(page, 1, 1).bounding_box()
    assert box is not None
    x, y = box["x"] + 10, box["y"] + 10
    page.mouse.move(x, y)
    page.mouse.down()
    for by in (10, 40, 61):
        page.mouse.move(x + by, y)
    page.mouse.up()
    assert matrix(page)[1][1] == 50
    page.click("#undo")  # a drag is one step
    assert matrix(page)[1][1] == 40
    page.click("#redo")
    assert matrix(page)[1][1] == 50
    box = cell(page, 1, 1).bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 5, box["y"] + 5)  # no drag: it is typed into
    page.keyboard.type("7")
    assert matrix(page)[1][1] == 7


def test_undo_and_redo_go_all_the_way(page: Page) -> None:
    states = [matrix(page)]
    acts: list[Callable[[], object]] = [
        lambda: page.get_by_role("button", name="Table 3").click(),
        lambda: page.click("#add"),
        lambda: page.click("#transpose"),
        lambda: cell(page, 2, 2).fill("5"),
        lambda: page.get_by_role("button", name="Remove class a").click(),
    ]
    for act in acts:
        act()
        states.append(matrix(page))
    assert len({json.dumps(state) for state in states}) == len(states)
    for state in states[-2::-1]:
        page.keyboard.press("Control+z")
        assert matrix(page) == state
    assert page.locator("#undo").is_disabled()
    for state in states[1:]:
        page.keyboard.press("Control+Shift+Z")
        assert matrix(page) == state
    assert page.locator("#redo").is_disabled()


def test_classes_are_added_renamed_and_removed(page: Page) -> None:
    for _ in range(4):
        page.click("#add")
    assert len(matrix(page)) == 8
    assert page.locator("#add").is_disabled()
    page.fill('#matrix .name[data-name="1"]', "O")
    page.press('#matrix .name[data-name="1"]', "Enter")
    assert "leaves class 'O' out" in (page.locator("#dialects").text_content() or "")
    for _ in range(6):
        page.locator("#matrix .remove").first.click()
    assert len(matrix(page)) == 2
    assert page.locator("#matrix .remove:visible").count() == 0


def test_the_paper_is_there(page: Page) -> None:
    for example in examples():
        page.get_by_role("button", name=example.name).click()
        assert matrix(page) == example.counts.matrix.tolist()
        m = wf.macro_f1(example.counts)
        assert same(number(page.locator("#gap-value")), m.gap)
        assert page.locator("#note").text_content() == example.note
    page.get_by_role("button", name="Extremal family").click()
    for n in (2, 5, 8):
        page.select_option("#z-classes", str(n))
        for at in range(0, 61, 6):
            page.fill("#z", str(at))
            z = int((page.locator("#z-shown").text_content() or "").replace(",", ""))
            assert matrix(page) == extremal(n, z).matrix.tolist()
        assert z == 100_000
        assert number(page.locator("#gap-value")) > number(page.locator("#supremum")) - 1e-4
    cell(page, 0, 0).press("ArrowUp")
    assert page.locator("#family").is_hidden()


def test_each_no_puts_its_tables_into_the_matrix(page: Page) -> None:
    page.get_by_role("button", name="no: show why MCC is not monotone").click()
    found = wf.properties("mcc")["monotone"]
    shown = page.locator("#whole tbody tr").last.locator("td[data-value]")
    assert found.before is not None and found.after is not None and found.scores is not None
    assert matrix(page) == [[*row] for row in found.after]
    assert same(number(shown), found.scores[1])
    page.keyboard.press("Control+z")
    assert matrix(page) == [[*row] for row in found.before]
    assert same(number(shown), found.scores[0])
    assert "0.5000 on one matrix and 0.4725" in (page.locator("#why-not").text_content() or "")
    assert page.locator("#properties tbody tr").count() == 9


def test_a_link_carries_the_state(browser: Browser, playground_file: Path, page: Page) -> None:
    page.get_by_role("button", name="Table 2").click()
    page.fill('#matrix .name[data-name="1"]', "ü & <b>, 中文=#%")
    page.press('#matrix .name[data-name="1"]', "Enter")
    page.select_option("#undefined", "1")
    page.select_option("#scope", "no-hits")
    page.select_option("#classes", "true")
    page.fill("#share-0", "123")
    # the address follows in a moment, and the new scores are said then
    page.wait_for_function("() => location.href === document.getElementById('link').textContent")
    page.get_by_role("button", name="Copy link").click()
    page.get_by_role("status").get_by_text("copied").wait_for(state="attached")
    address = page.evaluate("navigator.clipboard.readText()")
    page.wait_for_function("(address) => location.href === address", arg=address)
    with visit(browser, playground_file, at=address.partition("#")[2]) as other:
        for each in ("#averaged-value", "#matrix", "#shifts", "#python", "#link"):
            assert other.locator(each).inner_html() == page.locator(each).inner_html()
        assert other.locator('#matrix .name[data-name="1"]').input_value() == "ü & <b>, 中文=#%"
        assert other.locator("#undo").is_disabled()


def test_copy_buttons_copy(page: Page) -> None:
    for name, source in (("Copy Python code", "#python"), ("Copy link", "#link"),
                         ("Copy signature of averaged F1", "#averaged"),
                         ("Copy signature of F1 of averages", "#of-averages")):  # fmt: skip
        button = page.get_by_role("button", name=name)
        usual = button.text_content()
        button.click()
        button.get_by_text("copied").wait_for()
        assert (
            page.evaluate("navigator.clipboard.readText()") == page.locator(source).text_content()
        )
    assert usual is not None
    button.get_by_text(usual, exact=True).wait_for()
