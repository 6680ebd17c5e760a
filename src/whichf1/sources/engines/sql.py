"""Databases: the counting is done there, and only the grouped table leaves.

narwhals writes each question for Ibis, Ibis writes it in the SQL of the database, and it is run on
the user's connection, whose transaction and settings are left unchanged. The types of columns are
settled here, in the innermost SELECT: SQLite has values of any type in any column, and text is
grouped by its characters, whatever the collation of the column.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from urllib.parse import quote as percent
from urllib.parse import unquote

from whichf1.errors import FileError, InputError, LabelError, WhichF1Error, is_among, raise_alone
from whichf1.sources.address import Address
from whichf1.sources.engines.database import first_line, quote
from whichf1.sources.engines.frames import gather_frame
from whichf1.sources.request import EXACT, Answer, Origin, Request, is_frame, is_path

if TYPE_CHECKING:
    from whichf1.sources.questions.grouped import Question

ROWS, ITEMS = "whichf1_rows", "whichf1_items"
"""The names of the original rows, and of those with settled columns."""
UNUSED = ("memory_limit", "progress")
"""Options of files that a database does not need."""
SECONDS = 30
"""How long a server may take to answer, in seconds."""
INSTALL = "pip install 'whichf1[sql]'"
NUMBERS = {20: "int64", 21: "int64", 23: "int64", 700: "float64", 701: "float64", 1700: "decimal"}
LISTS = {1005: "int64", 1007: "int64", 1016: "int64", 1009: "string", 1015: "string"}
"""PostgreSQL's types by number, and their counterparts here."""
BOOLEAN = 16
DATABASES = {
    "sqlite": ("sqlite", "the SQLite database"),
    "postgresql": ("postgres", "the PostgreSQL database"),
}
"""Names of dialects for SQLAlchemy, for Ibis, and in messages."""


class Rows(NamedTuple):
    """Rows of a database that is queried on a connection of Python's DB-API."""

    connection: Any
    dialect: str
    """The dialect, by its name in Ibis: sqlite or postgres."""
    query: str
    """SQL that selects all rows."""
    name: str
    """In messages."""
    safe: Callable[[str], str]
    """A message without secrets."""

    def run(self, query: str) -> list[Any]:
        """The rows of a query."""
        return self.told(query)[1]

    def columns(self) -> list[tuple[str, Any]]:
        """The names and types of the columns; SQLite has an internal name for "true"."""
        inside = f"SELECT * FROM ({self.query}) AS given LIMIT 0"
        if self.dialect == "sqlite":
            self.told(
                f"EXPLAIN {inside}", most=0
            )  # an error for anything but a SELECT, which is not run
            inside = self.query
        return [fact[:2] for fact in self.told(inside, most=0)[0]]

    def told(self, query: str, most: int | None = None) -> tuple[Any, list[Any]]:
        """The columns of a query, and its rows if requested."""
        try:
            with closing(self._cursor()) as cursor, self._undone():
                # a cached plan would be wrong after the table changes
                cursor.execute(query, **{"prepare": False} if self._is_psycopg else {})
                return cursor.description or (), [] if most == 0 else [*map(tuple, cursor)]
        except (WhichF1Error, MemoryError):
            raise
        except Exception as error:  # each library has its own
            said = self.safe(str(error).strip().partition("\n")[0])
            raise_alone(FileError(f"{self.name}: the database says: {said}{_advice(said)}"))

    def _cursor(self) -> Any:
        cursor = self.connection.cursor()
        if self.dialect == "sqlite":
            cursor.row_factory = None
        elif self._is_psycopg:
            cursor.row_factory = import_module("psycopg.rows").tuple_row
        return cursor

    @property
    def _is_psycopg(self) -> bool:
        return type(self.connection).__module__.partition(".")[0] == "psycopg"

    @contextmanager
    def _undone(self) -> Iterator[None]:
        """After an error, PostgreSQL continues only if the failed statement is undone."""
        if self.dialect != "postgres" or not hasattr(self.connection, "transaction"):
            yield
            return
        with self.connection.transaction():
            yield


