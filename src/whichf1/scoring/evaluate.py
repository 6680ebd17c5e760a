"""From a definition and data to a Score: the functions that run definitions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from math import isfinite, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from whichf1 import kernel
from whichf1.definitions.definition import AnyCounts, Definition, Frozen, define
from whichf1.definitions.methods import Posterior
from whichf1.errors import DefinitionError, IntervalWarning, warn
from whichf1.kernel import Formula, LossSums
from whichf1.metrics import COUNTED, METRICS, Metric
from whichf1.metrics.agreement import BY_ORDER
from whichf1.metrics.calibration import equal_width
from whichf1.scoring.score import (
    NO_SQUARES,
    PerClass,
    Score,
    effective_n,
    plain_score,
    warn_of_other_data,
)
from whichf1.sources.arrays import (
    MANY,
    MOST,
    bucket_arrays,
    count_class,
    count_margins,
    judged_arrays,
    label_arrays,
    label_matrices,
    rank_arrays,
    scored_arrays,
)
from whichf1.sources.counts import as_counts, count
from whichf1.sources.request import are_sets, is_path
from whichf1.sources.sequences import to_numpy
from whichf1.statistics.scales import Interval
from whichf1.tables.annotations import Ratings
from whichf1.tables.cells import Array, OneVsRest, Predicted, every_class
from whichf1.tables.counts import Counts
from whichf1.tables.label_sets import MultiLabelCounts
from whichf1.tables.labels import Label, Labels
from whichf1.tables.moments import beyond_rounding
from whichf1.tables.spans import SpanCounts
from whichf1.tables.units import some

if TYPE_CHECKING:
    from whichf1.statistics.cells import Estimated
    from whichf1.statistics.sample import Sample, Statistic


def run(
    definition: Definition,
    y_true: Any,
    y_pred: Any = None,
    labels: Any = None,
    weights: Any = None,
    cluster: Any = None,
    **named: Any,
) -> Score:
    """Run a definition on its data: counts, predictions, scores or sets of labels.

    ``named`` are the columns of a dataframe or file, and how it is read.
    """
    if not named and labels is weights is cluster is None:
        return run_alone(definition, y_true, y_pred)
    data = {"labels": labels, "weights": weights, "cluster": cluster}
    return _of_data(definition, y_true, y_pred, data, named)


def run_alone(definition: Definition, y_true: Any, y_pred: Any = None) -> Score:
    """Run a definition on data with neither declared labels, weights, clusters nor columns."""
    kind = definition.quick
    if type(y_true) is ndarray or (y_pred is not None and kind in COUNTED):
        quick = _QUICK.get(kind)
        score = None if quick is None else quick(definition, y_true, y_pred)
        if score is not None:
            return score
    counted = y_pred is None and isinstance(y_true, (Counts, MultiLabelCounts))
    if counted and definition.declaration.kind in _OF_COUNTS:
        return evaluate(definition, y_true)
    return _of_data(definition, y_true, y_pred, dict(_NO_DATA), {})


_NO_DATA: dict[str, Any] = {"labels": None, "weights": None, "cluster": None}


def _of_data(
    definition: Definition, y_true: Any, y_pred: Any, data: dict[str, Any], named: dict[str, Any]
) -> Score:
    if definition.declaration.kind in _OF_COUNTS:
        return _of_predictions(definition, y_true, y_pred, data, named)
    from whichf1.scoring.lines import evaluate_scores

    return evaluate_scores(definition, y_true, y_pred, **data, **named)


def _of_predictions(
    definition: Definition, y_true: Any, y_pred: Any, data: dict[str, Any], named: dict[str, Any]
) -> Score:
    if "score" in named:
        raise DefinitionError(
            f"{definition.metric} is computed from predictions: name their column with pred=, or "
            "make them with at_threshold(rank(...), threshold=...)"
        )
    sets = definition.declaration.kind == "items" or definition.average == "samples"
    sets |= definition.declaration.of_ancestors is not None and are_sets(y_true)
    if sets and y_pred is not None and not named.keys() - {"frequencies"} and not is_path(y_true):
        from whichf1.sources.label_sets import count_multilabel

        return evaluate(definition, count_multilabel(y_true, y_pred, **data, **named))
    if definition.batch is None or isinstance(y_true, Counts):
        counts = as_counts(y_true, y_pred, **data, ignore=definition.ignore, **named)
        return evaluate(definition, counts)
    if data["weights"] is not None or data["cluster"] is not None or named:
        raise DefinitionError("a mean over batches needs arrays, without weights or clusters")
    return _of_batches(definition, y_true, y_pred, data["labels"])


def _agreement(definition: Definition, y_true: Array, y_pred: Any) -> Score | None:
    counted = count_margins(y_true, y_pred, True)
    if counted is None:
        return None
    labels, margins = counted
    if definition.interval is not None:
        frozen = Frozen(margins, every_class(len(labels)), labels)
        return _with_delta(definition, frozen, len(y_true))
    value = float(definition.of_table(margins, labels))
    return plain_score(value, definition, len(y_true), labels)


def _rate(definition: Definition, y_true: Array, y_pred: Any) -> Score | None:
    if definition.positive is not None:
        alone = count_class(y_true, y_pred, definition.positive)
        if alone is None:
            return None
        labels, c = alone
        if definition.interval is not None:
            return _with_delta(definition, Frozen(c, None, labels), len(y_true))
        value: Any = definition.class_formula(c)
        return plain_score(value, definition, len(y_true), labels)
    counted = count_margins(y_true, y_pred, definition.interval is not None)
    if counted is None:
        return None
    labels, margins = counted
    frozen = definition.fix(labels, margins)
    if definition.interval is not None:
        return _with_delta(definition, frozen, len(y_true))
    value = _by_steps(definition, frozen)
    if value is None:
        value = float(definition.values(frozen))
    return plain_score(value, definition.over_observed, len(y_true), frozen.labels)


WARM = 3
"""Calls for as many classes before the steps of a mean are recorded, in the time of ten calls."""


def _by_steps(definition: Definition, frozen: Frozen) -> float | None:
    """A mean of all classes from the recorded steps of its formula, the same to the bit.

    None if they are not recorded, or where a 0/0 rule applies.
    """
    classes = len(frozen.labels)
    known, calls, formula = definition.memo.get("steps", (0, 0, None))
    if known != classes:
        calls, formula = 0, None
    if formula is None and calls <= WARM:
        if calls == WARM and frozen.classes is every_class(classes):
            from whichf1.statistics.cells import MOST_RECORDED, recorded

            formula = recorded(definition, classes)[0] if classes <= MOST_RECORDED else None
        definition.memo["steps"] = (classes, calls + 1, formula)
    if formula is None or frozen.classes is not every_class(classes):
        return None
    value: float | None = frozen.table.value_of(formula)
    return value


def _with_delta(definition: Definition, frozen: Frozen, n: int) -> Score | None:
    """The score of counted arrays with its delta interval; None if that takes the general way."""
    known = _delta(definition, frozen)
    if known is None:
        return None
    from whichf1.statistics.intervals import delta_interval

    spread, few, value = known
    if value is None:
        one = definition.positive is not None
        value = float(definition.class_formula(frozen.table) if one else definition.values(frozen))
    interval = delta_interval(definition, value, spread, few)
    return plain_score(value, definition.over_observed, n, frozen.labels, interval)


def _delta(definition: Definition, frozen: Frozen) -> Estimated | None:
    """The spread of a score of whole counts, and what there are too few of for an interval.

    The table is that of all classes, or has the counts of the positive one alone.
    """
    from whichf1.statistics.cells import delta_of_class, delta_of_table

    if definition.positive is not None:
        return delta_of_class(definition, frozen.table)
    return delta_of_table(definition, frozen)


def _ranking(definition: Definition, y_true: Array, scores: Any) -> Score | None:
    labels = scored_arrays(y_true, scores)
    settled = None if labels is None else definition.of_scores(labels)
    if labels is None or settled is None:
        return None
    metric = settled.declaration
    if settled.interval is not None:
        return _with_area(settled, y_true, scores, labels)
    ratio_of = settled.ratio_of_areas
    if ratio_of is not None:
        areas = kernel.rank_areas(scores, y_true)
        if areas is None or not (areas[0] and areas[1]):
            return None
        part, whole = ratio_of(areas)
        return plain_score(float(part / whole), settled, len(y_true), labels)
    if metric.of_bins is not None and settled.arguments["binning"] == "equal-width":
        formula = _recorded_bins(metric.of_bins)
        assert formula is not None
        edges = equal_width(settled.arguments["bins"])
        value = kernel.bin_value(formula, scores, y_true, edges)
        return None if value is None else plain_score(value, settled, len(y_true), labels)
    if y_true.shape[0] <= FEW:
        formula = _recorded_ranking(metric.formula, settled.parameters)
        if formula is not None:
            return _with_steps(settled, formula, y_true, scores, labels)
    many = metric.one_point and MANY <= y_true.shape[0] < MOST
    table = (bucket_arrays if many else rank_arrays)(y_true, scores)
    if table is None:
        return None
    positives, negatives = table.sizes
    if metric.probabilities:
        if table.score[-1] < 0 or table.score[0] > 1:
            return None
    elif not positives or not negatives:
        return None
    top, bottom = metric.formula(table, **settled.arguments)
    return plain_score(float(top / bottom), settled, y_true.shape[0], labels)


FEW = 4096
"""Items up to which a formula of a ranking takes less time in recorded steps than in NumPy's."""


