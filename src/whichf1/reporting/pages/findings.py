"""The page of a report: what a reader needs, in the order in which it is needed.

A section is a heading and parts, which ``report.html`` knows how to show: pictures, and the
Documents of other reports. Which sections there are depends on the data.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from whichf1 import __version__
from whichf1.comparison.study import Study
from whichf1.definitions.definition import Definition
from whichf1.definitions.words import capital, meaning
from whichf1.errors import WhichF1Error, numbered, verb
from whichf1.published.dialects import dialects
from whichf1.reporting.citations import bibtex
from whichf1.reporting.comparison import ADJUSTED, comparison_document, in_a_row
from whichf1.reporting.document import (
    CAUTION,
    Document,
    Grid,
    GridColumn,
    Signature,
    footnotes,
    html_cells,
)
from whichf1.reporting.numbers import items, share_text, size
from whichf1.reporting.pages.shell import json_text, rendered
from whichf1.reporting.pages.threshold import Slider
from whichf1.reporting.pictures.kinds import picture
from whichf1.reporting.pictures.marks import first_of
from whichf1.reporting.pictures.vector import PagePicture, shown
from whichf1.reporting.published import dialect_document
from whichf1.reporting.score import (
    NOT_PROBABILITIES,
    Report,
    class_table,
    gap_notes,
    interval_notes,
    said_of,
    score_table,
)
from whichf1.reporting.slices import SMALL, SliceScore, score_slices, slice_document
from whichf1.reporting.study import study_document
from whichf1.scoring.curves import BestThreshold, best_threshold
from whichf1.scoring.evaluate import evaluate
from whichf1.scoring.score import Score, effective_n
from whichf1.tables.annotations import Ratings
from whichf1.tables.counts import Counts
from whichf1.tables.label_sets import MultiLabelCounts
from whichf1.tables.ranking import Ranking
from whichf1.tables.records import dataclass
from whichf1.tables.units import Additive

MOST_PAIRS = 30
"""How many confused pairs are listed."""
MOST_DRAWN = 60
"""With more classes than this, drawing from the posterior takes too long for a report."""
MOST_KEPT = 10**5
"""How many lines of a table the page holds."""
CARDS = 4
"""How many requested scores are shown large; the others are in the table."""


# parts of a section


@dataclass(frozen=True)
class Cards:
    """Scores shown in large type."""

    kind: ClassVar = "cards"
    scores: Sequence[tuple[str, str, Score]]
    """The name of each score, and the score."""


@dataclass(frozen=True)
class Prose:
    """Sentences: one paragraph each, or the points of a list."""

    kind: ClassVar = "prose"
    texts: Sequence[str]
    style: str = ""
    """'lead', 'soft', or 'points' for a list."""
    title: str = ""


@dataclass(frozen=True)
class Figures:
    """Pictures, side by side where there is room."""

    kind: ClassVar = "figures"
    pictures: Sequence[PagePicture]


@dataclass(frozen=True)
class Tabulated:
    """A table of a Document."""

    kind: ClassVar = "table"
    grid: Grid

    @cached_property
    def heads(self) -> list[tuple[GridColumn, str, str]]:
        """The columns with their names; an interval belongs to the number before it."""
        return self._joined([column.name for column in self.grid.columns])

    @cached_property
    def rows(self) -> list[list[tuple[GridColumn, Any, Any]]]:
        """The columns with their cells, as HTML, and the text below each."""
        from markupsafe import Markup

        return [self._joined([*map(Markup, row)]) for row in html_cells(self.grid)]

    def _joined(self, row: Sequence[Any]) -> list[tuple[GridColumn, Any, Any]]:
        joined: list[tuple[GridColumn, Any, Any]] = []
        for column, cell in zip(self.grid.columns, row, strict=True):
            if column.kind == "interval" and joined and joined[-1][0].kind == "number":
                joined[-1] = (*joined[-1][:2], cell)
            else:
                joined.append((column, cell, ""))
        return joined


@dataclass(frozen=True)
class Code:
    """Text to be copied."""

    kind: ClassVar = "code"
    title: str
    lines: Sequence[str]


@dataclass(frozen=True)
class Signed:
    """The signatures of the numbers above."""

    kind: ClassVar = "signed"
    signatures: Sequence[Signature]


@dataclass(frozen=True)
class Facts:
    """Names and their values."""

    kind: ClassVar = "facts"
    facts: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Kept:
    """The whole table, which the page holds so that anything can be computed again."""

    kind: ClassVar = "kept"
    what: str
    text: str

    @property
    def json(self) -> Any:
        """The table as JSON that can be embedded in a page."""
        from markupsafe import Markup

        return Markup(json_text(json.loads(self.text)))


@dataclass(frozen=True)
class Section:
    """A heading and the parts below it."""

    id: str
    title: str
    parts: Sequence[Any]


# the page


def page(report: Report | Study) -> str:
    """A report, or a study, as one HTML file."""
    if isinstance(report, Study):
        return study_page(report)
    about = _About(report)
    written = [Section(name, title, [*parts(about)]) for name, (title, parts) in SECTIONS.items()]
    sections = [section for section in written if section.parts]
    source = report.source or "Report"
    fields = {"title": source, "subtitle": about.subtitle, "sections": sections}
    parts = [part for section in sections for part in section.parts]
    slider = next((part for part in parts if isinstance(part, Slider)), None)
    if slider is None:
        return rendered("report.html", fields, styles=["report.css"])
    scripts = ["formulas.js", "threshold.js"]
    return rendered("report.html", fields, styles=["report.css"], scripts=scripts, data=slider.data)


def study_page(study: Study) -> str:
    """A study as one HTML file: its pictures, its tables, and what was read."""
    drawn: list[PagePicture] = []
    for kind in ("critical-difference", "meta", "runs"):
        if kind == "runs" and drawn:
            break
        with suppress(WhichF1Error):
            drawn.append(shown(picture(study, kind)))
    if study.flips is not None and study.flips.flips:
        drawn.append(shown(picture(study.flips, "flips")))
    document = study_document(study, "study")
    sets = study.trials.data_sets.items()
    facts = [(name or "data set", f"{size(data.n)}, {numbered(len(data.keys), 'run')}")
             for name, data in sets]  # fmt: skip
    sections = [
        Section("study", "Are the systems different?", [Figures(drawn), *_of_document(document)]),
        Section("data", "Data", [Facts(facts)]),
    ]
    subtitle = document.title.partition(": ")[2]
    fields = {"title": "Study", "subtitle": f"{subtitle}.", "sections": sections}
    return rendered("report.html", fields, styles=["report.css"])


class _About:
    """What several sections need from a report, each computed once."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.counts = report.counts
        self.decided = isinstance(report.counts, (Counts, MultiLabelCounts))
        self.citations: dict[str, None] = {}

    @property
    def subtitle(self) -> str:
        """How much data, and of which kind."""
        n, k = size(self.counts.n), len(self.counts.labels)
        parts = [n, numbered(k, "class")]
        if self.report.comparison is not None:
            names = [*self.report.comparison.scores]
            parts.append(
                f"{numbered(len(names), 'system')}; the details are for the first, {names[0]}"
            )
        return ", ".join(parts) + "."

    @cached_property
    def ranking(self) -> Ranking | None:
        """The items in the order of their scores."""
        subject = self.report.subject
        return None if subject is None else subject.ranking

    @cached_property
    def best(self) -> BestThreshold | None:
        """The threshold at which F1 is best."""
        if self.ranking is None:
            return None
        with suppress(WhichF1Error):
            return best_threshold(self.ranking)
        return None

    @cached_property
    def slices(self) -> list[tuple[str, list[SliceScore]]]:
        """The first scores of the report in each slice, worst first."""
        subject = self.report.subject
        if subject is None or not subject.slices:
            return []
        scorers = {key: part.evaluate for key, part in subject.slices.items()}
        return [
            (name, score_slices(definition, subject.evaluate, scorers)[0])
            for name, definition in self.slice_definitions
        ]

    @property
    def slice_definitions(self) -> list[tuple[str, Definition]]:
        """The definitions of slice scores: on the classes in each slice, unless declared."""
        declared = getattr(self.counts, "declared", False)
        chosen = [
            (
                name,
                replace(score.definition, data=(), classes=None)
                if not declared
                else score.definition,
            )
            for name, score in _leading(self.report)[:2]
        ]
        return [(name, x if declared else x.over_observed) for name, x in chosen]

    def drawn(self, result: Any, *kinds: str, **options: Any) -> Iterator[PagePicture]:
        """The pictures that exist: some data have nothing to draw."""
        for kind in kinds:
            with suppress(WhichF1Error):
                yield shown(picture(result, kind, **options))


