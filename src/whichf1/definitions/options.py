"""The options of a definition: their types and checks."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from whichf1.definitions.methods import IntervalName, Method, find_method, whole
from whichf1.errors import SIMPLE, DefinitionError, did_you_mean, is_number
from whichf1.metrics.averaging import Scope, Undefined
from whichf1.metrics.calibration import Binning
from whichf1.metrics.ranking import MultiClass
from whichf1.sources.counts import Reading
from whichf1.tables.cells import Ties
from whichf1.tables.labels import Labels, plain

Average: TypeAlias = Literal["macro", "weighted", "micro", "samples"]
Formula: TypeAlias = Literal["averaged", "of-averages"]
ClassSet: TypeAlias = Literal["declared", "observed", "true", "range"]
TwoClasses: TypeAlias = Literal["both", "first", "last"]
EpsilonIn: TypeAlias = Literal["all", "harmonic"]
ClassShares: TypeAlias = Literal["uniform"] | Mapping[Any, float]
"""The shares that true classes are scaled to; kept as pairs of a class and its share."""
Classes: TypeAlias = list[Any] | tuple[Any, ...] | np.ndarray[Any, Any]
"""Classes listed one by one; not text, which would be a sequence of letters."""

Matrix: TypeAlias = Sequence[Sequence[float]] | np.ndarray[Any, Any]
"""A number for each pair of a true and a predicted class."""


class Options(Reading, total=False):
    """Everything that a score accepts besides its data; ``docstrings.MEANING`` describes each."""

    labels: Any
    weights: Any
    frequencies: Any
    cluster: Any
    true: str | Sequence[str] | None
    pred: str | Sequence[str] | None
    score: Any
    sep: str | None
    average: Average | None
    formula: Formula | None
    positive: Any
    classes: ClassSet | Classes
    exclude: Classes
    ignore: Classes
    class_shares: ClassShares | None
    undefined: Undefined
    scope: Scope
    two_classes: TwoClasses
    epsilon: float
    epsilon_in: EpsilonIn
    batch: int | None
    interval: IntervalName | Method | None
    beta: float
    weighting: Literal["none", "linear", "quadratic"] | Matrix
    costs: Matrix | None
    parents: Mapping[Any, Any] | None
    level: Literal["nominal", "ordinal", "interval", "ratio"]
    alpha: float
    mean: Literal["arithmetic", "geometric", "min", "max"]
    of: str | None
    max_fpr: float | None
    multi_class: MultiClass | Literal["top-label"] | None
    top: float
    at: float
    min_recall: float
    min_fpr: float
    threshold: float
    floor: float
    scale: Literal["half", "sum"] | None
    bounds: Literal["unit", "none"] | None
    loss: Literal["brier", "log_loss"]
    coverage: float
    bins: int
    binning: Binning
    k: int | None
    ties: Ties


def one_of(*known: object) -> Callable[[str, Any], Any]:
    """A check that the value is one of the known ones; its error names the nearest."""

    def check(name: str, value: Any) -> Any:
        if not isinstance(value, SIMPLE) or value not in known:
            words = [str(x) for x in known if x is not None]
            raise DefinitionError(f"{name} cannot be {value!r}. {did_you_mean(str(value), words)}")
        return value

    return check


def check_epsilon(name: str, value: Any) -> Any:
    """A finite number of at least 0."""
    if not isinstance(value, (int, float)) or not is_number(value) or not 0 <= value < np.inf:
        raise DefinitionError(f"epsilon must be a number of at least 0; got {value!r}")
    return value


def check_batch(name: str, value: Any) -> Any:
    """None, or a number of items."""
    if value is not None:
        whole(name, value, 1)
    return value


def check_undefined(name: str, value: Any) -> Undefined:
    """A number, 'skip' or 'nan'; NaN itself means 'nan'."""
    if isinstance(value, float) and np.isnan(value):
        return "nan"
    if isinstance(value, str) and value in ("skip", "nan"):
        return value  # type: ignore[return-value]
    if not is_number(value) or not abs(value) <= sys.float_info.max:  # of any size and type
        raise DefinitionError(
            f"undefined must be a finite number such as 0 or 1, 'skip' or 'nan'; got {value!r}"
        )
    return int(value) if float(value).is_integer() else float(value)


def check_class_set(name: str, value: Any) -> Any:
    """The name of a class set, or the listed classes as a tuple."""
    if name == "classes" and isinstance(value, str):
        return one_of(*get_args(ClassSet))(name, value)
    if isinstance(value, (str, int)):
        raise DefinitionError(f"{name} must be a list of classes; got {value!r}")
    chosen = value if isinstance(value, tuple) and not value else tuple(Labels(value))
    if name == "classes" and not chosen:
        raise DefinitionError("classes is an empty list. Name at least one class.")
    return chosen


def check_class_shares(name: str, value: Any) -> Any:
    """None, 'uniform', or pairs of a class and its share that add up to 1."""
    if value is None or (isinstance(value, str) and value == "uniform"):
        return value
    pairs = [*value.items()] if isinstance(value, Mapping) else value
    listed = isinstance(pairs, (list, tuple)) and pairs
    if not listed or not all(isinstance(x, (list, tuple)) and len(x) == 2 for x in pairs):
        raise DefinitionError(
            f"{name} must be 'uniform' or a share for each class, such as {{'a': 0.2, 'b': 0.8}}; "
            f"got {value!r}"
        )
    labels, shares = Labels([label for label, _ in pairs]), [share for _, share in pairs]
    for label, share in zip(labels, shares, strict=True):
        if not is_number(share) or not 0 <= share <= 1:
            raise DefinitionError(
                f"{name}: the share of {label!r} must be a number from 0 to 1; got {share!r}"
            )
    total = math.fsum(shares)
    if abs(total - 1) > _ADD_UP:
        raise DefinitionError(
            f"{name} must add up to 1, but "
            f"{', '.join(f'{x:g}' for x in shares)} add{'s' * (len(shares) == 1)} up to {total:.9g}"
        )
    return tuple((label, float(share)) for label, share in zip(labels, shares, strict=True))


_ADD_UP = 1e-9
"""How far the sum of shares may be from 1, to allow for rounding."""

CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "average": one_of(None, *get_args(Average)),
    "formula": one_of(None, *get_args(Formula)),
    "positive": lambda _, value: plain(value),
    "classes": check_class_set,
    "exclude": check_class_set,
    "ignore": check_class_set,
    "class_shares": check_class_shares,
    "undefined": check_undefined,
    "scope": one_of(*get_args(Scope)),
    "two_classes": one_of(*get_args(TwoClasses)),
    "epsilon": check_epsilon,
    "epsilon_in": one_of(*get_args(EpsilonIn)),
    "batch": check_batch,
    "interval": lambda _, value: find_method(value),
}
"""The check of each option: it takes name and value, and returns the value to keep or raises."""
