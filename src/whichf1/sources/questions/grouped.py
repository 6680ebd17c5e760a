"""What is asked of items: GROUP BY class and predictions, or GROUP BY class and scores.

Every engine shows the items under the same names, so that dots, quotes and repeated columns are
harmless: k is the true class, s0, s1, … are the predictions or scores, w is the weight, c the
cluster, and b0, b1, … are the columns that define slices.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from whichf1.errors import InputError, ShapeError
from whichf1.sources.arrays import count_arrays
from whichf1.sources.engines import frames
from whichf1.sources.engines.database import (
    Database,
    MissingValues,
    as_number,
    as_score,
    quote,
    streamed,
)
from whichf1.sources.lines import ScoredLines, refuse_large
from whichf1.sources.request import (
    EXACT,
    Answer,
    Origin,
    Request,
    Row,
    are_sets,
    kind_of,
    quiet_at_exit,
)
from whichf1.sources.request import narwhals as nw
from whichf1.sources.sequences import column, is_missing, refuse_lengths
from whichf1.tables.cells import Array

if TYPE_CHECKING:
    from whichf1.sources.questions.derived import Systems
    from whichf1.tables.counts import Counts

KEY = "scores"
"""The key of an answer that is not about single columns of predictions."""
MEASURES = 4
"""What ends a row: items, the sums of their weights and squared weights, and bad weights."""
FIRST = 10_000
"""Items that tell whether a file has many that are alike."""
INTEGERS = {*("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")}
"""DuckDB's types of integers with 64 bits."""
KEPT = 1 << 16
"""Cells of batches that are kept before equal ones are summed."""
MOST_SETS = 32
"""Prediction columns that DuckDB groups in one pass."""
SUMS = ["w", "ww", "bad"]


class Question(ABC):
    """What is asked of the columns, whether of a DuckDB view or of any dataframe."""

    @abstractmethod
    def answer(self, items: Any, columns: Request) -> dict[str, list[Any]]:
        """The answer for items that are shown under the names of this module."""

    def merged(self, parts: list[Any]) -> list[Any]:
        """The answers of several parts; equal groups are summed where they are used."""
        return parts

    def joined(self, parts: Sequence[Mapping[str, list[Any]]]) -> dict[str, list[Any]]:
        """The answers of several parts as one."""
        return {key: self.merged([x for part in parts for x in part[key]]) for key in parts[0]}

    def of_view(
        self, database: Database, columns: Request, explain: Callable[[str], str]
    ) -> dict[str, list[Any]]:
        """The answer for the view ``items``."""
        return database.ask(  # type: ignore[no-any-return]
            lambda: self.answer(viewed(database, columns), columns), explain
        )

    def of_frame(self, frame: Any, columns: Request) -> dict[str, list[Any]]:
        """The answer for a narwhals frame; on Dask, partition by partition."""
        if frame.implementation.is_dask():
            return frames.by_partition(frame.to_native(), columns, self._of_part, self.joined)  # type: ignore[no-any-return]
        return self._of_part(frame, columns)

    def _of_part(self, frame: Any, columns: Request) -> dict[str, list[Any]]:
        return self.answer(_prepared(frame, columns), columns)

    def of_piece(self, piece: Any, columns: Request) -> dict[str, list[Any]] | None:
        """The answer for arrays by their names, or an Arrow table; None if an engine must say."""
        return None

    def of_pair(self, true: Any, pred: Any, request: Request, name: str) -> Answer:
        """The answer for a batch of two arrays."""
        raise InputError(f"{name} is a pair of arrays. Pass dataframes, whose columns have names.")

    def gather(self, data: Any, predictions: Any, request: Request) -> Answer:
        """The answer for data with columns, the columns it is for, and its origin."""
        kind, reading = kind_of(data), request.reading
        if kind == "database" or "query" in reading or "table" in reading:
            from whichf1.sources.engines.sql import gather_database

            return gather_database(data, predictions, request, self)
        if kind == "files":
            return self._of_files(data, predictions, request)
        if kind == "batches" and predictions is not None:
            raise ShapeError(
                f"y_true must be a sequence of labels; got {type(data).__name__}. Pass a list; "
                "batches are passed alone."
            )
        if predictions is not None or reading:
            unread = ", ".join(f"{name}=" for name in reading)
            raise InputError(
                "a frame holds all columns: name them, and omit "
                f"{unread or 'the second argument'}, which is for files"
            )
        if kind == "batches":
            from whichf1.sources.engines.batches import gather_batches

            return gather_batches(data, request, self)
        if type(data).__module__.startswith("ibis."):
            from whichf1.sources.engines.sql import asked_rows, gather_rows

            rows = asked_rows(data)
            if rows is not None:
                return gather_rows(rows, request, self)
        return frames.gather_frame(data, request, self)

    def _of_files(self, data: Any, predictions: Any, request: Request) -> Answer:
        if predictions is not None and kind_of(predictions) != "files":
            raise InputError(
                f"the second argument after a file must be the path of a file "
                f"of predictions; got {type(predictions).__name__}. Otherwise, read both into "
                f"arrays."
            )
        from whichf1.sources.engines.files import ReadingOptions, gather_aligned, gather_files

        reading = dict(request.reading)
        names = ("id", "engine", "master", "beside")
        id, engine, master, beside = (reading.pop(name, None) for name in names)
        options = ReadingOptions(**reading)
        if engine is not None or master is not None:
            from whichf1.sources.engines.spark import gather_on_spark

            if predictions is not None or engine not in (None, "spark"):
                raise InputError("engine='spark' takes one path: join the files first")
            return gather_on_spark(data, request, self, options, master)
        if predictions is not None:
            return gather_aligned(data, predictions, request, self, options, id, beside)
        if id is not None:
            raise InputError(
                "id= joins a file of gold labels with a file of predictions: pass both"
            )
        return gather_files(data, request, self, options)


