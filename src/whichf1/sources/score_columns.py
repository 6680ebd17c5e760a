"""A dataframe or file of true classes and scores → the classes and scores of its items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

from whichf1 import kernel
from whichf1.errors import InputError, LabelError, ShapeError
from whichf1.labels import Label, Labels, from_text
from whichf1.sources.cells import (
    Origin,
    labels_of,
    one_kind,
    plain_value,
    refuse_missing,
    refuse_weights,
)
from whichf1.sources.columns import Columns, Wanted, one_name, one_or_several
from whichf1.sources.gathering import gather
from whichf1.sources.lines import KEY, Lines, Scoring, bad_weights, gaps_in
from whichf1.table import Array


class Scored(NamedTuple):
    """True classes and scores, line by line."""

    true: Any
    """The class of each line: a list of labels, or an array of integers or booleans."""
    scores: Array
    """(lines, columns)."""
    items: Array | None
    """How many items a line stands for; None where each is one."""
    weights: Array | None
    """The weight of each line."""
    cluster: Any
    """The cluster of each line."""
    labels: Any
    """The classes, in the order of the columns where there are several."""

    def each(self) -> Scored:
        """A line for each item, those that were grouped by class and score."""
        if self.items is None or self.weights is not None:
            return self
        codes = np.unique(self.true, return_inverse=True)[1]
        order = np.lexsort((self.scores[:, 0], codes))  # however the engine has ordered them
        at = np.repeat(order, self.items[order])
        true = self.true[at] if isinstance(self.true, np.ndarray) else [self.true[x] for x in at]
        return self._replace(true=true, scores=self.scores[at], items=None)


def read_scores(
    data: Any,
    predictions: Any = None,
    *,
    score: Any = None,
    true: Any = None,
    weights: Any = None,
    cluster: Any = None,
    labels: Any = None,
    systems: bool = False,
    by_item: bool = False,
    distributions: bool = False,
    **reading: Any,
) -> Scored:
    """The true classes and the scores in the columns of a frame or file.

    One column of scores is grouped where the data is: what is alike comes as one line. Several
    are of a class each, or of a system each, and come item by item, as one does where
    ``by_item`` asks for it. ``distributions``: each item must have one over the classes.
    """
    if isinstance(score, Mapping):
        if labels is not None:
            raise InputError("score= names a column for each class: leave labels= out")
        labels, score = list(score), list(score.values())
    own, several = {k: v for k, v in reading.items() if v is not None}, not isinstance(score, str)
    columns = one_or_several(score, "score")
    wanted = Wanted(
        one_name(true, "true"),
        columns,
        one_name(weights, "weights"),
        cluster=one_name(cluster, "cluster"),
        scores=True,
    )
    refuse_other_order(columns, labels)
    grouped = cluster is None and not by_item and (columns is None or len(columns) == 1)
    found, columns_, origin = gather(data, predictions, wanted, Scoring(grouped), **own)
    scored = _scored(found[KEY], columns_, origin, labels)
    if distributions:
        _refuse_unfair(scored.scores, origin)
    if several and columns is not None and labels is None and not systems:
        return scored._replace(labels=classes_of_columns(columns, scored.true))
    return scored


def _refuse_unfair(scores: Array, origin: Origin) -> None:
    at = kernel.first_bad_row(scores)
    if at < len(scores):
        shown = ", ".join(f"{x:g}" for x in scores[at, :8])
        raise InputError(
            f"{origin.name}, item {at + 1:,}: the probabilities {shown} are no distribution: each "
            f"lies in [0, 1], and they add up to 1, not to {scores[at].sum():g}. Mend the item."
        )


def refuse_other_order(columns: Sequence[str] | None, labels: Any) -> None:
    """Raise where columns are named like the declared classes, and in another order."""
    names = None if labels is None else [str(label) for label in labels]
    if columns is None or names is None or [*columns] == names:
        return
    if len(columns) > 1 and sorted(columns) == sorted(names):
        raise InputError(
            f"the columns {', '.join(columns)} are named like the classes, and labels= has them in "
            "another order. Leave labels= out, or give score={class: column}."
        )


def classes_of_columns(columns: Sequence[str], true: Any) -> list[Label]:
    """The classes that columns of scores are named after."""
    observed = set(np.unique(true).tolist() if isinstance(true, np.ndarray) else true)
    readings: tuple[list[Label], ...] = ([*from_text(columns)], [*columns])
    for names in readings:
        if all(any(x == y and type(x) is type(y) for y in names) for x in observed):
            return names
    raise LabelError(
        f"which class is each of the columns {', '.join(columns)} of? Give labels= in their order, "
        f"or score={{class: column}}. The classes: {sorted(observed)[:20]!r}"
    )


def _scored(parts: Sequence[Lines], columns: Columns, origin: Origin, labels: Any) -> Scored:
    declared = None if labels is None else Labels(labels)
    if not sum(len(each.scores) for each in parts) and not origin.skipped:
        raise ShapeError(f"{origin.name} has a header and no items")
    kept = _complete(parts, columns, origin)
    true = _labels([_chosen(x.true, keep) for x, keep in kept], columns, origin, declared)
    if not len(true):
        raise ShapeError(f"{origin.name}: no items are left to count")
    cluster = None
    if columns.cluster is not None:
        cells = (cell for x, keep in kept for cell in _chosen(x.cluster, keep))
        cluster = [plain_value(cell, origin.reading) for cell in cells]
    return Scored(
        true,
        np.concatenate([x.scores[keep] for x, keep in kept]),
        _together([(x.items, keep) for x, keep in kept]),
        _together([(x.weights, keep) for x, keep in kept]),
        cluster,
        labels,
    )


def _together(parts: Sequence[tuple[Array | None, Array]]) -> Array | None:
    found = [values[keep] for values, keep in parts if values is not None]
    return np.concatenate(found) if found else None


def _chosen(values: Any, keep: Array) -> Any:
    if isinstance(values, np.ndarray):
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
    missing = {name: lacks for name, lacks in lacking.items() if lacks}
    if origin.skip:
        origin.say_skipped([_said(x, lacks, columns) for x, lacks in missing.items()], total)
        return kept
    for name, lacks in missing.items():
        _refuse(name, lacks, total, parts, columns, origin)
    return kept


def _bad(lines: Lines, columns: Columns) -> list[tuple[str, Array]]:
    found = [(columns.true, gaps_in(lines.true))]
    found += zip(columns.preds, ~np.isfinite(lines.scores).T, strict=True)
    return found if columns.cluster is None else [*found, (columns.cluster, gaps_in(lines.cluster))]


def _said(name: str, n: int, columns: Columns) -> str:
    if name == columns.weights:
        return f"{n:,} with a bad weight in {name!r}"
    what = {columns.true: "a label", columns.cluster: "a cluster"}.get(name, "a finite number")
    return f"{n:,} without {what} in {name!r}"


def _refuse(
    name: str, n: int, total: int, parts: Sequence[Lines], columns: Columns, origin: Origin
) -> NoReturn:
    if name == columns.weights:
        refuse_weights(n, total, columns, origin)
    unlabelled = name == columns.true and any(gaps_in(x.true).any() for x in parts)
    if unlabelled or name not in columns.preds:
        refuse_missing(name, n, total, origin, "cluster" if name == columns.cluster else "label")
    where = origin.where(name)
    if not where and len(parts) == 1 and parts[0].ordered:
        scores = parts[0].scores[:, columns.preds.index(name)]
        at = int(np.argmin(np.isfinite(scores)))
        where = f"; the first is row {at} ({scores[at]})"
    raise InputError(
        f"{origin.name}: column {name!r} has no finite number in {n:,} of its {total:,} items"
        f"{where}. Fix it or drop the item."
    )


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
