"""Units: items grouped into cells or kinds, which add up; what counts and label sets share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any, Self

import numpy as np

from whichf1.errors import InputError, LabelError, MergeError, WeightError
from whichf1.tables.cells import Array
from whichf1.tables.labels import Labels

NOTES = (" (above every score)", " (below every score)")
"""What a decision says of a threshold that puts all items on one side."""
MOST_WAITING = 1 << 10
"""Lines of a sum that wait at least, before they are added up."""


class Additive:
    """Parts that are merged with ``+``, and many of them with ``sum``.

    A sum may wait: it keeps its two parts, and all parts are added up at once when it is first
    looked at, or when they take twice the room of the first. So ``sum(parts)`` copies each part a
    few times, not once for every part that follows.
    """

    __slots__ = ("_parts",)

    _parts: tuple[Any, Any, Any, int] | None
    """Of a sum that waits: the first of all parts, the two that were added, and their size."""

    def _alike(self) -> dict[str, Any]:
        """What must be the same in two parts, by what a message calls it."""
        return {}

    def _plus(self, other: Any) -> Self:
        raise NotImplementedError

    def _whole(self, parts: Sequence[Any]) -> Self:
        """Parts that add up without a doubt, as one."""
        raise NotImplementedError

    def _length(self) -> int:
        """How many lines a part has."""
        raise NotImplementedError

    def _waits(self, other: Self, **known: Any) -> Self:
        """The sum, of which no more than this is known yet."""
        waiting, first = object.__new__(type(self)), self._first
        size = self._size + other._size
        for name, value in {**known, "_parts": (first, self, other, size)}.items():
            object.__setattr__(waiting, name, value)
        if size > max(MOST_WAITING, 2 * first._size):
            waiting._add_up()
        return waiting

    @property
    def _size(self) -> int:
        parts = _waiting(self)
        return self._length() + 1 if parts is None else parts[3]

    @property
    def _first(self) -> Self:
        """The first part of a sum that waits; otherwise itself."""
        parts = _waiting(self)
        return self if parts is None else parts[0]

    @property
    def _leaves(self) -> Iterator[Self]:
        """All parts of a sum that waits, in order; otherwise itself."""
        stack: list[Any] = [self]
        while stack:
            part = stack.pop()
            parts = _waiting(part)
            if parts is None:
                yield part
            else:
                stack += parts[2:0:-1]

    def __getattr__(self, name: str) -> Any:
        """What is not there yet, because a sum waits."""
        if name != "_parts" and not name.startswith("__") and _waiting(self) is not None:
            self._add_up()
        return object.__getattribute__(self, name)

    @classmethod
    def _slots(cls) -> list[str]:
        return [name for each in cls.__mro__ for name in getattr(each, "__slots__", ())]

    def _add_up(self) -> None:
        whole = self._whole([*self._leaves])
        for each in (*whole.__dict__, *whole._slots()):
            if each not in ("__dict__", "_parts"):
                object.__setattr__(self, each, getattr(whole, each))
        object.__setattr__(self, "_parts", None)

    def __add__(self, other: object) -> Self:
        if isinstance(other, int) and other == 0:
            return self  # so that sum(parts) works
        if not isinstance(other, type(self)):
            return NotImplemented
        for what, mine in self._alike().items():
            theirs = other._alike()[what]
            if mine != theirs or type(mine) is not type(theirs):
                raise MergeError(
                    f"{what} differs: {mine!r} in one part, {theirs!r} in the other. "
                    "Make both parts the same way."
                )
        return self._plus(other)

    __radd__ = __add__


def _waiting(part: Additive) -> tuple[Any, Any, Any, int] | None:
    """The parts of a sum that has not been added up yet."""
    return getattr(part, "_parts", None)


class Units(Additive):
    """How many items each unit stands for, with their weights, clusters and systems.

    The base of :class:`Counts` and :class:`MultiLabelCounts`. Immutable; a subclass has the
    key columns and knows how to put them in order.
    """

    _FACTS = ("squares", "cluster", "cluster_names", "systems", "declared", "decision")
    __slots__ = ("__dict__", "count", "labels", *_FACTS)

    labels: Labels
    count: Array
    """Items of each unit, or the sum of their weights."""
    squares: Array | None
    """Sums of squared weights, which intervals need; None without weights."""
    cluster: Array | None
    """The code of each unit's cluster; None where items come in no clusters."""
    cluster_names: Labels | None
    """Names of the clusters: those with one name in two parts are one cluster."""
    systems: tuple[str, ...]
    """Who predicted; several where systems are counted on the same items."""
    declared: bool
    """Whether the classes were declared; if not, they are the observed ones."""
    decision: str | None
    """How scores became predictions, as 'score>=0.5'; None where classes were predicted."""

    def __init__(self, **fields: Any) -> None:
        """Set the fields, once; arrays become read-only."""
        for name, value in fields.items():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} are immutable: cannot set {name!r}")

    def _keys(self, system: int | None = None) -> dict[str, Any]:
        """The key columns as the constructor takes them, of all systems or of one."""
        raise NotImplementedError

    def _joined_keys(self, parts: Sequence[Any], labels: Labels) -> dict[str, Any]:
        """The key columns of some parts, with codes into these labels."""
        raise NotImplementedError

    def _fields(self) -> dict[str, Any]:
        facts = {name: getattr(self, name) for name in ("labels", "count", *self._FACTS)}
        return facts | self._keys()

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **self._fields(), in_order=True), ()

    def changed(self, **fields: Any) -> Self:
        """The same units with other fields: the names of systems, say."""
        in_order = fields.keys() <= {*self._FACTS}
        return type(self)(**self._fields() | fields, in_order=in_order)

    def system(self, at: int) -> Self:
        """The counts of one of several systems."""
        if len(self.systems) == 1 and at == 0:
            return self
        return self.changed(**self._keys(at), systems=(self.systems[at],))

    @cached_property
    def n(self) -> int | float:
        """The number of items, or the sum of their weights."""
        total = np.add.reduce(self.count).item()
        return total  # type: ignore[no-any-return]

    @cached_property
    def weighted(self) -> bool:
        """Whether the counts are sums of weights."""
        return bool(self.count.dtype.kind == "f")

    @property
    def effective_n(self) -> float:
        """(Σw)² / Σw², the equal items that weighted ones are worth; NaN without the squares."""
        if not self.weighted:
            return float(self.n)
        with np.errstate(over="ignore"):
            squares = None if self.squares is None else float(self.squares.sum())
        return effective_size(float(self.n), squares)

    @property
    def clusters(self) -> int | None:
        """How many clusters the items come in."""
        return None if self.cluster is None else int(self.cluster.max()) + 1

    @property
    def facts(self) -> tuple[tuple[str, Any], ...]:
        """How the data were made, as fields of a signature."""
        facts = {
            "decision": self.decision,
            "weighted": self.weighted or None,
            "clusters": self.clusters,
        }
        return tuple((key, value) for key, value in facts.items() if value is not None)

    def _refuse_several(self) -> None:
        if len(self.systems) > 1:
            raise InputError(
                f"these counts are of {len(self.systems)} systems ({', '.join(self.systems)}). "
                "Choose one with counts.system(0)."
            )

    def _plus(self, other: Self) -> Self:
        if self._is_like(other):
            total = self._total + other._total
            known = ["systems", "declared", "decision", "weighted"]
            known += ["labels"] if self.declared else []
            return self._waits(other, **{x: getattr(self, x) for x in known}, _total=total)
        if self.weighted != other.weighted and self.n and other.n:
            raise MergeError(
                "one part was counted with weights, the other without. Count both the same way."
            )
        if self.systems != other.systems and len(self.systems) + len(other.systems) > 2:
            raise MergeError("the parts are of different systems. Count both with the same ones.")
        labels, declared = common_labels(self, other)
        decision = common_decision(self, other)
        return self._joined([self, other], labels, declared=declared, decision=decision)

    def _length(self) -> int:
        return len(self.count)

    @cached_property
    def _total(self) -> float:
        return float(self.n)

    def _is_like(self, other: Self) -> bool:
        """Whether both have items that are described alike, so that they add up without a doubt."""
        a, b = self._first, other._first
        if not (len(a.count) and len(b.count)) or self._total + other._total >= 2.0**62:
            return False
        described = ((x.weighted, x.systems, x.declared, x.decision) for x in (self, other))
        first, second = described
        clusters = [part.cluster_names and part.cluster_names.kind for part in (a, b)]
        unnamed = any(x.cluster is not None and x.cluster_names is None for x in (a, b))
        alike = a.labels == b.labels if self.declared else a.labels.kind == b.labels.kind
        return first == second and clusters[0] == clusters[1] and not unnamed and alike

    def _whole(self, parts: Sequence[Self]) -> Self:
        labels = parts[0].labels
        if any(part.labels != labels for part in parts):
            labels = Labels.sorted({label for part in parts for label in part.labels})
        return parts[0]._joined(parts, labels)

    def _joined(self, parts: Sequence[Self], labels: Labels, **facts: Any) -> Self:
        """Parts of one description as one, with these labels."""
        names, clusters = common_clusters(parts)
        return self.changed(
            **self._joined_keys(parts, labels),
            labels=labels,
            count=np.concatenate([part.count for part in parts]),
            squares=_joined([part.squares for part in parts if len(part.count)]),
            cluster=clusters,
            cluster_names=names,
            **facts,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Units) or type(other) is not type(self):
            return NotImplemented
        facts = ("labels", "weighted", "cluster_names", "declared", "decision")
        mine, theirs = ((*x._keys().values(), x.count, x.cluster) for x in (self, other))
        return all(getattr(self, x) == getattr(other, x) for x in facts) and _same(mine, theirs)

    __hash__ = None  # type: ignore[assignment]

    def _shown(self) -> str:
        return f"weight {self.n:g}" if self.weighted else f"{self.n:,} items"


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    return np.array_equal(a, b)


