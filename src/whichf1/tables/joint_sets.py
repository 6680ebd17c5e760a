"""JointSets: GROUP BY true set, the predicted set of each of several systems, and cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whichf1.tables.cells import Array
from whichf1.tables.label_sets import LabelTable, MultiLabelCounts, group_sets, outcomes
from whichf1.tables.labels import Labels


@dataclass(frozen=True, eq=False)
class JointSets:
    """How many items have each true set and each combination of predicted sets.

    A label of the system at place s has the code s · labels + its own.
    """

    systems: tuple[str, ...]
    labels: Labels
    item: Array
    label: Array
    outcome: Array
    count: Array
    squares: Array | None
    cluster: Array | None
    declared: bool

    def lines(self, system: int) -> tuple[Array, Array, Array]:
        """Item, label and outcome, in the eyes of one system."""
        width = max(1, len(self.labels))
        own = self.label // width == system
        return self.item[own], self.label[own] % width, self.outcome[own]

    def table(self, system: int) -> LabelTable:
        """The kinds of items, which all systems share, for formulas."""
        count = self.count.astype(np.float64)
        own = (len(self.labels), self.squares, self.cluster)
        return LabelTable(*self.lines(system), count, *own)

    def counts(self, system: int) -> MultiLabelCounts:
        """The counts of one system."""
        own: dict[str, Any] = {
            "declared": self.declared,
            "squares": self.squares,
            "cluster": self.cluster,
        }
        return MultiLabelCounts(self.labels, self.lines(system), self.count, **own)


def group_sets_together(
    systems: Sequence[str],
    labels: Labels,
    true: Array,
    predicted: Sequence[Array],
    *,
    declared: bool,
    **measure: Any,
) -> JointSets:
    """Items by their true set, the set of each system, and cluster.

    A set of keys has one for each label that an item has: item · labels + label, in order.
    """
    width = max(1, len(labels))
    lines = [outcomes(true, each, width) for each in predicted]
    item, label, outcome = (
        np.concatenate([line[at] + (at == 1) * place * width for place, line in enumerate(lines)])
        for at in range(3)
    )
    found = group_sets((item, label, outcome), **measure)
    return JointSets(tuple(systems), labels, *found, declared)
