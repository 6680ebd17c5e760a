"""Questions about columns of scores, one for each class, in expressions that every engine computes.

The columns of a system are s0, s1, …, one for each class; k is the true class as the engine has it.
"""

from __future__ import annotations

import operator
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from whichf1 import kernel
from whichf1.errors import DefinitionError
from whichf1.sources.engines.frames import is_number, plain_rows
from whichf1.sources.questions.grouped import (
    KEY,
    Question,
    grouped_frame,
    kept_names,
    shown_in_sql,
)
from whichf1.sources.request import Request, Row
from whichf1.sources.request import narwhals as nw
from whichf1.tables.cells import EQUALLY_GOOD, cost_matrix
from whichf1.tables.records import dataclass

if TYPE_CHECKING:
    from whichf1.sources.engines.database import Database

Place = tuple[Any, int]
"""A value of the true class, and the position of its class among the columns of a system."""


class Expression(NDArrayOperatorsMixin):
    """A column of an engine that supports NumPy functions, so that a loss is written only once."""

    def __init__(self, column: Any) -> None:
        self.column = column

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **_: Any) -> Expression:
        if ufunc not in _UFUNCS or method != "__call__":
            raise DefinitionError(
                f"np.{ufunc.__name__} is not available for columns of a frame or file. Write the "
                f"loss with {', '.join(f'np.{each.__name__}' for each in _UFUNCS)} or np.where."
            )
        return Expression(_UFUNCS[ufunc](*map(_column, inputs)))

    def __array_function__(
        self, function: Any, types: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Expression:
        if function is not np.where or kwargs:
            raise DefinitionError(
                f"np.{function.__name__} is not available for columns of a frame or file: use "
                "np.where, np.maximum and arithmetic"
            )
        return Expression(_choose(*map(_column, args)))


def _column(value: Any) -> Any:
    return value.column if isinstance(value, Expression) else value


def _choose(condition: Any, then: Any, otherwise: Any) -> Any:
    return nw.when(condition).then(_literal(then)).otherwise(_literal(otherwise))


def _literal(value: Any) -> Any:
    return value if isinstance(value, nw.Expr) else nw.lit(float(value))


def _log(x: Any) -> Any:
    """ln x; engines differ in their result for ln 0."""
    return _choose(x > 0, _choose(x > 0, x, 1.0).log(), -inf)


_UFUNCS: dict[Any, Callable[..., Any]] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.true_divide: operator.truediv,
    np.negative: lambda x: x * -1.0,
    np.square: lambda x: x * x,
    np.power: operator.pow,
    np.absolute: lambda x: x.abs(),
    np.log: _log,
    np.exp: lambda x: x.exp(),
    np.sqrt: lambda x: x.sqrt(),
    np.maximum: lambda x, y: _choose(_literal(x) > y, x, y),
    np.minimum: lambda x, y: _choose(_literal(x) < y, x, y),
    np.greater: operator.gt,
    np.greater_equal: operator.ge,
    np.less: operator.lt,
    np.less_equal: operator.le,
    np.equal: operator.eq,
    np.not_equal: operator.ne,
    np.logical_and: operator.and_,
    np.logical_or: operator.or_,
    np.logical_not: operator.invert,
}
"""What a loss may use."""


