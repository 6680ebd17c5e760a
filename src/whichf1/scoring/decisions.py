"""Scores → predictions → Counts: a threshold, the best class, or the k best classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from whichf1 import kernel
from whichf1.errors import DefinitionError, InputError, ShapeError
from whichf1.sources.answers.class_scores import ClassScores
from whichf1.sources.answers.scores import Scored, read_scores
from whichf1.sources.count import has_columns
from whichf1.sources.engines.frame_kinds import in_memory
from whichf1.sources.rank import rank_lines
from whichf1.sources.scores import binary, items_of, predicted
from whichf1.sources.sequences import column, weights_column
from whichf1.sources.sought import Sought
from whichf1.tables.cells import Array, Ties
from whichf1.tables.counts import Counts
from whichf1.tables.labels import Label, Labels
from whichf1.tables.ranking import Ranking
from whichf1.tables.units import NOTES, cluster_labels


def at_threshold(
    y_true: Any,
    scores: Any = None,
    threshold: float | None = None,
    *,
    positive: Any = None,
    labels: Any = None,
    weights: Any = None,
    cluster: Any = None,
    **columns: Any,
) -> Counts:
    """Count the predictions 'positive if the score reaches the threshold'.

    Parameters
    ----------
    y_true : array, Ranking, dataframe or path
        The true class of each item; or a Ranking, a dataframe or the path of a file.
    scores : array, optional
        The score of each item.
    threshold : float
        The threshold. If it is outside the range of the scores, the signature says so.
    positive, labels, weights, cluster : optional
        As for :func:`rank` and :func:`count`.
    **columns
        The columns ``true`` and ``score`` of a dataframe or file, and how it is read.

    Returns
    -------
    Counts
        The counts of the predictions; signatures of their scores state the decision.

    Raises
    ------
    DefinitionError
        If the threshold is missing or not a number.
    InputError
        If the scores are malformed.

    Examples
    --------
    >>> at_threshold([0, 0, 1, 1], [0.2, 0.7, 0.7, 0.9], 0.7).matrix
    array([[1, 1],
           [0, 2]])
    """
    if threshold is None and isinstance(scores, (int, float)) and has_columns(y_true):
        scores, threshold = None, scores  # of a frame or file: the threshold comes second
    limit = _threshold(threshold)
    if isinstance(y_true, Ranking):
        if scores is not None:
            raise InputError("a Ranking holds its scores: pass threshold= by name")
        return _from_ranking(y_true, limit)
    given = {"labels": labels, "weights": weights, "cluster": cluster}
    if has_columns(y_true):
        apart = weights is not None or cluster is not None
        lines = read_scores(y_true, scores, Sought.of(**given, **columns), apart=apart)
        return threshold_lines(lines, limit, positive)
    if columns:
        raise InputError(f"at_threshold of arrays takes no {', '.join(f'{x}=' for x in columns)}")
    return _above(y_true, scores, limit, positive, **given)


def threshold_lines(lines: Scored, threshold: float, positive: Any) -> Counts:
    """The same of lines of items that are alike, in weight and cluster, too."""
    if lines.weights is None and lines.cluster is None:
        return _from_ranking(rank_lines(lines, positive), threshold)
    scores = lines.scores[:, 0] if lines.scores.shape[1] == 1 else lines.scores
    own = {"labels": lines.labels, "weights": lines.weights, "cluster": lines.cluster}
    return _above(lines.true, scores, threshold, positive, **own, times=lines.items)


def _above(
    y_true: Any, scores: Any, threshold: float, positive: Any, *, labels: Any, **counted: Any
) -> Counts:
    items, values, names, own = binary(y_true, scores, positive, labels)
    code = _two_classes(names).code(own)
    decision = decision_text(own, threshold, float(values.min()), float(values.max()))
    true = items_of(items, own).astype(np.uint8)
    above = (values >= threshold).astype(np.uint8)
    if code == 0:
        true, above = 1 - true, 1 - above
    return _decided(names, true, above, decision, **counted)  # 0 and 1 are codes of the classes


def _decided(
    names: Labels,
    true: Array,
    guessed: Array,
    decision: str,
    *,
    weights: Any = None,
    cluster: Any = None,
    times: Array | None = None,
) -> Counts:
    """Counts of items whose codes are known, with the squares of weights that intervals need."""
    weight = None if weights is None else weights_column(weights, len(true))
    if cluster is not None or times is not None:
        count = np.ones(len(true), np.int64) if times is None else times
        squares = None if weight is None else count * weight**2
        count = count if weight is None else count * weight
        return _summed(names, true, guessed, count, squares, cluster, decision)
    pairs = kernel.count_pairs(true, guessed, weight)
    squares = None if weight is None else kernel.count_pairs(true, guessed, weight**2).count
    own = {"declared": True, "decision": decision, "squares": squares}
    return Counts(names, *pairs.own_labels(), pairs.count, **own)  # type: ignore[arg-type]


def _summed(
    names: Labels,
    true: Array,
    guessed: Array,
    count: Array,
    squares: Array | None,
    cluster: Any,
    decision: str,
) -> Counts:
    """Counts of cells of which several may be alike."""
    codes = names_of = None
    if cluster is not None:
        groups = column(cluster, "cluster").values
        if len(groups) != len(true):
            raise ShapeError(f"there are {len(true):,} items, cluster has {len(groups):,} values")
        known, codes = np.unique(groups, return_inverse=True)
        names_of = cluster_labels(known.tolist())
        codes = names_of.codes(known.tolist())[codes]
    return Counts(
        names,
        true.astype(np.intp),
        guessed.astype(np.intp),
        count,
        squares=squares,
        cluster=codes,
        cluster_names=names_of,
        declared=True,
        decision=decision,
    )


def _threshold(value: Any) -> float:
    number = isinstance(value, (int, float, np.integer, np.floating))
    if not number or isinstance(value, bool) or np.isnan(value):
        raise DefinitionError(f"a threshold is a number; got {value!r}")
    return float(value)


def decision_text(positive: Label, threshold: float, lowest: float, highest: float) -> str:
    """The rule, and a note where it decides the same for all items."""
    note = NOTES[0] if threshold > highest else NOTES[1] if threshold < lowest else ""
    return f"{positive!r} if score>={threshold!r}{note}"


def _two_classes(names: Labels) -> Labels:
    if len(names) != 2:
        raise ShapeError(
            f"a threshold decides between two classes; there are {len(names)}: "
            f"{list(names[:6])!r}. Declare two with labels=, or use at_argmax for several."
        )
    return names


def _from_ranking(ranking: Ranking, threshold: float) -> Counts:
    names = _two_classes(ranking.labels)
    own = names.code(ranking.positive)
    above = ranking.score >= threshold
    cells = [
        (code, guess, side[chosen].sum())
        for code, side in ((own, ranking.positives), (1 - own, ranking.negatives))
        for guess, chosen in ((own, above), (1 - own, ~above))
    ]
    true, guessed, count = (np.array(part) for part in zip(*sorted(cells), strict=True))
    count = count.astype(np.float64 if ranking.weighted else np.int64)
    if ranking.resolution is not None:
        raise InputError("the scores of this ranking were rounded into bins: decide before that")
    ends = float(ranking.score[-1]), float(ranking.score[0])
    decision = decision_text(ranking.positive, threshold, *ends)
    return Counts(names, true, guessed, count, declared=True, decision=decision)


def at_argmax(
    y_true: Any,
    scores: Any = None,
    *,
    labels: Any = None,
    weights: Any = None,
    cluster: Any = None,
    ties: Ties = "first",
    **columns: Any,
) -> Counts:
    """Count the predictions 'the class with the highest score'.

    Parameters
    ----------
    y_true : array, dataframe or path
        The true class of each item, or a dataframe or the path of a file.
    scores : array, optional
        The scores of each item, a column for each class.
    labels, weights, cluster : optional
        As for :func:`count`.
    ties : 'first' | 'last', default 'first'
        Which of several equal scores wins: that of the first or the last class in label order.
    **columns
        The columns ``true`` and ``score`` of a dataframe or file, and how it is read.

    Returns
    -------
    Counts
        The counts of the predictions; signatures of their scores state the decision.

    Raises
    ------
    DefinitionError
        If ``ties`` is not 'first' or 'last'.
    InputError
        If the scores are malformed.

    Examples
    --------
    >>> at_argmax([0, 1, 2], [[0.5, 0.5, 0], [0.1, 0.8, 0.1], [0.4, 0.4, 0.2]]).matrix
    array([[1, 0, 0],
           [0, 1, 0],
           [1, 0, 0]])
    """
    own = {"labels": labels, "weights": weights, "cluster": cluster, "ties": ties}
    return at_top_k(y_true, scores, 1, **own, **columns)


def at_top_k(
    y_true: Any,
    scores: Any = None,
    k: int | None = None,
    *,
    labels: Any = None,
    weights: Any = None,
    cluster: Any = None,
    ties: Ties = "first",
    **columns: Any,
) -> Counts:
    """Count predictions as correct if the true class is among the k highest scores.

    Other items count as predicted to be the class with the highest score.

    Parameters
    ----------
    y_true : array, dataframe or path
        The true class of each item, or a dataframe or the path of a file.
    scores : array, optional
        The scores of each item, a column for each class.
    k : int
        How many of the highest scores count.
    labels, weights, cluster : optional
        As for :func:`count`.
    ties : 'first' | 'last' | 'best' | 'worst', default 'first'
        Which of several equal scores ranks first, as in ``top_k_accuracy``.
    **columns
        The columns ``true`` and ``score`` of a dataframe or file, and how it is read.

    Returns
    -------
    Counts
        The counts of the predictions; signatures of their scores state the decision.

    Raises
    ------
    DefinitionError
        If ``k`` or ``ties`` is out of range.
    InputError
        If the scores are malformed.

    Examples
    --------
    >>> at_top_k([0, 2], [[0.2, 0.5, 0.3], [0.6, 0.3, 0.1]], k=2).matrix
    array([[0, 1, 0],
           [0, 0, 0],
           [1, 0, 0]])
    """
    if k is None and isinstance(scores, int) and has_columns(y_true):
        scores, k = None, scores  # of a frame or file: k comes second
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise DefinitionError(f"k must be a whole number of at least 1; got {k!r}")
    if ties not in ("first", "last"):
        raise DefinitionError(f"ties must be 'first' or 'last'; got {ties!r}")
    own = {"labels": labels, "weights": weights, "cluster": cluster}
    if has_columns(y_true):
        sought = Sought.of(**own, **columns)
        if not in_memory(y_true):
            return decide(ClassScores(y_true, scores, sought, fair=False), int(k), ties)
        read = read_scores(y_true, scores, sought)
        y_true, scores = read.true, read.scores
        own = {"labels": read.labels, "weights": read.weights, "cluster": read.cluster}
    elif columns:
        raise InputError(f"at_top_k of arrays takes no {', '.join(f'{x}=' for x in columns)}")
    items, names = predicted(y_true, scores, labels=own.pop("labels"), probabilities=False)
    best = _best(items.scores, ties)
    guessed = best if k == 1 else np.where(items.within_top(int(k), ties), items.codes, best)
    return _decided(names, items.codes, guessed, _rule(int(k), ties), **own)


def decide(scores: ClassScores, k: int = 1, ties: str = "first") -> Counts:
    """The same of columns that stay where they are."""
    lines = scores.decisions(k, ties)
    count: Any = lines.items if lines.weights is None else lines.weights
    cells = (lines.true - 1, lines.scores[:, 0], count, lines.squares, lines.cluster)
    return _summed(scores.labels, *cells, _rule(k, ties))


def _rule(k: int, ties: str) -> str:
    return f"{'argmax' if k == 1 else f'top-{k}'},ties={ties}"


def _best(scores: Array, ties: str) -> Array:
    if ties == "first":
        first: Array = scores.argmax(1)
        return first
    last: Array = scores.shape[1] - 1 - scores[:, ::-1].argmax(1)
    return last
