"""Sets of labels in memory → MultiLabelCounts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Unpack

import numpy as np

from whichf1 import kernel
from whichf1.errors import DefinitionError, InputError, LabelError, ShapeError, is_number, numbered
from whichf1.sources.answers.label_sets import count_cells
from whichf1.sources.arrays import NUMBERS
from whichf1.sources.counts import Reading
from whichf1.sources.lines import numbers
from whichf1.sources.request import columns_by_class, has_columns, matrix_names, refuse_both
from whichf1.sources.sequences import (
    cluster_column,
    clusters_of,
    frequencies_column,
    has_items,
    refuse_lengths,
    squared,
    to_numpy,
    weights_column,
)
from whichf1.tables.cells import Array, RankedLabels
from whichf1.tables.label_sets import MultiLabelCounts, outcomes
from whichf1.tables.labels import Labels
from whichf1.tables.units import some


class SetLines(NamedTuple):
    """Which items have which labels: one line for each, as two columns."""

    item: Array
    label: Array
    items: int
    labels: Labels
    matrix: bool
    """Whether they came as a matrix with a column for each label."""
    name: str = "y_pred"

    def at(self, items: Array) -> SetLines:
        """Some of the items, in order, with their labels only, unless they came as a matrix."""
        place = np.full(self.items, -1)
        place[items] = np.arange(len(items))
        kept = np.flatnonzero(place[self.item] >= 0)
        sets = self._replace(item=place[self.item[kept]], label=self.label[kept], items=len(items))
        if self.matrix:
            return sets
        present, label = np.unique(sets.label, return_inverse=True)
        names = Labels.trusted(self.labels[code] for code in present)
        return sets._replace(label=label, labels=names)


def count_multilabel(
    y_true: Any,
    y_pred: Any = None,
    *,
    labels: Any = None,
    weights: Any = None,
    frequencies: Any = None,
    cluster: Any = None,
    threshold: float | None = None,
    top_k: int | None = None,
    true: Any = None,
    pred: Any = None,
    sep: str | None = None,
    **reading: Unpack[Reading],
) -> MultiLabelCounts:
    """Count items by their true and predicted sets of labels.

    y_true, y_pred (array, lists of labels, dataframe or path): Matrices of 0 and 1 (items × labels,
        dense or scipy sparse) or a list of labels for each item. Or, in place of both, a dataframe
        or the path of a file.
    labels: The labels and their order. By default, those that occur, sorted.
    threshold: ``y_pred`` has scores (items × labels); predict the labels that reach the threshold.
    top_k: ``y_pred`` has scores (items × labels); predict the k labels with the highest scores.
    true, pred (str or list of str): Columns of a dataframe or file: one column of lists, one column
        of text in which ``sep`` separates labels, or a list of columns of 0 and 1, one for each
        label.
    Returns: Counts that every rate, subset_accuracy and hamming_loss accept.
    InputError: If labels are malformed, shapes differ, or a file cannot be read.

    >>> count_multilabel([{"a", "b"}, {"b"}], [{"a"}, {"b"}])
    <MultiLabelCounts: 2 items with sets of 2 labels>
    """
    named = true is not None or pred is not None or sep is not None or bool(reading)
    if named or (y_pred is None and has_columns(y_true)):
        if not has_columns(y_true) or threshold is not None or top_k is not None:
            raise InputError(
                "true=, pred= and sep= describe the sets of labels in a dataframe or file; "
                "they do not apply to arrays, threshold= and top_k="
            )
        columns = {"true": true, "pred": pred, "weights": weights, "cluster": cluster}
        columns["frequencies"] = frequencies
        return count_cells(y_true, y_pred, sep=sep, labels=labels, **columns, **reading)
    if y_pred is None:
        raise InputError("pass y_true and y_pred, or a dataframe or path with true= and pred=")
    if labels is weights is frequencies is cluster is threshold is top_k is None:
        grouped = _group_matrices(y_true, y_pred)
        if grouped is not None:
            return grouped
    decision = None
    if threshold is not None or top_k is not None:
        y_pred, decision = _decide(y_pred, threshold, top_k)
    options = {"labels": labels, "weights": weights, "cluster": cluster}
    options["frequencies"] = frequencies
    counts = count_sets_together(y_true, {"y_pred": y_pred}, **options)
    return counts if decision is None else counts.changed(decision=decision)


def _group_matrices(y_true: Any, y_pred: Any) -> MultiLabelCounts | None:
    """Two arrays of 0 and 1 at once; None for anything else, which is then read more carefully."""
    if not (type(y_true) is type(y_pred) is np.ndarray and y_true.shape == y_pred.shape):
        return None
    kinds = y_true.dtype.char + y_pred.dtype.char
    if y_true.ndim != 2 or not y_true.size or not NUMBERS.issuperset(kinds):
        return None
    grouped = kernel.group_labels(y_true, y_pred)
    if grouped is None:
        return None
    (item, label, outcome), count = grouped
    names = Labels.trusted(range(y_true.shape[1]))
    return MultiLabelCounts(names, (item, label, outcome), count, declared=True, in_order=True)


def count_sets_together(
    y_true: Any,
    systems: Mapping[str, Any],
    *,
    labels: Any = None,
    weights: Any = None,
    frequencies: Any = None,
    cluster: Any = None,
) -> MultiLabelCounts:
    """GROUP BY true set, the predicted set of each system, and cluster."""
    if not systems:
        raise InputError("there are no systems: pass a mapping from names to predictions")
    declared = None if labels is None else Labels(labels)
    true = sets_of(y_true, "y_true", declared)
    sides = [true, *(sets_of(data, str(name), declared) for name, data in systems.items())]
    for side in sides[1:]:
        refuse_lengths(true.items, side.items, side.name)
    refuse_both(weights, frequencies)
    count = np.ones(true.items, np.int64)
    if weights is not None:
        count = weights_column(weights, true.items)
    groups = None if cluster is None else cluster_column(cluster, true.items).values
    if frequencies is not None:
        count = np.rint(frequencies_column(frequencies, true.items)).astype(np.int64)
        here = np.flatnonzero(count)  # a row with frequency 0 does not count
        count, sides = count[here], [side.at(here) for side in sides]
        groups = None if groups is None else groups[here]
    clusters = (None, None) if groups is None else clusters_of(groups, len(count))
    names = declared or _common_labels(sides)
    keys, *others = (_keys(side, names) for side in sides)
    counts = MultiLabelCounts(
        names,
        outcomes(keys, others, len(names)),
        count=count,
        squares=None if weights is None else squared(count),
        cluster=clusters[0],
        cluster_names=clusters[1],
        declared=declared is not None or any(side.matrix for side in sides),
        systems=tuple(map(str, systems)),
    )
    return counts if weights is None else counts.observed()  # items of weight 0 do not count


def keys_of_sets(
    y_true: Any, systems: Mapping[str, Any], labels: Any
) -> tuple[list[SetLines], Labels, bool]:
    """The sets of the items and of each system under common labels, and whether these are
    declared: by ``labels``, or by the columns of a matrix.
    """
    declared = None if labels is None else Labels(labels)
    sides = [sets_of(y_true, "y_true", declared)]
    sides += [sets_of(data, name, declared) for name, data in systems.items()]
    for side in sides:
        refuse_lengths(sides[0].items, side.items, side.name)
    names = declared or _common_labels(sides)
    lines = [x._replace(label=names.codes(x.labels)[x.label], labels=names) for x in sides]
    return lines, names, declared is not None or any(side.matrix for side in sides)


def _common_labels(sides: Sequence[SetLines]) -> Labels:
    """The labels of all sides: those of a matrix, if there is one, otherwise all that occur."""
    matrix = next((side for side in sides if side.matrix), None)
    for side in sides:
        other = matrix or sides[0]
        if not matrix and side.labels and other.labels and side.labels.kind != other.labels.kind:
            a, b = other.labels, side.labels
            raise LabelError(
                f"label types differ: {a[0]!r} ({a.kind}) in {other.name}, {b[0]!r} ({b.kind}) in "
                f"{side.name}. Use one type."
            )
        if matrix and side.matrix and len(side.labels) != len(matrix.labels):
            raise ShapeError(
                f"{matrix.name} has {numbered(len(matrix.labels), 'column')}, {side.name} has "
                f"{len(side.labels)}: both need the same labels in the same order"
            )
        if matrix and not _fits(side, matrix):
            held = "columns" if side.matrix else "labels"
            raise LabelError(
                f"{matrix.name} has the columns {some(matrix.labels)}, {side.name} the {held} "
                f"{some(side.labels)}: which belong together? Give them the same names, or declare "
                "labels= in the order of the columns."
            )
    return matrix.labels if matrix else Labels.sorted({x for side in sides for x in side.labels})


def _fits(side: SetLines, matrix: SetLines) -> bool:
    """Whether labels belong to the columns of a matrix; sets without 0 may count from 1."""
    if side.matrix:
        return {*side.labels} == {*matrix.labels} and side.labels.kind == matrix.labels.kind
    known = all(label in matrix.labels for label in side.labels)
    numbered = [*matrix.labels] == [*range(len(matrix.labels))]
    return known and (not numbered or not side.labels or 0 in side.labels)


def _keys(sets: SetLines, names: Labels) -> Array:
    """A number for each item and label, sorted and distinct."""
    return np.unique(sets.item * len(names) + names.codes(sets.labels)[sets.label])


def sets_of(data: Any, name: str, declared: Labels | None) -> SetLines:
    """Which items have which labels, from a matrix or from sets."""
    if isinstance(data, Decided):
        sets = _from_matrix(data.chosen, name, None)
        return sets._replace(labels=_columns(data.names, len(sets.labels), name, declared))
    if hasattr(data, "tocsr"):
        return _from_matrix(data, name, declared)
    if isinstance(data, (str, bytes, dict)) or not has_items(data):
        raise ShapeError(
            f"{name} must be a matrix or a list of sets of labels; got {type(data).__name__}"
        )
    if isinstance(data, (list, tuple)) and _holds_sets(data):
        return _from_sets(data, name, declared)
    return _from_matrix(data, name, declared)


def _holds_sets(data: Sequence[Any]) -> bool:
    """Sets, or lists of strings; a list of lists of numbers is a matrix."""
    return all(
        isinstance(row, (set, frozenset))
        or (isinstance(row, (list, tuple)) and all(isinstance(x, str) for x in row))
        for row in data
    )


def _from_sets(data: Sequence[Iterable[Any]], name: str, declared: Labels | None) -> SetLines:
    code_of: dict[Any, int] = {}
    item, label = [], []
    for at, row in enumerate(data):
        for each in row:
            if each is None or each != each:
                raise LabelError(f"{name}[{at}] holds a missing label ({each!r}). Drop it.")
            item.append(at)
            label.append(code_of.setdefault(each, len(code_of)))
    Labels(code_of)  # all of one kind, or an error
    names = Labels.sorted(code_of)
    if declared is not None:
        outside = next((x for x in names if x not in declared), None)
        if outside is not None:
            at = item[label.index(code_of[outside])]
            raise LabelError(
                f"{name}[{at}] holds {outside!r}, which is not among the declared labels "
                f"{list(declared[:20])!r}. Add it to labels=, or drop it."
            )
    codes = names.codes(code_of)[np.array(label, np.intp)]
    return SetLines(np.array(item, np.intp), codes, len(data), names, False, name)


def _from_matrix(data: Any, name: str, declared: Labels | None) -> SetLines:
    if hasattr(data, "tocsr"):
        matrix = data.tocsr().tocoo()
        if matrix.ndim != 2:
            raise ShapeError(f"{name} must have two dimensions; got shape {matrix.shape}")
        matrix.sum_duplicates()
        item, label, cells = map(np.asarray, (matrix.row, matrix.col, matrix.data))
        item, label, cells = (x[cells != 0] for x in (item, label, cells))
        items, width = matrix.shape
    else:
        values = to_numpy(data)
        if values.ndim != 2 or not values.shape[1] or values.dtype.kind not in "biuf":
            raise ShapeError(
                f"{name} must be a matrix of 0 and 1 with a row for each item, or a list of sets "
                f"of labels ({{'a', 'b'}}, or {{3, 7}}); got shape {values.shape}, dtype "
                f"{values.dtype}"
            )
        item, label = np.nonzero(values)
        cells, (items, width) = values[item, label], values.shape
    wrong = cells != 1
    if wrong.any():
        at = int(np.argmax(wrong))
        raise InputError(
            f"{name}[{item[at]}, {label[at]}] is {cells[at]}: a matrix of labels must hold 0 and "
            "1. For scores, pass threshold= or top_k=."
        )
    names = _columns(matrix_names(data), width, name, declared)
    return SetLines(item.astype(np.intp), label.astype(np.intp), items, names, True, name)


def _columns(names: Sequence[Any] | None, width: int, name: str, declared: Labels | None) -> Labels:
    """The labels of the columns: a frame's names, otherwise as declared, otherwise 0, 1, 2, …"""
    if declared is None:
        return Labels(range(width) if names is None else names)
    if len(declared) != width:
        raise ShapeError(
            f"{name} has {numbered(width, 'column')}, labels= has "
            f"{numbered(len(declared), 'label')}"
        )
    if names is None:
        return declared
    places = columns_by_class(names, declared)
    return Labels(declared[places.index(at)] for at in range(width))


