"""How often bands of curves contain the true curve: writes ``bands.csv`` and the table of the docs.

Run from the root: ``python -m benchmarks.bands [DATA SETS]``. Positives are normal with mean d,
negatives standard normal, so the true curves are known; scores are calibrated probabilities.
"""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit
from scipy.stats import norm

import whichf1 as wf
from whichf1.statistics.bands import AT, DRAWS, ThresholdRates, draw_rates, enclosing

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "intervals.md"
CASES = (
    (60, 0.5, 2.0, 0.0),
    (200, 0.2, 1.0, 0.0),
    (1000, 0.1, 1.5, 0.0),
    (300, 0.3, 1.0, 0.5),
    (300, 0.3, 1.0, 1.0),
)
"""Items, fraction of positives, distance of the means, and how much weights vary: the coefficient
of variation of log-normal ones."""
PLACES = np.concatenate([[0.02, 0.05], np.linspace(0.1, 0.9, 17), [0.95]])
DATA_SETS = 300


def true_rates(share: float, distance: float) -> ThresholdRates:
    """The rates of the population at many thresholds; scores are calibrated probabilities."""
    z = np.linspace(9 + distance, -9, 40_001)
    score = expit(np.log(share / (1 - share)) + distance * z - distance**2 / 2)
    return ThresholdRates(score, norm.sf(z - distance), norm.sf(z), np.array([share]))


def sample(
    n: int, share: float, distance: float, rng: np.random.Generator, spread: float = 0.0
) -> wf.Ranking:
    true = (rng.random(n) < share).astype(int)
    true[:2] = 0, 1  # some of each
    z = rng.normal(distance * true)
    score = expit(np.log(share / (1 - share)) + distance * z - distance**2 / 2)
    weights = np.exp(np.sqrt(np.log1p(spread**2)) * rng.normal(size=n)) if spread else None
    return wf.rank(true, score, positive=1, weights=weights)


def f1(rates: ThresholdRates) -> Any:
    hits, alarms = rates.prevalence * rates.tpr, (1 - rates.prevalence) * rates.fpr
    return 2 * hits / (hits + alarms + rates.prevalence)


def covered(
    n: int, share: float, distance: float, spread: float, data_sets: int
) -> list[dict[str, Any]]:
    """How often each band of a case contains the truth."""
    rng = np.random.default_rng([n, 17, int(100 * spread)] if spread else [n, 17])
    population = true_rates(share, distance)
    shapes = [*AT, "F1 by threshold"]
    cuts = population.threshold[np.searchsorted(population.tpr, PLACES)]
    truth = {shape: AT[shape](PLACES, population) for shape in AT}
    at = np.searchsorted(-population.threshold, -cuts)
    truth["F1 by threshold"] = f1(population)[at]
    hits = {shape: np.zeros(len(PLACES)) for shape in shapes}
    whole, widths = dict.fromkeys(shapes, 0), {shape: np.zeros(2) for shape in shapes}
    for _ in range(data_sets):
        ranking = sample(n, share, distance, rng, spread)
        drawn = draw_rates(ranking, 0, DRAWS)
        for shape in shapes:
            if shape in AT:
                values = np.stack([AT[shape](PLACES, rates) for rates in drawn.each()])
            else:
                place = np.searchsorted(-drawn.threshold, -cuts, side="right") - 1
                values = f1(drawn)[:, place]
            for simultaneous in (False, True):
                band = enclosing(PLACES, values, 0.95, simultaneous)
                inside = (band.low <= truth[shape] + 1e-12) & (truth[shape] <= band.high + 1e-12)
                widths[shape][int(simultaneous)] += float((band.high - band.low).mean())
                if simultaneous:
                    whole[shape] += bool(inside.all())
                else:
                    hits[shape] += inside
    return [
        {
            "curve": shape,
            "items": n,
            "positives": share,
            "distance": distance,
            "weights_cv": spread,
            "data_sets": data_sets,
            "pointwise_mean": round(float(hits[shape].mean()) / data_sets, 4),
            "pointwise_least": round(float(hits[shape].min()) / data_sets, 4),
            "simultaneous": round(whole[shape] / data_sets, 4),
            "width_pointwise": round(widths[shape][0] / data_sets, 4),
            "width_simultaneous": round(widths[shape][1] / data_sets, 4),
        }
        for shape in shapes
    ]


def table(path: Path = HERE / "bands.csv") -> str:
    """The table of the docs: coverage in percent of each curve, for each number of items."""
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    sizes = list(dict.fromkeys((row["items"], row["weights_cv"]) for row in rows))
    names = [f"{n} items" + (f", cv {cv}" if float(cv) else "") for n, cv in sizes]
    heads = [f"{kind}, {name}" for kind in ("pointwise", "simultaneous") for name in names]
    lines = [f"| curve | {' | '.join(heads)} |", f"| --- |{' ---: |' * len(heads)}"]
    for curve in dict.fromkeys(row["curve"] for row in rows):
        mine = {(row["items"], row["weights_cv"]): row for row in rows if row["curve"] == curve}
        cells = [
            f"{100 * float(mine[x]['pointwise_mean']):.1f} "
            f"({100 * float(mine[x]['pointwise_least']):.1f})"
            for x in sizes
        ]
        cells += [f"{100 * float(mine[x]['simultaneous']):.1f}" for x in sizes]
        lines.append(f"| {curve} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def write_page() -> None:
    """Put the table on the page."""
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(re.sub(r"\| curve \| pointwise(?:.+\n)+", table(), text), encoding="utf-8")


if __name__ == "__main__":
    data_sets = int(sys.argv[1]) if len(sys.argv) > 1 else DATA_SETS
    found = [row for case in CASES for row in covered(*case, data_sets)]
    with open(HERE / "bands.csv", "w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, [*found[0]], lineterminator="\n")
        writer.writeheader()
        writer.writerows(found)
    write_page()
