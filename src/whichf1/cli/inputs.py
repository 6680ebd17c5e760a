"""What several commands read: predictions in a file, or a confusion matrix in the command."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from whichf1.cli.options import declared
from whichf1.cli.output import console, emit_text
from whichf1.cli.score import square
from whichf1.errors import InputError
from whichf1.report.sheet import Sheet, render
from whichf1.sources.count import count
from whichf1.tables.counts import Counts

Predictions = Annotated[
    str | None, typer.Argument(metavar="[FILE]", help="A file of predictions, as score reads them.")
]
TrueColumn = Annotated[str | None, typer.Option("--true", help="The column of true classes.")]
PredColumn = Annotated[str | None, typer.Option("--pred", help="The column of predicted classes.")]
MatrixText = Annotated[
    str | None,
    typer.Option("--matrix", help="A confusion matrix in place of a file: '2 5 10 5 10'."),
]
Rows = Annotated[
    str | None, typer.Option("--rows", help="What a row of the matrix is: true or predicted.")
]
ScaleName = Annotated[
    str | None, typer.Option("--scale", help="unit or percent; else found by itself.")
]
PublishedDecimals = Annotated[
    int | None, typer.Option(help="Decimals the published numbers were rounded to.")
]


def read_counts(
    file: str | None = None,
    true: str | None = None,
    pred: str | None = None,
    labels: str | None = None,
    matrix: str | None = None,
    rows: str | None = None,
) -> tuple[str, Counts]:
    """A name for the predictions, and their counts."""
    if (file is None) == (matrix is None):
        raise InputError("give a file of predictions, or --matrix with --rows")
    if file is not None:
        return file, count(file, true=true, pred=pred, labels=declared(labels))
    if rows is None:
        raise InputError(
            "what is a row of the matrix? Say --rows true or --rows predicted: definitions that "
            "weigh or choose classes by their true items depend on it."
        )
    side: Any = rows
    cells = square((matrix or "").replace(",", " ").split())
    return "matrix", Counts.from_matrix(cells, rows=side, labels=declared(labels))


def emit_sheet(sheet: Sheet, format: str, decimals: int, output: str | None) -> None:
    """A sheet in the chosen format, to standard output or whole into a file."""
    emit_text(render(sheet, format, console(), decimals), output)


def find_scale(text: str | None) -> Any:
    """The scale of published numbers, checked."""
    if text not in (None, "unit", "percent"):
        raise InputError(f"--scale must be unit or percent; got {text!r}")
    return text
