"""What sets a definition apart from the usual macro F1, in words.

The usual one is the mean of the F1 of the classes that occur, with 0/0 = 0: what most libraries
print.
"""

from __future__ import annotations

from whichf1.definitions.definition import Definition

_CLASSES = {
    "declared": "averages over all declared classes (also those that never occur)",
    "true": "averages only over the classes that occur as true",
    "range": "averages over every integer from 0 to the largest label",
}
_WHERE = {"empty": "never occurs", "one-sided": "is never true or never predicted"}
_TWO = {"first": "scores only the first of two classes", "last": "scores only the last of two"}


def because(definition: Definition) -> str:
    """One sentence: how the definition departs from the usual one."""
    parts = departures(definition)
    if not parts:
        return "It averages the F1 of the classes that occur; 0/0 counts as 0."
    *first, last = parts
    return f"It {', '.join(first)}{' and ' if first else ''}{last}."


def departures(definition: Definition) -> list[str]:
    """Each departure from the usual definition as a phrase with a verb."""
    found = [_of_metric(definition), _of_average(definition), *_of_classes(definition)]
    found += [_of_zero(definition), _of_epsilon(definition)]
    if definition.batch is not None:
        found.append(f"takes the mean of batches of {definition.batch:,} items")
    return [phrase for phrase in found if phrase]


def _of_metric(definition: Definition) -> str:
    metric = definition.declaration
    beta = definition.arguments.get("beta", 1)
    if definition.positive is not None:
        return f"scores class {definition.positive!r} alone"
    if metric.name not in ("f1", "f_beta"):
        name = "averages " if definition.average == "macro" else "gives "
        return f"{name}{metric.title} in place of F1"
    return f"weighs recall {beta:g} times as much as precision" if beta != 1 else ""


def _of_average(definition: Definition) -> str:
    weighted = definition.average == "weighted"
    if definition.formula == "of-averages":
        how = "support-weighted" if weighted else "averaged"
        return f"combines {how} precision and {how} recall in place of averaging F1"
    if definition.average == "micro":
        return "adds up the counts of all classes"
    return "weights each class by its true items" if weighted else ""


def _of_classes(definition: Definition) -> list[str]:
    found = []
    if definition.declaration.kind == "rate" and definition.positive is None:
        if not isinstance(definition.classes, str):
            found.append(f"averages over the classes {_list(definition.classes)}")
        elif definition.classes != "observed" and definition.average != "weighted":
            found.append(_CLASSES[definition.classes])
    if definition.exclude:
        found.append(f"leaves out class {_list(definition.exclude)}")
    if definition.ignore:
        found.append(f"drops the items whose true class is {_list(definition.ignore)}")
    if definition.two_classes != "both":
        found.append(_TWO[definition.two_classes])
    return found


def _of_zero(definition: Definition) -> str:
    if definition.undefined == 0:
        return ""
    if definition.formula == "of-averages":
        what = "a precision or recall that is 0/0"
    elif definition.scope == "no-hits":
        what = "a class without a hit"
    else:
        what = f"a class that {_WHERE[definition.scope]}"
    match definition.undefined:
        case "skip":
            return f"leaves out {what}"
        case "nan":
            return f"is undefined as soon as there is {what}"
    if definition.scope == "no-hits":
        return "counts 0/0 as 1, also where precision and recall are both 0"
    return f"counts {what} as 1"


def _of_epsilon(definition: Definition) -> str:
    if not definition.epsilon:
        return ""
    where = "its denominators" if definition.epsilon_in == "all" else "the denominator of F1"
    return f"adds {definition.epsilon:g} to {where}"


def _list(labels: tuple[object, ...]) -> str:
    return ", ".join(repr(label) for label in labels)
