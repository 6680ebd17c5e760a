"""Escaping: the only way for text from the data to reach a terminal, Markdown, LaTeX or CSV."""

from __future__ import annotations

import csv
import io
import math
import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache

from whichf1.reporting.numbers import number

_NAMED = {
    "\\": "backslash", "^": "asciicircum", "~": "asciitilde", "|": "bar", "<": "less",
    ">": "greater", '"': "quotedbl", "'": "quotesingle", "`": "asciigrave", "–": "endash",
    "—": "emdash", "…": "ellipsis", "‘": "quoteleft", "’": "quoteright", "“": "quotedblleft",
    "”": "quotedblright", "€": "euro", "¹": "onesuperior", "²": "twosuperior", "°": "degree",
    "§": "section", "£": "sterling", "µ": "mu",
}  # fmt: skip
_MATHS = {
    "−": "-", "∞": r"\infty", "×": r"\times", "≤": r"\leq", "≥": r"\geq", "±": r"\pm",
    "†": r"\dagger", "↑": r"\uparrow", "↓": r"\downarrow", "≠": r"\neq", "→": r"\rightarrow",
}  # fmt: skip
_LETTERS = {"ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l",
            "Ł": "L", "đ": "dj", "Đ": "DJ", "ð": "dh", "Ð": "DH", "þ": "th", "Þ": "TH",
            "ı": "i"}  # fmt: skip
_ACCENTS = {0x300: "`", 0x301: "'", 0x302: "^", 0x303: "~", 0x304: "=", 0x306: "u", 0x307: ".",
            0x308: '"', 0x30A: "r", 0x30B: "H", 0x30C: "v", 0x327: "c", 0x328: "k"}  # fmt: skip
_GREEK = {
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda",
    "mu", "nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma",
    "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Phi", "Psi", "Omega",
}  # fmt: skip
_LATEX = (
    {character: f"\\{character}" for character in "{}$&#%_"}
    | {character: rf"\text{name}{{}}" for character, name in _NAMED.items()}
    | {character: f"${symbol}$" for character, symbol in _MATHS.items()}
    | {character: rf"\{name}{{}}" for character, name in _LETTERS.items()}
    | {"-": "{-}"}  # no ligatures, so that signatures can be copied
    | {"[": "{[}", "*": "{*}"}  # after a line break, they would be its argument
)
_CODE_POINT = "{[}U+"
_RUN = 10
"""The longest run of letters without a possible line break."""
_NUMBER = re.compile(r"(?:(?<!\S)[-+−]|(?<=\[)[-−])?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
_MARKDOWN = re.compile(r"([\\`*_\[\]#|~$])")
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
"""What a spreadsheet takes for the start of a formula; some also accept full-width characters."""


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


def html(text: object) -> str:
    """Escape text for HTML, attributes in quotes included."""
    return _html(text).replace('"', "&quot;").replace("'", "&#39;")


def html_code(text: object) -> str:
    """Escape text as code in HTML."""
    return f"<code>{html(text)}</code>"


def xml(text: object) -> str:
    """Escape text for XML, attributes in quotes included; some code points cannot be in it."""
    lacking = re.compile("[\ufffe\uffff\U0001fffe\U0001ffff]")
    return lacking.sub(lambda match: ascii(match[0])[1:-1], html(text))


def github_text(text: object) -> str:
    """Escape text for the message of a command of GitHub Actions."""
    return visible(text).replace("%", "%25")


def github_property(text: object) -> str:
    """Escape text for a property of a command of GitHub Actions."""
    return github_text(text).replace(":", "%3A").replace(",", "%2C")


def latex(text: object) -> str:
    """Escape text for LaTeX, every special character spelled out, in ASCII."""
    return "".join(map(_latex, visible(text)))


def breakable(text: object) -> str:
    """Escape text for LaTeX so that lines can break after bars and colons, and in long words."""
    shown, out, run = visible(text), [], 0
    for character, following in zip(shown, f"{shown[1:]} ", strict=False):
        out.append(_latex(character))
        run = 0 if character == " " else run + 1
        anywhere = run >= _RUN and not (character.isascii() and character.isalnum())
        point = out[-1].startswith(_CODE_POINT)
        if (character in "|:" or anywhere or run >= 2 * _RUN or point) and following != " ":
            out.append(r"\allowbreak{}")
            run = 0
    return "".join(out)


def latex_numbers(text: object) -> str:
    r"""Escape text for LaTeX, with its numbers as siunitx's \num."""
    shown, out, end = visible(text), [], 0
    for number_in_it in _NUMBER.finditer(shown):
        out += [latex(shown[end : number_in_it.start()])]
        out.append(rf"\num{{{number_in_it[0].replace(',', '').replace('−', '-')}}}")
        end = number_in_it.end()
    return "".join([*out, latex(shown[end:])])


def latex_length(escaped: str) -> int:
    """About how many characters LaTeX shows for an escaped text."""
    bare = re.sub(r"\\allowbreak\{\}|[{}$]", "", escaped)
    return len(re.sub(r"\\[a-zA-Z]+|\\.", "x", bare))


def _latex(character: str) -> str:
    if character in _LATEX:
        return _LATEX[character]
    return character if character.isascii() else _spelled(character)


@lru_cache(maxsize=4096)
def _spelled(character: str) -> str:
    """A letter beyond ASCII: base and accent, Greek, or its code point."""
    base, *marks = list(unicodedata.normalize("NFD", character))
    if len(marks) == 1 and ord(marks[0]) in _ACCENTS and base.isascii():
        return rf"\{_ACCENTS[ord(marks[0])]}{{{base}}}"
    words = unicodedata.name(character, "").split(" ")
    if words[:1] == ["GREEK"] and words[2:3] == ["LETTER"] and len(words) == 4:
        name = words[3].lower().replace("lamda", "lambda")
        name = name.capitalize() if words[1] == "CAPITAL" else name
        if name in _GREEK:
            return rf"$\{name}$"
    return f"{_CODE_POINT}{ord(character):04X}]"


def csv_cell(value: object) -> object:
    """Escape a CSV cell: text that a spreadsheet would run as a formula gets a leading quote.

    NaN and infinity are words.
    """
    if isinstance(value, float) and not math.isfinite(value):
        return number(value, 0)
    if not isinstance(value, str):
        return value
    shown = visible(value)
    return f"'{shown}" if shown.lstrip().startswith(_FORMULA) else shown


def csv_text(rows: Iterable[Iterable[object]], show: Callable[[object], object] = csv_cell) -> str:
    """Write rows as CSV; None is an empty cell."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(map(show, row) for row in rows)
    return out.getvalue()
