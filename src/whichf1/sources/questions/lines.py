"""Scores by their values: the question that rankings and losses have, to a view or a frame."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from whichf1.errors import InputError
from whichf1.sources.answers.rows import Reading, is_missing
from whichf1.sources.engines.database import Database, quote
from whichf1.sources.engines.frame_kinds import quiet_at_exit, seen
from whichf1.sources.questions.derived import Derived, kept_names
from whichf1.sources.questions.grouped import Explain, Gap, as_number, missing, no_number, no_weight
from whichf1.sources.request import Columns
from whichf1.tables.cells import Array

KEY = "scores"
"""Under which an answer stands."""


class Lines(NamedTuple):
    """Items by true class and scores: one line for all that are alike."""

    true: Any
    """Values as the engine has them: a list, or an array without gaps."""
    scores: Array
    """(lines, columns); NaN where there is no number."""
    items: Array | None
    """How many items a line stands for; None where it is one."""
    weights: Array | None
    """The weight of a line, or of each of its items where they are alike in that, too."""
    squares: Array | None
    """The sum of squared weights, where weights are added up."""
    bad: Array | None
    """How many items of a line have no good weight, where weights are added up."""
    cluster: Any
    by: Sequence[Any]
    """The values of the columns that make slices, each a list or an array."""
    ordered: bool
    """Whether the lines are in the order of the items."""


class OfItems(ABC):
    """A question about items, in expressions that every engine computes: the same of all."""

    @abstractmethod
    def answer(self, items: Any, columns: Columns) -> list[Any]:
        """What items with the names k, s0, … and w, c, b0, … give."""

    def numbers(self, columns: Columns) -> list[str]:
        """The scores and the weights."""
        return [*columns.preds, *([columns.weights] if columns.weights else [])]

    def of_view(
        self, database: Database, columns: Columns, explain: Explain, columnar: bool
    ) -> dict[str, list[Any]]:
        """The answer for the view ``items``."""
        return {
            KEY: database.ask(lambda: self.answer(of_items(database, columns), columns), explain)
        }

    def of_frame(self, frame: Any, columns: Columns) -> dict[str, list[Any]]:
        """The answer for a frame; on Dask, partition by partition."""
        from whichf1.sources.engines.frames import by_partition

        refuse_text(frame, columns)
        if frame.implementation.is_dask():
            native = frame.to_native()
            return by_partition(native, columns, self._of_part, side_by_side)  # type: ignore[no-any-return]
        return self._of_part(frame, columns)

    def _of_part(self, frame: Any, columns: Columns) -> dict[str, list[Any]]:
        return {KEY: self.answer(prepared(frame, columns), columns)}

    def gaps(
        self, found: Mapping[str, list[Any]], columns: Columns, reading: Reading
    ) -> Iterator[Gap]:
        """The columns in which an answer shows a bad value: none, where that was asked before."""
        return iter(())

    def merged(self, found: list[Any]) -> list[Any]:
        """The answers of several parts: what is alike in them is added up where it is used."""
        return found


class Scoring(OfItems):
    """GROUP BY the true class and the scores, or what is derived from them.

    The items of a line are alike in weight and cluster, too, if they are to stay ``apart``;
    otherwise their weights are added up.
    """

    def __init__(self, apart: bool = False, derived: Derived | None = None) -> None:
        self._apart, self._derived = apart, derived

    def of_frame(self, frame: Any, columns: Columns) -> dict[str, list[Lines]]:
        """The lines of a frame; of one in memory, every item."""
        import narwhals as nw

        if self._derived is not None or not isinstance(frame, nw.DataFrame):
            return super().of_frame(frame, columns)
        refuse_text(frame, columns)
        items = prepared(frame, columns)
        found = dict(zip(items.columns, columns_of(items), strict=True))
        return {KEY: [_lines(found, columns)._replace(ordered=True)]}

    def answer(self, items: Any, columns: Columns) -> list[Lines]:
        """The lines, grouped by the engine."""
        from whichf1.sources.engines.frames import grouped_frame

        width = len(columns.preds)
        if self._derived is not None:
            items, width = self._derived.of(items, columns)
        summed = columns.weights is not None and not self._apart
        keys = ["k", *(f"s{at}" for at in range(width)), *kept_names(columns)]
        keys = [key for key in keys if key != "w" or not summed]
        names = [*keys, "n", *(["w", "ww", "bad"] if summed else [])]
        found = columns_of(grouped_frame(items, keys, summed))
        return [_lines(dict(zip(names, found, strict=True)), columns)]

    def gaps(
        self, found: Mapping[str, list[Lines]], columns: Columns, reading: Reading
    ) -> Iterator[Gap]:
        """Columns with missing classes, scores that are no numbers, or bad weights."""
        for lines in found[KEY] if self._derived is None else ():
            if gaps_in(lines.true).any():
                yield missing(columns.true)
            for column, bad in zip(columns.preds, ~np.isfinite(lines.scores).T, strict=True):
                if bad.any():
                    yield no_number(column)
            if columns.weights and bad_weights(lines).any():
                yield no_weight(columns.weights)
            if columns.cluster and gaps_in(lines.cluster).any():
                yield missing(columns.cluster)


def of_items(database: Database, columns: Columns) -> Any:
    """The view ``items`` as a frame: k, s0, s1, …, and where there are some w, c, b0, b1, …

    These are the true class, the scores, the weight, the cluster and what makes slices.
    """
    import narwhals as nw

    quiet_at_exit()
    shown = [f"{quote(columns.true)} AS k"]
    shown += [f"{as_number(name)} AS s{at}" for at, name in enumerate(columns.preds)]
    shown += [f"{as_number(columns.weights)} AS w"] if columns.weights else []
    shown += [f"{quote(columns.cluster)} AS c"] if columns.cluster else []
    shown += [f"{quote(name)} AS b{at}" for at, name in enumerate(columns.by)]
    items = nw.from_native(database.connection.sql(f"SELECT {', '.join(shown)} FROM items"))
    return _without_nan(items, columns)


def prepared(frame: Any, columns: Columns) -> Any:
    """A frame with the same names."""
    import narwhals as nw

    from whichf1.sources.engines.frames import weight_column
    from whichf1.sources.engines.objects import refuse_mixed_objects

    if isinstance(frame, nw.DataFrame):
        refuse_mixed_objects(frame, replace(columns, preds=()))
    scores = [nw.col(x).cast(nw.Float64).alias(f"s{at}") for at, x in enumerate(columns.preds)]
    cluster = [] if columns.cluster is None else [nw.col(columns.cluster).alias("c")]
    slices = [nw.col(name).alias(f"b{at}") for at, name in enumerate(columns.by)]
    true = nw.col(columns.true).alias("k")
    items = frame.select(true, *scores, *weight_column(columns), *cluster, *slices)
    return _without_nan(items, columns)


def _without_nan(items: Any, columns: Columns) -> Any:
    """NaN is no cluster, and to most engines it is not missing."""
    import narwhals as nw

    if columns.cluster is None or not items.collect_schema()["c"].is_float():
        return items
    c = nw.col("c")
    return items.with_columns(nw.when(~seen(c).is_nan()).then(c).alias("c"))


def side_by_side(parts: list[dict[str, list[Any]]]) -> dict[str, list[Any]]:
    """The answers of several parts as one."""
    return {KEY: [lines for part in parts for lines in part[KEY]]}


def refuse_text(frame: Any, columns: Columns) -> None:
    """Raise for scores that are no numbers."""
    import narwhals as nw

    schema = frame.collect_schema()
    for name in columns.preds:
        if not (schema[name].is_numeric() or schema[name] in (nw.Boolean, nw.Object, nw.Unknown)):
            raise InputError(
                f"column {name!r} holds {schema[name]}: scores are numbers. Convert it first."
            )


def _lines(found: Mapping[str, Any], columns: Columns) -> Lines:
    scores = [_numbers(found[name]) for name in found if name.startswith("s")]
    items, weights, squares, bad = (
        _numbers(found[name]) if name in found else None for name in ("n", "w", "ww", "bad")
    )
    return Lines(
        found["k"],
        np.column_stack(scores),
        None if items is None else items.astype(np.int64),
        weights,
        squares,
        bad,
        found.get("c"),
        [found[f"b{at}"] for at in range(len(columns.by))],
        False,
    )


def _numbers(column: Any) -> Array:
    if isinstance(column, np.ndarray) and column.dtype.kind in "fiub":
        return np.asarray(column, np.float64)
    return np.array([np.nan if is_missing(x) else x for x in column], np.float64)


def gaps_in(values: Any) -> Array:
    """Where a value is missing."""
    whole = isinstance(values, np.ndarray) and values.dtype.kind in "iub"
    if whole or (set(map(type, values)) == {str}):
        return np.zeros(len(values), np.bool_)
    return np.fromiter((is_missing(value) for value in values), np.bool_, len(values))


def bad_weights(lines: Lines) -> Array:
    """How many items of each line have no good weight."""
    if lines.weights is None:
        return np.zeros(len(lines.scores), np.int64)
    if lines.bad is not None:
        return lines.bad.astype(np.int64)
    with np.errstate(invalid="ignore"):
        wrong = ~(np.isfinite(lines.weights) & (lines.weights >= 0))
    return wrong * (1 if lines.items is None else lines.items)


def columns_of(result: Any) -> list[Any]:
    """The columns of a table, each engine in its own way."""
    import narwhals as nw

    native = nw.to_native(result)
    root = type(native).__module__.partition(".")[0]
    if root in ("duckdb", "_duckdb"):
        from whichf1.sources.engines.database import plain_columns

        return plain_columns(native)
    if root == "pyspark":
        rows = [tuple(row) for row in native.collect()]
        return [list(column) for column in zip(*rows, strict=True)] or [[]] * len(native.columns)
    table = result.collect() if isinstance(result, nw.LazyFrame) else result
    return [_column(table[name]) for name in table.columns]


def _column(series: Any) -> Any:
    import narwhals as nw

    if (series.dtype.is_numeric() or series.dtype == nw.Boolean) and not series.null_count():
        return series.to_numpy()
    return series.to_list()
