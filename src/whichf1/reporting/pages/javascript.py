"""Formulas for a page's script: run on symbols, and written down step by step.

A Symbol stands for an array of unknown numbers. It supports the operators and NumPy functions that
formulas use, and records them. So no formula is written a second time: a page computes the same
steps as Python, in the same order, and therefore to the same bit.

A formula is run once for each number of classes. The steps must be the same for all of them; a
constant that differs, such as the number of classes itself, is written down for each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from whichf1.definitions.definition import Definition, Frozen, codes_of
from whichf1.errors import DefinitionError
from whichf1.scoring.macro import MacroF1
from whichf1.tables.cells import Margins, every_class
from whichf1.tables.labels import Labels

MOST_CLASSES = 8
"""Programs are written for 1 to this many classes."""
LEAVES = ("tp", "fp", "fn", "tn", "distances")
"""The inputs of formulas of counts, for each class."""

_ELEMENTWISE: dict[np.ufunc, str] = {
    np.add: "add",
    np.subtract: "subtract",
    np.multiply: "multiply",
    np.divide: "divide",
    np.minimum: "minimum",
    np.maximum: "maximum",
    np.equal: "equal",
    np.not_equal: "not_equal",
    np.greater: "greater",
    np.greater_equal: "greater_equal",
    np.less: "less",
    np.less_equal: "less_equal",
    np.bitwise_and: "and",
    np.bitwise_or: "or",
    np.invert: "not",
    np.negative: "negative",
    np.sqrt: "sqrt",
}
_PARTS: dict[str, tuple[str, Callable[[tuple[int, ...]], tuple[int, ...]]]] = {
    "(Ellipsis, None)": ("lift", lambda shape: (*shape, 1)),
    "(slice(None, None, None), None)": ("lift", lambda shape: (*shape, 1)),
    "(Ellipsis, 0)": ("first", lambda shape: shape[:-1]),
    "(Ellipsis, slice(None, 1, None))": ("head", lambda shape: (*shape[:-1], 1)),
    "(Ellipsis, slice(None, -1, None))": ("front", lambda shape: (*shape[:-1], shape[-1] - 1)),
    "(Ellipsis, slice(None, None, -1))": ("reverse", lambda shape: shape),
}
"""The parts of an array that formulas take, their names in scripts, and their shape."""


class Symbol(NDArrayOperatorsMixin):
    """An array of unknown numbers, which remembers how it is computed."""

    __slots__ = ("inputs", "shape", "step")

    def __init__(self, step: str, inputs: tuple[Any, ...], shape: tuple[int, ...]) -> None:
        self.step, self.inputs, self.shape = step, inputs, shape

    @property
    def real(self) -> Symbol:
        """Itself, where a formula inspects values to find zeros."""
        return self

    @property
    def ndim(self) -> int:
        """How many axes it has."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many numbers it stands for."""
        return math.prod(self.shape)

    def __len__(self) -> int:
        if self.shape[0] < 0:
            raise _refusal("how many classes are chosen")
        return self.shape[0]

    def __bool__(self) -> bool:
        raise _refusal("the data")

    def any(self) -> bool:
        """True: it may hold anything. Formulas only check whether a rule is needed."""
        return True

    def __getitem__(self, key: Any) -> Symbol:
        if repr(key) not in _PARTS:
            raise NotImplementedError(f"a script cannot take [{key!r}]")
        step, shape = _PARTS[repr(key)]
        return Symbol(step, (self,), shape(self.shape))

    def sum(self, axis: int | None = None, keepdims: bool = False) -> Symbol:
        """The sum over the last axis."""
        if axis != -1 and self.ndim > 1:
            raise NotImplementedError("a script sums over the last axis")
        total = Symbol("sum", (self,), self.shape[:-1])
        return total[..., None] if keepdims else total

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or not options.keys() <= {"out", "where"}:
            return NotImplemented
        if ufunc is np.power and inputs[1] == 2:  # NumPy multiplies, too
            ufunc, inputs = np.multiply, (inputs[0], inputs[0])
        if ufunc not in _ELEMENTWISE:
            raise NotImplementedError(f"a script has no {ufunc.__name__}")
        result = Symbol(_ELEMENTWISE[ufunc], inputs, _broadcast(inputs))
        if "where" in options:
            return _where(options["where"], result, options["out"][0])
        return result

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        if function not in _FUNCTIONS:
            raise NotImplementedError(f"a script has no {function.__name__}")
        return _FUNCTIONS[function](*args, **options)


def _refusal(on: str) -> DefinitionError:
    return DefinitionError(f"a formula that branches on {on} cannot be written as one program")


def _broadcast(inputs: Sequence[Any]) -> tuple[int, ...]:
    return np.broadcast_shapes(
        *(np.shape(x) if not isinstance(x, Symbol) else x.shape for x in inputs)
    )


def _where(*inputs: Any) -> Symbol:
    return Symbol("where", inputs, _broadcast(inputs))


def _cumsum(x: Symbol, axis: int) -> Symbol:
    return Symbol("cumsum", (x,), x.shape)


