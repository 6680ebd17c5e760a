"""Tests of a difference between two systems on the same items, from their joint cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, isfinite, sqrt
from statistics import NormalDist

import numpy as np

from whichf1.definitions.class_sets import Frozen
from whichf1.definitions.definition import Definition
from whichf1.statistics.influence import cell_slopes, standard_error
from whichf1.statistics.proportions import share_of_items
from whichf1.statistics.ranking import Swappable
from whichf1.statistics.resampling import CHUNK, Summed, Sums, draws, generator, progress
from whichf1.tables.cells import Array, Margins, Table

_NORMAL = NormalDist()
_CLOSE = 1e-12
"""Differences this close are the same difference: rounding must not decide a test."""


@dataclass(frozen=True, slots=True)
class McNemar:
    """McNemar's test, where both scores are shares of the same items."""

    only_a: int
    """Successes of A alone."""
    only_b: int
    """Successes of B alone."""
    p_exact: float
    """Binomial, never too small."""
    p_mid: float
    """Mid-p: nearer to its level."""
    p_chi2: float
    """χ² without continuity correction."""


def difference_error(definition: Definition, a: Frozen, b: Frozen) -> float:
    """The standard error of score A − score B: influences are subtracted item by item."""
    return standard_error(cell_slopes(definition, a) - cell_slopes(definition, b), a.table)


def normal_p(difference: float, error: float) -> float | None:
    """The two-sided p-value of difference / error; None where nothing varies but the difference."""
    if not isfinite(difference) or not isfinite(error):
        return None
    if error <= _CLOSE:
        return 1.0 if abs(difference) <= _CLOSE else None
    return 2 * _NORMAL.cdf(-abs(difference) / error)


def equivalence_p(difference: float, error: float, margin: float) -> float | None:
    """Two one-sided tests: the p-value of |true difference| ≥ margin."""
    if not isfinite(difference) or not isfinite(error):
        return None
    if error <= _CLOSE:
        return 0.0 if abs(difference) < margin else 1.0
    return _NORMAL.cdf((abs(difference) - margin) / error)


def detectable_difference(error: float, level: float, power: float) -> float:
    """The smallest true difference that a test of this standard error finds with that power."""
    return (_NORMAL.inv_cdf((1 + level) / 2) + _NORMAL.inv_cdf(power)) * error


