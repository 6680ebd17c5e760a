"""How often do the tests of ``study`` reject where there is no difference, at a level of 5 %?

Runs differ by their seeds, items by how hard they are, also for one system alone, and data sets by
what suits a system. Folds are those of classifiers that are really trained, two of the same kind on
different features that say equally much. Beside each test stands what ignores the
structure. Power is that against a difference of some points of accuracy; coverage is that of the
interval of a mean over runs. The test of the models that were trained is held against its own null,
their true difference, which is known from the distribution of the items. Learners differ in how
much their accuracy varies with the training set, beside how much it varies with the test items.

Run: python benchmarks/study.py [--sets 2000] [--seed 2026] [--only runs] [--page] [--speed]
Appends the cells of this seed that study.csv lacks, so that it can be interrupted. Once it has all
of them, rows of other seeds are dropped, and the tables in docs/studies.md are written.
"""

from __future__ import annotations

import argparse
import csv
import io
import re
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

import numpy as np
from scipy.special import expit, ndtr, stdtr

from whichf1.comparison.crossed import Crossed, between_models, cross, sums_of_folds
from whichf1.comparison.data_sets import compare_data_sets, rank_data_sets
from whichf1.comparison.folds import FoldPair, compare_folds, corrected_spread
from whichf1.comparison.runs import compare_runs, mean_of_runs, steady_errors
from whichf1.comparison.significance import t_p
from whichf1.comparison.study import StudyPlan, plan_study, study, trials
from whichf1.tables.labels import Labels
from whichf1.tables.trials import DataSet, RunKey

HERE = Path(__file__).parent
PAGE, TABLE = HERE.parent / "docs" / "studies.md", HERE / "study.csv"
LEVEL, BAND = 0.05, (0.035, 0.065)
EASE = 1.2
"""The log odds of a right answer."""
SOURCES = {"runs": (0.2, 0.0, 0.0), "items": (0.0, 1.5, 1.0), "both": (0.2, 1.5, 1.0)}
"""Standard deviations, on the scale of log odds: of runs, of items, and of items for a system."""
SHIFT = 0.25
"""The difference for which power is computed, in log odds."""
PLAN = StudyPlan(replicates=0)
ACCURACY, _ = plan_study("accuracy", {}, None, {})
CLASSES = Labels(range(2))


class Row(NamedTuple):
    """The outcome of a test in a cell."""

    family: str
    n: int
    runs: int
    data_sets: int
    folds: int
    variance: str
    test: str
    seed: int
    sets: int
    rejected: float
    """The share of data without a difference for which p < 0.05; of intervals, what they cover; of
    variances, the mean of the estimates over the true variance."""
    power: float


def seeded(*parts: Any) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(repr(parts).encode()))


def share(of: list[bool]) -> float:
    return float(np.mean(of))


class Rejections:
    """How often each test rejects: without a difference, and with one."""

    def __init__(self) -> None:
        self.tests: dict[str, tuple[list[bool], list[bool]]] = {}

    def add(self, side: int, p: Mapping[str, float | None]) -> None:
        """The p-values of one simulated study; None: the test says nothing."""
        for test, value in p.items():
            self.tests.setdefault(test, ([], []))[side].append(value is not None and value < LEVEL)

    def rows(self, family: str, cell: Cell, seed: int) -> Iterator[Row]:
        for test, (null, other) in self.tests.items():
            yield cell.row(family, test, seed, null, share(other))


def correct(
    rng: np.random.Generator, n: int, runs: int, variance: str, ease: Any, systems: int = 2
) -> Any:
    """Whether each run of each system is right about each item (systems, runs, items)."""
    of_run, of_item, of_both = SOURCES[variance]
    odds = np.asarray(ease, np.float32)[:, None, None]
    if of_run:
        odds = odds + np.float32(of_run) * normal(rng, (systems, runs, 1))
    if of_item:
        odds = odds + np.float32(of_item) * normal(rng, n)
        odds = odds + np.float32(of_both) * normal(rng, (systems, 1, n))
    return rng.random((systems, runs, n), np.float32) * (1 + np.exp(-odds)) < 1


def normal(rng: np.random.Generator, shape: Any) -> Any:
    return rng.standard_normal(shape, np.float32)


