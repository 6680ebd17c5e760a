"""MultiLabelCounts: GROUP BY true set of labels, predicted set of labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from whichf1.errors import DefinitionError, LabelError, MergeError
from whichf1.tables.cells import Array, OneVsRest, Table, sum_by
from whichf1.tables.labels import Labels
from whichf1.tables.merging import common_decision, common_labels

TP, FP, FN = range(3)
"""What a label is to an item; all others are true negatives."""


@dataclass(frozen=True)
class LabelTable:
    """The arrays behind MultiLabelCounts, without labels: what formulas compute on.

    A line of ``item``, ``label`` and ``outcome`` says what a label is to a kind of item; ``count``
    says how many items are of that kind, and may have leading axes.
    """

    item: Array
    label: Array
    outcome: Array
    count: Array
    classes: int
    squares: Array | None = None
    """The sum of squared weights of each kind of item, where items have weights."""
    cluster: Array | None = None
    """The code of the cluster of each kind of item, where items come in clusters."""

    @property
    def drawn(self) -> Table:
        """The kinds of items as what is resampled."""
        one = np.zeros(len(self.count), np.intp)
        return Table(one, one, self.count, 1, self.squares, self.cluster)

    @cached_property
    def _sums(self) -> tuple[Array, Array, Array]:
        tp, fp, fn = (self._by_label(self.outcome == kind) for kind in (TP, FP, FN))
        return tp, fp, fn

    def _by_label(self, lines: Array) -> Array:
        return sum_by(self.label[lines], self.count[..., self.item[lines]], self.classes)

    @property
    def rows(self) -> Array:
        """Items that have each label."""
        return self._sums[TP] + self._sums[FN]

    @property
    def columns(self) -> Array:
        """Items that are predicted to have each label."""
        return self._sums[TP] + self._sums[FP]

    @cached_property
    def total(self) -> Array:
        """All items (…)."""
        total: Array = self.count.sum(-1)
        return total

    @property
    def margins(self) -> Any:
        """There are none: an item has no single class."""
        raise DefinitionError(
            "that needs one class for each item, and these have sets of labels. "
            "Use subset_accuracy, hamming_loss, or a rate with an average."
        )

    def one_vs_rest(self, classes: Array | slice = slice(None)) -> OneVsRest:
        """True and false positives and negatives of the chosen labels."""
        tp, fp, fn = (x[..., classes] for x in self._sums)
        return OneVsRest(tp, fp, fn, self.total[..., None] - tp - fp - fn)

    def per_item(self, classes: Array) -> OneVsRest:
        """True and false positives and negatives of each kind of item, among the chosen labels."""
        chosen = np.isin(self.label, classes)
        kinds = self.count.shape[-1]
        tp, fp, fn = (
            np.bincount(self.item[chosen & (self.outcome == kind)], minlength=kinds).astype(float)
            for kind in (TP, FP, FN)
        )
        return OneVsRest(tp, fp, fn, len(classes) - tp - fp - fn)


class MultiLabelCounts:
    """How many items have each true and predicted set of labels; made by ``count_multilabel``.

    Every rate applies per label and averaged (micro, macro, weighted, samples), as for Counts.
    They can be added; ``sum(parts)`` merges many.

    Examples
    --------
    >>> import whichf1 as wf
    >>> counts = wf.count_multilabel([{"a", "b"}, {"b"}], [{"a"}, {"b"}])
    >>> wf.f1(counts, average="samples").value
    0.8333333333333333
    """

    __slots__ = (
        *("__dict__", "cluster", "count", "decision", "declared", "item", "label", "labels"),
        *("outcome", "squares"),
    )

    labels: Labels
    item: Array
    label: Array
    outcome: Array
    count: Array
    declared: bool
    decision: str | None
    squares: Array | None
    cluster: Array | None

    def __init__(
        self,
        labels: Labels,
        lines: tuple[Array, Array, Array],
        count: Array,
        *,
        declared: bool,
        decision: str | None = None,
        squares: Array | None = None,
        cluster: Array | None = None,
    ) -> None:
        columns = dict(zip(_COLUMNS, group_sets(lines, count, squares, cluster), strict=True))
        for column in columns.values():
            if column is not None:
                column.flags.writeable = False
        given = {"labels": labels, "declared": declared, "decision": decision}
        for name, value in {**columns, **given}.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"MultiLabelCounts are immutable: cannot set {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        lines = (self.item, self.label, self.outcome)
        own = {x: getattr(self, x) for x in ("declared", "decision", "squares", "cluster")}
        return _again, (self.labels, lines, self.count, own)

    @property
    def n(self) -> int | float:
        """The number of items, or the sum of their weights."""
        return self.count.sum().item()  # type: ignore[no-any-return]

    @property
    def weighted(self) -> bool:
        """Whether the counts are sums of weights."""
        return self.count.dtype == np.float64

    @cached_property
    def table(self) -> LabelTable:
        """The same lines without labels, for formulas."""
        return self._table(self.count.astype(np.float64))

    def per_class(self) -> OneVsRest:
        """True and false positives and negatives of each label, in the order of ``labels``."""
        return self._table(self.count).one_vs_rest()

    def _table(self, count: Array) -> LabelTable:
        lines = (self.item, self.label, self.outcome)
        return LabelTable(*lines, count, len(self.labels), self.squares, self.cluster)

    @property
    def clusters(self) -> int | None:
        """How many clusters the items come in."""
        return None if self.cluster is None else int(self.cluster.max()) + 1

    def declare(self, labels: Sequence[Any]) -> MultiLabelCounts:
        """The same items under these declared labels, which must hold every observed one."""
        names = labels if isinstance(labels, Labels) else Labels(labels)
        refuse_undeclared(self.labels, names)
        lines = (self.item, names.codes(self.labels)[self.label], self.outcome)
        own = {x: getattr(self, x) for x in ("decision", "squares", "cluster")}
        return MultiLabelCounts(names, lines, self.count, declared=True, **own)

    def __add__(self, other: object) -> MultiLabelCounts:
        if isinstance(other, int) and other == 0:
            return self  # so that sum(parts) works
        if not isinstance(other, MultiLabelCounts):
            return NotImplemented
        if self.weighted != other.weighted:
            raise MergeError(
                "one part was counted with weights, the other without. Count both the same way."
            )
        if self.cluster is not None or other.cluster is not None:
            raise MergeError(
                "counts of clusters do not add up: a cluster may have items in both. "
                "Count all items together."
            )
        squares = None
        if self.squares is not None and other.squares is not None:
            squares = np.concatenate([self.squares, other.squares])
        names, declared = common_labels(self, other)
        left, right = names.codes(self.labels), names.codes(other.labels)
        lines = (
            np.concatenate([self.item, other.item + len(self.count)]),
            np.concatenate([left[self.label], right[other.label]]),
            np.concatenate([self.outcome, other.outcome]),
        )
        return MultiLabelCounts(
            names,
            lines,
            np.concatenate([self.count, other.count]),
            declared=declared,
            decision=common_decision(self.decision, other.decision),
            squares=squares,
        )

    __radd__ = __add__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MultiLabelCounts):
            return NotImplemented
        same = (self.labels, self.declared, self.weighted, self.decision) == (
            *(other.labels, other.declared, other.weighted, other.decision),
        )
        return same and all(np.array_equal(getattr(self, x), getattr(other, x)) for x in _COLUMNS)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        items = f"weight {self.n:g}" if self.weighted else f"{self.n:,} items"
        return f"<MultiLabelCounts: {items} with sets of {len(self.labels):,} labels>"


_COLUMNS = ("item", "label", "outcome", "count", "squares", "cluster")


def _again(
    labels: Labels, lines: tuple[Array, Array, Array], count: Array, own: dict[str, Any]
) -> MultiLabelCounts:
    """Counts that were sent to another process."""
    return MultiLabelCounts(labels, lines, count, **own)


def refuse_undeclared(found: Labels, declared: Labels) -> None:
    """Raise for a label that is not declared."""
    outside = next((x for x in found if x not in declared), None)
    if outside is not None:
        raise LabelError(
            f"label {outside!r} is not among the declared ones: {list(declared[:20])!r}. "
            "Add it to labels=, or drop it from the items first."
        )


def outcomes(true: Array, predicted: Array, labels: int) -> tuple[Array, Array, Array]:
    """Item, label and outcome of all that is true or predicted: keys item · labels + label."""
    hit = np.intersect1d(true, predicted, assume_unique=True)
    extra = np.setdiff1d(predicted, true, assume_unique=True)
    missed = np.setdiff1d(true, predicted, assume_unique=True)
    item, label = np.divmod(np.concatenate([hit, extra, missed]), max(1, labels))
    return item, label, np.repeat([TP, FP, FN], [len(hit), len(extra), len(missed)])


def group_sets(
    lines: tuple[Array, Array, Array], count: Array, squares: Array | None, cluster: Array | None
) -> tuple[Array, Array, Array, Array, Array | None, Array | None]:
    """Items with the same lines and cluster as one kind of item, kinds in the order of bytes."""
    item, label, outcome = lines
    line = (label.astype(np.int64) * 3 + outcome).astype(">i8")
    order = np.lexsort((line, item))
    ends = np.cumsum(np.bincount(item, minlength=len(count))) * 8
    text = line[order].tobytes()
    groups = [0] * len(count) if cluster is None else cluster.tolist()
    kinds: dict[tuple[int, bytes], int] = {}
    at, start = [], 0
    for end, group in zip(ends.tolist(), groups, strict=True):
        at.append(kinds.setdefault((group, text[start:end]), len(kinds)))
        start = end
    sums = [_sum(at, column, len(kinds)) for column in (count, squares)]
    keys = sorted(key for key, kind in kinds.items() if sums[0][kind])
    chosen = np.array([kinds[key] for key in keys], np.intp)
    found = np.frombuffer(b"".join(key for _, key in keys), ">i8").astype(np.int64)
    kind = np.repeat(np.arange(len(keys)), [len(key) // 8 for _, key in keys])
    own = None
    if cluster is not None:  # clusters without items are no clusters
        own = np.unique([group for group, _ in keys], return_inverse=True)[1]
    return (
        *(kind, found // 3, found % 3, sums[0][chosen]),
        *(None if squares is None else sums[1][chosen], own),
    )


def _sum(at: list[int], column: Array | None, kinds: int) -> Array:
    """Sums by kind, exact for integers."""
    sums: Array = np.zeros(kinds, np.int64 if column is None else column.dtype)
    if column is not None:
        np.add.at(sums, np.array(at, np.intp), column)
    return sums
