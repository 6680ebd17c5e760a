"""All metrics: each is declared once and looked up by name."""

from __future__ import annotations

from whichf1.metrics import (
    agreement,
    association,
    calibration,
    costs,
    hierarchies,
    label_sets,
    probability,
    ranking,
    rates,
)
from whichf1.metrics.registry import COUNTED, EVERY, METRICS, Metric, find, plain_name

__all__ = ["COUNTED", "EVERY", "METRICS", "Metric", "find", "plain_name"]
DECLARED_IN = (
    *(agreement, association, calibration, costs, hierarchies, label_sets),
    *(probability, ranking, rates),
)
"""The modules that declare metrics."""
