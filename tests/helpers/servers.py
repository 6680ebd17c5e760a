"""Real servers on this machine: PostgreSQL, HTTP, and S3 as moto has it."""

from __future__ import annotations

import atexit
import glob
import os
import pwd
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

TYPES = {str: "text", int: "bigint", float: "double precision", bool: "boolean"}
"""Types of columns that PostgreSQL and SQLite know."""


@cache
def postgres() -> str:
    """The address of a PostgreSQL server that was started for these tests."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    programs = os.path.dirname(shutil.which("initdb") or "") or (found[-1] if found else "")
    if not programs:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    folder = tempfile.mkdtemp(prefix="whichf1-postgres-")
    user: list[str] = []
    if os.getuid() == 0:  # which PostgreSQL refuses
        shutil.chown(folder, "postgres")
        user = ["runuser", "-u", "postgres", "--"]
    name = "postgres" if user else pwd.getpwuid(os.getuid()).pw_name
    run: Any = partial(subprocess.run, check=True, capture_output=True, timeout=120, cwd=folder)
    control = [*user, f"{programs}/pg_ctl", "-D", f"{folder}/data", "-w"]
    how = ["-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8", "-U", name]
    run([*user, f"{programs}/initdb", "-D", f"{folder}/data", *how])
    settings = f"-c listen_addresses='' -k {folder} -c fsync=off"
    # its output goes to a file: a pipe would stay open as long as the server runs
    run([*control, "-o", settings, "-l", f"{folder}/log", "start"])

    def stop() -> None:
        subprocess.run([*control, "-m", "immediate", "stop"], capture_output=True, cwd=folder)
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(stop)
    return f"postgresql://{name}@/postgres?host={folder}"


def fill(connection: Any, name: str, rows: Sequence[dict[str, Any]]) -> None:
    """Make a table of rows, on a connection of sqlite3 or of psycopg."""
    mark = "?" if type(connection).__module__ == "sqlite3" else "%s"
    types = {x: TYPES[type(value)] for x, value in rows[0].items()}
    columns = ", ".join(f'"{x}" {kind}' for x, kind in types.items())
    connection.execute(f'DROP TABLE IF EXISTS "{name}"')
    connection.execute(f'CREATE TABLE "{name}" ({columns})')
    marks = ", ".join([mark] * len(types))
    cursor = connection.cursor()
    cursor.executemany(f'INSERT INTO "{name}" VALUES ({marks})', [(*x.values(),) for x in rows])
    connection.commit()


class _Handler(SimpleHTTPRequestHandler):
    """Files of a folder, with ranges; what is sent is added up."""

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        server: Any = self.server
        if not path.is_file():
            return super().do_GET()
        data = path.read_bytes()
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if asked and server.ranges:
            start, end = int(asked[1]), min(int(asked[2]) + 1, len(data))
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(data)}")
            data = data[start:end]
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        server.sent += len(data)


@contextmanager
def served(folder: Path, *, ranges: bool = True) -> Iterator[Any]:
    """A server of a folder's files; ``address`` is where, ``sent`` how many bytes."""
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))
    server.sent, server.ranges = 0, ranges
    server.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def bucket(name: str) -> Iterator[tuple[dict[str, Any], Any]]:
    """A bucket of an S3 server: the options that lead there, and a client."""
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        where = {"endpoint_url": f"http://{host}:{port}", "region_name": "us-east-1"}
        keys = {"aws_access_key_id": "some-key", "aws_secret_access_key": "hidden-secret"}
        client = boto3.client("s3", **where, **keys)
        client.create_bucket(Bucket=name)
        options = {
            "key": "some-key",
            "secret": "hidden-secret",
            "client_kwargs": where,
        }
        yield options, client
    finally:
        server.stop()
