"""Files, asked by an embedded DuckDB: one, all of a pattern, or two with gold and predictions."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whichf1.errors import FileError, InputError, ShapeError, did_you_mean
from whichf1.sources.answers.rows import Answer, Origin, Reading
from whichf1.sources.engines import formats
from whichf1.sources.engines.database import MEMORY_LIMIT, Database, Progress, first_line, quote
from whichf1.sources.engines.formats import Compression, compression_of, refuse_broken
from whichf1.sources.request import Request, refuse_unknown

if TYPE_CHECKING:
    from whichf1.sources.questions.grouped import Gap, Question

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
FORMATS = tuple(dict.fromkeys(EXTENSIONS.values()))
TEXT = {"csv": ",", "tsv": "\t"}
MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"PK\x03\x04": "npz"}
PACKED = (".gz", ".gzip", ".zst", ".zstd")
SHOWN = 5
"""Identifiers that a message lists."""
END = object()
"""What stands for the end of a file that gives no view."""


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How files are read."""

    format: str | None = None
    """One of FORMATS; None: told by the file's first bytes and its name."""
    memory_limit: str | int = MEMORY_LIMIT
    on_error: str = "raise"
    """'raise', or 'skip': skip bad lines and items with a warning."""
    progress: Progress | None = None

    def __post_init__(self) -> None:
        if self.on_error not in ("raise", "skip"):
            raise InputError(f"on_error is 'raise' or 'skip'; got {self.on_error!r}")
        if self.format is not None and self.format not in FORMATS:
            raise InputError(
                f"there is no format {self.format!r}. {did_you_mean(self.format, FORMATS)}"
            )

    @property
    def skip(self) -> bool:
        """Whether bad lines and items are skipped."""
        return self.on_error == "skip"


@dataclass(frozen=True, slots=True)
class File:
    """One file, looked at from outside."""

    path: Path
    format: str
    compression: Compression
    size: int
    changed: int

    @property
    def name(self) -> str:
        """Its name in messages."""
        return repr(str(self.path))

    @property
    def reading(self) -> Reading:
        """What its values are."""
        return "text" if self.format in TEXT else "json" if self.format == "jsonl" else "typed"

    def columns(self, database: Database, skip: bool = False) -> list[str]:
        """The names of its columns; a compressed file is checked to be whole first."""
        refuse_broken(self.path, self.name, self.compression)
        match self.format:
            case "jsonl":
                return formats.jsonl_columns(self.path, self.name, self.compression, skip)
            case "parquet":
                return formats.parquet_columns(database, self.path, self.name)
            case "arrow":
                names: list[str] = formats.arrow_table(self.path, self.name).schema.names
                return names
            case "npz":
                return formats.npz_columns(self.path, self.name)
        delimiter = TEXT[self.format]
        return formats.csv_columns(self.path, self.name, delimiter, self.compression)

    def explain(self, said: str) -> str:
        """What an error of DuckDB's means for this file."""
        match self.format:
            case "csv" | "tsv":
                return formats.explain_csv(said, self.path, self.name, self.compression)
            case "jsonl":
                return formats.explain_jsonl(said, self.path, self.name, self.compression)
        return f"{self.name} is damaged: {first_line(said)}"

    def views(
        self,
        database: Database,
        view: str,
        columns: list[str],
        skip: bool,
        used: list[str],
        whole: bool = False,
    ) -> Iterator[None]:
        """Make the items visible to SQL under a name: at once, or piece by piece."""
        if self.format == "npz":
            for chunk in formats.npz_chunks(self.path, used, self.name, whole):
                database.connection.register(view, chunk)
                yield
                database.connection.unregister(view)
        elif self.format == "arrow":
            database.connection.register(view, formats.arrow_table(self.path, self.name))
            yield
        else:
            source = self._sql(columns, skip, used)
            database.run(f"CREATE OR REPLACE VIEW {view} AS SELECT * FROM {source}", self.explain)
            yield
        self._refuse_changed()

    def _sql(self, columns: list[str], skip: bool, used: list[str]) -> str:
        if self.format == "parquet":
            return formats.parquet_view(self.path)
        if self.format == "jsonl":
            return formats.jsonl_view(self.path, used, self.compression, skip)
        return formats.csv_view(self.path, columns, TEXT[self.format], self.compression, skip)

    def skipped(self, database: Database) -> tuple[str, ...]:
        """Which of its lines were skipped, after they were read with ``skip``."""
        if self.format == "jsonl":
            return formats.jsonl_skipped(database, self.path, self.compression, self.explain)
        return formats.csv_skipped(database) if self.format in TEXT else ()

    def _refuse_changed(self) -> None:
        now = os.stat(self.path)
        if (now.st_size, now.st_mtime_ns) != (self.size, self.changed):
            raise FileError(
                f"{self.name} changed while it was read ({self.size:,} bytes before, "
                f"{now.st_size:,} after). Count it again when it is finished."
            )


