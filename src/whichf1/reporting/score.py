"""The reports of ``whichf1 score`` and ``whichf1 threshold``."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Unpack

import numpy as np

from whichf1.definitions.definition import Definition, define_fitting
from whichf1.definitions.methods import find_method
from whichf1.definitions.names import BOTH
from whichf1.definitions.options import CHECKS, Options
from whichf1.definitions.signature import names_of
from whichf1.definitions.words import capital, identifier, sentence, title
from whichf1.errors import DefinitionError, FileError, InputError, is_among, numbered, verb
from whichf1.metrics import COUNTED, plain_name
from whichf1.reporting.document import (
    CAUTION,
    Advised,
    Block,
    Cell,
    Document,
    Grid,
    GridColumn,
    Note,
    Presented,
    Rows,
    Signature,
    first_names,
)
from whichf1.reporting.numbers import items, number, share_text, size
from whichf1.scoring.decisions import at_threshold
from whichf1.scoring.evaluate import evaluate, evaluate_per_class
from whichf1.scoring.macro import MacroF1, macro_f1
from whichf1.scoring.score import NO_SQUARES, PerClass, Score, effective_n
from whichf1.scoring.subject import Extent, Subject, is_counted, subject_of
from whichf1.sources.address import shown_name
from whichf1.sources.counts import DATA_OPTIONS
from whichf1.sources.request import has_columns, is_path
from whichf1.statistics.scales import NONE, Interval
from whichf1.tables.annotations import Ratings
from whichf1.tables.counts import Counts
from whichf1.tables.display import Drawable, presenters
from whichf1.tables.label_sets import MultiLabelCounts
from whichf1.tables.labels import VALUE, Label
from whichf1.tables.records import dataclass
from whichf1.tables.saving import write_whole
from whichf1.tables.spans import SpanCounts

if TYPE_CHECKING:
    from whichf1.comparison.compare import Comparison
    from whichf1.scoring.curves import BestThreshold

CLASS_METRICS = ("precision", "recall", "f1")
SUMMARY = (
    "averaged_f1", "f1_of_averages", "macro_precision", "macro_recall", "micro_f1", "weighted_f1",
    "accuracy", "cohen_kappa", "mcc",
)  # fmt: skip
LABEL_SETS = (*SUMMARY[:6], "subset_accuracy", "hamming_loss")
"""The summary for label sets, besides F1 and the Jaccard index averaged over items."""
RATERS = (
    "accuracy", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "brennan_prediger",
)  # fmt: skip
"""The summary for ratings, besides alpha with ordered categories."""
AGREEMENT = ("accuracy", "krippendorff_alpha")
"""What slices of ratings are scored by."""
SYMMETRIC = ("averaged_f1", "f1_of_averages", "micro_f1", "accuracy", "cohen_kappa", "mcc")
"""Scores that stay the same when true and predicted are swapped (with declared classes)."""
NOT_PROBABILITIES = (
    "Some scores are outside [0, 1], so they are not probabilities: log loss, Brier score and "
    "calibration error are not shown."
)
UNORIENTED = Advised(
    "These scores are the same whether rows are true or predicted.",
    "For precision, recall and scores based on them, add --rows true or --rows predicted.",
)
Named: TypeAlias = Sequence[tuple[str, Definition]]
"""Definitions, each with its displayed name."""
MOST_CLASSES = 60
"""How many classes are shown in text; every other format shows all."""
MOST_IN_MATRIX = 12
"""Up to this many classes, the confusion matrix is shown by default."""
WORTH_NAMING = 0.1
"""The pair of classes that contributes most to the gap is named if its share is at least this."""
Share: TypeAlias = Literal["true", "predicted", "all"]
SHARES: dict[str, str] = {
    "true": "Predicted as, in fractions of each true class:",
    "predicted": "Predicted as, in fractions of each predicted class:",
    "all": "Predicted as, in fractions of all items:",
}
"""The heading of the confusion matrix as fractions."""
LONG_HEAD = 8
"""If a class has a longer name than this, the columns of the matrix are numbered."""


@dataclass(frozen=True, eq=False)
class Report(Presented, Drawable):
    """The scores of one set of predictions; returned by ``whichf1.report``.

    >>> import whichf1 as wf
    >>> found = wf.report(["a", "b", "b"], ["a", "b", "a"], ["accuracy"], interval=None)
    >>> [(name, round(score, 3)) for name, score in found.scores]
    [('accuracy', 0.667)]
    """

    source: str
    counts: Counts
    per_class: tuple[tuple[str, PerClass], ...]
    scores: tuple[tuple[str, Score], ...]
    macro: MacroF1 | None
    """The gap between the two macro F1s, if it is reported."""
    oriented: bool
    """Whether it is known which side of the counts is true."""
    confusion: bool | None = None
    """Whether the matrix is shown; None: in text, if it fits."""
    share: Share | None = None
    """In the matrix, fractions of true or predicted classes or of all items; None: counts."""
    subject: Subject | None = None
    """What was read, with its ranking and its slices, if it has any."""
    comparison: Comparison | None = None
    """The comparison of this system, which is the first, with others."""
    unfair: bool = False
    """Whether the usual metrics leave out losses, since scores are outside [0, 1]."""

    @classmethod
    def of(
        cls,
        source: str,
        counts: Counts,
        options: dict[str, Any],
        definitions: Named | None = None,
        scores: Sequence[tuple[str, Score]] = (),
        per_class: Sequence[tuple[str, PerClass]] = (),
        oriented: bool = True,
        confusion: bool | None = None,
    ) -> Report:
        """Score the definitions (default: the usual ones); what is scored comes before others."""
        usual = definitions is None and not isinstance(counts, Ratings)
        macro = _both_macro_f1s(counts, options) if usual else None
        chosen = _usual(counts, options, oriented) if definitions is None else definitions
        each = tuple((name, evaluate_per_class(d, counts)) for name, d in chosen if is_per_class(d))
        whole = [(name, evaluate(d, counts)) for name, d in chosen if not is_per_class(d)]
        if not oriented:
            whole = [(name, _either_way(score, counts)) for name, score in whole]
        tables = ((*per_class, *each), (*scores, *whole))
        return cls(source, counts, *tables, macro, oriented, confusion)

    @classmethod
    def of_subject(
        cls,
        source: str,
        subject: Subject,
        options: dict[str, Any],
        definitions: Named | None = None,
        **kind: Any,
    ) -> Report:
        """Metrics of the scores, then of the predictions made from them; default: the usual."""
        counted: Named | None = None if subject.decided else []
        if definitions is not None:
            counted = [each for each in definitions if is_counted(each[1])]
            scored = [each for each in definitions if not is_counted(each[1])]
            if counted and not subject.decided:
                subject.evaluate(counted[0][1])  # raises what is missing
        else:
            scored = [(title(each), each) for each in subject.usual(options)]
        classes = [pair for pair in scored if subject.is_per_class(pair[1])]
        per_class = [(name, subject.per_class(each)) for name, each in classes]
        scores = [(name, subject.score(x)) for name, x in scored if (name, x) not in classes]
        report = cls.of(source, subject.counts, options, counted, scores, per_class, **kind)
        return replace(report, subject=subject, unfair=subject.unfair and definitions is None)

    def with_shares(self, of: Share) -> Report:
        """The report with its confusion matrix as fractions.

        of: Fractions of the items of each true class, of each predicted one, or of all items.
        Returns: The same report.
        DefinitionError: If ``of`` is not one of these words.

        >>> import whichf1 as wf
        >>> report = wf.report(["a", "b", "b"], ["a", "b", "a"]).with_shares("true")
        >>> report.to_dict()["confusion"]["shares"]["matrix"]
        [[1.0, 0.0], [0.5, 0.5]]
        """
        if not is_among(of, SHARES):
            raise DefinitionError(f"share must be 'true', 'predicted' or 'all'; got {of!r}")
        if self.confusion is False:
            raise DefinitionError("share= is for the confusion matrix: omit confusion=False")
        return replace(self, share=of, confusion=True)

    def save(self, path: Any) -> None:
        """Write the report as one HTML file that needs no network, completely or not at all.

        path: A file name that ends in .html.
        FileError: If the file cannot be written, or its name does not end in .html.

        >>> import tempfile, whichf1 as wf
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     wf.report(["a", "b", "b"], ["a", "b", "a"]).save(f"{folder}/report.html")
        """
        page_path(path)
        write_whole(path, presenters[0]().page(self).encode())

    def document(self, decimals: int | None = None) -> Document:
        """The tables of classes and scores, the matrix, and notes on them."""
        counts, orientation = self.counts, [] if self.oriented else [UNORIENTED]
        notes = [NOT_PROBABILITIES] if self.unfair else []
        notes += gap_notes(self, 4 if decimals is None else decimals)
        return Document(
            _blocks(self),
            partial(_record, self),
            partial(_rows, self),
            f"{self.source and f'{self.source}: '}{_size(counts)}",
            [*notes, *zero_notes(self), *orientation, *interval_notes(self)],
            "score",
        )


def _size(counts: Any) -> str:
    """The number of items and classes, with the nouns for them."""
    item, label = _NOUNS.get(type(counts), ("item", "class"))
    size_of = size(counts.n).replace("item", item)
    if counts.labels == VALUE:
        return size_of
    return f"{size_of}, {numbered(len(counts.labels), label)}"


_NOUNS: dict[type, tuple[str, str]] = {
    Ratings: ("item", "category"),
    SpanCounts: ("sentence", "type"),
}
"""The nouns for the items and the labels of a table; others have items and classes."""


def page_path(path: Any) -> Any:
    """The path of a page; raises if its extension is not that of one."""
    name = str(os.fspath(path)) if isinstance(path, (str, os.PathLike)) else ""
    if not name.lower().endswith((".html", ".htm")):
        raise FileError(f"a report is written as .html; got {path!r}. Change the extension.")
    return path


def report(  # type: ignore[misc]  # its threshold= makes predictions; a metric may have one too
    y_true: Any,
    y_pred: Any = None,
    metrics: Sequence[str] | None = None,
    *,
    by: str | Sequence[str] | None = None,
    scores: Any = None,
    threshold: float | None = None,
    confusion: bool | None = None,
    share: Share | None = None,
    **options: Unpack[Options],
) -> Report:
    """Every class, both macro F1s and the usual averages: what ``whichf1 score`` prints.

    y_true, y_pred (Counts, array, dataframe or path): The data, as for ``averaged_f1``; or a
        Ranking, Moments or Slices. Several systems are passed as for ``compare``: the report is
        about the first, compared with the others.
    metrics: Names or signatures. Default: precision, recall and F1 of each class, and averages; for
        scores, the usual metrics of rankings and probabilities.
    by: Columns of a dataframe or file; a page also shows the scores of each of their values.
    scores: Instead of predictions, a score for each item (higher means more likely positive),
        or a probability for each item and class. For a dataframe or file, ``score`` names the
        columns.
    threshold: Items with at least this score are predicted as positive.
    confusion: Whether the confusion matrix is shown. Default: in text, if it is small.
    share: Show it as fractions of the items of each true class ('true'), of each predicted one
        ('predicted') or of all items ('all').
    **options: Options of the metrics, used where they apply; ``interval`` is 'auto' by default, and
        None means no intervals.
    Returns: The report, which prints, and has ``save`` for a page with pictures, ``to_dict``,
        ``to_pandas``, ``to_markdown``, ``to_latex`` and more.
    DefinitionError: If a metric is unknown, or an option applies to none of them.
    InputError: If the data cannot be read.

    >>> print(report(["a", "b", "b", "c"], ["a", "b", "a", "c"], ["f1_of_averages", "accuracy"],
    ...              interval=None))
    4 items, 3 classes
    <BLANKLINE>
    score            value  signature
    f1_of_averages  0.8333  f1|avg:macro|formula:of-averages|*
    accuracy        0.7500  accuracy|*
    * classes:observed|undef:0|v:1|n:4|k:3|labels:fahokkci
    >>> ranked = report([0, 1, 1], scores=[0.2, 0.9, 0.4], interval=None)
    >>> [name for name, _ in ranked.scores][:3]
    ['ROC AUC', 'average precision', 'log loss']
    """
    settings: dict[str, Any] = {"interval": "auto", **options}
    data = {key: settings.pop(key) for key in DATA_OPTIONS if key in settings}
    chosen = {key: value for key, value in settings.items() if value is not None}
    if "interval" in chosen:
        chosen["interval"] = find_method(chosen["interval"])
    comparison = None
    if _are_systems(y_true, y_pred):
        comparison = _compared(y_true, y_pred, metrics, data, chosen)
        y_pred, data = _first_system(y_true, y_pred, data)
    if by is not None:
        if not isinstance(by, (str, list, tuple)) or not all(isinstance(x, str) for x in by):
            raise InputError(f"by must be the name of a column, or several; got {by!r}")
        data["by"] = (by,) if isinstance(by, str) else tuple(by)
    subject = subject_of(y_true, y_pred, scores, threshold, data, chosen)
    if metrics is None and subject.summary:
        chosen.pop("positive", None)  # it names the class that the scores are for
    source = shown_name(y_true) if is_path(y_true) else ""
    definitions = None
    if metrics is None:
        unused = next((x for x in ("average", "positive", "formula") if x in chosen), None)
        if unused is not None:
            raise DefinitionError(f"{unused}= needs metrics, such as ['precision']")
    else:
        definitions = name_definitions(metrics, chosen, "{}=", subject)
        refuse_unused_threshold(threshold, definitions, "threshold=")
    results = Report.of_subject(source, subject, chosen, definitions, confusion=confusion)
    results = results if share is None else results.with_shares(share)
    return results if comparison is None else replace(results, comparison=comparison)


def _are_systems(y_true: Any, y_pred: Any) -> bool:
    """Whether several systems are passed, as for ``compare``."""
    if isinstance(y_pred, Mapping):
        return True
    return isinstance(y_pred, (list, tuple)) and has_columns(y_true)


def _compared(
    y_true: Any,
    systems: Any,
    metrics: Sequence[str] | None,
    data: Mapping[str, Any],
    chosen: Mapping[str, Any],
) -> Comparison:
    """The systems, compared by the first metric."""
    metric = "averaged_f1" if metrics is None else names_of(metrics)[0]
    metric = BOTH_F1[0] if plain_name(metric) in BOTH else metric
    options = {key: value for key, value in chosen.items() if key != "interval"}
    from whichf1.comparison.compare import compare  # for several systems only

    return compare(y_true, systems, metric, replicates=0, **data, **options)


def _first_system(y_true: Any, systems: Any, data: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The predictions of the first system, or the name of their column among the options."""
    named = has_columns(y_true)
    first = systems[next(iter(systems))] if isinstance(systems, Mapping) else systems[0]
    return (None, {**data, "pred": first}) if named else (first, dict(data))


