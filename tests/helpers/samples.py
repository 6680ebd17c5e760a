"""Samples that tests of several rooms draw, and what they ask of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import whichf1 as wf

Run = Callable[..., tuple[int, str, str]]
"""The fixture ``run``: exit code, standard output and standard error of a command."""
T = TypeVar("T")


def present(value: T | None) -> T:
    """A value that must not be missing: an interval, a p-value."""
    assert value is not None
    return value


def ends(interval: wf.Interval | None) -> tuple[float, float]:
    """The two ends of an interval that must not be missing."""
    return present(interval).low, present(interval).high
