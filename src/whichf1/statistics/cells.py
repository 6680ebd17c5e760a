"""Scores of class counts: the cells of the confusion matrix are the units.

The slope ∂M/∂count of every cell comes from differentiating the metric's own formula backwards,
without any code per metric; n times the slope is the influence of an item.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache, partial
from math import inf, sqrt
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from whichf1 import kernel
from whichf1.definitions.definition import Definition, Frozen
from whichf1.metrics import Metric
from whichf1.metrics.averaging import per_class
from whichf1.statistics import sizes
from whichf1.statistics.sample import (
    FEW,
    FEW_HITS,
    FEW_IN_MEANS,
    Drawn,
    Sample,
    Share,
    Statistic,
    Swap,
    Twin,
    equal_items,
    fewest,
    there_are,
)
from whichf1.statistics.scales import NONE, Smoothed, Spread, TwoRates
from whichf1.statistics.smoothing import FEW_CLASSES, PseudoItem
from whichf1.statistics.tracing import Traced, record, slopes
from whichf1.tables.cells import (
    Array,
    CellValues,
    Margins,
    OneVsRest,
    Table,
    every_class,
    outside,
    sum_by,
)
from whichf1.tables.counts import Counts
from whichf1.tables.labels import Labels

FEW_EACH = 5
"""Agreement needs this many items per class, wherever they are."""
FEW_CELLS = 1 << 14
"""Up to this many classes, cells are summed class by class; beyond, in sorted order."""
_MANY_CELLS = 1 << 22
"""Beyond this many classes, no item is spread over all cells."""
MOST_RECORDED = 1 << 11
"""Beyond this many classes, NumPy takes the steps of a formula faster than one call for all."""
_BLOCK = 1 << 13
"""Cells processed at a time: they fit in the cache, and BLAS starts no threads for them."""


class Cells(Statistic):
    """A score of class counts."""

    adds_rows = True

    def __init__(
        self,
        definition: Definition,
        frozen: Frozen,
        margins: SystemMargins | None = None,
        system: int = 0,
        coarse: Cells | None = None,
    ) -> None:
        """``margins`` sums the cells of all systems that share them, this one's at ``system``.

        ``coarse`` is the same score on the cells of this system alone.
        """
        self.definition, self.frozen = definition, frozen
        self._margins, self._system, self._coarse = margins, system, coarse
        self._whole = definition.declaration.kind == "agreement" or definition.average is not None

    def values(self, count: Array) -> Array:
        """The values for counts (…, cells): one, or one for each class."""
        if count is self.frozen.table.count:
            return self._of(None)
        if count.ndim == 1:
            one: Array = self.values(count[None])[0]
            return one
        return self._of(self._shared_margins(count)[self._system])

    def replicated(self, drawn: Drawn) -> Array:
        """The values on replicates of the cells."""
        if drawn.rows is None:
            return self.values(drawn.count)
        return self._of(self._shared_margins.drawn(drawn, self._system))

    @property
    def _shared_margins(self) -> SystemMargins:
        if self._margins is None:
            table = self.frozen.table
            self._margins = SystemMargins(table.true, (table.predicted,), table.classes)
        return self._margins

    def _of(self, margins: Margins | None) -> Array:
        values = self.definition.values(self.frozen, margins)
        return values[..., None] if self._whole else values

    def slope(self, count: Array, at: int = 0) -> Array:
        """∂value/∂count of each cell."""
        table = self.frozen.table
        if self._whole:
            return self.margin_slopes[1].at(table.true, table.predicted)
        return self._slope_of_class(self._kinds[1], at)

    @cached_property
    def margin_slopes(self) -> tuple[Array, MarginSlopes]:
        """The value, and the terms of all slopes, which do not depend on how fine the cells are."""
        if self._coarse is not None:
            return self._coarse.margin_slopes
        return margin_slopes(self.definition, self.frozen, self.frozen.table)

    @property
    def is_one_number(self) -> bool:
        """Whether it is a single score, not one for each class."""
        return self._whole

    @cached_property
    def _linear(self) -> bool:
        definition = self.definition
        if definition.average in ("macro", "weighted") or definition.epsilon:
            return False
        return _is_linear(definition.declaration, definition.parameters)

    @property
    def _formula(self) -> tuple[Metric, dict[str, Any]]:
        return self.definition.declaration, self.definition.arguments

    @property
    def _fraction(self) -> Share | None:
        """The score, or that of each class, as a fraction of kinds of items, if it is one."""
        rate = self.definition.declaration.kind == "rate"
        if not self._linear or (rate and self._whole):
            return None
        alone = _alone(*self._formula, 1)
        return self._share_of(alone, np.array([0, 2, 3, 4] if rate else [0, 1]))

    @cached_property
    def _kinds(self) -> tuple[Array, OneVsRest]:
        return kind_slopes(self.definition, self.frozen)

    def _slope_of_class(self, by_kind: OneVsRest, at: int) -> Array:
        """For the class at that index, each cell is one of four kinds."""
        table, code = self.frozen.table, self.frozen.classes[at]
        true, predicted = table.true == code, table.predicted == code
        wrong = np.where(true, by_kind.fn[at], np.where(predicted, by_kind.fp[at], by_kind.tn[at]))
        cells: Array = np.where(true & predicted, by_kind.tp[at], wrong)
        return cells

    def few(self, sample: Sample, at: int, careful: bool) -> str | None:
        """Too few items or hits of a class, or errors if the method needs them.

        A smoothed score of one class is valid with any number of items, and so is a mean over it
        alone. Agreement needs some per class; only a mean over classes needs them in every class.
        """
        if not careful and self._of_one is not None and self.share() is None:
            return self._of_one.few(sample, at, careful)
        return self.few_in_table(sample, at, careful)

    def few_in_table(self, sample: Sample, at: int, careful: bool) -> str | None:
        """The same if the item that smooths is spread over a table, whatever is averaged over."""
        definition = self.definition
        if not careful and sample.single and not self._whole:
            if definition.declaration.bounds[1] < inf:
                return None
            return self._few_in_class(sample, at, careful, FEW_HITS)
        if (
            not careful
            and not self._whole
            and sample.cluster is None
            and self._fraction is not None
        ):
            return self._few_in_base(sample, at)
        metric = definition.declaration
        if not careful and self._of_sizes:
            if self._other_sizes(sample) is not None:
                return None
            return "a mean of classes by their own size hardly moves where these are equal"
        agreement = metric.kind == "agreement" and self._fraction is None
        if not careful and agreement and not _is_mean_of_classes(definition):
            seen = int(((self.frozen.table.rows > 0) | (self.frozen.table.columns > 0)).sum())
            if self.frozen.table.classes <= 2 or not _minds_distances(definition):
                n = sample.effective_n
                many = n >= FEW_EACH * seen
                return None if many else f"{there_are(n, 'items')} of {seen} classes"
        return self._few_in_class(sample, at, careful, FEW)

    def paired_few(self, other: Cells, sample: Sample) -> str | None:
        """Too few items of a class."""
        least = FEW if sample.squares is None else FEW_IN_MEANS
        few, metric = self._few_in_class(sample, 0, False, least), self.definition.declaration
        if few is not None or (metric.kind == "rate" and metric.bounds[1] < inf):
            return few  # a class has the same items for both systems
        return other._few_in_class(sample, 0, False, least)

    def _few_in_class(
        self, sample: Sample, at: int, careful: bool, least_items: float
    ) -> str | None:
        definition, table, codes = self.definition, self.frozen.table, self.frozen.classes
        fraction = not careful and self._fraction is not None
        if definition.average == "micro" or (fraction and (self._whole or sample.single)):
            return None
        rate = definition.declaration.kind == "rate"
        if not self._whole:
            codes = codes[[at]]
        elif not rate:
            codes = np.flatnonzero((table.rows > 0) | (table.columns > 0))
        labels = self.frozen.units.labels if self.frozen.units else range(table.classes)
        counts = table.one_vs_rest(codes)
        squares = None
        if sample.squares is not None:
            of_squares = Table(table.true, table.predicted, sample.squares, table.classes)
            squares = of_squares.one_vs_rest(codes)

        def size_of(what: str) -> Array:
            size = _kind_of_size(counts, what)
            return size if squares is None else equal_items(size, _kind_of_size(squares, what))[0]

        least = _least_sizes(definition, careful, least_items)
        return fewest(size_of, lambda place: labels[codes[place]], least)

    def _few_in_base(self, sample: Sample, at: int) -> str | None:
        """Too few weighted items of which a score of one class is a fraction."""
        share = self._fraction
        assert share is not None
        counted = sample.at(~np.isnan(share.success[self._kind(at)]))
        if not len(counted.count) or (worth := counted.effective_n) >= FEW:
            return None
        return f"it is a fraction of items that are worth {worth:.3g}"

    @property
    def size(self) -> int:
        """How many classes one score reads."""
        classes: int = self.frozen.table.classes
        return classes

    @property
    def right(self) -> Array:
        """Whether the predicted class of a cell is the true one."""
        right: Array = self.frozen.table.predicted == self.frozen.table.true
        return right

    def differs(self, other: Cells) -> Array:
        """Whether two systems predict different classes."""
        differs: Array = self.frozen.table.predicted != other.frozen.table.predicted
        return differs

    def smoothed(self, sample: Sample) -> tuple[Array, list[Twin]]:
        """The values, and each with one item added, spread over the table or its own 2 × 2."""
        if not self._whole:
            return self._smoothed_classes(sample)
        share = self.share()
        if share is not None:
            return self.values(sample.count).reshape(-1), [share.smoothed(sample)]
        if self._of_one is not None:
            return self.values(sample.count).reshape(-1), self._of_one.smoothed(sample)[1]
        table, definition = self.frozen.table, self.definition
        other = self._other_sizes(sample) if self._of_sizes else None
        if other is not None:
            twin = sizes.product_of_sizes(table, other, sample)
            return self.values(sample.count).reshape(-1), [twin]
        if table.classes**2 > _MANY_CELLS and reads_cells(definition):
            return self.values(sample.count).reshape(-1), [None]
        whole = definition.declaration.kind == "agreement"
        weight = sample.typical_weight
        added = PseudoItem.to(table, weight, by_distance=whole and _minds_distances(definition))
        values, both = margin_slopes(definition, self.frozen, added.beside(table, weight))
        self.margin_slopes = values[0], both.of(0)
        slope = both.of(1)
        if definition.epsilon:  # any other score stays the same if all counts are multiplied
            slope = slope.centred(added.margins(table, weight))
        by_cell = partial(slope.in_block, table)
        if slope.cells is not None:
            every = slope.cells
            part, own = added.at(every.true, every.predicted), slope.at(every.true, every.predicted)
            second, fourth = float(part @ own**2), float(part @ own**4)
        elif table.classes <= FEW_CLASSES:
            square = slope.square
            second, fourth = added.powers_of(square)
            by_cell = square[table.true, table.predicted].__getitem__
        else:
            second, fourth = added.powers(*slope[:4])
        powers = (weight**2 * second, weight**4 * fourth)
        spread = sample.smoothed_spread(by_cell, powers, table.true)
        scale: Any = "beta" if sample.cluster is None else "transformed"
        return values[:1], [Smoothed(float(values[1]), spread, scale)]

    @cached_property
    def _of_one(self) -> Cells | None:
        """The rate of a class, if it is the only one that the score averages over.

        An item spread over the whole table would leave that class hardly any errors: one of K
        classes gets a K-th of half an item, and a table of one class has no cell for them. None
        also if a rule for 0/0 sets the two apart.
        """
        definition, frozen = self.definition, self.frozen
        if not self._whole or definition.declaration.kind != "rate" or len(frozen.classes) != 1:
            return None
        alone = Cells(definition.settled(average=None, formula=None), frozen)
        own, other = (float(x.values(frozen.table.count)[..., 0]) for x in (self, alone))
        return alone if np.isclose(own, other, rtol=NONE, atol=NONE, equal_nan=True) else None

    @cached_property
    def _of_sizes(self) -> bool:
        """Whether it is a mean of the sizes of classes, by these sizes."""
        definition = self.definition
        return definition.declaration.better == "neither" and definition.average == "weighted"

    def _other_sizes(self, sample: Sample) -> Array | None:
        """For such a mean, the classes of each cell whose sizes are multiplied by the true ones.

        None also if only some of the classes count, or if there are too many.
        """
        table, definition = self.frozen.table, self.definition
        every = len(self.frozen.classes) == table.classes and not definition.epsilon
        if not (every and sizes.fits(table, sample)):
            return None
        top = _alone(*self._formula, 1)[0]
        missed, false = bool(top[2]), bool(top[3])
        return None if missed == false else table.true if missed else table.predicted

    def with_prior(self, sample: Sample, items: float) -> tuple[Cells, Sample]:
        """The score on all cells, including empty ones; on occupied ones if classes are many."""
        table = self.frozen.table
        if not items or sample.cluster is not None:
            return self, sample
        true, predicted, count, squares = table.true, table.predicted, sample.count, sample.squares
        if table.classes**2 <= FEW_CELLS:
            every, size = true * table.classes + predicted, table.classes**2
            count = np.bincount(every, count, size)
            squares = None if squares is None else np.bincount(every, squares, size)
            true, predicted = np.divmod(np.arange(size), table.classes)
        weight = sample.typical_weight
        part = weight * items * PseudoItem.to(table).at(true, predicted)
        count = count + part
        squares = None if squares is None else squares + weight * part
        larger = Table(true, predicted, count, table.classes)
        cells = Cells(self.definition, self.frozen._replace(table=larger))
        return cells, Sample(count, squares)

    def _smoothed_classes(self, sample: Sample) -> tuple[Array, list[Twin]]:
        """Each of the four kinds of items of a class gets a quarter of an item."""
        table, classes = self.frozen.table, self.frozen.classes
        values = np.ravel(self.values(sample.count))
        kinds = np.stack(four(table.one_vs_rest(classes)))
        squares = None
        if sample.squares is not None:
            of_squares = Table(table.true, table.predicted, sample.squares, table.classes)
            squares = np.stack(four(of_squares.one_vs_rest(classes)))
        share, weight = self._fraction, sample.typical_weight
        larger = kinds + weight / 4
        at, parts = kind_slopes(self.definition, self.frozen, OneVsRest(*larger))
        slope = np.stack(four(parts))
        slope -= (larger * slope).sum(0) / larger.sum(0)
        each: list[Twin] = []
        for k, value in enumerate(at.tolist()):
            clustered = sample.cluster is not None
            own_kinds = Sample(kinds[:, k], None if squares is None else squares[:, k])
            if share is not None:
                own = share._replace(success=share.success[[0, 3, 2, 4]])
                own = own if not clustered else share._replace(success=share.success[self._kind(k)])
                each.append(own.smoothed(sample if clustered else own_kinds))
                continue
            if self._sides is not None and not clustered:
                each.append(self._two_rates(own_kinds, self._sides))
                continue
            step = slope[:, k]
            powers = [float((weight * step) ** e @ np.full(4, 0.25)) for e in (2, 4)]
            cells = self._slope_of_class(OneVsRest(*slope), k) if clustered else step
            drawn = sample if clustered else own_kinds
            own_class = (table.true == classes[k]).astype(np.intp) if clustered else None
            spread = drawn.smoothed_spread(cells.__getitem__, (powers[0], powers[1]), own_class)
            each.append(Smoothed(value, spread, "transformed" if clustered else "beta"))
        return values, each

    @cached_property
    def _sides(self) -> tuple[tuple[int, int], tuple[int, int]] | None:
        """The kinds of items of the two rates on which a score of one class depends, if it does.

        The first kind of each side, of both kinds.
        """
        definition = self.definition
        if definition.epsilon:
            return None
        return _independent_sides(definition.declaration, definition.parameters)

    def _two_rates(self, kinds: Sample, sides: tuple[tuple[int, int], ...]) -> TwoRates:
        """The rates of the two sides, of the four kinds of items of a class."""
        metric, arguments = self._formula
        metric, of_ratio = metric.of_ratio or (metric, None)
        one, two = (kinds.at(np.array(side)).rate(np.array([1.0, 0])) for side in sides)

        def score(*rates: float) -> float:
            of_kinds = np.zeros(4)
            for (first, second), rate in zip(sides, rates, strict=True):
                of_kinds[first], of_kinds[second] = rate, 1 - rate
            top, bottom = metric.formula(OneVsRest(*of_kinds), **arguments)
            return float(top / bottom) if bottom else inf

        return TwoRates((one, two), score, of_ratio)

    def _kind(self, at: int) -> Array:
        """Which of five kinds each cell is for the class at that index."""
        return _kinds_of_items(self.frozen._replace(classes=self.frozen.classes[[at]]))

    @cached_property
    def right_and_wrong(self) -> tuple[Array, Array] | None:
        """∂value/∂count of a correctly and of a wrongly predicted item of each class."""
        if not self._whole:
            tp, fp, fn, tn = (float(x[0]) for x in four(self._kinds[1]))
            return np.array([tp, tn]), np.array([fn, fp])
        classes = np.flatnonzero(self.frozen.table.rows > 0)
        slope, others = self.margin_slopes[1], max(self.frozen.table.classes - 1, 1)
        rows, columns = slope.rows[classes], slope.columns[classes]
        right = slope.right[classes]
        if slope.cells is not None:
            return None
        wrong = rows + (slope.columns.sum() - columns) / others
        if slope.distances is not None:
            right = right + slope.distances[0]
            upto = np.cumsum(slope.distances) - slope.distances[0]
            wrong += (upto[classes] + upto[self.frozen.table.classes - 1 - classes]) / others
        return right, wrong

    def spreads(self, sample: Sample) -> tuple[Array, list[Spread]]:
        """The values, and the spread of each; that of a ratio without end knows its curvature.

        The log of a likelihood or odds ratio is nearly linear, but its influences alone are as
        skewed as if it were not.
        """
        values, spreads = self._flat_spreads(sample)
        metric = self.definition.declaration
        if metric.kind != "rate" or metric.bounds[1] < inf:
            return values, spreads
        slopes = (sample.centred(self.slope(sample.count, at)) for at in range(len(spreads)))
        return values, [
            x._replace(curvature=sample.curvature(self, slope, at)) if NONE < x.error < inf else x
            for at, (x, slope) in enumerate(zip(spreads, slopes, strict=True))
        ]

    def _flat_spreads(self, sample: Sample) -> tuple[Array, list[Spread]]:
        table = self.frozen.table
        if self._whole:
            value, slope = self.margin_slopes
            centred = not self.definition.epsilon and slope.cells is None
            if not centred or sample.cluster is not None:
                spread = sample.spread(slope.at(table.true, table.predicted))
            else:
                spread = _spread_in_blocks(slope, table, sample)
            return np.array([value]), [spread]
        values, by_kind = self._kinds
        if sample.cluster is not None:
            each = range(len(self.frozen.classes))
            return values, [sample.spread(self._slope_of_class(by_kind, at)) for at in each]
        return values, self._spreads_of_classes(by_kind, sample)

    def _spreads_of_classes(self, by_kind: OneVsRest, sample: Sample) -> list[Spread]:
        """The same from the sums of the four kinds of items, for all classes at once."""
        table, classes = self.frozen.table, self.frozen.classes
        count, slope = (np.stack(four(x)) for x in (table.one_vs_rest(classes), by_kind))
        slope -= (count * slope).sum(0) / table.total
        if sample.squares is not None:
            squares = Table(table.true, table.predicted, sample.squares, table.classes)
            count, weight = equal_items(count, np.stack(four(squares.one_vs_rest(classes))))
            slope *= weight
        part = count * slope
        square = (part * slope).sum(0)
        part *= slope
        cube = (part * slope).sum(0)
        with np.errstate(invalid="ignore", divide="ignore"):
            skew = cube / square**1.5
        return [*map(Spread, np.sqrt(square).tolist(), skew.tolist())]

    def beside(self, other: Cells) -> Cells:
        """The score on the cells of both."""
        tables = (self.frozen.table, other.frozen.table)
        true, predicted, count = (
            np.concatenate([getattr(x, side) for x in tables])
            for side in ("true", "predicted", "count")
        )
        both = Table(true, predicted, count, max(x.classes for x in tables))
        return Cells(self.definition, self.frozen._replace(table=both))

    def exchange(self, other: Cells, sample: Sample) -> Swap:
        """Only cells on which the systems disagree change; the sums of all others stay the same."""
        margins = self._margins if self._margins is other._margins else None
        if sample.squares is not None or margins is None:  # differences of weights are not exact
            return super().exchange(other, sample)
        tables = (self.frozen.table, other.frozen.table)
        moving = MovingCells(margins, (self._system, other._system), tables)

        def swapped(moved: Drawn) -> tuple[Array, Array]:
            left, right = moving(moved)
            return self._of(left), other._of(right)

        return swapped

    def share(self, at: int = 0) -> Share | None:
        """The role of each cell in the score; None if the score is not a fraction of items.

        A score is one if every item is a success, a failure, or does not count, which is determined
        by running the formula on each kind of item alone. F1 is one in disguise: with
        J = TP / (TP + FP + FN) it is 2J / (1 + J), and an interval for J becomes one for F1. Summed
        over all classes, every rate depends on the accuracy alone.
        """
        frozen = self.frozen
        if self._pools_all:
            return self._share_of_accuracy()
        if not self._linear:
            return None
        if not self._whole:
            frozen = frozen._replace(classes=frozen.classes[[at]])
        rate = self.definition.declaration.kind == "rate"
        kind = _kinds_of_items(frozen) if rate else 1 - self.right  # or 0 right, 1 wrong
        present = np.flatnonzero(np.bincount(kind))
        share = self._share_of(_alone(*self._formula, len(frozen.classes)), present)
        return None if share is None else share._replace(success=share.success[kind])

    @property
    def _pools_all(self) -> bool:
        definition = self.definition
        every = len(self.frozen.classes) == self.frozen.table.classes > 1
        return definition.average == "micro" and every and not definition.epsilon

    def _share_of_accuracy(self) -> Share | None:
        """A rate of the counts summed over all classes; None if it is constant."""
        definition, k = self.definition, self.frozen.table.classes

        def score(accuracy: float) -> float:
            wrong = 1 - accuracy
            tn = (k - 1) * accuracy + (k - 2) * wrong
            pooled = OneVsRest(*(np.array([x]) for x in (accuracy, wrong, wrong, tn)))
            return float(per_class(*self._formula, definition.rule, pooled)[0])

        low, high = score(0.25), score(0.75)
        if abs(low - high) <= NONE:
            return None
        if low < high:
            return Share(self.right.astype(np.float64), rising=score)
        return Share((~self.right).astype(np.float64), rising=lambda error: score(1 - error))

    def _share_of(self, alone: tuple[Array, Array], present: Array) -> Share | None:
        """The same for each kind of items, given those that are present."""
        top, bottom = alone
        success = np.where(bottom == 0, np.nan, (top != 0).astype(float))
        top, bottom = top[present], bottom[present]
        hits = top != 0
        gains, losses = bottom[hits], bottom[~hits & (bottom != 0)]
        several = (gains[1:] != gains[:-1]).any() or (losses[1:] != losses[:-1]).any()
        if several or (top[hits] != gains).any():
            return None
        gain = float(gains[0]) if len(gains) else float(losses[0]) if len(losses) else 1.0
        return Share(success, gain, float(losses[0]) if len(losses) else gain)


def _least_sizes(definition: Definition, careful: bool, items: float) -> dict[str, float]:
    """How many items, hits and errors each class of a score needs, the items as they are passed."""
    metric = definition.declaration
    rate, needs = metric.kind == "rate", (False, False)
    if careful and rate:
        needs = _needed_errors(metric, definition.parameters)
    elif careful and _is_mean_of_classes(definition):  # of their recalls, or distances
        needs = (False, True)
    if rate and definition.average is not None:  # one class with a ratio without end decides
        endless = _endless_without(metric, definition.parameters)
        needs = (needs[0] or endless[0], needs[1] or endless[1])
    return {
        "items": items,
        "hits": FEW_HITS if careful else 0,
        "false positives": FEW_HITS if needs[0] else 0,
        "misses": FEW_HITS if needs[1] else 0,
    }


def _kind_of_size(c: OneVsRest, what: str) -> Array:
    """What there may be too few of in each class."""
    if what == "items":
        return c.tp + c.fn
    return {"hits": c.tp, "false positives": c.fp, "misses": c.fn}[what]


@lru_cache(maxsize=256)
def _minds_distances(definition: Definition) -> bool:
    """Whether a measure of agreement distinguishes near and far errors, determined by trial."""
    if reads_cells(definition):
        return False
    table = Table(*np.divmod(np.arange(9), 3), np.array([4.0, 1, 1, 1, 4, 1, 1, 1, 4]), 3)
    frozen = Frozen(table, np.arange(3), Labels.trusted(range(3)))
    distances = margin_slopes(definition, frozen, table)[1].distances
    return distances is not None and abs(distances[1] - distances[2]) > NONE


@lru_cache(maxsize=256)
def _is_mean_of_classes(definition: Definition) -> bool:
    """Whether a measure of agreement weights true classes equally, tried by doubling one."""
    if any(isinstance(value, tuple) for _, value in definition.parameters):
        return False  # a matrix for all pairs of classes
    count = np.array([4.0, 1, 2, 2, 5, 1, 1, 3, 6])
    tables = [
        Table(*np.divmod(np.arange(9), 3), count * times, 3)
        for times in (np.ones(9), np.repeat([2.0, 1, 1], 3))
    ]
    one, two = (
        float(definition.values(Frozen(x, np.arange(3), Labels.trusted(range(3))), x))
        for x in tables
    )
    return abs(one - two) <= NONE


@lru_cache(maxsize=256)
def reads_cells(definition: Definition) -> bool:
    """Whether a score needs the cells, not only their sums, determined by trial."""
    if any(isinstance(value, tuple) for _, value in definition.parameters):
        return True  # a matrix for all pairs of classes
    asked: list[bool] = []

    def cells() -> CellValues:
        asked.append(True)
        return CellValues(np.arange(4), np.array([2.0, 1, 1, 2]), 2)

    two, one = np.full(2, 2.0), np.ones(2)
    table: Any = Margins(two, one, one, two, np.array([4.0, 2]), cells)
    if definition.declaration.kind == "agreement":
        definition.declaration.formula(table, **definition.arguments)
    return bool(asked)


@lru_cache(maxsize=256)
def _needed_errors(metric: Metric, parameters: tuple[tuple[str, Any], ...]) -> tuple[bool, bool]:
    """Whether a rate depends on false positives, and on misses, tried by adding one."""
    tp, fp, fn, tn = np.array([[3.0, 3, 3], [2, 3, 2], [4, 4, 5], [7, 7, 7]])
    top, bottom = metric.formula(OneVsRest(tp, fp, fn, tn), **dict(parameters))
    value = top / bottom
    return bool(abs(value[1] - value[0]) > NONE), bool(abs(value[2] - value[0]) > NONE)


@lru_cache(maxsize=256)
def _endless_without(metric: Metric, parameters: tuple[tuple[str, Any], ...]) -> tuple[bool, bool]:
    """Whether a ratio, or the one behind a score, is infinite without false positives, and whether
    it is without misses. Found by trying it.
    """
    metric = metric.of_ratio[0] if metric.of_ratio else metric
    if metric.bounds[1] < inf:
        return False, False
    without = OneVsRest(np.array([3.0, 3]), np.array([0.0, 2]), np.array([1.0, 0]), np.full(2, 5.0))
    false, misses = (metric.formula(without, **dict(parameters))[1] == 0).tolist()
    return false, misses


@lru_cache(maxsize=256)
def _independent_sides(
    metric: Metric, parameters: tuple[tuple[str, Any], ...]
) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Whether a rate depends only on how each true class is predicted, or only on how each
    predicted class is true, so that more items on one side do not change it; determined by trial.
    """
    tp, fp, fn, tn = np.array([[3.0, 9, 9], [2, 2, 6], [1, 3, 1], [5, 5, 5]])
    top, bottom = metric.formula(OneVsRest(tp, fp, fn, tn), **dict(parameters))
    ratio = top / bottom
    if abs(ratio[0] - ratio[1]) <= NONE:
        return (0, 2), (1, 3)
    return ((0, 1), (2, 3)) if abs(ratio[0] - ratio[2]) <= NONE else None