BOTH_F1 = ("averaged_f1", "f1_of_averages")


def name_definitions(
    metrics: Sequence[str],
    options: Mapping[str, Any],
    written: str,
    subject: Subject | None = None,
) -> list[tuple[str, Definition]]:
    """The metrics with the options that apply to each; every option must apply to one of them.

    ``subject``: what is scored, if it may have scores.
    """
    # 'macro F1' stands for both
    names = [
        x for name in names_of(metrics) for x in (BOTH_F1 if plain_name(name) in BOTH else (name,))
    ]
    make = define_fitting if subject is None else subject.define
    definitions = [(name, make(name, options)) for name in names]
    signatures: dict[str, str] = {}
    for name, definition in definitions:
        other = signatures.setdefault(definition.signature, name)
        if names.count(name) > 1 or other != name:
            same = "" if other == name else f", as {other}"
            raise DefinitionError(f"{name} is named twice{same}: name each metric once")
    made = [definition for _, definition in definitions]
    refuse_unused(options, made, names, written, subject)
    return definitions


def refuse_unused(
    options: Mapping[str, Any],
    definitions: Sequence[Definition],
    names: Sequence[str],
    written: str,
    subject: Subject | None = None,
) -> None:
    """Raise unless every option belongs to one of the definitions, or names the class of scores."""
    of_scores = subject is not None and subject.ranking is not None
    for key, value in options.items():
        if key == "positive" and of_scores and all(x.positive is None for x in definitions):
            continue
        wanted = CHECKS[key](key, value) if key in CHECKS else value
        used = any(getattr(definition, key) == wanted for definition in definitions)
        if not used and key != "interval":
            name = key.replace("_", "-") if written.startswith("--") else key
            raise DefinitionError(f"{written.format(name)} does not apply to {', '.join(names)}")


