"""Definitions in words: a title, and a sentence to paste into a paper."""

from __future__ import annotations

import re

from whichf1.definitions.definition import Definition
from whichf1.metrics import COUNTED, Metric

_CLASSES = {
    "declared": "the {k}declared classes",
    "observed": "the {k}classes that occur as true or predicted",
    "true": "the {k}classes that occur as true",
    "range": "the {k}integer classes from 0 to the largest that occurs",
}
_DENOMINATORS = {"all": "every denominator", "harmonic": "the denominator of the harmonic mean"}
_MEAN = {
    "macro": "unweighted mean",
    "weighted": "support-weighted mean",
    "samples": "mean over the items",
}


def title(definition: Definition) -> str:
    """A short name: 'averaged F1', 'macro recall', "Cohen's kappa"."""
    metric = definition.declaration
    name = metric.title + _parameters(definition)
    if definition.positive is not None and metric.kind == "rate":
        return f"{name} of {definition.positive!r}"
    match definition.average, definition.formula:
        case "macro", "averaged":
            return f"averaged {name}"
        case "macro", "of-averages":
            return f"{name} of averages"
        case "weighted", "of-averages":
            return f"{name} of support-weighted averages"
        case None, _:
            return name
        case "weighted", _:
            return f"support-weighted {name}"
    return f"{definition.average} {name}"


def _parameters(definition: Definition) -> str:
    metric = definition.declaration
    shown = [
        f"{key}={value}"
        for key, value in definition.parameters
        if value != "none" and (metric.kind in COUNTED or value != metric.parameters[key].default)
    ]
    return f" ({', '.join(shown)})" if shown else ""


def formula(definition: Definition) -> str:
    """The formula in LaTeX, averages included; x runs over the r classes."""
    tex = definition.declaration.tex
    if definition.scope != "empty":  # a harmonic mean of two divisions, not one division
        mean = r"H_\beta" if definition.metric == "f_beta" else "H"
        tex = rf"{mean}\!\left(\frac{{TP}}{{TP+FP}},\frac{{TP}}{{TP+FN}}\right)"
    of_class = re.sub(r"\b(TP|FP|FN|TN)\b", r"\1_x", tex)
    if definition.formula == "of-averages":
        beta = r"\beta^2" if definition.metric == "f_beta" else ""
        top = r"(1+\beta^2)" if beta else "2"
        weight = r"\frac{s_x}{n}" if definition.average == "weighted" else r"\frac{1}{r}"
        means = ",\\ ".join(
            rf"\bar {mean}=\sum_x {weight}\frac{{TP_x}}{{TP_x+{other}_x}}"
            for mean, other in (("P", "FP"), ("R", "FN"))
        )
        return rf"\frac{{{top}\,\bar P\,\bar R}}{{{beta}\bar P+\bar R}},\quad {means}"
    match definition.average:
        case "macro":
            return rf"\frac{{1}}{{r}}\sum_x {of_class}"
        case "weighted":
            return rf"\sum_x \frac{{s_x}}{{n}}\,{of_class},\quad s_x=TP_x+FN_x"
        case "samples":
            return rf"\frac{{1}}{{n}}\sum_x {of_class}"
        case "micro":
            return re.sub(r"\b(TP|FP|FN|TN)\b", r"\\textstyle\\sum_x \1_x", tex)
    return tex


def sentence(definition: Definition, k: int | None = None, n: int | float | None = None) -> str:
    """One or two sentences that say what the score is, to paste into a paper."""
    number = "" if k is None else f"{k:,} "
    if definition.declaration.kind not in COUNTED:
        number = ""
    parts = [f"{_capital(title(definition))} is {_what(definition, number)}"]
    if definition.exclude:
        parts.append(f" without {_list(definition.exclude)}, whose items still count as errors")
    if definition.ignore:
        parts.append(f"; items whose true class is {_list(definition.ignore)} are dropped")
    if definition.two_classes != "both":
        parts.append(f"; of two classes only the {definition.two_classes} one is scored")
    if definition.epsilon:
        parts.append(f"; {definition.epsilon:g} is added to {_DENOMINATORS[definition.epsilon_in]}")
    if definition.batch is not None:
        parts.append(f"; it is the mean over batches of {definition.batch:,} items in their order")
    parts.append(f"{_zero(definition)}.")
    if definition.interval is not None:
        level = f"{100 * definition.interval.level:g} %"
        parts.append(f" Intervals: {level}, {definition.interval.word} method.")
    if n is not None:
        parts.append(f" n = {n:,}.")
    return "".join(parts)