def shared_cells(systems: Sequence[Cells], counts: Counts) -> tuple[list[Cells], Sample]:
    """The scores of several systems on the cells that they share, and these cells."""
    definition = systems[0].definition
    classes = max([each.frozen.table.classes for each in systems])
    margins = SystemMargins(counts.true, counts.predictions, classes)
    sample = Sample(counts.count.astype(np.float64), counts.squares, counts.cluster)
    shared = []
    for at, coarse in enumerate(systems):
        sides = (counts.true, counts.predictions[at], sample.count)
        frozen = coarse.frozen._replace(table=Table(*sides, coarse.frozen.table.classes))
        shared.append(Cells(definition, frozen, margins, at, coarse))
    return shared, sample


class CodeSums:
    """Sums of cells by several codes at once, for a batch of replicates.

    Replicates are adjacent in memory, so that a sum over the cells of a class adds whole
    vectors; nothing here depends on the number of threads.
    """

    def __init__(self, parts: Sequence[tuple[Array, Array]], classes: int) -> None:
        """Each part is a code for every cell, and the indices of the cells that it uses."""
        self._parts: list[tuple[Array, Array]] = []
        for x, cells in parts:
            self._parts.append((x[cells], cells))
        self._classes = classes
        self._few = classes <= 64 and len(parts[0][0]) <= FEW_CELLS

    @cached_property
    def _by_class(self) -> list[list[Array]]:
        by_class = []
        for x, cells in self._parts:
            order = np.argsort(x, kind="stable")
            ends = np.searchsorted(x[order], np.arange(1, self._classes))
            by_class.append(np.split(cells[order], ends))
        return by_class

    def __call__(self, count: Array) -> list[Array]:
        """The sums of each part (replicates, classes), from counts (replicates, cells)."""
        if not self._few:
            wide = count.astype(np.float64)
            return [sum_by(codes, wide[:, cells], self._classes) for codes, cells in self._parts]
        across = np.ascontiguousarray(count.T)
        sums_of_parts = []
        for by_class in self._by_class:
            sums = np.empty((self._classes, len(count)))
            for k, cells in enumerate(by_class):
                sums[k] = across[cells[0]] if len(cells) == 1 else across[cells].sum(0)
            sums_of_parts.append(sums.T)
        return sums_of_parts

    def drawn(self, drawn: Drawn) -> list[Array]:
        """The same for replicates of the cells."""
        if drawn.rows is None:
            return self(drawn.count)
        sums = kernel.sum_rows(drawn.rows, *self._rows_of(drawn))
        shape = (len(self._parts), self._classes, drawn.rows.shape[1])
        return [*sums.reshape(shape).swapaxes(1, 2)]

    def _rows_of(self, drawn: Drawn) -> tuple[Array, Array]:
        """The rows of all parts and classes in order, and where those of each start."""
        if self._rows is None:
            codes, places = zip(*self._parts, strict=True)
            part = np.repeat(np.arange(len(codes)), [*map(len, codes)])
            group, cells = part * self._classes + np.concatenate(codes), np.concatenate(places)
            order = np.argsort(group, kind="stable")
            entries, times = drawn.entries(cells[order])
            sizes = np.bincount(group[order], times, len(self._parts) * self._classes)
            self._rows = entries, np.concatenate([[0], np.cumsum(sizes.astype(np.int64))])
        return self._rows

    _rows: tuple[Array, Array] | None = None


