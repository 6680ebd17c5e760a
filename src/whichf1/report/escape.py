"""Escaping: the only way for text from the data to reach a terminal, Markdown, LaTeX or CSV."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Callable, Iterable

_NAMED = {
    "\\": "backslash", "^": "asciicircum", "~": "asciitilde", "|": "bar", "<": "less",
    ">": "greater", '"': "quotedbl", "'": "quotesingle", "`": "asciigrave", "–": "endash",
    "…": "ellipsis",
}  # fmt: skip
_MATHS = {"−": "-", "∞": r"\infty", "×": r"\times", "≤": r"\leq", "≥": r"\geq"}
"""LaTeX has no such letters: they stop pdflatex."""
_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "{}$&#%_"}
    | {character: rf"\text{name}{{}}" for character, name in _NAMED.items()}
    | {character: f"${symbol}$" for character, symbol in _MATHS.items()}
    | {"-": "{-}"}  # no ligatures, so that signatures can be copied
    | {"[": "{[}", "*": "{*}"}  # after a line break, they would be its argument
)
_MARKDOWN = re.compile(r"([\\`*_\[\]#|~$])")
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
"""What a spreadsheet takes for the start of a formula; some also where it is full-width."""


def visible(text: object) -> str:
    """Replace control characters, escape codes, direction marks and line breaks by escapes."""
    shown = str(text)
    if shown.isprintable():
        return shown
    # unassigned characters and those for private use are harmless
    harmless = (c.isprintable() or unicodedata.category(c) in ("Cn", "Co") for c in shown)
    return "".join(c if fine else ascii(c)[1:-1] for c, fine in zip(shown, harmless, strict=True))


def markdown(text: object) -> str:
    """Escape text for a Markdown table cell: no markup, no HTML, no new cell."""
    return _MARKDOWN.sub(r"\\\1", _html(text))


def markdown_code(text: object) -> str:
    """Escape text as code in a Markdown table cell."""
    return f"<code>{_MARKDOWN.sub(lambda m: f'&#{ord(m[1])};', _html(text))}</code>"


def _html(text: object) -> str:
    return visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def latex(text: object) -> str:
    """Escape text for LaTeX, every special character spelled out."""
    return visible(text).translate(_LATEX)


def csv_cell(value: object) -> object:
    """Escape a CSV cell: text that a spreadsheet would run as a formula gets a leading quote."""
    if not isinstance(value, str):
        return value
    shown = visible(value)
    return f"'{shown}" if shown.lstrip().startswith(_FORMULA) else shown


def csv_text(rows: Iterable[Iterable[object]], show: Callable[[object], object] = csv_cell) -> str:
    """Write rows as CSV; None is an empty cell."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(map(show, row) for row in rows)
    return out.getvalue()
