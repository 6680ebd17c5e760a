"""``whichf1 compare``."""

from __future__ import annotations

from functools import partial
from typing import Any

from whichf1.cli.files import opened, source_name
from whichf1.cli.options import CompareOptions, find_label
from whichf1.comparison.compare import (
    Run,
    compare_counts,
    compare_items,
    made_from,
    planned,
    refuse_few,
)
from whichf1.definitions.definition import define
from whichf1.definitions.signature import read
from whichf1.errors import DefinitionError, InputError
from whichf1.reporting.comparison import comparison_document
from whichf1.reporting.leaderboard import make_table, plan_each
from whichf1.scoring.lines import items_of_each
from whichf1.sources.answers.lines import read_scores
from whichf1.sources.lines import ScoredLines, classes_of
from whichf1.sources.sequences import column
from whichf1.sources.systems import ScoreColumns, read_systems

NAMES = ("replicates", "seed", "power", "margin", "adjust", "effect", "rope")
"""Options that belong to the plan."""


def compare(options: CompareOptions) -> None:
    """Compare systems on the same items. Prints tests and rank flips, or a table of metrics."""
    chosen, run = read_run(options)
    planning = {name: getattr(options, name) for name in NAMES}
    planning["posterior"] = options.posterior or None
    source, metrics = source_name(options), options.metric
    if not options.wants_table:
        comparison = run(*planned(metrics[0], chosen, options.level, planning))
        options.write(comparison_document(comparison, source))
        return
    for name in ("power", "margin", "effect", "rope", "posterior"):
        if planning.pop(name) is not None:
            raise InputError(f"--{name} does not apply to a table of results: remove it")
    plans = plan_each(metrics, chosen, options.level, planning)
    show: Any = options.show.value
    table = make_table(
        plans, run, baseline=options.baseline, show=show, percent=options.percent, source=source
    )
    options.write(table.document(options.decimals))


def read_run(options: CompareOptions) -> tuple[dict[str, Any], Run]:
    """The options of the metrics, and what runs definitions on the systems, which are read once."""
    counted, sets = made_from(define(read(options.metric[0])[0]).declaration)
    with opened(options) as ((data, other), reading):
        columns = options.columns("true", "weights", "frequencies", "cluster")
        columns |= {"sep": options.labels_sep, **reading}
        systems = read_systems(data, options.pred, other, counted=counted, sets=sets, **columns)
        if isinstance(systems, ScoreColumns):
            lines = read_scores(data, other, systems.request, apart=True)
    if not isinstance(systems, ScoreColumns):
        return options.chosen(systems.system(0).labels), partial(compare_counts, systems)
    refuse_few(systems.systems)
    names = [*systems.systems]
    return _chosen(options, lines), lambda definition, plan: compare_items(
        plan, names, *items_of_each(definition, systems, lines)
    )


def _chosen(options: CompareOptions, lines: ScoredLines) -> dict[str, Any]:
    """The options of a ranking metric or a loss."""
    for name in ("average", "classes", "exclude", "ignore", "undefined", "scope"):
        if getattr(options, name) is not None:
            raise DefinitionError(f"--{name} does not apply to {options.metric[0]}")
    if options.positive is None:
        return {}
    classes = classes_of(column(lines.true, "y_true"), lines.labels)
    return {"positive": find_label(options.positive, classes)}
