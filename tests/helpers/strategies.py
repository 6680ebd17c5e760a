"""Items and definitions: those that hypothesis draws, and every definition of the registry."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from hypothesis import strategies as st

from whichf1.definitions.definition import Definition
from whichf1.errors import DefinitionError
from whichf1.metrics import METRICS
from whichf1.metrics.registry import Metric

LABELS = range(6)


@st.composite
def items(draw: st.DrawFn, least: int = 1, most: int = 25) -> list[tuple[int, int]]:
    """Pairs of true and predicted classes; often with empty, one-sided and unhit classes."""
    classes = draw(st.integers(1, 6))
    label = st.integers(0, classes - 1)
    return draw(st.lists(st.tuples(label, label), min_size=least, max_size=most))


def parameter_values(metric: Metric) -> dict[str, st.SearchStrategy[Any]]:
    return {
        name: st.sampled_from(p.choices) if p.choices else st.sampled_from([0.5, 1, 2, 3.25])
        for name, p in metric.parameters.items()
    }


@st.composite
def definitions(draw: st.DrawFn, names: tuple[str, ...] = tuple(METRICS)) -> Definition:
    """A valid definition with any of the options that apply to its metric."""
    metric = METRICS[draw(st.sampled_from(names))]
    drawn = draw(st.fixed_dictionaries(parameter_values(metric)))
    options: dict[str, Any] = {}
    if not metric.total:
        options["undefined"] = draw(st.sampled_from([0, 1, "skip", "nan"]))
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
        choices = [p.choices or (2,) for p in metric.parameters.values()]
        modes = [mode for mode in MODES if bool(mode) == (metric.kind == "rate")]
        for values, mode, *chosen in product(product(*choices), modes, *OPTIONS.values()):
            parameters = tuple(zip(metric.parameters, values, strict=True))
            options = dict(zip(OPTIONS, chosen, strict=True))
            try:
                yield Definition(metric=name, parameters=parameters, **mode, **options)
            except DefinitionError:
                continue
