"""Every score of the registry on 100 and on 10⁶ items, against scikit-learn and torchmetrics.

``python -m benchmarks.every_score`` prints the table, says which rows miss what is required, and
writes EVERY_SCORE.md. scikit-learn's function is the one that a metric is declared with; a metric
that is declared later gets its row automatically. With ``--small`` only 100 items are tried.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import torchmetrics.functional.classification as tm
import torchmetrics.functional.clustering as clustering
import torchmetrics.functional.nominal as nominal
from benchmarks.harness import (
    Disagreement,
    Line,
    Row,
    agree,
    machine,
    measure,
    table,
)
from numpy.typing import NDArray
from sklearn import metrics as sk
from sklearn.calibration import calibration_curve

import whichf1 as wf
from whichf1.metrics import EVERY
from whichf1.metrics.registry import Metric

RESULTS = Path(__file__).with_name("EVERY_SCORE.md")
SK, TM, AUC = "scikit-learn", "torchmetrics, validate_args=False", "a bare AUC in C++"
READ = "torch: true.sum() + predicted.sum()"
SIZES = {100: "100", 10**6: "10⁶"}
CLASSES, LABELS = 10, 5
SETS = ("items", "label ranking")
SLOW = (
    *("label_ranking_average_precision", "label_ranking_loss", "dcg", "ndcg"),
    "precision_at_recall",
)
"""Which take a peer seconds or minutes for a million items, and are not tried with so many."""


def bars(kind: str, n: int) -> dict[str, float]:
    """How many times faster than its peers a score of a kind must be; 1/1.5 for a bare AUC."""
    if n < 1000:
        return {SK: 25 if kind in (*SETS, "curve") else 50, TM: 10, AUC: 1 / 1.5}
    return {SK: 20, TM: 5, AUC: 3}


def often(n: int) -> dict[str, Any]:
    """How often each call is tried in a row, which takes what others left in the caches out of it.

    All rows together take one to two minutes.
    """
    return {"repeat": 50, "seconds": 0.15} if n < 1000 else {"repeat": 20, "seconds": 0.2}


class Items(NamedTuple):
    """Random items as scores of each kind take them."""

    two: tuple[Any, Any]
    """Two classes, and predictions of which most are right."""
    several: tuple[Any, Any]
    """The same with more classes."""
    scored: tuple[Any, Any]
    """Whether an item is positive, and a probability that correlates with it."""
    rows: tuple[Any, Any]
    """A class, and a distribution over all classes."""
    sets: tuple[Any, Any]
    """Labels as 0 and 1, and predicted ones."""
    ranked: tuple[Any, Any]
    """Labels, and a score for each."""


@cache
def items(n: int) -> Items:
    rng = np.random.default_rng(3)

    def predicted(classes: int) -> tuple[Any, Any]:
        true = rng.integers(0, classes, n)
        return true, np.where(rng.random(n) < 0.7, true, rng.integers(0, classes, n))

    two, several = predicted(2), predicted(CLASSES)
    scores = np.clip(0.6 * rng.random(n) + 0.4 * two[0] * rng.random(n), 0, 1)
    raw = rng.random((n, CLASSES)) + 0.01
    labels = rng.integers(0, 2, (n, LABELS))
    sets = np.where(rng.random((n, LABELS)) < 0.8, labels, 1 - labels)
    rows = (several[0], raw / raw.sum(1, keepdims=True))
    return Items(
        two, several, (two[0], scores), rows, (labels, sets), (labels, rng.random(sets.shape))
    )


def data_of(metric: Metric, n: int) -> tuple[Any, Any]:
    """What a metric is computed from."""
    every = items(n)
    if metric.kind == "loss":
        return every.rows
    places = {"rate": 0, "agreement": 1, "ranking": 2, "items": 4, "label ranking": 5}
    chosen: tuple[Any, Any] = every[places[metric.kind]]
    return chosen


OPTIONS: dict[str, dict[str, Any]] = {
    "f_beta": {"beta": 2},
    "expected_cost": {"costs": (1 - np.eye(CLASSES)).tolist()},
    "normalized_expected_cost": {"costs": (1 - np.eye(CLASSES)).tolist()},
}
"""What our function is called with, beside positive=1 of a rate."""
SKLEARN: dict[str, Callable[..., Any]] = {
    "specificity": partial(sk.recall_score, pos_label=0),
    "negative_predictive_value": partial(sk.precision_score, pos_label=0),
    "adjusted_balanced_accuracy": partial(sk.balanced_accuracy_score, adjusted=True),
    "f_beta": partial(sk.fbeta_score, beta=2),
    "top_k_accuracy": partial(sk.top_k_accuracy_score, k=2),
    "positive_likelihood_ratio": lambda *x: sk.class_likelihood_ratios(*x)[0],
    "negative_likelihood_ratio": lambda *x: sk.class_likelihood_ratios(*x)[1],
}
"""Where scikit-learn's function takes an option, or gives more than the score."""
_OFF: Any = {"validate_args": False}
_SEVERAL: Any = {"num_classes": CLASSES, **_OFF}
_LABELS: Any = {"num_labels": LABELS, **_OFF}


