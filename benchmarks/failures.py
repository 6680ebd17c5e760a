"""What an earlier version got wrong, measured again: writes failures.csv and a table of the docs.

Each row is a setting in which intervals or tests of the delta method failed when they were first
simulated outside the grid, with what was measured then and what the same call gives now. Only the
public functions are called.
Run: python -m benchmarks.failures [--data-sets 2000] [--page]
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from benchmarks import cells, planning, type_one
from benchmarks.coverage import holds, measure
from scipy.special import expit

import whichf1 as wf

HERE = Path(__file__).parent
RESULTS, PAGE = HERE / "failures.csv", HERE.parent / "docs" / "intervals.md"
START, END = "<!-- failures: made by benchmarks/failures.py -->", "<!-- end of failures -->"


class Row(NamedTuple):
    setting: str
    score: str
    then: str
    now: str


class Covered(NamedTuple):
    """Settings of which the coverage is measured, with one score each."""

    setting: str
    score: str
    then: str
    of: tuple[tuple[cells.Cell, str], ...]


def coverages() -> Iterator[Covered]:
    """The settings of intervals, nominal level 95 %."""
    few, guess = (cells.Classes(2, *x) for x in (("90:10", 0.99, "even", 1000), GUESS))
    eight = cells.Classes(8, "even", 0.99, "even", 500)
    rare = "2 classes 90:10, 100 of the rare, accuracy .99"
    yield Covered(rare, "macro recall", "72 / 81 (delta / BCa)", ((few, "macro R"),))
    scores = ("averaged F1", "kappa", "MCC", "F2 of a class")
    yield Covered(
        "2 classes 99:1, guessing, 5,000 items",
        ", ".join(scores),
        "36.5 / 40.4",
        tuple((guess, score) for score in scores),
    )
    of_eight = "8 classes, 500 items, accuracy .99"
    yield Covered(of_eight, "quadratic kappa", "61 / 62", ((eight, "quadratic kappa"),))
    yield Covered(of_eight, "LR+ of a class", "0", ((eight, "LR+ of a class"),))
    clusters = (cells.Clusters(3, "tapering", 0.8, 0.3, n, "skewed") for n in (20, 50, 200))
    yield Covered(
        "20, 50, 200 clusters of skewed size, ICC .3",
        "averaged F1",
        "83; 90; 92",
        tuple((cell, "averaged F1") for cell in clusters),
    )
    heavy = cells.Weights(3, "tapering", 0.9, 1.0, 2.0, 100)
    what = "weights twice as large on errors, cv 1, 100 items"
    yield Covered(what, "averaged F1", "88", ((heavy, "averaged F1"),))
    ranked = (
        cells.Rankings(0.99, 2.0, 30, 470),
        cells.Rankings(0.99, 2.0, 20, 1980),
        cells.Rankings(0.9, 1.0, 10, 490),
    )
    yield Covered(
        "AUC .99, 30 of 500 positive, sd 2; 20 of 2,000; AUC .9, 10 of 500",
        "ROC AUC",
        "78; 86; 90",
        tuple((cell, "ROC AUC") for cell in ranked),
    )
    lost = (
        cells.Losses("calibrated", 0.5, 30),
        cells.Losses("overconfident", 0.5, 100),
        cells.Losses("floor", 0.5, 1000),
    )
    yield Covered(
        "30 items; overconfident, 100; 0.5 % of 1,000 surely wrong",
        "log loss",
        "90; 91.5; 90",
        tuple((cell, "log loss") for cell in lost),
    )


GUESS: Any = ("99:1", 0.0, "even", 5000)


def covered_row(row: Covered, times: int) -> Row:
    """The coverage of all data sets, and how many of them have a caution."""
    parts = []
    for cell, score in row.of:
        (result,) = measure(cell, [score], times, seed=15, widths=0)
        warned = f" ({result.cautioned:.0f} % cautioned)" if result.cautioned >= 1 else ""
        parts.append(f"{result.covered:.1f}{warned}")
    return Row(row.setting, row.score, row.then, "; ".join(parts))


def no_hit_row() -> Row:
    """A rare class that is never found."""
    score = wf.mcc(wf.Counts.from_matrix([[4900, 50], [50, 0]], rows="true"), interval="auto")
    now = f"{score.value:.4f} {score.interval:.4f}".replace("-", "−")
    return Row("[[4900, 50], [50, 0]]", "MCC", "−0.0101 [−0.0122, −0.0083]", now)


def calibration_row(times: int) -> Row:
    """Probabilities that are calibrated, and some that are a little off, of 500 items."""
    rng, shares = np.random.default_rng(16), []
    for slope in (1.0, 1.25):
        truth = calibration(slope, 400_000, rng).value if slope != 1 else 0.0
        hits = 0
        for _ in range(times):
            interval = calibration(slope, 500, rng, interval="auto").interval
            hits += interval is not None and holds(interval, truth)
        shares.append(f"{100 * hits / times:.1f} (truth {truth:.3f})")
    what = "calibrated probabilities; miscalibrated, 500 items"
    then = "0; 65 (ECE, truth .038)"
    return Row(what, "debiased calibration error", then, "; ".join(shares))


def calibration(slope: float, n: int, rng: np.random.Generator, **options: Any) -> wf.Score:
    logit = 1.5 * rng.normal(size=n)
    true = (rng.random(n) < expit(logit)).astype(int)
    return wf.debiased_calibration_error(true, expit(slope * logit), **options)


def threshold_row() -> Row:
    """The best threshold of the same items, from the table of ``benchmarks/planning.py``."""
    with planning.THRESHOLDS.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["correct"] != "not corrected"]
    shares = [float(row["coverage"].removesuffix(" %")) for row in rows]
    biases = [abs(float(row["bias"])) for row in rows]
    now = f"{min(shares)}–{max(shares)}; optimism at most {max(biases):.3f} (`correct=`)"
    then = "80–92; optimism .059, .050, .018"
    return Row("best F1 threshold on the same 100, 500, 2,000 items", "F1", then, now)


def level_rows(times: int) -> Iterator[Row]:
    """How often tests of equal systems reject at 5 %."""
    areas = [type_one.ranking_cell(0.95, 2, 0.6, n, 480) for n in (20, 50)]
    clusters = [type_one.clusters_cell(n, 1.0, "unlike") for n in (20, 50)]
    losses = [type_one.loss_cell("unlike", 100)]
    yield rejected("AUC .95 of unequal shapes, 20; 50 positives", "14.3; 9.8", areas, times)
    yield rejected("log loss of equal means, 100 items", "8.8", losses, times)
    yield rejected("20; 50 clusters of skewed size", "12.9; 7.2", clusters, times)


def rejected(setting: str, then: str, settings: list[type_one.Cell], times: int) -> Row:
    parts = []
    for cell in settings:
        row = type_one.run(cell, times)
        warned = f" ({100 * row.cautioned:.0f} % cautioned)" if row.cautioned >= 0.01 else ""
        parts.append(f"{100 * row.rejected:.1f}{warned}")
    return Row(setting, "type I error", then, "; ".join(parts))


def planned_rows() -> Iterator[Row]:
    """Power, and how sure two equal systems look."""
    found = [planning.power(*setting) for setting in planning.POWERS]
    spans = [
        f"{100 * min(x):.0f}–{100 * max(x):.0f} %"
        for x in zip(*((x.at_detectable, x.at_effect) for x in found), strict=True)
    ]
    yield Row("power of 80 % at `detectable`", "power", "68–71 %", spans[0])
    what = "power of 80 % with `items_needed`, after a significant pilot; now for `effect=`"
    yield Row(what, "power", "21–61 %", spans[1])
    better = [x.better for x in planning.wins()]
    now = f"{100 * min(better):.0f}–{100 * max(better):.0f} % (20 % is exact)"
    yield Row("two equal systems: P(better) above .9", "posterior", "22 % (P(best))", now)


def every_row(times: int) -> Iterator[Row]:
    """All rows, one after the other."""
    for row in coverages():
        yield covered_row(row, times)
    yield no_hit_row()
    yield calibration_row(min(times, 1000))
    yield threshold_row()
    yield from level_rows(times)
    yield from planned_rows()


def write_page() -> None:
    """Put the results of the last run on the page."""
    with RESULTS.open(encoding="utf-8") as file:
        rows = [*csv.reader(file)]
    lines = [rows[0], ["---"] * len(rows[0]), *rows[1:]]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    PAGE.write_text(f"{before}{START}\n{table}\n{END}{rest.partition(END)[2]}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=2000)
    parser.add_argument("--page", action="store_true", help="only put the last results on the page")
    options = parser.parse_args()
    if not options.page:
        rows: list[Row] = []
        for row in every_row(options.data_sets):
            print(*row, sep=" | ", flush=True)
            rows.append(row)
        with RESULTS.open("w", newline="", encoding="utf-8") as file:
            writer: Callable[..., Any] = csv.writer(file, lineterminator="\n").writerows
            writer([Row._fields, *rows])
    write_page()


if __name__ == "__main__":
    main()
