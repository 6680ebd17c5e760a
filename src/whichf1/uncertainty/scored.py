"""Intervals for rankings and losses: DeLong, resampled scores, mean ± z standard errors."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, isfinite, sqrt

import numpy as np

from whichf1.definition import Definition
from whichf1.errors import DefinitionError
from whichf1.intervals import Bootstrap, Interval
from whichf1.metrics import find
from whichf1.table import Array, RankTable, Table
from whichf1.uncertainty.influence import normal_quantile, transformed
from whichf1.uncertainty.resampling import (
    CHUNK,
    acceleration,
    draws,
    generator,
    percentile_interval,
)


def ranking_interval(definition: Definition, table: RankTable, value: float) -> Interval | None:
    """An interval for a score of a ranking; None where the method has none."""
    metric, method = find(definition.metric), definition.interval
    if method is None:
        return None
    if isinstance(method, Bootstrap):
        replicates = np.concatenate(list(_resampled(definition, table, method)))
        skew = _jackknifed(definition, table) if method.kind == "bca" else None
        return percentile_interval(replicates, value, method, skew)
    if method.word not in ("delta", "delong"):
        raise DefinitionError(
            f"the interval {method.word!r} does not apply to {metric.name}. "
            "Use interval='delong' (for the ROC AUC) or 'bootstrap'."
        )
    if metric.variance is None or dict(definition.parameters).get("max_fpr") is not None:
        if method.word == "delong":
            raise DefinitionError(
                f"DeLong's variance is that of the whole ROC AUC, not of "
                f"{definition.signature}. Use interval='bootstrap'."
            )
        return None
    error = sqrt(float(metric.variance(table)))
    return transformed(value, error, metric.bounds, method.level, method.word)


def _resampled(definition: Definition, table: RankTable, method: Bootstrap) -> Iterator[Array]:
    """The score of resampled items: cells are the positives and the negatives of each score."""
    both, cells = _cells(table)
    at = np.arange(len(cells))
    items = Table(at, at, both[cells], len(cells))
    for count in draws(items, method.replicates, generator(method.seed)):
        whole = np.zeros((len(count), len(both)))
        whole[:, cells] = count
        yield _values(definition, table, whole)


def _jackknifed(definition: Definition, table: RankTable) -> float:
    """The acceleration from leaving out one item of each cell in turn."""
    both, cells = _cells(table)
    step = max(1, CHUNK // len(both))
    parts = []
    for start in range(0, len(cells), step):
        left_out = cells[start : start + step]
        whole = np.repeat(both[None], len(left_out), 0)
        whole[np.arange(len(left_out)), left_out] -= 1
        parts.append(_values(definition, table, whole))
    values = np.concatenate(parts)
    times = np.where(np.isnan(values), 0, both[cells])
    values = np.nan_to_num(values)
    return acceleration(times, (times * values).sum() / max(times.sum(), 1) - values)


def _cells(table: RankTable) -> tuple[Array, Array]:
    both = np.concatenate([table.positives, table.negatives]).astype(np.float64)
    return both, np.flatnonzero(both)


def _values(definition: Definition, table: RankTable, whole: Array) -> Array:
    size = len(table.score)
    batch = RankTable(table.score, whole[:, :size], whole[:, size:])
    with np.errstate(divide="ignore", invalid="ignore"):  # a replicate without one class
        top, bottom = find(definition.metric).formula(batch, **dict(definition.parameters))
        values: Array = np.where(bottom == 0, np.nan, top / bottom)
    return values


def mean_interval(definition: Definition, mean: float, error: float) -> Interval | None:
    """mean ± z·error for a mean over items: on the logit scale between two bounds."""
    method = definition.interval
    if method is None:
        return None
    if method.word != "delta":
        raise DefinitionError(
            f"the interval {method.word!r} does not apply to {definition.metric}, a mean over "
            "items of which only sums are kept. Use interval='delta'."
        )
    low, high = find(definition.metric).bounds
    if high < inf:
        return transformed(mean, error, (low, high), method.level, method.word)
    if not (isfinite(mean) and isfinite(error)) or error <= 1e-12:
        return None
    half = normal_quantile((1 + method.level) / 2) * error
    return Interval(max(low, mean - half), mean + half, method.level, method.word)
