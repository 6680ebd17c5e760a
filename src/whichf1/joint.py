"""Joint: GROUP BY true, a, b, … and cluster: the items of several systems, or of clusters."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from whichf1.counts import Counts
from whichf1.errors import MergeError
from whichf1.labels import Label, Labels
from whichf1.table import Array, Table


@dataclass(frozen=True, eq=False)
class Joint:
    """How many items have each class and each combination of predictions.

    What pairs of systems share is kept, so that differences, tests and replicates are computed
    from these cells without touching an item again.
    """

    systems: tuple[str, ...]
    labels: Labels
    """The classes of all systems together: every system is scored on the same ones."""
    true: Array
    predicted: tuple[Array, ...]
    """The predicted class of each cell, for each system."""
    count: Array
    """Items, or sums of weights."""
    squares: Array | None = None
    """Sums of squared weights."""
    cluster: Array | None = None
    """The code of each cell's cluster."""
    declared: bool = False

    @property
    def n(self) -> int | float:
        """The number of items, or the sum of their weights."""
        total: int | float = self.count.sum().item()
        return total

    @cached_property
    def clusters(self) -> int | None:
        """How many clusters the items come in."""
        return None if self.cluster is None else int(self.cluster.max()) + 1

    def system(self, at: int) -> Joint:
        """One system, on the same cells."""
        return replace(self, systems=(self.systems[at],), predicted=(self.predicted[at],))

    def counts(self, system: int) -> Counts:
        """The counts of one system, which know their clusters where there are some."""
        columns = (self.true.copy(), self.predicted[system].copy(), self.count.copy())
        squares = None if self.squares is None else self.squares.copy()
        own: dict[str, Any] = {"declared": self.declared, "squares": squares}
        if self.cluster is None:
            return Counts(self.labels, *columns, **own)
        return ClusteredCounts(self.labels, *columns, **own, joint=self.system(system))

    def declare(self, labels: Labels) -> Joint:
        """The same items under these declared classes."""
        rank = labels.codes(self.labels)
        predicted = tuple(rank[each] for each in self.predicted)
        return replace(
            self, labels=labels, true=rank[self.true], predicted=predicted, declared=True
        )

    def table(self, system: int, classes: int) -> Table:
        """The cells for formulas, as one system predicts them."""
        count = self.count.astype(np.float64)
        return Table(self.true, self.predicted[system], count, classes, self.squares, self.cluster)

    def without(self, ignored: tuple[Label, ...]) -> Joint:
        """The same without the items of these true classes."""
        if not ignored:
            return self
        keep = ~np.isin(self.true, self.labels.codes(ignored))
        cluster = None if self.cluster is None else self.cluster[keep]
        if cluster is not None and len(cluster):  # clusters that lost all items are no clusters
            cluster = np.unique(cluster, return_inverse=True)[1]
        return replace(
            self,
            true=self.true[keep],
            predicted=tuple(each[keep] for each in self.predicted),
            count=self.count[keep],
            squares=None if self.squares is None else self.squares[keep],
            cluster=cluster,
        )


class ClusteredCounts(Counts):
    """Counts of items that come in clusters: intervals take account of them, scores do not."""

    __slots__ = ("joint",)

    joint: Joint
    """The same items by cluster."""

    def __init__(self, *columns: Any, joint: Joint, **own: Any) -> None:
        super().__init__(*columns, **own)
        object.__setattr__(self, "joint", joint)

    def declare(self, labels: Sequence[Any]) -> Counts:
        """The same items under these declared classes, which must hold every observed one."""
        names = super().declare(labels).labels
        return self.joint.declare(names).counts(0)

    def __add__(self, other: object) -> Counts:
        if isinstance(other, int) and other == 0:
            return self
        raise MergeError(
            "counts of clusters do not add up: a cluster may have items in both. "
            "Count all items together."
        )

    __radd__ = __add__

    def save(self, path: str | os.PathLike[str]) -> None:
        """Refused: a file of counts does not keep clusters."""
        raise MergeError("a file of counts does not keep clusters: save the counts without them")
