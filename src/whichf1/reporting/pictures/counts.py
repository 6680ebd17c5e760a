"""Pictures of counts: the confusion matrix, the classes, both macro F1s and the gap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from whichf1.definitions.definition import define_fitting
from whichf1.definitions.methods import Posterior, find_method
from whichf1.definitions.words import capital
from whichf1.definitions.words import title as title_of
from whichf1.errors import DefinitionError, InputError, TooLargeError, is_among, numbered, verb
from whichf1.reporting.numbers import items, share_text, size
from whichf1.reporting.pictures.kinds import declare, same
from whichf1.reporting.pictures.marks import (
    Axis,
    Dots,
    Key,
    Mark,
    Numbers,
    Panel,
    Picture,
    Ribbon,
    Stroke,
    Tag,
    Tiles,
    axis,
    finite,
    names,
    numbers,
    unit_axis,
    with_names,
    within,
)
from whichf1.reporting.score import Report
from whichf1.scoring.evaluate import draw_posterior, evaluate_per_class
from whichf1.scoring.macro import MacroF1, macro_f1
from whichf1.scoring.score import PerClass, data_signature
from whichf1.tables.cells import Array
from whichf1.tables.counts import Counts
from whichf1.tables.label_sets import MultiLabelCounts

MOST_CLASSES = 1000
"""The largest number of classes that fits on a page."""
IN_ORDER = 12
"""With more classes than this, a matrix is ordered by similarity."""
PAIRS = 3
"""How many confused pairs are marked."""
ORDERS = 150
"""With more classes than this, the order by similarity is only approximate, to save time."""
COUNTED: dict[type, Any] = {Counts: same, Report: attrgetter("counts")}
EITHER: dict[type, Any] = {**COUNTED, MultiLabelCounts: same}
Shares: TypeAlias = Literal["true", "predicted", "none"]


def refuse_size(k: int, what: str, least: int = 2) -> None:
    """Raise if there are too few or too many classes to draw."""
    if k < least:
        raise InputError(f"{what} needs at least {least} classes; there is {k}. Declare labels=.")
    if k > MOST_CLASSES:
        raise TooLargeError(
            f"{what} of {numbered(k, 'class')} does not fit on a page (at most {MOST_CLASSES:,})"
        )


@declare("confusion", COUNTED)
def confusion(
    counts: Counts,
    *,
    share: Shares = "true",
    order: Literal["labels", "similarity"] | None = None,
) -> Picture:
    """The confusion matrix, shaded by fraction, with the most confused pairs marked.

    share: What a cell is a fraction of: its true class, its predicted class, or none.
    order: By label, or with similar classes next to each other. Default: by similarity if there
        are more than 12 classes.
    """
    for name, value, known in (
        ("share", share, get_args(Shares)),
        ("order", order, ("labels", "similarity", None)),
    ):
        if not is_among(value, known):
            raise DefinitionError(f"{name} must be one of {known!r}; got {value!r}")
    if not isinstance(counts, Counts):
        raise InputError(
            "a confusion matrix needs one predicted class for each item: draw kind='classes'"
        )
    k = len(counts.labels)
    refuse_size(k, "a confusion matrix")
    matrix = counts.matrix
    similar = order == "similarity" or (order is None and k > IN_ORDER)
    at = by_similarity(matrix) if similar else np.arange(k)
    matrix = matrix[np.ix_(at, at)]
    labels = names(counts.labels[x] for x in at.tolist())
    shares = shares_of(matrix, share)
    pairs = confused(matrix)
    texts = tuple(
        tuple(_cell(n, x, share, k) for n, x in zip(row, part, strict=True))
        for row, part in zip(matrix.tolist(), shares.tolist(), strict=True)
    )
    marked = tuple(pairs[:PAIRS]) if k > 2 else ()
    tiles = Tiles(tuple(map(numbers, shares)), texts, tuple((x, x) for x in range(k)), marked)
    right = np.trace(matrix).item()
    are = "is" if 1 in (right, counts.n) else "are"
    finding = f"{items(right)} of {size(counts.n)} {are} predicted correctly"
    if pairs:
        row, column = pairs[0]
        finding += (
            f"; {labels[row]} is most often predicted as {labels[column]} "
            f"({items(matrix[row, column].item())} of {items(matrix[row].sum().item())})"
        )
    said = {
        "true": "Shade and percent: fraction of the true class (row).",
        "predicted": "Shade and percent: fraction of the predicted class (column).",
        "none": "Shade: items, relative to the fullest cell.",
    }
    notes = [f"{said[share]} Framed: correct."]
    if marked:
        notes[0] += f" Marked: the {len(marked)} most frequent confusions."
    if similar:
        notes.append("Classes are ordered so that similar ones, often confused, are neighbours.")
    side = _side(k)
    return Picture(
        "confusion",
        f"{size(counts.n)}, {numbered(k, 'class')}",
        f"{finding}.",
        (
            Panel(
                with_names("predicted class", labels, "classes", at.tolist()),
                with_names("true class", labels, "classes", at.tolist()),
                (tiles,),
                square=True,
            ),
        ),
        notes=tuple(notes),
        signatures=(data_signature(counts.n, counts.labels, counts.facts),),
        width=side + 1.3,
        height=side + 0.9,
    )


def _side(k: int) -> float:
    """The height in inches of a table with this many rows."""
    return min(7.0, max(2.4, 0.52 * k if k <= 8 else 4.2 + 0.035 * (k - 8)))


def _cell(n: float, share: float, kind: str, k: int) -> str:
    if n == 0:
        return "0" if k <= 8 else ""
    shown = items(n) if isinstance(n, int) else f"{n:.3g}"
    return shown if kind == "none" else f"{shown}\n{share_text(share)}"


def shares_of(matrix: Array, share: str) -> Array:
    """The cells as fractions of rows, of columns, or of the fullest cell."""
    table = matrix.astype(np.float64)
    if share == "none":
        relative: Array = table / max(table.max(), 1e-300)
        return relative
    total = table.sum(1 if share == "true" else 0, keepdims=True)
    whole: Array = np.divide(table, total, out=np.zeros_like(table), where=total > 0)
    return whole


def confused(matrix: Array) -> list[tuple[int, int]]:
    """Pairs of a true and another predicted class, the most frequent first."""
    wrong = matrix.astype(np.float64).copy()
    np.fill_diagonal(wrong, 0)
    flat = np.argsort(-wrong, axis=None, kind="stable")[: 4 * PAIRS]
    cells = (divmod(int(x), len(matrix)) for x in flat)
    return [(row, column) for row, column in cells if wrong[row, column] > 0]


def by_similarity(matrix: Array) -> Array:
    """An order in which classes that are often confused with each other are neighbours."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    shares = shares_of(matrix, "true")
    alike = (shares + shares.T) / 2
    far = 1 - alike / max(alike.max(), 1e-300)
    np.fill_diagonal(far, 0)
    tree = linkage(
        squareform((far + far.T) / 2, checks=False),
        "average",
        optimal_ordering=len(matrix) <= ORDERS,
    )
    order: Array = leaves_list(tree)
    return order


