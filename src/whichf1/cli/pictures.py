"""``whichf1 plot``: a picture of a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeAlias, TypeVar

from whichf1.cli import files
from whichf1.cli.compare import read_run
from whichf1.cli.options import (
    CompareOptions,
    CountingOptions,
    OptionGroup,
    OutputOptions,
    PlotOptions,
    ScoreOptions,
    ThresholdOptions,
)
from whichf1.cli.score import named_class, split_rankings
from whichf1.comparison.compare import planned
from whichf1.errors import InputError
from whichf1.reporting.document import Document, Grid, GridColumn
from whichf1.reporting.pictures.drawing import format_of
from whichf1.reporting.pictures.kinds import Kind, every_kind, find_kind, picture
from whichf1.reporting.pictures.typeface import plotting
from whichf1.scoring.curves import best_threshold
from whichf1.sources.lines import rank_lines
from whichf1.tables.counts import Counts
from whichf1.tables.ranking import Ranking

G = TypeVar("G", bound=OptionGroup)
Reader: TypeAlias = Callable[[PlotOptions, Kind], tuple[Any, set[str]]]
"""Reads what a kind is drawn of, and says which options it used."""
PASSED = ("band", "share", "order", "baseline", "level", "title", "caption")
"""Options that are the picture's own."""
ONLY = {
    "score_column": ("score", "rankings and slices"),
    "metric": ("metric", "threshold, slices, comparison, flips and posterior"),
    "correct": ("correct", "threshold"),
    "by": ("by", "slices"),
    "margin": ("margin", "comparison"),
    "positive": ("positive", "rankings and slices"),
}
"""Options that some kinds use, as they are written, and which kinds."""


def plot(options: PlotOptions) -> None:
    """Draw a picture of a file: confusion matrix, classes, curves, calibration, comparisons."""
    if options.kind == "list":
        OutputOptions(output=None).write(kind_list())
        return
    kind = find_kind(options.kind)
    if options.output is None:
        raise InputError("where to? Give a file with -o that ends in .pdf, .svg or .png")
    format_of(options.output)
    plotting()
    given = {name: getattr(options, name) for name in PASSED}
    own = {name: value for name, value in given.items() if value is not None}
    usual: Reader = _ranking if Ranking in kind.of else _counts
    read: Reader = READ.get(kind.name, usual)
    result, used = read(options, kind)
    for name, (written, kinds) in ONLY.items():
        if getattr(options, name) is not None and name not in used:
            raise InputError(f"--{written} is for {kinds}, not for {kind.name}: remove it")
    if "metrics" in used:
        own["metrics"] = options.metric
    elif kind.name == "slices" and options.metric:
        own["metric"] = _single(options, "metric")
    if "level" in used:
        own.pop("level", None)
    picture(result, kind.name, **own).save(options.output, options.dpi)


def kind_list() -> Document:
    """Every kind of picture, and what it shows."""
    kinds = every_kind().values()
    rows = [[kind.name, kind.summary, ", ".join(kind.options)] for kind in kinds]
    said = [GridColumn(name, "prose") for name in ("what it shows", "options")]
    return Document(
        [Grid([GridColumn("kind"), *said], rows)],
        lambda: {"rows": rows},
        lambda: [["kind", "summary", "options"], *rows],
        f"{len(rows)} kinds of pictures",
        kind="kind_list",
    )


def _as(group: type[G], options: PlotOptions, **changes: Any) -> G:
    """The same options as another command takes them."""
    known = {each.name for each in fields(group)}  # type: ignore[arg-type]
    mine = {each.name for each in fields(options)} - {"output", "metric", "pred", "score_column"}
    return group(**{name: getattr(options, name) for name in known & mine} | changes)


def _single(options: PlotOptions, name: str) -> Any:
    values = getattr(options, name) or [None]
    if len(values) > 1:
        raise InputError(f"{options.kind} shows one: give --{name.partition('_')[0]} once")
    return values[0]


def _counts(options: PlotOptions, kind: Kind) -> tuple[Counts, set[str]]:
    counts = files.read_counts(_as(CountingOptions, options, pred=_single(options, "pred")))
    several = kind.name == "posterior" and options.metric
    return counts, {"metric", "metrics"} if several else set()


def _ranking(options: PlotOptions, kind: Kind) -> tuple[Any, set[str]]:
    names: list[str | None] = [*(options.score_column or ())] or [None]
    if not kind.several:
        _single(options, "score_column")
    if options.pred:
        raise InputError(f"{kind.name} is drawn of scores: name their column with --score")
    rankings = {str(name): _read_ranking(options, name) for name in names}
    used = {"score_column", "positive"}
    if kind.name != "threshold":
        return (rankings if len(names) > 1 else next(iter(rankings.values()))), used
    correct: Any = options.correct
    metric = _single(options, "metric") or "f1"
    best = best_threshold(rankings[str(names[0])], metric=metric, correct=correct)
    return best, {*used, "metric", "correct"}


def _read_ranking(options: PlotOptions, name: str | None) -> Ranking:
    read = _as(ThresholdOptions, options, score_column=name)
    with files.opened(read) as (paths, reading):
        lines = files.read_lines(read, paths, **reading)
    return rank_lines(lines, named_class(options.positive, lines))


def _slices(options: PlotOptions, kind: Kind) -> tuple[Any, set[str]]:
    if options.by is None:
        raise InputError("slices of what? Name the columns with --by")
    score = _single(options, "score_column")
    read = _as(ScoreOptions, options, pred=_single(options, "pred"), score_column=score)
    used = {"by", "metric"}
    if score is None:
        return files.read_slices(read), used
    with files.opened(read) as (paths, reading):
        return split_rankings(read, paths, reading), {*used, "score_column", "positive"}


def _comparison(options: PlotOptions, kind: Kind) -> tuple[Any, set[str]]:
    if len(options.pred or []) < 2:
        raise InputError(f"{kind.name} needs at least two systems: repeat --pred")
    metric = _single(options, "metric") or "averaged_f1"
    read = _as(CompareOptions, options, pred=options.pred, metric=[metric])
    chosen, run = read_run(read)
    plan = {"margin": options.margin} if kind.name == "comparison" else {}
    used = {"metric", *plan, "level"}
    return run(*planned(metric, chosen, options.level, plan)), used


READ: dict[str, Reader] = {
    "slices": _slices,
    "comparison": _comparison,
    "flips": _comparison,
}
"""What is read for kinds that are neither of counts nor of one ranking."""
