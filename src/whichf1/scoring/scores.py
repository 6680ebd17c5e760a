"""From scores and probabilities to a Score: rankings, losses, and rankings of labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from whichf1.definitions.definition import Definition, define
from whichf1.definitions.methods import Bootstrap, Interval
from whichf1.errors import DefinitionError, InputError
from whichf1.kernel import rank_table
from whichf1.metrics import Metric, find
from whichf1.scoring.items import (
    ScoredItems,
    columns_in,
    loss_items,
    over_classes,
    read_items,
    sampled,
    settled,
    with_parameters,
)
from whichf1.scoring.score import Score
from whichf1.sources.count import DATA_OPTIONS, has_columns
from whichf1.sources.rank import rank, ranking_of
from whichf1.sources.scores import check_rows, numbers, predicted
from whichf1.statistics.intervals import estimate, interval_of, refuse_other
from whichf1.statistics.ranking import RankCells
from whichf1.statistics.sample import Sample
from whichf1.statistics.scales import Spread
from whichf1.tables.cells import Array, Predicted
from whichf1.tables.labels import Labels
from whichf1.tables.moments import Moments
from whichf1.tables.ranking import Ranking

ByClass = Callable[[int], tuple[Array, Array, Array | None, Array | None]]
"""For a class: the classes, scores, numbers of items and weights of lines that it ranks."""


def evaluate_scores(
    definition: Definition,
    y_true: Any,
    scores: Any,
    labels: Any = None,
    weights: Any = None,
    cluster: Any = None,
) -> Score:
    """Run a definition on true classes and scores, on a Ranking, or on Moments."""
    metric, method = definition.declaration, definition.interval
    if isinstance(y_true, (Ranking, Moments)):
        if any(x is not None for x in (scores, weights, cluster)):
            raise InputError(f"a {type(y_true).__name__} holds all: give it alone")
        if metric.kind == "ranking" and isinstance(y_true, Ranking):
            return score_ranking(definition, y_true)
        if metric.kind != "ranking" and isinstance(y_true, Moments):
            return score_moments(definition, y_true)
        raise InputError(f"{metric.name} is not computed from a {type(y_true).__name__}")
    if scores is None:
        raise InputError(f"{metric.name} needs scores: give y_true and scores")
    data = {"labels": labels, "weights": weights, "cluster": cluster}
    if cluster is not None or (weights is not None and method is not None):
        return _score_items(definition, y_true, scores, **data)
    if metric.kind == "ranking":
        return _rank_and_score(definition, y_true, scores, labels, weights)
    if weights is not None or isinstance(method, Bootstrap):
        return _score_items(definition, y_true, scores, **data)
    return score_moments(definition, _moments(definition, y_true, scores, labels))


def _score_items(
    definition: Definition, y_true: Any, scores: Any, labels: Any, weights: Any, cluster: Any
) -> Score:
    """Where a table does not say enough: from the items themselves."""
    own = read_items(definition, y_true, scores, labels)
    return score_items(own, sampled(own, weights, cluster))


def score_items(own: ScoredItems, sample: Sample) -> Score:
    """The score of a system on some items, with its interval."""
    if np.isnan(own.statistic.values(sample.count)).any():
        raise InputError(
            f"{own.definition.metric} has no value: the items of a class that it needs have no "
            "weight. Give items of each class a weight above 0."
        )
    values, intervals = estimate(own.definition, own.statistic, sample)
    value = float(values[0])
    return Score(value, own.definition, sample.n, own.labels, intervals[0], sample.facts)


def _rank_and_score(
    definition: Definition, y_true: Any, scores: Any, labels: Any, weights: Any
) -> Score:
    values = numbers(scores, "scores")
    if not over_classes(definition, columns_in(values)):
        own = {"positive": definition.positive, "labels": labels, "weights": weights}
        return score_ranking(definition, rank(y_true, values, **own))
    metric = definition.declaration
    together = definition.interval is not None and not metric.probabilities
    if weights is not None or together:  # the columns of an item must be seen together
        return _score_items(definition, y_true, values, labels, weights, None)
    items, names = predicted(y_true, values, labels=labels, probabilities=metric.probabilities)
    if metric.probabilities:
        top = with_parameters(definition, multi_class="top-label")
        return score_ranking(top, _top_label(items, names))
    definition = settled(definition, names)

    def lines(at: int) -> tuple[Array, Array, None, None]:
        return items.codes, np.ascontiguousarray(items.scores[:, at]), None, None

    return mean_over_classes(definition, lines, names)


def score_ranking(definition: Definition, ranking: Ranking) -> Score:
    """The score of a ranking of one positive class against the rest."""
    metric = definition.declaration
    top_label = definition.arguments.get("multi_class") == "top-label"
    if metric.probabilities:
        if not ranking.probabilities:
            raise InputError(
                f"{metric.name} needs probabilities in [0, 1]; the scores run from "
                f"{ranking.score[-1]:g} to {ranking.score[0]:g}"
            )
    else:
        ranking.needs_both(metric.name)
    if not top_label:
        if definition.positive not in (None, ranking.positive):
            raise DefinitionError(
                f"the ranking is of class {ranking.positive!r}, not of {definition.positive!r}"
            )
        definition = replace(definition, positive=ranking.positive)
    made: tuple[tuple[str, Any], ...] = (("weighted", True),) if ranking.weighted else ()
    made += () if ranking.resolution is None else (("resolution", ranking.resolution),)
    value, interval = _ranking_estimate(metric, definition, ranking)
    return Score(value, definition, ranking.n, ranking.labels, interval, made)


def _value(metric: Metric, definition: Definition, ranking: Ranking) -> float:
    top, bottom = metric.formula(ranking.table, **definition.arguments)
    return float(top / bottom)


def _ranking_estimate(
    metric: Metric, definition: Definition, ranking: Ranking
) -> tuple[float, Interval | None]:
    if definition.interval is None:
        value = _value(metric, definition, ranking)
        if ranking.resolution is None or metric.name != "roc_auc":
            return value, None
        error = histogram_error(ranking)
        return value, Interval(max(0.0, value - error), min(1.0, value + error), 1.0, "bins")
    if ranking.weighted:
        raise DefinitionError(
            f"an interval of {metric.name} for weighted items needs the items: give y_true, "
            "scores and weights, or leave interval= out"
        )
    values, intervals = estimate(definition, RankCells(definition, ranking.table))
    return float(values[0]), intervals[0]


def histogram_error(ranking: Ranking) -> float:
    """How far bins can move the ROC AUC: pairs within a bin count half, whatever their order."""
    p, n = ranking.table.sizes
    pairs = np.dot(ranking.positives.astype(np.float64), ranking.negatives)
    return float(pairs / (2 * p * n))


def _top_label(items: Predicted, names: Labels) -> Ranking:
    """Whether the best class is right, by its probability."""
    best = items.scores.argmax(1)
    ranks = rank_table(items.scores.max(1), best == items.codes)
    return Ranking(*ranks, names, True)


def mean_over_classes(definition: Definition, lines: ByClass, names: Labels) -> Score:
    """The mean over each class against the rest, or over all pairs of classes."""
    metric = definition.declaration
    pairs = definition.arguments["multi_class"] == "ovo"
    values, found = [], []
    for ranking in _class_rankings(lines, names, pairs):
        ranking.needs_both(metric.name)
        values.append(_value(metric, definition, ranking))
        found.append([float(x) for x in ranking.table.sizes])
        weighted = ranking.weighted
    sizes = np.array(found)
    weights = sizes.sum(1) if pairs else sizes[:, 0]
    mean = np.average(values, weights=weights if definition.average == "weighted" else None)
    n = sizes[:, 0].sum() / (len(names) - 1 if pairs else 1)  # a class is first in so many pairs
    made = (("weighted", True),) if weighted else ()
    return Score(float(mean), definition, float(n) if weighted else round(n), names, None, made)


def _class_rankings(lines: ByClass, names: Labels, pairs: bool) -> Iterator[Ranking]:
    """Each class against the rest, or both orders of each pair (Hand and Till 2001)."""
    known, places = None, []
    for a in range(len(names)):
        codes, scores, items, weights = lines(a)
        if not pairs:
            yield ranking_of(scores, codes == a, items, weights, names, names[a])
            continue
        if codes is not known:
            known, places = codes, [np.flatnonzero(codes == b) for b in range(len(names))]
        for b in range(len(names)):
            if a != b:
                at = np.concatenate([places[a], places[b]])
                n, w = (None if x is None else x[at] for x in (items, weights))
                both = Labels([names[a], names[b]])
                yield ranking_of(scores[at], codes[at] == a, n, w, both, names[a])


def moments(y_true: Any, scores: Any = None, metric: str | None = None, **options: Any) -> Moments:
    """Sum a loss over items; the sums of several parts can be added: ``log_loss(sum(parts))``.

    Parameters
    ----------
    y_true : array, dataframe or path
        The true class of each item, or a dataframe or the path of a file, as in
        ``moments(frame, "log_loss", true="gold", score=["cat", "dog"])``.
    scores : array, optional
        The score or probability of each item, or of each item and class.
    metric : str
        The loss, such as "log_loss", "brier" or "top_k_accuracy(k=3)".
    **options
        The options of the metric, such as ``labels`` and ``positive``.

    Returns
    -------
    Moments
        The number of items, the sum and the sum of squares.

    Raises
    ------
    DefinitionError
        If the metric is not a mean over items, or an option does not apply.
    InputError
        If the scores are malformed.

    Examples
    --------
    >>> parts = [moments([0, 1], p, "log_loss") for p in ([0.1, 0.9], [0.2, 0.6])]
    >>> sum(parts).n
    4
    """
    if metric is None:  # of a frame or file: the metric comes second
        scores, metric = None, scores
    if not isinstance(metric, str):
        raise DefinitionError("say which loss: moments(y_true, scores, 'log_loss')")
    own = find(metric).parameters
    columns = {k: options.pop(k) for k in list(options) if k in DATA_OPTIONS}
    parameters = {name: options.pop(name) for name in list(options) if name in own}
    definition = define(metric, parameters, options)
    if definition.declaration.kind not in ("loss", "label ranking"):
        raise DefinitionError(f"{metric} is no mean over items. {metric} has no moments.")
    if has_columns(y_true):
        from whichf1.scoring.columns import moments_of_columns

        return moments_of_columns(definition, y_true, scores, **columns)
    if scores is None or columns.keys() - {"labels"}:
        raise InputError("give y_true and scores, or a frame or file with true= and score=")
    return _moments(definition, y_true, scores, columns.get("labels"))


def _moments(definition: Definition, y_true: Any, scores: Any, labels: Any) -> Moments:
    metric = definition.declaration
    own, items, names = loss_items(definition, y_true, scores, labels, check=False)
    sums = metric.formula(items, **dict(own.parameters))
    if not sums.fair:  # the formula's own pass has looked
        check_rows(items.scores)
    return Moments(metric.name, own.parameters, names, own.positive, *sums[:3])


def score_moments(definition: Definition, sums: Moments) -> Score:
    """The mean over the items, with its standard error where an interval is asked for."""
    asked = {k: v for k, v in definition.parameters if v is not None and k != "scale"}
    if sums.metric != definition.metric or not asked.items() <= dict(sums.parameters).items():
        raise DefinitionError(
            f"these are moments of {sums.metric} with {dict(sums.parameters)}, "
            f"not of {definition.signature}"
        )
    definition = replace(definition, parameters=sums.parameters, positive=sums.positive)
    if isinstance(definition.interval, Bootstrap):
        raise DefinitionError(
            f"these moments are sums, and a bootstrap of {sums.metric} draws items: give y_true "
            "and scores, or use interval='delta'"
        )
    refuse_other(definition)
    interval = None
    if definition.interval is not None and np.isfinite(sums.squares):
        error = float(np.sqrt(sums.variance / sums.n))
        interval = interval_of(definition, sums.mean, Spread(error))
    return Score(sums.mean, definition, sums.n, sums.labels, interval)
