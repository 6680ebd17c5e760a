r"""Results as papers print them: marked numbers, in CSV, TSV, Markdown, LaTeX or a dataframe.

A number may be bold or underlined, carry marks of significance, a spread (79.0 ± 0.3), or a percent
sign: ``**80.1**``, ``\textbf{80.1}``, ``71.8*``, ``79.0 (0.3)``.
"""

from __future__ import annotations

import csv
import os
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from whichf1.errors import FileError

_COMMAND = (
    r"\\(?:text\w*|math\w*|underline|uline|emph|bfseries|itshape|bf|it|best|second|num|ensuremath)"
)
_COLOUR = r"\\(?:cellcolor|rowcolor|color|textcolor|colorbox)(?:\[\w+\])?\{[^{}]*\}"
_RAISED = r"\^\{[^{}]*\}|\^[\w*†‡§]|\\(?:dagger|ddagger|ast|star|textsuperscript|uparrow|downarrow)"
_SPREAD = (
    r"(?:±|\+/-|\+-|\\pm).*$|\(\s*(?:±\s*)?[0-9.,]+\s*\)\s*$|\[[^\]]*\]\s*$|_\{?\s*(?:±|\\pm).*$"
)
EMPTY = {"", "-", "–", "—", "--", "---", "n/a", "na", "nan", "none", "x", "?", "/"}
"""The content of a cell without a number."""


class Mark(NamedTuple):
    """A printed number without its marks."""

    text: str
    spread: bool
    """Whether a spread or an interval is printed next to it, as for several runs."""


@lru_cache(maxsize=1024)
def unmarked(text: str) -> Mark:
    r"""The number in a cell as it would be typed: ``\textbf{80.1}$^*$`` is 80.1."""
    bare = unicodedata.normalize("NFKC", text).replace("−", "-").replace(r"\%", "%")
    bare = re.sub(_COLOUR, "", bare)
    bare = re.sub(r"</?\w+[^>]*>|\\[,;:! ]|~|\$|`", " ", bare)
    number = re.sub(_SPREAD, "", bare.strip())
    spread = number != bare.strip()
    number = re.sub(f"{_COMMAND}|{_RAISED}", " ", number)
    number = re.sub(r"[{}*†‡§¶↑↓_^]|\(\s*\)", " ", number)
    number = re.sub(r"(?<=[0-9%])\s+[a-z]$", "", number.strip())  # a letter of significance
    number = number.replace(" %", "%").strip()
    if re.fullmatch(r"[0-9]{1,3},[0-9]+%?", number):
        number = number.replace(",", ".")  # a decimal comma: no score is above 100
    return Mark(number, spread)


class PrintedRow(NamedTuple):
    """A row of a table, as printed."""

    line: int
    cells: list[Any]


class PrintedTable(NamedTuple):
    """The headers of the columns, and the rows."""

    name: str
    """The name of the table in messages."""
    head: list[str]
    rows: list[PrintedRow]


def read_table(results: Any) -> PrintedTable:
    """A table from a dataframe, or from the text of a file: Markdown, LaTeX, TSV or CSV."""
    if hasattr(results, "columns"):
        return _frame(results)
    if not isinstance(results, (str, os.PathLike)):
        raise FileError(
            f"results must be a file or a dataframe; got {type(results).__name__}. Pass a path."
        )
    name = repr(os.fspath(results))
    try:
        with open(results, encoding="utf-8-sig", newline="") as file:
            text = file.read()
        lines = _lines(text)
    except (OSError, ValueError, csv.Error) as error:
        raise FileError(f"cannot read results from {name}: {error}") from None
    if len(lines) < 2:
        raise FileError(f"{name} has no rows. It needs a header and one line per result.")
    head = [str(cell) for cell in lines[0].cells]
    return PrintedTable(name, head, lines[1:])


def _lines(text: str) -> list[PrintedRow]:
    numbered = [*enumerate(text.splitlines(), 1)]
    if r"\\" in text and "&" in text:
        return _latex(text)
    piped = [(at, line) for at, line in numbered if line.strip().startswith("|")]
    if len(piped) > 1 and re.fullmatch(r"[|:\-\s]+", piped[1][1].strip()):
        return [PrintedRow(at, _piped(line)) for at, line in [piped[0], *piped[2:]]]
    head = numbered[0][1] if numbered else ""
    mark = max(",;\t", key=head.count)
    reader = csv.reader(text.splitlines(keepends=True), delimiter=mark, strict=True)
    return [PrintedRow(reader.line_num, cells) for cells in reader if cells]


def _piped(line: str) -> list[str]:
    inner = re.sub(r"^\||(?<!\\)\|$", "", line.strip())
    return [cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", inner)]


def _latex(text: str) -> list[PrintedRow]:
    """The rows between rules; a cell that spans columns is followed by empty ones."""
    rows, start = [], 1
    for part in re.split(r"(\\\\(?:\[[^\]]*\])?)", text):
        if part.startswith(r"\\"):
            continue
        body = re.sub(r"(?<!\\)%.*", "", part)
        body = re.sub(r"\\begin\{[^{}]*\}(?:\[[^\]]*\])?(?:\{(?:[^{}]|\{[^{}]*\})*\})*", "", body)
        body = re.sub(
            r"\\(?:top|mid|bottom|h|c|cmid)(?:rule|line)(?:\([^)]*\))?(?:\{[^{}]*\})?", "", body
        )
        body = re.sub(
            r"\\(?:caption|label|end)\{[^{}]*\}|\\centering|\\small|\\footnotesize", "", body
        )
        lead = len(part) - len(part.lstrip())
        line = start + part[:lead].count("\n")
        start += part.count("\n")
        if "&" in body:
            rows.append(PrintedRow(line, _spanned(body)))
    return rows


def _spanned(body: str) -> list[str]:
    cells: list[str] = []
    for cell in re.split(r"(?<!\\)&", body):
        wide = re.match(r"\s*\\multicolumn\{(\d+)\}\{[^{}]*\}\{(.*)\}\s*$", cell, re.DOTALL)
        tall = re.match(
            r"\s*\\multirow(?:\[[^\]]*\])?\{[^{}]*\}\{[^{}]*\}\{(.*)\}\s*$", cell, re.DOTALL
        )
        content = wide[2] if wide else tall[1] if tall else cell
        cells += [" ".join(content.split()), *[""] * (int(wide[1]) - 1 if wide else 0)]
    return cells


def _frame(results: Any) -> PrintedTable:
    """The rows of a dataframe; the index of a pandas frame names them, if it has names."""
    head = [str(name) for name in results.columns]
    rows: Sequence[Sequence[Any]] = (
        results.rows() if hasattr(results, "rows") else results.to_numpy(dtype=object).tolist()
    )
    index = [*getattr(results, "index", ())]
    if index and all(isinstance(name, str) for name in index):
        head, rows = ["name", *head], [[name, *row] for name, row in zip(index, rows, strict=True)]
    if not rows:
        raise FileError("the dataframe has no rows. It needs one row per result.")
    return PrintedTable(
        "the dataframe", head, [PrintedRow(at, [*row]) for at, row in enumerate(rows)]
    )