def crossed_of(right: Any, folds: Any = None, check: bool = False) -> Crossed:
    """What ``cross`` makes of the accuracy of runs that are right about these items.

    It leaves out all reading and counting, which take most of its time. ``check`` compares both.
    """
    systems, runs, n = right.shape
    flat = right.reshape(systems * runs, n).astype(float)
    keys = tuple(RunKey("ABC"[at], str(run)) for at in range(systems) for run in range(runs))
    by_fold = shares = between = None
    values = flat.mean(1)
    parts = (flat - values[:, None]) / n * np.sqrt(n / (n - 1))
    if folds is not None:
        every = np.tile(folds, (systems, 1))
        size = int(folds.max()) + 1
        sizes, hits = (sums_of_folds(x, every, size) for x in (np.ones(every.shape), flat))
        by_fold, shares = hits / sizes, sizes / n
        values = by_fold.mean(1)
        rows = np.arange(len(flat))[:, None]
        parts = (flat - values[:, None]) / sizes[rows, every] / size * np.sqrt(n / (n - 1))
        between = between_models(keys, parts, by_fold, every, None)
    means = {"ABC"[at]: parts[at * runs : (at + 1) * runs].mean(0) for at in range(systems)}
    made = Crossed(
        *("", ACCURACY, CLASSES, keys, values, by_fold, shares, means, parts @ parts.T),
        *(None, n),
        between=between,
    )
    if check:
        data = DataSet(
            *(CLASSES, True, np.arange(n), np.ones(n, np.int32), keys),
            right.reshape(-1, n).astype(np.int32),
            folds=None if folds is None else np.tile(folds, (systems, 1)).astype(np.int32),
            fold_names=None if folds is None else Labels(range(int(folds.max()) + 1)),
        )
        whole = cross("", data, ACCURACY)
        for name in ("values", "folds", "shares", "covariance"):
            ours, theirs = getattr(made, name), getattr(whole, name)
            assert ours is theirs is None or np.allclose(ours, theirs, rtol=1e-9, atol=1e-15), name
        for ours, theirs in zip(made.between or (), whole.between or (), strict=True):
            assert np.allclose(ours, theirs, rtol=1e-9, atol=1e-12)
    return made


def paired_t(right: Any) -> float:
    """The p-value of a t test over all items of all runs, as if they were different items."""
    first, second = right
    n, unlike = first.size, np.count_nonzero(first != second)
    mean = (np.count_nonzero(first) - np.count_nonzero(second)) / n
    variance = (unlike / n - mean**2) / (n - 1)
    return float(2 * stdtr(n - 1, -abs(mean) / np.sqrt(variance))) if variance > 0 else 1.0


def true_score(variance: str) -> float:
    """The expected accuracy."""
    spread = np.sqrt(np.sum(np.square(SOURCES[variance])))
    z, weights = np.polynomial.hermite_e.hermegauss(80)
    return float(weights @ expit(EASE + spread * z) / weights.sum())


def runs_cell(cell: Cell, sets: int, seed: int) -> Iterator[Row]:
    rng = seeded(seed, cell)
    found, covered, truth = Rejections(), [], true_score(cell.variance)
    for side, shift in enumerate((0.0, SHIFT)):
        for at in range(sets):
            right = correct(rng, cell.n, cell.runs, cell.variance, [EASE + shift, EASE])
            crossed = crossed_of(right, check=not at)
            p = {
                "matched runs": compare_runs(crossed, "A", "B", ACCURACY, PLAN, True).p_value,
                "unmatched runs": compare_runs(crossed, "A", "B", ACCURACY, PLAN, False).p_value,
                "ignoring runs: one run": paired_t(right[:, :1]),
                "ignoring runs: all stacked": paired_t(right),
            }
            found.add(side, p)
            if not shift:
                covered.append(contains(mean_of_runs(crossed, "B", ACCURACY).interval, truth))
    yield from found.rows("runs", cell, seed)
    yield cell.row("coverage", "interval", seed, covered)


def contains(interval: Any, truth: float) -> bool:
    return interval is not None and interval.low <= truth <= interval.high


class Learned(NamedTuple):
    """What cross-validation makes of some items."""

    predicted: list[Any]
    """The classes of all items, for each order of the folds."""
    accuracy: float
    """The mean accuracy of all trained models on new items."""


