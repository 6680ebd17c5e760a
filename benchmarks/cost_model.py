"""The figures of docs/cost-model.md: what an item costs here, and what 10¹² would cost elsewhere.

The cost of each kind of table is fitted as seconds = start + rate · items at three sizes, and
checked at a fourth one that was not used. Everything else is arithmetic on the sizes of the tables.

Run: python -m benchmarks.cost_model
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from benchmarks.harness import duration

import whichf1 as wf
from whichf1.sources.arrays import count_together

PAGE = Path(__file__).parents[1] / "docs" / "cost-model.md"
ITEMS, WORKERS, FAN_IN = 10**12, 10**4, 16
"""The data that the page is about: the last is how many tables are merged at a time."""
DEPTH = math.ceil(math.log(WORKERS, FAN_IN))

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Kind:
    """A kind of table, and how it is computed from a number of items."""

    name: str
    item_bytes: float
    """Read for each item."""
    sizes: tuple[int, int, int]
    held_out: int
    prepare: Callable[[int], tuple[Any, ...]]
    make: Callable[..., Any]
    rows: Callable[[Any], int]
    """Rows of the table."""
    row_bytes: int
    grows: bool
    """Whether the table grows with the items."""


class Fit(NamedTuple):
    """Measurements of a kind of table."""

    kind: Kind
    start: float
    rate: float
    predicted: float
    measured: float
    rows: int
    """Rows of the table of the largest size."""


def _labels(n: int, systems: int = 1) -> tuple[Array, ...]:
    rng = np.random.default_rng(0)
    true = rng.integers(0, 10, n, np.uint8)
    guesses = (rng.integers(0, 10, n, np.uint8) for _ in range(systems))
    return true, *(np.where(rng.integers(0, 10, n, np.uint8) < 7, true, x) for x in guesses)


def _scores(n: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(1)
    positive = rng.integers(0, 10, n, np.uint8) < 3
    scores = rng.random(n)
    scores[positive] = np.sqrt(scores[positive])
    return positive, scores


def _sets(n: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(2)
    true = (rng.random((n, 20)) < 0.1).astype(np.uint8)
    return true, true ^ (rng.random((n, 20)) < 0.02)


def _together(true: Array, *systems: Array) -> Any:
    return count_together(true, {f"system {at}": each for at, each in enumerate(systems)})


MILLION = 10**6
KINDS = (
    Kind("counts, 10 classes", 2, (MILLION, 10 * MILLION, 100 * MILLION), 30 * MILLION,
         _labels, wf.count, lambda x: len(x.count), 24, grows=False),
    Kind("ranking, exact", 9, (MILLION, 3 * MILLION, 10 * MILLION), 6 * MILLION,
         _scores, wf.rank, lambda x: len(x.score), 16, grows=True),
    Kind("ranking, 1,000 bins", 9, (MILLION, 3 * MILLION, 10 * MILLION), 6 * MILLION,
         _scores, wf.rank_histogram, lambda x: len(x.score), 16, grows=False),
    Kind("label sets, 20 labels", 40, (MILLION // 10, MILLION // 4, MILLION), MILLION // 2,
         _sets, wf.count_multilabel, lambda x: len(x.item), 24, grows=True),
    Kind("comparison of 3 systems, 10 classes", 4, (MILLION, 3 * MILLION, 10 * MILLION),
         6 * MILLION, lambda n: _labels(n, 3), _together, lambda x: len(x.count), 40, grows=False),
)  # fmt: skip


def seconds(kind: Kind, n: int) -> tuple[float, Any]:
    """CPU time of all threads, the best of several, and the table."""
    data, best, table = kind.prepare(n), math.inf, None
    for _ in range(5):
        begun = time.process_time()
        table = kind.make(*data)
        best = min(best, time.process_time() - begun)
    return best, table


def fit(kind: Kind) -> Fit:
    """A line through three sizes by least relative squares, and how far off it is at a fourth."""
    took, table = zip(*(seconds(kind, n) for n in kind.sizes), strict=True)
    sizes, times = np.array(kind.sizes, float), np.array(took)
    design = np.stack([1 / times, sizes / times], 1)
    start, rate = np.linalg.lstsq(design, np.ones(len(times)), rcond=None)[0].tolist()
    measured, _ = seconds(kind, kind.held_out)
    predicted = start + rate * kind.held_out
    return Fit(kind, start, rate, predicted, measured, kind.rows(table[-1]))


def loop(parts: int = 10, n: int = 100 * MILLION) -> tuple[float, float]:
    """CPU time of 10⁹ items that are counted part by part and merged, and of the merging."""
    data = _labels(n)
    begun = time.process_time()
    tables = [wf.count(*data) for _ in range(parts)]
    counted = time.process_time()
    whole = sum(tables, wf.Counts.empty(range(10)))
    ended = time.process_time()
    if whole.n != parts * n:
        raise SystemExit("items were lost in merging")
    return ended - begun, ended - counted


def merging(rows: int = MILLION) -> float:
    """CPU seconds that a row of an exact ranking takes to be merged."""
    rng = np.random.default_rng(3)
    parts = [wf.rank(rng.random(rows) < 0.3, rng.random(rows)) for _ in range(4)]
    begun = time.process_time()
    whole: Any = sum(parts[1:], parts[0])
    len(whole.score)  # merging waits until it is needed
    return (time.process_time() - begun) / (4 * rows)


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
        "| table | sizes | CPU time of an item | predicted at | predicted | measured | off by |",
        "| --- | --- | --: | --: | --: | --: | --: |",
    ]
    for each in fits:
        kind, off = each.kind, each.measured / each.predicted - 1
        sizes = " · ".join(f"{n:,}" for n in kind.sizes)
        lines.append(
            f"| {kind.name} | {sizes} | {each.rate * 1e9:,.3g} ns | {kind.held_out:,} | "
            f"{duration(each.predicted)} | {duration(each.measured)} | {off:+.0%} |"
        )
    return "\n".join(lines)


def projected_table(fits: list[Fit]) -> str:
    """What 10¹² items on 10⁴ workers would take."""
    each = ITEMS / WORKERS
    lines = [
        "| table | read by a worker | its CPU time | its table | sent in all | at the root |",
        "| --- | --: | --: | --: | --: | --: |",
    ]
    for fitted in fits:
        kind = fitted.kind
        share = fitted.rows / kind.sizes[-1]
        rows, root = float(fitted.rows), float(fitted.rows)
        if kind.grows:
            rows, root = share * each, share * ITEMS
        sent = kind.row_bytes * (root * DEPTH if kind.grows else rows * WORKERS)
        lines.append(
            f"| {kind.name} | {size(kind.item_bytes * each)} | {duration(fitted.rate * each)} | "
            f"{size(kind.row_bytes * rows)} | {size(sent)} | {size(kind.row_bytes * root)} |"
        )
    return "\n".join(lines)


def figures() -> dict[str, str]:
    """The parts of the page that are measured."""
    fits = [fit(kind) for kind in KINDS]
    total, merged = loop()
    errors = ["| bins | error of the AUC | bound |", "| --: | --: | --: |"]
    errors += [f"| {bins:,} | {off:.1e} | {bound:.1e} |" for bins, off, bound in histogram_errors()]
    billion = 10**9 * fits[0].rate
    return {
        "measured": measured_table(fits),
        "billion": (
            f"10⁹ items, counted in ten parts of 10⁸ and merged, took {duration(total)} of CPU "
            f"time, of which merging took {duration(merged)}; the fit predicts "
            f"{duration(billion)}. "
            f"Merging takes {merging() * 1e9:.0f} ns for each row of an exact ranking."
        ),
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
    made = figures()
    print("\n\n".join(made.values()))
    if sys.argv[1:] != ["--print"]:
        write(made)