def _advice(said: str) -> str:
    if "out of range" in said and "flow" in said:
        return (
            ". It refuses products that are too small or too large for a float: scale the weights, "
            "or read the rows into a dataframe."
        )
    if "syntax error" in said.lower():
        return ". query= must be a single SELECT."
    return "" if said.endswith(".") else "."


def gather_database(data: Any, predictions: Any, request: Request, question: Question) -> Answer:
    """The answer to a question for a table, or for the rows of a query."""
    reading = {k: v for k, v in request.reading.items() if k not in UNUSED}
    query, table = reading.pop("query", None), reading.pop("table", None)
    on_error = reading.pop("on_error", "raise")
    if predictions is not None or reading or not is_among(on_error, ("raise", "skip")):
        unread = ", ".join(f"{name}=" for name in reading) or "the second argument"
        raise InputError(f"a database holds all columns: omit {unread}, which is for files")
    if (query is None) == (table is None) or is_among(table, ("",)):
        raise InputError(
            "name the rows of a database: table='name' or query='SELECT …' (--table, --query), "
            "but not both"
        )
    with _opened(data, query, table) as rows:
        if not isinstance(rows, Rows):
            return gather_frame(rows, request, question, Origin("the query", skip=False))
        return gather_rows(rows, request, question, skip=on_error == "skip")


def gather_rows(rows: Rows, request: Request, question: Question, *, skip: bool = False) -> Answer:
    """The answer to a question for rows that are queried where they are."""
    facts = rows.columns()
    names = [name for name, _ in facts]
    columns = request.find(names, rows.name)
    chosen = {name: (f"c{(at := names.index(name))}", facts[at][1]) for name in columns.used}
    rows_as = f"{ROWS}({', '.join(f'c{at}' for at in range(len(names)))}) AS ({rows.query})"
    shown = (_of_sqlite if rows.dialect == "sqlite" else _of_postgres)(
        rows, rows_as, chosen, columns
    )
    select = ", ".join(f"{sql} AS {quote(_spelled(name))}" for name, (_, sql) in shown.items())
    head = f"WITH {rows_as}, {ITEMS} AS (SELECT {select} FROM {ROWS})"
    frame = _table(rows, head, {name: kind for name, (kind, _) in shown.items()})
    return gather_frame(frame, request, question, Origin(rows.name, skip=skip))


def asked_rows(table: Any) -> Rows | None:
    """The rows of an Ibis table in SQLite or PostgreSQL; None for other frames."""
    if not hasattr(table, "get_backend"):
        return None
    try:
        backend = table.get_backend()
    except Exception:  # a table without a database, or of several
        return None
    if backend.name not in ("sqlite", "postgres") or not hasattr(backend, "con"):
        return None
    return Rows(backend.con, backend.name, backend.compile(table), "the ibis frame", str)


Chosen: TypeAlias = Mapping[str, tuple[str, Any]]
"""The SQL of each column, and its type according to the library."""
Shown: TypeAlias = dict[str, tuple[str, str]]
"""The type of each column in Ibis, and its SQL."""


def _of_sqlite(rows: Rows, rows_as: str, chosen: Chosen, columns: Request) -> Shown:
    """Columns by the types of their values, which SQLite does not fix."""
    kinds = ", ".join(f"group_concat(DISTINCT typeof({sql}))" for sql, _ in chosen.values())
    (types,) = rows.run(f"WITH {rows_as} SELECT {kinds} FROM {ROWS}")
    shown = {}
    for (name, (sql, _)), text in zip(chosen.items(), types, strict=True):
        held = {*(text or "").split(",")} - {"null", ""}
        if held & {"text", "blob"} and held != {"text"}:
            raise LabelError(
                f"{rows.name}: column {name!r} holds values of several types "
                f"({', '.join(sorted(held))}). Use one type throughout."
            )
        if held == {"text"}:
            shown[name] = ("string", f"{sql} || ''")  # without the collation of the column
        elif name not in columns.numbers:
            shown[name] = ("int64" if held == {"integer"} else "float64" if held else "string", sql)
        else:
            large = f"typeof({sql}) = 'integer' AND abs({sql}) > {EXACT}"
            never = large if name in columns.preds else "FALSE"
            finite = f"abs({sql}) < 9e999"  # which is infinity
            number = f"CASE WHEN {never} THEN NULL WHEN {finite} THEN CAST({sql} AS REAL) END"
            shown[name] = ("float64", number)
    return shown