def centroids(x: Any, true: Any, orders: Any, folds: int, strength: float) -> Learned:
    """Nearest centroids, trained on all folds but the item's: a learner that depends on all items.

    New items are normal around ±strength, so that the side of a plane on which they fall is known.
    """
    predicted, accuracy = [], []
    items = np.arange(len(true))
    for fold in orders:
        member = np.zeros((2 * folds, len(true)), np.float32)
        member[2 * fold + true, items] = 1
        sums, sizes = (member @ x).reshape(folds, 2, -1), member.sum(1).reshape(folds, 2)
        low, high = np.moveaxis((sums.sum(0) - sums) / (sizes.sum(0) - sizes)[:, :, None], 1, 0)
        apart = high - low
        middle = ((low + high) / 2 * apart).sum(1)
        predicted.append((x @ apart.T)[items, fold] > middle[fold])
        mean, length = strength * apart.sum(1), np.sqrt((apart * apart).sum(1))
        accuracy.append(ndtr((mean - middle) / length) + ndtr((mean + middle) / length))
    return Learned(predicted, float(np.mean(accuracy)) / 2)


def neighbour(x: Any, true: Any, orders: Any, folds: int, strength: float) -> Learned:
    """The class of the nearest neighbour in another fold: a learner that depends on few items.

    There is one feature, so that a model is a list of limits between the classes.
    """
    x, order = x[:, 0].astype(float), np.argsort(x[:, 0])
    x, true, n = x[order], true[order], len(true)
    every = np.arange(n)
    fold = orders[:, order]  # (repetitions, items)
    known = fold[:, None] != np.arange(folds)[:, None]  # (repetitions, models, items)
    before = np.maximum.accumulate(np.where(known, every, -1), 2)
    after = np.minimum.accumulate(np.where(known, every, n)[:, :, ::-1], 2)[:, :, ::-1]
    rows = np.arange(len(orders))[:, None]
    left, right = before[rows, fold, every], after[rows, fold, every]
    far = np.concatenate([x, [np.inf]])
    near = np.where(x - np.where(left < 0, -np.inf, far[left]) <= far[right] - x, left, right)
    predicted = np.empty((len(orders), n), true.dtype)
    predicted[:, order] = true[near]
    models = before.reshape(-1, n)
    last, place = models[:, :-1], after.reshape(-1, n)[:, 1:]
    limit = known.reshape(-1, n)[:, :-1] & (place < n)  # an item that is known, and the next one
    limit &= true[last] != true[np.minimum(place, n - 1)]
    model, at = np.nonzero(limit)
    halfway = (x[at] + x[place[model, at]]) / 2
    sign = 1.0 - 2.0 * true[place[model, at]]  # 1 if class 1 is on the left
    # the probability of class 1 is that beyond the last limit, and ±P(x < limit) of each limit
    between = ndtr(halfway - strength) - ndtr(halfway + strength)
    gain = np.bincount(model, sign * between, len(models))
    return Learned([*predicted], float((1 + gain).mean()) / 2)


def limit(
    x: Any,
    true: Any,
    orders: Any,
    folds: int,
    strength: float,
    gain: float = 0.0,
    chance: float = 0.0,
) -> Learned:
    """A limit in the first feature, which moves with an estimate from the training items.

    The estimate is that of the mean of the second feature. The limit is not the best one, so that
    accuracy changes with it: by ``gain``, more or less of its variance is due to training sets.
    ``chance`` moves the limit of each model by a seed of its own.
    """
    rng = np.random.default_rng(x[0].view(np.uint32))
    estimate = x[:, 1] * (2 * true - 1) - strength
    predicted, limits = [], []
    for fold in orders:
        sums, sizes = (np.bincount(fold, each, folds) for each in (estimate, np.ones(len(true))))
        own = 1 + gain * (sums.sum() - sums) / (sizes.sum() - sizes)
        own = own + chance * rng.standard_normal(folds)
        predicted.append(x[:, 0] > own[fold])
        limits.append(own)
    every = np.concatenate(limits)
    accuracy = ndtr(strength - every) + ndtr(every + strength)
    return Learned(predicted, float(accuracy.mean()) / 2)


STRETCH = 3.0
"""How much more than class 0 class 1 varies around its mean, for a limit midway."""


