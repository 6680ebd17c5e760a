"""What ``whichf1 score`` does with scores, probabilities and sets of labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Annotated, Any

import typer

from whichf1.cli.options import find_label, slice_columns, split_list
from whichf1.definitions.definition import Definition, define_fitting
from whichf1.definitions.signature import read
from whichf1.definitions.words import title
from whichf1.errors import DefinitionError, InputError, LabelError
from whichf1.metrics import COUNTED
from whichf1.report.report import Report, chosen_report, full_report
from whichf1.scoring.decisions import decide, threshold_lines
from whichf1.scoring.evaluate import evaluate
from whichf1.scoring.score import Score
from whichf1.scoring.scores import score_lines
from whichf1.sources.answers.label_sets import count_cells, slice_cells
from whichf1.sources.answers.scores import ClassScores, read_scores
from whichf1.sources.count import rank_lines
from whichf1.sources.request import Request
from whichf1.sources.scores import ScoredLines, classes_of, positive_class
from whichf1.sources.sequences import column
from whichf1.tables.labels import Label, Labels, from_text
from whichf1.tables.slices import Key

ScoreColumn = Annotated[
    str | None, typer.Option("--score", help="A column of scores: higher is more positive.")
]
Threshold = Annotated[
    float | None, typer.Option(help="With --score: from this score on an item is positive.")
]
Probs = Annotated[
    list[str] | None,
    typer.Option(
        help="A column of probabilities for each class, named like it or CLASS=COLUMN: a,b,c; "
        "repeatable."
    ),
]
LabelsSep = Annotated[
    str | None, typer.Option(help="Cells hold several labels, separated by this text.")
]

BINARY = ("roc_auc", "average_precision")
PROBABILITY = ("log_loss", "brier", "expected_calibration_error")
SEVERAL = ("log_loss", "brier", "expected_calibration_error(multi_class=top-label)")
MEANS = ("roc_auc(multi_class=ovr)", "roc_auc(multi_class=ovo)")


@dataclass(frozen=True)
class Subject:
    """What was read from a file of scores, and what scores of it are computed from."""

    counts: Any
    """Counts, or sets of labels; a Ranking where nothing decides."""
    summary: tuple[tuple[str, dict[str, Any]], ...]
    """The metrics of the scores themselves, with their options."""
    score: Callable[[Definition], Score]
    """Runs a definition that needs scores."""
    decided: bool
    slices: Mapping[Key, Subject] = field(default_factory=dict)

    def evaluate(self, definition: Definition) -> Score:
        """Run any definition on what it needs."""
        if definition.declaration.kind not in (*COUNTED, "items"):
            return self.score(definition)
        if not self.decided:
            raise DefinitionError(
                f"{definition.metric} needs predictions: say from which score on an item is "
                "positive with --threshold, or find the best with: whichf1 threshold"
            )
        return evaluate(definition, self.counts)


def asks_for_scores(given: dict[str, Any]) -> bool:
    """Whether the command line is about scores or sets of labels; errors where it mixes them."""
    if given["labels_sep"] == "":
        raise InputError("--labels-sep must not be empty: say what stands between two labels")
    chosen = [x for x in ("score_column", "probs", "labels_sep") if given[x]]
    if len(chosen) > 1:
        raise InputError("--score, --probs and --labels-sep are three kinds of files: choose one")
    if given["threshold"] is not None and not given["score_column"]:
        raise InputError("--threshold decides on scores: name their column with --score")
    if given["pred"] and (given["score_column"] or given["probs"]):
        raise InputError("--pred holds predictions, --score or --probs make them: choose one")
    if chosen:
        _refuse_unread(chosen[0], given)
    return bool(chosen)


def _refuse_unread(kind: str, given: dict[str, Any]) -> None:
    """Raise for an option that files of scores or of label sets do not take."""
    name = {"score_column": "--score", "probs": "--probs", "labels_sep": "--labels-sep"}[kind]
    unread = {"ignore": given["ignore"]}
    if given["metric"] is None:
        unread["average"] = given["average"]
        unread["positive"] = given["positive"] if kind != "score_column" else None
    if given["metric"] is None and kind == "score_column" and given["threshold"] is None:
        unread |= {x: given[x] for x in ("classes", "exclude", "undefined", "scope")}
    for option, value in unread.items():
        if value:
            needs = " without -m" if option in ("average", "positive") else ""
            raise InputError(f"{name}{needs} takes no --{option}: leave it out")


def read_subject(
    sources: list[str],
    reading: dict[str, Any],
    labels: list[Label] | None,
    given: dict[str, Any],
) -> Subject:
    """Read the files as the command line says."""
    own = {key: given[key] for key in ("true", "weights", "cluster")} | reading
    by = slice_columns(given)
    if given["labels_sep"]:
        own |= {"pred": given["pred"], "sep": given["labels_sep"], "labels": labels}
        if not by:
            return _sets(count_cells(*sources, **own))
        found = slice_cells(*sources, by=by, **own)
        slices = {key: _sets(each) for key, each in found.items()}
        return replace(_sets(found.whole), slices=slices)
    if given["probs"]:
        return _probabilities(sources, {**own, "by": by}, labels, given)
    request = Request.of_scores(score=given["score_column"], labels=labels, by=by, **own)
    apart = bool(given["weights"] or given["cluster"])
    path, other = [*sources, None][:2]
    data = read_scores(path, other, request, apart=apart)
    names = classes_of(column(data.true, "y_true"), labels)
    named = None if given["positive"] is None else find_label(given["positive"], names)
    positive = positive_class(names, _said_positive(given["metric"], named))
    data = data._replace(labels=list(names))
    slices = {key: _scores(data.of_slice(at), positive, given) for at, key in enumerate(data.keys)}
    return replace(_scores(data, positive, given), slices=slices)


def _sets(sets: Any) -> Subject:
    return Subject(sets, (), lambda definition: evaluate(definition, sets), True)


def _scores(data: ScoredLines, positive: Label, given: dict[str, Any]) -> Subject:
    ranking = rank_lines(data, positive)

    def score(definition: Definition) -> Score:
        return score_lines(replace(definition, positive=positive), data)

    two = len(data.labels) == 2  # a loss has no class that is the rest
    shown = BINARY + ((PROBABILITY if two else PROBABILITY[2:]) if ranking.probabilities else ())
    limit = given["threshold"]
    counts: Any = ranking if limit is None else threshold_lines(data, limit, positive)
    return Subject(counts, tuple((name, {}) for name in shown), score, limit is not None)


def _said_positive(metrics: list[str] | None, named: Label | None) -> Label | None:
    """The class that scores are of: as signatures say it, who must agree with --positive."""
    said = [Definition.parse(text).positive for text in metrics or [] if read(text)[2]]
    for label in said:
        if label is not None and named is not None and label != named:
            raise DefinitionError(
                f"the scores of one column are of one class: {named!r} or {label!r}?"
            )
        named = named if label is None else label
    return named


def _probabilities(
    sources: list[str], own: dict[str, Any], labels: list[Label] | None, given: dict[str, Any]
) -> Subject:
    names, columns = _probability_columns(given["probs"], labels)
    request = Request.of_scores(score=dict(zip(names, columns, strict=True)), **own)
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
    slices = scores.slices() if own["by"] else {}
    return _judged(scores, tuple(shown), {key: _judged(each) for key, each in slices.items()})


def _judged(
    scores: ClassScores,
    shown: tuple[tuple[str, dict[str, Any]], ...] = (),
    slices: Mapping[Key, Subject] = MappingProxyType({}),
) -> Subject:
    return Subject(decide(scores), shown, lambda each: score_lines(each, scores), True, slices)


def _probability_columns(probs: list[str], labels: list[Label] | None) -> tuple[Labels, list[str]]:
    parts = [each for text in probs for each in split_list(text)]
    pairs = [part.partition("=")[::2] for part in parts]
    columns = [found or name for name, found in pairs]
    texts = [name for name, _ in pairs]
    known = labels is not None and Labels(labels).kind == "str"
    names = Labels(texts if known else from_text(texts))
    if len(names) < 2:
        raise InputError(f"--probs needs a column for each class; got {', '.join(parts)}")
    unknown = next((x for x in names if labels is not None and x not in Labels(labels)), None)
    if unknown is not None:
        raise LabelError(f"{unknown!r} among --probs is not one of --labels {labels!r}")
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
    """The scores' own metrics, then the usual report of what they decide; or the chosen ones."""
    if chosen is not None:
        counted = [(n, d) for n, d in chosen if d.declaration.kind in (*COUNTED, "items")]
        scored = [(n, subject.score(d)) for n, d in chosen if (n, d) not in counted]
        for _, definition in counted[:1]:
            if not subject.decided:
                subject.evaluate(definition)
        report = chosen_report(source, subject.counts, counted)
        return replace(report, scores=(*scored, *report.scores))
    wanted = [define_fitting(name, {**options, **own}) for name, own in subject.summary]
    scores = tuple((title(each), subject.score(each)) for each in wanted)
    if not subject.decided:
        return Report(source, subject.counts, (), scores, None)
    report = full_report(source, subject.counts, options)
    return replace(report, scores=(*scores, *report.scores))