def _what(definition: Definition, k: str) -> str:
    metric = definition.declaration
    if metric.kind not in COUNTED:
        return _scored(definition)
    if metric.kind == "agreement" or definition.positive is not None:
        return _phrase(metric)
    over = _over(definition, k)
    if definition.average is None:
        return f"{_phrase(metric)}, for each of {over}"
    if definition.average == "micro":
        return f"{metric.title} of the true and false positives and negatives summed over {over}"
    mean = _MEAN[definition.average]
    if definition.average == "samples":
        return f"the {mean} of the {metric.title} of each item's set of labels, among {over}"
    if definition.formula == "of-averages":
        return (
            f"the harmonic mean of averaged precision and averaged recall, each the {mean} over "
            f"{over} (and not the mean of the {metric.title} of each class)"
        )
    if definition.formula == "averaged":
        return (
            f"the {mean}, over {over}, of the {metric.title} of each class (and not the harmonic "
            "mean of averaged precision and recall)"
        )
    return f"the {mean}, over {over}, of the {metric.title} of each class"


def _scored(definition: Definition) -> str:
    """A metric of scores or of sets of labels, with everything that it depends on."""
    metric = definition.declaration
    parts = [_phrase(metric)]
    if definition.average is not None:
        parts.append(f"its {_MEAN[definition.average]} over the classes")
    if definition.positive is not None:
        parts.append(f"the positive class is {definition.positive!r}")
    given = [f"{key} = {value}" for key, value in definition.parameters if value is not None]
    return "; ".join(parts) + (f" ({', '.join(given)})" if given else "")


def _phrase(metric: Metric) -> str:
    """The meaning after 'is'."""
    text = metric.summary.rstrip(".")
    nouns = ["Fraction", "Mean", "Largest", "Gain", "Miss", "Harmonic", "Weighted", "Correlation"]
    article = "the " if text.split()[0] in nouns else ""
    return article + _uncapital(text)


def _over(definition: Definition, k: str) -> str:
    if isinstance(definition.classes, str):
        return _CLASSES[definition.classes].format(k=k)
    return f"the classes {_list(definition.classes)}"


def _zero(definition: Definition) -> str:
    """What 0/0 gives, as the end of a sentence."""
    metric = definition.declaration
    if metric.total:
        return ""
    if definition.epsilon and definition.epsilon_in == "all":
        return ""
    where = _where(definition)
    match definition.undefined:
        case "skip":
            return f"; {where} is left out of the mean"
        case "nan":
            return f"; {where} makes the score undefined"
    return f"; {where} counts as {definition.undefined}"


def _where(definition: Definition) -> str:
    if definition.scope == "one-sided":
        return "a class that is never true or never predicted (precision or recall is 0/0)"
    if definition.scope == "no-hits":
        return "0/0 in precision, in recall or in their harmonic mean"
    if definition.formula == "of-averages":
        return "a precision or recall that is 0/0"
    return "0/0"


def zero_rule(definition: Definition) -> str:
    """What 0/0 gives, as a sentence of its own."""
    if definition.declaration.kind == "ranking":
        return "It is an error where there is nothing to rank."
    rule = _zero(definition).lstrip("; ")
    return _capital(rule) + "." if rule else "It is never undefined."


def _list(labels: tuple[object, ...]) -> str:
    return ", ".join(repr(label) for label in labels)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _uncapital(text: str) -> str:
    return text[:1].lower() + text[1:] if text[1:2].islower() else text
