"""The loops in NumPy: the specification of the C functions, and the fallback without them.

Nothing is checked twice: the caller (``sources``) ensures the exact shapes and dtypes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import fsum, inf, isqrt, log
from typing import Any, NamedTuple, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
CountedTable: TypeAlias = tuple[list[Any], bytes, tuple[float, ...] | None, bytes | None]
"""Labels in order; the diagonal of their table in float64, and what is off it by predicted and by
true class; the TableSums; and the places of the filled cells, row by row, before their counts."""

TOLERANCE = 1e-3
"""How far the sum of an item's probabilities may be from 1, to allow rounding to 3 decimals."""
_DENSE_CELLS = 1 << 16
"""A table up to this size is always counted densely; a larger one only if the items fill it."""
_DENSE = 4
"""Up to this many possible labels per item, labels are marked rather than sorted."""
_CHUNK = 1 << 16
"""Items processed at a time, so that no temporary array is as long as the data."""


class Pairs(NamedTuple):
    """GROUP BY true, predicted: one entry per distinct pair, sorted."""

    labels: list[int]
    """The distinct labels of both columns, in order."""
    true: Array
    """Codes: positions in ``labels``."""
    predicted: Array
    count: Array  # type: ignore[assignment]  # hides tuple.count, which nobody needs here
    """int64 counts, or float64 sums of weights (which may be 0)."""

    def own_labels(self) -> tuple[Array, Array]:
        """The true and predicted labels of each pair, instead of their codes."""
        values = np.array(self.labels)
        return values[self.true], values[self.predicted]


class Ranks(NamedTuple):
    """GROUP BY score: one entry per distinct score, highest first."""

    score: Array
    positives: Array
    negatives: Array
    """Both are int32 (int64 from 2³¹ items on), or float64 sums of weights."""


class RankAreas(NamedTuple):
    """What a ranking adds up to."""

    positives: float
    negatives: float
    pairs: float
    """Pairs of a positive and a negative that are ranked in this order; ties count half."""
    precision: float
    """The precision at the score of each positive, added up."""
    highest: float
    """The highest score."""
    lowest: float


class TableSums(NamedTuple):
    """Sums over a table C of the counts of n items."""

    right: float
    """Items on the diagonal."""
    wrong: float
    apart: float
    """Σ C_i· (n − C_·i): pairs of a true and a predicted class, drawn apart, that differ."""
    rows_apart: float
    """Σ C_i· (n − C_i·)."""
    columns_apart: float
    """Σ C_·i (n − C_·i)."""
    together: float
    """n Σ C_ii − Σ C_i· C_·i."""
    same: float
    """Ordered pairs of items that are in one cell."""
    only_true: float
    """Those that are in one row, but not in one cell."""
    only_predicted: float


class LossSums(NamedTuple):
    """Sums over items of a value that each item has, such as its loss."""

    n: int
    total: float
    squares: float
    fair: bool = True
    """Whether every row that was checked is a distribution over the classes."""
    least: int = 0
    """The smallest code of a class."""


def count_pairs(true: Array, predicted: Array, weights: Array | None = None) -> Pairs:
    """Count the distinct pairs of two non-empty integer or boolean arrays of equal length."""
    wide = _common_type(true, predicted)
    low = min(int(true.min()), int(predicted.min()))
    span = max(int(true.max()), int(predicted.max())) - low + 1
    if span * span <= max(_DENSE_CELLS, 4 * len(true)):
        lowest = wide.type(low)
        left, right = ((side.astype(wide) - lowest).astype(np.intp) for side in (true, predicted))
        return _dense(left, right, weights, low, span)
    return sparse_pairs(true.astype(wide), predicted.astype(wide), weights)


