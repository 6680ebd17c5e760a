"""The registry: each metric is declared once, as a function that computes it.

Its name, parameters, their meanings and its summary are read from that function.
"""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property, partial
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

import numpy as np

from whichf1.errors import DefinitionError, LabelError, did_you_mean, is_among, suggestion
from whichf1.kernel import LossSums
from whichf1.tables.cells import Array, CellValues, Margins, OneVsRest
from whichf1.tables.labels import Labels
from whichf1.tables.records import dataclass

Ratio: TypeAlias = tuple[Array, Array]
"""Numerator and denominator; ``averaging.ZeroRule`` decides what 0/0 gives."""
Square: TypeAlias = tuple[tuple[float, ...], ...]
"""A number for every pair of a true and a predicted class, in label order."""
Tree: TypeAlias = tuple[tuple[int | str | bool, tuple[int | str | bool, ...]], ...]
"""Every class of a hierarchy with its parents; none at the top."""
Value: TypeAlias = int | float | str | Square | Tree | None
Kind: TypeAlias = Literal["rate", "agreement", "items", "ranking", "loss", "label ranking", "value"]
Names: TypeAlias = Annotated[Labels | None, "names"]
"""A parameter that a formula receives, not one that users choose: the classes, in table order."""
KINDS: tuple[Kind, ...] = get_args(Kind)
COUNTED: tuple[Kind, ...] = ("rate", "agreement")
"""Kinds computed from Counts; the others need scores or sets of labels."""


@dataclass(frozen=True)
class Within:
    """The range of numbers that a parameter accepts."""

    low: float
    high: float
    whole: bool
    says: str
    endless: bool = False
    """Whether infinity is accepted."""


Share = Annotated[float, Within(math.ulp(0), 1, False, "a number above 0 and at most 1")]
Floor = Annotated[float, Within(0, 0.5, False, "a number from 0 to 0.5")]
Whole = Annotated[int, Within(1, math.inf, True, "a whole number of at least 1")]
Bins = Annotated[int, Within(1, 10**6, True, "a whole number of at least 1 and at most 1,000,000")]
Endless = Annotated[float, Within(0, math.inf, False, "a number of at least 0, or inf", True)]
ANY = Within(0, math.inf, False, "a finite number of at least 0")


@dataclass(frozen=True)
class Parameter:
    """A parameter of a formula: a number, one of several words, or a matrix."""

    default: Value
    meaning: str = ""
    choices: tuple[str, ...] = ()
    within: Within = ANY
    square: bool = False
    """Whether it may be (must be, if there are no words) a matrix over all pairs of classes."""
    tree: bool = False
    """Whether it is the parents of classes."""
    text: bool = False
    """Whether it is any text."""

    def check(self, name: str, value: Any) -> Value:
        """The value, with whole floats as int; None is allowed only if it is the default."""
        if value is None and self.default is None:
            return None
        if self.tree:
            return _tree(name, value)
        if self.text:
            value = str(value).lower() if isinstance(value, bool) else value  # the word true
            if not isinstance(value, str) or not value:
                raise DefinitionError(f"{name} must be a text; got {value!r}")
            return str(value)
        if self.square and not isinstance(value, str):
            return _square(name, value)
        if self.choices:
            value = "true" if value is True else value  # which JSON reads as a boolean
            if not is_among(value, self.choices):
                known = ", ".join(map(repr, self.choices))
                raise DefinitionError(f"{name} must be one of {known}; got {value!r}")
            return str(value)
        if self.square:
            raise DefinitionError(f"{name} must be {_A_SQUARE}; got {value!r}")
        if self.within.endless and is_among(value, ("inf", math.inf)):
            return math.inf
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        most = min(self.within.high, sys.float_info.max)
        fits = number and self.within.low <= value <= most
        if not fits or (self.within.whole and not float(value).is_integer()):
            raise DefinitionError(f"{name} must be {self.within.says}; got {value!r}")
        return int(value) if float(value).is_integer() else float(value)


_A_SQUARE = "a list of rows, one for each true class, with a number for each predicted class"


