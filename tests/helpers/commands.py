"""Commands run in this process: exit code, standard output, standard error."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable
from contextlib import nullcontext, redirect_stderr, redirect_stdout
from unittest import mock

Run = Callable[..., tuple[int, str, str]]
"""The fixture ``run``: ``whichf1`` with these arguments."""
NASTY = "\x1b[31m|&<b>$x_1$\\cmd{%}~^#`*[l](u)\u202e"
"""A label that is markup in every format."""


def invoke(
    *arguments: object, given: bytes | None = None, **environment: str
) -> tuple[int, str, str]:
    """Run ``whichf1`` as the console would, with these bytes on standard input if there are any.

    The terminal is wide, so that a row is a line, unless COLUMNS says otherwise.
    """
    from whichf1 import cli

    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    stdin = io.TextIOWrapper(io.BytesIO(given or b""), encoding="utf-8")
    with (
        mock.patch.dict(os.environ, {"COLUMNS": "999"} | environment),
        mock.patch.object(sys, "argv", ["whichf1", *map(str, arguments)]),
        mock.patch.object(sys, "stdin", stdin) if given is not None else nullcontext(),
        redirect_stdout(out),
        redirect_stderr(io.StringIO()) as err,
    ):
        try:
            cli.main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
    out.seek(0)
    return code, out.read(), err.getvalue()


def signatures(text: str) -> list[str]:
    """Every signature in an output."""
    return re.findall(r"[a-z_0-9]+(?:\([^)]*\))?\|[^\s<\\]*v:1\|n:[^\s<\\]*", text)
