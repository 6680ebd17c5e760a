"""Signatures of one case mostly end alike, with the data: the end is kept once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

MARK = "|v:1|n:"
SHORT = "|v:1|*"


def ends(value: Any) -> Iterator[str]:
    """The ends of all signatures."""
    if isinstance(value, str) and MARK in value:
        yield value.partition(MARK)[2]
    elif isinstance(value, dict):
        for each in value.values():
            yield from ends(each)
    elif isinstance(value, list):
        for each in value:
            yield from ends(each)


def shortened(value: Any) -> Any:
    """The value, with the end that most signatures have said once; nothing is lost."""
    found = Counter(ends(value)).most_common(1)
    if not found or found[0][1] < 2:
        return value
    return {"*": f"n:{found[0][0]}", "result": _without(value, MARK + found[0][0])}


def _without(value: Any, end: str) -> Any:
    if isinstance(value, str) and value.endswith(end):
        return value.removesuffix(end) + SHORT
    if isinstance(value, dict):
        return {key: _without(each, end) for key, each in value.items()}
    if isinstance(value, list):
        return [_without(each, end) for each in value]
    return value
