"""Everything together: which figures there are, and how they are written and summed up."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from whichf1.errors import DefinitionError, FileError, did_you_mean
from whichf1.paper import plots
from whichf1.paper.chance import interval, rankings
from whichf1.paper.figures import fig1a, fig1b, fig2, fig3, theorem
from whichf1.paper.mathematics import counterexample, limits, variance
from whichf1.paper.result import DEFINITIONS, Figure
from whichf1.paper.tables import tables
from whichf1.report.escape import markdown, markdown_code
from whichf1.tables.saving import written_whole

Maker: TypeAlias = Callable[[int], Figure]

SEED = 2019
PARTS: dict[str, tuple[Maker, ...]] = {
    "tables": (tables,),
    "fig1": (fig1a, fig1b),
    "fig2": (fig2,),
    "fig3": (fig3,),
    "theorem": (theorem,),
    "beyond": (variance, counterexample, limits, interval, rankings),
}
HEAD = ("where", "what", "of", "paper", "here", "data")


def makers(part: str) -> list[Maker]:
    """What makes the figures of a part, or of all."""
    if part == "all":
        return [maker for each in PARTS.values() for maker in each]
    if part not in PARTS:
        raise DefinitionError(
            f"there is no part {part!r} of the paper. {did_you_mean(part, [*PARTS, 'all'])}"
        )
    return [*PARTS[part]]


def rows(figures: Sequence[Figure]) -> list[list[str]]:
    """The table 'paper / here': every number, what it is a score of, and what the paper prints."""
    return [
        [figure.name, fact.what, fact.of, fact.paper or "–", fact.shown, fact.data]
        for figure in figures
        for fact in figure.facts
    ]


def signatures(figures: Sequence[Figure]) -> dict[str, str]:
    """The signature of every score that the table speaks of; ``data`` completes it."""
    used = {fact.of for figure in figures for fact in figure.facts}
    scores = {each.signature for of in used for each in DEFINITIONS[of]}
    said = {
        name: parts[0].signature
        for name, parts in DEFINITIONS.items()
        if len(parts) == 1 and parts[0].signature in scores
    }
    words = {"gap": "F1 of averages - averaged F1", "both": "averaged F1 and F1 of averages"}
    return {**said, **{name: text for name, text in words.items() if name in used}}


def origin(figures: Sequence[Figure]) -> str:
    """How to get the same numbers again."""
    seeds = {figure.seed for figure in figures if figure.seed is not None}
    return f"seed: {min(seeds)}" if seeds else "nothing here is random"


def as_markdown(figures: Sequence[Figure], *, where: bool = True) -> str:
    """The table 'paper / here' in Markdown, signatures below."""
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


def write(
    figures: Sequence[Figure], directory: str, formats: Sequence[str] = plots.FORMATS
) -> Iterator[str]:
    """Write data, parameters and pictures of each figure, and the summary; yield each name."""
    folder = Path(directory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot make the folder {directory!r}: {error.strerror}") from None
    for figure in figures:
        _write(folder / f"{figure.name}.csv", figure.csv())
        _write(folder / f"{figure.name}.json", figure.json())
        if figure.name in plots.DRAWINGS and plots.available():
            plots.save(figure, folder, formats)
        yield figure.name
    _write(folder / "summary.md", as_markdown(figures))


def _write(path: str | os.PathLike[str], text: str) -> None:
    with written_whole(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
