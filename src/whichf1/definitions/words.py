"""Definitions in words: title, formula, sentence for a paper, and what sets a definition apart."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from whichf1.definitions.definition import Definition, define
from whichf1.definitions.names import SHORTHANDS, WITH_LABELS, Shorthand
from whichf1.errors import numbered
from whichf1.metrics import COUNTED, Metric

_CLASSES = {
    None: "the {k}declared classes, or those that occur if none are declared",
    "declared": "the {k}declared classes",
    "observed": "the {k}classes that occur as true or predicted",
    "true": "the {k}classes that have true items",
    "range": "the {k}integer classes from 0 to the largest that occurs",
}
_ONE_CLASS = {
    None: "the declared class, or that which occurs if none is declared",
    "declared": "the declared class",
    "observed": "the only class that occurs as true or predicted",
    "true": "the only class that has true items",
    "range": "the only integer class, 0",
}
_COUNTS = re.compile(r"\b(TP|FP|FN|TN)\b")
_DENOMINATORS = {"all": "every denominator", "harmonic": "the denominator of the harmonic mean"}
_MEAN = {
    "macro": "unweighted mean",
    "weighted": "support-weighted mean",
    "samples": "mean over the items",
}
_RANKED = ("a class", "an item")
"""What may lack positives or negatives; the second is for a mean over items."""
_BARE = ("AURC", "Agreement", "DCG", "How", "Information", "Precision", "Recall", "True")
"""First words of summaries that need no article."""
_TITLES: dict[Any, str] = {
    ("macro", "averaged"): "averaged {}",
    ("macro", "of-averages"): "{} of averages",
    ("weighted", "of-averages"): "{} of support-weighted averages",
    None: "{}",
    "weighted": "support-weighted {}",
}
"""Short names by average and formula, or by average alone; otherwise, 'micro F1'."""


def title(definition: Definition) -> str:
    """A short name: 'averaged F1', 'macro recall', "Cohen's kappa"."""
    metric, average = definition.declaration, definition.average
    name = metric.title + _parameters(definition)
    if definition.positive is not None and metric.kind == "rate":
        return f"{name} of {definition.positive!r}"
    by_average = _TITLES.get(average, f"{average} {{}}")
    return _TITLES.get((average, definition.formula), by_average).format(name)


def _parameters(definition: Definition) -> str:
    metric = definition.declaration
    if metric.kind == "value":
        return f" {definition.arguments['of'] or 'value'}"
    trees = {key for key, parameter in metric.parameters.items() if parameter.tree}
    shown = [
        f"{numbered(len(value), 'class')} in a hierarchy" if key in trees else f"{key}={value}"
        for key, value in definition.parameters
        if value != "none" and (metric.kind in COUNTED or value != metric.parameters[key].default)
        if value is not None
    ]
    return f" ({', '.join(shown)})" if shown else ""


def formula(definition: Definition) -> str:
    """The formula in LaTeX, averages included; x runs over the r classes."""
    tex = definition.declaration.tex
    if definition.scope != "empty":  # a harmonic mean of two quotients, not one quotient
        mean = r"H_\beta" if definition.metric == "f_beta" else "H"
        tex = rf"{mean}\!\left(\frac{{TP}}{{TP+FP}},\frac{{TP}}{{TP+FN}}\right)"
    of_class, summed = (_COUNTS.sub(x, tex) for x in (r"\1_x", r"\\textstyle\\sum_x \1_x"))
    if definition.formula == "of-averages":
        beta = r"\beta^2" if definition.metric == "f_beta" else ""
        top = r"(1+\beta^2)" if beta else "2"
        weight = r"\frac{s_x}{n}" if definition.average == "weighted" else r"\frac{1}{r}"
        means = ",\\ ".join(
            rf"\bar {mean}=\sum_x {weight}\frac{{TP_x}}{{TP_x+{other}_x}}"
            for mean, other in (("P", "FP"), ("R", "FN"))
        )
        return rf"\frac{{{top}\,\bar P\,\bar R}}{{{beta}\bar P+\bar R}},\quad {means}"
    averages: dict[str | None, str] = {
        "macro": rf"\frac{{1}}{{r}}\sum_x {of_class}",
        "weighted": rf"\sum_x \frac{{s_x}}{{n}}\,{of_class},\quad s_x=TP_x+FN_x",
        "samples": rf"\frac{{1}}{{n}}\sum_x {of_class}",
        "micro": summed,
    }
    return averages.get(definition.average, tex)


# what a reference says about it


def shorthand(definition: Definition) -> Shorthand | None:
    """The shorthand that sets the most of this definition's options."""
    fitting = [
        each
        for each in SHORTHANDS.values()
        if each.metric == definition.metric
        and all(getattr(definition, name) == value for name, value in each.options.items())
    ]
    return max(fitting, key=lambda each: len(each.options), default=None)


