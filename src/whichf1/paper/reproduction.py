"""The whole reproduction: its parts, its summary, its files and the page about the paper."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from whichf1.errors import DefinitionError, FileError
from whichf1.paper import plots
from whichf1.paper.beyond import counterexample, interval, limits, rankings, variance
from whichf1.paper.figures import fig1a, fig1b, fig2, fig3, tables, theorem
from whichf1.paper.result import DEFINITIONS, SINGLE, Figure
from whichf1.reporting.document import Document, Grid, GridColumn, Note, Signature
from whichf1.reporting.escape import markdown, markdown_code
from whichf1.tables.saving import write_whole

SEED = 2019
PARTS: dict[str, tuple[Callable[[int], Figure], ...]] = {
    "tables": (tables,),
    "fig1": (fig1a, fig1b),
    "fig2": (fig2,),
    "fig3": (fig3,),
    "theorem": (theorem,),
    "beyond": (variance, counterexample, limits, interval, rankings),
}
"""The functions that compute the figures of each part, given a seed."""
PARTS["all"] = tuple(maker for makers in PARTS.values() for maker in makers)
_SLOT = re.compile(r"\{\{(\w+)(?:\.([^}]+))?\}\}")
HEAD = ("where", "what", "of", "paper", "here", "data")


def rows(figures: Sequence[Figure]) -> list[list[str]]:
    """The comparison with the paper: every number, which score it is, and what the paper prints."""
    return [
        [figure.name, fact.what, fact.of, fact.paper or "–", fact.shown, fact.data]
        for figure in figures
        for fact in figure.facts
    ]


def signatures(figures: Sequence[Figure]) -> dict[str, str]:
    """The signature of every score in the table, which ``data`` completes."""
    used = {fact.of for figure in figures for fact in figure.facts}
    scores = {each for of in used for each in DEFINITIONS[of]}
    single = {of: DEFINITIONS[of][0].signature for of in SINGLE if DEFINITIONS[of][0] in scores}
    words = {"gap": "F1 of averages - averaged F1", "both": "averaged F1 and F1 of averages"}
    return {**single, **{name: text for name, text in words.items() if name in used}}


def origin(figures: Sequence[Figure]) -> str:
    """The seed that reproduces the numbers."""
    seeds = {figure.seed for figure in figures if figure.seed is not None}
    return f"seed: {min(seeds)}" if seeds else "nothing here is random"


def summary(figures: Sequence[Figure]) -> Document:
    """The comparison with the paper, what its program prints, and signatures."""
    numbers = ("paper", "here")
    columns = [GridColumn(name, "number" if name in numbers else "text") for name in HEAD]
    printed = [Note(f"{figure.text}\n") for figure in figures if figure.text]
    named = [
        Signature(text, name) if "|" in text else Note(f"{name}: {text}")
        for name, text in signatures(figures).items()
    ]
    table = Grid(columns, rows(figures))
    return Document([table, Note(""), *printed, *named, Note(origin(figures))])


def as_markdown(figures: Sequence[Figure], *, where: bool = True) -> str:
    """The comparison with the paper in Markdown, with signatures below."""
    first = 0 if where else 1
    lines = [HEAD[first:], ["---"] * len(HEAD[first:])]
    for *text, data in rows(figures):
        lines.append([*map(markdown, text[first:]), markdown_code(data)])
    table = [f"| {' | '.join(line)} |" for line in lines]
    notes = [
        f"- {name}: {markdown_code(text)}" if "|" in text else f"- {name}: {text}"
        for name, text in signatures(figures).items()
    ]
    return "\n".join([*table, "", *notes, f"- {origin(figures)}", ""])


def write(figures: Sequence[Figure], directory: str, formats: Sequence[str]) -> Iterator[str]:
    """Write data, parameters and picture of each figure, then the summary; yield each name."""
    folder = Path(directory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot create the folder {directory!r}: {error.strerror}") from None
    for figure in figures:
        _write(folder / f"{figure.name}.csv", figure.csv())
        _write(folder / f"{figure.name}.json", figure.json())
        if figure.name in plots.DRAWINGS and plots.available():
            plots.save(figure, folder, formats)
        yield figure.name
    _write(folder / "summary.md", as_markdown(figures))


def _write(path: str | os.PathLike[str], text: str) -> None:
    write_whole(path, text.encode())


def fill(figures: Sequence[Figure], folder: str, image: str = "svg") -> str:
    """The text of the page: ``{{name}}`` becomes a figure, ``{{name.key}}`` one of its numbers.

    ``folder`` is the path from the page to the pictures.
    """
    known = {figure.name: figure for figure in figures}

    def slot(match: re.Match[str]) -> str:
        name, key = match.groups()
        if name not in known:
            raise DefinitionError(f"the page needs {name!r}: pass the figures of all parts")
        return known[name].fact(key).shown if key else _shown(known[name], folder, image)

    return _SLOT.sub(slot, files("whichf1.paper").joinpath("page.md").read_text(encoding="utf-8"))


def _shown(figure: Figure, folder: str, image: str) -> str:
    link = quote(f"{folder}/{figure.name}")
    data = f"Data: [CSV]({link}.csv), [parameters and signatures]({link}.json)."
    numbers = f"{as_markdown([figure], where=False)}\n{data}"
    if figure.name not in plots.DRAWINGS:
        return numbers
    return f"![{figure.title}]({link}.{image})\n\n*{figure.title}.*\n\n{numbers}"


def write_page(figures: Sequence[Figure], page: str, directory: str, image: str = "svg") -> None:
    """Write the page, with links to the figures in ``directory``."""
    folder = os.path.relpath(directory, Path(page).parent)
    _write(page, fill(figures, Path(folder).as_posix(), image))