class Decided(NamedTuple):
    """The labels that were predicted from scores."""

    chosen: Array
    names: list[Any] | None
    """The names of the columns of scores."""


def _decide(scores: Any, threshold: float | None, top_k: int | None) -> tuple[Decided, str]:
    values = numbers(scores, "y_pred")
    if values.ndim != 2:
        raise ShapeError(f"y_pred must have a column of scores for each label; got {values.shape}")
    if threshold is not None and top_k is not None:
        raise DefinitionError("pass threshold= or top_k=, not both")
    if threshold is not None:
        if not is_number(threshold) or not abs(threshold) <= np.inf:
            raise DefinitionError(f"a threshold must be a number; got {threshold!r}")
        return Decided(values >= threshold, matrix_names(scores)), f"score>={float(threshold)!r}"
    if isinstance(top_k, bool) or not isinstance(top_k, int) or not 1 <= top_k <= values.shape[1]:
        raise DefinitionError(
            f"top_k must be a whole number from 1 to {values.shape[1]}, the labels; got {top_k!r}"
        )
    chosen = np.zeros(values.shape, np.bool_)
    best = np.argsort(-values, axis=1, kind="stable")[:, :top_k]
    np.put_along_axis(chosen, best, True, 1)
    return Decided(chosen, matrix_names(scores)), f"top-{top_k},ties=first"