def meaning(definition: Definition) -> str:
    """What the score is, in one sentence."""
    short, summary = shorthand(definition), definition.declaration.summary
    if short is not None:
        return short.summary
    if definition.formula == "of-averages":
        return f"{summary} Both are averaged first."
    mean = _MEAN.get(definition.average or "")
    return f"{summary} This is its {mean} over classes." if mean else summary


def other_names(definition: Definition) -> tuple[str, ...]:
    """Other names of the score; an average does not share the names of its metric."""
    short = shorthand(definition)
    if short is not None:
        return short.other_names
    return definition.declaration.aliases if definition.average is None else ()


def in_sklearn(definition: Definition) -> str | None:
    """How to compute it in scikit-learn, if known."""
    if definition.class_shares is not None:
        return None
    short = shorthand(definition)
    if short is None:
        return None if definition.formula == "of-averages" else definition.declaration.sklearn
    special = (definition.exclude, definition.ignore, definition.epsilon, definition.batch)
    if any(special) or definition.undefined != 0 or definition.two_classes != "both":
        return None
    if definition.classes == "observed":  # what scikit-learn averages over by default
        return short.sklearn.removesuffix(WITH_LABELS)
    expected = short.options.get("classes")
    fits = definition.classes in (expected, expected or "declared")
    return short.sklearn if fits else None


def zero_rule(definition: Definition) -> str:
    """What 0/0 gives, as a sentence."""
    if definition.declaration.kind == "ranking" and definition.undefined is None:
        return "It is an error if there is nothing to rank."
    rule = _zero(definition).lstrip("; ")
    return capital(rule) + "." if rule else "It is never undefined."


# a sentence for a paper


def sentence(definition: Definition, k: int | None = None, n: int | float | None = None) -> str:
    """One or two sentences that say what the score is, to paste into a paper."""
    d, method = definition, definition.interval
    one = "" if d.two_classes == "both" else d.two_classes
    phrases = [
        f"{capital(title(d))} is {_what(d, k)}",
        f" except {_list(d.exclude)}, whose items still count as errors" if d.exclude else "",
        f"; items whose true class is {_list(d.ignore)} are dropped" if d.ignore else "",
        f"; the true classes are scaled to {_shares(d)}" if d.class_shares else "",
        f"; with two classes, only the {one} is scored" if one else "",
        f"; {d.epsilon:g} is added to {_DENOMINATORS[d.epsilon_in]}" if d.epsilon else "",
        f"; it is the mean over consecutive batches of {numbered(d.batch, 'item')}"
        if d.batch
        else "",
        f"{_zero(d)}.",
        f" Intervals: {100 * method.level:g} %, {method.word} method." if method else "",
        "" if n is None else f" n = {n:,}.",
    ]
    return "".join(phrases)


def _shares(definition: Definition) -> str:
    shares = definition.class_shares
    if shares == "uniform":
        return "equal shares"
    return ", ".join(f"{share:g} of {label!r}" for label, share in shares)


def _what(definition: Definition, k: int | None) -> str:
    metric = definition.declaration
    if metric.kind not in COUNTED:
        return _scored(definition)
    if metric.kind == "agreement" or definition.positive is not None:
        return _phrase(metric)
    classes = definition.classes
    if isinstance(classes, tuple):
        over = f"{'class' if len(classes) == 1 else 'the classes'} {_list(classes)}"
        k = len(classes)
    elif k == 1:
        over = _ONE_CLASS[classes]
    else:
        over = _CLASSES[classes].format(k="" if k is None else f"{k:,} ")
    if definition.average is None:
        return f"{_phrase(metric)}, for {'' if k == 1 else 'each of '}{over}"
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
    of_harmonic = " (and not the harmonic mean of averaged precision and recall)"
    not_that = of_harmonic if definition.formula == "averaged" else ""
    return f"the {mean}, over {over}, of the {metric.title} of each class{not_that}"


def _scored(definition: Definition) -> str:
    """A metric of scores or of sets of labels, with everything it depends on."""
    parts = [_phrase(definition.declaration)]
    if definition.average == "micro":
        parts.append("over all pairs of an item and a class at once")
    elif definition.average == "samples":
        parts.append("its mean over the items, each with its own labels")
    elif definition.average is not None:
        parts.append(f"its {_MEAN[definition.average]} over the classes")
    if definition.positive is not None:
        parts.append(f"the positive class is {definition.positive!r}")
    values = [f"{key} = {value}" for key, value in definition.parameters if value is not None]
    return "; ".join(parts) + (f" ({', '.join(values)})" if values else "")


def _phrase(metric: Metric) -> str:
    """The summary, to follow 'is'."""
    text = metric.summary.rstrip(".")
    article = "" if text.split()[0] in _BARE else "the "
    return article + (text[:1].lower() + text[1:] if text[1:2].islower() else text)


