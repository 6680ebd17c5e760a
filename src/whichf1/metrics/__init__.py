"""The family of metrics: each declared once, found by name."""

from __future__ import annotations

from whichf1.metrics import agreement, rates
from whichf1.metrics.registry import METRICS, Metric, find, names

__all__ = ["METRICS", "Metric", "agreement", "find", "names", "rates"]
