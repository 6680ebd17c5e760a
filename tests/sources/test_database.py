"""The database that files are read with: kept for the next call, and otherwise like a new one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from unittest import mock

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import whichf1 as wf
from tests.helpers.engines import cells
from whichf1.sources.engines import database
from whichf1.sources.engines.database import opened
from whichf1.sources.questions import grouped


@pytest.fixture(autouse=True)
def none_kept() -> Iterator[None]:
    database._close_idle()
    yield
    database._close_idle()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"true": [0, 1, 1], "pred": [0, 1, 0]}), path)
    return path


def test_the_next_call_uses_the_same_database_without_what_it_held() -> None:
    with opened("1GB") as first:
        first.connection.execute("CREATE TEMP VIEW items AS SELECT 1")
        first.connection.register("piece", {"a": np.arange(3)})
        folder = first.folder
        assert os.path.isdir(folder)
    assert not os.path.exists(folder)
    with opened("1GB") as second:
        assert second is first and os.path.isdir(second.folder) and second.folder != folder
        place = second.connection.execute("SELECT current_setting('temp_directory')").fetchone()
        assert place == (second.folder,)
        for name in ("items", "piece"):
            with pytest.raises(duckdb.CatalogException):
                second.connection.execute(f"FROM {name}")
    assert not os.path.exists(second.folder)


def test_a_database_is_not_kept_after_it_spilled() -> None:
    with opened("100MB") as used:
        used.connection.execute("CREATE TEMP TABLE t AS SELECT hash(i) FROM range(20_000_000) r(i)")
        assert os.listdir(used.folder)
    assert not database._IDLE and not os.path.exists(used.folder)


def test_no_two_calls_share_a_database() -> None:
    with opened("1GB") as first, opened("1GB") as second:
        assert first is not second
    assert len(database._IDLE) == 1


def test_a_database_is_not_kept_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), opened("1GB") as used:
        raise ZeroDivisionError
    assert not database._IDLE and not os.path.exists(used.folder)


def test_another_limit_or_folder_gets_another_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened("1GB") as first:
        pass
    with opened("500MB") as second:
        assert second is not first and not os.path.exists(first.folder)
        setting = second.connection.execute("SELECT current_setting('memory_limit')").fetchone()
        assert setting == ("476.8 MiB",)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with opened("500MB") as third:
        assert third is second and os.path.dirname(third.folder) == str(tmp_path)
    assert not [*tmp_path.iterdir()]


def test_a_replaced_file_is_read_again_even_if_it_looks_the_same(path: Path) -> None:
    """Footers of Parquet files are not remembered."""
    os.utime(path, (10**9, 10**9))
    assert cells(wf.count(path)) == {(0, 0): 1, (1, 1): 1, (1, 0): 1}
    pq.write_table(pa.table({"true": [5, 6], "pred": [5, 5]}), path)
    os.utime(path, (10**9, 10**9))
    assert cells(wf.count(path)) == {(5, 5): 1, (6, 5): 1}


def test_threads_count_at_the_same_time(path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        assert {counts.n for counts in pool.map(wf.count, [path] * 40)} == {3}
    assert len(database._IDLE) <= 1


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_forked_process_has_no_database_of_its_parent(path: Path) -> None:
    """It would have the database without its threads, and wait for them."""
    assert wf.count(path).n == 3 and database._IDLE
    with get_context("fork").Pool(1) as pool:
        assert not database._IDLE
        assert pool.apply_async(_count, (path,)).get(timeout=60) == 3


def _count(path: Path) -> float:
    return float(wf.count(path).n)


TYPES = ("int8", "uint8", "int32", "uint32", "int64", "uint64", "bool", "float64", "string")


@pytest.mark.filterwarnings("ignore::whichf1.errors.SkippedWarning")
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("missing", [False, True])
def test_several_systems_are_counted_like_each_alone(
    tmp_path: Path, kind: str, missing: bool
) -> None:
    """Integers by the kernel, batch by batch; the rest by DuckDB."""
    path, n = tmp_path / "several.parquet", 3000
    drawn = np.random.default_rng(0).integers(0, 2 if kind == "bool" else 90, (3, n))
    columns = dict(zip(("true", "a", "b"), (pa.array(x).cast(kind) for x in drawn), strict=True))
    if missing:
        columns["b"] = pa.concat_arrays([columns["b"][:-1], pa.nulls(1, columns["b"].type)])
    pq.write_table(pa.table(columns), path, row_group_size=500)
    with mock.patch.object(grouped, "KEPT", 600):
        each = wf.count_each(path, true="true", pred=["a", "b", "true"], on_error="skip")
    for name in ("a", "b", "true"):
        alone = wf.count(path, true="true", pred=name, on_error="skip")
        assert each[name] == alone and each[name].labels == alone.labels
        assert alone.n == n - (missing and name == "b")
