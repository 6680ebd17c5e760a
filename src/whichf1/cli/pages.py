"""``whichf1 playground``: a page to open in a browser."""

from __future__ import annotations

from whichf1.cli.options import PlaygroundOptions
from whichf1.errors import InputError
from whichf1.tables.saving import write_whole


def playground(options: PlaygroundOptions) -> None:
    """Write an HTML page for editing a confusion matrix."""
    from whichf1.paper.examples import examples
    from whichf1.reporting.pages.playground import playground as page

    if options.output is None:
        raise InputError("no output file: name one with -o, such as -o playground.html")
    write_whole(options.output, page(examples()).encode())
