"""gs:// through the real gcsfs, from an emulator of Google Cloud Storage on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from gcp_storage_emulator.server import create_server

import whichf1 as wf
from tests.helpers.commands import Run
from whichf1.errors import FileError

# else gcsfs asks a server of another protocol, which no emulator has, what kind of bucket it is
os.environ["GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT"] = "false"
pytestmark = pytest.mark.filterwarnings("ignore")  # of gcsfs and the emulator

NAMED: Any = {"true": "true", "pred": "x"}
ROWS = "true,x\na,a\nb,a\nb,b\n"


@pytest.fixture
def storage(monkeypatch: Any) -> Iterator[Any]:
    """A bucket ``items``, as fsspec sees it; the environment leads there."""
    server: Any = create_server("127.0.0.1", 0, in_memory=True, default_bucket="items")
    server.start()
    address = f"http://127.0.0.1:{server._api._httpd.server_port}"
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", address)
    options = {"token": "anon", "endpoint_url": address}
    system = fsspec.filesystem("gs", **options)
    system.pipe("items/lang=en/a.csv", ROWS.encode())
    system.pipe("items/lang=de/a.csv", (ROWS + "a,b\n").encode())
    yield system, options
    server.stop()
    fsspec.get_filesystem_class("gs").clear_instance_cache()


def test_files_patterns_and_folders(storage: Any, tmp_path: Path, run: Run) -> None:
    _, options = storage
    (tmp_path / "a.csv").write_text(ROWS)
    expected = wf.count(tmp_path / "a.csv", **NAMED)
    assert wf.count("gs://items/lang=en/a.csv", **NAMED, storage_options=options) == expected
    assert wf.count("gs://items/*/a.csv", **NAMED, storage_options=options).n == 7
    for path in ("gs://items/*/a.csv", "gs://items"):
        slices = wf.count_by(path, **NAMED, by="lang", hive=True, storage_options=options)
        assert {key: part.n for key, part in slices.items()} == {("de",): 4, ("en",): 3}
    code, out, err = run("score", "gs://items/*/a.csv", "--true", "true", "--pred", "x")
    assert code == 0 and out.startswith("gs://items/*/a.csv: 7 items"), err


def test_only_the_columns_that_are_used_are_copied(storage: Any, tmp_path: Path) -> None:
    system, options = storage
    rng, n = np.random.default_rng(0), 200_000
    columns = {name: rng.integers(0, 3, n) for name in ("true", "x")}
    path = tmp_path / "big.parquet"
    pq.write_table(pa.table({**columns, "z": rng.random(n)}), path, compression="zstd")
    system.put_file(str(path), "items/big.parquet")
    read: list[int] = []
    cat = type(system)._cat_file

    async def counted(self: Any, *args: Any, **kwargs: Any) -> bytes:
        data: bytes = await cat(self, *args, **kwargs)
        read.append(len(data))
        return data

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(system), "_cat_file", counted)
        found = wf.count("gs://items/big.parquet", **NAMED, storage_options=options)
    assert found == wf.count(columns["true"], columns["x"])
    assert 0 < sum(read) < path.stat().st_size / 4


def test_what_is_wrong_is_said(storage: Any) -> None:
    _, options = storage
    for path in ("gs://items/no.csv", "gs://nowhere/no.csv"):
        with pytest.raises(FileError, match=f"cannot read '{path}': there is no such file"):
            wf.count(path, **NAMED, storage_options=options)
    with pytest.raises(FileError, match="no file matches this pattern"):
        wf.count("gs://items/*.parquet", **NAMED, storage_options=options)
    with pytest.raises(FileError, match="'gs://items/lang=en' is a folder"):
        wf.count("gs://items/lang=en", **NAMED, storage_options=options)
    secret = {**options, "token": {"access_token": "hidden-secret"}}
    with pytest.raises(FileError, match=r"cannot read 'gs://items/no.csv'") as found:
        wf.count("gs://items/no.csv", **NAMED, storage_options=secret)
    assert "hidden-secret" not in str(found.value)