def refuse_unused_threshold(threshold: float | None, definitions: Named, written: str) -> None:
    """Raise if a threshold makes predictions that no metric uses."""
    if threshold is not None and not any(is_counted(each) for _, each in definitions):
        names = ", ".join(name for name, _ in definitions)
        raise DefinitionError(
            f"{written} makes predictions, but {names} is computed from scores: remove it, or add "
            "a metric such as f1"
        )


def _either_way(score: Score, counts: Counts) -> Score:
    """The score, with a caution if it has one with either side of the counts as true."""
    other = evaluate(score.definition, counts.changed(true=counts.predicted, predicted=counts.true))
    intervals = (score.interval, other.interval)
    cautions = sorted(x.caution for x in intervals if x is not None and x.caution is not None)
    if score.interval is None or not cautions:
        return score
    interval = replace(score.interval, caution=cautions[0])
    facts = (interval, score.made, score.effective_n)
    return Score(score.value, score.definition, score.n, score.classes, *facts)


def _usual(counts: Counts, options: dict[str, Any], oriented: bool) -> Named:
    """Every class and the usual averages; only symmetric scores if not ``oriented``."""
    if isinstance(counts, Ratings):
        levels = ["krippendorff_alpha(level=ordinal)"] if _has_levels(counts) else []
        definitions = [define_fitting(name, options) for name in (*RATERS, *levels)]
        return [(agreement_title(each), each) for each in definitions]
    sets = isinstance(counts, MultiLabelCounts) and not isinstance(counts, SpanCounts)
    averages = LABEL_SETS if sets else SUMMARY
    averages = SUMMARY[:6] if isinstance(counts, SpanCounts) else averages
    names = (*CLASS_METRICS, *averages) if oriented else ("f1", *SYMMETRIC)
    definitions = [define_fitting(name, options) for name in names]
    if sets:
        by_item = {**options, "average": "samples"}
        definitions += [define_fitting(name, by_item) for name in ("f1", "jaccard")]
    return [(title(each), each) for each in definitions]


