"""The dialects as data: one entry for each library, read from its own source.

A bare name is what the library does by default in its current version.
"""

from __future__ import annotations

from typing import Any

from whichf1.definitions.definition import define
from whichf1.published.dialects import Dialect, Dialects


def _dialect(
    name: str, library: str, versions: str, file: str, note: str, **options: Any
) -> Dialect:
    """An entry; its definition is averaged F1 unless the options say otherwise."""
    metric = options.pop("metric", "f1")
    two_only = options.pop("two_only", False)
    return Dialect(
        name=name,
        library=library,
        versions=versions,
        file=file,
        note=note,
        definition=define(metric, None, {"average": "macro", **options}),
        two_only=two_only,
    )


_OBSERVED: dict[str, Any] = {"classes": "observed"}
_DECLARED: dict[str, Any] = {"classes": "declared"}
_TRUE: dict[str, Any] = {"classes": "true"}
_RANGE: dict[str, Any] = {"classes": "range"}
_WEIGHTED: dict[str, Any] = {"average": "weighted", "classes": "true"}
_OF_AVERAGES: dict[str, Any] = {"formula": "of-averages", "classes": "observed"}

SKLEARN = "sklearn/metrics/_classification.py"
TORCHMETRICS = "torchmetrics/functional/classification/f_beta.py"