def find_files(path: str | os.PathLike[str], format: str | None) -> list[File]:
    """The file, or the files that a pattern matches, in order."""
    name = os.fspath(path)
    paths = [name]
    if has_magic(name) and not os.path.exists(name):
        paths = sorted(glob(name, recursive=True))
        if not paths:
            raise FileError(f"cannot read {name!r}: no file matches this pattern")
    files = [_look(Path(each), format) for each in paths]
    kinds = {file.format for file in files}
    if len(kinds) > 1:
        raise FileError(f"{name!r} matches files of several formats: {', '.join(sorted(kinds))}")
    return files


def _look(path: Path, told: str | None) -> File:
    name = repr(str(path))
    try:
        seen = os.stat(path)
        if stat.S_ISDIR(seen.st_mode):
            raise FileError(f"{name} is a folder. Name its files with a pattern: {path}/*.parquet")
        if not stat.S_ISREG(seen.st_mode):
            raise FileError(
                f"{name} is a pipe or a device, not a regular file, and can be read only once. "
                "Give it as standard input: whichf1 score - --from csv"
            )
        with open(path, "rb") as file:
            start = file.read(8)
    except OSError as error:
        raise FileError(f"cannot read {name}: {error.strerror}") from None
    compression = compression_of(start)
    format = told or _format(path, start, name)
    if compression != "none" and format not in (*TEXT, "jsonl"):
        raise FileError(f"{name}: {format} files are compressed inside. Unpack it first.")
    return File(path, format, compression, seen.st_size, seen.st_mtime_ns)


def _format(path: Path, start: bytes, name: str) -> str:
    for magic, word in MAGIC.items():
        if start.startswith(magic):
            return word
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in PACKED:
        suffixes.pop()
    if suffixes and suffixes[-1] in EXTENSIONS:
        format = EXTENSIONS[suffixes[-1]]
        if format in ("parquet", "npz") and compression_of(start) == "none":
            if not start:
                raise FileError(f"{name} is empty")
            raise FileError(f"{name} is not a {format} file: it does not start like one")
        return format
    raise FileError(
        f"cannot tell the format of {name} from its name. Say --from csv (format='csv'); "
        f"known: {', '.join(FORMATS)}"
    )


def gather_files(
    path: str | os.PathLike[str], request: Request, question: Question, options: ReadingOptions
) -> Answer:
    """What a question gives for a file or for all files of a pattern."""
    files = find_files(path, options.format)
    parts: dict[str, list[Any]] = {}
    skipped: list[str] = []
    places: dict[str, str] = {}
    columns: Request | None = None
    with Database(options.memory_limit, options.progress) as database:
        for file in files:
            available = file.columns(database, options.skip)
            columns = request.find(available, file.name)
            for _ in file.views(database, "items", available, options.skip, columns.used):
                part = question.of_view(
                    database, columns, file.explain, file.format not in (*TEXT, "jsonl")
                )
                for key, each in part.items():
                    parts.setdefault(key, []).extend(each)
                if not options.skip:
                    _note_gaps(database, question.gaps(part, columns, file.reading), file, places)
            if options.skip:
                skipped += file.skipped(database)
    if len(files) > 1 or files[0].format == "npz":
        parts = {key: question.merged(part) for key, part in parts.items()}
    name = files[0].name if len(files) == 1 else repr(os.fspath(path))
    origin = Origin(
        name, files[0].reading, lambda column: places.get(column, ""), options.skip, tuple(skipped)
    )
    assert columns is not None
    return parts, columns, origin


def _note_gaps(database: Database, gaps: Iterable[Gap], file: File, places: dict[str, str]) -> None:
    """Where the first bad value of a column stands, while the file is still open."""
    for gap in gaps:
        if gap.column not in places:
            places[gap.column] = _place(database, gap, file)


