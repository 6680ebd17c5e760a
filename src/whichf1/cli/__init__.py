"""The command line: parse, call, print. Each command is imported when it is run."""

from __future__ import annotations

import gc
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from importlib import import_module
from typing import Any, NoReturn

import click

import whichf1
from whichf1.cli.process import emit, leave, run_program, say
from whichf1.errors import IntervalWarning, LabelWarning, OtherDataWarning

COMMANDS = {
    "score": ("score", "Score a file of predictions."),
    "groups": ("score", "Compare a score between groups of items."),
    "matrix": ("score", "Score a confusion matrix, from numbers or from a file."),
    "count": ("counts", "Count a file once, to merge and score later."),
    "merge": ("counts", "Add up saved counts: whichf1 merge *.json | whichf1 score -."),
    "compare": ("compare", "Compare systems on the same items."),
    "study": ("study", "Compare systems that have several runs, folds or data sets."),
    "agree": ("agree", "Score the agreement of raters."),
    "threshold": ("score", "Find the threshold at which a score is best."),
    "dialects": ("published", "Print every library's macro F1 for the same predictions."),
    "explain": ("published", "Find definitions that reproduce a published number."),
    "audit": ("published", "Determine which macro F1 was published."),
    "convert": ("published", "Express a score of one dialect in another."),
    "plot": ("pictures", "Draw a picture: of classes, curves or comparisons."),
    "report": ("pictures", "Write a page with scores, pictures and methods."),
    "playground": ("pages", "Write an HTML page for editing a confusion matrix."),
    "metrics": ("reference", "List every metric with its other names and its meaning."),
    "define": ("reference", "Explain a metric or a signature."),
    "choose": ("reference", "List the scores that have the properties you need."),
    "paper": ("paper", "Reproduce 'Macro F1 and Macro F1' (Opitz and Burst 2019)."),
}
"""The module of each command, and what its docstring begins with."""


class Commands(Mapping[str, click.Command]):
    """The commands by name, each imported on first use."""

    def __getitem__(self, name: str) -> click.Command:
        return _load(name)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


@cache
def _load(name: str) -> click.Command:
    module, _ = COMMANDS[name]
    from whichf1.cli.options import command

    return command(getattr(import_module(f"whichf1.cli.{module}"), name))


class LazyGroup(click.Group):
    """A group of commands that imports none of them to list them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what comes before the command; the help if there is nothing."""
        return super().parse_args(ctx, args or ["--help"])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:  # for which click would print an empty line
            raise click.exceptions.Exit(INTERRUPTED) from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the table."""
        return [*COMMANDS]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names and summaries."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """What a shell offers: the commands that begin so, or the options."""
        from click.shell_completion import CompletionItem

        commands = [
            CompletionItem(name, help=about)
            for name, (_, about) in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from whichf1 import kernel

        native = "yes" if kernel.NATIVE else "no"
        emit(f"whichf1 {whichf1.__version__} (native: {native})\n")
        ctx.exit()


VERSION = click.Option(
    ["--version"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    default=False,
    callback=_version,
    help="Print the version.",
)
commands: Any = Commands()
app = LazyGroup(
    "whichf1",
    commands=commands,
    params=[VERSION],
    help="""Classification scores that say what they are.

    Exit codes: 0 success, 1 a gate such as --fail-under failed, 2 bad input, 3 a fault of whichf1.
    """,
)


FEW_COLLECTIONS = 50_000
"""New objects before garbage is collected: importing makes many of them, and hardly any garbage."""
INTERRUPTED = 130
"""The exit code of a program that Ctrl-C ended: 128 and the number of the signal."""
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
    gc.set_threshold(FEW_COLLECTIONS)
    with _short_warnings():
        sys.exit(run_program(partial(app, standalone_mode=False)))


def program() -> NoReturn:
    """Run the program in a process of its own, and end that process."""
    code: Any = 0
    try:
        main()
    except SystemExit as end:
        code = end.code
    leave(code)
