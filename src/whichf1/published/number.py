"""A published number: what was printed, and every value that rounds to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property
from numbers import Real
from typing import Any, Literal, TypeAlias

from whichf1.errors import InputError

Scale: TypeAlias = Literal["unit", "percent"]

MOST_DIGITS = 400
"""No printed number is longer."""
SLACK = 1e-12
"""Room for the floating-point error of whoever computed and rounded the number."""


@dataclass(frozen=True)
class Published:
    """A score between 0 and 1 as somebody printed it."""

    text: str
    """As printed, on its own scale."""
    decimals: int
    """Its decimals, on its own scale."""
    scale: Scale

    @cached_property
    def value(self) -> float:
        """The number between 0 and 1."""
        return float(Decimal(self.text) / self._unit)

    @cached_property
    def low(self) -> float:
        """The least value that rounds to it."""
        return max(0.0, float((Decimal(self.text) - self._half) / self._unit) - SLACK)

    @cached_property
    def high(self) -> float:
        """The largest value that rounds to it."""
        return min(1.0, float((Decimal(self.text) + self._half) / self._unit) + SLACK)

    @property
    def _unit(self) -> int:
        return 100 if self.scale == "percent" else 1

    @property
    def _half(self) -> Decimal:
        return Decimal(5).scaleb(-self.decimals - 1)

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return self.text + ("%" if self.scale == "percent" else "")


def read_published(
    given: Any, decimals: int | None = None, scale: Scale | None = None, name: str = "value"
) -> Published:
    """A number or its text; without ``decimals`` those that it is written with.

    More than 1 is read as percent. Text keeps its trailing zeros, which a float has lost.
    """
    number, own_scale = parse_number(given, name)
    percent = (scale or own_scale) == "percent" or (scale is None and number > 1)
    if not 0 <= number <= (100 if percent else 1):
        raise InputError(f"{name} must lie in [0, 1], or in [0, 100] as percent; got {given!r}")
    written = written_decimals(number)
    kept = _decimals(decimals, written, given, name)
    if decimals is None and kept == 0 and not percent:
        raise InputError(f"{name} is {given!r}: say how many decimals it was rounded to")
    exact = number.quantize(Decimal(1).scaleb(-kept))
    return Published(f"{exact:f}", kept, "percent" if percent else "unit")


def parse_number(given: Any, name: str) -> tuple[Decimal, Scale | None]:
    """The number as written, and its scale if it says so by a percent sign."""
    text = given.strip() if isinstance(given, str) else repr(float(given)) if _real(given) else ""
    if _real(given) and float(given).is_integer():
        text = str(int(given))
    percent = text.endswith("%")
    try:
        number = Decimal(text.rstrip("% ")) if "_" not in text else Decimal("nan")
    except InvalidOperation:
        number = Decimal("nan")
    if not number.is_finite() or abs(number.as_tuple().exponent) > MOST_DIGITS:  # type: ignore[arg-type]
        raise InputError(f"{name} must be a number such as 0.354 or 35.4; got {given!r}")
    return number, "percent" if percent else None


def written_decimals(number: Decimal) -> int:
    """Digits after the point, trailing zeros too."""
    return max(0, -int(number.as_tuple().exponent))


def _real(given: Any) -> bool:
    return isinstance(given, Real) and not isinstance(given, bool) and abs(float(given)) < 1e300


def _decimals(decimals: int | None, written: int, given: Any, name: str) -> int:
    if decimals is None:
        return written
    whole = isinstance(decimals, int) and not isinstance(decimals, bool)
    if not whole or not 0 <= decimals <= 15:
        raise InputError(f"decimals must be a whole number from 0 to 15; got {decimals!r}")
    if written > decimals:
        raise InputError(
            f"{name} is {given!r}, which has {written} decimals, not {decimals}. "
            "Give it as it was printed, or leave decimals out."
        )
    return decimals


def common_scale(given: Mapping[str, Any], scale: Scale | None) -> Scale:
    """The scale of numbers that were printed together; two scales are an error."""
    numbers = {name: parse_number(x, name) for name, x in given.items()}
    percent = [name for name, (x, own) in numbers.items() if own or x > 1]
    if scale is not None or not percent:
        return scale or "unit"
    small = [name for name, (x, own) in numbers.items() if not own and 0 < x <= 1]
    if small:
        shown = ", ".join(f"{name} {given[name]}" for name in (*percent, *small))
        raise InputError(
            f"the numbers stand on two scales: {shown}. Give all between 0 and 1, or all in "
            "percent (scale='percent' if some percentages are not above 1)."
        )
    return "percent"


def read_all(given: Mapping[str, Any], decimals: int | None, scale: Scale) -> list[Published]:
    """Numbers of one scale; floats get the decimals of the longest: 0.6 beside 0.62 was 0.60."""
    floats = {name: x for name, x in given.items() if not isinstance(x, str)}
    written = [written_decimals(parse_number(x, name)[0]) for name, x in floats.items()]
    shared = decimals if decimals is not None else max(written, default=None)
    return [
        read_published(x, shared if name in floats else decimals, scale, name)
        for name, x in given.items()
    ]