def _of_postgres(rows: Rows, rows_as: str, chosen: Chosen, columns: Request) -> Shown:
    """Columns by their types; what is neither a number nor a list is text."""
    shown = {}
    for name, (sql, type_) in chosen.items():
        if type_ == BOOLEAN:
            shown[name] = ("boolean", sql)
        elif type_ in NUMBERS:
            kind = NUMBERS[type_]
            wide = {"int64": "BIGINT", "float64": "DOUBLE PRECISION"}.get(kind)
            shown[name] = (kind, sql if wide is None else f"CAST({sql} AS {wide})")
        elif type_ in LISTS:
            shown[name] = (f"array<{LISTS[type_]}>", sql)
        else:
            shown[name] = ("string", f'CAST({sql} AS TEXT) COLLATE "C"')
    return shown


def _table(rows: Rows, head: str, schema: Mapping[str, str]) -> Any:
    """The rows as an Ibis table, which is queried on their connection."""
    try:
        import ibis
        from ibis.expr import operations

        backend = import_module(f"ibis.backends.{rows.dialect}").Backend()
    except ImportError as error:
        raise_alone(_missing(error))
    backend.ask = partial(_ask, rows, head, backend)
    table = operations.DatabaseTable(name=ITEMS, schema=ibis.schema(schema), source=backend)
    return table.to_expr()


def _missing(error: ImportError) -> InputError:
    said = str(error).partition("\n")[0].rstrip(".")
    return InputError(f"databases need Ibis ({said}): {INSTALL}")


def _ask(rows: Rows, head: str, backend: Any, expression: Any) -> list[list[Any]]:
    """The columns of an answer."""
    tree = backend.compiler.to_sqlglot(expression).transform(_settled, rows.dialect)
    if rows.dialect == "postgres":
        _multiply_safely(tree)
    query = tree.sql(dialect=backend.dialect)
    joined = f"{head}, {query[5:]}" if query.startswith("WITH ") else f"{head} {query}"
    facts, answer = rows.told(joined)
    return [[*column] for column in zip(*answer, strict=True)] or [[] for _ in facts]


def _spelled(name: str) -> str:
    """A name of a column in SQL; SQLite does not find "true" inside."""
    return f"whichf1_{name}" if name.lower() in ("true", "false") else name


def _settled(node: Any, dialect: str) -> Any:
    """The SQL of Ibis with names that SQLite finds, and with LN(x) in place of LOG(e, x), which
    PostgreSQL computes from the first 15 digits of x."""
    from sqlglot import expressions as sql

    if isinstance(node, sql.Identifier):
        return sql.to_identifier(_spelled(node.name), quoted=True) if node.quoted else node
    if not isinstance(node, sql.Log) or node.expression is None:
        return node
    base, number = (x.this if isinstance(x, sql.Cast) else x for x in (node.this, node.expression))
    if not isinstance(base, sql.Literal) or not base.name.startswith("2.71828"):
        return node
    return sql.Ln(this=number) if dialect == "postgres" else sql.func("LN", number)


