"""From scores to a Score: one ranking, a mean over classes, or a mean over items.

Scores come line by line: arrays have a line for each item, and an engine returns one for all items
that are alike. Columns of each class stay in their engine, which answers the same questions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations
from math import inf, isfinite, sqrt
from typing import Any, TypeAlias

import numpy as np

from whichf1 import kernel
from whichf1.definitions.definition import Definition, define
from whichf1.definitions.methods import Auto
from whichf1.definitions.signature import read
from whichf1.errors import DefinitionError, InputError, ShapeError, numbered
from whichf1.kernel import LossSums
from whichf1.metrics import find
from whichf1.scoring.label_sets import (
    nothing_to_rank,
    refuse_classes,
    refuse_undefined,
    settled,
    statistic_of,
    value_of,
    with_labels,
)
from whichf1.scoring.score import Score, effective_n
from whichf1.sources.answers.lines import ClassScores, EngineSums, read_scores
from whichf1.sources.counts import DATA_OPTIONS
from whichf1.sources.lines import (
    ScoredLines,
    check_rows,
    numbers,
    predicted,
    predicted_binary,
    predicted_signed,
    ranking_of,
)
from whichf1.sources.request import (
    Request,
    are_sets,
    has_columns,
    in_memory,
    is_path,
    one_name,
    refuse_holder,
    refuse_true,
)
from whichf1.sources.sequences import cluster_codes, squared, weights_column
from whichf1.sources.systems import ScoreColumns
from whichf1.statistics.intervals import (
    cautioned,
    delta_interval,
    estimate,
    interval_of,
    refuse_other,
    sums_interval,
    twin_interval,
)
from whichf1.statistics.items import (
    FEW_RANKED,
    PREDICTIONS,
    LabelMeans,
    Means,
    Ranked,
    Rankings,
    Relative,
    area_spread,
    area_twin,
    few_ranked,
    is_whole_area,
    mean_over_rankings,
    precision_spread,
    rank_cells,
    table_values,
)
from whichf1.statistics.sample import FEW, Sample, in_threads, kinds
from whichf1.statistics.scales import Interval
from whichf1.tables.cells import Array, RankedLabels, RankTable
from whichf1.tables.labels import VALUE, Labels
from whichf1.tables.moments import Moments, beyond_rounding
from whichf1.tables.ranking import Ranking
from whichf1.tables.records import dataclass
from whichf1.tables.units import worth

Scores: TypeAlias = ScoredLines | ClassScores
FEW_ITEMS = 10_000
"""Up to this many items, all losses leave an engine, so that their skewness is known."""


@dataclass(frozen=True, eq=False)
class ScoredItems:
    """Items as a system scores them, with a definition in which everything is settled."""

    definition: Definition
    statistic: Means | LabelMeans | Relative | Rankings
    stratum: Array | None
    """The class of each item, if classes are sampled separately; None for a mean over items."""
    labels: Labels


def evaluate_scores(
    definition: Definition,
    y_true: Any,
    scores: Any = None,
    labels: Any = None,
    weights: Any = None,
    cluster: Any = None,
    **named: Any,
) -> Score:
    """Run a definition on arrays, columns of a dataframe or file, a Ranking or Moments."""
    metric = definition.declaration
    if isinstance(y_true, (Ranking, Moments)):
        if any(x is not None for x in (scores, weights, cluster)):
            raise InputError(f"a {type(y_true).__name__} already holds all the data: pass it alone")
        if metric.kind == "ranking" and isinstance(y_true, Ranking):
            over_classes(definition, 1)
            return score_ranking(definition, y_true)
        if metric.kind != "ranking" and isinstance(y_true, Moments):
            return score_moments(definition, y_true)
        raise InputError(f"{metric.name} is not computed from a {type(y_true).__name__}")
    data = {"labels": labels, "weights": weights, "cluster": cluster}
    data["frequencies"] = named.pop("frequencies", None)
    data |= named
    if named or is_path(y_true) or (scores is None and has_columns(y_true)):
        definition, data = named_value(definition, data)
        return score_lines(definition, _read_columns(definition, y_true, scores, data))
    if scores is None and metric.kind != "value":
        refuse_holder(y_true)
        raise InputError(f"{metric.name} needs scores: pass y_true and scores")
    return score_lines(definition, _read_arrays(definition, y_true, scores, **data))


def _read_arrays(definition: Definition, y_true: Any, scores: Any, **data: Any) -> ScoredLines:
    metric = definition.declaration
    if metric.kind == "value":
        return _read_values(definition, y_true, scores, **data)
    fair = metric.kind == "loss" and metric.probabilities
    several = metric.over_labels and getattr(y_true, "ndim", 2) > 1 and are_sets(y_true)
    sets = several or metric.kind == "label ranking"
    lines = ScoredLines.of(y_true, scores, **data, probabilities=fair, sets=sets)
    return with_labels(lines) if sets else lines


def _read_values(
    definition: Definition, values: Any, other: Any = None, *, labels: Any = None, **data: Any
) -> ScoredLines:
    """The values of items, which have no true classes."""
    if (values is not None and other is not None) or labels is not None:
        raise InputError(
            f"{definition.metric} is the mean of one value of each item: pass the values alone"
        )
    each = numbers(other if values is None else values, "values")
    if each.ndim != 1:
        raise ShapeError(f"values must have one for each item; got shape {each.shape}")
    if not len(each):
        raise ShapeError("there are no items")
    return ScoredLines.of(np.zeros(len(each), np.intp), each, **data)


def named_value(
    definition: Definition, options: Mapping[str, Any]
) -> tuple[Definition, dict[str, Any]]:
    """The definition of a mean of values that says of which column, and the options that read it.

    The column is named as score=, or by the definition itself.
    """
    if definition.declaration.kind != "value":
        return definition, {**options}
    refuse_true(options.get("true"), True)
    named = one_name(options.get("score"), "score") or definition.arguments["of"]
    return definition.with_parameters(of=named), {**options, "score": named}


def _read_columns(
    definition: Definition, data: Any, predictions: Any, options: Mapping[str, Any]
) -> Scores:
    """The columns of a dataframe or file; those of several classes stay where they are."""
    metric = definition.declaration
    if not has_columns(data):
        raise InputError(
            "true= and score= name columns of a dataframe or file, but these are arrays"
        )
    if "pred" in options:
        raise DefinitionError(f"{metric.name} is computed from scores: score=COLUMN")
    alone = metric.kind == "value"
    request = Request.of_scores(**options, alone=alone)
    if metric.kind == "label ranking" and not request.sets:
        raise DefinitionError(
            f"{metric.name} is computed from sets of labels: pass true=[columns of 0 and 1], or a "
            "column of cells that list labels with sep=; and score=[columns], one for each label"
        )
    if request.several and not in_memory(data):
        return ClassScores(data, predictions, request, fair=metric.probabilities)
    fair, apart = metric.probabilities and request.several, _needs_items(definition, request)
    return read_scores(data, predictions, request, apart=apart, fair=fair)


def _needs_items(definition: Definition, data: Scores | Request) -> bool:
    """Whether sums are not enough because individual weights or clusters matter."""
    ranked = definition.declaration.kind == "ranking" and definition.interval is None
    return data.cluster is not None or (data.weights is not None and not ranked)


def score_lines(definition: Definition, scores: Scores) -> Score:
    """The score of data already read: from a table or sums, or from the items if necessary."""
    metric = definition.declaration
    if (definition.average or scores.sets) and _are_labels(definition, scores):
        return _score_labels(definition, scores)
    if metric.kind != "ranking":
        return _score_loss(definition, scores)
    over_each = over_classes(definition, scores.width)
    mean = over_each and not _of_top_label(definition)
    if _needs_items(definition, scores) or (mean and definition.interval is not None):
        return _score_drawn(definition, scores)
    if mean:
        return _mean_over_classes(definition, *scores.by_class())
    if over_each:
        return score_ranking(
            _at_top(definition), ranking_of(scores.top_labels(), True), of_predictions=True
        )
    return score_ranking(definition, ranking_of(*scores.against_rest(definition.positive)))


def _are_labels(definition: Definition, scores: Scores) -> bool:
    """Whether items have sets of labels, or their classes are taken as such."""
    if scores.sets:
        return definition.declaration.over_labels and definition.positive is None
    refuse_classes(definition)
    return definition.average in ("micro", "samples")


def _label_lines(definition: Definition, scores: Scores) -> tuple[Definition, ScoredLines, Any]:
    """The labels of each item, or its class as its only label; and what is sampled separately."""
    if isinstance(scores, ScoredLines) and scores.sets:
        return settled(definition, scores), scores, None
    over_classes(definition, scores.width)
    definition = over_each_class(definition, scores.labels)
    lines = scores.coded(fair=False)
    codes = None if definition.average == "samples" else lines.true
    return definition, lines.one_hot(), codes


def _score_labels(definition: Definition, scores: Scores) -> Score:
    """The score of sets of labels, as they are averaged."""
    definition, lines, _ = _label_lines(definition, scores)
    if definition.interval is not None or lines.cluster is not None:
        return _score_drawn(definition, scores)
    value = value_of(definition, lines)
    if np.isnan(value):
        refuse_undefined(definition, lines)
    if lines.weights is None:
        items = len(lines.scores) if lines.items is None else int(lines.items.sum())
        return Score(value, definition, items, lines.labels)
    summed: Any = lines.summed()
    n, squares = float(summed.weights.sum()), float(summed.squares.sum())
    facts = (None, (("weighted", True),), _known(worth(n, squares)))
    return Score(value, definition, n, lines.labels, *facts)


def _of_top_label(definition: Definition) -> bool:
    """Whether a ranking uses the score of the predicted class among several."""
    return definition.declaration.of_top_label and definition.average is None


def _at_top(definition: Definition) -> Definition:
    """The definition of a ranking of the predicted classes' probabilities."""
    if definition.declaration.confidence:
        return definition
    return definition.with_parameters(multi_class="top-label")


