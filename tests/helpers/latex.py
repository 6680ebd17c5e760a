"""What would stop LaTeX, found without LaTeX: environments, braces, rows of tables, characters."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ENVIRONMENT = re.compile(r"\\(begin|end)\{(\w+)\}")
_TABULAR = re.compile(r"\\begin\{tabular\}\{((?:[^{}]|\{[^{}]*\})*)\}(.*?)\\end\{tabular\}", re.S)
_ESCAPED = re.compile(r"\\[^a-zA-Z]")
"""A backslash and the character that it makes harmless, or a line break in a table."""
KNOWN = {*map(chr, (*range(0xA1, 0x180), *range(0x2018, 0x201F))), *"–—…€"} - {*"ĦħĸĿŀŉŦŧſ"}
"""Beyond ASCII, about what ``inputenc`` knows with ``textcomp`` and the encoding T1."""


def problems(text: str) -> list[str]:
    """Everything that LaTeX would not take, in words."""
    source = re.sub(r"(?<!\\)%.*", "", text)
    return [
        *_environments(source),
        *_groups(source),
        *(problem for layout, body in _TABULAR.findall(source) for problem in _rows(layout, body)),
        *(f"{c!r} is unknown" for c in sorted({*source}) if not c.isascii() and c not in KNOWN),
    ]


def _environments(source: str) -> Iterator[str]:
    opened: list[str] = []
    for which, name in _ENVIRONMENT.findall(source):
        if which == "begin":
            opened.append(name)
        elif not opened or opened.pop() != name:
            yield f"\\end{{{name}}} ends nothing"
    yield from (f"\\begin{{{name}}} never ends" for name in opened)


def _groups(source: str) -> Iterator[str]:
    bare = _ESCAPED.sub("", source)
    depth = 0
    for character in bare:
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth < 0:
            break
    if depth:
        yield "braces do not match"
    if "&" in _ESCAPED.sub("", _TABULAR.sub("", source)):
        yield "an alignment outside of a table"
    for line in bare.splitlines():
        if line.count("$") % 2:
            yield f"mathematics never ends: {line}"
        outside = re.sub(r"\$[^$]*\$", "", line)
        if re.search(r"[_^#]", outside):
            yield f"a special character: {line}"


def _rows(layout: str, body: str) -> Iterator[str]:
    wanted = len(re.sub(r"\{[^{}]*\}", "", layout))
    rule = re.compile(r"\\(?:top|mid|bottom)rule")
    for row in re.split(r"\\\\", body):
        bare = _ESCAPED.sub("", rule.sub("", row)).strip()
        if bare and bare.count("&") + 1 != wanted:
            yield f"{bare.count('&') + 1} cells in {wanted} columns: {row.strip()}"
        if bare.startswith(("[", "*")):
            yield f"a line break takes this for its argument: {row.strip()}"
