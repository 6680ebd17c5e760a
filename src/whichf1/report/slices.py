"""Scores of slices beside the score of the whole, worst first, in every format."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from whichf1.definitions.definition import Definition
from whichf1.definitions.words import sentence
from whichf1.errors import InputError
from whichf1.report.cells import exact, items, number, score_cells, score_fields, span
from whichf1.report.escape import csv_text, latex, markdown, markdown_code, visible
from whichf1.report.terminal import plain_printer, print_columns
from whichf1.scoring.score import Score
from whichf1.tables.slices import Key

if TYPE_CHECKING:
    from rich.console import Console

T = TypeVar("T")
WIDE = 0.1
"""An interval wider than this share of the metric's range cannot tell much."""
FEW = 10
"""With fewer items for each class an interval covers too rarely to judge by (docs/intervals.md)."""
SMALL = "too small to tell"
WHOLE = "(whole)"
"""What stands in place of a slice's values in the row of all items."""
NOTE = (
    "below, above: the slice's interval does not hold the score of the whole; near: it does; "
    f"{SMALL}: fewer than {FEW} items for each class, no interval, or one wider than {WIDE:g} that "
    "holds it. Each slice is judged by itself: among many, some fall outside by chance."
)


@dataclass(frozen=True)
class SliceScore:
    """The score of one slice."""

    key: Key
    score: Score
    gap: float
    """The slice's score minus that of the whole."""
    verdict: str
    """'below', 'above', 'near' or 'too small to tell'."""


@dataclass(frozen=True)
class SlicesOf:
    """One metric on the whole and on every slice, worst first."""

    name: str
    whole: Score
    rows: tuple[SliceScore, ...]


@dataclass(frozen=True)
class SliceReport:
    """Some metrics on every slice."""

    source: str
    by: tuple[str, ...]
    metrics: tuple[SlicesOf, ...]
    empty: tuple[Key, ...]
    """Slices without any item to score: all ignored, or without weight."""

    @property
    def title(self) -> str:
        """What was scored."""
        n = self.metrics[0].whole.n
        slices = len({*self.empty, *(row.key for table in self.metrics for row in table.rows)})
        what = f"{items(n)} items" if isinstance(n, int) else f"weight {items(n)}"
        return f"{self.source}: {what} in {slices:,} slices by {', '.join(self.by)}"

    @property
    def notes(self) -> list[str]:
        """How to read it."""
        lacking = ", ".join(map(shown, self.empty))
        return [NOTE, *([f"Nothing to score in: {lacking}"] if lacking else [])]


def slice_report(
    source: str,
    by: Sequence[str],
    whole: T,
    parts: Mapping[Key, T],
    definitions: Sequence[tuple[str, Definition]],
    score: Callable[[Definition, T], Score],
) -> SliceReport:
    """Score the whole and every slice."""
    empty: dict[Key, None] = {}
    metrics = []
    for name, definition in definitions:
        of_whole = score(definition, whole)
        plain = replace(definition, data=())  # what a signature says of its data is of the whole
        rows = []
        for key, part in parts.items():
            try:
                own = score(plain, part)
            except InputError:  # a slice may lack what the whole has
                empty[key] = None
                continue
            rows.append(SliceScore(key, own, own.value - of_whole.value, _verdict(own, of_whole)))
        metrics.append(SlicesOf(name, of_whole, tuple(sorted(rows, key=_worst_first))))
    return SliceReport(source, tuple(by), tuple(metrics), tuple(empty))


def _worst_first(row: SliceScore) -> tuple[bool, float]:
    lower = row.score.definition.declaration.better == "lower"
    return math.isnan(row.gap), -row.gap if lower else row.gap


def _verdict(score: Score, whole: Score) -> str:
    interval = score.interval
    few = score.n < FEW * len(score.classes)
    if interval is None or math.isnan(whole.value) or few:
        return SMALL
    if not interval.low <= whole.value <= interval.high:
        return "below" if score.value < whole.value else "above"
    low, high = score.definition.declaration.bounds
    wide = interval.high - interval.low > WIDE * (high - low if math.isfinite(high) else 1)
    return SMALL if wide else "near"


def shown(key: Key) -> str:
    """A slice's values as text."""
    return ", ".join("(missing)" if value is None else str(value) for value in key)


HEAD = ("slice", "items", "classes", "value", "interval", "gap", "verdict", "signature")


