"""Macro scores computed again, from the scores of each class or from counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whichf1.definitions.definition import define
from whichf1.errors import InputError
from whichf1.published.number import Published, Scale, read_all
from whichf1.scoring.evaluate import evaluate
from whichf1.scoring.macro import bounds
from whichf1.tables.counts import Counts

DEFINITIONS = {
    "macro precision": define("macro_precision"),
    "macro recall": define("macro_recall"),
    "averaged F1": define("averaged_f1"),
    "F1 of averages": define("f1_of_averages"),
}
"""What the audited numbers are."""
SIGNATURES = {name: each.signature for name, each in DEFINITIONS.items()}
CLASS_F1 = define("f1").signature


@dataclass(frozen=True, slots=True)
class Span:
    """The values that a score can have."""

    low: float
    high: float

    def meets(self, published: Published) -> bool:
        """Whether one of the values rounds to the published one."""
        return self.low <= published.high and self.high >= published.low

    def __format__(self, spec: str) -> str:
        low, high = (format(x, spec or ".4f") for x in (self.low, self.high))
        return low if low == high else f"between {low} and {high}"


@dataclass(frozen=True)
class Misfit:
    """A published number that the recomputed one does not round to."""

    name: str
    published: Published
    recomputed: Span
    signature: str


@dataclass(frozen=True)
class Recomputed:
    """The macro scores of some classes, each as far as rounding lets it be known."""

    classes: int
    precision: Span
    recall: Span
    averaged: Span
    of_averages: Span
    misfits: tuple[Misfit, ...] = ()
    """Classes whose own F1 is not that of their precision and recall."""


def of_counts(counts: Counts) -> Recomputed:
    """From counts everything is known exactly."""
    values = (evaluate(each, counts).value for each in DEFINITIONS.values())
    p, r, averaged, of_averages = (Span(value, value) for value in values)
    return Recomputed(len(counts.labels), p, r, averaged, of_averages)


def of_classes(
    per_class: Sequence[Any] | Mapping[Any, Any], decimals: int | None, scale: Scale
) -> Recomputed:
    """From the published precision and recall of each class, and its F1 where it is given."""
    rows = dict(per_class) if isinstance(per_class, Mapping) else dict(enumerate(per_class))
    if not rows:
        raise InputError("per_class is empty: give precision and recall of each class")
    read = _read(rows, decimals, scale)
    p, r = (_mean([Span(row[at].low, row[at].high) for row in read.values()]) for at in (0, 1))
    own = {label: _harmonic_span(row[0], row[1]) for label, row in read.items()}
    misfits = tuple(
        Misfit(f"F1 of class {label}", read[label][2], span, CLASS_F1)
        for label, span in own.items()
        if len(read[label]) == 3 and not span.meets(read[label][2])
    )
    both = Span(bounds(p.low, r.low).high, bounds(p.high, r.high).high)
    return Recomputed(len(rows), p, r, _mean(list(own.values())), both, misfits)


def _read(rows: dict[Any, Any], decimals: int | None, scale: Scale) -> dict[Any, list[Published]]:
    """All numbers together, so that floats share their decimals."""
    named: dict[tuple[Any, int], tuple[str, Any]] = {}
    for label, row in rows.items():
        if isinstance(row, str) or not hasattr(row, "__len__") or len(row) not in (2, 3):
            raise InputError(
                f"class {label!r}: give precision and recall, or those two and F1; got {row!r}"
            )
        for at, value in enumerate(row):
            named[label, at] = (f"{('precision', 'recall', 'F1')[at]} of class {label!r}", value)
    read = dict(zip(named, read_all(dict(named.values()), decimals, scale), strict=True))
    return {label: [read[label, at] for at in range(len(row))] for label, row in rows.items()}


def _harmonic_span(p: Published, r: Published) -> Span:
    """F1 grows with precision and with recall; bounds() without classes gives it as its high."""
    return Span(bounds(p.low, r.low).high, bounds(p.high, r.high).high)


def _mean(spans: list[Span]) -> Span:
    return Span(
        sum(span.low for span in spans) / len(spans), sum(span.high for span in spans) / len(spans)
    )
