"""scikit-learn's functions computed by whichf1, with the same arguments, warnings and errors.

If data or options are refused, or a score is undefined, scikit-learn's function is called with the
same arguments for its own error or warning; its value is not used.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import sklearn
from sklearn import metrics
from sklearn.utils._param_validation import validate_parameter_constraints

from whichf1.errors import DefinitionError, InputError, LabelError, WeightError, WhichF1Error
from whichf1.sources.label_sets import sets_of
from whichf1.sources.lines import observed
from whichf1.sources.sequences import column, to_numpy, weights_column
from whichf1.tables.cells import Array

DROP_INS: dict[str, Callable[..., Any]] = {}
"""The functions of scikit-learn that are computed here, by name."""
_ROOM = (__package__ or "").rpartition(".")[0]
_MANY = 1000
"""How many combinations of options are cached as valid."""


class Doubtful(NamedTuple):
    """A value about which scikit-learn may warn."""

    value: Any


def doubtful(doubt: Any, value: Any) -> Any:
    """A value, marked as doubtful or not."""
    return Doubtful(value) if doubt else value


def drop_in(answer: Callable[..., Any]) -> Callable[..., Any]:
    """The function of scikit-learn with the name of ``answer``, which computes its value.

    ``answer`` is called with both columns of data and every option; for a Doubtful value or an
    error of ours, scikit-learn's function is called.
    """
    name = answer.__name__
    original = getattr(metrics, name, None)
    if original is None:
        return _missing(name)
    signature = inspect.signature(original)
    first, second, *others = signature.parameters.values()
    data = (first.name, second.name)
    missing = inspect.Parameter.empty
    defaults = {x.name: x.default for x in others if x.default is not missing}
    known = {x.name for x in others}
    needed = known - defaults.keys()
    valid: set[Any] = set()

    @functools.wraps(original)
    def function(*args: Any, **options: Any) -> Any:
        ask = functools.partial(function.__wrapped__, *args, **options)
        sides: Sequence[Any] = args
        if len(args) != 2:
            try:
                options = signature.bind(*args, **options).arguments
            except TypeError as error:
                ask()  # raises the same, unless it still accepts an old way to call it
                raise InputError(f"{name} takes options by name: {error}") from None
            sides = [options.pop(side, None) for side in data]
        elif not needed <= options.keys() <= known:
            ask()  # an option that is missing or unknown is a TypeError
        key = (*map(type, sides), *((k, *_recognized(v)) for k, v in options.items()))
        if key not in valid:
            given = {**dict(zip(data, sides, strict=True)), **defaults, **options}
            validate_parameter_constraints(original._skl_parameter_constraints, given, name)
            if len(valid) < _MANY:
                valid.add(key)
        try:
            value = answer(*sides, **{**defaults, **options})
        except WhichF1Error:
            ask()  # raises its own error, unless it accepts what is refused here
            raise
        if type(value) is Doubtful:
            ask()  # for its warning
            return value.value
        return value

    function.__module__ = __package__
    function.__doc__ = original.__doc__
    for theirs, ours in (
        (
            rf"from sklearn\.metrics(?:\.cluster)? import ((\w+, )*{name})\n",
            rf"from {__package__} import \1\n",
        ),
        (r"from sklearn import metrics\n", rf"from {_ROOM} import sklearn as metrics\n"),
    ):
        function.__doc__ = re.sub(theirs, ours, function.__doc__ or "")
    DROP_INS[name] = function
    return function


def _missing(name: str) -> Callable[..., Any]:
    def function(*args: Any, **options: Any) -> Any:
        raise DefinitionError(f"scikit-learn {sklearn.__version__} has no {name}: upgrade it")

    return function


def _recognized(option: Any) -> tuple[Any, ...]:
    """The part of an option that decides whether it is valid: a plain value, or a type."""
    if isinstance(option, (str, int, float, type(None))):
        return type(option), option
    return type(option), getattr(option, "ndim", None)


def one_column(data: Any) -> Any:
    """A one-dimensional column, or the only column of a matrix; otherwise the matrix."""
    if hasattr(data, "tocsr"):
        return data
    values = data if getattr(data, "ndim", None) == 1 else to_numpy(data)
    objects = isinstance(data, np.ndarray) and data.dtype.kind == "O" and data.size
    if objects and not isinstance(data.flat[0], str):
        raise LabelError("an array of objects holds text; use an array of integers for numbers")
    return values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values


def weights_of(sample_weight: Any, n: int) -> Array | None:
    """Weights, of which at least one is not 0."""
    if sample_weight is None:
        return None
    weights = weights_column(sample_weight, n)
    if not weights.any():
        raise WeightError("all weights are 0")
    return weights


def listed(labels: Any) -> list[Any]:
    """Labels as NumPy represents them: of one type."""
    values = np.asarray(labels)
    if values.ndim != 1:
        raise LabelError(f"labels= must be a list of classes; got {labels!r}")
    return values.tolist()  # type: ignore[no-any-return]


def indicators(y_true: Any) -> Array:
    """A matrix of 0 and 1 as booleans."""
    values = y_true if hasattr(y_true, "tocsr") else to_numpy(y_true)
    if isinstance(values, np.ndarray) and values.ndim == 2 and values.dtype.kind in "biuf":
        dense: Array = values != 0
        if (dense == values).all():
            return dense
    sets = sets_of(values, "y_true", None)
    true = np.zeros((sets.items, len(sets.labels)), np.bool_)
    true[sets.item, sets.label] = True
    return true


class Items(NamedTuple):
    """True classes and scores."""

    values: Array
    labels: list[Any]
    """The classes that occur, sorted."""
    text: bool

    @classmethod
    def of(cls, y_true: Any, *, objects: bool = False) -> Items:
        """A column of classes, which may be ``objects`` that are not texts."""
        data = column(y_true if objects else one_column(y_true), "y_true")
        return cls(data.values, sorted(observed(data)), data.kind == "str")

    def positive(self, pos_label: Any) -> Any:
        """The class that high scores stand for: 1 by default."""
        if pos_label is not None:
            return pos_label
        if self.text or not any({*self.labels} <= two for two in ({0, 1}, {-1, 1})):
            raise LabelError("which class do high scores stand for?")
        return 1

    def codes(self, classes: list[Any]) -> Array:
        """The index of each item's class among sorted ones."""
        if not {*self.labels} <= {*classes}:
            raise LabelError(f"labels= must have all classes; got {classes[:20]!r}")
        if self.text:
            place = {label: at for at, label in enumerate(classes)}
            return np.fromiter((place[x] for x in self.values), np.intp, len(self.values))
        if classes == [*range(len(classes))]:
            return self.values.astype(np.intp, copy=False)
        return np.searchsorted(classes, self.values)

    def columns(self, labels: Any, scores: Array) -> list[Any]:
        """The class of each column of scores."""
        classes = self.labels if labels is None else listed(labels)
        if sorted({*classes}) != classes or not {*self.labels} <= {*classes}:
            raise LabelError(f"labels= must have all classes, in order; got {labels!r}")
        if scores.ndim != 2 or len(classes) != scores.shape[1]:
            raise LabelError(f"{len(classes)} classes, but scores of shape {scores.shape}")
        return classes
