"""Scores that are means over batches: what a training loop prints that forgets to accumulate."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from whichf1.counts import Counts
from whichf1.definition import Definition
from whichf1.scores import Score, evaluate
from whichf1.sources import count
from whichf1.sources.arrays import to_numpy


def evaluate_batches(definition: Definition, y_true: Any, y_pred: Any, labels: Any) -> Score:
    """The mean of the scores of consecutive batches; the last one may be smaller.

    Each batch has its own observed classes and shares the declared ones of the whole.
    """
    whole = count(y_true, y_pred, labels=labels)
    one = replace(definition, batch=None)
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
