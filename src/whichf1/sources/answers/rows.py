"""Rows that an engine has grouped: what is missing in them, and what their values stand for.

A row is ``(*slice, true, predicted, items, weight, squares, bad)``: items of the group, the sums
of their weights and of the squared weights, and how many weights are invalid. Where systems
are counted together it has a prediction of each, and then the cluster, if there is one.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from whichf1.errors import InputError, LabelError, SkippedWarning, WeightError
from whichf1.sources.request import Request
from whichf1.tables.labels import Label, Labels, from_text, kind_of, plain
from whichf1.tables.slices import Key

Row: TypeAlias = tuple[Any, ...]
Parts: TypeAlias = Mapping[str, list[Row]]
"""The rows of each prediction column; of the first one where all are counted together."""
Reading: TypeAlias = Literal["typed", "text", "json"]
"""What a value is: the engine's own, text whose type is to be found, or a JSON text."""
Values: TypeAlias = dict[tuple[type, Any], Label]
"""What each value of a column stands for; 1, 1.0 and True are told apart by their types."""

MEASURES = 4


@dataclass(frozen=True, slots=True)
class Origin:
    """Where rows come from: what messages need to name it."""

    name: str
    """A path in quotes, or 'the pandas frame'."""
    reading: Reading = "typed"
    locate: Callable[[str], str] | None = None
    """Where the first bad value of a column stands; asked only on the way to an error."""
    skip: bool = False
    """Whether items without a label or with a bad number are skipped with a warning."""
    skipped: tuple[str, ...] = ()
    """What the reader has already skipped."""
    others: Mapping[str, Reading] = field(default_factory=dict)
    """Columns that come from a second file, of another reading."""

    def reading_of(self, column: str) -> Reading:
        """What the values of a column are."""
        return self.others.get(column, self.reading)

    def where(self, column: str | None) -> str:
        """Where the first bad value of a column stands, to end a sentence with."""
        place = self.locate(column) if self.locate is not None and column is not None else ""
        return f"; {place}" if place else ""

    def say_skipped(self, more: Sequence[str], total: int) -> None:
        """Warn about what was skipped."""
        said = [*self.skipped, *more]
        if said:
            warnings.warn(
                SkippedWarning(
                    f"{self.name}: skipped {', '.join(said)}; {total:,} items were read"
                ),
                stacklevel=2,
            )


Answer: TypeAlias = tuple[dict[str, list[Any]], Request, Origin]
"""What a question gives, for which columns, and where it comes from."""

_PRESENT = (int, str, bool)


def merged(rows: Iterable[Row], measures: int = MEASURES) -> list[Row]:
    """Rows of several parts as one row for each group; 1, 1.0 and True stay apart."""
    sums: dict[Any, list[Any]] = {}
    for row in rows:
        keys = tuple(None if is_missing(value) else value for value in row[:-measures])
        tagged = (_hashable(keys), tuple(map(type, keys)))
        if tagged in sums:
            more = zip(sums[tagged][1:], row[-measures:], strict=True)
            sums[tagged][1:] = [a + b for a, b in more]
        else:
            sums[tagged] = [keys, *row[-measures:]]
    return [(*keys, *added) for keys, *added in sums.values()]


def _hashable(value: Any) -> Any:
    return tuple(map(_hashable, value)) if isinstance(value, (list, tuple)) else value


def complete(rows: list[Row], names: Sequence[str], columns: Request, origin: Origin) -> list[Row]:
    """The rows with a value in each of the columns; others are refused, or skipped."""
    at, labels = len(columns.by), (columns.true, *columns.preds)
    gaps = [("label" if name in labels else "cluster", name) for name in names]
    lacking = dict.fromkeys(gaps, 0)
    kept, bad = [], 0
    for row in rows:
        values = zip(gaps, row[at:], strict=False)
        gap = next((gap for gap, value in values if is_missing(value)), None)
        if gap is None:
            kept.append(row)
            bad += row[-1]
        else:
            lacking[gap] += row[-MEASURES]  # an item that lacks several is one item
    total = int(sum(row[-MEASURES] for row in rows))
    report_lacking({**lacking, ("weight", columns.weights or ""): bad}, total, origin)
    return kept


