"""Signatures as text: their grammar, and the fields that stand for the options of a definition.

::

    signature = name [ "(" key "=" value { "," key "=" value } ")" ] { "|" key ":" value }
    value     = word | JSON            word = letters, digits, "_" and "-", starting with a letter

Labels are JSON, so 1, "1" and true are different labels and any text can be a label. A bar inside
JSON text is written ``\\u007c``, so a signature can always be split at its bars. Fields after
a ``*`` are shared by several scores; those that do not apply to a metric are ignored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from math import inf
from typing import Any

from whichf1.definitions.methods import PARAMETERS, find_method
from whichf1.errors import DefinitionError, did_you_mean

VERSION = 1
"""The version of what the fields mean; it increases if a meaning changes."""
DATA_FIELDS = ("n", "k", "labels", "weighted", "clusters", "decision", "resolution")
"""Fields of a score's signature that describe the data rather than the definition."""
KEYS = {
    "average": "avg",
    "undefined": "undef",
    "two_classes": "two",
    "epsilon": "eps",
    "epsilon_in": "eps-in",
    "class_shares": "shares",
}
"""Options with a shorter name in signatures."""
SPECIAL = {"compare": "comparison", "groups": "comparison of groups", "study": "study"}
"""Fields of signatures that describe more than one score, with the function that runs each."""
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_BARE_POINT = re.compile(r"(?<![\w.])\.(?=\d)")
"""The point of a number such as .5, which JSON writes as 0.5."""
_HEAD = re.compile(r"\s*(?P<name>[^|(:]+?)\s*(?:\((?P<parameters>.*)\))?\s*", re.DOTALL)


class Word(str):
    """A bare word, as opposed to a label that is a string."""

    __slots__ = ()


