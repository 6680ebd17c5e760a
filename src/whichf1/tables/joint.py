"""Joint: GROUP BY true, a, b, … and cluster: the items of several systems, or of clusters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from whichf1.errors import LabelError, MergeError
from whichf1.tables.cells import Array, Table, sum_by
from whichf1.tables.counts import Counts
from whichf1.tables.labels import Label, Labels
from whichf1.tables.merging import common_decision, common_labels, some


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
    names: Labels | None = None
    """What the clusters are called: those of one name in two parts are one cluster."""
    declared: bool = False
    decision: str | None = None
    """How scores became predictions, where they did."""

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
        own: dict[str, Any] = {"declared": self.declared, "decision": self.decision}
        own["squares"] = squares
        if self.cluster is None:
            return Counts(self.labels, *columns, **own)
        return ClusteredCounts(self.labels, *columns, **own, joint=self.system(system))

    def declare(self, labels: Labels) -> Joint:
        """The same items under these declared classes, which must hold every observed one."""
        outside = next((x for x in self.labels if x not in labels), None)
        if outside is not None:
            raise LabelError(
                f"label {outside!r} is not among the declared ones: {some(labels)}. "
                "Add it to labels=, or drop its items first."
            )
        return self.recoded(labels, True)

    def recoded(self, labels: Labels, declared: bool) -> Joint:
        """The same items with codes into other classes, which hold every one of these."""
        rank = labels.codes(self.labels)
        predicted = tuple(rank[each] for each in self.predicted)
        return replace(
            self, labels=labels, true=rank[self.true], predicted=predicted, declared=declared
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
        cluster, names = None if self.cluster is None else self.cluster[keep], self.names
        if cluster is not None and len(cluster):  # clusters that lost all items are no clusters
            present, cluster = np.unique(cluster, return_inverse=True)
            names = None if names is None else Labels.trusted(names[at] for at in present)
        return replace(
            self,
            true=self.true[keep],
            predicted=tuple(each[keep] for each in self.predicted),
            count=self.count[keep],
            squares=None if self.squares is None else self.squares[keep],
            cluster=cluster,
            names=names,
        )


def cluster_labels(names: Iterable[Any]) -> Labels:
    """Clusters in order; texts that are numbers, as in a file, are in the order of numbers.

    A seed draws clusters by their places, and so draws the same from every source.
    """
    found = Labels.sorted(set(names))
    texts = [name for name in found if isinstance(name, str)]
    if texts and all(map(str.isdecimal, texts)):
        return Labels.trusted(sorted(texts, key=lambda name: (int(name), name)))
    return found


def cells_of(
    keys: Sequence[Array], count: Array, squares: Array | None
) -> tuple[list[Array], Array, Array | None]:
    """Cells in the order of their keys, each combination once, without those of no weight."""
    order = np.lexsort(list(keys)[::-1])
    order = order[count[order] > 0]
    keys, count = [key[order] for key in keys], count[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    at, size = np.cumsum(new) - 1, int(new.sum())
    if squares is not None:
        squares = sum_by(at, squares[order], size)
    return [key[new] for key in keys], sum_by(at, count, size), squares


class ClusteredCounts(Counts):
    """Counts of items that come in clusters: intervals take account of them, scores do not."""

    __slots__ = ("joint",)

    joint: Joint
    """The same items by cluster."""

    def __init__(self, *columns: Any, joint: Joint, **own: Any) -> None:
        super().__init__(*columns, **own)
        object.__setattr__(self, "joint", joint)

    def __reduce__(self) -> tuple[Any, ...]:
        again, (kind, columns, own) = super().__reduce__()
        return again, (kind, columns, {**own, "joint": self.joint})

    def declare(self, labels: Sequence[Any]) -> Counts:
        """The same items under these declared classes, which must hold every observed one."""
        names = super().declare(labels).labels
        return self.joint.declare(names).counts(0)

    def __add__(self, other: object) -> Counts:
        if isinstance(other, int) and other == 0:
            return self  # so that sum(parts) works
        if not isinstance(other, Counts):
            return NotImplemented
        labels, declared = common_labels(self, other)
        mine = self.joint.recoded(labels, declared)
        if other.n:
            mine = replace(mine, decision=common_decision(self.decision, other.decision))
        if not other.n:
            return mine.counts(0)
        if not isinstance(other, ClusteredCounts):
            raise MergeError(
                "one part was counted with clusters, the other without. Count both the same way."
            )
        if self.weighted != other.weighted:
            raise MergeError(
                "one part was counted with weights, the other without. Count both the same way."
            )
        return _added(mine, other.joint.recoded(labels, declared)).counts(0)

    __radd__ = __add__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClusteredCounts):
            return False if isinstance(other, Counts) else NotImplemented
        a, b = self.joint, other.joint
        pairs: tuple[tuple[Any, Any], ...] = (
            (a.true, b.true),
            (a.predicted[0], b.predicted[0]),
            (a.cluster, b.cluster),
            (a.count, b.count),
        )
        alike = all(np.array_equal(*pair) for pair in pairs)
        return alike and a.names == b.names and super().__eq__(other)

    __hash__ = None


def _added(a: Joint, b: Joint) -> Joint:
    if a.names is None or b.names is None or a.cluster is None or b.cluster is None:
        raise MergeError("clusters without names do not add up. Count all items together.")
    if a.names.kind != b.names.kind:
        raise MergeError(
            f"the clusters of one part are {a.names.kind}, those of the other {b.names.kind}. "
            "Count both with the same type of clusters."
        )
    names = cluster_labels({*a.names, *b.names})
    known = a.squares is not None and b.squares is not None
    sides = [(j.true, j.predicted[0], names.codes(j.names or ())[j.cluster]) for j in (a, b)]
    keys, count, squares = cells_of(
        [np.concatenate(pair) for pair in zip(*sides, strict=True)],
        np.concatenate([a.count, b.count]),
        np.concatenate([j.squares for j in (a, b) if j.squares is not None]) if known else None,
    )
    return replace(
        a,
        true=keys[0],
        predicted=(keys[1],),
        cluster=keys[2],
        count=count,
        squares=squares,
        names=names,
    )
