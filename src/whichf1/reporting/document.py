"""Document: the content of a report, and how each format writes it.

A report builds a Document and knows nothing about formats; the renderers here know nothing about
scores. All text is escaped here, and nowhere else.
"""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from shutil import get_terminal_size
from typing import Any, Literal, NamedTuple, Self, TypeAlias

from whichf1.definitions.definition import shorten
from whichf1.errors import InputError
from whichf1.reporting.escape import (
    breakable,
    csv_text,
    html,
    html_code,
    latex,
    latex_numbers,
    markdown,
    markdown_code,
    visible,
)
from whichf1.reporting.layout import (
    Line,
    TextColumn,
    bars,
    cell_width,
    filled,
    table_lines,
    total_width,
    wrapped,
)
from whichf1.reporting.numbers import brief, items, number
from whichf1.reporting.tabular import LatexColumn, LatexStyle, latex_tables
from whichf1.statistics.scales import Interval
from whichf1.tables.display import Displayed
from whichf1.tables.records import dataclass

Kind: TypeAlias = Literal["text", "prose", "code", "number", "interval"]
"""What a column holds: names, sentences, signatures, numbers, or intervals."""
Rank: TypeAlias = Literal["", "best", "second"]


@dataclass(frozen=True)
class Standing:
    """A text with its rank among the others of its column, and a mark."""

    text: str
    rank: Rank = ""
    mark: str = ""
    caution: str | None = None
    """The caution of the interval next to it, which is marked."""
    beside: str = ""
    """Its interval, or ± half of that."""


IN_FILES = "JSON and CSV have all."
"""Advice below a table that leaves rows out."""


class Advised(str):
    """A note that is followed by advice for the command line, which only terminals show."""

    advice: str

    def __new__(cls, text: str, advice: str) -> Self:
        """The note, which is a text like others."""
        note = super().__new__(cls, text)
        note.advice = advice
        return note


Cell: TypeAlias = str | int | float | Interval | Standing | None
"""Text is shown as it is; None is a dash among numbers and empty among texts."""
Rows: TypeAlias = Iterable[Iterable[object]]


@dataclass(frozen=True)
class GridColumn:
    """A column of a table."""

    name: str
    kind: Kind = "text"
    show: Callable[[Any, int], str] | None = None
    """A function that formats a value with this many decimals. Default: by type."""
    optional: bool = False
    """Whether the column, of intervals, belongs to the one before it: in text they share a cell,
    and it is dropped if space is short."""

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
    """The description of each row, for formats that put signatures below the table."""
    stacked: bool = False
    """In text: the first two columns on one line, the others below it."""
    most: int | None = None
    """In text: the number of rows shown."""
    unit: str = "rows"
    """The noun for a row, for the line that says how many more there are."""
    keys: int = 1
    """How many of the first columns name the row."""
    if_it_fits: bool = False
    """Only shown in text, and only if it is not too wide."""
    common: str = ""
    """The definition of every row, which replaces their signatures if these are short."""
    sections: Sequence[tuple[str, int]] = ()
    """Blocks of rows: the heading of each, and its number of rows."""

    @property
    def heads(self) -> dict[int, str]:
        """The heading above a row, by the number of the row."""
        heads, at = {}, 0
        for heading, rows in self.sections:
            heads[at] = heading
            at += rows
        return heads


LEAST_WIDTH = 40
"""The least width; a narrower terminal breaks the lines itself."""
SHARED = "*"
"""The name of what several signatures share."""


@dataclass(frozen=True)
class Signature:
    """The signatures of the numbers in a table."""

    text: str
    name: str = ""
    """The column that it belongs to."""
    sentence: str = ""
    """The same in words."""
    aside: bool = False
    """In LaTeX, whether the signature is a comment, and only its sentence is printed."""


@dataclass(frozen=True)
class Note:
    """A line of text."""

    text: str
    ranks: bool = False
    """Whether it begins with the marks of the best and the second best."""


Block: TypeAlias = Grid | Signature | Note


