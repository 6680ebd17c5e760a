"""The fields of a signature: how options are written there, and what is read from them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from whichf1.definitions import signature
from whichf1.definitions.methods import find_method, parameter_names
from whichf1.definitions.signature import Word
from whichf1.errors import DefinitionError, did_you_mean

VERSION = 1
"""The version of what the fields mean; a program that changed a meaning would count it up."""
DATA_FIELDS = ("n", "k", "labels", "weighted", "clusters", "decision", "resolution")
"""Fields of a score's signature that describe the data and not the definition."""
KEYS = {
    "average": "avg",
    "undefined": "undef",
    "two_classes": "two",
    "epsilon": "eps",
    "epsilon_in": "eps-in",
}
"""Options that are written shorter in a signature."""


class Said(NamedTuple):
    """What a signature says."""

    name: str
    parameters: dict[str, Any]
    options: dict[str, Any]
    data: tuple[tuple[str, Any], ...]


def read(text: str, known: Collection[str]) -> Said:
    """What a signature says; ``known`` are the options that it may name."""
    name, parameters, found = signature.read(text)
    if "compare" in found:
        raise DefinitionError(
            f"{text!r} is the signature of a comparison: give it to compare, with the systems"
        )
    if found.pop("v", VERSION) != VERSION:
        raise DefinitionError(
            f"the signature {text!r} has another version than v:{VERSION}, the one known here"
        )
    data = tuple((key, found.pop(key)) for key in [*found] if key in DATA_FIELDS)
    return Said(name, parameters, _options(found, known, text), data)


def _options(found: dict[str, Any], known: Collection[str], text: str) -> dict[str, Any]:
    """Fields as options of a definition."""
    long = {short: name for name, short in KEYS.items()}
    options = {long.get(key, key): value for key, value in found.items()}
    for name, short in KEYS.items():
        if name in found and short in found:
            raise DefinitionError(f"{short!r} and {name!r} are one field; both stand in {text!r}")
    method = {key: options.pop(key) for key in parameter_names() & set(options)}
    if "interval" in options:
        options["interval"] = find_method(options["interval"], **method)
    elif method:
        raise DefinitionError(f"{', '.join(method)} without an interval in the signature {text!r}")
    for key in options:
        if key not in known:
            hint = did_you_mean(key, [*KEYS.values(), *known, *DATA_FIELDS, "v"])
            raise DefinitionError(f"unknown field {key!r} in the signature {text!r}. {hint}")
    if options.get("classes") is True:
        options["classes"] = "true"  # the class set of that name, which JSON reads as a boolean
    if options.get("average") == "none":
        options["average"] = None
    if isinstance(options.get("positive"), Word):
        raise DefinitionError(
            f'a label that is text stands in quotes: positive:"{options["positive"]}"'
        )
    return {key: str(x) if isinstance(x, Word) else x for key, x in options.items()}
