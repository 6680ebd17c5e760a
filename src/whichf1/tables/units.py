"""Units: items grouped into cells or kinds, which add up; what all tables share."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from operator import add, attrgetter
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from whichf1.errors import FileError, InputError, LabelError, MergeError, WeightError, numbered
from whichf1.tables.cells import Array
from whichf1.tables.display import Drawable
from whichf1.tables.labels import Labels

T = TypeVar("T")
NOTES = (" (above every score)", " (below every score)")
"""The note on a threshold that puts all items on one side."""


def worth(total: float, squares: float | None) -> float:
    """(Σw)² / Σw², the effective number of weighted items; NaN if it is unknown."""
    typical = squares / total if squares and total else math.nan
    return total / typical if 0 < typical < math.inf else math.nan


class Additive:
    """Tables that can be added, saved and loaded, and updated with further batches of items.

    Parts are merged with ``+``, and many of them with ``sum``. A subclass names its kind, which is
    written to its files, and defines what must be the same in two parts and what is saved.
    """

    __slots__ = ()

    KINDS: ClassVar[dict[str, type[Additive]]] = {}
    kind: ClassVar[str]
    """What the table is called in its file and in messages."""

    def __init_subclass__(cls, kind: str = "", **more: Any) -> None:
        super().__init_subclass__(**more)
        if kind:
            cls.kind = kind
            cls.KINDS[kind] = cls

    def _alike(self) -> dict[str, Any]:
        """What must be the same in two parts, by its name in messages; less for empty parts."""
        return {}

    def agreed(self, other: Any) -> dict[str, Any]:
        """The facts of two parts together; raises if they cannot be added."""
        theirs = other._alike()
        for what, mine in self._alike().items():
            if what in theirs and (mine != theirs[what] or type(mine) is not type(theirs[what])):
                raise MergeError(
                    f"two parts differ in {what}: {mine!r} and {theirs[what]!r}. Create both "
                    "the same way."
                )
        return {}

    def _plus(self, other: Any, facts: dict[str, Any]) -> Self:
        """The sum of two parts with these facts."""
        raise NotImplementedError

    @property
    def units(self) -> int:
        """How many rows the table has."""
        raise NotImplementedError

    def _record(self) -> dict[str, Any]:
        """What is saved."""
        raise NotImplementedError

    @classmethod
    def _restored(cls, record: Any) -> Self:
        """The table of a saved record, whose fields are read and checked by their type."""
        raise NotImplementedError

    def without_items(self) -> Self:
        """The same table before the first item."""
        raise NotImplementedError

    def __add__(self, other: object) -> Self:
        if isinstance(other, int) and other == 0:
            return self  # so that sum(parts) works
        if type(other) is not type(self):
            return NotImplemented
        return self._plus(other, self.agreed(other))

    __radd__ = __add__

    def update(self, y_true: Any, y_pred: Any = None, **options: Any) -> Self:
        """Add a further batch of items; tables are immutable, so keep the result.

        y_true, y_pred (array, dataframe or path): The batch, as for the function that created
            the table: predictions, scores or sets of labels. A batch of no items changes nothing.
        **options: The options of that function that describe the batch, such as ``weights``.
        Returns: This table and that of the batch.
        InputError: If the batch cannot be counted.
        MergeError: If it cannot be added to this table.

        >>> import whichf1 as wf
        >>> counts = wf.Counts.empty()
        >>> for y_true, y_pred in ([[0, 1], [0, 1]], [[1, 1], [0, 1]]):
        ...     counts = counts.update(y_true, y_pred)
        >>> counts.n
        4
        >>> ranking = wf.Ranking.empty(positive=1).update([0, 1], [0.2, 0.9])
        >>> ranking.update([1, 0], [0.4, 0.3]).n
        4
        """
        batch = further().count_batch(self, y_true, y_pred, options)
        return self if batch is None else self + batch

    def to_json(self) -> str:
        """The table as versioned JSON, which preserves the types of labels."""
        from whichf1.tables import saving  # slow to import

        return saving.to_json(self.kind, self._record())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write :meth:`to_json` to a file, completely or not at all.

        FileError: If the file cannot be written.

        >>> import tempfile, whichf1 as wf
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     wf.count([0, 1], [0, 1]).save(f"{folder}/counts.json")
        ...     wf.Counts.load(f"{folder}/counts.json").n
        2
        """
        from whichf1.tables import saving  # slow to import

        saving.write_whole(path, self.to_json().encode("ascii"))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file written by :meth:`save`.

        Returns: The table.
        FileError: If the file is missing or damaged, or holds a table of another kind.

        >>> import tempfile, whichf1 as wf
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     wf.count([0, 1], [0, 1]).save(f"{folder}/counts.json")
        ...     wf.Counts.load(f"{folder}/counts.json").n
        2
        """
        from whichf1.tables import saving  # slow to import

        return cls.from_json(saving.read_text(path), repr(str(path)))

    @classmethod
    def from_json(cls, text: str | bytes, name: str = "the text") -> Self:
        """Read text written by :meth:`to_json`.

        text: The text.
        name: What error messages call the text.
        Returns: The table.
        FileError: If the text is damaged, or is of a table of another kind.

        >>> import whichf1 as wf
        >>> wf.Counts.from_json(wf.count([0, 1], [0, 1]).to_json()).n
        2
        """
        table = restored(text, name)
        if not isinstance(table, cls):
            raise FileError(
                f"{name} holds {table.kind}, not {cls.kind}: read it with {type(table).__name__}"
            )
        return table


def restored(text: str | bytes, name: str) -> Additive:
    """A saved table of any kind; ``name`` tells messages where the text came from."""
    from whichf1.tables import saving  # slow to import

    return saving.from_json(text, name, Additive.KINDS)  # type: ignore[no-any-return]


def further() -> Any:
    """What counts further batches: a way back, for training loops."""
    from whichf1.scoring import accumulator

    return accumulator


def stacked(
    parts: Sequence[T], part: T, size: Callable[[T], int], add: Callable[[T, T], T] = add
) -> tuple[T, ...]:
    """Parts of decreasing size and a further one: neighbours of similar size are added.

    So none is copied more than log₂ n times, however many parts there are.
    """
    stack, last = [*parts], part
    while stack and size(stack[-1]) < 2 * size(last):
        last = add(stack.pop(), last)
    return *stack, last


def merged(parts: Sequence[T], add: Callable[[T, T], T] = add) -> T:
    """Many parts as one: neighbours first, so that none is copied more than log₂ n times."""
    while len(parts) > 1:
        pairs = [add(a, b) for a, b in zip(parts[::2], parts[1::2], strict=False)]
        parts = [*pairs, *parts[2 * len(pairs) :]]
    return parts[0]


class Units(Additive, Drawable):
    """How many items each unit stands for, with their weights, clusters and systems.

    The base of :class:`Counts` and :class:`MultiLabelCounts`. Immutable; a subclass has the
    key columns and puts them in order.
    """

    _FACTS = ("squares", "cluster", "cluster_names", "systems", "declared", "decision")
    _KEYS: ClassVar[tuple[str, ...]]
    """The key columns, as they are saved."""
    __slots__ = ("__dict__",)

    labels: Labels
    count: Array
    """Items of each unit, or the sum of their weights."""
    squares: Array | None
    """Sums of squared weights, which intervals need; None without weights."""
    cluster: Array | None
    """The code of each unit's cluster; None if items are not in clusters."""
    cluster_names: Labels | None
    """Names of the clusters: the same name in two parts is the same cluster."""
    systems: tuple[str, ...]
    """The names of the systems; several if they are counted on the same items."""
    declared: bool
    """Whether the classes were declared; if not, they are the observed ones."""
    decision: str | None
    """How scores became predictions, such as 'score>=0.5'; None if classes were predicted."""

    def __init__(self, **fields: Any) -> None:
        raise NotImplementedError

    def _put(self, fields: dict[str, Any], *arrays: Array | None) -> None:
        """Set all fields at once, which is faster; these arrays become read-only."""
        for array in arrays:
            if array is not None:
                array.setflags(write=False)
        fields["weighted"] = fields["count"].dtype.kind == "f"  # needed for every score
        self.__dict__.update(fields)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} are immutable: cannot set {name!r}")

    def _keys(self, system: int | None = None) -> dict[str, Any]:
        """The key columns as the constructor takes them, of all systems or of one."""
        raise NotImplementedError

    @classmethod
    def _joined_keys(cls, parts: Sequence[Any], labels: Labels) -> dict[str, Any]:
        """The key columns of parts, with codes into these labels."""
        raise NotImplementedError

    @classmethod
    def _no_keys(cls) -> dict[str, Any]:
        """The key columns of no units."""
        raise NotImplementedError

    @classmethod
    def _columns(cls) -> tuple[str, ...]:
        """Columns that are known only after parts have been merged."""
        return ("labels", "count", "squares", "cluster", "cluster_names")

    def _fields(self) -> dict[str, Any]:
        names = ("labels", "count", *self._FACTS)
        return dict(zip(names, attrgetter(*names)(self), strict=True)) | self._keys()

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **self._fields(), in_order=True), ()

    def changed(self, **fields: Any) -> Self:
        """The same units with other fields, such as the names of systems.

        Keys that change are put in order, unless ``in_order`` says that they still are.
        """
        fields.setdefault("in_order", fields.keys() <= {*self._FACTS})
        return type(self)(**self._fields() | fields)

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

    @cached_property
    def occurring(self) -> int:
        """How many classes occur as true or predicted."""
        table = self.table
        return int(np.count_nonzero(table.tp + table.fp + table.fn))

    @property
    def effective_n(self) -> float:
        """(Σw)² / Σw², the effective number of weighted items; NaN without the squares."""
        if not self.weighted:
            return float(self.n)
        with np.errstate(over="ignore"):
            return worth(self.n, None if self.squares is None else float(self.squares.sum()))

    def whole(self) -> Self:
        """The same units with weights as frequencies: how many equal items a row stands for."""
        return self.changed(count=np.rint(self.count).astype(np.int64), squares=None)

    @property
    def clusters(self) -> int | None:
        """How many clusters the items come in."""
        return None if self.cluster is None else int(self.cluster.max()) + 1

    @property
    def facts(self) -> tuple[tuple[str, Any], ...]:
        """The origin of the data, as fields of a signature."""
        if self.decision is None and not self.weighted and self.cluster is None:
            return ()
        facts = {
            "decision": self.decision,
            "weighted": self.weighted or None,
            "clusters": self.clusters,
        }
        return tuple((key, value) for key, value in facts.items() if value is not None)

    def _refuse_several(self) -> None:
        if len(self.systems) > 1:
            raise InputError(
                f"these counts have {numbered(len(self.systems), 'system')} "
                f"({', '.join(self.systems)}). "
                "Choose one with counts.system(0)."
            )

    def agreed(self, other: Self) -> dict[str, Any]:
        """The facts of two parts together; raises if they cannot be added."""
        first = [part._parts[0] for part in (self, other) if part._parts]
        if len({part.weighted for part in first}) > 1:
            raise MergeError(
                "one part was counted with weights, the other without. Count both the same way."
            )
        if self.systems != other.systems and len(self.systems) + len(other.systems) > 2:
            raise MergeError("the parts have different systems. Count both with the same ones.")
        labels, declared = None, self.declared or other.declared
        alike = len(first) == 2 and first[0].labels.kind == first[1].labels.kind
        if declared or not alike:  # otherwise all of them, when they are used
            labels, declared = common_labels(self, other)
        refuse_other_clusters(first)
        return {
            "labels": labels,
            "declared": declared,
            "systems": self.systems,
            "decision": common_decision(self, other),
        }

    def _plus(self, other: Self, facts: dict[str, Any]) -> Self:
        """Both parts; if one is much larger, they are only merged when the sum is used."""
        parts = [part for part in (self, other) if part._parts]
        first = [part._parts[0] for part in parts]
        weighted = any(part.weighted for part in first)
        n = None if weighted else sum(int(part.n) for part in parts)
        total = sum(part._total for part in parts)
        refuse_overflow(total, weighted=weighted)
        if len(parts) < 2:
            return self._merged(parts or [self, other], **facts)
        stack = self._parts

        def added(a: Self, b: Self) -> Self:
            return self._merged([a, b], **facts)

        for part in other._parts:
            stack = stacked(stack, part, lambda x: x.units, added)
        if len(stack) == 1:
            return stack[0]
        whole = object.__new__(type(self))
        for name, value in facts.items():
            if value is not None or name != "labels":
                object.__setattr__(whole, name, value)
        whole.__dict__.update(_stack=stack, _agreed=facts, weighted=weighted, _total=total)
        if n is not None:
            whole.__dict__["n"] = n
        return whole

    @cached_property
    def _total(self) -> float:
        return float(self.n)

    @property
    def _parts(self) -> tuple[Self, ...]:
        """Parts of decreasing size whose sum this is; only itself, once its columns are used."""
        return self.__dict__.get("_stack") or ((self,) if self.units else ())

    @property
    def units(self) -> int:
        """How many cells, or kinds of items, there are."""
        return len(self.count)

    def __getattr__(self, name: str) -> Any:
        """A column used for the first time: merge the parts now."""
        stack = self.__dict__.get("_stack")
        if name not in self._columns():
            raise AttributeError(f"{type(self).__name__} have no {name!r}")
        if stack is not None:
            whole = self._merged(stack, **self.__dict__["_agreed"])
            for each in self._columns():
                object.__setattr__(self, each, getattr(whole, each))
            self.__dict__.pop("_stack", None)  # another thread may have been faster
        return object.__getattribute__(self, name)

    @classmethod
    def _merged(cls, parts: Sequence[Self], *, labels: Labels | None, **facts: Any) -> Self:
        if labels is None:
            labels = parts[0].labels
            if any(part.labels != labels for part in parts):
                labels = Labels.sorted({label for part in parts for label in part.labels})
        names, clusters = common_clusters(parts)
        fields = {"cluster": clusters, "cluster_names": names, "labels": labels, **facts}
        fields["squares"] = _joined([part.squares for part in parts if part.units])
        fields["count"] = np.concatenate([part.count for part in parts])
        return cls(**cls._joined_keys(parts, labels), **fields)

    @classmethod
    def empty(
        cls, labels: Sequence[Any] | None = None, *, declared: bool = True, weighted: bool = False
    ) -> Self:
        """An empty table, as the start of a stream.

        declared: Whether the labels are declared, so that other labels are an error.
        weighted: Whether items will have weights.
        Returns: An empty table.
        LabelError: If the labels are malformed.

        >>> import whichf1 as wf
        >>> wf.Counts.empty(["a", "b"]).n
        0
        """
        for name, flag in (("declared", declared), ("weighted", weighted)):
            if not isinstance(flag, (bool, np.bool_)):
                raise InputError(f"{name}= is True or False; got {flag!r}")
        names = Labels(() if labels is None else labels)
        none = np.zeros(0, np.float64 if weighted else np.int64)
        declared = bool(declared) and labels is not None
        return cls(labels=names, count=none, declared=declared, **cls._no_keys())

    def without_items(self) -> Self:
        """The same table before the first item."""
        return self.empty(self.labels, declared=self.declared, weighted=self.weighted)

    def _record(self) -> dict[str, Any]:
        self._refuse_several()
        if self.cluster is not None and self.cluster_names is None:
            raise MergeError("these clusters have no names: count the items again, then save")
        record = {name: getattr(self, name) for name in ("labels", "declared", "weighted")}
        record |= {name: getattr(self, name) for name in self._KEYS}
        columns = {
            name: getattr(self, name) for name in ("count", "decision", "squares", "cluster")
        }
        if self.weighted and not are_sums(self.squares):  # no interval could use them
            columns["squares"] = None
        record |= {name: column for name, column in columns.items() if column is not None}
        return record | ({} if self.cluster_names is None else {"clusters": self.cluster_names})

    @classmethod
    def _restored(cls, record: Any) -> Self:
        labels, weighted = record.labels("labels"), record.flag("weighted")
        fields: dict[str, Any] = {"labels": labels, "declared": record.flag("declared")}
        count = record.positive("count", whole=not weighted)
        fields |= {"count": count, "decision": record.text("decision")}
        if weighted and "squares" in record:
            fields["squares"] = record.positive("squares", len(count))
        if "cluster" in record:
            names = record.labels("clusters")
            cluster = record.codes("cluster", len(names), len(count))
            record.expect(len(np.unique(cluster)) == len(names), "its clusters do not match")
            fields |= {"cluster": cluster, "cluster_names": names}
        return cls(**fields, **cls._restored_keys(record, labels, len(count)))

    @classmethod
    def _restored_keys(cls, record: Any, labels: Labels, units: int) -> dict[str, Any]:
        """The key columns of a saved record."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Units) or type(other) is not type(self):
            return NotImplemented
        facts = ("labels", "weighted", "cluster_names", "declared", "decision")
        mine, theirs = ((*x._keys().values(), x.count, x.cluster) for x in (self, other))
        return all(getattr(self, x) == getattr(other, x) for x in facts) and _same(mine, theirs)

    __hash__ = None  # type: ignore[assignment]

    def _size(self) -> str:
        return f"weight {self.n:g}" if self.weighted else numbered(int(self.n), "item")


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    return np.array_equal(a, b)


def _joined(parts: Sequence[Array | None]) -> Array | None:
    known = [part for part in parts if part is not None]
    return np.concatenate(known) if known and len(known) == len(parts) else None


def common_decision(a: Units, b: Units) -> str | None:
    """The decision rule of two parts; a note is kept if both have it."""
    if a.decision == b.decision or not b._parts:
        return a.decision
    if not a._parts:
        return b.decision
    rules = [
        text and text.removesuffix(NOTES[0]).removesuffix(NOTES[1])
        for text in (a.decision, b.decision)
    ]
    if rules[0] != rules[1]:
        raise MergeError(
            f"the parts were decided differently: {a.decision or 'classes'} and "
            f"{b.decision or 'classes'}. Use the same rule for both."
        )
    return rules[0]


def common_labels(a: Any, b: Any) -> tuple[Labels, bool]:
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


def refuse_other_clusters(parts: Sequence[Units]) -> None:
    """Raise unless all parts have named clusters of one kind, or none has clusters."""
    names = [part.cluster_names for part in parts if part.cluster is not None]
    if not names:
        return
    if len(names) < len(parts):
        raise MergeError(
            "one part was counted with clusters, the other without. Count both the same way."
        )
    kinds = [each.kind for each in names if each is not None]
    if len(kinds) < len(parts):
        raise MergeError("clusters without names cannot be added. Count all items together.")
    if len({*kinds}) > 1:
        raise MergeError(
            f"the clusters of one part are {kinds[0]}, those of the other {kinds[1]}. "
            "Count both with the same type of clusters."
        )


def common_clusters(parts: Sequence[Units]) -> tuple[Labels | None, Array | None]:
    """The clusters of parts together: their names, and the code of each unit's."""
    parts = [part for part in parts if part.units]
    if not parts or parts[0].cluster is None:
        return None, None
    names = cluster_labels({name for part in parts for name in part.cluster_names or ()})
    codes = [names.codes(part.cluster_names or ())[part.cluster] for part in parts]
    return names, np.concatenate(codes)


