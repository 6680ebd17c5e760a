"""How often intervals of structured data cover: writes ``structures.csv`` and a table of the docs.

Run from the root: ``python -m benchmarks.structures coverage [DATA SETS]``. Raters give the true
category of an item with some probability, and otherwise one by its share, so that the true value is
known from a table of all possible items.
"""

from __future__ import annotations

import csv
import re
import sys
import warnings
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import whichf1 as wf
from whichf1.errors import WhichF1Error

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "raters.md"
DATA_SETS = 200
SHARES = ((0.5, 0.5), (0.9, 0.1), (0.6, 0.2, 0.1, 0.1))
HITS = (0.3, 0.7, 0.95)
RATERS = ((2, 0.0), (4, 0.3))
"""How many, and how many of their ratings are missing."""
ITEMS = (20, 50, 200)
SCORES = (
    *("accuracy", "fleiss_kappa", "gwet_ac1(weighting=linear)", "brennan_prediger"),
    *("krippendorff_alpha", "krippendorff_alpha(level=interval)"),
)
METHODS: dict[str, Any] = {
    "auto": "auto",
    "delta": "delta",
    "bootstrap": wf.Bootstrap(replicates=199),
}
MANY = 200_000
"""Items of the table that the true value is computed from."""


class Case(NamedTuple):
    """A way to draw ratings."""

    shares: tuple[float, ...]
    hit: float
    raters: int
    missing: float

    def draw(self, items: int, rng: np.random.Generator) -> wf.Ratings:
        k, size = len(self.shares), (items, self.raters)
        true = rng.choice(k, items, p=self.shares)
        guess = rng.choice(k, size, p=self.shares)
        rated = np.where(rng.random(size) < self.hit, true[:, None], guess).astype(float)
        rated[rng.random(size) < self.missing] = np.nan
        return wf.ratings(rated, labels=range(k))


def covered(case: Case, items: int, data_sets: int) -> list[dict[str, Any]]:
    """How often each interval of a case holds the true value, and how often it has a caution."""
    population = case.draw(MANY, np.random.default_rng(1))
    truth = {name: wf.score(population, name).value for name in SCORES}
    rng = np.random.default_rng([items, case.raters, 17])
    hits = {(name, method): [0, 0, 0] for name, method in product(SCORES, METHODS)}
    drawn = 0
    while drawn < data_sets:
        try:
            ratings = case.draw(items, rng)
        except WhichF1Error:  # no item has two ratings
            continue
        drawn += 1
        for (name, method), counted in hits.items():
            interval = wf.score(ratings, name, interval=METHODS[method]).interval
            counted[0] += interval is not None and interval.low <= truth[name] <= interval.high
            counted[1] += interval is None
            counted[2] += interval is not None and interval.caution is None
            if interval is not None and interval.caution is None:
                counted.append(interval.low <= truth[name] <= interval.high)
    facts = {
        "shares": " ".join(map(str, case.shares)),
        "hit": case.hit,
        "raters": case.raters,
        "missing": case.missing,
        "items": items,
        "data_sets": data_sets,
    }
    return [
        {
            **facts,
            "score": name,
            "method": method,
            "covered": round(hit / data_sets, 4),
            "no_interval": none,
            "without_caution": plain,
            "covered_without_caution": round(sum(kept) / plain, 4) if plain else "",
        }
        for (name, method), (hit, none, plain, *kept) in hits.items()
    ]


def coverage(data_sets: int) -> None:
    rows = []
    for case in (Case(*x[:2], *x[2]) for x in product(SHARES, HITS, RATERS)):
        for items in ITEMS:
            rows += covered(case, items, data_sets)
    with open(HERE / "structures.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    text = PAGE.read_text(encoding="utf-8")
    marks = r"(<!-- coverage of raters -->\n).*?(<!-- end -->)"
    PAGE.write_text(
        re.sub(marks, lambda m: m[1] + table(rows) + m[2], text, flags=re.DOTALL), encoding="utf-8"
    )


def table(rows: list[dict[str, Any]]) -> str:
    """The mean and the least coverage for each method and number of items."""
    lines = ["| items | " + " | ".join(f"{x}: mean, least" for x in METHODS) + " |"]
    lines.append("| ---: |" + " ---: |" * len(METHODS))
    for items in ITEMS:
        cells = []
        for method in METHODS:
            own = [x["covered"] for x in rows if (x["items"], x["method"]) == (items, method)]
            cells.append(f"{np.mean(own):.3f}, {min(own):.3f}")
        lines.append(f"| {items} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    warnings.simplefilter("ignore")
    what, *rest = sys.argv[1:] or ["coverage"]
    if what != "coverage":
        raise SystemExit(f"coverage, not {what}")
    coverage(int(rest[0]) if rest else DATA_SETS)


if __name__ == "__main__":
    main()
