"""Sample and Statistic: the units that are drawn, and a score as a function of them.

All measures of uncertainty work on these two: delta intervals, the bootstrap, paired tests. A unit
is a cell of the confusion matrix, a kind of items that are alike, or a single item; drawing units
by their counts is drawing items, at a cost that does not grow with their number.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import takewhile
from math import hypot, inf, sqrt
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from whichf1 import kernel
from whichf1.errors import WeightError
from whichf1.statistics.scales import (
    LEAST,
    NONE,
    Proportion,
    Rate,
    Smoothed,
    Spread,
    TwoRates,
    spread_of,
    tested_spread,
)
from whichf1.tables.cells import Array, in_range
from whichf1.tables.records import dataclass

Part = TypeVar("Part")
CHUNK = 1 << 18
"""Numbers drawn at a time, so that they fit into the cache."""
WIDE_CHUNK = 1 << 22
"""How many whole numbers of replicates are kept at a time."""
MOST_COINS = 1 << 12
"""Units with more items than this are not swapped by flipping a coin for each item."""
LONG = 1 << 25
"""From this many draws on (about a second), a terminal shows a progress bar."""
MANY = 1 << 17
"""From this many items on, work is shared by threads."""
FEW = 10
"""With fewer items in a class, no method is known to be valid for a mean over classes."""
FEW_WEIGHTED = 20
"""For a test with weights, the effective number of items of a class should be at least this."""
FEW_IN_MEANS = 60
"""The same for scores in which a rare class counts as much as others: sums of weights do not show
how unequal those of its few errors are."""
FEW_HITS = 5
FEW_CLUSTERS = 8
LEAST_CLUSTERED = 2.0
"""The least degrees of freedom of a spread of clusters."""
UNEQUAL = 1.5
"""How many times larger Σw⁴ may be than that of equal weights with the same Σw and Σw².

