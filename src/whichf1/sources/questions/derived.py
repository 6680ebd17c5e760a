"""Questions about columns of scores, one for each class, in expressions that every engine computes.

The columns of a system are s0, s1, …, one for each class; k is the true class as the engine has it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from whichf1 import kernel
from whichf1.errors import DefinitionError
from whichf1.sources.answers.rows import Reading, Row, is_missing
from whichf1.sources.engines.frames import plain_rows, seen
from whichf1.sources.questions.grouped import (
    Gap,
    as_number,
    grouped_frame,
    missing,
    no_number,
    no_weight,
)
from whichf1.sources.questions.lines import KEY, OfItems, kept_names
from whichf1.sources.request import Request

UNFAIR = "the probabilities"
"""The key under which the place of an item is kept whose scores are not a distribution."""
Place = tuple[Any, int]
"""A value of the true class, and the place of its class among the columns of a system."""


class Expression(NDArrayOperatorsMixin):
    """A column of an engine that answers NumPy, so that a loss is written once for arrays too."""

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
    import narwhals as nw

    return nw.when(condition).then(_literal(then)).otherwise(_literal(otherwise))


def _literal(value: Any) -> Any:
    import narwhals as nw

    return value if isinstance(value, nw.Expr) else nw.lit(float(value))


def _log(x: Any) -> Any:
    """ln x; engines differ in what they make of ln 0."""
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

    def ahead(self, ties: str) -> Expression:
        """How many classes rank ahead of the true one."""
        import narwhals as nw

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


class Systems:
    """The columns of one system or more, each with one for each class."""

    def __init__(
        self, places: Sequence[Place], systems: int = 1, filtered: int | None = None
    ) -> None:
        """``filtered``: skip incomplete items; this many systems must have distributions."""
        self.places, self.systems, self._filtered = places, systems, filtered

    def placed(self, items: Any, columns: Request) -> Any:
        """The items with t, the place of the true class from 1 on; 0 where it is unknown."""
        import narwhals as nw

        if self._filtered is not None:
            items = items.filter(gap_of(columns, self._filtered) == complete(columns))
        place = [_where(value, nw.lit(at + 1), nw.lit(0)) for value, at in self.places]
        items = items.with_columns(total(place).alias("t"))
        return items if self._filtered is None else items.filter(nw.col("t") > 0)

    def judged(self, items: Any, columns: Request) -> Any:
        """The same with own0, …, each system's score of the true class, and top0, …, its best."""
        import narwhals as nw

        columns_of_systems = []
        for system in range(self.systems):
            s = self.scores(columns, system)
            own = [_where(value, s[at], nw.lit(0.0)) for value, at in self.places]
            columns_of_systems += [total(own).alias(f"own{system}")]
            columns_of_systems += [highest(s).alias(f"top{system}")]
        return self.placed(items, columns).with_columns(*columns_of_systems)

    def scores(self, columns: Request, system: int) -> list[Any]:
        """The columns of one system."""
        import narwhals as nw

        width = len(columns.preds) // self.systems
        return [nw.col(f"s{at}") for at in range(system * width, (system + 1) * width)]

    def judged_columns(self, columns: Request, system: int) -> JudgedColumns:
        """What a loss sees of one system, of items that know t and own."""
        import narwhals as nw

        return JudgedColumns(self.scores(columns, system), nw.col(f"own{system}"))


class Values(Systems):
    """A number for each item and system, the mean of which is a score: its loss, or a hit."""

    def __init__(
        self,
        places: Sequence[Place],
        each: Callable[[Any], Any],
        systems: int = 1,
        filtered: int | None = None,
    ) -> None:
        """``each``: the number, of scores that answer as ``tables.cells.Predicted`` says."""
        super().__init__(places, systems, filtered)
        self._each = each

    def each(self, columns: Request) -> list[Any]:
        """The number of each system, of items that know t, own and top."""
        import narwhals as nw

        judged = (self.judged_columns(columns, at) for at in range(self.systems))
        return [_literal(_column(self._each(each))).cast(nw.Float64) for each in judged]

    def of(self, items: Any, columns: Request) -> tuple[Any, int]:
        """s0, … are the numbers; k is 1 where the true class is known."""
        each = [value.alias(f"s{at}") for at, value in enumerate(self.each(columns))]
        return self.judged(items, columns).select(_known(), *each, *kept_names(columns)), len(each)


