"""``whichf1 compare``."""

from __future__ import annotations

from typing import Annotated

import typer

from whichf1.cli.options import (
    Average,
    Classes,
    Cluster,
    Decimals,
    Exclude,
    Format,
    Ignore,
    LabelList,
    Level,
    Output,
    OutputFormat,
    Positive,
    Replicates,
    Scope,
    Seed,
    Undefined,
    declared,
    definition_options,
)
from whichf1.cli.output import console, emit_text
from whichf1.comparison import compare_joint, planned
from whichf1.report import comparison as report
from whichf1.sources.together import count_file_together


def compare(
    file: Annotated[str, typer.Argument(help="A CSV file with a header, one line per item.")],
    true: Annotated[str, typer.Option(help="The column of true classes.")],
    pred: Annotated[list[str], typer.Option(help="A system's column of predictions; repeat it.")],
    metric: Annotated[
        str, typer.Option("--metric", "-m", help="A metric, or a signature.")
    ] = "averaged_f1",
    weights: Annotated[str | None, typer.Option(help="A column of item weights.")] = None,
    cluster: Cluster = None,
    average: Average = None,
    positive: Positive = None,
    classes: Classes = None,
    exclude: Exclude = None,
    ignore: Ignore = None,
    undefined: Undefined = None,
    scope: Scope = None,
    labels: LabelList = None,
    level: Level = 0.95,
    replicates: Replicates = None,
    seed: Seed = None,
    power: Annotated[float | None, typer.Option(help="For the smallest difference shown.")] = None,
    margin: Annotated[
        float | None, typer.Option(help="Test that systems differ by less than this.")
    ] = None,
    format: OutputFormat = Format.text,
    decimals: Decimals = 4,
    output: Output = None,
) -> None:
    """Compare systems on the same items: differences, tests, P(best), and rank flips."""
    given = {"replicates": replicates, "seed": seed, "power": power, "margin": margin}
    joint = count_file_together(
        file, true=true, preds=pred, labels=declared(labels), weights=weights, cluster=cluster
    )
    options = definition_options(joint.counts(0), {**locals(), "interval": "none"})
    definition, plan = planned(metric, options, level, given)
    result = compare_joint(joint, definition, plan)
    if format is Format.text:
        emit_text(lambda to: report.as_text(result, to or console(), decimals, file), output)
    else:
        text = report.FORMATS[format.value](result, decimals, file)
        emit_text(lambda to: text, output)