def _leading(report: Report) -> list[tuple[str, Score]]:
    """The scores that come first: both macro F1s, or the first that are requested."""
    both = [
        (name, score)
        for name, score in report.scores
        if score.definition.metric == "f1" and score.definition.average == "macro"
    ]
    return both if report.macro is not None and len(both) == 2 else [*report.scores[:CARDS]]


# the answer


def _answer(about: _About) -> Iterator[Any]:
    report = about.report
    leading = _leading(report)
    if leading:
        yield Cards([(capital(name), meaning(score.definition), score) for name, score in leading])
    if report.macro is not None:
        notes = gap_notes(report, 4, "Both are called ‘macro F1’: they")
        yield Prose([" ".join([*notes, "Say which one you report."])], "lead")
    yield from _of_each_system(about, leading)
    yield Prose(_cautions(about), "points", "What to be careful with")
    if report.scores:
        yield Figures([*about.drawn(report, "scores")])
        yield Tabulated(score_table(report))
        if any(score.interval and score.interval.caution for _, score in report.scores):
            yield Prose([f"{CAUTION}: see ‘What to be careful with’."], "soft")


def _of_each_system(about: _About, leading: Sequence[tuple[str, Score]]) -> Iterator[Any]:
    """The leading scores of every system, if there are several."""
    comparison = about.report.comparison
    if comparison is None or comparison.counts is None:
        return
    columns = [GridColumn("system")]
    for name, score in leading:
        method = score.definition.interval
        heading = "" if method is None else f"{100 * method.level:g} % interval"
        columns += [GridColumn(name, "number"), GridColumn(heading, "interval")]
    definitions = [replace(score.definition, data=()) for _, score in leading]
    rows: list[list[Any]] = []
    for name in comparison.ranking:
        scores = [evaluate(each, comparison.counts[name]) for each in definitions]
        rows.append([name, *(x for score in scores for x in (score.value, score.interval))])
    yield Tabulated(Grid(columns, rows, "The same scores of every system, best first"))


