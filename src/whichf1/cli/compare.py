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
from whichf1.cli.output import emit_printed, emit_text
from whichf1.cli.reading import (
    Engine,
    EngineName,
    Errors,
    From,
    GoldFile,
    IdColumn,
    Master,
    MemoryLimit,
    OnError,
    PredFile,
    ScoresFile,
    TrueColumn,
    WeightColumn,
    opened,
    source_name,
)
from whichf1.cli.scored import LabelsSep
from whichf1.comparison.compare import compare_counted, made_from, planned
from whichf1.comparison.results import Comparison
from whichf1.comparison.scored import compare_own, refuse_few
from whichf1.definitions.definition import define
from whichf1.definitions.signature import read
from whichf1.errors import DefinitionError
from whichf1.report import comparison as report
from whichf1.scoring.scores import items_of_each
from whichf1.sources.answers.scores import read_scores
from whichf1.sources.engines.database import MEMORY_LIMIT
from whichf1.sources.scores import ScoredLines, classes_of
from whichf1.sources.sequences import column
from whichf1.sources.systems import ScoreColumns, read_systems

NO_INTERVAL = {"interval": "none", "level": None, "replicates": None, "seed": None}
"""A comparison has a plan in place of an interval."""


def compare(
    pred: Annotated[list[str], typer.Option(help="A system's column of predictions; repeat it.")],
    file: ScoresFile = None,
    true: TrueColumn = None,
    metric: Annotated[
        str, typer.Option("--metric", "-m", help="A metric, or a signature.")
    ] = "averaged_f1",
    weights: WeightColumn = None,
    cluster: Cluster = None,
    average: Average = None,
    positive: Positive = None,
    classes: Classes = None,
    exclude: Exclude = None,
    ignore: Ignore = None,
    undefined: Undefined = None,
    scope: Scope = None,
    labels: LabelList = None,
    gold: GoldFile = None,
    pred_file: PredFile = None,
    id: IdColumn = None,
    from_: From = None,
    memory_limit: MemoryLimit = MEMORY_LIMIT,
    on_error: Errors = OnError.stop,
    engine: EngineName = Engine.duckdb,
    master: Master = None,
    level: Level = None,
    replicates: Replicates = None,
    seed: Seed = None,
    power: Annotated[float | None, typer.Option(help="For the smallest difference shown.")] = None,
    margin: Annotated[
        float | None, typer.Option(help="Test that systems differ by less than this.")
    ] = None,
    format: OutputFormat = Format.text,
    decimals: Decimals = 4,
    output: Output = None,
    labels_sep: LabelsSep = None,
) -> None:
    """Compare systems on the same items: differences, tests, P(best), and rank flips."""
    given = locals()
    plan = {name: given[name] for name in ("replicates", "seed", "power", "margin")}
    counted, sets = made_from(define(read(metric)[0]).metric)
    with opened(given) as (sources, reading):
        own = {name: given[name] for name in ("true", "weights", "cluster")}
        own |= {"labels": declared(labels), "sep": labels_sep, **reading}
        data, other = [*sources, None][:2]
        found = read_systems(data, pred, other, counted=counted, sets=sets, **own)
        if isinstance(found, ScoreColumns):
            lines = read_scores(data, other, found.request, apart=True)
    if isinstance(found, ScoreColumns):
        result = _compare_scores(found, lines, given, plan)
    else:
        options = definition_options(found.counts(0), {**given, **NO_INTERVAL})
        result = compare_counted(found, *planned(metric, options, level, plan))
    _emit(result, source_name(given), format, decimals, output)


def _compare_scores(
    columns: ScoreColumns, lines: ScoredLines, options: dict[str, Any], given: dict[str, Any]
) -> Comparison:
    """The columns hold scores: compare them by a ranking or a loss."""
    for name in ("average", "classes", "exclude", "ignore", "undefined", "scope"):
        if options[name] is not None:
            raise DefinitionError(f"--{name} does not apply to {options['metric']}")
    own: dict[str, Any] = {}
    if options["positive"] is not None:
        classes = classes_of(column(lines.true, "y_true"), lines.labels)
        own["positive"] = find_label(options["positive"], classes)
    definition, plan = planned(options["metric"], own, options["level"], given)
    refuse_few(columns.systems)
    return compare_own(plan, [*columns.systems], *items_of_each(definition, columns, lines))


def _emit(result: Comparison, file: str, format: Format, decimals: int, output: str | None) -> None:
    if format is Format.text:
        emit_printed(lambda to: report.as_text(result, to, decimals, file), output)
    else:
        emit_text(report.FORMATS[format.value](result, decimals, file), output)
