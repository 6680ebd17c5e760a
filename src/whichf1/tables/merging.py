"""What two parts must have in common to add up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from whichf1.errors import MergeError
from whichf1.tables.labels import Labels

NOTES = (" (above every score)", " (below every score)")
"""What a decision says of a threshold that puts all items on one side."""


def common_decision(a: str | None, b: str | None) -> str | None:
    """The decision rule of two parts; a note to it holds where both have it."""
    if a == b:
        return a
    rules = [text and text.removesuffix(NOTES[0]).removesuffix(NOTES[1]) for text in (a, b)]
    if rules[0] != rules[1]:
        raise MergeError(
            f"the parts were decided differently: {a or 'classes'} and {b or 'classes'}. "
            "Decide both the same way."
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
        return Labels.sorted({*a.labels, *b.labels}), False
    whole, part = (a, b) if a.declared else (b, a)
    outside = next((x for x in part.labels if x not in whole.labels), None)
    if outside is not None:
        raise MergeError(
            f"label {outside!r} of one part is not declared in the other: {some(whole.labels)}. "
            "Count both with the same labels=."
        )
    return whole.labels, True


def some(labels: Sequence[Any]) -> str:
    """The first classes, for a message."""
    shown = ", ".join(repr(label) for label in labels[:6])
    return f"[{shown}{', …' if len(labels) > 6 else ''}]"