def _dense(data: Any, shape: tuple[int, ...]) -> Array | None:
    """An array of 0 and 1 of this shape as booleans: the common case, which needs no lines."""
    if not isinstance(data, np.ndarray) or data.shape != shape or data.dtype.kind not in "biuf":
        return None
    if not data.size or data.dtype == np.bool_:
        return data if data.size else None
    if data.dtype.kind != "f":
        return data != 0 if 0 <= np.bitwise_or.reduce(data, None) <= 1 else None
    true: Array = data != 0
    return true if (true == data).all() else None


def ranked_labels(
    y_true: Any, scores: Any, labels: Any = None, named: Sequence[Any] | None = None
) -> tuple[RankedLabels, Labels]:
    """Items with their labels, and a score for every label, in columns that may be named."""
    values = numbers(scores, "scores")
    if values.ndim != 2:
        raise ShapeError(f"pass a column of scores for each label; got shape {values.shape}")
    if not values.shape[1]:
        raise ShapeError(
            f"there are no labels: scores have shape {values.shape}. Pass a column for each label."
        )
    declared = None if labels is None else Labels(labels)
    true = None if named is not None else _dense(y_true, values.shape)
    if true is not None and (declared is None or len(declared) == values.shape[1]):
        return RankedLabels(true, values), declared or Labels(range(values.shape[1]))
    sets = sets_of(y_true, "y_true", declared)
    columns = sets.labels
    if declared is not None or named is not None:
        columns = _columns(named, values.shape[1], "scores", declared)
    if declared is None and named is not None:
        none = np.zeros(0, np.intp)
        _common_labels([sets, SetLines(none, none, len(values), columns, True, "scores")])
    names = declared or columns
    if (sets.items, len(names)) != values.shape:
        raise ShapeError(
            f"y_true has {numbered(sets.items, 'item')} and {numbered(len(names), 'label')}, "
            "scores have shape "
            f"{values.shape}. Pass a score for each item and label, and declare labels= for sets."
        )
    if not sets.items:
        raise ShapeError("there are no items: y_true and scores are empty")
    true = np.zeros(values.shape, np.bool_)
    true[sets.item, names.codes(sets.labels)[sets.label]] = True
    return RankedLabels(true, values[:, columns.codes(names)]), names