class Decisions(Systems):
    """The best class of each item; the true one if that is among the ``k`` best."""

    def __init__(
        self, places: Sequence[Place], k: int, ties: str, filtered: int | None = None
    ) -> None:
        super().__init__(places, 1, filtered)
        self._k, self._ties = k, ties

    def of(self, items: Any, columns: Request) -> tuple[Any, int]:
        """s0 is the place of the class that is predicted; k is t."""
        import narwhals as nw

        s = self.scores(columns, 0)
        decided = best(s, nw.col("top0"), self._ties)
        if self._k > 1:
            inside = self.judged_columns(columns, 0).ahead(self._ties).column < self._k
            decided = nw.when(inside).then(nw.col("t") - 1).otherwise(decided)
        chosen = decided.cast(nw.Float64).alias("s0")
        return self.judged(items, columns).select(
            nw.col("t").alias("k"), chosen, *kept_names(columns)
        ), 1


class TopLabels(Systems):
    """Whether each system's best class is right, and its probability."""

    def of(self, items: Any, columns: Request) -> tuple[Any, int]:
        """s0 is 1 where the best class is right, s1 its score, and so on; k as for values."""
        import narwhals as nw

        answers = []
        for at in range(self.systems):
            top = nw.col(f"top{at}")
            right = best(self.scores(columns, at), top, "first") + 1 == nw.col("t")
            hit = nw.when(right).then(nw.lit(1.0)).otherwise(nw.lit(0.0))
            answers += [hit.alias(f"s{2 * at}"), top.alias(f"s{2 * at + 1}")]
        return self.judged(items, columns).select(_known(), *answers, *kept_names(columns)), len(
            answers
        )


class Chosen(Systems):
    """Some of the scores as they are."""

    def __init__(
        self, places: Sequence[Place], chosen: Sequence[int], filtered: int | None = None
    ) -> None:
        super().__init__(places, 1, filtered)
        self._chosen = chosen

    def of(self, items: Any, columns: Request) -> tuple[Any, int]:
        """s0, … are the chosen ones; k is t."""
        import narwhals as nw

        scores = [nw.col(f"s{own}").alias(f"s{at}") for at, own in enumerate(self._chosen)]
        placed = self.placed(items, columns)
        return placed.select(nw.col("t").alias("k"), *scores, *kept_names(columns)), len(scores)


def _known() -> Any:
    """k: 1 where the true class is known, else 0."""
    import narwhals as nw

    return nw.when(nw.col("t") > 0).then(nw.lit(1)).otherwise(nw.lit(0)).alias("k")


def _where(value: Any, then: Any, otherwise: Any) -> Any:
    import narwhals as nw

    return nw.when(nw.col("k") == nw.lit(value)).then(then).otherwise(otherwise)


def total(parts: Sequence[Any]) -> Any:
    """The sum of expressions, in a tree that is not deep: engines limit the depth."""
    while len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2], strict=False)
        parts = [*(a + b for a, b in pairs), *parts[len(parts) & ~1 :]]
    return parts[0]


def lowest(parts: Sequence[Any]) -> Any:
    """The least of expressions; Spark does not accept a single one."""
    import narwhals as nw

    return parts[0] if len(parts) == 1 else nw.min_horizontal(*parts)


def highest(parts: Sequence[Any]) -> Any:
    """The greatest of expressions."""
    import narwhals as nw

    return parts[0] if len(parts) == 1 else nw.max_horizontal(*parts)


def best(scores: Sequence[Any], top: Any, ties: str) -> Any:
    """The place of the highest score, the first or last of equal ones."""
    import narwhals as nw

    none, choose = (len(scores), lowest) if ties == "first" else (-1, highest)
    return choose(
        [nw.when(s == top).then(nw.lit(at)).otherwise(nw.lit(none)) for at, s in enumerate(scores)]
    )


def gap_of(columns: Request, distributions: int) -> Any:
    """What an item lacks: the place in ``columns.used`` of the first column without a valid value.

    The place after the last one means that the scores of a system are not a distribution (checked
    for ``distributions`` systems), and the next that nothing is missing. A missing true class is
    seen when items are grouped by it.
    """
    import narwhals as nw

    gaps, nothing = [], nw.lit(complete(columns))
    for at, name in enumerate(columns.used):
        wrong = [_no_number(nw.col(f"s{x}")) for x, y in enumerate(columns.preds) if y == name]
        if name == columns.weights:
            wrong.append(_no_number(nw.col("w")) | (nw.col("w") < 0))
        if name == columns.cluster:
            wrong.append(nw.col("c").is_null())
        gaps += [nw.when(each).then(nw.lit(at)).otherwise(nothing) for each in wrong]
    for system in range(distributions):
        wrong = _unfair(Systems((), distributions).scores(columns, system))
        gaps.append(nw.when(wrong).then(nw.lit(complete(columns) - 1)).otherwise(nothing))
    return lowest(gaps)


