"""compare: is A better than B? Differences, intervals, tests, rankings and rank flips."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import fields, replace
from functools import cached_property, lru_cache, partial
from itertools import combinations
from math import inf, sqrt
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias, Unpack

import numpy as np

from whichf1.comparison.rank_flips import Flip, SystemRanks, rank_systems, same_labels
from whichf1.comparison.significance import (
    ADJUSTMENTS,
    CLOSE,
    Adjust,
    Pair,
    Plan,
    exchanged,
    level_of,
    pair_of,
    randomization,
    resampled,
    unpaired,
)
from whichf1.definitions import signature
from whichf1.definitions.definition import AnyCounts, Definition, fits
from whichf1.definitions.methods import Auto, Bootstrap, Method, enough_replicates
from whichf1.definitions.options import Options
from whichf1.errors import DefinitionError, InputError
from whichf1.metrics import COUNTED, Metric
from whichf1.scoring.decisions import decide_systems
from whichf1.scoring.evaluate import as_defined, evaluate_systems, with_ancestors
from whichf1.scoring.functions import with_options
from whichf1.scoring.lines import (
    ScoredItems,
    items_of_each,
    items_of_systems,
    read_items,
    score_items,
)
from whichf1.scoring.score import Score, described, warn_of_other_data
from whichf1.sources.answers.lines import read_scores
from whichf1.sources.arrays import count_together
from whichf1.sources.counts import COLUMN_OPTIONS, DATA_OPTIONS, count_kept
from whichf1.sources.label_sets import count_sets_together
from whichf1.sources.lines import ScoredLines, classes_of
from whichf1.sources.request import are_sets, has_columns, is_path, name_columns
from whichf1.sources.sequences import column, refuse_lengths
from whichf1.sources.systems import ScoreColumns, read_systems
from whichf1.statistics.cells import shared_cells
from whichf1.statistics.intervals import replicates_in_parts as replicates_of
from whichf1.statistics.label_sets import shared_sets
from whichf1.statistics.reweighting import Reweighted, shared_reweighted
from whichf1.statistics.sample import Sample, Statistic, alongside, generator, kinds
from whichf1.statistics.scales import Spread
from whichf1.tables.cells import Array
from whichf1.tables.counts import Counts
from whichf1.tables.display import Drawable
from whichf1.tables.label_sets import MultiLabelCounts
from whichf1.tables.records import dataclass
from whichf1.tables.slices import Key, Slices
from whichf1.tables.units import Units

Pairs: TypeAlias = tuple[tuple[str, Any], ...]
MEASURED = ("labels", "weights", "frequencies", "cluster")
"""Options for how items are counted."""
DRAWN = 2 * 10**8
"""Beyond this many numbers to resample, smooth scores only use the delta method."""


@dataclass(frozen=True, eq=False)
class Comparison(Drawable):
    """Systems compared on the same items under one definition; returned by ``whichf1.compare``.

    >>> import whichf1 as wf
    >>> c = wf.compare([0, 0, 1, 1], {"A": [0, 0, 1, 1], "B": [0, 1, 1, 0]}, "accuracy")
    >>> c.ranking, c.scores["B"].value
    (('A', 'B'), 0.5)
    """

    definition: Definition
    plan: Plan
    scores: Mapping[str, Score]
    pairs: tuple[Pair, ...]
    best: Mapping[str, float]
    """The former name of ``wins``."""
    letters: Mapping[str, str]
    """Systems that share a letter do not differ significantly, by the adjusted p-values."""
    counts: Mapping[str, AnyCounts] | None = None
    """The counts of each system; None if systems are compared by their scores."""
    joint: Counts | MultiLabelCounts | None = None
    """The joint counts of all systems, on which differences are tested."""

    @cached_property
    def ranks(self) -> SystemRanks | None:
        """The same systems under other definitions, on the same classes and items."""
        if self.counts is None:
            return None
        shared = ("classes", "exclude", "ignore", "class_shares", "undefined")
        options = {key: getattr(self.definition, key) for key in shared}
        return self._tested(rank_systems(self.counts, **options))

    def _tested(self, ranks: SystemRanks) -> SystemRanks:
        """The rankings, with a test of each flip under every definition."""
        if self.joint is None or not ranks.flips:
            return ranks
        level, plan = level_of(self.definition), Plan(replicates=0, adjust=self.plan.adjust)
        p_values: list[dict[tuple[str, str], float | None]] = []
        for order in ranks.orders:
            pairs: tuple[Pair, ...] = ()
            if order.definition.declaration.smooth:
                definition = replace(order.definition, interval=Auto(level=level))
                pairs = compare_counts(self.joint, definition, plan).pairs
            p_values.append({(pair.a, pair.b): pair.p_adjusted for pair in pairs})
        flips = []
        for flip in ranks.flips:
            p = tuple(under.get((flip.a, flip.b)) for under in p_values)
            apart = tuple(at for at, x in enumerate(p) if x is not None and x < 1 - level)
            flips.append(replace(flip, p_adjusted=p, significant=apart))
        return replace(ranks, flips=tuple(flips))

    @property
    def wins(self) -> Mapping[str, float]:
        """The fraction of bootstrap replicates in which each system is the best; ties are shared.

        It is not the probability that the system is the best: see docs/comparing.md.
        """
        return self.best

    @property
    def ranking(self) -> tuple[str, ...]:
        """The systems, best first."""
        return _ranked(self.definition, self.scores)

    @property
    def flips(self) -> tuple[Flip, ...]:
        """Every pair of systems whose order depends on the definition."""
        return () if self.ranks is None else self.ranks.flips

    @cached_property
    def signature(self) -> str:
        """The definition, the plan and the data: ``compare(..., signature)`` runs it again."""
        score = next(iter(self.scores.values()))
        own = described(self.definition, score.n, score.classes, score.made)
        head, mark, data = own.partition("|n:")
        return f"{head}{self.plan.text(self.definition.fields)}{mark}{data}"

    def __repr__(self) -> str:
        order = _in_words(self.ranking[:6], self.scores)
        flips = f", {len(self.flips)} rank flips" if self.flips else ""
        return f"<Comparison {order}{flips} ({self.signature})>"


def _in_words(names: Sequence[str], scores: Mapping[str, Score]) -> str:
    """'a 0.9000 > b 0.8000 = c 0.8000'."""
    text, before = "", None
    for name in names:
        value = scores[name].value
        if before is not None:
            text += " = " if abs(before - value) <= 1e-12 else " > "
        text, before = f"{text}{name} {value:.4f}", value
    return text


def compare(  # type: ignore[misc]  # its threshold= makes predictions; a metric may have one too
    y_true: Any,
    systems: Mapping[str, Any] | Sequence[str],
    metric: Any = "averaged_f1",
    *,
    level: float | None = None,
    replicates: int | None = None,
    seed: int | None = None,
    power: float | None = None,
    margin: float | None = None,
    adjust: Adjust | None = None,
    effect: float | None = None,
    posterior: bool | None = None,
    rope: float | None = None,
    threshold: float | None = None,
    **options: Unpack[Options],
) -> Comparison:
    """Compare systems on the same items: differences, tests, groups and rank flips.

    systems: The predictions or scores of each system by name; for a dataframe or file, the names of
        its columns. Items may have sets of labels: lists, text with ``sep`` between labels, or for
        each system a list of columns, one for each label: of 0 and 1, or of scores.
    metric: A name, a shorthand, a signature, a Definition or a metric function.
    level: The level of the intervals. Default: 0.95.
    power: The power for which detectable differences and numbers of items are computed.
        Default: 0.8.
    margin: Also test whether two systems differ by less than this.
    adjust: The adjustment of p-values for many pairs: 'holm', which is the default, 'fdr' for the
        false discovery rate (Benjamini and Hochberg), or 'none'.
    effect: The difference that matters, for ``items_needed``. Default: the observed difference,
        which is optimistic.
    posterior: Also compute the probability that a system is better than another, under two priors.
    rope: Also compute the probability that they differ by less than this (region of practical
        equivalence).
    threshold: Systems have scores of the positive class, and items with at least this score are
        predicted as positive.
    **options: The options of the metric, and ``labels``, ``weights``, ``cluster`` and ``true``. All
        systems are scored on the same classes.
    Returns: The scores, every pair of systems, and the order under other definitions.
    InputError: If the data cannot be read, or there are fewer than two systems.

    >>> truth = [0, 0, 0, 1, 1, 1, 2, 2, 2]
    >>> c = compare(truth, {"A": truth[:8] + [1], "B": [0, 0, 1, 1, 1, 2, 2, 2, 2]}, "accuracy")
    >>> pair = c.pairs[0]
    >>> pair.a, pair.b, round(pair.difference, 4), pair.only_a, pair.only_b
    ('A', 'B', 0.1111, 2, 1)
    """
    chosen = {key: value for key, value in options.items() if key not in DATA_OPTIONS}
    planning: dict[str, Any] = {"replicates": replicates, "seed": seed, "power": power}
    planning |= {"margin": margin, "adjust": adjust, "effect": effect}
    planning |= {"posterior": posterior, "rope": rope}
    if threshold is not None:
        positive = chosen.get("positive")
        chosen = of_decisions(metric, chosen)
        definition, plan = planned(metric, chosen, level, planning)
        return read_decided(y_true, systems, threshold, positive, options).whole(definition, plan)
    definition, plan = planned(metric, chosen, level, planning)
    return read_once(definition, y_true, systems, options).whole(definition, plan)


def of_decisions(metric: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The options of a metric of thresholded scores, whose class may not be the metric's."""
    name = getattr(metric, "__name__", metric)
    base = metric if isinstance(metric, Definition) else Definition.parse(name)
    if not made_from(base.declaration)[0]:
        raise DefinitionError(
            f"a threshold turns scores into predictions, but {base.metric} is computed from "
            "scores: omit threshold= (--threshold), or choose a metric such as f1"
        )
    several = base.average is not None or options.get("average") is not None
    if base.declaration.kind == "rate" and not several and base.positive is None:
        return options
    return {key: value for key, value in options.items() if key != "positive"}


