"""Pictures of studies: runs with their means, average ranks, and differences on data sets."""

from __future__ import annotations

from collections.abc import Sequence

from whichf1.comparison.data_sets import AverageRanks, DataSetPair
from whichf1.comparison.significance import level_of
from whichf1.comparison.study import Study
from whichf1.definitions.words import title as title_of
from whichf1.errors import DefinitionError, InputError, numbered
from whichf1.reporting.document import first_names
from whichf1.reporting.numbers import size
from whichf1.reporting.pictures.counts import forest_height
from whichf1.reporting.pictures.forests import ends_of
from whichf1.reporting.pictures.kinds import declare, same
from whichf1.reporting.pictures.marks import Axis as Scale
from whichf1.reporting.pictures.marks import (
    Dots,
    Key,
    Mark,
    Panel,
    Picture,
    Stroke,
    axis,
    names,
    numbers,
    ticks,
    with_names,
    within,
)
from whichf1.statistics.scales import Interval

MOST = 60
"""The most rows of a forest plot that fit on a page."""


@declare("runs", {Study: same})
def runs(data: Study, *, dataset: str | None = None) -> Picture:
    """The score of each run or fold, and the mean of each system with its interval.

    dataset: The data set, if there are several. Default: the first.
    """
    chosen = next(iter(data.crossed)) if dataset is None else dataset
    if chosen not in data.crossed:
        raise DefinitionError(f"there is no data set {chosen!r} among {', '.join(data.crossed)}")
    means = {x.system: x for x in data.means if x.data_set == chosen}
    shown = [means[system] for system in data.ranking if system in means][:MOST]
    name, level = title_of(data.definition), level_of(data.definition)
    ends = [x for each in shown if each.interval for x in (each.interval.low, each.interval.high)]
    crossed = data.crossed[chosen]
    what, over, single = "run", "over runs and items", {x.system: x.values for x in shown}
    if crossed.folds is not None:
        what, over = "fold", "over folds"
        of_folds = {x.system: crossed.folds[crossed.rows(x.system)].ravel() for x in shown}
        single = {name: tuple(values.tolist()) for name, values in of_folds.items()}
    every = [*(x for values in single.values() for x in values), *ends]
    lower = data.definition.declaration.better == "lower"
    label = f"{name} ({'lower' if lower else 'higher'} is better)"
    across = within(axis(label, every), *data.definition.bounds)
    scale = with_names("", [each.system for each in shown], "systems")
    each_run = [(x, at + 0.22) for at, each in enumerate(shown) for x in single[each.system]]
    intervals = [each.interval for each in shown]
    marks: tuple[Mark, ...] = (
        Dots(numbers(x for x, _ in each_run), numbers(y for _, y in each_run), "muted"),
        Dots(
            numbers(each.mean for each in shown),
            numbers(range(len(shown))),
            0,
            *ends_of(intervals),
        ),
    )
    best = shown[0]
    finding = f"{names([best.system])[0]} has the best mean {name}, {best.mean:.4f}"
    if len(data.crossed) == 1 and len(data.systems) > 1:
        own = {*data.letters[best.system]}
        alike = [x for x in data.ranking if x != best.system and own & {*data.letters[x]}]
        finding += "; it differs significantly from all others" if not alike else (
            f"; it does not differ significantly from {first_names(names(alike))}"
        )  # fmt: skip
    on = f" on {names([chosen])[0]}" if chosen else ""
    runs_ = numbered(len(each_run), what)
    return Picture(
        "runs",
        f"{name} of {runs_} of {numbered(len(shown), 'system')}{on}, {size(crossed.n)}",
        f"{finding}.",
        (Panel(across, scale, marks),),
        (
            Key(f"mean with its {100 * level:g} % interval, {over}", 0, "dots"),
            Key(f"a {what}", "muted", "dots"),
        ),
        (),
        (data.signature,),
        height=forest_height(len(shown)) + 0.1 * len(shown),
    )


def _ranks(data: Study) -> tuple[Study, AverageRanks]:
    if data.ranks is None:
        raise InputError("average ranks need at least two systems on at least two data sets")
    return data, data.ranks


