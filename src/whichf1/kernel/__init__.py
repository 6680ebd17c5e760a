"""The one door to the counting loops: whatever counts, counts through these functions."""

from __future__ import annotations

from whichf1.kernel.reference import Pairs, count_pairs, encode

__all__ = ["Pairs", "count_pairs", "encode"]
