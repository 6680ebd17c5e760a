"""Every byte of a small file changed or missing: the same number, or an error of ours."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import whichf1 as wf
from whichf1.errors import FileError, WhichF1Error
from whichf1.sources.engines.database import Database
from whichf1.sources.request import Row

FLIP = """
import sys
from pathlib import Path
import whichf1 as wf
from whichf1.errors import WhichF1Error
path, step = Path(sys.argv[1]), int(sys.argv[2])
whole = path.read_bytes()
outcomes = {}
for at in range(0, len(whole), step):
    for damaged in (whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :], whole[:at]):
        path.write_bytes(damaged)
        try:
            wf.count(path, true="true", pred="pred")
            outcome = "read"
        except WhichF1Error:
            outcome = "refused"
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
print(outcomes)
"""
TEXTS = [f"class {i % 7}" for i in range(200)]


@pytest.mark.parametrize("stream", [False, True])
def test_damaged_arrow_ends_in_an_error_not_in_a_crash(tmp_path: Path, stream: bool) -> None:
    table = pa.table({"true": TEXTS, "pred": TEXTS})
    path = tmp_path / "a.arrow"
    make = pa.ipc.new_stream if stream else pa.ipc.new_file
    with pa.OSFile(str(path), "wb") as file, make(file, table.schema) as writer:
        writer.write_table(table)
    assert wf.accuracy(path) == 1
    ended = subprocess.run(
        [sys.executable, "-c", FLIP, path, "499"], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    assert "refused" in ended.stdout


def test_damaged_npz_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, true=np.arange(5), pred=np.arange(5))
    whole = path.read_bytes()
    for at in range(0, len(whole), 101):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :])
        with suppress(WhichF1Error):
            assert wf.accuracy(path) == 1
    encrypted = bytearray(whole)
    for start in (b"PK\x03\x04", b"PK\x01\x02"):  # the flag of encryption in every header
        at = encrypted.find(start)
        while at >= 0:
            encrypted[at + (6 if start[2] == 3 else 8)] |= 1
            at = encrypted.find(start, at + 4)
    path.write_bytes(encrypted)
    with pytest.raises(FileError, match="encrypted"):
        wf.accuracy(path)


@pytest.mark.parametrize("compression", ["none", "snappy"])
def test_checksums_of_parquet_pages_are_verified(tmp_path: Path, compression: str) -> None:
    path = tmp_path / "a.parquet"
    true = [i * i % 97 for i in range(500)]
    table = pa.table({"true": true, "pred": true})
    pq.write_table(table, path, write_page_checksum=True, compression=compression)
    assert wf.accuracy(path) == 1
    whole = path.read_bytes()
    column = pq.ParquetFile(path).metadata.row_group(0).column(1)
    end = column.data_page_offset + column.total_compressed_size
    refused = 0
    for at in range(column.dictionary_page_offset, min(end, len(whole)), 113):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        try:
            assert wf.accuracy(path) == 1
        except FileError as error:
            refused += "checksum" in str(error)
    assert refused > 2


def test_pages_without_checksums_are_not_looked_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To list the pages of a large file takes as long as a tenth of reading it."""
    asked: list[str] = []
    run = Database.run

    def listen(database: Database, query: str, explain: Callable[[str], str]) -> list[Row]:
        asked.append(query)
        return run(database, query, explain)

    monkeypatch.setattr(Database, "run", listen)
    path = tmp_path / "a.parquet"
    table = pa.table({"true": [0, 1, 1], "pred": [0, 1, 0]})
    for checked in (False, True):
        pq.write_table(table, path, write_page_checksum=checked, row_group_size=1)
        asked.clear()
        assert wf.count(path).n == 3
        assert any("parquet_metadata" in query for query in asked) is checked
        assert len(asked) == 3 + checked


def test_halves_and_chunks_of_arrow(tmp_path: Path) -> None:
    path = tmp_path / "a.arrow"
    halves = pa.array(np.array([0.1, 0.6], np.float16))
    first = pa.record_batch({"true": pa.array(["a", "b"]).dictionary_encode(), "score": halves})
    second = pa.record_batch({"true": pa.array(["b", "c"]).dictionary_encode(), "score": halves})
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, first.schema) as writer:
        writer.write_batch(first)
        writer.write_batch(second)
    assert wf.rank(path, positive="b").n == 4
    assert wf.roc_auc(path, positive="c") == wf.roc_auc(
        ["a", "b", "b", "c"], np.array([0.1, 0.6, 0.1, 0.6], np.float16), positive="c"
    )


def test_texts_that_differ_in_the_middle_are_counted_quickly() -> None:
    texts = [f"prefix--{i % 1500:08d}--suffix--" for i in range(60_000)]
    others = ["".join(text) for text in texts]  # no two the same object
    assert wf.count(texts, [f"{text} "[:-1] for text in others]).n == 60_000


def test_a_text_that_python_cannot_take_is_a_damaged_file() -> None:
    """DuckDB gives it to Python all the same if a damaged page hides it from its own check."""
    with Database() as database, pytest.raises(FileError, match=r"^x: it contains text that"):
        database.ask(b"\xff".decode, lambda said: f"x: {said}")

    def fetch() -> None:
        raise SystemError("<method> returned a result with an exception set")

    with Database() as database, pytest.raises(FileError, match=r"^x: it contains text that"):
        database.ask(fetch, lambda said: f"x: {said}")
