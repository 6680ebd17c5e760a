"""Scores of items: means over items, as of a loss, and rankings of items by their scores.

For a ranking, ∂M/∂count of an item comes from differentiating the metric's own formula. For the
ROC AUC it is, up to a constant, the item's placement: the fraction of items of the other
class that it is correctly ordered with. Its variance is then that of DeLong, DeLong and
Clarke-Pearson (1988).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from math import inf, sqrt
from typing import Any

import numpy as np

from whichf1 import kernel
from whichf1.definitions.definition import Definition
from whichf1.metrics.averaging import ZeroRule
from whichf1.statistics.sample import (
    FEW,
    FEW_HITS,
    FEW_WEIGHTED,
    LEAST_FREEDOM,
    Disputed,
    Itemwise,
    Sample,
    Share,
    Twin,
    degrees_of_freedom,
    in_threads,
    there_are,
)
from whichf1.statistics.scales import LEAST, Proportion, Rate, Smoothed, Spread, normal_quantile
from whichf1.statistics.tracing import Traced, slopes
from whichf1.tables.cells import Array, Predicted, RankTable, Step, near_one, sum_by
from whichf1.tables.moments import beyond_rounding

FEW_ITEMS = 20
"""A mean of fewer items may be too skewed."""
FEW_DRAWN = 100
"""The delta method and the bootstrap, which do not know the error of the spread, need more."""
FEW_LOSSES = 200
"""And one of losses of any size, of which the largest may not have been seen, of fewer."""
FEW_MISPLACED = 5
"""Two areas are hard to compare if fewer items of the rarer class than this are out of place."""
_APART = 0.5
_PARTS = 32
"""Places over which an added prediction is spread, for a score of confidences."""
_MOST_SKEWED = 1.5
"""With more than two errors such a score is less skewed; with fewer, by what is added alone."""
FEW_RANKED = 50
"""The delta method for an area needs this many items in each class."""
FEW_AT_TOP = 30
"""A fraction of positives at the top, which depends on how many there are, needs this many."""
FEW_SQUARED = 100
"""A squared gap, nearly all of which may come from a few bins, needs this many."""
FEW_OTHERS = 30
"""The delta method for other rankings needs this many."""
FEW_POOLED = 100
"""A ranking that has each item once for each label needs this many items."""
FEW_BIASED = 100
"""A mean of rankings whose bias is removed needs this many in each class."""
FEW_POOLED_BIASED = 300
"""A pooled one, whose bias is not removed, needs this many items."""
PREDICTIONS = ("right predictions", "wrong predictions")
"""What is ranked by confidence."""
FEW_CLUSTERS_RANKED = 20
"""A ranking needs this many clusters: only the delta method is available for them."""


class Means(Itemwise):
    """A mean over items."""

    def __init__(self, each: Array, unlimited: bool = False) -> None:
        """``each``: the value of each item, NaN if it is left out; ``unlimited``: it may be any."""
        self.each, self.items = np.asarray(each, np.float64), len(each)
        self.unlimited = unlimited
        out = np.isnan(self.each)
        self._left_out = out if out.any() else None

    def values(self, count: Array) -> Array:
        """The mean for counts (…, items)."""
        return self._mean(count)[..., None]

    def _mean(self, count: Array) -> Array:
        count = self._counted(near_one(count))
        passed = ~np.isfinite(self.each)
        total = (count * np.where(passed, 0.0, self.each)).sum(-1)  # as counts are
        endless = np.isinf(self.each)
        if endless.any():  # an infinite loss counts where its item does
            total = np.where((count[..., endless] > 0).any(-1), inf, total)
        with np.errstate(invalid="ignore"):  # no items at all
            mean: Array = total / count.sum(-1)
        return mean

    def _counted(self, count: Array) -> Array:
        """The counts, without the items that are left out."""
        return count if self._left_out is None else np.where(self._left_out, 0, count)

    def slope(self, count: Array, at: int = 0) -> Array:
        """(own value − mean) / items."""
        count = self._counted(count)
        with np.errstate(invalid="ignore"):  # an infinite loss
            slope: Array = (self.each - self._mean(count)) / count.sum()
        return np.where(count > 0, slope, 0.0)

    def spreads(self, sample: Sample) -> tuple[Array, list[Spread]]:
        """The mean and its standard error; the skewness is not used."""
        return self.values(sample.count), [Spread(sample.error(self.slope(sample.count)))]

    def smoothed(self, sample: Sample) -> tuple[Array, list[Twin]]:
        """A mean needs no smoothing, only Student's t with its skewness removed (Hall 1992)."""
        if self.right is not None:
            return super().smoothed(sample)
        (mean,) = self.values(sample.count).tolist()
        means, drawn = self._of_clusters(sample)
        return np.array([mean]), [mean_twin(mean, means.slope(drawn.count), drawn)]

    def _of_clusters(self, sample: Sample) -> tuple[Means, Sample]:
        """The mean of each cluster as one item: all that engines which only add up know."""
        if sample.cluster is None or not np.isfinite(self.each).all():
            return self, sample
        count, total = (
            np.bincount(sample.cluster, x) for x in (sample.count, sample.count * self.each)
        )
        kept = np.flatnonzero(count)
        squares = None if sample.squares is None else np.bincount(sample.cluster, sample.squares)
        drawn = Sample(
            count[kept], None if squares is None else squares[kept], np.arange(len(kept))
        )
        return Means(total[kept] / count[kept], self.unlimited), drawn

    def few(self, sample: Sample, at: int, careful: bool) -> str | None:
        """Too few items for a mean; for a fraction, too few of an outcome if the method is poor."""
        right = self.right
        if right is None:
            return few_items(sample, least_items(self.unlimited, careful))
        if not careful:
            return None
        rarer = min(float(sample.equal_items[0][side].sum()) for side in (right, ~right))
        return few_items(sample, FEW_ITEMS) or few_outcomes(rarer)

    @property
    def right(self) -> Array | None:
        """Whether an item is a hit, if all values are 0 or 1."""
        return self.each == 1 if np.isin(self.each, (0.0, 1.0)).all() else None

    def share(self, at: int = 0) -> Share | None:
        """An item is a success or a failure, if all values are 0 or 1."""
        return None if self.right is None else Share(self.each)

    def marks(self) -> list[Array]:
        """What distinguishes kinds of items."""
        return [self.each]

    def at(self, places: Array) -> Means:
        """The mean of some of the items."""
        return Means(self.each[places], self.unlimited)

    def beside(self, other: Means) -> Means:
        """The mean over the items of both."""
        return Means(np.concatenate([self.each, other.each]))


