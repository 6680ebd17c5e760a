"""Errors and warnings. Every message says what is wrong, what it got and what to do.

::

    WhichF1Error
    ├── InputError (ValueError)      the data cannot be counted
    │   ├── LabelError               missing, mixed, fractional, undeclared or repeated labels
    │   ├── ShapeError               unequal lengths, wrong number of dimensions, no items
    │   ├── WeightError              weights that are NaN, negative or infinite
    │   └── FileError                a missing, malformed or damaged file, or a missing column
    ├── DefinitionError (ValueError) an unknown metric or option, or one that does not apply
    ├── MergeError (ValueError)      counts that cannot be added
    └── TooLargeError (MemoryError)  a dense table that would not fit in memory

    SkippedWarning (UserWarning)     rows skipped by on_error="skip"
    OtherDataWarning (UserWarning)   a signature that does not match the data
    LabelWarning (UserWarning)       classes that differ only in how they are written
    IntervalWarning (UserWarning)    no interval, because these counts do not say enough
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable
from numbers import Real
from typing import Any, NoReturn

LONGEST = 2000
"""Length of the longest message, since it may quote a value of any size."""


def shortened(message: str) -> str:
    """The message, with its middle cut out if it is too long."""
    cut = len(message) - LONGEST
    half = LONGEST // 2
    return message if cut <= 0 else f"{message[:half]} … ({cut:,} characters) … {message[-half:]}"


class WhichF1Error(Exception):
    """The base class of all errors that whichf1 raises on purpose."""

    def __init__(self, message: object = "") -> None:
        super().__init__(shortened(str(message)))


def raise_alone(error: WhichF1Error) -> NoReturn:
    """Raise an error without the one that led to it, whose text may have a password."""
    try:
        raise error
    finally:
        error.__context__ = None


class InputError(WhichF1Error, ValueError):
    """The data cannot be counted."""


class LabelError(InputError):
    """A label is missing, of a mixed or unsupported type, undeclared, or declared twice."""


class ShapeError(InputError):
    """Lengths differ, an array has the wrong number of dimensions, or there are no items."""


class WeightError(InputError):
    """A weight is NaN, negative or infinite, or too far from 1 for an interval."""


class FileError(InputError):
    """A file or a column is missing, malformed or damaged."""


class SkippedWarning(UserWarning):
    """Rows were skipped, as requested; the message says how many and why."""


class OtherDataWarning(UserWarning):
    """A signature mentions classes, weights or clusters that the data do not have."""


class LabelWarning(UserWarning):
    """Two classes differ only in white space or in how a number or a boolean is written."""


class IntervalWarning(UserWarning):
    """An interval was requested, but the counts do not hold enough for one."""


class DefinitionError(WhichF1Error, ValueError):
    """A metric or option is unknown or does not apply, or a signature cannot be parsed."""


class MergeError(WhichF1Error, ValueError):
    """Two counts cannot be added."""


class TooLargeError(WhichF1Error, MemoryError):
    """A dense table would not fit in memory."""


_OURS = os.path.dirname(__file__) + os.sep
ELSEWHERE = {
    "acc": "accuracy",
    "auprc": "average_precision",
    "pr_auc": "average_precision",
    "prauc": "average_precision",
    "nll": "log_loss",
    "f2": "f_beta(beta=2)",
    "f0.5": "f_beta(beta=0.5)",
    "qwk": "cohen_kappa(weighting=quadratic)",
    "pos_label": "positive",
    "zero_division": "undefined",
    "sample_weight": "weights",
    "weight": "weights",
    "ba": "balanced_accuracy",
    "bacc": "balanced_accuracy",
}
"""What other libraries call something, and what it is called here."""


def warn(message: Warning) -> None:
    """Warn at the line outside this package that led here."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OURS):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)


SIMPLE = (str, int, float, type(None))
"""Types whose values can be safely compared with each other."""


def is_among(value: object, known: Iterable[object]) -> bool:
    """Whether a word or a number is one of these; anything else, such as an array, never is."""
    return isinstance(value, SIMPLE) and value in known


def is_number(value: object) -> bool:
    """Whether this is a real number that a float can hold, and not a boolean."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def numbered(n: float, noun: str) -> str:
    """'1 item', '1,000 items', '2 classes'."""
    if n != 1 and noun.endswith("y"):
        return f"{n:,} {noun[:-1]}ies"
    return f"{n:,} {noun}{'' if n == 1 else 'es' if noun.endswith('s') else 's'}"


def verb(n: float, one: str, many: str) -> str:
    """The form of a verb after this number: 'is' after 1, 'are' after any other."""
    return one if n == 1 else many


def why_unreadable(error: Exception) -> str:
    """Why a text file cannot be read, without what Python says about a codec."""
    if isinstance(error, UnicodeDecodeError):
        return "it has bytes that are not UTF-8. Save it as UTF-8."
    return str(getattr(error, "strerror", None) or error)


MOST_NAMES = 50
"""How many names an error lists."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``Did you mean 'recall'?``, or the first names if nothing is similar."""
    names = list(known)
    more = f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
    return suggestion(word, names) or f"Known: {', '.join(names[:MOST_NAMES])}{more}."


def did_you_mean_label(label: Any, known: Iterable[Any]) -> str:
    """The same for a label: similar texts, or the labels as Python writes them."""
    names = list(known)
    near = suggestion(label, filter(_is_text, names)) if _is_text(label) else ""
    return near or f"Known: {', '.join(map(repr, names))}."


def _is_text(label: Any) -> bool:
    return isinstance(label, str)


def suggestion(word: str, known: Iterable[str]) -> str:
    """``Did you mean 'recall'?``, or nothing if nothing is similar."""
    from difflib import get_close_matches  # needed only for errors

    text = str(word)[:LONGEST]
    if text.lower() in ELSEWHERE:
        return f"Did you mean {ELSEWHERE[text.lower()]!r}?"
    named: dict[str, list[str]] = {}
    for name in known:
        named.setdefault(name.casefold(), []).append(name)
    folded = text.casefold()
    near = [folded] if folded in named else get_close_matches(folded, named, n=3, cutoff=0.6)
    near = near or [name for name in named if len(text) > 3 and name.startswith(folded)]
    near = [name for each in near for name in named[each]][:3]
    return f"Did you mean {' or '.join(map(repr, near))}?" if near else ""