@lru_cache(maxsize=256)
def _recorded_ranking(formula: Any, parameters: tuple[tuple[str, Any], ...]) -> Formula | None:
    from whichf1.statistics.tracing import record_ranking

    return record_ranking(formula, **dict(parameters))


@lru_cache(maxsize=16)
def _recorded_bins(formula: Any) -> Formula | None:
    from whichf1.statistics.tracing import record_bins

    return record_bins(formula)


def _with_steps(
    definition: Definition, formula: Formula, y_true: Array, scores: Array, labels: Labels
) -> Score | None:
    """A score of few items, whose formula is recorded; None if it has no value."""
    ranked = kernel.rank_value(formula, scores, y_true)
    if ranked is None:
        return None
    value, positives, negatives, highest, lowest = ranked
    if definition.declaration.probabilities:
        if lowest < 0 or highest > 1:
            return None
    elif not positives or not negatives:
        return None
    if not (isfinite(value) and isfinite(highest) and isfinite(lowest)):
        return None
    return plain_score(value, definition, len(y_true), labels)


def _with_area(
    definition: Definition, y_true: Array, scores: Array, labels: Labels
) -> Score | None:
    """The whole ROC AUC or mean precision with its interval; None for another score."""
    area = definition.metric == "roc_auc" and definition.arguments["max_fpr"] is None
    if not area and definition.declaration.of_precisions is None:
        return None
    table = rank_arrays(y_true, scores)
    if table is None or not all(table.sizes):
        return None
    from whichf1.scoring.lines import area_estimate, precision_estimate

    known = area_estimate(definition, table) if area else precision_estimate(definition, table)
    if known is None:
        return None
    value, interval = known
    return plain_score(value, definition, len(y_true), labels, interval)


