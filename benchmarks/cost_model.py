"""The figures of docs/cost-model.md: what an item costs here, and what 10¹² would cost elsewhere.

The cost of each kind of table is fitted as seconds = start + rate · items at three sizes, that of
merging at two parts, and both are checked at a larger size that was not used: as many parts as it
takes, counted and merged. Everything else is arithmetic on the sizes of the tables.

Run: python -m benchmarks.cost_model [--print]
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from benchmarks.engines import data_file
from benchmarks.growth import cost_of
from benchmarks.harness import duration
from scipy.optimize import nnls

import whichf1 as wf
from whichf1.sources.arrays import count_together

PAGE = Path(__file__).parents[1] / "docs" / "cost-model.md"
ITEMS, WORKERS, FAN_IN = 10**12, 10**4, 16
"""The data that the page is about: the last is how many tables are merged at a time."""
DEPTH = math.ceil(math.log(WORKERS, FAN_IN))
PART = 10**7
"""Items that a worker has in memory at a time."""
TRIES = 5

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Kind:
    """A kind of table, and how it is computed from a number of items."""

    name: str
    item_bytes: float
    """Read for each item."""
    sizes: tuple[int, int, int]
    held_out: tuple[int, int]
    """Parts, and items of each, at which the fit is checked."""
    prepare: Callable[[int, int], tuple[Any, ...]]
    """From a number of items and a seed to data."""
    make: Callable[..., Any]
    rows: Callable[[Any], int]
    """Rows of the table."""
    row_bytes: int
    grows: bool = False
    """Whether the table grows with the items."""


class Fit(NamedTuple):
    """Measurements of a kind of table."""

    kind: Kind
    start: float
    rate: float
    merging: float
    """Seconds to merge two tables, or for each row of tables that grow."""
    predicted: float
    measured: float
    rows: int
    """Rows of the table of the largest size."""
    peak: float
    """Bytes of memory for each item beyond the data, while a part is counted."""

    def merged(self, parts: int, rows: float) -> float:
        """Seconds to merge parts that have so many rows in all, two at a time."""
        if self.kind.grows:
            return self.merging * rows * math.log2(parts)
        return self.merging * (parts - 1)


def _labels(n: int, seed: int = 0, systems: int = 1) -> tuple[Array, ...]:
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 10, n, np.uint8)
    guesses = (rng.integers(0, 10, n, np.uint8) for _ in range(systems))
    return true, *(np.where(rng.integers(0, 10, n, np.uint8) < 7, true, x) for x in guesses)


def _scores(n: int, seed: int = 1) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    positive = rng.integers(0, 10, n, np.uint8) < 3
    scores = rng.random(n)
    scores[positive] = np.sqrt(scores[positive])
    return positive, scores


def _sets(n: int, seed: int = 2) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    true = (rng.integers(0, 100, (n, 20), np.uint8) < 10).astype(np.uint8)
    return true, true ^ (rng.integers(0, 100, (n, 20), np.uint8) < 2)


def _file(n: int, seed: int = 0) -> tuple[Path]:
    return (data_file(Path(FOLDER.name), f"pairs-{n}.parquet", n),)


def _together(true: Array, *systems: Array) -> Any:
    return count_together(true, {f"system {at}": each for at, each in enumerate(systems)})


FOLDER = tempfile.TemporaryDirectory()
MILLION = 10**6
THREE = (MILLION, 3 * MILLION, 10 * MILLION)
KINDS = (
    Kind("counts, 10 classes", 2, (MILLION, 10 * MILLION, 100 * MILLION), (10, 100 * MILLION),
         _labels, wf.count, lambda x: len(x.count), 24),
    Kind("counts, 10 classes, of a Parquet file", 1, THREE, (1, 100 * MILLION),
         _file, wf.count, lambda x: len(x.count), 24),
    Kind("ranking, exact", 9, THREE, (4, PART),
         _scores, wf.rank, lambda x: len(x.score), 16, grows=True),
    Kind("ranking, 1,000 bins", 9, THREE, (100, PART),
         _scores, wf.rank_histogram, lambda x: len(x.score), 16),
    Kind("label sets, 20 labels", 40, (MILLION // 4, MILLION // 2, MILLION), (10, MILLION),
         _sets, wf.count_multilabel, lambda x: len(x.item), 24, grows=True),
    Kind("comparison of 3 systems, 10 classes", 4, THREE, (100, PART),
         lambda n, seed: _labels(n, seed, 3), _together, lambda x: len(x.count), 40),
)  # fmt: skip


def seconds(kind: Kind, n: int) -> tuple[float, Any]:
    """CPU time of all threads, the best of several, and the table."""
    data, best, table = kind.prepare(n, 0), math.inf, None
    for _ in range(TRIES):
        begun = time.process_time()
        table = kind.make(*data)
        best = min(best, time.process_time() - begun)
    return best, table


def merging(kind: Kind) -> float:
    """CPU seconds to merge two tables of whole parts, or for each of their rows if they grow."""
    n = min(kind.sizes[-1], PART)
    first, second = (kind.make(*kind.prepare(n, seed)) for seed in range(2))
    rows = kind.rows(first) + kind.rows(second)
    begun = time.process_time()  # once, as a worker does: memory is slower when it is new
    kind.rows(first + second)  # merging waits until the rows are needed
    spent = time.process_time() - begun
    return spent / (rows if kind.grows else 1)


def in_parts(kind: Kind) -> float:
    """CPU time of the items that were held out, counted part by part and merged."""
    parts, n = kind.held_out
    spent, data = 0.0, kind.prepare(n, 1)
    whole: Any = None
    for at in range(parts):
        if kind.grows and at:  # other rows than those before
            data = kind.prepare(n, 1 + at)
        begun = time.process_time()
        table = kind.make(*data)
        whole = table if whole is None else whole + table
        spent += time.process_time() - begun
    begun = time.process_time()
    kind.rows(whole)
    spent += time.process_time() - begun
    if whole.n != parts * n:
        raise SystemExit(f"{kind.name}: items were lost in merging")
    return spent


def fit(kind: Kind) -> Fit:
    """A line through three sizes by least relative squares, and how far off it is elsewhere."""
    took, table = zip(*(seconds(kind, n) for n in kind.sizes), strict=True)
    sizes, times = np.array(kind.sizes, float), np.array(took)
    design = np.stack([1 / times, sizes / times], 1)
    start, rate = nnls(design, np.ones(len(times)))[0].tolist()
    rows, n = kind.rows(table[-1]), min(kind.sizes[-1], PART)
    data = kind.prepare(n, 0)
    peak = cost_of(lambda: kind.make(*data)).megabytes * 2**20 / n
    found = Fit(kind, start, rate, merging(kind), 0.0, in_parts(kind), rows, peak)
    parts, each = kind.held_out
    grown = rows * parts * each / kind.sizes[-1]
    predicted = parts * (start + rate * each) + found.merged(parts, grown)
    return found._replace(predicted=predicted)


def histogram_errors(n: int = 3 * MILLION) -> list[tuple[int, float, float]]:
    """For several numbers of bins: the error of the AUC, and its bound."""
    data = _scores(n)
    exact = wf.roc_auc(*data).value
    found = []
    for bins in (100, 1000, 10_000):
        score = wf.roc_auc(wf.rank_histogram(*data, bins=bins))
        assert score.interval is not None
        bound = (score.interval.high - score.interval.low) / 2
        found.append((bins, abs(score.value - exact), bound))
    return found


def size(value: float) -> str:
    """Bytes for people: 2.4 kB, 1.6 GB."""
    for unit, power in (("PB", 15), ("TB", 12), ("GB", 9), ("MB", 6), ("kB", 3)):
        if value >= 10**power:
            return f"{value / 10**power:.3g} {unit}"
    return f"{value:.3g} B"


def measured_table(fits: list[Fit]) -> str:
    """What was measured here."""
    lines = [
        "| table | sizes | start | an item | its memory | merging | checked at | predicted | "
        "measured | off by |",
        "| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |",
    ]
    for each in fits:
        kind, off = each.kind, each.measured / each.predicted - 1
        sizes = " · ".join(f"{n:,}" for n in kind.sizes)
        merged = f"{duration(each.merging)} for two"
        if kind.grows:
            merged = f"{each.merging * 1e9:,.3g} ns for each row"
        parts, n = kind.held_out
        lines.append(
            f"| {kind.name} | {sizes} | {duration(each.start)} | "
            f"{each.rate * 1e9:,.3g} ns | {each.peak:.1f} B | {merged} | {parts:,} × {n:,} | "
            f"{duration(each.predicted)} | {duration(each.measured)} | {off:+.0%} |"
        )
    return "\n".join(lines)


def projected_table(fits: list[Fit]) -> str:
    """What 10¹² items on 10⁴ workers would take."""
    each = ITEMS // WORKERS
    lines = [
        "| table | read in all | by a worker | its CPU time | its memory | its table | shuffled | "
        "levels | at the root | last merge |",
        "| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |",
    ]
    for fitted in fits:
        kind = fitted.kind
        share = fitted.rows / kind.sizes[-1]
        rows, root = float(fitted.rows), float(fitted.rows)
        if kind.grows:
            rows, root = share * each, share * ITEMS
        sent = kind.row_bytes * (root * DEPTH if kind.grows else rows * WORKERS)
        table, parts = kind.row_bytes * rows, each // PART
        memory = (kind.item_bytes + fitted.peak) * PART + table * (2 if kind.grows else 1)
        spent = parts * fitted.start + fitted.rate * each + fitted.merged(parts, rows)
        lines.append(
            f"| {kind.name} | {size(kind.item_bytes * ITEMS)} | {size(kind.item_bytes * each)} | "
            f"{duration(spent)} | {size(memory)} | {size(table)} | {size(sent)} | {DEPTH} | "
            f"{size(kind.row_bytes * root)} | {long_duration(fitted.merged(FAN_IN, root))} |"
        )
    return "\n".join(lines)


def long_duration(spent: float) -> str:
    """A time for people, hours and days among them."""
    for unit, long in (("days", 86_400), ("hours", 3600)):
        if spent >= 2 * long:
            return f"{spent / long:.3g} {unit}"
    return duration(spent)


def figures() -> dict[str, str]:
    """The parts of the page that are measured."""
    fits = [fit(kind) for kind in KINDS]
    errors = ["| bins | error of the AUC | bound |", "| --: | --: | --: |"]
    errors += [f"| {bins:,} | {off:.1e} | {bound:.1e} |" for bins, off, bound in histogram_errors()]
    return {
        "measured": measured_table(fits),
        "bins": "\n".join(errors),
        "projected": projected_table(fits),
    }


def write(parts: dict[str, str], page: Path = PAGE) -> None:
    """Put the figures between their marks."""
    text = page.read_text(encoding="utf-8")
    for name, part in parts.items():
        start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        head, _, rest = text.partition(start)
        _, mark, tail = rest.partition(end)
        if not mark:
            raise SystemExit(f"{page} has no marks for {name}")
        text = f"{head}{start}{part}\n{end}{tail}"
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    with FOLDER:
        made = figures()
    print("\n\n".join(made.values()))
    if sys.argv[1:] != ["--print"]:
        write(made)