def fitting_decisions(metrics: Sequence[str], options: dict[str, Any]) -> dict[str, Any]:
    """The same for several metrics: the class is dropped if none of them needs it."""
    fitting = [of_decisions(metric, options) for metric in metrics]
    return options if options in fitting else fitting[0]


def read_decided(
    y_true: Any,
    systems: Any,
    threshold: Any,
    positive: Any,
    options: Mapping[str, Any],
    by: Any = (),
) -> Runs:
    """Read the scores of systems; the result compares the predictions made from them."""
    data: dict[str, Any] = {key: options.get(key) for key in MEASURED}
    columns: dict[str, Any] = {key: options.get(key) for key in COLUMN_OPTIONS}
    named = {key: value for key, value in columns.items() if value is not None}
    if named or is_path(y_true) or (has_columns(y_true) and name_columns(systems)):
        read: Any = read_systems(y_true, systems, counted=False, by=by, **data, **named)
        if {len(x) for x in read.systems.values()} != {1}:
            raise InputError("a threshold needs one column of scores for each system")
        by = read.request.by
        lines = with_classes(read_scores(y_true, None, read.request, apart=True))
        names = [*read.systems]
    else:
        _refuse_slices(by)
        if not isinstance(systems, Mapping):
            raise InputError("systems must be a mapping such as {'A': scores}")
        sides = [ScoredLines.of(y_true, scores, **data) for scores in systems.values()]
        if {each.scores.ndim for each in sides} != {1}:
            raise InputError("a threshold needs one score per item from each system")
        for name, each in zip(systems, sides, strict=True):
            refuse_lengths(len(sides[0].scores), len(each.scores), str(name))
        lines = sides[0]._replace(scores=np.stack([each.scores for each in sides], 1))
        names = [*map(str, systems)]
    declared = options.get("labels") is not None
    return Runs.of_decisions(lines, names, threshold, positive, by, declared=declared)


