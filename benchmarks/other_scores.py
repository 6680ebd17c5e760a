"""Raters, spans, hierarchies and groups of a million items, beside the libraries that have them.

Run from the root: ``python -m benchmarks.other_scores`` writes a section of RESULTS.md. Data are
arrays or lists in memory, and the results of all must agree.
"""

from __future__ import annotations

import logging
import sys
import warnings
from functools import cache
from itertools import pairwise
from typing import Any

import krippendorff
import numpy as np
from benchmarks.harness import Row, measure, table, write_section
from fairlearn.metrics import MetricFrame, equalized_odds_difference
from hiclass import metrics as hiclass
from nervaluate import Evaluator
from seqeval import metrics as seqeval
from sklearn.metrics import accuracy_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

import whichf1 as wf

N = 1_000_000
TIMES = 10.0
"""How many times as fast as a peer we want to be."""
TITLE = "Raters, spans, hierarchies and groups"
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


def by_type(true: Any, pred: Any) -> float:
    """The F1 of nervaluate where a span is right that overlaps one of its type."""
    found = Evaluator(true, pred, tags=["PER", "LOC", "ORG"], loader="list").evaluate()
    return float(found["overall"]["ent_type"].f1)


def frame(true: Any, pred: Any, group: Any) -> float:
    """fairlearn's difference between groups in accuracy."""
    measured = MetricFrame(
        metrics=accuracy_score, y_true=true, y_pred=pred, sensitive_features=group
    )
    return float(measured.difference())


ROWS = (
    Row(
        "Fleiss' kappa, 10⁶ items, 3 raters",
        rated,
        lambda x: wf.fleiss_kappa(wf.ratings(x)),
        {"statsmodels": lambda x: fleiss_kappa(aggregate_raters(x)[0])},
        {"statsmodels": TIMES},
    ),
    Row(
        "Krippendorff's alpha of interval data, 10⁶ items, 3 raters, a tenth missing",
        with_missing,
        lambda x: wf.krippendorff_alpha(wf.ratings(x), level="interval"),
        {"krippendorff": lambda x: krippendorff.alpha(x.T, level_of_measurement="interval")},
        {"krippendorff": TIMES},
    ),
    Row(
        "micro F1 of spans, 10⁶ tokens",
        tagged,
        lambda true, pred: wf.micro_f1(wf.spans(true, pred)),
        {"seqeval": seqeval.f1_score},
        {"seqeval": TIMES},
    ),
    Row(
        "F1 of spans by type, 10⁶ tokens",
        tagged,
        lambda true, pred: wf.micro_f1(wf.spans(true, pred, match="type")),
        {"nervaluate": by_type},
        {"nervaluate": TIMES},
        same=False,  # nervaluate may use up a true span for a prediction of another type
    ),
    Row(
        "hierarchical F1, 10⁶ items",
        classes,
        lambda true, pred: wf.hierarchical_f1(true[:, 1], pred[:, 1], parents=PARENTS),
        {"hiclass": hiclass.f1},
        {"hiclass": TIMES},
    ),
    Row(
        "difference in accuracy between 4 groups, 10⁶ items (ours with an interval)",
        in_groups,
        lambda true, pred, group: wf.groups(true, pred, "accuracy", by=group).difference.value,
        {"fairlearn": frame},
        {"fairlearn": TIMES},
    ),
    Row(
        "equalized odds of 4 groups, 10⁶ items (ours with an interval)",
        in_groups,
        lambda true, pred, group: (
            wf.groups(true, pred, "equalized_odds", by=group).difference.value
        ),
        {"fairlearn": lambda *x: equalized_odds_difference(*x[:2], sensitive_features=x[2])},
        {"fairlearn": TIMES},
    ),
)


def main() -> None:
    """Write the section; fail if a row is below what it should be."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)  # nervaluate logs every call
    lines = [line for row in ROWS for line in measure(row)]
    write_section(TITLE, f"Measured by `make bench`, as the table at the top.\n\n{table(lines)}")
    print(table(lines))
    missed = [line.work for line in lines if not line.reached]
    if missed:
        sys.exit(f"below the required speed: {', '.join(missed)}")


if __name__ == "__main__":
    main()
