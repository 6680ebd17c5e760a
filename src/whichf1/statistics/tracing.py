"""Reverse differentiation: run a formula once on traced arrays, then walk it backwards.

One pass gives the derivative of a score with respect to every count, at a small multiple of the
cost of the score itself, however many classes there are. Formulas need no second version: a Traced
array supports the same operators and NumPy functions as a plain one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from whichf1.kernel import Formula
from whichf1.kernel.reference import OPERATIONS
from whichf1.tables.cells import Array, RankTable, Step, sum_by

_total: Any = np.add.reduce
Pull: TypeAlias = Callable[..., Any] | None
"""From the derivative with respect to a result to that of one of its inputs; None: the same.

Its arguments are the facts of the result and, last, that derivative.
"""
Parents: TypeAlias = tuple[tuple["Traced", Pull], ...]


def _slope_of_root(root: Any, x: Any, g: Array) -> Array:
    # nothing flows back from 0: a 0/0 rule has cut that branch
    slope: Array = np.divide(g, 2 * root, out=np.zeros_like(g), where=root != 0)
    return slope


_SLOPES: dict[np.ufunc, tuple[Callable[..., Any] | None, ...]] = {
    np.add: (None, None),
    np.subtract: (None, lambda r, x, y, g: -g),
    np.multiply: (lambda r, x, y, g: g * y, lambda r, x, y, g: g * x),
    np.divide: (lambda r, x, y, g: g / y, lambda r, x, y, g: g * (-r / y)),
    np.power: (lambda r, x, y, g: g * (y * x ** (y - 1)), lambda *_: None),  # constant exponents
    np.negative: (lambda r, x, g: -g,),
    np.sqrt: (_slope_of_root,),
    np.log: (lambda r, x, g: g / x,),
    np.log1p: (lambda r, x, g: g / (1 + x),),
}
"""For each argument, g × the derivative of the result r, from r, the arguments and g.

None is g itself.
"""


def _operators(ufunc: np.ufunc) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """An operator of two arrays, from the left and from the right, without NumPy's detour."""
    by_left, by_right = _SLOPES[ufunc]

    def left(self: Traced, other: Any) -> Traced:
        x = self.value
        if not isinstance(other, Traced):
            result = ufunc(x, other)
            return Traced(result, self.tape, ((self, by_left),), (result, x, other))
        y = other.value
        result = ufunc(x, y)
        return Traced(result, self.tape, ((self, by_left), (other, by_right)), (result, x, y))

    def right(self: Traced, other: Any) -> Traced:
        result = ufunc(other, self.value)
        return Traced(result, self.tape, ((self, by_right),), (result, other, self.value))

    return left, right


class Traced(NDArrayOperatorsMixin):
    """An array that remembers how it was computed."""

    __slots__ = ("facts", "grad", "parents", "tape", "value")

    def __init__(
        self, value: Any, tape: list[Traced], parents: Parents = (), facts: tuple[Any, ...] = ()
    ) -> None:
        """``facts``: what the derivatives with respect to the parents depend on."""
        self.value: Array = value
        self.grad: Any = None
        self.tape, self.parents, self.facts = tape, parents, facts
        tape.append(self)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        shape: tuple[int, ...] = self.value.shape
        return shape

    @property
    def real(self) -> Array:
        """The plain values, which a formula inspects to find zeros."""
        return self.value

    def __getitem__(self, key: Any) -> Traced:
        def pull(g: Array) -> Array:
            whole = np.zeros(self.value.shape)
            whole[key] = g  # no element is taken twice: classes are distinct
            return whole

        return Traced(self.value[key], self.tape, ((self, pull),))

    def sum(self, axis: int = -1, keepdims: bool = False) -> Traced:
        """The sum over the last axis."""
        if axis != -1:
            _refuse_other(axis)
        total = _total(self.value, -1, keepdims=keepdims)

        def pull(g: Array) -> Array:
            whole = np.empty(self.value.shape)
            whole[...] = g if keepdims else g[..., None]
            return whole

        return Traced(total, self.tape, ((self, pull),))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """What NumPy calls for operators, as in ``array + traced``, and for ``np.sqrt(traced)``."""
        if method != "__call__" or options:
            return NotImplemented
        if ufunc in _CHOICES:
            return _where(_CHOICES[ufunc](*map(_plain, inputs)), *inputs)
        plain = []
        for x in inputs:
            plain.append(x.value if isinstance(x, Traced) else x)
        result = ufunc(*plain)
        if ufunc not in _SLOPES:  # only predicates such as np.isnan have a plain result
            return result if result.dtype == np.bool_ else NotImplemented
        each = zip(inputs, _SLOPES[ufunc], strict=True)
        parents = tuple([(x, slope) for x, slope in each if isinstance(x, Traced)])
        return Traced(result, self.tape, parents, (result, *plain))

    __add__, __radd__ = _operators(np.add)
    __sub__, __rsub__ = _operators(np.subtract)
    __mul__, __rmul__ = _operators(np.multiply)
    __truediv__, __rtruediv__ = _operators(np.divide)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        rule = _FUNCTIONS.get(function)
        return NotImplemented if rule is None else rule(*args, **options)


