"""The reports of ``whichf1 score`` and ``whichf1 threshold``."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from whichf1.definitions.definition import Definition, define_fitting
from whichf1.definitions.words import sentence, title
from whichf1.metrics import COUNTED
from whichf1.report.document import (
    Block,
    Cell,
    Document,
    Grid,
    GridColumn,
    Note,
    Rows,
    Signature,
    exact,
    items,
    number,
)
from whichf1.scoring.curves import BestThreshold
from whichf1.scoring.decisions import at_threshold
from whichf1.scoring.evaluate import evaluate, evaluate_per_class
from whichf1.scoring.macro import MacroF1, macro_f1
from whichf1.scoring.score import PerClass, Score
from whichf1.statistics.scales import Interval
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
"""The summary for label sets, besides F1 and the Jaccard index averaged over items."""
SYMMETRIC = ("averaged_f1", "f1_of_averages", "micro_f1", "accuracy", "cohen_kappa", "mcc")
"""Scores that stay the same when true and predicted are swapped (with declared classes)."""
MOST_CLASSES = 60
"""Classes shown in text; every other format shows all."""


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
    """Whether it is known which side of the counts is true."""

    @property
    def support(self) -> dict[Label, float]:
        """The number of true items of each class."""
        c = self.counts.per_class()
        return dict(zip(self.counts.labels, (c.tp + c.fn).tolist(), strict=True))


def full_report(
    source: str, counts: Counts, options: dict[str, Any], *, oriented: bool = True
) -> Report:
    """Score every class and the usual averages; only symmetric scores if not ``oriented``."""
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
    """Score the chosen metrics only; a rate without an average is given per class."""
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


def score_document(report: Report, decimals: int) -> Document:
    """The report as a document; ``decimals`` are those of numbers in its notes."""
    counts = report.counts
    size = f"weight {items(counts.n)}" if counts.weighted else f"{items(counts.n)} items"
    return Document(
        _blocks(report),
        partial(_record, report),
        partial(_rows, report),
        f"{report.source}: {size}, {len(counts.labels):,} classes",
        [*_gap_notes(report, decimals), *_orientation_notes(report), *_interval_notes(report)],
    )


def _blocks(report: Report) -> list[Block]:
    level = _interval_head(report)
    blocks: list[Block] = []
    if report.per_class:
        blocks.append(_class_table(report, level))
        blocks += [
            Signature(x.signature, name, partial(_said, name, x.definition, len(x.labels), x.n))
            for name, x in report.per_class
        ]
    if report.scores:
        blocks.append(_score_table(report, level))
    return blocks


def _interval_head(report: Report) -> str | None:
    """The heading of the intervals, with their level; None if there are none."""
    both: tuple[tuple[str, Score | PerClass], ...] = (*report.per_class, *report.scores)
    definitions = [each.definition for _, each in both]
    levels = {x.interval.level for x in definitions if x.interval is not None}
    if not levels:
        return None
    return f"{100 * levels.pop():g} % interval" if len(levels) == 1 else "interval"


def _class_table(report: Report, level: str | None) -> Grid:
    columns = [GridColumn("class")]
    labels = report.per_class[0][1].labels
    cells: list[Sequence[Cell]] = [[str(label) for label in labels]]
    for name, scores in report.per_class:
        columns.append(GridColumn(name, "number"))
        cells.append(scores.array.tolist())
        if level:
            columns.append(GridColumn(level, "interval", optional=True))
            cells.append(scores.intervals)
    if report.oriented:
        support = report.support
        columns.append(GridColumn("support", "number", items))
        cells.append([support.get(label, 0) for label in labels])
    return Grid(columns, [*zip(*cells, strict=True)], most=MOST_CLASSES, unit="classes")


def _score_table(report: Report, level: str | None) -> Grid:
    columns = [GridColumn("score"), GridColumn("value", "number"), GridColumn("signature", "code")]
    rows: list[list[Cell]] = [[name, x.value, x.signature] for name, x in report.scores]
    if level:
        columns.insert(2, GridColumn(level, "interval"))
        for row, (_, score) in zip(rows, report.scores, strict=True):
            row.insert(2, score.interval)
    return Grid(columns, rows, sentences=lambda: _sentences(report))


def _sentences(report: Report) -> list[str]:
    return [_said(name, x.definition, len(x.classes), x.n) for name, x in report.scores]


def _said(name: str, definition: Definition, k: int, n: float) -> str:
    lead = "" if name == title(definition) else f"{name}: "
    return f"{lead}{sentence(definition, k, n)}"


def _gap_notes(report: Report, decimals: int) -> list[str]:
    """How far the two macro F1s are apart, and which classes cause it."""
    macro = report.macro
    if macro is None:
        return []
    k = len(macro.labels)
    most = f"with {k} classes by up to {macro.supremum:.3g}"
    if macro.gap < 0.5 * 10**-decimals:
        return [f"The two macro F1s agree to {decimals} decimals (they can differ {most})."]
    notes = [f"The two macro F1s differ by {number(macro.gap, decimals)} ({most})."]
    pair = macro.largest_pair
    if pair is None:
        parts = macro.contributions
        first = int(parts.argmax())
        share = 100 * parts[first] / parts.sum()
        notes.append(f"Class {macro.labels[first]} accounts for {share:.0f} % of it.")
    elif k > 2:
        notes.append(f"Classes {pair.a} and {pair.b} account for {100 * pair.share:.0f} % of it.")
    return notes


def _orientation_notes(report: Report) -> list[str]:
    """What is missing if it is not known what a row of the matrix is."""
    if report.oriented:
        return []
    return [
        "These scores are the same whether rows are true or predicted. For precision, recall and "
        "scores built on them, say --rows true or --rows predicted."
    ]


def _interval_notes(report: Report) -> list[str]:
    """What a dash in place of an interval means, and how many replicates were undefined."""
    scores = [score for _, score in report.scores]
    tables = [scores_of_class for _, scores_of_class in report.per_class]
    asked: list[Interval | None] = [
        x.interval for x in scores if x.definition.interval is not None and math.isfinite(x.value)
    ]
    for table in tables:
        if table.definition.interval is not None:
            pairs = zip(table.array.tolist(), table.intervals, strict=True)
            asked += [interval for value, interval in pairs if math.isfinite(value)]
    undefined = max((interval.undefined for interval in asked if interval), default=0)
    if undefined:
        return [f"Up to {undefined:,} replicates were undefined; intervals leave them out."]
    if all(asked):
        return []
    note = "–: no interval, because the score does not vary in these items."
    every: list[Score | PerClass] = [*scores, *tables]
    plain = all(not x.made and x.definition.declaration.kind in COUNTED for x in every)
    if not plain or not isinstance(report.counts, Counts):
        return [note]
    return [f"{note} For proportions, there is one with: -m precision --interval wilson."]


def _records(report: Report) -> Iterator[tuple[str, Label | None, Score]]:
    """Every number with its name and class."""
    for name, score in report.scores:
        yield name, None, score
    for name, scores in report.per_class:
        for label, score in scores.items():
            yield name, label, score


def _record(report: Report) -> dict[str, Any]:
    macro, records = report.macro, [*_records(report)]
    record: dict[str, Any] = {
        "source": report.source,
        "n": report.counts.n,
        "labels": list(report.counts.labels),
        "scores": [
            {"name": name, **score_fields(score)} for name, label, score in records if label is None
        ],
        "per_class": [
            {"name": name, "class": label, **score_fields(score)}
            for name, label, score in records
            if label is not None
        ],
    }
    if macro is not None:
        pair = macro.largest_pair
        record["gap"] = {
            "value": macro.gap,
            "of": [macro.of_averages.signature, macro.averaged.signature],
            "supremum": macro.supremum,
            "largest_pair": pair and {"classes": [pair.a, pair.b], "share": pair.share},
        }
    return record


def _rows(report: Report) -> Rows:
    yield ["name", "class", *SCORE_COLUMNS, "n", "signature"]
    for name, label, score in _records(report):
        yield [name, label, *score_cells(score), score.n, score.signature]


SCORE_COLUMNS = ("value", "low", "high", "level", "method")


def score_cells(score: Score) -> list[object]:
    """A score in the cells of CSV that ``SCORE_COLUMNS`` names."""
    value, interval = exact(score.value), score.interval
    if interval is None:
        return [value, None, None, None, None]
    return [value, interval.low, interval.high, interval.level, interval.method]


def score_fields(score: Score) -> dict[str, Any]:
    """A score in the fields of JSON; if the value is null, 'why' says so in a word."""
    finite, interval = math.isfinite(score.value), score.interval
    fields: dict[str, Any] = {"value": score.value}
    if not finite:
        fields["why"] = number(score.value, 0)
    if interval is not None:
        names = ("low", "high", "level", "method")
        fields["interval"] = {name: getattr(interval, name) for name in names}
    return {**fields, "n": score.n, "signature": score.signature}


def _limit(threshold: float, decimals: int = 0) -> str:
    return "none positive" if math.isinf(threshold) else repr(threshold)


def _part(items: float, decimals: int) -> str:
    return f"{items:,.6g}"


CURVE_COLUMNS = (
    GridColumn("threshold", "number", _limit),
    GridColumn("value", "number"),
    *(GridColumn(name, "number", _part) for name in ("TP", "FP", "FN", "TN")),
    GridColumn("signature", "code"),
)
CURVE_HEAD = tuple(column.name for column in CURVE_COLUMNS)


def threshold_document(source: str, best: BestThreshold, around: int, decimals: int) -> Document:
    """The best threshold with ``around`` others on either side."""
    curve = [_point(best, at) for at in _nearby(best, around)]
    notes = [
        f"best threshold: {_limit(best.threshold)} (a score equal to it is positive)",
        f"value there: {number(best.value, decimals)} ({best.score.signature})",
    ]
    if best.calibrated is not None:
        notes.append(
            f"if the scores are calibrated, the best threshold is F1/2 = {best.calibrated:.4f}"
        )
    record = {
        "source": source,
        "threshold": best.threshold,
        "value": best.value,
        "signature": best.score.signature,
        "calibrated": best.calibrated,
        "curve": [dict(zip(CURVE_HEAD, point, strict=True)) for point in curve],
    }
    rows = [["best", *CURVE_HEAD], *([int(point[0] == best.threshold), *point] for point in curve)]
    return Document(
        [*map(Note, notes), Grid(CURVE_COLUMNS, curve)],
        lambda: record,
        lambda: rows,
        f"{source}: {len(best.curve) - 1:,} distinct scores",
    )


def _nearby(best: BestThreshold, around: int) -> range:
    return range(max(0, best.at - around), min(len(best.curve), best.at + around + 1))


def _point(best: BestThreshold, at: int) -> Sequence[Any]:
    """One threshold: its value, the counts of the positive class, and the signature."""
    curve, ranking = best.curve, best.curve.ranking
    threshold = float(curve.threshold[at])
    counts = at_threshold(ranking, threshold=threshold)
    positive = counts.labels.code(ranking.positive)
    c = counts.per_class()
    parts = [x[positive].item() for x in (c.tp, c.fp, c.fn, c.tn)]
    score = evaluate(curve.definition, counts)
    return [threshold, score.value, *parts, score.signature]
