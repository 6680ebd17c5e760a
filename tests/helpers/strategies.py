"""Hypothesis strategies: items, counts, and every definition that the registry allows."""

from __future__ import annotations

from hypothesis import strategies as st

from whichf1.definitions.definition import Definition
from whichf1.metrics import METRICS

LABELS = range(6)


@st.composite
def items(draw, least=1, most=25):
    """Pairs of true and predicted classes; often with empty, one-sided and unhit classes."""
    classes = draw(st.integers(1, 6))
    label = st.integers(0, classes - 1)
    return draw(st.lists(st.tuples(label, label), min_size=least, max_size=most))


def parameter_values(metric):
    return {
        name: st.sampled_from(p.choices) if p.choices else st.sampled_from([0.5, 1, 2, 3.25])
        for name, p in metric.parameters.items()
    }


@st.composite
def definitions(draw, names=tuple(METRICS)):
    """A valid definition with any of the options that apply to its metric."""
    metric = METRICS[draw(st.sampled_from(names))]
    drawn = draw(st.fixed_dictionaries(parameter_values(metric)))
    options = {}
    if not metric.total:
        options["undefined"] = draw(st.sampled_from([0, 1, "skip", "nan"]))
    if metric.kind == "rate":
        options |= draw(rate_options(metric))
    return Definition(metric=metric.name, parameters=tuple(drawn.items()), **options)


@st.composite
def rate_options(draw, metric):
    options = {}
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
