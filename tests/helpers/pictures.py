"""Pictures for tests: a result of any size for each kind, and which of its texts touch.

As a program, it writes the gallery: ``python -m tests.helpers.pictures``.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd

import whichf1 as wf
from whichf1.reporting.pictures.kinds import every_kind

matplotlib.use("agg")
ROOT = Path(__file__).parents[2]
PAGE, FOLDER = ROOT / "docs" / "gallery.md", ROOT / "docs" / "gallery"
DPI = 80

LONG = "a class with quite a long name that nobody would like to read twice, number"


def class_names(k: int) -> list[str]:
    """Names that are short, long, Chinese, markup, or directions."""
    odd = ["猫", "<b>bold</b>", "$x^2$", "‮right to left", "a\nb", ""]
    return [odd[at] if at < len(odd) and k > 6 else f"{LONG} {at}" if at % 9 == 7 else f"class {at}"
            for at in range(k)]  # fmt: skip


@cache
def counts(k: int) -> wf.Counts:
    """Classes that are confused with their neighbours."""
    rng = np.random.default_rng(k)
    true = rng.integers(0, k, 40 * k)
    near = (true + rng.integers(0, 3, len(true))) % k
    guessed = np.where(rng.random(len(true)) < rng.random(k)[true], true, near)
    matrix = np.zeros((k, k), np.int64)
    np.add.at(matrix, (true, guessed), 1)
    return wf.Counts.from_matrix(matrix, rows="true", labels=class_names(k))


@cache
def ranking(seed: int, n: int = 150) -> wf.Ranking:
    """Probabilities of two classes that overlap."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 2, n)
    scores = 1 / (1 + np.exp(-rng.normal(1.5 * true - 0.75, 1.2)))
    return wf.rank(true, scores.round(3), positive=1)


@cache
def comparison(k: int) -> wf.Comparison:
    """Some systems, with more pairs than classes."""
    rng = np.random.default_rng(k)
    true = rng.integers(0, 4, 120)
    systems = {}
    for name in class_names(k)[:k]:
        right = rng.random(len(true)) < 0.5 + 0.3 * rng.random()
        systems[name] = np.where(right, true, rng.integers(0, 4, len(true)))
    return wf.compare(true, systems, "averaged_f1", replicates=0, margin=0.05)


def slices(k: int) -> wf.Slices:
    rng = np.random.default_rng(k)
    true, pred = rng.integers(0, 3, 30 * k), rng.integers(0, 3, 30 * k)
    pred = np.where(rng.random(30 * k) < 0.6, true, pred)
    by = np.array(class_names(k), object)[rng.integers(0, k, 30 * k)]
    return wf.count_by(pd.DataFrame({"true": true, "pred": pred, "by": by}), by="by")


@cache
def study(k: int) -> wf.Study:
    """As many systems as data sets, up to a few, with two runs each."""
    rng = np.random.default_rng(k)
    names = class_names(k)
    parts = []
    for name in names[: min(k, 8)]:
        true = rng.integers(0, 3, 40)
        pred = {
            system: [np.where(rng.random(40) < 0.5 + 0.4 * at / k, true, 0) for _ in range(2)]
            for at, system in enumerate(names)
        }
        parts.append(wf.trials(true, pred=pred, dataset=name))
    return wf.study(sum(parts[1:], parts[0]), "accuracy")


def curves(k: int) -> Any:
    return ranking(0) if k == 2 else {x: ranking(at) for at, x in enumerate(class_names(k))}


def one_ranking(k: int) -> wf.Ranking:
    return ranking(k)


KINDS_OF_CURVES = (
    *("roc", "pr", "pr-gain", "det", "gain", "lift", "decision", "risk-coverage", "cost"),
)
RESULTS: dict[str, Callable[[int], Any]] = {
    **dict.fromkeys(("confusion", "classes", "plane", "gap", "posterior", "dialects"), counts),
    **dict.fromkeys(KINDS_OF_CURVES, curves),
    "reliability": one_ranking,
    "threshold": lambda k: wf.best_threshold(ranking(k)),
    "comparison": lambda k: comparison(min(k, 12)),
    "flips": lambda k: comparison(min(k, 12)),
    "slices": slices,
    "prevalence": lambda k: wf.prevalence_curve(counts(k), positive=counts(k).labels[0]),
    "scores": lambda k: wf.report(counts(k)),
    "runs": lambda k: study(min(k, 12)),
    "critical-difference": lambda k: study(min(k, 12)),
    "meta": lambda k: study(min(k, 12)),
}
"""A result of each kind, as large as asked for."""


@contextlib.contextmanager
def figure_of(picture: wf.Picture) -> Iterator[Any]:
    """The picture, drawn."""
    from matplotlib import pyplot

    figure = picture.plot().figure
    try:
        yield figure
    finally:
        pyplot.close(figure)


def texts(figure: Any) -> list[tuple[str, tuple[float, float, float, float]]]:
    """Every visible text with its box, in dots."""
    every = [*figure.texts, *(x for legend in figure.legends for x in legend.get_texts())]
    for ax in figure.axes:
        every += [*ax.texts, ax.title, ax._left_title, ax._right_title]
        every += [ax.xaxis.label, ax.yaxis.label, *ax.get_xticklabels(), *ax.get_yticklabels()]
    shown = [x for x in every if x.get_visible() and x.get_text().strip()]
    return [(x.get_text(), tuple(x.get_window_extent().extents)) for x in shown]


