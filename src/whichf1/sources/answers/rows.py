"""Rows that an engine has grouped → Counts, by slice and by cluster.

A row is ``(*slice, true, predicted, items, weight, squares, bad)``: items of the group, the sums
of their weights and of the squared weights, and how many weights are invalid. If systems are
counted together, it has a prediction of each, then the cluster, if there is one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from whichf1.errors import InputError, LabelError, WeightError, numbered, verb
from whichf1.sources.questions.grouped import MEASURES
from whichf1.sources.request import Origin, Reading, Request, Row
from whichf1.sources.sequences import is_missing, refuse_many
from whichf1.tables.cells import Array
from whichf1.tables.counts import Counts
from whichf1.tables.labels import (
    Label,
    Labels,
    from_text,
    kind_of,
    plain,
    refuse_scores,
    shortened,
)
from whichf1.tables.slices import Key, Slices, order
from whichf1.tables.units import cluster_labels

Parts: TypeAlias = Mapping[str, list[Row]]
"""The rows of each prediction column; only of the first one if all are counted together."""
Side: TypeAlias = tuple[str, Reading, Iterable[Any]]
"""A column: its name, what its values are, and the values."""
Values: TypeAlias = dict[tuple[type, Any], Label]
"""What each value of a column stands for; 1, 1.0 and True are distinguished by their types."""


def tally(parts: Parts, columns: Request, origin: Origin) -> dict[str, Slices]:
    """The counts of each prediction column, by slice."""
    width = len(columns.by)
    kept = {pred: complete(rows, pred, columns, origin) for pred, rows in parts.items()}
    sides = [
        (name, origin.reading_of(name), [row[width + at] for row in rows])
        for pred, rows in kept.items()
        for at, name in enumerate((columns.true, pred))
    ]
    values = labels_of(sides, origin, columns.labels)
    slices = {}
    for at, (pred, rows) in enumerate(kept.items()):
        pair = values[2 * at : 2 * at + 2]
        classes = one_kind(pair, (columns.true, pred), origin)
        counts = {
            key: _counts(some, columns, pair, classes, origin)
            for key, some in by_slice(rows, columns, origin)
        }
        slices[pred] = Slices(columns.by, counts)
    return slices


def tally_together(parts: Parts, columns: Request, origin: Origin) -> Slices:
    """The predictions of several systems on the same items, by slice."""
    rows, width = complete_together(parts, columns, origin), len(columns.by)
    names = (columns.true, *columns.preds)
    sides = [
        (name, origin.reading_of(name), [row[at] for row in rows])
        for at, name in enumerate(names, width)
    ]
    values = labels_of(sides, origin, columns.labels)
    classes = one_kind(values, names, origin)
    counts = {
        key: _counts(some, columns, values, classes, origin)
        for key, some in by_slice(rows, columns, origin)
    }
    return Slices(columns.by, counts)


def by_slice(rows: Iterable[Row], columns: Request, origin: Origin) -> list[tuple[Key, list[Row]]]:
    """The rows of each slice in order, without the slice columns."""
    groups: dict[Key, list[Row]] = {}
    at = len(columns.by)
    for row in rows:
        groups.setdefault(slice_key(row[:at], origin.reading), []).append(row[at:])
    return sorted(groups.items(), key=order)


def complete_together(parts: Parts, columns: Request, origin: Origin) -> list[Row]:
    """The complete rows of predictions that are counted together."""
    ((pred, rows),) = parts.items()
    return complete(rows, pred, columns, origin)


def complete(rows: list[Row], pred: str, columns: Request, origin: Origin) -> list[Row]:
    """The rows with a value in each column; others are refused, or skipped."""
    at, labels = len(columns.by), (columns.true, *columns.preds)
    names = (columns.true, *(columns.together if columns.joint else (pred,)))
    gaps = [("label" if name in labels else "cluster", name) for name in names]
    lacking = dict.fromkeys(gaps, 0)
    kept, bad = [], 0
    for row in rows:
        values = zip(gaps, row[at:], strict=False)
        gap = next((gap for gap, value in values if is_missing(value)), None)
        if gap is None:
            kept += [row] if not columns.whole or row[1 - MEASURES] or row[-1] else []
            bad += row[-1]
        else:
            lacking[gap] += row[-MEASURES]  # an item that lacks several values counts once
    total = int(sum(row[-MEASURES] for row in rows))
    report_lacking({**lacking, ("weight", columns.weights or ""): bad}, total, origin)
    origin.refuse_empty(total, len(kept))
    if columns.weights is None or columns.by:  # a slice without weight is still a slice
        return kept
    return [row for row in kept if row[1 - MEASURES]]  # an item of weight 0 does not count


def report_lacking(
    lacking: Mapping[tuple[str, str], float],
    total: int,
    origin: Origin,
    first: Callable[[str], str] = lambda name: "",
) -> None:
    """Raise if items lack something, or warn that they are skipped.

    ``lacking``: how many items lack a label, cluster, weight, finite number or distribution, and in
    which column.
    """
    missing = [(what, name, int(n)) for (what, name), n in lacking.items() if n]
    if origin.skip:
        origin.say_skipped([_skipped(*each) for each in missing], total)
        return
    for what, name, n in missing:
        place = origin.locate(what, name)
        where = place.ending
        if what == "weight":
            raise WeightError(
                f"{origin.name}: {n:,} of the {numbered(total, 'item')} "
                f"{verb(n, 'has', 'have')} no valid weight "
                "in column "
                f"{name!r}{where}. Weights must be finite and not negative; "
                "frequencies must be whole numbers."
            )
        if what == "distribution":
            raise InputError(
                f"{origin.name}: the probabilities are not a distribution in {n:,} of its "
                f"{numbered(total, 'item')}{where}. Each must be in [0, 1], and those of an item "
                "must sum to 1. Fix these items."
            )
        of_all = numbered(total, "item")
        told = f"{origin.name}: column {name!r} has no {what} in {n:,} of its {of_all}"
        if what in ("label", "cluster"):
            raise LabelError(f"{told}{where}. Fill it in or drop the item.")
        advice = _advice(place.value) if where else f"{FIX} If it is {TIED}, pass ranks."
        raise InputError(f"{told}{where or first(name)}. {advice}")


FIX = "Fix it or drop the item."
TIED = "an integer beyond 2**53, which would tie with others as a float"


def _advice(value: str | None) -> str:
    """What to do about a score that is not a finite number."""
    text = "" if value is None else value.strip().strip('"').strip()
    if not text:
        return "The cell is empty: fill it in or drop the item."
    if re.fullmatch(r"[+-]?\d*,\d+([eE][+-]?\d+)?", text):
        return "Write numbers with a decimal point, as in 0.7."
    if re.fullmatch(r"[+-]?[\d.,]+\s*%", text):
        return "Write numbers without a percent sign, as in 0.7 for 70%."
    return f"It is {TIED}: pass ranks." if re.fullmatch(r"[+-]?\d+(\.0*)?", text) else FIX


def _skipped(what: str, name: str, n: int) -> str:
    if what == "weight":
        return f"{n:,} with a bad weight in {name!r}"
    if what == "distribution":
        return f"{n:,} whose probabilities are not a distribution"
    return f"{n:,} without a {what} in {name!r}"


def labels_of(sides: Sequence[Side], origin: Origin, labels: Any) -> list[Values]:
    """What the values of some columns stand for; all texts are read the same way."""
    distinct = [{_typed(value, name, origin): value for value in side} for name, _, side in sides]
    written = [side for side, (_, how, _) in zip(distinct, sides, strict=True) if how == "text"]
    texts = sorted({text for side in written for _, text in side})
    as_strings = labels is not None and Labels(labels).kind == "str"
    names = iter(texts) if as_strings else from_text(texts)
    label: dict[Any, Label] = dict(zip(texts, names, strict=True))

    def read(value: Any, how: Reading, column: str) -> Label:
        if how == "text":
            return label[value]
        return plain_label(from_json(value) if how == "json" else value, column, origin)

    meanings = [
        {key: read(value, how, name) for key, value in side.items()}
        for side, (name, how, _) in zip(distinct, sides, strict=True)
    ]
    for (name, _, _), meaning in zip(sides[1:], meanings[1:], strict=True):
        if labels is None:
            told = f"{origin.name}: column {name!r}"
            refuse_scores(meanings[0].values(), meaning.values(), told)
    return meanings


def from_json(text: str) -> Any:
    """What a JSON text stands for."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise LabelError(f"{shortened(text)} cannot be a label: {error}") from None


