"""Samples that tests of several rooms draw, and what they ask of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import whichf1 as wf
from whichf1.definitions.definition import Definition, Frozen
from whichf1.errors import DefinitionError
from whichf1.metrics import COUNTED, METRICS
from whichf1.scoring.functions import with_options
from whichf1.scoring.lines import read_items
from whichf1.statistics.sample import Sample

Array = NDArray[Any]
Pairs = list[tuple[int, int]]
"""The true and the predicted class of each item."""
Named = dict[str, Any]
"""The predictions or scores of each system."""
T = TypeVar("T")

E1 = ([0, 2, 4, 4, 4, 2, 0, 4], [0, 4, 4, 4, 4, 1, 1, 2])
E2 = ([2, 0, 0, 0, 0, 4, 4, 0], [0, 0, 0, 0, 0, 3, 4, 0])
"""Two examples on which nearly all definitions differ."""

SYSTEMS = "examples/systems.csv"
COLUMNS = ("careful", "biased", "weak")
"""The systems of the example file."""


def present(value: T | None) -> T:
    """A value that must not be missing: an interval, a p-value."""
    assert value is not None
    return value


def ends(interval: wf.Interval | None) -> tuple[float, float]:
    """The two ends of an interval that must not be missing."""
    return present(interval).low, present(interval).high


# classes

COUNT_METRICS = tuple(name for name, metric in METRICS.items() if metric.kind in COUNTED)


SMOOTH_METRICS = tuple(name for name in COUNT_METRICS if METRICS[name].smooth)
"""Those with slopes."""


def random_counts(seed: int, k: int, least: int = 1, most: int = 30) -> wf.Counts:
    """A table without empty cells and with a heavy diagonal."""
    rng = np.random.default_rng(seed)
    matrix = rng.integers(least, most, (k, k)) + np.diag(rng.integers(20, 60, k))
    return wf.Counts.from_matrix(matrix, rows="true")


def sample_of(frozen: Frozen) -> Sample:
    """What is resampled of these counts."""
    units = frozen.units
    squares, cluster = (None, None) if units is None else (units.squares, units.cluster)
    return Sample(frozen.table.count, squares, cluster)


def counted_definitions() -> Iterator[Definition]:
    """Every metric of counts with every average and formula."""
    for name in SMOOTH_METRICS:
        for average, formula, undefined in product(
            (None, "macro", "micro", "weighted"), (None, "of-averages"), (0, "skip")
        ):
            options: dict[str, Any] = {
                "average": average,
                "formula": formula,
                "undefined": undefined,
            }
            try:
                yield Definition(metric=name, **options)
            except DefinitionError:
                continue


def simulated(
    seed: int, n: int = 300, k: int = 3, accuracies: Sequence[float] = (0.8, 0.7)
) -> tuple[Array, Named]:
    """True classes, and the predictions of systems that know some of them and guess the rest."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, k, n)
    return true, {
        f"S{at}": np.where(rng.random(n) < right, true, rng.integers(0, k, n))
        for at, right in enumerate(accuracies)
    }


# scores

MEANS = [
    (f"roc_auc(multi_class={way})", {"average": average})
    for way in ("ovr", "ovo")
    for average in ("macro", "weighted")
] + [("average_precision(multi_class=ovr)", {"average": x}) for x in ("macro", "weighted")]
SINGLE = ["roc_auc", "roc_auc(max_fpr=0.3)", "average_precision"]
LOSSES = ["log_loss", "brier", "top_k_accuracy"]


def binary(seed: int = 0, n: int = 120, digits: int = 1) -> tuple[Array, Array]:
    """Two classes and rounded scores, some of which are equal."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.35).astype(int)
    return y, (rng.normal(size=n) + y).round(digits)


def several(seed: int = 0, n: int = 150, k: int = 3, digits: int = 2) -> tuple[Array, Array]:
    """Several classes of different sizes, and a score of each item for each class."""
    rng = np.random.default_rng(seed)
    y = rng.choice(k, n, p=np.arange(1, k + 1) / np.arange(1, k + 1).sum())
    scores = rng.normal(size=(n, k))
    scores[np.arange(n), y] += 1
    return y, scores.round(digits)


def probabilities(seed: int = 0, n: int = 150, k: int = 3) -> tuple[Array, Array]:
    """Several classes, and a probability of each item for each class."""
    y, scores = several(seed, n, k)
    p = np.exp(scores)
    return y, p / p.sum(1, keepdims=True)


def subjects() -> Iterator[tuple[str, dict[str, Any], tuple[Array, Array]]]:
    """Every smooth metric of scores, its options, and data for it."""
    yield from ((name, {}, binary()) for name in SINGLE)
    yield from ((name, options, several()) for name, options in MEANS)
    yield from ((name, {}, probabilities()) for name in LOSSES)


def items_of(
    name: str,
    options: dict[str, Any],
    y: Any,
    scores: Any,
    weights: Any = None,
    cluster: Any = None,
) -> tuple[Any, Sample]:
    """Items as a metric of scores reads them, and what is resampled of them."""
    data = {"weights": weights, "cluster": cluster}
    (items,), sample = read_items(with_options(name, dict(options)), y, [scores], **data)
    return items, sample


def systems_of(kind: str, seed: int = 0, n: int = 90) -> tuple[Any, Named]:
    """True classes or sets, and what two systems predict, for a kind of metric."""
    rng = np.random.default_rng(seed)
    if kind in ("rate", "agreement"):
        y = rng.integers(0, 3, n)
        return y, {x: np.where(rng.random(n) < 0.7, y, rng.integers(0, 3, n)) for x in "ab"}
    if kind == "items":
        true = rng.random((n, 4)) < 0.4
        return true, {x: true ^ (rng.random((n, 4)) < 0.2) for x in "ab"}
    if kind == "label ranking":
        true = rng.random((n, 4)) < 0.4
        return true, {x: rng.normal(size=(n, 4)) + true for x in "ab"}
    if kind == "value":
        return None, {x: rng.random(n) for x in "ab"}
    y = rng.integers(0, 2, n)
    return y, {x: 1 / (1 + np.exp(1 - 2 * y - 3 * rng.normal(size=n))) for x in "ab"}