def _refuse_slices(by: Any) -> None:
    if by is not None and not (isinstance(by, (str, list, tuple)) and not by):
        raise InputError("by= names columns of a dataframe or file, so systems= must, too")


Run: TypeAlias = Callable[[Definition, Plan], "Comparison"]


class Runs(NamedTuple):
    """Systems that were read: compares them under any definition, on all items and by slice."""

    whole: Run
    by: tuple[str, ...] = ()
    """The columns that define the slices."""
    slices: Mapping[Key, Run] = {}

    @classmethod
    def of_counts(cls, counts: Slices) -> Runs:
        """Systems whose predictions are counted together."""
        slices = {key: partial(_compare_slice, part) for key, part in counts.items()}
        return cls(partial(compare_counts, counts.whole), counts.by, slices if counts.by else {})

    @classmethod
    def of_lines(cls, systems: ScoreColumns, lines: ScoredLines) -> Runs:
        """Systems with scores, from lines with the scores of all systems."""
        refuse_few(systems.systems)
        names = [*systems.systems]

        def run(lines: ScoredLines, definition: Definition, plan: Plan) -> Comparison:
            return compare_items(plan, names, *items_of_each(definition, systems, lines))

        slices = {key: partial(run, lines.of_slice(at)) for at, key in enumerate(lines.keys)}
        return cls(partial(run, lines), systems.request.by, slices)

    @classmethod
    def of_decisions(
        cls,
        lines: ScoredLines,
        systems: Sequence[str],
        threshold: Any,
        positive: Any,
        by: tuple[str, ...] = (),
        *,
        declared: bool,
    ) -> Runs:
        """Systems whose scores a threshold turns into predictions, from lines with their scores."""
        refuse_few(systems)

        def decided(lines: ScoredLines) -> Counts:
            return decide_systems(lines, systems, threshold, positive, declared=declared)

        if not by:
            return cls(partial(compare_counts, decided(lines)))
        parts = {key: decided(lines.of_slice(at)) for at, key in enumerate(lines.keys)}
        return cls.of_counts(Slices(by, parts))