def _has_levels(ratings: Ratings) -> bool:
    """Whether categories are in order and more than two."""
    return ratings.ordered and len(ratings.labels) > 2


def agreement_title(definition: Definition) -> str:
    """The name of a score when raters are compared with each other."""
    return "observed agreement" if definition.metric == "accuracy" else title(definition)


def _both_macro_f1s(counts: Counts, options: dict[str, Any]) -> MacroF1 | None:
    """Both macro F1s, if the options apply to both."""
    averaged = define_fitting("averaged_f1", options)
    if averaged.undefined not in (0, 1) or averaged.scope != "empty":
        return None
    shared = ("classes", "exclude", "ignore", "class_shares", "undefined")
    return macro_f1(counts, **{k: v for k, v in options.items() if k in shared})


def is_per_class(definition: Definition) -> bool:
    """Whether the definition gives one number for each class."""
    rate = definition.declaration.kind == "rate"
    return rate and definition.average is None and definition.positive is None


def _blocks(report: Report) -> list[Block]:
    blocks: list[Block] = []
    for predicted in (False, True):  # of the scores, then of predictions made from them
        classes = [each for each in report.per_class if _is_decided(each[1]) is predicted]
        scores = [each for each in report.scores if _is_decided(each[1]) is predicted]
        if classes:
            blocks.append(class_table(report, classes))
            blocks += [
                Signature(x.signature, name, said_of(name, x.definition, len(x.labels), x.n))
                for name, x in classes
            ]
        if scores:
            blocks.append(score_table(report, scores))
    return [*blocks, *_confusion(report)]


