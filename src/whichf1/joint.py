"""Joint: GROUP BY true, a, b, … and cluster: the items of several systems, or of clusters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from whichf1.counts import Counts
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
        """The counts of one system."""
        return Counts(
            self.labels,
            self.true.copy(),
            self.predicted[system].copy(),
            self.count.copy(),
            declared=self.declared,
            squares=None if self.squares is None else self.squares.copy(),
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