def _items_of(definition: Definition, scores: Scores) -> tuple[ScoredItems, ScoredLines]:
    """The items of a system, and the lines that they come from."""
    metric = definition.declaration
    if (definition.average or scores.sets) and _are_labels(definition, scores):
        definition, lines, stratum = _label_lines(definition, scores)
        if lines.items is not None and lines.weights is not None:
            places = np.repeat(np.arange(len(lines.items)), lines.items)
            stratum = None if stratum is None else stratum[places]
        lines = lines.single()
        statistic = statistic_of(definition, lines)
        return ScoredItems(definition, statistic, stratum, lines.labels), lines
    if metric.kind != "ranking":
        definition, lines, names = _losses(definition, scores)
        values = lines.scores if lines.scores.ndim == 1 else lines.scores[:, 0]
        return ScoredItems(definition, _means(definition, values, lines, names), None, names), lines
    if not over_classes(definition, scores.width):
        lines, positive = scores.against_rest(definition.positive, apart=True)
        lines = (lines.folded() if metric.confidence else lines).single()
        return _one_ranking(definition.settled(positive=positive), lines), lines
    if _of_top_label(definition):
        lines = scores.top_labels(apart=True).single()
        return _one_ranking(_at_top(definition), lines), lines
    lines = scores.coded(fair=False).single()
    return _class_items(definition, lines), lines