def _square(name: str, value: Any) -> Square:
    """A matrix of finite numbers of at least 0 as tuples, which can be hashed."""
    try:
        cells = np.asarray(value)
        texts = cells.dtype == object and any(isinstance(x, str) for x in cells.ravel())
        if cells.dtype.kind not in "biufO" or texts:
            raise TypeError  # NumPy would read a text as a number
        matrix = cells.astype(np.float64)
    except Exception:  # whatever an object of somebody else raises
        raise DefinitionError(f"{name} must be {_A_SQUARE}; got {value!r}") from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        shape = " × ".join(map(str, matrix.shape)) or "a number"
        raise DefinitionError(f"{name} must be {_A_SQUARE}; got {shape}")
    wrong = ~((matrix >= 0) & np.isfinite(matrix))
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        raise DefinitionError(
            f"{name} must have finite numbers of at least 0; row {row + 1}, column {column + 1} is "
            f"{matrix[row, column]:g}"
        )
    return tuple(tuple(int(x) if x.is_integer() else x for x in row) for row in matrix.tolist())


_A_TREE = "a mapping from each class to its parent or a list of its parents, None at the top"


def _tree(name: str, value: Any) -> Tree:
    """The parents of each class as tuples, which can be hashed; every parent is a class, too."""
    try:
        pairs = [*value.items()] if isinstance(value, Mapping) else [(a, b) for a, b in value]
    except Exception:  # whatever an object of somebody else raises
        raise DefinitionError(f"{name} must be {_A_TREE}; got {value!r}") from None
    if not pairs:
        raise DefinitionError(f"{name} must be {_A_TREE}; got none")
    try:
        nodes = Labels([child for child, _ in pairs])
    except LabelError as error:
        raise DefinitionError(f"{name}: {error}") from None
    above = [_parents_of(child, parents, name) for child, parents in pairs]
    for child, parents in zip(nodes, above, strict=True):
        unknown = next((parent for parent in parents if parent not in nodes), None)
        if unknown is not None:
            hint = did_you_mean(str(unknown), map(str, nodes))
            raise DefinitionError(
                f"{name}: {unknown!r}, a parent of {child!r}, is not in the hierarchy itself. Add "
                f"{unknown!r}: None (in a file, a row without a parent) if it is at the top. {hint}"
            )
    tree = {child: tuple(parents) for child, parents in zip(nodes, above, strict=True)}
    _refuse_cycle(name, tree)
    return tuple(sorted(tree.items()))


def _parents_of(child: Any, parents: Any, name: str) -> Sequence[Any]:
    if parents is None:
        return ()
    try:
        return Labels(parents if isinstance(parents, (list, tuple, set)) else [parents])
    except LabelError as error:
        raise DefinitionError(f"{name} of {child!r}: {error}") from None


def _refuse_cycle(name: str, tree: Mapping[Any, tuple[Any, ...]]) -> None:
    """Raise if a class is its own ancestor: classes without parents are taken away one by one."""
    waiting = {child: {*parents} for child, parents in tree.items()}
    children: dict[Any, list[Any]] = {node: [] for node in tree}
    for child, parents in tree.items():
        for parent in parents:
            children[parent].append(child)
    free = [node for node, parents in waiting.items() if not parents]
    while free:
        node = free.pop()
        del waiting[node]
        for child in children[node]:
            waiting[child].discard(node)
            if not waiting[child]:
                free.append(child)
    if not waiting:
        return
    path = [next(iter(waiting))]
    while path[-1] not in path[:-1]:
        path.append(next(parent for parent in tree[path[-1]] if parent in waiting))
    cycle = " → ".join(map(repr, path[path.index(path[-1]) :]))
    raise DefinitionError(f"{name} goes round in a cycle: {cycle}. Remove one of these parents.")


