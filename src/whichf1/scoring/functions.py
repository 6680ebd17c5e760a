"""Metrics as functions: what is public by name."""

from __future__ import annotations

from collections.abc import Sequence
from types import NoneType
from typing import Any, Unpack

from whichf1.definitions.definition import Definition, define
from whichf1.definitions.methods import Method
from whichf1.definitions.names import SHORTHANDS
from whichf1.definitions.signature import read
from whichf1.errors import DefinitionError
from whichf1.metrics import Metric, find
from whichf1.scoring.evaluate import evaluate_per_class, run
from whichf1.scoring.score import PerClass, Score
from whichf1.sources.count import DATA_OPTIONS, Reading, as_counts

_PLAIN = (str, int, float, NoneType, Method)
"""Options of these types are remembered with the definition that they gave."""


class ScoreOptions(Reading, total=False):
    """Everything that a score can be asked for."""

    true: str | Sequence[str] | None
    pred: str | None
    score: Any
    labels: Any
    weights: Any
    cluster: Any
    average: str | None
    formula: str | None
    positive: Any
    classes: Any
    exclude: Any
    ignore: Any
    undefined: Any
    scope: str
    two_classes: str
    epsilon: float
    epsilon_in: str
    batch: int | None
    interval: str | Method | None
    beta: float
    weighting: str
    max_fpr: float | None
    multi_class: str | None
    top: float
    floor: float
    scale: str | None
    bins: int
    binning: str
    k: int
    ties: str


class Scorer:
    """A metric as a function: ``recall(counts, positive=1)`` or ``recall(y_true, y_pred, ...)``."""

    def __init__(self, name: str) -> None:
        self.__name__ = name
        self._metric = SHORTHANDS[name][0] if name in SHORTHANDS else name
        self.__doc__ = self.metric.summary
        self._known: dict[Any, Definition] = {}

    @property
    def metric(self) -> Metric:
        """The declaration."""
        return find(self._metric)

    def definition(self, **options: Unpack[ScoreOptions]) -> Definition:
        """The definition with these options, without running it."""
        given = {k: v for k, v in options.items() if k not in DATA_OPTIONS}
        known = tuple((k, type(v), v) for k, v in given.items())
        try:
            return self._known[known]
        except (KeyError, TypeError):  # new, or not hashable
            pass
        parameters = {k: given.pop(k) for k in self.metric.parameters if k in given}
        made = define(self.__name__, parameters, given)
        if len(self._known) < 1000 and all(isinstance(v, _PLAIN) for _, _, v in known):
            self._known[known] = made
        return made

    def __call__(self, y_true: Any, y_pred: Any = None, **options: Unpack[ScoreOptions]) -> Score:
        """The score of Counts, of y_true and y_pred, or of columns of a dataframe or file.

        Columns are named with ``true=`` and ``pred=``, or ``score=`` for scores.
        """
        if not options:
            return run(self._known.get(()) or self.definition(), y_true, y_pred)
        return run(self.definition(**options), y_true, y_pred, **_data(options))

    def per_class(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[ScoreOptions]
    ) -> PerClass:
        """The score of each class."""
        if self.metric.kind != "rate":
            raise DefinitionError(
                f"{self.__name__} is computed from the whole table, not per class"
            )
        for name in ("average", "positive", "score"):
            if name in options:
                raise DefinitionError(f"per_class gives every class: leave {name}= out")
        plain = Scorer(self._metric)
        definition = plain.definition(**options)
        return evaluate_per_class(definition, as_counts(y_true, y_pred, **_data(options)))

    def __repr__(self) -> str:
        return f"<whichf1 metric {self.__name__}>"


def score(y_true: Any, *rest: Any, **options: Unpack[ScoreOptions]) -> Score:
    """The score of that name, alias, shorthand or signature: ``score(counts, "f_beta(beta=2)")``.

    >>> float(score([0, 1, 1], [0, 1, 0], "accuracy"))
    0.6666666666666666
    """
    if not 1 <= len(rest) <= 2:
        raise DefinitionError("give score(counts, metric) or score(y_true, y_pred, metric)")
    *y_pred, metric = rest
    definition = with_options(metric, dict(options))
    return run(definition, y_true, y_pred[0] if y_pred else None, **_data(options))


def with_options(metric: Any, options: dict[str, Any]) -> Definition:
    """The definition of a name, a signature, a metric or a definition, with further options."""
    if isinstance(metric, (Scorer, Definition)):
        metric = metric.__name__ if isinstance(metric, Scorer) else metric.signature
    given = {k: v for k, v in options.items() if k not in DATA_OPTIONS and v is not None}
    base = Definition.parse(metric)
    if not given:
        return base
    name, parameters, fields = read(metric)
    if fields:
        raise DefinitionError(f"the signature {metric!r} says everything: leave out {[*given]}")
    own = {k: given.pop(k) for k in base.declaration.parameters if k in given}
    return define(name, {**parameters, **own}, given)


def _data(options: ScoreOptions) -> dict[str, Any]:
    """What says how items are counted, where it was given."""
    return {k: v for k, v in options.items() if k in DATA_OPTIONS and v is not None}
