"""The one door to the counting loops: whatever counts, counts through these functions."""

from __future__ import annotations

from whichf1.kernel.ranking_reference import Ranks, Sums, brier_sums, loss_sums, rank_table
from whichf1.kernel.reference import Pairs, count_pairs, encode

__all__ = [
    "Pairs",
    "Ranks",
    "Sums",
    "brier_sums",
    "count_pairs",
    "encode",
    "loss_sums",
    "rank_table",
]