class Grouped(Question):
    """GROUP BY slice, true class and prediction, as rows for each column of predictions.

    Joint predictions, and clusters, are the keys of one table, kept under the first column.
    """

    def of_view(
        self, database: Database, columns: Request, explain: Callable[[str], str]
    ) -> dict[str, list[Any]]:
        """The answer for the view ``items``: of one system, a plain query, without narwhals; of
        several whose classes are integers, by the kernel in one scan."""
        if columns.weights or columns.cluster or len(columns.preds) > 1:
            streams = not (columns.weights or columns.joint or columns.by)
            rows = database.ask(lambda: _of_stream(database, columns), explain) if streams else None
            return rows or super().of_view(database, columns, explain)
        shown = [f"{quote(name)} AS {short}" for short, name, _ in shown_names(columns)]
        keys = ", ".join([*(f"b{at}" for at in range(len(columns.by))), "k", "s0"])
        query = f"SELECT {keys}, count(*) FROM (SELECT {', '.join(shown)} FROM items) GROUP BY ALL"
        rows = database.run(query, explain)
        return {columns.preds[0]: [_padded(row, ()) for row in rows]}

    def answer(self, items: Any, columns: Request) -> dict[str, list[Row]]:
        """The rows, grouped by the engine."""
        shared = [*(f"b{at}" for at in range(len(columns.by))), "k"]
        names = [f"s{at}" for at in range(len(columns.preds))]
        if columns.joint:
            every = [*shared, *names, *(["c"] if columns.cluster else [])]
            return {columns.preds[0]: _rows(items, every, columns)}
        apart = isinstance(items, nw.DataFrame) or items.implementation.is_ibis()
        if len(names) == 1 or apart:  # not every database can unpivot
            pairs = zip(columns.preds, names, strict=True)
            return {pred: _rows(items, [*shared, name], columns) for pred, name in pairs}
        several = _grouping_sets if items.implementation.is_duckdb() else _unpivoted
        parts: dict[str, list[Row]] = {name: [] for name in names}
        for name, row in several(items, shared, names, columns):
            parts[name].append(row)
        return dict(zip(columns.preds, parts.values(), strict=True))

    def merged(self, parts: list[Row]) -> list[Row]:
        """One row for each group."""
        return merged(parts)

    def of_piece(self, piece: Any, columns: Request) -> dict[str, list[Row]] | None:
        """The rows of columns of integers or booleans, counted by the kernel."""
        if columns.joint or columns.by or columns.weights is not None:
            return None
        arrays = {name: _whole_numbers(piece, name) for name in (columns.true, *columns.preds)}
        kinds = {"" if each is None else each.dtype.kind for each in arrays.values()}
        if len(kinds) > 1 or "" in kinds:
            return None
        true: Any = arrays[columns.true]
        return {pred: _counted_rows(count_arrays(true, arrays[pred])) for pred in columns.preds}

    def of_pair(self, true: Any, pred: Any, request: Request, name: str) -> Answer:
        """The rows of two arrays of classes, or of sets of labels."""
        columns = _of_arrays(request, 1, name)
        try:
            if are_sets(true):
                refuse_lengths(len(true), len(pred), "y_pred")
                cells = zip(map(_listed, true), map(_listed, pred), strict=True)
                rows = merged((*pair, 1, 0.0, 0.0, 0) for pair in cells)
            else:
                rows = _counted_rows(count_arrays(true, pred))
        except (InputError, TypeError) as error:
            raise InputError(f"{name}: {error}") from None
        return {columns.preds[0]: rows}, columns, Origin(name)


