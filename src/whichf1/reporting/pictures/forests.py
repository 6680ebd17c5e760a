"""Pictures of several results side by side: comparisons, rank flips, slices, dialects."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from whichf1.comparison.compare import Comparison
from whichf1.comparison.disparity import Groups
from whichf1.comparison.rank_flips import Order, SystemRanks
from whichf1.comparison.significance import Pair, level_of
from whichf1.definitions.definition import Definition, define_fitting, shorten
from whichf1.definitions.words import capital
from whichf1.definitions.words import title as title_of
from whichf1.errors import DefinitionError, InputError, is_among, numbered, verb
from whichf1.published.dialects import DialectTable, dialects
from whichf1.reporting.numbers import different, size
from whichf1.reporting.pictures.counts import forest_height
from whichf1.reporting.pictures.kinds import declare, same
from whichf1.reporting.pictures.marks import (
    Dots,
    Ink,
    Key,
    Mark,
    Panel,
    Picture,
    Ribbon,
    Stroke,
    axis,
    first_of,
    names,
    numbers,
    with_names,
    within,
)
from whichf1.reporting.score import Report
from whichf1.reporting.slices import SMALL, SliceScore, score_slices, slice_name
from whichf1.scoring.evaluate import evaluate
from whichf1.scoring.lines import score_ranking
from whichf1.scoring.score import Score
from whichf1.statistics.scales import Interval
from whichf1.tables.counts import Counts
from whichf1.tables.ranking import Ranking
from whichf1.tables.slices import Slices

MOST = 60
"""The most rows of a forest plot that fit on a page."""


def ends_of(intervals: Sequence[Interval | None]) -> tuple[Any, Any]:
    """The ends of intervals; None if there are none."""
    return tuple(x and x.low for x in intervals), tuple(x and x.high for x in intervals)


def _span(values: Sequence[float], intervals: Sequence[Interval | None]) -> list[float]:
    """All values that a scale must include; an infinite end is drawn to the edge."""
    ends = [x for each in intervals if each for x in (each.low, each.high) if math.isfinite(x)]
    return [x for x in (*values, *ends) if math.isfinite(x)]


# comparisons


@declare("comparison", {Comparison: same})
def comparison(data: Comparison, *, baseline: str | None = None) -> Picture:
    """Differences between systems with their intervals and, if there is one, the margin.

    baseline: Only the differences from this system. Default: all pairs, from the best system.
    """
    if baseline is not None and baseline not in data.scores:
        raise DefinitionError(f"there is no system {baseline!r} among {', '.join(data.scores)}")
    pairs = _oriented(data, baseline)
    if not any(math.isfinite(pair.difference) for pair in pairs):
        raise InputError("there is nothing to draw: all differences are undefined")
    shown = pairs[:MOST]
    rows = [f"{a} − {b}" for a, b in (names((pair.a, pair.b)) for pair in shown)]
    values = [pair.difference for pair in shown]
    intervals = [pair.interval for pair in shown]
    level = level_of(data.definition)
    margin, name = data.plan.margin, title_of(data.definition)
    lower = data.definition.declaration.better == "lower"
    zone = (margin, -margin) if margin else ()
    label = f"difference in {name} ({'lower' if lower else 'higher'} is better)"
    across = axis(label, [*_span(values, intervals), *zone], zero=True)
    scale = with_names("", rows, "pairs")
    limit = 1 - level
    clear = [pair.p_adjusted is not None and pair.p_adjusted < limit for pair in shown]
    marks: list[Mark] = []
    legend: list[Key] = []
    if margin is not None:
        marks.append(
            Ribbon((-margin, margin), (scale.low,) * 2, (scale.high,) * 2, "muted", pale=True)
        )
        legend.append(
            Key(f"differences within ±{margin:g}, which are negligible", "muted", "band", pale=True)
        )
    marks.append(Stroke((0.0, 0.0), (scale.low, scale.high), "muted", thin=True, dash=False))
    for differs, ink, text in (
        (True, 0, f"differ significantly (adjusted p < {limit:.2g})"),
        (False, 1, "do not differ significantly"),
    ):
        at = [x for x, here in enumerate(clear) if here is differs and math.isfinite(values[x])]
        if at:
            limits = ends_of([intervals[x] for x in at])
            marks.append(Dots(numbers(values[x] for x in at), numbers(at), ink, *limits))
            legend.append(Key(text, ink, "dots"))
    best = data.ranking[0]
    differ = "differs" if 1 in (sum(clear), len(shown)) else "differ"
    finding = (
        f"{names([best])[0]} has the best {name}, {data.scores[best].value:.4f}; "
        f"{sum(clear)} of {numbered(len(shown), 'pair')} {differ} significantly"
    )
    notes = [
        f"Intervals: {100 * level:g} %, of each pair alone; p-values are adjusted for all pairs."
    ]
    if len(pairs) > MOST:
        notes.append(f"The first {MOST} of {numbered(len(pairs), 'pair')}.")
    cautions = dict.fromkeys(pair.caution for pair in shown if pair.caution)
    notes += [f"Caution: {text}." for text in cautions]
    return Picture(
        "comparison",
        f"{name} of {numbered(len(data.scores), 'system')} on "
        f"{size(next(iter(data.scores.values())).n)}",
        f"{finding}.",
        (Panel(across, scale, tuple(marks)),),
        tuple(legend),
        tuple(notes),
        (data.signature,),
        height=forest_height(len(shown)),
    )


def _oriented(data: Comparison, baseline: str | None) -> list[Pair]:
    """The pairs, better system first, in the order of the systems."""
    place = {name: at for at, name in enumerate(data.ranking)}
    turned = []
    for pair in data.pairs:
        wrong = pair.a == baseline if baseline else place[pair.a] > place[pair.b]
        turned.append(_swapped(pair) if wrong else pair)
    if baseline is not None:
        turned = [pair for pair in turned if baseline == pair.b]
    return sorted(turned, key=lambda pair: (place[pair.a], place[pair.b]))


def _swapped(pair: Pair) -> Pair:
    interval = pair.interval
    if interval is not None:
        interval = replace(interval, low=-interval.high, high=-interval.low)
    return replace(pair, a=pair.b, b=pair.a, difference=-pair.difference, interval=interval)


# rank flips


def _ranks(data: Comparison) -> SystemRanks:
    if data.ranks is None:
        raise InputError(
            "systems compared by their scores have only one order: compare predictions"
        )
    return data.ranks


@declare("flips", {SystemRanks: same, Comparison: _ranks})
def flips(ranks: SystemRanks) -> Picture:
    """The rank of each system under several definitions, as a bump chart."""
    titles = [title_of(order.definition) for order in ranks.orders]
    if len(ranks.systems) < 2 or len(titles) < 2:
        raise InputError("a bump chart needs at least two systems and two definitions")
    placed = {name: [_rank(order, name) for order in ranks.orders] for name in ranks.systems}
    flipping = {name for flip in ranks.flips for name in (flip.a, flip.b)}
    order = sorted(ranks.systems, key=lambda name: (placed[name][0], placed[name]))
    x = numbers(range(len(titles)))
    marks: list[Mark] = []
    legend: list[Key] = []
    for at, name in enumerate(order):
        ink: Ink = at if len(order) <= 14 or name in flipping else "muted"
        known = [(a, b) for a, b in zip(x, placed[name], strict=True) if not math.isnan(b)]
        if not known:
            continue
        down, across = zip(*known, strict=True)
        marks += [Stroke(across, down, ink), Dots(across, down, ink)]
        if len(order) <= 14:
            legend.append(Key(names([name])[0], ink))
    k = len(order)
    across_axis = with_names("rank (1 is best)", range(1, k + 1), "ranks")
    many = len(ranks.flips)
    pair = ranks.flips[0] if many else None
    finding = "The order of the systems is the same under every definition"
    if pair is not None:
        finding = (
            f"The order of {many} pair{'s' if many > 1 else ''} depends on the definition: "
            f"{names([pair.a])[0]} is better by {first_of([titles[x] for x in pair.a_better], 2)}, "
            f"{names([pair.b])[0]} by {first_of([titles[x] for x in pair.b_better], 2)}"
        )
    return Picture(
        "flips",
        f"{many} rank flip{'' if many == 1 else 's'} under {numbered(len(titles), 'definition')}",
        f"{finding}.",
        (Panel(across_axis, with_names("", titles, "definitions"), tuple(marks)),),
        tuple(legend),
        ("Systems with equal scores share the mean of their ranks.",),
        _shortened([next(iter(order.scores.values())).signature for order in ranks.orders]),
        width=min(7.5, max(4.4, 2.6 + 0.35 * k)),
        height=0.8 + 0.3 * len(titles),
    )


def _shortened(signatures: Sequence[str]) -> tuple[str, ...]:
    """What is specific to each signature and, below, what all of them share."""
    shorts, shared = shorten(signatures)
    return (*shorts, f"* {shared}") if shared else tuple(shorts)


def _rank(order: Order, name: str) -> float:
    """The rank of a system from 0; systems with equal scores share the mean of their ranks."""
    before = 0
    for group in order.order:
        if name in group:
            return before + (len(group) - 1) / 2
        before += len(group)
    return math.nan


# slices


@declare("slices", {Slices: same, Groups: same})
def slices(data: Slices | Groups, *, metric: Any = None, interval: Any = "auto") -> Picture:
    """The score of each slice against that of the whole, the worst first.

    metric: A name, a signature or a metric function. Default: averaged F1; for rankings, ROC AUC.
    interval: The method of the intervals.
    """
    if isinstance(data, Groups):
        return _groups(data, metric)
    ranked = isinstance(data.whole, Ranking)
    chosen = metric or ("roc_auc" if ranked else "averaged_f1")
    chosen = getattr(chosen, "__name__", chosen)
    options = {} if interval is None else {"interval": interval}
    definition = define_fitting(chosen, options)
    if not ranked:
        definition = definition.over_observed
    run: Any = score_ranking if ranked else evaluate
    scored, empty = score_slices(
        definition,
        partial(_run, run, data.whole),
        {key: partial(_run, run, part) for key, part in data.items()},
    )
    whole, *parts = scored
    parts = [row for row in parts if math.isfinite(row.score.value)]
    if not parts:
        raise InputError("there is nothing to draw: the score is undefined in every slice")
    return slice_picture(title_of(definition), data.by, whole, parts, len(empty))


def _groups(data: Groups, metric: Any) -> Picture:
    if metric is not None:
        raise DefinitionError("these groups have already been scored: omit metric=")
    part, columns = data.parts[0], (*data.control, *data.by)
    slices = {key: partial(_known, score) for key, score in part.scores.items()}
    (whole, *rows), _ = score_slices(part.definition, partial(_known, part.whole), slices)
    return slice_picture(title_of(part.definition), columns, whole, rows, len(data.empty))


def _known(score: Score, definition: Definition) -> Score:
    return score


def _run(run: Any, data: Any, definition: Definition) -> Score:
    score: Score = run(definition, data)
    return score


def slice_picture(
    name: str, by: Sequence[str], whole: SliceScore, parts: Sequence[SliceScore], empty: int
) -> Picture:
    """Scored slices, the worst first, as a forest plot against the whole."""
    shown = parts[:MOST]
    values = [row.score.value for row in shown]
    intervals = [row.score.interval for row in shown]
    lows, highs = whole.score.definition.bounds
    everything = [*_span(values, intervals), *_span([whole.score.value], [whole.score.interval])]
    across = within(axis(name, everything), lows, highs)
    texts = names(f"{slice_name(row.key)} ({row.score.n:,.6g})" for row in shown)
    scale = with_names("", texts, "slices")
    marks: list[Mark] = []
    legend: list[Key] = []
    of_whole = whole.score
    if of_whole.interval is not None:
        ends = of_whole.interval
        marks.append(
            Ribbon(
                (ends.low, min(ends.high, across.high)),
                (scale.low,) * 2,
                (scale.high,) * 2,
                "muted",
                pale=True,
            )
        )
    marks.append(
        Stroke((of_whole.value,) * 2, (scale.low, scale.high), "muted", thin=True, dash=True)
    )
    legend.append(Key(f"the whole: {of_whole.value:.4f}", "muted", "thin", dash=True))
    kinds = (
        ({"below", "above"}, 1, "differs from the whole", False),
        ({"near"}, 0, "near the whole", False),
        ({SMALL}, 2, SMALL, True),
    )
    for verdicts, ink, text, hollow in kinds:
        at = [x for x, row in enumerate(shown) if row.verdict in verdicts]
        if at:
            limits = ends_of([intervals[x] for x in at])
            marks.append(Dots(numbers(values[x] for x in at), numbers(at), ink,
                              *limits, hollow=hollow))  # fmt: skip
            legend.append(Key(text, ink, "dots", hollow=hollow))
    worst = shown[0]
    apart = sum(row.verdict in ("below", "above") for row in parts)
    told = f"the intervals of {apart} of {len(parts)} slices exclude"
    if 1 in (apart, len(parts)):
        told = f"the interval of {apart} of {numbered(len(parts), 'slice')} excludes"
    finding = (
        f"{capital(name)} is {of_whole.value:.4f} in the whole and worst in "
        f"{slice_name(worst.key)} ({worst.score.value:.4f}); {told} the score of the whole"
    )
    notes = ["Each slice is judged on its own: with many slices, some differ by chance."]
    if len(parts) > MOST:
        notes.append(f"The worst {MOST} of {numbered(len(parts), 'slice')}.")
    if empty:
        notes.append(f"{numbered(empty, 'slice')} {verb(empty, 'has', 'have')} nothing to score.")
    return Picture(
        "slices",
        f"{name} by {', '.join(names(by))}, worst first",
        f"{finding}.",
        (Panel(across, scale, tuple(marks)),),
        tuple(legend),
        tuple(notes),
        (of_whole.signature,),
        height=forest_height(len(shown)),
    )


# dialects


def _table(counts: Counts) -> DialectTable:
    return dialects.table(counts)


@declare(
    "dialects",
    {DialectTable: same, Counts: _table},
)
def dialect_spread(table: DialectTable, *, order: Literal["value", "name"] = "value") -> Picture:
    """What each library would print as macro F1 for the same predictions, as a dot plot.

    order: The largest value first, or by name.
    """
    if not is_among(order, ("value", "name")):
        raise DefinitionError(f"order must be 'value' or 'name'; got {order!r}")
    groups = [group for group in table.groups if math.isfinite(group.value)]
    if not groups:
        raise InputError("there is nothing to draw: no library prints a number for these items")
    every = [(name, score.value, at) for at, group in enumerate(groups)
             for name, score in group.scores.items()]  # fmt: skip
    if order == "name":
        every.sort()
    values = [value for _, value, _ in every]
    scale = with_names("", [name for name, _, _ in every], "libraries")
    across = within(axis("what is printed as macro F1", values, pad=0.12), 0.0, 1.0)
    biggest = max(groups, key=lambda group: len(group.names))
    usual = biggest.value
    marks: list[Mark] = [
        Stroke((usual, usual), (scale.low, scale.high), "muted", thin=True, dash=True),
    ]
    for ink, same_as in ((0, True), (1, False)):
        at = [x for x, (_, value, _) in enumerate(every) if (abs(value - usual) <= 1e-5) is same_as]
        if at:
            marks.append(Dots(numbers(values[x] for x in at), numbers(at), ink))
    missing = sum(len(group.names) for group in table.groups if math.isnan(group.value))
    absent = len(table.absent)
    notes = [
        f"{missing} more {verb(missing, 'prints', 'print')} no number." if missing else "",
        f"{absent} more {verb(absent, 'does', 'do')} not apply to these data." if absent else "",
    ]
    dialects_print = (
        f"{numbered(len(every), 'dialect')} of macro F1 {verb(len(every), 'prints', 'print')}"
    )
    printed = f"{dialects_print} {different(table.distinct)}"
    finding = f"{printed} for the same predictions, from {min(values):.4f} to {max(values):.4f}"
    if table.distinct == 1:
        finding = f"{printed} for the same predictions, {values[0]:.4f}"
    return Picture(
        "dialects",
        printed,
        f"{finding}.",
        (Panel(across, scale, tuple(marks)),),
        (
            Key(
                f"{usual:.4f}, the most common number ({len(biggest.names)} of {len(every)})",
                0,
                "dots",
            ),
            Key("another number", 1, "dots"),
        ),
        tuple(filter(None, notes)),
        (biggest.plainest.signature,),
        height=forest_height(len(every)),
    )


# scores


@declare("scores", {Report: same})
def scores(report: Report) -> Picture:
    """The scores of a report with their intervals, as a forest plot."""
    named = [
        (name, score)
        for name, score in report.scores
        if math.isfinite(score.value) and _is_share(score.definition)
    ]
    if len(named) < 2:
        raise InputError("there is nothing to draw: fewer than two scores have 1 as their best")
    values = [score.value for _, score in named]
    intervals = [score.interval for _, score in named]
    across = within(axis("", _span(values, intervals)), -1.0, 1.0)
    scale = with_names("", [name for name, _ in named], "scores")
    dots = Dots(numbers(values), numbers(range(len(named))), 0, *ends_of(intervals))
    level = next((x.level for x in intervals if x), None)
    low, high = (pick(range(len(named)), key=values.__getitem__) for pick in (min, max))
    legend = Key("a score" + ("" if level is None else f", {100 * level:g} % interval"), 0, "dots")
    left_out = len(report.scores) - len(named)
    finding = (
        f"The scores of the same items range from {values[low]:.4f} ({names([named[low][0]])[0]}) "
        f"to {values[high]:.4f} ({names([named[high][0]])[0]})."
    )
    if f"{values[low]:.4f}" == f"{values[high]:.4f}":
        finding = f"All scores of the same items are {values[low]:.4f}."
    return Picture(
        "scores",
        f"{numbered(len(named), 'score')} of the same items",
        finding,
        (Panel(across, scale, (dots,)),),
        (legend,),
        (f"{numbered(left_out, 'score')} on other scales {verb(left_out, 'is', 'are')} not drawn.",)
        if left_out
        else (),
        _shortened([score.signature for _, score in named]),
        height=forest_height(len(named)),
    )


def _is_share(definition: Definition) -> bool:
    """Whether 1 is the best value, as of F1, kappa or AUC."""
    metric = definition.declaration
    return metric.better == "higher" and metric.bounds[1] == 1