def _means(
    definition: Definition, values: Array, lines: ScoredLines, names: Labels
) -> Means | Relative:
    """The mean of a value of each line, or its ratio to the loss of the class frequencies."""
    metric = definition.declaration
    if metric.relative is None:
        return Means(values, definition.unlimited)
    codes, classes = np.asarray(lines.true, np.intp), max(len(names), 2)
    skill = metric.relative == "skill"
    return Relative(values, codes, classes, _each(definition), skill, definition.unlimited)


def score_ranking(
    definition: Definition, ranking: Ranking, *, of_predictions: bool = False
) -> Score:
    """The score of a ranking of one positive class against the rest.

    ``of_predictions``: its positives and negatives are already right and wrong predictions.
    """
    check_ranking(definition, ranking)
    if not of_predictions and definition.arguments.get("multi_class") != "top-label":
        if definition.positive not in (None, ranking.positive):
            raise DefinitionError(
                f"the ranking is for class {ranking.positive!r}, not {definition.positive!r}"
            )
        definition = definition.settled(positive=ranking.positive)
        if definition.declaration.confidence:
            ranking = ranking.of_predictions()
    facts: tuple[tuple[str, Any], ...] = ()
    known = None
    if ranking.weighted:
        facts, known = (("weighted", True),), effective_n(ranking)
    facts += () if ranking.resolution is None else (("resolution", ranking.resolution),)
    value, interval = _ranking_estimate(definition, ranking)
    return Score(value, definition, ranking.n, ranking.labels, interval, facts, known)


def rank_predictions(
    definition: Definition, y_true: Any, scores: Any = None, **options: Any
) -> tuple[Definition, Ranking]:
    """The right and wrong predictions in order of confidence, for a score of them."""
    if isinstance(y_true, Ranking):
        check_ranking(definition, y_true)
        return definition.settled(positive=y_true.positive), y_true.of_predictions()
    positive = options.pop("positive", None)
    if scores is None or options.keys() & {"true", "score"}:
        read: Scores = _read_columns(definition, y_true, scores, options)
    else:
        read = _read_arrays(definition, y_true, scores, **options)
    if over_classes(replace(definition, positive=positive), read.width):
        return definition, ranking_of(read.top_labels(), True)
    ranking = ranking_of(*read.against_rest(positive))
    return rank_predictions(definition, ranking)


def check_ranking(definition: Definition, ranking: Ranking) -> None:
    """Raise unless a metric can be computed from a ranking."""
    if not definition.declaration.probabilities:
        if definition.undefined is not None:
            return
        try:
            ranking.needs_both(definition.metric)
        except InputError as error:
            raise InputError(f"{error} Or choose the score: undefined='nan' or a number.") from None
    elif not ranking.probabilities:
        raise InputError(
            f"{definition.metric} needs probabilities in [0, 1]; the scores range from "
            f"{ranking.score[-1]:g} to {ranking.score[0]:g}"
        )


def _value(definition: Definition, ranking: Ranking) -> float:
    top, bottom = definition.declaration.formula(ranking.table, **definition.arguments)
    return float(top / bottom)


