"""Trials: what systems predicted for the items of data sets, run by run.

The items of a data set are shared by all systems and runs, so it is known what each of them did
with the same item: differences are paired, and the variances due to items and to runs are
separated.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from whichf1.errors import InputError, MergeError, numbered
from whichf1.tables.cells import Array
from whichf1.tables.display import Displayed
from whichf1.tables.labels import Labels
from whichf1.tables.records import dataclass
from whichf1.tables.units import Additive, cluster_labels, common_labels, some

ABSENT = -1
"""The code of an item for which a run has no prediction, and of an unknown fold or cluster."""
SHOWN = 3
"""How many items or cells a message names."""


class RunKey(NamedTuple):
    """A run of a system."""

    system: str
    run: str

    def __str__(self) -> str:
        name = self.system or "a system without a name"
        return f"{name}, run {self.run}" if self.run else name


@dataclass(frozen=True, eq=False)
class DataSet:
    """The items of a data set, and what each run of each system predicted for them."""

    labels: Labels
    """The classes; or the sets of labels that items have, as texts (see ``sets``)."""
    declared: bool
    """Whether classes, or the labels of sets, were declared."""
    ids: Array
    """The name of each item, in any order: whole numbers or texts."""
    true: Array
    """The code of each item's true class."""
    keys: tuple[RunKey, ...]
    predicted: Array
    """A row for each key, with a value for each item: the code of a class, or a score; or a score
    for each class (keys, items, classes)."""
    folds: Array | None = None
    """The same with the code of the fold that the item was in."""
    fold_names: Labels | None = None
    cluster: Array | None = None
    """The code of each item's cluster."""
    cluster_names: Labels | None = None
    by_line: bool = False
    """Whether items have no names and are identified by their position."""
    matched: bool = True
    """Whether items can be matched between runs; they cannot if only counts are known."""
    weights: Array | None = None
    """The weight of each item."""
    sets: Labels | None = None
    """The labels, if items have sets of them: a class is then the JSON text of a sorted set."""

    @property
    def n(self) -> int:
        """How many items there are."""
        return len(self.ids)

    @property
    def scored(self) -> bool:
        """Whether runs have scores, not classes."""
        return self.predicted.dtype.kind == "f"

    @cached_property
    def present(self) -> Array:
        """Whether each run has a prediction for each item."""
        return _is_present(self.predicted)

    @property
    def width(self) -> int:
        """How many scores a run has for an item."""
        return 1 if self.predicted.ndim == 2 else int(self.predicted.shape[2])

    def members(self) -> Array:
        """Which labels each of the sets has (sets, labels)."""
        assert self.sets is not None
        table = np.zeros((len(self.labels), len(self.sets)), np.bool_)
        for at, text in enumerate(self.labels):
            table[at, self.sets.codes(Labels.trusted(json.loads(str(text))))] = True
        return table

    @property
    def complete(self) -> bool:
        """Whether every run has every item."""
        return bool(self.present.all())

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The systems, in order of appearance."""
        return tuple(dict.fromkeys(key.system for key in self.keys))

    def rows(self, system: str) -> list[int]:
        """The rows of a system."""
        return [at for at, key in enumerate(self.keys) if key.system == system]

    def only(self, rows: Sequence[int]) -> DataSet:
        """The same data set with some of the runs."""
        folds = None if self.folds is None else self.folds[rows]
        keys = tuple(self.keys[at] for at in rows)
        return replace(self, keys=keys, predicted=self.predicted[rows], folds=folds)

    def at(self, items: Array) -> DataSet:
        """The same data set with some of the items."""
        chosen: dict[str, Any] = {"ids": self.ids[items], "true": self.true[items]}
        chosen["predicted"] = self.predicted[:, items]
        chosen["folds"] = None if self.folds is None else self.folds[:, items]
        chosen["weights"] = None if self.weights is None else self.weights[items]
        if self.cluster is not None:
            present, codes = np.unique(self.cluster[items], return_inverse=True)
            names = self.cluster_names
            kept = names and Labels.trusted(names[at] for at in present)
            chosen |= {"cluster": as_codes(codes, len(present)), "cluster_names": kept}
        return replace(self, **chosen)

    def lacking(self) -> list[tuple[RunKey, int, list[Any]]]:
        """The runs that lack items: how many items, and the first of them."""
        return [
            (key, int((~here).sum()), self.ids[~here][:SHOWN].tolist())
            for key, here in zip(self.keys, self.present, strict=True)
            if not here.all()
        ]

    def _record(self) -> dict[str, Any]:
        optional = ("folds", "fold_names", "cluster", "cluster_names", "weights", "sets")
        record: dict[str, Any] = {name: getattr(self, name) for name in ("labels", "declared")}
        record |= {"by_line": self.by_line, "matched": self.matched}
        record["keys"] = [[*key] for key in self.keys]
        record |= {name: packed(getattr(self, name)) for name in ("ids", "true", "predicted")}
        for name in optional:
            if (value := getattr(self, name)) is not None:
                record[name] = value if isinstance(value, Labels) else packed(value)
        return record

    @classmethod
    def _restored(cls, record: Any) -> DataSet:
        labels, declared = record.labels("labels"), record.flag("declared")
        by_line, matched = record.flag("by_line"), record.flag("matched")
        keys = record.rows("keys")
        right = all(isinstance(x, list) and [*map(type, x)] == [str, str] for x in keys)
        record.expect(right and len({*map(tuple, keys)}) == len(keys), "its runs are not named")
        ids = record.packed("ids", "i8", None) if by_line else record.names("ids")
        items, shape = len(ids), (len(keys), len(ids))
        record.expect(items and len({*ids.tolist()}) == items, "an item appears twice")
        true = record.packed("true", CODES, (items,))
        predicted = record.packed("predicted", f"{CODES}f8", (*shape, *record.width("predicted")))
        if predicted.dtype.kind == "i":
            record.expect(predicted.ndim == 2, "a class is not a single code")
        fields: dict[str, Any] = {"sets": record.labels("sets") if "sets" in record else None}
        if "weights" in record:
            weights = record.packed("weights", "f8", (items,))
            record.expect((np.isfinite(weights) & (weights >= 0)).all(), "a weight is not valid")
            fields["weights"] = weights
        for name, size in (("folds", shape), ("cluster", (items,))):
            if name in record:
                names = record.labels(f"{name.removesuffix('s')}_names")
                fields[name] = record.packed(name, CODES, size)
                fields[f"{name.removesuffix('s')}_names"] = names
                inside = (fields[name] >= ABSENT) & (fields[name] < len(names))
                record.expect(inside.all(), f"a code of {name!r} does not belong to anything")
        codes = [true] if predicted.dtype.kind == "f" else [true, predicted]
        for column in codes:
            least = 0 if column is true else ABSENT
            inside = (column >= least) & (column < len(labels))
            record.expect(inside.all(), "a code of a class is out of range")
        record.expect(not np.isinf(predicted).any(), "a score is not finite")
        if predicted.ndim == 3:
            names = fields["sets"] or labels
            record.expect(predicted.shape[2] == len(names), "scores do not belong to the classes")
        restored = tuple(RunKey(*key) for key in keys)
        fields |= {"by_line": by_line, "matched": matched}
        data = cls(labels, declared, ids, true, restored, predicted, **fields)
        record.expect(data.sets is None or _are_sets(data), "its classes are not sets of labels")
        return data


def _is_present(predicted: Array) -> Array:
    """Whether each run has a prediction for each item."""
    if predicted.dtype.kind != "f":
        known: Array = predicted >= 0
        return known
    known = ~np.isnan(predicted)
    if predicted.ndim > 2:
        known = np.all(known, 2)
    return known


def _are_sets(data: DataSet) -> bool:
    """Whether the classes are sets of the labels."""
    assert data.sets is not None
    for text in data.labels:
        labels = json.loads(text) if isinstance(text, str) else None
        if not isinstance(labels, list) or not all(label in data.sets for label in labels):
            return False
    return True


def coded_sets(item: Array, label: Array, items: int, labels: Labels) -> tuple[Array, Labels]:
    """Which items have which labels, as the code of a set for each item, and the sets as texts."""
    order = np.lexsort((label, item))
    ends = np.cumsum(np.bincount(item, minlength=items))
    sets = np.split(label[order], ends[:-1])
    code: dict[bytes, int] = {}
    codes = np.array([code.setdefault(x.tobytes(), len(code)) for x in sets], np.intp)
    _, first = np.unique(codes, return_index=True)
    texts = [json.dumps(sorted(labels[at] for at in sets[each])) for each in first]
    names = Labels.sorted(texts)
    return as_codes(names.codes(texts), len(names))[codes], names


def packed(column: Array) -> Any:
    """A column as it is saved: texts as they are, numbers compressed."""
    from whichf1.tables import saving  # slow to import

    if column.dtype.kind == "U":
        return column.tolist()
    return saving.packed(column)


ROUNDED = 1e-6
"""How much weights of an item may differ, relative to them: files have them with few digits."""
CODES = "i1i2i4"
"""The types of columns of codes."""


def as_codes(codes: Array, size: int) -> Array:
    """Codes of so many values in as few bytes as they need, with a sign for ``ABSENT``.

    Most of the memory of a study is the code of each prediction.
    """
    kind = np.int8 if size <= 1 << 7 else np.int16 if size <= 1 << 15 else np.int32
    narrow: Array = codes.astype(kind, copy=False)
    return narrow


def _no_codes(shape: int | tuple[int, int], names: Labels) -> Array:
    """A column, or a table, of codes of which none is known yet."""
    return np.full(shape, ABSENT, as_codes(np.empty(0, np.intp), len(names)).dtype)


class Trials(Additive, Displayed, kind="study"):
    """What systems predicted for the items of data sets, run by run; see ``whichf1.trials``.

    Trials can be added: ``+`` adds those of the next run, system or data set, and all of them are
    saved in one file.

    >>> import whichf1 as wf
    >>> y = [0, 1, 1, 0]
    >>> first = wf.trials(y, pred={"A": {"seed 1": [0, 1, 1, 1]}, "B": {"seed 1": [0, 1, 0, 0]}})
    >>> second = wf.trials(y, pred={"A": {"seed 2": [0, 1, 1, 0]}, "B": {"seed 2": [1, 1, 1, 0]}})
    >>> first + second
    <Trials: 2 systems, 4 runs, 4 items>
    """

    __slots__ = ("__dict__", "data_sets")

    data_sets: Mapping[str, DataSet]

    def __init__(self, data_sets: Mapping[str, DataSet]) -> None:
        self.data_sets = dict(data_sets)

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The systems, in order of appearance."""
        every = (name for each in self.data_sets.values() for name in each.systems)
        return tuple(dict.fromkeys(every))

    @property
    def n(self) -> int:
        """The number of items, of all data sets."""
        return sum(each.n for each in self.data_sets.values())

    @property
    def runs(self) -> int:
        """How many runs there are, of all systems and data sets."""
        return sum(len(each.keys) for each in self.data_sets.values())

    @property
    def units(self) -> int:
        """How many predictions there are."""
        return sum(each.predicted.size for each in self.data_sets.values())

    def _plus(self, other: Trials, facts: dict[str, Any]) -> Trials:
        both = {**self.data_sets, **other.data_sets}
        parts = {
            name: [x.data_sets[name] for x in (self, other) if name in x.data_sets] for name in both
        }
        return Trials({name: joined(name, each) for name, each in parts.items()})

    def without_items(self) -> Trials:
        """No trials."""
        return Trials({})

    def _record(self) -> dict[str, Any]:
        return {"parts": [[name, each._record()] for name, each in self.data_sets.items()]}

    @classmethod
    def _restored(cls, record: Any) -> Trials:
        parts = record.rows("parts")
        right = all(isinstance(x, list) and len(x) == 2 and isinstance(x[0], str) for x in parts)
        record.expect(parts and right, "its data sets have no names")
        sets: dict[str, DataSet] = {}
        for name, part in parts:
            record_of_set = type(record)(part)
            sets[name] = DataSet._restored(record_of_set)
            record_of_set.refuse_rest()
        record.expect(len(sets) == len(parts), "a data set appears twice")
        return cls(sets)

    def __repr__(self) -> str:
        sets = len(self.data_sets)
        words = [numbered(len(self.systems), "system"), numbered(self.runs, "run")]
        of = f" of {sets:,} data sets" if sets > 1 else ""
        return f"<Trials: {', '.join(words)}, {numbered(self.n, 'item')}{of}>"