@dataclass(frozen=True)
class Document:
    """A title, blocks and notes for people; a record and rows for programs."""

    blocks: Sequence[Block]
    record: Callable[[], Any] = dict
    """A function that makes the JSON; numbers that are not finite become null."""
    rows: Callable[[], Rows] = list
    """A function that makes the CSV, header first."""
    title: str = ""
    notes: Sequence[str] = ()
    kind: str = "document"
    """Its name in JSON, as described in ``schema.json``."""

    def titled(self, caption: str | None) -> Document:
        """The document with this title, if there is one."""
        return self if caption is None else replace(self, title=caption)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object: format, version and the record."""
        head = {"format": f"whichf1.{self.kind}", "version": VERSION}
        return {**head, **_finite(self.record())}


VERSION = 1
"""The version of the JSON; it increases if a key changes its meaning or is removed."""


def footnotes(document: Document) -> list[str]:
    """The notes, and the cautions of intervals and tests, each with the rows that it applies to."""
    cautions: dict[str, dict[str, None]] = {}
    for block in document.blocks:
        heads, head = block.heads if isinstance(block, Grid) and block.sections else {}, ""
        for at, row in enumerate(block.rows if isinstance(block, Grid) else ()):
            head = heads[at].rpartition(":")[0] if at in heads else head
            for cell in row:
                if isinstance(cell, (Interval, Standing)) and cell.caution is not None:
                    name = f"{row[0]}{head and f' ({head})'}"
                    cautions.setdefault(cell.caution, {})[name] = None
    marked = [f"{CAUTION} {first_names([*names])}: {text}." for text, names in cautions.items()]
    rest = len({name for names in [*cautions.values()][MOST_CAUTIONS:] for name in names})
    if rest > 1:
        few = f"{CAUTION} and {rest:,} more rows: few items decide their intervals or tests."
        marked = [*marked[:MOST_CAUTIONS], few]
    return [*document.notes, *marked]


MOST_CAUTIONS = 4
"""How many different cautions are spelled out."""


CAUTION = "!"
"""Marks an interval with a caution."""


def first_names(names: Sequence[str], most: int = 4) -> str:
    """The first names, and how many there are besides."""
    rest = len(names) - most
    if rest == 1:  # it takes no more room than '1 more'
        return f"{', '.join(names[:most])} and {names[most]}"
    return ", ".join(names[:most]) + (f" and {rest:,} more" if rest > 0 else "")


def _in_full(interval: Interval, decimals: int) -> str:
    return f"{interval:.{decimals}f}"


class Pen(NamedTuple):
    """How a format writes text from the data."""

    text: Callable[[object], str]
    code: Callable[[object], str]
    figure: Callable[[object], str]
    """Numbers and intervals."""
    best: str
    second: str
    mark: str
    legend: str = "Bold: best; underlined: second best."
    interval: Callable[[Interval, int], str] = _in_full
    beside_marks: bool = False
    """Whether an interval comes after the marks of its value, not within them."""


PLAIN = Pen(visible, visible, visible, "{}¹", "{}²", "{}", "¹ best, ² second best.", brief, True)
ASCII = PLAIN._replace(best="{} (1)", second="{} (2)", legend="(1) best, (2) second best.")
MARKDOWN = Pen(markdown, markdown_code, visible, "**{}**", "<u>{}</u>", "<sup>{}</sup>")
LATEX = Pen(
    breakable, breakable, latex, r"\textbf{{{}}}", r"\underline{{{}}}", r"\textsuperscript{{{}}}"
)
SIUNITX = LATEX._replace(figure=latex_numbers)
HTML = Pen(html, html_code, html, "<strong>{}</strong>", "<u>{}</u>", "<sup>{}</sup>")


def _lines(note: Note, pen: Pen) -> list[str]:
    return f"{pen.legend} {note.text}".split("\n") if note.ranks else note.text.split("\n")


def _written(column: GridColumn, cell: Cell, decimals: int, pen: Pen) -> str:
    """A cell as the format writes it."""
    escape = {"code": pen.code, "number": pen.figure, "interval": pen.figure}
    write = escape.get(column.kind, pen.text)
    if isinstance(cell, Standing):
        text, beside = write(cell.text), _beside(cell, write)
        if not pen.beside_marks:
            text, beside = text + beside, ""
        text = {"best": pen.best, "second": pen.second}.get(cell.rank, "{}").format(text)
        return text + (pen.mark.format(pen.figure(cell.mark)) if cell.mark else "") + beside
    shown = _shown(column, cell, decimals, pen)
    return write(shown) if shown else ""


def _beside(cell: Standing, write: Callable[[object], str]) -> str:
    """The text after a value, with a mark if there is a caution."""
    caution = CAUTION if cell.caution else ""
    return f" {write(cell.beside + caution)}" if cell.beside else caution


def _shown(column: GridColumn, cell: Cell, decimals: int, pen: Pen) -> str:
    if isinstance(cell, str):
        return cell
    if cell is None:
        return "–" if column.align == "right" else ""
    if column.show is not None:
        return column.show(cell, decimals)
    if isinstance(cell, Interval):
        return pen.interval(cell, decimals) + (CAUTION if cell.caution else "")
    return number(cell, decimals) if isinstance(cell, float) else items(cell)  # type: ignore[arg-type]


def _body(table: Grid, decimals: int, pen: Pen, most: int | None = None) -> list[list[str]]:
    """The cells, escaped."""
    columns = table.columns
    return [
        [_written(column, cell, decimals, pen) for column, cell in zip(columns, row, strict=True)]
        for row in table.rows[:most]
    ]


def html_cells(table: Grid, decimals: int = 4) -> list[list[str]]:
    """The cells of a table as HTML; signatures as text."""
    return _body(table, decimals, HTML._replace(code=html))


def refuse_whole(value: float) -> None:
    """Raise that without decimals, a fraction is shown as 0 or 1."""
    raise InputError(
        f"without decimals, {value:.4f} is shown as {value:.0f}: use decimals= (--decimals) of at "
        "least 1, or percentages where they are offered (--percent)"
    )


def _refuse_whole(document: Document, decimals: int) -> None:
    """Raise if some of the values are fractions, and no decimals are shown."""
    for block in document.blocks if not decimals else ():
        for row in block.rows if isinstance(block, Grid) else ():
            for column, cell in zip(block.columns, row, strict=True):  # type: ignore[union-attr]
                if column.show is None and isinstance(cell, float) and 0 < abs(cell) < 1:
                    refuse_whole(cell)


SignatureForm: TypeAlias = Literal["none", "short", "full"]
"""No signatures; what differs between them, then once what they share; or all of each."""


def render(
    document: Document,
    format: str,
    decimals: int = 4,
    width: int | None = None,
    signature: SignatureForm = "full",
    style: LatexStyle | None = None,
) -> str:
    """Write a document as text (in lines of this width), json, markdown, latex, html or csv."""
    match format:
        case "json":
            return json.dumps(document.to_dict(), indent=2, allow_nan=False) + "\n"
        case "csv":
            return csv_text(document.rows())
    _refuse_whole(document, decimals)
    document = signed(document, signature)
    match format:
        case "markdown":
            return _markdown(document, decimals)
        case "latex":
            return _latex(document, decimals, style or LatexStyle())
        case "html":
            return _html(document, decimals)
    return "".join(f"{line.text}\n" for line in text_lines(document, decimals, Terminal(width)))


def signed(document: Document, form: SignatureForm) -> Document:
    """The document with signatures in this form."""
    if form == "full":
        return document
    if form == "none":
        kept = (x for x in document.blocks if not isinstance(x, Signature))
        blocks: list[Block] = [_unsigned(x) if isinstance(x, Grid) else x for x in kept]
        return replace(document, blocks=blocks)
    blocks = []
    group: list[Block] = []
    for block in document.blocks:
        if isinstance(block, Grid) and block.common:  # what differs is in the table
            blocks += [*_shortened(group), _unsigned(block), Signature(block.common)]
            group = []
            continue
        group.append(block)
        if isinstance(block, Grid) and _code(block) is not None:  # it already ends with its own
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
    """Replace what JSON cannot represent by null."""
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


class Terminal(NamedTuple):
    """What a terminal can show."""

    width: int | None = None
    """Columns; None: as many as are needed."""
    bars: bool = False
    """Whether intervals are drawn, where there is room."""
    plain: bool = False
    """Whether there are no characters beyond ASCII."""

    @property
    def pen(self) -> Pen:
        """How ranks are marked."""
        return ASCII if self.plain else PLAIN


def text_lines(document: Document, decimals: int, terminal: Terminal) -> Iterator[Line]:
    """Lay a document out in lines: a blank line before each table and before the notes."""
    _refuse_whole(document, decimals)
    width = terminal.width
    yield from _prose(document.title, width) if document.title else ()
    above = bool(document.title)
    hidden = False
    for of_columns, group in groupby(document.blocks, _names_a_column):
        if of_columns:
            yield from map(Line, filled(map(_signature_text, group), width, 2))
            continue
        for block in group:
            lines = list(_text_block(block, decimals, terminal))
            if lines and above and (hidden or isinstance(block, Grid)):
                yield Line("")
            yield from lines
            above, hidden = True, isinstance(block, Grid) and not lines
    if notes := footnotes(document):
        yield Line("")
        for note in notes:
            yield from _prose(_advising(note, note), width)


def _advising(note: str, shown: str) -> str:
    """The end of a note as shown, and its advice, if it has any."""
    return f"{shown} {note.advice}".rstrip() if isinstance(note, Advised) else shown


def _prose(text: str, width: int | None) -> Iterator[Line]:
    yield from map(Line, wrapped(visible(text), width))


def _names_a_column(block: Block) -> bool:
    return isinstance(block, Signature) and block.name not in ("", SHARED)


def _signature_text(block: Any) -> str:
    lead = f"{SHARED} " if block.name == SHARED else block.name and f"{block.name}: "
    return visible(f"{lead}{block.text}")


def _text_block(block: Block, decimals: int, terminal: Terminal) -> Iterator[Line]:
    match block:
        case Grid():
            yield from _text_table(block, decimals, terminal)
        case Signature():
            yield from map(Line, wrapped(_signature_text(block), terminal.width, 2, code=True))
        case Note():
            *lines, last = _lines(block, terminal.pen)
            for line in (*lines, _advising(block.text, last)):
                yield from _prose(line, terminal.width)


def _text_table(table: Grid, decimals: int, terminal: Terminal) -> Iterator[Line]:
    columns, width = _text_columns(table, decimals, terminal.pen), terminal.width
    if terminal.bars and width is not None and not table.stacked:
        columns = with_bars(table, columns, width)
    heads = {at: visible(text) for at, text in table.heads.items()} if table.sections else {}
    lines = list(table_lines(columns, table.keys, None if table.if_it_fits else width, heads))
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


def _text_columns(table: Grid, decimals: int, pen: Pen) -> list[TextColumn]:
    """The columns as text; an interval that belongs to a number is next to it."""
    body = _body(table, decimals, pen, table.most)
    columns: list[TextColumn] = []
    for at, column in enumerate(table.columns):
        cells = [row[at] for row in body]
        if table.rows and isinstance(table.rows[0][at], Standing):
            cells = _aligned(cells, [row[at] for row in table.rows])
        if column.optional and columns:
            last = columns.pop()
            width = max(map(cell_width, last.cells), default=0)
            both = [f"{x:>{width}} {y}" for x, y in zip(last.cells, cells, strict=True)]
            columns.append(TextColumn(last.name, both))
        else:
            name = visible(column.name)
            columns.append(TextColumn(name, cells, column.align, column.kind))
    return columns


def with_bars(table: Grid, columns: list[TextColumn], width: int) -> list[TextColumn]:
    """The columns with a drawing of each interval, if all of them still fit."""
    at = next((x for x, c in enumerate(table.columns) if c.kind == "interval"), 0)
    if not at or table.columns[at].optional or table.columns[at - 1].kind != "number":
        return columns
    pairs = [(row[at - 1], row[at]) for row in table.rows[: table.most]]
    drawn = bars([(x if isinstance(x, (int, float)) else math.nan, _ends(y)) for x, y in pairs])
    if drawn is None:
        return columns
    more = [*columns[: at + 1], TextColumn(*drawn), *columns[at + 1 :]]
    return more if total_width(more) <= width else columns


def _ends(cell: Cell) -> tuple[float, float] | None:
    return (cell.low, cell.high) if isinstance(cell, Interval) else None


def _aligned(shown: list[str], cells: Iterable[Cell]) -> list[str]:
    """Ranks and marks have columns of their own, so that numbers are aligned."""
    parts = []
    for text, cell in zip(shown, cells, strict=False):
        beside = _beside(cell, visible) if isinstance(cell, Standing) else ""
        marked = text.removesuffix(beside)
        value = cell.text if isinstance(cell, Standing) else marked
        parts.append((marked, cell_width(marked) - cell_width(value), beside))
    most, wide = (
        max(sizes) for sizes in zip(*((x, cell_width(y)) for _, x, y in parts), strict=True)
    )
    return [
        f"{marked}{' ' * (most - more)}{beside}{' ' * (wide - cell_width(beside))}"
        for marked, more, beside in parts
    ]


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
                lead = block.sentence if block.aside else f"{block.name}:"
                item = f"- {markdown(lead)} {markdown_code(block.text)}"
                if parts and parts[-1].startswith("- "):  # it joins the list
                    item = f"{parts.pop()}\n{item}"
                parts.append(item)
            case Note():
                parts.append("  \n".join(map(markdown, _lines(block, MARKDOWN))))
    return "\n\n".join([*parts, *map(markdown, footnotes(document))]) + "\n"


def _markdown_table(table: Grid, decimals: int) -> str:
    heads, empty = table.heads, [""] * (len(table.columns) - 1)
    lines = [
        [markdown(column.name) for column in table.columns],
        ["---" if column.align == "left" else "---:" for column in table.columns],
    ]
    for at, row in enumerate(_body(table, decimals, MARKDOWN)):
        lines += [[f"*{markdown(heads[at])}*", *empty], row] if at in heads else [row]
    title = f"**{markdown(table.title)}**\n\n" if table.title else ""
    return title + "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _html(document: Document, decimals: int) -> str:
    """Write a fragment of HTML, without styles."""
    parts = [f"<p>{html(document.title)}</p>"] if document.title else []
    for block in document.blocks:
        match block:
            case Grid(if_it_fits=True):
                continue
            case Grid():
                parts += _html_table(block, decimals)
            case Signature():
                lead = block.sentence if block.aside else block.name and f"{block.name}:"
                parts.append(f"<p>{html(lead)} {html_code(block.text)}</p>".replace("<p> ", "<p>"))
            case Note():
                parts.append(f"<p>{'<br>'.join(map(html, _lines(block, HTML)))}</p>")
    return "\n".join([*parts, *(f"<p>{html(note)}</p>" for note in footnotes(document))]) + "\n"


def _html_table(table: Grid, decimals: int) -> Iterator[str]:
    yield "<table>"
    if table.title:
        yield f"<caption>{html(table.title)}</caption>"
    heads = "".join(f'<th scope="col">{html(column.name)}</th>' for column in table.columns)
    yield f"<thead><tr>{heads}</tr></thead>"
    yield "<tbody>"
    for at, row in enumerate(_body(table, decimals, HTML)):
        if at in table.heads:
            yield from ("</tbody>", "<tbody>") if at else ()
            wide = f'<th scope="rowgroup" colspan="{len(table.columns)}">'
            yield f"<tr>{wide}{html(table.heads[at])}</th></tr>"
        names = "".join(f'<th scope="row">{cell}</th>' for cell in row[: table.keys])
        yield f"<tr>{names}{''.join(f'<td>{cell}</td>' for cell in row[table.keys :])}</tr>"
    yield "</tbody>"
    yield "</table>"


def _latex(document: Document, decimals: int, style: LatexStyle) -> str:
    """Write booktabs tables, and below each its signatures and notes."""
    lines, titles = [*style.packages], [document.title] if document.title else []
    pen, labels = SIUNITX if style.siunitx else LATEX, style.labels()
    blocks = [x for x in document.blocks if not (isinstance(x, Grid) and x.if_it_fits)]
    if titles and not any(isinstance(block, Grid) for block in blocks):
        lines.append(rf"{latex(document.title)}\par")
    for block in (*blocks, *map(Note, footnotes(document))):
        if isinstance(block, Grid):
            caption = ". ".join(filter(None, (*titles, block.title))).rstrip(".")
            lines += latex_tables(
                _latex_columns(block, decimals, pen),
                block.keys,
                caption and f"{breakable(caption)}.",
                {at: breakable(text) for at, text in block.heads.items()},
                labels,
            )
        lines += _latex_below(block, decimals)
    return "\n".join(lines) + "\n"


def _latex_columns(table: Grid, decimals: int, pen: Pen) -> list[LatexColumn]:
    body = _body(table, decimals, pen)
    return [
        LatexColumn(
            [breakable(column.name), *(row[at] for row in body)],
            column.align == "left",
            column.optional,
        )
        for at, column in enumerate(table.columns)
        if column.kind != "code"
    ]


def _latex_below(block: Block, decimals: int) -> Iterator[str]:
    """The text below a table: signatures with their sentences, and notes."""
    lines: list[str] = []
    match block:
        case Grid():
            codes = [at for at, column in enumerate(block.columns) if column.kind == "code"]
            body = _body(block, decimals, LATEX)
            leads = [*map(breakable, block.sentences)] or [f"{row[0]}:" for row in body]
            for lead, row in zip(leads, body, strict=True):
                lines += [rf"{lead} \texttt{{{row[at]}}}" for at in codes if row[at]]
        case Signature(aside=True):
            yield f"% {visible(block.name)}: {visible(block.text)}"
            lines.append(breakable(block.sentence))
        case Signature():
            lead = block.sentence or (block.name and f"{block.name}:")
            lines.append(rf"{breakable(lead)} \texttt{{{breakable(block.text)}}}".lstrip())
        case Note():
            lines += map(breakable, _lines(block, LATEX))
    yield from (rf"{{\footnotesize\raggedright\noindent {line}\par}}" for line in lines)


class Presented(Displayed, ABC):
    """A result that can be written as a document in every format."""

    @abstractmethod
    def document(self, decimals: int | None = None) -> Document:
        """The document; ``decimals`` are those of numbers in sentences."""

    def _written(
        self, format: str, decimals: int | None = None, caption: str | None = None, **how: Any
    ) -> str:
        document = self.document(decimals).titled(caption)
        return render(document, format, 4 if decimals is None else decimals, **how)

    def __str__(self) -> str:
        columns = max(LEAST_WIDTH, get_terminal_size().columns)
        return self._written("text", width=columns, signature="short").rstrip("\n")

    def to_dict(self) -> dict[str, Any]:
        """The JSON object."""
        return self.document().to_dict()

    def to_json(self) -> str:
        """The same as text."""
        return self._written("json")

    def to_markdown(self, decimals: int | None = None, signature: SignatureForm = "full") -> str:
        """A table in Markdown."""
        return self._written("markdown", decimals, signature=signature)

    def to_latex(
        self,
        decimals: int | None = None,
        signature: SignatureForm = "full",
        *,
        caption: str | None = None,
        label: str = "",
        siunitx: bool = False,
    ) -> str:
        r"""Tables in LaTeX; the first line names the packages that they need.

        ``caption`` replaces the default one, and is plain text; ``label`` is for \ref, with
        -2, -3, … added for further tables; with ``siunitx``, numbers are written with \num.
        """
        style = LatexStyle(label, siunitx)
        return self._written("latex", decimals, caption, signature=signature, style=style)

    def to_html(self, decimals: int | None = None, signature: SignatureForm = "full") -> str:
        """A fragment of HTML, without styles."""
        return self._written("html", decimals, signature=signature)

    def to_csv(self) -> str:
        """One line for each number, in full precision."""
        return self._written("csv")

    def to_pandas(self) -> Any:
        """The lines of ``to_csv`` as a DataFrame."""
        import pandas as pd

        head, *rows = self.document().rows()
        return pd.DataFrame([[*row] for row in rows], columns=[*head])

    def to_polars(self) -> Any:
        """The lines of ``to_csv`` as a polars DataFrame."""
        import polars as pl

        head, *rows = ([*row] for row in self.document().rows())
        names = [*map(str, head)]
        return pl.DataFrame(rows, schema=names, orient="row", infer_schema_length=None)
