"""A Report as text, Markdown, LaTeX, JSON or CSV. Every number stands beside its signature."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from whichf1.definitions.definition import Definition
from whichf1.definitions.words import sentence, title
from whichf1.metrics import COUNTED
from whichf1.report.cells import items, number, score_cells, score_fields, span
from whichf1.report.escape import csv_text, latex, markdown, markdown_code, visible
from whichf1.report.report import Report
from whichf1.report.terminal import plain_printer, print_columns
from whichf1.tables.counts import Counts

if TYPE_CHECKING:
    from rich.console import Console

MOST_CLASSES = 60
"""Classes shown in a table on the terminal; every other format shows all."""


def interval_head(report: Report) -> str | None:
    """The head of a column of intervals, with their level; None where there are none."""
    definitions = [each.definition for _, each in report.per_class]
    definitions += [score.definition for _, score in report.scores]
    methods = [definition.interval for definition in definitions]
    levels = {method.level for method in methods if method is not None}
    if not levels:
        return None
    return f"{100 * levels.pop():g} % interval" if len(levels) == 1 else "interval"


def summary_line(report: Report) -> str:
    """What was scored."""
    counts = report.counts
    what = f"weight {items(counts.n)}" if counts.weighted else f"{items(counts.n)} items"
    return f"{report.source}: {what}, {len(counts.labels):,} classes"


def gap_lines(report: Report, decimals: int) -> list[str]:
    """How far the two macro F1s are apart, and which classes make it so."""
    if report.macro is None:
        return []
    gap, k = report.macro.gap, len(report.macro.labels)
    most = f"with {k} classes by up to {report.macro.supremum:.3g}"
    if gap < 0.5 * 10**-decimals:
        return [f"The two macro F1s agree to {decimals} decimals (they can differ {most})."]
    lines = [f"The two macro F1s differ by {number(gap, decimals)} ({most})."]
    pair = report.macro.largest_pair
    if pair is None:
        parts = report.macro.contributions
        first = int(parts.argmax())
        share = 100 * parts[first] / parts.sum()
        lines.append(f"Class {visible(report.macro.labels[first])} makes {share:.0f} % of it.")
    elif k > 2:
        lines.append(
            f"Classes {visible(pair.a)} and {visible(pair.b)} make {100 * pair.share:.0f} % of it."
        )
    return lines


def orientation_note(report: Report) -> str | None:
    """What is missing where the orientation of a matrix is not known."""
    if report.oriented:
        return None
    return (
        "These scores do not depend on whether rows are true or predicted. "
        "For precision, recall and what is built on them say --rows true or --rows predicted."
    )


def interval_note(report: Report) -> str | None:
    """What '–' in place of an interval means, and how often replicates were undefined."""
    scores = [record.score for record in report.records()]
    asked = [x for x in scores if x.definition.interval is not None and math.isfinite(x.value)]
    undefined = max((x.interval.undefined for x in asked if x.interval), default=0)
    if undefined:
        return f"Up to {undefined:,} replicates were undefined and are left out of an interval."
    if all(x.interval for x in asked):
        return None
    said = "–: the method has no interval there, as the score does not vary in these items."
    plain = all(not x.made and x.definition.declaration.kind in COUNTED for x in scores)
    if not plain or not isinstance(report.counts, Counts):
        return said
    return f"{said} Shares of items have one with: -m precision --interval wilson."


def notes_of(report: Report, decimals: int) -> list[str]:
    """The lines below the tables."""
    last = (orientation_note(report), interval_note(report))
    return [*gap_lines(report, decimals), *(note for note in last if note)]


def as_text(report: Report, console: Console, decimals: int) -> None:
    """Print aligned tables on a terminal or, plainly, into a pipe."""
    say = plain_printer(console)
    say(visible(summary_line(report)))
    if report.per_class:
        say("")
        print_columns(console, *_class_columns(report, decimals))
        hidden = len(report.per_class[0][1]) - MOST_CLASSES
        if hidden > 0:
            say(f"… and {hidden:,} more classes: all are in --format csv")
        for name, scores in report.per_class:
            say(f"{name}: {scores.signature}")
    if report.scores:
        say("")
        print_columns(console, *_score_columns(report, decimals), left=("score", "signature"))
    notes = notes_of(report, decimals)
    for note in ["", *notes] if notes else []:
        say(note)


def _class_columns(report: Report, decimals: int) -> tuple[list[str], list[list[str]]]:
    intervals = interval_head(report)
    support = report.support if report.oriented else {}
    head = ["class"]
    for name, _ in report.per_class:
        head += [name, intervals] if intervals else [name]
    rows = []
    for at, label in enumerate(report.per_class[0][1].labels[:MOST_CLASSES]):
        row = [str(label)]
        for _, scores in report.per_class:
            row.append(number(float(scores.array[at]), decimals))
            row += [span(scores.intervals[at], decimals)] if intervals else []
        rows.append(row + ([items(support.get(label, 0))] if support else []))
    return head + (["support"] if support else []), rows


def _score_columns(report: Report, decimals: int) -> tuple[list[str], list[list[str]]]:
    intervals = interval_head(report)
    head = ["score", "value", *([intervals] if intervals else []), "signature"]
    rows = []
    for name, score in report.scores:
        middle = [span(score.interval, decimals)] if intervals else []
        rows.append([name, number(score.value, decimals), *middle, score.signature])
    return head, rows


def as_json(report: Report, decimals: int) -> str:
    """All numbers in full precision; undefined and infinite values are null, with a word."""
    macro = report.macro
    record: dict[str, Any] = {
        "source": report.source,
        "n": report.counts.n,
        "labels": list(report.counts.labels),
        "scores": [{"name": name, **score_fields(score)} for name, score in report.scores],
        "per_class": [
            {"name": record.name, "class": record.label, **score_fields(record.score)}
            for record in report.records()
            if record.label is not None
        ],
    }
    if macro is not None:
        pair = macro.largest_pair
        record["gap"] = {
            "value": macro.gap,
            "of": [macro.of_averages.signature, macro.averaged.signature],
            "supremum": macro.supremum,
            "largest_pair": None
            if pair is None
            else {"classes": [pair.a, pair.b], "share": pair.share},
        }
    return json.dumps(record, indent=2, allow_nan=False) + "\n"


def as_csv(report: Report, decimals: int) -> str:
    """One line per number, in full precision."""
    rows: list[list[object]] = [
        ["name", "class", "value", "low", "high", "level", "method", "n", "signature"]
    ]
    for record in report.records():
        score = record.score
        rows.append([record.name, record.label, *score_cells(score), score.n, score.signature])
    return csv_text(rows)


def as_markdown(report: Report, decimals: int) -> str:
    """Tables in Markdown."""
    parts = [markdown(summary_line(report)), ""]
    if report.per_class:
        head, rows = _class_rows(report, decimals)
        parts += [*_markdown_table(head, rows, markdown), ""]
        parts += [
            f"- {markdown(name)}: {markdown_code(scores.signature)}"
            for name, scores in report.per_class
        ]
        parts.append("")
    if report.scores:
        head, rows = _score_columns(report, decimals)
        body = [[markdown(row[0]), *row[1:-1], markdown_code(row[-1])] for row in rows]
        parts += [*_markdown_table(head, body, str), ""]
    notes = notes_of(report, decimals)
    parts += [markdown(note) for note in notes if note]
    return "\n".join(parts).rstrip("\n") + "\n"


def _markdown_table(
    head: list[str], rows: Iterable[list[str]], escape: Callable[[object], str]
) -> list[str]:
    rule = ["---", *["---:"] * (len(head) - 1)]
    return [
        f"| {' | '.join(row)} |" for row in (head, rule, *([escape(c) for c in r] for r in rows))
    ]


def _class_rows(report: Report, decimals: int) -> tuple[list[str], list[list[str]]]:
    head = ["class", *(name for name, _ in report.per_class), "support"]
    support = report.support
    columns = [scores.array for _, scores in report.per_class]
    rows = []
    for at, label in enumerate(report.per_class[0][1].labels):
        values = [number(float(column[at]), decimals) for column in columns]
        rows.append([str(label), *values, items(support.get(label, 0))])
    if not report.oriented:
        return head[:-1], [row[:-1] for row in rows]
    return head, rows


def as_latex(report: Report, decimals: int) -> str:
    """A booktabs table; its note says in a sentence what each score is, with the signature."""
    lines = [
        r"% needs \usepackage{booktabs,textcomp} and \usepackage[T1]{fontenc}",
        r"\begin{table}",
    ]
    if report.per_class:
        head, rows = _class_rows(report, decimals)
        lines += [*_tabular(head, rows), r"\par\medskip"]
    if report.scores:
        head, rows = _score_columns(report, decimals)
        lines += _tabular(head[:-1], [row[:-1] for row in rows])
    lines += [rf"\caption{{{latex(summary_line(report))}.}}", r"\par\footnotesize\raggedright"]
    for name, each in report.per_class:
        lines.append(_note(name, each.definition, len(each.labels), each.n, each.signature))
    for name, score in report.scores:
        lines.append(_note(name, score.definition, len(score.classes), score.n, score.signature))
    lines += [latex(line) + r"\par" for line in notes_of(report, decimals)]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _note(name: str, definition: Definition, k: int, n: float, signature: str) -> str:
    said = latex(sentence(definition, k, n))
    lead = "" if name == title(definition) else f"{latex(name)}: "
    return rf"{lead}{said} \texttt{{{latex(signature)}}}\par"


def _tabular(head: list[str], rows: list[list[str]]) -> list[str]:
    body = [" & ".join(latex(cell) for cell in row) + r" \\" for row in rows]
    title = " & ".join(latex(cell) for cell in head) + r" \\"
    columns = "l" + "r" * (len(head) - 1)
    start = rf"\begin{{tabular}}{{{columns}}}"
    return [start, r"\toprule", title, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]


FORMATS: dict[str, Callable[[Report, int], str]] = {
    "json": as_json,
    "markdown": as_markdown,
    "latex": as_latex,
    "csv": as_csv,
}
"""Formats that are one text; 'text' goes to a console."""
