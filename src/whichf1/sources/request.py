"""The request: kinds of data, and the columns of a table by name."""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cache
from importlib import import_module
from itertools import chain, product
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from whichf1.errors import (
    FileError,
    InputError,
    LabelError,
    ShapeError,
    SkippedWarning,
    suggestion,
    warn,
)
from whichf1.tables.labels import Label, Labels, from_text
from whichf1.tables.records import dataclass

USUAL_NAMES = (("true", "pred"), ("y_true", "y_pred"), ("gold", "pred"), ("label", "prediction"))
"""Pairs of names that belong together; without one of them, any two of these names do."""
USUAL_TRUE, USUAL_PRED = (tuple(dict.fromkeys(names)) for names in zip(*USUAL_NAMES, strict=True))
USUAL_SCORES = ("score", "y_score", "prob", "probability")
EXACT = 1 << 53
"""Integers beyond this are not all distinct as floats, so scores would tie."""
LISTED = 50
"""How many columns a message lists."""
FLATTEN = "Flatten the levels of the columns first: frame.columns = map('_'.join, frame.columns)"


class Lazy:
    """A library that is imported on first use."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self._name), name)
        setattr(self, name, value)
        return value


if TYPE_CHECKING:
    import narwhals as narwhals
else:
    narwhals = Lazy("narwhals")

ROOTS = (
    *("pandas", "polars", "pyarrow", "duckdb", "_duckdb", "ibis", "dask", "dask_expr", "pyspark"),
    *("modin", "cudf", "narwhals"),
)
"""Libraries whose frames are supported; narwhals is imported only for one of these."""


CONNECTIONS = ("sqlite3", "psycopg", "sqlalchemy")
"""Libraries whose objects open a database; others are recognized by what they can do."""
PATHS = (str, os.PathLike)
Kind: TypeAlias = Literal["files", "frame", "batches", "database"]


def has_columns(data: Any) -> bool:
    """Whether data has columns with names: a dataframe, a path, and so on."""
    return isinstance(data, PATHS) or is_frame(data) or kind_of(data) is not None


def kind_of(data: Any) -> Kind | None:
    """The kind of data with columns that this is; None for arrays, and for anything else."""
    type_ = type(data)
    if type_ is np.ndarray or isinstance(data, (bytes, bytearray, memoryview)):
        return None
    if isinstance(data, PATHS):
        return "files"
    root = type_.__module__.partition(".")[0]
    if root in CONNECTIONS or type_.__name__ == "DuckDBPyConnection":  # SQLAlchemy's URL is a tuple
        return "database"
    if isinstance(data, (list, tuple)):  # a list of frames; other lists hold items
        return "batches" if data and kind_of_batch(data[0]) else None
    if is_frame(data):
        return "frame"
    if root in ("pyarrow", "datasets", "ray"):
        signs = ("to_batches", "read_next_batch", "num_rows", "map")
        return "batches" if any(hasattr(type_, x) for x in signs) else _readable(data)
    if root in ROOTS:  # Ibis' connection, pandas' reader of a file in chunks, or a single column
        if hasattr(type_, "create_table"):
            return "database"
        return "batches" if hasattr(type_, "__next__") else None
    if any(hasattr(type_, name) for name in ("__arrow_c_stream__", "__dataframe__")):
        return "batches"
    return _readable(data) or ("batches" if hasattr(type_, "__next__") else None)


def kind_of_batch(data: Any) -> bool:
    """Whether this is a dataframe or an Arrow batch, and therefore not an item of a list."""
    return type(data).__module__.partition(".")[0] in ROOTS and kind_of(data) is not None


def _readable(data: Any) -> Kind | None:
    """Open files, and anything that can be read like one."""
    try:
        return "files" if callable(getattr(data, "read", None)) else None
    except Exception:  # an object may raise anything
        return None


def is_path(data: Any) -> bool:
    """Whether data is the path of a file, a pattern of files, or an address."""
    return isinstance(data, PATHS)


def is_frame(data: object) -> bool:
    """Whether data is a dataframe, lazy or eager; a single column is not."""
    type_ = type(data)
    if type_.__module__.partition(".")[0] not in ROOTS:
        return False
    quiet_at_exit()
    if type_.__name__ in _FRAMES:  # what Narwhals takes some time to find out
        return _FRAMES[type_.__name__]
    try:
        frame = narwhals.from_native(data, pass_through=True)
    except Exception:  # a frame that cannot be read: the error is reported when it is used
        return True
    return isinstance(frame, (narwhals.DataFrame, narwhals.LazyFrame))


_FRAMES = {"DataFrame": True, "LazyFrame": True, "Series": False}


def in_memory(data: Any) -> bool:
    """Whether data are read at once: their rows are already in memory, or come only once."""
    if is_frame(data):
        return isinstance(known_frame(data)[0], narwhals.DataFrame)
    return kind_of(data) == "batches" and comes_once(data)


def comes_once(data: Any) -> bool:
    """Whether batches cannot be read again."""
    type_ = type(data)
    again = isinstance(data, (list, tuple)) or hasattr(type_, "num_rows") or hasattr(type_, "map")
    files = hasattr(type_, "get_fragments") and type_.__name__ != "InMemoryDataset"
    return not (again or files or hasattr(type_, "__dataframe__"))


def known_frame(data: Any) -> tuple[Any, str]:
    """The frame as narwhals knows it, and its name in messages."""
    try:
        frame = narwhals.from_native(data)
    except Exception as error:
        raise InputError(f"cannot read this frame: {error}") from None
    native = narwhals.to_native(frame)
    levels = getattr(native.columns, "nlevels", 1) if hasattr(native, "iloc") else 1
    if levels > 1:
        raise InputError(f"the columns of this frame have {levels} levels. {FLATTEN}")
    if hasattr(native, "unify_dictionaries"):  # Arrow cannot group different dictionaries
        frame = narwhals.from_native(native.unify_dictionaries())
    return frame, f"the {type(native).__module__.partition('.')[0]} frame"


def refuse_holder(data: Any) -> None:
    """Raise for an object whose counts are meant, such as an Accumulator or a Report."""
    for name in ("counts", "table"):
        held = name in getattr(data, "__dict__", ())
        if held or isinstance(getattr(type(data), name, None), property):
            kind = type(data).__name__
            article = "an" if kind[0] in "AEIOU" else "a"
            raise InputError(f"got {article} {kind}: pass what it holds, {kind.lower()}.{name}")


def are_sets(data: Any) -> bool:
    """Whether items have sets of labels rather than one class each."""
    if hasattr(data, "tocsr"):
        return True
    if hasattr(data, "ndim"):
        return bool(data.ndim == 2)
    first = data[0] if isinstance(data, (list, tuple)) and data else None
    return isinstance(first, (set, frozenset, list, tuple))


def name_columns(systems: Any) -> bool:
    """Whether systems are names of columns, not predictions (a frame may be a matrix)."""
    if not isinstance(systems, Mapping):
        return True
    return all(isinstance(each, (str, list, tuple, Mapping)) for each in systems.values())


@cache
def quiet_at_exit() -> None:
    """Release DuckDB in time: DuckDB 2 reports what narwhals 2 keeps of it as a leak at exit."""
    atexit.register(_forget)


def _forget() -> None:
    kept: Any = getattr(sys.modules.get("narwhals._namespace"), "_builtin_namespace", None)
    if hasattr(kept, "cache_clear"):
        kept.cache_clear()


@dataclass(frozen=True, slots=True)
class Request:
    """The requested columns; :meth:`find` resolves them against the columns of a table."""

    true: str = ""
    """The column of true classes; empty to look for the usual names."""
    preds: tuple[str, ...] = ()
    """The columns of predictions or scores; empty to look for the usual names."""
    weights: str | None = None
    """The column of weights, or of frequencies."""
    by: tuple[str, ...] = ()
    """The columns whose values define slices."""
    cluster: str | None = None
    joint: bool = False
    """Whether all predictions, and clusters, are the keys of one table."""
    scores: bool = False
    """Whether the predictions are scores, which have their own usual names."""
    systems: int = 0
    """How many systems the scores come from; 0: a column for each class, or a single column."""
    labels: Any = None
    """The declared classes."""
    reading: Mapping[str, Any] = field(default_factory=dict)
    """How files are read."""
    whole: bool = False
    """Whether weights are frequencies: a row stands for so many equal items."""
    alone: bool = False
    """Whether the scores are values that items have, without true classes."""
    bits: tuple[str, ...] = ()
    """A column of 0 and 1 for each label, if items have sets of labels; these come first in
    ``preds``."""
    sep: str | None = None
    """What stands between two labels, if a cell of the true labels lists them."""

    @classmethod
    def of(
        cls,
        *,
        true: Any = None,
        pred: Any = None,
        weights: Any = None,
        frequencies: Any = None,
        cluster: Any = None,
        by: Any = (),
        **options: Any,
    ) -> Request:
        """From the options of a function; those that are not fields describe how files are read."""
        refuse_both(weights, frequencies)
        if isinstance(true, str) and not true:
            raise InputError("true= names a column of the frame or file; got an empty name")
        others = ("labels", "joint", "scores", "systems", "alone")
        facts = {name: options.pop(name) for name in others if name in options}
        return cls(
            one_name(true, "true") or "",
            one_or_several(pred, "pred") or (),
            one_name(weights, "weights")
            if frequencies is None
            else one_name(frequencies, "frequencies"),
            one_or_several(by, "by") or (),
            one_name(cluster, "cluster"),
            reading={name: value for name, value in options.items() if value is not None},
            whole=frequencies is not None,
            **facts,
        )

    @classmethod
    def of_scores(
        cls, *, score: Any = None, labels: Any = None, systems: int = 0, **options: Any
    ) -> Request:
        """Columns of scores, from the options of a function.

        If ``true`` names several columns, each has 0 and 1 for a label, and a system has equally
        many. If it names one whose cells list labels, ``sep`` separates them.
        """
        if isinstance(options.get("true"), (list, tuple)):
            refuse_separator(options.pop("sep", None))
            return cls._of_labels(score, labels, systems, **options)
        sep = options.pop("sep", None)
        sep = None if sep is None else checked_separator(sep)
        if isinstance(score, Mapping):
            if labels is not None:
                raise InputError("score= already names a column for each class: omit labels=")
            labels, score = list(score), list(score.values())
        columns = one_or_several(score, "score") or ()
        if not systems:
            refuse_other_order(columns, labels)
        if sep is None:
            return cls.of(pred=columns, labels=labels, scores=True, systems=systems, **options)
        names = Labels(columns if labels is None else labels)
        if len(columns) != max(systems, 1) * len(names):
            raise InputError(
                f"there are {len(names)} labels ({_listed(names)}), and {len(columns)} columns of "
                "scores: give a column for each label, in the same order"
            )
        facts = {"labels": names, "scores": True, "systems": max(systems, 1)}
        return replace(cls.of(pred=columns, **facts, **options), sep=sep)

    @classmethod
    def _of_labels(
        cls, score: Any, labels: Any, systems: int, *, true: Sequence[str], **options: Any
    ) -> Request:
        bits = one_or_several(true, "true") or ()
        if not bits:
            raise InputError("true= names no column: name the column of each label")
        names = Labels(bits if labels is None else labels)
        if isinstance(score, Mapping):
            if {*score} != {*names}:
                raise InputError(
                    f"score= names columns for {_listed([*score])}, but the labels are "
                    f"{_listed([*names])}: name a column for each label"
                )
            score = [score[name] for name in names]
        columns = one_or_several(score, "score") or ()
        width = max(systems, 1) * len(bits)
        if not len(names) == len(bits) or len(columns) != width:
            raise InputError(
                f"true= names {len(bits)} columns of labels, score= {len(columns)} columns, and "
                f"there are {len(names)} labels: name a column of scores for each label, in the "
                "same order"
            )
        refuse_other_order(columns[: len(bits)], names, "Pass score={label: column}.")
        facts = {"labels": names, "systems": max(systems, 1), "scores": True}
        request = cls.of(true=bits[0], pred=(*bits, *columns), **facts, **options)
        return replace(request, bits=bits)

    @property
    def sets(self) -> bool:
        """Whether items have sets of labels, with a column of scores for each label."""
        return bool(self.bits) or self.sep is not None

    @property
    def several(self) -> bool:
        """Whether there is a column of scores for each class."""
        return not self.systems and len(self.preds) > 1

    @property
    def together(self) -> tuple[str, ...]:
        """The keys of one joint table, besides slices and true class."""
        return self.preds if self.cluster is None else (*self.preds, self.cluster)

    @property
    def numbers(self) -> list[str]:
        """The columns that are read as numbers."""
        scores = self.preds if self.scores else ()
        return [*scores, *([self.weights] if self.weights else [])]

    @property
    def used(self) -> list[str]:
        """Every column that is read, once."""
        weights = [] if self.weights is None else [self.weights]
        true = [] if self.alone else [self.true]
        return [*dict.fromkeys([*self.by, *true, *self.together, *weights])]

    def find(self, available: Sequence[str], name: str) -> Request:
        """The request with the columns that a table has."""
        named = [self.true] if self.true else []
        for column in (*named, *self.preds, self.weights, *self.by, self.cluster):
            if column is not None:
                refuse_unknown(column, available, name)
        if len(set(self.by)) < len(self.by):
            raise InputError(f"a column is named twice in by={list(self.by)!r}")
        if len(set(self.preds)) < len(self.preds):
            raise InputError(f"name each prediction column once; got {list(self.preds)!r}")
        true, preds = self._pair(available, name)
        joint = self.joint or self.cluster is not None
        columns = replace(self, true=true, preds=preds, joint=joint)
        used = {*map(str.lower, columns.used)}
        if sum(map(used.__contains__, map(str.lower, available))) > len(used):
            refuse_twins([each for each in available if each.lower() in used], name)
        return columns

    def _pair(self, available: Sequence[str], name: str) -> tuple[str, tuple[str, ...]]:
        if self.preds and (self.true or self.alone):
            return self.true, self.preds
        if self.alone:
            raise InputError(
                f"{name}: which column has the values? Name it: mean_value(of=COLUMN). Its "
                f"columns: {_listed(available)}."
            )
        pred = self.preds[0] if self.preds else None
        pairs: set[tuple[str, str]] = set()
        for usual in (() if self.scores else USUAL_NAMES, product(*self.usual)):
            named = ((self.true or left, pred or right) for left, right in usual)
            wanted = {pair for pair in named if pair[0] != pair[1]}
            names = set(chain.from_iterable(wanted)).intersection(available)
            pairs = pairs or {pair for pair in wanted if names.issuperset(pair)}
        if len(pairs) == 1:
            ((true, right),) = pairs
            return true, self.preds or (right,)
        refuse_separated(available, name)
        why = "several columns have usual names" if pairs else "no columns have the usual names"
        known = "; ".join(", ".join(some[:-1]) + f" or {some[-1]}" for some in self.usual)
        kind = "score" if self.scores else "pred"
        raise FileError(
            f"{name}: {why} ({known}). Its columns: {_listed(available)}. Name the two: --true "
            f"COLUMN --{kind} COLUMN, or true=..., {kind}=... in Python."
        )

    @property
    def usual(self) -> tuple[Sequence[str], Sequence[str]]:
        """The usual names of true classes, and those of predictions or scores."""
        return USUAL_TRUE, USUAL_SCORES if self.scores else USUAL_PRED


def checked_separator(sep: Any) -> str | None:
    """What stands between two labels of a cell."""
    if sep is not None and (not isinstance(sep, str) or not sep):
        raise InputError(
            f"sep= (--labels-sep) is the separator between labels, such as ';'; got {sep!r}"
        )
    return sep


def refuse_separator(sep: Any) -> None:
    """Raise for a separator where every label has a column."""
    if sep is not None:
        raise InputError(
            f"sep={sep!r} is for cells that list labels, and true= names a column of 0 and 1 for "
            "each label: leave one of them out"
        )


def refuse_true(true: Any, alone: bool) -> None:
    """Raise if true classes are named where items have values only."""
    if alone and true is not None:
        raise InputError("a mean of values needs no true classes: omit true=")


def refuse_both(weights: Any, frequencies: Any) -> None:
    """Raise if items have both weights and frequencies."""
    if weights is not None and frequencies is not None:
        raise InputError(
            "pass weights= or frequencies=, not both: a weight is how much an item counts, a "
            "frequency is how many equal items a row stands for"
        )


def one_or_several(names: Any, option: str) -> tuple[str, ...] | None:
    """Names of columns as a tuple, from one name or several."""
    if names is None or (isinstance(names, (str, list, tuple)) and not names):
        return None
    if isinstance(names, str):
        return (names,)
    if not isinstance(names, (list, tuple)) or [x for x in names if not isinstance(x, str)]:
        raise InputError(f"{option}= names columns of the frame or file; got {names!r}")
    return tuple(names)


def one_name(name: Any, option: str) -> str | None:
    """The name of a column, or None."""
    if name is not None and not isinstance(name, str):
        raise InputError(
            f"{option}= names a column of the frame or file; got {type(name).__name__}"
        )
    return name


def refuse_same(true: str | None, preds: Sequence[str | None], what: str) -> None:
    """Raise if a column has both the true classes and what is compared with them."""
    if true is not None and true in preds:
        raise InputError(
            f"column {true!r} is named for the true classes and for {what}; a column cannot be "
            "both. Name another."
        )


def refuse_unknown(column: str, available: Sequence[str], name: str) -> None:
    """Raise if there is no such column, listing the available ones."""
    if column not in available:
        refuse_separated(available, name)
        hint = suggestion(column, map(str, available))
        raise FileError(
            f"{name} has no column {column!r}. Its columns: {_listed(available)}. {hint}".rstrip()
        )


SEPARATORS = {
    ";": "';'. Save the file with commas",
    "\t": "tabs. Read it with --from tsv (format='tsv')",
    ",": "commas. Read it with --from csv (format='csv')",
    "|": "'|'. Save the file with commas",
}
"""What may stand between columns, and what to do if it is not what was expected."""


def refuse_separated(available: Sequence[str], name: str) -> None:
    """Raise if the only column has the names of several."""
    alone = str(available[0]) if len(available) == 1 else ""
    mark = max(SEPARATORS, key=alone.count)
    if mark in alone:
        raise FileError(
            f"{name} has a single column, {alone!r}: its header looks separated by "
            f"{SEPARATORS[mark]}."
        )


def refuse_twins(columns: Sequence[str], name: str) -> None:
    """Raise if two names differ only in case: an engine would confuse them."""
    seen: set[str] = set()
    for column in columns:
        folded = column.lower()
        if folded in seen:
            raise FileError(
                f"{name}: column {column!r} appears twice in the header "
                "(upper and lower case count as the same). Rename one."
            )
        seen.add(column if column == folded else folded)  # no copy of each name


def refuse_other_order(
    columns: Sequence[Any],
    labels: Any,
    fix: str = "Omit labels=, or pass score={class: column}.",
) -> None:
    """Raise if a column is named like a class, but is in the position of another."""
    names = [*map(str, columns)]
    classes = names if labels is None else [*map(str, Labels(labels))]
    misplaced = {name for name, label in zip(names, classes, strict=False) if name != label}
    if len(names) > 1 and misplaced & {*classes}:
        raise InputError(
            f"the columns {_listed(names)} are named like the classes, but labels= is in a "
            f"different order: {_listed(classes)}. {fix}"
        )


def matrix_names(data: Any) -> list[Any] | None:
    """The names of a matrix's columns; None if it has none or, as a frame, only numbers."""
    if not is_frame(data):
        return None
    names = [*getattr(data, "column_names", data.columns)]
    if any(isinstance(name, tuple) for name in names):
        raise InputError(f"each column must have one name; got {names[0]!r}. {FLATTEN}")
    numbered = all(type(name) is not bool for name in names) and names == [*range(len(names))]
    return None if numbered else names


