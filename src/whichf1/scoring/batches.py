"""Scores that are means over batches: what a training loop prints that forgets to accumulate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from whichf1.definitions.definition import Definition
from whichf1.metrics import METRICS
from whichf1.metrics.averaging import ZeroRule, per_class
from whichf1.scoring.evaluate import evaluate
from whichf1.scoring.score import Score
from whichf1.sources.count import count
from whichf1.sources.sequences import to_numpy
from whichf1.tables.cells import Array, OneVsRest
from whichf1.tables.counts import Counts


def evaluate_batches(definition: Definition, y_true: Any, y_pred: Any, labels: Any) -> Score:
    """The mean of the scores of consecutive batches; the last one may be smaller.

    Each batch has its own observed classes and shares the declared ones of the whole.
    """
    whole = count(y_true, y_pred, labels=labels)
    one = replace(definition, batch=None, data=())  # what it says is of the whole
    scores = [evaluate(one, part) for part in batches(y_true, y_pred, definition.batch, whole)]
    value = float(np.mean([score.value for score in scores]))
    return Score(value, definition, whole.n, whole.labels)


def batches(y_true: Any, y_pred: Any, size: int | None, whole: Counts) -> list[Counts]:
    """The counts of each batch of ``size`` items under the classes of the whole."""
    true, predicted = to_numpy(y_true), to_numpy(y_pred)
    step = size or len(true)
    return [
        count(true[start : start + step], predicted[start : start + step], labels=whole.labels)
        for start in range(0, len(true), step)
    ]


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
