"""Slices: the counts of each group of items, by the values of some columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from whichf1.errors import InputError
from whichf1.tables.counts import Counts
from whichf1.tables.units import Additive

Key: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True)
class Slices(Additive, Mapping[Key, Counts]):
    """Counts of each slice; a key has one value for each column, None if it is missing.

    If there is one column, ``slices["en"]`` is short for ``slices[("en",)]``. All slices have the
    classes of the whole, so classes that a slice lacks are visible; ``classes="observed"`` averages
    over those that it has.

    >>> import pandas as pd, whichf1 as wf
    >>> frame = pd.DataFrame({"true": [0, 1, 1], "pred": [0, 1, 0], "lang": ["en", "en", "de"]})
    >>> slices = wf.count_by(frame, by="lang")
    >>> slices["en"].n, slices.whole.n
    (2, 3)
    """

    by: tuple[str, ...]
    """The columns."""
    parts: Mapping[Key, Counts]
    """Counts; or sets of labels, or rankings."""
    total: Any = None
    """All items together, where slices do not add up by themselves."""

    @cached_property
    def whole(self) -> Counts:
        """All items together."""
        if self.total is not None:
            return self.total  # type: ignore[no-any-return]
        first, *others = self.parts.values()
        return sum(others, first)

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

    def _plus(self, other: Slices) -> Slices:
        if self.by != other.by:
            raise InputError(f"slices by {self.by} and by {other.by} do not add up")
        if not all(isinstance(each, Counts) for each in (self.whole, other.whole)):
            raise InputError("slices of sets of labels or of rankings do not add up: read all data")
        whole = self.whole + other.whole
        empty = Counts.empty(whole.labels, declared=whole.declared, weighted=whole.weighted)
        keys = {**self.parts, **other.parts}
        parts = {
            key: empty + self.parts.get(key, empty) + other.parts.get(key, empty) for key in keys
        }
        return Slices(self.by, dict(sorted(parts.items(), key=order)))


def order(part: tuple[Key, Any]) -> tuple[tuple[bool, str, Any], ...]:
    """Sort by value, whatever the types are; missing last."""
    return tuple(
        (value is None, type(value).__name__, 0 if value is None else value) for value in part[0]
    )
