"""Curves of a ranking: ROC, precision–recall, DET, gain, lift, cost, risk, calibration, any score.

The best threshold is exact: one sort, then every distinct score is tried.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from functools import cached_property, lru_cache, partial
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from whichf1 import kernel
from whichf1.definitions.definition import Definition, define
from whichf1.definitions.methods import SEED, Auto, whole
from whichf1.definitions.words import title
from whichf1.errors import DefinitionError, InputError, is_among, is_number, numbered
from whichf1.metrics.calibration import Binning, bin_edges, bin_of, equal_width
from whichf1.metrics.ranking import gain
from whichf1.scoring.decisions import at_threshold
from whichf1.scoring.evaluate import evaluate, refuse_other_data
from whichf1.scoring.functions import with_options
from whichf1.scoring.lines import check_ranking, rank_predictions, score_ranking
from whichf1.scoring.score import Score
from whichf1.sources.arrays import scored_arrays
from whichf1.sources.counts import COLUMN_OPTIONS, DATA_OPTIONS, as_counts, rank
from whichf1.sources.lines import numbers, positive_class
from whichf1.sources.request import has_columns, refuse_holder
from whichf1.statistics.bands import AT as SHAPES
from whichf1.statistics.bands import (
    Band,
    Shape,
    draw_rates,
    enclosing,
    rates_of,
)
from whichf1.statistics.bands import band as curve_band
from whichf1.statistics.intervals import hit_limits
from whichf1.statistics.sample import generator
from whichf1.statistics.scales import Interval
from whichf1.tables.cells import Array, RankTable, Table
from whichf1.tables.display import Drawable
from whichf1.tables.ranking import Ranking
from whichf1.tables.records import dataclass

_CHUNK = 1 << 17
"""Thresholds tried at a time."""
_REPLICATES = 200
_FOLDS, _REPEATS = 10, 10
_PLACES = np.concatenate([[0.0, 0.001, 0.002, 0.005], np.linspace(0.01, 0.99, 99), [0.995, 1.0]])
"""The points at which a band has limits."""
_FROM_THE_TOP = ("lift", "risk-coverage")
"""Curves of the top items, which have no limits where there are few of these."""
_MOST_IN_BAND = 200
"""Thresholds at which the band of a score has limits."""


def refuse_odd_draws(level: Any, simultaneous: Any, seed: Any) -> None:
    """Raise if the options of a band are malformed."""
    whole("seed", seed, 0)
    if not isinstance(simultaneous, (bool, np.bool_)):
        raise DefinitionError(f"simultaneous is True or False; got {simultaneous!r}")
    if not is_number(level) or not 0 < level < 1:
        raise DefinitionError(f"level must be between 0 and 1, for example 0.95; got {level!r}")


@dataclass(frozen=True, eq=False)
class Curve(Drawable):
    """A curve as points in order, ready for ``plot(curve.x, curve.y)``.

    >>> import whichf1 as wf
    >>> curve = wf.roc_curve([0, 1, 1], [0.1, 0.4, 0.9])
    >>> curve.x_label, curve.score.value
    ('false positive rate', 1.0)
    """

    x: Array
    y: Array
    threshold: Array
    """The lowest score predicted as positive at each point; infinite if none is."""
    x_label: str
    y_label: str
    definition: Definition
    """The definition of the score that summarizes the curve, before it is settled by the data."""
    ranking: Ranking
    """The items of the curve."""
    shape: ClassVar[Shape]

    @cached_property
    def score(self) -> Score:
        """The score that summarizes the curve, with its signature."""
        return score_ranking(self.definition, self.ranking)

    def band(self, level: float = 0.95, *, simultaneous: bool = False, seed: int = 0) -> Band:
        """A confidence band for the curve of the population.

        level: The confidence level, of each point or of the whole curve.
        simultaneous: Whether the band should cover the whole curve at once.
        seed: The seed of the random draws.
        Returns: The limits of the curve's height at a number of points.
        InputError: If items have weights whose squares are unknown.
        DefinitionError: If the level is not between 0 and 1.

        >>> import whichf1 as wf
        >>> band = wf.roc_curve([0, 0, 1, 1], [0.1, 0.6, 0.5, 0.9]).band(simultaneous=True)
        >>> band.low.shape == band.high.shape == band.x.shape
        True
        """
        refuse_odd_draws(level, simultaneous, seed)
        places = _PLACES[_PLACES >= 0.02] if self.shape in _FROM_THE_TOP else _PLACES
        return curve_band(self.ranking, self.shape, places, level, simultaneous, seed)

    def __len__(self) -> int:
        return len(self.x)

    def __repr__(self) -> str:
        return f"<{self.y_label} by {self.x_label}: {numbered(len(self), 'point')}, {self.score}>"


class RocCurve(Curve):
    """True positive rate by false positive rate."""

    shape: ClassVar[Shape] = "roc"

    @property
    def fpr(self) -> Array:
        """The false positive rates."""
        return self.x

    @property
    def tpr(self) -> Array:
        """The true positive rates."""
        return self.y


class PrCurve(Curve):
    """Precision by recall."""

    shape: ClassVar[Shape] = "pr"

    @property
    def recall(self) -> Array:
        """The recalls."""
        return self.x

    @property
    def precision(self) -> Array:
        """The precisions."""
        return self.y


class DetCurve(Curve):
    """False negative rate by false positive rate."""

    shape: ClassVar[Shape] = "det"

    @property
    def fpr(self) -> Array:
        """The false positive rates."""
        return self.x

    @property
    def fnr(self) -> Array:
        """The false negative rates."""
        return self.y


class PrGainCurve(Curve):
    """Precision gain by recall gain."""

    shape: ClassVar[Shape] = "pr-gain"


class GainCurve(Curve):
    """Fraction of positives found by fraction of items."""

    shape: ClassVar[Shape] = "gain"


class LiftCurve(Curve):
    """Lift by fraction of items."""

    shape: ClassVar[Shape] = "lift"


def _ranking(y_true: Any, scores: Any, options: dict[str, Any]) -> Ranking:
    if isinstance(y_true, Ranking):
        if scores is not None or options:
            raise InputError("a Ranking already holds scores and options: pass it alone")
        return y_true
    if scores is None and not has_columns(y_true):
        refuse_holder(y_true)
        raise InputError("a curve needs scores: pass y_true and scores, or a Ranking")
    return rank(y_true, scores, **options)


def _points(ranking: Ranking, kind: str, what: str) -> tuple[Array, Array, Array]:
    """x, y and threshold of a curve, from no positives to all positives."""
    ranking.needs_both(what)
    x, y, threshold = kernel.curve(ranking.score, ranking.positives, ranking.negatives, kind)
    return x, y, threshold


@lru_cache(maxsize=64, typed=True)
def _summary(name: str, **parameters: Any) -> Definition:
    """The score that summarizes a curve."""
    return define(name, parameters)


def _below(counts: Array) -> Array:
    """Items below each threshold, from all of them to none."""
    below = np.zeros(len(counts) + 1, np.float64 if counts.dtype.kind == "f" else np.int64)
    np.add.accumulate(counts[::-1], out=below[-2::-1])
    return below


def roc_curve(y_true: Any, scores: Any = None, **options: Any) -> RocCurve:
    """True positive rate by false positive rate, with a point for each distinct score.

    y_true (array, Ranking, dataframe or path): The true class of each item, or all the data.
    Returns: The points, their thresholds, and the ROC AUC.
    InputError: If the scores are malformed, or there are no positives or no negatives.

    >>> curve = roc_curve([0, 1, 1], [0.1, 0.4, 0.9])
    >>> curve.fpr.tolist(), curve.tpr.tolist()
    ([0.0, 0.0, 0.0, 1.0], [0.0, 0.5, 1.0, 1.0])
    """
    ranking = _ranking(y_true, scores, options)
    fpr, tpr, threshold = _points(ranking, "roc", "a ROC curve")
    area = _summary("roc_auc")
    return RocCurve(fpr, tpr, threshold, "false positive rate", "true positive rate", area, ranking)


def pr_curve(y_true: Any, scores: Any = None, **options: Any) -> PrCurve:
    """Precision by recall; if nothing is predicted positive, precision is 1.

    y_true (array, Ranking, dataframe or path): The true class of each item, or all the data.
    Returns: The points, their thresholds, and the average precision.
    InputError: If the scores are malformed, or there are no positives.

    >>> curve = pr_curve([0, 1, 1], [0.1, 0.4, 0.9])
    >>> curve.x.tolist(), curve.y.round(2).tolist()
    ([0.0, 0.5, 1.0, 1.0], [1.0, 1.0, 1.0, 0.67])
    """
    ranking = _ranking(y_true, scores, options)
    recall, precision, threshold = _points(ranking, "pr", "a precision–recall curve")
    area = _summary("average_precision")
    return PrCurve(recall, precision, threshold, "recall", "precision", area, ranking)


def det_curve(y_true: Any, scores: Any = None, **options: Any) -> DetCurve:
    """False negative rate by false positive rate: the detection error tradeoff.

    y_true (array, Ranking, dataframe or path): The true class of each item, or all the data.
    Returns: The points, their thresholds, and the ROC AUC.
    InputError: If the scores are malformed, or there are no positives or no negatives.

    >>> curve = det_curve([0, 1, 1], [0.1, 0.4, 0.9])
    >>> curve.x.tolist(), curve.y.tolist()
    ([0.0, 0.0, 0.0, 1.0], [1.0, 0.5, 0.0, 0.0])
    """
    ranking = _ranking(y_true, scores, options)
    fpr, fnr, threshold = _points(ranking, "det", "a DET curve")
    area = _summary("roc_auc")
    if ranking.weighted:  # so that a small rate is not a difference of rounded sums
        missed = _below(ranking.positives)
        fnr = missed / missed[0]
    return DetCurve(
        fpr, fnr, threshold, "false positive rate", "false negative rate", area, ranking
    )


def pr_gain_curve(y_true: Any, scores: Any = None, **options: Any) -> PrGainCurve:
    """Precision gain by recall gain, on which F1 has straight contours (Flach and Kull 2015).

    A gain is 0 where precision or recall equals that of predicting everything as positive, and 1
    where it is 1; points below 0 are left out.

    y_true (array, Ranking, dataframe or path): The true class of each item, or all the data.
    Returns: The points, their thresholds, and the area under the curve.
    InputError: If the scores are malformed, or there are no positives or no negatives.

    >>> pr_gain_curve([0, 1, 1, 0], [0.1, 0.4, 0.9, 0.2]).y.round(2).tolist()
    [1.0, 1.0, 0.5, 0.0]
    """
    ranking = _ranking(y_true, scores, options)
    points = _points(ranking, "roc", "a precision–recall–gain curve")
    fpr, tpr, threshold = (x[1:] for x in points)
    p, n = ranking.table.sizes
    with np.errstate(divide="ignore", invalid="ignore"):
        recall, precision = 1 - p / n * (1 - tpr) / tpr, 1 - fpr / tpr
    here = (tpr > 0) & (recall >= 0) & (precision >= 0)
    area = _summary("pr_gain_auc")
    kept = recall[here], precision[here], threshold[here]
    return PrGainCurve(*kept, "recall gain", "precision gain", area, ranking)


def gain_curve(y_true: Any, scores: Any = None, *, top: float = 0.1, **options: Any) -> GainCurve:
    """Fraction of positives found by fraction of items, highest scores first.

    y_true (array, Ranking, dataframe or path): The true class of each item, or all the data.
    Returns: The points, their thresholds, and the gain at ``top``.
    InputError: If the scores are malformed, or there are no positives.

    >>> gain_curve([0, 1, 1, 0], [0.1, 0.4, 0.9, 0.2]).y.tolist()
    [0.0, 0.5, 1.0, 1.0, 1.0]
    """
    ranking = _ranking(y_true, scores, options)
    threshold, found, share = _gains(ranking)
    score = _at_top("gain", top)
    return GainCurve(share, found, threshold, "fraction of items", gain.title, score, ranking)


def lift_curve(y_true: Any, scores: Any = None, *, top: float = 0.1, **options: Any) -> LiftCurve:
    """Gain divided by the fraction of items: how many times better than a random order.

    y_true (array, Ranking, dataframe or path): The true class of each item, or all the data.
    Returns: The points, their thresholds, and the lift at ``top``.
    InputError: If the scores are malformed, or there are no positives.

    >>> lift_curve([0, 1, 1, 0], [0.1, 0.4, 0.9, 0.2]).y.round(2).tolist()
    [2.0, 2.0, 1.33, 1.0]
    """
    ranking = _ranking(y_true, scores, options)
    threshold, found, share = (x[1:] for x in _gains(ranking))
    score = _at_top("lift", top)
    return LiftCurve(share, found / share, threshold, "fraction of items", "lift", score, ranking)


def _at_top(name: str, top: Any) -> Definition:
    return _summary(name, top=top) if isinstance(top, float) else define(name, {"top": top})


def _gains(ranking: Ranking) -> tuple[Array, Array, Array]:
    fp, tp, threshold = _points(ranking, "counts", "a gain curve")
    taken = tp + fp
    return threshold, tp / tp[-1], taken / taken[-1]


class RiskCoverageCurve(Curve):
    """Error rate by coverage: the fraction of items on which a model does not abstain."""

    shape: ClassVar[Shape] = "risk-coverage"

    @cached_property
    def score(self) -> Score:
        """The area under the curve, with its signature."""
        return score_ranking(self.definition, self.ranking, of_predictions=True)

    @property
    def coverage(self) -> Array:
        """The fractions of items, most confident first."""
        return self.x

    @property
    def risk(self) -> Array:
        """The error rates of these items."""
        return self.y


def risk_coverage_curve(
    y_true: Any, probabilities: Any = None, **options: Any
) -> RiskCoverageCurve:
    """Error rate of the most confident items, by their fraction of all (El-Yaniv and Wiener 2010).

    The confidence of an item is the probability of its predicted class; with two classes, that of
    the more likely one.

    y_true (array, Ranking, dataframe or path): The true class of each item, or all the data.
    probabilities (array): The probability of the positive class for each item, or of each class.
    Returns: The points, their thresholds, and the area under the curve (AURC).
    InputError: If the probabilities are malformed.

    >>> curve = risk_coverage_curve([0, 0, 1, 1], [0.1, 0.6, 0.7, 0.8])
    >>> curve.coverage.tolist(), curve.risk.round(2).tolist()
    ([0.25, 0.5, 0.75, 1.0], [0.0, 0.0, 0.0, 0.25])
    """
    if isinstance(y_true, Ranking):
        _ranking(y_true, probabilities, options)
    elif probabilities is None and not has_columns(y_true):
        raise InputError("a curve needs probabilities: pass y_true and probabilities")
    definition, ranking = rank_predictions(_summary("aurc"), y_true, probabilities, **options)
    table = ranking.table
    taken = table.true_positives + table.false_positives
    points = taken / taken[-1], table.false_positives / taken, ranking.score
    return RiskCoverageCurve(*points, "coverage", "risk", definition, ranking)


class CostCurve(Curve):
    """Lowest normalized expected cost by probability cost."""

    def band(self, level: float = 0.95, *, simultaneous: bool = False, seed: int = 0) -> Band:
        """Refused: the lowest of many costs is biased downwards, and no valid band is known.

        level: The confidence level.
        simultaneous: Whether the band should cover the whole curve at once.
        seed: The seed of the random draws.
        Returns: Nothing.
        DefinitionError: Always.
        """
        raise DefinitionError(
            "a cost curve has no band: the lowest cost over all thresholds is biased downwards, "
            "and no valid band is known"
        )


def cost_curve(y_true: Any, scores: Any = None, **options: Any) -> CostCurve:
    """Expected cost at the best threshold, for all costs and prevalences (Drummond and Holte 2006).

    The probability cost is the fraction of positives times the cost of missing one, divided by
    the cost of getting every item wrong; the expected cost is divided by the same amount.

    y_true (array, Ranking, dataframe or path): The true class of each item, or all the data.
    Returns: The lowest cost and its threshold at 201 probability costs, and the area.
    InputError: If the scores are malformed, or there are no positives or no negatives.

    >>> curve = cost_curve([0, 0, 1, 1], [0.1, 0.6, 0.5, 0.9])
    >>> curve.y[curve.x == 0.5].tolist()
    [0.25]
    """
    ranking = _ranking(y_true, scores, options)
    ranking.needs_both("a cost curve")
    x, rates = np.linspace(0, 1, 201), rates_of(ranking)
    best = [int((at * (1 - rates.tpr) + (1 - at) * rates.fpr).argmin()) for at in x]
    y = x * (1 - rates.tpr[best]) + (1 - x) * rates.fpr[best]
    points, labels = (x, y, rates.threshold[best]), ("probability cost", "normalized expected cost")
    return CostCurve(*points, *labels, _summary("cost_curve_area"), ranking)


@dataclass(frozen=True, eq=False)
class DecisionCurve(Drawable):
    """Net benefit by threshold probability; returned by ``whichf1.decision_curve``.

    >>> import whichf1 as wf
    >>> curve = wf.decision_curve([0, 0, 1, 1], [0.1, 0.6, 0.5, 0.9])
    >>> curve.y[curve.x == 0.5].tolist(), curve.treat_all[curve.x == 0.5].tolist()
    ([0.25], [0.0])
    """

    x: Array
    """The threshold probabilities."""
    y: Array
    """The net benefit: (TP − FP · x / (1 − x)) / n."""
    treat_all: Array
    """The net benefit if every item is called positive; it is 0 if none is."""
    ranking: Ranking
    x_label: str = "threshold probability"
    y_label: str = "net benefit"

    def band(self, level: float = 0.95, *, simultaneous: bool = False, seed: int = 0) -> Band:
        """A confidence band for the curve of the population, as :meth:`Curve.band`.

        level: The confidence level, of each point or of the whole curve.
        simultaneous: Whether the band should cover the whole curve at once.
        seed: The seed of the random draws.
        Returns: Limits of the net benefit at every threshold probability.
        InputError: If items have weights whose squares are unknown.
        DefinitionError: If the level is not between 0 and 1.

        >>> import whichf1 as wf
        >>> wf.decision_curve([0, 0, 1, 1], [0.1, 0.6, 0.5, 0.9]).band(0.9).level
        0.9
        """
        refuse_odd_draws(level, simultaneous, seed)
        return curve_band(self.ranking, "decision", self.x, level, simultaneous, seed)

    def __len__(self) -> int:
        return len(self.x)


@dataclass(frozen=True, eq=False)
class PrevalenceCurve(Drawable):
    """A score by the prevalence of a class; returned by ``whichf1.prevalence_curve``.

    >>> import whichf1 as wf
    >>> curve = wf.prevalence_curve([0, 0, 0, 1, 1], [0, 0, 1, 1, 0], "precision")
    >>> curve.observed, curve.y[curve.x == 0.5].round(2).tolist()
    (0.4, [0.6])
    """

    x: Array
    """The fraction of all items that belong to the class."""
    y: Array
    """The score if the class had this prevalence and all classes were predicted as they are now."""
    intervals: tuple[Interval | None, ...]
    """The interval of the score at each point; None where there is none."""
    observed: float
    """The prevalence of the class in the data."""
    positive: Any
    """The class whose prevalence changes; the others keep their proportions."""
    score: Score
    """The score of the data themselves."""

    @property
    def x_label(self) -> str:
        """The label of the horizontal axis."""
        return f"prevalence of {self.positive!r}"

    @property
    def y_label(self) -> str:
        """The label of the vertical axis."""
        return title(self.score.definition)

    def __len__(self) -> int:
        return len(self.x)

    def __repr__(self) -> str:
        return f"<{self.y_label} by {self.x_label}: {numbered(len(self), 'point')}, {self.score}>"


_PREVALENCES = np.arange(1, 100) / 100


def prevalence_curve(
    y_true: Any,
    y_pred: Any = None,
    metric: str | Callable[..., Score] = "f1",
    *,
    positive: Any = None,
    **options: Any,
) -> PrevalenceCurve:
    """Compute a score at every prevalence of a class, if classes are predicted as they are now.

    y_true, y_pred (Counts, array, dataframe or path): The data, as for ``averaged_f1``.
    metric: Any metric of counts that can be reweighted (``class_shares``). A rate is that of the
        positive class, unless it is averaged.
    positive: The class whose prevalence changes. The other classes keep their proportions.
    **options: Options of the metric and of the data; ``interval`` is 'auto' by default.
    Returns: The score, with its interval, at prevalences from 0.01 to 0.99.
    InputError: If all items, or none, belong to the class.

    >>> curve = prevalence_curve([0, 0, 0, 1, 1], [0, 0, 1, 1, 0], "precision", interval=None)
    >>> curve.y[[0, 49, 98]].round(2).tolist()
    [0.01, 0.6, 0.99]
    """
    data = {key: options.pop(key) for key in DATA_OPTIONS if key in options}
    counts = as_counts(y_true, y_pred, **{k: v for k, v in data.items() if v is not None})
    options = {"interval": "auto", **options}
    label = positive_class(counts.labels, positive)
    definition = with_options(metric, options)
    rate = definition.declaration.kind == "rate"
    if rate and definition.average is None and definition.positive is None:
        definition = replace(definition, positive=label)
    refuse_other_data(definition, counts)
    counts = counts.without(definition.ignore)
    rows = counts.table.rows
    share, code = rows / rows.sum(), counts.labels.code(label)
    observed = float(share[code])
    if not 0 < observed < 1:
        raise InputError(
            f"{'no item belongs' if not observed else 'all items belong'} to class {label!r}: "
            "there is nothing to reweight"
        )
    scores = []
    for place in _PREVALENCES.tolist():
        moved = share * (1 - place) / (1 - observed)
        moved[code] = place
        pairs = zip(counts.labels, (moved / moved.sum()).tolist(), strict=True)
        scores.append(evaluate(replace(definition, class_shares=tuple(pairs), data=()), counts))
    values = np.array([each.value for each in scores])
    intervals = tuple(each.interval for each in scores)
    whole = evaluate(definition, counts)
    return PrevalenceCurve(_PREVALENCES, values, intervals, observed, label, whole)


def decision_curve(
    y_true: Any, probabilities: Any = None, *, highest: float = 0.99, **options: Any
) -> DecisionCurve:
    """Net benefit of decisions by probability, at every threshold (Vickers and Elkin 2006).

    y_true (array, Ranking, dataframe or path): The true class of each item, or all the data.
    probabilities (array): The probability of the positive class for each item.
    highest: The highest threshold probability.
    Returns: The net benefit at 200 thresholds, and that of calling every item positive.
    InputError: If the probabilities are not between 0 and 1, or there are no positives or no
        negatives.

    >>> decision_curve([0, 0, 1, 1], [0.1, 0.6, 0.5, 0.9]).y[0]
    np.float64(0.5)
    """
    if not is_number(highest) or not 0 < highest < 1:
        raise InputError(f"highest must be between 0 and 1; got {highest!r}")
    ranking = _ranking(y_true, probabilities, options)
    ranking.needs_both("a decision curve")
    _refuse_scores(ranking, "a decision curve")
    x = np.unique(np.append(np.linspace(0, highest, 199), 0.5 if highest > 0.5 else highest))
    rates = rates_of(ranking)
    all_positive = rates.prevalence - (1 - rates.prevalence) * x / (1 - x)
    return DecisionCurve(x, SHAPES["decision"](x, rates), all_positive, ranking)


def _refuse_scores(ranking: Ranking, what: str) -> None:
    if not ranking.probabilities:
        low, high = float(ranking.score[-1]), float(ranking.score[0])
        raise InputError(
            f"{what} needs probabilities between 0 and 1; the scores range from {low:g} to {high:g}"
        )


@dataclass(frozen=True, eq=False)
class CalibrationCurve(Drawable):
    """Observed by predicted fraction of positives, one point per non-empty bin."""

    x: Array
    """The mean probability in each bin."""
    y: Array
    """The fraction of positives in each bin."""
    count: Array
    """Number of items in each bin, or the sum of their weights."""
    edges: Array
    """All bin edges, from 0 to 1; an item on an edge belongs to the lower bin."""
    definition: Definition
    """The expected calibration error with the same bins."""
    _rank: Callable[[], Ranking] = field(repr=False)
    x_label: str = "mean predicted probability"
    y_label: str = "observed fraction of positives"

    @cached_property
    def ranking(self) -> Ranking:
        """The items of the curve, which are ranked when this is first asked for."""
        return self._rank()

    @cached_property
    def score(self) -> Score:
        """The expected calibration error with the same bins."""
        return score_ranking(self.definition, self.ranking)

    def consistency(self, level: float = 0.95) -> tuple[Array, Array]:
        """Limits of the observed fraction in each bin if the probabilities were right.

        They are quantiles of the number of positives in the bin if each item is positive with its
        predicted probability (Bröcker and Smith 2007).

        level: The probability inside the limits.
        Returns: The lower and the upper limits.
        InputError: If items have weights whose squares are unknown.
        DefinitionError: If the level is not between 0 and 1.

        >>> low, high = calibration_curve([0, 0, 1, 1], [0.1, 0.1, 0.1, 0.9], bins=2).consistency()
        >>> low.tolist(), high.round(2).tolist()
        ([0.0, 0.0], [0.67, 1.0])
        """
        refuse_odd_draws(level, False, 0)
        if self.ranking.weighted:
            raise InputError("consistency bars need items without weights: omit weights=")
        at = bin_of(self.ranking.score, self.edges[1:-1])
        items = (self.ranking.positives + self.ranking.negatives).astype(np.int64)
        limits = [
            hit_limits(self.ranking.score[at == each], items[at == each], level)
            for each in np.unique(at)
        ]
        low, high = np.array(limits).T
        return low, high

    def __len__(self) -> int:
        return len(self.x)


def calibration_curve(
    y_true: Any,
    probabilities: Any = None,
    *,
    bins: int = 10,
    binning: Binning = "equal-width",
    **options: Any,
) -> CalibrationCurve:
    """Observed frequency of positives by predicted probability, in bins.

    y_true (array, Ranking, dataframe or path): The true class of each item, or all the data.
    probabilities (array): The probability of the positive class for each item.
    binning: Bins of equal width, or bins with equally many items.
    Returns: A point for each bin that is not empty, and the expected calibration error.
    InputError: If the probabilities are not between 0 and 1.

    >>> calibration_curve([0, 0, 1, 1], [0.1, 0.1, 0.1, 0.9], bins=2).y.round(3).tolist()
    [0.333, 1.0]
    """
    plain = type(bins) is int and type(binning) is str
    make = _summary if plain else lambda name, **each: define(name, each)
    definition = make("expected_calibration_error", bins=bins, binning=binning)
    if plain and binning == "equal-width" and not options and type(y_true) is np.ndarray:
        inner = equal_width(bins)
        binned = _binned(y_true, probabilities, inner)
        if binned is not None:
            again = partial(_ranked_again, y_true, probabilities, inner, binned)
            return _calibration(binned, inner, definition, again)
    one = type(probabilities) is np.ndarray and probabilities.ndim == 1
    if not one and not isinstance(y_true, Ranking) and not has_columns(y_true):
        values = numbers(probabilities, "probabilities")
        if values.ndim == 2 and values.shape[1] > 2 and "positive" not in options:
            raise InputError("a calibration curve is for one class: pass positive=CLASS")
    ranking = _ranking(y_true, probabilities, options)
    check_ranking(definition, ranking)
    table = ranking.table
    inner = bin_edges(table, bins, binning)
    at = bin_of(ranking.score, inner)
    items = table.positives + table.negatives
    sums = (np.bincount(at, x, bins) for x in (items, table.positives, items * ranking.score))
    return _calibration(np.stack([*sums]), inner, definition, lambda: ranking)


def _binned(y_true: Array, probabilities: Any, edges: Array) -> Array | None:
    """Items, positives and the sum of probabilities in each bin; None unless arrays are plain."""
    if scored_arrays(y_true, probabilities) is None:
        return None
    return kernel.bin_sums(probabilities, y_true, edges)


def _ranked_again(y_true: Array, probabilities: Array, edges: Array, sums: Array) -> Ranking:
    """The ranking of arrays that were binned before, and must not have changed since."""
    now = _binned(y_true, probabilities, edges)
    if now is None or now.tobytes() != sums.tobytes():
        raise InputError(
            "the arrays of this calibration curve have changed since it was computed, so its items "
            "cannot be ranked. Compute the curve again, or from a copy of the arrays."
        )
    return rank(y_true, probabilities)


def _calibration(
    sums: Array, inner: Array, definition: Definition, ranked: Callable[[], Ranking]
) -> CalibrationCurve:
    edges = np.zeros(len(inner) + 2)
    edges[1:-1], edges[-1] = inner, 1.0
    count, hits, mass = sums
    if np.count_nonzero(count) < len(count):
        count, hits, mass = sums[:, count > 0]
    return CalibrationCurve(mass / count, hits / count, count, edges, definition, ranked)


@dataclass(frozen=True, eq=False)
class ThresholdCurve(Drawable):
    """A score at every threshold, from the highest (no positives) to the lowest (all positive)."""

    threshold: Array
    """The first is infinite: no item is positive there."""
    value: Array
    """NaN if the score is undefined."""
    definition: Definition
    """The definition of the score."""
    ranking: Ranking

    @property
    def x(self) -> Array:
        """The thresholds, for a plot."""
        return self.threshold

    @property
    def y(self) -> Array:
        """The values, for a plot."""
        return self.value

    def band(self, level: float = 0.95, *, simultaneous: bool = False, seed: int = 0) -> Band:
        """A band for the scores of the population, as :meth:`Curve.band`; x are thresholds.

        level: The confidence level, of each point or of the whole curve.
        simultaneous: Whether the band should cover the whole curve at once.
        seed: The seed of the random draws.
        Returns: Limits of the score at some of the thresholds, the highest first.
        InputError: If items have weights whose squares are unknown.
        DefinitionError: If the level is not between 0 and 1.

        >>> import whichf1 as wf
        >>> wf.threshold_curve([0, 0, 1, 1], [0.1, 0.6, 0.5, 0.9]).band(0.9).x.tolist()
        [0.9, 0.6, 0.5, 0.1]
        """
        refuse_odd_draws(level, simultaneous, seed)
        drawn = draw_rates(self.ranking, seed)
        last = len(drawn.threshold) - 2  # the ends are not scores
        at = np.unique(np.linspace(1, last, min(last, _MOST_IN_BAND)).astype(np.int64))
        n = float(self.ranking.n)
        positive, negative = drawn.prevalence * n, (1 - drawn.prevalence) * n
        tpr, fpr = drawn.tpr[:, at], drawn.fpr[:, at]
        cells = (positive * tpr, positive * (1 - tpr), negative * fpr, negative * (1 - fpr))
        thresholds = _Thresholds(self.definition, self.ranking)
        values = thresholds.of_cells(*(each.ravel() for each in cells)).reshape(tpr.shape)
        return enclosing(drawn.threshold[at], values, level, simultaneous)

    def __len__(self) -> int:
        return len(self.value)


@dataclass(frozen=True, eq=False)
class BestThreshold(Drawable):
    """The threshold at which a score is best; returned by ``whichf1.best_threshold``.

    >>> import whichf1 as wf
    >>> best = wf.best_threshold([0, 0, 1, 1], [0.1, 0.6, 0.5, 0.9], "accuracy")
    >>> best.threshold, best.value
    (0.9, 0.75)
    """

    threshold: float
    """Scores of at least this are positive; among equally good thresholds, the highest."""
    score: Score
    """The score at this threshold; its signature includes the decision."""
    curve: ThresholdCurve
    """The score at every threshold."""
    at: int
    """The index of the threshold in the curve."""
    optimism: float | None = None
    """The value minus the one expected on new items, because the threshold was chosen on these;
    None if it was not estimated."""
    interval: Interval | None = None
    """An interval for the corrected value."""

    @property
    def value(self) -> float:
        """The best value."""
        return self.score.value

    @property
    def corrected(self) -> float | None:
        """The value expected on new items with this threshold."""
        return None if self.optimism is None else self.value - self.optimism

    @property
    def note(self) -> str:
        """A note on the optimism of the value."""
        better = self.score.definition.declaration.better
        if self.optimism is None:
            off = "low" if better == "lower" else "high"
            return (
                f"The threshold was chosen on the same items, so the value is too {off} for "
                "new items; correct='bootstrap' (--correct bootstrap) estimates by how much."
            )
        return "Corrected for choosing the threshold on the same items."

    @property
    def calibrated(self) -> float | None:
        """The best threshold for F1 if the scores are calibrated; None for other metrics.

        With calibrated probabilities, F1 is highest if exactly the items with p ≥ F*/2 are
        positive, where F* is the best F1 (Lipton, Elkan and Narayanaswamy 2014).
        """
        one = self.score.definition.positive == self.curve.ranking.positive
        wanted = self.score.definition.metric == "f1" and one and self.curve.ranking.probabilities
        return self.value / 2 if wanted else None

    def __repr__(self) -> str:
        return f"<BestThreshold {self.threshold!r}: {self.score}>"


def threshold_curve(
    y_true: Any,
    scores: Any = None,
    metric: str | Callable[..., Score] = "f1",
    *,
    positive: Any = None,
    labels: Any = None,
    weights: Any = None,
    frequencies: Any = None,
    **options: Any,
) -> ThresholdCurve:
    """Compute a score of the predictions at every threshold.

    y_true (array, Ranking, dataframe or path): The true class of each item, or all the data.
    **options: The options of the metric, and the columns ``true`` and ``score`` of a dataframe or
        file.
    Returns: The thresholds and the score at each of them.
    DefinitionError: If the metric is unknown or not computed from counts.

    >>> threshold_curve([0, 0, 1, 1], [0.1, 0.6, 0.5, 0.9], "f1").y.round(2).tolist()
    [0.0, 0.67, 0.5, 0.8, 0.67]
    """
    if isinstance(y_true, Ranking):
        if scores is not None:
            raise InputError("a Ranking already holds its scores: pass the metric as metric=")
        ranking = y_true
    else:
        named = {key: options.pop(key) for key in COLUMN_OPTIONS if key in options}
        data = {"positive": positive, "labels": labels, "weights": weights}
        ranking = rank(y_true, scores, **data, frequencies=frequencies, **named)
    ranking.needs_both("a threshold")
    definition = with_options(metric, options)
    rate = definition.declaration.kind == "rate"
    if rate and definition.average is None and definition.positive is None:
        definition = replace(definition, positive=ranking.positive)
    threshold = np.concatenate([[np.inf], ranking.score])
    values = _Thresholds(definition, ranking).values(ranking.table)
    return ThresholdCurve(threshold, values, definition.over_observed, ranking)


class _Thresholds:
    """The score at every threshold of a ranking, for its own items or others with its scores."""

    def __init__(self, definition: Definition, ranking: Ranking) -> None:
        all_positive = at_threshold(ranking, threshold=-np.inf)
        refuse_other_data(definition, all_positive)
        if definition.ignore:
            raise DefinitionError("ignore= does not apply to thresholds: drop those items first")
        self._definition, self._frozen = definition, definition.freeze(all_positive)
        positive = all_positive.labels.code(ranking.positive)
        if definition.positive is not None:
            one = np.array([all_positive.labels.code(definition.positive)])
            self._frozen = self._frozen._replace(classes=one)
        self._codes = np.array([positive, 1 - positive])

    def values(self, table: RankTable) -> Array:
        """The score at every threshold, from no positives to all positives."""
        tp, fp = (
            np.concatenate([[0], x])  # no item is positive at first
            for x in (table.true_positives, table.false_positives)
        )
        return self.of_cells(tp, _below(table.positives), fp, _below(table.negatives))

    def of_cells(self, *cells: Array) -> Array:
        """The score of each table of TP, FN, FP and TN."""
        codes, parts = self._codes, []
        for start in range(0, len(cells[0]), _CHUNK):  # a table of two classes for each threshold
            at = slice(start, start + _CHUNK)
            count = np.stack([each[at] for each in cells], -1).astype(np.float64)
            tables = Table(codes.repeat(2), np.tile(codes, 2), count, 2)
            parts.append(self._definition.values(self._frozen, tables).reshape(len(count)))
        return np.concatenate(parts)


def best_threshold(
    y_true: Any,
    scores: Any = None,
    metric: str | Callable[..., Score] = "f1",
    *,
    correct: Correction | None = None,
    seed: int = SEED,
    **options: Any,
) -> BestThreshold:
    """Find the threshold at which a score of the predictions is best.

    y_true (array, Ranking, dataframe or path): The true class of each item, or all the data.
    correct: Also estimate how optimistic the value is, because the threshold was chosen on the
        same items: by the bootstrap (Efron 1983), or by cross-validation with ten folds.
    seed: The seed of resampled items or of folds.
    **options: ``positive``, ``labels``, ``weights`` and ``frequencies`` as for :func:`rank`, the
        options of the metric, and the columns ``true`` and ``score`` of a dataframe or file.
    Returns: The threshold, the score there, and the whole curve.
    DefinitionError: If the metric is unknown or not computed from counts.

    >>> best = best_threshold([0, 0, 1, 1], [0.1, 0.6, 0.5, 0.9], "f1")
    >>> best.threshold, best.value
    (0.5, 0.8)
    """
    curve = threshold_curve(y_true, scores, metric, **options)
    at = _best(curve.definition, curve.value)
    threshold = float(curve.threshold[at])
    score = evaluate(curve.definition, at_threshold(curve.ranking, threshold=threshold))
    best = BestThreshold(threshold, score, curve, at)
    return best if correct is None else _corrected(best, correct, seed)


def _best(definition: Definition, values: Array) -> int:
    """The index of the best value, and the first of several."""
    better = definition.declaration.better
    if better == "neither":
        raise DefinitionError(
            f"{definition.metric} has no best value: neither higher nor lower is better"
        )
    if np.isnan(values).all():
        raise DefinitionError(f"{definition.signature} is undefined at every threshold")
    return int(np.nanargmax(values if better == "higher" else -values))


def _corrected(best: BestThreshold, correct: Correction, seed: int) -> BestThreshold:
    """The threshold with the optimism of its value, and the interval shifted by it."""
    whole("seed", seed, 0)
    if not is_among(correct, OPTIMISM):
        raise DefinitionError(
            f"correct must be {' or '.join(map(repr, OPTIMISM))}; got {correct!r}"
        )
    if best.curve.ranking.weighted:
        raise DefinitionError("correct= resamples single items and does not support weights")
    optimism = OPTIMISM[correct](best, generator(seed))
    definition = replace(best.curve.definition, interval=best.curve.definition.interval or Auto())
    counts = at_threshold(best.curve.ranking, threshold=best.threshold)
    interval = evaluate(definition, counts).interval
    if interval is not None:
        low, high = definition.bounds
        ends = max(low, interval.low - optimism), min(high, interval.high - optimism)
        interval = replace(interval, low=ends[0], high=ends[1])
    return replace(best, optimism=optimism, interval=interval)


def _bootstrap_optimism(best: BestThreshold, rng: np.random.Generator) -> float:
    """How much the best value of resampled items exceeds that of all items at its threshold."""
    curve, counts = best.curve, _items_of_scores(best.curve.ranking)
    thresholds, off = _Thresholds(curve.definition, curve.ranking), []
    for _ in range(_REPLICATES):
        drawn = rng.multinomial(counts.sum(), counts / counts.sum())
        values = thresholds.values(_table_of(curve.ranking, drawn))
        if not np.isnan(values).all():
            at = _best(curve.definition, values)
            off.append(values[at] - curve.value[at])
    return float(np.nanmean(off))


def _left_out_optimism(best: BestThreshold, rng: np.random.Generator) -> float:
    """How much better the best value is than one whose thresholds are chosen on other folds."""
    curve, counts = best.curve, _items_of_scores(best.curve.ranking)
    definition, ranking = curve.definition, curve.ranking
    thresholds, values = _Thresholds(definition, ranking), []
    for _ in range(_REPEATS):
        folds = rng.multinomial(counts, np.full(_FOLDS, 1 / _FOLDS)).T
        score, taken = np.concatenate([[np.inf], ranking.score]), np.zeros((2, 2, len(counts) // 2))
        for fold in folds:
            elsewhere = thresholds.values(_table_of(ranking, counts - fold))
            if np.isnan(elsewhere).all():
                continue
            positive = score[1:] >= score[_best(definition, elsewhere)]
            taken += np.stack([fold.reshape(2, -1) * positive, fold.reshape(2, -1) * ~positive])
        # positives above all negatives, then the rest: one step for each decision
        decided = RankTable(np.array([1.0, 0.0]), *taken.sum(-1).T)
        values.append(thresholds.values(decided)[1])
    return float(best.value - np.nanmean(values))


def _items_of_scores(ranking: Ranking) -> Array:
    """The positives of each score, then the negatives."""
    return np.concatenate([ranking.positives, ranking.negatives]).astype(np.int64)


def _table_of(ranking: Ranking, counts: Array) -> RankTable:
    return RankTable(ranking.score, *counts.reshape(2, -1))


Correction: TypeAlias = Literal["bootstrap", "cross-validation"]
OPTIMISM: dict[str, Callable[[BestThreshold, np.random.Generator], float]] = {
    "bootstrap": _bootstrap_optimism,
    "cross-validation": _left_out_optimism,
}
