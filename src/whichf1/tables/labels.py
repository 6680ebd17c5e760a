"""Labels: the ordered classes, each with its code 0, 1, 2, …"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from math import isinf
from typing import Any, Literal, TypeAlias

import numpy as np

from whichf1.errors import LabelError, LabelWarning, did_you_mean_label, warn

Label: TypeAlias = int | str | bool
Kind: TypeAlias = Literal["int", "str", "bool"]

_KINDS: dict[Kind, tuple[type, ...]] = {
    "bool": (bool, np.bool_),  # before int: a bool is an int to Python
    "int": (int, np.integer),
    "str": (str,),
}


def kind_of(value: object) -> Kind | None:
    """The kind of label that a value is; None if it cannot be one. 3.0 counts as the integer 3."""
    for kind, types in _KINDS.items():
        if isinstance(value, types):
            return None if isinstance(value, np.timedelta64) else kind
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return "int"
    return None


def shortened(value: object, most: int = 80) -> str:
    """A value as a message shows it."""
    try:
        text = repr(value)
    except ValueError:  # Python does not print integers of more than 4,300 digits
        return f"a number of {value.bit_length():,} bits"  # type: ignore[attr-defined]
    return text if len(text) <= most else f"{text[: most - 1]}…"


def plain(value: Any) -> Label:
    """A label as a plain Python int, str or bool."""
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        value = value.item()  # an element of a tensor
    kind = kind_of(value)
    if kind is None:
        several = isinstance(value, (list, tuple, set, frozenset, np.ndarray))
        raise LabelError(
            f"{shortened(value)} ({type(value).__name__}) cannot be a label. "
            "Labels are integers, strings, booleans or floats that are whole numbers."
            + (" Sets of labels are counted by count_multilabel (--labels-sep)." if several else "")
        )
    return _KINDS[kind][0](value)  # type: ignore[no-any-return]


_FEW = 32
"""Up to this many classes, a class is found by linear search."""


class Labels(tuple[Label, ...]):
    """Ordered, distinct classes of one kind; the position of a class is its code.

    >>> Labels(["cat", "dog"]).code("dog")
    1
    """

    def __new__(cls, values: Iterable[Any]) -> Labels:
        """Check the classes and keep them in order."""
        if type(values) is cls:
            return values
        try:
            if isinstance(values, (str, bytes)):
                raise TypeError("a text is one class")
            listed = [*values]
        except Exception:  # whatever an object that cannot be listed raises
            raise LabelError(
                f"labels must be a list of classes; got {values!r}. "
                "For the classes 0 to 2 pass labels=range(3)."
            ) from None
        self = super().__new__(cls, map(plain, listed))
        seen: dict[Label, int] = {}
        for position, label in enumerate(self):
            if type(label) is not type(self[0]):
                raise LabelError(
                    f"labels mix types: {self[0]!r} ({self.kind}) at position 0 and {label!r} "
                    f"({kind_of(label)}) at position {position}. Use one type for all classes."
                )
            if seen.setdefault(label, position) != position:
                raise LabelError(
                    f"label {label!r} is declared twice, at positions {seen[label]} and "
                    f"{position}. Declare each class once."
                )
        return self

    @classmethod
    def sorted(cls, values: Iterable[Any]) -> Labels:
        """Observed classes: numbers by value, strings by code point, False before True."""
        observed = cls.trusted(sorted(values))
        if observed and type(observed[0]) is str:
            observed._warn_of_spellings()
        return observed

    def union(self, other: Labels) -> Labels:
        """The observed classes of two parts; those of the first are not checked again."""
        new = [label for label in other if label not in self._codes]
        if not new:
            return self
        both = Labels.trusted(sorted([*self, *new]))
        both.__dict__["_spelled"] = {**other._spelled, **self._spelled}
        both._warn_of_spellings()
        return both

    @cached_property
    def _spelled(self) -> dict[str, Label]:
        """The last class of each spelling; numbers and booleans have only one."""
        texts = self if self.kind == "str" else ()
        return {_spelling(str(text)): text for text in texts}

    @property
    def spelled_alike(self) -> bool:
        """Whether some classes differ only in how they are written."""
        return self.kind == "str" and len(self._spelled) < len(self)

    def _warn_of_spellings(self) -> None:
        """Warn about classes that differ only in how they are written."""
        if not self.spelled_alike:
            return
        kept = {*self._spelled.values()}
        label = next(x for x in self if x not in kept)
        other = self._spelled[_spelling(str(label))]
        warn(
            LabelWarning(
                f"{shortened(label)} and {shortened(other)} are two classes that differ only in "
                "white space, in invisible characters, or in how a number or boolean is written. "
                "If they are the same class, write them the same way."
            )
        )

    @classmethod
    def trusted(cls, values: Iterable[Label]) -> Labels:
        """Labels already known to be plain, distinct and of one kind."""
        return tuple.__new__(cls, values)

    @property
    def kind(self) -> Kind | None:
        """'int', 'str' or 'bool'; None when there are no labels."""
        return kind_of(self[0]) if self else None

    @cached_property
    def _codes(self) -> dict[Label, int]:
        return dict(zip(self, range(len(self)), strict=True))

    def __contains__(self, label: object) -> bool:
        if self and type(label) is type(self[0]):  # the common case, and faster
            return label in self._codes
        kind = kind_of(label)
        return kind is not None and kind == self.kind and label in self._codes

    def code(self, label: Any) -> int:
        """The position of a class."""
        if 0 < len(self) <= _FEW and type(label) is type(self[0]):
            with suppress(ValueError):
                return self.index(label)
        if label in self:
            return self._codes[label]
        hint = did_you_mean_label(label, self[:50])
        raise LabelError(f"there is no class {label!r} ({type(label).__name__}). {hint}")

    def codes(self, values: Iterable[Any]) -> np.ndarray[Any, np.dtype[np.intp]]:
        """The codes of several classes."""
        if isinstance(values, Labels) and values.kind == self.kind:
            with suppress(KeyError):  # without checking each, for faster merging
                return np.fromiter(map(self._codes.__getitem__, values), np.intp, len(values))
        return np.array([self.code(value) for value in values], np.intp)

    @cached_property
    def digest(self) -> str:
        """Eight letters that identify these classes in this order."""
        from hashlib import sha256

        text = json.dumps(self, separators=(",", ":"))
        return sha256(text.encode()).hexdigest()[:8].translate(_LETTERS)

    def __eq__(self, other: object) -> bool:
        same_kind = not isinstance(other, Labels) or self.kind == other.kind  # True == 1 otherwise
        return same_kind and super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__

    def __repr__(self) -> str:
        return f"Labels({list(self)!r})"


def _spelling(text: str) -> str:
    """A text without what a reader would not notice."""
    from decimal import Decimal  # seldom needed

    plain = " ".join((text if text.isascii() else _printed(text)).split())
    if plain.lower() in ("true", "false"):
        return plain.lower()
    if starts_number(plain) and re.fullmatch(_NUMBER, plain):
        return f"{Decimal(plain).normalize()}"
    return plain


def starts_number(text: str) -> bool:
    """Whether a text may be a number."""
    return text[:1] in _DIGITS


def _printed(text: str) -> str:
    """A text as it is printed: letters composed, without invisible characters."""
    from unicodedata import category, normalize

    composed = normalize("NFC", text)
    return "".join([x for x in composed if x in _JOINERS or category(x) != "Cf"])


_JOINERS = frozenset("\u200c\u200d")
"""They are also invisible, but change how their neighbours look."""
_DIGITS = frozenset("+-.0123456789")
_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_LETTERS = str.maketrans("0123456789", "ghijklmnop")
"""Hexadecimal digits as letters alone, so that a digest is never read as a number."""


def as_number(label: Label) -> float | None:
    """The class as a number, if it is one or its text is one; otherwise None."""
    if isinstance(label, str) and not re.fullmatch(_NUMBER, label):
        return None
    number = float(label)
    return None if isinf(number) else number


_WHOLE = r"(-?(?:0|[1-9][0-9]*))(?:\.0+)?"


def from_text(values: Iterable[str]) -> Iterator[Label]:
    """Classes read from a text file: integers if all are written as integers, otherwise strings.

    A leading zero or plus sign is kept, so that '007' stays a string, and a single word among
    the numbers makes all of them strings.

    >>> list(from_text(["1", "2.0"])), list(from_text(["1", "02"]))
    ([1, 2], ['1', '02'])
    """
    texts = list(values)
    if all(re.fullmatch(_NUMBER, text) for text in texts):  # fractions are scores, not classes
        for text in texts:
            if not float(text).is_integer():
                what = "too large a number" if isinf(float(text)) else "a number with a fraction"
                raise LabelError(f"{shortened(text)} is {what}, which cannot be a label. {_SCORES}")
    whole = [re.fullmatch(_WHOLE, text) for text in texts]
    if all(whole):
        return (int(match[1]) for match in whole if match)
    return iter(texts)


_SCORES = (
    "For a column of scores, use --score (at_threshold in Python), or compare systems with "
    "-m roc_auc; if these are names of classes, pass labels= as text."
)
_MANY = 10


def refuse_scores(true: Collection[Label], predicted: Collection[Label], name: str) -> None:
    """Raise if texts that should be classes are scores.

    All of them are numbers, some with a fraction, and most are not true classes: many of them, or
    all if no true class is a number.
    """
    texts = [label for label in predicted if isinstance(label, str)]
    if not texts or not all(starts_number(x) and re.fullmatch(_NUMBER, x) for x in texts):
        return
    fraction = next((x for x in texts if not float(x).is_integer()), None)
    strange = len({*texts} - {*true})
    numbers = any(re.fullmatch(_NUMBER, str(label)) for label in true)
    if fraction is not None and 2 * strange > len(texts) and (strange > _MANY or not numbers):
        raise LabelError(
            f"{name} holds {len(texts):,} different numbers such as {shortened(fraction)}, most of "
            f"which are not true classes. {_SCORES}"
        )


VALUE = Labels(("value",))
"""In place of classes, where items have values."""