def beside_saved(counts: Counts, name: str, saved: Counts) -> Runs:
    """Systems beside one of which only counts are known, so that its tests cannot be paired."""

    def run(definition: Definition, plan: Plan) -> Comparison:
        systems = {x: counts.system(at) for at, x in enumerate(counts.systems)}
        every = [*systems.values(), saved]
        alike: Any = same_labels([each.without(definition.ignore) for each in every])
        scores, statistics = evaluate_systems(
            definition, dict(zip([*systems, name], alike, strict=True))
        )
        errors = [_own_error(definition, *each) for each in zip(statistics, alike, strict=True)]
        own = [(score, *error) for score, error in zip(scores.values(), errors, strict=True)]
        pairs = tuple(
            unpaired(x, name, definition, each, own[-1])
            for x, each in zip(systems, own, strict=False)
        )
        settled = next(iter(scores.values())).definition
        return Comparison(settled, plan, scores, pairs, best={}, letters={})

    return Runs(run)


def _own_error(definition: Definition, statistic: Any, counts: Counts) -> tuple[float, float]:
    """The standard error of one score, and its degrees of freedom."""
    statistics, sample = _shared([statistic], counts)
    error, _ = difference_spreads(definition, statistics, sample)(0, 0)
    freedom = counts.effective_n - 1
    return error * sqrt((freedom + 1) / freedom) if freedom > 0 else inf, freedom


def _compare_slice(
    counts: Counts | MultiLabelCounts, definition: Definition, plan: Plan
) -> Comparison:
    """Compare the systems on the classes of a slice, unless a class that it lacks is named."""
    seen = counts.without(definition.ignore).observed()
    classes = definition.classes if isinstance(definition.classes, tuple) else ()
    named = {*definition.exclude, *classes, definition.positive}
    lacks = any(x in named for x in counts.labels if x not in seen.labels)
    return compare_counts(counts if lacks else seen, definition, plan)


