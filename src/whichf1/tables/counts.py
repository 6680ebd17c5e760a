"""Counts: GROUP BY true, predicted. Every count-based score is computed from it alone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np

from whichf1.errors import InputError, ShapeError, TooLargeError, is_among
from whichf1.tables.cells import Array, OneVsRest, Table, sum_by
from whichf1.tables.labels import Label, Labels, kind_of
from whichf1.tables.units import Units, present_clusters, refuse_overflow, refuse_undeclared, some

DENSE_BYTES = 1 << 30
"""A dense table larger than this (1 GiB) is refused."""


class Counts(Units):
    """How many items of each class were predicted as each class.

    Made by ``whichf1.count`` or :meth:`from_matrix`; immutable. Sparse inside: the columns
    ``true`` and ``predicted`` (codes into ``labels``) and ``count``, sorted, without zeros. Items
    that come in clusters have a cell for each cluster, and items that several systems predicted
    one for each combination of predictions.

    >>> import whichf1 as wf
    >>> monday, tuesday = wf.count([0, 1], [0, 1]), wf.count([1, 1], [0, 1])
    >>> counts = monday + tuesday
    >>> counts.n, list(counts.labels)
    (4, [0, 1])
    >>> counts.matrix
    array([[1, 0],
           [1, 2]])
    """

    __slots__ = ("predictions", "true")

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
        """``in_order``: the cells are known to be sorted, distinct and not 0; ``n``: known, too."""
        sides = predicted if isinstance(predicted, tuple) else (predicted,)
        if not in_order:
            refuse_overflow(count)
            keys = np.stack([true, *sides, *([] if cluster is None else [cluster])])
            keys, count, squares = in_order_of_keys(keys, count, squares)
            true, *rest = keys
            sides = tuple(rest[: len(sides)])
            if cluster is not None:  # clusters without any weight are gone
                cluster, cluster_names = present_clusters(rest[-1], cluster_names)
        for side in sides:
            side.setflags(write=False)
        columns = {"true": true, "predictions": sides, "count": count, "squares": squares}
        clusters = {"cluster": cluster, "cluster_names": cluster_names}
        facts = {"labels": labels, "systems": systems, "declared": declared, "decision": decision}
        super().__init__(**columns, **clusters, **facts)
        if n is not None:
            self.__dict__["n"] = n

    def _keys(self, system: int | None = None) -> dict[str, Any]:
        sides = self.predictions if system is None else self.predictions[system]
        return {"true": self.true, "predicted": sides}

    def _joined_keys(self, parts: Sequence[Counts], labels: Labels) -> dict[str, Any]:
        code = [labels.codes(part.labels) for part in parts]
        columns = zip(*((part.true, *part.predictions) for part in parts), strict=True)
        true, *sides = (
            np.concatenate([at[x] for at, x in zip(code, column, strict=True)])
            for column in columns
        )
        return {"true": true, "predicted": tuple(sides)}

    @property
    def predicted(self) -> Array:
        """The predicted class of each cell."""
        return self.predictions[0]

    @classmethod
    def from_matrix(
        cls, matrix: Any, *, rows: Literal["true", "predicted"], labels: Sequence[Any] | None = None
    ) -> Counts:
        """Counts from a square confusion matrix.

        matrix (array): The counts, or sums of weights.
        rows: What a row stands for; there is no default, because both conventions are common.
        labels: The classes. By default, 0, 1, 2, …
        Returns: The counts of the matrix.
        InputError: If the matrix is not square, or a count is negative or not finite.

        >>> Counts.from_matrix([[5, 10], [5, 10]], rows="predicted", labels=["a", "b"]).n
        30
        """
        if not is_among(rows, ("true", "predicted")):
            raise InputError(
                f"rows must be 'true' or 'predicted'; got {rows!r}. Libraries differ in what a row "
                "of a confusion matrix stands for, so there is no default."
            )
        table = _square(matrix)
        names = Labels(range(len(table)) if labels is None else labels)
        if len(names) != len(table):
            raise ShapeError(f"the matrix has {len(table)} classes, labels= has {len(names)}")
        if rows == "predicted":
            table = table.T
        true, predicted = np.nonzero(table)
        return cls(names, true, predicted, table[true, predicted], declared=True)

    @classmethod
    def empty(
        cls, labels: Sequence[Any] | None = None, *, declared: bool = True, weighted: bool = False
    ) -> Counts:
        """Counts of no items, as the start of a stream.

        declared: Whether the labels are declared, so that others are an error.
        weighted: Whether items will have weights.
        Returns: Counts of no items.
        LabelError: If the labels are malformed.

        >>> Counts.empty(["a", "b"]).n
        0
        """
        for name, flag in (("declared", declared), ("weighted", weighted)):
            if not isinstance(flag, (bool, np.bool_)):
                raise InputError(f"{name}= is True or False; got {flag!r}")
        names = labels if isinstance(labels, Labels) else Labels(() if labels is None else labels)
        none = np.zeros(0, np.float64 if weighted else np.int64)
        codes = np.zeros(0, np.intp)
        return cls(names, codes, codes.copy(), none, declared=declared and labels is not None)

    def update(
        self, y_true: Any, y_pred: Any, *, weights: Any = None, ignore: Sequence[Any] = ()
    ) -> Counts:
        """Add a further batch of items; Counts are immutable, so keep the result.

        y_true, y_pred (array): The true and the predicted class of each item of the batch.
        weights (array): The weight of each item.
        ignore: True classes whose items are dropped, such as [-100] for padding.
        Returns: These counts and those of the batch.
        InputError: If the batch cannot be counted.
        MergeError: If it cannot be added to these counts.

        >>> counts = Counts.empty()
        >>> for y_true, y_pred in ([[0, 1], [0, 1]], [[1, 1], [0, 1]]):
        ...     counts = counts.update(y_true, y_pred)
        >>> counts.n
        4
        """
        from whichf1.sources.counts import count  # the way back, for the sake of a training loop

        declared = self.labels if self.declared else None
        if not any(map(_size, (y_true, y_pred))):
            return self  # the last batch of a loader, say
        return self + count(y_true, y_pred, labels=declared, weights=weights, ignore=ignore)

    @property
    def matrix(self) -> Array:
        """The dense confusion matrix: rows are true classes, columns predicted ones."""
        self._refuse_several()
        k = len(self.labels)
        refuse_dense(k * k * self.count.itemsize, f"the {k:,} × {k:,} matrix")
        dense = np.zeros((k, k), self.count.dtype)
        np.add.at(dense, (self.true, self.predicted), self.count)
        return dense

    @cached_property
    def table(self) -> Table:
        """The same cells as float64 arrays without labels, for formulas."""
        self._refuse_several()
        return Table(self.true, self.predicted, self.count.astype(np.float64), len(self.labels))

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
        sides = tuple(codes[side] for side in self.predictions)
        return self.changed(labels=names, true=codes[self.true], predicted=sides, declared=True)

    def observed(self) -> Counts:
        """The same over the classes that occur, unless classes were declared."""
        present = np.unique(np.concatenate([self.true, *self.predictions]))
        if self.declared or len(present) == len(self.labels):
            return self
        at = np.zeros(len(self.labels), np.intp)
        at[present] = np.arange(len(present))
        labels = Labels.trusted(self.labels[code] for code in present)
        sides = tuple(at[side] for side in self.predictions)
        return self.changed(labels=labels, true=at[self.true], predicted=sides)

    def without(self, ignored: Sequence[Label], labels: Labels | None = None) -> Counts:
        """The same without the items of these true classes, then with ``labels`` declared.

        A class is then gone too, unless it was declared, or is predicted for other items.
        """
        if labels is not None:
            return self.changed(declared=False).without(ignored).observed().declare(labels)
        if not ignored:
            return self
        kind = self.labels.kind  # a label of another kind is a mistake, an absent one is not
        here = [x for x in ignored if x in self.labels or kind_of(x) != kind]
        keep = ~np.isin(self.true, self.labels.codes(here))
        if keep.all():
            return self
        columns = {"true": self.true, "count": self.count, "squares": self.squares}
        columns |= {"cluster": self.cluster}
        kept = {name: x if x is None else x[keep] for name, x in columns.items()}
        sides = tuple(side[keep] for side in self.predictions)
        return self.changed(predicted=sides, **kept).observed()

    def __repr__(self) -> str:
        k = len(self.labels)
        return f"<Counts: {self._shown()} in {k:,} classes {some(self.labels)}>"

    def to_json(self) -> str:
        """The counts as versioned JSON, which preserves the types of labels."""
        from whichf1.tables import saving  # slow to import

        self._refuse_several()
        return saving.to_json(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write :meth:`to_json` to a file, completely or not at all.

        FileError: If the file cannot be written.

        >>> import tempfile, whichf1 as wf
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     wf.count([0, 1], [0, 1]).save(f"{folder}/counts.json")
        ...     wf.Counts.load(f"{folder}/counts.json").n
        2
        """
        from whichf1.tables import saving  # slow to import

        saving.write_whole(path, self.to_json().encode("ascii"))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Counts:
        """Read a file written by :meth:`save`.

        Returns: The counts.
        FileError: If the file is missing or damaged.

        >>> import tempfile, whichf1 as wf
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     wf.count([0, 1], [0, 1]).save(f"{folder}/counts.json")
        ...     wf.Counts.load(f"{folder}/counts.json").n
        2
        """
        from whichf1.tables import saving  # slow to import

        return cls.from_json(saving.read_text(path), repr(str(path)))

    @classmethod
    def from_json(cls, text: str | bytes, name: str = "the text") -> Counts:
        """Read text written by :meth:`to_json`.

        text: The text.
        name: What error messages call the text.
        Returns: The counts.
        FileError: If the text is damaged.

        >>> import whichf1 as wf
        >>> wf.Counts.from_json(wf.count([0, 1], [0, 1]).to_json()).n
        2
        """
        from whichf1.tables import saving  # slow to import

        return cls(**saving.from_json(text, name))


