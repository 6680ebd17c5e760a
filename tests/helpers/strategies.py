"""Items and definitions: those that hypothesis draws, and every definition of the registry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from math import inf
from typing import Any

from hypothesis import strategies as st

from whichf1.definitions.definition import Definition
from whichf1.errors import DefinitionError
from whichf1.metrics import METRICS
from whichf1.metrics.registry import Metric, Parameter

LABELS = range(6)
WEIGHABLE = [name for name, metric in METRICS.items() if not metric.whole]
"""Metrics of items that may have weights."""


@st.composite
def items(draw: st.DrawFn, least: int = 1, most: int = 25) -> list[tuple[int, int]]:
    """Pairs of true and predicted classes; often with empty, one-sided and unhit classes."""
    classes = draw(st.integers(1, 6))
    label = st.integers(0, classes - 1)
    return draw(st.lists(st.tuples(label, label), min_size=least, max_size=most))


def parameter_values(metric: Metric) -> dict[str, st.SearchStrategy[Any]]:
    return {name: st.sampled_from(some_values(p)) for name, p in metric.parameters.items()}


def some_values(parameter: Parameter) -> list[Any]:
    """Values that a parameter may have."""
    if parameter.tree:
        return [None, PARENTS]
    if parameter.choices or parameter.square:
        return [*parameter.choices] or [None, COSTS]
    if parameter.within.high == 1:
        return [0.5, 1]
    return [0.5, 1, 2, 3.25, *([inf] if parameter.within.endless else [])]


COSTS = tuple(tuple(abs(3 * i - 2 * j) * 0.5 for j in range(6)) for i in range(6))
"""The cost of each decision among six classes, of which right ones are not free."""
PARENTS = (
    (0, (7,)), (1, (7,)), (2, (7, 8)), (3, (8,)), (4, (3,)), (5, ()), (7, ()), (8, ()),
)  # fmt: skip
"""A DAG of six classes and two above them."""
UNDEFINED = [0, 1, 0.25, "skip", "nan"]


def minds_order(definition: Definition) -> bool:
    """Whether the order of the classes matters."""
    order = {"linear", "quadratic", "ordinal", COSTS}
    return definition.metric == "macro_mae" or bool({*dict(definition.parameters).values()} & order)


@st.composite
def definitions(draw: st.DrawFn, names: Iterable[str] = tuple(METRICS)) -> Definition:
    """A valid definition with any of the options that apply to its metric."""
    metric = METRICS[draw(st.sampled_from([*names]))]
    drawn = draw(st.fixed_dictionaries(parameter_values(metric)))
    options: dict[str, Any] = {}
    if not metric.total:
        options["undefined"] = draw(st.sampled_from(UNDEFINED))
    if metric.kind == "rate":
        options |= draw(rate_options(metric))
    return Definition(metric=metric.name, parameters=tuple(drawn.items()), **options)


@st.composite
def rate_options(draw: st.DrawFn, metric: Metric) -> dict[str, Any]:
    options: dict[str, Any] = {}
    mode = draw(st.sampled_from(["positive", "macro", "weighted", "micro"]))
    if mode == "positive":
        options["positive"] = draw(st.sampled_from(LABELS))
    else:
        options["average"] = mode
        subset = st.lists(st.sampled_from(LABELS), min_size=1, max_size=6, unique=True)
        words = st.sampled_from(["declared", "observed", "true", "range"])
        options["classes"] = draw(st.one_of(words, subset))
    if metric.harmonic and mode in ("macro", "weighted"):
        options["formula"] = draw(st.sampled_from(["averaged", "of-averages"]))
    if metric.harmonic and options.get("formula") != "of-averages":
        options["scope"] = draw(st.sampled_from(["empty", "one-sided", "no-hits"]))
    return options


MODES: list[dict[str, Any]] = [
    {},
    {"positive": 4},
    *({"average": average} for average in ("macro", "weighted", "micro")),
]
OPTIONS: dict[str, list[Any]] = {
    "classes": ["declared", "observed", "true", "range", (0, 2, 4), (4,)],
    "exclude": [(), (0,)],
    "ignore": [(), (0,)],
    "undefined": [0, 1, "skip", "nan"],
    "scope": ["empty", "one-sided", "no-hits"],
    "formula": [None, "averaged", "of-averages"],
}


def every_definition() -> Iterator[Definition]:
    """The product of all options for all metrics, as far as they apply, each definition once."""
    yield from dict.fromkeys(_allowed())


def _allowed() -> Iterator[Definition]:
    for name, metric in METRICS.items():
        choices = [
            some_values(p)[: None if p.choices or p.square or p.tree else 1]
            for p in metric.parameters.values()
        ]
        modes = [mode for mode in MODES if bool(mode) == (metric.kind == "rate")]
        for values, mode, *chosen in product(product(*choices), modes, *OPTIONS.values()):
            parameters = tuple(zip(metric.parameters, values, strict=True))
            options = dict(zip(OPTIONS, chosen, strict=True))
            try:
                yield Definition(metric=name, parameters=parameters, **mode, **options)
            except DefinitionError:
                continue