def _loss(definition: Definition, y_true: Array, scores: Any) -> Score | None:
    metric, judged = definition.declaration, judged_arrays(y_true, scores)
    if judged is None:
        return None
    labels, items = judged
    one = items.scores.ndim == 1  # the probability of the second of two classes
    settled = definition.of_scores(labels, one=one)
    if settled is None or (one and not metric.probabilities):
        return None
    summed, arguments = metric.sums, settled.arguments
    if summed is None:
        summed = partial(_summed, metric, settled.interval is not None)
    elif settled.interval is not None and metric.relative is not None:
        arguments = {**arguments, "each": np.empty(len(y_true))}
    try:
        sums = summed(items, **arguments)
    except ValueError:  # a label that is not one of the classes
        return None
    if not sums.fair or (sums.least and not one):
        return None
    value = sums.total / sums.n
    if settled.interval is not None:
        if metric.relative is None:
            return _with_sums(settled, sums, labels)
        return _with_constant(settled, y_true, value, arguments.get("each"), labels)
    if metric.relative is not None:
        constant = _constant_loss(metric, y_true, len(labels), **settled.arguments)[0]
        if not constant > 0:
            return None
        value = 1 - value / constant if metric.relative == "skill" else value / constant
    return plain_score(value, settled, sums.n, labels)


