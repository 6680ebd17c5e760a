"""The loops in C. Arrays come in through the buffer protocol, results leave as bytes."""

from typing import Any

def count_pairs(
    true: Any, predicted: Any, weights: Any, threads: int, flush: int
) -> tuple[list[int] | None, bytes, bytes, bytes]:
    """GROUP BY true, predicted: labels, codes (int64), and counts (int64) or sums (float64).

    Without labels there were too many classes for a dense table: the codes are then the values
    themselves, in no order. ``flush``: items that 32-bit counters may take; 0 for the default.
    """

def count_margins(true: Any, predicted: Any, threads: int) -> tuple[list[int], bytes] | None:
    """The labels, and the rows, columns and diagonal (float64) of their table.

    None where there were too many classes for a dense table.
    """

def margins(true: Any, predicted: Any, count: Any, classes: int) -> bytes:
    """Sums (float64) of counts by true class, by predicted class, and of the diagonal."""

def encode_strings(items: Any, table: dict[str, int], texts: list[str]) -> bytes | None:
    """Codes (int32) of exact str objects in a list, tuple or object array; None if one is not.

    New strings are added to the table and to the texts.
    """

def encode_fixed(items: Any) -> tuple[bytes, bytes]:
    """Codes (int32) of fixed-width strings, and where (int64) each distinct one appears first."""

def rank_table(
    scores: Any,
    positive: Any,
    weights: Any,
    threads: int,
    score: Any,
    positives: Any,
    negatives: Any,
) -> int:
    """Fill in the distinct scores, highest first, with positives and negatives; how many they are.

    The last three arrays are as long as the scores: float64, and twice int32 (int64 from 2³¹ − 1
    items on), or float64 with weights.
    """

def losses(
    codes: Any, probabilities: Any, floor: float, tolerance: float, wanted: int, threads: int
) -> tuple[float, float, float, float, int]:
    """Σ and Σ² of log loss (wanted & 1) and Brier score (& 2), and the first bad row (& 4).

    A row is bad whose values lie outside [0, 1] or whose sum is off 1 by more than the tolerance.
    """
