"""Do planned numbers come true? Power, wins of equal systems, and thresholds on other items.

Prints the figures of docs/comparing.md, and writes those of thresholds to thresholds.csv and
docs/intervals.md; all by the public functions.
Run: python benchmarks/planning.py [power] [wins] [thresholds] [disasters]
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from benchmarks.type_one import SHARES, WAYS, classes_draw
from scipy.special import expit, ndtr

import whichf1 as wf

HERE = Path(__file__).parent
THRESHOLDS, PAGE = HERE / "thresholds.csv", HERE.parent / "docs" / "intervals.md"
START, END = "<!-- thresholds: made by benchmarks/planning.py -->", "<!-- end of thresholds -->"
HEAD = ["items", "correct", "data sets", "bias", "coverage"]
RATE = 0.2
"""The rate of positives, for thresholds."""
PILOTS, TESTS = 40, 50
"""Pilot studies, and test sets that each of them plans."""


def share_rejected(draw: Any, metric: str, times: int, rng: np.random.Generator) -> float:
    """The power: how often a difference is found."""
    found = 0
    for _ in range(times):
        true, systems, options = draw(rng)
        (pair,) = wf.compare(true, systems, metric, replicates=0, **options).pairs
        found += pair.p_value is not None and pair.p_value <= 0.05
    return found / times


class Power(NamedTuple):
    """What was planned as 80 %."""

    at_detectable: float
    at_effect: float
    """With the items needed for the true difference."""


POWERS = (
    ("accuracy", "50:50", 0.9, 500, 0.03),
    ("averaged_f1", "6:3:1", 0.9, 500, 0.04),
    ("averaged_f1", "50:50", 0.97, 1000, 0.015),
)


def power(metric: str, shares: str, agreement: float, n: int, apart: float) -> Power:
    """The power at ``detectable``, and with as many items as needed for an effect."""
    rng = np.random.default_rng(11)
    setting = (SHARES[shares], *WAYS[shares]["alike"], metric, agreement)
    pilot_draw = classes_draw(*setting, n, apart)
    at_detectable: list[float] = []
    at_effect: list[float] = []
    at_observed: list[float] = []
    while len(at_effect) < PILOTS:
        true, systems, options = pilot_draw(rng)
        data = {"replicates": 0, **options}
        (pair,) = wf.compare(true, systems, metric, effect=apart, **data).pairs
        detectable, needed = pair.detectable or 0.0, pair.items_needed or n
        same = classes_draw(*setting, n, detectable)
        at_detectable.append(share_rejected(same, metric, TESTS, rng))
        at_effect.append(share_rejected(classes_draw(*setting, needed, apart), metric, TESTS, rng))
        (pair,) = wf.compare(true, systems, metric, **data).pairs
        if pair.p_value is not None and pair.p_value <= 0.05:  # a pilot that looks promising
            items = pair.items_needed or n
            draw = classes_draw(*setting, items, apart)
            at_observed.append(share_rejected(draw, metric, TESTS, rng))
    observed = f"{np.mean(at_observed):.0%} ({len(at_observed)} pilots)" if at_observed else "–"
    print(
        f"{metric} {shares} agreement {agreement} n {n}: power at detectable "
        f"{np.mean(at_detectable):.0%}; with the items needed for the true difference of {apart}, "
        f"{np.mean(at_effect):.0%}; for the observed one of a significant pilot, {observed}",
        flush=True,
    )
    return Power(float(np.mean(at_detectable)), float(np.mean(at_effect)))


class Sure(NamedTuple):
    """How often one of two equally good systems looks better with more than 90 %."""

    wins: float
    better: float


def wins(sets: int = 500) -> list[Sure]:
    """How often one of two equally good systems wins more than 90 % of resampled test sets."""
    rng, found_sure = np.random.default_rng(12), []
    for shares in ("50:50", "6:3:1"):
        draw = classes_draw(SHARES[shares], *WAYS[shares]["alike"], "averaged_f1", 0.9, 500)
        sure = better = 0
        for _ in range(sets):
            true, systems, options = draw(rng)
            found = wf.compare(true, systems, replicates=199, posterior=True, **options)
            sure += max(found.wins.values()) > 0.9
            chance = (found.pairs[0].posterior or ())[0].better
            better += max(chance, 1 - chance) > 0.9
        print(f"wins above 90 %, two equal systems, {shares}: {sure / sets:.0%}; P(better) "
              f"above 90 %: {better / sets:.0%}", flush=True)  # fmt: skip
        found_sure.append(Sure(sure / sets, better / sets))
    return found_sure


def thresholds(sets: int = 300) -> None:
    """F1 at the best threshold: its bias and the coverage of its interval; to CSV and the page."""
    rows = []
    for n in (100, 500, 2000):
        rng = np.random.default_rng(13)
        bias: dict[str, list[float]] = {}
        covered: dict[str, list[bool]] = {}
        for _ in range(sets):
            true = (rng.random(n) < RATE).astype(int)
            true[:2] = 0, 1
            scores = true + rng.normal(size=n)
            for correct in (None, "bootstrap", "cross-validation"):
                best: Any = wf.best_threshold(true, scores, "f1", correct=correct)
                hit, false = ndtr(1 - best.threshold), ndtr(-best.threshold)
                truth = 2 * hit * RATE / (hit * RATE + false * (1 - RATE) + RATE)
                interval = best.interval
                if correct is None:
                    counts = wf.at_threshold(true, scores, best.threshold)
                    interval = wf.f1(counts, positive=1, interval="auto").interval
                value = best.value if correct is None else best.corrected
                key = correct or "not corrected"
                bias.setdefault(key, []).append(value - truth)
                inside = interval is not None and interval.low <= truth <= interval.high
                covered.setdefault(key, []).append(inside)
        for key in bias:
            share = f"{100 * np.mean(covered[key]):.1f} %"
            rows.append([n, key, sets, f"{np.mean(bias[key]):+.3f}", share])
            print(*rows[-1], flush=True)
    with THRESHOLDS.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([HEAD, *rows])
    write_page()


def write_page() -> None:
    """Put the table of the last run on the page."""
    with THRESHOLDS.open(encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    lines = [head, ["---"] * len(head), *rows]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    PAGE.write_text(f"{before}{START}\n{table}\n{END}{rest.partition(END)[2]}", encoding="utf-8")


def disasters(sets: int = 150) -> None:
    """The power of the t test and of randomization for a log loss in which few items decide."""
    for n, rate, floor in ((500, 0.01, 1e-3), (500, 0.004, 1e-6), (2000, 0.002, 1e-9)):
        for what, other in (("equal", 0.5), ("apart", 1.2)):
            rng, found = np.random.default_rng(1), np.zeros(2)
            for _ in range(sets):
                x = 2 * rng.normal(size=n)
                true = (rng.random(n) < expit(x)).astype(int)
                true[:2] = 0, 1
                systems = {}
                for name, noise in (("A", 0.5), ("B", other)):
                    p = expit(x + noise * rng.normal(size=n))
                    p = np.where(rng.random(n) < rate, np.where(true, floor, 1 - floor), p)
                    systems[name] = np.stack([1 - p, p], 1)
                (pair,) = wf.compare(true, systems, "log_loss", replicates=199).pairs
                found += [(p or 0) <= 0.05 for p in (pair.p_value, pair.p_randomization)]
            print(f"{rate:.1%} of {n} items at {floor:g}, {what}: t {found[0] / sets:.0%}, "
                  f"randomization {found[1] / sets:.0%}", flush=True)  # fmt: skip


if __name__ == "__main__":
    asked = sys.argv[1:] or ["power", "wins", "thresholds", "disasters"]
    if "disasters" in asked:
        disasters()
    if "power" in asked:
        for setting in POWERS:
            power(*setting)
    if "wins" in asked:
        wins()
    if "thresholds" in asked:
        thresholds()
