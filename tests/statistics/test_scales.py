"""The scale of an interval: bounds, bends and skewness."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.samples import ends
from whichf1.statistics.scales import Spread, bent, transformed


@given(
    st.floats(0.001, 0.999),
    st.floats(1e-4, 0.5),
    st.floats(-1, 1),
    st.floats(-1, 1),
    st.floats(2, 100),
)
def test_intervals_are_nested_and_hold_the_value(
    value: float, error: float, skew: float, curvature: float, freedom: float
) -> None:
    spread = Spread(error, skew, curvature, freedom)
    for bounds in ((0, 1), (-1, 1), (0, math.inf)):
        previous: tuple[float, float] | None = None
        for level in (0.05, 0.5, 0.9, 0.99):
            low, high = ends(transformed(value, spread, bounds, level, "delta"))
            assert bounds[0] <= low <= value <= high <= bounds[1]
            assert previous is None or (low <= previous[0] and high >= previous[1])
            previous = low, high


@given(st.floats(-5, 5), st.floats(-3, 3))
def test_a_bend_is_a_rising_curve(move: float, bend: float) -> None:
    assert bent(0, bend) == 0
    assert bent(move + 1e-3, bend) > bent(move, bend)
    small = 1e-3
    expected = small - bend * small**2 / 2
    assert bent(small, bend) == pytest.approx(expected, abs=2e-8)


def test_skewness_is_removed_as_by_a_cube_root() -> None:
    """Of a rare event the interval is that of the cube root of its count, moved by κ/6."""
    x, n = 12, 1_000_000
    p = x / n
    skew = (1 - 2 * p) / math.sqrt(n * p * (1 - p))
    error = math.sqrt(p * (1 - p) / n)
    interval = transformed(p, Spread(error, skew), (0, 1), 0.95, "delta")
    z, shift = 1.959963984540054, skew / 6
    high = (1 + (z + shift) / math.sqrt(x) / 3) ** 3 * x
    assert ends(interval)[1] * n == pytest.approx(high, rel=1e-3)
