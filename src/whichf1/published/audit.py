"""Audit: which macro F1 a published triple of precision, recall and F1 can be.

Every number was rounded, so each is an interval. F1 of averages grows with precision and with
recall, so over the two intervals it takes exactly the values between its corners. Averaged F1 lies
between P + R − 1 and F1 of averages, and further below it where the number of classes is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Literal, TypeAlias

from whichf1.errors import InputError
from whichf1.published.number import Published, Scale, common_scale, read_all
from whichf1.published.recompute import SIGNATURES, Misfit, Recomputed, Span, of_classes, of_counts
from whichf1.scoring.macro import bounds, highest_averaged_f1
from whichf1.tables.counts import Counts

Verdict: TypeAlias = Literal["averaged F1", "F1 of averages", "either", "impossible"]


@dataclass(frozen=True)
class Audit:
    """What a published triple can be."""

    verdict: Verdict
    reason: str
    """One sentence."""
    precision: Published
    recall: Published
    f1: Published
    averaged: Span
    """The averaged F1s that go with this precision and recall."""
    of_averages: Span
    """The F1s of averages that go with them."""
    classes: int | None = None
    misfits: tuple[Misfit, ...] = ()
    """Where everything could be recomputed, the numbers that do not fit."""


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
    """Tell which macro F1 was reported: 'averaged F1', 'F1 of averages', 'either' or 'impossible'.

    All three numbers must be averages over the same classes with the same weights, with 0/0 as 0.

    Parameters
    ----------
    precision, recall, f1 : number or str
        The reported macro precision, macro recall and macro F1.
    decimals : int, optional
        How many decimals were reported. By default, text counts as written, and floats as written
        with the most decimals of the three.
    classes : int, optional
        The number of classes, if the task has one label per item and all classes are averaged
        over. It narrows what averaged F1 can be.
    scale : 'unit' | 'percent', optional
        Whether the numbers are fractions or percentages. By default, it is detected.
    per_class : sequence or mapping, optional
        Precision and recall of each class, from which everything is recomputed.
    counts : Counts, optional
        The counts, from which everything is recomputed.

    Returns
    -------
    Audit
        The verdict and the ranges of both macro F1s.

    Raises
    ------
    InputError
        If a number is malformed or out of range.

    Examples
    --------
    >>> audit(precision=0.62, recall=0.58, f1=0.55, decimals=2).verdict
    'averaged F1'
    """
    given = {"precision": precision, "recall": recall, "f1": f1}
    p, r, f = read_all(given, decimals, common_scale(given, scale))
    if per_class is not None and counts is not None:
        raise InputError("give per_class= or counts=, not both")
    whole = isinstance(classes, int) and not isinstance(classes, bool)
    if classes is not None and not (whole and classes >= 1):
        raise InputError(f"classes must be a whole number of at least 1; got {classes!r}")
    if counts is not None:
        known = of_counts(counts)
    elif per_class is not None:
        known = of_classes(per_class, decimals, p.scale)
    else:
        return _judge(p, r, f, classes)
    if classes not in (None, known.classes):
        raise InputError(
            f"classes={classes}, but there are {known.classes} of them to compute from. "
            "Leave classes= out, or give all classes."
        )
    return _compare(p, r, f, known)


def _judge(p: Published, r: Published, f: Published, classes: int | None) -> Audit:
    of_averages = Span(bounds(p.low, r.low).high, bounds(p.high, r.high).high)
    averaged = Span(bounds(p.low, r.low).low, highest_averaged(p, r, classes))
    verdict = verdict_of(averaged.meets(f), of_averages.meets(f))
    reason = _reason(verdict, f, averaged, of_averages, classes)
    if not reachable(p, r, classes):
        verdict = "impossible"
        reason = (
            f"With {classes} classes, each item in one, precision {p} and recall {r} cannot stand "
            "together: some class is predicted at least as often as it is true, and some at most."
        )
    return Audit(verdict, reason, p, r, f, averaged, of_averages, classes)


def verdict_of(averaged: bool, of_averages: bool) -> Verdict:
    """The verdict where each formula can give the number or not."""
    if averaged and of_averages:
        return "either"
    return "averaged F1" if averaged else "F1 of averages" if of_averages else "impossible"


def highest_averaged(p: Published, r: Published, classes: int | None) -> float:
    """The largest averaged F1 over all that rounds to this precision and recall.

    It grows with the smaller of the two. In the larger it grows up to a ridge: with K classes one
    class has no excess of precision over recall, and beyond P − R = (2 − √2)(K − 1)/K a higher
    average takes more from the recall of the others than it gives (the derivative of
    ``macro.bounds`` in P is 1 − 2/(1 + ρ)², where 1 − ρ = K(P − R)/(K − 1)).
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
    """Whether some predictions of single-label items have this macro precision and recall.

    A class predicted at least as often as it is true has P ≤ R, so P̄ − R̄ ≤ (K − 1)/K.
    """
    if classes is None:
        return True
    return max(p.low - r.high, r.low - p.high) <= (classes - 1) / classes


def _reason(
    verdict: Verdict, f: Published, averaged: Span, of_averages: Span, classes: int | None
) -> str:
    known = f" of {classes} classes" if classes is not None else ""
    match verdict:
        case "averaged F1":
            return f"F1 {f} is not the harmonic mean of the two, which is {of_averages}."
        case "F1 of averages":
            return (
                f"F1 {f} is the harmonic mean of the two, and averaged F1{known} is at most "
                f"{averaged.high:.4f}."
            )
        case "either":
            return (
                f"F1 {f} can be the harmonic mean of the two, {of_averages}, and the mean of the "
                f"classes' F1, {averaged}."
            )
    side = "above" if f.low > averaged.high else "below"
    return (
        f"F1 {f} lies {side} every averaged F1{known} that goes with the two, {averaged}, and is "
        f"not their harmonic mean, {of_averages}."
    )


def _compare(p: Published, r: Published, f: Published, known: Recomputed) -> Audit:
    """The verdict where precision, recall and both F1s can be computed again."""
    verdict = verdict_of(known.averaged.meets(f), known.of_averages.meets(f))
    misfits = list(known.misfits)
    for name, published, span in (
        ("macro precision", p, known.precision),
        ("macro recall", r, known.recall),
        ("averaged F1", f, known.averaged),
    ):
        if not span.meets(published) and (name != "averaged F1" or verdict == "impossible"):
            misfits.append(Misfit(name, published, span, SIGNATURES[name]))
    if verdict == "impossible":
        misfits.append(Misfit("F1 of averages", f, known.of_averages, SIGNATURES["F1 of averages"]))
    reason = (
        f"Recomputed from {known.classes} classes, averaged F1 is {known.averaged} and F1 of "
        f"averages is {known.of_averages}; F1 {f} fits {_FITS[verdict]}."
    )
    spans = (known.averaged, known.of_averages)
    return Audit(verdict, reason, p, r, f, *spans, known.classes, tuple(misfits))


_FITS = {
    "averaged F1": "the first",
    "F1 of averages": "the second",
    "either": "both",
    "impossible": "neither",
}