def _is_decided(scored: Score | PerClass) -> bool:
    """Whether something made predictions of scores; each kind has its own signature in common."""
    return "decision" in dict(scored.made)


def _interval_heading(report: Report) -> str:
    """The heading of intervals; empty if there are none."""
    both: tuple[tuple[str, Score | PerClass], ...] = (*report.per_class, *report.scores)
    methods = [each.definition.interval for _, each in both]
    levels = {method.level for method in methods if method is not None}
    if len(levels) == 1:
        return f"{100 * levels.pop():g} % interval"
    return "interval" if levels else ""


def class_table(report: Report, per_class: Sequence[tuple[str, PerClass]] | None = None) -> Grid:
    """The scores of each class, or some of them, with their intervals and items."""
    per_class = report.per_class if per_class is None else per_class
    level = _interval_heading(report)
    columns = [GridColumn("class")]
    labels = per_class[0][1].labels
    cells: list[Sequence[Cell]] = [[str(label) for label in labels]]
    for name, scores in per_class:
        columns.append(GridColumn(name, "number"))
        cells.append(scores.array.tolist())
        if level:
            columns.append(GridColumn(level, "interval", optional=True))
            cells.append(scores.intervals)
    if report.oriented:
        support = dict(zip(report.counts.labels, _support(report.counts).tolist(), strict=True))
        columns.append(GridColumn("support", "number", items))
        cells.append([support.get(label, 0) for label in labels])
    return Grid(columns, [*zip(*cells, strict=True)], most=MOST_CLASSES, unit="classes")


def _support(counts: Any) -> Any:
    """How many items each class has."""
    if isinstance(counts, Extent):
        return counts.support
    c = counts.per_class()
    return c.tp + c.fn


def score_table(report: Report, scores: Sequence[tuple[str, Score]] | None = None) -> Grid:
    """The scores of all items, or some of them, with their intervals and signatures."""
    scores = report.scores if scores is None else scores
    level = _interval_heading(report)
    heading = [GridColumn(level, "interval")] if level else []
    columns = [GridColumn("score"), GridColumn("value", "number"), *heading]
    rows: list[list[Cell]] = [
        [name, x.value, *([x.interval] if level else []), x.signature] for name, x in scores
    ]
    raters = isinstance(report.counts, Ratings)
    said = [said_of(name, x.definition, len(x.classes), x.n, raters=raters) for name, x in scores]
    return Grid([*columns, GridColumn("signature", "code")], rows, sentences=said)