def _size(data: Any) -> int:
    return len(data) if hasattr(data, "__len__") else 1


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
    """Raise if a dense array of ``size`` bytes is more than anyone should get by accident."""
    if size > DENSE_BYTES:
        raise TooLargeError(
            f"{what} would need {size / 1e9:,.1f} GB. Use the sparse columns "
            "counts.true, counts.predicted and counts.count."
        )


def _square(matrix: Any) -> Array:
    """A confusion matrix as integers: square, whole and not negative."""
    try:
        table = np.asarray(matrix)
        if table.dtype == object and table.ndim == 2:  # beyond 64 bits
            table = table.astype(np.float64)
    except OverflowError:
        raise InputError("a count of a confusion matrix is beyond 2**63") from None
    except (ValueError, TypeError):
        table = np.empty(0, object)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not table.size:
        raise ShapeError(
            "a confusion matrix is square, with at least one class; "
            f"got shape {table.shape if table.dtype != object else 'ragged'}"
        )
    if table.dtype.kind not in "iuf":
        raise InputError(f"a confusion matrix holds counts; got dtype {table.dtype}")
    wrong = ~np.isfinite(table) | (table < 0) | (table != np.floor(table)) | (table >= 2.0**63)
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        raise InputError(
            f"cell [{row}, {column}] is {table[row, column]}: counts must be whole numbers of at "
            "least 0. For weighted items use count(..., weights=)."
        )
    return table.astype(np.int64)
