"""Classification scores that say what they are.

>>> import whichf1 as wf
>>> counts = wf.count(["a", "b", "b"], ["a", "b", "a"])
>>> wf.averaged_f1(counts).signature
'f1|avg:macro|formula:averaged|classes:declared|undef:0|v:1|n:3|k:2|labels:gknjefid'
"""

from __future__ import annotations

from whichf1 import errors
from whichf1.counts import Counts
from whichf1.definition import Definition
from whichf1.intervals import Delta, Interval
from whichf1.macro import (
    MacroF1,
    bounds,
    extremal,
    macro_f1,
    precision_recall_f1,
    supremum,
)
from whichf1.metrics import names as _names
from whichf1.scores import PerClass, Score, score
from whichf1.scores import Scorer as _Scorer
from whichf1.slices import Slices
from whichf1.sources import count, count_by, count_each

__version__ = "0.1.0"

precision = _Scorer("precision")
recall = _Scorer("recall")
specificity = _Scorer("specificity")
negative_predictive_value = _Scorer("negative_predictive_value")
f_beta = _Scorer("f_beta")
f1 = _Scorer("f1")
jaccard = _Scorer("jaccard")
false_positive_rate = _Scorer("false_positive_rate")
false_negative_rate = _Scorer("false_negative_rate")
false_discovery_rate = _Scorer("false_discovery_rate")
false_omission_rate = _Scorer("false_omission_rate")
prevalence = _Scorer("prevalence")
informedness = _Scorer("informedness")
markedness = _Scorer("markedness")
positive_likelihood_ratio = _Scorer("positive_likelihood_ratio")
negative_likelihood_ratio = _Scorer("negative_likelihood_ratio")
one_vs_rest_accuracy = _Scorer("one_vs_rest_accuracy")
accuracy = _Scorer("accuracy")
error_rate = _Scorer("error_rate")
cohen_kappa = _Scorer("cohen_kappa")
mcc = _Scorer("mcc")

averaged_f1 = _Scorer("averaged_f1")
f1_of_averages = _Scorer("f1_of_averages")
averaged_f_beta = _Scorer("averaged_f_beta")
f_beta_of_averages = _Scorer("f_beta_of_averages")
micro_f1 = _Scorer("micro_f1")
weighted_f1 = _Scorer("weighted_f1")
macro_precision = _Scorer("macro_precision")
macro_recall = _Scorer("macro_recall")
balanced_accuracy = _Scorer("balanced_accuracy")

__all__ = [
    "Counts",
    "Definition",
    "Delta",
    "Interval",
    "MacroF1",
    "PerClass",
    "Score",
    "Slices",
    "accuracy",
    "averaged_f1",
    "averaged_f_beta",
    "balanced_accuracy",
    "bounds",
    "cohen_kappa",
    "count",
    "count_by",
    "count_each",
    "error_rate",
    "errors",
    "extremal",
    "f1",
    "f1_of_averages",
    "f_beta",
    "f_beta_of_averages",
    "false_discovery_rate",
    "false_negative_rate",
    "false_omission_rate",
    "false_positive_rate",
    "informedness",
    "jaccard",
    "macro_f1",
    "macro_precision",
    "macro_recall",
    "markedness",
    "mcc",
    "micro_f1",
    "negative_likelihood_ratio",
    "negative_predictive_value",
    "one_vs_rest_accuracy",
    "positive_likelihood_ratio",
    "precision",
    "precision_recall_f1",
    "prevalence",
    "recall",
    "score",
    "specificity",
    "supremum",
    "weighted_f1",
]


def __getattr__(name: str) -> _Scorer:
    """The other names of a metric: ``whichf1.sensitivity`` is ``whichf1.recall``."""
    if name in _names():
        from whichf1.metrics import find

        return globals()[find(name).name]  # type: ignore[no-any-return]
    raise AttributeError(f"module 'whichf1' has no attribute {name!r}")
