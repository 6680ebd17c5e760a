"""Files, asked by an embedded DuckDB: one, all of a pattern, or two with gold and predictions."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from glob import glob, has_magic
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from whichf1 import kernel
from whichf1.errors import FileError, InputError, ShapeError, did_you_mean, is_among, numbered
from whichf1.sources.address import Address
from whichf1.sources.engines.database import (
    MEMORY_LIMIT,
    Database,
    Progress,
    as_number,
    as_score,
    opened,
    quote,
)
from whichf1.sources.engines.formats import FORMATS, File, Shown, compression_of
from whichf1.sources.engines.remote import Copy, Elsewhere, elsewhere, is_data
from whichf1.sources.request import (
    Answer,
    Origin,
    Place,
    Request,
    refuse_same,
    refuse_separated,
    refuse_unknown,
)
from whichf1.tables.labels import from_text
from whichf1.tables.records import dataclass

if TYPE_CHECKING:
    from whichf1.sources.questions.grouped import Question

EXTENSIONS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".npz": "npz",
}
MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"PK\x03\x04": "npz"}
PACKED = (".gz", ".gzip", ".zst", ".zstd")
SPANS = "For tagged tokens (CoNLL), name their scheme: --spans BIO (whichf1.spans)"
SHARED = 16
"""How many further columns of both files are compared if items are matched by line."""
SHOWN = 5
"""How many identifiers a message lists."""
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""What the name of a folder has for a missing value."""
END = object()
"""A marker for the end of a file that has no view."""


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How files are read."""

    format: str | None = None
    """One of FORMATS; None: detected from the file's first bytes and its name."""
    memory_limit: str | int = MEMORY_LIMIT
    on_error: str = "raise"
    """'raise', or 'skip': skip bad lines and items with a warning."""
    progress: Progress | None = None
    hive: bool = False
    """Whether folders such as lang=en/ add a column."""
    storage_options: Mapping[str, Any] | None = None
    """Options for fsspec, besides those in the environment."""

    def __post_init__(self) -> None:
        if not is_among(self.on_error, ("raise", "skip")):
            raise InputError(f"on_error must be 'raise' or 'skip'; got {self.on_error!r}")
        if self.format is not None and not is_among(self.format, FORMATS):
            tagged = _is_tagged(f"x.{self.format}")
            hint = SPANS if tagged else did_you_mean(self.format, FORMATS)
            raise InputError(f"there is no format {self.format!r}. {hint}")
        if not isinstance(self.hive, bool):
            raise InputError(f"hive must be True or False; got {self.hive!r}")
        if not isinstance(self.storage_options, (Mapping, type(None))):
            kind = type(self.storage_options).__name__
            raise InputError(f"storage_options must be a mapping from names to values; got {kind}")

    @property
    def skip(self) -> bool:
        """Whether bad lines and items are skipped."""
        return self.on_error == "skip"


def find_files(data: Any, options: ReadingOptions) -> tuple[str, list[File]]:
    """The file, or the files that a pattern matches, in order; and their name in messages."""
    here = isinstance(data, (str, Path)) and Address.of(data) is None
    there = data if here else elsewhere(data, options.storage_options)
    if isinstance(there, Elsewhere):
        name, copies = there.name, there.copies(all=options.hive)
        files = [_look(copy.path, options.format, copy) for copy in copies]
        titles = [copy.title for copy in copies]
    else:
        name, titles = repr(os.fspath(there)), _paths(there, options.hive)
        files = [_look(Path(each), options.format) for each in titles]
    kinds = sorted({word for file in files for word, kind in FORMATS.items() if type(file) is kind})
    if len(kinds) > 1:
        raise FileError(f"{name} matches files of several formats: {', '.join(kinds)}")
    return name, _in_folders(name, files, titles) if options.hive else files