def _joined(parts: Sequence[Array | None]) -> Array | None:
    known = [part for part in parts if part is not None]
    return np.concatenate(known) if known and len(known) == len(parts) else None


def common_decision(a: Units, b: Units) -> str | None:
    """The decision rule of two parts; a note on it stays if both have it."""
    if a.decision == b.decision or not len(b.count):
        return a.decision
    if not len(a.count):
        return b.decision
    rules = [
        text and text.removesuffix(NOTES[0]).removesuffix(NOTES[1])
        for text in (a.decision, b.decision)
    ]
    if rules[0] != rules[1]:
        raise MergeError(
            f"the parts were decided differently: {a.decision or 'classes'} and "
            f"{b.decision or 'classes'}. Decide both the same way."
        )
    return rules[0]


def common_labels(a: Units, b: Units) -> tuple[Labels, bool]:
    """The classes of two parts together, and whether they are declared."""
    if a.labels == b.labels:
        return a.labels, a.declared or b.declared
    if a.labels and b.labels and a.labels.kind != b.labels.kind:
        raise MergeError(
            f"the labels of one part are {a.labels.kind}, those of the other {b.labels.kind}. "
            "Count both with the same label type."
        )
    if a.declared and b.declared:
        raise MergeError(
            f"the parts were counted under different declared classes: {some(a.labels)} and "
            f"{some(b.labels)}. Count both with the same labels=."
        )
    if not (a.declared or b.declared):
        return a.labels.union(b.labels), False
    whole, part = (a, b) if a.declared else (b, a)
    outside = next((x for x in part.labels if x not in whole.labels), None)
    if outside is not None:
        raise MergeError(
            f"label {outside!r} of one part is not declared in the other: {some(whole.labels)}. "
            "Count both with the same labels=."
        )
    return whole.labels, True


