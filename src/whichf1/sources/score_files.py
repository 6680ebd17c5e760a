"""A file of true classes with scores, probabilities or sets of labels → arrays."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from whichf1.errors import FileError, InputError, LabelError, ShapeError
from whichf1.labels import Label, Labels, from_text
from whichf1.multilabel import MultiLabelCounts
from whichf1.sources import csv_file as files
from whichf1.sources.multilabel import count_multilabel
from whichf1.table import Array

USUAL_SCORES = ("score", "y_score", "prob", "probability")
USUAL_TRUE = tuple(dict.fromkeys(true for true, _ in files.USUAL_NAMES))


class Scored(NamedTuple):
    """The columns of a file of scores."""

    true: list[Label]
    scores: Array
    """(items, columns)."""
    weights: Array | None
    cluster: Array | None = None
    """The cluster of each item, as text."""


def read_scores(
    path: str | os.PathLike[str],
    *,
    scores: Sequence[str] | None = None,
    true: str | None = None,
    weights: str | None = None,
    labels: Any = None,
    cluster: str | None = None,
) -> Scored:
    """The true class, scores, weight and cluster of each item of a CSV file with a header."""
    name = os.fspath(path)
    columns = files._header(Path(path))
    files._refuse_unknown(columns, (true, weights, cluster, *(scores or ())), name)
    own = true or _find(columns, USUAL_TRUE, "the true classes: --true COLUMN", name)
    chosen = list(scores or [_find(columns, USUAL_SCORES, "the scores: --score COLUMN", name)])
    wanted = [*chosen, *([weights] if weights else [])]
    with files._relation(name, columns) as run:
        texts = [own, *([cluster] if cluster else [])]
        for each in texts:
            files._refuse_gaps(run, name, each, each, None)
        _refuse_text(run, name, wanted)
        casts = ", ".join(f"CAST({files._quote(column)} AS DOUBLE)" for column in wanted)
        keys = ", ".join(map(files._quote, texts))
        rows = run(f"SELECT {casts}, {keys} FROM items")
    if not rows:
        raise ShapeError(f"{name!r} has a header and no items")
    at = len(wanted)
    values = np.array([row[:at] for row in rows], np.float64)
    weight = values[:, len(chosen)] if weights else None
    group = np.array([row[-1] for row in rows]) if cluster else None
    true_labels = _labels([row[at] for row in rows], labels)
    return Scored(true_labels, values[:, : len(chosen)], weight, group)


def _labels(texts: list[str], declared: Any) -> list[Label]:
    """Classes as numbers where all are written as one, unless they are declared as text."""
    distinct = sorted(set(texts))
    as_text = declared is not None and Labels(declared).kind == "str"
    label = dict(zip(distinct, distinct if as_text else from_text(distinct), strict=True))
    return [label[text] for text in texts]


def _find(columns: list[str], usual: Sequence[str], what: str, name: str) -> str:
    found = [column for column in columns if column in usual]
    if len(found) == 1:
        return found[0]
    why = "several columns could be meant" if found else "no column is named as usual"
    raise FileError(f"{name!r}: {why}. Its columns: {', '.join(columns)}. Name {what}.")


def _refuse_text(run: Any, name: str, columns: list[str]) -> None:
    for column in columns:
        number = f"try_cast({files._quote(column)} AS DOUBLE)"
        bad = f"{number} IS NULL OR NOT isfinite({number})"
        numbered = f"SELECT row_number() OVER () AS row, {files._quote(column)} AS cell FROM items"
        cell = bad.replace(files._quote(column), "cell")
        found = run(f"SELECT row, cell FROM ({numbered}) WHERE {cell} ORDER BY row LIMIT 1")
        if found:
            row, text = found[0]
            raise InputError(
                f"{name!r}: column {column!r} holds {text!r} in item {row:,}, which is no finite "
                "number. Fix it or drop the item."
            )


def count_label_sets(
    path: str | os.PathLike[str],
    separator: str,
    *,
    true: str | None = None,
    pred: str | None = None,
    labels: Any = None,
    weights: str | None = None,
) -> MultiLabelCounts:
    """Count the sets of labels in two columns whose cells list labels; an empty cell has none."""
    if not separator:
        raise InputError("the separator of labels is empty: give one, as --labels-sep ';'")
    name = os.fspath(path)
    columns = files._header(Path(path))
    files._refuse_unknown(columns, (true, pred, weights), name)
    left, right = files._find_columns(columns, true, pred, name)
    with files._relation(name, columns) as run:
        if weights:
            files._refuse_gaps(run, name, weights, weights, weights)
        measure = f"sum(CAST({files._quote(weights)} AS DOUBLE))" if weights else "count(*)"
        sides = [f"coalesce({files._quote(column)}, '')" for column in (left, right)]
        cells = run(f"SELECT {sides[0]}, {sides[1]}, {measure} FROM items GROUP BY 1, 2")
    if not cells:
        raise ShapeError(f"{name!r} has a header and no items")
    counted = _count_cells(cells, separator, labels, name)
    lines = (counted.item, counted.label, counted.outcome)
    count = counted.count if weights else counted.count.astype(np.int64)
    # weights are sums already here, so that their squares are not known
    return MultiLabelCounts(counted.labels, lines, count, declared=counted.declared)


def _count_cells(
    cells: list[tuple[Any, ...]], separator: str, labels: Any, name: str
) -> MultiLabelCounts:
    sets = [[_cell(cell[side], separator, name) for cell in cells] for side in (0, 1)]
    texts = sorted({text for side in sets for each in side for text in each})
    label = dict(zip(texts, _labels(texts, labels), strict=True))
    true, predicted = ([{label[text] for text in each} for each in side] for side in sets)
    sizes = np.array([cell[2] for cell in cells], float)
    return count_multilabel(true, predicted, labels=labels, weights=sizes)


def _cell(text: str, separator: str, name: str) -> list[str]:
    if not text.strip():
        return []
    parts = [part.strip() for part in text.split(separator)]
    if "" in parts or len(set(parts)) < len(parts):
        what = "an empty label" if "" in parts else "a label twice"
        raise LabelError(f"{name!r}: the cell {text!r} lists {what}. Fix it.")
    return parts
