"""Scores of a ranking of items: areas, operating points, calibration, abstention."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from tests.helpers.exact.classes import f_beta
from tests.helpers.exact.numbers import log_of

Scored = list[tuple[Any, Any, Any]]
"""Whether each item is positive, its score, and its weight above 0."""


def steps(items: Scored) -> list[tuple[float, Fraction, Fraction]]:
    """Each distinct score, highest first, with the weight of its positives and negatives."""
    table: dict[float, list[Fraction]] = {}
    for positive, score_, w in items:
        sides = table.setdefault(score_, [Fraction(0), Fraction(0)])
        sides[0 if positive else 1] += Fraction(w)
    return [(s, *table[s]) for s in sorted(table, reverse=True)]  # type: ignore[misc]


def sums(items: Scored) -> tuple[Fraction, Fraction]:
    p, n = (sum((Fraction(w) for y, _, w in items if y == side), Fraction(0)) for side in (1, 0))
    return p, n


def roc_auc(items: Scored, max_fpr: Any, multi_class: Any) -> Fraction:
    p, n = sums(items)
    limit = Fraction(1 if max_fpr is None else max_fpr)
    x = y = area = Fraction(0)
    for _, positives, negatives in steps(items):
        right, up = x + negatives / n, y + positives / p
        end = min(right, limit)
        if end > x:
            area += (end - x) * (y + (up - y) * (end - x) / (right - x) / 2)
        x, y = right, up
    if max_fpr is None:
        return area
    low, high = limit**2 / 2, limit
    return (1 + (area - low) / (high - low)) / 2


def average_precision(items: Scored, multi_class: Any) -> Fraction:
    tp = fp = total = Fraction(0)
    for _, positives, negatives in steps(items):
        tp, fp = tp + positives, fp + negatives
        total += positives * tp / (tp + fp)
    return total / tp


def ks(items: Scored) -> Fraction:
    p, n = sums(items)
    largest = tp = fp = Fraction(0)
    for _, positives, negatives in steps(items):
        tp, fp = tp + positives, fp + negatives
        largest = max(largest, abs(tp / p - fp / n))
    return largest


def gain(items: Scored, top: Any) -> Fraction:
    p, n = sums(items)
    left, found = Fraction(top) * (p + n), Fraction(0)
    for _, positives, negatives in steps(items):
        share = min(Fraction(1), left / (positives + negatives))
        found, left = found + share * positives, left - share * (positives + negatives)
    return found / p


def expected_calibration_error(
    items: Scored, bins: int, binning: str, multi_class: Any
) -> Fraction:
    off: dict[int, Fraction] = {}
    for y, s, w in items:
        at = bin_at(s, bins)
        off[at] = off.get(at, Fraction(0)) + Fraction(w) * (y - Fraction(s))
    return sum(map(abs, off.values()), Fraction(0)) / sum(sums(items))


def bin_at(score: float, bins: int) -> int:
    """The bin of equal width that a score is in."""
    edges = np.linspace(0, 1, bins + 1)
    return next((b for b in range(bins - 1) if score <= edges[b + 1]), bins - 1)


def debiased_calibration_error(
    items: Scored, bins: int, binning: str, multi_class: Any
) -> Fraction:
    """Of items without weights; a root is a fraction only to the digits of a float."""
    square = Fraction(0)
    for at in range(bins):
        here = [(y, Fraction(s)) for y, s, _ in items if bin_at(s, bins) == at]
        n = len(here)
        if n > 1:
            frequency = Fraction(sum(y for y, _ in here), n)
            gap = frequency - sum((s for _, s in here), Fraction(0)) / n
            chance = frequency * (1 - frequency) / (n - 1)
            square += Fraction(n, len(items)) * (gap**2 - chance)
    return Fraction(math.sqrt(max(square, Fraction(0))))


def thresholds(items: Scored) -> list[tuple[Fraction, Fraction]]:
    """True and false positives from each score on, highest first."""
    found, tp, fp = [], Fraction(0), Fraction(0)
    for _, positives, negatives in steps(items):
        tp, fp = tp + positives, fp + negatives
        found.append((tp, fp))
    return found


def best(items: Scored, at: Any, rate: Any, other: Any) -> Fraction:
    """The largest rate where another is at least so large, or as good as."""
    sizes, limit = sums(items), Fraction(at) - Fraction(1, 10**12)
    points = thresholds(items)
    return max((rate(x, *sizes) for x in points if other(x, *sizes) >= limit), default=Fraction(0))


def tpr(x: Any, p: Any, n: Any) -> Fraction:
    return x[0] / p  # type: ignore[no-any-return]


def tnr(x: Any, p: Any, n: Any) -> Fraction:
    return (n - x[1]) / n  # type: ignore[no-any-return]


def ppv(x: Any, p: Any, n: Any) -> Fraction:
    return x[0] / (x[0] + x[1])  # type: ignore[no-any-return]


def f_max(items: Scored, beta: Any) -> Fraction:
    p, _ = sums(items)
    return Fraction(max(f_beta(tp, fp, p - tp, 0, beta) for tp, fp in thresholds(items)))


def equal_error_rate(items: Scored) -> Fraction:
    p, n = sums(items)
    x, y = Fraction(0), Fraction(1)
    for tp, fp in thresholds(items):
        right, down = fp / n, 1 - tp / p
        if right >= down:
            share = (y - x) / ((y - x) + (right - down))
            return x + share * (right - x)
        x, y = right, down
    raise ArithmeticError("the curve ends at (1, 0)")


def partial_average_precision(items: Scored, min_recall: Any) -> Fraction:
    (p, _), least, area, before = sums(items), Fraction(min_recall), Fraction(0), Fraction(0)
    for tp, fp in thresholds(items):
        after = tp / p
        if after > least:
            area += (after - max(before, least)) * tp / (tp + fp)
        before = after
    return area / (1 - least)


def log_auc(items: Scored, min_fpr: Any, max_fpr: Any) -> Fraction:
    (p, n), least, most = sums(items), Fraction(min_fpr), Fraction(max_fpr or 1)
    x = y = area = Fraction(0)
    for tp, fp in thresholds(items):
        right, up = fp / n, tp / p
        low, high = max(x, least), min(right, most)
        if low < high < low * (1 + Fraction(1, 10**40)):  # closer than a logarithm can tell
            area += (y + (up - y) * ((low + high) / 2 - x) / (right - x)) * (high - low) / low
        elif high > low:
            slope = (up - y) / (right - x)
            area += (y - slope * x) * log_of(high / low) + slope * (high - low)
        x, y = right, up
    return area / log_of(most / least)


def net_benefit(items: Scored, threshold: Any) -> Fraction:
    odds = Fraction(threshold / (1 - threshold))
    chosen = [(y, Fraction(w)) for y, s, w in items if s >= threshold]
    return sum((w if y else -w * odds for y, w in chosen), Fraction(0)) / sum(sums(items))


def pr_gain_auc(items: Scored) -> Fraction:
    """The area between points of the curve, and where it crosses a recall gain of 0."""
    p, n = sums(items)
    area, before = Fraction(0), (Fraction(0), Fraction(0))
    for tp, fp in thresholds(items):
        if tp > before[0] and tp * (p + n) > p * p:
            start = max(before[0], p * p / (p + n))
            false = before[1] + (fp - before[1]) * (start - before[0]) / (tp - before[0])
            points = [
                (1 - p / n * (p - t) / t, 1 - p / n * f / t) for t, f in ((start, false), (tp, fp))
            ]
            (x0, y0), (x1, y1) = points
            area += (x1 - x0) * (y0 + y1) / 2
        before = tp, fp
    return area


def cost_curve_area(items: Scored) -> Fraction:
    """The integral of the lowest of all cost lines, from crossing to crossing."""
    p, n = sums(items)
    points = [(Fraction(1), Fraction(0)), *((1 - tp / p, fp / n) for tp, fp in thresholds(items))]
    turns = {Fraction(0), Fraction(1)}
    for a, b in points:
        for c, d in points:
            if (a - b) != (c - d):
                turns.add((d - b) / ((a - b) - (c - d)))
    places = sorted(x for x in turns if 0 <= x <= 1)
    lowest = [min(a * x + b * (1 - x) for a, b in points) for x in places]
    pairs = zip(places, lowest, places[1:], lowest[1:], strict=False)
    return sum(((x1 - x0) * (y0 + y1) / 2 for x0, y0, x1, y1 in pairs), Fraction(0))


def folded(items: Scored) -> Scored:
    """Whether the more likely class is right, and its probability."""
    return [(int((s > 0.5) == bool(y)), max(s, 1 - s), w) for y, s, w in items]


def aurc(items: Scored) -> Fraction:
    right = wrong = total = Fraction(0)
    for _, hits, misses in steps(folded(items)):
        right, wrong = right + hits, wrong + misses
        total += (hits + misses) * wrong / (right + wrong)
    return total / (right + wrong)


def excess_aurc(items: Scored) -> Fraction:
    right, wrong = sums(folded(items))
    error = wrong / (right + wrong)
    best = error + (1 - error) * log_of(1 - error) if right else Fraction(1)
    return aurc(items) - best


def selective_accuracy(items: Scored, coverage: Any) -> Fraction:
    every = folded(items)
    right, wrong = sums(every)
    if not right:
        return Fraction(0)
    return gain(every, coverage) * right / (Fraction(coverage) * (right + wrong))


def gaps(items: Scored, bins: int) -> list[tuple[Fraction, Fraction]]:
    """The items of each bin, and how far they are off on average."""
    found = []
    for at in range(bins):
        here = [(Fraction(w), y - Fraction(s)) for y, s, w in items if bin_at(s, bins) == at]
        n = sum((w for w, _ in here), Fraction(0))
        if n:
            found.append((n, abs(sum((w * off for w, off in here), Fraction(0))) / n))
    return found


def max_calibration_error(items: Scored, bins: int, binning: str, multi_class: Any) -> Fraction:
    return max(gap for _, gap in gaps(items, bins))


def rms_calibration_error(items: Scored, bins: int, binning: str, multi_class: Any) -> Fraction:
    parts = gaps(items, bins)
    square = sum((n * gap**2 for n, gap in parts), Fraction(0)) / sum(n for n, _ in parts)
    return Fraction(math.sqrt(square))


def smooth_calibration_error(items: Scored, multi_class: Any) -> Fraction:
    """Cosine by cosine; where a kernel as wide as the error meets it, by halving."""
    total = sum(sums(items))
    mass = np.zeros(1024)
    for y, s, w in items:
        off, place = float(Fraction(w) / total) * (y - s), s * 1024 - 0.5
        low = min(max(math.floor(place), 0), 1023)
        part = min(max(place - low, 0.0), 1.0)
        mass[low] += off * (1 - part)
        mass[min(low + 1, 1023)] += off * part
    k = np.arange(1024)
    cosines = np.cos(np.pi * np.outer(k, k + 0.5) / 1024)
    waves = cosines @ mass * np.where(k == 0, 1, 2) / 1024
    low_end, high_end = 0.0, 1.0
    for _ in range(40):
        middle = (low_end + high_end) / 2
        error = np.abs((waves * np.exp(-((np.pi * k * middle) ** 2) / 2)) @ cosines).sum()
        low_end, high_end = (middle, high_end) if error > middle else (low_end, middle)
    return Fraction((low_end + high_end) / 2)


def loss_of(loss: str, y: int, p: Fraction) -> Fraction:
    own = p if y else 1 - p
    if loss == "brier":
        return (1 - own) ** 2
    return -log_of(max(own, Fraction(1, 2**52)))


def parts_of_loss(items: Scored, loss: str) -> tuple[Fraction, Fraction, Fraction]:
    """The loss, that of the best falling frequencies (min-max formula), and of the constant."""
    table, n = steps(items), sum(sums(items))
    share = sums(items)[0] / n

    def pooled(a: int, b: int) -> Fraction:
        hits = sum((x[1] for x in table[a : b + 1]), Fraction(0))
        misses = sum((x[2] for x in table[a : b + 1]), Fraction(0))
        return hits / (hits + misses)

    last = len(table)
    fitted = [
        max(min(pooled(a, b) for a in range(at + 1)) for b in range(at, last)) for at in range(last)
    ]
    sums_of = [
        sum(
            (hits * loss_of(loss, 1, p) + misses * loss_of(loss, 0, p))
            for (_, hits, misses), p in zip(table, chosen, strict=True)
        )
        / n
        for chosen in ([Fraction(s) for s, _, _ in table], fitted, [share] * last)
    ]
    own, calibrated, constant = (Fraction(each) for each in sums_of)
    return own, calibrated, constant


def miscalibration(items: Scored, loss: str) -> Fraction:
    own, calibrated, _ = parts_of_loss(items, loss)
    return own - calibrated


def discrimination(items: Scored, loss: str) -> Fraction:
    _, calibrated, constant = parts_of_loss(items, loss)
    return constant - calibrated


RANKINGS: dict[str, Any] = {
    "pr_gain_auc": pr_gain_auc,
    "cost_curve_area": cost_curve_area,
    "aurc": aurc,
    "excess_aurc": excess_aurc,
    "selective_accuracy": selective_accuracy,
    "max_calibration_error": max_calibration_error,
    "rms_calibration_error": rms_calibration_error,
    "smooth_calibration_error": smooth_calibration_error,
    "miscalibration": miscalibration,
    "discrimination": discrimination,
    "uncertainty": lambda items, loss: parts_of_loss(items, loss)[2],
    "recall_at_precision": lambda items, at: best(items, at, tpr, ppv),
    "precision_at_recall": lambda items, at: best(items, at, ppv, tpr),
    "sensitivity_at_specificity": lambda items, at: best(items, at, tpr, tnr),
    "specificity_at_sensitivity": lambda items, at: best(items, at, tnr, tpr),
    "tpr_at_fpr": lambda items, at: best(items, 1 - Fraction(at), tpr, tnr),
    "f_max": f_max,
    "equal_error_rate": equal_error_rate,
    "partial_average_precision": partial_average_precision,
    "log_auc": log_auc,
    "net_benefit": net_benefit,
    "roc_auc": roc_auc,
    "average_precision": average_precision,
    "ks": ks,
    "gain": gain,
    "lift": lambda items, top: gain(items, top) / Fraction(top),
    "expected_calibration_error": expected_calibration_error,
    "debiased_calibration_error": debiased_calibration_error,
}
