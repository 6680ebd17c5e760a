"""Crossed: the scores of all runs on the items of a data set, and how they vary with the items.

Every run sees the same items, so their scores covary. Means over runs and tests of systems
with several runs need only this covariance and the scores themselves (Obuchowski and
Rockette 1995), whatever the score is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np

from whichf1.definitions.definition import Definition
from whichf1.errors import InputError
from whichf1.metrics import COUNTED
from whichf1.scoring.evaluate import evaluate_systems
from whichf1.scoring.lines import bounded, read_items
from whichf1.statistics.cells import shared_cells
from whichf1.statistics.intervals import replicates as replicates_of
from whichf1.statistics.scales import Spread, tested_spread
from whichf1.tables.cells import Array
from whichf1.tables.counts import Counts
from whichf1.tables.labels import VALUE, Labels
from whichf1.tables.trials import DataSet, RunKey, named

DENSE = 1 << 20
"""Up to this many cells, the slope of an item is looked up in a table of all cells."""


@dataclass(frozen=True, eq=False)
class Crossed:
    """The scores of runs on the same items."""

    name: str
    """The data set."""
    definition: Definition
    labels: Labels
    """The classes that are averaged over."""
    keys: tuple[RunKey, ...]
    values: Array
    """The score of each run; with folds that are averaged, the mean over folds."""
    folds: Array | None
    """The score of each run (rows) on each fold."""
    shares: Array | None
    """What share of the items each run has in each fold."""
    parts: Mapping[str, Array] | None
    """What each item, or cluster, adds to the mean of each system; None if that is not known."""
    covariance: Array
    """The covariance of the scores, over items."""
    counts: tuple[Counts, ...] | None
    """The counts of each run, or of each of its folds; None of scores."""
    n: int
    clusters: int | None = None
    matched: bool = True

    def rows(self, system: str) -> list[int]:
        """The runs of a system."""
        return [at for at, key in enumerate(self.keys) if key.system == system]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, in order of appearance."""
        return tuple(dict.fromkeys(key.system for key in self.keys))

    def spread(self, a: str, b: str | None = None) -> Spread:
        """How the mean of a system's runs, or the difference of two means, varies with items."""
        if self.parts is None:
            weights = self._weights(a) - (0.0 if b is None else self._weights(b))
            variance = float(weights @ self.covariance @ weights)
            return Spread(sqrt(max(variance, 0.0)))
        parts = self.parts[a] if b is None else self.parts[a] - self.parts[b]
        runs = max(len(self.rows(x)) for x in (a, b) if x is not None)
        if runs == 1:  # the skewness matters too
            return tested_spread(parts, np.ones(len(parts)))
        squares = parts * parts
        square = float(squares.sum())
        uncertain = float((squares * squares).sum()) - square**2 / len(parts)
        freedom = max(2 * square**2 / uncertain, 1.0) if uncertain > 0 else inf
        return Spread(sqrt(square), freedom=freedom)

    def _weights(self, system: str) -> Array:
        weights = np.zeros(len(self.keys))
        weights[self.rows(system)] = 1 / len(self.rows(system))
        return weights


def cross(
    name: str,
    data: DataSet,
    definition: Definition,
    *,
    pooled: bool = False,
    replicates: int = 999,
    seed: int = 0,
) -> Crossed:
    """Score every run of a data set; folds are averaged unless they are pooled."""
    plain = definition.settled(interval=None)
    counted = plain.declaration.kind in COUNTED
    _refuse_other(plain, data)
    data = _kept(name, data, plain)
    groups = _groups(data, pooled)
    valued = plain.declaration.kind == "value"
    score = _score_values if valued else _score_classes if counted else _score_ranked
    scored = score(data, plain, groups)
    by_group = _by_group(name, scored, data.keys)
    parts, systems, clusters = scored.parts, None, None
    if parts is not None:
        parts, clusters = _clustered(parts, data)
        covariance = parts @ parts.T
        if data.matched:
            systems = {x: parts[data.rows(x)].mean(0) for x in data.systems}
    else:
        covariance = _resampled(data, plain, replicates, seed)
    if not data.matched:
        covariance = _unmatched(data, covariance)
    folded = data.folds is not None and not pooled
    shares = np.array([[mask.mean() for mask in each] for each in groups]) if folded else None
    return Crossed(
        name=name,
        definition=scored.definition,
        labels=scored.labels,
        keys=data.keys,
        values=by_group.mean(1),
        folds=by_group if folded else None,
        shares=shares,
        parts=systems,
        covariance=covariance,
        counts=scored.counts,
        n=data.n,
        clusters=clusters,
        matched=data.matched,
    )