def sparse_pairs(true: Array, predicted: Array, weights: Array | None) -> Pairs:
    """Count distinct pairs of labels of one type, however large, by sorting them."""
    values, left, right = _numbered(true, predicted)
    k = len(values)
    keys = left * k + right
    order = np.argsort(keys)
    new = np.ones(len(keys), np.bool_)
    np.not_equal(keys[order[1:]], keys[order[:-1]], out=new[1:])
    first = np.flatnonzero(new)
    if weights is None:
        count = np.diff(first, append=len(keys))
    elif len(first) == len(keys):
        count = weights[order]
    else:  # added in the order of the items
        order = np.argsort(keys, kind="stable")
        count = np.bincount(np.cumsum(new) - 1, weights[order], len(first))
    keys = keys[order[first]]
    return Pairs(values.tolist(), keys // k, keys % k, count)


def _numbered(true: Array, predicted: Array) -> tuple[Array, Array, Array]:
    """The distinct values in order, and the index of each item's value."""
    low, high = min(true.min(), predicted.min()), max(true.max(), predicted.max())
    span = int(high) - int(low) + 1
    if span > _DENSE * len(true):
        values, codes = np.unique(np.concatenate([true, predicted]), return_inverse=True)
        return values, codes[: len(true)], codes[len(true) :]
    left, right = ((side - low).astype(np.intp) for side in (true, predicted))
    seen = np.zeros(span, np.bool_)
    seen[left] = seen[right] = True
    place = np.cumsum(seen) - 1
    offsets = np.flatnonzero(seen)
    return offsets.astype(true.dtype) + low, place[left], place[right]


def _common_type(true: Array, predicted: Array) -> np.dtype[Any]:
    """A 64-bit integer type that holds the values of both columns."""
    for side in (true, predicted):
        if side.dtype.kind not in "iub" or side.ndim != 1:
            raise TypeError(f"labels must be 1-D integers, got {side.dtype} of shape {side.shape}")
    if not len(true):
        raise ValueError("columns must not be empty")
    if len(true) != len(predicted):
        raise ValueError(f"columns must have equal lengths, got {len(true)} and {len(predicted)}")
    wide = np.result_type(true, predicted)
    if wide.kind == "f":
        raise TypeError("no integer type holds both uint64 and signed labels")
    return np.dtype(np.uint64 if wide.kind == "u" else np.int64)


def _dense(left: Array, right: Array, weights: Array | None, low: int, span: int) -> Pairs:
    key = left * span + right
    present = np.bincount(key, minlength=span * span)
    cells = np.flatnonzero(present)
    count = present[cells] if weights is None else np.bincount(key, weights, span * span)[cells]
    row, column = np.divmod(cells, span)
    seen = np.zeros(span, np.bool_)
    seen[row] = seen[column] = True
    code = np.cumsum(seen) - 1
    labels = [low + offset for offset in np.flatnonzero(seen).tolist()]
    return Pairs(labels, code[row], code[column], count)


def count_table(true: Array, predicted: Array, whole: bool = False) -> CountedTable | None:
    """The labels of two columns and the margins of their table; if whole, its sums and cells.

    None if the columns are not of one kind of integers, or booleans, and of one length above 0.
    """
    kind, shape = true.dtype.kind, true.shape
    if kind not in "iub" or predicted.dtype.kind != kind:
        return None
    if shape != predicted.shape or len(shape) != 1 or not shape[0]:
        return None
    pairs = count_pairs(true, predicted)
    labels = [*map(bool, pairs.labels)] if kind == "b" else pairs.labels
    k, count = len(labels), pairs.count.astype(np.float64)
    sums = np.zeros((3, k))
    margins(pairs.true, pairs.predicted, count, sums)
    if not whole:
        return labels, sums.tobytes(), None, None
    cells = (pairs.true * k + pairs.predicted).astype(np.int64).tobytes() + count.tobytes()
    return labels, sums.tobytes(), _table_sums(pairs, sums), cells


def count_class(
    true: Array, predicted: Array, positive: Any
) -> tuple[list[Any], tuple[float, float, float, float]] | None:
    """The labels of two columns, and of one class, true and false positives and negatives.

    In the order tp, fp, fn, tn. None where ``count_table`` gives none, or if that class, of the
    same type, does not occur.
    """
    table = count_table(true, predicted)
    if table is None or type(positive) is not type(table[0][0]) or positive not in table[0]:
        return None
    sums = np.frombuffer(table[1], np.float64).reshape(3, -1)
    tp, fp, fn = sums[:, table[0].index(positive)].tolist()
    return table[0], (tp, fp, fn, len(true) - tp - fp - fn)


def _table_sums(pairs: Pairs, margins: Array) -> TableSums:
    tp, fp, fn = margins
    rows, columns, count = tp + fn, tp + fp, pairs.count.astype(np.float64)
    n = rows.sum()
    sums = (
        tp,
        fn,
        rows * (n - columns),
        rows * (n - rows),
        columns * (n - columns),
        tp * (n - rows - fp) - fp * fn,
        count * (count - 1),
        count * (rows[pairs.true] - count),
        count * (columns[pairs.predicted] - count),
    )
    return TableSums(*[float(x.sum()) for x in sums])


def contingency(margins: bytes, cells: bytes) -> tuple[float, float]:
    """n χ² of a table of n items; the fewer of its rows and columns that have items, less one.

    ``margins`` and ``cells`` as ``count_table`` gives them.
    """
    rows, columns, true, predicted, count = _filled(margins, cells)
    n, chance = rows.sum(), rows[true] * columns[predicted]
    empty = n - np.bincount(true, columns[predicted], len(rows))  # items in columns of empty cells
    total = float(((count * n - chance) ** 2 / chance).sum() + (rows * empty).sum())
    return total, max(min(np.count_nonzero(rows), np.count_nonzero(columns)) - 1.0, 0.0)


def _filled(margins: bytes, cells: bytes) -> tuple[Array, Array, Array, Array, Array]:
    """The sums of rows and columns; true and predicted class and the count of the filled cells."""
    tp, fp, fn = np.frombuffer(margins, np.float64).reshape(3, -1)
    key, count = np.frombuffer(cells, np.int64), np.frombuffer(cells, np.float64)
    key, count = key[: len(key) // 2], count[len(count) // 2 :]
    true, predicted = np.divmod(key[count > 0], len(tp))
    return tp + fn, tp + fp, true, predicted, count[count > 0]


def information(margins: bytes, cells: bytes) -> tuple[float, float, float]:
    """n times the information that true and predicted classes share, and n times their entropies.

    In nats; ``margins`` and ``cells`` as ``count_table`` gives them.
    """
    rows, columns, true, predicted, count = _filled(margins, cells)
    n = rows.sum()
    filled = (rows[rows > 0], columns[columns > 0])
    entropies = [float((x * np.log1p((n - x) / x)).sum()) for x in filled]
    side, other = rows[true], columns[predicted]
    if entropies[1] < entropies[0]:  # information cannot exceed the smaller
        side, other = other, side
    shared = count * (np.log1p((n - side) / side) - np.log1p((other - count) / count))
    return max(float(shared.sum()), 0.0), entropies[0], entropies[1]


def information_of_each(margins: Array, cells: Array, counts: Array) -> Array:
    """The same for several tables with the same cells (tables, 3).

    ``margins`` (tables, 3, classes) and ``counts`` (tables, cells) are whole numbers.
    """
    key = cells.astype(np.int64).tobytes()
    pairs = zip(margins.astype(np.float64), counts.astype(np.float64), strict=True)
    each = [information(x.tobytes(), key + count.tobytes()) for x, count in pairs]
    return np.array(each, np.float64).reshape(-1, 3)


def margins(true: Array, predicted: Array, count: Array, sums: Array) -> None:
    """Add float64 counts to sums (3, classes).

    The first row has the diagonal; the others, the cells off it by predicted and by true class.
    """
    both, classes = np.concatenate([true, predicted]), sums.shape[1]
    if len(both) and not 0 <= both.min() <= both.max() < classes:
        raise ValueError(f"codes must lie in [0, {classes})")
    right, wrong = true == predicted, true != predicted
    for row, codes, here in zip(sums, (true, predicted, true), (right, wrong, wrong), strict=True):
        row += np.bincount(codes[here], count[here], classes)


def add_pairs(
    true: Array,
    predicted: Array,
    codes: Array,
    low: int,
    counts: Array,
    margins: Array | None = None,
) -> bool:
    """Add pairs to a dense table (classes², flat); False, and none added, if one is unknown.

    ``codes`` has the class of each label from ``low`` on: −1 is unknown, and items whose true
    label is −2 are dropped. ``margins`` (3 · classes, flat) are those of the table.
    """
    wide = _common_type(true, predicted) if len(true) or len(predicted) else np.dtype(np.int64)
    if wide.kind == "u" and max(true.max(), predicted.max()) >= 2**63:
        return False
    at = [side.astype(np.int64) - low for side in (true, predicted)]
    if any(len(x) and not 0 <= x.min() <= x.max() < len(codes) for x in at):
        return False
    rows, columns = codes[at[0]].astype(np.intp), codes[at[1]].astype(np.intp)
    kept = rows >= 0
    if min(rows.min(initial=0), columns.min(initial=0)) < -2 or (rows == -1).any():
        return False
    if (columns == -1).any() or (columns[kept] < 0).any():
        return False
    rows, columns, classes = rows[kept], columns[kept], isqrt(len(counts))
    np.add.at(counts, rows * classes + columns, 1)
    if margins is not None:
        wrong = rows != columns
        for row, side in enumerate((rows[~wrong], columns[wrong], rows[wrong])):
            np.add.at(margins, row * classes + side, 1)
    return True


def encode(*columns: Sequence[Any] | Array) -> tuple[list[Array], list[Any]]:
    """Codes for each column, numbered across columns, and the distinct items as first seen."""
    table: dict[Any, int] = {}
    add = table.setdefault
    codes = []
    for column in columns:
        items = column.tolist() if isinstance(column, np.ndarray) else column
        column_codes = (add(item, len(table)) for item in items)
        codes.append(np.fromiter(column_codes, np.intp, len(column)))
    return codes, list(table)


def rank_table(scores: Array, positive: Array, weights: Array | None = None) -> Ranks:
    """Count positives and negatives by score, from floats without NaN and booleans.

    Sorts a copy of the scores and, separately, the scores of the smaller class. With the three
    results, this takes at most 2.5 times the memory of the scores; an argsort alone would take 2.
    """
    if weights is not None:
        distinct, at = np.unique(scores + 0.0, return_inverse=True)
        parts = (weights * positive, weights * ~positive)
        sums = (np.bincount(at, part, len(distinct))[::-1] for part in parts)
        return Ranks(distinct[::-1], *sums)
    distinct, total = _runs(scores.copy())
    few = bool(2 * np.count_nonzero(positive) <= len(scores))
    smaller_class, count = _runs(scores[positive if few else ~positive])
    smaller = np.zeros_like(total)
    for chunk in _chunks(len(smaller_class)):
        smaller[np.searchsorted(distinct, smaller_class[chunk])] = count[chunk]
    total -= smaller
    positives, negatives = (smaller, total) if few else (total, smaller)
    return Ranks(distinct[::-1], positives[::-1], negatives[::-1])


def rank_labels(
    scores: Array, labels: Array, weights: Array | None = None
) -> tuple[Ranks, int] | None:
    """The same for integers, with 1 as positive, and how many are; None if one is not 0 or 1."""
    positive = labels == 1
    if not (positive | (labels == 0)).all():
        return None
    if np.isnan(scores).any():
        raise ValueError("scores must not be NaN")
    return rank_table(scores, positive, weights), int(np.count_nonzero(positive))


def order(scores: Array) -> tuple[Array, Array]:
    """The places of scores without NaN, highest first and equal ones in order; and these scores."""
    if np.isnan(scores).any():
        raise ValueError("scores must not be NaN")
    places = np.argsort(-scores, kind="stable")
    return places, scores[places].astype(np.float64) + 0.0


def rank_areas(scores: Array, labels: Array) -> tuple[float, ...] | None:
    """What the ranking of items without weights adds up to: the fields of ``RankAreas``.

    None if a label is neither 0 nor 1, or if a score is not finite.
    """
    ranked = rank_labels(scores, labels) if np.isfinite(scores).all() else None
    if ranked is None:
        return None
    score = ranked[0].score
    positives, negatives, tp, fp = running(ranked[0].positives, ranked[0].negatives, 0, 0)
    pairs = (negatives * (tp - positives / 2)).sum()
    precision = (positives * tp / (tp + fp)).sum()
    ends = (tp[-1], fp[-1], pairs, precision, score[0], score[-1])
    return RankAreas(*[float(x) for x in ends])


def trapezoid(x: Array, y: Array) -> tuple[float, bool, bool]:
    """The area under a curve by the trapezoidal rule; whether x ever rises; whether it ever falls.

    Both are contiguous float64. The area is not finite if a point is not.
    """
    steps = np.diff(x)
    area = float((steps * (y[1:] + y[:-1])).sum()) / 2
    return area, bool((steps > 0).any()), bool((steps < 0).any())


def group_labels(true: Array, predicted: Array) -> tuple[Array, Array] | None:
    """Group items by the labels that they have in two matrices of 0 and 1 (items × labels).

    Lines (3, lines) show for each kind of item, in order, which labels are in both matrices (0),
    only predicted (1) or only true (2), and how many items it has. None if a number is neither 0
    nor 1.
    """
    has, guessed = true == 1, predicted == 1
    if not ((has | (true == 0)) & (guessed | (predicted == 0))).all():
        return None
    outcome = np.where(has & guessed, 0, np.where(guessed, 1, 2))
    kinds: dict[tuple[tuple[int, int], ...], int] = {}
    for here, what in zip(has | guessed, outcome, strict=True):
        labels = np.flatnonzero(here)
        key = tuple(zip(labels.tolist(), what[labels].tolist(), strict=True))
        kinds[key] = kinds.get(key, 0) + 1
    ordered = sorted(kinds)
    lines = [(at, *line) for at, key in enumerate(ordered) for line in key]
    columns = np.array(lines, np.int64).reshape(-1, 3).T
    return np.ascontiguousarray(columns), np.array([kinds[key] for key in ordered], np.int64)


def item_labels(true: Array, predicted: Array) -> Array | None:
    """Labels of each item that are in both matrices, only predicted, and only true: (3, items).

    None if a number is neither 0 nor 1.
    """
    has, guessed = true == 1, predicted == 1
    if not ((has | (true == 0)) & (guessed | (predicted == 0))).all():
        return None
    kinds = (has & guessed, guessed & ~has, has & ~guessed)
    return np.stack([kind.sum(1) for kind in kinds]).astype(np.float64)


def label_flags(true: Array, scores: Array) -> Array | None:
    """Whether each item has each label, as booleans; None if a number is neither 0 nor 1.

    Also None if a score, of the same shape, is not finite.
    """
    has: Array = true == 1
    known = (has | (true == 0)).all() and scores.dtype.kind == "f" and np.isfinite(scores).all()
    return has if known else None


LABEL_SCORES = ("exact", "wrong", "coverage", "disorder", "precision", "top_error")
"""Scores of items by their labels: whether both sets are the same; the share of labels in only one.

Of labels with scores: how many score at least as high as the lowest true one; the share of pairs of
a true and another label in which the true one is not ahead; the mean share of true labels among
those that score at least as high as each true one; the share of the top-scored that are not true.
"""


def label_scores(true: Array, other: Array, what: str) -> tuple[float, float, float] | None:
    """Σ, Σ² and Σ³ of a score of each item by its labels, one of ``LABEL_SCORES``.

    Both matrices (items, labels) hold 0 and 1; or ``other`` finite scores, if the score is of them.
    None for other numbers, and in C if comparing each label with each would take long.
    """
    values = (_of_sets if what in ("exact", "wrong") else _of_scores)(true, other, what)
    if values is None:
        return None
    squares = values * values
    return float(values.sum()), float(squares.sum()), float((squares * values).sum())


def _of_sets(true: Array, predicted: Array, what: str) -> Array | None:
    sums = item_labels(true, predicted)
    if sums is None:
        return None
    wrong = sums[1] + sums[2]
    values: Array = np.where(wrong, 0.0, 1.0) if what == "exact" else wrong / true.shape[1]
    return values


def _of_scores(true: Array, scores: Array, what: str) -> Array | None:
    has = label_flags(true, scores)
    if has is None:
        return None
    size, labels = has.sum(1), true.shape[1]
    if what == "coverage":
        lowest = np.where(has, scores, np.inf).min(1, keepdims=True)
        covered: Array = (scores >= lowest).sum(1).astype(np.float64)
        return covered
    if what == "top_error":
        top = scores == scores.max(1, keepdims=True)
        share: Array = (top & ~has).sum(1) / top.sum(1)
        return share
    ahead = scores[:, None, :] >= scores[:, :, None]  # item, label, other label
    if what == "disorder":
        wrong = (ahead & has[:, :, None] & ~has[:, None, :]).sum((1, 2))
        return wrong / np.maximum(size * (labels - size), 1)  # type: ignore[no-any-return]
    hits = (ahead & has[:, None, :]).sum(2) / ahead.sum(2)
    mean = np.where(has, hits, 0).sum(1) / np.maximum(size, 1)
    return np.where((size == 0) | (size == labels), 1.0, mean)


def placements(
    positives: Array, negatives: Array, p: float, n: float
) -> tuple[float, float, float, float, float, float]:
    """The ROC AUC, and sums over the items of a ranking of their parts in it, from counts by score.

    With s the part of a positive and t that of a negative: Σs², Σt², Σs³ + Σt³, Σs⁴ + Σt⁴, and
    Σ s·t over the pairs in order, of which those of equal scores count half. ``p`` and ``n`` are
    the sizes of the classes.
    """
    area = float(np.dot(negatives, np.cumsum(positives) - positives / 2)) / (p * n)
    up = (np.cumsum(negatives) - negatives / 2) * (-1 / (p * n)) + (1 - area) / p
    down = (np.cumsum(positives) - positives / 2) / (p * n) - area / n
    downs = negatives * down
    bend = float(np.dot(positives * up, downs / 2 - np.cumsum(downs)))
    sums = [
        [float(np.dot(count, part**power)) for power in (2, 3, 4)]
        for count, part in ((positives, up), (negatives, down))
    ]
    (squares, cubes, fourths), (others, other_cubes, other_fourths) = sums
    return area, squares, others, cubes + other_cubes, fourths + other_fourths, bend


PRECISIONS = ("mean", "risk", "excess")
"""The mean precision at the score of each positive; the mean risk, which is 1 minus it, at that of
each item; and how far that exceeds the risk of the best order."""


def place_precisions(
    positives: Array, negatives: Array, what: str
) -> tuple[float, float, float, float, float, float]:
    """A score of the precisions in a ranking, one of ``PRECISIONS``, from counts by score.

    Its value; with s the part of a positive and t that of a negative, Σs², Σt², Σs³ + Σt³ and
    Σs⁴ + Σt⁴; and the second derivative along these parts.
    """
    every = what != "mean"

    def value(p: Array, q: Array) -> tuple[float, Array, Array]:
        tp, fp = np.cumsum(p), np.cumsum(q)
        size = np.maximum(tp + fp, _LEAST)
        weight = p + q if every else p
        total, positives, n = float((weight * (tp / size)).sum()), tp[-1], tp[-1] + fp[-1]
        moved = weight / size**2
        up, down = (np.cumsum((moved * x)[::-1])[::-1] for x in (fp, tp))
        up, down = tp / size + up, (tp / size if every else 0.0) - down
        if not every:
            here = total / positives
            return here, (up - here) / positives, down / positives
        share = positives / n
        risk = what == "risk"
        here = (n - total if risk else positives - total - positives * log(share)) / n
        sides = (1.0, 1.0) if risk else (share - log(share), share)
        return here, (sides[0] - here - up) / n, (sides[1] - here - down) / n

    counts = [np.asarray(x, np.float64) for x in (positives, negatives)]
    here, *slopes = value(counts[0], counts[1])
    mean = sum(float((x * s).sum()) for x, s in zip(counts, slopes, strict=True))
    slopes = [s - mean / float(sum(map(np.sum, counts))) for s in slopes]
    most = max(float(np.abs(s[x > 0]).max()) for x, s in zip(counts, slopes, strict=True))
    second = 0.0
    if most > 0:
        step = _STEP / most
        low, high = (
            value(*[x * (1 + side * step * s) for x, s in zip(counts, slopes, strict=True)])[0]
            for side in (-1, 1)
        )
        second = (low - 2 * here + high) / step**2
    powers = [
        [float((x * s**power).sum()) for x, s in zip(counts, slopes, strict=True)]
        for power in (2, 3, 4)
    ]
    return here, *powers[0], sum(powers[1]), sum(powers[2]), second  # type: ignore[return-value]


_LEAST = float(np.finfo(np.float64).tiny)


def running(positives: Array, negatives: Array, tp: float, fp: float) -> Array:
    """Both columns in float64 and, from ``tp`` and ``fp`` on, their running sums: (4, scores)."""
    sums: list[Array] = []
    for counts, start in ((positives, tp), (negatives, fp)):
        if counts.dtype.kind == "f":
            each = counts.astype(np.float64)
            each[:1] += start
            sums.append(np.cumsum(each))
        else:  # as whole numbers, which is exact
            sums.append(start + np.cumsum(counts, dtype=np.int64))
    return np.stack([positives, negatives, *sums]).astype(np.float64)


CURVES = ("counts", "roc", "pr", "det", "matrices")
"""Kinds of curves: x and y are false and true positives; their rates; recall and precision; false
positive and false negative rate; false and true positives, beside true and false negatives."""
KEPT = ("every", "corners", "rises")
"""Scores that have a point: every one; those followed by another step than their own; or those
that add positives or are followed by some. The last one always has one, and the first one too,
except on a DET curve."""


def curve(
    score: Array, positives: Array, negatives: Array, kind: str = "counts", kept: str = "every"
) -> tuple[Array, ...]:
    """The points of a curve, from above the highest score on: x, y and threshold.

    A rate of no items is 0/0 on a ROC curve and 0 on a DET curve; a recall of none is 1. Matrices
    have true and false negatives as well.
    """
    sums = (np.cumsum(x, dtype=np.float64) for x in (positives, negatives))
    tp, fp = (np.concatenate([[0.0], x]) for x in sums)
    p, n, at = tp[-1], fp[-1], np.ones(len(tp), np.bool_)
    if kept != "every":
        up, along = np.diff(tp), np.diff(fp)
        rises = (up[1:] != 0) | (up[:-1] != 0)
        corners = (up[1:] != up[:-1]) | (along[1:] != along[:-1])
        at[1:-1] = rises if kept == "rises" else corners
        at[1] |= kind != "det"
    tp, fp = tp[at], fp[at]
    threshold = np.concatenate([[np.inf], score])[at]
    with np.errstate(invalid="ignore"):
        if kind == "counts":
            return fp, tp, threshold
        if kind == "matrices":
            return fp, tp, threshold, n - fp, p - tp
        if kind == "roc":
            return fp / n, tp / p, threshold
        if kind == "det":
            return fp / (n or 1), (p - tp) / (p or 1), threshold
        taken = tp + fp
        recall = tp / p if p else np.ones(len(tp))
        precision = tp / np.where(taken == 0, 1, taken)
    recall[0], precision[0] = 0, 1
    return recall, precision, threshold


def _chunks(n: int) -> Iterator[slice]:
    return (slice(start, min(start + _CHUNK, n)) for start in range(0, n, _CHUNK))


def _runs(values: Array) -> tuple[Array, Array]:
    """The distinct values, ascending, and how often each occurs; sorts and compacts in place."""
    values += 0.0  # −0.0 becomes 0.0
    values.sort()
    width = np.int32 if len(values) < 2**31 else np.int64
    first: Array = np.empty(len(values), np.bool_)
    first[:1] = True
    np.not_equal(values[1:], values[:-1], out=first[1:])
    distinct = int(np.count_nonzero(first))
    count = np.empty(distinct, width)
    at = 0
    for chunk in _chunks(len(values)):
        new = np.flatnonzero(first[chunk]) + chunk.start
        values[at : at + len(new)] = values[new]
        count[at : at + len(new)] = new
        at += len(new)
    count[:-1] = np.diff(count)  # from the starts of runs to their lengths
    count[-1:] = len(values) - count[-1:]
    return (values if distinct == len(values) else values[:distinct].copy()), count


BUCKETS = 1 << 17
"""Buckets of near scores: sign, exponent and five further bits are the same."""


def _buckets(scores: Array) -> Array:
    bits = (scores.astype(np.float64) + 0.0).view(np.uint64)
    sign = np.uint64(1 << 63)
    return (np.where(bits & sign, bits, ~(bits | sign)) >> np.uint64(47)).astype(np.int64)


def bucket_counts(scores: Array, labels: Array) -> Array | None:
    """Positives and negatives in each bucket of near scores, highest first: (3, buckets).

    The first row numbers the buckets. None if a label is neither 0 nor 1, or a score not finite.
    """
    positive = labels == 1
    if not (positive | (labels == 0)).all() or not np.isfinite(scores).all():
        return None
    buckets, at = np.unique(_buckets(scores), return_inverse=True)
    sides = (np.bincount(at[side], minlength=len(buckets)) for side in (positive, ~positive))
    return np.stack([buckets, *sides])


def rank_buckets(scores: Array, labels: Array, counts: Array) -> Ranks:
    """The ranking of the items in some of these buckets, fewer than 2³¹ − 1 items."""
    here = np.isin(_buckets(scores), counts[0])
    return rank_table(scores[here].astype(np.float64), labels[here] == 1)


def bin_sums(scores: Array, labels: Array, edges: Array) -> Array | None:
    """Items, positives and the sum of probabilities in bins between rising edges (3, bins).

    None if a score is outside [0, 1] or a label neither 0 nor 1.
    """
    positive, p = labels == 1, scores.astype(np.float64)
    if not (positive | (labels == 0)).all() or not ((p >= 0) & (p <= 1)).all():
        return None
    at, bins = np.searchsorted(edges, p, "left"), len(edges) + 1
    sums = np.stack([np.bincount(at, x, bins) for x in (np.ones(len(at)), positive, p)])
    sums[2] = [fsum(p[at == each]) for each in range(bins)]
    return sums


def loss_sums(
    codes: Array, probabilities: Array, floor: float, each: Array | None = None
) -> LossSums:
    """Σ and Σ² of −ln max(p, floor), where p is the probability of the true class.

    A single column of probabilities belongs to the second of two classes. ``each`` is where the
    loss of each item is written.
    """
    codes, probabilities = _rows(codes, probabilities)

    def losses(rows: slice) -> Array:
        p = np.take_along_axis(probabilities[rows], codes[rows, None], 1)[:, 0].astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):  # a floor of 0: infinite losses
            result: Array = -np.log(np.maximum(p, floor))
        if each is not None:
            each[rows] = result
        return result

    return _sum_losses(losses, codes, probabilities)


def _rows(codes: Array, probabilities: Array) -> tuple[Array, Array]:
    """Codes that index, and a row of probabilities for each."""
    if probabilities.ndim == 1:
        second = probabilities.astype(np.float64)
        probabilities = np.stack([1 - second, second], axis=1)
    return _indices(codes, probabilities.shape[1]), probabilities


def _indices(codes: Array, columns: int) -> Array:
    """Codes that index so many columns."""
    if ((codes < 0) | (codes >= columns)).any():
        raise ValueError("a code is outside the range of the classes")
    return codes.astype(np.intp, copy=False)


def brier_sums(codes: Array, probabilities: Array, each: Array | None = None) -> LossSums:
    """Σ and Σ² of each item's squared distance between its probabilities and its true class.

    A single column of probabilities belongs to the second of two classes.
    """
    codes, probabilities = _rows(codes, probabilities)

    def losses(rows: slice) -> Array:
        error = np.array(probabilities[rows], np.float64)
        error[np.arange(len(error)), codes[rows]] -= 1
        squared: Array = np.einsum("ij,ij->i", error, error)
        if each is not None:
            each[rows] = squared
        return squared

    return _sum_losses(losses, codes, probabilities)


def hinge_sums(codes: Array, scores: Array) -> LossSums:
    """Σ and Σ² of how far the true class's score is from 1 above all others; fair if all finite."""
    at, wide = _indices(codes, scores.shape[1])[:, None], scores.astype(np.float64)
    own = np.take_along_axis(wide, at, 1)[:, 0]
    np.put_along_axis(wide, at, -np.inf, 1)
    with np.errstate(invalid="ignore"):
        losses = np.maximum(1 - (own - wide.max(1)), 0.0)
        total, squares = float(losses.sum()), float(np.dot(losses, losses))
    return LossSums(len(codes), total, squares, bool(np.isfinite(scores).all()), int(codes.min()))


def top_sums(codes: Array, scores: Array, k: int, ties: str) -> LossSums:
    """Σ and Σ² of whether fewer than k classes rank ahead of the true one."""
    at = _indices(codes, scores.shape[1])[:, None]
    own, place = np.take_along_axis(scores, at, 1), np.arange(scores.shape[1])
    wins = {"first": place < at, "last": place > at, "best": np.False_, "worst": place != at}[ties]
    ahead = np.count_nonzero((scores > own) | ((scores == own) & wins), axis=1)
    hits, finite = float(np.count_nonzero(ahead < k)), bool(np.isfinite(scores).all())
    return LossSums(len(codes), hits, hits, finite, int(codes.min()))


def _sum_losses(losses: Callable[[slice], Array], codes: Array, probabilities: Array) -> LossSums:
    total = squares = 0.0
    n = len(probabilities)
    for rows in _chunks(n):
        loss = losses(rows)
        total += float(loss.sum())
        squares += float(np.dot(loss, loss))
    fair, least = first_bad_row(probabilities) == n, int(codes.min()) if n else 0
    return LossSums(n, total, squares, fair, least)


def first_bad_row(probabilities: Array, tolerance: float = TOLERANCE) -> int:
    """The first row with a value outside [0, 1] or a sum too far from 1; the length if none."""
    for chunk in _chunks(len(probabilities)):
        rows = probabilities[chunk]
        good = ((rows >= 0) & (rows <= 1)).all(1) & (
            np.abs(rows.sum(1, dtype=np.float64) - 1) <= tolerance
        )
        if not good.all():
            return int(chunk.start) + int(np.argmin(good))
    return len(probabilities)


def sum_rows(rows: Array, order: Array, starts: Array) -> Array:
    """Sums of rows (units, replicates) of whole numbers, as floats (groups, replicates).

    Group g has the rows ``order[starts[g]:starts[g + 1]]``.
    """
    if len(order) and not 0 <= order.min() <= order.max() < len(rows):
        raise ValueError(f"rows must lie in [0, {len(rows)})")
    groups = zip(starts.tolist(), starts[1:].tolist(), strict=False)
    sums = [rows[order[start:end]].sum(0, dtype=np.float64) for start, end in groups]
    return np.stack(sums) if sums else np.zeros((0, rows.shape[1]))


def flips(count: Array, seed: int, first: int, replicates: int) -> Array:
    """How many of each unit's coins show heads (units, replicates), from a first replicate on.

    Each unit has a stream of random bits, from which replicate r takes those from r·count on, so
    the flips do not depend on how many replicates are drawn at a time.
    """
    rows = np.empty((len(count), replicates), np.uint8 if count.max(initial=0) < 256 else np.int32)
    for unit, items in enumerate(count.tolist()):
        start, end = first * items, (first + replicates) * items
        words = np.arange(start // 64, -(-end // 64), dtype=np.uint64) + np.uint64(unit << 32)
        bits = np.unpackbits(_random_words(words, seed).view(np.uint8), bitorder="little")
        own = bits[start % 64 :][: end - start]
        rows[unit] = own.reshape(replicates, items).sum(1)
    return rows


def _random_words(at: Array, seed: int) -> Array:
    """Words of a stream of random bits: SplitMix64 (Steele, Lea and Flood 2014)."""
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + (at + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        words: Array = (z ^ (z >> np.uint64(31))).astype("<u8")
    return words


def multinomial(rng: np.random.Generator, items: int, share: Array, replicates: int) -> Array:
    """How often each unit is drawn (units, replicates), as NumPy draws it."""
    return np.ascontiguousarray(rng.multinomial(items, share, replicates).T.astype(np.int32))


def beta_logit(a: float, b: float, p: float) -> float:
    """The quantile x of the beta distribution, 0 < p < 1, as ln(x / (1 − x)): no end is rounded."""
    from scipy.special import betaincinv  # slow to import

    x, rest = float(betaincinv(a, b, p)), float(betaincinv(b, a, 1 - p))
    return (log(x) if x else -inf) - (log(rest) if rest else -inf)


_OF_TWO = ("add", "subtract", "multiply", "divide", "minimum", "maximum")
_COMPARED = ("greater_equal", "less_equal", "greater")
_WITHOUT_SLOPES = ("absolute", "or one", "max", *_COMPARED, "kept", "first")
OPERATIONS = (*_OF_TWO, "negative", "sqrt", "sum", "check", *_WITHOUT_SLOPES)
"""The steps of a formula; those from 'negative' to 'max' have one argument."""


class Formula(NamedTuple):
    """A formula in steps: a place in ``OPERATIONS`` and the registers of two arguments, each.

    Registers are the inputs, the constants, and the results of the steps, in this order.
    """

    steps: Array
    constants: Array
    result: int
    """The register of the value."""


def differentiate(formula: Formula, inputs: Array) -> tuple[Array, Array] | None:
    """The values of a formula for inputs (tables, inputs, classes), and its slopes by the inputs.

    None if a number is 0 that must not be.
    """
    known = _registers(formula, inputs)
    if known is None:
        return None
    steps = [(OPERATIONS[op], a, b) for op, a, b in formula.steps.tolist()]
    if any(name in _WITHOUT_SLOPES for name, *_ in steps):
        raise ValueError("a step has no slopes")
    first = inputs.shape[1] + len(formula.constants)
    with np.errstate(all="ignore"):
        slopes = [np.zeros(x.shape) for x in known]
        slopes[formula.result][...] = 1.0
        for at in range(len(known) - 1, first - 1, -1):
            name, a, b = steps[at - first]
            parts = _parts(name, known[a], known[b], known[at], slopes[at])
            for place, part in zip((a, b), parts, strict=False):
                wide = slopes[place].shape[-1] > 1 or part.shape[-1] == 1
                slopes[place] += part if wide else part.sum(-1, keepdims=True)
    return known[formula.result][:, 0], np.stack(slopes[: inputs.shape[1]], 1)


def _registers(formula: Formula, inputs: Array) -> list[Array] | None:
    """The inputs (tables, inputs, classes), constants and results of steps; None at a zero."""
    known: list[Array] = [*inputs.transpose(1, 0, 2)]
    known += [np.full((len(inputs), 1), x) for x in formula.constants.tolist()]
    with np.errstate(all="ignore"):
        for op, a, b in formula.steps.tolist():
            name, x, y = OPERATIONS[op], known[a], known[b]
            if name == "check" and not x.all():
                return None
            known.append(_step(name, x, y))
    return known


def _step(name: str, x: Array, y: Array) -> Array:
    """The result of one step."""
    if name == "check":
        return x
    if name == "sum":
        return np.asarray(np.add.reduce(np.ascontiguousarray(x), -1, keepdims=True))
    if name == "max":
        return np.asarray(x.max(-1, keepdims=True))
    if name == "or one":
        return np.where(x == 0, 1.0, x)
    if name == "kept":
        return np.where(x != 0, y, 0.0)
    if name == "first":
        return np.take_along_axis(y, x.argmax(-1)[..., None], -1)
    if name in ("negative", "sqrt", "absolute"):
        return np.asarray(getattr(np, name)(x))
    return np.asarray(getattr(np, name)(x, y), np.float64)


RankValue: TypeAlias = tuple[float, float, float, float, float]
"""The value of a formula; positives and negatives; the highest and the lowest score."""


def rank_value(formula: Formula, scores: Array, labels: Array) -> RankValue | None:
    """The value of a formula of a ranking without weights, and what shows whether it has one.

    Its inputs are scores, the highest first, positives and negatives of each, and the running sums
    of both. None if a label is neither 0 nor 1, or if a score is NaN.
    """
    if np.isnan(scores).any():
        return None
    ranked = rank_labels(scores, labels)
    if ranked is None:
        return None
    score, positives, negatives = ranked[0]
    inputs = np.stack([score.astype(np.float64), *running(positives, negatives, 0.0, 0.0)])
    known = _registers(formula, inputs[None])
    if known is None:
        return None
    value, sizes = float(known[formula.result][0, 0]), inputs[3:, -1].tolist()
    return value, sizes[0], sizes[1], float(score[0]), float(score[-1])


def bin_value(formula: Formula, scores: Array, labels: Array, edges: Array) -> float | None:
    """The value of a formula of Σ (y − p) and the number of items in bins between rising edges.

    None if a score is outside [0, 1] or a label neither 0 nor 1.
    """
    sums = bin_sums(scores, labels, edges)
    if sums is None:
        return None
    known = _registers(formula, np.stack([sums[1] - sums[2], sums[0]])[None])
    return None if known is None else float(known[formula.result][0, 0])


SpreadSums: TypeAlias = tuple[float, float, float, float, float, float, float, float]
"""What the spread of a score of whole counts is computed from.

The value; Σ of the squares and of the cubes of the items' influence; the second derivative along
it, if it was asked for; and the fewest items, hits, false positives and misses of a class.
"""
_STEP = 1e-2
"""The largest relative change of a count, for a second derivative."""


def class_spread(
    formula: Formula, tp: float, fp: float, fn: float, tn: float, bent: bool
) -> SpreadSums | None:
    """The sums for a formula of one class; with the second derivative if it is ``bent``.

    None if a number is 0 that must not be.
    """
    kinds = np.array([tp, fp, fn, tn], np.float64)
    computed = differentiate(formula, kinds.reshape(1, 4, 1))
    if computed is None:
        return None
    value, slope = float(computed[0][0]), computed[1].reshape(4)
    slope = slope - (kinds * slope).sum() / kinds.sum()
    second, along = 0.0, float(np.abs(slope[kinds > 0]).max(initial=0.0))
    if bent and along > 0:
        step = _STEP / along
        moved = np.stack([kinds * (1 + side * step * slope) for side in (-1, 1)])
        both = differentiate(formula, moved.reshape(2, 4, 1))
        if both is None:
            return None
        second = float(both[0][0] - 2 * value + both[0][1]) / step**2
    square, cube = (float((kinds * slope**power).sum()) for power in (2, 3))
    return value, square, cube, second, 0.0, 0.0, 0.0, 0.0


def table_value(formula: Formula, margins: Any) -> float | None:
    """The value of a formula of all classes, from the margins of their table.

    None if a number is 0 that must not be.
    """
    computed = differentiate(formula, _inputs(np.frombuffer(margins, np.float64).reshape(3, -1)))
    return None if computed is None else float(computed[0][0])


def _inputs(margins: Array) -> Array:
    tp, fp, fn = margins
    return np.stack([*margins, (tp + fn).sum() - tp - fp - fn])[None]


def table_spread(
    formula: Formula, margins: Any, true: Any, predicted: Any, count: Any, every: bool
) -> SpreadSums | None:
    """The sums for a formula of all classes, from the margins and the cells of their table.

    Cells are true and predicted classes with counts, or true · classes + predicted and then the
    counts in one block of bytes. The sizes are those of every class, or of classes with true or
    predicted items. None if a number is 0 that must not be.
    """
    sums = np.frombuffer(margins, np.float64).reshape(3, -1)
    (tp, fp, fn), k = sums, sums.shape[1]
    if count is None:
        place, count = np.frombuffer(true, np.int64), np.frombuffer(true, np.float64)
        place, count = place[: len(place) // 2], count[len(place) // 2 :]
        true, predicted = np.divmod(place, k)
    computed = differentiate(formula, _inputs(sums))
    if computed is None:
        return None
    value, (right, columns, rows, tn) = float(computed[0][0]), computed[1][0]
    others = tn.sum() - tn
    wrong = (rows + others)[true] + (columns - tn)[predicted]
    slope = np.where(true == predicted, (right + others)[true], wrong)
    square, cube = (float((count * slope**power).sum()) for power in (2, 3))
    seen = slice(None) if every else tp + fn + fp > 0
    least = [float(x[seen].min(initial=inf)) for x in (tp + fn, tp, fp, fn)]
    return value, square, cube, 0.0, least[0], least[1], least[2], least[3]


def _parts(name: str, x: Array, y: Array, r: Array, g: Array) -> list[Array]:
    """What flows back from a result to the arguments of its step."""
    lower = x <= y if name == "minimum" else x >= y
    parts: dict[str, Callable[[], list[Array]]] = {
        "add": lambda: [g, g],
        "subtract": lambda: [g, -g],
        "multiply": lambda: [g * y, g * x],
        "divide": lambda: [g / y, g * (-r / y)],
        "minimum": lambda: [np.where(lower, g, 0), np.where(lower, 0, g)],
        "maximum": lambda: [np.where(lower, g, 0), np.where(lower, 0, g)],
        "negative": lambda: [-g],
        "sqrt": lambda: [np.divide(g, 2 * r, out=np.zeros(g.shape), where=r != 0)],
        "sum": lambda: [np.broadcast_to(g, x.shape)],
        "check": list,
    }
    return parts[name]()
