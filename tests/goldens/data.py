"""Small seeded data: classes, scores, sets of labels, and a table with all of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
NAMES = ("ant", "bee", "cat", "dog")


@dataclass(frozen=True)
class Items:
    """What is true of some items, what is said of them, and the options they come with."""

    true: Any
    said: Any
    positive: Any = 1
    options: dict[str, Any] = field(default_factory=dict)

    def with_options(self, **more: Any) -> Items:
        """The same items with further options."""
        return Items(self.true, self.said, self.positive, {**self.options, **more})


def generator(seed: int) -> np.random.Generator:
    """The source of all that is random here."""
    return np.random.Generator(np.random.PCG64(seed))


def predicted(rng: np.random.Generator, true: Ints, k: int, right: float) -> Ints:
    """Predictions of which about this fraction is right; the others are any class."""
    guessed = rng.integers(0, k, len(true))
    return np.where(rng.random(len(true)) < right, true, guessed)


@cache
def classes() -> dict[str, Items]:
    """Items with one class each, by what is special about them."""
    rng = generator(11)
    true = rng.choice(4, 200, p=[0.5, 0.3, 0.15, 0.05])
    pred = predicted(rng, true, 4, 0.6)
    weights, cluster = rng.exponential(1.0, 200), rng.integers(0, 25, 200)
    names = np.array(NAMES)
    two = rng.integers(0, 2, 120)
    seen = rng.choice(4, 60)
    said = np.where(seen == 3, 0, predicted(rng, seen, 3, 0.5))
    said = np.where((seen == 2) & (said == 2), 4, said)  # class 2 is predicted, and never rightly
    return {
        "two": Items(two, predicted(rng, two, 2, 0.7)),
        "four": Items(true, pred),
        "text": Items(names[true[:150]].tolist(), names[pred[:150]].tolist(), "bee"),
        "bool": Items([bool(x) for x in two[:50]], [bool(x) for x in two[10:60]], True),
        "weights": Items(true, pred, 2, {"weights": weights}),
        "clusters": Items(true, pred, 1, {"cluster": cluster}),
        "both": Items(true, pred, 1, {"weights": weights, "cluster": cluster}),
        "unseen": Items(seen, said, 2, {"labels": range(7)}),
        "perfect": Items(true[:40], true[:40], 1),
    }


@cache
def scored() -> dict[str, Items]:
    """Items of two classes with a probability each; many scores are tied."""
    rng = generator(12)
    true = rng.integers(0, 2, 120)
    scores = np.clip(0.5 + 0.18 * (2 * true - 1) + rng.normal(0, 0.25, 120), 0.01, 0.99).round(2)
    weights, cluster = rng.exponential(1.0, 120), rng.integers(0, 20, 120)
    plain = Items(true, scores)
    words = np.array(["ham", "spam"])[true].tolist()
    return {
        "plain": plain,
        "text": Items(words, scores, "spam"),
        "columns": Items(true, np.stack([1 - scores, scores], 1)),
        "free": Items(true[:60], (8 * scores[:60] - 3).round(1)),
        "weights": plain.with_options(weights=weights),
        "clusters": plain.with_options(cluster=cluster),
        "both": plain.with_options(weights=weights, cluster=[f"user {x}" for x in cluster]),
    }


@cache
def probabilities() -> dict[str, Items]:
    """Items of three classes with a probability for each."""
    rng = generator(13)
    true = rng.choice(3, 100, p=[0.5, 0.3, 0.2])
    odds = rng.gamma(1.0, 1.0, (100, 3))
    odds[np.arange(100), true] += 1.0
    shares = (odds / odds.sum(1, keepdims=True)).round(3)
    shares[:, 2] = 1 - shares[:, 0] - shares[:, 1]
    shares[:6] = [0.4, 0.4, 0.2]  # ties
    weights, cluster = rng.exponential(1.0, 100), rng.integers(0, 15, 100)
    plain = Items(true, shares)
    named = {"labels": list(NAMES[:3])}
    return {
        "plain": plain,
        "text": Items(np.array(NAMES)[true].tolist(), shares, "bee", named),
        "weights": plain.with_options(weights=weights),
        "clusters": plain.with_options(cluster=cluster),
        "both": plain.with_options(weights=weights, cluster=cluster),
    }


@cache
def label_sets() -> dict[str, Items]:
    """Items with sets of labels."""
    rng = generator(14)
    chances = [0.6, 0.35, 0.2, 0.1]
    true = (rng.random((90, 4)) < chances).astype(np.int64)
    flipped = rng.random((90, 4)) < 0.2
    pred = np.where(flipped, 1 - true, true)
    weights, cluster = rng.exponential(1.0, 90), rng.integers(0, 14, 90)
    sets = [[{NAMES[at] for at in np.flatnonzero(row)} for row in side] for side in (true, pred)]
    return {
        "sets": Items(sets[0], sets[1], "bee"),
        "matrix": Items(true, pred),
        "declared": Items(sets[0], sets[1], "bee", {"labels": [*NAMES, "eel"]}),
        "weights": Items(sets[0], sets[1], "bee", {"weights": weights}),
        "clusters": Items(true, pred, 1, {"cluster": cluster}),
        "both": Items(true, pred, 2, {"weights": weights, "cluster": cluster}),
    }


@cache
def label_scores() -> tuple[Ints, Floats, Floats, Ints]:
    """True labels as a matrix, a score for each, weights and clusters."""
    rng = generator(15)
    true = (rng.random((60, 5)) < 0.35).astype(np.int64)
    scores = (0.3 * true + rng.random((60, 5))).round(1)
    return true, scores, rng.exponential(1.0, 60), rng.integers(0, 12, 60)


@cache
def systems() -> dict[str, Any]:
    """Three systems on the same items: classes, scores, probabilities and sets of labels."""
    rng = generator(16)
    true = rng.choice(3, 150, p=[0.5, 0.3, 0.2])
    binary = rng.integers(0, 2, 150)
    names = np.array(NAMES)
    found: dict[str, Any] = {"true": names[true].tolist(), "binary": binary}
    found["classes"] = {
        name: names[predicted(rng, true, 3, right)].tolist()
        for name, right in (("A", 0.75), ("B", 0.6), ("C", 0.3))
    }
    found["scores"] = {
        name: np.clip(0.5 + far * (2 * binary - 1) + rng.normal(0, 0.2, 150), 0, 1).round(2)
        for name, far in (("A", 0.3), ("B", 0.2), ("C", 0.02))
    }
    found["codes"] = true
    found["probabilities"] = {}
    for name, more in (("A", 2.0), ("B", 1.0), ("C", 0.2)):
        odds = rng.gamma(1.0, 1.0, (150, 3))
        odds[np.arange(150), true] += more
        found["probabilities"][name] = odds / odds.sum(1, keepdims=True)
    labels = rng.random((150, 4)) < [0.6, 0.4, 0.3, 0.2]
    found["labels"] = labels.astype(np.int64)
    found["sets"] = {
        name: np.where(rng.random((150, 4)) < wrong, ~labels, labels).astype(np.int64)
        for name, wrong in (("A", 0.1), ("B", 0.15), ("C", 0.4))
    }
    found["weights"], found["cluster"] = rng.exponential(1.0, 150), rng.integers(0, 25, 150)
    return found


@cache
def table() -> dict[str, list[Any]]:
    """Columns of a frame or file with everything that can be scored."""
    rng = generator(17)
    n = 120
    true = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    names = np.array(NAMES)
    odds = rng.gamma(1.0, 1.0, (n, 3))
    odds[np.arange(n), true] += 1.0
    shares = (odds / odds.sum(1, keepdims=True)).round(3)
    shares[:, 2] = (1 - shares[:, 0] - shares[:, 1]).round(3)
    spam = rng.integers(0, 2, n)
    labels = rng.random((n, 3)) < [0.6, 0.4, 0.2]
    guessed = np.where(rng.random((n, 3)) < 0.2, ~labels, labels)
    other = np.where(rng.random((n, 3)) < 0.35, ~labels, labels)
    weaker = np.clip(0.5 + 0.05 * (2 * spam - 1) + rng.normal(0, 0.2, n), 0, 1).round(2)
    columns: dict[str, list[Any]] = {
        "id": list(range(n)),
        "gold": names[true].tolist(),
        "pred": names[predicted(rng, true, 3, 0.6)].tolist(),
        "other": names[predicted(rng, true, 3, 0.4)].tolist(),
        "spam": spam.tolist(),
        "score": np.clip(0.5 + 0.2 * (2 * spam - 1) + rng.normal(0, 0.2, n), 0, 1)
        .round(2)
        .tolist(),
        "weaker": weaker.tolist(),
        "w": rng.exponential(1.0, n).round(3).tolist(),
        "doc": rng.integers(0, 16, n).tolist(),
        "lang": np.array(["de", "en", "fr"])[rng.integers(0, 3, n)].tolist(),
        "tags": [";".join(names[:3][row]) for row in labels],
        "found": [";".join(names[:3][row]) for row in guessed],
        "found2": [";".join(names[:3][row]) for row in other],
    }
    for at, name in enumerate(NAMES[:3]):
        columns[name] = shares[:, at].tolist()
        columns[f"is_{name}"] = labels[:, at].astype(int).tolist()
        columns[f"said_{name}"] = guessed[:, at].astype(int).tolist()
    return columns