def _plain(x: Any) -> Any:
    return x.value if isinstance(x, Traced) else x


_CHOICES: dict[np.ufunc, np.ufunc] = {np.minimum: np.less_equal, np.maximum: np.greater_equal}
"""Functions that return their first argument if this is true, otherwise their second."""


def _fold(g: Array, shape: tuple[int, ...]) -> Array:
    """Undo broadcasting: sum what was repeated."""
    if g.ndim > len(shape):
        g = g.sum(tuple(range(g.ndim - len(shape))))
    repeated = tuple(axis for axis, n in enumerate(shape) if n == 1 and g.shape[axis] != 1)
    return g.sum(repeated, keepdims=True) if repeated else g


def _where(condition: Any, yes: Any, no: Any) -> Traced:
    mask, sides = _plain(condition), ((yes, _where_true), (no, _where_false))
    parents = tuple([(x, pull) for x, pull in sides if isinstance(x, Traced)])
    chosen = np.where(mask, _plain(yes), _plain(no))
    return Traced(chosen, parents[0][0].tape, parents, (mask,))


def _where_true(mask: Array, g: Array) -> Array:
    return np.where(mask, g, 0.0)


def _where_false(mask: Array, g: Array) -> Array:
    return np.where(mask, 0.0, g)


def _cumsum(x: Traced, axis: int = -1) -> Traced:
    _refuse_other(axis)
    return Traced(x.value.cumsum(-1), x.tape, ((x, lambda g: g[..., ::-1].cumsum(-1)[..., ::-1]),))


def _take(x: Traced, codes: Array, axis: int = -1) -> Traced:
    """Elements of the last axis, some possibly more than once."""
    _refuse_other(axis)
    size = x.shape[-1]
    return Traced(x.value[..., codes], x.tape, ((x, lambda g: sum_by(codes, g, size)),))


def _concatenate(parts: Sequence[Any], axis: int = -1) -> Traced:
    _refuse_other(axis)
    values = [_plain(x) for x in parts]
    parents, end = [], 0
    for part, value in zip(parts, values, strict=True):
        start, end = end, end + value.shape[-1]
        if isinstance(part, Traced):
            parents.append((part, _taken(start, end)))
    return Traced(np.concatenate(values, -1), parents[0][0].tape, tuple(parents))


def _taken(start: int, end: int) -> Pull:
    return lambda g: g[..., start:end]


def _refuse_other(axis: int) -> None:
    if axis != -1:
        raise NotImplementedError("formulas sum over the classes, which are on the last axis")


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.where: _where,
    np.cumsum: _cumsum,
    np.take: _take,
    np.concatenate: _concatenate,
    np.zeros_like: lambda x, *_, **__: np.zeros(x.shape),
    np.ones_like: lambda x, *_, **__: np.ones(x.shape),
}


_ONE = np.float64(1)


def slopes(function: Callable[..., Any], *arrays: Array) -> tuple[Array, list[Array]]:
    """The value of ``function(*arrays)``, and the derivatives of its sum by each array."""
    tape: list[Traced] = []
    leaves = [Traced(x, tape) for x in arrays]
    result = function(*leaves)
    if not isinstance(result, Traced):  # a constant
        return np.asarray(result), [np.zeros_like(x) for x in arrays]
    shape = result.value.shape
    result.grad = np.ones(shape) if shape else _ONE
    with np.errstate(all="ignore"):
        for node in reversed(tape):
            grad, facts = node.grad, node.facts
            if grad is None:
                continue
            for parent, pull in node.parents:
                part = grad if pull is None else pull(*facts, grad)
                if part.shape != parent.value.shape:
                    part = _fold(part, parent.value.shape)
                parent.grad = part if parent.grad is None else parent.grad + part
    return result.value, [np.zeros(x.value.shape) if x.grad is None else x.grad for x in leaves]


