"""Raters, spans, hierarchies, groups, labels and operating points of a million items, beside the
libraries that have them.

Run from the root: ``python -m benchmarks.other_scores`` writes a section of RESULTS.md. Data are
arrays or lists in memory, and the results of all must agree. Peers that take many seconds for a
million items are tried with fewer; with ``--slow``, with all.
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import pairwise
from typing import Any

import krippendorff
import numpy as np
import pandas as pd
import pycm
import sklearn.metrics as sk
import torch
import torchmetrics.functional.classification as torchmetrics
from benchmarks.harness import Row, chosen, measure, table, write_section
from fairlearn.metrics import MetricFrame, equalized_odds_difference
from hiclass import metrics as hiclass
from irrCAC.raw import CAC
from nervaluate import Evaluator
from seqeval import metrics as seqeval
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

import whichf1 as wf

N = 1_000_000
TIMES = 10.0
"""How many times as fast as a peer we want to be."""
TITLE = "Raters, spans, hierarchies and groups"
POINT = 0.7
"""The recall, precision, sensitivity or specificity at which another is measured."""
PARENTS = {"cat": "animal", "dog": "animal", "rose": "plant", "animal": None, "plant": None}


@cache
def rated() -> tuple[Any, ...]:
    """Five categories by three raters."""
    return (np.random.default_rng(3).integers(0, 5, (N, 3)),)


@cache
def with_missing() -> tuple[Any, ...]:
    """The same; a tenth of the ratings is missing."""
    rng = np.random.default_rng(4)
    return (np.where(rng.random((N, 3)) < 0.1, np.nan, rated()[0]),)


@cache
def tagged() -> tuple[Any, ...]:
    """Sentences of ten tokens on average, of which a fifth begins a span; most tags are right."""
    rng = np.random.default_rng(5)
    kinds = ("PER", "LOC", "ORG")

    def marked(begins: Any, long: Any, kind: Any) -> list[str]:
        tags, last = [], ""
        for begin, more, which in zip(begins, long, kind, strict=True):
            last = kinds[which] if begin else last if more else ""
            tags.append("O" if not last else f"B-{last}" if begin else f"I-{last}")
        return tags

    begins, long, kind = rng.random(N) < 0.2, rng.random(N) < 0.5, rng.integers(0, 3, N)
    true = marked(begins, long, kind)
    other = np.where(rng.random(N) < 0.9, kind, rng.integers(0, 3, N))
    pred = marked(begins ^ (rng.random(N) < 0.03), long ^ (rng.random(N) < 0.03), other)
    ends = np.cumsum(rng.poisson(9, N // 10) + 1)
    limits = [0, *ends[ends < N].tolist(), N]
    sides: tuple[list[list[str]], list[list[str]]] = ([], [])
    for side, tags in zip(sides, (true, pred), strict=True):
        for start, end in pairwise(limits):
            sentence = tags[start:end]
            for at, tag in enumerate(sentence):  # a span may not go on from the last sentence
                if not tag.startswith("I-"):
                    break
                sentence[at] = "O"
            side.append(sentence)
    return sides


@cache
def classes() -> tuple[Any, ...]:
    """Three classes of a hierarchy, and the paths to them."""
    leaves = np.array([["animal", "cat"], ["animal", "dog"], ["plant", "rose"]])
    a, b = np.random.default_rng(6).integers(0, 3, (2, N))
    return leaves[a], leaves[b]


@cache
def in_groups() -> tuple[Any, ...]:
    """Two classes in four groups."""
    rng = np.random.default_rng(0)
    true, group = rng.integers(0, 2, N), rng.integers(0, 4, N)
    return true, np.where(rng.random(N) < 0.8, true, 1 - true), group


@cache
def predicted() -> tuple[Any, ...]:
    """Five classes, of which most are predicted."""
    rng = np.random.default_rng(10)
    true = rng.integers(0, 5, N)
    return true, np.where(rng.random(N) < 0.7, true, rng.integers(0, 5, N))


@cache
def labelled() -> tuple[Any, ...]:
    """Sets of five labels, the rarest in a twentieth of the items, and the scores of each."""
    rng = np.random.default_rng(7)
    labels = (rng.random((N, 5)) < [0.5, 0.3, 0.2, 0.1, 0.05]).astype(int)
    labels[labels.sum(1) == 0, 0] = 1
    return labels, 0.8 * labels + rng.normal(size=(N, 5))


@cache
def distributed() -> tuple[Any, ...]:
    """Three classes, and the probability of each."""
    rng = np.random.default_rng(8)
    true = rng.integers(0, 3, N)
    p = rng.random((N, 3)) + np.eye(3)[true]
    return true, p / p.sum(1, keepdims=True)


@cache
def ranked() -> tuple[Any, ...]:
    """Two classes and the probability of one, as NumPy and as Torch has them."""
    rng = np.random.default_rng(9)
    true = rng.integers(0, 2, N)
    p = np.clip(0.3 * true + 0.7 * rng.random(N), 0, 1)
    return true, p, torch.from_numpy(true), torch.from_numpy(p)


SIZES = {1: "10⁶", 10: "10⁵", 100: "10⁴"}
"""How many items one of so many are."""


def first(data: Callable[[], tuple[Any, ...]], share: int) -> Callable[[], tuple[Any, ...]]:
    """The first of the items, or of the sentences: one of so many."""
    return lambda: tuple(column[: len(column) // share] for column in data())


def of_torch(name: str, *options: Any, first: bool = False, **others: Any) -> Callable[..., float]:
    """A function of torchmetrics without checks; ``first``: it also returns the threshold."""

    def call(true: Any, p: Any, on_torch: Any, p_torch: Any) -> float:
        function = getattr(torchmetrics, f"binary_{name}")
        value = function(p_torch, on_torch, *options, validate_args=False, **others)
        return float(value[0] if first else value)

    return call


def scored(name: str, **options: Any) -> Callable[..., float]:
    """One of our functions, of two classes."""
    return lambda true, p, *_: getattr(wf, name)(true, p, **options)


def of_ratings(score: Callable[..., Any], ratings: Any) -> float:
    """One of our functions, of several raters, with an interval as irrCAC has it."""
    return float(score(wf.ratings(ratings), interval="delta"))


def of_irrcac(name: str, ratings: Any) -> float:
    """A coefficient of irrCAC, which would round it to five digits."""
    return float(getattr(CAC(pd.DataFrame(ratings), digits=12), name)()["est"]["coefficient_value"])


def of_pycm(name: str, true: Any, pred: Any) -> float:
    """A score of PyCM, which computes all that it has."""
    return float(getattr(pycm.ConfusionMatrix(true, pred), name))


def by_type(true: Any, pred: Any) -> float:
    """The F1 of nervaluate where a span is right that overlaps one of its type."""
    found = Evaluator(true, pred, tags=["PER", "LOC", "ORG"], loader="list").evaluate()
    return float(found["overall"]["ent_type"].f1)


def frame(true: Any, pred: Any, group: Any) -> float:
    """fairlearn's difference between groups in accuracy."""
    measured = MetricFrame(
        metrics=sk.accuracy_score, y_true=true, y_pred=pred, sensitive_features=group
    )
    return float(measured.difference())