def _refuse_other(definition: Definition, data: DataSet) -> None:
    """Raise unless the metric is computed from what the runs have."""
    needed = {"items": "sets of labels", "label ranking": "sets of labels", "value": "values"}
    kind = definition.declaration.kind
    what = needed.get(kind, "predicted classes" if kind in COUNTED else "scores")
    held = "values" if data.labels == VALUE else "scores" if data.scored else "predicted classes"
    if what != held:
        give = {"values": "value=", "scores": "score=", "predicted classes": "pred="}
        other = f", or give {give[what]}" if what in give else ""
        raise InputError(
            f"{definition.metric} is computed from {what}, and this study has {held}. Choose "
            f"another metric{other}."
        )


class ScoredGroups(NamedTuple):
    """The score of each group of items, and what each item adds to the mean of each run."""

    definition: Definition
    labels: Labels
    values: Array
    parts: Array | None
    """None of a score that depends on individual items."""
    counts: tuple[Counts, ...] | None = None


def _by_group(name: str, scored: ScoredGroups, keys: Sequence[RunKey]) -> Array:
    """The scores of each run (rows), which must be finite."""
    by_group = scored.values.reshape(len(keys), -1)
    if not np.isfinite(by_group).all():
        row, _ = np.argwhere(~np.isfinite(by_group))[0]
        raise InputError(
            f"{named(name)}{scored.definition.metric} of {keys[row]} is undefined or infinite: "
            "choose undefined=0, or another metric"
        )
    return by_group


def rescored(crossed: Crossed, definition: Definition) -> tuple[ScoredGroups, Array]:
    """The scores of the same counts under another definition, and the mean of each run."""
    assert crossed.counts is not None
    scored, _ = _evaluated(crossed.counts, definition.settled(interval=None))
    return scored, _by_group(crossed.name, scored, crossed.keys).mean(1)


def _kept(name: str, data: DataSet, definition: Definition) -> DataSet:
    """The data without the items of ignored classes."""
    if not definition.ignore:
        return data
    dropped = [data.labels.code(x) for x in definition.ignore if x in data.labels]
    keep = ~np.isin(data.true, dropped)
    if not keep.any():
        raise InputError(f"{named(name)}there are no items to score: all are ignored")
    return data if keep.all() else data.at(np.flatnonzero(keep))


def _groups(data: DataSet, pooled: bool) -> list[list[Any]]:
    """The items of each run that are scored together: all of them, or those of each fold."""
    if data.folds is None or pooled:
        return [[slice(None) if here.all() else here] for here in data.present]
    size = len(data.fold_names or ())
    groups = [
        [here & (folds == at) for at in range(size)]
        for here, folds in zip(data.present, data.folds, strict=True)
    ]
    for key, each in zip(data.keys, groups, strict=True):
        empty = [
            str(x) for x, mask in zip(data.fold_names or (), each, strict=True) if not mask.any()
        ]
        if empty:
            raise InputError(
                f"{key} has no items in fold {', '.join(empty[:5])}: every run needs the same "
                "folds. Name repetitions with run=, or omit fold= to pool all items."
            )
    return groups


def _score_classes(data: DataSet, definition: Definition, groups: list[list[Any]]) -> ScoredGroups:
    """The scores of predicted classes."""
    k = len(data.labels)
    narrow = np.int32 if k * k < 1 << 31 else np.int64
    keys = data.true.astype(narrow) * k + data.predicted
    sides = [_counts(data, keys[row][mask]) for row, masks in enumerate(groups) for mask in masks]
    if not data.declared:
        seen = np.zeros(k, bool)
        for each in sides:
            seen[each.true] = seen[each.predicted] = True
        codes = np.flatnonzero(seen)
        sides = [each._over(codes) for each in sides]
    scored, statistics = _evaluated(sides, definition)
    if not definition.declaration.smooth:
        return scored
    parts, at = np.zeros((len(groups), data.n)), 0
    for row, masks in enumerate(groups):
        for mask in masks:
            statistic, counts = statistics[at], sides[at]
            slope = statistic.slope(counts.table.count)
            slope = slope - (slope * counts.count).sum() / counts.n
            here = data.labels.codes(counts.labels)
            cells = here[counts.true] * k + here[counts.predicted]
            slope *= sqrt(data.n / max(data.n - 1, 1)) / len(masks)
            parts[row, mask] = _looked_up(cells, slope, keys[row][mask], k)
            at += 1
    return scored._replace(parts=parts)


def _evaluated(
    sides: Sequence[Counts], definition: Definition
) -> tuple[ScoredGroups, Sequence[Any]]:
    """The score of each table of counts, and their statistics."""
    scores, statistics = evaluate_systems(definition, {str(x): y for x, y in enumerate(sides)})
    first = next(iter(scores.values()))
    values = np.array([score.value for score in scores.values()])
    scored = ScoredGroups(first.definition, first.classes, values, None, tuple(sides))
    return scored, statistics


