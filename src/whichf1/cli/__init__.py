"""The command line: parse, call, print."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Any, NoReturn

import typer

import whichf1
from whichf1.cli.agree import agree
from whichf1.cli.compare import compare
from whichf1.cli.counts import count, merge
from whichf1.cli.options import (
    ChooseOptions,
    Command,
    DefineOptions,
    FormatOptions,
    OutputOptions,
    command,
)
from whichf1.cli.pages import playground
from whichf1.cli.paper import paper
from whichf1.cli.pictures import plot, report
from whichf1.cli.process import ask_each, emit, run_program, say
from whichf1.cli.published import audit, convert, dialects, explain
from whichf1.cli.score import groups, matrix, score, threshold
from whichf1.cli.study import study
from whichf1.errors import IntervalWarning, LabelWarning, OtherDataWarning
from whichf1.reporting.reference import choice_document, definition_document, metric_list
from whichf1.scoring.choose import REASONS

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def metrics(options: FormatOptions) -> None:
    """List every metric with its other names and its meaning."""
    OutputOptions(format=options.format, output=None).write(metric_list())


def choose(options: ChooseOptions) -> None:
    """List the scores that have the properties you need. Asks, or takes them as options."""
    wanted = options.want or ask_each({name: x.question for name, x in REASONS.items()})
    choice = whichf1.choose(*wanted, one_class=options.one_class)
    OutputOptions(format=options.format, output=None).write(choice_document(choice))


def define(options: DefineOptions) -> None:
    """Explain a metric or a signature. Prints a sentence to paste into a paper."""
    OutputOptions(output=None).write(definition_document(options.name))


for run in (score, groups, matrix, count, merge, compare, study, agree, threshold, dialects,
            explain, audit, convert, plot, report, playground, metrics, define, choose,
            paper):  # fmt: skip
    app.command(cls=Command)(command(run))


def _version(wanted: bool) -> None:
    if wanted:
        native = "yes" if whichf1.kernel.NATIVE else "no"
        emit(f"whichf1 {whichf1.__version__} (native: {native})\n")
        raise typer.Exit


@app.callback()
def _whichf1(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Classification scores that say what they are.

    Exit codes: 0 success, 1 a gate such as --fail-under failed, 2 bad input, 3 a fault of whichf1.
    """


OURS = (OtherDataWarning, LabelWarning, IntervalWarning)
"""Warnings that are printed unchanged."""


@contextmanager
def _short_warnings() -> Iterator[None]:
    """Print our own warnings as single lines on standard error."""
    with warnings.catch_warnings():
        for each in OURS:
            warnings.simplefilter("once", each)
        other = warnings.showwarning

        def show(message: Any, category: type[Warning], *where: Any, **more: Any) -> None:
            if issubclass(category, OURS):
                say(message)
            else:
                other(message, category, *where, **more)

        warnings.showwarning = show
        yield


def main() -> NoReturn:
    """Run the program.

    Exit codes: 0 success, 1 a gate failed, 2 bad input, 3 a fault of the program,
    128 + n ended by signal n.
    """
    with _short_warnings():
        sys.exit(run_program(partial(app, standalone_mode=False)))
