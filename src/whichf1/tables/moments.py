"""Moments: a quantity of each item as (n, Σ, Σ²). Losses are computed from these alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from whichf1.tables.labels import Label, Labels
from whichf1.tables.records import dataclass
from whichf1.tables.units import Additive, further


@dataclass(frozen=True)
class Moments(Additive, kind="moments"):
    """The sums of a loss or another score over items; returned by ``whichf1.moments``.

    Moments of the same metric can be added; ``sum(parts)`` merges many.

    >>> import whichf1 as wf
    >>> wf.moments([0, 1], [0.5, 0.75], "brier").mean
    0.15625
    """

    metric: str
    parameters: tuple[tuple[str, Any], ...]
    labels: Labels
    """The classes, in the order of the probabilities."""
    positive: Label | None
    """The class that single probabilities refer to; None if every class has its own."""
    n: int
    total: float
    squares: float

    @property
    def weighted(self) -> bool:
        """Whether items have weights; always False for moments."""
        return False

    @property
    def mean(self) -> float:
        """The mean over the items."""
        return self.total / self.n

    @property
    def variance(self) -> float:
        """The variance over the items; 0 if it cannot be distinguished from rounding."""
        square = self.squares / self.n
        return beyond_rounding(square - self.mean**2, square)

    @classmethod
    def empty(
        cls,
        metric: Any,
        labels: Sequence[Any] | None = None,
        *,
        positive: Any = None,
        **options: Any,
    ) -> Moments:
        """Empty moments, as the start of a stream.

        metric: The loss, such as "log_loss", "brier" or "top_k_accuracy(k=3)".
        labels: The declared classes. By default, those of the first batch.
        **options: The parameters of the loss.
        Returns: Empty moments.
        DefinitionError: If the metric is not a mean over items, or an option does not apply.

        >>> import whichf1 as wf
        >>> wf.Moments.empty("brier").update([0, 1], [0.5, 0.75]).mean
        0.15625
        """
        definition = further().mean_definition(metric, {"positive": positive, **options})
        names = Labels(() if labels is None else labels)
        parameters = definition.parameters
        return cls(definition.metric, parameters, names, definition.positive, 0, 0.0, 0.0)

    def _alike(self) -> dict[str, Any]:
        facts = {"the metric": self.metric, "labels": self.labels, "positive": self.positive}
        facts |= {f"the parameter {name}": value for name, value in self.parameters}
        if self.n:
            return facts
        return {name: value for name, value in facts.items() if value not in (None, ())}

    def _plus(self, other: Moments, facts: dict[str, Any]) -> Moments:
        sums = {x: getattr(self, x) + getattr(other, x) for x in _SUMS}
        return replace(self if self.n else other, **sums)

    @property
    def units(self) -> int:
        """One row of sums."""
        return 1

    def without_items(self) -> Moments:
        """The same moments before the first item."""
        return replace(self, n=0, total=0.0, squares=0.0)

    def _record(self) -> dict[str, Any]:
        facts = ("metric", "parameters", "labels", "positive")
        return {name: getattr(self, name) for name in (*facts, *_SUMS)}

    @classmethod
    def _restored(cls, record: Any) -> Moments:
        metric, labels = record.text("metric"), record.labels("labels")
        positive, pairs = record.take("positive"), record.rows("parameters")
        record.expect(metric, "it does not name its metric")
        known = positive is None or positive in labels or not labels
        record.expect(known, "its positive class is not one of its labels")
        parameters = tuple((name, value) for name, value in pairs)
        record.expect(all(isinstance(x, str) for x, _ in parameters), "a parameter has no name")
        n, total, squares = (record.take(name) for name in _SUMS)
        numbers = type(n) is int and type(total) is type(squares) is float
        right = numbers and squares >= 0 and total == total and (n > 0 or n == total == squares)
        record.expect(right, "its sums do not fit together")
        return cls(metric, parameters, labels, positive, n, total, squares)


_SUMS = ("n", "total", "squares")


def beyond_rounding(difference: float, of: float) -> float:
    """A difference of two sums about as large as ``of``; 0 if it is within rounding of them."""
    return difference if difference > 1e-12 * of else 0.0
