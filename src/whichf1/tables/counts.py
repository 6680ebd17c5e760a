"""Counts: GROUP BY true, predicted. Every count-based score is computed from it alone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from whichf1.errors import FileError, InputError, LabelError, MergeError, ShapeError
from whichf1.tables.cells import Array, OneVsRest, Table, sum_by
from whichf1.tables.dense import refuse_dense, square_of_counts
from whichf1.tables.labels import Labels
from whichf1.tables.merging import common_decision, common_labels, some
from whichf1.tables.once import once
from whichf1.tables.writing import written_whole


class Counts:
    """How many items of each class were predicted as each class.

    Made by :func:`whichf1.count` or :meth:`from_matrix`; immutable. Stored sparsely: three columns
    ``true``, ``predicted`` (codes into ``labels``) and ``count``, sorted, without zeros.

    Examples
    --------
    >>> import whichf1 as wf
    >>> monday, tuesday = wf.count([0, 1], [0, 1]), wf.count([1, 1], [0, 1])
    >>> counts = monday + tuesday
    >>> counts.n, list(counts.labels)
    (4, [0, 1])
    >>> counts.matrix
    array([[1, 0],
           [1, 2]])
    """

    __slots__ = (
        "__dict__",
        "count",
        "decision",
        "declared",
        "labels",
        "predicted",
        "squares",
        "true",
    )

    labels: Labels
    true: Array
    predicted: Array
    count: Array
    declared: bool
    """Whether the classes were declared; if not, they are the observed ones."""
    decision: str | None
    """How scores became predictions, as 'score>=0.5'; None where classes were predicted."""
    squares: Array | None
    """The sum of squared weights in each cell, which intervals need; None without weights."""

    def __init__(
        self,
        labels: Labels,
        true: Array,
        predicted: Array,
        count: Array,
        *,
        declared: bool,
        decision: str | None = None,
        squares: Array | None = None,
        in_order: bool = False,
        n: int | None = None,
    ) -> None:
        """``in_order``: the cells are known to be sorted, distinct and not 0; ``n``: known, too."""
        if not in_order:
            true, predicted, count, squares = _in_order(labels, true, predicted, count, squares)
        for column in (true, predicted, count, squares):
            if column is not None:
                column.setflags(write=False)
        keep = object.__setattr__
        keep(self, "labels", labels)
        keep(self, "true", true)
        keep(self, "predicted", predicted)
        keep(self, "count", count)
        keep(self, "squares", squares)
        keep(self, "declared", declared)
        keep(self, "decision", decision)
        if n is not None:
            self.__dict__["n"] = n

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Counts are immutable: cannot set {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        columns = (self.labels, self.true, self.predicted, self.count)
        own = {x: getattr(self, x) for x in ("declared", "decision", "squares")}
        return _again, (type(self), columns, own)

    @classmethod
    def from_matrix(
        cls, matrix: Any, *, rows: Literal["true", "predicted"], labels: Sequence[Any] | None = None
    ) -> Counts:
        """Counts from a square confusion matrix.

        Parameters
        ----------
        matrix : array
            The counts, or sums of weights.
        rows : 'true' | 'predicted'
            What a row stands for; there is no default, because both conventions are common.
        labels : sequence, optional
            The classes. By default, 0, 1, 2, …

        Returns
        -------
        Counts
            The counts of the matrix.

        Raises
        ------
        InputError
            If the matrix is not square, or a count is negative or not finite.

        Examples
        --------
        >>> Counts.from_matrix([[5, 10], [5, 10]], rows="predicted", labels=["a", "b"]).n
        30
        """
        if rows not in ("true", "predicted"):
            raise InputError(
                f"rows must be 'true' or 'predicted'; got {rows!r}. Libraries differ in what a row "
                "of a confusion matrix stands for, so there is no default."
            )
        table = square_of_counts(matrix)
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

        Parameters
        ----------
        labels : sequence, optional
            The classes and their order.
        declared : bool, default True
            Whether the labels are declared, so that others are an error.
        weighted : bool, default False
            Whether items will have weights.

        Returns
        -------
        Counts
            Counts of no items.

        Raises
        ------
        LabelError
            If the labels are malformed.

        Examples
        --------
        >>> Counts.empty(["a", "b"]).n
        0
        """
        names = labels if isinstance(labels, Labels) else Labels(() if labels is None else labels)
        none = np.zeros(0, np.float64 if weighted else np.int64)
        codes = np.zeros(0, np.intp)
        return cls(names, codes, codes.copy(), none, declared=declared and labels is not None)

    def update(self, y_true: Any, y_pred: Any, *, weights: Any = None) -> Counts:
        """Add a further batch of items; Counts are immutable, so keep the result.

        Parameters
        ----------
        y_true, y_pred : array
            The true and the predicted class of each item of the batch.
        weights : array, optional
            The weight of each item.

        Returns
        -------
        Counts
            These counts and those of the batch.

        Raises
        ------
        InputError
            If the batch cannot be counted.
        MergeError
            If it cannot be added to these counts.

        Examples
        --------
        >>> counts = Counts.empty()
        >>> for y_true, y_pred in ([[0, 1], [0, 1]], [[1, 1], [0, 1]]):
        ...     counts = counts.update(y_true, y_pred)
        >>> counts.n
        4
        """
        from whichf1.sources.count import count  # the way back, for the sake of a training loop

        declared = self.labels if self.declared else None
        return self + count(y_true, y_pred, labels=declared, weights=weights)

    @once
    def n(self) -> int | float:
        """The number of items, or the sum of their weights."""
        total = np.add.reduce(self.count).item()
        return total  # type: ignore[no-any-return]

    @property
    def weighted(self) -> bool:
        """Whether the counts are sums of weights."""
        return self.count.dtype.kind == "f"

    @property
    def matrix(self) -> Array:
        """The dense confusion matrix: rows are true classes, columns predicted ones."""
        k = len(self.labels)
        refuse_dense(k * k * self.count.itemsize, f"the {k:,} × {k:,} matrix")
        dense = np.zeros((k, k), self.count.dtype)
        dense[self.true, self.predicted] = self.count
        return dense

    @once
    def table(self) -> Table:
        """The same cells as float64 arrays without labels, for formulas."""
        count = self.count.astype(np.float64)
        return Table(self.true, self.predicted, count, len(self.labels), self.squares)

    def per_class(self) -> OneVsRest:
        """True and false positives and negatives of each class, in the order of ``labels``."""
        return Table(self.true, self.predicted, self.count, len(self.labels)).one_vs_rest()

    def declare(self, labels: Sequence[Any]) -> Counts:
        """The same items with these declared classes.

        Parameters
        ----------
        labels : sequence
            The classes and their order, including every observed class.

        Returns
        -------
        Counts
            The counts with these classes.

        Raises
        ------
        LabelError
            If an observed class is missing.

        Examples
        --------
        >>> import whichf1 as wf
        >>> wf.count(["a", "b"], ["a", "a"]).declare(["b", "a", "c"]).matrix.shape
        (3, 3)
        """
        names = labels if isinstance(labels, Labels) else Labels(labels)
        outside = next((x for x in self.labels if x not in names), None)
        if outside is not None:
            raise LabelError(
                f"label {outside!r} is not among the declared ones: {some(names)}. "
                "Add it to labels=, or drop its items first."
            )
        codes = names.codes(self.labels)
        return Counts(
            names,
            codes[self.true],
            codes[self.predicted],
            self.count.copy(),
            declared=True,
            decision=self.decision,
            squares=None if self.squares is None else self.squares.copy(),
        )

    def __add__(self, other: object) -> Counts:
        if isinstance(other, int) and other == 0:
            return self  # so that sum(parts) works
        if not isinstance(other, Counts):
            return NotImplemented
        if self.weighted != other.weighted and self.n and other.n:
            raise MergeError(
                "one part was counted with weights, the other without. Count both the same way."
            )
        names, declared = common_labels(self, other)
        left, right = names.codes(self.labels), names.codes(other.labels)
        return Counts(
            names,
            np.concatenate([left[self.true], right[other.true]]),
            np.concatenate([left[self.predicted], right[other.predicted]]),
            np.concatenate([self.count, other.count]),
            declared=declared,
            decision=common_decision(self.decision, other.decision),
            squares=_added_squares(self, other),
        )

    __radd__ = __add__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        return (
            self.labels == other.labels
            and self.declared == other.declared
            and self.decision == other.decision
            and self.weighted == other.weighted
            and np.array_equal(self.true, other.true)
            and np.array_equal(self.predicted, other.predicted)
            and np.array_equal(self.count, other.count)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        k, n = len(self.labels), self.n
        items = f"weight {n:g}" if self.weighted else f"{n:,} items"
        return f"<Counts: {items} in {k:,} classes {some(self.labels)}>"

    def to_json(self) -> str:
        """The counts as versioned JSON, which preserves the types of labels."""
        from whichf1.tables import saving

        return saving.to_json(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write :meth:`to_json` to a file, completely or not at all.

        Parameters
        ----------
        path : str or path
            The file.

        Raises
        ------
        FileError
            If the file cannot be written.

        Examples
        --------
        >>> import tempfile, whichf1 as wf
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     wf.count([0, 1], [0, 1]).save(f"{folder}/counts.json")
        ...     wf.Counts.load(f"{folder}/counts.json").n
        2
        """
        with written_whole(path) as temporary:
            temporary.write_text(self.to_json(), encoding="ascii")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Counts:
        """Read a file written by :meth:`save`.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        Counts
            The counts.

        Raises
        ------
        FileError
            If the file is missing or damaged.

        Examples
        --------
        See :meth:`save`.
        """
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError) as error:
            raise FileError(f"cannot read counts from {os.fspath(path)!r}: {error}") from None
        return cls.from_json(text, repr(os.fspath(path)))

    @classmethod
    def from_json(cls, text: str | bytes, name: str = "the text") -> Counts:
        """Read text written by :meth:`to_json`.

        Parameters
        ----------
        text : str or bytes
            The text.
        name : str, optional
            What error messages call the text.

        Returns
        -------
        Counts
            The counts.

        Raises
        ------
        FileError
            If the text is damaged.

        Examples
        --------
        >>> import whichf1 as wf
        >>> wf.Counts.from_json(wf.count([0, 1], [0, 1]).to_json()).n
        2
        """
        from whichf1.tables import saving

        return saving.from_json(text, name)


def _again(kind: type[Counts], columns: tuple[Any, ...], own: dict[str, Any]) -> Counts:
    """Counts that were sent to another process, or copied."""
    return kind(*columns, **own, in_order=True)


def _in_order(
    labels: Labels, true: Array, predicted: Array, count: Array, squares: Array | None
) -> tuple[Array, Array, Array, Array | None]:
    """The cells sorted, each pair once, without zeros."""
    keep = count != 0
    if not keep.all():
        true, predicted, count = true[keep], predicted[keep], count[keep]
        squares = None if squares is None else squares[keep]
    key = true * len(labels) + predicted
    if not (key[1:] > key[:-1]).all():
        key, at = np.unique(key, return_inverse=True)
        count = sum_by(at, count, len(key))
        squares = None if squares is None else sum_by(at, squares, len(key))
        true, predicted = np.divmod(key, len(labels))
    return true, predicted, count, squares


def _added_squares(a: Counts, b: Counts) -> Array | None:
    """Those of both parts; a part without items has nothing to add."""
    known = [part.squares for part in (a, b) if len(part.count)]
    if not known or any(squares is None for squares in known):
        return None
    return np.concatenate([squares for squares in known if squares is not None])
