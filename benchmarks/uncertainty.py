"""Speed of intervals and comparisons, as ratios measured in one run; writes sections of results.

Run: python -m benchmarks.uncertainty [--slow]
"""

from __future__ import annotations

import gc
import importlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any, Literal, NamedTuple

import numpy as np
from benchmarks.harness import bounded_table, duration, settle, write_section

import whichf1 as wf
from whichf1.comparison.compare import compare_counts
from whichf1.comparison.significance import Plan
from whichf1.definitions.definition import define
from whichf1.metrics import COUNTED, EVERY
from whichf1.sources.arrays import count_together
from whichf1.statistics.sample import generator

LONG = 0.02
"""Seconds from which works have one run in each turn, otherwise three."""


class Row(NamedTuple):
    what: str
    seconds: float
    against: str
    ratio: float
    bar: str
    met: bool


def seconds(run: Callable[[], Any], least: float = 0.3, most: int = 200) -> float:
    """The best of several runs."""
    best, spent, runs = np.inf, 0.0, 0
    while (spent < least or runs < 3) and runs < most:
        start = time.perf_counter()
        run()
        took = time.perf_counter() - start
        best, spent, runs = min(best, took), spent + took, runs + 1
    return float(best)


def in_turns(
    run: Callable[[], Any],
    base: Callable[[], Any],
    least: float = 0.08,
    most: int = 100,
) -> tuple[float, float]:
    """The best of several runs of each of two works, which take turns."""
    best, spent, runs = [np.inf, np.inf], 0.0, 0
    settle()
    while (spent < least or runs < 3) and runs < most:
        each = 3 if max(best) < LONG else 1  # as many for both; caches then hold what they need
        for at, work in enumerate((run, base)):
            for _ in range(each):
                start = time.perf_counter()
                work()
                took = time.perf_counter() - start
                best[at], spent = min(best[at], took), spent + took
        runs += 1
    gc.enable()
    return best[0], best[1]


