"""How time and memory grow with what users have more of: items, classes, systems, slices and so on.

Each case runs at three sizes, every time in a fresh process, and a line through the logarithms
gives the exponent of CPU time (all threads together) and of peak memory beyond the input. Nothing
may grow faster than n log n, so both exponents are at most 1.15. Comparing systems grows with the
pairs that it reports, so its size is the number of pairs.

Run: python -m benchmarks.growth [CASE ...]
"""

from __future__ import annotations

import ctypes
import gc
import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass
from io import StringIO
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from benchmarks.harness import write_section

import whichf1 as wf

MOST = 1.15
"""The largest exponent; n log n has about 1.1 between 10⁴ and 10⁶."""
ABOUT = (
    "Measured by `make bench-all`: CPU time of all threads and peak memory beyond the input, each "
    "size in a fresh process. The exponents are those of a line through the logarithms; for "
    "systems, over the number of pairs that are reported."
)
NOISE = 8.0
"""Megabytes of peak memory below which growth is not visible."""
TRIES = 3
"""Runs at each size, as long as they take less than ``LONG`` seconds; the best counts."""
LONG = 2.0

Work: TypeAlias = Callable[[], object]
_FRESH = count()
Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Case:
    """What is done at three sizes."""

    what: str
    sizes: tuple[int, int, int]
    prepare: Callable[[int, Path], Work]
    """From a size and an empty folder to the work that is measured."""
    few: int
    """A size at which tests count calls, and at four times as many."""
    unit: Callable[[int], int] = int
    """What time is compared with, if it is not the size itself."""


class Cost(NamedTuple):
    """The cost of one run."""

    seconds: float
    megabytes: float


class Growth(NamedTuple):
    """The costs of a case, and how they grow."""

    case: Case
    costs: list[Cost]
    time: float
    memory: float | None
    """None if the peak is too small to see it grow."""

    @property
    def reached(self) -> bool:
        """Whether neither grows faster than it may."""
        return self.time <= MOST and (self.memory is None or self.memory <= MOST)


