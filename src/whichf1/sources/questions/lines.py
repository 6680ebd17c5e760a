"""Scores by their values: the question that rankings and losses have, to a view or a frame."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from whichf1.errors import InputError
from whichf1.sources.answers.rows import Reading, is_missing
from whichf1.sources.engines.database import Database, quote
from whichf1.sources.engines.frames import by_partition, columns_of, refuse_mixed_objects, seen
from whichf1.sources.lines import ScoredLines
from whichf1.sources.questions.grouped import (
    Explain,
    Gap,
    as_number,
    grouped_frame,
    missing,
    no_number,
    no_weight,
    weight_column,
)
from whichf1.sources.request import Request, quiet_at_exit
from whichf1.tables.cells import Array

KEY = "scores"
"""Under which an answer stands."""


class Derived(Protocol):
    """Columns that are computed from those of the scores, before anything is grouped."""

    def of(self, items: Any, columns: Request) -> tuple[Any, int]:
        """The items with what is derived as k, s0, s1, …, and how many of the latter."""


class OfItems(ABC):
    """A question about items, in expressions that every engine computes: the same of all."""

    @abstractmethod
    def answer(self, items: Any, columns: Request) -> list[Any]:
        """What items with the names k, s0, … and w, c, b0, … give."""

    def numbers(self, columns: Request) -> list[str]:
        """The scores and the weights."""
        return [*columns.preds, *([columns.weights] if columns.weights else [])]

    def of_view(
        self, database: Database, columns: Request, explain: Explain, columnar: bool
    ) -> dict[str, list[Any]]:
        """The answer for the view ``items``."""
        return {
            KEY: database.ask(lambda: self.answer(of_items(database, columns), columns), explain)
        }

    def of_frame(self, frame: Any, columns: Request) -> dict[str, list[Any]]:
        """The answer for a frame; on Dask, partition by partition."""
        refuse_text(frame, columns)
        if frame.implementation.is_dask():
            native = frame.to_native()
            return by_partition(native, columns, self._of_part, side_by_side)  # type: ignore[no-any-return]
        return self._of_part(frame, columns)

    def _of_part(self, frame: Any, columns: Request) -> dict[str, list[Any]]:
        return {KEY: self.answer(prepared(frame, columns), columns)}

    def gaps(
        self, found: Mapping[str, list[Any]], columns: Request, reading: Reading
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

    def of_frame(self, frame: Any, columns: Request) -> dict[str, list[ScoredLines]]:
        """The lines of a frame; of one in memory, every item."""
        import narwhals as nw

        if self._derived is not None or not isinstance(frame, nw.DataFrame):
            return super().of_frame(frame, columns)
        refuse_text(frame, columns)
        items = prepared(frame, columns)
        cells = dict(zip(items.columns, columns_of(items), strict=True))
        return {KEY: [_lines(cells, columns, ordered=True)]}

    def answer(self, items: Any, columns: Request) -> list[ScoredLines]:
        """The lines, grouped by the engine."""
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
        self, found: Mapping[str, list[ScoredLines]], columns: Request, reading: Reading
    ) -> Iterator[Gap]:
        """Columns with missing classes, scores that are not numbers, or bad weights."""
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


def of_items(database: Database, columns: Request) -> Any:
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


def prepared(frame: Any, columns: Request) -> Any:
    """A frame with the same names."""
    import narwhals as nw

    if isinstance(frame, nw.DataFrame):
        refuse_mixed_objects(frame, replace(columns, preds=()))
    scores = [nw.col(x).cast(nw.Float64).alias(f"s{at}") for at, x in enumerate(columns.preds)]
    cluster = [] if columns.cluster is None else [nw.col(columns.cluster).alias("c")]
    slices = [nw.col(name).alias(f"b{at}") for at, name in enumerate(columns.by)]
    true = nw.col(columns.true).alias("k")
    items = frame.select(true, *scores, *weight_column(columns), *cluster, *slices)
    return _without_nan(items, columns)


def _without_nan(items: Any, columns: Request) -> Any:
    """NaN is not a cluster, but most engines do not treat it as missing."""
    import narwhals as nw

    if columns.cluster is None or not items.collect_schema()["c"].is_float():
        return items
    c = nw.col("c")
    return items.with_columns(nw.when(~seen(c).is_nan()).then(c).alias("c"))


def kept_names(columns: Request) -> list[str]:
    """The names besides those of the true class and the scores."""
    measured = [name for name, one in (("w", columns.weights), ("c", columns.cluster)) if one]
    return [*measured, *(f"b{at}" for at in range(len(columns.by)))]


def side_by_side(parts: list[dict[str, list[Any]]]) -> dict[str, list[Any]]:
    """The answers of several parts as one."""
    return {KEY: [lines for part in parts for lines in part[KEY]]}


def refuse_text(frame: Any, columns: Request) -> None:
    """Raise for scores that are not numbers."""
    import narwhals as nw

    schema = frame.collect_schema()
    for name in columns.preds:
        if not (schema[name].is_numeric() or schema[name] in (nw.Boolean, nw.Object, nw.Unknown)):
            raise InputError(
                f"column {name!r} holds {schema[name]}: scores are numbers. Convert it first."
            )


def _lines(cells: Mapping[str, Any], columns: Request, *, ordered: bool = False) -> ScoredLines:
    numbers = {name: _numbers(x) for name, x in cells.items() if name[0] in "snw" or name == "bad"}
    return ScoredLines(
        cells["k"],
        np.column_stack([numbers[name] for name in numbers if name[0] == "s"]),
        numbers["n"].astype(np.int64) if "n" in numbers else None,
        numbers.get("w"),
        numbers.get("ww"),
        cells.get("c"),
        bad=numbers.get("bad"),
        by=[cells[f"b{at}"] for at in range(len(columns.by))],
        ordered=ordered,
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


def bad_weights(lines: ScoredLines) -> Array:
    """How many items of each line lack a valid weight."""
    if lines.weights is None:
        return np.zeros(len(lines.scores), np.int64)
    if lines.bad is not None:
        return lines.bad.astype(np.int64)
    with np.errstate(invalid="ignore"):
        wrong = ~(np.isfinite(lines.weights) & (lines.weights >= 0))
    bad: Array = wrong * (1 if lines.items is None else lines.items)
    return bad
