"""Commands in tests: how the fixture ``run`` is called, and what to look for in the output."""

from __future__ import annotations

import re
from collections.abc import Callable

Run = Callable[..., tuple[int, str, str]]
"""Run ``whichf1`` with these arguments: exit code, standard output, standard error."""
NASTY = "\x1b[31m|&<b>$x_1$\\cmd{%}~^#`*[l](u)\u202e"
"""A label that is markup in every format."""


def signatures(text: str) -> list[str]:
    """Every signature in an output."""
    return re.findall(r"[a-z_0-9]+(?:\([^)]*\))?\|[^\s<\\]*v:1\|n:[^\s<\\]*", text)
