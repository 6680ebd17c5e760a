"""``whichf1 compare``."""

from __future__ import annotations

from typing import Any

from whichf1.cli.files import opened, source_name
from whichf1.cli.options import CompareOptions, find_label
from whichf1.comparison.compare import (
    Comparison,
    compare_counts,
    compare_items,
    made_from,
    planned,
    refuse_few,
)
from whichf1.definitions.definition import define
from whichf1.definitions.signature import read
from whichf1.errors import DefinitionError
from whichf1.report.comparison import comparison_document
from whichf1.scoring.lines import items_of_each
from whichf1.sources.answers.lines import read_scores
from whichf1.sources.lines import ScoredLines, classes_of
from whichf1.sources.sequences import column
from whichf1.sources.systems import ScoreColumns, read_systems


def compare(options: CompareOptions) -> None:
    """Compare systems on the same items. Prints differences, tests, groups and rank flips."""
    options.write(comparison_document(_compare(options), source_name(options)))


def _compare(options: CompareOptions) -> Comparison:
    counted, sets = made_from(define(read(options.metric)[0]).declaration)
    with opened(options) as ((data, other), reading):
        columns = options.columns("true", "weights", "cluster")
        columns |= {"sep": options.labels_sep, **reading}
        systems = read_systems(data, options.pred, other, counted=counted, sets=sets, **columns)
        if isinstance(systems, ScoreColumns):
            lines = read_scores(data, other, systems.request, apart=True)
    if isinstance(systems, ScoreColumns):
        chosen = _chosen(options, lines)
    else:
        chosen = options.chosen(systems.system(0).labels)
    names = ("replicates", "seed", "power", "margin", "adjust", "effect")
    planning = {name: getattr(options, name) for name in names}
    definition, plan = planned(options.metric, chosen, options.level, planning)
    if not isinstance(systems, ScoreColumns):
        return compare_counts(systems, definition, plan)
    refuse_few(systems.systems)
    return compare_items(plan, [*systems.systems], *items_of_each(definition, systems, lines))


def _chosen(options: CompareOptions, lines: ScoredLines) -> dict[str, Any]:
    """The options of a ranking metric or a loss."""
    for name in ("average", "classes", "exclude", "ignore", "undefined", "scope"):
        if getattr(options, name) is not None:
            raise DefinitionError(f"--{name} does not apply to {options.metric}")
    if options.positive is None:
        return {}
    classes = classes_of(column(lines.true, "y_true"), lines.labels)
    return {"positive": find_label(options.positive, classes)}
