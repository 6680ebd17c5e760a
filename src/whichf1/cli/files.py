"""Read the input of a command: files, standard input, or saved counts."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from whichf1.cli.options import (
    CountingOptions,
    FileOptions,
    LabelOptions,
    SourceOptions,
    TableOptions,
    ThresholdOptions,
    find_label,
    split_list,
)
from whichf1.cli.process import say, standard_input, watching
from whichf1.errors import (
    DefinitionError,
    FileError,
    InputError,
    SkippedWarning,
    numbered,
    why_unreadable,
)
from whichf1.metrics import find
from whichf1.sources.address import shown_name
from whichf1.sources.answers.lines import read_scores
from whichf1.sources.counts import count, count_by
from whichf1.sources.engines.remote import OfObject
from whichf1.sources.lines import ScoredLines, classes_of
from whichf1.sources.request import Request, refuse_same
from whichf1.sources.sequences import column
from whichf1.statistics.progress import working
from whichf1.tables.counts import Counts, NamedMatrix
from whichf1.tables.label_sets import MultiLabelCounts
from whichf1.tables.labels import Labels, from_text
from whichf1.tables.saving import FORMAT, read_text
from whichf1.tables.slices import Slices
from whichf1.tables.units import Additive, restored

STDIN = "standard input"
Paths: TypeAlias = tuple[Any, Any]
"""One file, or a file of true classes and one of predictions."""
COLUMNS = ("true", "pred", "weights", "frequencies", "cluster")


def read_counts(options: CountingOptions) -> Counts:
    """Count predictions."""
    with opened(options) as (paths, reading):
        reading |= {name: getattr(options, name) for name in COLUMNS}
        counts: Counts = keeping(options, partial(count, *paths, **reading))
        return counts


def read_slices(options: TableOptions) -> Slices:
    """Count the predictions of each slice."""
    with opened(options) as (paths, reading):
        reading |= {"by": options.slice_columns, **{x: getattr(options, x) for x in COLUMNS}}
        slices: Slices = keeping(options, partial(count_by, *paths, **reading))
        return slices


def keeping(options: LabelOptions, ask: Callable[..., Any]) -> Any:
    """What ``ask(labels=...)`` counts without the items of --ignore, and with --labels declared."""
    declared = options.declared
    counted = ask(labels=declared and [*declared, *options.padding])
    ignored = getattr(options, "ignore", None)
    if ignored is None or not hasattr(counted, "without"):  # scores: --ignore does not apply
        return counted
    labels = (counted.whole if isinstance(counted, Slices) else counted).labels
    dropped = [find_label(text, labels) for text in split_list(ignored)]
    return counted.without(dropped, declared and Labels(declared))


def read_saved(options: TableOptions) -> Any:
    """A table of any kind that was saved, from a file or standard input; None for other files."""
    saved: Any = saved_table(options)
    if saved is None:
        return None
    names = {"score_column": "score", "labels_sep": "labels-sep", "pred_file": "pred-file"}
    others = ("gold", "pred_file", "id", "master", "by", "score_column", "probs", "labels_sep")
    for option in (*COLUMNS, *others):
        if getattr(options, option):
            raise InputError(
                f"saved {saved.kind} have no columns: remove --{names.get(option, option)}, or "
                "pass the original file"
            )
    if options.declared is not None and not isinstance(saved, (Counts, MultiLabelCounts)):
        raise InputError(f"saved {saved.kind} already have their classes: remove --labels")
    whole = saved.whole if isinstance(saved, Slices) else saved
    if not isinstance(whole, (Counts, MultiLabelCounts)):
        return saved
    return keeping(options, lambda labels: saved if labels is None else saved.declare(labels))


def read_lines(
    options: TableOptions | ThresholdOptions, paths: Paths, apart: bool = False, **reading: Any
) -> ScoredLines:
    """Read a column of scores, and fix its classes."""
    columns = options.columns("true", "weights", "frequencies")
    request = Request.of_scores(score=options.score_column, **columns, **reading)
    lines = read_scores(*paths, request, apart=apart)
    classes = classes_of(column(lines.true, "y_true"), options.declared)
    return lines._replace(labels=list(classes))


def source_name(options: SourceOptions) -> str:
    """The name of the data in a report."""
    if isinstance(options, FileOptions) and options.file is None:
        return f"{shown_name(options.gold)} with {shown_name(options.pred_file)}"
    return STDIN if options.file == "-" else shown_name(options.file)


def saved_table(options: SourceOptions) -> Additive | None:
    """A table that was saved; None for a file of data."""
    if options.file is None or options.from_ is not None:
        return None
    if options.file == "-" and getattr(options, "spans", None):
        return None
    if options.file == "-":
        try:
            return restored(standard_input().read(), STDIN)
        except FileError as error:
            raise FileError(
                f"{error} For predictions, name the format, such as --from csv"
            ) from None
    return load_table(options.file) if is_saved(options.file) else None


def is_saved(file: str) -> bool:
    """Whether a file holds a saved table, not data."""
    path = Path(file)
    if path.suffix != ".json" or not path.is_file():
        return False
    with open(path, "rb") as start:
        return f'"{FORMAT}"'.encode() in start.read(200)


def load_table(path: str | Path) -> Additive:
    """A table of any kind, from its file."""
    return restored(read_text(path), repr(str(path)))


def read_matrix(path: str) -> NamedMatrix:
    """A confusion matrix with the names of classes in its first row and column."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            text = file.read()
        head = text.partition("\n")[0]
        mark = max("\t;,", key=head.count)
        lines = [
            line for line in csv.reader(text.splitlines(), delimiter=mark, strict=True) if line
        ]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        why = why_unreadable(error)
        raise FileError(f"cannot read a matrix from {path!r}: {why}") from None
    if len(lines) < 2:
        raise FileError(f"{path!r} has no rows. The first row and column name the classes.")
    names, rows = lines[0][1:], lines[1:]
    cells = []
    for at, (name, *row) in enumerate(rows, 2):
        if len(row) != len(names):
            raise FileError(
                f"{path!r}, row {at} ({name!r}): {numbered(len(row), 'count')}, but "
                f"{numbered(len(names), 'column')} are "
                "named. The first cell of the header is above the names of the rows."
            )
        if wrong := [text for text in row if not re.fullmatch(r"\s*[0-9]+(\.0*)?\s*", text)]:
            raise FileError(
                f"{path!r}, row {at} ({name!r}): {wrong[0]!r} is not a count. Counts are whole "
                "numbers of at least 0."
            )
        cells.append([int(text.partition(".")[0]) for text in row])
    if len(cells) != len(names):
        raise FileError(
            f"{path!r} has {numbered(len(cells), 'row')} and {numbered(len(names), 'column')} "
            "of counts"
        )
    return NamedMatrix(
        [*from_text([line[0].strip() for line in rows])],
        [*from_text([name.strip() for name in names])],
        cells,
    )


