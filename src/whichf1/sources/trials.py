"""Runs of systems in arrays, tables, or files of a pattern such as runs/{system}/{seed}.csv.

Each option that distinguishes runs names a column or a part of the pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from glob import glob
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from whichf1.errors import FileError, InputError, LabelError, ShapeError
from whichf1.sources.answers.rows import plain_value
from whichf1.sources.engines.database import kept_open
from whichf1.sources.engines.files import format_of
from whichf1.sources.engines.frames import column_names
from whichf1.sources.lines import refuse_large
from whichf1.sources.questions.grouped import KEY, Listed
from whichf1.sources.request import (
    Origin,
    Request,
    has_columns,
    is_frame,
    is_path,
    known_frame,
    one_name,
)
from whichf1.sources.sequences import column, encode_alike, is_missing, to_numpy
from whichf1.tables.cells import Array
from whichf1.tables.counts import Counts
from whichf1.tables.labels import VALUE, Labels, from_text
from whichf1.tables.saving import FORMAT, read_text
from whichf1.tables.slices import Slices
from whichf1.tables.trials import DataSet, RunKey, Trials, joined, named
from whichf1.tables.units import Additive, cluster_labels, restored

ROLES = {
    "system": ("system", "model", "method", "classifier"),
    "dataset": ("dataset", "data", "task", "corpus", "lang"),
    "run": ("run", "seed", "repeat", "repetition", "epoch"),
    "fold": ("fold", "split"),
}
"""What distinguishes runs, and the usual names of parts of a pattern, which need no option."""
MOST = 10**8
"""The most items of saved counts that are read as a run."""
PART = re.compile(r"\{(\w+)\}")
"""A named part of a pattern."""
Values: TypeAlias = tuple[Array, Labels]
"""Codes, and the classes that they stand for."""


@dataclass(frozen=True, kw_only=True)
class Columns:
    """The roles of the columns of a table, or of the parts of a path."""

    true: Any = None
    pred: Any = None
    score: Any = None
    value: Any = None
    system: Any = None
    dataset: Any = None
    run: Any = None
    fold: Any = None
    item: Any = None
    cluster: Any = None
    labels: Any = None

    @property
    def valued(self) -> bool:
        """Whether items have values, without true classes."""
        return self.value is not None

    @property
    def scored(self) -> bool:
        """Whether runs give scores or values."""
        return self.score is not None or self.valued

    @property
    def sides(self) -> Any:
        """What runs give."""
        if self.valued:
            return self.value
        return self.pred if self.score is None else self.score


class Told(NamedTuple):
    """What the path of a file says about all its items."""

    values: Mapping[str, str]
    title: str = ""


class ReadRuns(NamedTuple):
    """A table that was read: facts about items, and the predictions of one or several runs."""

    true: Values
    predicted: Sequence[tuple[RunKey | None, Any]]
    """The key, if columns or paths tell it, and codes with classes, or scores."""
    facts: Mapping[str, Sequence[Any] | Array | str]
    """The system, data set, run and fold of each item, or of all of them."""
    items: Array | None
    cluster: Sequence[Any] | Array | None
    text: bool
    """Whether classes are texts whose type must be inferred."""


def read_trials(data: Any, columns: Columns, reading: Mapping[str, Any]) -> Trials:
    """The runs in arrays, a table, files of a pattern, saved trials, or several of these."""
    if sum(x is not None for x in (columns.pred, columns.score, columns.value)) > 1:
        raise InputError(
            "runs give predicted classes (pred=), scores (score=) or values (value=): name one"
        )
    if columns.valued and (columns.true is not None or columns.labels is not None):
        raise InputError("values have no true classes: omit true= and labels=")
    if isinstance(data, Additive):
        return _of_table(data, Told({}), columns)
    if isinstance(data, (list, tuple)) and data and all(_is_one_of_several(x) for x in data):
        parts = [x for each in data for x in _parts(each, columns, reading)]
    elif _is_source(data):
        parts = [*_parts(data, columns, reading)]
    else:
        part = _of_arrays(data, columns)
        parts = [("" if columns.dataset is None else columns.dataset, part)]
    sets: dict[str, list[DataSet]] = {}
    for name, part in parts:
        sets.setdefault(name, []).append(part)
    return Trials({name: joined(name, _alike(each)) for name, each in sets.items()})


def _is_one_of_several(data: Any) -> bool:
    """Whether this is a source in a list of them; a list of texts may hold classes."""
    if not isinstance(data, str):
        return _is_source(data)
    return bool(PART.search(data)) or format_of(data) is not None or Path(data).exists()


def _is_source(data: Any) -> bool:
    return isinstance(data, Additive) or is_path(data) or (
        not isinstance(data, (list, tuple)) and has_columns(data)
    )  # fmt: skip


def _parts(
    data: Any, columns: Columns, reading: Mapping[str, Any]
) -> Iterator[tuple[str, DataSet]]:
    """The data sets of a source, each with the runs that it has."""
    if isinstance(data, Additive):
        yield from _of_table(data, Told({}), columns).data_sets.items()
    elif is_path(data):
        with kept_open():
            for path, told in matching(str(data)):
                yield from _of_file(path, told, columns, reading)
    else:
        yield from _data_sets(_read(data, columns, Told({}), reading), columns, "the table")


def _of_file(
    path: str, told: Told, columns: Columns, reading: Mapping[str, Any]
) -> Iterator[tuple[str, DataSet]]:
    title = repr(path)
    if _is_saved(path):
        table = restored(read_text(path), title)
        yield from _of_table(table, told._replace(title=title), columns).data_sets.items()
    else:
        yield from _data_sets(_read(path, columns, told, reading), columns, title)


def matching(pattern: str) -> list[tuple[str, Told]]:
    """The files of a pattern with named parts, and what each path says."""
    if not PART.search(pattern):
        paths = sorted(glob(pattern, recursive=True)) if glob(pattern) else [pattern]
        return [(path, Told({}, path)) for path in paths]
    pieces = PART.split(pattern)
    names = pieces[1::2]
    if len({*names}) < len(names):
        raise InputError(f"a part is named twice in {pattern!r}: name each once")
    every = "".join("*" if at % 2 else piece for at, piece in enumerate(pieces))
    shape = re.compile(
        "".join(f"(?P<{x}>[^/]+?)" if at % 2 else _as_regex(x) for at, x in enumerate(pieces))
    )
    found = []
    for path in sorted(glob(every, recursive=True)):
        match = shape.fullmatch(path.replace("\\", "/"))
        if match is not None:
            found.append((path, Told(match.groupdict(), path)))
    if not found:
        raise FileError(f"cannot read {pattern!r}: no file matches this pattern")
    return found


def _as_regex(piece: str) -> str:
    kinds = {"**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(
        kinds.get(x, re.escape(x)) for x in re.split(r"(\*\*|\*|\?)", piece.replace("\\", "/"))
    )


def _is_saved(path: str) -> bool:
    if Path(path).suffix != ".json" or not Path(path).is_file():
        return False
    with open(path, "rb") as start:
        return f'"{FORMAT}"'.encode() in start.read(200)


# saved tables


def _of_table(table: Additive, told: Told, columns: Columns) -> Trials:
    """Saved trials unchanged; counts of predictions as a run whose items are unknown."""
    if isinstance(table, Trials):
        return table
    roles = _roles(columns, told, [])
    if not isinstance(table, Counts) or isinstance(table, Slices):
        raise InputError(
            f"{told.title or 'the table'} holds {table.kind}, but a study needs predictions, "
            f"counts "
            "of predicted classes, or a saved study"
        )
    if "fold" in roles:
        raise InputError("counts of folds do not show which items they have: pass the predictions")
    if table.weighted or len(table.systems) > 1 or table.cluster is not None:
        raise InputError(
            f"{told.title or 'the table'} was counted with weights, clusters or several systems. "
            "A study takes plain counts of one run, or the predictions themselves."
        )
    key = RunKey(*(told.values.get(roles.get(name, ""), "") for name in ("system", "run")))
    name = told.values.get(roles.get("dataset", ""), "")
    if table.n > MOST:
        raise InputError(
            f"{told.title or 'the table'} counts {table.n:,} items, more than {MOST:,}"
        )
    true, predicted = (np.repeat(x, table.count) for x in (table.true, table.predicted))
    part = DataSet(
        *(table.labels, table.declared, np.arange(len(true)), true.astype(np.int32), (key,)),
        predicted[None].astype(np.int32),
        by_line=True,
        matched=False,
    )
    return Trials({name: part})


# arrays


def _of_arrays(y_true: Any, columns: Columns) -> DataSet:
    """Runs in arrays: {'A': [run, run]}, {'A': {'seed 1': run}}, or {'A': run}."""
    for name in ("true", "system"):
        if getattr(columns, name) is not None:
            raise InputError(f"{name}= names a column of a dataframe or file, but these are arrays")
    if columns.dataset is not None and not isinstance(columns.dataset, str):
        raise InputError(f"dataset= is the name of the data set; got {columns.dataset!r}")
    given = columns.sides
    if not isinstance(given, Mapping) or not given:
        raise InputError(
            "pred= (or score=) must have the runs of each system: {'A': [run_1, run_2], 'B': …}; "
            "got "
            f"{type(given).__name__}"
        )
    runs = [*_runs(given)]
    if columns.valued:
        if y_true is not None:
            raise InputError("values have no true classes: pass None in place of y_true")
        true, labels = np.zeros(len(runs[0][1]), np.int32), VALUE
    else:
        true, labels = _classes(y_true, "y_true")
    n = len(true)
    predicted: list[tuple[RunKey | None, Any]] = []
    for key, values in runs:
        own = scores_column(values, str(key)) if columns.scored else _classes(values, str(key))
        _refuse_length(n, len(own if columns.scored else own[0]), str(key))
        predicted.append((key, own))
    ids = None if columns.item is None else _ids([*_flat(columns.item, n, "item")])
    facts: dict[str, Any] = {}
    if columns.fold is not None:
        facts["fold"] = [*_flat(columns.fold, n, "fold")]
    cluster = None if columns.cluster is None else [*_flat(columns.cluster, n, "cluster")]
    rows = ReadRuns((true, labels), predicted, facts, ids, cluster, text=False)
    return _data_set("", rows, columns, np.arange(n), "y_true")


def _flat(values: Any, n: int, name: str) -> list[Any]:
    array = to_numpy(values)
    if array.ndim != 1:
        raise ShapeError(f"{name} must have one value for each item; got shape {array.shape}")
    flat = array.tolist()
    _refuse_length(n, len(flat), name)
    return flat  # type: ignore[no-any-return]


def _refuse_length(items: int, values: int, name: str) -> None:
    if values != items:
        raise ShapeError(f"there are {items:,} items, {name} has {values:,}: pass one for each")


def _runs(systems: Mapping[Any, Any]) -> Iterator[tuple[RunKey, Any]]:
    for name, given in systems.items():
        if isinstance(given, Mapping):
            yield from ((RunKey(str(name), str(run)), x) for run, x in given.items())
        elif getattr(given, "ndim", 1) == 2 or _are_runs(given):
            yield from ((RunKey(str(name), str(at)), x) for at, x in enumerate(given, 1))
        else:
            yield RunKey(str(name), ""), given


def _are_runs(given: Any) -> bool:
    listed = isinstance(given, (list, tuple)) and bool(given)
    return listed and not isinstance(given[0], (str, bytes)) and hasattr(given[0], "__len__")


# tables


def _read(data: Any, columns: Columns, told: Told, reading: Mapping[str, Any]) -> ReadRuns:
    """The columns of a dataframe or file."""
    for option in ("true", *ROLES, "item", "cluster"):
        one_name(getattr(columns, option), option)
    wide = _wide(data, columns, told)
    own = columns.sides
    names = [*wide.values()] if wide else own
    by = {}
    for role in ROLES:
        name = _roles(columns, told, wide).get(role)
        if name is not None and name not in told.values and not (wide and name in wide_parts(own)):
            by[role] = name
    if columns.item is not None:
        by["item"] = columns.item
    options: dict[str, Any] = {"true": columns.true, "cluster": columns.cluster, **reading}
    options["by"] = [*by.values()]
    request = (
        Request.of_scores(score=names, systems=len(wide) or 1, alone=columns.valued, **options)
        if columns.scored
        else Request.of(pred=names, joint=True, **options)
    )
    answer, found, origin = Listed().gather(data, None, request)
    cells = concatenated(answer[KEY])
    keys: list[RunKey | None] = [*wide] if wide else [None]
    if columns.valued:
        true: Values = (np.zeros(len(to_list(cells["s0"])), np.int32), VALUE)
    else:
        true = _classes(cells["k"], _place(origin, found.true))
    predicted: list[tuple[RunKey | None, Any]] = []
    for at, (key, name) in enumerate(zip(keys, found.preds, strict=True)):
        read = scores_column if columns.scored else _classes
        predicted.append((key, read(cells[f"s{at}"], _place(origin, name))))
    facts: dict[str, Any] = {
        role: told.values[name]
        for role, name in _roles(columns, told, wide).items()
        if name in told.values
    }
    values: dict[str, Any] = {}
    for at, (role, name) in enumerate(by.items()):
        values[role] = facts_column(cells[f"b{at}"], origin, name)
    ids = _ids(values.pop("item")) if "item" in by else None
    cluster = None
    if found.cluster is not None:
        cluster = facts_column(cells["c"], origin, found.cluster)
    text = origin.reading == "text"
    return ReadRuns(true, predicted, facts | values, ids, cluster, text)


def _place(origin: Origin, name: str) -> str:
    return f"{origin.name}, column {name!r}"


def wide_parts(pred: Any) -> list[str]:
    """The named parts of a pattern of columns."""
    return PART.findall(pred) if isinstance(pred, str) else []


def _wide(data: Any, columns: Columns, told: Told) -> dict[RunKey, str]:
    """The column of each run, if a table has a column for each of several runs."""
    given = columns.sides
    if isinstance(given, Mapping):
        return {key: name for system, x in given.items() for key, name in _named_runs(system, x)}
    if isinstance(given, (list, tuple)):
        return {RunKey(str(name), ""): str(name) for name in given}
    parts = wide_parts(given)
    if not parts:
        return {}
    if not is_frame(data):
        raise InputError(
            f"pred={given!r} has named parts, which are matched against the columns of a "
            "dataframe. For a file, pass {'A': ['column', …]}, or read it into a frame."
        )
    roles = {x: role for role, names in ROLES.items() for x in names}
    roles |= {getattr(columns, role): role for role in ROLES if getattr(columns, role)}
    unknown = [name for name in parts if roles.get(name) not in ("system", "run")]
    if unknown:
        raise InputError(f"the part {{{unknown[0]}}} of pred={given!r} is neither system nor run")
    pieces = PART.split(given)
    shape = "".join(f"(?P<{x}>.+?)" if at % 2 else re.escape(x) for at, x in enumerate(pieces))
    found = {}
    for name in column_names(known_frame(data)[0]):
        match = re.fullmatch(shape, name)
        if match is not None:
            own = {roles[part]: text for part, text in match.groupdict().items()}
            found[RunKey(own.get("system", ""), own.get("run", ""))] = name
    if not found:
        raise InputError(f"no column of the frame matches pred={given!r}")
    return found


def _named_runs(system: Any, given: Any) -> Iterator[tuple[RunKey, str]]:
    """The columns of a system's runs: one, several, or by the names of the runs."""
    if isinstance(given, str):
        yield RunKey(str(system), ""), given
        return
    named = given if isinstance(given, Mapping) else None
    if isinstance(given, (list, tuple)):
        named = {str(at): name for at, name in enumerate(given, 1)}
    if named is None or not all(isinstance(name, str) for name in named.values()):
        raise InputError(
            f"system {system!r} must have columns of the frame or file, such as ['a1', 'a2']; got "
            f"{type(given).__name__}"
        )
    yield from ((RunKey(str(system), str(run)), name) for run, name in named.items())


