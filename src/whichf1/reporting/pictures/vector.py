"""A Picture for a page: an SVG for each panel, which follows the page's light, dark and print.

Every number, scale, order and word comes from the Picture. Looks are classes, which the style
sheet of pages defines, and attributes: a page's policy refuses styles inside elements. A table of
up to ``MOST_CELLS`` classes is a real table, with headers; a larger one has a path for each shade.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from whichf1.reporting.escape import html
from whichf1.reporting.layout import cell_width
from whichf1.reporting.pictures.cutting import fitting
from whichf1.reporting.pictures.look import INKS, look
from whichf1.reporting.pictures.marks import (
    Axis,
    Bars,
    Dots,
    Ink,
    Key,
    Mark,
    Panel,
    Picture,
    Ribbon,
    Stroke,
    Tag,
    Tiles,
)
from whichf1.reporting.pictures.placing import Taken, left_out_notes, named, reach_of, wanted
from whichf1.tables.records import dataclass

if TYPE_CHECKING:
    from markupsafe import Markup

WIDE = 440
"""The width of a panel in units, which are pixels if there is room; still legible on a phone."""
BESIDE = 300
"""The width of one of several panels."""
SIZE, SMALL = 12.0, 11.0
"""The sizes of names and of other texts."""
EM = 0.62
"""The width of a letter, relative to its size: that of a wide font."""
POINT = 96 / 72
MOST_CELLS = 20
"""The most classes of a table that has a cell for each pair."""
SHADES = 8
LONGEST = 0.36
"""The fraction of a panel that names may take."""


@dataclass(frozen=True)
class PagePicture:
    """A picture as parts of a page."""

    picture: Picture
    parts: tuple[Markup, ...]
    """The panels: images, or a table."""
    legend: tuple[tuple[Markup, str], ...]
    """The look of each series, and its name."""
    notes: tuple[str, ...]
    tall: bool
    """Whether it is so tall that it should scroll."""

    @property
    def table(self) -> bool:
        """Whether it is a table, which can be read cell by cell."""
        return is_table(self.picture)

    @property
    def wide(self) -> bool:
        """Whether it takes all of the width."""
        beside = len(self.parts) > 1 and not self.picture.stacked
        return beside or isinstance(self.picture.panels[0].marks[0], Tiles)


def shown(picture: Picture) -> PagePicture:
    """Draw a picture for a page."""
    from markupsafe import Markup

    if is_table(picture):
        parts, notes = [_table(picture.panels[0])], list(picture.notes)
        high = 0.0
    else:
        sheets = [_Sheet(picture, at) for at in range(len(picture.panels))]
        parts = [sheet.drawn() for sheet in sheets]
        notes = [*dict.fromkeys([*picture.notes, *(x for sheet in sheets for x in sheet.notes)])]
        high = max(sheet.total for sheet in sheets)
    legend = tuple((Markup(_swatch(key)), key.text) for key in picture.legend)
    return PagePicture(picture, tuple(map(Markup, parts)), legend, tuple(notes), high > 1000)


def is_table(picture: Picture) -> bool:
    """Whether the page shows the picture as a table with headers."""
    first = picture.panels[0].marks[0]
    return isinstance(first, Tiles) and len(first.shade) <= MOST_CELLS


def tag(name: str, text: str = "", **attributes: object) -> str:
    """An element; its content is already markup, its attributes are not."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_attribute(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{text}</{name}>" if text else f"<{name}{written}/>"


def _attribute(value: object) -> str:
    return _short(value) if isinstance(value, float) else html(value)


