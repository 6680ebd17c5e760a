"""``whichf1 dialects`` and ``whichf1 convert``."""

from __future__ import annotations

from typing import Annotated

import typer

from whichf1.cli.inputs import (
    MatrixText,
    PredColumn,
    Predictions,
    PublishedDecimals,
    Rows,
    TrueColumn,
    emit_sheet,
    read_counts,
)
from whichf1.cli.options import Decimals, Format, LabelList, Output, OutputFormat
from whichf1.errors import InputError
from whichf1.published.dialects import Conversion
from whichf1.published.dialects import dialects as known
from whichf1.published.numbers import read_published
from whichf1.report.published import conversion_sheet, dialect_list, dialect_sheet


def dialects(
    file: Predictions = None,
    true: TrueColumn = None,
    pred: PredColumn = None,
    labels: LabelList = None,
    matrix: MatrixText = None,
    rows: Rows = None,
    format: OutputFormat = Format.text,
    decimals: Decimals = 4,
    output: Output = None,
) -> None:
    """Print the macro F1 of every library for the same predictions; without a file, list them."""
    if file is None and matrix is None:
        emit_sheet(dialect_list(known), format.value, decimals, output)
        return
    source, counts = read_counts(file, true, pred, labels, matrix, rows)
    emit_sheet(dialect_sheet(source, known.table(counts)), format.value, decimals, output)


def convert(
    file: Predictions = None,
    source: Annotated[str, typer.Option("--from", help="A dialect or a signature.")] = ...,  # type: ignore[assignment]
    target: Annotated[str, typer.Option("--to", help="A dialect or a signature.")] = ...,  # type: ignore[assignment]
    value: Annotated[str | None, typer.Option(help="The score as published, to check.")] = None,
    value_decimals: PublishedDecimals = None,
    true: TrueColumn = None,
    pred: PredColumn = None,
    labels: LabelList = None,
    matrix: MatrixText = None,
    rows: Rows = None,
    format: OutputFormat = Format.text,
    decimals: Decimals = 4,
    output: Output = None,
) -> None:
    """Express a score of one dialect in another, with both signatures."""
    name, counts = read_counts(file, true, pred, labels, matrix, rows)
    found = known.convert(counts, source=source, target=target)
    if value is not None:
        _check(found, value, value_decimals, source)
    emit_sheet(conversion_sheet(name, found, (source, target)), format.value, decimals, output)


def _check(found: Conversion, value: str, decimals: int | None, source: str) -> None:
    published = read_published(value, decimals)
    if found.source.value not in published:
        raise InputError(
            f"{source} gives {found.source.value:.6g} on these predictions, not {published}. "
            "`whichf1 explain` finds what gives it."
        )
