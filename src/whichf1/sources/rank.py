"""True classes and scores, in memory or in columns → Ranking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from whichf1 import kernel
from whichf1.errors import InputError
from whichf1.sources.count import Reading
from whichf1.sources.request import Request, has_columns
from whichf1.sources.scores import ScoredLines, classes_of
from whichf1.sources.sequences import column
from whichf1.tables.labels import Label
from whichf1.tables.ranking import Ranking
from whichf1.tables.slices import Slices


def rank(
    y_true: Any,
    scores: Any = None,
    *,
    positive: Any = None,
    labels: Any = None,
    weights: Any = None,
    true: str | None = None,
    score: Any = None,
    **reading: Unpack[Reading],
) -> Ranking:
    """Group items by score: a mergeable table from which rankings and curves are computed.

    ``scores`` has a number for each item, larger for the ``positive`` class (1 or True unless
    said); or a column for each class, of which the positive one's is taken. A dataframe or file
    with ``true=`` and ``score=``, the names of its columns, works in place of both.

    >>> rank([0, 1, 1, 0], [0.1, 0.4, 0.4, 0.4])
    <Ranking: 2 positives (class 1) and 2 negatives with 2 distinct scores>
    """
    if has_columns(y_true):
        from whichf1.sources.answers.scores import read_scores

        columns = {"true": true, "score": score, "labels": labels, "weights": weights}
        request = Request.of_scores(**columns, **reading)
        return rank_lines(read_scores(y_true, scores, request), positive)
    if true is not None or score is not None or reading:
        raise InputError("true= and score= name the columns of a frame or file; arrays have none")
    return rank_lines(ScoredLines.of(y_true, scores, labels, weights), positive)


def rank_by(
    data: Any,
    predictions: Any = None,
    *,
    by: str | Sequence[str],
    positive: Any = None,
    labels: Any = None,
    weights: str | None = None,
    true: str | None = None,
    score: str | None = None,
    **reading: Unpack[Reading],
) -> Slices:
    """Group the items of a dataframe or files by score, for each value of the columns ``by``."""
    from whichf1.sources.answers.scores import read_scores

    columns = {"true": true, "score": score, "labels": labels, "weights": weights, "by": by}
    request = Request.of_scores(**columns, **reading)
    lines = read_scores(data, predictions, request)
    lines = lines._replace(labels=[*classes_of(column(lines.true, "y_true"), lines.labels)])
    rankings: dict[Any, Any] = {
        key: rank_lines(lines.of_slice(at), positive) for at, key in enumerate(lines.keys)
    }
    return Slices(request.by, rankings)


def rank_lines(lines: ScoredLines, positive: Any) -> Ranking:
    """Group lines by score: the positive class against the rest."""
    return ranking_of(*lines.against_rest(positive))


def ranking_of(lines: ScoredLines, positive: Label) -> Ranking:
    """Group by score lines that are known to be positive or not."""
    lines = lines.summed()
    if lines.items is None or lines.weights is not None:
        ranks = kernel.rank_table(lines.scores, lines.true, lines.weights)
        return Ranking(*ranks, lines.labels, positive)
    scores, *sides = kernel.rank_table(lines.scores, lines.true, lines.items.astype(np.float64))
    positives, negatives = (side.astype(np.int64) for side in sides)  # exact below 2⁵³
    return Ranking(scores, positives, negatives, lines.labels, positive)


def rank_histogram(
    y_true: Any,
    scores: Any,
    *,
    bins: int = 1000,
    low: float = 0.0,
    high: float = 1.0,
    positive: Any = None,
    labels: Any = None,
) -> Ranking:
    """Like :func:`rank` with scores rounded into ``bins`` equal steps of [low, high].

    The table has at most ``bins`` lines however long the stream is; the ROC AUC of it carries the
    bound of its error.
    """
    if isinstance(bins, bool) or not isinstance(bins, int) or bins < 1:
        raise InputError(f"bins must be a whole number of at least 1; got {bins!r}")
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise InputError(f"bins lie between low and high, low below high; got {low!r}, {high!r}")
    lines, own = ScoredLines.of(y_true, scores, labels).against_rest(positive)
    values = lines.scores
    outside = (values < low) | (values > high)
    if outside.any():
        at = int(np.argmax(outside))
        raise InputError(
            f"scores[{at}] is {values[at]}, outside [{low:g}, {high:g}]. Widen low= and high=, "
            "the same for all parts."
        )
    step = (high - low) / bins
    middle = np.minimum(np.floor((values - low) / step), bins - 1) * step + (low + step / 2)
    ranks = kernel.rank_table(middle, lines.true)
    return Ranking(*ranks, lines.labels, own, f"{bins} bins on [{low:g},{high:g}]")
