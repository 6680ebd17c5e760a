"""A file, or all files of a pattern → grouped rows, by an embedded DuckDB."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path
from typing import Any

from whichf1.errors import FileError, InputError, did_you_mean
from whichf1.sources.answers.rows import Origin, Reading
from whichf1.sources.engines import binary_files, text_files
from whichf1.sources.engines.compression import Compression, compression_of, refuse_broken
from whichf1.sources.engines.database import MEMORY_LIMIT, Database, Progress, first_line
from whichf1.sources.questions.grouped import Gap, Question
from whichf1.sources.request import Columns, Wanted

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


@dataclass(frozen=True, slots=True)
class Options:
    """How files are read."""

    format: str | None = None
    """One of FORMATS; None: told by the file's first bytes and its name."""
    memory_limit: str | int = MEMORY_LIMIT
    on_error: str = "raise"
    """'raise', or 'skip': leave out bad lines and items, and say so."""
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
        """Whether bad lines and items are left out."""
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
        """As it stands in messages."""
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
                return text_files.jsonl_columns(self.path, self.name, self.compression, skip)
            case "parquet":
                return binary_files.parquet_columns(database, self.path, self.name)
            case "arrow":
                names: list[str] = binary_files.arrow_table(self.path, self.name).schema.names
                return names
            case "npz":
                return binary_files.npz_columns(self.path, self.name)
        delimiter = TEXT[self.format]
        return text_files.csv_columns(self.path, self.name, delimiter, self.compression)

    def explain(self, said: str) -> str:
        """What an error of DuckDB's means for this file."""
        match self.format:
            case "csv" | "tsv":
                return text_files.explain_csv(said, self.path, self.name, self.compression)
            case "jsonl":
                return text_files.explain_jsonl(said, self.path, self.name, self.compression)
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
            for chunk in binary_files.npz_chunks(self.path, used, self.name, whole):
                database.connection.register(view, chunk)
                yield
                database.connection.unregister(view)
        elif self.format == "arrow":
            database.connection.register(view, binary_files.arrow_table(self.path, self.name))
            yield
        else:
            source = self._sql(columns, skip, used)
            database.run(f"CREATE OR REPLACE VIEW {view} AS SELECT * FROM {source}", self.explain)
            yield
        self._refuse_changed()

    def _sql(self, columns: list[str], skip: bool, used: list[str]) -> str:
        if self.format == "parquet":
            return binary_files.parquet_view(self.path)
        if self.format == "jsonl":
            return text_files.jsonl_view(self.path, used, self.compression, skip)
        return text_files.csv_view(self.path, columns, TEXT[self.format], self.compression, skip)

    def skipped(self, database: Database) -> tuple[str, ...]:
        """What was left out of its lines, after they were read with ``skip``."""
        if self.format == "jsonl":
            return text_files.jsonl_skipped(database, self.path, self.compression, self.explain)
        return text_files.csv_skipped(database) if self.format in TEXT else ()

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
                f"{name} is no regular file but a pipe or a device, which can be read only once. "
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
    path: str | os.PathLike[str], wanted: Wanted, question: Question, options: Options
) -> tuple[dict[str, list[Any]], Columns, Origin]:
    """What a question gives for a file or for all files of a pattern."""
    files = find_files(path, options.format)
    parts: dict[str, list[Any]] = {}
    skipped: list[str] = []
    places: dict[str, str] = {}
    columns: Columns | None = None
    with Database(options.memory_limit, options.progress) as database:
        for file in files:
            available = file.columns(database, options.skip)
            columns = wanted.find(available, file.name)
            for _ in file.views(database, "items", available, options.skip, columns.used):
                found = question.of_view(
                    database, columns, file.explain, file.format not in (*TEXT, "jsonl")
                )
                for key, each in found.items():
                    parts.setdefault(key, []).extend(each)
                if not options.skip:
                    _note_gaps(database, question.gaps(found, columns, file.reading), file, places)
            if options.skip:
                skipped += file.skipped(database)
    if len(files) > 1 or files[0].format == "npz":
        parts = {key: question.merged(found) for key, found in parts.items()}
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
