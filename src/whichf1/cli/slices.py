"""``whichf1 score --by``: every slice beside the whole."""

from __future__ import annotations

from typing import Any

from whichf1.cli.options import definition_options, split_list
from whichf1.cli.output import emit
from whichf1.cli.reading import read_slices, source_name
from whichf1.cli.score import check_floors, definition
from whichf1.definition import Definition
from whichf1.errors import DefinitionError
from whichf1.report.describe import title
from whichf1.report.report import is_per_class
from whichf1.report.slices import slice_report

DEFAULT = ("averaged_f1", "f1_of_averages")


def score_slices(given: dict[str, Any]) -> None:
    """Score the slices; without declared classes each is scored on the classes that it has."""
    slices = read_slices(given, split_list(given["by"]))
    options = definition_options(slices.whole, given)
    own = given["labels"] is None and given["classes"] is None
    chosen = [(name, _definition(name, options, own)) for name in given["metric"] or DEFAULT]
    named = [(name if given["metric"] else title(each), each) for name, each in chosen]
    report = slice_report(source_name(given), slices, named)
    emit(report, given["format"], given["decimals"], given["output"])
    check_floors(slices.whole, given["fail_under"], options)


def _definition(name: str, options: dict[str, Any], own: bool) -> Definition:
    found = definition(name, options)
    if is_per_class(found):
        raise DefinitionError(
            f"--by gives one number for each slice: {name} needs --average or --positive"
        )
    if own and "|" not in name:
        try:
            return definition(name, {"classes": "observed", **options})
        except DefinitionError:
            pass  # it is computed from the whole table
    return found