def _cautions(about: _About) -> list[str]:
    """Cautions, in sentences."""
    report = about.report
    marked = footnotes(Document(report.document().blocks))
    notes = [note.replace(f"{CAUTION} ", "Intervals of ", 1) for note in marked]
    notes += [NOT_PROBABILITIES] if report.unfair else []
    notes += interval_notes(report)
    if not report.oriented:
        notes.append("It is not known which side of the matrix is true.")
    if about.decided:
        notes += _class_cautions(about)
    if report.comparison is not None:
        notes += _system_cautions(report.comparison)
    if about.slices:
        small = sum(row.verdict == SMALL for row in about.slices[0][1][1:])
        if small:
            of_all = numbered(len(about.slices[0][1]) - 1, "slice")
            notes.append(f"{small} of {of_all} {verb(small, 'is', 'are')} {SMALL}.")
    if about.best is not None and about.decided is False:
        notes.append(
            "There are no predictions: they need a threshold, and one chosen on these items "
            "looks better than it is."
        )
    return notes or ["No interval has a caution, and every class has items and predictions."]


def _class_cautions(about: _About) -> Iterator[str]:
    counts = about.counts
    c, labels = counts.per_class(), [*map(repr, counts.labels)]
    for empty, what, effect in (
        ((c.tp + c.fn) == 0, "no true items", "recall is 0/0"),
        ((c.tp + c.fp) == 0, "no predictions", "precision is 0/0"),
    ):
        without = [labels[at] for at in np.flatnonzero(empty).tolist()]
        if without:
            has = "has" if len(without) == 1 else "have"
            whose = "whose" if len(without) > 1 else "its"
            yield f"{first_of(without, 5)} {has} {what}, so {whose} {effect}.".replace(
                ", so whose", ": their"
            )
    if about.report.macro is not None and not counts.declared:
        yield (
            "The classes were not declared: the means are over those that occur, and a sample that "
            "lacks one of them has a different mean."
        )


