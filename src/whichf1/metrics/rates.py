"""Rates: ratios of the true and false positives and negatives of one class."""

from __future__ import annotations

from math import inf
from typing import Annotated

import numpy as np

from whichf1.metrics.registry import Endless, Ratio, Share, rate
from whichf1.tables.cells import OneVsRest, root

_LARGE = 1e6
"""From this beta on, F-beta equals recall to within rounding."""


@rate(
    tex=r"\frac{TP}{TP+FP}",
    aliases=("ppv", "positive_predictive_value"),
    sklearn="precision_score",
)
def precision(c: OneVsRest) -> Ratio:
    """Fraction of items predicted as this class that belong to it."""
    return c.tp, c.tp + c.fp


@rate(
    tex=r"\frac{TP}{TP+FN}",
    aliases=("sensitivity", "tpr", "true_positive_rate", "hit_rate"),
    sklearn="recall_score",
)
def recall(c: OneVsRest) -> Ratio:
    """Fraction of items in this class that are predicted as it."""
    return c.tp, c.tp + c.fn


@rate(
    tex=r"\frac{TN}{TN+FP}",
    aliases=("tnr", "true_negative_rate", "selectivity"),
    sklearn="recall_score",
)
def specificity(c: OneVsRest) -> Ratio:
    """Fraction of items in other classes that are not predicted as this class."""
    return c.tn, c.tn + c.fp


@rate(tex=r"\frac{TN}{TN+FN}", aliases=("npv",), sklearn="precision_score")
def negative_predictive_value(c: OneVsRest) -> Ratio:
    """Fraction of items not predicted as this class that do not belong to it."""
    return c.tn, c.tn + c.fn


@rate(
    tex=r"\frac{(1+\beta^2)\,TP}{(1+\beta^2)\,TP+\beta^2 FN+FP}",
    title="F-beta",
    aliases=("fbeta",),
    sklearn="fbeta_score",
    harmonic=True,
)
def f_beta(
    c: OneVsRest,
    beta: Annotated[Endless, "How many times more important recall is than precision."] = 1,
) -> Ratio:
    """Weighted harmonic mean of precision and recall, with recall beta times as important."""
    missed: float = beta * beta
    false: float = 1
    if beta > _LARGE:  # the same ratio, without a number too large for a float
        missed, false = 1, 0 if beta == inf else 1 / missed
    hits = (missed + false) * c.tp
    return hits, hits + missed * c.fn + false * c.fp


@rate(
    tex=r"\frac{2\,TP}{2\,TP+FP+FN}",
    title="F1",
    aliases=("f_score", "f_measure", "dice"),
    sklearn="f1_score",
    harmonic=True,
)
def f1(c: OneVsRest) -> Ratio:
    """Harmonic mean of precision and recall."""
    hits = c.tp + c.tp  # faster than 2 * c.tp
    return hits, hits + c.fp + c.fn


@rate(
    tex=r"\frac{TP}{TP+FP+FN}",
    title="Jaccard index",
    aliases=("iou", "intersection_over_union", "critical_success_index", "threat_score"),
    sklearn="jaccard_score",
)
def jaccard(c: OneVsRest) -> Ratio:
    """Fraction of items in this class or predicted as it that are both."""
    return c.tp, c.tp + c.fp + c.fn


@rate(
    tex=r"\frac{FP}{FP+TN}",
    aliases=("fpr", "fall_out", "false_alarm_rate", "type_1_error"),
    better="lower",
)
def false_positive_rate(c: OneVsRest) -> Ratio:
    """Fraction of items in other classes that are predicted as this class."""
    return c.fp, c.fp + c.tn


@rate(tex=r"\frac{FN}{FN+TP}", aliases=("fnr", "miss_rate", "type_2_error"), better="lower")
def false_negative_rate(c: OneVsRest) -> Ratio:
    """Fraction of items in this class that are not predicted as it."""
    return c.fn, c.fn + c.tp


@rate(tex=r"\frac{FP}{FP+TP}", aliases=("fdr",), better="lower")
def false_discovery_rate(c: OneVsRest) -> Ratio:
    """Fraction of items predicted as this class that do not belong to it."""
    return c.fp, c.fp + c.tp


@rate(tex=r"\frac{FN}{FN+TN}", aliases=("false_omission", "fomr"), better="lower")
def false_omission_rate(c: OneVsRest) -> Ratio:
    """Fraction of items not predicted as this class that belong to it."""
    return c.fn, c.fn + c.tn


@rate(tex=r"\frac{TP+FN}{TP+FP+FN+TN}", better="neither")
def prevalence(c: OneVsRest) -> Ratio:
    """Fraction of all items that belong to this class."""
    return c.tp + c.fn, c.tp + c.fp + c.fn + c.tn


@rate(
    tex=r"\frac{TP+FP}{TP+FP+FN+TN}",
    aliases=("predicted_prevalence", "detection_prevalence"),
    better="neither",
)
def selection_rate(c: OneVsRest) -> Ratio:
    """Fraction of all items that are predicted as this class."""
    return c.tp + c.fp, c.tp + c.fp + c.fn + c.tn


@rate(
    tex=r"\frac{TP}{TP+FN}+\frac{TN}{TN+FP}-1",
    aliases=("youden_j", "bookmaker_informedness"),
    bounds=(-1, 1),
)
def informedness(c: OneVsRest) -> Ratio:
    """Recall plus specificity minus 1: how far predictions of this class beat guessing."""
    return c.tp * c.tn - c.fp * c.fn, (c.tp + c.fn) * (c.tn + c.fp)


