"""SystemRanks: the order of systems under several definitions, and where it flips.

The two macro F1s can order the same classifiers differently, and so can any two definitions. It is
worth knowing whether a result holds under only one of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np

from whichf1.definitions.definition import AnyCounts, Definition, define_fitting
from whichf1.errors import InputError, numbered
from whichf1.scoring.evaluate import evaluate_systems
from whichf1.scoring.functions import with_options
from whichf1.scoring.score import Score
from whichf1.tables.counts import Counts
from whichf1.tables.display import Drawable
from whichf1.tables.label_sets import MultiLabelCounts
from whichf1.tables.labels import Labels
from whichf1.tables.records import dataclass

DEFINITIONS = (
    "averaged_f1",
    "f1_of_averages",
    "micro_f1",
    "weighted_f1",
    "accuracy",
    "macro_precision",
    "macro_recall",
    "mcc",
    "cohen_kappa",
)
"""The definitions that are compared by default."""
OF_SETS = (*DEFINITIONS[:4], "subset_accuracy", "hamming_loss")
"""The same for sets of labels, besides F1 averaged over items."""
_TIE = 1e-12


@dataclass(frozen=True, eq=False)
class Order:
    """The order of the systems under one definition."""

    definition: Definition
    scores: Mapping[str, Score]
    order: tuple[tuple[str, ...], ...]
    """Best first; systems with equal scores are grouped."""

    def sign(self, a: str, b: str) -> int:
        """1 if A is better, −1 if B is, 0 if they are equal or one is undefined."""
        difference = self.scores[a].value - self.scores[b].value
        if not abs(difference) > _TIE:
            return 0
        better = (difference > 0) == (self.definition.declaration.better != "lower")
        return 1 if better else -1

    def equals(self, other: Order) -> bool:
        """Whether both definitions give every system the same score."""
        if self.definition.declaration.better != other.definition.declaration.better:
            return False
        mine, theirs = ([score.value for score in x.scores.values()] for x in (self, other))
        return bool(np.allclose(mine, theirs, rtol=0, atol=_TIE, equal_nan=True))


@dataclass(frozen=True, slots=True)
class Flip:
    """Two systems whose order depends on the definition; numbers are indices into ``orders``."""

    a: str
    b: str
    a_better: tuple[int, ...]
    b_better: tuple[int, ...]
    p_adjusted: tuple[float | None, ...] | None = None
    """The p-value of their difference under each of ``orders``, adjusted as those of the other
    pairs; None if the systems were not counted on the same items, so nothing is tested."""
    significant: tuple[int, ...] | None = None
    """The definitions under which they differ significantly."""


@dataclass(frozen=True, eq=False)
class SystemRanks(Drawable):
    """The same systems ranked under several definitions; returned by ``whichf1.rank_systems``.

    >>> import whichf1 as wf
    >>> table = lambda m: wf.Counts.from_matrix(m, rows="predicted", labels=["a", "b"])
    >>> ranks = wf.rank_systems({"1": table([[5, 10], [5, 10]]), "2": table([[1, 1], [9, 19]])},
    ...                         ["averaged_f1", "f1_of_averages"])
    >>> ranks.systems, len(ranks.flips)
    (('1', '2'), 1)
    """

    systems: tuple[str, ...]
    orders: tuple[Order, ...]
    flips: tuple[Flip, ...]
    """Every pair whose order depends on the definition."""
    tau: tuple[tuple[float | None, ...], ...]
    """Kendall's tau-b of every two rankings; None if all systems are tied in one of them."""

    @property
    def alike(self) -> tuple[tuple[int, ...], ...]:
        """The indices into ``orders``, grouping definitions that are equal on these data."""
        groups: list[list[int]] = []
        for at, each in enumerate(self.orders):
            same = (group for group in groups if each.equals(self.orders[group[0]]))
            group = next(same, None)
            if group is None:
                groups.append([at])
            else:
                group.append(at)
        return tuple(map(tuple, groups))

    def __repr__(self) -> str:
        return (
            f"<SystemRanks: {numbered(len(self.systems), 'system')}, "
            f"{numbered(len(self.orders), 'definition')}, "
            f"{numbered(len(self.flips), 'pair')} flip>"
        )


