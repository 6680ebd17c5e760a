"""``whichf1 score --by``: every slice beside the whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from whichf1.cli.options import definition_options, slice_columns
from whichf1.cli.output import emit
from whichf1.cli.reading import read_slices, source_name
from whichf1.cli.score import below_floors, definitions_of, fail
from whichf1.definitions.definition import Definition, define_fitting
from whichf1.definitions.words import title
from whichf1.errors import DefinitionError
from whichf1.metrics import COUNTED
from whichf1.report.report import is_per_class
from whichf1.report.slices import SliceReport, slice_report
from whichf1.scoring.evaluate import evaluate
from whichf1.scoring.score import Score
from whichf1.tables.slices import Key

T = TypeVar("T")
DEFAULT = ("averaged_f1", "f1_of_averages")


def score_slices(given: dict[str, Any]) -> None:
    """Score the slices of predictions."""
    slices = read_slices(given, slice_columns(given))
    options = definition_options(slices.whole, given)
    report = report_slices(given, slices.whole, slices, options, evaluate, DEFAULT)
    below = below_floors(slices.whole, given["fail_under"], options)
    emit(report, given["format"], given["decimals"], given["output"])
    fail(below)


def report_slices(
    given: dict[str, Any],
    whole: T,
    parts: Mapping[Key, T],
    options: dict[str, Any],
    score: Callable[[Definition, T], Score],
    default: Sequence[str],
) -> SliceReport:
    """Score the slices; without declared classes each is scored on the classes that it has."""
    own = given["labels"] is None and given["classes"] is None
    names = given["metric"] or list(default)
    chosen = [
        _own(name, each, options) if own else each for name, each in definitions_of(names, options)
    ]
    _refuse_per_class(chosen)
    named = zip(names if given["metric"] else map(title, chosen), chosen, strict=True)
    return slice_report(source_name(given), slice_columns(given), whole, parts, [*named], score)


def _own(name: str, definition: Definition, options: dict[str, Any]) -> Definition:
    """On the classes that a slice has, unless the metric says itself which classes it is over."""
    fixed = definition.positive is not None or definition.classes != "declared"
    if "|" in name or fixed or definition.declaration.kind not in (*COUNTED, "items"):
        return definition
    return define_fitting(name, {"classes": "observed", **options})


def _refuse_per_class(definitions: list[Definition]) -> None:
    for each in definitions:
        if is_per_class(each):
            raise DefinitionError(
                f"--by gives one number for each slice: {each.metric} needs --average or --positive"
            )
