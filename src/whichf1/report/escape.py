"""The one place where text of the data enters another language."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable

_LATEX = {
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
    "-": "{-}",  # no ligatures: signatures are copied
    "[": "{[}",  # \\\\ before a cell takes an argument in brackets, or a star
    "*": "{*}",
}
_MARKDOWN = re.compile(r"([\\`*_\[\]#|~$])")
_FORMULA = ("=", "+", "-", "@")


def visible(text: object) -> str:
    """Control characters, escape codes, direction marks and line breaks as visible escapes."""
    return "".join(c if _harmless(c) else ascii(c)[1:-1] for c in str(text))


def _harmless(character: str) -> bool:
    return character == " " or unicodedata.category(character) not in (
        "Cc",
        "Cf",
        "Cs",
        "Zl",
        "Zp",
        "Zs",
    )


def markdown(text: object) -> str:
    """Text inside a Markdown table cell: no markup, no HTML, no new cell."""
    html = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKDOWN.sub(r"\\\1", html)


def markdown_code(text: object) -> str:
    """Text as code inside a Markdown table cell."""
    plain = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<code>{_MARKDOWN.sub(lambda m: f'&#{ord(m[1])};', plain)}</code>"


def latex(text: object) -> str:
    """Text in LaTeX, every special character spelled out."""
    return "".join(_LATEX.get(c, c) for c in visible(text))


def csv_cell(value: object) -> object:
    """A CSV cell; text that a spreadsheet would run gets a quote in front. Numbers stay."""
    if not isinstance(value, str):
        return value
    shown = visible(value)
    return f"'{shown}" if shown.lstrip().startswith(_FORMULA) else shown


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Rows as CSV; None is an empty cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([csv_cell(cell) for cell in row] for row in rows)
    return out.getvalue()
