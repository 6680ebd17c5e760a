"""``whichf1 score`` and ``whichf1 matrix``."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from whichf1.cli.options import (
    Average,
    Classes,
    Decimals,
    Exclude,
    FailUnder,
    Format,
    Ignore,
    IntervalName,
    LabelList,
    Level,
    Metrics,
    Output,
    OutputFormat,
    Positive,
    Scope,
    Undefined,
    declared,
    definition_options,
)
from whichf1.cli.output import emit
from whichf1.cli.reading import (
    By,
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
    source_name,
)
from whichf1.counts import Counts
from whichf1.definition import SHORTHANDS, Definition
from whichf1.errors import DefinitionError, InputError
from whichf1.report.escape import visible
from whichf1.report.report import Report, chosen_report, full_report
from whichf1.scores import evaluate, with_options
from whichf1.sources.database import MEMORY_LIMIT


def score(
    file: File = None,
    true: TrueColumn = None,
    pred: PredColumn = None,
    weights: WeightColumn = None,
    gold: GoldFile = None,
    pred_file: PredFile = None,
    id: IdColumn = None,
    by: By = None,
    from_: From = None,
    memory_limit: MemoryLimit = MEMORY_LIMIT,
    on_error: Errors = OnError.stop,
    engine: EngineName = Engine.duckdb,
    master: Master = None,
    metric: Metrics = None,
    average: Average = None,
    positive: Positive = None,
    classes: Classes = None,
    exclude: Exclude = None,
    ignore: Ignore = None,
    undefined: Undefined = None,
    scope: Scope = None,
    labels: LabelList = None,
    interval: IntervalName = "delta",
    level: Level = 0.95,
    format: OutputFormat = Format.text,
    decimals: Decimals = 4,
    fail_under: FailUnder = None,
    output: Output = None,
) -> None:
    """Score a file of predictions: per class, both macro F1s, and the other averages."""
    given = locals()
    if by is not None:
        from whichf1.cli.slices import score_slices

        score_slices(given)
        return
    counts = read_counts(given)
    options = definition_options(counts, given)
    report = make_report(source_name(given), counts, metric, options)
    emit(report, format, decimals, output)
    check_floors(counts, fail_under, options)


def matrix(
    numbers: Annotated[
        list[str], typer.Argument(help="The number of classes, then the matrix row by row.")
    ],
    rows: Annotated[str | None, typer.Option(help="What a row is: true or predicted.")] = None,
    metric: Metrics = None,
    average: Average = None,
    positive: Positive = None,
    classes: Classes = None,
    exclude: Exclude = None,
    ignore: Ignore = None,
    undefined: Undefined = None,
    scope: Scope = None,
    labels: LabelList = None,
    interval: IntervalName = "delta",
    level: Level = 0.95,
    format: OutputFormat = Format.text,
    decimals: Decimals = 4,
    fail_under: FailUnder = None,
    output: Output = None,
) -> None:
    """Score a confusion matrix: whichf1 matrix 2 100 10000 0 100."""
    side: Any = rows or "true"
    counts = Counts.from_matrix(_square(numbers), rows=side, labels=declared(labels))
    options = definition_options(counts, locals())
    if rows is None:
        _refuse_without_rows(metric, options, fail_under)
    report = make_report("matrix", counts, metric, options, oriented=rows is not None)
    emit(report, format, decimals, output)
    check_floors(counts, fail_under, options)


def _square(numbers: list[str]) -> list[list[int]]:
    try:
        k, *cells = (int(text) for text in numbers)
    except ValueError:
        raise InputError(f"a matrix is given in whole numbers; got {' '.join(numbers)!r}") from None
    if k < 1 or len(cells) != k * k:
        raise InputError(
            f"{k} classes need {k * k} cells; got {len(cells)}. "
            "Give the number of classes, then the matrix row by row."
        )
    return [cells[start : start + k] for start in range(0, k * k, k)]


def _refuse_without_rows(
    metric: list[str] | None, options: dict[str, Any], floors: list[str] | None
) -> None:
    depends = {"ignore", "positive"} & set(options) or options.get("classes") == "true"
    if metric or depends or floors:
        raise InputError(
            "that depends on what a row stands for: say --rows true or --rows predicted"
        )


def make_report(
    source: str,
    counts: Counts,
    chosen: list[str] | None,
    options: dict[str, Any],
    *,
    oriented: bool = True,
) -> Report:
    """Everything, or the chosen metrics."""
    if not chosen:
        for name in ("average", "positive"):
            if name in options:
                raise DefinitionError(f"--{name} needs a metric: add -m precision, say")
        return full_report(source, counts, options, oriented=oriented)
    return chosen_report(source, counts, [(name, definition(name, options)) for name in chosen])


def definition(name: str, options: dict[str, Any]) -> Definition:
    """A name with the options of the command line; a signature says all but the interval itself."""
    if "|" not in name:
        known = SHORTHANDS.get(name, (name, {}))[1]
        return with_options(name, {k: v for k, v in options.items() if k not in known})
    return Definition.parse(name)


def check_floors(counts: Counts, floors: list[str] | None, options: dict[str, Any]) -> None:
    """Exit with 1 if a score is below its --fail-under."""
    failed = False
    for floor in floors or []:
        name, sign, text = floor.rpartition("=")
        try:
            least = float(text)
        except ValueError:
            sign = ""
        if not sign:
            raise DefinitionError(
                f"--fail-under takes NAME=VALUE, as averaged_f1=0.8; got {floor!r}"
            )
        value = evaluate(definition(name, {**options, "interval": None}), counts).value
        if not value >= least:
            failed = True
            print(f"whichf1: {visible(name)} is {value:.6g}, below {least:g}", file=sys.stderr)
    if failed:
        raise typer.Exit(1)
