"""Do planned numbers come true? Power, wins of equal systems, and thresholds on other items.

Prints the figures of docs/comparing.md and docs/scores.md, all by the public functions.
Run: python benchmarks/planning.py [power] [wins] [thresholds]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from benchmarks.type_one import SHARES, WAYS, classes_draw
from scipy.special import ndtr

import whichf1 as wf

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


def power(metric: str, shares: str, agreement: float, n: int, apart: float) -> None:
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


def wins(sets: int = 500) -> None:
    """How often one of two equally good systems wins more than 90 % of resampled test sets."""
    rng = np.random.default_rng(12)
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


def thresholds(sets: int = 300) -> None:
    """F1 at the best threshold: its bias and the coverage of its interval."""
    for n, rate, apart in ((100, 0.2, 1.0), (500, 0.2, 1.0), (2000, 0.2, 1.0)):
        rng = np.random.default_rng(13)
        bias: dict[str, list[float]] = {}
        covered: dict[str, list[bool]] = {}
        for _ in range(sets if n < 2000 else sets // 3):
            true = (rng.random(n) < rate).astype(int)
            true[:2] = 0, 1
            scores = apart * true + rng.normal(size=n)
            for correct in (None, "bootstrap", "cross-validation"):
                best: Any = wf.best_threshold(true, scores, "f1", correct=correct)
                hit, false = ndtr(apart - best.threshold), ndtr(-best.threshold)
                truth = 2 * hit * rate / (hit * rate + false * (1 - rate) + rate)
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
            print(f"threshold for F1, n {n}, {rate:.0%} positives, {key}: "
                  f"bias {np.mean(bias[key]):+.3f}, coverage {np.mean(covered[key]):.1%}",
                  flush=True)  # fmt: skip


if __name__ == "__main__":
    asked = sys.argv[1:] or ["power", "wins", "thresholds"]
    if "power" in asked:
        power("accuracy", "50:50", 0.9, 500, 0.03)
        power("averaged_f1", "6:3:1", 0.9, 500, 0.04)
        power("averaged_f1", "50:50", 0.97, 1000, 0.015)
    if "wins" in asked:
        wins()
    if "thresholds" in asked:
        thresholds()
