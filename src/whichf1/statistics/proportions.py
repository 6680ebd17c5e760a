"""Intervals for scores that are a share of items: x of n.

A score is one if every item is a success, a failure, or none of its business, found by running the
formula on each kind of item alone. F1 is one in disguise: with J = TP / (TP + FP + FN) it is
2J / (1 + J), and an interval for J becomes one for F1.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import NamedTuple

import numpy as np

from whichf1.definitions.class_sets import Frozen
from whichf1.definitions.definition import Definition
from whichf1.definitions.methods import Interval, Method
from whichf1.errors import DefinitionError
from whichf1.statistics.scales import normal_quantile
from whichf1.tables.cells import Array, Margins, OneVsRest, Table


class Share(NamedTuple):
    """What each cell is to a score that is a share of items."""

    success: Array
    """1 for a success, 0 for a failure, NaN for an item that does not count; of each cell."""
    gain: float
    """The score is gain·J / (gain·J + loss·(1 − J)), with J the share of successes."""
    loss: float

    def score(self, j: float) -> float:
        """The score at a share of successes."""
        return self.gain * j / (self.gain * j + self.loss * (1 - j))


def proportion_intervals(
    definition: Definition, frozen: Frozen, method: Method
) -> list[Interval | None]:
    """One interval for each value; None for a share of no items."""
    table = frozen.table
    if not isinstance(table, Table) or table.squares is not None or table.cluster is not None:
        raise DefinitionError(
            f"the interval {method.word!r} is for single items of one class each; with weights, "
            "clusters or sets of labels use interval='delta'"
        )
    per_class = definition.declaration.kind == "rate" and definition.average is None
    each = [frozen._replace(classes=frozen.classes[[at]]) for at in range(len(frozen.classes))]
    found = []
    for one in each if per_class else [frozen]:
        share = share_of_items(definition, one)
        if share is None:
            raise DefinitionError(
                f"the interval {method.word!r} is for a share of items, which "
                f"{definition.signature} is not. Use interval='delta' or 'bootstrap'."
            )
        found.append(_interval(share, table.count, method))
    return found


def _interval(share: Share, count: Array, method: Method) -> Interval | None:
    counts = ~np.isnan(share.success)
    n, x = float(count[counts].sum()), float(count[share.success == 1].sum())
    if n == 0:
        return None
    low, high = PROPORTIONS[method.word](x, n, method.level)
    ends = share.score(min(max(low, 0.0), 1.0)), share.score(min(max(high, 0.0), 1.0))
    return Interval(*ends, method.level, method.word)


def share_of_items(definition: Definition, frozen: Frozen) -> Share | None:
    """What each cell is to the score; None if the score is no share of items."""
    kind = _kinds(frozen) if definition.declaration.kind == "rate" else _hit_or_miss(frozen)
    top, bottom = _alone(definition, len(frozen.classes))
    success = np.where(bottom == 0, np.nan, (top != 0).astype(float))[kind]
    if not bottom.any() or not _linear(definition) or definition.epsilon:
        return None
    present = np.unique(kind)
    top, bottom = top[present], bottom[present]
    gains = np.unique(bottom[top != 0])
    losses = np.unique(bottom[(top == 0) & (bottom != 0)])
    whole = bool(np.all((top == 0) | (top == bottom)))
    if not whole or len(gains) > 1 or len(losses) > 1:
        return None
    gain = float(gains[0]) if len(gains) else float(losses[0]) if len(losses) else 1.0
    return Share(success, gain, float(losses[0]) if len(losses) else gain)


def _kinds(frozen: Frozen) -> Array:
    """To the classes, an item is 0 right, 1 confused among them, 2 missed, 3 false, 4 neither."""
    table = frozen.table
    inside = np.zeros(table.classes, bool)
    inside[frozen.classes] = True
    true, predicted = inside[table.true], inside[table.predicted]
    kind: Array = np.where(true & predicted, 1, np.where(true, 2, np.where(predicted, 3, 4)))
    kind[true & (table.true == table.predicted)] = 0
    return kind


def _hit_or_miss(frozen: Frozen) -> Array:
    missed: Array = frozen.table.true != frozen.table.predicted
    return missed.astype(np.intp)


def _alone(definition: Definition, k: int, times: int = 1) -> tuple[Array, Array]:
    """Numerator and denominator of one item of each kind alone."""
    metric, parameters = definition.declaration, definition.arguments
    if metric.kind == "agreement":
        hit_rows = np.array([[1.0, 0.0], [1.0, 0.0]]) * times
        columns = np.array([[1.0, 0.0], [0.0, 1.0]]) * times
        hits = np.array([[1.0, 0.0], [0.0, 0.0]]) * times
        alone = Margins(hit_rows, columns, hits, columns)
        top, bottom = metric.formula(alone, **parameters)
        return top, bottom
    tp, fp, fn = (np.array(x, float) for x in ([1, 0, 0, 0, 0], [0, 1, 0, 1, 0], [0, 1, 1, 0, 0]))
    four = (tp, fp, fn, k - tp - fp - fn)
    top, bottom = metric.formula(OneVsRest(*(times * x for x in four)), **parameters)
    return top, bottom


def _linear(definition: Definition) -> bool:
    """Whether two items weigh twice as much as one, above and below the line."""
    if definition.average in ("macro", "weighted"):
        return False
    once, twice = (_alone(definition, 2, times) for times in (1, 2))
    return all(np.array_equal(2 * x, y) for x, y in zip(once, twice, strict=True))


def wilson(x: float, n: float, level: float) -> tuple[float, float]:
    """Wilson's score interval."""
    z = normal_quantile((1 + level) / 2)
    p, scale = x / n, 1 + z * z / n
    centre, half = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low = 0.0 if x == 0 else (centre - half) / scale
    return low, 1.0 if x == n else (centre + half) / scale


def agresti_coull(x: float, n: float, level: float) -> tuple[float, float]:
    """Wald's interval after adding z² items, half of them successes."""
    z = normal_quantile((1 + level) / 2)
    larger = n + z * z
    p = (x + z * z / 2) / larger
    half = z * sqrt(p * (1 - p) / larger)
    return max(0.0, p - half), min(1.0, p + half)


def clopper_pearson(x: float, n: float, level: float) -> tuple[float, float]:
    """The exact binomial interval."""
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = 0.0 if x == 0 else float(betaincinv(x, n - x + 1, tail))
    return low, 1.0 if x == n else float(betaincinv(x + 1, n - x, 1 - tail))


def jeffreys(x: float, n: float, level: float) -> tuple[float, float]:
    """Quantiles of Beta(x + ½, n − x + ½); the end at 0 or n successes is the bound itself."""
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = 0.0 if x == 0 else float(betaincinv(x + 0.5, n - x + 0.5, tail))
    return low, 1.0 if x == n else float(betaincinv(x + 0.5, n - x + 0.5, 1 - tail))


PROPORTIONS: dict[str, Callable[[float, float, float], tuple[float, float]]] = {
    "wilson": wilson,
    "clopper-pearson": clopper_pearson,
    "agresti-coull": agresti_coull,
    "jeffreys": jeffreys,
}
