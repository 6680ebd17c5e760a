"""Tables in lines: at every width nothing is cut, and no word is broken that fits."""

from __future__ import annotations

import csv
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers.commands import NASTY, Run
from tests.helpers.strategies import definitions
from whichf1.definitions.definition import Definition, shorten
from whichf1.definitions.methods import find_method
from whichf1.errors import DefinitionError
from whichf1.reporting.escape import visible
from whichf1.reporting.layout import TextColumn, cell_width, table_lines, wrapped

WIDTHS = (60, 80, 100, 120, 200)
WORDS = st.lists(st.text("abc日本é👩|:", min_size=1, max_size=14), min_size=1, max_size=12)
SENTENCES = WORDS.map(" ".join)


@given(SENTENCES, st.integers(30, 90), st.booleans())
def test_a_text_is_broken_between_words_or_after_bars(text: str, width: int, code: bool) -> None:
    lines = wrapped(text, width, 2, code)
    assert max(map(cell_width, lines)) <= width
    assert re.sub(r"\s", "", "".join(lines)) == re.sub(r"\s", "", text)
    ends = r"\|$" if code else r"(^|\s)\S+$"
    if all(cell_width(word) <= 26 for word in text.split()) and not code:
        assert " ".join(" ".join(lines).split()) == text and re.search(ends, lines[0])
    if code and all(cell_width(part) < 26 for part in text.split("|")):
        assert all(line.endswith("|") for line in lines[:-1])


@given(st.lists(st.text("abc日é👩", min_size=1, max_size=9), min_size=1, max_size=30))
def test_long_code_is_broken_after_commas(names: list[str]) -> None:
    """A list in a signature, such as a hierarchy, has no bars."""
    text = ",".join(names)
    lines = wrapped(text, 40, 2, code=True)
    assert all(line.endswith(",") for line in lines[:-1])
    assert "".join(line.strip() for line in lines) == text


CELLS = {
    "text": st.text("ab日👩-", max_size=60),
    "prose": SENTENCES,
    "code": st.lists(st.text("abc:", min_size=1, max_size=12), min_size=1).map("|".join),
    "number": st.floats(-1, 1).map("{:.4f}".format),
}


@st.composite
def tables(draw: st.DrawFn) -> list[TextColumn]:
    rows = draw(st.integers(1, 4))
    kinds = ["text", *draw(st.lists(st.sampled_from(["text", "prose", "number"]), max_size=14))]
    kinds += draw(st.sampled_from([[], ["code"]]))
    columns = []
    for at, kind in enumerate(kinds):
        cells = draw(st.lists(CELLS[kind], min_size=rows, max_size=rows))
        align = "right" if kind == "number" else "left"
        columns.append(TextColumn(f"h{at}", cells, align, kind))  # type: ignore[arg-type]
    return columns


@given(tables(), st.sampled_from([40, *WIDTHS]), st.integers(1, 2))
def test_a_table_fits_and_holds_every_cell(
    columns: list[TextColumn], width: int, keys: int
) -> None:
    lines = [line.text for line in table_lines(columns, min(keys, len(columns)), width)]
    assert max(map(cell_width, lines), default=0) <= width
    every = "\n".join(lines)
    for column in columns:
        for cell in column.cells:
            if column.kind in ("text", "number") and cell_width(cell) <= width - 2:
                assert cell in every
            else:
                assert not {*cell} - {*every, " "}


@st.composite
def with_intervals(draw: st.DrawFn) -> Definition:
    definition = draw(definitions())
    method = draw(st.sampled_from([None, "delta", "bootstrap", "percentile"]))
    level = draw(st.sampled_from([0.9, 0.95]))
    try:
        return replace(definition, interval=find_method(method, level=level) if method else None)
    except DefinitionError:  # it does not apply
        return definition


