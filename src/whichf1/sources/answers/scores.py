"""A dataframe or file of true classes and scores → the classes and scores of its items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from whichf1 import kernel
from whichf1.errors import InputError, ShapeError
from whichf1.sources.answers.rows import (
    Origin,
    cluster_name,
    labels_of,
    one_kind,
    refuse_missing,
    refuse_weights,
    slice_key,
)
from whichf1.sources.engines.gather import gather
from whichf1.sources.questions.lines import KEY, Lines, Scoring, bad_weights, gaps_in
from whichf1.sources.request import Columns
from whichf1.sources.sought import Sought, classes_of_columns
from whichf1.tables.cells import Array
from whichf1.tables.labels import Labels
from whichf1.tables.slices import Key, order


class Scored(NamedTuple):
    """True classes and scores, line by line."""

    true: Any
    """The class of each line: a list of labels, or an array of integers or booleans."""
    scores: Array
    """(lines, columns)."""
    items: Array | None
    """How many items a line stands for; None where each is one."""
    weights: Array | None
    """The weight of each line, or of each of its items where they are kept apart."""
    squares: Array | None
    """The sum of squared weights, where they are added up."""
    cluster: Any
    """The cluster of each line."""
    labels: Any
    """The classes, in the order of the columns where there are several."""
    keys: tuple[Key, ...] = ()
    """The slices, in order; none where there are no slices."""
    slices: Array | None = None
    """The place of each line's slice among them."""

    def of_slice(self, at: int) -> Scored:
        """The lines of one slice."""
        places = np.flatnonzero(self.slices == at)
        parts = {name: _at(getattr(self, name), places) for name in _BY_LINE}
        return self._replace(**parts, keys=())

    def single(self) -> Scored:
        """Items with weights one by one: each is drawn, and changes places, by itself."""
        if self.items is None or self.weights is None:
            return self
        at = np.repeat(np.arange(len(self.items)), self.items)
        parts = {name: _at(getattr(self, name), at) for name in _BY_LINE}
        return self._replace(**{**parts, "items": None, "squares": None})

    def summed(self) -> Scored:
        """With the weights of the items of a line added up, whatever their clusters."""
        if self.items is None or self.weights is None:
            return self._replace(cluster=None)
        return self._replace(weights=self.items * self.weights, cluster=None)


_BY_LINE = ("true", "scores", "items", "weights", "squares", "cluster", "slices")


def _at(values: Any, places: Array) -> Any:
    if values is None or isinstance(values, np.ndarray):
        return values if values is None else values[places]
    return [values[at] for at in places]


def read_scores(
    data: Any, predictions: Any, sought: Sought, *, apart: bool = False, fair: bool = False
) -> Scored:
    """The true classes and the scores in the columns of a frame or file.

    They are grouped where the data is: what is alike comes as one line, but for a frame in memory.
    Weights are added up unless items are to stay ``apart``. ``fair``: each item must have a
    distribution over the classes.
    """
    found, columns, origin = gather(
        data, predictions, sought.wanted, Scoring(apart), **sought.reading
    )
    scored = _scored(found[KEY], columns, origin, sought.labels)
    if fair:
        _refuse_unfair(scored.scores, origin)
    if sought.several and sought.labels is None:
        return scored._replace(labels=classes_of_columns(columns.preds, scored.true))
    return scored


def _refuse_unfair(scores: Array, origin: Origin) -> None:
    at = kernel.first_bad_row(scores)
    if at < len(scores):
        shown = ", ".join(f"{x:g}" for x in scores[at, :8])
        raise InputError(
            f"{origin.name}, item {at + 1:,}: the probabilities {shown} are no distribution: each "
            f"lies in [0, 1], and they add up to 1, not to {scores[at].sum():g}. Mend the item."
        )


def _scored(parts: Sequence[Lines], columns: Columns, origin: Origin, labels: Any) -> Scored:
    declared = None if labels is None else Labels(labels)
    if not sum(len(each.scores) for each in parts) and not origin.skipped:
        raise ShapeError(f"{origin.name} has a header and no items")
    kept = _complete(parts, columns, origin)
    true = _labels([_chosen(x.true, keep) for x, keep in kept], columns, origin, declared)
    if not len(true):
        raise ShapeError(f"{origin.name}: no items are left to count")
    return joined(true, kept, columns, origin, labels)


def joined(
    true: Any,
    kept: Sequence[tuple[Lines, Any]],
    columns: Columns,
    origin: Origin,
    labels: Any,
) -> Scored:
    """The lines that are kept of several parts."""
    cluster = None
    if columns.cluster is not None:
        cells = (cell for x, keep in kept for cell in _chosen(x.cluster, keep))
        cluster = [cluster_name(cell, origin.reading) for cell in cells]
    items, weights, squares = (
        _together([(getattr(x, name), keep) for x, keep in kept])
        for name in ("items", "weights", "squares")
    )
    scores = np.concatenate([x.scores[keep] for x, keep in kept])
    keys: tuple[Key, ...] = ()
    slices = None
    if columns.by:
        values = (zip(*(_chosen(y, keep) for y in x.by), strict=True) for x, keep in kept)
        keys, slices = slices_of([each for part in values for each in part], origin)
    return Scored(true, scores, items, weights, squares, cluster, labels, keys, slices)


