"""``whichf1 score`` and ``whichf1 matrix``."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
import typer

from whichf1.cli.options import (
    Average,
    Classes,
    Cluster,
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
    Replicates,
    Scope,
    Seed,
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
    opened,
    read_counts,
    source_name,
)
from whichf1.cli.scored import (
    LabelsSep,
    Probs,
    ScoreColumn,
    Threshold,
    asks_for_scores,
    read_subject,
    subject_report,
)
from whichf1.definitions.definition import Definition, define_fitting
from whichf1.definitions.names import BOTH, plain_name
from whichf1.errors import DefinitionError, InputError
from whichf1.report.escape import visible
from whichf1.report.report import SYMMETRIC, Report, chosen_report, full_report
from whichf1.report.slices import SliceReport
from whichf1.scoring.evaluate import evaluate, refuse_other_data
from whichf1.scoring.score import Score
from whichf1.sources.engines.database import MEMORY_LIMIT
from whichf1.tables.counts import Counts


def score(
    file: File = None,
    true: TrueColumn = None,
    pred: PredColumn = None,
    weights: WeightColumn = None,
    cluster: Cluster = None,
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
    interval: IntervalName = None,
    level: Level = None,
    replicates: Replicates = None,
    seed: Seed = None,
    format: OutputFormat = Format.text,
    decimals: Decimals = 4,
    fail_under: FailUnder = None,
    output: Output = None,
    score_column: ScoreColumn = None,
    threshold: Threshold = None,
    probs: Probs = None,
    labels_sep: LabelsSep = None,
) -> None:
    """Score a file of predictions: per class, both macro F1s, and the other averages."""
    given = locals()
    if asks_for_scores(given):
        _score_scores(given)
        return
    if by is not None:
        from whichf1.cli.slices import score_slices

        score_slices(given)
        return
    counts = read_counts(given)
    options = definition_options(counts, given)
    report = make_report(source_name(given), counts, metric, options)
    below = below_floors(counts, fail_under, options)
    emit(report, format, decimals, output)
    fail(below)


def _score_scores(given: dict[str, Any]) -> None:
    """The same for scores, probabilities and sets of labels."""
    with opened(given) as (sources, reading):  # a column for each class is asked again and again
        subject = read_subject(sources, reading, declared(given["labels"]), given)
        options = definition_options(subject.counts, given)
        if given["score_column"] and given["metric"] is None:
            options.pop("positive", None)  # it says what the scores are of
        report: Report | SliceReport
        if given["by"] is not None:
            from whichf1.cli.slices import DEFAULT, report_slices

            shown = [name for name, _ in subject.summary[:2]]
            shown += DEFAULT if subject.decided else []
            judge = (lambda definition, each: each.evaluate(definition)), shown
            report = report_slices(given, subject, subject.slices, options, *judge)
        else:
            chosen = definitions_of(given["metric"], options) if given["metric"] else None
            report = subject_report(source_name(given), subject, chosen, options)
        below = below_floors(subject.counts, given["fail_under"], options, subject.evaluate)
    emit(report, given["format"], given["decimals"], given["output"])
    fail(below)


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
    interval: IntervalName = None,
    level: Level = None,
    replicates: Replicates = None,
    seed: Seed = None,
    format: OutputFormat = Format.text,
    decimals: Decimals = 4,
    fail_under: FailUnder = None,
    output: Output = None,
) -> None:
    """Score a confusion matrix: whichf1 matrix 2 100 10000 0 100."""
    side: Any = rows or "true"
    counts = Counts.from_matrix(square(numbers), rows=side, labels=declared(labels))
    options = definition_options(counts, locals())
    if rows is None:
        _refuse_if_orientation_matters(counts, metric, fail_under, options)
    report = make_report("matrix", counts, metric, options, oriented=rows is not None)
    below = below_floors(counts, fail_under, options)
    emit(report, format, decimals, output)
    fail(below)


def square(numbers: list[str]) -> list[list[int]]:
    """The number of classes, then the cells row by row, as a matrix."""
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


def _refuse_if_orientation_matters(
    counts: Counts, metrics: list[str] | None, floors: list[str] | None, options: dict[str, Any]
) -> None:
    """Raise if a chosen score changes when true and predicted change places."""
    swapped = Counts(
        counts.labels, counts.predicted, counts.true, counts.count.copy(), declared=True
    )
    names = [*(metrics or SYMMETRIC), *(floor.rpartition("=")[0] for floor in floors or [])]
    for definition in (define_fitting(name, options) for name in names):
        refuse_other_data(definition, counts)
        a, b = (definition.values(definition.freeze(each)) for each in (counts, swapped))
        if not np.allclose(a, b, equal_nan=True):
            raise InputError(
                f"{definition.metric} depends on what a row stands for here: "
                "say --rows true or --rows predicted"
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
    return chosen_report(source, counts, definitions_of(chosen, options))


def definitions_of(names: list[str], options: dict[str, Any]) -> list[tuple[str, Definition]]:
    """The metrics with the options that apply to each; every option must apply to one of them."""
    names = [each for name in names for each in _both(name)]
    definitions = [(name, define_fitting(name, options)) for name in names]
    for option, value in options.items():
        used = any(_holds(getattr(definition, option), value) for _, definition in definitions)
        if not used and option != "interval":
            raise DefinitionError(f"--{option} does not apply to {', '.join(names)}")
    return definitions


def _both(name: str) -> tuple[str, ...]:
    """Asked for 'macro F1', both."""
    return ("averaged_f1", "f1_of_averages") if plain_name(name) in BOTH else (name,)


def _holds(found: Any, value: Any) -> bool:
    return bool(found == (tuple(value) if isinstance(value, list) else value))


def below_floors(
    counts: Counts,
    floors: list[str] | None,
    options: dict[str, Any],
    scored: Callable[[Definition], Score] | None = None,
) -> list[str]:
    """What is said of each score that is below its --fail-under."""
    said = []
    for floor in floors or []:
        name, _, text = floor.rpartition("=")
        try:
            least = float(text)
        except ValueError:
            least = math.nan
        if not name or not math.isfinite(least):
            raise DefinitionError(
                f"--fail-under takes NAME=VALUE, as averaged_f1=0.8; got {floor!r}"
            )
        definition = define_fitting(name, {**options, "interval": None})
        if definition.declaration.better == "lower":
            raise DefinitionError(f"--fail-under is a floor, and {name} is better when it is lower")
        value = (scored(definition) if scored else evaluate(definition, counts)).value
        if not value >= least:
            said.append(f"{name} is {value:.6g}, below {least:g}")
    return said


def fail(said: list[str]) -> None:
    """Exit with 1 if a score is below its floor."""
    for line in said:
        print(f"whichf1: {visible(line)}", file=sys.stderr)
    if said:
        raise typer.Exit(1)