def _typed(value: Any, column: str, origin: Origin) -> tuple[type, Any]:
    """A key that distinguishes 1, 1.0 and True."""
    if isinstance(value, (list, dict)):
        plain_label(value, column, origin)  # raises that it cannot be a label
    return type(value), value


def plain_label(value: Any, column: str, origin: Origin) -> Label:
    """A value as a label, or an error that names the column."""
    try:
        return plain(value)
    except LabelError as error:
        raise LabelError(f"{origin.name}, column {column!r}: {error}") from None


def one_kind(values: Sequence[Values], names: Sequence[str], origin: Origin) -> Labels:
    """The classes of all columns in order, which must be of one kind."""
    sides = [(name, side) for name, side in zip(names, values, strict=True) if side]
    kinds = [sorted({str(kind_of(label)) for label in side.values()}) for _, side in sides]
    for kind, (name, side) in zip(kinds, sides, strict=True):
        if len(kind) > 1:
            a, b = kind[:2]
            raise LabelError(
                f"{origin.name}: column {name!r} mixes label types: {_example(side, a)} and "
                f"{_example(side, b)}. Use one type throughout."
            )
    for kind, (name, side) in zip(kinds[1:], sides[1:], strict=False):
        if kind != kinds[0]:
            first, other = _example(sides[0][1], kinds[0][0]), _example(side, kind[0])
            raise LabelError(
                f"{origin.name}: label types differ: column {sides[0][0]!r} holds {first}, column "
                f"{name!r} {other}. Convert one, so that equal classes are equal values."
            )
    return Labels.sorted({label for _, side in sides for label in side.values()})