def read_parents(path: str) -> dict[Any, list[Any]]:
    """The parents of each class, from a CSV file with the columns class and parent."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file, strict=True) if any(row)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        why = why_unreadable(error)
        raise FileError(f"cannot read a hierarchy from {path!r}: {why}") from None
    if not rows or [cell.strip().lower() for cell in rows[0]] != ["class", "parent"]:
        raise FileError(f"{path!r} must have the columns class and parent, named in its first row")
    if len(rows) == 1:
        raise FileError(f"{path!r} has a header but no classes")
    for at, row in enumerate(rows[1:], 2):
        if len(row) != 2 or not row[0]:
            raise FileError(f"{path!r}, row {at}: {row!r} is not a class and its parent")
    texts = dict.fromkeys(text for row in rows[1:] for text in row if text)
    label = dict(zip(texts, from_text(texts), strict=True))
    parents: dict[Any, list[Any]] = {}
    for child, parent in rows[1:]:
        parents.setdefault(label[child], []).extend([label[parent]] if parent else [])
    try:
        find("hierarchical_f1").check({"parents": parents})
    except DefinitionError as error:
        raise FileError(f"{path!r}: {error}") from None
    return parents


@contextmanager
def opened(options: SourceOptions) -> Iterator[tuple[Paths, dict[str, Any]]]:
    """The one or two files to read, standard input copied into one, and how to read them."""
    paths = given_paths(options)
    if paths[1] is None:
        _refuse_one_column(options)
    reading: dict[str, Any] = {
        "format": options.from_,
        "memory_limit": options.memory_limit,
        "on_error": options.on_error.value,
        "id": getattr(options, "id", None),
        "engine": "spark" if options.engine == "spark" else None,
        "master": options.master,
        "hive": options.hive or None,
        "table": options.table,
        "query": options.query,
    }
    with ExitStack() as stack:
        if paths == ("-", None):
            if options.from_ is None:
                raise InputError("standard input needs a format, such as --from csv")
            paths = OfObject(standard_input(), STDIN), None
        stack.enter_context(messages())
        if watching():
            work = stack.enter_context(working("counting", 1.0))
            reading["progress"] = None if work is None else work.reach
        yield paths, reading


def _refuse_one_column(options: SourceOptions) -> None:
    """Raise if one column is named for the true classes and for what is compared with them."""
    true = getattr(options, "true", None)
    for option in ("pred", "score_column", "probs"):
        named = getattr(options, option, None) or []
        columns = [named] if isinstance(named, str) else named
        refuse_same(true, columns, "predictions" if option == "pred" else "scores")


def given_paths(options: SourceOptions) -> Paths:
    """The one or two files that are named."""
    if not isinstance(options, FileOptions):
        if options.file is None:
            raise InputError("pass a file, or - for standard input")
        return options.file, None
    if options.file is not None and not (options.gold or options.pred_file):
        return options.file, None
    if options.file is None and options.gold and options.pred_file:
        return options.gold, options.pred_file
    raise InputError("pass a file, or --gold FILE with --pred-file FILE")


@contextmanager
def messages() -> Iterator[None]:
    """Print what was skipped to standard error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SkippedWarning)
        yield
    for warning in caught:
        if isinstance(warning.message, SkippedWarning):
            say(str(warning.message))
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