def named(name: str) -> str:
    """A data set in a message; the only one of a study may have no name."""
    return f"data set {name!r}: " if name else ""


def joined(name: str, parts: Sequence[DataSet]) -> DataSet:
    """Runs on the items of one data set as one table, matched by the names of items.

    Raises if a run has an item twice, or if its true class differs between runs.
    """
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    _refuse_unlike(name, parts)
    labels, declared, sets = _classes_of_all(parts)
    parts = _alike_ids(parts)
    ids = parts[0].ids
    places: list[Array | None] = [None] * len(parts)
    if not all(same_names(part.ids, ids) for part in parts[1:]):
        ids = np.unique(np.concatenate([part.ids for part in parts]))
        places = [np.searchsorted(ids, part.ids) for part in parts]
    keys = {key: at for at, key in enumerate(dict.fromkeys(x for p in parts for x in p.keys))}
    shape = (len(keys), len(ids))
    if first.scored:
        predicted = np.full((*shape, *first.predicted.shape[2:]), np.nan)
    else:
        predicted = _no_codes(shape, labels)
    true = _no_codes(len(ids), labels)
    fold_names = _names([part.fold_names for part in parts])
    cluster_names = _names([part.cluster_names for part in parts], cluster_labels)
    folds = None if fold_names is None else _no_codes(shape, fold_names)
    cluster = None if cluster_names is None else _no_codes(len(ids), cluster_names)
    weights = None if first.weights is None else np.full(len(ids), np.nan)
    for part, at in zip(parts, places, strict=True):
        here: Any = slice(None) if at is None else at
        code = None if part.labels == labels else as_codes(labels.codes(part.labels), len(labels))
        own = part.true if code is None else code[part.true]
        _agree(name, true, here, own, ids, "true class", labels)
        if cluster is not None and part.cluster is not None and part.cluster_names is not None:
            codes = cluster_names.codes(part.cluster_names)[part.cluster]  # type: ignore[union-attr]
            _agree(name, cluster, here, codes, ids, "cluster", cluster_names)  # type: ignore[arg-type]
        if weights is not None and part.weights is not None:
            _agree_on_weights(name, weights, here, part.weights, ids)
        for row, key in enumerate(part.keys):
            to, values, present = keys[key], part.predicted[row], part.present[row]
            _refuse_twice(name, key, predicted[to][here], present, ids[here], part, row)
            if code is not None and not part.scored:
                values = np.where(present, code[values], ABSENT)
            chosen = present if values.ndim == 1 else present[:, None]
            predicted[to, here] = np.where(chosen, values, predicted[to, here])
            if folds is not None and part.folds is not None and part.fold_names is not None:
                fold = fold_names.codes(part.fold_names)[part.folds[row]]  # type: ignore[union-attr]
                folds[to, here] = np.where(present, fold, folds[to, here])
    return DataSet(
        *(labels, declared, ids, true, tuple(keys), predicted, folds, fold_names, cluster),
        *(cluster_names, first.by_line, first.matched, weights, sets),
    )