def items_needed(
    n: float, difference: float, error: float, level: float, power: float
) -> int | None:
    """How many items separate the systems with that power, if the difference is the true one."""
    if abs(difference) <= _CLOSE or not isfinite(error):
        return None
    return ceil(n * (detectable_difference(error, level, power) / difference) ** 2)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjustment over all pairs; a missing p-value stays missing."""
    known = sorted((p, at) for at, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    least = 0.0
    for step, (p, at) in enumerate(known):
        least = max(least, min(1.0, (len(known) - step) * p))
        adjusted[at] = least
    return adjusted


def bootstrap_p(difference: float, replicates: Array) -> float | None:
    """The signed difference is centred, then compared: taking |δ| first would reject too often.

    None where nothing varies but the difference: a single cluster says nothing of the spread.
    """
    defined = replicates[~np.isnan(replicates)]
    if not isfinite(difference) or not len(defined):
        return None
    if np.ptp(defined) <= _CLOSE and abs(difference) > _CLOSE:
        return None
    extreme = np.abs(defined - difference) >= abs(difference) - _CLOSE
    return float((1 + extreme.sum()) / (len(defined) + 1))


def joint_replicates(
    definition: Definition, frozen: Sequence[Frozen], replicates: int, seed: int
) -> Array:
    """The score of every system on every replicate (replicates, systems), items drawn jointly."""
    table = frozen[0].table
    summed = Summed(
        table.true,
        [each.table.predicted for each in frozen],
        max(each.table.classes for each in frozen),
        distances=definition.declaration.kind == "agreement",
    )
    parts = []
    for count in draws(table, replicates, generator(seed)):
        margins = summed(count)
        values = [definition.values(f, m) for f, m in zip(frozen, margins, strict=True)]
        parts.append(np.stack([v.reshape(len(count)) for v in values], 1))
    return np.concatenate(parts)


def randomization_p(
    definition: Definition, a: Frozen, b: Frozen, replicates: int, seed: tuple[int, int]
) -> float | None:
    """Approximate randomization: the predictions of A and B change places item by item at random.

    Clusters change places whole. None for weighted items without clusters, whose cells do not say
    which weights would move.
    """
    if a.table.squares is not None and a.table.cluster is None:
        return None
    observed = abs(float(np.ravel(definition.values(a))[0] - np.ravel(definition.values(b))[0]))
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    swapped = _by_cluster if a.table.cluster is not None else _by_item
    extreme = known = 0
    for left, right in swapped(a, b, replicates, rng):
        difference = np.abs(definition.values(a, left) - definition.values(b, right)).ravel()
        known += int((~np.isnan(difference)).sum())
        extreme += int((difference >= observed - _CLOSE).sum())
    return (1 + extreme) / (known + 1) if known and isfinite(observed) else None


def randomized(
    a: Swappable,
    b: Swappable,
    items: Table,
    observed: float,
    replicates: int,
    seed: tuple[int, int],
) -> float | None:
    """Approximate randomization for what systems say of items: it changes places at random.

    None for kinds of several weighted items, which do not say which weights would move.
    """
    if items.squares is not None and items.cluster is None:
        single = np.isclose(items.squares, items.count**2, rtol=1e-9)
        if not single.all():
            return None
    both = a.beside(b)
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    step = max(1, min(replicates, CHUNK // (2 * len(items.count))))
    extreme = known = 0
    with progress(replicates, replicates * len(items.count)) as advance:
        for done in range(0, replicates, step):
            size = min(step, replicates - done)
            moved = _moved(items, size, rng)
            stays = items.count - moved
            left, right = (
                both.values(np.concatenate(x, 1)) for x in ((stays, moved), (moved, stays))
            )
            difference = np.abs(left - right)
            known += int((~np.isnan(difference)).sum())
            extreme += int((difference >= observed - _CLOSE).sum())
            advance(size)
    return (1 + extreme) / (known + 1) if known else None


def _moved(items: Table, size: int, rng: np.random.Generator) -> Array:
    """How many of each kind of item change places; clusters do so whole."""
    if items.cluster is not None:
        return rng.integers(0, 2, (size, items.clusters))[:, items.cluster] * items.count
    if single_items(items):
        return rng.binomial(items.count.astype(np.int64), 0.5, (size, len(items.count)))
    return rng.integers(0, 2, (size, len(items.count))) * items.count


def single_items(items: Table) -> bool:
    """Whether items have neither weights nor clusters."""
    return items.squares is None and items.cluster is None


def _by_item(
    a: Frozen, b: Frozen, replicates: int, rng: np.random.Generator
) -> Iterator[tuple[Margins, Margins]]:
    """Of the m items of a class predicted as {x, y}, Binomial(m, ½) are predicted x by A."""
    k = max(a.table.classes, b.table.classes)
    true, left, right, count = a.table.true, a.table.predicted, b.table.predicted, a.table.count
    low, high = np.minimum(left, right), np.maximum(left, right)
    key, at = np.unique((true * k + low) * k + high, return_inverse=True)
    items = np.bincount(at, count)
    true, low, high = key // (k * k), key // k % k, key % k
    start = [_margins(true, side, items, k) for side in (high, low)]
    differ = low != high
    true, low, high, items = true[differ], low[differ], high[differ], items[differ].astype(int)
    # what columns, hits and distances gain and lose when items move from ``high`` to ``low``
    columns = [(low, None), (high, None)]
    hits = [(low, true == low), (high, true == high)]
    sums = Sums([*columns, *hits, (np.abs(true - low), None), (np.abs(true - high), None)], k)
    step = max(1, min(replicates, CHUNK // max(len(items), 1)))
    with progress(replicates, replicates * len(items)) as advance:
        for done in range(0, replicates, step):
            size = min(step, replicates - done)
            moved = sums(rng.binomial(items, 0.5, (size, len(items))))
            change = [near - far for near, far in zip(moved[::2], moved[1::2], strict=True)]
            yield _shifted(start[0], change, 1), _shifted(start[1], change, -1)
            advance(size)


def _margins(true: Array, predicted: Array, count: Array, k: int) -> Margins:
    hits = np.where(true == predicted, count, 0.0)
    distance = np.abs(true - predicted)
    codes = ((true, count), (predicted, count), (true, hits), (distance, count))
    return Margins(*(np.bincount(code, value, k) for code, value in codes))


def _shifted(start: Margins, change: Sequence[Array], sign: int) -> Margins:
    columns, hits, distances = (sign * x for x in change)
    rows = np.broadcast_to(start.rows, columns.shape)
    return Margins(rows, start.columns + columns, start.hits + hits, start.distances + distances)


def _by_cluster(
    a: Frozen, b: Frozen, replicates: int, rng: np.random.Generator
) -> Iterator[tuple[Margins, Margins]]:
    table, cluster = a.table, a.table.cluster
    left, right = table.predicted, b.table.predicted
    k = max(table.classes, b.table.classes)
    both = [np.concatenate(pair) for pair in ((left, right), (right, left))]
    true = np.concatenate([table.true, table.true])
    summed = Summed(true, both, k)
    groups = table.clusters
    step = max(1, min(replicates, CHUNK // (len(true) + groups)))
    with progress(replicates, replicates * len(true)) as advance:
        for done in range(0, replicates, step):
            size = min(step, replicates - done)
            swap = rng.integers(0, 2, (size, groups))[:, cluster]
            count = np.concatenate([table.count * (1 - swap), table.count * swap], 1)
            one, other = summed(count)
            yield one, other
            advance(size)


def mcnemar(definition: Definition, a: Frozen, b: Frozen) -> McNemar | None:
    """McNemar's test; None unless both scores are shares of the same, single items."""
    table = a.table
    if not single_items(table):
        return None
    left, right = share_of_items(definition, a), share_of_items(definition, b)
    if left is None or right is None:
        return None
    if not np.array_equal(np.isnan(left.success), np.isnan(right.success)):
        return None
    only_a = int(table.count[(left.success == 1) & (right.success == 0)].sum())
    only_b = int(table.count[(left.success == 0) & (right.success == 1)].sum())
    return mcnemar_test(only_a, only_b)


def mcnemar_test(only_a: int, only_b: int) -> McNemar:
    """The test of two discordant counts."""
    n, least = only_a + only_b, min(only_a, only_b)
    if n == 0:
        return McNemar(only_a, only_b, 1.0, 1.0, 1.0)
    from scipy.special import bdtr, gammaln

    tail = float(bdtr(least, n, 0.5))
    choose = gammaln(n + 1) - gammaln(least + 1) - gammaln(n - least + 1)
    here = float(np.exp(choose - n * np.log(2)))
    exact = min(1.0, 2 * tail)
    mid = 1.0 if only_a == only_b else min(1.0, 2 * tail - here)
    chi2 = 2 * _NORMAL.cdf(-abs(only_a - only_b) / sqrt(n))
    return McNemar(only_a, only_b, exact, mid, chi2)
