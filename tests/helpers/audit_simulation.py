"""Triples of random predictions, rounded and audited: how often is the formula found, and is it
ever found wrongly? As a program it prints the shares as a Markdown table.
"""

from __future__ import annotations

from collections import Counter
from itertools import cycle, product

import numpy as np

import whichf1 as wf

FORMULAS = ("averaged F1", "F1 of averages")
DECIMALS = (2, 3, 4)
Verdicts = Counter[tuple[str, int, bool, str]]
"""How often each verdict was given, by formula, decimals and whether the classes are known."""


def triple(random: np.random.Generator) -> tuple[int, float, float, float, float]:
    """Classes, macro precision, macro recall and both macro F1s of random predictions.

    Written out here, apart from the library that is tested; 0/0 is 0.
    """
    k = int(random.integers(2, 9))
    spread = random.choice([0.05, 0.3, 1.0])  # from a few full cells to all alike
    table = random.multinomial(random.integers(1, 400), random.dirichlet(np.full(k * k, spread)))
    table = table.reshape(k, k) + np.diag(random.integers(0, 60, k)) * random.integers(0, 2)
    hits, true, predicted = np.diag(table), table.sum(1), table.sum(0)
    p, r = (hits / np.maximum(side, 1) for side in (predicted, true))
    f1 = 2 * hits / np.maximum(true + predicted, 1)
    both = p.mean() + r.mean()
    return k, p.mean(), r.mean(), f1.mean(), 2 * p.mean() * r.mean() / both if both else 0.0


def simulate(triples: int, seed: int = 3) -> tuple[Verdicts, list[str]]:
    """Verdicts by formula, decimals and whether the classes are known; and the wrong ones."""
    random = np.random.default_rng(seed)
    verdicts: Verdicts = Counter()
    wrong = []
    settings = cycle(product(FORMULAS, DECIMALS, (False, True)))
    for _, (formula, decimals, known) in zip(range(triples), settings, strict=False):
        k, p, r, *scores = triple(random)
        printed = [f"{x:.{decimals}f}" for x in (p, r, scores[FORMULAS.index(formula)])]
        classes = k if known else None
        verdict = wf.audit(
            precision=printed[0], recall=printed[1], f1=printed[2], classes=classes
        ).verdict
        verdicts[formula, decimals, known, verdict] += 1
        if verdict not in (formula, "either"):
            wrong.append(f"{formula} {printed} of {k} classes was called {verdict}")
    return verdicts, wrong


def table(verdicts: Verdicts) -> str:
    """The share of triples whose formula is told, in percent."""
    lines = [
        "| published | classes known | " + " | ".join(f"{d} decimals" for d in DECIMALS) + " |",
        "| --- | --- | ---: | ---: | ---: |",
    ]
    for formula, known in product(FORMULAS, (False, True)):
        shares = []
        for decimals in DECIMALS:
            told = verdicts[formula, decimals, known, formula]
            all_of_them = told + verdicts[formula, decimals, known, "either"]
            shares.append(f"{100 * told / all_of_them:.0f} %")
        lines.append(f"| {formula} | {'yes' if known else 'no'} | {' | '.join(shares)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(table(simulate(100_000)[0]), end="")
