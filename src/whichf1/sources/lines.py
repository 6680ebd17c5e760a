"""Scores column by column: the question that rankings and losses have, to a view or a frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from whichf1.errors import InputError
from whichf1.sources.cells import Reading, is_missing
from whichf1.sources.columns import Columns
from whichf1.sources.database import Database, quote
from whichf1.sources.queries import Explain, Gap, as_number, measures
from whichf1.table import Array

KEY = "scores"
"""Under which an answer stands."""


class Lines(NamedTuple):
    """Items by true class and scores: one line for each item, or for all that are alike."""

    true: Any
    """Values as the engine has them: a list, or an array without gaps."""
    scores: Array
    """(lines, columns); NaN where there is no number."""
    items: Array | None
    """How many items a line stands for; None where it is one."""
    weights: Array | None
    """The weight of a line; NaN where a single item has none."""
    bad: Array | None
    """How many items of a line have no good weight, where they are grouped."""
    cluster: Any
    ordered: bool
    """Whether the lines are in the order of the items."""


class Scoring:
    """The true class and the scores of items; grouped, those that are alike as one line."""

    def __init__(self, grouped: bool) -> None:
        self.grouped, self.ordered = grouped, not grouped

    def numbers(self, columns: Columns) -> list[str]:
        """The scores and the weights."""
        return [*columns.preds, *([columns.weights] if columns.weights else [])]

    def of_view(
        self, database: Database, columns: Columns, explain: Explain, columnar: bool
    ) -> dict[str, list[Lines]]:
        """The lines of the view ``items``."""
        shown = [f"{quote(columns.true)} AS k"]
        shown += [f"{as_number(name)} AS s{at}" for at, name in enumerate(columns.preds)]
        shown += [f"{as_number(columns.weights)} AS w"] if columns.weights else []
        shown += [f"{quote(columns.cluster)} AS c"] if columns.cluster else []
        items = f"SELECT {', '.join(shown)} FROM items"
        keys = ", ".join(["k", *(f"s{at}" for at in range(len(columns.preds)))])
        query = f"SELECT {keys}, {measures(columns)} FROM ({items}) GROUP BY {keys}"
        found = database.columns(query if self.grouped else items, explain)
        return {KEY: [_lines(found, columns, self.grouped, ordered=not self.grouped)]}

    def of_frame(self, frame: Any, columns: Columns) -> dict[str, list[Lines]]:
        """The lines of a frame; of one in memory, every item."""
        from whichf1.sources.frames import by_partition

        _refuse_text(frame, columns)
        if frame.implementation.is_dask():
            native = frame.to_native()
            return by_partition(native, columns, self._of_part, _side_by_side)  # type: ignore[no-any-return]
        return self._of_part(frame, columns)

    def _of_part(self, frame: Any, columns: Columns) -> dict[str, list[Lines]]:
        import narwhals as nw

        from whichf1.sources.frames import grouped_frame, weight_column

        scores = [nw.col(x).cast(nw.Float64).alias(f"s{at}") for at, x in enumerate(columns.preds)]
        cluster = [] if columns.cluster is None else [nw.col(columns.cluster).alias("c")]
        selected = frame.select(
            nw.col(columns.true).alias("k"), *scores, *weight_column(columns), *cluster
        )
        memory = isinstance(frame, nw.DataFrame)
        grouped = self.grouped and not memory
        if grouped:
            keys = ["k", *(f"s{at}" for at in range(len(columns.preds)))]
            selected = grouped_frame(selected, keys, columns)
        return {KEY: [_lines(columns_of(selected), columns, grouped, ordered=memory)]}

    def gaps(
        self, found: Mapping[str, list[Lines]], columns: Columns, reading: Reading
    ) -> Iterator[Gap]:
        """Columns with missing classes, scores that are no numbers, or bad weights."""
        for lines in found[KEY]:
            if gaps_in(lines.true).any():
                yield columns.true, "missing"
            for column, bad in zip(columns.preds, ~np.isfinite(lines.scores).T, strict=True):
                if bad.any():
                    yield column, "number"
            if columns.weights and bad_weights(lines).any():
                yield columns.weights, "weight"
            if columns.cluster and gaps_in(lines.cluster).any():
                yield columns.cluster, "missing"

    def merged(self, found: list[Lines]) -> list[Lines]:
        """All of them: what is alike is found when they are ranked."""
        return found


def _side_by_side(parts: list[dict[str, list[Lines]]]) -> dict[str, list[Lines]]:
    return {KEY: [lines for part in parts for lines in part[KEY]]}


def _refuse_text(frame: Any, columns: Columns) -> None:
    import narwhals as nw

    schema = frame.collect_schema()
    for name in columns.preds:
        if not (schema[name].is_numeric() or schema[name] in (nw.Boolean, nw.Object, nw.Unknown)):
            raise InputError(
                f"column {name!r} holds {schema[name]}: scores are numbers. Convert it first."
            )


def _lines(found: Sequence[Any], columns: Columns, grouped: bool, ordered: bool) -> Lines:
    true, *rest = found
    width = len(columns.preds)
    scores = np.column_stack([_numbers(column) for column in rest[:width]])
    rest = rest[width:]
    if grouped:
        weights = _numbers(rest[1]) if columns.weights else None
        bad = _numbers(rest[3]) if columns.weights else None
        return Lines(true, scores, np.asarray(rest[0], np.int64), weights, bad, None, False)
    weights = _numbers(rest.pop(0)) if columns.weights else None
    cluster = rest.pop(0) if columns.cluster else None
    return Lines(true, scores, None, weights, None, cluster, ordered)


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
        return (~(np.isfinite(lines.weights) & (lines.weights >= 0))).astype(np.int64)


def columns_of(result: Any) -> list[Any]:
    """The columns of a table, each engine in its own way."""
    import narwhals as nw

    native = nw.to_native(result)
    root = type(native).__module__.partition(".")[0]
    if root in ("duckdb", "_duckdb"):
        from whichf1.sources.database import plain_columns

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
