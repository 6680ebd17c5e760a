"""Moments: a quantity of each item as (n, Σ, Σ²). Losses are computed from it alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from whichf1.tables.labels import Label, Labels
from whichf1.tables.units import Additive


@dataclass(frozen=True)
class Moments(Additive):
    """The sums of a loss or another score over items; made by ``whichf1.moments``.

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
    """The class that single probabilities are of; None where every class has its own."""
    n: int
    total: float
    squares: float

    @property
    def mean(self) -> float:
        """The mean over the items."""
        return self.total / self.n

    @property
    def variance(self) -> float:
        """The variance over the items; 0 where sums cannot tell it from rounding."""
        square = self.squares / self.n
        return beyond_rounding(square - self.mean**2, square)

    def _alike(self) -> dict[str, Any]:
        return {x: getattr(self, x) for x in ("metric", "parameters", "labels", "positive")}

    def _plus(self, other: Moments) -> Moments:
        sums = {x: getattr(self, x) + getattr(other, x) for x in ("n", "total", "squares")}
        return replace(self, **sums)


def beyond_rounding(difference: float, of: float) -> float:
    """A difference of two sums about as large as ``of``; 0 where it is so small a share of them."""
    return difference if difference > 1e-12 * of else 0.0