def midway(x: Any, true: Any, orders: Any, folds: int, strength: float) -> Learned:
    """A limit midway between the means of two classes, one of which varies more than the other.

    It is not the best limit, so that accuracy changes with each training item, and items that are
    hard to predict are those that move it the wrong way.
    """
    x = strength * (2 * true - 1) + (x[:, 0] - strength * (2 * true - 1)) * np.where(
        true, STRETCH, 1.0
    )
    predicted, limits = [], []
    for fold in orders:
        sums, sizes = (
            np.bincount(2 * fold + true, each, 2 * folds).reshape(folds, 2)
            for each in (x, np.ones(len(true)))
        )
        own = ((sums.sum(0) - sums) / (sizes.sum(0) - sizes)).mean(1)
        predicted.append(x > own[fold])
        limits.append(own)
    every = np.concatenate(limits)
    accuracy = ndtr(every + strength) + ndtr((strength - every) / STRETCH)
    return Learned(predicted, float(accuracy.mean()) / 2)


def stump(x: Any, true: Any, orders: Any, folds: int, strength: float) -> Learned:
    """The one limit in one feature with the fewest training errors: a learner that jumps."""
    known = (orders[:, None] != np.arange(folds)[:, None]).reshape(-1, len(true))
    models, n, signs = np.arange(len(known)), len(true), 2 * true - 1
    best, feature, limit = np.full(len(known), -1), np.zeros(len(known), int), np.zeros(len(known))
    side = np.ones(len(known))
    for at, values in enumerate(x.T.astype(float)):
        order = np.argsort(values)
        here, values = known[:, order], np.append(values[order], np.inf)
        left = np.cumsum(here * signs[order], 1)
        gain = left[:, -1:] - 2 * left  # of class 1 on the right
        place = np.where(here, abs(gain), -1).argmax(1)
        after = np.minimum.accumulate(np.where(here, np.arange(n), n)[:, ::-1], 1)[:, ::-1]
        after = np.append(after[:, 1:], np.full((len(known), 1), n), 1)[models, place]
        found = gain[models, place]
        better = abs(found) > best
        best = np.where(better, abs(found), best)
        feature = np.where(better, at, feature)
        limit = np.where(better, (values[place] + values[after]) / 2, limit)
        side = np.where(better, np.sign(found), side)
    right = (x.T[feature] > limit[:, None]) == (side[:, None] > 0)
    right = right.reshape(len(orders), folds, n)
    own = [each[fold, np.arange(n)] for each, fold in zip(right, orders, strict=True)]
    gain = side * (ndtr(limit + strength) - ndtr(limit - strength))
    return Learned(own, float((1 + gain).mean()) / 2)


EQUAL = 2.14
"""The gain of a limit for which training sets add as much variance to a difference as items."""


class Learner(NamedTuple):
    """A learner, and the features it has."""

    learn: Callable[..., Learned]
    strength: float
    """How far the mean of each feature is from 0."""
    features: int
    grows: bool = False
    """Whether more items have more features, so that single items matter equally much."""


LEARNERS = {
    "limit, 0": Learner(limit, 1.0, 2),
    "limit, 1": Learner(partial(limit, gain=EQUAL), 1.0, 2),
    "limit, 4": Learner(partial(limit, gain=2 * EQUAL), 1.0, 2),
    "limit, seeds": Learner(partial(limit, chance=0.2), 1.0, 2),
    "midway": Learner(midway, 1.0, 1),
    "stump": Learner(stump, 0.7, 3),
    "few centroids": Learner(centroids, 0.3, 10),
    "centroids": Learner(centroids, 0.15, 40, grows=True),
    "neighbour": Learner(neighbour, 1.0, 1),
}
"""The learners; features are those of 200 items."""


class Trained(NamedTuple):
    """Two systems that were cross-validated on the same items, each with features of its own."""

    right: Any
    """Whether each is right about each item (systems, repetitions, items)."""
    folds: Any
    """The fold of each item in each repetition."""
    difference: float
    """That of the accuracy of the models on new items."""


def trained(rng: np.random.Generator, cell: Cell, factor: float) -> Trained:
    learn, strength, features, grows = LEARNERS[cell.variance]
    n, folds = cell.n, cell.folds
    if grows:
        strength, features = strength * np.sqrt(200 / n), features * n // 200
    true = rng.integers(0, 2, n).astype(np.int32)
    signs = (2 * true - 1).astype(np.float32)
    orders = np.stack([rng.permutation(n) % folds for _ in range(cell.runs)])
    predicted: list[Any] = []
    accuracy = []
    for times in (factor, 1.0):
        x = normal(rng, (n, features)) + np.float32(times * strength) * signs[:, None]
        learned = learn(x, true, orders, folds, times * strength)
        predicted += learned.predicted
        accuracy.append(learned.accuracy)
    right = np.stack(predicted).reshape(2, cell.runs, n) == true
    return Trained(right, orders, accuracy[0] - accuracy[1])