# classes


METRICS = ("precision", "recall", "f1")


def _class_scores(counts: Any) -> list[tuple[str, PerClass]]:
    options = {"interval": find_method("auto")}
    every = [define_fitting(name, options) for name in METRICS]
    return [(title_of(each), evaluate_per_class(each, counts)) for each in every]


@declare("classes", {**EITHER, PerClass: same})
def classes(data: Any, *, order: Literal["value", "labels"] = "value") -> Picture:
    """Precision, recall and F1 of each class with their intervals, as a forest plot.

    order: The best class first, by the last of the scores; or the order of the labels.
    """
    if not is_among(order, ("value", "labels")):
        raise DefinitionError(f"order must be 'value' or 'labels'; got {order!r}")
    scores = [(title_of(data.definition), data)] if isinstance(data, PerClass) else None
    scores = scores or _class_scores(data)
    labels, last = scores[0][1].labels, scores[-1][1].array
    refuse_size(len(labels), "a picture of classes")
    for name, each in scores:
        finite(each.array, name)
    at = np.arange(len(labels))
    if order == "value":
        at = np.argsort(np.where(np.isnan(last), np.inf, -last), kind="stable")
    texts = _with_support([labels[x] for x in at.tolist()], data)
    scale = with_names("", texts, "classes", _places([labels[x] for x in at.tolist()], data))
    panels, ends = [], [0.0]
    for _, each in scores:
        ends += [
            x for interval in each.intervals if interval for x in (interval.low, interval.high)
        ]
        ends += each.array.tolist()
    for number, (name, each) in enumerate(scores):
        low, high = each.definition.bounds
        across = unit_axis("") if (low, high) == (0, 1) else within(axis("", ends), low, high)
        panels.append(
            _forest(name, each, at, scale if not number else replace(scale, beside=True), across)
        )
    lowest = int(at[np.isfinite(last[at])][-1]) if order == "value" else int(np.nanargmin(last))
    best = int(np.nanargmax(last))
    level = next((x.level for _, s in scores for x in s.intervals if x), None)
    name = scores[-1][0]
    finding = (
        f"{capital(name)} of the classes ranges from {last[lowest]:.3f} "
        f"({names([labels[lowest]])[0]}) to {last[best]:.3f} ({names([labels[best]])[0]})."
    )
    if f"{last[lowest]:.3f}" == f"{last[best]:.3f}":
        finding = f"{capital(name)} of every class is {last[best]:.3f}."
    legend = [
        Key("a class" + ("" if level is None else f", {100 * level:g} % interval"), 0, "dots")
    ]
    legend.append(Key("mean of the classes", 1, "line", dash=True))
    undefined = sum(int(np.isnan(each.array).sum()) for _, each in scores)
    drawn = verb(undefined, "is", "are")
    notes = [f"{numbered(undefined, 'undefined value')} {drawn} not drawn."] if undefined else []
    cautions = dict.fromkeys(x.caution for _, s in scores for x in s.intervals if x and x.caution)
    if cautions:
        number = sum(bool(x and x.caution) for _, s in scores for x in s.intervals)
        notes.append(f"{number} of the intervals may be too narrow because of too few items.")
    k = len(labels)
    return Picture(
        "classes",
        f"{_listed([each for each, _ in scores])} of {numbered(k, 'class')}",
        finding,
        tuple(panels),
        tuple(legend),
        tuple(notes),
        tuple(each.signature for _, each in scores),
        width=3.6 if len(scores) == 1 else 6.4,
        height=forest_height(k),
    )


