"""Reverse differentiation: run a formula once on traced arrays, then walk it backwards.

One walk gives the derivative of a score by every count, at a small multiple of the cost of the
score itself, however many classes there are. A formula needs no second version for it: a Traced
array answers the same operators and NumPy functions as a plain one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from whichf1.table import Array

Pull: TypeAlias = Callable[[Array], Any]
"""From the derivative by a result to the derivative by one of the arrays that it came from."""


class Traced(np.lib.mixins.NDArrayOperatorsMixin):
    """An array that remembers how it was computed."""

    __slots__ = ("_parents", "_tape", "grad", "value")

    def __init__(
        self, value: Any, tape: list[Traced], parents: Sequence[tuple[Traced, Pull]] = ()
    ) -> None:
        self.value: Array = np.asarray(value)
        self.grad: Any = None
        self._tape, self._parents = tape, parents
        tape.append(self)

    @property
    def real(self) -> Array:
        """The plain values: what a formula looks at to find a zero."""
        return self.value

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the values."""
        return self.value.shape

    def _then(self, value: Any, pull: Pull) -> Traced:
        return Traced(value, self._tape, ((self, pull),))

    def __getitem__(self, key: Any) -> Traced:
        shape = self.value.shape
        fancy = any(isinstance(k, np.ndarray) for k in (key if isinstance(key, tuple) else (key,)))

        def pull(g: Array) -> Array:
            whole = np.zeros(shape)
            if fancy:
                np.add.at(whole, key, g)  # a class may be chosen twice
            else:
                whole[key] = g
            return whole

        return self._then(self.value[key], pull)

    def sum(self, axis: int = -1, keepdims: bool = False, **_: Any) -> Traced:
        """The sum over one axis."""
        shape = self.value.shape

        def pull(g: Array) -> Array:
            return np.broadcast_to(g if keepdims else np.expand_dims(g, axis), shape)

        return self._then(np.add.reduce(self.value, axis=axis, keepdims=keepdims), pull)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if ufunc is np.add and method == "reduce":
            return self.sum(**options)
        if method != "__call__" or options:
            return NotImplemented
        values = [x.value if isinstance(x, Traced) else x for x in inputs]
        result = ufunc(*values)
        if ufunc not in _SLOPES:
            return result if result.dtype == np.bool_ else NotImplemented
        parents = []
        for source, slope in zip(inputs, _SLOPES[ufunc], strict=True):
            if isinstance(source, Traced):
                parents.append((source, _chain(slope, values, result, source.value.shape)))
        return Traced(result, self._tape, parents)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        rule = _FUNCTIONS.get(function)
        return NotImplemented if rule is None else rule(*args, **options)


def _chain(
    slope: Callable[..., Any], values: list[Any], result: Any, shape: tuple[int, ...]
) -> Pull:
    return lambda g: _fold(g * slope(*values, result), shape)


def _fold(g: Array, shape: tuple[int, ...]) -> Array:
    """Undo broadcasting: add up what was repeated."""
    if g.shape == shape:
        return g
    g = g.sum(tuple(range(g.ndim - len(shape))))
    repeated = tuple(axis for axis, n in enumerate(shape) if n == 1 and g.shape[axis] != 1)
    return g.sum(repeated, keepdims=True) if repeated else g


def _one(*_: Any) -> float:
    return 1.0


def _minus_one(*_: Any) -> float:
    return -1.0


def _inverse(x: Any) -> Any:
    """1/x, and 0 where x is: nothing flows back from a branch that a 0/0 rule has cut."""
    return np.divide(1.0, x, out=np.zeros_like(x, np.float64), where=np.not_equal(x, 0))


_SLOPES: dict[np.ufunc, tuple[Callable[..., Any], ...]] = {
    np.add: (_one, _one),
    np.subtract: (_one, _minus_one),
    np.multiply: (lambda x, y, _: y, lambda x, y, _: x),
    np.divide: (lambda x, y, _: 1 / y, lambda x, y, result: -result / y),
    np.power: (lambda x, n, _: n * np.power(x, n - 1), lambda x, n, _: 0.0),
    np.square: (lambda x, _: 2 * x,),
    np.negative: (_minus_one,),
    np.sqrt: (lambda x, result: 0.5 * _inverse(result),),
    np.log: (lambda x, _: _inverse(x),),
    np.exp: (lambda x, result: result,),
}
"""The derivative of each operation by each of its arguments."""


def _where(condition: Any, yes: Any, no: Any) -> Traced:
    mask = _plain(condition)
    parents: list[tuple[Traced, Pull]] = []
    for source, chosen in ((yes, mask), (no, ~mask)):
        if isinstance(source, Traced):
            parents.append((source, _masked(chosen, source.value.shape)))
    tape = parents[0][0]._tape
    return Traced(np.where(mask, _plain(yes), _plain(no)), tape, parents)


def _masked(chosen: Array, shape: tuple[int, ...]) -> Pull:
    return lambda g: _fold(np.where(chosen, g, 0.0), shape)


def _cumsum(x: Traced, axis: int = -1) -> Traced:
    def pull(g: Array) -> Array:
        return np.flip(np.cumsum(np.flip(g, axis), axis), axis)

    return x._then(np.cumsum(x.value, axis), pull)


def _concatenate(parts: Sequence[Any], axis: int = -1) -> Traced:
    values = [_plain(x) for x in parts]
    ends = np.cumsum([x.shape[axis] for x in values])
    parents = []
    for part, end, value in zip(parts, ends.tolist(), values, strict=True):
        if isinstance(part, Traced):
            parents.append((part, _slice(end - value.shape[axis], end, axis)))
    return Traced(np.concatenate(values, axis), parents[0][0]._tape, parents)


def _slice(start: int, end: int, axis: int) -> Pull:
    return lambda g: np.take(g, range(start, end), axis)


def _plain(x: Any) -> Any:
    return x.value if isinstance(x, Traced) else x


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.where: _where,
    np.cumsum: _cumsum,
    np.concatenate: _concatenate,
    np.sum: Traced.sum,
    np.zeros_like: lambda x, *_, **__: np.zeros(x.shape),
    np.ones_like: lambda x, *_, **__: np.ones(x.shape),
}


def slopes(function: Callable[..., Any], *arrays: Array) -> list[Array]:
    """The derivatives of the sum of ``function(*arrays)`` by each of the arrays."""
    tape: list[Traced] = []
    leaves = [Traced(x, tape) for x in arrays]
    result = function(*leaves)
    if not isinstance(result, Traced):  # a constant
        return [np.zeros_like(x) for x in arrays]
    result.grad = np.ones(result.shape)
    with np.errstate(all="ignore"):
        for node in reversed(tape):
            if node.grad is None:
                continue
            for parent, pull in node._parents:
                part = pull(node.grad)
                parent.grad = part if parent.grad is None else parent.grad + part
    return [np.zeros_like(x.value) if x.grad is None else x.grad for x in leaves]
