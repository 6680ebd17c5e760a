"""Large work against the engine's own query: many systems, files, a cold start, wide probabilities.

Ratios are measured in one run, in turns, and the best time of each counts.

Run: python -m benchmarks.large [ROWS] [NAME ...]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from benchmarks.engines import best, data_file
from benchmarks.harness import duration, write_section

import whichf1 as wf

SYSTEMS, ITEMS = 12, 5000
LIMIT = 1.5
"""Seconds for all pairs of systems on two cores."""
Row = tuple[str, float, str, float, float]
"""The task, its seconds, what it is compared with, the seconds of that, and the largest ratio."""


def systems() -> Iterator[Row]:
    """All tests of all pairs, with one draw for all."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 10, ITEMS)
    every = {}
    for at in range(SYSTEMS):
        right = rng.random(ITEMS) < 0.7 + 0.005 * at
        every[f"s{at}"] = np.where(right, true, rng.integers(0, 10, ITEMS))
    (ours,) = best(lambda: wf.compare(true, every, replicates=9999))
    task = f"compare, {SYSTEMS} systems × {ITEMS:,} items, 9,999 replicates, all tests"
    yield task, ours, "the limit", LIMIT, 1.0


def cold() -> Iterator[Row]:
    """The command in a fresh process, with cached bytecode."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.csv"
        rng = np.random.default_rng(0)
        pairs = rng.integers(0, 3, (200, 2))
        np.savetxt(path, pairs, "%d", ",", header="true,pred", comments="")
        command = [sys.executable, "-m", "whichf1", "score", str(path)]
        bare = [sys.executable, "-c", "import duckdb, numpy"]
        run = partial(subprocess.run, check=True, stdout=subprocess.DEVNULL)
        ours, theirs = np.min([best(lambda: run(command), lambda: run(bare)) for _ in range(3)], 0)
    yield "whichf1 score, 200 rows, cold", float(ours), "import duckdb, numpy", float(theirs), 1.8


def probabilities(rows: int = 2 * 10**6, classes: int = 10) -> Iterator[Row]:
    """The macro AUC of columns of a file, against reading and sorting them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.parquet"
        names = [f"c{at}" for at in range(classes)]
        drawn = ", ".join(f"hash(i * {classes} + {at}) AS {x}" for at, x in enumerate(names))
        label = f"'c' || (hash(i) % {classes}) AS \"true\""
        table = f"SELECT {label}, {drawn} FROM range({rows}) t(i)"
        total = " + ".join(f"{x}::DOUBLE" for x in names)
        shares = ", ".join(f"{x} / ({total}) AS {x}" for x in names)
        shared = f'SELECT "true", {shares} FROM ({table})'
        duckdb.sql(f"COPY ({shared}) TO '{path}'")
        connection = duckdb.connect()

        def sort() -> None:
            for name in names:
                query = f"SELECT {name}, \"true\" = '{name}' FROM read_parquet('{path}') ORDER BY 1"
                connection.execute(query).fetchnumpy()

        options: dict[str, Any] = {"true": "true", "score": names, "multi_class": "ovr"}
        options |= {"average": "macro"}
        score, interval, theirs = best(
            lambda: wf.roc_auc(path, **options),
            lambda: wf.roc_auc(path, **options, interval="delta"),
            sort,
        )
    task, peer = f"Parquet: macro AUC of {rows:,} × {classes}", "DuckDB reads and sorts the columns"
    yield task, score, peer, theirs, 2.0
    yield f"{task}, with interval", interval, peer, theirs, 3.0


def files(rows: int) -> Iterator[Row]:
    """Counting files of pairs, against the engine's own GROUP BY."""
    with tempfile.TemporaryDirectory() as temporary:
        folder, connection = Path(temporary), duckdb.connect()
        parquet, csv = (data_file(folder, f"pairs.{x}", rows) for x in ("parquet", "csv"))
        arrows: Any = connection.execute(f"FROM read_parquet('{parquet}')").to_arrow_table()

        def grouped(query: str) -> object:
            return connection.execute(query).fetchall()

        columns = "columns={'true': 'VARCHAR', 'pred': 'VARCHAR'}, auto_detect=false, header=true"
        scans = {
            "Parquet": (parquet, f"read_parquet('{parquet}')"),
            "CSV": (csv, f"read_csv('{csv}', {columns})"),
            "Arrow table": (arrows, "arrows"),
        }
        connection.register("arrows", arrows)
        for name, (data, scan) in scans.items():
            query = f'SELECT "true", pred, count(*) FROM {scan} GROUP BY ALL'
            ours, theirs = best(partial(wf.count, data), partial(grouped, query))
            yield f"{name}, {rows:,} rows", ours, "DuckDB's GROUP BY", theirs, 1.1
        arrays = {name: arrows.column(name).to_numpy() for name in ("true", "pred")}
        packed = folder / "pairs.npz"
        np.savez(packed, **arrays)
        query = 'SELECT "true", pred, count(*) FROM arrows GROUP BY ALL'
        ours, theirs = best(partial(wf.count, packed), partial(grouped, query))
        yield f"npz, {rows:,} rows", ours, "DuckDB's GROUP BY of the arrays", theirs, 1.1


def table(rows: list[Row]) -> str:
    """The rows as a Markdown table."""
    lines = ["| task | whichf1 | against | its time | ratio | at most | |"]
    lines.append("|---|--:|---|--:|--:|--:|---|")
    for task, ours, peer, theirs, most in rows:
        mark = "reached" if ours / theirs <= most else "missed"
        lines.append(
            f"| {task} | {duration(ours)} | {peer} | {duration(theirs)} | {ours / theirs:.3g} | "
            f"{most:g} | {mark} |"
        )
    return "\n".join(lines) + "\n"


def main(rows: int, names: list[str]) -> None:
    """Measure all, or what is named."""
    tasks: dict[str, Callable[[], Iterator[Row]]] = {
        "systems": systems,
        "cold": cold,
        "probabilities": probabilities,
        "files": partial(files, rows),
    }
    found: list[Row] = []
    for name, task in tasks.items():
        if not names or name in names:
            for row in task():
                found.append(row)
                print(table([row]).split("\n", 2)[2], end="", flush=True)
    if not names:
        write_section("Large work", "Measured by `make bench-all`, in turns.\n\n" + table(found))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10**8, sys.argv[2:])