class JudgedColumns:
    """The scores of one system as a loss sees them: see ``tables.cells.Predicted``."""

    def __init__(self, scores: Sequence[Any], own: Any) -> None:
        self._scores, self.own = scores, Expression(own)

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self._scores)

    def total(self, part: Callable[[Any], Any]) -> Expression:
        """The sum over the classes of a function of their scores."""
        return Expression(total([_column(part(Expression(each))) for each in self._scores]))

    def error(self, part: Callable[[Any], Any]) -> Expression:
        """The same for their errors: the score, minus 1 for the true class."""
        t = nw.col("t") - 1
        errors = [_choose(t == at, s - 1.0, s) for at, s in enumerate(self._scores)]
        return Expression(total([_column(part(Expression(each))) for each in errors]))

    @property
    def margin(self) -> Expression:
        """The score of the true class minus the highest of the others."""
        t, least = nw.col("t") - 1, -sys.float_info.max
        others = [_choose(t == at, least, s) for at, s in enumerate(self._scores)]
        return Expression(self.own.column - highest(others))

    def running_error(self, part: Callable[[Any], Any]) -> Expression:
        """The sum of a function of the errors of running sums, over all classes but the last."""
        t, parts = nw.col("t") - 1, []
        for at in range(self.classes - 1):
            error = total(self._scores[: at + 1]) - _choose(t <= at, 1.0, 0.0)
            parts.append(_column(part(Expression(error))))
        return Expression(total(parts))

    def cost(self, costs: Any) -> Expression:
        """The cost of the decision with the lowest expected cost; the first one if several tie."""
        matrix = cost_matrix(costs, self.classes)
        pairs = [zip(self._scores, column, strict=True) for column in matrix.T.tolist()]
        expected = [total([s * cost for s, cost in each]) for each in pairs]
        within = lowest(expected) + EQUALLY_GOOD * float(matrix.max())
        t, paid, open_ = nw.col("t") - 1, [], nw.lit(True)
        for column, each in zip(matrix.T.tolist(), expected, strict=True):
            cost_of_class = total([_choose(t == at, cost, 0.0) for at, cost in enumerate(column)])
            paid.append(_choose(open_ & (each <= within), cost_of_class, 0.0))
            open_ = open_ & (each > within)
        return Expression(total(paid))

    def ahead(self, ties: str) -> Expression:
        """How many classes rank ahead of the true one."""
        t, own = nw.col("t") - 1, self.own.column
        before: dict[str, Callable[[int], Any]] = {
            "first": lambda at: t > at,
            "last": lambda at: t < at,
            "worst": lambda at: t != at,
        }
        beaten = []
        for at, s in enumerate(self._scores):
            above = s > own if ties == "best" else (s > own) | ((s == own) & before[ties](at))
            beaten.append(_choose(above, 1.0, 0.0))
        return Expression(total(beaten))


@dataclass(frozen=True)
class Systems(ABC):
    """What is derived from the columns of one or more systems, with one column for each class."""

    places: Sequence[Place]
    systems: int = 1
    filtered: int | None = None
    """Skip incomplete items; this many systems must have distributions."""
    by_class: ClassVar[bool] = False
    """Whether k is the position of the true class from 1 on, or only 1; 0 if it is unknown."""

    @abstractmethod
    def shown(self, columns: Request) -> list[Any]:
        """What becomes s0, s1, … for judged items."""

    def of(self, items: Any, columns: Request) -> tuple[Any, int]:
        """The items with the derived columns k, s0, s1, …, and the number of the latter."""
        shown = [each.alias(f"s{at}") for at, each in enumerate(self.shown(columns))]
        t = nw.col("t")
        k = t if self.by_class else nw.when(t > 0).then(nw.lit(1)).otherwise(nw.lit(0))
        judged = self.judged(items, columns)
        return judged.select(k.alias("k"), *shown, *kept_names(columns)), len(shown)

    def judged(self, items: Any, columns: Request) -> Any:
        """The items with t, the position of the true class from 1 on (0 if it is unknown); own0, …,
        each system's score of the true class; and top0, …, its best score."""
        if self.filtered is not None:
            items = items.filter(gap_of(columns, self.filtered) == complete(columns))
        place = [_where(value, nw.lit(at + 1), nw.lit(0)) for value, at in self.places]
        judged = [total(place).alias("t")]
        for system in range(self.systems):
            s = scores_of(columns, self.systems, system)
            own = [_where(value, s[at], nw.lit(0.0)) for value, at in self.places]
            judged += [total(own).alias(f"own{system}"), highest(s).alias(f"top{system}")]
        items = items.with_columns(*judged)
        return items if self.filtered is None else items.filter(nw.col("t") > 0)

    def judged_columns(self, columns: Request) -> list[JudgedColumns]:
        """What a loss sees of each system, for judged items."""
        return [
            JudgedColumns(scores_of(columns, self.systems, at), nw.col(f"own{at}"))
            for at in range(self.systems)
        ]


@dataclass(frozen=True)
class Values(Systems):
    """A number for each item and system, the mean of which is a score: its loss, or a hit."""

    each: Callable[[Any], Any] = field(kw_only=True)
    """The number, from scores that follow ``tables.cells.Predicted``."""

    def shown(self, columns: Request) -> list[Any]:
        """The number of each system."""
        numbers = map(self.each, self.judged_columns(columns))
        return [_literal(_column(each)).cast(nw.Float64) for each in numbers]


class ClassValues(Values):
    """The same, for the items of each class."""

    by_class: ClassVar[bool] = True