def read_once(
    first: Definition,
    y_true: Any,
    systems: Any,
    options: Mapping[str, Any],
    by: Any = (),
) -> Runs:
    """Read the systems; the result compares them under any definition of the same kind."""
    if isinstance(y_true, Units):
        _refuse_slices(by)
        names = [*systems] if isinstance(systems, (Mapping, list, tuple)) else None
        if names != [*y_true.systems]:
            raise InputError(
                f"these {y_true.kind} are for the systems {[*y_true.systems]!r}: use these names"
            )
        counted_together: Any = y_true
        return Runs(partial(compare_counts, counted_together))
    data: dict[str, Any] = dict(zip(MEASURED, map(options.get, MEASURED), strict=True))
    columns = zip(COLUMN_OPTIONS, map(options.get, COLUMN_OPTIONS), strict=True)
    named: dict[str, Any] = {key: value for key, value in columns if value is not None}
    counted, sets = made_from(first.declaration)
    alone = first.declaration.kind == "value"
    array = isinstance(y_true, np.ndarray)  # it has no columns, and its shape says what it holds
    tabular = not array and (is_path(y_true) or (has_columns(y_true) and name_columns(systems)))
    ask: Any
    if named or tabular:
        how = {"counted": counted, "sets": sets, "by": by, "alone": alone}
        ask = partial(read_systems, y_true, systems, **how, **named)
        read: Any = count_kept(ask, data, first.ignore) if first.ignore else ask(**data)
        if not isinstance(read, ScoreColumns):
            return Runs.of_counts(read)
        if by:
            lines = read_scores(read.data, read.predictions, read.request, apart=True)
            return Runs.of_lines(read, lines if alone else with_classes(lines))
        refuse_few(read.systems)
        return Runs(
            lambda definition, plan: compare_items(
                plan, [*read.systems], *items_of_systems(definition, read)
            )
        )
    _refuse_slices(by)
    if not isinstance(systems, Mapping):
        raise InputError(
            f"systems must be a mapping such as {{'A': predictions}}; got {type(systems).__name__}"
        )
    if not counted:
        refuse_few(systems)
        return Runs(
            lambda definition, plan: compare_items(
                plan,
                [*map(str, systems)],
                *read_items(definition, y_true, systems.values(), **data),
            )
        )
    sets = sets or (y_true.ndim == 2 if array else are_sets(y_true))
    ask = partial(count_sets_together if sets else count_together, y_true, systems)
    counts = count_kept(ask, data, first.ignore) if first.ignore else ask(**data)
    return Runs(partial(compare_counts, counts))


def with_classes(lines: ScoredLines) -> ScoredLines:
    """The lines with the classes of all of them, so that every slice has the same."""
    if lines.sets:
        return lines
    return lines._replace(labels=[*classes_of(column(lines.true, "y_true"), lines.labels)])


def made_from(metric: Metric) -> tuple[bool, bool]:
    """Whether a metric is computed from predictions, and whether only from sets of labels."""
    return metric.kind in (*COUNTED, "items"), metric.kind == "items"


def planned(
    metric: str, options: dict[str, Any], level: float | None, given: dict[str, Any]
) -> tuple[Definition, Plan]:
    """The definition, with its interval, and the plan; both may come from one signature."""
    asked = (metric, tuple(options.items()), level, tuple(given.items()))
    try:
        hash(asked)
    except TypeError:  # such as classes in a list
        return _planned.__wrapped__(*asked)
    return _planned(*asked)


@lru_cache(maxsize=256)
def _planned(
    metric: str, chosen_options: Pairs, level: float | None, given: Pairs
) -> tuple[Definition, Plan]:
    options = dict(chosen_options)
    name, parameters, found = signature.read(metric)
    said = {f.name: found.pop(f.name) for f in fields(Plan) if f.name in found}
    if found.pop("compare", None) is not None:
        metric = signature.write(name, parameters, found)
    elif said:
        raise DefinitionError(
            f"{', '.join(said)} in a signature that is not that of a comparison: {metric!r}"
        )
    chosen = {k: v for k, v in given if v is not None}
    plan = Plan(**{**said, **chosen})
    if options.pop("interval", None) is not None:
        raise DefinitionError("a comparison chooses its own intervals: omit interval=")
    definition = with_options(metric, options)
    if level is None:
        level = definition.interval.level if definition.interval else 0.95
    if plan.replicates:
        enough_replicates(plan.replicates, level)
    return replace(definition, interval=_method(definition, level, plan)), plan


def _method(definition: Definition, level: float, plan: Plan) -> Method:
    """The interval of the signature; otherwise auto, or the bootstrap if nothing else applies."""
    metric = definition.declaration
    if not metric.smooth and not plan.replicates:
        raise DefinitionError(
            f"{definition.metric} depends on individual items and is only compared by the "
            "bootstrap, so replicates must be above 0"
        )
    method = definition.interval or Auto()
    if metric.smooth or (fits(method, metric) and not method.drawn):
        return replace(method, level=level)
    return Bootstrap(level=level, replicates=plan.replicates, seed=plan.seed)


