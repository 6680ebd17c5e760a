"""Files on a Spark cluster: Spark reads them and answers the same question as any frame."""

from __future__ import annotations

import os
from typing import Any

from whichf1.errors import FileError, InputError
from whichf1.sources.cells import Origin
from whichf1.sources.columns import Columns, Wanted
from whichf1.sources.database import first_line
from whichf1.sources.files import EXTENSIONS, PACKED, TEXT, Options
from whichf1.sources.frames import gather_frame
from whichf1.sources.queries import Question

KNOWN = ("csv", "tsv", "parquet")


def gather_on_spark(
    path: str | os.PathLike[str],
    wanted: Wanted,
    question: Question,
    options: Options,
    master: str | None,
) -> tuple[dict[str, list[Any]], Columns, Origin]:
    """Ask the cluster at ``master``; without one the running session, or Spark on this machine.

    A path is Spark's own: a file, a folder, a pattern, or an address that the cluster can read.
    """
    try:
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError:
        raise InputError("--engine spark needs PySpark: pip install 'whichf1[spark]'") from None
    name = os.fspath(path)
    format = options.format or _format(name)
    if format not in KNOWN:
        raise InputError(f"Spark reads {', '.join(KNOWN)} here; {name!r} is {format}")
    running = SparkSession.getActiveSession()
    try:
        session = running or _session(SparkSession, master)
        origin = Origin(
            repr(name), "text" if format in TEXT else "typed", skip=options.on_error == "skip"
        )
        return gather_frame(_read(session, name, format), wanted, question, origin)
    except (PySparkException, Py4JError) as error:
        said = first_line(str(getattr(error, "java_exception", None) or error))
        raise FileError(f"Spark could not read {name!r}: {said}") from None
    finally:
        made = SparkSession.getActiveSession()
        if running is None and made is not None:
            made.stop()


def _session(builder: Any, master: str | None) -> Any:
    made = builder.builder.appName("whichf1").config("spark.ui.enabled", "false")
    session = made.master(master or "local[*]").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def _read(session: Any, name: str, format: str) -> Any:
    if format == "parquet":
        return session.read.parquet(name)
    # a pruned column would hide that a line is too short
    session.conf.set("spark.sql.csv.parser.columnPruning.enabled", "false")
    return session.read.csv(
        name, header=True, sep=TEXT[format], quote='"', escape='"', inferSchema=False,
        mode="FAILFAST", enforceSchema=False,
    )  # fmt: skip


def _format(name: str) -> str:
    stem = name.lower().rstrip("/*")
    for packed in PACKED:
        stem = stem.removesuffix(packed)
    found = EXTENSIONS.get(os.path.splitext(stem)[1])
    if found is None:
        raise FileError(f"cannot tell the format of {name!r} from its name. Say --from parquet")
    return found
