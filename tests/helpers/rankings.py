"""Rankings that hypothesis draws: true classes of two values, and scores with many ties."""

from __future__ import annotations

from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

TIED = st.sampled_from([-2.0, -0.0, 0.0, 0.25, 0.5, 1.0, 1e300, -1e300, 5e-324])
SCORE = TIED | st.floats(-10, 10, allow_nan=False)


@st.composite
def ranked(
    draw: st.DrawFn, least: int = 2, most: int = 30, score: st.SearchStrategy[Any] = SCORE
) -> tuple[list[int], list[float]]:
    """True classes with both values, and scores with many ties."""
    n = draw(st.integers(least, most))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    assume(0 < sum(y) < n)
    return y, draw(st.lists(score, min_size=n, max_size=n))
