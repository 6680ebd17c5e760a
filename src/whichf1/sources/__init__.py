"""Anything → Counts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import Any, TypedDict, Unpack

from numpy import ndarray

from whichf1.counts import Counts
from whichf1.errors import InputError
from whichf1.multilabel import MultiLabelCounts
from whichf1.slices import Slices
from whichf1.sources.arrays import count_arrays


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

    Give two columns of labels (lists, NumPy, pandas, polars, Arrow, torch, jax); or a dataframe
    (pandas, polars, pyarrow, DuckDB, Ibis, Dask, PySpark) or the path of a file or pattern of
    files (CSV, TSV, JSON lines, Parquet, Arrow, npz) with the names of its columns; or two
    paths, of gold labels and of predictions. The usual names (true/pred, y_true/y_pred,
    gold/pred, label/prediction) are found by themselves. ``labels`` declares the classes and
    their order; ``weights`` gives each item a weight and ``cluster`` the cluster that it comes
    from, which intervals take account of (for a frame or file: the names of
    columns).

    >>> count(["a", "b", "b"], ["a", "b", "a"]).matrix
    array([[1, 0],
           [1, 1]])
    """
    if pred is not None and not isinstance(pred, str):
        raise InputError("count has one prediction column; count_each takes several")
    if type(y_true) is not ndarray and _has_columns(y_true):
        if cluster is not None:
            return _clustered(y_true, y_pred, true, pred, labels, weights, cluster, reading)
        options = {"labels": labels, "weights": weights, "true": true, "pred": pred, **reading}
        (slices,) = _count_columns(y_true, y_pred, **options).values()
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
        return count_together(y_true, systems, **own).counts(0)
    return count_arrays(y_true, y_pred, labels=labels, weights=weights)


def _clustered(
    path: Any, other: Any, true: Any, pred: Any, labels: Any, weights: Any, cluster: Any, more: Any
) -> Counts:
    from whichf1.sources.together import count_file_together

    if not isinstance(path, (str, os.PathLike)) or other is not None:
        raise InputError("cluster= is a column of one CSV file, or an array beside two others")
    own = {"labels": labels, "weights": weights, "cluster": cluster}
    return count_file_together(path, true=true, preds=[pred], **own).counts(0)


def count_by(
    data: Any,
    predictions: Any = None,
    *,
    by: str | Sequence[str],
    labels: Any = None,
    weights: str | None = None,
    true: str | None = None,
    pred: str | None = None,
    **reading: Unpack[Reading],
) -> Slices:
    """Count a dataframe or files like :func:`count`, for each value of the columns ``by``."""
    _refuse_arrays(data)
    options = {"labels": labels, "weights": weights, "true": true, "pred": pred, **reading}
    (slices,) = _count_columns(data, predictions, by=by, **options).values()
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
    """Count several prediction columns of a dataframe or files in one pass."""
    _refuse_arrays(data)
    options = {"labels": labels, "weights": weights, "true": true, "pred": pred, **reading}
    found = _count_columns(data, predictions, **options)
    return {name: slices.whole for name, slices in found.items()}


def _has_columns(data: Any) -> bool:
    if isinstance(data, (str, os.PathLike)):
        return True
    from whichf1.sources.frames import is_frame

    return is_frame(data)


def _refuse_arrays(data: Any) -> None:
    if not _has_columns(data):
        raise InputError(f"give a dataframe or a path, whose columns have names; got {type(data)}")


def _count_columns(
    data: Any,
    predictions: Any,
    *,
    true: str | None,
    pred: str | Sequence[str] | None,
    weights: Any,
    labels: Any,
    by: str | Sequence[str] = (),
    id: str | None = None,
    engine: str | None = None,
    master: str | None = None,
    **reading: Any,
) -> dict[str, Slices]:
    from whichf1.sources.cells import find_columns, tally

    if weights is not None and not isinstance(weights, str):
        raise InputError("weights= names a column of the frame or file")
    by = (by,) if isinstance(by, str) else tuple(by)
    find = partial(find_columns, true=true, pred=pred, weights=weights, by=by)
    if not isinstance(data, (str, os.PathLike)):
        from whichf1.sources.frames import count_frame

        if predictions is not None or reading or id or engine or master:
            raise InputError("a frame is counted by itself: name its columns with true= and pred=")
        return count_frame(data, find, labels)
    from whichf1.sources.files import Options, group_files

    options = Options(**reading)
    if engine is not None or master is not None:
        from whichf1.sources.spark import count_on_spark

        if predictions is not None or engine not in (None, "spark"):
            raise InputError("engine= is 'spark', for one path: join the files there first")
        return count_on_spark(data, find, labels, options, master)
    if predictions is not None:
        from whichf1.sources.aligned import count_aligned

        return count_aligned(
            data, predictions, true=true, pred=pred, weights=weights, by=by, id=id,
            labels=labels, options=options,
        )  # fmt: skip
    if id is not None:
        raise InputError("id= joins a file of gold labels with a file of predictions: give both")
    return tally(*group_files(data, find, options), labels)


def as_counts(
    y_true: Any,
    y_pred: Any = None,
    *,
    labels: Any = None,
    weights: Any = None,
    cluster: Any = None,
) -> Counts:
    """Counts as they are, or counted from y_true and y_pred."""
    if not isinstance(y_true, (Counts, MultiLabelCounts)):
        return count(y_true, y_pred, labels=labels, weights=weights, cluster=cluster)
    if y_pred is not None or weights is not None or cluster is not None:
        raise InputError("Counts hold predictions, weights and clusters: give Counts alone")
    counts: Any = y_true if labels is None else y_true.declare(labels)
    return counts  # type: ignore[no-any-return]  # sets of labels go the same way
