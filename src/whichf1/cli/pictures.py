"""``whichf1 plot`` and ``whichf1 report``: pictures and pages of a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

from whichf1.cli.compare import read_runs
from whichf1.cli.counts import read_table
from whichf1.cli.files import source_name
from whichf1.cli.options import (
    CompareOptions,
    CountOptions,
    OptionGroup,
    OutputOptions,
    PageOptions,
    PlotOptions,
    find_label,
)
from whichf1.cli.score import make_report, read_subject
from whichf1.comparison.compare import Comparison, planned
from whichf1.definitions.methods import Auto
from whichf1.definitions.names import BOTH
from whichf1.errors import InputError
from whichf1.metrics import plain_name
from whichf1.reporting.document import Document, Grid, GridColumn
from whichf1.reporting.pictures.drawing import format_of
from whichf1.reporting.pictures.kinds import Kind, every_kind, find_kind, picture
from whichf1.reporting.pictures.typeface import plotting
from whichf1.reporting.score import BOTH_F1, page_path
from whichf1.scoring.curves import best_threshold, prevalence_curve
from whichf1.tables.ranking import Ranking

G = TypeVar("G", bound=OptionGroup)
Reader: TypeAlias = Callable[[PlotOptions, Kind], tuple[Any, set[str]]]
"""A function that reads what a kind is drawn from, and names the options it used."""
PASSED = ("band", "share", "order", "baseline", "level", "title", "caption")
"""Options of the picture itself."""
ONLY = {
    "metric": ("metric", "threshold, prevalence, slices, comparison, flips and posterior"),
    "correct": ("correct", "threshold"),
    "by": ("by", "slices"),
    "margin": ("margin", "comparison"),
}
"""Options that only some kinds use, and which kinds these are."""


def plot(options: PlotOptions) -> None:
    """Draw a picture: of classes, curves or comparisons."""
    if options.kind == "list":
        OutputOptions(output=None).write(kind_list())
        return
    kind = find_kind(options.kind)
    if options.output is None:
        raise InputError("no output file: name one with -o that ends in .pdf, .svg or .png")
    format_of(options.output)
    plotting()
    passed = {name: getattr(options, name) for name in PASSED}
    settings = {name: value for name, value in passed.items() if value is not None}
    result, used = READ.get(kind.name, _table)(options, kind)
    for name, (written, kinds) in ONLY.items():
        if getattr(options, name) is not None and name not in used:
            raise InputError(f"--{written} is for {kinds}, not for {kind.name}: remove it")
    if kind.name == "posterior" and options.metric:
        settings["metrics"] = options.metric
    elif kind.name == "slices" and options.metric:
        settings["metric"] = _single(options, "metric")
    if "level" in used:
        settings.pop("level", None)
    picture(result, kind.name, **settings).save(options.output, options.dpi)


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


# report


def report(options: PageOptions) -> None:
    """Write a page with scores, pictures and methods."""
    if options.output is None:
        raise InputError("no output file: name one with -o that ends in .html")
    page_path(options.output)
    systems = options.pred or []
    if len(systems) > 1 and (options.score_column or options.probs):
        raise InputError("several systems are compared by their predictions: remove --score")
    single: Any = options.but(pred=systems[0] if systems else None)
    comparison = _compared(options, systems) if len(systems) > 1 else None
    with read_subject(single) as subject:
        chosen = options.chosen(subject.counts.labels)
        page = make_report(source_name(options), subject, options, chosen)
        replace(page, comparison=comparison).save(options.output)


def _compared(options: PageOptions, systems: list[str]) -> Comparison:
    """The systems, compared by the first metric."""
    if options.file == "-":
        raise InputError("several systems are read twice: pass a file, not standard input")
    first = (options.metric or ["averaged_f1"])[0]
    metric = BOTH_F1[0] if plain_name(first) in BOTH else first
    read = _as(CompareOptions, options, pred=systems, metric=[metric], replicates=None, seed=None)
    chosen, runs, _ = read_runs(read)
    return runs.whole(*planned(metric, chosen, options.level, {"replicates": 0}))


def _as(group: type[G], options: OptionGroup, **changes: Any) -> G:
    """The same options, in the form another command takes."""
    others = {"output", "metric", "pred", "score_column", "by"}
    shared = (group.declared_options().keys() & vars(options).keys()) - others
    return group(**{name: getattr(options, name) for name in shared} | changes)


def _single(options: PlotOptions, name: str) -> Any:
    values = getattr(options, name) or [None]
    if len(values) > 1:
        raise InputError(f"{options.kind} shows only one: use --{name.partition('_')[0]} once")
    return values[0]


def _table(options: PlotOptions, kind: Kind) -> tuple[Any, set[str]]:
    """The table of the file; for several columns of scores, a ranking of each."""
    scores: list[str | None] = [*(options.score_column or ())] or [None]
    if not kind.several:
        _single(options, "score_column")
    if Ranking in kind.of and options.pred:
        raise InputError(f"{kind.name} is drawn from scores: name their column with --score")
    if kind.name == "slices" and options.by is None and not _is_saved(options):
        raise InputError("there are no slices to draw: name their columns with --by")
    by = options.by if kind.name == "slices" else None
    pred, used = _single(options, "pred"), {"by"} if by else set()
    tables = {
        str(score): read_table(_as(CountOptions, options, pred=pred, score_column=score, by=by))
        for score in scores
    }
    table: Any = tables if len(tables) > 1 else next(iter(tables.values()))
    if kind.name == "threshold" and isinstance(table, Ranking):
        correct: Any = options.correct
        metric = _single(options, "metric") or "f1"
        table = best_threshold(table, metric=metric, correct=correct)
        used |= {"metric", "correct"}
    if kind.name in ("slices", "posterior") and options.metric:
        used |= {"metric"}
    return table, used


def _is_saved(options: PlotOptions) -> bool:
    return options.from_ is None and str(options.file).endswith((".json", "-"))


def _comparison(options: PlotOptions, kind: Kind) -> tuple[Any, set[str]]:
    if len(options.pred or []) < 2:
        raise InputError(f"{kind.name} needs at least two systems: repeat --pred")
    metric = _single(options, "metric") or "averaged_f1"
    read = _as(CompareOptions, options, pred=options.pred, metric=[metric])
    chosen, runs, _ = read_runs(read)
    plan = {"margin": options.margin} if kind.name == "comparison" else {}
    used = {"metric", *plan, "level"}
    return runs.whole(*planned(metric, chosen, options.level, plan)), used


def _prevalence(options: PlotOptions, kind: Kind) -> tuple[Any, set[str]]:
    """The curve of a score of predictions."""
    pred = _single(options, "pred")
    asked = _as(CountOptions, options, pred=pred, score_column=None, positive=None)
    counts: Any = read_table(asked)
    positive = options.positive and find_label(options.positive, counts.labels)
    metric = _single(options, "metric") or "f1"
    method = Auto(**({} if options.level is None else {"level": options.level}))
    curve = prevalence_curve(counts, metric=metric, positive=positive, interval=method)
    return curve, {"metric", "level"}


READ: dict[str, Reader] = {
    "prevalence": _prevalence,
    "comparison": _comparison,
    "flips": _comparison,
}
"""What is read for kinds that are not drawn from tables."""