def mean_of_powers(sums: tuple[float, float, float], n: int) -> tuple[float, Spread]:
    """The mean of n values and its spread, from their sum and those of their powers."""
    total, squares, cubes = sums
    mean = total / n
    square = beyond_rounding(squares / n - mean**2, squares / n)
    if not square:
        return mean, Spread(0.0)
    third = cubes / n - 3 * mean * squares / n + 2 * mean**3
    return mean, Spread(sqrt(square / n), third / (sqrt(n) * square**1.5))


def few_items(sample: Sample, least: float) -> str | None:
    """Too few items for a mean, in words."""
    return few_worth(sample.effective_n, least, weighted=sample.squares is not None)


def few_worth(n: float, least: float, *, weighted: bool) -> str | None:
    """Too few items for a mean, in words, by their effective number."""
    if n >= least:
        return None
    return f"the items are worth {n:.3g}" if weighted else there_are(n, "items")


def few_outcomes(rarer: float) -> str | None:
    """Too few items of the rarer of two outcomes, in words."""
    if rarer >= FEW_HITS:
        return None
    return f"the rarer outcome has {rarer:.3g} item{'' if rarer == 1 else 's'}"


def least_items(unlimited: bool, careful: bool) -> int:
    """How many items the interval of a mean needs."""
    return FEW_LOSSES if unlimited else FEW_DRAWN if careful else FEW_ITEMS


def mean_twin(mean: float, slope: Array, sample: Sample) -> Smoothed:
    """The twin of a mean whose items have these slopes."""
    skew = sample.spread(slope).skew
    if sample.cluster is not None:
        spread = sample.smoothed_spread(lambda block: slope[block], (0.0, 0.0))
    else:
        n = sample.effective_n
        known = n > 1
        error = sample.spread(slope).error * sqrt(n / (n - 1)) if known else inf
        spread = Spread(error, freedom=max(n - 1, LEAST))
    return Smoothed(mean, spread._replace(skew=skew), "cubic")


