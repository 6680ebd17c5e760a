"""What columns of scores say of each item, in expressions that every engine computes.

The columns of a system are s0, s1, …, one for each class; k is the true class as the engine has it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf, log
from typing import Any, Protocol

from whichf1 import kernel
from whichf1.sources.engines.frame_kinds import seen
from whichf1.sources.request import Columns

Place = tuple[Any, int]
"""A value of the true class, and the place of its class among the columns of a system."""


class Derived(Protocol):
    """Columns that are computed from those of the scores, before anything is grouped."""

    def of(self, items: Any, columns: Columns) -> tuple[Any, int]:
        """The items with what is derived as k, s0, s1, …, and how many of the latter."""


class Systems:
    """The columns of one system or more, each with one for each class."""

    def __init__(
        self, places: Sequence[Place], systems: int = 1, filtered: int | None = None
    ) -> None:
        """``filtered``: leave out what lacks something, among it distributions of so many."""
        self.places, self.systems, self._filtered = places, systems, filtered

    def placed(self, items: Any, columns: Columns) -> Any:
        """The items with t, the place of the true class from 1 on; 0 where it is unknown."""
        import narwhals as nw

        if self._filtered is not None:
            items = items.filter(gap_of(columns, self._filtered) == complete(columns))
        place = [_where(value, nw.lit(at + 1), nw.lit(0)) for value, at in self.places]
        items = items.with_columns(total(place).alias("t"))
        return items if self._filtered is None else items.filter(nw.col("t") > 0)

    def judged(self, items: Any, columns: Columns) -> Any:
        """The same with own0, …, each system's score of the true class, and top0, …, its best."""
        import narwhals as nw

        made = []
        for system in range(self.systems):
            s = self.scores(columns, system)
            own = [_where(value, s[at], nw.lit(0.0)) for value, at in self.places]
            made += [total(own).alias(f"own{system}")]
            made += [highest(s).alias(f"top{system}")]
        return self.placed(items, columns).with_columns(*made)

    def scores(self, columns: Columns, system: int) -> list[Any]:
        """The columns of one system."""
        import narwhals as nw

        width = len(columns.preds) // self.systems
        return [nw.col(f"s{at}") for at in range(system * width, (system + 1) * width)]


class Values(Systems):
    """A number for each item and system, the mean of which is a score: its loss, or a hit."""

    def __init__(
        self,
        places: Sequence[Place],
        metric: str,
        parameters: Mapping[str, Any],
        systems: int = 1,
        filtered: int | None = None,
    ) -> None:
        super().__init__(places, systems, filtered)
        self._metric, self._parameters = metric, parameters

    def each(self, columns: Columns) -> list[Any]:
        """The number of each system, of items that know t, own and top."""
        import narwhals as nw

        made = _VALUES[self._metric]
        return [
            made(self.scores(columns, at), nw.col(f"own{at}"), **self._parameters)
            for at in range(self.systems)
        ]

    def of(self, items: Any, columns: Columns) -> tuple[Any, int]:
        """s0, … are the numbers; k is 1 where the true class is known."""
        import narwhals as nw

        known = nw.when(nw.col("t") > 0).then(nw.lit(1)).otherwise(nw.lit(0)).alias("k")
        each = [value.alias(f"s{at}") for at, value in enumerate(self.each(columns))]
        return self.judged(items, columns).select(known, *each, *kept_names(columns)), len(each)


class Decisions(Systems):
    """The best class of each item; the true one if that is among the ``k`` best."""

    def __init__(
        self, places: Sequence[Place], k: int, ties: str, filtered: int | None = None
    ) -> None:
        super().__init__(places, 1, filtered)
        self._k, self._ties = k, ties

    def of(self, items: Any, columns: Columns) -> tuple[Any, int]:
        """s0 is the place of the class that is predicted; k is t."""
        import narwhals as nw

        s = self.scores(columns, 0)
        decided = best(s, nw.col("top0"), self._ties)
        if self._k > 1:
            hit = within_top(s, nw.col("own0"), self._k, self._ties)
            decided = nw.when(hit > 0).then(nw.col("t") - 1).otherwise(decided)
        chosen = decided.cast(nw.Float64).alias("s0")
        return self.judged(items, columns).select(
            nw.col("t").alias("k"), chosen, *kept_names(columns)
        ), 1


