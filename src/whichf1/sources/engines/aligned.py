"""Gold labels and predictions in two files, aligned by line or joined by an identifier."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from whichf1.errors import FileError, InputError, ShapeError
from whichf1.sources.answers.rows import Origin
from whichf1.sources.engines.database import Database, quote
from whichf1.sources.engines.files import File, Options, find_files
from whichf1.sources.questions.grouped import Question
from whichf1.sources.request import Columns, Wanted, refuse_unknown

SHOWN = 5
END = object()
"""What stands for the end of a file that gives no view."""


def gather_aligned(
    gold: str | os.PathLike[str],
    predictions: str | os.PathLike[str],
    wanted: Wanted,
    question: Question,
    options: Options,
    id: str | None,
) -> tuple[dict[str, list[Any]], Columns, Origin]:
    """What a question gives; predictions are the second file's, all else is the gold file's."""
    left, right = _single(gold, options), _single(predictions, options)
    with Database(options.memory_limit, options.progress) as database, ExitStack() as stack:
        mine, theirs = left.columns(database), right.columns(database)
        columns = _columns(mine, theirs, wanted, id, (left, right))
        own = [*dict.fromkeys([x for x in columns.used if x not in columns.preds])]
        for file, view, names, used in (
            (left, "gold", mine, own),
            (right, "predictions", theirs, list(columns.preds)),
        ):
            chosen = [*dict.fromkeys([*used, *([id] if id else [])])]
            views = file.views(database, view, names, False, chosen, whole=True)
            if next(views, END) is END:
                raise ShapeError(f"{file.name} has no items")
            stack.callback(next, views, None)
        _join(database, columns, own, id, (left, right))
        parts = question.of_view(database, columns, left.explain, False)
    others = {} if left.reading == right.reading else dict.fromkeys(columns.preds, right.reading)
    name = f"{left.name} with {right.name}"
    origin = Origin(name, left.reading, skip=options.skip, others=others)
    return parts, columns, origin


def _single(path: str | os.PathLike[str], options: Options) -> File:
    files = find_files(path, options.format)
    if len(files) > 1:
        raise InputError(f"{os.fspath(path)!r} matches {len(files)} files: give one")
    return files[0]


def _columns(
    mine: list[str], theirs: list[str], wanted: Wanted, id: str | None, files: tuple[File, File]
) -> Columns:
    true = None if wanted.true is None else (wanted.true,)
    left, right = (
        _side(names, given, at, id, file.name, wanted)
        for at, (names, given, file) in enumerate(
            zip((mine, theirs), (true, wanted.preds), files, strict=True)
        )
    )
    for names, file in ((mine, files[0]), (theirs, files[1])):
        if id is not None and id not in names:
            raise FileError(f"{file.name} has no column {id!r}. Its columns: {', '.join(names)}")
    if left[0] in right:
        raise InputError(f"the column {left[0]!r} is named alike in both files. Rename it in one.")
    known = [*mine, *(name for name in right if name not in mine)]
    columns = replace(wanted, true=left[0], preds=tuple(right)).find(known, files[0].name)
    alike = next((x for x in (*columns.by, columns.weights, columns.cluster) if x in right), None)
    if alike is not None:
        raise InputError(f"column {alike!r} holds predictions: name one of {files[0].name}")
    return columns


def _side(
    names: list[str],
    given: Sequence[str] | None,
    at: int,
    id: str | None,
    name: str,
    wanted: Wanted,
) -> list[str]:
    """The columns of one file: as named, as usual, or the only one there is."""
    if given is not None:
        for each in given:
            refuse_unknown(each, names, name)
        return list(given)
    rest = [column for column in names if column != id]
    usual = [pair[at] for pair in wanted.usual if pair[at] in rest]
    found = rest if len(rest) == 1 else list(dict.fromkeys(usual))
    if len(found) == 1:
        return found
    option = ("--true", "--score" if wanted.scores else "--pred")[at]
    raise FileError(f"{name}: say which column is meant: {option} one of {', '.join(rest)}")


def _join(
    database: Database,
    columns: Columns,
    own: list[str],
    id: str | None,
    files: tuple[File, File],
) -> None:
    shown = [f"gold.{quote(name)} AS {quote(name)}" for name in own]
    shown += [f"predictions.{quote(name)} AS {quote(name)}" for name in columns.preds]
    if id is None:
        _refuse_lengths(database, files)
        how = "POSITIONAL JOIN predictions"
    else:
        keys = _identifiers(id, files)
        _refuse_repeated(database, id, files)
        _refuse_unmatched(database, keys, files)
        how = f"JOIN predictions ON {keys[0]} = {keys[1]}"
    query = f"CREATE VIEW items AS SELECT {', '.join(shown)} FROM gold {how}"
    database.run(query, files[0].explain)


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


def _identifiers(id: str, files: tuple[File, File]) -> list[str]:
    """The identifier in each file; as text where one file has types that the other lacks."""
    alike = files[0].reading == files[1].reading
    keys = []
    for view, file in zip(("gold", "predictions"), files, strict=True):
        key = f"{view}.{quote(id)}"
        as_text = f"({key} ->> '$')" if file.reading == "json" else f"CAST({key} AS VARCHAR)"
        keys.append(key if alike else as_text)
    return keys


def _refuse_unmatched(database: Database, keys: list[str], files: tuple[File, File]) -> None:
    for view, other, key, file, lacking in (
        ("gold", "predictions", keys[0], files[0], files[1]),
        ("predictions", "gold", keys[1], files[1], files[0]),
    ):
        unmatched = f"SELECT {key} AS id FROM {view} ANTI JOIN {other} ON {keys[0]} = {keys[1]}"
        _refuse(database, file, unmatched, f"are not in {lacking.name}")


def _refuse(database: Database, file: File, query: str, why: str) -> None:
    n = database.run(f"SELECT count(*) FROM ({query})", file.explain)[0][0]
    if n:
        first = database.run(f"SELECT id FROM ({query}) ORDER BY id LIMIT {SHOWN}", file.explain)
        shown = ", ".join(str(row[0]) for row in first)
        more = ", …" if n > SHOWN else ""
        raise FileError(f"{file.name}: {n:,} identifiers {why}: {shown}{more}")