def _ranking_estimate(definition: Definition, ranking: Ranking) -> tuple[float, Interval | None]:
    if definition.undefined is not None and np.isnan(table_values(definition, ranking.table)):
        return definition.rule.filler, None
    if definition.interval is None:
        value = _value(definition, ranking)
        if ranking.resolution is None or definition.metric != "roc_auc":
            return value, None
        # pairs within a bin count half, whatever their order, so bins change the area by up to this
        pairs = np.dot(ranking.positives.astype(np.float64), ranking.negatives)
        error = float(pairs / (2 * np.prod(ranking.table.sizes)))
        return value, Interval(max(0.0, value - error), min(1.0, value + error), 1.0, "bins")
    if ranking.weighted:
        raise DefinitionError(
            f"an interval of {definition.metric} for weighted items needs the items: pass y_true, "
            "scores and weights, or omit interval="
        )
    if is_whole_area(definition) and not definition.interval.drawn:
        refuse_other(definition)
        return area_estimate(definition, ranking.table)
    known = precision_estimate(definition, ranking.table)
    if known is not None:
        return known
    (value,), (interval,) = estimate(definition, *rank_cells(definition, ranking.table))
    return float(value), interval


def area_estimate(definition: Definition, table: RankTable) -> tuple[float, Interval | None]:
    """The whole ROC AUC and its interval, which is not drawn."""
    sizes, auto = table.sizes, isinstance(definition.interval, Auto)
    least = FEW if auto else FEW_RANKED
    few = few_ranked(sizes, sizes, (least, least))
    if auto:
        top, bottom = definition.declaration.formula(table, **definition.arguments)
        value = float(top / bottom)
        return value, cautioned(twin_interval(definition, value, area_twin(table, value)), few)
    value, spread = area_spread(table)
    return value, cautioned(interval_of(definition, value, spread), few)


def precision_estimate(
    definition: Definition, table: RankTable
) -> tuple[float, Interval | None] | None:
    """A score of the precisions in a ranking without weights, with its delta interval."""
    metric, method = definition.declaration, definition.interval
    if metric.of_precisions is None or method is None or method.word != "delta":
        return None
    known = precision_spread(metric.of_precisions, table)
    if known is None:
        return None
    names = PREDICTIONS if metric.confidence else ("positives", "negatives")
    few = few_ranked(table.sizes, table.sizes, (FEW_RANKED, FEW_RANKED), names)
    return known[0], delta_interval(definition, *known, few)


def _mean_over_classes(
    definition: Definition, of_class: Callable[[int], ScoredLines], names: Labels
) -> Score:
    """The mean over each class against the rest, or over all pairs of classes."""
    definition = over_each_class(definition, names)
    pairs = definition.arguments.get("multi_class") == "ovo"
    return score_rankings(definition, _class_rankings(of_class, names, pairs), names)


def score_rankings(definition: Definition, rankings: Iterable[Ranking], names: Labels) -> Score:
    """The mean over the rankings of each class against the rest, or of all pairs of classes."""
    pairs = definition.arguments.get("multi_class") == "ovo"
    values, sides = [], []
    weighted, squares = False, 0.0
    resolution = None
    for ranking in rankings:
        check_ranking(definition, ranking)
        values.append(table_values(definition, ranking.table))
        sides.append([float(x) for x in ranking.table.sizes])
        weighted, squares = ranking.weighted, squares + (ranking.squares or 0.0)
        resolution = ranking.resolution
    sizes = np.array(sides)
    weights = [*sizes.sum(1)] if pairs else [*sizes[:, 0]]
    mean = mean_over_rankings(definition, values, weights)
    n = sizes[:, 0].sum() / (len(names) - 1 if pairs else 1)  # pairs in which a class is first
    if not weighted:
        binned = () if resolution is None else (("resolution", resolution),)
        return Score(float(mean), definition, round(n), names, None, binned)
    squares /= 2 * (len(names) - 1) if pairs else len(names)  # rankings that an item is in
    facts = (None, (("weighted", True),), _known(worth(float(n), squares)))
    return Score(float(mean), definition, float(n), names, *facts)


def _class_rankings(
    of_class: Callable[[int], ScoredLines], names: Labels, pairs: bool
) -> Iterator[Ranking]:
    """Each class against the rest, or both orders of each pair (Hand and Till 2001)."""
    codes, places = None, []
    for a, name in enumerate(names):
        lines = of_class(a)._replace(labels=names)
        if not pairs:
            yield ranking_of(lines._replace(true=lines.true == a), name)
            continue
        if codes is not lines.true:
            codes, places = lines.true, [np.flatnonzero(lines.true == b) for b in range(len(names))]
        for b in range(len(names)):
            if a != b:
                both = lines.at(np.concatenate([places[a], places[b]]))
                labels = Labels([name, names[b]])
                yield ranking_of(both._replace(true=both.true == a, labels=labels), name)


def _known(effective: float) -> float | None:
    return effective if isfinite(effective) else None


