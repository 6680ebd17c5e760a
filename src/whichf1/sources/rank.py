"""True classes and scores, in memory or in columns → Ranking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from whichf1 import kernel
from whichf1.errors import InputError
from whichf1.sources.answers.scores import Scored, read_scores
from whichf1.sources.count import Reading, has_columns
from whichf1.sources.scores import binary, classes_of, items_of
from whichf1.sources.sequences import column, weights_column
from whichf1.sources.sought import Sought
from whichf1.tables.cells import Array
from whichf1.tables.labels import Label, Labels
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
        own = {"true": true, "score": score, "labels": labels, "weights": weights}
        return rank_lines(read_scores(y_true, scores, Sought.of(**own, **reading)), positive)
    if true is not None or score is not None or reading:
        raise InputError("true= and score= name the columns of a frame or file; arrays have none")
    return _ranking(Scored(y_true, scores, None, weights, None, None, labels), positive)


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
    own = {"true": true, "score": score, "labels": labels, "weights": weights, "by": by}
    lines = read_scores(data, predictions, Sought.of(**own, **reading))
    names = [*classes_of(column(lines.true, "y_true"), lines.labels)]
    lines = lines._replace(labels=names)
    found: dict[Any, Any] = {
        key: rank_lines(lines.of_slice(at), positive) for at, key in enumerate(lines.keys)
    }
    return Slices(Sought.of(by=by).by, found)


def rank_lines(data: Scored, positive: Any) -> Ranking:
    """Group by score what was read from columns, and may be grouped in part."""
    if data.scores.shape[1] == 1:
        data = data._replace(scores=data.scores[:, 0])
    return _ranking(data, positive)


def _ranking(data: Scored, positive: Any) -> Ranking:
    items, values, names, own = binary(data.true, data.scores, positive, data.labels)
    weight = None if data.weights is None else weights_column(data.weights, len(values))
    return ranking_of(values, items_of(items, own), data.items, weight, names, own)


def ranking_of(
    scores: Array,
    positive: Array,
    items: Array | None,
    weights: Array | None,
    names: Labels,
    own: Label,
) -> Ranking:
    """Group lines by score: each stands for an item, for several, or for a sum of weights."""
    if items is None or weights is not None:
        return Ranking(*kernel.rank_table(scores, positive, weights), names, own)
    found, *sides = kernel.rank_table(scores, positive, items.astype(np.float64))
    positives, negatives = (side.astype(np.int64) for side in sides)  # exact below 2⁵³
    return Ranking(found, positives, negatives, names, own)


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
    items, values, names, own = binary(y_true, scores, positive, labels)
    outside = (values < low) | (values > high)
    if outside.any():
        at = int(np.argmax(outside))
        raise InputError(
            f"scores[{at}] is {values[at]}, outside [{low:g}, {high:g}]. Widen low= and high=, "
            "the same for all parts."
        )
    step = (high - low) / bins
    middle = np.minimum(np.floor((values - low) / step), bins - 1) * step + (low + step / 2)
    ranks = kernel.rank_table(middle, items_of(items, own))
    return Ranking(*ranks, names, own, f"{bins} bins on [{low:g},{high:g}]")