def _system_cautions(comparison: Any) -> Iterator[str]:
    best, letters = comparison.ranking[0], comparison.letters
    rivals = [name for name in comparison.ranking[1:] if set(letters[name]) & set(letters[best])]
    if rivals:
        yield f"{best} is best, but does not differ significantly from {in_a_row(rivals)}."
    many = len(comparison.flips)
    if many:
        yield (
            f"The order of {many} pair{'s' if many > 1 else ''} of systems depends on the "
            "definition of the score."
        )


# pictures, classes, confusions


def _pictures(about: _About) -> Iterator[Any]:
    report, pictures = about.report, list[PagePicture]()
    if about.decided and report.oriented:
        pictures += about.drawn(about.counts, "plane")
        if 2 <= len(about.counts.labels) <= MOST_DRAWN:
            pictures += about.drawn(about.counts, "posterior")
        pictures += about.drawn(about.counts, "classes")
    ranking = about.ranking
    if ranking is not None:
        pictures += about.drawn(ranking, "roc", "pr")
        if ranking.probabilities:
            calibrated = [*about.drawn(ranking, "reliability")]
            decisions = [*about.drawn(ranking, "decision")]
            about.citations |= dict.fromkeys(["reliability"] if calibrated else [])
            about.citations |= dict.fromkeys(["decision"] if decisions else [])
            pictures += [*calibrated, *decisions]
    if pictures:
        yield Figures(pictures)


def _classes(about: _About) -> Iterator[Any]:
    report = about.report
    if report.per_class:
        yield Tabulated(class_table(report))
        yield Signed([Signature(x.signature, name) for name, x in report.per_class])


def _confusions(about: _About) -> Iterator[Any]:
    counts = about.counts
    if not isinstance(counts, Counts) or not about.report.oriented:
        return
    figures = [*about.drawn(counts, "confusion")]
    if about.report.macro is not None and len(counts.labels) > 2:
        figures += about.drawn(about.report.macro, "gap")
    if figures:
        yield Figures(figures)
    grid, rest = _pairs(counts)
    if grid.rows:
        yield Tabulated(grid)
    if rest:
        yield Prose([f"{rest:,} more pairs of classes are confused."], "soft")


def _pairs(counts: Counts) -> tuple[Grid, int]:
    """The most frequent confusions, and how many more there are."""
    wrong = np.flatnonzero((counts.true != counts.predicted) & (counts.count > 0))
    order = wrong[np.argsort(-counts.count[wrong], kind="stable")]
    c = counts.per_class()
    support, labels = c.tp + c.fn, counts.labels
    rows = [
        [str(labels[counts.true[at]]), str(labels[counts.predicted[at]]), counts.count[at].item(),
         share_text(float(counts.count[at] / support[counts.true[at]]))]
        for at in order[:MOST_PAIRS].tolist()
    ]  # fmt: skip
    columns = [
        GridColumn("true class"),
        GridColumn("predicted as"),
        GridColumn("items", "number", items),
        GridColumn("fraction of the true class", "number"),
    ]
    return Grid(columns, rows, "Most frequent confusions", keys=2), max(0, len(order) - MOST_PAIRS)


# slices, thresholds, systems, dialects


def _of_document(document: Document) -> Iterator[Any]:
    """Another report, as parts."""
    signatures: list[Signature] = []
    for block in document.blocks:
        if isinstance(block, Signature):
            signatures.append(block)
            continue
        if signatures:
            yield Signed(signatures)
            signatures = []
        yield Tabulated(block) if isinstance(block, Grid) else Prose(block.text.split("\n"), "soft")
    if signatures:
        yield Signed(signatures)
    if notes := footnotes(document):
        yield Prose(notes, "soft")


def _slices(about: _About) -> Iterator[Any]:
    from whichf1.reporting.pictures.forests import slice_picture

    subject, report = about.report.subject, about.report
    if subject is None or not about.slices:
        return
    figures = []
    for name, (whole, *parts) in about.slices:
        known = [row for row in parts if np.isfinite(row.score.value)]
        if known:
            picture = slice_picture(name, subject.by, whole, known, len(parts) - len(known))
            figures.append(shown(replace(picture, title=capital(picture.title))))
    yield Figures(figures)
    scorers = {key: part.evaluate for key, part in subject.slices.items()}
    definitions = about.slice_definitions
    yield from _of_document(
        slice_document(
            report.source or "slices", subject.by, definitions, subject.evaluate, scorers
        )
    )


