"""From scores and probabilities to a Score: rankings, losses, and rankings of labels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from whichf1.definition import Definition, define
from whichf1.errors import DefinitionError, InputError
from whichf1.intervals import Interval
from whichf1.kernel import rank_table
from whichf1.labels import Labels
from whichf1.losses import Moments
from whichf1.metrics import Metric, find
from whichf1.rankings import Ranking
from whichf1.scores import Score
from whichf1.sources import has_columns
from whichf1.sources.multilabel import ranked_labels
from whichf1.sources.score_columns import read_scores
from whichf1.sources.scored import check_rows, numbers, predicted, predicted_binary, rank
from whichf1.table import Predicted
from whichf1.uncertainty.scored import mean_interval, ranking_interval


def evaluate_scores(
    definition: Definition, y_true: Any, scores: Any, labels: Any = None, weights: Any = None
) -> Score:
    """Run a definition on true classes and scores, on a Ranking, or on Moments."""
    metric = find(definition.metric)
    if isinstance(y_true, (Ranking, Moments)):
        if scores is not None or weights is not None:
            raise InputError(f"a {type(y_true).__name__} holds all: give it alone")
        if metric.kind == "ranking" and isinstance(y_true, Ranking):
            return score_ranking(definition, y_true)
        if metric.kind != "ranking" and isinstance(y_true, Moments):
            return score_moments(definition, y_true)
        raise InputError(f"{metric.name} is not computed from a {type(y_true).__name__}")
    if scores is None:
        raise InputError(f"{metric.name} needs scores: give y_true and scores")
    if metric.kind == "ranking":
        return _rank_and_score(definition, y_true, scores, labels, weights)
    if weights is not None:
        raise DefinitionError(f"{metric.name} takes no weights")
    if definition.positive is not None and numbers(scores, "scores").ndim == 2:
        raise DefinitionError(
            f"{metric.name} of a column for each class is over all classes: leave positive= out, "
            "or give the column of that class"
        )
    return score_moments(definition, _moments(definition, y_true, scores, labels))


def evaluate_columns(
    definition: Definition, data: Any, predictions: Any, labels: Any, weights: Any, **named: Any
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
    if metric.kind == "ranking" and alone and not means:
        ranking = rank(data, predictions, positive=definition.positive, **own)
        return evaluate_scores(definition, ranking, None)
    found = read_scores(data, predictions, **own).each()
    scores = found.scores[:, 0] if alone else found.scores
    return evaluate_scores(definition, found.true, scores, found.labels, found.weights)


def _rank_and_score(
    definition: Definition, y_true: Any, scores: Any, labels: Any, weights: Any
) -> Score:
    values = numbers(scores, "scores")
    asked = definition.average is not None or dict(definition.parameters).get("multi_class")
    several = values.ndim == 2 and (values.shape[1] > 2 or asked)
    if asked and not several:
        raise DefinitionError(
            f"{definition.signature} is a mean over classes: give a column of scores for each"
        )
    if not several or definition.positive is not None:
        own = {"positive": definition.positive, "labels": labels, "weights": weights}
        return score_ranking(definition, rank(y_true, values, **own))
    if weights is not None:
        raise DefinitionError("a ranking of several classes takes no weights")
    metric = find(definition.metric)
    items, names = predicted(y_true, values, labels=labels, probabilities=metric.probabilities)
    if metric.probabilities:
        return score_ranking(_with(definition, multi_class="top-label"), _top_label(items, names))
    return _score_classes(definition, items, names)


def _with(definition: Definition, **parameters: Any) -> Definition:
    return replace(
        definition, parameters=tuple({**dict(definition.parameters), **parameters}.items())
    )


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
    made = () if ranking.resolution is None else (("resolution", ranking.resolution),)
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
            f"no interval of {metric.name} is known for weighted items: leave interval= out"
        )
    return ranking_interval(definition, ranking.table, value)


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
    way = dict(definition.parameters).get("multi_class", "none")
    if way == "none":
        raise DefinitionError(
            f"{metric.name} of {len(names)} classes: pass positive=CLASS, the class against the "
            "rest" + (", or give one score for each item." if len(names) == 2 else ".")
        )
    if definition.average is None:
        raise DefinitionError(
            f"{metric.name} of {len(names)} classes: pass average='macro' or 'weighted', and "
            f"multi_class={' or '.join(map(repr, metric.parameters['multi_class'].choices))}, or "
            "positive=CLASS for one."
        )
    definition = _with(definition, multi_class=way or "ovr")
    tables = _one_vs_one(items, names) if way == "ovo" else _one_vs_rest(items, names)
    values, weights = [], []
    for table in tables:
        table.needs_both(metric.name)
        values.append(_value(metric, definition, table))
        sizes = table.table.sizes
        weights.append(float(sizes[0]) + (float(sizes[1]) if way == "ovo" else 0.0))
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
    positive = None
    items: Any
    if metric.kind == "label ranking":
        items, names = ranked_labels(y_true, scores, labels)
    else:
        flag = metric.probabilities
        values = numbers(scores, "probabilities" if flag else "scores", finite=not flag)
        if flag and values.ndim == 1:
            own = {"positive": definition.positive, "labels": labels}
            items, names, positive = predicted_binary(y_true, values, **own)
        else:
            given = {"labels": labels, "probabilities": flag, "check": False}
            items, names = predicted(y_true, values, **given)
    if "scale" in metric.parameters and dict(definition.parameters)["scale"] is None:
        definition = _with(definition, scale="half" if len(names) == 2 else "sum")
    sums = metric.formula(items, **dict(definition.parameters))
    if not sums.fair:  # the formula's own pass has looked
        check_rows(items.scores)
    return Moments(metric.name, definition.parameters, names, positive, *sums[:3])


def score_moments(definition: Definition, sums: Moments) -> Score:
    """The mean over the items, with its standard error where an interval is asked for."""
    asked = {k: v for k, v in definition.parameters if v is not None and k != "scale"}
    if sums.metric != definition.metric or not asked.items() <= dict(sums.parameters).items():
        raise DefinitionError(
            f"these are moments of {sums.metric} with {dict(sums.parameters)}, "
            f"not of {definition.signature}"
        )
    definition = replace(definition, parameters=sums.parameters, positive=sums.positive)
    interval = None
    if definition.interval is not None and np.isfinite(sums.squares):
        error = float(np.sqrt(sums.variance / sums.n))
        interval = mean_interval(definition, sums.mean, error)
    return Score(sums.mean, definition, sums.n, sums.labels, interval)