The degrees of freedom depend on how unequal the weights of a cell are, which sums do not show.
"""
MANY_SEEN = 20.0
"""With many more items than this of the rarer kind, their weights are known."""
DISPUTED = 0.25
"""How many items on which two systems disagree are added for a test."""
LEAST_FREEDOM = 6.0
"""The least degrees of freedom of a smoothed score, whose added item keeps them from vanishing."""
_BLOCK = 1 << 13
"""Units processed at a time: they fit in the cache, and a dot product of so few is not threaded."""
_TINY = float(np.finfo(float).tiny)
_STEP = 1e-2
"""The largest relative change of a count, for a second derivative."""


class Drawn:
    """How often each unit is drawn in some replicates.

    Whole numbers are kept as ``rows`` (units or clusters, replicates), which kernels add up;
    ``count`` has the same for any arithmetic.
    """

    def __init__(
        self, sample: Sample, rows: Array | None = None, count: Array | None = None
    ) -> None:
        self.sample, self.rows, self._count = sample, rows, count
        if sample.squares is not None:
            self.rows = None

    @cached_property
    def count(self) -> Array:
        """Counts (replicates, units)."""
        if self._count is not None:
            return self._count
        assert self.rows is not None
        across = self.rows.T
        cluster = self.sample.cluster
        if cluster is None:
            return np.ascontiguousarray(across, np.int64)
        count: Array = across[:, cluster] * self.sample.count
        return count

    def entries(self, units: Array) -> tuple[Array, Array]:
        """The rows whose sums are those of these units, and how many rows each unit has."""
        cluster = self.sample.cluster
        if cluster is None:
            return units, np.ones(len(units), np.int64)
        times = self.sample.count[units].astype(np.int64)
        return np.repeat(cluster[units], times), times


Swap: TypeAlias = Callable[[Drawn], tuple[Array, Array]]
"""A function from how many of each unit are swapped to the scores of both systems."""


class Disputed(NamedTuple):
    """Pseudo-items on which two systems disagree, half of them in favour of each."""

    parts: Array
    """What each adds to the difference."""
    times: Array
    """How many of them are added, as fractions of an item."""


@dataclass(frozen=True, eq=False)
class Sample:
    """The units that are drawn: how often each occurs, with weights, in clusters, in strata.

    Weighted items of a unit are drawn as S²/Q equal items of weight Q/S (S = Σw, Q = Σw²) with a
    Poisson number of them, which has the mean and variance of resampling the items themselves.
    Clusters are drawn whole.
    """

    count: Array
    """Items of each unit, or the sum of their weights."""
    squares: Array | None = None
    """Sums of squared weights, if items have weights."""
    cluster: Array | None = None
    """The code of each unit's cluster, if items come in clusters."""
    stratum: Array | None = None
    """The class of each unit, if classes are separate samples (as in DeLong's variance)."""

    @cached_property
    def clusters(self) -> int:
        """The number of clusters; 0 if items are not in clusters."""
        return 0 if self.cluster is None else int(self.cluster.max()) + 1

    @property
    def single(self) -> bool:
        """Whether items have neither weights nor clusters."""
        return self.squares is None and self.cluster is None

    @property
    def n(self) -> int | float:
        """The number of items, or the sum of their weights."""
        total = self.count.sum().item()
        return total if self.squares is not None else int(total)

    @property
    def facts(self) -> tuple[tuple[str, Any], ...]:
        """Weights and clusters, as fields of a signature."""
        weighted = () if self.squares is None else (("weighted", True),)
        return weighted if self.cluster is None else (*weighted, ("clusters", self.clusters))

    @property
    def variances(self) -> Array:
        """What a unit adds to a variance: Σw², which is the count if items have no weights."""
        return self.count if self.squares is None else self.squares

    @cached_property
    def equal_items(self) -> tuple[Array, Array]:
        """The number of equal items with the same Σw and Σw², and their weight."""
        return equal_items(self.count, self.variances)

    @cached_property
    def weights_known(self) -> bool:
        """Whether the weight of every item is known, not only sums of several."""
        if self.squares is None or self.cluster is not None:
            return True
        return bool(np.isclose(self.squares, self.count**2, rtol=1e-9).all())

    def refuse_extremes(self) -> None:
        """Raise if products of the weights are too large or too small for a float."""
        if self.squares is not None and in_range(self.count) is not self.count:
            present = self.count[self.count > 0]
            raise WeightError(
                f"the sums of weights range from {present.min():g} to {present.max():g}, too far "
                "from 1 for an interval or a test, which multiply them. Divide all weights by the "
                "same number, which does not change the score, or omit interval=."
            )

    @cached_property
    def typical_weight(self) -> float:
        """Σw² / Σw: ``effective_n`` items of this weight have the same sums."""
        return 1.0 if self.squares is None else float(self.squares.sum() / self.count.sum())

    @property
    def effective_n(self) -> float:
        """(Σw)² / Σw², the effective number of weighted items (Kish 1965)."""
        return float(self.count.sum()) / self.typical_weight

    def few(self, least: float = FEW_CLUSTERS) -> str | None:
        """Too few clusters, or too few that are not much smaller than the others, in words."""
        if self.cluster is None:
            return None
        size = np.bincount(self.cluster, self.count)
        worth = float(size.sum() ** 2 / (size**2).sum())
        if worth >= least:
            return None
        clusters = int((size > 0).sum())
        if clusters < least:
            return f"there are {clusters} clusters"
        return f"the {clusters} clusters are worth {worth:.0f} of equal size"

    def at(self, places: Array | slice) -> Sample:
        """Some of the units."""
        facts = (self.squares, self.cluster, self.stratum)
        return Sample(self.count[places], *[None if x is None else x[places] for x in facts])

    def beside_light_items(self, share: Array, stratum: Array) -> Sample:
        """The same with further items, which have these fractions of the typical weight."""
        weight = share * self.typical_weight
        count, squares = ((self.count, weight), (self.variances, weight**2))
        own = None if self.stratum is None else np.concatenate([self.stratum, stratum])
        return Sample(np.concatenate(count), np.concatenate(squares), stratum=own)

    def draws(
        self, replicates: int, seed: int, wide: bool = False, parts: int = 1
    ) -> Iterator[Drawn]:
        """Replicates of the units, some at a time; clusters are drawn whole.

        ``wide``: as many at a time as is fastest for summing rows; in at least so many parts.
        """
        rng, clusters = generator(seed), self.clusters
        width = len(self.count) + clusters
        if self.squares is not None and self.cluster is None:
            items, weight = self.equal_items
            for size in chunks(replicates, width):
                yield Drawn(self, count=rng.poisson(items, (size, len(items))) * weight)
            return
        n = clusters or int(self.count.sum())
        share = np.full(clusters, 1 / clusters) if clusters else self.count / self.count.sum()
        most = min(self._at_once(wide), -(-replicates * width // parts))
        for size in chunks(replicates, width, most):
            yield self._drawn(kernel.multinomial(rng, n, share, size))

    @cached_property
    def _adds_up(self) -> bool:
        """Whether rows of replicates are summed for each item, unless there are too many."""
        if self.squares is not None:
            return False
        return self.cluster is None or self.n <= 4 * len(self.count)

    def _at_once(self, wide: bool) -> int:
        return WIDE_CHUNK if wide and self._adds_up else CHUNK

    def _drawn(self, rows: Array) -> Drawn:
        """Replicates of the units, or of the clusters."""
        if self._adds_up:
            return Drawn(self, rows)
        assert self.cluster is not None
        return Drawn(self, count=rows.T[:, self.cluster] * self.count)

    def posterior_draws(self, draws: int, seed: int) -> Iterator[Array]:
        """Counts drawn from a Dirichlet posterior, up to a factor, in chunks (some draws, units).

        A unit is the sum of one gamma variable per item; a cluster is a single one, for all its
        items.
        """
        rng, width = generator(seed), len(self.count) + self.clusters
        items, weight = self.equal_items
        for size in chunks(draws, width):
            if self.cluster is not None:
                times = rng.standard_exponential((size, self.clusters))
                yield times[:, self.cluster] * self.count
            elif self.squares is not None:
                yield rng.standard_gamma(items, (size, len(items))) * weight
            else:
                yield rng.standard_gamma(self.count, (size, len(self.count)))

    def swaps(self, replicates: int, seed: int, sums: int = 0) -> Iterator[Drawn]:
        """How many of each unit are swapped at random; clusters are swapped whole.

        ``sums``: how many sums of rows are kept for each replicate; 0 if they are not summed.
        """
        whole = self.cluster is not None or self.squares is not None
        units = self.clusters or len(self.count)
        coins = np.ones(units, np.int64) if whole else self.count.astype(np.int64)
        sequence = np.random.SeedSequence((seed, 0))
        bits = int(sequence.generate_state(1, np.uint64)[0])
        many = np.flatnonzero(coins > MOST_COINS)
        rng = np.random.Generator(np.random.PCG64(sequence))
        first, width = 0, max(len(self.count), units, sums)
        for size in chunks(replicates, width, self._at_once(sums > 0)):
            rows = kernel.flips(np.minimum(coins, MOST_COINS), bits, first, size)
            if len(many):
                rows[many] = rng.binomial(coins[many], 0.5, (size, len(many))).T
            first += size
            if whole and self.cluster is None:
                yield Drawn(self, count=rows.T * self.count)
            else:
                yield self._drawn(rows)

    def beliefs(
        self, draws: int, seed: int, prior: float, differs: Array | None
    ) -> Iterator[tuple[Array, Array]]:
        """Posterior draws of the units' weights, both as they are and with the systems swapped.

        They come from a Dirichlet distribution over the units or, for clusters and single items,
        from the Bayesian bootstrap (Rubin 1981). The prior is worth this many items on which the
        systems differ, half of them swapped, so that it favours neither system.
        """
        rng, cluster = generator(seed), self.cluster
        times, weight = self.equal_items
        if cluster is not None:
            times, weight = np.ones(self.clusters), self.count
        disputed = times if differs is None or cluster is not None else times * differs
        added = prior / 2 * disputed / max(float(disputed.sum()), NONE)
        for size in chunks(draws, 2 * len(self.count)):
            stays, moved = (
                rng.standard_gamma(shape, (size, len(shape))) for shape in (times + added, added)
            )
            if cluster is not None:
                stays, moved = stays[:, cluster], moved[:, cluster]
            yield stays * weight, moved * weight

    def centred(self, slope: Array) -> Array:
        """The effect of an item if the number of items is fixed: the slope minus its mean.

        This only matters with an epsilon in a denominator: multiplying all counts leaves any other
        score unchanged.
        """
        total = np.add.reduce  # faster than the method
        centred: Array = slope - total(self.count * slope) / total(self.count)
        return centred

    def spread(self, slope: Array) -> Spread:
        """The spread of a score, or of a difference, with this ∂score/∂count.

        With s the centred slope, the variance is Σ count·s²; Σ Σw²·s² with weights; and for G
        clusters the sum over clusters of (Σ count·s)², times G/(G − 1).
        """
        slope = self.centred(slope)
        if self.cluster is None:
            if self.squares is None:
                return spread_of(slope, self.count)
            times, weight = self.equal_items
            return spread_of(slope * weight, times)
        sums = np.bincount(self.cluster, self.count * slope)
        if len(sums) < 2:
            return Spread(inf)  # one cluster does not show the spread between clusters
        return spread_of(sums, factor=len(sums) / (len(sums) - 1))

    def powers(self, slope: Array) -> tuple[float, float]:
        """Sums over the items of the second and the fourth powers of their influence."""
        squares = slope * slope
        part = self.variances * squares
        second = float(np.add.reduce(part))
        if self.squares is not None:
            part *= self.equal_items[1] ** 2
        return second, float(np.dot(part, squares))

    def smoothed_spread(
        self,
        slope: Callable[[slice], Array],
        added: tuple[float, float],
        classes: Array | None = None,
    ) -> Spread:
        """The spread with an added item that has these powers; slopes are computed in blocks.

        The degrees of freedom are Satterthwaite's (1946): rare items with a large influence make
        the spread itself uncertain. ``classes``: the true class of each unit, for clusters.
        """
        if self.cluster is not None:
            return self._spread_of_clusters(slope(slice(None)), added[0], classes)
        second, fourth = added
        for start in range(0, len(self.count), _BLOCK):
            block = slice(start, start + _BLOCK)
            part = self if len(self.count) <= _BLOCK else self.at(block)
            more = part.powers(slope(block))
            second, fourth = second + more[0], fourth + more[1]
        return self.spread_of_powers(second, fourth)

    def spread_of_powers(self, second: float, fourth: float) -> Spread:
        """The spread with these sums of powers of the items' influence, and of an added one."""
        uncertain = fourth - second**2 / (self.effective_n + 1)
        freedom = max(2 * second**2 / uncertain, LEAST_FREEDOM) if uncertain > 0 else inf
        return Spread(sqrt(second), freedom=freedom)

    def smoothed_rate(self, success: Array) -> tuple[float, Spread]:
        """The fraction of successes and its spread, with half a success and half a failure more."""
        weight, n = self.typical_weight, float(self.count.sum())
        mean = (float(self.count @ success) + weight / 2) / (n + weight)
        slope = (success - mean) / (n + weight)
        gain, loss = (weight * x / (n + weight) for x in (1 - mean, mean))
        added = ((gain**2 + loss**2) / 2, (gain**4 + loss**4) / 2)
        return mean, self.smoothed_spread(lambda block: slope[block], added)

    def rate(self, success: Array) -> Rate:
        """The fraction of successes, and how many single items would estimate it equally well.

        If errors happen to have small weights, this number would be too large; it is at most the
        effective number of items, unless many errors show that they do have small weights.
        """
        n = float(self.count.sum())
        if not n:
            return Rate(0.0, 0.0)
        value = float(self.count @ success) / n
        if self.squares is None:
            return Rate(value, n)
        if np.allclose(self.squares, self.typical_weight * self.count, 1e-12, 0.0):
            return Rate(value, self.effective_n)  # equal weights are only a different unit
        mean, spread = self.smoothed_rate(success)
        worth = mean * (1 - mean) / spread.error**2 - 1
        rarer = min(
            float(self.count @ side) ** 2 / max(float(self.squares @ side), _TINY)
            for side in (success, 1 - success)
        )
        shown = rarer**2 / (rarer**2 + MANY_SEEN**2)
        most = self.effective_n * max(worth / self.effective_n, 1.0) ** shown
        return Rate(value, worth, spread.freedom, most)

    def _spread_of_clusters(self, slope: Array, added: float, classes: Array | None) -> Spread:
        """The jackknife over clusters, linearized.

        Without a cluster, whose items are a fraction h of their class, the score is off by the sum
        of their slopes over 1 − h. The spread is uncertain because clusters are few or of unequal
        size (Bell and McCaffrey's degrees of freedom), and because few of them may have errors
        (Satterthwaite's): the squares of both uncertainties add up.
        """
        assert self.cluster is not None
        times, parts = self.count / self.typical_weight, self.count * slope
        size = np.bincount(self.cluster, times)
        present = size > 0
        size = size[present]
        if len(size) < 2:
            return Spread(inf)  # one cluster does not show the spread between clusters
        sums = np.bincount(self.cluster, parts)[present]
        left_out = parts / (1 - shares_of_clusters(self.cluster, classes, times))
        off = np.bincount(self.cluster, left_out)[present]
        error = (1 - 1 / len(size)) * float(np.dot(off, off)) + added
        if classes is not None:
            size = np.bincount(self.cluster, times * _importance(slope, times, classes))[present]
        uncertain = hypot(
            1 / self._freedom_of_clusters(slope, size, sums, added),
            1 / degrees_of_freedom(off, np.ones(len(off))),
        )
        freedom = max(1 / uncertain, LEAST_CLUSTERED) if uncertain > 0 else inf
        return Spread(sqrt(error), freedom=freedom)

    def _freedom_of_clusters(
        self, slope: Array, size: Array, sums: Array, added: float = 0.0
    ) -> float:
        """Bell and McCaffrey's degrees of freedom, for clusters of these sizes and sums of slopes.

        How alike the items of a cluster are is estimated from the sums; the rest depends on the
        sizes alone.
        """
        total = float(size.sum()) + 1
        single = self.typical_weight * float((self.count * slope**2).sum()) + added
        pairs = single * float(np.dot(size, size) - size.sum())
        alike = total * (float(np.dot(sums, sums)) - single) / pairs if pairs > 0 else 0.0
        variances = size * (1 + (size - 1) * min(max(alike, 0.0), 1.0))
        return leverage_freedom(size / total, variances)

    def tested_spread(self, slope: Array, disputed: Disputed | None = None) -> Spread:
        """The spread of a difference with this ∂difference/∂count, for a test.

        The sample, or each class as a separate one, has its own n/(n − 1); clusters are left out
        one by one, as in the jackknife. ``disputed`` are added pseudo-items.
        """
        slope = self.centred(slope)
        if self.cluster is not None:
            return self._tested_spread_of_clusters(slope)
        times, weight = self.equal_items
        stratum = np.zeros(len(times), np.intp) if self.stratum is None else self.stratum
        n = np.maximum(self._effective_sizes(stratum)[stratum], 1.0)
        if (n[times > 0] <= 1 + NONE).any():
            return Spread(inf)  # the variance of a class of one item is unknown
        parts = slope * weight * np.sqrt(n / np.maximum(n - 1, NONE))
        if disputed is not None:
            parts = np.concatenate([parts, disputed.parts])
            times = np.concatenate([times, disputed.times])
        if self.weights_known:
            return tested_spread(parts, times)
        # the skewness of sums of unequal weights is unknown
        return tested_spread(parts, times, UNEQUAL)._replace(skew=None)

    def _tested_spread_of_clusters(self, slope: Array) -> Spread:
        """The same for clusters. Their degrees of freedom depend on the sizes of the clusters, and
        hardly on what happened in the largest of them.
        """
        assert self.cluster is not None
        size = np.bincount(self.cluster, self.count / self.typical_weight)
        present = size > 0
        size, sums = size[present], np.bincount(self.cluster, self.count * slope)[present]
        if len(sums) < 2:
            return Spread(inf)  # one cluster does not show the spread between clusters
        parts = sums / (1 - size / size.sum()) * sqrt(1 - 1 / len(sums))
        freedom = max(self._freedom_of_clusters(slope, size, sums), LEAST_CLUSTERED)
        return tested_spread(parts, np.ones(len(parts)))._replace(freedom=freedom)

    def error(self, slope: Array) -> float:
        """The standard error of a score, or of a difference, with this ∂score/∂count."""
        if self.stratum is None or self.cluster is not None:
            return self.spread(slope).error
        return self._stratified_error(self.centred(slope))

    def _stratified_error(self, slope: Array) -> float:
        """Each class is a separate sample, with its own n/(n − 1)."""
        stratum, variances = self.stratum, self.variances
        sizes = self._effective_sizes(stratum)
        present = sizes > 0
        if (sizes[present] <= 1).any():
            return inf  # the variance of a class of one item is unknown
        factor = np.divide(sizes, sizes - 1, out=np.zeros(len(sizes)), where=present)
        return sqrt(float((factor[stratum] * variances * slope**2).sum()))

    def _effective_sizes(self, stratum: Any) -> Array:
        """The effective number of items of each class: (Σw)² / Σw²."""
        total: Array = np.bincount(stratum, self.count)
        if self.squares is None:
            return total
        sizes: Array = total**2 / np.maximum(np.bincount(stratum, self.squares), _TINY)
        return sizes

    def stratified_spread(self, statistic: Statistic) -> Spread:
        """The spread, with curvature, of a score whose classes are separate samples."""
        slope = self.centred(statistic.slope(self.count))
        spread = self.spread(slope)
        if not 0 < spread.error < inf:
            return spread
        error = self._stratified_error(slope) if self.cluster is None else spread.error
        times, parts, _ = self._drawn_parts(slope)
        curvature = self.curvature(statistic, slope)
        freedom = max(degrees_of_freedom(parts, times), LEAST)
        return Spread(error, spread.skew, curvature, freedom)

    def _drawn_parts(self, slope: Array) -> tuple[Array, Array, Array]:
        """How many items or clusters are drawn at once, what each adds, and that of each unit."""
        if self.cluster is None:
            times, weight = self.equal_items
            return times, slope * weight, slope * weight
        parts = np.bincount(self.cluster, self.count * slope)
        return np.ones(len(parts)), parts, parts[self.cluster]

    def curvature(self, statistic: Statistic, slope: Array, at: int = 0) -> float:
        """The second derivative of one of the values along the influences of what is drawn, over
        the cube of their root sum of squares.
        """
        times, parts, along = self._drawn_parts(slope)
        cube: float = float((times * parts**2).sum()) ** 1.5
        if cube == 0:
            return 0.0  # nothing that is drawn has an influence
        return _second_derivative(statistic, self.count, along, at) / cube


class Share(NamedTuple):
    """The role of each unit in a score that is a fraction of items."""

    success: Array
    """For each unit: 1 for a success, 0 for a failure, NaN if it does not count."""
    gain: float = 1.0
    """The score is gain·J / (gain·J + loss·(1 − J)), with J the fraction of successes."""
    loss: float = 1.0
    rising: Callable[[float], float] | None = None
    """The score as another increasing function of J."""

    def score(self, j: float) -> float:
        """The score at a fraction of successes."""
        if self.rising is not None:
            return self.rising(j)
        return self.gain * j / (self.gain * j + self.loss * (1 - j))

    def smoothed(self, sample: Sample) -> Proportion | Smoothed:
        """The fraction; for clusters, with half a success and half a failure added."""
        counted = ~np.isnan(self.success)
        sample, success = sample.at(counted), self.success[counted]
        if sample.cluster is None:
            return Proportion(sample.rate(success), self.score)
        mean, spread = sample.smoothed_rate(success)
        return Smoothed(mean, spread, "transformed", score=self.score)


Twin: TypeAlias = Proportion | TwoRates | Smoothed | None
"""What the automatic interval of a score is computed from."""


class Statistic(ABC):
    """One score of one system as a function of how often each unit occurs."""

    adds_rows = False
    """Whether replicates are summed from the rows of ``Drawn``."""

    @abstractmethod
    def values(self, count: Array) -> Array:
        """The values of the score (…, k) for counts (…, units); NaN where it is undefined."""

    @abstractmethod
    def slope(self, count: Array, at: int = 0) -> Array:
        """∂value/∂count of each unit, for one of the values."""

    def few(self, sample: Sample, at: int, careful: bool) -> str | None:
        """What there are too few of for an interval of one of the values, in words.

        ``careful``: for the delta method and the bootstrap, which need more than a smoothed score.
        """
        return None

    @property
    @abstractmethod
    def size(self) -> int:
        """How many numbers one score reads."""

    @abstractmethod
    def beside(self, other: Any) -> Statistic:
        """The score on both systems' units: first those of one, then those of the other."""

    def replicated(self, drawn: Drawn) -> Array:
        """The values (replicates, k) for replicates of the units."""
        return self.values(drawn.count)

    def exchange(self, other: Any, sample: Sample) -> Swap:
        """The scores of two systems after some of the units are swapped between them."""
        both = self.beside(other)
        return lambda moved: both.exchanged(sample.count - moved.count, moved.count)

    def exchanged(self, stays: Array, moved: Array) -> tuple[Array, Array]:
        """The scores of two systems beside each other, after units are swapped."""
        left, right = (self.values(np.concatenate(x, 1)) for x in ((stays, moved), (moved, stays)))
        return left, right

    @property
    def right(self) -> Array | None:
        """Whether the system is right about each unit; None if there is no right or wrong."""
        return None

    def differs(self, other: Any) -> Array | None:
        """Whether two systems predict differently for each unit; None if they only score."""
        return None

    @property
    def right_and_wrong(self) -> tuple[Array, Array] | None:
        """∂value/∂count of an item of each class that is right, and of one that is wrong.

        None if the score does not distinguish classes.
        """
        return None

    def disputed(self, other: Any, sample: Sample) -> Disputed | None:
        """Pseudo-items for a test of the difference, where few items can decide, if there are any.

        A quarter of an item is spread over the classes, and each system is right about half of it:
        a rare class may have no item on which the systems differ, and yet decide a mean of classes.
        """
        one, two = self.right_and_wrong, other.right_and_wrong
        if one is None or two is None or sample.cluster is not None:
            return None
        parts = np.concatenate([one[0] - two[1], one[1] - two[0]])
        return Disputed(parts * sample.typical_weight, np.full(len(parts), DISPUTED / len(parts)))

    def paired_few(self, other: Any, sample: Sample) -> str | None:
        """What there are too few of for a test of the difference, in words."""
        return self.few(sample, 0, False) or other.few(sample, 0, False)

    def share(self, at: int = 0) -> Share | None:
        """The role of each unit in the score; None if the score is not a fraction of items."""
        return None

    def with_prior(self, sample: Sample, items: float) -> tuple[Statistic, Sample]:
        """The same with this many items of a prior added, if the units are cells."""
        return self, sample

    def smoothed(self, sample: Sample) -> tuple[Array, list[Twin]]:
        """The values, and the smoothed twin of each; None if only the delta method applies."""
        values = self.values(sample.count)
        shares = (self.share(at) for at in range(len(values)))
        return values, [None if share is None else share.smoothed(sample) for share in shares]

    def spreads(self, sample: Sample) -> tuple[Array, list[Spread]]:
        """The values, and the spread of each."""
        values = self.values(sample.count)
        if sample.stratum is not None:
            return values, [sample.stratified_spread(self)]
        return values, [sample.spread(self.slope(sample.count, at)) for at in range(len(values))]


class Itemwise(Statistic):
    """A score whose units are items, which may be alike."""

    items: int

    @property
    def size(self) -> int:
        """How many items one score reads."""
        return self.items

    @abstractmethod
    def marks(self) -> list[Array]:
        """What distinguishes kinds of items."""

    @abstractmethod
    def at(self, places: Array) -> Itemwise:
        """The score of some of the items."""


def there_are(n: float, what: str) -> str:
    """How many there are of something, a plural, in words."""
    number = f"{n:.3g}"
    return f"there is 1 {what[:-1]}" if number == "1" else f"there are {number} {what}"


def fewest(
    size_of: Callable[[str], Array], name_of: Callable[[int], Any], least: Mapping[str, float]
) -> str | None:
    """The class that has the fewest of something, if that is below the minimum."""
    for what, enough in least.items():
        if enough <= 0:
            continue
        size = size_of(what)
        at = int(size.argmin()) if len(size) else -1
        if at >= 0 and size[at] < enough:
            number = f"{float(size[at]):.3g}"
            one = {"misses": "miss"}.get(what, what[:-1])
            return f"class {name_of(at)} has {number} {one if number == '1' else what}"
    return None


def kinds(statistics: Sequence[Statistic], sample: Sample) -> tuple[Sequence[Statistic], Sample]:
    """Group items that are alike for all systems into kinds of items, in sorted order.

    Draws then do not depend on the order of items, or on where they were grouped. Items with
    weights but without clusters stay single, and are drawn as such.
    """
    of_items = [each for each in statistics if isinstance(each, Itemwise)]
    if len(of_items) < len(statistics):  # units are already kinds
        return statistics, sample
    marks = [mark for each in of_items for mark in each.marks()]
    columns = [x for x in (sample.stratum, *marks, sample.cluster) if x is not None]
    alone = sample.squares is not None and sample.cluster is None
    order, new = _in_order([*columns, sample.count] if alone else columns)
    first = np.flatnonzero(new | alone)
    places = order[first]
    count = np.add.reduceat(sample.count[order], first)
    squares = None if sample.squares is None else np.add.reduceat(sample.squares[order], first)
    grouped = replace(sample.at(places), count=count, squares=squares)
    return [each.at(places) for each in of_items], grouped


def _in_order(marks: Sequence[Array]) -> tuple[Array, Array]:
    """The items in the order of their marks, and whether each differs from the one before."""
    for some in (marks[:2], marks):  # two often distinguish all items
        order = np.lexsort(some[::-1])
        new = np.zeros(len(order), bool)
        new[0] = True
        for mark in some:
            ranked = mark[order]
            new[1:] |= ranked[1:] != ranked[:-1]
        if new.all():
            break
    return order, new


def equal_items(count: Array, squares: Array) -> tuple[Array, Array]:
    """How many equal items have these sums of weights and of squared weights, and their weight."""
    known = count > 0
    weight = np.divide(squares, count, out=np.zeros(count.shape), where=known)
    return np.divide(count, weight, out=np.zeros(count.shape), where=known), weight


def degrees_of_freedom(parts: Array, times: Array) -> float:
    """The degrees of freedom of a variance: 2 V² / Var(V), after Satterthwaite (1946)."""
    squares = parts * parts
    each = times * squares  # no dot product, for which BLAS would start threads
    square = float(each.sum())
    uncertain = float((each * squares).sum()) - square**2 / float(times.sum())
    return 2 * square**2 / uncertain if uncertain > 0 else inf


def shares_of_clusters(cluster: Array, classes: Array | None, times: Array) -> Array:
    """For each unit, its cluster's fraction of the items of its class, with one item added.

    That item is spread evenly over the classes; without classes, all items belong to one.
    """
    if classes is None:
        size: Array = np.bincount(cluster, times)
        shares: Array = (size / (size.sum() + 1))[cluster]
        return shares
    _, at = np.unique(cluster * (int(classes.max()) + 1) + classes, return_inverse=True)
    sizes: Array = np.bincount(classes, times)
    larger = sizes + 1 / max(int((sizes > 0).sum()), 1)
    shares = np.bincount(at, times)[at] / larger[classes]
    return shares


def _importance(slope: Array, times: Array, classes: Array) -> Array:
    """How much an item of each unit's class matters to a score, scaled so that all sum to the
    effective number of items: those of a rare class may decide almost alone.
    """
    sizes = np.bincount(classes, times)
    squares = np.bincount(classes, times * slope**2)
    each: Array = np.divide(squares, sizes, out=np.zeros(len(sizes)), where=sizes > 0)
    square = float(np.dot(sizes, each**2))
    if not square:
        return np.ones(len(times))
    return (each * (float(np.dot(sizes, each)) / square))[classes]


def leverage_freedom(share: Array, variances: Array) -> float:
    """The degrees of freedom of a jackknife over clusters (Bell and McCaffrey 2002).

    Each cluster has a fraction of the items, and its sum has a variance. They are (Σ B_gg v_g)²
    over ΣΣ B_gh² v_g v_h with B = (I − h1ᵀ)ᵀ diag(1 / (1 − h)) (I − h1ᵀ), without building a
    matrix.
    """
    lever = 1 / (1 - share)
    own, common = lever * share, float((lever * share**2).sum())
    other = common / 2 - own  # B_gh = other_g + other_h, and the lever if g is h
    trace = float(((lever + 2 * other) * variances).sum())
    squares = (
        2 * variances.sum() * (variances * other**2).sum() + 2 * (variances * other).sum() ** 2
    )
    squares += (variances**2 * ((lever + 2 * other) ** 2 - (2 * other) ** 2)).sum()
    return trace**2 / float(squares) if squares > 0 else inf


def _second_derivative(statistic: Statistic, count: Array, along: Array, at: int) -> float:
    """The curvature of a value when each count changes by these fractions of itself."""
    step = _STEP / float(np.abs(along).max())
    here, low, high = (  # the value of the counts themselves comes first: it is known already
        float(statistic.values(count * (1 + sign * step * along) if sign else count)[..., at])
        for sign in (0, -1, 1)
    )
    return (low - 2 * here + high) / step**2


def in_threads(work: Callable[[Any], Any], parts: Sequence[Any], size: int) -> list[Any]:
    """What ``work`` gives for each part in order; in threads if a part has very many items."""
    threads = min(kernel.THREADS, len(parts))
    if size < MANY or threads < 2:
        return [work(part) for part in parts]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        return [*pool.map(work, parts)]


def alongside(
    work: Callable[[], Any], parts: Iterable[Array], size: int
) -> tuple[Any, list[Array]]:
    """What ``work`` returns, and parts, computed in a thread meanwhile if they are very large.

    If the work raises an error, the thread stops before the next part.
    """
    if size < MANY or kernel.THREADS < 2:
        return work(), [*parts]
    from concurrent.futures import ThreadPoolExecutor

    ended = False
    with ThreadPoolExecutor(1) as pool:
        computed = pool.submit(lambda: [*takewhile(lambda _: not ended, parts)])
        try:
            return work(), computed.result()
        finally:
            ended = True


def ahead(parts: Iterator[Part]) -> Iterator[Part]:
    """The parts in order, of which a thread computes the next ones meanwhile.

    It always has a further one to compute, so that it never waits for the one who takes the parts.
    """
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(1)
    try:
        waiting = deque(pool.submit(next, parts, None) for _ in range(2))
        while (part := waiting.popleft().result()) is not None:
            waiting.append(pool.submit(next, parts, None))
            yield part
    finally:
        pool.shutdown(cancel_futures=True)


def generator(seed: int) -> np.random.Generator:
    """The generator of a seed, which does not depend on the machine or on NumPy's default."""
    return np.random.Generator(np.random.PCG64(seed))


def chunks(replicates: int, width: int, most: int = CHUNK) -> Iterator[int]:
    """How many replicates are drawn at a time, with a progress bar if it takes long."""
    step = max(1, min(replicates, most // max(width, 1)))
    whole, rest = divmod(replicates, step)
    sizes = [step] * whole + [rest] * (rest > 0)
    if replicates * width < LONG:
        yield from sizes
        return
    from whichf1.statistics.progress import advancing, working

    with working("resampling", replicates) as work:
        advance = advancing(work)
        for size in sizes:
            yield size
            advance(size)