class SystemMargins:
    """Cells → margins of the systems that share them; the last batch is cached."""

    _last: tuple[Array, list[Margins]] | None = None
    _last_moved: tuple[Drawn, list[Array]] | None = None

    def __init__(self, true: Array, predictions: Sequence[Array], classes: int) -> None:
        self._true, self._predictions, self._classes = true, predictions, classes
        self._sums_of: dict[int, CodeSums] = {}

    def _parts(self, system: int) -> list[tuple[Array, Array]]:
        codes, true = self._predictions[system], self._true
        right, wrong = np.flatnonzero(codes == true), np.flatnonzero(codes != true)
        return [(true, right), (codes, wrong), (true, wrong)]

    @cached_property
    def _sums(self) -> CodeSums:
        parts = [x for at in range(len(self._predictions)) for x in self._parts(at)]
        return CodeSums(parts, self._classes)

    def __call__(self, count: Array) -> list[Margins]:
        """The margins of each system, from counts (replicates, cells)."""
        last = self._last
        if last is None or last[0] is not count:
            sums = self._sums(count)
            each = enumerate(self._predictions)
            last = count, [self._of(x, count, sums[3 * at : 3 * at + 3]) for at, x in each]
            self._last = last
        return last[1]

    def drawn(self, drawn: Drawn, system: int) -> Margins:
        """The margins of one system, from replicates of the cells."""
        if system not in self._sums_of:
            self._sums_of[system] = CodeSums(self._parts(system), self._classes)
        sums = self._sums_of[system].drawn(drawn)
        return self._of(self._predictions[system], drawn, sums)

    @cached_property
    def _contested(self) -> CodeSums:
        """Hits, and false positives, of each system in the cells on which not all agree.

        A swap changes nothing in the others: what one system loses, it gets back.
        """
        true, first = self._true, self._predictions[0]
        differ = np.zeros(len(true), bool)
        for predicted in self._predictions[1:]:
            differ |= predicted != first
        parts = []
        for predicted in self._predictions:
            right = predicted == true
            wrong = np.flatnonzero(differ & ~right)
            parts += [(true, np.flatnonzero(differ & right)), (predicted, wrong)]
        return CodeSums(parts, self._classes)

    def moved(self, moved: Drawn) -> list[Array]:
        """Hits and false positives of each system among items of contested cells."""
        last = self._last_moved
        if last is None or last[0] is not moved:
            self._last_moved = last = moved, self._contested.drawn(moved)
        return last[1]

    def _of(self, predicted: Array, count: Array | Drawn, sums: Sequence[Array]) -> Margins:
        def summed(parts: list[tuple[Array, Array]], classes: int) -> Array:
            code_sums = CodeSums(parts, classes)
            return (code_sums.drawn(count) if isinstance(count, Drawn) else code_sums(count))[0]

        def tn() -> Array:
            return outside(margins, self._true, predicted, count)  # type: ignore[arg-type]

        def distances() -> Array:
            apart = (np.abs(predicted - self._true), np.arange(len(predicted)))
            return summed([apart], self._classes)

        def cells() -> CellValues:
            pairs = self._true * self._classes + predicted
            key, at = np.unique(pairs, return_inverse=True)
            return CellValues(key, summed([(at, np.arange(len(at)))], len(key)), self._classes)

        tp, fp, fn = sums
        exact = isinstance(count, Drawn)  # whole numbers, whose differences are exact
        margins = Margins(tp, fp, fn, None if exact else tn, distances, cells)
        return margins


