"""Rates: a class against the rest, as a ratio of its true and false positives and negatives."""

from __future__ import annotations

from math import inf

from whichf1.metrics.registry import Ratio, rate
from whichf1.tables.cells import OneVsRest


@rate(
    tex=r"\frac{TP}{TP+FP}",
    aliases=("ppv", "positive_predictive_value"),
    sklearn="precision_score",
)
def precision(c: OneVsRest) -> Ratio:
    """Share of the items predicted as the class that are of it."""
    return c.tp, c.tp + c.fp


@rate(
    tex=r"\frac{TP}{TP+FN}",
    aliases=("sensitivity", "tpr", "true_positive_rate", "hit_rate"),
    sklearn="recall_score",
)
def recall(c: OneVsRest) -> Ratio:
    """Share of the items of the class that are predicted as it."""
    return c.tp, c.tp + c.fn


@rate(
    tex=r"\frac{TN}{TN+FP}",
    aliases=("tnr", "true_negative_rate", "selectivity"),
    sklearn="recall_score",
)
def specificity(c: OneVsRest) -> Ratio:
    """Share of the items of other classes that are not predicted as the class."""
    return c.tn, c.tn + c.fp


@rate(tex=r"\frac{TN}{TN+FN}", aliases=("npv",), sklearn="precision_score")
def negative_predictive_value(c: OneVsRest) -> Ratio:
    """Share of the items not predicted as the class that are not of it."""
    return c.tn, c.tn + c.fn


@rate(
    tex=r"\frac{(1+\beta^2)\,TP}{(1+\beta^2)\,TP+\beta^2 FN+FP}",
    title="F-beta",
    aliases=("fbeta",),
    sklearn="fbeta_score",
    harmonic=True,
)
def f_beta(c: OneVsRest, beta: float = 1) -> Ratio:
    """Weighted harmonic mean of precision and recall; recall counts beta times as much."""
    hits = (1 + beta**2) * c.tp
    return hits, hits + beta**2 * c.fn + c.fp


@rate(
    tex=r"\frac{2\,TP}{2\,TP+FP+FN}",
    title="F1",
    aliases=("f_score", "f_measure", "dice"),
    sklearn="f1_score",
    harmonic=True,
)
def f1(c: OneVsRest) -> Ratio:
    """Harmonic mean of precision and recall."""
    hits = c.tp + c.tp  # quicker than 2 · TP
    return hits, hits + c.fp + c.fn


@rate(
    tex=r"\frac{TP}{TP+FP+FN}",
    title="Jaccard index",
    aliases=("iou", "intersection_over_union", "critical_success_index", "threat_score"),
    sklearn="jaccard_score",
)
def jaccard(c: OneVsRest) -> Ratio:
    """Share of correct items among those of the class or predicted as it."""
    return c.tp, c.tp + c.fp + c.fn


@rate(
    tex=r"\frac{FP}{FP+TN}",
    aliases=("fpr", "fall_out", "false_alarm_rate", "type_1_error"),
    better="lower",
)
def false_positive_rate(c: OneVsRest) -> Ratio:
    """Share of the items of other classes that are predicted as the class."""
    return c.fp, c.fp + c.tn


@rate(
    tex=r"\frac{FN}{FN+TP}",
    aliases=("fnr", "miss_rate", "type_2_error"),
    better="lower",
)
def false_negative_rate(c: OneVsRest) -> Ratio:
    """Share of the items of the class that are not predicted as it."""
    return c.fn, c.fn + c.tp


@rate(tex=r"\frac{FP}{FP+TP}", aliases=("fdr",), better="lower")
def false_discovery_rate(c: OneVsRest) -> Ratio:
    """Share of the items predicted as the class that are not of it."""
    return c.fp, c.fp + c.tp


@rate(tex=r"\frac{FN}{FN+TN}", aliases=("false_omission", "fomr"), better="lower")
def false_omission_rate(c: OneVsRest) -> Ratio:
    """Share of the items not predicted as the class that are of it."""
    return c.fn, c.fn + c.tn


@rate(tex=r"\frac{TP+FN}{TP+FP+FN+TN}", better="neither")
def prevalence(c: OneVsRest) -> Ratio:
    """Share of the class among all items."""
    return c.tp + c.fn, c.tp + c.fp + c.fn + c.tn


@rate(
    tex=r"\frac{TP}{TP+FN}+\frac{TN}{TN+FP}-1",
    aliases=("youden_j", "bookmaker_informedness"),
    bounds=(-1, 1),
)
def informedness(c: OneVsRest) -> Ratio:
    """Recall plus specificity minus 1: how much better than guessing the class is told apart."""
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
    """Recall over the false positive rate: how a positive prediction multiplies the odds."""
    return c.tp * (c.fp + c.tn), c.fp * (c.tp + c.fn)


@rate(
    tex=r"\frac{FN/(TP+FN)}{TN/(FP+TN)}",
    aliases=("lr_minus", "nlr"),
    bounds=(0, inf),
    better="lower",
    sklearn="class_likelihood_ratios",
)
def negative_likelihood_ratio(c: OneVsRest) -> Ratio:
    """The false negative rate over specificity: how a negative prediction multiplies the odds."""
    return c.fn * (c.fp + c.tn), c.tn * (c.tp + c.fn)


@rate(tex=r"\frac{TP+TN}{TP+FP+FN+TN}", title="one-vs-rest accuracy", aliases=("binary_accuracy",))
def one_vs_rest_accuracy(c: OneVsRest) -> Ratio:
    """Share of items rightly put into the class or rightly kept out of it."""
    return c.tp + c.tn, c.tp + c.fp + c.fn + c.tn
