"""The real libraries, each behind one function from a case to the number that it prints.

As a program it is run by the Python of another environment: ``python libraries.py NAME`` reads a
list of cases from standard input and writes the list of values, both JSON. It needs nothing but
the library itself, which is imported on first use.
"""

from __future__ import annotations

import json
import math
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the other environments do not have this package
    from tests.dialects.cases import Case

Run = Callable[["Case"], float]


@dataclass(frozen=True)
class Library:
    """How a library is asked, and which dialect it must agree with."""

    run: Run
    dialect: str
    environment: str
    package: str = ""
    """What its distribution is called, if not as the function."""
    float32: bool = False
    tolerance: float | None = None
    """If not 1e-6, or 1e-5 for float32."""
    background: bool = False
    """Whether class 0 is the class 'O' that the library leaves out."""
    options: dict[str, Any] = field(default_factory=dict)
    """Choices beyond the preset's own."""
    most: int = 400
    """Cases to try; fewer where each one is slow."""
    outside: Callable[[Case], bool] = lambda case: False
    """Cases that are not compared …"""
    why: str = ""
    """… and why."""


LIBRARIES: dict[str, Library] = {}


def library(environment: str, dialect: str = "", **facts: Any) -> Callable[[Run], Run]:
    def register(run: Run) -> Run:
        name = run.__name__.replace("_", "-")
        LIBRARIES[name] = Library(run, dialect or name, environment, **facts)
        return run

    return register


def _sklearn(case: Case, **options: Any) -> float:
    from sklearn.metrics import f1_score

    return float(f1_score(case["true"], case["pred"], average="macro", **options))


@library("everyday", package="scikit-learn")
def sklearn(case: Case) -> float:
    return _sklearn(case)


@library("everyday", package="scikit-learn")
def sklearn_zero_division_1(case: Case) -> float:
    return _sklearn(case, labels=range(case["k"]), zero_division=1)


@library("everyday", package="scikit-learn")
def sklearn_zero_division_nan(case: Case) -> float:
    return _sklearn(case, labels=range(case["k"]), zero_division=math.nan)


@library("sklearn-1.3", "sklearn-1.3", package="scikit-learn")
def sklearn_1_3(case: Case) -> float:
    return _sklearn(case)


@library("sklearn-1.3", "sklearn-1.3-zero-division-1", package="scikit-learn")
def sklearn_1_3_zero_division_1(case: Case) -> float:
    return _sklearn(case, zero_division=1)


@library("sklearn-1.3", "sklearn-1.3-zero-division-nan", package="scikit-learn")
def sklearn_1_3_zero_division_nan(case: Case) -> float:
    return _sklearn(case, zero_division=math.nan)


def _one_class(case: Case) -> bool:
    return len({*case["true"], *case["pred"]}) == 1


def _no_span(case: Case) -> bool:
    return not any(case["true"] + case["pred"])


def _nothing_true(case: Case) -> bool:
    return not any(case["true"])


@library(
    "everyday",
    outside=_one_class,
    why="there is only one class, because it adds an empty second one",
)
def pycm(case: Case) -> float:
    from pycm import ConfusionMatrix

    value = ConfusionMatrix(case["true"], case["pred"]).F1_Macro
    return math.nan if value == "None" else float(value)


@library("everyday")
def river(case: Case) -> float:
    metric = import_module("river.metrics").MacroF1()  # it has no types
    for true, pred in zip(case["true"], case["pred"], strict=True):
        metric.update(true, pred)
    return float(metric.get())


@library("everyday")
def permetrics(case: Case) -> float:
    from permetrics.classification import ClassificationMetric

    return float(ClassificationMetric(case["true"], case["pred"]).f1_score(average="macro"))


def _tags(classes: list[int]) -> list[list[str]]:
    """One span of one token for each item; class 0 is not a span."""
    return [[f"B-c{each}" if each else "O" for each in classes]]


@library("everyday", background=True, outside=_no_span, why="there are no spans")
def seqeval(case: Case) -> float:
    from seqeval.metrics import f1_score

    return float(f1_score(_tags(case["true"]), _tags(case["pred"]), average="macro"))


@library(
    "seqeval-0.0.10",
    "seqeval-0.0.10",
    package="seqeval",
    background=True,
    outside=_nothing_true,
    why="there are no true spans, because it fails",
)
def seqeval_0_0_10(case: Case) -> float:
    from seqeval.metrics import classification_report

    report = classification_report(_tags(case["true"]), _tags(case["pred"]), digits=12)
    line = next(line for line in report.splitlines() if line.strip().startswith("macro avg"))
    return float(line.split()[4])


@library("everyday", float32=True)
def torchmetrics(case: Case) -> float:
    import torch
    from torchmetrics.functional.classification import multiclass_f1_score

    true, pred = (torch.tensor(case[side]) for side in ("true", "pred"))
    return float(multiclass_f1_score(pred, true, num_classes=case["k"], average="macro"))


