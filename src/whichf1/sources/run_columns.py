"""The columns of a table of runs: facts about items, and what each run gives for each of them.

A column is read as the code of each row and the values that codes stand for, because a table of
runs repeats a few values very often; an engine that can code its texts does so itself.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from whichf1.errors import InputError, LabelError, ShapeError, WeightError, numbered
from whichf1.sources.answers.label_sets import keys_of_cells, read_bit, refuse_widths
from whichf1.sources.answers.rows import from_json, plain_value
from whichf1.sources.engines.frames import SEVERAL, column_names
from whichf1.sources.lines import refuse_large
from whichf1.sources.questions.grouped import KEY
from whichf1.sources.questions.listed import CodedColumn, Listed, Same
from whichf1.sources.request import (
    Origin,
    Request,
    checked_separator,
    classes_of_columns,
    is_frame,
    known_frame,
    one_name,
    one_or_several,
    refuse_other_order,
    refuse_separator,
)
from whichf1.sources.sequences import column, encode_alike, is_missing, to_numpy, weights_column
from whichf1.tables.cells import Array
from whichf1.tables.labels import VALUE, Labels, from_text
from whichf1.tables.records import dataclass
from whichf1.tables.trials import RunKey, as_codes, coded_sets

ROLES = {
    "system": ("system", "model", "method", "classifier"),
    "dataset": ("dataset", "data", "task", "corpus", "lang"),
    "run": ("run", "seed", "repeat", "repetition", "epoch"),
    "fold": ("fold", "split"),
}
"""What distinguishes runs, and the usual names of parts of a pattern, which need no option."""
APART = ("dataset", "system", "run")
"""What distinguishes runs of different systems on different data sets."""
PART = re.compile(r"\{(\w+)\}")
"""A named part of a pattern."""
Values: TypeAlias = tuple[Array, Labels]
"""Codes, and the classes that they stand for."""
NEAR = 1 << 20
"""Up to this distance, whole numbers are coded by a table of all numbers between them."""
GIVEN = ("pred", "score", "probs", "value")
"""What runs may give, of which one is named."""


@dataclass(frozen=True, kw_only=True)
class Columns:
    """The roles of the columns of a table, or of the parts of a path."""

    true: Any = None
    pred: Any = None
    score: Any = None
    probs: Any = None
    value: Any = None
    system: Any = None
    dataset: Any = None
    run: Any = None
    fold: Any = None
    item: Any = None
    cluster: Any = None
    weights: Any = None
    labels: Any = None
    sep: Any = None

    @property
    def valued(self) -> bool:
        """Whether items have values, without true classes."""
        return self.value is not None

    @property
    def scored(self) -> bool:
        """Whether runs give scores or values."""
        return self.score is not None or self.probs is not None or self.valued

    @property
    def sides(self) -> Any:
        """What runs give."""
        return next((x for name in GIVEN if (x := getattr(self, name)) is not None), None)

    @property
    def bits(self) -> tuple[str, ...]:
        """The columns of 0 and 1 of each label, if true= names several."""
        several = isinstance(self.true, (list, tuple))
        return (one_or_several(self.true, "true") or ()) if several else ()


class Told(NamedTuple):
    """What the path of a file says about all its items."""

    values: Mapping[str, str]
    title: str = ""


class ReadRuns(NamedTuple):
    """A table that was read: facts about items, and the predictions of one or several runs."""

    true: Values
    predicted: Sequence[tuple[RunKey | None, Any]]
    """The key, if columns or paths tell it, and codes with classes, or scores."""
    facts: Mapping[str, CodedColumn | str]
    """The system, data set, run and fold of each item, or of all of them."""
    items: CodedColumn | Array | None
    cluster: CodedColumn | None
    weights: Array | None = None
    text: bool = False
    """Whether classes are texts whose type must be inferred."""
    labels: Any = None
    """The declared classes, or labels of sets."""
    sets: Labels | None = None
    """The labels, if items have sets of them; classes are then sets as texts."""
    name: str = ""
    """The column of the predictions, which names a system that nothing else names."""

    @property
    def of_classes(self) -> bool:
        """Whether runs have a score of each class."""
        scores = self.predicted[0][1]
        return not isinstance(scores, tuple) and scores.ndim > 1


class RunColumns(NamedTuple):
    """The columns of each run."""

    runs: Mapping[RunKey | None, tuple[str, ...]]
    """By the run's key; None for a table whose other columns tell the run."""
    labels: Any
    """The classes that several columns of a run belong to, if they are known."""


