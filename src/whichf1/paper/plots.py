"""Figures as pictures. Only this module imports matplotlib (the extra 'plot'), on first use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whichf1.paper import beyond
from whichf1.paper.beyond import FIXED, KNOWN, RECALL, sharp_bound
from whichf1.paper.figures import BINARY, CLASSES, SEVERAL
from whichf1.paper.result import Figure
from whichf1.scoring.macro import bounds, macro_f1
from whichf1.tables.counts import Counts
from whichf1.tables.saving import write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.titlesize": 9,
    "legend.fontsize": 7.5,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "pdf.fonttype": 42,  # TrueType: embedded fonts and searchable text
    "svg.hashsalt": "whichf1",
    "figure.dpi": 100,
    "savefig.dpi": 150,
}
METADATA: dict[str, dict[str, None]] = {
    "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
}
"""Each format, without everything that changes between runs or versions."""
FORMATS = tuple(METADATA)
INK = ("#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7")
"""Colours that colour-blind readers can distinguish (Okabe and Ito)."""
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v")


def available() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def save(figure: Figure, directory: Path, formats: Sequence[str] = FORMATS) -> None:
    """Draw a figure and write it in each format; equal data give equal bytes."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # ignore the user's own settings
        matplotlib.rcParams.update(STYLE)
        picture = DRAWINGS[figure.name](figure)
        for kind in formats:
            drawn = BytesIO()
            picture.savefig(drawn, format=kind, metadata=METADATA[kind])
            write_whole(directory / f"{figure.name}.{kind}", drawn.getvalue())


def _panels(*titles: str, width: float = 3.6, height: float = 3.1) -> tuple[Picture, list[Axes]]:
    from matplotlib.figure import Figure as Picture

    picture = Picture(figsize=(width * len(titles), height), layout="constrained")
    axes = [picture.add_subplot(1, len(titles), at + 1) for at in range(len(titles))]
    for panel, title in zip(axes, titles, strict=True):
        panel.set_title(title)
    return picture, axes


def _points(at: int, **more: Any) -> dict[str, Any]:
    return {"color": INK[at], "marker": MARKERS[at], **more}


def _line(at: int, **more: Any) -> dict[str, Any]:
    return {"color": INK[at], "linestyle": LINES[at], **more}


def _fig1a(figure: Figure) -> Picture:
    of = figure.parameters
    title = f"{of['tasks']:,} tasks of {of['items']:,} items, classes 95 : 5"
    picture, (panel,) = _panels(title, width=4.2, height=3.6)
    x, y = figure.columns["averaged_f1"], figure.columns["f1_of_averages"]
    look = _points(1, marker="o", s=7, alpha=0.5, linewidths=0, label="a task, guessed uniformly")
    panel.scatter(x, y, **look)
    ends = [min(x.min(), y.min()) - 0.01, y.max() + 0.01]
    panel.plot(ends, ends, color=INK[0], linestyle="--", linewidth=1, label="no gap")
    panel.set(xlim=(x.min() - 0.01, x.max() + 0.04), ylim=ends)
    panel.set(xlabel="averaged F1", ylabel="F1 of averages")
    panel.legend(loc="lower right")
    stated = [f"{x.what}: {x.here:.3f}" for x in figure.facts if x.what != "maximum"]
    text = "\n".join(stated)
    panel.text(0.97, 0.62, text, transform=panel.transAxes, va="top", ha="right", fontsize=7.5)
    return picture


def _fig1b(figure: Figure) -> Picture:
    picture, axes = _panels("two classes", "several classes", width=3.8)
    for panel, chosen in zip(axes, (BINARY, SEVERAL), strict=True):
        for at, distribution in enumerate(chosen):
            rows = figure.where(distribution=distribution)
            panel.plot(rows["gap"], rows["density_per_decade"], **_line(at, label=distribution))
        panel.set(xscale="log", xlim=(1e-6, 0.3), ylim=(0, None), xlabel="gap (log scale)")
        panel.legend(title="classes, %", loc="upper left")
    axes[0].set_ylabel("density per decade of the gap")
    return picture


