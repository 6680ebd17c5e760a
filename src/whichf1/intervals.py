"""Interval methods as values, and the interval that they give."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

from whichf1.errors import DefinitionError, did_you_mean
from whichf1.signature import Word


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval."""

    low: float
    high: float
    level: float
    """The nominal coverage, as 0.95."""
    method: str
    """The method's name, as 'delta'."""

    def __format__(self, spec: str) -> str:
        spec = spec or ".4f"
        return f"[{self.low:{spec}}, {self.high:{spec}}]"


@dataclass(frozen=True)
class Method:
    """How an interval is computed; its fields are its parameters, all shown in the signature."""

    level: float = 0.95
    word: ClassVar[str] = ""

    def __post_init__(self) -> None:
        level = self.level
        if not isinstance(level, (int, float)) or not 0 < level < 1:
            raise DefinitionError(f"level must lie between 0 and 1, as 0.95; got {level!r}")

    def fields(self) -> dict[str, Any]:
        """The method as signature fields."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"interval": Word(self.word), **own}


@dataclass(frozen=True)
class Delta(Method):
    """The delta method, on the logit scale where the score lies between 0 and 1."""

    word: ClassVar[str] = "delta"


METHODS: dict[str, type[Method]] = {method.word: method for method in (Delta,)}


def find_method(given: Any, **parameters: Any) -> Method | None:
    """None, a Method as it is, or the method of that name."""
    if given is None or isinstance(given, Method):
        return given
    if given not in METHODS:
        raise DefinitionError(
            f"there is no interval method {given!r}. {did_you_mean(str(given), METHODS)}"
        )
    return METHODS[given](**parameters)


def parameter_names() -> set[str]:
    """Every parameter that some method takes."""
    return {field.name for method in METHODS.values() for field in fields(method)}