def _thresholds(about: _About) -> Iterator[Any]:
    best = about.best
    if best is not None:
        yield Slider(best, next(about.drawn(best, "threshold"), None))
        if best.calibrated is not None:
            yield Prose(
                [
                    "If the probabilities are calibrated, the best threshold for F1 on new items "
                    f"is half of the best F1, {best.calibrated:.4f}."
                ],
                "soft",
            )


def _systems(about: _About) -> Iterator[Any]:
    comparison = about.report.comparison
    if comparison is None:
        return
    adjust = comparison.plan.adjust
    if adjust in ("holm", "fdr"):
        about.citations[adjust] = None
    yield Figures([*about.drawn(comparison, "comparison", "flips")])
    yield from _of_document(comparison_document(comparison, about.report.source))


def _dialects(about: _About) -> Iterator[Any]:
    counts = about.counts
    if not isinstance(counts, Counts) or about.report.macro is None:
        return
    with suppress(WhichF1Error):
        table = dialects.table(counts)
        yield Prose(
            ["What each library would print as macro F1 for the same predictions, and why."], "soft"
        )
        yield from _of_document(dialect_document("", table))
        yield Figures([*about.drawn(table, "dialects")])


# methods and data


def _methods(about: _About) -> Iterator[Any]:
    report = about.report
    raters = isinstance(report.counts, Ratings)
    said = [
        said_of(name, x.definition, len(x.classes), x.n, raters=raters) for name, x in report.scores
    ]
    said += [said_of(name, x.definition, len(x.labels), x.n) for name, x in report.per_class]
    if report.comparison is not None:
        comparison = report.comparison
        said.append(
            f"Systems are compared by paired tests; p-values are adjusted: "
            f"{ADJUSTED[comparison.plan.adjust]}. {comparison.signature}"
        )
    yield Prose([*dict.fromkeys(said)], "points")
    cited = ["macro"] if report.macro is not None else []
    yield Code("BibTeX", bibtex(*cited, *about.citations))


def _data(about: _About) -> Iterator[Any]:
    report, counts = about.report, about.counts
    labels = [*map(str, counts.labels)]
    worth = effective_n(counts)
    facts = [
        ("data", report.source),
        *_hashes(report),
        ("items", items(counts.n)),
        ("worth", "" if worth is None else f"{items(worth)} equal items, (Σw)²/Σw²"),
        ("classes", f"{len(labels):,}: {first_of(labels, 50)}"),
        ("positive class", "" if about.ranking is None else str(about.ranking.positive)),
        ("distinct scores", "" if about.ranking is None else f"{len(about.ranking.score):,}"),
        ("slices by", ", ".join(report.subject.by) if report.subject else ""),
        ("systems", first_of([*report.comparison.scores], 50) if report.comparison else ""),
        ("made by", f"whichf1 {__version__}"),
    ]
    yield Facts([(name, text) for name, text in facts if text])
    if about.decided and counts.units <= MOST_KEPT:
        yield Kept(counts.kind, counts.to_json())


def _hashes(report: Report) -> Iterator[tuple[str, str]]:
    """What identifies the data: the hash of the file, or of what was counted."""
    path = Path(report.source)
    try:
        if report.source and path.is_file():
            with open(path, "rb") as file:
                yield "SHA-256 of the file", file_digest(file, "sha256").hexdigest()
            return
    except (OSError, ValueError):  # a name that is not that of a file
        pass
    if not isinstance(report.counts, Additive):  # the scores of label sets are not counted
        return
    saved = report.counts.to_json().encode()
    yield f"SHA-256 of the {report.counts.kind}", sha256(saved).hexdigest()


SECTIONS: dict[str, tuple[str, Callable[[_About], Iterator[Any]]]] = {
    "answer": ("The answer", _answer),
    "pictures": ("Pictures", _pictures),
    "classes": ("Classes", _classes),
    "confusions": ("Confusions", _confusions),
    "slices": ("Slices, worst first", _slices),
    "thresholds": ("Thresholds", _thresholds),
    "systems": ("Systems", _systems),
    "dialects": ("Dialects", _dialects),
    "methods": ("Methods", _methods),
    "facts": ("Data", _data),
}
"""The sections in order: the heading, and the function that makes the parts."""
