"""Classification scores that say what they are.

>>> import whichf1 as wf
>>> counts = wf.count(["a", "b", "b"], ["a", "b", "a"])
>>> wf.averaged_f1(counts).signature
'f1|avg:macro|formula:averaged|classes:declared|undef:0|v:1|n:3|k:2|labels:gknjefid'
"""

from __future__ import annotations

from os import path as _path
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

if _TYPE_CHECKING:
    from whichf1 import errors
    from whichf1.comparison.compare import compare
    from whichf1.comparison.rank_flips import SystemRanks, rank_systems
    from whichf1.comparison.results import Comparison, Pair
    from whichf1.definitions.definition import Definition
    from whichf1.definitions.methods import (
        AgrestiCoull,
        Bootstrap,
        ClopperPearson,
        DeLong,
        Delta,
        Interval,
        Jeffreys,
        Wilson,
    )
    from whichf1.published.audit import audit
    from whichf1.published.explain import explain
    from whichf1.published.presets import dialects
    from whichf1.scoring.curves import (
        Curve,
        calibration_curve,
        det_curve,
        gain_curve,
        lift_curve,
        pr_curve,
        roc_curve,
    )
    from whichf1.scoring.decisions import at_argmax, at_threshold, at_top_k
    from whichf1.scoring.functions import Scorer as _Scorer
    from whichf1.scoring.functions import score
    from whichf1.scoring.macro import (
        MacroF1,
        bounds,
        extremal,
        macro_f1,
        precision_recall_f1,
        supremum,
    )
    from whichf1.scoring.score import PerClass, Score
    from whichf1.scoring.scores import moments
    from whichf1.scoring.thresholds import BestThreshold, best_threshold, threshold_curve
    from whichf1.sources.count import count, count_by, count_each, rank, rank_by, rank_histogram
    from whichf1.sources.label_sets import count_multilabel
    from whichf1.tables.counts import Counts
    from whichf1.tables.label_sets import MultiLabelCounts
    from whichf1.tables.moments import Moments
    from whichf1.tables.ranking import Ranking
    from whichf1.tables.slices import Slices

    precision: _Scorer
    recall: _Scorer
    specificity: _Scorer
    negative_predictive_value: _Scorer
    f_beta: _Scorer
    f1: _Scorer
    jaccard: _Scorer
    false_positive_rate: _Scorer
    false_negative_rate: _Scorer
    false_discovery_rate: _Scorer
    false_omission_rate: _Scorer
    prevalence: _Scorer
    informedness: _Scorer
    markedness: _Scorer
    positive_likelihood_ratio: _Scorer
    negative_likelihood_ratio: _Scorer
    one_vs_rest_accuracy: _Scorer
    accuracy: _Scorer
    error_rate: _Scorer
    cohen_kappa: _Scorer
    mcc: _Scorer
    roc_auc: _Scorer
    average_precision: _Scorer
    ks: _Scorer
    gain: _Scorer
    lift: _Scorer
    log_loss: _Scorer
    brier: _Scorer
    top_k_accuracy: _Scorer
    expected_calibration_error: _Scorer
    subset_accuracy: _Scorer
    hamming_loss: _Scorer
    label_ranking_average_precision: _Scorer
    coverage_error: _Scorer
    averaged_f1: _Scorer
    f1_of_averages: _Scorer
    averaged_f_beta: _Scorer
    f_beta_of_averages: _Scorer
    micro_f1: _Scorer
    weighted_f1: _Scorer
    macro_precision: _Scorer
    macro_recall: _Scorer
    balanced_accuracy: _Scorer

__version__ = "0.1.0"

