"""Document: what a report says, and how each format says it.

A report builds a Document and knows nothing of formats; the renderers here know nothing of scores.
All text is escaped here, and nowhere else.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Literal, TypeAlias

from whichf1.definitions.definition import shorten
from whichf1.report.escape import csv_text, latex, markdown, markdown_code, visible
from whichf1.report.layout import Line, TextColumn, cell_width, filled, table_lines, wrapped
from whichf1.report.numbers import brief, items, number
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
    """Whether the column, of intervals, belongs to the one before it: in text they share a cell,
    and where space is short it is dropped."""

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
    keys: int = 1
    """How many of the first columns name the row."""
    if_it_fits: bool = False
    """Only shown in text, and only if it is not too wide."""


SHARED = "*"
"""Names what several signatures share."""


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


ShowInterval: TypeAlias = Callable[[Interval, int], str]


def _in_full(interval: Interval, decimals: int) -> str:
    return f"{interval:.{decimals}f}"


def _shown(column: GridColumn, cell: Cell, decimals: int, show: ShowInterval) -> str:
    if isinstance(cell, str):
        return cell
    if cell is None:
        return "–" if column.align == "right" else ""
    if column.show is not None:
        return column.show(cell, decimals)
    if isinstance(cell, Interval):
        return show(cell, decimals) + (_MARK if cell.caution is not None else "")
    return number(cell, decimals) if isinstance(cell, float) else items(cell)


def _body(
    table: Grid, decimals: int, most: int | None = None, show: ShowInterval = _in_full
) -> list[list[str]]:
    """The cells as text, not yet escaped."""
    columns = table.columns
    return [
        [_shown(column, cell, decimals, show) for column, cell in zip(columns, row, strict=True)]
        for row in table.rows[:most]
    ]


SignatureForm: TypeAlias = Literal["none", "short", "full"]
"""No signatures, what differs between them and once what they share, or all of each."""


def render(
    document: Document,
    format: str,
    decimals: int = 4,
    width: int | None = None,
    signature: SignatureForm = "full",
) -> str:
    """Write a document as text (in lines of this width), json, markdown, latex or csv."""
    match format:
        case "json":
            return json.dumps(_finite(document.record()), indent=2, allow_nan=False) + "\n"
        case "csv":
            return csv_text(document.rows())
    document = signed(document, signature)
    match format:
        case "markdown":
            return _markdown(document, decimals)
        case "latex":
            return _latex(document, decimals)
    return "".join(f"{line.text}\n" for line in text_lines(document, decimals, width))


def signed(document: Document, form: SignatureForm) -> Document:
    """The document with signatures in this form."""
    if form == "full":
        return document
    if form == "none":
        kept = (x for x in document.blocks if not isinstance(x, Signature))
        blocks: list[Block] = [_unsigned(x) if isinstance(x, Grid) else x for x in kept]
        return replace(document, blocks=blocks)
    blocks, group = [], []
    for block in document.blocks:
        group.append(block)
        if isinstance(block, Grid) and _code(block) is not None:  # it ends with its own
            blocks += _shortened(group)
            group = []
    return replace(document, blocks=[*blocks, *_shortened(group)])


def _code(table: Grid) -> int | None:
    return next((at for at, column in enumerate(table.columns) if column.kind == "code"), None)


def _unsigned(table: Grid) -> Grid:
    at = _code(table)
    if at is None:
        return table
    rows = [[*row[:at], *row[at + 1 :]] for row in table.rows]
    return replace(table, columns=[*table.columns[:at], *table.columns[at + 1 :]], rows=rows)


def _shortened(group: Sequence[Block]) -> list[Block]:
    """Blocks with short signatures, and below them what these have in common."""
    places: list[tuple[int, int, int]] = []
    texts: list[str] = []
    for number_of_block, block in enumerate(group):
        if isinstance(block, Signature) and block.name:
            places.append((number_of_block, 0, 0))
            texts.append(block.text)
        elif isinstance(block, Grid) and (at := _code(block)) is not None:
            signed_rows = [(y, row[at]) for y, row in enumerate(block.rows) if row[at]]
            places += [(number_of_block, y, at) for y, _ in signed_rows]
            texts += [str(text) for _, text in signed_rows]
    shorts, shared = shorten(texts)
    blocks = list(group)
    for (where, y, x), short in zip(places, shorts, strict=True):
        block = blocks[where]
        if isinstance(block, Signature):
            blocks[where] = replace(block, text=short)
        elif isinstance(block, Grid):
            row = [*block.rows[y][:x], short, *block.rows[y][x + 1 :]]
            blocks[where] = replace(block, rows=[*block.rows[:y], row, *block.rows[y + 1 :]])
    return [*blocks, Signature(shared, SHARED)] if shared else blocks


def _finite(value: Any) -> Any:
    """Replace what JSON cannot say by null."""
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def text_lines(document: Document, decimals: int, width: int | None = None) -> Iterator[Line]:
    """Lay a document out in lines: a blank line before each table and before the notes."""
    yield from _prose(document.title, width) if document.title else ()
    above = bool(document.title)
    for of_columns, group in groupby(document.blocks, _names_a_column):
        if of_columns:
            yield from map(Line, filled(map(_signature_text, group), width, 2))
            continue
        for block in group:
            lines = list(_text_block(block, decimals, width))
            if lines and above and isinstance(block, Grid):
                yield Line("")
            yield from lines
            above = True
    footnotes = document.footnotes
    if footnotes:
        yield Line("")
        for note in footnotes:
            yield from _prose(note, width)


def _prose(text: str, width: int | None) -> Iterator[Line]:
    yield from map(Line, wrapped(visible(text), width))


def _names_a_column(block: Block) -> bool:
    return isinstance(block, Signature) and block.name not in ("", SHARED)


def _signature_text(block: Any) -> str:
    lead = f"{SHARED} " if block.name == SHARED else block.name and f"{block.name}: "
    return visible(f"{lead}{block.text}")


def _text_block(block: Block, decimals: int, width: int | None) -> Iterator[Line]:
    match block:
        case Grid():
            yield from _text_table(block, decimals, width)
        case Signature():
            yield from map(Line, wrapped(_signature_text(block), width, 2, code=True))
        case Note():
            for line in block.text.split("\n"):
                yield from _prose(line, width)


def _text_table(table: Grid, decimals: int, width: int | None) -> Iterator[Line]:
    columns = _text_columns(table, decimals)
    lines = list(table_lines(columns, table.keys, None if table.if_it_fits else width))
    if table.if_it_fits and width is not None and max(cell_width(x.text) for x in lines) > width:
        return
    yield from _prose(table.title, width) if table.title else ()
    if table.stacked:
        for at, row in enumerate(zip(*(column.cells for column in columns), strict=True)):
            yield from [Line("")] if at else []
            yield from (Line(x) for x in wrapped("  ".join(row[:2]), width, 8))
            for column, cell in zip(columns[2:], row[2:], strict=True):
                below = wrapped(f"    {cell}", width, 4, column.kind == "code") if cell else []
                yield from map(Line, below)
    elif table.rows:
        yield from lines
    hidden = len(table.rows) - (table.most or len(table.rows))
    if hidden > 0:
        yield Line(f"… and {hidden:,} more {table.unit}: all are in --format csv")


def _text_columns(table: Grid, decimals: int) -> list[TextColumn]:
    """The columns as text; an interval that belongs to a number stands beside it."""
    body = _body(table, decimals, table.most, brief)
    columns: list[TextColumn] = []
    for at, column in enumerate(table.columns):
        cells = [visible(row[at]) for row in body]
        if column.optional and columns:
            last = columns.pop()
            width = max(map(cell_width, last.cells), default=0)
            both = [f"{x:>{width}} {y}" for x, y in zip(last.cells, cells, strict=True)]
            columns.append(TextColumn(last.name, both))
        else:
            name = visible(column.name)
            columns.append(TextColumn(name, cells, column.align, column.kind))
    return columns


def _markdown(document: Document, decimals: int) -> str:
    parts = [markdown(document.title)] if document.title else []
    for block in document.blocks:
        match block:
            case Grid(if_it_fits=True):
                continue
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
        if isinstance(block, Grid) and block.if_it_fits:
            continue
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