def _looked_up(cells: Array, slope: Array, keys: Array, k: int) -> Array:
    """The slope of each item, by its cell."""
    if k * k <= DENSE:
        table = np.zeros(k * k)
        table[cells] = slope
        return table[keys]
    order = np.argsort(cells)
    found: Array = slope[order][np.searchsorted(cells, keys, sorter=order)]
    return found


def _counts(data: DataSet, keys: Array) -> Counts:
    k = len(data.labels)
    if k * k <= DENSE:
        cells = np.bincount(keys, minlength=k * k)
        filled = np.flatnonzero(cells)
        count = cells[filled]
    else:
        filled, count = np.unique(keys, return_counts=True)
    true, predicted = np.divmod(filled, k)
    return Counts(data.labels, true, predicted, count, declared=data.declared, in_order=True)


def _score_ranked(data: DataSet, definition: Definition, groups: list[list[Any]]) -> ScoredGroups:
    """The same of scores."""
    names = np.array(data.labels) if data.labels.kind != "str" else np.array(data.labels, object)
    parts = np.zeros((len(groups), data.n))
    values = []
    settled, labels = definition, data.labels
    smooth = definition.declaration.smooth
    for row, masks in enumerate(groups):
        for mask in masks:
            true = names[data.true[mask]]
            declared = {"labels": data.labels} if data.declared else {}
            (items,), sample = read_items(definition, true, [data.predicted[row][mask]], **declared)
            settled, labels = items.definition, items.labels
            values.append(float(np.ravel(items.statistic.values(sample.count))[0]))
            if smooth:
                slope = sample.centred(items.statistic.slope(sample.count))
                strata = np.zeros(len(slope), np.intp) if sample.stratum is None else sample.stratum
                size = np.maximum(np.bincount(strata)[strata], 2)
                parts[row, mask] += slope * np.sqrt(size / (size - 1)) / len(masks)
    return ScoredGroups(settled, labels, np.array(values), parts if smooth else None)


def _score_values(data: DataSet, definition: Definition, groups: list[list[Any]]) -> ScoredGroups:
    """The same of values that items have."""
    parts = np.zeros((len(groups), data.n))
    values = []
    definition = bounded(definition, data.predicted[data.present])
    for row, masks in enumerate(groups):
        for mask in masks:
            each = data.predicted[row][mask]
            values.append(float(each.mean()))
            size = len(each)
            slope = (each - each.mean()) / size * sqrt(size / max(size - 1, 1))
            parts[row, mask] = slope / len(masks)
    return ScoredGroups(definition, data.labels, np.array(values), parts)


def _clustered(parts: Array, data: DataSet) -> tuple[Array, int | None]:
    """What each cluster contributes, if items come in clusters."""
    if data.cluster is None:
        return parts, None
    size = int(data.cluster.max()) + 1
    if size < 2:
        raise InputError(f"all items are in one cluster, {(data.cluster_names or ('',))[0]!r}")
    sums = np.stack([np.bincount(data.cluster, x, size) for x in parts])
    return sums * sqrt(size / (size - 1) * (data.n - 1) / data.n), size


def _resampled(data: DataSet, definition: Definition, replicates: int, seed: int) -> Array:
    """The covariance of scores without a slope, from resampled items."""
    if not data.complete or data.folds is not None or data.cluster is not None:
        raise InputError(
            f"{definition.metric} depends on individual items, so its variance is estimated by "
            "resampling, for which every run needs every item, without folds or clusters. Choose "
            "another metric."
        )
    statistics: Any
    if data.scored:
        names = np.array(data.labels, object)
        items, sample = read_items(definition, names[data.true], [*data.predicted])
        statistics = [each.statistic for each in items]
    else:
        ones = np.ones(data.n, np.int64)
        sides = tuple(x.astype(np.intp) for x in data.predicted)
        systems = tuple(str(at) for at in range(len(sides)))
        counts = Counts(data.labels, data.true.astype(np.intp), sides, ones,
                        declared=data.declared, systems=systems)  # fmt: skip
        counts = counts.observed()
        own = {name: counts.system(at) for at, name in enumerate(systems)}
        statistics, sample = shared_cells(evaluate_systems(definition, own)[1], counts)
    drawn = replicates_of(statistics, sample, replicates, seed)
    known = drawn[np.isfinite(drawn).all(1)]
    return np.atleast_2d(np.cov(known, rowvar=False)) if len(known) > 1 else np.full(
        (len(data.keys),) * 2, inf
    )  # fmt: skip


def _unmatched(data: DataSet, covariance: Array) -> Array:
    """The most that can be said from the counts of runs: the largest possible covariance between
    runs of a system, and none between systems, so that no difference looks more certain than it is.
    """
    error = np.sqrt(np.diag(covariance))
    same = np.array([[a.system == b.system for b in data.keys] for a in data.keys])
    cautious: Array = np.where(same, np.outer(error, error), 0.0)
    return cautious