OF_LABELS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    **{
        f"{title} of 5 labels, {average}": (
            partial(ours, average=average),
            partial(theirs, average=average),
        )
        for title, ours, theirs in (
            ("ROC AUC", wf.roc_auc, sk.roc_auc_score),
            ("average precision", wf.average_precision, sk.average_precision_score),
        )
        for average in ("macro", "weighted", "micro")
    },
}
OF_ORDER: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "label ranking loss": (wf.label_ranking_loss, sk.label_ranking_loss),
    "nDCG of 5 labels": (wf.ndcg, sk.ndcg_score),
    "DCG of 5 labels": (wf.dcg, sk.dcg_score),
}
"""For which scikit-learn would take minutes: of a tenth of the items at most."""
OF_CLASSES: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "hinge loss, 3 classes": (wf.hinge_loss, sk.hinge_loss),
    "D² of log loss": (wf.log_loss_skill, sk.d2_log_loss_score),
    "D² of Brier score": (wf.brier_skill, sk.d2_brier_score),
}
OF_TABLES: dict[str, tuple[Callable[..., Any], str]] = {
    "Cohen's kappa": (wf.cohen_kappa, "Kappa"),
    "MCC": (wf.mcc, "Overall_MCC"),
    "confusion entropy": (wf.confusion_entropy, "Overall_CEN"),
}
"""Beside what PyCM calls them."""
OF_RATERS: dict[str, tuple[Callable[..., Any], str]] = {
    "Gwet's AC1": (wf.gwet_ac1, "gwet"),
    "Fleiss' kappa": (wf.fleiss_kappa, "fleiss"),
    "Krippendorff's alpha": (wf.krippendorff_alpha, "krippendorff"),
    "Brennan–Prediger coefficient": (wf.brennan_prediger, "bp"),
}
"""Beside what irrCAC calls them."""
ALIKE = ("fleiss", "bp", "weighted", "micro")
"""Coefficients and averages for which peers do nearly the same as for the others."""
POINTS = {
    "recall at precision": ("recall_at_precision", "recall_at_fixed_precision"),
    "sensitivity at specificity": ("sensitivity_at_specificity", "sensitivity_at_specificity"),
    "specificity at sensitivity": ("specificity_at_sensitivity", "specificity_at_sensitivity"),
}