def touching(figure: Any) -> list[tuple[str, str]]:
    """Texts that overlap, and texts that leave the figure."""
    found = texts(figure)
    width, height = figure.get_size_inches() * figure.dpi
    bad = [
        (a, b)
        for (a, p), (b, q) in combinations(found, 2)
        if min(p[2], q[2]) - max(p[0], q[0]) > 1 and min(p[3], q[3]) - max(p[1], q[1]) > 1
    ]
    outside = [
        (text, "outside")
        for text, (x0, y0, x1, y1) in found
        if x0 < -1 or y0 < -1 or x1 > width + 1 or y1 > height + 1
    ]
    return bad + outside


# the gallery


DATA = """import whichf1 as wf

counts = wf.count("examples/animals.csv")
ranking = wf.rank("examples/spam.csv", true="gold", score="score", positive="spam")
systems = ["careful", "biased", "weak"]
comparison = wf.compare("examples/systems.csv", systems, true="gold", margin=0.05)
slices = wf.count_by("examples/systems.csv", by="gold", true="gold", pred="careful")
runs = wf.study("examples/runs/{system}/{seed}.csv", item="item")
tasks = wf.study("examples/tasks.csv", "accuracy", system="model", dataset="task", item="item")
"""
"""What the lines of the gallery use."""
LINES = {
    "confusion": "counts.plot()",
    "classes": 'counts.plot(kind="classes")',
    "plane": 'counts.plot(kind="plane")  # or wf.macro_f1(...).plot()',
    "gap": 'wf.macro_f1(counts).plot(kind="gap")',
    "posterior": 'counts.plot(kind="posterior")',
    "roc": "wf.roc_curve(ranking).plot()",
    "pr": "wf.pr_curve(ranking).plot()",
    "pr-gain": 'ranking.plot(kind="pr-gain")',
    "det": 'ranking.plot(kind="det")',
    "gain": 'ranking.plot(kind="gain")',
    "lift": 'ranking.plot(kind="lift")',
    "reliability": "wf.calibration_curve(ranking).plot()",
    "threshold": 'wf.best_threshold(ranking, correct="bootstrap").plot()',
    "decision": "wf.decision_curve(ranking).plot()",
    "risk-coverage": 'ranking.plot(kind="risk-coverage")',
    "cost": 'ranking.plot(kind="cost")',
    "prevalence": 'wf.prevalence_curve(counts, positive="dog").plot()',
    "comparison": "comparison.plot()",
    "flips": 'comparison.plot(kind="flips")',
    "slices": 'slices.plot(metric="accuracy")',
    "dialects": "wf.dialects.table(counts).plot()",
    "scores": 'wf.report(counts).plot(kind="scores")',
    "runs": "runs.plot()",
    "critical-difference": 'tasks.plot(kind="critical-difference")',
    "meta": 'tasks.plot(kind="meta")',
}
"""The line that makes each picture of the gallery."""
HEAD = """# Gallery

Every result that has a picture has `.plot(ax=None, *, kind=None, **options)`, which draws it
with matplotlib (`pip install 'whichf1[plot]'`) and returns the Axes. `wf.picture(result, kind)`
gives the picture itself: its numbers, scales, order and words, with `.save("x.pdf")`. On the
command line, `whichf1 plot KIND FILE … -o x.pdf` writes a `.pdf`, `.svg` or `.png`; `whichf1
plot list` lists the kinds. A mapping such as `wf.picture({"A": a, "B": b}, "roc")` shows the
curves of several systems or folds.

Pictures need no options. Names are shortened, made smaller or left out with a note, never drawn
over each other. Series differ in colour, dash and shape. Text stays text, and fonts are
embedded. The signature is in the caption and in the metadata of the file, beside a sentence
that says what the picture shows. Equal pictures give equal files. Bands of curves hold the
curve of the population at each place (dark) or as a whole (pale): [how often they
do](intervals.md#bands-of-curves).

This page is written by `python -m tests.helpers.pictures`. The lines use:

```py
{data}```
"""


@cache
def _data() -> dict[str, Any]:
    names: dict[str, Any] = {}
    with contextlib.chdir(ROOT):
        exec(DATA, names)
    return names


def gallery_figure(kind: str) -> bytes:
    """The picture of the gallery as its line makes it, as a PNG."""
    from matplotlib import pyplot

    ax = eval(LINES[kind], dict(_data()))
    drawn = io.BytesIO()
    ax.figure.savefig(drawn, format="png", dpi=DPI, metadata={"Software": None})
    pyplot.close(ax.figure)
    return drawn.getvalue()


def page() -> str:
    """The page of the gallery."""
    parts = [HEAD.replace("{data}", DATA)]
    for name, kind in every_kind().items():
        options = (
            f"\n\nOptions: {', '.join(f'`{x}`' for x in kind.options)}." if kind.options else ""
        )
        line = LINES[name]
        parts.append(
            f"\n## {name}\n\n{kind.summary}{options}\n\n```py\n{line}\n```\n\n"
            f"![{kind.summary}](gallery/{name}.png)\n"
        )
    return "".join(parts)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for kind in every_kind():
        (FOLDER / f"{kind}.png").write_bytes(gallery_figure(kind))
    PAGE.write_text(page())