def _zero(definition: Definition) -> str:
    """What 0/0 gives, as the end of a sentence."""
    without_rule = definition.epsilon and definition.epsilon_in == "all"
    ranked = definition.declaration.kind == "ranking" and definition.undefined is not None
    if (definition.declaration.total and not ranked) or without_rule:
        return ""
    if ranked:
        case = f"{_RANKED[definition.average == 'samples']} with nothing to rank"
    elif definition.scope == "one-sided":
        case = "a class that is never true or never predicted (precision or recall is 0/0)"
    elif definition.scope == "no-hits":
        case = "0/0 in precision, in recall or in their harmonic mean"
    elif definition.formula == "of-averages":
        case = "a precision or recall that is 0/0"
    else:
        case = "0/0"
    effects = {"skip": "is left out of the mean", "nan": "makes the score undefined"}
    effect = effects.get(str(definition.undefined), f"counts as {definition.undefined}")
    return f"; {case} {effect}"


# what sets it apart from the usual macro F1


def because(definition: Definition) -> str:
    """One sentence: how the definition differs from the usual macro F1.

    The usual one is the mean F1 of the classes that occur, with 0/0 = 0, as most libraries compute
    it.
    """
    parts = departures(definition)
    if not parts:
        return "It averages the F1 of the classes that occur; 0/0 counts as 0."
    *first, last = parts
    return f"It {', '.join(first)}{' and ' if first else ''}{last}."


def departures(definition: Definition) -> list[str]:
    """Each difference from the usual macro F1, as a phrase with a verb."""
    d = definition
    where = "its denominators" if d.epsilon_in == "all" else "the denominator of F1"
    phrases = [
        _other_metric(d),
        _other_average(d),
        _other_classes(d),
        f"leaves class {_list(d.exclude)} out of the average" if d.exclude else "",
        f"drops items whose true class is {_list(d.ignore)}" if d.ignore else "",
        f"scales the true classes to {_shares(d)}" if d.class_shares else "",
        f"scores only the {d.two_classes} of two classes" if d.two_classes != "both" else "",
        _other_zero(d),
        f"adds {d.epsilon:g} to {where}" if d.epsilon else "",
        f"averages over batches of {numbered(d.batch, 'item')}" if d.batch else "",
    ]
    return [phrase for phrase in phrases if phrase]


_SETS = {
    "declared": "averages over all declared classes (including those that never occur)",
    "true": "averages only over classes that have true items",
    "range": "averages over every integer from 0 to the largest label",
}
_EMPTY = {
    "empty": "a class that never occurs",
    "one-sided": "a class that is never true or never predicted",
    "no-hits": "a class without true positives",
}


def _other_metric(definition: Definition) -> str:
    metric = definition.declaration
    beta = definition.arguments.get("beta", 1)
    if definition.positive is not None:
        return f"scores only class {definition.positive!r}"
    if metric.name not in ("f1", "f_beta"):
        verb = "averages" if definition.average == "macro" else "uses"
        return f"{verb} {metric.title} instead of F1"
    return f"weights recall {beta:g} times as much as precision" if beta != 1 else ""


def _other_average(definition: Definition) -> str:
    weighted = definition.average == "weighted"
    if definition.formula == "of-averages":
        how = "support-weighted" if weighted else "averaged"
        return f"combines {how} precision and {how} recall instead of averaging F1"
    if definition.average == "micro":
        return "sums the counts of all classes"
    return "weights each class by its number of true items" if weighted else ""


def _other_classes(definition: Definition) -> str:
    classes = definition.classes
    if definition.declaration.kind != "rate" or definition.positive is not None:
        return ""
    if isinstance(classes, tuple):
        return f"averages over the classes {_list(classes)}"
    return _SETS.get(classes or "", "") if definition.average != "weighted" else ""


def _other_zero(definition: Definition) -> str:
    if definition.undefined == 0:
        return ""
    if definition.scope == "no-hits" and definition.undefined == 1:
        return "counts 0/0 as 1, even if precision and recall are both 0"
    of_averages = definition.formula == "of-averages"
    what = "a precision or recall that is 0/0" if of_averages else _EMPTY[definition.scope]
    effects = {"skip": f"skips {what}", "nan": f"is undefined if there is {what}"}
    return effects.get(str(definition.undefined), f"counts {what} as {definition.undefined}")


def _list(labels: Iterable[object]) -> str:
    return ", ".join(repr(label) for label in labels)


def capital(text: str) -> str:
    """The text as the start of a sentence."""
    return text[:1].upper() + text[1:]


def identifier(definition: Definition) -> str:
    """The name of a score for programs: its shorthand, if it has one, or that of its metric."""
    key = (definition.metric, definition.average, definition.formula)
    return _identifiers().get(key, definition.metric)


@lru_cache(maxsize=1)
def _identifiers() -> dict[tuple[str, str | None, str | None], str]:
    known = ((name, define(name)) for name in SHORTHANDS)
    return {(x.metric, x.average, x.formula): name for name, x in known if not x.parameters}