def columns_by_class(names: Sequence[Any], labels: Sequence[Any]) -> list[int]:
    """The index of the column of each declared class: by name, if the names are the classes."""
    place = {str(name): at for at, name in enumerate(names)}
    classes = [*map(str, labels)]
    if place.keys() == {*classes}:
        return [place[label] for label in classes]
    refuse_other_order(names, labels, "Name every column after its class, or none.")
    return [*range(len(classes))]


def classes_of_columns(columns: Sequence[Any], true: Iterable[Any]) -> list[Label]:
    """The classes that columns of scores are named after."""
    observed = set(np.unique(true).tolist() if isinstance(true, np.ndarray) else true)
    texts = all(isinstance(name, str) for name in columns)
    readings: list[Sequence[Label]] = [[*from_text(columns)] if texts else columns, columns]
    for names in readings:
        if all(any(x == y and type(x) is type(y) for y in names) for x in observed):
            return [*names]
    raise LabelError(
        f"which class does each of the columns {_listed(columns)} belong to? Pass labels= in "
        f"their order, or score={{class: column}}. The classes: {sorted(observed)[:20]!r}"
    )


def _listed(names: Sequence[Any]) -> str:
    shown = ", ".join(map(str, names[:LISTED]))
    return f"{shown}, … ({len(names):,} in all)" if len(names) > LISTED else shown


