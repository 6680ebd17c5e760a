"""Real clusters on this machine; a worker dies in the middle and the counts stay exact."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import whichf1 as wf
from tests.helpers.spark_driver import ITEMS

ROOT = Path(__file__).parents[2]


PROGRAM = Path(sys.executable).with_name("whichf1")


def slowly(part: Any) -> Any:
    time.sleep(0.4)
    return part


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_dask_counts_exactly_when_a_worker_is_killed() -> None:
    import dask.dataframe as dd
    import distributed
    import pandas as pd

    loose: Any = distributed  # without types
    frames: Any = dd

    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"true": rng.integers(0, 5, 24_000), "pred": rng.integers(0, 5, 24_000)})
    frame["part"] = np.where(rng.random(24_000) < 0.5, "x", "y")
    expected = wf.count_by(frame, by="part")
    with (
        loose.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            host="127.0.0.1",
            silence_logs=50,
        ) as cluster,
        loose.Client(cluster),
    ):
        slow = frames.from_pandas(frame, npartitions=12).map_partitions(slowly, meta=frame.head(0))
        found: dict[str, Any] = {}
        job = threading.Thread(target=lambda: found.update(x=wf.count_by(slow, by="part")))
        job.start()
        tasks = cluster.scheduler.tasks

        def states() -> Counter[str]:
            return Counter(task.state for task in list(tasks.values()))

        start = time.monotonic()
        while not (states()["memory"] >= 3 and states()["processing"]):
            assert job.is_alive() and time.monotonic() - start < 60
            time.sleep(0.02)
        victim = next(iter(cluster.workers.values())).pid
        os.kill(victim, signal.SIGKILL)
        killed_in_the_middle = job.is_alive()
        job.join(120)
    assert killed_in_the_middle and not job.is_alive()
    assert found["x"] == expected


@pytest.fixture(scope="module")
def standalone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A Spark master and two workers: the address and the workers' processes."""
    import pyspark

    home = Path(pyspark.__file__).parent
    folder = tmp_path_factory.mktemp("spark")
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_LOCAL_DIRS": str(folder),
        # a worker is told of it, too: it beats four times in that time
        "SPARK_MASTER_OPTS": "-Dspark.worker.timeout=12 -Dspark.master.rest.enabled=false",
        "SPARK_WORKER_OPTS": "-Dspark.worker.timeout=12",
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": str(ROOT),
    }
    processes = []

    def start(name: str, ready: str, *arguments: str) -> subprocess.Popen[bytes]:
        log = folder / f"{name}.log"
        command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{arguments[0]}"]
        with open(log, "wb") as out:
            process = subprocess.Popen(
                [*command, "--host", "127.0.0.1", *arguments[1:]],
                env=environment,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        processes.append(process)
        waited = time.monotonic()
        while not re.search(ready, log.read_text()):
            assert process.poll() is None and time.monotonic() - waited < 90, log.read_text()
            time.sleep(0.2)
        return process

    port = free_port()
    try:
        start("master", "elected leader", "master.Master", "--port", port, "--webui-port", "0")
        address = f"spark://127.0.0.1:{port}"
        workers = [
            start(
                f"worker{i}",
                "Successfully registered",
                *("worker.Worker", "--cores", "1", "--memory", "1200m"),
                *("--work-dir", str(folder / f"work{i}"), "--webui-port", "0", address),
            )
            for i in range(2)
        ]
        yield address, workers, environment
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(30)


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.xdist_group("cluster")
def test_spark_counts_exactly_when_a_worker_is_killed(standalone: Any) -> None:
    address, workers, environment = standalone
    victim = workers[0]
    done = subprocess.run(
        [sys.executable, "-m", "tests.helpers.spark_driver", address, str(victim.pid)],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout.splitlines()[-1])
    assert 3 <= report["done"] < 12 and report["unfinished"] and report["executors"]
    assert victim.wait(10) == -signal.SIGKILL
    assert workers[1].poll() is None
    cells = Counter((f"s{i % 3}", i % 5, i * i % 5) for i in range(ITEMS))
    for part in ("s0", "s1", "s2"):
        assert report[part] == [[cells[part, t, p] for p in range(5)] for t in range(5)]


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.xdist_group("cluster")
def test_the_command_line_counts_on_the_cluster(standalone: Any, tmp_path: Path) -> None:
    """One worker is left of the cluster, if the other test ran before."""
    address, _, environment = standalone
    (tmp_path / "part-0.csv").write_text('true,pred,lang\na,a,en\n"b, c",a,en\n')
    (tmp_path / "part-1.csv").write_text("true,pred,lang\na,a,de\n")
    pattern = f"{tmp_path}/part-*.csv"
    command = [PROGRAM, "score", pattern, "--engine", "spark", "--master", address]
    environment = {**environment, "SPARK_CONF_DIR": str(tmp_path)}
    done = subprocess.run(
        [*command, "--by", "lang", "-m", "accuracy", "-f", "json"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    metric = json.loads(done.stdout)["metrics"][0]
    assert metric["whole"]["value"] == pytest.approx(2 / 3)
    assert [each["value"] for each in metric["slices"]] == [0.5, 1.0]
