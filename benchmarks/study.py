"""How often do the tests of ``study`` reject where there is no difference, at a level of 5 %?

Runs differ by their seeds, items by how hard they are, also for one system alone, and data sets by
what suits a system. Folds are those of classifiers that are really trained, two of the same kind on
different features that say equally much. Beside each test stands what ignores the
structure. Power is that against a difference of some points of accuracy; coverage is that of the
interval of a mean over runs.

Run: python benchmarks/study.py [--sets 2000] [--only runs] [--page]
Writes study.csv, and the tables in docs/studies.md.
"""

from __future__ import annotations

import argparse
import csv
import re
import zlib
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

import numpy as np
from scipy.special import expit, stdtr

from whichf1.comparison.crossed import Crossed, cross
from whichf1.comparison.data_sets import compare_data_sets, rank_data_sets
from whichf1.comparison.folds import compare_folds
from whichf1.comparison.runs import compare_runs, mean_of_runs, steady_errors
from whichf1.comparison.study import StudyPlan, plan_study
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


class Row(NamedTuple):
    """The outcome of a test in a cell."""

    family: str
    n: int
    runs: int
    data_sets: int
    folds: int
    variance: str
    test: str
    sets: int
    rejected: float
    """The share of data without a difference for which p < 0.05; of intervals, what they cover."""
    power: float


def seeded(*parts: Any) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(repr(parts).encode()))


def share(of: list[bool]) -> float:
    return float(np.mean(of))


