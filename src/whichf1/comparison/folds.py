"""Tests of two systems by cross-validation, whose folds are not independent.

The training sets of folds overlap, so the scores of folds are correlated, and no estimate of their
variance is unbiased (Bengio and Grandvalet 2004). Nadeau and Bengio's (2003) correction assumes
that the correlation is the fraction of the items in a fold.

Repetitions say more: the same item is predicted by models trained on different sets of the other
items. If a model lacks a random part of the items, the variance of its score, times the ratio of
the items it has to those it lacks, estimates the variance due to training sets (the delete-d
jackknife, Shao and Wu 1989).

These are tests of algorithms, whose models would be trained on other items. The models that were
trained here are another question, which one cross-validation can answer: its mean is about normal
around the mean of their scores on new items, with the variance of single items, if no single
training item matters much (Bayle et al. 2020; Austern and Zhou 2020).
"""

from __future__ import annotations

from math import inf, isfinite, sqrt

import numpy as np

from whichf1.comparison.crossed import Crossed
from whichf1.comparison.significance import CLOSE, level_of, t_interval, t_p
from whichf1.definitions.definition import Definition
from whichf1.errors import InputError
from whichf1.statistics.scales import Interval, Spread, upper_tail
from whichf1.tables.cells import Array
from whichf1.tables.records import dataclass
from whichf1.tables.trials import named


@dataclass(frozen=True, slots=True)
class Probabilities:
    """The probabilities that each system is better, and that they are practically equivalent."""

    a_better: float
    rope: float | None
    """The probability of practical equivalence; None without a region of practical equivalence."""
    b_better: float


@dataclass(frozen=True, slots=True)
class TrainedModels:
    """The difference between the models that were trained on these folds, on new items.

    Its variance is that of items, without that of training sets (Bayle et al. 2020).
    """

    standard_error: float | None
    interval: Interval | None
    p_value: float | None
    p_adjusted: float | None = None


@dataclass(frozen=True, slots=True)
class Retrained:
    """The difference between the algorithms, with a variance of training sets that is estimated.

    The delete-d jackknife, from how the predictions of the same items differ between repetitions.
    """

    standard_error: float | None
    interval: Interval | None
    p_value: float | None
    training: float | None
    """The share of the variance that is due to training sets; the rest is due to test items."""
    p_adjusted: float | None = None


@dataclass(frozen=True, kw_only=True)
class FoldPair:
    """Two systems compared by cross-validation: the algorithms, and the models trained here."""

    a: str
    b: str
    data_set: str
    difference: float
    """The mean over folds of the score of A minus that of B."""
    folds: int
    repeats: int
    """How many times the cross-validation was repeated."""
    standard_error: float | None
    """Of the algorithms, with Nadeau and Bengio's (2003) correction."""
    interval: Interval | None
    p_value: float | None
    models: TrainedModels
    """The same difference as that of the models that were trained here."""
    retrained: Retrained | None = None
    """The algorithms, by repetitions; None if there are fewer than five, or clusters of items."""
    p_adjusted: float | None = None
    posterior: Probabilities | None = None
    """Of the Bayesian correlated t test (Corani and Benavoli 2015)."""


def corrected_spread(differences: Array, ratio: float) -> Spread:
    """The spread of a mean of differences of folds; ``ratio``: test items over training items.

    The variance is that of the differences times 1/J + ratio, with J − 1 degrees of freedom.
    """
    size = len(differences)
    variance = float(np.var(differences, ddof=1))
    return Spread(sqrt(variance * (1 / size + ratio)), freedom=size - 1.0)


def correlated_t(
    difference: float, spread: Spread, rope: float | None, lower: bool
) -> Probabilities | None:
    """The posterior of the Bayesian correlated t test: Student's t around the difference."""
    if not isfinite(spread.error):
        return None
    if spread.error <= CLOSE:
        sides = [float(difference > (rope or 0.0)), float(difference < -(rope or 0.0))]
    else:
        low, high = (
            upper_tail((side - difference) / spread.error, spread.freedom)
            for side in (-(rope or 0.0), rope or 0.0)
        )
        sides = [high, 1 - low]
    within = None if rope is None else max(0.0, 1 - sum(sides))
    better = sides[::-1] if lower else sides
    return Probabilities(better[0], within, better[1])


FEW_REPEATS = 5
"""The fewest repetitions from which the variance of training sets is estimated."""


def retrained_spread(
    items: Spread, models: float, noise: float, ratio: float, repeats: int, folds: int
) -> Spread:
    """The spread of a difference over test items and training sets.

    ``models``: the variance of the difference of models, each without the items of a fold.
    ``noise``: that of the mean of a fold by single items, from which ``models`` was separated.
    ``ratio``: test items over training items.

    The estimated variance of training sets is negative at times, and is then taken as 0. Its own
    uncertainty counts in the degrees of freedom, but not by more than the estimate itself.
    """
    training = max(models, 0.0) / ratio
    uncertain = (max(models, 0.0) + noise) / ratio * sqrt(2 / ((repeats - 1) * (folds - 1)))
    square = items.error**2
    variance = square + training
    if not 0 < variance < inf:
        return items
    half = uncertain * min(uncertain, training) / 2 + square**2 / items.freedom
    return Spread(sqrt(variance), freedom=max(variance**2 / half, 1.0) if half > 0 else inf)


def compare_folds(
    crossed: Crossed, a: str, b: str, definition: Definition, rope: float | None
) -> FoldPair:
    """Two systems on the folds of one data set."""
    if crossed.folds is None or crossed.shares is None:
        raise InputError(f"{named(crossed.name)}there are no folds")
    left, right = crossed.rows(a), crossed.rows(b)
    runs = [[crossed.keys[at].run for at in rows] for rows in (left, right)]
    if {*runs[0]} != {*runs[1]}:
        raise InputError(
            f"{named(crossed.name)}{a} and {b} have different repetitions of the cross-validation: "
            f"{', '.join(runs[0])} and {', '.join(runs[1])}. Give repetitions with the same folds "
            f"the same name."
        )
    right = [right[runs[1].index(run)] for run in runs[0]]
    differences = (crossed.folds[left] - crossed.folds[right]).ravel()
    repeats, folds = len(left), crossed.folds.shape[1]
    share = crossed.shares[left + right]
    ratio = float((share / (1 - share)).mean())
    spread = corrected_spread(differences, ratio)
    difference = float(differences.mean())
    level, (low, high) = level_of(definition), definition.bounds
    lower = definition.declaration.better == "lower"
    by_items = crossed.spread(a, b)
    models = TrainedModels(
        by_items.error,
        t_interval(difference, by_items, level, high - low, "items"),
        t_p(difference, by_items),
    )
    retrained = None
    if crossed.between is not None and repeats >= FEW_REPEATS:
        between, noise = (
            float(np.mean(x[left, left] + x[right, right] - 2 * x[left, right]))
            for x in crossed.between
        )
        both = retrained_spread(by_items, between, noise, ratio, repeats, folds)
        retrained = Retrained(
            both.error,
            t_interval(difference, both, level, high - low, "items and training sets"),
            t_p(difference, both),
            1 - by_items.error**2 / both.error**2 if both.error > 0 else None,
        )
    return FoldPair(
        a=a,
        b=b,
        data_set=crossed.name,
        difference=difference,
        folds=folds,
        repeats=repeats,
        standard_error=spread.error,
        interval=t_interval(difference, spread, level, high - low, "corrected t"),
        p_value=t_p(difference, spread),
        models=models,
        retrained=retrained,
        posterior=correlated_t(difference, spread, rope, lower),
    )
