"""Gold labels and predictions in two files, aligned by line or joined by an identifier."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from whichf1.errors import FileError, InputError, ShapeError
from whichf1.slices import Slices
from whichf1.sources.cells import USUAL_NAMES, Columns, Origin, find_columns, tally
from whichf1.sources.database import Database, quote
from whichf1.sources.files import File, Options, find_files
from whichf1.sources.queries import grouped

SHOWN = 5


def count_aligned(
    gold: str | os.PathLike[str],
    predictions: str | os.PathLike[str],
    *,
    true: str | None,
    pred: str | Sequence[str] | None,
    weights: str | None,
    by: Sequence[str],
    id: str | None,
    labels: Any,
    options: Options,
) -> dict[str, Slices]:
    """The counts of each prediction column; all other columns are the gold file's."""
    left, right = _single(gold, options), _single(predictions, options)
    if left.reading != right.reading:
        raise InputError(
            f"{left.name} is {left.format} and {right.name} {right.format}: labels of one have "
            "types that the other lacks. Give both in one format."
        )
    with Database(options.memory_limit, options.progress) as database, ExitStack() as stack:
        mine, theirs = left.columns(database), right.columns(database)
        columns = _columns(mine, theirs, true, pred, weights, by, id, (left, right))
        used = [*dict.fromkeys([*columns.used, *([id] if id else [])])]
        for file, view, names in ((left, "gold", mine), (right, "predictions", theirs)):
            views = file.views(database, view, names, False, [n for n in used if n in names])
            next(views)
            stack.callback(next, views, None)
        _join(database, columns, id, (left, right))
        parts = grouped(database, columns, left.explain, columnar=False)
    name = f"{left.name} with {right.name}"
    return tally(parts, columns, Origin(name, left.reading, skip=options.skip), labels)


def _single(path: str | os.PathLike[str], options: Options) -> File:
    files = find_files(path, options.format)
    if len(files) > 1:
        raise InputError(f"{os.fspath(path)!r} matches {len(files)} files: give one")
    if files[0].format == "npz":
        raise InputError(f"{files[0].name}: put both arrays of an npz file into one file")
    return files[0]


def _columns(
    mine: list[str],
    theirs: list[str],
    true: str | None,
    pred: str | Sequence[str] | None,
    weights: str | None,
    by: Sequence[str],
    id: str | None,
    files: tuple[File, File],
) -> Columns:
    left, right = (
        _side(names, given, at, id, file.name)
        for at, (names, given, file) in enumerate(
            zip((mine, theirs), (true, pred), files, strict=True)
        )
    )
    for names, file in ((mine, files[0]), (theirs, files[1])):
        if id is not None and id not in names:
            raise FileError(f"{file.name} has no column {id!r}. Its columns: {', '.join(names)}")
    known = [*mine, *(name for name in theirs if name not in mine)]
    return find_columns(
        known, files[0].name, true=left[0], pred=right, weights=weights, by=tuple(by)
    )


def _side(
    names: list[str], given: str | Sequence[str] | None, at: int, id: str | None, name: str
) -> list[str]:
    """The columns of one file: as named, as usual, or the only one there is."""
    if given is not None:
        wanted = [given] if isinstance(given, str) else list(given)
        for each in wanted:
            if each not in names:
                raise FileError(f"{name} has no column {each!r}. Its columns: {', '.join(names)}")
        return wanted
    rest = [column for column in names if column != id]
    usual = [pair[at] for pair in USUAL_NAMES if pair[at] in rest]
    found = rest if len(rest) == 1 else list(dict.fromkeys(usual))
    if len(found) == 1:
        return found
    option = ("--true", "--pred")[at]
    raise FileError(f"{name}: say which column is meant: {option} one of {', '.join(rest)}")


def _join(database: Database, columns: Columns, id: str | None, files: tuple[File, File]) -> None:
    own = [
        *dict.fromkeys([*columns.by, columns.true, *([columns.weights] if columns.weights else [])])
    ]
    shown = [f"gold.{quote(name)} AS {quote(name)}" for name in own]
    shown += [
        f"predictions.{quote(name)} AS {quote(name)}" for name in columns.preds if name not in own
    ]
    if set(columns.preds) & set(own):
        raise InputError(
            f"the column {columns.true!r} is named alike in both files. Rename it in one."
        )
    if id is None:
        _refuse_lengths(database, files)
        how = "POSITIONAL JOIN predictions"
    else:
        _refuse_repeated(database, id, files)
        _refuse_unmatched(database, id, files)
        how = f"JOIN predictions ON gold.{quote(id)} = predictions.{quote(id)}"
    database.run(
        f"CREATE VIEW items AS SELECT {', '.join(shown)} FROM gold {how}", files[0].explain
    )


def _refuse_lengths(database: Database, files: tuple[File, File]) -> None:
    counted = [
        database.run(f"SELECT count(*) FROM {view}", file.explain)[0][0]
        for view, file in zip(("gold", "predictions"), files, strict=True)
    ]
    if counted[0] != counted[1]:
        raise ShapeError(
            f"{files[0].name} has {counted[0]:,} items, {files[1].name} has {counted[1]:,}. "
            "Aligned by line they must be equal; join them by a column with --id (id=)."
        )


def _refuse_repeated(database: Database, id: str, files: tuple[File, File]) -> None:
    for view, file in zip(("gold", "predictions"), files, strict=True):
        missing = database.run(
            f"SELECT count(*) FROM {view} WHERE {quote(id)} IS NULL", file.explain
        )[0][0]
        if missing:
            raise FileError(f"{file.name}: {missing:,} items have no {id!r}")
        repeated = f"SELECT {quote(id)} AS id FROM {view} GROUP BY 1 HAVING count(*) > 1"
        _refuse(database, file, repeated, "stand more than once")


def _refuse_unmatched(database: Database, id: str, files: tuple[File, File]) -> None:
    for view, other, file, lacking in (
        ("gold", "predictions", files[0], files[1]),
        ("predictions", "gold", files[1], files[0]),
    ):
        key = quote(id)
        unmatched = f"SELECT a.{key} AS id FROM {view} a ANTI JOIN {other} b ON a.{key} = b.{key}"
        _refuse(database, file, unmatched, f"are not in {lacking.name}")


def _refuse(database: Database, file: File, query: str, why: str) -> None:
    n = database.run(f"SELECT count(*) FROM ({query})", file.explain)[0][0]
    if n:
        first = database.run(f"SELECT id FROM ({query}) ORDER BY id LIMIT {SHOWN}", file.explain)
        shown = ", ".join(str(row[0]) for row in first)
        more = ", …" if n > SHOWN else ""
        raise FileError(f"{file.name}: {n:,} identifiers {why}: {shown}{more}")