def _confusion(report: Report) -> list[Block]:
    """The matrix with its most frequent mistakes; by default only a small one."""
    counts, asked = report.counts, report.confusion
    classes = isinstance(counts, Counts) and len(counts.systems) < 2
    small = report.macro is not None and len(counts.labels) <= MOST_IN_MATRIX
    if asked and not (classes and report.oriented):
        why = (
            "add --rows true or --rows predicted" if classes else "these are not predicted classes"
        )
        raise InputError(f"there is no confusion matrix to show: {why}")
    if asked is False or not classes or not report.oriented or not (asked or small):
        return []
    matrix, names = counts.matrix.tolist(), [str(label) for label in counts.labels]
    heads = names
    if max(map(len, names)) > LONG_HEAD:
        heads = [str(at) for at in range(1, len(names) + 1)]
        names = [f"{at} {name}" for at, name in zip(heads, names, strict=True)]
    show = items if report.share is None else None
    columns = [GridColumn("true"), *(GridColumn(name, "number", show) for name in heads)]
    lead = "Predicted as:"
    if report.share is not None:
        matrix, lead = counts.shares(report.share).tolist(), SHARES[report.share]
    rows = [[name, *row] for name, row in zip(names, matrix, strict=True)]
    grid = Grid(columns, rows, lead, if_it_fits=not asked)
    return [grid, *map(Note, _mistakes(counts))]


def _mistakes(counts: Counts) -> list[str]:
    """The most frequent pairs of a true and another predicted class."""
    wrong = np.flatnonzero((counts.true != counts.predicted) & (counts.count > 0))
    if not len(wrong) or len(counts.labels) < 3:
        return []
    most = wrong[np.argsort(-counts.count[wrong], kind="stable")[:3]]
    cells = zip(
        *(x[most].tolist() for x in (counts.true, counts.predicted, counts.count)), strict=True
    )
    names = counts.labels
    pairs = (f"{names[true]} as {names[other]} ({items(n)})" for true, other, n in cells)
    return [f"Most often confused: {', '.join(pairs)}."]


OBSERVED = (
    "Observed agreement is the fraction of pairs of ratings of the same item that agree, averaged "
    "over the items with two ratings or more"
)
"""What accuracy is if raters are compared with each other, and nothing is predicted."""


def said_of(name: str, definition: Definition, k: int, n: float, *, raters: bool = False) -> str:
    """The definition of a score, in a sentence for a paper; ``raters``: of ratings."""
    said = sentence(definition, k, n)
    if raters and definition.metric == "accuracy":
        return OBSERVED + said[said.index(".") :]
    lead = "" if name == title(definition) else f"{name}: "
    return f"{lead}{said}"


def gap_notes(report: Report, decimals: int, lead: str = "The two macro F1s") -> list[str]:
    """How far the two macro F1s are apart, and which classes cause it."""
    macro = report.macro
    if macro is None:
        return []
    k = len(macro.labels)
    most = f"with {numbered(k, 'class')} by up to {macro.supremum:.3g}"
    if k == 1:
        return [f"{lead} are equal, because there is only one class."]
    if macro.gap < 0.5 * 10**-decimals:
        return [f"{lead} agree to {decimals} decimals (they can differ {most})."]
    notes = [f"{lead} differ by {number(macro.gap, decimals)} ({most})."]
    pair = macro.largest_pair
    if pair is None:
        parts = macro.contributions
        first = int(parts.argmax())
        share = share_text(float(parts[first] / parts.sum()))
        notes.append(f"Class {macro.labels[first]!r} accounts for {share} of it.")
    elif k > 2 and pair.share >= WORTH_NAMING:
        notes.append(
            f"Classes {pair.a!r} and {pair.b!r} account for {share_text(pair.share)} of it."
        )
    return notes


