"""Tests of two systems by cross-validation, whose folds are not independent.

The training sets of folds overlap, so the scores of folds are correlated, and no estimate of their
variance is unbiased (Bengio and Grandvalet 2004). Nadeau and Bengio's (2003) correction assumes
that the correlation is the fraction of the items in a fold.

Repetitions say more: the same item is predicted by models trained on different sets of the other
items. An item adds to a mean twice, as a test item (e) and as a training item (φ), and the variance
of the mean is that of e + φ, over the number of items. The variance of e is seen directly. If a
model lacks a random part of the items, the variance of its score, times the ratio of the items it
has to those it lacks, estimates that of φ (the delete-d jackknife, Shao and Wu 1989), and the
covariance of its score with the mean e of the items it has estimates that of e and φ. The
covariance is seldom 0: an item unlike the others is hard to predict, and misleads those who train
on it. As in every jackknife, what two items do together counts twice (Efron and Stein 1981).

These are tests of algorithms, whose models would be trained on other items. The models that were
trained here are another question, which one cross-validation can answer: its mean is about normal
around the mean of their scores on new items, with the variance of single items, if no single
training item matters much (Bayle et al. 2020; Austern and Zhou 2020).
"""

from __future__ import annotations

from math import inf, isfinite, sqrt
from typing import Literal

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
class FoldTest:
    """A test of the difference of two systems over folds."""

    standard_error: float | None
    interval: Interval | None
    p_value: float | None
    caution: str | None
    """When the test rejects too often, in a sentence; None if it is not known to."""
    training: float | None = None
    """What training sets add to the variance of items, as a share of the whole, if estimated."""
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
    corrected: FoldTest
    """The algorithms, with Nadeau and Bengio's (2003) correction."""
    retrained: FoldTest | None
    """The algorithms, with a variance of training sets that is estimated from repetitions; None if
    there are fewer than five, or clusters of items."""
    models: FoldTest
    """The models that were trained here, by the variance of items (Bayle et al. 2020)."""
    posterior: Probabilities | None = None
    """Of the Bayesian correlated t test (Corani and Benavoli 2015)."""
    p_adjusted: float | None = None
    """That of the test that decides."""

    @property
    def test(self) -> Literal["corrected", "retrained"]:
        """The test of the algorithms that decides: by training sets if each has half of the items.

        With more folds, what is seen of training sets is too little to estimate their variance.
        """
        return "retrained" if self.retrained is not None and self.folds == HALVES else "corrected"

    @property
    def deciding(self) -> FoldTest:
        """The outcome of the test that decides."""
        return self.corrected if self.test == "corrected" or not self.retrained else self.retrained

    @property
    def standard_error(self) -> float | None:
        """That of the test that decides."""
        return self.deciding.standard_error

    @property
    def interval(self) -> Interval | None:
        """That of the test that decides."""
        return self.deciding.interval

    @property
    def p_value(self) -> float | None:
        """That of the test that decides."""
        return self.deciding.p_value

    @property
    def caution(self) -> str | None:
        """When the test that decides rejects too often; None if it is not known to."""
        return self.deciding.caution


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


HALVES = 2
"""The folds with which each model is seen through half of the items."""
LEAST_REPEATS, FEW_REPEATS = 5, 10
"""With fewer repetitions, the variance of training sets is not estimated, or with a caution."""
ONCE = (
    "one cross-validation does not show how much training sets matter; if they add more variance "
    "than the test items do, this test rejects too often (in 15 % of simulated cases with four "
    "times as much); repeat a cross-validation of two folds ten times"
)
OVERLAPPING = (
    "with repetitions of more than two folds, this test allows for little variance of training "
    "sets; if they add as much as the test items do, it rejects too often (in 14 % of simulated "
    "cases, and in 35 % with four times as much); repeat a cross-validation of two folds ten times"
)
UNRELATED = (
    "this test assumes that items which are hard to predict are as good for training as others; if "
    "they are not, it rejects too often (in 8–11 % of simulated cases)"
)
MANY_FOLDS = (
    "with more than two folds, repetitions say little about training sets; the test is "
    "conservative for many learners, and rejects too often for some (in up to 8 % of simulated "
    "cases); repeat a cross-validation of two folds ten times"
)
FEW = (
    "fewer than ten repetitions say little about training sets; with five, this test rejects in up "
    "to 7 % of simulated cases"
)
SINGLE = (
    "this test rejects too often if single training items matter (in 7–22 % of simulated cases for "
    "nearest neighbours and decision stumps)"
)
"""When tests reject too often."""


def corrected_caution(folds: int, repeats: int) -> str:
    """When the corrected resampled t test rejects too often."""
    if repeats == 1:
        return ONCE
    return OVERLAPPING if folds > HALVES else UNRELATED


def retrained_caution(folds: int, repeats: int) -> str | None:
    """When the test over items and training sets rejects too often."""
    if folds > HALVES:
        return MANY_FOLDS
    return FEW if repeats < FEW_REPEATS else None


def retrained_spread(
    items: Spread, between: tuple[float, float, float], ratio: float, repeats: int, folds: int
) -> Spread:
    """The spread of a difference over test items and training sets.

    ``between``: the variance of the difference of models, each without the items of a fold; that
    of the mean of a fold by single items, from which it was separated; and the covariance of what
    items add as test items and as training items.
    ``ratio``: test items over training items.

    What training sets add is estimated by the mean, over repetitions, of products of two variables:
    the score of a fold by its model, and the same less twice what its items explain. If it is
    negative, it is taken as 0. Its uncertainty, that of products of normal variables, counts in the
    degrees of freedom (Satterthwaite 1946), but not by more than the estimate itself. A negative
    covariance, which would seem to make it certain, is taken as 0 there.
    """
    models, noise, shared = between
    square, seen = items.error**2, max(models + noise, 0.0) / ratio
    training = max(models / ratio + 2 * shared, 0.0)
    variance = square + training
    if not 0 < variance < inf:
        return items
    both = max(shared, 0.0)
    product = seen * (seen + 4 * (both + square)) + (seen + 2 * both) ** 2
    uncertain = sqrt(product / ((repeats - 1) * (folds - 1)))
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
    corrected = corrected_spread(differences, ratio)
    difference = float(differences.mean())
    level, (low, high) = level_of(definition), definition.bounds
    lower = definition.declaration.better == "lower"
    items = crossed.spread(a, b)

    def tested(
        spread: Spread, word: str, caution: str | None, training: float | None = None
    ) -> FoldTest:
        return FoldTest(
            spread.error,
            t_interval(difference, spread, level, high - low, word),
            t_p(difference, spread),
            caution,
            training,
        )

    retrained = None
    if crossed.between is not None and repeats >= LEAST_REPEATS:
        models, noise, shared = (
            float(np.mean(x[left, left] + x[right, right] - 2 * x[left, right]))
            for x in crossed.between
        )
        both = retrained_spread(items, (models, noise, shared), ratio, repeats, folds)
        training = 1 - items.error**2 / both.error**2 if both.error > 0 else None
        caution = retrained_caution(folds, repeats)
        retrained = tested(both, "items and training sets", caution, training)
    return FoldPair(
        a=a,
        b=b,
        data_set=crossed.name,
        difference=difference,
        folds=folds,
        repeats=repeats,
        corrected=tested(corrected, "corrected t", corrected_caution(folds, repeats)),
        retrained=retrained,
        models=tested(items, "items", SINGLE),
        posterior=correlated_t(difference, corrected, rope, lower),
    )
