"""``whichf1 paper``: the tables and figures of 'Macro F1 and Macro F1', reproduced."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from whichf1.cli.options import split_list
from whichf1.cli.output import console
from whichf1.errors import DefinitionError, did_you_mean

if TYPE_CHECKING:
    from whichf1.paper.result import Figure

T = TypeVar("T")


class Part(StrEnum):
    """What to reproduce."""

    tables = "tables"
    fig1 = "fig1"
    fig2 = "fig2"
    fig3 = "fig3"
    theorem = "theorem"
    beyond = "beyond"
    all = "all"


def paper(
    part: Annotated[
        Part, typer.Argument(help="Which part; beyond: what the paper leaves open.")
    ] = Part.all,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="A folder for figures, data and summary.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The seed of everything random.")] = 2019,
    formats: Annotated[
        str, typer.Option(help="Picture formats, of pdf, svg, png.")
    ] = "pdf,svg,png",
    page: Annotated[
        str | None, typer.Option(help="Write the explained page here; needs all and --output.")
    ] = None,
) -> None:
    """Reproduce 'Macro F1 and Macro F1' (Opitz and Burst 2019), the paper's numbers beside ours."""
    from whichf1.paper.plots import available
    from whichf1.paper.reproduction import makers, write, write_page

    kinds = _formats(formats)
    if page is not None and (output is None or part is not Part.all):
        raise DefinitionError("--page shows every figure: give it with 'all' and --output DIR")
    chosen = makers(part.value)
    figures = [maker(seed) for maker in _tracked(chosen, len(chosen), "computing")]
    if output is not None:
        for _ in _tracked(write(figures, output, kinds), len(figures), "writing"):
            pass
    if page is not None and output is not None:
        write_page(figures, page, output, "svg" if "svg" in kinds else kinds[0])
    _summary(figures)
    if output is None:
        _note("add -o DIR for the figures, their data and this table as files.")
    elif not available():
        _note(
            "no pictures, since matplotlib is not installed: pip install 'whichf1[plot]'. "
            "The data and the tables are written."
        )


def _formats(text: str) -> list[str]:
    from whichf1.paper.plots import FORMATS

    kinds = split_list(text)
    for kind in kinds:
        if kind not in FORMATS:
            raise DefinitionError(f"no picture format {kind!r}. {did_you_mean(kind, FORMATS)}")
    if not kinds:
        raise DefinitionError("--formats is empty: give some of pdf, svg, png")
    return kinds


def _tracked(steps: Iterable[T], total: int, what: str) -> Iterator[T]:
    """The steps, with a progress bar where standard error is a terminal."""
    if not sys.stderr.isatty():
        yield from steps
        return
    from rich.console import Console
    from rich.progress import track

    own = Console(stderr=True)
    yield from track(steps, total=total, description=what, console=own, transient=True)


def _summary(figures: list[Figure]) -> None:
    from whichf1.paper.reproduction import HEAD, origin, rows, signatures
    from whichf1.report.terminal import plain_printer, print_columns

    out = console()
    say = plain_printer(out)
    print_columns(out, HEAD, rows(figures), left=("where", "what", "of", "data"))
    say("")
    for figure in figures:
        if figure.text:
            say(f"{figure.text}\n")
    for name, text in signatures(figures).items():
        say(f"{name}: {text}")
    say(origin(figures))


def _note(text: str) -> None:
    print(f"whichf1: {text}", file=sys.stderr)
