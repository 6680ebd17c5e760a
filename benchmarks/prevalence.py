"""How often intervals of reweighted scores contain the truth: writes ``prevalence.csv`` and a table
of the docs.

Run from the root: ``python -m benchmarks.prevalence [DATA SETS]``. Items are drawn from a known
confusion matrix of three classes, of which one is rare, and scaled to equal shares or to shares in
the opposite order. The shares of the classes in a data set are random.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import whichf1 as wf
from whichf1.scoring.evaluate import evaluate
from whichf1.tables.cells import Array

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "prevalence.md"
START, END = "<!-- prevalence: made by benchmarks/prevalence.py -->", "<!-- end of prevalence -->"
METRICS: dict[str, dict[str, Any]] = {
    "accuracy": {},
    "averaged_f1": {},
    "cohen_kappa": {},
    "mcc": {},
    "precision": {"positive": 2},
    "f1": {"positive": 0},
}
SHARES = {"uniform": "uniform", "reversed": {0: 0.1, 1: 0.25, 2: 0.65}}
PRESENT = np.array([0.65, 0.25, 0.1])
"""The shares of the classes where items come from."""
SKILLS = (0.75, 0.95)
SIZES = (100, 300, 1000)
METHODS = ("auto", "delta")
DATA_SETS = 600
LEVEL = 0.95


def population(skill: float) -> Array:
    """The shares of the cells."""
    table = np.full((3, 3), (1 - skill) / 2)
    np.fill_diagonal(table, skill)
    cells: Array = PRESENT[:, None] * table
    return cells


def covered(
    name: str, shares: str, skill: float, n: int, method: str, data_sets: int
) -> dict[str, Any]:
    """One row: how often the interval contains the score of the reweighted population."""
    rng = np.random.default_rng([n, int(100 * skill), *map(ord, name + shares + method)])
    cells = population(skill)
    options: Any = {**METRICS[name], "class_shares": SHARES[shares]}
    plain = getattr(wf, name).definition(**options)
    huge = wf.Counts.from_matrix(np.rint(cells * 10**9).astype(int), rows="true")
    truth = evaluate(plain, huge).value
    definition = getattr(wf, name).definition(**options, interval=method)
    hits = scored = cautioned = 0
    for _ in range(data_sets):
        drawn = rng.multinomial(n, cells.ravel()).reshape(3, 3)
        if not drawn.sum(1).all():
            continue  # a class without items has nothing to scale
        interval = evaluate(definition, wf.Counts.from_matrix(drawn, rows="true")).interval
        scored += 1
        if interval is not None:
            hits += interval.low <= truth <= interval.high
            cautioned += interval.caution is not None
    row = {"metric": name, "shares": shares, "skill": skill, "items": n, "method": method}
    row |= {"data_sets": scored, "coverage": hits / scored, "cautioned": cautioned / scored}
    return row


def rows(data_sets: int) -> Iterator[dict[str, Any]]:
    """All rows of the table."""
    for name in METRICS:
        for shares in SHARES:
            for skill in SKILLS:
                for n in SIZES:
                    for method in METHODS:
                        yield covered(name, shares, skill, n, method, data_sets)


def table(measured: list[dict[str, Any]]) -> str:
    """The mean coverage in percent and, in brackets, the worst."""
    head = ["shares", "items", *METHODS, "with a caution"]
    lines = [f"| {' | '.join(head)} |", "| --- | ---: | ---: | ---: | ---: |"]
    for shares in SHARES:
        for n in SIZES:
            alike = [row for row in measured if row["shares"] == shares and int(row["items"]) == n]
            cells = []
            for method in METHODS:
                own = [100 * float(x["coverage"]) for x in alike if x["method"] == method]
                cells.append(f"{np.mean(own):.1f} ({min(own):.1f})")
            careful = [100 * float(x["cautioned"]) for x in alike if x["method"] == "auto"]
            lines.append(f"| {shares} | {n:,} | {' | '.join(cells)} | {np.mean(careful):.0f} |")
    return "\n".join(lines)


def main() -> None:
    data_sets = int(sys.argv[1]) if len(sys.argv) > 1 else DATA_SETS
    with open(HERE / "prevalence.csv", "w", encoding="utf-8", newline="") as file:
        for at, row in enumerate(rows(data_sets)):
            writer = csv.DictWriter(file, [*row])
            if at == 0:
                writer.writeheader()
            writer.writerow({k: f"{v:.4f}" if isinstance(v, float) else v for k, v in row.items()})
            print(*row.values(), flush=True)
    with open(HERE / "prevalence.csv", encoding="utf-8") as file:
        shown = table([*csv.DictReader(file)])
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{START}\n{shown}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
