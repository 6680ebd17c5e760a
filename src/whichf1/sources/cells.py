"""Rows that an engine has grouped → Counts: where an engine's values become classes.

A row is ``(*slice, true, predicted, items, weight, squares, bad)``: items of the group, the sums
of their weights and of the squared weights, and how many weights are none at all.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, TypeAlias

import numpy as np

from whichf1.counts import Counts
from whichf1.errors import (
    FileError,
    InputError,
    LabelError,
    ShapeError,
    SkippedWarning,
    WeightError,
    did_you_mean,
)
from whichf1.labels import Label, Labels, from_text, kind_of, plain
from whichf1.slices import Key, Slices, order

Row: TypeAlias = tuple[Any, ...]
Reading: TypeAlias = Literal["typed", "text", "json"]
"""What a value is: the engine's own, text whose type is to be found, or a JSON text."""

MEASURES = 4
USUAL_NAMES = (("true", "pred"), ("y_true", "y_pred"), ("gold", "pred"), ("label", "prediction"))


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns are counted."""

    true: str
    preds: tuple[str, ...]
    weights: str | None = None
    by: tuple[str, ...] = ()

    def keys(self, pred: str) -> list[str]:
        """The columns that items are grouped by."""
        return [*self.by, self.true, pred]

    @property
    def used(self) -> list[str]:
        """Every column that is read, once."""
        weights = [] if self.weights is None else [self.weights]
        return [*dict.fromkeys([*self.by, self.true, *self.preds, *weights])]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where rows come from: what messages need to name it."""

    name: str
    """A path in quotes, or 'the pandas frame'."""
    reading: Reading = "typed"
    locate: Callable[[str], str] | None = None
    """Where the first missing label of a column stands; asked only on the way to an error."""
    skip: bool = False
    """Whether items without a label or with a bad weight are left out, with a word."""
    skipped: tuple[str, ...] = ()
    """What the reader has left out already."""


def find_columns(
    available: Sequence[str],
    name: str,
    *,
    true: str | None,
    pred: str | Sequence[str] | None,
    weights: str | None = None,
    by: str | Sequence[str] = (),
) -> Columns:
    """The columns that are meant; the usual names are found by themselves."""
    by = (by,) if isinstance(by, str) else tuple(by)
    preds = None if pred is None else (pred,) if isinstance(pred, str) else tuple(pred)
    for column in (true, *(preds or ()), weights, *by):
        if column is not None:
            _refuse_unknown(column, available, name)
    if len(set(by)) < len(by):
        raise InputError(f"a column stands twice in by={list(by)!r}")
    if preds is not None and (len(set(preds)) < len(preds) or not preds):
        raise InputError(f"name each prediction column once; got {list(preds)!r}")
    if true is None or preds is None:
        true, right = _usual(available, true, preds[0] if preds else None, name)
        preds = preds or (right,)
    columns = Columns(true, preds, weights, by)
    for column in columns.used:
        _refuse_twins(column, available, name)
    return columns


def _usual(
    columns: Sequence[str], true: str | None, pred: str | None, name: str
) -> tuple[str, str]:
    usual = {(true or left, pred or right) for left, right in USUAL_NAMES}
    found = [pair for pair in usual if set(pair) <= set(columns)]
    if len(found) == 1:
        return found[0]
    why = "several columns could be meant" if found else "the columns are not named as usual"
    raise FileError(
        f"{name}: {why}. Its columns: {', '.join(columns)}. Name the two: --true COLUMN "
        "--pred COLUMN, or count(path, true=..., pred=...)."
    )


def _refuse_unknown(column: str, available: Sequence[str], name: str) -> None:
    if column not in available:
        raise FileError(
            f"{name} has no column {column!r}. Its columns: {', '.join(available)}. "
            + did_you_mean(column, available)
        )