def _with_sums(definition: Definition, sums: LossSums, labels: Labels) -> Score | None:
    """A mean over items with its delta interval; None if a sum is not finite."""
    from whichf1.statistics.intervals import sums_interval

    n, mean, square = sums.n, sums.total / sums.n, sums.squares / sums.n
    if not isfinite(square) or definition.interval.word != "delta":  # type: ignore[union-attr]
        return None
    error = sqrt(beyond_rounding(square - mean**2, square) / n)
    return plain_score(mean, definition, n, labels, sums_interval(definition, mean, error, n))


def _with_constant(
    definition: Definition, codes: Array, mean: float, each: Array | None, labels: Labels
) -> Score | None:
    """A mean loss relative to that of the class frequencies, with its delta interval.

    ``each`` has the loss of each item; None if it is not known, or if a class has no items.
    """
    from whichf1.statistics.intervals import delta_interval
    from whichf1.statistics.items import few_of_class, few_worth, least_items, relative_spread

    metric, n = definition.declaration, len(codes)
    constant, losses, sizes = _constant_loss(metric, codes, len(labels), **definition.arguments)
    least = int(sizes.min())
    if each is None or not constant > 0 or not least or not isfinite(mean):
        return None
    skill = metric.relative == "skill"
    spread = relative_spread(each, codes, losses, mean, constant, skill)
    value = 1 - mean / constant if skill else mean / constant
    few = few_worth(n, least_items(definition.unlimited, True), weighted=False)
    interval = delta_interval(definition, value, spread, few or few_of_class(least))
    return plain_score(value, definition, n, labels, interval)


def _constant_loss(
    metric: Metric, codes: Array, classes: int, **arguments: Any
) -> tuple[float, Array, Array]:
    """The mean loss if every item has the observed frequencies of the classes as probabilities.

    Also that of each class with items, and how many items each class has.
    """
    sizes = np.bincount(codes.astype(np.intp, copy=False), minlength=classes)
    here = every_class(classes)
    if np.count_nonzero(sizes) < classes:  # the loss of a class without items may be infinite
        here = np.flatnonzero(sizes)
    share = sizes / len(codes)
    each = np.ndarray((len(here), classes), share.dtype, share, 0, (0, share.itemsize))
    losses = metric.formula(Predicted(here, each), **arguments)
    return float(np.add.reduce(share[here] * losses)), losses, sizes


def _summed(metric: Metric, squares: bool, items: Predicted, **arguments: Any) -> LossSums:
    """The sum of a loss over items, and of its squares if asked, if the kernel accepts them."""
    codes, scores = items
    if metric.probabilities:
        sums = kernel.brier_sums(codes, scores)
    else:
        sums = kernel.top_sums(codes, scores, 1, "first")
    if not sums.fair:
        return sums
    scores = scores.astype(np.float64, copy=False)
    if scores.ndim == 1:
        scores = np.stack([1 - scores, scores], axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):  # a loss may be infinite
        values = metric.formula(Predicted(codes.astype(np.intp, copy=False), scores), **arguments)
    square = float(np.add.reduce(values * values)) if squares else nan
    return sums._replace(total=float(np.add.reduce(values)), squares=square)


def _items(definition: Definition, y_true: Array, y_pred: Any) -> Score | None:
    labels = label_matrices(y_true, y_pred, False)
    if labels is None:
        return None
    sums, n = _of_labels(definition.declaration, y_true, y_pred), len(y_true)
    if definition.interval is not None:
        return None if sums is None else _with_powers(definition, sums, n, labels)
    if sums is not None:
        return plain_score(sums[0] / n, definition.over_declared, n, labels)
    table = label_arrays(y_true, y_pred, False)
    if table is None:
        return None
    value = float(definition.values(definition.fix(labels, table)))
    return plain_score(value, definition.over_declared, n, labels)


def _with_powers(
    definition: Definition, sums: tuple[float, float, float], n: int, labels: Labels
) -> Score | None:
    """A mean over items of label sets, of which Σ, Σ² and Σ³ are known, with its delta interval."""
    from whichf1.statistics.intervals import delta_interval
    from whichf1.statistics.items import few_worth, least_items, mean_of_powers

    mean, spread = mean_of_powers(sums, n)
    few = few_worth(n, least_items(False, True), weighted=False)
    interval = delta_interval(definition, mean, spread, few)
    return plain_score(mean, definition.over_declared, n, labels, interval)


