"""No password, key or signature of an address is ever printed, whatever fails."""

from __future__ import annotations

import io
import logging
import random
import sqlite3
import string
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

import whichf1 as wf
from tests.helpers.commands import Run
from tests.helpers.servers import postgres, served
from whichf1.errors import WhichF1Error

NAMED: dict[str, Any] = {"true": "a", "pred": "b"}
KEYS = (
    "token sig X-Amz-Signature X-Amz-Security-Token password sslpassword access_token api_key PWD"
)
MARKS = [
    "",
    "/",
    "@",
    ":",
    "%",
    "#",
    "?",
    "&",
    "=",
    "+",
    " ",
    "'",
    '"',
    "\\",
    "::",
    "é",
    "//",
    "%2F",
]


def words(chance: random.Random) -> list[str]:
    """Two words that occur in no message."""
    return ["".join(chance.choices(string.ascii_letters, k=7)) for _ in range(2)]


def spelled(chance: random.Random, parts: list[str], marks: list[str] = MARKS) -> str:
    """A secret of two words with any mark between them, as it is or in percent codes."""
    secret = chance.choice(marks).join(parts)
    return secret if chance.random() < 0.5 else quote(secret, safe="")


def of_files(chance: random.Random, secret: str, web: str) -> str:
    """An address of a file with a secret somewhere, which cannot be read."""
    host = chance.choice([web.removeprefix("http://"), "127.0.0.1:1", "127.0.0.1:port", "[::1"])
    key = chance.choice(KEYS.split())
    scheme = chance.choice(["http", "https", "http", "nothing", "sftp", "webhdfs", "abfs"])
    path = chance.choice(["no.csv", "no*.csv", "no.parquet", "", "a/b/no.csv.gz"])
    address = chance.choice(
        [
            f"{scheme}://me:{secret}@{host}/{path}",
            f"https://{quote(secret, safe='@+&= ')}@{host}/{path}",
            f"{scheme}://{host}/{path}?{key}={secret}",
            f"{scheme}://{host}/{path}?v=1&{key}={secret}&w=2",
            f"{scheme}://{host}/{path}#{key}={secret}",
            f"{scheme}://me:{secret}@{host}/{path}?{key}={secret}",
        ]
    )
    before = chance.choice(["", "", "", "zip://x.csv::", "simplecache::", "filecache::"])
    return before + address


def of_databases(chance: random.Random, secret: str, folder: Path) -> str:
    """An address of a database with a secret somewhere, and something that is wrong."""
    key = chance.choice(KEYS.split())
    host = chance.choice(["127.0.0.1:1", "127.0.0.1:port", "nowhere.invalid", "[::1", ""])
    real = postgres().replace("postgresql://postgres@", f"postgresql://postgres:{secret}@")
    return chance.choice(
        [
            real,
            f"{postgres()}&password={secret}",
            f"postgresql://me:{secret}@{host}/d",
            f"postgres://me:{secret}@{host}/d?connect_timeout=1",
            f"postgresql+psycopg://me:{secret}@{host}/d?sslmode=disable",
            f"postgresql+no_driver://me:{secret}@{host}/d",
            f"postgresql://{host}/d?password={secret}&connect_timeout=1",
            f"postgresql://me@{host}/d?{key}={secret}",
            f"host=127.0.0.1 port=1 user=me password={secret} dbname=d",
            f"user=me password='{secret}' host=127.0.0.1 port=port",
            f"sqlite:///{folder}/a.db?{key}={secret}",
            f"sqlite:///{folder}/no.db?{key}={secret}",
            f"sqlite+pysqlcipher://:{secret}@/{folder}/a.db",
            f"mysql://me:{secret}@{host}/d",
            f"mysql+pymysql://me:{secret}@{host}/d?{key}={secret}",
            f"mssql+pyodbc:///?odbc_connect=DRIVER%3DX;UID=me;PWD%3D{secret}",
            f"snowflake://me:{secret}@account/d",
            f"duckdb:///{folder}/no.duckdb?motherduck_token={secret}",
            f"nothing://me:{secret}@{host}/d?{key}={secret}",
        ]
    )


