"""Files on a Spark cluster: Spark reads them and answers the same question as any frame."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from whichf1.errors import FileError, InputError, numbered, verb
from whichf1.sources.address import Address, shown_name
from whichf1.sources.engines.database import first_line
from whichf1.sources.engines.files import ReadingOptions, format_of
from whichf1.sources.engines.formats import FIRST_LINES, CsvFile, TsvFile, keys_of
from whichf1.sources.engines.frames import gather_frame
from whichf1.sources.engines.remote import Elsewhere, OfObject
from whichf1.sources.request import EXACT, Answer, Origin, Reading, Request, is_path

if TYPE_CHECKING:
    from whichf1.sources.questions.grouped import Question

KNOWN = ("csv", "tsv", "jsonl", "parquet")
BAD_LINE = "the line of whichf1 that is malformed"
OBJECT = "schema_of_variant(line) LIKE 'OBJECT%'"


class Read(NamedTuple):
    """Files as a Spark frame."""

    frame: Any
    reading: Reading
    skipped: tuple[str, ...] = ()


def gather_on_spark(
    data: Any,
    request: Request,
    question: Question,
    options: ReadingOptions,
    master: str | None,
) -> Answer:
    """Ask the cluster at ``master``; by default, the running session, or Spark on this machine.

    A path is resolved by Spark: a file, a folder, a pattern, or an address that the cluster can
    read. A file-like object is copied to this machine.
    """
    try:
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError:
        raise InputError("--engine spark needs PySpark: pip install 'whichf1[spark]'") from None
    if options.hive or options.storage_options:
        raise InputError("Spark reads folders and addresses in its own way: omit hive= (--hive)")
    if not is_path(data):
        data = OfObject(data)
    path = os.fspath(data)
    name = data.name if isinstance(data, Elsewhere) else repr(shown_name(path))
    format = options.format or format_of(path.rstrip("/*"))
    if format is None:
        raise FileError(f"cannot tell the format of {name} from its name. Use --from parquet")
    if format not in KNOWN:
        raise InputError(f"Spark reads {', '.join(KNOWN)} here; {name} is {format}")
    running = SparkSession.getActiveSession()
    try:
        session = running or _session(SparkSession, master)
        read = _read(session, path, format, options.skip)
        origin = Origin(name, read.reading, skip=options.skip, skipped=read.skipped)
        frame = read.frame
        if read.reading != "typed":
            columns = request.find(frame.columns, origin.name)
            frame = _with_numbers(frame, columns)
        return gather_frame(frame, request, question, origin)
    except (PySparkException, Py4JError) as error:
        said = first_line(str(getattr(error, "java_exception", None) or error))
        said = re.sub(rf"(file:(//)?)?{re.escape(path)}", name, Address(path).without_secrets(said))
        raise FileError(f"Spark could not read {name}: {said}") from None
    finally:
        active = SparkSession.getActiveSession()
        if running is None and active is not None:
            active.stop()


def _session(builder: Any, master: str | None) -> Any:
    settings = builder.builder.appName("whichf1").config("spark.ui.enabled", "false")
    session = settings.master(master or "local[*]").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def _read(session: Any, name: str, format: str, skip: bool) -> Read:
    if format == "parquet":
        return Read(session.read.parquet(name), "typed")
    if format == "jsonl":
        return _read_jsonl(session, name, skip)
    return _read_csv(session, name, (TsvFile if format == "tsv" else CsvFile).delimiter, skip)


def _read_csv(session: Any, name: str, delimiter: str, skip: bool) -> Read:
    # a pruned column would hide that a line is too short
    session.conf.set("spark.sql.csv.parser.columnPruning.enabled", "false")
    how = {"header": True, "sep": delimiter, "quote": '"', "escape": '"', "enforceSchema": False}
    strict = session.read.csv(name, inferSchema=False, mode="FAILFAST", **how)
    if not skip:
        return Read(strict, "text")
    from pyspark.sql import types

    fields = [types.StructField(x, types.StringType()) for x in (*strict.columns, BAD_LINE)]
    lenient = session.read.csv(
        name,
        schema=types.StructType(fields),
        mode="PERMISSIVE",
        columnNameOfCorruptRecord=BAD_LINE,
        **how,
    )
    short = lenient.toDF(*(f"c{at}" for at in range(len(fields))))
    bad = f"c{len(fields) - 1}"
    # Spark refuses a query about bad lines alone
    n = short.selectExpr(f"count_if({bad} IS NOT NULL)", "count(c0)").collect()[0][0]
    good = short.where(f"{bad} IS NULL").drop(bad).toDF(*strict.columns)
    return Read(
        good, "text", (f"{numbered(n, 'line')} with too few or too many cells",) if n else ()
    )


def _read_jsonl(session: Any, name: str, skip: bool) -> Read:
    """Each value as its JSON text, so that 1 and "1" stay distinct."""
    if int(session.version.partition(".")[0]) < 4:
        raise InputError(f"JSON lines need Spark 4; this is {session.version}. Convert to Parquet.")
    lines = session.read.text(name).where("trim(value) <> ''")
    first = (row[0].encode() for row in lines.limit(FIRST_LINES).collect())
    keys = keys_of(first, repr(name), skip)
    parsed = lines.selectExpr(f"{'try_' if skip else ''}parse_json(value) AS line", "value")
    skipped: tuple[str, ...] = ()
    if skip:
        n = parsed.where(f"NOT coalesce({OBJECT}, false)").count()
        skipped = (
            (f"{numbered(n, 'line')} that {verb(n, 'is', 'are')} not a JSON object",) if n else ()
        )
        parsed = parsed.where(OBJECT)
    wrong = "raise_error(concat('not a JSON object: ', left(value, 40)))"
    shown = [
        f"CASE WHEN {OBJECT} THEN {_json_text(key)} ELSE {wrong} END AS c{at}"
        for at, key in enumerate(keys)
    ]
    return Read(parsed.selectExpr(*shown).toDF(*keys), "json", skipped)


def _json_text(key: str) -> str:
    """A value as JSON, NULL for null; integers of more than 38 digits as they are written."""
    value, as_written = (
        f"variant_get(line, {_path(key)})",
        f"""get_json_object(value, "$['{key}']")""",
    )
    rounded = f"schema_of_variant({value}) = 'DOUBLE' AND {as_written} RLIKE '^-?[0-9]+$'"
    return f"CASE WHEN {rounded} THEN {as_written} ELSE nullif(to_json({value}), 'null') END"


def _path(key: str) -> str:
    """The path of a key in an object, as text in Spark's SQL."""
    if "'" in key or '"' in key or "\\" in key:
        raise FileError(
            f"the key {key!r} contains a quote or a backslash, which Spark cannot look up"
        )
    return f"""'$["{key}"]'"""


def _with_numbers(frame: Any, columns: Request) -> Any:
    """Columns of text as numbers, NULL where a cell is not a number.

    Also NULL for scores that are integers which differ but would tie as floats.
    """
    names = frame.columns
    short = frame.toDF(*(f"c{at}" for at in range(len(names))))
    shown = [
        f"{_number(f'c{at}', name != columns.weights)} AS c{at}"
        if name in columns.numbers
        else f"c{at}"
        for at, name in enumerate(names)
    ]
    return short.selectExpr(*shown).toDF(*names)


def _number(cell: str, score: bool) -> str:
    number = f"try_cast({cell} AS DOUBLE)"
    if not score:
        return number
    exact = f"abs(try_cast({cell} AS DECIMAL(38, 0))) <= {EXACT}"
    tied = f"trim({cell}) RLIKE '^[+-]?[0-9]+([.]0*)?$' AND NOT coalesce({exact}, false)"
    return f"CASE WHEN {tied} THEN NULL ELSE {number} END"
