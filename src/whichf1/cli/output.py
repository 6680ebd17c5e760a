"""What commands print, and where."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Any

from rich.console import Console

from whichf1.cli.options import Format
from whichf1.report import formats as whole
from whichf1.report import slices
from whichf1.report.report import Report
from whichf1.report.slices import SliceReport
from whichf1.tables.saving import written_whole


def emit(report: Report | SliceReport, format: Format, decimals: int, output: str | None) -> None:
    """A report in the chosen format, to standard output or whole into a file."""
    formats: Any = slices if isinstance(report, SliceReport) else whole
    if format is Format.text:
        emit_printed(lambda to: formats.as_text(report, to, decimals), output)
    else:
        emit_text(formats.FORMATS[format.value](report, decimals), output)


def emit_text(text: str, output: str | None) -> None:
    """A text to standard output, or whole into a file."""
    if output is None:
        write(text)
        return
    with written_whole(output) as temporary:
        temporary.write_text(text, encoding="utf-8")


def emit_printed(show: Callable[[Console], None], output: str | None) -> None:
    """What is printed on a console, to the terminal or whole into a file."""
    if output is None:
        show(console())
        return
    buffer = io.StringIO()
    show(console(buffer))
    emit_text(buffer.getvalue(), output)


def console(file: Any = None) -> Console:
    """A console that is plain unless it is a terminal; NO_COLOR is honoured by rich itself."""
    terminal = file is None and sys.stdout.isatty()
    return Console(file=file, highlight=False, width=None if terminal else 10_000)


def write(text: str) -> None:
    """Text as it is to standard output."""
    sys.stdout.write(text)