def _paths(path: str | os.PathLike[str], hive: bool) -> list[str]:
    """The path, or the paths that a pattern matches; for partitioned data, also a folder's."""
    name = os.fspath(path)
    try:
        possible = b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise FileError(f"no file can be called {name!r}")
    if hive and os.path.isdir(name):
        paths = [os.path.join(at, each) for at, _, some in os.walk(name) for each in some]
        return sorted(_once([each for each in paths if is_data(os.path.relpath(each, name))]))
    if not has_magic(name) or os.path.lexists(name):
        _refuse_lost_slash(path, name)
        return [name]
    paths = _once(sorted(glob(name, recursive=True)))
    if not paths:
        raise FileError(f"cannot read {name!r}: no file matches this pattern")
    return paths


def _refuse_lost_slash(path: object, name: str) -> None:
    once = not isinstance(path, str) and re.match(r"[A-Za-z][A-Za-z0-9+.]+:/", name)
    if once and not os.path.lexists(name):
        raise FileError(f"{name!r} lost a slash as a Path: pass addresses as text")


def _once(paths: Sequence[str]) -> list[str]:
    """Each file once, by the first of its paths: ** and links may lead to it in several ways."""
    if len(paths) == 1:
        return [*paths]
    files: dict[Any, str] = {}
    for path in paths:
        try:
            seen = os.stat(path)
            files.setdefault((seen.st_dev, seen.st_ino), path)
        except OSError as error:  # reported when it is opened, except at the end of a loop of links
            if error.errno != errno.ELOOP:
                files[path] = path
    return [*files.values()]


def _look(path: Path, told: str | None, copy: Copy | None = None) -> File:
    name = repr(str(path)) if copy is None else copy.name
    try:
        seen = os.stat(path)
        if stat.S_ISDIR(seen.st_mode):
            raise FileError(
                f"{name} is a folder. Name its files with a pattern such as {path}/*.parquet; if "
                f"it "
                "is partitioned, use --hive (hive=True)"
            )
        if not stat.S_ISREG(seen.st_mode):
            raise FileError(
                f"{name} is a pipe or a device, not a regular file, and can be read only once. "
                "Pass it as standard input: whichf1 score - --from csv"
            )
        with open(path, "rb") as file:
            start = file.read(8)
    except FileError:
        raise
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or error
        raise FileError(f"cannot read {name}: {said}") from None
    compression = compression_of(start)
    format = told or _format(path.name if copy is None else copy.title, start, name)
    if compression != "none" and FORMATS[format].reading == "typed":
        raise FileError(f"{name}: {format} files are compressed inside. Unpack it first.")
    return FORMATS[format](path, compression, seen.st_size, seen.st_mtime_ns, copy)


def _format(title: str, start: bytes, name: str) -> str:
    for magic, word in MAGIC.items():
        if start.startswith(magic):
            return word
    format = format_of(title)
    if format in ("parquet", "npz") and compression_of(start) == "none":
        if not start:
            raise FileError(f"{name} is empty")
        raise FileError(f"{name} is not a {format} file: it does not start like one")
    if format is not None:
        return format
    hint = f"Use --from csv (format='csv'); known: {', '.join(FORMATS)}"
    raise FileError(
        f"cannot tell the format of {name} from its name. {SPANS if _is_tagged(title) else hint}"
    )


def _is_tagged(name: str) -> bool:
    """Whether a file is named like those of tagged tokens."""
    return os.path.splitext(name.lower())[1] in (".conll", ".conllu", ".bio", ".iob", ".iob2")


def format_of(name: str) -> str | None:
    """The format of a name by its extension, before that of a compressed file."""
    stem, ending = os.path.splitext(name.lower())
    while ending in PACKED:
        stem, ending = os.path.splitext(stem)
    return EXTENSIONS.get(ending)


def _in_folders(name: str, files: Sequence[File], titles: Sequence[str]) -> list[File]:
    """The files with the columns that their folders add: lang=en/ adds lang, which is en."""
    values = [_folders(title) for title in titles]
    if not any(values):
        raise InputError(
            f"{name} is not in a folder such as lang=en/, which --hive (hive=True) would turn "
            "into a column: omit it"
        )
    texts: dict[str, set[str]] = {}
    for name, value in chain(*(each.items() for each in values)):
        texts.setdefault(name, set())
        texts[name] |= {value} - {None}  # type: ignore[arg-type]
    read = {x: dict(zip(some, from_text(some), strict=True)) for x, some in texts.items()}
    return [
        replace(file, folders={x: (y, None if y is None else read[x][y]) for x, y in each.items()})
        for file, each in zip(files, values, strict=True)
    ]


