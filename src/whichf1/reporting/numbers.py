"""Numbers as text: values, differences, numbers of items."""

from __future__ import annotations

import math

from whichf1.errors import numbered
from whichf1.statistics.scales import Interval


def number(value: float, decimals: int) -> str:
    """Format a value; NaN and infinity in words."""
    if math.isnan(value):
        return "undefined"
    return f"{value:.{decimals}f}" if math.isfinite(value) else "infinite"


def signed(value: float, decimals: int) -> str:
    """Format a difference, always with its sign."""
    return f"{value:+.{decimals}f}" if math.isfinite(value) else number(value, decimals)


def brief(interval: Interval, decimals: int) -> str:
    """Format an interval for a terminal: [.582, 1.00].

    It has one decimal less than its value, unless that has three or fewer: rounded further, an
    interval could lie beside its value.
    """
    fewer = decimals if decimals <= 3 else decimals - 1
    return f"[{_end(interval.low, fewer)}, {_end(interval.high, fewer)}]"


def _end(value: float, decimals: int) -> str:
    text = f"{value:.{decimals}f}"
    if text.lstrip("-").startswith("0."):
        return text.replace("0.", ".", 1)
    return text[:-1] if float(text) == 1 and decimals > 1 else text  # as wide as the others


def p_number(p: float, decimals: int = 4) -> str:
    """Format a p-value."""
    return "< 0.0001" if p < 1e-4 else f"{p:.4f}"


def items(n: float, decimals: int = 0) -> str:
    """Format a number of items, or a sum of weights."""
    return f"{n:,}" if isinstance(n, int) else f"{n:,.6g}"


def size(n: float) -> str:
    """Say how many items there are, or their weight."""
    return numbered(n, "item") if isinstance(n, int) else f"weight {items(n)}"


def different(distinct: int) -> str:
    """How many numbers several programs print."""
    return "the same number" if distinct == 1 else f"{distinct} different numbers"


def share_text(value: float) -> str:
    """A fraction in percent: 33 %, < 1 %."""
    if 0 < value < 0.005:
        return "< 1 %"
    return f"{100 * value:.0f} %"
