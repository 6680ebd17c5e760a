"""Large work against the engine's own query: many systems, files, clusters.

Programs take turns, and the best time of each counts. Each task writes its own section of
RESULTS.md, so that tasks can be measured one by one.

Run: python -m benchmarks.large [--rows ROWS] [--folder FOLDER] [TASK ...]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np
from benchmarks.engines import best, data_file
from benchmarks.harness import bounded_table, duration, write_section

import whichf1 as wf

SYSTEMS, ITEMS = 12, 5000
LIMIT = 1.5
"""Seconds for all pairs of systems on two cores."""
FLAT = 64
"""Megabytes by which the peak of a file of many rows may exceed that of a small one."""


class Row(NamedTuple):
    """A task, its seconds, what it is compared with, the seconds of that, and the largest ratio."""

    task: str
    ours: float
    peer: str
    theirs: float
    most: float

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of a table."""
        ratio = self.ours / self.theirs
        mark = "reached" if ratio <= self.most else "missed"
        times = duration(self.ours), self.peer, duration(self.theirs)
        return self.task, *times, f"{ratio:.3g}", f"{self.most:g}", mark


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
    yield Row(task, ours, "the limit", LIMIT, 1.0)


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
    yield Row(task, score, peer, theirs, 2.0)
    yield Row(f"{task}, with interval", interval, peer, theirs, 3.0)


def files(folder: Path, rows: int) -> Iterator[Row]:
    """Counting files of pairs, against the engine's own GROUP BY."""
    connection = duckdb.connect()
    parquet, csv = (data_file(folder, f"pairs-{rows}.{x}", rows) for x in ("parquet", "csv"))
    arrows: Any = connection.sql(f"FROM read_parquet('{parquet}')").to_arrow_table()
    connection.register("arrows", arrows)
    columns = (
        "auto_detect=false, header=true, columns={'true': 'VARCHAR', 'pred': 'VARCHAR'}, "
        "delim=',', quote='\"', escape='\"', allow_quoted_nulls=false, strict_mode=true"
    )
    scans = {
        "Parquet": (parquet, f"read_parquet('{parquet}')"),
        "CSV": (csv, f"read_csv('{csv}', {columns})"),
        "Arrow table": (arrows, "arrows"),
        "Arrow file": (_arrow_file(folder, arrows), "arrows"),
        "npz": (_npz_file(folder, arrows), "arrows"),
    }
    for name, (data, scan) in scans.items():
        query = f'SELECT "true", pred, count(*) FROM {scan} GROUP BY ALL'
        rows_of = partial(_grouped, connection, query)
        _refuse_other_counts(wf.count(data), rows_of())
        ours, theirs = best(partial(wf.count, data), rows_of)
        inside = "" if scan == "arrows" else " of the file"
        peer = f"DuckDB's GROUP BY{inside or ' of the Arrow table'}"
        yield Row(f"{name}, {rows:,} rows", ours, peer, theirs, 1.1)


def _grouped(connection: duckdb.DuckDBPyConnection, query: str) -> list[Any]:
    return connection.execute(query).fetchall()


def _refuse_other_counts(counts: wf.Counts, rows: list[Any]) -> None:
    """Raise unless both programs counted the same."""
    sides = (counts.true, counts.predicted, counts.count)
    cells = zip(*(side.tolist() for side in sides), strict=True)
    ours = {(counts.labels[a], counts.labels[b]): n for a, b, n in cells}
    if ours != {(int(a), int(b)): n for a, b, n in rows}:
        raise SystemExit("the engine's counts differ from ours")


def _arrow_file(folder: Path, table: Any) -> Path:
    import pyarrow as pa

    path = folder / f"pairs-{len(table)}.arrow"
    if not path.exists():
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as file:
            file.write_table(table, max_chunksize=1 << 16)
    return path


def _npz_file(folder: Path, table: Any) -> Path:
    path = folder / f"pairs-{len(table)}.npz"
    if not path.exists():
        np.savez(path, **{name: table.column(name).to_numpy() for name in ("true", "pred")})
    return path