def _folders(path: str) -> dict[str, str | None]:
    parts = (part.partition("=") for part in path.replace(os.sep, "/").split("/")[:-1])
    values = {unquote(name): unquote(value) for name, equal, value in parts if name and equal}
    return {x: None if y == NO_VALUE else y for x, y in values.items()}


def gather_files(
    data: Any, request: Request, question: Question, options: ReadingOptions
) -> Answer:
    """The answer to a question for a file or for all files of a pattern."""
    name, files = find_files(data, options)
    parts: list[dict[str, list[Any]]] = []
    skipped: list[str] = []
    columns = request
    with opened(options.memory_limit, options.progress) as database:
        for file in files:
            if len(files) > 1 and file.is_empty():
                continue
            available = file.columns(database, options.skip)
            columns = request.find([*available, *file.added(available)], file.name)
            shown = Shown(available, columns.used, options.skip)
            answered = partial(_answered, question, columns, parts)
            for _ in file.views(database, "items", shown, answered):
                parts.append(question.of_view(database, columns, file.explain))
            place = f" in {file.name}" if len(files) > 1 else ""
            left_out = file.skipped(database) if options.skip else ()
            skipped += [words + place for _, words in left_out]
    name = files[0].name if len(files) == 1 else name
    if not parts:
        raise ShapeError(f"{name} has a header but no items")
    locate = partial(_locate, files, columns, options)
    origin = Origin(name, files[0].reading, locate, options.skip, tuple(skipped))
    return parts[0] if len(parts) == 1 else question.joined(parts), columns, origin


def _answered(
    question: Question, columns: Request, parts: list[dict[str, list[Any]]], piece: Any
) -> bool:
    """Whether a question can be answered from a piece that is in memory; adds the answer."""
    answer = question.of_piece(piece, columns)
    parts += [] if answer is None else [answer]
    return answer is not None


def _locate(
    files: Sequence[File], columns: Request, options: ReadingOptions, what: str, column: str
) -> Place:
    """The first item that lacks something, in a file that is read again."""
    wrong, shown = _lacking(what, column, columns)
    numbered = f"SELECT row_number() OVER () AS row, {wrong} AS bad, {shown} AS v FROM items"
    query = f"SELECT row, v FROM ({numbered}) WHERE bad ORDER BY row LIMIT 1"
    with Database(options.memory_limit) as database:
        for file in files:
            every = Shown(file.columns(database), columns.used, whole=True)
            for _ in file.views(database, "items", every):
                for row, value in database.run(query, file.explain):
                    held = "" if shown == "NULL" else f" ({value!r})"
                    return Place(f"the first is item {row:,}{held}{file.line(row)}", value)
    return Place()


def _lacking(what: str, column: str, columns: Request) -> tuple[str, str]:
    """Which items lack a label, cluster, weight, finite number or distribution, and what to show
    of them, in SQL."""
    name, number = quote(column), as_number(column)
    if what == "finite number":
        number = as_score(column)
    if what in ("label", "cluster"):
        is_float = f"typeof({name}) IN ('FLOAT', 'DOUBLE')"
        return f"{name} IS NULL OR ({is_float} AND isnan({number}))", "NULL"
    if what != "distribution":
        negative = f" OR {number} < 0" if what == "weight" else ""
        no_number = f"NOT coalesce(isfinite({number}), false)"
        return no_number + negative, f"CAST({name} AS VARCHAR)"
    scores = [as_number(name) for name in columns.preds]
    width = len(scores) // max(1, columns.systems)
    systems = (", ".join(scores[at : at + width]) for at in range(0, len(scores), width))
    wrong = " OR ".join(
        f"least({each}) < 0 OR greatest({each}) > 1 OR "
        f"abs(list_sum([{each}]) - 1) > {kernel.TOLERANCE!r}"
        for each in systems
    )
    shown = ", ".join(f"CAST({each} AS VARCHAR)" for each in scores[:8])
    return wrong, f"concat_ws(', ', {shown})"