def _heat(figure: Figure, skew: str) -> Picture:
    picture, axes = _panels(*(f"{k} classes" for k in CLASSES), width=3.7)
    most = 100 * figure.columns["mean_gap"].max()
    levels = [level for level in (0.1, 0.25, 0.5, 1.0, 1.5) if level < most]
    ink = ["black" if level > most / 2 else "white" for level in levels]
    for panel, k in zip(axes, CLASSES, strict=True):
        rows = figure.where(classes=k)
        side = len(np.unique(rows["skew"]))
        x, y, gap = (rows[name].reshape(side, side) for name in ("accuracy", "skew", "mean_gap"))
        image = panel.pcolormesh(
            x, y, 100 * gap, cmap="cividis", vmin=0, vmax=most, shading="nearest", rasterized=True
        )
        lines = panel.contour(x, y, 100 * gap, levels=levels, colors=ink, linewidths=0.7)
        panel.clabel(lines, fontsize=6.5, fmt="%g")
        panel.set(xlabel="probability of a correct label x", ylabel=skew)
        panel.grid(visible=False)
    picture.colorbar(image, ax=axes, label="mean gap, percentage points")
    return picture


def _theorem(figure: Figure) -> Picture:
    picture, (panel,) = _panels("matrices of appendix C", width=5.2, height=3.4)
    for at, z in enumerate(np.unique(figure.columns["z"])):
        rows = figure.where(z=z)
        look = _points(at + 1, linestyle="none", markersize=4, label=f"z = {z:,}")
        panel.plot(rows["classes"], rows["gap"], **look)
    panel.plot(rows["classes"], rows["supremum"], color=INK[0], lw=1, zorder=1, label="supremum")
    panel.set(xlabel="number of classes", ylabel="gap", ylim=(0, 0.53), xticks=range(2, 21, 2))
    panel.legend(loc="center right", ncols=2)
    return picture


def _variance(figure: Figure) -> Picture:
    picture, (plane, bars) = _panels("classes of an example", "their parts of the gap")
    c = figure.columns
    _rays(plane, float(c["precision"].sum() / c["recall"].sum()))
    plane.scatter(c["recall"], c["precision"], s=60 * c["weight"], color=INK[1], zorder=3)
    for name, x, y in zip(c["class"], c["recall"], c["precision"], strict=True):
        plane.annotate(name, (x, y), xytext=(9, -3), textcoords="offset points")
    bars.bar(c["class"], 100 * c["contribution"], color=INK[1], width=0.6)
    bars.set(xlabel="class", ylabel="contribution, percentage points")
    return picture


