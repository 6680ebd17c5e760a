"""True classes and scores, line by line: what rankings and losses are computed from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from whichf1 import kernel
from whichf1.errors import InputError, LabelError, ShapeError, numbered
from whichf1.sources.request import (
    EXACT,
    classes_of_columns,
    columns_by_class,
    is_frame,
    matrix_names,
    narwhals,
    refuse_both,
)
from whichf1.sources.sequences import (
    Column,
    cluster_column,
    column,
    frequencies_column,
    refuse_lengths,
    refuse_many,
    squared,
    to_numpy,
    weights_column,
)
from whichf1.tables.cells import Array, Predicted, Ties
from whichf1.tables.labels import Label, Labels, shortened
from whichf1.tables.ranking import HALF, Ranking
from whichf1.tables.slices import Key

MOST_REPEATED = 1 << 20
"""Up to this many items, a row with a frequency is repeated."""
_TWO: dict[str, tuple[Label, ...]] = {"bool": (False, True), "int": (0, 1)}


class ScoredLines(NamedTuple):
    """True classes and scores, line by line; arrays have a line for each item."""

    true: Any
    """The class of each line: labels, or codes or booleans if lines are derived from others."""
    scores: Any
    """A number for each line, or (lines, columns)."""
    items: Array | None = None
    """How many items a line stands for; None if each is one item."""
    weights: Any = None
    """The weight of each line, or of each of its items if they are kept apart."""
    squares: Array | None = None
    """The sum of squared weights, if weights are summed."""
    cluster: Any = None
    """The cluster of each line."""
    labels: Any = None
    """The declared classes, in the order of the columns if there are several."""
    keys: tuple[Key, ...] = ()
    """The slices, in order."""
    slices: Any = None
    """The index of each line's slice among the keys."""
    bad: Array | None = None
    """How many items of a line lack a valid weight, while they are being read."""
    by: Any = ()
    """The values of the columns that define slices, while they are being read."""
    ordered: bool = False
    """Whether the lines are in the order of the items."""
    names: Any = None
    """The names of the columns, if items have sets of labels."""
    sets: bool = False
    """Whether items have sets of labels: ``true`` is then a matrix of booleans."""

    @classmethod
    def of(
        cls,
        y_true: Any,
        scores: Any,
        labels: Any = None,
        weights: Any = None,
        cluster: Any = None,
        frequencies: Any = None,
        *,
        probabilities: bool = False,
        sets: bool = False,
    ) -> ScoredLines:
        """Arrays, with a line for each item; whether probabilities are finite is checked later."""
        name = "probabilities" if probabilities else "scores"
        values = numbers(scores, name, finite=not probabilities)
        names = named = matrix_names(scores) if values.ndim == 2 else None
        if sets:
            named = None
        if named is not None and labels is None:
            labels = classes_of_columns(named, column(y_true, "y_true").values)
        elif named is not None and len(named) == len(labels := Labels(labels)):
            values = values[:, columns_by_class(named, labels)]
        refuse_both(weights, frequencies)
        weight = None if weights is None else weights_column(weights, len(values))
        measures = {"weights": weight, "cluster": cluster}
        lines = cls(y_true, values, **measures, labels=labels, ordered=True, names=names)
        if frequencies is None:
            return lines
        refuse_lengths(_length(y_true), len(values), name)
        groups = None if cluster is None else cluster_column(cluster, len(values)).values
        times = frequencies_column(frequencies, len(values))
        return lines._replace(cluster=groups).frequent(times)

    @property
    def width(self) -> int:
        """How many columns of scores there are."""
        return 1 if self.scores.ndim == 1 else int(self.scores.shape[1])

    def at(self, places: Array) -> ScoredLines:
        """Some of the lines."""
        by = [_at(values, places) for values in self.by]
        return self._replace(**{x: _at(getattr(self, x), places) for x in BY_LINE}, by=by)

    def frequent(self, frequencies: Array) -> ScoredLines:
        """Each line repeated this many times, or standing for this many items.

        Items in order are repeated, so that sums are bitwise the same as for repeated rows; for
        very many items, and for groups, only the numbers change.
        """
        refuse_many(frequencies.sum())
        times = np.rint(frequencies).astype(np.int64)
        plain = self._replace(items=None, weights=None, squares=None)
        if self.ordered and times.sum() <= MOST_REPEATED:
            return plain.at(np.repeat(np.arange(len(times)), times))
        return plain.at(np.flatnonzero(times))._replace(items=times[times > 0])

    def of_slice(self, at: int) -> ScoredLines:
        """The lines of one slice."""
        return self.at(np.flatnonzero(self.slices == at))._replace(keys=())

    def single(self) -> ScoredLines:
        """Weighted items one by one, each of which is drawn separately."""
        if self.items is None or self.weights is None:
            return self
        one_by_one = self.at(np.repeat(np.arange(len(self.items)), self.items))
        return one_by_one._replace(items=None, squares=None)

    def summed(self) -> ScoredLines:
        """The lines with the weights of their items summed, ignoring clusters."""
        if self.weights is None or self.squares is not None:
            return self._replace(cluster=None)
        times = 1 if self.items is None else self.items
        weights, squares = times * self.weights, times * squared(self.weights)
        return self._replace(weights=weights, squares=squares, cluster=None)

    def against_rest(self, positive: Any, apart: bool = False) -> tuple[ScoredLines, Label]:
        """Whether each line is of the positive class, with its score; and that class."""
        if self.sets:
            at = self.labels.code(positive)
            return self.of_label(at), self.labels[at]
        items, values, names, label = binary(self, positive)
        return self._replace(true=items.values == label, scores=values, labels=names), label

    def of_label(self, at: int) -> ScoredLines:
        """Whether each line has one of the labels, with its score."""
        true, scores = (np.ascontiguousarray(x[:, at]) for x in (self.true, self.scores))
        return self._replace(true=true, scores=scores, sets=False)

    def pooled(self) -> ScoredLines:
        """Every pair of a line and a label as a separate line."""
        measures = ("items", "weights", "squares", "cluster")
        wider = {x: _repeated(getattr(self, x), self.width) for x in measures}
        pairs = {"true": self.true.ravel(), "scores": self.scores.ravel(), "sets": False}
        return self._replace(**pairs, **wider)

    def one_hot(self) -> ScoredLines:
        """The classes of items as sets of one label."""
        lines = self.coded(fair=False)
        return lines._replace(true=lines.true[:, None] == np.arange(lines.width), sets=True)

    def coded(self, *, fair: bool) -> ScoredLines:
        """The code of the true class, with the scores of all classes."""
        items, names = predicted(self, probabilities=fair)
        return self._replace(true=items.codes, scores=items.scores, labels=names)

    def folded(self) -> ScoredLines:
        """Whether the more likely of two classes is right, with its probability.

        ``true`` says whether a line is positive, and a probability of ½ counts as negative.
        """
        check_probabilities(self.scores)
        likely = self.scores > HALF
        top = np.where(likely, self.scores, 1 - self.scores)
        return self._replace(true=self.true == likely, scores=top)

    def top_labels(self, apart: bool = False) -> ScoredLines:
        """Whether the best class is right, with its score."""
        lines = self.coded(fair=True)
        right = lines.scores.argmax(1) == lines.true
        return lines._replace(true=right, scores=lines.scores.max(1))

    def decisions(self, k: int, ties: Ties) -> ScoredLines:
        """The code of the true class, and that of the predicted one as the score."""
        lines = self.coded(fair=False)
        scores = lines.scores
        best = scores.argmax(1)
        if ties == "last":
            best = scores.shape[1] - 1 - scores[:, ::-1].argmax(1)
        if k > 1:
            best = np.where(Predicted(lines.true, scores).ahead(ties) < k, lines.true, best)
        return lines._replace(scores=best)

    def by_class(self) -> tuple[Callable[[int], ScoredLines], Labels]:
        """The lines as each class ranks them, by its code; and the classes."""
        lines = self.coded(fair=False)

        def of_class(at: int) -> ScoredLines:
            return lines._replace(scores=np.ascontiguousarray(lines.scores[:, at]))

        return of_class, lines.labels