class MovingCells:
    """Cells → margins of two systems after some items are swapped; for whole numbers."""

    def __init__(
        self, margins: SystemMargins, systems: tuple[int, int], tables: tuple[Table, Table]
    ) -> None:
        self._margins, self._systems, self._tables = margins, systems, tables
        self._classes = max(tables[0].classes, tables[1].classes)

    def __call__(self, moved: Drawn) -> tuple[Margins, Margins]:
        """The margins of both, after this many items of each cell are swapped."""
        sums, (a, b) = self._margins.moved(moved), self._systems
        hits, alarms = sums[2 * b] - sums[2 * a], sums[2 * b + 1] - sums[2 * a + 1]
        return self._side(0, moved, hits, alarms), self._side(1, moved, -hits, -alarms)

    def _side(self, system: int, moved: Drawn, hits: Array, alarms: Array) -> Margins:
        """One system with these changes; the sizes of the classes stay the same."""
        own, other = self._tables[system], self._tables[1 - system]

        def change(a: Array, b: Array, size: int) -> Array:
            differ = np.flatnonzero(own.predicted != other.predicted)
            gone, come = CodeSums([(a, differ), (b, differ)], size).drawn(moved)
            return come - gone

        def distances() -> Array:
            a, b = (np.abs(x.true - x.predicted) for x in (own, other))
            return own.distances + change(a, b, self._classes)

        def cells() -> CellValues:
            keys = [x.true * self._classes + x.predicted for x in (own, other)]
            every = np.union1d(*keys)
            a, b = (np.searchsorted(every, key) for key in keys)
            base = np.bincount(a, own.count, len(every))
            return CellValues(every, base + change(a, b, len(every)), self._classes)

        return Margins(own.tp + hits, own.fp + alarms, own.fn - hits, None, distances, cells)


