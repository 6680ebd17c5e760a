"""Scores of label sets: kinds of items are the units.

The labels of an item belong together, so the items vary: an item adds the sum over its labels
to an average over labels, and the variance is that of these sums. A sentence may have several
spans of a type, which may be right or wrong together, so it is worth more than a span.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from math import hypot, inf, sqrt
from typing import Any, NamedTuple

import numpy as np

from whichf1.definitions.definition import Definition, Frozen
from whichf1.metrics.averaging import per_class
from whichf1.statistics.cells import four, kind_slopes
from whichf1.statistics.items import few_items, least_items, mean_twin
from whichf1.statistics.sample import (
    FEW,
    FEW_HITS,
    Sample,
    Share,
    Statistic,
    Twin,
    equal_items,
    fewest,
    there_are,
)
from whichf1.statistics.scales import LEAST, Smoothed, Spread
from whichf1.tables.cells import Array, OneVsRest
from whichf1.tables.label_sets import FP, OUTCOMES, TP, LabelTable, MultiLabelCounts

FEW_SENTENCES = 50
"""Sentences of equal size that the delta method and the bootstrap of spans need."""


class Sentences(NamedTuple):
    """What the sentences are worth in which a score's spans are."""

    typical: float
    """Spans of a sentence, Σm² / Σm for m spans each, and times the weight if there is one."""
    worth: float
    """How many sentences of equal size have the same sums: (Σm)² / Σm²."""

    @property
    def weight(self) -> float:
        """That of an added item: between one span and all of a sentence, on the log scale."""
        return sqrt(self.typical)

    def widened(self, spread: Spread) -> Spread:
        """The spread between so few sentences, with its degrees of freedom."""
        others = self.worth - 1
        if others <= 0:
            return Spread(inf)  # one sentence does not show the spread between sentences
        freedom = max(1 / hypot(1 / others, 1 / (spread.freedom or inf)), LEAST)
        return spread._replace(error=spread.error * sqrt(self.worth / others), freedom=freedom)


