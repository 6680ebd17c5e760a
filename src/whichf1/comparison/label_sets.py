"""compare for systems that predict sets of labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from whichf1.comparison.results import Comparison, Plan
from whichf1.comparison.scored import Facts, compare_items, refuse_few
from whichf1.definitions.definition import Definition
from whichf1.scoring.evaluate import evaluate_each, frozen_on
from whichf1.statistics.label_sets import item_slopes
from whichf1.statistics.paired import mcnemar_test, single_items
from whichf1.tables.cells import Array
from whichf1.tables.joint_sets import JointSets
from whichf1.tables.label_sets import TP, LabelTable


class LabelSets:
    """A score of the sets of labels that a system predicts, for any counts of the items."""

    def __init__(self, definition: Definition, frozen: Any) -> None:
        self._definition, self._frozen = definition, frozen

    def _counted(self, count: Array) -> LabelTable:
        table: LabelTable = self._frozen.table
        return replace(table, count=count.astype(np.float64))

    def values(self, count: Array) -> Array:
        """The score for counts (…, kinds of items)."""
        values = self._definition.values(self._frozen, self._counted(count))
        return values.reshape(count.shape[:-1])

    def slopes(self, count: Array) -> Array:
        """∂score/∂count of each kind of item."""
        return item_slopes(self._definition, self._frozen._replace(table=self._counted(count)))

    @property
    def size(self) -> int:
        """How many labels of how many kinds of items there are."""
        return len(self._frozen.table.item) + len(self._frozen.table.count)

    def beside(self, other: LabelSets) -> LabelSets:
        """The items as this system has them, then as another has them."""
        a: LabelTable = self._frozen.table
        b: LabelTable = other._frozen.table
        both = LabelTable(
            np.concatenate([a.item, b.item + len(a.count)]),
            np.concatenate([a.label, b.label]),
            np.concatenate([a.outcome, b.outcome]),
            np.concatenate([a.count, b.count]),
            a.classes,
        )
        return LabelSets(self._definition, self._frozen._replace(table=both))


def compare_sets(joint: JointSets, definition: Definition, plan: Plan) -> Comparison:
    """Compare the systems of joint sets of labels."""
    names = joint.systems
    refuse_few(dict.fromkeys(names))
    counts: dict[str, Any] = {name: joint.counts(at) for at, name in enumerate(names)}
    scores = evaluate_each(definition, counts)
    tables = [joint.table(at) for at in range(len(names))]
    systems = [
        LabelSets(definition, frozen_on(definition, each)._replace(table=table))  # type: ignore[arg-type]
        for each, table in zip(counts.values(), tables, strict=True)
    ]
    facts = _flipped(definition, joint, tables)
    compared = compare_items(definition, plan, scores, systems, tables[0].drawn, facts)
    return replace(compared, counts=counts)


def _flipped(definition: Definition, joint: JointSets, tables: Sequence[LabelTable]) -> Facts:
    """Items whose set one system alone gets right, and items with two different predictions."""
    kinds = len(joint.count)
    right = [~_marked(table.item[table.outcome != TP], kinds) for table in tables]

    def facts(a: int, b: int) -> dict[str, Any]:
        apart = _changed(tables[a], tables[b], kinds)
        only_a, only_b, changed = (
            joint.count[here].sum().item()
            for here in (right[a] & ~right[b], right[b] & ~right[a], apart)
        )
        own: dict[str, Any] = {"only_a": only_a, "only_b": only_b, "changed": changed}
        whole = definition.classes == "declared" and not definition.exclude
        if definition.metric == "subset_accuracy" and whole and single_items(tables[0].drawn):
            own["mcnemar"] = mcnemar_test(only_a, only_b)
        return own

    return facts


def _changed(a: LabelTable, b: LabelTable, kinds: int) -> Array:
    """Whether two systems say something different of each kind of item."""
    left, right = ((x.item * x.classes + x.label) * 3 + x.outcome for x in (a, b))
    apart = np.setxor1d(left, right, assume_unique=True)
    return _marked(apart // 3 // max(1, a.classes), kinds)


def _marked(items: Array, kinds: int) -> Array:
    marked = np.zeros(kinds, bool)
    marked[items] = True
    return marked
