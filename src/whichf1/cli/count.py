"""``whichf1 count`` and ``whichf1 merge``: parts on many machines, one score."""

from __future__ import annotations

import sys
from functools import reduce
from typing import Annotated

import typer

from whichf1.cli.options import Cluster, LabelList
from whichf1.cli.output import write
from whichf1.cli.reading import (
    Engine,
    EngineName,
    Errors,
    File,
    From,
    GoldFile,
    IdColumn,
    Master,
    MemoryLimit,
    OnError,
    PredColumn,
    PredFile,
    TrueColumn,
    WeightColumn,
    read_counts,
)
from whichf1.errors import MergeError
from whichf1.report.escape import visible
from whichf1.sources.engines.database import MEMORY_LIMIT
from whichf1.tables.counts import Counts

CountsFile = Annotated[
    str | None,
    typer.Option("--output", "-o", help="Write the counts here instead of to standard output."),
]


def count(
    file: File = None,
    true: TrueColumn = None,
    pred: PredColumn = None,
    weights: WeightColumn = None,
    cluster: Cluster = None,
    gold: GoldFile = None,
    pred_file: PredFile = None,
    id: IdColumn = None,
    labels: LabelList = None,
    from_: From = None,
    memory_limit: MemoryLimit = MEMORY_LIMIT,
    on_error: Errors = OnError.stop,
    engine: EngineName = Engine.duckdb,
    master: Master = None,
    output: CountsFile = None,
) -> None:
    """Count a file of predictions once, to be merged and scored later."""
    _give(read_counts(locals()), output)


def merge(
    files: Annotated[list[str], typer.Argument(help="Files of counts.")],
    output: CountsFile = None,
) -> None:
    """Add up counts: whichf1 merge *.json | whichf1 score -."""
    parts = [(file, Counts.load(file)) for file in files]
    whole = reduce(_added, parts)[1]
    some = [file for file, part in parts if not part.declared]
    if whole.declared and some:
        print(
            f"whichf1: {visible(', '.join(some))}: counted without --labels, taken as of the "
            "classes that the others declare",
            file=sys.stderr,
        )
    _give(whole, output)


def _added(whole: tuple[str, Counts], part: tuple[str, Counts]) -> tuple[str, Counts]:
    try:
        return f"{whole[0]}, {part[0]}", whole[1] + part[1]
    except MergeError as error:
        raise MergeError(f"{part[0]!r} does not fit {whole[0]!r}: {error}") from None


def _give(counts: Counts, output: str | None) -> None:
    if output is None:
        write(counts.to_json() + "\n")
    else:
        counts.save(output)