def options_with(chance: random.Random, secret: str) -> dict[str, Any]:
    """Options of fsspec with a secret in them."""
    return chance.choice(
        [
            {},
            {"headers": {"Authorization": f"Bearer {secret}"}},
            {"client_kwargs": {"headers": {"Authorization": f"Bearer {secret}"}}},
            {"password": secret},
            {"no_such_option": [secret]},
        ]
    )


def texts_of(error: BaseException | None, seen: tuple[BaseException, ...] = ()) -> Iterator[str]:
    """All that an error says, with the errors that it came from, even those that are not shown."""
    if error is None or error in seen:
        return
    yield from (str(error), repr(error), *getattr(error, "__notes__", ()))
    yield from traceback.format_exception(error)
    for other in (error.__cause__, error.__context__):
        yield from texts_of(other, (*seen, error))


def said(call: Callable[[], Any]) -> str:
    """Everything that a call says, if it fails as it should."""
    log, out = io.StringIO(), io.StringIO()
    handler = logging.StreamHandler(log)
    logging.getLogger().addHandler(handler)
    try:
        with (
            warnings.catch_warnings(record=True) as warned,
            redirect_stdout(out),
            redirect_stderr(out),
        ):
            warnings.simplefilter("always")
            try:
                told = str(call())
            except WhichF1Error as error:
                told = "\n".join(texts_of(error))
    finally:
        logging.getLogger().removeHandler(handler)
    return "\n".join([told, log.getvalue(), out.getvalue(), *(str(x.message) for x in warned)])


def trials(count: int) -> list[Any]:
    return [pytest.param(seed, id=str(seed)) for seed in range(count)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("secrets")
    with sqlite3.connect(place / "a.db") as connection:
        connection.execute("CREATE TABLE t (a, b)")
    return place


@pytest.mark.slow
@pytest.mark.thinned(8)
@pytest.mark.parametrize("seed", trials(40))
def test_no_secret_of_a_file_is_printed(seed: int, folder: Path) -> None:
    chance = random.Random(seed)
    with served(folder) as server:
        for _ in range(25):
            parts = words(chance)
            address = of_files(chance, spelled(chance, parts), server.address)
            options = options_with(chance, "-".join(parts))
            text = said(lambda: wf.count(address, **NAMED, storage_options=options))  # noqa: B023
            assert not [part for part in parts if part in text], (address, options, text)


@pytest.mark.slow
@pytest.mark.thinned(8)
@pytest.mark.parametrize("seed", trials(40))
def test_no_secret_of_a_database_is_printed(seed: int, folder: Path) -> None:
    chance = random.Random(seed)
    for _ in range(25):
        parts = words(chance)
        address = of_databases(chance, spelled(chance, parts), folder)
        asked: dict[str, Any] = chance.choice(
            [{"query": x} for x in ("SELECT 1 AS a", "SELEC", "DELETE FROM t", "SELECT * FROM no")]
            + [{"table": "t"}, {"table": "no"}, {}]
        )
        text = said(lambda: wf.count(address, **NAMED, **asked))  # noqa: B023
        assert not [part for part in parts if part in text], (address, asked, text)


@pytest.mark.parametrize("seed", range(6))
def test_no_secret_of_an_engine_is_printed(seed: int) -> None:
    import sqlalchemy

    chance = random.Random(seed)
    parts = words(chance)
    url = sqlalchemy.URL.create(
        "postgresql+psycopg",
        "me",
        chance.choice(MARKS).join(parts),
        chance.choice(["127.0.0.1", "nowhere.invalid"]),
        1,
        "d",
        {"sslpassword": "-".join(parts)},
    )
    for data in (url, sqlalchemy.create_engine(url), url.render_as_string(hide_password=False)):
        text = said(lambda: wf.count(data, **NAMED, table="t"))  # noqa: B023
        assert "cannot connect" in text and not [part for part in parts if part in text]


def test_no_secret_of_an_address_is_in_a_report(tmp_path: Path, run: Run) -> None:
    (tmp_path / "x.csv").write_text("a,b\n0,0\n1,0\n1,1\n")
    with served(tmp_path) as server:
        place = server.address.removeprefix("http://")
        address = f"http://me:hunter2pass@{place}/x.csv?token=signature77"
        for kind in ("text", "json", "html", "markdown", "latex", "csv"):
            code, out, err = run("score", address, "--true", "a", "--pred", "b", "--format", kind)
            assert code == 0 and "hunter2pass" not in out + err and "signature77" not in out + err