def _alike_ids(parts: Sequence[DataSet]) -> Sequence[DataSet]:
    """Parts whose items are called alike: 1 in one file is the text '1' in another."""
    if len({part.ids.dtype.kind for part in parts}) == 1:
        return parts
    return [replace(part, ids=part.ids.astype(np.str_)) for part in parts]


def same_names(some: Array, others: Array) -> bool:
    """Whether items have the same names, in the same order."""
    return some is others or (len(some) == len(others) and bool((some == others).all()))


def _classes_of_all(parts: Sequence[DataSet]) -> tuple[Labels, bool, Labels | None]:
    """The classes of all parts, whether they are declared, and the labels of sets."""
    first = parts[0]
    if first.sets is not None:
        own = [replace(part, labels=part.sets or Labels(())) for part in parts]
        sets, declared, _ = _classes_of_all([replace(part, sets=None) for part in own])
        return Labels.sorted({x for part in parts for x in part.labels}), declared, sets
    labels, declared = first.labels, first.declared
    for part in parts[1:]:
        labels, declared = common_labels(replace(first, labels=labels, declared=declared), part)
    return labels, declared, None


def _names(parts: Iterable[Labels | None], make: Any = Labels.sorted) -> Labels | None:
    known = [part for part in parts if part is not None]
    return make({x for part in known for x in part}) if known else None


