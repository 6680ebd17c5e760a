"""scikit-learn: its metric functions with the same arguments, displays with bands, and a scorer.

``from whichf1.integrations.sklearn import f1_score`` instead of ``from sklearn.metrics import
f1_score`` changes nothing but the speed.
"""

from __future__ import annotations

try:
    import sklearn as _  # noqa: F401
except ImportError:
    raise ImportError(
        "whichf1.integrations.sklearn needs scikit-learn: pip install scikit-learn"
    ) from None

from whichf1.integrations.sklearn.bands import (
    DetCurveDisplay,
    PrecisionRecallDisplay,
    RocCurveDisplay,
)
from whichf1.integrations.sklearn.clusterings import (
    adjusted_rand_score,
    mutual_info_score,
    normalized_mutual_info_score,
)
from whichf1.integrations.sklearn.drop_in import DROP_INS
from whichf1.integrations.sklearn.probability import (
    brier_score_loss,
    d2_brier_score,
    d2_log_loss_score,
    hinge_loss,
    log_loss,
    top_k_accuracy_score,
)
from whichf1.integrations.sklearn.ranking import (
    auc,
    average_precision_score,
    confusion_matrix_at_thresholds,
    coverage_error,
    dcg_score,
    det_curve,
    label_ranking_average_precision_score,
    label_ranking_loss,
    metric_at_thresholds,
    ndcg_score,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)
from whichf1.integrations.sklearn.rates import (
    accuracy_score,
    balanced_accuracy_score,
    class_likelihood_ratios,
    classification_report,
    cohen_kappa_score,
    confusion_matrix,
    f1_score,
    fbeta_score,
    hamming_loss,
    jaccard_score,
    matthews_corrcoef,
    multilabel_confusion_matrix,
    precision_recall_fscore_support,
    precision_score,
    recall_score,
    zero_one_loss,
)
from whichf1.integrations.sklearn.selection import scorer

__all__ = [
    "DROP_INS",
    "DetCurveDisplay",
    "PrecisionRecallDisplay",
    "RocCurveDisplay",
    "accuracy_score",
    "adjusted_rand_score",
    "auc",
    "average_precision_score",
    "balanced_accuracy_score",
    "brier_score_loss",
    "class_likelihood_ratios",
    "classification_report",
    "cohen_kappa_score",
    "confusion_matrix",
    "confusion_matrix_at_thresholds",
    "coverage_error",
    "d2_brier_score",
    "d2_log_loss_score",
    "dcg_score",
    "det_curve",
    "f1_score",
    "fbeta_score",
    "hamming_loss",
    "hinge_loss",
    "jaccard_score",
    "label_ranking_average_precision_score",
    "label_ranking_loss",
    "log_loss",
    "matthews_corrcoef",
    "metric_at_thresholds",
    "multilabel_confusion_matrix",
    "mutual_info_score",
    "ndcg_score",
    "normalized_mutual_info_score",
    "precision_recall_curve",
    "precision_recall_fscore_support",
    "precision_score",
    "recall_score",
    "roc_auc_score",
    "roc_curve",
    "scorer",
    "top_k_accuracy_score",
    "zero_one_loss",
]
