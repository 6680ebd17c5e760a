"""compare for systems that give scores or sets of labels: what each item gives is subtracted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import isfinite
from typing import Any

import numpy as np

from whichf1.comparison.results import (
    Comparison,
    Pair,
    Plan,
    letters_of,
    level_of,
    normal_pair,
    p_best,
    percentiles,
)
from whichf1.definitions.definition import Definition
from whichf1.errors import InputError
from whichf1.scoring.score import Score, warn_of_other_data
from whichf1.scoring.scores import (
    ScoredItems,
    items_of_systems,
    read_items,
    sampled,
    score_items,
)
from whichf1.sources.systems import ScoreColumns
from whichf1.statistics.influence import centred, standard_error
from whichf1.statistics.means import Means
from whichf1.statistics.paired import (
    bootstrap_p,
    holm,
    mcnemar_test,
    randomized,
    single_items,
)
from whichf1.statistics.ranking import Swappable, kinds
from whichf1.statistics.scored import replicated
from whichf1.statistics.strata import stratified_error
from whichf1.tables.cells import Array, Table

DRAWN = 2 * 10**8
"""Resampling reads up to so many numbers; beyond, smooth scores have the delta method alone."""

Facts = Callable[[int, int], dict[str, Any]]
"""What else is said of two systems, as fields of their Pair."""


def compare_scores(
    definition: Definition,
    plan: Plan,
    y_true: Any,
    systems: Mapping[str, Any],
    data: Mapping[str, Any],
) -> Comparison:
    """Compare systems by a ranking or a mean over items: differences, tests and P(best)."""
    refuse_few(systems)
    own = [read_items(definition, y_true, each, data["labels"]) for each in systems.values()]
    items = sampled(own[0].codes, data["weights"], data["cluster"])
    return compare_own(plan, [*map(str, systems)], own, items)


def compare_columns(definition: Definition, plan: Plan, columns: ScoreColumns) -> Comparison:
    """The same of columns that stay where they are: what is alike comes as one kind of item."""
    refuse_few(columns.systems)
    return compare_own(plan, [*columns.systems], *items_of_systems(definition, columns))


def compare_own(
    plan: Plan, names: Sequence[str], own: Sequence[ScoredItems], items: Table
) -> Comparison:
    """Compare what systems say of the same items."""
    scores = _scores(names, own, items)
    scored = [each.scored for each in own]
    return compare_items(own[0].definition, plan, scores, scored, items, _hits(scored, items))


def _scores(names: Sequence[str], own: Sequence[ScoredItems], items: Table) -> dict[str, Score]:
    """The score of each system; what a signature says of its data is said once."""
    plain = [replace(each, definition=replace(each.definition, data=())) for each in own]
    scores = {name: score_items(each, items) for name, each in zip(names, plain, strict=True)}
    warn_of_other_data(own[0].definition, scores.values())
    return scores


def refuse_few(systems: Mapping[str, Any]) -> None:
    """Raise unless there are two systems."""
    if len(systems) < 2:
        raise InputError(f"a comparison needs at least two systems; got {len(systems)}")


def _hits(scored: Sequence[Swappable], items: Table) -> Facts:
    """Where each item is right or wrong, McNemar's test."""
    each = [x.each for x in scored if isinstance(x, Means)]
    known = len(each) == len(scored) and all(np.isin(x, (0.0, 1.0)).all() for x in each)
    if not known or not single_items(items):
        return lambda a, b: {}

    def facts(a: int, b: int) -> dict[str, Any]:
        both = ((each[a], each[b]), (each[b], each[a]))
        only_a, only_b = (int(items.count[x > y].sum()) for x, y in both)
        return {"mcnemar": mcnemar_test(only_a, only_b), "only_a": only_a, "only_b": only_b}

    return facts