def _listed(texts: Sequence[str]) -> str:
    """'a, b and c'."""
    return " and ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))


def forest_height(rows: int) -> float:
    """The height in inches of a forest plot with this many rows."""
    return 0.75 + (0.21 * rows if rows <= 25 else 5.25 + 0.105 * (rows - 25))


def _places(labels: Sequence[Any], data: Any) -> list[int]:
    """The places of classes among all labels: their numbers are the same in every figure."""
    place = {label: at for at, label in enumerate(data.labels)}
    return [place[label] for label in labels]


def _with_support(labels: Sequence[Any], data: Any) -> list[str]:
    """The classes with their numbers of items, if these are known."""
    texts = names(labels)
    if isinstance(data, PerClass):
        return list(texts)
    c = data.per_class()
    support = dict(zip(data.labels, (c.tp + c.fn).tolist(), strict=True))
    return [f"{text} ({items(support.get(x, 0))})" for x, text in zip(labels, texts, strict=True)]


def _forest(name: str, scores: PerClass, at: Array, scale: Axis, across: Axis) -> Panel:
    values = scores.array[at]
    intervals = [scores.intervals[x] for x in at.tolist()]
    shown = np.isfinite(values)
    dots = Dots(
        numbers(values[shown]),
        numbers(np.flatnonzero(shown)),
        0,
        tuple(x and x.low for x, here in zip(intervals, shown, strict=True) if here),
        tuple(x and x.high for x, here in zip(intervals, shown, strict=True) if here),
    )
    mean = float(values[shown].mean())
    line = Stroke((mean, mean), (scale.low, scale.high), 1, dash=True, thin=True)
    return Panel(across, scale, (line, dots), name)


# the two macro F1s


LEVELS = (0.2, 0.4, 0.6, 0.8)
"""The F1s of the contours."""


def precision_at(f1: Any, recall: Any) -> Array:
    """The precision at which this recall has this F1, at most 1: F R / (2 R − F)."""
    bottom = 2 * recall - f1
    precision = np.divide(f1 * recall, bottom, out=np.zeros_like(recall), where=bottom > 0)
    limited: Array = np.minimum(precision, 1.0)
    return limited


def contour(f1: float, points: int = 31) -> tuple[Numbers, Numbers]:
    """Recall and precision with the same F1, with more points where it bends."""
    if f1 <= 0:
        return (0.0, 1.0), (0.0, 0.0)
    recall = np.geomspace(f1, 1, points)
    precision = precision_at(f1, recall)
    return numbers([*precision[::-1], *recall[1:]]), numbers([*recall[::-1], *precision[1:]])