def _called(data: DataSet) -> str:
    """How the items of runs are identified, in words."""
    return "matched line by line" if data.by_line else f"called {data.ids[0].item()!r}"


def _refuse_unlike(name: str, parts: Sequence[DataSet]) -> None:
    """Raise unless all parts are of one kind."""
    first = parts[0]
    for part in parts[1:]:
        if part.scored != first.scored:
            raise MergeError(f"{named(name)}some runs predict classes, others have scores")
        if (part.sets is None) != (first.sets is None):
            raise MergeError(f"{named(name)}some items have sets of labels, others one class each")
        if part.width != first.width or (part.width > 1 and _columns(part) != _columns(first)):
            raise MergeError(
                f"{named(name)}the scores of runs belong to different classes: "
                f"{some(_columns(first))} and {some(_columns(part))}. Use the same labels= for all."
            )
        if part.matched != first.matched:
            raise MergeError(
                f"{named(name)}some runs are counts, others predictions of items: pass all of them "
                "as counts, or all as predictions"
            )
        if part.by_line != first.by_line:
            raise MergeError(
                f"{named(name)}the items of some runs are {_called(first)}, those of others "
                f"{_called(part)}, so they cannot be matched. Use the same column as item= "
                "(--item) for all."
            )
        for what in ("folds", "cluster", "weights"):
            if (getattr(part, what) is None) != (getattr(first, what) is None):
                raise MergeError(f"{named(name)}some runs have a {what.removesuffix('s')}, others "
                                 "have none: read all of them the same way")  # fmt: skip
    if first.by_line and len({part.n for part in parts}) > 1:
        sizes = sorted({part.n for part in parts})
        raise InputError(
            f"{named(name)}runs have {sizes[0]:,} to {sizes[-1]:,} items, and are matched line by "
            "line. Name the column that identifies items: item= (--item)."
        )


