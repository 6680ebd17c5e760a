"""Cases of wrong calls: the kind of error, and not what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import whichf1
from tests.goldens.plain import Case
from tests.goldens.tables import folder, source

wf: Any = whichf1  # a type checker would refuse most of these calls
TRUE, PRED, SCORES = [0, 1, 1, 0], [0, 1, 0, 0], [0.1, 0.8, 0.4, 0.3]
FRAME: dict[str, Any] = {"true": "gold", "pred": "pred"}


def mistakes() -> Iterator[Case]:
    """Every wrong call by name."""
    every = {**of_data(), **of_options(), **of_scores(), **of_systems(), **of_files(), **of_rest()}
    for name, run in every.items():
        yield f"mistakes/{name}", run


Calls = dict[str, Callable[[], Any]]


def of_data() -> Calls:
    """Labels, shapes and weights."""
    return {
        "unequal lengths": lambda: wf.count([0, 1], [0]),
        "no items": lambda: wf.count([], []),
        "a missing label": lambda: wf.count(["a", None], ["a", "b"]),
        "NaN as a label": lambda: wf.count([0.0, float("nan")], [0.0, 1.0]),
        "mixed labels": lambda: wf.count(["a", 1], ["a", "b"]),
        "labels of two types": lambda: wf.count(["a", "b"], [0, 1]),
        "fractional labels": lambda: wf.count([0.5, 1.0], [0.0, 1.0]),
        "an undeclared label": lambda: wf.count(TRUE, PRED, labels=[0]),
        "a label declared twice": lambda: wf.count(TRUE, PRED, labels=[0, 1, 1]),
        "negative weights": lambda: wf.count(TRUE, PRED, weights=[1, -1, 1, 1]),
        "NaN weights": lambda: wf.count(TRUE, PRED, weights=[1, float("nan"), 1, 1]),
        "too few weights": lambda: wf.count(TRUE, PRED, weights=[1.0]),
        "too few clusters": lambda: wf.count(TRUE, PRED, cluster=[1]),
        "two dimensions": lambda: wf.count(np.zeros((2, 2)), np.zeros((2, 2))),
        "one array": lambda: wf.count(TRUE),
        "columns of arrays": lambda: wf.count(TRUE, PRED, true="gold"),
        "an oblong matrix": lambda: wf.Counts.from_matrix([[1, 2, 3], [1, 2, 3]], rows="true"),
        "a negative matrix": lambda: wf.Counts.from_matrix([[1, -2], [1, 2]], rows="true"),
        "a fractional matrix": lambda: wf.Counts.from_matrix([[1.5, 2], [1, 2]], rows="true"),
        "unsaid rows": lambda: wf.Counts.from_matrix([[1, 2], [1, 2]], rows="either"),
        "labels of a matrix": lambda: wf.Counts.from_matrix([[1]], rows="true", labels=["a", "b"]),
        "declared too few": lambda: wf.count(TRUE, PRED).declare([0]),
        "weights and none": lambda: wf.count(TRUE, PRED) + wf.count(TRUE, PRED, weights=SCORES),
        "labels that differ": lambda: wf.count(TRUE, PRED) + wf.count(["a"], ["b"]),
        "other declared labels": lambda: (
            wf.count(TRUE, PRED, labels=[0, 1]) + wf.count([2], [2], labels=[1, 2])
        ),
        "clusters and none": lambda: wf.count(TRUE, PRED, cluster=TRUE) + wf.count(TRUE, PRED),
        "damaged counts": lambda: wf.Counts.from_json('{"format": "whichf1.counts"}'),
        "counts of nothing": lambda: wf.Counts.load("/no/such/counts.json"),
        "immutable counts": lambda: setattr(wf.count(TRUE, PRED), "n", 3),
        "counts and predictions": lambda: wf.accuracy(wf.count(TRUE, PRED), PRED),
        "sets and a class": lambda: wf.count_multilabel([{"a"}], [{"a"}, {"b"}]),
        "a matrix of 2": lambda: wf.count_multilabel([[0, 2]], [[0, 1]]),
        "sets of two types": lambda: wf.count_multilabel([{"a"}], [{1}]),
        "an undeclared set": lambda: wf.count_multilabel([{"a"}], [{"b"}], labels=["a"]),
        "two decisions": lambda: wf.count_multilabel([[0, 1]], [[0.1, 0.2]], threshold=1, top_k=1),
        "top 0 of sets": lambda: wf.count_multilabel([[0, 1]], [[0.1, 0.2]], top_k=0),
    }


def of_options() -> Calls:
    """Metrics, averages, intervals and signatures."""
    return {
        "no such metric": lambda: wf.score(TRUE, PRED, "f2"),
        "no such name": lambda: wf.f2,
        "macro f1 by name": lambda: wf.score(TRUE, PRED, "macro_f1"),
        "which class": lambda: wf.f1(TRUE, PRED),
        "class and average": lambda: wf.f1(TRUE, PRED, positive=1, average="macro"),
        "no such average": lambda: wf.f1(TRUE, PRED, average="mean"),
        "no such class": lambda: wf.f1(TRUE, PRED, positive=7),
        "average of accuracy": lambda: wf.accuracy(TRUE, PRED, average="macro"),
        "accuracy per class": lambda: wf.accuracy.per_class(TRUE, PRED),
        "formula of recall": lambda: wf.recall(TRUE, PRED, average="macro", formula="averaged"),
        "no such option": lambda: wf.f1(TRUE, PRED, averge="macro"),
        "beta of F1": lambda: wf.f1(TRUE, PRED, average="macro", beta=2),
        "negative beta": lambda: wf.f_beta(TRUE, PRED, average="macro", beta=-1),
        "undefined two": lambda: wf.averaged_f1(TRUE, PRED, undefined="two"),
        "no such scope": lambda: wf.averaged_f1(TRUE, PRED, undefined=1, scope="all"),
        "no such class set": lambda: wf.averaged_f1(TRUE, PRED, classes="some"),
        "empty class set": lambda: wf.averaged_f1(TRUE, PRED, classes=[]),
        "all excluded": lambda: wf.averaged_f1(TRUE, PRED, exclude=[0, 1]),
        "all ignored": lambda: wf.averaged_f1(TRUE, PRED, ignore=[0, 1]),
        "a range of text": lambda: wf.averaged_f1(["a"], ["b"], classes="range"),
        "epsilon below 0": lambda: wf.averaged_f1(TRUE, PRED, epsilon=-1),
        "epsilon and skip": lambda: wf.averaged_f1(TRUE, PRED, epsilon=1, undefined="skip"),
        "batch 0": lambda: wf.averaged_f1(TRUE, PRED, batch=0),
        "batches of counts": lambda: wf.averaged_f1(wf.count(TRUE, PRED), batch=2),
        "batches with weights": lambda: wf.averaged_f1(TRUE, PRED, batch=2, weights=SCORES),
        "no such interval": lambda: wf.accuracy(TRUE, PRED, interval="wald"),
        "level 95": lambda: wf.Delta(95),
        "few replicates": lambda: wf.Bootstrap(replicates=10),
        "no such bootstrap": lambda: wf.Bootstrap(kind="basic"),
        "wilson of F1": lambda: wf.averaged_f1(TRUE, PRED, interval="wilson"),
        "delong of accuracy": lambda: wf.accuracy(TRUE, PRED, interval="delong"),
        "samples of classes": lambda: wf.f1(wf.count(TRUE, PRED), average="samples"),
        "unknown field": lambda: wf.Definition.parse("f1|avg:macro|foo:1"),
        "other version": lambda: wf.Definition.parse("f1|avg:macro|v:2"),
        "label without quotes": lambda: wf.Definition.parse("f1|positive:spam"),
        "level alone": lambda: wf.Definition.parse("f1|avg:macro|level:0.9"),
        "signature and options": lambda: wf.score(TRUE, PRED, "f1|avg:macro", undefined=1),
        "score without metric": lambda: wf.score(TRUE),
        "scores unlike": lambda: wf.accuracy(TRUE, PRED) < wf.mcc(TRUE, PRED),
    }


def of_scores() -> Calls:
    """Rankings, losses, curves, thresholds and decisions."""
    three = [[0.2, 0.3, 0.5], [0.1, 0.8, 0.1], [0.6, 0.3, 0.1], [0.3, 0.3, 0.4]]
    return {
        "one class to rank": lambda: wf.roc_auc([1, 1], [0.1, 0.2]),
        "text without positive": lambda: wf.roc_auc(["a", "b"], [0.1, 0.2]),
        "NaN scores": lambda: wf.roc_auc(TRUE, [0.1, float("nan"), 0.2, 0.3]),
        "scores too few": lambda: wf.roc_auc(TRUE, [0.1]),
        "auc of counts": lambda: wf.roc_auc(wf.count(TRUE, PRED)),
        "auc of several": lambda: wf.roc_auc([0, 1, 2, 0], three),
        "ranks by micro": lambda: wf.roc_auc([0, 1, 2, 0], three, average="micro"),
        "ovo of precision": lambda: wf.average_precision(
            [0, 1, 2, 0], three, average="macro", multi_class="ovo"
        ),
        "max_fpr 2": lambda: wf.roc_auc(TRUE, SCORES, max_fpr=2),
        "top 0": lambda: wf.gain(TRUE, SCORES, top=0),
        "delta of ks": lambda: wf.ks(TRUE, SCORES, interval="delta"),
        "delong of ap": lambda: wf.average_precision(TRUE, SCORES, interval="delong"),
        "no probabilities": lambda: wf.log_loss(TRUE, [0.1, 2.0, 0.3, 0.4]),
        "rows beyond 1": lambda: wf.log_loss([0, 1], [[0.5, 0.6], [0.5, 0.5]]),
        "positive of columns": lambda: wf.brier([0, 1, 2, 0], three, positive=1),
        "calibration beyond 1": lambda: wf.expected_calibration_error(TRUE, [1, 2, 3, 4]),
        "bins 0": lambda: wf.expected_calibration_error(TRUE, SCORES, bins=0),
        "k 0": lambda: wf.top_k_accuracy([0, 1, 2, 0], three, k=0),
        "moments of f1": lambda: wf.moments(TRUE, SCORES, "f1"),
        "moments of nothing": lambda: wf.moments(TRUE, SCORES),
        "moments unlike": lambda: (
            wf.moments(TRUE, SCORES, "brier") + wf.moments(TRUE, SCORES, "log_loss")
        ),
        "bootstrap of moments": lambda: wf.brier(
            wf.moments(TRUE, SCORES, "brier"), interval="bootstrap"
        ),
        "rankings unlike": lambda: (
            wf.rank(TRUE, SCORES) + wf.rank(TRUE, SCORES, weights=[1.0, 1.0, 1.0, 2.0])
        ),
        "ranking of other class": lambda: wf.roc_auc(wf.rank(TRUE, SCORES), positive=0),
        "loss of a ranking": lambda: wf.log_loss(wf.rank(TRUE, SCORES)),
        "weighted ranking": lambda: wf.roc_auc(
            wf.rank(TRUE, SCORES, weights=SCORES), interval="delta"
        ),
        "outside a histogram": lambda: wf.rank_histogram(TRUE, [0.1, 2.0, 0.3, 0.4]),
        "histogram of 0 bins": lambda: wf.rank_histogram(TRUE, SCORES, bins=0),
        "a curve without scores": lambda: wf.roc_curve(TRUE),
        "curve of several": lambda: wf.calibration_curve([0, 1, 2, 0], three),
        "best prevalence": lambda: wf.best_threshold(TRUE, SCORES, "prevalence"),
        "best auc": lambda: wf.best_threshold(TRUE, SCORES, "roc_auc"),
        "no threshold": lambda: wf.at_threshold(TRUE, SCORES),
        "threshold of several": lambda: wf.at_threshold([0, 1, 2], [0.1, 0.2, 0.3], 0.5),
        "top k 0": lambda: wf.at_top_k([0, 1, 2, 0], three, 0),
        "no such ties": lambda: wf.at_argmax([0, 1, 2, 0], three, ties="best"),
        "labels ranked oddly": lambda: wf.coverage_error([[1, 0]], [[0.1, 0.2, 0.3]]),
    }


def of_systems() -> Calls:
    """Comparisons."""
    two = {"A": PRED, "B": TRUE}
    return {
        "one system": lambda: wf.compare(TRUE, {"A": PRED}),
        "no names": lambda: wf.compare(TRUE, [PRED, TRUE]),
        "interval of comparison": lambda: wf.compare(TRUE, two, interval="delta"),
        "replicates 5": lambda: wf.compare(TRUE, two, replicates=5),
        "power 2": lambda: wf.compare(TRUE, two, power=2),
        "margin 0": lambda: wf.compare(TRUE, two, margin=0),
        "ks without draws": lambda: wf.compare(
            TRUE, {"A": SCORES, "B": SCORES}, "ks", replicates=0
        ),
        "systems too short": lambda: wf.compare(TRUE, {"A": PRED, "B": [0]}),
        "columns of arrays compared": lambda: wf.compare(TRUE, two, true="gold"),
        "one system to rank": lambda: wf.rank_systems({"A": wf.count(TRUE, PRED)}),
        "comparison's signature": lambda: wf.score(
            TRUE, PRED, wf.compare(TRUE, two, "accuracy", replicates=99).signature
        ),
    }


def of_files() -> Calls:
    """Frames and files."""
    here = folder()
    (here / "empty.csv").write_text("", encoding="utf-8")
    (here / "ragged.csv").write_text("gold,pred\na,a\nb,b,b\n", encoding="utf-8")
    (here / "what.xyz").write_text("gold,pred\na,a\n", encoding="utf-8")
    frame = source("pandas")
    return {
        "no such file": lambda: wf.count("/no/such/file.csv"),
        "an empty file": lambda: wf.count(str(here / "empty.csv")),
        "a ragged file": lambda: wf.count(str(here / "ragged.csv")),
        "a strange file": lambda: wf.count(str(here / "what.xyz")),
        "no such column": lambda: wf.count(frame, true="golden", pred="pred"),
        "no such weights": lambda: wf.count(frame, weights="heavy", **FRAME),
        "columns by number": lambda: wf.count(frame, true=0, pred=1),
        "pred as a list": lambda: wf.count(frame, true="gold", pred=["pred"]),
        "score of counts": lambda: wf.f1(frame, average="macro", true="gold", score="score"),
        "slices of arrays": lambda: wf.count_by(TRUE, by="lang"),
        "no such slice": lambda: wf.count_by(frame, by="lang", **FRAME)["it"],
        "classes in another order": lambda: wf.log_loss(
            frame, true="gold", score=["ant", "bee", "cat"], labels=["cat", "bee", "ant"]
        ),
        "systems in no column": lambda: wf.compare(frame, ["pred", "no"], true="gold"),
    }


def of_rest() -> Calls:
    """Both macro F1s, published numbers, dialects."""
    triple: dict[str, Any] = {"precision": 0.5, "recall": 0.5, "f1": 0.5}
    return {
        "gap of skipped": lambda: wf.macro_f1(TRUE, PRED, undefined="skip"),
        "formula of both": lambda: wf.macro_f1(TRUE, PRED, formula="averaged"),
        "both of scores": lambda: wf.macro_f1(TRUE, score=SCORES),
        "supremum of 0": lambda: wf.supremum(0),
        "extremal of 1": lambda: wf.extremal(1, 5),
        "precision 2": lambda: wf.bounds(2, 0.5),
        "no such table": lambda: wf.bounds(1.0, 0.0, 2),
        "class 3 of 2": lambda: wf.precision_recall_f1([0, 2], [0, 1], 2),
        "explain a word": lambda: wf.explain(TRUE, PRED, "high"),
        "explain nothing": lambda: wf.explain(TRUE),
        "explain sets": lambda: wf.explain(wf.count_multilabel([{"a"}], [{"a"}]), 0.5),
        "decimals too few": lambda: wf.explain(TRUE, PRED, 0.1234, decimals=2),
        "two scales": lambda: wf.audit(precision=60, recall=0.5, f1=0.5),
        "F1 of 200": lambda: wf.audit(precision=60, recall=50, f1=200),
        "classes 0": lambda: wf.audit(**triple, classes=0),
        "both known": lambda: wf.audit(**triple, per_class=[(1, 1)], counts=wf.count(TRUE, PRED)),
        "other classes known": lambda: wf.audit(**triple, classes=5, counts=wf.count(TRUE, PRED)),
        "no such dialect": lambda: wf.dialects["scikit"],
        "option of a dialect": lambda: wf.dialects["sklearn"](TRUE, PRED, foo=1),
        "mxnet of three": lambda: wf.dialects["mxnet"]([0, 1, 2], [0, 1, 2]),
        "convert from nowhere": lambda: wf.dialects.convert(
            TRUE, PRED, source="x", target="sklearn"
        ),
    }
