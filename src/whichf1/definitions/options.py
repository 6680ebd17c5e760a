"""The options of a definition: their types and checks, and when they apply."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from whichf1.definitions.methods import Bootstrap, IntervalName, Method
from whichf1.errors import DefinitionError, did_you_mean
from whichf1.metrics import COUNTED, Metric
from whichf1.metrics.averaging import Average, Formula, Scope, Undefined
from whichf1.metrics.probability import Binning
from whichf1.metrics.ranking import MultiClass
from whichf1.sources.counts import Reading
from whichf1.tables.cells import Ties
from whichf1.tables.labels import Label, Labels

ClassSet: TypeAlias = Literal["declared", "observed", "true", "range"]
TwoClasses: TypeAlias = Literal["both", "first", "last"]
EpsilonIn: TypeAlias = Literal["all", "harmonic"]
Classes: TypeAlias = list[Any] | tuple[Any, ...] | np.ndarray[Any, Any]
"""Classes listed one by one; not text, which would be a sequence of letters."""
Condition: TypeAlias = tuple[str, bool, str]
"""An option, whether it applies, and if not, why."""


class Options(Reading, total=False):
    """Everything that a score accepts besides its data; ``docstrings.MEANING`` describes each."""

    labels: Any
    weights: Any
    cluster: Any
    true: str | Sequence[str] | None
    pred: str | None
    score: Any
    average: Average | None
    formula: Formula | None
    positive: Any
    classes: ClassSet | Classes
    exclude: Classes
    ignore: Classes
    undefined: Undefined
    scope: Scope
    two_classes: TwoClasses
    epsilon: float
    epsilon_in: EpsilonIn
    batch: int | None
    interval: IntervalName | Method | None
    beta: float
    weighting: Literal["none", "linear", "quadratic"]
    max_fpr: float | None
    multi_class: MultiClass | Literal["top-label"] | None
    top: float
    floor: float
    scale: Literal["half", "sum"] | None
    bins: int
    binning: Binning
    k: int
    ties: Ties


def one_of(*known: object) -> Callable[[str, Any], Any]:
    """A check that the value is one of the known ones; its error names the nearest."""

    def check(name: str, value: Any) -> Any:
        if value not in known:
            words = [str(x) for x in known if x is not None]
            raise DefinitionError(f"{name} cannot be {value!r}. {did_you_mean(str(value), words)}")
        return value

    return check


def check_epsilon(name: str, value: Any) -> Any:
    """A finite number of at least 0."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not 0 <= value < np.inf:
        raise DefinitionError(f"epsilon must be a number of at least 0; got {value!r}")
    return value


def check_batch(name: str, value: Any) -> Any:
    """None, or a number of items."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise DefinitionError(f"batch must be a whole number of items, at least 1; got {value!r}")
    return value


def check_undefined(name: str, value: Any) -> Undefined:
    """0, 1, 'skip' or 'nan'; NaN itself means 'nan'."""
    if isinstance(value, float) and np.isnan(value):
        return "nan"
    if isinstance(value, bool) or value not in (0, 1, "skip", "nan"):
        raise DefinitionError(f"undefined must be 0, 1, 'skip' or 'nan'; got {value!r}")
    return value if isinstance(value, str) else int(value)  # type: ignore[return-value]


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


def conditions(
    metric: Metric,
    *,
    average: Average | None,
    positive: Label | None,
    formula: Formula | None,
    epsilon: float,
    interval: Method | None,
) -> list[Condition]:
    """Which options can change the value of a metric, given the others."""
    rate = metric.kind == "rate"
    several = metric.kind in ("rate", "items") and positive is None
    mean = several and average in ("macro", "weighted")
    whole = "it is computed from the whole table"
    scored = metric.kind in ("ranking", "loss")
    ways = metric.parameters["multi_class"].choices if "multi_class" in metric.parameters else ()
    over_classes = "ovr" in ways  # otherwise there is nothing to average
    averaged = over_classes and average in (None, "macro", "weighted")
    one = whole if not rate else "it scores the positive class alone"
    smooth = metric.smooth or isinstance(interval, Bootstrap)
    batched = "intervals need items, not batches. Drop interval= or batch="
    return [
        ("average", rate or averaged, "use 'macro' or 'weighted'" if over_classes else whole),
        ("positive", rate or scored, whole),
        ("ignore", metric.kind in COUNTED, "remove those items from the data instead"),
        ("classes", several, one),
        ("exclude", several, one),
        ("formula", mean and metric.harmonic, "it has only one formula"),
        ("undefined", not metric.total, "it is never undefined"),
        ("interval", smooth, "it depends on individual items. Use 'bootstrap'"),
        ("scope", metric.harmonic and formula != "of-averages", "it has only one division"),
        ("two_classes", mean, "it is not a mean over classes"),
        ("epsilon", rate, whole),
        ("epsilon_in", bool(epsilon) and metric.harmonic, "there is only one denominator"),
        ("batch", metric.kind in COUNTED and interval is None, batched),
    ]
