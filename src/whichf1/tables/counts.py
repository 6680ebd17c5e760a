"""Counts: GROUP BY true, predicted. Every count-based score is computed from it alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from whichf1.errors import (
    DefinitionError,
    InputError,
    LabelError,
    ShapeError,
    TooLargeError,
    is_among,
    numbered,
)
from whichf1.tables.cells import Array, OneVsRest, Table, sum_by
from whichf1.tables.labels import Label, Labels, from_text, kind_of
from whichf1.tables.units import (
    Units,
    present_clusters,
    refuse_sum,
    refuse_undeclared,
    some,
)

DENSE_BYTES = 1 << 30
"""A dense table larger than this (1 GiB) is refused."""


class Counts(Units, kind="counts"):
    """The number of items of each class that were predicted as each class.

    Returned by ``whichf1.count`` or :meth:`from_matrix`; immutable. Stored as sparse columns: the
    columns ``true`` and ``predicted`` (codes into ``labels``) and ``count``, sorted, without zeros.
    Items that come in clusters have a cell for each cluster, and items that several systems
    predicted one for each combination of predictions.

    >>> import whichf1 as wf
    >>> monday, tuesday = wf.count([0, 1], [0, 1]), wf.count([1, 1], [0, 1])
    >>> counts = monday + tuesday
    >>> counts.n, list(counts.labels)
    (4, [0, 1])
    >>> counts.matrix
    array([[1, 0],
           [1, 2]])
    """

    _KEYS = ("true", "predicted")
    __slots__ = ()

    true: Array
    predictions: tuple[Array, ...]
    """The predicted class of each cell, by each system."""

    def __init__(
        self,
        labels: Labels,
        true: Array,
        predicted: Array | tuple[Array, ...],
        count: Array,
        *,
        declared: bool,
        decision: str | None = None,
        squares: Array | None = None,
        cluster: Array | None = None,
        cluster_names: Labels | None = None,
        systems: tuple[str, ...] = ("y_pred",),
        in_order: bool = False,
        n: int | None = None,
    ) -> None:
        """``in_order``: the cells are known to be sorted, distinct and not 0; ``n``: if known."""
        sides = predicted if isinstance(predicted, tuple) else (predicted,)
        if not in_order:
            refuse_sum(count)
            keys = np.stack([true, *sides, *([] if cluster is None else [cluster])])
            keys, count, squares = in_order_of_keys(keys, count, squares)
            true, *rest = keys
            sides = tuple(rest[: len(sides)])
            if cluster is not None:  # clusters without any weight are dropped
                cluster, cluster_names = present_clusters(rest[-1], cluster_names)
        fields: dict[str, Any] = {
            "labels": labels,
            "true": true,
            "predictions": sides,
            "count": count,
            "squares": squares,
            "cluster": cluster,
            "cluster_names": cluster_names,
            "systems": systems,
            "declared": declared,
            "decision": decision,
        }
        if n is not None:
            fields["n"] = n
        self._put(fields, true, *sides, count, squares, cluster)

    @classmethod
    def _columns(cls) -> tuple[str, ...]:
        return (*super()._columns(), "true", "predictions")

    def _keys(self, system: int | None = None) -> dict[str, Any]:
        sides = self.predictions if system is None else self.predictions[system]
        return {"true": self.true, "predicted": sides}

    @classmethod
    def _joined_keys(cls, parts: Sequence[Counts], labels: Labels) -> dict[str, Any]:
        codes = [None if x.labels is labels else labels.codes(x.labels) for x in parts]

        def joined(sides: Iterable[Array]) -> Array:
            pairs = zip(codes, sides, strict=True)
            return np.concatenate([side if code is None else code[side] for code, side in pairs])

        predicted = zip(*(part.predictions for part in parts), strict=True)
        return {"true": joined(x.true for x in parts), "predicted": tuple(map(joined, predicted))}

    @classmethod
    def _no_keys(cls) -> dict[str, Any]:
        return {"true": np.zeros(0, np.intp), "predicted": np.zeros(0, np.intp)}

    @classmethod
    def _restored_keys(cls, record: Any, labels: Labels, units: int) -> dict[str, Any]:
        return {name: record.codes(name, len(labels), units) for name in cls._KEYS}

    @property
    def predicted(self) -> Array:
        """The predicted class of each cell."""
        return self.predictions[0]

    @classmethod
    def from_matrix(
        cls, matrix: Any, *, rows: Literal["true", "predicted"], labels: Sequence[Any] | None = None
    ) -> Counts:
        """Counts from a square confusion matrix.

        matrix (array or dataframe): The counts. A pandas frame names its rows and columns; the
            first column of a polars frame has the names of its rows. Names decide which row and
            which column belong together, so both may be in any order.
        rows: What a row stands for; there is no default, because both conventions are common.
        labels: The classes. By default, the names of the rows, or 0, 1, 2, …
        Returns: The counts of the matrix.
        InputError: If the matrix is not square, a count is negative or not finite, names of rows
            and columns differ, or the last row and column are totals.

        >>> Counts.from_matrix([[5, 10], [5, 10]], rows="predicted", labels=["a", "b"]).n
        30
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"b": [1, 5], "a": [7, 0]}, index=["a", "b"])
        >>> Counts.from_matrix(frame, rows="true").matrix
        array([[7, 1],
               [0, 5]])
        """
        if not is_among(rows, ("true", "predicted")):
            raise InputError(
                f"rows must be 'true' or 'predicted'; got {rows!r}. Libraries differ in what a row "
                "of a confusion matrix stands for, so there is no default."
            )
        names, cells = _named(matrix)
        table = _square(cells)
        if names is not None:
            class_names, places = _paired(*names)
            table = table[:, places]
            _refuse_totals(class_names, table)
            return cls._of_table(table, rows, class_names).declare(
                class_names if labels is None else labels
            )
        class_names = Labels(range(len(table)) if labels is None else labels)
        if len(class_names) != len(table):
            raise ShapeError(
                f"the matrix has {numbered(len(table), 'class')}, but labels= has "
                f"{len(class_names)}"
            )
        return cls._of_table(table, rows, class_names)

    @classmethod
    def _of_table(cls, table: Array, rows: str, labels: Labels) -> Counts:
        true, predicted = np.nonzero(table if rows == "true" else table.T)
        count = (table if rows == "true" else table.T)[true, predicted]
        return cls(labels, true, predicted, count, declared=True)

    @classmethod
    def of_cells(cls, labels: Labels, cells: Array) -> Counts:
        """Counts of declared classes from all cells of a matrix, row by row of true classes."""
        filled = np.flatnonzero(cells)
        true, predicted = np.divmod(filled, len(labels))
        return cls(labels, true, predicted, cells[filled], declared=True, in_order=True)

    @property
    def matrix(self) -> Array:
        """The dense confusion matrix: rows are true classes, columns predicted ones."""
        self._refuse_several()
        k = len(self.labels)
        refuse_dense(k * k * self.count.itemsize, f"the {k:,} × {k:,} matrix")
        dense = np.zeros((k, k), self.count.dtype)
        np.add.at(dense, (self.true, self.predicted), self.count)
        return dense

    def shares(self, of: Literal["true", "predicted", "all"] = "true") -> Array:
        """The dense confusion matrix as fractions of items.

        of: Fractions of the items of each true class, of those predicted as each class, or of all.
        Returns: A row for each true class, a column for each predicted one; NaN where there are no
            items to take a fraction of.

        >>> counts = Counts.from_matrix([[3, 1], [1, 5]], rows="true")
        >>> counts.shares("true").tolist()
        [[0.75, 0.25], [0.16666666666666666, 0.8333333333333334]]
        """
        matrix = self.matrix.astype(np.float64)
        sums = {"true": (1, True), "predicted": (0, True), "all": (None, False)}
        if not is_among(of, sums):
            raise DefinitionError(f"of must be 'true', 'predicted' or 'all'; got {of!r}")
        axis, keep = sums[of]
        with np.errstate(invalid="ignore"):
            shares: Array = matrix / matrix.sum(axis, keepdims=keep)
        return shares

    @cached_property
    def table(self) -> Table:
        """The same cells as float64 arrays without labels, for formulas."""
        self._refuse_several()
        exact = not self.weighted and self.n <= 2**53
        count = self.count.astype(np.float64)
        return Table(self.true, self.predicted, count, len(self.labels), exact)

    def per_class(self) -> OneVsRest:
        """True and false positives and negatives of each class, in the order of ``labels``."""
        self._refuse_several()
        return Table(self.true, self.predicted, self.count, len(self.labels)).one_vs_rest()

    def declare(self, labels: Sequence[Any]) -> Counts:
        """The same items with these declared classes.

        labels: The classes and their order, including every observed class.
        Returns: The counts with these classes.
        LabelError: If an observed class is missing.

        >>> import whichf1 as wf
        >>> wf.count(["a", "b"], ["a", "a"]).declare(["b", "a", "c"]).matrix.shape
        (3, 3)
        """
        names = labels if isinstance(labels, Labels) else Labels(labels)
        refuse_undeclared(self.labels, names)
        codes = names.codes(self.labels)
        fields: dict[str, Any] = {"labels": names, "true": codes[self.true], "declared": True}
        fields["predicted"] = tuple(codes[side] for side in self.predictions)
        fields["in_order"] = bool((codes[1:] > codes[:-1]).all())
        return self.changed(**fields)

    def observed(self) -> Counts:
        """The same counts over the classes that occur, unless classes were declared."""
        return self if self.declared else self._over(self._present)

    @property
    def _present(self) -> Array:
        """The codes of the classes that occur."""
        return np.unique(np.concatenate([self.true, *self.predictions]))

    def _over(self, codes: Array) -> Counts:
        """The same counts over some of the classes, which include those that occur."""
        if len(codes) == len(self.labels):
            return self
        at = np.zeros(len(self.labels), np.intp)
        at[codes] = np.arange(len(codes))
        labels = Labels.trusted(self.labels[code] for code in codes)
        sides = tuple(at[side] for side in self.predictions)
        return self.changed(labels=labels, true=at[self.true], predicted=sides)

    def without(self, ignored: Sequence[Label], labels: Labels | None = None) -> Counts:
        """The same counts without the items of these true classes, then with ``labels`` declared.

        These classes disappear, as do those that only occurred in such items, unless they were
        declared; a class that is predicted for other items stays.
        """
        if labels is not None:
            return self.changed(declared=False).without(ignored).observed().declare(labels)
        if not ignored:
            return self
        kind = self.labels.kind  # a label of another type is a mistake; an absent one is not
        here = self.labels.codes([x for x in ignored if x in self.labels or kind_of(x) != kind])
        if not len(here):
            return self
        keep = ~np.isin(self.true, here)
        columns = {"true": self.true, "count": self.count, "squares": self.squares}
        columns |= {"cluster": self.cluster}
        kept = {name: x if x is None else x[keep] for name, x in columns.items()}
        sides = tuple(side[keep] for side in self.predictions)
        rest = self if keep.all() else self.changed(predicted=sides, **kept)
        if self.declared:
            return rest
        gone = np.setdiff1d(np.union1d(self._present, here), rest._present)
        return rest._over(np.setdiff1d(np.arange(len(self.labels)), gone))

    def __repr__(self) -> str:
        k = len(self.labels)
        return f"<Counts: {self._size()} in {numbered(k, 'class')} {some(self.labels)}>"


class NamedMatrix(NamedTuple):
    """A confusion matrix with the names of its rows and columns."""

    rows: Sequence[Any]
    columns: Sequence[Any]
    cells: Any


def _named(matrix: Any) -> tuple[tuple[list[Any], list[Any]] | None, Any]:
    """The names of rows and columns, if a matrix has them, and its cells."""
    if isinstance(matrix, NamedMatrix):
        return ([*matrix.rows], [*matrix.columns]), matrix.cells
    if not hasattr(matrix, "columns") or not hasattr(matrix, "to_numpy"):
        return None, matrix
    columns, cells = [*matrix.columns], np.asarray(matrix.to_numpy())
    if hasattr(matrix, "iloc") and cells.shape[0] == cells.shape[1]:
        return ([*matrix.index], columns), cells
    if cells.ndim != 2 or cells.shape[1] != cells.shape[0] + 1:
        raise ShapeError(
            f"a confusion matrix must be square, apart from the names of its rows; got shape "
            f"{cells.shape}. "
            "Name the rows in the index of a pandas frame, or in the first column."
        )
    return ([*cells[:, 0].tolist()], columns[1:]), cells[:, 1:]


def _paired(rows: list[Any], columns: list[Any]) -> tuple[Labels, list[int]]:
    """The classes of the rows, and the column of each; numbers as text are read as numbers."""
    sides = [_classes(rows), _classes(columns)]
    if sides[0].kind != sides[1].kind:
        sides = [Labels(from_text([str(x) for x in side])) for side in (rows, columns)]
    missing = [*({*sides[0]} ^ {*sides[1]})]
    if missing or sides[0].kind != sides[1].kind:
        here = "rows" if missing and missing[0] in sides[0] else "columns"
        raise LabelError(
            f"the rows are named {some(sides[0])}, the columns {some(sides[1])}"
            + (f"; {missing[0]!r} is only among the {here}" if missing else "")
            + ". Give both the same names, each class once."
        )
    return sides[0], [sides[1].code(label) for label in sides[0]]


def _classes(names: list[Any]) -> Labels:
    return Labels([name.strip() if isinstance(name, str) else name for name in names])


def _refuse_totals(names: Labels, table: Array) -> None:
    """Raise if the last row and column are the sums of the others, as in a cross table."""
    inside = table[:-1, :-1]
    if len(table) > 1 and inside.any():
        sums = (inside.sum(0), inside.sum(1), inside.sum())
        last = (table[-1, :-1], table[:-1, -1], table[-1, -1])
        if all(np.array_equal(a, b) for a, b in zip(sums, last, strict=True)):
            raise InputError(
                f"the last row and column, {names[-1]!r}, are the sums of the others: remove them"
            )


def in_order_of_keys(
    keys: Array, count: Array, squares: Array | None
) -> tuple[Array, Array, Array | None]:
    """Cells sorted by their keys (keys, cells), each combination once, without zeros."""
    order = np.lexsort(keys[::-1])
    order = order[count[order] != 0]
    keys = keys[:, order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (keys[:, 1:] != keys[:, :-1]).any(0)
    at, size = np.cumsum(new) - 1, int(new.sum())
    if squares is not None:
        squares = sum_by(at, squares[order], size)
    return keys[:, new], sum_by(at, count[order], size), squares


def refuse_dense(size: int, what: str) -> None:
    """Raise if a dense array would take ``size`` bytes, too many to allocate by accident."""
    if size > DENSE_BYTES:
        raise TooLargeError(
            f"{what} would need {size / 1e9:,.1f} GB. Use the sparse columns "
            "counts.true, counts.predicted and counts.count."
        )


def _square(matrix: Any) -> Array:
    """A confusion matrix as integers: square, whole and not negative."""
    try:
        table = np.asarray(matrix)
        if table.dtype == object and table.ndim == 2:  # beyond 64 bits, or next to names
            table = np.array(table.tolist())
            table = table.astype(np.float64) if table.dtype == object else table
    except OverflowError:
        raise InputError("a count of a confusion matrix exceeds 2**63") from None
    except (ValueError, TypeError):
        table = np.empty(0, object)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not table.size:
        raise ShapeError(
            "a confusion matrix must be square, with at least one "
            f"class; got shape {table.shape if table.dtype != object else 'ragged'}"
        )
    if table.dtype.kind not in "iuf":
        raise InputError(f"a confusion matrix must hold counts; got dtype {table.dtype}")
    wrong = ~np.isfinite(table) | (table < 0) | (table != np.floor(table)) | (table >= 2.0**63)
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        raise InputError(
            f"cell [{row}, {column}] is {table[row, column]}: counts must be whole numbers of at "
            "least 0. For weighted items use count(..., weights=)."
        )
    return table.astype(np.int64)
