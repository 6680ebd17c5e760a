"""What can go wrong. Every message says what is wrong, what was given, and what to do.

::

    WhichF1Error
    ├── InputError (ValueError)      what was given cannot be counted
    │   ├── LabelError               missing, mixed, fractional, undeclared or repeated labels
    │   ├── ShapeError               unequal lengths, wrong number of dimensions, no items
    │   ├── WeightError              weights that are NaN, negative or infinite
    │   └── FileError                a missing, malformed or damaged file, or a missing column
    ├── DefinitionError (ValueError) an unknown metric or option, or one that does not apply
    ├── MergeError (ValueError)      counts that do not add up to one table
    └── TooLargeError (MemoryError)  a dense table that would not fit in memory

    SkippedWarning (UserWarning)     what on_error="skip" left out
    OtherDataWarning (UserWarning)   a signature run on data of another kind
"""

from __future__ import annotations

from collections.abc import Iterable


class WhichF1Error(Exception):
    """The root: ``except whichf1.errors.WhichF1Error`` catches everything raised on purpose."""


class InputError(WhichF1Error, ValueError):
    """What was given cannot be counted."""


class LabelError(InputError):
    """A label is missing, of mixed or unsupported type, undeclared, or declared twice."""


class ShapeError(InputError):
    """Lengths differ, an array has the wrong number of dimensions, or there are no items."""


class WeightError(InputError):
    """A weight is NaN, negative or infinite."""


class FileError(InputError):
    """A file or a column is missing, malformed or damaged."""


class SkippedWarning(UserWarning):
    """Items were left out, as was asked for: how many, and why."""


class OtherDataWarning(UserWarning):
    """A signature names classes, weights or clusters that the data at hand do not have."""


class DefinitionError(WhichF1Error, ValueError):
    """A metric or option is unknown, does not apply, or a signature does not parse."""


class MergeError(WhichF1Error, ValueError):
    """Two counts cannot be added."""


class TooLargeError(WhichF1Error, MemoryError):
    """A dense table would not fit in memory."""


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """`` Did you mean 'recall'?``, or the whole list where nothing is near."""
    from difflib import get_close_matches  # only ever needed on the way to an error

    names = list(known)
    near = get_close_matches(given, names, n=3, cutoff=0.6)
    if near:
        return f"Did you mean {' or '.join(repr(name) for name in near)}?"
    return f"Known: {', '.join(names)}."