class MarginSlopes(NamedTuple):
    """The terms of the slope ∂M/∂count of a cell, as arrays (…, classes)."""

    right: Array
    """Of the right cell of each class."""
    rows: Array
    """Of a wrong cell, by its true class …"""
    columns: Array
    """… and by its predicted one: the two add up."""
    distances: Array | None = None
    """What is added for the distance between the two."""
    cells: CellValues | None = None
    """What is added for the cell itself."""

    def at(self, true: Array, predicted: Array) -> Array:
        """∂M/∂count of cells."""
        cells: Array = self.rows[true]
        cells += self.columns[predicted]
        right = (true == predicted).nonzero()
        cells[right] = self.right[true[right]]
        if self.distances is not None:
            cells += self.distances[np.abs(true - predicted)]
        if self.cells is not None:
            cells += self.cells.at(true, predicted)
        return cells

    def in_block(self, table: Table, block: slice) -> Array:
        """∂M/∂count of some of the cells of a table."""
        return self.at(table.true[block], table.predicted[block])

    @property
    def square(self) -> Array:
        """∂M/∂count of every cell of the table from its margins; true classes are in rows."""
        cells = np.add.outer(self.rows, self.columns)
        cells.flat[:: len(cells) + 1] = self.right
        if self.distances is not None:
            cells += self.distances[_apart(len(cells))]
        return cells

    def of(self, table: int) -> MarginSlopes:
        """The terms of one table of a batch."""
        right, rows, columns, distances, cells = self
        far = None if distances is None else distances[table]
        own = None if cells is None else cells._replace(values=cells.values[table])
        return MarginSlopes(right[table], rows[table], columns[table], far, own)

    def centred(self, margins: Margins) -> MarginSlopes:
        """The same for a fixed number of items: minus the mean over the items of these margins."""
        total = np.dot(self.right, margins.tp) + np.dot(self.rows, margins.fn)
        total += np.dot(self.columns, margins.fp)
        if self.distances is not None:
            total += np.dot(self.distances, margins.distances)
        if self.cells is not None:
            total += np.dot(self.cells.values, margins.cells.on(self.cells.key))
        mean = float(total) / float(margins.total)
        return self._replace(right=self.right - mean, rows=self.rows - mean)