def _score_loss(definition: Definition, scores: Scores) -> Score:
    """A mean over items: from sums if they suffice, otherwise from the items."""
    weighted = scores.cluster is not None or scores.weights is not None
    here = isinstance(scores, ScoredLines) and (weighted or scores.items is not None)
    drawn = definition.interval is not None and definition.interval.drawn
    auto = isinstance(definition.interval, Auto) and (
        isinstance(scores, ScoredLines) or scores.n <= FEW_ITEMS
    )
    relative = definition.declaration.relative is not None
    if here or relative or ((drawn or auto) and scores.cluster is None):
        return _score_drawn(definition, scores)
    if isinstance(scores, ClassScores) and weighted:
        definition = _over_all_classes(definition, scores.labels)
        sums = scores.sums(_each(definition), _quantity(definition))
        if scores.cluster is not None:
            return _score_clusters(definition, sums, scores)
        return _score_weighted(definition, sums, scores.labels)
    if definition.declaration.kind == "value" and isinstance(scores, ScoredLines):
        definition = bounded(definition, scores.scores)
    return score_moments(definition, sum_losses(definition, scores))


def _losses(definition: Definition, scores: Scores) -> tuple[Definition, ScoredLines, Labels]:
    """Lines with the loss of each item in place of its scores."""
    if isinstance(scores, ClassScores):
        definition = _over_all_classes(definition, scores.labels)
        by_class = definition.declaration.relative is not None
        lines = scores.values(_each(definition), _quantity(definition), by_class=by_class)
        return definition, lines.single(), scores.labels
    lines = scores.single()
    definition, items, names = _judged(definition, lines)
    codes = getattr(items, "codes", None)
    return definition, lines._replace(true=codes, scores=_each(definition)(items)), names


def _each(definition: Definition) -> Callable[[Any], Any]:
    """The value of each item, from scores that follow ``tables.cells.Predicted``."""
    formula = partial(definition.declaration.formula, **definition.arguments)

    def each(items: Any) -> Any:
        with np.errstate(divide="ignore", invalid="ignore"):  # a loss may be infinite
            return formula(items)

    return each


def _quantity(definition: Definition) -> str:
    """A name for what is averaged; an engine computes each only once."""
    return f"{definition.metric}{definition.parameters}"


def _judged(
    definition: Definition, lines: ScoredLines, *, check: bool = True
) -> tuple[Definition, Any, Labels]:
    """What a mean over items is computed from, and the definition settled by the data.

    Without ``check``, probabilities must be checked later.
    """
    metric = definition.declaration
    if metric.kind == "value":
        return bounded(definition, lines.scores), lines.scores, VALUE
    if metric.kind == "label ranking":
        return definition, RankedLabels(lines.true, lines.scores), lines.labels
    if lines.sets:
        names = lines.labels
        lines, label = lines.against_rest(definition.positive)
        items, two, _ = predicted_binary(lines._replace(labels=[False, True]), True)
        return definition.settled(positive=label).scaled(len(two)), items, names
    if metric.probabilities and lines.scores.ndim == 1:
        items, names, positive = predicted_binary(lines, definition.positive)
        return definition.settled(positive=positive).scaled(len(names)), items, names
    if metric.signed and lines.scores.ndim == 1:
        items, names, positive = predicted_signed(lines, definition.positive)
        return definition.settled(positive=positive), items, names
    items, names = predicted(lines, probabilities=metric.probabilities, check=check)
    return _over_all_classes(definition, names), items, names


def bounded(definition: Definition, values: Array) -> Definition:
    """The definition of a mean of values, which says whether they lie from 0 to 1."""
    unit = bool(((values >= 0) & (values <= 1)).all())
    asked = definition.arguments["bounds"]
    if asked == "unit" and not unit:
        wrong = values[(values < 0) | (values > 1)].flat[0]
        raise InputError(
            f"{definition.metric}: a value is {wrong:g}, and bounds='unit' says that all are from "
            "0 to 1. Omit it."
        )
    return definition.with_parameters(bounds=asked or ("unit" if unit else "none"))


def _over_all_classes(definition: Definition, names: Labels) -> Definition:
    """The definition of a loss of a column for each class; it has no positive class."""
    if definition.positive is not None:
        raise DefinitionError(
            f"{definition.metric} with a column for each class covers all classes: omit "
            "positive=, or pass the column of that class"
        )
    return definition.scaled(len(names))


def _score_clusters(definition: Definition, sums: EngineSums, scores: ClassScores) -> Score:
    """Clusters are drawn whole, so only the sums of their items matter."""
    codes = cluster_codes(sums.cluster, len(sums.cluster))  # a cluster may be in several slices
    table = np.zeros((codes.max() + 1, sums.table.shape[1]))
    np.add.at(table, codes, sums.table)
    _, w, ww, wv, *_ = table[table[:, 1] > 0].T
    unlimited = definition.unlimited
    means = ScoredItems(definition, Means(wv / w, unlimited), None, scores.labels)
    count, squares = w.astype(np.int64), None
    if scores.weights is not None:
        with np.errstate(over="ignore"):
            count, squares = sums.weight(w), sums.weight(ww, 2)
    return score_items(means, Sample(count, squares, np.arange(len(w))))


