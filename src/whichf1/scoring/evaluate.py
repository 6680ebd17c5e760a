"""From a definition and data to a Score: the functions that run definitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from whichf1.definitions.class_sets import Frozen
from whichf1.definitions.definition import Definition
from whichf1.definitions.methods import Interval
from whichf1.errors import DefinitionError
from whichf1.metrics import COUNTED
from whichf1.scoring.fitting import refuse_other_data
from whichf1.scoring.score import PerClass, Score, warn_of_other_data
from whichf1.sources.arrays import count_margins
from whichf1.sources.count import as_counts
from whichf1.sources.request import is_path
from whichf1.statistics.intervals import estimate
from whichf1.tables.cells import Array, Margins, every_class
from whichf1.tables.counts import Counts
from whichf1.tables.joint import ClusteredCounts, Joint
from whichf1.tables.labels import Labels


def run(
    definition: Definition,
    y_true: Any,
    y_pred: Any = None,
    labels: Any = None,
    weights: Any = None,
    cluster: Any = None,
    **named: Any,
) -> Score:
    """Run a definition on what it is computed from: counts or predictions, scores, labels.

    ``named`` are the columns of a dataframe or file, and how it is read.
    """
    alone = labels is None and weights is None and cluster is None and not named
    if alone and definition.needs_margins_only:
        found = count_margins(y_true, y_pred)
        if found is not None:
            return _of_margins(definition, len(y_true), *found)
    data = {"labels": labels, "weights": weights, "cluster": cluster}
    if definition.declaration.kind in (*COUNTED, "items"):
        return _of_predictions(definition, y_true, y_pred, data, named)
    from whichf1.scoring.scores import evaluate_scores

    return evaluate_scores(definition, y_true, y_pred, **data, **named)


def _of_predictions(
    definition: Definition, y_true: Any, y_pred: Any, data: dict[str, Any], named: dict[str, Any]
) -> Score:
    if "score" in named:
        raise DefinitionError(
            f"{definition.metric} is computed from predictions: name their column with pred=, or "
            "decide with at_threshold(rank(...), threshold=...)"
        )
    sets = definition.declaration.kind == "items" or definition.average == "samples"
    if sets and y_pred is not None and not named and not is_path(y_true):
        from whichf1.sources.label_sets import count_multilabel

        counted: Any = count_multilabel(y_true, y_pred, **data)
        return evaluate(definition, counted)
    if definition.batch is None or isinstance(y_true, Counts):
        return evaluate(definition, as_counts(y_true, y_pred, **data, **named))
    from whichf1.scoring.batches import evaluate_batches

    if data["weights"] is not None or data["cluster"] is not None or named:
        raise DefinitionError(
            "a mean over batches takes no weights, no clusters and no columns: give arrays"
        )
    return evaluate_batches(definition, y_true, y_pred, data["labels"])


def _of_margins(definition: Definition, n: int, labels: Labels, margins: Margins) -> Score:
    table: Any = margins  # all that the formula of a rate looks at
    frozen = Frozen(table, every_class(len(labels)), labels)
    return Score(float(definition.values(frozen)), definition, n, labels)


def evaluate(definition: Definition, counts: Counts) -> Score:
    """Run a definition on counts."""
    metric = definition.declaration
    refuse_other_data(definition, counts)
    if metric.kind == "rate" and definition.average is None and definition.positive is None:
        raise DefinitionError(
            f"{metric.name} of which class? Pass positive=CLASS, average='macro', 'weighted' or "
            f"'micro', or call {metric.name}.per_class for all of them."
        )
    frozen = frozen_on(definition, counts)
    values, intervals = _estimate(definition, frozen, counts)
    value, n = float(values[0]), _items(frozen, counts)
    return Score(value, definition, n, frozen.labels, intervals[0], _made(counts))


def evaluate_each(definition: Definition, systems: Mapping[str, Counts]) -> dict[str, Score]:
    """Run a definition on the counts of several systems, which have their data in common."""
    plain = replace(definition, data=())
    scores = {name: evaluate(plain, counts) for name, counts in systems.items()}
    warn_of_other_data(definition, scores.values())
    return scores


def evaluate_per_class(definition: Definition, counts: Counts) -> PerClass:
    """Run a definition on every class of its class set."""
    frozen = frozen_on(definition, counts)
    values, intervals = _estimate(definition, frozen, counts)
    n, made = _items(frozen, counts), _made(counts)
    return PerClass(values, definition, n, frozen.labels, tuple(intervals), made)


def _estimate(
    definition: Definition, frozen: Frozen, counts: Counts
) -> tuple[Array, list[Interval | None]]:
    """Values and intervals; none where weights were added up without their squares."""
    if counts.weighted and getattr(counts, "squares", None) is None:
        definition = replace(definition, interval=None)
    return estimate(definition, frozen)


def frozen_on(definition: Definition, counts: Counts, joint: Joint | None = None) -> Frozen:
    """The class set is fixed on the counts; the cells are those of the clusters or of ``joint``."""
    frozen = definition.freeze(counts)
    if joint is None and isinstance(counts, ClusteredCounts):
        joint = counts.joint
    if joint is not None:
        fine = joint.without(definition.ignore).table(0, frozen.table.classes)
        frozen = frozen._replace(table=fine)
    if definition.positive is not None:
        frozen = frozen._replace(classes=counts.labels.codes([definition.positive]))
    return frozen


def _items(frozen: Frozen, counts: Counts) -> int | float:
    if frozen.table is counts.table:
        return counts.n  # exact, also beyond 2⁵³
    n = float(frozen.table.total)
    return n if counts.weighted else int(n)


def _made(counts: Counts) -> tuple[tuple[str, Any], ...]:
    known = counts.joint if isinstance(counts, ClusteredCounts) else counts
    clusters = getattr(known, "clusters", None)
    if clusters is None and counts.decision is None and not counts.weighted:
        return ()
    weighted = counts.weighted or None
    made = {"decision": counts.decision, "weighted": weighted, "clusters": clusters}
    return tuple((key, value) for key, value in made.items() if value is not None)