def read_columns(
    data: Any, columns: Columns, told: Told, reading: Mapping[str, Any]
) -> Iterator[ReadRuns]:
    """The columns of a dataframe or file: of all rows, or run by run."""
    for option in (*ROLES, "item", "cluster", "weights", *(() if columns.bits else ("true",))):
        one_name(getattr(columns, option), option)
    distributed = type(data).__module__.startswith("pyspark.")
    if columns.item is None and (distributed or reading.get("engine") == "spark"):
        raise InputError(
            "the rows of Spark have no order, so items cannot be matched line by line. Name the "
            "column that identifies items: item= (--item)."
        )
    runs, labels = _columns_of_runs(data, columns)
    roles = roles_of(columns, told)
    parts = wide_parts(columns.sides)
    by = {x: name for x, name in roles.items() if name not in told.values and name not in parts}
    if columns.item is not None:
        by["item"] = columns.item
    options: dict[str, Any] = {"cluster": columns.cluster, "weights": columns.weights, **reading}
    options["by"] = [*by.values()]
    apart = [name for role, name in by.items() if role in APART]
    request = _request(columns, runs, labels, options)
    answer, found, origin = Listed(apart).gather(data, None, request)
    for cells in _parts(answer[KEY]):
        table = _Table(cells, found, origin)
        facts: dict[str, CodedColumn | str] = {
            role: table.fact(f"b{at}", name)
            for at, (role, name) in enumerate(by.items())
            if role != "item"
        }
        facts |= {x: told.values[name] for x, name in roles.items() if name in told.values}
        read = table.read(columns, runs, labels)
        yield read._replace(
            facts=facts,
            items=None if "item" not in by else _ids(cells[f"b{len(by) - 1}"], origin, by["item"]),
            cluster=None
            if found.cluster is None
            else facts_column(cells["c"], origin, found.cluster),
            weights=None if found.weights is None else _weights(cells["w"], origin, found.weights),
            name=found.preds[-1] if len(found.preds) == 1 else "predictions",
        )


