"""Sets of labels in memory → MultiLabelCounts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Unpack

import numpy as np

from whichf1.errors import DefinitionError, InputError, LabelError, ShapeError
from whichf1.sources.answers.label_sets import count_cells
from whichf1.sources.counts import Reading
from whichf1.sources.lines import numbers
from whichf1.sources.request import has_columns
from whichf1.sources.sequences import cluster_codes, to_numpy, weights_column
from whichf1.tables.cells import Array, RankedLabels
from whichf1.tables.label_sets import MultiLabelCounts, outcomes
from whichf1.tables.labels import Labels


class SetLines(NamedTuple):
    """Which items have which labels: one line for each, as two columns."""

    item: Array
    label: Array
    items: int
    labels: Labels
    matrix: bool
    """Whether they came as a matrix with a column for each label."""


def count_multilabel(
    y_true: Any,
    y_pred: Any = None,
    *,
    labels: Any = None,
    weights: Any = None,
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
                "true=, pred= and sep= say where a dataframe or file has its sets of labels; "
                "arrays, threshold= and top_k= go without them"
            )
        columns = {"true": true, "pred": pred, "weights": weights, "cluster": cluster}
        return count_cells(y_true, y_pred, sep=sep, labels=labels, **columns, **reading)
    if y_pred is None:
        raise InputError("give y_true and y_pred, or a dataframe or path with true= and pred=")
    decision = None
    if threshold is not None or top_k is not None:
        y_pred, decision = _decide(y_pred, threshold, top_k)
    keyed = keyed_sets(y_true, {"y_pred": y_pred}, labels)
    lines = outcomes(keyed.true, keyed.predicted, len(keyed.labels))
    measure = measured(keyed.items, weights, cluster)
    known = keyed.declared
    return MultiLabelCounts(keyed.labels, lines, **measure, declared=known, decision=decision)


class Keyed(NamedTuple):
    """The sets of the items, and of each system, as keys: item · labels + label."""

    labels: Labels
    true: Array
    predicted: list[Array]
    items: int
    declared: bool


def keyed_sets(y_true: Any, systems: Mapping[str, Any], labels: Any) -> Keyed:
    """The sets of all, on the labels of all systems together."""
    declared = None if labels is None else Labels(labels)
    true = sets_of(y_true, "y_true", declared)
    predicted = [sets_of(each, str(name), declared) for name, each in systems.items()]
    names, known = declared, declared is not None or true.matrix
    for name, each in zip(systems, predicted, strict=True):
        _refuse_unequal(true, each, name)
        names = declared or _union(names or true.labels, each.labels)
        known = known or each.matrix
    names = names if names is not None else true.labels
    keys = [_keys(each, names) for each in predicted]
    return Keyed(names, _keys(true, names), keys, true.items, known)


def measured(items: int, weights: Any, cluster: Any) -> dict[str, Any]:
    """How many times each item counts, its squared weight, and its cluster."""
    count = np.ones(items, np.int64) if weights is None else weights_column(weights, items)
    return {
        "count": count,
        "squares": None if weights is None else count * count,
        "cluster": None if cluster is None else cluster_codes(cluster, items),
    }


def count_sets_together(
    y_true: Any,
    systems: Mapping[str, Any],
    *,
    labels: Any = None,
    weights: Any = None,
    cluster: Any = None,
) -> MultiLabelCounts:
    """GROUP BY true set, the predicted set of each system, and cluster."""
    if not systems:
        raise InputError("there are no systems: give a mapping of names to predictions")
    names, true, predicted, items, declared = keyed_sets(y_true, systems, labels)
    measure = measured(items, weights, cluster)
    lines = outcomes(true, predicted, len(names))
    own = tuple(map(str, systems))
    return MultiLabelCounts(names, lines, declared=declared, systems=own, **measure)


def _refuse_unequal(true: SetLines, predicted: SetLines, name: str) -> None:
    if true.items != predicted.items:
        raise ShapeError(
            f"y_true has {true.items:,} items, {name} has {predicted.items:,}. "
            "Give one prediction for each item."
        )
    if not true.items:
        raise ShapeError("there are no items: y_true is empty")
    if true.matrix and predicted.matrix and len(true.labels) != len(predicted.labels):
        raise ShapeError(
            f"y_true has {len(true.labels)} columns, {name} has {len(predicted.labels)}: "
            "give both the same labels in the same order"
        )


def _union(a: Labels, b: Labels) -> Labels:
    if a and b and a.kind != b.kind:
        raise LabelError(
            f"label types differ: {a[0]!r} ({a.kind}) in y_true, {b[0]!r} ({b.kind}) in y_pred. "
            "Use one type, or declare labels= for the columns of a matrix."
        )
    return a if a == b else Labels.sorted({*a, *b})


def _keys(sets: SetLines, names: Labels) -> Array:
    """A number for each item and label, sorted and distinct."""
    return np.unique(sets.item * len(names) + names.codes(sets.labels)[sets.label])


def sets_of(data: Any, name: str, declared: Labels | None) -> SetLines:
    """Which items have which labels, from a matrix or from sets."""
    if hasattr(data, "tocsr"):
        return _from_sparse(data, name, declared)
    if isinstance(data, (str, bytes, dict)) or not hasattr(data, "__len__"):
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
    Labels(code_of)  # of one kind, or an error
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
    return SetLines(np.array(item, np.intp), codes, len(data), names, False)


def _from_sparse(data: Any, name: str, declared: Labels | None) -> SetLines:
    matrix = data.tocsr().tocoo()
    if matrix.ndim != 2:
        raise ShapeError(f"{name} must have two dimensions; got shape {matrix.shape}")
    matrix.sum_duplicates()
    _refuse_other_than_0_1(np.asarray(matrix.data), name, (matrix.row, matrix.col))
    here = np.asarray(matrix.data) != 0
    names = _columns(data, matrix.shape[1], name, declared)
    item, label = (np.asarray(x)[here].astype(np.intp) for x in (matrix.row, matrix.col))
    return SetLines(item, label, matrix.shape[0], names, True)


def _from_matrix(data: Any, name: str, declared: Labels | None) -> SetLines:
    values = to_numpy(data)
    if values.ndim != 2 or not values.shape[1] or values.dtype.kind not in "biuf":
        raise ShapeError(
            f"{name} must be a matrix of 0 and 1 with a row for each item, or a list of sets of "
            f"labels ({{'a', 'b'}}, or {{3, 7}}); got shape {values.shape}, dtype {values.dtype}"
        )
    _refuse_other_than_0_1(values, name, None)
    item, label = np.nonzero(values)
    return SetLines(item, label, len(values), _columns(data, values.shape[1], name, declared), True)


def _columns(data: Any, width: int, name: str, declared: Labels | None) -> Labels:
    """The labels of the columns: as declared, else a frame's own names, else 0, 1, 2, …"""
    if declared is None:
        return Labels(getattr(data, "columns", range(width)))
    if len(declared) != width:
        raise ShapeError(f"{name} has {width} columns, labels= has {len(declared)} labels")
    return declared