def _whole_numbers(piece: Any, name: str) -> Array | None:
    """A column of integers or booleans without gaps; None if it holds anything else."""
    column = piece[name]
    if not isinstance(column, np.ndarray):  # Arrow's, which has other integers beside gaps
        kind = nw.from_native(column, series_only=True).dtype
        if column.null_count or not (kind.is_integer() or kind == nw.Boolean):
            return None
        column = column.to_numpy()
    whole: bool = column.dtype.kind in "iub" and len(column) > 0
    return column if whole else None


def _counted_rows(counts: Counts) -> list[Row]:
    """Counts of a part of the items as rows."""
    labels, places = counts.labels, (counts.true, counts.predicted, counts.count)
    some = zip(*(x.tolist() for x in places), strict=True)
    return [(labels[t], labels[p], n, 0.0, 0.0, 0) for t, p, n in some]


def _of_stream(database: Database, columns: Request) -> dict[str, list[Row]] | None:
    """The rows of columns of integers, each batch of which is counted by the kernel; None if they
    hold anything else."""
    names = ", ".join(map(quote, (columns.true, *columns.preds)))
    items = database.connection.sql(f"SELECT {names} FROM items")
    if not {*map(str, items.types)} <= INTEGERS:
        return None
    sums = [_Cells() for _ in columns.preds]
    try:
        for true, *preds in streamed(items):
            for each, pred in zip(sums, preds, strict=True):
                each.add(count_arrays(true, pred))
    except MissingValues:
        return None
    return {pred: each.rows() for pred, each in zip(columns.preds, sums, strict=True)}


class _Cells:
    """Counts of integers, batch by batch: the classes and the number of items of each cell."""

    def __init__(self) -> None:
        self._parts, self._kept, self._most = [np.empty((0, 3), np.int64)], 0, KEPT

    def add(self, counts: Counts) -> None:
        """Add a batch; equal cells are summed when there are twice as many as are distinct."""
        labels = np.array(counts.labels, np.int64)
        cells = [labels[counts.true], labels[counts.predicted], counts.count]
        self._parts.append(np.stack(cells, 1))
        self._kept += len(counts.count)
        if self._kept > self._most:
            self._sum()

    def _sum(self) -> None:
        cells = np.concatenate(self._parts)
        cells = cells[np.lexsort((cells[:, 1], cells[:, 0]))]
        new = np.any(cells[1:, :2] != cells[:-1, :2], axis=1)
        starts = np.flatnonzero(np.r_[len(cells) > 0, new])
        sums = np.add.reduceat(cells[:, 2], starts)
        self._parts, self._kept = [np.column_stack([cells[starts, :2], sums])], len(starts)
        self._most = max(KEPT, 2 * self._kept)

    def rows(self) -> list[Row]:
        """Each cell once."""
        self._sum()
        return [(t, p, n, 0.0, 0.0, 0) for t, p, n in self._parts[0].tolist()]