def _multiply_safely(tree: Any) -> None:
    """Make products outside the range of floats 0 or infinite, where PostgreSQL raises an error."""
    from sqlglot import expressions as sql
    from sqlglot import parse_one

    for node in reversed([*tree.find_all(sql.Mul)]):
        a, b = (f"({side.sql(dialect='postgres')})" for side in (node.this, node.expression))
        root = f"SQRT(ABS({a})) * SQRT(ABS({b}))"
        node.replace(
            parse_one(
                f"CASE WHEN {root} < 2.3e-162 THEN 0.0 WHEN {root} > 1.3e154 "
                f"THEN SIGN({a}) * SIGN({b}) * CAST('Infinity' AS DOUBLE PRECISION) "
                f"ELSE {a} * {b} END",
                dialect="postgres",
            )
        )


# ways to open a database


@contextmanager
def _opened(data: Any, query: Any, table: Any) -> Iterator[Any]:
    """Rows, or a frame of an engine that is queried like other frames."""
    if is_frame(data):
        raise InputError("this is already a table: omit query= and table=")
    root = type(data).__module__.partition(".")[0]
    if root == "sqlalchemy" and hasattr(data, "render_as_string"):
        data = data.render_as_string(hide_password=False)
    if is_path(data):
        address = Address.of(data)
        if address is None:
            raise InputError(
                f"query= and table= are for databases, and {str(data)!r} is a file: for SQLite, "
                f"use 'sqlite:///{data}'"
            )
        with _of_address(address, query, table) as rows:
            yield rows
    elif root == "sqlalchemy":
        with _of_sqlalchemy(data) as (dialect, connection, said):
            yield _rows(connection, dialect, query, table, said, engine=data)
    elif root == "sqlite3":
        yield _rows(data, "sqlite", query, table, "the SQLite database")
    elif root == "psycopg":
        if type(data).__name__.startswith("Async"):
            raise InputError("asynchronous connections are not supported: pass a Connection")
        yield _rows(data, "postgres", query, table, "the PostgreSQL database")
    elif hasattr(data, "sql") and hasattr(data, "table"):
        yield _of_backend(data, query, table)
    else:
        raise InputError(
            "query= and table= are for a database: a URL, an Ibis connection, a SQLAlchemy engine "
            f"or connection, a sqlite3 or psycopg connection; got {type(data).__name__}"
        )


def _rows(
    connection: Any,
    dialect: str,
    query: Any,
    table: Any,
    database: str,
    safe: Callable[[str], str] = str,
    engine: Any = None,
) -> Rows:
    if table is not None:
        if not isinstance(table, str):
            raise InputError(f"table= must be a name, as t or schema.t; got {type(table).__name__}")
        every = f"SELECT * FROM {'.'.join(map(quote, table.split('.')))}"
        return Rows(connection, dialect, every, f"table {table!r} of {database}", safe)
    if hasattr(query, "compile"):  # SQLAlchemy's
        how = {"compile_kwargs": {"literal_binds": True}}
        query = str(query.compile(getattr(engine, "engine", engine), **how))
    return Rows(connection, dialect, _selected(query), f"the query to {database}", safe)


def _selected(query: Any) -> str:
    """A query that can be put in parentheses, where only a SELECT is accepted."""
    if not isinstance(query, str):
        raise InputError(f"query= must be a text such as 'SELECT …'; got {type(query).__name__}")
    return re.sub(r";\s*(--[^\n]*\s*)*$", "", query) + "\n"  # after which a comment ends


@contextmanager
def _of_address(address: Address, query: Any, table: Any) -> Iterator[Any]:
    name = repr(address.name)
    make = partial(_rows, query=query, table=table, database=name, safe=address.without_secrets)
    if address.scheme == "sqlite":
        with closing(_open_sqlite(address)) as connection:
            yield make(connection, "sqlite")
    elif address.scheme in ("postgresql", "postgres"):
        with closing(_open_postgres(address)) as connection:
            yield make(connection, "postgres")
    else:
        backend = _open_other(address)
        try:
            yield _of_backend(backend, query, table, address)
        finally:
            with suppress(Exception):
                getattr(backend, "disconnect", backend.close)()


