"""Speed of files and frames compared with the engine's own query: ratios measured in one run.

Run: python -m benchmarks.engines [FOLDER] [ROWS_OF_PARQUET]
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import duckdb
import numpy as np
from benchmarks.harness import bounded_table, write_section

import whichf1 as wf

REPEAT = 5
Row = tuple[str, float, float, str]
"""What is measured, the ratio, its upper limit, and the times behind it."""


def best(*tasks: Callable[[], object]) -> list[float]:
    """The shortest time of each task; tasks take turns, so that other load affects all alike."""
    times = [float("inf")] * len(tasks)
    for _ in range(REPEAT):
        for at, task in enumerate(tasks):
            start = time.perf_counter()
            task()
            times[at] = min(times[at], time.perf_counter() - start)
    return times


def data_file(folder: Path, name: str, rows: int, columns: int = 1) -> Path:
    """A file of random labels, written unless it exists."""
    path = folder / name
    if not path.exists():
        preds = ", ".join(
            f"(hash(i * {at + 7} + 1) % 10)::TINYINT AS pred{at or ''}" for at in range(columns)
        )
        items = f"SELECT (hash(i) % 10)::TINYINT AS true, {preds} FROM range({rows}) t(i)"
        options = "(HEADER)" if path.suffix == ".csv" else ""
        duckdb.sql(f"COPY ({items}) TO '{path}' {options}")
    return path


def against(
    whichf1: Callable[[], object], engine: Callable[[], object], name: str, most: float
) -> Row:
    ours, theirs = best(whichf1, engine)
    return name, ours / theirs, most, f"{ours:.3f} s / {theirs:.3f} s"


def counted(connection: duckdb.DuckDBPyConnection, query: str, path: Path) -> Callable[[], object]:
    """The engine's own query; its result must equal ours."""
    theirs = {(int(a), int(b)): n for a, b, n in connection.execute(query).fetchall()}
    counts = wf.count(path)
    sides = (counts.true, counts.predicted, counts.count)
    cells = zip(*(side.tolist() for side in sides), strict=True)
    ours = {(counts.labels[a], counts.labels[b]): n for a, b, n in cells}
    if ours != theirs:
        raise SystemExit(f"{path}: the engine's counts differ from ours")
    return lambda: connection.execute(query).fetchall()


def parquet(folder: Path, rows: int) -> Row:
    path = data_file(folder, "pairs.parquet", rows)
    connection = duckdb.connect()
    # in quotes, since true without them is a constant and one column would not be read
    query = f"SELECT \"true\", pred, count(*) FROM read_parquet('{path}') GROUP BY ALL"
    name = f"Parquet, {rows:,} rows, against DuckDB's own GROUP BY ALL"
    return against(lambda: wf.count(path), counted(connection, query, path), name, 1.25)


def memory(folder: Path, rows: int) -> Row:
    path = data_file(folder, "pairs.parquet", rows)
    code = f"import whichf1; whichf1.count({str(path)!r})"
    subprocess.run([sys.executable, "-c", code], check=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return f"Parquet, {rows:,} rows: peak memory in MB", peak, 500, "in a separate process"


def csv(folder: Path, rows: int = 4 * 10**6) -> Row:
    path = data_file(folder, "pairs.csv", rows)
    connection = duckdb.connect()
    query = (
        f"SELECT \"true\", pred, count(*) FROM read_csv('{path}', auto_detect=false, header=true, "
        "columns={'true': 'VARCHAR', 'pred': 'VARCHAR'}, delim=',', quote='\"', escape='\"', "
        "allow_quoted_nulls=false, strict_mode=true) GROUP BY ALL"
    )
    name = f"CSV, {rows:,} rows, against DuckDB's own strict read"
    return against(lambda: wf.count(path), counted(connection, query, path), name, 1.25)


def frames(rows: int = 10**7) -> list[Row]:
    import pandas as pd
    import polars as pl

    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 10, rows), rng.integers(0, 10, rows)
    columns = {"true": true, "pred": pred}
    return [
        against(
            partial(wf.count, frame),
            lambda: wf.count(true, pred),
            f"{name}, {rows:,} integers, against the array kernel",
            2,
        )
        for name, frame in (("pandas", pd.DataFrame(columns)), ("polars", pl.DataFrame(columns)))
    ]


def strings(rows: int = 10**6) -> list[Row]:
    import pandas as pd
    import polars as pl

    words = np.array([f"label {i}" for i in range(10)])
    rng = np.random.default_rng(0)
    drawn = {side: words[rng.integers(0, 10, rows)] for side in ("true", "pred")}
    columns = {
        side: values.astype(object) for side, values in drawn.items()
    }  # as a reader gives them
    text = pd.DataFrame(columns)
    kinds = {
        "polars categorical": pl.from_pandas(text).cast(pl.Categorical),
        "polars strings": pl.from_pandas(text),
        "pandas categorical": text.astype("category"),
        "pandas strings": text,
    }
    return [
        against(
            partial(wf.count, frame),
            lambda: wf.count(columns["true"], columns["pred"]),
            f"{name}, {rows:,}, against arrays of Python strings",
            2,
        )
        for name, frame in kinds.items()
    ]


def ten_columns(folder: Path, name: str, rows: int) -> Row:
    path = data_file(folder, name, rows, 10)
    preds = ["pred", *(f"pred{i}" for i in range(1, 10))]
    many, one = best(
        lambda: wf.count_each(path, true="true", pred=preds),
        lambda: wf.count(path, true="true", pred="pred"),
    )
    times = f"{many:.3f} s / {one:.3f} s"
    what = f"{path.suffix[1:]}, {rows:,} rows: ten prediction columns against one"
    return what, many / one, 5, times


def main(folder: Path, rows: int) -> None:
    """Measure everything, print it and write its section of RESULTS.md."""
    measured = [
        memory(folder, rows),
        parquet(folder, rows),
        csv(folder),
        *frames(),
        *strings(),
        ten_columns(folder, "ten.parquet", 10**7),
        ten_columns(folder, "ten.csv", 10**6),
    ]
    lines = []
    for name, value, most, times in measured:
        mark = "reached" if value <= most else "missed"
        lines.append((name, f"{value:.3g}", f"{most:g}", times, mark))
        print(" | ".join(lines[-1]))
    head = ("task", "ratio", "at most", "times")
    about = "Files and frames against the engine's own query, or against arrays, in turns."
    write_section("Engines", f"{about}\n\n{bounded_table(head, lines)}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        where = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(temporary)
        main(where, int(sys.argv[2]) if len(sys.argv) > 2 else 10**7)
