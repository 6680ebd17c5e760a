"""Sums of a loss over rows of probabilities that stay where they are: GROUP BY true.

For each true class and each column, the engine adds up the loss that its items would have if the
column were that of their class. Which column that is, is known afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from whichf1 import kernel
from whichf1.kernel import Sums
from whichf1.labels import Labels
from whichf1.sources.cells import Reading, Row, is_missing, labels_of, one_kind
from whichf1.sources.columns import Columns, Wanted, one_name, one_or_several
from whichf1.sources.database import Database, quote
from whichf1.sources.gathering import gather
from whichf1.sources.queries import Explain, Gap, as_number
from whichf1.sources.score_columns import classes_of_columns, refuse_other_order

KEY = "losses"
PUSHED = ("log_loss", "brier")
"""Losses that engines can add up."""


class LossSums:
    """The items of each true class, how many rows are no distributions, and for each column the
    sums of a loss and of its square."""

    ordered = False

    def __init__(self, metric: str, floor: float = 0.0) -> None:
        self._metric, self._floor = metric, floor

    def numbers(self, columns: Columns) -> list[str]:
        """The probabilities."""
        return [*columns.preds]

    def of_view(
        self, database: Database, columns: Columns, explain: Explain, columnar: bool
    ) -> dict[str, list[Row]]:
        """The rows of the view ``items``."""
        own = [f"s{at}" for at in range(len(columns.preds))]
        shown = [f"{as_number(name)} AS {s}" for name, s in zip(columns.preds, own, strict=True)]
        inside = " AND ".join(f"{s} >= 0 AND {s} <= 1" for s in own)
        fair = f"{inside} AND abs({' + '.join(own)} - 1) <= {kernel.TOLERANCE!r}"
        if self._metric == "log_loss":
            losses = [f"-ln(greatest({s}, {self._floor!r}))" for s in own]
        else:
            square = " + ".join(f"{s} * {s}" for s in own)
            losses = [f"{square} + 1 - 2 * {s}" for s in own]
        sums = [f"sum({x}), sum(({x}) * ({x}))" for x in losses]
        measures = f"count(*), count(*) FILTER (NOT coalesce({fair}, false)), {', '.join(sums)}"
        items = f"SELECT {quote(columns.true)} AS k, {', '.join(shown)} FROM items"
        return {KEY: database.run(f"SELECT k, {measures} FROM ({items}) GROUP BY k", explain)}

    def of_frame(self, frame: Any, columns: Columns) -> dict[str, list[Row]]:
        """The rows of a frame."""
        from whichf1.sources.frames import by_partition

        if frame.implementation.is_dask():
            native = frame.to_native()
            return by_partition(native, columns, self._of_part, self._together)  # type: ignore[no-any-return]
        return self._of_part(frame, columns)

    def _of_part(self, frame: Any, columns: Columns) -> dict[str, list[Row]]:
        import narwhals as nw

        from whichf1.sources.frames import plain_rows

        own = [f"s{at}" for at in range(len(columns.preds))]
        cast = [
            nw.col(x).cast(nw.Float64).alias(s) for x, s in zip(columns.preds, own, strict=True)
        ]
        items = frame.select(nw.col(columns.true).alias("k"), *cast)
        total, inside = nw.col(own[0]), (nw.col(own[0]) >= 0) & (nw.col(own[0]) <= 1)
        for s in own[1:]:
            total, inside = total + nw.col(s), inside & (nw.col(s) >= 0) & (nw.col(s) <= 1)
        near = ((total - 1) <= kernel.TOLERANCE) & ((total - 1) >= -kernel.TOLERANCE)
        fair = nw.when(inside & near).then(0).otherwise(1).alias("bad")
        items = items.with_columns(fair, *self._losses(own))
        squared = [(nw.col(f"l{s}") * nw.col(f"l{s}")).alias(f"q{s}") for s in own]
        names = [name for s in own for name in (f"l{s}", f"q{s}")]
        sums = [nw.col(name).sum() for name in ("bad", *names)]
        found = items.with_columns(*squared).group_by("k", drop_null_keys=False)
        rows = found.agg(nw.len().alias("n"), *sums).select("k", "n", "bad", *names)
        return {KEY: plain_rows(rows)}

    def _losses(self, own: list[str]) -> Iterator[Any]:
        import narwhals as nw

        if self._metric == "log_loss":
            for s in own:
                above = nw.col(s) > self._floor
                p = nw.when(above).then(nw.col(s)).otherwise(nw.lit(self._floor))
                yield (-p.log()).alias(f"l{s}")
            return
        square = nw.col(own[0]) * nw.col(own[0])
        for s in own[1:]:
            square = square + nw.col(s) * nw.col(s)
        for s in own:
            yield (square + 1 - nw.col(s) * 2).alias(f"l{s}")

    def gaps(
        self, found: Mapping[str, list[Row]], columns: Columns, reading: Reading
    ) -> Iterator[Gap]:
        """None: where something is wrong, the items are read and say so."""
        return iter(())

    def merged(self, found: list[Row]) -> list[Row]:
        """One row for each true class."""
        rows: dict[Any, Row] = {}
        for row in found:
            key = (type(row[0]), None if is_missing(row[0]) else row[0])
            added = rows.get(key)
            more = (
                row[1:]
                if added is None
                else [a + b for a, b in zip(added[1:], row[1:], strict=True)]
            )
            rows[key] = (row[0], *more)
        return [*rows.values()]

    def _together(self, parts: list[dict[str, list[Row]]]) -> dict[str, list[Row]]:
        return {KEY: self.merged([row for part in parts for row in part[KEY]])}


def loss_in_place(
    question: LossSums,
    data: Any,
    predictions: Any = None,
    *,
    score: Any = None,
    true: Any = None,
    labels: Any = None,
    **reading: Any,
) -> tuple[Labels, Sums] | None:
    """The classes and the sums of a loss; None where an item is not as it should be."""
    if isinstance(score, Mapping) and labels is None:
        labels, score = list(score), list(score.values())
    columns = one_or_several(score, "score")
    refuse_other_order(columns, labels)
    wanted = Wanted(one_name(true, "true"), columns, scores=True)
    reading = {key: value for key, value in reading.items() if value is not None}
    parts, used, origin = gather(data, predictions, wanted, question, **reading)
    rows = parts[KEY]
    if not rows or any(row[2] or is_missing(row[0]) for row in rows):
        return None
    declared = None if labels is None else Labels(labels)
    (meaning,) = labels_of([(used.true, [row[0] for row in rows])], origin, declared)
    one_kind([meaning], [used.true], origin)
    observed = [meaning[type(row[0]), row[0]] for row in rows]
    names = declared or Labels(classes_of_columns(used.preds, observed))
    if len(names) != len(used.preds) or any(label not in names for label in observed):
        return None
    own = [(row, 3 + 2 * names.code(label)) for row, label in zip(rows, observed, strict=True)]
    total, squares = (sum(float(row[at + more]) for row, at in own) for more in (0, 1))
    return names, Sums(sum(int(row[1]) for row in rows), total, squares)
