"""The functions of ``reference``, computed in C."""

from __future__ import annotations

import os
from collections.abc import Sequence
from math import isqrt
from typing import Any

import numpy as np

import whichf1.kernel._native as c
from whichf1.kernel.reference import (
    BUCKETS,
    CURVES,
    KEPT,
    LABEL_SCORES,
    PRECISIONS,
    TOLERANCE,
    Array,
    CountedTable,
    Formula,
    LossSums,
    Pairs,
    Ranks,
    RankValue,
    SpreadSums,
)
from whichf1.kernel.reference import encode as _encode_any
from whichf1.kernel.reference import order as _order_any

_LOG, _BRIER, _CHECK, _HINGE = 1, 2, 4, 16
_AHEAD = {"first": 1, "last": 2, "best": 0, "worst": 3}
_LABEL_SCORES = {name: at for at, name in enumerate(LABEL_SCORES)}
_CURVES = {name: at for at, name in enumerate(CURVES)}
_PRECISIONS = {name: at for at, name in enumerate(PRECISIONS)}
_KEPT = {name: at for at, name in enumerate(KEPT)}
_OF_PAIRS = ("disorder", "precision")
_MOST_LABELS = 64
_FLOAT, _INTEGER, _COUNT = map(np.dtype, (np.float64, np.int64, np.int32))
_FLAG = np.dtype(np.bool_)
_CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
_ASKED = os.environ.get("WHICHF1_THREADS", "")
THREADS = min(int(_ASKED[:6]) if _ASKED.isdecimal() else 10**6, _CORES or 1) or 1
"""The number of threads: as many as there are cores, or fewer."""


def count_pairs(true: Array, predicted: Array, weights: Array | None = None) -> Pairs:
    """Count the distinct pairs of two non-empty integer or boolean arrays of equal length."""
    if weights is not None:
        weights = np.ascontiguousarray(weights)
    labels, left, right, sums = c.count_pairs(true, predicted, weights, THREADS, 0)
    count = np.frombuffer(sums, np.int64 if weights is None else np.float64)
    return Pairs(labels, np.frombuffer(left, np.int64), np.frombuffer(right, np.int64), count)


def count_table(true: Array, predicted: Array, whole: bool = False) -> CountedTable | None:
    """The labels of two columns and the margins of their table; if whole, its sums and cells.

    None if the columns are not of one kind of integers, or booleans, and of one length above 0.
    """
    return c.count_table(true, predicted, THREADS, whole)


def count_class(
    true: Array, predicted: Array, positive: Any
) -> tuple[list[Any], tuple[float, float, float, float]] | None:
    """The labels of two columns, and of one class, true and false positives and negatives.

    In the order tp, fp, fn, tn. None where ``count_table`` gives none, or if that class, of the
    same type, does not occur.
    """
    return c.count_class(true, predicted, THREADS, positive)


def contingency(margins: bytes, cells: bytes) -> tuple[float, float]:
    """n χ² of a table of n items; the fewer of its rows and columns that have items, less one.

    ``margins`` and ``cells`` as ``count_table`` gives them.
    """
    return c.contingency(margins, cells)


def information(margins: bytes, cells: bytes) -> tuple[float, float, float]:
    """n times the information that true and predicted classes share, and n times their entropies.

    In nats; ``margins`` and ``cells`` as ``count_table`` gives them.
    """
    return c.information(margins, cells)


def information_of_each(margins: Array, cells: Array, counts: Array) -> Array:
    """The same for several tables with the same cells (tables, 3).

    ``margins`` (tables, 3, classes) and ``counts`` (tables, cells) are whole numbers.
    """
    sums = np.empty((len(counts), 3))
    margins, counts = (np.ascontiguousarray(x, np.float64) for x in (margins, counts))
    c.information_of_each(margins, cells.astype(np.int64), counts, sums)
    return sums


margins = c.margins


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
    return c.add_pairs(true, predicted, codes, low, isqrt(len(counts)), counts, margins)


