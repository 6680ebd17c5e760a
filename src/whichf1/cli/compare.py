"""``whichf1 compare``."""

from __future__ import annotations

from typing import Annotated, Any

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
    find_label,
)
from whichf1.cli.output import console, emit_text
from whichf1.compared import Comparison
from whichf1.comparison import compare_joint, planned
from whichf1.definition import define
from whichf1.errors import DefinitionError
from whichf1.labels import Labels
from whichf1.metrics import COUNTED, find
from whichf1.report import comparison as report
from whichf1.scored_comparison import compare_scores
from whichf1.signature import read
from whichf1.sources.score_files import read_scores
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
    if find(define(read(metric)[0]).metric).kind not in COUNTED:
        result = _compare_scores(locals(), given)
        _emit(result, file, format, decimals, output)
        return
    joint = count_file_together(
        file, true=true, preds=pred, labels=declared(labels), weights=weights, cluster=cluster
    )
    options = definition_options(joint.counts(0), {**locals(), "interval": "none"})
    definition, plan = planned(metric, options, level, given)
    _emit(compare_joint(joint, definition, plan), file, format, decimals, output)


def _compare_scores(options: dict[str, Any], given: dict[str, Any]) -> Comparison:
    """The columns hold scores: compare them by a ranking or a loss."""
    if find(define(read(options["metric"])[0]).metric).kind == "items":
        raise DefinitionError(
            f"{options['metric']} is for sets of labels, which are compared from Python: "
            "compare(sets, {'A': sets, 'B': sets})"
        )
    for name in ("average", "classes", "exclude", "ignore", "undefined", "scope"):
        if options[name] is not None:
            raise DefinitionError(f"--{name} does not apply to {options['metric']}")
    labels = declared(options["labels"])
    file, pred, weights = options["file"], options["pred"], options["weights"]
    own_columns = {"true": options["true"], "weights": weights, "cluster": options["cluster"]}
    scored = read_scores(file, scores=pred, labels=labels, **own_columns)
    own: dict[str, Any] = {}
    if options["positive"] is not None:
        own["positive"] = find_label(options["positive"], Labels.sorted(set(scored.true)))
    definition, plan = planned(options["metric"], own, options["level"], given)
    systems = {name: scored.scores[:, at] for at, name in enumerate(pred)}
    data = {"labels": labels, "weights": scored.weights, "cluster": scored.cluster}
    return compare_scores(definition, plan, scored.true, systems, data)


def _emit(result: Comparison, file: str, format: Format, decimals: int, output: str | None) -> None:
    if format is Format.text:
        emit_text(lambda to: report.as_text(result, to or console(), decimals, file), output)
    else:
        text = report.FORMATS[format.value](result, decimals, file)
        emit_text(lambda to: text, output)
