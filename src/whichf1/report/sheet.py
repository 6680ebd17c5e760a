"""Sheet: a table with its notes, in every format."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from whichf1.report.cells import exact, number
from whichf1.report.escape import csv_text, latex, markdown, markdown_code, visible
from whichf1.report.terminal import plain_printer, print_columns

if TYPE_CHECKING:
    from rich.console import Console

Cell: TypeAlias = str | int | float | None


@dataclass(frozen=True)
class Rows:
    """Rows under a head."""

    head: tuple[str, ...]
    body: Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class Sheet:
    """A table with a title and notes; floats are rounded for readers and whole in files."""

    title: str
    shown: Rows
    """What people read: text, Markdown, LaTeX."""
    notes: tuple[str, ...] = ()
    stored: Rows | None = None
    """What programs read, JSON and CSV, where it is more than what is shown."""
    facts: tuple[tuple[str, Any], ...] = ()
    """What JSON says beside the rows."""
    stacked: bool = False
    """On a terminal: the first two columns on a line, the others below it."""


CODE = ("signature", "signatures")
"""Columns that are shown as code."""


def render(sheet: Sheet, format: str, console: Console, decimals: int = 4) -> str:
    """The sheet as text, JSON, Markdown, LaTeX or CSV."""
    match format:
        case "json":
            return as_json(sheet)
        case "csv":
            return as_csv(sheet)
        case "markdown":
            return as_markdown(sheet, decimals)
        case "latex":
            return as_latex(sheet, decimals)
    return as_text(sheet, console, decimals)


def as_text(sheet: Sheet, console: Console, decimals: int) -> str:
    """Aligned columns, or rows of several lines."""
    say = plain_printer(console)
    with console.capture() as capture:
        say(visible(sheet.title))
        if sheet.stacked:
            for line in _stacked(sheet.shown, decimals):
                say(visible(line))
        elif sheet.shown.body:
            say("")
            print_columns(console, sheet.shown.head, _cells(sheet, decimals), sheet.shown.head)
        for note in ["", *sheet.notes] if sheet.notes else []:
            say(visible(note))
    return capture.get()


def _stacked(rows: Rows, decimals: int) -> list[str]:
    lines = []
    for row in rows.body:
        first, second, *rest = (_shown(cell, decimals) for cell in row)
        lines += ["", f"{first}  {second}", *(f"    {cell}" for cell in rest if cell)]
    return lines


def _cells(sheet: Sheet, decimals: int) -> list[list[str]]:
    return [[_shown(cell, decimals) for cell in row] for row in sheet.shown.body]


def _shown(cell: Cell, decimals: int) -> str:
    if cell is None:
        return ""
    return number(cell, decimals) if isinstance(cell, float) else str(cell)


def as_markdown(sheet: Sheet, decimals: int) -> str:
    """A title, a table and notes."""
    head = sheet.shown.head
    escape = [markdown_code if name in CODE else markdown for name in head]
    lines = [
        [change(cell) if cell else "" for change, cell in zip(escape, row, strict=True)]
        for row in _cells(sheet, decimals)
    ]
    table = [f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *lines)]
    parts = [markdown(sheet.title), "", *table, ""]
    return "\n".join([*parts, *map(markdown, sheet.notes)]).rstrip() + "\n"


def as_latex(sheet: Sheet, decimals: int) -> str:
    """A booktabs table with the notes under it."""
    head = sheet.shown.head
    widths = "".join(r"p{0.3\linewidth}" if _long(sheet, at) else "l" for at in range(len(head)))
    lines = [
        r"% needs \usepackage{booktabs,textcomp} and \usepackage[T1]{fontenc}",
        r"\begin{table}",
        rf"\begin{{tabular}}{{{widths}}}",
        r"\toprule",
        " & ".join(map(latex, head)) + r" \\",
        r"\midrule",
    ]
    for row in _cells(sheet, decimals):
        cells = [
            rf"\texttt{{{latex(cell)}}}" if name in CODE and cell else latex(cell)
            for name, cell in zip(head, row, strict=True)
        ]
        lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{latex(sheet.title)}}}"]
    lines += [r"\par\footnotesize", *(latex(note) + r"\par" for note in sheet.notes)]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _long(sheet: Sheet, at: int) -> bool:
    return any(len(str(row[at])) > 24 for row in sheet.shown.body)


def as_json(sheet: Sheet) -> str:
    """The rows as records, in full precision; undefined values are null."""
    rows = sheet.stored or sheet.shown
    records = [dict(zip(rows.head, map(_plain, row), strict=True)) for row in rows.body]
    facts = {name: _plain(value) for name, value in sheet.facts}
    record = {"title": sheet.title, **facts, "rows": records, "notes": list(sheet.notes)}
    return json.dumps(record, indent=2, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def as_csv(sheet: Sheet) -> str:
    """The rows, in full precision."""
    rows = sheet.stored or sheet.shown
    body = ([exact(x) if isinstance(x, float) else x for x in row] for row in rows.body)
    return csv_text([rows.head, *body])
