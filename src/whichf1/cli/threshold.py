"""``whichf1 threshold``."""

from __future__ import annotations

from dataclasses import dataclass

from whichf1.cli.options import SCORE, DataOptions, OutputOptions, Text, option
from whichf1.cli.reading import opened, source_name
from whichf1.cli.subject import named_class, read_lines
from whichf1.report.score import threshold_document
from whichf1.scoring.curves import best_threshold
from whichf1.sources.lines import rank_lines


@dataclass(frozen=True, kw_only=True)
class ThresholdOptions(DataOptions, OutputOptions):
    """All that ``whichf1 threshold`` takes."""

    metric: str = option(
        "The metric to maximize, of predicted classes.", "--metric", "-m", default="f1"
    )
    score_column: Text = option(SCORE, "--score")
    positive: Text = option("The class that the scores are for.")
    around: int = option("Thresholds to show on either side of the best.", default=5, min=0)


def threshold(options: ThresholdOptions) -> None:
    """Find the threshold at which a score is best. Tries every distinct score."""
    with opened(options) as (sources, reading):
        lines = read_lines(sources, reading, options, options.score_column)
    ranking = rank_lines(lines, named_class(options.positive, lines))
    best = best_threshold(ranking, metric=options.metric)
    source = source_name(options)
    options.write(threshold_document(source, best, options.around, options.decimals))
