"""Type I errors of comparisons of scores that depend on individual items.

Run: python benchmarks/type_one.py [SETS]

For each such score, prints the fraction of data sets without a difference in which the
randomization test and the paired bootstrap reject at 5 %: the figures in docs/comparing.md. Takes
about five minutes.
"""

from __future__ import annotations

import sys

import numpy as np

import whichf1 as wf

ITEMS, REPLICATES, LEVEL = 500, 199, 0.05


def rejected(metric: str, sets: int) -> tuple[float, float]:
    """Fractions of data sets in which the two tests reject."""
    rng = np.random.default_rng(5)
    rejections = np.zeros(2)
    for _ in range(sets):
        true = (rng.random(ITEMS) < 0.4).astype(int)
        common = rng.normal(size=ITEMS) + true
        scores = [common + rng.normal(size=ITEMS) * 0.7 for _ in "AB"]
        if metric == "expected_calibration_error":
            scores = [1 / (1 + np.exp(-each)) for each in scores]
        systems = dict(zip("AB", scores, strict=True))
        (pair,) = wf.compare(true, systems, metric, replicates=REPLICATES).pairs
        p_values = (pair.p_randomization, pair.p_bootstrap)
        rejections += [p is not None and p < LEVEL for p in p_values]
    return rejections[0] / sets, rejections[1] / sets


if __name__ == "__main__":
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    for metric in ("ks", "expected_calibration_error", "gain"):
        randomization, bootstrap = rejected(metric, sets)
        print(f"{metric}: randomization {randomization:.2%}, bootstrap {bootstrap:.2%}")
