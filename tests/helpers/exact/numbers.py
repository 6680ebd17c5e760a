"""Fractions, with roots and logarithms to sixty digits, and what 0/0 is."""

from __future__ import annotations

from decimal import Decimal, getcontext
from fractions import Fraction
from math import inf
from typing import Any

getcontext().prec = 60

UNDEFINED = None


def over(top: Any, bottom: Any) -> Any:
    return Fraction(top) / Fraction(bottom) if bottom else UNDEFINED


def plus_minus_one(a: Any, b: Any) -> Any:
    return UNDEFINED if a is UNDEFINED or b is UNDEFINED else a + b - 1


def ratio_of(a: Any, b: Any) -> Any:
    if a is UNDEFINED or b is UNDEFINED or (a == 0 and b == 0):
        return UNDEFINED
    return inf if b == 0 else a / b


def f_of(p: Any, r: Any, beta: Any) -> Any:
    """F at a precision and a recall; 0 at (0, 0)."""
    if beta == inf:
        return r if p else Fraction(0)
    b = Fraction(beta) ** 2
    bottom = b * p + r
    return (1 + b) * p * r / bottom if bottom else Fraction(0)


def root_of(square: Any) -> Any:
    """The root of a fraction to sixty digits, as a fraction."""
    if square is UNDEFINED:
        return UNDEFINED
    return Fraction((Decimal(square.numerator) / Decimal(square.denominator)).sqrt())


def log_of(x: Any) -> Fraction:
    if abs(x - 1) < Fraction(1, 10**30):  # sixty digits may not tell it from 1
        return Fraction((x - 1) - (x - 1) ** 2 / 2)
    return Fraction((Decimal(x.numerator) / Decimal(x.denominator)).ln())