def cluster_labels(names: Iterable[Any]) -> Labels:
    """Clusters in order; texts that are numbers, as in a file, are sorted numerically.

    A seed draws clusters by position, so it draws the same ones from every source.
    """
    labels = Labels.trusted(sorted(set(names)))
    texts = [name for name in labels if isinstance(name, str)]
    if texts and all(map(str.isdecimal, texts)):
        return Labels.trusted(sorted(texts, key=lambda name: (int(name), name)))
    return labels


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


def are_sums(squares: Any) -> bool:
    """Whether sums of squared weights are positive numbers; floats cannot hold them far from 1."""
    return squares is not None and bool((np.isfinite(squares) & (np.asarray(squares) > 0)).all())


def refuse_overflow(items: float, *, weighted: bool = False) -> None:
    """Raise if there are more items than 64-bit integers can count, or more weight than floats."""
    if weighted and not math.isfinite(items):
        raise WeightError("the weights sum to infinity: divide all of them by the same number")
    if not weighted and items >= 2.0**63:
        raise InputError(
            f"the counts sum to about {items:.3g} items, but fewer than 2**63 can be counted. "
            "Divide all counts by the same number, which does not change the score."
        )


def refuse_sum(*counts: Array) -> None:
    """Raise if the sum of all counts or weights is too large."""
    items = 0.0
    with np.errstate(over="ignore"):
        for count in counts:
            items += float(count.sum(dtype=np.float64))
    refuse_overflow(items, weighted=counts[0].dtype.kind == "f")


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
