"""``whichf1 score`` and ``whichf1 matrix``."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import typer

from whichf1.cli.options import (
    REQUIRED,
    LabelOptions,
    ReportOptions,
    ScoreOptions,
    Text,
    argument,
    option,
)
from whichf1.cli.reading import source_name
from whichf1.cli.subject import Subject, read_subject, subject_report
from whichf1.definitions.definition import Definition, define_fitting
from whichf1.definitions.names import BOTH
from whichf1.definitions.words import title
from whichf1.errors import DefinitionError, InputError
from whichf1.metrics import COUNTED, plain_name
from whichf1.report.document import Document
from whichf1.report.escape import visible
from whichf1.report.score import (
    SYMMETRIC,
    chosen_report,
    full_report,
    is_per_class,
    score_document,
)
from whichf1.report.slices import slice_document, slice_report
from whichf1.scoring.evaluate import evaluate, refuse_other_data
from whichf1.scoring.score import Score
from whichf1.tables.counts import Counts

BOTH_F1 = ("averaged_f1", "f1_of_averages")


def score(options: ScoreOptions) -> None:
    """Score a file of predictions. Prints each class, both macro F1s and other averages."""
    with read_subject(options) as subject:
        chosen = options.chosen(subject.counts.labels)
        if options.score_column and options.metric is None:
            chosen.pop("positive", None)  # it says which class the scores are for
        if options.by is not None:
            document = _slices(options, subject, chosen)
        else:
            definitions = _definitions(options, chosen)
            report = subject_report(source_name(options), subject, definitions, chosen)
            document = score_document(report, options.decimals)
        below = below_floors(options.fail_under, chosen, subject.evaluate)
    _finish(options, document, below)


def _definitions(
    options: ReportOptions, chosen: dict[str, Any]
) -> list[tuple[str, Definition]] | None:
    """The chosen metrics; None for the whole report, which takes no --average or --positive."""
    if options.metric:
        return definitions_of(options.metric, chosen)
    for name in ("average", "positive"):
        if name in chosen:
            raise DefinitionError(f"--{name} needs a metric, such as -m precision")
    return None


def _slices(options: ScoreOptions, subject: Subject, chosen: dict[str, Any]) -> Document:
    """Score the slices, each on the classes that it has unless classes are declared."""
    observed = options.labels is None and options.classes is None
    default = [name for name, _ in subject.summary[:2]] + list(BOTH_F1 if subject.decided else ())
    names = options.metric or default
    definitions = [
        _on_observed(name, definition, chosen) if observed else definition
        for name, definition in definitions_of(names, chosen)
    ]
    for definition in definitions:
        if is_per_class(definition):
            raise DefinitionError(
                f"--by gives one number per slice: {definition.metric} needs --average or "
                "--positive"
            )
    named = [*zip(names if options.metric else map(title, definitions), definitions, strict=True)]
    source, columns = source_name(options), options.slice_columns
    report = slice_report(
        source, columns, subject, subject.slices, named, lambda x, part: part.evaluate(x)
    )
    return slice_document(report)


def _on_observed(name: str, definition: Definition, chosen: dict[str, Any]) -> Definition:
    """The definition on the classes that a slice has, unless it says itself which it is over."""
    fixed = definition.positive is not None or definition.classes != "declared"
    if "|" in name or fixed or definition.declaration.kind not in (*COUNTED, "items"):
        return definition
    return define_fitting(name, {"classes": "observed", **chosen})


@dataclass(frozen=True, kw_only=True)
class MatrixOptions(LabelOptions, ReportOptions):
    """All that ``whichf1 matrix`` takes."""

    numbers: list[str] = argument(
        "The number of classes, then the matrix row by row.", default=REQUIRED
    )
    rows: Text = option("What a row is: true or predicted.")


def matrix(options: MatrixOptions) -> None:
    """Score a confusion matrix: whichf1 matrix 2 100 10000 0 100."""
    oriented = options.rows is not None
    rows: Any = options.rows or "true"
    counts = Counts.from_matrix(square(options.numbers), rows=rows, labels=options.declared)
    chosen = options.chosen(counts.labels)
    if not oriented:
        _refuse_if_orientation_matters(counts, options, chosen)
    definitions = _definitions(options, chosen)
    if definitions is None:
        report = full_report("matrix", counts, chosen, oriented=oriented)
    else:
        report = chosen_report("matrix", counts, definitions)
    below = below_floors(options.fail_under, chosen, lambda x: evaluate(x, counts))
    _finish(options, score_document(report, options.decimals), below)


def square(numbers: list[str]) -> list[list[int]]:
    """The number of classes, then the cells row by row, as a matrix."""
    try:
        k, *cells = (int(text) for text in numbers)
    except ValueError:
        raise InputError(f"a matrix takes whole numbers; got {' '.join(numbers)!r}") from None
    if k < 1 or len(cells) != k * k:
        raise InputError(
            f"{k} classes need {k * k} cells; got {len(cells)}. "
            "Give the number of classes, then the matrix row by row."
        )
    return [cells[start : start + k] for start in range(0, k * k, k)]


def _refuse_if_orientation_matters(
    counts: Counts, options: MatrixOptions, chosen: dict[str, Any]
) -> None:
    """Raise if a chosen score changes when true and predicted are swapped."""
    swapped = Counts(
        counts.labels, counts.predicted, counts.true, counts.count.copy(), declared=True
    )
    floors = [floor.rpartition("=")[0] for floor in options.fail_under or []]
    for name in [*(options.metric or SYMMETRIC), *floors]:
        definition = define_fitting(name, chosen)
        refuse_other_data(definition, counts)
        a, b = (definition.values(definition.freeze(each)) for each in (counts, swapped))
        if not np.allclose(a, b, equal_nan=True):
            raise InputError(
                f"{definition.metric} depends on what a row is: say --rows true or --rows predicted"
            )


def definitions_of(names: list[str], chosen: dict[str, Any]) -> list[tuple[str, Definition]]:
    """The metrics with the options that apply to each; every option must apply to one of them."""
    names = [each for name in names for each in _both(name)]
    definitions = [(name, define_fitting(name, chosen)) for name in names]
    for key, value in chosen.items():
        used = any(_equal(getattr(definition, key), value) for _, definition in definitions)
        if not used and key != "interval":
            raise DefinitionError(f"--{key} does not apply to {', '.join(names)}")
    return definitions


def _both(name: str) -> tuple[str, ...]:
    """Both macro F1s, if asked for 'macro F1'."""
    return BOTH_F1 if plain_name(name) in BOTH else (name,)


def _equal(value: Any, chosen: Any) -> bool:
    return bool(value == (tuple(chosen) if isinstance(chosen, list) else chosen))


def below_floors(
    floors: list[str] | None, chosen: dict[str, Any], run: Callable[[Definition], Score]
) -> list[str]:
    """A message for each score below its --fail-under."""
    messages = []
    for floor in floors or []:
        name, least = _floor(floor)
        definition = define_fitting(name, {**chosen, "interval": None})
        if definition.declaration.better == "lower":
            raise DefinitionError(f"--fail-under is a floor, but lower values of {name} are better")
        value = run(definition).value
        if not value >= least:
            messages.append(f"{name} is {value:.6g}, below {least:g}")
    return messages


def _floor(text: str) -> tuple[str, float]:
    name, _, value = text.rpartition("=")
    try:
        least = float(value)
    except ValueError:
        least = math.nan
    if not name or not math.isfinite(least):
        raise DefinitionError(
            f"--fail-under takes NAME=VALUE, such as averaged_f1=0.8; got {text!r}"
        )
    return name, least


def _finish(options: ReportOptions, document: Document, below: list[str]) -> None:
    """Print the document; exit with 1 if a score is below its floor."""
    options.write(document)
    for message in below:
        print(f"whichf1: {visible(message)}", file=sys.stderr)
    if below:
        raise typer.Exit(1)
