"""Random predictions that distinguish dialects: few items, many classes, some of them missing."""

from __future__ import annotations

from random import Random
from typing import TypedDict


class Case(TypedDict):
    """Items of the classes 0 … k − 1."""

    k: int
    true: list[int]
    pred: list[int]


EXAMPLES: list[Case] = [
    {"k": 6, "true": [0, 2, 4, 4, 4, 2, 0, 4], "pred": [0, 4, 4, 4, 4, 1, 1, 2]},
    {"k": 6, "true": [2, 0, 0, 0, 0, 4, 4, 0], "pred": [0, 0, 0, 0, 0, 3, 4, 0]},
]
"""Two examples of 8 items on which nearly all dialects differ."""


def random_cases(number: int, seed: int = 7) -> list[Case]:
    """Cases of 2–8 classes and 1–30 items; classes are empty, only true or only predicted."""
    random = Random(seed)
    return EXAMPLES + [_case(random) for _ in range(number - len(EXAMPLES))]


def _case(random: Random) -> Case:
    k, n = random.randint(2, 8), random.randint(1, 30)
    sides = [random.sample(range(k), random.randint(1, k)) for _ in range(2)]
    true = [random.choice(sides[0]) for _ in range(n)]
    luck = random.random()
    pred = [x if random.random() < luck else random.choice(sides[1]) for x in true]
    return {"k": k, "true": true, "pred": pred}