@lru_cache(maxsize=64)
def _apart(k: int) -> Array:
    """How far apart the two classes of each cell are in label order."""
    apart: Array = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    return apart


def margin_slopes(
    definition: Definition, frozen: Frozen, margins: Margins
) -> tuple[Array, MarginSlopes]:
    """The value and the slopes of a definition that gives one number, for each table of a batch."""
    recorded = _recorded_slopes(definition, frozen, margins)
    return _traced_slopes(definition, frozen, margins) if recorded is None else recorded


def _traced_slopes(
    definition: Definition, frozen: Frozen, margins: Margins
) -> tuple[Array, MarginSlopes]:
    """The same by following the steps of the formula."""
    asked: dict[str, Traced] = {}

    def values(tp: Any, fp: Any, fn: Any) -> Any:
        def traced(name: str) -> Traced:
            asked[name] = Traced(getattr(margins, name), tp.tape)
            return asked[name]

        def cells() -> CellValues:
            asked["cells"] = Traced(margins.cells.values, tp.tape)
            return margins.cells._replace(values=asked["cells"])  # type: ignore[arg-type]

        rest: Any = partial(traced, "tn"), partial(traced, "distances"), cells
        return definition.values(frozen, Margins(tp, fp, fn, *rest))

    value, (right, columns, rows) = slopes(values, margins.tp, margins.fp, margins.fn)
    tn = asked["tn"].grad if "tn" in asked else None
    distances = asked["distances"].grad if "distances" in asked else None
    own = asked["cells"].grad if "cells" in asked else None
    cells = None if own is None else margins.cells._replace(values=own)
    return value, MarginSlopes(*_of_cells(right, rows, columns, tn), distances, cells)


