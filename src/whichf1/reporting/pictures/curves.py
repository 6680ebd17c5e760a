"""Pictures of rankings: curves with their bands, calibration, thresholds, decisions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from whichf1.definitions.methods import Auto
from whichf1.definitions.words import title as title_of
from whichf1.errors import DefinitionError, is_among
from whichf1.reporting.pictures.counts import contours
from whichf1.reporting.pictures.kinds import declare, same
from whichf1.reporting.pictures.marks import (
    Axis,
    Bars,
    Dots,
    Key,
    Mark,
    Panel,
    Picture,
    Ribbon,
    Stroke,
    axis,
    finite,
    names,
    numbers,
    ticks,
    unit_axis,
    within,
)
from whichf1.scoring import curves
from whichf1.scoring.curves import (
    BestThreshold,
    CalibrationCurve,
    Curve,
    DecisionCurve,
    PrevalenceCurve,
    ThresholdCurve,
)
from whichf1.scoring.lines import score_ranking
from whichf1.scoring.score import Score
from whichf1.statistics.bands import Band, has_band
from whichf1.tables.cells import Array
from whichf1.tables.ranking import Ranking

BandKind: TypeAlias = Literal["pointwise", "simultaneous", "both", "none"]
MOST_POINTS = 2000
"""The most points of a line that are drawn; more cannot be seen."""
MANY = 6
"""With more curves than this, bands would hide each other."""
MOST_NAMED = 20
"""The most curves in a legend."""


def bands_of(curve: Any, kind: BandKind, level: float) -> list[Band]:
    """The requested bands, the wider one first; none if weights are unknown."""
    if not is_among(kind, get_args(BandKind)):
        raise DefinitionError(f"band must be one of {get_args(BandKind)!r}; got {kind!r}")
    if kind == "none" or not has_band(curve.ranking):
        return []
    wanted = {"pointwise": [False], "simultaneous": [True], "both": [True, False]}[kind]
    return [curve.band(level, simultaneous=each) for each in wanted]


def thinned(x: Array, y: Array, most: int = MOST_POINTS) -> tuple[Array, Array]:
    """The visible points of a line: first, last, and the extremes of many short pieces."""
    if len(x) <= most:
        return x, y
    pieces = np.array_split(np.arange(len(x)), most // 4)
    kept = {0, len(x) - 1}
    for piece in pieces:
        kept |= {int(piece[0]), int(piece[-1])}
        kept |= {int(piece[np.argmin(y[piece])]), int(piece[np.argmax(y[piece])])}
    at = np.array(sorted(kept))
    return x[at], y[at]


def _line(x: Array, y: Array, ink: int, **how: Any) -> Stroke:
    shown = np.isfinite(x) & np.isfinite(y)
    across, up = thinned(x[shown], y[shown])
    return Stroke(numbers(across), numbers(up), ink, **how)


def _ribbon(band: Band, ink: int, scale: Axis, pale: bool) -> Ribbon:
    here = np.isfinite(band.low) & np.isfinite(band.high)
    low, high = (np.clip(x[here], scale.low, scale.high) for x in (band.low, band.high))
    return Ribbon(numbers(band.x[here]), numbers(low), numbers(high), ink, pale)


def _band_words(drawn: list[Band], several: bool, unknown: bool) -> list[str]:
    if unknown:
        return ["No band: the sum of the squared weights is unknown."]
    if not drawn:
        return []
    level = f"{100 * drawn[0].level:g} %"
    said = {
        True: f"{level} of such bands contain the whole curve of the population",
        False: f"{level} of such bands contain the curve of the population at a given point",
    }
    kinds = [each.simultaneous for each in drawn]
    if len(kinds) == 2:
        return [f"Dark band: {said[False]}; pale band: {said[True]}."]
    return [f"Band{'s' if several else ''}: {said[kinds[0]]}."]


def _series(
    data: Mapping[str, Curve], across: Axis, up: Axis, band: BandKind, level: float
) -> tuple[list[Mark], list[Key], list[Band]]:
    """A band and a line for each curve, and its score in the legend."""
    marks: list[Mark] = []
    lines: list[Mark] = []
    legend: list[Key] = []
    drawn: list[Band] = []
    for at, (name, curve) in enumerate(data.items()):
        drawn = bands_of(curve, band, level)
        for each in drawn:
            marks.append(_ribbon(each, at, up, each.simultaneous))
        lines.append(_line(curve.x, curve.y, at))
        lead = f"{names([name])[0]}: " if name else ""
        score = _with_interval(curve)
        ends = f" {score.interval:.4f}" if score.interval else ""
        parameters = dict(score.definition.parameters)
        top = f" of the top {parameters['top']:.0%}" if "top" in parameters else ""
        name = f"{title_of(score.definition)}{top}"
        legend.append(Key(f"{lead}{name} {score.value:.4f}{ends}", at))
    rest = len(legend) - MOST_NAMED
    if rest > 0:
        legend = [*legend[:MOST_NAMED], Key(f"and {rest:,} more", "muted", "thin")]
    return [*marks, *lines], legend, drawn


def _with_interval(curve: Curve) -> Score:
    """The score of a curve with an interval, where one can be computed quickly."""
    score = curve.score
    quick = score.definition.declaration.smooth and not curve.ranking.weighted
    if score.interval is not None or not quick:
        return score
    definition = score.definition.settled(data=(), interval=Auto())
    of_predictions = definition.declaration.confidence
    return score_ranking(definition, curve.ranking, of_predictions=of_predictions)


def _facts(data: Mapping[str, Any]) -> str:
    ranking = next(iter(data.values())).ranking
    p, n = ranking.table.sizes
    if isinstance(next(iter(data.values())), curves.RiskCoverageCurve):
        what = "weight" if ranking.weighted else "predictions"
        return f"{p:,.6g} right {what} and {n:,.6g} wrong"
    kind = "weight of" if ranking.weighted else "items of"
    return f"{p:,.6g} {kind} {names([ranking.positive])[0]} and {n:,.6g} of others"


def _curves(
    kind: str,
    heading: str,
    data: Mapping[str, Curve],
    across: Axis,
    up: Axis,
    behind: list[Mark],
    band: BandKind | None,
    level: float,
    notes: tuple[str, ...] = (),
    keys: tuple[Key, ...] = (),
    square: bool = True,
) -> Picture:
    """A picture of one or more curves on these scales."""
    several = len(data) > 1
    wanted: BandKind = band or ("none" if len(data) > MANY else "pointwise" if several else "both")
    marks, legend, drawn = _series(data, across, up, wanted, level)
    unknown = wanted != "none" and not all(has_band(x.ranking) for x in data.values())
    said = [key.text for key in legend]
    best = f"{heading}: {'; '.join(said[:4])}"
    texts = dict.fromkeys(curve.score.signature for curve in data.values())
    count = f"{len(data):,} curves" if several else _facts(data)
    return Picture(
        kind,
        f"{heading}, {count}",
        f"{best}{' and more' if len(said) > 4 else ''}.",
        (Panel(across, up, (*behind, *marks), square=square),),
        (*legend, *keys),
        (*notes, *_band_words(drawn, several, unknown)),
        tuple(texts)[:4],
        width=4.6,
        height=4.2,
    )


def _made(curve: Any, ranking: Ranking) -> Any:
    """The curve of a ranking, with an interval for its score if there is one."""
    return curve(ranking)


@declare("roc", {curves.RocCurve: same, Ranking: partial(_made, curves.roc_curve)}, several=True)
def roc(data: Mapping[str, Curve], *, band: BandKind | None = None, level: float = 0.95) -> Picture:
    """ROC: true by false positive rate, of one or more systems or folds.

    band: 'pointwise', 'simultaneous', 'both' or 'none'. Default: both for one curve, pointwise for
        several.
    level: The confidence level of the bands.
    """
    chance: list[Mark] = [Stroke((0.0, 1.0), (0.0, 1.0), "muted", thin=True, dash=True)]
    return _curves(
        "roc",
        "ROC",
        data,
        unit_axis("false positive rate"),
        unit_axis("true positive rate"),
        chance,
        band,
        level,
        keys=(Key("random order", "muted", "thin", dash=True),),
    )


@declare("pr", {curves.PrCurve: same, Ranking: partial(_made, curves.pr_curve)}, several=True)
def pr(data: Mapping[str, Curve], *, band: BandKind | None = None, level: float = 0.95) -> Picture:
    """Precision by recall, with contours of F1, of one or more systems or folds.

    band: 'pointwise', 'simultaneous', 'both' or 'none'. Default: both for one curve, pointwise for
        several.
    level: The confidence level of the bands.
    """
    first = next(iter(data.values())).ranking.table.sizes
    share = float(first[0] / (first[0] + first[1]))
    behind: list[Mark] = [
        *contours(),
        Stroke((0.0, 1.0), (share, share), "muted", thin=True, dash=True),
    ]
    text = f"random order: {share:.2f}"
    return _curves(
        "pr",
        "Precision and recall",
        data,
        unit_axis("recall"),
        unit_axis("precision"),
        behind,
        band,
        level,
        keys=(Key(text, "muted", "thin", dash=True),),
    )


@declare(
    "pr-gain",
    {curves.PrGainCurve: same, Ranking: partial(_made, curves.pr_gain_curve)},
    several=True,
)
def pr_gain(
    data: Mapping[str, Curve], *, band: BandKind | None = None, level: float = 0.95
) -> Picture:
    """Precision gain by recall gain: precision and recall on a scale where F1 is straight.

    band: 'pointwise', 'simultaneous', 'both' or 'none'. Default: both for one curve, pointwise for
        several.
    level: The confidence level of the bands.
    """
    levels = (0.25, 0.5, 0.75)
    behind: list[Mark] = []
    for gain in levels:
        ends = ((2 * gain - 1, 1.0), (1.0, 2 * gain - 1)) if gain >= 0.5 else (
            (0.0, 2 * gain), (2 * gain, 0.0))  # fmt: skip
        behind.append(Stroke(ends[0], ends[1], "faint", thin=True, dash=False))
    return _curves(
        "pr-gain",
        "Gain of precision and recall",
        data,
        unit_axis("recall gain"),
        unit_axis("precision gain"),
        behind,
        band,
        level,
        notes=(
            "0 is the gain of predicting everything as positive. Grey lines: F1 gain 0.25, 0.5, "
            "0.75.",
        ),
    )


PROBITS = (0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99)


@declare("det", {curves.DetCurve: same, Ranking: partial(_made, curves.det_curve)}, several=True)
def det(data: Mapping[str, Curve], *, band: BandKind | None = None, level: float = 0.95) -> Picture:
    """DET: false negative by false positive rate, on normal scales.

    band: 'pointwise', 'simultaneous', 'both' or 'none'. Default: both for one curve, pointwise for
        several.
    level: The confidence level of the bands.
    """
    sizes = [curve.ranking.table.sizes for curve in data.values()]
    scales = []
    for at, label in ((1, "false positive rate"), (0, "false negative rate")):
        end = min(0.02, max(5e-4, 0.5 / max(float(size[at]) for size in sizes)))
        shown = tuple((x, f"{100 * x:g} %") for x in PROBITS if end <= x <= 1 - end)
        scales.append(Axis(label, end, 1 - end, shown, "probit"))
    clipped = {
        name: replace(
            curve,
            x=np.clip(curve.x, scales[0].low, scales[0].high),
            y=np.clip(curve.y, scales[1].low, scales[1].high),
        )
        for name, curve in data.items()
    }
    chance: list[Mark] = [
        Stroke(numbers(np.linspace(0.001, 0.999, 99)), numbers(np.linspace(0.999, 0.001, 99)),
               "muted", thin=True, dash=True)
    ]  # fmt: skip
    return _curves(
        "det",
        "Detection errors",
        clipped,
        scales[0],
        scales[1],
        chance,
        band,
        level,
        notes=("On normal scales, normally distributed scores give a straight line.",),
        keys=(Key("random order", "muted", "thin", dash=True),),
    )


@declare("gain", {curves.GainCurve: same, Ranking: partial(_made, curves.gain_curve)}, several=True)
def gain(
    data: Mapping[str, Curve], *, band: BandKind | None = None, level: float = 0.95
) -> Picture:
    """Cumulative gain: fraction of positives found by fraction of items, highest scores first.

    band: 'pointwise', 'simultaneous', 'both' or 'none'. Default: both for one curve, pointwise for
        several.
    level: The confidence level of the bands.
    """
    first = next(iter(data.values())).ranking.table.sizes
    share = float(first[0] / (first[0] + first[1]))
    behind: list[Mark] = [
        Stroke((0.0, share, 1.0), (0.0, 1.0, 1.0), "muted", thin=True, dash=False),
        Stroke((0.0, 1.0), (0.0, 1.0), "muted", thin=True, dash=True),
    ]
    keys = (Key("perfect order", "muted", "thin", dash=False),
            Key("random order", "muted", "thin", dash=True))  # fmt: skip
    return _curves(
        "gain",
        "Cumulative gain",
        data,
        unit_axis("fraction of items"),
        unit_axis("fraction of positives found"),
        behind,
        band,
        level,
        keys=keys,
    )


@declare("lift", {curves.LiftCurve: same, Ranking: partial(_made, curves.lift_curve)}, several=True)
def lift(
    data: Mapping[str, Curve], *, band: BandKind | None = None, level: float = 0.95
) -> Picture:
    """Lift: how many times more positives than in a random order.

    band: 'pointwise', 'simultaneous', 'both' or 'none'. Default: both for one curve, pointwise for
        several.
    level: The confidence level of the bands.
    """
    first = next(iter(data.values())).ranking.table.sizes
    most = float((first[0] + first[1]) / first[0])
    top = max(float(curve.y[curve.x >= 0.02].max(initial=1.0)) for curve in data.values())
    up = axis("lift", (0.0, min(most, 1.6 * top)))
    up = replace(up, low=0.0, ticks=ticks(0.0, up.high))
    shown = {name: _from(curve, 0.02) for name, curve in data.items()}
    behind: list[Mark] = [Stroke((0.0, 1.0), (1.0, 1.0), "muted", thin=True, dash=True)]
    return _curves(
        "lift",
        "Lift",
        shown,
        unit_axis("fraction of items"),
        up,
        behind,
        band,
        level,
        notes=("From 2 % of the items on; below that, the lift depends on a few items.",),
        keys=(Key("random order", "muted", "thin", dash=True),),
        square=False,
    )


@declare(
    "risk-coverage",
    {curves.RiskCoverageCurve: same, Ranking: partial(_made, curves.risk_coverage_curve)},
    several=True,
)
def risk_coverage(
    data: Mapping[str, Curve], *, band: BandKind | None = None, level: float = 0.95
) -> Picture:
    """Risk by coverage: the error rate of the most confident items.

    band: 'pointwise', 'simultaneous', 'both' or 'none'. Default: both for one curve, pointwise for
        several.
    level: The confidence level of the bands.
    """
    shown = {name: _from(curve, 0.02) for name, curve in data.items()}
    most = max(float(curve.y.max(initial=0.0)) for curve in shown.values())
    up = axis("risk", (0.0, min(1.0, max(1.6 * most, 0.05))))
    return _curves(
        "risk-coverage",
        "Risk and coverage",
        shown,
        unit_axis("coverage"),
        replace(up, low=0.0, ticks=ticks(0.0, up.high)),
        [],
        band,
        level,
        notes=("From 2 % of the items on; below that, the risk depends on a few items.",),
        square=False,
    )


@declare("cost", {curves.CostCurve: same, Ranking: partial(_made, curves.cost_curve)}, several=True)
def cost(data: Mapping[str, Curve]) -> Picture:
    """Cost curve: the lowest expected cost at every ratio of costs and prevalence."""
    trivial = Stroke((0.0, 0.5, 1.0), (0.0, 0.5, 0.0), "muted", thin=True, dash=True)
    up = axis("normalized expected cost", (0.0, 0.5))
    return _curves(
        "cost",
        "Cost",
        data,
        unit_axis("probability cost"),
        replace(up, low=0.0, ticks=ticks(0.0, up.high)),
        [trivial],
        "none",
        0.95,
        notes=(
            "No band: the lowest of many costs is biased downwards, and no valid band is known.",
        ),
        keys=(Key("all items predicted as positive, or none", "muted", "thin", dash=True),),
        square=False,
    )


def _from(curve: Curve, share: float) -> Curve:
    here = curve.x >= share
    return replace(curve, x=curve.x[here], y=curve.y[here], threshold=curve.threshold[here])


# calibration


def _reliable(ranking: Ranking) -> CalibrationCurve:
    return curves.calibration_curve(ranking)


@declare("reliability", {CalibrationCurve: same, Ranking: _reliable})
def reliability(curve: CalibrationCurve, *, level: float = 0.95) -> Picture:
    """Reliability diagram with consistency bars, and the histogram of the probabilities.

    level: The probability inside the consistency bars.
    """
    ranking = curve.ranking
    low = high = None
    if not ranking.weighted:
        low, high = curve.consistency(level)
    x, y = curve.x, curve.y
    marks: list[Mark] = [Stroke((0.0, 1.0), (0.0, 1.0), "muted", thin=True, dash=True)]
    notes = []
    outside = 0
    if low is not None and high is not None:
        places = zip(numbers(x), numbers(low), numbers(high), strict=True)
        marks += [Stroke((at, at), (a, b), "faint", dash=False) for at, a, b in places]
        outside = int(((y < low) | (y > high)).sum())
        notes.append(
            f"Grey bars: where {100 * level:g} % of the observed fractions would be if "
            "the probabilities were right."
        )
    marks += [
        Stroke(numbers(x), numbers(y), 0, thin=True, dash=False),
        Dots(numbers(x), numbers(y), 0),
    ]
    edges = np.linspace(0, 1, 21)
    counts = [np.histogram(ranking.score, edges, weights=side.astype(np.float64))[0]
              for side in (ranking.positives, ranking.negatives)]  # fmt: skip
    total = counts[0] + counts[1]
    sides = numbers(edges[:-1]), numbers(edges[1:])
    up = axis("items", (0.0, float(total.max())), zero=True)
    up = replace(up, low=0.0, ticks=ticks(0.0, up.high, 3))
    histogram: tuple[Mark, ...] = (
        Bars(*sides, numbers(total), "muted"),
        Bars(*sides, numbers(counts[0]), 1),
    )
    error = curve.score
    finding = f"{title_of(error.definition)} is {error.value:.4f}"
    if low is not None:
        finding += (
            f"; in {outside} of {len(x)} bins the observed fraction is not what correct "
            f"probabilities "
            "would give"
        )
    return Picture(
        "reliability",
        f"Calibration: {title_of(error.definition)} {error.value:.4f}",
        f"{finding}.",
        (
            Panel(unit_axis(""), unit_axis(curve.y_label), tuple(marks), share=3.2),
            Panel(unit_axis(curve.x_label), up, histogram),
        ),
        (
            Key("a bin of items", 0, "dots"),
            Key("right probabilities", "muted", "thin", dash=True),
            Key(f"items of {names([ranking.positive])[0]}", 1, "bar"),
            Key("all items", "muted", "bar"),
        ),
        tuple(notes),
        (error.signature,),
        stacked=True,
        width=4.4,
        height=4.9,
    )


# thresholds


def _f1_thresholds(ranking: Ranking) -> BestThreshold:
    return curves.best_threshold(ranking)


@declare(
    "threshold",
    {BestThreshold: same, ThresholdCurve: same, Ranking: _f1_thresholds},
)
def threshold(
    data: BestThreshold | ThresholdCurve, *, band: BandKind = "both", level: float = 0.95
) -> Picture:
    """A score at every threshold with its band, the chosen threshold and its optimism.

    band: 'pointwise', 'simultaneous', 'both' or 'none'.
    level: The confidence level of the bands.
    """
    curve = data if isinstance(data, ThresholdCurve) else data.curve
    ranking, definition = curve.ranking, curve.definition
    name = title_of(definition)
    x, y = curve.threshold[1:], finite(curve.value[1:], name)
    drawn = bands_of(curve, band, level)
    low, high = definition.bounds
    heights = np.concatenate([y, *(each.low for each in drawn), *(each.high for each in drawn)])
    up = (
        within(axis(name, heights.tolist()), low, high)
        if (low, high) != (0, 1)
        else unit_axis(name)
    )
    across = axis("threshold: items with at least this score are positive", x.tolist(), pad=0.02)
    marks: list[Mark] = [_ribbon(each, 0, up, each.simultaneous) for each in drawn]
    marks.append(_line(x, y, 0))
    finding = f"{name} at {len(x):,} thresholds"
    legend = [Key(name, 0)]
    notes = _band_words(drawn, False, band != "none" and not has_band(ranking))
    signature = definition.signature
    if isinstance(data, BestThreshold):
        signature = data.score.signature
        at = data.threshold if math.isfinite(data.threshold) else float(across.high)
        marks.append(Stroke((at, at), (up.low, up.high), 1, thin=True, dash=False))
        finding = f"{name} is best, {data.value:.4f}, at a threshold of {data.threshold:.6g}"
        legend.append(Key(f"best: {data.value:.4f} at {data.threshold:.6g}", 1, "dots"))
        if data.corrected is not None:
            interval = data.interval
            ends = ((interval.low,), (interval.high,)) if interval else ((None,), (None,))
            marks.append(Dots((at,), (data.corrected,), 2, ends[0], ends[1], "y"))
            legend.append(Key(f"expected on new items: {data.corrected:.4f}", 2, "dots"))
            finding += f", and expected to be {data.corrected:.4f} on new items"
        else:
            notes.append(data.note.partition(";")[0] + ".")
        marks.append(Dots((at,), (data.value,), 1))
    return Picture(
        "threshold",
        f"{name} by threshold, {_facts({'': curve})}",
        f"{finding}.",
        (Panel(across, up, tuple(marks)),),
        tuple(legend),
        tuple(notes),
        (signature,),
        height=3.4,
    )


@declare(
    "decision",
    {DecisionCurve: same, Ranking: partial(_made, curves.decision_curve)},
    several=True,
)
def decision(
    data: Mapping[str, DecisionCurve], *, band: BandKind | None = None, level: float = 0.95
) -> Picture:
    """Decision curve: net benefit by threshold probability, compared with treating all or none.

    band: 'pointwise', 'simultaneous', 'both' or 'none'. Default: both for one curve, pointwise for
        several.
    level: The confidence level of the bands.
    """
    several = len(data) > 1
    wanted: BandKind = band or ("none" if len(data) > MANY else "pointwise" if several else "both")
    first = next(iter(data.values()))
    top = max(float(max(curve.y.max(), curve.treat_all.max())) for curve in data.values())
    up = axis(first.y_label, (-0.35 * top, top))
    marks: list[Mark] = []
    lines: list[Mark] = []
    legend: list[Key] = []
    drawn: list[Band] = []
    for at, (name, curve) in enumerate(data.items()):
        drawn = bands_of(curve, wanted, level)
        marks += [_ribbon(each, at, up, each.simultaneous) for each in drawn]
        lines.append(_clipped(curve.x, curve.y, up, at))
        legend.append(Key(names([name])[0] if name else "decide by the probability", at))
    everything = _clipped(first.x, first.treat_all, up, 2)
    lines += [
        replace(everything, ink="muted", thin=True, dash=True),
        Stroke((0.0, 1.0), (0.0, 0.0), "muted", thin=True, dash=False),
    ]
    best = first.y > np.maximum(first.treat_all, 0) + 1e-12
    where = "nowhere better than predicting all or none as positive"
    if best.any():
        span = first.x[best]
        where = (
            f"better than predicting all or none as positive at {best.mean():.0%} of the "
            f"thresholds, "
            f"from {span[0]:.2f} to {span[-1]:.2f}"
        )
    unknown = wanted != "none" and not has_band(first.ranking)
    return Picture(
        "decision",
        f"Decision curve, {_facts({'': first})}",
        f"Deciding by the probability is {where}.",
        (Panel(unit_axis(first.x_label), up, (*marks, *lines)),),
        (
            *legend,
            Key("all predicted as positive", "muted", "thin", dash=True),
            Key("none predicted as positive", "muted", "thin", dash=False),
        ),
        (
            "Net benefit: (TP − FP · t / (1 − t)) / n at the threshold t.",
            *_band_words(drawn, several, unknown),
        ),
        height=3.4,
    )


@declare("prevalence", {PrevalenceCurve: same}, several=True)
def prevalence(data: Mapping[str, PrevalenceCurve]) -> Picture:
    """A score by the prevalence of a class, with its intervals and the prevalence in the data."""
    first = next(iter(data.values()))
    low, high = first.score.definition.bounds
    ends = [x for each in first.intervals if each for x in (each.low, each.high)]
    tops = [x for curve in data.values() for x in curve.y.tolist()]
    up = within(axis(first.y_label, [x for x in (*tops, *ends) if np.isfinite(x)]), low, high)
    marks: list[Mark] = []
    lines: list[Mark] = []
    legend: list[Key] = []
    for at, (name, curve) in enumerate(data.items()):
        known = [(x, each) for x, each in zip(curve.x, curve.intervals, strict=True) if each]
        if known:
            limits = np.clip([[each.low, each.high] for _, each in known], up.low, up.high)
            places = numbers(x for x, _ in known)
            marks.append(Ribbon(places, numbers(limits[:, 0]), numbers(limits[:, 1]), at))
        lines.append(_line(curve.x, curve.y, at))
        if name:
            legend.append(Key(names([name])[0], at))
    lines.append(Stroke((first.observed,) * 2, (up.low, up.high), "muted", thin=True, dash=True))
    legend.append(Key(f"in the data: {first.observed:.3f}", "muted", "thin", dash=True))
    method = first.score.definition.interval
    notes = ["All classes are predicted as in the data; the other classes keep their proportions."]
    if method is not None and any(first.intervals):
        notes.append(f"Bands: {100 * method.level:g} % intervals at each prevalence.")
    extremes = first.y[0], first.y[-1]
    return Picture(
        "prevalence",
        f"{first.y_label} by {first.x_label}",
        f"{first.y_label} is {first.score.value:.4f} in the data, and from {min(extremes):.4f} to "
        f"{max(extremes):.4f} at the smallest and the largest prevalence shown.",
        (Panel(unit_axis(first.x_label), up, (*marks, *lines)),),
        tuple(legend),
        tuple(notes),
        (first.score.signature,),
        height=3.4,
    )


def _clipped(x: Array, y: Array, up: Axis, ink: int) -> Stroke:
    here = y >= up.low
    return _line(x[here], y[here], ink)
