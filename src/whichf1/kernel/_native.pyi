"""The C extension. Arrays are passed through the buffer protocol, results are returned as bytes."""

from typing import Any

from whichf1.kernel.reference import SpreadSums

def count_pairs(
    true: Any, predicted: Any, weights: Any, threads: int, flush: int
) -> tuple[list[int], bytes, bytes, bytes]:
    """GROUP BY true, predicted: labels, codes (int64), and counts (int64) or sums (float64).

    Labels and cells are in order. ``flush``: items counted or sorted at a time; 0: default.
    """

def count_table(
    true: Any, predicted: Any, threads: int, whole: bool
) -> tuple[list[Any], bytes, tuple[float, ...] | None, bytes | None] | None:
    """The labels, the margins (float64) of their table, as below; if whole, its sums and cells.

    The sums are those of ``reference.TableSums``. Cells are their places in the table (int64), then
    their counts (float64). None if the columns are not of one kind of integers, or booleans, and of
    one length above 0.
    """

def count_class(
    true: Any, predicted: Any, threads: int, positive: Any
) -> tuple[list[Any], tuple[float, float, float, float]] | None:
    """The labels, and true positives, false positives and false negatives of one of them.

    None where ``count_table`` gives none, or if that label does not occur.
    """

def contingency(margins: bytes, cells: bytes) -> tuple[float, float]: ...
def information(margins: bytes, cells: bytes) -> tuple[float, float, float]:
    """n times the information that true and predicted classes share, and n times their entropies.

    ``margins`` and ``cells`` as ``count_table`` gives them.
    """

def information_of_each(margins: Any, cells: Any, counts: Any, sums: Any) -> None:
    """The same for several tables, as sums (tables, 3).

    ``margins`` (tables, 3, classes) and ``counts`` (tables, cells) are float64.
    """

def margins(true: Any, predicted: Any, count: Any, sums: Any) -> None:
    """Add counts (float64) to sums (3, classes): the diagonal, the rest by column, and by row."""

def add_pairs(
    true: Any, predicted: Any, codes: Any, low: int, classes: int, counts: Any, margins: Any
) -> bool:
    """Add pairs to a dense table (int64); False, and nothing added, if a label has no class.

    ``codes`` (int32) has the class of each label from ``low`` on; −1: none, −2: dropped.
    ``margins`` (int64, 3 · classes) are added up as above; None if they are not wanted.
    """

def encode_strings(items: Any, table: dict[str, int], texts: list[str]) -> bytes | None:
    """Codes (int32) of the strings in a list, tuple or object array; None if one is not a str.

    New strings are added to ``table`` and ``texts``.
    """

def encode_fixed(items: Any) -> tuple[bytes, bytes]:
    """Codes (int32) of fixed-width strings, and the index (int64) of each string's first item."""

def rank_table(
    scores: Any, positive: Any, weights: Any, threads: int, room: Any
) -> tuple[int, int] | None:
    """Write distinct scores, highest first, with positives and negatives.

    Returns how many scores and how many positive items there are; None if a label is neither 0
    nor 1. The columns go into bytes with room for three that are as long as ``scores``: float64,
    and twice int32 (int64 from 2³¹ − 1 items on), or float64 with weights.
    """

def order(scores: Any, threads: int, room: Any) -> None:
    """Write the places (int64) of scores, highest first, and then the scores so (float64).

    Equal scores keep their order. ``room`` has 16 bytes for each.
    """

def bucket_counts(scores: Any, positive: Any, threads: int, lines: Any) -> int | None: ...
def rank_buckets(
    scores: Any, positive: Any, chosen: Any, threads: int, room: Any
) -> int | None: ...
def rank_areas(scores: Any, positive: Any, threads: int) -> tuple[float, ...] | None:
    """The fields of ``RankAreas``; None if a label is not 0 or 1, or a score not finite."""

def trapezoid(x: Any, y: Any, threads: int) -> tuple[float, bool, bool]:
    """The area under a curve of contiguous float64 points; whether x ever rises, and falls."""

def group_labels(true: Any, predicted: Any) -> tuple[bytes, bytes] | None:
    """GROUP BY the true and predicted labels in two matrices of 0 and 1 (items × labels).

    Lines (3, lines) with kind, label and outcome, and the items of each kind (both int64); None if
    a number is neither 0 nor 1.
    """

def item_labels(true: Any, predicted: Any) -> bytes | None:
    """Labels of each item in both matrices, only predicted and only true (float64: 3, items).

    None if a number is neither 0 nor 1.
    """

