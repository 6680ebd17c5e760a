"""Label sets: GROUP BY the true set of labels and the predicted set of labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from whichf1.errors import DefinitionError, numbered
from whichf1.tables.cells import Array, OneVsRest, every_class, in_range, remainder, sum_by
from whichf1.tables.labels import Labels
from whichf1.tables.records import dataclass
from whichf1.tables.units import (
    Units,
    present_clusters,
    refuse_sum,
    refuse_undeclared,
)

TP, FP, FN, PARTIAL = range(4)
"""The outcomes of a label for an item; all others are true negatives. A partial match is half a
hit, half a miss and half a false alarm."""
OUTCOMES = 4


@dataclass(frozen=True)
class LabelTable:
    """The arrays behind MultiLabelCounts, without labels: what formulas compute on.

    A line of ``item``, ``label`` and ``outcome`` gives the outcome of a label for a kind of item;
    ``count`` says how many items are of that kind, and may have leading axes.
    """

    item: Array
    label: Array
    outcome: Array
    count: Array
    classes: int
    times: Array | None = None
    """How often an item has a line, if it may repeat; then there are no true negatives."""

    @cached_property
    def _sums(self) -> tuple[Array, Array, Array]:
        if self.count.ndim == 1 and self.count.dtype.char == "d":
            count = self.count[self.item]
            weights = count if self.times is None else count * self.times
            tp, fp, fn = _by_outcome(self.label, self.outcome, self.classes, weights)
            return tp, fp, fn
        tp, fp, fn = map(self._sum, (TP, FP, FN))
        if self.times is not None and (self.outcome == PARTIAL).any():
            half = self._sum(PARTIAL) / 2
            return tp + half, fp + half, fn + half
        return tp, fp, fn

    def _sum(self, outcome: int) -> Array:
        chosen = self.outcome == outcome
        count = self.count[..., self.item[chosen]]
        if self.times is not None:
            count = count * self.times[chosen].astype(self.count.dtype)
        return sum_by(self.label[chosen], count, self.classes)

    tp = property(lambda self: self._sums[TP])
    fp = property(lambda self: self._sums[FP])
    fn = property(lambda self: self._sums[FN])

    @cached_property
    def total(self) -> Array:
        """All items (…)."""
        total: Array = self.count.sum(-1)
        return total

    @cached_property
    def in_range(self) -> LabelTable:
        """The same in units that formulas can multiply."""
        count = in_range(self.count)
        return self if count is self.count else replace(self, count=count)

    @property
    def margins(self) -> Any:
        """Raise: an item has no single class."""
        if self.times is not None:
            raise DefinitionError(
                "that needs one class for each item, but sentences have spans. Use precision, "
                "recall or F1, of a type or averaged."
            )
        raise DefinitionError(
            "that needs one class for each item, but these have sets of labels. "
            "Use subset_accuracy, hamming_loss, or a rate with an average."
        )

    def one_vs_rest(self, classes: Array | slice = slice(None)) -> OneVsRest:
        """True and false positives and negatives of the chosen labels."""
        tp, fp, fn = (x[..., classes] for x in self._sums)
        return OneVsRest(tp, fp, fn, lambda: self._without[..., classes])

    @cached_property
    def _without(self) -> Array:
        """Items that neither have each label nor are predicted to have it."""
        tp, fp, fn = self._sums
        if self.times is not None:
            return np.zeros_like(tp)
        order = np.argsort(self.label, kind="stable")
        items_of = np.split(self.item[order], np.cumsum(np.bincount(self.label[order])))

        def items(label: int) -> Array:
            here = np.ones(self.count.shape[-1], np.bool_)
            here[items_of[label]] = False
            neither: Array = self.count[..., here].sum(-1)
            return neither

        return remainder(self.total, tp + fp + fn, items)

    def per_item(self, classes: Array) -> OneVsRest:
        """True and false positives and negatives of each kind of item, among the chosen labels."""
        item, outcome, times = self.item, self.outcome, self.times
        if classes is not every_class(self.classes):
            chosen = np.flatnonzero(np.isin(self.label, classes))
            item, outcome = item[chosen], outcome[chosen]
            times = None if times is None else times[chosen]
        kinds = self.count.shape[-1]
        tp, fp, fn = _by_outcome(item, outcome, kinds, times).astype(np.float64)
        return OneVsRest(tp, fp, fn, lambda: len(classes) - tp - fp - fn)


class ItemTable(NamedTuple):
    """Items one by one, with the number of labels in both of their sets or in only one."""

    sums: Array
    """True positives, false positives and false negatives of each item: (3, items)."""
    labels: int
    count: None = None  # type: ignore[assignment]  # hides tuple.count, which nobody needs here

    def per_item(self, _: Array) -> OneVsRest:
        """True and false positives and negatives of each item, among all labels."""
        tp, fp, fn = self.sums
        return OneVsRest(tp, fp, fn, lambda: self.labels - tp - fp - fn)


def _by_outcome(code: Array, outcome: Array, codes: int, weights: Array | None = None) -> Array:
    """The number of lines, or the sum of their weights, by outcome and code."""
    if weights is None or not (outcome == PARTIAL).any():
        return np.bincount(outcome * codes + code, weights, 3 * codes).reshape(3, codes)
    sums: Array = np.bincount(outcome * codes + code, weights, OUTCOMES * codes)
    sums = sums.reshape(OUTCOMES, codes)
    halved: Array = sums[:PARTIAL] + sums[PARTIAL] / 2
    return halved


class LabelLines(Units):
    """Kinds of items, each of which has lines: a label, and what is known about it in this item.

    The base of label sets, spans and ratings. A subclass names the columns of its lines; ``item``
    and ``label`` come first, the others hold small whole numbers.
    """

    _KEYS: ClassVar[tuple[str, ...]] = ("item", "label")
    _HAVE: ClassVar[str]
    """What its items have, as the end of a sentence."""
    __slots__ = ()

    item: Array
    label: Array

    def __init__(
        self,
        labels: Labels,
        lines: tuple[Array, ...],
        count: Array,
        *,
        declared: bool,
        decision: str | None = None,
        squares: Array | None = None,
        cluster: Array | None = None,
        cluster_names: Labels | None = None,
        systems: tuple[str, ...] = ("y_pred",),
        in_order: bool = False,
    ) -> None:
        """``in_order``: the kinds of items are known to be sorted, distinct and not empty."""
        if not in_order:
            refuse_sum(count)
            lines, count, squares, cluster = group_lines(lines, count, squares, cluster)
            cluster, cluster_names = present_clusters(cluster, cluster_names)
        fields: dict[str, Any] = {
            "labels": labels,
            "count": count,
            "squares": squares,
            "cluster": cluster,
            "cluster_names": cluster_names,
            "systems": systems,
            "declared": declared,
            "decision": decision,
        }
        fields.update(zip(self._KEYS, lines, strict=True))
        self._put(fields, *lines, count, squares, cluster)

    @classmethod
    def _columns(cls) -> tuple[str, ...]:
        return (*super()._columns(), *cls._KEYS)

    def _keys(self, system: int | None = None) -> dict[str, Any]:
        every = tuple(getattr(self, name) for name in self._KEYS)
        return {"lines": every if system is None else self.lines(system)}

    @classmethod
    def _joined_keys(cls, parts: Sequence[Self], labels: Labels) -> dict[str, Any]:
        starts = np.cumsum([0, *(part.units for part in parts)])
        item = [part.item + start for part, start in zip(parts, starts.tolist(), strict=False)]
        label = [part._codes_in(labels) for part in parts]
        rest = ([getattr(part, name) for part in parts] for name in cls._KEYS[2:])
        return {"lines": tuple(map(np.concatenate, (item, label, *rest)))}

    def _codes_in(self, labels: Labels) -> Array:
        """The code of each line's label among other labels, for each system."""
        width = max(1, len(self.labels))
        codes = labels.codes(self.labels)[self.label % width]
        shifted: Array = codes + self.label // width * max(1, len(labels))
        return shifted

    @classmethod
    def _no_keys(cls) -> dict[str, Any]:
        return {"lines": tuple(np.zeros(0, np.int64) for _ in cls._KEYS)}

    def lines(self, system: int) -> tuple[Array, ...]:
        """The columns of the lines, as one system predicts them."""
        if len(self.systems) == 1:
            return tuple([getattr(self, name) for name in self._KEYS])
        width = max(1, len(self.labels))
        chosen = self.label // width == system
        rest = (getattr(self, name)[chosen] for name in self._KEYS[2:])
        return self.item[chosen], self.label[chosen] % width, *rest

    def declare(self, labels: Sequence[Any]) -> Self:
        """The same items under these declared labels, which must include every observed one."""
        self._refuse_several()
        names = labels if isinstance(labels, Labels) else Labels(labels)
        refuse_undeclared(self.labels, names)
        lines = (self.item, self._codes_in(names), *self._keys()["lines"][2:])
        return self.changed(labels=names, lines=lines, declared=True)

    def observed(self) -> Self:
        """The same items over the labels that occur, unless labels were declared."""
        width = max(1, len(self.labels))
        present, label = np.unique(self.label % width, return_inverse=True)
        if self.declared or len(present) == len(self.labels):
            return self
        names = Labels.trusted(self.labels[code] for code in present)
        codes = self.label // width * len(names) + label
        lines = (self.item, codes, *self._keys()["lines"][2:])
        return self.changed(labels=names, lines=lines)

    def without(self, ignored: Sequence[Any], labels: Labels | None = None) -> Self:
        """The same items; they cannot be dropped by class."""
        if ignored:
            raise DefinitionError(f"ignore= drops items by their class, but these {self._HAVE}")
        return self