def encode(*columns: Sequence[Any] | Array) -> tuple[list[Array], list[Any]]:
    """Codes for each column, numbered across columns, and the distinct items as first seen."""
    table: dict[str, int] = {}
    texts: list[str] = []
    codes = []
    for column in columns:
        column_codes = _encode(column, table, texts)
        if column_codes is None:
            return _encode_any(*columns)
        codes.append(column_codes)
    return codes, texts


def _encode(column: Any, table: dict[str, int], texts: list[str]) -> Array | None:
    """The codes of one column; None if an item is not exactly a str."""
    if isinstance(column, np.ndarray) and column.dtype.kind == "U" and column.itemsize:
        items, first = c.encode_fixed(column)
        distinct = column[np.frombuffer(first, np.int64)].tolist()
        known = np.frombuffer(c.encode_strings(distinct, table, texts) or b"", np.int32)
        return known[np.frombuffer(items, np.int32)]
    if isinstance(column, np.ndarray) and (column.dtype != object or not column.flags.aligned):
        column = column.tolist()
    if not isinstance(column, (np.ndarray, list, tuple)):
        return None
    codes = c.encode_strings(column, table, texts)
    return None if codes is None else np.frombuffer(codes, np.int32)


def rank_table(scores: Array, positive: Array, weights: Array | None = None) -> Ranks:
    """Count positives and negatives by score, from floats without NaN and booleans."""
    ranked = rank_labels(scores, positive, weights) if positive.dtype.kind == "b" else None
    if ranked is None:
        raise TypeError(f"positive must be booleans, got {positive.dtype}")
    return ranked[0]


def rank_labels(
    scores: Array, labels: Array, weights: Array | None = None
) -> tuple[Ranks, int] | None:
    """The same for integers, with 1 as positive, and how many are; None if one is not 0 or 1."""
    if weights is not None:
        weights = np.ascontiguousarray(weights)
    n = len(scores)
    kind = _FLOAT if weights is not None else _COUNT if n < 2**31 - 1 else _INTEGER
    width = kind.itemsize
    room = np.empty((8 + 2 * width) * n, np.uint8)  # one block, so that large pages fit
    ranked = c.rank_table(scores, labels, weights, THREADS, room)
    if ranked is None:
        return None
    distinct, items = ranked
    score = np.ndarray(distinct, _FLOAT, room)
    positives = np.ndarray(distinct, kind, room, 8 * n)
    negatives = np.ndarray(distinct, kind, room, (8 + width) * n)
    if scores.dtype.itemsize < 8:
        score = score.astype(scores.dtype.newbyteorder("="))
    if 2 * distinct < n:  # with many ties, do not keep the unused memory
        score, positives, negatives = score.copy(), positives.copy(), negatives.copy()
    return Ranks(score, positives, negatives), items


def order(scores: Array) -> tuple[Array, Array]:
    """The places of scores without NaN, highest first and equal ones in order; and these scores."""
    if scores.dtype.kind != "f" or scores.dtype.itemsize > 8:
        return _order_any(scores)
    n = len(scores)
    room = np.empty(16 * n, np.uint8)
    c.order(scores, THREADS, room)
    return np.ndarray(n, _INTEGER, room), np.ndarray(n, _FLOAT, room, 8 * n)


def rank_areas(scores: Array, labels: Array) -> tuple[float, ...] | None:
    """What the ranking of items without weights adds up to: the fields of ``RankAreas``.

    None if a label is neither 0 nor 1, or if a score is not finite.
    """
    return c.rank_areas(scores, labels, THREADS)


def trapezoid(x: Array, y: Array) -> tuple[float, bool, bool]:
    """The area under a curve by the trapezoidal rule; whether x ever rises; whether it ever falls.

    Both are contiguous float64. The area is not finite if a point is not.
    """
    return c.trapezoid(x, y, THREADS)