def _of_arrays(request: Request, width: int, name: str) -> Request:
    """The request for a pair of arrays, which have no further columns."""
    if request.used != [""] or request.systems:
        raise InputError(
            f"{name} is a pair (y_true, y_pred), which has no columns to name. Pass dataframes."
        )
    preds = ("y_pred",) if width == 1 else tuple(f"y_pred[{at}]" for at in range(width))
    return replace(request, true="y_true", preds=preds)


def merged(rows: Iterable[Row], measures: int = MEASURES) -> list[Row]:
    """Rows of several parts as one row for each group; 1, 1.0 and True stay distinct."""
    sums: dict[Any, list[Any]] = {}
    for row in rows:
        keys = tuple(None if is_missing(value) else value for value in row[:-measures])
        tagged = (_hashable(keys), tuple(map(type, keys)))
        if tagged in sums:
            more = zip(sums[tagged][1:], row[-measures:], strict=True)
            sums[tagged][1:] = [a + b for a, b in more]
        else:
            sums[tagged] = [keys, *row[-measures:]]
    return [(*keys, *added) for keys, *added in sums.values()]


def _hashable(value: Any) -> Any:
    return tuple(map(_hashable, value)) if isinstance(value, (list, tuple)) else value


def _rows(items: Any, keys: list[str], columns: Request) -> list[Row]:
    items, sums = _weighed(items, columns)
    if isinstance(items, nw.DataFrame) and any(frames.holds_lists(items[name]) for name in keys):
        cells = (map(_listed, items[name].to_list()) for name in keys)
        measures = (items[name].to_list() for name in sums)
        rows = zip(*cells, [1] * len(items), *measures, strict=True)
        return merged(_padded(row, sums) for row in rows)
    return [_padded(row, sums) for row in frames.plain_rows(grouped_frame(items, keys, sums))]


def _listed(cell: Any) -> Any:
    if isinstance(cell, (set, frozenset)):
        return sorted(cell, key=str)
    return list(cell) if isinstance(cell, frames.SEVERAL) else cell


def _padded(row: Row, sums: Sequence[str]) -> Row:
    return row if sums else (*row, 0.0, 0.0, 0)


def _grouping_sets(
    items: Any, shared: list[str], names: list[str], columns: Request
) -> Iterator[tuple[str, Row]]:
    """One scan for many predictions; narwhals' unpivot would leave a relation's connection."""
    items, sums = _weighed(items, columns)
    measures = ["count(*)", *(f"sum({name})" for name in sums)]
    for start in range(0, len(names), MOST_SETS):
        some = names[start : start + MOST_SETS]
        absent = [f"GROUPING({name})" for name in some]
        sets = ", ".join(f"({', '.join([*shared, name])})" for name in some)
        chosen = ", ".join([*absent, *some, *shared, *measures])
        for row in nw.to_native(items).aggregate(chosen, f"GROUPING SETS ({sets})").fetchall():
            at, rest = row.index(0), row[2 * len(some) :]
            keys = (*rest[: len(shared)], row[len(some) + at])
            yield some[at], _padded((*keys, *rest[len(shared) :]), sums)


def _unpivoted(
    items: Any, shared: list[str], names: list[str], columns: Request
) -> Iterator[tuple[str, Row]]:
    """An item becomes a line for each prediction; those of one type are read in one pass."""
    items, sums = _weighed(items, columns)
    schema = items.collect_schema()
    alike: dict[str, list[str]] = {}
    for name in names:
        alike.setdefault(str(schema[name]), []).append(name)
    for some in alike.values():
        into = {"variable_name": "v", "value_name": "p"}
        long = items.unpivot(on=some, index=[*shared, *sums], **into)
        for row in frames.plain_rows(grouped_frame(long, ["v", *shared, "p"], sums)):
            yield row[0], _padded(row[1:], sums)