def _score_weighted(definition: Definition, sums: EngineSums, names: Labels) -> Score:
    """A weighted mean, and its error from the sums of w, w², wv, w²v and w²v²."""
    refuse_other(definition)
    _, w, ww, wv, wwv, wwvv = sums.table.sum(0).tolist()
    if not w:
        raise InputError("the weights sum to 0: at least one item needs a weight above 0")
    mean = wv / w
    square = wwvv - 2 * mean * wwv + mean**2 * ww
    error = sqrt(beyond_rounding(square, wwvv)) / w if isfinite(square) else inf
    equal = worth(w, ww)
    interval = sums_interval(definition, mean, error, equal, weighted=True)
    facts = (interval, (("weighted", True),), _known(equal))
    return Score(mean, definition, float(sums.weight(w)), names, *facts)


def moments(y_true: Any, scores: Any = None, metric: Any = None, **options: Any) -> Moments:
    """Sum a loss over items; sums of several parts can be added, as in ``log_loss(sum(parts))``.

    y_true: The true class of each item, or a dataframe or the path of a file, as in
        ``moments(frame, "log_loss", true="gold", score=["cat", "dog"])``.
    scores: The score or probability of each item, or of each item and class.
    metric: The loss, such as "log_loss", "brier" or "top_k_accuracy(k=3)".
    **options: The options of the metric, such as ``labels`` and ``positive``.
    Returns: The number of items, the sum and the sum of squares.
    DefinitionError: If the metric is not a mean over items, or an option does not apply.

    >>> parts = [moments([0, 1], p, "log_loss") for p in ([0.1, 0.9], [0.2, 0.6])]
    >>> sum(parts).n
    4
    """
    if metric is None:  # with a frame or file, the metric comes second
        scores, metric = None, scores
    columns = {k: options.pop(k) for k in list(options) if k in DATA_OPTIONS}
    definition = mean_definition(metric, options)
    if has_columns(y_true):
        if columns.get("weights") is not None or columns.get("cluster") is not None:
            raise InputError("moments are sums over single items: omit weights= and cluster=")
        definition, columns = named_value(definition, columns)
        return sum_losses(definition, _read_columns(definition, y_true, scores, columns))
    alone = definition.declaration.kind == "value"
    if (scores is None) != alone or columns.keys() - {"labels", "frequencies"}:
        raise InputError("pass y_true and scores, or a dataframe or file with true= and score=")
    return sum_losses(definition, _read_arrays(definition, y_true, scores, **columns))


def mean_definition(metric: Any, options: Mapping[str, Any]) -> Definition:
    """The definition of a mean over items, from its name and options."""
    metric = getattr(metric, "__name__", metric)
    if not isinstance(metric, str):
        raise DefinitionError("moments needs a loss, as in moments(y_true, scores, 'log_loss')")
    name, parameters, fields = read(metric)
    if fields:
        raise DefinitionError(f"moments takes the name of a loss, not a signature: {metric!r}")
    settings = {key: value for key, value in options.items() if value is not None}
    further = {key: settings.pop(key) for key in [*settings] if key in find(name).parameters}
    definition = define(name, {**parameters, **further}, settings)
    declared = definition.declaration
    if declared.kind not in ("loss", "label ranking", "value") or declared.relative is not None:
        raise DefinitionError(f"{metric} is not a mean over items, so it has no moments")
    if definition.average is not None:
        raise DefinitionError("moments cover one label, positive=LABEL, not an average")
    return definition


def sum_losses(definition: Definition, scores: Scores) -> Moments:
    """The moments of scores that were already read."""
    if isinstance(scores, ClassScores):
        definition, names = _over_all_classes(definition, scores.labels), scores.labels
        table = scores.sums(_each(definition), _quantity(definition)).table
        n, _, _, total, _, squares = table.sum(0).tolist()
        sums = LossSums(int(n), total, squares)
    else:
        asked = definition
        definition, items, names = _judged(definition, scores, check=False)
        sums = _sums(definition, items, scores)
        if definition.declaration.kind == "value":  # other parts may have other bounds
            definition = asked
    named = (definition.metric, definition.parameters, names, definition.positive)
    return Moments(*named, *sums[:3])


def _sums(definition: Definition, items: Any, lines: ScoredLines) -> LossSums:
    """The sums over items; the kernel checks that probabilities sum to 1 in the same pass."""
    metric = definition.declaration
    if metric.sums is not None and lines.items is None:
        sums = metric.sums(items, **definition.arguments)
        if not sums.fair:
            check_rows(items.scores)
        return sums
    if metric.of_labels is not None and lines.items is None:
        summed = kernel.label_scores(items.true, items.scores, metric.of_labels)
        if summed is not None:
            return LossSums(len(items.true), *summed[:2])
    if metric.probabilities:
        check_rows(items.scores)
    values = np.asarray(_each(definition)(items), np.float64)
    if lines.items is None:  # without BLAS, which starts threads for as little as this
        total, squares = (float(np.add.reduce(x)) for x in (values, values * values))
        return LossSums(len(values), total, squares)
    count = lines.items
    return LossSums(int(count.sum()), float(count @ values), float(count @ values**2))


