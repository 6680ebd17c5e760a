"""Document: what a report says, and how each format says it.

A report builds a Document and knows nothing of formats; the renderers here know nothing of scores.
All text is escaped here, and nowhere else.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from whichf1.report.escape import csv_text, latex, markdown, markdown_code, visible
from whichf1.report.numbers import items, number
from whichf1.statistics.scales import Interval

Kind: TypeAlias = Literal["text", "prose", "code", "number", "interval"]
"""What a column holds: names, sentences, signatures, numbers, or intervals."""
Cell: TypeAlias = str | int | float | Interval | None
"""Text is shown as it is; None is a dash among numbers and empty among texts."""
Rows: TypeAlias = Iterable[Iterable[object]]


@dataclass(frozen=True)
class GridColumn:
    """A column of a table."""

    name: str
    kind: Kind = "text"
    show: Callable[[Any, int], str] | None = None
    """Formats a value with this many decimals; default: as its type suggests."""
    optional: bool = False
    """Whether the column may be dropped where space is short."""

    @property
    def align(self) -> Literal["left", "right"]:
        """Numbers are aligned to the right, text to the left."""
        return "right" if self.kind in ("number", "interval") else "left"


@dataclass(frozen=True)
class Grid:
    """A table; the first column names the row."""

    columns: Sequence[GridColumn]
    rows: Sequence[Sequence[Cell]]
    title: str = ""
    sentences: Sequence[str] = ()
    """What each row is in words, for formats that put signatures below the table."""
    stacked: bool = False
    """In text: the first two columns on one line, the others below it."""
    most: int | None = None
    """In text: the number of rows shown."""
    unit: str = "rows"
    """What a row is, for the line that says how many more there are."""


@dataclass(frozen=True)
class Signature:
    """What the numbers of a table are."""

    text: str
    name: str = ""
    """The column that it belongs to."""
    sentence: str = ""
    """The same in words."""


@dataclass(frozen=True)
class Note:
    """A line of text."""

    text: str


Block: TypeAlias = Grid | Signature | Note


@dataclass(frozen=True)
class Document:
    """A title, blocks and notes for people; a record and rows for programs."""

    blocks: Sequence[Block]
    record: Callable[[], Any] = dict
    """Makes what JSON holds; numbers that are not finite become null."""
    rows: Callable[[], Rows] = list
    """Makes what CSV holds, the header first."""
    title: str = ""
    notes: Sequence[str] = ()

    @property
    def footnotes(self) -> list[str]:
        """The notes, and the cautions of intervals, each with the rows that it is for."""
        cautions: dict[str, list[str]] = {}
        for block in self.blocks:
            for row in block.rows if isinstance(block, Grid) else ():
                for cell in row:
                    if isinstance(cell, Interval) and cell.caution is not None:
                        names = cautions.setdefault(cell.caution, [])
                        names += [str(row[0])] if str(row[0]) not in names else []
        return [*self.notes, *(f"{_MARK} {_some(x)}: {text}." for text, x in cautions.items())]


_MARK = "*"
"""Marks an interval with a caution."""


def _some(names: Sequence[str], most: int = 4) -> str:
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest:,} more" if rest > 0 else "")


def _shown(column: GridColumn, cell: Cell, decimals: int) -> str:
    if isinstance(cell, str):
        return cell
    if cell is None:
        return "–" if column.align == "right" else ""
    if column.show is not None:
        return column.show(cell, decimals)
    if isinstance(cell, Interval):
        return f"{cell:.{decimals}f}{_MARK if cell.caution is not None else ''}"
    return number(cell, decimals) if isinstance(cell, float) else items(cell)


def _body(table: Grid, decimals: int, most: int | None = None) -> list[list[str]]:
    """The cells as text, not yet escaped."""
    columns = table.columns
    return [
        [_shown(column, cell, decimals) for column, cell in zip(columns, row, strict=True)]
        for row in table.rows[:most]
    ]


def render(document: Document, format: str, decimals: int = 4) -> str:
    """Write a document as text, json, markdown, latex or csv."""
    match format:
        case "json":
            return json.dumps(_finite(document.record()), indent=2, allow_nan=False) + "\n"
        case "csv":
            return csv_text(document.rows())
        case "markdown":
            return _markdown(document, decimals)
        case "latex":
            return _latex(document, decimals)
    return "".join(f"{line.text}\n" for line in text_lines(document, decimals))


def _finite(value: Any) -> Any:
    """Replace what JSON cannot say by null."""
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


class Line(NamedTuple):
    """A line of text; headings are bold on a terminal."""

    text: str
    bold: bool = False


def text_lines(document: Document, decimals: int) -> Iterator[Line]:
    """Lay a document out in lines: a blank line before each table and before the notes."""
    if document.title:
        yield Line(visible(document.title))
    for at, block in enumerate(document.blocks):
        if isinstance(block, Grid) and block.rows and (at or document.title):
            yield Line("")
        yield from _text_block(block, decimals)
    footnotes = document.footnotes
    if footnotes:
        yield Line("")
        yield from (Line(visible(note)) for note in footnotes)


def _text_table(table: Grid, decimals: int) -> Iterator[Line]:
    if table.title:
        yield Line(visible(table.title))
    rows = [[visible(cell) for cell in row] for row in _body(table, decimals, table.most)]
    if table.stacked:
        for at, (first, second, *others) in enumerate(rows):
            yield from [Line("")] if at else []
            yield Line(f"{first}  {second}")
            yield from (Line(f"    {cell}") for cell in others if cell)
    elif rows:
        yield from _aligned(table.columns, rows)
    hidden = len(table.rows) - len(rows)
    if hidden:
        yield Line(f"… and {hidden:,} more {table.unit}: all are in --format csv")


def _aligned(columns: Sequence[GridColumn], rows: list[list[str]]) -> Iterator[Line]:
    lines = [[visible(column.name) for column in columns], *rows]
    sizes = [[len(x) if x.isascii() else _width(x) for x in line] for line in lines]
    widths = [max(sizes_of_column) for sizes_of_column in zip(*sizes, strict=True)]
    left = [column.align == "left" for column in columns]
    for at, (line, line_sizes) in enumerate(zip(lines, sizes, strict=True)):
        padded = [
            cell + " " * (width - size) if to_left else " " * (width - size) + cell
            for cell, size, width, to_left in zip(line, line_sizes, widths, left, strict=True)
        ]
        yield Line("  ".join(padded).rstrip(), bold=at == 0)


def _width(text: str) -> int:
    """The columns that a text takes on a terminal: two for each wide character."""
    from rich.cells import cell_len

    return cell_len(text)


def _text_block(block: Block, decimals: int) -> Iterator[Line]:
    match block:
        case Grid():
            yield from _text_table(block, decimals)
        case Signature():
            yield Line(visible(f"{block.name}: {block.text}" if block.name else block.text))
        case Note():
            yield from (Line(visible(line)) for line in block.text.split("\n"))


def _markdown(document: Document, decimals: int) -> str:
    parts = [markdown(document.title)] if document.title else []
    for block in document.blocks:
        match block:
            case Grid():
                parts.append(_markdown_table(block, decimals))
            case Signature(name=""):
                parts.append(markdown_code(block.text))
            case Signature():
                item = f"- {markdown(block.name)}: {markdown_code(block.text)}"
                if parts and parts[-1].startswith("- "):  # it joins the list
                    item = f"{parts.pop()}\n{item}"
                parts.append(item)
            case Note():
                parts.append("  \n".join(map(markdown, block.text.split("\n"))))
    return "\n\n".join([*parts, *map(markdown, document.footnotes)]) + "\n"


def _starred(text: str) -> str:
    """An interval needs no escapes, except for the mark of a caution."""
    return visible(text).replace(_MARK, rf"\{_MARK}")


_MARKDOWN: dict[Kind, Callable[[str], str]] = {"code": markdown_code, "interval": _starred}


def _markdown_table(table: Grid, decimals: int) -> str:
    escapes = [_MARKDOWN.get(column.kind, markdown) for column in table.columns]
    lines = [
        [markdown(column.name) for column in table.columns],
        ["---" if column.align == "left" else "---:" for column in table.columns],
    ]
    for row in _body(table, decimals):
        lines.append([escape(x) if x else "" for escape, x in zip(escapes, row, strict=True)])
    title = f"**{markdown(table.title)}**\n\n" if table.title else ""
    return title + "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _latex(document: Document, decimals: int) -> str:
    """Write booktabs tables; a table with a title starts a float of its own."""
    floats: list[list[Block]] = [[]]
    for block in document.blocks:
        if isinstance(block, Grid) and block.title and any(isinstance(x, Grid) for x in floats[-1]):
            floats.append([])
        floats[-1].append(block)
    floats[-1] += map(Note, document.footnotes)
    lines = [r"% needs \usepackage{booktabs,textcomp} and \usepackage[T1]{fontenc}"]
    for blocks in floats:
        lines += _latex_float(document.title, blocks, decimals)
    return "\n".join(lines) + "\n"


def _latex_float(title: str, blocks: Sequence[Block], decimals: int) -> Iterator[str]:
    """One float: its tables, a caption, and below it signatures and notes."""
    tables = [block for block in blocks if isinstance(block, Grid)]
    yield r"\begin{table}"
    for at, table in enumerate(tables):
        if at:
            yield r"\par\medskip"
        yield from _latex_tabular(table, decimals)
    titles = [text for text in (title, *(table.title for table in tables)) if text]
    if titles:
        yield rf"\caption{{{latex('. '.join(titles).rstrip('.'))}.}}"
    yield r"\par\footnotesize\raggedright"
    for block in blocks:
        yield from (rf"{line}\par" for line in _latex_below(block, decimals))
    yield r"\end{table}"


def _latex_tabular(table: Grid, decimals: int) -> Iterator[str]:
    columns = [
        (column, cells)
        for column, *cells in zip(table.columns, *_body(table, decimals), strict=True)
        if not column.optional and column.kind != "code"
    ]
    letters = "".join(_latex_letter(column, cells) for column, cells in columns)
    lines = zip(*([column.name, *cells] for column, cells in columns), strict=True)
    head, *body = (" & ".join(map(latex, line)) + r" \\" for line in lines)
    yield rf"\begin{{tabular}}{{{letters}}}"
    yield from (r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}")


def _latex_letter(column: GridColumn, cells: Iterable[str]) -> str:
    if column.align == "right":
        return "r"
    long = column.kind == "prose" and any(len(cell) > 24 for cell in cells)
    return r"p{0.3\linewidth}" if long else "l"


def _latex_below(block: Block, decimals: int) -> Iterator[str]:
    """What stands below the tables: signatures with their sentences, and notes."""
    match block:
        case Grid():
            codes = [at for at, column in enumerate(block.columns) if column.kind == "code"]
            body = _body(block, decimals)
            leads = block.sentences or [f"{row[0]}:" for row in body]
            for lead, row in zip(leads, body, strict=True):
                yield from (_latex_signature(lead, row[at]) for at in codes if row[at])
        case Signature():
            lead = block.sentence or (block.name and f"{block.name}:")
            yield _latex_signature(lead, block.text)
        case Note():
            yield from map(latex, block.text.split("\n"))


def _latex_signature(lead: str, text: str) -> str:
    return rf"{latex(lead)} \texttt{{{latex(text)}}}".lstrip()
