"""Interval methods as values, and the interval that they give."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import ceil
from typing import Any, ClassVar, Literal, get_args

from whichf1.definitions.signature import Word
from whichf1.errors import DefinitionError, did_you_mean

SEED = 2019
"""The seed where none is given: the same call gives the same bytes."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval."""

    low: float
    high: float
    level: float
    """The nominal coverage, as 0.95."""
    method: str
    """The method's name, as 'delta'."""
    undefined: int = 0
    """Replicates of a bootstrap that gave no number and were left out."""

    def __format__(self, spec: str) -> str:
        spec = spec or ".4f"
        return f"[{self.low:{spec}}, {self.high:{spec}}]"


@dataclass(frozen=True)
class Method:
    """How an interval is computed; its fields are its parameters, all shown in the signature.

    Methods without a field of their own are dataclasses by inheritance, which is quicker to import.
    """

    level: float = 0.95
    word: ClassVar[str] = ""

    def __post_init__(self) -> None:
        level = self.level
        if not isinstance(level, (int, float)) or not 0 < level < 1:
            raise DefinitionError(f"level must lie between 0 and 1, as 0.95; got {level!r}")

    def fields(self) -> dict[str, Any]:
        """The method as signature fields."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        shown = {key: Word(x) if isinstance(x, str) else x for key, x in own.items()}
        return {"interval": Word(self.word), **shown}


class Delta(Method):
    """The delta method, on the logit scale where the score lies between 0 and 1."""

    word: ClassVar[str] = "delta"


Kind = Literal["bca", "percentile"]


@dataclass(frozen=True)
class Bootstrap(Method):
    """Resampled items, drawn as cells: bias-corrected and accelerated (BCa), or percentiles."""

    replicates: int = 9999
    seed: int = SEED
    kind: Kind = "bca"
    word: ClassVar[str] = "bootstrap"

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("replicates", self.replicates, 1)
        enough_replicates(self.replicates, self.level)
        whole("seed", self.seed, 0)
        object.__setattr__(self, "kind", str(self.kind))
        if self.kind not in get_args(Kind):
            raise DefinitionError(f"kind must be 'bca' or 'percentile'; got {self.kind!r}")


class Wilson(Method):
    """Wilson's score interval of a proportion."""

    word: ClassVar[str] = "wilson"


class ClopperPearson(Method):
    """The exact binomial interval of a proportion: never covers less than its level."""

    word: ClassVar[str] = "clopper-pearson"


class AgrestiCoull(Method):
    """The Wald interval of a proportion after adding z² items, half of them successes."""

    word: ClassVar[str] = "agresti-coull"


class Jeffreys(Method):
    """The equal-tailed Bayesian interval of a proportion under Jeffreys' prior."""

    word: ClassVar[str] = "jeffreys"


class DeLong(Method):
    """DeLong's variance of an area under the ROC curve, on the logit scale."""

    word: ClassVar[str] = "delong"


METHODS: dict[str, type[Method]] = {
    method.word: method
    for method in (Delta, Bootstrap, Wilson, ClopperPearson, AgrestiCoull, Jeffreys, DeLong)
}
SHORT: dict[str, dict[str, Any]] = {kind: {"kind": kind} for kind in get_args(Kind)}
"""Words that name a bootstrap with its kind."""


def find_method(given: Any, **parameters: Any) -> Method | None:
    """None, a Method as it is, or the method of that name."""
    if given is None or isinstance(given, Method):
        return given
    word = str(given).strip().lower().replace("_", "-")
    if word in SHORT:
        return Bootstrap(**{**SHORT[word], **parameters})
    if word not in METHODS:
        raise DefinitionError(
            f"there is no interval method {given!r}. {did_you_mean(word, [*METHODS, *SHORT])}"
        )
    method = METHODS[word]
    takes = [field.name for field in fields(method)]
    for name in parameters:
        if name not in takes:
            raise DefinitionError(f"the interval method {word!r} takes no {name}=")
    return method(**parameters)


def parameter_names() -> set[str]:
    """Every parameter that some method takes."""
    return {field.name for method in METHODS.values() for field in fields(method)}


def enough_replicates(replicates: int, level: float) -> None:
    """Raise unless some replicate lies beyond each end of the interval, on average."""
    least = ceil(2 / (1 - level) - 1 - 1e-6)
    if replicates < least:
        raise DefinitionError(
            f"{replicates:,} replicates are too few for an interval of level {level:g}, whose ends "
            f"are quantiles of them: give at least {least:,}, better ten times as many"
        )


def whole(name: str, value: Any, least: int) -> None:
    """Raise unless the value is a whole number of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise DefinitionError(f"{name} must be a whole number of at least {least}; got {value!r}")
