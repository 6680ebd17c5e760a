"""Long names cut to a width so that different names stay different, in every kind of figure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

Cut: TypeAlias = Callable[[str, str, str], str]
"""A name between two texts that are kept whole → all three, of which the name lost its middle."""
_COUNT = re.compile(r" \([\d,.e+]+\)$")
"""The number of items after a name, which is never cut."""
_BREAKS = " ._-/:,|"
LEAST_SHARED = 4
"""A shorter beginning of several names is kept: leaving it out would hardly give room."""


def fitting(texts: Sequence[str], cut: Cut, numbers: Sequence[int] = ()) -> list[str]:
    """The texts, cut where they are too wide; those of different names stay different.

    If cutting their middle makes names equal, the beginning that these share is left out; if that
    is not enough, each has its number (by default, its place) before it, like the classes of a
    confusion matrix.
    """
    tails = [found[0] if (found := _COUNT.search(text)) else "" for text in texts]
    names = [text[: len(text) - len(tail)] for text, tail in zip(texts, tails, strict=True)]
    short = [cut("", name, "") for name in names]
    wide = [cut("", *pair) for pair in zip(names, tails, strict=True)]
    bare = [text[: len(text) - len(tail)] for text, tail in zip(wide, tails, strict=True)]
    if _stay_different(names, short) and _stay_different(names, bare):
        return wide
    without = _without_shared(names, bare)
    wide = [cut("", *pair) for pair in zip(without, tails, strict=True)]
    bare = [text[: len(text) - len(tail)] for text, tail in zip(wide, tails, strict=True)]
    if _stay_different(names, bare):
        return wide
    places = numbers or range(1, len(texts) + 1)
    return [cut(f"{at} ", *pair) for at, *pair in zip(places, names, tails, strict=True)]


def _stay_different(names: Sequence[str], short: Sequence[str]) -> bool:
    return len({*short}) == len({*names})


def _without_shared(names: Sequence[str], short: Sequence[str]) -> list[str]:
    """The names, without the beginning shared by those that would look the same."""
    alike: dict[str, set[str]] = {}
    for name, text in zip(names, short, strict=True):
        alike.setdefault(text, set()).add(name)
    shared = {text: _shared(sorted(group)) for text, group in alike.items() if len(group) > 1}
    return [
        f"…{name[shared[text] :]}" if shared.get(text, 0) >= LEAST_SHARED else name
        for name, text in zip(names, short, strict=True)
    ]


def _shared(names: Sequence[str]) -> int:
    """How many characters, up to the end of a word, all of the sorted names begin with."""
    first, last = names[0], names[-1]
    same = next(
        (at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b),
        min(len(first), len(last)),
    )
    return max((at + 1 for at, x in enumerate(first[:same]) if x in _BREAKS), default=0)