def correct(
    rng: np.random.Generator, n: int, runs: int, variance: str, ease: Any, systems: int = 2
) -> Any:
    """Whether each run of each system is right about each item (systems, runs, items)."""
    of_run, of_item, of_both = SOURCES[variance]
    odds = np.asarray(ease)[:, None, None] + of_run * rng.standard_normal((systems, runs, 1))
    odds = odds + of_item * rng.standard_normal(n)
    odds = odds + of_both * rng.standard_normal((systems, 1, n))
    return rng.random((systems, runs, n)) < expit(odds)


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
        parts = (flat - by_fold[rows, every]) / sizes[rows, every] / size * np.sqrt(n / (n - 1))
    means = {"ABC"[at]: parts[at * runs : (at + 1) * runs].mean(0) for at in range(systems)}
    made = Crossed(
        *("", ACCURACY, Labels(range(2)), keys, values, by_fold, shares, means, parts @ parts.T),
        *(None, n),
    )
    if check:
        data = DataSet(
            *(Labels(range(2)), True, np.arange(n), np.ones(n, np.int32), keys),
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
    difference = (right[0].astype(float) - right[1]).ravel()
    error = difference.std(ddof=1) / np.sqrt(len(difference))
    if not error:
        return 1.0
    return float(2 * stdtr(len(difference) - 1, -abs(difference.mean()) / error))


def true_score(variance: str) -> float:
    """The expected accuracy."""
    spread = np.sqrt(np.sum(np.square(SOURCES[variance])))
    z, weights = np.polynomial.hermite_e.hermegauss(80)
    return float(weights @ expit(EASE + spread * z) / weights.sum())


def runs_cell(n: int, runs: int, variance: str, sets: int) -> Iterator[Row]:
    rng = seeded("runs", n, runs, variance)
    hits: dict[str, list[list[bool]]] = {}
    truth = true_score(variance)
    covered = []
    for side, shift in enumerate((0.0, SHIFT)):
        for _ in range(sets):
            right = correct(rng, n, runs, variance, [EASE + shift, EASE])
            crossed = crossed_of(right, check=not hits)
            p = {
                "matched runs": compare_runs(crossed, "A", "B", ACCURACY, PLAN, True).p_value,
                "unmatched runs": compare_runs(crossed, "A", "B", ACCURACY, PLAN, False).p_value,
                "ignoring runs: one run": paired_t(right[:, :1]),
                "ignoring runs: all stacked": paired_t(right),
            }
            for test, value in p.items():
                both = hits.setdefault(test, [[], []])
                both[side].append(value is not None and value < LEVEL)
            if not shift:
                interval = mean_of_runs(crossed, "B", ACCURACY).interval
                covered.append(interval is not None and interval.low <= truth <= interval.high)
    for test, (null, other) in hits.items():
        yield Row("runs", n, runs, 1, 0, variance, test, sets, share(null), share(other))
    yield Row("coverage", n, runs, 1, 0, variance, "interval", sets, share(covered), np.nan)


def centroids(x: Any, true: Any, fold: Any, folds: int) -> Any:
    """Nearest centroids, trained on all folds but the item's."""
    member = np.zeros((2 * folds, len(true)))
    member[2 * fold + true, np.arange(len(true))] = 1
    sums, sizes = (member @ x).reshape(folds, 2, -1), member.sum(1).reshape(folds, 2)
    low, high = np.moveaxis((sums.sum(0) - sums) / (sizes.sum(0) - sizes)[:, :, None], 1, 0)
    apart = high - low
    side = x @ apart.T - ((low + high) / 2 * apart).sum(1)
    return side[np.arange(len(true)), fold] > 0


def neighbour(x: Any, true: Any, fold: Any, folds: int) -> Any:
    """The class of the nearest neighbour in another fold: a learner that depends on few items."""
    square = (x * x).sum(1)
    far = square - 2 * (x @ x.T)
    far[fold[:, None] == fold] = np.inf
    return true[far.argmin(1)]


LEARNERS = {"centroids": (centroids, 0.15, 40), "neighbour": (neighbour, 0.5, 8)}
"""Learners, how much each feature says, and how many features there are of 200 items."""


def trained(
    rng: np.random.Generator, n: int, folds: int, learner: str, factor: float, runs: int
) -> tuple[Any, Any]:
    """Whether cross-validated classifiers of two systems, each with features of its own, are right
    about each item (systems, runs, items); and the folds of each run."""
    learn, strength, features = LEARNERS[learner]
    if learner == "centroids":
        strength, features = strength * np.sqrt(200 / n), features * n // 200
    true = rng.integers(0, 2, n).astype(np.int32)
    signs = 2.0 * true - 1
    order = [rng.permutation(n) % folds for _ in range(runs)]
    predicted = []
    for times in (factor, 1.0):
        x = rng.standard_normal((n, features)) + times * strength * signs[:, None]
        predicted += [learn(x, true, fold, folds) for fold in order]
    right = np.stack(predicted).reshape(2, runs, n) == true
    return right, np.stack(order)


def folds_cell(n: int, runs: int, learner: str, sets: int, folds: int = 10) -> Iterator[Row]:
    rng = seeded("folds", n, runs, learner)
    hits: dict[str, list[list[bool]]] = {}
    intervals: list[Any] = []
    means: list[float] = []
    for side, factor in enumerate((1.0, 1 + 0.4 * np.sqrt(200 / n))):
        for _ in range(sets):
            right, order = trained(rng, n, folds, learner, factor, runs)
            crossed = crossed_of(right, order, check=not means)
            pair = compare_folds(crossed, "A", "B", ACCURACY, None)
            assert crossed.folds is not None
            rows = len(crossed.folds) // 2
            difference = (crossed.folds[:rows] - crossed.folds[rows:]).ravel()
            t = difference.mean() / (difference.std(ddof=1) / np.sqrt(len(difference)) + 1e-12)
            p = {
                "corrected resampled t": pair.p_value,
                "ignoring overlap: t of folds": float(2 * stdtr(len(difference) - 1, -abs(t))),
            }
            for test, value in p.items():
                both = hits.setdefault(test, [[], []])
                both[side].append(value is not None and value < LEVEL)
            if side == 0:
                mean = mean_of_runs(crossed, "B", ACCURACY)
                intervals.append(mean.interval)
                means.append(mean.mean)
    for test, (null, other) in hits.items():
        yield Row("folds", n, runs, 1, folds, learner, test, sets, share(null), share(other))
    truth = float(np.mean(means))
    covered = [x is not None and x.low <= truth <= x.high for x in intervals]
    yield Row("fold coverage", n, runs, 1, folds, learner, "interval", sets, share(covered), np.nan)


def sets_cell(n: int, size: int, variance: str, sets: int, runs: int = 3) -> Iterator[Row]:
    rng = seeded("data sets", n, size, variance)
    hits: dict[str, list[list[bool]]] = {}
    suits = 0.3
    for side, shift in enumerate((0.0, SHIFT)):
        for _ in range(sets):
            pairs: list[Any] = []
            scores, stacked = [], []
            for _ in range(size):
                ease = EASE + suits * rng.standard_normal(3) + np.array([shift, 0.0, 0.0])
                right = correct(rng, n, runs, variance, ease, 3)
                crossed = crossed_of(right[:2], check=not hits and not pairs)
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
            for test, value in p.items():
                both = hits.setdefault(test, [[], []])
                both[side].append(value is not None and value < LEVEL)
    for test, (null, other) in hits.items():
        yield Row("data sets", n, runs, size, 0, variance, test, sets, share(null), share(other))


def grid(sets: int, only: str | None) -> Iterator[list[Row]]:
    """The rows of each cell."""
    if only in (None, "runs"):
        for n, runs, variance in product((200, 1000), (3, 5, 10), SOURCES):
            yield [*runs_cell(n, runs, variance, sets)]
    if only in (None, "data sets"):
        for n, size, variance in product((200, 1000), (5, 30), SOURCES):
            yield [*sets_cell(n, size, variance, sets)]
    if only in (None, "folds"):
        for n, runs, learner in product((200, 1000), (1, 10), LEARNERS):
            if (n, runs, learner) != (1000, 10, "neighbour"):  # which takes too long
                yield [*folds_cell(n, runs, learner, sets)]


def cell(row: Row) -> tuple[Any, ...]:
    return row.family, row.n, row.runs, row.data_sets, row.folds, row.variance


def read() -> list[Row]:
    with open(TABLE, encoding="utf-8", newline="") as file:
        kinds = get_type_hints(Row)
        return [
            Row(**{name: kinds[name](text) for name, text in line.items()})
            for line in csv.DictReader(file)
        ]


def write(rows: list[Row]) -> None:
    with open(TABLE, "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(Row._fields)
        for row in rows:
            out.writerow([f"{x:.4f}" if isinstance(x, float) else x for x in row])


def percent(values: list[float]) -> str:
    low, high = (f"{100 * x:.1f}" for x in (min(values), max(values)))
    return f"{low} %" if low == high else f"{low}–{high} %"


def tables(rows: list[Row]) -> dict[str, str]:
    """The tables of the page, by the name of their mark."""
    found = {}
    for family, by, head in (
        ("runs", "runs", "runs"),
        ("folds", "runs", "repetitions"),
        ("data sets", "data_sets", "data sets"),
    ):
        own = [row for row in rows if row.family == family]
        sizes = sorted({getattr(row, by) for row in own})
        lines = [
            f"| test | {' | '.join(f'{x} {head}' for x in sizes)} | power |",
            "|---" * (len(sizes) + 2) + "|",
        ]
        for test in dict.fromkeys(row.test for row in own):
            mine = [row for row in own if row.test == test]
            cells = [percent([r.rejected for r in mine if getattr(r, by) == x]) for x in sizes]
            lines.append(f"| {test} | {' | '.join(cells)} | {percent([r.power for r in mine])} |")
        found[family] = "\n".join(lines)
    own = [row for row in rows if row.family == "coverage"]
    lines = ["| variance of | 3 runs | 5 runs | 10 runs |", "|---|---|---|---|"]
    for variance in SOURCES:
        cells = [
            percent([r.rejected for r in own if r.variance == variance and r.runs == runs])
            for runs in (3, 5, 10)
        ]
        lines.append(f"| {variance} | {' | '.join(cells)} |")
    found["coverage"] = "\n".join(lines)
    return found


def fill(rows: list[Row]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name, table in tables(rows).items():
        mark = re.compile(rf"(<!-- {name} -->\n).*?(\n<!-- end -->)", re.DOTALL)
        text = mark.sub(lambda match, table=table: match[1] + table + match[2], text)  # type: ignore[misc]
    PAGE.write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=2000)
    parser.add_argument("--only", choices=["runs", "folds", "data sets"])
    parser.add_argument("--page", action="store_true", help="only write the tables of the page")
    options = parser.parse_args()
    if not options.page:
        known = read() if TABLE.exists() else []
        for fresh in grid(options.sets, options.only):
            for row in fresh:
                print(*[f"{x:.3f}" if isinstance(x, float) else x for x in row], flush=True)
            done = {cell(row) for row in fresh}
            known = [row for row in known if cell(row) not in done] + fresh
            write(known)
    fill(read())


if __name__ == "__main__":
    main()
