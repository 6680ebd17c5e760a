"""Everything that is shown, at every width and size: nothing is cut, and no line is too long."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers.commands import Run
from whichf1.reporting.comparison import comparison_document
from whichf1.reporting.document import (
    PLAIN,
    Document,
    Grid,
    Terminal,
    _body,
    signed,
    text_lines,
)
from whichf1.reporting.layout import BAR, bars, cell_width
from whichf1.reporting.slices import slice_document
from whichf1.scoring.evaluate import evaluate

WIDTHS = (60, 80, 100, 120, 200)
SYSTEMS, CLASSES = (2, 5, 12), (2, 20, 500)
STYLES = {
    "plain": "class {}",
    "long": "a label of sixty characters, as some taxonomies have them {:03}",
    "wide": "日本語のラベル{}",
    "emoji": "👩‍👩‍👧 {} 🇩🇪",
}


def items(systems: int, classes: int, style: str) -> tuple[pd.DataFrame, list[str]]:
    """Systems of rising quality on 40 slices."""
    rng = np.random.default_rng(systems * classes)
    n = max(400, 2 * classes)
    gold = np.arange(n) % classes
    labels = np.array([STYLES[style].format(at) for at in range(classes)], object)
    names = [STYLES[style].format(f"S{at:02}" if style != "long" else at) for at in range(systems)]
    frame = pd.DataFrame({"gold": labels[gold], "slice": [f"part {x % 40}" for x in range(n)]})
    for at, name in enumerate(names):
        right = rng.random(n) < 0.5 + 0.4 * at / systems
        frame[name] = labels[np.where(right, gold, rng.integers(0, classes, n))]
    return frame, names


def documents(systems: int, classes: int, style: str) -> Iterator[Document]:
    """A report, a comparison, results tables with and without blocks, and slices."""
    frame, names = items(systems, classes, style)
    yield wf.report(frame, true="gold", pred=names[0]).document()
    few = ["averaged_f1", "f1_of_averages", "accuracy", "mcc"]
    shown: Any
    for shown in ("value", "interval", "error"):
        table = wf.results_table(frame, names, few, true="gold", show=shown, baseline=names[0])
        yield table.document()
    if classes == 500:
        return  # the rest takes long, and looks as with 20
    yield comparison_document(wf.compare(frame, names, true="gold", replicates=0), "file.csv")
    yield wf.results_table(frame, names[:5], few[2:], true="gold", by="slice").document()
    slices = wf.count_by(frame, by="slice", true="gold", pred=names[0])
    parts = {key: (lambda d, part=part: evaluate(d, part)) for key, part in slices.items()}
    named = [("accuracy", wf.Definition.parse("accuracy|interval:auto|v:1"))]
    yield slice_document("f", ["slice"], named, lambda d: evaluate(d, slices.whole), parts)


def squeezed(text: str) -> str:
    return re.sub(r"\s", "", text)


def check(document: Document, width: int, bars_too: bool) -> None:
    lines = [x.text for x in text_lines(document, 4, Terminal(width, bars=bars_too))]
    assert max(map(cell_width, lines)) <= width
    every, together = re.sub(" +", " ", "\n".join(lines)), squeezed("".join(lines))
    for block in document.blocks:
        if not isinstance(block, Grid) or block.if_it_fits:
            continue
        for row in _body(block, 4, PLAIN, block.most):
            for column, shown in zip(block.columns, row, strict=True):
                cell = re.sub(" +", " ", shown)  # values and intervals are aligned apart
                if column.kind in ("number", "interval"):
                    assert cell in every, (column.name, cell)  # in one piece
                elif cell_width(cell) <= width - 4 and column.kind == "text":
                    assert cell in every
                elif column.kind == "prose":
                    assert all(word in every for word in cell.split() if cell_width(word) < 24)
                else:
                    assert squeezed(cell)[:20] in together


@pytest.mark.slow
@pytest.mark.parametrize(("systems", "classes"), [*product(SYSTEMS, CLASSES)])
def test_no_cell_is_cut(systems: int, classes: int) -> None:
    style = [*STYLES][(SYSTEMS.index(systems) + 2 * CLASSES.index(classes)) % len(STYLES)]
    for document in documents(systems, classes, style):
        for form in ("short", "none"):
            for width in WIDTHS:
                check(signed(document, form), width, bars_too=form == "none")


@pytest.mark.parametrize("style", STYLES)
def test_no_label_is_cut(style: str) -> None:
    for document in documents(2, 5, style):
        for width in WIDTHS:
            check(document, width, bars_too=True)


ENDS = st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted).map(tuple)


@given(st.lists(st.tuples(st.floats(0, 1), ENDS | st.none()), min_size=2, max_size=6))
def test_a_bar_shows_where_its_value_and_its_ends_are(rows: Any) -> None:
    drawn = bars(rows)
    every = [x for _, ends in rows if ends is not None for x in ends]
    if drawn is None:
        assert len(every) < 4 or max(every) == min(every)
        return
    head, texts = drawn
    assert len(head) == BAR and len(texts) == len(rows)
    low, high = min(every), max(every)
    for (value, ends), text in zip(rows, texts, strict=True):
        assert len(text) <= BAR and {*text} <= {*" ├─┤●"}
        if low <= value <= high:
            at = (value - low) / (high - low) * (BAR - 1)
            assert abs(text.index("●") - at) <= 0.5 + 1e-9
        if ends is not None and "├" in text:
            assert abs(text.index("├") - (ends[0] - low) / (high - low) * (BAR - 1)) <= 0.5 + 1e-9


def test_bars_are_for_terminals_with_room_and_numbers_of_one_kind(run: Run) -> None:
    wide = {"COLUMNS": "120", "FORCE_COLOR": "1", "TERM": "xterm"}
    animals = ("score", "examples/animals.csv")
    assert "├" in run(*animals, **wide)[1]
    assert "├" not in run(*animals, COLUMNS="120")[1]  # a pipe
    assert "├" not in run(*animals, **{**wide, "COLUMNS": "80"})[1]  # no room
    assert "├" not in run(*animals, "--interval", "none", **wide)[1]
    assert bars([(1.0, (0.5, 1.5)), (9.0, (7.0, 12.0))]) is None
    pair = bars([(-0.1, (-0.3, 0.1)), (math.nan, None), (0.2, (0.1, 0.3))])
    assert pair is not None and pair[1][1].strip() == "┊" and "┊" in pair[1][2]


def test_symbols_degrade_and_stay_aligned(run: Run) -> None:
    ascii_only = Terminal(80, bars=True, plain=True)
    table = wf.results_table(
        "examples/systems.csv", ["careful", "biased", "weak"], ["mcc", "accuracy"], true="gold"
    )
    lines = [line.text for line in text_lines(table.document(), 4, ascii_only)]
    assert "careful  0.645 (1)   0.767 (1)" in lines
    assert any(line.startswith("(1) best, (2) second best.") for line in lines)
