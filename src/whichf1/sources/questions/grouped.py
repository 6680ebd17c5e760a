"""The one question: GROUP BY slice, true, predicted; in SQL for files, in narwhals for frames."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple, Protocol

from whichf1.sources.answers.rows import MEASURES, Reading, Row, is_missing, merged
from whichf1.sources.engines.database import Database, quote
from whichf1.sources.engines.frames import (
    by_partition,
    group_lists,
    holds_lists,
    plain_rows,
    refuse_mixed_objects,
    seen,
)
from whichf1.sources.request import Request

PACKED_GROUPS = 1 << 11
"""Prediction columns are grouped together while their joint table stays about this small."""
SAMPLE = 20_000
MOST_SETS = 32

Explain = Callable[[str], str]


class Gap(NamedTuple):
    """Items without a valid value in a column."""

    column: str
    condition: str
    """Which items, in SQL."""
    shown: str = "NULL"
    """What of them is shown, in SQL; NULL for nothing."""


class Question(Protocol):
    """What is asked of the columns: the same of a DuckDB view and of any dataframe."""

    def numbers(self, columns: Request) -> list[str]:
        """The columns that are read as numbers."""

    def of_view(
        self, database: Database, columns: Request, explain: Explain, columnar: bool
    ) -> dict[str, list[Any]]:
        """The answer for the view ``items``."""

    def of_frame(self, frame: Any, columns: Request) -> dict[str, list[Any]]:
        """The answer for a narwhals frame."""

    def gaps(
        self, found: Mapping[str, list[Any]], columns: Request, reading: Reading
    ) -> Iterable[Gap]:
        """The columns in which an answer shows a bad value."""

    def merged(self, found: list[Any]) -> list[Any]:
        """The answers of several parts as one."""


class Grouped:
    """GROUP BY the columns, as rows."""

    def numbers(self, columns: Request) -> list[str]:
        """The weights."""
        return [] if columns.weights is None else [columns.weights]

    def of_view(
        self, database: Database, columns: Request, explain: Explain, columnar: bool
    ) -> dict[str, list[Row]]:
        """The rows of the view ``items``."""
        return grouped(database, columns, explain, columnar=columnar)

    def of_frame(self, frame: Any, columns: Request) -> dict[str, list[Row]]:
        """The rows of a frame, grouped by its own engine."""
        return group_by_engine(frame, columns)

    def gaps(
        self, found: Mapping[str, list[Row]], columns: Request, reading: Reading
    ) -> Iterator[Gap]:
        """Columns with missing values, or with bad weights."""
        at = len(columns.by)
        for pred, rows in found.items():
            names = (columns.true, *(columns.together if columns.joint else (pred,)))
            for row in rows:
                for column, value in zip(names, row[at:], strict=False):
                    if is_missing(value):
                        yield missing(column)
                if columns.weights and row[-1]:
                    yield no_weight(columns.weights)

    def merged(self, found: list[Row]) -> list[Row]:
        """One row for each group."""
        return merged(found)


def grouped(
    database: Database, columns: Request, explain: Explain, *, columnar: bool
) -> dict[str, list[Row]]:
    """The rows of each prediction column.

    Text is parsed once for all of them. A columnar file is asked several times, for a few
    prediction columns each: no prediction is read twice, and that is quicker than one question.
    """
    if columns.joint or len(columns.preds) == 1:
        return {columns.preds[0]: database.run(_query(columns, columns.together), explain)}
    if columnar:
        return _packed(database, columns, explain)
    parts: dict[str, list[Row]] = {}
    for start in range(0, len(columns.preds), MOST_SETS):
        some = columns.preds[start : start + MOST_SETS]
        shown, chosen, sets = grouping_sets(columns, some)
        query = f"SELECT {chosen} FROM (SELECT {shown} FROM items) GROUP BY {sets}"
        parts |= of_each(database.run(query, explain), columns, some)
    return parts


def _query(columns: Request, preds: tuple[str, ...]) -> str:
    keys = columns.keys(*preds)
    names = ", ".join(f"k{i}" for i in range(len(keys)))
    items = f"SELECT {_shown(columns, keys)} FROM items"
    return f"SELECT {names}, {measures(columns)} FROM ({items}) GROUP BY {names}"


def _shown(columns: Request, keys: list[str]) -> str:
    shown = [f"{quote(name)} AS k{i}" for i, name in enumerate(keys)]
    if columns.weights is not None:
        shown.append(f"{as_number(columns.weights)} AS w")
    return ", ".join(shown)


def as_number(column: str) -> str:
    """A column as a number, NULL where it is not one.

    TRY_CAST of a CSV column by itself becomes a strict type of the reader (DuckDB 2.0), so that
    it is an error after all; hidden in an expression, it stays what it says. And of a Parquet file
    it holds no value for NaN where the bounds of the column are numbers, but in an expression.
    """
    return f"TRY_CAST(CASE WHEN {quote(column)} IS NOT NULL THEN {quote(column)} END AS DOUBLE)"


def missing(column: str) -> Gap:
    """Items without a value."""
    name = quote(column)
    absent = (
        f"{name} IS NULL OR (typeof({name}) IN ('FLOAT', 'DOUBLE') AND isnan({as_number(column)}))"
    )
    return Gap(column, absent)


def no_number(column: str) -> Gap:
    """Items without a finite number."""
    wrong = f"NOT coalesce(isfinite({as_number(column)}), false)"
    return Gap(column, wrong, f"CAST({quote(column)} AS VARCHAR)")


def no_weight(column: str) -> Gap:
    """Items without a weight: a finite number that is not negative."""
    none = no_number(column)
    return none._replace(condition=f"{none.condition} OR {as_number(column)} < 0")


def measures(columns: Request) -> str:
    """What is said of a group: items, the sums of weights and of their squares, bad weights."""
    if columns.weights is None:
        return "count(*) AS n, 0.0::DOUBLE AS sum, 0.0::DOUBLE AS squares, 0 AS bad"
    good = "coalesce(isfinite(w) AND w >= 0, false)"
    return (
        f"count(*) AS n, coalesce(sum(w) FILTER ({good}), 0.0) AS sum, "
        f"coalesce(sum(w * w) FILTER ({good}), 0.0) AS squares, "
        f"count(*) FILTER (NOT {good}) AS bad"
    )


class GroupingSets(NamedTuple):
    """A grouping set for each prediction column: one scan of the items for all of them."""

    shown: str
    chosen: str
    sets: str


def grouping_sets(columns: Request, preds: Sequence[str]) -> GroupingSets:
    """The parts of the question."""
    shared = len(columns.by) + 1
    keys = columns.keys(*preds)
    names = [f"k{i}" for i in range(len(keys))]
    sets = ", ".join(f"({', '.join([*names[:shared], own])})" for own in names[shared:])
    which = f"GROUPING({', '.join(names[shared:])})"
    chosen = f"{which}, {', '.join(names)}, {measures(columns)}"
    return GroupingSets(_shown(columns, keys), chosen, f"GROUPING SETS ({sets})")


def of_each(rows: list[Row], columns: Request, preds: Sequence[str]) -> dict[str, list[Row]]:
    """The rows of each grouping set, which GROUPING tells by the columns that are not in it."""
    shared = len(columns.by) + 1
    everything = (1 << len(preds)) - 1
    position = {everything ^ (1 << (len(preds) - 1 - at)): at for at in range(len(preds))}
    parts: dict[str, list[Row]] = {pred: [] for pred in preds}
    for row in rows:
        at = position[row[0]]
        predicted = row[1 + shared + at]
        parts[preds[at]].append((*row[1 : 1 + shared], predicted, *row[-MEASURES:]))
    return parts


def _packed(database: Database, columns: Request, explain: Explain) -> dict[str, list[Row]]:
    parts: dict[str, list[Row]] = {}
    shared = len(columns.by) + 1
    for pack in _packs(database, columns, explain):
        rows = database.run(_query(columns, pack), explain)
        for at, pred in enumerate(pack, shared):
            single = ((*row[:shared], row[at], *row[-MEASURES:]) for row in rows)
            parts[pred] = list(single) if len(pack) == 1 else merged(single)
    return {pred: parts[pred] for pred in columns.preds}


def _packs(database: Database, columns: Request, explain: Explain) -> list[tuple[str, ...]]:
    """Columns whose joint table is small, judged from the first items; it only saves time."""
    keys = columns.keys(*columns.preds)
    distinct = ", ".join(f"approx_count_distinct({quote(name)})" for name in keys)
    sample = f"SELECT {', '.join(map(quote, dict.fromkeys(keys)))} FROM items LIMIT {SAMPLE}"
    sizes = dict(
        zip(keys, database.run(f"SELECT {distinct} FROM ({sample})", explain)[0], strict=True)
    )
    shared = prod(sizes[name] for name in (*columns.by, columns.true))
    packs: list[tuple[str, ...]] = []
    room = 0.0
    for pred in columns.preds:
        if packs and sizes[pred] <= room:
            packs[-1] = (*packs[-1], pred)
        else:
            packs.append((pred,))
            room = PACKED_GROUPS / max(shared, 1)
        room /= max(sizes[pred], 1)
    return packs


def group_by_engine(frame: Any, columns: Request) -> dict[str, list[Row]]:
    """The rows of each prediction column, grouped where the frame lives."""
    engine = frame.implementation
    if engine.is_dask():
        return by_partition(frame.to_native(), columns, group, _merge_rows)  # type: ignore[no-any-return]
    if engine.is_duckdb() and len(columns.preds) > 1 and not columns.joint:
        return _group_relation(frame.to_native(), columns)
    return group(frame, columns)


def _group_relation(relation: Any, columns: Request) -> dict[str, list[Row]]:
    """DuckDB has grouping sets, and its relations stay on their own connection with them."""
    shown, chosen, sets = grouping_sets(columns, columns.preds)
    rows = relation.project(shown).aggregate(chosen, sets).fetchall()
    return of_each(rows, columns, columns.preds)


def group(frame: Any, columns: Request) -> dict[str, list[Row]]:
    """The rows of each prediction column."""
    import narwhals as nw

    if isinstance(frame, nw.DataFrame):
        refuse_mixed_objects(frame, columns)
    if columns.joint:
        return {columns.preds[0]: _group_one(frame, columns, *columns.together)}
    if isinstance(frame, nw.DataFrame):
        return {pred: _group_one(frame, columns, pred) for pred in columns.preds}
    parts: dict[str, list[Row]] = {}
    for preds in _alike(frame, columns.preds):
        if len(preds) == 1:
            parts[preds[0]] = _group_one(frame, columns, preds[0])
        else:
            parts |= _group_several(frame, columns, preds)
    return {pred: parts[pred] for pred in columns.preds}


def _group_one(frame: Any, columns: Request, *preds: str) -> list[Row]:
    import narwhals as nw

    keys = columns.keys(*preds)
    selected = frame.select(*_keys(keys), *weight_column(columns))
    if isinstance(frame, nw.DataFrame) and any(holds_lists(frame[name]) for name in keys):
        return group_lists(selected, len(keys), columns)
    names = [f"k{i}" for i in range(len(keys))]
    return rows_of(grouped_frame(selected, names, columns.weights is not None), columns)


def _group_several(frame: Any, columns: Request, preds: list[str]) -> dict[str, list[Row]]:
    """One pass: an item becomes a line for each prediction, and the engine groups them all."""
    shared = [*columns.by, columns.true]
    fixed = [f"k{i}" for i in range(len(shared))]
    import narwhals as nw

    chosen = [nw.col(name).alias(f"p{at}") for at, name in enumerate(preds)]
    selected = frame.select(*_keys(shared), *chosen, *weight_column(columns))
    long = selected.unpivot(
        on=[f"p{at}" for at in range(len(preds))],
        index=[*fixed, *(["w"] if columns.weights else [])],
        variable_name="v",
        value_name=f"k{len(fixed)}",
    )
    keys = ["v", *fixed, f"k{len(fixed)}"]
    rows = rows_of(grouped_frame(long, keys, columns.weights is not None), columns)
    parts: dict[str, list[Row]] = {pred: [] for pred in preds}
    for row in rows:
        parts[preds[int(row[0][1:])]].append(row[1:])
    return parts


def _alike(frame: Any, preds: Sequence[str]) -> list[list[str]]:
    """Prediction columns of one type each, since a pass puts them into one column."""
    schema = frame.collect_schema()
    groups: dict[str, list[str]] = {}
    for pred in preds:
        groups.setdefault(str(schema[pred]), []).append(pred)
    return list(groups.values())


def _keys(names: Iterable[str]) -> list[Any]:
    """Names by position: dots, quotes and one column used twice then mean no trouble."""
    import narwhals as nw

    return [nw.col(name).alias(f"k{i}") for i, name in enumerate(names)]


def weight_column(columns: Request) -> list[Any]:
    """Weights as 64-bit floats first: sums of narrow integers wrap in several engines."""
    import narwhals as nw

    return [] if columns.weights is None else [nw.col(columns.weights).cast(nw.Float64).alias("w")]


def grouped_frame(selected: Any, keys: list[str], weighted: bool) -> Any:
    """GROUP BY the keys: a frame of keys, items and, with weights, their sums and the bad ones."""
    import narwhals as nw

    measures = [nw.len().alias("n")]
    if weighted:
        w = nw.col("w")
        bad = w.is_null() | ~seen(w).is_finite() | (w < 0)  # a float: sums of integers may be wider
        flag = nw.when(bad).then(nw.lit(1.0)).otherwise(nw.lit(0.0))
        flagged = selected.with_columns(flag.alias("bad"))
        selected = flagged.with_columns(
            nw.when(nw.col("bad") == 0).then(w).otherwise(nw.lit(0.0)).alias("w")
        ).with_columns((nw.col("w") * nw.col("w")).alias("ww"))
        measures += [nw.col("w").sum(), nw.col("ww").sum(), nw.col("bad").sum()]
    result = selected.group_by(*keys, drop_null_keys=False).agg(*measures)
    return result.select(*keys, "n", *(["w", "ww", "bad"] if weighted else []))


def rows_of(result: Any, columns: Request) -> list[Row]:
    """The grouped table as plain rows, each engine in its own way."""
    rows = plain_rows(result)
    return rows if columns.weights else [(*row, 0.0, 0.0, 0) for row in rows]


def _merge_rows(parts: list[dict[str, list[Row]]]) -> dict[str, list[Row]]:
    return {pred: merged(row for part in parts for row in part[pred]) for pred in parts[0]}