def _weighed(items: Any, columns: Request) -> tuple[Any, list[str]]:
    """Items with w, its square ww, and whether it is bad; and the names of these sums."""
    if columns.weights is None:
        return items, []
    w = nw.col("w")
    right = frames.is_number(w) & (w >= 0)
    if columns.whole:
        right = right & (w.round(0) == w)
    flag = nw.when(right).then(nw.lit(0.0)).otherwise(nw.lit(1.0))  # sums of integers may be wider
    flagged = items.with_columns(flag.alias("bad"))
    good = nw.when(nw.col("bad") == 0).then(w).otherwise(nw.lit(0.0))
    return flagged.with_columns(good.alias("w")).with_columns((w * w).alias("ww")), SUMS


def grouped_frame(items: Any, keys: Sequence[str], sums: Sequence[str] = ()) -> Any:
    """GROUP BY the keys: a frame of keys, the number n of items, and sums of columns."""
    added = (nw.col(name).sum() for name in sums)
    result = items.group_by(*keys, drop_null_keys=False).agg(nw.len().alias("n"), *added)
    return result.select(*keys, "n", *sums)


class Scoring(Question):
    """GROUP BY the true class and the scores, or what is derived from them.

    The items of a line also have the same weight and cluster if they are kept ``apart``;
    otherwise their weights are summed. Items of a file may be ``listed`` if hardly any
    are alike, each as a line in their order: to group them takes longer than to rank them.
    """

    def __init__(
        self, apart: bool = False, derived: Systems | None = None, *, listed: bool = False
    ) -> None:
        self._apart, self._derived, self._listed = apart, derived, listed

    def of_view(
        self, database: Database, columns: Request, explain: Callable[[str], str]
    ) -> dict[str, list[ScoredLines]]:
        """The lines of the view ``items``."""
        if not self._listed:
            return super().of_view(database, columns, explain)

        def ask() -> dict[str, list[ScoredLines]]:
            items = viewed(database, columns)
            shown, names = self._shown(items, columns)
            if _are_alike(shown, names):
                return self.answer(items, columns)
            cells = dict(zip(names, frames.columns_of(shown.select(*names)), strict=True))
            return {KEY: [_lines(cells, columns, ordered=True)]}

        return database.ask(ask, explain)  # type: ignore[no-any-return]

    def of_frame(self, frame: Any, columns: Request) -> dict[str, list[ScoredLines]]:
        """The lines of a frame; for a frame in memory, every item."""
        if self._derived is not None or not isinstance(frame, nw.DataFrame):
            return super().of_frame(frame, columns)
        items = _prepared(frame, columns)
        cells = dict(zip(items.columns, frames.columns_of(items), strict=True))
        return {KEY: [_lines(cells, columns, ordered=True)]}

    def of_pair(self, true: Any, pred: Any, request: Request, name: str) -> Answer:
        """The lines of classes and scores, a line for each item."""
        try:
            lines = ScoredLines.of(true, pred)
            classes = column(true, "y_true").values
            refuse_lengths(len(classes), len(lines.scores), "scores")
        except InputError as error:
            raise type(error)(f"{name}: {error}") from None
        columns = _of_arrays(request, lines.width, name)
        labels = classes if classes.dtype.kind in "iub" else classes.tolist()
        scores = lines.scores.reshape(len(classes), lines.width)
        return {KEY: [ScoredLines(labels, scores, ordered=True)]}, columns, Origin(name)

    def answer(self, items: Any, columns: Request) -> dict[str, list[ScoredLines]]:
        """The lines, grouped by the engine."""
        items, keys = self._shown(items, columns)
        sums: list[str] = []
        if columns.whole or (columns.weights is not None and not self._apart):
            keys.remove("w")
            items, sums = _weighed(items, columns)
        cells = frames.columns_of(grouped_frame(items, keys, sums))
        return {KEY: [_lines(dict(zip([*keys, "n", *sums], cells, strict=True)), columns)]}

    def _shown(self, items: Any, columns: Request) -> tuple[Any, list[str]]:
        """The items with what is asked of them, and its names."""
        width = len(columns.preds)
        if self._derived is not None:
            items, width = self._derived.of(items, columns)
        keys = [*(f"s{at}" for at in range(width)), *kept_names(columns)]
        return items, keys if columns.alone else ["k", *keys]


