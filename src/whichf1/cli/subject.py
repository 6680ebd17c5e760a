"""What ``whichf1 score`` scores: predictions, scores, probabilities or label sets.

Commands that read columns of scores do so here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from whichf1.cli.options import DataOptions, ScoreOptions, find_label, split_list
from whichf1.cli.reading import opened, read_counts, read_slices
from whichf1.definitions.definition import Definition, define_fitting
from whichf1.definitions.signature import read
from whichf1.definitions.words import title
from whichf1.errors import DefinitionError, InputError, LabelError
from whichf1.metrics import COUNTED
from whichf1.report.score import Report, chosen_report, full_report
from whichf1.scoring.decisions import decide, threshold_lines
from whichf1.scoring.evaluate import evaluate
from whichf1.scoring.lines import score_lines
from whichf1.scoring.score import Score
from whichf1.sources.answers.label_sets import count_cells, slice_cells
from whichf1.sources.answers.lines import ClassScores, read_scores
from whichf1.sources.lines import ScoredLines, classes_of, positive_class, rank_lines
from whichf1.sources.request import Request
from whichf1.sources.sequences import column
from whichf1.tables.labels import Label, Labels, from_text
from whichf1.tables.slices import Key

BINARY = ("roc_auc", "average_precision")
PROBABILITY = ("log_loss", "brier", "expected_calibration_error")
SEVERAL = ("log_loss", "brier", "expected_calibration_error(multi_class=top-label)")
MEANS = ("roc_auc(multi_class=ovr)", "roc_auc(multi_class=ovo)")


@dataclass(frozen=True)
class Subject:
    """What was read, and what its scores are computed from."""

    counts: Any
    """Counts, or label sets; a Ranking if nothing turns scores into predictions."""
    summary: tuple[tuple[str, dict[str, Any]], ...]
    """The metrics of the scores themselves, with their options."""
    score: Callable[[Definition], Score]
    """Runs a definition that needs scores."""
    decided: bool
    """Whether there are predictions."""
    slices: Mapping[Key, Subject] = field(default_factory=dict)

    def evaluate(self, definition: Definition) -> Score:
        """Run any definition on what it needs."""
        if definition.declaration.kind not in (*COUNTED, "items"):
            return self.score(definition)
        if not self.decided:
            raise DefinitionError(
                f"{definition.metric} needs predictions: give the lowest score of a positive item "
                "with --threshold, or find the best one with: whichf1 threshold"
            )
        return evaluate(definition, self.counts)


def asks_for_scores(options: ScoreOptions) -> bool:
    """Whether the options are about scores or label sets; errors if they mix them."""
    if options.labels_sep == "":
        raise InputError("--labels-sep must not be empty: give the text between two labels")
    kinds = {
        "--score": options.score_column,
        "--probs": options.probs,
        "--labels-sep": options.labels_sep,
    }
    chosen = [name for name, value in kinds.items() if value]
    if len(chosen) > 1:
        raise InputError("--score, --probs and --labels-sep exclude each other: choose one")
    if options.threshold is not None and not options.score_column:
        raise InputError("--threshold applies to scores: name their column with --score")
    if options.pred and (options.score_column or options.probs):
        raise InputError("--pred excludes --score and --probs, which make predictions: choose one")
    if chosen:
        _refuse_unused(chosen[0], options)
    return bool(chosen)


def _refuse_unused(kind: str, options: ScoreOptions) -> None:
    """Raise for an option that has no effect on files of scores or label sets."""
    unused = {"ignore": options.ignore}
    if options.metric is None:
        unused["average"] = options.average
        unused["positive"] = options.positive if kind != "--score" else None
    if options.metric is None and kind == "--score" and options.threshold is None:
        names = ("classes", "exclude", "undefined", "scope")
        unused |= {name: getattr(options, name) for name in names}
    for option, value in unused.items():
        if value:
            needs = " without -m" if option in ("average", "positive") else ""
            raise InputError(f"{kind}{needs} takes no --{option}: remove it")


@contextmanager
def read_subject(options: ScoreOptions) -> Iterator[Subject]:
    """Read what the options name; files stay open, since probabilities are read repeatedly."""
    if not asks_for_scores(options):
        yield _predictions(options)
        return
    with opened(options) as (sources, reading):
        if options.labels_sep:
            yield _label_sets(sources, reading, options)
        elif options.probs:
            yield _probabilities(sources, reading, options)
        else:
            yield _column(sources, reading, options)


def _predictions(options: ScoreOptions) -> Subject:
    if options.by is None:
        return _counted(read_counts(options))
    slices = read_slices(options)
    parts = {key: _counted(part) for key, part in slices.items()}
    return replace(_counted(slices.whole), slices=parts)


def _counted(counts: Any) -> Subject:
    return Subject(counts, (), lambda definition: evaluate(definition, counts), True)


def _column(sources: list[str], reading: dict[str, Any], options: ScoreOptions) -> Subject:
    extra = {"cluster": options.cluster, "by": options.slice_columns}
    apart = bool(options.weights or options.cluster)
    lines = read_lines(sources, {**reading, **extra}, options, options.score_column, apart)
    named = named_class(options.positive, lines)
    positive = positive_class(Labels(lines.labels), _agreed_positive(options.metric, named))
    slices = {
        key: _scores(lines.of_slice(at), positive, options.threshold)
        for at, key in enumerate(lines.keys)
    }
    return replace(_scores(lines, positive, options.threshold), slices=slices)


def read_lines(
    sources: list[str],
    reading: dict[str, Any],
    options: DataOptions,
    score: str | None,
    apart: bool = False,
) -> ScoredLines:
    """Read a column of scores, and fix its classes."""
    labels = options.declared
    columns: dict[str, Any] = {"score": score, "true": options.true, "weights": options.weights}
    path, other = [*sources, None][:2]
    request = Request.of_scores(**columns, labels=labels, **reading)
    lines = read_scores(path, other, request, apart=apart)
    return lines._replace(labels=list(classes_of(column(lines.true, "y_true"), labels)))


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


def _scores(lines: ScoredLines, positive: Label, threshold: float | None) -> Subject:
    ranking = rank_lines(lines, positive)

    def score(definition: Definition) -> Score:
        return score_lines(replace(definition, positive=positive), lines)

    two = len(lines.labels) == 2  # a loss has no class that is the rest
    names = BINARY + ((PROBABILITY if two else PROBABILITY[2:]) if ranking.probabilities else ())
    summary: tuple[tuple[str, dict[str, Any]], ...] = tuple((name, {}) for name in names)
    if threshold is None:
        return Subject(ranking, summary, score, False)
    return Subject(threshold_lines(lines, threshold, positive), summary, score, True)


def _label_sets(sources: list[str], reading: dict[str, Any], options: ScoreOptions) -> Subject:
    names = ("true", "pred", "weights", "cluster")
    columns = {name: getattr(options, name) for name in names}
    columns |= {"sep": options.labels_sep, "labels": options.declared, **reading}
    if not options.slice_columns:
        return _counted(count_cells(*sources, **columns))
    parts = slice_cells(*sources, by=options.slice_columns, **columns)
    slices = {key: _counted(part) for key, part in parts.items()}
    return replace(_counted(parts.whole), slices=slices)


def _probabilities(sources: list[str], reading: dict[str, Any], options: ScoreOptions) -> Subject:
    names, columns = _probability_columns(options.probs or [], options.declared)
    request = Request.of_scores(
        score=dict(zip(names, columns, strict=True)),
        true=options.true,
        weights=options.weights,
        cluster=options.cluster,
        by=options.slice_columns,
        **reading,
    )
    path, other = [*sources, None][:2]
    scores = ClassScores(path, other, request, fair=True)
    several = len(names) > 2
    shown: list[tuple[str, dict[str, Any]]] = [
        (name, {}) for name in (*SEVERAL, *(("top_k_accuracy",) if several else ()))
    ]
    counts = decide(scores)
    if len(set(counts.true.tolist())) == len(names):  # each class has items, and they have weight
        means = MEANS if several else MEANS[:1]
        shown += [(name, {"average": "macro"}) for name in means]
    slices = scores.slices() if options.slice_columns else {}
    return _of_classes(scores, tuple(shown), {key: _of_classes(x) for key, x in slices.items()})


def _of_classes(
    scores: ClassScores,
    shown: tuple[tuple[str, dict[str, Any]], ...] = (),
    slices: Mapping[Key, Subject] = MappingProxyType({}),
) -> Subject:
    return Subject(decide(scores), shown, lambda each: score_lines(each, scores), True, slices)


def _probability_columns(probs: list[str], labels: list[Label] | None) -> tuple[Labels, list[str]]:
    parts = [each for text in probs for each in split_list(text)]
    pairs = [part.partition("=")[::2] for part in parts]
    columns = [column_name or name for name, column_name in pairs]
    texts = [name for name, _ in pairs]
    known = labels is not None and Labels(labels).kind == "str"
    names = Labels(texts if known else from_text(texts))
    if len(names) < 2:
        raise InputError(f"--probs needs a column for each class; got {', '.join(parts)}")
    unknown = next((x for x in names if labels is not None and x not in Labels(labels)), None)
    if unknown is not None:
        raise LabelError(f"{unknown!r} in --probs is not one of --labels {labels!r}")
    if labels is None:
        return names, columns
    order = sorted(range(len(names)), key=Labels(labels).codes(names).tolist().__getitem__)
    return Labels.trusted(names[at] for at in order), [columns[at] for at in order]


def subject_report(
    source: str,
    subject: Subject,
    chosen: list[tuple[str, Definition]] | None,
    options: dict[str, Any],
) -> Report:
    """Report metrics of the scores, then of the predictions made from them; or the chosen ones."""
    if chosen is not None:
        counted = [(n, d) for n, d in chosen if d.declaration.kind in (*COUNTED, "items")]
        scored = [(n, subject.score(d)) for n, d in chosen if (n, d) not in counted]
        for _, definition in counted[:1]:
            if not subject.decided:
                subject.evaluate(definition)
        report = chosen_report(source, subject.counts, counted)
        return replace(report, scores=(*scored, *report.scores))
    wanted = [define_fitting(name, {**options, **extra}) for name, extra in subject.summary]
    scores = tuple((title(each), subject.score(each)) for each in wanted)
    if not subject.decided:
        return Report(source, subject.counts, (), scores, None)
    report = full_report(source, subject.counts, options)
    return replace(report, scores=(*scores, *report.scores))