@rate(tex=r"\frac{TP}{TP+FP}+\frac{TN}{TN+FN}-1", aliases=("delta_p",), bounds=(-1, 1))
def markedness(c: OneVsRest) -> Ratio:
    """Precision plus negative predictive value minus 1: how far predictions can be trusted."""
    return c.tp * c.tn - c.fp * c.fn, (c.tp + c.fp) * (c.tn + c.fn)


@rate(
    tex=r"\frac{TP/(TP+FN)}{FP/(FP+TN)}",
    aliases=("lr_plus", "plr"),
    bounds=(0, inf),
    sklearn="class_likelihood_ratios",
)
def positive_likelihood_ratio(c: OneVsRest) -> Ratio:
    """Recall divided by the false positive rate: how a positive prediction multiplies the odds."""
    return c.tp * (c.fp + c.tn), c.fp * (c.tp + c.fn)


@rate(
    tex=r"\frac{FN/(TP+FN)}{TN/(FP+TN)}",
    aliases=("lr_minus", "nlr"),
    bounds=(0, inf),
    better="lower",
    sklearn="class_likelihood_ratios",
)
def negative_likelihood_ratio(c: OneVsRest) -> Ratio:
    """Miss rate divided by specificity: how a negative prediction multiplies the odds."""
    return c.fn * (c.fp + c.tn), c.tn * (c.tp + c.fn)


@rate(tex=r"\frac{TP+TN}{TP+FP+FN+TN}", title="one-vs-rest accuracy", aliases=("binary_accuracy",))
def one_vs_rest_accuracy(c: OneVsRest) -> Ratio:
    """Fraction of items correctly assigned or correctly not assigned to this class."""
    return c.tp + c.tn, c.tp + c.fp + c.fn + c.tn


@rate(
    tex=r"\sqrt{\frac{TP}{TP+FN}\cdot\frac{TN}{TN+FP}}",
    title="G-mean",
)
def g_mean(c: OneVsRest) -> Ratio:
    """Geometric mean of recall and specificity."""
    return root(c.tp * c.tn), root((c.tp + c.fn) * (c.tn + c.fp))


@rate(
    tex=r"\frac{TP}{\sqrt{(TP+FP)(TP+FN)}}",
    title="Fowlkes–Mallows index",
    aliases=("ochiai",),
)
def fowlkes_mallows(c: OneVsRest) -> Ratio:
    """Geometric mean of precision and recall."""
    return c.tp, root((c.tp + c.fp) * (c.tp + c.fn))


@rate(
    tex=r"\frac{TP\cdot TN-FP\cdot FN}{\sqrt{(TP+FP)(TP+FN)(TN+FP)(TN+FN)}}",
    title="one-vs-rest MCC",
    aliases=("binary_mcc",),
    bounds=(-1, 1),
    sklearn="matthews_corrcoef",
)
def one_vs_rest_mcc(c: OneVsRest) -> Ratio:
    """Correlation between belonging to this class and being predicted as it."""
    together = c.tp * c.tn - c.fp * c.fn
    spread = root((c.tp + c.fp) * (c.tp + c.fn) * ((c.tn + c.fp) * (c.tn + c.fn)))
    return np.maximum(np.minimum(together, spread), -spread), spread


@rate(tex=r"\frac{TP\cdot TN}{FP\cdot FN}", aliases=("dor",), bounds=(0, inf))
def diagnostic_odds_ratio(c: OneVsRest) -> Ratio:
    """Odds of being predicted as this class for items in it, divided by those for other items."""
    return c.tp * c.tn, c.fp * c.fn


@rate(
    tex=r"\frac{TP\cdot TN-FP\cdot FN}{TP\cdot TN+FP\cdot FN}",
    title="Yule's Q",
    aliases=("yules_q",),
    bounds=(-1, 1),
    of_ratio=(diagnostic_odds_ratio, lambda ratio: 1 - 2 / (ratio + 1)),
)
def yule_q(c: OneVsRest) -> Ratio:
    """Diagnostic odds ratio on a scale from -1 to 1, with 0 for chance."""
    right, wrong = c.tp * c.tn, c.fp * c.fn
    return right - wrong, right + wrong


@rate(
    tex=r"\frac{TP+TN}{n}-\frac{|TPR-TNR|}{TPR+TNR}",
    bounds=(-1, 1),
    bend="recall equals specificity",
)
def optimized_precision(c: OneVsRest) -> Ratio:
    """One-vs-rest accuracy minus the relative gap of recall and specificity (Ranawana, Palade)."""
    positives, negatives = c.tp + c.fn, c.tn + c.fp
    accepted, refused = c.tp * negatives, c.tn * positives
    n, both = positives + negatives, accepted + refused
    return (c.tp + c.tn) * both - n * np.maximum(accepted - refused, refused - accepted), n * both


@rate(tex=r"\left(1+\alpha\,(TPR-TNR)\right)TPR\cdot TNR", aliases=("iba",))
def index_of_balanced_accuracy(
    c: OneVsRest,
    alpha: Annotated[Share, "Weight of the difference between recall and specificity."] = 0.1,
) -> Ratio:
    """Recall times specificity, increased if recall is the larger one (García et al. 2009)."""
    positives, negatives = c.tp + c.fn, c.tn + c.fp
    pairs = positives * negatives
    dominance = c.tp * negatives - c.tn * positives
    return c.tp * c.tn * (pairs + alpha * dominance), pairs * pairs