class TopLabels(Systems):
    """Whether each system's best class is right, and its probability."""

    def of(self, items: Any, columns: Columns) -> tuple[Any, int]:
        """s0 is 1 where the best class is right, s1 its score, and so on; k as for values."""
        import narwhals as nw

        made = []
        for at in range(self.systems):
            top = nw.col(f"top{at}")
            right = best(self.scores(columns, at), top, "first") + 1 == nw.col("t")
            hit = nw.when(right).then(nw.lit(1.0)).otherwise(nw.lit(0.0))
            made += [hit.alias(f"s{2 * at}"), top.alias(f"s{2 * at + 1}")]
        known = nw.when(nw.col("t") > 0).then(nw.lit(1)).otherwise(nw.lit(0)).alias("k")
        return self.judged(items, columns).select(known, *made, *kept_names(columns)), len(made)


class Chosen(Systems):
    """Some of the scores as they are."""

    def __init__(
        self, places: Sequence[Place], chosen: Sequence[int], filtered: int | None = None
    ) -> None:
        super().__init__(places, 1, filtered)
        self._chosen = chosen

    def of(self, items: Any, columns: Columns) -> tuple[Any, int]:
        """s0, … are the chosen ones; k is t."""
        import narwhals as nw

        scores = [nw.col(f"s{own}").alias(f"s{at}") for at, own in enumerate(self._chosen)]
        placed = self.placed(items, columns)
        return placed.select(nw.col("t").alias("k"), *scores, *kept_names(columns)), len(scores)


def kept_names(columns: Columns) -> list[str]:
    """The names beside the true class and the scores."""
    own = [name for name, one in (("w", columns.weights), ("c", columns.cluster)) if one]
    return [*own, *(f"b{at}" for at in range(len(columns.by)))]


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
    """The least of expressions; to Spark, one alone is none to choose from."""
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


def within_top(scores: Sequence[Any], own: Any, k: int, ties: str) -> Any:
    """1 where the score of the true class is among the k best, else 0."""
    import narwhals as nw

    t = nw.col("t") - 1
    before: dict[str, Callable[[int], Any]] = {
        "first": lambda at: t > at,
        "last": lambda at: t < at,
        "worst": lambda at: t != at,
    }
    beaten = []
    for at, s in enumerate(scores):
        above = s > own if ties == "best" else (s > own) | ((s == own) & before[ties](at))
        beaten.append(nw.when(above).then(nw.lit(1)).otherwise(nw.lit(0)))
    return nw.when(total(beaten) < k).then(nw.lit(1.0)).otherwise(nw.lit(0.0))


def _log_loss(scores: Sequence[Any], own: Any, floor: float) -> Any:
    import narwhals as nw

    lowest = nw.lit(-log(floor) if floor else inf)
    above = own > floor  # and engines differ in what they make of ln 0
    return (
        nw.when(above)
        .then(-nw.when(above).then(own).otherwise(nw.lit(1.0)).log())
        .otherwise(lowest)
    )


def _brier(scores: Sequence[Any], own: Any, scale: str) -> Any:
    whole = total([s * s for s in scores]) + 1 - own * 2
    return whole if scale == "sum" else whole / 2


_VALUES: dict[str, Callable[..., Any]] = {
    "log_loss": _log_loss,
    "brier": _brier,
    "top_k_accuracy": within_top,
}
"""What metrics are means of."""


def gap_of(columns: Columns, distributions: int) -> Any:
    """What an item lacks: the place in ``columns.used`` of the first column without a good value.

    One more than the last place is for scores that are no distribution, which is asked of so many
    systems, and one more again for an item that lacks nothing. Whether a true class is missing is
    seen when items are grouped by it.
    """
    import narwhals as nw

    found, nothing = [], nw.lit(complete(columns))
    for at, name in enumerate(columns.used):
        wrong = [_no_number(nw.col(f"s{x}")) for x, y in enumerate(columns.preds) if y == name]
        if name == columns.weights:
            wrong.append(_no_number(nw.col("w")) | (nw.col("w") < 0))
        if name == columns.cluster:
            wrong.append(nw.col("c").is_null())
        found += [nw.when(each).then(nw.lit(at)).otherwise(nothing) for each in wrong]
    for system in range(distributions):
        wrong = _unfair(Systems((), distributions).scores(columns, system))
        found.append(nw.when(wrong).then(nw.lit(complete(columns) - 1)).otherwise(nothing))
    return lowest(found)


def complete(columns: Columns) -> int:
    """The gap of an item that lacks nothing."""
    return len(columns.used) + 1


def _no_number(column: Any) -> Any:
    return column.is_null() | ~seen(column).is_finite()


def _unfair(scores: Sequence[Any]) -> Any:
    off = total(scores) - 1
    outside = (lowest(scores) < 0) | (highest(scores) > 1)
    return outside | (off > kernel.TOLERANCE) | (off < -kernel.TOLERANCE)