def _label_ranking(definition: Definition, y_true: Array, scores: Any) -> Score | None:
    labels = label_matrices(y_true, scores, True)
    if labels is None:
        return None
    sums, n = _of_labels(definition.declaration, y_true, scores), len(y_true)
    if sums is None:
        items = label_arrays(y_true, scores, True)
        if items is None:
            return None
        values = definition.declaration.formula(items, **definition.arguments)
        sums = float(np.add.reduce(values)), float(np.add.reduce(values * values)), 0.0
    if definition.interval is not None:
        return _with_sums(definition, LossSums(n, *sums[:2]), labels)
    return plain_score(sums[0] / n, definition, n, labels)


def _of_labels(metric: Metric, y_true: Array, other: Array) -> tuple[float, float, float] | None:
    """The sums over items of their values and their powers, if the kernel can add them up."""
    if metric.of_labels is None:
        return None
    return kernel.label_scores(y_true, other, metric.of_labels)


_OF_COUNTS = (*COUNTED, "items")
_QUICK: dict[str | None, Callable[[Definition, Array, Any], Score | None]] = {
    "agreement": _agreement,
    "rate": _rate,
    "ranking": _ranking,
    "loss": _loss,
    "items": _items,
    "label ranking": _label_ranking,
}
"""From plain arrays to a value: the kernel gives a small table, and a formula the score.

None for arrays that the kernel does not take as they are; the general way then handles them and
reports what is wrong, if anything.
"""


def _of_batches(definition: Definition, y_true: Any, y_pred: Any, labels: Any) -> Score:
    """The mean score of consecutive batches; the last one may be smaller.

    Each batch has its own observed classes, but all share the declared classes of the whole.
    """
    true, predicted = to_numpy(y_true), to_numpy(y_pred)
    whole = count(y_true, y_pred, labels=labels, ignore=definition.ignore)
    step = definition.batch or len(true)
    shared: dict[str, Any] = {"labels": whole.labels, "ignore": definition.ignore}
    alone = definition.settled(batch=None, data=())  # the data fields describe all the data
    batches = (slice(start, start + step) for start in range(0, len(true), step))
    values = [
        evaluate(alone, count(true[batch], predicted[batch], **shared)).value for batch in batches
    ]
    settled = definition.on(alone.freeze(whole))
    return Score(float(np.mean(values)), settled, whole.n, whole.labels)


def evaluate(definition: Definition, counts: AnyCounts) -> Score:
    """Run a definition on counts."""
    if definition.declaration.of_ancestors is not None:
        rate, expanded = with_ancestors(definition, counts)
        if rate is not definition:
            return as_defined(evaluate(rate, expanded), definition, counts)
    frozen = _frozen(definition, counts)
    values, intervals = _estimate(definition, frozen)
    return _score(definition.on(frozen), frozen, counts, values, intervals)


def with_ancestors(definition: Definition, counts: AnyCounts) -> tuple[Definition, AnyCounts]:
    """For a hierarchy of label sets: a rate of the labels with their ancestors. Others as given."""
    metric = definition.declaration
    if metric.of_ancestors is None or not isinstance(counts, MultiLabelCounts):
        return definition, counts
    if isinstance(counts, SpanCounts):
        raise DefinitionError(
            f"{metric.name} is for items with classes or sets of labels, and spans have neither. "
            "Use precision, recall or f1."
        )
    from whichf1.metrics.hierarchies import ancestors

    parents: Any = definition.arguments["parents"]
    return rate_of_ancestors(definition), counts.expanded(*ancestors(parents, counts.labels))


def rate_of_ancestors(definition: Definition) -> Definition:
    """The rate of labels with their ancestors that a score of a hierarchy is."""
    metric = definition.declaration.of_ancestors
    assert metric is not None
    options: dict[str, Any] = {x: getattr(definition, x) for x in ("undefined", "interval")}
    return define(metric, {}, {"average": "micro", **options})


