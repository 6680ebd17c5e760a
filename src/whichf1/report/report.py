"""What is reported of some counts, before it has a format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from whichf1.definitions.definition import Definition, define_fitting
from whichf1.definitions.words import title
from whichf1.scoring.evaluate import evaluate, evaluate_per_class
from whichf1.scoring.macro import MacroF1, macro_f1
from whichf1.scoring.score import PerClass, Score
from whichf1.tables.counts import Counts
from whichf1.tables.label_sets import MultiLabelCounts
from whichf1.tables.labels import Label

CLASS_METRICS = ("precision", "recall", "f1")
SUMMARY = (
    "averaged_f1",
    "f1_of_averages",
    "macro_precision",
    "macro_recall",
    "micro_f1",
    "weighted_f1",
    "accuracy",
    "cohen_kappa",
    "mcc",
)
LABEL_SETS = (*SUMMARY[:6], "subset_accuracy", "hamming_loss")
"""The summary of sets of labels, beside F1 and the Jaccard index averaged over items."""
SYMMETRIC = ("averaged_f1", "f1_of_averages", "micro_f1", "accuracy", "cohen_kappa", "mcc")
"""Scores that stay the same when true and predicted change places (with declared classes)."""


@dataclass(frozen=True)
class Record:
    """One number, on its way to a table or a file."""

    name: str
    label: Label | None
    """The class, if the score is of one class."""
    score: Score


@dataclass(frozen=True)
class Report:
    """The scores of one set of predictions."""

    source: str
    counts: Counts
    per_class: tuple[tuple[str, PerClass], ...]
    scores: tuple[tuple[str, Score], ...]
    macro: MacroF1 | None
    """The gap between the two macro F1s, where it is reported."""
    oriented: bool = True
    """Whether it is known which side is true."""

    @property
    def support(self) -> dict[Label, float]:
        """True items of each class."""
        c = self.counts.per_class()
        return dict(zip(self.counts.labels, (c.tp + c.fn).tolist(), strict=True))

    def records(self) -> Iterator[Record]:
        """Every number with its name and class."""
        for name, score in self.scores:
            yield Record(name, None, score)
        for name, scores in self.per_class:
            for label, score in scores.items():
                yield Record(name, label, score)


def full_report(
    source: str, counts: Counts, options: dict[str, Any], *, oriented: bool = True
) -> Report:
    """Per class, both macro F1s, and the other averages; without orientation what needs none."""
    columns = [define_fitting(name, options) for name in (CLASS_METRICS if oriented else ("f1",))]
    sets = isinstance(counts, MultiLabelCounts)
    names = LABEL_SETS if sets else SUMMARY if oriented else SYMMETRIC
    chosen = [define_fitting(name, options) for name in names]
    if sets:
        by_item = {**options, "average": "samples"}
        chosen += [define_fitting(name, by_item) for name in ("f1", "jaccard")]
    both = chosen[0]
    macro = None
    if both.undefined in (0, 1) and both.scope == "empty":
        shared = ("classes", "exclude", "ignore", "undefined")
        macro = macro_f1(counts, **{k: v for k, v in options.items() if k in shared})
    return Report(
        source,
        counts,
        tuple((title(each), evaluate_per_class(each, counts)) for each in columns),
        tuple((title(each), evaluate(each, counts)) for each in chosen),
        macro,
        oriented,
    )


def chosen_report(
    source: str, counts: Counts, definitions: Sequence[tuple[str, Definition]]
) -> Report:
    """The chosen metrics only; a rate without an average is given per class."""
    each = [(name, d) for name, d in definitions if is_per_class(d)]
    whole = [(name, d) for name, d in definitions if not is_per_class(d)]
    return Report(
        source,
        counts,
        tuple((name, evaluate_per_class(d, counts)) for name, d in each),
        tuple((name, evaluate(d, counts)) for name, d in whole),
        None,
    )


def is_per_class(definition: Definition) -> bool:
    """Whether the definition gives one number for each class."""
    rate = definition.declaration.kind == "rate"
    return rate and definition.average is None and definition.positive is None
