"""Columns of labels in memory → Counts of one system, or joint counts of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from math import isfinite, prod
from typing import Any, NoReturn

import numpy as np
from numpy import ndarray

from whichf1 import kernel
from whichf1.errors import InputError, LabelError
from whichf1.sources.devices import count_on_device
from whichf1.sources.request import refuse_both
from whichf1.sources.sequences import (
    Column,
    cluster_column,
    clusters_of,
    column,
    encode_alike,
    encode_columns,
    frequencies_column,
    is_on_device,
    is_plain,
    plain_numbers,
    refuse_lengths,
    squared,
    weights_column,
)
from whichf1.tables.cells import (
    Array,
    Buckets,
    CountedMargins,
    OneVsRest,
    Predicted,
    RankedLabels,
    RankTable,
)
from whichf1.tables.counts import Counts
from whichf1.tables.label_sets import ItemTable
from whichf1.tables.labels import Kind, Label, Labels, kind_of, refuse_scores, starts_number

_trusted = partial(tuple.__new__, Labels)  # as Labels.trusted, and faster


def count_arrays(y_true: Any, y_pred: Any, *, labels: Any = None, weights: Any = None) -> Counts:
    """GROUP BY true, predicted over two columns in memory, or on a device."""
    if weights is None and not isinstance(y_true, np.ndarray) and is_on_device(y_true):
        counts = count_on_device(y_true, y_pred)
        if counts is not None:
            return counts if labels is None else counts.declare(labels)
    left, right, values = _codes(y_true, y_pred)
    counts = count_codes(left, right, values, weights)
    kind = _KINDS[left.dtype.kind] if values is None else kind_of(values[0])
    if labels is None:
        return reviewed(counts) if kind == "str" else counts
    names = Labels(labels)
    if names.kind != kind or any(label not in names for label in counts.labels):
        _refuse_undeclared(names, column(y_true, "y_true"), column(y_pred, "y_pred"))
    return counts.declare(names)


def reviewed(counts: Counts) -> Counts:
    """Counts of observed classes, which are not scores written as text."""
    if counts.labels.kind == "str":
        true, *others = (
            {counts.labels[code] for code in np.unique(side).tolist()}
            for side in (counts.true, *counts.predictions)
        )
        for name, side in zip(counts.systems, others, strict=True):
            refuse_scores(true, side, name)
    return counts


def count_margins(y_true: Any, y_pred: Any, whole: bool) -> tuple[Labels, CountedMargins] | None:
    """The margins of two columns at once, and the whole table if requested.

    None for anything that needs a closer look; counting then reports what is wrong with it.
    """
    arrays = type(y_true) is type(y_pred) is ndarray  # the common case, and faster
    table = kernel.count_table(y_true, y_pred, whole) if arrays else None
    if table is not None:
        return _trusted(table[0]), CountedMargins(table, len(y_true))
    columns = plain_columns(y_true, y_pred)
    if columns is None:
        return None
    true, predicted, names = columns
    table = kernel.count_table(true, predicted, whole)
    if table is None:
        return None
    labels = _trusted(table[0]) if names is None else names
    return labels, CountedMargins(table, len(true))


def count_class(y_true: Any, y_pred: Any, positive: Label) -> tuple[Labels, OneVsRest] | None:
    """A class against the rest, in plain floats: formulas are faster without arrays.

    None for anything that needs a closer look, or if the class does not occur.
    """
    arrays = type(y_true) is type(y_pred) is ndarray  # as above
    counted: Any = kernel.count_class(y_true, y_pred, positive) if arrays else None
    if counted is not None:
        observed, counts = counted
        return _trusted(observed), OneVsRest(*counts)
    columns = plain_columns(y_true, y_pred)
    if columns is None:
        return None
    true, predicted, names = columns
    code: Any = positive
    if names is not None:
        if type(positive) is not str or positive not in names:
            return None
        code = names.code(positive)
    counted = kernel.count_class(true, predicted, code)
    if counted is None:
        return None
    observed, counts = counted
    return names or _trusted(observed), OneVsRest(*counts)


def plain_columns(y_true: Any, y_pred: Any) -> tuple[Array, Array, Labels | None] | None:
    """Lists, texts and series as numbers that can be counted, and the texts that they stand for.

    None for anything else, or if an item needs a closer look.
    """
    if not (is_plain(y_true) and is_plain(y_pred)):
        return None
    encoded = encode_columns(y_true, y_pred) if len(y_true) <= _FEW else None
    if encoded is None:
        true, predicted = plain_numbers(y_true), plain_numbers(y_pred)
        return None if true is None or predicted is None else (true, predicted, None)
    (left, right), values = encoded
    known = _ordered(tuple(values)) if type(values[0]) is str else None
    if known is None:
        return None
    names, rank = known
    return rank[left], rank[right], names


_FEW = 1 << 14
"""Texts up to which it takes less time to put the codes of all in order than those of the table."""


@lru_cache(maxsize=64)
def _ordered(texts: tuple[str, ...]) -> tuple[Labels, Array] | None:
    """Observed texts as classes, and the code of each; None if they may be something else."""
    names = Labels.trusted(sorted(texts))
    if any(map(starts_number, texts)) or names.spelled_alike:
        return None  # scores, or classes to warn about
    return names, names.codes(texts)


def scored_arrays(y_true: Array, scores: Any) -> Labels | None:
    """The two classes of an array of labels with an array of scores; else None.

    Whether labels are 0 and 1, and scores finite, is checked by the kernel.
    """
    kind, shape = y_true.dtype.kind, y_true.shape
    if type(scores) is not np.ndarray or scores.dtype.char not in "efd" or kind not in _TWO:
        return None
    return _TWO[kind] if shape == scores.shape and y_true.ndim == 1 and shape[0] else None


def rank_arrays(y_true: Array, scores: Array) -> RankTable | None:
    """Such labels ranked by their scores; None if one is not 0 or 1, or a score is not finite."""
    if scores.dtype.itemsize < 8:
        scores = scores.astype(np.float64)
    try:
        ranked = kernel.rank_labels(scores, y_true)
    except ValueError:  # NaN
        return None
    if ranked is None:
        return None
    ranks, items = ranked
    if not (isfinite(ranks.score[0]) and isfinite(ranks.score[-1])):
        return None
    return RankTable.of(ranks, items, y_true.shape[0] - items)


MANY = 1 << 15
"""Items from which on it is faster not to sort all of them."""
MOST = 2**31 - 1
"""Items from which on their numbers need more than 32 bits."""


def bucket_arrays(y_true: Array, scores: Array) -> RankTable | None:
    """The same in buckets of near scores, for a score that one point of many items decides."""
    counts = kernel.bucket_counts(scores, y_true)
    if counts is None:
        return None
    buckets, positives, negatives = counts
    ranked = partial(kernel.rank_buckets, scores, y_true)
    return Buckets(buckets, positives, negatives, ranked)


def judged_arrays(y_true: Array, scores: Any) -> tuple[Labels, Predicted] | None:
    """An array of codes with a row of scores for each, or one probability for two classes; or None.

    Whether codes and probabilities are in range is checked by the kernel.
    """
    kind, shape = y_true.dtype.kind, y_true.shape
    if type(scores) is not np.ndarray or kind not in _KINDS or scores.dtype.char not in "fd":
        return None
    if len(shape) != 1 or not shape[0] or shape != scores.shape[:1]:
        return None
    if scores.ndim == 1:
        return _TWO[kind], Predicted(y_true, scores)
    if scores.ndim != 2 or kind == "b" or scores.shape[1] < 2:
        return None
    return _numbered(scores.shape[1]), Predicted(y_true, scores)


def label_matrices(y_true: Array, other: Any, scored: bool) -> Labels | None:
    """The labels of two matrices that have a column for each; else None.

    Whether they hold 0 and 1, or ``scored`` the second finite scores, is checked by the kernel.
    """
    if type(other) is not np.ndarray or y_true.ndim != 2 or y_true.shape != other.shape:
        return None
    kind = other.dtype.char
    if y_true.dtype.char not in NUMBERS or kind not in ("fd" if scored else NUMBERS):
        return None
    return _numbered(y_true.shape[1]) if y_true.size else None


def label_arrays(y_true: Array, other: Array, scored: bool) -> Any:
    """What formulas compute on of such matrices; None if they hold other numbers."""
    if scored:
        flags = kernel.label_flags(y_true, other)
        return None if flags is None else RankedLabels(flags, other)
    sums = kernel.item_labels(y_true, other)
    return None if sums is None else ItemTable(sums, y_true.shape[1])


NUMBERS = frozenset("?bBhHiIlLqQfd")
"""The types of matrices that the kernel reads."""
_TWO = {"i": Labels((0, 1)), "u": Labels((0, 1)), "b": Labels((False, True))}


@lru_cache(maxsize=64)
def _numbered(classes: int) -> Labels:
    return Labels(range(classes))


def count_codes(
    left: Array, right: Array, values: list[Label] | None, weights: Any = None
) -> Counts:
    """Count two columns of numbers that stand for themselves, or for ``values``."""
    n = len(left)
    if values is None and weights is None and left.dtype.kind != "b":  # the common case, and faster
        names, *cells = kernel.count_pairs(left, right)
        return Counts(Labels.trusted(names), *cells, declared=False, in_order=True, n=n)
    weight = None if weights is None else weights_column(weights, n)
    labels, (true, predicted, count, *squares) = _group(left, right, values, weight)
    counts = Counts(
        labels,
        true,
        predicted,
        count,
        declared=False,
        squares=squares[0] if squares else None,
        in_order=weight is None,
        n=n if weight is None else None,
    )
    return counts if weight is None else counts.observed()  # items of weight 0 do not count


_KINDS: dict[str, Kind] = {"i": "int", "u": "int", "b": "bool"}


def _codes(y_true: Any, y_pred: Any) -> tuple[Array, Array, list[Label] | None]:
    """Two columns that can be counted, and what their numbers stand for if not for themselves."""
    if _ready(y_true) and _ready(y_pred) and y_true.dtype == y_pred.dtype:
        refuse_lengths(len(y_true), len(y_pred), "y_pred")
        return y_true, y_pred, None
    encoded = encode_columns(y_true, y_pred)
    if encoded is not None:
        (left, right), values = encoded
        refuse_lengths(len(left), len(right), "y_pred")
        return left, right, values
    true, predicted = column(y_true, "y_true"), column(y_pred, "y_pred")
    _refuse_other(true, predicted)
    left, right = true.values, predicted.values
    if true.kind != "str":
        if left.dtype.kind == right.dtype.kind:
            return left, right, None
        if all(side.dtype.kind == "i" or side.max() < 2**63 for side in (left, right)):
            return left.astype(np.int64), right.astype(np.int64), None
    (left, right), values = kernel.encode(left.tolist(), right.tolist())
    return left, right, values


def _ready(data: object) -> bool:
    """Whether this is counted as it is, without further checks."""
    return type(data) is np.ndarray and data.dtype.kind in _KINDS and data.ndim == 1


def _group(
    left: Array, right: Array, values: list[Label] | None, weights: Array | None
) -> tuple[Labels, list[Array]]:
    pairs = kernel.count_pairs(left, right, weights)
    observed: list[Label] = [*pairs.labels]
    codes = [pairs.true, pairs.predicted]
    if values is not None:
        named = [values[code] for code in pairs.labels]
        observed = [*Labels.sorted(named)]
        rank = Labels.trusted(observed).codes(named)
        codes = [rank[side] for side in codes]
    elif left.dtype.kind == "b":
        observed = [bool(value) for value in observed]
    cells = [*codes, pairs.count]
    if weights is not None:  # intervals need the sum of squares, cell by cell
        cells.append(kernel.count_pairs(left, right, squared(weights)).count)
    if values is not None:
        order = np.lexsort(codes[::-1])
        cells = [each[order] for each in cells]
    return Labels.trusted(observed), cells


def _refuse_other(true: Column, other: Column) -> None:
    """Raise if another column does not have the same number of labels, of the same kind."""
    refuse_lengths(len(true.values), len(other.values), other.name)
    if true.kind != other.kind:
        first, second = (side.values[:1].tolist()[0] for side in (true, other))
        raise LabelError(
            f"label types differ: y_true[0] is {first!r} ({true.kind}), {other.name}[0] is "
            f"{second!r} ({other.kind}). Convert one of them, so that equal classes are equal "
            "values."
        )


def _refuse_undeclared(names: Labels, *columns: Column) -> NoReturn:
    for side in columns:
        for position, label in enumerate(side.values.tolist()):
            if label not in names:
                raise LabelError(
                    f"{side.name}[{position}] is {label!r} ({side.kind}), which is not among the "
                    f"declared labels {list(names[:20])!r}. Add it to labels=, or drop the item."
                )
    raise LabelError("a label is not among the declared ones")


def count_together(
    y_true: Any,
    systems: Mapping[str, Any],
    *,
    labels: Any = None,
    weights: Any = None,
    frequencies: Any = None,
    cluster: Any = None,
) -> Counts:
    """GROUP BY true, the prediction of each system, and cluster, over columns in memory."""
    if not systems:
        raise InputError("there are no systems: pass a mapping from names to predictions")
    true = column(y_true, "y_true")
    columns = [true]
    for name, each in systems.items():
        columns.append(column(each, str(name)))
        _refuse_other(true, columns[-1])
    weight = None if weights is None else weights_column(weights, len(true.values))
    if frequencies is not None:
        refuse_both(weights, frequencies)
        weight = frequencies_column(frequencies, len(true.values))
        here = np.flatnonzero(weight)  # a row with frequency 0 does not count
        if cluster is not None:
            cluster = cluster_column(cluster, len(weight)).at(here).values
        columns, weight = [each.at(here) for each in columns], weight[here]
    n = len(columns[0].values)
    codes, observed = encode_alike(columns)
    observed = Labels.sorted(observed)
    keys, sizes, clusters = codes, [len(observed)] * len(codes), None
    if cluster is not None:
        group_codes, clusters = clusters_of(cluster, n)
        keys, sizes = [*codes, group_codes], [*sizes, len(clusters)]
    cells, count, squares = _group_together(keys, sizes, weight)
    counts = Counts(
        observed,
        cells[0],
        tuple(cells[1 : len(columns)]),
        count,
        squares=squares,
        cluster=None if clusters is None else cells[-1],
        cluster_names=clusters,
        systems=tuple(map(str, systems)),
        declared=False,
    )
    counts = counts if weight is None else counts.observed()
    counts = counts if frequencies is None else counts.whole()
    return reviewed(counts) if labels is None else counts.declare(Labels(labels))


def _group_together(
    keys: Sequence[Array], sizes: Sequence[int], weights: Array | None
) -> tuple[list[Array], Array, Array | None]:
    """GROUP BY the keys: their distinct combinations, items or weights in each, and Σw²."""
    shape = tuple(sizes)
    n, space = len(keys[0]), prod(shape)
    if space <= max(1 << 16, n):
        at = np.ravel_multi_index(tuple(keys), shape) if len(keys) > 1 else keys[0]
        present = np.bincount(at, minlength=space)
        cells = np.flatnonzero(present)
        columns = [np.asarray(x) for x in np.unravel_index(cells, shape)]
    else:
        first, at = _distinct(keys, sizes)
        present, cells = np.bincount(at), np.arange(len(first))
        columns = [key[first] for key in keys]
    if weights is None:
        return columns, present[cells], None
    sums, squares = (np.bincount(at, w, len(present))[cells] for w in (weights, squared(weights)))
    keep = sums > 0
    return [x[keep] for x in columns], sums[keep], squares[keep]


def _distinct(keys: Sequence[Array], sizes: Sequence[int]) -> tuple[Array, Array]:
    """The first item of each combination, and the combination of each item."""
    key, size = keys[0].astype(np.int64), sizes[0]
    for other, more in zip(keys[1:], sizes[1:], strict=True):
        if size * more >= 1 << 62:
            present, key = np.unique(key, return_inverse=True)
            size = len(present)
        key, size = key * more + other, size * more
    _, first, at = np.unique(key, return_index=True, return_inverse=True)
    return first, at
