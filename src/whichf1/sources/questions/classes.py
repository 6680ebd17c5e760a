"""What is asked of a column of scores for each class: which classes there are, and sums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from whichf1 import kernel
from whichf1.sources.answers.rows import Reading, Row, is_missing
from whichf1.sources.questions.derived import Values, gap_of
from whichf1.sources.questions.grouped import Gap, as_number, missing, no_number, no_weight
from whichf1.sources.questions.lines import KEY, OfItems
from whichf1.sources.request import Columns

UNFAIR = "the probabilities"
"""Under which the place of an item whose scores are no distribution is kept."""


class Classes(OfItems):
    """How many items there are of each true class, by what they lack."""

    def __init__(self, distributions: int) -> None:
        """``distributions``: how many systems have probabilities."""
        self._distributions = distributions

    def answer(self, items: Any, columns: Columns) -> list[Row]:
        """(true class, gap, items)."""
        import narwhals as nw

        from whichf1.sources.engines.frames import grouped_frame, plain_rows

        gap = gap_of(columns, self._distributions).alias("gap")
        return plain_rows(grouped_frame(items.select(nw.col("k"), gap), ["k", "gap"], False))

    def gaps(
        self, found: Mapping[str, list[Row]], columns: Columns, reading: Reading
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

    def _no_distribution(self, columns: Columns) -> Gap:
        own = [as_number(name) for name in columns.preds]
        width = len(own) // self._distributions
        wrong = [
            f"least({each}) < 0 OR greatest({each}) > 1 OR abs(list_sum([{each}]) - 1) > "
            f"{kernel.TOLERANCE!r}"
            for some in (own[at : at + width] for at in range(0, len(own), width))
            for each in (", ".join(some),)
        ]
        shown = ", ".join(f"CAST({each} AS VARCHAR)" for each in own[:8])
        return Gap(UNFAIR, f"({') OR ('.join(wrong)})", f"concat_ws(', ', {shown})")


class Added(OfItems):
    """Sums over the items, by cluster, of a value v of each: see ``Sums``."""

    def __init__(self, values: Values) -> None:
        self._values = values

    def answer(self, items: Any, columns: Columns) -> list[Row]:
        """(*slice, cluster, items, those of unknown classes, *sums); without clusters it is 0."""
        import narwhals as nw

        from whichf1.sources.engines.frames import plain_rows

        (value,) = self._values.each(columns)
        weight = nw.lit(1.0)
        if columns.weights:  # without a weight, an infinite loss is none
            weight = nw.col("w")
            value = nw.when(weight > 0).then(value).otherwise(nw.lit(0.0))
        cluster = nw.col("c") if columns.cluster else nw.lit(0)
        lost = nw.when(nw.col("t") == 0).then(nw.lit(1.0)).otherwise(nw.lit(0.0))
        slices = {f"b{at}": nw.col(f"b{at}") for at in range(len(columns.by))}
        made = {**slices, "c": cluster, "lost": lost, "w": weight, "v": value}
        own = self._values.judged(items, columns)
        own = own.select(*(each.alias(name) for name, each in made.items()))
        w, v = nw.col("w"), nw.col("v")
        sums = {"ww": w * w, "wv": w * v, "wwv": w * w * v, "wwvv": w * w * v * v}
        own = own.with_columns(*(each.alias(name) for name, each in sums.items()))
        names = ["lost", "w", *sums]
        measures = (nw.col(name).sum() for name in names)
        keys = [*slices, "c"]
        found = own.group_by(*keys, drop_null_keys=False).agg(nw.len().alias("n"), *measures)
        return plain_rows(found.select(*keys, "n", *names))