def contours(levels: Sequence[float] = LEVELS) -> list[Mark]:
    """Faint lines of the same F1, with their values at the right end."""
    marks: list[Mark] = []
    for level in levels:
        x, y = contour(level)
        marks += [Stroke(x, y, "faint", thin=True, dash=False)]
        marks += [Tag(f"F1 {level:g}", (1.0, y[-1]), "muted", "left")]
    return marks


@declare("plane", {**EITHER, MacroF1: same})
def plane(data: Any) -> Picture:
    """Precision and recall of the classes, with both macro F1s.

    Averaged F1 is a contour, because each class is first put on its own contour and then the
    contours are averaged; F1 of averages is the contour through the mean of the classes.
    """
    macro = data if isinstance(data, MacroF1) else macro_f1(data)
    k = len(macro.labels)
    refuse_size(k, "a picture of both macro F1s")
    support = None
    if not isinstance(data, MacroF1):
        c = data.per_class()
        known = dict(zip(data.labels, (c.tp + c.fn).tolist(), strict=True))
        support = np.array([known.get(label, 0) for label in macro.labels], np.float64)
    parts = macro.contributions
    # those that cause the gap are named first
    order = np.argsort(-parts, kind="stable")
    p, r = macro.precision[order], macro.recall[order]
    area = () if support is None else numbers(support[order] / max(support.max(), 1e-300))
    averaged, of_averages = macro.averaged.value, macro.of_averages.value
    mean = float(macro.recall.mean()), float(macro.precision.mean())
    labels = names(macro.labels[x] for x in order.tolist())
    places = _places([macro.labels[x] for x in order.tolist()], data)
    first, second = contour(averaged), contour(of_averages)
    marks: list[Mark] = [
        *contours(),
        Stroke((0, 1), (0, 1), "faint", thin=True, dash=True),
        Stroke(*first, 0, dash=True),
        Stroke(*second, 1, dash=False),
        Dots(
            numbers(r),
            numbers(p),
            "muted",
            tags=labels,
            area=area,
            numbers=tuple(at + 1 for at in places),
            hollow=True,
        ),
        Dots((mean[0],), (mean[1],), 1),
    ]
    legend = (
        Key(f"averaged F1 {averaged:.4f}: the mean of the classes' F1, a contour", 0, dash=True),
        Key(f"F1 of averages {of_averages:.4f}: the contour of the mean point", 1, dash=False),
        Key("mean recall and mean precision", 1, "dots"),
        Key("a class" + ("" if support is None else "; area: its items"), "muted",
            "dots", hollow=True),
    )  # fmt: skip
    pair = macro.largest_pair
    finding = (
        f"Averaged F1 is {averaged:.4f} and F1 of averages {of_averages:.4f}, a gap of "
        f"{macro.gap:.4f}"
    )
    if pair is not None and k > 2:
        a, b = names((pair.a, pair.b))
        finding += f", of which {a} and {b} account for {share_text(pair.share)}"
    return Picture(
        "plane",
        f"Two macro F1s of the same {numbered(k, 'class')}: gap {macro.gap:.4f}",
        f"{finding}.",
        (Panel(unit_axis("recall"), unit_axis("precision"), tuple(marks), square=True),),
        legend,
        ("Classes on opposite sides of the diagonal cause the gap.",),
        (macro.averaged.signature, macro.of_averages.signature),
        width=4.6,
        height=4.3,
    )