class Relative(Itemwise):
    """A mean loss divided by that of the class frequencies, or 1 minus that.

    The frequencies are the best constant prediction, so a small change of them does not change
    the loss to first order: its derivative with respect to the count of a class is the loss of that
    class.
    """

    def __init__(
        self,
        each: Array,
        codes: Array,
        classes: int,
        loss: Callable[[Predicted], Array],
        skill: bool,
        unlimited: bool = False,
    ) -> None:
        """``each``: the loss of each item; ``codes``: its class; ``loss``: that of predictions."""
        self._each, self._codes, self.items = np.asarray(each, np.float64), codes, len(each)
        self._classes, self._loss, self._skill = classes, loss, skill
        self._unlimited = unlimited

    def values(self, count: Array) -> Array:
        """The score for counts (…, items); NaN if there is only one class."""
        mean, constant, _ = self._parts(count)
        return self._score(mean, constant)[..., None]

    def _score(self, mean: Array, constant: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(constant > 0, mean / constant, np.nan)
        return 1 - ratio if self._skill else ratio

    def _parts(self, count: Array) -> tuple[Array, Array, Array]:
        """The mean loss, that of the class frequencies, and the latter for each class."""
        count = near_one(count)
        sizes = sum_by(self._codes, count.astype(np.float64), self._classes)
        total = sizes.sum(-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = sizes / total[..., None]
            mean = (count * self._each).sum(-1) / total
            rows = np.repeat(share.reshape(-1, self._classes), self._classes, 0)
            codes = np.tile(np.arange(self._classes), len(rows) // self._classes)
            losses = np.reshape(self._loss(Predicted(codes, rows)), share.shape)
            constant = np.where(share > 0, share * losses, 0.0).sum(-1)
        return mean, constant, losses

    def slope(self, count: Array, at: int = 0) -> Array:
        """What an item adds to the mean loss and to that of the class frequencies."""
        mean, constant, losses = self._parts(count)
        with np.errstate(divide="ignore", invalid="ignore"):
            moved = self._each - mean - mean / constant * (losses[self._codes] - constant)
            slope = moved / (constant * count.sum())
        return np.where(count > 0, -slope if self._skill else slope, 0.0)

    def smoothed(self, sample: Sample) -> tuple[Array, list[Twin]]:
        """The twin of a mean whose items have these slopes."""
        values = self.values(sample.count)
        return values, [mean_twin(float(values[0]), self.slope(sample.count), sample)]

    def few(self, sample: Sample, at: int, careful: bool) -> str | None:
        """Too few items for a mean, or of a class."""
        sizes = np.bincount(self._codes, sample.equal_items[0], self._classes)
        few = few_items(sample, least_items(self._unlimited, careful))
        return few or few_of_class(sizes.min())

    def marks(self) -> list[Array]:
        """What distinguishes kinds of items."""
        return [self._codes, self._each]

    def at(self, places: Array) -> Relative:
        """The score of some of the items."""
        return self._with(self._each[places], self._codes[places])

    def beside(self, other: Relative) -> Relative:
        """The score over the items of both."""
        pairs = ((self._each, other._each), (self._codes, other._codes))
        return self._with(*map(np.concatenate, pairs))

    def _with(self, each: Array, codes: Array) -> Relative:
        return Relative(each, codes, self._classes, self._loss, self._skill, self._unlimited)


def relative_spread(
    each: Array, codes: Array, losses: Array, mean: float, constant: float, skill: bool
) -> Spread:
    """The spread of a mean loss over that of the class frequencies, for items without weights.

    ``losses`` are those of the frequencies for each class, and ``constant`` is their mean: it is
    that of ``Relative.slope``, up to the means of both.
    """
    moved = (mean / constant * losses)[codes.astype(np.intp, copy=False)]
    np.subtract(each, moved, out=moved)
    moved -= float(np.add.reduce(moved)) / len(moved)
    powers = moved * moved
    square = float(np.add.reduce(powers))
    if not 0 < square < inf:
        return Spread(0.0 if square == 0 else inf)
    powers *= moved
    skew = float(np.add.reduce(powers)) / square**1.5
    return Spread(sqrt(square) / (constant * len(moved)), -skew if skill else skew)


def few_of_class(least: float) -> str | None:
    """Too few items of the class that has the fewest, in words."""
    return f"there are {least:.3g} items of a class" if least < FEW else None


class LabelMeans(Itemwise):
    """The mean over labels of the mean of each, weighted by how many items have the label."""

    def __init__(self, each: Array, true: Array, unlimited: bool = False) -> None:
        """``each``: a value for each item and label; ``true``: which labels an item has."""
        self._each, self._true, self.items = each, true, len(each)
        self._unlimited = unlimited

    def values(self, count: Array) -> Array:
        """The mean for counts (…, items)."""
        return self._parts(count)[0][..., None]

    def _parts(self, count: Array) -> tuple[Array, Array, Array]:
        """The mean, that of each label, and how many items have it."""
        count = near_one(count)
        support = count @ self._true.astype(np.float64)
        with np.errstate(invalid="ignore"):  # no items, no labels, or an infinite loss
            means = count @ self._each / count.sum(-1)[..., None]
            total = np.where(support == 0, 0.0, support * means).sum(-1)
            return total / support.sum(-1), means, support

    def slope(self, count: Array, at: int = 0) -> Array:
        """What an item adds to the mean of each label, and to the weights of its own labels."""
        mean, means, support = self._parts(count)
        with np.errstate(invalid="ignore"):
            of_means = (self._each - means) @ support / count.sum()
            of_weights = np.where(self._true, means - mean, 0.0).sum(1)
            slope: Array = (of_means + of_weights) / support.sum()
        return np.where(count > 0, slope, 0.0)

    def smoothed(self, sample: Sample) -> tuple[Array, list[Twin]]:
        """The twin of a mean whose items have these slopes."""
        values = self.values(sample.count)
        return values, [mean_twin(float(values[0]), self.slope(sample.count), sample)]

    def few(self, sample: Sample, at: int, careful: bool) -> str | None:
        """Too few items for a mean."""
        return few_items(sample, least_items(self._unlimited, careful))

    def marks(self) -> list[Array]:
        """What distinguishes kinds of items: the values and labels."""
        return [*self._each.T, *self._true.T]

    def at(self, places: Array) -> LabelMeans:
        """The mean of some of the items."""
        return LabelMeans(self._each[places], self._true[places], self._unlimited)

    def beside(self, other: LabelMeans) -> LabelMeans:
        """The mean over the items of both."""
        pairs = ((self._each, other._each), (self._true, other._true))
        each, true = map(np.concatenate, pairs)
        return LabelMeans(each, true, self._unlimited)


class _TracedRanks:
    """A RankTable of traced counts, in one block."""

    weighted = True  # they may be any numbers

    def __init__(self, score: Array, positives: Traced, negatives: Traced) -> None:
        self.score, self.positives, self.negatives = score, positives, negatives

    @cached_property
    def sizes(self) -> tuple[Traced, Traced]:
        return self.positives.sum(-1), self.negatives.sum(-1)

    def steps(self) -> Iterator[Step]:
        tp, fp = (np.cumsum(x, -1) for x in (self.positives, self.negatives))  # type: ignore[call-overload]
        yield Step(self.positives, self.negatives, tp, fp)  # type: ignore[arg-type]


def is_whole_area(definition: Definition) -> bool:
    """Whether a score is the area under the whole ROC curve."""
    return definition.metric == "roc_auc" and definition.arguments["max_fpr"] is None


def mean_over_rankings(
    definition: Definition, values: Sequence[Any], weights: Sequence[Any]
) -> Array:
    """The mean of the values of rankings (…), as the definition treats those that are undefined.

    In a weighted mean, what has no weight does not count.
    """
    if definition.average not in ("macro", "weighted"):
        (value,) = values
        return np.asarray(value)
    rule = ZeroRule(definition.undefined)
    every = np.stack(np.broadcast_arrays(*values), -1)
    every = np.where(np.isnan(every), rule.filler, every)
    if definition.average != "weighted":
        return rule.mean(every)
    weight = np.stack(np.broadcast_arrays(*weights), -1)
    return rule.mean(np.where(weight == 0, 0.0, every), weight)


def table_values(definition: Definition, table: RankTable) -> Array:
    """The score of each table of a batch (…); NaN where it is undefined."""
    with np.errstate(divide="ignore", invalid="ignore"):  # a replicate without one class
        top, bottom = definition.declaration.formula(table, **definition.arguments)
        values: Array = np.where(bottom == 0, np.nan, top / bottom)
    return values


class Ranked:
    """Some items in the order of their scores, highest first.

    An item with several labels appears in it ``width`` times, with a score for each label.
    """

    def __init__(
        self, scores: Array, positive: Array, members: Array | None = None, width: int = 1
    ) -> None:
        """``members`` are the indices of the scores that are ranked; None for all."""
        order, ranked = kernel.order(scores if members is None else scores[members])
        self._places, self._width = order if members is None else members[order], width
        self.order = self._places if width == 1 else self._places // width
        self.positive = positive[self._places]
        new = np.ones(len(ranked), bool)
        np.not_equal(ranked[1:], ranked[:-1], out=new[1:])
        self._first, self._group = np.flatnonzero(new), np.cumsum(new) - 1
        self.score = ranked[self._first]

    @property
    def of_items(self) -> bool:
        """Whether every item appears in it at most once."""
        return self._width == 1

    def table(self, count: Array) -> RankTable:
        """The ranking of these counts (…, items)."""
        negatives = self._ordered(count)
        positives = negatives * self.positive
        negatives -= positives  # one of the two is 0
        sides = (positives, negatives)
        if len(self._first) < len(self.order):
            sides = tuple(np.add.reduceat(x, self._first, axis=-1) for x in sides)  # type: ignore[assignment]
        return RankTable(self.score, *sides)

    def _ordered(self, count: Array) -> Array:
        """The counts (…, items) of what is ranked, in its order, as a new array.

        If all are equal, as without weights, they are not looked up one by one.
        """
        if count.ndim == 1 and len(count) and count[0] == count[-1] and np.all(count == count[0]):
            return np.full(len(self.order), count[0])
        ordered: Array = count[..., self.order]
        return ordered

    def sizes(self, sample: Sample) -> tuple[Any, Any]:
        """The positives and negatives of a sample, and Σw² of both."""
        sizes = self.table(sample.count).sizes
        return sizes, sizes if sample.squares is None else self.table(sample.squares).sizes

    def marks(self, items: int) -> Array:
        """Twice the position of each score, plus one for a positive; −1 if it is not ranked.

        For an item with several labels, one label after another.
        """
        marks = np.full(items * self._width, -1)
        marks[self._places] = 2 * self._group + self.positive
        return marks

    def kinds(self, items: int) -> list[Array]:
        """The marks of the items, for each label."""
        return [*self.marks(items).reshape(items, self._width).T]

    def at(self, places: Array, items: int) -> Ranked:
        """These items alone."""
        marks = self.marks(items).reshape(items, self._width)[places].ravel()
        own = np.flatnonzero(marks >= 0)
        return Ranked(self.score[marks // 2], marks % 2 == 1, own, self._width)

    def beside(self, other: Ranked, items: int, by_score: bool) -> Ranked:
        """Both rankings as one with twice the items: by score, or by the ranks of each.

        Scores of two systems need not be on one scale; ranks are (Venkatraman and Begg 1996).
        """
        size = items * self._width
        scores, positive = np.zeros(2 * size), np.zeros(2 * size, bool)
        for at, each in enumerate((self, other)):
            own = each._places + at * size
            scores[own] = each.score[each._group] if by_score else each._ranks
            positive[own] = each.positive
        members = np.concatenate([self._places, other._places + size])
        return Ranked(scores, positive, members, self._width)

    @property
    def _ranks(self) -> Array:
        """Minus the mean position of the items with the same score as each one."""
        end = np.append(self._first[1:], len(self.order)) - 1
        ranks: Array = -((self._first + end) / 2)[self._group]
        return ranks

    def by_item(self, values: Array, items: int) -> Array:
        """Values in the order of the ranking, summed for each item."""
        if not self.of_items:
            return np.bincount(self.order, values, items)
        by_item: Array = np.zeros(items)
        by_item[self.order] = values
        return by_item

    def _by_score(self, positives: Array, negatives: Array) -> Array:
        """A value of positives and one of negatives by score, for each ranked item."""
        sides = (positives, negatives)
        if len(self._first) < len(self.order):  # there are ties
            sides = (positives[self._group], negatives[self._group])
        values: Array = np.where(self.positive, *sides)
        return values

    def slopes(
        self, definition: Definition, table: RankTable, known: float | None = None
    ) -> tuple[float, Array]:
        """The score, unless it is known, and ∂score/∂count of each ranked item, in their order."""
        metric, parameters = definition.declaration, definition.arguments
        if is_whole_area(definition) and not table.weighted:
            area = float(table_values(definition, table)) if known is None else known
            return area, self._by_score(*_area_slopes(table, area))

        def formula(positives: Any, negatives: Any) -> Any:
            ranks = _TracedRanks(table.score, positives, negatives)
            top, bottom = metric.formula(ranks, **parameters)
            return top / bottom

        both = (table.positives.astype(np.float64), table.negatives.astype(np.float64))
        value, (positives, negatives) = slopes(formula, *both)
        return float(value), self._by_score(positives, negatives)


def _area_slopes(table: RankTable, area: float) -> tuple[Array, Array]:
    """∂AUC/∂count of a positive and of a negative of each score, block by block.

    A positive has the fraction of negatives below it, a negative that of positives above it.
    """
    up, down = np.empty(len(table.score)), np.empty(len(table.score))
    positives, negatives = (float(x) for x in table.sizes)
    pairs, at = positives * negatives, 0
    for step in table.steps():
        end = at + len(step.tp)
        up[at:end] = (negatives - step.fp + step.negatives / 2) / pairs - area / positives
        down[at:end] = (step.tp - step.positives / 2) / pairs - area / negatives
        at = end
    return up, down


class Rankings(Itemwise):
    """The ranking of one system, or one for each class, label or pair of classes, averaged."""

    def __init__(self, definition: Definition, rankings: Sequence[Ranked], items: int) -> None:
        self._definition, self._rankings, self.items = definition, rankings, items
        self._weighted = definition.average == "weighted"
        self._known: tuple[Array | None, Array] = (None, np.empty(0))
        """The counts that were asked for last, and their score."""
        self._pairs = definition.arguments.get("multi_class") == "ovo"

    def values(self, count: Array) -> Array:
        """The score for counts (…, items); NaN where it is undefined."""
        known, values = self._known
        if known is not count:
            values = self._values(count)
            self._known = (count, values) if count.ndim == 1 else (None, values)
        return values.copy()

    def _values(self, count: Array) -> Array:
        def each(ranking: Ranked) -> tuple[Array, Any]:
            table = ranking.table(count)
            return table_values(self._definition, table), self._weight(*table.sizes)

        values, weights = zip(*self._each(each, count.size), strict=True)
        return mean_over_rankings(self._definition, values, weights)[..., None]

    def undefined(self, count: Array) -> tuple[int, RankTable] | None:
        """The first ranking whose score is undefined, and its table."""
        for at, ranking in enumerate(self._rankings):
            table = ranking.table(count)
            if np.isnan(table_values(self._definition, table)):
                return at, table
        return None

    def _each(self, work: Callable[[Ranked], Any], size: int) -> list[Any]:
        """What ``work`` gives for each ranking; of very many items, in threads."""
        return in_threads(work, self._rankings, size)

    def _weight(self, positives: Any, negatives: Any) -> Any:
        """In a mean, each class counts once or by its items, and a pair by the items of both."""
        if not self._weighted:
            return 1.0
        return positives + negatives if self._pairs else positives

    def slope(self, count: Array, at: int = 0) -> Array:
        """∂score/∂count of each item; if classes have weights, these are random too."""

        def each(ranking: Ranked) -> tuple[float, float, Array | None]:
            table = ranking.table(count)
            weight = float(self._weight(*table.sizes))
            known = float(table_values(self._definition, table)) if self._averaged else None
            if known is not None and np.isnan(known):  # it is a constant, or left out
                return known, weight * (self._definition.undefined != "skip"), None
            value, own = ranking.slopes(self._definition, table, known)
            own *= weight
            return value, weight, ranking.by_item(own, self.items)

        by_item: Array = np.zeros(count.shape[-1])
        values, weights, defined = [], [], []
        some = self._each(each, count.size)
        for ranking, (value, weight, parts) in zip(self._rankings, some, strict=True):
            if parts is not None:
                by_item += parts
                defined.append((ranking, value))
            values.append(value)
            weights.append(weight)
        mean = float(mean_over_rankings(self._definition, values, weights))
        for ranking, value in defined if self._weighted else ():
            by_item += ranking.by_item(
                (value - mean) * (self._pairs | ranking.positive), self.items
            )
        by_item /= sum(weights)
        return by_item

    @property
    def _averaged(self) -> bool:
        """Whether the mean of the rankings is defined even if one of them is not."""
        return self._definition.average is not None

    def smoothed(self, sample: Sample) -> tuple[Array, list[Twin]]:
        """One ranking with pseudo-items in both classes; other perfect ones as hits; or None."""
        values = self.values(sample.count)
        tables = [ranking.table(sample.count) for ranking in self._rankings]
        if self._single_area and sample.cluster is None:
            squares = None
            if sample.squares is not None:
                squares = self._rankings[0].table(sample.squares)
            return values, [area_twin(tables[0], float(values[0]), squares)]
        squared = self._definition.declaration.squared
        if squared is not None:
            return values, [_root_twin(*squared(tables[0], **self._definition.arguments))]
        if self._definition.declaration.of_top is not None:
            return values, [self._top_twin(tables[0], float(values[0]), sample)]
        if self._smooths(sample) and self._definition.declaration.confidence:
            return values, [self._confidence_twin(tables[0], sample)]
        if self._smooths(sample):
            return values, [self._ranking_twin(tables[0], sample)]
        several = self._definition.average in ("macro", "weighted")
        if self._definition.declaration.bias is not None and several and sample.cluster is None:
            twin = self._unbiased_twin(tables, sample)
            if twin is not None:
                return values, [twin]
        if float(values[0]) == self._definition.declaration.bounds[1]:
            fewest = min(float(size) for table in tables for size in table.sizes)
            worth = fewest / sample.typical_weight
            return values, [Proportion(Rate(1.0, worth), float)]
        return values, [None]

    @property
    def _single(self) -> Ranked | None:
        """The ranking, if there is only one and every item appears in it once."""
        alone = len(self._rankings) == 1 and self._rankings[0].of_items
        return self._rankings[0] if alone else None

    def _smooths(self, sample: Sample) -> bool:
        """Whether pseudo-items can be added: there is one ranking, without clusters."""
        metric = self._definition.declaration
        fitting = metric.smooth or metric.of_top is not None
        return fitting and self._single is not None and sample.cluster is None

    def _ranking_twin(self, table: RankTable, sample: Sample) -> Smoothed:
        """The score with light items: in each class one in the middle of the other class, and one
        at the right end. The rarer a class, the heavier they are.
        """
        (ranking,) = self._rankings
        sizes = [float(x) for x in ranking.table(sample.equal_items[0]).sizes]
        if min(sizes) <= 1:
            return Smoothed(float(self.values(sample.count)[0]), Spread(inf))
        middles = [
            int(np.searchsorted(np.cumsum(side), side.sum() / 2))
            for side in (table.negatives, table.positives)
        ]
        places = np.array([middles[0], -1, middles[1], len(table.score)])
        place = np.full(self.items, len(table.score) + 1)  # the others are not ranked
        place[ranking.order] = ranking.marks(self.items)[ranking.order] // 2
        positive = np.zeros(self.items, bool)
        positive[ranking.order] = ranking.positive
        ranked = Ranked(
            -np.concatenate([place, places]).astype(np.float64),
            np.concatenate([positive, [True, True, False, False]]),
            np.concatenate([ranking.order, self.items + np.arange(4)]),
        )
        share = np.repeat([size / (4 * sum(sizes)) for size in sizes[::-1]], 2)
        own = np.zeros(self.items, np.intp) if sample.stratum is None else sample.stratum
        classes = [own[ranking.order[side][:1]] for side in (ranking.positive, ~ranking.positive)]
        larger = sample.beside_light_items(share, np.repeat(classes, 2))
        statistic = Rankings(self._definition, [ranked], self.items + 4)
        value, bias = float(statistic.values(larger.count)[0]), self._definition.declaration.bias
        if bias is not None:
            more = sample.typical_weight * float(bias(table, **self._definition.arguments))
            value -= min(more, value / 2)
        return Smoothed(value, larger.stratified_spread(statistic), "bent")

    def _unbiased_twin(self, tables: list[RankTable], sample: Sample) -> Smoothed | None:
        """The mean of rankings without its bias, with the spread of the delta method.

        None if that has no spread.
        """
        definition, bias = self._definition, self._definition.declaration.bias
        assert bias is not None
        with np.errstate(invalid="ignore"):  # a class without items
            each = [float(bias(table, **definition.arguments)) for table in tables]
        weights = [self._weight(*table.sizes) for table in tables]
        more = sample.typical_weight * float(mean_over_rankings(definition, each, weights))
        (value,), (spread,) = self.spreads(sample)
        if not 0 < spread.error < inf:
            return None
        return Smoothed(float(value) - min(more, float(value) / 2), spread, "bent")

    def _confidence_twin(self, table: RankTable, sample: Sample) -> Smoothed:
        """The score with one more item, half right and half wrong, spread over all ranks.

        Errors among the most confident predictions matter most, and may not have been seen.
        """
        (ranking,) = self._rankings
        items = np.cumsum(table.positives + table.negatives, dtype=np.float64)
        middles = (np.arange(_PARTS) + 0.5) / _PARTS * items[-1]
        places = np.tile(np.searchsorted(items, middles), 2)
        marks, right = ranking.marks(self.items), np.repeat([True, False], _PARTS)
        scores = -np.concatenate([marks // 2, places]).astype(np.float64)
        larger = Ranked(scores, np.concatenate([marks % 2 == 1, right]))
        statistic = Rankings(self._definition, [larger], self.items + len(places))
        part = np.full(len(places), sample.typical_weight / len(places))
        more = Sample(
            np.concatenate([sample.count, part]),
            np.concatenate([sample.variances, sample.typical_weight * part]),
        )
        slope, (times, weight) = more.centred(statistic.slope(more.count)), more.equal_items
        freedom = max(degrees_of_freedom(slope * weight, times), LEAST_FREEDOM)
        spread = more.spread(slope)._replace(freedom=freedom)
        if spread.skew is not None:
            spread = spread._replace(skew=min(spread.skew, _MOST_SKEWED))
        return Smoothed(float(statistic.values(more.count)[0]), spread, "bent")

    def _top_twin(self, table: RankTable, value: float, sample: Sample) -> Smoothed:
        """The fraction of positives at the top with half a hit and half a miss added.

        The position of the cutoff depends on all items. One more item at the top moves it, and
        the items around the cutoff drop out, with their fraction of positives.
        """
        of_top, top = self._definition.declaration.of_top, self._definition.arguments["top"]
        assert of_top is not None
        (ranking,) = self._rankings
        weight, positives = sample.typical_weight, float(table.sizes[0])
        found = (value / of_top(1.0, top) * positives + weight / 2) / (positives + weight)
        items = np.asarray(table.positives + table.negatives, np.float64)
        before = np.cumsum(items) - items
        limit = top * items.sum()
        above = np.clip((limit - before) / items, 0, 1)
        reach = weight * max(sample.effective_n**0.8 / 8, 5.0)
        around = (before < limit + reach) & (before + items > limit - reach)
        rate = (table.positives[around].sum() + weight / 2) / (items[around].sum() + weight)
        place = ranking.marks(self.items)
        at_top = np.where(place < 0, 0.0, above[place // 2])
        slope = (place % 2) * (at_top - found) - rate * (at_top - top)
        slope = sample.centred(np.where(place < 0, 0.0, slope) / positives)
        hit, miss = (weight / positives * x for x in (1 - found, found))
        powers = ((hit**2 + miss**2) / 2, (hit**4 + miss**4) / 2)
        spread = sample.smoothed_spread(slope.__getitem__, powers)
        scale: Any = "beta" if sample.cluster is None else "transformed"
        return Smoothed(found, spread, scale, score=lambda x: of_top(x, top))

    @property
    def _single_area(self) -> bool:
        return is_whole_area(self._definition) and self._single is not None

    def few(self, sample: Sample, at: int, careful: bool) -> str | None:
        """Too few clusters, or items of a class, that are ranked."""
        few = None if careful else sample.few(FEW_CLUSTERS_RANKED)
        if few is not None:
            return few
        least: float = FEW if self._single_area or self._smooths(sample) else FEW_OTHERS
        if careful:
            least = FEW_RANKED
        elif self._definition.declaration.of_top is not None:
            least = FEW_AT_TOP
        elif self._definition.declaration.squared is not None:
            least = FEW_SQUARED
        biased = self._definition.declaration.bias is not None and self._averaged
        if self._definition.average == "micro":  # its items are fewer than what is ranked
            few = few_items(sample, FEW_POOLED_BIASED if biased else FEW_POOLED)
            return few or self._fewer(least, sample)
        return self._fewer(max(least, FEW_BIASED) if biased else least, sample)

    def _fewer(self, least: float, sample: Sample) -> str | None:
        """A class with an effective number of items below this, in words.

        For a partial area, only the negatives in it count.
        """
        part = self._definition.arguments.get("max_fpr") or 1.0
        names = ("positives", "negatives")
        if self._definition.declaration.confidence:
            names = PREDICTIONS
        for ranking in self._rankings:
            sizes, squares = ranking.sizes(sample)
            few = few_ranked(sizes, squares, (least, max(least, FEW / part)), names)
            if few is not None:
                return few
        return None

    def _area(self, other: Rankings, sample: Sample) -> tuple[list[float], float] | None:
        """The sizes of both classes, and 1 minus the areas of two systems, if these are areas."""
        ranking = self._single
        if not is_whole_area(self._definition) or ranking is None:
            return None
        sizes = [float(x) for x in ranking.table(sample.equal_items[0]).sizes]
        off = 1 - float(self.values(sample.count)[0] + other.values(sample.count)[0]) / 2
        return sizes, off

    def disputed(self, other: Rankings, sample: Sample) -> Disputed | None:
        """An item that the systems rank differently, up to a fifth of the other class apart.

        If few items are out of place, a few positives decide, and more of them may have been
        missed. Most of the item goes to the rarer class.
        """
        area = None if sample.cluster is not None else self._area(other, sample)
        if area is None:
            return None
        sizes, off = area
        apart = min(0.2, _APART / max(min(sizes) * off, np.finfo(float).tiny))
        parts = np.repeat([apart / max(size, 1.0) for size in sizes], 2) * [1, -1, 1, -1]
        return Disputed(parts, np.repeat([size / (2 * sum(sizes)) for size in sizes[::-1]], 2))

    def paired_few(self, other: Rankings, sample: Sample) -> str | None:
        """Too few items of a class, or too few that are out of place."""
        few, area = super().paired_few(other, sample), self._area(other, sample)
        if few is None and area is None:  # the top positives decide most of it
            return self._fewer(FEW_RANKED, sample)
        if few is None and sample.squares is not None:
            few = self._fewer(FEW_WEIGHTED, sample)
        if few is not None or area is None:
            return few
        counts, squares = self._rankings[0].sizes(sample)
        worth = [float(x) ** 2 / float(square) for x, square in zip(counts, squares, strict=True)]
        if min(worth) * area[1] >= FEW_MISPLACED:
            return None
        size, what = min(zip(worth, ("positives", "negatives"), strict=True))
        return f"few of the {size:.4g} {what} are out of place"

    @property
    def size(self) -> int:
        """How many items one score reads, each counted as often as it is ranked."""
        return sum(len(ranking.order) for ranking in self._rankings)

    def marks(self) -> list[Array]:
        """What distinguishes kinds of items: the rank of their score, and whether it is right."""
        return [mark for ranking in self._rankings for mark in ranking.kinds(self.items)]

    def at(self, places: Array) -> Rankings:
        """These items alone."""
        rankings = [ranking.at(places, self.items) for ranking in self._rankings]
        return Rankings(self._definition, rankings, len(places))

    def beside(self, other: Rankings) -> Rankings:
        """Both rankings as one, by score or by the ranks of each."""
        by_score = self._definition.declaration.probabilities
        pairs = zip(self._rankings, other._rankings, strict=True)
        rankings = [a.beside(b, self.items, by_score) for a, b in pairs]
        return Rankings(self._definition, rankings, 2 * self.items)


def rank_cells(definition: Definition, table: RankTable) -> tuple[Rankings, Sample]:
    """A ranking without items: its units are the positives and the negatives of each score."""
    counts = np.concatenate([table.positives, table.negatives]).astype(np.int64)
    present = np.flatnonzero(counts)
    negative = present >= len(table.score)
    ranked = Ranked(np.tile(table.score, 2)[present], ~negative)
    sample = Sample(counts[present], stratum=negative.astype(np.intp))
    return Rankings(definition, [ranked], len(present)), sample


def area_spread(table: RankTable) -> tuple[float, Spread]:
    """The ROC AUC of counts without weights and its spread, from sums over its scores.

    Each positive has the fraction of negatives below it, each negative the fraction of positives
    above it (ties count half); their deviation from their mean, the area, is the influence
    of an item. So the variance of DeLong, DeLong and Clarke-Pearson (1988), the skewness and the
    bend need no derivatives, and are those of ``Sample.stratified_spread`` at a fraction of the
    cost.
    """
    positives, negatives = (float(x) for x in table.sizes)
    sums = kernel.placements(table.positives, table.negatives, positives, negatives)
    area, *squares, cube, fourth, bend = sums
    square = sum(squares)
    if not square:
        return area, Spread(0.0, None)
    error = sqrt(_corrected(squares[0], positives) + _corrected(squares[1], negatives))
    uncertain = fourth - square**2 / (positives + negatives)
    return area, Spread(
        error,
        cube / square**1.5,
        2 * bend / (positives * negatives) / square**1.5,
        2 * square**2 / uncertain if uncertain > 0 else inf,
    )


def precision_spread(what: str, table: RankTable) -> tuple[float, Spread] | None:
    """A score of the precisions in a ranking without weights, and its spread, in one step.

    That is ``Sample.stratified_spread`` of its positives and negatives. None if a class is empty,
    or if the score does not vary.
    """
    positives, negatives = (float(x) for x in table.sizes)
    if not (positives and negatives):
        return None
    sums = kernel.place_precisions(table.positives, table.negatives, what)
    value, *squares, cube, fourth, second = sums
    square = sum(squares)
    if not (0 < square < inf and value > 0):
        return None
    uncertain = fourth - square**2 / (positives + negatives)
    return value, Spread(
        sqrt(_corrected(squares[0], positives) + _corrected(squares[1], negatives)),
        cube / square**1.5,
        second / square**1.5,
        max(2 * square**2 / uncertain, LEAST) if uncertain > 0 else inf,
    )


def _root_twin(square: Array, error: Array) -> Smoothed:
    """The twin of a root: the interval of its square, which may be below 0, then its root."""
    return Smoothed(float(square), Spread(float(error)), "cubic", score=lambda x: sqrt(max(x, 0.0)))


def few_ranked(
    sizes: Sequence[Any],
    squares: Sequence[Any],
    least: tuple[float, float],
    names: tuple[str, str] = ("positives", "negatives"),
) -> str | None:
    """Too few positives or negatives, in words."""
    sides = zip(names, sizes, squares, least, strict=True)
    for what, size, square, enough in sides:
        worth = float(size) ** 2 / max(float(square), np.finfo(float).tiny)
        if worth < enough:
            return f"there are {worth:.3g} {what}"
    return None


def area_twin(table: RankTable, area: float, squares: RankTable | None = None) -> Smoothed:
    """The ROC AUC with two pseudo-items in each class, placed at ½ and 1.

    So it varies even if every pair is in order. The rarer a class, the heavier its pseudo-items.
    The interval is shifted for the skewness of the placements and the curvature of the logit; the
    degrees of freedom are Welch's, for two samples. ``squares`` has the sums of squared weights.
    """
    sides = [float(x) for x in table.sizes]
    sums = sides if squares is None else [float(x) for x in squares.sizes]
    sizes = [size**2 / square for size, square in zip(sides, sums, strict=True)]
    moments = _placements(table, squares, sides, sizes)
    parts, cubes, means, freedom = [], 0.0, [], 0.0
    for at, (mean, second, third) in enumerate(moments):
        extra = sizes[1 - at] / (2 * sum(sizes))  # for each of the two
        weight = sizes[at] + 2 * extra
        centre = (sizes[at] * mean + 1.5 * extra) / weight
        off = mean - centre
        square = sizes[at] * (second + off**2) + extra * ((0.5 - centre) ** 2 + (1 - centre) ** 2)
        cubic = third + 3 * off * second + off**3
        cubes += (sizes[at] * cubic + extra * ((0.5 - centre) ** 3 + (1 - centre) ** 3)) / weight**3
        means.append(centre)
        parts.append(square / max((weight - 1) * weight, np.finfo(float).tiny))
        freedom += parts[-1] ** 2 / max(weight - 1, np.finfo(float).tiny)
    square = sum(parts)
    if min(sizes) <= 1 or not 0 < square < inf:
        return Smoothed(area, Spread(inf))
    error, centre = sqrt(square), sum(means) - area
    skew, z = cubes / error**3, normal_quantile(0.975)
    bend = error / 2 * (1 / (1 - centre) - 1 / centre)
    shift = min(max(skew * (2 * z**2 + 1) / 6 + z**2 * bend, -0.6), 0.6)
    return Smoothed(
        centre, Spread(error, freedom=max(square**2 / freedom, LEAST)), "transformed", shift
    )


def _placements(
    table: RankTable, squares: RankTable | None, sides: list[float], sizes: list[float]
) -> list[list[float]]:
    """Mean, and central second and third moments of the placements of positives and negatives.

    With weights w, powers above the first are weighted by w², as for the effective number of items.
    """
    every = (table.steps(), (table if squares is None else squares).steps())
    raw = np.zeros((2, 2, 4))
    for step, square in zip(*every, strict=True):
        above = (step.fp - step.negatives / 2) / sides[1]
        below = (step.tp - step.positives / 2) / sides[0]
        placed = (
            (1 - above, step.positives, square.positives),
            (below, step.negatives, square.negatives),
        )
        for side, (place, *weights) in enumerate(placed):
            for kind, weight in enumerate(weights):
                for power in range(4):
                    raw[side, kind, power] += float(np.dot(weight, place**power))
    moments = []
    for side in range(2):
        mean = raw[side, 0, 1] / raw[side, 0, 0]
        _, x, xx, xxx = raw[side, 1] / raw[side, 1, 0]
        second = xx - 2 * mean * x + mean**2
        third = xxx - 3 * mean * xx + 3 * mean**2 * x - mean**3
        moments.append([mean, max(second, 0.0), third])
    return moments


def _corrected(square: float, n: float) -> float:
    """The variance of a class of one item is unknown."""
    return square * n / (n - 1) if n > 1 else inf
