"""``whichf1 compare``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from whichf1.cli.files import Paths, is_saved, keeping, opened, source_name
from whichf1.cli.options import (
    CompareOptions,
    DefinitionOptions,
    FileOptions,
    OutputOptions,
    find_label,
    is_list,
    label_columns,
    split_list,
)
from whichf1.comparison.compare import (
    Runs,
    beside_saved,
    compare_items,
    fitting_decisions,
    made_from,
    planned,
    refuse_few,
    with_classes,
)
from whichf1.comparison.study import plan_study, study_trials
from whichf1.definitions.definition import Definition, define
from whichf1.definitions.signature import read
from whichf1.errors import DefinitionError, InputError
from whichf1.reporting.comparison import comparison_document
from whichf1.reporting.gates import regressions
from whichf1.reporting.leaderboard import make_table, plan_each
from whichf1.reporting.numbers import size
from whichf1.reporting.study import study_document
from whichf1.scoring.lines import items_of_systems
from whichf1.sources.address import shown_name
from whichf1.sources.answers.lines import read_scores
from whichf1.sources.engines.files import Beside
from whichf1.sources.lines import ScoredLines, classes_of
from whichf1.sources.logs import read_logs
from whichf1.sources.sequences import column
from whichf1.sources.systems import ScoreColumns, read_systems
from whichf1.tables.counts import Counts
from whichf1.tables.labels import Labels

PLANNED = ("level", "adjust", "power", "margin", "rope", "seed")
"""Options of every plan."""
OF_VALUES = {
    *FileOptions.declared_options(),
    *OutputOptions.declared_options(),
    *PLANNED,
    *("value", "weights", "frequencies", "cluster", "replicates", "effect", "posterior"),
}
"""Options that apply to values of items."""
OF_LOGS = {
    *OutputOptions.declared_options(),
    *PLANNED,
    *("log", "cluster", "filter", "missing"),
}
"""Options that apply to logs."""
NAMES = ("replicates", "seed", "power", "margin", "adjust", "effect", "rope")
"""Options that belong to the plan."""


def compare(options: CompareOptions) -> None:
    """Compare systems on the same items. Prints tests and rank flips, or a table of metrics."""
    if options.log:
        _compare_logs(options)
        return
    if options.value:
        _compare_values(options)
        return
    if not options.pred:
        raise InputError(
            "which systems? Name their columns with --pred, or use --value or --log instead"
        )
    for name in ("answers", "filter", "missing"):
        if getattr(options, name):
            raise InputError(f"--{name} is for logs of evaluations (--log): remove it")
    chosen, runs, remarks = read_runs(options)
    planning = _planning(options)
    source, metrics = source_name(options), options.metric
    if not options.wants_table:
        comparison = runs.whole(*planned(metrics[0], chosen, options.level, planning))
        options.finish(comparison_document(comparison, source), source, [])
        return
    for name in ("power", "margin", "effect", "rope", "posterior"):
        if planning.pop(name) is not None:
            raise InputError(f"--{name} does not apply to a table of results: remove it")
    sets = is_list(options.true) or options.labels_sep is not None
    plans = plan_each(metrics, chosen, options.level, planning, sets=sets)
    show: Any = options.show.value
    shown = {"show": show, "percent": options.percent, "arrows": options.arrows}
    table = make_table(plans, runs, options.baseline, source=source, remarks=remarks, **shown)
    verdicts = []
    if options.fail_if_worse is not None:
        verdicts = regressions(table, options.fail_if_worse)
    options.finish(table.document(options.decimals), source, verdicts)


def _compare_values(options: CompareOptions) -> None:
    """Compare systems by a value that each has of every item."""
    options.refuse_other("--value", OF_VALUES)
    planning = _planning(options)
    definition, plan = planned("mean_value", {}, options.level, planning)
    columns = {x: getattr(options, x) for x in ("weights", "frequencies", "cluster")}
    with opened(options) as (paths, reading):
        read: Any = read_systems(
            paths[0], options.value, paths[1], counted=False, alone=True, **columns, **reading
        )
        refuse_few(read.systems)
        items = items_of_systems(definition, read)
    comparison = compare_items(plan, [*read.systems], *items)
    source = source_name(options)
    options.finish(comparison_document(comparison, source), source, [])


def _compare_logs(options: CompareOptions) -> None:
    """Compare the systems of logs: tasks are data sets, epochs runs, and samples items."""
    if options.answers:
        answers = {"answers", "metric", *DefinitionOptions.declared_options()}
        options.refuse_other("--log and --answers", OF_LOGS | answers)
    else:
        options.refuse_other("--log without --answers", {*OF_LOGS, "value"})
    values = options.value or [None]  # type: ignore[list-item]
    if len(values) > 1 or len(options.metric) > 1:
        raise InputError("logs are compared by one metric: use --value, or -m, once")
    read = read_logs(
        options.log or [],
        value=values[0],
        predictions=options.answers,
        cluster=options.cluster,
        filter=options.filter,
    )
    settings: dict[str, Any] = {
        "adjust": options.adjust or "fdr",
        "missing": options.missing or "complete",
    }
    settings |= {x: getattr(options, x) for x in PLANNED if x not in ("level", "adjust")}
    if options.answers:
        labels = Labels.sorted({x for data in read.trials.data_sets.values() for x in data.labels})
        definition, plan = plan_study(
            options.metric[0], options.chosen(labels), options.level, settings
        )
    else:
        mean = Definition(metric="mean_value", parameters=(("of", read.value),))
        definition, plan = plan_study(mean, {}, options.level, settings)
    study = study_trials(read.trials, definition, plan, single=True)
    study = replace(study, notes=(*read.notes, *study.notes))
    source = ", ".join(map(shown_name, (options.log or [])[:3]))
    options.finish(study_document(study, source), source, [])


def _planning(options: CompareOptions) -> dict[str, Any]:
    planning = {name: getattr(options, name) for name in NAMES}
    return {**planning, "posterior": options.posterior or None}


def read_runs(options: CompareOptions) -> tuple[dict[str, Any], Runs, tuple[str, ...]]:
    """The options of the metrics, a function that runs definitions on the systems, and remarks."""
    counted, sets = made_from(define(read(options.metric[0])[0]).declaration)
    if options.threshold is not None:
        return _decided(options)
    saved = _saved(options)
    with opened(options) as (paths, reading):
        data, names, other, columns = _asked(options, paths, reading)
        columns["sep"] = options.labels_sep
        of_true = None
        if is_list(options.true):
            of_true, columns["true"] = label_columns("--true", options.true or "")
        ask = partial(read_systems, data, names, other, counted=counted, sets=sets, **columns)
        systems = keeping(options, lambda labels: ask(labels=labels or of_true))
        if isinstance(systems, ScoreColumns):
            lines = read_scores(data, other, systems.request, apart=True)
    if isinstance(systems, ScoreColumns):
        if saved is not None:
            raise InputError(
                f"{options.baseline} holds counts of predicted classes, but {options.metric[0]} "
                "compares scores: pass a file of the baseline's scores, or a column with --pred"
            )
        return _chosen(options, lines), Runs.of_lines(systems, with_classes(lines)), ()
    whole: Any = systems.whole
    chosen = options.chosen(whole.system(0).labels)
    if saved is None or options.baseline is None:
        return chosen, Runs.of_counts(systems), ()
    runs = beside_saved(whole, options.baseline, saved)
    return chosen, runs, (_remark(options.baseline, saved, whole),)


def _asked(
    options: CompareOptions, paths: Paths, reading: dict[str, Any]
) -> tuple[str, Any, str | None, dict[str, Any]]:
    """The file of the items, the systems, a second file, and the columns and how to read them.

    The predictions of a baseline may be in a separate file.
    """
    (data, other), names, name = paths, _systems(options.pred), options.baseline
    columns = ("true", "weights", "frequencies", "cluster")
    reading |= {x: getattr(options, x) for x in columns} | {"by": options.slice_columns}
    if name is None or not options.baseline_file or is_saved(name):
        if options.baseline_pred is not None:
            raise InputError(
                "--baseline-pred names a column of the file that --baseline names: remove it"
            )
        return data, names, other, reading
    if other is not None:
        raise InputError(
            f"{name} is joined with one file: pass FILE instead of --gold and --pred-file"
        )
    if isinstance(names, dict):
        raise InputError(
            f"{name} has one column of predictions: give the columns of the baseline with --pred"
        )
    return data, [*names, name], name, {**reading, "beside": Beside(name, options.baseline_pred)}


def _systems(texts: Sequence[str]) -> Any:
    """The column of each system, or its columns for each class or label, by its name."""
    if not any(is_list(text.partition("=")[2]) for text in texts):
        return [*texts]
    systems = {}
    for text in texts:
        name, sign, columns = text.partition("=")
        if not sign:
            raise InputError(
                f"--pred {text!r}: give SYSTEM=COLUMN,COLUMN for each system, or one column of each"
            )
        systems[name] = split_list(columns)
    if len(systems) < len(texts):
        raise InputError(f"a system is named twice: {', '.join(systems)}")
    return systems


def _saved(options: CompareOptions) -> Counts | None:
    """The counts of a baseline that is a file of saved counts."""
    name = options.baseline
    if name is None or not options.baseline_file or not is_saved(name):
        return None
    counts = Counts.load(name)
    for option in ("by", "cluster", "labels_sep"):
        if getattr(options, option) is not None:
            raise InputError(
                f"--{option.replace('_', '-')} needs the items of the baseline, but {name} holds "
                "counts: pass the file of its predictions, or a column with --pred"
            )
    if counts.cluster is not None:
        raise InputError(f"{name} was counted in clusters: count the baseline without --cluster")
    kept: Counts = keeping(
        options, lambda labels: counts if labels is None else counts.declare(labels)
    )
    return kept


def _remark(name: str, saved: Counts, counts: Any) -> str:
    """Say that tests are not paired, and whether the items may be the same."""
    paired = (
        f"Tests are unpaired, because {name} holds counts, not predictions. Paired tests on the "
        f"same "
        "items detect smaller differences: to use them, pass the file of the baseline's "
        "predictions, or both systems as columns of one file."
    )
    mine, theirs = (_support(x) for x in (saved, counts.system(0)))
    if mine == theirs:
        return paired
    return (
        f"{paired} {name} was counted on other items: {size(saved.n)}, or other numbers of items "
        "of each class."
    )


def _support(counts: Counts) -> dict[Any, float]:
    """Number of items of each true class that occurs."""
    classes = counts.per_class()
    items = zip(counts.labels, (classes.tp + classes.fn).tolist(), strict=True)
    return {label: n for label, n in items if n}


def _decided(options: CompareOptions) -> tuple[dict[str, Any], Runs, tuple[str, ...]]:
    """The same for systems whose scores a threshold turns into predictions."""
    if options.labels_sep is not None:
        raise InputError("--threshold decides between two classes: remove --labels-sep")
    if _saved(options) is not None:
        raise InputError(
            f"--threshold needs the scores of the baseline, but {options.baseline} holds counts: "
            "pass the file of its scores, or a column with --pred"
        )
    with opened(options) as (paths, reading):
        data, names, other, columns = _asked(options, paths, reading)
        columns["labels"] = options.declared
        systems: Any = read_systems(data, names, other, counted=False, **columns)
        lines = with_classes(read_scores(data, other, systems.request, apart=True))
    chosen = options.chosen(Labels(lines.labels))
    positive, by = chosen.get("positive"), systems.request.by
    declared = options.labels is not None
    runs = Runs.of_decisions(lines, names, options.threshold, positive, by, declared=declared)
    return fitting_decisions(options.metric, chosen), runs, ()


def _chosen(options: CompareOptions, lines: ScoredLines) -> dict[str, Any]:
    """The options of a ranking metric or a loss."""
    averaged = () if lines.scores.ndim < 2 else ("average", "undefined")
    for name in ("average", "classes", "exclude", "ignore", "undefined", "scope"):
        if getattr(options, name) is not None and name not in averaged:
            raise DefinitionError(f"--{name} does not apply to {options.metric[0]}")
    if averaged and isinstance(lines.labels, Labels):
        return options.chosen(lines.labels)
    if options.positive is None:
        return {}
    classes = classes_of(column(lines.true, "y_true"), lines.labels)
    return {"positive": find_label(options.positive, classes)}