def _short(value: float) -> str:
    """A length with one decimal, as short as it can be."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def width(text: str, size: float) -> float:
    """About how wide a text is, in an ordinary font."""
    return EM * size * cell_width(text)


def all_shortened(
    texts: Sequence[str], most: float, size: float, numbers: Sequence[int] = ()
) -> list[str]:
    """Texts of at most this width: longer names lose their middle, but stay distinct."""

    def cut(lead: str, name: str, tail: str) -> str:
        return f"{lead}{shortened(name, most - width(lead + tail, size), size)}{tail}"

    return fitting(texts, cut, numbers)


def shortened(text: str, most: float, size: float) -> str:
    """The text, without its middle if it is wider than this."""
    if width(text, size) <= most:
        return text
    room = max(2, int(most / (EM * size)) - 1)
    head, tail = text, text
    while cell_width(head) > (room + 1) // 2:
        head = head[:-1]
    while cell_width(tail) > room // 2:
        tail = tail[1:]
    return f"{head.rstrip()}…{tail.lstrip()}"


def _ink(ink: Ink) -> str:
    """The class that sets the colour of a mark."""
    return f"i{ink % len(INKS)}" if isinstance(ink, int) else f"i-{ink}"


# a panel


@dataclass
class _Sheet:
    """A panel being drawn as SVG."""

    picture: Picture
    at: int
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        panels = self.picture.panels
        self.panel = panels[self.at]
        self.stacked = self.picture.stacked
        self.alone = self.stacked or len(panels) == 1
        self.wide = float(WIDE if self.alone else BESIDE)
        tiles = any(isinstance(mark, Tiles) for mark in self.panel.marks)
        if tiles:
            self.wide = 720.0
        x, y = self.panel.x, self.panel.y
        texts = [text for _, text in y.ticks]
        self.names = all_shortened(texts, LONGEST * self.wide, self.name_size(), y.numbers)
        size = self.name_size() if y.spacing == "names" else SMALL
        self.left = 12 + max((width(text, size) for text in self.names), default=0)
        self.right = 10.0
        if x.ticks and x.spacing != "names":
            over = (1 - float(x.place(x.ticks[-1][0]))) * (self.wide - self.left)
            self.right = max(10.0, width(x.ticks[-1][1], SMALL) / 2 - over)
        self.top = 8.0 + (20 if self.panel.title else 0) + (18 if y.label else 0)
        self.across = self.wide - self.left - self.right
        self.high = self.height()
        self.turned = tiles and 6.0 + max(
            (min(120.0, width(text, self.name_size())) for _, text in x.ticks), default=0
        )
        self.bottom = (self.turned or (23 if x.ticks else 6)) + (18 if x.label else 0)
        self.total = self.top + self.high + self.bottom

    def height(self) -> float:
        """The height of what is inside the scales."""
        if self.panel.square:
            return self.across
        if self.panel.y.spacing == "names":
            rows = len(self.panel.y.ticks)
            room = max(float(rows), self.panel.y.high - self.panel.y.low)  # names are 1 apart
            return room * (24.0 if rows <= 12 else 20.0 if rows <= 25 else 14.0)
        share = self.panel.share / sum(x.share for x in self.picture.panels) if self.stacked else 1
        return max(60.0, self.wide * self.picture.height / self.picture.width * share - 50)

    def name_size(self) -> float:
        """The size of names along the left scale."""
        rows = len(self.panel.y.ticks)
        return SIZE if rows <= 25 else 10.0

    def x(self, values: Any) -> Any:
        """The positions of values from the left."""
        return self.left + self.across * self.panel.x.place(np.asarray(values, np.float64))

    def y(self, values: Any) -> Any:
        """The positions of values from the top; names count from there."""
        share = self.panel.y.place(np.asarray(values, np.float64))
        return self.top + self.high * (share if self.panel.y.spacing == "names" else 1 - share)

    def drawn(self) -> str:
        """The image."""
        marks = [part for mark in self.panel.marks for part in DRAW[type(mark)](self, mark)]
        parts = [*self.scales(), *marks, *self.tags()]
        box = f"0 0 {_short(self.wide)} {_short(self.total)}"
        return tag(
            "svg", "".join(parts), class_="picture", viewBox=box, width=self.wide,
            height=self.total, aria_hidden="true", focusable="false", **self.places(),
        )  # fmt: skip

    def places(self) -> dict[str, str]:
        """The positions of linear scales, for a script that marks something on them."""
        sides = {"x": (self.left, self.across), "y": (self.top, self.high)}
        scales = {"x": self.panel.x, "y": self.panel.y}
        if any(scale.spacing != "linear" for scale in scales.values()):
            return {}
        return {
            f"data_{name}": f"{_short(a)} {_short(b)} {scales[name].low!r} {scales[name].high!r}"
            for name, (a, b) in sides.items()
        }

    # scales

    def scales(self) -> Iterator[str]:
        """Grid, ticks, names and labels."""
        panel, bottom = self.panel, self.top + self.high
        tiles = any(isinstance(mark, Tiles) for mark in panel.marks)
        if panel.title:
            yield _text(panel.title, 0, 14, "title", most=self.wide)
        if panel.y.label:
            yield _text(panel.y.label, 0, self.top - 12, "label", most=self.wide)
        if panel.x.label:
            right = self.left + self.across
            yield _text(panel.x.label, right, self.total - 5, "label end", most=self.wide)
        if tiles:
            yield from self.names_of_tiles()
            return
        grid = []
        if panel.x.spacing != "names":
            grid += [f"M{_short(x)} {_short(self.top)}V{_short(bottom)}" for x in
                     self.x([at for at, _ in panel.x.ticks])]  # fmt: skip
        if panel.y.spacing != "names":
            grid += [f"M{_short(self.left)} {_short(y)}H{_short(self.left + self.across)}" for y in
                     self.y([at for at, _ in panel.y.ticks])]  # fmt: skip
        yield tag("path", class_="grid", d="".join(grid)) if grid else ""
        for at, text in self.thinned(panel.x):
            yield _text(text, float(self.x(at)), bottom + 18, "tick middle")
        if panel.y.spacing == "names":
            size = "name" if self.name_size() == SIZE else "name little"
            for (at, full), text in zip(panel.y.ticks, self.names, strict=True):
                yield _text(text, self.left - 8, float(self.y(at)) + 4, f"{size} end", full)
        else:
            for at, text in panel.y.ticks:
                yield _text(text, self.left - 6, float(self.y(at)) + 4, "tick end")

    def thinned(self, scale: Axis) -> Sequence[tuple[float, str]]:
        """Ticks whose texts do not touch."""
        every = 1
        while every < len(scale.ticks):
            some = scale.ticks[::every]
            centres = self.x([at for at, _ in some])
            halves = [width(text, SMALL) / 2 for _, text in some]
            ends = zip(centres, centres[1:], halves, halves[1:], strict=False)
            if all(b - a >= p + q + 3 for a, b, p, q in ends):
                return some
            every *= 2
        return scale.ticks[::every]

    def names_of_tiles(self) -> Iterator[str]:
        """Names along a large table: those that have room."""
        rows = len(self.panel.y.ticks)
        every = max(1, math.ceil(11 * rows / self.high))
        size = "name" if self.name_size() == SIZE else "name little"
        some = [*zip(self.panel.y.ticks, self.names, strict=True)][::every]
        for (at, full), text in some:
            yield _text(text, self.left - 6, float(self.y(at)) + 3.5, f"{size} end", full)
        names = [full for _, full in self.panel.x.ticks]
        short = all_shortened(names, 120, self.name_size(), self.panel.x.numbers)
        for (at, full), text in [*zip(self.panel.x.ticks, short, strict=True)][::every]:
            x, y = float(self.x(at)) + 3.5, self.top + self.high + 6
            turn = f"rotate(-90 {_short(x)} {_short(y)})"
            yield _text(text, x, y, f"{size} end", full, transform=turn)
        if every > 1:
            self.notes.append(
                f"One in {every} {self.panel.y.unit} is named along the scale, in order."
            )

    # marks

    def clipped(self, mark: Mark, element: str) -> str:
        """The element, clipped to the panel."""
        xs, ys = _extent(mark)
        x, y = self.panel.x, self.panel.y
        inside = (
            min(xs) >= x.low - 1e-9 and max(xs) <= x.high + 1e-9
            and min(ys) >= y.low - 1e-9 and max(ys) <= y.high + 1e-9
        )  # fmt: skip
        if inside:
            return element
        box = (self.left, self.top, self.across, self.high)
        view = " ".join(map(_short, box))
        a, b, c, d = box
        return tag("svg", element, x=a, y=b, width=c, height=d, viewBox=view, class_="cut")

    def tags(self) -> Iterator[str]:
        """Texts next to points, where there is room."""
        every = list(wanted(self.panel))
        if not every:
            return
        box = (self.left, -self.top - self.high, self.left + self.across, -self.top)
        points = [
            (np.column_stack([self.x(mark.x), -self.y(mark.y)]),
             POINT * np.array([reach_of(x) for x in mark.area or [None] * len(mark.x)]))
            for mark in self.panel.marks if isinstance(mark, Dots)
        ]  # fmt: skip
        taken, missing = Taken(box, points), []
        most = 0.45 * self.across
        texts = named(every, lambda some, known: all_shortened(some, most, SMALL, known))
        for each, text in zip(every, texts, strict=True):
            at = float(self.x(each.at[0])), -float(self.y(each.at[1]))
            wide, far = width(text, SMALL), POINT * (each.reach + 2)
            place = taken.place(at, wide, 1.25 * SMALL, far, each.side)
            if place is None:
                missing.append(each)
            else:
                colour = "tag" if each.ink == "text" else f"tag {_ink(each.ink)}"
                # letters may be narrower: they stay next to their point
                left = place[0] + wide / 2 >= at[0]
                x = place[0] if left else place[2]
                kind = colour if left else f"{colour} end"
                yield _text(text, x, -place[1] - 0.3 * SMALL, kind, each.text)
        self.notes += left_out_notes(every, missing)


def _text(
    text: str, x: float, y: float, kind: str, full: str | None = None, most: float | None = None,
    **more: object,
) -> str:  # fmt: skip
    """A text; if it is shortened, the whole text is in its title."""
    if most is not None:
        full, text = text, shortened(text, most, SIZE)
    title = tag("title", html(full)) if full not in (None, text) else ""
    return tag("text", html(text) + title, class_=kind, x=x, y=y, **more)


def _extent(mark: Any) -> tuple[Sequence[float], Sequence[float]]:
    """All x and all y of a mark."""
    if isinstance(mark, Ribbon):
        return mark.x, (*mark.low, *mark.high)
    if isinstance(mark, Bars):
        return (*mark.left, *mark.right), (0.0, *mark.height)
    return mark.x, mark.y


def line(x: Any, y: Any, step: bool = False) -> str:
    """A line through points as a path: the shortest that looks the same."""
    points = np.round(np.column_stack([x, y]), 1)
    if len(points) > 2:
        points = points[np.concatenate([[True], (np.diff(points, axis=0) != 0).any(axis=1)])]
    if len(points) > 2 and not step:  # points between two others on a straight line
        before, after = points[1:-1] - points[:-2], points[2:] - points[1:-1]
        bends = np.abs(before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]) > 1e-6
        back = (before * after).sum(axis=1) < 0
        points = points[np.concatenate([[True], bends | back, [True]])]
    pairs = points.tolist()
    if not pairs:
        return ""
    moves = [f"M{_short(pairs[0][0])} {_short(pairs[0][1])}"]
    for (a, b), (c, d) in pairwise(pairs):
        if step:
            moves.append(f"H{_short(c)}V{_short(d)}")
        elif b == d:
            moves.append(f"H{_short(c)}")
        elif a == c:
            moves.append(f"V{_short(d)}")
        else:
            moves.append(f"L{_short(c)} {_short(d)}")
    return "".join(moves)


def _stroke(sheet: _Sheet, mark: Stroke) -> Iterator[str]:
    dash = look(mark.ink, mark.dash).dash
    thick = 1.0 if mark.thin else 2.0
    way = tag(
        "path", class_=f"line{' thin' if mark.thin else ''} {_ink(mark.ink)}",
        d=line(sheet.x(mark.x), sheet.y(mark.y), mark.step),
        stroke_dasharray=" ".join(f"{thick * x:g}" for x in dash) or None,
    )  # fmt: skip
    yield sheet.clipped(mark, way)


def _ribbon(sheet: _Sheet, mark: Ribbon) -> Iterator[str]:
    x = sheet.x(mark.x)
    there, back = line(x, sheet.y(mark.high)), line(x[::-1], sheet.y(mark.low)[::-1])
    pale = " pale" if mark.pale else ""
    way = tag("path", class_=f"band{pale} {_ink(mark.ink)}", d=f"{there}L{back[1:]}Z")
    yield sheet.clipped(mark, way)


def _bars(sheet: _Sheet, mark: Bars) -> Iterator[str]:
    floor = _short(float(sheet.y(max(0.0, sheet.panel.y.low))))
    sides = zip(sheet.x(mark.left), sheet.x(mark.right), sheet.y(mark.height), strict=True)
    ways = [
        f"M{_short(a + 0.5)} {floor}V{_short(top)}H{_short(b - 0.5)}V{floor}Z"
        for a, b, top in sides
        if _short(top) != floor
    ]
    yield sheet.clipped(mark, tag("path", class_=f"bar {_ink(mark.ink)}", d="".join(ways)))


def _dots(sheet: _Sheet, mark: Dots) -> Iterator[str]:
    x, y = sheet.x(mark.x), sheet.y(mark.y)
    if mark.low:
        ends = []
        along = mark.along == "x"
        scale = sheet.panel.x if along else sheet.panel.y
        place = sheet.x if along else sheet.y
        for at, low, high in zip(y if along else x, mark.low, mark.high, strict=True):
            if low is not None and high is not None:
                a, b = (float(place(min(max(z, scale.low), scale.high))) for z in (low, high))
                first = (a, at) if along else (at, a)
                ends.append(
                    f"M{_short(first[0])} {_short(first[1])}{'H' if along else 'V'}{_short(b)}"
                )
        yield tag("path", class_=f"line whisker {_ink(mark.ink)}", d="".join(ends)) if ends else ""
    shape = look(mark.ink).shape
    hollow = " hollow" if mark.hollow else ""
    radii = [POINT * (reach_of(area) - 0.6) for area in mark.area or [None] * len(mark.x)]
    ways = [SHAPE[shape](*point) for point in zip(x, y, radii, strict=True)]
    kind = f"dot{hollow} {_ink(mark.ink)}"
    yield tag("path", class_=kind, d="".join(ways)) if ways else ""


def _polygon(*corners: tuple[float, float]) -> Callable[[float, float, float], str]:
    def way(x: float, y: float, r: float) -> str:
        places = [f"{_short(x + r * a)} {_short(y + r * b)}" for a, b in corners]
        return f"M{'L'.join(places)}Z"

    return way


def _circle(x: float, y: float, r: float) -> str:
    r = round(r, 1)
    half = f"a{_short(r)} {_short(r)} 0 1 0"
    return f"M{_short(x - r)} {_short(y)}{half} {_short(2 * r)} 0{half} {_short(-2 * r)} 0Z"


_A = 0.38
_PLUS = ((-_A, -1.1), (_A, -1.1), (_A, -_A), (1.1, -_A), (1.1, _A), (_A, _A), (_A, 1.1), (-_A, 1.1),
         (-_A, _A), (-1.1, _A), (-1.1, -_A), (-_A, -_A))  # fmt: skip
_TURN = math.sqrt(0.5)
SHAPE: dict[str, Callable[[float, float, float], str]] = {
    "circle": _circle,
    "diamond": _polygon((0, -1.35), (1.35, 0), (0, 1.35), (-1.35, 0)),
    "square": _polygon((-0.95, -0.95), (0.95, -0.95), (0.95, 0.95), (-0.95, 0.95)),
    "up": _polygon((0, -1.2), (1.15, 0.9), (-1.15, 0.9)),
    "down": _polygon((0, 1.2), (1.15, -0.9), (-1.15, -0.9)),
    "plus": _polygon(*_PLUS),
    "cross": _polygon(*(((a - b) * _TURN, (a + b) * _TURN) for a, b in _PLUS)),
}


def _tiles(sheet: _Sheet, mark: Tiles) -> Iterator[str]:
    """A path for each shade of a large table: the cells of a row that have it, side by side."""
    shades = np.array([[shade_of(x) for x in row] for row in mark.shade])
    rows, columns = shades.shape
    wide, high = sheet.across / columns, sheet.high / rows
    ways: dict[int, list[str]] = {}
    for row, line_of in enumerate(shades.tolist()):
        start = 0
        for column in range(1, columns + 1):
            if column == columns or line_of[column] != line_of[start]:
                if line_of[start]:
                    ways.setdefault(line_of[start], []).append(f"M{start} {row}h{column - start}")
                start = column
    yield tag("rect", class_="t0", x=sheet.left, y=sheet.top, width=sheet.across, height=sheet.high)
    corner = f"{_short(sheet.left)} {_short(sheet.top + high / 2)}"
    place = f"translate({corner}) scale({wide:.6g} {high:.6g})"
    cells = "".join(tag("path", class_=f"t{x}", d="".join(way)) for x, way in sorted(ways.items()))
    framed = "".join(f"M{c} {r - 0.5}h1v1h-1z" for r, c in mark.marked)
    cells += tag("path", class_="marked", d=framed) if framed else ""
    yield tag("g", cells, transform=place)


def _nothing(sheet: _Sheet, mark: Any) -> Iterator[str]:
    """A tag is placed later."""
    return iter(())


def shade_of(share: float) -> int:
    """The number of a shade, 0 for nothing."""
    return math.ceil(SHADES * share - 1e-9) if share > 0 else 0


DRAW: dict[type, Callable[[_Sheet, Any], Iterator[str]]] = {
    Dots: _dots,
    Stroke: _stroke,
    Ribbon: _ribbon,
    Bars: _bars,
    Tiles: _tiles,
    Tag: _nothing,
}


# tables and legends


def _table(panel: Panel) -> str:
    """A table with headers: the content of each cell, shaded like the picture."""
    tiles = panel.marks[0]
    assert isinstance(tiles, Tiles)
    corner = f"{html(panel.x.label)} →<br>{html(panel.y.label)} ↓"
    head = tag("td", corner, class_="corner")
    head += "".join(tag("th", html(text), scope="col") for _, text in panel.x.ticks)
    rows = [tag("tr", head)]
    for at, ((_, name), shades, texts) in enumerate(
        zip(panel.y.ticks, tiles.shade, tiles.texts, strict=True)
    ):
        cells = [tag("th", html(name), scope="row")]
        for column, (share, text) in enumerate(zip(shades, texts, strict=True)):
            first, _, second = text.partition("\n")
            inside = html(first or "0") + (tag("small", html(second)) if second else "")
            kind = f"s{shade_of(share)}"
            kind += " hit" if (at, column) in tiles.outlined else ""
            kind += " marked" if (at, column) in tiles.marked else ""
            cells.append(tag("td", inside, class_=kind))
        rows.append(tag("tr", "".join(cells)))
    body = tag("thead", rows[0]) + tag("tbody", "".join(rows[1:]))
    many = " many" if len(tiles.shade) > 8 else ""
    return tag("table", body, class_=f"matrix{many}")


def _swatch(key: Key) -> str:
    """The look of a series."""
    drawn, kind = look(key.ink, key.dash), _ink(key.ink)
    if key.form in ("band", "bar"):
        pale = " pale" if key.pale else ""
        shape = tag("path", class_=f"{key.form}{pale} {kind}", d="M2 2H24V12H2Z")
    elif key.form == "dots":
        hollow = " hollow" if key.hollow else ""
        shape = tag("path", class_=f"dot{hollow} {kind}", d=SHAPE[drawn.shape](13, 7, 4.5))
    else:
        thin = key.form == "thin"
        dash = " ".join(f"{(1 if thin else 2) * x:g}" for x in drawn.dash) or None
        style = f"line{' thin' if thin else ''} {kind}"
        shape = tag("path", class_=style, d="M1 7H25", stroke_dasharray=dash)
    return tag(
        "svg", shape, class_="swatch", viewBox="0 0 26 14", width=26, height=14, aria_hidden="true"
    )
