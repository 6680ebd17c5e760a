"""The exact threshold that optimizes a score: one sort, then every distinct score is tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from whichf1.definitions.definition import Definition
from whichf1.errors import DefinitionError, InputError
from whichf1.scoring.decisions import at_threshold
from whichf1.scoring.evaluate import evaluate, refuse_other_data
from whichf1.scoring.functions import with_options
from whichf1.scoring.score import Score
from whichf1.sources.counts import COLUMN_OPTIONS, rank
from whichf1.tables.cells import Array, Table
from whichf1.tables.ranking import Ranking

_CHUNK = 1 << 17


@dataclass(frozen=True, eq=False)
class ThresholdCurve:
    """A score at every threshold, from the highest (no positives) to the lowest (all positive)."""

    threshold: Array
    """The first is infinite: no item is positive there."""
    value: Array
    """NaN if the score is undefined."""
    definition: Definition
    """The definition of the score."""
    ranking: Ranking

    @property
    def x(self) -> Array:
        """The thresholds, for a plot."""
        return self.threshold

    @property
    def y(self) -> Array:
        """The values, for a plot."""
        return self.value

    def __len__(self) -> int:
        return len(self.value)


@dataclass(frozen=True, eq=False)
class BestThreshold:
    """The threshold at which a score is best; made by ``whichf1.best_threshold``.

    >>> import whichf1 as wf
    >>> best = wf.best_threshold([0, 0, 1, 1], [0.1, 0.6, 0.5, 0.9], "accuracy")
    >>> best.threshold, best.value
    (0.9, 0.75)
    """

    threshold: float
    """Scores of at least this are positive; among equally good thresholds, the highest."""
    score: Score
    """The score there; its signature includes the decision."""
    curve: ThresholdCurve
    """The score at every threshold."""
    at: int
    """The index of the threshold in the curve."""

    @property
    def value(self) -> float:
        """The best value."""
        return self.score.value

    @property
    def calibrated(self) -> float | None:
        """The best threshold for F1 if the scores are calibrated; None for other metrics.

        With calibrated probabilities, F1 is highest if exactly the items with p ≥ F*/2 are
        positive, where F* is the best F1 (Lipton, Elkan and Narayanaswamy 2014).
        """
        one = self.score.definition.positive == self.curve.ranking.positive
        wanted = self.score.definition.metric == "f1" and one and self.curve.ranking.probabilities
        return self.value / 2 if wanted else None

    def __repr__(self) -> str:
        return f"<BestThreshold {self.threshold!r}: {self.score}>"


def threshold_curve(
    y_true: Any,
    scores: Any = None,
    metric: str | Callable[..., Score] = "f1",
    *,
    positive: Any = None,
    labels: Any = None,
    weights: Any = None,
    **options: Any,
) -> ThresholdCurve:
    """Compute a score of the predictions at every threshold.

    y_true (array, Ranking, dataframe or path): The true class of each item, or all of the data.
    **options: The options of the metric, and the columns ``true`` and ``score`` of a dataframe or
        file.
    Returns: The thresholds and the score at each of them.
    DefinitionError: If the metric is unknown or not computed from counts.

    >>> threshold_curve([0, 0, 1, 1], [0.1, 0.6, 0.5, 0.9], "f1").y.round(2).tolist()
    [0.0, 0.67, 0.5, 0.8, 0.67]
    """
    if isinstance(y_true, Ranking):
        if scores is not None:
            raise InputError("a Ranking already holds its scores: pass the metric as metric=")
        ranking = y_true
    else:
        named = {key: options.pop(key) for key in COLUMN_OPTIONS if key in options}
        data = {"positive": positive, "labels": labels, "weights": weights}
        ranking = rank(y_true, scores, **data, **named)
    ranking.needs_both("a threshold")
    definition = _of_positive(with_options(metric, options), ranking)
    threshold = np.concatenate([[np.inf], ranking.score])
    return ThresholdCurve(threshold, _values(definition, ranking), definition, ranking)


def _of_positive(definition: Definition, ranking: Ranking) -> Definition:
    rate = definition.declaration.kind == "rate"
    if rate and definition.average is None and definition.positive is None:
        return replace(definition, positive=ranking.positive)
    return definition


def _values(definition: Definition, ranking: Ranking) -> Array:
    all_positive = at_threshold(ranking, threshold=-np.inf)
    refuse_other_data(definition, all_positive)
    if definition.ignore:
        raise DefinitionError("ignore= does not apply to thresholds: drop those items first")
    frozen = definition.freeze(all_positive)
    positive = all_positive.labels.code(ranking.positive)
    if definition.positive is not None:
        one = np.array([all_positive.labels.code(definition.positive)])
        frozen = frozen._replace(classes=one)
    (p, n), codes = ranking.table.sizes, np.array([positive, 1 - positive])
    tp, fp = (
        np.concatenate([[0], x])  # no item is positive at first
        for x in (ranking.table.true_positives, ranking.table.false_positives)
    )
    parts = []
    for start in range(0, len(tp), _CHUNK):  # a table of two classes for each threshold
        at = slice(start, start + _CHUNK)
        count = np.stack([tp[at], p - tp[at], fp[at], n - fp[at]], -1).astype(np.float64)
        table = Table(codes.repeat(2), np.tile(codes, 2), count, 2)
        parts.append(definition.values(frozen, table).reshape(len(count)))
    return np.concatenate(parts)


def best_threshold(
    y_true: Any, scores: Any = None, metric: str | Callable[..., Score] = "f1", **options: Any
) -> BestThreshold:
    """Find the threshold at which a score of the predictions is best.

    y_true (array, Ranking, dataframe or path): The true class of each item, or all of the data.
    **options: ``positive``, ``labels`` and ``weights`` as for :func:`rank`, the options of the
        metric, and the columns ``true`` and ``score`` of a dataframe or file.
    Returns: The threshold, the score there, and the whole curve.
    DefinitionError: If the metric is unknown or not computed from counts.

    >>> best = best_threshold([0, 0, 1, 1], [0.1, 0.6, 0.5, 0.9], "f1")
    >>> best.threshold, best.value
    (0.5, 0.8)
    """
    curve = threshold_curve(y_true, scores, metric, **options)
    better = curve.definition.declaration.better
    if better == "neither":
        raise DefinitionError(
            f"{curve.definition.metric} has no best value: neither higher nor lower is better"
        )
    value = curve.value if better == "higher" else -curve.value
    if np.isnan(value).all():
        raise DefinitionError(f"{curve.definition.signature} is undefined at every threshold")
    at = int(np.nanargmax(value))
    threshold = float(curve.threshold[at])
    score = evaluate(curve.definition, at_threshold(curve.ranking, threshold=threshold))
    return BestThreshold(threshold, score, curve, at)
