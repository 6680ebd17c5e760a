"""Anything → Counts."""

from __future__ import annotations

import os
from typing import Any

from whichf1.counts import Counts
from whichf1.errors import InputError
from whichf1.multilabel import MultiLabelCounts


def count(
    y_true: Any,
    y_pred: Any = None,
    *,
    labels: Any = None,
    weights: Any = None,
    true: str | None = None,
    pred: str | None = None,
) -> Counts:
    """Count how many items of each class were predicted as each class.

    Give two columns of labels (lists, NumPy, pandas, polars, Arrow, torch, jax), or the path of
    a CSV file with the names of its columns; the usual names (true/pred, y_true/y_pred,
    gold/pred, label/prediction) are found by themselves. ``labels`` declares the classes and
    their order; ``weights`` gives each item a weight (for a file: the name of a column).

    >>> count(["a", "b", "b"], ["a", "b", "a"]).matrix
    array([[1, 0],
           [1, 1]])
    """
    if isinstance(y_true, (str, os.PathLike)):
        from whichf1.sources.files import count_csv

        if y_pred is not None:
            raise InputError("a file is counted by itself: name its columns with true= and pred=")
        return count_csv(y_true, true=true, pred=pred, labels=labels, weights=weights)
    from whichf1.sources.arrays import count_arrays

    if true is not None or pred is not None:
        raise InputError("true= and pred= name the columns of a file; two arrays have none")
    if y_pred is None:
        raise InputError(
            f"got {type(y_true).__name__} alone. Give y_true and y_pred, Counts, or a path."
        )
    return count_arrays(y_true, y_pred, labels=labels, weights=weights)


def as_counts(
    y_true: Any, y_pred: Any = None, *, labels: Any = None, weights: Any = None
) -> Counts:
    """Counts as they are, or counted from y_true and y_pred."""
    if not isinstance(y_true, (Counts, MultiLabelCounts)):
        return count(y_true, y_pred, labels=labels, weights=weights)
    if y_pred is not None or weights is not None:
        raise InputError("Counts hold predictions and weights already: give Counts alone")
    counts: Any = y_true if labels is None else y_true.declare(labels)
    return counts  # type: ignore[no-any-return]  # sets of labels go the same way
