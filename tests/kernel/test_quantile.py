"""Quantiles of the beta distribution in C, against SciPy's."""

from __future__ import annotations

from math import exp, inf, log, nan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from whichf1.kernel import native, reference
from whichf1.statistics.scales import beta_quantile, t_quantile

sizes = st.floats(log(1e-2), log(1e7)).map(exp)
chances = st.sampled_from([0.025, 0.975, 0.05, 0.95, 0.005, 0.995]) | st.floats(1e-4, 1 - 1e-4)


@given(sizes, sizes, chances)
def test_both_kernels_agree(a: float, b: float, p: float) -> None:
    """To twelve digits of the nearer end, but for what a share below 1 takes away."""
    ours, twin = native.beta_logit(a, b, p), reference.beta_logit(a, b, p)
    if abs(twin) < 600:  # both ends can be written
        assert ours == pytest.approx(twin, rel=1e-12, abs=3e-12 / min(a, b, 1.0))


@given(sizes, sizes, chances)
def test_the_two_sides_mirror_each_other(a: float, b: float, p: float) -> None:
    p = round(p * 2**20) / 2**20  # so that 1 - p is exact
    z = native.beta_logit(a, b, p)
    assert native.beta_logit(b, a, 1 - p) == pytest.approx(-z, rel=1e-12, abs=1e-12 / min(a, b, 1))


def test_quantiles_that_are_known() -> None:
    for p in (0.001, 0.3, 0.5, 0.9):
        assert native.beta_logit(1, 1, p) == pytest.approx(log(p / (1 - p)), abs=1e-14)
        assert beta_quantile(3, 1, p) == pytest.approx(p ** (1 / 3), rel=1e-14)
        assert beta_quantile(1, 3, p) == pytest.approx(1 - (1 - p) ** (1 / 3), rel=1e-14)
    arcsine = np.sin(np.pi * 0.2 / 2) ** 2
    assert beta_quantile(0.5, 0.5, 0.2) == pytest.approx(arcsine, rel=1e-14)
    assert (beta_quantile(2, 3, 0.0), beta_quantile(2, 3, 1.0)) == (0, 1)


def test_a_tail_that_is_no_float_is_an_end() -> None:
    assert beta_quantile(1e-4, 5, 0.025) == 0 and beta_quantile(5, 1e-4, 0.975) == 1


@given(st.floats(log(1e7), log(1e12)).map(exp), st.floats(0.05, 0.95), st.sampled_from([-1, 1]))
def test_many_items(size: float, share: float, side: int) -> None:
    """Against Cornish and Fisher's expansion, which is exact here; SciPy's has nine digits."""
    a, b, u = size * share, size * (1 - share), side * 1.959963984540054
    error, skew = sqrt(1 / a + 1 / b), (1 / b**2 - 1 / a**2) / (1 / a + 1 / b) ** 1.5
    mean = log(a / b) - 1 / (2 * a) + 1 / (2 * b)
    z = native.beta_logit(a, b, 0.025 if side < 0 else 0.975)
    expected = mean + error * (u + (u * u - 1) * skew / 6)
    assert z == pytest.approx(expected, abs=1e-12 + error**3)


@given(st.floats(1, 1e6), st.floats(0.01, 0.9999))
def test_students_t(freedom: float, p: float) -> None:
    assert t_quantile(p, freedom) == pytest.approx(stdtrit(freedom, p), rel=2e-12, abs=2e-12)


@pytest.mark.parametrize("wrong", [(0, 1, 0.5), (1, nan, 0.5), (1, inf, 0.5), (1, 1, 0), (1, 1, 1)])
def test_what_has_no_quantile(wrong: tuple[float, float, float]) -> None:
    from whichf1.kernel import _native

    with pytest.raises(ValueError, match="above 0"):
        _native.beta_logit(*wrong)
