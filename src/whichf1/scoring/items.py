"""Items with their scores, ready for intervals and comparisons: one score of any counts of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from whichf1.definitions.definition import Definition
from whichf1.errors import DefinitionError, InputError
from whichf1.sources.clusters import cluster_codes
from whichf1.sources.label_sets import ranked_labels
from whichf1.sources.scores import binary, items_of, numbers, predicted, predicted_binary
from whichf1.sources.sequences import weights_column
from whichf1.statistics.means import Means
from whichf1.statistics.ranking import Ranked, Rankings
from whichf1.statistics.sample import Sample, Statistic
from whichf1.tables.cells import Array, Predicted
from whichf1.tables.labels import Labels
from whichf1.tables.ranking import Ranking


@dataclass(frozen=True, eq=False)
class ScoredItems:
    """What a system says of some items, under a definition with nothing left open."""

    definition: Definition
    statistic: Statistic
    stratum: Array | None
    """The class of each item, where classes are samples of their own; None for a mean of items."""
    labels: Labels


def read_items(definition: Definition, y_true: Any, scores: Any, labels: Any) -> ScoredItems:
    """The items of a definition of scores."""
    metric = definition.declaration
    if metric.kind == "ranking":
        return _rankings(definition, y_true, scores, labels)
    definition, items, names = loss_items(definition, y_true, scores, labels)
    if metric.each is None:
        raise DefinitionError(f"{metric.name} is no mean over items")
    return mean_items(definition, metric.each(items, **definition.arguments), names)


def mean_items(definition: Definition, each: Array, names: Labels) -> ScoredItems:
    """Items with the number of which a score is the mean."""
    return ScoredItems(definition, Means(each), None, names)


def loss_items(
    definition: Definition, y_true: Any, scores: Any, labels: Any, *, check: bool = True
) -> tuple[Definition, Any, Labels]:
    """What a mean over items is computed on, and the definition with what the data settle.

    Without ``check`` a later pass over the probabilities looks whether they are fair.
    """
    metric = definition.declaration
    if metric.kind == "label ranking":
        return definition, *ranked_labels(y_true, scores, labels)
    flag = metric.probabilities
    values = numbers(scores, "probabilities" if flag else "scores", finite=not flag)
    if values.ndim == 2:
        refuse_positive(definition)
    if flag and values.ndim == 1:
        own = {"positive": definition.positive, "labels": labels}
        items, names, positive = predicted_binary(y_true, values, **own)
        definition = replace(definition, positive=positive)
    else:
        given = {"labels": labels, "probabilities": flag, "check": check}
        items, names = predicted(y_true, values, **given)
    return scaled(definition, names), items, names


def refuse_positive(definition: Definition) -> Definition:
    """The definition, of a loss over a column for each class; it has no positive class."""
    if definition.positive is not None:
        raise DefinitionError(
            f"{definition.metric} of a column for each class is over all classes: leave positive= "
            "out, or give the column of that class"
        )
    return definition


def scaled(definition: Definition, names: Labels) -> Definition:
    """The definition with its scale, which the number of classes settles where it is not said."""
    parameters = definition.arguments
    if parameters.get("scale", "no such") is not None:
        return definition
    return with_parameters(definition, scale="half" if len(names) == 2 else "sum")


def with_parameters(definition: Definition, **parameters: Any) -> Definition:
    """The definition with these parameters."""
    own = {**definition.arguments, **parameters}
    return replace(definition, parameters=tuple(own.items()))


def means_over_classes(definition: Definition) -> bool:
    """Whether a ranking is said to be a mean over classes."""
    way = definition.arguments.get("multi_class")
    return definition.average is not None or way is not None


def over_classes(definition: Definition, columns: int) -> bool:
    """Whether a ranking is over several classes, each with a column of scores."""
    asked = means_over_classes(definition)
    several = columns > 2 or (columns == 2 and asked)
    if asked and not several:
        raise DefinitionError(
            f"{definition.signature} is a mean over classes: give a column of scores for each"
        )
    return several and definition.positive is None


def columns_in(values: Array) -> int:
    """How many columns of scores there are."""
    return 1 if values.ndim == 1 else values.shape[1]


def _rankings(definition: Definition, y_true: Any, scores: Any, labels: Any) -> ScoredItems:
    values, metric = numbers(scores, "scores"), definition.declaration
    if not over_classes(definition, columns_in(values)):
        items, column, names, own = binary(y_true, values, definition.positive, labels)
        definition = replace(definition, positive=own)
        return one_ranking(definition, column, items_of(items, own), names)
    flag = metric.probabilities
    every, names = predicted(y_true, values, labels=labels, probabilities=flag)
    if metric.probabilities:  # whether the best class is right, by its probability
        definition = with_parameters(definition, multi_class="top-label")
        right = every.scores.argmax(1) == every.codes
        return one_ranking(definition, every.scores.max(1), right, names)
    definition = settled(definition, names)
    rankings = Rankings(definition, _problems(definition, every, names), len(every.codes))
    return ScoredItems(definition, rankings, every.codes, names)


def one_ranking(
    definition: Definition, scores: Array, positive: Array, names: Labels
) -> ScoredItems:
    """Items in the order of one score."""
    ranked = Ranked(scores + 0.0, positive)
    probabilities = definition.declaration.probabilities
    check = Ranking(*_sides(ranked), names, definition.positive)  # type: ignore[arg-type]
    if not probabilities:
        check.needs_both(definition.metric)
    elif not check.probabilities:
        raise InputError(
            f"{definition.metric} needs probabilities in [0, 1]; the scores run from "
            f"{scores.min():g} to {scores.max():g}"
        )
    rankings = Rankings(definition, [ranked], len(scores))
    return ScoredItems(definition, rankings, positive.astype(np.intp), names)


def _sides(ranked: Ranked) -> tuple[Array, Array, Array]:
    table = ranked.table(np.ones(len(ranked.order), np.int64))
    return table.score.copy(), table.positives, table.negatives


def settled(definition: Definition, names: Labels) -> Definition:
    """The definition of a mean over classes with its kind of mean; an error where none is said."""
    metric = definition.declaration
    way = definition.arguments.get("multi_class", "none")
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
    return with_parameters(definition, multi_class=way or "ovr")


def _problems(definition: Definition, items: Predicted, names: Labels) -> list[Ranked]:
    """Each class against the rest, or both orders of each pair (Hand and Till 2001)."""
    codes, k = items.codes, len(names)
    for at in range(k):
        if not (codes == at).any():
            raise InputError(
                f"{definition.metric} ranks every class against others: there is no item of class "
                f"{names[at]!r}. Give items of each, or declare fewer labels=."
            )
    if definition.arguments["multi_class"] == "ovo":
        rows = [np.flatnonzero(codes == at) for at in range(k)]
        pairs = [(a, b) for a in range(k) for b in range(k) if a != b]
        return [
            Ranked(items.scores[:, a], codes == a, np.concatenate([rows[a], rows[b]]))
            for a, b in pairs
        ]
    return [Ranked(items.scores[:, at], codes == at) for at in range(k)]


def sampled(items: ScoredItems, weights: Any, cluster: Any, times: Array | None = None) -> Sample:
    """The items as what is drawn: single ones, with weights, or in clusters.

    ``times`` is how many items each of them stands for; None for one.
    """
    n = items.statistic.items  # type: ignore[attr-defined]
    count = np.ones(n, np.int64) if times is None else times
    squares = None
    if weights is not None:
        weight = weights_column(weights, n)
        count, squares = count * weight, count * weight * weight
    group = None
    if cluster is not None:  # a cluster whose items have no weight is none
        group, here = np.zeros(n, np.intp), count > 0
        group[here] = cluster_codes(cluster_codes(cluster, n)[here], int(here.sum()))
    return Sample(count, squares, group, items.stratum)
