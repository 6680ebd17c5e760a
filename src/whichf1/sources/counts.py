"""Anything → Counts, or a Ranking."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypedDict, Unpack

import numpy as np

from whichf1 import kernel
from whichf1.errors import InputError, is_number
from whichf1.sources.arrays import count_arrays, count_together, rank_arrays, scored_arrays
from whichf1.sources.lines import ScoredLines, classes_of, rank_lines
from whichf1.sources.request import Request, has_columns, is_frame, refuse_holder
from whichf1.sources.sequences import column
from whichf1.tables.cells import Array
from whichf1.tables.counts import Counts
from whichf1.tables.labels import Labels
from whichf1.tables.ranking import Ranking
from whichf1.tables.slices import Slices
from whichf1.tables.units import Units


class Reading(TypedDict, total=False):
    """How files are read."""

    id: str | None
    """The column that joins a file of gold labels with a file of predictions."""
    format: str | None
    """csv, tsv, jsonl, parquet, arrow or npz, if the name does not show it."""
    memory_limit: str | int
    """Memory that counting may use before it spills to a temporary folder; default: 1GB."""
    on_error: str
    """'raise', or 'skip': skip malformed lines and items with a SkippedWarning."""
    progress: Any
    """A function called with the progress, from 0 to 1."""
    engine: str | None
    """'spark' reads the files on a cluster; otherwise they are read here."""
    master: str | None
    """The address of the cluster, such as spark://host:7077."""
    hive: bool
    """Whether folders such as lang=en/ add a column."""
    storage_options: Mapping[str, Any] | None
    """Options for fsspec to read addresses such as s3://, besides the environment."""
    query: Any
    """A query that selects the rows of a database."""
    table: str | None
    """The name of a table of a database, as t or schema.t."""


COLUMN_OPTIONS = ("true", "pred", "score", "sep", *Reading.__annotations__)
"""Options that name the columns of a dataframe or file, or describe how a file is read."""
DATA_OPTIONS = ("labels", "weights", "frequencies", "cluster", *COLUMN_OPTIONS)
"""Options that describe how items are counted, not what the score is."""


_NOTHING: tuple[Any, ...] = ()


def count(
    y_true: Any,
    y_pred: Any = None,
    *,
    labels: Any = None,
    weights: Any = None,
    frequencies: Any = None,
    cluster: Any = None,
    ignore: Sequence[Any] | None = _NOTHING,
    true: str | None = None,
    pred: str | None = None,
    **reading: Unpack[Reading],
) -> Counts:
    """Count how many items of each class were predicted as each class.

    ignore: True classes whose items are dropped, such as [-100] for padding. They need not be among
        the declared labels. A predicted class is never dropped.
    Returns: The confusion matrix, stored sparsely. Counts can be added, saved and scored.
    InputError: If labels are missing or malformed, lengths differ, or a file cannot be read.

    >>> count(["a", "b", "b"], ["a", "b", "a"]).matrix
    array([[1, 0],
           [1, 1]])
    """
    if ignore is not None and ignore is not _NOTHING and (ignored := Labels(ignore)):
        named = {"true": true, "pred": pred, "frequencies": frequencies, **reading}
        said: dict[str, Any] = {key: value for key, value in named.items() if value is not None}
        data = {"labels": labels, "weights": weights, "cluster": cluster}
        return count_kept(partial(count, y_true, y_pred, **said), data, ignored)
    if isinstance(true, int) or isinstance(pred, int):
        raise InputError(f"true= and pred= name columns by text; got {true!r} and {pred!r}")
    if pred is not None and not isinstance(pred, str):
        raise InputError("count takes one prediction column; use count_each for several")
    if type(y_true) is not np.ndarray and has_columns(y_true):
        options = {"labels": labels, "weights": weights, "cluster": cluster, **reading}
        options["frequencies"] = frequencies
        (slices,) = _count_columns(y_true, y_pred, true=true, pred=pred, **options).values()
        return slices.whole
    if true is not None or pred is not None or reading:
        raise InputError(
            "true= and pred= name the columns of a file or frame, and other options describe how "
            "a file is read; they do not apply to two arrays"
        )
    if y_pred is None:
        refuse_holder(y_true)
        raise InputError(
            f"got {type(y_true).__name__} alone. Pass y_true and y_pred, Counts, a dataframe, "
            "or a path; for several raters, pass ratings(data)."
        )
    if cluster is not None or frequencies is not None:
        options = {"labels": labels, "weights": weights, "cluster": cluster}
        return count_together(y_true, {"y_pred": y_pred}, frequencies=frequencies, **options)
    return count_arrays(y_true, y_pred, labels=labels, weights=weights)


def count_kept(counted: Callable[..., Counts], data: dict[str, Any], ignore: Any) -> Counts:
    """What ``counted`` returns for the data without the items of ignored true classes."""
    names = None if data["labels"] is None else Labels(data["labels"])
    if names is not None:
        data = {**data, "labels": [*names, *(x for x in ignore if x not in names)]}
    return counted(**data).without(ignore, names)


