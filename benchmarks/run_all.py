"""Run the benchmarks one after another, and print how many seconds each took.

A script that fails does not stop the others; the exit code says whether any did. What is slower
than required is no failure: the tables say so.

Run: python -m benchmarks.run_all [--all]
"""

from __future__ import annotations

import subprocess
import sys
import time

USUAL = (
    "benchmarks.speed",
    "benchmarks.every_score",
    "benchmarks.other_scores",
    "benchmarks.uncertainty",
    "benchmarks.engines",
    "benchmarks.sklearn_functions",
    "benchmarks.metric_classes",
    "benchmarks.large systems probabilities",
    "tests.helpers.readme docs/speed.md",  # its table
)
LONG = (
    "benchmarks.speed --slow",
    "benchmarks.other_scores --slow",
    "benchmarks.uncertainty --slow",
    "benchmarks.large files memory spark dask",
    "benchmarks.growth",
    "benchmarks.cost_model",
)
"""Peers that take many seconds, files of 10⁸ rows, clusters, growth of time and memory, the cost
model."""


def main(scripts: tuple[str, ...]) -> int:
    """Run the scripts; return 1 if any fails."""
    took: dict[str, float] = {}
    failed = []
    for script in scripts:
        print(f"\n== {script}", flush=True)
        begun = time.perf_counter()
        if subprocess.run([sys.executable, "-m", *script.split()]).returncode:
            failed.append(script)
        took[script] = time.perf_counter() - begun
    print()
    for script, seconds in took.items():
        print(f"{seconds:6.0f} s  {script}{'  FAILED' if script in failed else ''}")
    print(f"{sum(took.values()):6.0f} s  in all")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main((*USUAL, *LONG) if "--all" in sys.argv else USUAL))