BY_LINE = ("true", "scores", "items", "weights", "squares", "cluster", "slices")
"""The fields with one value per line."""


def _repeated(values: Any, times: int) -> Any:
    return None if values is None else np.repeat(np.asarray(values), times)


def _length(data: Any) -> int:
    try:
        return int(data.shape[0]) if hasattr(data, "shape") else len(data)
    except Exception:  # whatever an object without a length raises
        raise ShapeError(
            f"y_true must be a sequence of labels; got {type(data).__name__}. Pass a list."
        ) from None


def _at(values: Any, places: Array) -> Any:
    if values is None or isinstance(values, np.ndarray):
        return values if values is None else values[places]
    if isinstance(values, (list, tuple)):
        return [values[at] for at in places]
    if hasattr(values, "tocsr"):
        return values.tocsr()[places]
    if is_frame(values):
        return narwhals.to_native(narwhals.from_native(values)[places])
    return to_numpy(values)[places]


def binary(lines: ScoredLines, positive: Any) -> tuple[Column, Array, Labels, Label]:
    """The items, the score of each, the classes, and the positive one."""
    items = column(lines.true, "y_true")
    values: Array = lines.scores
    refuse_lengths(len(items.values), len(values), "scores")
    names = classes_of(items, lines.labels)
    if values.ndim == 1:
        label = positive_class(names, positive)
    else:
        asked = positive_class(names, None) if positive is None else positive
        names = column_classes(items, lines.labels, values.shape[1])
        label = positive_class(names, asked)
        values = np.ascontiguousarray(values[:, names.code(label)])
    return items, values, names, label


