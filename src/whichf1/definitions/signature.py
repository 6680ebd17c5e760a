"""The grammar of signatures: text ↔ a name, its parameters, and fields.

::

    signature = name [ "(" key "=" value { "," key "=" value } ")" ] { "|" key ":" value }
    value     = word | JSON            word = letters, digits, "_" and "-", starting with a letter

Labels are JSON, so that 1, "1" and true differ and any text fits; a bar inside JSON text is written
``\\u007c``, so that a signature can be cut at its bars.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from whichf1.errors import DefinitionError

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_HEAD = re.compile(r"\s*(?P<name>[^|(:]+?)\s*(?:\((?P<parameters>.*)\))?\s*", re.DOTALL)


class Word(str):
    """A bare word, as opposed to a label that is a string."""

    __slots__ = ()


def write(name: str, parameters: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """The signature text of a name, parameters and fields, in the order given."""
    inside = ",".join(f"{key}={_write_value(value)}" for key, value in parameters.items())
    head = f"{name}({inside})" if inside else name
    return "|".join([head, *(f"{key}:{_write_value(value)}" for key, value in fields.items())])


def with_data(signature: str, data: Mapping[str, Any]) -> str:
    """The signature with further fields that describe the data."""
    return "|".join([signature, *(f"{key}:{_write_value(value)}" for key, value in data.items())])


def read(text: str) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """The name, parameters and fields of a signature; an error that points at what is wrong."""
    if not isinstance(text, str):
        raise DefinitionError(f"a metric is a name or a signature; got {text!r}")
    first, *rest = text.strip().split("|")
    head = _HEAD.fullmatch(first)
    if head is None:
        raise DefinitionError(f"{first!r} is no metric: write NAME or NAME(parameter=value)")
    parameters = dict(_read_pairs(_split(head["parameters"] or ""), "=", text))
    return head["name"], parameters, dict(_read_pairs(rest, ":", text))


def _split(inside: str) -> list[str]:
    """Cut at commas; parameters are numbers and words, which hold none."""
    return inside.split(",") if inside.strip() else []


def _read_pairs(parts: list[str], sign: str, text: str) -> list[tuple[str, Any]]:
    pairs: list[tuple[str, Any]] = []
    for part in parts:
        key, found, value = part.partition(sign)
        if not found or not key.strip():
            raise DefinitionError(f"{part!r} is not 'key{sign}value' in the signature {text!r}")
        if key.strip() in dict(pairs):
            raise DefinitionError(f"{key.strip()!r} stands twice in the signature {text!r}")
        pairs.append((key.strip(), _read_value(value.strip(), text)))
    return pairs


def _write_value(value: Any) -> str:
    if isinstance(value, Word):
        return value
    return json.dumps(value, separators=(",", ":")).replace("|", r"\u007c")


def _read_value(text: str, whole: str) -> Any:
    if text not in ("true", "false", "null") and _WORD.fullmatch(text):
        return Word(text)
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except ValueError:
        raise DefinitionError(
            f"{text!r} in the signature {whole!r} is neither a word nor JSON. "
            'Labels that are text stand in double quotes: positive:"cat".'
        ) from None


def _refuse_constant(name: str) -> None:
    raise ValueError(name)
