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
    """Group items by score, into a table from which ranking metrics and curves are computed.

    Parameters
    ----------
    y_true : array, dataframe or path
        The true class of each item, or a dataframe or the path of a file.
    scores : array, optional
        A number for each item, larger for the positive class; or a column for each class, of
        which that of the positive class is used.
    positive : label, optional
        The positive class. By default, 1 or True.
    labels, weights : optional
        The classes and their order, and the weight of each item, as for :func:`count`.
    true, score : str, optional
        The columns of a dataframe or file.
    **reading
        How files are read, as for :func:`count`.

    Returns
    -------
    Ranking
        How many positives and negatives have each score. Rankings can be added.

    Raises
    ------
    InputError
        If scores are not finite numbers, lengths differ, or a file cannot be read.

    Examples
    --------
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
    """Group the items of a dataframe or files by score, for each value of one or more columns.

    Parameters
    ----------
    data, predictions : dataframe or path
        The data, as for :func:`rank`; ``predictions`` is an optional second file.
    by : str or sequence of str
        The columns that define the slices.
    positive, labels, weights, true, score, **reading
        As for :func:`rank`.

    Returns
    -------
    Slices
        A mapping from the values of the columns to Rankings.

    Raises
    ------
    InputError
        If the data have no columns, or cannot be read.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"true": [0, 1, 1], "score": [0.2, 0.9, 0.4], "lang": list("aab")})
    >>> rank_by(frame, by="lang")["a"].n
    2
    """
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
    """Like :func:`rank`, with the scores rounded into equal bins.

    The table has at most ``bins`` rows, however long the stream is. The ROC AUC computed from it
    states a bound on its error.

    Parameters
    ----------
    y_true, scores : array
        The true class and the score of each item.
    bins : int, default 1000
        The number of bins.
    low, high : float, default 0 and 1
        The range of the scores.
    positive, labels : optional
        As for :func:`rank`.

    Returns
    -------
    Ranking
        How many positives and negatives fall into each bin.

    Raises
    ------
    InputError
        If scores are out of range, or lengths differ.

    Examples
    --------
    >>> rank_histogram([0, 1, 1, 0], [0.11, 0.42, 0.43, 0.8], bins=10)
    <Ranking: 2 positives (class 1) and 2 negatives with 3 distinct scores>
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