def _refuse_twins(column: str, available: Sequence[str], name: str) -> None:
    twins = [each for each in available if each.lower() == column.lower()]
    if len(twins) > 1:
        raise FileError(
            f"{name}: column {twins[1]!r} stands twice in the header "
            "(upper and lower case count as the same). Rename one."
        )


def merged(rows: Iterable[Row]) -> list[Row]:
    """Rows of several parts as one row for each group; 1, 1.0 and True stay apart."""
    sums: dict[Any, list[Any]] = {}
    for row in rows:
        keys = tuple(None if is_missing(value) else value for value in row[:-MEASURES])
        tagged = (keys, tuple(map(type, keys)))
        if tagged in sums:
            sums[tagged] = [a + b for a, b in zip(sums[tagged], row[-MEASURES:], strict=True)]
        else:
            sums[tagged] = list(row[-MEASURES:])
    return [(*keys, *measures) for (keys, _), measures in sums.items()]


def tally(
    parts: Mapping[str, list[Row]], columns: Columns, origin: Origin, labels: Any
) -> dict[str, Slices]:
    """The counts of each prediction column, by slice."""
    if not any(parts.values()) and not origin.skipped:
        raise ShapeError(f"{origin.name} has a header and no items")
    kept = {pred: _complete(rows, pred, columns, origin) for pred, rows in parts.items()}
    declared = None if labels is None else Labels(labels)
    values = _classes(kept, columns, origin, declared)
    return {
        pred: _slices(rows, columns, values[pred], origin, declared) for pred, rows in kept.items()
    }


def _complete(rows: list[Row], pred: str, columns: Columns, origin: Origin) -> list[Row]:
    """The rows with both labels; the others are refused, or left out with a word."""
    at = len(columns.by)
    lacking = {columns.true: 0, pred: 0}
    kept, bad = [], 0
    for row in rows:
        gaps = [
            name
            for name, value in zip(lacking, row[at : at + 2], strict=False)
            if is_missing(value)
        ]
        for name in gaps:
            lacking[name] += row[-MEASURES]
        if not gaps:
            kept.append(row)
            bad += row[-1]
    total = sum(row[-MEASURES] for row in rows)
    missing = {name: int(n) for name, n in lacking.items() if n}
    if origin.skip:
        _say_skipped(missing, int(bad), total, columns, origin)
        return kept
    for name, n in missing.items():
        _refuse_missing(name, n, total, origin)
    if bad:
        raise WeightError(
            f"{origin.name}: {int(bad):,} of the {total:,} items have no good weight in column "
            f"{columns.weights!r}{_where(columns.weights, origin)}. "
            "Weights are finite numbers and not negative."
        )
    return kept