def _roles(columns: Columns, told: Told, wide: Iterable[Any]) -> dict[str, str]:
    """The roles of the columns and the parts of a path."""
    roles = {role: getattr(columns, role) for role in ROLES if getattr(columns, role) is not None}
    for part in told.values:
        if part in roles.values():
            continue
        role = next((role for role, names in ROLES.items() if part in names), None)
        if role is None or role in roles:
            raise InputError(
                f"what is the part {{{part}}} of the path? Use run={part!r}, system=, fold= or "
                f"dataset= (--run {part})."
            )
        roles[role] = part
    return roles


def concatenated(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The columns of several parts of a table."""
    if len(parts) == 1:
        return parts[0]
    return {name: [x for part in parts for x in to_list(part[name])] for name in parts[0]}


def to_list(values: Any) -> list[Any]:
    """A column as a list."""
    return values.tolist() if isinstance(values, np.ndarray) else [*values]


def _classes(values: Any, name: str) -> Values:
    own = column(values, name)
    if not len(own.values):
        raise ShapeError(f"{name}: there are no items")
    (codes,), labels = encode_alike([own])
    return codes.astype(np.int32), labels


def scores_column(values: Any, name: str) -> Array:
    """A column of finite numbers."""
    listed = values if isinstance(values, np.ndarray) else to_numpy(values)
    if listed.dtype.kind not in "iufb":
        listed = np.array([np.nan if is_missing(x) else x for x in listed.tolist()], object)
    if listed.dtype.kind in "iu":
        refuse_large(listed, name)
    try:
        scores: Array = np.asarray(listed, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name}: scores must be numbers. Convert it first.") from None
    if not np.isfinite(scores).all():
        at = int(np.flatnonzero(~np.isfinite(scores))[0])
        raise InputError(f"{name} is not a finite number in item {at:,}. Fix it or drop the item.")
    return scores


def facts_column(values: Any, origin: Origin, name: str) -> Sequence[Any] | Array:
    """The system, run, fold, data set, item or cluster of each row, as plain values."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu" and origin.reading != "json":
        return values
    listed = to_list(values)
    if origin.reading != "json" and {*map(type, listed)} == {str}:
        return listed
    plain = [plain_value(value, origin.reading) for value in listed]
    if None in plain:
        raise LabelError(
            f"{_place(origin, name)} is empty in item {plain.index(None):,}. Fill it in or drop "
            "the item."
        )
    return plain


def _ids(values: Sequence[Any] | Array) -> Array:
    if isinstance(values, np.ndarray):
        return values.astype(np.int64)
    if all(type(x) is int for x in values):
        return np.array(values, np.int64)
    return np.array([str(x) for x in values], np.str_)


def _data_sets(rows: ReadRuns, columns: Columns, title: str) -> Iterator[tuple[str, DataSet]]:
    """The rows of a table, a part for each data set, system and run that its columns name."""
    n = len(rows.true[0])
    names = [role for role in ("dataset", "system", "run") if role in rows.facts]
    names = [role for role in names if not isinstance(rows.facts[role], str)]
    if not names:
        yield str(rows.facts.get("dataset", "")), _data_set(
            "", rows, columns, np.arange(n), title
        )  # fmt: skip
        return
    sides = [_coded(rows.facts[role]) for role in names]
    code = np.ravel_multi_index([x for x, _ in sides], [len(y) for _, y in sides])
    distinct, first, code = np.unique(code, return_index=True, return_inverse=True)
    order = np.argsort(code.astype(np.min_scalar_type(len(distinct))), kind="stable")
    groups = np.split(order, np.cumsum(np.bincount(code))[:-1])
    for at in np.argsort(first):  # in order of appearance
        told = {x: str(y[z[first[at]]]) for x, (z, y) in zip(names, sides, strict=True)}
        name = str(told.get("dataset", rows.facts.get("dataset", "")))
        own = rows._replace(facts={**rows.facts, **told})
        yield name, _data_set(name, own, columns, groups[at], title)


def _coded(values: Sequence[Any] | Array) -> tuple[Array, Sequence[Any]]:
    """The code of each value, and what the codes stand for."""
    if isinstance(values, np.ndarray):
        names, codes = np.unique(values, return_inverse=True)
        return codes, names.tolist()
    code = {name: at for at, name in enumerate(dict.fromkeys(values))}
    return np.fromiter(map(code.__getitem__, values), np.intp, len(values)), [*code]


def _data_set(name: str, rows: ReadRuns, columns: Columns, places: Array, title: str) -> DataSet:
    """Some of the rows: the items of one data set, and one or several runs."""
    facts = rows.facts
    own = RunKey(str(facts.get("system", "")), str(facts.get("run", "")))
    keys = tuple(own if key is None else _filled(key, own) for key, _ in rows.predicted)
    sides = [rows.true, *([] if columns.scored else [values for _, values in rows.predicted])]
    labels, codes = _common([(x[places], y) for x, y in sides], rows.text, columns.labels, title)
    if columns.scored:
        predicted = np.stack([values[places] for _, values in rows.predicted])
    else:
        predicted = np.stack(codes[1:])
    folds = fold_names = None
    fold = facts.get("fold")
    if fold is not None:
        one, fold_names = _named([fold]) if isinstance(fold, str) else _named(fold, places)
        folds = np.broadcast_to(one, predicted.shape).copy()
    cluster = names = None
    if rows.cluster is not None:
        cluster, names = _named(rows.cluster, places)
    by_line = rows.items is None
    if rows.items is not None:
        ids = rows.items[places]
    elif isinstance(fold, str):  # a file for each fold
        ids, by_line = np.char.add(f"{fold}:", np.arange(len(places)).astype(np.str_)), False
    else:
        ids = np.arange(len(places))
    part = DataSet(
        *(labels, columns.labels is not None, ids, codes[0], keys, predicted, folds, fold_names),
        *(cluster, names, by_line),
    )
    _refuse_repeated(name, part, title)
    return part


def _filled(key: RunKey, own: RunKey) -> RunKey:
    """The key of a column, completed by the table or its path."""
    return RunKey(key.system or own.system, key.run or own.run)


def _named(values: Sequence[Any] | Array, places: Any = slice(None)) -> Values:
    """Some of the values as codes of whole numbers or texts."""
    codes, every = _coded(values)
    present, codes = np.unique(codes[places], return_inverse=True)
    used = [every[at] for at in present]
    kinds = {type(x) for x in used}
    plain = used if len(kinds) == 1 and kinds <= {int, str} else [*map(str, used)]
    names = cluster_labels({*plain})
    code = {name: at for at, name in enumerate(names)}
    return np.array([code[x] for x in plain], np.int32)[codes], names


def _common(
    sides: Sequence[Values], text: bool, declared: Any, title: str
) -> tuple[Labels, list[Array]]:
    """The classes of all columns, and the codes of each into them."""
    kinds = {labels.kind for _, labels in sides}
    if len(kinds) > 1:
        examples = [labels[0] for _, labels in sides]
        raise LabelError(
            f"{title}: label types differ: {examples[0]!r} and "
            f"{next(x for x in examples if type(x) is not type(examples[0]))!r}. Convert one, so "
            "that equal classes are equal values."
        )
    if text and sides[0][1] != VALUE:
        every = sorted({str(label) for _, labels in sides for label in labels})
        as_strings = declared is not None and Labels(declared).kind == "str"
        read = dict(zip(every, every if as_strings else from_text(every), strict=True))
        sides = [(codes, Labels.trusted(read[str(x)] for x in labels)) for codes, labels in sides]
    if declared is not None:
        names = Labels(declared)
        for _, labels in sides:
            outside = next((x for x in labels if x not in names), None)
            if outside is not None:
                raise LabelError(
                    f"{title}: label {outside!r} is not among the declared ones. Add it to labels=."
                )
    else:
        names = Labels.sorted({label for _, labels in sides for label in labels})
    return names, [names.codes(labels).astype(np.int32)[codes] for codes, labels in sides]


def _alike(parts: list[DataSet]) -> list[DataSet]:
    """Parts whose classes are read alike: 1 in one file and 'a' in another make both texts."""
    kinds = {part.labels.kind for part in parts}
    if kinds == {"int", "str"} and not any(part.declared for part in parts):
        return [
            part
            if part.labels.kind == "str"
            else replace(part, labels=Labels.trusted(map(str, part.labels)))
            for part in parts
        ]
    return parts


def _refuse_repeated(name: str, part: DataSet, title: str) -> None:
    if part.by_line or len(part.ids) < 2 or (part.ids[1:] > part.ids[:-1]).all():
        return
    values, times = np.unique(part.ids, return_counts=True)
    if len(values) == len(part.ids):
        return
    more = int((times > 1).sum())
    key = ", ".join(sorted({str(key) for key in part.keys})[:2])
    raise InputError(
        f"{title}: {named(name)}{more:,} items, such as {values[times > 1][0].item()!r}, appear "
        f"more than once in one run ({key or 'without a name'}). Remove them, or name the column "
        f"that distinguishes runs, folds or data sets: run=, fold=, dataset=."
    )