@library(
    "everyday",
    "torchmetrics",
    package="torchmetrics",
    float32=True,
    options={"ignore": [0]},
    outside=_nothing_true,
    why="no items are left, because it prints 0",
)
def torchmetrics_ignore_index(case: Case) -> float:
    import torch
    from torchmetrics.functional.classification import multiclass_f1_score

    true, pred = (torch.tensor(case[side]) for side in ("true", "pred"))
    return float(multiclass_f1_score(pred, true, case["k"], average="macro", ignore_index=0))


@library("torchmetrics-0.11", "torchmetrics-0.11", package="torchmetrics", float32=True)
def torchmetrics_0_11(case: Case) -> float:
    return torchmetrics(case)


def _one_hot(classes: list[int], k: int) -> Any:
    import torch

    return torch.nn.functional.one_hot(torch.tensor(classes), k)


@library("everyday", package="torchmetrics", float32=True)
def torchmetrics_multilabel(case: Case) -> float:
    from torchmetrics.functional.classification import multilabel_f1_score

    true, pred = (_one_hot(case[side], case["k"]) for side in ("true", "pred"))
    return float(multilabel_f1_score(pred, true, num_labels=case["k"], average="macro"))


@library("torch", float32=True)
def torcheval(case: Case) -> float:
    import torch
    from torcheval.metrics.functional import multiclass_f1_score

    true, pred = (torch.tensor(case[side]) for side in ("true", "pred"))
    return float(multiclass_f1_score(pred, true, num_classes=case["k"], average="macro"))


@library("torch", package="pytorch-ignite", float32=True)
def ignite(case: Case) -> float:
    import torch
    from ignite.metrics import Fbeta, Precision, Recall

    precision, recall = Precision(average=False), Recall(average=False)
    metric = Fbeta(beta=1.0, average=True, precision=precision, recall=recall)
    both = (_one_hot(case["pred"], case["k"]).float(), torch.tensor(case["true"]))
    for part in (precision, recall):
        part.update(both)
    return float(metric.compute())


@library("torch", float32=True)
def keras(case: Case) -> float:
    import os

    os.environ["KERAS_BACKEND"] = "torch"
    from keras.metrics import F1Score

    metric = F1Score(average="macro")
    metric.update_state(*(_one_hot(case[side], case["k"]).float() for side in ("true", "pred")))
    return float(metric.result())


def _alone(path: str) -> Any:
    """One file of an installed package, without the rest of the package and what that needs."""
    from importlib.util import module_from_spec, spec_from_file_location
    from pathlib import Path

    import torch

    file = Path(torch.__file__).parent.parent / path
    spec = spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class _Lenient(type):
    """Any attribute of the class is a decorator that changes nothing."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_, **__: lambda decorated: decorated


class _StandIn(ModuleType):
    """A module whose every name is an empty class."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Lenient(name, (), {})


def _stand_in(*modules: str) -> None:
    """Modules that the file imports and the metric does not use."""
    for module in modules:
        parts = module.split(".")
        for at in range(1, len(parts) + 1):
            name = ".".join(parts[:at])
            sys.modules.setdefault(name, _StandIn(name))


@library("torch", package="mmsegmentation", float32=True)
def mmseg(case: Case) -> float:
    import numpy as np
    import torch

    _stand_in("mmengine.dist", "mmengine.evaluator", "mmengine.logging", "mmengine.utils")
    _stand_in("PIL", "prettytable", "mmseg.registry")
    metric = _alone("mmseg/evaluation/metrics/iou_metric.py").IoUMetric
    pred, true = (torch.tensor(case[side]) for side in ("pred", "true"))
    areas = metric.intersect_and_union(pred, true, case["k"], 255)
    scores = metric.total_area_to_metrics(*areas, metrics=["mFscore"])["Fscore"]
    return float(np.nanmean(scores))


@library("torch", float32=True)
def mmpretrain(case: Case) -> float:
    import torch

    _stand_in("mmengine.evaluator", "mmpretrain.registry")
    metric = _alone("mmpretrain/evaluation/metrics/single_label.py").SingleLabelMetric
    pred, true = (torch.tensor(case[side]) for side in ("pred", "true"))
    return float(metric.calculate(pred, true, num_classes=case["k"], average="macro")[2]) / 100


@library("torch", float32=True)
def catalyst(case: Case) -> float:
    import torch

    _stand_in("catalyst.metrics.functional")
    here = "catalyst/metrics/functional"
    sys.modules["catalyst.metrics.functional._misc"] = misc = _alone(f"{here}/_misc.py")
    pred, true = (torch.tensor(case[side]) for side in ("pred", "true"))
    _, fp, fn, tp, support, _ = misc.get_multiclass_statistics(pred, true)
    scores = _alone(f"{here}/_classification.py").get_aggregated_metrics(
        *(x.numpy() for x in (tp, fp, fn, support)), zero_division=0
    )
    return float(scores[2][2])