class LabelSets(Statistic):
    """A score of the label sets that a system predicts."""

    def __init__(self, definition: Definition, frozen: Frozen) -> None:
        self.definition, self.frozen = definition, frozen
        self._table: LabelTable = frozen.table
        rate = definition.declaration.kind == "rate"
        self._by_label = rate and definition.average is None
        self._mean = definition.declaration.kind == "items" or definition.average == "samples"
        self._last_sizes: tuple[Sample, dict[str, Array]] | None = None

    def _counted(self, count: Array) -> LabelTable:
        if count is self._table.count:
            return self._table
        return replace(self._table, count=count.astype(np.float64))

    def values(self, count: Array) -> Array:
        """The values for counts (…, kinds of items): one, or one for each label."""
        values = self.definition.values(self.frozen, self._counted(count))
        return values if self._by_label else values[..., None]

    def slope(self, count: Array, at: int = 0) -> Array:
        """∂value/∂count of each kind of item."""
        frozen = self.frozen._replace(table=self._counted(count))
        if self._mean:
            return self._mean_slope(count)
        return self._slope_of_items(kind_slopes(self.definition, frozen)[1], at)

    def _slope_of_items(self, slope: OneVsRest, at: int) -> Array:
        """The sum over the labels of each item; those that it lacks are true negatives."""
        table = self._table
        by_outcome = np.zeros((OUTCOMES, table.classes))
        chosen = [at] if self._by_label else slice(None)  # a label depends on itself
        labels = self.frozen.classes[chosen]
        tn = slope.tn[chosen]
        parts = [x[chosen] - tn for x in (slope.tp, slope.fp, slope.fn)]
        by_outcome[:, labels] = np.array([*parts, sum(parts) / 2])
        nothing = float(tn.sum())  # the slope of an item without any of these labels
        by_line = by_outcome[table.outcome, table.label]
        if table.times is not None:
            by_line = by_line * table.times
        return nothing + np.bincount(table.item, by_line, len(table.count))

    @cached_property
    def right_and_wrong(self) -> tuple[Array, Array] | None:
        """The slope of an item with one label if it is predicted, and if another one is."""
        if self._mean:
            return None
        slope = kind_slopes(self.definition, self.frozen)[1]
        if self._by_label:
            one = [float(x[0]) for x in four(slope)]
            return np.array([one[0], one[3]]), np.array([one[2], one[1]])
        counts = self._table.one_vs_rest(self.frozen.classes)
        tp, fp, fn = (x - slope.tn for x in (slope.tp, slope.fp, slope.fn))
        wrong = fn + (fp.sum() - fp) / max(len(fp) - 1, 1)
        present, nothing = counts.tp + counts.fn > 0, float(slope.tn.sum())
        return nothing + tp[present], nothing + wrong[present]

    def smoothed(self, sample: Sample) -> tuple[Array, list[Twin]]:
        """The values, and each with one item added to a label, or to all of them together."""
        values = np.ravel(self.values(sample.count))
        if self._mean:
            share = self.share()
            if share is not None:
                return values, [share.smoothed(sample)]
            return values, [mean_twin(float(values[0]), self._mean_slope(sample.count), sample)]
        frozen, sentences = self.frozen, self._sentences(sample)
        weight: Any = sample.typical_weight
        if sentences is not None:
            weight = np.array([each.weight for each in sentences])
        kinds = np.stack(four(frozen.table.one_vs_rest(frozen.classes)))
        seen = np.where(kinds[:3].any(0) | self._by_label, 0.25, 0.0)
        if not self._by_label:
            seen /= max(4 * seen.sum(), 1.0)
        larger = OneVsRest(*(kinds + weight * seen))
        value, parts = kind_slopes(self.definition, frozen, larger)
        slope = np.stack(four(parts)) * weight
        added = [(seen * slope**e).sum(0) for e in (2, 4)]
        if not self._by_label:
            added = [x.sum(keepdims=True) for x in added]
        scale: Any = "beta" if sample.cluster is None else "transformed"
        if self._each_label_alone(sample):
            sums = self._sums_of_kinds(
                sample.variances, sample.variances * sample.equal_items[1] ** 2
            )
            own = np.stack(four(parts))
            second, fourth = (
                x + (own**e * kind).sum(0) for x, e, kind in zip(added, (2, 4), sums, strict=True)
            )
            spreads = [*map(sample.spread_of_powers, second.tolist(), fourth.tolist())]
        else:
            spreads = [
                sample.smoothed_spread(self._slope_of_items(parts, at).__getitem__, powers)
                for at, powers in enumerate(zip(*(x.tolist() for x in added), strict=True))
            ]
        if sentences is not None and sample.cluster is None:
            spreads = [x.widened(spread) for x, spread in zip(sentences, spreads, strict=True)]
        each = zip(np.ravel(value).tolist(), spreads, strict=True)
        return values, [Smoothed(x, spread, scale) for x, spread in each]

    def _each_label_alone(self, sample: Sample) -> bool:
        """Whether an item adds at most one line to each score."""
        return self._by_label and self._table.times is None and sample.cluster is None

    def _sentences(self, sample: Sample) -> list[Sentences] | None:
        """What the sentences of each score are worth; None if items have sets of labels."""
        table = self._table
        if table.times is None:
            return None
        return _sentences(table, sample, self.frozen.classes if self._by_label else None)

    def _sums_of_kinds(self, *values: Array) -> list[Array]:
        """The numbers of items of the four kinds for each label.

        So the scores of all labels take one pass over the lines.
        """
        sums = []
        for each in values:
            table = replace(self._table, count=each)
            sums.append(np.stack(four(table.one_vs_rest(self.frozen.classes))))
        return sums

    def spreads(self, sample: Sample) -> tuple[Array, list[Spread]]:
        """The values, and the spread of each."""
        if not self._each_label_alone(sample) or sample.stratum is not None:
            return super().spreads(sample)
        values = self.values(sample.count)
        slope = np.stack(four(kind_slopes(self.definition, self.frozen)[1]))
        variances, weight = sample.variances, sample.equal_items[1]
        count, squares, cubes = self._sums_of_kinds(sample.count, variances, variances * weight)
        slope = slope - (count * slope).sum(0) / sample.count.sum()
        square, cube = (squares * slope**2).sum(0), (cubes * slope**3).sum(0)
        spreads = [
            Spread(sqrt(x), y / x**1.5) if 0 < x < inf else Spread(0.0 if x == 0 else inf, None)
            for x, y in zip(square.tolist(), cube.tolist(), strict=True)
        ]
        return values, spreads

    def _mean_slope(self, count: Array) -> Array:
        """The slope of a mean over items: (value − mean) / items."""
        values = self._values_of_items()
        weight = np.where(np.isnan(values), 0, count)
        total = float(weight.sum())
        if total == 0:
            return np.full(len(weight), inf)
        mean = float((weight * np.nan_to_num(values)).sum()) / total
        slope: Array = np.where(np.isnan(values), 0, np.nan_to_num(values) - mean) / total
        return slope

    def _values_of_items(self) -> Array:
        definition = self.definition
        items = self._table.per_item(self.frozen.classes)
        return per_class(definition.declaration, definition.arguments, definition.rule, items)

    def few(self, sample: Sample, at: int, careful: bool) -> str | None:
        """Too few items of a label, or hits if the method needs them; of spans, sentences."""
        spans, micro = self._table.times is not None, self.definition.average == "micro"
        if self._mean or (micro and not spans):
            return few_items(sample, least_items(False, careful))
        if self._by_label and sample.single and not (careful or spans):
            return None
        sizes = self._sizes(sample)
        least = {"items": FEW, "hits": FEW_HITS if careful else 0}
        if spans:
            least["effective sentences"] = least.pop("items") if not careful else FEW_SENTENCES
        if micro:
            n = float(sizes["all sentences"])
            enough = least["effective sentences"]
            return there_are(n, "effective sentences") if n < enough else None
        chosen = slice(at, at + 1) if self._by_label else slice(None)
        codes, labels = self.frozen.classes[chosen], self.frozen.units.labels
        return fewest(lambda x: sizes[x][chosen], lambda place: labels[codes[place]], least)

    def _sizes(self, sample: Sample) -> dict[str, Array]:
        """How many items have each label, and how many hits it has; cached."""
        if self._last_sizes is None or self._last_sizes[0] is not sample:
            table, classes = self._table, self.frozen.classes
            counts, squares = (
                replace(table, count=x).one_vs_rest(classes)
                for x in (sample.count, sample.variances)
            )
            items = equal_items(counts.tp + counts.fn, squares.tp + squares.fn)[0]
            sizes = {"items": items, "hits": equal_items(counts.tp, squares.tp)[0]}
            if table.times is not None:
                true = _lines_of(table, table.outcome != FP)
                each, every = (_sentences(true, sample, x) for x in (classes, None))
                sizes["effective sentences"] = np.array([x.worth for x in each])
                sizes["all sentences"] = np.array(every[0].worth)
            self._last_sizes = sample, sizes
        return self._last_sizes[1]

    @property
    def size(self) -> int:
        """The number of labels times the number of kinds of items."""
        return len(self._table.item) + len(self._table.count)

    @property
    def right(self) -> Array:
        """Whether the predicted set of a kind of item is the true one."""
        return ~self._marked(self._table.item[self._table.outcome != TP])

    def differs(self, other: LabelSets) -> Array:
        """Whether two systems predict different sets."""
        tables = (self._table, other._table)
        times = [np.ones(len(x.item)) if x.times is None else x.times for x in tables]
        most = 1 + int(max(x.max(initial=0) for x in times))
        left, right = (
            ((x.item * x.classes + x.label) * OUTCOMES + x.outcome) * most + own.astype(np.int64)
            for x, own in zip(tables, times, strict=True)
        )
        apart = np.setxor1d(left, right, assume_unique=True)
        return self._marked(apart // (most * OUTCOMES * max(1, self._table.classes)))

    def _marked(self, items: Array) -> Array:
        marked = np.zeros(len(self._table.count), bool)
        marked[items] = True
        return marked

    def share(self, at: int = 0) -> Share | None:
        """An item is a success or a failure if its score is always 0 or 1."""
        if self.definition.declaration.kind != "items":
            return None
        tp, fp, fn, tn = np.array([[1, 2, 1, 1], [0, 1, 0, 2], [1, 0, 0, 0], [3, 3, 4, 2]], float)
        top, bottom = self.definition.declaration.formula(OneVsRest(tp, fp, fn, tn))
        if not np.isin(top / bottom, (0.0, 1.0)).all():
            return None
        return Share(self._values_of_items())

    def beside(self, other: LabelSets) -> LabelSets:
        """The score on the kinds of items of both."""
        a, b = self._table, other._table
        both = LabelTable(
            np.concatenate([a.item, b.item + len(a.count)]),
            np.concatenate([a.label, b.label]),
            np.concatenate([a.outcome, b.outcome]),
            np.concatenate([a.count, b.count]),
            a.classes,
            None if a.times is None or b.times is None else np.concatenate([a.times, b.times]),
        )
        return LabelSets(self.definition, self.frozen._replace(table=both))


def shared_sets(
    systems: Sequence[LabelSets], counts: MultiLabelCounts
) -> tuple[list[LabelSets], Sample]:
    """The scores of several systems on the kinds of items that they share, and these kinds."""
    sample = Sample(counts.count.astype(np.float64), counts.squares, counts.cluster)
    tables = [replace(counts.table_of(at), count=sample.count) for at in range(len(systems))]
    return [
        LabelSets(each.definition, each.frozen._replace(table=table))
        for each, table in zip(systems, tables, strict=True)
    ], sample


def _lines_of(table: LabelTable, chosen: Array) -> LabelTable:
    """Some of the lines of a table of spans."""
    assert table.times is not None
    lines = (table.item, table.label, table.outcome)
    item, label, outcome = (x[chosen] for x in lines)
    return replace(table, item=item, label=label, outcome=outcome, times=table.times[chosen])


def _sentences(table: LabelTable, sample: Sample, types: Array | None) -> list[Sentences]:
    """What the sentences are worth that have spans of each type, or of any of them."""
    label, classes = (table.label, table.classes) if types is not None else (0, 1)
    pairs, at = np.unique(table.item * classes + label, return_inverse=True)
    spans = np.bincount(at, table.times)
    item, code = np.divmod(pairs, classes)
    total, square = (
        np.bincount(code, x[item] * spans**e, classes)
        for x, e in ((sample.count, 1), (sample.variances, 2))
    )
    chosen = slice(None) if types is None else types
    sums = zip(total[chosen].tolist(), square[chosen].tolist(), strict=True)
    return [Sentences(y / x, x * x / y) if x else Sentences(1.0, 0.0) for x, y in sums]
