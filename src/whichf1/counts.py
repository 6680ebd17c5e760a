"""Counts: GROUP BY true, predicted. Every count-based score is computed from it alone."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from whichf1.errors import (
    FileError,
    InputError,
    LabelError,
    MergeError,
    ShapeError,
    TooLargeError,
    WeightError,
)
from whichf1.labels import Labels
from whichf1.merging import common_decision, common_labels, some
from whichf1.once import once
from whichf1.table import Array, OneVsRest, Table, sum_by
from whichf1.writing import written_whole

FORMAT = "whichf1.counts"
VERSION = 1
DENSE_BYTES = 1 << 30
"""A dense table larger than this (1 GiB) is refused."""


class Counts:
    """How many items of each class were predicted as each class.

    Made by ``whichf1.count`` or :meth:`from_matrix`; immutable. Sparse inside: three columns
    ``true``, ``predicted`` (codes into ``labels``) and ``count``, sorted, without zeros.
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

    @classmethod
    def from_matrix(
        cls, matrix: Any, *, rows: Literal["true", "predicted"], labels: Sequence[Any] | None = None
    ) -> Counts:
        """Counts from a square confusion matrix; ``rows`` says what a row stands for.

        >>> Counts.from_matrix([[5, 10], [5, 10]], rows="predicted", labels=["a", "b"]).n
        30
        """
        if rows not in ("true", "predicted"):
            raise InputError(
                f"rows must be 'true' or 'predicted'; got {rows!r}. Libraries differ in what a row "
                "of a confusion matrix stands for, so there is no default."
            )
        table = _square_of_counts(matrix)
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
        """No items yet: where a stream starts."""
        names = labels if isinstance(labels, Labels) else Labels(() if labels is None else labels)
        none = np.zeros(0, np.float64 if weighted else np.int64)
        codes = np.zeros(0, np.intp)
        return cls(names, codes, codes.copy(), none, declared=declared and labels is not None)

    def update(self, y_true: Any, y_pred: Any, *, weights: Any = None) -> Counts:
        """These counts and a further batch; Counts are immutable, so keep what is returned.

        >>> counts = Counts.empty()
        >>> for y_true, y_pred in ([[0, 1], [0, 1]], [[1, 1], [0, 1]]):
        ...     counts = counts.update(y_true, y_pred)
        >>> counts.n
        4
        """
        from whichf1.sources import count  # the way back, for the sake of a training loop

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
        """The same items under these declared classes, which must hold every observed one."""
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
        """Versioned JSON that keeps the labels' types."""
        return json.dumps(self._record())

    def _record(self) -> dict[str, Any]:
        record: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            "labels": self.labels,
            "declared": self.declared,
            "weighted": self.weighted,
            "true": self.true.tolist(),
            "predicted": self.predicted.tolist(),
            "count": self.count.tolist(),
            **({} if self.decision is None else {"decision": self.decision}),
        }
        if self.squares is not None:
            record["squares"] = self.squares.tolist()
        return record

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write :meth:`to_json` to a file, which appears whole or not."""
        with written_whole(path) as temporary:
            temporary.write_text(self.to_json(), encoding="ascii")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Counts:
        """Read what :meth:`save` wrote; a damaged file is an error."""
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError) as error:
            raise FileError(f"cannot read counts from {os.fspath(path)!r}: {error}") from None
        return cls.from_json(text, os.fspath(path))

    @classmethod
    def from_json(cls, text: str, name: str = "the text") -> Counts:
        """What :meth:`to_json` gave; ``name`` says in messages where it came from."""
        try:
            return _from_record(json.loads(text))
        except (ValueError, TypeError, KeyError, LabelError) as error:
            raise FileError(
                f"{name!r} is not a whole file of counts: {error}. Count again and save."
            ) from None


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


def refuse_dense(size: int, what: str) -> None:
    """Raise if a dense array of ``size`` bytes is more than a session should get by accident."""
    if size > DENSE_BYTES:
        raise TooLargeError(
            f"{what} would need {size / 1e9:,.1f} GB. Use the sparse columns "
            "counts.true, counts.predicted and counts.count."
        )


def _square_of_counts(matrix: Any) -> Array:
    try:
        table = np.asarray(matrix)
    except ValueError:
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
            f"cell [{row}, {column}] is {table[row, column]}: counts are whole and not negative. "
            "For weighted items use count(..., weights=)."
        )
    return table.astype(np.int64)


def _from_record(record: Any) -> Counts:
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise ValueError(f"no {FORMAT!r} in it")
    if record["version"] != VERSION:
        raise ValueError(f"its version is {record['version']!r}, this program reads {VERSION}")
    labels = Labels(record["labels"])
    dtype = np.float64 if record["weighted"] else np.int64
    true, predicted = (_codes(record[side], len(labels)) for side in ("true", "predicted"))
    count = np.array(record["count"], dtype)
    if not true.shape == predicted.shape == count.shape or count.ndim != 1:
        raise ValueError("its columns differ in length")
    if dtype is np.int64 and any(type(x) is not int for x in record["count"]):
        raise ValueError("a count is not a whole number")
    if not (np.isfinite(count) & (count > 0)).all():
        raise WeightError("a count is not positive")
    decision = record.get("decision")
    if not isinstance(decision, (str, type(None))):
        raise ValueError("its decision is no text")
    declared = record["declared"]
    if not isinstance(declared, bool):
        raise ValueError("whether its classes were declared is neither true nor false")
    squares = _squares(record, count) if record["weighted"] else None
    if "cluster" in record:
        return _clustered(record, labels, (true, predicted), count, squares)
    return Counts(
        labels, true, predicted, count, declared=declared, decision=decision, squares=squares
    )


def _clustered(
    record: Any, labels: Labels, sides: tuple[Array, Array], count: Array, squares: Array | None
) -> Counts:
    from whichf1.joint import Joint, cells_of  # the way back, for what was saved with clusters

    names = Labels(record["clusters"])
    cluster = _codes(record["cluster"], len(names))
    if cluster.shape != count.shape or len(np.unique(cluster)) < len(names):
        raise ValueError("its clusters are not those of its cells")
    keys, count, squares = cells_of([*sides, cluster], count, squares)
    return Joint(
        systems=("y_pred",),
        labels=labels,
        true=keys[0],
        predicted=(keys[1],),
        count=count,
        squares=squares,
        cluster=keys[2],
        names=names,
        declared=record["declared"],
        decision=record.get("decision"),
    ).counts(0)


def _squares(record: Any, count: Array) -> Array | None:
    if "squares" not in record:
        return None
    squares = np.array(record["squares"], np.float64)
    if squares.shape != count.shape or not (np.isfinite(squares) & (squares > 0)).all():
        raise WeightError("a sum of squared weights is missing or not positive")
    return squares


def _codes(values: Any, classes: int) -> Array:
    if not all(type(x) is int and 0 <= x < classes for x in values):
        raise ValueError("a code is not that of a label")
    return np.array(values, np.intp)