@dataclass(frozen=True)
class Decisions(Systems):
    """The best class of each item; the true one if that is among the ``k`` best."""

    k: int = field(kw_only=True)
    ties: str = field(kw_only=True)
    by_class: ClassVar[bool] = True

    def shown(self, columns: Request) -> list[Any]:
        """The position of the predicted class."""
        decided = best(scores_of(columns, 1, 0), nw.col("top0"), self.ties)
        if self.k > 1:
            (judged,) = self.judged_columns(columns)
            inside = judged.ahead(self.ties).column < self.k
            decided = nw.when(inside).then(nw.col("t") - 1).otherwise(decided)
        return [decided.cast(nw.Float64)]


class TopLabels(Systems):
    """Whether each system's best class is right, and its probability."""

    def shown(self, columns: Request) -> list[Any]:
        """1 if the best class is right, its score, and so on."""
        answers = []
        for at in range(self.systems):
            top = nw.col(f"top{at}")
            right = best(scores_of(columns, self.systems, at), top, "first") + 1 == nw.col("t")
            answers += [nw.when(right).then(nw.lit(1.0)).otherwise(nw.lit(0.0)), top]
        return answers


@dataclass(frozen=True)
class Chosen(Systems):
    """Some of the scores, unchanged."""

    systems: int = 0
    chosen: Sequence[int] = field(kw_only=True)
    by_class: ClassVar[bool] = True

    def shown(self, columns: Request) -> list[Any]:
        """The chosen ones."""
        return [nw.col(f"s{at}") for at in self.chosen]


def scores_of(columns: Request, systems: int, system: int) -> list[Any]:
    """The scores of one of the systems."""
    width = len(columns.preds) // systems
    return [nw.col(f"s{at}") for at in range(system * width, (system + 1) * width)]


def _where(value: Any, then: Any, otherwise: Any) -> Any:
    return nw.when(nw.col("k") == nw.lit(value)).then(then).otherwise(otherwise)


def total(parts: Sequence[Any]) -> Any:
    """The sum of expressions, as a shallow tree, since engines limit the depth."""
    while len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2], strict=False)
        parts = [*(a + b for a, b in pairs), *parts[len(parts) & ~1 :]]
    return parts[0]


def lowest(parts: Sequence[Any]) -> Any:
    """The least of expressions; Spark does not accept a single one."""
    return parts[0] if len(parts) == 1 else nw.min_horizontal(*parts)


def highest(parts: Sequence[Any]) -> Any:
    """The greatest of expressions."""
    return parts[0] if len(parts) == 1 else nw.max_horizontal(*parts)


def best(scores: Sequence[Any], top: Any, ties: str) -> Any:
    """The position of the highest score, the first or last of equal ones."""
    none, choose = (len(scores), lowest) if ties == "first" else (-1, highest)
    return choose(
        [nw.when(s == top).then(nw.lit(at)).otherwise(nw.lit(none)) for at, s in enumerate(scores)]
    )


def gap_of(columns: Request, distributions: int) -> Any:
    """What an item lacks: the index in ``columns.used`` of the first column without a valid value.

    The index after the last one means that the scores of a system are not a distribution (checked
    for ``distributions`` systems), and the next one that nothing is missing. A missing true class
    shows when items are grouped by it.
    """
    gaps, nothing = [], nw.lit(complete(columns))
    for at, name in enumerate(columns.used):
        right = [is_number(nw.col(f"s{x}")) for x, y in enumerate(columns.preds) if y == name]
        if name == columns.weights:
            w = nw.col("w")
            right.append(is_number(w) & (w >= 0))
            if columns.whole:
                right.append(w.round(0) == w)
        if name == columns.cluster:
            right.append(~nw.col("c").is_null())
        gaps += [nw.when(each).then(nothing).otherwise(nw.lit(at)) for each in right]
    for system in range(distributions):
        wrong = _unfair(scores_of(columns, distributions, system))
        gaps.append(nw.when(wrong).then(nw.lit(complete(columns) - 1)).otherwise(nothing))
    return lowest(gaps)


def complete(columns: Request) -> int:
    """The gap of an item that lacks nothing."""
    return len(columns.used) + 1


def _unfair(scores: Sequence[Any]) -> Any:
    off = total(scores) - 1
    outside = (lowest(scores) < 0) | (highest(scores) > 1)
    return outside | (off > kernel.TOLERANCE) | (off < -kernel.TOLERANCE)


UNIT = 200
"""Weights far from 1 are summed in units of 2**200, 2**400, … or their inverses: squares and
products of numbers near 1 keep all digits."""


