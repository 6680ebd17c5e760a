"""Confidence intervals and the methods that compute them, as values."""

from __future__ import annotations

from dataclasses import asdict, fields
from math import ceil, inf
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from whichf1.errors import DefinitionError, did_you_mean, is_number
from whichf1.tables.records import dataclass

SEED = 2019
"""The default seed: the same call always gives the same result."""
BootstrapKind: TypeAlias = Literal["bca", "percentile"]
IntervalName: TypeAlias = Literal[
    "auto",
    "delta",
    "bootstrap",
    "wilson",
    "clopper-pearson",
    "agresti-coull",
    "jeffreys",
    "delong",
    "posterior",
    "bca",
    "percentile",
]
"""The methods by name; 'bca' and 'percentile' are kinds of bootstrap."""


@dataclass(frozen=True)
class Method:
    """How an interval is computed. Its fields are its parameters and appear in signatures.

    Methods without fields of their own inherit being dataclasses, which makes importing faster.
    """

    level: float = 0.95
    word: ClassVar[str] = ""
    drawn: ClassVar[bool] = False
    """Whether it draws units at random, so that it applies to any score but needs the units."""

    def __init_subclass__(cls, word: str, drawn: bool = False) -> None:
        cls.word, cls.drawn = word, drawn

    def __post_init__(self) -> None:
        check_level(self.level)
        object.__setattr__(self, "level", float(self.level))

    def fields(self) -> dict[str, Any]:
        """The method's name and parameters, as they appear in a signature."""
        return {"interval": self.word, **asdict(self)}


class Auto(Method, word="auto"):
    """The method that suits the data, even where a class has few errors or hits.

    >>> import whichf1 as wf
    >>> score = wf.accuracy([0, 1] * 20, [0, 1] * 20, interval=Auto())
    >>> f"{score.interval:.2f}"
    '[0.92, 1.00]'
    """


class Delta(Method, word="delta"):
    """The delta method, on the logit scale if the score is between 0 and 1.

    >>> import whichf1 as wf
    >>> f"{wf.accuracy([0, 1, 1, 1], [0, 1, 1, 0], interval=Delta(level=0.9)).interval:.2f}"
    '[0.35, 0.96]'
    """


@dataclass(frozen=True)
class Bootstrap(Method, word="bootstrap", drawn=True):
    """The bootstrap: intervals from resampled items, BCa or percentile.

    kind: Bias-corrected and accelerated ('bca'), or plain percentiles of the replicates.
    DefinitionError: If a parameter is out of range, or there are too few replicates for the level.

    >>> import whichf1 as wf
    >>> score = wf.accuracy([0, 1] * 20, [0, 1, 1, 1] * 10, interval=Bootstrap(replicates=999))
    >>> score.interval.method
    'bootstrap'
    """

    replicates: int = 9999
    seed: int = SEED
    kind: BootstrapKind = "bca"

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("replicates", self.replicates, 1)
        enough_replicates(self.replicates, self.level)
        whole("seed", self.seed, 0)
        object.__setattr__(self, "kind", str(self.kind))
        if self.kind not in get_args(BootstrapKind):
            raise DefinitionError(f"kind must be 'bca' or 'percentile'; got {self.kind!r}")


class Wilson(Method, word="wilson"):
    """Wilson's score interval for a proportion.

    >>> import whichf1 as wf
    >>> f"{wf.accuracy([0, 1, 1, 1], [0, 1, 1, 0], interval=Wilson()).interval:.2f}"
    '[0.30, 0.95]'
    """


class ClopperPearson(Method, word="clopper-pearson"):
    """The exact binomial interval for a proportion, whose coverage is never below its level.

    >>> import whichf1 as wf
    >>> f"{wf.accuracy([0, 1, 1, 1], [0, 1, 1, 0], interval=ClopperPearson()).interval:.2f}"
    '[0.19, 0.99]'
    """


class AgrestiCoull(Method, word="agresti-coull"):
    """The Wald interval for a proportion after adding z² items, half of them successes.

    >>> import whichf1 as wf
    >>> f"{wf.accuracy([0, 1, 1, 1], [0, 1, 1, 0], interval=AgrestiCoull()).interval:.2f}"
    '[0.29, 0.97]'
    """


