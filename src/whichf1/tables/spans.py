"""Spans: GROUP BY how many spans of each type are found, missed or false in a sentence."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from whichf1.errors import numbered
from whichf1.tables.cells import Array
from whichf1.tables.label_sets import OUTCOMES, LabelTable, MultiLabelCounts
from whichf1.tables.labels import Labels


class SpanCounts(MultiLabelCounts, kind="spans"):
    """How many sentences have the same spans found, missed and false; see ``whichf1.spans``.

    Every rate that needs no true negatives applies, per type and averaged. Sentences are the items:
    the spans of a sentence are not treated as independent. Counts can be added; ``sum(parts)``
    merges many.

    >>> import whichf1 as wf
    >>> spans = wf.spans([["B-PER", "O"], ["O", "B-LOC"]], [["B-PER", "O"], ["B-LOC", "O"]])
    >>> wf.f1(spans, average="micro").value
    0.5
    """

    _KEYS = ("item", "label", "outcome", "times")
    _HAVE = "have spans"
    __slots__ = ()

    times: Array
    """How many spans of a sentence have the same type and outcome."""

    @classmethod
    def _restored_keys(cls, record: Any, labels: Labels, units: int) -> dict[str, Any]:
        item = record.codes("item", units)
        label = record.codes("label", len(labels), len(item))
        outcome = record.codes("outcome", OUTCOMES, len(item))
        times = record.positive("times", len(item), whole=True)
        keys = np.unique(np.stack([item, label, outcome]), axis=1)
        record.expect(keys.shape[1] == len(item), "a kind of span appears twice in a sentence")
        return {"lines": (item, label, outcome, times)}

    @cached_property
    def spans(self) -> int | float:
        """How many true spans there are."""
        c = self.per_class()
        total: int | float = (c.tp + c.fn).sum().item()
        return total

    def table_of(self, system: int) -> LabelTable:
        """The kinds of sentences for formulas, as one system predicts them."""
        item, label, outcome, times = self.lines(system)
        count = self.count.astype(np.float64)
        return LabelTable(item, label, outcome, count, len(self.labels), times.astype(np.float64))

    def __repr__(self) -> str:
        size = self._size().replace("items", "sentences")
        return (
            f"<SpanCounts: {size} with {self.spans:,g} spans of "
            f"{numbered(len(self.labels), 'type')}>"
        )