def as_defined(score: Score, definition: Definition, counts: AnyCounts) -> Score:
    """The score of labels with their ancestors, as what it was asked for."""
    facts = (score.interval, counts.facts, score.effective_n)
    return Score(score.value, definition, score.n, counts.labels, *facts)


def evaluate_systems(
    definition: Definition, systems: Mapping[str, AnyCounts]
) -> tuple[dict[str, Score], list[Any]]:
    """The scores of systems on the same items, and the statistics that they come from.

    All have the same classes, and the items of ignored classes are already dropped.
    """
    scores, statistics = {}, []
    kept = definition.settled(ignore=()) if definition.ignore else definition
    fixed = {name: _frozen(kept, counts) for name, counts in systems.items()}
    plain = definition.on(*fixed.values()).settled(data=())
    for name, frozen in fixed.items():
        statistics.append(_statistic(plain, frozen))
        estimate = _estimate(plain, frozen, statistics[-1])
        scores[name] = _score(plain, frozen, systems[name], *estimate)
    warn_of_other_data(definition, scores.values())
    return scores, statistics


def _frozen(definition: Definition, counts: AnyCounts) -> Frozen:
    refuse_other_data(definition, counts)
    metric = definition.declaration
    if metric.kind == "rate" and definition.average is None and definition.positive is None:
        raise DefinitionError(
            f"{metric.name} of which class? Pass positive=CLASS, average='macro', 'weighted' or "
            f"'micro', or call {metric.name}.per_class for all of them."
        )
    return definition.freeze(counts)


def _score(
    definition: Definition,
    frozen: Frozen,
    counts: AnyCounts,
    values: Array,
    intervals: list[Interval | None],
) -> Score:
    facts = (intervals[0], counts.facts, effective_n(frozen.units))
    return Score(float(values[0]), definition, _n(frozen, counts), frozen.labels, *facts)


def draw_posterior(definition: Definition, counts: AnyCounts) -> tuple[Score, Array]:
    """A score with its credible interval, and its values for draws from the posterior."""
    from whichf1.statistics.intervals import credible, posterior_values, refuse_other

    method, frozen = definition.interval, _frozen(definition, counts)
    if not isinstance(method, Posterior):
        raise DefinitionError("draws need interval='posterior'")
    refuse_other(definition)
    if frozen.units.weighted and frozen.units.squares is None:
        raise DefinitionError("a posterior of weighted items needs the squares of their weights")
    draws = posterior_values(method, _statistic(definition, frozen), _sample(frozen))
    values = definition.values(frozen).reshape(-1)
    score = _score(definition.on(frozen), frozen, counts, values, credible(method, values, draws))
    return score, draws[:, 0]


def evaluate_per_class(definition: Definition, counts: Counts) -> PerClass:
    """Run a definition on every class of its class set."""
    if not isinstance(counts, Counts):
        refuse_other_data(definition, counts)
    frozen = definition.freeze(counts)
    values, intervals = _estimate(definition, frozen)
    n, settled = _n(frozen, counts), definition.on(frozen)
    facts = (tuple(intervals), counts.facts, effective_n(frozen.units))
    return PerClass(values, settled, n, frozen.labels, *facts)


def cluster_influence(definition: Definition, counts: AnyCounts) -> dict[Label, float]:
    """What each cluster contributes to a score, to first order."""
    frozen = _frozen(definition, counts)
    sample, names = _sample(frozen), frozen.units.cluster_names
    assert sample.cluster is not None
    slope = sample.centred(_statistic(definition, frozen).slope(sample.count))
    sums = np.bincount(sample.cluster, sample.count * slope, len(names))
    return dict(zip(names, sums.tolist(), strict=True))


def refuse_other_data(definition: Definition, counts: AnyCounts) -> None:
    """Raise if a definition cannot be computed from these counts."""
    metric, sets = definition.declaration, isinstance(counts, MultiLabelCounts)
    if isinstance(counts, Ratings):
        _refuse_other_ratings(definition, counts)
    if isinstance(counts, SpanCounts):
        _refuse_true_negatives(definition)
    if metric.kind not in (*COUNTED, "items"):
        raise DefinitionError(
            f"{metric.name} is computed from scores, not from predicted classes: call "
            f"{metric.name}(y_true, scores), or name the column of scores with --score or --probs"
        )
    if not sets and (metric.kind == "items" or definition.average == "samples"):
        raise DefinitionError(
            f"{definition.signature} is for sets of labels, but these items have one class each. "
            "Count sets with count_multilabel or --labels-sep."
        )


