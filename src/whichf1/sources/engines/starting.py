"""DuckDB, started by a thread of its own while a command imports its modules.

A new connection takes DuckDB as long as a small command takes to score a file, and Python may work
in the meantime.
"""

from __future__ import annotations

from contextlib import suppress
from threading import Thread
from typing import Any

TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
"""Files that certainly need DuckDB; for others it is started when they are read."""
MEMORY_LIMIT = "1GB"
THREAD_BYTES = 125 << 20
"""The memory that each thread of DuckDB should have, according to its documentation."""
SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "memory_limit": MEMORY_LIMIT,
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


class Starting(Thread):
    """A connection that is being opened."""

    connection: Any = None

    def run(self) -> None:
        """Open it; whoever asks for a connection tries again if that fails, and sees the error."""
        with suppress(Exception):
            self.connection = _new(MEMORY_LIMIT)


_begun: list[Starting] = []


def start(words: list[str]) -> None:
    """Open a connection in the background if one of these words of a command is a table."""
    if not _begun and any(word.endswith(TABLES) for word in words):
        _begun.append(Starting(name="whichf1-duckdb"))
        _begun[-1].start()


def connect(memory_limit: str) -> Any:
    """A connection of its own to an empty database in memory: one that is being opened, or new."""
    if _begun and memory_limit == MEMORY_LIMIT:
        begun = _begun.pop()
        begun.join()
        if begun.connection is not None:
            return begun.connection
    return _new(memory_limit)


def _new(memory_limit: str) -> Any:
    import duckdb

    connection = duckdb.connect(":memory:", config={**SETTINGS, "memory_limit": memory_limit})
    connection.execute("SET enable_progress_bar_print=false")
    connection.execute("SET enable_progress_bar=false")
    _fit_threads(connection)
    return connection


def _fit_threads(connection: Any) -> None:
    """Use as many threads as the memory allows: each holds pages that cannot be spilled."""
    query = "SELECT current_setting('threads'), current_setting('memory_limit')"
    threads, shown = connection.execute(query).fetchone()
    number, unit = shown.split()
    room = float(number) * 1024 ** "bKMGTPE".index(unit[0])
    connection.execute(f"SET threads={max(1, min(threads, int(room // THREAD_BYTES)))}")