def count_by(
    data: Any,
    predictions: Any = None,
    *,
    by: str | Sequence[str],
    labels: Any = None,
    weights: str | None = None,
    frequencies: str | None = None,
    cluster: str | None = None,
    true: str | Sequence[str] | None = None,
    pred: str | Sequence[str] | None = None,
    sep: str | None = None,
    **reading: Unpack[Reading],
) -> Slices:
    """Count a dataframe or files for each value of one or more columns.

    true, pred (str or list of str): The columns of true and predicted classes; for sets of labels,
        two columns whose cells list labels, with ``sep``, or two lists of columns of 0 and 1.
    Returns: A mapping from the values of the columns to Counts.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"true": [0, 1, 1], "pred": [0, 1, 0], "lang": ["en", "en", "de"]})
    >>> {key: counts.n for key, counts in count_by(frame, by="lang").items()}
    {('de',): 1, ('en',): 2}
    """
    _refuse_arrays(data)
    options: dict[str, Any] = {"labels": labels, "weights": weights, "cluster": cluster, "by": by}
    options |= {"frequencies": frequencies, "true": true, "pred": pred, **reading}
    if _are_set_columns(true, sep):
        from whichf1.sources.answers.label_sets import slice_cells

        return slice_cells(data, predictions, sep=sep, **options)
    (slices,) = _count_columns(data, predictions, **options).values()
    return slices


def count_each(
    data: Any,
    predictions: Any = None,
    *,
    pred: Sequence[str],
    labels: Any = None,
    weights: str | None = None,
    frequencies: str | None = None,
    true: str | None = None,
    **reading: Unpack[Reading],
) -> dict[str, Counts]:
    """Count several columns of predictions in one pass.

    pred: The columns of predictions.
    Returns: The counts of each column of predictions.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"true": [0, 1, 1], "a": [0, 1, 1], "b": [0, 1, 0]})
    >>> count_each(frame, pred=["a", "b"])["b"].matrix
    array([[1, 0],
           [1, 1]])
    """
    _refuse_arrays(data)
    options = {"labels": labels, "weights": weights, "frequencies": frequencies, **reading}
    options |= {"true": true, "pred": pred}
    counted = _count_columns(data, predictions, **options)
    return {name: slices.whole for name, slices in counted.items()}


def _refuse_arrays(data: Any) -> None:
    if not has_columns(data):
        raise InputError(f"pass a dataframe or a path, whose columns have names; got {type(data)}")


def _count_columns(data: Any, predictions: Any, **options: Any) -> dict[str, Slices]:
    from whichf1.sources.answers.rows import tally
    from whichf1.sources.questions.grouped import Grouped

    request = Request.of(**options)
    if predictions is None and not request.reading and is_frame(data):
        from whichf1.sources.engines.frames import quick_counts

        quick = quick_counts(data, request)
        if quick is not None:
            return quick
    return tally(*Grouped().gather(data, predictions, request))


def _are_set_columns(true: Any, sep: Any) -> bool:
    """Whether columns have sets of labels: cells that list them, or 0 and 1 for each."""
    return sep is not None or isinstance(true, (list, tuple))


def as_counts(
    y_true: Any,
    y_pred: Any = None,
    labels: Any = None,
    weights: Any = None,
    cluster: Any = None,
    ignore: Sequence[Any] = (),
    **named: Any,
) -> Counts:
    """Counts as they are, or counted from y_true and y_pred, or from columns that are named."""
    if not isinstance(y_true, Units):
        options = {"labels": labels, "weights": weights, "cluster": cluster}
        if named and _are_set_columns(named.get("true"), named.get("sep")):
            if not has_columns(y_true):
                raise InputError(
                    "true= and sep= are for columns of a dataframe or file, but these are arrays"
                )
            from whichf1.sources.answers.label_sets import count_cells

            sets: Any = count_cells(y_true, y_pred, **options, **named)
            return sets  # type: ignore[no-any-return]
        kept = None if labels is None else ignore  # otherwise a definition drops the items
        return count(y_true, y_pred, **options, ignore=kept, **named)
    if y_pred is not None or weights is not None or cluster is not None or named:
        raise InputError("Counts already hold predictions, weights and clusters: pass Counts alone")
    counts: Any = y_true if labels is None else y_true.declare(labels)
    return counts  # type: ignore[no-any-return]  # sets of labels take the same path


