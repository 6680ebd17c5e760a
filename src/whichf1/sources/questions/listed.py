"""What is asked of runs: the columns item by item, a part for each run.

A table of runs repeats a few texts very often, and all runs have the same items. So DuckDB makes
codes of texts, these are taken batch by batch, and what a part has in common with an earlier one is
kept once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from whichf1.sources.engines import frames
from whichf1.sources.engines.database import Database, plain_columns, streamed, text
from whichf1.sources.questions.grouped import KEY, Question, shown_names, viewed
from whichf1.sources.request import Request
from whichf1.sources.request import narwhals as nw
from whichf1.tables.cells import Array

MOST_CODED = 1 << 20
"""Columns with more distinct texts than this are not coded by DuckDB."""
LOOKED_UP = 32
"""Up to this many distinct texts are looked up in a map."""
WHOLE = {"TINYINT": 2**7 - 1, "SMALLINT": 2**15 - 1, "INTEGER": 2**31 - 1, "BIGINT": 2**63 - 1}
"""Types of whole numbers, and the largest number of each."""
STRETCH = 64
"""Rows of a part that stand together are taken together if there are this many on average."""


class CodedColumn(NamedTuple):
    """A column as the code of each row, and the distinct values that codes stand for."""

    codes: Array
    values: Sequence[Any] | Array


class Same(NamedTuple):
    """A column that has the same value in all rows of a part."""

    value: Any


class Listed(Question):
    """The columns item by item in order; texts of a DuckDB view are coded there.

    apart: The columns that distinguish runs, each of which is then a part of the answer.
    """

    def __init__(self, apart: Sequence[str] = ()) -> None:
        self.apart = apart

    def of_view(
        self, database: Database, columns: Request, explain: Callable[[str], str]
    ) -> dict[str, list[Any]]:
        """The answer for the view ``items``."""
        shown = shown_names(columns)
        names = [short for short, _, _ in shown]
        apart = [short for short, name, _ in shown if short[0] == "b" and name in self.apart]

        def ask() -> list[Any]:
            return _of_relation(database, nw.to_native(viewed(database, columns)), names, apart)

        return {KEY: database.ask(ask, explain)}

    def answer(self, items: Any, columns: Request) -> dict[str, list[dict[str, Any]]]:
        """The columns of a part, by the names of ``grouped``."""
        names = [short for short, _, _ in shown_names(columns)]
        return {KEY: [dict(zip(names, frames.columns_of(items), strict=True))]}


def _of_relation(
    database: Database, items: Any, names: Sequence[str], apart: Sequence[str]
) -> list[dict[str, Any]]:
    """The columns of a DuckDB relation: texts as codes, whole numbers in as few bytes as they need.

    To make Python objects of all texts would take many times as long as reading the file. A few
    texts are looked up in a map, which DuckDB does once for each entry of a Parquet dictionary;
    more of them are coded by an ENUM type, which hashes every row.
    """
    kinds = dict(zip(items.columns, map(str, items.types), strict=True))
    texts = [name for name in names if kinds[name] in ("VARCHAR", "JSON")]
    whole = [name for name in names if kinds[name] in WHOLE]
    asked = {name: f"list(DISTINCT {name}::VARCHAR)" for name in texts}
    ends = {name: f"[min({name}), max({name})]" for name in whole}
    known = {f"#{name}": f"count({name})" for name in names if name not in texts}
    known |= {"#": "count(*)"}
    if whole:  # apart from texts, so that Parquet's own statistics answer it
        told = _told(items, asked) | _told(items, ends | known)
    else:
        told = _told(items, asked | known)
    distinct = {name: sorted(x for x in told[name] or () if x is not None) for name in texts}
    few = {name: values for name, values in distinct.items() if 0 < len(values) <= MOST_CODED}
    numbers = all(x in few or x in whole or kinds[x] == "DOUBLE" for x in names)
    gaps = any(told[x] != told["#"] for x in known) or any(None in (told[x] or ()) for x in texts)
    made: list[str] = []
    try:
        shown = dict(zip(names, names, strict=True))
        for name in whole:
            kind = next((x for x, most in WHOLE.items() if _within(told[name], most)), None)
            shown[name] = name if kind is None else f"{name}::{kind} AS {name}"
        for name, values in few.items():
            listed = ", ".join(text(value) for value in values)
            if len(values) <= LOOKED_UP:
                codes = ", ".join(f"{at}::TINYINT" for at in range(len(values)))
                shown[name] = f"(MAP([{listed}], [{codes}]))[{name}::VARCHAR] AS {name}"
                continue
            kind = f"coded_{name}"
            database.connection.execute(f"CREATE TYPE {kind} AS ENUM ({listed})")
            made.append(kind)
            shown[name] = f"enum_code({name}::VARCHAR::{kind}) AS {name}"
        coded = items.project(", ".join(shown.values()))
        if numbers and told["#"] and not gaps:
            return _split(streamed(coded), names, apart, few)
        cells = plain_columns(coded)
    finally:
        for kind in made:
            database.connection.execute(f"DROP TYPE {kind}")
    return [
        {
            name: _coded(column, few[name]) if name in few else column
            for name, column in zip(names, cells, strict=True)
        }
    ]


def _told(items: Any, asked: Mapping[str, str]) -> dict[str, Any]:
    """What is asked of all rows, by its name."""
    if not asked:
        return {}
    (row,) = items.aggregate(", ".join(asked.values())).fetchall()
    return dict(zip(asked, row, strict=True))


def _within(ends: list[int | None], most: int) -> bool:
    """Whether whole numbers between these fit into a type with this largest number."""
    low, high = ends
    return low is not None and high is not None and -most <= low and high <= most


def _coded(column: Any, values: list[str]) -> CodedColumn:
    if isinstance(column, np.ndarray):
        return CodedColumn(column, values)
    codes = np.array([len(values) if x is None else x for x in column], np.intp)
    return CodedColumn(codes, [*values, None] if None in column else values)


# parts


class _Grown:
    """A column of a part, batch by batch; while it repeats another, only that one is kept."""

    __slots__ = ("like", "n", "own")

    def __init__(self, like: _Grown | None, empty: Array) -> None:
        self.like, self.own, self.n = like, empty, 0

    def add(self, values: Array) -> None:
        end = self.n + len(values)
        if self.like is not None:
            if end <= self.like.n and (self.like.own[self.n : end] == values).all():
                self.n = end
                return
            self.own, self.like = self.like.own[: self.n].copy(), None
        if end > len(self.own):
            longer = np.empty(max(end, 2 * len(self.own)), self.own.dtype)
            longer[: self.n] = self.own[: self.n]
            self.own = longer
        self.own[self.n : end] = values
        self.n = end

    @property
    def values(self) -> Array:
        return (self.own if self.like is None else self.like.own)[: self.n]


def _split(
    batches: Iterable[Sequence[Array]],
    names: Sequence[str],
    apart: Sequence[str],
    texts: Mapping[str, list[str]],
) -> list[dict[str, Any]]:
    """The rows of each combination of the columns ``apart``, in order of appearance."""
    rest = [name for name in names if name not in apart]
    parts: dict[tuple[Any, ...], dict[str, _Grown]] = {}
    started: dict[tuple[str, Any], _Grown] = {}
    for batch in batches:
        cells = dict(zip(names, batch, strict=True))
        pieces = _pieces([cells[name] for name in apart], len(batch[0]))
        for key, _ in pieces:
            parts.setdefault(key, {})
        order = {key: at for at, key in enumerate(parts)}  # so that the first part comes first
        for key, rows in sorted(pieces, key=lambda piece: order[piece[0]]):
            part = parts[key]
            for name in rest:
                values = cells[name][rows]
                if name not in part:
                    first = (name, values[0].item())
                    # what runs predict differs; what they share usually begins alike
                    like = None if name[0] == "s" else started.get(first)
                    part[name] = _Grown(like, values[:0])
                    started.setdefault(first, part[name])
                part[name].add(values)
    return [
        {
            **{x: Same(texts[x][y] if x in texts else y) for x, y in zip(apart, key, strict=True)},
            **{
                name: CodedColumn(column.values, texts[name]) if name in texts else column.values
                for name, column in part.items()
            },
        }
        for key, part in parts.items()
    ]


def _pieces(columns: Sequence[Array], n: int) -> list[tuple[tuple[Any, ...], Any]]:
    """The rows of a batch with each combination of values; those that stand together as slices."""
    if not columns:
        return [((), slice(0, n))]
    change = np.zeros(n - 1, np.bool_)
    for column in columns:
        change |= column[1:] != column[:-1]
    starts: Array = np.concatenate([[0], np.flatnonzero(change) + 1])
    if len(starts) * STRETCH <= n:
        keys = zip(*(column[starts].tolist() for column in columns), strict=True)
        ends = [*starts[1:].tolist(), n]
        return [*zip(keys, map(slice, starts.tolist(), ends), strict=True)]
    code: Array = np.zeros(n, np.intp)
    for column in columns:
        values, own = np.unique(column, return_inverse=True)
        _, code = np.unique(code * len(values) + own, return_inverse=True)
    order = np.argsort(code.astype(np.min_scalar_type(n)), kind="stable")
    groups = np.split(order, np.cumsum(np.bincount(code))[:-1])
    firsts = [rows[0] for rows in groups]
    keys = zip(*(column[firsts].tolist() for column in columns), strict=True)
    return sorted(zip(keys, groups, strict=True), key=lambda piece: int(piece[1][0]))
