"""Tables in LaTeX that fit the text of an article: narrow columns, several tables, or pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple

from whichf1.errors import InputError
from whichf1.reporting.escape import latex_length
from whichf1.tables.records import dataclass

TEXT_WIDTH = 345.0
"""The text width of the article class at 10 pt, in points: the narrowest common one."""
LETTER, DIGIT, GAP = 5.0, 4.3, 8.0
"""The width in points of a letter, a digit and the space of a column, in \\footnotesize."""
LEAST, MOST = 60.0, 130.0
"""The least width of a column of text in points; longer texts are broken."""
CAPITAL = 0.4
"""How much wider a capital is than other letters."""
BREAK = re.compile(r"\\allowbreak\{\}| ")
"""Where a text may be broken."""
MANY = 30
"""Tables with more rows than this span pages."""
LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9:._-]*")


@dataclass(frozen=True)
class LatexStyle:
    """What the author of a paper chooses."""

    label: str = ""
    """For \\ref; further tables get -2, -3, … after it."""
    siunitx: bool = False
    """Whether numbers are written with \\num, so that they look like others in the document."""

    def __post_init__(self) -> None:
        if self.label and not LABEL.fullmatch(self.label):
            raise InputError(
                "a LaTeX label must consist of letters, digits and : . _ -, such as "
                f"tab:results; got {self.label!r}"
            )

    @property
    def packages(self) -> tuple[str, str]:
        """Comments that name the packages required by the tables."""
        more = ",siunitx" if self.siunitx else ""
        return (
            rf"% needs \usepackage{{array,booktabs,longtable,textcomp{more}}} and "
            r"\usepackage[T1]{fontenc}",
            r"% (pdflatex supports few non-Latin letters: others are written as code "
            r"points)",
        )

    def labels(self) -> Iterator[str]:
        """The label of each table."""
        yield rf"\label{{{self.label}}}" if self.label else ""
        for number in count(2):
            yield rf"\label{{{self.label}-{number}}}" if self.label else ""


class LatexColumn(NamedTuple):
    """A column of escaped cells."""

    cells: Sequence[str]
    """The header first."""
    text: bool
    """Whether it holds text, which may be broken over lines."""
    glued: bool = False
    """Whether it stays next to the column before it."""

    @property
    def width(self) -> float:
        """About how wide it is without breaks, in points."""
        return (LETTER if self.text else DIGIT) * max(map(latex_length, self.cells))

    @property
    def least(self) -> float:
        """About how wide its longest piece between two breaks is; capitals are wider."""
        pieces = [piece for cell in self.cells for piece in re.split(BREAK, cell)]
        return LETTER * max(latex_length(x) + CAPITAL * sum(map(str.isupper, x)) for x in pieces)


def latex_tables(
    columns: Sequence[LatexColumn],
    keys: int,
    caption: str,
    heads: Mapping[int, str],
    labels: Iterator[str],
) -> Iterator[str]:
    """One or more tables of the same rows, each with its caption and columns that fit.

    ``heads`` are headings by the number of the row below them.
    """
    for part in _parts(columns, keys):
        label = next(labels)
        yield from _table(part, rf"\caption{{{caption}}}{label}" if caption else "", heads)


def _parts(columns: Sequence[LatexColumn], keys: int) -> list[list[tuple[LatexColumn, float]]]:
    """Columns with their widths, in few tables: long names leave half of the width if they can."""
    half = TEXT_WIDTH / 2 / max(keys, 1) - GAP
    return min((_divided(columns, keys, most) for most in (MOST, half)), key=len)


def _divided(
    columns: Sequence[LatexColumn], keys: int, most: float
) -> list[list[tuple[LatexColumn, float]]]:
    """The same for names of at most this width, if they can be broken."""
    names = [
        (column, min(column.width, max(most, min(column.least, MOST)))) for column in columns[:keys]
    ]
    parts = [list(names)]
    others = [(column, min(column.width, MOST)) for column in columns[keys:]]
    at = 0
    while at < len(others):
        end = at + 1
        while end < len(others) and others[end][0].glued:
            end += 1
        if len(parts[-1]) > keys and _total([*parts[-1], *others[at:end]]) > TEXT_WIDTH:
            parts.append(list(names))
        parts[-1] += others[at:end]
        at = end
    return [_widened(part) for part in parts]


def _total(part: Sequence[tuple[LatexColumn, float]]) -> float:
    return sum(width + GAP for _, width in part)


def _widened(part: list[tuple[LatexColumn, float]]) -> list[tuple[LatexColumn, float]]:
    """The rest of the line goes to the texts that are broken."""
    broken = sum(width < column.width for column, width in part)
    more = max(0.0, TEXT_WIDTH - _total(part)) / (broken or 1)
    return [(c, min(c.width, w + more) if w < c.width else w) for c, w in part]


def _table(
    part: Sequence[tuple[LatexColumn, float]], caption: str, heads: Mapping[int, str]
) -> Iterator[str]:
    letters = "".join(_letter(*each) for each in part)
    lines = zip(*(column.cells for column, _ in part), strict=True)
    head, *rows = (" & ".join(line) + r" \\" for line in lines)
    width = sum(width + GAP for _, width in part) - GAP
    body: list[str] = []
    for at, row in enumerate(rows):
        if at in heads:
            cell = rf">{{\raggedright\arraybackslash}}p{{{max(width, LEAST):.0f}pt}}"
            space = [r"\addlinespace"] if at else []
            body += [*space, rf"\multicolumn{{{len(part)}}}{{{cell}}}{{\itshape {heads[at]}}} \\*"]
        body.append(row)
    small = r"\footnotesize\setlength{\tabcolsep}{4pt}"
    if len(body) <= MANY and not any(width < column.width for column, width in part):
        yield rf"\begin{{table}}[htbp]\centering{small}"
        yield rf"\begin{{tabular}}{{{letters}}}"
        yield from (r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}")
        yield from [caption] if caption else []
        yield r"\end{table}"
        return
    yield rf"{{{small}"
    yield rf"\begin{{longtable}}{{{letters}}}"
    yield from [rf"{caption}\\"] if caption else []
    yield from (r"\toprule", head, r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot", *body)
    yield r"\end{longtable}}"


def _letter(column: LatexColumn, width: float) -> str:
    if width < column.width:
        return rf">{{\raggedright\arraybackslash}}p{{{width:.0f}pt}}"
    return "l" if column.text else "r"
