"""Data that come in batches: each is asked separately, and the answers are merged.

Arrow streams, batches and datasets, Hugging Face datasets, Ray datasets, objects with Arrow's
``__arrow_c_stream__`` or the older ``__dataframe__``, and iterators of dataframes, of columns by
their names, or of pairs ``(y_true, y_pred)``.
"""

from __future__ import annotations

import inspect
import pickle
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from whichf1.errors import InputError, ShapeError, WhichF1Error
from whichf1.sources.engines.frames import gather_frame
from whichf1.sources.request import Answer, Origin, Request, is_frame, kind_of
from whichf1.sources.sequences import has_items, to_numpy

if TYPE_CHECKING:
    from whichf1.sources.questions.grouped import Question

ITEMS = 1 << 16
"""Items of a Hugging Face dataset that are read at a time."""
PAIR = ("y_true", "y_pred")
"""The names of the columns of a pair."""
AGAIN = "it may have been read before. Create a new one, or pass a table."


class Batches(NamedTuple):
    """The source of batches."""

    name: str
    """In messages."""
    read: Callable[[list[str]], Iterator[Any]]
    """Dataframes with these columns, or pairs; with all columns if these are not yet known."""
    columns: list[str] | None = None
    """All columns; None if they are only known from the batches."""


def gather_batches(data: Any, request: Request, question: Question) -> Answer:
    """The answer to a question for all batches."""
    if type(data).__module__.startswith("ray."):
        return _gather_on_ray(data, request, question)
    batches = _batches_of(data)
    known = batches.columns is not None
    columns = request.find(batches.columns or [], batches.name) if known else None
    used = [] if columns is None else columns.used
    parts: list[Any] = []
    for number, batch in enumerate(_read(batches, used), 1):
        name = f"batch {number:,} of {batches.name}"
        part, kinds, _ = _answer(batch, request, question, name)
        columns = columns or kinds
        if replace(kinds, labels=None) != replace(columns, labels=None):
            raise InputError(
                f"{name} resolves these names to other columns than the first batch: "
                f"{kinds.used}, not "
                f"{columns.used}. Name the columns: true=..., pred=..."
            )
        parts.append(part)
    if columns is None or not parts:
        raise ShapeError(f"{batches.name} has no items: {AGAIN}")
    return question.joined(parts), columns, Origin(batches.name)


def _answer(batch: Any, request: Request, question: Question, name: str) -> Answer:
    if isinstance(batch, (tuple, list)) and len(batch) == 2:
        true, pred = batch
        return question.of_pair(true, pred, request, name)
    if not is_frame(batch):
        raise InputError(
            f"{name} is {type(batch).__name__}. Batches are dataframes, Arrow batches, columns by "
            "their names, or pairs (y_true, y_pred)."
        )
    return gather_frame(batch, request, question, Origin(name))


def _read(batches: Batches, used: list[str]) -> Iterator[Any]:
    """The batches that have items; any error of a library becomes one of ours."""
    number = 0
    try:
        for batch in batches.read(used):
            number += 1
            if not is_frame(batch) or _has_items(batch):
                yield batch
    except (WhichF1Error, MemoryError):
        raise
    except Exception as error:
        raise InputError(
            f"{batches.name} failed to return batch {number + 1:,}: {type(error).__name__}: {error}"
        ) from error


def _has_items(frame: Any) -> bool:
    return bool(len(frame)) if hasattr(frame, "__len__") else True


def _batches_of(data: Any) -> Batches:
    type_ = type(data)
    root = type_.__module__.partition(".")[0]
    name = f"the {root} {type_.__name__}"
    if isinstance(data, (list, tuple)):
        return Batches("the list of batches", lambda used: _each(iter(data), used))
    if root == "datasets":
        return _hugging_face(data, name)
    if root == "pyarrow":
        return _arrow(data, name)
    if hasattr(type_, "__arrow_c_stream__"):
        reader = _pyarrow(name).RecordBatchReader.from_stream(data)
        return Batches(name, lambda used: _tables(reader, used), reader.schema.names)
    if hasattr(type_, "__dataframe__"):
        _pyarrow(name)
        from pyarrow.interchange import from_dataframe

        table = from_dataframe(data)
        return Batches(name, lambda used: iter([table.select(used)]), table.column_names)
    name = f"the {type_.__name__}"
    _refuse_begun(data, name)
    return Batches(name, lambda used: _each(data, used))


def _pyarrow(name: str) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise InputError(f"{name} needs pyarrow: pip install pyarrow") from None
    return pyarrow


def _refuse_begun(data: Any, name: str) -> None:
    """Raise for a generator whose first batches have been consumed, as they would be missing."""
    begun = inspect.isgenerator(data) and inspect.getgeneratorstate(data) != inspect.GEN_CREATED
    rows: Any = getattr(data, "_currow", 0)  # as pandas' reader counts them
    if begun or rows:
        raise InputError(f"{name} has already returned batches, which would be missing: {AGAIN}")