def interval_notes(report: Report) -> list[str]:
    """The meaning of a dash instead of an interval, and how many replicates were undefined."""
    scores = [score for _, score in report.scores]
    tables = [scores_of_class for _, scores_of_class in report.per_class]
    every = [(x.definition, x.value, x.interval) for x in scores]
    for table in tables:
        pairs = zip(table.array.tolist(), table.intervals, strict=True)
        every += [(table.definition, *each) for each in pairs]
    shown = [x for x in every if x[0].interval is not None and math.isfinite(x[1])]
    asked = [interval for *_, interval in shown]
    notes = worth_notes(effective_n(report.counts))
    if isinstance(report.counts, Ratings) and report.counts.occurring == 1:
        label = report.counts.labels[int(report.counts.label[0])]
        notes.append(
            f"All ratings are {label!r}. Where no disagreement is expected, agreement beyond "
            "chance "
            "is 0/0, and the signature says after undef: what that gives."
        )
    if asked and any(not x.declaration.smooth and x.interval is None for x, *_ in every):
        notes.append(
            Advised(
                "–: no interval is known to be valid, because the score is biased or depends on "
                "individual items.",
                "To see how much it varies: --interval bootstrap.",
            )
        )
    undefined = max((interval.undefined for interval in asked if interval), default=0)
    if undefined:
        said = (
            f"Up to {numbered(undefined, 'replicate')} {verb(undefined, 'was', 'were')} undefined; "
            f"intervals leave {verb(undefined, 'it', 'them')} out."
        )
        return [*notes, said]
    if all(asked):
        return notes
    if report.counts.weighted and getattr(report.counts, "squares", None) is None:
        return [*notes, f"–: {NO_SQUARES}"]
    lacking = [definition for definition, _, x in shown if x is None]
    without = [each for each in lacking if not _is_empty(each, report.counts)]
    reasons = ["the score does not vary over these items"] if without else []
    if len(without) < len(lacking):
        reasons.append("the score is 0/0")
    why = " or ".join(reasons)
    if any(x is None and not _is_within(value, definition) for definition, value, x in shown):
        why += ", or is not between its bounds"
    note = f"–: no interval, because {why}."
    counted = all(x.declaration.kind in COUNTED and x.class_shares is None for x, *_ in every)
    plain = counted and not any([*(x.made for x in scores), *(x.made for x in tables)])
    if not plain or not isinstance(report.counts, Counts):
        return [*notes, note]
    advice = "For proportions, there is one with: -m precision --interval wilson."
    return [*notes, Advised(note, advice)]


def zero_notes(report: Report) -> list[str]:
    """The scores that are 0/0, and what that counts as."""
    counts = report.counts
    if isinstance(counts, (Extent, Ratings)) or not hasattr(counts, "per_class"):
        return []
    notes = []
    for name, table in report.per_class:
        found = None
        if (table.array == table.definition.undefined).any():
            found = _undefined_classes(table.definition, counts, name)
        notes += [found] if found else []
    whole: dict[str, list[str]] = {}
    for name, score in report.scores:
        definition = score.definition
        if score.value == definition.undefined and _is_empty(definition, counts):
            whole.setdefault(f"{definition.undefined}", []).append(name)
    for gives, names in whole.items():
        listed = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
        notes.append(
            f"{capital(listed)} {verb(len(names), 'is', 'are')} 0/0, which counts as {gives}."
        )
    return notes


def _undefined_classes(definition: Definition, counts: Any, name: str) -> str | None:
    """The classes for which a score is 0/0, in a sentence."""
    if not _has_rule(definition):
        return None
    bare = replace(definition, undefined="nan", interval=None, data=())
    scores = evaluate_per_class(bare, counts)
    without = [
        repr(x) for x, value in zip(scores.labels, scores.array, strict=True) if value != value
    ]
    if not without:
        return None
    return (
        f"{capital(name)} of {first_names(without)} is 0/0, which counts as {definition.undefined}."
    )


def _has_rule(definition: Definition) -> bool:
    """Whether 0/0 counts as a number, which a report has to say."""
    kind = definition.declaration.kind
    return kind in COUNTED and not definition.declaration.total and definition.undefined in (0, 1)


def _is_empty(definition: Definition, counts: Any) -> bool:
    """Whether a score of all items is 0/0 as a whole, such as kappa of a single class."""
    if not _has_rule(definition) or definition.declaration.kind == "rate":
        return False
    bare = replace(definition, undefined="nan", interval=None, data=())
    return math.isnan(evaluate(bare, counts).value)


def _is_within(value: float, definition: Definition) -> bool:
    low, high = definition.bounds
    return low - NONE <= value <= high + NONE


def worth_notes(effective: float | None) -> list[str]:
    """The effective number of items under weights, in a sentence."""
    if effective is None:
        return []
    return [f"The effective number of weighted items is {items(effective)}, (Σw)²/Σw²."]


def _record(report: Report) -> dict[str, Any]:
    macro, worth = report.macro, effective_n(report.counts)
    record: dict[str, Any] = {
        "source": report.source,
        "n": report.counts.n,
        **({} if worth is None else {"effective_n": worth}),
        "labels": list(report.counts.labels),
        "scores": [
            {"id": identifier(x.definition), "name": name, **x.to_dict()}
            for name, x in report.scores
        ],
        "per_class": [
            {"id": identifier(x.definition), "name": name, "class": label, **x.to_dict()}
            for name, scores in report.per_class
            for label, x in scores.items()
        ],
    }
    if report.confusion:
        record["confusion"] = {"rows": "true", "matrix": report.counts.matrix.tolist()}
        if report.share is not None:
            shares = report.counts.shares(report.share).tolist()
            record["confusion"]["shares"] = {"of": report.share, "matrix": shares}
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
    every: list[tuple[str, Label | None, Score]] = [(name, None, x) for name, x in report.scores]
    every += [(name, label, x) for name, each in report.per_class for label, x in each.items()]
    for name, label, score in every:
        yield [name, label, *score_cells(score), score.n, score.signature]


