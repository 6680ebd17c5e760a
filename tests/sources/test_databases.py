"""Databases: the same counts as of a frame, counted there, with nothing changed on the way."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
import pandas as pd
import psycopg
import pytest
import sqlalchemy as sa

import whichf1 as wf
from tests.helpers.commands import Run
from tests.helpers.files import ROWS
from tests.helpers.servers import fill, postgres
from whichf1.errors import FileError, InputError, LabelError, WeightError, WhichF1Error

pytestmark = pytest.mark.xdist_group("postgres")
NAMED: Any = {"true": "true", "pred": "x"}
FRAME = pd.DataFrame(ROWS)


@pytest.fixture(scope="module")
def lite(tmp_path_factory: Any) -> Path:
    path: Path = tmp_path_factory.mktemp("lite") / "rows.db"
    connection = sqlite3.connect(path)
    fill(connection, "rows", ROWS)
    connection.close()
    return path


@pytest.fixture(scope="module")
def server() -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(postgres()) as connection:
        fill(connection, "rows", ROWS)
        yield connection


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: Any, lite: Path) -> Iterator[tuple[str, Any]]:
    """The address of a database, and a connection to it."""
    if request.param == "sqlite":
        connection: Any = sqlite3.connect(lite)
        yield f"sqlite:///{lite}", connection
    else:
        connection = request.getfixturevalue("server")
        connection.rollback()
        yield postgres(), connection
        connection.rollback()
        return
    connection.close()


def ways(address: str, connection: Any) -> dict[str, Callable[[], tuple[Any, dict[str, Any]]]]:
    """Every way to the same rows."""
    engine = sa.create_engine(address.replace("postgresql:", "postgresql+psycopg:"))
    connect: Any = ibis.sqlite if address.startswith("sqlite") else ibis.postgres
    raw: Any = sqlite3 if address.startswith("sqlite") else psycopg
    own = address.removeprefix("sqlite:///")
    table = {"table": "rows"}
    return {
        "address": lambda: (address, table),
        "query": lambda: (address, {"query": "SELECT * FROM rows WHERE x <> '%' ; -- all"}),
        "connection": lambda: (connection, table),
        "engine": lambda: (engine, table),
        "select": lambda: (engine, {"query": sa.select(sa.text("*")).select_from(sa.text("rows"))}),
        "url": lambda: (engine.url.set(drivername=address.partition(":")[0]), table),
        "open": lambda: (engine.connect(), table),
        "ibis": lambda: (connect.from_connection(raw.connect(own)), table),
        "ibis table": lambda: (connect.from_connection(raw.connect(own)).table("rows"), {}),
    }


@pytest.mark.filterwarnings("ignore")
def test_every_way_gives_what_a_frame_gives(place: tuple[str, Any]) -> None:
    for name, way in ways(*place).items():
        data, where = way()
        assert wf.count(data, **NAMED, **where) == wf.count(FRAME, **NAMED), name
        if name in ("address", "ibis table"):
            check_questions(data, where)


def check_questions(data: Any, where: dict[str, Any]) -> None:
    """Scores, probabilities, sets, weights, clusters, slices and several systems."""
    more: list[Callable[[Any, Any], Any]] = [
        lambda x, k: wf.count(x, **NAMED, **k, weights="w", cluster="doc"),
        lambda x, k: dict(wf.count_by(x, **NAMED, **k, by=["doc", "y"])),
        lambda x, k: wf.count_each(x, true="true", pred=["x", "y"], **k),
        lambda x, k: wf.rank(x, true="true", score="score", positive="b", **k),
        lambda x, k: wf.at_argmax(x, true="true", score=["a", "b"], **k),
        lambda x, k: wf.count_multilabel(x, true="tags", pred="found", sep=";", **k),
    ]
    for ask in more:
        assert ask(data, where) == ask(FRAME, {})
    scored: dict[str, dict[str, Any]] = {
        "log_loss": {"score": ["a", "b"], "weights": "w"},
        "brier": {"score": ["a", "b"], "cluster": "doc", "interval": "delta"},
        "roc_auc": {"score": "score", "positive": "b", "interval": "delta"},
    }
    for metric, named in scored.items():
        score, expected = (
            getattr(wf, metric)(x, true="true", **named, **k)
            for x, k in ((data, where), (FRAME, {}))
        )
        assert score.value == pytest.approx(expected.value, rel=1e-12)
        if expected.interval is not None:
            ends = (expected.interval.low, expected.interval.high)
            assert (score.interval.low, score.interval.high) == pytest.approx(ends, rel=1e-10)
    ranked: Any = {"A": "score", "B": "b"}
    plans: list[Any] = [(["x", "y"], "accuracy", {}), (ranked, "roc_auc", {"positive": "b"})]
    for systems, metric, chosen in plans:
        a, b = (
            wf.compare(x, systems, metric, true="true", **chosen, **k).pairs[0].difference
            for x, k in ((data, where), (FRAME, {}))
        )
        assert a == pytest.approx(b, abs=1e-12)


def many(connection: Any, rows: int = 20_000) -> Any:
    """A long table, of which three columns have few values."""
    rng = np.random.default_rng(5)
    true, x = rng.integers(0, 3, rows), rng.integers(0, 3, rows)
    pairs = zip(true.tolist(), x.tolist(), rng.integers(0, 5, rows).tolist(), strict=True)
    fill(connection, "many", [{"true": a, "x": b, "p": c / 4, "q": 1 - c / 4} for a, b, c in pairs])
    return wf.count(true, x)


def test_only_the_grouped_table_leaves_sqlite() -> None:
    connection = sqlite3.connect(":memory:")
    expected = many(connection)
    asked: list[str] = []
    connection.set_trace_callback(asked.append)
    fetched = Fetching(connection)
    assert wf.count(fetched.connection, **NAMED, table="many") == expected
    assert fetched.rows == [1, 9]  # the types in each column; the groups
    assert [query for query in asked if "GROUP BY" in query] == asked[-1:]
    fetched.rows.clear()
    binary: Any = {"true": "CASE true WHEN 2 THEN 0 ELSE true END"}
    query = f"SELECT {binary['true']} AS t, p, q FROM many"
    score = wf.log_loss(fetched.connection, query=query, true="t", score={0: "p", 1: "q"})
    assert score.n == 20_000 and max(fetched.rows) <= 4


class Fetching:
    """A connection that notes how many rows are fetched from each query."""

    def __init__(self, connection: Any) -> None:
        rows: list[int] = []
        self.rows = rows

        class Cursor(sqlite3.Cursor):
            fetched = 0

            def __next__(self) -> Any:
                row = super().__next__()
                self.fetched += 1
                return row

            def close(self) -> None:
                rows.extend([self.fetched] if self.fetched else [])
                super().close()

        class Connection(type(connection)):  # type: ignore[misc]
            def cursor(self, factory: Any = Cursor) -> Any:
                return connection.cursor(Cursor)

        Connection.__module__ = "sqlite3"
        self.connection = Connection(":memory:")


def test_only_the_grouped_table_leaves_postgres(server: Any) -> None:
    server.rollback()
    expected = many(server)
    told: list[int] = []
    queries: list[str] = []

    class Noted(psycopg.Cursor[Any]):
        def execute(self, query: Any, *more: Any, **how: Any) -> Any:
            result = super().execute(query, *more, **how)
            told.append(self.rowcount)
            queries.append(query)
            return result

    usual, server.cursor_factory = server.cursor_factory, Noted
    try:
        assert wf.count(server, **NAMED, table="many") == expected
    finally:
        server.cursor_factory = usual
    assert told[-1] == 9 and max(told) <= 9
    plan = "\n".join(row[0] for row in server.execute(f"EXPLAIN {queries[-1]}"))
    assert "Aggregate" in plan.splitlines()[0]  # nothing is above it but its rows
    server.rollback()


def test_a_connection_stays_as_it_is(server: Any) -> None:
    lite = sqlite3.connect(":memory:")
    fill(lite, "rows", ROWS)
    lite.row_factory = sqlite3.Row
    lite.execute("INSERT INTO rows (\"true\", x) VALUES ('a', 'b')")
    assert lite.in_transaction
    assert wf.count(lite, **NAMED, table="rows").n == 6
    with pytest.raises(FileError, match="no such table: nope"):
        wf.count(lite, **NAMED, table="nope")
    assert lite.in_transaction
    lite.rollback()
    assert wf.count(lite, **NAMED, table="rows").n == 5
    assert lite.execute("SELECT 'A' LIKE 'a'").fetchone()[0] == 1
    server.rollback()
    server.execute("CREATE TEMP TABLE mine (y text, p text) ON COMMIT DROP")
    server.execute("INSERT INTO mine VALUES ('a', 'b')")
    zone = server.execute("SHOW TimeZone").fetchone()
    assert wf.count(server, true="y", pred="p", table="mine").n == 1
    with pytest.raises(FileError, match=r'relation "nope" does not exist'):
        wf.count(server, true="y", pred="p", table="nope")
    assert wf.count(server, true="y", pred="p", table="mine").n == 1  # the transaction goes on
    assert server.execute("SHOW TimeZone").fetchone() == zone
    server.rollback()


def test_types_of_sqlite_are_what_is_in_the_columns() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (a TEXT COLLATE NOCASE, b, s REAL, w INTEGER)")
    rows = [("cat", 1, 0.5, 1), ("Cat", 2, 1, 2), ("cat", 1, 2**54 + 1, 3)]
    connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
    counts = wf.count(connection, table="t", true="a", pred="a", weights="w")
    assert counts.labels == ("Cat", "cat") and counts.matrix.tolist() == [[2, 0], [0, 4]]
    assert wf.count(connection, table="t", true="b", pred="b").labels == (1, 2)
    connection.execute("INSERT INTO t VALUES ('cat', 'x', 'high', 'y')")
    with pytest.raises(LabelError, match=r"'b' holds values of several types \(integer, text\)"):
        wf.count(connection, table="t", true="b", pred="b")
    with pytest.raises(WhichF1Error, match="'s' holds values of several types"):
        wf.rank(connection, table="t", true="a", score="s")
    texts = "SELECT a, b, 'x' AS s FROM t WHERE typeof(b) = 'integer'"
    with pytest.raises(InputError, match="column 's' holds String: scores must be numbers"):
        wf.rank(connection, query=texts, true="b", score="s")
    huge = "SELECT a, CAST(w AS INTEGER) + 9007199254740993 AS s FROM t"
    with pytest.raises(InputError, match="no finite number in 4 of its 4 items"):
        wf.rank(connection, query=huge, true="a", score="s")
    with pytest.raises(WeightError, match="2 of the 2 items have no valid weight"):
        infinite = "SELECT 'a' AS true, 'a' AS pred, 9e999 AS w UNION ALL SELECT 'a', 'a', -1"
        wf.count(connection, query=infinite, weights="w")


def test_types_of_postgres(server: Any) -> None:
    server.rollback()
    server.execute("CREATE TYPE pg_temp.mood AS ENUM ('sad', 'glad')")
    server.execute(
        "CREATE TEMP TABLE t (e mood, c char(6), v varchar, n numeric, r real, b boolean, "
        "tags text[], found text[], u uuid)"
    )
    row = "('sad', 'sad', 'glad', 1.5, 0.1, true, '{a,b}', '{a}', gen_random_uuid())"
    server.execute(f"INSERT INTO t VALUES {row}, {row.replace(chr(39) + 'sad', chr(39) + 'glad')}")
    ask: Any = {"table": "t"}
    assert wf.count(server, **ask, true="e", pred="c").matrix.tolist() == [[1, 0], [0, 1]]
    assert wf.count(server, **ask, true="v", pred="e", weights="n").n == 3.0
    assert wf.rank(server, **ask, true="b", score="r", labels=[False, True]).n == 2
    sets = wf.count_multilabel(server, **ask, true="tags", pred="found")
    assert wf.subset_accuracy(sets) == 0.0 and sets.n == 2
    assert len(wf.count_by(server, **ask, true="e", pred="c", by="u")) == 2
    with pytest.raises(WeightError, match="column 'v' holds String: weights must be finite"):
        wf.count(server, **ask, true="e", pred="c", weights="v")
    tiny = "SELECT 1 AS y, 1e-200::float8 AS a, 1 - 1e-200::float8 AS b, 1e-300::float8 AS w"
    two = f"{tiny} UNION ALL SELECT 0, 1, 0, 1e-300"
    score = wf.brier(server, query=two, true="y", score={0: "a", 1: "b"}, weights="w")
    assert score.value == 0.0 and score.n == 2e-300
    near = (
        "SELECT 1 AS y, 1 - p AS a, p AS b FROM (SELECT (1 - power(2, -40))::float8 AS p) AS given"
    )
    score = wf.log_loss(server, query=near, true="y", score={0: "a", 1: "b"})
    assert score.value == pytest.approx(-np.log1p(-(2.0**-40)), rel=1e-12)
    server.rollback()


CHANGES = (
    "DELETE FROM rows",
    "DELETE FROM rows RETURNING *",
    "INSERT INTO rows SELECT * FROM rows RETURNING *",
    "UPDATE rows SET x = 'z' RETURNING *",
    "DROP TABLE rows",
    "SELECT * FROM rows; DELETE FROM rows",
    "WITH gone AS (DELETE FROM rows RETURNING *) SELECT * FROM gone",
)


@pytest.mark.parametrize("kind", ["sqlite3", "sqlalchemy", "ibis sqlite", "psycopg", "duckdb"])
def test_no_query_changes_a_database(kind: str, request: Any) -> None:
    """Also not on a connection that may write."""
    lite = sqlite3.connect(":memory:", check_same_thread=False)
    how: Any = {"creator": lambda: lite, "poolclass": sa.pool.StaticPool}
    engine = sa.create_engine("sqlite://", **how)
    duck = duckdb.connect()
    backend: Any = ibis.sqlite
    duck.execute("CREATE TABLE rows AS SELECT * FROM FRAME").fetchall()
    fill(lite, "rows", ROWS)
    places: dict[str, Callable[[], Any]] = {
        "sqlite3": lambda: lite,
        "sqlalchemy": lambda: engine,
        "ibis sqlite": lambda: backend.from_connection(lite),
        "psycopg": lambda: request.getfixturevalue("server"),
        "duckdb": lambda: duck,
    }
    data = places[kind]()
    expected = wf.count(data, **NAMED, table="rows")
    for query in CHANGES:
        with pytest.raises(FileError, match="the database says"):
            wf.count(data, **NAMED, query=query)
        assert wf.count(data, **NAMED, table="rows") == expected, query
    for query in ("WITH a AS (SELECT 1) SELECT * FROM rows", "SELECT * FROM rows -- all"):
        assert wf.count(data, **NAMED, query=query) == expected


def test_other_databases_are_asked_through_ibis_and_duckdb(tmp_path: Path) -> None:
    connection = duckdb.connect(str(tmp_path / "rows.duckdb"))
    connection.execute("CREATE TABLE rows AS SELECT * FROM FRAME")
    expected = wf.count(FRAME, **NAMED)
    assert wf.count(connection, **NAMED, table="rows") == expected
    assert wf.count(connection, **NAMED, query="SELECT * FROM rows") == expected
    connection.close()
    assert wf.count(f"duckdb:///{tmp_path}/rows.duckdb", **NAMED, table="rows") == expected
    with pytest.raises(FileError, match=r"the database says: .*nope"):
        wf.count(f"duckdb:///{tmp_path}/rows.duckdb", **NAMED, table="nope")


def test_what_cannot_be_asked(lite: Path, run: Run) -> None:
    address, named = f"sqlite:///{lite}", NAMED
    cases: dict[str, Callable[[], Any]] = {
        "has no column 'nope'. Its columns: true, score": lambda: wf.count(
            address, table="rows", true="nope", pred="x"
        ),
        "name the rows of a database: table='name' or query=": lambda: wf.count(
            sqlite3.connect(lite), **named
        ),
        "but not both": lambda: wf.count(address, **named, table="rows", query="SELECT 1"),
        "there is no file 'nope.db'": lambda: wf.count("sqlite:///nope.db", **named, table="t"),
        "use 'sqlite:///rows.db'": lambda: wf.count("rows.db", **named, table="t"),
        "syntax error. query= must be a single SELECT.": lambda: wf.count(
            address, **named, query="SELEC 1"
        ),
        "omit format=, which is for files": lambda: wf.count(
            address, **named, table="rows", format="csv"
        ),
        "this is already a table": lambda: wf.count(FRAME, **named, table="rows"),
        "must be a text such as 'SELECT …'; got int": lambda: wf.count(address, **named, query=3),
        "table= must be a name": lambda: wf.count(address, **named, table=3),  # type: ignore[arg-type]
        "cannot connect to 'nothing://h/d'": lambda: wf.count(
            "nothing://u:hidden@h/d", **named, table="t"
        ),
        "pip install 'ibis-framework[oracle]'": lambda: wf.count(
            "oracle://u:hidden@h/d", **named, table="t"
        ),
        "cannot connect to 'postgresql://127.0.0.1:1/d'": lambda: wf.count(
            sa.create_engine("postgresql+psycopg://u:hidden@127.0.0.1:1/d"), **named, table="t"
        ),
        "this is mysql. Pass an Ibis connection": lambda: wf.count(
            sa.create_mock_engine("mysql://", print), **named, table="t"
        ),
    }
    for message, call in cases.items():
        with pytest.raises(InputError) as caught:
            call()
        assert message in str(caught.value) and "hidden" not in str(caught.value)
    code, out, _ = run("score", address, "--table", "rows", "--true", "true", "--pred", "x")
    assert code == 0 and out.startswith(f"{address}: 5 items, 2 classes")
    query = "SELECT * FROM rows WHERE doc = 'd1'"
    code, out, _ = run("score", address, "--query", query, "--true", "true", "--probs", "a,b")
    assert code == 0 and "2 items" in out
    code, _, err = run("score", address, "--table", "nope")
    assert code == 2 and "table 'nope' of 'sqlite:" in err and "no such table: nope" in err
    skip = "SELECT * FROM rows UNION ALL SELECT NULL, 0, 0, 0, 'a', 'a', 'd', 1, '', '', ''"
    code, _, err = run("count", address, "--query", skip, "--true", "true", "--pred", "x",
                       "--on-error", "skip")  # fmt: skip
    assert code == 0 and "skipped 1 without a label in 'true'; 6 items were read" in err