@library("torch", package="segmentation-models-pytorch", float32=True)
def smp(case: Case) -> float:
    import torch

    metrics = _alone("segmentation_models_pytorch/metrics/functional.py")
    pred, true = (torch.tensor([case[side]]) for side in ("pred", "true"))
    stats = metrics.get_stats(pred, true, mode="multiclass", num_classes=case["k"])
    return float(metrics.f1_score(*stats, reduction="macro"))


def _libmultilabel(case: Case, another: bool) -> float:
    metrics = _alone("libmultilabel/nn/metrics.py")
    metric = metrics.MacroF1(case["k"], 0.5, another_macro_f1=another)
    pred, true = (_one_hot(case[side], case["k"]) for side in ("pred", "true"))
    metric.update(pred.float(), true)
    return float(metric.compute())


@library("torch", float32=True)
def libmultilabel(case: Case) -> float:
    return _libmultilabel(case, another=False)


@library("torch", package="libmultilabel", float32=True)
def libmultilabel_another(case: Case) -> float:
    return _libmultilabel(case, another=True)


@library("torch", "flair-0.4.0", package="flair", tolerance=1e-4)
def flair_0_4_0(case: Case) -> float:
    """It rounds the scores of the classes, and their mean, to 4 decimals."""
    sys.modules["flair"] = sys.modules["flair.data"] = _StandIn("flair")
    metric = _alone("flair/training_utils.py").Metric("")
    for true, pred in zip(case["true"], case["pred"], strict=True):
        for label in range(case["k"]):
            name = ("tn", "fp", "fn", "tp")[2 * (label == true) + (label == pred)]
            getattr(metric, f"add_{name}")(label)
    return float(metric.macro_avg_f_score())


def _catboost(case: Case, metric: str) -> float:
    from catboost.utils import eval_metric

    scores = [[float(x == label) for label in range(case["k"])] for x in case["pred"]]
    return float(eval_metric(case["true"], scores, metric)[0])


@library("catboost")
def catboost(case: Case) -> float:
    return _catboost(case, "TotalF1")


@library("catboost", package="catboost")
def catboost_macro(case: Case) -> float:
    return _catboost(case, "TotalF1:average=Macro")


@library("spacy")
def spacy(case: Case) -> float:
    from spacy.scorer import Scorer
    from spacy.tokens import Doc
    from spacy.training import Example
    from spacy.vocab import Vocab

    vocab, labels = Vocab(), [f"c{each}" for each in range(case["k"])]

    def document(chosen: int) -> Doc:
        doc = Doc(vocab, words=["x"])
        doc.cats = {label: float(label == f"c{chosen}") for label in labels}
        return doc

    pairs = zip(case["pred"], case["true"], strict=True)
    examples = [Example(document(pred), document(true)) for pred, true in pairs]
    scores = Scorer.score_cats(examples, "cats", labels=labels, multi_label=False)
    return float(scores["cats_macro_f"])


@cache
def _session() -> Any:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    return builder.config("spark.sql.shuffle.partitions", "1").getOrCreate()


@library("spark", package="pyspark", most=40)
def spark(case: Case) -> float:
    from pyspark.ml.evaluation import MulticlassClassificationEvaluator

    rows = [(float(t), float(p)) for t, p in zip(case["true"], case["pred"], strict=True)]
    frame = _session().createDataFrame(rows, ["label", "prediction"])
    return float(MulticlassClassificationEvaluator(metricName="f1").evaluate(frame))


@library("mxnet", float32=True, options={"batch": 4})
def mxnet(case: Case) -> float:
    """Only two classes, 0 and 1: every other class becomes 0."""
    import mxnet as mx

    metric = mx.metric.F1(average="macro")
    true, pred = ([float(x == 1) for x in case[side]] for side in ("true", "pred"))
    for start in range(0, len(true), 4):
        scores = [[1 - x, x] for x in pred[start : start + 4]]
        metric.update([mx.nd.array(true[start : start + 4])], [mx.nd.array(scores)])
    return float(metric.get()[1])


def run_all(name: str, cases: list[Case]) -> list[float]:
    """The numbers that a library prints; NaN where the case is not compared."""
    chosen = LIBRARIES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [
            math.nan if chosen.outside(case) else float(chosen.run(case))
            for case in cases[: chosen.most]
        ]


def main() -> None:
    from importlib.metadata import version

    name = sys.argv[1]
    values = run_all(name, json.load(sys.stdin))
    record = {
        "version": version(LIBRARIES[name].package or name),
        "values": [None if math.isnan(value) else value for value in values],
    }
    print("record:" + json.dumps(record))


if __name__ == "__main__":
    main()