def _refuse_other_than_0_1(values: Array, name: str, at: tuple[Array, Array] | None) -> None:
    wrong = (values != 0) & (values != 1)
    if not wrong.any():
        return
    first = np.argwhere(wrong)[0].tolist()
    place = first if at is None else [int(x[first[0]]) for x in at]
    raise InputError(
        f"{name}[{', '.join(map(str, place))}] is {values[tuple(first)]}: a matrix of labels holds "
        "0 and 1. For scores pass threshold= or top_k=."
    )


def _decide(scores: Any, threshold: float | None, top_k: int | None) -> tuple[Array, str]:
    values = numbers(scores, "y_pred")
    if values.ndim != 2:
        raise ShapeError(f"y_pred must have a column of scores for each label; got {values.shape}")
    if threshold is not None and top_k is not None:
        raise DefinitionError("decide by threshold= or by top_k=, not by both")
    if threshold is not None:
        if isinstance(threshold, bool) or not threshold == threshold:
            raise DefinitionError(f"a threshold is a number; got {threshold!r}")
        return values >= threshold, f"score>={float(threshold)!r}"
    if isinstance(top_k, bool) or not isinstance(top_k, int) or not 1 <= top_k <= values.shape[1]:
        raise DefinitionError(
            f"top_k must be a whole number from 1 to {values.shape[1]}, the labels; got {top_k!r}"
        )
    chosen = np.zeros(values.shape, np.bool_)
    best = np.argsort(-values, axis=1, kind="stable")[:, :top_k]
    np.put_along_axis(chosen, best, True, 1)
    return chosen, f"top-{top_k},ties=first"


def ranked_labels(y_true: Any, scores: Any, labels: Any = None) -> tuple[RankedLabels, Labels]:
    """Items with their labels, and a score for every label."""
    values = numbers(scores, "scores")
    if values.ndim != 2:
        raise ShapeError(f"give a column of scores for each label; got shape {values.shape}")
    declared = None if labels is None else Labels(labels)
    sets = sets_of(y_true, "y_true", declared)
    names = sets.labels if declared is None else declared
    if (sets.items, len(names)) != values.shape:
        raise ShapeError(
            f"y_true has {sets.items:,} items and {len(names)} labels, scores have shape "
            f"{values.shape}. Give a score for each, and declare labels= for sets."
        )
    if not sets.items:
        raise ShapeError("there are no items: y_true and scores are empty")
    true = np.zeros(values.shape, np.bool_)
    true[sets.item, names.codes(sets.labels)[sets.label]] = True
    return RankedLabels(true, values), names
