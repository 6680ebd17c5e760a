"""What a comparison is: the plan, the pairs, and all systems together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from whichf1.comparison.rank_flips import Flip, SystemRanks, rank_systems
from whichf1.comparison.significance import McNemar
from whichf1.comparison.significance import letters as shared_letters
from whichf1.definitions import signature
from whichf1.definitions.class_sets import AnyCounts
from whichf1.definitions.definition import Definition
from whichf1.definitions.methods import SEED, whole
from whichf1.definitions.signature import Word
from whichf1.errors import DefinitionError
from whichf1.scoring.score import Score, described
from whichf1.statistics.scales import Interval
from whichf1.tables.cells import Array


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How systems are compared; every field stands in the signature."""

    replicates: int = 9999
    """Replicates of the bootstrap and of the randomization test; 0 for neither."""
    seed: int = SEED
    power: float = 0.8
    """For the smallest difference that can be shown."""
    margin: float | None = None
    """Differences below it count as none: for the test of equivalence."""

    def __post_init__(self) -> None:
        whole("replicates", self.replicates, 0)
        whole("seed", self.seed, 0)
        if not 0 < self.power < 1:
            raise DefinitionError(f"power must lie between 0 and 1, as 0.8; got {self.power!r}")
        if self.margin is not None and not self.margin > 0:
            raise DefinitionError(f"margin must be a difference above 0; got {self.margin!r}")

    def text(self, said: Iterable[str] = ()) -> str:
        """The plan as signature fields, without those that are said already."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        shown = {"compare": Word("paired"), "adjust": Word("holm"), **own}
        left = {k: v for k, v in shown.items() if v is not None and k not in said}
        return signature.write("", {}, left)


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two systems compared. A p-value is None if its test does not apply.

    >>> import whichf1 as wf
    >>> c = wf.compare([0, 0, 1, 1], {"A": [0, 0, 1, 1], "B": [0, 1, 1, 0]}, "accuracy")
    >>> c.pairs[0].difference, c.pairs[0].only_a, c.pairs[0].only_b
    (0.5, 2, 0)
    """

    a: str
    b: str
    difference: float
    """Score of A minus score of B."""
    standard_error: float | None
    interval: Interval | None
    """The difference ± z standard errors, by the delta method."""
    p_value: float | None
    """Delta method, two-sided."""
    p_adjusted: float | None
    """The same after Holm's adjustment for all pairs."""
    bootstrap: Interval | None = None
    """Percentiles of the paired bootstrap."""
    p_bootstrap: float | None = None
    p_randomization: float | None = None
    mcnemar: McNemar | None = None
    """Where both scores are shares of the same items."""
    p_equivalence: float | None = None
    """Two one-sided tests that the difference is within the margin."""
    only_a: int | float | None = None
    """Items that A alone gets right."""
    only_b: int | float | None = None
    """Items that B alone gets right."""
    changed: int | float | None = None
    """Items that the two predict differently."""
    detectable: float | None = None
    """The smallest difference that this test set shows with the plan's power."""
    items_needed: int | None = None
    """Items like these that would separate A from B with that power, if the difference is real."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Systems compared on the same items under one definition; made by ``whichf1.compare``.

    >>> import whichf1 as wf
    >>> c = wf.compare([0, 0, 1, 1], {"A": [0, 0, 1, 1], "B": [0, 1, 1, 0]}, "accuracy")
    >>> c.ranking, c.scores["B"].value
    (('A', 'B'), 0.5)
    """

    definition: Definition
    plan: Plan
    scores: Mapping[str, Score]
    pairs: tuple[Pair, ...]
    best: Mapping[str, float]
    """P(best): the share of replicates in which a system is the best."""
    letters: Mapping[str, str]
    """Systems that share a letter do not differ significantly (Holm, at the interval's level)."""
    counts: Mapping[str, AnyCounts] | None = None
    """The counts of each system; None where systems are compared by scores."""

    @cached_property
    def ranks(self) -> SystemRanks | None:
        """The same systems under other definitions, on the same classes and items."""
        if self.counts is None:
            return None
        shared = ("classes", "exclude", "ignore", "undefined")
        options = {key: getattr(self.definition, key) for key in shared}
        return rank_systems(self.counts, **options)

    @property
    def ranking(self) -> tuple[str, ...]:
        """The systems, the best first."""
        return _ranked(self.definition, self.scores)

    @property
    def flips(self) -> tuple[Flip, ...]:
        """Every pair of systems whose order depends on the definition."""
        return () if self.ranks is None else self.ranks.flips

    @cached_property
    def signature(self) -> str:
        """The definition, the plan and the data: ``compare(..., signature)`` runs it again."""
        score = next(iter(self.scores.values()))
        own = described(self.definition, score.n, score.classes, score.made)
        head, mark, data = own.partition("|n:")
        return f"{head}{self.plan.text(self.definition.fields)}{mark}{data}"

    def __repr__(self) -> str:
        order = _in_words(self.ranking[:6], self.scores)
        flips = f", {len(self.flips)} rank flips" if self.flips else ""
        return f"<Comparison {order}{flips} ({self.signature})>"


def _in_words(names: Sequence[str], scores: Mapping[str, Score]) -> str:
    """'a 0.9000 > b 0.8000 = c 0.8000'."""
    text, before = "", None
    for name in names:
        value = scores[name].value
        if before is not None:
            text += " = " if abs(before - value) <= 1e-12 else " > "
        text, before = f"{text}{name} {value:.4f}", value
    return text


def level_of(definition: Definition) -> float:
    """The nominal coverage of the intervals, 1 − the level of the tests."""
    return definition.interval.level if definition.interval else 0.95


def p_best(definition: Definition, names: tuple[str, ...], replicates: Array) -> dict[str, float]:
    """The share of replicates in which each system is the best; ties are shared."""
    sign = -1 if definition.declaration.better == "lower" else 1
    values = sign * replicates[~np.isnan(replicates).any(1)]
    if not len(values):
        return {}
    best = values >= values.max(1, keepdims=True) - 1e-12
    shares = (best / best.sum(1, keepdims=True)).mean(0)
    return dict(zip(names, shares.tolist(), strict=True))


def _ranked(definition: Definition, scores: Mapping[str, Score]) -> tuple[str, ...]:
    sign = 1 if definition.declaration.better == "lower" else -1
    value = {name: sign * score.value for name, score in scores.items()}
    return tuple(sorted(scores, key=lambda name: (np.isnan(value[name]), value[name])))


def letters_of(
    definition: Definition, scores: Mapping[str, Score], pairs: list[Pair]
) -> dict[str, str]:
    """Letters for systems that do not differ significantly at the level of the intervals."""
    limit = 1 - level_of(definition)
    apart = {(p.a, p.b) for p in pairs if p.p_adjusted is not None and p.p_adjusted < limit}
    return shared_letters(_ranked(definition, scores), apart)
