"""Bands of curves: where the curve of the population lies, at one point or everywhere at once.

Everything that a threshold decides is a function of three numbers: the true positive rate, the
false positive rate and the fraction of positives. They are drawn from their posterior: a Dirichlet
distribution over the items of each class in the order of their scores, with an extra half item at
either end, so that each rate has Jeffreys' beta distribution at every threshold (the Bayesian
bootstrap of Gu, Ghosal and Roy 2008). Weighted items count as their effective number of equal
ones (Kish 1965). A pointwise band contains the middle of the drawn curves at each point; a
simultaneous one is wide enough at every point to contain enough of the drawn curves from end to
end. ``benchmarks/bands.py`` simulates how often they contain the true curve.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from whichf1.errors import DefinitionError, InputError, is_number
from whichf1.statistics.sample import generator
from whichf1.tables.cells import Array
from whichf1.tables.ranking import Ranking
from whichf1.tables.records import dataclass

DRAWS = 2000
GROUPS = 1000
"""Scores are grouped into about this many per class before they are drawn."""

Shape: TypeAlias = Literal[
    "roc", "pr", "pr-gain", "det", "gain", "lift", "decision", "risk-coverage"
]


@dataclass(frozen=True, eq=False)
class Band:
    """Limits of a curve.

    >>> import whichf1 as wf
    >>> band = wf.roc_curve([0, 0, 1, 1], [0.1, 0.6, 0.5, 0.9]).band(level=0.9)
    >>> band.level, bool((band.low <= band.high).all())
    (0.9, True)
    """

    x: Array
    low: Array
    high: Array
    level: float
    simultaneous: bool
    """Whether the level applies to the whole curve at once, or to each of its points."""


class ThresholdRates(NamedTuple):
    """The rates at every threshold, from no positives to all; they may have leading axes."""

    threshold: Array
    tpr: Array
    fpr: Array
    prevalence: Array
    """The fraction of positives (…, 1)."""

    def each(self) -> Iterable[ThresholdRates]:
        """The rates of each draw."""
        parts = zip(self.tpr, self.fpr, self.prevalence, strict=True)
        return (ThresholdRates(self.threshold, *part) for part in parts)


def band(
    ranking: Ranking, shape: Shape, x: Array, level: float, simultaneous: bool, seed: int = 0
) -> Band:
    """The band of a curve of this shape at these points."""
    drawn = draw_rates(ranking, seed)
    values = np.stack([AT[shape](x, rates) for rates in drawn.each()])
    return enclosing(x, values, level, simultaneous)


def enclosing(x: Array, values: Array, level: float, simultaneous: bool) -> Band:
    """The band that contains this fraction of the drawn curves (draws, points)."""
    if not is_number(level) or not 0 < level < 1:
        raise DefinitionError(f"level must be between 0 and 1, for example 0.95; got {level!r}")
    ordered = np.sort(values, 0)
    tail = len(values) * (1 - level) / 2
    if simultaneous:
        tail = float(np.quantile(_depth(values, ordered), 1 - level))
    cut = max(1, int(tail))
    return Band(x, ordered[cut - 1], ordered[-cut], level, simultaneous)


def _depth(values: Array, ordered: Array) -> Array:
    """How far each draw is from the edge of all draws, at the point where it is nearest to it."""
    depth = np.full(len(values), len(values))
    for column, sorted_column in zip(values.T, ordered.T, strict=True):
        below = np.searchsorted(sorted_column, column, side="right")
        above = len(values) - np.searchsorted(sorted_column, column, side="left")
        depth = np.minimum(depth, np.minimum(below, above))
    return depth


def rates_of(ranking: Ranking) -> ThresholdRates:
    """The rates of the items themselves."""
    p, n = ranking.table.sizes
    return ThresholdRates(
        np.concatenate([[np.inf], ranking.score]),
        np.concatenate([[0.0], ranking.table.true_positives / p]),
        np.concatenate([[0.0], ranking.table.false_positives / n]),
        np.array([p / (p + n)]),
    )


# the shapes: y at x, from the rates


def _tpr_at(fpr: Array, rates: ThresholdRates) -> Array:
    return np.interp(fpr, rates.fpr, rates.tpr)


def _fpr_at(tpr: Array, rates: ThresholdRates) -> Array:
    return np.interp(tpr, rates.tpr, rates.fpr)


def _precision(tpr: Array, fpr: Array, prevalence: Array | float) -> Array:
    hits, alarms = prevalence * tpr, (1 - prevalence) * fpr
    total = hits + alarms
    share: Array = np.divide(hits, total, out=np.ones_like(total), where=total > 0)
    return share


def _recall_of_gain(gain: Array, prevalence: Array | float) -> Array:
    """The recall whose gain is 1 − π/(1−π) · (1−R)/R (Flach and Kull 2015)."""
    recall: Array = prevalence / (prevalence + (1 - gain) * (1 - prevalence))
    return recall


def _pr_gain(x: Array, rates: ThresholdRates) -> Array:
    recall = _recall_of_gain(x, rates.prevalence)
    return 1 - _fpr_at(recall, rates) / recall


def _gain(x: Array, rates: ThresholdRates) -> Array:
    taken = rates.prevalence * rates.tpr + (1 - rates.prevalence) * rates.fpr
    return np.interp(x, taken, rates.tpr)


def _benefit(x: Array, tpr: Array, fpr: Array, prevalence: Array | float) -> Array:
    """True positives minus false positives at the odds of the threshold, per item."""
    benefit: Array = prevalence * tpr - (1 - prevalence) * fpr * x / (1 - x)
    return benefit


def at_or_above(x: Array, threshold: Array) -> Array:
    """The index of the lowest threshold, in descending order, that is at least each x."""
    return np.searchsorted(-threshold, -x, side="right") - 1


def _decision(x: Array, rates: ThresholdRates) -> Array:
    at = at_or_above(x, rates.threshold)
    return _benefit(x, rates.tpr[at], rates.fpr[at], rates.prevalence)


def _risk(coverage: Array, rates: ThresholdRates) -> Array:
    """The fraction of errors among the first items, if positives are correct predictions."""
    wrong = (1 - rates.prevalence) * rates.fpr
    taken = rates.prevalence * rates.tpr + wrong
    risk: Array = np.interp(coverage, taken, wrong) / coverage
    return risk


AT: dict[str, Callable[[Array, ThresholdRates], Array]] = {
    "roc": _tpr_at,
    "det": lambda x, rates: 1 - _tpr_at(x, rates),
    "pr": lambda x, rates: _precision(x, _fpr_at(x, rates), rates.prevalence),
    "pr-gain": _pr_gain,
    "gain": _gain,
    "lift": lambda x, rates: _gain(x, rates) / x,
    "decision": _decision,
    "risk-coverage": _risk,
}
"""The height of each curve at x."""


# draws


def grouped(ranking: Ranking) -> Ranking:
    """The ranking with neighbouring scores grouped, if there are very many."""
    if len(ranking.score) <= 2 * GROUPS:
        return ranking
    p, n = ranking.table.sizes
    parts = np.ceil(GROUPS * ranking.table.true_positives / p) + np.ceil(
        GROUPS * ranking.table.false_positives / n
    )
    last = np.flatnonzero(np.diff(parts, append=np.inf))  # the last score of each group
    positives, negatives = (
        np.diff(np.concatenate([[0], total[last]]))
        for total in (ranking.table.true_positives, ranking.table.false_positives)
    )
    return Ranking(ranking.score[last], positives, negatives, ranking.labels, ranking.positive)


def draw_rates(ranking: Ranking, seed: int, draws: int = DRAWS) -> ThresholdRates:
    """ThresholdRates drawn from their posterior (draws, thresholds).

    Weighted items count as their effective number of equal ones.
    """
    rng, weight, ranking = generator(seed), _typical_weight(ranking), grouped(ranking)
    p, n = (float(size) / weight for size in ranking.table.sizes)
    sides = (ranking.positives / weight, ranking.negatives / weight)
    tpr, fpr = (_drawn(side, draws, rng) for side in sides)
    prevalence = rng.beta(p + 0.5, n + 0.5, (draws, 1))
    threshold = np.concatenate([[np.inf], ranking.score, [-np.inf]])
    return ThresholdRates(threshold, tpr, fpr, prevalence)


def has_band(ranking: Ranking) -> bool:
    """Whether the effective number of items is known."""
    return bool(np.isfinite(ranking.effective_n))


def _typical_weight(ranking: Ranking) -> float:
    """Σw² / Σw: ``effective_n`` items of this weight have the same sums (Kish 1965)."""
    if not ranking.weighted:
        return 1.0
    if not has_band(ranking):
        raise InputError(
            "a band of weighted items needs the sum of their squared weights, which this ranking "
            "does not have. Create it with whichf1.rank(…, weights=), or draw no band."
        )
    return float(ranking.n) / ranking.effective_n


def _drawn(counts: Array, draws: int, rng: np.random.Generator) -> Array:
    """Cumulative fractions of a Dirichlet distribution, with half an item at either end."""
    parts = np.concatenate([[0.5], counts, [0.5]])
    mass = np.zeros((draws, len(parts)))
    here = parts > 0
    mass[:, here] = rng.standard_gamma(parts[here], (draws, int(here.sum())))
    total = np.cumsum(mass, 1)
    return np.asarray(total / total[:, -1:])
