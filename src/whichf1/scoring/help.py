"""What ``help()`` shows for a metric, written from its declaration."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields
from itertools import product
from math import isinf
from textwrap import fill
from typing import Any, Literal, NamedTuple, get_args, get_type_hints

from whichf1.definitions.definition import Definition, define
from whichf1.definitions.docstrings import MEANING, USUAL_ERRORS, Entry, parameters, section
from whichf1.definitions.methods import Auto, Bootstrap, Posterior
from whichf1.definitions.names import look_up
from whichf1.definitions.options import Average, Matrix, Options
from whichf1.definitions.words import formula, meaning
from whichf1.errors import DefinitionError
from whichf1.metrics import COUNTED, Metric, find
from whichf1.metrics.registry import Parameter
from whichf1.scoring.score import Score
from whichf1.sources.counts import Reading

_DEFAULTS = {field.name: field.default for field in fields(Definition)}
_LABELS = (list("aabbcc"), list("abbcca"))
_EXAMPLES: dict[str, tuple[Any, ...]] = {
    "rate": _LABELS,
    "agreement": _LABELS,
    "items": ([["x"], ["x", "y"], ["y"]], [["x"], ["y"], ["y"]]),
    "ranking": ([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]),
    "loss": (["a", "b", "c"], [[0.7, 0.2, 0.1], [0.5, 0.4, 0.1], [0.1, 0.1, 0.8]]),
    "label ranking": ([[1, 0, 0], [0, 1, 1]], [[0.8, 0.1, 0.3], [0.2, 0.3, 0.6]]),
    "value": ([3.0, 4.5, 4.0],),
}
"""Data for an example of each kind of metric."""
_CLASSES = "Counts, or the true class of each item (list, array or column)"
_SCORES = "The score of each item, or of each item and class"
_DATA: dict[str, tuple[str, str]] = {
    "items": (
        "MultiLabelCounts, or the true labels of each item (lists of labels or a 0/1 matrix)",
        "The predicted labels of each item",
    ),
    "ranking": ("A Ranking, or the true class or labels of each item", _SCORES),
    "loss": ("Moments, or the true class or labels of each item", _SCORES),
    "label ranking": (
        "The true labels of each item (lists of labels or a 0/1 matrix)",
        "The scores of each item's labels, one column for each label",
    ),
    "value": ("Moments, or the value of each item", "None, as items have no true classes"),
}
"""What y_true and y_pred are, by kind of metric."""
_TABLES = {
    "items": "MultiLabelCounts, ",
    "ranking": "Ranking, ",
    "loss": "Moments, ",
    "label ranking": "",
    "value": "Moments, ",
}
"""The table that y_true may be, by kind of metric; other kinds take Counts."""


class Argument(NamedTuple):
    """An argument of a metric's function."""

    name: str
    type: Any
    default: Any
    meaning: str


def arguments(name: str, *, per_class: bool = False) -> list[Argument]:
    """The keyword arguments of a metric's function, or of its ``per_class``."""
    metric_name, settled = look_up(name)
    metric = find(metric_name)
    types = get_type_hints(Options)
    chosen = _applicable(metric, {"average": None, "positive": None} if per_class else settled)
    defaults = _DEFAULTS if metric.over_labels else {**_DEFAULTS, "undefined": 0}
    options = [
        Argument(option, _narrow(option, types[option], metric), defaults[option], MEANING[option])
        for option in chosen
        if not (per_class and option in ("average", "positive", "batch"))
    ]
    parameters = [
        Argument(x, _type(parameter), parameter.default, parameter.meaning)
        for x, parameter in metric.parameters.items()
        if not (per_class and x == "multi_class")
    ]
    return [*parameters, *options, *data_arguments(metric)]


def data_arguments(metric: Metric) -> list[Argument]:
    """The keyword arguments that describe the data."""
    types = get_type_hints(Options)
    defaults = {"memory_limit": "1GB", "on_error": "raise"}
    options = ["labels", "weights", "frequencies", "cluster", "true"]
    if metric.kind == "value":
        options = [x for x in options if x not in ("labels", "true")]
    column = "pred" if metric.kind in (*COUNTED, "items") else "score"
    options += [column, *Reading.__annotations__]
    return [Argument(x, types[x], defaults.get(x), MEANING[x]) for x in options]


def _applicable(metric: Metric, settled: Mapping[str, Any]) -> list[str]:
    """The options that can apply to a metric, whatever the others are, and are not yet fixed."""
    options: set[str] = set()
    for choice in _choices(settled):
        with suppress(DefinitionError):  # not every combination exists
            options |= Definition(metric=metric.name, **choice).applicable
    return [
        name
        for name in _DEFAULTS
        if name in options
        and (name not in settled or settled[name] is None)
        and not (name == "positive" and settled.get("average"))
    ]


