"""Anything → Counts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, TypedDict, Unpack

from numpy import ndarray

from whichf1.errors import InputError
from whichf1.sources.arrays import count_arrays
from whichf1.sources.engines.frame_kinds import is_frame
from whichf1.sources.request import Wanted, one_name, one_or_several
from whichf1.tables.counts import Counts
from whichf1.tables.label_sets import MultiLabelCounts
from whichf1.tables.slices import Slices


class Reading(TypedDict, total=False):
    """How files are read."""

    id: str | None
    """The column that joins a file of gold labels with a file of predictions."""
    format: str | None
    """csv, tsv, jsonl, parquet, arrow or npz, where the name does not tell."""
    memory_limit: str | int
    """What counting may use before it goes to a temporary folder: 1GB unless said."""
    on_error: str
    """'raise', or 'skip': leave out what is malformed, with a SkippedWarning."""
    progress: Any
    """A function that is told how much is done, from 0 to 1."""
    engine: str | None
    """'spark' reads the files on a cluster; otherwise they are read here."""
    master: str | None
    """Where the cluster is, as spark://host:7077."""


COLUMN_OPTIONS = ("true", "pred", "score", *Reading.__annotations__)
"""Options that name the columns of a dataframe or file, and say how a file is read."""
DATA_OPTIONS = ("labels", "weights", "cluster", *COLUMN_OPTIONS)
"""Options that say how items are counted, not what the score is."""


def count(
    y_true: Any,
    y_pred: Any = None,
    *,
    labels: Any = None,
    weights: Any = None,
    cluster: Any = None,
    true: str | None = None,
    pred: str | None = None,
    **reading: Unpack[Reading],
) -> Counts:
    """Count how many items of each class were predicted as each class.

    Parameters
    ----------
    y_true : array, dataframe or path
        The true class of each item (a list, or a NumPy, pandas, polars, Arrow, torch or jax
        array). Or a dataframe (pandas, polars, pyarrow, DuckDB, Ibis, Dask, PySpark), or the path
        of a file or a pattern of files (CSV, TSV, JSON lines, Parquet, Arrow, npz).
    y_pred : array or path, optional
        The predicted class of each item, or a second file with the predictions.
    labels : sequence, optional
        The classes and their order. By default, those that occur, sorted.
    weights, cluster : array or str, optional
        The weight of each item, and the cluster that it comes from, which intervals take into
        account; for a dataframe or file, the names of columns.
    true, pred : str, optional
        The columns of a dataframe or file. Common names (true/pred, y_true/y_pred, gold/pred,
        label/prediction) are recognized.
    **reading
        How files are read: id, format, memory_limit, on_error, progress, engine and master.

    Returns
    -------
    Counts
        The confusion matrix, stored sparsely. Counts can be added, saved and scored.

    Raises
    ------
    InputError
        If labels are missing or malformed, lengths differ, or a file cannot be read.

    Examples
    --------
    >>> count(["a", "b", "b"], ["a", "b", "a"]).matrix
    array([[1, 0],
           [1, 1]])
    """
    if isinstance(true, int) or isinstance(pred, int):
        raise InputError(f"true= and pred= name columns by text; got {true!r} and {pred!r}")
    if pred is not None and not isinstance(pred, str):
        raise InputError("count has one prediction column; count_each takes several")
    if type(y_true) is not ndarray and has_columns(y_true):
        options = {"labels": labels, "weights": weights, "cluster": cluster}
        (slices,) = _count_columns(
            y_true, y_pred, true=true, pred=pred, **options, **reading
        ).values()
        return slices.whole
    if true is not None or pred is not None or reading:
        raise InputError(
            "true= and pred= name the columns of a file or frame, other options say how a file is "
            "read; two arrays have neither"
        )
    if y_pred is None:
        raise InputError(
            f"got {type(y_true).__name__} alone. Give y_true and y_pred, Counts, a dataframe, "
            "or a path."
        )
    if cluster is not None:
        from whichf1.sources.together import count_together

        systems = {"y_pred": y_pred}
        own = {"labels": labels, "weights": weights, "cluster": cluster}
        return count_together(y_true, systems, **own)
    return count_arrays(y_true, y_pred, labels=labels, weights=weights)


