"""The command line: parse, call, print."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn

import typer

import whichf1
from whichf1.cli.audit import audit
from whichf1.cli.compare import compare
from whichf1.cli.count import count, merge
from whichf1.cli.dialects import convert, dialects
from whichf1.cli.explain import explain
from whichf1.cli.output import write
from whichf1.cli.paper import paper
from whichf1.cli.reference import define, metrics
from whichf1.cli.score import matrix, score
from whichf1.cli.threshold import threshold
from whichf1.errors import OtherDataWarning, WhichF1Error
from whichf1.report.escape import visible

app = typer.Typer(
    help="Classification scores that say what they are.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for command in (
    score,
    matrix,
    count,
    merge,
    compare,
    threshold,
    dialects,
    explain,
    audit,
    convert,
    metrics,
    define,
    paper,
):
    app.command()(command)


def _version(wanted: bool) -> None:
    if wanted:
        native = "yes" if whichf1.kernel.NATIVE else "no"
        write(f"whichf1 {whichf1.__version__} (native: {native})\n")
        raise typer.Exit


@app.callback()
def _whichf1(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Classification scores that say what they are."""


@contextmanager
def _warnings_said() -> Iterator[None]:
    """A warning of ours is one line on standard error."""
    with warnings.catch_warnings():
        warnings.simplefilter("once", OtherDataWarning)
        other = warnings.showwarning

        def say(message: Any, category: type[Warning], *where: Any, **more: Any) -> None:
            if issubclass(category, OtherDataWarning):
                print(f"whichf1: {visible(message)}", file=sys.stderr)
            else:
                other(message, category, *where, **more)

        warnings.showwarning = say
        yield


def main() -> NoReturn:
    """The program: 0 fine, 1 a score below its floor, 2 bad input."""
    try:
        with _warnings_said():
            app(standalone_mode=True)
    except WhichF1Error as error:
        print(f"whichf1: {visible(error)}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("whichf1: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # the reader of the pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    sys.exit(0)
