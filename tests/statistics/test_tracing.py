"""Derivatives by walking back are those of a step of 1e-100 i, operation by operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from whichf1.statistics.tracing import slopes

Function = Callable[[Any, Any], Any]
"""Of an array of three numbers and an array of two rows of them."""

OPERATIONS: dict[str, Function] = {
    "sums and differences": lambda x, y: 2 - (x + y) - (y - x - 1) + (-x),
    "products": lambda x, y: 3 * x * y * y,
    "quotients": lambda x, y: x / y / x.sum() + 2 / y,
    "constant powers": lambda x, y: x**3 + y**-1.5 + (x * y) ** 1,
    "roots": lambda x, y: np.sqrt(x * y),
    "the smaller": lambda x, y: np.minimum(x * x, y) + np.minimum(2, x),
    "the larger": lambda x, y: np.maximum(x * x, y) + np.maximum(y, 2),
    "choices": lambda x, y: np.where(x.real > y.real, x * y, np.where(y.real > 2, y, 0.0)),
    "running sums": lambda x, y: np.cumsum(x * y, -1) * np.cumsum(y, -1),
    "joined": lambda x, y: np.concatenate([x * x, 7 * x, np.ones(2), x], -1) ** 2,
    "parts": lambda x, y: x[1:] * y[..., :2] + y[..., [2, 0]],
    "means": lambda x, y: x / x.sum(-1, keepdims=True) * y.sum()[..., None],
    "constants": lambda x, y: x * np.ones_like(y) + np.zeros_like(x),
    "one of the arrays": lambda x, y: y * y,
    "no array": lambda x, y: np.array(4.0),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_slopes_are_those_of_a_complex_step(name: str) -> None:
    function = OPERATIONS[name]
    x, y = np.array([0.5, 1.5, 3.0]), np.array([[1.0, 2.5, 0.25], [4.0, 0.75, 2.0]])
    value, (by_x, by_y) = slopes(function, x, y)
    np.testing.assert_array_equal(value, _plain(function, x, y))
    assert (by_x.shape, by_y.shape) == (x.shape, y.shape)
    for at in np.ndindex(x.shape):
        assert by_x[at] == pytest.approx(_step(function, x, y, (0, at)), rel=1e-12)
    for at in np.ndindex(y.shape):
        assert by_y[at] == pytest.approx(_step(function, x, y, (1, at)), rel=1e-12)


class _Rows(np.ndarray[Any, Any]):
    """An array that sums over its last axis, as a traced one does."""

    def sum(self, axis: Any = -1, *options: Any, **more: Any) -> Any:
        return super().sum(axis, *options, **more)


def _plain(function: Function, *arrays: Any) -> Any:
    return np.asarray(function(*(each.view(_Rows) for each in arrays)))


def _step(function: Function, x: Any, y: Any, place: tuple[int, tuple[int, ...]]) -> float:
    moved = [x.astype(complex), y.astype(complex)]
    moved[place[0]][place[1]] += 1e-100j
    return float(np.sum(_plain(function, *moved).imag)) / 1e-100


def test_nothing_flows_back_from_the_root_of_0() -> None:
    """There a 0/0 rule has replaced the value, and the slope of the root would be infinite."""
    _, (slope,) = slopes(np.sqrt, np.array([0.0, 4.0]))
    assert slope.tolist() == [0.0, 0.25]


@pytest.mark.parametrize(
    "function",
    [lambda x: x.sum(0), lambda x: np.cumsum(x, 0), lambda x: np.concatenate([x, x], 0)],
)
def test_other_axes_are_refused(function: Callable[[Any], Any]) -> None:
    with pytest.raises(NotImplementedError, match="last axis"):
        slopes(function, np.ones((2, 2)))


@pytest.mark.parametrize(
    "function",
    [np.exp, np.add.reduce, lambda x: np.add.outer(x, x), np.sort, lambda x: np.add(x, x, out=x)],
)
def test_functions_without_a_known_slope_are_refused(function: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError):
        slopes(function, np.ones(3))
