"""How often intervals across groups contain the truth: writes ``groups.csv`` and a table of the
docs.

Run from the root: ``python -m benchmarks.groups [DATA SETS]``, or with ``speed`` in place of the
number to compare with fairlearn. The items of a group are drawn from
a known confusion matrix, so the true scores are known. Groups are all equal, one is worse, or they
are spread evenly.
"""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import whichf1 as wf
from whichf1.comparison.disparity import compare_groups
from whichf1.definitions.methods import Auto
from whichf1.scoring.subject import of_slices
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
DATA_SETS = 400
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


def covered(name: str, kind: str, k: int, n: int, data_sets: int) -> dict[str, Any]:
    """One row: how often each interval contains the truth, and how often the test rejects."""
    rng = np.random.default_rng([k, n, *map(ord, name + kind)])
    skills = SKILLS[kind](k).tolist()
    alike = len({*skills}) == 1  # then all groups are, in every respect
    tables = [matrix(skill, 0 if alike else g) for g, skill in enumerate(skills)]
    sizes = [n * (1 + g % 2) for g in range(k)]
    true, hits, rejected = truth(name, tables), dict.fromkeys(STATISTICS, 0), 0
    definition = getattr(wf, name).definition(**METRICS[name], interval=Auto(level=LEVEL))
    for _ in range(data_sets):
        found = compare_groups(of_slices(sample(tables, sizes, rng)), [definition])
        rejected += found.p_value is not None and found.p_value < 1 - LEVEL
        for each in found.disparities:
            interval = each.interval
            assert interval is not None
            at = true[each.name]
            hits[each.name] += interval.low - 1e-9 <= at <= interval.high + 1e-9
    row = {"metric": name, "groups": k, "items": n, "truth": kind, "data_sets": data_sets}
    found_ratio = {x: hits[x] / data_sets for x in STATISTICS}
    found_ratio["ratio"] = found_ratio["ratio"] if name != "cohen_kappa" else float("nan")
    return {**row, **found_ratio, "rejected": rejected / data_sets}


def rows(data_sets: int) -> Iterator[dict[str, Any]]:
    """All rows of the table."""
    for name in METRICS:
        for kind in SKILLS:
            for k in GROUPS:
                for n in SIZES:
                    yield covered(name, kind, k, n, data_sets)


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


def speed(items: int = 10**6, rounds: int = 3) -> Iterator[tuple[str, float, float]]:
    """CPU seconds of fairlearn and of ours, which has intervals as well, in turns; the best."""
    from fairlearn.metrics import MetricFrame, equalized_odds_difference
    from sklearn.metrics import accuracy_score

    rng = np.random.default_rng(0)
    true, group = rng.integers(0, 2, items), rng.integers(0, 4, items)
    pred = np.where(rng.random(items) < 0.8, true, 1 - true)
    sides = {"y_true": true, "y_pred": pred, "sensitive_features": group}
    theirs: dict[str, Callable[[], Any]] = {
        "equalized_odds": lambda: equalized_odds_difference(**sides),
        "accuracy": lambda: MetricFrame(metrics=accuracy_score, **sides).difference(),
    }
    for name, their in theirs.items():
        both: list[Callable[[], Any]] = [
            their,
            lambda name=name: wf.groups(true, pred, name, by=group).difference,  # type: ignore[misc]
        ]
        best = [float("inf")] * 2
        for _ in range(rounds):
            for at, run in enumerate(both):
                begun = time.process_time()
                run()
                best[at] = min(best[at], time.process_time() - begun)
        yield name, best[0], best[1]


def main() -> None:
    if sys.argv[1:] == ["speed"]:
        for name, their, own in speed():
            print(f"{name}: fairlearn {their:.3f} s, whichf1 {own:.3f} s, {their / own:.0f} times")
        return
    data_sets = int(sys.argv[1]) if len(sys.argv) > 1 else DATA_SETS
    with open(HERE / "groups.csv", "w", encoding="utf-8", newline="") as file:
        for at, row in enumerate(rows(data_sets)):
            writer = csv.DictWriter(file, [*row])
            if at == 0:
                writer.writeheader()
            writer.writerow({k: f"{v:.4f}" if isinstance(v, float) else v for k, v in row.items()})
            print(*row.values(), flush=True)
    with open(HERE / "groups.csv", encoding="utf-8") as file:
        shown = table([*csv.DictReader(file)])
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{START}\n{shown}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
