"""Ratings, spans and hierarchies: how often intervals cover, and how long scores take.

Run from the root: ``python -m benchmarks.structures coverage [DATA SETS]`` writes the file
``structures.csv`` and the tables of the docs, ``… speed`` the file ``structures_speed.csv``. The
true value of a score is that of very many items.

Raters give the true category of an item with some probability, and otherwise one by its share.
Sentences differ in how hard they are, so the spans of a sentence are correlated.
"""

from __future__ import annotations

import csv
import gc
import re
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import whichf1 as wf
from whichf1.errors import WhichF1Error

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
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
MANY = 100_000
"""Items of the table that the true value is computed from."""


@dataclass(frozen=True)
class Raters:
    """A way to draw ratings."""

    shares: tuple[float, ...]
    hit: float
    raters: int
    missing: float

    kind: ClassVar[str] = "raters"
    scores: ClassVar[tuple[str, ...]] = SCORES

    def draw(self, items: int, rng: np.random.Generator) -> wf.Ratings:
        k, size = len(self.shares), (items, self.raters)
        true = rng.choice(k, items, p=self.shares)
        guess = rng.choice(k, size, p=self.shares)
        rated = np.where(rng.random(size) < self.hit, true[:, None], guess).astype(float)
        rated[rng.random(size) < self.missing] = np.nan
        return wf.ratings(rated, labels=range(k))


@dataclass(frozen=True)
class Sentences:
    """A way to draw spans: (type, found, also predicted elsewhere) for each true span."""

    shares: tuple[float, ...]
    hit: float
    spans: int
    spread: float
    """How much sentences differ in how many spans are found."""

    kind: ClassVar[str] = "spans"
    scores: ClassVar[tuple[str, ...]] = (
        "averaged_f1",
        "f1_of_averages",
        "micro_f1",
        "macro_recall",
    )

    def draw(self, items: int, rng: np.random.Generator) -> wf.SpanCounts:
        names = [f"t{at}" for at in range(len(self.shares))]
        true, pred = [], []
        for size in rng.poisson(self.spans, items).tolist():
            a, b = self.hit * self.spread, (1 - self.hit) * self.spread
            hit = rng.beta(a, b)
            kinds = rng.choice(len(names), size, p=self.shares).tolist()
            own = [(2 * at, 2 * at + 1, names[kind]) for at, kind in enumerate(kinds)]
            true.append(own)
            found = [x for x in own if rng.random() < hit]
            wrong = rng.poisson(self.spans * (1 - hit))
            other = rng.choice(names, wrong, p=self.shares).tolist()
            pred.append(found + [(100 + at, 101 + at, kind) for at, kind in enumerate(other)])
        return wf.spans(true, pred, scheme="offsets", labels=names)