def _lines(table: SlicesOf, decimals: int) -> list[list[str]]:
    whole = [WHOLE, *_cells(table.whole, decimals), "", "", table.whole.signature]
    rows = [
        [
            shown(row.key),
            *_cells(row.score, decimals),
            f"{row.gap:+.{decimals}f}" if math.isfinite(row.gap) else number(row.gap, decimals),
            row.verdict,
            row.score.signature,
        ]
        for row in table.rows
    ]
    return [whole, *rows]


def _cells(score: Score, decimals: int) -> list[str]:
    return [
        items(score.n),
        f"{len(score.classes):,}",
        number(score.value, decimals),
        span(score.interval, decimals),
    ]


def as_text(report: SliceReport, console: Console, decimals: int) -> None:
    """Print a table for each metric."""
    say = plain_printer(console)
    say(visible(report.title))
    for table in report.metrics:
        say("")
        say(visible(table.name))
        left = ("slice", "verdict", "signature")
        print_columns(console, list(HEAD), _lines(table, decimals), left=left)
    say("")
    for note in report.notes:
        say(visible(note))


def as_json(report: SliceReport, decimals: int) -> str:
    """All numbers in full precision; undefined and infinite ones are null."""
    record = {
        "source": report.source,
        "by": list(report.by),
        "metrics": [
            {
                "name": table.name,
                "whole": score_fields(table.whole),
                "slices": [
                    {
                        "slice": dict(zip(report.by, map(_plain, row.key), strict=True)),
                        **score_fields(row.score),
                        "gap": row.gap if math.isfinite(row.gap) else None,
                        "verdict": row.verdict,
                    }
                    for row in table.rows
                ],
            }
            for table in report.metrics
        ],
        "nothing to score in": [shown(key) for key in report.empty],
        "notes": report.notes,
    }
    return json.dumps(record, indent=2, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def as_csv(report: SliceReport, decimals: int) -> str:
    """One line per number, in full precision; the whole stands before its slices."""
    ends = ["low", "high", "level", "method"]
    lines: list[list[object]] = [
        ["name", *report.by, "value", *ends, "gap", "verdict", "n", "signature"]
    ]

    def line(name: str, values: list[Any], score: Score, *judged: object) -> None:
        lines.append([name, *values, *score_cells(score), *judged, score.n, score.signature])

    for table in report.metrics:
        line(table.name, [WHOLE] * len(report.by), table.whole, None, None)
        for row in table.rows:
            values = [_plain(value) for value in row.key]
            line(table.name, values, row.score, exact(row.gap), row.verdict)
    return csv_text(lines)


def as_markdown(report: SliceReport, decimals: int) -> str:
    """A table for each metric."""
    parts = [markdown(report.title), ""]
    for table in report.metrics:
        rule = ["---", *["---:"] * 5, "---", "---"]
        body = [
            [*map(markdown, row[:-1]), markdown_code(row[-1])] for row in _lines(table, decimals)
        ]
        parts += [f"**{markdown(table.name)}**", ""]
        parts += [f"| {' | '.join(row)} |" for row in (HEAD, rule, *body)]
        parts.append("")
    return "\n".join([*parts, *map(markdown, report.notes)]) + "\n"


def as_latex(report: SliceReport, decimals: int) -> str:
    """A booktabs table for each metric; the notes hold the sentences and signatures."""
    lines = [r"% needs \usepackage{booktabs,textcomp} and \usepackage[T1]{fontenc}"]
    for table in report.metrics:
        rows = _lines(table, decimals)
        body = [" & ".join(latex(cell) for cell in row[:-1]) + r" \\" for row in rows]
        signatures = [rf"{latex(row[0])}: \texttt{{{latex(row[-1])}}}\par" for row in rows]
        said = latex(sentence(table.whole.definition))
        lines += [
            r"\begin{table}",
            r"\begin{tabular}{lrrrrrl}",
            r"\toprule",
            " & ".join(HEAD[:-1]) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            rf"\caption{{{latex(report.title)}: {latex(table.name)}. {said}}}",
            r"\par\footnotesize",
            *signatures,
            *(latex(note) + r"\par" for note in report.notes),
            r"\end{table}",
        ]
    return "\n".join(lines) + "\n"


FORMATS: dict[str, Callable[[SliceReport, int], str]] = {
    "json": as_json,
    "markdown": as_markdown,
    "latex": as_latex,
    "csv": as_csv,
}
"""Formats that are one text; 'text' goes to a console."""