def rank(
    y_true: Any,
    scores: Any = None,
    *,
    positive: Any = None,
    labels: Any = None,
    weights: Any = None,
    frequencies: Any = None,
    true: str | None = None,
    score: Any = None,
    **reading: Unpack[Reading],
) -> Ranking:
    """Group items by score, into a table from which ranking metrics and curves are computed.

    scores: A number for each item, where higher means more likely positive; or a column for each
        class, of which only that of the positive class is used.
    Returns: The number of positives and negatives with each score. Rankings can be added.
    InputError: If scores are not finite numbers, lengths differ, or a file cannot be read.

    >>> rank([0, 1, 1, 0], [0.1, 0.4, 0.4, 0.4])
    <Ranking: 2 positives (class 1) and 2 negatives with 2 distinct scores>
    """
    if reading:
        _refuse_clusters(reading)
    declared = labels is not None
    plain = positive is labels is weights is frequencies is true is score is None and not reading
    known = scored_arrays(y_true, scores) if plain and type(y_true) is np.ndarray else None
    ranked = None if known is None else rank_arrays(y_true, scores)
    if known is not None and ranked is not None:
        return Ranking.of(ranked, known)
    if has_columns(y_true):
        from whichf1.sources.answers.lines import read_scores

        columns = {"true": true, "score": score, "labels": labels, "weights": weights}
        request = Request.of_scores(**columns, frequencies=frequencies, **reading)
        return rank_lines(read_scores(y_true, scores, request), positive, declared=declared)
    if true is not None or score is not None or reading:
        raise InputError(
            "true= and score= name the columns of a frame or file, but these are arrays"
        )
    lines = ScoredLines.of(y_true, scores, labels, weights, frequencies=frequencies)
    return rank_lines(lines, positive, declared=declared)


def _refuse_clusters(reading: Mapping[str, Any]) -> None:
    if reading.get("cluster") is not None:
        raise InputError(
            "a ranking does not keep which cluster an item is in: omit cluster=, or pass the items "
            "and cluster= to a score, such as roc_auc(..., cluster=...)"
        )


def rank_by(
    data: Any,
    predictions: Any = None,
    *,
    by: str | Sequence[str],
    positive: Any = None,
    labels: Any = None,
    weights: str | None = None,
    frequencies: str | None = None,
    true: str | None = None,
    score: str | None = None,
    **reading: Unpack[Reading],
) -> Slices:
    """Group the items of a dataframe or files by score, for each value of one or more columns.

    Returns: A mapping from the values of the columns to Rankings.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"true": [0, 1, 1], "score": [0.2, 0.9, 0.4], "lang": list("aab")})
    >>> rank_by(frame, by="lang")["a"].n
    2
    """
    from whichf1.sources.answers.lines import read_scores

    _refuse_clusters(reading)
    columns = {"true": true, "score": score, "labels": labels, "weights": weights, "by": by}
    request = Request.of_scores(**columns, frequencies=frequencies, **reading)
    lines = read_scores(data, predictions, request)
    lines = lines._replace(labels=[*classes_of(column(lines.true, "y_true"), lines.labels)])
    rankings: dict[Any, Any] = {
        key: rank_lines(lines.of_slice(at), positive, declared=labels is not None)
        for at, key in enumerate(lines.keys)
    }
    return Slices(request.by, rankings)


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

    y_true, scores (array): The true class and the score of each item.
    low, high: The range of the scores.
    Returns: The number of positives and negatives in each bin.
    InputError: If scores are out of range, or lengths differ.

    >>> rank_histogram([0, 1, 1, 0], [0.11, 0.42, 0.43, 0.8], bins=10)
    <Ranking: 2 positives (class 1) and 2 negatives with 3 distinct scores>
    """
    check_bins(bins, low, high)
    low, high = float(low), float(high)
    lines, label = ScoredLines.of(y_true, scores, labels).against_rest(positive)
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
    resolution = _resolution(bins, low, high)
    return Ranking(*ranks, lines.labels, label, resolution, declared=labels is not None)


MOST_BINS = 10**9
"""The largest number of bins; floats between 0 and 1 hardly distinguish more scores."""


def check_bins(bins: Any, low: Any, high: Any) -> None:
    """Raise unless these are equal bins between two numbers."""
    if isinstance(bins, bool) or not isinstance(bins, int) or not 1 <= bins <= MOST_BINS:
        raise InputError(
            f"bins must be a whole number of at least 1 and at most {MOST_BINS:,}; got {bins!r}"
        )
    if not (is_number(low) and is_number(high)) or not (
        -np.inf < low < high < np.inf and np.isfinite(float(high) - float(low))
    ):
        raise InputError(f"low must be below high; got {low!r}, {high!r}")


def binned_ranking(
    positives: Array, negatives: Array, low: float, high: float, *, labels: Labels, positive: Any
) -> Ranking:
    """What ``rank_histogram`` returns, from the items of each bin, lowest first."""
    bins = len(positives)
    step = (high - low) / bins
    filled = np.flatnonzero(positives + negatives)[::-1]
    columns = (filled * step + (low + step / 2), positives[filled], negatives[filled])
    return Ranking(*columns, labels, positive, _resolution(bins, low, high), declared=True)


def _resolution(bins: int, low: float, high: float) -> str:
    limits = ",".join(repr(float(x)).removesuffix(".0") for x in (low, high))
    return f"{bins} bins on [{limits}]"