def _concatenate(parts: Sequence[Any], axis: int) -> Symbol:
    length = sum(part.shape[-1] for part in parts)
    return Symbol("concatenate", tuple(parts), (*parts[0].shape[:-1], length))


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.where: _where,
    np.cumsum: _cumsum,
    np.concatenate: _concatenate,
    np.zeros_like: lambda x: np.zeros(x.shape),
    np.ones_like: lambda x: np.ones(x.shape),
    np.count_nonzero: lambda x: -1,  # asked for a shortcut where nothing is 0, which may be
    np.flatnonzero: lambda x: Symbol("nonzero", (x,), (-1,)),
    np.setdiff1d: lambda x, y, assume_unique: Symbol("without", (x, y), (-1,)),
}


def margins(classes: int) -> Margins:
    """The counts of this many classes, as symbols."""
    tp, fp, fn, tn, distances = (leaf(name, classes) for name in LEAVES)
    return Margins(tp, fp, fn, tn, distances)


def leaf(name: str, *shape: int) -> Any:
    """The input of a program with this name."""
    return Symbol(name, (), shape)


class Program:
    """Steps that several formulas share: each occurs once, after those it needs.

    ``steps`` is plain data for JSON. A step is the name of an operation and the numbers of the
    steps that it takes; ``number`` holds a constant, and ``by_classes`` one for each number of
    classes. Steps without either are inputs of the program.
    """

    def __init__(self, most: int = MOST_CLASSES) -> None:
        self.most = most
        self.steps: list[list[Any]] = []
        self._known: dict[Any, int] = {}

    def add(self, formula: Callable[[int], Any]) -> int:
        """Write down a formula, a function of the number of classes; return its last step."""
        return self._joined([formula(n) for n in range(1, self.most + 1)], {})

    def score(self, definition: Definition) -> int:
        """Write down a definition, of the counts of those classes that it is over."""
        return self.add(
            lambda n: definition.values(Frozen(None, every_class(n), Labels(range(n))), margins(n))
        )

    def writes(self, definition: Definition) -> bool:
        """Whether a definition can be written down.

        A formula cannot be if it needs more than the counts of each class, branches on them, or
        takes logarithms, whose last bit depends on the implementation.
        """
        try:
            self.score(definition)
        except (AttributeError, DefinitionError, NotImplementedError):
            return False
        return True

    def class_set(self, definition: Definition) -> int:
        """Write down which classes a definition is over, of the counts of all classes."""
        excluded = leaf("excluded", -1) if definition.exclude else None

        def codes(n: int) -> Any:
            labels: Any = range(n)
            wanted = (definition.classes, definition.two_classes, excluded)
            return codes_of(labels, margins(n), *wanted)

        return self.add(codes)

    def macro_f1(
        self, averaged: int, of_averages: int, precision: int, recall: int
    ) -> dict[str, int]:
        """Write down what is known about both macro F1s, given the steps that compute them."""
        means = (averaged, of_averages)

        def of(name: str) -> Callable[[int], Any]:
            def value(n: int) -> Any:
                a, b = (SimpleNamespace(value=Earlier(x), classes=range(n)) for x in means)
                p, r = (Earlier(x, n) for x in (precision, recall))
                return getattr(MacroF1(*cast(Any, (a, b, p, r))), name)

            return value

        return {name: self.add(of(name)) for name in ("gap", "terms", "contributions", "supremum")}

    def _joined(self, same: Sequence[Any], seen: dict[tuple[int, ...], int]) -> int:
        """The number of a step that is the same for every number of classes."""
        first, key = same[0], tuple(map(id, same))
        if not isinstance(first, Symbol):
            return self._constant(same)
        if isinstance(first, Earlier):
            return first.number
        if key not in seen:
            kinds = {(x.step, len(x.inputs)) if isinstance(x, Symbol) else None for x in same}
            if len(kinds) > 1:
                raise _refusal("the number of classes")
            inputs = zip(*(x.inputs for x in same), strict=True)
            seen[key] = self._step(first.step, [self._joined(x, seen) for x in inputs])
        return seen[key]

    def _constant(self, same: Sequence[Any]) -> int:
        values = [_plain(x) for x in same]
        if all(x == values[0] for x in values):
            return self._step("number", [values[0]])
        return self._step("by_classes", values)

    def _step(self, name: str, inputs: list[Any]) -> int:
        key = repr((name, inputs))
        if key not in self._known:
            self._known[key] = len(self.steps)
            self.steps.append([name, *inputs])
        return self._known[key]


class Earlier(Symbol):
    """The result of an earlier step of a program."""

    __slots__ = ("number",)

    def __init__(self, number: int, *shape: int) -> None:
        super().__init__("step", (), shape)
        self.number = number


def _plain(x: Any) -> Any:
    """A constant as JSON: NaN and infinity are words, arrays are lists."""
    if isinstance(x, Symbol):
        raise _refusal("the number of classes")
    if np.ndim(x):
        return [_plain(each) for each in np.asarray(x)]
    value = float(x)
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else f"{'-' if value < 0 else ''}Infinity"
    return int(value) if value.is_integer() and abs(value) < 2**53 else value