def gather_aligned(
    gold: Any,
    predictions: Any,
    request: Request,
    question: Question,
    options: ReadingOptions,
    id: str | None,
    beside: Beside | None = None,
) -> Answer:
    """The answer to a question; predictions come from the second file, the rest from the gold file.

    With ``beside``, only one system comes from the second file; the others are in the gold file.
    """
    files = {"gold": _single(gold, options), "predictions": _single(predictions, options)}
    left, right = files.values()
    explain = _explained(files)
    skipped: dict[str, tuple[tuple[int, str], ...]] = {}
    unmatched: list[str] = []
    with Database(options.memory_limit, options.progress) as database, ExitStack() as stack:
        available = {view: file.columns(database, options.skip) for view, file in files.items()}
        every = {x: [*names, *files[x].added(names)] for x, names in available.items()}
        if beside is None:
            columns = _columns(every, request, id, files)
            second = {name: name for name in columns.preds}
        else:
            columns, second = _columns_beside(every, request, id, files, beside)
        used = {"gold": {x: x for x in columns.used if x not in second}, "predictions": second}
        truth = columns.true if beside and columns.true in every["predictions"] else None
        taken = {*columns.used, *second.values()}
        shared = [x for x in every["gold"] if x in every["predictions"] and x not in taken]
        shared = shared[:SHARED] if id is None else []
        for view, file in files.items():
            keys = [x for x in (id, truth, *shared) if x is not None]
            names = [*dict.fromkeys([*used[view].values(), *keys])]
            shown = Shown(available[view], names, options.skip, whole=True)
            views = file.views(database, view, shown)
            if next(views, END) is END:
                raise ShapeError(f"{file.name} has no items")
            stack.callback(next, views, None)
            skipped[view] = _keep(database, view, file) if options.skip else ()
        if id is None:
            how = _by_line(database, files, skipped)
        else:
            how, unmatched = _by_id(database, id, files, skipped)
        if truth is not None:
            _refuse_other_truth(database, truth, files, how, id)
        _refuse_other_items(database, shared, files)
        pairs = [(view, *pair) for view, some in used.items() for pair in some.items()]
        selected = [f"{view}.{quote(column)} AS {quote(name)}" for view, name, column in pairs]
        query = f"CREATE TEMP VIEW items AS SELECT {', '.join(selected)} FROM gold {how}"
        database.run(query, explain)
        answer = question.of_view(database, columns, explain)
    others = {} if left.reading == right.reading else dict.fromkeys(second, right.reading)
    name = f"{left.name} with {right.name}"
    said = [f"{words} in {files[view].name}" for view, some in skipped.items() for _, words in some]
    every_skipped = (*said, *unmatched)
    origin = Origin(name, left.reading, skip=options.skip, skipped=every_skipped, others=others)
    return answer, columns, origin


def _explained(files: dict[str, File]) -> Callable[[str], str]:
    """What an error of DuckDB means, for the file that it is about."""

    def explain(said: str) -> str:
        named = [file for file in files.values() if os.path.abspath(file.path) in said]
        about = max(named, key=lambda file: len(str(file.path)), default=files["gold"])
        return about.explain(said)

    return explain


def _keep(database: Database, view: str, file: File) -> tuple[tuple[int, str], ...]:
    """Read the lines that are not malformed once, into a table, and say which others there are."""
    if file.reading == "typed":
        return ()
    database.run(f"CREATE TEMP TABLE {view}_kept AS FROM {view}", file.explain)
    database.run(f"CREATE OR REPLACE TEMP VIEW {view} AS FROM {view}_kept", file.explain)
    return file.skipped(database)


class Beside(NamedTuple):
    """A system whose predictions for the same items are in a second file."""

    name: str
    """The name of the system."""
    column: str | None
    """Its column there; None: the name of the only other system's column, or a usual name."""