def rank_systems(
    systems: Mapping[str, AnyCounts], metrics: Sequence[Any] | None = None, **options: Any
) -> SystemRanks:
    """Rank systems under several definitions.

    systems: The counts of each system.
    metrics: The names or signatures of the definitions.
    **options: Options of the scores, used where they apply.
    Returns: The order under each definition, the pairs whose order flips, and rank correlations.
    DefinitionError: If a metric or an option is unknown.
    InputError: If there are fewer than two systems.

    Tables 1 and 2 of the paper: more bias towards class b improves F1 of averages and worsens
    averaged F1.

    >>> import whichf1 as wf
    >>> table = lambda m: wf.Counts.from_matrix(m, rows="predicted", labels=["a", "b"])
    >>> r = rank_systems({"1": table([[5, 10], [5, 10]]), "2": table([[1, 1], [9, 19]])},
    ...              ["averaged_f1", "f1_of_averages"])
    >>> [each.order for each in r.orders], len(r.flips)
    ([(('1',), ('2',)), (('2',), ('1',))], 1)
    """
    known = (Counts, MultiLabelCounts)
    counted = isinstance(systems, Mapping) and all(isinstance(x, known) for x in systems.values())
    if not counted:
        raise InputError(f"systems must be a mapping from names to counts; got {systems!r}")
    names = tuple(map(str, systems))
    if len(names) < 2:
        raise InputError(f"a ranking needs at least two systems; got {len(names)}")
    counts = dict(zip(names, same_labels(list(systems.values())), strict=True))
    sets = isinstance(counts[names[0]], MultiLabelCounts)
    chosen = [_definition(x, options) for x in metrics or (OF_SETS if sets else DEFINITIONS)]
    if sets and metrics is None:
        chosen.append(define_fitting("f1", {**options, "average": "samples"}))
    return ranks_of(names, tuple(_ranking(definition, counts) for definition in chosen))


def ranks_of(names: tuple[str, ...], ranked: tuple[Order, ...]) -> SystemRanks:
    """The orders of systems, with the pairs that flip and rank correlations."""
    return SystemRanks(
        names,
        ranked,
        tuple(flip for pair in combinations(names, 2) if (flip := _flip(ranked, *pair))),
        tuple(tuple(_tau(x, y, names) for y in ranked) for x in ranked),
    )


def _definition(metric: Any, options: Mapping[str, Any]) -> Definition:
    metric = getattr(metric, "signature", None) or getattr(metric, "__name__", metric)
    if "|" in metric or "(" in metric:
        return with_options(metric, {})
    return define_fitting(metric, options)


def same_labels(counts: list[AnyCounts]) -> list[AnyCounts]:
    """All systems on the same classes, so that they are scored by the same definition."""
    if all(each.labels == counts[0].labels for each in counts):
        return counts
    declared = next((each.labels for each in counts if each.declared), None)
    union = declared or Labels.sorted({label for each in counts for label in each.labels})
    return [each.declare(union) for each in counts]


def _ranking(definition: Definition, counts: Mapping[str, AnyCounts]) -> Order:
    if definition.ignore:
        kept = same_labels([each.without(definition.ignore) for each in counts.values()])
        counts = dict(zip(counts, kept, strict=True))
    return ordered(evaluate_systems(definition, counts)[0])


def ordered(scores: Mapping[str, Score]) -> Order:
    """The systems in the order of their scores."""
    settled = next(iter(scores.values())).definition
    sign = -1 if settled.declaration.better != "lower" else 1
    defined = [name for name in scores if not np.isnan(scores[name].value)]
    order: list[list[str]] = []
    for name in sorted(defined, key=lambda name: sign * scores[name].value):
        same = order and abs(scores[order[-1][0]].value - scores[name].value) <= _TIE
        if same:
            order[-1].append(name)
        else:
            order.append([name])
    return Order(settled, scores, tuple(map(tuple, order)))


def _flip(ranked: Sequence[Order], a: str, b: str) -> Flip | None:
    signs = [each.sign(a, b) for each in ranked]
    above = tuple(at for at, sign in enumerate(signs) if sign > 0)
    below = tuple(at for at, sign in enumerate(signs) if sign < 0)
    return Flip(a, b, above, below) if above and below else None


def _tau(x: Order, y: Order, names: Sequence[str]) -> float | None:
    """Kendall's tau-b: agreeing minus disagreeing pairs, over those not tied."""
    signs = [(x.sign(a, b), y.sign(a, b)) for a, b in combinations(names, 2)]
    untied = sum(s != 0 for s, _ in signs) * sum(t != 0 for _, t in signs)
    return sum(s * t for s, t in signs) / sqrt(untied) if untied else None
