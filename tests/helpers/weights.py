"""Weights that hypothesis draws, and what it means that a score is its exact value."""

from __future__ import annotations

from math import inf, isclose, isnan
from typing import Any

from hypothesis import strategies as st

NEAR = st.sampled_from([0.1, 0.2, 0.3, 0.4, 0.7, 1e-9, 1.0, 3.0]) | st.floats(1e-6, 1e6)
FAR = st.sampled_from([1e-300, 1e-200, 1e160, 1e300]) | st.floats(1e-300, 1e300)
TINY = st.floats(1e-300, 1e-290)
WEIGHT = st.just(0.0) | NEAR | FAR


def same(value: float, expected: Any, *, signed: bool) -> bool:
    """Equal to twelve digits of the value; of 1, for a score that is a difference of sums."""
    if expected != expected:
        return isnan(value)
    try:
        number = float(expected)
    except OverflowError:
        return value == (inf if expected > 0 else -inf)
    return isclose(value, number, rel_tol=1e-12, abs_tol=1e-12 if signed else 1e-300)
