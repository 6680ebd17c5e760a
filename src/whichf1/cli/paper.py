"""``whichf1 paper``: the tables and figures of 'Macro F1 and Macro F1', reproduced."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from whichf1.cli.options import OutputOptions, PaperOptions, Part, split_list
from whichf1.cli.process import say
from whichf1.errors import DefinitionError, did_you_mean
from whichf1.statistics.progress import advancing, working

T = TypeVar("T")


def paper(options: PaperOptions) -> None:
    """Reproduce 'Macro F1 and Macro F1' (Opitz and Burst 2019). Shows its numbers next to ours."""
    from whichf1.paper.plots import available
    from whichf1.paper.reproduction import PARTS, summary, write, write_page

    kinds, output, page = _formats(options.formats), options.output, options.page
    if page is not None and (output is None or options.part is not Part.all):
        raise DefinitionError("--page shows every figure: it needs the part 'all' and --output DIR")
    chosen = PARTS[options.part]
    figures = [maker(options.seed) for maker in _tracked(chosen, len(chosen), "computing")]
    if output is not None:
        for _ in _tracked(write(figures, output, kinds), len(figures), "writing"):
            pass
    if page is not None and output is not None:
        write_page(figures, page, output, "svg" if "svg" in kinds else kinds[0])
    OutputOptions(output=None).write(summary(figures))
    if output is None:
        note = "add -o DIR to write the figures, their data and this table to files."
    elif not available():
        note = "no figures, because matplotlib is not installed: pip install 'whichf1[plot]'. "
        note += "The data and the tables are written."
    else:
        return
    say(note)


def _formats(text: str) -> list[str]:
    from whichf1.paper.plots import FORMATS

    kinds = split_list(text)
    for kind in kinds:
        if kind not in FORMATS:
            raise DefinitionError(f"no picture format {kind!r}. {did_you_mean(kind, FORMATS)}")
    if not kinds:
        raise DefinitionError("--formats is empty: name some of pdf, svg, png")
    return kinds


def _tracked(steps: Iterable[T], total: int, what: str) -> Iterator[T]:
    """The steps, with their progress if standard error is a terminal."""
    with working(what, total) as work:
        advance = advancing(work)
        for step in steps:
            yield step
            advance(1)
