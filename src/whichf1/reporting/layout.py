"""Tables and sentences in lines of a given width: nothing is cut, and no word is broken that fits.

If a table is too wide, first the signatures move below it; then sentences are broken between
words; then columns move into a second table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import zip_longest
from math import isfinite
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from whichf1.tables.records import dataclass

WORDS = re.compile(r"\s*\S+(?: %\S*)?\s*")
"""Words; a percentage is one."""
BARS = re.compile(r"[^|]*\|+|[^|]+")
COMMAS = re.compile(r"[^,]*,+|[^,]+")
COMMANDS = re.compile(r"[^\\]+|\\[^\\]*")
"""Parts of a formula in LaTeX, which may be broken before a command."""
NO_HEADS: Mapping[int, str] = MappingProxyType({})
LEAST = 24
"""Columns of sentences are not made narrower than this."""


class Line(NamedTuple):
    """A line of text; headings are bold on a terminal."""

    text: str
    bold: bool = False


@dataclass(frozen=True)
class TextColumn:
    """A column of text that needs no escaping."""

    name: str
    cells: Sequence[str]
    align: Literal["left", "right"] = "left"
    kind: str = "text"
    """'prose' may be broken between words, 'code' may move below the table."""
    limit: int | None = None
    """The width at which cells are broken."""

    @cached_property
    def width(self) -> int:
        """Its width in columns of the terminal."""
        return min(max(map(cell_width, (self.name, *self.cells))), self.limit or 10**9)


@lru_cache(maxsize=1 << 12)
def cell_width(text: str) -> int:
    """The width of a text on a terminal: two columns for each wide character."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def wrapped(text: str, width: int | None, hang: int = 0, code: bool = False) -> list[str]:
    """Break a text between words, code after its bars and commas, formulas before a command, and
    what is still too wide anywhere.
    """
    if width is None or cell_width(text) <= width:
        return [text]
    lines, line = [], ""
    breaks = (BARS, WORDS, COMMAS) if code else (WORDS, BARS, COMMANDS)
    for piece in _pieces(text, max(width - hang, 2), breaks):
        if line.strip() and cell_width((line + piece).rstrip()) > width:
            lines.append(line.rstrip())
            line = " " * hang + piece.lstrip()
        else:
            line += piece
    return [*lines, line.rstrip()]


def filled(texts: Iterable[str], width: int | None, hang: int = 0) -> list[str]:
    """Signatures side by side, as many as fit on each line."""
    lines: list[str] = []
    for text in texts:
        joined = f"{lines[-1]}   {text}" if lines and width is not None else ""
        if joined and cell_width(joined) <= (width or 0):
            lines[-1] = joined
        else:
            lines += wrapped(text, width, hang, code=True)
    return lines


def _pieces(text: str, room: int, breaks: Sequence[re.Pattern[str]]) -> Iterator[str]:
    """The text in parts that fit, by the first way of breaking it that works."""
    if cell_width(text.strip()) <= room:
        yield text
    elif breaks:
        for part in breaks[0].findall(text):
            yield from _pieces(part, room, breaks[1:])
    else:
        from rich.cells import chop_cells

        yield from chop_cells(text, room)


Heads: TypeAlias = Mapping[int, str]
"""Headings of parts of a table, each by the number of the row below it."""


def table_lines(
    columns: Sequence[TextColumn], keys: int, width: int | None, heads: Heads = NO_HEADS
) -> Iterator[Line]:
    """A table; its first ``keys`` columns identify the row."""
    if width is None or total_width(columns) <= width:
        yield from _rows(columns, width, heads)
        return
    others = [column for column in columns if column.kind != "code"]
    prose = [column for column in others if column.kind == "prose"]
    narrow = _narrowed(others, width) if prose else others
    if narrow is None and any(total_width([*others[:keys], x]) > width for x in prose):
        yield from _records(columns, keys, width)
        return
    if narrow is not None and total_width(narrow) <= width:
        yield from _rows(narrow, width, heads)
    else:
        yield from _split(others, keys, width, heads)
    for column in columns:
        if column.kind == "code":
            lines = zip(others[0].cells, column.cells, strict=True)
            texts = [f"{name}: {code}" for name, code in lines if code]
            yield from map(Line, filled(texts, width, 2))


def total_width(columns: Sequence[TextColumn]) -> int:
    """The width of a table in columns of the terminal."""
    return sum(column.width for column in columns) + 2 * (len(columns) - 1)


