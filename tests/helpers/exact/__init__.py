"""An independent twin: every score from the items themselves, in exact fractions.

Written from the definitions, class by class and item by item; it shares no code with the library.
"""

from tests.helpers.exact.classes import (
    AGREEMENT,
    RATES,
    cells_of,
    class_set,
    distance,
    quadrant,
    rate,
    score,
)
from tests.helpers.exact.items import (
    ITEMS,
    LABEL_RANKINGS,
    LOSSES,
    brier,
    relative,
    weighted_mean,
)
from tests.helpers.exact.rankings import RANKINGS, pr_gain_auc

__all__ = [
    "AGREEMENT", "ITEMS", "LABEL_RANKINGS", "LOSSES", "RANKINGS", "RATES", "brier", "cells_of",
    "class_set", "distance", "pr_gain_auc", "quadrant", "rate", "relative", "score",
    "weighted_mean",
]  # fmt: skip
