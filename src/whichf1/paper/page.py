"""The page about the paper: our text (page.md) with every figure and number filled in."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from whichf1.errors import DefinitionError
from whichf1.paper.plots import DRAWINGS
from whichf1.paper.reproduction import as_markdown
from whichf1.paper.result import Figure
from whichf1.tables.saving import written_whole

_SLOT = re.compile(r"\{\{(\w+)(?:\.([^}]+))?\}\}")


def fill(figures: Sequence[Figure], folder: str, image: str = "svg") -> str:
    """The text of the page. ``{{name}}`` is a figure with its numbers, ``{{name.key}}`` one number.

    ``folder`` is where the pictures are, seen from the page.
    """
    known = {figure.name: figure for figure in figures}

    def slot(found: re.Match[str]) -> str:
        name, key = found.groups()
        if name not in known:
            raise DefinitionError(f"the page needs {name!r}: make it from all parts of the paper")
        return known[name].fact(key).shown if key else _shown(known[name], folder, image)

    return _SLOT.sub(slot, files("whichf1.paper").joinpath("page.md").read_text(encoding="utf-8"))


def _shown(figure: Figure, folder: str, image: str) -> str:
    link = quote(f"{folder}/{figure.name}")
    data = f"Data: [CSV]({link}.csv), [parameters and signatures]({link}.json)."
    numbers = f"{as_markdown([figure], where=False)}\n{data}"
    if figure.name not in DRAWINGS:
        return numbers
    return f"![{figure.title}]({link}.{image})\n\n*{figure.title}.*\n\n{numbers}"


def write_page(figures: Sequence[Figure], page: str, directory: str, image: str = "svg") -> None:
    """Write the page so that its links lead to the figures."""
    folder = os.path.relpath(directory, Path(page).parent)
    with written_whole(page) as temporary:
        temporary.write_text(fill(figures, Path(folder).as_posix(), image), encoding="utf-8")
