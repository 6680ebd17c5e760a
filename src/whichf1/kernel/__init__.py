"""The counting loops: all counting, ranking and summing of items goes through these functions.

They run in C if the extension was built and in NumPy otherwise, with the same results. Set
``WHICHF1_NATIVE=0`` in the environment to use NumPy, and ``WHICHF1_THREADS`` to limit the threads.
"""

from __future__ import annotations

import os

from whichf1.kernel.reference import TOLERANCE, LossSums, Pairs, Ranks

NATIVE = os.environ.get("WHICHF1_NATIVE") != "0"
"""Whether the loops run in C."""

if NATIVE:
    try:
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
    except ImportError:  # the extension was not built
        NATIVE = False
if not NATIVE:
    from whichf1.kernel.reference import (
        brier_sums,
        count_margins,
        count_pairs,
        encode,
        first_bad_row,
        loss_sums,
        margins,
        rank_table,
    )

__all__ = [
    "NATIVE",
    "TOLERANCE",
    "LossSums",
    "Pairs",
    "Ranks",
    "brier_sums",
    "count_margins",
    "count_pairs",
    "encode",
    "first_bad_row",
    "loss_sums",
    "margins",
    "rank_table",
]
