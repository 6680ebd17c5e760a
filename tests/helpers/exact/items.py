"""Means over items: losses of probabilities, and scores of sets of labels."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

from tests.helpers.exact.numbers import root_of


def log_loss(code: int, p: list[float], floor: float) -> Any:
    largest = max(Decimal(p[code]), Decimal(floor))
    return Fraction(-largest.ln())


def brier(code: int, p: list[float], scale: str) -> Fraction:
    total = sum((Fraction(x) - (at == code)) ** 2 for at, x in enumerate(p))
    return Fraction(total) / (2 if scale == "half" else 1)


def top_k_accuracy(code: int, p: list[float], k: int, ties: str) -> int:
    def ahead(at: int) -> bool:
        wins = {"first": at < code, "last": at > code, "best": False, "worst": at != code}[ties]
        return p[at] > p[code] or (p[at] == p[code] and wins)

    return int(sum(ahead(at) for at in range(len(p))) < k)


def hinge_loss(code: int, p: list[float]) -> Fraction:
    margin = Fraction(p[code]) - max(Fraction(x) for at, x in enumerate(p) if at != code)
    return max(Fraction(0), 1 - margin)


def ranked_probability_score(code: int, p: list[float]) -> Fraction:
    total = Fraction(0)
    for at in range(len(p) - 1):
        total += (sum(map(Fraction, p[: at + 1]), Fraction(0)) - (code <= at)) ** 2
    return total / (len(p) - 1)


def spherical_score(code: int, p: list[float]) -> Fraction:
    return Fraction(Fraction(p[code]) / root_of(sum((Fraction(x) ** 2 for x in p), Fraction(0))))


def bayes_cost(code: int, p: list[float], costs: Any) -> Fraction:
    """Decisions whose expected costs differ by rounding are equally good: the first is taken."""
    classes = range(len(p))
    known = [[int(i != j) for j in classes] for i in classes] if costs is None else costs
    cost = [[Fraction(x) for x in row] for row in known]
    expected = [sum(Fraction(p[i]) * cost[i][j] for i in classes) for j in classes]
    within = min(expected) + Fraction(1, 10**12) * max(map(max, cost))
    return cost[code][next(j for j in classes if expected[j] <= within)]


LOSSES: dict[str, Any] = {
    "log_loss": log_loss,
    "brier": brier,
    "top_k_accuracy": top_k_accuracy,
    "hinge_loss": hinge_loss,
    "ranked_probability_score": ranked_probability_score,
    "spherical_score": spherical_score,
    "bayes_cost": bayes_cost,
    "normalized_bayes_cost": bayes_cost,
    "log_loss_skill": log_loss,
    "brier_skill": lambda code, p: brier(code, p, "sum"),
}
"""The value of an item; of a score that is divided by that of a constant, before it is."""


def relative(name: str, rows: Any, weights: Any, skill: bool, parameters: Any) -> Any:
    """A mean loss divided by that of the class frequencies; None if that is 0."""
    loss = LOSSES[name]
    sizes = [
        sum(Fraction(w) for (y, _), w in zip(rows, weights, strict=True) if y == k)
        for k in range(3)
    ]
    shares = [size / sum(sizes) for size in sizes]
    mean = weighted_mean([loss(y, p, **parameters) for y, p in rows], weights)
    constant = weighted_mean(
        [loss(y, [*map(float, shares)], **parameters) for y, _ in rows], weights
    )
    ratio = None if constant == 0 else mean / constant
    return ratio if ratio is None or not skill else 1 - ratio


def subset_accuracy(true: set[Any], predicted: set[Any], labels: Any) -> int:
    return int(true == predicted)


def hamming_loss(true: set[Any], predicted: set[Any], labels: Any) -> Fraction:
    return Fraction(len(true ^ predicted), len(labels))


def label_ranking_average_precision(true: set[Any], scores: list[float]) -> Any:
    every = range(len(scores))
    if len(true) in (0, len(scores)):
        return 1
    return sum(
        Fraction(
            sum(scores[k] >= scores[j] for k in true), sum(scores[k] >= scores[j] for k in every)
        )
        for j in true
    ) / len(true)


def coverage_error(true: set[Any], scores: list[float]) -> int:
    return max((sum(s >= scores[j] for s in scores) for j in true), default=0)


def label_ranking_loss(true: set[Any], scores: list[float]) -> Any:
    others = {*range(len(scores))} - true
    if not true or not others:
        return 0
    wrong = sum(scores[j] <= scores[k] for j in true for k in others)
    return Fraction(wrong, len(true) * len(others))


def discounts(k: Any, size: int) -> list[Fraction]:
    base = Decimal(2).ln()
    each = (Fraction(base / Decimal(at + 2).ln()) for at in range(size))
    return [x if k is None or at < k else Fraction(0) for at, x in enumerate(each)]


def dcg(true: set[Any], scores: list[float], k: Any = None) -> Fraction:
    """Of labels with equal scores, each gets the mean discount of their places."""
    total, every = Fraction(0), discounts(k, len(scores))
    for j in true:
        before = sum(s > scores[j] for s in scores)
        ties = sum(s == scores[j] for s in scores)
        total += sum(every[before : before + ties], Fraction(0)) / ties
    return total


def ndcg(true: set[Any], scores: list[float], k: Any = None) -> Any:
    best = sum(discounts(k, len(scores))[: len(true)], Fraction(0))
    return dcg(true, scores, k) / best if best else 0


def one_error(true: set[Any], scores: list[float]) -> Fraction:
    top = [j for j, s in enumerate(scores) if s == max(scores)]
    return Fraction(sum(j not in true for j in top), len(top))


ITEMS: dict[str, Any] = {"subset_accuracy": subset_accuracy, "hamming_loss": hamming_loss}


LABEL_RANKINGS: dict[str, Any] = {
    "label_ranking_average_precision": label_ranking_average_precision,
    "coverage_error": coverage_error,
    "label_ranking_loss": label_ranking_loss,
    "dcg": dcg,
    "ndcg": ndcg,
    "one_error": one_error,
}


def weighted_mean(values: Any, weights: Any) -> Any:
    pairs = [(v, Fraction(w)) for v, w in zip(values, weights, strict=True) if w]
    return sum(v * w for v, w in pairs) / sum(w for _, w in pairs)