def _choices(settled: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Combinations of the options that decide which others apply."""
    values = {
        "average": (None, *get_args(Average)),
        "positive": (None, 0),
        "formula": (None, "averaged", "of-averages"),
        "epsilon": (0, 1),
        "interval": (None, Bootstrap()),
    }
    values.update({name: (settled[name],) for name in values if name in settled})
    for each in product(*values.values()):
        choice: dict[str, Any] = dict(zip(values, each, strict=True))
        if choice["average"] is None or choice["positive"] is None:
            yield choice


def _narrow(option: str, hint: Any, metric: Metric) -> Any:
    """The type of an option of this metric, which may accept fewer values than others do."""
    if option == "average" and metric.by_score:
        return Literal["macro", "weighted", "micro"] | None
    if option == "interval" and not metric.smooth:
        drawn = Literal["bootstrap", "bca", "percentile", "posterior"] | Bootstrap | Posterior
        automatic = metric.squared or metric.of_top
        return (drawn if automatic is None else Literal["auto"] | Auto | drawn) | None
    return hint


def _type(parameter: Parameter) -> Any:
    if parameter.text:
        return str | None if parameter.default is None else str
    number = int if parameter.within.whole else float
    kind: Any = Literal[parameter.choices] if parameter.choices else number
    if parameter.tree:
        return Mapping[Any, Any] | None
    if parameter.square:
        kind = kind | Matrix if parameter.choices else Matrix
    return kind | None if parameter.default is None else kind


def signature(scorer: Callable[..., Score], name: str) -> inspect.Signature:
    """The signature of a metric's function."""
    keyword, usual = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    data = [
        inspect.Parameter("y_true", usual, annotation=Any),
        inspect.Parameter("y_pred", usual, default=None, annotation=Any),
    ]
    rest = [
        inspect.Parameter(x.name, keyword, default=x.default, annotation=x.type)
        for x in arguments(name)
    ]
    return inspect.Signature([*data, *rest], return_annotation=Score)


def text(scorer: Callable[..., Score], name: str) -> str:
    """The docstring of a metric's function."""
    metric = find(look_up(name)[0])
    defaults = ", ".join(f"{x.name}={x.default!r}" for x in arguments(name))
    return "\n".join(
        [
            fill(f"{name}(y_true, y_pred=None, *, {defaults})", 88, subsequent_indent="    "),
            "",
            fill(metric.summary if metric.name == name else meaning(define(name)), 88),
            "",
            fill(_facts(name, metric), 88, break_long_words=False, break_on_hyphens=False),
            *section("Parameters", parameters(signature(scorer, name), _entries(name, metric))),
            *section("Returns", [("Score", "The value, its signature and its interval if any.")]),
            *section("Raises", [*USUAL_ERRORS.items()]),
            *section("Examples", []),
            *_example(scorer, name, metric),
        ]
    )


def _facts(name: str, metric: Metric) -> str:
    """The range of a metric, its other names and its formula."""
    low, high = metric.bounds
    if isinf(low):
        bounds = "Any number" if isinf(high) else f"At most {high:.4g}"
    else:
        bounds = f"At least {low:.4g}" if isinf(high) else f"Between {low:.4g} and {high:.4g}"
    better = "" if metric.better == "neither" else f"; {metric.better} is better"
    names = sklearn = ""
    if name == metric.name:
        names = f" Also called {', '.join(metric.aliases)}." if metric.aliases else ""
        sklearn = f" In scikit-learn: {metric.sklearn}." if metric.sklearn else ""
    return f"{bounds}{better}.{names}{sklearn} In LaTeX: {formula(define(name))}"


def _entries(name: str, metric: Metric) -> dict[str, Entry]:
    """What each parameter means."""
    true, predicted = _DATA.get(metric.kind, (_CLASSES, "The predicted class of each item"))
    true += "; or a dataframe or the path of a file"
    table, kind = _TABLES.get(metric.kind, "Counts, "), "array"
    if table and metric.kind != "value":
        kind = "array or path"
        predicted += ", or the path of a second file"
    return {
        "y_true": Entry("y_true", f"{table}array, dataframe or path", f"{true}."),
        "y_pred": Entry("y_pred", kind, f"{predicted}."),
        **{x.name: Entry(x.name, "", x.meaning) for x in arguments(name)},
    }


def _example(scorer: Callable[..., Score], name: str, metric: Metric) -> list[str]:
    """A call with its result."""
    data = _EXAMPLES[metric.kind]
    options: dict[str, Any] = {}
    if metric.kind == "rate" and name == metric.name:
        options["average"] = "macro"
    inside = ", ".join([*map(repr, data), *(f"{key}={x!r}" for key, x in options.items())])
    value = scorer(*data, **options).value
    return [">>> import whichf1 as wf", f">>> wf.{name}({inside}).value", repr(value)]