def count_by(
    data: Any,
    predictions: Any = None,
    *,
    by: str | Sequence[str],
    labels: Any = None,
    weights: str | None = None,
    cluster: str | None = None,
    true: str | None = None,
    pred: str | None = None,
    sep: str | None = None,
    **reading: Unpack[Reading],
) -> Slices:
    """Count a dataframe or files for each value of one or more columns.

    Parameters
    ----------
    data, predictions : dataframe or path
        The data, as for :func:`count`; ``predictions`` is an optional second file.
    by : str or sequence of str
        The columns that define the slices.
    labels, weights, cluster, true, pred, **reading
        As for :func:`count`.
    sep : str, optional
        The text between two labels, if items have sets of labels.

    Returns
    -------
    Slices
        A mapping from the values of the columns to Counts.

    Raises
    ------
    InputError
        If the data have no columns, or cannot be read.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"true": [0, 1, 1], "pred": [0, 1, 0], "lang": ["en", "en", "de"]})
    >>> {key: counts.n for key, counts in count_by(frame, by="lang").items()}
    {('de',): 1, ('en',): 2}
    """
    _refuse_arrays(data)
    if sep is not None:
        from whichf1.sources.answers.label_sets import slice_cells

        given = {"labels": labels, "weights": weights, "cluster": cluster, "sep": sep}
        columns = {"by": one_or_several(by, "by"), "true": true, "pred": pred}
        return slice_cells(data, predictions, **given, **columns, **reading)  # type: ignore[arg-type]
    own = {"labels": labels, "weights": weights, "cluster": cluster, "true": true, "pred": pred}
    (slices,) = _count_columns(data, predictions, by=by, **own, **reading).values()
    return slices


def count_each(
    data: Any,
    predictions: Any = None,
    *,
    pred: Sequence[str],
    labels: Any = None,
    weights: str | None = None,
    true: str | None = None,
    **reading: Unpack[Reading],
) -> dict[str, Counts]:
    """Count several columns of predictions in one pass.

    Parameters
    ----------
    data, predictions : dataframe or path
        The data, as for :func:`count`; ``predictions`` is an optional second file.
    pred : sequence of str
        The columns of predictions.
    labels, weights, true, **reading
        As for :func:`count`.

    Returns
    -------
    dict of str to Counts
        The counts of each column of predictions.

    Raises
    ------
    InputError
        If the data have no columns, or cannot be read.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"true": [0, 1, 1], "a": [0, 1, 1], "b": [0, 1, 0]})
    >>> count_each(frame, pred=["a", "b"])["b"].matrix
    array([[1, 0],
           [1, 1]])
    """
    _refuse_arrays(data)
    options = {"labels": labels, "weights": weights, "true": true, "pred": pred, **reading}
    found = _count_columns(data, predictions, **options)
    return {name: slices.whole for name, slices in found.items()}


def has_columns(data: Any) -> bool:
    """Whether something is a dataframe or a path, whose columns have names."""
    return is_path(data) or is_frame(data)


def is_path(data: Any) -> bool:
    """Whether something is the path of a file or a pattern of files."""
    return isinstance(data, (str, os.PathLike))


def _refuse_arrays(data: Any) -> None:
    if not has_columns(data):
        raise InputError(f"give a dataframe or a path, whose columns have names; got {type(data)}")


def _count_columns(
    data: Any,
    predictions: Any,
    *,
    true: str | None,
    pred: str | Sequence[str] | None,
    weights: Any,
    labels: Any,
    cluster: Any = None,
    by: str | Sequence[str] = (),
    **reading: Any,
) -> dict[str, Slices]:
    from whichf1.sources.answers.counts import tally
    from whichf1.sources.engines.gather import gather
    from whichf1.sources.questions.grouped import Grouped

    wanted = Wanted(
        one_name(true, "true"),
        one_or_several(pred, "pred"),
        one_name(weights, "weights"),
        (by,) if isinstance(by, str) else tuple(by),
        one_name(cluster, "cluster"),
    )
    if not is_path(data) and predictions is None and not reading:
        from whichf1.sources.engines.frames import quick_counts

        quick = quick_counts(data, wanted, labels)
        if quick is not None:
            return quick
    return tally(*gather(data, predictions, wanted, Grouped(), **reading), labels)


def as_counts(
    y_true: Any,
    y_pred: Any = None,
    labels: Any = None,
    weights: Any = None,
    cluster: Any = None,
    **named: Any,
) -> Counts:
    """Counts as they are, or counted from y_true and y_pred, or from columns that are named."""
    if not isinstance(y_true, (Counts, MultiLabelCounts)):
        own = {"labels": labels, "weights": weights, "cluster": cluster}
        return count(y_true, y_pred, **own, **named)
    if y_pred is not None or weights is not None or cluster is not None or named:
        raise InputError("Counts hold predictions, weights and clusters: give Counts alone")
    counts: Any = y_true if labels is None else y_true.declare(labels)
    return counts  # type: ignore[no-any-return]  # sets of labels go the same way
