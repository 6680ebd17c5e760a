"""Positions for texts next to points, so that none overlaps another or leaves the panel.

Lengths are in whatever unit a renderer uses; y grows upwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from whichf1.errors import numbered, verb
from whichf1.reporting.pictures.marks import Dots, Ink, Panel, Place, Tag

Box: TypeAlias = tuple[float, float, float, float]
"""Left, bottom, right, top."""
SIDES = {
    "right": (1.0, 0.0), "left": (-1.0, 0.0), "above": (0.0, 1.0), "below": (0.0, -1.0),
    "above right": (0.8, 0.7), "below right": (0.8, -0.7), "above left": (-0.8, 0.7),
    "below left": (-0.8, -0.7),
}  # fmt: skip


class Wanted(NamedTuple):
    """A text to be placed next to a point of a panel."""

    text: str
    at: Place
    reach: float
    """The radius of the point."""
    ink: Ink
    side: str
    fixed: bool
    """Whether it stands alone, rather than naming one of many points."""
    number: int = 0
    """The number of the name among all of them."""


def reach_of(area: float | None) -> float:
    """The radius of a point, in points of 1/72 inch."""
    return 2.9 if area is None else ((10 + 110 * area) / 3.141592653589793) ** 0.5 + 0.6


def wanted(panel: Panel) -> Iterator[Wanted]:
    """Every text to be placed, important ones first."""
    for mark in panel.marks:
        if isinstance(mark, Tag):
            yield Wanted(mark.text, mark.at, 1.0, mark.ink, mark.side, True)
    for mark in panel.marks:
        if isinstance(mark, Dots):
            for at, text in enumerate(mark.tags):
                if text:
                    reach = reach_of(mark.area[at] if mark.area else None)
                    number = mark.numbers[at] if mark.numbers else at + 1
                    point = mark.x[at], mark.y[at]
                    yield Wanted(text, point, reach, "text", "right", False, number)


def named(
    every: Sequence[Wanted], shorten: Callable[[list[str], list[int]], list[str]]
) -> list[str]:
    """The texts as they fit: those of points are shortened together, so that they stay distinct."""
    points = [x for x in every if not x.fixed]
    short = iter(shorten([x.text for x in points], [x.number for x in points]))
    return [shorten([x.text], [1])[0] if x.fixed else next(short) for x in every]


def touch(a: Sequence[float], b: Sequence[float], room: float) -> bool:
    """Whether two boxes come closer than this."""
    return a[0] < b[2] + room and b[0] < a[2] + room and a[1] < b[3] + room and b[1] < a[3] + room


@dataclass
class Taken:
    """The positions already taken by texts and points."""

    box: Box
    """The panel."""
    points: list[tuple[Any, Any]]
    """Arrays of positions, and the radius of each."""
    boxes: list[Box] = field(default_factory=list)

    def free(self, box: Box) -> bool:
        """Whether a text may be placed here."""
        x0, y0, x1, y1 = box
        if x0 < self.box[0] or y0 < self.box[1] or x1 > self.box[2] or y1 > self.box[3]:
            return False
        if any(touch(box, other, 1) for other in self.boxes):
            return False
        for centre, reach in self.points:
            x, y = centre.T
            near = (x > x0 - reach) & (x < x1 + reach) & (y > y0 - reach) & (y < y1 + reach)
            if near.any():
                return False
        return True

    def place(self, at: Place, wide: float, high: float, far: float, side: str) -> Box | None:
        """The first side of a point, ``far`` away, that has room; it is then taken."""
        for name in dict.fromkeys([side, *SIDES]):
            dx, dy = SIDES[name]
            left = at[0] + dx * far - (0 if dx > 0.1 else wide if dx < -0.1 else wide / 2)
            low = at[1] + dy * far - (0 if dy > 0.1 else high if dy < -0.1 else high / 2)
            box = (left, low, left + wide, low + high)
            if self.free(box):
                self.boxes.append(box)
                return box
        return None


def left_out_notes(every: Sequence[Wanted], missing: Sequence[Wanted]) -> Iterator[str]:
    """What could not be placed, in words."""
    points = [x for x in missing if not x.fixed]
    if points:
        total = sum(not x.fixed for x in every)
        named = total - len(points)
        yield (
            f"{named} of {numbered(total, 'point')} {verb(named, 'is', 'are')} named; there is no "
            f"room for the {verb(len(points), 'other', 'others')}."
        )
    fixed = [x.text for x in missing if x.fixed]
    if fixed:
        yield f"No room for the label of: {', '.join(fixed[:6])}."
