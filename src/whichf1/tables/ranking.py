"""Ranking: GROUP BY score. Every curve and ranking score is computed from it alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from whichf1.errors import InputError, numbered
from whichf1.tables.cells import Array, RankTable
from whichf1.tables.display import Drawable
from whichf1.tables.labels import Label, Labels
from whichf1.tables.records import dataclass
from whichf1.tables.units import (
    Additive,
    are_sums,
    common_labels,
    refuse_overflow,
    refuse_sum,
    stacked,
    worth,
)

_COLUMNS = ("score", "positives", "negatives")
HALF = 0.5
"""A probability above this predicts the positive of two classes."""


@dataclass(frozen=True, eq=False)
class Ranking(Additive, Drawable, kind="ranking"):
    """The number of positives and negatives with each score; returned by ``whichf1.rank``.

    Rankings with the same positive class can be added; ``sum(parts)`` merges many.

    >>> import whichf1 as wf
    >>> monday, tuesday = wf.rank([0, 1], [0.2, 0.9]), wf.rank([0, 1], [0.4, 0.3])
    >>> wf.roc_auc(monday + tuesday).value
    0.75
    """

    score: Array
    """Distinct scores, highest first."""
    positives: Array
    """Items of the positive class with that score, or the sum of their weights."""
    negatives: Array
    labels: Labels
    """The classes of the items."""
    positive: Label
    resolution: str | None = None
    """How scores were rounded into bins, in words; None if they are exact."""
    squares: float | None = None
    """The sum of squared weights; None if items have no weights, or if it is unknown."""
    declared: bool = False
    """Whether the classes were declared; if not, they are the observed ones."""

    @classmethod
    def empty(
        cls, labels: Sequence[Any] | None = None, *, positive: Any, weighted: bool = False
    ) -> Ranking:
        """An empty ranking, as the start of a stream.

        labels: The declared classes. By default, those that occur.
        weighted: Whether items will have weights.
        Returns: An empty ranking.
        LabelError: If the labels are malformed, or the positive class is not among them.

        >>> Ranking.empty(positive="spam").n
        0
        """
        if not isinstance(weighted, (bool, np.bool_)):
            raise InputError(f"weighted= is True or False; got {weighted!r}")
        names = Labels([positive] if labels is None else labels)
        label, kind = names[names.code(positive)], np.float64 if weighted else np.int64
        columns = (np.zeros(0), np.zeros(0, kind), np.zeros(0, kind))
        return cls(*columns, names, label, declared=labels is not None)

    @classmethod
    def of(cls, table: RankTable, labels: Labels) -> Ranking:
        """The ranking of unweighted items of two classes, the second of which is positive."""
        ranking = cls(table.score, table.positives, table.negatives, labels, labels[1])
        ranking.__dict__["table"] = table
        return ranking

    def __post_init__(self) -> None:
        for column in (self.score, self.positives, self.negatives):
            column.setflags(write=False)
        if self.positives.dtype.kind == "f":
            refuse_sum(self.positives, self.negatives)

    @cached_property
    def table(self) -> RankTable:
        """The same arrays without labels, for formulas."""
        return RankTable(self.score, self.positives, self.negatives)

    @property
    def n(self) -> int | float:
        """The number of items, or the sum of their weights."""
        total = sum(self.table.sizes)
        return float(total) if self.weighted else int(total)

    @property
    def weighted(self) -> bool:
        """Whether the counts are sums of weights."""
        return self.positives.dtype.kind == "f"

    @property
    def effective_n(self) -> float:
        """(Σw)² / Σw², the effective number of weighted items; NaN without the squares."""
        if not self.weighted:
            return float(self.n)
        return worth(float(self.n), self.squares)

    @property
    def probabilities(self) -> bool:
        """Whether every score is in [0, 1]."""
        return bool(len(self.score)) and self.score[-1] >= 0 and bool(self.score[0] <= 1)

    def needs_both(self, what: str) -> tuple[Array, Array]:
        """All positives and all negatives; raises unless there are both."""
        sizes = self.table.sizes
        if sizes[0] and sizes[1]:
            return sizes
        name = "item of another class than" if sizes[0] else "item of"
        n = f"items of weight {self.n:.6g}" if self.weighted else numbered(self.n, "item")
        raise InputError(
            f"{what} ranks positives against negatives: there is no {name} the positive "
            f"class {self.positive!r} among {n}. Pass items of both."
        )

    def _alike(self) -> dict[str, Any]:
        facts = {
            "the positive class": self.positive,
            "the type of labels": self.labels.kind,
            "weighting": self._parts[0].weighted,
            "the bins of scores": self.resolution,
        }
        if self._parts[0].units:
            return facts
        return {name: facts[name] for name in ("the positive class", "the type of labels")}

    def _columns(self) -> tuple[Array, Array, Array]:
        return self.score, self.positives, self.negatives

    def agreed(self, other: Ranking) -> dict[str, Any]:
        """The facts of two parts together; raises if they cannot be added."""
        super().agreed(other)
        labels, declared = common_labels(self, other)
        parts = [part for part in (self, other) if part._parts[0].units] or [self]
        squares = [part.squares for part in parts if part.squares is not None]
        return {
            "labels": labels,
            "declared": declared,
            "resolution": parts[0].resolution,
            "squares": sum(squares) if len(squares) == len(parts) else None,
        }

    @property
    def units(self) -> int:
        """How many distinct scores there are."""
        return len(self.score)

    @property
    def _parts(self) -> tuple[Ranking, ...]:
        """Parts of decreasing size whose sum this is; only itself, once its scores are used."""
        return self.__dict__.get("_stack") or (self,)

    def _plus(self, other: Ranking, facts: dict[str, Any]) -> Ranking:
        """Both parts; if one is much larger, they are only merged when the sum is used."""
        total = self._total + other._total
        refuse_overflow(total, weighted=self._parts[0].weighted or other._parts[0].weighted)
        stack = self._parts
        for part in other._parts:
            stack = stacked(stack, part, lambda x: x.units, lambda a, b: a._merged([a, b]))
        if len(stack) == 1:
            return replace(stack[0], **facts)
        whole = object.__new__(Ranking)
        whole.__dict__.update(facts, positive=self.positive, _stack=stack, _total=total)
        return whole

    @cached_property
    def _total(self) -> float:
        return float(self.n)

    def __getattr__(self, name: str) -> Any:
        """Scores used for the first time: merge the parts now."""
        stack = self.__dict__.get("_stack")
        if stack is not None and name in _COLUMNS:
            columns = self._merged(stack)._columns()
            self.__dict__.update(zip(_COLUMNS, columns, strict=True))
            self.__dict__.pop("_stack", None)  # another thread may have been faster
        return object.__getattribute__(self, name)

    def _merged(self, parts: Sequence[Ranking]) -> Ranking:
        some = [part for part in parts if part.units] or parts[:1]  # an empty one has any type
        score, *sides = map(np.concatenate, zip(*(x._columns() for x in some), strict=True))
        order = np.argsort(-score, kind="stable")  # which merges parts that are sorted
        score = score[order]
        first = np.ones(len(score), bool)
        np.not_equal(score[1:], score[:-1], out=first[1:])
        starts = np.flatnonzero(first)
        positives, negatives = (np.add.reduceat(side[order], starts) for side in sides)
        return Ranking(score[starts] + 0.0, positives, negatives, self.labels, self.positive)

    def of_predictions(self) -> Ranking:
        """The more likely of two classes, right or wrong, in order of its probability."""
        likely = self.score > HALF
        top = np.where(likely, self.score, 1 - self.score)
        sides = (self.positives, self.negatives), (self.negatives, self.positives)
        distinct, at = np.unique(-top, return_inverse=True)
        right, wrong = (
            np.bincount(at, np.where(likely, *side), len(distinct)).astype(self.positives.dtype)
            for side in sides
        )
        return replace(self, score=-distinct, positives=right, negatives=wrong)

    def without_items(self) -> Ranking:
        """The same ranking before the first item."""
        columns: dict[str, Any] = {name: getattr(self, name)[:0] for name in _COLUMNS}
        return replace(self, **columns, squares=None)

    def _record(self) -> dict[str, Any]:
        facts = ("labels", "positive", "declared", "weighted")
        record = {name: getattr(self, name) for name in (*facts, *_COLUMNS)}
        squares = self.squares if are_sums(self.squares) else None
        further = {"resolution": self.resolution, "squares": squares}
        return record | {name: value for name, value in further.items() if value is not None}

    @classmethod
    def _restored(cls, record: Any) -> Ranking:
        labels, weighted = record.labels("labels"), record.flag("weighted")
        positive, declared = record.take("positive"), record.flag("declared")
        record.expect(positive in labels, "its positive class is not one of its labels")
        score = record.numbers("score")
        record.expect((score[1:] < score[:-1]).all(), "its scores are not in descending order")
        positives, negatives = (
            record.numbers(x, len(score), whole=not weighted) for x in _COLUMNS[1:]
        )
        some = (np.minimum(positives, negatives) >= 0) & (positives + negatives > 0)
        record.expect(some.all(), "a score has no items")
        resolution, squares = record.text("resolution"), None
        if "squares" in record:
            squares = record.take("squares")
            record.expect(type(squares) is float and squares >= 0, "its squares are not a number")
        columns = (score, positives, negatives)
        return cls(*columns, labels, positive, resolution, squares, declared)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ranking):
            return NotImplemented
        same_facts = self.labels == other.labels and self._alike() == other._alike()
        return same_facts and all(map(np.array_equal, self._columns(), other._columns()))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        p, n = self.table.sizes
        return (
            f"<Ranking: {p:,.6g} positives (class {self.positive!r}) and {n:,.6g} negatives "
            f"with {len(self.score):,} distinct scores>"
        )
