"""Escaping: the only way for text from the data to reach a terminal, Markdown, LaTeX or CSV."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Callable, Iterable

_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "|": r"\textbar{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        '"': r"\textquotedbl{}",
        "'": r"\textquotesingle{}",
        "`": r"\textasciigrave{}",
        "-": "{-}",  # no ligatures, so that signatures can be copied
        "[": "{[}",  # \\\\ takes what follows as its argument if it is a bracket or a star
        "*": "{*}",
        "–": r"\textendash{}",
        "…": r"\textellipsis{}",
        "−": "$-$",  # LaTeX has no such letters: they stop pdflatex
        "∞": r"$\infty$",
        "×": r"$\times$",
        "≤": r"$\leq$",
        "≥": r"$\geq$",
    }
)
_MARKDOWN = re.compile(r"([\\`*_\[\]#|~$])")
_FORMULA = ("=", "+", "-", "@")


def visible(text: object) -> str:
    """Replace control characters, escape codes, direction marks and line breaks by escapes."""
    shown = str(text)
    if shown.isprintable():
        return shown
    return "".join(c if _harmless(c) else ascii(c)[1:-1] for c in shown)


def _harmless(character: str) -> bool:
    """Whether a character is printable, unassigned or for private use."""
    return character.isprintable() or unicodedata.category(character) in ("Cn", "Co")


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