CORRECTED, RETRAINED, TRAINED, WITHIN, BY_ITEMS, BY_FOLDS = (
    "corrected resampled t: the algorithms",
    "items and training sets: the algorithms",
    "items: the models trained here",
    "items within folds: the models trained here",
    "ignoring training sets: t over items",
    "ignoring overlap: t of folds",
)


def folds_cell(cell: Cell, sets: int, seed: int) -> Iterator[Row]:
    rng, found = seeded(seed, cell), Rejections()
    intervals: list[Any] = []
    means: list[float] = []
    differences: list[float] = []
    apart: list[float] = []
    within: list[float] = []
    variances: dict[str, list[float]] = {BY_ITEMS: [], CORRECTED: [], RETRAINED: []}
    for side, factor in enumerate((1.0, 1 + 0.4 * np.sqrt(200 / cell.n))):
        for at in range(sets):
            drawn = trained(rng, cell, factor)
            crossed = crossed_of(drawn.right, drawn.folds, check=not at)
            pair = compare_folds(crossed, "A", "B", ACCURACY, None)
            held = contains(pair.models.interval, drawn.difference)
            p = {
                CORRECTED: pair.corrected.p_value,
                TRAINED: pair.models.p_value if side else float(held),
                BY_ITEMS: pair.models.p_value,
                BY_FOLDS: uncorrected(crossed, pair),
            }
            if pair.retrained is not None:
                p[RETRAINED] = pair.retrained.p_value
            found.add(side, p)
            if side:
                continue
            mean = mean_of_runs(crossed, "B", ACCURACY)
            intervals.append(mean.interval)
            means.append(mean.mean)
            differences.append(pair.difference)
            apart.append(pair.difference - drawn.difference)
            within.append(within_folds(drawn))
            for test, of in zip(
                variances, (pair.models, pair.corrected, pair.retrained), strict=True
            ):
                if of is not None and of.standard_error is not None:
                    variances[test].append(of.standard_error**2)
    yield from found.rows("folds", cell, seed)
    truth = float(np.mean(means))
    yield cell.row("fold coverage", "interval", seed, [contains(x, truth) for x in intervals])
    true = float(np.mean(np.square(differences)))
    for test, own in variances.items():
        if own:
            estimated = float(np.mean(own)) / true
            yield Row("fold variance", *cell[1:], test, seed, sets, estimated, np.nan)
    if cell.runs == 1:
        true = float(np.mean(np.square(apart)))
        for test, own in ((TRAINED, variances[BY_ITEMS]), (WITHIN, within)):
            estimated = float(np.mean(own)) / true
            yield Row("fold variance", *cell[1:], test, seed, sets, estimated, np.nan)


def within_folds(drawn: Trained) -> float:
    """The variance of a mean difference, from how items differ within the folds of a repetition."""
    (fold,), (difference,) = drawn.folds[:1], drawn.right[0, :1] - 1.0 * drawn.right[1, :1]
    sizes = np.bincount(fold)
    mean = np.bincount(fold, difference) / sizes
    n = len(fold)
    return float(np.sum((difference - mean[fold]) ** 2) / (n - len(sizes)) / n)


def uncorrected(crossed: Crossed, pair: FoldPair) -> float | None:
    """The p-value of a t test of the differences of folds, as if they were independent."""
    assert crossed.folds is not None
    half = len(crossed.folds) // 2
    differences = (crossed.folds[:half] - crossed.folds[half:]).ravel()
    return t_p(pair.difference, corrected_spread(differences, 0.0))


