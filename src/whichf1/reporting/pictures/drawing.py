"""A Picture on matplotlib's Axes, and as a file.

Nothing overlaps: names are shortened, made smaller or left out, and a note says so.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from itertools import pairwise
from typing import Any

import numpy as np

from whichf1 import __version__
from whichf1.errors import FileError
from whichf1.reporting.pictures.look import MARK, MUTED, SHADE, SHAPES, TEXT, look
from whichf1.reporting.pictures.marks import (
    Axis,
    Bars,
    Dots,
    Key,
    Panel,
    Picture,
    Ribbon,
    Stroke,
    Tag,
    Tiles,
)
from whichf1.reporting.pictures.placing import (
    Box,
    Taken,
    left_out_notes,
    named,
    reach_of,
    touch,
    wanted,
)
from whichf1.reporting.pictures.typeface import (
    MONO,
    fonts,
    plotting,
    shortened,
    spelled,
    width,
    wrapped,
)

MARKERS = dict(zip(SHAPES, ("o", "D", "s", "^", "v", "P", "X"), strict=True))
SIZE = 8.0
"""Points of ordinary text."""
STYLE: dict[str, Any] = {
    "font.size": SIZE,
    "text.color": TEXT,
    "text.usetex": False,
    "text.hinting": "no_hinting",  # a text is as wide on every medium
    "text.parse_math": False,  # a label with dollars is text
    "axes.labelcolor": TEXT,
    "axes.labelsize": SIZE,
    "axes.titlesize": SIZE,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.linewidth": 0.6,
    "axes.edgecolor": MUTED,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "xtick.labelsize": SIZE - 1,
    "ytick.labelsize": SIZE - 1,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": TEXT,
    "ytick.labelcolor": TEXT,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.fontsize": SIZE - 1,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "figure.dpi": 100,
    "savefig.facecolor": "white",
    "svg.fonttype": "none",  # text stays text …
    "pdf.fonttype": 42,  # … and fonts are embedded
    "svg.hashsalt": "whichf1",
}
EDGE = 0.08
"""Inches around a figure."""
GAP = 0.09
"""Inches between its title, legend, panels and caption."""
SLACK = 1.04
"""By how much text on a screen may be wider than its outlines."""
LEAST = 5.0
"""Points of the smallest names."""
BAR = 0.55
"""The opacity of bars."""
FORMATS = ("svg", "pdf", "png")


def _dash(lengths: tuple[float, ...]) -> Any:
    return (0, lengths) if lengths else "-"


# files


def rendered(picture: Picture, form: str, dpi: int = 200) -> bytes:
    """The picture as svg, pdf or png; equal pictures give equal bytes."""
    matplotlib = plotting()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context():
        sheet = _Sheet(picture)
        figure = Figure(figsize=(picture.width, picture.height), dpi=dpi)
        FigureCanvasAgg(figure)
        sheet.compose(figure)
        drawn = BytesIO()
        figure.savefig(drawn, format=form, dpi=dpi, metadata=_metadata(picture, form))
    return drawn.getvalue()


def _metadata(picture: Picture, form: str) -> dict[str, Any]:
    """Metadata of the file: the finding and the signatures, without a date."""
    signatures = " ".join(picture.signatures)
    maker = f"whichf1 {__version__}"
    if form == "svg":
        return {
            "Title": picture.title,
            "Description": picture.finding,
            "Identifier": signatures,
            "Creator": maker,
            "Date": None,
        }
    if form == "pdf":
        said = {"Title": picture.title, "Subject": picture.finding, "Keywords": signatures}
        return {**said, "Creator": maker, "Producer": None, "CreationDate": None}
    said = {"Title": picture.title, "Description": picture.finding, "Comment": signatures}
    return {**said, "Software": maker}


def format_of(path: Any) -> str:
    """The format named by the extension of a path."""
    name = str(os.fspath(path)) if isinstance(path, (str, os.PathLike)) else ""
    _, dot, form = name.rpartition(".")
    form = form.lower()
    if not dot or form not in FORMATS:
        raise FileError(
            f"a picture is written as .svg, .pdf or .png; got {path!r}. Change the extension."
        )
    return form


def draw(picture: Picture, ax: Any = None) -> Any:
    """Draw on Axes, or on a new figure; the Axes of the first panel."""
    matplotlib = plotting()
    with matplotlib.rc_context():
        sheet = _Sheet(picture)
        if ax is not None:
            return sheet.onto(ax)
        from matplotlib import pyplot

        return sheet.compose(pyplot.figure(figsize=(picture.width, picture.height)))


# the sheet


@dataclass
class _Sheet:
    """A picture being drawn on a figure."""

    picture: Picture
    families: tuple[str, ...] = ()
    missing: frozenset[str] = frozenset()
    placed: list[Any] = field(default_factory=list)
    """Texts inside panels, which are placed again when sizes change."""
    chosen: dict[Any, Any] = field(default_factory=dict)
    """How the names along each scale are written, which changes sizes."""

    def __post_init__(self) -> None:
        matplotlib = plotting()
        families, self.missing = fonts(_texts(self.picture))
        self.families = tuple(families)
        matplotlib.rcdefaults()  # regardless of the user's settings
        matplotlib.rcParams.update({**STYLE, "font.family": families})

    def said(self, text: str) -> str:
        return spelled(text, self.missing)

    def compose(self, figure: Any) -> Any:
        """Title, legend, panels and caption; panels keep their size whatever the others need."""
        picture = self.picture
        grid = _grid(figure, picture)
        axes = [figure.add_subplot(cell) for cell in grid]
        for ax, panel in zip(axes, picture.panels, strict=True):
            self.panel(ax, panel)
        notes: list[str] = []
        for _ in range(4):
            before = dict(self.chosen)
            self.arrange(figure, [*picture.notes, *notes])
            layout = self.fit(axes)
            if layout == notes and before == self.chosen:
                break
            notes = layout
        figure.set_layout_engine("none")
        return axes[0]

    def onto(self, ax: Any) -> Any:
        """Draw everything on existing Axes."""
        picture, axes = self.picture, [ax]
        if len(picture.panels) > 1:
            ax.axis("off")
            axes = [ax.inset_axes(place) for place in _places(picture)]
        ax.set_title(self.said(picture.title), loc="left")
        for each, panel in zip(axes, picture.panels, strict=True):
            self.panel(each, panel)
        if picture.legend:
            points = ax.get_window_extent().width * 72 / ax.figure.dpi
            axes[0].legend(handles=self.handles(points), loc="best")
        self.fit(axes)
        return axes[0]

    def arrange(self, figure: Any, notes: Sequence[str]) -> None:
        """Put title and legend above the panels and the caption below, and set the height."""
        from matplotlib.layout_engine import ConstrainedLayoutEngine

        picture, inches = self.picture, self.picture.width
        for each in [*figure.texts, *figure.legends]:
            each.remove()
        points = 72 * (inches - 2 * EDGE) / SLACK
        above: list[Any] = []
        if picture.title:
            lines = wrapped(self.said(picture.title), points / 1.12, SIZE + 1, self.families)
            title = figure.text(0, 0, "\n".join(lines), size=SIZE + 1, weight="bold", va="top")
            above.append(title)
        if picture.legend:
            above.append(
                figure.legend(
                    handles=self.handles(points), loc="upper left", ncols=self.columns(points),
                    borderaxespad=0, borderpad=0, handlelength=2.4, columnspacing=1.4,
                    handletextpad=0.6,
                )
            )  # fmt: skip
        below = [
            figure.text(0, 0, "\n".join(lines), va="top", color=MUTED, **kind)
            for lines, kind in self.below(notes, points)
        ]
        heights = [each.get_window_extent().height / figure.dpi for each in (*above, *below)]
        total = (
            picture.height + sum(heights) + GAP * (len(heights) + 1) + 0.02 * len(below) + 2 * EDGE
        )
        figure.set_size_inches(inches, total)
        top = total - EDGE
        for each, height in zip(above, heights, strict=False):
            _put(each, EDGE / inches, top / total)
            top -= height + GAP
        bottom = top - picture.height
        engine = ConstrainedLayoutEngine(
            w_pad=0.04, h_pad=0.045, hspace=0.03, wspace=0.03,
            rect=(EDGE / inches, bottom / total, 1 - 2 * EDGE / inches, picture.height / total),
        )  # fmt: skip
        for each, height in zip(below, heights[len(above) :], strict=True):
            bottom -= GAP + 0.02
            _put(each, EDGE / inches, bottom / total)
            bottom -= height
        figure.set_layout_engine(engine)
        figure.draw_without_rendering()

    def below(
        self, notes: Sequence[str], points: float
    ) -> Iterator[tuple[list[str], dict[str, Any]]]:
        """The lines of the notes, and those of the signatures."""
        small = {"size": SIZE - 1.5}
        if notes:
            lines = wrapped(self.said("\n".join(notes)), points, small["size"], self.families)
            yield lines, small
        if self.picture.signatures:
            families = (MONO, *self.families[1:])
            code = self.said("\n".join(self.picture.signatures))
            lines = wrapped(code, points / SLACK**2, SIZE - 2.5, families)  # hinted to whole dots
            yield lines, {"size": SIZE - 2.5, "family": list(families)}

    def columns(self, points: float) -> int:
        """How many entries of the legend fit side by side."""
        size = SIZE - 1
        widths = [width(text, size, self.families) for text in self.keys(points)]
        for columns in range(len(widths), 1, -1):
            rows = math.ceil(len(widths) / columns)  # a legend is filled column by column
            each = [max(widths[at : at + rows]) for at in range(0, len(widths), rows)]
            if sum(each) + len(each) * size * 4.6 <= points:
                return columns
        return 1

    def keys(self, points: float) -> list[str]:
        """The texts of the legend, each no wider than all of it."""
        texts = [self.said(key.text) for key in self.picture.legend]
        return shortened(texts, points - 5 * SIZE, SIZE - 1, self.families)

    def handles(self, points: float) -> list[Any]:
        """The entries of the legend."""
        pairs = zip(self.picture.legend, self.keys(points), strict=True)
        return [_handle(key, text) for key, text in pairs]

    # panels

    def panel(self, ax: Any, panel: Panel) -> None:
        """Scales and marks, without the texts that are placed later."""
        for which, scale in (("x", panel.x), ("y", panel.y)):
            _scale(ax, which, scale, self.said)
        if panel.title:
            ax.set_title(self.said(panel.title), fontsize=SIZE)
        tiles = any(isinstance(mark, Tiles) for mark in panel.marks)
        if panel.square:
            ax.set_box_aspect(1)
        if not tiles:
            for which, scale in (("x", panel.x), ("y", panel.y)):
                if scale.spacing != "names":
                    ax.grid(visible=True, axis=which, color="#e6e6e6", linewidth=0.5)
        for at, mark in enumerate(panel.marks):
            DRAW.get(type(mark), _nothing)(ax, mark, 2 + at / 100)
        if tiles:
            ax.tick_params(length=0)
            for spine in ax.spines.values():
                spine.set_visible(False)

    def fit(self, axes: Sequence[Any]) -> list[str]:
        """Find a place for every text in the panels; notes on what has none."""
        for each in self.placed:
            each.remove()
        self.placed = []
        notes: dict[str, None] = {}
        for ax, panel in zip(axes, self.picture.panels, strict=True):
            for which, scale in (("x", panel.x), ("y", panel.y)):
                if scale.spacing == "names":
                    notes |= dict.fromkeys(self.fit_names(ax, which, scale))
                else:
                    _thin_ticks(ax, which, scale)
            for mark in panel.marks:
                if isinstance(mark, Tiles):
                    notes |= dict.fromkeys(self.fit_tiles(ax, mark))
            notes |= dict.fromkeys(self.fit_tags(ax, panel))
        if self.missing:
            shown = " ".join(f"U+{ord(x):04X}" for x in sorted(self.missing)[:5])
            more = ", …" if len(self.missing) > 5 else ""
            notes[f"No installed font has {shown}{more}: code points replace it."] = None
        return [*notes]

    def fit_names(self, ax: Any, which: str, scale: Axis) -> Iterator[str]:
        """Names along a scale: smaller, turned, or only some of them."""
        texts = [self.said(text) for _, text in scale.ticks]
        if not texts or scale.beside:
            return
        box = ax.get_window_extent()
        dots = 72 / ax.figure.dpi
        pitch = (box.width if which == "x" else box.height) * dots / len(texts)
        inches = ax.figure.get_size_inches()
        most = 72 * (0.34 * inches[0] if which == "y" else 1.5)
        size, turned = SIZE - 1, False
        short = shortened(texts, most, size, self.families, scale.numbers)
        if which == "x":
            widest = max(width(text, size, self.families) for text in short)
            turned = widest > 0.94 * pitch
        tall = which == "y" or turned
        every = 1
        if tall:
            size = min(size, max(LEAST, pitch / 1.2))
            every = max(1, math.ceil(size * 1.2 / pitch - 1e-6))
        getattr(ax, f"set_{which}ticks")([at for at, _ in scale.ticks[::every]])
        getattr(ax, f"set_{which}ticklabels")(
            short[::every], fontsize=size, rotation=90 if turned else 0
        )
        self.chosen[ax, which] = (every, round(size, 1), turned)
        if every > 1:
            yield f"One in {every} {scale.unit} is named along the scale, in order."

    def fit_tiles(self, ax: Any, tiles: Tiles) -> Iterator[str]:
        """Numbers in cells: both lines, the first line, or none."""
        rows, columns = len(tiles.shade), len(tiles.shade[0])
        box = ax.get_window_extent()
        dots = 72 / ax.figure.dpi
        wide, high = box.width * dots / columns, box.height * dots / rows
        texts = [text for row in tiles.texts for text in row if text]
        for lines in (2, 1):
            if lines == 2 and not any("\n" in text for text in texts):
                continue
            shown = [part for text in texts for part in text.split("\n")[:lines]]
            widest = max((width(part, 10, self.families) for part in shown), default=0) / 10
            size = min(SIZE, 0.88 * wide / max(widest, 1e-9), 0.8 * high / (1.25 * lines))
            if size >= (LEAST if lines == 2 else 4.2):
                self.placed += _cell_texts(ax, tiles, lines, size)
                return
        if texts:
            yield "The cells are too small for numbers, which are shown by the shade."

    def fit_tags(self, ax: Any, panel: Panel) -> Iterator[str]:
        """Names next to points, where they overlap nothing; important ones first."""
        every = list(wanted(panel))
        if not every:
            return
        box, dots = ax.get_window_extent(), ax.figure.dpi / 72
        around = [_around(ax, mark) for mark in panel.marks if isinstance(mark, Dots)]
        taken = Taken(_edges(box), around)
        legend = ax.get_legend()
        if legend is not None:
            taken.boxes.append(_edges(legend.get_window_extent()))
        missing, limit = [], 0.45 * box.width / dots
        texts = named(
            [x._replace(text=self.said(x.text)) for x in every],
            lambda some, known: shortened(some, limit, SIZE - 1.5, self.families, known),
        )
        for each, short in zip(every, texts, strict=True):
            shown = _tag(ax, each.at, short, look(each.ink).colour)
            size, at = shown.get_window_extent(), ax.transData.transform(each.at)
            far = (each.reach + 2) * dots
            place = taken.place(tuple(at), size.width, size.height, far, each.side)
            if place is None:
                shown.remove()
                missing.append(each)
            else:
                middle = place[0], (place[1] + place[3]) / 2
                shown.set_position(ax.transData.inverted().transform(middle))
                self.placed.append(shown)
        yield from left_out_notes(every, missing)


def _texts(picture: Picture) -> Iterator[str]:
    """Every text of the picture."""
    yield from (picture.title, picture.caption, "…−")
    yield from (key.text for key in picture.legend)
    for panel in picture.panels:
        yield panel.title
        for scale in (panel.x, panel.y):
            yield scale.label
            yield from (text for _, text in scale.ticks)
        for mark in panel.marks:
            if isinstance(mark, Tag):
                yield mark.text
            elif isinstance(mark, Dots):
                yield from mark.tags
            elif isinstance(mark, Tiles):
                yield from (text for row in mark.texts for text in row)


def _grid(figure: Any, picture: Picture) -> list[Any]:
    shares = [panel.share for panel in picture.panels]
    if picture.stacked:
        cells = figure.add_gridspec(len(shares), 1, height_ratios=shares)
    else:
        cells = figure.add_gridspec(1, len(shares), width_ratios=shares)
    return [cells[at] for at in range(len(shares))]


def _places(picture: Picture) -> list[list[float]]:
    """The positions of panels on existing Axes, with room between them for their scales."""
    shares = np.array([panel.share for panel in picture.panels])
    room = 0.16
    sizes = (1 - room * (len(shares) - 1)) * shares / shares.sum()
    starts = np.concatenate([[0.0], np.cumsum(sizes + room)[:-1]])
    pairs = zip(starts.tolist(), sizes.tolist(), strict=True)
    if picture.stacked:
        return [[0.0, 1 - start - size, 1.0, size] for start, size in pairs]
    return [[start, 0.0, size, 0.94] for start, size in pairs]


def _put(artist: Any, x: float, y: float) -> None:
    if hasattr(artist, "set_bbox_to_anchor"):
        artist.set_bbox_to_anchor((x, y))
    else:
        artist.set_position((x, y))


# scales


def _probit(values: Any) -> Any:
    from scipy.special import ndtri

    return ndtri(np.clip(values, 1e-9, 1 - 1e-9))


def _normal(values: Any) -> Any:
    from scipy.special import ndtr

    return ndtr(values)


def _scale(ax: Any, which: str, scale: Axis, said: Callable[[str], str]) -> None:
    if scale.spacing == "log":
        getattr(ax, f"set_{which}scale")("log")
    elif scale.spacing == "probit":
        getattr(ax, f"set_{which}scale")("function", functions=(_probit, _normal))
    ends = (scale.low, scale.high)
    if which == "y" and scale.spacing == "names":
        ends = ends[::-1]
    getattr(ax, f"set_{which}lim")(*ends)
    getattr(ax, f"set_{which}label")(said(scale.label))
    shown = () if scale.spacing == "names" else scale.ticks  # names must fit first
    getattr(ax, f"set_{which}ticks")([at for at, _ in shown], [said(text) for _, text in shown])
    getattr(ax, f"set_{which}ticks")([], minor=True)


def _thin_ticks(ax: Any, which: str, scale: Axis) -> None:
    """Leave out every second tick until no two labels touch."""
    every = 1
    while every < len(scale.ticks):
        getattr(ax, f"set_{which}ticks")(
            [at for at, _ in scale.ticks[::every]], [text for _, text in scale.ticks[::every]]
        )
        labels = [x.get_window_extent() for x in getattr(ax, f"get_{which}ticklabels")()]
        pairs = pairwise(labels)
        if not any(touch(_edges(a), _edges(b), 2) for a, b in pairs):
            return
        every *= 2


# marks


def _dots(ax: Any, mark: Dots, order: float) -> None:
    colour, _, shape = look(mark.ink)
    x, y = np.array(mark.x), np.array(mark.y)
    if mark.low:
        bounded = [
            (at, a, b, c)
            for at, a, b, c in zip(mark.y if mark.along == "x" else mark.x, mark.low, mark.high,
                                   mark.x if mark.along == "x" else mark.y, strict=True)
            if a is not None and b is not None and math.isfinite(c)
        ]  # fmt: skip
        limits = ax.get_xlim() if mark.along == "x" else ax.get_ylim()
        low, high = min(limits), max(limits)
        if bounded:
            at, a, b, _ = zip(*bounded, strict=True)
            lines = ax.hlines if mark.along == "x" else ax.vlines
            ends = np.clip(a, low, high), np.clip(b, low, high)
            lines(at, *ends, color=colour, linewidth=1.0, zorder=order)
    size: Any = 16.0
    if mark.area:
        size = 10 + 110 * np.array(mark.area)
    face = "white" if mark.hollow else colour
    ax.scatter(
        x, y, s=size, c=face, marker=MARKERS[shape], edgecolors=colour, linewidths=0.9,
        zorder=order + 0.005, clip_on=False,
    )  # fmt: skip


def _stroke(ax: Any, mark: Stroke, order: float) -> None:
    colour, dash, _ = look(mark.ink, mark.dash)
    style = {"color": colour, "linewidth": 0.7 if mark.thin else 1.3, "linestyle": _dash(dash)}
    way = {"drawstyle": "steps-post"} if mark.step else {}
    ax.plot(mark.x, mark.y, zorder=order, solid_capstyle="butt", **style, **way)


def _ribbon(ax: Any, mark: Ribbon, order: float) -> None:
    colour = look(mark.ink).colour
    alpha = 0.12 if mark.pale else 0.2
    ax.fill_between(
        mark.x, mark.low, mark.high, color=colour, alpha=alpha, linewidth=0, zorder=order
    )


def _bars(ax: Any, mark: Bars, order: float) -> None:
    colour = look(mark.ink).colour
    left, right = np.array(mark.left), np.array(mark.right)
    ax.bar(
        left, mark.height, right - left, align="edge", color=colour, alpha=BAR,
        edgecolor="white", linewidth=0.4, zorder=order,
    )  # fmt: skip


MANY_TILES = 40
"""With more cells than this, they are one image: a file with a shape for each would be large."""


def _tiles(ax: Any, mark: Tiles, order: float) -> None:
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.patches import Rectangle

    shades, k = np.array(mark.shade), max(len(mark.shade), len(mark.shade[0]))
    colours = LinearSegmentedColormap.from_list("whichf1", SHADE)
    style = {"cmap": colours, "vmin": 0, "vmax": 1, "zorder": order}
    if k > MANY_TILES:
        ax.imshow(shades, aspect="auto", interpolation="nearest", **style)
    else:
        sides = np.arange(shades.shape[1] + 1) - 0.5, np.arange(shades.shape[0] + 1) - 0.5
        ax.pcolormesh(*sides, shades, edgecolors="white", linewidth=min(0.8, 12 / k), **style)
    ax.set_xlim(-0.5, shades.shape[1] - 0.5)
    ax.set_ylim(shades.shape[0] - 0.5, -0.5)
    wide = min(1.1, 14 / k)
    for cells, colour, thick in ((mark.outlined, TEXT, wide), (mark.marked, MARK, 1.6 * wide)):
        for row, column in cells:
            ax.add_patch(
                Rectangle(
                    (column - 0.47, row - 0.47), 0.94, 0.94, fill=False, edgecolor=colour,
                    linewidth=thick, zorder=order + 0.005 + (colour == MARK) / 1000,
                )
            )  # fmt: skip


def _nothing(ax: Any, mark: Any, order: float) -> None:
    """A tag is placed later."""


DRAW: dict[type, Callable[[Any, Any, float], None]] = {
    Dots: _dots,
    Stroke: _stroke,
    Ribbon: _ribbon,
    Bars: _bars,
    Tiles: _tiles,
}


def _handle(key: Key, text: str) -> Any:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    colour, dash, shape = look(key.ink, key.dash)
    if key.form in ("band", "bar"):
        alpha = BAR if key.form == "bar" else 0.12 if key.pale else 0.2
        return Patch(facecolor=colour, alpha=alpha, label=text, linewidth=0)
    if key.form == "dots":
        face = "white" if key.hollow else colour
        return Line2D([], [], linestyle="none", marker=MARKERS[shape], color=colour, markersize=4.5,
                      markerfacecolor=face, markeredgewidth=0.9, label=text)  # fmt: skip
    thick = 0.7 if key.form == "thin" else 1.3
    return Line2D([], [], linestyle=_dash(dash), color=colour, linewidth=thick, label=text)


def _readable(shade: float) -> str:
    """White or dark, whichever contrasts more with a shade."""
    ends = [[int(x[at : at + 2], 16) / 255 for at in (1, 3, 5)] for x in SHADE]
    mixed = [a + shade * (b - a) for a, b in zip(*ends, strict=True)]
    light = sum(w * x**2.2 for w, x in zip((0.2126, 0.7152, 0.0722), mixed, strict=True))
    return "white" if 1.05 / (light + 0.05) > (light + 0.05) / 0.06 else TEXT


def _cell_texts(ax: Any, tiles: Tiles, lines: int, size: float) -> Iterator[Any]:
    for row, (shades, texts) in enumerate(zip(tiles.shade, tiles.texts, strict=True)):
        for column, (shade, text) in enumerate(zip(shades, texts, strict=True)):
            if text:
                yield ax.text(
                    column, row, "\n".join(text.split("\n")[:lines]), ha="center", va="center",
                    size=size, color=_readable(shade), zorder=4, linespacing=1.1,
                    in_layout=False,
                )  # fmt: skip


# tags


def _edges(box: Any) -> Box:
    return box.x0, box.y0, box.x1, box.y1


def _around(ax: Any, mark: Dots) -> tuple[Any, Any]:
    """The points of a mark, and how far each reaches, in dots."""
    places = ax.transData.transform(np.column_stack([mark.x, mark.y]))
    reach = np.array([reach_of(x) for x in mark.area or [None] * len(mark.x)])
    return places, reach * ax.figure.dpi / 72


def _tag(ax: Any, at: tuple[float, float], text: str, colour: str) -> Any:
    return ax.text(
        *at, text, size=SIZE - 1.5, color=colour, zorder=5, in_layout=False, va="center",
        bbox={"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.6},
    )  # fmt: skip