def _open_sqlite(address: Address) -> Any:
    """Open read-only, since a missing file would otherwise be created."""
    path = _file_of(address)
    try:
        return sqlite3.connect(f"file:{percent(os.path.abspath(path))}?mode=ro", uri=True)
    except sqlite3.Error as error:
        raise_alone(FileError(f"cannot read {address.name!r}: {error}"))


def _file_of(address: Address) -> str:
    """The path of a database in a file, as SQLAlchemy writes it: sqlite:////absolute/path."""
    path = unquote(address.name.partition("://")[2].removeprefix("/"))
    if not os.path.isfile(path):
        raise FileError(f"cannot read {address.name!r}: there is no file {path!r}")
    return path


def _open_postgres(address: Address) -> Any:
    try:
        psycopg = import_module("psycopg")
    except ImportError:
        raise_alone(InputError(f"PostgreSQL needs psycopg: {INSTALL}"))
    text = f"postgresql://{address.text.partition('://')[2]}"
    wait = {} if "connect_timeout" in text else {"connect_timeout": SECONDS}
    try:
        connection = psycopg.connect(text, **wait)
        connection.read_only = True
    except Exception as error:
        said = address.without_secrets(str(error))
        raise_alone(FileError(f"cannot connect to {address.name!r}: {said}"))
    return connection


def _open_other(address: Address) -> Any:
    try:
        if address.scheme == "duckdb":
            return import_module("duckdb").connect(_file_of(address), read_only=True)
        return import_module("ibis").connect(address.text)
    except WhichF1Error:
        raise
    except ImportError as error:
        said = str(error).partition("\n")[0].rstrip(".")
        raise_alone(
            InputError(
                f"{address.name!r} needs Ibis ({said}): pip install "
                f"'ibis-framework[{address.scheme}]'"
            )
        )
    except Exception as error:
        said = address.without_secrets(f"{type(error).__name__}: {error}")
        raise_alone(FileError(f"cannot connect to {address.name!r}: {said}"))


def _of_backend(backend: Any, query: Any, table: Any, address: Address | None = None) -> Any:
    """Rows of a connection of Ibis or of DuckDB."""
    name = getattr(backend, "name", None)
    if name in ("sqlite", "postgres") and hasattr(backend, "con"):
        said = next(said for each, said in DATABASES.values() if each == name)
        return _rows(backend.con, name, query, table, said)
    try:
        if query is not None:
            return backend.sql(f"SELECT * FROM ({_selected(query)}) AS given")
        return backend.table(table)
    except InputError:
        raise
    except Exception as error:
        said = first_line(str(error))
        said = said if address is None else address.without_secrets(said)
        raise_alone(FileError(f"the database says: {type(error).__name__}: {said}{_advice(said)}"))


@contextmanager
def _of_sqlalchemy(data: Any) -> Iterator[tuple[str, Any, str]]:
    """The connection of an engine, of a connection or of a session."""
    connection = data.connection() if hasattr(data, "get_bind") else data
    dialect = getattr(getattr(connection, "dialect", None), "name", "")
    if dialect not in DATABASES or hasattr(connection, "sync_engine"):
        raise InputError(
            f"SQLAlchemy's connections to {' and '.join(DATABASES)} are supported; this is "
            f"{dialect or type(data).__name__}. Pass an Ibis connection."
        )
    name, said = DATABASES[dialect]
    borrowed = None
    try:
        borrowed = (
            connection.raw_connection()
            if hasattr(connection, "raw_connection")
            else connection.connection
        )
        yield name, borrowed.driver_connection, said
    except WhichF1Error:
        raise
    except Exception as error:
        plain = connection.engine.url.set(drivername=dialect)
        address = Address(plain.render_as_string(hide_password=False))
        shown = address.without_secrets(first_line(str(error)))
        raise_alone(FileError(f"cannot connect to {address.name!r}: {shown}"))
    finally:
        if borrowed is not None and hasattr(connection, "raw_connection"):
            borrowed.close()
