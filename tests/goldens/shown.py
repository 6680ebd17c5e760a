"""What every command shows in every format, recorded as people see it.

``python -m tests.goldens.shown`` writes a file of each command into ``shown/`` beside this one:
text on terminals of five widths, Markdown, LaTeX, HTML, CSV and JSON; JUnit and GitHub for gates.
Read the difference before you commit it.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import click

from tests.helpers.commands import invoke
from whichf1.cli.options import GateFormat, GateOptions, OutputOptions

SHOWN = Path(__file__).parent / "shown"
ROOT = Path(__file__).parents[2]
WIDTHS = (60, 80, 100, 120, 200)
FORMATS = ("markdown", "latex", "html", "csv", "json")
SLICED = "tests/goldens/shown/sliced.csv"
SYSTEMS = ("examples/systems.csv", "--pred", "careful", "--pred", "biased", "--pred", "weak")
COMMANDS: dict[str, tuple[str, ...]] = {
    "score": ("score", "examples/animals.csv"),
    "score-scores": (
        *("score", "examples/spam.csv", "--score", "score", "--positive", "spam"),
        *("--threshold", "0.5"),
    ),
    "score-by": ("score", SLICED, "--by", "half"),
    "score-gates": (
        *("score", "examples/animals.csv", "-m", "averaged_f1", "-m", "accuracy"),
        *("--fail-under", "accuracy=0.7", "--fail-under-low", "averaged_f1=0.6"),
    ),
    "matrix": ("matrix", "2", "5", "10", "5", "10", "--rows", "predicted"),
    "compare": ("compare", *SYSTEMS, "--replicates", "199"),
    "compare-table": (
        *("compare", SLICED, "--pred", "pred", "--pred", "other", "-m", "averaged_f1"),
        *("-m", "mcc", "--baseline", "other", "--show", "interval", "--by", "half"),
    ),
    "compare-gates": (
        *("compare", *SYSTEMS, "-m", "mcc", "--baseline", "careful", "--fail-if-worse"),
    ),
    "study": ("study", "examples/runs/{system}/{seed}.csv", "--item", "item"),
    "study-data-sets": (
        *("study", "examples/tasks.csv", "--system", "model", "--dataset", "task", "--item"),
        *("item", "-m", "accuracy", "--rope", "0.01"),
    ),
    "study-folds": (
        *("study", "examples/tasks.csv", "--system", "model", "--fold", "task", "-m", "accuracy"),
    ),
    "groups": (
        "groups",
        "examples/loans.csv",
        "--by",
        "sex",
        "-m",
        "recall",
        "--positive",
        "default",
    ),
    "agree": ("agree", "examples/ratings.csv"),
    "choose": ("choose", "--want", "monotone", "--want", "fixed-at-random"),
    "threshold": (
        *("threshold", "examples/spam.csv", "--score", "score", "--positive", "spam"),
        *("--around", "2"),
    ),
    "dialects": ("dialects", "examples/animals.csv"),
    "explain": ("explain", "--matrix", "2 5 10 5 10", "--rows", "predicted", "--value", "0.43"),
    "convert": ("convert", "examples/animals.csv", "--from", "sklearn", "--to", "brightmart"),
    "audit": ("audit", "examples/results.csv"),
    "metrics": ("metrics",),
    "define": ("define", "averaged_f1"),
    "count": ("count", "examples/animals.csv"),
    "merge": ("merge", "tests/goldens/saved/strings.json", "tests/goldens/saved/strings.json"),
    "plot": ("plot", "list"),
}
"""A command of each kind; text that it prints itself has one section."""
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
LONG = re.compile(r"-?\d+\.\d{11,}(?:e[+-]\d+)?|-?\d\.\d+e[+-]\d+")
CHANGING = (
    (re.compile(r'timestamp="[^"]*"'), 'timestamp="…"'),
    (re.compile(r"whichf1-[0-9a-f]{32}"), "whichf1-…"),
)


def shown(arguments: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """What a command shows: the name of each format, and the text."""
    found: list[tuple[str, str]] = []
    write, finish = OutputOptions.write, GateOptions.finish

    def capture(name: str, columns: int, run: Any) -> None:
        out = io.StringIO()
        environment = {"COLUMNS": str(columns), "FORCE_COLOR": "1", "TERM": "xterm"}
        try:
            with mock.patch.dict(os.environ, environment), redirect_stdout(out):
                run()
        finally:
            found.append((name, out.getvalue()))

    def write_all(options: Any, document: Any) -> None:
        document, kind = _start(document), type(options.format)
        for width in WIDTHS:
            text = options.but(format=kind("text"))
            capture(f"text, {width} columns", width, partial(write, text, document))
        for name in FORMATS:
            other = options.but(format=kind(name))
            capture(name, 80, partial(write, other, document))

    def finish_all(options: Any, document: Any, source: str, verdicts: Any) -> None:
        if verdicts:
            for name in ("junit", "github"):
                told = options.but(format=GateFormat(name))
                with (
                    redirect_stderr(io.StringIO()),
                    suppress(click.exceptions.Exit),
                ):  # a gate failed
                    capture(name, 80, partial(finish, told, document, source, verdicts))
        finish(options, document, source, verdicts)

    with (
        mock.patch.object(OutputOptions, "write", write_all),
        mock.patch.object(GateOptions, "finish", finish_all),
    ):
        code, out, err = invoke(*arguments, GITHUB_STEP_SUMMARY="", COLUMNS="80")
    yield from found
    if out:
        yield "output", out
    if err or code:
        yield "standard error", f"{err}exit {code}\n"


def _start(document: Any) -> Any:
    """A document; of those that list all metrics or pictures, the start, as these lists grow."""
    if document.kind not in ("metrics", "kind_list"):
        return document
    record, rows = document.record(), [*document.rows()]
    return replace(
        document,
        blocks=[replace(block, rows=block.rows[:4]) for block in document.blocks],
        record=lambda: {key: x[:4] if isinstance(x, list) else x for key, x in record.items()},
        rows=lambda: rows[:5],
    )


def page(name: str) -> str:
    """All that a command shows, as it is recorded."""
    arguments = COMMANDS[name]
    text = [f"$ whichf1 {' '.join(arguments)}\n"]
    with chdir(ROOT):
        text += [f"=== {format}\n{normal(part)}\n" for format, part in shown(arguments)]
    return "".join(text)


def normal(text: str) -> str:
    """Without colours, without what differs between runs, and with numbers of ten digits."""
    for pattern, sign in ((COLOURS, ""), *CHANGING):
        text = pattern.sub(sign, text)
    return LONG.sub(lambda number: f"{float(number[0]):.10g}", text)


if __name__ == "__main__":
    for name in COMMANDS:
        (SHOWN / f"{name}.txt").write_text(page(name), encoding="utf-8")