def _parts(parts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The parts of a table that are read one by one: runs, or all of its rows."""
    runs: dict[Any, list[dict[str, Any]]] = {}
    for cells in parts:
        key = tuple((x, y) for x, y in cells.items() if isinstance(y, Same))
        runs.setdefault(key, []).append(cells)
    if len(runs) > 1 and () in runs:  # some files could be split, others not
        return [concatenated(parts)]
    return [{**concatenated(some), **dict(key)} for key, some in runs.items()]


def _request(
    columns: Columns, runs: Mapping[Any, Sequence[str]], labels: Any, options: dict[str, Any]
) -> Request:
    names, bits = [*chain(*runs.values())], columns.bits
    if columns.scored:
        own = labels if bits or columns.sep is not None else None
        options |= {"true": columns.true, "sep": columns.sep, "alone": columns.valued}
        return Request.of_scores(score=names, systems=len(runs), labels=own, **options)
    if not bits:
        checked_separator(columns.sep)
        return Request.of(true=columns.true, pred=names, joint=True, **options)
    refuse_separator(columns.sep)
    refuse_widths(bits, [*runs.values()], Labels(bits if labels is None else labels))
    return Request.of(true=bits[0], pred=[*bits[1:], *names], joint=True, **options)


class _Table(NamedTuple):
    """The cells of a table, the columns they are of, and where they come from."""

    cells: Mapping[str, Any]
    columns: Request
    origin: Origin

    def read(
        self, columns: Columns, runs: Mapping[RunKey | None, Sequence[str]], labels: Any
    ) -> ReadRuns:
        """The true classes, and what each run gives."""
        keys, width = [*runs], max(len(next(iter(runs.values()))), 1)
        bits = columns.bits
        first = 0 if not bits else len(bits) - (not columns.scored)
        names = self.columns.preds[first:]
        places = [range(first + at * width, first + (at + 1) * width) for at in range(len(keys))]
        if bits or columns.sep is not None or self._lists(columns):
            return self._sets(columns, keys, places, labels)
        if columns.valued:
            true: Values = (np.zeros(self._rows, np.int8), VALUE)
        else:
            true = classes_column(self.cells["k"], self._place(self.columns.true), self.origin)
        if not columns.scored:
            predicted: list[Any] = [
                classes_column(self.cells[f"s{x.start}"], self._place(names[at]), self.origin)
                for at, x in enumerate(places)
            ]
            labels = columns.labels
        else:
            predicted = [self._scores(x) for x in places]
            if columns.probs is not None and labels is None:
                texts = [*true[1]] if not self._text else [*from_text([*map(str, true[1])])]
                labels = classes_of_columns(names, texts)
        pairs = [*zip(keys, predicted, strict=True)]
        return ReadRuns(true, pairs, {}, None, None, text=self._text, labels=labels)

    def fact(self, short: str, name: str) -> CodedColumn | str:
        """A fact about each row, or about all of them."""
        own = self.cells[short]
        if not isinstance(own, Same):
            return facts_column(own, self.origin, name)
        return str(plain_value(own.value, self.origin.reading))

    @property
    def _text(self) -> bool:
        return self.origin.reading == "text"

    @property
    def _rows(self) -> int:
        return len(to_list(self.cells["s0"]))

    def _place(self, name: str) -> str:
        return f"{self.origin.name}, column {name!r}"

    def _scores(self, places: range) -> Array:
        own = [
            scores_column(self.cells[f"s{at}"], self._place(self.columns.preds[at]))
            for at in places
        ]
        return own[0] if len(own) == 1 else np.stack(own, 1)

    def _lists(self, columns: Columns) -> bool:
        """Whether cells are lists, and therefore sets of labels."""
        if columns.valued:
            return False
        values = coded(self.cells["k"]).values
        if self.origin.reading == "json":
            return any(str(x).lstrip().startswith("[") for x in values)
        return any(isinstance(x, tuple) for x in values)

    def _sets(
        self, columns: Columns, keys: list[RunKey | None], places: list[range], labels: Any
    ) -> ReadRuns:
        """The same of items with sets of labels."""
        if columns.bits:
            names = Labels(columns.bits if labels is None else labels)
            width = len(names)
            shorts = [f"s{at}" for at in range(width)]
            true = self._bits(shorts if columns.scored else ["k", *shorts[:-1]], names)
            preds = [] if columns.scored else places
            sides = [self._bits([f"s{at}" for at in x], names) for x in preds]
        else:
            shorts = ["k"] if columns.scored else ["k", *(f"s{x.start}" for x in places)]
            own = [coded(self.cells[x]) for x in shorts]
            if self._text:  # an empty cell is one without labels
                own = [x._replace(values=["" if y is None else y for y in x.values]) for x in own]
            written = [self.columns.true, *self.columns.preds][: len(shorts)]
            values = [[*x.values] for x in own]
            listed, names = keys_of_cells(values, written, self.origin, labels, columns.sep)
            true, *sides = (
                _expanded(x, *np.divmod(y, len(names)), names)
                for x, y in zip(own, listed, strict=True)
            )
        predicted: list[Any] = [self._scores(x) for x in places] if columns.scored else sides
        pairs = [*zip(keys, predicted, strict=True)]
        declared = names if labels is not None or columns.bits or columns.scored else None
        return ReadRuns(true, pairs, {}, None, None, labels=declared, sets=names)

    def _bits(self, shorts: Sequence[str], labels: Labels) -> Values:
        """A column of 0 and 1 for each label, as a set for each item."""
        every = ["k", *(f"s{at}" for at in range(len(self.columns.preds)))]
        named = dict(zip(every, (self.columns.true, *self.columns.preds), strict=True))
        table = []
        for short in shorts:
            own = coded(self.cells[short])
            bits = [read_bit(x, named[short], self.origin) for x in own.values]
            table.append(np.array(bits, np.bool_)[own.codes])
        item, label = np.nonzero(np.stack(table, 1))
        return coded_sets(item, label, len(table[0]), labels)


def _expanded(own: CodedColumn, item: Array, label: Array, names: Labels) -> Values:
    codes, texts = coded_sets(item, label, len(own.values), names)
    return codes[own.codes], texts


def wide_parts(given: Any) -> list[str]:
    """The named parts of a pattern of columns."""
    return PART.findall(given) if isinstance(given, str) else []


def _columns_of_runs(data: Any, columns: Columns) -> RunColumns:
    """The columns of each run of a table: one, or one for each class or label."""
    given, labels = columns.sides, columns.labels
    if columns.probs is None and not columns.bits:
        single = _single(data, columns)
        if not single and given is not None:
            option = next(name for name in GIVEN if getattr(columns, name) is given)
            given = one_name(given, option)
        return RunColumns(single or {None: (given,) if given else ()}, labels)
    runs: dict[RunKey | None, tuple[str, ...]] = {}
    classes = isinstance(given, Mapping) and all(isinstance(x, str) for x in given.values())
    if classes:
        if labels is not None:
            raise InputError("probs= already names a column for each class: omit labels=")
        labels, given = [*given], [*given.values()]
    if isinstance(given, Mapping):
        for system, own in given.items():
            for run, names in _several(own).items():
                runs[RunKey(str(system), run)] = one_or_several(names, "probs") or ()
    else:
        runs[None] = one_or_several(given, "probs" if columns.probs is not None else "pred") or ()
    widths = {len(names) for names in runs.values()}
    if len(widths) != 1 or 0 in widths:
        raise InputError(
            f"every run needs a column for each class; got {sorted(widths)} columns. Pass a list "
            "of columns, or {'A': [[columns of run 1], [columns of run 2]], 'B': …}."
        )
    first = next(iter(runs.values()))
    if labels is None and len(runs) > 1 and not columns.bits:
        raise InputError(
            f"which class does each of the columns {', '.join(first)} belong to? Pass labels= in "
            "their order."
        )
    if labels is not None and len(Labels(labels)) != len(first):
        raise InputError(f"there are {numbered(len(Labels(labels)), 'label')}, and "
                         f"{numbered(len(first), 'column')} of a run: name a column for each, in "
                         "the same order")  # fmt: skip
    if not columns.bits:
        refuse_other_order(first, labels, "Pass probs={class: column}.")
    return RunColumns(runs, labels)


def _several(given: Any) -> dict[str, Any]:
    """The columns of a system's runs: a list of columns, several, or by the names of the runs."""
    if isinstance(given, Mapping):
        return {str(run): names for run, names in given.items()}
    if isinstance(given, (list, tuple)) and given and not isinstance(given[0], str):
        return {str(at): names for at, names in enumerate(given, 1)}
    return {"": given}


def _single(data: Any, columns: Columns) -> dict[RunKey | None, tuple[str, ...]]:
    """The column of each run, if a table has a column for each of several runs."""
    given = columns.sides
    if isinstance(given, Mapping):
        return {key: (x,) for system, own in given.items() for key, x in _named_runs(system, own)}
    if isinstance(given, (list, tuple)):
        return {RunKey(str(name), ""): (str(name),) for name in given}
    parts = wide_parts(given)
    if not parts:
        return {}
    if not is_frame(data):
        raise InputError(
            f"pred={given!r} has named parts, which are matched against the columns of a "
            "dataframe. For a file, pass {'A': ['column', …]} (--pred A=column,column), or read "
            "it into a frame."
        )
    roles = {x: role for role, names in ROLES.items() for x in names}
    roles |= {getattr(columns, role): role for role in ROLES if getattr(columns, role)}
    unknown = [name for name in parts if roles.get(name) not in ("system", "run")]
    if unknown:
        raise InputError(f"the part {{{unknown[0]}}} of pred={given!r} is neither system nor run")
    pieces = PART.split(given)
    shape = "".join(f"(?P<{x}>.+?)" if at % 2 else re.escape(x) for at, x in enumerate(pieces))
    found: dict[RunKey | None, tuple[str, ...]] = {}
    for name in column_names(known_frame(data)[0]):
        match = re.fullmatch(shape, name)
        if match is not None:
            own = {roles[part]: text for part, text in match.groupdict().items()}
            found[RunKey(own.get("system", ""), own.get("run", ""))] = (name,)
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


def roles_of(columns: Columns, told: Told) -> dict[str, str]:
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


# columns


def concatenated(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The columns of several parts of a table."""
    if len(parts) == 1:
        return parts[0]
    return {name: [x for part in parts for x in _spread(part, name)] for name in parts[0]}


def _spread(cells: Mapping[str, Any], name: str) -> list[Any]:
    """A column of a part as a list, also if it has one value for all rows."""
    if not isinstance(cells[name], Same):
        return to_list(cells[name])
    rows = next(x for x in cells.values() if not isinstance(x, Same))
    return [cells[name].value] * len(to_list(rows))


def to_list(values: Any) -> list[Any]:
    """A column as a list."""
    if isinstance(values, CodedColumn):
        return [values.values[at] for at in values.codes.tolist()]
    return values.tolist() if isinstance(values, np.ndarray) else [*values]


def coded(values: Any) -> CodedColumn:
    """The code of each row, and what the codes stand for; a list is a tuple."""
    if isinstance(values, CodedColumn):
        return values
    if isinstance(values, np.ndarray) and values.dtype.kind in "iub":
        names, codes = _distinct(values)
        return CodedColumn(codes, names.tolist())
    code: dict[Hashable, int] = {}
    distinct: list[Any] = []
    codes = np.empty(len(values), np.intp)
    for at, value in enumerate(to_list(values)):
        cell = _cell(value)
        place = code.setdefault((type(cell), cell), len(distinct))
        if place == len(distinct):
            distinct.append(cell)
        codes[at] = place
    return CodedColumn(codes, distinct)


def _distinct(values: Array) -> tuple[Array, Array]:
    """The distinct whole numbers, and the code of each; numbers near together are not sorted."""
    low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    if high - low > min(NEAR, len(values)) or values.dtype.kind == "b":
        names, codes = np.unique(values, return_inverse=True)
        return names, codes
    offset = values - values.dtype.type(low)
    present = np.zeros(high - low + 1, np.bool_)
    present[offset] = True
    near: Array = np.flatnonzero(present)
    code = np.cumsum(present) - 1
    return near + low, code.astype(np.min_scalar_type(len(near)))[offset]


def _cell(value: Any) -> Any:
    """A cell that can be compared: a list or set of labels as a tuple, what is missing as None."""
    if isinstance(value, (set, frozenset)):
        return tuple(sorted(value, key=str))
    if isinstance(value, SEVERAL):
        return tuple(value.tolist() if isinstance(value, np.ndarray) else value)
    return None if is_missing(value) else value


def classes_column(values: Any, name: str, origin: Origin | None = None) -> Values:
    """A column of classes."""
    if isinstance(values, np.ndarray):
        own = column(values, name)
        if not len(own.values):
            raise ShapeError(f"{name}: there are no items")
        (codes,), labels = encode_alike([own])
        return as_codes(codes, len(labels)), labels
    read = coded(values)
    if not len(read.codes):
        raise ShapeError(f"{name}: there are no items")
    if None in read.values or any(isinstance(x, tuple) for x in read.values):
        column(to_list(values), name)  # raises, and says at which item
    plain = read.values
    if origin is not None and origin.reading == "json":
        plain = [from_json(x) for x in plain]
    (codes,), labels = encode_alike([column([*plain], name)])
    return recoded(read.codes, codes, len(labels)), labels


def recoded(codes: Array, code: Array, size: int) -> Array:
    """Codes of some values as those of others: ``code`` of each; unchanged where they agree."""
    if len(code) == size and (code == np.arange(size)).all():
        return as_codes(codes, size)
    return as_codes(code, size)[codes]


def scores_column(values: Any, name: str) -> Array:
    """A column of finite numbers."""
    listed = values if isinstance(values, np.ndarray) else to_numpy(to_list(values))
    if listed.dtype.kind not in "iufb":
        listed = np.array([np.nan if is_missing(x) else x for x in listed.tolist()], object)
    if listed.dtype.kind in "iu":
        refuse_large(listed, name)
    try:
        scores: Array = np.asarray(listed, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name}: scores must be numbers. Convert it first.") from None
    if not np.isfinite(scores).all():
        at = int(np.argwhere(~np.isfinite(scores))[0][0])
        raise InputError(f"{name} is not a finite number in item {at:,}. Fix it or drop the item.")
    return scores


def _weights(values: Any, origin: Origin, name: str) -> Array:
    try:
        return weights_column([np.nan if is_missing(x) else x for x in to_list(values)],
                              len(to_list(values)), "weights")  # fmt: skip
    except WeightError as error:
        where = origin.where("weight", name)
        raise WeightError(f"{origin.name}, column {name!r}: {error}{where}") from None


def facts_column(values: Any, origin: Origin, name: str) -> CodedColumn:
    """The system, run, fold, data set, item or cluster of each row, as plain values."""
    read = coded(values)
    plain = [plain_value(value, origin.reading) for value in read.values]
    if None in plain:
        at = int(np.argmax(read.codes == plain.index(None)))
        raise LabelError(
            f"{origin.name}, column {name!r} is empty in item {at:,}. Fill it in or drop the item."
        )
    return CodedColumn(read.codes, plain)


def _ids(values: Any, origin: Origin, name: str) -> CodedColumn | Array:
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
        return values
    return names_of(facts_column(values, origin, name))


def names_of(items: CodedColumn) -> CodedColumn:
    """The names of items: whole numbers or texts."""
    if all(type(x) is int for x in items.values):
        return CodedColumn(items.codes, np.array(items.values, np.int64))
    return CodedColumn(items.codes, np.array([str(x) for x in items.values], np.str_))


def distinct_parts(roles: Iterable[str], facts: Mapping[str, CodedColumn | str]) -> Any:
    """The rows of each combination of facts that differ between rows, in order of appearance.

    Rows that stand together are a slice, which needs no copy of what is taken from a column.
    """
    sides = {x: y for x in roles if isinstance(y := facts.get(x), CodedColumn)}
    if not sides:
        return [({}, slice(None))]
    code: Array = np.zeros(len(next(iter(sides.values())).codes), np.uint8)
    size = 1
    for side in sides.values():
        size *= max(len(side.values), 1)
        kind = np.min_scalar_type(size)
        code = code.astype(kind) * len(side.values) + side.codes.astype(kind)
        if size > NEAR:  # so that products of many sizes do not overflow
            names, code = _distinct(code)
            size = len(names)
    if not len(code):
        return []
    code = code.astype(np.min_scalar_type(size), copy=False)
    starts: Array = np.concatenate([[0], np.flatnonzero(code[1:] != code[:-1]) + 1])
    groups: list[Any]
    if len(starts) == len(np.unique(code[starts])):
        ends = [*starts[1:].tolist(), len(code)]
        groups = [slice(x, y) for x, y in zip(starts.tolist(), ends, strict=True)]
        firsts = starts.tolist()
    else:
        order = np.argsort(code, kind="stable")
        sizes = np.bincount(code)
        groups = np.split(order, np.cumsum(sizes[sizes > 0])[:-1])
        groups.sort(key=lambda rows: int(rows[0]))
        firsts = [int(rows[0]) for rows in groups]
    return [
        ({x: str(y.values[y.codes[at]]) for x, y in sides.items()}, rows)
        for at, rows in zip(firsts, groups, strict=True)
    ]