def _rays(panel: Axes, slope: float) -> None:
    """The recall–precision plane with the line P = R and the ray of the mean direction."""
    panel.plot([0, 1], [0, 1], color="#777777", linestyle=":", linewidth=1, label="P = R")
    end = min(1, 1 / slope) if slope else 1
    panel.plot([0, end], [0, slope * end], color=INK[2], linestyle="--", label="mean direction ū")
    panel.set(xlabel="recall R", ylabel="precision P", xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    panel.set_aspect("equal")
    panel.legend(loc="upper left")


def _counterexample(figure: Figure) -> Picture:
    picture, (plane, share) = _panels("P ≠ R, and no gap", "share of all tables")
    m = macro_f1(Counts.from_matrix(beyond.COUNTEREXAMPLE, rows="predicted"))
    _rays(plane, float(m.precision.sum() / m.recall.sum()))
    sizes = 60 * (m.precision + m.recall) + 20
    plane.scatter(m.recall, m.precision, s=sizes, color=INK[1], zorder=3)
    plane.annotate("1 and 2", (0.6, 0.8), xytext=(9, -3), textcoords="offset points")
    plane.annotate("3, without a hit", (0, 0), xytext=(9, -1), textcoords="offset points")
    kinds = {beyond.SILENT: "gap 0, some P ≠ R", beyond.ONE_SIDED: "gap > 0, no P < R or no P > R"}
    curves = [(k, figure.where(classes=k), column) for k in (2, 3) for column in kinds]
    seen = [curve for curve in curves if curve[1][curve[2]].any()]
    for at, (k, rows, column) in enumerate(seen):
        look = _points(at, linestyle=LINES[at], ms=4, label=f"{k} classes: {kinds[column]}")
        share.plot(rows["items"], 100 * rows[column] / rows["tables"], **look)
    share.set(xlabel="items in the table", ylabel="% of all tables")
    share.set(ylim=(0, 75), xticks=range(2, 17, 2))
    share.legend(loc="upper right")
    return picture


def _bounds(figure: Figure) -> Picture:
    picture, (low, high) = _panels("one class: F1 ≥ P + R − 1", f"macro recall {RECALL}", width=3.9)
    p = np.linspace(0, 1, 101)
    for at, r in enumerate((0.25, 0.5, 0.75, 1.0)):
        f1 = np.array([bounds(float(x), r).high for x in p])
        low.plot(p, f1, **_line(at, label=f"R = {r:g}"))
        low.plot(p, np.maximum(0, p + r - 1), **_line(at, linewidth=0.7))
    low.set(xlabel="precision P", ylabel="F1 (thick) and P + R − 1 (thin)")
    low.legend(loc="upper left")
    top = figure.where(curve="F1 of averages")["averaged_f1"]
    for at, k in enumerate(KNOWN):
        for name, width in ((f"{k} classes, sharp", 1.6), (f"{k} classes", 0.7)):
            rows = figure.where(curve=name)
            x, bound = rows["macro_precision"], rows["averaged_f1"]
            look = _line(at, lw=width, label=f"{k} classes" if width > 1 else None)
            high.plot(x, 100 * (top[-len(x) :] - bound), **look)
    high.set(xlabel="macro precision", ylabel="gap at least, percentage points", ylim=(-0.1, 5))
    high.legend(loc="upper left", title="sharp (thin: simple)")
    return picture


def _interval(figure: Figure) -> Picture:
    picture, (free, fixed) = _panels("any table", f"macro precision {FIXED}", width=3.9, height=3.5)
    ends = np.linspace(0, 1, 101)
    free.fill_between(ends, np.maximum(0, 2 * ends - 1), ends, color="#e8e8e8", label="possible")
    low, high = np.array([bounds(FIXED, float(r)) for r in ends]).T
    fixed.fill_between(ends, low, high, color="#e8e8e8", label="possible")
    for at, k in enumerate(KNOWN, start=1):
        look = _points(at, s=7, alpha=0.6, linewidths=0, label=f"{k} classes")
        rows = figure.where(panel="free", classes=k)
        free.scatter(rows["f1_of_averages"], rows["averaged_f1"], **look)
        rows = figure.where(panel="fixed", classes=k)
        fixed.scatter(rows["macro_recall"], rows["averaged_f1"], **look)
    for at, k in enumerate((2, 3)):
        upper = ends[ends > 1 / k]
        sharp = [sharp_bound(FIXED, float(r), k) for r in upper]
        look = _line(at + 1, color=INK[0], lw=1, label=f"at most, {k} classes")
        fixed.plot(upper, sharp, **look)
    for panel, name in ((free, "F1 of averages"), (fixed, "macro recall")):
        panel.set(xlabel=name, ylabel="averaged F1", xlim=(0, 1), ylim=(0, 1))
        panel.legend(loc="upper left", markerscale=1.6)
    return picture


def _rankings(figure: Figure) -> Picture:
    titles = {"equal": "a pair of equal skill", "independent": "independent skill"}
    picture, axes = _panels(*titles.values(), width=3.7)
    for panel, skill in zip(axes, titles, strict=True):
        for at, k in enumerate(np.unique(figure.columns["classes"])):
            rows = figure.where(skill=skill, classes=k)
            x, y = rows["largest_to_smallest_class"], 100 * rows["share_ranked_differently"]
            look = _points(at, linestyle=LINES[at], ms=4, capsize=2, lw=1.2, label=f"{k} classes")
            panel.errorbar(x, y, yerr=196 * rows["standard_error"], **look)
        panel.set(xscale="log", xlabel="largest : smallest class", ylim=(0, 40))
        panel.set_xticks(beyond.RATIOS, [f"{x}:1" for x in beyond.RATIOS], minor=False)
        panel.tick_params(axis="x", which="minor", bottom=False)
        panel.legend(loc="best", ncols=2)
    axes[0].set_ylabel("% of pairs ranked differently")
    return picture


DRAWINGS: dict[str, Callable[[Figure], Picture]] = {
    "fig1a": _fig1a,
    "fig1b": _fig1b,
    "fig2": partial(_heat, skew="skew of the classes y"),
    "fig3": partial(_heat, skew="skew of the wrong labels y"),
    "theorem": _theorem,
    "variance": _variance,
    "counterexample": _counterexample,
    "bounds": _bounds,
    "interval": _interval,
    "rankings": _rankings,
}