@declare("gap", {**EITHER, MacroF1: same})
def gap(data: Any) -> Picture:
    """The gap between the macro F1s as its pairwise terms: which classes cause it."""
    macro = data if isinstance(data, MacroF1) else macro_f1(data)
    k = len(macro.labels)
    refuse_size(k, "a picture of the gap")
    order = np.argsort(-macro.contributions, kind="stable")
    terms, total = macro.terms[np.ix_(order, order)], float(macro.terms.sum())
    labels = names(macro.labels[x] for x in order.tolist())
    places = _places([macro.labels[x] for x in order.tolist()], data)
    shares = terms / total if total > 1e-12 else np.zeros_like(terms)
    texts = tuple(
        tuple("" if a == b else share_text(x) if x > 0 else "0" for b, x in enumerate(row))
        for a, row in enumerate(shares.tolist())
    )
    top = max(float(shares.max()), 1e-300)
    tiles = Tiles(tuple(map(numbers, shares / top)), texts)
    finding = f"The gap between the two macro F1s is {macro.gap:.4f}"
    pair = macro.largest_pair
    if pair is None:
        finding += ": there is nothing to explain"
    else:
        a, b = names((pair.a, pair.b))
        finding += f"; {a} and {b} account for {share_text(pair.share)} of it"
    side = _side(k)
    return Picture(
        "gap",
        f"What causes the gap of {macro.gap:.4f} between the two macro F1s",
        f"{finding}.",
        (
            Panel(
                with_names("class", labels, "classes", places),
                with_names("class", labels, "classes", places),
                (tiles,),
                square=True,
            ),
        ),
        notes=(
            "Each pair of classes has two cells, which add up to its contribution to the gap. "
            "Classes "
            "that contribute most come first. The darkest cell is "
            f"{share_text(top) if total > 1e-12 else '0'}.",
        ),
        signatures=(macro.averaged.signature, macro.of_averages.signature),
        width=side + 1.3,
        height=side + 0.9,
    )


# posterior


@declare("posterior", EITHER)
def posterior(
    counts: Any,
    *,
    metrics: Sequence[Any] = ("averaged_f1", "f1_of_averages"),
    draws: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> Picture:
    """Posterior densities of scores, with their credible intervals.

    metrics: The names or signatures of the scores.
    draws: The number of draws from the posterior.
    level: The probability inside the credible intervals.
    seed: The seed of the random draws.
    """
    if isinstance(metrics, str) or not metrics:
        raise DefinitionError(f"metrics must be a list of names; got {metrics!r}")
    method = Posterior(level=level, draws=draws, seed=seed)
    scores = [draw_posterior(define_fitting(x, {"interval": method}), counts) for x in metrics]
    every = np.concatenate([finite(x[~np.isnan(x)], str(s.definition.metric)) for s, x in scores])
    low, high = (float(x) for x in np.quantile(every, (0.0005, 0.9995)))
    across = axis("score", (low, high), pad=0.02)
    grid = np.linspace(across.low, across.high, 240)
    marks: list[Mark] = []
    legend: list[Key] = []
    said, tallest = [], 0.0
    for at, (score, sampled) in enumerate(scores):
        bounds = score.definition.bounds
        density = kernel_density(sampled[np.isfinite(sampled)], grid, bounds)
        tallest = max(tallest, float(density.max()))
        name, interval = title_of(score.definition), score.interval
        text = f"{name}: {score.value:.4f}"
        if interval is not None:
            inside = (grid >= interval.low) & (grid <= interval.high)
            marks.append(
                Ribbon(
                    numbers(grid[inside]), (0.0,) * int(inside.sum()), numbers(density[inside]), at
                )
            )
            text += f" {interval:.4f}"
        marks.append(Stroke(numbers(grid), numbers(density), at))
        legend.append(Key(text, at))
        said.append(text)
    up = axis("posterior density", (0.0, tallest), zero=True)
    up = replace(up, low=0.0, ticks=tuple(x for x in up.ticks if x[0] >= 0))
    return Picture(
        "posterior",
        "Posterior densities",
        f"{100 * level:g} % credible intervals: {'; '.join(said)}.",
        (Panel(across, up, tuple(marks)),),
        tuple(legend),
        (f"Shaded: {100 * level:g} % credible intervals, from {draws:,} draws.",),
        tuple(score.signature for score, _ in scores),
        height=2.9,
    )


def kernel_density(values: Array, at: Array, bounds: tuple[float, float]) -> Array:
    """A Gaussian kernel density, reflected at the bounds of the score."""
    quarter = np.quantile(values, (0.25, 0.75))
    spread = min(float(values.std()), float(quarter[1] - quarter[0]) / 1.349) or float(values.std())
    wide = max(0.9 * spread * len(values) ** -0.2, 1e-9)
    density: Array = np.zeros_like(at)
    mirrored = [values, *(2 * end - values for end in bounds if math.isfinite(end))]
    for points in mirrored:
        near = points[(points > at[0] - 5 * wide) & (points < at[-1] + 5 * wide)]
        for start in range(0, len(near), 500):
            z = (at[:, None] - near[start : start + 500]) / wide
            density = density + np.exp(-z * z / 2).sum(1)
    inside = (at >= bounds[0]) & (at <= bounds[1])
    return np.where(inside, density / (len(values) * wide * math.sqrt(2 * math.pi)), 0.0)
