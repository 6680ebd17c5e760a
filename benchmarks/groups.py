"""How often intervals across groups contain the truth: writes ``groups.csv`` and a table of the
docs.

Run from the root: ``python -m benchmarks.groups [DATA SETS] [SEED]``; rows that the file has of the
same seed are kept, so a run that was stopped goes on. The items of a group are drawn from
a known confusion matrix, so the true scores are known. Groups are all equal, one is worse, or they
are spread evenly. Intervals with a caution are counted like the others.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import whichf1 as wf
from whichf1.tables.cells import Array

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "groups.md"
START, END = "<!-- groups: made by benchmarks/groups.py -->", "<!-- end of groups -->"
METRICS: dict[str, dict[str, Any]] = {
    "accuracy": {},
    "recall": {"positive": 0},
    "precision": {"positive": 0},
    "averaged_f1": {},
    "cohen_kappa": {},
}
SKILLS: dict[str, Callable[[int], Array]] = {
    "equal": lambda k: np.full(k, 0.8),
    "one worse": lambda k: np.where(np.arange(k) == 0, 0.65, 0.85),
    "spread": lambda k: np.linspace(0.65, 0.9, k),
    "nearly perfect": lambda k: np.full(k, 0.97),
}
"""The fraction of right answers of each of k groups."""
SIZES = (40, 150)
"""Items of a group; every second group has twice as many."""
GROUPS = (2, 3, 8)
STATISTICS = ("difference", "ratio", "worst", "best", "variance")
DATA_SETS = 1000
SEED = 41873
FILE = HERE / "groups.csv"
LEVEL = 0.95


def matrix(skill: float, group: int) -> Array:
    """The shares of a confusion matrix; every second group may have other shares of classes."""
    shares = np.array([0.3, 0.5, 0.2]) if group % 2 else np.array([0.4, 0.3, 0.3])
    table = np.full((3, 3), (1 - skill) / 2)
    np.fill_diagonal(table, skill)
    every: Array = shares[:, None] * table
    return every


def truth(name: str, tables: list[Array]) -> dict[str, float]:
    """The true statistics across groups."""
    huge = [wf.Counts.from_matrix(np.rint(x * 10**9).astype(int), rows="true") for x in tables]
    scores = np.array([wf.score(x, name, **METRICS[name]).value for x in huge])
    low, high = scores.min(), scores.max()
    return {
        "difference": high - low,
        "ratio": low / high,
        "worst": low,
        "best": high,
        "variance": float(scores.var(ddof=1)),
    }


def sample(tables: list[Array], sizes: list[int], rng: np.random.Generator) -> wf.Slices:
    """The items of all groups."""
    drawn = [
        rng.multinomial(n, x.ravel()).reshape(3, 3) for x, n in zip(tables, sizes, strict=True)
    ]
    return wf.Slices(("group",), {(g,): _counted(x) for g, x in enumerate(drawn)})


_counted = partial(wf.Counts.from_matrix, rows="true", labels=[0, 1, 2])


def covered(facts: dict[str, Any]) -> dict[str, Any]:
    """One row: how often each interval contains the truth, and how often the test rejects."""
    name, k, n, kind, data_sets, seed = facts.values()
    rng = np.random.default_rng([seed, k, n, *map(ord, name + kind)])
    skills = SKILLS[kind](k).tolist()
    alike = len({*skills}) == 1  # then all groups are, in every respect
    tables = [matrix(skill, 0 if alike else g) for g, skill in enumerate(skills)]
    sizes = [n * (1 + g % 2) for g in range(k)]
    true, hits, rejected = truth(name, tables), dict.fromkeys(STATISTICS, 0), 0
    options: Any = {**METRICS[name], "interval": wf.Auto(level=LEVEL)}
    for _ in range(data_sets):
        found = wf.groups(sample(tables, sizes, rng), name, **options)
        rejected += found.p_value is not None and found.p_value < 1 - LEVEL
        for each in found.disparities:
            interval = each.interval
            assert interval is not None
            at = true[each.name]
            hits[each.name] += interval.low - 1e-9 <= at <= interval.high + 1e-9
    shares = {x: hits[x] / data_sets for x in STATISTICS}
    shares["ratio"] = shares["ratio"] if name != "cohen_kappa" else float("nan")
    return {**facts, **shares, "rejected": rejected / data_sets}


def rows(data_sets: int, seed: int) -> Iterator[dict[str, Any]]:
    """What distinguishes each row of the table."""
    for name, kind, k, n in product(METRICS, SKILLS, GROUPS, SIZES):
        yield {
            "metric": name,
            "groups": k,
            "items": n,
            "truth": kind,
            "data_sets": data_sets,
            "seed": seed,
        }


def recorded() -> list[dict[str, Any]]:
    """The rows of the file."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def table(measured: list[dict[str, Any]]) -> str:
    """The mean over metrics in percent and, in brackets, the worst of them."""
    lines = [
        "| truth | groups | items | difference | ratio | worst | best | variance | rejected |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    kinds = dict.fromkeys((row["truth"], row["groups"], row["items"]) for row in measured)
    for kind in kinds:
        alike = [row for row in measured if (row["truth"], row["groups"], row["items"]) == kind]
        cells = []
        for name in (*STATISTICS, "rejected"):
            values = [100 * float(row[name]) for row in alike if row[name] not in ("nan", "")]
            worst = max(values) if name == "rejected" else min(values)
            cells.append(f"{np.mean(values):.1f} ({worst:.1f})")
        lines.append(f"| {' | '.join([*map(str, kind), *cells])} |")
    return "\n".join(lines)


def main() -> None:
    words = [*map(int, sys.argv[1:])]
    data_sets, seed = [*words, *[DATA_SETS, SEED][len(words) :]]
    wanted = [*rows(data_sets, seed)]
    done = {tuple(str(row.get(x)) for x in wanted[0]): row for row in recorded()}
    measured = []
    for facts in wanted:
        row = done.get(tuple(map(str, facts.values()))) or covered(facts)
        measured.append({k: f"{v:.4f}" if isinstance(v, float) else v for k, v in row.items()})
        print(*measured[-1].values(), flush=True)
        with FILE.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, [*row], lineterminator="\n")
            writer.writeheader()
            writer.writerows(measured)
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{START}\n{table(measured)}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