def _each(data: Iterator[Any], used: list[str]) -> Iterator[Any]:
    """The batches of an iterator, those of Arrow as tables."""
    for batch in data:
        if kind_of(batch) == "batches" and not isinstance(batch, (list, tuple)):
            inside = _batches_of(batch)
            yield from inside.read(inside.columns or used)
        elif isinstance(batch, Mapping):
            yield _of_columns(batch)
        else:
            yield batch


def _of_columns(batch: Mapping[Any, Any]) -> Any:
    """The table of a mapping from names to columns, as loaders of training data return them."""
    table = _pyarrow("a batch of columns").table
    single = (str, bytes, Mapping)
    sides = batch.values()
    if any(isinstance(side, single) or not has_items(side) for side in sides):
        raise InputError(
            "a batch that is a mapping has a column of items for each name, but this one has "
            "single values: pass a dataframe of all rows"
        )
    columns = {name: to_numpy(side) for name, side in batch.items()}
    lengths = {name: len(side) for name, side in columns.items()}
    if len({*lengths.values()}) > 1:
        raise ShapeError(f"columns of a batch differ in length: {lengths}")
    plain = (x.tolist() if x.dtype == object or x.ndim > 1 else x for x in columns.values())
    return table(dict(zip(columns, plain, strict=True)))


def _arrow(data: Any, name: str) -> Batches:
    """A batch, a reader, a dataset or a scanner."""
    if getattr(getattr(data, "stats", None), "num_record_batches", 0):
        raise InputError(f"{name} has already returned batches, which would be missing: {AGAIN}")
    names = (data.schema if hasattr(data, "schema") else data.projected_schema).names

    def read(used: list[str]) -> Iterator[Any]:
        if hasattr(data, "num_rows"):
            return _tables([data], used)
        if hasattr(data, "read_next_batch"):
            return _tables(data, used)
        scanner = data.scanner(columns=used) if hasattr(data, "scanner") else data
        return _tables(scanner.to_batches(), used)

    return Batches(name, read, names)


def _tables(batches: Any, used: list[str]) -> Iterator[Any]:
    """Batches as tables; checked, since wrong offsets and codes would crash the program."""
    import pyarrow

    for batch in batches:
        some = batch.select(used)
        some.validate(full=True)
        yield pyarrow.Table.from_batches([some])


def _hugging_face(data: Any, name: str) -> Batches:
    """A dataset or an iterable one; classes are replaced by their names."""
    if isinstance(data, dict):
        raise InputError(
            f"{name} has the splits {', '.join(data)}: choose one, such as data['test']"
        )
    features = data.features or {}

    def read(used: list[str]) -> Iterator[Any]:
        some = data.select_columns(used) if used else data
        for table in some.with_format("arrow").iter(ITEMS):
            yield _with_names(table, features)

    return Batches(name, read, None if data.column_names is None else [*data.column_names])


def _with_names(table: Any, features: Any) -> Any:
    """A table whose columns of class codes hold the names of the classes; -1 is not a class."""
    import pyarrow as pa

    for at, column in enumerate(table.column_names):
        feature = features.get(column)
        inside = getattr(feature, "feature", feature)
        if not hasattr(inside, "int2str"):
            continue
        names = pa.array([*inside.names, None])
        chunk = table.column(column).combine_chunks()
        if inside is feature:
            named = _called(chunk, names)
        else:
            values, gaps = _called(chunk.values, names), chunk.is_null()
            named = pa.ListArray.from_arrays(chunk.offsets, values, mask=gaps)
        table = table.set_column(at, column, named)
    return table


def _called(codes: Any, names: Any) -> Any:
    from pyarrow import compute

    return names.take(compute.if_else(compute.less(codes, 0), len(names) - 1, codes))


def _gather_on_ray(data: Any, request: Request, question: Question) -> Answer:
    """Each block is asked where it is, and only the answers are transferred."""
    name = "the ray Dataset"

    def ask(table: Any) -> dict[str, list[bytes]]:
        part = gather_frame(table, request, question, Origin(name))[0] if len(table) else None
        return {"part": [pickle.dumps(part)]}

    try:
        columns = request.find(data.columns(), name)
        some = data.select_columns(columns.used)
        asked = some.map_batches(ask, batch_format="pyarrow", batch_size=None)
        answers = [pickle.loads(row["part"]) for row in asked.take_all()]
    except WhichF1Error:
        raise
    except Exception as error:
        raise InputError(f"{name} could not be read: {_cause(error)}") from None
    parts = [part for part in answers if part is not None]
    if not parts:
        raise ShapeError(f"{name} has no items")
    return question.joined(parts), columns, Origin(name)


def _cause(error: Exception) -> str:
    """What went wrong on a worker; Ray wraps it, with a trace of many lines."""
    lines = str(error).splitlines()
    said = (line for line in lines if re.match(r"[\w.]*(Error|Exception): ", line))
    return next(said, f"{type(error).__name__}: {lines[-1] if lines else ''}")
