"""How often do the tests of ``study`` reject where there is no difference, at a level of 5 %?

Runs differ by their seeds, items by how hard they are, also for one system alone, and data sets by
what suits a system. Folds are those of classifiers that are really trained, two of the same kind on
different features that say equally much. Beside each test stands what ignores the
structure. Power is that against a difference of some points of accuracy; coverage is that of the
interval of a mean over runs. The test of the models that were trained is held against its own null,
their true difference, which is known from the distribution of the items.

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

from whichf1.comparison.crossed import Crossed, cross
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
    """The share of data without a difference for which p < 0.05; of intervals, what they cover."""
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
    by_fold = shares = None
    values = flat.mean(1)
    parts = (flat - values[:, None]) / n * np.sqrt(n / (n - 1))
    if folds is not None:
        every = np.tile(folds, (systems, 1))
        size = int(folds.max()) + 1
        sizes = np.stack([np.bincount(x, minlength=size) for x in every])
        hits = np.stack([np.bincount(x, y, size) for x, y in zip(every, flat, strict=True)])
        by_fold, shares = hits / sizes, sizes / n
        values = by_fold.mean(1)
        rows = np.arange(len(flat))[:, None]
        parts = (flat - values[:, None]) / sizes[rows, every] / size * np.sqrt(n / (n - 1))
    means = {"ABC"[at]: parts[at * runs : (at + 1) * runs].mean(0) for at in range(systems)}
    made = Crossed(
        *("", ACCURACY, CLASSES, keys, values, by_fold, shares, means, parts @ parts.T),
        *(None, n),
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


class Learner(NamedTuple):
    """A learner, and the features it has."""

    learn: Callable[..., Learned]
    strength: float
    """How far the mean of each feature is from 0."""
    features: int
    grows: bool = False
    """Whether more items have more features, so that single items matter equally much."""


LEARNERS = {
    "few centroids": Learner(centroids, 0.3, 10),
    "centroids": Learner(centroids, 0.15, 40, grows=True),
    "neighbour": Learner(neighbour, 1.0, 1),
}
"""The learners; features are those of 200 items."""
WEAK = {"a quarter of the correction": 0.25, "half of the correction": 0.5}
"""Other corrections of the variance between folds: shares of Nadeau and Bengio's."""


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


def folds_cell(cell: Cell, sets: int, seed: int) -> Iterator[Row]:
    rng = seeded(seed, cell)
    algorithms, others = Rejections(), Rejections()
    intervals: list[Any] = []
    means: list[float] = []
    for side, factor in enumerate((1.0, 1 + 0.4 * np.sqrt(200 / cell.n))):
        for at in range(sets):
            drawn = trained(rng, cell, factor)
            crossed = crossed_of(drawn.right, drawn.folds, check=not at)
            pair = compare_folds(crossed, "A", "B", ACCURACY, None)
            assert crossed.folds is not None
            difference = (crossed.folds[: cell.runs] - crossed.folds[cell.runs :]).ravel()
            held = contains(pair.models.interval, drawn.difference)
            algorithms.add(
                side,
                {
                    "corrected resampled t: the algorithms": pair.p_value,
                    "items: the models trained here": pair.models.p_value if side else float(held),
                    "ignoring overlap: t of folds": other_correction(difference, pair, 0.0),
                },
            )
            weaker = {x: other_correction(difference, pair, y) for x, y in WEAK.items()}
            others.add(side, {"items": pair.models.p_value, **weaker})
            if side == 0:
                mean = mean_of_runs(crossed, "B", ACCURACY)
                intervals.append(mean.interval)
                means.append(mean.mean)
    yield from algorithms.rows("folds", cell, seed)
    yield from others.rows("other tests of folds", cell, seed)
    truth = float(np.mean(means))
    yield cell.row("fold coverage", "interval", seed, [contains(x, truth) for x in intervals])


def other_correction(differences: Any, pair: FoldPair, times: float) -> float | None:
    """The p-value of a test with so much of Nadeau and Bengio's correction."""
    return t_p(pair.difference, corrected_spread(differences, times / (pair.folds - 1)))


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
        return make(self, sets * MORE.get(self.family, 1), seed)


SIZES, RUNS = (200, 1000), (2, 3, 5, 10)
GRID = [
    *(Cell("runs", n, r, 1, 0, x) for n, r, x in product(SIZES, RUNS, SOURCES)),
    *(Cell("folds", n, r, 1, 10, x) for n, r, x in product(SIZES, (1, 10), LEARNERS)),
    *(Cell("data sets", n, 3, size, 0, x) for n, size, x in product(SIZES, (5, 30), SOURCES)),
]
"""The cells that are simulated, in the order of the table."""
MORE = {"runs": 5}
"""Cells that cost little are simulated so many times as often."""
FAMILY = {"coverage": "runs", "fold coverage": "folds", "other tests of folds": "folds"}
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


def named(row: Row) -> str:
    """The test, and of folds the learner."""
    return f"{row.test} ({row.variance})" if row.folds else row.test


def percent(values: list[float]) -> str:
    low, high = (f"{100 * x:.1f}" for x in (min(values), max(values)))
    return f"{low} %" if low == high else f"{low}–{high} %"


def tables(rows: list[Row]) -> dict[str, str]:
    """The tables of the page, by the name of their mark."""
    found = {}
    for family, by, head in (
        ("runs", "runs", "runs"),
        ("folds", "runs", "repetitions"),
        ("other tests of folds", "runs", "repetitions"),
        ("data sets", "data_sets", "data sets"),
    ):
        own = [row for row in rows if row.family == family]
        sizes = sorted({getattr(row, by) for row in own})
        heads = [f"{x} {head if x > 1 else head.removesuffix('s')}" for x in sizes]
        lines = [
            f"| test | {' | '.join(heads)} | power |",
            "|---" * (len(sizes) + 2) + "|",
        ]
        for test in dict.fromkeys(named(row) for row in own):
            mine = [row for row in own if named(row) == test]
            cells = [percent([r.rejected for r in mine if getattr(r, by) == x]) for x in sizes]
            lines.append(f"| {test} | {' | '.join(cells)} | {percent([r.power for r in mine])} |")
        found[family] = "\n".join(lines)
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
    own = [row for row in rows if row.family == "fold coverage"]
    lines = ["| learner | 1 repetition | 10 repetitions |", "|---|---|---|"]
    for learner in LEARNERS:
        cells = [
            percent([r.rejected for r in own if r.variance == learner and r.runs == runs])
            for runs in (1, 10)
        ]
        lines.append(f"| {learner} | {' | '.join(cells)} |")
    found["fold coverage"] = "\n".join(lines)
    return found


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
