"""Lines and aligned columns on a terminal or, plainly, into a pipe."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from whichf1.report.escape import visible

if TYPE_CHECKING:
    from rich.console import Console


def plain_printer(console: Console) -> Callable[[str], None]:
    """A function that prints a line as it is: no markup, no wrapping but the terminal's own."""
    from rich.text import Text

    return lambda line: console.print(Text(line), soft_wrap=True)


def print_columns(
    console: Console,
    head: Sequence[str],
    rows: Iterable[Sequence[object]],
    left: Sequence[str] = ("class",),
) -> None:
    """A table in aligned columns, the head bold; all to the right but the ``left`` ones."""
    from rich.cells import cell_len
    from rich.text import Text

    lines = [list(head), *([visible(cell) for cell in row] for row in rows)]
    widths = [max(cell_len(line[at]) for line in lines) for at in range(len(head))]
    for number_of, line in enumerate(lines):
        cells = []
        for name, width, cell in zip(head, widths, line, strict=True):
            pad = " " * (width - cell_len(cell))
            cells.append(cell + pad if name in left else pad + cell)
        text = Text("  ".join(cells).rstrip(), style="" if number_of else "bold")
        console.print(text, soft_wrap=True)