class Jeffreys(Method, word="jeffreys"):
    """The equal-tailed Bayesian interval for a proportion under Jeffreys' prior.

    >>> import whichf1 as wf
    >>> f"{wf.accuracy([0, 1, 1, 1], [0, 1, 1, 0], interval=Jeffreys()).interval:.2f}"
    '[0.28, 0.97]'
    """


class DeLong(Method, word="delong"):
    """DeLong's interval for an area under the ROC curve, on the logit scale.

    >>> import whichf1 as wf
    >>> auc = wf.roc_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], interval=DeLong())
    >>> f"{auc.interval:.2f}"
    '[0.14, 1.00]'
    """


@dataclass(frozen=True)
class Posterior(Method, word="posterior", drawn=True):
    """A credible interval: quantiles of the score over Dirichlet draws of the cells.

    draws: How many tables are drawn.
    prior: How many items the prior is worth, half of them correct and half wrong. They are spread
        over the cells of class counts; other data have no prior.
    DefinitionError: If a parameter is out of range, or there are too few draws for the level.

    >>> import whichf1 as wf
    >>> score = wf.accuracy([0, 1] * 20, [0, 1, 1, 1] * 10, interval=Posterior(draws=999))
    >>> score.interval.method
    'posterior'
    """

    draws: int = 9999
    prior: float = 1.0
    seed: int = SEED

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("draws", self.draws, 1)
        enough_replicates(self.draws, self.level, "draws")
        whole("seed", self.seed, 0)
        number = isinstance(self.prior, (int, float)) and not isinstance(self.prior, bool)
        if not number or not 0 <= self.prior < inf:
            raise DefinitionError(f"prior must be a number of items, 0 or more; got {self.prior!r}")
        object.__setattr__(self, "prior", float(self.prior))


METHODS: dict[str, type[Method]] = {
    method.word: method
    for method in (
        *(Auto, Delta, Bootstrap, Wilson, ClopperPearson, AgrestiCoull, Jeffreys, DeLong),
        Posterior,
    )
}
PARAMETERS = {field.name for method in METHODS.values() for field in fields(method)}
"""The parameters of all methods."""
SHORT: dict[str, dict[str, Any]] = {kind: {"kind": kind} for kind in get_args(BootstrapKind)}
"""Names for a bootstrap of a particular kind."""


def find_method(choice: Any, **parameters: Any) -> Method | None:
    """None, a Method unchanged, or the method with this name."""
    if choice is None or isinstance(choice, Method):
        return choice
    word = str(choice).strip().lower().replace("_", "-")
    if word in SHORT:
        return Bootstrap(**{**SHORT[word], **parameters})
    if word not in METHODS:
        raise DefinitionError(
            f"there is no interval method {choice!r}. {did_you_mean(word, [*METHODS, *SHORT])}"
        )
    method = METHODS[word]
    known = [field.name for field in fields(method)]
    for name in parameters:
        if name not in known:
            raise DefinitionError(
                f"the interval method {word!r} has no parameter {name!r}; it has {', '.join(known)}"
            )
    return method(**parameters)


def check_level(level: Any) -> None:
    """Raise an error unless this can be the level of an interval."""
    if not is_number(level) or not 0.5 < (1 + float(level)) / 2 < 1:  # the quantiles at its ends
        raise DefinitionError(f"level must be between 0 and 1, for example 0.95; got {level!r}")


MOST_REPLICATES = 10**7
"""With this many, the random error of an interval is negligible."""


def enough_replicates(replicates: int, level: float, what: str = "replicates") -> None:
    """Raise an error unless some replicates lie beyond each end, and there is time to draw them."""
    check_level(level)
    least = ceil(2 / (1 - level) - 1 - 1e-6)
    if replicates < least:
        raise DefinitionError(
            f"{replicates:,} {what} are too few for an interval of level {level:g}, whose ends "
            f"are quantiles of them. Use at least {least:,}, and preferably ten times as many."
        )
    if replicates > MOST_REPLICATES:
        raise DefinitionError(
            f"{replicates!r} {what} are too many to draw. Use at most {MOST_REPLICATES:,}."
        )


def whole(name: str, value: Any, least: int) -> None:
    """Raise an error unless the value is a whole number of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise DefinitionError(f"{name} must be a whole number of at least {least}; got {value!r}")
