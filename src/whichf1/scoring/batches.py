"""Means over batches: what a training loop prints that forgets to accumulate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from whichf1.metrics import METRICS
from whichf1.metrics.averaging import ZeroRule, per_class
from whichf1.tables.cells import Array, OneVsRest


def batch_means(
    true: Array, predicted: Array, size: int, k: int
) -> Iterator[tuple[dict[str, Any], float]]:
    """Averaged F1 as the mean over batches, from codes: choices of classes, and the value."""
    batch = np.arange(len(true)) // size * k
    right = true == predicted
    cells = (batch[-1] // k + 1) * k
    tp, rows, columns = (
        np.bincount(keys, minlength=cells).reshape(-1, k).astype(np.float64)
        for keys in ((batch + true)[right], batch + true, batch + predicted)
    )
    rule = ZeroRule(0)
    f1 = per_class(METRICS["f1"], {}, rule, OneVsRest(tp, columns - tp, rows - tp, 0 * tp))
    observed = (rows + columns > 0).astype(np.float64)
    yield {"classes": "observed"}, float(rule.mean(f1, observed).mean())
    yield {"classes": "declared"}, float(rule.mean(f1).mean())
    if k == 2:
        for at, which in enumerate(("first", "last")):
            yield {"classes": "declared", "two_classes": which}, float(f1[:, at].mean())
