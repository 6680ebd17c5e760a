"""Drawn text: fonts that have its characters, its width, and how it is shortened.

Only this module and ``drawing`` import matplotlib, when a picture is first drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from whichf1.errors import InputError
from whichf1.reporting.pictures.cutting import fitting

SANS, MONO = "DejaVu Sans", "DejaVu Sans Mono"
"""Fonts that come with matplotlib, so that a picture looks the same everywhere."""
MISSING = "pictures need matplotlib: pip install 'whichf1[plot]'"
_FEW = 4
"""The most other fonts that one picture uses."""


def plotting() -> Any:
    """The plotting library; raises how to install it if it is missing."""
    try:
        import matplotlib
    except ImportError:
        raise InputError(MISSING) from None
    return matplotlib


def fonts(texts: Iterable[str]) -> tuple[list[str], frozenset[str]]:
    """Families that together have the characters of the texts, and the characters none has."""
    needed = frozenset("".join(texts)) - _characters(_path(SANS)) - {"\n"}
    families, missing = _others(needed) if needed else ((), frozenset())
    return [SANS, *families], missing


@lru_cache(maxsize=16)
def _others(needed: frozenset[str]) -> tuple[tuple[str, ...], frozenset[str]]:
    """Installed fonts that have most of the characters, and the remaining characters."""
    from matplotlib import font_manager

    known = {each.fname: each.name for each in font_manager.fontManager.ttflist}
    usable = {path: name for path, name in known.items() if "LastResort" not in path}
    chosen: list[str] = []
    while needed and len(chosen) < _FEW:
        path = max(usable, key=lambda each: (len(needed & _characters(each)), usable[each]))
        covered = needed & _characters(path)
        if not covered:
            break
        chosen.append(usable[path])
        needed -= covered
    return tuple(chosen), needed


@lru_cache(maxsize=4096)
def _characters(path: str) -> frozenset[str]:
    """The characters that a font has."""
    from matplotlib.ft2font import FT2Font

    try:
        return frozenset(map(chr, FT2Font(path).get_charmap()))
    except (RuntimeError, OSError):  # a damaged font
        return frozenset()


def _path(family: str) -> str:
    from matplotlib import font_manager

    return str(font_manager.findfont(family))


def spelled(text: str, missing: frozenset[str]) -> str:
    """The text with characters that no font has replaced by their code points."""
    if missing.isdisjoint(text):
        return text
    return "".join(f"[{ord(x):X}]" if x in missing else x for x in text)


@lru_cache(maxsize=8192)
def width(text: str, size: float, families: tuple[str, ...]) -> float:
    """The width of a line in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    properties = FontProperties(family=list(families), size=size)
    return float(text_to_path.get_text_width_height_descent(text, properties, ismath=False)[0])


def shortened(
    texts: Sequence[str], points: float, size: float, families: tuple[str, ...],
    numbers: Sequence[int] = (),
) -> list[str]:  # fmt: skip
    """Texts of at most this width: longer names lose their middle, but stay distinct."""

    def cut(lead: str, name: str, tail: str) -> str:
        beside = width(lead + tail, size, families) if lead or tail else 0.0
        return f"{lead}{_middle_cut(name, points - beside, size, families)}{tail}"

    return fitting(texts, cut, numbers)


def _middle_cut(text: str, points: float, size: float, families: tuple[str, ...]) -> str:
    if len(text) < 400 and width(text, size, families) <= points:
        return text
    low, high = 1, min(len(text) - 1, 400)
    while low < high:  # the most characters that fit
        keep = (low + high + 1) // 2
        low, high = (
            (keep, high) if width(_cut(text, keep), size, families) <= points else (low, keep - 1)
        )
    return _cut(text, low)


def _cut(text: str, keep: int) -> str:
    head = (2 * keep + 2) // 3
    return f"{text[:head]}…{text[len(text) - (keep - head) :]}"


def wrapped(text: str, points: float, size: float, families: tuple[str, ...]) -> list[str]:
    """Lines of at most this width, broken at spaces, after bars, and in words if necessary."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for piece in _pieces(paragraph):
            if line and width((line + piece).rstrip(), size, families) > points:
                lines.append(line.rstrip())
                line = ""
            while width(piece.rstrip(), size, families) > points and len(piece) > 1:
                keep = next(
                    (n for n in range(len(piece) - 1, 1, -8)
                     if width(piece[:n], size, families) <= points), 1
                )  # fmt: skip
                lines.append(piece[:keep])
                piece = piece[keep:]
            line += piece
        lines.append(line.rstrip())
    return lines


def _pieces(text: str) -> list[str]:
    """Where a line may be broken: after a space and after a bar."""
    pieces, start = [], 0
    for at, character in enumerate(text, 1):
        if character in " |":
            pieces.append(text[start:at])
            start = at
    return [*pieces, text[start:]]