def _value(function: Any, *data: Any, **options: Any) -> Any:
    """The first of a value and its threshold."""
    return function(*data, **options, **_OFF)[0]


TORCH: dict[str, Callable[..., Any]] = {
    "precision": partial(tm.binary_precision, **_OFF),
    "recall": partial(tm.binary_recall, **_OFF),
    "specificity": partial(tm.binary_specificity, **_OFF),
    "negative_predictive_value": partial(tm.binary_negative_predictive_value, **_OFF),
    "f_beta": partial(tm.binary_fbeta_score, beta=2.0, **_OFF),
    "f1": partial(tm.binary_f1_score, **_OFF),
    "jaccard": partial(tm.binary_jaccard_index, **_OFF),
    "one_vs_rest_accuracy": partial(tm.binary_accuracy, **_OFF),
    "accuracy": partial(tm.multiclass_accuracy, average="micro", **_SEVERAL),
    "cohen_kappa": partial(tm.multiclass_cohen_kappa, **_SEVERAL),
    "mcc": partial(tm.multiclass_matthews_corrcoef, **_SEVERAL),
    "subset_accuracy": partial(tm.multilabel_exact_match, **_LABELS),
    "hamming_loss": partial(tm.multilabel_hamming_distance, average="micro", **_LABELS),
    "label_ranking_average_precision": partial(tm.multilabel_ranking_average_precision, **_LABELS),
    "coverage_error": partial(tm.multilabel_coverage_error, **_LABELS),
    "label_ranking_loss": partial(tm.multilabel_ranking_loss, **_LABELS),
    "expected_calibration_error": partial(tm.binary_calibration_error, n_bins=10, **_OFF),
    "roc_auc": partial(tm.binary_auroc, **_OFF),
    "average_precision": partial(tm.binary_average_precision, **_OFF),
    "top_k_accuracy": partial(tm.multiclass_accuracy, average="micro", top_k=2, **_SEVERAL),
    "hinge_loss": partial(tm.multiclass_hinge_loss, **_SEVERAL),
    "max_calibration_error": partial(tm.binary_calibration_error, n_bins=10, norm="max", **_OFF),
    "rms_calibration_error": partial(tm.binary_calibration_error, n_bins=10, norm="l2", **_OFF),
    "equal_error_rate": partial(tm.binary_eer, **_OFF),
    "one_vs_rest_mcc": partial(tm.binary_matthews_corrcoef, **_OFF),
    "recall_at_precision": partial(_value, tm.binary_recall_at_fixed_precision, min_precision=0.9),
    "precision_at_recall": partial(_value, tm.binary_precision_at_fixed_recall, min_recall=0.9),
    "sensitivity_at_specificity": partial(
        _value, tm.binary_sensitivity_at_specificity, min_specificity=0.9
    ),
    "specificity_at_sensitivity": partial(
        _value, tm.binary_specificity_at_sensitivity, min_sensitivity=0.9
    ),
    "cramer_v": partial(nominal.cramers_v, bias_correction=False),
    "mutual_information": clustering.mutual_info_score,
    "normalized_mutual_information": clustering.normalized_mutual_info_score,
    "adjusted_rand_index": clustering.adjusted_rand_score,
}
"""Functions of torchmetrics that give the same score.

Its log-AUC interpolates on another scale, its Fleiss' kappa takes several raters, its retrieval
nDCG takes one query, and its Fowlkes–Mallows index compares clusterings.
"""
OVERFLOWING = ("adjusted_rand_index",)
"""Which torchmetrics computes in 32 bits, so that a million items give another number."""


