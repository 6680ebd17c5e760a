"""``whichf1 compare``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from whichf1.cli.options import (
    CLUSTER,
    REQUIRED,
    SEPARATOR,
    DataOptions,
    DefinitionOptions,
    OutputOptions,
    ResamplingOptions,
    Text,
    option,
)
from whichf1.cli.reading import opened, source_name
from whichf1.cli.subject import named_class
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


@dataclass(frozen=True, kw_only=True)
class CompareOptions(DataOptions, DefinitionOptions, ResamplingOptions, OutputOptions):
    """All that ``whichf1 compare`` takes."""

    pred: list[str] = option(
        "Column with the predictions of a system; repeat it.", default=REQUIRED
    )
    metric: str = option("A metric, or a signature.", "--metric", "-m", default="averaged_f1")
    cluster: Text = option(CLUSTER)
    labels_sep: Text = option(SEPARATOR)
    power: float | None = option("Power for the detectable difference. Default: 0.8.")
    margin: float | None = option("Also test whether systems differ by less than this.")

    @property
    def plan(self) -> dict[str, Any]:
        """How systems are compared."""
        return {x: getattr(self, x) for x in ("replicates", "seed", "power", "margin")}


def compare(options: CompareOptions) -> None:
    """Compare systems on the same items. Prints differences, tests, P(best) and rank flips."""
    result = _compare(options)
    options.write(comparison_document(result, source_name(options)))


def _compare(options: CompareOptions) -> Comparison:
    counted, sets = made_from(define(read(options.metric)[0]).declaration)
    with opened(options) as (sources, reading):
        columns = {name: getattr(options, name) for name in ("true", "weights", "cluster")}
        columns |= {"labels": options.declared, "sep": options.labels_sep, **reading}
        data, other = [*sources, None][:2]
        systems = read_systems(data, options.pred, other, counted=counted, sets=sets, **columns)
        if isinstance(systems, ScoreColumns):
            lines = read_scores(data, other, systems.request, apart=True)
    if isinstance(systems, ScoreColumns):
        return _compare_scores(systems, lines, options)
    chosen = options.chosen(systems.system(0).labels)
    return compare_counts(systems, *planned(options.metric, chosen, options.level, options.plan))


def _compare_scores(
    columns: ScoreColumns, lines: ScoredLines, options: CompareOptions
) -> Comparison:
    """Compare systems whose columns hold scores, by a ranking metric or a loss."""
    for name in ("average", "classes", "exclude", "ignore", "undefined", "scope"):
        if getattr(options, name) is not None:
            raise DefinitionError(f"--{name} does not apply to {options.metric}")
    chosen = {}
    if options.positive is not None:
        classes = classes_of(column(lines.true, "y_true"), lines.labels)
        chosen["positive"] = named_class(options.positive, lines._replace(labels=list(classes)))
    definition, plan = planned(options.metric, chosen, options.level, options.plan)
    refuse_few(columns.systems)
    return compare_items(plan, [*columns.systems], *items_of_each(definition, columns, lines))