def predictions(n: int, k: int, accuracy: float = 0.7, seed: int = 0) -> tuple[Any, Any, Any]:
    """True classes, and the predictions of two systems of equal accuracy."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, k, n)
    a, b = (np.where(rng.random(n) < accuracy, true, rng.integers(0, k, n)) for _ in range(2))
    return true, a, b


def at_most(what: str, took: float, against: str, base: float, bar: float) -> Row:
    return Row(what, took, against, took / base, f"≤ {bar:g}", took / base <= bar)


def bootstrap_rows() -> Iterator[Row]:
    method, took = wf.Bootstrap(replicates=9999, seed=7), {}
    for n in (10_000, 10_000_000):
        true, a, _ = predictions(n, 10)
        counts = wf.count(true, a)
        shares = counts.count / counts.n
        draw = seconds(partial(generator(7).multinomial, int(counts.n), shares, 9999))
        took[n] = seconds(partial(wf.averaged_f1, counts, interval=method))
        yield at_most(
            f"9,999 replicates of averaged F1, 10 classes, {n:,} items",
            took[n],
            "NumPy's multinomial draw alone",
            draw,
            1.6,
        )
    yield at_most("the same on 10⁷ items", took[10**7], "on 10⁴ items", took[10**4], 1.5)


def package_rows(n: int = 10_000) -> Iterator[Row]:
    """Against the bootstrap of the package confidenceinterval; compares only speed.

    For BCa, its default, it computes the score for all items but one as often as there are items.
    """
    try:
        f1_score = importlib.import_module("confidenceinterval").f1_score
    except ImportError as missing:
        print(f"row skipped: cannot import confidenceinterval ({missing})")
        return
    true, a, _ = predictions(n, 10)
    options = {"confidence_level": 0.95, "average": "macro", "n_resamples": 999}
    counts = wf.count(true, a)
    kinds: tuple[Literal["bca", "percentile"], ...] = ("bca", "percentile")
    for kind in kinds:
        method = wf.Bootstrap(replicates=999, seed=7, kind=kind)
        ours, theirs = in_turns(
            partial(wf.averaged_f1, counts, interval=method),
            partial(f1_score, true, a, method=f"bootstrap_{kind}", **options),
        )
        name = f"{kind} interval of averaged F1, {n:,} items, 999 replicates"
        bar = "≥ 2000 × faster than" if kind == "bca" else ""
        met = not bar or theirs / ours >= 2000
        yield Row(name, ours, f"confidenceinterval's {theirs:.3g} s", theirs / ours, bar, met)


BARS = {"delta": 4, "auto": 6}
"""How many times the score itself an interval may cost."""


def interval_rows() -> Iterator[Row]:
    names = ("averaged_f1", "f1_of_averages", "macro_recall", "weighted_f1", "cohen_kappa", "mcc")
    for n, k in ((1_000, 2), (10_000, 10), (100_000, 100), (1_000_000, 1_000)):
        true, a, _ = predictions(n, k)
        counts = wf.count(true, a)
        for method, bar in BARS.items():
            rows = []
            for name in names:
                score = getattr(wf, name)
                asked = partial(_afresh, score, (counts,), interval=method)
                took, plain = in_turns(asked, partial(_afresh, score, (counts,)))
                what = f"{method} interval, {k:,} classes: the slowest, {name}"
                rows.append(at_most(what, took, "the score itself", plain, bar))
            yield max(rows, key=lambda row: row.ratio)


def posterior_rows() -> Iterator[Row]:
    for n, k in ((1_000, 2), (10_000, 10), (100_000, 30)):
        true, a, _ = predictions(n, k)
        counts = wf.count(true, a)
        draw = seconds(partial(generator(7).standard_gamma, counts.count, (9999, k * k)))
        took = seconds(partial(wf.averaged_f1, counts, interval=wf.Posterior(draws=9999)))
        what = f"posterior of averaged F1, 9,999 draws, {k:,} classes"
        yield at_most(what, took, "NumPy's gamma draws alone", draw, 2)


def paired_row() -> Iterator[Row]:
    true, a, b = predictions(1_000_000, 10)
    systems = {"A": a, "B": b}
    joint = count_together(true, systems)
    definition, plan = define("averaged_f1", None, {"interval": "delta"}), Plan(replicates=9999)
    shares = joint.count / joint.n
    draw = seconds(lambda: generator(7).multinomial(int(joint.n), shares, 9999))
    count = seconds(lambda: count_together(true, systems))
    ours = seconds(lambda: wf.compare(true, systems, replicates=9999))
    yield at_most(
        f"two systems compared, 10⁶ items, 9,999 replicates, all tests ({len(shares)} cells)",
        ours,
        "drawing its cells and counting once",
        draw + count,
        2,
    )
    tests = seconds(lambda: compare_counts(joint, definition, plan))
    yield Row("  of which after counting", tests, "the same", tests / (draw + count), "", True)


def delong_row() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    for n in (10_000, 1_000_000):
        y = rng.integers(0, 2, n)
        scores = y + rng.normal(size=n)
        plain = partial(wf.roc_auc, y, scores)
        ours, area = in_turns(partial(plain, interval="delong"), plain, 0.5)
        yield at_most(f"DeLong's interval, {n:,} items", ours, "the AUC itself", area, 2)


@cache
def data(n: int) -> dict[str, tuple[Any, ...]]:
    """Items as metrics of each kind take them, in arrays."""
    rng = np.random.default_rng(3)
    two, guessed, _ = predictions(n, 2)
    several, predicted, _ = predictions(n, 10)
    scores = np.clip(0.6 * rng.random(n) + 0.4 * two * rng.random(n), 0, 1)
    labels = rng.integers(0, 2, (n, 5))
    return {
        "rate": (two, guessed),
        "agreement": (several, predicted),
        "ranking": (two, scores),
        "loss": (several, rng.dirichlet(np.ones(10), n)),
        "items": (labels, np.where(rng.random((n, 5)) < 0.8, labels, 1 - labels)),
        "label ranking": (labels, rng.random((n, 5))),
        "value": (scores,),
    }


SIZES = (1_000, 100_000)
"""Items of which the delta interval of every score is computed."""


def registry_rows() -> Iterator[Row]:
    """The delta interval of every score that has one, from arrays and from tables of them."""
    for n in SIZES:
        yield from rows_of_every_score(n)


def rows_of_every_score(n: int) -> Iterator[Row]:
    for name, metric in EVERY.items():
        options: dict[str, Any] = {"positive": 1} if metric.kind == "rate" else {}
        if "costs" in metric.parameters:
            options["costs"] = (1 - np.eye(10)).tolist()
        score, items = partial(getattr(wf, name), **options), data(n)[metric.kind]
        if "interval" not in getattr(wf, name).definition(**options).applicable:
            continue
        sources = {"arrays": items}
        if metric.kind in COUNTED:
            sources["counts"] = (wf.count(*items),)
        elif metric.kind == "ranking":
            sources["ranking"] = (wf.rank(*items),)
        for source, held in sources.items():
            asked = partial(_afresh, score, held, interval="delta")
            took, plain = in_turns(asked, partial(_afresh, score, held))
            what = f"delta interval of {name}, {n:,} items, {source}"
            yield at_most(what, took, "the score itself", plain, BARS["delta"])


def drawn_rows(n: int = 10_000, replicates: int = 2_000) -> Iterator[Row]:
    """The bootstrap of every score of class counts against the bare draw of their cells."""
    method = wf.Bootstrap(replicates=replicates, seed=7, kind="percentile")
    for name, metric in EVERY.items():
        options: dict[str, Any] = {"average": "macro"} if metric.kind == "rate" else {}
        if "costs" in metric.parameters:
            options["costs"] = (1 - np.eye(10)).tolist()
        if metric.kind not in COUNTED:
            continue
        counts = wf.count(*predictions(n, 10)[:2])
        draw = partial(generator(7).multinomial, n, counts.count / counts.n, replicates)
        took, base = in_turns(partial(getattr(wf, name), counts, **options, interval=method), draw)
        what = f"{replicates:,} replicates of {name}, {n:,} items, counts"
        yield at_most(what, took, "NumPy's multinomial draw alone", base, 1.2)


def _afresh(score: Callable[..., Any], data: tuple[Any, ...], **options: Any) -> None:
    """Compute a score without tables that its data keep from the last time."""
    for each in data:
        getattr(each, "__dict__", {}).pop("table", None)
    score(*data, **options)


ROWS = (bootstrap_rows, interval_rows, posterior_rows, paired_row, delong_row)
REGISTRY = {
    "Delta intervals of every score": registry_rows,
    "Bootstrap intervals of every score of class counts": drawn_rows,
}
"""Rows for every score, of which the slowest are shown."""
SHOWN = 12


def measured(rows: Iterator[Row]) -> list[Row]:
    """The rows, each printed as it is measured."""
    found = []
    for row in rows:
        mark = "" if row.met else "  NOT MET"
        print(f"{row.what:<78} {row.seconds:>9.4g}  {row.ratio:>7.3g}  {row.bar}{mark}", flush=True)
        found.append(row)
    return found


def table(rows: Sequence[Row]) -> str:
    """The rows with their limits, in Markdown."""
    head = ("task", "whichf1", "against", "ratio", "limit")
    lines = []
    for row in rows:
        reached = ("reached" if row.met else "missed") if row.bar else ""
        cells = (row.what.strip(), duration(row.seconds), row.against, f"{row.ratio:.3g}")
        lines.append((*cells, row.bar, reached))
    return bounded_table(head, lines)


def main() -> None:
    """Measure all rows, and write them as sections; with ``--slow``, the rows of a slow peer."""
    about = "Measured by `python -m benchmarks.uncertainty`, the best of several."
    if "--slow" in sys.argv:
        rows = measured(package_rows())
        write_section("Bootstrap intervals: a slow peer", f"{about}\n\n{table(rows)}")
        return
    rows = [row for each in ROWS for row in measured(each())]
    write_section("Intervals and comparisons", f"{about}\n\n{table(rows)}")
    for title, every in REGISTRY.items():
        rows = sorted(measured(every()), key=lambda row: -row.ratio)
        reached = f"{sum(row.met for row in rows)} of {len(rows)} reach the limit"
        slowest = f"{about} {reached}; these are the slowest."
        write_section(title, f"{slowest}\n\n{table(rows[:SHOWN])}")


if __name__ == "__main__":
    main()