def numbers(data: Any, name: str, *, finite: bool = True) -> Array:
    """Scores as float64 with one or two dimensions, all finite unless that is checked later."""
    try:
        raw = to_numpy(data)
        if raw.dtype == object:
            integers = [x for x in raw.flat if isinstance(x, (int, np.integer))]
            refuse_large(integers, name)
            raw = np.array(raw.tolist())
        if raw.dtype.kind not in "fiub":
            raise ValueError(f"dtype {raw.dtype}")
        if raw.dtype.kind in "iu" and raw.dtype.itemsize == 8 and raw.size:
            refuse_large((raw.min(), raw.max()), name)
        values = np.asarray(raw, np.float64)
        if raw.dtype.itemsize > 8 and (values != raw)[np.isfinite(raw)].any():
            raise ValueError(f"dtype {raw.dtype} has more digits than float64")
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be numbers: {error}") from None
    if values.ndim not in (1, 2):
        raise ShapeError(
            f"{name} must have one dimension (a score for each item) or two (a column for each "
            f"class); got shape {values.shape}"
        )
    if finite:
        check_finite(values, name)
    return values


def refuse_large(integers: Iterable[Any], name: str) -> None:
    """Raise for integers that differ but would be equal as floats."""
    for value in map(int, integers):
        if abs(value) > EXACT:
            raise InputError(
                f"{name} hold {shortened(value)}: integers beyond 2**53 are indistinguishable as "
                "floats. Use ranks, or smaller numbers."
            )


_FEW = 4096
"""Up to so many scores, looking at each is faster than their sum."""


def check_finite(values: Array, name: str) -> None:
    """Raise at the first score that is infinite or NaN."""
    if values.size > _FEW:
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(np.add.reduce(values, axis=None)):  # then all are
                return
    finite = np.isfinite(values)
    if not finite.all():
        where, value = _first(values, ~finite)
        raise InputError(f"{name}[{where}] is {value}: scores must be finite. Drop or fix it.")


def _first(values: Array, wrong: Array) -> tuple[str, Any]:
    at = tuple(np.argwhere(wrong)[0].tolist())
    return ", ".join(map(str, at)), values[at]