def peers_of(metric: Metric, n: int) -> dict[str, Callable[..., Any]]:
    """Calls of the same score, each on data as its library takes them best."""
    true, other = data_of(metric, n)
    peers: dict[str, Callable[..., Any]] = {}
    if metric.sklearn is not None and not (metric.name in SLOW and n > 1000):
        call = SKLEARN.get(metric.name) or getattr(sk, str(metric.sklearn))
        peers[SK] = lambda *_: call(true, other)
    if metric.name in TORCH and not (metric.name in (*SLOW, *OVERFLOWING) and n > 1000):
        torches = torch.from_numpy(other), torch.from_numpy(true)
        peers[TM] = lambda *_: TORCH[metric.name](*torches)
    if metric.name == "roc_auc":
        bare = bare_auc()
        if bare is not None:
            peers[AUC] = bare
    return peers


def score_rows(n: int) -> Iterator[Row]:
    """A row for each score."""
    for name, metric in EVERY.items():
        if metric.kind == "value":  # a mean of a column, which no peer has
            continue
        options = dict(OPTIONS.get(name, {}))
        if metric.kind == "rate":
            options["positive"] = 1
        ours = partial(getattr(wf, name), **options)
        data, peers = data_of(metric, n), peers_of(metric, n)
        tries = often(n) if peers else {"seconds": 0.05}
        work = f"{name}, {SIZES[n]}"
        yield Row(work, partial(tuple, data), ours, peers, bars(metric.kind, n), **tries)


class Curve(NamedTuple):
    """A curve of ours and of scikit-learn's, and a number that both have."""

    ours: Callable[..., Any]
    theirs: Callable[..., Any]
    number: Callable[[Any], float]
    number_of_theirs: Callable[[Any], float]


def _step_area(recall: Any, precision: Any) -> float:
    return float(np.sum(np.abs(np.diff(recall)) * precision))


CURVES = {
    "roc_curve": Curve(
        wf.roc_curve,
        partial(sk.roc_curve, drop_intermediate=False),
        lambda x: float(np.trapezoid(x.y, x.x)),
        lambda x: float(np.trapezoid(x[1], x[0])),
    ),
    "pr_curve": Curve(
        wf.pr_curve,
        sk.precision_recall_curve,
        lambda x: _step_area(x.x, x.y[1:]),
        lambda x: _step_area(x[1], x[0][:-1]),
    ),
    "det_curve": Curve(
        wf.det_curve,
        sk.det_curve,
        lambda x: float((x.x + x.y).min()),
        lambda x: float((x[0] + x[1]).min()),
    ),
    "calibration_curve": Curve(
        partial(wf.calibration_curve, bins=5),
        partial(calibration_curve, n_bins=5),
        lambda x: float(np.sum(x.y)),
        lambda x: float(np.sum(x[0])),
    ),
}


def other_rows(n: int) -> Iterator[Row]:
    """Curves, and rates of label sets."""
    for name, curve in CURVES.items():
        data = items(n).scored
        ours, theirs = curve.ours(*data), curve.theirs(*data)
        agree(name, {"whichf1": curve.number(ours), SK: curve.number_of_theirs(theirs)})
        calls = (curve.ours, {SK: curve.theirs})
        work = f"{name}, {SIZES[n]}"
        yield Row(work, partial(tuple, data), *calls, bars("curve", n), same=False, **often(n))
    sets = items(n).sets
    averages: tuple[Any, ...] = ("macro", "samples")
    for average in averages:
        yield Row(
            f"f1 of label sets, {average}, {SIZES[n]}",
            partial(tuple, sets),
            partial(_f1_of_sets, average),
            {SK: partial(sk.f1_score, average=average, zero_division=0)},
            bars("items", n),
            **often(n),
        )