def covered(case: Any, items: int, data_sets: int) -> list[dict[str, Any]]:
    """How often each interval of a case contains the true value, and how often it has a caution."""
    population = case.draw(MANY // (1 if case.kind == "raters" else 5), np.random.default_rng(1))
    truth = {name: wf.score(population, name).value for name in case.scores}
    rng = np.random.default_rng([items, int(100 * case.hit), 17])
    hits = {(name, method): [0, 0, 0] for name, method in product(case.scores, METHODS)}
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
    facts = {"kind": case.kind, "items": items, "data_sets": data_sets}
    facts |= {"case": " ".join(f"{x}={y}" for x, y in asdict(case).items())}
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


TYPES = ((0.5, 0.5), (0.7, 0.2, 0.1))
CASES: list[Any] = [
    *(Raters(*x[:2], *x[2]) for x in product(SHARES, HITS, RATERS)),
    *(Sentences(x, hit, 2, spread) for x, hit, spread in product(TYPES, (0.6, 0.9), (1.0, 5.0))),
]


def coverage(data_sets: int) -> None:
    rows: list[dict[str, Any]] = []
    for case, items in product(CASES, ITEMS):
        rows += covered(case, items, data_sets)
    with open(HERE / "structures.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def tables() -> None:
    """Write the tables of the docs."""
    with open(HERE / "structures.csv", encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    for kind in ("raters", "spans"):
        page = DOCS / f"{kind}.md"
        text, own = page.read_text(encoding="utf-8"), [x for x in rows if x["kind"] == kind]
        marks = rf"(<!-- coverage of {kind} -->\n).*?(<!-- end -->)"
        begin, end = re.split(marks, text, flags=re.DOTALL)[0::3]
        page.write_text(
            f"{begin}<!-- coverage of {kind} -->\n{table(own)}<!-- end -->{end}", encoding="utf-8"
        )


def table(rows: list[dict[str, Any]]) -> str:
    """The mean coverage for each method and number of items: of all, and without a caution."""
    lines = ["| items | " + " | ".join(METHODS) + " |"]
    lines.append("| ---: |" + " --- |" * len(METHODS))
    for items in ITEMS:
        cells = []
        for method in METHODS:
            own = [x for x in rows if (int(x["items"]), x["method"]) == (items, method)]
            whole = np.mean([float(x["covered"]) for x in own])
            plain = [
                (float(x["covered_without_caution"]), int(x["without_caution"]))
                for x in own
                if x["covered_without_caution"]
            ]
            share = sum(n for _, n in plain) / sum(int(x["data_sets"]) for x in own)
            total = sum(n for _, n in plain)
            kept = f"{sum(x * n for x, n in plain) / total:.3f}" if total else "–"
            cells.append(f"{whole:.3f}; {kept} in {100 * share:.0f} %")
        lines.append(f"| {items} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


# speed

N = 1_000_000
TIMES = 2


def speed() -> None:
    """CPU seconds of ours and of peers, in turns; the best of each."""
    rows = []
    for name, ours, theirs in contests():
        best = {"whichf1": np.inf, name[1]: np.inf}
        for _ in range(TIMES):
            for who, call in (("whichf1", ours), (name[1], theirs)):
                gc.collect()
                start = time.process_time()
                call()
                best[who] = min(best[who], time.process_time() - start)
        ratio = best[name[1]] / best["whichf1"]
        row = {"score": name[0], "items": N, "peer": name[1]}
        row |= {"whichf1_s": round(best["whichf1"], 4), "peer_s": round(best[name[1]], 3)}
        rows.append({**row, "times": round(ratio, 1)})
        print(rows[-1], flush=True)
    with open(HERE / "structures_speed.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


Contest = tuple[tuple[str, str], Callable[[], Any], Callable[[], Any]]


def contests() -> list[Contest]:
    import krippendorff
    from hiclass import metrics as hiclass
    from nervaluate import Evaluator
    from seqeval import metrics as seqeval
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    rng = np.random.default_rng(3)
    rated = rng.integers(0, 5, (N, 3))
    missing = np.where(rng.random(rated.shape) < 0.1, np.nan, rated)
    few = N // 20  # peers take a minute for more
    tags = [["B-PER", "I-PER", "O", "B-LOC", "O"], ["O", "B-ORG", "O", "B-PER", "O"]]
    wrong = [["B-PER", "O", "O", "B-LOC", "O"], ["O", "B-ORG", "O", "B-LOC", "O"]]
    true = [tags[x] for x in rng.integers(0, 2, few).tolist()]
    pred = [(tags if x else wrong)[x % 2] for x in rng.integers(0, 4, few).tolist()]
    leaves = np.array([["animal", "cat"], ["animal", "dog"], ["plant", "rose"]])
    parents = {"cat": "animal", "dog": "animal", "rose": "plant", "animal": None, "plant": None}
    a, b = rng.integers(0, 3, (2, N))
    classes, guesses = leaves[a, 1], leaves[b, 1]
    paths = leaves[a], leaves[b]

    def alpha() -> Any:
        return wf.krippendorff_alpha(wf.ratings(missing), level="interval")

    return [
        (("fleiss_kappa", "statsmodels"), lambda: wf.fleiss_kappa(wf.ratings(rated)),
         lambda: fleiss_kappa(aggregate_raters(rated)[0])),
        (("krippendorff_alpha(level=interval)", "krippendorff"), alpha,
         lambda: krippendorff.alpha(missing.T, level_of_measurement="interval")),
        ((f"micro_f1 of spans of {few:,} sentences", "seqeval"),
         lambda: wf.micro_f1(wf.spans(true, pred)),
         lambda: seqeval.f1_score(true, pred)),
        ((f"type matching of {few:,} sentences", "nervaluate"),
         lambda: wf.micro_f1(wf.spans(true, pred, match="type")),
         lambda: Evaluator(true, pred, tags=["PER", "LOC", "ORG"]).evaluate()),
        (("hierarchical_f1", "hiclass"),
         lambda: wf.hierarchical_f1(classes, guesses, parents=parents),
         lambda: hiclass.f1(*paths)),
    ]  # fmt: skip


def main() -> None:
    warnings.simplefilter("ignore")
    what, *rest = sys.argv[1:] or ["coverage"]
    if what == "speed":
        speed()
        return
    if what == "coverage":
        coverage(int(rest[0]) if rest else DATA_SETS)
    tables()


if __name__ == "__main__":
    main()