# fmt: off
dialects = Dialects([
    # averaged F1 over the classes that occur
    _dialect("sklearn", "scikit-learn", "≥ 1.4", SKLEARN,
             "labels= replaces the classes that occur; then it is classes declared.", **_OBSERVED),
    _dialect("sklearn-1.3", "scikit-learn", "1.3", SKLEARN,
             "By default as later versions; only zero_division= differs.", **_OBSERVED),
    _dialect("sklearn-zero-division-1", "scikit-learn", "≥ 1.4, zero_division=1, labels=", SKLEARN,
             "A class of labels= that never occurs counts as 1.", undefined=1, **_DECLARED),
    _dialect("sklearn-zero-division-nan", "scikit-learn", "≥ 1.4, zero_division=nan, labels=",
             SKLEARN, "Precision, recall and F1 are averaged over three different sets of classes.",
             undefined="skip", **_DECLARED),
    _dialect("sklearn-1.3-zero-division-1", "scikit-learn", "1.3, zero_division=1", SKLEARN,
             "A class that is true and predicted but never hit counts as 1 (issue #27189).",
             undefined=1, scope="no-hits", **_OBSERVED),
    _dialect("sklearn-1.3-zero-division-nan", "scikit-learn", "1.3, zero_division=nan", SKLEARN,
             "Every class without a hit is left out (issue #27189).",
             undefined="skip", scope="no-hits", **_OBSERVED),
    _dialect("torchmetrics", "torchmetrics", "≥ 1.0, 0.9", TORCHMETRICS,
             "ignore_index drops items by their true class; the class still counts if predicted.",
             **_OBSERVED),
    _dialect("torcheval", "torcheval", "0.0.7",
             "torcheval/metrics/functional/classification/f1_score.py",
             "Its macro recall fails on a class that never occurs.", **_OBSERVED),
    _dialect("pycm", "PyCM", "4.6", "pycm/overall_funcs.py",
             'One undefined class makes the macro average the text "None".',
             undefined="nan", **_OBSERVED),
    _dialect("river", "river", "0.26", "river/metrics/fbeta.py",
             "Classes are those seen so far in the stream.", **_OBSERVED),
    _dialect("permetrics", "permetrics", "2.1", "permetrics/classification.py",
             "Classes are those that occur in either column.", **_OBSERVED),
    _dialect("evaluate", "Hugging Face evaluate", "0.4", "metrics/f1/f1.py",
             "It calls scikit-learn.", **_OBSERVED),
    _dialect("mteb", "MTEB", "1", "mteb/abstasks/AbsTaskClassification.py",
             "It calls scikit-learn.", **_OBSERVED),
    _dialect("evidently", "evidently", "0.7", "evidently/legacy/metrics/"
             "classification_performance/classification_quality_metric.py",
             "It calls scikit-learn.", **_OBSERVED),
    _dialect("seqeval", "seqeval", "1.2", "seqeval/metrics/sequence_labeling.py",
             "Items are spans: a missed span is predicted 'O', a spurious one is truly 'O'.",
             exclude=["O"], **_OBSERVED),
    # averaged F1 over all declared classes
    _dialect("torchmetrics-0.11", "torchmetrics", "0.10 to 0.11", TORCHMETRICS,
             "More declared classes, lower scores (issues #1494 and #1664).", **_DECLARED),
    _dialect("torchmetrics-multilabel", "torchmetrics", "≥ 1.0, task multilabel", TORCHMETRICS,
             "Unlike its multi-class score, it counts labels that never occur.", **_DECLARED),
    _dialect("ignite", "PyTorch-Ignite", "0.5", "ignite/metrics/fbeta.py",
             "It adds 1e-15 to the denominator of F.",
             epsilon=1e-15, epsilon_in="harmonic", **_DECLARED),
    _dialect("keras", "Keras", "3", "keras/src/metrics/f_score_metrics.py",
             "It adds 1e-7 to the denominators of P, R and F, and works in float32.",
             epsilon=1e-7, **_DECLARED),
    _dialect("spacy", "spaCy", "3.8", "spacy/scorer.py",
             "Text categories; the labels are those of the component.", **_DECLARED),
    _dialect("allennlp", "AllenNLP", "2.10", "allennlp/training/metrics/fbeta_measure.py",
             "The classes are those of the vocabulary.", **_DECLARED),
    _dialect("catboost-macro", "CatBoost", "1.2, TotalF1:average=Macro",
             "catboost/libs/metrics/metric.cpp", "Macro has to be asked for.", **_DECLARED),
    _dialect("libmultilabel", "LibMultiLabel", "0.10, Macro-F1", "libmultilabel/nn/metrics.py",
             "It names both formulas; this is the one that it prefers.", **_DECLARED),
    _dialect("paddlenlp", "PaddleNLP", "2", "paddlenlp/metrics/glue.py",
             "The classes are those of the model.", **_DECLARED),
    _dialect("t5", "T5", "0.9, mean_multiclass_f1", "t5/evaluation/metrics.py",
             "It calls scikit-learn with the labels 0 to C − 1, and prints percent.", **_DECLARED),
    _dialect("mmpretrain", "MMPretrain", "1", "mmpretrain/evaluation/metrics/single_label.py",
             "It prints percent.", **_DECLARED),
    _dialect("tfma", "TensorFlow Model Analysis", "0.52",
             "tensorflow_model_analysis/metrics/confusion_matrix_metrics.py",
             "Each class is decided at a threshold of 0.5, not by the largest score.",
             undefined="nan", **_DECLARED),
    _dialect("smp", "segmentation-models-pytorch", "0.5 to 0.6",
             "segmentation_models_pytorch/metrics/functional.py",
             "zero_division=1.0 is its default.", undefined=1, **_DECLARED),
    _dialect("mmseg", "MMSegmentation (mFscore)", "1", "mmseg/evaluation/metrics/iou_metric.py",
             "The mean passes over NaN.", undefined="skip", scope="no-hits", **_DECLARED),
    _dialect("yardstick", "yardstick (R)", "1", "R/class-f_meas.R",
             "With two classes the first level alone is scored.",
             undefined="skip", scope="one-sided", two_classes="first", **_DECLARED),
    _dialect("dl4j", "Deeplearning4j", "1.0.0",
             "org/nd4j/evaluation/classification/Evaluation.java",
             "With two classes the second alone is scored.",
             undefined="skip", scope="one-sided", two_classes="last", **_DECLARED),
    _dialect("caret", "caret (R)", "7", "pkg/caret/R/confusionMatrix.R",
             "The mean of its byClass table; with two classes the first level alone is scored.",
             undefined="nan", scope="no-hits", two_classes="first", **_DECLARED),
    _dialect("lighteval", "lighteval (mf1)", "0.13", "src/lighteval/metrics/metrics_corpus.py",
             "What it calls a multi-class F1 is a mean of accuracies.",
             metric="one_vs_rest_accuracy", **_DECLARED),
    # averaged F1 over other classes
    _dialect("smile", "smile", "since 2026-07",
             "core/src/main/java/smile/validation/metric/FScore.java",
             "Before pull request #874 it was F1 of averages.", **_RANGE),
    _dialect("catalyst", "Catalyst", "22", "catalyst/metrics/functional/_classification.py",
             "The macro row of its metrics; its function f1_score counts an empty class as 1.",
             epsilon=1e-5, epsilon_in="harmonic", **_RANGE),
    _dialect("helm", "HELM", "0.5", "src/helm/benchmark/metrics/classification_metrics.py",
             "A prediction that is no true class counts only as a miss.", **_TRUE),
    _dialect("unitxt", "unitxt", "1.26", "src/unitxt/metrics.py",
             "A prediction that is no true class counts only as a miss.", **_TRUE),
    _dialect("semeval-2018", "SemEval-2018 Task 2 scorer", "2018", "scorer_semeval18.py",
             "A prediction that is no true class counts only as a miss.", **_TRUE),
    _dialect("weka", "Weka", "3.8", "weka/classifiers/evaluation/Evaluation.java",
             "unweightedMacroFmeasure; NaN if a true class is never predicted.",
             undefined="nan", scope="one-sided", **_TRUE),
    _dialect("semeval-2010", "SemEval-2010 Task 8 scorer", "1.2",
             "semeval2010_task8_scorer-v1.2.pl",
             "The class Other is left out; its items still make errors.",
             exclude=["Other"], **_TRUE),
    # support-weighted
    _dialect("catboost", "CatBoost (TotalF1)", "1.2", "catboost/libs/metrics/metric.cpp",
             "average=Weighted is its default.", **_WEIGHTED),
    _dialect("spark", "Spark MLlib (f1)", "4.3", "org/apache/spark/mllib/evaluation/"
             "MulticlassMetrics.scala", "It has no unweighted macro F1.", **_WEIGHTED),
    _dialect("mlflow", "MLflow", "3", "mlflow/models/evaluation/evaluators/classifier.py",
             "average='weighted' is the default of its evaluator.", **_WEIGHTED),
    _dialect("seqeval-0.0.10", "seqeval", "≤ 0.0.13", "seqeval/metrics/sequence_labeling.py",
             "The line 'macro avg' of its report is support-weighted.", exclude=["O"], **_WEIGHTED),
    # F1 of averages
    _dialect("libmultilabel-another", "LibMultiLabel", "0.10, Another-Macro-F1",
             "libmultilabel/nn/metrics.py", "It names both formulas; this is the other one.",
             epsilon=1e-10, epsilon_in="harmonic", formula="of-averages", **_DECLARED),
    _dialect("brightmart", "brightmart/text_classification (fastF1)", "2019",
             "a02_TextCNN/p7_TextCNN_train.py",
             "Pull request #115 replaced averaged F1 by it.", formula="of-averages", **_DECLARED),
    _dialect("smile-2024", "smile", "2024 to 2026-07",
             "core/src/main/java/smile/validation/metric/FScore.java",
             "Corrected in pull request #874.", formula="of-averages", **_RANGE),
    _dialect("adaseq", "AdaSeq", "0.6", "adaseq/metrics/span_extraction_metric.py",
             "Items are spans.", **_OF_AVERAGES),
    _dialect("relex", "RelEx", "2020", "relex/metrics/f1_measure.py",
             "Asked about in issue #3.", **_OF_AVERAGES),
    _dialect("must", "MuST", "2026", "must/evaluate/classification_eval.py",
             "Asked about in issue #4.", **_OF_AVERAGES),
    _dialect("imn-e2e-absa", "IMN-E2E-ABSA", "2019", "code/evaluation.py",
             "Its published macro F1 is of this kind.", **_OF_AVERAGES),
    _dialect("neuralclassifier", "NeuralNLP-NeuralClassifier", "2019",
             "evaluate/classification_evaluate.py",
             "Its macro F1 is computed of macro precision and macro recall.", **_OF_AVERAGES),
    _dialect("linfa", "linfa (Rust)", "0.8", "src/metrics_classification.rs",
             "Its precision and recall have changed places, which F1 does not notice.",
             undefined="nan", **_OF_AVERAGES),
    _dialect("flair-0.4.0", "Flair", "0.4.0", "flair/training_utils.py",
             "Recall was computed as precision, so that F1 is macro precision (issue #486); each "
             "class is rounded to 4 decimals first.",
             metric="precision", **_DECLARED),
    # other units
    _dialect("mxnet", "MXNet (average='macro')", "1.x", "python/mxnet/metric.py",
             "The mean of the F1 of class 1 over batches; 32 items unless batch= says otherwise.",
             two_classes="last", batch=32, two_only=True, **_DECLARED),
])
"""Every known dialect by name."""
# fmt: on