@dataclass(frozen=True, eq=False, kw_only=True)
class Metric:
    """A metric: its formula and all its properties."""

    name: str
    kind: Kind
    """A rate compares one class with the rest; an agreement uses the whole table; 'items' are
    scored one by one, by their sets of labels; a ranking uses scores; a loss is a mean over items
    of a function of their probabilities; a label ranking uses the scores of each item's labels; a
    'value' is one that items have, without true classes."""
    formula: Callable[..., Any] = field(repr=False)
    summary: str
    tex: str
    title: str
    """What the metric is called in a sentence."""
    aliases: tuple[str, ...] = ()
    bounds: tuple[float, float] = (0, 1)
    bounds_of: Callable[..., tuple[float, float]] | None = field(default=None, repr=False)
    """For bounds that depend on the parameters: a function of these."""
    attainable: Callable[..., tuple[float, float]] | None = field(default=None, repr=False)
    """For bounds that depend on the classes: a function of their number and the parameters. No
    interval goes beyond them."""
    better: Literal["higher", "lower", "neither"] = "higher"
    sklearn: str | None = None
    harmonic: bool = False
    """Whether it is a harmonic mean of precision and recall, which can also be taken 'of averages'
    and in which 0/0 can occur at several steps."""
    probabilities: bool = False
    """Whether the scores must be probabilities."""
    confidence: bool = False
    """Whether it ranks the right and the wrong predictions by the probability of the predicted
    class, with any number of classes."""
    smooth: bool = True
    """Whether every item moves the score a little. A maximum or a cutoff at a quantile depends on
    individual items, so the delta method does not apply to it."""
    bend: str | None = None
    """Where a smooth score has a bend, in words: resampling moves it to one side there."""
    squared: Callable[..., tuple[Array, Array]] | None = field(default=None, repr=False)
    """For the root of an estimate that may be negative: this estimate and its standard error, from
    which an automatic interval is computed although the score is not smooth."""
    of_top: Callable[[float, float], float] | None = field(default=None, repr=False)
    """For a score of the positives among the top-scored items: a function of the fraction of all
    positives that are there, and of the parameter ``top``, that gives the score. It also has an
    automatic interval."""
    of_ratio: tuple[Metric, Callable[[float], float]] | None = field(default=None, repr=False)
    """For an increasing function of a ratio: the metric that is this ratio, and the function. The
    score hardly changes near its bounds, so the automatic interval of a class is transformed from
    that of the ratio."""
    bias: Callable[..., Array] | None = field(default=None, repr=False)
    """For a ranking: about how much the score of single items overestimates the truth."""
    whole: bool = False
    """Whether it counts pairs or numbers of items, so that items cannot have weights."""
    relative: Literal["skill", "ratio"] | None = None
    """For a loss that is divided by that of the best constant prediction: the fraction that is
    saved ('skill'), or that remains ('ratio'). The constant gives every item the observed
    frequencies of the classes as its probabilities."""
    unlimited: bool = False
    """For a loss: whether a single item may have any, so that a few rare ones can decide the mean.
    The cost of a decision or the rank of a label has no bound that all data share, but is limited
    by the costs and the number of labels."""
    signed: bool = False
    """For a loss of scores that are not probabilities: whether a single score per item is above 0
    for the positive class and below 0 for the other."""
    raters: bool = False
    """Whether it treats both sides of the table alike, so that it applies to any raters."""
    of_areas: Callable[..., Callable[[Any], Ratio] | None] | None = field(default=None, repr=False)
    """For a ranking: from its parameters to the score as a function of the RankAreas of its items,
    which the kernel adds up without a table; None for parameters that need the table."""
    one_point: bool = False
    """For a ranking: whether one threshold decides it, so that only items around it are sorted."""
    of_bins: Callable[[Any, Any], Any] | None = field(default=None, repr=False)
    """For a ranking by probabilities: the score as a function of Σ (y − p) and of the number of
    items in each bin, which the kernel counts without a table."""
    of_labels: str | None = None
    """For a mean over items with sets of labels: what the kernel calls it, which adds it up without
    an array of all items."""
    of_precisions: str | None = None
    """For a ranking: what the kernel calls it, which finds its spread without derivatives."""
    of_ancestors: str | None = None
    """For classes in a hierarchy: the rate whose micro average this is, if items have sets of
    labels, over these labels and their ancestors."""
    sums: Callable[..., LossSums] | None = field(default=None, repr=False)
    """For a mean over items whose formula gives a value for each: a faster way to sum them."""

    def __reduce__(self) -> tuple[Any, ...]:
        return find, (self.name,)

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """The parameters of the formula besides the data, read from its signature on first use."""
        hints = get_type_hints(self.formula, include_extras=True)
        _, *others = inspect.signature(self.formula).parameters.values()
        chosen = [x for x in others if hints[x.name] != Names]
        return {x.name: _parameter(x.default, hints[x.name]) for x in chosen}

    @cached_property
    def named(self) -> bool:
        """Whether the formula uses the classes themselves, not only their number."""
        return Names in get_type_hints(self.formula, include_extras=True).values()

    @cached_property
    def over_classes(self) -> bool:
        """Whether it is a ranking that can be computed for each class against the rest."""
        return self._has_several("ovr")

    @cached_property
    def of_top_label(self) -> bool:
        """Whether it is a ranking that uses the predicted class's score if there are several."""
        return self.confidence or self._has_several("top-label")

    @cached_property
    def over_labels(self) -> bool:
        """Whether it can be averaged over labels, each of which ranks or scores all the items."""
        loss = self.kind == "loss" and self.probabilities and self.relative is None
        return loss or (self.kind == "ranking" and not self.confidence)

    @property
    def by_score(self) -> bool:
        """Whether it is a ranking that uses the scores themselves, not only their order."""
        return self.kind == "ranking" and self.probabilities

    def _has_several(self, way: str) -> bool:
        several = self.parameters.get("multi_class")
        return several is not None and way in several.choices

    @cached_property
    def total(self) -> bool:
        """Whether the denominator is never 0, determined by trying each kind of item alone.

        Rankings count as total: they raise an error if there is nothing to rank.
        """
        if self.kind not in COUNTED:
            return True
        if self.of_ancestors is not None:  # of the root, or of an empty set, nothing counts
            return False
        one, none = np.ones(1), np.zeros(1)
        alone: Any = OneVsRest(*np.eye(4))
        if self.kind == "agreement":
            cells = CellValues(np.zeros(1, np.intp), one, 1)
            alone = Margins(one, none, none, none, one, cells)
        return bool(np.all(self.formula(alone)[1] != 0))

    def check(self, values: Mapping[str, Any]) -> dict[str, Value]:
        """Every parameter with its checked value or its default."""
        for name in values:
            if name not in self.parameters:
                known = ", ".join(self.parameters) or "none"
                raise DefinitionError(f"{self.name} has no parameter {name!r}; it has {known}")
        return {
            name: parameter.check(name, values.get(name, parameter.default))
            for name, parameter in self.parameters.items()
        }