def labels(n: int, classes: int, seed: int = 0) -> tuple[Array, Array]:
    """True classes, and predictions of which about seven in ten are right."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, classes, n)
    return true, np.where(rng.random(n) < 0.7, true, rng.integers(0, classes, n))


def command(*arguments: str) -> Work:
    """A command of ``whichf1``, whose output is discarded."""
    from whichf1.cli import app

    def run() -> None:
        with redirect_stdout(StringIO()):
            app(list(arguments), standalone_mode=False)

    return run


def items_counted(n: int, folder: Path) -> Work:
    true, predicted = labels(n, 10)
    return lambda: wf.averaged_f1(true, predicted, interval="auto")


def items_ranked(n: int, folder: Path) -> Work:
    rng = np.random.default_rng(1)
    positive = rng.random(n) < 0.3
    scores = rng.normal(size=n) + positive
    return lambda: wf.roc_auc(positive, scores, interval="delong")


def items_of_file(n: int, folder: Path) -> Work:
    path = folder / "items.csv"
    pairs = np.stack(labels(n, 10), 1)
    np.savetxt(path, pairs, "%d", ",", header="true,pred", comments="")
    return command("score", str(path))


def classes_reported(k: int, folder: Path) -> Work:
    true, predicted = labels(5 * k, k)
    return lambda: str(wf.report(true, predicted))


def classes_scored(k: int, folder: Path) -> Work:
    true, predicted = labels(5 * k, k)
    return lambda: wf.averaged_f1(true, predicted, interval="auto")


def classes_explained(k: int, folder: Path) -> Work:
    counts = wf.count(*labels(5 * k, k))
    return lambda: wf.explain(counts, 0.7123, decimals=4)


def classes_ranked(k: int, folder: Path) -> Work:
    rng = np.random.default_rng(3)
    scores = rng.random((2000, k))
    true = np.arange(2000) % k
    scores[np.arange(2000), true] += 0.5
    scores /= scores.sum(1, keepdims=True)
    options: dict[str, Any] = {"multi_class": "ovr", "average": "macro", "interval": "delta"}
    return lambda: wf.roc_auc(true, scores, labels=range(k), **options)


def systems_compared(number: int, folder: Path) -> Work:
    path = folder / "systems.csv"
    columns = [labels(1000, 5)[0], *(_system(at) for at in range(number))]
    names = ["true", *(f"s{at}" for at in range(number))]
    np.savetxt(path, np.stack(columns, 1), "%d", ",", header=",".join(names), comments="")
    return command("compare", str(path), *(f"--pred={name}" for name in names[1:]))


def _system(at: int) -> Array:
    true = labels(1000, 5)[0]
    rng = np.random.default_rng(at + 1)
    return np.where(rng.random(1000) < 0.6 + 0.005 * at, true, rng.integers(0, 5, 1000))


def systems_ranked(number: int, folder: Path) -> Work:
    true = labels(1000, 5)[0]
    systems = {f"s{at}": _system(at) for at in range(number)}
    return lambda: wf.compare(true, systems, "accuracy", replicates=0)


def slices_scored(number: int, folder: Path) -> Work:
    path = folder / "slices.csv"
    true, predicted = labels(20 * number, 4)
    table = np.stack([true, predicted, np.arange(20 * number) % number], 1)
    np.savetxt(path, table, "%d", ",", header="true,pred,lang", comments="")
    return command("score", str(path), "--by", "lang")


def label_sets(size: int, folder: Path) -> Work:
    rng = np.random.default_rng(4)
    every = rng.random((5000, 1000)).argpartition(size, axis=1)[:, :size]
    changed = np.where(rng.random(every.shape) < 0.8, every, 999 - every)
    true, predicted = ([*map(set, side.tolist())] for side in (every, changed))
    return lambda: str(wf.report(wf.count_multilabel(true, predicted)))


def label_set_systems(size: int, folder: Path) -> Work:
    rng = np.random.default_rng(4)
    every = rng.random((500, 1000)).argpartition(size, axis=1)[:, :size]
    systems = {}
    for name in ("A", "B"):
        changed = np.where(rng.random(every.shape) < 0.8, every, 999 - every)
        systems[name] = [*map(set, changed.tolist())]
    true = [*map(set, every.tolist())]
    return lambda: wf.compare(true, systems, "micro_f1", replicates=999)


def clusters_resampled(number: int, folder: Path) -> Work:
    true, predicted = labels(3 * number, 5)
    cluster = np.arange(3 * number) // 3
    method = wf.Bootstrap(replicates=999, seed=7)
    return lambda: wf.averaged_f1(true, predicted, cluster=cluster, interval=method)


def clusters_compared(number: int, folder: Path) -> Work:
    true, one = labels(3 * number, 5)
    _, two = labels(3 * number, 5, seed=0)
    two = np.roll(two, 1)
    cluster = np.arange(3 * number) // 3
    return lambda: wf.compare(true, {"A": one, "B": two}, cluster=cluster, replicates=999)


def columns_read(number: int, folder: Path) -> Work:
    path = folder / "wide.csv"
    names = ["true", "pred", *(f"x{at}" for at in range(number - 2))]
    rows = [",".join(str((row * at) % 3) for at in range(number)) for row in range(1, 21)]
    path.write_text("\n".join([",".join(names), *rows]) + "\n")
    return command("score", str(path))


def probability_columns(number: int, folder: Path) -> Work:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(5)
    scores = rng.dirichlet(np.ones(number), 200)
    true = rng.integers(0, number, 200)
    names = [f"c{at}" for at in range(number)]
    data: dict[str, Any] = {"true": [names[at] for at in true]}
    data |= {name: scores[:, at] for at, name in enumerate(names)}
    path = folder / "probabilities.parquet"
    pq.write_table(pa.table(data), path)
    return lambda: wf.log_loss(path, true="true", score=names)


def parts_merged(number: int, folder: Path) -> Work:
    parts = []
    for at in range(number):
        true, predicted = labels(100, 10, seed=at)
        parts.append(wf.count(true + 10 * at, predicted + 10 * at))
    return lambda: sum(parts)


def files_merged(number: int, folder: Path) -> Work:
    paths = []
    for at in range(number):
        true, predicted = labels(100, 10, seed=at)
        path = folder / f"{at}.json"
        wf.count(true + 10 * at, predicted + 10 * at).save(path)
        paths.append(str(path))
    return command("merge", *paths, "-o", str(folder / "whole.json"))


def classes_of_tree(k: int, folder: Path) -> Work:
    first = next(_FRESH) << 20  # a hierarchy that was seen before is known
    parents: dict[int, Any] = {first + at: first + (at - 1) // 4 for at in range(1, k)}
    true, predicted = labels(5 * k, k)
    options: dict[str, Any] = {"parents": {first: None} | parents}
    return lambda: wf.hierarchical_f1(true + first, predicted + first, **options)


def labels_ranked(k: int, folder: Path) -> Work:
    rng = np.random.default_rng(6)
    true = (rng.random((500, k)) < 0.1).astype(int)
    true[:, 0] = 1
    scores = rng.random((500, k))
    return lambda: wf.label_ranking_loss(true, scores)


def raters_agree(number: int, folder: Path) -> Work:
    marks = np.random.default_rng(7).integers(0, 4, (20_000, number))
    return lambda: wf.krippendorff_alpha(wf.ratings(marks), interval="auto")


def sentences_scored(number: int, folder: Path) -> Work:
    true = [["B-PER", "I-PER", "O", "B-LOC", "O"] * 4] * number
    predicted = [["O"] * (at % 3) + tags[at % 3 :] for at, tags in enumerate(true)]
    options: dict[str, Any] = {"average": "micro", "interval": "auto"}
    return lambda: wf.f1(wf.spans(true, predicted, broken="repair"), **options)


def batches_with_new_labels(number: int, folder: Path) -> Work:
    def work() -> object:
        total = wf.Accumulator()
        for at in range(number):
            total.update(np.arange(20) + 10 * at, np.arange(20) + 10 * at)
        return wf.averaged_f1(total.counts)

    return work


def groups_compared(number: int, folder: Path) -> Work:
    true, predicted = labels(50 * number, 2)
    return lambda: wf.groups(true, predicted, "accuracy", by=np.arange(50 * number) % number)


def classes_saved(k: int, folder: Path) -> Work:
    counts = wf.count(*labels(5 * k, k))

    def work() -> object:
        counts.save(folder / "counts.json")
        return wf.Counts.load(folder / "counts.json")

    return work


def classes_on_a_page(k: int, folder: Path) -> Work:
    report = wf.report(wf.count(*labels(5 * k, k)))
    return lambda: (report.to_html(), report.to_latex(), report.to_json(), report.to_csv())


def _pairs(systems: int) -> int:
    return math.comb(systems, 2)


CASES = (
    Case("items: averaged F1 with interval", (10**6, 4 * 10**6, 16 * 10**6), items_counted, 2000),
    Case("items: AUC with interval", (10**6, 4 * 10**6, 16 * 10**6), items_ranked, 2000),
    Case("items of a CSV: score", (10**5, 4 * 10**5, 16 * 10**5), items_of_file, 500),
    Case("classes: averaged F1 with interval", (10**4, 10**5, 10**6), classes_scored, 4000),
    Case("classes: full text report", (10**3, 10**4, 10**5), classes_reported, 100),
    Case("classes: explain", (10**3, 10**4, 10**5), classes_explained, 100),
    Case("classes: macro AUC of probabilities with interval", (50, 200, 800), classes_ranked, 10),
    Case("systems of a file: compare, all pairs", (10, 20, 40), systems_compared, 3, _pairs),
    Case("systems: compare without resampling, all pairs", (10, 20, 40), systems_ranked, 3, _pairs),
    Case("slices of a CSV: score", (10**2, 10**3, 10**4), slices_scored, 20),
    Case("labels an item: full text report", (20, 100, 400), label_sets, 1),
    Case("labels an item: compare, 999 replicates", (5, 10, 20), label_set_systems, 2),
    Case("clusters: bootstrap, 999 replicates", (10**3, 10**4, 10**5), clusters_resampled, 200),
    Case("clusters: compare, 999 replicates", (10**3, 10**4, 10**5), clusters_compared, 200),
    Case("columns of a CSV: score", (10**4, 5 * 10**4, 25 * 10**4), columns_read, 6000),
    Case("columns of probabilities: log loss", (100, 300, 900), probability_columns, 15),
    Case("parts with new classes: sum", (200, 800, 3200), parts_merged, 100),
    Case("parts with new classes: merge", (100, 300, 900), files_merged, 20),
    Case("batches with new labels: accumulator", (400, 1600, 6400), batches_with_new_labels, 20),
    Case("classes of a tree: hierarchical F1", (10**3, 10**4, 10**5), classes_of_tree, 1000),
    Case("classes: save and load", (10**3, 10**4, 10**5), classes_saved, 200),
    Case(
        "classes: HTML, LaTeX, JSON and CSV of a report", (100, 1000, 10_000), classes_on_a_page, 20
    ),
    Case("labels: label ranking loss", (200, 800, 3200), labels_ranked, 100),
    Case("raters: Krippendorff's alpha with interval", (5, 20, 80), raters_agree, 5),
    Case("sentences: F1 of spans with interval", (2000, 8000, 32_000), sentences_scored, 100),
    Case("groups: accuracy compared", (20, 80, 320), groups_compared, 10),
)


def kilobytes(name: str) -> int:
    """A figure of this process, such as its peak memory (Linux)."""
    found = re.search(name + r":\s+(\d+)", Path("/proc/self/status").read_text())
    return int(found[1]) if found else 0


def cpu() -> float:
    """CPU seconds of this process and those it started, all threads together."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def run_here(case: Case, size: int) -> Cost:
    """Measure the work in this process; small work first, so that imports are not measured."""
    with tempfile.TemporaryDirectory() as warm, tempfile.TemporaryDirectory() as folder:
        case.prepare(case.sizes[0] // 10 + 3, Path(warm))()
        return cost_of(case.prepare(size, Path(folder)))


def cost_of(work: Work) -> Cost:
    """The CPU time of some work, and by how much the memory of this process grew (Linux)."""
    gc.collect()
    with suppress(AttributeError):  # glibc keeps what is freed: used again, it would not be seen
        ctypes.CDLL(None).malloc_trim(0)
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    before, started = kilobytes("VmRSS"), cpu()
    work()
    return Cost(cpu() - started, (kilobytes("VmHWM") - before) / 1024)


def run_apart(case: Case, size: int) -> Cost:
    """The same in a fresh process; the best of several tries."""
    best = Cost(math.inf, math.inf)
    for _ in range(TRIES):
        arguments = [sys.executable, "-m", "benchmarks.growth", "--one", case.what, str(size)]
        ran = subprocess.run(arguments, capture_output=True, text=True, env=os.environ)
        if ran.returncode:
            raise SystemExit(f"{case.what}, {size:,}:\n{ran.stderr}")
        cost = Cost(*json.loads(ran.stdout.splitlines()[-1]))
        best = Cost(*map(min, best, cost))
        if cost.seconds > LONG:
            break
    return best


def exponent(sizes: Sequence[int], costs: Sequence[float]) -> float:
    """The slope of log cost over log size, by least squares."""
    x, y = np.log(sizes), np.log(np.maximum(costs, 1e-9))
    return float(np.polyfit(x, y, 1)[0])


def measure(case: Case) -> Growth:
    """The costs at three sizes, and their exponents."""
    costs = [run_apart(case, size) for size in case.sizes]
    sizes = [case.unit(size) for size in case.sizes]
    time = exponent(sizes, [cost.seconds for cost in costs])
    visible = costs[-1].megabytes > NOISE
    memory = [max(cost.megabytes, 1.0) for cost in costs]
    return Growth(case, costs, time, exponent(sizes, memory) if visible else None)


def table(grown: Sequence[Growth]) -> str:
    """The growths as a Markdown table."""
    lines = [
        "| what grows: work | sizes | CPU time | exponent | peak memory | exponent | at most | |",
        "|---|--:|--:|--:|--:|--:|--:|---|",
    ]
    for case, costs, time, memory in grown:
        sizes = " · ".join(f"{size:,}" for size in case.sizes)
        seconds = " · ".join(f"{cost.seconds:.3g}" for cost in costs) + " s"
        peaks = " · ".join(f"{cost.megabytes:.3g}" for cost in costs) + " MB"
        flat = "–" if memory is None else f"{memory:.2f}"
        mark = "reached" if Growth(case, costs, time, memory).reached else "missed"
        lines.append(
            f"| {case.what} | {sizes} | {seconds} | {time:.2f} | {peaks} | {flat} | {MOST} | "
            f"{mark} |"
        )
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str]) -> int:
    """Measure all cases, or those whose name starts as an argument."""
    if arguments[:1] == ["--one"]:
        case = next(each for each in CASES if each.what == arguments[1])
        print(json.dumps(run_here(case, int(arguments[2]))))
        return 0
    grown = []
    for case in CASES:
        if not arguments or any(case.what.startswith(each) for each in arguments):
            grown.append(measure(case))
            print(table(grown[-1:]).split("\n", 2)[2], end="", flush=True)
    if not arguments:
        missed = [x.case.what for x in grown if not x.reached]
        said = f" Missed: {'; '.join(missed)}." if missed else ""
        counted = f"{len(grown) - len(missed)} of {len(grown)} cases stay below.{said}"
        write_section("Growth", f"{ABOUT} {counted}\n\n{table(grown)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
