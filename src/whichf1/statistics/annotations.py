"""Scores of ratings: kinds of items are the units; the raters are fixed.

The ratings of an item belong together, so the items vary. A formula of agreement depends on a few
sums over items; its derivatives with respect to them give the slope of every kind of item. This is
the linearized variance that Gwet (2008) derives for each coefficient by itself.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from whichf1.definitions.definition import Definition, Frozen
from whichf1.statistics.sample import Sample, Statistic, Twin, there_are
from whichf1.statistics.scales import NONE, Smoothed, Spread
from whichf1.statistics.tracing import Traced, slopes
from whichf1.tables.annotations import RaterMargins, RaterTable
from whichf1.tables.cells import Array

FEW_ITEMS = 20
"""With fewer items that have a pair of ratings, no method is known to be valid."""
FEW_EACH = 15
"""The delta method and the bootstrap need this many items of each category …"""
FEW_AGREED = 8
"""… and this many to which two raters gave it: they decide how far agreement exceeds chance …"""
FEW_DISPUTED = 5
"""… and this many on which raters disagree."""
_MANY = 20.0
"""With many more disagreements than this, the added ones are about as far off as those seen."""
_MOST_CATEGORIES = 64
"""Beyond this many, no item is spread over all pairs of categories."""


class RaterPairs(Statistic):
    """A measure of agreement of the ratings of items."""

    def __init__(self, definition: Definition, frozen: Frozen) -> None:
        self.definition, self.frozen = definition, frozen
        self._table: RaterTable = frozen.table

    def _with(self, table: RaterTable) -> RaterPairs:
        return RaterPairs(self.definition, self.frozen._replace(table=table))

    def values(self, count: Array) -> Array:
        """The value for counts (…, kinds of items)."""
        table = self._table
        if count is not table.count:
            table = replace(table, count=count.astype(np.float64))
        return self.definition.values(self.frozen, table)[..., None]

    def slope(self, count: Array, at: int = 0) -> Array:
        """∂value/∂count of each kind of item."""
        table = self._table if count is self._table.count else replace(self._table, count=count)
        asked: dict[str, Traced] = {}

        def value(pairs: Any) -> Any:
            def sums(name: str) -> Any:
                if name == "pairs":
                    return pairs
                asked[name] = Traced(table.sums(name), pairs.tape)
                return asked[name]

            return self.definition.values(
                self.frozen, RaterMargins(sums, table.cells, table.classes)
            )

        _, (by_pairs,) = slopes(value, table.sums("pairs"))
        by_sum = {"pairs": by_pairs} | {k: x.grad for k, x in asked.items() if x.grad is not None}
        kinds = len(table.count)
        parts = [table.linear(name).back(slope, kinds) for name, slope in by_sum.items()]
        total: Array = np.sum(parts, 0)
        return total

    @property
    def size(self) -> int:
        """The number of ratings times the number of kinds of items."""
        return len(self._table.item) + len(self._table.count)

    def beside(self, other: RaterPairs) -> RaterPairs:
        """The score on the kinds of items of both."""
        return self._with(self._table.beside(other._table))

    def few(self, sample: Sample, at: int, careful: bool) -> str | None:
        """Too few items with a pair of ratings, in a category, or with different ratings."""
        table = self._table
        n = sample.at(table.pairable).effective_n
        if n < FEW_ITEMS:
            return f"{there_are(n, 'items')} with two ratings or more"
        if not careful:
            return None
        disputed = sample.at(np.bincount(table.item, minlength=len(table.count)) > 1).count.sum()
        if disputed < FEW_DISPUTED * sample.typical_weight:
            number = f"{disputed / sample.typical_weight:.3g}"
            return f"raters disagree on {number} item{'s' * (number != '1')}"
        times = sample.count[table.item] / sample.typical_weight
        size: Array = np.bincount(table.label, times, table.classes)
        seen = np.flatnonzero(size)
        least = seen[size[seen].argmin()]
        if size[least] < FEW_EACH:
            name = self.frozen.labels[least]
            return f"category {name} was given to {size[least]:.3g} items"
        agreed: Array = np.bincount(table.label, times * (table.times > 1), table.classes)
        least = seen[agreed[seen].argmin()]
        if agreed[least] >= FEW_AGREED:
            return None
        name = self.frozen.labels[least]
        return f"two raters gave category {name} to {agreed[least]:.3g} items"

    def spreads(self, sample: Sample) -> tuple[Array, list[Spread]]:
        """The value and its spread, which knows its curvature and how uncertain it is itself.

        Few items with agreement in a rare category may decide both.
        """
        values, spreads = super().spreads(sample)
        (spread,) = spreads
        if sample.stratum is not None or not NONE < spread.error < inf:
            return values, spreads
        slope = sample.centred(self.slope(sample.count))
        freedom = inf
        if sample.cluster is None:
            freedom = sample.spread_of_powers(*sample.powers(slope)).freedom
        curvature = sample.curvature(self, slope)
        return values, [spread._replace(curvature=curvature, freedom=freedom)]

    def smoothed(self, sample: Sample) -> tuple[Array, list[Twin]]:
        """The value, and the value with one item added: half in agreement, half in disagreement."""
        value = self.values(sample.count)
        added = self._added(sample.typical_weight)
        if added is None:
            return value, [None]
        weight = sample.typical_weight * self._worth
        larger = self._table.beside(replace(added, count=weight * added.count))
        own = self._with(larger)
        slope = own.slope(larger.count)
        slope = slope - (larger.count @ slope) / larger.count.sum()
        items = len(sample.count)
        powers = [float(added.count @ (weight * slope[items:]) ** e) for e in (2, 4)]
        spread = sample.smoothed_spread(slope[:items].__getitem__, (powers[0], powers[1]))
        scale: Any = "beta" if sample.cluster is None else "transformed"
        if not NONE < spread.error < inf:
            return value, [Smoothed(float(value[0]), Spread(inf))]
        return value, [Smoothed(float(own.values(larger.count)[0]), spread, scale)]

    @cached_property
    def _worth(self) -> float:
        """How many items of two ratings are worth one of these, to a formula that counts ratings.

        Krippendorff's alpha counts an item as often as it has ratings, so that the item that is
        added, which has two, would be worth too little.
        """
        table, asked = self._table, set()

        def sums(name: str) -> Array:
            asked.add(name)
            return table.sums(name)

        self.definition.values(self.frozen, RaterMargins(sums, table.cells, table.classes))
        items = float(table.count[table.pairable].sum())
        if "coincidences" not in asked or not items:
            return 1.0
        return float(table.sums("ratings").sum()) / items / 2

    def _added(self, weight: float) -> RaterTable | None:
        """The item that is added, with two ratings, spread over all pairs of categories.

        Once items of this weight have many disagreements, the added one is spread like them.
        """
        table, k = self._table, self._table.classes
        if not 1 < k <= _MOST_CATEGORIES:
            return None
        one, two = np.triu_indices(k)
        same = one == two
        part = np.where(same, 0.5 / k, 1 / (k * (k - 1)))
        cells = table.margins.cells
        seen = np.zeros((k, k))
        seen[cells.true, cells.predicted] = cells.values
        errors = np.where(same, 0.0, (seen + seen.T)[one, two])
        total = float(errors.sum())
        many = total**2 / (total**2 + (_MANY * weight) ** 2)
        if total > 0:
            part = np.where(same, part, (1 - many) * part + many * errors / (2 * total))
        item = np.arange(len(part))
        lines = [
            np.concatenate([item, item[~same]]),
            np.concatenate([one, two[~same]]),
            np.concatenate([1 + same, np.ones((~same).sum(), np.intp)]),
        ]
        order = np.lexsort((lines[1], lines[0]))
        item, label, times = (line[order] for line in lines)
        return RaterTable(item, label, times, part, k)
