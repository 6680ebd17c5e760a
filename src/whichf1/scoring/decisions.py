"""Scores → predictions → Counts: a threshold, the best class, or the k best classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import inf
from typing import Any

import numpy as np

from whichf1 import kernel
from whichf1.errors import DefinitionError, InputError, ShapeError, is_among, is_number
from whichf1.sources.answers.lines import ClassScores, read_scores
from whichf1.sources.lines import ScoredLines
from whichf1.sources.request import Request, has_columns, in_memory
from whichf1.sources.sequences import clusters_of, squared
from whichf1.tables.cells import Array, Ties
from whichf1.tables.counts import Counts
from whichf1.tables.label_sets import MultiLabelCounts, outcomes
from whichf1.tables.labels import Label, Labels
from whichf1.tables.ranking import Ranking
from whichf1.tables.units import NOTES


def at_threshold(
    y_true: Any,
    scores: Any = None,
    threshold: float | None = None,
    *,
    positive: Any = None,
    labels: Any = None,
    weights: Any = None,
    frequencies: Any = None,
    cluster: Any = None,
    **columns: Any,
) -> Counts:
    """Count predictions that are positive if the score reaches the threshold.

    y_true (array, Ranking, dataframe or path): The true class of each item, or all of the data.
    threshold: The threshold. If it is outside the range of the scores, the signature says so.
    Returns: The counts of the predictions; signatures of their scores state the decision rule.
    DefinitionError: If the threshold is missing or not a number.

    >>> at_threshold([0, 0, 1, 1], [0.2, 0.7, 0.7, 0.9], 0.7).matrix
    array([[1, 1],
           [0, 2]])
    """
    if threshold is None and isinstance(scores, (int, float)) and has_columns(y_true):
        scores, threshold = None, scores  # with a frame or file, the threshold comes second
    limit = _threshold(threshold)
    if isinstance(y_true, Ranking):
        if scores is not None:
            raise InputError("a Ranking already holds its scores: pass the threshold as threshold=")
        return _from_ranking(y_true, limit)
    data = {"labels": labels, "weights": weights, "frequencies": frequencies, "cluster": cluster}
    lines = _read(y_true, scores, data, columns)
    return threshold_lines(lines, limit, positive, declared=labels is not None)


def _read(
    y_true: Any, scores: Any, data: Mapping[str, Any], columns: Mapping[str, Any]
) -> ScoredLines:
    """The scores of arrays, or of a dataframe or file."""
    if has_columns(y_true):
        return read_scores(y_true, scores, Request.of_scores(**data, **columns))
    if columns:
        names = ", ".join(f"{name}=" for name in columns)
        raise InputError(f"arrays have no columns, and are not read from a file: omit {names}")
    return ScoredLines.of(y_true, scores, **data)


def threshold_lines(lines: ScoredLines, threshold: Any, positive: Any, *, declared: bool) -> Counts:
    """``at_threshold`` for scores that were already read."""
    threshold = _threshold(threshold)
    above, label = lines.against_rest(positive)
    code = _two_classes(above.labels).code(label)
    seen = above.scores if above.weights is None else above.scores[above.weights > 0]
    ends = float(seen.min(initial=inf)), float(seen.max(initial=-inf))
    decision = decision_text(label, threshold, *ends)
    true, guessed = above.true.astype(np.uint8), (above.scores >= threshold).astype(np.uint8)
    if code == 0:
        true, guessed = 1 - true, 1 - guessed
    return _decided(above._replace(true=true), guessed, decision, declared)


def decide_systems(
    lines: ScoredLines, systems: Sequence[str], threshold: Any, positive: Any, *, declared: bool
) -> Counts:
    """Joint counts of systems with a column of scores each, turned into classes by a threshold."""
    limit = _threshold(threshold)
    above, label = lines._replace(scores=lines.scores[:, 0]).against_rest(positive)
    code = _two_classes(above.labels).code(label)
    sides = [above.true.astype(np.intp), *(limit <= lines.scores.T).astype(np.intp)]
    true, *guessed = sides if code == 1 else [1 - side for side in sides]
    facts: dict[str, Any] = {"declared": declared, "decision": f"{label!r} if score>={limit!r}"}
    if lines.cluster is not None:
        facts["cluster"], facts["cluster_names"] = clusters_of(lines.cluster, len(true))
    count, facts["squares"] = measured(lines)
    return Counts(above.labels, true, tuple(guessed), count, systems=tuple(systems), **facts)


def _decided(lines: ScoredLines, guessed: Array, decision: str, declared: bool = True) -> Counts:
    """Counts of lines with the codes of their classes, true and predicted."""
    facts: dict[str, Any] = {"declared": declared, "decision": decision}
    if lines.items is not None or lines.cluster is not None:  # lines may be alike
        if lines.cluster is not None:
            facts["cluster"], facts["cluster_names"] = clusters_of(lines.cluster, len(guessed))
        count, facts["squares"] = measured(lines)
        cells = (lines.true.astype(np.intp), guessed.astype(np.intp), count)
        return Counts(lines.labels, *cells, **facts)
    pairs = kernel.count_pairs(lines.true, guessed, lines.weights)
    if lines.weights is not None:  # intervals need the squares of weights
        facts["squares"] = kernel.count_pairs(lines.true, guessed, squared(lines.weights)).count
    return Counts(lines.labels, *pairs.own_labels(), pairs.count, **facts)


def measured(lines: ScoredLines) -> tuple[Array, Array | None]:
    """Items or the sum of their weights in each line, and the sum of squared weights."""
    if lines.squares is not None:  # already summed
        return lines.weights, lines.squares
    count = np.ones(len(lines.true), np.int64) if lines.items is None else lines.items
    if lines.weights is None:
        return count, None
    return count * lines.weights, count * squared(lines.weights)


def decide_label_sets(lines: ScoredLines, threshold: Any) -> MultiLabelCounts:
    """Counts of sets of labels: every label whose score reaches the threshold is predicted."""
    limit, width = _threshold(threshold), lines.width
    keys, chosen = np.flatnonzero(lines.true), np.flatnonzero(lines.scores >= limit)
    facts: dict[str, Any] = {"declared": True, "decision": f"score>={limit!r}"}
    if lines.cluster is not None:
        facts["cluster"], facts["cluster_names"] = clusters_of(lines.cluster, len(lines.true))
    count, facts["squares"] = measured(lines)
    counts = MultiLabelCounts(lines.labels, outcomes(keys, [chosen], width), count, **facts)
    return counts if lines.weights is None else counts.observed()  # weight 0 is no item


def _threshold(value: Any) -> float:
    with suppress(OverflowError):  # a whole number beyond all floats
        if is_number(value) and not np.isnan(float(value)):
            return float(value)
    raise DefinitionError(f"threshold must be a number; got {value!r}")


def decision_text(positive: Label, threshold: float, lowest: float, highest: float) -> str:
    """The rule, with a note if it decides the same for all items."""
    note = NOTES[0] if threshold > highest else NOTES[1] if threshold < lowest else ""
    return f"{positive!r} if score>={threshold!r}{note}"


def _two_classes(names: Labels) -> Labels:
    if len(names) != 2:
        raise ShapeError(
            f"a threshold decides between two classes; there are {len(names)}: "
            f"{list(names[:6])!r}. Declare two with labels=, or use at_argmax for several."
        )
    return names


def _from_ranking(ranking: Ranking, threshold: Any) -> Counts:
    names, threshold = _two_classes(ranking.labels), _threshold(threshold)
    if ranking.resolution is not None:
        raise InputError(
            "the scores of this ranking are rounded into bins: apply the threshold to the scores"
        )
    positive, above = names.code(ranking.positive), ranking.score >= threshold
    true, guessed = np.repeat([0, 1], 2), np.tile([0, 1], 2)
    count = []
    for code, guess in zip(true, guessed, strict=True):
        side = ranking.positives if code == positive else ranking.negatives
        count.append(side[above == (guess == positive)].sum())
    ends = float(ranking.score[-1]), float(ranking.score[0])
    decision = decision_text(ranking.positive, threshold, *ends)
    counted = np.array(count, np.float64 if ranking.weighted else np.int64)
    return Counts(names, true, guessed, counted, declared=False, decision=decision)


def at_argmax(
    y_true: Any,
    scores: Any = None,
    *,
    labels: Any = None,
    weights: Any = None,
    frequencies: Any = None,
    cluster: Any = None,
    ties: Ties = "first",
    **columns: Any,
) -> Counts:
    """Count predictions that are the class with the highest score.

    scores: The scores of each item, a column for each class.
    ties: Which of several equal scores wins: that of the first or the last class in label order.
    Returns: The counts of the predictions; signatures of their scores state the decision rule.
    DefinitionError: If ``ties`` is not 'first' or 'last'.

    >>> at_argmax([0, 1, 2], [[0.5, 0.5, 0], [0.1, 0.8, 0.1], [0.4, 0.4, 0.2]]).matrix
    array([[1, 0, 0],
           [0, 1, 0],
           [1, 0, 0]])
    """
    options = {"labels": labels, "weights": weights, "frequencies": frequencies, **columns}
    return at_top_k(y_true, scores, 1, cluster=cluster, ties=ties, **options)


def at_top_k(
    y_true: Any,
    scores: Any = None,
    k: int | None = None,
    *,
    labels: Any = None,
    weights: Any = None,
    frequencies: Any = None,
    cluster: Any = None,
    ties: Ties = "first",
    **columns: Any,
) -> Counts:
    """Count predictions as correct if the true class is among the k highest scores.

    Other items count as predicted to be the class with the highest score.

    scores: The scores of each item, a column for each class.
    k: How many of the highest scores to consider.
    ties: Which of several equal scores ranks first, as in ``top_k_accuracy``.
    Returns: The counts of the predictions; signatures of their scores state the decision rule.
    DefinitionError: If ``k`` or ``ties`` is out of range.

    >>> at_top_k([0, 2], [[0.2, 0.5, 0.3], [0.6, 0.3, 0.1]], k=2).matrix
    array([[0, 1, 0],
           [0, 0, 0],
           [1, 0, 0]])
    """
    if k is None and isinstance(scores, int) and has_columns(y_true):
        scores, k = None, scores  # with a frame or file, k comes second
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise DefinitionError(f"k must be a whole number of at least 1; got {k!r}")
    if not is_among(ties, ("first", "last")):
        raise DefinitionError(f"ties must be 'first' or 'last'; got {ties!r}")
    data = {"labels": labels, "weights": weights, "frequencies": frequencies, "cluster": cluster}
    if has_columns(y_true) and not in_memory(y_true):
        request = Request.of_scores(**data, **columns)
        return decide(ClassScores(y_true, scores, request, fair=False), int(k), ties)
    return decide(_read(y_true, scores, data, columns), int(k), ties)


def decide(scores: ScoredLines | ClassScores, k: int = 1, ties: Ties = "first") -> Counts:
    """``at_top_k`` for scores that were already read."""
    lines = scores.decisions(k, ties)
    rule = "argmax" if k == 1 else f"top-{k}"
    return _decided(lines, lines.scores, f"{rule},ties={ties}")
