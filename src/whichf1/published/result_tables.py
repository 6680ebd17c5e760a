"""A table of published results → rows of text, so that trailing zeros are kept."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass

from whichf1.errors import FileError, InputError
from whichf1.published.number import Scale, common_scale

COLUMNS = {
    "precision": ("precision", "p", "prec"),
    "recall": ("recall", "r", "rec"),
    "f1": ("f1", "f", "f1score", "fscore", "fmeasure", "f1measure"),
}
"""How columns are called, after lower case and without 'macro', 'average' and punctuation."""
OF_CLASSES = ("classes", "k", "numclasses", "nclasses")


@dataclass(frozen=True, slots=True)
class Row:
    """One published triple."""

    line: int
    name: str
    precision: str
    recall: str
    f1: str
    classes: int | None


@dataclass(frozen=True, slots=True)
class Results:
    """All triples of a table, on one scale."""

    rows: tuple[Row, ...]
    scale: Scale


def read_results(path: str, scale: Scale | None = None) -> Results:
    """The rows of a CSV file with columns for precision, recall and F1; more are welcome."""
    head, lines = _read(path)
    at = _find(head, path, ("precision", "recall", "f1"))
    of_classes = next((i for i, name in enumerate(head) if _key(name) in OF_CLASSES), None)
    names = [i for i in range(len(head)) if i not in (*at.values(), of_classes)]
    rows = []
    for line, cells in lines:
        name = cells[names[0]] if names else f"line {line}"
        classes = None if of_classes is None else _whole(cells[of_classes], path, line)
        p, r, f = (cells[i].strip() for i in at.values())
        rows.append(Row(line, name, p, r, f, classes))
    given = {
        f"line {row.line}, {name}": getattr(row, name)
        for row in rows
        for name in ("precision", "recall", "f1")
    }
    try:
        return Results(tuple(rows), common_scale(given, scale))
    except InputError as error:
        raise InputError(f"{path!r}: {error}") from None


def read_per_class(path: str) -> dict[str, tuple[str, ...]]:
    """Precision, recall and, if there is one, F1 of each class, from a CSV file."""
    head, lines = _read(path)
    at = _find(head, path, ("precision", "recall"))
    at.update(_find(head, path, ("f1",), needed=False))
    names = [i for i in range(len(head)) if i not in at.values()]
    read: dict[str, tuple[str, ...]] = {}
    for line, cells in lines:
        name = cells[names[0]] if names else f"line {line}"
        if name in read:
            raise FileError(f"{path!r}, line {line}: class {name!r} stands twice")
        read[name] = tuple(cells[i].strip() for i in at.values())
    return read


def _read(path: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            head = next(reader, [])
            lines = [(reader.line_num, cells) for cells in reader if cells]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FileError(f"cannot read results from {path!r}: {error}") from None
    if not lines:
        raise FileError(f"{path!r} has no rows. It needs a header and one line per result.")
    for line, cells in lines:
        if len(cells) != len(head):
            raise FileError(
                f"{path!r}, line {line}: {len(cells)} cells, but the header has {len(head)}"
            )
    return head, lines


def _find(
    head: list[str], path: str, wanted: tuple[str, ...], needed: bool = True
) -> dict[str, int]:
    keys = [_key(name) for name in head]
    found = {name: [i for i, key in enumerate(keys) if key in COLUMNS[name]] for name in wanted}
    wrong = {name: i for name, i in found.items() if len(i) != 1}
    if wrong and needed:
        problem = "; ".join(
            f"{name}: {'several columns' if i else 'no column'}" for name, i in wrong.items()
        )
        raise FileError(
            f"{path!r} needs one column each for {', '.join(wanted)} ({problem}). "
            f"Its columns: {', '.join(head)}. Rename them so."
        )
    return {name: i[0] for name, i in found.items() if len(i) == 1}


def _key(name: str) -> str:
    return re.sub(r"macro|average|avg|mean|[^a-z0-9]", "", name.lower())


def _whole(text: str, path: str, line: int) -> int | None:
    if not text.strip():
        return None
    if not text.strip().isdecimal() or int(text) < 1:
        raise InputError(f"{path!r}, line {line}: {text!r} is no number of classes")
    return int(text)
