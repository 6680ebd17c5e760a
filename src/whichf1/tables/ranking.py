"""Ranking: GROUP BY score. Every curve and ranking score is computed from it alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from whichf1.errors import InputError
from whichf1.tables.cells import Array, RankTable
from whichf1.tables.labels import Label, Labels
from whichf1.tables.units import Additive, effective_size, refuse_overflow


@dataclass(frozen=True, eq=False)
class Ranking(Additive):
    """How many positives and negatives have each score; made by ``whichf1.rank``.

    Rankings with the same positive class can be added; ``sum(parts)`` merges many.

    >>> import whichf1 as wf
    >>> monday, tuesday = wf.rank([0, 1], [0.2, 0.9]), wf.rank([0, 1], [0.4, 0.3])
    >>> wf.roc_auc(monday + tuesday).value
    0.75
    """

    score: Array
    """Distinct scores, highest first."""
    positives: Array
    """Items of the positive class with that score, or the sum of their weights."""
    negatives: Array
    labels: Labels
    """The classes of the items."""
    positive: Label
    resolution: str | None = None
    """How scores were rounded into bins, in words; None where they are exact."""
    squares: float | None = None
    """The sum of squared weights; None if items have no weights, or if it is not known."""

    def __post_init__(self) -> None:
        for column in (self.score, self.positives, self.negatives):
            column.flags.writeable = False
        if self.positives.dtype.kind == "f":
            refuse_overflow(self.positives, self.negatives)

    @cached_property
    def table(self) -> RankTable:
        """The same arrays without labels, for formulas."""
        return RankTable(self.score, self.positives, self.negatives)

    @property
    def n(self) -> int | float:
        """The number of items, or the sum of their weights."""
        total = sum(self.table.sizes)
        return float(total) if self.weighted else int(total)

    @property
    def weighted(self) -> bool:
        """Whether the counts are sums of weights."""
        return self.positives.dtype.kind == "f"

    @property
    def effective_n(self) -> float:
        """(Σw)² / Σw², the equal items that weighted ones are worth; NaN without the squares."""
        if not self.weighted:
            return float(self.n)
        return effective_size(float(self.n), self.squares)

    @property
    def probabilities(self) -> bool:
        """Whether every score lies in [0, 1]."""
        return bool(len(self.score)) and self.score[-1] >= 0 and bool(self.score[0] <= 1)

    def needs_both(self, what: str) -> None:
        """Raise unless there are positives and negatives."""
        sizes = self.table.sizes
        for size, name in zip(sizes, ("item of", "item of another class than"), strict=True):
            if size == 0:
                raise InputError(
                    f"{what} ranks positives against negatives: there is no {name} the positive "
                    f"class {self.positive!r} among {self.n:,} items. Give items of both."
                )

    def _alike(self) -> dict[str, Any]:
        first = self._first
        return {
            "the positive class": self.positive,
            "the type of labels": self.labels.kind,
            "weighting": first.weighted,
            "the bins of scores": self.resolution,
        }

    def __reduce__(self) -> tuple[Any, ...]:
        facts = (self.labels, self.positive, self.resolution, self.squares)
        return Ranking, (*self._columns(), *facts)

    def _columns(self) -> tuple[Array, Array, Array]:
        return self.score, self.positives, self.negatives

    def _length(self) -> int:
        return len(self.score)

    @cached_property
    def _total(self) -> float:
        return float(self.n)

    def _plus(self, other: Ranking) -> Ranking:
        labels = self.labels
        if labels != other.labels:
            labels = labels.union(other.labels)
        total = self._total + other._total
        refuse_overflow(np.array([total]))
        facts: dict[str, Any] = {"positive": self.positive, "resolution": self.resolution}
        known = self.squares is not None and other.squares is not None
        facts["squares"] = self.squares + other.squares if known else None  # type: ignore[operator]
        return self._waits(other, labels=labels, **facts, _total=total)

    def _whole(self, parts: Sequence[Ranking]) -> Ranking:
        columns = zip(*(part._columns() for part in parts), strict=True)
        score, *sides = map(np.concatenate, columns)
        distinct, at = np.unique(-score, return_inverse=True)
        sums = (np.bincount(at, side, len(distinct)) for side in sides)  # exact below 2⁵³
        positives, negatives = (x if parts[0].weighted else x.astype(np.int64) for x in sums)
        facts = (self.labels, self.positive, self.resolution, self.squares)
        return Ranking(-distinct + 0.0, positives, negatives, *facts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ranking):
            return NotImplemented
        same_facts = self.labels == other.labels and self._alike() == other._alike()
        return same_facts and all(map(np.array_equal, self._columns(), other._columns()))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        p, n = self.table.sizes
        return (
            f"<Ranking: {p:,.6g} positives (class {self.positive!r}) and {n:,.6g} negatives "
            f"with {len(self.score):,} distinct scores>"
        )
