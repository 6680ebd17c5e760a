"""Ranking: GROUP BY score. Every curve and ranking score is computed from it alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from whichf1.errors import InputError, MergeError
from whichf1.tables.cells import Array, RankTable
from whichf1.tables.labels import Label, Labels


@dataclass(frozen=True, eq=False)
class Ranking:
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

    def __post_init__(self) -> None:
        for column in (self.score, self.positives, self.negatives):
            column.flags.writeable = False

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

    def __add__(self, other: object) -> Ranking:
        if isinstance(other, int) and other == 0:
            return self  # so that sum(parts) works
        if not isinstance(other, Ranking):
            return NotImplemented
        self._refuse_other(other)
        score = np.concatenate([self.score, other.score])
        distinct, at = np.unique(-score, return_inverse=True)
        sums = []
        for side in ("positives", "negatives"):
            parts = [getattr(x, side) for x in (self, other)]
            total = np.bincount(at, np.concatenate(parts), len(distinct))  # exact below 2⁵³
            sums.append(total if self.weighted else total.astype(np.int64))
        labels = Labels.sorted({*self.labels, *other.labels})
        if self.labels == other.labels:
            labels = self.labels
        positives, negatives = sums
        return Ranking(
            -distinct + 0.0, positives, negatives, labels, self.positive, self.resolution
        )

    __radd__ = __add__

    def _refuse_other(self, other: Ranking) -> None:
        for what, mine, theirs in (
            ("the positive class", self.positive, other.positive),
            ("the type of labels", self.labels.kind, other.labels.kind),
            ("weighting", self.weighted, other.weighted),
            ("the bins of scores", self.resolution, other.resolution),
        ):
            if mine != theirs or type(mine) is not type(theirs):
                raise MergeError(
                    f"{what} differs: {mine!r} in one part, {theirs!r} in the other. "
                    "Rank both parts the same way."
                )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ranking):
            return NotImplemented
        return (
            (self.positive, self.labels, self.weighted, self.resolution)
            == (other.positive, other.labels, other.weighted, other.resolution)
            and np.array_equal(self.score, other.score)
            and np.array_equal(self.positives, other.positives)
            and np.array_equal(self.negatives, other.negatives)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        p, n = self.table.sizes
        return (
            f"<Ranking: {p:,.6g} positives (class {self.positive!r}) and {n:,.6g} negatives "
            f"with {len(self.score):,} distinct scores>"
        )