def score_moments(definition: Definition, sums: Moments) -> Score:
    """The mean over the items, with an interval if one is requested."""
    asked = {k: v for k, v in definition.parameters if v is not None and k != "scale"}
    if sums.metric != definition.metric or not asked.items() <= dict(sums.parameters).items():
        raise DefinitionError(
            f"these are moments of {sums.metric} with {dict(sums.parameters)}, "
            f"not of {definition.signature}"
        )
    definition = definition.settled(parameters=sums.parameters, positive=sums.positive)
    if definition.interval is not None and definition.interval.drawn:
        raise DefinitionError(
            f"moments are only sums, and a {definition.interval.word} of {sums.metric} draws "
            "items: pass y_true and scores, or use interval='delta'"
        )
    refuse_other(definition)
    interval = None
    if definition.interval is not None and np.isfinite(sums.squares):
        error = float(np.sqrt(sums.variance / sums.n))
        interval = sums_interval(definition, sums.mean, error, sums.n)
    return Score(sums.mean, definition, sums.n, sums.labels, interval)


def score_items(items: ScoredItems, sample: Sample) -> Score:
    """The score of a system on some items, with its interval."""
    definition, statistic = items.definition, items.statistic
    if sample.squares is not None and not sample.count.all():  # items of weight 0 do not count
        kept = np.flatnonzero(sample.count)
        statistic, sample = statistic.at(kept), sample.at(kept)
    if np.isnan(statistic.values(sample.count)).any():
        if definition.undefined is not None:
            filler = definition.rule.filler
            return Score(filler, definition, sample.n, items.labels, None, sample.facts)
        if isinstance(statistic, Rankings) and items.stratum is None:
            lacking = statistic.undefined(sample.count)
            if lacking is not None and len(items.labels) > lacking[0]:
                raise InputError(nothing_to_rank(definition, lacking[1], items.labels[lacking[0]]))
        raise InputError(
            f"{definition.metric} is undefined: a class that it needs has no items with a "
            "weight above 0"
        )
    (value,), (interval,) = estimate(definition, statistic, sample)
    facts: tuple[Any, ...] = (interval, sample.facts)
    if sample.squares is not None:
        equal = worth(float(sample.count.sum()), float(sample.squares.sum()))
        facts = (interval, sample.facts, _known(equal))
    return Score(float(value), definition, sample.n, items.labels, *facts)


def read_items(
    definition: Definition, y_true: Any, systems: Iterable[Any], **data: Any
) -> tuple[list[ScoredItems], Sample]:
    """The items of several systems, from arrays, and the units that are drawn."""
    read = [_read_arrays(definition, y_true, scores, **data) for scores in systems]
    definition = _alike(definition, [each.scores for each in read])
    items, lines = zip(*(_items_of(definition, each) for each in read), strict=True)
    first = lines[0]
    return [*items], sampled(items[0], first.weights, first.cluster, first.items)


def _alike(definition: Definition, scores: Sequence[Array]) -> Definition:
    """The definition of several systems: values have the same bounds for all of them."""
    if definition.declaration.kind != "value":
        return definition
    return bounded(definition, np.concatenate([each.ravel() for each in scores]))


def _one_ranking(definition: Definition, lines: ScoredLines) -> ScoredItems:
    """Items ranked by one score."""
    ranked = Ranked(lines.scores + 0.0, lines.true)
    table = ranked.table(np.ones(len(ranked.order), np.int64))
    sides = (table.score.copy(), table.positives, table.negatives)
    check_ranking(definition, Ranking(*sides, lines.labels, definition.positive))  # type: ignore[arg-type]
    rankings = Rankings(definition, [ranked], len(lines.scores))
    return ScoredItems(definition, rankings, lines.true.astype(np.intp), lines.labels)


def _class_items(definition: Definition, lines: ScoredLines) -> ScoredItems:
    """Items as each class ranks them against the rest, or each pair (Hand and Till 2001)."""
    codes, scores, names = lines.true, lines.scores, lines.labels
    definition = over_each_class(definition, names)
    members = [np.flatnonzero(codes == at) for at in range(len(names))]
    for name, places in zip(names, members, strict=True):
        if not len(places) and definition.undefined is None:
            raise InputError(
                f"{definition.metric} ranks every class against others, but there are no items of "
                f"class {name!r}. Add some, or declare fewer labels=."
            )
    if definition.arguments.get("multi_class") == "ovo":
        rankings = [
            Ranked(scores[:, a], codes == a, np.concatenate([members[a], members[b]]))
            for a, b in permutations(range(len(names)), 2)
        ]
    else:
        rankings = in_threads(
            lambda at: Ranked(scores[:, at], codes == at), range(len(names)), len(codes)
        )
    return ScoredItems(definition, Rankings(definition, rankings, len(codes)), codes, names)