def of_slow_peers(share: int) -> Iterator[Row]:
    """Rows whose peers take many seconds for all items, with one of so many of these."""
    slow, of_order, several = share == 1, max(share, 10), min(share, 10)
    for title, (ours, theirs) in OF_ORDER.items():
        yield Row(
            f"{title}, {SIZES[of_order]} items",
            first(labelled, of_order),
            ours,
            {"scikit-learn": theirs},
            {"scikit-learn": TIMES},
            slow=slow,
        )
    yield Row(
        f"precision at recall, {SIZES[share]} items",
        first(ranked, share),
        scored("precision_at_recall", at=POINT),
        {"torchmetrics": of_torch("precision_at_fixed_recall", POINT, first=True)},
        {"torchmetrics": TIMES},
        slow=slow,
    )
    yield Row(
        f"F1 of spans by type, {SIZES[share]} tokens",
        first(tagged, share),
        lambda true, pred: wf.micro_f1(wf.spans(true, pred, match="type")),
        {"nervaluate": by_type},
        {"nervaluate": TIMES},
        same=False,  # nervaluate may use up a true span for a prediction of another type
        slow=slow,
    )
    yield Row(
        f"hierarchical F1, {SIZES[share]} items",
        first(classes, share),
        lambda true, pred: wf.hierarchical_f1(true[:, 1], pred[:, 1], parents=PARENTS),
        {"hiclass": hiclass.f1},
        {"hiclass": TIMES},
        slow=slow,
    )
    yield Row(
        f"difference in accuracy between 4 groups, {SIZES[several]} items (ours with an interval)",
        first(in_groups, several),
        lambda true, pred, group: wf.groups(true, pred, "accuracy", by=group).difference.value,
        {"fairlearn": frame},
        {"fairlearn": TIMES},
        slow=slow,
    )
    yield Row(
        f"equalized odds of 4 groups, {SIZES[several]} items (ours with an interval)",
        first(in_groups, several),
        lambda true, pred, group: (
            wf.groups(true, pred, "equalized_odds", by=group).difference.value
        ),
        {"fairlearn": lambda *x: equalized_odds_difference(*x[:2], sensitive_features=x[2])},
        {"fairlearn": TIMES},
        slow=slow,
    )