def memory(folder: Path, rows: int) -> Iterator[tuple[str, ...]]:
    """The peak memory of counting a file, in a fresh process, at three sizes."""
    sizes = (rows // 100, rows // 10, rows)
    for ending in ("parquet", "csv", "arrow", "npz"):
        peaks = []
        for size in sizes:
            path = folder / f"pairs-{size}.{ending}"
            if ending in ("parquet", "csv"):
                data_file(folder, path.name, size)
            else:
                whole = data_file(folder, f"pairs-{size}.parquet", size)
                items: Any = duckdb.sql(f"FROM read_parquet('{whole}')")
                table = items.to_arrow_table()
                (_arrow_file if ending == "arrow" else _npz_file)(folder, table)
            peaks.append(_peak(path))
        mark = "reached" if peaks[-1] - peaks[0] <= FLAT else "missed"
        shown = (f"{peak:.0f} MB" for peak in peaks)
        yield (ending, *shown, f"{FLAT} MB more", mark)


def _peak(path: Path) -> float:
    """Megabytes that a process has had at most; it is started by one that has little itself."""
    code = (
        "import resource, subprocess, sys; "
        "subprocess.run([sys.executable, '-c', sys.argv[1]], check=True); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    count = f"import whichf1; whichf1.count({str(path)!r})"
    run = subprocess.run([sys.executable, "-c", code, count], capture_output=True, check=True)
    return int(run.stdout) / 1024


def spark(folder: Path, rows: int) -> Iterator[Row]:
    """Two threads of Spark on this machine."""
    from pyspark.sql import SparkSession

    path = str(data_file(folder, f"pairs-{rows}.parquet", rows))
    settings = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = settings.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")

    def grouped() -> list[Any]:
        table = session.read.parquet(path).groupBy("true", "pred").count()
        return [tuple(row) for row in table.collect()]

    _refuse_other_counts(wf.count(session.read.parquet(path)), grouped())
    ours, theirs = best(lambda: wf.count(session.read.parquet(path)), grouped)
    session.stop()
    yield Row(f"Spark, {rows:,} rows on two workers", ours, "Spark's GROUP BY", theirs, 1.2)


def dask(folder: Path, rows: int) -> Iterator[Row]:
    """Two processes of Dask on this machine."""
    import dask.dataframe as dd
    from dask import distributed

    local: Any = distributed  # whose functions have no types
    path = data_file(folder, f"pairs-{rows}.parquet", rows)
    read = partial(dd.read_parquet, path, split_row_groups=40)

    def grouped() -> list[Any]:
        sizes = read().groupby(["true", "pred"]).size().compute()
        return [(*key, int(n)) for key, n in sizes.items()]

    workers: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    here = {"dashboard_address": None, "host": "127.0.0.1", "memory_limit": "2GB"}
    with local.LocalCluster(**workers, **here) as cluster, local.Client(cluster):
        _refuse_other_counts(wf.count(read()), grouped())
        ours, theirs = best(lambda: wf.count(read()), grouped)
    yield Row(f"Dask, {rows:,} rows on two workers", ours, "Dask's GROUP BY", theirs, 1.2)


PEAKS = ("file", "small", "ten times", "a hundred times", "at most")
TIMES = ("task", "whichf1", "against", "its time", "ratio", "at most")


class Task(NamedTuple):
    """What is measured, and the section that it writes."""

    title: str
    head: tuple[str, ...]
    rows: Callable[[Path, int], Iterator[Any]]


TASKS = {
    "systems": Task("Many systems", TIMES, lambda folder, rows: systems()),
    "probabilities": Task("Columns of probabilities", TIMES, lambda *_: probabilities()),
    "files": Task("Large files", TIMES, files),
    "memory": Task("Memory of large files", PEAKS, memory),
    "spark": Task("Spark", TIMES, spark),
    "dask": Task("Dask", TIMES, dask),
}


def main(names: list[str], folder: Path, rows: int) -> None:
    """Measure all tasks, or those that are named, each of which writes its section."""
    for name in names or TASKS:
        task = TASKS[name]
        lines = []
        for row in task.rows(folder, rows):
            lines.append(row.cells if isinstance(row, Row) else row)
            print(" | ".join(lines[-1]), flush=True)
        about = f"Measured by `python -m benchmarks.large {name}`, in turns, the best of several."
        if name == "memory":
            sizes = " · ".join(f"{rows // at:,}" for at in (100, 10, 1))
            about = f"Peak memory of a process that counts a file of {sizes} rows."
        write_section(task.title, f"{about}\n\n{bounded_table(task.head, lines)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="*", choices=[*TASKS, []], metavar="TASK")
    parser.add_argument("--rows", type=int, default=10**8)
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        main(asked.tasks, asked.folder or Path(temporary), asked.rows)