def _example(side: Values, kind: str) -> str:
    """The first label of a kind, regardless of an engine's order."""
    label = min((x for x in side.values() if str(kind_of(x)) == kind), key=str)
    return f"{label!r} ({kind})"


def slice_key(values: Sequence[Any], reading: Reading) -> Key:
    """A slice's values as plain Python: None for anything missing, 3 for 3.0."""
    return tuple(plain_value(value, reading) for value in values)


def plain_value(value: Any, reading: Reading) -> Any:
    """The value of a slice or of a cluster as plain Python."""
    if is_missing(value):
        return None
    if reading == "json":
        value = from_json(value)
        value = str(value) if isinstance(value, (list, dict)) else value
    value = value.item() if hasattr(value, "item") else value
    return int(value) if isinstance(value, float) and value.is_integer() else value


def cluster_name(value: Any, reading: Reading) -> int | str:
    """The name of a cluster: a whole number, or a text."""
    plain = plain_value(value, reading)
    return plain if isinstance(plain, (int, str)) else str(plain)


def sizes_of(rows: list[Row], columns: Request) -> tuple[Array, Array | None]:
    """Items or sums of weights, and the sums of squared weights."""
    if columns.weights is None:
        return np.array([row[-MEASURES] for row in rows], np.int64), None
    weight, squares = (
        np.array([row[at] for row in rows], np.float64) for at in (1 - MEASURES, 2 - MEASURES)
    )
    if not columns.whole:
        return weight, squares
    refuse_many(weight.sum())
    return np.rint(weight).astype(np.int64), None


def _counts(
    rows: list[Row], columns: Request, values: list[Values], classes: Labels, origin: Origin
) -> Counts:
    code = {label: at for at, label in enumerate(classes)}
    true, *predicted = (
        np.array([code[value[type(row[at]), row[at]]] for row in rows], np.intp)
        for at, value in enumerate(values)
    )
    count, squares = sizes_of(rows, columns)
    cluster = names = None
    if columns.cluster is not None:
        cells = [row[len(values)] for row in rows]
        cluster, names = clusters_in(cells, columns.cluster, origin)
    counts = Counts(
        classes,
        true,
        tuple(predicted),
        count,
        squares=squares,
        cluster=cluster,
        cluster_names=names,
        systems=columns.preds if len(predicted) > 1 else ("y_pred",),
        declared=False,
    )
    if columns.labels is None:
        return counts
    try:
        return counts.declare(Labels(columns.labels))
    except LabelError as error:
        raise LabelError(f"{origin.name}: {error}") from None


def clusters_in(cells: list[Any], column: str, origin: Origin) -> tuple[Array, Labels]:
    """The code of each cluster, and their names in order."""
    names = [cluster_name(cell, origin.reading) for cell in cells]
    kinds = {kind_of(name): name for name in names}
    if len(kinds) > 1:
        x, y = list(kinds.values())[:2]
        raise LabelError(
            f"{origin.name}: column {column!r} mixes types of clusters: {x!r} and {y!r}. "
            "Use one type throughout."
        )
    ordered = cluster_labels(names)
    code = {name: at for at, name in enumerate(ordered)}
    return np.array([code[name] for name in names], np.intp), ordered