def classes_of(items: Column, labels: Any) -> Labels:
    """The declared classes, or the observed ones; 0 and 1, False and True come together."""
    observed_labels = observed(items)
    if labels is None:
        two = _TWO.get(items.kind, ())
        return Labels.sorted(
            two if observed_labels and set(observed_labels) <= {*two} else observed_labels
        )
    names = Labels(labels)
    outside = next((x for x in observed_labels if x not in names), None)
    if outside is not None:
        raise LabelError(
            f"y_true holds {outside!r} ({items.kind}), which is not among the declared labels "
            f"{list(names[:20])!r}. Add it to labels=, or drop the item."
        )
    return names


def observed(items: Column) -> list[Any]:
    """The classes that occur, in no order."""
    if items.kind == "str":
        return list(set(items.values.tolist()))
    if not len(items.values):
        return []
    if items.kind == "bool":
        return [False] * (not items.values.all()) + [True] * bool(items.values.any())
    return [*kernel.count_pairs(items.values, items.values).labels]


def positive_class(names: Labels, positive: Any) -> Label:
    """The class that scores refer to: as chosen, otherwise 1 or True."""
    if positive is not None:
        return names[names.code(positive)]
    if names.kind in ("int", "bool") and 1 in set(names) and set(names) <= {-1, 0, 1}:
        return names[list(names).index(1)]
    raise LabelError(
        "which class do high scores stand for? Pass positive= (--positive), one of "
        f"{list(names[:20])!r}."
    )


def predicted(
    lines: ScoredLines, *, probabilities: bool = True, check: bool = True
) -> tuple[Predicted, Labels]:
    """Items with a score for every class, columns in the order of the labels.

    Without ``check``, a later pass over the probabilities must call :func:`check_rows` if they are
    not fair.
    """
    items, values = column(lines.true, "y_true"), lines.scores
    if values.ndim != 2:
        raise ShapeError(f"pass a column of scores for each class; got shape {values.shape}")
    refuse_lengths(len(items.values), len(values), "scores")
    names = column_classes(items, lines.labels, values.shape[1])
    if probabilities and check:
        check_rows(values)
    return Predicted(_codes(items, names), values), names


def predicted_binary(lines: ScoredLines, positive: Any) -> tuple[Predicted, Labels, Label]:
    """Items with the probability of one of two classes; the other has the remainder."""
    check_finite(lines.scores, "scores")
    items, values, names, label = binary(lines, positive)
    if len(names) > 2:
        raise ShapeError(
            f"one probability for each item, but {numbered(len(names), 'class')} "
            f"{list(names[:6])!r}. "
            "Pass a column of probabilities for each class."
        )
    check_probabilities(values)
    both = np.empty((len(values), 2))
    both[:, 1] = values
    np.subtract(1, values, out=both[:, 0])
    return Predicted((items.values == label).astype(np.intp), both), names, label


def predicted_signed(lines: ScoredLines, positive: Any) -> tuple[Predicted, Labels, Label]:
    """Items with a score by which the positive of two classes is ahead."""
    items, values, names, label = binary(lines, positive)
    if len(names) > 2:
        raise ShapeError(
            f"one score for each item, but {numbered(len(names), 'class')} "
            f"{list(names[:6])!r}. Pass a column "
            "of scores for each class."
        )
    codes = (items.values == label).astype(np.intp)
    return Predicted(codes, np.stack([-values / 2, values / 2], 1)), names, label


def column_classes(items: Column, labels: Any, columns: int) -> Labels:
    """The classes that columns of scores belong to: as declared, 0, 1, …, or all that are observed.

    Integers are numbered from 0 if 0 is among them. From 1 on, the last class may be the one that
    is not observed, so only labels= can tell.
    """
    if labels is None and items.kind == "int" and _within(items.values, columns):
        if items.values.min():
            raise LabelError(
                f"are the {columns} columns of scores of the classes 0 to {columns - 1} or 1 to "
                f"{columns}? No item has class 0. Declare the class of each column, in order: "
                f"labels=range({columns}) or labels=range(1, {columns + 1})."
            )
        return Labels(range(columns))
    names = classes_of(items, labels)
    if len(names) != columns:
        raise ShapeError(
            f"there are {numbered(columns, 'column')} of scores and "
            f"{numbered(len(names), 'class')} "
            f"{list(names[:6])!r}. Declare the class of each column, in order: labels=[...]."
        )
    return names