def _are_alike(items: Any, names: Sequence[str]) -> bool:
    """Whether more than one in a hundred of the first items of a view is like another."""
    first = items.select(*names).head(FIRST)
    query = "count(*), sum(n)::BIGINT"
    ((kinds, n),) = nw.to_native(grouped_frame(first, names)).aggregate(query).fetchall()
    return bool(kinds < 0.99 * (n or 0))


def shown_names(columns: Request) -> list[tuple[str, str, bool]]:
    """The names under which columns are shown, and which are read as numbers."""
    names = [] if columns.alone else [("k", columns.true, False)]
    names += [(f"s{at}", name, columns.scores) for at, name in enumerate(columns.preds)]
    names += [("w", columns.weights, True)] if columns.weights else []
    names += [("c", columns.cluster, False)] if columns.cluster else []
    return names + [(f"b{at}", name, False) for at, name in enumerate(columns.by)]


def kept_names(columns: Request) -> list[str]:
    """The names besides those of the true class and the scores."""
    return [short for short, _, _ in shown_names(columns) if short[0] in "wcb"]


def shown_in_sql(database: Database, columns: Request) -> dict[str, str]:
    """Each name with its column of the view ``items``, read as what it is."""
    whole = database.connection.sql("FROM items")
    kinds = dict(zip(whole.columns, map(str, whole.types), strict=True))

    def read(short: str, name: str) -> str:
        score = short[0] == "s" and kinds[name] not in ("FLOAT", "DOUBLE")  # which tie as they are
        return as_score(name) if score else as_number(name)

    return {
        short: read(short, name) if number else quote(name)
        for short, name, number in shown_names(columns)
    }


def viewed(database: Database, columns: Request) -> Any:
    """The view ``items`` as a frame with these names."""
    quiet_at_exit()
    shown = ", ".join(f"{x} AS {name}" for name, x in shown_in_sql(database, columns).items())
    items = nw.from_native(database.connection.sql(f"SELECT {shown} FROM items"))
    return _without_nan(items, columns)


def _prepared(frame: Any, columns: Request) -> Any:
    """A frame with these names; numbers become floats, as sums of narrow integers may overflow."""
    schema = frame.collect_schema()
    if isinstance(frame, nw.DataFrame):
        frames.refuse_mixed_objects(frame, columns)
        for name in columns.preds if columns.scores else ():
            if schema[name] == nw.Object:
                refuse_large(filter(_is_whole, frame[name].to_list()), f"column {name!r}: scores")
    spelled: dict[str, str] = {}
    if frame.implementation.is_pyspark():  # where a dot in a name means a field of a struct
        native = frame.to_native()
        spelled = {name: f"c{at}" for at, name in enumerate(native.columns)}
        frame = nw.from_native(native.toDF(*spelled.values()))
    shown = []
    for short, name, number in shown_names(columns):
        column = nw.col(spelled.get(name, name))
        if number:
            kind = schema[name]
            large = (kind.is_integer() or kind.is_decimal()) and short[0] == "s"
            exact = (column <= EXACT) & (column >= -EXACT)
            column = (nw.when(exact).then(column) if large else column).cast(nw.Float64)
        shown.append(column.alias(short))
    return _without_nan(frame.select(*shown), columns)


def _is_whole(value: Any) -> bool:
    """Whether this is an integer, or a decimal number that may be one."""
    if isinstance(value, Decimal):
        return value.is_finite()
    return isinstance(value, (int, np.integer))


def _without_nan(items: Any, columns: Request) -> Any:
    """NaN and infinity are not clusters, but most engines do not treat them as missing."""
    if columns.cluster is None or not items.collect_schema()["c"].is_float():
        return items
    c = nw.col("c")
    return items.with_columns(nw.when(frames.is_number(c)).then(c).alias("c"))


def _lines(cells: Mapping[str, Any], columns: Request, *, ordered: bool = False) -> ScoredLines:
    numbers = {name: _numbers(x) for name, x in cells.items() if name[0] in "snw" or name == "bad"}
    return ScoredLines(
        np.zeros(len(numbers["s0"]), np.intp) if columns.alone else cells["k"],
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