def common_clusters(parts: Sequence[Units]) -> tuple[Labels | None, Array | None]:
    """The clusters of some parts together: their names, and the code of each unit's."""
    parts = [part for part in parts if len(part.count)]
    with_clusters = [part for part in parts if part.cluster is not None]
    if not with_clusters:
        return None, None
    if len(with_clusters) < len(parts):
        raise MergeError(
            "one part was counted with clusters, the other without. Count both the same way."
        )
    kinds = [part.cluster_names.kind for part in parts if part.cluster_names is not None]
    if len(kinds) < len(parts):
        raise MergeError("clusters without names do not add up. Count all items together.")
    if len(set(kinds)) > 1:
        raise MergeError(
            f"the clusters of one part are {kinds[0]}, those of the other {kinds[1]}. "
            "Count both with the same type of clusters."
        )
    names = cluster_labels({name for part in parts for name in part.cluster_names or ()})
    codes = [names.codes(part.cluster_names or ())[part.cluster] for part in parts]
    return names, np.concatenate(codes)


def cluster_labels(names: Iterable[Any]) -> Labels:
    """Clusters in order; texts that are numbers, as in a file, are sorted as numbers.

    A seed draws clusters by position, so it draws the same ones from every source.
    """
    found = Labels.trusted(sorted(set(names)))
    texts = [name for name in found if isinstance(name, str)]
    if texts and all(map(str.isdecimal, texts)):
        return Labels.trusted(sorted(texts, key=lambda name: (int(name), name)))
    return found


def present_clusters(
    cluster: Array | None, names: Labels | None
) -> tuple[Array | None, Labels | None]:
    """Codes and names of the clusters that still have units."""
    if cluster is None or not len(cluster):
        return cluster, names
    present, codes = np.unique(cluster, return_inverse=True)
    if names is not None and len(present) < len(names):
        names = Labels.trusted(names[at] for at in present)
    return codes, names


def effective_size(weight: float, squares: float | None) -> float:
    """(Σw)² / Σw², the equal items that weighted ones are worth (Kish 1965); NaN if not known."""
    known = squares is not None and 0 < squares < math.inf
    return weight / (squares / weight) if known else math.nan  # type: ignore[operator]


def refuse_overflow(*counts: Array) -> None:
    """Raise if there are more items than 64-bit integers can count, or more weight than floats."""
    with np.errstate(over="ignore"):
        items = sum(float(count.sum(dtype=np.float64)) for count in counts)
    if any(count.dtype.kind == "f" for count in counts):
        if not math.isfinite(items):
            raise WeightError("the weights sum to infinity: divide all of them by the same number")
    elif items >= 2.0**63:
        raise InputError(
            f"the counts sum to about {items:.3g} items, and fewer than 2**63 can be counted. "
            "Divide all of them by the same number: the score stays the same."
        )


def refuse_undeclared(observed: Labels, declared: Labels) -> None:
    """Raise if a label is not declared."""
    outside = next((x for x in observed if x not in declared), None)
    if outside is not None:
        raise LabelError(
            f"label {outside!r} is not among the declared ones: {some(declared)}. "
            "Add it to labels=, or drop its items first."
        )


def some(labels: Sequence[Any]) -> str:
    """The first labels, for a message."""
    shown = ", ".join(repr(label) for label in labels[:6])
    return f"[{shown}{', …' if len(labels) > 6 else ''}]"