ROWS = (
    Row(
        "Fleiss' kappa, 10⁶ items, 3 raters",
        rated,
        lambda x: wf.fleiss_kappa(wf.ratings(x)),
        {"statsmodels": lambda x: fleiss_kappa(aggregate_raters(x)[0])},
        {"statsmodels": TIMES},
    ),
    *(
        Row(
            f"{title}, 10⁶ items, 3 raters, with an interval",
            rated,
            partial(of_ratings, ours),
            {"irrCAC": partial(of_irrcac, theirs)},
            {"irrCAC": TIMES},
            slow=theirs in ALIKE,
        )
        for title, (ours, theirs) in OF_RATERS.items()
    ),
    *(
        Row(
            f"{title}, 5 classes, 10⁶ items",
            predicted,
            ours,
            {"PyCM": partial(of_pycm, theirs)},
            {"PyCM": TIMES},
        )
        for title, (ours, theirs) in OF_TABLES.items()
    ),
    Row(
        "Krippendorff's alpha of interval data, 10⁶ items, 3 raters, a tenth missing",
        with_missing,
        lambda x: wf.krippendorff_alpha(wf.ratings(x), level="interval"),
        {"krippendorff": lambda x: krippendorff.alpha(x.T, level_of_measurement="interval")},
        {"krippendorff": TIMES},
    ),
    Row(
        "Krippendorff's alpha of ordinal data, 10⁶ items, 3 raters, a tenth missing",
        with_missing,
        lambda x: wf.krippendorff_alpha(wf.ratings(x), level="ordinal"),
        {"krippendorff": lambda x: krippendorff.alpha(x.T, level_of_measurement="ordinal")},
        {"krippendorff": TIMES},
    ),
    *(
        Row(
            f"{title}, 10⁶ items",
            data,
            ours,
            {"scikit-learn": theirs},
            {"scikit-learn": TIMES},
            slow=title.endswith(ALIKE),
        )
        for data, every in ((labelled, OF_LABELS), (distributed, OF_CLASSES))
        for title, (ours, theirs) in every.items()
    ),
    *(
        Row(
            f"{title}, 10⁶ items",
            ranked,
            scored(ours, at=POINT),
            {"torchmetrics": of_torch(theirs, POINT, first=True)},
            {"torchmetrics": TIMES},
        )
        for title, (ours, theirs) in POINTS.items()
    ),
    Row(
        "equal error rate, 10⁶ items",
        ranked,
        scored("equal_error_rate"),
        {"torchmetrics": of_torch("eer")},
        {"torchmetrics": TIMES},
        same=False,  # torchmetrics takes the nearest point of the curve
    ),
    Row(
        "log-AUC, 10⁶ items",
        ranked,
        scored("log_auc", max_fpr=0.1),
        {"torchmetrics": of_torch("logauc")},
        {"torchmetrics": TIMES},
    ),
    *(
        Row(
            f"{title} calibration error, 10⁶ items",
            ranked,
            scored(f"{title}_calibration_error", bins=15),
            {"torchmetrics": of_torch("calibration_error", n_bins=15, norm=norm)},
            {"torchmetrics": TIMES},
        )
        for title, norm in (("max", "max"), ("rms", "l2"))
    ),
    Row(
        "micro F1 of spans, 10⁶ tokens",
        tagged,
        lambda true, pred: wf.micro_f1(wf.spans(true, pred)),
        {"seqeval": seqeval.f1_score},
        {"seqeval": TIMES},
    ),
    *of_slow_peers(100),
    *of_slow_peers(1),
)


def main() -> None:
    """Measure everything and write the section, which says what is below the required speed."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)  # nervaluate logs every call
    lines = []
    for row in chosen(ROWS):
        lines += measure(row)
        print(table(lines[-1:]).split("\n", 2)[2], end="", flush=True)
    slow = "--slow" in sys.argv
    title, command = (f"{TITLE}: slow peers", "bench-all") if slow else (TITLE, "bench")
    about = f"Measured by `make {command}`, as the table at the top."
    write_section(title, f"{about}\n\n{table(lines)}")


if __name__ == "__main__":
    main()
