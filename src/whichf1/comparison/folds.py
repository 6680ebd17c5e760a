"""Tests of two systems by cross-validation, whose folds are not independent.

The training sets of folds overlap, so the scores of folds are correlated, and no estimate of their
variance is unbiased (Bengio and Grandvalet 2004). Nadeau and Bengio's (2003) correction assumes
that the correlation is the fraction of the items in a fold.

These are tests of algorithms, whose models would be trained on other items. The models that were
trained here are another question, which one cross-validation can answer: its mean is about normal
around the mean of their scores on new items, with the variance of single items, if no single
training item matters much (Bayle et al. 2020; Austern and Zhou 2020).
"""

from __future__ import annotations

from math import isfinite, sqrt

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
    if len(differences) < 2:
        raise InputError(f"{named(crossed.name)}a test needs at least two folds; got one")
    share = crossed.shares[left + right]
    spread = corrected_spread(differences, float((share / (1 - share)).mean()))
    difference = float(differences.mean())
    level, (low, high) = level_of(definition), definition.bounds
    lower = definition.declaration.better == "lower"
    by_items = crossed.spread(a, b)
    models = TrainedModels(
        by_items.error,
        t_interval(difference, by_items, level, high - low, "items"),
        t_p(difference, by_items),
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
        posterior=correlated_t(difference, spread, rope, lower),
    )
