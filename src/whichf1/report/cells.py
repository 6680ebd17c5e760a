"""Numbers, intervals and scores in the cells of a table, of CSV and of JSON."""

from __future__ import annotations

import math
from typing import Any

from whichf1.definitions.methods import Interval
from whichf1.scoring.score import Score


def number(value: float, decimals: int) -> str:
    """A value for a table; NaN is said in words."""
    if math.isnan(value):
        return "undefined"
    return f"{value:.{decimals}f}" if math.isfinite(value) else "infinite"


def exact(value: float) -> float | str:
    """A value in full precision; undefined and infinite ones in words."""
    return value if math.isfinite(value) else number(value, 0)


def span(interval: Interval | None, decimals: int) -> str:
    """An interval for a table."""
    return "–" if interval is None else f"{interval:.{decimals}f}"


def items(n: float) -> str:
    """A number of items, or a sum of weights."""
    return f"{n:,}" if isinstance(n, int) else f"{n:,.6g}"


def score_fields(score: Score) -> dict[str, Any]:
    """A score for JSON."""
    finite = math.isfinite(score.value)
    interval = score.interval
    fields: dict[str, Any] = {"value": score.value if finite else None}
    if not finite:
        fields["why"] = number(score.value, 0)
    if interval is not None:
        fields["interval"] = {
            "low": interval.low,
            "high": interval.high,
            "level": interval.level,
            "method": interval.method,
        }
    return {**fields, "n": score.n, "signature": score.signature}


def score_cells(score: Score) -> list[object]:
    """Value, low, high, level and method for CSV."""
    value, interval = exact(score.value), score.interval
    if interval is None:
        return [value, None, None, None, None]
    return [value, interval.low, interval.high, interval.level, interval.method]
