"""Audit: which macro F1 a published triple of precision, recall and F1 can be.

Every published number was rounded, so it stands for an interval. F1 of averages increases with
precision and with recall, so it takes exactly the values between its values at the two corners.
Averaged F1 lies between P + R − 1 and F1 of averages; if the number of classes is known, its upper
bound can be lower.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any, Literal, NamedTuple, TypeAlias

from whichf1.definitions.definition import define
from whichf1.errors import InputError, numbered
from whichf1.published.numbers import Published, Scale, common_scale, read_all
from whichf1.scoring.evaluate import evaluate
from whichf1.scoring.macro import bounds, highest_averaged_f1
from whichf1.tables.counts import Counts
from whichf1.tables.display import Displayed
from whichf1.tables.records import dataclass

Verdict: TypeAlias = Literal["averaged F1", "F1 of averages", "either", "impossible"]

DEFINITIONS = {
    "macro precision": define("macro_precision"),
    "macro recall": define("macro_recall"),
    "averaged F1": define("averaged_f1"),
    "F1 of averages": define("f1_of_averages"),
}
"""The scores that an audit computes."""
SIGNATURES = {name: definition.signature for name, definition in DEFINITIONS.items()}
FITS: dict[Verdict, str] = {
    "averaged F1": "averaged F1",
    "F1 of averages": "F1 of averages",
    "either": "either",
    "impossible": "neither",
}
"""What a verdict is consistent with."""
_MIXED = "a support-weighted or micro F1 beside macro precision and recall"
OTHERWISE: dict[str, str] = {
    "averaged F1": f"F1 below the harmonic mean would also come from {_MIXED}, from means over "
    "runs or folds, or from averages over different classes.",
    "F1 of averages": f"The same number could come from {_MIXED}, by chance.",
    "impossible": f"One of the numbers may be wrong; or there is {_MIXED}, or they are means over "
    "runs or folds, or averages over different classes.",
}
"""What would break the identity that a verdict relies on."""
CLASS_F1 = define("f1").signature


@dataclass(frozen=True, slots=True)
class Span:
    """The values that a score can have."""

    low: float
    high: float

    def meets(self, published: Published) -> bool:
        """Whether some value of the span rounds to the published one."""
        return self.low <= published.high and self.high >= published.low

    def __format__(self, spec: str) -> str:
        low, high = (format(x, spec or ".4f") for x in (self.low, self.high))
        return low if low == high else f"between {low} and {high}"

    def on(self, scale: Scale) -> str:
        """The same in words, as fractions or in percent like the published numbers."""
        return format(self, ".2%" if scale == "percent" else ".4f")


@dataclass(frozen=True)
class Misfit:
    """A published number that does not agree with the recomputed one."""

    name: str
    published: Published
    recomputed: Span
    signature: str


@dataclass(frozen=True)
class Audit(Displayed):
    """What a published triple can be."""

    verdict: Verdict
    reason: str
    """One sentence."""
    precision: Published
    recall: Published
    f1: Published
    averaged: Span
    """The values of averaged F1 that are compatible with this precision and recall."""
    of_averages: Span
    """The values of F1 of averages that are compatible with them."""
    classes: int | None = None
    misfits: tuple[Misfit, ...] = ()
    """The numbers that do not agree, if everything could be recomputed."""
    recomputed: bool = False
    """Whether everything was recomputed from counts or classes."""

    @property
    def words(self) -> str:
        """The verdict as a claim that the numbers support: 'consistent with averaged F1'."""
        return f"consistent with {FITS[self.verdict]}"

    @property
    def occurs(self) -> bool:
        """Whether any predictions have this precision and recall with so many classes."""
        return self.recomputed or reachable(self.precision, self.recall, self.classes)

    @property
    def otherwise(self) -> str | None:
        """What else could produce such numbers; None if nothing had to be assumed."""
        return None if self.recomputed else OTHERWISE.get(self.verdict)


def audit(
    *,
    precision: Any,
    recall: Any,
    f1: Any,
    decimals: int | None = None,
    classes: int | None = None,
    scale: Scale | None = None,
    per_class: Sequence[Any] | Mapping[Any, Any] | None = None,
    counts: Counts | None = None,
) -> Audit:
    """Find which macro F1 was reported: 'averaged F1', 'F1 of averages', 'either' or 'impossible'.

    All three numbers must be averages over the same classes with the same weights, with 0/0 as 0.

    precision, recall, f1 (number or str): The reported macro precision, macro recall and macro F1.
    decimals: How many decimals were reported. By default, text counts as written, and floats as
        written with the most decimals of the three.
    classes: The number of classes, if the task has one label per item and all classes are averaged
        over. It narrows what averaged F1 can be.
    per_class: Precision and recall of each class, from which everything is recomputed.
    counts: The counts, from which everything is recomputed.
    Returns: The verdict and the ranges of both macro F1s.
    InputError: If a number is malformed or out of range.

    >>> audit(precision=0.62, recall=0.58, f1=0.55, decimals=2).verdict
    'averaged F1'
    """
    printed = {"precision": precision, "recall": recall, "f1": f1}
    p, r, f = read_all(printed, decimals, common_scale(printed, scale))
    if per_class is not None and counts is not None:
        raise InputError("pass per_class= or counts=, not both")
    whole = isinstance(classes, int) and not isinstance(classes, bool)
    if classes is not None and not (whole and classes >= 1):
        raise InputError(f"classes must be a whole number of at least 1; got {classes!r}")
    if per_class is None and counts is None:
        return _judge(p, r, f, classes)
    known = _from_classes(per_class, decimals, p.scale) if counts is None else _from_counts(counts)
    if classes not in (None, known.classes):
        raise InputError(
            f"classes={classes}, but the data have {numbered(known.classes, 'class')}. "
            "Omit classes=, or pass the data of all classes."
        )
    return _compare(p, r, f, known)


# from the triple alone


def _judge(p: Published, r: Published, f: Published, classes: int | None) -> Audit:
    of_averages = _f1_of_averages(p, r)
    averaged = Span(bounds(p.low, r.low).low, highest_averaged(p, r, classes))
    verdict = verdict_of(averaged.meets(f), of_averages.meets(f))
    reason = _reason(verdict, f, averaged, of_averages, classes)
    if classes is not None and not reachable(p, r, classes):
        verdict = "impossible"
        reason = (
            f"With {numbered(classes, 'class')} and one class per item, precision {p} and recall "
            f"{r} cannot occur together: at least one class is predicted at least as often as it "
            "is true, and at least one at most as often."
        )
    return Audit(verdict, reason, p, r, f, averaged, of_averages, classes)


def _f1_of_averages(p: Published | Span, r: Published | Span) -> Span:
    """F1 of averages, or the F1 of one class: it increases with precision and with recall."""
    return Span(bounds(p.low, r.low).high, bounds(p.high, r.high).high)


def verdict_of(averaged: bool, of_averages: bool) -> Verdict:
    """The verdict, given whether each formula can produce the number."""
    if averaged and of_averages:
        return "either"
    return "averaged F1" if averaged else "F1 of averages" if of_averages else "impossible"


def highest_averaged(p: Published, r: Published, classes: int | None) -> float:
    """The largest averaged F1 over everything that rounds to this precision and recall.

    It increases with the smaller of the two. With the larger it increases only up to a ridge: with
    K classes, one class has no excess of precision over recall, and beyond
    P − R = (2 − √2)(K − 1)/K a higher average costs the other classes more recall than it gains
    (the derivative of ``macro.bounds`` in P is 1 − 2/(1 + ρ)², where 1 − ρ = K(P − R)/(K − 1)).
    """
    if classes is None or classes == 1:
        return bounds(p.high, r.high).high
    free = (classes - 1) / classes
    ridge = (2 - sqrt(2)) * free
    best_p = min(max(r.high + ridge, free, p.low), p.high)
    best_r = min(max(p.high + ridge, free, r.low), r.high)
    corners = ((best_p, r.high), (p.high, best_r))
    return max(0.0, *(highest_averaged_f1(*corner, classes) for corner in corners))


def reachable(p: Published, r: Published, classes: int | None) -> bool:
    """Whether any single-label predictions have this macro precision and recall.

    A class predicted at least as often as it is true has P ≤ R, so P̄ − R̄ ≤ (K − 1)/K.
    """
    if classes is None:
        return True
    return max(p.low - r.high, r.low - p.high) <= (classes - 1) / classes


def _reason(
    verdict: Verdict, f: Published, averaged: Span, of_averages: Span, classes: int | None
) -> str:
    of_classes = f" of {numbered(classes, 'class')}" if classes is not None else ""
    mean, harmonic = averaged.on(f.scale), of_averages.on(f.scale)
    match verdict:
        case "averaged F1":
            return f"F1 {f} is not the harmonic mean of the two, which is {harmonic}."
        case "F1 of averages":
            return (
                f"F1 {f} is the harmonic mean of the two, and averaged F1{of_classes} is at most "
                f"{Span(averaged.high, averaged.high).on(f.scale)}."
            )
        case "either":
            return (
                f"F1 {f} can be the harmonic mean of the two, {harmonic}, and also the mean of the "
                f"classes' F1, {mean}."
            )
    side = "above" if f.low > averaged.high else "below"
    return (
        f"F1 {f} lies {side} every averaged F1{of_classes} compatible with the two, {mean}, "
        f"and is not their harmonic mean, {harmonic}."
    )


# from counts, or from the scores of each class


class _Recomputed(NamedTuple):
    classes: int
    spans: dict[str, Span]
    """The macro scores of all ``DEFINITIONS``, as precisely as rounding allows."""
    misfits: list[Misfit]
    """Classes whose F1 does not agree with their precision and recall."""


_FITS = {
    "averaged F1": "the first",
    "F1 of averages": "the second",
    "either": "both",
    "impossible": "neither",
}


def _compare(p: Published, r: Published, f: Published, known: _Recomputed) -> Audit:
    k, spans, misfits = known
    averaged, of_averages = spans["averaged F1"], spans["F1 of averages"]
    verdict = verdict_of(averaged.meets(f), of_averages.meets(f))
    published = {"macro precision": p, "macro recall": r}
    if verdict == "impossible":
        published |= {"averaged F1": f, "F1 of averages": f}
    misfits += [
        Misfit(name, printed, spans[name], SIGNATURES[name])
        for name, printed in published.items()
        if not spans[name].meets(printed)
    ]
    reason = (
        f"Recomputed from {numbered(k, 'class')}, averaged F1 is {averaged.on(f.scale)} and "
        f"F1 of averages is {of_averages.on(f.scale)}; F1 {f} fits {_FITS[verdict]}."
    )
    return Audit(verdict, reason, p, r, f, averaged, of_averages, k, tuple(misfits), True)


def _from_counts(counts: Counts) -> _Recomputed:
    """From counts, everything is known exactly."""
    if not isinstance(counts, Counts):
        raise InputError(
            f"counts= must come from count(y_true, y_pred); got {type(counts).__name__}"
        )
    values = {name: evaluate(each, counts).value for name, each in DEFINITIONS.items()}
    spans = {name: Span(value, value) for name, value in values.items()}
    return _Recomputed(len(counts.labels), spans, [])


def _from_classes(per_class: Any, decimals: int | None, scale: Scale) -> _Recomputed:
    """From the published precision, recall and optionally F1 of each class."""
    classes = _read_classes(per_class, decimals, scale)
    p, r = (_mean([row[at] for row in classes.values()]) for at in (0, 1))
    f1 = {label: _f1_of_averages(row[0], row[1]) for label, row in classes.items()}
    misfits = [
        Misfit(f"F1 of class {label!r}", published, f1[label], CLASS_F1)
        for label, row in classes.items()
        for published in row[2:]
        if not f1[label].meets(published)
    ]
    spans = (p, r, _mean(list(f1.values())), _f1_of_averages(p, r))
    return _Recomputed(len(classes), dict(zip(DEFINITIONS, spans, strict=True)), misfits)


def _read_classes(per_class: Any, decimals: int | None, scale: Scale) -> dict[Any, list[Published]]:
    """Read all numbers together, so that floats share their decimals."""
    if not isinstance(per_class, (Mapping, list, tuple)):
        raise InputError(
            "per_class= must have a pair (precision, recall) for each class, as a list or by class "
            f"name; got {type(per_class).__name__}"
        )
    rows = dict(per_class) if isinstance(per_class, Mapping) else dict(enumerate(per_class))
    if not rows:
        raise InputError("per_class is empty: pass the precision and recall of each class")
    printed: dict[str, Any] = {}
    for label, row in rows.items():
        if isinstance(row, str) or not hasattr(row, "__len__") or len(row) not in (2, 3):
            raise InputError(
                f"class {label!r}: pass (precision, recall) or (precision, recall, F1); got {row!r}"
            )
        names = (f"{score} of class {label!r}" for score in ("precision", "recall", "F1"))
        printed.update(zip(names, row, strict=False))
    numbers = iter(read_all(printed, decimals, scale))
    return {label: [next(numbers) for _ in row] for label, row in rows.items()}


def _mean(spans: Sequence[Published | Span]) -> Span:
    return Span(sum(x.low for x in spans) / len(spans), sum(x.high for x in spans) / len(spans))
