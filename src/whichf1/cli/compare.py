"""``whichf1 compare``."""

from __future__ import annotations

from typing import Any

from whichf1.cli.files import opened, source_name
from whichf1.cli.options import CompareOptions, find_label
from whichf1.comparison.compare import (
    Runs,
    made_from,
    planned,
    with_classes,
)
from whichf1.definitions.definition import define
from whichf1.definitions.signature import read
from whichf1.errors import DefinitionError, InputError
from whichf1.reporting.comparison import comparison_document
from whichf1.reporting.leaderboard import make_table, plan_each
from whichf1.sources.answers.lines import read_scores
from whichf1.sources.lines import ScoredLines, classes_of
from whichf1.sources.sequences import column
from whichf1.sources.systems import ScoreColumns, read_systems

NAMES = ("replicates", "seed", "power", "margin", "adjust", "effect", "rope")
"""Options that belong to the plan."""


def compare(options: CompareOptions) -> None:
    """Compare systems on the same items. Prints tests and rank flips, or a table of metrics."""
    chosen, runs = _read(options)
    planning = {name: getattr(options, name) for name in NAMES}
    planning["posterior"] = options.posterior or None
    source, metrics = source_name(options), options.metric
    if not options.wants_table:
        comparison = runs.whole(*planned(metrics[0], chosen, options.level, planning))
        options.write(comparison_document(comparison, source))
        return
    for name in ("power", "margin", "effect", "rope", "posterior"):
        if planning.pop(name) is not None:
            raise InputError(f"--{name} does not apply to a table of results: remove it")
    plans = plan_each(metrics, chosen, options.level, planning)
    show: Any = options.show.value
    shown = {"show": show, "percent": options.percent, "arrows": options.arrows}
    table = make_table(plans, runs, options.baseline, source=source, **shown)
    options.write(table.document(options.decimals))


def _read(options: CompareOptions) -> tuple[dict[str, Any], Runs]:
    """The options of the metrics, and what runs definitions on the systems, which are read once."""
    counted, sets = made_from(define(read(options.metric[0])[0]).declaration)
    with opened(options) as ((data, other), reading):
        columns = options.columns("true", "weights", "cluster")
        columns |= {"sep": options.labels_sep, "by": options.slice_columns, **reading}
        systems = read_systems(data, options.pred, other, counted=counted, sets=sets, **columns)
        if isinstance(systems, ScoreColumns):
            lines = read_scores(data, other, systems.request, apart=True)
    if isinstance(systems, ScoreColumns):
        return _chosen(options, lines), Runs.of_lines(systems, with_classes(lines))
    whole: Any = systems.whole
    return options.chosen(whole.system(0).labels), Runs.of_counts(systems)


def _chosen(options: CompareOptions, lines: ScoredLines) -> dict[str, Any]:
    """The options of a ranking metric or a loss."""
    for name in ("average", "classes", "exclude", "ignore", "undefined", "scope"):
        if getattr(options, name) is not None:
            raise DefinitionError(f"--{name} does not apply to {options.metric[0]}")
    if options.positive is None:
        return {}
    classes = classes_of(column(lines.true, "y_true"), lines.labels)
    return {"positive": find_label(options.positive, classes)}