def compare_counts(
    counts: Counts | MultiLabelCounts, definition: Definition, plan: Plan
) -> Comparison:
    """Compare the systems of counts of classes or of label sets."""
    refuse_few(counts.systems)
    counts = counts.without(definition.ignore) if definition.ignore else counts
    systems = {name: counts.system(at) for at, name in enumerate(counts.systems)}
    if definition.declaration.of_ancestors is not None:
        rate, joint = with_ancestors(definition, counts)
        parts = {name: joint.system(at) for at, name in enumerate(joint.systems)}
        found, statistics = evaluate_systems(rate, parts)
        scores = {name: as_defined(x, definition, systems[name]) for name, x in found.items()}
    else:
        joint = counts
        scores, statistics = evaluate_systems(definition, systems)
    comparison = compare_statistics(plan, scores, *_shared(statistics, joint))
    return replace(comparison, counts=systems, joint=counts)


def _shared(statistics: Sequence[Any], counts: Any) -> tuple[Sequence[Statistic], Sample]:
    """The scores of systems on the units that they share, and these units."""
    if not isinstance(counts, Counts):
        return shared_sets(statistics, counts)
    if isinstance(statistics[0], Reweighted):
        return shared_reweighted(statistics, counts)
    return shared_cells(statistics, counts)


def compare_items(
    plan: Plan, names: Sequence[str], items: Sequence[ScoredItems], sample: Sample
) -> Comparison:
    """Compare systems by their scores of the same items."""
    plain = [replace(each, definition=each.definition.settled(data=())) for each in items]
    scores = {name: score_items(each, sample) for name, each in zip(names, plain, strict=True)}
    definition = items[0].definition
    warn_of_other_data(definition, scores.values())
    comparison = compare_statistics(plan, scores, [each.statistic for each in items], sample)
    return replace(comparison, definition=definition)


def refuse_few(systems: Sized) -> None:
    """Raise unless there are at least two systems."""
    if len(systems) < 2:
        raise InputError(f"a comparison needs at least two systems; got {len(systems)}")


def compare_statistics(
    plan: Plan,
    scores: Mapping[str, Score],
    statistics: Sequence[Statistic],
    sample: Sample,
) -> Comparison:
    """Compare the scores of systems on the same units: the one loop over pairs."""
    names = tuple(scores)
    definition = scores[names[0]].definition
    sample.refuse_extremes()
    if plan.replicates:
        statistics, sample = kinds(statistics, sample)
    drawn, swapped = _resample(plan, scores, statistics, sample)
    spread = difference_spreads(definition, statistics, sample, drawn)
    pairs: list[Pair] = []
    for a, b in combinations(range(len(names)), 2):
        both = {names[at]: scores[names[at]] for at in (a, b)}
        units = (statistics[a], statistics[b]), sample
        pair = pair_of(definition, plan, both, *spread(a, b), *units)
        if drawn is not None:
            with np.errstate(invalid="ignore"):  # the difference of two infinite ratios
                difference = drawn[:, a] - drawn[:, b]
            pair = resampled(definition, plan, pair, difference, swapped[a, b], sample)
        pairs.append(exchanged(pair, plan, *units))
    adjusted = ADJUSTMENTS[plan.adjust]([*map(attrgetter("p_value"), pairs)])
    pairs = [replace(pair, p_adjusted=p) for pair, p in zip(pairs, adjusted, strict=True)]
    if plan.replicates and drawn is None:
        drawn = _normal_draws(scores, spread, plan)
    wins = {} if drawn is None else wins_of(definition, names, drawn)
    limit = 1 - level_of(definition)
    apart = {(p.a, p.b) for p in pairs if p.p_adjusted is not None and p.p_adjusted < limit}
    shared = letters(_ranked(definition, scores), apart)
    return Comparison(definition, plan, scores, tuple(pairs), wins, shared)


def _resample(
    plan: Plan, scores: Mapping[str, Score], statistics: Sequence[Statistic], sample: Sample
) -> tuple[Array | None, Mapping[tuple[int, int], float | None]]:
    """The scores of all systems on resampled units, and the randomization test of each pair.

    None if that would take too long. Both are computed at the same time.
    """
    values = [*map(attrgetter("value"), scores.values())]
    definition = next(iter(scores.values())).definition
    many = plan.replicates * sum(map(attrgetter("size"), statistics)) > DRAWN
    if not plan.replicates or (many and definition.declaration.smooth):
        return None, {}
    differences = {(a, b): values[a] - values[b] for a, b in combinations(range(len(values)), 2)}
    how = (sample, plan.replicates, plan.seed)
    tests = partial(randomization, statistics, differences, *how)
    size = plan.replicates * len(sample.count)
    swapped, drawn = alongside(tests, replicates_of(statistics, *how), size)
    return np.concatenate(drawn), swapped