def _narrowed(columns: Sequence[TextColumn], width: int) -> list[TextColumn] | None:
    """The table with its sentences broken, the longer ones first; None if they get too narrow."""
    room = width - 2 * (len(columns) - 1) - sum(c.width for c in columns if c.kind != "prose")
    shares: dict[int, int] = {}
    prose = sorted((c.width, at) for at, c in enumerate(columns) if c.kind == "prose")
    for left, (wanted, at) in zip(range(len(prose), 0, -1), prose, strict=True):
        shares[at] = min(wanted, room // left)
        room -= shares[at]
        if shares[at] < min(wanted, LEAST):
            return None
    return [replace(c, limit=shares[at]) if at in shares else c for at, c in enumerate(columns)]


def _heading(row: int, heads: Heads, width: int | None) -> Iterator[Line]:
    yield from [Line("")] if row else []
    yield from (Line(text, bold=True) for text in wrapped(heads[row], width))


def _rows(columns: Sequence[TextColumn], width: int | None, heads: Heads) -> Iterator[Line]:
    """The header and every row."""
    for row in range(-1, len(columns[0].cells)):
        if row in heads:
            yield from _heading(row, heads, width)
        cells = [c.name if row < 0 else c.cells[row] for c in columns]
        yield from _row(cells, columns, row < 0)


def _cell(column: TextColumn, row: int) -> str:
    return column.name if row < 0 else column.cells[row]


def _row(
    cells: Sequence[str], columns: Sequence[TextColumn], bold: bool, indent: str = ""
) -> Iterator[Line]:
    """A row, as high as the highest of its cells."""
    broken = [wrapped(cell, c.limit) for cell, c in zip(cells, columns, strict=True)]
    for line in zip_longest(*broken, fillvalue=""):
        padded = [_padded(cell, c) for cell, c in zip(line, columns, strict=True)]
        yield Line(f"{indent}{'  '.join(padded)}".rstrip(), bold)


def _padded(cell: str, column: TextColumn) -> str:
    space = " " * (column.width - cell_width(cell))
    return f"{cell}{space}" if column.align == "left" else f"{space}{cell}"


def _split(columns: Sequence[TextColumn], keys: int, width: int, heads: Heads) -> Iterator[Line]:
    """Several tables of the same rows; names that take most of the width have their own lines."""
    names, others = columns[:keys], columns[keys:]
    most = width - total_width(names) - 2
    apart = total_width(names) > width // 2 or any(column.width > most for column in others)
    room = width - (2 if apart else total_width(names) + 2)
    parts: list[list[TextColumn]] = [[]]
    for wide in others:
        column = replace(wide, limit=room) if wide.width > room else wide
        if parts[-1] and total_width([*parts[-1], column]) > room:
            parts.append([])
        parts[-1].append(column)
    for at, part in enumerate(parts):
        if at:
            yield Line("")
        if not apart:
            yield from _rows([*names, *part], width, heads)
            continue
        for row in range(-1, len(names[0].cells)):
            if row in heads:
                yield from _heading(row, heads, width)
            each = [_cell(column, row) for column in names]
            joined = "  ".join(each)
            for name in [joined] if cell_width(joined) <= width else each:
                yield from (Line(line, row < 0) for line in wrapped(name, width))
            yield from _row([_cell(column, row) for column in part], part, row < 0, "  ")


def _records(columns: Sequence[TextColumn], keys: int, width: int) -> Iterator[Line]:
    """A paragraph for each row."""
    for row in zip(*(column.cells for column in columns), strict=True):
        yield from (Line(x, bold=True) for x in wrapped("  ".join(row[:keys]), width))
        for column, cell in zip(columns[keys:], row[keys:], strict=True):
            if cell:
                text, code = f"  {column.name}: {cell}", column.kind == "code"
                yield from (Line(x) for x in wrapped(text, width, 4, code))


BAR = 21
"""The width of a drawn interval."""


def bars(
    intervals: Sequence[tuple[float, tuple[float, float] | None]],
) -> tuple[str, list[str]] | None:
    """Intervals drawn on one scale, each with its value as a dot: a heading and a text for each.

    None if there is nothing to compare, or if the numbers are of different kinds.
    """
    ends = [x for _, both in intervals if both is not None for x in both if isfinite(x)]
    if len(ends) < 4 or not 0 < max(ends) - min(ends) <= 2:
        return None
    low, high = min(ends), max(ends)
    texts = [f"{x:.2f}".replace("0.", ".", 1) for x in (low, high)]
    head = f"{texts[0]}{texts[1]:>{BAR - len(texts[0])}}"
    return head, [_bar(value, both, low, high) for value, both in intervals]


def _bar(value: float, ends: tuple[float, float] | None, low: float, high: float) -> str:
    def place(x: float) -> int:
        return round((min(max(x, low), high) - low) / (high - low) * (BAR - 1))

    cells = [" "] * BAR
    if low < 0 < high:
        cells[place(0)] = "┊"
    if ends is not None:
        left, right = map(place, ends)
        cells[left : right + 1] = "─" * (right - left + 1)
        cells[left], cells[right] = "├", "┤"
    if low <= value <= high:
        cells[place(value)] = "●"
    return "".join(cells).rstrip()