def sets_cell(cell: Cell, sets: int, seed: int) -> Iterator[Row]:
    rng, found = seeded(seed, cell), Rejections()
    suits = 0.3
    for side, shift in enumerate((0.0, SHIFT)):
        for at in range(sets):
            pairs: list[Any] = []
            scores, stacked = [], []
            for _ in range(cell.data_sets):
                ease = EASE + suits * rng.standard_normal(3) + np.array([shift, 0.0, 0.0])
                right = correct(rng, cell.n, cell.runs, cell.variance, ease, 3)
                crossed = crossed_of(right[:2], check=not at and not pairs)
                pairs.append(compare_runs(crossed, "A", "B", ACCURACY, PLAN, True))
                scores.append(right.mean((1, 2)))
                stacked.append(right[:2].reshape(2, -1))
            ranks = rank_data_sets("ABC", np.array(scores), False, 0.95)
            errors = steady_errors(pairs)
            known = [(x.difference, y) for x, y in zip(pairs, errors, strict=True)]
            (pair,) = compare_data_sets(
                "AB", {("A", "B"): known}, ranks, lower=False, level=0.95, limit=2.0,
                adjust="none", rope=None, seed=0, draws=0,
            )  # fmt: skip
            assert ranks.friedman is not None and pair.meta is not None
            largest = max(ranks.ranks.values()) - min(ranks.ranks.values())
            p = {
                "random effects": pair.meta.p_value,
                "Wilcoxon": pair.p_wilcoxon,
                "Friedman, exact": ranks.friedman.p_value,
                "Friedman, χ²": ranks.friedman.p_chi_square,
                "Iman–Davenport": ranks.friedman.p_f,
                "Nemenyi, any pair": 0.0 if largest > ranks.critical_difference else 1.0,
                "ignoring data sets: all stacked": paired_t(np.concatenate(stacked, 1)),
            }
            found.add(side, p)
    yield from found.rows("data sets", cell, seed)


class Cell(NamedTuple):
    """The settings of a cell."""

    family: str
    n: int
    runs: int
    data_sets: int
    folds: int
    variance: str

    def row(
        self, family: str, test: str, seed: int, null: list[bool], power: float = np.nan
    ) -> Row:
        """The outcome of a test in this cell."""
        return Row(family, *self[1:], test, seed, len(null), share(null), power)

    def rows(self, sets: int, seed: int) -> Iterator[Row]:
        make = {"runs": runs_cell, "folds": folds_cell, "data sets": sets_cell}[self.family]
        return make(self, sets * (MORE if self in PROMISED else 1), seed)


SIZES, RUNS = (200, 1000), (2, 3, 5, 10)
DESIGNS = {
    (1, 10): "10 folds",
    (10, 10): "10 × 10 folds",
    (5, 2): "5 × 2 folds",
    (10, 2): "10 × 2 folds",
}
"""Repetitions and folds of a cross-validation."""
GRID = [
    *(Cell("runs", n, r, 1, 0, x) for n, r, x in product(SIZES, RUNS, SOURCES)),
    *(
        Cell("folds", n, r, 1, k, x)
        for n, (r, k), x in product(SIZES, DESIGNS, LEARNERS)
        if r != 5 or n == SIZES[0]
    ),
    *(Cell("data sets", n, 3, size, 0, x) for n, size, x in product(SIZES, (5, 30), SOURCES)),
]
"""The cells that are simulated, in the order of the table."""
PROMISED = {each for each in GRID if each.family == "runs" or (each.runs, each.folds) == (10, 2)}
"""The cells whose level the page promises, and that cost little …"""
MORE = 5
"""… are simulated so many times as often."""
FAMILY = {"coverage": "runs", "fold coverage": "folds", "fold variance": "folds"}
"""The cells in which further things are computed."""


def cell(row: Row) -> Cell:
    return Cell(FAMILY.get(row.family, row.family), *row[1:6])


def simulate(sets: int, seed: int, only: str | None) -> None:
    """Append the rows of every cell that the table does not have yet.

    Several processes may do so at once with different ``only``.
    """
    if not TABLE.exists():
        TABLE.write_text(",".join(Row._fields) + "\n", encoding="utf-8")
    done = {cell(row) for row in read() if row.seed == seed}
    for each in GRID:
        if each in done or only not in (None, each.family):
            continue
        text = io.StringIO()
        write(each.rows(sets, seed), text)
        print(text.getvalue(), end="", flush=True)
        with open(TABLE, "a", encoding="utf-8", newline="") as file:
            file.write(text.getvalue())