class MultiLabelCounts(LabelLines, kind="label sets"):
    """The number of items with each true and predicted set of labels; see ``count_multilabel``.

    Every rate applies per label and averaged (micro, macro, weighted, samples), as for Counts.
    They can be added; ``sum(parts)`` merges many. With several systems,
    a label of system s has the code s · labels + its own code.

    >>> import whichf1 as wf
    >>> counts = wf.count_multilabel([{"a", "b"}, {"b"}], [{"a"}, {"b"}])
    >>> wf.f1(counts, average="samples").value
    0.8333333333333333
    """

    _KEYS: ClassVar[tuple[str, ...]] = ("item", "label", "outcome")
    _HAVE = "have sets of labels"
    __slots__ = ()

    outcome: Array

    @classmethod
    def _restored_keys(cls, record: Any, labels: Labels, units: int) -> dict[str, Any]:
        item = record.codes("item", units)
        rest = (record.codes(x, k, len(item)) for x, k in (("label", len(labels)), ("outcome", 3)))
        lines = (item, *rest)
        pairs = np.unique(np.stack(lines[:2]), axis=1)
        record.expect(pairs.shape[1] == len(item), "a label appears twice in a set")
        return {"lines": lines}

    @cached_property
    def table(self) -> LabelTable:
        """The same lines without labels, for formulas."""
        self._refuse_several()
        return self.table_of(0)

    def table_of(self, system: int) -> LabelTable:
        """The kinds of items for formulas, as one system predicts them."""
        item, label, outcome = self.lines(system)
        return LabelTable(item, label, outcome, self.count.astype(np.float64), len(self.labels))

    def expanded(self, label: Array, node: Array, nodes: Labels) -> MultiLabelCounts:
        """The same items with all nodes that their labels stand for: lines of a label and a node,
        in the order of labels.
        """
        start = np.searchsorted(label, np.arange(len(self.labels) + 1))
        size, width = np.diff(start), max(1, len(nodes))

        def keys(item: Array, own: Array) -> Array:
            times = size[own]
            first = np.repeat(start[own] - np.cumsum(times) + times, times)
            reached = node[first + np.arange(len(first))]
            return np.unique(np.repeat(item, times) * width + reached)

        sides: list[Array] = []
        for at in range(len(self.systems)):
            item, own, outcome = self.lines(at)
            true, guessed = outcome != FP, outcome != FN
            sides += [keys(item[true], own[true])] if not at else []
            sides.append(keys(item[guessed], own[guessed]))
        lines = outcomes(sides[0], sides[1:], len(nodes))
        return self.changed(labels=nodes, lines=lines, declared=True)

    def per_class(self) -> OneVsRest:
        """True and false positives and negatives of each label, in the order of ``labels``."""
        return replace(self.table, count=self.count).one_vs_rest()

    def __repr__(self) -> str:
        return (
            f"<MultiLabelCounts: {self._size()} with sets of {numbered(len(self.labels), 'label')}>"
        )