# Recorded formulas

_RECORDED = {
    getattr(np, name): at
    for at, name in enumerate(OPERATIONS)
    if hasattr(np, name) and name != "sum"
}
_SUM, _CHECK, _OR_ONE, _LARGEST, _KEPT, _FIRST = map(
    OPERATIONS.index, ("sum", "check", "or one", "max", "kept", "first")
)
_COMPARED = (np.greater_equal, np.less_equal, np.greater)


Register: TypeAlias = tuple[str, int]
"""An input, a constant or the result of a step, and its number."""


class Recorder:
    """The steps of a formula: with slopes, for inputs that no 0/0 rule applies to, or without."""

    def __init__(self, inputs: int, sloped: bool = True) -> None:
        self._inputs, self.sloped = inputs, sloped
        self._constants: dict[float, int] = {}
        self._steps: list[tuple[int, Register, Register]] = []

    def step(self, operation: int, x: Any, y: Any, shape: tuple[int, ...]) -> Recorded:
        """Record a step; arguments are Recorded or numbers."""
        if self.sloped and operation > _CHECK:
            raise NotImplementedError("a step without slopes")
        a, b = (z.register if isinstance(z, Recorded) else self._constant(z) for z in (x, y))
        self._steps.append((operation, a, b))
        return Recorded(self, ("step", len(self._steps) - 1), shape)

    def _constant(self, x: Any) -> Register:
        if np.ndim(x) or not np.isreal(x) or not np.isfinite(x):
            raise NotImplementedError("an array of constants, or infinity")
        return "constant", self._constants.setdefault(float(x), len(self._constants))

    def formula(self, result: Any) -> Formula:
        """What was recorded, without steps that the result does not need."""
        if not isinstance(result, Recorded) or result.shape:
            raise NotImplementedError("not a formula of one number")
        needed = {result.register}
        for at, (operation, *arguments) in reversed([*enumerate(self._steps)]):
            if operation != _CHECK and ("step", at) in needed:
                needed.update(arguments)
        kept = [
            at
            for at, (operation, *_) in enumerate(self._steps)
            if ("step", at) in needed or operation == _CHECK
        ]
        first = self._inputs + len(self._constants)
        place = {("input", at): at for at in range(self._inputs)}
        place |= {("constant", at): self._inputs + at for at in range(len(self._constants))}
        place |= {("step", step): first + at for at, step in enumerate(kept)}
        steps = [(self._steps[at][0], *map(place.__getitem__, self._steps[at][1:])) for at in kept]
        array = np.array(steps, np.int64).reshape(-1, 3)
        return Formula(array, np.array([*self._constants], float), place[result.register])


class Recorded(NDArrayOperatorsMixin):
    """An array (classes) or a number in a formula that is being recorded."""

    __slots__ = ("condition", "recorder", "register", "shape")

    def __init__(self, recorder: Recorder, register: Register, shape: tuple[int, ...]) -> None:
        self.recorder, self.register, self.shape = recorder, register, shape
        self.condition = False
        """Whether its numbers are 1 where something is true, and otherwise 0."""

    def __bool__(self) -> bool:
        raise NotImplementedError("a formula that depends on a value")

    @property
    def real(self) -> Recorded:
        """Itself, where a formula inspects values to find zeros."""
        return self

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return self.shape[0] if self.shape else 1

    def check(self) -> None:
        """From here on, no number of it is 0."""
        self.recorder.step(_CHECK, self, self, ())

    def __getitem__(self, key: Any) -> Recorded:
        if key == (Ellipsis, None) and not self.shape:
            return Recorded(self.recorder, self.register, (1,))
        if key == (Ellipsis, 0) and self.shape == (1,):
            return Recorded(self.recorder, self.register, ())
        raise NotImplementedError(f"[{key!r}]")

    def sum(self, axis: int = -1, keepdims: bool = False) -> Recorded:
        """The sum over the classes."""
        if axis != -1 or not self.shape:
            _refuse_other(0)
        return self.recorder.step(_SUM, self, self, (1,) if keepdims else ())

    def max(self, axis: int = -1) -> Recorded:
        """The largest number of all."""
        if axis != -1 or not self.shape:
            _refuse_other(0)
        return self.recorder.step(_LARGEST, self, self, ())

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options:
            return NotImplemented
        if ufunc is np.bitwise_and:
            return _if(inputs[0], inputs[1], 0.0)
        if ufunc is np.equal and not isinstance(inputs[1], Recorded) and inputs[1] == 0:
            return _IsZero(self)
        if ufunc is np.add and isinstance(inputs[1], _IsZero):  # zeros replaced by ones: nowhere
            inputs[1].any()
            return inputs[0]
        if ufunc not in _RECORDED:
            return NotImplemented
        shapes = [x.shape for x in inputs if isinstance(x, Recorded)]
        result = self.recorder.step(_RECORDED[ufunc], inputs[0], inputs[-1], max(shapes))
        result.condition = ufunc in _COMPARED
        return result

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        if function is np.where:
            return _if(*args)
        if function is np.clip:
            return np.minimum(np.maximum(*args[:2]), args[2])
        if function is not np.count_nonzero:
            return NotImplemented
        if not self.recorder.sloped:
            return -1  # unknown, so that a formula goes on as if there were zeros
        self.check()
        return self.size


