"""Agreement of raters in exact fractions, by going through all pairs of ratings one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import Any, TypeAlias

Item: TypeAlias = tuple[Sequence[Any], Fraction]
"""The ratings of an item, without missing ones, and its weight."""


def of_cells(cells: Mapping[tuple[Any, Any], Fraction]) -> list[Item]:
    """Items that two raters rated, from how often each pair of classes occurs."""
    return [(pair, weight) for pair, weight in cells.items()]


def pairs(items: Sequence[Item]) -> Iterator[tuple[Any, Any, Fraction, int]]:
    """Ordered pairs of ratings of an item, of which all together weigh as much as the item."""
    for ratings, weight in items:
        r = len(ratings)
        for a, b in permutations(range(r), 2):
            yield ratings[a], ratings[b], weight / (r * (r - 1)), r


def shares(items: Sequence[Item], labels: Sequence[Any]) -> dict[Any, Fraction]:
    """The mean share of each category in the ratings of an item."""
    total = sum((weight for ratings, weight in items if ratings), Fraction(0))
    return {
        label: sum(
            (
                Fraction([*ratings].count(label), len(ratings)) * w
                for ratings, w in items
                if ratings
            ),
            Fraction(0),
        )
        / total
        for label in labels
    }


def disagreement(items: Sequence[Item], cost: Callable[[Any, Any], Any]) -> Fraction:
    """The mean cost of a pair of ratings of the same item, every item alike."""
    weight = sum((w for _, _, w, _ in pairs(items)), Fraction(0))
    return sum((cost(a, b) * w for a, b, w, _ in pairs(items)), Fraction(0)) / weight


def beyond(observed: Fraction, expected: Any) -> Fraction | None:
    return None if expected == 0 else 1 - observed / expected


def fleiss_kappa(items: Sequence[Item], labels: Sequence[Any], cost: Any) -> Fraction | None:
    share = shares(items, labels)
    expected = sum(share[a] * share[b] * cost(a, b) for a, b in product(labels, repeat=2))
    return beyond(disagreement(items, cost), expected)


def brennan_prediger(items: Sequence[Item], labels: Sequence[Any], cost: Any) -> Fraction | None:
    each = Fraction(1, len(labels))
    expected = sum(each * each * cost(a, b) for a, b in product(labels, repeat=2))
    return beyond(disagreement(items, cost), expected)


def gwet_ac1(items: Sequence[Item], labels: Sequence[Any], cost: Any) -> Fraction | None:
    k = len(labels)
    if k < 2:
        return None
    most = max(cost(a, b) for a, b in product(labels, repeat=2))
    agree = sum(1 - Fraction(cost(a, b)) / most for a, b in product(labels, repeat=2))
    spread = sum(x * (1 - x) for x in shares(items, labels).values())
    chance = agree * spread / (k * (k - 1))
    return beyond(disagreement(items, cost) / most, 1 - chance)


def krippendorff_alpha(items: Sequence[Item], labels: Sequence[Any], level: str) -> Fraction | None:
    """1 − D_o / D_e, with the differences that Krippendorff (2011) defines for each level."""
    paired = [(ratings, weight) for ratings, weight in items if len(ratings) > 1]
    times = {
        label: sum((w * [*ratings].count(label) for ratings, w in paired), Fraction(0))
        for label in labels
    }
    n = sum(times.values())
    place = {label: at for at, label in enumerate(labels)}

    def apart(a: Any, b: Any) -> Fraction:
        if level == "nominal":
            return Fraction(a != b)
        if level == "ordinal":
            low, high = sorted((place[a], place[b]))
            between = sum((times[x] for x in labels[low : high + 1]), Fraction(0))
            return (between - (times[a] + times[b]) / 2) ** 2
        x, y = Fraction(a), Fraction(b)
        if level == "interval":
            return (x - y) ** 2
        return Fraction(0) if x + y == 0 else ((x - y) / (x + y)) ** 2

    observed = sum((apart(a, b) * w * r for a, b, w, r in pairs(paired)), Fraction(0)) / n
    both = product(labels, repeat=2)
    expected = sum((times[a] * times[b] * apart(a, b) for a, b in both), Fraction(0))
    return None if expected == 0 else 1 - observed * n * (n - 1) / expected
