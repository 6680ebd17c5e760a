"""Scores of label sets: every label ranks, or has a probability for, all items.

A score is the mean over labels (macro, weighted), a score of all pairs of an item and a label
(micro), or the mean over items, each of which ranks its own labels (samples).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from whichf1 import kernel
from whichf1.definitions.definition import Definition
from whichf1.errors import DefinitionError, InputError, ShapeError, numbered
from whichf1.metrics.label_sets import table_of_items
from whichf1.sources.label_sets import ranked_labels
from whichf1.sources.lines import ScoredLines, check_probabilities, ranking_of
from whichf1.statistics.items import (
    LabelMeans,
    Means,
    Ranked,
    Rankings,
    mean_over_rankings,
    table_values,
)
from whichf1.tables.cells import Array, Predicted, RankTable
from whichf1.tables.labels import Label, Labels


def with_labels(lines: ScoredLines) -> ScoredLines:
    """Lines whose labels may be in any form, with a matrix of booleans in the columns' order."""
    items, names = ranked_labels(lines.true, lines.scores, lines.labels, lines.names)
    return lines._replace(true=items.true, scores=items.scores, labels=names, names=None, sets=True)


def settled(definition: Definition, lines: ScoredLines) -> Definition:
    """The definition, if it says how labels are averaged; else an error."""
    metric, arguments = definition.declaration, definition.arguments
    if definition.average is None:
        raise DefinitionError(
            f"{metric.name} of {numbered(lines.width, 'label')}: pass average='macro', "
            "'weighted', 'micro' or "
            f"'samples', or positive=LABEL for one; {metric.name}.per_class scores each of them."
        )
    if arguments.get("multi_class") not in (None, "ovr"):
        raise DefinitionError(
            f"multi_class={arguments['multi_class']!r} is for items with one class each, not for "
            "sets of labels: omit it"
        )
    if metric.probabilities:
        check_probabilities(lines.scores)
    kept = {key: value for key, value in arguments.items() if key != "multi_class"}
    if "multi_class" in arguments:
        kept["multi_class"] = None  # which means the same for classes
    if kept.get("scale", "") is None:
        kept["scale"] = "half"  # a label is present or not: two classes
    return definition.settled(parameters=tuple(kept.items()))


def statistic_of(definition: Definition, lines: ScoredLines) -> Means | LabelMeans | Rankings:
    """The score as a function of how often each line occurs."""
    if definition.declaration.kind == "loss":
        losses = _losses(definition, lines)
        unlimited = definition.unlimited
        if definition.average == "weighted":
            return LabelMeans(losses, lines.true, unlimited)
        return Means(losses.mean(1), unlimited)
    if definition.average == "samples":
        values = _of_each_item(definition, lines)
        if definition.undefined != "skip" and np.isnan(values).any():
            refuse_undefined(definition, lines)
            values = np.full(len(values), np.nan)
        return Means(values)
    if definition.average == "micro":
        every = lines.pooled()
        rankings = [Ranked(every.scores + 0.0, every.true, width=lines.width)]
    else:
        parts = map(lines.of_label, range(lines.width))
        rankings = [Ranked(part.scores + 0.0, part.true) for part in parts]
    return Rankings(definition, rankings, len(lines.scores))


def value_of(definition: Definition, lines: ScoredLines) -> float:
    """The score alone; labels are ranked one at a time, which needs the least memory."""
    if definition.declaration.kind == "loss" or definition.average == "samples":
        count = _counts(lines)
        return float(statistic_of(definition, lines).values(count)[..., 0])
    parts = [lines.pooled()] if definition.average == "micro" else _each_label(lines)
    values, positives = zip(*(_value_and_positives(definition, x) for x in parts), strict=True)
    return float(mean_over_rankings(definition, values, positives))


def _value_and_positives(definition: Definition, lines: ScoredLines) -> tuple[Any, Any]:
    """The score of lines that are positive or not, NaN if undefined, and how many are positive."""
    ratio_of = definition.ratio_of_areas
    if ratio_of is not None and lines.items is None and lines.weights is None:
        areas = kernel.rank_areas(lines.scores, lines.true)
        if areas is not None:
            top, bottom = ratio_of(areas)
            return (top / bottom if bottom else np.nan), areas[0]
    table = ranking_of(lines, True).table
    return table_values(definition, table), table.sizes[0]


def refuse_undefined(definition: Definition, lines: ScoredLines) -> None:
    """Raise, naming the label, if a score is undefined and undefined= is not set."""
    if definition.undefined is not None:
        return
    if definition.declaration.kind == "loss":
        raise InputError(
            f"the weighted mean of {definition.metric} weights each label by the items that have "
            "it, and no item has a label: use average='macro'"
        )
    if definition.average == "samples":
        at = int(np.argmax(np.isnan(_of_each_item(definition, lines))))
        raise InputError(
            f"{definition.metric} ranks the labels of each item, and item {at} has "
            f"{'all' if lines.true[at].any() else 'none'} of them: {_WAYS}"
        )
    for name, part in zip(lines.labels, _each_label(lines), strict=True):
        table = ranking_of(part, True).table
        if np.isnan(table_values(definition, table)):
            raise InputError(nothing_to_rank(definition, table, name))
    raise InputError(f"{definition.metric} is undefined: there is nothing to rank")


_WAYS = "use undefined='skip' to leave it out of the mean, or a number to count as its score"


def nothing_to_rank(definition: Definition, table: RankTable, name: Label) -> str:
    """Why a label cannot rank these items, and what to do."""
    return (
        f"{definition.metric} ranks the items that have a label against the others, but "
        f"{'all' if table.sizes[0] else 'none'} of the items have label {name!r}: {_WAYS}"
    )


def refuse_classes(definition: Definition) -> None:
    """Raise if an average is requested for a loss of items with one class each."""
    if definition.declaration.kind == "loss" and definition.average is not None:
        raise DefinitionError(
            f"{definition.metric} of items with one class each is already a mean over items: omit "
            "average=, which is for sets of labels"
        )


def _counts(lines: ScoredLines) -> Array:
    items = np.ones(len(lines.scores), np.int64) if lines.items is None else lines.items
    if lines.weights is None:
        return items
    weights: Array = lines.weights if lines.squares is not None else items * lines.weights
    return weights


def _each_label(lines: ScoredLines) -> Any:
    return map(lines.of_label, range(lines.width))


def _losses(definition: Definition, lines: ScoredLines) -> Array:
    """The loss of each item and label, which is present or not."""
    each = partial(definition.declaration.formula, **definition.arguments)
    losses = np.empty(lines.scores.shape)
    for at in range(lines.width):
        part = lines.of_label(at)
        both = np.stack([1 - part.scores, part.scores], 1)
        losses[:, at] = each(Predicted(part.true.astype(np.intp), both))
    return losses


def _of_each_item(definition: Definition, lines: ScoredLines) -> Array:
    """The score of each item's labels; NaN where it is undefined and undefined= is not set."""
    if lines.width < 2:
        raise ShapeError("average='samples' ranks the labels of each item: pass at least two")
    values = table_of_items(lines.true, lines.scores, partial(table_values, definition))
    fill = definition.undefined
    if not isinstance(fill, str) and fill is not None:
        values = np.where(np.isnan(values), fill, values)
    return values


def label_names(y_true: Any, scores: Any, labels: Any) -> Labels:
    """The labels of sets, in the order of the columns of scores."""
    names: Labels = with_labels(ScoredLines.of(y_true, scores, labels, sets=True)).labels
    return names