def _unit_of(weight: Any) -> Any:
    """The exponent of the unit nearest to a weight: 0 from 2**-100 to 2**100."""
    steps = range(-1000 + UNIT // 2, 1000, UNIT)
    above = [nw.when(weight >= 2.0**at).then(nw.lit(UNIT)).otherwise(nw.lit(0)) for at in steps]
    return total(above) - 1000


class Classes(Question):
    """The number of items of each true class, by what they lack and the size of their weights."""

    def __init__(self, distributions: int) -> None:
        """``distributions``: how many systems have probabilities."""
        self._distributions = distributions

    def of_view(
        self, database: Database, columns: Request, explain: Callable[[str], str]
    ) -> dict[str, list[Any]]:
        """The answer for the view ``items``.

        If no item lacks anything, a short query tells that; what an item lacks takes an expression
        for each column, and DuckDB long to plan them.
        """
        if not (columns.weights or columns.cluster):
            rows = database.ask(lambda: self._all_complete(database, columns), explain)
            if all(complete_ for _, _, complete_ in rows):
                last = complete(columns)
                return {KEY: [(true, last, 0, items, float(items)) for true, items, _ in rows]}
        return super().of_view(database, columns, explain)

    def _all_complete(self, database: Database, columns: Request) -> list[Row]:
        """(true class, items, whether none of these lacks anything); sums show what is missing."""
        shown = shown_in_sql(database, columns)
        scores = [shown[f"s{at}"] for at in range(len(columns.preds))]
        width = len(scores) // max(1, self._distributions)
        lists, whole = [], []
        for at in range(0, len(scores), max(1, width)):
            some, name = scores[at : at + width], f"s{at}"
            lists.append(f"[{', '.join(some)}] AS {name}")
            whole.append(f"list_aggregate({name}, 'count') = {len(some)}")
            whole.append(f"isfinite(list_sum({name}))")
            if self._distributions:
                off = f"abs(list_sum({name}) - 1) <= {kernel.TOLERANCE!r}"
                whole += [f"list_min({name}) >= 0", f"list_max({name}) <= 1", off]
        said = f"bool_and(coalesce({' AND '.join(whole)}, false))"
        rows = f"SELECT {shown['k']} AS k, {', '.join(lists)} FROM items"
        query = f"SELECT k, count(*), {said} FROM ({rows}) GROUP BY k"
        groups: list[tuple[Any, ...]] = database.connection.execute(query).fetchall()
        return groups

    def answer(self, items: Any, columns: Request) -> dict[str, list[Row]]:
        """(true class, gap, unit of weights, items, and the items that they stand for)."""
        gap = gap_of(columns, self._distributions).alias("gap")
        unit = _unit_of(nw.col("w")) if columns.weights else nw.lit(0)
        times = nw.col("w") if columns.whole else nw.lit(1.0)
        rows = items.select(nw.col("k"), gap, unit.alias("unit"), times.alias("w"))
        return {KEY: plain_rows(grouped_frame(rows, ["k", "gap", "unit"], ["w"]))}


class Added(Question):
    """Sums over the items, by cluster, of a value v of each: see ``EngineSums``."""

    def __init__(self, values: Values, unit: int) -> None:
        """``unit``: the exponent of the unit of weights."""
        self._values, self._unit = values, unit

    def answer(self, items: Any, columns: Request) -> dict[str, list[Row]]:
        """(*slice, cluster, items, those of unknown classes, *sums); without clusters it is 0."""
        (value,) = self._values.shown(columns)
        weight = nw.lit(1.0)
        if columns.weights:  # without a weight, even an infinite loss does not count
            weight = nw.col("w") * 2.0**-self._unit
            value = nw.when(weight > 0).then(value).otherwise(nw.lit(0.0))
        cluster = nw.col("c") if columns.cluster else nw.lit(0)
        lost = nw.when(nw.col("t") == 0).then(nw.lit(1.0)).otherwise(nw.lit(0.0))
        slices = {f"b{at}": nw.col(f"b{at}") for at in range(len(columns.by))}
        chosen = {**slices, "c": cluster, "lost": lost, "w": weight, "v": value}
        lines = self._values.judged(items, columns)
        lines = lines.select(*(each.alias(name) for name, each in chosen.items()))
        w, v = nw.col("w"), nw.col("v")
        ww = w if columns.whole else w * w  # the squares of the weights of this many items
        sums = {"ww": ww, "wv": w * v, "wwv": ww * v, "wwvv": ww * v * v}
        lines = lines.with_columns(*(each.alias(name) for name, each in sums.items()))
        return {KEY: plain_rows(grouped_frame(lines, [*slices, "c"], ["lost", "w", *sums]))}