def speed(systems: int = 10, runs: int = 5, data_sets: int = 20, n: int = 10**5) -> str:
    """How long a large study takes, step by step; as a table."""
    rng, names = np.random.default_rng(0), [f"system {at}" for at in range(systems)]

    def predictions(seeds: range) -> Iterator[tuple[str, Any, dict[str, Any]]]:
        for at in range(data_sets):
            true = np.arange(n) % 3
            yield f"data set {at}", true, {
                name: {
                    str(seed): np.where(rng.random(n) < 0.7 + 0.01 * better, true, (true + 1) % 3)
                    for seed in seeds
                }
                for better, name in enumerate(names)
            }  # fmt: skip

    took: dict[str, float] = {}

    def timed(step: str, work: Any) -> Any:
        start = time.perf_counter()
        done = work()
        took[step] = took.get(step, 0.0) + time.perf_counter() - start
        return done

    def all_trials(seeds: range) -> Any:
        parts = [
            timed("read arrays", partial(trials, true, pred=pred, dataset=name))
            for name, true, pred in predictions(seeds)
        ]
        return timed("read arrays", lambda: sum(parts[1:], parts[0]))

    every = all_trials(range(runs))
    done = timed("score and compare", lambda: study(every))
    timed("print", lambda: str(done))
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/study.json"
        timed("save", lambda: every.save(path))
        size = Path(path).stat().st_size
        saved = timed("load", lambda: trials(path))
    shown = {**took}
    more = all_trials(range(runs, runs + 1))
    timed("extend by a run", lambda: saved + more)
    shown["extend by a run"] = took["extend by a run"]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    lines = ["| step | seconds |", "|---|---|"]
    lines += [f"| {step} | {seconds:.2f} |" for step, seconds in shown.items()]
    return "\n".join([*lines, f"| file | {size / 1e6:.0f} MB |", f"| memory | {peak:.1f} GB |"])


ITEMS, SYSTEMS, SEEDS = 10**5, 10, 5
COLUMNS = {"system": "model", "run": "seed", "dataset": "task", "item": "item"}
PREDICTIONS = f"""
    SELECT 'system ' || (r // {SEEDS} % {SYSTEMS}) AS model, r % {SEEDS} AS seed,
        'task ' || (r // {SYSTEMS * SEEDS}) AS task, item, 'class ' || (item % 3) AS "true",
        'class ' || ((item + (hash(r, item) % 10 > 6)::INT) % 3) AS pred
    FROM range(RUNS) AS runs(r), range({ITEMS}) AS items(item)"""