def report_lacking(
    lacking: Mapping[tuple[str, str], float],
    total: int,
    origin: Origin,
    first: Callable[[str], str] = lambda name: "",
) -> None:
    """Raise for what items lack, or warn that they are skipped.

    ``lacking``: how many items lack a label, cluster, weight, finite number or distribution, and in
    which column.
    """
    missing = [(what, name, int(n)) for (what, name), n in lacking.items() if n]
    if origin.skip:
        origin.say_skipped([_skipped(*each) for each in missing], total)
        return
    for what, name, n in missing:
        where = origin.where(name)
        if what == "weight":
            raise WeightError(
                f"{origin.name}: {n:,} of the {total:,} items have no valid weight in column "
                f"{name!r}{where}. Weights are finite numbers and not negative."
            )
        told = f"{origin.name}: column {name!r} has no {what} in {n:,} of its {total:,} items"
        if what in ("label", "cluster"):
            raise LabelError(f"{told}{where}. Fill it in or drop the item.")
        raise InputError(f"{told}{where or first(name)}. Fix it or drop the item.")


def _skipped(what: str, name: str, n: int) -> str:
    if what == "weight":
        return f"{n:,} with a bad weight in {name!r}"
    if what == "distribution":
        return f"{n:,} whose probabilities are not a distribution"
    return f"{n:,} without a {what} in {name!r}"


def is_missing(value: object) -> bool:
    """None, NaN, or what pandas says for missing."""
    if type(value) in _PRESENT:  # the usual, and quicker
        return False
    if isinstance(value, (list, tuple)):
        return False
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def labels_of(
    sides: Sequence[tuple[str, Iterable[Any]]], origin: Origin, declared: Labels | None
) -> list[Values]:
    """What the values of some columns stand for; all texts are read the same way."""
    distinct = [{_typed(value, name, origin): value for value in values} for name, values in sides]
    readings = [origin.reading_of(name) for name, _ in sides]
    written = [side for side, how in zip(distinct, readings, strict=True) if how == "text"]
    texts = sorted({text for side in written for _, text in side})
    as_strings = declared is not None and declared.kind == "str"
    names = iter(texts) if as_strings else from_text(texts)
    label: dict[Any, Label] = dict(zip(texts, names, strict=True))

    def read(value: Any, how: Reading, column: str) -> Label:
        if how == "text":
            return label[value]
        return _plain(json.loads(value) if how == "json" else value, column, origin)

    return [
        {key: read(value, how, name) for key, value in side.items()}
        for side, how, (name, _) in zip(distinct, readings, sides, strict=True)
    ]


def _typed(value: Any, column: str, origin: Origin) -> tuple[type, Any]:
    """A key that tells 1, 1.0 and True apart."""
    if isinstance(value, (list, dict)):
        _plain(value, column, origin)  # says that it cannot be a label
    return type(value), value


def _plain(value: Any, column: str, origin: Origin) -> Label:
    try:
        return plain(value)
    except LabelError as error:
        raise LabelError(f"{origin.name}, column {column!r}: {error}") from None


def one_kind(values: Sequence[Values], names: Sequence[str], origin: Origin) -> Labels:
    """The classes of all columns in order, which must be of one kind."""
    kinds = [sorted({str(kind_of(label)) for label in side.values()}) for side in values]
    for kind, side in zip(kinds, values, strict=True):
        if len(kind) > 1:
            a, b = kind[:2]
            raise LabelError(
                f"{origin.name}: a column mixes label types: {_example(side, a)} and "
                f"{_example(side, b)}. Use one type throughout."
            )
    for name, kind, side in zip(names[1:], kinds[1:], values[1:], strict=True):
        if kind != kinds[0]:
            first, other = _example(values[0], kinds[0][0]), _example(side, kind[0])
            raise LabelError(
                f"{origin.name}: label types differ: column {names[0]!r} holds {first}, column "
                f"{name!r} {other}. Convert one, so that equal classes are equal values."
            )
    return Labels.sorted({label for side in values for label in side.values()})


def _example(side: Values, kind: str) -> str:
    """The first label of a kind, regardless of an engine's order."""
    label = min((x for x in side.values() if str(kind_of(x)) == kind), key=str)
    return f"{label!r} ({kind})"


def slice_key(values: Sequence[Any], reading: Reading) -> Key:
    """A slice's values as plain Python: one None for whatever is missing, 3 for 3.0."""
    return tuple(plain_value(value, reading) for value in values)


def plain_value(value: Any, reading: Reading) -> Any:
    """The value of a slice or of a cluster as plain Python."""
    if is_missing(value):
        return None
    if reading == "json":
        value = json.loads(value)
        value = str(value) if isinstance(value, (list, dict)) else value
    value = value.item() if hasattr(value, "item") else value
    return int(value) if isinstance(value, float) and value.is_integer() else value


def cluster_name(value: Any, reading: Reading) -> int | str:
    """The name of a cluster: a whole number, or a text."""
    plain = plain_value(value, reading)
    return plain if isinstance(plain, (int, str)) else str(plain)