def _columns_beside(
    available: dict[str, list[str]],
    request: Request,
    id: str | None,
    files: dict[str, File],
    beside: Beside,
) -> tuple[Request, dict[str, str]]:
    """The columns, and which column of the second file each of them is."""
    first, second = files.values()
    theirs, others = available["predictions"], [x for x in request.preds if x != beside.name]
    for view, file in files.items():
        if id is not None:
            refuse_unknown(id, available[view], file.name)
    named = [x for x in others if len(others) == 1 and x in theirs]
    named = named if beside.column is None else [beside.column]
    (column,) = _side(theirs, named, 1, id, second.name, request, "--baseline-pred")
    columns = replace(request, preds=tuple(others)).find(available["gold"], first.name)
    refuse_same(columns.true, (column,), f"predictions of {second.name}")
    return replace(columns, preds=request.preds), {beside.name: column}


def _refuse_other_truth(
    database: Database, true: str, files: dict[str, File], how: str, id: str | None
) -> None:
    """Raise if items that are joined have different true classes: they are not the same items."""
    first, second = files.values()
    query = f"SELECT count(*) FROM gold {how} WHERE {_differ(true, files)}"
    n = database.run(query, _explained(files))[0][0]
    if n:
        fix = "" if id is not None else ": match them by a column with --id"
        how = "line by line" if id is None else f"by {id!r}"
        raise FileError(
            f"{first.name} and {second.name} do not hold the same items: matched {how}, column "
            f"{true!r} differs in {n:,} of them{fix}"
        )


def _as_text(column: str, view: str, file: File) -> str:
    """A column as text in SQL, which is the same in every format."""
    name = f"{view}.{quote(column)}"
    return f"({name} ->> '$')" if file.reading == "json" else f"CAST({name} AS VARCHAR)"


def _differ(column: str, files: dict[str, File]) -> str:
    """Whether two items differ in a column of both files, in SQL; 1 and 1.0 do not."""
    left, right = (_as_text(column, view, file) for view, file in files.items())
    numbers = [f"TRY_CAST({side} AS DOUBLE)" for side in (left, right)]
    return f"{left} IS DISTINCT FROM {right} AND NOT coalesce({numbers[0]} = {numbers[1]}, false)"


def _refuse_other_items(database: Database, shared: list[str], files: dict[str, File]) -> None:
    """Raise if a further column of both files says that lines hold different items.

    It says so if it identifies items, or has the same values in a different order; other columns,
    such as comments, may differ.
    """
    first, second = files.values()
    sums = ", ".join(f"count(*) FILTER ({_differ(name, files)})" for name in shared)
    query = f"SELECT {sums} FROM gold POSITIONAL JOIN predictions"
    found = database.run(query, _explained(files))[0] if shared else ()
    for name, n in zip(shared, found, strict=True):
        if not n:
            continue
        sides = [_as_text(name, view, file) for view, file in files.items()]
        one_each = " AND ".join(f"count(DISTINCT {side}) = count(*)" for side in sides)
        left, right = (f"sum(hash({side}))" for side in sides)
        asked = f"SELECT ({one_each}) OR {left} = {right} FROM gold POSITIONAL JOIN predictions"
        if database.run(asked, _explained(files))[0][0]:
            raise FileError(
                f"{first.name} and {second.name} do not hold the same items line by line: column "
                f"{name!r} differs in {n:,} of them. Match them with --id {name} (id={name!r}), or "
                "rename the column in one file if it does not identify items."
            )


def _single(data: Any, options: ReadingOptions) -> File:
    name, files = find_files(data, options)
    if len(files) > 1:
        raise InputError(f"{name} matches {len(files)} files: pass one")
    return files[0]


def _columns(
    available: dict[str, list[str]], request: Request, id: str | None, files: dict[str, File]
) -> Request:
    named = {"gold": (request.true,) if request.true else (), "predictions": request.preds}
    (true, *_), preds = (
        _side(available[view], named[view], at, id, file.name, request)
        for at, (view, file) in enumerate(files.items())
    )
    for view, file in files.items():
        if id is not None:
            refuse_unknown(id, available[view], file.name)
    if true in preds:
        raise InputError(f"the column {true!r} has the same name in both files. Rename it in one.")
    gold = files["gold"].name
    known = [*dict.fromkeys([*available["gold"], *preds])]
    columns = replace(request, true=true, preds=tuple(preds)).find(known, gold)
    alike = next((x for x in (*columns.by, columns.weights, columns.cluster) if x in preds), None)
    if alike is not None:
        raise InputError(f"column {alike!r} holds predictions: name one of {gold}")
    return columns


