"""Accumulator: a table of a stream that grows in place, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isqrt
from threading import Lock
from typing import Any

import numpy as np

from whichf1 import kernel
from whichf1.errors import InputError
from whichf1.scoring.lines import mean_definition as mean_definition
from whichf1.scoring.lines import moments
from whichf1.sources.annotations import ratings
from whichf1.sources.counts import count, count_by, rank, rank_by
from whichf1.sources.label_sets import count_multilabel
from whichf1.sources.sequences import is_on_device, to_numpy
from whichf1.tables.annotations import Ratings
from whichf1.tables.cells import Array
from whichf1.tables.counts import Counts
from whichf1.tables.label_sets import MultiLabelCounts
from whichf1.tables.labels import Labels
from whichf1.tables.moments import Moments
from whichf1.tables.ranking import Ranking
from whichf1.tables.slices import Slices
from whichf1.tables.units import Additive, merged, stacked

MOST_CLASSES = isqrt((1 << 26) // 8)
"""Up to this many declared classes have a dense table, of at most 64 MiB."""
MOST_ITEMS = 1 << 16
"""Larger batches are counted by several threads first."""
UNKNOWN, DROPPED = -1, -2
"""The code of a label that is not one of the classes."""


class Accumulator:
    """A table that grows in place, batch by batch; it can be updated from several threads.

    The result equals that of its function on all batches together: ``whichf1.count`` by default, or
    ``rank``, ``rank_histogram``, ``count_multilabel``, ``moments``, ``count_by`` or ``rank_by``.
    Predictions with declared labels are added to a dense table, so the cost of an update does not
    depend on how many came before.

    count (function): The function that counts a batch. Default: ``whichf1.count``.
    labels: The classes and their order. By default, those that occur.
    ignore: True classes whose items are dropped, such as [-100] for padding.
    weights, cluster (str): Columns of the batches, if these are dataframes.
    **options: Further options shared by all batches, such as ``positive`` of ``rank``.

    >>> import whichf1 as wf
    >>> acc = wf.Accumulator(labels=range(3), ignore=[-100])
    >>> for y_true, y_pred in ([[0, 1, -100], [0, 2, 1]], [[2, 2], [2, 0]]):
    ...     acc.update(y_true, y_pred)
    >>> acc.counts.matrix
    array([[1, 0, 0],
           [0, 0, 1],
           [1, 0, 1]])
    >>> scores = wf.Accumulator(wf.rank, positive=1)
    >>> scores.update([0, 1, 1], [0.2, 0.9, 0.1])
    >>> wf.roc_auc(scores.table).value
    0.5
    """

    def __init__(
        self,
        count: Callable[..., Any] = count,
        *,
        labels: Any = None,
        ignore: Sequence[Any] = (),
        weights: str | None = None,
        cluster: str | None = None,
        **options: Any,
    ) -> None:
        if not callable(count):
            raise InputError(f"an Accumulator takes a function such as whichf1.rank; got {count!r}")
        for name, column in (("weights", weights), ("cluster", cluster)):
            if not isinstance(column, (str, type(None))):
                raise InputError(
                    f"{name}= names a column of the batches; pass arrays to update(...)"
                )
        names = None if labels is None else Labels(labels)
        shared = {"labels": names, "weights": weights, "cluster": cluster, **options}
        self._options = {name: value for name, value in shared.items() if value is not None}
        ignored = Labels(() if ignore is None else ignore)
        if ignored:
            self._options["ignore"] = ignored
        self._count, self._lock = count, Lock()
        self._dense: _Dense | None = None
        if count is _PREDICTIONS and self._options.keys() <= {"labels", "ignore"}:
            self._dense = _Dense.of(names, ignored)
        self._parts: tuple[Any, ...] = ()

    def update(self, y_true: Any, y_pred: Any = None, **options: Any) -> None:
        """Add a batch. If it is refused, no part of it is added.

        y_true, y_pred (array, dataframe or path): The batch: predictions, scores or sets of labels.
        **options: Options of this batch alone, such as the ``weights`` of its items.
        InputError: If the batch cannot be counted.
        MergeError: If it cannot be added to the batches before.

        >>> import whichf1 as wf
        >>> acc = wf.Accumulator()
        >>> acc.update(["a", "b"], ["a", "a"], weights=[1, 0.5])
        >>> acc.counts.n
        1.5
        """
        if self._dense is not None and not options and self._dense.add(y_true, y_pred, self._lock):
            return
        batch = _batch(y_true, y_pred)
        if batch is None:
            return
        part = self._count(*batch, **self._options, **options)
        if not isinstance(part, Additive):
            raise InputError(f"the function returned {type(part).__name__}, which cannot be added")
        with self._lock:
            for other in self._parts[:1]:
                if type(other) is not type(part):
                    raise InputError(f"batches of {other.kind} and of {part.kind} cannot be added")
                other.agreed(part)
            self._parts = stacked(self._parts, part, lambda x: x.units)

    @property
    def table(self) -> Any:
        """All batches so far as one table; later batches do not change it."""
        with self._lock:
            dense = None if self._dense is None else self._dense.counts()
            self._parts = (merged(self._parts),) if self._parts else ()
            parts = self._parts if dense is None else (dense, *self._parts)
        if parts:
            return merged(parts)
        if self._count is _PREDICTIONS:
            return Counts.empty(self._options.get("labels"))
        raise InputError("there are no batches yet: call update first")

    @property
    def counts(self) -> Any:
        """The same as ``table``, for an Accumulator of counts."""
        return self.table

    def reset(self) -> None:
        """Start again from no batches."""
        with self._lock:
            self._parts = ()
            if self._dense is not None:
                self._dense.cells[:] = 0

    def __repr__(self) -> str:
        names = ", ".join(self._options)
        return f"<Accumulator of {getattr(self._count, '__name__', self._count)}({names})>"


_PREDICTIONS = count


class _Dense:
    """A table of all pairs of declared classes."""

    def __init__(
        self, labels: Labels, codes: Array, low: int, texts: dict[Any, int] | None = None
    ) -> None:
        """``texts``: the number that stands for each text; None if labels are numbers."""
        self.labels, self.codes, self.low, self.texts = labels, codes, low, texts
        self.cells = np.zeros(len(labels) ** 2, np.int64)

    @classmethod
    def of(cls, labels: Labels | None, ignored: Labels) -> _Dense | None:
        """A table for these classes; None if there are too many or their labels are far apart."""
        if not labels or len(labels) > MOST_CLASSES or {*labels} & {*ignored}:
            return None
        every = [*labels, *ignored]
        if labels.kind == "str":
            codes = np.arange(len(every), dtype=np.int32)
            codes[len(labels) :] = DROPPED
            return cls(labels, codes, 0, {label: at for at, label in enumerate(every)})
        low, high = int(min(every)), int(max(every))
        if high - low > 4 * MOST_CLASSES or not low > -(2**62):
            return None
        codes = np.full(high - low + 1, UNKNOWN, np.int32)
        codes[[int(x) - low for x in ignored]] = DROPPED
        codes[[int(x) - low for x in labels]] = np.arange(len(labels))
        return cls(labels, codes, low)

    def add(self, y_true: Any, y_pred: Any, lock: Lock) -> bool:
        """Add a batch; False, with nothing added, if it must be examined more closely."""
        true, predicted = self._integers(y_true), self._integers(y_pred)
        if true is None or predicted is None or true.shape != predicted.shape:
            return False
        with lock:
            return kernel.add_pairs(true, predicted, self.codes, self.low, self.cells)

    def _integers(self, data: Any) -> Array | None:
        """A column of labels as integers; None if it is not one."""
        if self.texts is not None:
            return self._coded(data)
        if type(data) is not np.ndarray:
            if not hasattr(data, "detach"):
                return None
            try:
                data = data.numpy()
            except (RuntimeError, TypeError):  # a device, a gradient, or no NumPy counterpart
                if is_on_device(data):
                    return None
                data = to_numpy(data)
        kind, number = data.dtype.kind, self.labels.kind == "int"
        fits = kind == "i" or (kind == "u" and data.dtype.itemsize < 8) if number else kind == "b"
        return data if fits and data.ndim == 1 and 0 < len(data) <= MOST_ITEMS else None

    def _coded(self, data: Any) -> Array | None:
        """A column of texts as the numbers that stand for them."""
        if isinstance(data, np.ndarray) and data.dtype.kind in "UO" and data.ndim == 1:
            data = data.tolist()
        if not isinstance(data, (list, tuple)) or not 0 < len(data) <= MOST_ITEMS:
            return None
        try:
            codes = [self.texts[text] for text in data]  # type: ignore[index]
        except (KeyError, TypeError):  # unknown, or not text
            return None
        return np.array(codes)

    def counts(self) -> Counts | None:
        """Everything added so far; None if nothing has been added."""
        return Counts.of_cells(self.labels, self.cells) if self.cells.any() else None


def count_batch(table: Any, y_true: Any, y_pred: Any, options: Mapping[str, Any]) -> Any:
    """A batch as a table of the same kind; None if it has no items."""
    batch = _batch(y_true, y_pred)
    if batch is None:
        return None
    for name in ("labels", "positive", "by"):
        if options.get(name) is not None:
            raise InputError(f"{name}= belongs to the table, not to a batch: omit it")
    if isinstance(table, Slices):
        return _count_slices(table, batch, options)
    declared = table.labels if getattr(table, "declared", table.labels) else None
    match table:
        case Counts():
            return count(*batch, labels=declared, **options)
        case MultiLabelCounts():
            return count_multilabel(*batch, labels=declared, **options)
        case Ratings():
            return ratings(*batch, labels=declared, **options)
        case Ranking():
            if table.resolution is not None:
                raise InputError(
                    "the scores of this ranking are in bins: add a rank_histogram of the batch"
                )
            return rank(*batch, positive=table.positive, labels=declared, **options)
    facts = {**dict(table.parameters), "labels": declared, "positive": table.positive}
    return moments(y_true, y_pred, table.metric, **facts, **options)


def _count_slices(table: Slices, batch: tuple[Any, ...], options: Mapping[str, Any]) -> Slices:
    whole: Any = table.whole
    if isinstance(whole, Moments):
        raise InputError("slices of moments take no batches: add slices of the batch with +")
    labels = whole.labels if whole.declared else None
    if isinstance(whole, Ranking):
        return rank_by(*batch, by=table.by, positive=whole.positive, labels=labels, **options)
    return count_by(*batch, by=table.by, labels=labels, **options)


def _batch(y_true: Any, y_pred: Any) -> tuple[Any, ...] | None:
    """The positional arguments that count a batch; None if it has no items."""
    if not any(_size(side) for side in (y_true, y_pred)):
        return None  # such as the last batch of a loader
    return (y_true,) if y_pred is None else (y_true, y_pred)


def _size(data: Any) -> int:
    try:
        return len(data)
    except Exception:  # a path, a lazy frame, no predictions, or an object that refuses
        return 0 if data is None else 1