def _refuse_true_negatives(definition: Definition) -> None:
    """Raise for a rate that needs true negatives, which spans do not have."""
    metric = definition.declaration
    if metric.kind not in ("rate", "items"):
        return  # the table itself refuses it
    asked: list[bool] = []

    def tn() -> Array:
        asked.append(True)
        return np.ones(1)

    one = np.ones(1)
    metric.formula(OneVsRest(one, one, one, tn), **definition.arguments)
    if asked:
        raise DefinitionError(
            f"{metric.name} needs true negatives, which spans do not have. Use precision, recall, "
            "f1 or another rate that does not need them."
        )


def _refuse_other_ratings(definition: Definition, ratings: Ratings) -> None:
    """Raise if a definition cannot be computed from these ratings."""
    metric = definition.declaration
    if not metric.raters:
        names = ", ".join(name for name, each in METRICS.items() if each.raters)
        raise DefinitionError(
            f"{metric.name} compares predicted with true classes, but ratings have neither. Use "
            f"one of {names}; to compare one rater with another, use count(one, other)."
        )
    if not ratings.ordered and any(x in BY_ORDER for x in definition.arguments.values()):
        raise DefinitionError(
            f"{definition.signature} depends on the order of the categories, which their names do "
            f"not show: {some(ratings.labels)}. Declare them in order with labels=."
        )


def _estimate(
    definition: Definition, frozen: Frozen, statistic: Statistic | None = None
) -> tuple[Array, list[Interval | None]]:
    """Values and intervals; none, with a warning, for weights summed without their squares."""
    units = frozen.units
    unknown = units.weighted and units.squares is None
    if unknown and definition.interval is not None:
        warn(IntervalWarning(NO_SQUARES))
    if unknown or definition.interval is None:
        values = definition.values(frozen).reshape(-1)
        return values, [None] * len(values)
    from whichf1.statistics.intervals import delta_interval, estimate

    known = None
    if definition.interval.word == "delta" and type(units) is Counts and units.cluster is None:
        known = _delta_of_counts(definition, frozen)
    if known is not None:
        spread, few, value = known
        value = float(definition.values(frozen).item()) if value is None else value
        values, intervals = np.array([value]), [delta_interval(definition, value, spread, few)]
    else:
        statistic = statistic or _statistic(definition, frozen)
        values, intervals = estimate(definition, statistic, _sample(frozen))
    return values, intervals


def _delta_of_counts(definition: Definition, frozen: Frozen) -> Estimated | None:
    """``_delta`` of counts of items without weights and clusters."""
    table = frozen.table
    if not table.exact or definition.positive is None:
        return _delta(definition, frozen) if table.exact else None
    code = frozen.classes[0]
    tp, fp, fn = float(table.tp[code]), float(table.fp[code]), float(table.fn[code])
    rest: Any = float(table.total) - tp - fp - fn
    one: Any = (tp, fp, fn, rest)
    return _delta(definition, frozen._replace(table=OneVsRest(*one)))


def _sample(frozen: Frozen) -> Sample:
    from whichf1.statistics.sample import Sample

    return Sample(frozen.units.table.count, frozen.units.squares, frozen.units.cluster)


def _statistic(definition: Definition, frozen: Frozen) -> Statistic:
    if definition.class_shares is not None:
        from whichf1.statistics.reweighting import Reweighted

        return Reweighted.of(definition, frozen)
    if isinstance(frozen.units, Counts):
        from whichf1.statistics.cells import Cells

        return Cells(definition, frozen)
    if isinstance(frozen.units, Ratings):
        from whichf1.statistics.annotations import RaterPairs

        return RaterPairs(definition, frozen)
    from whichf1.statistics.label_sets import LabelSets

    return LabelSets(definition, frozen)


def _n(frozen: Frozen, counts: AnyCounts) -> int | float:
    table = frozen.units.table
    if table is counts.table:
        return counts.n  # exact, even beyond 2⁵³
    n = float(table.total)
    return n if counts.weighted else int(n)
