"""Functions of scikit-learn on two clusterings.

What matters is which items share a cluster: the labels of the two sides need not be of one kind.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from whichf1.errors import InputError, LabelError, ShapeError
from whichf1.integrations.sklearn.drop_in import doubtful, drop_in
from whichf1.metrics import association
from whichf1.sources.arrays import count_arrays, count_margins
from whichf1.sources.sequences import to_numpy
from whichf1.tables.cells import Array, Margins, Table


def _crossed(labels_true: Any, labels_pred: Any) -> tuple[Margins | None, bool]:
    """How many items are in each pair of clusters, None of no items; and whether labels are floats,
    about which scikit-learn may warn."""
    if type(labels_true) is np.ndarray:
        quick = count_margins(labels_true, labels_pred, True)
        if quick is not None:
            return quick[1], False
    sides = [to_numpy(side) for side in (labels_true, labels_pred)]
    shapes = [side.shape for side in sides]
    if shapes[0] != shapes[1] or len(shapes[0]) != 1:
        raise ShapeError(f"clusterings are two columns of equal length; got shapes {shapes}")
    if not len(sides[0]):
        return None, False
    kinds = {side.dtype.kind for side in sides}
    counts = count_arrays(*(sides if kinds <= {*"US"} else map(_codes, sides)))
    return counts.table, "f" in kinds


def _codes(labels: Array) -> Array:
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise LabelError("labels of clusters must be finite")
    try:
        codes: Array = np.unique(labels, return_inverse=True)[1]
    except TypeError:
        raise LabelError("labels of clusters must be of one type") from None
    return codes


def _occur(items: Array) -> int:
    """How many clusters have items."""
    return int(np.count_nonzero(items))


@drop_in
def adjusted_rand_score(labels_true: Any, labels_pred: Any) -> Any:
    """Rand index, adjusted for chance."""
    margins, floats = _crossed(labels_true, labels_pred)
    if margins is None:
        return 1.0
    top, bottom = association.adjusted_rand_index.formula(margins)
    return doubtful(floats, float(top / bottom) if bottom else 1.0)


@drop_in
def mutual_info_score(labels_true: Any, labels_pred: Any, *, contingency: Any) -> Any:
    """Mutual information in nats, also of a table of counts."""
    if contingency is not None:
        return 0.0 if 1 in np.shape(contingency) else _information(_of_table(contingency))
    margins, floats = _crossed(labels_true, labels_pred)
    if margins is None:
        raise InputError("there are no items")
    return doubtful(floats, _information(margins))


def _information(margins: Margins) -> float:
    if min(_occur(margins.rows), _occur(margins.columns)) == 1:
        return 0.0
    top, bottom = association.mutual_information.formula(margins)
    return float(max(top / bottom, 0.0))


def _of_table(contingency: Any) -> Margins:
    if hasattr(contingency, "tocoo"):
        cells = contingency.tocoo()
        true, predicted, count = cells.row, cells.col, cells.data
    else:
        table = np.asarray(contingency)
        if table.ndim != 2:
            raise ShapeError(f"contingency= must be a table; got {table.ndim} dimensions")
        true, predicted = np.nonzero(table)
        count = table[true, predicted]
    if count.dtype.kind not in "biuf" or not np.isfinite(count).all() or (count < 0).any():
        raise InputError("contingency= must be a table of counts")
    count = count.astype(np.int64)
    if not count.sum():
        raise InputError("there are no items")
    return Table(true, predicted, count.astype(float), 1 + max(true.max(), predicted.max()))


@drop_in
def normalized_mutual_info_score(labels_true: Any, labels_pred: Any, *, average_method: Any) -> Any:
    """Mutual information divided by a mean of the two entropies."""
    margins, floats = _crossed(labels_true, labels_pred)
    if margins is None:
        return 1.0
    if _occur(margins.rows) == _occur(margins.columns) == 1:
        return doubtful(floats, 1.0)
    formula = association.normalized_mutual_information.formula
    top, bottom = formula(margins, mean=average_method)
    return doubtful(floats, float(top / bottom) if bottom and _information(margins) else 0.0)
