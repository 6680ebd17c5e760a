"""Systems compared by a value of each item: a metric from a log, a rating, a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import numpy as np

from whichf1.comparison.compare import Comparison, compare_items, refuse_few
from whichf1.comparison.pair import Plan
from whichf1.definitions.definition import Definition
from whichf1.definitions.methods import Auto
from whichf1.errors import InputError
from whichf1.metrics import Metric
from whichf1.metrics.registry import Parameter
from whichf1.scoring.lines import ScoredItems, sampled
from whichf1.sources.logs import VALUE
from whichf1.sources.sequences import refuse_lengths
from whichf1.sources.trials import scores_column
from whichf1.statistics.items import Means
from whichf1.tables.cells import Array


def _metric(name: str, bounds: tuple[float, float]) -> Metric:
    """The mean of a value with this name; it has no formula, so it is not in the registry."""
    metric = Metric(
        name="mean_value",
        kind="loss",
        formula=np.asarray,
        summary="Mean over items of a value of each.",
        tex=r"\frac{1}{n}\sum_i v_i",
        title=f"mean {name}",
        bounds=bounds,
    )
    metric.__dict__["parameters"] = {"of": Parameter(name)}
    return metric


def value_definition(name: str, values: Sequence[Array], level: float = 0.95) -> Definition:
    """The mean of a value, with larger ones better; it is bounded if all are in [0, 1]."""
    known = [each[~np.isnan(each)] for each in values]
    fractions = all(((each >= 0) & (each <= 1)).all() for each in known)
    plain = Definition(metric="log_loss")
    definition = plain.settled(
        metric="mean_value", parameters=(("of", name),), interval=Auto(level=level)
    )
    definition.__dict__["declaration"] = _metric(name, (0, 1) if fractions else (-inf, inf))
    return definition


def compare_values(
    systems: Mapping[str, Any], name: str, plan: Plan, level: float = 0.95, cluster: Any = None
) -> Comparison:
    """Compare systems by their values for the same items."""
    refuse_few(systems)
    values = {str(system): scores_column(each, str(system)) for system, each in systems.items()}
    first = next(iter(values.values()))
    if not len(first):
        raise InputError("there are no items")
    for system, each in values.items():
        refuse_lengths(len(first), len(each), system)
    definition = value_definition(name, [*values.values()], level)
    items = [ScoredItems(definition, Means(each), None, VALUE) for each in values.values()]
    return compare_items(plan, [*values], items, sampled(items[0], None, cluster))
