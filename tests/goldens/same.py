"""Whether what is recorded and what is found now are the same, and where they are not."""

from __future__ import annotations

from collections.abc import Iterator
from math import isclose
from typing import Any

NEAR = 1e-12
"""How far numbers may be apart, absolutely or relatively."""
DRAWN = "p_randomization"
"""Fields with this suffix depend on random draws that may change."""
LOOSE = "to 1e-10"
"""Fields with this suffix are the ends of intervals that depend on a second
difference, of items that come in no fixed order: rounding moves them by some 1e-12."""


def differences(recorded: Any, present: Any, at: str = "", near: float = NEAR) -> Iterator[str]:
    """Every place where the two differ, in words."""
    near = 1e-10 if at.endswith(LOOSE) else near
    if at.endswith(DRAWN):
        if not _alike(recorded, present):
            yield f"{at}: {recorded!r} was recorded, and now it is {present!r}"
    elif _number(recorded) and _number(present):
        if not isclose(recorded, present, rel_tol=near, abs_tol=near):
            yield f"{at}: {recorded!r} was recorded, and now it is {present!r}"
    elif isinstance(recorded, dict) and isinstance(present, dict):
        yield from _of_fields(recorded, present, at, near)
    elif isinstance(recorded, list) and isinstance(present, list) and len(recorded) == len(present):
        for place, (old, new) in enumerate(zip(recorded, present, strict=True)):
            yield from differences(old, new, f"{at}[{place}]", near)
    elif type(recorded) is not type(present) or recorded != present:
        yield f"{at}: {_short(recorded)} was recorded, and now it is {_short(present)}"


def _of_fields(
    recorded: dict[str, Any], present: dict[str, Any], at: str, near: float
) -> Iterator[str]:
    if recorded.keys() == present.keys() == {"at least"}:
        for name in sorted({*recorded["at least"]} - {*present["at least"]}):
            yield f"{at}: {name!r} is gone"
        return
    for key in recorded.keys() - present.keys():
        yield f"{at}.{key}: is gone"
    for key in present.keys() - recorded.keys():
        yield f"{at}.{key}: is new"
    for key in recorded.keys() & present.keys():
        yield from differences(recorded[key], present[key], f"{at}.{key}", near)


def _alike(recorded: Any, present: Any) -> bool:
    """Both none, or both probabilities."""
    if recorded is None or present is None:
        return recorded is present
    return _number(present) and 0 <= present <= 1


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 400 else f"{text[:400]}…"
