"""From columns of scores that stay where they are to a Score: groups and sums are all that is read.

A ranking has a line for each distinct score, or for each combination of scores where several
columns must be seen together; a loss has its sums, in a line for each cluster.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf, isfinite, sqrt
from typing import Any

import numpy as np

from whichf1.definitions.definition import Definition
from whichf1.definitions.methods import Bootstrap
from whichf1.errors import DefinitionError, InputError
from whichf1.scoring.items import (
    ScoredItems,
    mean_items,
    means_over_classes,
    one_ranking,
    over_classes,
    read_items,
    refuse_positive,
    sampled,
    scaled,
    settled,
    with_parameters,
)
from whichf1.scoring.score import Score
from whichf1.scoring.scores import (
    evaluate_scores,
    mean_over_classes,
    score_items,
    score_moments,
    score_ranking,
)
from whichf1.sources.answers.class_scores import ClassScores, Sums
from whichf1.sources.answers.scores import Scored, read_scores
from whichf1.sources.clusters import cluster_codes
from whichf1.sources.count import has_columns
from whichf1.sources.engines.frame_kinds import in_memory
from whichf1.sources.rank import rank_lines, ranking_of
from whichf1.sources.scores import positive_class
from whichf1.sources.sought import Sought
from whichf1.sources.systems import ScoreColumns
from whichf1.statistics.intervals import interval_of, refuse_other
from whichf1.statistics.means import Means
from whichf1.statistics.sample import Sample, kinds
from whichf1.statistics.scales import Spread
from whichf1.tables.cells import Array
from whichf1.tables.labels import Labels
from whichf1.tables.moments import Moments, beyond_rounding


def evaluate_columns(
    definition: Definition,
    data: Any,
    predictions: Any,
    labels: Any,
    weights: Any,
    cluster: Any,
    **named: Any,
) -> Score:
    """Run a definition on the columns of a dataframe or file."""
    metric = definition.declaration
    if not has_columns(data):
        raise InputError("true= and score= name the columns of a frame or file; arrays have none")
    if "pred" in named or metric.kind == "label ranking":
        what = "a matrix of scores" if metric.kind == "label ranking" else "scores: score=COLUMN"
        raise DefinitionError(f"{metric.name} is computed from {what}")
    sought = Sought.of(labels=labels, weights=weights, cluster=cluster, **named)
    if in_memory(data):
        fair = metric.probabilities and sought.several
        return _of_memory(definition, read_scores(data, predictions, sought, fair=fair))
    if sought.several:
        own = ClassScores(data, predictions, sought, fair=metric.probabilities)
        return score_classes(definition, own)
    return score_column(definition, data, predictions, sought)


def _of_memory(definition: Definition, found: Scored) -> Score:
    scores = found.scores[:, 0] if found.scores.shape[1] == 1 else found.scores
    own = {"labels": found.labels, "weights": found.weights, "cluster": found.cluster}
    return evaluate_scores(definition, found.true, scores, **own)


def score_column(definition: Definition, data: Any, predictions: Any, sought: Sought) -> Score:
    """The score of one column, which is of one class."""
    apart = needs_items(definition, sought)
    lines = read_scores(data, predictions, sought, apart=apart)
    return score_lines(definition, lines, apart=apart)


def needs_items(definition: Definition, sought: Sought) -> bool:
    """Whether it matters which items have which weight or cluster, and not only their sums."""
    ranked = definition.declaration.kind == "ranking" and definition.interval is None
    return sought.cluster is not None or (sought.weights is not None and not ranked)


def score_lines(definition: Definition, lines: Scored, *, apart: bool) -> Score:
    """The score of lines, each of which stands for items that are alike."""
    if definition.declaration.kind == "ranking" and not apart:
        if means_over_classes(definition):
            raise DefinitionError(
                f"{definition.signature} is a mean over classes: give a column of scores for each"
            )
        return score_ranking(definition, rank_lines(lines, definition.positive))
    own, items = items_of_lines(definition, lines)
    return score_items(own, items)


def items_of_lines(definition: Definition, lines: Scored) -> tuple[ScoredItems, Sample]:
    """The lines as items of which a score can be computed."""
    lines = lines.single()
    scores = lines.scores[:, 0] if lines.scores.shape[1] == 1 else lines.scores
    (own,), items = _alike([read_items(definition, lines.true, scores, lines.labels)], lines)
    return own, items


def _alike(own: Sequence[ScoredItems], lines: Scored) -> tuple[list[ScoredItems], Sample]:
    """What systems say of lines as kinds of items, however an engine has ordered them."""
    sample = sampled(own[0], lines.weights, lines.cluster, lines.items)
    statistics, sample = kinds([each.statistic for each in own], sample)
    pairs = zip(own, statistics, strict=True)
    alike = [replace(each, statistic=kind, stratum=sample.stratum) for each, kind in pairs]
    return alike, sample


def items_of_systems(
    definition: Definition, columns: ScoreColumns
) -> tuple[list[ScoredItems], Sample]:
    """The items of several systems, those that are alike to all of them as one kind."""
    metric, sought = definition.declaration, columns.sought
    source = (columns.data, columns.predictions)
    width, *others = {len(found) for found in columns.systems.values()}
    derived = not others and width > 1 and not in_memory(columns.data)
    if metric.kind == "ranking":
        derived = derived and metric.probabilities and over_classes(definition, width)
    if derived:
        return _derived_items(definition, ClassScores(*source, sought, fair=metric.probabilities))
    return items_of_each(definition, columns, read_scores(*source, sought, apart=True))


def items_of_each(
    definition: Definition, columns: ScoreColumns, lines: Scored
) -> tuple[list[ScoredItems], Sample]:
    """The same from lines with the scores of all systems."""
    lines = lines.single()
    own = [
        read_items(definition, lines.true, scores, lines.labels)
        for scores in _of_each(lines.scores, columns)
    ]
    return _alike(own, lines)


def _of_each(scores: Array, columns: ScoreColumns) -> Iterator[Array]:
    at = 0
    for found in columns.systems.values():
        yield scores[:, at] if len(found) == 1 else scores[:, at : at + len(found)]
        at += len(found)


def _derived_items(definition: Definition, scores: ClassScores) -> tuple[list[ScoredItems], Sample]:
    """What columns for each class come to: a number, or whether the best class is right."""
    names = scores.labels
    if definition.declaration.kind == "loss":
        definition = scaled(refuse_positive(definition), names)
        lines = scores.values(definition.metric, definition.arguments).single()
        return _alike([mean_items(definition, each, names) for each in lines.scores.T], lines)
    definition = with_parameters(definition, multi_class="top-label")
    lines = scores.top_labels(apart=True).single()
    pairs = zip(lines.scores.T[::2], lines.scores.T[1::2], strict=True)
    return _alike([one_ranking(definition, top, hit > 0, names) for hit, top in pairs], lines)


def score_classes(definition: Definition, scores: ClassScores) -> Score:
    """The score of a column for each class."""
    metric, names = definition.declaration, scores.labels
    if metric.kind != "ranking":
        return _score_loss(scaled(refuse_positive(definition), names), scores)
    if definition.positive is not None or (len(names) == 2 and not means_over_classes(definition)):
        return _score_one(definition, scores)
    if metric.probabilities:
        return _score_top_labels(with_parameters(definition, multi_class="top-label"), scores)
    definition = settled(definition, names)
    if definition.interval is None and scores.sought.cluster is None:
        return mean_over_classes(definition, scores.of_class, names)
    return score_items(*items_of_lines(definition, scores.joint()))


def _score_one(definition: Definition, scores: ClassScores) -> Score:
    """One class against the rest, by its own column."""
    own = positive_class(scores.labels, definition.positive)
    apart = needs_items(definition, scores.sought)
    lines = scores.column(own, apart=apart)
    return score_lines(replace(definition, positive=own), lines, apart=apart)


def _score_top_labels(definition: Definition, scores: ClassScores) -> Score:
    """Whether the best class is right, by its probability."""
    if not needs_items(definition, scores.sought):
        lines = scores.top_labels(apart=False)
        hit, top = lines.scores[:, 0] > 0, np.ascontiguousarray(lines.scores[:, 1])
        ranking = ranking_of(top, hit, lines.items, lines.weights, scores.labels, True)
        return score_ranking(definition, ranking)
    (own,), items = _derived_items(definition, scores)
    return score_items(own, items)


def _score_loss(definition: Definition, scores: ClassScores) -> Score:
    parameters = definition.arguments
    if isinstance(definition.interval, Bootstrap) and scores.sought.cluster is None:
        (own,), items = _derived_items(definition, scores)
        return score_items(own, items)
    sums = scores.sums(definition.metric, parameters)
    if scores.sought.cluster is not None:
        return _score_clusters(definition, sums, scores)
    if scores.sought.weights is None:
        return score_moments(definition, _moments(definition, sums, scores))
    return _score_weighted(definition, sums, scores.labels)


def _score_clusters(definition: Definition, sums: Sums, scores: ClassScores) -> Score:
    """A cluster is drawn whole: of its items, the sums are all that matters."""
    codes = cluster_codes(sums.cluster, len(sums.cluster))  # one may be in several slices
    table = np.zeros((codes.max() + 1, sums.table.shape[1]))
    np.add.at(table, codes, sums.table)
    _, w, ww, wv, *_ = table[table[:, 1] > 0].T
    own = mean_items(definition, wv / w, scores.labels)
    weighted = scores.sought.weights is not None
    count, squares = (w, ww) if weighted else (w.astype(np.int64), None)
    return score_items(own, Sample(count, squares, np.arange(len(w))))


def _score_weighted(definition: Definition, sums: Sums, names: Labels) -> Score:
    """A weighted mean, and its error from the sums of w, w², wv, w²v and w²v²."""
    refuse_other(definition)
    _, w, ww, wv, wwv, wwvv = sums.table.sum(0).tolist()
    if not w:
        raise InputError("the weights add up to 0: give items a weight above 0")
    mean = wv / w
    square = wwvv - 2 * mean * wwv + mean**2 * ww
    error = sqrt(beyond_rounding(square, wwvv)) / w if isfinite(square) else inf
    interval = interval_of(definition, mean, Spread(error))
    return Score(mean, definition, w, names, interval, (("weighted", True),))


def moments_of_columns(
    definition: Definition, data: Any, predictions: Any, **named: Any
) -> Moments:
    """The sums of a loss over the items of a frame or file."""
    metric, sought = definition.declaration, Sought.of(**named)
    if sought.weights is not None or sought.cluster is not None:
        raise InputError("moments are sums over single items: leave weights= and cluster= out")
    if sought.several and not in_memory(data):
        scores = ClassScores(data, predictions, sought, fair=metric.probabilities)
        definition = scaled(refuse_positive(definition), scores.labels)
        sums = scores.sums(definition.metric, definition.arguments)
        return _moments(definition, sums, scores)
    lines = read_scores(data, predictions, sought, fair=metric.probabilities and sought.several)
    own, items = items_of_lines(definition, lines)
    assert isinstance(own.statistic, Means)
    each, count = own.statistic.each, items.count
    total, squares = float(count @ each), float(count @ each**2)
    of = own.definition
    return Moments(
        of.metric, of.parameters, own.labels, of.positive, int(count.sum()), total, squares
    )


def _moments(definition: Definition, sums: Sums, scores: ClassScores) -> Moments:
    n, _, _, total, _, squares = sums.table.sum(0).tolist()
    of = (definition.metric, definition.parameters, scores.labels, None)
    return Moments(*of, int(n), total, squares)
