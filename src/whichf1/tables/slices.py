"""Slices: the counts of each group of items, by the values of some columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias

from whichf1.errors import MergeError
from whichf1.tables.counts import Counts
from whichf1.tables.display import Drawable
from whichf1.tables.label_sets import MultiLabelCounts
from whichf1.tables.labels import Labels
from whichf1.tables.moments import Moments
from whichf1.tables.ranking import Ranking
from whichf1.tables.records import dataclass
from whichf1.tables.units import Additive, merged

Key: TypeAlias = tuple[Any, ...]
AnyTable: TypeAlias = Counts | MultiLabelCounts | Ranking | Moments
"""The tables that slices consist of."""


@dataclass(frozen=True)
class Slices(Additive, Drawable, Mapping[Key, Counts], kind="slices"):
    """Counts of each slice; a key has one value for each column, None if it is missing.

    If there is one column, ``slices["en"]`` is short for ``slices[("en",)]``. All slices have the
    classes of the whole, so classes missing from a slice are visible; ``classes="observed"``
    averages over those that occur in it.

    >>> import pandas as pd, whichf1 as wf
    >>> frame = pd.DataFrame({"true": [0, 1, 1], "pred": [0, 1, 0], "lang": ["en", "en", "de"]})
    >>> slices = wf.count_by(frame, by="lang")
    >>> slices["en"].n, slices.whole.n
    (2, 3)
    """

    by: tuple[str, ...]
    """The columns."""
    parts: Mapping[Key, Counts]
    """Counts, sets of labels or rankings."""

    @classmethod
    def alike(cls, by: tuple[str, ...], parts: Mapping[Key, Any], whole: Any) -> Slices:
        """Slices that were counted by themselves, with the labels of the whole."""
        labels, declared = whole.labels, whole.declared
        return cls(by, parts).changed(lambda x: x.declare(labels).changed(declared=declared))

    @cached_property
    def whole(self) -> Counts:
        """All items together."""
        return merged([*self.parts.values()])

    def changed(self, change: Callable[[Any], Any]) -> Slices:
        """The same slices, each changed in the same way."""
        return Slices(self.by, {key: change(part) for key, part in self.parts.items()})

    def declare(self, labels: Sequence[Any]) -> Slices:
        """The slices with these classes declared, in this order."""
        return self.changed(lambda part: part.declare(labels))

    def without(self, ignored: Sequence[Any], labels: Labels | None = None) -> Slices:
        """The slices without the items of these true classes, over the remaining classes."""
        whole = self.whole.without(ignored, labels)
        if whole is self.whole:
            return self
        classes, declared = whole.labels, whole.declared
        return self.changed(lambda x: x.without(ignored, classes).changed(declared=declared))

    def __getitem__(self, key: Any) -> Counts:
        wanted = key if isinstance(key, tuple) else (key,)
        if wanted in self.parts:
            return self.parts[wanted]
        some = ", ".join(repr(each) for each in list(self.parts)[:10])
        raise KeyError(f"there is no slice {wanted!r} of {', '.join(self.by)}. Slices: {some}")

    def __iter__(self) -> Iterator[Key]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def _alike(self) -> dict[str, Any]:
        return {"the columns of slices": self.by}

    def agreed(self, other: Slices) -> dict[str, Any]:
        """The facts of two parts together; raises if they cannot be added."""
        if type(self.whole) is not type(other.whole):
            raise MergeError(f"slices of {self.whole.kind} and {other.whole.kind} cannot be added")
        return {**super().agreed(other), **self.whole.agreed(other.whole)}

    @property
    def units(self) -> int:
        """How many rows all slices have."""
        return sum(part.units for part in self.parts.values())

    def _plus(self, other: Slices, facts: dict[str, Any]) -> Slices:
        empty = (self.whole + other.whole).without_items()
        keys = {**self.parts, **other.parts}
        parts = {
            key: empty + self.parts.get(key, empty) + other.parts.get(key, empty) for key in keys
        }
        return Slices(self.by, dict(sorted(parts.items(), key=order)))

    def without_items(self) -> Slices:
        """The same slices before the first item."""
        return Slices(self.by, {key: part.without_items() for key, part in self.parts.items()})

    def _record(self) -> dict[str, Any]:
        parts: list[Any] = [[[*key], part._record()] for key, part in self.parts.items()]
        return {"by": self.by, "of": self.whole.kind, "parts": parts}

    @classmethod
    def _restored(cls, record: Any) -> Slices:
        by, kind = tuple(record.rows("by")), record.take("of")
        record.expect(kind != cls.kind, "its slices are sliced again")
        parts = {}
        for key, part in record.rows("parts"):
            record.expect(len(key) == len(by), "a slice does not have a value for each column")
            parts[tuple(key)] = type(record)(part).table(cls.KINDS, kind)
        record.expect(parts and all(isinstance(name, str) for name in by), "it has no slices")
        return cls(by, parts)


def order(part: tuple[Key, Any]) -> tuple[tuple[bool, str, Any], ...]:
    """Sort by value, whatever the types are; missing last."""
    return tuple(
        (value is None, type(value).__name__, 0 if value is None else value) for value in part[0]
    )