def _within(values: Array, columns: int) -> bool:
    """Whether integers are from 0 to below ``columns``; as unsigned, negative ones are large."""
    return bool(values.view(values.dtype.str.replace("i", "u")).max() < columns)


def _codes(items: Column, names: Labels) -> Array:
    code = {label: at for at, label in enumerate(names)}
    if items.kind == "str":
        return np.fromiter((code[x] for x in items.values), np.intp, len(items.values))
    if items.kind == "int" and [*names] == [*range(len(names))]:
        return np.asarray(items.values, np.intp)  # they already are codes
    present, at = np.unique(items.values, return_inverse=True)
    return np.array([names.code(x) for x in present.tolist()], np.intp)[at]


def check_probabilities(values: Array) -> None:
    """Raise at the first value outside [0, 1]."""
    wrong = (values < 0) | (values > 1)
    if wrong.any():
        where, value = _first(values, wrong)
        raise InputError(
            f"probabilities[{where}] is {value:g}: a probability must be in [0, "
            "1]. Turn scores into probabilities first, or use a ranking metric such as roc_auc."
        )


def check_rows(values: Array) -> None:
    """Raise at the first row that is not a distribution over the classes."""
    if kernel.first_bad_row(values) == len(values):
        return
    check_finite(values, "probabilities")
    check_probabilities(values)
    sums = values.sum(1)
    wrong = np.abs(sums - 1) > (kernel.TOLERANCE if _precise(values) else 2.0**-8)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            f"row {row} of the probabilities adds up to {sums[row]:.6g}, not to 1: "
            f"{[round(x, 6) for x in values[row, :8].tolist()]!r}. Normalise each row."
        )


def _precise(values: Array) -> bool:
    """Whether numbers have more digits than the 8 bits of bfloat16."""
    bits = np.ascontiguousarray(values).view(np.uint64)
    return bool((bits & np.uint64((1 << 45) - 1)).any())


def rank_lines(lines: ScoredLines, positive: Any, *, declared: bool = False) -> Ranking:
    """Group lines by score: the positive class against the rest."""
    return replace(ranking_of(*lines.against_rest(positive)), declared=declared)


def lines_of(ranking: Ranking) -> ScoredLines:
    """The items of a ranking of two classes without weights, grouped by class and score."""
    code = ranking.labels.code(ranking.positive)
    classes = np.array([ranking.labels[1 - code], ranking.positive])
    items = np.concatenate([ranking.positives, ranking.negatives]).astype(np.int64)
    true = classes[np.repeat([1, 0], len(ranking.score))]
    lines = ScoredLines(true, np.tile(ranking.score, 2), items, labels=[*ranking.labels])
    return lines.at(np.flatnonzero(items))


def ranking_of(lines: ScoredLines, positive: Label) -> Ranking:
    """Group lines that are known to be positive or not by score."""
    lines = lines.summed()
    if lines.items is None or lines.weights is not None:
        ranks = kernel.rank_table(lines.scores, lines.true, lines.weights)
        if lines.weights is not None:  # a score without weight does not count
            present = ranks.positives + ranks.negatives > 0
            ranks = ranks if present.all() else kernel.Ranks(*(x[present] for x in ranks))
        squares = None if lines.squares is None else float(lines.squares.sum())
        return Ranking(*ranks, lines.labels, positive, squares=squares)
    scores, *sides = kernel.rank_table(lines.scores, lines.true, lines.items.astype(np.float64))
    positives, negatives = (side.astype(np.int64) for side in sides)  # exact below 2⁵³
    return Ranking(scores, positives, negatives, lines.labels, positive)