def difference_spreads(
    definition: Definition,
    statistics: Sequence[Statistic],
    sample: Sample,
    drawn: Array | None = None,
) -> Callable[[int, int], tuple[float, Spread]]:
    """The standard error of a difference and its spread for a test.

    For a system with itself, those of its score.
    """
    if not definition.declaration.smooth:
        known = np.zeros((0, len(statistics))) if drawn is None else drawn
        defined = known[np.isfinite(known).all(1)]

        def resampled_spread(a: int, b: int) -> tuple[float, Spread]:
            error = float(np.std(defined[:, a] - (a != b) * defined[:, b]))
            return error, Spread(error)

        return resampled_spread
    slopes = [each.slope(sample.count) for each in statistics]

    def spreads(a: int, b: int) -> tuple[float, Spread]:
        slope = slopes[a] - slopes[b] if a != b else slopes[a]
        error = sample.error(slope)
        if a == b or not CLOSE < error < inf:  # nothing varies, or nothing is known
            return error, Spread(error)
        disputed = statistics[a].disputed(statistics[b], sample)
        return error, sample.tested_spread(slope, disputed)

    return spreads


def _normal_draws(
    scores: Mapping[str, Score], spread: Callable[[int, int], tuple[float, Spread]], plan: Plan
) -> Array | None:
    """Scores of all systems, drawn from a normal distribution with their covariance."""
    size = len(scores)
    variance = np.array([[spread(a, b)[0] ** 2 for b in range(size)] for a in range(size)])
    own = np.diag(variance)
    covariance = np.where(np.eye(size, dtype=bool), variance, (own[:, None] + own - variance) / 2)
    if not np.isfinite(covariance).all():
        return None
    values = [score.value for score in scores.values()]
    return generator(plan.seed).multivariate_normal(
        values, covariance, plan.replicates, check_valid="ignore", method="eigh"
    )


def wins_of(definition: Definition, names: tuple[str, ...], replicates: Array) -> dict[str, float]:
    """The fraction of replicates in which each system is the best; ties are shared."""
    sign = -1 if definition.declaration.better == "lower" else 1
    values = sign * replicates[~np.isnan(replicates).any(1)]
    if not len(values):
        return {}
    best = values >= values.max(1, keepdims=True) - CLOSE
    shares = (best / best.sum(1, keepdims=True)).mean(0)
    return dict(zip(names, shares.tolist(), strict=True))


def _ranked(definition: Definition, scores: Mapping[str, Score]) -> tuple[str, ...]:
    sign = 1 if definition.declaration.better == "lower" else -1
    value = {name: sign * score.value for name, score in scores.items()}
    return tuple(sorted(scores, key=lambda name: (np.isnan(value[name]), value[name])))


def letters(names: Sequence[str], told_apart: set[tuple[str, str]]) -> dict[str, str]:
    """Systems share a letter if and only if they do not differ significantly.

    Two systems that need a common letter share it with every other system that fits, in the order
    of the names. Listing all maximal groups (Piepho 2004) can take exponential time.
    """
    place = dict(zip(names, range(len(names)), strict=True))
    alike = {name: {*names} - {name} for name in names}
    for a, b in told_apart:
        alike[a].discard(b)
        alike[b].discard(a)
    wanting = dict(zip(alike, map(set, alike.values()), strict=True))
    groups = [{name} for name in names if not alike[name]]
    for name in names:
        while wanting[name]:
            group, fitting = {name}, alike[name]
            following = wanting[name]
            while fitting:
                chosen = min(following, key=place.__getitem__)
                group.add(chosen)
                following = fitting = fitting & alike[chosen]
            for each in group:
                wanting[each] -= group
            groups.append(group)
    groups.sort(key=lambda group: sorted(map(place.__getitem__, group)))
    return {
        name: "".join([_letter(at) for at, group in enumerate(groups) if name in group])
        for name in names
    }


def _letter(at: int) -> str:
    return chr(ord("a") + at) if at < 26 else f"({at + 1})"