SCORE_COLUMNS = ("value", "low", "high", "level", "method", "caution")


def score_cells(score: Score) -> list[object]:
    """A score in the cells of CSV that ``SCORE_COLUMNS`` names."""
    return [score.value, *interval_cells(score.interval)]


def interval_cells(interval: Interval | None) -> list[object]:
    """An interval in the cells of CSV that ``SCORE_COLUMNS`` names, after the value."""
    return [getattr(interval, name, None) for name in SCORE_COLUMNS[1:]]


def _limit(threshold: float, decimals: int = 0) -> str:
    return "none positive" if math.isinf(threshold) else repr(threshold)


CURVE_COLUMNS = (
    GridColumn("threshold", "number", _limit),
    GridColumn("value", "number"),
    *(GridColumn(x, "number", lambda n, decimals: f"{n:,.6g}") for x in ("TP", "FP", "FN", "TN")),
    GridColumn("signature", "code"),
)


def threshold_document(source: str, best: BestThreshold, around: int, decimals: int) -> Document:
    """The best threshold with ``around`` others on either side."""
    nearby = range(max(0, best.at - around), min(len(best.curve), best.at + around + 1))
    curve = [_point(best, at) for at in nearby]
    name = title(best.score.definition)
    of_metric = f"{name[0].upper()}{name[1:]}"
    notes = [
        f"Best threshold: {_limit(best.threshold)}; a score equal to it counts as positive.",
        f"{of_metric} there: {number(best.value, decimals)} ({best.score.signature})",
    ]
    if best.corrected is not None:
        ends = "" if best.interval is None else f" {best.interval:.{decimals}f}"
        notes.append(f"Expected on new items: {number(best.corrected, decimals)}{ends}.")
        if best.interval is not None and best.interval.caution is not None:
            notes.append(f"{CAUTION} {best.interval.caution}.")
    worth = effective_n(best.curve.ranking)
    note, _, _ = best.note.partition(";")
    advice = "To estimate by how much: correct='bootstrap' (--correct bootstrap)."
    notes += [best.note if best.corrected is not None else Advised(f"{note}.", advice)]
    notes += worth_notes(worth)
    if best.calibrated is not None:
        notes.append(
            f"If the scores are calibrated, the best threshold is F1/2 = {best.calibrated:.4f}."
        )
    return Document(
        [*map(Note, notes), Grid(CURVE_COLUMNS, [[*point.values()] for point in curve])],
        lambda: {
            "source": source,
            "threshold": best.threshold,
            "value": best.value,
            "corrected": best.corrected,
            "interval": best.interval and asdict(best.interval),
            **({} if worth is None else {"effective_n": worth}),
            "signature": best.score.signature,
            "calibrated": best.calibrated,
            "curve": curve,
        },
        partial(_threshold_rows, best, curve),
        f"{source}: {len(best.curve) - 1:,} distinct scores",
        kind="threshold",
    )


def _threshold_rows(best: BestThreshold, curve: Sequence[Mapping[str, Any]]) -> Rows:
    """One line per threshold; that of the best has the corrected value and its interval."""
    yield ["best", *curve[0], "corrected", *SCORE_COLUMNS[1:]]
    none = [None] * len(SCORE_COLUMNS)
    for point in curve:
        chosen = point["threshold"] == best.threshold
        facts = [best.corrected, *interval_cells(best.interval)] if chosen else none
        yield [int(chosen), *point.values(), *facts]


def _point(best: BestThreshold, at: int) -> dict[str, Any]:
    """One threshold: its value, the counts of the positive class, and the signature."""
    curve, ranking = best.curve, best.curve.ranking
    threshold = float(curve.threshold[at])
    counts = at_threshold(ranking, threshold=threshold)
    positive, c = counts.labels.code(ranking.positive), counts.per_class()
    parts = {name: getattr(c, name.lower())[positive].item() for name in ("TP", "FP", "FN", "TN")}
    score = evaluate(curve.definition, counts)
    return {"threshold": threshold, "value": score.value, **parts, "signature": score.signature}
