"""Published numbers: what was printed, and every value that rounds to it.

Numbers come as text or floats, or as rows of a table. Text keeps its trailing zeros.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from functools import cached_property
from numbers import Real
from typing import Any, Literal, NamedTuple, TypeAlias

from whichf1.errors import FileError, InputError, numbered
from whichf1.published.printed import EMPTY, PrintedTable, read_table, unmarked
from whichf1.tables.records import dataclass

Scale: TypeAlias = Literal["unit", "percent"]

MOST_DIGITS = 400
"""No printed number is longer."""
SLACK = 1e-12
"""Allowance for floating-point error in the original computation and rounding."""
COLUMNS = {
    "precision": ("precision", "p", "prec"),
    "recall": ("recall", "r", "rec"),
    "f1": ("f1", "f", "f1score", "fscore", "fmeasure", "f1measure"),
    "classes": ("classes", "k", "numclasses", "nclasses"),
}
"""Accepted column names, in lower case and without 'macro', 'average' and punctuation."""


@dataclass(frozen=True)
class Published:
    """A score between 0 and 1 as somebody printed it."""

    text: str
    """As printed, on its own scale."""
    decimals: int
    """Decimals printed, on its own scale."""
    scale: Scale

    @cached_property
    def value(self) -> float:
        """The number between 0 and 1."""
        return float(Decimal(self.text) / self._unit)

    @cached_property
    def low(self) -> float:
        """The smallest value that rounds to it."""
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
    printed: Any, decimals: int | None = None, scale: Scale | None = None, name: str = "value"
) -> Published:
    """Read a number or its text; ``decimals`` defaults to the decimals that it is written with.

    Numbers above 1 are read as percentages. Text keeps its trailing zeros; a float has lost them.
    """
    number, own_scale = parse_number(printed, name)
    percent = (scale or own_scale) == "percent" or (scale is None and number > 1)
    if not 0 <= number <= (100 if percent else 1):
        raise InputError(f"{name} must be in [0, 1], or in [0, 100] as percent; got {printed!r}")
    written = written_decimals(number)
    if decimals is None:
        decimals = written
        if written == 0 and not percent:
            raise InputError(
                f"{name} is {printed!r}: pass decimals= to say how many decimals it was rounded to"
            )
    elif isinstance(decimals, bool) or not isinstance(decimals, int) or not 0 <= decimals <= 15:
        raise InputError(f"decimals must be a whole number from 0 to 15; got {decimals!r}")
    elif written > decimals:
        raise InputError(
            f"{name} is {printed!r}, which has {written} decimals, not {decimals}. "
            "Pass it as printed, or omit decimals."
        )
    exact = number.quantize(Decimal(1).scaleb(-decimals))
    return Published(f"{exact:f}", decimals, "percent" if percent else "unit")


def parse_number(printed: Any, name: str) -> tuple[Decimal, Scale | None]:
    """The number as written, and its scale if it ends in a percent sign."""
    real = isinstance(printed, Real) and not isinstance(printed, bool)
    text = unmarked(printed).text if isinstance(printed, str) else ""
    if real and -1e300 < printed < 1e300:
        text = str(int(printed)) if float(printed).is_integer() else repr(float(printed))
    try:
        number = Decimal(text.rstrip("% ")) if "_" not in text else Decimal("nan")
    except InvalidOperation:
        number = Decimal("nan")
    if not number.is_finite() or abs(number.as_tuple().exponent) > MOST_DIGITS:  # type: ignore[arg-type]
        raise InputError(f"{name} must be a number such as 0.354 or 35.4; got {printed!r}")
    return number, "percent" if text.endswith("%") else None


def written_decimals(number: Decimal) -> int:
    """Digits after the decimal point, including trailing zeros."""
    return max(0, -int(number.as_tuple().exponent))


def common_scale(printed: Mapping[str, Any], scale: Scale | None) -> Scale:
    """The scale of numbers that were printed together; mixed scales are an error."""
    numbers = {name: parse_number(x, name) for name, x in printed.items()}
    percent = [name for name, (x, sign) in numbers.items() if sign or x > 1]
    if scale is not None or not percent:
        return scale or "unit"
    small = [name for name, (x, sign) in numbers.items() if not sign and 0 < x <= 1]
    if small:
        shown = ", ".join(f"{name} {printed[name]}" for name in (*percent, *small))
        raise InputError(
            f"the numbers are on two scales: {shown}. Write all of them between 0 and 1, or all in "
            "percent (pass scale='percent' if some percentages are 1 or less)."
        )
    return "percent"


def read_all(printed: Mapping[str, Any], decimals: int | None, scale: Scale) -> list[Published]:
    """Read numbers on one scale; floats share the most decimals: 0.6 next to 0.62 was 0.60."""
    floats = {name: x for name, x in printed.items() if not isinstance(x, str)}
    written = [written_decimals(parse_number(x, name)[0]) for name, x in floats.items()]
    shared = decimals if decimals is not None else max(written, default=None)
    return [
        read_published(x, shared if name in floats else decimals, scale, name)
        for name, x in printed.items()
    ]


class ResultRow(NamedTuple):
    """A row of published results: a triple, or what is wrong with it."""

    line: int
    name: str
    triple: dict[str, Any]
    """Precision, recall and F1."""
    classes: int | None
    problem: str | None = None
    """Why the row cannot be audited."""
    spread: bool = False
    """Whether its numbers are printed with a spread, as means over runs are."""


def read_results(
    results: Any, scale: Scale | None = None, classes: int | None = None
) -> tuple[str, list[ResultRow], Scale]:
    """The name of a table, its rows with precision, recall and F1, and their common scale.

    Other columns may be present. A row with a bad cell, or on a different scale than the others, is
    marked as such.
    """
    table = read_table(results)
    rows = [
        _result_row(line, name, cells, classes)
        for line, name, cells in _known(table, ("precision", "recall", "f1"), ("classes",))
    ]
    common = scale or ("percent" if any(_scale(row) == "percent" for row in rows) else "unit")
    return table.name, [_on_scale(row, common, said=scale is not None) for row in rows], common


def _result_row(line: int, name: str, cells: dict[str, Any], classes: int | None) -> ResultRow:
    k = str(cells.pop("classes", "") or "").strip().removesuffix(".0")
    row = ResultRow(line, name, cells, classes)
    if k.lower() not in EMPTY:
        if not k.isdecimal() or int(k) < 1:
            why = f"the number of classes must be a whole number of at least 1; got {k!r}"
            return row._replace(problem=why)
        if classes not in (None, int(k)):
            return row._replace(
                problem=f"the table says {numbered(int(k), 'class')}, not {classes}"
            )
        row = row._replace(classes=int(k))
    marks = {x: unmarked(text) for x, text in cells.items() if isinstance(text, str)}
    lacking = [x for x, text in cells.items() if _is_empty(text)]
    if lacking:
        return row._replace(problem=f"there is no {' and no '.join(lacking)}")
    try:
        numbers = {x: parse_number(text, x) for x, text in cells.items()}
        common_scale(cells, None)
    except InputError as error:
        return row._replace(problem=str(error).rstrip("."))
    if any(number < 0 or number > 100 for number, _ in numbers.values()):
        return row._replace(problem="a score must be in [0, 1], or in [0, 100] as percent")
    return row._replace(spread=any(mark.spread for mark in marks.values()))


def _is_empty(cell: Any) -> bool:
    return (
        cell is None
        or cell != cell
        or (isinstance(cell, str) and unmarked(cell).text.lower() in EMPTY)
    )


def _scale(row: ResultRow) -> Scale | None:
    return None if row.problem is not None else common_scale(row.triple, None)


def _on_scale(row: ResultRow, scale: Scale, *, said: bool) -> ResultRow:
    """The row, unless it is in fractions and others are in percent, or the other way round."""
    scale_of_row = _scale(row)
    if scale_of_row in (None, scale) or (said and scale == "percent"):
        return row
    if said:
        return row._replace(problem="it is in percent, but the scale is unit")
    return row._replace(
        problem="its numbers are between 0 and 1, but others are in percent: scales are mixed "
        "(use --scale percent if these are percentages of 1 or less)"
    )


def read_per_class(path: str) -> dict[str, tuple[str, ...]]:
    """Read precision, recall and, if present, F1 of each class from a file."""
    classes: dict[str, tuple[str, ...]] = {}
    for line, name, cells in _known(read_table(path), ("precision", "recall"), ("f1",)):
        if name in classes:
            raise FileError(f"{path!r}, line {line}: class {name!r} occurs twice")
        classes[name] = tuple(cells.values())
    return classes


def _known(
    table: PrintedTable, required: tuple[str, ...], optional: tuple[str, ...]
) -> list[tuple[int, str, dict[str, Any]]]:
    """Line number, name (from the first other column) and the cells of known columns."""
    keys = [_key(name) for name in table.head]
    places = {
        name: [i for i, key in enumerate(keys) if key in COLUMNS[name]]
        for name in (*required, *optional)
    }
    problems = [
        f"{name}: {'several columns' if places[name] else 'no column'}"
        for name in places
        if len(places[name]) > 1 or (name in required and not places[name])
    ]
    if problems:
        raise FileError(
            f"{table.name} needs one column each for {', '.join(required)} "
            f"({'; '.join(problems)}). Its columns are: {', '.join(table.head)}. Rename them "
            "accordingly."
        )
    columns = {name: place[0] for name, place in places.items() if place}
    others = [i for i in range(len(table.head)) if i not in columns.values()]
    rows = []
    for line, cells in table.rows:
        if len(cells) != len(table.head):
            raise FileError(
                f"{table.name}, line {line}: {numbered(len(cells), 'cell')}, but the header has "
                f"{len(table.head)}"
            )
        name = str(cells[others[0]]).strip() if others else ""
        chosen = {x: _stripped(cells[i]) for x, i in columns.items()}
        rows.append((line, _bare_name(name) or f"line {line}", chosen))
    return rows


def _stripped(cell: Any) -> Any:
    return cell.strip() if isinstance(cell, str) else cell


def _key(head: str) -> str:
    """The header of a column in plain letters: 'Macro-F$_1$ ↑' becomes f1."""
    plain = unicodedata.normalize("NFKC", head).lower()
    plain = re.sub(r"\\(?:text\w*|math\w*|underline|emph|bf|uparrow|downarrow)", "", plain)
    return re.sub(r"macro|average|avg|mean|[^a-z0-9]", "", plain)


def _bare_name(name: str) -> str:
    """The name of a system without the marks of a table."""
    return re.sub(r"\*\*|\\text\w*\{([^{}]*)\}", r"\1", name).strip()
