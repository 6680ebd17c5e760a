"""The one door to the counting loops: whatever counts, counts through these functions.

They are C where the extension was built and NumPy otherwise, with the same results;
``WHICHF1_NATIVE=0`` in the environment asks for NumPy, ``WHICHF1_THREADS`` for a number of threads.
"""

from __future__ import annotations

import os

from whichf1.kernel.ranking_reference import TOLERANCE, Ranks, Sums
from whichf1.kernel.reference import Pairs

try:
    if os.environ.get("WHICHF1_NATIVE") == "0":
        raise ImportError("not wanted")
    from whichf1.kernel import _native as _native
except ImportError:
    NATIVE = False
else:
    NATIVE = True
"""Whether the loops are C."""

if NATIVE:
    from whichf1.kernel.native import (
        brier_sums,
        count_margins,
        count_pairs,
        encode,
        first_bad_row,
        loss_sums,
        margins,
        rank_table,
    )
else:
    from whichf1.kernel.ranking_reference import brier_sums, first_bad_row, loss_sums, rank_table
    from whichf1.kernel.reference import count_margins, count_pairs, encode, margins

__all__ = [
    "NATIVE",
    "TOLERANCE",
    "Pairs",
    "Ranks",
    "Sums",
    "brier_sums",
    "count_margins",
    "count_pairs",
    "encode",
    "first_bad_row",
    "loss_sums",
    "margins",
    "rank_table",
]