@given(st.lists(with_intervals(), min_size=1, max_size=5), st.sampled_from(["", "|n:9|k:2"]))
def test_a_short_signature_joined_with_the_shared_part_is_the_whole(
    several: Sequence[Definition], data: str
) -> None:
    wholes = [f"{each.signature}{data}" for each in several]
    shorts, shared = shorten(wholes)
    for short, whole in zip(shorts, wholes, strict=True):
        text = short
        if short.startswith("*"):
            text = f"{shared}{short[1:]}"
        elif short.endswith("*"):
            text = f"{short}{shared}"
            assert len(short) < len(whole)
        joined, expected = Definition.parse(text), Definition.parse(whole)
        assert joined == expected and sorted(joined.data) == sorted(expected.data)
        if shared:
            with pytest.raises(DefinitionError, match="stands for what is written after the"):
                Definition.parse(short)
    assert len({*shorts}) == len({*wholes})


def test_a_signature_that_was_broken_over_lines_runs() -> None:
    score = wf.averaged_f1([0, 1, 1], [0, 1, 0], interval="delta")
    broken = "\n  ".join(wrapped(score.signature, 40, 2, code=True))
    assert "\n" in broken and Definition.parse(broken)([0, 1, 1], [0, 1, 0]) == score


LABELS = [
    "cat", "日本語のラベル", "👩‍👩‍👧 family", "[bold]x[/bold]", "a_" * 30, "b " * 29 + "end",
    visible(NASTY),
]  # fmt: skip
SYSTEMS = ["first", "[/red]", "システム", "a system with a long name of so many words"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of nasty labels and systems, and one of many classes."""
    where = tmp_path_factory.mktemp("terminal")
    rows = [(LABELS[i % 7], LABELS[(i + i % 3 // 2) % 7], *(LABELS[(i + (i % 5 > x)) % 7]
            for x in range(3))) for i in range(70)]  # fmt: skip
    with open(where / "nasty.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("true", *SYSTEMS), *rows])
    with open(where / "many.csv", "w", newline="", encoding="utf-8") as file:
        lines = [(f"class {i % 500}", f"class {(i + i % 3) % 500}") for i in range(2000)]
        csv.writer(file).writerows([("true", "pred"), *lines])
    return where


def commands(folder: Path) -> list[list[str]]:
    nasty = str(folder / "nasty.csv")
    systems = [word for name in SYSTEMS for word in ("--pred", name)]
    return [
        ["score", nasty, "--pred", "first"],
        ["score", nasty, "--pred", "first", "--confusion", "--signature", "full"],
        ["score", nasty, "--pred", "first", "--by", "システム", "-m", "accuracy"],
        ["score", str(folder / "many.csv")],
        ["compare", nasty, "--true", "true", *systems, "--replicates", "0"],
        [
            "compare",
            nasty,
            "--true",
            "true",
            *systems,
            "-m",
            "accuracy",
            "-m",
            "mcc",
            "--by",
            "first",
            "--show",
            "interval",
            "--baseline",
            "first",
        ],
        ["dialects", nasty, "--pred", "first"],
        ["dialects"],
        ["metrics"],
        ["define", "f1_of_averages"],
        ["audit", "examples/results.csv"],
        ["explain", "examples/eight.csv", "--value", "0.35"],
        ["threshold", "examples/spam.csv", "--positive", "spam"],
    ]


PROGRAM = """
import json, sys
from whichf1.cli import main
for command in json.loads(sys.argv[1]):
    sys.argv = ["whichf1", *command]
    try:
        main()
    except SystemExit as end:
        assert end.code == 0, (command, end.code)
"""


def on_a_terminal(width: int, runs: list[list[str]], **environment: str) -> str:
    """What commands write to a terminal of this width."""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    own = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}
    own |= {"TERM": "xterm-256color", **environment}
    command = [sys.executable, "-c", PROGRAM, json.dumps(runs)]
    process = subprocess.Popen(command, stdout=child, stderr=subprocess.PIPE, env=own)
    os.close(child)
    seen = b""
    while True:
        try:
            piece = os.read(parent, 65536)
        except OSError:  # the terminal is closed: the program has ended
            break
        if not piece:
            break
        seen += piece
    _, errors = process.communicate()
    os.close(parent)
    assert process.returncode == 0, errors.decode()
    return seen.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.thinned(3)
def test_every_command_fits_on_a_terminal(width: int, folder: Path) -> None:
    seen = on_a_terminal(width, commands(folder))
    assert "\x1b[1m" in seen  # headings are bold, and nothing else is coloured
    assert {*re.findall(r"\x1b\[[0-9;]*m", seen)} == {"\x1b[1m", "\x1b[0m"}
    text = re.sub(r"\x1b\[[0-9;]*m", "", seen)
    lines = text.splitlines()
    assert max(map(cell_width, lines)) <= width and "\x1b" not in text
    for label in (*LABELS, *SYSTEMS):
        if cell_width(label) <= width - 4:
            assert any(visible(label).strip() in line for line in lines), label
    assert text.count("averaged F1") >= 3 and "0.354" in text


def test_no_color_is_plain_but_for_bold_and_a_pipe_is_plain(run: Run, folder: Path) -> None:
    score = commands(folder)[:1]
    bold = on_a_terminal(80, score, NO_COLOR="1")
    assert {*re.findall(r"\x1b\[[0-9;]*m", bold)} <= {"\x1b[1m", "\x1b[0m"}
    code, out, _ = run(*score[0], COLUMNS="80")
    assert code == 0 and out == re.sub(r"\x1b\[[0-9;]*m", "", bold)


def test_signatures_are_shown_as_asked(run: Run, tmp_path: Path) -> None:
    animals = ("score", "examples/animals.csv", "-m", "averaged_f1", "-m", "accuracy")
    short, full = run(*animals)[1], run(*animals, "--signature", "full")[1]
    assert "f1|avg:macro|formula:averaged|classes:declared|undef:0|*" not in full
    assert "\n* classes:observed|undef:0|" in short and "accuracy|*" in short
    assert "|" not in run(*animals, "--signature", "none")[1]
    assert run(*animals, "-o", tmp_path / "out")[0] == 0
    assert (tmp_path / "out").read_text() == full
    markdown = run(*animals, "-f", "markdown")[1]
    assert markdown.count("hjpaoakk") == 2
    assert run(*animals, "-f", "markdown", "--signature", "short")[1].count("hjpaoakk") == 1
    for format in ("json", "csv"):
        assert run(*animals, "-f", format, "--signature", "full")[0] == 0
        code, _, err = run(*animals, "-f", format, "--signature", "none")
        assert code == 2 and f"does not apply to {format}" in err


def test_the_confusion_matrix(run: Run, folder: Path) -> None:
    animals = ("score", "examples/animals.csv")
    assert "cat      0   29   23     0\n" in run(*animals)[1]
    assert "Most often confused: cat as dog (23), fish as dog (13), bird as dog (8)." in run(
        *animals
    )[1]  # fmt: skip
    for way in (["--no-confusion"], ["-m", "accuracy"], ["-f", "markdown"]):
        assert "Predicted as" not in run(*animals, *way)[1]
    for format in ("text", "markdown", "latex"):
        assert "Predicted as" in run(*animals, "-m", "accuracy", "--confusion", "-f", format)[1]
    record = json.loads(run(*animals, "--confusion", "-f", "json")[1])["confusion"]
    assert record == {"rows": "true", "matrix": wf.count("examples/animals.csv").matrix.tolist()}
    assert "Predicted as" not in run("score", folder / "many.csv")[1]
    for wrong in (
        ("matrix", "2", "1", "2", "3", "4"),
        ("score", "examples/topics.csv", "--labels-sep", ";"),
        ("score", "examples/spam.csv", "--score", "score", "--positive", "spam"),
        (*animals, "--by", "gold", "-m", "accuracy"),
        (*animals, "-f", "csv"),
    ):
        code, out, err = run(*wrong, "--confusion")
        assert (code, out) == (2, "") and "confusion" in err, wrong