def _side(
    names: list[str],
    named: Sequence[str],
    at: int,
    id: str | None,
    name: str,
    request: Request,
    option: str | None = None,
) -> list[str]:
    """The columns of one file: as named, by their usual names, or the only one."""
    if named:
        for each in named:
            refuse_unknown(each, names, name)
        return list(named)
    rest = [column for column in names if column != id]
    refuse_separated(names, name)
    candidates = rest if len(rest) == 1 else [x for x in request.usual[at] if x in rest]
    if len(candidates) == 1:
        return candidates
    option = option or ("--true", "--score" if request.scores else "--pred")[at]
    raise FileError(f"{name}: which column? Pass {option} one of {', '.join(rest)}")


def _by_line(
    database: Database,
    files: dict[str, File],
    skipped: Mapping[str, Sequence[tuple[int, str]]],
) -> str:
    """How files are joined line by line; they must have the same number of items, and all lines."""
    for view, file in files.items():
        if skipped[view]:
            said = ", ".join(words for _, words in skipped[view])
            raise FileError(
                f"{file.name}: without skipped lines, items cannot be matched by line; skipped "
                f"{said}. Match them by a column with --id (id=), or fix the lines."
            )
    n, other = (
        database.run(f"SELECT count(*) FROM {view}", file.explain)[0][0]
        for view, file in files.items()
    )
    if n != other:
        raise ShapeError(
            f"{files['gold'].name} has {n:,} items, {files['predictions'].name} has {other:,}. "
            "To be matched by line, they must have equally many: match them by a column with --id "
            "(id=)."
        )
    return "POSITIONAL JOIN predictions"


def _by_id(
    database: Database,
    id: str,
    files: dict[str, File],
    skipped: Mapping[str, Sequence[tuple[int, str]]],
) -> tuple[str, list[str]]:
    """How files are joined by a column, which must identify all items of both.

    Items that one file lacks are left out if it has as many lines that were skipped; the second
    value says how many.
    """
    unmatched = []
    alike = len({file.reading for file in files.values()}) == 1
    keys = {}
    for view, file in files.items():
        query = f"SELECT count(*) FROM {view} WHERE {quote(id)} IS NULL"
        missing = database.run(query, file.explain)[0][0]
        if missing:
            raise FileError(f"{file.name}: {missing:,} items have no {id!r}")
        repeated = f"SELECT {quote(id)} AS id FROM {view} GROUP BY 1 HAVING count(*) > 1"
        _refuse(database, files, view, repeated, "appear more than once")
        # one file may have types that the other lacks
        keys[view] = f"{view}.{quote(id)}" if alike else _as_text(id, view, file)
    equal = f"ON {keys['gold']} = {keys['predictions']}"
    for view, other in (("gold", "predictions"), ("predictions", "gold")):
        alone = f"SELECT {keys[view]} AS id FROM {view} ANTI JOIN {other} {equal}"
        why, allowed = f"are not in {files[other].name}", sum(n for n, _ in skipped[other])
        n = _refuse(database, files, view, alone, why, allowed)
        if n:
            unmatched.append(
                f"{n:,} of {files[view].name} whose line in {files[other].name} was skipped"
            )
    return f"JOIN predictions {equal}", unmatched


def _refuse(
    database: Database,
    files: dict[str, File],
    view: str,
    query: str,
    why: str,
    allowed: int = 0,
) -> int:
    """Raise if a query finds more identifiers than are allowed; otherwise, how many it finds."""
    explain = _explained(files)
    n: int = database.run(f"SELECT count(*) FROM ({query})", explain)[0][0]
    if n > allowed:
        why += f", where {numbered(allowed, 'line')} had to be skipped" if allowed else ""
        first = database.run(f"SELECT id FROM ({query}) ORDER BY id LIMIT {SHOWN}", explain)
        shown = ", ".join(str(row[0]) for row in first)
        more = ", …" if n > SHOWN else ""
        raise FileError(f"{files[view].name}: {n:,} identifiers {why}: {shown}{more}")
    return n