def outcomes(true: Array, predicted: Sequence[Array], labels: int) -> tuple[Array, Array, Array]:
    """Item, label and outcome of every label that is true or predicted, for each system.

    A set has a key for each label of an item: item · labels + label, sorted and distinct.
    """
    parts: list[tuple[Array, Array, Array]] = []
    for place, guessed in enumerate(predicted):
        hit = np.intersect1d(true, guessed, assume_unique=True)
        extra = np.setdiff1d(guessed, true, assume_unique=True)
        missed = np.setdiff1d(true, guessed, assume_unique=True)
        item, label = np.divmod(np.concatenate([hit, extra, missed]), max(1, labels))
        outcome = np.repeat([TP, FP, FN], [len(hit), len(extra), len(missed)])
        parts.append((item, label + place * max(1, labels), outcome))
    item, label, outcome = (np.concatenate(column) for column in zip(*parts, strict=True))
    return item, label, outcome


def group_lines(
    lines: tuple[Array, ...], count: Array, squares: Array | None, cluster: Array | None
) -> tuple[tuple[Array, ...], Array, Array | None, Array | None]:
    """Items with the same lines and cluster as one kind of item, with kinds in byte order."""
    item, *columns = lines
    line = columns[0].astype(np.int64)
    sizes = [int(column.max(initial=0)) + 1 for column in columns[1:]]
    for column, size in zip(columns[1:], sizes, strict=True):
        line = line * size + column
    items_apart, lines_apart = np.diff(item), np.diff(line)
    if ((items_apart < 0) | ((items_apart == 0) & (lines_apart < 0))).any():
        line = line[np.lexsort((line, item))]
    ends = np.cumsum(np.bincount(item, minlength=len(count))) * 8
    text = line.astype(">i8").tobytes()
    groups = [0] * len(count) if cluster is None else cluster.tolist()
    kinds: dict[tuple[int, bytes], int] = {}
    at, start = [], 0
    for end, group in zip(ends.tolist(), groups, strict=True):
        at.append(kinds.setdefault((group, text[start:end]), len(kinds)))
        start = end
    codes = np.array(at, np.intp)
    sums = sum_by(codes, count, len(kinds))
    keys = sorted(key for key, kind in kinds.items() if sums[kind])
    chosen = np.array([kinds[key] for key in keys], np.intp)
    if squares is not None:
        squares = sum_by(codes, squares, len(kinds))[chosen]
    if cluster is not None:
        cluster = np.array([group for group, _ in keys], np.intp)
    kept = np.frombuffer(b"".join(key for _, key in keys), ">i8").astype(np.int64)
    kind = np.repeat(np.arange(len(keys)), [len(key) // 8 for _, key in keys])
    rest: list[Array] = []
    for size in reversed(sizes):
        kept, column = np.divmod(kept, size)
        rest.insert(0, column)
    return (kind, kept, *rest), sums[chosen], squares, cluster