def _place(database: Database, gap: Gap, file: File) -> str:
    shown = f"{gap.condition} AS bad, {gap.shown} AS v"
    numbered = f"SELECT row_number() OVER () AS row, {shown} FROM items"
    row, seen = database.run(
        f"SELECT row, v FROM ({numbered}) WHERE bad ORDER BY row LIMIT 1", file.explain
    )[0]
    held = "" if gap.shown == "NULL" else f" ({seen!r})"
    if file.format == "jsonl":
        return f"the first is item {row:,}{held} (line {row:,} if no line is blank)"
    if file.format in TEXT:
        return f"the first is item {row:,}{held} (line {row + 1:,} if no cell holds a line break)"
    return f"the first is item {row:,}{held}"


def gather_aligned(
    gold: str | os.PathLike[str],
    predictions: str | os.PathLike[str],
    request: Request,
    question: Question,
    options: ReadingOptions,
    id: str | None,
) -> Answer:
    """What a question gives; predictions are the second file's, all else is the gold file's."""
    left, right = _single(gold, options), _single(predictions, options)
    with Database(options.memory_limit, options.progress) as database, ExitStack() as stack:
        mine, theirs = left.columns(database), right.columns(database)
        columns = _columns(mine, theirs, request, id, (left, right))
        of_gold = [*dict.fromkeys([x for x in columns.used if x not in columns.preds])]
        for file, view, names, used in (
            (left, "gold", mine, of_gold),
            (right, "predictions", theirs, list(columns.preds)),
        ):
            chosen = [*dict.fromkeys([*used, *([id] if id else [])])]
            views = file.views(database, view, names, False, chosen, whole=True)
            if next(views, END) is END:
                raise ShapeError(f"{file.name} has no items")
            stack.callback(next, views, None)
        _join(database, columns, of_gold, id, (left, right))
        parts = question.of_view(database, columns, left.explain, False)
    others = {} if left.reading == right.reading else dict.fromkeys(columns.preds, right.reading)
    name = f"{left.name} with {right.name}"
    origin = Origin(name, left.reading, skip=options.skip, others=others)
    return parts, columns, origin


def _single(path: str | os.PathLike[str], options: ReadingOptions) -> File:
    files = find_files(path, options.format)
    if len(files) > 1:
        raise InputError(f"{os.fspath(path)!r} matches {len(files)} files: give one")
    return files[0]


def _columns(
    mine: list[str], theirs: list[str], request: Request, id: str | None, files: tuple[File, File]
) -> Request:
    true = (request.true,) if request.true else ()
    left, right = (
        _side(names, named, at, id, file.name, request)
        for at, (names, named, file) in enumerate(
            zip((mine, theirs), (true, request.preds), files, strict=True)
        )
    )
    for names, file in ((mine, files[0]), (theirs, files[1])):
        if id is not None and id not in names:
            raise FileError(f"{file.name} has no column {id!r}. Its columns: {', '.join(names)}")
    if left[0] in right:
        raise InputError(
            f"the column {left[0]!r} has the same name in both files. Rename it in one."
        )
    known = [*mine, *(name for name in right if name not in mine)]
    columns = replace(request, true=left[0], preds=tuple(right)).find(known, files[0].name)
    alike = next((x for x in (*columns.by, columns.weights, columns.cluster) if x in right), None)
    if alike is not None:
        raise InputError(f"column {alike!r} holds predictions: name one of {files[0].name}")
    return columns


def _side(
    names: list[str],
    named: Sequence[str],
    at: int,
    id: str | None,
    name: str,
    request: Request,
) -> list[str]:
    """The columns of one file: as named, as usual, or the only one there is."""
    if named:
        for each in named:
            refuse_unknown(each, names, name)
        return list(named)
    rest = [column for column in names if column != id]
    usual = [pair[at] for pair in request.usual if pair[at] in rest]
    candidates = rest if len(rest) == 1 else list(dict.fromkeys(usual))
    if len(candidates) == 1:
        return candidates
    option = ("--true", "--score" if request.scores else "--pred")[at]
    raise FileError(f"{name}: which column? Pass {option} one of {', '.join(rest)}")


def _join(
    database: Database,
    columns: Request,
    of_gold: list[str],
    id: str | None,
    files: tuple[File, File],
) -> None:
    shown = [f"gold.{quote(name)} AS {quote(name)}" for name in of_gold]
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
