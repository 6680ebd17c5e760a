"""The look of series, whatever the renderer: a colour, a dash and a shape for each.

Colour-blind readers can distinguish the colours; in grey, the dash and the shape differ.
"""

from __future__ import annotations

from typing import NamedTuple

from whichf1.reporting.pictures.marks import Ink

TEXT, MUTED, FAINT = "#1a1a1a", "#6b6b6b", "#d0d0d0"
INKS = ("#0067a5", "#d1600a", "#1a1a1a", "#3f9b75", "#8d4fa8", "#9c8412", "#c05a7e")
DASHES: tuple[tuple[float, ...], ...] = ((), (4, 1.5), (1, 1.2), (6, 1.5, 1, 1.5),
                                         (3, 1, 1, 1, 1, 1), (8, 2), (2, 2))  # fmt: skip
"""Lengths of lines and gaps, as multiples of the width; empty for a solid line."""
DASHED = (3.0, 2.0)
"""The dash of a line that is dashed whatever its series."""
SHAPES = ("circle", "diamond", "square", "up", "down", "plus", "cross")
SHADE = ("#f5f8fb", "#0b4f86")
"""The colours for no items and for all of them."""
MARK = "#d1600a"


class Look(NamedTuple):
    """How a series is drawn."""

    colour: str
    dash: tuple[float, ...]
    shape: str


def look(ink: Ink, dash: bool | None = None) -> Look:
    """Colour, dash and shape of a series, or of grey marks; ``dash`` overrides, if not None."""
    if isinstance(ink, str):
        drawn = Look({"text": TEXT, "muted": MUTED, "faint": FAINT}[ink], (), SHAPES[0])
    else:
        turn = ink + ink // len(INKS)  # with more series than colours, other pairs
        drawn = Look(INKS[ink % len(INKS)], DASHES[turn % len(DASHES)], SHAPES[turn % len(SHAPES)])
    return drawn if dash is None else drawn._replace(dash=DASHED if dash else ())