def of_file(path: str, system: str, times: int = 3) -> str:
    """How long it takes to read a file in a new process, beside the engine's own GROUP BY.

    The best of several times, one after the other, as other work on the machine disturbs both.
    """
    import duckdb

    reader = "read_csv(?, all_varchar=true)" if path.endswith("csv") else "read_parquet(?)"
    query = f'SELECT model, seed, task, "true", pred, count(*) FROM {reader} GROUP BY ALL'
    steps: dict[str, float] = {}

    def timed(step: str, work: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        done = work()
        steps[step] = min(steps.get(step, np.inf), time.perf_counter() - start)
        return done

    for _ in range(times):
        read = timed("read", lambda: trials(path, true="true", pred="pred", **COLUMNS))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        with duckdb.connect() as database:
            timed("group", partial(_fetched, database, query, path))
    timed("compare", lambda: study(read))
    took, grouped = steps["read"], steps["group"]
    return (
        f"| {system} | {read.units:,} | {grouped:.2f} | {took:.2f} | {took / grouped:.1f} | "
        f"{steps['compare']:.2f} | {peak:.2f} GB |"
    )


def _fetched(database: Any, query: str, path: str) -> Any:
    return database.execute(query, [path]).fetchall()


def speed_of_files() -> str:
    """The time to read and to compare files of predictions; as a table."""
    import duckdb

    lines = [
        "| file | predictions | GROUP BY | read | times | compare | memory |",
        "|---" * 7 + "|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for runs in (10, 100):
            for kind, options in (("parquet", ""), ("csv", "(HEADER)")):
                path = f"{folder}/{runs}.{kind}"
                with duckdb.connect() as database:
                    database.execute(
                        f"COPY ({PREDICTIONS.replace('RUNS', str(runs))}) TO '{path}' {options}"
                    )
                command = [sys.executable, __file__, "--file", path]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                lines.append(done.stdout.strip())
                Path(path).unlink()
    return "\n".join(lines)


def read() -> list[Row]:
    with open(TABLE, encoding="utf-8", newline="") as file:
        kinds = get_type_hints(Row)
        return [
            Row(**{name: kinds[name](text) for name, text in line.items()})
            for line in csv.DictReader(file)
        ]


def write(rows: Iterable[Row], file: Any) -> None:
    out = csv.writer(file, lineterminator="\n")
    out.writerows([f"{x:.4f}" if isinstance(x, float) else x for x in row] for row in rows)


def percent(values: list[float]) -> str:
    if not values:
        return "–"
    low, high = (f"{100 * x:.1f}" for x in (min(values), max(values)))
    return f"{low} %" if low == high else f"{low}–{high} %"


def ratio(values: list[float]) -> str:
    if not values:
        return "–"
    low, high = (f"{x:.2f}" for x in (min(values), max(values)))
    return low if low == high else f"{low}–{high}"


def tables(rows: list[Row]) -> dict[str, str]:
    """The tables of the page, by the name of their mark."""
    found = {}
    for family, by, head in (("runs", "runs", "runs"), ("data sets", "data_sets", "data sets")):
        own = [row for row in rows if row.family == family]
        sizes = sorted({getattr(row, by) for row in own})
        heads = [f"{x} {head}" for x in sizes]
        lines = [
            f"| test | {' | '.join(heads)} | power |",
            "|---" * (len(sizes) + 2) + "|",
        ]
        for test in dict.fromkeys(row.test for row in own):
            mine = [row for row in own if row.test == test]
            cells = [percent([r.rejected for r in mine if getattr(r, by) == x]) for x in sizes]
            lines.append(f"| {test} | {' | '.join(cells)} | {percent([r.power for r in mine])} |")
        found[family] = "\n".join(lines)
    found["folds"] = of_folds(rows, "folds", "test", lambda row: row.rejected, percent)
    found["fold power"] = of_folds(rows, "folds", "test", lambda row: row.power, percent)
    found["fold variance"] = of_folds(
        rows, "fold variance", "variance by", lambda row: row.rejected, ratio
    )
    found["fold coverage"] = of_folds(
        rows, "fold coverage", "of", lambda row: row.rejected, percent
    )
    own = [row for row in rows if row.family == "coverage"]
    heads = [f"{runs} runs" for runs in RUNS]
    lines = [f"| variance of | {' | '.join(heads)} |", "|---" * (len(RUNS) + 1) + "|"]
    for variance in SOURCES:
        cells = [
            percent([r.rejected for r in own if r.variance == variance and r.runs == runs])
            for runs in RUNS
        ]
        lines.append(f"| {variance} | {' | '.join(cells)} |")
    found["coverage"] = "\n".join(lines)
    return found


def of_folds(
    rows: list[Row],
    family: str,
    head: str,
    value: Callable[[Row], float],
    shown: Callable[[list[float]], str],
) -> str:
    """A table with a row for each test and design, and a column for each learner."""
    own = [row for row in rows if row.family == family]
    lines = [
        f"| {head} | cross-validation | {' | '.join(LEARNERS)} |",
        "|---" * (len(LEARNERS) + 2) + "|",
    ]
    order = (CORRECTED, RETRAINED, TRAINED, WITHIN, BY_ITEMS, BY_FOLDS, "interval")
    for test, (design, name) in product(order, DESIGNS.items()):
        mine = [row for row in own if row.test == test and (row.runs, row.folds) == design]
        cells = [shown([value(r) for r in mine if r.variance == x]) for x in LEARNERS]
        if mine:
            lines.append(f"| {test} | {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def fill(filled: dict[str, str]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name, table in filled.items():
        mark = re.compile(rf"(<!-- {name} -->\n).*?(\n<!-- end -->)", re.DOTALL)
        assert mark.search(text), f"{PAGE} has no table of {name}"
        text = mark.sub(lambda match, table=table: match[1] + table + match[2], text)  # type: ignore[misc]
    PAGE.write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--only", choices=["runs", "folds", "data sets"])
    parser.add_argument("--page", action="store_true", help="only write the tables of the page")
    parser.add_argument("--speed", action="store_true", help="only time a large study")
    parser.add_argument("--file", help="only time this file of predictions")
    options = parser.parse_args()
    if options.file:
        print(of_file(options.file, Path(options.file).suffix[1:].replace("csv", "CSV")))
        return
    if options.speed:
        fill({"speed of files": speed_of_files(), "speed": speed()})
        return
    if not options.page:
        simulate(options.sets, options.seed, options.only)
    rows = [row for row in read() if row.seed == options.seed]
    if {cell(row) for row in rows} < {*GRID}:
        print("some cells are missing: run this again to add them")
        return
    rows.sort(key=lambda row: GRID.index(cell(row)))
    with open(TABLE, "w", encoding="utf-8", newline="") as file:
        file.write(",".join(Row._fields) + "\n")
        write(rows, file)
    fill(tables(rows))


if __name__ == "__main__":
    main()