def slices_of(values: Sequence[Sequence[Any]], origin: Origin) -> tuple[tuple[Key, ...], Array]:
    """The slices in order, and the place of each line's."""
    found = [slice_key(each, origin.reading) for each in values]
    keys = tuple(key for key, _ in sorted(dict.fromkeys(found).items(), key=order))
    place = {key: at for at, key in enumerate(keys)}
    return keys, np.array([place[key] for key in found], np.intp)


def _together(parts: Sequence[tuple[Array | None, Any]]) -> Array | None:
    found = [values[keep] for values, keep in parts if values is not None]
    return np.concatenate(found) if found else None


def _chosen(values: Any, keep: Any) -> Any:
    if isinstance(values, np.ndarray) or isinstance(keep, slice):
        return values[keep]
    return values if keep.all() else [values[at] for at in np.flatnonzero(keep)]


def _complete(
    parts: Sequence[Lines], columns: Columns, origin: Origin
) -> list[tuple[Lines, Array]]:
    """Which lines are good; the others are refused, or left out with a word."""
    lacking = dict.fromkeys(columns.used, 0)
    kept, total = [], 0
    for lines in parts:
        n = np.ones(len(lines.scores), np.int64) if lines.items is None else lines.items
        total += int(n.sum())
        keep = np.ones(len(n), np.bool_)
        for name, bad in _bad(lines, columns):
            lacking[name] += int(n[keep & bad].sum())  # an item that lacks several is one item
            keep &= ~bad
        if columns.weights is not None:
            wrong = bad_weights(lines)
            lacking[columns.weights] += int(wrong[keep].sum())
            keep &= wrong < n
        kept.append((lines, keep))
    unlabelled = any(gaps_in(x.true).any() for x in parts)
    report_lacking(lacking, total, columns, origin, unlabelled, _first(parts, columns))
    return kept


def report_lacking(
    lacking: Mapping[str, int],
    total: int,
    columns: Columns,
    origin: Origin,
    unlabelled: bool,
    first: Callable[[str], str] = lambda name: "",
) -> None:
    """Raise for columns that lack something, or say what is left out.

    ``unlabelled``: a true class is missing, and not a score in the same column.
    """
    missing = {name: lacks for name, lacks in lacking.items() if lacks}
    if origin.skip:
        origin.say_skipped([_said(x, lacks, columns) for x, lacks in missing.items()], total)
        return
    for name, lacks in missing.items():
        if name == columns.weights:
            refuse_weights(lacks, total, columns, origin)
        if (unlabelled and name == columns.true) or name not in columns.preds:
            what = "cluster" if name == columns.cluster else "label"
            refuse_missing(name, lacks, total, origin, what)
        where = origin.where(name) or first(name)
        raise InputError(
            f"{origin.name}: column {name!r} has no finite number in {lacks:,} of its {total:,} "
            f"items{where}. Fix it or drop the item."
        )


def _first(parts: Sequence[Lines], columns: Columns) -> Callable[[str], str]:
    """Where the first bad score of a column stands, in items that are in order."""

    def first(name: str) -> str:
        if len(parts) > 1 or not parts[0].ordered:
            return ""
        scores = parts[0].scores[:, columns.preds.index(name)]
        at = int(np.argmin(np.isfinite(scores)))
        return f"; the first is row {at} ({scores[at]})"

    return first


def _bad(lines: Lines, columns: Columns) -> list[tuple[str, Array]]:
    found = [(columns.true, gaps_in(lines.true))]
    found += zip(columns.preds, ~np.isfinite(lines.scores).T, strict=True)
    return found if columns.cluster is None else [*found, (columns.cluster, gaps_in(lines.cluster))]


def _said(name: str, n: int, columns: Columns) -> str:
    if name == columns.weights:
        return f"{n:,} with a bad weight in {name!r}"
    if name not in columns.used:
        return f"{n:,} whose probabilities are no distribution"
    what = {columns.true: "a label", columns.cluster: "a cluster"}.get(name, "a finite number")
    return f"{n:,} without {what} in {name!r}"


def _labels(parts: Sequence[Any], columns: Columns, origin: Origin, declared: Any) -> Any:
    """The class of each line."""
    typed = origin.reading_of(columns.true) == "typed"
    if typed and all(isinstance(x, np.ndarray) and x.dtype.kind in "iub" for x in parts):
        return np.concatenate(parts)
    values = [value for part in parts for value in part]
    texts = set(map(type, values)) == {str}
    distinct = set(values) if texts else values  # 1, 1.0 and True are equal to a set
    (meaning,) = labels_of([(columns.true, distinct)], origin, declared)
    if meaning:
        one_kind([meaning], [columns.true], origin)
    if texts:
        label = {value: label for (_, value), label in meaning.items()}
        return [label[value] for value in values]
    return [meaning[type(value), value] for value in values]