def group_labels(true: Array, predicted: Array) -> tuple[Array, Array] | None:
    """Group items by the labels that they have in two matrices of 0 and 1 (items × labels).

    Lines (3, lines) show for each kind of item, in order, which labels are in both matrices (0),
    only predicted (1) or only true (2), and how many items it has. None if a number is neither 0
    nor 1.
    """
    grouped = c.group_labels(true, predicted)
    if grouped is None:
        return None
    lines, count = grouped
    return np.ndarray((3, len(lines) // 24), _INTEGER, lines), np.frombuffer(count, _INTEGER)


def item_labels(true: Array, predicted: Array) -> Array | None:
    """Labels of each item that are in both matrices, only predicted, and only true: (3, items).

    None if a number is neither 0 nor 1.
    """
    sums = c.item_labels(true, predicted)
    return None if sums is None else np.ndarray((3, len(true)), _FLOAT, sums)


def label_flags(true: Array, scores: Array) -> Array | None:
    """Whether each item has each label, as booleans; None if a number is neither 0 nor 1.

    Also None if a score, of the same shape, is not finite.
    """
    flags = c.label_flags(true, scores)
    return None if flags is None else np.ndarray(true.shape, _FLAG, flags)


def label_scores(true: Array, other: Array, what: str) -> tuple[float, float, float] | None:
    """Σ, Σ² and Σ³ of a score of each item by its labels, one of ``LABEL_SCORES``.

    Both matrices (items, labels) hold 0 and 1; or ``other`` finite scores, if the score is of them.
    None for other numbers, and in C if comparing each label with each would take long.
    """
    if what in _OF_PAIRS and true.shape[1] > _MOST_LABELS:
        return None
    return c.label_scores(true, other, _LABEL_SCORES[what], THREADS)


def placements(
    positives: Array, negatives: Array, p: float, n: float
) -> tuple[float, float, float, float, float, float]:
    """The ROC AUC, and sums over the items of a ranking of their parts in it, from counts by score.

    With s the part of a positive and t that of a negative: Σs², Σt², Σs³ + Σt³, Σs⁴ + Σt⁴, and
    Σ s·t over the pairs in order, of which those of equal scores count half. ``p`` and ``n`` are
    the sizes of the classes.
    """
    return c.placements(positives, negatives, p, n)


def place_precisions(
    positives: Array, negatives: Array, what: str
) -> tuple[float, float, float, float, float, float]:
    """A score of the precisions in a ranking, one of ``PRECISIONS``, from counts by score.

    Its value; with s the part of a positive and t that of a negative, Σs², Σt², Σs³ + Σt³ and
    Σs⁴ + Σt⁴; and the second derivative along these parts.
    """
    return c.place_precisions(positives, negatives, _PRECISIONS[what])


def running(positives: Array, negatives: Array, tp: float, fp: float) -> Array:
    """Both columns in float64 and, from ``tp`` and ``fp`` on, their running sums: (4, scores)."""
    steps = np.empty((4, len(positives)))
    c.running(positives, negatives, tp, fp, steps)
    return steps


def curve(
    score: Array, positives: Array, negatives: Array, kind: str = "counts", kept: str = "every"
) -> tuple[Array, ...]:
    """The points of a curve, from above the highest score on: x, y and threshold.

    A rate of no items is 0/0 on a ROC curve and 0 on a DET curve; a recall of none is 1. Matrices
    have true and false negatives as well.
    """
    most = len(score) + 1
    rooms = [np.empty((3, most))]
    if kind == "matrices":  # not in the same block: a smaller one is more often reused
        rooms.append(np.empty((2, most)))
    which = _CURVES[kind], _KEPT[kept]
    points = c.curve(score, positives, negatives, *which, THREADS, *rooms)
    rows = [*rooms[0], *rooms[-1]] if len(rooms) > 1 else [*rooms[0]]
    if points < most:
        rows = [row[:points] for row in rows]
        if 3 * points < most:  # do not keep much unused memory
            rows = [row.copy() for row in rows]
    return tuple(rows)


def bucket_counts(scores: Array, labels: Array) -> Array | None:
    """Positives and negatives in each bucket of near scores, highest first: (3, buckets).

    The first row numbers the buckets. None if a label is neither 0 nor 1, or a score not finite.
    """
    most = min(len(scores), BUCKETS)
    lines = np.empty((3, most), np.int64)
    buckets = c.bucket_counts(scores, labels, THREADS, lines)
    return None if buckets is None else lines[:, :buckets].copy()


def rank_buckets(scores: Array, labels: Array, counts: Array) -> Ranks:
    """The ranking of the items in some of these buckets, fewer than 2³¹ − 1 items."""
    chosen, n = np.zeros(BUCKETS, np.uint8), int(counts[1:].sum())
    chosen[counts[0]] = 1
    room = np.empty(16 * n, np.uint8)
    distinct = c.rank_buckets(scores, labels, chosen, THREADS, room)
    if distinct is None:
        raise ValueError("the items have changed since they were counted")
    score = np.ndarray(distinct, _FLOAT, room)
    sides = (np.ndarray(distinct, _COUNT, room, at * n) for at in (8, 12))
    return Ranks(score, *sides)


def bin_sums(scores: Array, labels: Array, edges: Array) -> Array | None:
    """Items, positives and the sum of probabilities in bins between rising edges (3, bins).

    None if a score is outside [0, 1] or a label neither 0 nor 1.
    """
    bins = len(edges) + 1
    sums = np.empty((3, bins))
    return sums if c.bins(scores, labels, edges, THREADS, sums) else None


def loss_sums(
    codes: Array, probabilities: Array, floor: float, each: Array | None = None
) -> LossSums:
    """Σ and Σ² of −ln max(p, floor), where p is the probability of the true class.

    A single column of probabilities belongs to the second of two classes. ``each`` is where the
    loss of each item is written.
    """
    sums = c.losses(codes, probabilities, floor, TOLERANCE, _LOG | _CHECK, THREADS, each)
    n = len(codes)
    return LossSums(n, sums[0], sums[1], sums[4] == n, sums[5])


def brier_sums(codes: Array, probabilities: Array, each: Array | None = None) -> LossSums:
    """Σ and Σ² of each item's squared distance between its probabilities and its true class.

    A single column of probabilities belongs to the second of two classes.
    """
    sums = c.losses(codes, probabilities, 0.0, TOLERANCE, _BRIER | _CHECK, THREADS, each)
    n = len(codes)
    return LossSums(n, sums[2], sums[3], sums[4] == n, sums[5])


def hinge_sums(codes: Array, scores: Array) -> LossSums:
    """Σ and Σ² of how far the true class's score is from 1 above all others; fair if all finite."""
    sums = c.losses(codes, scores, 0.0, 0.0, _HINGE, THREADS, None)
    n = len(codes)
    return LossSums(n, sums[6], sums[7], sums[4] == n, sums[5])


def top_sums(codes: Array, scores: Array, k: int, ties: str) -> LossSums:
    """Σ and Σ² of whether fewer than k classes rank ahead of the true one."""
    n = len(codes)
    hits, bad, least = c.hits(codes, scores, min(k, scores.shape[1]), _AHEAD[ties], THREADS)
    return LossSums(n, float(hits), float(hits), bad == n, least)


def first_bad_row(probabilities: Array, tolerance: float = TOLERANCE) -> int:
    """The first row with a value outside [0, 1] or a sum too far from 1; the length if none."""
    codes = np.ndarray(len(probabilities), np.int64, bytes(8), strides=(0,))  # all are 0
    return c.losses(codes, probabilities, 0.0, tolerance, _CHECK, THREADS, None)[4]


def sum_rows(rows: Array, order: Array, starts: Array) -> Array:
    """Sums of rows (units, replicates) of whole numbers, as floats (groups, replicates).

    Group g has the rows ``order[starts[g]:starts[g + 1]]``.
    """
    sums = np.empty((max(len(starts) - 1, 0), rows.shape[1]))
    c.sum_rows(rows, order.astype(np.int64), starts.astype(np.int64), THREADS, sums)
    return sums


def flips(count: Array, seed: int, first: int, replicates: int) -> Array:
    """How many of each unit's coins show heads (units, replicates), from a first replicate on.

    Each unit has a stream of random bits, from which replicate r takes those from r·count on, so
    the flips do not depend on how many replicates are drawn at a time.
    """
    rows = np.empty((len(count), replicates), np.uint8 if count.max(initial=0) < 256 else np.int32)
    c.flips(count.astype(np.int64), seed, first, THREADS, rows)
    return rows


def multinomial(rng: np.random.Generator, items: int, share: Array, replicates: int) -> Array:
    """How often each unit is drawn (units, replicates), as NumPy draws it."""
    generator: Any = rng.bit_generator
    known = generator.state
    here, step, low = known["state"]["state"], known["state"]["inc"], 2**64 - 1
    state = np.array([here >> 64, here & low, step >> 64, step & low], np.uint64)
    small = items * share.max(initial=0.0) < 256
    rows = np.empty((len(share), replicates if small else 0), np.uint8)
    if not small or not c.multinomial(state, items, share, rows):  # a number above 255
        rows = np.empty((len(share), replicates), np.int32)
        c.multinomial(state, items, share, rows)
    known["state"]["state"] = int(state[0]) << 64 | int(state[1])
    generator.state = known
    return rows


beta_logit = c.beta_logit


def differentiate(formula: Formula, inputs: Array) -> tuple[Array, Array] | None:
    """The values of a formula for inputs (tables, inputs, classes), and its slopes by the inputs.

    None if a number is 0 that must not be.
    """
    values, slopes = np.empty(len(inputs)), np.empty(inputs.shape)
    steps, constants, result = formula
    return (
        (values, slopes)
        if c.differentiate(steps, constants, inputs, values, slopes, result)
        else None
    )


def class_spread(
    formula: Formula, tp: float, fp: float, fn: float, tn: float, bent: bool
) -> SpreadSums | None:
    """The sums for a formula of one class; with the second derivative if it is ``bent``.

    None if a number is 0 that must not be.
    """
    steps, constants, result = formula
    return c.class_spread(steps, constants, result, tp, fp, fn, tn, bent)


def table_value(formula: Formula, margins: Any) -> float | None:
    """The value of a formula of all classes, from the margins of their table.

    None if a number is 0 that must not be.
    """
    steps, constants, result = formula
    return c.table_value(steps, constants, result, margins)


def table_spread(
    formula: Formula, margins: Any, true: Any, predicted: Any, count: Any, every: bool
) -> SpreadSums | None:
    """The sums for a formula of all classes, from the margins and the cells of their table.

    Cells are true and predicted classes with counts, or true · classes + predicted and then the
    counts in one block of bytes. The sizes are those of every class, or of classes with true or
    predicted items. None if a number is 0 that must not be.
    """
    steps, constants, result = formula
    return c.table_spread(steps, constants, result, margins, true, predicted, count, every)


def rank_value(formula: Formula, scores: Array, labels: Array) -> RankValue | None:
    """The value of a formula of a ranking without weights, and what shows whether it has one.

    Its inputs are scores, the highest first, positives and negatives of each, and the running sums
    of both. None if a label is neither 0 nor 1, or if a score is NaN.
    """
    steps, constants, result = formula
    return c.rank_value(scores, labels, steps, constants, result)


def bin_value(formula: Formula, scores: Array, labels: Array, edges: Array) -> float | None:
    """The value of a formula of Σ (y − p) and the number of items in bins between rising edges.

    None if a score is outside [0, 1] or a label neither 0 nor 1.
    """
    steps, constants, result = formula
    return c.bin_value(scores, labels, edges, steps, constants, result, THREADS)