def _of_cells(
    right: Array, rows: Array, columns: Array, tn: Array | None
) -> tuple[Array, Array, Array]:
    """The slopes by the cells: one is a true negative of all other classes."""
    if tn is None:
        return right, rows, columns
    others = _total(tn, -1, keepdims=True) - tn
    return right + others, rows + others, columns - tn


def _recorded_slopes(
    definition: Definition, frozen: Frozen, margins: Margins
) -> tuple[Array, MarginSlopes] | None:
    """The same from the recorded steps of the formula, where no 0/0 rule applies."""
    tp = margins.tp
    classes = tp.shape[-1]
    every = frozen.classes is every_class(classes)
    if tp.dtype.char != "d" or classes > MOST_RECORDED or not every:
        return None
    formula, reads_tn = recorded(definition, classes)
    if formula is None:
        return None
    inputs = np.empty((len(tp) if tp.ndim > 1 else 1, 4, classes))
    inputs[:, 0], inputs[:, 1], inputs[:, 2] = tp, margins.fp, margins.fn
    inputs[:, 3] = margins.tn if reads_tn else 0.0
    computed = kernel.differentiate(formula, inputs)
    if computed is None:
        return None
    values, grads = computed
    value, by_input = (values, grads.swapaxes(0, 1)) if tp.ndim > 1 else (values[0], grads[0])
    right, columns, rows, tn = by_input
    return value, MarginSlopes(*_of_cells(right, rows, columns, tn if reads_tn else None))


