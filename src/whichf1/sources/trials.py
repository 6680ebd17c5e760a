"""Runs of systems in arrays, tables, or files of a pattern such as runs/{system}/{seed}.csv.

Each option that distinguishes runs names a column or a part of the pattern.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from glob import glob
from pathlib import Path
from typing import Any

import numpy as np

from whichf1.errors import FileError, InputError, LabelError, ShapeError, numbered
from whichf1.sources.engines.files import format_of
from whichf1.sources.label_sets import keys_of_sets, ranked_labels
from whichf1.sources.lines import ScoredLines
from whichf1.sources.questions.listed import CodedColumn
from whichf1.sources.request import are_sets, has_columns, is_path, matrix_names
from whichf1.sources.run_columns import (
    APART,
    GIVEN,
    PART,
    ROLES,
    Columns,
    ReadRuns,
    Told,
    Values,
    classes_column,
    coded,
    distinct_parts,
    names_of,
    read_columns,
    recoded,
    roles_of,
    scores_column,
)
from whichf1.sources.sequences import to_numpy, weights_column
from whichf1.tables.cells import Array
from whichf1.tables.counts import Counts
from whichf1.tables.labels import VALUE, Labels, from_text
from whichf1.tables.saving import FORMAT, read_text
from whichf1.tables.slices import Slices
from whichf1.tables.trials import (
    ABSENT,
    DataSet,
    RunKey,
    Trials,
    as_codes,
    coded_sets,
    items_in_words,
    joined,
    named,
    overlapping,
    same_names,
)
from whichf1.tables.units import Additive, cluster_labels, restored

MOST = 10**8
"""The most items of saved counts that are read as a run."""
DEEP = 100
"""How many elements of a list show how deeply it is nested; the first sets may be empty."""


def read_trials(data: Any, columns: Columns, reading: Mapping[str, Any]) -> Trials:
    """The runs in arrays, a table, files of a pattern, saved trials, or several of these."""
    if sum(getattr(columns, name) is not None for name in GIVEN) > 1:
        raise InputError(
            "runs give predicted classes (pred=), scores (score=), scores of each class (probs=) "
            "or values (value=): name one"
        )
    if columns.valued and any(x is not None for x in (columns.true, columns.labels, columns.sep)):
        raise InputError("values have no true classes: omit true=, labels= and sep=")
    if columns.score is not None and (columns.bits or columns.sep is not None):
        raise InputError("sets of labels have a score for each label: probs=[columns]")
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
        for path, told in matching(str(data)):
            yield from _of_file(path, told, columns, reading)
    else:
        yield from _data_sets(read_columns(data, columns, Told({}), reading), "the table")


def _of_file(
    path: str, told: Told, columns: Columns, reading: Mapping[str, Any]
) -> Iterator[tuple[str, DataSet]]:
    title = repr(path)
    if _is_saved(path):
        table = restored(read_text(path), title)
        yield from _of_table(table, told._replace(title=title), columns).data_sets.items()
    else:
        yield from _data_sets(read_columns(path, columns, told, reading), title)


def matching(pattern: str) -> list[tuple[str, Told]]:
    """The files of a pattern with named parts, and what each path says."""
    if not pattern:
        raise FileError(
            "the name of the file is empty. Pass a file, or a quoted pattern such as "
            "'runs/{system}/{seed}.csv'."
        )
    if os.path.isdir(pattern):
        raise FileError(
            f"{pattern!r} is a folder. Name its files with a quoted pattern whose parts say what "
            f"they are, such as '{pattern.rstrip('/')}/{{system}}/{{seed}}.csv'"
        )
    if not PART.search(pattern):
        paths = sorted(glob(pattern, recursive=True)) if glob(pattern) else [pattern]
        return [(path, Told({}, path)) for path in paths]
    pieces = PART.split(pattern)
    names = pieces[1::2]
    if len({*names}) < len(names):
        raise InputError(f"a part is named twice in {pattern!r}: name each once")
    shape = re.compile(
        "".join(f"(?P<{x}>[^/]+?)" if at % 2 else _as_regex(x) for at, x in enumerate(pieces))
    )
    found = []
    for path in sorted(glob(_as_glob(pieces), recursive=True)):
        match = shape.fullmatch(path.replace("\\", "/"))
        if match is not None:
            found.append((path, Told(match.groupdict(), path)))
    if not found:
        raise FileError(f"cannot read {pattern!r}: no file matches this pattern")
    return found


def _as_glob(pieces: Sequence[str]) -> str:
    """A pattern in which only *, ** and ? have a meaning: brackets are part of names."""
    return "".join("*" if at % 2 else piece.replace("[", "[[]") for at, piece in enumerate(pieces))


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
        _refuse_unsaved(table, told.title, columns)
        return table
    _refuse_columns(columns, told)
    roles = roles_of(columns, told)
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
            f"{told.title or 'the table'} counts {numbered(table.n, 'item')}, more than {MOST:,}"
        )
    k = len(table.labels)
    true, predicted = (np.repeat(x, table.count) for x in (table.true, table.predicted))
    part = DataSet(
        *(table.labels, table.declared, np.arange(len(true)), as_codes(true, k), (key,)),
        as_codes(predicted[None], k),
        by_line=True,
        matched=False,
    )
    return Trials({name: part})


def _refuse_columns(columns: Columns, told: Told) -> None:
    """Raise if columns are named for counts, which have none; parts of their path may be named."""
    for option in (each.name for each in fields(columns)):
        value = getattr(columns, option)
        if value is None or option == "fold":  # there are no counts of folds in any case
            continue
        if option not in ROLES:
            raise InputError(f"{told.title or 'the table'} holds counts: omit {option}=")
        if not isinstance(value, str) or value not in told.values:
            raise InputError(
                f"{option}= names a part of the path of saved counts, as in "
                f"'{{{option}}}.json'; got {value!r}"
            )


def _refuse_unsaved(trials: Trials, title: str, columns: Columns) -> None:
    """Raise if facts about items are asked for that a saved study does not have."""
    for option, held in (("fold", "folds"), ("cluster", "cluster"), ("weights", "weights")):
        if getattr(columns, option) is not None and any(
            getattr(data, held) is None for data in trials.data_sets.values()
        ):
            raise InputError(
                f"{title or 'the study'} was read without {option}=, and shows only what was read: "
                f"read the predictions again, or omit {option}= (--{option})"
            )


# arrays


def _of_arrays(y_true: Any, columns: Columns) -> DataSet:
    """Runs in arrays: {'A': [run, run]}, {'A': {'seed 1': run}}, or {'A': run}."""
    for name in ("true", "system", "run", "sep"):
        if getattr(columns, name) is not None:
            raise InputError(f"{name}= is for columns of a dataframe or file, but these are arrays")
    if columns.dataset is not None and not isinstance(columns.dataset, str):
        raise InputError(f"dataset= is the name of the data set; got {columns.dataset!r}")
    given = columns.sides
    if not isinstance(given, Mapping) or not given:
        raise InputError(
            "pred= (or score=) must have the runs of each system: {'A': [run_1, run_2], 'B': …}; "
            f"got {'nothing' if given is None else type(given).__name__}"
        )
    sets = not columns.valued and columns.score is None and are_sets(y_true)
    runs = [*_runs(given, 2 if sets or columns.probs is not None else 1)]
    if sets:
        rows = _sets_of_arrays(y_true, runs, columns)
    elif columns.probs is not None:
        rows = _scores_of_classes(y_true, runs, columns)
    else:
        rows = _single_columns(y_true, runs, columns)
    n = len(rows.true[0])
    if columns.item is not None:
        rows = rows._replace(items=names_of(coded(_flat(columns.item, n, "item"))))
    if columns.fold is not None:
        rows = rows._replace(facts={"fold": coded(_flat(columns.fold, n, "fold"))})
    if columns.cluster is not None:
        rows = rows._replace(cluster=coded(_flat(columns.cluster, n, "cluster")))
    if columns.weights is not None:
        rows = rows._replace(weights=weights_column(columns.weights, n))
    return _data_set("", rows, slice(None), "y_true")


def _single_columns(y_true: Any, runs: Sequence[tuple[RunKey, Any]], columns: Columns) -> ReadRuns:
    """Runs with a class, a score or a value of each item."""
    if columns.valued:
        if y_true is not None:
            raise InputError("values have no true classes: pass None in place of y_true")
        true: Values = (np.zeros(len(runs[0][1]), np.int8), VALUE)
    else:
        true = classes_column(to_numpy(y_true), "y_true")
    predicted: list[tuple[RunKey | None, Any]] = []
    for key, values in runs:
        name = str(key)
        own: Any = (
            scores_column(values, name)
            if columns.scored
            else classes_column(to_numpy(values), name)
        )
        _refuse_length(len(true[0]), len(own if columns.scored else own[0]), name)
        predicted.append((key, own))
    return ReadRuns(true, predicted, {}, None, None, labels=columns.labels)


def _scores_of_classes(
    y_true: Any, runs: Sequence[tuple[RunKey, Any]], columns: Columns
) -> ReadRuns:
    """Runs with a score of each class for each item."""
    true, labels = classes_column(to_numpy(y_true), "y_true"), columns.labels
    predicted: list[tuple[RunKey | None, Any]] = []
    for key, values in runs:
        name = str(key)
        lines = ScoredLines.of(y_true, values, labels)
        labels = lines.labels if labels is None else labels
        _refuse_length(len(true[0]), len(lines.scores), name)
        classes = len(Labels(labels)) if labels is not None else len(true[1])
        if lines.scores.ndim != 2 or lines.width != classes:
            raise ShapeError(
                f"{name} must have a score for each item and class; there are "
                f"{numbered(classes, 'class')}, "
                f"and it has shape {lines.scores.shape}. Declare labels= in the order of the "
                "columns."
            )
        predicted.append((key, scores_column(lines.scores, name)))
    return ReadRuns(true, predicted, {}, None, None, labels=true[1] if labels is None else labels)


def _sets_of_arrays(y_true: Any, runs: Sequence[tuple[RunKey, Any]], columns: Columns) -> ReadRuns:
    """Runs on items with sets of labels, which they predict, or score."""
    predicted: list[tuple[RunKey | None, Any]] = []
    if columns.probs is None:
        sides = {str(key): values for key, values in runs}
        (true, *own), names, declared = keys_of_sets(y_true, sides, columns.labels)
        n = true.items
        values = [coded_sets(x.item, x.label, n, names) for x in (true, *own)]
        predicted += zip([key for key, _ in runs], values[1:], strict=True)
        labels = names if declared else None
        return ReadRuns(values[0], predicted, {}, None, None, labels=labels, sets=names)
    names = Labels(())
    for key, scores in runs:
        items, names = ranked_labels(y_true, scores, columns.labels, matrix_names(scores))
        predicted.append((key, scores_column(items.scores, str(key))))
    item, label = np.nonzero(items.true)
    sets = coded_sets(item, label, len(items.true), names)
    return ReadRuns(sets, predicted, {}, None, None, labels=names, sets=names)


def _flat(values: Any, n: int, name: str) -> list[Any]:
    array = to_numpy(values)
    if array.ndim != 1:
        raise ShapeError(f"{name} must have one value for each item; got shape {array.shape}")
    flat = array.tolist()
    _refuse_length(n, len(flat), name)
    return flat  # type: ignore[no-any-return]


def _refuse_length(items: int, values: int, name: str) -> None:
    if values != items:
        raise ShapeError(
            f"there are {numbered(items, 'item')}, {name} has {values:,}: pass one for each"
        )


def _runs(systems: Mapping[Any, Any], depth: int) -> Iterator[tuple[RunKey, Any]]:
    """The runs of each system, each of which is an array with this many axes."""
    for name, given in systems.items():
        if isinstance(given, Mapping):
            yield from ((RunKey(str(name), str(run)), x) for run, x in given.items())
        elif _depth(given) > depth:
            yield from ((RunKey(str(name), str(at)), x) for at, x in enumerate(given, 1))
        else:
            yield RunKey(str(name), ""), given


def _depth(given: Any) -> int:
    """How deeply lists are nested, or how many axes an array has."""
    if hasattr(given, "ndim"):
        return int(given.ndim)
    if hasattr(given, "shape"):
        return len(given.shape)
    if isinstance(given, (set, frozenset)):
        return 1
    if not isinstance(given, (list, tuple)):
        return int(not isinstance(given, (str, bytes)) and hasattr(given, "__len__"))
    return 1 + max(map(_depth, given[:DEEP]), default=0)


# tables


def _data_sets(every: Iterable[ReadRuns], title: str) -> Iterator[tuple[str, DataSet]]:
    """The rows of a table, a part for each data set, system and run that its columns name."""
    items: dict[str, Array] = {}
    for rows in every:
        for told, places in distinct_parts(APART, rows.facts):
            name = str(told.get("dataset", rows.facts.get("dataset", "")))
            own = rows._replace(facts={**rows.facts, **told})
            part = _data_set(name, own, places, title)
            known = items.setdefault(name, part.ids)
            if same_names(part.ids, known):  # the names of items are kept once, not for each run
                part = replace(part, ids=known)
            yield name, part


def _data_set(name: str, rows: ReadRuns, places: Array | slice, title: str) -> DataSet:
    """Some of the rows: the items of one data set, and one or several runs."""
    facts = rows.facts
    own = RunKey(str(facts.get("system", rows.name)), str(facts.get("run", "")))
    keys = tuple(own if key is None else _filled(key, own) for key, _ in rows.predicted)
    scored = not isinstance(rows.predicted[0][1], tuple)
    sides = [rows.true, *([] if scored else [values for _, values in rows.predicted])]
    some = [(x[places], y) for x, y in sides]
    if rows.sets is None:
        labels, codes = _common(some, rows.text, rows.labels, title, rows.of_classes)
        sets = None
    else:
        labels, codes, sets = _common_sets(some, rows.sets, rows.labels is not None)
    if scored:
        predicted = np.stack([values[places] for _, values in rows.predicted])
    else:
        predicted = np.stack(codes[1:])
    folds = fold_names = None
    fold = facts.get("fold")
    if fold is not None:
        one, fold_names = _named(coded([fold])) if isinstance(fold, str) else _named(fold, places)
        folds = np.broadcast_to(one, predicted.shape[:2]).copy()
    cluster = names = None
    if rows.cluster is not None:
        cluster, names = _named(rows.cluster, places)
    by_line = rows.items is None
    if isinstance(rows.items, CodedColumn):
        ids = rows.items.values[rows.items.codes[places]]  # type: ignore[call-overload]
    elif rows.items is not None:
        ids = rows.items[places].astype(np.int64)
    elif isinstance(fold, str):  # a file for each fold
        ids, by_line = np.char.add(f"{fold}:", np.arange(len(some[0][0])).astype(np.str_)), False
    else:
        ids = np.arange(len(some[0][0]))
    part = DataSet(
        *(labels, rows.labels is not None, ids, codes[0], keys, predicted, folds, fold_names),
        *(cluster, names, by_line),
        weights=None if rows.weights is None else rows.weights[places],
        sets=sets,
    )
    _refuse_repeated(name, part, rows.items, places, title)
    return part


def _common_sets(
    sides: Sequence[Values], names: Labels, declared: bool
) -> tuple[Labels, list[Array], Labels]:
    """The sets that occur, the codes of each side into them, and the labels that they have."""
    texts = sorted({str(y[at]) for x, y in sides for at in np.unique(x)})
    labels = Labels.trusted(texts)
    places = {text: at for at, text in enumerate(texts)}
    every = [np.array([places.get(str(text), ABSENT) for text in y], np.intp) for _, y in sides]
    codes = [as_codes(own, len(texts))[x] for own, (x, _) in zip(every, sides, strict=True)]
    if not declared:
        present = {label for text in texts for label in json.loads(text)}
        names = Labels.trusted(label for label in names if label in present)
    return labels, codes, names


def _filled(key: RunKey, own: RunKey) -> RunKey:
    """The key of a column, completed by the table or its path."""
    return RunKey(key.system or own.system, key.run or own.run)


def _named(values: CodedColumn, places: Any = slice(None)) -> Values:
    """Some of the values as codes of whole numbers or texts."""
    present, codes = np.unique(values.codes[places], return_inverse=True)
    used = [values.values[at] for at in present]
    kinds = {type(x) for x in used}
    plain = used if len(kinds) == 1 and kinds <= {int, str} else [*map(str, used)]
    names = cluster_labels({*plain})
    code = {name: at for at, name in enumerate(names)}
    return as_codes(np.array([code[x] for x in plain], np.intp), len(names))[codes], names


def _common(
    sides: Sequence[Values], text: bool, declared: Any, title: str, of_classes: bool
) -> tuple[Labels, list[Array]]:
    """The classes of all columns, and the codes of each into them.

    ``of_classes``: the declared classes are those that runs have scores of.
    """
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
            if outside is not None and of_classes:
                raise LabelError(
                    f"{title}: class {outside!r} has no column of scores; the columns are for "
                    f"{', '.join(map(repr, names))}. Name the column of each class: "
                    f"probs={{{outside!r}: COLUMN, …}} (--probs {outside}=COLUMN,…)."
                )
            if outside is not None:
                raise LabelError(
                    f"{title}: label {outside!r} is not among the declared ones. Add it to labels= "
                    "(--labels)."
                )
    else:
        names = Labels.sorted({label for _, labels in sides for label in labels})
    return names, [recoded(codes, names.codes(labels), len(names)) for codes, labels in sides]


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


def _refuse_repeated(
    name: str, part: DataSet, items: CodedColumn | Array | None, places: Array | slice, title: str
) -> None:
    if part.by_line or len(part.ids) < 2:
        return
    if isinstance(items, CodedColumn):
        times = np.bincount(items.codes[places], minlength=len(items.values))
        values: Any = items.values
    elif (part.ids[1:] > part.ids[:-1]).all():
        return
    else:
        values, times = np.unique(part.ids, return_counts=True)
    more = np.flatnonzero(times > 1)
    if not len(more):
        return
    first = values[more[0]]
    if part.folds is not None and len({*part.folds[0][part.ids == first].tolist()}) > 1:
        fold = (part.fold_names or ())[part.folds[0][part.ids == first][0]]
        raise overlapping(f"{title}: {named(name)}", part.keys[0], len(more), first.item(), fold)
    key = "; ".join(sorted({str(key) for key in part.keys})[:2])
    raise InputError(
        f"{title}: {named(name)}{items_in_words(len(more), first.item())} more than once in one "
        f"run ({key}). Remove duplicates, or name the column that distinguishes runs, folds or "
        "data sets: run=, fold=, dataset= (--run, --fold, --dataset)."
    )
