"""Subject: what is scored, whatever its source, and which scores it has by default."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from whichf1.definitions.definition import Definition, define_fitting
from whichf1.definitions.options import Average
from whichf1.definitions.signature import write
from whichf1.errors import DefinitionError, InputError
from whichf1.metrics import COUNTED
from whichf1.scoring.decisions import (
    at_threshold,
    decide,
    decide_label_sets,
    measured,
    threshold_lines,
)
from whichf1.scoring.evaluate import evaluate
from whichf1.scoring.label_sets import with_labels
from whichf1.scoring.lines import Scores, score_lines, score_moments, score_ranking, sum_losses
from whichf1.scoring.score import PerClass, Score
from whichf1.sources.answers.lines import ClassScores, read_scores
from whichf1.sources.counts import as_counts, count, count_by, count_kept
from whichf1.sources.label_sets import count_multilabel
from whichf1.sources.lines import ScoredLines, classes_of, lines_of, positive_class, rank_lines
from whichf1.sources.request import (
    Request,
    are_sets,
    has_columns,
    in_memory,
    refuse_both,
    refuse_holder,
)
from whichf1.sources.sequences import (
    cluster_column,
    column,
    frequencies_column,
    slices_of_arrays,
    to_numpy,
)
from whichf1.tables.cells import Array
from whichf1.tables.labels import Label, Labels
from whichf1.tables.moments import Moments
from whichf1.tables.ranking import Ranking
from whichf1.tables.records import dataclass
from whichf1.tables.slices import Key, Slices
from whichf1.tables.units import worth

Usual: TypeAlias = tuple[tuple[str, Average | None], ...]
"""Metrics that are reported without being asked for, and how each is averaged."""


def _plain(*names: str) -> Usual:
    return tuple((name, None) for name in names)


BINARY = _plain("roc_auc", "average_precision")
PROBABILITY = _plain("log_loss", "brier", "expected_calibration_error")
SEVERAL = _plain("log_loss", "brier", "expected_calibration_error(multi_class=top-label)")
MEANS: Usual = (("roc_auc(multi_class=ovr)", "macro"), ("roc_auc(multi_class=ovo)", "macro"))
_AVERAGES: tuple[Average | None, ...] = (None, "macro", "micro")
LABEL_RANKINGS: Usual = (
    *((name, average) for average in _AVERAGES for name, _ in BINARY),
    *_plain("label_ranking_average_precision", "label_ranking_loss", "ndcg"),
    *_plain("coverage_error", "one_error"),
)
LABEL_LOSSES: Usual = tuple((name, "macro") for name, _ in PROBABILITY)


class Extent(NamedTuple):
    """How many items have sets of labels that nothing is predicted of, and what they may have."""

    n: int | float
    labels: Labels
    support: Array
    """How many items have each label."""
    squares: float | None = None
    """The sum of squared weights, if there are weights."""

    @property
    def weighted(self) -> bool:
        """Whether items have weights."""
        return self.squares is not None

    @property
    def effective_n(self) -> float:
        """How many equal items the weighted ones are worth."""
        return worth(self.n, self.squares or 0.0)


@dataclass(frozen=True)
class Subject:
    """What was read, and from what its scores are computed."""

    counts: Any
    """Counts, or label sets; a Ranking, or the Extent of label sets, if nothing turns scores into
    predictions."""
    score: Callable[[Definition], Score]
    """A function that runs a definition that needs scores."""
    summary: Usual = ()
    """The metrics of the scores themselves."""
    decided: bool = True
    """Whether there are predictions."""
    slices: Mapping[Key, Subject] = field(default_factory=dict)
    by: tuple[str, ...] = ()
    """The columns that define the slices."""
    ranking: Ranking | None = None
    """The items in the order of their scores, if there is one score for each."""
    sets: bool = False
    """Whether there are scores of sets of labels, of which an average must be chosen."""
    incomplete: bool = False
    """Whether there is nothing to rank for some of the labels, which all items have or none."""
    unfair: bool = False
    """Whether scores are outside [0, 1], so that the summary leaves out losses of probabilities."""

    def usual(self, options: Mapping[str, Any]) -> list[Definition]:
        """The metrics of the scores themselves, with the options that apply to each."""
        definitions = []
        for name, mean in self.summary:
            definition = define_fitting(name, options)
            if mean is not None:
                definition = replace(definition, average=mean)
            elif self.incomplete and definition.undefined is None and self.is_per_class(definition):
                definition = replace(definition, undefined="nan")
            definitions.append(definition)
        return definitions

    def define(
        self,
        metric: Any,
        options: Mapping[str, Any],
        make: Callable[[Any, dict[str, Any]], Definition] | None = None,
    ) -> Definition:
        """A metric with the options that apply to it, or with those that ``make`` accepts.

        If there is a score for each item, ``positive`` is the class of the scores: a metric that
        has no positive class, or an average, does not get it.
        """
        make = make or partial(define_fitting, sets=self.sets)
        if self.ranking is not None and options.get("positive") is not None:
            definition = make(metric, {k: v for k, v in options.items() if k != "positive"})
            settled = (definition.average, definition.positive) != (None, None)
            if settled or "positive" not in definition.applicable:
                return definition
        return make(metric, dict(options))

    def is_per_class(self, definition: Definition) -> bool:
        """Whether the definition gives one number for each class."""
        metric = definition.declaration
        of_one = metric.kind == "rate" or (self.sets and metric.over_labels)
        return of_one and definition.average is None and definition.positive is None

    def per_class(self, definition: Definition) -> PerClass:
        """Run a definition on every label, each of which is there or not."""
        labels = self.counts.labels
        each = [self.score(replace(definition, positive=label)) for label in labels]
        return PerClass.of(definition, labels, each)

    def evaluate(self, definition: Definition) -> Score:
        """Run any definition on the data that it needs."""
        if not is_counted(definition) or isinstance(self.counts, Moments):
            return self.score(definition)
        if not self.decided:
            best = "" if self.sets else ", or find the best one with: whichf1 threshold"
            raise DefinitionError(
                f"{definition.metric} needs predictions: pass the lowest score of a positive item "
                f"with --threshold{best}"
            )
        return evaluate(definition, self.counts)


def is_counted(definition: Definition) -> bool:
    """Whether a definition is computed from predictions."""
    return definition.declaration.kind in (*COUNTED, "items")


def of_counts(counts: Any) -> Subject:
    """Predictions, or label sets."""
    return Subject(counts, lambda definition: evaluate(definition, counts))


def of_slices(counts: Slices) -> Subject:
    """Predictions, or label sets, of each slice."""
    parts = {key: of_counts(part) for key, part in counts.items()}
    return replace(of_counts(counts.whole), slices=parts, by=counts.by)


def of_lines(
    lines: ScoredLines, positive: Label, threshold: float | None = None, *, declared: bool
) -> Subject:
    """Scores of one class, which a threshold may turn into predictions."""
    ranking = rank_lines(lines, positive)

    def score(definition: Definition) -> Score:
        return score_lines(replace(definition, positive=positive), lines)

    unfair = not ranking.probabilities
    two = len(lines.labels) == 2  # a loss has no rest class
    summary = BINARY + ((PROBABILITY if two else PROBABILITY[2:]) if ranking.probabilities else ())
    if threshold is None:
        return Subject(ranking, score, summary, decided=False, ranking=ranking, unfair=unfair)
    decided = threshold_lines(lines, threshold, positive, declared=declared)
    return Subject(decided, score, summary, ranking=ranking, unfair=unfair)


def of_line_slices(
    lines: ScoredLines,
    positive: Label,
    threshold: float | None = None,
    by: Sequence[str] = (),
    *,
    declared: bool,
) -> Subject:
    """Scores of one class, whole and in the slices that their lines were read for."""
    scored = partial(of_lines, positive=positive, threshold=threshold, declared=declared)
    slices = {key: scored(lines.of_slice(at)) for at, key in enumerate(lines.keys)}
    return replace(scored(lines), slices=slices, by=tuple(by))


def of_classes(scores: Scores) -> Subject:
    """Scores of every class; the highest is the prediction."""
    counts, several = decide(scores), scores.width > 2
    summary = (*SEVERAL, *_plain("top_k_accuracy")) if several else SEVERAL
    if len(set(counts.true.tolist())) == scores.width:  # each class has items with weight
        summary += MEANS if several else MEANS[:1]
    return Subject(counts, lambda definition: score_lines(definition, scores), summary)


def of_class_slices(scores: Scores, by: Sequence[str] = ()) -> Subject:
    """Scores of every class, whole and in slices."""
    parts: Mapping[Key, Scores] = {}
    if by and isinstance(scores, ClassScores):
        parts = scores.slices()
    elif isinstance(scores, ScoredLines):
        parts = {key: scores.of_slice(at) for at, key in enumerate(scores.keys)}
    slices = {key: of_classes(part) for key, part in parts.items()}
    return replace(of_classes(scores), slices=slices, by=tuple(by))


def of_label_sets(lines: ScoredLines, threshold: float | None = None) -> Subject:
    """Scores of every label of items with sets of labels, which a threshold may turn into sets."""
    present = lines if lines.weights is None else lines.at(np.flatnonzero(lines.weights))
    true, scores = present.true, present.scores
    rankings, incomplete = LABEL_RANKINGS, False
    if not true.any() or true.all():
        rankings = rankings[6:]  # there is nothing to rank
    elif incomplete := bool(not true.any(0).all() or true.all(0).any()):
        rankings = rankings[:2] + rankings[4:]  # without a mean over all labels
    fair = bool(((scores >= 0) & (scores <= 1)).all())
    summary = (*rankings, *(LABEL_LOSSES if fair else ()))
    count, squares = measured(lines)
    total = None if squares is None else float(squares.sum())
    extent = Extent(count.sum().item(), lines.labels, count @ lines.true, total)
    subject = Subject(
        extent,
        lambda x: score_lines(x, lines),
        summary,
        decided=False,
        sets=True,
        incomplete=incomplete,
        unfair=not fair,
    )
    if threshold is None:
        return subject
    return replace(subject, counts=decide_label_sets(lines, threshold), decided=True)


def of_label_slices(
    lines: ScoredLines, threshold: float | None = None, by: Sequence[str] = ()
) -> Subject:
    """Scores of every label, whole and in the slices that their lines were read for."""
    slices = {
        key: of_label_sets(lines.of_slice(at), threshold) for at, key in enumerate(lines.keys)
    }
    return replace(of_label_sets(lines, threshold), slices=slices, by=tuple(by))


def of_values(lines: ScoredLines, by: Sequence[str] = ()) -> Subject:
    """Values that items have, whole and in the slices that their lines were read for."""

    def valued(lines: ScoredLines) -> Subject:
        sums = sum_losses(Definition(metric="mean_value"), lines)
        mean = partial(score_lines, scores=lines)
        return Subject(sums, mean, _plain("mean_value"), decided=False)

    slices = {key: valued(lines.of_slice(at)) for at, key in enumerate(lines.keys)}
    return replace(valued(lines), slices=slices, by=tuple(by))


def of_scores(
    y_true: Any,
    predictions: Any,
    scores: Any,
    data: Mapping[str, Any],
    positive: Any = None,
    threshold: float | None = None,
) -> Subject:
    """Scores in arrays, or in the columns of a dataframe or file that ``data`` names."""
    read: Scores
    by = data.get("by", ())
    if scores is None:
        request = Request.of_scores(**data)
        if request.several and not in_memory(y_true):
            read = ClassScores(y_true, predictions, request, fair=True)
        else:
            apart = request.weights is not None or request.cluster is not None
            read = read_scores(y_true, predictions, request, apart=apart, fair=request.several)
    elif predictions is not None or data.get("score") is not None or has_columns(y_true):
        raise InputError("scores= is for arrays, instead of predictions; name columns with score=")
    elif by and not isinstance(by, Mapping):
        raise InputError("by= names columns of a dataframe or file")
    else:
        read = _lines_of_arrays(y_true, scores, by, {k: v for k, v in data.items() if k != "by"})
    if read.sets and isinstance(read, ScoredLines):
        if positive is not None:
            raise InputError("items have sets of labels, of which none is positive: omit positive=")
        return of_label_slices(read, threshold, by)
    if isinstance(read, ClassScores) or read.width > 1:
        if threshold is not None or positive is not None:
            raise InputError(
                "threshold= and positive= are for one score per item; these items have a score for "
                "every class, and the highest is predicted"
            )
        return of_class_slices(read, by)
    classes = classes_of(column(read.true, "y_true"), read.labels)
    declared = data.get("labels") is not None
    lines = read._replace(labels=[*classes])
    chosen = positive_class(classes, positive)
    return of_line_slices(lines, chosen, threshold, by, declared=declared)


def _lines_of_arrays(
    y_true: Any, scores: Any, by: Mapping[str, Any], data: dict[str, Any]
) -> ScoredLines:
    """Scores in arrays, and the slice of each item if there are any."""
    sets = getattr(y_true, "ndim", 2) > 1 and are_sets(y_true)
    times = data.pop("frequencies", None) if by else None
    lines = ScoredLines.of(y_true, scores, **data, sets=sets)
    lines = with_labels(lines) if sets else lines
    if not by:
        return lines
    keys, codes = slices_of_arrays(by, len(lines.scores))
    lines = lines._replace(keys=keys, slices=codes)
    if times is None:
        return lines
    refuse_both(data.get("weights"), times)
    if lines.cluster is not None:
        lines = lines._replace(cluster=cluster_column(lines.cluster, len(codes)).values)
    return lines.frequent(frequencies_column(times, len(codes)))


def subject_of(
    y_true: Any,
    y_pred: Any,
    scores: Any,
    threshold: float | None,
    data: dict[str, Any],
    chosen: Mapping[str, Any],
) -> Subject:
    """What is scored: a table, scores, or predictions.

    ``data["by"]`` names the columns of slices or, for arrays, maps their names to values.
    """
    if isinstance(y_true, (Ranking, Moments, Slices)):
        if any(x is not None for x in (y_pred, scores, *data.values())):
            raise InputError(f"a {type(y_true).__name__} holds all the data: pass it alone")
        return of_table(y_true, threshold)
    if scores is not None or data.get("score") is not None:
        return of_scores(y_true, y_pred, scores, data, chosen.get("positive"), threshold)
    if threshold is not None:
        raise InputError("threshold= is for scores: pass scores=, or score= for a column")
    ignore = chosen.get("ignore") or ()
    if isinstance(data.get("by"), Mapping):
        return of_slices(_slices_of_predictions(y_true, y_pred, data, ignore))
    if "by" in data:
        return of_slices(_slices_of_columns(y_true, y_pred, data, ignore))
    return of_counts(as_counts(y_true, y_pred, ignore=ignore, **data))


def _slices_of_columns(
    y_true: Any, y_pred: Any, data: dict[str, Any], ignore: Sequence[Any]
) -> Slices:
    """The counts of each slice, without the items of ignored classes."""
    columns = dict(data)
    measured = {"labels": columns.pop("labels", None)}
    ask: Any = partial(count_by, y_true, y_pred, **columns)
    slices: Any = count_kept(ask, measured, ignore) if ignore else ask(**measured)
    return slices  # type: ignore[no-any-return]


def _slices_of_predictions(
    y_true: Any, y_pred: Any, data: Mapping[str, Any], ignore: Sequence[Any]
) -> Slices:
    """The same for predictions in arrays; all slices have the classes of the whole."""
    by = data["by"]
    how = {key: value for key, value in data.items() if key != "by" and value is not None}
    if y_pred is None:
        refuse_holder(y_true)
        raise InputError(f"got {type(y_true).__name__} alone. Pass y_true and y_pred, or Slices.")
    sets = np.ndim(y_true) == 2 if isinstance(y_true, np.ndarray) else are_sets(y_true)
    counted: Any = count_multilabel if sets else partial(count, ignore=ignore)
    whole = counted(y_true, y_pred, **how)
    by_item = {x: how.pop(x) for x in ("weights", "frequencies", "cluster") if x in how}
    keys, codes = slices_of_arrays(by, len(y_true))
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(1, len(keys)))
    sides = [_taker(side) for side in (y_true, y_pred)]
    measures = {name: _taker(values) for name, values in by_item.items()}
    parts: dict[Key, Any] = {}
    for key, places in zip(keys, np.split(order, ends), strict=True):
        measured = {name: take(places) for name, take in measures.items()}
        pair = [take(places) for take in sides]
        part = counted(*pair, **{**how, "labels": whole.labels}, **measured)
        parts[key] = part.changed(declared=whole.declared)
    return Slices(tuple(by), parts)


def _taker(values: Any) -> Callable[[Array], Any]:
    """A function that selects some of the values, whatever holds them."""
    if isinstance(values, (list, tuple)):
        return lambda places: [values[at] for at in places.tolist()]
    array = to_numpy(values)
    return lambda places: array[places]


def of_table(table: Any, threshold: float | None = None) -> Subject:
    """A table counted earlier; a threshold turns a ranking into predictions."""
    match table:
        case Slices():
            parts = {key: of_table(part, threshold) for key, part in table.items()}
            return replace(of_table(table.whole, threshold), slices=parts, by=table.by)
        case Ranking():
            return _of_ranking(table, threshold)
        case Moments():
            arguments = {k: v for k, v in table.parameters if v is not None and k != "scale"}
            summary = _plain(write(table.metric, arguments, {}))
            return Subject(table, partial(_mean, table), summary, decided=False)
    return of_counts(table)


def _mean(table: Moments, definition: Definition) -> Score:
    if is_counted(definition) or definition.declaration.kind == "ranking":
        raise DefinitionError(f"these are sums of {table.metric}, not of {definition.metric}")
    return score_moments(replace(definition, positive=table.positive), table)


def _of_ranking(ranking: Ranking, threshold: float | None) -> Subject:
    """A ranking; if it has two classes, it keeps everything about its items except weights."""
    binned = ranking.resolution is not None
    if len(ranking.labels) == 2 and not ranking.weighted and not binned:
        lines = lines_of(ranking)
        return of_lines(lines, ranking.positive, threshold, declared=ranking.declared)

    def score(definition: Definition) -> Score:
        if definition.declaration.kind != "ranking":
            raise DefinitionError(f"{definition.metric} needs the items: score the original data")
        method = None if ranking.weighted else definition.interval  # no squared weights
        settled = replace(definition, positive=ranking.positive, interval=method)
        return score_ranking(settled, ranking)

    unfair = not ranking.probabilities
    summary = BINARY + (() if unfair or binned else PROBABILITY[2:])
    if threshold is None:
        return Subject(ranking, score, summary, decided=False, ranking=ranking, unfair=unfair)
    decided = at_threshold(ranking, threshold=threshold)
    return Subject(decided, score, summary, ranking=ranking, unfair=unfair)
