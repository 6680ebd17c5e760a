"""Metrics as functions, such as ``wf.recall``, and ``wf.score``, which takes a name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import NoneType
from typing import Any, Unpack

from whichf1.definitions.definition import Definition, define
from whichf1.definitions.methods import Method
from whichf1.definitions.names import look_up
from whichf1.definitions.options import Options
from whichf1.definitions.signature import read
from whichf1.errors import DefinitionError, ShapeError
from whichf1.metrics import Metric, find
from whichf1.scoring.evaluate import evaluate_per_class, run, run_alone
from whichf1.scoring.score import PerClass, Score
from whichf1.sources.counts import DATA_OPTIONS, as_counts
from whichf1.sources.request import are_sets
from whichf1.sources.sequences import column, encode_alike, to_numpy
from whichf1.tables.labels import Labels

_PLAIN = (str, int, float, NoneType, Method)
"""Definitions with only options of these types are cached."""
_OF_DATA = frozenset(DATA_OPTIONS)


class _Described:
    """An attribute that ``scoring.help`` writes the first time it is read."""

    def __init__(self, attribute: str, of_class: str | None) -> None:
        self.attribute = attribute
        self.of_class = of_class

    def __get__(self, scorer: Scorer | None, owner: type[Scorer]) -> Any:
        if scorer is None:
            return self.of_class
        from whichf1.scoring import help

        write = help.text if self.attribute == "__doc__" else help.signature
        scorer.__dict__[self.attribute] = write(scorer, scorer.__name__)
        return scorer.__dict__[self.attribute]


class Scorer:
    """A metric as a function: ``recall(counts, positive=1)`` or ``recall(y_true, y_pred, ...)``."""

    __doc__ = _Described("__doc__", __doc__)
    __signature__ = _Described("__signature__", None)

    def __init__(self, name: str) -> None:
        self.__name__ = self.__qualname__ = name
        self.__module__ = "whichf1"
        self._metric = look_up(name)[0]
        self._known: dict[Any, Definition] = {}

    @property
    def metric(self) -> Metric:
        """The declaration of the metric."""
        return find(self._metric)

    def definition(self, **options: Unpack[Options]) -> Definition:
        """The definition with these options, without running it."""
        chosen: dict[str, Any] = {**options}
        for name in _OF_DATA & chosen.keys():
            del chosen[name]
        key = (*chosen.items(), *map(type, chosen.values()))  # 1 and True are two classes
        try:
            return self._known[key]
        except (KeyError, TypeError):  # new, or not hashable
            pass
        plain = all(isinstance(v, _PLAIN) for v in chosen.values())
        parameters = {k: chosen.pop(k) for k in self.metric.parameters if k in chosen}
        definition = define(self.__name__, parameters, chosen)
        if len(self._known) < 1000 and plain:
            self._known[key] = definition
        return definition

    def __call__(self, y_true: Any, y_pred: Any = None, **options: Unpack[Options]) -> Score:
        """The score; ``help(metric)`` describes the options."""
        try:  # the common case, and faster
            key: tuple[Any, ...] = ()
            if len(options) == 1:  # as below
                (pair,) = options.items()
                key = (pair, type(pair[1]))
            elif options:
                key = (*options.items(), *map(type, options.values()))
            known = self._known.get(key)
        except TypeError:  # not hashable
            known = None
        if known is not None:
            return run_alone(known, y_true, y_pred)
        if _OF_DATA.isdisjoint(options):
            return run(self.definition(**options), y_true, y_pred)
        return run(self.definition(**options), y_true, y_pred, **_data(options))

    def per_class(self, y_true: Any, y_pred: Any = None, **options: Unpack[Options]) -> PerClass:
        """The score of each class, with the same options except average, positive and score."""
        metric = self.metric
        if metric.over_labels:
            return self._against_rest(y_true, y_pred, options)
        if metric.kind != "rate":
            raise DefinitionError(f"{self.__name__} has no value for each class")
        for name in ("average", "positive", "score"):
            if name in options:
                raise DefinitionError(f"per_class scores every class. Drop {name}=.")
        definition = _plain(self._metric).definition(**options)
        return evaluate_per_class(definition, as_counts(y_true, y_pred, **_data(options)))

    def _against_rest(self, y_true: Any, y_pred: Any, options: Options) -> PerClass:
        """A ranking of each class against the rest, by its column of scores."""
        for name in ("average", "positive", "multi_class"):
            if name in options:
                raise DefinitionError(f"per_class scores every class. Drop {name}=.")
        names = _class_names(y_true, y_pred, options)
        if not names:
            raise ShapeError("there are no classes to score: pass items, or declare labels=")
        asked: list[Any] = [{**options, "positive": name} for name in names]
        each = [self(y_true, y_pred, **arguments) for arguments in asked]
        return PerClass.of(self.definition(**options), names, each)

    def __repr__(self) -> str:
        return f"<whichf1 metric {self.__name__}>"


@cache
def _plain(metric: str) -> Scorer:
    """The metric without the settings of a shorthand."""
    return Scorer(metric)


def _class_names(y_true: Any, y_pred: Any, options: Options) -> Labels:
    """The classes or labels, each of which has a column of scores."""
    columns, declared = options.get("score"), options.get("labels")
    if isinstance(true := options.get("true"), (list, tuple)):
        return Labels(true if declared is None else declared)
    if options.get("sep") is not None and isinstance(columns, (list, tuple)):
        return Labels(columns if declared is None else declared)
    if y_pred is not None and are_sets(y_true):
        from whichf1.scoring.label_sets import label_names

        return label_names(y_true, y_pred, declared)
    matrix = y_pred is not None and columns is None and to_numpy(y_pred).ndim == 2
    if isinstance(columns, Mapping):
        return Labels(columns)
    if matrix and declared is not None:
        return Labels(declared)
    if not matrix:
        raise DefinitionError(
            "per_class needs a column of scores for each class: pass a matrix of scores, or "
            "score={class: column} for a dataframe or file"
        )
    values = column(y_true, "y_true")
    return encode_alike([values])[1] if len(values.values) else Labels(())


def score(y_true: Any, *rest: Any, **options: Unpack[Options]) -> Score:
    """Compute a score by name: ``score(counts, metric)`` or ``score(y_true, y_pred, metric)``.

    y_true (Counts, array, dataframe or path): The data, as for the metric's own function.
    *rest (array, str): The predictions or scores unless ``y_true`` contains them, then the metric:
        a name, an alias, a name with parameters such as ``"f_beta(beta=2)"``, a signature, a
        Definition or a metric function.
    **options: The options of the metric, such as ``average="macro"``.
    Returns: The value with its signature, its number of items and, on request, its interval.

    >>> import whichf1 as wf
    >>> wf.score([0, 1, 1], [0, 1, 0], "accuracy").value
    0.6666666666666666
    >>> wf.score([0, 1, 1], [0, 1, 0], "f_beta(beta=2)", positive=1).signature
    'f_beta(beta=2)|positive:1|undef:0|v:1|n:3|k:2|labels:kmjfippo'
    """
    if not 1 <= len(rest) <= 2:
        raise DefinitionError(
            "call score(counts, metric) or score(y_true, y_pred, metric); "
            f"got {1 + len(rest)} positional argument(s)"
        )
    *y_pred, metric = rest
    definition = with_options(metric, dict(options))
    return run(definition, y_true, y_pred[0] if y_pred else None, **_data(options))


def with_options(metric: Any, options: dict[str, Any]) -> Definition:
    """The definition of a name, signature, metric or definition, with further options."""
    if isinstance(metric, (Scorer, Definition)):
        metric = metric.__name__ if isinstance(metric, Scorer) else metric.signature
    chosen = {k: v for k, v in options.items() if k not in DATA_OPTIONS and v is not None}
    base = Definition.parse(metric)
    if not chosen:
        return base
    name, parameters, fields = read(metric)
    if fields:
        raise DefinitionError(
            f"the signature {metric!r} already sets every option. Drop {', '.join(chosen)}."
        )
    further = {k: chosen.pop(k) for k in base.declaration.parameters if k in chosen}
    return define(name, {**parameters, **further}, chosen)


def _data(options: Options) -> dict[str, Any]:
    """The options that describe the data."""
    return {k: v for k, v in options.items() if k in DATA_OPTIONS and v is not None}
