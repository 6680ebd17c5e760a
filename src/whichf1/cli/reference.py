"""``whichf1 metrics`` and ``whichf1 define``."""

from __future__ import annotations

from typing import Annotated

import typer

from whichf1.cli.options import Format, OutputFormat
from whichf1.cli.output import console, write
from whichf1.report.reference import explain_definition, list_metrics


def metrics(format: OutputFormat = Format.text) -> None:
    """List every metric with its other names and its meaning."""
    write(list_metrics(format.value, console()))


def define(
    name: Annotated[str, typer.Argument(help="A metric, a shorthand, an alias or a signature.")],
) -> None:
    """Say what a metric or a signature means, with a sentence to paste into a paper."""
    write(explain_definition(name))
