"""True classes and scores or probabilities in memory → what rankings and losses are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from whichf1 import kernel
from whichf1.errors import InputError, LabelError, ShapeError
from whichf1.sources.sequences import Column, column, to_numpy
from whichf1.tables.cells import Array, Predicted
from whichf1.tables.labels import Label, Labels

_TWO: dict[str, tuple[Label, ...]] = {"bool": (False, True), "int": (0, 1)}


def binary(
    y_true: Any, scores: Any, positive: Any, labels: Any
) -> tuple[Column, Array, Labels, Label]:
    """The items, the score of each, the classes, and the positive one."""
    items = column(y_true, "y_true")
    values = numbers(scores, "scores")
    same_length(items, values)
    names = classes_of(items, labels)
    own = positive_class(names, positive)
    if values.ndim == 2:
        if values.shape[1] != len(names):
            raise ShapeError(
                f"scores have {values.shape[1]} columns; there are {len(names)} classes "
                f"{list(names[:6])!r}. Give one score for each item, or declare labels="
            )
        values = np.ascontiguousarray(values[:, names.code(own)])
    return items, values, names, own


def same_length(items: Column, values: Array) -> None:
    """Raise unless there is a score for each item, and at least one."""
    if len(items.values) != len(values):
        raise ShapeError(
            f"y_true has {len(items.values):,} items, scores have {len(values):,}. "
            "Give one score for each item."
        )
    if not len(values):
        raise ShapeError("there are no items: y_true and scores are empty")


def numbers(data: Any, name: str, *, finite: bool = True) -> Array:
    """Scores as float64 with one or two dimensions, all finite unless that is checked later."""
    try:
        given = to_numpy(data)
        if given.dtype == object:
            given = np.array(given.tolist())
        if given.dtype.kind not in "fiub":
            raise ValueError(f"dtype {given.dtype}")
        if given.dtype.kind in "iu" and given.dtype.itemsize == 8 and given.size:
            _refuse_large(given, name)
        values = np.asarray(given, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be numbers: {error}") from None
    if values.ndim not in (1, 2):
        raise ShapeError(
            f"{name} must have one dimension (a score for each item) or two (a column for each "
            f"class); got shape {values.shape}"
        )
    if finite:
        _check_finite(values, name)
    return values


def _refuse_large(given: Array, name: str) -> None:
    """Raise for integers that would be equal as floats though they are not."""
    for value in (int(given.min()), int(given.max())):
        if abs(value) > 1 << 53:
            raise InputError(
                f"{name} hold {value}: integers beyond 2**53 cannot be told apart as floats. "
                "Give ranks, or smaller numbers."
            )


def _check_finite(values: Array, name: str) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(np.add.reduce(values, axis=None)):  # then every one is
            return
    wrong = ~np.isfinite(values)
    if wrong.any():
        at = tuple(np.argwhere(wrong)[0].tolist())
        where = ", ".join(map(str, at))
        raise InputError(f"{name}[{where}] is {values[at]}: scores are finite. Drop or fix it.")


def classes_of(items: Column, labels: Any) -> Labels:
    """The declared classes, or the observed ones; 0 and 1, False and True come together."""
    observed = _observed(items)
    if labels is None:
        two = _TWO.get(items.kind, ())
        return Labels(two) if set(observed) <= set(two) and observed else Labels.sorted(observed)
    names = Labels(labels)
    outside = next((x for x in observed if x not in names), None)
    if outside is not None:
        raise LabelError(
            f"y_true holds {outside!r} ({items.kind}), which is not among the declared labels "
            f"{list(names[:20])!r}. Add it to labels=, or drop the item."
        )
    return names


def _observed(items: Column) -> list[Any]:
    if items.kind == "str":
        return list(set(items.values.tolist()))
    if not len(items.values):
        return []
    if items.kind == "bool":
        return [False] * (not items.values.all()) + [True] * bool(items.values.any())
    return [*kernel.count_pairs(items.values, items.values).labels]


def positive_class(names: Labels, positive: Any) -> Label:
    """The class that scores are of: as given, else 1 or True."""
    if positive is not None:
        return names[names.code(positive)]
    if names.kind in ("int", "bool") and 1 in set(names) and set(names) <= {-1, 0, 1}:
        return names[list(names).index(1)]
    raise LabelError(
        "which class do high scores stand for? Pass positive= (--positive), one of "
        f"{list(names[:20])!r}."
    )


def items_of(items: Column, label: Label) -> Array:
    """Whether each item is of the class."""
    if items.kind == "str":
        return np.fromiter((x == label for x in items.values), np.bool_, len(items.values))
    mask: Array = items.values == label
    return mask


def predicted(
    y_true: Any,
    scores: Any,
    *,
    labels: Any = None,
    probabilities: bool = True,
    check: bool = True,
) -> tuple[Predicted, Labels]:
    """Items with a score for every class, columns in the order of the labels.

    Without ``check`` it is left to a later pass over the probabilities, which must call
    :func:`check_rows` if they are not fair.
    """
    items = column(y_true, "y_true")
    name = "probabilities" if probabilities else "scores"
    values = numbers(scores, name, finite=not probabilities)
    if values.ndim != 2:
        raise ShapeError(f"give a column of scores for each class; got shape {values.shape}")
    same_length(items, values)
    names = column_classes(items, labels, values.shape[1])
    if probabilities and check:
        check_rows(values)
    return Predicted(_codes(items, names), values), names


def predicted_binary(
    y_true: Any, scores: Any, *, positive: Any = None, labels: Any = None
) -> tuple[Predicted, Labels, Label]:
    """Items with the probability of one of two classes: the other has the rest."""
    items, values, names, own = binary(y_true, scores, positive, labels)
    if len(names) > 2:
        raise ShapeError(
            f"one probability for each item, but {len(names)} classes {list(names[:6])!r}. "
            "Give a column of probabilities for each class."
        )
    check_probabilities(values)
    both = np.empty((len(values), 2))
    both[:, 1] = values
    np.subtract(1, values, out=both[:, 0])
    return Predicted(items_of(items, own).astype(np.intp), both), names, own


def column_classes(items: Column, labels: Any, columns: int) -> Labels:
    """The classes that so many columns of scores are of."""
    if labels is None and items.kind == "int" and _within(items.values, columns):
        return Labels(range(columns))
    names = classes_of(items, labels)
    if len(names) != columns:
        raise ShapeError(
            f"there are {columns} columns of scores and {len(names)} classes "
            f"{list(names[:6])!r}. Declare the class of each column, in order: labels=[...]."
        )
    return names


def _within(values: Array, columns: int) -> bool:
    """Whether integers are from 0 to below ``columns``: a negative one is large without a sign."""
    return bool(values.view(values.dtype.str.replace("i", "u")).max() < columns)


def _codes(items: Column, names: Labels) -> Array:
    code = {label: at for at, label in enumerate(names)}
    if items.kind == "str":
        return np.fromiter((code[x] for x in items.values), np.intp, len(items.values))
    if items.kind == "int" and [*names] == [*range(len(names))]:
        return np.asarray(items.values, np.intp)  # they are codes already
    present, at = np.unique(items.values, return_inverse=True)
    return np.array([names.code(x) for x in present.tolist()], np.intp)[at]


def check_probabilities(values: Array) -> None:
    """Raise at the first value outside [0, 1]."""
    wrong = (values < 0) | (values > 1)
    if wrong.any():
        at = tuple(np.argwhere(wrong)[0].tolist())
        where = ", ".join(map(str, at))
        raise InputError(
            f"probabilities[{where}] is {values[at]:g}: a probability lies in [0, 1]. "
            "Turn scores into probabilities first, or use a ranking such as roc_auc."
        )


def check_rows(values: Array) -> None:
    """Raise at the first row that is no distribution over the classes."""
    if kernel.first_bad_row(values) == len(values):
        return
    _check_finite(values, "probabilities")
    check_probabilities(values)
    sums = values.sum(1)
    wrong = np.abs(sums - 1) > kernel.TOLERANCE
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            f"row {row} of the probabilities adds up to {sums[row]:.6g}, not to 1: "
            f"{[round(x, 6) for x in values[row, :8].tolist()]!r}. Normalise each row."
        )