METRICS: dict[str, Metric] = {}
"""The metrics of Counts by name, in the order of declaration."""
EVERY: dict[str, Metric] = {}
"""All metrics by name, including those of scores, probabilities and sets of labels."""
_BY_NAME: dict[str, str] = {}


def declare(kind: Kind, **facts: Any) -> Callable[[Callable[..., Any]], Metric]:
    """Declare a metric: a decorator of its formula that takes the fields of ``Metric``."""

    def register(formula: Callable[..., Any]) -> Metric:
        name = formula.__name__
        words = {"title": name.replace("_", " "), "summary": (formula.__doc__ or "").split("\n")[0]}
        metric = Metric(name=name, kind=kind, formula=formula, **words | facts)
        for known in (name, *metric.aliases):
            if _BY_NAME.setdefault(known, name) != name:
                raise DefinitionError(f"two metrics are called {known!r}")
        EVERY[name] = metric
        if kind in COUNTED:
            METRICS[name] = metric
        return metric

    return register


rate = partial(declare, "rate")
"""Declare a ratio of the true and false positives and negatives of one class."""
agreement = partial(declare, "agreement")
"""Declare a ratio computed from the whole table."""


def _parameter(default: Value, hint: Any) -> Parameter:
    notes: list[Any] = []
    square = tree = False
    while get_origin(hint) in (Annotated, Union, UnionType):
        if get_origin(hint) is Annotated:
            notes += hint.__metadata__
            hint = hint.__origin__
        else:  # X | None, words | Square
            parts = [each for each in get_args(hint) if each is not NoneType]
            square |= Square in parts
            tree |= Tree in parts
            hint = parts[0]
    meaning = next((note for note in notes if isinstance(note, str)), "")
    square |= hint == Square
    if get_origin(hint) is Literal:
        return Parameter(default, meaning, get_args(hint), square=square)
    if tree:
        return Parameter(default, meaning, tree=True)
    if hint is str:
        return Parameter(default, meaning, text=True)
    within = next((note for note in notes if isinstance(note, Within)), ANY)
    return Parameter(default, meaning, within=within, square=square)


def plain_name(name: str) -> str:
    """A name in the form used for lookup: 'Miss-rate' becomes 'miss_rate'."""
    name = getattr(name, "__name__", name)  # of a metric function
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def find(name: str, also: Iterable[str] = ()) -> Metric:
    """The metric with this name or alias; the error suggests similar names, ``also`` others."""
    if name in EVERY:
        return EVERY[name]
    plain = plain_name(name)
    if plain not in _BY_NAME:
        hint = suggestion(plain, [*_BY_NAME, *also]) or "`whichf1 metrics` lists all metrics."
        raise DefinitionError(f"there is no metric {name!r}. {hint}")
    return EVERY[_BY_NAME[plain]]
