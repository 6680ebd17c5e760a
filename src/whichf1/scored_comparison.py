"""compare for systems that give scores: AUCs after DeLong, losses by paired differences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from whichf1.compared import Comparison, Pair, Plan, letters_of, normal_pair, p_best
from whichf1.definition import Definition
from whichf1.errors import DefinitionError, InputError
from whichf1.metrics import find
from whichf1.scores import Score, run
from whichf1.sources.scored import binary, items_of, numbers, predicted, predicted_binary
from whichf1.table import Array, Predicted
from whichf1.uncertainty import delong
from whichf1.uncertainty.paired import holm


class Evidence(NamedTuple):
    """What the items say of the scores of several systems."""

    error: Callable[[int, int], float]
    """The standard error of the difference between two of them."""
    covariance: Array


def compare_scores(
    definition: Definition,
    plan: Plan,
    y_true: Any,
    systems: Mapping[str, Any],
    data: Mapping[str, Any],
) -> Comparison:
    """Compare systems by an AUC or a loss: differences, tests and P(best)."""
    if len(systems) < 2:
        raise InputError(f"a comparison needs at least two systems; got {len(systems)}")
    if data["weights"] is not None or data["cluster"] is not None:
        raise DefinitionError(
            f"{definition.metric} is compared on single items: leave weights= and cluster= out"
        )
    labels = data["labels"]
    scores = {str(name): run(definition, y_true, each, labels) for name, each in systems.items()}
    own = next(iter(scores.values())).definition
    if find(own.metric).kind == "ranking":
        evidence = _areas(own, y_true, systems, labels)
    else:
        evidence = _means(own, y_true, systems, labels)
    return _comparison(own, plan, scores, evidence)


def _comparison(
    definition: Definition, plan: Plan, scores: dict[str, Score], evidence: Evidence
) -> Comparison:
    names = tuple(scores)
    pairs: list[Pair] = []
    for a, b in combinations(range(len(names)), 2):
        difference = scores[names[a]].value - scores[names[b]].value
        error = evidence.error(a, b)
        pairs.append(normal_pair(definition, plan, names[a], names[b], difference, error, scores))
    adjusted = holm([pair.p_value for pair in pairs])
    pairs = [replace(pair, p_adjusted=p) for pair, p in zip(pairs, adjusted, strict=True)]
    best = {}
    if plan.replicates and np.isfinite(evidence.covariance).all():
        values = [scores[name].value for name in names]
        rng = np.random.Generator(np.random.PCG64(plan.seed))
        drawn = rng.multivariate_normal(
            values, evidence.covariance, plan.replicates, check_valid="ignore", method="eigh"
        )
        best = p_best(definition, names, drawn)
    return Comparison(
        definition, plan, scores, tuple(pairs), best, letters_of(definition, scores, pairs)
    )


def _areas(
    definition: Definition, y_true: Any, systems: Mapping[str, Any], labels: Any
) -> Evidence:
    metric, parameters = find(definition.metric), dict(definition.parameters)
    if metric.variance is None or any(x is not None for x in parameters.values()):
        raise DefinitionError(
            f"there is no paired test for {definition.signature}. Compare roc_auc of one positive "
            "class, or a loss."
        )
    placed = []
    for each in systems.values():
        items, values, _, own = binary(y_true, each, definition.positive, labels)
        placed.append(delong.placements(values + 0.0, items_of(items, own)))
    return Evidence(
        lambda a, b: delong.difference_error(placed[a], placed[b]), delong.covariance(placed)
    )


def _means(
    definition: Definition, y_true: Any, systems: Mapping[str, Any], labels: Any
) -> Evidence:
    metric = find(definition.metric)
    if metric.kind != "loss":
        raise DefinitionError(f"there is no paired test for {metric.name}. Compare a loss.")
    losses = [_item_losses(definition, y_true, each, labels) for each in systems.values()]
    return Evidence(
        lambda a, b: delong.mean_difference_error(losses[a], losses[b]),
        delong.mean_covariance(losses),
    )


def _item_losses(definition: Definition, y_true: Any, scores: Any, labels: Any) -> Array:
    """The loss of each item: the metric's own formula on each item alone."""
    metric, parameters = find(definition.metric), dict(definition.parameters)
    values = numbers(scores, "probabilities" if metric.probabilities else "scores")
    if metric.probabilities and values.ndim == 1:
        items = predicted_binary(y_true, values, positive=definition.positive, labels=labels)[0]
    else:
        flag = metric.probabilities
        items = predicted(y_true, values, labels=labels, probabilities=flag)[0]
    singles = (
        Predicted(items.codes[at : at + 1], items.scores[at : at + 1])
        for at in range(len(items.codes))
    )
    totals = (metric.formula(each, **parameters).total for each in singles)
    return np.fromiter(totals, np.float64, len(items.codes))
