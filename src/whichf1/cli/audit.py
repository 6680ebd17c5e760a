"""``whichf1 audit``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from whichf1.cli.inputs import (
    MatrixText,
    PublishedDecimals,
    Rows,
    ScaleName,
    emit_sheet,
    find_scale,
    read_counts,
)
from whichf1.cli.options import Decimals, Format, Output, OutputFormat
from whichf1.errors import InputError
from whichf1.published.audit import Audit
from whichf1.published.audit import audit as audit_triple
from whichf1.published.numbers import read_per_class, read_results
from whichf1.report.published import audit_sheet

Classes = Annotated[
    int | None,
    typer.Option(help="The number of classes, if each item has one and all are averaged over."),
]


def audit(
    results: Annotated[
        str | None, typer.Argument(help="A CSV file of published results, one triple per row.")
    ] = None,
    precision: Annotated[str | None, typer.Option(help="Published macro precision.")] = None,
    recall: Annotated[str | None, typer.Option(help="Published macro recall.")] = None,
    f1: Annotated[str | None, typer.Option(help="Published macro F1.")] = None,
    value_decimals: PublishedDecimals = None,
    classes: Classes = None,
    scale: ScaleName = None,
    per_class: Annotated[
        str | None, typer.Option(help="A CSV file with precision and recall of each class.")
    ] = None,
    matrix: MatrixText = None,
    rows: Rows = None,
    format: OutputFormat = Format.text,
    decimals: Decimals = 4,
    output: Output = None,
) -> None:
    """Say which macro F1 published numbers are: averaged F1, F1 of averages, either, impossible."""
    triple: dict[str, Any] = {"precision": precision, "recall": recall, "f1": f1}
    options: dict[str, Any] = {"decimals": value_decimals, "scale": find_scale(scale)}
    if rows is not None and matrix is None:
        raise InputError("--rows says what a row of --matrix stands for: give both, or neither")
    if results is not None:
        if any((*triple.values(), per_class, matrix)):
            raise InputError("give a file of results, or one triple, not both")
        audits = _audit_rows(results, classes, options)
    else:
        missing = [f"--{name}" for name, text in triple.items() if text is None]
        if missing:
            raise InputError(f"give a file of results, or one triple: {', '.join(missing)} missing")
        known = _recomputable(per_class, matrix, rows)
        audits = [("", audit_triple(**triple, **options, classes=classes, **known))]
    emit_sheet(audit_sheet(audits), format.value, decimals, output)


def _recomputable(per_class: str | None, matrix: str | None, rows: str | None) -> dict[str, Any]:
    return {
        "per_class": None if per_class is None else read_per_class(per_class),
        "counts": None if matrix is None else read_counts(matrix=matrix, rows=rows)[1],
    }


def _audit_rows(path: str, classes: int | None, options: dict[str, Any]) -> list[tuple[str, Audit]]:
    audits = []
    results = read_results(path, options["scale"])
    for row in results.rows:
        given: dict[str, Any] = {"precision": row.precision, "recall": row.recall, "f1": row.f1}
        own = row.classes if row.classes is not None else classes
        if classes not in (None, own):
            raise InputError(
                f"{path!r}, line {row.line}: the file says {own} classes, --classes {classes}"
            )
        try:
            found = audit_triple(**given, **{**options, "scale": results.scale}, classes=own)
        except InputError as error:
            raise InputError(f"{path!r}, line {row.line}: {error}") from None
        audits.append((row.name, found))
    return audits
