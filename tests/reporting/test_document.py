"""The one renderer: every format says the same, and no data are treated as markup."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
import unicodedata
from typing import Any

import pytest

from whichf1.reporting.document import (
    Cell,
    Document,
    Grid,
    GridColumn,
    Note,
    Signature,
    Standing,
    render,
)
from whichf1.reporting.escape import csv_cell, latex, visible
from whichf1.reporting.numbers import items, signed
from whichf1.statistics.scales import Interval

COLUMNS = (
    GridColumn("name"),
    GridColumn("value", "number"),
    GridColumn("gap", "number", signed),
    GridColumn("interval", "interval", optional=True),
    GridColumn("n", "number", items),
    GridColumn("signature", "code"),
)
ROWS: list[list[Cell]] = [
    ["a|b", 0.5, -0.125, Interval(0.25, 0.75, 0.95, "delta"), 1200, "f1|v:1"],
    ["日本", math.nan, math.inf, None, 1.5, ""],
]


def document(**changes: Any) -> Document:
    return Document(
        [Grid(COLUMNS, ROWS, **changes), Signature("f1|v:1", "F1"), Note("a − b")],
        lambda: {"rows": ROWS[1][1:2], "pair": (1, math.inf)},
        lambda: [["x"], ["=1"]],
        "title_1",
        ["note *1*"],
    )


def test_text_aligns_numbers_to_the_right_and_names_to_the_left() -> None:
    assert render(document(), "text", 2).splitlines() == [
        "title_1",
        "",
        "name      value  gap                      n  signature",
        "a|b        0.50     -0.12 [.25, .75]  1,200  f1|v:1",
        "日本  undefined  infinite –             1.5",
        "F1: f1|v:1",
        "a − b",
        "",
        "note *1*",
    ]


def test_text_may_stack_rows_and_show_only_some() -> None:
    assert render(document(stacked=True, most=1, unit="systems"), "text", 1).splitlines()[:6] == [
        "title_1",
        "",
        "a|b  0.5",
        "    -0.1 [.2, .8]",
        "    1,200",
        "    f1|v:1",
    ]
    assert "… and 1 more systems: all are in --format csv" in render(
        document(most=1), "text"
    ).replace("rows", "systems")


def test_markdown_escapes_cells_and_aligns_columns() -> None:
    lines = render(document(title="T"), "markdown", 2).splitlines()
    assert lines[:7] == [
        r"title\_1",
        "",
        "**T**",
        "",
        "| name | value | gap | interval | n | signature |",
        "| --- | ---: | ---: | ---: | ---: | --- |",
        r"| a\|b | 0.50 | -0.12 | [0.25, 0.75] | 1,200 | <code>f1&#124;v:1</code> |",
    ]
    assert lines[8:] == ["", "- F1: <code>f1&#124;v:1</code>", "", "a − b", "", r"note \*1\*"]


def test_latex_puts_signatures_below_and_keeps_intervals_beside_their_numbers() -> None:
    out = render(document(sentences=["One.", "Two."]), "latex", 2)
    assert r"\begin{tabular}{lrrrr}" in out
    assert "name & value & gap & interval & n \\\\" in out
    assert r"One. \texttt{f1\textbar{}\allowbreak{}v:\allowbreak{}1}" in out and "Two." not in out
    assert "a $-$ b\\par" in out and "−" not in out
    assert out.count(r"\begin{table}") == out.count(r"\end{table}") == 1
    assert out.count(r"\caption{title\_1.}") == 1


def test_html_escapes_cells_and_names_rows() -> None:
    out = render(document(title="<T>"), "html", 2)
    assert "<caption>&lt;T&gt;</caption>" in out and out.count('<th scope="col">') == 6
    assert '<tr><th scope="row">a|b</th><td>0.50</td>' in out and "<code>f1|v:1</code>" in out


def test_places_and_cautions_are_shown_in_every_format() -> None:
    careful = Interval(0.25, 0.75, 0.95, "delta", caution="few items")
    columns = (GridColumn("a|b"), GridColumn("x", "number"), GridColumn("i", "interval"))
    rows: list[list[Cell]] = [
        ["A_", Standing("0.9", "best", "*"), careful],
        ["B", Standing("0.8", "second"), None],
    ]
    formats = ("text", "markdown", "latex", "html")
    seen = {x: render(Document([Grid(columns, rows)]), x, 2) for x in formats}
    assert "A_   0.9¹*  [.25, .75]!" in seen["text"] and "! A_: few items." in seen["text"]
    assert "| **0.9**<sup>*</sup> | [0.25, 0.75]! |" in seen["markdown"]
    assert r"A\_ & \textbf{0.9}\textsuperscript{{*}} & {[}0.25, 0.75]!" in seen["latex"]
    assert r"\underline{0.8}" in seen["latex"] and "<u>0.8</u>" in seen["html"]


def test_json_has_null_where_a_number_is_not_finite_and_csv_runs_nothing() -> None:
    assert json.loads(render(document(), "json")) == {
        "format": "whichf1.document",
        "version": 1,
        "rows": [None],
        "pair": [1, None],
    }
    assert [*csv.reader(io.StringIO(render(document(), "csv")))] == [["x"], ["'=1"]]


@pytest.mark.parametrize("format", ["text", "markdown", "latex"])
def test_notes_in_every_format(format: str) -> None:
    out = render(Document([Note("name  a_b"), Note("longer name  \x1b")]), format)
    assert "\x1b" not in out and out.index("name") < out.index("longer name")


def _visible_by_definition(text: str) -> str:
    hidden = ("Cc", "Cf", "Cs", "Zl", "Zp", "Zs")
    return "".join(
        c if c == " " or unicodedata.category(c) not in hidden else ascii(c)[1:-1] for c in text
    )


def test_visible_is_its_definition_for_every_character() -> None:
    for start in range(0, sys.maxunicode + 1, 4096):
        text = "".join(map(chr, range(start, min(start + 4096, sys.maxunicode + 1))))
        assert visible(text) == _visible_by_definition(text)


def test_what_we_print_ourselves_is_ascii_in_latex() -> None:
    for character in "–…−∞×≤≥":
        assert latex(character).isascii()


@pytest.mark.parametrize("text", ["=1+1", "＝1+1", "＋1", "－1", "＠SUM(A1)", "  ＝1"])
def test_formulas_are_prefixed_also_where_they_are_full_width(text: str) -> None:
    assert str(csv_cell(text)).startswith("'")