def compare_items(
    definition: Definition,
    plan: Plan,
    scores: dict[str, Score],
    scored: Sequence[Swappable],
    items: Table,
    facts: Facts = lambda a, b: {},
) -> Comparison:
    """Compare systems on the same items."""
    names = tuple(scores)
    scored, items = kinds(scored, items) if plan.replicates else (scored, items)
    drawn = _drawn(definition, plan, scored, items)
    error = difference_errors(definition, scored, items, drawn)
    pairs: list[Pair] = []
    for number, (a, b) in enumerate(combinations(range(len(names)), 2)):
        difference = scores[names[a]].value - scores[names[b]].value
        pair = normal_pair(definition, plan, names[a], names[b], difference, error(a, b), scores)
        if drawn is not None:
            both = (scored[a], scored[b])
            pair = _resampled(
                definition, plan, pair, drawn[:, a] - drawn[:, b], both, items, number
            )
        pairs.append(replace(pair, **facts(a, b)))
    adjusted = holm([pair.p_value for pair in pairs])
    pairs = [replace(pair, p_adjusted=p) for pair, p in zip(pairs, adjusted, strict=True)]
    if plan.replicates and drawn is None:
        drawn = _normal(scores, error, plan)
    best = {} if drawn is None else p_best(definition, names, drawn)
    return Comparison(
        definition, plan, scores, tuple(pairs), best, letters_of(definition, scores, pairs)
    )


def _drawn(
    definition: Definition, plan: Plan, scored: Sequence[Swappable], items: Table
) -> Array | None:
    """The scores of all systems on resampled items; None where that would take too long."""
    many = plan.replicates * sum(each.size for each in scored) > DRAWN
    if not plan.replicates or (many and definition.declaration.smooth):
        return None
    return replicated(scored, items, plan.replicates, plan.seed)


def difference_errors(
    definition: Definition,
    scored: Sequence[Swappable],
    items: Table,
    drawn: Array | None = None,
) -> Callable[[int, int], float]:
    """The standard error of a difference; of a system and itself, that of its score.

    For rankings each class is a sample of its own, as in DeLong's variance.
    """
    metric = definition.declaration
    if not metric.smooth:
        known = np.zeros((0, len(scored))) if drawn is None else drawn
        defined = known[np.isfinite(known).all(1)]
        return lambda a, b: float(np.std(defined[:, a] - (a != b) * defined[:, b]))
    slopes = [each.slopes(items.count) for each in scored]

    def error(a: int, b: int) -> float:
        moved = slopes[a] - slopes[b] if a != b else slopes[a]
        if metric.kind == "ranking" and items.cluster is None:
            return stratified_error(centred(moved, items.count), items)
        return standard_error(moved, items)

    return error


def _resampled(
    definition: Definition,
    plan: Plan,
    pair: Pair,
    drawn: Array,
    scored: tuple[Swappable, Swappable],
    items: Table,
    number: int,
) -> Pair:
    """The pair with its bootstrap and its randomization test."""
    interval = percentiles(drawn, level_of(definition))
    p = bootstrap_p(pair.difference, drawn)
    seed = (plan.seed, number)
    observed = abs(pair.difference)
    swapped = (
        randomized(*scored, items, observed, plan.replicates, seed) if isfinite(observed) else None
    )
    pair = replace(pair, bootstrap=interval, p_bootstrap=p, p_randomization=swapped)
    if definition.declaration.smooth:
        return pair
    # the delta method is not for it, and of the two tests the bootstrap is the more cautious one
    return replace(pair, interval=interval, p_value=p if swapped is None else swapped)


def _normal(
    scores: Mapping[str, Score], error: Callable[[int, int], float], plan: Plan
) -> Array | None:
    """Scores of all systems, drawn from a normal distribution with their covariance."""
    size = len(scores)
    variance = np.array([[error(a, b) ** 2 for b in range(size)] for a in range(size)])
    own = np.diag(variance)
    covariance = np.where(np.eye(size, dtype=bool), variance, (own[:, None] + own - variance) / 2)
    if not np.isfinite(covariance).all():
        return None
    values = [score.value for score in scores.values()]
    rng = np.random.Generator(np.random.PCG64(plan.seed))
    return rng.multivariate_normal(
        values, covariance, plan.replicates, check_valid="ignore", method="eigh"
    )
