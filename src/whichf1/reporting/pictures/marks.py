"""Picture: what is drawn, as numbers, scales, order and words.

A kind of picture makes a Picture of a result; a renderer draws it and adds nothing. So every
renderer shows the same numbers on the same scales in the same order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np

from whichf1.errors import InputError
from whichf1.reporting.escape import visible
from whichf1.tables.cells import Array
from whichf1.tables.display import presenters
from whichf1.tables.records import dataclass
from whichf1.tables.saving import write_whole

Numbers: TypeAlias = tuple[float, ...]
Place: TypeAlias = tuple[float, float]
Ink: TypeAlias = int | Literal["text", "muted", "faint"]
"""The number of a series, which has its own colour, dash and shape; or text, or grey."""
Spacing: TypeAlias = Literal["linear", "log", "probit", "names"]


@dataclass(frozen=True)
class Axis:
    """A scale: its range, its spacing and its tick labels.

    On a scale of names, the i-th name is at i; on a vertical one, the first is at the top.
    """

    label: str
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...] = ()
    spacing: Spacing = "linear"
    unit: str = "names"
    """The noun for a name, for a note on names that are left out."""
    numbers: tuple[int, ...] = ()
    """The number of each name, if it is not its place: that of a class in the order of labels."""
    beside: bool = False
    """Whether the panel to the left has the same names, so that they may be left out here."""

    def place(self, value: Array | float) -> Any:
        """The position of a value on the scale: 0 at ``low``, 1 at ``high``."""
        low, high, at = _spaced(self.spacing, (self.low, self.high, value))
        return (at - low) / (high - low)


def _spaced(spacing: Spacing, values: Iterable[Any]) -> Any:
    """The values transformed to an evenly spaced scale."""
    if spacing == "log":
        return map(np.log, values)
    if spacing == "probit":
        from scipy.special import ndtri

        return (ndtri(np.clip(x, 1e-9, 1 - 1e-9)) for x in values)
    return values


@dataclass(frozen=True)
class Dots:
    """Points, with intervals along one of the scales, and tags next to them."""

    x: Numbers
    y: Numbers
    ink: Ink = 0
    low: tuple[float | None, ...] = ()
    high: tuple[float | None, ...] = ()
    """The ends of the intervals; None if there are none."""
    along: Literal["x", "y"] = "x"
    tags: tuple[str, ...] = ()
    """Names next to the points, important ones first; a renderer leaves out what does not fit."""
    numbers: tuple[int, ...] = ()
    """The number of each name, as of a scale."""
    area: Numbers = ()
    """The sizes of the points, from 0 to 1; empty if all are equal."""
    hollow: bool = False


@dataclass(frozen=True)
class Stroke:
    """A line through points; a step holds its height until the next point."""

    x: Numbers
    y: Numbers
    ink: Ink = 0
    step: bool = False
    thin: bool = False
    dash: bool | None = None
    """Whether the line is dashed; None: like its series."""


@dataclass(frozen=True)
class Ribbon:
    """The area between two lines."""

    x: Numbers
    low: Numbers
    high: Numbers
    ink: Ink = 0
    pale: bool = False
    """Whether it is behind another one."""


@dataclass(frozen=True)
class Bars:
    """Bars that start at 0, from ``left`` to ``right``."""

    left: Numbers
    right: Numbers
    height: Numbers
    ink: Ink = "muted"


@dataclass(frozen=True)
class Tiles:
    """A table of shades, each from 0 to 1; the first row is at the top."""

    shade: tuple[Numbers, ...]
    texts: tuple[tuple[str, ...], ...]
    outlined: tuple[tuple[int, int], ...] = ()
    """Cells (row, column) with a frame, such as correct ones."""
    marked: tuple[tuple[int, int], ...] = ()
    """Cells with a mark, because they stand out."""


@dataclass(frozen=True)
class Tag:
    """A word at a point inside a panel."""

    text: str
    at: Place
    ink: Ink = "text"
    side: Literal["left", "right", "above", "below"] = "right"
    """The preferred side of the point, if there is room."""


Mark: TypeAlias = Dots | Stroke | Ribbon | Bars | Tiles | Tag


@dataclass(frozen=True)
class Panel:
    """Marks on two scales; later ones are on top."""

    x: Axis
    y: Axis
    marks: tuple[Mark, ...]
    title: str = ""
    share: float = 1.0
    """Its relative width; its relative height, if panels are stacked."""
    square: bool = False
    """Whether both scales have the same length."""


@dataclass(frozen=True)
class Key:
    """An entry of the legend: the look of a series, and its name."""

    text: str
    ink: Ink
    form: Literal["line", "dots", "band", "bar", "thin"] = "line"
    dash: bool | None = None
    hollow: bool = False
    pale: bool = False


@dataclass(frozen=True)
class Picture:
    """What is drawn of a result; returned by ``whichf1.picture``.

    kind: The name of the kind of picture.
    title: The line above it.
    finding: What it shows, in a sentence: the text alternative.
    panels: The panels, side by side or, if ``stacked``, above each other.
    signatures: The signatures of the numbers, each enough to compute them again.
    width, height: The size in inches that suits it.

    >>> import whichf1 as wf
    >>> picture = wf.picture(wf.count(["a", "b", "b"], ["a", "b", "a"]))
    >>> picture.kind, picture.panels[0].y.label
    ('confusion', 'true class')
    >>> print(picture.finding)
    2 of 3 items are predicted correctly; b is most often predicted as a (1 of 2).
    """

    kind: str
    title: str
    finding: str
    panels: tuple[Panel, ...]
    legend: tuple[Key, ...] = ()
    notes: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()
    stacked: bool = False
    width: float = 5.2
    height: float = 3.9

    @property
    def caption(self) -> str:
        """The notes and the signatures, as shown below the picture."""
        return "\n".join([*self.notes, *self.signatures])

    def _repr_png_(self) -> bytes:
        return presenters[0]().written(self, ".png", 150)

    def plot(self, ax: Any = None) -> Any:
        """Draw the picture with matplotlib.

        ax: The Axes to draw on. By default, those of a new figure.
        Returns: The Axes; with several panels, those of the first.
        InputError: If matplotlib is not installed.

        >>> import matplotlib, whichf1 as wf
        >>> matplotlib.use("agg")
        >>> wf.picture(wf.count([0, 1], [0, 1])).plot().get_ylabel()
        'true class'
        """
        return presenters[0]().drawn(self, None, ax, {})

    def save(self, path: Any, dpi: int = 200) -> None:
        """Write the picture to a file, completely or not at all; equal pictures give equal bytes.

        path: A file name that ends in .svg, .pdf or .png.
        dpi: Dots per inch of a PNG.
        FileError: If the file cannot be written, or its name has another extension.
        InputError: If matplotlib is not installed.

        >>> import tempfile, whichf1 as wf
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     wf.picture(wf.count([0, 1], [0, 1])).save(f"{folder}/counts.svg")
        """
        write_whole(path, presenters[0]().written(self, path, dpi))


def numbers(values: Iterable[Any]) -> Numbers:
    """Numbers as plain floats."""
    return tuple(np.asarray([*values] if not isinstance(values, np.ndarray) else values).tolist())


def names(labels: Iterable[object]) -> tuple[str, ...]:
    """Names as text that fits on one line, whatever they contain."""
    return tuple(visible(label) or "(empty)" for label in labels)


def with_names(
    label: str, labels: Iterable[object], unit: str = "names", places: Iterable[int] = ()
) -> Axis:
    """A scale of names; ``places`` are those of the classes among all labels, from 0."""
    texts = names(labels)
    ticks = tuple((float(at), text) for at, text in enumerate(texts))
    known = tuple(at + 1 for at in places)
    return Axis(label, -0.5, len(texts) - 0.5, ticks, "names", unit, known)


def unit_axis(label: str) -> Axis:
    """A scale from 0 to 1."""
    return Axis(label, 0.0, 1.0, tuple((x / 5, f"{x / 5:.1f}") for x in range(6)))


def axis(label: str, values: Iterable[float | None], zero: bool = False, pad: float = 0.05) -> Axis:
    """A scale that includes all finite values (and 0, if required), with a margin at its ends."""
    known = [x for x in values if x is not None and math.isfinite(x)] + ([0.0] if zero else [])
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    if high - low < 1e-9 * max(1.0, abs(high)):
        half = max(1e-6, abs(high) * 0.05) if abs(high) > 1e-6 else 0.5
        low, high = low - half, high + half
    room = pad * (high - low)
    return Axis(label, low - room, high + room, ticks(low - room, high + room))


def within(scale: Axis, low: float, high: float) -> Axis:
    """The scale, limited to ``low`` and ``high``: a fraction ends at 1."""
    low, high = max(scale.low, low), min(scale.high, high)
    return replace(scale, low=low, high=high, ticks=ticks(low, high))


def ticks(low: float, high: float, most: int = 6) -> tuple[tuple[float, str], ...]:
    """Round numbers from low to high, at most this many."""
    rough = (high - low) / (most - 1)
    if not math.isfinite(rough) or rough <= 0:
        raise InputError(f"there is nothing to draw between {low!r} and {high!r}")
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(x * power for x in (1, 2, 5, 10) if x * power >= 0.85 * rough)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    every = [step * at for at in range(first, last + 1)]
    return tuple((x + 0.0, tick_text(x, decimals)) for x in every)


def tick_text(value: float, decimals: int) -> str:
    """The label of a tick, with a proper minus sign."""
    value = round(value, decimals) + 0.0
    if abs(value) >= 1e9 or decimals > 6:
        return f"{value:.10g}".replace("-", "−")
    return f"{value:,.{decimals}f}".replace("-", "−")


def finite(values: Array, what: str) -> Array:
    """The values, at least one of which must be finite."""
    if not np.isfinite(values).any():
        raise InputError(f"there is nothing to draw: {what} is undefined everywhere")
    return values


def first_of(parts: Sequence[str], most: int, show: Callable[[str], str] = str) -> str:
    """'a, b and 3 more'."""
    rest = len(parts) - most
    if rest == 1:
        return f"{', '.join(map(show, parts[:most]))} and {show(parts[most])}"
    return ", ".join(map(show, parts[:most])) + (f" and {rest:,} more" if rest > 0 else "")
