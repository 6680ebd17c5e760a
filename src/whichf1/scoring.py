"""From scores and probabilities to a Score: rankings, losses, and rankings of labels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from whichf1.definition import Definition, define
from whichf1.errors import DefinitionError, InputError
from whichf1.intervals import Bootstrap, Interval
from whichf1.kernel import rank_table
from whichf1.labels import Labels
from whichf1.losses import Moments
from whichf1.metrics import Metric, find
from whichf1.rankings import Ranking
from whichf1.scored_items import (
    ScoredItems,
    loss_items,
    over_classes,
    read_items,
    sampled,
    scaled,
    settled,
    with_parameters,
)
from whichf1.scores import Score
from whichf1.sources import has_columns
from whichf1.sources.frame_kinds import in_memory
from whichf1.sources.loss_sums import PUSHED, LossSums, loss_in_place
from whichf1.sources.score_columns import read_scores
from whichf1.sources.scored import check_rows, numbers, predicted, rank
from whichf1.table import Predicted, Table
from whichf1.uncertainty.scored import mean_interval, refuse_other, scored_interval, table_interval


def evaluate_scores(
    definition: Definition,
    y_true: Any,
    scores: Any,
    labels: Any = None,
    weights: Any = None,
    cluster: Any = None,
) -> Score:
    """Run a definition on true classes and scores, on a Ranking, or on Moments."""
    metric, method = find(definition.metric), definition.interval
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


def evaluate_columns(
    definition: Definition,
    data: Any,
    predictions: Any,
    labels: Any,
    weights: Any,
    cluster: Any,
    **named: Any,
) -> Score:
    """The same on columns of a dataframe or file; a ranking is grouped where the data is."""
    metric = find(definition.metric)
    if not has_columns(data):
        raise InputError("true= and score= name the columns of a frame or file; arrays have none")
    if "pred" in named or metric.kind == "label ranking":
        what = "a matrix of scores" if metric.kind == "label ranking" else "scores: score=COLUMN"
        raise DefinitionError(f"{metric.name} is computed from {what}")
    own = {"labels": labels, "weights": weights, **named}
    alone = named.get("score") is None or isinstance(named["score"], str)
    means = definition.average is not None or dict(definition.parameters).get("multi_class")
    by_item = cluster is not None or (weights is not None and definition.interval is not None)
    if metric.kind == "ranking" and alone and not means and not by_item:
        ranking = rank(data, predictions, positive=definition.positive, **own)
        return evaluate_scores(definition, ranking, None)
    if not alone and weights is None and not by_item:
        sums = _moments_in_place(definition, data, predictions, labels=labels, **named)
        if sums is not None:
            return score_moments(definition, sums)
    own |= {"cluster": cluster, "by_item": by_item}
    fair = metric.probabilities and not alone
    found = read_scores(data, predictions, distributions=fair, **own).each()
    scores = found.scores[:, 0] if alone else found.scores
    read = {"labels": found.labels, "weights": found.weights, "cluster": found.cluster}
    return evaluate_scores(definition, found.true, scores, **read)


def _moments_in_place(
    definition: Definition, data: Any, predictions: Any, **named: Any
) -> Moments | None:
    """The sums of a loss where the rows stay with their engine, or in their files."""
    metric = find(definition.metric)
    bootstrap = isinstance(definition.interval, Bootstrap)
    skip = named.get("on_error") not in (None, "raise")
    if metric.name not in PUSHED or bootstrap or skip or in_memory(data):
        return None
    floor = dict(definition.parameters).get("floor", 1.0)
    if not floor or definition.positive is not None:
        return None
    found = loss_in_place(LossSums(metric.name, floor), data, predictions, **named)
    if found is None:
        return None
    names, sums = found
    definition = scaled(definition, names)
    half = dict(definition.parameters).get("scale") == "half"
    total, squares = (sums.total / 2, sums.squares / 4) if half else (sums.total, sums.squares)
    return Moments(metric.name, definition.parameters, names, None, sums.n, total, squares)


def _score_items(
    definition: Definition, y_true: Any, scores: Any, labels: Any, weights: Any, cluster: Any
) -> Score:
    """Where a table does not say enough: from the items themselves."""
    own = read_items(definition, y_true, scores, labels)
    return score_items(own, sampled(own.codes, weights, cluster))


def score_items(own: ScoredItems, items: Table) -> Score:
    """The score of a system on some items, with its interval."""
    value = float(own.scored.values(items.count))
    if np.isnan(value):
        raise InputError(
            f"{own.definition.metric} has no value: the items of a class that it needs have no "
            "weight. Give items of each class a weight above 0."
        )
    interval = scored_interval(own.definition, own.scored, items, value)
    n = items.count.sum().item()
    return Score(value, own.definition, n, own.labels, interval, made_of(items))


def made_of(items: Table) -> tuple[tuple[str, Any], ...]:
    """What a signature says of the items."""
    made = () if items.squares is None else (("weighted", True),)
    return made if items.cluster is None else (*made, ("clusters", items.clusters))


def _rank_and_score(
    definition: Definition, y_true: Any, scores: Any, labels: Any, weights: Any
) -> Score:
    values = numbers(scores, "scores")
    if not over_classes(definition, values):
        own = {"positive": definition.positive, "labels": labels, "weights": weights}
        return score_ranking(definition, rank(y_true, values, **own))
    if weights is not None or definition.interval is not None:
        return _score_items(definition, y_true, values, labels, weights, None)
    metric = find(definition.metric)
    items, names = predicted(y_true, values, labels=labels, probabilities=metric.probabilities)
    if metric.probabilities:
        top = with_parameters(definition, multi_class="top-label")
        return score_ranking(top, _top_label(items, names))
    return _score_classes(settled(definition, names), items, names)


def score_ranking(definition: Definition, ranking: Ranking) -> Score:
    """The score of a ranking of one positive class against the rest."""
    metric = find(definition.metric)
    top_label = dict(definition.parameters).get("multi_class") == "top-label"
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
    value = _value(metric, definition, ranking)
    interval = _ranking_interval(metric, definition, ranking, value)
    return Score(value, definition, ranking.n, ranking.labels, interval, made)


def _value(metric: Metric, definition: Definition, ranking: Ranking) -> float:
    top, bottom = metric.formula(ranking.table, **dict(definition.parameters))
    return float(top / bottom)


def _ranking_interval(
    metric: Metric, definition: Definition, ranking: Ranking, value: float
) -> Interval | None:
    unasked = definition.interval is None
    if unasked and ranking.resolution is not None and metric.name == "roc_auc":
        error = histogram_error(ranking)
        return Interval(max(0.0, value - error), min(1.0, value + error), 1.0, "bins")
    if unasked:
        return None
    if ranking.weighted:
        raise DefinitionError(
            f"an interval of {metric.name} for weighted items needs the items: give y_true, "
            "scores and weights, or leave interval= out"
        )
    return table_interval(definition, ranking.table, value)


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


def _score_classes(definition: Definition, items: Predicted, names: Labels) -> Score:
    metric = find(definition.metric)
    pairs = dict(definition.parameters)["multi_class"] == "ovo"
    tables = _one_vs_one(items, names) if pairs else _one_vs_rest(items, names)
    values, weights = [], []
    for table in tables:
        table.needs_both(metric.name)
        values.append(_value(metric, definition, table))
        sizes = table.table.sizes
        weights.append(float(sizes[0]) + (float(sizes[1]) if pairs else 0.0))
    mean = np.average(values, weights=weights if definition.average == "weighted" else None)
    return Score(float(mean), definition, len(items.codes), names)


def _one_vs_rest(items: Predicted, names: Labels) -> list[Ranking]:
    columns = (np.ascontiguousarray(items.scores[:, at]) for at in range(len(names)))
    return [
        Ranking(*rank_table(column, items.codes == at), names, names[at])
        for at, column in enumerate(columns)
    ]


def _one_vs_one(items: Predicted, names: Labels) -> list[Ranking]:
    """Both orders of each pair of classes, after Hand and Till (2001)."""
    rows = [np.flatnonzero(items.codes == at) for at in range(len(names))]
    tables = []
    for a in range(len(names)):
        for b in range(len(names)):
            if a != b:
                pair = np.concatenate([rows[a], rows[b]])
                ranks = rank_table(items.scores[pair, a], items.codes[pair] == a)
                tables.append(Ranking(*ranks, Labels([names[a], names[b]]), names[a]))
    return tables


def moments(y_true: Any, scores: Any, metric: str, **options: Any) -> Moments:
    """The sums of a loss over items, which add up over parts: ``log_loss(sum(parts))``.

    >>> parts = [moments([0, 1], p, "log_loss") for p in ([0.1, 0.9], [0.2, 0.6])]
    >>> sum(parts).n
    4
    """
    labels = options.pop("labels", None)
    own = find(metric).parameters
    parameters = {name: options.pop(name) for name in list(options) if name in own}
    definition = define(metric, parameters, options)
    if find(definition.metric).kind not in ("loss", "label ranking"):
        raise DefinitionError(f"{metric} is no mean over items. {metric} has no moments.")
    return _moments(definition, y_true, scores, labels)


def _moments(definition: Definition, y_true: Any, scores: Any, labels: Any) -> Moments:
    metric = find(definition.metric)
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
        interval = mean_interval(definition, sums.mean, error)
    return Score(sums.mean, definition, sums.n, sums.labels, interval)