def _if(condition: Recorded, yes: Any, no: Any) -> Recorded:
    """One of two arrays or numbers in each place."""
    if not isinstance(condition, Recorded) or not condition.condition:
        raise NotImplementedError("a choice by numbers")
    sides = [(condition, yes), (condition <= 0, no)]
    parts = []
    for here, x in sides:
        if isinstance(x, Recorded) or x:
            shape = max(here.shape, x.shape) if isinstance(x, Recorded) else here.shape
            parts.append(here.recorder.step(_KEPT, here, x, shape))
    chosen: Recorded = parts[0] if len(parts) == 1 else parts[0] + parts[1]
    chosen.condition = len(parts) == 1 and isinstance(yes, Recorded) and yes.condition
    return chosen


class _IsZero:
    """Where a recorded array is 0: nowhere, which is checked."""

    def __init__(self, array: Recorded) -> None:
        self._array = array

    def any(self) -> bool:
        """Whether it is anywhere."""
        self._array.check()
        return False

    def sum(self, axis: int = -1) -> int:
        """In how many places it is."""
        self._array.check()
        return 0

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        if function is not np.where or args[0] is not self:
            return NotImplemented
        recorder, (_, yes, no) = self._array.recorder, args
        if not recorder.sloped:
            if no is not self._array or yes != 1:
                raise NotImplementedError("something else than 1 in place of 0")
            return recorder.step(_OR_ONE, no, no, no.shape)
        self._array.check()
        return no


def record(
    function: Callable[..., Any], inputs: int, classes: int, sloped: bool = True
) -> Formula | None:
    """The steps of a formula of so many inputs; None if it has steps that are not recorded."""
    recorder = Recorder(inputs, sloped)
    leaves = [Recorded(recorder, ("input", at), (classes,)) for at in range(inputs)]
    try:
        return recorder.formula(function(*leaves))
    except (NotImplementedError, TypeError, AttributeError, KeyError):
        return None


class RecordedRanks(RankTable):
    """A ranking in a formula that is being recorded: all scores are one step."""

    def __init__(self, *columns: Any) -> None:
        score, positives, negatives, above, below = columns
        super().__init__(score, positives, negatives)
        sizes = (positives.sum(), negatives.sum())
        known = {"true_positives": above, "false_positives": below}
        self.__dict__.update(sizes=sizes, weighted=False, **known)

    def steps(self) -> Iterator[Step]:
        """All scores at once."""
        columns: Any = (self.positives, self.negatives, self.true_positives, self.false_positives)
        yield Step._make(columns)

    def first(self, reached: Callable[[Step], Any]) -> Step:
        """The first score for which a condition holds."""
        (step,) = self.steps()
        where = reached(step)
        return Step._make(where.recorder.step(_FIRST, where, x, ()) for x in step)


def record_ranking(formula: Callable[..., Any], **arguments: Any) -> Formula | None:
    """The steps of a formula of a ranking, for ``kernel.rank_value``; None if one is not recorded.

    Its value is the first number that the formula gives divided by the second one.
    """

    def ratio(*columns: Any) -> Any:
        top, bottom = formula(RecordedRanks(*columns), **arguments)
        return top / bottom

    return record(ratio, 5, _SEVERAL, sloped=False)


_SEVERAL = 2
"""A number of scores or bins that stands for any."""


def record_bins(formula: Callable[..., Any]) -> Formula | None:
    """The steps of a formula of bins, for ``kernel.bin_value``."""
    return record(formula, 2, _SEVERAL, sloped=False)