@declare("critical-difference", {Study: _ranks})
def critical_difference(both: tuple[Study, AverageRanks]) -> Picture:
    """Average ranks over data sets; systems joined by a bar do not differ significantly."""
    data, ranks = both
    order = sorted(ranks.ranks, key=lambda name: ranks.ranks[name])
    k, limit = len(order), ranks.critical_difference
    cliques = _cliques([ranks.ranks[name] for name in order], limit)
    rows = with_names("", order, "systems")
    places = tuple((float(at), str(at)) for at in range(1, k + 1)) if k <= 12 else ticks(1, k)
    across = Scale("average rank (1 is best)", 0.8, k + 0.2, places)
    values = numbers(ranks.ranks[name] for name in order)
    depth = len(cliques) + 1.5
    scale = Scale("", rows.low - depth * 0.5, rows.high, rows.ticks, "names", "systems")
    marks: list[Mark] = [
        Stroke((x, x), (scale.low + 0.1, float(at)), "faint", thin=True, dash=False)
        for at, x in enumerate(values)
    ]
    top = scale.low + 0.35
    marks.append(Stroke((1.0, min(1 + limit, k + 0.2)), (top, top), "text", dash=False))
    for at, (first, last) in enumerate(cliques):
        y = top + 0.5 * (at + 1)
        marks.append(Stroke((values[first], values[last]), (y, y), 1, dash=False))
    marks.append(Dots(values, numbers(range(k)), 0))
    joined = ", ".join(f"{names([order[a]])[0]} to {names([order[b]])[0]}" for a, b in cliques)
    best = names([order[0]])[0]
    finding = f"{best} has the best average rank, {values[0]:.2f} of {k}"
    finding += f"; not significantly different: {joined}" if joined else "; all pairs differ"
    alpha = 100 * (1 - ranks.level)
    return Picture(
        "critical-difference",
        f"average ranks of {numbered(k, 'system')} on {numbered(ranks.data_sets, 'data set')}, by "
        f"{title_of(data.definition)}",
        f"{finding}.",
        (Panel(across, scale, tuple(marks)),),
        (
            Key("average rank", 0, "dots"),
            Key("no significant difference", 1, "line", dash=False),
            Key(f"critical difference {limit:.2f}", "text", "line", dash=False),
        ),
        (f"Nemenyi's test at the {alpha:g} % level (Demšar 2006).",),
        (data.signature,),
        height=1.1 + 0.27 * (k + depth * 0.5),
    )


def _cliques(ranks: Sequence[float], limit: float) -> list[tuple[int, int]]:
    """The longest runs of neighbours, in order, whose ranks differ by less than the limit."""
    spans: list[tuple[int, int]] = []
    for first, low in enumerate(ranks):
        last = max(at for at, high in enumerate(ranks) if high - low < limit)
        if last > first and not any(a <= first and last <= b for a, b in spans):
            spans.append((first, last))
    return spans


@declare("meta", {Study: same})
def meta(data: Study, *, baseline: str | None = None) -> Picture:
    """Differences on each data set with their intervals, and their mean over data sets.

    baseline: The system to subtract. Default: the second best, from the best.
    """
    if len(data.crossed) < 2 or len(data.systems) < 2:
        raise InputError("a forest plot of differences needs two systems on at least two data sets")
    best = next(x for x in data.ranking if x != baseline)
    other = data.ranking[1] if baseline is None else baseline
    if other not in data.systems:
        raise DefinitionError(f"there is no system {other!r} among {', '.join(data.systems)}")
    single = data.folds or data.pairs
    pairs = [pair for pair in single if {pair.a, pair.b} == {best, other}][:MOST]
    sign = [1.0 if pair.a == best else -1.0 for pair in pairs]
    over = next(pair for pair in data.across if {pair.a, pair.b} == {best, other})
    turned = [_turned(x.interval, s) for x, s in zip(pairs, sign, strict=True)]
    values = [s * x.difference for x, s in zip(pairs, sign, strict=True)]
    shown_names = [pair.data_set for pair in pairs]
    mean = _mean(over, best)
    name = title_of(data.definition)
    scale = with_names("", [*shown_names, "mean over data sets"], "data sets")
    ends = [x for each in [*turned, mean[1], mean[2]] if each for x in (each.low, each.high)]
    a, b = names((best, other))
    across = axis(f"difference in {name}, {a} − {b}", [*values, *ends], zero=True)
    marks: list[Mark] = [
        Stroke((0.0, 0.0), (scale.low, scale.high), "muted", thin=True, dash=False),
        Dots(
            numbers(values),
            numbers(range(len(values))),
            0,
            *ends_of(turned),
        ),
    ]
    legend = [Key("on a data set, over its runs and items", 0, "dots")]
    last = float(len(values))
    finding = f"{a} and {b} do not vary on enough data sets for a mean"
    if over.meta is not None and mean[1] is not None:
        if mean[2] is not None:
            marks.append(
                Stroke((mean[2].low, mean[2].high), (last, last), "muted", thin=True, dash=True)
            )
            legend.append(Key("prediction for a further data set", "muted", "thin", dash=True))
        marks.append(Dots((mean[0],), (last,), 1, (mean[1].low,), (mean[1].high,)))
        legend.append(Key("random-effects mean (Hartung–Knapp)", 1, "dots"))
        clear = over.meta.p_value < 1 - level_of(data.definition)
        finding = (
            f"{a} is {'significantly ' if clear else 'not significantly '}different from {b} over "
            f"{numbered(over.meta.data_sets, 'data set')}: {mean[0]:+.4f}, I² "
            f"{100 * over.meta.i_square:.0f} %"
        )
    return Picture(
        "meta",
        f"{a} − {b} on {numbered(len(data.crossed), 'data set')}",
        f"{finding}.",
        (Panel(across, scale, tuple(marks)),),
        tuple(legend),
        (),
        (data.signature,),
        height=forest_height(len(values) + 1),
    )


def _turned(interval: Interval | None, sign: float) -> Interval | None:
    if interval is None or sign > 0:
        return interval
    return Interval(-interval.high, -interval.low, interval.level, interval.method)


def _mean(pair: DataSetPair, best: str) -> tuple[float, Interval | None, Interval | None]:
    if pair.meta is None:
        return 0.0, None, None
    sign = 1.0 if pair.a == best else -1.0
    interval, further = (_turned(x, sign) for x in (pair.meta.interval, pair.meta.prediction))
    return sign * pair.meta.mean, interval, further
