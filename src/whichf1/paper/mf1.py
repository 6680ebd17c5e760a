"""``mf1``: the program in the paper's appendix D, which prints the same four lines.

``mf1 2 100 10000 0 100`` takes the number of classes, then the confusion matrix with predictions in
rows. Sums are added in the same order as in the paper's program, so that all digits agree. 0/0
counts as 0, as the paper's text says.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from itertools import combinations

NAMES = ("macroF1 benevolent", "macroF1 non-benevolent", "delta", "delta calculated")


def lines(numbers: list[int]) -> list[str]:
    """The four lines, given the number of classes followed by the cells of the matrix."""
    k, cells = numbers[0], [float(cell) for cell in numbers[1:]]
    rows = [cells[start : start + k] for start in range(0, k * k, k)]
    p = [_over(rows[i][i], _sum(rows[i])) for i in range(k)]
    r = [_over(rows[i][i], _sum([row[i] for row in rows])) for i in range(k)]
    benevolent = _harmonic(_sum(p) / k, _sum(r) / k)
    averaged = _sum([_harmonic(x, y) for x, y in zip(p, r, strict=True)]) / k
    both = _sum([x + y for x, y in zip(p, r, strict=True)])

    def term(x: int, y: int) -> float:
        cross = p[x] * r[y] - p[y] * r[x]
        scale = k * (p[x] + r[x]) * (p[y] + r[y]) * both
        return _over(2 * (cross * cross), scale)  # cross ** 2 rounds differently

    calculated = _sum([term(x, y) for x, y in combinations(range(k), 2)])
    values = (benevolent, averaged, benevolent - averaged, calculated)
    return lines_of(map(haskell, values))


def lines_of(numbers: Iterable[str]) -> list[str]:
    """The four lines with these numbers."""
    return [f'("{name}",{number})' for name, number in zip(NAMES, numbers, strict=True)]


def _sum(values: list[float]) -> float:
    total = 0.0
    for value in values:  # sum() compensates for rounding since Python 3.12
        total += value
    return total


def _over(top: float, bottom: float) -> float:
    return top / bottom if bottom else 0.0


def _harmonic(x: float, y: float) -> float:
    return _over(x * y, x + y) * 2


def haskell(value: float) -> str:
    """A double as Haskell prints it: fixed-point from 0.1 to 10⁷, otherwise d.ddde±n."""
    if value < 0:
        return f"-{haskell(-value)}"
    if value == 0:
        return "0.0"
    digits = _digits(value)
    text, exponent = "".join(map(str, digits.as_tuple().digits)), digits.adjusted() + 1
    if 0 < exponent <= 7:
        text = text.ljust(exponent, "0")
        return f"{text[:exponent]}.{text[exponent:] or '0'}"
    if exponent == 0:
        return f"0.{text}"
    return f"{text[0]}.{text[1:] or '0'}e{exponent - 1}"


def _digits(value: float) -> Decimal:
    """The shortest decimal strictly between the midpoints to both neighbours (Steele and White).

    Haskell never uses a midpoint itself, but Python's repr may: 1e23 is 9.999999999999999e22.
    """
    exact, above = Fraction(value), Fraction(math.ulp(value)) / 2
    below = above / 2 if value.hex().startswith("0x1.0000000000000p") else above
    rounded = (
        Context(digits, way).create_decimal_from_float(value)
        for digits in range(1, 18)
        for way in (ROUND_HALF_UP, ROUND_CEILING, ROUND_FLOOR)
    )
    return next(x for x in rounded if exact - below < Fraction(x) < exact + above)


def main(arguments: list[str] | None = None) -> int:
    """Print the four lines; return 2 on bad input."""
    texts = sys.argv[1:] if arguments is None else arguments
    try:
        numbers = [int(text) for text in texts]
    except ValueError:
        return _usage("every argument must be a whole number")
    if not numbers or numbers[0] < 1 or len(numbers) != 1 + numbers[0] ** 2:
        return _usage("pass the number of classes, then that many rows of that many counts")
    if min(numbers) < 0:
        return _usage("counts must not be negative")
    if sum(numbers[1:]) == 0:
        return _usage("the matrix has no items")
    print("\n".join(lines(numbers)))
    return 0


def _usage(why: str) -> int:
    print(f"mf1: {why}, as in: mf1 2 100 10000 0 100", file=sys.stderr)
    return 2
