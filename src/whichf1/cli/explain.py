"""``whichf1 explain``."""

from __future__ import annotations

from typing import Annotated

import typer

from whichf1.cli.inputs import (
    MatrixText,
    PredColumn,
    Predictions,
    PublishedDecimals,
    Rows,
    ScaleName,
    TrueColumn,
    emit_sheet,
    find_scale,
    read_counts,
)
from whichf1.cli.options import Decimals, Format, LabelList, Output, OutputFormat
from whichf1.published.explain import explain as find_explanation
from whichf1.report.published import explanation_sheet


def explain(
    value: Annotated[str, typer.Option(help="The published number, as printed: 0.354 or 35.4.")],
    file: Predictions = None,
    value_decimals: PublishedDecimals = None,
    scale: ScaleName = None,
    true: TrueColumn = None,
    pred: PredColumn = None,
    labels: LabelList = None,
    matrix: MatrixText = None,
    rows: Rows = None,
    format: OutputFormat = Format.text,
    decimals: Decimals = 4,
    output: Output = None,
) -> None:
    """Find the definitions that give a published number on these predictions."""
    source, counts = read_counts(file, true, pred, labels, matrix, rows)
    found = find_explanation(counts, value, decimals=value_decimals, scale=find_scale(scale))
    emit_sheet(explanation_sheet(source, found), format.value, decimals, output)
