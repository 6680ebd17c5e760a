"""Files behind addresses and in objects: as the same files here, with the same errors."""

from __future__ import annotations

import gc
import io
import logging
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import fsspec
import fsspec.implementations.memory
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import whichf1 as wf
from tests.helpers.commands import Run
from tests.helpers.files import ROWS, WRITERS, csv_text, written
from tests.helpers.servers import bucket, served
from whichf1.errors import FileError, InputError
from whichf1.sources.address import Address, shown_name

NAMED: Any = {"true": "true", "pred": "x"}
SCORED: Any = {"true": "true", "score": ["a", "b"]}


@pytest.fixture
def memory() -> Any:
    system = fsspec.filesystem("memory")
    system.store.clear()
    return system


@pytest.mark.long
def test_every_format_over_http_and_in_objects(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        for name in WRITERS:
            path = written(tmp_path, name)
            expected = wf.count(path, **NAMED)
            assert wf.count(f"{server.address}/{name}?token=abc", **NAMED) == expected
            assert wf.log_loss(f"{server.address}/{name}", **SCORED) == wf.log_loss(path, **SCORED)
            with open(path, "rb") as file:
                assert wf.count(file, **NAMED) == expected
                with pytest.raises(FileError, match=r"has been read up to \d.*seek\(0\)"):
                    wf.count(file, **NAMED)
        assert wf.count(f"{server.address}/*.parquet", **NAMED).n == 10
        assert wf.count(f"file://{tmp_path}/a.csv", **NAMED).n == 5
    with pytest.raises(FileError, match=r"cannot read 'http://127.0.0.1:\d+/a.csv': .*onnect"):
        wf.count(f"{server.address}/a.csv", **NAMED)


def test_objects_of_text_bytes_and_archives(tmp_path: Path) -> None:
    text = csv_text(ROWS)
    expected = wf.count(written(tmp_path, "a.csv"), **NAMED)
    assert wf.count(io.StringIO(text), **NAMED, format="csv") == expected
    assert wf.count(io.BytesIO(text.encode()), **NAMED, format="csv") == expected
    with open(tmp_path / "a.csv") as file:
        assert wf.count(file, **NAMED) == expected
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as archive:
        archive.writestr("in/a.csv", text)
    with zipfile.ZipFile(tmp_path / "z.zip") as archive, archive.open("in/a.csv") as member:
        assert wf.count(member, **NAMED) == expected
    assert wf.count(f"zip://in/a.csv::{tmp_path}/z.zip", **NAMED) == expected
    gold, pred = io.StringIO("true\na\nb\n"), io.StringIO("x\na\na\n")
    assert wf.count(gold, pred, format="csv").matrix.tolist() == [[1, 0], [1, 0]]


def test_patterns_are_expanded_once_and_nothing_is_left(
    memory: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in ("a", "b"):
        memory.pipe(f"/some/{name}.csv", csv_text(ROWS).encode())
    assert wf.count("memory://some/*.csv", **NAMED).n == 10
    memory.pipe("/some/*.csv", csv_text(ROWS[:2]).encode())  # a name, as it exists
    assert wf.count("memory://some/*.csv", **NAMED).n == 2
    with pytest.raises(FileError, match=r"'memory://no/\*.csv': no file matches this pattern"):
        wf.count("memory://no/*.csv", **NAMED)
    with pytest.raises(FileError, match=r"'memory://some' is a folder\. Name its files"):
        wf.count("memory://some", **NAMED)
    memory.pipe("/bad.csv", b"true,x\na,a\na,a,a\n")
    with pytest.raises(FileError, match=r"'memory://bad.csv', line 3: 3 cells where the header"):
        wf.count("memory://bad.csv", **NAMED)
    memory.pipe("/bad.parquet", b"PAR1 no")
    with pytest.raises(FileError, match=r"'memory://bad.parquet' is a damaged Parquet file") as got:
        wf.count("memory://bad.parquet", **NAMED)
    assert "whichf1-" not in str(got.value)
    memory.pipe("/gap.csv", b"true,x\na,a\n,a\n")
    with pytest.raises(InputError, match=r"in 1 of its 2 items; the first is item 2"):
        wf.count("memory://gap.csv", **NAMED)
    del got
    gc.collect()
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("ranges", [True, False])
def test_only_the_columns_that_are_used_are_copied(tmp_path: Path, ranges: bool) -> None:
    rng, n = np.random.default_rng(3), 60_000
    noise = {f"x{at}": rng.random(n) for at in range(5)}
    table = pa.table({"true": rng.integers(0, 3, n), "x": rng.integers(0, 3, n), **noise})
    path = tmp_path / "big.parquet"
    pq.write_table(table, path, row_group_size=20_000)
    with served(tmp_path, ranges=ranges) as server:
        counts = wf.count(f"{server.address}/big.parquet", **NAMED)
        assert counts == wf.count(path, **NAMED)
        assert (server.sent < 0.1 * path.stat().st_size) is ranges


def test_a_file_that_changes_while_it_is_read(tmp_path: Path, monkeypatch: Any) -> None:
    from whichf1.sources.engines import remote

    rng, n = np.random.default_rng(3), 200_000
    columns = {name: rng.integers(0, 3, n) for name in ("true", "x")}
    path = tmp_path / "big.parquet"
    pq.write_table(pa.table({**columns, "z": rng.random(n)}), path)
    fetch = remote.PartlyCopied.fetch

    def changed(self: Any, ranges: Any) -> None:
        fetch(self, ranges)
        pq.write_table(pa.table({**columns, "z": rng.random(n) / 3}), path, compression="zstd")

    monkeypatch.setattr(remote.PartlyCopied, "fetch", changed)
    with served(tmp_path) as server, pytest.raises(FileError, match=r"changed|damaged|bytes"):
        wf.count(f"{server.address}/big.parquet", **NAMED)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_s3(tmp_path: Path, run: Run, monkeypatch: Any) -> None:
    with bucket("items") as (options, client):
        for name in ("a.csv", "a.parquet", "a.csv.gz"):
            client.upload_file(str(written(tmp_path, name)), "items", f"lang=en/{name}")
            address = f"s3://items/lang=en/{name}"
            expected = wf.count(tmp_path / name, **NAMED)
            assert wf.count(address, **NAMED, storage_options=options) == expected
        client.upload_file(str(tmp_path / "a.csv"), "items", "lang=de/a.csv")
        slices = wf.count_by(
            "s3://items/*/a.csv", **NAMED, by="lang", hive=True, storage_options=options
        )
        assert {key: part.n for key, part in slices.items()} == {("de",): 5, ("en",): 5}
        with pytest.raises(FileError, match=r"cannot read 's3://items/no.csv': there is no such"):
            wf.count("s3://items/no.csv", **NAMED, storage_options=options)
        with pytest.raises(FileError, match=r"cannot read 's3://nowhere/no.csv'"):
            wf.count("s3://nowhere/no.csv", **NAMED, storage_options=options)
        monkeypatch.setenv("AWS_ENDPOINT_URL", options["client_kwargs"]["endpoint_url"])
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "some-key")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hidden-secret")
        fsspec.get_filesystem_class("s3").clear_instance_cache()
        code, out, err = run("score", "s3://items/*/a.csv", "--true", "true", "--pred", "x")
        assert code == 0 and out.startswith("s3://items/*/a.csv: 10 items"), err


def test_missing_libraries_and_unknown_addresses() -> None:
    with pytest.raises(InputError, match=r"pip install 'whichf1\[remote\]'"):
        wf.count("gs://b/x.csv", **NAMED)
    with pytest.raises(
        FileError, match=r"files cannot be read from postgresql://.*--table or --qu"
    ):
        wf.count("postgresql://u:hidden@h/d", **NAMED)
    with pytest.raises(FileError, match=r"lost a slash as a Path: pass addresses as text"):
        wf.count(Path("s3://b/x.csv"), **NAMED)
    with pytest.raises(InputError, match="storage_options must be a mapping"):
        wf.count("memory://x.csv", **NAMED, storage_options="key")  # type: ignore[arg-type]


SECRET = ["hunter2", "p@ss/word", "a+b%2Fc"]


@pytest.mark.parametrize("password", SECRET)
def test_no_secret_is_printed(password: str, run: Run) -> None:
    for address in (
        f"http://me:{password}@127.0.0.1:1/a.csv?token={password}-token",
        f"postgresql://me:{password}@127.0.0.1:1/d",
        f"nothing://me:{password}@h/d?key={password}",
    ):
        named = run("score", address, "--true", "a", "--pred", "b")
        asked = run("score", address, "--query", "SELECT 1", "--true", "a", "--pred", "b")
        for code, out, err in (named, asked):
            assert code == 2 and password not in out + err and "***" not in err.split(":")[0]
    text = Address(f"https://u:{password}@h/x.csv?sig={password}secret&v=1")
    said = text.without_secrets(f"GET {text.text} gave {password} and {password}secret")
    assert password not in said and password not in shown_name(text.text)


def test_names_of_addresses() -> None:
    names = {
        "s3://b/a?.csv": "s3://b/a?.csv",
        "s3://b/mail@home.csv": "s3://b/mail@home.csv",
        "https://u:p@h:8/x.csv?a=b#c": "https://h:8/x.csv",
        "zip://a.csv::https://u:p@h/x.zip?k=v": "zip://a.csv::https://h/x.zip",
        "postgresql://u:p@/d?host=/tmp": "postgresql:///d",
        "postgresql://u:p/q@h/d": "postgresql://h/d",
    }
    assert {text: shown_name(text) for text in names} == names
    assert Address.of("a.csv") is None and Address.of("C:\\a.csv") is None


def test_folders_add_columns_where_that_is_asked_for(tmp_path: Path, memory: Any, run: Run) -> None:
    for lang, year in (("en", 1), ("de", 2)):
        for file in ("a.csv", "a.jsonl", "a.parquet", "a.npz", "a.arrow"):
            folder = tmp_path / file / f"lang={lang}" / f"year={year}" / "x=z"
            folder.mkdir(parents=True)
            written(folder, file)
    for file in ("a.csv", "a.jsonl", "a.parquet", "a.npz", "a.arrow"):
        root = tmp_path / file
        (root / "_SUCCESS").write_text("")
        whole = wf.count_by(root, **NAMED, by=["lang", "year"], hive=True)
        assert {key: x.n for key, x in whole.items()} == {("de", 2): 5, ("en", 1): 5} or (
            file == "a.csv" and {*whole} == {("de", "2"), ("en", "1")}
        )
        # a column that is there is never replaced
        assert {*wf.count_by(root, **NAMED, by="x", hive=True)} == {("a",), ("b",)}
        scored = wf.log_loss(root, **SCORED, hive=True, cluster="lang")
        assert "clusters:2" in scored.signature
    with pytest.raises(FileError, match="has no column 'lang'"):
        wf.count_by(f"{tmp_path}/a.csv/*/*/*/a.csv", **NAMED, by="lang")
    with pytest.raises(FileError, match=r"is a folder\. .* use --hive"):
        wf.count(tmp_path / "a.csv", **NAMED)
    code, out, _ = run("score", f"{tmp_path}/a.csv", "--hive", "--true", "true", "--pred", "x",
                       "--by", "lang", "-m", "accuracy", "-f", "csv")  # fmt: skip
    assert code == 0 and "\naccuracy,de,0.6," in out
    memory.pipe("/h/lang=__HIVE_DEFAULT_PARTITION__/a.csv", csv_text(ROWS).encode())
    assert {*wf.count_by("memory://h", **NAMED, by="lang", hive=True)} == {(None,)}


def test_a_library_that_logs_its_attempts_does_not_print_them() -> None:
    class Noisy(fsspec.implementations.memory.MemoryFileSystem):  # type: ignore[misc]
        protocol = "noisy"

        def isdir(self, path: str) -> bool:
            logging.getLogger(f"{__name__.partition('.')[0]}.noisy").error("attempt failed")
            raise OSError("nobody answers")

    fsspec.register_implementation("noisy", Noisy, clobber=True)
    heard = io.StringIO()
    root, last = logging.getLogger(), logging.lastResort
    before, root.handlers = root.handlers, []
    logging.lastResort = logging.StreamHandler(heard)
    try:
        with pytest.raises(FileError, match="nobody answers"):
            wf.count("noisy://bucket/items.csv")
    finally:
        root.handlers, logging.lastResort = before, last
    assert heard.getvalue() == ""