def _drawn(items: Sequence[ScoredItems], lines: ScoredLines) -> tuple[list[ScoredItems], Sample]:
    """The items of systems and the units that are drawn, in an order that engines cannot change."""
    sample = sampled(items[0], lines.weights, lines.cluster, lines.items)
    if lines.ordered:
        return [*items], sample
    statistics: Any
    statistics, sample = kinds([each.statistic for each in items], sample)
    pairs = zip(items, statistics, strict=True)
    alike = [replace(each, statistic=kind, stratum=sample.stratum) for each, kind in pairs]
    return alike, sample


def _score_drawn(definition: Definition, scores: Scores) -> Score:
    items, lines = _items_of(definition, scores)
    method = definition.interval
    if method is None or (lines.ordered and not method.drawn):  # any order will do
        return score_items(items, sampled(items, lines.weights, lines.cluster, lines.items))
    if isinstance(scores, ClassScores):  # other engines have no order of items to draw in
        lines = lines._replace(ordered=False)
    (alike,), sample = _drawn([items], lines)
    return score_items(alike, sample)


def sampled(items: ScoredItems, weights: Any, cluster: Any, times: Array | None = None) -> Sample:
    """The items as the units that are drawn: single, weighted, or in clusters.

    ``times`` is how many items each unit stands for; None means one.
    """
    n = items.statistic.items
    count = np.ones(n, np.int64) if times is None else times
    squares = None
    if weights is not None:
        weight = weights_column(weights, n)
        count, squares = count * weight, count * squared(weight)
    group = None
    if cluster is not None:  # a cluster whose items all have weight 0 does not count
        group, here = np.zeros(n, np.intp), count > 0
        group[here] = cluster_codes(cluster_codes(cluster, n)[here], int(here.sum()))
    return Sample(count, squares, group, items.stratum)


def items_of_systems(
    definition: Definition, columns: ScoreColumns
) -> tuple[list[ScoredItems], Sample]:
    """The items of several systems, grouped where all systems treat them alike."""
    metric = definition.declaration
    source = (columns.data, columns.predictions, columns.request)
    width, *others = {len(names) for names in columns.systems.values()}
    derived = not others and width > 1 and not (in_memory(columns.data) or columns.request.sets)
    if metric.kind == "ranking":
        derived = derived and _of_top_label(definition) and over_classes(definition, width)
    if not derived:
        return items_of_each(definition, columns, read_scores(*source, apart=True))
    scores = ClassScores(*source, fair=metric.probabilities)
    if metric.kind == "loss":
        definition, lines, names = _losses(definition, scores)
        means = [
            ScoredItems(definition, _means(definition, x, lines, names), None, names)
            for x in lines.scores.T
        ]
        return _drawn(means, lines)
    definition = _at_top(definition)
    lines = scores.top_labels(apart=True).single()
    pairs = zip(lines.scores.T[::2], lines.scores.T[1::2], strict=True)
    systems = [lines._replace(true=hit > 0, scores=top) for hit, top in pairs]
    return _drawn([_one_ranking(definition, each) for each in systems], lines)


def items_of_each(
    definition: Definition, columns: ScoreColumns, lines: ScoredLines
) -> tuple[list[ScoredItems], Sample]:
    """The items of several systems, from lines with the scores of all systems."""
    lines, at, items = lines.single(), 0, []
    definition = _alike(definition, [lines.scores])
    for names in columns.systems.values():
        scores = lines.scores[:, at] if len(names) == 1 else lines.scores[:, at : at + len(names)]
        items.append(_items_of(definition, lines._replace(scores=scores))[0])
        at += len(names)
    return _drawn(items, lines)


def over_classes(definition: Definition, columns: int) -> bool:
    """Whether a ranking is over several classes, each with a column of scores."""
    asked = definition.average is not None or definition.arguments.get("multi_class") is not None
    several = columns > 2 or (columns == 2 and asked)
    if asked and not several:
        raise DefinitionError(
            f"{definition.signature} is a mean over classes: pass a column of scores for each"
        )
    return several and definition.positive is None


def over_each_class(definition: Definition, names: Labels) -> Definition:
    """The definition of a mean over classes; an error if the kind of mean is missing."""
    metric = definition.declaration
    ways = metric.parameters["multi_class"].choices if metric.over_classes else ()
    if definition.average is None and not ways:
        one = ", or one score for each item" if len(names) == 2 else ""
        raise DefinitionError(
            f"{metric.name} of {numbered(len(names), 'class')}: pass positive=CLASS to score "
            "one against the "
            f"rest{one}, or average='macro' or 'weighted' for a mean over the classes."
        )
    if definition.average is None:
        way = f", and multi_class={' or '.join(map(repr, ways))}"
        raise DefinitionError(
            f"{metric.name} of {numbered(len(names), 'class')}: pass average='macro' or "
            f"'weighted'{way}, or "
            "positive=CLASS for one."
        )
    asked = definition.arguments.get("multi_class")
    if asked == "top-label" or (asked == "ovo" and definition.average in ("micro", "samples")):
        raise DefinitionError(
            f"multi_class={asked!r} and average={definition.average!r} are mutually exclusive: "
            f"omit one"
        )
    return definition.with_parameters(multi_class=asked or "ovr") if ways else definition