Row: TypeAlias = tuple[Any, ...]
Reading: TypeAlias = Literal["typed", "text", "json"]
"""What a value is: a value of the engine, text whose type must be inferred, or a JSON text."""


class Place(NamedTuple):
    """An item for a message."""

    position: str = ""
    """Empty if it is not known."""
    value: str | None = None
    """What its cell holds, as text."""

    @property
    def ending(self) -> str:
        """The position as the end of a sentence."""
        return f"; {self.position}" if self.position else ""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where rows come from, for messages."""

    name: str
    """A path in quotes, or 'the pandas frame'."""
    reading: Reading = "typed"
    locate: Callable[[str, str], Place] = lambda what, column: Place()
    """The first item that lacks something in a column; only for an error."""
    skip: bool = False
    """Whether items without a label or with a bad number are skipped with a warning."""
    skipped: tuple[str, ...] = ()
    """What the reader has already skipped."""
    others: Mapping[str, Reading] = field(default_factory=dict)
    """Columns that come from a second file, with its own kind of values."""

    def reading_of(self, column: str) -> Reading:
        """The kind of the values of a column."""
        return self.others.get(column, self.reading)

    def where(self, what: str, column: str) -> str:
        """The position of the first item that lacks this, as the end of a sentence."""
        return self.locate(what, column).ending

    def refuse_empty(self, read: int, kept: int) -> None:
        """Raise if there are no items, or none are left."""
        if not read and not self.skipped:
            raise ShapeError(f"{self.name} has a header but no items")
        if not kept:
            raise ShapeError(f"{self.name}: no items are left to count")

    def say_skipped(self, more: Sequence[str], total: int) -> None:
        """Warn about what was skipped."""
        said = [*self.skipped, *more]
        if said:
            warn(
                SkippedWarning(f"{self.name}: skipped {', '.join(said)}; {total:,} items were read")
            )


Answer: TypeAlias = tuple[dict[str, list[Any]], Request, Origin]
"""The answer to a question, the columns it is for, and its origin."""
