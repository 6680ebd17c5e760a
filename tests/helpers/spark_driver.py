"""Count on a Spark cluster while one of its workers is killed; prints what happened as JSON.

python -m tests.helpers.spark_driver MASTER PID_OF_A_WORKER
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import whichf1 as wf

PARTITIONS, ITEMS = 12, 12_000


def slowly(rows: Any) -> Iterator[Any]:
    time.sleep(0.5)
    yield from rows


def children(pid: int) -> list[int]:
    """The processes that a process started: a worker's executors."""
    threads = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for thread in threads for child in thread.read_text().split()]


def main(master: str, worker: int) -> None:
    builder = SparkSession.builder.master(master).appName("whichf1 cluster test")
    for key, value in {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": "512m",
        "spark.executor.cores": "1",
        "spark.sql.shuffle.partitions": "4",
        "spark.shuffle.io.maxRetries": "1",  # the other worker will not come back
        "spark.shuffle.io.retryWait": "200ms",
    }.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    context = session.sparkContext
    context.setLogLevel("OFF")
    numbers = context.parallelize(range(ITEMS), PARTITIONS).mapPartitions(slowly)
    rows = numbers.map(lambda i: (i % 5, i * i % 5, f"s{i % 3}"))
    frame = session.createDataFrame(rows, "true int, pred int, part string")
    found: dict[str, wf.Slices] = {}
    job = threading.Thread(target=lambda: found.update(x=wf.count_by(frame, by="part")))
    job.start()
    done = 0
    tracker = context.statusTracker()
    while job.is_alive() and done < 3:
        time.sleep(0.1)
        stages = [tracker.getStageInfo(each) for each in tracker.getActiveStageIds()]
        done = max([done, *(stage.numCompletedTasks for stage in stages if stage)])
    executors = children(worker)
    unfinished = job.is_alive()
    for pid in (*executors, worker):
        os.kill(pid, signal.SIGKILL)
    job.join()
    counts = {key[0]: part.matrix.tolist() for key, part in found["x"].items()}
    print(json.dumps({"done": done, "unfinished": unfinished, "executors": executors, **counts}))
    session.stop()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