def write(name: str, parameters: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """The signature with this name, these parameters and these fields, in the order given."""
    # inside parameters, a comma before a name and a sign begins the next one
    values = {key: _write_value(value).replace("=", r"\u003d") for key, value in parameters.items()}
    inside = ",".join(f"{key}={value}" for key, value in values.items())
    return with_data(f"{name}({inside})" if inside else name, fields)


def with_data(signature: str, fields: Mapping[str, Any]) -> str:
    """The signature with further fields, for example those that describe the data."""
    return "|".join([signature, *[f"{key}:{_write_value(value)}" for key, value in fields.items()]])


def words(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values as fields in which text stands for words, not for labels, if it is one."""
    return {
        key: Word(x) if isinstance(x, str) and x != "null" and _WORD.fullmatch(x) else x
        for key, x in values.items()
    }


def names_of(metrics: Any) -> list[str]:
    """The names or signatures of a list of metrics, which may also be functions or definitions."""
    listed = [*metrics] if isinstance(metrics, (list, tuple)) else []
    names = [getattr(x, "signature", None) or getattr(x, "__name__", x) for x in listed]
    if not names or not all(isinstance(name, str) for name in names):
        raise DefinitionError(
            f"metrics must be a list such as ['accuracy', 'mcc']; got {metrics!r}"
        )
    return names


def read(text: Any) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """The name, parameters and fields of a signature; errors quote the part that is wrong."""
    text = getattr(text, "signature", None) or getattr(text, "__name__", text)
    if not isinstance(text, str):
        raise DefinitionError(f"a metric must be a name or a signature; got {text!r}")
    first, *rest = text.strip().split("|")
    if "*" in text and "*" in [part.strip() for part in (first, *rest)]:
        raise DefinitionError(
            f"the * in {text!r} stands for what is written after the * below the table: put that "
            "in its place"
        )
    rest = [part.strip().removeprefix("*") for part in rest] if "*" in text else rest
    head = _HEAD.fullmatch(first)
    if head is None:
        raise DefinitionError(f"{first!r} is not a metric. Write NAME or NAME(parameter=value).")
    inside = head["parameters"] or ""
    # words, numbers and matrices: a comma followed by a name begins the next one
    parts = re.split(r",(?=\s*[A-Za-z_]\w*\s*=)", inside) if inside.strip() else []
    parameters = _read_pairs(parts, "=", text)
    return head["name"], parameters, _read_pairs(rest, ":", text)


def read_definition(
    text: str, known: Collection[str]
) -> tuple[str, dict[str, Any], dict[str, Any], tuple[tuple[str, Any], ...]]:
    """The name, parameters, options (of the ``known`` ones) and data fields of a definition."""
    name, parameters, fields = read(text)
    for field, what in SPECIAL.items():
        if field in fields:
            raise DefinitionError(f"{text!r} is the signature of a {what}. Pass it to {field}.")
    version = fields.pop("v", VERSION)
    if version != VERSION:
        raise DefinitionError(
            f"the signature {text!r} has version {version!r}; this release reads v:{VERSION}"
        )
    data = tuple((key, fields.pop(key)) for key in [*fields] if key in DATA_FIELDS)
    return name, parameters, _options(fields, known, text), data


def option_of(part: str) -> str:
    """The option that a part of a signature belongs to; the level belongs to 'interval'."""
    key = part.strip().removeprefix("*").partition(":")[0].strip()
    long = {short: name for name, short in KEYS.items()}
    return "interval" if key in PARAMETERS else long.get(key, key)


def shared_options(text: Any) -> set[str]:
    """The options that occur only after a ``*``."""
    if not isinstance(text, str) or "*" not in text:
        return set()
    _, *parts = text.split("|")
    marked = [at for at, part in enumerate(parts) if part.strip().startswith("*")]
    if not marked:
        return set()
    return {*map(option_of, parts[marked[0] :])} - {*map(option_of, parts[: marked[0]])}


def _options(fields: dict[str, Any], known: Collection[str], text: str) -> dict[str, Any]:
    """The options that the fields of a signature stand for."""
    long = {short: name for name, short in KEYS.items()}
    options = {long.get(key, key): value for key, value in fields.items()}
    for name, short in KEYS.items():
        if name in fields and short in fields:
            raise DefinitionError(f"{short!r} and {name!r} are the same field; {text!r} has both")
    method = {key: options.pop(key) for key in PARAMETERS & options.keys()}
    if "interval" in options:
        options["interval"] = find_method(options["interval"], **method)
    elif method:
        raise DefinitionError(f"{', '.join(method)} without an interval in the signature {text!r}")
    for key in options:
        if key not in known:
            hint = did_you_mean(key, [*KEYS.values(), *known, *DATA_FIELDS, "v"])
            raise DefinitionError(f"unknown field {key!r} in the signature {text!r}. {hint}")
    if options.get("classes") is True:
        options["classes"] = "true"  # the class set with that name, which JSON reads as a boolean
    if options.get("average") == "none":
        options["average"] = None
    if isinstance(options.get("positive"), Word):
        raise DefinitionError(
            f'a label that is text needs double quotes: positive:"{options["positive"]}"'
        )
    return {key: str(x) if isinstance(x, Word) else x for key, x in options.items()}


def _read_pairs(parts: list[str], sign: str, text: str) -> dict[str, Any]:
    pairs: dict[str, Any] = {}
    for part in parts:
        key, separator, value = (x.strip() for x in part.partition(sign))
        if not separator or not key:
            raise DefinitionError(f"{part!r} is not 'key{sign}value' in the signature {text!r}")
        if key in pairs:
            raise DefinitionError(f"{key!r} appears twice in the signature {text!r}")
        pairs[key] = _read_value(value, text)
    return pairs


def _write_value(value: Any) -> str:
    if isinstance(value, Word):
        return value
    if value == inf:
        return "inf"
    return json.dumps(value, separators=(",", ":")).replace("|", r"\u007c")


def _read_value(value: str, signature: str) -> Any:
    if value not in ("true", "false", "null") and _WORD.fullmatch(value):
        return Word(value)
    number = value if '"' in value else _BARE_POINT.sub("0.", value)
    try:
        return json.loads(number, parse_constant=_refuse_constant)
    except ValueError:
        raise DefinitionError(
            f"{value!r} in the signature {signature!r} is neither a word nor JSON. "
            'Put labels that are text in double quotes: positive:"cat".'
        ) from None


def _refuse_constant(name: str) -> None:
    raise ValueError(name)