__all__ = [
    "AgrestiCoull",
    "BestThreshold",
    "Bootstrap",
    "ClopperPearson",
    "Comparison",
    "Counts",
    "Curve",
    "DeLong",
    "Definition",
    "Delta",
    "Interval",
    "Jeffreys",
    "MacroF1",
    "Moments",
    "MultiLabelCounts",
    "Pair",
    "PerClass",
    "Ranking",
    "Score",
    "Slices",
    "SystemRanks",
    "Wilson",
    "accuracy",
    "at_argmax",
    "at_threshold",
    "at_top_k",
    "audit",
    "average_precision",
    "averaged_f1",
    "averaged_f_beta",
    "balanced_accuracy",
    "best_threshold",
    "bounds",
    "brier",
    "calibration_curve",
    "cohen_kappa",
    "compare",
    "count",
    "count_by",
    "count_each",
    "count_multilabel",
    "coverage_error",
    "det_curve",
    "dialects",
    "error_rate",
    "errors",
    "expected_calibration_error",
    "explain",
    "extremal",
    "f1",
    "f1_of_averages",
    "f_beta",
    "f_beta_of_averages",
    "false_discovery_rate",
    "false_negative_rate",
    "false_omission_rate",
    "false_positive_rate",
    "gain",
    "gain_curve",
    "hamming_loss",
    "informedness",
    "jaccard",
    "ks",
    "label_ranking_average_precision",
    "lift",
    "lift_curve",
    "log_loss",
    "macro_f1",
    "macro_precision",
    "macro_recall",
    "markedness",
    "mcc",
    "micro_f1",
    "moments",
    "negative_likelihood_ratio",
    "negative_predictive_value",
    "one_vs_rest_accuracy",
    "positive_likelihood_ratio",
    "pr_curve",
    "precision",
    "precision_recall_f1",
    "prevalence",
    "rank",
    "rank_by",
    "rank_histogram",
    "rank_systems",
    "recall",
    "roc_auc",
    "roc_curve",
    "score",
    "specificity",
    "subset_accuracy",
    "supremum",
    "threshold_curve",
    "top_k_accuracy",
    "weighted_f1",
]


_HOME = {
    "AgrestiCoull": "definitions.methods",
    "BestThreshold": "scoring.thresholds",
    "Bootstrap": "definitions.methods",
    "ClopperPearson": "definitions.methods",
    "Comparison": "comparison.results",
    "Counts": "tables.counts",
    "Curve": "scoring.curves",
    "DeLong": "definitions.methods",
    "Definition": "definitions.definition",
    "Delta": "definitions.methods",
    "Interval": "definitions.methods",
    "Jeffreys": "definitions.methods",
    "MacroF1": "scoring.macro",
    "Moments": "tables.moments",
    "MultiLabelCounts": "tables.label_sets",
    "Pair": "comparison.results",
    "PerClass": "scoring.score",
    "Ranking": "tables.ranking",
    "Score": "scoring.score",
    "Slices": "tables.slices",
    "SystemRanks": "comparison.rank_flips",
    "Wilson": "definitions.methods",
    "at_argmax": "scoring.decisions",
    "at_threshold": "scoring.decisions",
    "at_top_k": "scoring.decisions",
    "audit": "published.audit",
    "best_threshold": "scoring.thresholds",
    "bounds": "scoring.macro",
    "calibration_curve": "scoring.curves",
    "compare": "comparison.compare",
    "count": "sources.count",
    "count_by": "sources.count",
    "count_each": "sources.count",
    "count_multilabel": "sources.label_sets",
    "det_curve": "scoring.curves",
    "dialects": "published.presets",
    "explain": "published.explain",
    "extremal": "scoring.macro",
    "gain_curve": "scoring.curves",
    "lift_curve": "scoring.curves",
    "macro_f1": "scoring.macro",
    "moments": "scoring.scores",
    "pr_curve": "scoring.curves",
    "precision_recall_f1": "scoring.macro",
    "rank": "sources.count",
    "rank_by": "sources.count",
    "rank_histogram": "sources.count",
    "rank_systems": "comparison.rank_flips",
    "roc_curve": "scoring.curves",
    "score": "scoring.functions",
    "supremum": "scoring.macro",
    "threshold_curve": "scoring.thresholds",
}
"""The module of each name that is not a metric; modules are imported on first use."""


def __getattr__(name: str) -> _Any:
    """What is imported on first use, and the other names of a metric: sensitivity is recall."""
    from importlib import import_module

    if name == "errors":
        return import_module("whichf1.errors")
    if name in _HOME:
        found = getattr(import_module(f"whichf1.{_HOME[name]}"), name)
    elif name in __all__:
        found = import_module("whichf1.scoring.functions").Scorer(name)
    else:
        metrics = None if _is_module(name) else import_module("whichf1.metrics")
        if metrics is None or name not in metrics.names():
            raise AttributeError(f"module 'whichf1' has no attribute {name!r}")
        return getattr(import_module("whichf1"), metrics.find(name).name)
    globals()[name] = found
    return found


def _is_module(name: str) -> bool:
    """Whether the name is a module's, which the import statement asks for here first."""
    ends = ("", ".py")
    return any(_path.exists(_path.join(folder, name + end)) for folder in __path__ for end in ends)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