def limit_rows(n: int) -> Iterator[Row]:
    """What no program can do without: to read both columns, as torch does on all cores."""
    for score, data in ((wf.accuracy, items(n).several), (wf.subset_accuracy, items(n).sets)):
        work = f"{score.__name__}, {SIZES[n]}"
        yield Row(work, partial(tuple, data), score, {READ: _read}, same=False, **often(n))


def _read(true: NDArray[Any], other: NDArray[Any]) -> float:
    return float(torch.from_numpy(true).sum() + torch.from_numpy(other).sum())


def _f1_of_sets(average: Any, true: NDArray[Any], predicted: NDArray[Any]) -> float:
    if average == "samples":
        return wf.f1(true, predicted, average=average)
    return wf.f1(wf.count_multilabel(true, predicted), average=average)


SOURCE = """
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>
extern "C" double auc(const int64_t *y, const double *s, size_t n)
{
    std::vector<size_t> order(n);
    for (size_t i = 0; i < n; i++) order[i] = i;
    std::sort(order.begin(), order.end(), [s](size_t a, size_t b) { return s[a] > s[b]; });
    double area = 0, tp = 0, fp = 0, tp0 = 0, fp0 = 0;
    for (size_t i = 0; i < n; i++) {
        if (i && s[order[i]] != s[order[i - 1]]) {
            area += (fp - fp0) * (tp + tp0) / 2;
            tp0 = tp, fp0 = fp;
        }
        if (y[order[i]]) tp++;
        else fp++;
    }
    area += (fp - fp0) * (tp + tp0) / 2;
    return area / (tp * fp);
}
"""


@cache
def bare_auc() -> Callable[..., float] | None:
    """One sort and one pass, without any check: what the package fastauc does, in its place."""
    compiler = shutil.which("c++")
    if compiler is None:
        print("the bare AUC is left out: there is no C++ compiler")
        return None
    folder = Path(tempfile.mkdtemp(prefix="whichf1_bench_"))
    (folder / "auc.cpp").write_text(SOURCE)
    command = [compiler, "-O3", "-shared", "-fPIC", "-o", "auc.so", "auc.cpp"]
    subprocess.run(command, cwd=folder, check=True)
    library = ctypes.CDLL(str(folder / "auc.so"))
    library.auc.restype = ctypes.c_double
    pointers = [np.ctypeslib.ndpointer(kind, flags="C") for kind in (np.int64, np.float64)]
    library.auc.argtypes = [*pointers, ctypes.c_size_t]
    shutil.rmtree(folder)

    def auc(true: NDArray[Any], scores: NDArray[Any]) -> float:
        return float(library.auc(true, scores, len(true)))

    return auc


def main() -> int:
    """Measure everything, print it and write the table; return 1 if results differ."""
    warnings.simplefilter("ignore")
    lines: list[Line] = []
    sizes = [n for n in SIZES if n < 1000 or "--small" not in sys.argv]
    sizes = [n for n in sizes if n > 1000 or "--large" not in sys.argv]
    try:
        for n in sizes:
            for row in (*score_rows(n), *other_rows(n), *(limit_rows(n) if n > 1000 else ())):
                new = measure(row)
                print(table(new).split("\n", 2)[2], end="", flush=True)
                lines += new
    except Disagreement as error:
        print(f"results differ: {error}", file=sys.stderr)
        return 1
    missed = [f"{x.work} ({x.peer}: {x.ratio:.3g} of {x.bar:.3g})" for x in lines if not x.reached]
    required = sum(x.bar is not None for x in lines)
    said = f"{required - len(missed)} of {required} requirements are reached."
    if missed:
        said += " Missed: " + "; ".join(missed) + "."
    print(said)
    if len(sizes) == len(SIZES):
        head = "# Every score\n\nMeasured by `python -m benchmarks.every_score`, as RESULTS.md is. "
        head += "The bare AUC in C++ stands for the package fastauc: one sort and one pass. "
        head += "The last rows show how long it takes to read the items: a score that takes as "
        head += "long cannot be computed faster.\n\n"
        text = f"{head}{said}\n\n{table(lines)}\nMachine: {machine()}\n"
        RESULTS.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
