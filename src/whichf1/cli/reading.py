"""Options that say what is counted, and the counting behind every command that takes them."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from glob import glob
from pathlib import Path
from typing import Annotated, Any

import typer

from whichf1.cli import standard_input
from whichf1.cli.options import declared
from whichf1.errors import FileError, InputError, SkippedWarning, WhichF1Error
from whichf1.report.escape import visible
from whichf1.sources.count import count, count_by
from whichf1.tables.counts import Counts
from whichf1.tables.saving import FORMAT
from whichf1.tables.slices import Slices

LARGE = 50_000_000
"""Bytes from which on a terminal shows how far the counting is."""


class OnError(StrEnum):
    """What becomes of malformed lines and items."""

    stop = "raise"
    skip = "skip"


class Engine(StrEnum):
    """What reads the files."""

    duckdb = "duckdb"
    spark = "spark"


File = Annotated[
    str | None,
    typer.Argument(
        help="A file of predictions (CSV, TSV, JSONL, Parquet, Arrow, npz), a pattern of files "
        "in quotes, saved counts, or - for standard input."
    ),
]
ScoresFile = Annotated[
    str | None,
    typer.Argument(
        help="A file (CSV, TSV, JSONL, Parquet, Arrow, npz), a pattern of files in quotes, or - "
        "for standard input with --from."
    ),
]
TrueColumn = Annotated[str | None, typer.Option(help="The column of true classes.")]
PredColumn = Annotated[str | None, typer.Option(help="The column of predicted classes.")]
WeightColumn = Annotated[str | None, typer.Option(help="A column of item weights.")]
GoldFile = Annotated[str | None, typer.Option(help="A file of true classes, with --pred-file.")]
PredFile = Annotated[
    str | None, typer.Option(help="A file of predictions, line by line as --gold, or by --id.")
]
IdColumn = Annotated[str | None, typer.Option("--id", help="The column that joins the two files.")]
By = Annotated[str | None, typer.Option(help="Score each slice of these columns: lang,domain.")]
From = Annotated[
    str | None,
    typer.Option("--from", help="The format: csv, tsv, jsonl, parquet, arrow or npz."),
]
MemoryLimit = Annotated[
    str, typer.Option(help="What counting may use before it goes to a temporary folder.")
]
Errors = Annotated[OnError, typer.Option("--on-error", help="Stop at bad lines, or skip them.")]
EngineName = Annotated[Engine, typer.Option(help="duckdb reads here, spark on a cluster.")]
Master = Annotated[str | None, typer.Option(help="The cluster, as spark://host:7077.")]


def read_counts(given: dict[str, Any]) -> Counts:
    """The counts that a command's options ask for."""
    saved = _saved(given)
    if saved is None:
        return _read(count, given)  # type: ignore[no-any-return]
    for option in ("true", "pred", "weights", "cluster", "id", "master"):
        if given.get(option):
            raise InputError(f"saved counts hold no columns: leave --{option} out")
    labels = declared(given["labels"])
    return saved if labels is None else saved.declare(labels)


def read_slices(given: dict[str, Any], by: list[str]) -> Slices:
    """The counts of each slice."""
    if _saved(given) is not None:
        raise InputError("saved counts hold no columns to slice by: count the file itself")
    return _read(count_by, given, by=by)  # type: ignore[no-any-return]


def source_name(given: dict[str, Any]) -> str:
    """What is said to have been scored."""
    if given["file"] is None:
        return f"{given['gold']} with {given['pred_file']}"
    return standard_input.NAME if given["file"] == "-" else str(given["file"])


def _saved(given: dict[str, Any]) -> Counts | None:
    """Counts that were saved before, in a file or from standard input."""
    file = given["file"]
    if file is None or given["from_"] is not None:
        return None
    if file == "-":
        try:
            return Counts.from_json(sys.stdin.buffer.read(), standard_input.NAME)
        except FileError as error:
            raise FileError(f"{error} Predictions need their format: --from csv, say") from None
    path = Path(file)
    if path.suffix == ".json" and path.is_file():
        with open(path, "rb") as start:
            if f'"{FORMAT}"'.encode() in start.read(200):
                return Counts.load(path)
    return None


def _read(counting: Callable[..., Any], given: dict[str, Any], **more: Any) -> Any:
    with opened(given) as (sources, reading):
        own = {name: given[name] for name in ("true", "pred", "weights")}
        cluster = {"cluster": given["cluster"]} if given.get("cluster") else {}
        labels = declared(given["labels"])
        return counting(*sources, labels=labels, **own, **cluster, **reading, **more)


@contextmanager
def opened(given: dict[str, Any]) -> Iterator[tuple[list[str], dict[str, Any]]]:
    """The files that a command reads, standard input as one, and how they are read."""
    sources = _sources(given)
    reading = {
        "format": given["from_"],
        "memory_limit": given["memory_limit"],
        "on_error": given["on_error"].value,
        "id": given["id"],
        "engine": "spark" if given["engine"] is Engine.spark else None,
        "master": given["master"],
    }
    with ExitStack() as stack:
        named: Callable[[object], str] = str
        if sources == ["-"]:
            if given["from_"] is None:
                raise InputError("standard input needs its format: --from csv, say")
            copy = stack.enter_context(standard_input.copied())
            sources, named = [copy.path], copy.named
        stack.enter_context(_said(named))
        progress = stack.enter_context(_progress(sources))
        yield sources, {**reading, "progress": progress}


def _sources(given: dict[str, Any]) -> list[str]:
    file, gold, pred_file = given["file"], given["gold"], given["pred_file"]
    if file is not None and not (gold or pred_file):
        return [file]
    if file is None and gold and pred_file:
        return [gold, pred_file]
    raise InputError("give a file, or --gold FILE with --pred-file FILE")


@contextmanager
def _said(named: Callable[[object], str]) -> Iterator[None]:
    """What was skipped goes to standard error; that and errors have the names of the files."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SkippedWarning)
        try:
            yield
        except WhichF1Error as error:
            raise type(error)(named(error)) from None
    for warning in caught:
        if isinstance(warning.message, SkippedWarning):
            print(f"whichf1: {visible(named(warning.message))}", file=sys.stderr)
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )


@contextmanager
def _progress(paths: list[str]) -> Iterator[Callable[[float], None] | None]:
    """A bar on a terminal for large files."""
    size = sum(Path(each).stat().st_size for path in paths for each in glob(path))
    if size < LARGE or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("counting", total=1.0)
        yield lambda done: bar.update(task, completed=done)