def _of_items(count: int) -> str:
    return "an item" if count == 1 else numbered(count, "item")


def _columns(part: DataSet) -> Labels:
    """What the scores of an item belong to."""
    return part.sets or part.labels


def _agree_on_weights(name: str, column: Array, here: Any, values: Array, ids: Array) -> None:
    """Fill the weights of items, on which all runs must agree but for rounding; the first count."""
    known = column[here]
    new = np.isnan(known)
    wrong = np.flatnonzero(~new & ~np.isclose(known, values, rtol=ROUNDED, atol=0))
    if len(wrong):
        at = wrong[0]
        raise InputError(
            f"{named(name)}the weight of {_of_items(len(wrong))} differs between runs: that of "
            f"item {ids[here][at].item()!r} is {known[at]:.9g} and {values[at]:.9g}. A weight "
            "belongs to an item, not to a run."
        )
    column[here] = np.where(new, values, known)


def _agree(
    name: str, column: Array, here: Any, values: Array, ids: Array, what: str, labels: Labels
) -> None:
    """Fill a column of facts about items on which all runs must agree."""
    known = column[here]
    wrong = np.flatnonzero((known != ABSENT) & (known != values))
    if len(wrong):
        at = wrong[0]
        a, b = labels[known[at]], labels[values[at]]
        raise InputError(
            f"{named(name)}the {what} of {_of_items(len(wrong))} differs between runs: that of "
            f"item {ids[here][at].item()!r} is {a!r} and {b!r}. Are these the same items? Name the "
            "column that identifies items: item= (--item)."
        )
    column[here] = values


def _refuse_twice(
    name: str, key: RunKey, known: Array, present: Array, ids: Array, part: DataSet, row: int
) -> None:
    twice = np.flatnonzero(_is_present(known[None])[0] & present)
    if not len(twice):
        return
    item = ids[twice[0]].item()
    if part.fold_names is not None and part.folds is not None:
        fold = part.fold_names[part.folds[row][twice[0]]]
        raise overlapping(named(name), key, len(twice), item, fold)
    raise InputError(
        f"{named(name)}{items_in_words(len(twice), item)} twice in {key}. Remove one, or name the "
        "column or the part of the path that distinguishes the two: run= or system= (--run, "
        "--system)."
    )


def items_in_words(count: int, item: Any) -> str:
    """How many items, and one of them: the subject of a sentence about what appears twice."""
    return f"item {item!r} appears" if count == 1 else f"{count:,} items, such as {item!r}, appear"


def overlapping(place: str, key: RunKey, count: int, item: Any, fold: Any) -> InputError:
    """The error of folds that share items."""
    return InputError(
        f"{place}the folds of {key} overlap: {items_in_words(count, item)} in fold {fold!r} and in "
        "another. Folds must have different test items; name repetitions with run= (--run)."
    )
