"""``whichf1 score``, ``whichf1 matrix`` and ``whichf1 threshold``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from whichf1.cli import files
from whichf1.cli.files import Paths
from whichf1.cli.options import (
    GateFormat,
    GroupsOptions,
    LimitOptions,
    MatrixOptions,
    MetricOptions,
    OnError,
    PageOptions,
    ReportOptions,
    ScoreOptions,
    TableOptions,
    ThresholdOptions,
    find_label,
    is_list,
    label_columns,
    probability_columns,
)
from whichf1.cli.process import standard_input
from whichf1.definitions.definition import Definition, define, define_fitting
from whichf1.definitions.signature import read, write
from whichf1.definitions.words import title
from whichf1.errors import DefinitionError, InputError, numbered, verb
from whichf1.metrics import EVERY, plain_name
from whichf1.reporting.document import Document
from whichf1.reporting.gates import Verdict
from whichf1.reporting.score import (
    BOTH_F1,
    SYMMETRIC,
    Report,
    name_definitions,
    refuse_unused,
    refuse_unused_threshold,
    threshold_document,
)
from whichf1.reporting.slices import slice_document, slice_name
from whichf1.scoring.evaluate import refuse_other_data
from whichf1.scoring.subject import (
    Subject,
    of_class_slices,
    of_counts,
    of_label_slices,
    of_line_slices,
    of_slices,
    of_table,
    of_values,
)
from whichf1.sources.answers.label_sets import count_cells, slice_cells
from whichf1.sources.answers.lines import ClassScores, read_scores
from whichf1.sources.engines.remote import OfObject
from whichf1.sources.lines import ScoredLines, positive_class, rank_lines
from whichf1.sources.request import Request
from whichf1.tables.counts import Counts
from whichf1.tables.labels import Label, Labels
from whichf1.tables.ranking import Ranking
from whichf1.tables.slices import Slices
from whichf1.tables.units import Additive

Scored: TypeAlias = ScoreOptions | PageOptions | GroupsOptions
# what is scored: predictions, scores, probabilities, label sets or saved tables


def _refuse_unused(kind: str, options: Scored) -> None:
    """Raise for an option that has no effect on files of scores or label sets."""
    unused = ["ignore"]
    if options.metric is None:
        unused += ["average"] if kind == "--score" else ["average", "positive"]
        if kind == "--score" and options.threshold is None:
            unused += ["classes", "exclude", "undefined", "scope"]
    for option in unused:
        if getattr(options, option):
            needs = " without -m" if option in ("average", "positive") else ""
            raise InputError(f"{kind}{needs} takes no --{option}: remove it")


@contextmanager
def read_subject(options: Scored) -> Iterator[Subject]:
    """Read what the options name; files stay open, since probabilities are read repeatedly."""
    saved = files.read_saved(options)
    if saved is not None:
        yield _saved(saved, options)
        return
    kind = options.kind
    value = _value_column(options)
    if value is not None:
        with files.opened(options) as (paths, reading):
            yield _values(value, options, paths, reading)
        return
    if kind is None:
        whole = options.by is None
        yield (
            of_counts(files.read_counts(options))
            if whole
            else of_slices(files.read_slices(options))
        )
        return
    _refuse_unused(kind, options)
    if kind == "--spans":
        spans: Any = span_counts(options)
        yield of_slices(spans) if isinstance(spans, Slices) else of_counts(spans)
        return
    with files.opened(options) as (paths, reading):
        if options.probs and options.sets:
            lines = label_lines(options, paths, reading)
            yield of_label_slices(lines, options.threshold, options.slice_columns)
        elif options.sets:
            counts: Any = set_counts(options, paths, reading)
            yield of_counts(counts) if options.by is None else of_slices(counts)
        else:
            yield (_probabilities if options.probs else _column)(options, paths, reading)


def _value_column(options: Scored) -> str | None:
    """The column whose mean is requested, if the metrics are means of values."""
    asked = options.metric or []
    known = [EVERY.get(plain_name(read(text)[0])) for text in asked]  # others may be criteria
    valued = [
        Definition.parse(text)
        for text, metric in zip(asked, known, strict=True)
        if metric is not None and metric.kind == "value"
    ]
    if not valued:
        return None
    columns = [*(each.arguments["of"] for each in valued), options.score_column]
    named = sorted({str(x) for x in columns if x is not None})
    if len(valued) < len(asked) or len(named) > 1:
        raise InputError("a mean of values is scored by itself, one column at a time")
    if not named:
        raise InputError("which column has the values? Name it: -m 'mean_value(of=COLUMN)'")
    return named[0]


def _values(value: str, options: Scored, paths: Paths, reading: dict[str, Any]) -> Subject:
    """The values in a column; there are no true classes."""
    for name in ("true", "pred", "probs", "labels", "labels_sep", "spans", "positive", "threshold"):
        if getattr(options, name, None):
            raise InputError(f"a mean of values takes no --{name.replace('_', '-')}: remove it")
    named = ("weights", "frequencies", "cluster")
    columns = {name: getattr(options, name) for name in named}
    apart = bool(options.weights or options.cluster)
    by = options.slice_columns
    request = Request.of_scores(score=value, by=by, alone=True, **columns, **reading)
    return of_values(read_scores(*paths, request, apart=apart), by)


def _saved(table: Any, options: Scored) -> Subject:
    """A table that was saved earlier."""
    whole = table.whole if isinstance(table, Slices) else table
    if isinstance(whole, Ranking):
        text, classes = options.positive, whole.labels
        named = None if text is None else find_label(text, classes)
        if _agreed_positive(options.metric, named) not in (None, whole.positive):
            raise DefinitionError(
                f"these scores are for class {whole.positive!r}: remove --positive, or count again"
            )
        _refuse_unused("--score", options)
    elif options.threshold is not None:
        raise InputError(f"saved {whole.kind} have no scores: remove --threshold")
    return of_table(table, options.threshold)


def set_counts(options: TableOptions, paths: Paths, reading: dict[str, Any]) -> Additive:
    """The counts of label sets, or of each slice of them."""
    columns = {"sep": options.labels_sep, **options.columns(*files.COLUMNS), **reading}
    if is_list(options.true):
        names, bits = label_columns("--true", options.true or "")
        _, guesses = label_columns("--pred", options.pred or "")
        columns |= {"true": bits, "pred": guesses, "labels": names}
    if options.by is None:
        return count_cells(*paths, **columns)
    return slice_cells(*paths, by=options.slice_columns, **columns)


def span_counts(options: TableOptions) -> Additive:
    """The spans of a CoNLL file, or of two, or of each slice; columns have no names there."""
    measures = ("weights", "cluster")
    columns = {*files.COLUMNS, "id", "master", "from_", "table", "query"}
    for name in sorted(columns.difference(measures)):
        if getattr(options, name):
            raise InputError(f"--spans reads no columns by name: remove --{name.rstrip('_')}")
    paths: Any = files.given_paths(options)
    if paths[0] == "-":
        paths = (OfObject(standard_input(), files.STDIN), None)
    named = {name: getattr(options, name) for name in (*measures, "match", "broken")}
    chosen: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
    from whichf1.sources.spans import spans, spans_by

    chosen |= {"scheme": options.spans, "labels": options.declared, "nested": options.nested}
    if options.by is None:
        return spans(*paths, **chosen)
    return spans_by(*paths, by=options.slice_columns, **chosen)


def lines_for(
    options: TableOptions, paths: Paths, reading: dict[str, Any], positive: str | None
) -> tuple[ScoredLines, Label]:
    """The lines of a column of scores, and the class that they are for."""
    reading |= {"cluster": options.cluster, "by": options.slice_columns}
    apart = bool(options.weights or options.cluster)
    lines = files.read_lines(options, paths, apart=apart, **reading)
    return lines, positive_class(Labels(lines.labels), named_class(positive, lines))


def _column(options: Scored, paths: Paths, reading: dict[str, Any]) -> Subject:
    said = _agreed_positive(options.metric, None)
    text = options.positive if options.positive is not None or said is None else str(said)
    lines, positive = lines_for(options, paths, reading, text)
    _agreed_positive(options.metric, positive)
    declared = options.labels is not None
    by = options.slice_columns
    return of_line_slices(lines, positive, options.threshold, by, declared=declared)


def named_class(text: str | None, lines: ScoredLines) -> Label | None:
    """The class of --positive among those of the lines."""
    return None if text is None else find_label(text, Labels(lines.labels))


def _agreed_positive(metrics: list[str] | None, named: Label | None) -> Label | None:
    """The class that the scores are for; signatures that name one must agree with --positive."""
    said = [Definition.parse(text).positive for text in metrics or [] if read(text)[2]]
    for label in said:
        if label is not None and named is not None and label != named:
            raise DefinitionError(
                f"a column of scores is for one class, not for both {named!r} and {label!r}: "
                "choose one"
            )
        named = named if label is None else label
    return named


def class_scores(options: TableOptions, paths: Paths, reading: dict[str, Any]) -> ClassScores:
    """The columns of probabilities, which stay where they are."""
    names, columns = probability_columns(options.probs or [], options.declared)
    names_of_columns = ("true", "weights", "frequencies", "cluster")
    reading |= {name: getattr(options, name) for name in names_of_columns}
    classes = dict(zip(names, columns, strict=True))
    request = Request.of_scores(score=classes, by=options.slice_columns, **reading)
    return ClassScores(*paths, request, fair=True)


def label_lines(options: TableOptions, paths: Paths, reading: dict[str, Any]) -> ScoredLines:
    """The scores of each label, of items with sets of labels."""
    columns = ("weights", "frequencies", "cluster")
    reading |= {name: getattr(options, name) for name in columns}
    reading |= {"by": options.slice_columns, "sep": options.labels_sep}
    apart = bool(options.weights or options.cluster)
    if is_list(options.true):
        names, bits = label_columns("--true", options.true or "")
        labels, scores = label_columns("--probs", *(options.probs or []))
        score: Any = scores if labels == scores else dict(zip(labels, scores, strict=True))
        if labels == scores and set(labels) == set(names):  # by their names, in any order
            score = {name: name for name in names}
        named: dict[str, Any] = {"true": bits, "labels": names, "score": score}
    else:
        labels_of, scores = probability_columns(options.probs or [], options.declared)
        classes = dict(zip(labels_of, scores, strict=True))
        named = {"true": options.true, "score": classes}
    request = Request.of_scores(**named, **reading)
    return read_scores(*paths, request, apart=apart)


def _probabilities(options: Scored, paths: Paths, reading: dict[str, Any]) -> Subject:
    return of_class_slices(class_scores(options, paths, reading), options.slice_columns)


# score


def score(options: ScoreOptions) -> None:
    """Score a file of predictions. Prints each class, both macro F1s and other averages."""
    if options.parents is not None and not options.metric:
        raise InputError(_HIERARCHICAL)
    with read_subject(options) as subject:
        chosen = options.chosen(subject.counts.labels)
        shown = "--confusion" if options.confusion else "--share" if options.share else None
        if shown and (subject.by or options.format == GateFormat.csv):
            other = "slices (--by)" if subject.by else "--format csv"
            raise InputError(f"{shown} does not apply to {other}: remove one of them")
        if subject.by:
            document = _slices(options, subject, chosen)
        else:
            document = _report(files.source_name(options), subject, options, chosen)
        verdicts = judged(options, chosen, subject)
    options.finish(document, files.source_name(options), verdicts)


def _report(
    source: str, subject: Subject, options: ReportOptions, chosen: dict[str, Any], **kind: Any
) -> Document:
    """Metrics of the scores, then of the predictions made from them; all, or those of -m."""
    kind["confusion"] = options.confusion
    results = make_report(source, subject, options, chosen, **kind)
    share: Any = options.share
    return (results if share is None else results.with_shares(share)).document(options.places)


def make_report(
    source: str, subject: Subject, options: MetricOptions, chosen: dict[str, Any], **kind: Any
) -> Report:
    """The metrics of -m, or the usual ones."""
    chosen, definitions = _reported(options, subject, chosen), None
    if options.metric:
        definitions = definitions_of(options, options.metric, chosen, subject)
    for name in ("average", "positive"):
        if definitions is None and name in chosen:
            raise DefinitionError(f"--{name} needs a metric, such as -m precision")
    return Report.of_subject(source, subject, chosen, definitions, **kind)


def _reported(options: MetricOptions, subject: Subject, chosen: dict[str, Any]) -> dict[str, Any]:
    """The options of the reported metrics; for the usual ones, --positive is the class of scores.

    Gates get all options: those of -m may be others.
    """
    usual = subject.summary and options.metric is None
    return {key: value for key, value in chosen.items() if not usual or key != "positive"}


def _slices(options: ScoreOptions, subject: Subject, chosen: dict[str, Any]) -> Document:
    """Score the slices, each on the classes that occur in it unless classes are declared."""
    chosen = _reported(options, subject, chosen)
    if options.metric:
        definitions = definitions_of(options, options.metric, chosen, subject)
    else:
        usual = [x for x in subject.usual(chosen) if not subject.is_per_class(x)][:2]
        if subject.decided:
            usual += [define_fitting(name, chosen) for name in BOTH_F1]
        definitions = [(title(each), each) for each in usual]
        refuse_unused(chosen, usual, [name for name, _ in definitions], "--{}", subject)
    named = []
    for name, definition in definitions:
        if options.labels is None and options.classes is None:
            definition = definition if "|" in name else definition.over_observed
        if subject.is_per_class(definition):
            raise DefinitionError(
                f"--by gives one number per slice: {definition.metric} needs --average or "
                "--positive"
            )
        named.append((name if options.metric else title(definition), definition))
    slices = {key: part.evaluate for key, part in subject.slices.items()}
    source, columns = files.source_name(options), subject.by
    return slice_document(source, columns, named, subject.evaluate, slices)


def definitions_of(
    options: MetricOptions, names: list[str], chosen: dict[str, Any], subject: Subject
) -> list[tuple[str, Definition]]:
    """The metrics with the options that apply to each; every option must apply to one of them.

    A requested interval must apply to every metric of -m.
    """
    parents = getattr(options, "parents", None)
    written = names if parents is None else _with_parents(names, parents)
    called = dict(zip(written, names, strict=True))
    definitions = [
        (called.get(name, name), definition)
        for name, definition in name_definitions(written, chosen, "--{}", subject)
    ]
    threshold = getattr(options, "threshold", None)
    if options.metric:
        refuse_unused_threshold(threshold, definitions, "--threshold")
    for _, definition in definitions if options.metric and options.asks_for_intervals else ():
        if definition.interval is None:
            replace(definition, interval=chosen.get("interval"))  # raises why it does not apply
    return definitions


_HIERARCHICAL = "--parents is for hierarchical scores: add -m hierarchical_f1"


def _with_parents(names: list[str], path: str) -> list[str]:
    """The names of metrics; those of hierarchies get the parents from a file."""
    parents = files.read_parents(path)
    written = []
    for text in names:
        name, parameters, fields = read(text)
        if not fields and "parents" in define(name).declaration.parameters:
            definition = define(name, {**parameters, "parents": parents})
            text = write(name, dict(definition.parameters), {})
        written.append(text)
    if written == names:
        raise InputError(_HIERARCHICAL)
    return written


def judged(options: LimitOptions, chosen: dict[str, Any], subject: Subject) -> list[Verdict]:
    """The outcome of each gate, on all items and in each slice."""
    verdicts = []
    declared = any(getattr(options, x, None) is not None for x in ("labels", "classes"))
    for limit in options.limits:
        options_of_limit = chosen if limit.kind.end != "value" else {**chosen, "interval": None}
        definition = subject.define(limit.name, options_of_limit)
        limit.check(definition)
        verdicts.append(limit.judge(subject.evaluate(definition)))
        of_slice = definition if declared or "|" in limit.name else definition.over_observed
        for key, part in subject.slices.items():
            score = None
            with suppress(InputError):  # it may lack some of the classes
                score = part.evaluate(replace(of_slice, data=()))
            verdicts.append(limit.judge(score, slice_name(key)))
    return verdicts


# groups


def groups(options: GroupsOptions) -> None:
    """Compare a score between groups of items. Prints differences, the worst group and a test."""
    from whichf1.comparison.disparity import groups_of
    from whichf1.reporting.disparity import groups_document

    with read_subject(options) as subject:
        if not subject.by:
            raise InputError("which groups? Name their columns with --by, such as --by sex")
        chosen, names = options.chosen(subject.counts.labels), options.metric or ["averaged_f1"]
        skip, control = options.on_error == OnError.skip, options.control_columns
        compared = [groups_of(subject, name, chosen, control, skip=skip) for name in names]
        definitions = [part.definition for each in compared for part in each.parts]
        refuse_unused(chosen, definitions, names, "--{}", subject)
    options.write(groups_document(files.source_name(options), compared))


# matrix


def matrix(options: MatrixOptions) -> None:
    """Score a confusion matrix, from numbers or from a file."""
    oriented = options.rows is not None
    rows: Any = options.rows or "true"
    source, cells = given_matrix(options.numbers)
    counts = Counts.from_matrix(cells, rows=rows, labels=options.declared)
    chosen, subject = options.chosen(counts.labels), of_counts(counts)
    if not oriented:
        _refuse_if_orientation_matters(counts, options, chosen)
    document = _report(source, subject, options, chosen, oriented=oriented)
    options.finish(document, source, judged(options, chosen, subject))


def given_matrix(words: list[str]) -> tuple[str, Any]:
    """A name for a matrix, and its cells: from a file, or the numbers themselves."""
    if len(words) == 1 and not re.fullmatch(r"-?[0-9.]+", words[0]):
        return words[0], files.read_matrix(words[0])
    return "matrix", square(words)


def square(numbers: list[str]) -> list[list[int]]:
    """The number of classes, then the cells row by row, as a matrix."""
    try:
        k, *cells = (int(text) for text in numbers)
    except ValueError:
        raise InputError(f"a matrix takes whole numbers; got {' '.join(numbers)!r}") from None
    if not 1 <= k <= len(numbers):
        raise InputError(
            f"{numbered(k, 'class')}, but {numbered(len(cells), 'cell')}: pass k, then k × k cells"
        )
    if len(cells) != k * k:
        raise InputError(
            f"{numbered(k, 'class')} {verb(k, 'needs', 'need')} {numbered(k * k, 'cell')}; got "
            f"{len(cells)}. "
            "Pass the number of classes, then the matrix row by row."
        )
    return [cells[start : start + k] for start in range(0, k * k, k)]


def _refuse_if_orientation_matters(
    counts: Counts, options: MatrixOptions, chosen: dict[str, Any]
) -> None:
    """Raise if a chosen score changes when true and predicted are swapped."""
    swapped = Counts(
        counts.labels, counts.predicted, counts.true, counts.count.copy(), declared=True
    )
    limits = [limit.name for limit in options.limits]
    for name in [*(options.metric or SYMMETRIC), *limits]:
        definition = define_fitting(name, chosen)
        refuse_other_data(definition, counts)
        a, b = (definition.values(definition.freeze(each)) for each in (counts, swapped))
        if not np.allclose(a, b, equal_nan=True):
            raise InputError(
                f"{definition.metric} depends on what a row is: add --rows true or --rows predicted"
            )


# threshold


def threshold(options: ThresholdOptions) -> None:
    """Find the threshold at which a score is best. Tries every distinct score."""
    from whichf1.scoring.curves import best_threshold

    with files.opened(options) as (paths, reading):
        lines = files.read_lines(options, paths, **reading)
    ranking = rank_lines(lines, named_class(options.positive, lines))
    correct: Any = options.correct
    best = best_threshold(ranking, metric=options.metric, correct=correct)
    source = files.source_name(options)
    options.write(threshold_document(source, best, options.around, options.places))