def is_missing(value: object) -> bool:
    """None, NaN, or what pandas says for missing."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def _refuse_missing(column: str, missing: int, total: int, origin: Origin) -> NoReturn:
    raise LabelError(
        f"{origin.name}: column {column!r} has no label in {missing:,} of its {total:,} items"
        f"{_where(column, origin)}. Fill it in or drop the item."
    )


def _where(column: str | None, origin: Origin) -> str:
    found = origin.locate(column) if origin.locate is not None and column is not None else ""
    return f"; {found}" if found else ""


def _say_skipped(
    missing: dict[str, int], bad: int, total: int, columns: Columns, origin: Origin
) -> None:
    said = list(origin.skipped)
    or_broken = " or not a JSON object" if origin.reading == "json" else ""
    said += [f"{n:,} without a label in {name!r}{or_broken}" for name, n in missing.items()]
    said += [f"{bad:,} with a bad weight in {columns.weights!r}"] if bad else []
    if said:
        warnings.warn(
            SkippedWarning(f"{origin.name}: skipped {', '.join(said)}; {total:,} items were read"),
            stacklevel=2,
        )


def _classes(
    parts: Mapping[str, list[Row]], columns: Columns, origin: Origin, declared: Labels | None
) -> dict[str, list[dict[Any, Label]]]:
    """For each prediction column, what each value of the true and of that column stands for."""
    at = len(columns.by)
    found = {
        pred: [{(type(row[i]), row[i]): row[i] for row in rows} for i in (at, at + 1)]
        for pred, rows in parts.items()
    }
    if origin.reading == "text":
        texts = sorted({text for sides in found.values() for side in sides for _, text in side})
        as_strings = declared is not None and declared.kind == "str"
        label = dict(zip(texts, texts if as_strings else from_text(texts), strict=True))
        return {
            pred: [{key: label[key[1]] for key in side} for side in sides]
            for pred, sides in found.items()
        }
    decode = json.loads if origin.reading == "json" else lambda value: value
    return {
        pred: [
            {key: _plain(decode(value), column, origin) for key, value in side.items()}
            for side, column in zip(sides, (columns.true, pred), strict=True)
        ]
        for pred, sides in found.items()
    }


def _plain(value: Any, column: str, origin: Origin) -> Label:
    try:
        return plain(value)
    except LabelError as error:
        raise LabelError(f"{origin.name}, column {column!r}: {error}") from None


def _slices(
    rows: list[Row],
    columns: Columns,
    values: list[dict[Any, Label]],
    origin: Origin,
    declared: Labels | None,
) -> Slices:
    if not rows:
        raise ShapeError(f"{origin.name}: no items are left to count")
    names = _one_kind(values, columns, origin)
    groups: dict[Key, list[Row]] = {}
    at = len(columns.by)
    for row in rows:
        groups.setdefault(slice_key(row[:at], origin.reading), []).append(row)
    parts = {
        key: _counts(group, at, values, names, columns.weights is not None)
        for key, group in sorted(groups.items(), key=order)
    }
    if declared is not None:
        try:
            parts = {key: part.declare(declared) for key, part in parts.items()}
        except LabelError as error:
            raise LabelError(f"{origin.name}: {error}") from None
    return Slices(columns.by, parts)


def _one_kind(values: list[dict[Any, Label]], columns: Columns, origin: Origin) -> Labels:
    sides = [{kind_of(label): label for label in side.values()} for side in values]
    for side in sides:
        if len(side) > 1:
            (a, x), (b, y) = list(side.items())[:2]
            raise LabelError(
                f"{origin.name}: a column mixes label types: {x!r} ({a}) and {y!r} ({b}). "
                "Use one type throughout."
            )
    (left, x), (right, y) = (next(iter(side.items())) for side in sides)
    if left != right:
        raise LabelError(
            f"{origin.name}: label types differ: column {columns.true!r} holds {x!r} ({left}), the "
            f"predictions {y!r} ({right}). Convert one, so that equal classes are equal values."
        )
    return Labels.sorted({label for side in values for label in side.values()})


def _counts(
    rows: list[Row], at: int, values: list[dict[Any, Label]], names: Labels, weighted: bool
) -> Counts:
    code = {label: i for i, label in enumerate(names)}
    sides = [
        np.array([code[value[type(row[i]), row[i]]] for row in rows], np.intp)
        for i, value in enumerate(values, at)
    ]
    measure = 1 - MEASURES if weighted else -MEASURES
    dtype = np.float64 if weighted else np.int64
    count = np.array([row[measure] for row in rows], dtype)
    squares = np.array([row[2 - MEASURES] for row in rows], np.float64) if weighted else None
    return Counts(names, sides[0], sides[1], count, declared=False, squares=squares)


def slice_key(values: Sequence[Any], reading: Reading) -> Key:
    """A slice's values as plain Python: one None for whatever is missing, 3 for 3.0."""
    return tuple(_slice_value(value, reading) for value in values)


def _slice_value(value: Any, reading: Reading) -> Any:
    if is_missing(value):
        return None
    if reading == "json":
        value = json.loads(value)
        return str(value) if isinstance(value, (list, dict)) else value
    value = value.item() if hasattr(value, "item") else value
    return int(value) if isinstance(value, float) and value.is_integer() else value
