"""choose: scores that have the properties that matter, derived from ``scoring.properties``."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from whichf1.definitions.definition import Definition, define
from whichf1.definitions.names import SHORTHANDS
from whichf1.errors import DefinitionError, did_you_mean
from whichf1.metrics import METRICS
from whichf1.scoring.properties import CHECKS, Property, check, is_checked
from whichf1.tables.display import Displayed
from whichf1.tables.records import dataclass

OPITZ = "Opitz 2024, doi:10.1162/tacl_a_00675"
RELOADED = "Maier-Hein et al. 2024 (Metrics Reloaded), doi:10.1038/s41592-023-02151-z"


class Reason(NamedTuple):
    """When a property matters, and a reference for it."""

    question: str
    why: str
    source: str


REASONS = {
    "monotone": Reason(
        "Must correcting an error never lower the score?",
        "a system that makes fewer errors must not look worse",
        OPITZ,
    ),
    "invariant to prevalence": Reason(
        "Will classes be more or less frequent elsewhere than in these data?",
        "the score carries over to data in which classes are more or less frequent",
        f"{OPITZ}; {RELOADED}",
    ),
    "symmetric in the classes": Reason(
        "Do all classes matter equally, whatever they are called?",
        "no class is favoured because of its name or position",
        f"{OPITZ}; {RELOADED}",
    ),
    "same if transposed": Reason(
        "Are there two annotators rather than truth and predictions?",
        "neither side is the truth",
        RELOADED,
    ),
    "fixed at random": Reason(
        "Must guessing always give the same score?",
        "a score can then be judged by itself, whatever the classes are",
        f"{OPITZ}; {RELOADED}",
    ),
    "fixed when constant": Reason(
        "Must always predicting the same class give a score that is known in advance?",
        "a score then shows whether a system does better than predicting the most frequent class",
        OPITZ,
    ),
    "blind to skewed errors": Reason(
        "Should it not matter which wrong class is predicted?",
        "errors that pile up in a few classes are not rewarded",
        OPITZ,
    ),
}
"""Why one would want each property of ``scoring.properties``."""


class Candidate(NamedTuple):
    """A score and the requested properties."""

    definition: Definition
    properties: tuple[Property, ...]

    @property
    def lacking(self) -> tuple[Property, ...]:
        """The properties that do not hold."""
        return tuple(each for each in self.properties if not each.holds)


@dataclass(frozen=True, eq=False)
class Choice(Displayed):
    """Scores that have the requested properties; returned by ``whichf1.choose``.

    >>> import whichf1 as wf
    >>> choice = wf.choose("monotone", "invariant to prevalence", "fixed at random")
    >>> "macro_recall" in choice.names, "mcc" in choice.names
    (True, False)
    """

    wanted: tuple[str, ...]
    fitting: tuple[Candidate, ...]
    """Scores that have all of the properties."""
    nearly: tuple[Candidate, ...]
    """Scores that lack one of them, with the smallest tables that show it."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fitting scores in Python and on the command line."""
        return tuple(name_of(each.definition) for each in self.fitting)

    def __repr__(self) -> str:
        return f"<Choice of {', '.join(self.wanted)}: {', '.join(self.names) or 'none'}>"


def choose(*wanted: str, one_class: bool = False) -> Choice:
    """Find the scores that have the properties you need.

    wanted: Properties, as ``whichf1.properties`` calls them: 'monotone', 'invariant to prevalence',
        'symmetric in the classes', 'same if transposed', 'fixed at random', 'fixed when constant',
        'blind to skewed errors'. Hyphens or underscores may replace the spaces.
    one_class: Choose among scores of one class against the rest, rather than of all classes.
    Returns: The scores that have all of these properties, and those that lack one of them.
    DefinitionError: If a property is unknown, or none is named.

    >>> choose("fixed at random", "same if transposed").names[:2]
    ('cohen_kappa', 'mcc')
    """
    names = tuple(dict.fromkeys(_property(text) for text in wanted))
    if not names:
        raise DefinitionError(f"what matters? Name at least one of: {', '.join(CHECKS)}")
    fitting: list[Candidate] = []
    nearly: list[Candidate] = []
    for definition in candidates(one_class):
        if not all(is_checked(definition, name) for name in names):
            continue  # neither high nor low is better
        candidate = _candidate(definition, names)
        if candidate is not None:
            (nearly if candidate.lacking else fitting).append(candidate)
    return Choice(names, tuple(fitting), tuple(nearly))


def _property(text: Any) -> str:
    if isinstance(text, str):
        plain = " ".join(text.replace("-", " ").replace("_", " ").lower().split())
        if plain in CHECKS:
            return plain
    raise DefinitionError(f"there is no property {text!r}. {did_you_mean(str(text), [*CHECKS])}")


def _candidate(definition: Definition, names: tuple[str, ...]) -> Candidate | None:
    """The score with its properties; None if it lacks more than one of them."""
    facts: list[Property] = []
    for name in names:
        facts.append(_checked(definition, name))
        if sum(not each.holds for each in facts) > 1:
            return None
    lacks_the_only_one = len(names) == 1 and not facts[0].holds
    return None if lacks_the_only_one else Candidate(definition, tuple(facts))


_checked = lru_cache(maxsize=1024)(check)


@lru_cache(maxsize=2)
def candidates(one_class: bool) -> tuple[Definition, ...]:
    """Every score of one class, or of all classes: the registry's own, and the usual averages."""
    rates = [name for name, metric in METRICS.items() if metric.kind == "rate"]
    if one_class:
        return tuple(define(name, options={"positive": 0}) for name in rates)
    whole = [define(name) for name, metric in METRICS.items() if metric.kind != "rate"]
    short = [define(name) for name in SHORTHANDS]
    macro = [define(name, options={"average": "macro"}) for name in rates]
    return tuple({each.signature: each for each in (*short, *whole, *macro)}.values())


def name_of(definition: Definition) -> str:
    """The name of its function, or the name and the average."""
    for name in SHORTHANDS:
        if define(name) == definition:
            return name
    averaged = definition.average is not None
    return f"{definition.metric}|avg:{definition.average}" if averaged else definition.metric
