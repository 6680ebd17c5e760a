"""A file of predictions → Counts, grouped by an embedded DuckDB that is told everything.

DuckDB's own guessing is unsafe for labels (a late 1.5 in a column of integers is rounded), so the
header is read here and every column is text.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from whichf1.counts import Counts
from whichf1.errors import FileError, LabelError, ShapeError, WeightError, did_you_mean
from whichf1.labels import Labels, from_text

USUAL_NAMES = (("true", "pred"), ("y_true", "y_pred"), ("gold", "pred"), ("label", "prediction"))


def count_csv(
    path: str | os.PathLike[str],
    *,
    true: str | None = None,
    pred: str | None = None,
    labels: Any = None,
    weights: str | None = None,
) -> Counts:
    """Count the pairs of two columns of a CSV file with a header."""
    name = os.fspath(path)
    columns = _header(Path(path))
    _refuse_unknown(columns, (true, pred, weights), name)
    left, right = _find_columns(columns, true, pred, name)
    with _relation(name, columns) as run:
        _refuse_gaps(run, name, left, right, weights)
        measure = _measure(weights)
        grouped = f"SELECT {_quote(left)}, {_quote(right)}, {measure} FROM items GROUP BY 1, 2"
        cells = run(grouped)
    if not cells:
        raise ShapeError(f"{name!r} has a header and no items")
    return _counts(cells, labels, name, bool(weights))


def _counts(cells: list[tuple[Any, ...]], labels: Any, name: str, weighted: bool) -> Counts:
    texts = sorted({text for cell in cells for text in cell[:2]})
    declared = None if labels is None else Labels(labels)
    as_strings = declared is not None and declared.kind == "str"
    value = dict(zip(texts, texts if as_strings else from_text(texts), strict=True))
    observed = Labels.sorted(set(value.values()))
    code = {text: observed.code(label) for text, label in value.items()}
    counts = Counts(
        observed,
        np.array([code[cell[0]] for cell in cells], np.intp),
        np.array([code[cell[1]] for cell in cells], np.intp),
        np.array([cell[2] for cell in cells], np.float64 if weighted else np.int64),
        declared=False,
        squares=np.array([cell[3] for cell in cells]) if weighted else None,
    )
    if declared is None:
        return counts
    try:
        return counts.declare(declared)
    except LabelError as error:
        raise LabelError(f"{name!r}: {error}") from None


def _measure(weights: str | None) -> str:
    """What a group is counted by: its items, or the sums of its weights and of their squares."""
    if not weights:
        return "count(*)"
    weight = f"CAST({_quote(weights)} AS DOUBLE)"
    return f"sum({weight}), sum({weight} * {weight})"


def _header(path: Path) -> list[str]:
    try:
        with open(path, "rb") as file:
            first = file.readline()
    except OSError as error:
        raise FileError(f"cannot read {os.fspath(path)!r}: {error.strerror}") from None
    if not first.strip():
        raise FileError(f"{os.fspath(path)!r} is empty. It needs a header and one line per item.")
    try:
        columns = next(csv.reader(io.StringIO(first.decode("utf-8-sig")), strict=True))
    except (UnicodeDecodeError, csv.Error, StopIteration) as error:
        raise FileError(
            f"{os.fspath(path)!r}, line 1: the header cannot be read: {error}"
        ) from None
    lowered = [column.lower() for column in columns]
    for position, column in enumerate(lowered):
        if column in lowered[:position]:
            raise FileError(
                f"{os.fspath(path)!r}: column {columns[position]!r} stands twice in the header "
                "(upper and lower case count as the same). Rename one."
            )
    return columns


def _find_columns(
    columns: list[str], true: str | None, pred: str | None, name: str
) -> tuple[str, str]:
    if true is not None and pred is not None:
        return true, pred
    usual = {(true or left, pred or right) for left, right in USUAL_NAMES}
    found = [pair for pair in usual if set(pair) <= set(columns)]
    if len(found) == 1:
        return found[0]
    why = "several columns could be meant" if found else "the columns are not named as usual"
    raise FileError(
        f"{name!r}: {why}. Its columns: {', '.join(columns)}. Name the two: --true COLUMN "
        "--pred COLUMN, or count(path, true=..., pred=...)."
    )


def _refuse_unknown(columns: list[str], wanted: Iterable[str | None], name: str) -> None:
    for column in wanted:
        if column is not None and column not in columns:
            raise FileError(
                f"{name!r} has no column {column!r}. Its columns: {', '.join(columns)}. "
                + did_you_mean(column, columns)
            )


@contextmanager
def _relation(name: str, columns: list[str]) -> Iterator[Any]:
    """A function that runs SQL over the view ``items`` of the file."""
    import duckdb

    types = ", ".join(f"{_text(column)}: 'VARCHAR'" for column in columns)
    reader = (
        f"read_csv({_text(name)}, auto_detect=false, header=true, columns={{{types}}}, delim=',', "
        "quote='\"', escape='\"', allow_quoted_nulls=false, strict_mode=true)"
    )
    connection = duckdb.connect(":memory:")

    def run(query: str) -> list[tuple[Any, ...]]:
        try:
            return connection.execute(query).fetchall()
        except duckdb.Error as error:
            first = str(error).split("\n\n")[0].strip().replace("\n", " ")
            raise FileError(f"{name!r} is not a well-formed CSV file: {first}") from None

    try:
        run("SET autoinstall_known_extensions=false")
        run("SET autoload_known_extensions=false")
        run("SET enable_progress_bar=false")
        run(f"CREATE VIEW items AS SELECT * FROM {reader}")
        yield run
    finally:
        connection.close()


def _refuse_gaps(run: Any, name: str, left: str, right: str, weights: str | None) -> None:
    for column in (left, right):
        missing = run(f"SELECT count(*) FROM items WHERE {_quote(column)} IS NULL")[0][0]
        if missing:
            numbered = f"SELECT row_number() OVER () AS row, {_quote(column)} AS label FROM items"
            row = run(f"SELECT min(row) FROM ({numbered}) WHERE label IS NULL")[0][0]
            raise LabelError(
                f"{name!r}: column {column!r} has no label in {missing:,} of its items; the first "
                f"is item {row:,} (line {row + 1:,} if no cell holds a line break). "
                "Fill it in or drop the item."
            )
    if weights:
        number = f"try_cast({_quote(weights)} AS DOUBLE)"
        bad = f"{number} IS NULL OR NOT isfinite({number}) OR {number} < 0"
        rows = run(f"SELECT {_quote(weights)} FROM items WHERE {bad} LIMIT 1")
        if rows:
            raise WeightError(
                f"{name!r}: column {weights!r} holds {rows[0][0]!r}: weights are finite numbers "
                "and not negative"
            )


def _quote(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