def complete(columns: Request) -> int:
    """The gap of an item that lacks nothing."""
    return len(columns.used) + 1


def _no_number(column: Any) -> Any:
    return column.is_null() | ~seen(column).is_finite()


def _unfair(scores: Sequence[Any]) -> Any:
    off = total(scores) - 1
    outside = (lowest(scores) < 0) | (highest(scores) > 1)
    return outside | (off > kernel.TOLERANCE) | (off < -kernel.TOLERANCE)


class Classes(OfItems):
    """How many items there are of each true class, by what they lack."""

    def __init__(self, distributions: int) -> None:
        """``distributions``: how many systems have probabilities."""
        self._distributions = distributions

    def answer(self, items: Any, columns: Request) -> list[Row]:
        """(true class, gap, items)."""
        import narwhals as nw

        gap = gap_of(columns, self._distributions).alias("gap")
        return plain_rows(grouped_frame(items.select(nw.col("k"), gap), ["k", "gap"], False))

    def gaps(
        self, found: Mapping[str, list[Row]], columns: Request, reading: Reading
    ) -> Iterator[Gap]:
        """The columns in which an answer shows a bad value."""
        if any(is_missing(row[0]) for row in found[KEY]):
            yield missing(columns.true)
        for value, gap, _ in found[KEY]:
            if is_missing(value):
                continue
            if gap == len(columns.used):
                yield self._no_distribution(columns)
            elif gap < len(columns.used):
                name = columns.used[int(gap)]
                cluster = name == columns.cluster and name not in columns.preds
                number = no_weight if name == columns.weights else no_number
                yield (missing if cluster else number)(name)

    def _no_distribution(self, columns: Request) -> Gap:
        scores = [as_number(name) for name in columns.preds]
        width = len(scores) // self._distributions
        wrong = [
            f"least({each}) < 0 OR greatest({each}) > 1 OR abs(list_sum([{each}]) - 1) > "
            f"{kernel.TOLERANCE!r}"
            for some in (scores[at : at + width] for at in range(0, len(scores), width))
            for each in (", ".join(some),)
        ]
        shown = ", ".join(f"CAST({each} AS VARCHAR)" for each in scores[:8])
        return Gap(UNFAIR, f"({') OR ('.join(wrong)})", f"concat_ws(', ', {shown})")


class Added(OfItems):
    """Sums over the items, by cluster, of a value v of each: see ``EngineSums``."""

    def __init__(self, values: Values) -> None:
        self._values = values

    def answer(self, items: Any, columns: Request) -> list[Row]:
        """(*slice, cluster, items, those of unknown classes, *sums); without clusters it is 0."""
        import narwhals as nw

        (value,) = self._values.each(columns)
        weight = nw.lit(1.0)
        if columns.weights:  # without a weight, even an infinite loss does not count
            weight = nw.col("w")
            value = nw.when(weight > 0).then(value).otherwise(nw.lit(0.0))
        cluster = nw.col("c") if columns.cluster else nw.lit(0)
        lost = nw.when(nw.col("t") == 0).then(nw.lit(1.0)).otherwise(nw.lit(0.0))
        slices = {f"b{at}": nw.col(f"b{at}") for at in range(len(columns.by))}
        chosen = {**slices, "c": cluster, "lost": lost, "w": weight, "v": value}
        lines = self._values.judged(items, columns)
        lines = lines.select(*(each.alias(name) for name, each in chosen.items()))
        w, v = nw.col("w"), nw.col("v")
        sums = {"ww": w * w, "wv": w * v, "wwv": w * w * v, "wwvv": w * w * v * v}
        lines = lines.with_columns(*(each.alias(name) for name, each in sums.items()))
        names = ["lost", "w", *sums]
        measures = (nw.col(name).sum() for name in names)
        keys = [*slices, "c"]
        table = lines.group_by(*keys, drop_null_keys=False).agg(nw.len().alias("n"), *measures)
        return plain_rows(table.select(*keys, "n", *names))
