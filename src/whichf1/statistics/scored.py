"""Intervals for rankings and losses: delta and DeLong, resampled items, mean ± z errors."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite

import numpy as np

from whichf1.definitions.definition import Definition
from whichf1.definitions.methods import Bootstrap, Interval
from whichf1.errors import DefinitionError
from whichf1.statistics.areas import area_spread
from whichf1.statistics.influence import spread_on, standard_error
from whichf1.statistics.ranking import OfTable, Scored, kinds
from whichf1.statistics.resampling import draws, generator, percentile_interval
from whichf1.statistics.scales import NONE, Spread, normal_quantile, transformed
from whichf1.statistics.strata import spread_over
from whichf1.tables.cells import Array, RankTable, Table


def table_interval(definition: Definition, table: RankTable, value: float) -> Interval | None:
    """An interval for the score of a ranking without weights."""
    metric, method = definition.declaration, definition.interval
    whole_area = metric.name == "roc_auc" and definition.arguments["max_fpr"] is None
    if method is None or isinstance(method, Bootstrap) or not whole_area:
        cells = OfTable(definition, table)
        return scored_interval(definition, cells, cells.items, value)
    refuse_other(definition)
    spread = area_spread(table, value)
    return transformed(value, spread, metric.bounds, method.level, method.word)


def scored_interval(
    definition: Definition, scored: Scored, items: Table, value: float
) -> Interval | None:
    """An interval for a score of items; None where the method has none."""
    metric, method = definition.declaration, definition.interval
    if method is None:
        return None
    ranking = metric.kind == "ranking"
    if isinstance(method, Bootstrap):
        values = replicated(*kinds([scored], items), method.replicates, method.seed)[:, 0]
        skew = None
        if method.kind == "bca":  # what hangs on single items has no acceleration to be known
            own = spread_on(scored.slopes(items.count), items).skew if metric.smooth else 0.0
            skew = (own or 0.0) / 6
        return percentile_interval(values, value, method, skew)
    refuse_other(definition)
    if ranking:
        spread = spread_over(scored, items)
        return transformed(value, spread, metric.bounds, method.level, method.word)
    return mean_interval(definition, value, standard_error(scored.slopes(items.count), items))


def refuse_other(definition: Definition) -> None:
    """Raise where the method is not for the metric."""
    metric, method = definition.declaration, definition.interval
    if method is None or isinstance(method, Bootstrap):
        return
    if method.word == "delong":
        if metric.name != "roc_auc" or definition.arguments["max_fpr"] is not None:
            raise DefinitionError(
                f"DeLong's variance is that of the whole ROC AUC, not of {definition.signature}. "
                f"Use interval={'delta' if metric.smooth else 'bootstrap'!r}."
            )
    elif method.word != "delta":
        raise DefinitionError(
            f"the interval {method.word!r} does not apply to {metric.name}. "
            f"Use interval={'delta' if metric.smooth else 'bootstrap'!r}."
        )


def replicated(scored: Sequence[Scored], items: Table, replicates: int, seed: int) -> Array:
    """The scores of several systems on every replicate (replicates, systems), items in common."""
    parts = [
        np.stack([each.values(count) for each in scored], 1)
        for count in draws(items, replicates, generator(seed))
    ]
    return np.concatenate(parts)


def mean_interval(definition: Definition, mean: float, error: float) -> Interval | None:
    """mean ± z·error for a mean over items: on the logit scale between two bounds.

    Sums of a loss do not keep its skewness, and where items are at hand nothing else is done.
    """
    method = definition.interval
    if method is None:
        return None
    low, high = definition.declaration.bounds
    if high < inf:
        return transformed(mean, Spread(error), (low, high), method.level, method.word)
    if not (isfinite(mean) and isfinite(error)) or error <= NONE:
        return None
    half = normal_quantile((1 + method.level) / 2) * error
    return Interval(max(low, mean - half), mean + half, method.level, method.word)