def label_flags(true: Any, scores: Any) -> bytes | None:
    """Whether each item has each label; None if a number is neither 0 nor 1.

    Nor if the scores, floats of the same shape, are not all finite.
    """

def label_scores(
    true: Any, other: Any, what: int, threads: int
) -> tuple[float, float, float] | None:
    """Σ, Σ² and Σ³ of a score of each item, by its place in ``reference.LABEL_SCORES``.

    None if a label is neither 0 nor 1, or a score not finite.
    """

def running(positives: Any, negatives: Any, tp: float, fp: float, steps: Any) -> None:
    """Write both columns (float64), and their running sums from ``tp`` and ``fp`` on: (4, scores).

    ``steps`` is flat; integers are added as such.
    """

def curve(
    score: Any, positives: Any, negatives: Any, kind: int, kept: int, threads: int, points: Any
) -> int:
    """Write x, y and threshold of points (flat float64: 3, scores + 1), and return how many.

    The kind is a place in ``reference.CURVES``, and what is kept one in ``reference.KEPT``.
    """

def bins(scores: Any, positive: Any, edges: Any, threads: int, sums: Any) -> bool:
    """Write the sums of each bin (flat float64: 3, bins).

    ``edges`` are those between the bins. False if a score is outside [0, 1] or a label not 0 or 1.
    """

def losses(
    codes: Any,
    probabilities: Any,
    floor: float,
    tolerance: float,
    wanted: int,
    threads: int,
    each: Any,
) -> tuple[float, float, float, float, int, int, float, float]:
    """Σ and Σ² of log loss (wanted & 1) and Brier score (& 2), and the first bad row (& 4).

    At the end, Σ and Σ² of the hinge loss (& 16), with which a row is bad if it is not finite.

    A row is bad if it has a value outside [0, 1] or if its sum differs from 1 by more than the
    tolerance. Then comes the smallest code. A single column is the second of two, and the first has
    the rest. ``each``: where the Brier score or log loss of each item is written, or None.
    """

def hits(codes: Any, scores: Any, k: int, ties: int, threads: int) -> tuple[int, int, int]:
    """Rows with fewer than k columns ahead of the true class, the first bad row, the smallest code.

    Of columns with the same score as the true class, those before it (ties & 1) and after it (& 2)
    are ahead of it. A row is bad if a score is not finite; the length if none is.
    """

def sum_rows(rows: Any, order: Any, starts: Any, threads: int, sums: Any) -> None:
    """Write sums (float64) of rows (uint8 or int32): ``order[starts[g]:starts[g + 1]]`` of each."""

def flips(count: Any, seed: int, first: int, threads: int, rows: Any) -> None:
    """Write how many of each unit's coins (int64) show heads, as uint8 or int32."""

def multinomial(state: Any, items: int, share: Any, rows: Any) -> bool:
    """Write how often each unit is drawn, as uint8 or int32, and move the state of PCG64 on.

    False, and the state as it was, if a number does not fit a byte.
    """

def beta_logit(a: float, b: float, p: float) -> float: ...
def differentiate(
    steps: Any, constants: Any, inputs: Any, values: Any, slopes: Any, result: int
) -> bool:
    """Write a formula's values (float64) and slopes (tables, inputs, classes).

    False if a number is 0 that must not be.
    """

def class_spread(
    steps: Any,
    constants: Any,
    result: int,
    tp: float,
    fp: float,
    fn: float,
    tn: float,
    bent: bool,
) -> SpreadSums | None: ...
def table_value(steps: Any, constants: Any, result: int, margins: Any) -> float | None: ...
def table_spread(
    steps: Any,
    constants: Any,
    result: int,
    margins: Any,
    true: Any,
    predicted: Any,
    count: Any,
    every: bool,
) -> SpreadSums | None: ...
def rank_value(
    scores: Any, positive: Any, steps: Any, constants: Any, result: int
) -> tuple[float, float, float, float, float] | None:
    """The value of a formula of a ranking, and its positives, negatives, highest, lowest score."""

def bin_value(
    scores: Any,
    positive: Any,
    edges: Any,
    steps: Any,
    constants: Any,
    result: int,
    threads: int,
) -> float | None:
    """The value of a formula of Σ (y − p) and of the number of items in bins."""

def place_precisions(
    positives: Any, negatives: Any, what: int
) -> tuple[float, float, float, float, float, float]: ...
def placements(
    positives: Any, negatives: Any, p: float, n: float
) -> tuple[float, float, float, float, float, float]: ...