@lru_cache(maxsize=256)
def recorded(definition: Definition, classes: int) -> tuple[kernel.Formula | None, bool]:
    """The steps of a score of all classes, and whether they read the true negatives.

    None if it is not one number, or needs more than margins.
    """
    if definition.class_shares is not None or classes < 2:
        return None, False
    fixed = Frozen(None, every_class(classes), _NAMES)

    def other() -> Any:
        raise NotImplementedError("only margins are recorded")

    def values(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        return definition.values(fixed, Margins(tp, fp, fn, lambda: tn, other, other))

    formula = record(values, 4, classes)
    return formula, formula is not None and bool((formula.steps[:, 1:] == 3).any())


class _Names:
    """Labels in a formula that is recorded, which must not depend on them."""

    def __len__(self) -> int:
        raise NotImplementedError("only formulas of counts are recorded")

    def __iter__(self) -> Any:
        raise NotImplementedError("only formulas of counts are recorded")


_NAMES: Any = _Names()
_total: Any = np.add.reduce


class Linearized(NamedTuple):
    """What the delta interval of a score of whole counts depends on, found without any counts."""

    formula: kernel.Formula | None
    """The score in recorded steps, if they are recorded."""
    least: dict[str, float]
    """What each class needs."""
    every: bool
    """Whether it needs them in every class, or in those with true or predicted items."""
    bent: bool = False
    """Whether it is a ratio without end, whose curvature counts."""


def _delta(definition: Definition, classes: int) -> Linearized | None:
    """The same for a score of all classes, or of one; cached with the definition."""
    known = definition.memo.get("delta")
    if known is None or known[0] != classes:
        known = definition.memo["delta"] = (classes, _found_delta(definition, classes))
    delta: Linearized | None = known[1]
    return delta


def _found_delta(definition: Definition, classes: int) -> Linearized | None:
    metric, whole = definition.declaration, definition.positive is None
    rate = metric.kind == "rate"
    bent = rate and metric.bounds[1] == inf
    if whole and (bent or definition.epsilon or (rate and definition.average is None)):
        return None  # the slopes of all cells are needed more than once, or there are many scores
    formula = None
    if not whole:
        formula = _recorded_class(definition)
    elif classes <= MOST_RECORDED:
        formula = recorded(definition, classes)[0]
    least = {} if definition.average == "micro" else _least_sizes(definition, True, FEW)
    return Linearized(formula, least, rate, bent)


Estimated: TypeAlias = tuple[Spread, str | None, float | None]
"""The spread of a score, what there are too few of, and its value if that was found on the way."""


def delta_of_table(definition: Definition, frozen: Frozen) -> Estimated | None:
    """The spread of a score of all classes, and what there are too few of, in one step.

    None if it takes more than one.
    """
    table, classes = frozen.table, len(frozen.labels)
    if frozen.classes is not every_class(classes):
        return None
    delta = _delta(definition, classes)
    if delta is None:
        return None
    sums = None if delta.formula is None else table.spread_sums(delta.formula, delta.every)
    if sums is None:  # it is not recorded, or a 0/0 rule applies
        spread, value = _traced_spread(definition, frozen)
        return spread, _few_of_table(delta, frozen), value
    for enough, size in zip(delta.least.values(), sums[4:], strict=False):
        if size < enough:
            return _spread(sums), _few_of_table(delta, frozen), sums[0]
    return _spread(sums), None, sums[0]


def _few_of_table(delta: Linearized, frozen: Frozen) -> str | None:
    """What a class has too few of, in words."""
    table, codes = frozen.table, frozen.classes
    enough = max(delta.least.values(), default=0)
    if all(np.minimum.reduce(x) >= enough for x in (table.tp, table.fp, table.fn)):
        return None
    if not delta.every:
        codes = np.flatnonzero((table.rows > 0) | (table.columns > 0))
    sizes = partial(_kind_of_size, table.one_vs_rest(codes))
    return fewest(sizes, lambda place: frozen.labels[codes[place]], delta.least)


def _traced_spread(definition: Definition, frozen: Frozen) -> tuple[Spread, float]:
    """The spread of a score of whole counts by the steps of its formula, and its value."""
    cells = frozen.table.cells
    value, slope = _traced_slopes(definition, frozen, frozen.table)
    table = Table(cells.true, cells.predicted, cells.values, cells.classes)
    sample = Sample(cells.values)
    if slope.cells is None:
        return _spread_in_blocks(slope, table, sample), float(value)
    by_cell = slope._replace(cells=None).at(table.true, table.predicted)
    by_cell += slope.cells.values  # those of the same cells
    return sample.spread(by_cell), float(value)


def delta_of_class(definition: Definition, c: OneVsRest) -> Estimated | None:
    """The same for a score of one class, from its counts as plain numbers."""
    delta = _delta(definition, 1)
    if delta is None or delta.formula is None:
        return None
    tp, fp, fn = c.tp, c.fp, c.fn
    sums = kernel.class_spread(delta.formula, tp, fp, fn, c.tn, delta.bent)  # type: ignore[arg-type]
    if sums is None:
        return None
    for enough, size in zip(delta.least.values(), (tp + fn, tp, fp, fn), strict=False):
        if size < enough:
            one = OneVsRest(*(np.array([x]) for x in (tp, fp, fn, c.tn)))
            few = fewest(partial(_kind_of_size, one), lambda _: definition.positive, delta.least)
            return _spread(sums), few, None
    return _spread(sums), None, None


def _spread(sums: kernel.SpreadSums) -> Spread:
    square, cube, second = sums[1:4]
    if not 0 < square < inf:
        return Spread(0.0 if square == 0 else inf)
    error = sqrt(square)
    return Spread(error, cube / square**1.5, second / square**1.5 if error > NONE else 0.0)


def _recorded_class(definition: Definition) -> kernel.Formula | None:
    """The steps of a rate of one class."""

    def values(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        return definition.class_formula(OneVsRest(tp, fp, fn, tn))[..., 0]

    return record(values, 4, 1)


def kind_slopes(
    definition: Definition, frozen: Frozen, counts: OneVsRest | None = None
) -> tuple[Array, OneVsRest]:
    """The values, and ∂(their sum)/∂(tp, fp, fn, tn) of each class.

    Without an average, this is the derivative of each rate, since the rate of a class depends on
    nothing else.
    """

    def values(*kinds: Array) -> Array:
        return definition.values(frozen, _Fixed(OneVsRest(*kinds)))

    counts = frozen.table.one_vs_rest(frozen.classes) if counts is None else counts
    value, parts = slopes(values, *four(counts))
    return value, OneVsRest(*parts)


class _Fixed(NamedTuple):
    """A stand-in for a table that holds its one-vs-rest counts."""

    counts: OneVsRest

    def one_vs_rest(self, _: object) -> OneVsRest:
        """The counts."""
        return self.counts


def four(c: OneVsRest) -> tuple[Array, Array, Array, Array]:
    """True and false positives, false and true negatives."""
    return c.tp, c.fp, c.fn, c.tn


def _spread_in_blocks(slope: MarginSlopes, table: Table, sample: Sample) -> Spread:
    """The spread of a centred slope, one block at a time, so that it fits in the cache."""
    square = cube = 0.0
    for start in range(0, len(table.true), _BLOCK):
        block = slice(start, start + _BLOCK)
        by_cell = slope.at(table.true[block], table.predicted[block])
        times = sample.variances[block]
        part = by_cell * times
        square += float(np.dot(part, by_cell))
        part *= by_cell
        if sample.squares is not None:  # the effective number of equal items, of weight Σw² / Σw
            part *= times / table.count[block]
        cube += float(np.dot(part, by_cell))
    return Spread(sqrt(square), cube / square**1.5 if square > 0 else None)


def _kinds_of_items(frozen: Frozen) -> Array:
    """For some classes, an item is 0 right, 1 confused among them, 2 missed, 3 false, 4 neither."""
    table = frozen.table
    inside = np.zeros(table.classes, bool)
    inside[frozen.classes] = True
    true, predicted = inside[table.true], inside[table.predicted]
    kind: Array = np.where(true & predicted, 1, np.where(true, 2, np.where(predicted, 3, 4)))
    kind[true & (table.true == table.predicted)] = 0
    return kind


def _alone(
    metric: Metric, arguments: dict[str, Any], k: int, times: int = 1
) -> tuple[Array, Array]:
    """Numerator and denominator of one item of each kind alone."""
    if metric.kind == "agreement":
        tp, fp, fn = np.array([[[1, 0], [0, 0]], [[0, 0], [0, 1]], [[0, 0], [1, 0]]], float) * times
        cells = CellValues(np.arange(2), times * np.eye(2), 2)
        alone = Margins(tp, fp, fn, distances=tp + fp, cells=cells)
        top, bottom = metric.formula(alone, **arguments)
        return top, bottom
    tp, fp, fn = times * np.array([[1.0, 0, 0, 0, 0], [0, 1, 0, 1, 0], [0, 1, 1, 0, 0]])
    top, bottom = metric.formula(OneVsRest(tp, fp, fn, times * k - tp - fp - fn), **arguments)
    return top, bottom


@lru_cache(maxsize=256)
def _is_linear(metric: Metric, parameters: tuple[tuple[str, Any], ...]) -> bool:
    """Whether the items of a table add up, above and below the line."""
    if any(isinstance(value, tuple) for _, value in parameters):
        return False  # a matrix for all pairs of classes
    arguments = dict(parameters)
    once, twice = (_alone(metric, arguments, 2, times) for times in (1, 2))
    doubled = all(np.array_equal(2 * x, y) for x, y in zip(once, twice, strict=True))
    if not doubled or not once[1].any():
        return False
    if metric.kind == "agreement":  # [[3, 2], [1, 4]]
        of_kinds, sums = np.array([7.0, 3]), (np.array([3.0, 4]), np.array([1.0, 2]))
        cells = CellValues(np.arange(4), np.array([3.0, 2, 1, 4]), 2)
        whole: Any = Margins(*sums, sums[1][::-1], distances=of_kinds, cells=cells)
    else:
        of_kinds = np.array([3.0, 5, 2, 1, 4])
        tp, fp, fn = of_kinds[0], of_kinds[[1, 3]].sum(), of_kinds[[1, 2]].sum()
        whole = OneVsRest(tp, fp, fn, 2 * of_kinds.sum() - tp - fp - fn)
    both = zip(once, metric.formula(whole, **arguments), strict=True)
    return all(abs(float(x @ of_kinds) - float(y)) < NONE * of_kinds.sum() for x, y in both)
