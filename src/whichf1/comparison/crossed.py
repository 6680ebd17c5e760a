"""Crossed: the scores of all runs on the items of a data set, and how they vary with the items.

Every run sees the same items, so their scores covary. Means over runs and tests of systems
with several runs need only this covariance and the scores themselves (Obuchowski and
Rockette 1995), whatever the score is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np

from whichf1.definitions.definition import Definition
from whichf1.errors import InputError
from whichf1.metrics.hierarchies import ancestors
from whichf1.scoring.evaluate import evaluate_systems, rate_of_ancestors
from whichf1.scoring.lines import ScoredItems, bounded, read_items
from whichf1.statistics.cells import shared_cells
from whichf1.statistics.intervals import replicates as replicates_of
from whichf1.statistics.sample import Sample
from whichf1.statistics.scales import Spread, tested_spread
from whichf1.tables.cells import Array
from whichf1.tables.counts import Counts
from whichf1.tables.label_sets import MultiLabelCounts, outcomes
from whichf1.tables.labels import VALUE, Labels
from whichf1.tables.records import dataclass
from whichf1.tables.trials import DataSet, RunKey, items_in_words, named
from whichf1.tables.units import worth

TINY = np.finfo(float).tiny
DENSE = 1 << 20
"""Up to this many cells, the slope of an item is looked up in a table of all cells."""


class BetweenModels(NamedTuple):
    """How the scores of folds vary with the models, between repetitions of a cross-validation.

    An item is predicted once in each repetition, by another model. What differs from its mean over
    repetitions is due to models, and models differ as the folds of a repetition do: these have the
    items in one model that the others lack (rows and columns are runs; only those of the same
    repetition are filled).
    """

    models: Array
    """The covariance of the scores of models on new items, over training sets of these items."""
    noise: Array
    """The covariance of the mean of a fold, by single items on which a model differs."""
    shared: Array
    """The covariance of what items add to a mean as test items and as training items."""


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
    """What each item, or cluster, adds to the mean of each system; None if that is not known.

    With folds that are averaged, this is relative to the mean of all folds: the all-pairs estimate
    of Bayle et al. (2020), which needs no two items in a fold."""
    covariance: Array
    """The covariance of the scores, over items."""
    counts: tuple[Counts, ...] | None
    """The counts of each run, or of each of its folds; None of scores."""
    n: int
    clusters: int | None = None
    matched: bool = True
    weighted: bool = False
    between: BetweenModels | None = None
    """None without repetitions of a cross-validation on the same items, or with clusters."""

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
    _refuse_other(plain, data)
    data = _kept(name, data, plain)
    groups = _groups(data, pooled)
    score = _score_items if data.scored else _score_classes if data.sets is None else _score_sets
    scored = score(data, plain, groups)
    by_group = _by_group(name, scored, data.keys)
    folded = data.folds is not None and not pooled
    parts, systems, clusters, between = scored.parts, None, None, None
    if parts is not None:
        if folded:
            parts = parts + _between_folds(data, by_group, groups)
            if data.complete and data.matched and data.cluster is None and data.folds is not None:
                between = between_models(data.keys, parts, by_group, data.folds, data.weights)
        parts, clusters = _clustered(parts, data)
        covariance = parts @ parts.T
        if data.matched:
            systems = {x: parts[data.rows(x)].mean(0) for x in data.systems}
    else:
        covariance = _resampled(data, plain, replicates, seed)
    if not data.matched:
        covariance = _unmatched(data, covariance)
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
        weighted=data.weights is not None,
        between=between,
    )


SOURCES = {
    "predicted classes": "pred=",
    "sets of labels": "sets of labels as pred=",
    "scores": "score=, or probs= for a score of each class",
    "scores of labels": "sets of labels, and probs= with a score of each label",
    "values": "value=",
}
"""What runs have, and how it is passed."""


def _refuse_other(definition: Definition, data: DataSet) -> None:
    """Raise unless the metric is computed from what the runs have."""
    metric = definition.declaration
    if data.labels == VALUE:
        held = "values"
    elif data.scored:
        held = "scores" if data.sets is None else "scores of labels"
    else:
        held = "predicted classes" if data.sets is None else "sets of labels"
    fitting = {
        "items": ["sets of labels"],
        "label ranking": ["scores of labels"],
        "value": ["values"],
        "rate": ["predicted classes", "sets of labels"],
        "loss": ["scores", "scores of labels"],
        "ranking": ["scores", "scores of labels"],
    }.get(metric.kind, ["predicted classes"])
    if metric.of_ancestors is not None:
        fitting.append("sets of labels")
    if held == "scores of labels" and not metric.over_labels:
        fitting = [x for x in fitting if x != held or metric.kind == "label ranking"]
    if held not in fitting:
        raise InputError(
            f"{definition.metric} is computed from {fitting[0]}, and this study has {held}. Choose "
            f"another metric, or pass {SOURCES[fitting[0]]}."
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
    """The data without the items of ignored classes, and without those of weight 0."""
    keep = np.ones(data.n, np.bool_)
    if definition.ignore:
        if data.sets is not None:
            raise InputError("ignore= drops items of a class, and these have sets of labels")
        dropped = [data.labels.code(x) for x in definition.ignore if x in data.labels]
        keep &= ~np.isin(data.true, dropped)
        if not keep.any():
            raise InputError(f"{named(name)}there are no items to score: all are ignored")
    if data.weights is not None:
        keep &= data.weights > 0
        if not keep.any():
            raise InputError(f"{named(name)}there are no items with a weight above 0")
    return data if keep.all() else data.at(np.flatnonzero(keep))


def _groups(data: DataSet, pooled: bool) -> list[list[Any]]:
    """The items of each run that are scored together: all of them, or those of each fold."""
    if data.folds is None or pooled:
        return [[slice(None) if here.all() else here] for here in data.present]
    size = len(data.fold_names or ())
    if size < 2:
        raise InputError(
            "a cross-validation needs at least two folds; got one, "
            f"{(data.fold_names or ('',))[0]!r}. Omit fold= (--fold) if there was none."
        )
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
    _refuse_other_folds(data)
    return groups


def _refuse_other_folds(data: DataSet) -> None:
    """Raise if systems were cross-validated on different folds under the same name of a run."""
    assert data.folds is not None and data.fold_names is not None
    first: dict[str, int] = {}
    for row, key in enumerate(data.keys):
        other = first.setdefault(key.run, row)
        both = data.present[row] & data.present[other]
        wrong = np.flatnonzero(both & (data.folds[row] != data.folds[other]))
        if len(wrong):
            at = wrong[0]
            a, b = (data.fold_names[int(data.folds[x, at])] for x in (other, row))
            raise InputError(
                f"the folds of {data.keys[other]} and {key} differ: "
                f"{items_in_words(len(wrong), data.ids[at].item())} in other folds, such as {a!r} "
                f"and {b!r}. Systems are compared fold by fold, so they need the same folds; "
                "folding='pooled' (--folding pooled) does without."
            )


def _score_classes(data: DataSet, definition: Definition, groups: list[list[Any]]) -> ScoredGroups:
    """The scores of predicted classes."""
    k = len(data.labels)
    narrow = np.int32 if k * k < 1 << 31 else np.int64
    keys = data.true.astype(narrow) * k + data.predicted
    sides = [_counts(data, keys[row], mask) for row, masks in enumerate(groups) for mask in masks]
    if not data.declared:
        seen = np.zeros(k, bool)
        for each in sides:
            seen[each.true] = seen[each.predicted] = True
        codes = np.flatnonzero(seen)
        sides = [each._over(codes) for each in sides]
    scored, statistics = _evaluated(sides, definition)
    scored = scored._replace(counts=tuple(sides))

    def cells(at: int) -> Array:
        here = data.labels.codes(sides[at].labels)
        cell: Array = here[sides[at].true] * k + here[sides[at].predicted]
        return cell

    return _with_parts(data, scored, groups, sides, statistics, keys, cells)


def _score_sets(data: DataSet, definition: Definition, groups: list[list[Any]]) -> ScoredGroups:
    """The same of sets of labels; a cell is a true set and a predicted one."""
    assert data.sets is not None
    k = len(data.labels)
    keys = data.true.astype(np.int64) * k + data.predicted
    asked, members, names, declared = definition, data.members(), data.sets, data.declared
    if definition.declaration.of_ancestors is not None:
        label, node, names = ancestors(definition.arguments["parents"], data.sets)
        reached = np.zeros((len(data.sets), len(names)), np.bool_)
        reached[label, node] = declared = True
        definition, members = rate_of_ancestors(definition), members @ reached
    sides, cells = [], []
    for row, masks in enumerate(groups):
        for mask in masks:
            filled, count, squares = _summed(keys[row][mask], _weights(data, mask))
            true, predicted = (np.flatnonzero(members[x]) for x in np.divmod(filled, k))
            lines = outcomes(true, [predicted], len(names))
            sides.append(  # in the order of ``filled``, in which the slopes are looked up
                MultiLabelCounts(
                    names, lines, count, declared=declared, squares=squares, in_order=True
                )
            )
            cells.append(filled)
    scored, statistics = _evaluated(sides, definition)
    scored = _with_parts(data, scored, groups, sides, statistics, keys, cells.__getitem__)
    return scored if definition is asked else scored._replace(definition=asked, labels=data.sets)


def _with_parts(
    data: DataSet,
    scored: ScoredGroups,
    groups: list[list[Any]],
    sides: Sequence[Counts | MultiLabelCounts],
    statistics: Sequence[Any],
    keys: Array,
    cells: Callable[[int], Array],
) -> ScoredGroups:
    """What each item adds to the mean of each run: the slope of its cell, times its weight."""
    if not scored.definition.declaration.smooth:
        return scored
    parts, at, n = np.zeros((len(groups), data.n)), 0, _worth(data)
    for row, masks in enumerate(groups):
        for mask in masks:
            statistic, counts = statistics[at], sides[at]
            slope = statistic.slope(counts.table.count)
            slope = slope - (slope * counts.count).sum() / counts.count.sum()
            slope *= sqrt(n / max(n - 1, 1)) / len(masks)
            each = _looked_up(cells(at), slope, keys[row][mask], len(data.labels))
            weights = _weights(data, mask)
            parts[row, mask] = each if weights is None else each * weights
            at += 1
    return scored._replace(parts=parts)


def _between_folds(data: DataSet, by_group: Array, groups: list[list[Any]]) -> Array:
    """How far each item's fold is from the mean of the run's folds, as part of that mean."""
    parts = np.zeros((len(groups), data.n))
    weights, n = np.ones(data.n) if data.weights is None else data.weights, _worth(data)
    for row, masks in enumerate(groups):
        apart = (by_group[row] - by_group[row].mean()) * sqrt(n / max(n - 1, 1)) / len(masks)
        for mask, own in zip(masks, apart, strict=True):
            parts[row, mask] = own * weights[mask] / weights[mask].sum()
    return parts


def sums_of_folds(values: Array, folds: Array, size: int) -> Array:
    """The sum of each run (rows) over the items of each fold."""
    cells = folds + size * np.arange(len(folds))[:, None]
    return np.bincount(cells.ravel(), values.ravel(), size * len(folds)).reshape(-1, size)


def between_models(
    keys: Sequence[RunKey], parts: Array, by_fold: Array, folds: Array, weights: Array | None
) -> BetweenModels | None:
    """How models differ, from what items add to the mean of each run; None without repetitions."""
    rows = {key.system: [at for at, x in enumerate(keys) if x.system == key.system] for key in keys}
    repeats, size, n = len(keys) // len(rows), by_fold.shape[1], parts.shape[1]
    names = {tuple(sorted(keys[at].run for at in own)) for own in rows.values()}
    if repeats < 2 or len(names) > 1 or n <= size:
        return None
    weight = np.ones(n) if weights is None else weights
    total = sums_of_folds(np.broadcast_to(weight, folds.shape), folds, size)
    of_fold = weight / np.take_along_axis(total, folds, 1)  # an item's share of its fold
    many = n if weights is None else worth(weight.sum(), (weight**2).sum())
    own = parts * (size * sqrt((many - 1) / many)) / of_fold + by_fold.mean(1)[:, None]
    ease = np.empty_like(own)  # the mean of an item over repetitions
    for some in rows.values():
        ease[some] = own[some].mean(0)
    own = (own - ease) * of_fold
    models, items = (_between(sums_of_folds(x, folds, size)) for x in (own, ease * of_fold))
    left = 1 - 1 / repeats  # of a variance, once the means over repetitions are taken away
    same = np.array([[a.run == b.run for b in keys] for a in keys])
    noise = np.where(same, own @ own.T, 0.0) * (size - 1) / (size**2 * left)
    varied = np.where(same, models @ models.T, 0.0) / (size * left**2) - noise / left
    # a model has the items that its fold lacks; and the mean of an item has a part of each model
    shared = varied / repeats - np.where(same, items @ models.T, 0.0) / (size * left)
    return BetweenModels(varied, noise, (shared + shared.T) / 2)


def _between(scores: Array) -> Array:
    """How far the folds of each run (rows) are from their mean."""
    apart: Array = scores - scores.mean(1, keepdims=True)
    return apart


def _worth(data: DataSet) -> float:
    """The number of items, or the effective number of weighted ones."""
    weights = data.weights
    return data.n if weights is None else worth(weights.sum(), (weights**2).sum())


def _weights(data: DataSet, mask: Any) -> Array | None:
    return None if data.weights is None else data.weights[mask]


def _evaluated(
    sides: Sequence[Counts | MultiLabelCounts], definition: Definition
) -> tuple[ScoredGroups, Sequence[Any]]:
    """The score of each table of counts, and their statistics."""
    scores, statistics = evaluate_systems(definition, {str(x): y for x, y in enumerate(sides)})
    first = next(iter(scores.values()))
    values = np.array([score.value for score in scores.values()])
    return ScoredGroups(first.definition, first.classes, values, None), statistics


def _looked_up(cells: Array, slope: Array, keys: Array, k: int) -> Array:
    """The slope of each item, by its cell."""
    if k * k <= DENSE:
        table = np.zeros(k * k)
        table[cells] = slope
        return table[keys]
    order = np.argsort(cells)
    found: Array = slope[order][np.searchsorted(cells, keys, sorter=order)]
    return found


def _summed(keys: Array, weights: Array | None) -> tuple[Array, Array, Array | None]:
    """The distinct keys, how many items have each, and the squares of their weights."""
    if weights is None:
        filled, count = np.unique(keys, return_counts=True)
        return filled, count, None
    filled, at = np.unique(keys, return_inverse=True)
    return filled, np.bincount(at, weights), np.bincount(at, weights**2)


def _counts(data: DataSet, keys: Array, mask: Any) -> Counts:
    k, weights = len(data.labels), _weights(data, mask)
    squares = None
    if k * k <= DENSE:
        cells = np.bincount(keys[mask], weights, minlength=k * k)
        filled = np.flatnonzero(cells)
        count = cells[filled]
        if weights is not None:
            squares = np.bincount(keys[mask], weights**2, minlength=k * k)[filled]
    else:
        filled, count, squares = _summed(keys[mask], weights)
    true, predicted = np.divmod(filled, k)
    return Counts(
        *(data.labels, true, predicted, count),
        declared=data.declared,
        squares=squares,
        in_order=True,
    )


def _score_items(data: DataSet, definition: Definition, groups: list[list[Any]]) -> ScoredGroups:
    """The same of scores and values, item by item."""
    parts = np.zeros((len(groups), data.n))
    values = []
    if definition.declaration.kind == "value":
        definition = bounded(definition, data.predicted[data.present])
    settled, labels = definition, data.labels
    smooth = definition.declaration.smooth
    for row, masks in enumerate(groups):
        for mask in masks:
            (items,), sample = _read(data, definition, [data.predicted[row][mask]], mask)
            settled, labels = items.definition, items.labels
            values.append(float(np.ravel(items.statistic.values(sample.count))[0]))
            if smooth:
                slope = sample.centred(items.statistic.slope(sample.count)) * sample.count
                strata = np.zeros(len(slope), np.intp) if sample.stratum is None else sample.stratum
                total, squares = (np.bincount(strata, x) for x in (sample.count, sample.variances))
                size = np.maximum(total**2 / np.maximum(squares, TINY), 2)[strata]
                if len(masks) > 1:  # what this leaves out is between folds
                    size = np.maximum(_worth(data), 2)
                parts[row, mask] += slope * np.sqrt(size / (size - 1)) / len(masks)
    return ScoredGroups(settled, labels, np.array(values), parts if smooth else None)


def _read(
    data: DataSet, definition: Definition, scores: Sequence[Array], mask: Any = slice(None)
) -> tuple[list[ScoredItems], Sample]:
    """Some of the items as arrays, with the scores of each run."""
    options: dict[str, Any] = {"weights": _weights(data, mask)}
    true: Any = None
    if data.sets is not None:
        true, options["labels"] = data.members()[data.true[mask]], data.sets
    elif data.labels != VALUE:
        kind = None if data.labels.kind != "str" else object
        true = np.array(data.labels, kind)[data.true[mask]]
        if data.declared:
            options["labels"] = data.labels
    return read_items(definition, true, scores, **options)


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
    weighted = data.weights is not None and not data.scored
    if not data.complete or data.folds is not None or data.cluster is not None or weighted:
        raise InputError(
            f"{definition.metric} depends on individual items, so its variance is estimated by "
            "resampling, for which every run needs every item, without folds or clusters, and "
            "predicted classes must have no weights. Choose another metric."
        )
    statistics: Any
    if data.scored:
        items, sample = _read(data, definition, [*data.predicted])
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
